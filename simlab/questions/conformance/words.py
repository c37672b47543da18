"""Checks of the conformance kit, one line each."""

from __future__ import annotations

from collections.abc import Iterator

from simlab.present.blocks import Block, Paragraph
from simlab.questions.conformance.analysis import Conformance, PassedCheck

NOTE = "note: "  #: begins a line that reports no check


def blocks(answer: Conformance) -> Iterator[Block]:
    yield from (Paragraph(line(check)) for check in answer.checks)
    if answer.breach:
        yield Paragraph(answer.breach, "warning")


def line(check: PassedCheck) -> str:
    if check.check.startswith(NOTE):
        return check.check
    return f"fine: {check.check}" if check.seat is None else f"fine, as {check.seat}: {check.check}"
