"""Two settings on the same seeds: pair their games, and compare each statistic.

Game i has the same random draws in both settings, so the pairs that differ show only the effect of the change. `diff`,
`check --against` and the browser app use this module.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property

import numpy as np

from simlab.engine.outcome import GameRows, figures_of
from simlab.game import Array, Game
from simlab.present.answer import Number, Part, Rate
from simlab.present.estimate import Difference, Estimate
from simlab.stats.bounded_mean import mean_bounds
from simlab.stats.figure import GameFigure, Mean, Share
from simlab.stats.paired import Verdict, factor_interval, verdict
from simlab.stats.sequential import difference_sequence
from simlab.words import counted

Columns = Mapping[str, Array] | Array  #: rows of games: columns by name, or the rows themselves


class Change(Part):
    """A statistic in two settings, on the same seeds.

    Attributes:
        statistic: name of the statistic, such as `<seat>_win`, `turns` or a metric.
        topic, about: its topic (simlab.stats.figure.Topic), and the seat, side or number that it describes. rate:
            whether it is a share of the games, in 0..1. both: whether a pair counts only if both games have the number.
            before, after: values in the first and the second setting.
        difference: after minus before. Its interval is for `pairs` games, or holds at any number of games.
        variance_reduction: variance with independent seeds over variance with the same seeds; None if unknown.
    """

    statistic: str
    topic: str
    about: str
    rate: bool
    both: bool
    before: float
    after: float
    difference: Number
    verdict: Verdict
    pairs: int
    games_that_differ: int
    variance_reduction: Number | None

    @property
    def label(self) -> str:
        """The name of the statistic, with a mark if only games that have the number in both settings count."""
        return f"{self.statistic} (both)" if self.both else self.statistic

    @property
    def moved(self) -> bool:
        """Whether a change is established."""
        return self.verdict == "changed"


class Count(Part):
    """A number of games, as a share of all."""

    count: int
    games: int
    share: Rate

    @property
    def text(self) -> str:
        """`812 of 10,000 games (8.1 %, 7.6 to 8.7)`."""
        return f"{self.count:,} of {counted(self.games, 'game')} ({self.share.inner})"


class Pair:
    """The same games in two settings.

    Args:
        before, after: rows of the games, in the same order.
    Attributes:
        names: columns that both settings have and that can differ between games. rows: both sides, in the form that
            statistics read.
    """

    def __init__(self, game: Game, before: Columns, after: Columns) -> None:
        self.game, self.before, self.after = game, before, after
        self.rows = GameRows(before, game), GameRows(after, game)
        there = before.dtype.names or () if isinstance(before, np.ndarray) else before
        self.names = tuple(name for name in row_names(game) if name in there)
        self.figures: dict[str, GameFigure] = {figure.name: figure for figure in figures_of(game).by_game}
        self._read: dict[str, tuple[Array, Array]] = {}

    @property
    def games(self) -> int:
        return len(self.before["winner"])

    @property
    def index(self) -> Array:
        return np.asarray(self.before["game"], np.int64)

    def only(self, games: Array) -> Pair:
        """The pair reduced to some of its games, by index."""
        kept = np.isin(self.index, games)
        return self if kept.all() else Pair(self.game, self.before[kept], self.after[kept])  # type: ignore[index]

    @cached_property
    def differ(self) -> Array:
        """The games that differ in any column."""
        return games_differ(self.before, self.after, self.names)

    @cached_property
    def flipped(self) -> Array:
        """The games whose winner or winners differ."""
        return games_differ(self.before, self.after, ("winner", "winners"))

    def read(self, figure: GameFigure) -> tuple[Array, Array]:
        """A statistic of each game, before and after."""
        if figure.name not in self._read:
            self._read[figure.name] = figure.read(self.rows[0]), figure.read(self.rows[1])
        return self._read[figure.name]

    def is_constant(self, figure: GameFigure) -> bool:
        """Whether all games of both settings have the same value."""
        a, b = self.read(figure)
        return bool(a[0] == b[0] and (a == a[0]).all() and (b == b[0]).all())

    def changes(
        self, figures: Sequence[GameFigure], level: float, *, sequential: bool = False,
        stated: Callable[[GameFigure], bool] = lambda figure: True,
    ) -> list[Change]:  # fmt: skip
        """The change of each statistic; those with fewer than two pairs are left out.

        Args:
            level: level of each interval. sequential: whether intervals hold at any number of games, however often you
                look; if not, they are for this number of games.
            stated: whether the interval of a mean uses the range that the game states for the number.
        """
        ends = self._sequences(figures, level) if sequential else {}
        made = []
        for figure in figures:
            a, b = self.read(figure)
            counts = figure.counted(a, b)
            if counts.sum() < 2:
                continue
            a, b = a[counts], b[counts]
            low, high = ends.get(figure.name) or figure.change(a, b, level, sequential, stated(figure))
            made.append(change_of(figure, a, b, low, high, None if sequential else level))
        return made

    def _sequences(self, figures: Sequence[GameFigure], level: float) -> dict[str, tuple[float, float]]:
        """Confidence sequences of all shares at once, because forty take hardly longer than one."""
        shares = [figure for figure in figures if isinstance(figure, Share)]
        pairs = [self.read(figure) for figure in shares]
        more = np.array([int((~a & b).sum()) for a, b in pairs])
        less = np.array([int((a & ~b).sum()) for a, b in pairs])
        ends = difference_sequence(more, less, self.games, level)
        return {figure.name: (float(low), float(high)) for figure, (low, high) in zip(shares, ends, strict=True)}


def change_of(
    figure: GameFigure, a: Array, b: Array, low: float, high: float, level: float | None = None
) -> Change:  # fmt: skip
    """A change from the pairs that count, two or more, and the ends of its interval.

    Args:
        level: level of the interval of the variance reduction; None leaves out that interval.
    """
    x, y = np.asarray(a, np.float64), np.asarray(b, np.float64)
    spread = float((y - x).var())
    factor = float(x.var() + y.var()) / spread if spread > 0 else math.inf
    ends = (-math.inf, math.inf) if level is None else factor_interval(a, b, level)
    known = math.isfinite(factor) and (level is None or math.isfinite(ends[1]))
    value, changed = float(y.mean() - x.mean()), int(np.count_nonzero(x != y))
    return Change(
        statistic=figure.short_name, topic=figure.topic, about=figure.about, rate=figure.is_rate,
        both=figure.where_both,
        before=float(x.mean()), after=float(y.mean()), verdict=verdict(low, high, changed),
        difference=Difference(value, min(low, value), max(high, value), figure.is_rate), pairs=x.size,
        games_that_differ=changed, variance_reduction=Estimate(factor, *ends, False) if known else None,
    )  # fmt: skip


def pooled_change(name: str, pairs: Sequence[Pair], level: float) -> Change | None:
    """A statistic over several cells; None if fewer than two games count.

    Cells share their seeds, so each game index counts as one observation: its mean over the cells in which it counts.
    """
    figures = [pair.figures[name] for pair in pairs]  # of each cell's own player count
    sides = [pair.read(figure) for figure, pair in zip(figures, pairs, strict=True)]
    counts = np.array([figure.counted(a, b) for figure, (a, b) in zip(figures, sides, strict=True)])
    cells = counts.sum(axis=0)
    kept = cells > 0
    if kept.sum() < 2:
        return None
    a, b = (
        np.where(counts, [pair[side] for pair in sides], 0).sum(axis=0)[kept] / cells[kept].astype(np.float64)
        for side in (0, 1)
    )
    each = [
        figure.most_change(x[c], y[c], level)
        for figure, (x, y), c in zip(figures, sides, counts, strict=True)
        if isinstance(figure, Mean) and c.any()
    ]
    # All cells of an index may change at once; a share changes by 1 at most.
    most = max(float(np.mean(each)), float(np.abs(b - a).max())) if each else 1.0
    values, games = np.unique(b - a, return_counts=True)
    low, high = mean_bounds(values, games, -most, most, level)
    return change_of(figures[0], a, b, float(low), float(high), level)


def share_of_games(cells: Sequence[Array], level: float) -> Count:
    """The share of games of all cells, bool (games,) each. The games of one index count as one observation."""
    values, counts = np.unique(np.mean(cells, axis=0), return_counts=True)
    low, high = mean_bounds(values, counts, 0, 1, level)
    count, games = sum(int(cell.sum()) for cell in cells), len(cells) * cells[0].size
    return Count(count=count, games=games, share=Estimate(count / games, float(low), float(high)))


# --- Rows and families ------------------------------------------------------------


def row_names(game: Game) -> tuple[str, ...]:
    """The columns of a row that can differ between games: not the index, and scores only if the game has them."""
    left_out = {"game"} if game.has_scores else {"game", "score"}
    return tuple(name for name in game.row_type.names or () if name not in left_out)


def games_differ(before: Columns, after: Columns, names: Collection[str]) -> Array:
    """The games that differ in any of the columns, shape (games,)."""
    differ = np.zeros(len(before["winner"]), np.bool_)
    for name in names:
        other = np.asarray(before[name]) != np.asarray(after[name])
        differ |= other.reshape(len(other), -1).any(axis=1)
    return differ


def family_size(games: Sequence[Game]) -> int:
    """The number of intervals of a comparison, which hold jointly (Bonferroni). games: of each cell, at its player
    count.

    For each cell, and for all cells together, these are the shares of games that differ and that flip, and the change
    and the variance reduction of each statistic; also the share of the most common divergence. All statistics of the
    game are counted, whether or not they changed, because the selection for display must not affect the width.
    """
    figures = [len(figures_of(game).by_game) for game in games]
    if len(games) > 1:
        figures.append(len(common_figures(games)))
    return sum(2 + 2 * count for count in figures) + 1


def common_figures(games: Sequence[Game]) -> list[str]:
    """Names of the statistics that all player counts have."""
    sizes = {len(game.seats): [figure.name for figure in figures_of(game).by_game] for game in games}
    return [name for name in sizes[min(sizes)] if all(name in names for names in sizes.values())]
