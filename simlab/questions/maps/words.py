"""Maps of the game in sentences, tables and charts."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise

import numpy as np

from simlab.errors import InputError, nearest
from simlab.game import Hex
from simlab.present.blocks import Block, Chart, Column, Paragraph, Section, Table
from simlab.present.chart import Axes, chart, drawing
from simlab.present.estimate import words
from simlab.present.text import text
from simlab.questions.maps.analysis import Maps, Mark, hex_name
from simlab.words import capital

TITLE, ANCHOR = "On the map", "map"
CHAPTER, RANK = "How games go", 60
ROWS = 15  #: hexes in the table
_NICE = (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)  #: levels are these many powers of ten wide
_SIDES = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))  # clockwise from the east, as corners are counted
_CORNERS = [(math.cos(math.radians(60 * k - 30)), math.sin(math.radians(60 * k - 30))) for k in range(6)]


def blocks(answer: Maps) -> Iterator[Block]:
    if not answer.marks:
        return
    if answer.together:
        yield Paragraph(answer.together.strip(), "note")
    for index, mark in enumerate(answer.marks):
        title, turn = capital(mark.help), answer.turn_name
        shown: list[Block] = [Paragraph(sentence) for sentence in sentences(mark, answer)]
        if mark.most:
            whole = f"{title}, {_unit(mark, turn)}." if mark.happens else f"{title}: number of {turn}s per game."
            by_turn = f"{title}, in some {turn}s: per game that reaches the end of the {turn}."
            if not mark.happens:
                by_turn = f"{title}, at the end of some {turn}s: share of the games that reach it."
            draw = partial(hex_map, answer, mark.mark)
            shown += [
                Chart(f"map_{index}", draw, f"{whole} {_key(answer.hexes)}".rstrip(), [answer.all_games]),
                Chart(f"map_{index}_turns", partial(draw, by_turn=True), by_turn, [answer.all_games]),
                Section(f"map-{index}-table", "The hexes with the most", (_table(mark, answer),), folded=True),
            ]
        yield Section(f"map-{index}", words(mark.mark), shown)
    yield from answer.counted()


def sentences(mark: Mark, answer: Maps) -> Iterator[str]:
    """The hexes and turns with the highest values."""
    title, turn = capital(mark.help), answer.turn_name
    names = {hex_.number: hex_name(hex_) for hex_ in answer.hexes}
    if not mark.most:
        yield f"{title}: this never happened in these games."
        return
    first, *others = mark.most[:3]
    rest = "".join(f"; {names[number]}, {mark.per_game[number].full}" for number in others)
    yield f"{title}: most on {names[first]}, {mark.per_game[first].full} {_unit(mark, turn)}{rest}."
    if mark.happens and mark.areas:
        shown = [(name, value) for name, value in list(mark.areas.items())[:8] if value > 0]
        whole = sum(one.value for one in mark.per_game.values())
        places = "; ".join(f"{name} {_short(value)}" for name, value in shown)
        elsewhere = _short(whole - sum(value for _, value in shown))
        yield f"By place: {places}; elsewhere {elsewhere}; {_short(whole)} {_unit(mark, turn)} in all."
    if mark.peak:
        peak, what = mark.peak, "times" if mark.happens else "hexes"
        yield (
            f"The peak is {turn} {peak.turn}: {_short(peak.total)} {what} per game that reaches the end "
            f"of that {turn}, most on {peak.hex} ({_value(mark, peak.value)})."
        )


def _unit(mark: Mark, turn: str) -> str:
    set_up = " (the set-up counts as one)" if mark.set_up else ""
    return "per game" if mark.happens else f"{turn}s per game{set_up}"


def _short(value: float) -> str:
    return text(float(f"{value:.3g}"))


def _value(mark: Mark, value: float) -> str:
    return _short(value) if mark.happens else f"{100 * value:.0f} %"


def _table(mark: Mark, answer: Maps) -> Table[int]:
    names = {hex_.number: hex_name(hex_) for hex_ in answer.hexes}

    in_turn = {turn: {number: _value(mark, value) for number, value in of.items()} for turn, of in mark.by_turn.items()}
    columns = (
        Column[int]("hex", names.__getitem__),
        Column[int](_unit(mark, answer.turn_name), mark.per_game.__getitem__),
        *(Column[int](f"{answer.turn_name} {turn}", of.__getitem__) for turn, of in in_turn.items()),
    )
    left = len(mark.most) - ROWS
    return Table(mark.most[:ROWS], columns, note=f"{left} more hexes have fewer." if left > 0 else "")


def _key(hexes: Sequence[Hex]) -> str:
    """What the letters on the map mean."""
    labels: dict[str, list[str]] = {}
    for hex_ in hexes:
        if hex_.label and hex_.area:
            labels.setdefault(hex_.area, []).append(hex_.label)
    entries = sorted((", ".join(sorted(letters)), area) for area, letters in labels.items())
    return "; ".join(f"{letters} {area}" for letters, area in entries) + "." if entries else ""


# --- Drawing --------------------------------------------------------------------


def center(hex_: Hex) -> tuple[float, float]:
    """Middle of a hex whose side is 1; y grows downward."""
    return math.sqrt(3) * (hex_.q + hex_.r / 2), 1.5 * hex_.r


def borders(hexes: Sequence[Hex]) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    """Lines around each area, as pairs of points."""
    area = {(hex_.q, hex_.r): hex_.area for hex_ in hexes}
    lines = []
    for hex_ in hexes:
        x, y = center(hex_)
        for side, (dq, dr) in enumerate(_SIDES):
            if hex_.area and area.get((hex_.q + dq, hex_.r + dr)) != hex_.area:
                ends = (_CORNERS[side], _CORNERS[(side + 1) % 6])
                lines.append(((x + ends[0][0], y + ends[0][1]), (x + ends[1][0], y + ends[1][1])))
    return lines


def step_of(most: float, levels: int) -> float:
    """Width of a level: a round number, `levels` of which reach from 0 to the largest value."""
    if most <= 0:
        return 1.0
    rough = most / levels
    ten = 10.0 ** math.floor(math.log10(rough))
    return next(ten * nice for nice in _NICE if ten * nice >= rough * (1 - 1e-9))


def level_of(value: float, step: float) -> int:
    """The level of a value: 0 if the value is 0, else 1 or more."""
    return math.ceil(value / step - 1e-9) if value > 0 else 0


@chart
def hex_map(answer: Maps, mark: str | None = None, by_turn: bool = False, ax: Axes | None = None) -> Axes:
    """The map of hexes, coloured by a mark.

    Args:
        mark: its name; by default the first.
        by_turn: whether to draw a map for each of some turns, instead of one for the whole game.
    Raises:
        InputError: the game has no map, or no such mark.
    """
    marks = {one.mark: one for one in answer.marks}
    if not marks:
        raise InputError(f"{answer.game} has no map of hexes (Game.hex_map), or these results are older than it.")
    if mark is not None and mark not in marks:
        raise InputError(f"{answer.game} has no mark '{mark}' on its map. {nearest(mark, marks)}")
    shown = marks[mark] if mark is not None else answer.marks[0]
    panels: list[tuple[str, Mapping[int, float]]] = [("", {n: one.value for n, one in shown.per_game.items()})]
    if by_turn:
        panels = [(f"{answer.turn_name} {turn}", values) for turn, values in shown.by_turn.items()]
    points = [center(hex_) for hex_ in answer.hexes]
    left, right = min(x for x, _ in points) - 1, max(x for x, _ in points) + 1
    top, bottom = min(y for _, y in points) - 1.2, max(y for _, y in points) + 1.2
    wide, high = right - left, bottom - top
    columns = min(2, max(len(panels), 1)) if by_turn else 1
    head, gap = (0.13 * high if by_turn else 0.0), 0.06 * wide
    whole_wide = columns * wide + (columns - 1) * gap
    unit = drawing.WIDTH / whole_wide  # inches of one side of a hex
    legend = 0.5 / unit
    whole_high = math.ceil(len(panels) / columns) * (high + head) + legend
    ax = drawing.axes(ax, whole_high * unit)
    figure = ax.get_figure(root=True)
    if figure is not None and figure.axes == [ax]:
        figure.set_layout_engine("none")
        ax.set_position((0, 0, 1, 1))
    step = step_of(max((max(values.values(), default=0.0) for _, values in panels), default=0.0), len(drawing.LEVELS))
    for place, (title, values) in enumerate(panels):
        x = (place % columns) * (wide + gap) - left
        y = (place // columns) * (high + head) + head - top
        _map(ax, answer.hexes, values, step, (x, y))
        if title:
            drawing.word(ax, x + left + 0.04, y + top - 0.35 * head, title, 9.5, ha="left")
        else:
            for hex_, (cx, cy) in zip(answer.hexes, points, strict=True):
                drawing.word(ax, x + cx, y + cy, hex_.label, 9)
    grounds = {hex_.ground for hex_ in answer.hexes if hex_.number < 0}
    _legend(ax, grounds, step, by_turn and not shown.happens, whole_wide, whole_high - legend, unit)
    ax.set_xlim(0, whole_wide)
    ax.set_ylim(whole_high, 0)
    drawing.bare(ax)
    ax.set_axis_off()
    return ax


def _map(ax: Axes, hexes: Sequence[Hex], values: Mapping[int, float], step: float, shift: tuple[float, float]) -> None:
    """One map: the hexes of each colour as one path, then the lines around the areas."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    by_color: dict[str, list[Hex]] = {}
    for hex_ in hexes:
        if hex_.number < 0:
            color = {"blocked": drawing.BLOCKED, "water": drawing.WATER}.get(hex_.ground, "none")
        else:
            level = level_of(values[hex_.number], step)
            color = drawing.LEVELS[min(level, len(drawing.LEVELS)) - 1] if level else "none"
        by_color.setdefault(color, []).append(hex_)
    for color, several in sorted(by_color.items()):
        corners = np.array([center(hex_) for hex_ in several])[:, None] + 0.97 * np.array(_CORNERS) + shift
        path = Path.make_compound_path_from_polys(corners)
        ax.add_patch(PathPatch(path, facecolor=color, edgecolor=drawing.GRID, linewidth=0.5))
    if lines := borders(hexes):
        path = Path(np.reshape(lines, (-1, 2)) + shift, [Path.MOVETO, Path.LINETO] * len(lines))
        wide = 1.1 if len(values) < len(hexes) else 1.3
        ax.add_patch(PathPatch(path, facecolor="none", edgecolor=drawing.INK, linewidth=wide))


