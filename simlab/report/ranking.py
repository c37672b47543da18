"""Which bot beats which: the table of match-ups of two seats, and one strength a bot."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from simlab.errors import UserMistake
from simlab.present.chart import Draw, chart
from simlab.present.estimate import LEVEL, Estimate
from simlab.report import tables
from simlab.results import drill_down
from simlab.results.pool import Cell, Pool
from simlab.results.rows import credit_of
from simlab.results.view import View, view_of
from simlab.stats.intervals import Floats, normal_quantile
from simlab.stats.ratings import Ratings, bradley_terry

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from rich.console import RenderableType
    from rich.table import Table

_ELO = 400 / math.log(10)


@dataclass(frozen=True)
class Ranking:
    """Ratings of the bots of two seats.

    Attributes:
        bots: names by seat.
        ratings: their strengths.
        measured: whether the luck that match-ups share was measured; if not, they count as independent.
        surprising: whether some match-up departs from the ranking by more than luck makes, all judged together.
    """

    bots: tuple[list[str], list[str]]
    ratings: Ratings
    measured: bool
    surprising: bool

    def elo(self, seat: int, index: int) -> Estimate:
        """Strength in Elo points, 0 for the average bot of the seat."""
        strength = (self.ratings.strength_a, self.ratings.strength_b)[seat][index]
        low, high = (self.ratings.interval_a, self.ratings.interval_b)[seat][index]
        return Estimate(_ELO * float(strength), _ELO * float(low), _ELO * float(high), False)

    def order(self, seat: int) -> list[int]:
        """Positions of the seat's bots, strongest first."""
        return self.ratings.order_a if seat == 0 else self.ratings.order_b

    @property
    def sentence(self) -> str:
        """How far one ranking explains who beats whom."""
        left = 100 * self.ratings.interaction
        text = f"One strength a bot explains all but {left:.0f} % of the differences between match-ups"
        residual = np.nan_to_num(np.abs(self.ratings.residual))
        i, j = np.unravel_index(int(np.argmax(residual)), residual.shape)
        gap = 100 * float(self.ratings.residual[i, j])
        if left < 2 or abs(gap) < 2:
            return f"{text}: who is strong is strong against everybody."
        if not self.surprising:
            return f"{text}; the rest is no more than the luck of so many games makes."
        more = "more" if gap > 0 else "fewer"
        return (
            f"{text}; the rest is who meets whom. The greatest surprise: {self.bots[0][i]} against "
            f"{self.bots[1][j]} wins "
            f"{abs(gap):.0f} points {more} than the ranking says."
        )


def ranking(view: View) -> Ranking | None:
    """Bradley-Terry strengths where both of two seats have several bots; None elsewhere."""
    if len(view.seats) != 2 or min(len(bots) for bots in view.bots.values()) < 2:
        return None
    first, second = (view.bots[seat] for seat in view.raw_seats)
    if len(first) * len(second) > 2_500:
        return None
    wins, games = np.zeros((len(first), len(second))), np.zeros((len(first), len(second)))
    places = []
    for cell in view.cells:
        i, j = first.index(cell.bots[view.raw_seats[0]]), second.index(cell.bots[view.raw_seats[1]])
        wins[i, j] += cell.credit(0)
        games[i, j] += cell.games
        places.append(i * len(second) + j)
    covariance = _pooled(view.covariance(credit_of(0, 2)), view.cells, places, games)
    try:
        ratings = bradley_terry(wins, games, covariance=covariance)
    except UserMistake:  # bots that never met, as in a run that was stopped early
        return None
    fitted = np.clip(np.nan_to_num(ratings.fitted, nan=0.5), 1e-9, 1 - 1e-9)
    error = np.sqrt(fitted * (1 - fitted) / np.maximum(games, 1))
    off = np.nan_to_num(np.abs(ratings.residual)) / np.maximum(error, 0.5 / np.maximum(games, 1))
    surprising = bool((off > normal_quantile(1 - (1 - LEVEL) / max(off.size, 1))).any())
    return Ranking((first, second), ratings, covariance is not None, surprising)


def _pooled(shared: Floats | None, cells: Sequence[Cell], places: Sequence[int], games: Floats) -> Floats | None:
    """Covariance of the match-ups' rates out of that of the cells', where knobs vary too."""
    if shared is None:
        return None
    weights = np.zeros((games.size, len(cells)))
    for column, (cell, place) in enumerate(zip(cells, places, strict=True)):
        weights[place, column] = cell.games / max(games.ravel()[place], 1)
    return np.asarray(weights @ shared @ weights.T, np.float64)


