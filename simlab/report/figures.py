"""Figures of results, each a function of (results, ax) that returns Matplotlib axes.

Without `ax` each makes a Figure of its own; nothing here touches pyplot. Texts stay text in SVG, colours are
told apart by colour-blind people (Okabe and Ito), and a figure is legible at the width of a phone. `svg_text`
gives the same bytes for the same results.
"""

from __future__ import annotations

import functools
import io
import math
import re
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Literal, ParamSpec, TypeVar

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, Normalize, PowerNorm, to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter, MaxNLocator

from simlab.report.estimate import Estimate, is_number, plain, short, value_text, words
from simlab.report.names import DecisionName, MetricName
from simlab.report.pool import Pool
from simlab.report.view import View, view_of
from simlab.stats.intervals import quantile_from_histogram

INK, MUTED, GRID = "#1f2430", "#5b6472", "#d5dae3"
SEATS = ("#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
NOBODY, SHARED = "#8c8c8c", "#bdbdbd"
ENDINGS = (
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#999999",
    "#332288", "#117733", "#882255", "#ddcc77",
)  # fmt: skip
FACE = "#4c78a8"  # bars that belong to nobody in particular
HUE = LinearSegmentedColormap.from_list("share", ["#f3f6fa", "#9ecae1", "#3182bd", "#08306b"])
WIDTH = 5.2  #: inches of a figure: as wide as a phone can still show

_STYLE: Any = {
    "font.size": 9.5, "font.family": "sans-serif", "svg.fonttype": "none", "svg.hashsalt": "simlab",
    "text.color": INK, "axes.labelcolor": INK, "xtick.color": MUTED, "ytick.color": MUTED,
    "xtick.labelcolor": INK, "ytick.labelcolor": INK, "axes.edgecolor": GRID, "axes.facecolor": "none",
    "figure.facecolor": "none", "savefig.facecolor": "none", "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True, "grid.color": GRID, "grid.linewidth": 0.6, "axes.axisbelow": True,
    "axes.titlesize": 10,
    "axes.titlelocation": "left", "axes.titlecolor": INK, "legend.frameon": False, "legend.fontsize": 9,
    "axes.labelsize": 9.5, "xtick.labelsize": 9, "ytick.labelsize": 9, "xtick.major.size": 3,
    "ytick.major.size": 0,
    "lines.linewidth": 1.8, "axes.unicode_minus": False,
}  # fmt: skip

_P = ParamSpec("_P")
_R = TypeVar("_R")


def _styled(draw: Callable[_P, _R]) -> Callable[_P, _R]:
    @functools.wraps(draw)
    def drawn(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        with rc_context(_STYLE):
            return draw(*args, **kwargs)

    return drawn


class Chart(Axes):
    """Axes that a notebook shows as a picture of their whole figure, without pyplot."""

    def _repr_svg_(self) -> str:
        return standalone(svg_text(self))


def _axes(ax: Axes | None, height: float, width: float = WIDTH) -> Axes:
    if ax is not None:
        return ax
    return Figure(figsize=(width, height), layout="constrained").add_subplot(axes_class=Chart)


def _plain_axes(ax: Axes | None, height: float, width: float = WIDTH) -> Axes:
    """As `_axes`, for figures whose labels are short: fixed margins take half the time of a layout."""
    if ax is not None:
        return ax
    inside = (0.68 / width, 0.48 / height, 1 - 0.8 / width, 1 - 0.78 / height)  # left, bottom, width, height
    return Figure(figsize=(width, height)).add_axes(inside, axes_class=Chart)


def _label(text: object, limit: int = 30) -> str:
    """A text as Matplotlib may draw it: a dollar sign is a dollar sign, not the start of a formula."""
    return short(plain(text), limit).replace("$", r"\$")


def _percent(ax: Axes, axis: str) -> None:
    which = ax.xaxis if axis == "x" else ax.yaxis
    which.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 2.5, 5, 10]))
    which.set_major_formatter(FuncFormatter(lambda x, _: f"{round(100 * x, 6):g} %"))


def _seat_color(seat: int) -> str:
    return SEATS[seat % len(SEATS)]


def _note(ax: Axes, text: str) -> Axes:
    ax.set_axis_off()
    ax.text(0.5, 0.5, text, ha="center", va="center", transform=ax.transAxes, color=MUTED)
    return ax


def _dark(color: Any) -> bool:
    red, green, blue = to_rgb(color)
    return 0.299 * red + 0.587 * green + 0.114 * blue < 0.55


# --- Who wins -----------------------------------------------------------------


@_styled
def by_players(tables: Sequence[tuple[int, Sequence[str], Sequence[Estimate], float]], ax: Axes | None = None) -> Axes:
    """Win rate of each seat by the number of players, and the fair share of each table.

    Args:
        tables: (players, names of the seats, their win rates, the fair share) of each size.
    """
    ax = _axes(ax, 3.6)
    most = max(len(seats) for _, seats, _, _ in tables)
    for seat in range(most):
        held = [(players, rates[seat]) for players, seats, rates, _ in tables if seat < len(seats)]
        name = next(seats[seat] for _, seats, _, _ in tables if seat < len(seats))
        x = [players + 0.6 * ((seat + 0.5) / most - 0.5) for players, _ in held]
        ends = np.maximum([[r.value - r.low for _, r in held], [r.high - r.value for _, r in held]], 0)
        ax.errorbar(x, [r.value for _, r in held], yerr=ends, fmt="o", markersize=4, capsize=2,
                    color=_seat_color(seat), label=_label(name))  # fmt: skip
    for players, _, _, fair in tables:
        ax.hlines(fair, players - 0.38, players + 0.38, color=MUTED, linewidth=1, linestyle="--")
    ax.set_xticks([players for players, _, _, _ in tables])
    ax.set_xlabel("players")
    ax.set_ylabel("win rate")
    ax.set_ylim(bottom=0)
    _percent(ax, "y")
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return ax


