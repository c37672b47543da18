"""A game's map of hexes: where what is followed happens, over the whole game and by turn (Game.hex_map)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from simlab.present.chart import Draw, chart
from simlab.present.estimate import LEVEL, Estimate, words
from simlab.results.names import HexName, MarkName
from simlab.results.view import View, view_of
from simlab.stats.intervals import Floats, normal_quantile

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NICE = (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)  #: levels are these many powers of ten wide
PANELS = 6  #: turns that are drawn
ROWS = 15  #: hexes in the table
_BESIDE = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))  # clockwise from the east, as the corners are counted


class HexReport:
    """One mark on the hexes of the map.

    Attributes:
        hexes: those that are followed.
    """

    def __init__(self, view: View, mark: int) -> None:
        self.view, self.index = view, mark
        self.mark: MarkName = view.hex_marks[mark]
        self.hexes: list[HexName] = [h for h in view.hexes if h.number >= 0]
        self._numbers = [h.number for h in self.hexes]

    @cached_property
    def games(self) -> Floats:
        """Games that reached the end of each turn; shape (turns,)."""
        return np.asarray(self.view.all.sum("hex_games"), np.float64)

    @cached_property
    def sums(self) -> Floats:
        """Of the followed hexes; shape (turns, hexes)."""
        return np.asarray(self.view.all.sum("hex_sums"), np.float64)[:, self.index, self._numbers]

    @cached_property
    def a_turn(self) -> Floats:
        """Of the games that reached its end, by turn and hex: the share in which the mark was so, or how often it
        happened."""
        return np.asarray(self.sums / np.maximum(self.games, 1)[:, None], np.float64)

    @cached_property
    def a_game(self) -> Floats:
        """By hex: turns in which the mark was so, or how often it happened; a game's mean."""
        return np.asarray(self.sums.sum(axis=0) / self.view.games, np.float64)

    @cached_property
    def turns(self) -> list[int]:
        """Those with enough games to be looked at: 1 % of all, and 20."""
        enough = np.flatnonzero(self.games[1:] >= max(20.0, 0.01 * self.games.max(initial=0))) + 1
        return [int(t) for t in (enough if enough.size else np.flatnonzero(self.games[1:]) + 1)]

    @cached_property
    def shown(self) -> list[int]:
        """Of `turns` at most PANELS, evenly spread, the first and the last among them."""
        turns = self.turns
        if len(turns) <= PANELS:
            return turns
        return [turns[round(i * (len(turns) - 1) / (PANELS - 1))] for i in range(PANELS)]

    def estimate(self, at: int) -> Estimate:
        """A game's mean on a hex, with its interval for large samples."""
        games = self.view.games
        squares = float(self.view.all.sum("hex_squares")[self.index, self._numbers[at]])
        mean = float(self.a_game[at])
        # Cells may share all their luck: then the variance of a mean over k of them is k times as large.
        se = math.sqrt(max(squares / games - mean * mean, 0.0) / games * self.view.all.size)
        half = normal_quantile(LEVEL) * se
        return Estimate(mean, max(mean - half, 0.0), mean + half, False)

    @cached_property
    def worst(self) -> list[int]:
        """Hexes by a game's mean, the largest first; those without any are left out."""
        return [int(at) for at in np.argsort(-self.a_game, kind="stable") if self.a_game[at] > 0]

    @cached_property
    def areas(self) -> list[tuple[str, float]]:
        """A game's mean in all hexes of each area together, the largest first."""
        totals: dict[str, float] = {}
        for h, value in zip(self.hexes, self.a_game, strict=True):
            if h.area:
                totals[h.area] = totals.get(h.area, 0.0) + float(value)
        return sorted(totals.items(), key=lambda pair: -pair[1])

    def name(self, at: int) -> str:
        h = self.hexes[at]
        return f"{h.name} ({h.area})" if h.area else h.name

    def share(self, turn: int, at: int) -> str:
        """The value of a hex in a turn, as text."""
        value = float(self.a_turn[turn, at])
        return _short(value) if self.mark.happens else f"{100 * value:.0f} %"

    @property
    def unit(self) -> str:
        """What `a_game` counts."""
        return "a game" if self.mark.happens else f"{self.view.turn_name}s a game{self.set_up}"

    @property
    def set_up(self) -> str:
        """Says that the set-up counts, where something is so at its end already."""
        return " (the set-up counts as one)" if not self.mark.happens and self.sums[0].any() else ""

    def sentences(self) -> Iterator[str]:
        """Where it is most, and when."""
        title = self.mark.help[:1].upper() + self.mark.help[1:]
        if not self.worst:
            yield f"{title}: nowhere in these games."
            return
        first, *others = ((self.name(at), self.estimate(at)) for at in self.worst[:3])
        rest = "".join(f"; {name}, {figure.full}" for name, figure in others)
        yield f"{title}: most on {first[0]}, {first[1].full} {self.unit}{rest}."
        if self.mark.happens and self.areas:
            shown = [(name, value) for name, value in self.areas[:8] if value > 0]
            told = "; ".join(f"{name} {_short(value)}" for name, value in shown)
            whole = float(self.a_game.sum())
            elsewhere = whole - sum(value for _, value in shown)
            yield f"By place: {told}; elsewhere {_short(elsewhere)}; {_short(whole)} {self.unit} in all."
        if self.turns:
            whole_map, turn = self.a_turn.sum(axis=1), self.view.turn_name
            peak = max(self.turns, key=lambda t: float(whole_map[t]))
            at = int(np.argmax(self.a_turn[peak]))
            what = f"{_short(float(whole_map[peak]))} {'times' if self.mark.happens else 'hexes'}"
            yield (
                f"It is most in {turn} {peak}: {what} in a game that reaches its end, there most on {self.name(at)} "
                f"({self.share(peak, at)})."
            )


