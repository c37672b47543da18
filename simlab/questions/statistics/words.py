"""The statistics of simlab.engine.counts in sentences and tables."""

from __future__ import annotations

from collections.abc import Iterator

from simlab.present.blocks import Block, Paragraph, Section, Table, attributes, entries
from simlab.questions.statistics.analysis import Statistic, Statistics

TITLE = "Statistics"
CHAPTER, RANK = "How games go", 40


def blocks(answer: Statistics) -> Iterator[Block]:
    for one in answer.statistics:
        yield Section(f"statistic-{one.name}", one.title, tuple(_blocks(one, answer)))
    if answer.statistics:
        yield from answer.counted()


def _blocks(one: Statistic, answer: Statistics) -> Iterator[Block]:
    yield Paragraph(one.help + answer.together, "note")
    yield from map(Paragraph, sentences(one))
    columns = attributes("statistic=name", "share or mean=estimate")
    if any(line.quantiles for line in one.lines):
        columns += entries("quantiles", {0: "5 %", 1: "median", 2: "95 %"})
    table = Table(one.lines, columns)
    long = len(one.lines) > 12
    yield Section(f"statistic-{one.name}-table", "All lines", (table,), folded=True) if long else table


def sentences(one: Statistic) -> Iterator[str]:
    """Lines that differ from their fair share; one sentence if none does."""
    for line in one.off_fair:
        more = "more" if line.rate.value > line.fair else "less"
        yield f"{line.name} in {line.rate.full} of its games, {more} than the fair share of {100 * line.fair:.1f} %."
    if one.judged and not one.off_fair:
        yield "No detectable departure from the fair share."
