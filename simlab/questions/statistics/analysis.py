"""The statistics of simlab.engine.counts with intervals."""

from __future__ import annotations

from typing import Any

import numpy as np

from simlab.engine.counts import Histogram, Share, Table, layout, statistics_of
from simlab.present.answer import Number, Part, Rate
from simlab.present.estimate import LEVEL, Estimate, plain
from simlab.runs.cell_pools import Pool
from simlab.runs.games_answer import GamesAnswer
from simlab.runs.view import View, view_of
from simlab.stats.intervals import level_of_each, quantile_from_histogram

QUANTILES = (0.05, 0.5, 0.95)


class Line(Part):
    """A line of a statistic. estimate: a share, or a number's mean. quantiles: 5, 50, 95 %; empty for a share."""

    name: str
    estimate: Number
    quantiles: tuple[float, ...] = ()


class OffFair(Part):
    """A line that differs significantly from its fair share."""

    name: str
    rate: Rate
    fair: float


class Statistic(Part):
    """A statistic. judged: number of lines with a fair share. off_fair: lines that differ significantly from it,
    adjusted for all statistics together.
    """

    name: str
    title: str
    help: str
    lines: tuple[Line, ...]
    judged: int
    off_fair: tuple[OffFair, ...] = ()


class Statistics(GamesAnswer, form="statistics-counted"):
    """All statistics of a run that apply to its game."""

    statistics: tuple[Statistic, ...]


def of_run(results: Any) -> Statistics:
    view = view_of(results)
    tables = _tables(view)
    judged = sum(len(_judged(table)) for table in tables.values())
    return Statistics.of(
        view, statistics=tuple(statistic(name, table, view.all, judged) for name, table in tables.items())
    )


def _tables(view: View) -> dict[str, Table]:
    names, tables = view.names, {}
    sums = {name: view.all.sum(name) for name in layout(names).counts if name in view.all.counted}
    for module in statistics_of(names):
        # Older results lack newer counts.
        if hasattr(module, "table") and all(count.name in sums for count in module.counts()):
            table = module.table(sums, names)
            if table is not None and table.lines:
                tables[module.__name__.rpartition(".")[2]] = table
    return tables


def _judged(table: Table) -> list[tuple[str, Share]]:
    return [(what, share) for what, share in table.lines if isinstance(share, Share) and share.fair is not None]


def statistic(name: str, table: Table, pool: Pool, judged: int = 0) -> Statistic:
    """A statistic over a pool of cells.

    Args:
        judged: number of lines, over all statistics, that are compared with a fair share; the comparisons are
            exploratory and therefore adjusted (Bonferroni).
    """
    compared = _judged(table)
    level = level_of_each(LEVEL, max(judged, len(compared), 1))
    rates = [(what, _rate(share, pool, level), share.fair or 0.0) for what, share in compared]
    return Statistic(
        name=name, title=plain(table.title, 80), help=plain(table.help, 600), judged=len(compared),
        lines=tuple(_line(plain(what, 200), value, pool) for what, value in table.lines),
        off_fair=tuple(
            OffFair(name=plain(what, 200), rate=rate, fair=fair)
            for what, rate, fair in rates
            if not rate.low <= fair <= rate.high
        ),
    )  # fmt: skip


def _rate(share: Share, pool: Pool, level: float = LEVEL) -> Estimate:
    if share.worth is None or not share.total:
        return pool.share(share.count, share.total, level)
    return pool.share(share.count / share.total * share.worth, share.worth, level)


def _line(name: str, value: Share | Histogram, pool: Pool) -> Line:
    if isinstance(value, Share):
        return Line(name=name, estimate=_rate(value, pool))
    # A statistic lists every value that it can count, also those that no game had.
    limits = (float(value.values.min()), float(value.values.max())) if value.values.size else (None, None)
    mean = pool.mean_of((value.values, value.counts), limits=limits)
    shown = QUANTILES if np.isfinite(mean.low) else ()
    ends = tuple(float(quantile_from_histogram(value.values, value.counts, q)) for q in shown)
    return Line(name=name, estimate=mean, quantiles=ends)