def _legend(
    ax: Axes, grounds: Collection[str], step: float, percent: bool, wide: float, top: float, unit: float
) -> None:
    """Legend below the map: the scale, and the hexes without statistics."""
    from matplotlib.patches import Rectangle

    point = 1 / (72 * unit)  # a point in sides of a hex
    entries = [("none", "0", drawing.GRID)]  # colour, text, frame
    ends = pairwise(step * i for i in range(len(drawing.LEVELS) + 1))
    entries += [(color, _range(*pair, percent), "none") for color, pair in zip(drawing.LEVELS, ends, strict=True)]
    entries += [(drawing.BLOCKED, "closed", "none")] * ("blocked" in grounds)
    entries += [(drawing.WATER, "water", "none")] * ("water" in grounds)
    each = min(wide / len(entries), 52 * point)
    for place, (color, label, frame) in enumerate(entries):
        x = place * each + 4 * point
        tile_wide, high = each - 6 * point, 9 * point
        ax.add_patch(Rectangle((x, top + high), tile_wide, high, facecolor=color, edgecolor=frame, linewidth=1.2))
        drawing.word(ax, x + tile_wide / 2, top + 26 * point, label, 7.5)


def _range(low: float, high: float, percent: bool) -> str:
    scale, end = (100, " %") if percent else (1, "")
    return f"to {scale * high:g}{end}" if not low else f"{scale * low:g}–{scale * high:g}{end}"