@chart
def matrix(source: Any, ax: Axes | None = None) -> Axes:
    """Win rate of the first seat in per cent: a row for each of its bots, a column for each opponent."""

    from matplotlib.colors import Normalize

    from simlab.present import drawing

    view = view_of(source)
    if len(view.seats) != 2:
        return drawing.note(drawing.axes(ax, 2.0), "a matrix needs two seats")
    first, second = (_strongest_first(view, seat) for seat in (0, 1))
    if len(first) > 40 or len(second) > 40:
        return drawing.note(drawing.axes(ax, 2.0), "too many bots for a matrix")
    table = np.full((len(first), len(second)), np.nan)
    labels = [["" for _ in second] for _ in first]
    for i, row in enumerate(first):
        for j, column in enumerate(second):
            cells = [c for c in view.cells if c.bots[view.raw_seats[0]] == row and c.bots[view.raw_seats[1]] == column]
            if cells:
                rate = view.pool("", cells).win_rate(0)
                table[i, j] = rate.value
                labels[i][j] = f"{100 * rate.value:.0f}"
    wide = max(len(second) * 0.42 + 1.9, drawing.WIDTH * 0.7)
    longest = max(len(drawing.label(bot, 22)) for bot in second)
    ax = drawing.axes(ax, 0.8 + 0.3 * len(first) + 0.075 * longest, wide)
    drawing.heat(ax, table, labels, drawing.versus(), Normalize(0, 1), 8.5 if len(second) < 16 else 7)
    drawing.name_tiles(
        ax,
        [drawing.label(bot, 26) for bot in first],
        [drawing.label(bot, 22) for bot in second],
        down=drawing.label(view.seats[0], 30),
        across=drawing.label(view.seats[1], 30),
        above=True,
        tilted=True,
    )
    return ax


def _strongest_first(view: View, seat: int) -> list[str]:
    return [pool.label for pool in sorted(view.by_bot(seat), key=lambda pool: -pool.win_rate(seat).value)]


def section(view: View, draw: Draw) -> dict[str, Any] | None:
    if not view.is_matrix or max(len(bots) for bots in view.bots.values()) > 40:
        return None
    one, two = view.seats
    pooled = ", averaged over the values of the knobs" if view.varied else ""
    halves = [100 * Pool("", [cell]).win_rate(0).half for cell in view.cells]
    caption = (
        f"Per cent of the games that {view.the(one)} (row) wins against each {two} (column){pooled}; strong "
        f"{one}s stand on top, "
        f"strong {two}s on the left. "
        f"{'Each' if not view.varied else 'Before averaging each'} figure is good to ±{max(halves):.1f} "
        f"points or better."
    )
    drawn = draw("matrix", matrix(view), caption, wide=True)
    content: dict[str, Any] = {"figure": drawn, "ranking": None}
    ranked = ranking(view)
    if ranked is not None:
        seats = []
        for seat, name in enumerate(view.seats):
            pools = view.by_bot(seat)
            order = ranked.order(seat)
            rows = [
                {
                    "place": place + 1,
                    "bot": ranked.bots[seat][i],
                    "rate": pools[i].win_rate(seat),
                    "behind": drill_down.seat_won(view, pools[i], seat),
                    "elo": ranked.elo(seat, i),
                }
                for place, i in enumerate(order)
            ]
            seats.append({"name": name, "rows": rows})
        content["ranking"] = {"seats": seats, "sentence": ranked.sentence, "measured": ranked.measured}
    return content


def matrix_table(results: Any) -> RenderableType:
    """Win rate of the first seat: a line for each of its bots, a column for each opponent."""
    return tables.Fitting(_matrix_table(results), _matrix_table(results, dense=True))


def _matrix_table(results: Any, dense: bool = False) -> Table:
    """Dense: without the intervals of what stands in the margin."""
    from rich.text import Text

    view = view_of(results)
    one, two = view.seats
    rows = sorted(view.by_bot(0), key=lambda pool: -pool.win_rate(0).value)
    columns = sorted(view.by_bot(1), key=lambda pool: -pool.win_rate(1).value)
    made = tables.table(f"{one} wins, in % of the games", dense)

    def margin(rate: Estimate) -> str:
        return f"{100 * rate.value:.0f}" if dense else tables.full(rate)

    made.add_column(Text(f"{one} / {two}"), overflow="fold", min_width=10)
    shown = columns[:16]
    tables.numbers(made, *(column.label for column in shown), "all")
    widest = 0.0
    for row in rows[:60]:
        line = [row.label]
        for column in shown:
            met = [cell for cell in row.cells if cell in column.cells]
            rate = view.pool("", met).win_rate(0) if met else None
            line.append(f"{100 * rate.value:.0f}" if rate else "")
            widest = max(widest, (rate.high - rate.low) / 2 if rate else 0.0)
        tables.add(made, [*line, margin(row.win_rate(0))])
    tables.add(
        made,
        ["all", *(f"{100 * column.win_rate(0).value:.0f}" for column in shown), margin(view.all.win_rate(0))],
    )
    left = len(columns) - len(shown)
    made.caption = f"each good to +-{100 * widest:.1f} points or better" + (f"; {left} more columns" if left else "")
    return made


def ladders(results: Any) -> list[Table]:
    """The bots of each seat by strength (Bradley-Terry, in Elo points) with intervals; empty where there is
    no ranking.

    The sentence that says how far a ranking explains the matrix is
    `ranking(view).sentence`.
    """
    view = view_of(results)
    ranked = ranking(view)
    if ranked is None:
        return []
    shown = []
    for seat, name in enumerate(view.seats):
        made = tables.table(f"{name}, strongest first")
        tables.numbers(made, "#")
        made.add_column("bot", overflow="fold", min_width=10)
        tables.numbers(made, "wins against all", "strength")
        pools = view.by_bot(seat)
        for place, i in enumerate(ranked.order(seat), start=1):
            tables.add(
                made,
                [
                    str(place),
                    ranked.bots[seat][i],
                    tables.full(pools[i].win_rate(seat)),
                    tables.full(ranked.elo(seat, i)),
                ],
            )
        shown.append(made)
    return shown
