"""What each knob does to win rates and length, all else pooled."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from simlab.present.blocks import GamesLink
from simlab.present.chart import Draw, chart
from simlab.present.estimate import Estimate, estimate_of, is_number, value_text, words
from simlab.results import drill_down
from simlab.results.pool import Pool
from simlab.results.view import View, view_of
from simlab.stats.intervals import difference_of_rates
from simlab.stats.paired import paired_difference

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_KNOBS = 6  #: with charts of their own


def knob_sentence(view: View, knob: str) -> str:
    """What a knob does to the first seat's win rate, all else pooled."""
    pools = view.by_value(knob)
    values = view.varied[knob]
    rates = [pool.win_rate(0) for pool in pools]
    name, seat = words(knob), view.seats[0]
    if len(pools) > 30:
        return ""
    if not all(is_number(v) for v in values):
        each = ", ".join(f"{rate.full} with {value_text(v)}" for v, rate in zip(values, rates, strict=True))
        return f"By {name}, {view.the(seat)} wins {each}."
    first, last = rates[0], rates[-1]
    steps = np.diff([rate.value for rate in rates])
    change = _change(view, pools[0], pools[-1])
    apart = change.low > 0 or change.high < 0
    way = "goes from"
    if apart and np.all(steps > 0):
        way = "rises from"
    elif apart and np.all(steps < 0):
        way = "falls from"
    unsure = "" if apart else f"; no detectable change on the same seeds: {change.full} points"
    return (
        f"As {name} goes from {value_text(values[0])} to {value_text(values[-1])}, {view.the(seat)}'s win rate "
        f"{way} {first.full} to {last.full}{unsure}.{_closest_to_even(values, rates)}"
    )


def _change(view: View, first: Pool, last: Pool) -> Estimate:
    """Win rate of the first seat with the last value less that with the first, in points.

    Cells play the same seeds, so the games are compared one by one where they are known.
    """
    won = view.won(0)
    if won is not None:
        before, after = (won[:, [view.cells.index(cell) for cell in pool.cells]].mean(axis=1) for pool in (first, last))
        paired = paired_difference(before, after)
        return estimate_of((paired.difference, paired.low, paired.high), 100, False)
    # Cells share their luck: k of them count as one of so many games.
    (wins_a, games_a), (wins_b, games_b) = (
        (float(pool.wins[0]) / pool.size, pool.games / pool.size) for pool in (first, last)
    )
    return estimate_of(difference_of_rates(wins_a, games_a, wins_b, games_b), 100, False)


def _closest_to_even(values: Sequence[Any], rates: Sequence[Estimate]) -> str:
    """Which values may be the closest to even, as far as the intervals tell; nothing where nearly all may be."""
    if len(rates) < 3:
        return ""
    nearest = [0.0 if r.low <= 0.5 <= r.high else min(abs(r.low - 0.5), abs(r.high - 0.5)) for r in rates]
    furthest = [max(abs(r.low - 0.5), abs(r.high - 0.5)) for r in rates]
    may = [i for i, near in enumerate(nearest) if near <= min(furthest)]
    if len(may) == 1:
        return f" It is closest to even at {value_text(values[may[0]])} ({rates[may[0]].inner})."
    if len(may) > 3 or len(may) == len(rates):
        return ""
    return f" Closest to even is one of {', '.join(f'{value_text(values[i])} ({rates[i].inner})' for i in may)}."


@chart
def knob_curve(source: Any, knob: str | None = None, what: str = "win_rate", ax: Axes | None = None) -> Axes:
    """A figure over the values of one knob, with its interval; the faint lines are the match-ups.

    Args:
        knob: name of a knob that varies, by default the first.
        what: `win_rate`, or `turns` for the mean length.
    """

    from simlab.present import drawing

    view = view_of(source)
    ax = drawing.axes(ax, 2.9)
    if not view.varied:
        return drawing.note(ax, "no knob varies in this run")
    knob = knob or next(iter(view.varied))
    values = view.varied[knob]
    pools = view.by_value(knob)
    at = np.array([float(v) for v in values]) if all(is_number(v) for v in values) else np.arange(float(len(values)))
    seats: Sequence[int] = [0]
    if what == "win_rate" and not view.mirrored:
        seats = range(len(view.seats))
    for seat in seats:
        color = drawing.seat_color(seat) if what == "win_rate" else drawing.FACE
        if len(seats) == 1 and len(view.varied) == 1:
            _match_up_lines(view, knob, values, at, what, color, ax)
        estimates = [pool.win_rate(seat) if what == "win_rate" else pool.mean_length() for pool in pools]
        low, high = np.array([e.low for e in estimates]), np.array([e.high for e in estimates])
        if len(at) > 1:
            ax.fill_between(at, low, high, color=color, alpha=0.25, linewidth=0)
        middle = [e.value for e in estimates]
        ax.errorbar(
            at,
            middle,
            yerr=[np.maximum(middle - low, 0), np.maximum(high - middle, 0)],
            fmt="o-" if len(at) <= 40 else "-",
            markersize=4,
            capsize=2,
            color=color,
            label=drawing.label(view.seats[seat]),
        )
    if what == "win_rate":
        if len(view.seats) > 1 and not view.joint_sides:
            ax.axhline(view.fair_share, color=drawing.MUTED, linewidth=1, linestyle=(0, (4, 3)))
        bottom, top = ax.get_ylim()
        ax.set_ylim(max(float(bottom), -0.02), min(float(top), 1.02))
        drawing.percent(ax, "y")
        ax.set_ylabel(drawing.label(f"win rate of {view.the(view.seats[0])}" if len(seats) == 1 else "win rate", 40))
        if len(seats) > 1:
            ax.legend(ncols=2)
    else:
        ax.set_ylabel(drawing.label(f"mean length in {view.turn_name}s", 40))
    if not all(is_number(v) for v in values) or len(values) <= 12:
        turn = 30 if max(len(value_text(v)) for v in values) > 8 and len(values) > 3 else 0
        ax.set_xticks(
            at, [drawing.label(value_text(v), 18) for v in values], rotation=turn, ha="right" if turn else "center"
        )
    printed = view.printed(knob)
    if printed is not None:
        ax.axvline(at[values.index(printed)], color=drawing.MUTED, linewidth=1, linestyle=(0, (1, 2)))
        ax.text(
            at[values.index(printed)], 1, "printed", transform=ax.get_xaxis_transform(), color=drawing.MUTED,
            fontsize=8, ha="center", va="bottom",
        )  # fmt: skip
    ax.set_xlabel(drawing.label(words(knob), 60))
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


