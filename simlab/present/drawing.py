"""The style of charts: axes, colours, tiles, bars, and conversion to SVG. SVG files contain text as text, colour-blind
readers can distinguish the colours (Okabe and Ito), and charts are legible at the width of a phone. `svg_text` gives
the same bytes for the same results.
"""

from __future__ import annotations

import io
import math
import re
import warnings
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, Normalize, TwoSlopeNorm, to_rgb
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from simlab.present.estimate import Difference, Estimate, plain, short

INK, MUTED, GRID = "#1f2430", "#5b6472", "#d5dae3"
SEATS = ("#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
_NAMED = {  # of seats that are called by a colour; white is darker and black lighter, to be seen on both
    "red": "#d1495b", "blue": "#3a7ca5", "green": "#4f9d5d", "yellow": "#dfb72c", "black": "#5c5c5c",
    "white": "#bab297", "purple": "#8e5ea2", "orange": "#e88d3a",
}  # fmt: skip
NOBODY, SHARED = "#8c8c8c", "#bdbdbd"
ENDINGS = (
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#999999",
    "#332288", "#117733", "#882255", "#ddcc77",
)  # fmt: skip
FACE = "#4c78a8"  # bars that belong to no seat
HUE = LinearSegmentedColormap.from_list("share", ["#f3f6fa", "#9ecae1", "#3182bd", "#08306b"])
LEVELS = ("#fee8cb", "#fdd09b", "#fbb46b", "#f5964a", "#e8743b")  #: shades of a map; text must stay legible on each
BLOCKED, WATER = "#c3c9d3", "#b9d7ee"  #: closed hexes and water on a map
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


def style() -> AbstractContextManager[None]:
    """The lab's style, for drawing within the context."""
    return rc_context(_STYLE)


class Chart(Axes):
    """Axes that a notebook shows as a picture of their whole figure, without pyplot."""

    def _repr_svg_(self) -> str:
        return standalone(svg_text(self))


def axes(ax: Axes | None, height: float, width: float = WIDTH) -> Axes:
    if ax is not None:
        return ax
    return Figure(figsize=(width, height), layout="constrained").add_subplot(axes_class=Chart)


def plain_axes(ax: Axes | None, height: float, width: float = WIDTH) -> Axes:
    """As `axes`, for figures whose labels are short: fixed margins take half the time of a layout."""
    if ax is not None:
        return ax
    inside = (0.68 / width, 0.48 / height, 1 - 0.8 / width, 1 - 0.78 / height)  # left, bottom, width, height
    return Figure(figsize=(width, height)).add_axes(inside, axes_class=Chart)


def label(text: object, limit: int = 30) -> str:
    """A text as Matplotlib can draw it: a dollar sign does not start a formula."""
    return short(plain(text), limit).replace("$", r"\$")


def rates_up(ax: Axes, title: str) -> None:
    """The vertical axis of a curve of rates, which shows no more than 0 to 1."""
    bottom, top = ax.get_ylim()
    ax.set_ylim(max(float(bottom), -0.02), min(float(top), 1.02))
    percent(ax, "y")
    ax.set_ylabel(label(title, 40))


def percent(ax: Axes, axis: str) -> None:
    which = ax.xaxis if axis == "x" else ax.yaxis
    which.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 2.5, 5, 10]))
    which.set_major_formatter(FuncFormatter(lambda x, _: f"{round(100 * x, 6):g} %"))


def band(ax: Axes, at: Any, estimates: Sequence[Estimate], color: str, name: str = "") -> None:
    """A line of estimates over a number, with the band of their intervals."""
    if len(at) > 1:
        low, high = ([getattr(e, end) for e in estimates] for end in ("low", "high"))
        ax.fill_between(at, low, high, color=color, alpha=0.25, linewidth=0)
    whiskers(ax, at, estimates, color, name, line="o-" if len(at) <= 40 else "-")


def whiskers(
    ax: Axes, at: Any, estimates: Sequence[Estimate], color: str, name: str = "", *, across: bool = False,
    line: str = "o", size: float = 4, cap: float = 2,
) -> None:  # fmt: skip
    """Draws estimates as points with their intervals, over numbers or in rows below each other."""
    middle = [e.value for e in estimates]
    ends = np.maximum([[e.value - e.low for e in estimates], [e.high - e.value for e in estimates]], 0)
    x, y, xerr, yerr = (middle, at, ends, None) if across else (at, middle, None, ends)
    ax.errorbar(x, y, yerr, xerr, fmt=line, markersize=size, capsize=cap, color=color, label=label(name))


