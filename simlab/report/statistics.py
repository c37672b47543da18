"""What the statistics of simlab.engine.counts say: a table each, with intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from simlab.engine.counts import Histogram, Share, Table, statistics
from simlab.present.estimate import LEVEL, Estimate, number, plain
from simlab.results.pool import Pool
from simlab.results.view import View
from simlab.stats.bounded import few_decide, mean_interval
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
    """A statistic over all cells of a view.

    Attributes:
        sentences: which lines are off their fair share for certain, all of them judged together.
    """

    name: str
    title: str
    help: str
    lines: tuple[Line, ...]
    sentences: tuple[str, ...] = ()

    @property
    def has_spread(self) -> bool:
        """Whether any line is a number rather than a share."""
        return any(line.quantiles for line in self.lines)


def sections(view: View) -> list[Section]:
    """Every statistic that has something to say of these results, in the order of their files."""
    names = view.results_names
    if names is None:
        return []
    told: list[tuple[str, Table]] = []
    for statistic in statistics():
        if not all(count.name in view.all.counted for count in statistic.counts(names)):
            continue  # made up, or of a simlab without this statistic
        table = statistic.table({count.name: view.all.sum(count.name) for count in statistic.counts(names)}, names)
        if table is not None and table.lines:
            told.append((statistic.name, table))
    # Nobody asked for these beforehand: the lines of all statistics are judged together.
    noticed = sum(
        isinstance(figure, Share) and figure.fair is not None for _, table in told for _, figure in table.lines
    )
    return [_section(name, table, view.all, noticed) for name, table in told]


def _section(name: str, table: Table, pool: Pool, noticed: int = 0) -> Section:
    lines = tuple(_line(plain(what, 200), figure, pool) for what, figure in table.lines)
    return Section(name, plain(table.title, 80), plain(table.help, 600), lines, tuple(_off_fair(table, pool, noticed)))


def _off_fair(table: Table, pool: Pool, noticed: int) -> Iterator[str]:
    """The lines that are off their fair share, in sentences; one that says so where none is.

    Args:
        noticed: lines that are judged in all statistics together (Bonferroni).
    """
    judged = [(what, share) for what, share in table.lines if isinstance(share, Share) and share.fair is not None]
    level = 1 - (1 - LEVEL) / max(noticed, len(judged), 1)
    off = 0
    for what, share in judged:
        rate = _rate(share, pool, level)
        fair = share.fair or 0.0
        if not rate.low <= fair <= rate.high:
            off += 1
            more = "more" if rate.value > fair else "less"
            yield plain(f"{what} in {rate.full} of its games, {more} than the fair share of {100 * fair:.1f} %.", 300)
    if judged and not off:
        yield "None is off its fair share as far as these games show."


def _rate(share: Share, pool: Pool, level: float = LEVEL) -> Estimate:
    if share.worth is None or not share.total:
        return pool.share(share.count, share.total, level)
    return pool.share(share.count / share.total * share.worth, share.worth, level)


def _line(name: str, figure: Share | Histogram, pool: Pool) -> Line:
    if isinstance(figure, Share):
        return Line(name, _rate(figure, pool))
    whole = mean_from_histogram(figure.values, figure.counts)
    if whole.count < 2 * pool.size:
        return Line(name, Estimate(whole.mean if whole.count else math.nan, -math.inf, math.inf, False))
    # Cells may share all their luck: the variance of a mean over k of them is at most k times that of separate luck.
    if few_decide(np.asarray(figure.counts) / pool.size):
        rare = mean_interval(figure.values, np.asarray(figure.counts) / pool.size)
        low, high = rare.low, rare.high
    else:
        half = student_quantile(LEVEL, max(whole.count / pool.size - 1, 1)) * whole.se * math.sqrt(pool.size)
        low, high = whole.mean - half, whole.mean + half
    ends = tuple(float(quantile_from_histogram(figure.values, figure.counts, q)) for q in QUANTILES)
    return Line(name, Estimate(whole.mean, low, high, False), ends)
