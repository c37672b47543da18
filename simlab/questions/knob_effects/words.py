"""Effects of knobs in sentences and charts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from simlab.present.blocks import Block, Chart
from simlab.present.chart import Axes, chart, drawing
from simlab.present.estimate import is_number, plain, value_text
from simlab.questions.fair_settings.words import knob_lines
from simlab.questions.knob_effects.analysis import KnobEffect, KnobEffects, effects_of, near_even
from simlab.runs.view import View, view_of

TITLE = "Effects of the knobs"
CHAPTER, RANK = "Settings", 30
MOST_VALUES = 30  #: that a sentence describes


def blocks(answer: KnobEffects) -> Iterator[Block]:
    pooled = " Pooled over the other knobs." if len(answer.knobs) > 1 else ""
    for number, effect in enumerate(answer.knobs):
        faint = " Faint lines: line-ups." if effect.line_ups else ""
        if answer.curves:
            text = sentence(answer, effect) or f"Win rate by {plain(effect.knob)}."
            caption = f"{text}{pooled} Band: 95 % intervals.{faint}"
            yield Chart(f"knob_{number}", partial(_curve, answer, effect, "win_rate"), caption, effect.games)
        low, high = (pick(effect.turns, key=lambda mean: mean.value) for pick in (min, max))
        text = f"Mean length by {plain(effect.knob)}: between {low.full} and {high.full} {answer.turn}s.{pooled}{faint}"
        yield Chart(f"knob_{number}_turns", partial(_curve, answer, effect, "turns"), text, effect.games)


def knob_sentence(view: View, knob: str) -> str:
    """Effect of a knob on the first seat's win rate, pooled over the others; empty if the knob has too many values."""
    answer = effects_of(view, [knob])
    return sentence(answer, answer.knobs[0])


def sentence(answer: KnobEffects, effect: KnobEffect) -> str:
    rates = next(iter(effect.wins.values()))
    values, name = [value_text(value) for value in effect.values], plain(effect.knob)
    if len(values) > MOST_VALUES:
        return ""
    if not all(map(is_number, effect.values)):
        each = ", ".join(f"{rate.full} with {value}" for value, rate in zip(values, rates, strict=True))
        return f"By {name}, {answer.seat} wins {each}."
    steps = np.diff([rate.value for rate in rates])
    change = effect.change
    apart = change.low > 0 or change.high < 0
    verb = "rises" if apart and np.all(steps > 0) else "falls" if apart and np.all(steps < 0) else "goes"
    unsure = "" if apart else f"; no detectable change on the same seeds: {change.full} points"
    text = (
        f"As {name} goes from {values[0]} to {values[-1]}, {answer.seat}'s win rate {verb} from {rates[0].full} to "
        f"{rates[-1].full}{unsure}."
    )
    # With several winners, or none in some games, half of the games is not an even share.
    near = near_even(list(rates)) if len(rates) > 2 and len(effect.wins) == 1 else []
    if len(near) == 1:
        return f"{text} It is closest to even at {values[near[0]]} ({rates[near[0]].inner})."
    if not near or len(near) > 3 or len(near) == len(rates):
        return text
    *first, last = [f"{values[i]} ({rates[i].inner})" for i in near]
    return f"{text} The closest to even may be {', '.join(first)} or {last}."


def knob_curve(source: Any, knob: str | None = None, what: str = "win_rate", ax: Axes | None = None) -> Axes:
    """Win rate or mean length over the values of one knob, with intervals; the faint lines are the line-ups.

    Args:
        source: results of a run. knob: by default the first that varies. what: `win_rate` or `turns`.
    """
    view = view_of(source)
    if not view.varied:
        return drawing.note(drawing.axes(ax, 2.9), "no knob varies in this run")
    answer = effects_of(view, [knob or next(iter(view.varied))])
    return _curve(answer, answer.knobs[0], what, ax)


@chart
def _curve(answer: KnobEffects, effect: KnobEffect, what: str, ax: Axes | None = None) -> Axes:
    ax, wins = drawing.axes(ax, 2.9), what == "win_rate"
    lines = [("", effect.turns, drawing.FACE)]
    if wins:
        lines = [
            (name, rates, drawing.seat_color(seat, name)) for seat, (name, rates) in enumerate(effect.wins.items())
        ]
    faint = [line.wins if wins else line.turns for line in effect.line_ups] if len(lines) == 1 else []
    knob_lines(ax, effect.knob, effect.values, lines, faint, answer.fair if wins else None, effect.printed)
    if not wins:
        ax.set_ylabel(drawing.label(f"mean length in {answer.turn}s", 40))
        return ax
    drawing.rates_up(ax, f"win rate of {answer.seat}" if len(lines) == 1 else "win rate")
    if len(lines) > 1:
        ax.legend(ncols=2)
    return ax