@_styled
def win_rates(source: Any, ax: Axes | None = None) -> Axes:
    """Win rate of each seat with its interval: over a knob where one varies, else by cell or by bot.

    Args:
        source: Results.
        ax: axes to draw on; by default those of a new figure.
    """
    view = view_of(source)
    if len(view.varied) == 1 and all(is_number(v) for v in next(iter(view.varied.values()))):
        return knob_curve(view, next(iter(view.varied)), ax=ax)
    return _dots(view, view.groups(), ax)


def _seat_dots(view: View, ax: Axes | None) -> Axes:
    """One cell: a line for each seat."""
    rates = [view.all.win_rate(seat) for seat in range(len(view.seats))]
    names, colors = [*view.seats], [_seat_color(seat) for seat in range(len(view.seats))]
    for name, count, color in zip(
        ("shared", "nobody"), (view.all.shared, view.all.nobody), (SHARED, NOBODY), strict=True
    ):
        if count:
            rates.append(view.all.share(float(count)))
            names.append(name)
            colors.append(color)
    ax = _axes(ax, 0.75 + 0.32 * len(rates))
    for row, (rate, color) in enumerate(zip(rates, colors, strict=True)):
        ends = [[rate.value - rate.low], [rate.high - rate.value]]
        ax.barh(row, rate.value, height=0.5, color=color, alpha=0.3, linewidth=0)
        ax.errorbar([rate.value], [row], xerr=np.maximum(ends, 0), fmt="o", markersize=5, capsize=3, color=color)
    _frame_rates(view, ax, names)
    ax.set_xlabel("share of the games won")
    return ax


def _frame_rates(view: View, ax: Axes, names: Sequence[str]) -> None:
    if len(view.seats) > 1:
        ax.axvline(view.fair_share, color=MUTED, linewidth=1, linestyle=(0, (4, 3)))
    ax.set_yticks(range(len(names)), [_label(name, 34) for name in names])
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.set_xlim(0, 1)
    ax.grid(visible=False, axis="y")
    _percent(ax, "x")


def _dots(view: View, pools: Sequence[Pool], ax: Axes | None) -> Axes:
    if len(pools) == 1:
        return _seat_dots(view, ax)
    ax = _axes(ax, 0.9 + 0.27 * len(pools) + 0.1)
    rows = np.arange(len(pools))
    seats = [0] if _mirrored(view) else range(len(view.seats))
    for seat in seats:
        rates = [pool.win_rate(seat) for pool in pools]
        middle = np.array([rate.value for rate in rates])
        ends = np.array([[rate.value - rate.low, rate.high - rate.value] for rate in rates]).T
        offset = 0.0 if len(seats) == 1 else (seat - (len(seats) - 1) / 2) * 0.16
        ax.errorbar(
            middle,
            rows + offset,
            xerr=np.maximum(ends, 0),
            fmt="o",
            markersize=5,
            capsize=2.5,
            color=_seat_color(seat),
            label=_label(view.seats[seat]),
        )
    _frame_rates(view, ax, [pool.label for pool in pools])
    ax.set_xlabel(_label(f"win rate of {view.the(view.seats[0])}" if len(seats) == 1 else "win rate", 60))
    if len(seats) > 1:
        _legend_below(ax)
    return ax


def _mirrored(view: View) -> bool:
    """Whether one seat's win rate says the other's: two seats and hardly a game without a winner."""
    return len(view.seats) == 2 and view.all.without_single == 0


