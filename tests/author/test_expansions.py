"""An expansion as a class that extends the game, and calls what it replaces by super()."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from simlab.engine.match import Match
from simlab.errors import InputError
from simlab.registry import load_game

BASE = '''
from simlab.author import Game, choice, knob, per_seat

class Race(Game):
    """First to ten."""
    players = 2
    goal = knob(10, 5, 50, "spaces to go")
    at = per_seat()
    throw = choice("throw")

    def play(self):
        """Q-1: the first seat begins."""
        while True:
            self.take_turn()
            self.turn += 1
            self.seat = self.next_seat()

    def take_turn(self):
        """Q-2: move by a die."""
        self.ask(self.throw)
        self.move(self.roll(6))

    def move(self, steps):
        """Q-3: the first at the goal wins."""
        self.at[self.seat] += steps
        if self.at[self.seat] >= self.goal:
            self.end("goal", self.seat)
'''
HEADWIND = '''
class Headwind(Race):
    """First to ten; a six moves four."""
    def take_turn(self):
        super().take_turn()

    def move(self, steps):
        """Q-4: a six counts as four."""
        super().move(4 if steps == 6 else steps)
'''
GALE = '''
class Gale(Headwind):
    """And a five moves one."""
    def move(self, steps):
        """Q-5: a five counts as one."""
        super().move(1 if steps == 5 else steps)
'''
IN_A_FILE_OF_ITS_OWN = "from base import Race\n" + HEADWIND + GALE


def first_wins(steps: dict[int, int]) -> float:
    """How often the first seat wins, exactly. steps: die -> spaces, for the numbers that move something else."""

    @cache
    def wins(mine: int, other: int) -> float:
        moves = [mine + steps.get(die, die) for die in range(1, 7)]
        return sum(1 if at >= 10 else 1 - wins(other, at) for at in moves) / 6

    return wins(0, 0)


def game_of(folder: Path, text: str, name: str = "expansion"):
    (folder / "base.py").write_text(BASE)
    file = folder / f"{name}.py"
    file.write_text(text)
    return load_game(str(file))


@pytest.mark.parametrize(
    ("text", "steps"),
    [(BASE + HEADWIND, {6: 4}), (IN_A_FILE_OF_ITS_OWN, {6: 4, 5: 1})],
    ids=["in the same file", "twice, in a file of its own"],
)
def test_an_expansion_plays_what_it_replaces_and_what_it_keeps(tmp_path, text, steps):
    game, right = game_of(tmp_path, text), first_wins(steps)
    assert abs(right - first_wins({})) > 0.015  # more than the games below may be off
    games = 40_000
    batch = Match(game, bots=dict.fromkeys(game.seats, "random")).play(5, 0, games)
    rows = batch.rows
    deviation = (right * (1 - right) / games) ** 0.5
    assert abs((rows["winner"] == 0).mean() - right) < 4 * deviation
    # Each rule counts where it takes effect: the expansion's and the game's once for each move.
    fired = {rule.id: count for rule, count in zip(game.rules, batch.tally.counts["fired"].tolist(), strict=True)}
    assert fired["Q-2"] == fired["Q-3"] == fired["Q-4"] > games
    assert fired["Q-1"] == games
    # And the same in plain Python.
    for index in range(40):
        played = game.owner(seed=5, game=index).play_with()
        assert played.winners() == (int(rows["winner"][index]),)
        assert played.turn == rows["turns"][index]


@pytest.mark.parametrize(
    ("method", "why"),
    [
        ("def move(self, steps):\n        super().mvoe(steps)", r"line 32: super\(\)\.mvoe\(\): no class of a game"),
        ("def take_turn(self):\n        super().throw()", r"line 32: super\(\)\.throw\(\): no class of a game"),
    ],
)
def test_a_call_of_super_that_cannot_be_played_is_named(tmp_path, method, why):
    with pytest.raises(InputError, match=why):
        game_of(tmp_path, BASE + f"\nclass Odd(Race):\n    '''An odd one.'''\n    {method}\n")