def mark(ax: Axes, at: float, text: str) -> None:
    """A dotted vertical line with a word on top."""
    ax.axvline(at, color=MUTED, linewidth=1, linestyle=(0, (1, 2)))
    above = ax.get_xaxis_transform()
    ax.text(at, 1, text, transform=above, color=MUTED, fontsize=8, ha="center", va="bottom")


def around(middle: float) -> Normalize:
    """A colour scale for rates: 0 and 1 at the ends, `middle` in the middle."""
    return TwoSlopeNorm(min(max(middle, 1e-9), 1 - 1e-9), 0, 1)


def seat_color(seat: int, name: str = "") -> str:
    """The colour of a seat: the one in its name, such as "red" or "red (reformer)", else that of its number."""
    return _NAMED.get(name.partition(" ")[0].lower(), SEATS[seat % len(SEATS)])


def note(ax: Axes, text: str) -> Axes:
    ax.set_axis_off()
    ax.text(0.5, 0.5, text, ha="center", va="center", transform=ax.transAxes, color=MUTED)
    return ax


def versus() -> LinearSegmentedColormap:
    """From the second seat's colour over white to the first seat's."""
    return LinearSegmentedColormap.from_list("versus", [SEATS[1], "#f6f6f6", SEATS[0]])


# --- Tiles ----------------------------------------------------------------------


def ink_on(color: Any) -> str:
    """The colour for text that is legible on this colour."""
    red, green, blue = to_rgb(color)
    return "#ffffff" if 0.299 * red + 0.587 * green + 0.114 * blue < 0.55 else "#101010"


def word(ax: Axes, x: float, y: float, text: str, size: float, color: str = INK, **place: Any) -> None:
    """A text centred at a point, which does not move the layout."""
    ax.text(x, y, text, fontsize=size, color=color, in_layout=False, **{"ha": "center", "va": "center", **place})


def heat(ax: Axes, table: Any, labels: list[list[str]] | None, hue: Any, norm: Normalize, size: float = 8.5) -> None:
    """Coloured tiles of width and height 1, each with a text; a tile without a number is left out."""
    import seaborn

    texts = None if labels is None else np.array(labels)
    seaborn.heatmap(
        table, mask=np.isnan(table), annot=texts, fmt="", cmap=hue, norm=norm, cbar=False, ax=ax,
        xticklabels=False, yticklabels=False, annot_kws={"size": size, "in_layout": False},
    )  # fmt: skip
    bare(ax)


def percentages(table: Any) -> list[list[str]]:
    """Shares as texts of tiles: per cent, `<1` for less, and nothing for 0 or no number."""

    def label(share: float) -> str:
        return "" if not share > 0 else f"{100 * share:.0f}" if share >= 0.0095 else "<1"

    return [[label(share) for share in row] for row in table]


def bare(ax: Axes) -> None:
    """Removes grid, ticks and frame, for tiles."""
    ax.grid(visible=False)
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)


def name_tiles(
    ax: Axes, rows: Sequence[str], columns: Sequence[str], *, across: str = "", down: str = "", size: float = 9,
    above: bool = False, tilted: bool = False,
) -> None:  # fmt: skip
    """Names of the rows and columns of tiles, with titles `across` and `down`."""
    ax.set_yticks(np.arange(len(rows)) + 0.5, rows, rotation=0)
    turned: Any = {"rotation": 45, "rotation_mode": "anchor", "ha": "left"} if tilted else {}
    ax.set_xticks(np.arange(len(columns)) + 0.5, columns, fontsize=size, **turned)
    ax.tick_params(labeltop=above, labelbottom=not above)
    ax.set_xlabel(across)
    ax.set_ylabel(down)


def interval(ax: Axes, row: float, one: Estimate, color: str, filled: bool = True) -> None:
    """Draws an estimate with its interval in a row. A change of a rate is in points; other rates are unchanged."""
    scale = 100 if isinstance(one, Difference) and one.rate else 1
    ax.plot([scale * one.low, scale * one.high], [row, row], color=color, lw=1.6)
    ax.plot([scale * one.value], [row], "o", color=color, ms=5, markerfacecolor=color if filled else "none")


def name_rows(ax: Axes, names: Sequence[str], limit: int = 40) -> None:
    """Rows with names, the first on top."""
    ax.set_yticks(range(len(names)), [label(name, limit) for name in names])
    ax.set_ylim(max(len(names), 1) - 0.5, -0.5)
    ax.grid(visible=False, axis="y")


