"""Where over two knobs the game is fair, or on target."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from simlab.present.chart import Draw, chart
from simlab.present.estimate import Estimate, is_number, value_text, words
from simlab.report import tables
from simlab.report.goal import FEWEST_GAMES, Goal, estimates_of, figure_words, goal, rates_of
from simlab.results.view import View
from simlab.stats.intervals import Floats
from simlab.stats.tournament import sup_t

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from rich.console import RenderableType
    from rich.table import Table

MOST_COLUMNS = 12  #: of a map in the terminal


@dataclass(frozen=True)
class FairMap:
    """Win rate over two knobs.

    Attributes:
        down, across: the knobs; rows, columns: their values.
        rate: shape (rows, columns). rates: with intervals that hold one by one, row by row.
        low, high: a band that covers the whole map, shape (rows, columns). wide: its width in standard errors.
        numeric: whether both knobs are numbers, so that there is a line of fairness.
        printed: (row, column) of the printed values, if they were played.
    """

    down: str
    across: str
    rows: list[Any]
    columns: list[Any]
    rate: Floats
    rates: list[Estimate]
    low: Floats
    high: Floats
    wide: float
    goal: Goal
    numeric: bool
    printed: tuple[int, int] | None

    @property
    def by_row(self) -> list[list[Estimate]]:
        """`rates` as a table."""
        width = len(self.columns)
        return [self.rates[at : at + width] for at in range(0, len(self.rates), width)]

    @property
    def favoured(self) -> tuple[int, int, int]:
        """Settings at which the first seat wins more than wanted for certain, less, and the rest."""
        if self.goal.target is None:
            return 0, 0, self.rate.size
        above, below = self.low > self.goal.target, self.high < self.goal.target
        return int(above.sum()), int(below.sum()), int((~above & ~below).sum())


def fair_map(view: View) -> FairMap | None:
    """The map of the two knobs that vary, where each value of one was played with each of the other."""
    if len(view.varied) != 2 or not view.is_grid or view.method in ("one_at_a_time", "saltelli", "morris"):
        return None
    if min(cell.games for cell in view.cells) < FEWEST_GAMES or len(view.cells) > 4_000:
        return None
    (down, rows), (across, columns) = view.varied.items()
    groups = [
        [c for c in view.cells if c.varied.get(down) == r and c.varied.get(across) == k] for r in rows for k in columns
    ]
    wanted = goal(view, even_odds=True)
    measured = rates_of(view, groups, wanted)
    shape = (len(rows), len(columns))
    printed = view.printed(down), view.printed(across)
    place = None if None in printed else (rows.index(printed[0]), columns.index(printed[1]))
    numeric = all(is_number(v) for v in [*rows, *columns])
    wide = sup_t(measured.covariance)
    band = measured.ends(2 * NormalDist().cdf(wide) - 1).reshape(*shape, 2)
    return FairMap(
        down, across, rows, columns, measured.value.reshape(shape), estimates_of(view, groups, wanted, measured),
        band[..., 0], band[..., 1], wide, wanted, numeric, place,
    )  # fmt: skip


def map_sentence(view: View, plane: FairMap) -> str:
    """What the map shows and how sure it is."""
    what = figure_words(view, plane.goal)
    a, b = words(plane.down), words(plane.across)
    half = 50 * float((plane.high - plane.low).max())
    text = f"Per cent: {what} by {a} and {b}, each good to ±{half:.1f} points or better, all together."
    if plane.goal.target is None:
        return text
    more, less, level = plane.favoured
    target = f"{100 * plane.goal.target:.4g} %"
    line = (
        f" Dark line: where it is {target}; the hatched band is where {target} cannot be ruled out."
        if plane.numeric and min(plane.rate.shape) > 1 and more + level and less + level
        else ""
    )
    text += (
        f"{line} Of {plane.rate.size:,} settings {more:,} lie above {target} for certain, {less:,} below, "
        f"{level:,} are open."
    )
    if plane.printed is None:
        return text
    at = plane.printed
    here = plane.rate[at]
    text += f" The ring marks the printed values: {100 * here:.1f} %."
    near = _nearest_fair(plane)
    if near is not None and near != at:
        i, j = near
        text += (
            f" Fewest steps from there to {target}: {a} = {value_text(plane.rows[i])}, {b} = "
            f"{value_text(plane.columns[j])} ({100 * plane.rate[i, j]:.1f} %)."
        )
    return text


def _nearest_fair(plane: FairMap) -> tuple[int, int] | None:
    """The setting in the band of the goal with the fewest steps from the printed one."""
    if plane.printed is None or plane.goal.target is None:
        return None
    there = np.argwhere((plane.rate >= plane.goal.low) & (plane.rate <= plane.goal.high))
    if not len(there):
        return None
    i, j = min(
        ((int(i), int(j)) for i, j in there),
        key=lambda at: (
            abs(at[0] - plane.printed[0]) + abs(at[1] - plane.printed[1]),  # type: ignore[index]
            abs(plane.rate[at] - (plane.goal.target or 0)),
        ),
    )
    return i, j


@chart
def draw_map(plane: Any, ax: Axes | None = None) -> Axes:
    """Win rate over two knobs as tiles, the line at the target, the band around it, the printed values ringed."""

    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch, Rectangle

    from simlab.present import drawing

    rows, columns = plane.rate.shape
    ax = drawing.axes(ax, min(1.3 + 0.38 * rows, 9))
    hue, norm = drawing.versus(), _around(plane.goal.target if plane.goal.target is not None else 0.5)
    drawing.heat(ax, plane.rate, [[""] * columns for _ in range(rows)], hue, norm)
    for i, line in enumerate(plane.rate):
        for j, rate in enumerate(line):  # in a corner, out of the way of the line
            ink = "#ffffff" if drawing.dark(hue(norm(rate))) else "#101010"
            ax.text(j - 0.42, i - 0.4, f"{100 * rate:.0f}", ha="left", va="top", fontsize=8, color=ink, zorder=6)
    ax.set_yticks(range(rows), [drawing.label(value_text(v), 18) for v in plane.rows])
    ax.set_xticks(range(columns), [drawing.label(value_text(v), 12) for v in plane.columns])
    ax.set_xlabel(drawing.label(words(plane.across), 60))
    ax.set_ylabel(drawing.label(words(plane.down), 40))
    shown: list[Any] = []
    if plane.numeric and plane.goal.target is not None and min(rows, columns) > 1:
        x, y, between, low, high = _refined(plane)
        half = np.where(between > plane.goal.target, between - low, high - between)
        off = (between - plane.goal.target) / np.maximum(half, 1e-9)
        if off.min() < 1 and off.max() > -1:
            ax.contourf(x, y, off, levels=[-1, 1], colors="none", hatches=["////"], zorder=2)
            ax.contour(x, y, off, levels=[-1, 1], colors=[drawing.INK], linewidths=0.7, linestyles="dotted", zorder=3)
            shown.append(
                Patch(facecolor="none", edgecolor=drawing.INK, hatch="////", linewidth=0.5, label="may be on target")
            )
        if between.min() < plane.goal.target < between.max():
            ax.contour(x, y, between, levels=[plane.goal.target], colors=[drawing.INK], linewidths=2, zorder=4)
            shown.insert(0, Line2D([], [], color=drawing.INK, linewidth=2, label=f"{100 * plane.goal.target:.4g} %"))
    if plane.printed is not None:
        i, j = plane.printed
        ring = Rectangle((j - 0.48, i - 0.47), 0.96, 0.94, fill=False, edgecolor=drawing.INK, linewidth=2.2, zorder=5)
        ax.add_patch(ring)
        shown.append(Patch(facecolor="none", edgecolor=drawing.INK, linewidth=2, label="printed"))
    if shown:
        ax.legend(handles=shown, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)
    return ax


def _around(middle: float) -> Any:
    """Scale of colours: 0 and 1 at the ends, the target in the middle."""
    from matplotlib.colors import Normalize

    class Around(Normalize):
        def __call__(self, value: Any, clip: bool | None = None) -> Any:
            return np.interp(value, [0, middle, 1], [0, 0.5, 1])

    return Around(0, 1)


def _refined(plane: Any, times: int = 12) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Rate and band between the settings, by straight lines: the places, and the three tables."""
    rows, columns = plane.rate.shape
    y, x = np.linspace(0, rows - 1, (rows - 1) * times + 1), np.linspace(0, columns - 1, (columns - 1) * times + 1)

    def between(table: Floats) -> Floats:
        across = np.array([np.interp(x, np.arange(columns), line) for line in table])
        return np.array([np.interp(y, np.arange(rows), line) for line in across.T]).T

    return x, y, between(plane.rate), between(plane.low), between(plane.high)


