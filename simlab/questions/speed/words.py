"""The measurements as one table; the comparison with an earlier build as one sentence."""

from __future__ import annotations

from collections.abc import Iterator

from simlab.present.blocks import Block, Column, Paragraph, Table, attributes
from simlab.questions.speed.analysis import Speed
from simlab.questions.speed.earlier_build import SpeedChange
from simlab.questions.speed.timing import Line


def blocks(answer: Speed | SpeedChange) -> Iterator[Block]:
    """The answer of `simlab dev bench`."""
    if isinstance(answer, SpeedChange):
        yield Paragraph(answer.sentence, "lead")
        return
    yield Paragraph(answer.machine)
    if answer.lines:
        yield Table(
            answer.lines,
            (*attributes("part", "measured=what", "bots"), Column[Line]("value", _value),
             *attributes("compared with=compared_with"), Column[Line]("ratio", lambda line: line.ratio)),
            f"{answer.game}: medians of {answer.repetitions} repetitions of {answer.games:,} games, each on one core",
            most=200,
        )  # fmt: skip
    for part, why in answer.left_out.items():
        yield Paragraph(f"{part}: not measured, {why}.")


def _value(line: Line) -> str:
    if line.value is None:
        return ""
    digits = 0 if line.value >= 1000 else 1 if line.value >= 10 else 2
    return f"{line.value:,.{digits}f} {line.unit}".rstrip()
