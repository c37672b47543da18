"""The numbers that games report: means, shares, quantiles and distributions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from simlab.game import Metric
from simlab.present.answer import Number, Part
from simlab.present.blocks import GamesLink
from simlab.present.estimate import Quantile, words
from simlab.runs import drill_down
from simlab.runs.cell_pools import Pool
from simlab.runs.games_answer import GamesAnswer
from simlab.runs.view import View, view_of
from simlab.spec.metrics import MetricKind
from simlab.stats.figure import score_name

QUANTILES = (0.05, 0.5, 0.95)


class MetricLine(Part):
    """A mean or share of a metric.

    Attributes:
        name: the metric in words. cells: the group of cells, if there are several groups.
        happened: share of the games that have a value, over which `estimate` averages; None if all have one.
        quantiles: the 5, 50 and 95 % quantiles; empty for a share. most: the largest value; None for a share.
    """

    metric: str
    name: str
    cells: str = ""
    help: str = ""
    unit: str = ""
    happened: Number | None = None
    estimate: Number
    quantiles: tuple[Number, ...] = ()
    most: float | None = None
    list_games: GamesLink | None = None
    list_most: GamesLink | None = None


class Distribution(Part):
    """Values of a metric and the number of games with each. labels: labels of the values of a category.

    Attributes:
        kind: `number`, `if_happened` (a number that only some games have) or `category`.
    """

    metric: str
    help: str
    unit: str
    kind: MetricKind
    values: tuple[float, ...]
    counts: tuple[int, ...]
    labels: tuple[str, ...] = ()
    whole: bool
    list_games: GamesLink | None = None


class Metrics(GamesAnswer, form="metrics-counted", version=2):
    """The numbers that games report. empty: metrics that were 0, or had no value, in all games."""

    metrics: tuple[MetricLine, ...]
    distributions: tuple[Distribution, ...]
    empty: tuple[str, ...]


def empty_metrics(view: View) -> list[str]:
    """Metrics that were 0, or had no value, in all games, so a row would not be informative."""
    empty = []
    for metric in view.metrics:
        values, counts = view.all.metric(metric.name)
        nothing = 0 if metric.never is None else metric.never
        if metric.kind != "category" and metric not in view.own_metrics and (values[counts > 0] == nothing).all():
            empty.append(metric.name)
    return empty


def of_run(results: Any) -> Metrics:
    view = view_of(results)
    pool, empty = view.all, empty_metrics(view)
    names = [*map(score_name, view.raw_seats), *(metric.name for metric in view.metrics), "decisions"]
    shown = [name for name in dict.fromkeys(names) if name not in empty and pool.metric(name)[0].size]
    metrics = [view.measures.get(name) or Metric(name, "") for name in shown]
    return Metrics.of(
        view,
        metrics=tuple(line for about in metrics for line in _lines(view, pool, about)),
        distributions=tuple(_distribution(view, about) for about in metrics),
        empty=tuple(map(words, empty)),
    )


def own_lines(view: View) -> tuple[MetricLine, ...]:
    """Lines of the designer's own metrics (docs/add-a-metric.md), for each cell or group of cells."""
    pools = [*view.groups(), view.all] if len(view.cells) > 1 else [view.all]
    return tuple(
        line.model_copy(update={"cells": "all cells" if pool is view.all else pool.label} if len(pools) > 1 else {})
        for about in view.own_metrics
        for pool in pools
        for line in _lines(view, pool, about)
    )


def _lines(view: View, pool: Pool, about: Metric) -> Iterator[MetricLine]:
    figures = list(enumerate(pool.figures_of(about)))
    common: dict[str, Any] = {"metric": about.name, "help": about.help}
    if about.kind == "if_happened" and len(figures) > 1:
        share, *figures = figures
        common |= {"name": words(about.name), "happened": share[1].estimate if share[1].estimate.value < 1 else None}
    for number, figure in figures:
        spread: dict[str, Any] = {}
        if figure.histogram is not None:
            spread = {
                "unit": about.unit,
                "quantiles": tuple(pool.quantile(figure.histogram, q) for q in QUANTILES),
                "most": float(figure.histogram[0][-1]),
                "list_most": drill_down.highest(view, pool, about.name, figure.histogram),
            }
        games = drill_down.of_metric(view, pool, about, number)
        yield MetricLine(**{"name": figure.name} | common, estimate=figure.estimate, list_games=games, **spread)
        common["help"] = ""  # of a category, only the first line has it


def _distribution(view: View, about: Metric) -> Distribution:
    values, counts = view.all.metric(about.name)
    labels: tuple[str, ...] = ()
    last = 0  # number of the line behind the chart
    if about.kind == "category":
        named = np.isin(values, list(about.codes))
        values, counts = values[named], counts[named]
        labels = tuple(words(about.codes[int(code)]) for code in values)
    elif about.kind == "if_happened" and (values != about.never).any():
        values, counts = values[values != about.never], counts[values != about.never]
        last = 1
    every = about.kind == "category"
    return Distribution(
        metric=about.name, help=about.help, unit=about.unit, kind=about.kind, values=tuple(map(float, values)),
        counts=tuple(map(int, counts)), labels=labels, whole=all(float(value).is_integer() for value in values),
        list_games=drill_down.all_games(view, view.all) if every else drill_down.of_metric(view, view.all, about, last),
    )  # fmt: skip


def extreme(value: float | None) -> Quantile | None:
    """A value that occurred, without an interval."""
    return None if value is None else Quantile(value, value, value)
