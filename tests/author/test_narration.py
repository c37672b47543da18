"""The texts of a replay: sentences of `say()`, the rules under way, labels that depend on the position."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

from simlab.author.kernels import program_of
from simlab.author.narration import under_way
from simlab.author.same import compare
from simlab.engine.match import Match
from simlab.errors import InputError
from simlab.questions.replay.film import Film
from simlab.questions.replay.narrative import game_lines
from simlab.registry import load_game

SIEGE = '''
from simlab.author import Deck, Game, choice, number, numbers, per_seat

NAMES = {0: "the gate", 1: "the tower"}


class Siege(Game):
    """Storm the walls."""

    players = 2
    deck = Deck([f"card {number}" for number in range(60)])
    walls = number(6, low=0, high=6)
    stormed = number(shown=False)
    lost = per_seat(low=0, high=60)
    act = choice("storm", "wait", forced=True)
    target = choice(2)
    defence = choice(range(4))

    def label_target(self, place):
        return f"{self.place_name(place)}, walls {self.walls}"

    def label_defence(self, cards, thrown):
        return f"draw {cards} against {thrown}"

    def place_name(self, place):
        return NAMES[int(place)]

    def may_act(self, option):
        return option == "storm" or self.turn % 3 > 0

    def may_defence(self, cards, thrown):
        return cards <= thrown

    def play(self):
        """S-1: turns, until the walls are down or the deck is used up."""
        self.deck.shuffle()
        while self.walls > 0 and self.deck.left > 10:
            self.take_turn()
            self.turn += 1
            self.seat = self.next_seat()
        self.say(f"The end comes with {self.deck.left} cards left.")
        self.end("over", 0)

    def take_turn(self):
        """S-2: storm, or wait."""
        before = self.walls
        if self.ask(self.act) == "wait":
            self.say("waits")
            return
        self.stormed += 1
        place = self.ask(self.target)
        self.say(f"{self.seat_names[self.seat]} storms {self.place_name(place)}")
        if self.contest(self.seat, 1 + self.below(3)):
            self.walls -= 1
        self.say(f"walls {before} -> {self.walls}")

    def contest(self, attacker, thrown):
        """
        S-3: the other side draws cards.

        S-3.1: the higher sum wins.
        """
        drawn = self.ask(self.defence, 1 - attacker, thrown)
        mine, other = self.total(thrown), self.total(drawn)
        self.say(", ".join([f"{thrown} cards: {mine}", f"{drawn} cards: {other}"]))
        return mine > other

    def total(self, cards):
        total = 0
        for _ in range(cards):
            total += self.deck.draw() % 10
        return total
'''


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = tmp_path_factory.mktemp("narration") / "siege.py"
    path.write_text(SIEGE)
    return load_game(str(path))


@pytest.fixture(scope="module")
def film(game: Any) -> Film:
    return Film(Match(game, bots=dict.fromkeys(game.seats, "random")), seed=3, index=1)


def plain_stack(plain: Any) -> list[str]:
    """The methods under way in the greenlet of a plain game, below `play`."""
    found, frame = [], plain._rules.gr_frame
    while frame is not None:
        found.append(frame.f_code.co_name)
        frame = frame.f_back
    return [name for name in reversed(found) if name in vars(type(plain)) and name != "play"]


def test_texts_of_a_game_need_not_be_compiled(game: Any, capfd: pytest.CaptureFixture[str]) -> None:
    assert program_of(game.owner).plain == {}
    assert compare(Match(game, bots=dict.fromkeys(game.seats, "random")), 1, 3) > 20


def test_a_replay_shows_the_sentences_of_the_plain_game_and_its_stack_of_calls(game: Any, film: Film) -> None:
    """Decision by decision, the same game in plain Python, whose greenlet has the real stack of calls."""
    plain = game.owner(seed=3, game=1)
    shown = 0
    for frame in film:
        if frame.move:
            plain.take(frame.move.action)
            assert list(frame.asides) == plain.narration[shown:]
            shown = len(plain.narration)
        if frame.open:
            assert under_way(game.owner.blueprint(), frame.at.state) == plain_stack(plain)
    assert plain.over and shown > 20
    assert film.end.asides[-1].startswith("The end comes with ")


def test_headings_name_the_methods_under_way_and_their_rules(film: Film) -> None:
    assert {frame.heading for frame in film if frame.open} == {"take_turn (S-2)", "take_turn (S-2) > contest (S-3)"}
    lines = list(game_lines(film))
    headings = [line for line in lines if line.startswith("  take_turn")]
    assert set(headings) == {"  take_turn (S-2):", "  take_turn (S-2) > contest (S-3):"}
    assert all(one != two for one, two in itertools.pairwise(headings))
    assert any("storms the gate" in line for line in lines)


def test_a_label_may_depend_on_the_position_and_on_the_numbers_of_the_question(film: Film) -> None:
    asked = [frame.asked for frame in film if frame.asked]
    targets = next(one for one in asked if one.decision.name == "target")
    assert targets.labels == ("the gate, walls 6", "the tower, walls 6")
    defences = next(one for one in asked if one.decision.name == "defence")
    most = len(defences.labels) - 1
    assert defences.labels == tuple(f"draw {cards} against {most}" for cards in range(most + 1))


def test_bookkeeping_is_not_shown(film: Film) -> None:
    assert "walls" in film[0].position() and "stormed" not in film[0].position()


def test_a_label_for_no_decision_is_refused(tmp_path: Path) -> None:
    (tmp_path / "siege.py").write_text(SIEGE.replace("def label_target", "def label_targets"))
    with pytest.raises(
        InputError, match=r"no decision 'targets', whose options label_targets\(\) could label. Did you"
    ):
        load_game(str(tmp_path / "siege.py"))


def test_an_error_in_a_sentence_names_its_line(tmp_path: Path) -> None:
    (tmp_path / "siege.py").write_text(SIEGE.replace('self.say("waits")', 'self.say("waits" + self.turn)'))
    game = load_game(str(tmp_path / "siege.py"))
    film = Film(Match(game, bots=dict.fromkeys(game.seats, "random")), seed=3, index=1)
    line = SIEGE[: SIEGE.index('self.say("waits")')].count("\n") + 1
    with pytest.raises(InputError, match=rf"siege\.py, line {line}: TypeError: .*while say\(\) is replayed"):
        list(film)