def _short(value: float) -> str:
    """Three figures."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def reports(view: View) -> list[HexReport]:
    """One for each mark; none for a game without a map, or results of a simlab that followed none."""
    if not view.hexes or "hex_sums" not in view.all.counted:
        return []
    return [HexReport(view, mark) for mark in range(len(view.hex_marks))]


# --- Drawing --------------------------------------------------------------------


def center(h: HexName) -> tuple[float, float]:
    """Middle of a hex whose side is 1; y grows downward."""
    return math.sqrt(3) * (h.q + h.r / 2), 1.5 * h.r


_CORNERS = [(math.cos(math.radians(60 * k - 30)), math.sin(math.radians(60 * k - 30))) for k in range(6)]


def borders(hexes: Sequence[HexName]) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    """Lines around each area, as pairs of points."""
    area = {(h.q, h.r): h.area for h in hexes}
    lines = []
    for h in hexes:
        x, y = center(h)
        for way, (dq, dr) in enumerate(_BESIDE):
            if h.area and area.get((h.q + dq, h.r + dr)) != h.area:
                ends = (_CORNERS[way], _CORNERS[(way + 1) % 6])
                lines.append(((x + ends[0][0], y + ends[0][1]), (x + ends[1][0], y + ends[1][1])))
    return lines


def step_of(most: float, levels: int) -> float:
    """Width of a level, so that `levels` of them reach from 0 to the largest value: a short number."""
    if most <= 0:
        return 1.0
    rough = most / levels
    ten = 10.0 ** math.floor(math.log10(rough))
    return next(ten * nice for nice in _NICE if ten * nice >= rough * (1 - 1e-9))


def level_of(value: float, step: float) -> int:
    """0 for nothing, else the level from 1 up."""
    return math.ceil(value / step - 1e-9) if value > 0 else 0


@chart
def hex_map(source: Any, mark: str | None = None, by_turn: bool = False, ax: Axes | None = None) -> Axes:
    """The map of hexes, coloured by a mark.

    Args:
        mark: its name; by default the first.
        by_turn: a map for each of some turns, instead of one of the whole game.
    Raises:
        UserMistake: the game has no map, or no such mark.
    """
    from simlab.errors import UserMistake, nearest

    view = view_of(source)
    each = reports(view)
    if not each:
        raise UserMistake(f"{view.slug} has no map of hexes (Game.hex_map), or these results are older than it.")
    names = [report.mark.name for report in each]
    if mark is not None and mark not in names:
        raise UserMistake(f"{view.slug} follows no '{mark}' on its map. {nearest(mark, names)}")
    return _draw(each[names.index(mark) if mark is not None else 0], by_turn, ax)


def _draw(report: HexReport, by_turn: bool, ax: Axes | None) -> Axes:
    from simlab.present import drawing

    view = report.view
    points = [center(h) for h in view.hexes]
    left, right = min(x for x, _ in points) - 1, max(x for x, _ in points) + 1
    top, bottom = min(y for _, y in points) - 1.2, max(y for _, y in points) + 1.2
    wide, high = right - left, bottom - top
    if by_turn:
        panels = [(f"{view.turn_name} {turn}", report.a_turn[turn]) for turn in report.shown]
        columns = min(2, max(len(panels), 1))
    else:
        panels, columns = [("", report.a_game)], 1
    rows = math.ceil(len(panels) / columns)
    head, gap = (0.13 * high if by_turn else 0.0), 0.06 * wide
    whole_wide = columns * wide + (columns - 1) * gap
    unit = drawing.WIDTH / whole_wide  # inches of one side of a hex
    legend = 0.5 / unit
    whole_high = rows * (high + head) + legend
    ax = drawing.axes(ax, whole_high * unit)
    figure = ax.get_figure(root=True)
    if figure is not None and figure.axes == [ax]:
        figure.set_layout_engine("none")
        ax.set_position((0, 0, 1, 1))
    step = step_of(max((float(values.max(initial=0)) for _, values in panels), default=0.0), len(drawing.LEVELS))
    texts: list[drawing.Word] = []
    for place, (title, values) in enumerate(panels):
        x = (place % columns) * (wide + gap) - left
        y = (place // columns) * (high + head) + head - top
        _map(ax, report, values, step, (x, y))
        if title:
            texts.append(drawing.Word(x + left, y + top - 0.35 * head, title, drawing.INK, 9.5, "left", right=2))
        else:
            texts += [
                drawing.Word(x + cx, y + cy, h.label, drawing.INK, 9)
                for h, (cx, cy) in zip(view.hexes, points, strict=True)
                if h.label
            ]
    boxes, scale = _legend(report, step, by_turn, whole_wide, whole_high - legend, unit)
    ax.add_artist(drawing.Marks(boxes, texts + scale))
    ax.set_xlim(0, whole_wide)
    ax.set_ylim(whole_high, 0)
    drawing.bare(ax)
    ax.set_axis_off()
    return ax


def _map(ax: Axes, report: HexReport, values: Floats, step: float, shift: tuple[float, float]) -> None:
    """One map: the hexes of each colour as one path, then the lines around the areas."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    from simlab.present import drawing

    value = {h.number: float(v) for h, v in zip(report.hexes, values, strict=True)}
    by_color: dict[str, list[HexName]] = {}
    for h in report.view.hexes:
        if h.number < 0:
            color = {"blocked": drawing.BLOCKED, "water": drawing.WATER}.get(h.ground, "none")
        else:
            level = level_of(value[h.number], step)
            color = drawing.LEVELS[min(level, len(drawing.LEVELS)) - 1] if level else "none"
        by_color.setdefault(color, []).append(h)
    outline = [Path.MOVETO, *[Path.LINETO] * 5, Path.CLOSEPOLY]
    for color, hexes in sorted(by_color.items()):
        points = [
            (shift[0] + cx + 0.97 * x, shift[1] + cy + 0.97 * y)
            for cx, cy in map(center, hexes)
            for x, y in (*_CORNERS, _CORNERS[0])
        ]
        path = Path(points, outline * len(hexes))
        ax.add_patch(PathPatch(path, facecolor=color, edgecolor=drawing.GRID, linewidth=0.5))
    lines = borders(report.view.hexes)
    if lines:
        ends = [(shift[0] + x, shift[1] + y) for line in lines for x, y in line]
        edge = PathPatch(Path(ends, [Path.MOVETO, Path.LINETO] * len(lines)), facecolor="none", edgecolor=drawing.INK)
        edge.set_linewidth(1.1 if len(value) < len(report.view.hexes) else 1.3)
        ax.add_patch(edge)


