"""Fair settings in sentences, a table and charts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np

from simlab.game import KnobValue
from simlab.present.blocks import Block, Chart, Column, Paragraph, Table
from simlab.present.chart import Axes, chart, drawing
from simlab.present.estimate import LEVEL, Estimate, is_number, plain, value_text
from simlab.questions.fair_settings.analysis import CrossingPoint, Curve, FairMap, FairSettings, Target, of_run
from simlab.runs.view import view_of
from simlab.stats.intervals import level_of_each, normal_quantile
from simlab.words import capital, listed

TITLE = "Fair settings"
CHAPTER, RANK = "Settings", 10
MOST_COLUMNS = 12  #: of a map in the terminal


def page_blocks(answer: FairSettings) -> Iterator[Block]:
    if curve := answer.curve:
        shown = ["Band: 95 % intervals"]
        shown += ["grey: where the target cannot be ruled out"] if curve.meetings else []
        shown += ["faint lines: line-ups"] if curve.line_ups else []
        yield Paragraph(curve_sentence(answer.target, curve), "lead")
        draw = partial(fair_curve, answer.target, curve)
        yield Chart("fair_curve", draw, f"{'; '.join(shown)}.", (answer.games,))
    if plane := answer.map:
        yield Paragraph(map_sentence(answer.target, plane), "lead")
        draw = partial(fair_map, answer.target, plane)
        yield Chart("fair_map", draw, _legend(answer.target, plane), (answer.games,))


def blocks(answer: FairSettings) -> Iterator[Block]:
    """What a run prints at its end."""
    if answer.curve:
        yield Paragraph(curve_sentence(answer.target, answer.curve))
    if answer.map:
        yield _map_table(answer, answer.map)
        yield Paragraph(map_sentence(answer.target, answer.map))


# --- One knob -------------------------------------------------------------------


def curve_sentence(target: Target, curve: Curve) -> str:
    """Where the curve meets the target: "Fair (50 %) at walls_start = 6.4 (6.2 to 6.6)"."""
    what, knob = target.statistic, plain(curve.knob, 40)
    first, rates = capital(what), curve.rates
    if target.value is None:
        return f"{first} goes from {rates[0].full} to {rates[-1].full}."
    wanted = target.value
    joint = _together(rates)
    above, below = sum(rate.low > wanted for rate in joint), sum(rate.high < wanted for rate in joint)
    if not above + below:
        low, high = min(joint, key=attrgetter("value")), max(joint, key=attrgetter("value"))
        return (
            f"{first} is not significantly different from {target.text} at any value: it goes from {low.full} to "
            f"{high.full}. Play more games, or try values further apart."
        )
    if not curve.meetings:
        side = "above" if rates[0].value > wanted else "below"
        near = min(range(len(rates)), key=lambda place: abs(rates[place].value - wanted))
        each = above + below == len(rates)
        stays, sure = f"stays {side}", "at each"
        if not each:
            stays, sure = f"in these games is {side}", f"at {above + below} of {len(rates)}"
        return (
            f"{first} {stays} {target.text} at each value, significantly {sure}. The nearest estimate is at {knob} "
            f"= {curve.values[near]:g}: {joint[near].full}."
        )
    word = "On target" if target.stated else "Fair" if target.several else "Even odds"
    if not (above and below):
        word = f"Perhaps {word.lower()}"
    places: dict[tuple[float | None, float | None], list[CrossingPoint]] = {}
    for one in curve.meetings:
        places.setdefault((one.low, one.high), []).append(one)
    found = [
        _place(several[0], curve)
        if len(several) == 1
        else f"somewhere from {_end(low, curve.values[0], 'less')} to {_end(high, curve.values[-1], 'more')}"
        for (low, high), several in places.items()
    ]
    text = f"{word} ({target.text}) at {knob} = {' and '.join(found)}."
    if not (above and below):
        side, other = ("above", "below") if above else ("below", "above")
        count = f"{above + below} of {len(rates)} values"
        text += f" {first} is significantly {side} the target at {count}, and significantly {other} at none."
    if curve.whole:
        values = np.array(curve.values)
        before = [np.flatnonzero(values <= one.at + 1e-9)[-1:] for one in curve.meetings]
        after = [np.flatnonzero(values >= one.at - 1e-9)[:1] for one in curve.meetings]
        around = np.unique(np.concatenate([*before, *after])).tolist()
        text += f" Of the whole values, {', '.join(f'{curve.values[i]:g} gives {rates[i].full}' for i in around)}."
    return text


def _together(rates: Sequence[Estimate]) -> list[Estimate]:
    """The rates with intervals that hold for all of them: the ends are moved out in proportion to normal quantiles."""
    wider = normal_quantile(level_of_each(LEVEL, len(rates))) / normal_quantile(LEVEL)
    ends = ((r.value, r.value - wider * (r.value - r.low), r.value + wider * (r.high - r.value)) for r in rates)
    return [Estimate(value, max(low, 0.0), min(high, 1.0)) for value, low, high in ends]


def _end(place: float | None, last: float, beyond: str, digits: int | None = None) -> str:
    if place is None:
        return f"{last:g} or {beyond}"
    return f"{place:.3g}" if digits is None else f"{place:.{digits}f}"


def _place(one: CrossingPoint, curve: Curve) -> str:
    """`6.43 (6.21 to 6.66)`, with the digits that the interval allows."""
    step = float(np.diff(curve.values).min())
    width = one.high - one.low if one.low is not None and one.high is not None and one.high > one.low else step
    digits = min(max(1 - math.floor(math.log10(max(width, step / 1_000))), 0), 4)
    low, high = _end(one.low, curve.values[0], "less", digits), _end(one.high, curve.values[-1], "more", digits)
    return f"{one.at:.{digits}f} ({low} to {high})"


@chart
def fair_curve(target: Target, curve: Curve, ax: Axes | None = None) -> Axes:
    """Win rate over one knob with its band, the target, where they meet, and the printed value."""
    ax, first, last = drawing.axes(ax, 3.0), curve.values[0], curve.values[-1]
    for one in curve.meetings:
        low, high = first if one.low is None else one.low, last if one.high is None else one.high
        ax.axvspan(low, high, color=drawing.MUTED, alpha=0.22, linewidth=0)
        ax.plot([one.at], [target.value or 0.0], "D", markersize=6, color=drawing.INK, zorder=5)
    printed = None if curve.printed is None else curve.values.index(curve.printed)
    lines = [("", curve.rates, drawing.seat_color(0))]
    knob_lines(ax, curve.knob, curve.values, lines, curve.line_ups[:100], target.value, printed)
    drawing.rates_up(ax, target.label)
    return ax


def knob_lines(
    ax: Axes, knob: str, values: Sequence[KnobValue], lines: Sequence[tuple[str, Sequence[Estimate], str]],
    line_ups: Sequence[Sequence[float | None]], even: float | None, printed: int | None,
) -> None:  # fmt: skip
    """Statistics over the values of a knob.

    Args:
        lines: (name, estimates, colour) of each. line_ups: curves that are drawn faintly, in the colour of the first
            line.
        even: where a horizontal dashed line is drawn. printed: the printed value.
    """
    numeric, names = all(map(is_number, values)), [value_text(value) for value in values]
    at = np.array(values, np.float64) if numeric else np.arange(float(len(values)))
    for line_up in line_ups:
        ax.plot(at, np.array(line_up, np.float64), color=lines[0][2], alpha=0.2, linewidth=0.9)
    for name, estimates, color in lines:
        drawing.band(ax, at, estimates, color, name)
    if even is not None:
        ax.axhline(even, color=drawing.MUTED, linewidth=1, linestyle=(0, (4, 3)))
    if not numeric or len(names) <= 12:
        turn = 30 if max(map(len, names)) > 8 and len(names) > 3 else 0
        labels = [drawing.label(name, 18) for name in names]
        ax.set_xticks(at, labels, rotation=turn, ha="right" if turn else "center")
    if printed is not None:
        drawing.mark(ax, float(at[printed]), "printed")
    ax.set_xlabel(drawing.label(knob, 60))


# --- Two knobs ------------------------------------------------------------------


def map_sentence(target: Target, plane: FairMap) -> str:
    """How many settings are on either side of the target, and the fair setting nearest to the printed values."""
    what, a, b = target.statistic, plain(plane.down), plain(plane.across)
    rate, band = plane.table, plane.band
    if band is None or target.value is None:
        wide = np.max(band[1] - band[0]) if band else max(2 * one.half for row in plane.rates for one in row)
        together = ", for all settings together" if band else ""
        return (
            f"{capital(what)} goes from {100 * rate.min():.1f} % to {100 * rate.max():.1f} % over {a} and "
            f"{b}, each known to within ±{50 * float(wide):.1f} points{together}."
        )
    (low, high), wanted = band, target.value
    counts = [int(settings.sum()) for settings in (low > wanted, high < wanted, (low <= wanted) & (high >= wanted))]
    places = (f"significantly above {target.text}", f"significantly below {target.text}", "inconclusive")
    where = listed([f"{place} at {count:,}" for place, count in zip(places, counts, strict=True) if count])
    text = (
        f"Of {rate.size:,} settings of {a} and {b}, {what} is {where} (each known to within "
        f"±{50 * (high - low).max():.1f} points, for all settings together)."
    )
    if plane.printed is None:
        return text

    def known(at: tuple[int, int]) -> str:
        return Estimate(float(rate[at]), float(low[at]), float(high[at])).full

    text += f" The printed values give {known(plane.printed)}."
    near, sure = _nearest_fair(target, plane)
    if near is not None and near != plane.printed:
        reach = target.text if sure else f"a setting that may reach {target.text}"
        text += (
            f" From the printed values, the fewest steps to {reach}: {a} = {value_text(plane.rows[near[0]])}, {b} = "
            f"{value_text(plane.columns[near[1]])}, {known(near)}."
        )
    return text


def _nearest_fair(target: Target, plane: FairMap) -> tuple[tuple[int, int] | None, bool]:
    """The setting in the target's band with the fewest steps from the printed values, and whether it is significantly
    in the band. If no setting is, the nearest one for which the target cannot be ruled out, or None.
    """
    rate, printed = plane.table, plane.printed
    if printed is None or target.value is None:
        return None, False
    least, most, wanted = target.low or 0.0, 1.0 if target.high is None else target.high, target.value
    low, high = np.array(plane.low), np.array(plane.high)
    sure, able = (low >= least) & (high <= most), (low <= wanted) & (wanted <= high)
    fair = [(int(i), int(j)) for i, j in np.argwhere(sure if sure.any() else able)]
    steps = {at: abs(at[0] - printed[0]) + abs(at[1] - printed[1]) for at in fair}
    return min(fair, key=lambda at: (steps[at], abs(rate[at] - wanted)), default=None), bool(sure.any())


def _legend(target: Target, plane: FairMap) -> str:
    text = f"{capital(target.statistic)} in per cent."
    if _has_line(target, plane):
        text += f" Dark line: {target.text}; hatched: where {target.text} cannot be ruled out."
    return text + (" Ring: the printed values." if plane.printed else "")


def _has_line(target: Target, plane: FairMap) -> bool:
    numeric = all(is_number(value) for value in (*plane.rows, *plane.columns))
    return bool(plane.low) and numeric and target.value is not None and min(plane.table.shape) > 1


def _map_table(answer: FairSettings, plane: FairMap) -> Table[int]:
    target, rate, shown = answer.target.value, plane.table, plane.columns[:MOST_COLUMNS]
    marked = bool(plane.low) and target is not None

    def tile(row: int, column: int) -> str:
        text = f"{100 * rate[row, column]:.1f}"
        text = f"[{text}]" if (row, column) == plane.printed else text
        if not marked or target is None:
            return text
        mark = "+" if plane.low[row][column] > target else "-" if plane.high[row][column] < target else ""
        return text + mark

    notes = [f"+ significantly above {answer.target.text}, - below."] if marked else []
    notes += ["Brackets: the printed values."] if plane.printed else []
    left = len(plane.columns) - len(shown)
    notes += [f"{left} more columns are in the report."] if left > 0 else []
    columns = [
        Column[int](value_text(value), lambda row, column=column: tile(row, column))  # type: ignore[misc]
        for column, value in enumerate(shown)
    ]
    return Table(
        range(len(plane.rows)),
        (Column[int](plain(plane.down), lambda row: value_text(plane.rows[row])), *columns),
        title=f"{answer.setup}: {plain(plane.down)} (down) by {plain(plane.across)} (across), per cent",
        note=" ".join(notes),
        most=100,
    )


def knob_map(source: Any, ax: Axes | None = None) -> Axes:
    """Win rate of the first seat over two knobs; source: results of a run."""
    view = view_of(source)
    answer = of_run(view)
    if answer is None or answer.map is None:
        return drawing.note(drawing.axes(ax, 2.0), "this run has no grid of two knobs")
    return fair_map(answer.target, answer.map, ax)


@chart
def fair_map(target: Target, plane: FairMap, ax: Axes | None = None) -> Axes:
    """Win rate over two knobs as tiles, the line at the target, the band around it, the printed values ringed."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch, Rectangle

    rate = plane.table
    rows, columns = rate.shape
    ax = drawing.axes(ax, min(1.3 + 0.38 * rows, 9))
    hue, norm = drawing.versus(), drawing.around(0.5 if target.value is None else target.value)
    drawing.heat(ax, rate, None, hue, norm)
    for (i, j), value in np.ndenumerate(rate):  # in a corner, out of the way of the line
        ink = drawing.ink_on(hue(norm(value)))
        drawing.word(ax, j + 0.08, i + 0.1, f"{100 * value:.0f}", 8, ink, ha="left", va="top", zorder=6)
    drawing.name_tiles(
        ax, [drawing.label(value_text(v), 18) for v in plane.rows],
        [drawing.label(value_text(v), 12) for v in plane.columns],
        across=drawing.label(plane.across, 60), down=drawing.label(plane.down, 40),
    )  # fmt: skip
    shown: list[Any] = []
    if plane.band and target.value is not None and _has_line(target, plane):
        x, y, (between, low, high) = _refined(rate, *plane.band)
        half = np.where(between > target.value, between - low, high - between)
        off = (between - target.value) / np.maximum(half, 1e-9)
        if off.min() < 1 and off.max() > -1:
            ax.contourf(x, y, off, levels=[-1, 1], colors="none", hatches=["////"], zorder=2)
            ax.contour(x, y, off, levels=[-1, 1], colors=[drawing.INK], linewidths=0.7, linestyles="dotted", zorder=3)
            label, ink = "may be on target", drawing.INK
            shown.append(Patch(facecolor="none", edgecolor=ink, hatch="////", linewidth=0.5, label=label))
        if between.min() < target.value < between.max():
            ax.contour(x, y, between, levels=[target.value], colors=[drawing.INK], linewidths=2, zorder=4)
            shown.insert(0, Line2D([], [], color=drawing.INK, linewidth=2, label=target.text))
    if plane.printed is not None:
        i, j = plane.printed
        ring = Rectangle((j + 0.02, i + 0.03), 0.96, 0.94, fill=False, edgecolor=drawing.INK, linewidth=2.2, zorder=5)
        ax.add_patch(ring)
        shown.append(Patch(facecolor="none", edgecolor=drawing.INK, linewidth=2, label="printed"))
    if shown:
        columns = drawing.legend_columns([str(handle.get_label()) for handle in shown])
        ax.legend(handles=shown, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=columns)
    return ax


def _refined(*tables: np.ndarray[Any, Any], times: int = 12) -> tuple[Any, Any, list[Any]]:
    """Tables of settings with straight lines between the settings: the places on a heat map, and the finer tables."""
    from scipy.ndimage import map_coordinates

    rows, columns = tables[0].shape
    y, x = np.linspace(0, rows - 1, (rows - 1) * times + 1), np.linspace(0, columns - 1, (columns - 1) * times + 1)
    places = np.meshgrid(y, x, indexing="ij")
    return x + 0.5, y + 0.5, [map_coordinates(table, places, order=1) for table in tables]