@_styled
def knob_curve(source: Any, knob: str | None = None, what: str = "win_rate", ax: Axes | None = None) -> Axes:
    """A figure over the values of one knob, with its interval; the faint lines are the match-ups.

    Args:
        knob: name of a knob that varies, by default the first.
        what: `win_rate`, or `turns` for the mean length.
    """
    view = view_of(source)
    ax = _axes(ax, 2.9)
    if not view.varied:
        return _note(ax, "no knob varies in this run")
    knob = knob or next(iter(view.varied))
    values = view.varied[knob]
    pools = view.by_value(knob)
    at = np.array([float(v) for v in values]) if all(is_number(v) for v in values) else np.arange(float(len(values)))
    seats: Sequence[int] = [0]
    if what == "win_rate" and not _mirrored(view):
        seats = range(len(view.seats))
    for seat in seats:
        color = _seat_color(seat) if what == "win_rate" else FACE
        if len(seats) == 1 and len(view.varied) == 1:
            _match_up_lines(view, knob, values, at, what, color, ax)
        found = [pool.win_rate(seat) if what == "win_rate" else pool.mean_length() for pool in pools]
        low, high = np.array([e.low for e in found]), np.array([e.high for e in found])
        if len(at) > 1:
            ax.fill_between(at, low, high, color=color, alpha=0.25, linewidth=0)
        middle = [e.value for e in found]
        ax.errorbar(
            at,
            middle,
            yerr=[np.maximum(middle - low, 0), np.maximum(high - middle, 0)],
            fmt="o-" if len(at) <= 40 else "-",
            markersize=4,
            capsize=2,
            color=color,
            label=_label(view.seats[seat]),
        )
    if what == "win_rate":
        if len(view.seats) > 1:
            ax.axhline(view.fair_share, color=MUTED, linewidth=1, linestyle=(0, (4, 3)))
        bottom, top = ax.get_ylim()
        ax.set_ylim(max(float(bottom), -0.02), min(float(top), 1.02))
        _percent(ax, "y")
        ax.set_ylabel(_label(f"win rate of {view.the(view.seats[0])}" if len(seats) == 1 else "win rate", 40))
        if len(seats) > 1:
            ax.legend(ncols=2)
    else:
        ax.set_ylabel(_label(f"mean length in {view.turn_name}s", 40))
    if not all(is_number(v) for v in values) or len(values) <= 12:
        turn = 30 if max(len(value_text(v)) for v in values) > 8 and len(values) > 3 else 0
        ax.set_xticks(at, [_label(value_text(v), 18) for v in values], rotation=turn, ha="right" if turn else "center")
    printed = view.printed(knob)
    if printed is not None:
        ax.axvline(at[values.index(printed)], color=MUTED, linewidth=1, linestyle=(0, (1, 2)))
        ax.text(
            at[values.index(printed)], 1, "printed", transform=ax.get_xaxis_transform(), color=MUTED,
            fontsize=8, ha="center", va="bottom",
        )  # fmt: skip
    ax.set_xlabel(_label(words(knob), 60))
    return ax


def _match_up_lines(view: View, knob: str, values: Sequence[Any], at: Any, what: str, color: str, ax: Axes) -> None:
    match_ups: dict[tuple[str, ...], dict[Any, Pool]] = {}
    for cell in view.cells:
        line = match_ups.setdefault(tuple(cell.bots.values()), {})
        line[repr(cell.varied.get(knob))] = Pool("", [cell])
    if len(match_ups) < 2:
        return
    for line in list(match_ups.values())[:100]:
        pairs = [(x, line[repr(v)]) for x, v in zip(at, values, strict=True) if repr(v) in line]
        ys = [p.win_rate(0).value if what == "win_rate" else p.mean_length().value for _, p in pairs]
        ax.plot([x for x, _ in pairs], ys, color=color, alpha=0.22, linewidth=0.9)


@_styled
def knob_map(source: Any, ax: Axes | None = None) -> Axes:
    """Win rate of the first seat over two knobs, with the line of even chances where both are numbers."""
    view = view_of(source)
    knobs = list(view.varied)
    if len(knobs) < 2:
        return _note(_axes(ax, 2.0), "fewer than two knobs vary in this run")
    down, across = knobs[0], knobs[1]
    rows, columns = view.varied[down], view.varied[across]
    table = np.full((len(rows), len(columns)), np.nan)
    labels = [["" for _ in columns] for _ in rows]
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            cells = [c for c in view.cells if c.varied.get(down) == row and c.varied.get(across) == column]
            if cells:
                found = view.pool("", cells).win_rate(0)
                table[i, j] = found.value
                labels[i][j] = f"{100 * found.value:.0f}"
    ax = _axes(ax, min(1.2 + 0.36 * len(rows), 9))
    _heat(ax, table, labels, _versus(), Normalize(0, 1))
    ax.set_yticks(range(len(rows)), [_label(value_text(v), 18) for v in rows])
    ax.set_xticks(range(len(columns)), [_label(value_text(v), 12) for v in columns])
    ax.set_xlabel(_label(words(across), 60))
    ax.set_ylabel(_label(words(down), 40))
    numeric = all(is_number(v) for v in [*rows, *columns])
    if numeric and min(table.shape) > 2 and np.nanmin(table) < 0.5 < np.nanmax(table) and not np.isnan(table).any():
        even = ax.contour(table, levels=[0.5], colors=[INK], linewidths=1.6)
        even.set_zorder(3)
    return ax


def _versus() -> LinearSegmentedColormap:
    """From the second seat's colour over white to the first seat's."""
    return LinearSegmentedColormap.from_list("versus", [SEATS[1], "#f6f6f6", SEATS[0]])


def _heat(ax: Axes, table: Any, labels: list[list[str]], hue: Any, norm: Normalize, size: float = 8.5) -> None:
    """Coloured tiles with a text each, as vector shapes."""
    rows, columns = table.shape
    for i in range(rows):
        for j in range(columns):
            value = table[i, j]
            if math.isnan(value):
                continue
            color = hue(norm(value))
            ax.add_patch(Rectangle((j - 0.48, i - 0.47), 0.96, 0.94, facecolor=color, edgecolor="none"))
            if labels[i][j]:
                ax.text(
                    j,
                    i,
                    labels[i][j],
                    ha="center",
                    va="center",
                    fontsize=size,
                    color="#ffffff" if _dark(color) else "#101010",
                )
    ax.set_xlim(-0.5, columns - 0.5)
    ax.set_ylim(rows - 0.5, -0.5)
    ax.grid(visible=False)
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)