def _legend(
    report: HexReport, step: float, by_turn: bool, wide: float, top: float, unit: float
) -> tuple[list[Any], list[Any]]:
    """Boxes and words below the map: the scale, and what is not followed."""
    from simlab.present import drawing

    point = 1 / (72 * unit)  # a point in sides of a hex
    entries = [("none", "0", drawing.GRID)]
    for level, (before, end) in enumerate(pairwise(step * i for i in range(len(drawing.LEVELS) + 1))):
        entries.append((drawing.LEVELS[level], _range(before, end, by_turn and not report.mark.happens), ""))
    grounds = {h.ground for h in report.view.hexes if h.number < 0}
    entries += [(drawing.BLOCKED, "closed", "")] * ("blocked" in grounds)
    entries += [(drawing.WATER, "water", "")] * ("water" in grounds)
    each = min(wide / len(entries), 52 * point)
    boxes, texts = [], []
    for place, (color, text, frame) in enumerate(entries):
        x = place * each + 4 * point
        boxes.append((x, top + 18 * point, x + each - 6 * point, top + 9 * point, color, frame))
        texts.append(drawing.Word(x + (each - 6 * point) / 2, top + 26 * point, text, drawing.INK, 7.5))
    return boxes, texts


def _range(low: float, high: float, percent: bool) -> str:
    scale, end = (100, " %") if percent else (1, "")
    return f"to {scale * high:g}{end}" if not low else f"{scale * low:g}–{scale * high:g}{end}"


