"""The first screen of a report: one sentence, one chart, the most important findings, and what to try next."""

from __future__ import annotations

from collections.abc import Iterator

from simlab.present.blocks import Block, Chart, Paragraph, Section
from simlab.present.chart import Axes, drawing
from simlab.questions.contract import words as contract_words
from simlab.questions.headline.analysis import Headline
from simlab.questions.win_rates.words import color_of, intervals

CHAPTER, RANK = "Who wins", -1
MOST_FINDINGS = 3  #: most findings on the first screen; the others are folded


def blocks(answer: Headline) -> Iterator[Block]:
    verdict, shown = answer.verdict, answer.who_wins
    yield Paragraph(verdict.headline, "lead")

    def draw() -> Axes:
        colors = {one.name: color_of(one) for one in shown.winners}
        bars = [(name, rate, colors.get(name, drawing.FACE)) for name, rate in shown.rates.items()]
        return intervals(bars, shown.fair)

    yield Chart("who_wins", draw, shown.caption)
    yield from map(Paragraph, verdict.findings[:MOST_FINDINGS])
    for name, title, texts, folded in (
        ("next", "What to try next", verdict.open, False),
        ("details", "Confidence and details", (*verdict.findings[MOST_FINDINGS:], *verdict.details), True),
    ):
        if texts:
            yield Section(name, title, tuple(map(Paragraph, texts)), folded)


def section(answer: Headline) -> Section:
    contract = (contract_words.summary(answer.contract),) if answer.contract else ()
    return Section("verdict", "", (*blocks(answer), *contract), mood=answer.verdict.mood)
