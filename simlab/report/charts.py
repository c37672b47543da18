"""Charts of tournaments and sweeps: functions of what was worked out, each returns Matplotlib axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from simlab.report.estimate import value_text, words
from simlab.report.figures import (
    FACE,
    INK,
    MUTED,
    _axes,
    _dark,
    _heat,
    _label,
    _percent,
    _seat_color,
    _styled,
    _versus,
)
from simlab.report.view import View
from simlab.stats.intervals import Floats

Shares = tuple[Floats, Floats]  # values, shape (n,), and ends, shape (n, 2)


def sent(best: Shares | None, left: Shares | None) -> list[int]:
    """The bots of a seat that may have a share of a hundredth or more, those with the greatest first."""
    there = [found for found in (best, left) if found is not None]
    if not there:
        return []
    greatest = np.max([found[1][:, 1] for found in there], axis=0)
    order = sorted(range(greatest.size), key=lambda bot: [-float(found[0][bot]) for found in there])
    return [bot for bot in order if greatest[bot] >= 0.01]


@_styled
def bot_shares(
    seats: Sequence[tuple[str, Sequence[str], Shares | None, Shares | None]], ax: Axes | None = None
) -> Axes:
    """Share of each bot in best play (square) and in alpha-rank (ring), with what resampled tables give.

    Args:
        seats: name, bots, best play, alpha-rank of each seat; bots without a share are left out.
    """
    lines = [(i, bot) for i, (_, _, best, left) in enumerate(seats) for bot in sent(best, left)]
    gap = 0.7
    ax = _axes(ax, 1.1 + 0.3 * (len(lines) + gap * (len(seats) - 1)))
    ticks: list[float] = []
    for i, bot in lines:
        y = len(ticks) + gap * i
        ticks.append(y)
        color = _seat_color(i)
        for side, (found, mark, face) in enumerate(((seats[i][2], "s", color), (seats[i][3], "o", "none"))):
            if found is not None:
                at = y + (side - 0.5) * 0.34
                ax.plot([float(x) for x in found[1][bot]], [at, at], color=color, linewidth=1.2, alpha=0.7)
                ax.plot([float(found[0][bot])], [at], mark, markersize=5, color=color, markerfacecolor=face)
    ax.set_yticks(ticks, [_label(seats[i][1][bot], 24) for i, bot in lines])
    ax.set_ylim((ticks[-1] if ticks else 0) + 0.7, -0.7)
    ax.set_xlim(-0.02, 1.02)
    ax.grid(visible=False, axis="y")
    ax.set_xlabel("share of a seat's games in which the bot is sent")
    _percent(ax, "x")
    shown = [Patch(color=_seat_color(i), label=_label(seat[0])) for i, seat in enumerate(seats)]
    marks = [
        Line2D([], [], color=MUTED, marker="s", linestyle="", label="best play"),
        Line2D([], [], color=MUTED, marker="o", markerfacecolor="none", linestyle="", label="alpha-rank"),
    ]
    ax.legend(handles=[*shown, *marks], loc="lower center", bbox_to_anchor=(0.45, 1.0), ncols=4, handlelength=1.2)
    return ax


@_styled
def fair_curve(view: View, found: Any, ax: Axes | None = None) -> Axes:
    """Win rate over one knob with its band, the target, where they meet and the printed value."""
    ax = _axes(ax, 3.0)
    color = _seat_color(0)
    at = np.array(found.values)
    knob = found.knob
    lines: dict[tuple[str, ...], list[tuple[float, float]]] = {}
    for cell in view.cells:
        lines.setdefault(tuple(cell.bots.values()), []).append((float(cell.varied[knob]), found.goal.rate(cell)))
    if len(lines) > 1:
        for line in list(lines.values())[:100]:
            ax.plot(*zip(*sorted(line), strict=True), color=color, alpha=0.2, linewidth=0.9)
    low, high = np.array([r.low for r in found.rates]), np.array([r.high for r in found.rates])
    ax.fill_between(at, low, high, color=color, alpha=0.28, linewidth=0)
    ax.plot(at, [r.value for r in found.rates], "o-" if at.size <= 40 else "-", markersize=4, color=color)
    if found.goal.target is not None:
        ax.axhline(found.goal.target, color=MUTED, linewidth=1, linestyle=(0, (4, 3)))
    for one in found.crossings:
        ends = max(one.low, float(at[0])), min(one.high, float(at[-1]))
        ax.axvspan(*ends, color=MUTED, alpha=0.22, linewidth=0)
        ax.plot([one.at], [found.goal.target or 0.0], "D", markersize=6, color=INK, zorder=5)
    if found.printed is not None:
        ax.axvline(found.printed, color=MUTED, linewidth=1, linestyle=(0, (1, 2)))
        ax.text(
            found.printed, 1.01, "printed", transform=ax.get_xaxis_transform(), color=MUTED, fontsize=8, ha="center",
            va="bottom",
        )  # fmt: skip
    bottom, top = ax.get_ylim()
    ax.set_ylim(max(float(bottom), -0.02), min(float(top), 1.02))
    if at.size <= 12:
        ax.set_xticks(at, [_label(f"{value:g}", 18) for value in at])
    _percent(ax, "y")
    ax.set_ylabel(_label(f"win rate of {view.the(found.goal.who)}", 40))
    ax.set_xlabel(_label(words(knob), 60))
    return ax


@_styled
def fair_map(found: Any, ax: Axes | None = None) -> Axes:
    """Win rate over two knobs as tiles, the line at the target, the band around it, the printed values ringed."""
    rows, columns = found.rate.shape
    ax = _axes(ax, min(1.3 + 0.38 * rows, 9))
    hue, norm = _versus(), _Around(found.goal.target if found.goal.target is not None else 0.5)
    _heat(ax, found.rate, [[""] * columns for _ in range(rows)], hue, norm)
    for i, line in enumerate(found.rate):
        for j, rate in enumerate(line):  # in a corner, out of the way of the line
            ink = "#ffffff" if _dark(hue(norm(rate))) else "#101010"
            ax.text(j - 0.42, i - 0.4, f"{100 * rate:.0f}", ha="left", va="top", fontsize=8, color=ink, zorder=6)
    ax.set_yticks(range(rows), [_label(value_text(v), 18) for v in found.rows])
    ax.set_xticks(range(columns), [_label(value_text(v), 12) for v in found.columns])
    ax.set_xlabel(_label(words(found.across), 60))
    ax.set_ylabel(_label(words(found.down), 40))
    shown: list[Any] = []
    if found.numeric and found.goal.target is not None and min(rows, columns) > 1:
        x, y, between, low, high = _refined(found)
        half = np.where(between > found.goal.target, between - low, high - between)
        off = (between - found.goal.target) / np.maximum(half, 1e-9)
        if off.min() < 1 and off.max() > -1:
            ax.contourf(x, y, off, levels=[-1, 1], colors="none", hatches=["////"], zorder=2)
            ax.contour(x, y, off, levels=[-1, 1], colors=[INK], linewidths=0.7, linestyles="dotted", zorder=3)
            shown.append(Patch(facecolor="none", edgecolor=INK, hatch="////", linewidth=0.5, label="may be on target"))
        if between.min() < found.goal.target < between.max():
            ax.contour(x, y, between, levels=[found.goal.target], colors=[INK], linewidths=2, zorder=4)
            shown.insert(0, Line2D([], [], color=INK, linewidth=2, label=f"{100 * found.goal.target:.4g} %"))
    if found.printed is not None:
        i, j = found.printed
        ring = Rectangle((j - 0.48, i - 0.47), 0.96, 0.94, fill=False, edgecolor=INK, linewidth=2.2, zorder=5)
        ax.add_patch(ring)
        shown.append(Patch(facecolor="none", edgecolor=INK, linewidth=2, label="printed"))
    if shown:
        ax.legend(handles=shown, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)
    return ax


class _Around(Normalize):
    """0 and 1 at the ends of the colours, the target in the middle."""

    def __init__(self, middle: float) -> None:
        super().__init__(0, 1)
        self.middle = middle

    def __call__(self, value: Any, clip: bool | None = None) -> Any:
        return np.interp(value, [0, self.middle, 1], [0, 0.5, 1])


def _refined(found: Any, times: int = 12) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Rate and band between the settings, by straight lines: the places, and the three tables."""
    rows, columns = found.rate.shape
    y, x = np.linspace(0, rows - 1, (rows - 1) * times + 1), np.linspace(0, columns - 1, (columns - 1) * times + 1)

    def between(table: Floats) -> Floats:
        across = np.array([np.interp(x, np.arange(columns), line) for line in table])
        return np.array([np.interp(y, np.arange(rows), line) for line in across.T]).T

    return x, y, between(found.rate), between(found.low), between(found.high)