@chart
def knob_map(source: Any, ax: Axes | None = None) -> Axes:
    """Win rate of the first seat over two knobs, with the line of even chances where both are numbers."""

    from matplotlib.colors import Normalize

    from simlab.present import drawing

    view = view_of(source)
    knobs = list(view.varied)
    if len(knobs) < 2:
        return drawing.note(drawing.axes(ax, 2.0), "fewer than two knobs vary in this run")
    down, across = knobs[0], knobs[1]
    rows, columns = view.varied[down], view.varied[across]
    table = np.full((len(rows), len(columns)), np.nan)
    labels = [["" for _ in columns] for _ in rows]
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            cells = [c for c in view.cells if c.varied.get(down) == row and c.varied.get(across) == column]
            if cells:
                rate = view.pool("", cells).win_rate(0)
                table[i, j] = rate.value
                labels[i][j] = f"{100 * rate.value:.0f}"
    ax = drawing.axes(ax, min(1.2 + 0.36 * len(rows), 9))
    drawing.heat(ax, table, labels, drawing.versus(), Normalize(0, 1))
    drawing.name_tiles(
        ax,
        [drawing.label(value_text(v), 18) for v in rows],
        [drawing.label(value_text(v), 12) for v in columns],
        across=drawing.label(words(across), 60),
        down=drawing.label(words(down), 40),
    )
    numeric = all(is_number(v) for v in [*rows, *columns])
    if numeric and min(table.shape) > 2 and np.nanmin(table) < 0.5 < np.nanmax(table) and not np.isnan(table).any():
        even = ax.contour(table, levels=[0.5], colors=[drawing.INK], linewidths=1.6)
        even.set_zorder(3)
    return ax


def section(view: View, draw: Draw, answered: AbstractSet[str]) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = []
    several = any(len(bots) > 1 for bots in view.bots.values())
    faint = " The faint lines are the single match-ups." if several and len(view.varied) == 1 else ""
    if len(view.varied) == 2 and view.is_grid and "knob_map" not in answered:
        a, b = (words(knob) for knob in view.varied)
        even = (
            " The dark line is where chances are even."
            if all(is_number(v) for values in view.varied.values() for v in values)
            else ""
        )
        over = ", averaged over the match-ups" if several else ""
        halves = [100 * Pool("", [cell]).win_rate(0).half for cell in view.cells]
        text = (
            f"Per cent of the games that {view.the(view.seats[0])} wins by {a} and {b}{over}; "
            f"each cell is good to ±{max(halves):.1f} points or better.{even}"
        )
        parts.append(draw("knob_map", knob_map(view), text))
    for number_, knob in enumerate(list(view.varied)[:MOST_KNOBS]):
        others = ", pooled over the other knobs" if len(view.varied) > 1 else ""
        band = "the band is its 95 % interval"
        said = knob_sentence(view, knob) or f"Win rate over {words(knob)}."
        text = f"{said} Here{others}, {band}.{faint}"
        text = text.replace("Here, the", "The")
        if f"knob_{number_}" not in answered:
            parts.append(draw(f"knob_{number_}", knob_curve(view, knob), text, games=_ends_of(view, knob)))
        pools = view.by_value(knob)
        means = [pool.mean_length() for pool in pools]
        low, high = min(means, key=lambda m: m.value), max(means, key=lambda m: m.value)
        between = f"between {low.full} and {high.full} {view.turn_name}s"
        text = f"Mean length over {words(knob)}{others}: {between}."
        drawn = knob_curve(view, knob, what="turns")
        parts.append(draw(f"knob_{number_}_turns", drawn, text, games=_ends_of(view, knob)))
    return parts


def _ends_of(view: View, knob: str) -> list[GamesLink | None]:
    """All games, and those with the first and the last value of a knob."""
    pools = list(zip(view.varied[knob], view.by_value(knob), strict=True))
    links = [drill_down.all_games(view, view.all)]
    for value, pool in (pools[0], pools[-1]):
        one = drill_down.of_values(view, knob, (value,), pool.cells)
        links.append(one and replace(one, what=f"{words(knob)} {value_text(value)}"))
    return links
