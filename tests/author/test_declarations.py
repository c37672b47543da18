"""Names and results that a class cannot have, and texts of the first column of a card table."""

from __future__ import annotations

from pathlib import Path

import pytest

from simlab.author.fields import knob
from simlab.author.kernels import program_of
from simlab.author.same import compare
from simlab.engine.match import Match
from simlab.errors import BotFault, InputError
from simlab.registry import load_game

TOSS = '''
from simlab.author import Deck, Game, choice, number, per_seat


class Toss(Game):
    """Toss a coin."""

    players = 2
    heads = per_seat()
    toss = choice("toss", "pass")

    def play(self):
        """T-1: heads count."""
        while True:
            self.ask(self.toss)
            self.heads[self.seat] += self.below(2)
            if self.turn == 9:
                self.end("done")
            self.turn += 1
            self.seat = self.next_seat()

    def score(self, seat):
        return self.heads[seat]
'''
TILES = '''
from simlab.author import Deck, Game, choice, number, numbers

KINDS = ("oak", "elm", "fir")


class Tiles(Game):
    """Draw tiles; each kind counts for itself."""

    players = 1
    tiles = Deck("tiles.csv")
    drawn = numbers(3)
    last = number(-1)
    draw = choice("draw")

    def play(self):
        """K-1: tiles are drawn."""
        self.tiles.shuffle()
        while self.tiles.left > 0:
            self.ask(self.draw)
            card = self.tiles.draw()
            self.last = KINDS.index(self.tiles.name[card])
            self.drawn[self.last] += 1
            self.turn += 1
        self.end("empty", 0)
'''


def written(folder: Path, *changes: tuple[str, str]) -> str:
    text = TOSS
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    (folder / "toss.py").write_text(text)
    return str(folder / "toss.py")


@pytest.mark.parametrize(
    ("declared", "why"),
    [
        ('turns = number(metric="turns that were long")', "belongs to the results of every game"),
        ('cell = number(metric="cells that were opened")', "belongs to the results of every game"),
        ('winner = number(metric="the leader")', "belongs to the results of every game"),
        (
            "deck = Deck(5)\n    deck_left = number()",
            "the field deck_left has a name that belongs to the deck of this game",
        ),
        ("used_items = number()", "belongs to the record of a game"),
    ],
)
def test_a_field_cannot_have_the_name_of_a_column_or_of_a_component_s_field(
    tmp_path: Path, declared: str, why: str
) -> None:
    path = written(tmp_path, ("heads = per_seat()", f"heads = per_seat()\n    {declared}"))
    with pytest.raises(InputError, match=rf"toss\.py: .*{why}.*Give it another name"):
        load_game(path)


def test_the_options_of_a_choice_are_texts() -> None:
    with pytest.raises(InputError, match=r"knob\(4, \.\.\.\): write knob\(20, 10, 40, 'help'\) for a number"):
        knob(4, (4, 6, 8), "sides of the die")


def test_a_field_without_a_metric_may_be_called_turns(tmp_path: Path) -> None:
    load_game(
        written(tmp_path, ("heads = per_seat()", "heads = per_seat()\n    turns = number()\n    cell = number()"))
    )


@pytest.mark.parametrize(
    ("changes", "line", "why"),
    [
        (
            [("heads = per_seat()", "heads = per_seat()\n    rounds = 0"), ("self.turn += 1", "self.rounds += 1")],
            "self.rounds += 1",
            "Declare it as a field: rounds = number(0)",
        ),
        (
            [("    def score", "    def may_tos(self, option):\n        return False\n\n    def score")],
            "def may_tos(self, option):",
            "there is no decision 'tos', whose options may_tos() could test. Did you mean 'toss'?",
        ),
        ([("return self.heads[seat]", "return self.heads[seat] / 2")], "/ 2", "score() returns a fraction"),
        (
            [("return self.heads[seat]", "if seat == 0:\n            return self.heads[seat]")],
            "def score(self, seat):",
            "score() returns a number on some paths only",
        ),
    ],
)
def test_what_would_be_misread_is_refused_with_its_line(
    tmp_path: Path, changes: list[tuple[str, str]], line: str, why: str
) -> None:
    path = written(tmp_path, *changes)
    with pytest.raises(InputError) as caught:
        load_game(path)
    number = next(n for n, text in enumerate(Path(path).read_text().splitlines(), 1) if line in text)
    assert f"toss.py, line {number}: " in str(caught.value) and why in str(caught.value)


def test_a_fraction_that_a_score_gets_from_a_method_is_an_error_in_plain_and_compiled_play(tmp_path: Path) -> None:
    half = "return self.half(seat)\n\n    def half(self, seat):\n        return self.heads[seat] / 2"
    game = load_game(written(tmp_path, ("return self.heads[seat]", half)))
    match = Match(game, bots=dict.fromkeys(game.seats, "random"))
    with pytest.raises((BotFault, InputError), match=r"a whole number|whole numbers"):
        match.play(1, 0, 50)
    played = game.owner(2, seed=1)
    played.heads[0] = 1
    with pytest.raises(ValueError, match=r"score\(\) returns 0\.5"):
        played.score_of(0)


def test_a_text_of_the_first_column_is_found_in_a_tuple_when_compiled(tmp_path: Path) -> None:
    (tmp_path / "tiles.csv").write_text("name,copies\noak,3\nelm,2\nfir,4\n")
    (tmp_path / "tiles.py").write_text(TILES)
    game = load_game(str(tmp_path / "tiles.py"))
    assert program_of(game.owner).plain == {}
    match = Match(game, bots=dict.fromkeys(game.seats, "random"))
    assert compare(match, 1, 5) == 45
    (tmp_path / "other.csv").write_text("name,copies\noak,3\nash,6\n")
    other = Match(game, bots=dict.fromkeys(game.seats, "random"), tables={"tiles": tmp_path / "other.csv"})
    with pytest.raises(InputError):
        other.play(1, 0, 20)