@_styled
def matrix(source: Any, ax: Axes | None = None) -> Axes:
    """Win rate of the first seat in per cent: a row for each of its bots, a column for each opponent."""
    view = view_of(source)
    if len(view.seats) != 2:
        return _note(_axes(ax, 2.0), "a matrix needs two seats")
    first, second = (_strongest_first(view, seat) for seat in (0, 1))
    if len(first) > 40 or len(second) > 40:
        return _note(_axes(ax, 2.0), "too many bots for a matrix")
    table = np.full((len(first), len(second)), np.nan)
    labels = [["" for _ in second] for _ in first]
    for i, row in enumerate(first):
        for j, column in enumerate(second):
            cells = [c for c in view.cells if c.bots[view.raw_seats[0]] == row and c.bots[view.raw_seats[1]] == column]
            if cells:
                found = view.pool("", cells).win_rate(0)
                table[i, j] = found.value
                labels[i][j] = f"{100 * found.value:.0f}"
    wide = max(len(second) * 0.42 + 1.9, WIDTH * 0.7)
    longest = max(len(_label(bot, 22)) for bot in second)
    ax = _axes(ax, 0.8 + 0.3 * len(first) + 0.075 * longest, wide)
    _heat(ax, table, labels, _versus(), Normalize(0, 1), 8.5 if len(second) < 16 else 7)
    ax.set_yticks(range(len(first)), [_label(bot, 26) for bot in first])
    ax.set_xticks(
        range(len(second)),
        [_label(bot, 22) for bot in second],
        rotation=45,
        ha="left",
        rotation_mode="anchor",
    )
    ax.xaxis.tick_top()
    ax.set_ylabel(_label(view.seats[0], 30))
    ax.set_xlabel(_label(view.seats[1], 30))
    ax.xaxis.set_label_position("bottom")
    return ax


def _strongest_first(view: View, seat: int) -> list[str]:
    return [pool.label for pool in sorted(view.by_bot(seat), key=lambda pool: -pool.win_rate(seat).value)]


# --- How games end, how long they last ----------------------------------------


@_styled
def endings(source: Any, ax: Axes | None = None) -> Axes:
    """Share of the games by ending, a bar for each cell or group of cells."""
    view = view_of(source)
    pools = view.groups()
    if len(pools) > 1:
        pools = [view.all, *pools]
    counts = np.array([pool.endings for pool in pools], np.float64)
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    shown = [i for i in range(shares.shape[1]) if counts[:, i].any()]
    if len(shown) > len(ENDINGS):
        shown = sorted(sorted(shown, key=lambda i: -shares[0, i])[: len(ENDINGS) - 1])
    parts = [(words(view.endings[i]), shares[:, i], ENDINGS[i % len(ENDINGS)]) for i in shown]
    rest = 1 - sum(part for _, part, _ in parts) if parts else np.zeros(len(pools))
    if np.max(rest, initial=0) > 1e-9:
        parts.append(("others", rest, NOBODY))
    ax = _axes(ax, 0.95 + 0.3 * len(pools) + 0.2 * math.ceil(len(parts) / 3))
    left, rows = np.zeros(len(pools)), np.arange(len(pools))
    for name, part, color in parts:
        ax.barh(
            rows,
            part,
            left=left,
            height=0.74,
            color=color,
            label=_label(name, 24),
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
                    color="#ffffff" if _dark(color) else "#101010",
                )
        left = left + part
    ax.set_yticks(rows, [_label(pool.label, 34) for pool in pools])
    ax.set_ylim(len(pools) - 0.5, -0.5)
    ax.set_xlim(0, 1)
    ax.grid(visible=False, axis="y")
    _percent(ax, "x")
    ax.set_xlabel("share of the games")
    if parts:
        _legend_below(ax)
    return ax


def _legend_below(ax: Axes) -> None:
    if _own(ax):
        ax.figure.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    else:
        ax.legend(ncols=3, loc="upper center", bbox_to_anchor=(0.5, -0.2))


def _own(ax: Axes) -> bool:
    """Whether the figure was made here: then its layout leaves room for a legend outside."""
    figure = ax.figure
    return isinstance(figure, Figure) and len(figure.axes) == 1 and figure.get_layout_engine() is not None


