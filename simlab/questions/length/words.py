"""How long games last, in sentences and charts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from simlab.present.blocks import Block, Chart, Paragraph
from simlab.present.chart import Axes, chart, drawing
from simlab.questions.length.analysis import Length, Lengths

TITLE = "How long games last"
CHAPTER, RANK = "How games go", 14


def sentence(answer: Length) -> str:
    """Mean, median and 90 % quantile."""
    turns, ends = f"{answer.turn_name}s", answer.quantiles
    if answer.mean.constant:
        return f"Every game lasts {answer.mean.text} {turns if answer.mean.value != 1 else answer.turn_name}."
    return (
        f"A game lasts {answer.mean.full} {turns} on average; half of the games are over within {ends['p50'].full} "
        f"{turns}, nine in ten within {ends['p90'].full}."
    )


def blocks(answer: Length) -> Iterator[Block]:
    ends, turns = answer.quantiles, f"{answer.turn_name}s"
    spread = (
        f"Nine games in ten last {ends['p5'].full} to {ends['p95'].full} {turns}; the longest of {answer.games:,} took "
        f"{answer.whole.turns[-1]}.{answer.together}"
    )
    going = f"Share of the games still going after each {answer.turn_name}: half are over after {ends['p50'].full}."
    if answer.single:
        going += " The faint lines are single cells."
    yield Paragraph(sentence(answer))
    yield Chart("length", lambda: length(answer), spread, [answer.all_games, answer.longest_games])
    yield Chart("survival", lambda: survival(answer), going, [answer.all_games])


@chart
def length(answer: Length, ax: Axes | None = None) -> Axes:
    """Share of the games by length in turns; the line marks the median."""
    ax = drawing.plain_axes(ax, 2.7)
    drawing.histogram(ax, answer.whole.turns, answer.whole.counts)
    median = answer.quantiles["p50"]
    ax.axvline(median.value, ymax=0.9, color=drawing.SEATS[0], linewidth=1.4)
    ax.set_ylim(0, ax.get_ylim()[1] * 1.12)
    place = ax.get_xaxis_transform()
    ax.text(median.value, 0.99, f"median {median.text}", transform=place, va="top", ha="center", fontsize=9)
    ax.set_xlabel(drawing.label(f"length in {answer.turn_name}s", 50))
    return ax


@chart
def survival(answer: Length, ax: Axes | None = None) -> Axes:
    """Share of the games still going after each turn; faint lines are single cells."""
    import seaborn
    from matplotlib.ticker import MaxNLocator

    ax = drawing.plain_axes(ax, 2.7)
    curves = answer.parts or (answer.whole,)
    lines: list[tuple[Lengths, str, dict[str, Any]]] = [
        (one, drawing.FACE, {"alpha": 0.16, "linewidth": 0.8}) for one in answer.single
    ]
    colors = drawing.ENDINGS if answer.parts else (drawing.FACE,)
    lines += [(one, color, {"label": drawing.label(one.label, 34)}) for one, color in zip(curves, colors, strict=False)]
    for one, color, look in lines:
        seaborn.ecdfplot(x=one.turns, weights=one.counts, complementary=True, color=color, ax=ax, **look)
    ax.set_ylim(0, 1.02)
    ax.set_xlim(0, answer.whole.turns[-1] + 0.5)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=9))
    drawing.percent(ax, "y")
    ax.set_xlabel(drawing.label(f"after {answer.turn_name}", 50))
    ax.set_ylabel("games still going")
    if answer.parts:
        ax.legend()
    return ax