# --- Section --------------------------------------------------------------------


def section(view: View, draw: Draw) -> list[dict[str, Any]]:
    """For each mark: sentences, the map of the whole game, the maps by turn, the table of the hexes that have most."""
    made = []
    for report in reports(view):
        name, title = report.mark.name, report.mark.help[:1].upper() + report.mark.help[1:]
        if report.mark.happens:
            whole = f"{title}, {report.unit}."
            by_turn = f"{title}, in some {view.turn_name}s: how often in a game that reaches its end."
        else:
            whole = f"{title}: at the end of how many {report.unit}."
            by_turn = f"{title}, at the end of some {view.turn_name}s: share of the games that reach it."
        figures = []
        if report.worst:
            figures.append(draw(f"map_{report.index}", hex_map(view, name), f"{whole} {_key(view)}".rstrip()))
            figures.append(draw(f"map_{report.index}_turns", hex_map(view, name, by_turn=True), by_turn))
        rows = [
            {
                "name": report.name(at),
                "figure": report.estimate(at),
                "turns": [report.share(turn, at) for turn in report.shown],
            }
            for at in report.worst[:ROWS]
        ]
        made.append(
            {
                "title": words(name),
                "sentences": list(report.sentences()),
                "figures": figures,
                "turns": [f"{view.turn_name} {turn}" for turn in report.shown],
                "unit": report.unit,
                "rows": rows,
                "left": max(len(report.worst) - ROWS, 0),
            }
        )
    return made


def _key(view: View) -> str:
    """What the letters on the map stand for."""
    labels: dict[str, list[str]] = {}
    for h in view.hexes:
        if h.label and h.area:
            labels.setdefault(h.area, []).append(h.label)
    entries = sorted((", ".join(sorted(letters)), area) for area, letters in labels.items())
    return "; ".join(f"{letters} {area}" for letters, area in entries) + "." if entries else ""