@_styled
def ending_turns(source: Any, ax: Axes | None = None) -> Axes:
    """Per cent of all games by how and when they end: a line for each ending, a column for each turn."""
    view = view_of(source)
    counts = np.asarray(view.all.sum("outcomes").sum(axis=0), np.float64)
    shown, played = np.flatnonzero(counts.any(axis=1)), np.flatnonzero(counts.any(axis=0))
    if not played.size:
        return _note(_axes(ax, 1.6), "no game was played")
    columns = np.arange(played[0], played[-1] + 1)
    wide = -(-columns.size // 24)  # turns that share a column
    starts = np.arange(0, columns.size, wide)
    table = np.add.reduceat(counts[np.ix_(shown, columns)], starts, axis=1) / max(view.all.games, 1)
    ax = _axes(ax, 1.1 + 0.3 * len(shown), 1.6 * WIDTH)
    labels = [[_tile(value) for value in line] for line in table]
    _heat(ax, np.where(table > 0, table, np.nan), labels, HUE, PowerNorm(0.5, 0, float(table.max())), 7.5)
    ax.set_yticks(range(len(shown)), [_label(words(view.endings[i]), 28) for i in shown])
    ax.set_xticks(
        range(starts.size), [str(columns[s]) if wide == 1 else f"{columns[s]}-" for s in starts], fontsize=8
    )  # fmt: skip
    ax.set_xlabel(_label(f"last {view.turn_name}", 40))
    return ax


def _tile(share: float) -> str:
    """A share in per cent, short; nothing for none."""
    if share <= 0:
        return ""
    return f"{100 * share:.0f}" if share >= 0.0095 else "<1"


@_styled
def scores(source: Any, seat: int = 0, ax: Axes | None = None) -> Axes:
    """Score of a seat by ending: median, middle half and middle nine tenths of the games."""
    view = view_of(source)
    lines = [ending for ending in view.by_ending if ending.scores]
    ax = _axes(ax, 0.9 + 0.3 * max(len(lines), 1))
    if not lines:
        return _note(ax, "no row a game was kept")
    for row, ending in enumerate(lines):
        low, quarter, middle, three, high = ending.scores[seat]
        ax.plot([low, high], [row, row], color=_seat_color(seat), linewidth=1.2)
        ax.barh(row, three - quarter, left=quarter, height=0.5, color=_seat_color(seat), alpha=0.35, linewidth=0)
        ax.plot([middle], [row], "o", markersize=5, color=_seat_color(seat))
    ax.set_yticks(
        range(len(lines)), [_label(f"{words(view.endings[e.place])} ({e.games:,})", 40) for e in lines]
    )  # fmt: skip
    ax.set_ylim(len(lines) - 0.5, -0.5)
    ax.grid(visible=False, axis="y")
    ax.set_xlabel(_label(f"score of {view.seats[seat]}", 60))
    return ax


def few(view: View) -> list[Pool]:
    """The curves that fit into one picture: up to five cells or values of a knob, else all together."""
    pools = view.groups(5)
    return pools if 1 < len(pools) <= 5 else [view.all]


@_styled
def length(source: Any, ax: Axes | None = None) -> Axes:
    """Share of the games by their length in turns; the line marks the median."""
    view = view_of(source)
    ax = _plain_axes(ax, 2.7)
    values, counts = view.all.length
    _bars(ax, values, counts, FACE)
    median = quantile_from_histogram(values, counts, 0.5)
    ax.axvline(median, ymax=0.9, color=SEATS[0], linewidth=1.4)
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
    ax.set_xlabel(_label(f"length in {view.turn_name}s", 50))
    ax.set_ylabel("share of the games")
    return ax


def _bars(ax: Axes, values: Any, counts: Any, color: str, most: int = 60) -> None:
    """A histogram of whole numbers: a bar a value, or equal bins where the values are many."""
    total = float(np.sum(counts)) or 1.0
    span = int(values[-1] - values[0]) + 1 if len(values) else 1
    width = max(1, math.ceil(span / most))
    if width > 1:
        start = int(values[0])
        places = (np.asarray(values, np.int64) - start) // width
        heights = np.bincount(places, weights=counts)
        at = start + width * np.arange(heights.size) + (width - 1) / 2
    else:
        at, heights = np.asarray(values, float), np.asarray(counts, float)
    if span == 2 and len(at) == 2:
        ax.set_xlim(at[0] - 0.8, at[1] + 0.8)
    if len(at) == 1:
        ax.set_xlim(at[0] - 2, at[0] + 2)
    ax.bar(at, heights / total, width=0.86 * width, color=color, linewidth=0)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=9))
    ax.grid(visible=False, axis="x")
    _percent(ax, "y")


@_styled
def survival(source: Any, ax: Axes | None = None) -> Axes:
    """Share of the games still going after each turn; the faint lines are cells where there are many."""
    view = view_of(source)
    ax = _plain_axes(ax, 2.7)
    pools = few(view)
    last = max(int(pool.length[0][-1]) if pool.length[0].size else 1 for pool in [*pools, view.all])
    if len(pools) == 1 and len(view.cells) > 1:
        for cell in view.cells[:: -(-len(view.cells) // 40)]:
            ax.plot(*_still(Pool("", [cell]), last), color=FACE, alpha=0.16, linewidth=0.8, drawstyle="steps-post")
    for number, pool in enumerate(pools):
        color = FACE if len(pools) == 1 else ENDINGS[number % len(ENDINGS)]
        ax.plot(*_still(pool, last), color=color, drawstyle="steps-post", label=_label(pool.label, 34))
    ax.set_ylim(0, 1.02)
    ax.set_xlim(0, last + 0.5)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=9))
    _percent(ax, "y")
    ax.set_xlabel(_label(f"after {view.turn_name}", 50))
    ax.set_ylabel("games still going")
    if len(pools) > 1:
        ax.legend()
    return ax


def _still(pool: Pool, last: int) -> tuple[Any, Any]:
    ended = np.cumsum(pool.turns[: last + 1])
    return np.arange(ended.size), 1 - ended / max(pool.games, 1)


