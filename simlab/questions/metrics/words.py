"""The numbers that games report, in tables and charts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from simlab.errors import InputError, nearest
from simlab.present.blocks import Block, Chart, Column, Paragraph, Section, Table, attributes, entries
from simlab.present.chart import Axes, chart, drawing
from simlab.present.estimate import words
from simlab.questions.metrics.analysis import Distribution, MetricLine, Metrics, extreme
from simlab.words import first_of

TITLE = "Metrics"
CHAPTER, RANK = "How games go", 30
MOST_CHARTS = 24


def blocks(answer: Metrics) -> Iterator[Block]:
    if not answer.metrics:
        return
    yield table(answer.metrics)
    if answer.empty:
        yield Paragraph(
            f"Left out because they are 0, or have no value, in all games: {', '.join(answer.empty)}.", "note"
        )
    if answer.together:
        yield Paragraph(answer.together.strip(), "note")
    charts = [
        Chart(
            f"metric_{number}", partial(metric, answer, one.metric), _caption(one, answer.metrics), [one.list_games],
            small=True,
        )
        for number, one in enumerate([one for one in answer.distributions if len(one.values) > 1][:MOST_CHARTS])
    ]  # fmt: skip
    if charts:
        yield Section("metric-charts", "Distributions of the metrics", charts, folded=True)


def table(lines: Sequence[MetricLine], title: str = "") -> Table[MetricLine]:
    """Means, shares and quantiles."""
    columns: list[Column[MetricLine]] = [
        *attributes("metric=name"),
        Column("description", _description),
        Column("mean or share", lambda line: line.estimate, lambda line: line.list_games),
        *entries("quantiles", {0: "5 %", 1: "median", 2: "95 %"}),
        Column("most", lambda line: extreme(line.most), lambda line: line.list_most),
    ]
    if any(line.cells for line in lines):
        columns = [*attributes("cells"), *columns]
    return Table(lines, columns, title)


def _description(line: MetricLine) -> str:
    unit = f" ({line.unit})" if line.unit else ""
    return f"{line.help}{unit}" + (f"; of the {line.happened.full} of games that have it" if line.happened else "")


def _caption(one: Distribution, lines: Sequence[MetricLine]) -> str:
    shown = [line for line in lines if line.metric == one.metric]
    unit = f" {one.unit}" if one.unit else ""
    if one.kind == "category":
        by_share = sorted(shown, key=lambda line: -line.estimate.value)
        text = first_of([f"{line.name.partition(': ')[2]} {line.estimate.full}" for line in by_share], 3)
    elif one.kind == "number":
        text = f"{shown[0].estimate.full}{unit} on average"
    else:
        often = f"in {shown[0].happened.full} of the games, then " if shown[0].happened else ""
        text = f"{often}{shown[0].estimate.full}{unit} on average"
    return f"{one.help[:1].upper()}{one.help[1:] or words(one.metric)}: {text}."


@chart
def metric(answer: Metrics, name: str, ax: Axes | None = None) -> Axes:
    """Distribution of a metric.

    Raises:
        InputError: the game has no such metric.
    """
    known = {one.metric: one for one in answer.distributions}
    if name not in known:
        raise InputError(f"{answer.game} has no metric '{name}'. {nearest(name, known)}")
    one = known[name]
    ax = drawing.plain_axes(ax, 2.1, 3.6)
    ax.set_title(drawing.label(words(name), 44))
    if one.kind == "category":
        shares = [count / max(sum(one.counts), 1) for count in one.counts]
        ax.barh(range(len(shares)), shares, height=0.7, color=drawing.FACE, linewidth=0)
        ax.set_yticks(range(len(shares)), [drawing.label(label, 24) for label in one.labels])
        ax.invert_yaxis()
        ax.grid(visible=False, axis="y")
        drawing.percent(ax, "x")
        ax.set_xlabel("share of the games")
        return ax
    drawing.histogram(ax, one.values, one.counts, whole=one.whole)
    ax.set_xlabel(drawing.label(one.unit or "number", 50))
    if one.kind == "if_happened":
        ax.set_ylabel("share of the games with a value")
    return ax
