"""The range of a field gives its width in the record, and a number outside it is an error in both ways of playing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simlab.author.fields import number
from simlab.author.same import compare, place_of_fault
from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.errors import BotFault, InputError
from simlab.registry import load_game

WALLS = '''
from simlab.author import NONE, Deck, Game, choice, knob, number, numbers, per_seat

TOO_LOW = -3


def lower(heights, by):
    heights[0] -= by
    return heights[0]


class Walls(Game):
    """Raise the walls."""

    players = 2
    break_at = knob("never", ("never", "sum", "constant", "start", "list", "fill", "names", "function"), "what breaks")
    deck = Deck(130)
    walls = number(5, low=0, high=12)
    towers = numbers(3, 7, low=0, high=3)
    held = number(NONE, names=deck)
    mood = number(names=("calm", "wild"))
    plan = per_seat(NONE, low=0, high=3, seen_by="owner")
    wide = number(low=0, high=200)
    wider = number(low=-40_000)
    free = number()
    points = per_seat(score=(-9, 500))
    build = choice("up", "down")

    def play(self):
        while self.turn < 9:
            self.ask(self.build)
            if self.turn == 8:
                self.overstep()
            self.plan[self.seat] = self.below(4)
            self.plan[self.seat] = NONE
            self.towers[1] = 7
            self.held = self.turn
            self.held = NONE
            self.wide, self.wider, self.free = 200, -40_000, 1 << 30
            self.points[self.seat] -= 1
            self.turn += 1
            self.seat = self.next_seat()
        self.end("built", 0)

    def overstep(self):
        if self.break_at == "sum":
            self.walls += self.turn
        if self.break_at == "constant":
            self.walls = TOO_LOW
        if self.break_at == "start":
            self.walls = 4
            self.towers[2] = self.turn - 3
        if self.break_at == "list":
            self.towers[0] += self.turn
        if self.break_at == "fill":
            self.towers.fill(self.turn - 4)
        if self.break_at == "names":
            self.mood = self.turn
        if self.break_at == "function":
            self.free = lower(self.towers, 1000)
'''


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = tmp_path_factory.mktemp("ranges") / "walls.py"
    path.write_text(WALLS)
    return load_game(str(path))


def playing(game: Any, break_at: str) -> Match:
    return Match(game, knobs={"break_at": break_at}, bots=dict.fromkeys(game.seats, "random"))


def test_the_width_of_a_field_follows_from_its_range(game: Any) -> None:
    kinds = {
        "walls": np.int8, "towers": np.int8, "mood": np.int8, "plan": np.int8, "held": np.int16, "wide": np.int16,
        "points": np.int16, "wider": np.int32, "free": np.int32, "deck_order": np.int16, "deck_left": np.int16,
    }  # fmt: skip
    assert {name: game.state[name].base for name in kinds} == {name: np.dtype(kind) for name, kind in kinds.items()}


def test_start_and_none_lie_outside_the_range_and_both_ways_play_the_same(game: Any) -> None:
    assert compare(playing(game, "never"), 1, 5) == 40
    playing(game, "never").play(1, 0, 100)


@pytest.mark.parametrize(
    ("break_at", "code", "why"),
    [
        ("sum", "self.walls += self.turn", "walls holds 0 to 12, and was set to 13"),
        ("constant", "self.walls = TOO_LOW", "walls holds 0 to 12, and was set to -3"),
        ("start", "self.towers[2] = self.turn - 3", "towers holds 0 to 3, and was set to 5"),
        ("list", "self.towers[0] += self.turn", "towers holds 0 to 3, and was set to 15"),
        ("fill", "self.towers.fill(self.turn - 4)", "towers holds 0 to 3, and was set to 4"),
        ("names", "self.mood = self.turn", "mood holds 0 to 1, and was set to 8"),
        ("function", "heights[0] -= by", "towers holds 0 to 3, and was set to -993"),
    ],
)
def test_a_number_outside_the_range_is_an_error_with_its_line_name_and_value(
    game: Any, break_at: str, code: str, why: str
) -> None:
    line = next(n for n, text in enumerate(WALLS.splitlines(), 1) if text.strip() == code)
    expected = rf"walls\.py, line {line}: ValueError: {why} "
    with pytest.raises(InputError, match=expected):
        compare(playing(game, break_at), 1, 1)
    value = why.rpartition(" ")[2]
    with pytest.raises(BotFault, match=rf"does not fit into its field: {value} is not in .* Line {line}"):
        Stepper(playing(game, break_at), 1, 0).finish()
    match = playing(game, break_at)
    assert place_of_fault(match, 1, 0) == expected.replace("\\", "")[:-1].replace("walls.py", str(game.file))


@pytest.mark.parametrize(("low", "high"), [(3, 2), (0, 1 << 31), (0.5, 2)])
def test_a_range_is_of_whole_numbers_of_32_bits(low: Any, high: Any) -> None:
    with pytest.raises(InputError, match="write whole numbers between -2,147,483,648 and 2,147,483,647"):
        number(low=low, high=high)