@_styled
def metric(source: Any, name: str, ax: Axes | None = None) -> Axes:
    """Distribution of one of the game's metrics.

    Raises:
        UserMistake: the game has no such metric.
    """
    from simlab.errors import UserMistake, nearest

    view = view_of(source)
    known = {m.name: m for m in view.metrics}
    values, counts = view.all.metric(name)
    if not values.size:
        raise UserMistake(f"{view.slug} has no metric '{name}'. {nearest(name, known)}")
    ax = _plain_axes(ax, 2.1, 3.6)
    about = known.get(name)
    if about and about.kind == "category":
        return _shares_of_codes(ax, about, values, counts)
    if about and about.never is not None and (values != about.never).any():
        values, counts = values[values != about.never], counts[values != about.never]
    _bars(ax, values, counts, FACE, most=40)
    ax.set_xlabel(_label(about.unit if about and about.unit else "number", 50))
    some = about is not None and about.never is not None
    ax.set_ylabel("share of the games that have it" if some else "share of the games")
    ax.set_title(_label(words(name), 44))
    return ax


def _shares_of_codes(ax: Axes, about: MetricName, values: Any, counts: Any) -> Axes:
    """A bar a code, with its name."""
    share = {
        int(value): float(count) / max(float(np.sum(counts)), 1.0) for value, count in zip(values, counts, strict=True)
    }
    shown = [code for code in about.codes if share.get(code, 0) > 0]
    ax.barh(range(len(shown)), [share[code] for code in shown], height=0.7, color=FACE, linewidth=0)
    ax.set_yticks(range(len(shown)), [_label(words(about.codes[code]), 24) for code in shown])
    ax.invert_yaxis()
    ax.grid(visible=False, axis="y")
    _percent(ax, "x")
    ax.set_xlabel("share of the games")
    ax.set_title(_label(words(about.name), 44))
    return ax


# --- Tracks -------------------------------------------------------------------


@_styled
def tracks(source: Any, ax: Axes | None = None, name: str | None = None) -> Axes:
    """A track over the turns: median, middle half and middle nine tenths of the games still going.

    Args:
        name: of the track; by default all, a panel each (then the first panel is returned), or the first on
            `ax`.
    """
    from simlab.errors import UserMistake, nearest

    view = view_of(source)
    known = [track.name for track in view.tracks]
    if not known:
        return _note(_axes(ax, 1.6), "this game has no tracks")
    if name is not None and name not in known:
        raise UserMistake(f"{view.slug} has no track '{name}'. {nearest(name, known)}")
    if name is None and ax is None and len(known) > 1:
        figure = Figure(figsize=(WIDTH, 2.2 * len(known)), layout="constrained")
        panels = [figure.add_subplot(len(known), 1, i + 1, axes_class=Chart) for i in range(len(known))]
        for i, panel in enumerate(panels):
            _track(view, i, panel)
        return panels[0]
    return _track(view, known.index(name) if name is not None else 0, _plain_axes(ax, 2.5, 4.2))


def track_bands(view: View, index: int) -> tuple[Any, Any]:
    """Quantiles of a track over the turns.

    Returns:
        turns (n,), and the 5, 25, 50, 75 and 95 % quantiles (n, 5), for the turns that 1 % of the games and
        20 reach.
    """
    track = view.tracks[index]
    counts = view.all.sum("tracks")[:, index, :]
    going = counts.sum(axis=1)
    turns = np.flatnonzero(going >= max(20.0, 0.01 * going.max(initial=0)))
    if turns.size == 0:
        turns = np.flatnonzero(going > 0)
    values = track.low + np.arange(counts.shape[1])
    bands = [quantile_from_histogram(values, counts[t], [0.05, 0.25, 0.5, 0.75, 0.95]) for t in turns]
    return turns, np.array(bands).reshape(-1, 5)


def _track(view: View, index: int, ax: Axes) -> Axes:
    track = view.tracks[index]
    turns, bands = track_bands(view, index)
    if turns.size:
        steps: Literal["mid"] | None = "mid" if turns.size < 60 else None
        ax.fill_between(
            turns,
            bands[:, 0],
            bands[:, 4],
            color=FACE,
            alpha=0.2,
            linewidth=0,
            step=steps,
            label="90 % of games",
        )
        ax.fill_between(
            turns,
            bands[:, 1],
            bands[:, 3],
            color=FACE,
            alpha=0.4,
            linewidth=0,
            step=steps,
            label="half of games",
        )
        ax.plot(turns, bands[:, 2], color=INK, drawstyle="steps-mid" if steps else "default", label="median")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=9))
    ax.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))
    ax.set_title(_label(track.help or words(track.name), 48))
    ax.set_xlabel(_label(f"{view.turn_name}", 40))
    return ax


# --- Actions and rules --------------------------------------------------------


@_styled
def actions(source: Any, ax: Axes | None = None, seat: int | None = None, decision: int | None = None) -> Axes:
    """How often each action was taken when it was offered, a column for each bot.

    Args:
        seat, decision: which seat's decision of which kind; by default the first with the most offers.
    """
    view = view_of(source)
    offered = view.all.sum("offered")
    if not offered.any():
        return _note(_axes(ax, 1.6), "no action was counted")
    if seat is None or decision is None:
        totals = offered.sum(axis=2)
        if seat is not None:
            totals[np.arange(totals.shape[0]) != seat] = 0
        seat, decision = (int(i) for i in np.unravel_index(int(np.argmax(totals)), totals.shape))
    table = ActionTable(view, seat, decision)
    wide = max(1.9 + 0.42 * len(table.bots), WIDTH * 0.7)
    longest = max((len(_label(bot, 20)) for bot in table.bots), default=1)
    tilted = len(table.bots) > 1
    ax = _axes(ax, 0.7 + 0.27 * len(table.actions) + (0.07 * longest if tilted else 0.2), wide)
    labels = [[_share_label(value) for value in row] for row in table.shares]
    _heat(ax, table.shares, labels, HUE, Normalize(0, 1), 8 if len(table.bots) < 16 else 6.5)
    ax.set_yticks(range(len(table.actions)), [_label(table.label(a), 34) for a in table.actions])
    names = [_label(bot, 20) for bot in table.bots]
    ax.set_xticks(
        range(len(names)),
        names,
        rotation=45 if tilted else 0,
        ha="left" if tilted else "center",
        rotation_mode="anchor",
    )
    ax.xaxis.tick_top()
    return ax


