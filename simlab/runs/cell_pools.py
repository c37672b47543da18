"""Cells and their counts, alone and taken together.

Cells of one run play the same seeds, so they are correlated: a statistic pooled over cells is worth fewer independent
games than it counts. If the rows of the games were kept, the correlation is measured; if not, `Pool` takes the worst
case, as if all cells had played the very same games.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from simlab.engine import outcome
from simlab.engine.payoff import Payoff
from simlab.engine.tally import Tally
from simlab.game import Metric
from simlab.present.estimate import (
    LEVEL,
    Estimate,
    Quantile,
    plain,
    share_of,
    value_text,
    words,
)
from simlab.runs.rows import Column, Rows
from simlab.stats.bounded_mean import count_interval, few_decide, few_sums_decide, mean_interval, skewed
from simlab.stats.figure import category_win_name
from simlab.stats.intervals import (
    Floats,
    Mean,
    mean_from_histogram,
    quantile_from_histogram,
    quantile_interval,
    student_quantile,
)

if TYPE_CHECKING:
    from simlab.runs.results import CellResult

Ints = npt.NDArray[np.int64]


Histogram = tuple[Ints, Ints]


class Cell:
    """One cell of the results: a setting of the knobs with a bot in each seat, and its counts.

    A cell keeps only small data and reads its tally again on demand, because a sweep may have thousands of cells.
    """

    def __init__(self, source: CellResult, seats: Sequence[str]) -> None:
        self.source = source
        self.key = plain(source.key, 64)
        self.label = plain(source.label, 300)
        self.knobs: dict[str, Any] = dict(source.knobs)
        self.varied: dict[str, Any] = dict(source.varied)
        self.usual: dict[str, Any] = {}  # unchanged values, if each point changes one knob
        self.bots = {seat: plain(source.bots[seat], 200) for seat in seats}
        tally = self.tally
        outcomes = np.asarray(tally.outcomes, np.int64)
        self.games = int(tally.games)
        self.shared, self.nobody = tally.shared, tally.nobody  # games won by several seats, and by none
        self.wins: Ints = tally.wins  # of each seat, alone or with others
        self.alone: Ints = tally.alone  # of each seat
        self.endings: Ints = outcomes.sum(axis=(0, 2))
        self.turns: Ints = outcomes.sum(axis=(0, 1))  # by length, (longest + 1,)

    @property
    def tally(self) -> Tally:
        return self.source.tally

    @property
    def point(self) -> str:
        """The varied knobs in words, `walls_start = 4`."""
        shown = {k: v for k, v in self.varied.items() if k not in self.usual or v != self.usual[k]}
        return ", ".join(f"{plain(k, 40)} = {value_text(v)}" for k, v in shown.items()) or "unchanged"


@dataclass(frozen=True)
class MetricFigure:
    """One statistic of a metric."""

    name: str  #: in words, as `breach phase: siege phase`
    estimate: Estimate  #: a share or a mean
    histogram: Histogram | None = None  #: of the numbers behind a mean; None for a share
    code: str = ""  #: of a category, in words


_NOTHING: Histogram = (np.zeros(0, np.int64), np.zeros(0, np.int64))


class Pool:
    """Cells taken together; without a view (simlab.runs.view), rows and the ranges of metrics are unknown."""

    def __init__(self, label: str, cells: Sequence[Cell], view: Any = None) -> None:
        if not cells:
            raise ValueError("a pool of no cells")
        self.label, self.cells = label, list(cells)
        self.games = sum(cell.games for cell in cells)
        self.shared = sum(cell.shared for cell in cells)  # games that several seats won
        self.nobody = sum(cell.nobody for cell in cells)
        self.wins: Ints = np.sum([cell.wins for cell in cells], 0, np.int64)  # of each seat, alone or with others
        self.endings: Ints = np.sum([cell.endings for cell in cells], 0, np.int64)
        self._view = view

    @property
    def size(self) -> int:
        return len(self.cells)

    @cached_property
    def _sums(self) -> tuple[Tally, Counter[str], Floats]:
        """The tally of all cells, and the sums over the cells of games * standard error: of each metric, and of how
        often each rule fires in a game.
        """
        total, errors, fires = None, Counter[str](), np.zeros(0)
        for cell in self.cells:
            tally = cell.tally
            total = tally if total is None else total + tally
            n, fired = tally.games, np.asarray(tally.fired, np.float64)
            spread = np.asarray(tally.fired_squares, np.float64) - fired * fired / max(n, 1)
            each = np.sqrt(np.maximum(spread, 0.0) * n / max(n - 1, 1))
            fires = fires + each if fires.size else each
            means = {name: mean_from_histogram(*histogram) for name, histogram in tally.metrics.items()}
            errors.update({name: mean.count * (mean.se if mean.count > 1 else 0.0) for name, mean in means.items()})
        assert total is not None
        return total, errors, fires

    @property
    def counted(self) -> frozenset[str]:
        """Names of the arrays that were counted."""
        return frozenset(self._sums[0].counts)

    def sum(self, name: str) -> Ints:
        """Sum over the cells of one of the tally's arrays of counts."""
        return np.asarray(self._sums[0].counts[name], np.int64)

    @cached_property
    def turns(self) -> Ints:
        """Games by length."""
        return np.asarray(sum(cell.turns for cell in self.cells), np.int64)

    @property
    def without_single(self) -> int:
        """Games without a single winner."""
        return self.shared + self.nobody

    @cached_property
    def length(self) -> Histogram:
        """Games by length: (turns, games), from the shortest to the longest that was played."""
        played = np.flatnonzero(self.turns)
        if played.size == 0:
            return _NOTHING
        span = np.arange(played[0], played[-1] + 1)
        return span, self.turns[span]

    @property
    def metric_names(self) -> list[str]:
        """Names of the metrics that were kept, including the lab's own."""
        return list(self._sums[0].metrics)

    def metric(self, name: str) -> Histogram:
        """Histogram of a metric over the cells."""
        return self._sums[0].metrics.get(name, _NOTHING)

    def _rows(self, column: Column) -> Rows | None:
        """A column of the games' rows, if rows are known and there is more than one cell."""
        return None if self.size == 1 or self._view is None else self._view.rows_of(column, self.cells)

    def _measured(self, column: Column, counts: Callable[[Any], Any]) -> Mean | None:
        """Mean over the games of a number computed from a column, with the measured correlation; None without rows."""
        rows = self._rows(column)
        return None if rows is None else rows.mean(counts(rows.values))

    def _share_of(self, count: float, measured: Mean | None, level: float) -> Estimate:
        """A share of the games, with Wilson's interval for the number of independent games with the same variance."""
        rate = count / max(self.games, 1)
        if measured is None or not measured.se > 0 or not 0 < rate < 1:
            return self.share(count, level=level)
        worth = rate * (1 - rate) / measured.se**2
        return share_of(rate * worth, worth, level)

    def share(self, count: float, total: float | None = None, level: float = LEVEL) -> Estimate:
        """Share of games with an interval that holds for any correlation of the cells.

        The variance of a share pooled over k cells is at most k times that of equally many independent games
        (Cauchy-Schwarz inequality), so the pool counts as total / k independent games.
        """
        whole = float(self.games if total is None else total)
        return share_of(count / self.size, whole / self.size, level)

    def win_rate(self, seat: int, level: float = LEVEL) -> Estimate:
        """Share of the games that a seat wins, alone or with others; correlation measured if the rows are known."""
        return self._share_of(float(self.wins[seat]), self._measured(Payoff.win(seat), lambda won: won), level)

    def side_rate(self, side: int, level: float = LEVEL) -> Estimate:
        """Share of the games that a side wins, whichever of its seats wins (Game.sides)."""
        if "side_won" not in self.counted:
            return self.win_rate(side, level)
        return self.share(float(self.sum("side_won")[side]), level=level)

    def value(self, payoff: Payoff, level: float = LEVEL) -> Estimate:
        """Mean value of the games to a seat or side."""
        rows = None if self._view is None else self._view.rows_of(payoff, self.cells)
        if rows is None:
            return self._share_of(sum(payoff.total(cell.tally) for cell in self.cells), None, level)
        mean = rows.mean(rows.values)
        return self._share_of(mean.value * self.games, mean, level)

    def undecided(self, word: str = "") -> Estimate:
        """Share of the games without a single winner: those that several `shared`, that `nobody` won, or both ("")."""
        codes = {"shared": outcome.SHARED, "nobody": outcome.NOBODY}
        count = {"shared": self.shared, "nobody": self.nobody, "": self.without_single}[word]
        return self._share_of(
            float(count), self._measured("winner", lambda w: w == codes[word] if word else w < 0), LEVEL
        )  # fmt: skip

    def ending(self, place: int, level: float = LEVEL) -> Estimate:
        """Share of the games that end this way, as `win_rate`."""
        return self._share_of(float(self.endings[place]), self._measured("ending", lambda e: e == place), level)

    def category_rate(self, category: str, value: str, level: float = LEVEL) -> Estimate | None:
        """Of the seats with a value of a category, such as a role, the share that win; None if no seat had it.

        Cells share random draws, so k of them count as one: no correlation makes this interval too narrow.
        """
        values, counts = self.metric(category_win_name(category, value))
        held = values >= 0
        if not counts[held].sum():
            return None
        mean = mean_interval(values[held], counts[held] / self.size, 0, 1, level)
        return Estimate(*mean)

    def mean(self, name: str, level: float = LEVEL) -> Estimate:
        """Mean of a metric over the games, correlation measured if the rows are known."""
        return self.mean_of(self.metric(name), name, self._sums[1][name], level=level)

    def figures_of(self, metric: Metric) -> list[MetricFigure]:
        """The statistics that show a metric: the mean of a number, or the share of each code of a category. For a
        number that not every game has: the share of the games that have it, then the mean over those games.
        """
        values, counts = self.metric(metric.name)
        if not counts.sum():
            return []
        name = words(metric.name)
        if metric.kind == "number":
            mean = self.mean(metric.name).within(metric.low, metric.high)
            return [MetricFigure(name, mean, (values, counts))]
        if metric.kind == "category":
            seen = [code for code in metric.codes if code in values]
            shares = [(words(metric.codes[code]), self._share_where(metric.name, code, True)) for code in seen]
            return [MetricFigure(f"{name}: {code}", share, code=code) for code, share in shares]
        happened = values != metric.never
        shown = [MetricFigure(f"{name}: share of games", self._share_where(metric.name, metric.never, False))]
        if not counts[happened].sum():
            return shown
        histogram = values[happened], counts[happened]
        mean = self.mean_of(histogram, metric.name, counted=lambda numbers: numbers != metric.never)
        mean = mean.within(metric.low, metric.high)
        return [*shown, MetricFigure(f"{name}, where it happened", mean, histogram)]

    def _share_where(self, column: str, code: float | None, equal: bool) -> Estimate:
        """Share of the games in which a metric has a code, or any other code."""
        values, counts = self.metric(column)
        count = float(counts[(values == code) == equal].sum())
        return self._share_of(count, self._measured(column, lambda numbers: (numbers == code) == equal), LEVEL)

    def fires(self, rule: int) -> Estimate:
        """How often a rule fires in a game; nan as ends if it never fired."""
        total, squares, having = (float(self.sum(name)[rule]) for name in ("fired", "fired_squares", "fired_games"))
        error = float(self._sums[2][rule]) / max(self.games, 1)
        reading = count_interval(total, squares, self.games, LEVEL, having, self.size, error)
        return Estimate(*reading, False, constant=total * total == squares * self.games)

    def mean_length(self, level: float = LEVEL) -> Estimate:
        """Mean length in turns."""
        each = [mean_from_histogram(np.arange(cell.turns.size), cell.turns) for cell in self.cells]
        return self.mean_of(self.length, "turns", sum(m.count * m.se for m in each if m.count > 1), level=level)

    def mean_of(
        self, histogram: Histogram, column: str = "", errors: float | None = None,
        counted: Callable[[Any], Any] | None = None, level: float = LEVEL,
        limits: tuple[float | None, float | None] = (None, None),
    ) -> Estimate:  # fmt: skip
        """Mean of a number over the games, correlation measured if the rows are known.

        Args:
            column: the column of the rows from which the histogram was made; "" for none.
            errors: sum over the cells of games * standard error; None: it follows from each cell's histogram.
            counted: returns for an array of numbers which of them the histogram counts; None: all.
            limits: range of the number, where no metric declares it; None for an end that is not known.
        """
        whole = mean_from_histogram(*histogram, level)
        constant = whole.count >= 2 and np.count_nonzero(histogram[1]) == 1
        each = np.asarray(histogram[1]) / self.size  # cells share random draws, so k cells count as one
        if whole.count >= 2 and (self.size == 1 or self._few_decide(histogram, column, counted, level)):
            metric = None if self._view is None else self._view.measures.get(column)
            low, high = (metric.low, metric.high) if metric else limits
            return Estimate(*mean_interval(histogram[0], each, low, high, level), False, constant=constant)
        if whole.count >= 2 and self.size > 1:
            half = self._half_width(whole, column, errors, counted, level)
            if half > 0 and skewed(histogram[0], each := each * self.size * ((whole.high - whole.value) / half) ** 2):
                return Estimate(*mean_interval(histogram[0], each, level=level), False)
            return Estimate(whole.value, whole.value - half, whole.value + half, False)
        return Estimate(whole.value, whole.low, whole.high, False)

    def _few_decide(
        self, histogram: Histogram, column: str, counted: Callable[[Any], Any] | None, level: float
    ) -> bool:
        """Whether few games decide the mean. If the rows are unknown, k cells that share random draws count as one."""
        few = few_decide(histogram[1] / self.size, level)
        rows = self._rows(column) if column and few else None
        if rows is None:
            return few
        shown = rows.values if counted is None else np.where(counted(rows.values), rows.values, 0)
        return few_sums_decide(np.bincount(rows.game, shown), level)

    def _half_width(
        self, whole: Mean, column: str, errors: float | None, counted: Callable[[Any], Any] | None, level: float
    ) -> float:
        rows = self._rows(column) if column else None
        if rows is not None:
            some = np.ones(len(rows.values), bool) if counted is None else counted(rows.values)
            measured = rows.ratio(np.where(some, rows.values, 0), some, level)
            if measured.count > 1:
                return student_quantile(level, measured.count - 1) * measured.se
        # For any correlation, the standard error of a sum is at most the sum of the standard errors.
        error = whole.se * math.sqrt(self.size) if errors is None else errors / whole.count
        return student_quantile(level, max(whole.count / self.size - 1, 1)) * error

    def quantile(self, histogram: Histogram, q: float, column: str = "") -> Quantile:
        """Quantile of a number over the games, by order statistics; with a column, the correlation is measured."""
        values, counts = histogram
        at = float(quantile_from_histogram(values, counts, q))
        if self.size == 1 or not counts.sum():
            low, high = quantile_interval(values, counts, q, LEVEL)
        else:
            worth = float(counts.sum()) / self.size
            below = self._measured(column, lambda numbers: numbers <= at) if column else None
            if below is not None and below.se > 0:
                worth = below.value * (1 - below.value) / below.se**2
            low, high = quantile_interval(values, counts * (worth / float(counts.sum())), q, LEVEL)
        return Quantile(at, low, high)