def effects(
    ax: Axes | None, names: Sequence[str], sizes: Sequence[Estimate], sure: Sequence[bool] | None = None,
    color: str = "", limit: int = 40,
) -> Axes:  # fmt: skip
    """Draws effects with their intervals, one row each, and a line at 0.

    Args:
        sure: whether each effect is significant and therefore filled; the others are grey. None: all are filled. color:
            colour of filled effects; by default one seat's colour above 0, and another seat's below.
    """
    ax = axes(ax, 0.9 + 0.25 * max(len(names), 1))
    for row, (one, significant) in enumerate(zip(sizes, sure or [True] * len(sizes), strict=True)):
        strong = color or seat_color(0 if one.value > 0 else 1)
        interval(ax, row, one, strong if significant else MUTED, significant)
    ax.axvline(0, color=MUTED, linewidth=1)
    name_rows(ax, names, limit)
    return ax


def legend_columns(names: Sequence[str], most: int = 3) -> int:
    """The number of columns with which a legend is no wider than a figure. It lists the names column by column."""
    for columns in range(most, 1, -1):
        rows = math.ceil(len(names) / columns)
        longest = [max(map(len, names[first : first + rows])) for first in range(0, len(names), rows)]
        if 0.07 * sum(longest) + 0.5 * len(longest) <= WIDTH:  # inches of the letters, and of the marks and gaps
            return columns
    return 1


def legend_below(ax: Axes) -> None:
    """A legend below the axes. It is outside them if the figure was made here, so the layout leaves room for it."""
    figure = ax.figure
    handles, names = ax.get_legend_handles_labels()
    columns = legend_columns(names)
    if isinstance(figure, Figure) and len(figure.axes) == 1 and figure.get_layout_engine() is not None:
        figure.legend(handles, names, loc="outside lower center", ncols=columns)
    else:
        ax.legend(ncols=columns, loc="upper center", bbox_to_anchor=(0.5, -0.2))


def histogram(ax: Axes, values: Sequence[float], counts: Sequence[int], whole: bool = True, most: int = 60) -> None:
    """Share of the games by value: one bar per whole number, or equal bins if there are many values or decimals."""
    import seaborn

    span = values[-1] - values[0]
    width = max(1, math.ceil((span + 1) / most)) if whole else span / most or 1.0
    edges = np.arange(values[0] - (0.5 if whole else 0.0), values[-1] + width, width)
    few = len(edges) < 13
    seaborn.histplot(
        x=np.asarray(values), weights=np.asarray(counts), bins=edges.tolist(), stat="probability", color=FACE, alpha=1,
        element="bars" if few else "step", shrink=0.86 if few else 1, edgecolor="white", linewidth=0.5, ax=ax,
    )  # fmt: skip
    if span < 2:
        middle = (values[0] + values[-1]) / 2
        ax.set_xlim(middle - 2, middle + 2)
    ax.xaxis.set_major_locator(MaxNLocator(integer=whole, nbins=9))
    ax.grid(visible=False, axis="x")
    ax.set_ylabel("share of the games")
    percent(ax, "y")


# --- SVG ----------------------------------------------------------------------

_FONT = re.compile(r"font: ((?:italic |oblique )?(?:[\w.]+ )?[\d.]+px) [^;\"]*")
_DECIMALS = re.compile(r"(\d\.\d\d)\d+")  # a hundredth of a point is finer than any screen
_COLORS = {
    INK: "--ink", MUTED: "--muted", GRID: "--grid", BLOCKED: "--blocked", WATER: "--water",
    **{color: f"--level-{i}" for i, color in enumerate(LEVELS, start=1)},
}  # fmt: skip


def svg_text(ax: Axes) -> str:
    """The axes' figure as an SVG document; the same bytes for the same figure."""
    figure = ax.get_figure(root=True)
    if figure is None:
        raise ValueError("these axes belong to no figure")
    buffer = io.StringIO()
    with style(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")  # the reader's own fonts will have it
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    return buffer.getvalue()


def standalone(text: str) -> str:
    """An SVG document on white, for a file or a notebook, which may be dark."""
    start = text.index(">", text.index("<svg")) + 1
    return f'{text[:start]}\n <rect width="100%" height="100%" fill="#ffffff"/>{text[start:]}'


def inline_svg(text: str, prefix: str, title: str) -> str:
    """The figure for an HTML page, with its own ids, the page's font, and colours for light and dark mode.

    Args:
        text: an SVG document, as `svg_text` gives it.
        prefix: prefix of all ids, so that two figures of one page do not share them.
        title: description of the figure, for readers who cannot see it; escaped here.
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
        f"\n<title>{escape(title.replace('`', ''))}</title>{body}"
    )
