"""Best play at Pig by value iteration, written by `python -m simlab.games.pig.optimal`, and the distribution of a turn.

The chance to win depends on three numbers only: the points that each seat still needs, and the points at stake. The
solution for a goal of 100 therefore contains that for every lower goal.

Source: Neller and Presser (2004), Optimal play of the dice game Pig, The UMAP Journal 25(1), 25-47.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import numpy.typing as npt

from simlab.compiler import kernel

FILE = Path(__file__).with_name("optimal.npz")
GOAL, SIDES = 100, 6


@kernel
def turn_values(
    chances: npt.NDArray[np.float64], own: int, other: int, lost: float, sides: int, values: npt.NDArray[np.float64]
) -> None:
    """Chances to win in a turn, from the most points at stake down to none.

    Args:
        chances: (goal + 1, goal + 1), chance of the seat to act with nothing at stake, by the points that it needs and
            the points that the other seat needs.
        own, other: points that the seat to act and the other need.
        lost: chance of the other seat after a bust.
        values: (own,), receives the chance to win with 0..own-1 points at stake.
    """
    for stake in range(own - 1, -1, -1):
        total = 1 - lost
        for pips in range(2, sides + 1):
            total += values[stake + pips] if stake + pips < own else 1.0
        values[stake] = total / sides
        if stake > 0:
            values[stake] = max(values[stake], 1 - chances[other, own - stake])


@kernel
def solve(chances: npt.NDArray[np.float64], sides: int) -> None:
    """Fills the chances to win under best play of both, from the last points back to the first.

    Two positions that differ only in the seat to act depend on each other and on later positions. Their chances are
    updated in turns until neither changes.
    """
    goal = chances.shape[0] - 1
    values = np.zeros(goal)
    for needed in range(2, 2 * goal + 1):
        for own in range(max(1, needed - goal), needed // 2 + 1):
            other = needed - own
            moved = 1.0
            while moved > 1e-13:
                turn_values(chances, own, other, chances[other, own], sides, values)
                moved = abs(values[0] - chances[own, other])
                chances[own, other] = values[0]
                turn_values(chances, other, own, chances[own, other], sides, values)
                moved = max(moved, abs(values[0] - chances[other, own]))
                chances[other, own] = values[0]


@kernel
def advantage(chances: npt.NDArray[np.float64], sides: int, gain: npt.NDArray[np.float64]) -> None:
    """How much better holding is than rolling: gain[own, other, stake], shape (goal + 1, goal + 1, goal)."""
    goal = chances.shape[0] - 1
    values = np.zeros(goal)
    for own in range(1, goal + 1):
        for other in range(1, goal + 1):
            lost = chances[other, own]
            turn_values(chances, own, other, lost, sides, values)
            for stake in range(1, own):
                total = 1 - lost
                for pips in range(2, sides + 1):
                    total += values[stake + pips] if stake + pips < own else 1.0
                gain[own, other, stake] = 1 - chances[other, own - stake] - total / sides


def best_play(goal: int = GOAL, sides: int = SIDES) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Returns (chances, gain) of best play; see `solve` and `advantage`."""
    chances = np.full((goal + 1, goal + 1), 0.5)
    solve(chances, sides)
    gain = np.zeros((goal + 1, goal + 1, goal))
    advantage(chances, sides, gain)
    return chances, gain


def law_of_a_turn(hold_at: int = 20, sides: int = SIDES) -> dict[int, Fraction]:
    """Chance of each number of points from a turn, for a player who holds at `hold_at` far from the goal."""
    law: dict[int, Fraction] = {0: Fraction(0)}
    reached = {0: Fraction(1)}
    for stake in range(hold_at):
        chance = reached.pop(stake, Fraction(0)) / sides
        law[0] += chance
        for pips in range(2, sides + 1):
            at = stake + pips
            into = law if at >= hold_at else reached
            into[at] = into.get(at, Fraction(0)) + chance
    return law


def read_table() -> npt.NDArray[np.uint8]:
    """The positions in which best play holds, packed: bit (own * 101 + other) * 100 + stake, highest bit of a byte
    first.
    """
    with np.load(FILE) as file:
        packed: npt.NDArray[np.uint8] = file["holds"]
    return packed


if __name__ == "__main__":
    chances, gain = best_play()
    np.savez_compressed(FILE, holds=np.packbits(gain > 0))
    print(f"{FILE}: the first player wins {chances[GOAL, GOAL]:.4f} under best play.")
