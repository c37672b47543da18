"""The numbers that games report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from simlab.present.chart import Draw, chart
from simlab.present.estimate import words
from simlab.report import tables
from simlab.report.length import quantile_text
from simlab.results import drill_down
from simlab.results.names import MetricName
from simlab.results.pool import MetricFigure
from simlab.results.view import View, view_of
from simlab.stats.figure import score_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from rich.console import RenderableType

MOST_METRICS = 24  #: charts of them


_ENDS = (0.05, 0.5, 0.95)  # quantiles of a metric


@chart
def metric(source: Any, name: str, ax: Axes | None = None) -> Axes:
    """Distribution of one of the game's metrics.

    Raises:
        UserMistake: the game has no such metric.
    """

    from simlab.errors import UserMistake, nearest
    from simlab.present import drawing

    view = view_of(source)
    known = {m.name: m for m in view.metrics}
    values, counts = view.all.metric(name)
    if not values.size:
        raise UserMistake(f"{view.slug} has no metric '{name}'. {nearest(name, known)}")
    ax = drawing.plain_axes(ax, 2.1, 3.6)
    about = known.get(name)
    if about and about.kind == "category":
        return _shares_of_codes(ax, about, values, counts)
    if about and about.never is not None and (values != about.never).any():
        values, counts = values[values != about.never], counts[values != about.never]
    drawing.bars(ax, values, counts, drawing.FACE, most=40)
    ax.set_xlabel(drawing.label(about.unit if about and about.unit else "number", 50))
    some = about is not None and about.never is not None
    ax.set_ylabel("share of the games that have it" if some else "share of the games")
    ax.set_title(drawing.label(words(name), 44))
    return ax


def _shares_of_codes(ax: Axes, about: MetricName, values: Any, counts: Any) -> Axes:
    """A bar a code, with its name."""

    from simlab.present import drawing

    share = {
        int(value): float(count) / max(float(np.sum(counts)), 1.0) for value, count in zip(values, counts, strict=True)
    }
    shown = [code for code in about.codes if share.get(code, 0) > 0]
    ax.barh(range(len(shown)), [share[code] for code in shown], height=0.7, color=drawing.FACE, linewidth=0)
    ax.set_yticks(range(len(shown)), [drawing.label(words(about.codes[code]), 24) for code in shown])
    ax.invert_yaxis()
    ax.grid(visible=False, axis="y")
    drawing.percent(ax, "x")
    ax.set_xlabel("share of the games")
    ax.set_title(drawing.label(words(about.name), 44))
    return ax


def empty_metrics(view: View) -> list[str]:
    """Metrics of the game that were 0, or had no value, in all games: a line of a table says nothing about them."""
    empty = []
    for metric in view.metrics:
        values, counts = view.all.metric(metric.name)
        nothing = 0 if metric.never is None else metric.never
        if metric.kind != "category" and metric not in view.own_metrics and (values[counts > 0] == nothing).all():
            empty.append(metric.name)
    return empty


def section(view: View, draw: Draw) -> dict[str, Any]:
    pool = view.all
    known = {metric.name: metric for metric in view.metrics}
    scores = map(score_name, view.raw_seats)
    names = [name for name in scores if name in pool.metric_names and name not in known]
    names += [metric.name for metric in view.metrics]
    names += ["decisions"] if "decisions" in pool.metric_names and "decisions" not in known else []
    empty = empty_metrics(view)
    names = [name for name in names if name not in empty]
    rows: list[dict[str, Any]] = []
    drawn: list[dict[str, Any]] = []
    for name in names:
        values, _ = pool.metric(name)
        if not values.size:
            continue
        about = view.measures.get(name) or MetricName(name, "", "")
        text = about.help
        shown = pool.figures_of(about)
        for number, figure in enumerate(shown):
            ends = [] if figure.histogram is None else [pool.quantile(figure.histogram, q) for q in _ENDS]
            rows.append(
                {
                    "name": figure.name,
                    "help": text if number == 0 else "",
                    "unit": about.unit if figure.histogram is not None else "",
                    "mean": figure.estimate,
                    "behind": drill_down.of_metric(view, pool, about, number),
                    "behind_most": None
                    if figure.histogram is None
                    else drill_down.highest(view, pool, name, figure.histogram),
                    "quantiles": [quantile_text(end) for end in ends] or [""] * len(_ENDS),
                    "most": "" if figure.histogram is None else about.value_text(figure.histogram[0][-1]),
                }
            )
        if len(drawn) < MOST_METRICS and values.size > 1 and shown:
            caption = f"{text[:1].upper()}{text[1:]}: {_said(shown, about)}."
            of = drill_down.all_games(view, pool)  # a category's chart shows all of them
            if about.kind != "category":
                of = drill_down.of_metric(view, pool, about, len(shown) - 1)
            drawn.append(draw(f"metric_{len(drawn)}", metric(view, name), caption, games=[of]))
    return {"rows": rows, "figures": drawn, "empty": [words(name) for name in empty]}


def terminal(view: View) -> list[RenderableType]:
    """A table of the designer's own metrics, a line a cell (or group of cells) and figure; nothing without any."""
    if not view.own_metrics:
        return []
    made = tables.table("Measures of your own")
    several = len(view.cells) > 1
    if several:
        made.add_column("cell")
    made.add_column("measure")
    tables.numbers(made, "mean or share", "5 %", "median", "95 %", "most")
    pools = [*view.groups(), *([view.all] if several else [])]
    for about in view.own_metrics:
        for pool in pools:
            for figure in pool.figures_of(about):
                ends = [] if figure.histogram is None else [pool.quantile(figure.histogram, q) for q in _ENDS]
                spread = [tables.typed(quantile_text(end)) for end in ends] or [""] * len(_ENDS)
                most = "" if figure.histogram is None else about.value_text(figure.histogram[0][-1])
                name = f"{figure.name} ({about.unit})" if about.unit and figure.histogram is not None else figure.name
                label = ["all together" if pool is view.all else pool.label] if several else []
                tables.add(made, [*label, name, tables.full(figure.estimate), *spread, most])
    return [made]


def _said(shown: Sequence[MetricFigure], metric: MetricName) -> str:
    """The figures of a metric below its chart."""
    unit = f" {metric.unit}" if metric.unit else ""
    if metric.kind == "number":
        return f"{shown[0].estimate.full}{unit} on average"
    if metric.kind == "category":
        most = sorted(shown, key=lambda figure: -figure.estimate.value)
        text = ", ".join(f"{figure.code} {figure.estimate.full}" for figure in most[:3])
        return f"{text} and {len(most) - 3} more" if len(most) > 3 else text
    mean = f", then {shown[1].estimate.full}{unit} on average" if len(shown) > 1 else ""
    return f"in {shown[0].estimate.full} of the games{mean}"
