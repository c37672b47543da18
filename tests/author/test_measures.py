"""The numbers that a class reports: metrics at the end, tracks over the turns, and who is ahead."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from simlab.author.same import compare
from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.errors import InputError
from simlab.registry import load_game

SIEGE = '''
from simlab.author import Deck, Game, choice, flag, metric, number, per_seat, track


class Siege(Game):
    """Storm the walls."""

    players = (2, 3)
    deck = Deck(40)
    walls = number(5, low=0, high=12, track="City Walls", metric="walls at the end", unit="points")
    left = per_seat(20, low=0, high=20, track="cards left", lead=True, metric="cards left", unit="cards")
    fell = flag(metric="whether the walls fell")
    points = per_seat(score=(0, 30))
    storm = choice("one", "two")

    @track("cards in the deck", low=0, high=40)
    @metric("cards left in the deck", low=0, high=40, unit="cards")
    def deck_cards(self):
        return self.deck.left

    @metric("cards played", low=0, high=20)
    def played(self, seat):
        return 20 - self.left[seat]

    @metric("why it ended", names=("walls", "cards"))
    def cause(self):
        """R-2: it ends with the walls or the cards."""
        return 0 if self.walls == 0 else 1

    @track("cards behind", low=0, high=20)
    def behind(self, seat):
        return max(self.left) - self.left[seat]

    def play(self):
        """R-1: storm until the walls or the cards are gone."""
        while self.walls > 0 and min(self.left) > 1:
            cards = 2 if self.ask(self.storm) == "two" else 1
            self.left[self.seat] -= cards
            for _ in range(cards):
                self.deck.draw()
                if self.below(6) == 0 and self.walls > 0:
                    self.walls -= 1
                    self.points[self.seat] += 1
            self.turn += 1
            self.seat = self.next_seat()
        self.fell = self.walls == 0
        self.end("over")
'''


def written(folder: Path, *changes: tuple[str, str]) -> str:
    text = SIEGE
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    (folder / "siege.py").write_text(text)
    return str(folder / "siege.py")


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Any]:
    path = written(tmp_path_factory.mktemp("measures"))
    return {players: load_game(path, players) for players in (2, 3)}


def test_tracks_come_from_fields_and_methods_one_for_each_seat(games: dict[int, Any]) -> None:
    assert [(track.name, track.low, track.high, track.help) for track in games[2].tracks] == [
        ("points_ann", 0, 30, "ann's points"),
        ("points_bob", 0, 30, "bob's points"),
        ("walls", 0, 12, "City Walls"),
        ("left_ann", 0, 20, "ann's cards left"),
        ("left_bob", 0, 20, "bob's cards left"),
        ("deck_cards", 0, 40, "cards in the deck"),
        ("behind_ann", 0, 20, "ann's cards behind"),
        ("behind_bob", 0, 20, "bob's cards behind"),
    ]


def test_a_field_can_say_who_is_ahead_instead_of_the_score(games: dict[int, Any]) -> None:
    assert games[2].lead == ("left_ann", "left_bob")
    assert games[3].lead == ("left_ann", "left_bob", "left_cat")


@pytest.mark.parametrize("players", [2, 3])
def test_tracks_and_metrics_hold_the_numbers_of_the_game(games: dict[int, Any], players: int) -> None:
    game = games[players]
    match = Match(game, bots=dict.fromkeys(game.seats, "random"))
    stepper = Stepper(match, 1, 0)
    while not stepper.over:
        found, left = stepper.tracks(), stepper.state.left.tolist()
        assert [found[f"left_{seat}"] for seat in game.seats] == left
        assert [found[f"behind_{seat}"] for seat in game.seats] == [max(left) - cards for cards in left]
        assert (found["walls"], found["deck_cards"]) == (stepper.state.walls, stepper.state.deck_left)
        stepper.apply(stepper.policy_action())
    row, state = stepper.row(), stepper.state
    assert (row["walls"], row["fell"], row["deck_cards"]) == (state.walls, int(state.fell), state.deck_left)
    assert [row[f"left_{seat}"] for seat in game.seats] == state.left.tolist()
    assert [row[f"played_{seat}"] for seat in game.seats] == [20 - cards for cards in state.left.tolist()]
    assert row["cause"] == int(state.walls > 0)
    assert compare(match, 1, 5) > 20


def test_metrics_have_units_ranges_and_names_of_their_values(games: dict[int, Any]) -> None:
    metrics = {metric.name: metric for metric in games[2].metrics}
    assert list(metrics) == [
        "walls", "left_ann", "left_bob", "fell", "deck_cards", "played_ann", "played_bob", "cause"
    ]  # fmt: skip
    walls, played = metrics["walls"], metrics["played_bob"]
    assert (walls.unit, walls.low, walls.high) == ("points", 0, 12)
    assert (played.help, played.low, played.high) == ("bob's cards played", 0, 20)
    assert metrics["cause"].codes == {0: "walls", 1: "cards"}


def test_a_rule_in_a_metric_does_not_count(games: dict[int, Any]) -> None:
    match = Match(games[2], bots=dict.fromkeys(games[2].seats, "random"))
    stepper = Stepper(match, 1, 0)
    stepper.finish()
    counted = dict(zip([rule.id for rule in games[2].rules], stepper.state.fired.tolist(), strict=True))
    assert counted == {"R-1": 1, "R-2": 0}


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('low=0, high=12, track="City Walls"', 'track="City Walls"', "the track of walls needs the range of its chart"),
        ('high=12, track="City Walls"', "high=12, lead=True", "walls declares lead=True and no track"),
        (
            '    @track("cards behind", low=0, high=20)',
            '    @track("c", low=0, high=20, lead=True)',
            "left and behind both",
        ),
        ("def behind(self, seat)", "def behind(self, owner)", "write def behind(self), or def behind(self, seat)"),
        ("def cause(self)", "def left_ann(self)", "two metrics or two tracks are called left_ann"),
        ("def cause(self)", "def turns(self)", "turns has a name that belongs to the results of every game"),
        ("return self.deck.left", "return self.ask(self.storm)", "it cannot ask or end the game"),
        (
            "        return self.deck.left",
            "        if self.walls > 1:\n            return 1",
            "returns a number on some paths",
        ),
    ],
)
def test_measures_that_cannot_be_used_are_refused(tmp_path: Path, old: str, new: str, why: str) -> None:
    path = written(tmp_path, (old, new))
    with pytest.raises(InputError, match=re.escape(why)):
        load_game(path)


def test_an_expansion_keeps_the_metric_of_a_method_that_it_replaces(tmp_path: Path) -> None:
    written(tmp_path)
    more = (
        "from siege import Siege\n\n\nclass Sally(Siege):\n    '''More.'''\n\n    def cause(self):\n        return 1\n"
    )
    (tmp_path / "sally.py").write_text(more)
    game = load_game(str(tmp_path / "sally.py"))
    match = Match(game, bots=dict.fromkeys(game.seats, "random"))
    assert set(match.play(1, 0, 50).rows["cause"]) == {1}
