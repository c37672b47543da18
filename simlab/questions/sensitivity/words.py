"""Sensitivity in sentences, tables and charts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from simlab.present.blocks import Block, Chart, Column, Paragraph, Table, attributes
from simlab.present.chart import Axes, chart, drawing
from simlab.present.estimate import Estimate
from simlab.questions.sensitivity.analysis import Effect, Index, Sensitivity
from simlab.words import capital, listed

TITLE = "Which knobs matter"
CHAPTER, RANK = "Settings", 20
LITTLE, HARDLY = 2.0, 0.05  # points of an effect, and share of the variance, below which a knob is named as minor
MOST_NAMED = 8

SOBOL_CAPTION = (
    "Share of the variance between settings that each knob explains: filled dots alone, open dots alone or together "
    "with others; 95 % intervals, without the noise of the games."
)
SOBOL_NOTE = (
    "Sobol's indices from Saltelli's design (SALib); whole numbers, switches and choices are drawn from their own "
    "values, all equally likely. Raw: SALib's indices, noise included."
)
MORRIS_CAPTION = (
    "To the right: effect of a knob over its whole range; upwards: how much it differs from place to place. Above the "
    "dotted line that spread is more than half of the size, as of a knob that interacts with others or is not linear. "
    "95 % intervals of all knobs together."
)
MORRIS_NOTE = (
    "Elementary effects on Morris's trajectories: a number moves half of its levels, a switch to its other side, a "
    "choice to another option; effects are scaled to the whole range. The sign of an effect and its size are estimated "
    "from different games, so noise alone gives a size of 0 on average. Raw: SALib's measures, noise included."
)


def page_blocks(answer: Sensitivity) -> Iterator[Block]:
    yield Paragraph(sentence(answer), "lead")
    if answer.indices:
        yield Chart("sobol", lambda: sobol(answer.indices), SOBOL_CAPTION, (answer.games,))
        yield from (_table(answer, full=True), Paragraph(SOBOL_NOTE, "note"))
    if answer.effects:
        yield Chart("morris", lambda: morris(answer.effects), MORRIS_CAPTION, (answer.games,))
        yield from (_table(answer, full=True), Paragraph(MORRIS_NOTE, "note"))


def blocks(answer: Sensitivity) -> Iterator[Block]:
    """What a run prints at its end."""
    if answer.indices or answer.effects:
        yield _table(answer)
    yield Paragraph(sentence(answer))


def _table(answer: Sensitivity, full: bool = False) -> Table[Index] | Table[Effect]:
    if answer.indices:
        raw = ("raw, alone=raw_alone", "raw, with others=raw_total") if full else ()
        title = "" if full else f"{answer.setup}: which knobs matter"
        return Table(answer.indices, attributes("knob", "alone", "with others=total", *raw), title, most=100)
    measures = (
        *attributes("knob", "size (mu*)=size", "signed (mu)=mean"),
        Column[Effect]("spread (sigma)", lambda row: round(row.spread, 1)),
        Column[Effect]("raw size", lambda row: round(row.raw_size, 1)),
        Column[Effect]("raw spread", lambda row: round(row.raw_spread, 1)),
    )[: None if full else -1]
    title = "" if full else f"{answer.setup}: effect of each knob over its range, points of the win rate"
    return Table(answer.effects, measures, title, most=100)


def sentence(answer: Sensitivity) -> str:
    """Which knobs matter most, and which hardly matter."""
    if answer.missing:
        return f"No result for the knobs. {answer.missing}"
    if answer.trajectories:
        return _effects_sentence(answer)
    what = answer.statistic
    if not answer.indices:
        return f"Between {answer.settings:,} settings {what} differs by no more than noise: no knob can be ranked."
    named = ", ".join(f"{index.knob} {index.total.full}" for index in answer.indices[:3])
    hardly = [index.knob for index in answer.indices if index.total.high < HARDLY]
    text = (
        f"{capital(what)} differs between settings by ±{answer.spread:.1f} points (standard deviation). "
        f"Shares of that variance, alone or with other knobs: {named}."
    )
    if hardly:
        text += f" Below {100 * HARDLY:g} %, each with 95 % confidence: {', '.join(hardly[:MOST_NAMED])}."
    return (
        f"{text} {answer.base_points:,} base points; noise of the games, {100 * answer.noise_share:.1f} % of the raw "
        f"variance, is taken out (measured in {answer.blocks} blocks of games)."
    )


def _effects_sentence(answer: Sensitivity) -> str:
    what = answer.statistic
    moving = [effect for effect in answer.effects if effect.size.low > 0]
    if not moving:
        most = max(effect.size.high for effect in answer.effects)
        return (
            f"No knob significantly moves {what}: at most {most:.1f} points over its whole range. Play more games to "
            "find smaller effects."
        )
    named = ", ".join(f"{effect.knob} {effect.size.full}" for effect in moving[:3])
    text = f"Mean effect on {what} over a knob's whole range, in points: {named}."
    little = [effect.knob for effect in answer.effects if effect.size.high < LITTLE]
    text += f" Significantly below {LITTLE:g} points: {', '.join(little[:MOST_NAMED])}." if little else ""
    varying = answer.varying
    if depends := [one.knob for one in moving if one.knob in varying and one.spread > one.size.value / 2]:
        several = len(depends) > 1
        text += (
            f" The effect{'s' * several} of {listed(depends[:MOST_NAMED])} depend{'s' * (not several)} on other knobs "
            "or on the value."
        )
    return (
        f"{text} {answer.trajectories} trajectories, {answer.settings:,} settings; noise, measured in {answer.blocks} "
        "blocks of games, is taken out; intervals hold for all knobs together."
    )


@chart
def sobol(indices: Sequence[Index], ax: Axes | None = None) -> Axes:
    """Sobol's indices alone (filled) and in total (open), with intervals, the largest on top."""
    from matplotlib.lines import Line2D

    shown = indices[:30]
    ax = drawing.axes(ax, 1.0 + 0.32 * len(shown))
    for row, index in enumerate(shown):
        drawing.interval(ax, row - 0.15, index.alone, drawing.FACE)
        drawing.interval(ax, row + 0.15, index.total, drawing.FACE, filled=False)
    ax.axvline(0, color=drawing.MUTED, linewidth=1)
    drawing.name_rows(ax, [index.knob for index in shown], 30)
    drawing.percent(ax, "x")
    ax.set_xlim(-0.03, 1.03)
    ax.set_xlabel("share of the variance between settings")
    handles = [
        Line2D([], [], color=drawing.FACE, marker="o", label="alone"),
        Line2D([], [], color=drawing.FACE, marker="o", markerfacecolor="none", label="with others"),
    ]
    ax.legend(handles=handles, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
    return ax


@chart
def morris(effects: Sequence[Effect], ax: Axes | None = None) -> Axes:
    """Size of each knob's effects (to the right) and their spread (upwards), with intervals of the size."""
    ax = drawing.axes(ax, 4.2)
    sizes: list[Estimate] = [effect.size for effect in effects]
    spreads = np.array([effect.spread for effect in effects])
    for place, (effect, size) in enumerate(zip(effects, sizes, strict=True)):
        ax.plot([size.low, size.high], [effect.spread] * 2, color=drawing.FACE, linewidth=1.2, alpha=0.7)
        ax.plot([size.value], [effect.spread], "o", markersize=5.5, color=drawing.FACE)
        if place < 12:
            ax.annotate(drawing.label(effect.knob, 24), (size.value, effect.spread), (4, 4),
                        textcoords="offset points", fontsize=8)  # fmt: skip
    widest = float(max(*(size.high for size in sizes), spreads.max(), 1e-9))
    ax.plot([0, widest], [0, widest / 2], color=drawing.MUTED, linewidth=0.8, linestyle="dotted")
    ax.set_xlim(-0.02 * widest, 1.15 * widest)
    ax.set_ylim(bottom=-0.03 * float(max(spreads.max(), widest / 4)))
    ax.set_xlabel("mean size of the effect (mu*), points of the win rate")
    ax.set_ylabel("spread from place to place (sigma)")
    return ax
