"""The figures that a row of a game gives: read once here, for whatever compares games one by one.

A number gives its mean; one that not every game has, the share of games that have it and its mean there; a category
the share of each of its codes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from simlab.engine.outcome import won

if TYPE_CHECKING:
    from simlab.game import Game, Metric
    from simlab.stats.paired import PairedDifference

Array = np.ndarray[Any, Any]
Columns = Mapping[str, Array] | Array  # by name: a dict, or the rows themselves


@dataclass(frozen=True)
class RowFigure:
    """One figure of the games of a cell.

    Attributes:
        name: `<seat>_win`, `draw_rate`, `ending_<ending>`, `turns`, `decisions`, `score_<seat>`, `<metric>`,
            `<metric>_share` or `<metric>_is_<code>`.
        column: of the row. seat: place in that column, where it has one for each seat, else -1.
        code: a rate counts the games with this value; None for a mean. bit: ... won by this seat. below: ... with a
            value under 0.
        unlike: a rate counts the games without this value; of a mean: games with it do not count.
        low, high: range that the game states for a mean; None where open.
    """

    name: str
    column: str
    seat: int = -1
    code: int | None = None
    bit: int | None = None
    below: bool = False
    share: bool = False
    unlike: int | None = None
    low: float | None = None
    high: float | None = None

    @property
    def is_rate(self) -> bool:
        """Whether it is a share of the games, in 0..1."""
        return self.code is not None or self.bit is not None or self.below or self.share

    def read(self, rows: Columns) -> Array:
        """The figure of each game, shape (games,): bool for a rate, else int64."""
        values = np.asarray(rows[self.column], np.int64)
        if self.seat >= 0:
            values = values[:, self.seat]
        if self.bit is not None:
            return won(rows, self.bit)
        if self.below:
            return np.asarray(values < 0)
        if self.code is not None:
            return np.asarray(values == self.code)
        return np.asarray(values != self.unlike) if self.share else values

    def counted(self, before: Array, after: Array) -> Array:
        """Which pairs of games count, shape (games,): for a mean, those in which both games have the number."""
        if self.is_rate or self.unlike is None:
            return np.ones(before.size, np.bool_)
        return np.asarray((before != self.unlike) & (after != self.unlike))


def row_names(game: Game) -> tuple[str, ...]:
    """The columns of a row that tell two games apart: all but the index, and scores only where they mean something."""
    left_out = {"game"} if game.has_scores else {"game", "score"}
    return tuple(name for name in game.row_type.names or () if name not in left_out)


def row_figures(game: Game) -> list[RowFigure]:
    """All figures of a game's rows, in their order."""
    found = [RowFigure(f"{seat}_win", "winners", bit=place) for place, seat in enumerate(game.seats)]
    found.append(RowFigure("draw_rate", "winner", below=True))
    found += [RowFigure(f"ending_{ending}", "ending", code=place) for place, ending in enumerate(game.endings)]
    for name, measure in game.measures.items():
        found += _of_measure(name, measure, game)
    return found


def _of_measure(name: str, measure: Metric, game: Game) -> list[RowFigure]:
    column, seat = name, -1
    if name.startswith("score_") and name not in {metric.name for metric in game.metrics}:
        column, seat = "score", game.seats.index(name.removeprefix("score_"))
    if measure.codes:
        return [RowFigure(f"{name}_is_{word}", column, code=code) for code, word in measure.codes.items()]
    mean = RowFigure(name, column, seat, unlike=measure.never, low=measure.low, high=measure.high)
    if measure.never is None:
        return [mean]
    return [RowFigure(f"{name}_share", column, share=True, unlike=measure.never), mean]


def paired_figure(figure: RowFigure, a: Array, b: Array, level: float) -> PairedDifference | None:
    """The figure before and after, on the same games, with the interval of the difference.

    Args:
        a, b: as `RowFigure.read` gives them, of the same games.
    Returns:
        None for a mean that fewer than two pairs of games have.
    """
    from simlab.stats.paired import most_change, paired_difference, paired_rates

    if figure.is_rate:
        return paired_rates(int((a & b).sum()), int((a & ~b).sum()), int((~a & b).sum()), int((~a & ~b).sum()), level)
    counts = figure.counted(a, b)
    if counts.sum() < 2:
        return None
    a, b = a[counts], b[counts]
    return paired_difference(a, b, level, most_change(a, b, level, figure.low, figure.high))


def games_differ(before: Columns, after: Columns, names: tuple[str, ...]) -> Array:
    """Which games differ in any of the columns, shape (games,)."""
    differ = np.zeros(len(before[names[0]]), np.bool_)
    for name in names:
        other = np.asarray(before[name]) != np.asarray(after[name])
        differ |= other.any(axis=1) if other.ndim > 1 else other
    return differ


def wins_differ(before: Columns, after: Columns) -> Array:
    """Which games have another winner, or other winners where several share the win; shape (games,)."""
    return games_differ(before, after, ("winner", "winners"))
