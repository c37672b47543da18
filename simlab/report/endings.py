"""How games end: which endings, when, and what goes with each."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from simlab.present.chart import Draw, chart
from simlab.present.estimate import LEVEL, Estimate, words
from simlab.report.metrics import empty_metrics
from simlab.results import drill_down
from simlab.results.pool import Pool
from simlab.results.view import View, view_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def ending_shares(pool: Pool) -> list[Estimate]:
    """Share of each ending; the intervals hold for all endings together (Goodman)."""
    level = 1 - (1 - LEVEL) / max(len(pool.endings), 1)
    return [pool.ending(place, level) for place in range(len(pool.endings))]


def endings_sentence(view: View) -> str:
    """How games end."""
    shares = ending_shares(view.all)
    order = sorted((i for i in range(len(shares)) if shares[i].value > 0), key=lambda i: -shares[i].value)
    if not order:
        return ""
    parts = [f"{words(view.endings[i])} ({shares[i].inner})" for i in order]
    if len(parts) == 1:
        return f"All games seen end by {parts[0]}."
    return f"Games end by {', '.join(parts[:-1])} or {parts[-1]}."


@chart
def endings(source: Any, ax: Axes | None = None) -> Axes:
    """Share of the games by ending, a bar for each cell or group of cells."""

    from simlab.present import drawing

    view = view_of(source)
    pools = view.groups()
    if len(pools) > 1:
        pools = [view.all, *pools]
    counts = np.array([pool.endings for pool in pools], np.float64)
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    shown = [i for i in range(shares.shape[1]) if counts[:, i].any()]
    if len(shown) > len(drawing.ENDINGS):
        shown = sorted(sorted(shown, key=lambda i: -shares[0, i])[: len(drawing.ENDINGS) - 1])
    parts = [(words(view.endings[i]), shares[:, i], drawing.ENDINGS[i % len(drawing.ENDINGS)]) for i in shown]
    rest = 1 - sum(part for _, part, _ in parts) if parts else np.zeros(len(pools))
    if np.max(rest, initial=0) > 1e-9:
        parts.append(("others", rest, drawing.NOBODY))
    ax = drawing.axes(ax, 0.95 + 0.3 * len(pools) + 0.2 * math.ceil(len(parts) / 3))
    left, rows = np.zeros(len(pools)), np.arange(len(pools))
    for name, part, color in parts:
        ax.barh(
            rows,
            part,
            left=left,
            height=0.74,
            color=color,
            label=drawing.label(name, 24),
            edgecolor="#ffffff",
            linewidth=0.4,
        )
        for row in range(len(pools)):
            if part[row] >= 0.07:
                ax.text(
                    left[row] + part[row] / 2,
                    row,
                    f"{100 * part[row]:.0f}",
                    ha="center",
                    va="center",
                    fontsize=8.5,
                    color="#ffffff" if drawing.dark(color) else "#101010",
                )
        left = left + part
    ax.set_yticks(rows, [drawing.label(pool.label, 34) for pool in pools])
    ax.set_ylim(len(pools) - 0.5, -0.5)
    ax.set_xlim(0, 1)
    ax.grid(visible=False, axis="y")
    drawing.percent(ax, "x")
    ax.set_xlabel("share of the games")
    if parts:
        drawing.legend_below(ax)
    return ax


@chart
def ending_turns(source: Any, ax: Axes | None = None) -> Axes:
    """Per cent of all games by how and when they end: a line for each ending, a column for each turn."""

    from matplotlib.colors import PowerNorm

    from simlab.present import drawing

    view = view_of(source)
    counts = np.asarray(view.all.sum("outcomes").sum(axis=0), np.float64)
    shown, played = np.flatnonzero(counts.any(axis=1)), np.flatnonzero(counts.any(axis=0))
    if not played.size:
        return drawing.note(drawing.axes(ax, 1.6), "no game was played")
    columns = np.arange(played[0], played[-1] + 1)
    wide = -(-columns.size // 24)  # turns that share a column
    starts = np.arange(0, columns.size, wide)
    table = np.add.reduceat(counts[np.ix_(shown, columns)], starts, axis=1) / max(view.all.games, 1)
    ax = drawing.axes(ax, 1.1 + 0.3 * len(shown), 1.6 * drawing.WIDTH)
    labels = [[_tile(value) for value in line] for line in table]
    drawing.heat(
        ax, np.where(table > 0, table, np.nan), labels, drawing.HUE, PowerNorm(0.5, 0, float(table.max())), 7.5
    )
    drawing.name_tiles(
        ax,
        [drawing.label(words(view.endings[i]), 28) for i in shown],
        [_span(int(columns[s]), min(int(columns[s]) + wide, int(columns[-1]) + 1) - 1) for s in starts],
        across=drawing.label(f"last {view.turn_name}", 40),
        size=8,
    )
    return ax


def _span(first: int, last: int) -> str:
    """The turns of a column."""
    return str(first) if first == last else f"{first}–{last}"


def _tile(share: float) -> str:
    """A share in per cent, short; nothing for none."""
    if share <= 0:
        return ""
    return f"{100 * share:.0f}" if share >= 0.0095 else "<1"


@chart
def scores(source: Any, seat: int = 0, ax: Axes | None = None) -> Axes:
    """Score of a seat by ending: median, middle half and middle nine tenths of the games."""

    from simlab.present import drawing

    view = view_of(source)
    lines = [ending for ending in view.by_ending if ending.scores]
    ax = drawing.axes(ax, 0.9 + 0.3 * max(len(lines), 1))
    if not lines:
        return drawing.note(ax, "no row a game was kept")
    for row, ending in enumerate(lines):
        low, quarter, middle, three, high = ending.scores[seat]
        ax.plot([low, high], [row, row], color=drawing.seat_color(seat), linewidth=1.2)
        ax.barh(row, three - quarter, left=quarter, height=0.5, color=drawing.seat_color(seat), alpha=0.35, linewidth=0)
        ax.plot([middle], [row], "o", markersize=5, color=drawing.seat_color(seat))
    ax.set_yticks(
        range(len(lines)), [drawing.label(f"{words(view.endings[e.place])} ({e.games:,})", 40) for e in lines]
    )  # fmt: skip
    ax.set_ylim(len(lines) - 0.5, -0.5)
    ax.grid(visible=False, axis="y")
    ax.set_xlabel(drawing.label(f"score of {view.seats[seat]}", 60))
    return ax


def section(view: View, draw: Draw) -> dict[str, Any]:
    pools = view.groups()
    if len(pools) > 1:
        pools = [view.all, *pools]
    shown = [i for i in range(len(view.endings)) if view.all.endings[i]]
    never = [f"“{words(name)}”" for i, name in enumerate(view.endings) if not view.all.endings[i]]
    rows = [
        {
            "label": pool.label,
            "shares": [ending_shares(pool)[i] for i in shown],
            "behind": [drill_down.ended(view, pool, i) for i in shown],
        }
        for pool in pools[:40]
    ]
    caption = endings_sentence(view) + (" The bars below the first: cell by cell." if len(pools) > 1 else "")
    if view.grouped and len(pools) > 1:
        caption = endings_sentence(view) + " The bars below the first: groups of cells."
    return {
        "figure": draw("endings", endings(view), caption),
        "names": [words(view.endings[i]) for i in shown],
        "rows": rows,
        "never": never,
    }


def turns_section(view: View, draw: Draw) -> dict[str, Any] | None:
    counts = view.all.sum("outcomes").sum(axis=0)
    if np.count_nonzero(counts.any(axis=0)) < 2 or np.count_nonzero(counts.any(axis=1)) < 2:
        return None
    place, turn = np.unravel_index(int(counts.argmax()), counts.shape)
    caption = (
        f"Per cent of all games by ending and last {view.turn_name}; most often "
        f"“{words(view.endings[place])}” in {view.turn_name} {turn}, "
        f"in {view.all.share(float(counts[place, turn])).full} of the games."
    )
    most = f"{drill_down.ending_is(view, int(place))} and turns = {int(turn)}"
    shown = [
        drill_down.all_games(view, view.all),
        drill_down.games_where(
            view, view.all, int(counts[place, turn]), most, f"those of {view.turn_name} {int(turn)}"
        ),
    ]
    return draw("ending_turns", ending_turns(view), caption, wide=True, games=shown)


def means_section(view: View, draw: Draw) -> dict[str, Any] | None:
    """Scores and metrics of the games of each ending."""
    means = view.by_ending
    if len(means) < 2:
        return None
    drawn = []
    for seat, name in enumerate(view.seats if means[0].scores else []):
        caption = (
            f"Score of {name} by ending (games): the dot is the median, the bar the middle half, the line the "
            "middle nine tenths."
        )
        drawn.append(draw(f"scores_{seat}", scores(view, seat), caption))
    wins = [
        {"name": name, "rates": [ending.wins[seat] for ending in means]}
        for seat, name in enumerate(view.labels if len(view.seats) > 1 else [])
    ]
    empty = empty_metrics(view)
    rows = [
        {"name": words(name), "means": [ending.means[name] for ending in means]}
        for name in means[0].means
        if name not in empty and len({ending.means[name].value for ending in means}) > 1
    ]
    names = [f"{words(view.endings[ending.place])} ({ending.games:,})" for ending in means]
    shown = [drill_down.ended(view, view.all, ending.place) for ending in means]
    return {"figures": drawn, "names": names, "wins": wins, "rows": rows, "behind": shown}
