"""The target win rate of the first seat, and the rates of settings with their covariance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simlab.present.estimate import EVEN, LEVEL, Estimate, plain
from simlab.runs.cell_pools import Cell
from simlab.runs.rows import Credit, Won
from simlab.runs.view import View
from simlab.stats.figure import Share
from simlab.stats.intervals import Floats, wilson
from simlab.stats.tournament import floored

FEWEST_GAMES = 100  #: least number of games per cell for intervals based on normal errors


@dataclass(frozen=True)
class Goal:
    """The target win rate of the first seat, or of its side if that has several seats.

    Attributes:
        target: None if no target is stated and there is no fair share, as in a game with one seat, with one side, or
            with sides that win together.
        low, high: band in which the target counts as reached. said: whether the experiment's contract states the
            target.
        column: the value of a game: the win if the contract names it. Otherwise shared wins are split, and a game
            without a winner is split among all seats, so all shares add up to 1.
        who: the seat or side. side: position of the side; None in a game without sides, or for a single seat.
    """

    target: float | None
    low: float
    high: float
    said: bool
    column: Won | Credit
    who: str
    side: int | None

    def rate(self, cell: Cell) -> float:
        """Mean of the column over the games of a cell."""
        if isinstance(self.column, Credit):
            won = float(cell.credits[self.column.seat])
        else:
            won = float(cell.wins[self.column.seats[0]] if self.side is None else cell.tally.side_wins[self.side])
        lost = cell.nobody / self.column.split if self.column.split else 0.0
        return (won + lost) / max(cell.games, 1)


def goal(view: View, even_odds: bool = False) -> Goal:
    """The contract's target for the wins of the first seat, or of its side; else a fair share.

    Args:
        even_odds: whether 50 % is the target if all seats win or lose together and the contract names none. Such games
            need not be even, but readers look for this point on a curve.
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
            column = Won(seats) if place is None else view.side_column(place)
            return Goal(float(target), target - margin, target + margin, True, column, who, place)
    _, seats, who, place = figures[-1]
    sides, half = len(view.sides), EVEN / 2
    place = view.side_of(0) if view.has_sides else None
    if sides < 2 or (view.has_sides and not _one_side_wins(view)):
        mine = Won(seats) if place is None else view.side_column(place)
        if even_odds and sides == 1 and len(seats) > 1:
            return Goal(0.5, 0.5 - half, 0.5 + half, False, mine, who, place)
        return Goal(None, -math.inf, math.inf, False, mine, who, place)
    fair = 1 / sides
    parts = Credit(0, sides) if place is None else view.side_column(place, sides)
    return Goal(fair, fair - half, fair + half, False, parts, who, place)


def _one_side_wins(view: View) -> bool:
    """Whether no game is won by several sides."""
    return all(int(cell.tally.side_wins.sum()) + cell.nobody == cell.games for cell in view.cells)


def _splits(view: View, wanted: Goal) -> bool:
    """Whether some games are split, because several seats or nobody won them."""
    if isinstance(wanted.column, Credit):
        return view.all.without_single > 0
    return wanted.column.split > 0 and view.all.nobody > 0


def figure_words(view: View, wanted: Goal) -> str:
    """The statistic in words."""
    of = f"{view.the_side(wanted.who)}'{'' if wanted.who.endswith('s') else 's'}"
    return f"{of} {'share of the wins (draws split)' if _splits(view, wanted) else 'win rate'}"


@dataclass(frozen=True)
class Rates:
    """The first seat's win rate at some points, averaged over match-ups.

    Attributes:
        value: shape (m,). covariance: shape (m, m). measured: whether it includes common random numbers.
        won: wins in the games that all cells played, shape (games, m); None without rows.
        least: lower bound of the effective number of independent games at each point, shape (m,).
    """

    value: Floats
    covariance: Floats
    measured: bool
    won: Floats | None
    least: Floats

    def ends(self, level: float) -> Floats:
        """Wilson's interval of each rate, for the number of independent games that has the same variance; shape (m,
        2).
        """
        spread = self.value * (1 - self.value)
        worth = np.where(spread > 0, spread / np.diag(self.covariance), self.least)
        return wilson(self.value * worth, worth, level)


def rates_of(view: View, groups: Sequence[Sequence[Cell]], wanted: Goal) -> Rates:
    """Win rates of groups of cells."""
    place = {id(cell): i for i, cell in enumerate(view.cells)}
    weights = np.zeros((len(groups), len(view.cells)))
    for i, cells in enumerate(groups):
        for cell in cells:
            weights[i, place[id(cell)]] = cell.games / max(sum(c.games for c in cells), 1)
    each = np.array([wanted.rate(cell) for cell in view.cells])
    games = np.array([sum(cell.games for cell in cells) for cells in groups], np.float64)
    measured = view.covariance(wanted.column)
    if measured is None:
        alone = np.sqrt(each * (1 - each) / np.maximum([cell.games for cell in view.cells], 1))
        covariance = np.diag((weights @ alone) ** 2)  # as if the cells of a group were fully correlated
    else:
        covariance = weights @ measured @ weights.T
    rows = view.by_game(wanted.column)
    won = None if rows is None else rows @ weights.T
    least = games / np.array([len(cells) for cells in groups])
    return Rates(np.clip(weights @ each, 0, 1), floored(covariance, games), measured is not None, won, least)


def estimates_of(view: View, groups: Sequence[Sequence[Cell]], wanted: Goal, rates: Rates) -> list[Estimate]:
    """The rates, each with its own interval, as in the other tables of these cells."""
    split = _splits(view, wanted)
    if split and (len(view.seats) > 2 or view.has_sides):
        return [
            Estimate(float(r), float(a), float(b)) for r, (a, b) in zip(rates.value, rates.ends(LEVEL), strict=True)
        ]
    pools = [view.pool("", list(cells)) for cells in groups]
    if wanted.side is not None:
        return [pool.side_rate(wanted.side) for pool in pools]
    return [pool.credit(0) if split else pool.win_rate(0) for pool in pools]