def _share_label(value: float) -> str:
    if math.isnan(value):
        return ""
    return "0" if value == 0 else "<1" if value < 0.005 else f"{100 * value:.0f}"


class ActionTable:
    """Use of the actions of one decision by the bots of a seat.

    Attributes:
        bots: texts. actions: indices that were offered, the most taken first cut to 30, in the game's order.
        offered, chosen, used_games, used_wins: counts, shape (actions, bots).
        shares: chosen / offered, nan where never offered.
        dropped: actions that were cut.
    """

    MOST = 30

    def __init__(self, view: View, seat: int, decision: int) -> None:
        self.view, self.seat, self.decision = view, seat, decision
        self.pools = view.by_bot(seat)
        if len(self.pools) > 20:
            self.pools = [view.all]
        self.pools = [p for p in self.pools if p.sum("offered")[seat, decision].any()] or self.pools[:1]
        self.bots = [pool.label for pool in self.pools]
        parts = {
            name: np.stack([pool.sum(name)[seat, decision] for pool in self.pools], axis=-1)
            for name in ("offered", "chosen", "used_games", "used_wins")
        }
        ever = np.flatnonzero(parts["offered"].any(axis=1))
        busiest = ever[np.argsort(-parts["chosen"][ever].sum(axis=1), kind="stable")][: self.MOST]
        self.dropped = int(ever.size - busiest.size)
        self.actions = sorted(int(a) for a in busiest)
        self.offered, self.chosen, self.used_games, self.used_wins = (p[self.actions] for p in parts.values())
        with np.errstate(invalid="ignore", divide="ignore"):
            self.shares = np.where(self.offered > 0, self.chosen / np.maximum(self.offered, 1), np.nan)

    @property
    def name(self) -> DecisionName:
        return self.view.decisions[self.decision]

    def label(self, action: int) -> str:
        return self.name.action(action)

    def share(self, row: int, column: int) -> Estimate:
        """Chosen share with an interval that takes a game's choices for one: they hang together."""
        pool = self.pools[column]
        offered, chosen = float(self.offered[row, column]), float(self.chosen[row, column])
        if offered <= 0:
            return Estimate(math.nan, 0.0, 1.0)
        games = min(offered, float(pool.games))
        return pool.share(chosen / offered * games, games)

    def win_rate(self, row: int, column: int) -> Estimate:
        """Win rate over the games in which the bot took the action at least once."""
        return self.pools[column].share(float(self.used_wins[row, column]), float(self.used_games[row, column]))


@_styled
def differences(found: Sequence[tuple[str, Estimate]], ax: Axes | None = None) -> Axes:
    """Differences with their intervals, a line each; those that are certain in colour."""
    ax = _axes(ax, 0.8 + 0.26 * max(len(found), 1))
    for place, (_, one) in enumerate(found):
        color = FACE if one.low > 0 or one.high < 0 else MUTED
        ax.plot([one.low, one.high], [place, place], color=color, lw=1.6)
        ax.plot([one.value], [place], "o", color=color, ms=5)
    ax.axvline(0, color=MUTED, lw=1)
    ax.set_yticks(range(len(found)), [_label(name, 36) for name, _ in found])
    ax.set_ylim(max(len(found), 1) - 0.4, -0.6)
    ax.set_xlabel("after less before")
    return ax


@_styled
def luck(rows: Sequence[dict[str, Any]], ax: Axes | None = None) -> Axes:
    """Shares of the variance by kind of luck: alone and in total."""
    ax = _axes(ax, 0.8 + 0.5 * len(rows))
    for place, row in enumerate(rows):
        for found, shift, face in ((row["alone"], -0.12, FACE), (row["total"], 0.12, "white")):
            ax.plot([found.low, found.high], [place + shift] * 2, color=FACE, lw=1.6)
            ax.plot([found.value], [place + shift], "o", color=FACE, markerfacecolor=face, ms=6)
    ax.set_yticks(range(len(rows)), [_label(row["kind"], 30) for row in rows])
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.set_xlim(-0.02, 1.02)
    _percent(ax, "x")
    ax.set_xlabel("of the variance of the result")
    return ax


