"""Processor time per decision as a table."""

from __future__ import annotations

from collections.abc import Iterator

from simlab.present.blocks import Block, Column, Section, Table, attributes
from simlab.present.estimate import Estimate
from simlab.questions.decision_cost.analysis import BotCost, DecisionCost

CHAPTER, RANK = "Bots", 90
MOST = 60  #: listed


def section(answer: DecisionCost) -> Section | None:
    title = "Processor time per decision"
    return Section("costs", title, tuple(blocks(answer)), folded=True) if answer.bots else None


def blocks(answer: DecisionCost) -> Iterator[Block]:
    yield Table(
        answer.bots[:MOST],
        (
            *attributes("seat", "bot"),
            Column[BotCost]("microseconds per decision", _time),
            Column[BotCost]("decisions per game", lambda one: one.decisions),
        ),
        note="Processor time for a decision with a choice: median of five measurements (lowest to highest) after the "
        "run, on the same machine.",
    )


def _time(one: BotCost) -> Estimate | None:
    if one.microseconds is None or one.low is None or one.high is None:
        return None
    return Estimate(one.microseconds, one.low, one.high, rate=False)
