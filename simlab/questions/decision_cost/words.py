"""Processor time per decision as a table."""

from __future__ import annotations

from collections.abc import Iterator

from simlab.present.blocks import Block, Column, Table, attributes
from simlab.present.estimate import Estimate
from simlab.questions.decision_cost.analysis import BotCost, DecisionCost

TITLE, ANCHOR, FOLDED = "Processor time per decision", "costs", True
CHAPTER, RANK = "Bots", 90
MOST = 60  #: listed


def blocks(answer: DecisionCost) -> Iterator[Block]:
    if not answer.bots:
        return
    yield Table(
        answer.bots[:MOST],
        (
            *attributes("seat", "bot"),
            Column[BotCost]("microseconds per decision", _time),
            *attributes("decisions per game=decisions"),
        ),
        note="Processor time for a decision with a choice: median of five measurements (lowest to highest) after the "
        "run, on the same machine.",
    )


def _time(one: BotCost) -> Estimate | None:
    if one.microseconds is None or one.low is None or one.high is None:
        return None
    return Estimate(one.microseconds, one.low, one.high, rate=False)
