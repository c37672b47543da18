"""What the statistics of simlab.engine.counts say: a table each, with intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from simlab.engine.counts import Histogram, Share, Table, statistics
from simlab.report.estimate import LEVEL, Estimate, number, plain
from simlab.report.pool import Pool
from simlab.report.view import View
from simlab.stats.intervals import mean_from_histogram, quantile_from_histogram, student_quantile

QUANTILES = (0.05, 0.5, 0.95)


@dataclass(frozen=True)
class Line:
    """One line of a statistic.

    Attributes:
        figure: a share, or the mean of a number.
        quantiles: of the number, at QUANTILES; empty for a share.
    """

    name: str
    figure: Estimate
    quantiles: tuple[float, ...] = ()

    @property
    def spread(self) -> tuple[str, ...]:
        """The quantiles as text; blank for a share."""
        return tuple(number(q) for q in self.quantiles) or ("",) * len(QUANTILES)

    def to_dict(self) -> dict[str, Any]:
        ends = {"estimate": self.figure.value, "low": self.figure.low, "high": self.figure.high}
        return {"name": self.name, **ends} | {
            f"p{round(100 * q)}": value for q, value in zip(QUANTILES, self.quantiles, strict=False)
        }


@dataclass(frozen=True)
class Section:
    """A statistic over all cells of a view."""

    name: str
    title: str
    help: str
    lines: tuple[Line, ...]

    @property
    def has_spread(self) -> bool:
        """Whether any line is a number rather than a share."""
        return any(line.quantiles for line in self.lines)


def sections(view: View) -> list[Section]:
    """Every statistic that has something to say of these results, in the order of their files."""
    names = view.results_names
    if names is None:
        return []
    told = []
    for statistic in statistics():
        if not all(count.name in view.all.counted for count in statistic.counts(names)):
            continue  # made up, or of a simlab without this statistic
        table = statistic.table({count.name: view.all.sum(count.name) for count in statistic.counts(names)}, names)
        if table is not None and table.lines:
            told.append(_section(statistic.name, table, view.all))
    return told


def _section(name: str, table: Table, pool: Pool) -> Section:
    lines = tuple(_line(plain(what, 200), figure, pool) for what, figure in table.lines)
    return Section(name, plain(table.title, 80), plain(table.help, 400), lines)


def _line(name: str, figure: Share | Histogram, pool: Pool) -> Line:
    if isinstance(figure, Share):
        return Line(name, pool.share(figure.count, figure.total))
    whole = mean_from_histogram(figure.values, figure.counts)
    if whole.count < 2 * pool.size:
        return Line(name, Estimate(whole.mean if whole.count else math.nan, -math.inf, math.inf, False))
    # Cells may share all their luck: the variance of a mean over k of them is at most k times that of separate luck.
    half = student_quantile(LEVEL, max(whole.count / pool.size - 1, 1)) * whole.se * math.sqrt(pool.size)
    ends = tuple(float(quantile_from_histogram(figure.values, figure.counts, q)) for q in QUANTILES)
    return Line(name, Estimate(whole.mean, whole.mean - half, whole.mean + half, False), ends)