@_styled
def steps(found: Sequence[Any], ax: Axes | None = None) -> Axes:
    """Change of the win rate (of one seat: of the score) by each single change; filled where it is certain."""
    ax = _axes(ax, 0.9 + 0.25 * len(found))
    for row, step in enumerate(found):
        one = step.effect
        color = _seat_color(0 if one.value > 0 else 1) if step.sure else MUTED
        ax.plot([one.low, one.high], [row, row], color=color, linewidth=1.4)
        ax.plot([one.value], [row], "o", markersize=5, color=color, markerfacecolor=color if step.sure else "none")
    ax.axvline(0, color=MUTED, linewidth=1)
    ax.set_yticks(range(len(found)), [_label(step.text, 38) for step in found])
    ax.set_ylim(len(found) - 0.4, -0.6)
    ax.grid(visible=False, axis="y")
    ax.set_xlabel("change of the win rate, in points" if found[0].score is None else "change of the mean score")
    return ax


@_styled
def sobol(found: Any, ax: Axes | None = None) -> Axes:
    """First-order (filled) and total (open) index of each knob, with intervals, the greatest on top."""
    order = found.found.order[:30]
    ax = _axes(ax, 1.0 + 0.32 * len(order))
    sides = ((found.found.first, found.found.first_ends, FACE), (found.found.total, found.found.total_ends, "none"))
    for row, knob in enumerate(order):
        for side, (values, ends, face) in enumerate(sides):
            at = row + (side - 0.5) * 0.3
            ax.plot(np.clip(ends[knob], 0, 1), [at, at], color=FACE, linewidth=1.4)
            ax.plot([min(max(float(values[knob]), 0), 1)], [at], "o", markersize=5.5, color=FACE, markerfacecolor=face)
    ax.axvline(0, color=MUTED, linewidth=1)
    ax.set_yticks(range(len(order)), [_label(found.knobs[knob], 30) for knob in order])
    ax.set_ylim(len(order) - 0.4, -0.6)
    ax.grid(visible=False, axis="y")
    _percent(ax, "x")
    ax.set_xlim(-0.03, 1.03)
    ax.set_xlabel("share of the variance between settings")
    shown = [
        Line2D([], [], color=FACE, marker="o", label="by itself"),
        Line2D([], [], color=FACE, marker="o", markerfacecolor="none", label="with others too"),
    ]
    ax.legend(handles=shown, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
    return ax
