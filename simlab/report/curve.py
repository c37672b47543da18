"""Where over one knob the game is fair, or on target."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from simlab.present.chart import Draw, chart
from simlab.present.estimate import Estimate, ends_of, is_number, plain, words
from simlab.report import tables
from simlab.report.goal import FEWEST_GAMES, Goal, estimates_of, figure_words, goal, rates_of, several
from simlab.results.view import View
from simlab.stats.sweep import Crossing, crossings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from rich.console import RenderableType


@dataclass(frozen=True)
class Curve:
    """Win rate over one knob.

    Attributes:
        values: of the knob, numbers. rates: with intervals that hold one by one.
        crossings: where it meets the target. printed: the printed value, if it was played.
    """

    knob: str
    values: list[float]
    rates: list[Estimate]
    goal: Goal
    crossings: list[Crossing]
    printed: float | None
    whole: bool


def curve(view: View) -> Curve | None:
    """The curve of the one knob that varies, if it is a number; None else."""
    if len(view.varied) != 1:
        return None
    knob, values = next(iter(view.varied.items()))
    if not all(is_number(value) for value in values) or min(cell.games for cell in view.cells) < FEWEST_GAMES:
        return None
    wanted = goal(view, even_odds=True)
    groups = [pool.cells for pool in view.by_value(knob)]
    measured = rates_of(view, groups, wanted)
    rates = estimates_of(view, groups, wanted, measured)
    meets = [] if wanted.target is None else crossings(values, measured.value, measured.covariance, wanted.target)
    printed = view.printed(knob)
    whole = all(isinstance(value, int) for value in values)
    return Curve(
        knob, [float(v) for v in values], rates, wanted, meets, None if printed is None else float(printed), whole
    )


def curve_sentence(view: View, drawn: Curve) -> str:
    """Where the curve meets the target: "fair at walls_start = 6.4 (6.2–6.6)"."""
    what, knob = figure_words(view, drawn.goal), plain(drawn.knob, 40)
    if drawn.goal.target is None:
        return f"{what[:1].upper()}{what[1:]} goes from {drawn.rates[0].full} to {drawn.rates[-1].full}."
    target = f"{100 * drawn.goal.target:.4g} %"
    word = "On target" if drawn.goal.said else "Fair" if len(view.sides) > 1 else "Even odds"
    if all(rate.low <= drawn.goal.target <= rate.high for rate in drawn.rates):
        low, high = min(drawn.rates, key=_value), max(drawn.rates, key=_value)
        return (
            f"At no value played can {what} be told from {target}: it goes from {low.full} to {high.full}. "
            f"More games, or values further apart, would tell."
        )
    if not drawn.crossings:
        side = "above" if drawn.rates[0].value > drawn.goal.target else "below"
        near = min(range(len(drawn.rates)), key=lambda i: abs(drawn.rates[i].value - (drawn.goal.target or 0)))
        sure = all(not rate.low <= drawn.goal.target <= rate.high for rate in drawn.rates)
        return (
            f"{what[:1].upper()}{what[1:]} stays {side} {target} at each value played"
            f"{', for certain at each' if sure else ''}; "
            f"it comes nearest at {knob} = {drawn.values[near]:g}: {drawn.rates[near].full}."
        )
    step = min(b - a for a, b in zip(drawn.values, drawn.values[1:], strict=False))
    places: dict[tuple[float, float], list[Crossing]] = {}
    for one in drawn.crossings:
        places.setdefault((one.low, one.high), []).append(one)
    told = [
        _place(several[0], step, drawn.values)
        if len(several) == 1
        else f"somewhere from {_end(low, drawn.values[0], 'less')} to {_end(high, drawn.values[-1], 'more')}"
        for (low, high), several in places.items()
    ]
    text = f"{word} ({target}) at {knob} = {' and '.join(told)}."
    if drawn.whole:
        around = {v for one in drawn.crossings for v in _neighbours(drawn.values, one.at)}
        lines = [f"{drawn.values[i]:g} gives {drawn.rates[i].full}" for i in sorted(around)]
        text += f" Of the whole values, {', '.join(lines)}."
    return text


def _value(rate: Estimate) -> float:
    return rate.value


def _end(place: float, last: float, further: str) -> str:
    """An end of an interval of places; the last value played, or beyond, where it is open."""
    return f"{place:.3g}" if math.isfinite(place) else f"{last:g} or {further}"


def _neighbours(values: Sequence[float], at: float) -> list[int]:
    below = [i for i, value in enumerate(values) if value <= at + 1e-9]
    above = [i for i, value in enumerate(values) if value >= at - 1e-9]
    return [*below[-1:], *above[:1]]


def _place(one: Crossing, step: float, values: Sequence[float]) -> str:
    width = one.high - one.low
    unit = width if math.isfinite(width) and width > 0 else step
    digits = min(max(1 - math.floor(math.log10(max(unit, step / 1_000))), 0), 4)
    ends = [
        f"{one.low:.{digits}f}" if math.isfinite(one.low) else f"{values[0]:g} or less",
        f"{one.high:.{digits}f}" if math.isfinite(one.high) else f"{values[-1]:g} or more",
    ]
    finite = math.isfinite(one.low) and math.isfinite(one.high)
    return f"{one.at:.{digits}f} ({('–' if finite else ' to ').join(ends)})"


@chart
def fair_curve(view: View, drawn: Any, ax: Axes | None = None) -> Axes:
    """Win rate over one knob with its band, the target, where they meet and the printed value."""

    from simlab.present import drawing

    ax = drawing.axes(ax, 3.0)
    color = drawing.seat_color(0)
    at = np.array(drawn.values)
    knob = drawn.knob
    lines: dict[tuple[str, ...], list[tuple[float, float]]] = {}
    for cell in view.cells:
        lines.setdefault(tuple(cell.bots.values()), []).append((float(cell.varied[knob]), drawn.goal.rate(cell)))
    if len(lines) > 1:
        for line in list(lines.values())[:100]:
            ax.plot(*zip(*sorted(line), strict=True), color=color, alpha=0.2, linewidth=0.9)
    low, high = np.array([r.low for r in drawn.rates]), np.array([r.high for r in drawn.rates])
    ax.fill_between(at, low, high, color=color, alpha=0.28, linewidth=0)
    ax.plot(at, [r.value for r in drawn.rates], "o-" if at.size <= 40 else "-", markersize=4, color=color)
    if drawn.goal.target is not None:
        ax.axhline(drawn.goal.target, color=drawing.MUTED, linewidth=1, linestyle=(0, (4, 3)))
    for one in drawn.crossings:
        ends = max(one.low, float(at[0])), min(one.high, float(at[-1]))
        ax.axvspan(*ends, color=drawing.MUTED, alpha=0.22, linewidth=0)
        ax.plot([one.at], [drawn.goal.target or 0.0], "D", markersize=6, color=drawing.INK, zorder=5)
    if drawn.printed is not None:
        ax.axvline(drawn.printed, color=drawing.MUTED, linewidth=1, linestyle=(0, (1, 2)))
        ax.text(
            drawn.printed, 1.01, "printed", transform=ax.get_xaxis_transform(), color=drawing.MUTED, fontsize=8,
            ha="center", va="bottom",
        )  # fmt: skip
    bottom, top = ax.get_ylim()
    ax.set_ylim(max(float(bottom), -0.02), min(float(top), 1.02))
    if at.size <= 12:
        ax.set_xticks(at, [drawing.label(f"{value:g}", 18) for value in at])
    drawing.percent(ax, "y")
    ax.set_ylabel(drawing.label(f"win rate of {view.the_side(drawn.goal.who)}", 40))
    ax.set_xlabel(drawing.label(words(knob), 60))
    return ax


def section(view: View, draw: Draw, line: Curve) -> dict[str, Any]:
    """What the page shows: the sentence below the chart."""
    sentence = curve_sentence(view, line)
    faint = " The faint lines are the single match-ups." if several(view) else ""
    band = "the grey bar where the target cannot be ruled out" if line.crossings else ""
    caption = f"{sentence} Band: 95 % interval{'; ' + band if band else ''}.{faint}"
    return {"sentence": sentence, "figures": [draw("fair_curve", fair_curve(view, line), caption)]}


def terminal(view: View, line: Curve) -> list[RenderableType | str]:
    """What `sweep` prints."""
    return [tables.typed(curve_sentence(view, line))]


def _open(x: float) -> float | None:
    return x if math.isfinite(x) else None


def summary(view: View, line: Curve) -> dict[str, Any]:
    """What --json adds."""
    return {
        "sentence": curve_sentence(view, line),
        "curve": [{"value": v, **ends_of(rate)} for v, rate in zip(line.values, line.rates, strict=True)],
        "crossings": [
            {"at": one.at, "low": _open(one.low), "high": _open(one.high), "rising": one.rising}
            for one in line.crossings
        ],
    }
