"""The target win rate of the first seat, and the rates of settings with their covariance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simlab.engine.payoff import Payoff
from simlab.present.estimate import EVEN, Estimate, plain
from simlab.runs.cell_pools import Cell
from simlab.runs.view import View
from simlab.stats.figure import Share
from simlab.stats.intervals import Floats, wilson

FEWEST_GAMES = 100  #: least number of games per cell for intervals based on normal errors


@dataclass(frozen=True)
class Goal:
    """The target win rate of the first seat, or of its side if the side has several seats.

    Attributes:
        target: the target; None if neither a target is stated nor a fair share exists (one seat, one side, or sides
            that win together).
        payoff: the value of a game. If the contract names the win rate, a whole win; else shared wins are split, and a
            game without a winner is split among all, so that the shares add up to 1.
    """

    target: float | None
    low: float  #: low, high: band that counts as reached
    high: float
    said: bool  #: whether the experiment's contract states it
    payoff: Payoff
    who: str  #: the seat or side
    side: int | None  #: its place among the sides; None in a game without sides, or for a single seat

    def rate(self, cell: Cell) -> float:
        """Mean value of the games of a cell."""
        return self.payoff.total(cell.tally) / max(cell.games, 1)


def goal(view: View, even_odds: bool = False) -> Goal:
    """The target for the wins of the first seat or its side: the contract's, or else a fair share.

    Args:
        even_odds: whether 50 % is the target if all seats win or lose together and the contract names no target. Such
            games need not be even, but readers look for this point on a curve.
    """
    side = next((i for i, (_, seats, _) in enumerate(view.sides) if 0 in seats and len(seats) > 1), None)
    figures: list[tuple[Share, tuple[int, ...], str, int | None]] = [(view.figures.wins[0], (0,), view.seats[0], None)]
    if side is not None:
        name, seats, _ = view.sides[side]
        figures += [(figure, seats, name, side) for figure in view.figures.sides if plain(figure.about, 60) == name]
    for figure, seats, who, place in figures:
        wanted = view.contract.get(figure.name, {})
        target, margin = wanted.get("target"), wanted.get("margin")
        if isinstance(target, int | float) and isinstance(margin, int | float):
            mine = Payoff.win(*seats) if place is None else view.side_payoff(place).alone
            return Goal(float(target), target - margin, target + margin, True, mine, who, place)
    _, seats, who, place = figures[-1]
    sides, half = len(view.sides), EVEN / 2
    place = view.side_of(0) if view.has_sides else None
    one_wins = not view.has_sides or (
        sides > 1 and all(int(cell.tally.side_wins.sum()) + cell.nobody == cell.games for cell in view.cells)
    )
    parts = view.payoff(0) if place is None else view.side_payoff(place)
    if sides > 1 and one_wins:
        fair = 1 / sides
        return Goal(fair, fair - half, fair + half, False, parts.fair, who, place)
    mine = Payoff.win(*seats) if place is None else parts.alone
    if even_odds and sides == 1 and len(seats) > 1:
        return Goal(0.5, 0.5 - half, 0.5 + half, False, mine, who, place)
    return Goal(None, -math.inf, math.inf, False, mine, who, place)


def _splits(view: View, wanted: Goal) -> bool:
    """Whether some games are split, because several seats or nobody won them."""
    games = view.all.nobody if view.has_sides else view.all.without_single
    return wanted.payoff.drawn > 0 and games > 0


def figure_words(view: View, wanted: Goal) -> str:
    """The statistic in words."""
    of = f"{view.the_side(wanted.who)}'{'' if wanted.who.endswith('s') else 's'}"
    return f"{of} {'share of the wins (draws split)' if _splits(view, wanted) else 'win rate'}"


@dataclass(frozen=True)
class Rates:
    """The first seat's win rate at some points, averaged over match-ups."""

    value: Floats  #: (m,)
    covariance: Floats  #: (m, m)
    measured: bool  #: whether it includes common random numbers
    least: Floats  #: lower bound of the number of independent games at each point, (m,)

    def ends(self, level: float) -> Floats:
        """Wilson's interval of each rate, for the number of independent games with the same variance; shape (m, 2)."""
        spread = self.value * (1 - self.value)
        worth = np.where(spread > 0, spread / np.diag(self.covariance), self.least)
        return wilson(self.value * worth, worth, level)


def rates_of(view: View, groups: Sequence[Sequence[Cell]], wanted: Goal) -> Rates:
    """Win rates of groups of cells."""
    group_of = {id(cell): i for i, cells in enumerate(groups) for cell in cells}
    weights = view.weights([group_of.get(id(cell), -1) for cell in view.cells], len(groups))
    each = np.array([wanted.rate(cell) for cell in view.cells])
    table = view.by_game(wanted.payoff) if len(view.cells) > 1 else None
    covariance = view.covariance_of_groups(weights, each, table)
    least = np.array([sum(cell.games for cell in cells) / len(cells) for cells in groups])
    return Rates(np.clip(weights @ each, 0, 1), covariance, table is not None, least)


def estimates_of(view: View, groups: Sequence[Sequence[Cell]], wanted: Goal) -> list[Estimate]:
    """The rates, each with its own interval, as in every other table of these cells."""
    pools = [view.pool("", list(cells)) for cells in groups]
    if _splits(view, wanted):
        return [pool.value(wanted.payoff) for pool in pools]
    return [pool.win_rate(0) if wanted.side is None else pool.side_rate(wanted.side) for pool in pools]
