"""How long games last."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from simlab.present.chart import Draw, chart
from simlab.present.estimate import Estimate
from simlab.results import drill_down
from simlab.results.pool import Pool
from simlab.results.view import View, view_of
from simlab.stats.intervals import quantile_from_histogram

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def length_sentence(view: View) -> str:
    """How long games last."""
    pool = view.all
    mean = pool.mean_length()
    half, most = (pool.quantile(pool.length, q, column="turns") for q in (0.5, 0.9))
    turns = f"{view.turn_name}s"
    return (
        f"A game lasts {mean.full} {turns} on average; half of the games are over within "
        f"{half.value:g}{span(half)} {turns}, "
        f"nine in ten within {most.value:g}{span(most)}."
    )


def span(quantile: Estimate) -> str:
    if quantile.low == quantile.high:
        return ""
    ends = [f"{end:g}" if math.isfinite(end) else "?" for end in (quantile.low, quantile.high)]
    return f" ({ends[0]}–{ends[1]})"


def quantile_text(quantile: Estimate) -> str:
    """A quantile with its interval, where that is more than one number."""
    return f"{quantile.value:g}{span(quantile)}" if math.isfinite(quantile.value) else "–"


def few(view: View) -> list[Pool]:
    """The curves that fit into one picture: up to five cells or values of a knob, else all together."""
    pools = view.groups(5)
    return pools if 1 < len(pools) <= 5 else [view.all]


@chart
def length(source: Any, ax: Axes | None = None) -> Axes:
    """Share of the games by their length in turns; the line marks the median."""

    from simlab.present import drawing

    view = view_of(source)
    ax = drawing.plain_axes(ax, 2.7)
    values, counts = view.all.length
    drawing.bars(ax, values, counts, drawing.FACE)
    median = quantile_from_histogram(values, counts, 0.5)
    ax.axvline(median, ymax=0.9, color=drawing.SEATS[0], linewidth=1.4)
    ax.set_ylim(0, ax.get_ylim()[1] * 1.12)
    ax.text(
        median,
        0.99,
        f"median {median:g}",
        transform=ax.get_xaxis_transform(),
        va="top",
        ha="center",
        fontsize=9,
    )
    ax.set_xlabel(drawing.label(f"length in {view.turn_name}s", 50))
    ax.set_ylabel("share of the games")
    return ax


@chart
def survival(source: Any, ax: Axes | None = None) -> Axes:
    """Share of the games still going after each turn; the faint lines are cells where there are many."""

    from matplotlib.ticker import MaxNLocator

    from simlab.present import drawing

    view = view_of(source)
    ax = drawing.plain_axes(ax, 2.7)
    pools = few(view)
    last = max(int(pool.length[0][-1]) if pool.length[0].size else 1 for pool in [*pools, view.all])
    if len(pools) == 1 and len(view.cells) > 1:
        for cell in view.cells[:: -(-len(view.cells) // 40)]:
            ax.plot(
                *_still(Pool("", [cell]), last), color=drawing.FACE, alpha=0.16, linewidth=0.8, drawstyle="steps-post"
            )
    for number, pool in enumerate(pools):
        color = drawing.FACE if len(pools) == 1 else drawing.ENDINGS[number % len(drawing.ENDINGS)]
        ax.plot(*_still(pool, last), color=color, drawstyle="steps-post", label=drawing.label(pool.label, 34))
    ax.set_ylim(0, 1.02)
    ax.set_xlim(0, last + 0.5)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=9))
    drawing.percent(ax, "y")
    ax.set_xlabel(drawing.label(f"after {view.turn_name}", 50))
    ax.set_ylabel("games still going")
    if len(pools) > 1:
        ax.legend()
    return ax


def _still(pool: Pool, last: int) -> tuple[Any, Any]:
    ended = np.cumsum(pool.turns[: last + 1])
    return np.arange(ended.size), 1 - ended / max(pool.games, 1)


def section(view: View, draw: Draw) -> list[dict[str, Any]]:
    pool = view.all
    turns = f"{view.turn_name}s"
    values, counts = pool.length
    early, half, late = (pool.quantile((values, counts), q, column="turns") for q in (0.05, 0.5, 0.95))
    together = "All cells together: " if len(view.cells) > 1 else ""
    first = (
        f"{together}nine games in ten last {early.value:g}{span(early)} to {late.value:g}"
        f"{span(late)} {turns}; the longest of {pool.games:,} took {int(values[-1])}."
    )
    second = (
        f"Share of the games still going after each {view.turn_name}: half of them are over after "
        f"{half.value:g}{span(half)}."
    )
    if len(view.cells) > 1 and len(few(view)) == 1:
        second += " The faint lines are single cells."
    shown = [drill_down.all_games(view, pool), drill_down.highest(view, pool, "turns", (values, counts), "the longest")]
    return [
        draw("length", length(view), first[:1].upper() + first[1:], games=shown),
        draw("survival", survival(view), second),
    ]