@_styled
def items(report: Any, ax: Axes | None = None, most: int = 16) -> Axes:
    """The uses of items that go with the largest differences: simlab.report.items.ItemReport.strongest."""
    shown = report.strongest[:most]
    ax = _axes(ax, 0.9 + 0.24 * len(shown), WIDTH * 1.25)
    for place, one in enumerate(shown):
        found = report.effect(one)
        color = _seat_color(report.seat)
        ax.plot([found.low, found.high], [place, place], color=color, lw=1.6)
        ax.plot([found.value], [place], "o", color=color, ms=5)
    ax.axvline(0, color=MUTED, lw=1)
    ax.set_yticks(range(len(shown)), [_label(f"{report.name(o.item)}: {report.uses[o.use]}", 44) for o in shown])
    ax.set_ylim(len(shown) - 0.4, -0.6)
    ax.set_xlabel("score more" if len(report.view.seats) == 1 else "points of win rate more")
    return ax


@_styled
def rules(source: Any, ax: Axes | None = None) -> Axes:
    """The rule ledger as tiles, a row for each chapter: the darker, the more of the games a rule fired in.

    A tile with a red frame never fired.
    """
    view = view_of(source)
    if not view.rules:
        return _note(_axes(ax, 1.6), "no rules were counted")
    fired = view.all.sum("fired_games")
    share = fired / max(view.all.games, 1)
    lines: list[tuple[str, list[int]]] = []
    for i, rule in enumerate(view.rules):
        chapter = rule.id.rpartition("-")[0] or "rules"
        if not lines or lines[-1][0] != chapter or len(lines[-1][1]) >= 15:
            lines.append((chapter, []))
        lines[-1][1].append(i)
    most = max(len(line) for _, line in lines)
    ax = _axes(ax, 0.55 + 0.29 * len(lines), max(1.3 + 0.33 * most, WIDTH * 0.8))
    seen = ""
    ticks = []
    for row, (chapter, line) in enumerate(lines):
        ticks.append("" if chapter == seen else _label(chapter, 18))
        seen = chapter
        for column, i in enumerate(line):
            value = float(share[i]) if i < share.size else 0.0
            never = i >= fired.size or fired[i] == 0
            color = "#ffffff" if never else HUE(Normalize(0, 1)(value))
            ax.add_patch(
                Rectangle(
                    (column - 0.46, row - 0.44),
                    0.92,
                    0.88,
                    facecolor=color,
                    linewidth=1.2,
                    edgecolor="#c1121f" if never else "none",
                    zorder=2 if never else 1,
                )
            )
            ax.text(
                column,
                row,
                _label(view.rules[i].id.rpartition("-")[2], 4),
                ha="center",
                va="center",
                fontsize=7.5,
                color="#ffffff" if _dark(color) else "#101010",
                zorder=3,
            )
    ax.set_xlim(-0.5, most - 0.5)
    ax.set_ylim(len(lines) - 0.5, -0.5)
    ax.set_xticks([])
    ax.set_yticks(range(len(lines)), ticks)
    ax.grid(visible=False)
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)
    return ax


# --- SVG ----------------------------------------------------------------------

_FONT = re.compile(r"font: ((?:italic |oblique )?(?:[\w.]+ )?[\d.]+px) [^;\"]*")
_DECIMALS = re.compile(r"(\d\.\d\d)\d+")  # a hundredth of a point is finer than any screen
_COLORS = {INK: "--ink", MUTED: "--muted", GRID: "--grid"}


def svg_text(ax: Axes) -> str:
    """The axes' figure as an SVG document; the same bytes for the same figure."""
    figure = ax.get_figure(root=True)
    if figure is None:
        raise ValueError("these axes belong to no figure")
    buffer = io.StringIO()
    with rc_context(_STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")  # the reader's own fonts will have it
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    return buffer.getvalue()


def standalone(text: str) -> str:
    """An SVG document on white, for a file or a notebook, which may be dark."""
    start = text.index(">", text.index("<svg")) + 1
    return f'{text[:start]}\n <rect width="100%" height="100%" fill="#ffffff"/>{text[start:]}'


def inline_svg(text: str, prefix: str, title: str) -> str:
    """The figure for the inside of an HTML page: ids of its own, the page's font, colours that follow light
    and dark.

    Args:
        text: an SVG document, as `svg_text` gives it.
        prefix: of all ids, so that two figures of one page do not share them.
        title: what the figure shows, for those who cannot see it; escaped here.
    """
    from markupsafe import escape

    body = text[text.index("<svg") :]
    body = re.sub(r"\s*<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    size = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', body)
    wide, high = (float(size[1]), float(size[2])) if size else (374.0, 200.0)
    body = body[body.index(">") + 1 :]
    used = set(re.findall(r"(?:url\(#|href=\"#)([\w.-]+)", body))
    body = re.sub(r' id="([\w.-]+)"', lambda m: f' id="{prefix}{m[1]}"' if m[1] in used else "", body)
    body = re.sub(r"(url\(#|href=\"#)([\w.-]+)", lambda m: f"{m[1]}{prefix}{m[2]}", body)
    body = _FONT.sub(lambda m: f"font: {m[1]} var(--font)", body)
    for color, name in _COLORS.items():
        body = body.replace(color, f"var({name})")
    body = re.sub(r'(?<= d=")[^"]*|(?<= points=")[^"]*', lambda m: _DECIMALS.sub(r"\1", m[0]), body)
    body = re.sub(r"\n\s*", "\n", body)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" role="img" '
        f'viewBox="0 0 {wide:g} {high:g}" style="--least:{wide:.0f}px;max-width:{1.45 * wide:.0f}px">'
        f"\n<title>{escape(title)}</title>{body}"
    )