def section(view: View, draw: Draw, plane: FairMap) -> dict[str, Any]:
    """What the page shows: the map, and its sentence."""
    sentence = map_sentence(view, plane)
    return {"sentence": sentence, "figures": [draw("fair_map", draw_map(plane), sentence)]}


def terminal(view: View, plane: FairMap) -> list[RenderableType | str]:
    """What `sweep` prints: the map as a table."""
    text = map_sentence(view, plane).replace(_legend(plane), "").replace("The ring marks", "Brackets mark")
    return [tables.typed(_map_head(view, plane)), _map_table(plane), tables.typed(text)]


def _map_head(view: View, plane: FairMap) -> str:
    target = plane.goal.target
    marks = "" if target is None else f"; + above {100 * target:.4g} %, - below it, for certain"
    left = len(plane.columns) - MOST_COLUMNS
    rest = f"; {left} more columns stand in the report" if left > 0 else ""
    axes = f"{words(plane.down)} (down) by {words(plane.across)} (across)"
    return f"{view.title}: {axes}{view.fixed_bots}, per cent{marks}{rest}"


def _map_table(plane: FairMap) -> Table:
    """The map as a terminal shows it."""
    target, shown = plane.goal.target, plane.columns[:MOST_COLUMNS]
    made = tables.table("", dense=True)
    made.add_column(words(plane.down), overflow="fold")
    tables.numbers(made, *(value_text(value) for value in shown))
    for i, value in enumerate(plane.rows):
        cells = []
        for j in range(len(shown)):
            mark = ""
            if target is not None:
                mark = "+" if plane.low[i, j] > target else "-" if plane.high[i, j] < target else " "
            rate = f"{100 * plane.rate[i, j]:.1f}"
            cells.append((f"[{rate}]" if (i, j) == plane.printed else rate) + mark)
        tables.add(made, [value_text(value), *cells])
    return made


def _legend(plane: FairMap) -> str:
    """The part of the map's sentence that speaks of its drawing."""
    target = f"{100 * (plane.goal.target or 0):.4g} %"
    return f" Dark line: where it is {target}; the hatched band is where {target} cannot be ruled out."


def _side(low: float, high: float, target: float | None) -> str:
    """On which side of the target a setting lies, all settings judged together."""
    return "open" if target is None or low <= target <= high else "above" if low > target else "below"


def summary(view: View, plane: FairMap) -> dict[str, Any]:
    """What --json adds."""
    table = {
        "down": plane.down, "rows": plane.rows, "across": plane.across, "columns": plane.columns,
        "rate": plane.rate.tolist(),
        "low": [[rate.low for rate in line] for line in plane.by_row],
        "high": [[rate.high for rate in line] for line in plane.by_row],
        "certain": [[_side(a, b, plane.goal.target) for a, b in zip(*ends, strict=True)]
                    for ends in zip(plane.low, plane.high, strict=True)],
    }  # fmt: skip
    return {"sentence": map_sentence(view, plane), "map": table}
