"""The style of charts: axes, colours, tiles, bars, and conversion to SVG. SVG files contain text as text, colour-blind
readers can distinguish the colours (Okabe and Ito), and charts are legible at the width of a phone. `svg_text` gives
the same bytes for the same results.
"""

from __future__ import annotations

import functools
import io
import math
import re
import warnings
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
from matplotlib import rc_context, rcParams
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, Normalize, TwoSlopeNorm, to_rgb, to_rgba
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.ft2font import LoadFlags
from matplotlib.path import Path
from matplotlib.ticker import FixedFormatter, FixedLocator, FuncFormatter, MaxNLocator
from matplotlib.transforms import Affine2D, IdentityTransform

from simlab.present.estimate import Difference, Estimate, plain, short

INK, MUTED, GRID = "#1f2430", "#5b6472", "#d5dae3"
SEATS = ("#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
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
    """A text as Matplotlib may draw it: a dollar sign is a dollar sign, not the start of a formula."""
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
    """Estimates as points with their intervals: over numbers, or across, one below the other."""
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
    """Scale of colours for rates: 0 and 1 at the ends, `middle` in the middle."""
    return TwoSlopeNorm(min(max(middle, 1e-9), 1 - 1e-9), 0, 1)


def seat_color(seat: int) -> str:
    return SEATS[seat % len(SEATS)]


def note(ax: Axes, text: str) -> Axes:
    ax.set_axis_off()
    ax.text(0.5, 0.5, text, ha="center", va="center", transform=ax.transAxes, color=MUTED)
    return ax


def dark(color: Any) -> bool:
    red, green, blue = to_rgb(color)
    return 0.299 * red + 0.587 * green + 0.114 * blue < 0.55


def versus() -> LinearSegmentedColormap:
    """From the second seat's colour over white to the first seat's."""
    return LinearSegmentedColormap.from_list("versus", [SEATS[1], "#f6f6f6", SEATS[0]])


# --- Marks drawn in one go ----------------------------------------------------


def _anchor(x: float, y: float, align: str) -> SimpleNamespace:
    """Attributes of a text in Matplotlib's SVG: its anchor point and alignment."""
    return SimpleNamespace(
        get_rotation_mode=lambda: "anchor", get_transform=IdentityTransform, get_unitless_position=lambda: (x, y),
        get_ha=lambda: align,
    )  # fmt: skip


@dataclass(frozen=True)
class Word:
    """A text at a point."""

    x: float  #: x, y: in the coordinates of the axes' data
    y: float
    text: str
    color: str
    size: float
    align: str = "center"  #: the end that is at the point; vertically the middle, or the base of tilted texts
    right: float = 0.0  #: right, up: offset in points
    up: float = 0.0
    angle: float = 0.0  #: degrees


class Marks(Artist):
    """Rectangles and texts of an axes as a single artist, because separate artists take Matplotlib ten times as long.

    Args:
        boxes: (left, bottom, right, top, colour, colour of the frame or "") of each rectangle, in data coordinates.
    """

    def __init__(self, boxes: Sequence[tuple[float, float, float, float, Any, str]], words: Sequence[Word]) -> None:
        super().__init__()
        self.boxes, self.words = boxes, words
        self.set_in_layout(False)
        self.set_zorder(1)

    def draw(self, renderer: Any) -> None:
        axes = self.axes
        figure = None if axes is None else axes.get_figure(root=True)
        if not self.get_visible() or axes is None or figure is None:
            return
        to_points = axes.transData.transform
        dots = figure.dpi / 72
        gc = renderer.new_gc()
        gc.set_linewidth(0)
        corners = np.array([box[:4] for box in self.boxes], np.float64).reshape(-1, 2)
        for box, ((left, bottom), (right, top)) in zip(self.boxes, to_points(corners).reshape(-1, 2, 2), strict=True):
            path = Path([(left, bottom), (right, bottom), (right, top), (left, top), (left, bottom)], _BOX)
            gc.set_linewidth(1.2 * dots if box[5] else 0)
            gc.set_foreground(box[5] or "none")
            renderer.draw_path(gc, path, IdentityTransform(), to_rgba(box[4]))
        anchored = hasattr(renderer, "_draw_text_as_text") and rcParams["svg.fonttype"] == "none"
        height = renderer.get_canvas_width_height()[1]
        places = to_points(np.array([(word.x, word.y) for word in self.words], np.float64).reshape(-1, 2))
        for word, place in zip(self.words, places, strict=True):
            text = word.text.replace(r"\$", "$")
            x = float(place[0]) + dots * word.right
            y = float(place[1]) + dots * (word.up - (0 if word.angle else 0.36 * word.size))
            if not anchored:  # other kinds of pictures support only the left end
                shift = {"left": 0.0, "center": 0.5, "right": 1.0}[word.align] * text_width(text, word.size) * dots
                x -= shift * math.cos(math.radians(word.angle))
                y -= shift * math.sin(math.radians(word.angle))
            gc.set_foreground(word.color)
            anchor = _anchor(x, y, word.align) if anchored else None
            down = height - y if renderer.flipy() else y
            renderer.draw_text(gc, x, down, text, _font(word.size), word.angle, mtext=anchor)
        gc.restore()


_BOX = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY]


@functools.cache
def _font(size: float) -> FontProperties:
    return FontProperties(family=["sans-serif"], size=size)


def text_width(text: str, size: float) -> float:
    """The width in points; close enough for a browser's own font."""
    font = get_font(findfont(_font(size)))
    font.set_size(size, 72)
    font.set_text(text, 0.0, flags=LoadFlags.NO_HINTING)
    return float(font.get_width_height()[0]) / 64


def heat(
    ax: Axes,
    table: Any,
    labels: list[list[str]],
    hue: Any,
    norm: Normalize,
    size: float = 8.5,
) -> None:
    """Coloured tiles, each with a text, as vector shapes; a tile without a number is left out."""
    import seaborn

    rows, columns = table.shape
    seaborn.heatmap(table, ax=ax, cmap=hue, norm=norm, cbar=False, xticklabels=False, yticklabels=False)
    mesh = ax.collections[-1]
    mesh.set_transform(Affine2D().translate(-0.5, -0.5) + ax.transData)  # a tile's centre is at its row and column
    colors = hue(norm(table))
    words = [
        Word(j, i, labels[i][j], "#ffffff" if dark(colors[i, j][:3]) else "#101010", size)
        for i, j in np.ndindex(rows, columns)
        if labels[i][j] and not math.isnan(table[i, j])
    ]
    ax.add_artist(Marks([], words))
    ax.set_xlim(-0.5, columns - 0.5)
    ax.set_ylim(rows - 0.5, -0.5)
    bare(ax)


def percentages(table: Any) -> list[list[str]]:
    """Shares as texts of tiles: per cent, `<1` for less, and nothing for 0 or no number."""

    def label(share: float) -> str:
        return "" if not share > 0 else f"{100 * share:.0f}" if share >= 0.0095 else "<1"

    return [[label(share) for share in row] for row in table]


def bare(ax: Axes) -> None:
    """No grid, no ticks, no frame: for tiles."""
    ax.grid(visible=False)
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)


def name_tiles(
    ax: Axes,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    across: str = "",
    down: str = "",
    size: float = 9,
    above: bool = False,
    tilted: bool = False,
) -> None:
    """Names of the rows and columns of tiles, with titles `across` and `down`, in margins just wide enough."""
    for axis, names in ((ax.xaxis, columns), (ax.yaxis, rows)):
        axis.set_major_locator(FixedLocator(list(range(len(names)))))
        axis.set_major_formatter(FixedFormatter(list(names)))
        axis.set_visible(False)
    bottom = len(rows) - 0.5
    words = [Word(-0.5, i, name, INK, 9, "right", right=-4) for i, name in enumerate(rows)]
    for j, name in enumerate(columns):
        if tilted:
            words.append(Word(j, -0.5, name, INK, size, "left", up=4, angle=45))
        else:
            words.append(Word(j, -0.5 if above else bottom, name, INK, size, up=8.0 if above else -8.0))
    wide = max((text_width(name, 9) for name in rows), default=0.0)
    long = max((text_width(name, size) for name in columns), default=0.0)
    # The last tilted name reaches furthest to the right and starts half a tile from the edge.
    margins = {
        "left": 8 + wide + (16 if down else 0),
        "right": max(0.71 * long - 6, 4) if tilted else 4,
        "top": (0.71 * long + 12 if tilted else 17) if above else 4,
        "bottom": (4 if above or not columns else 17) + (15 if across else 0),
    }
    if across:
        words.append(Word((len(columns) - 1) / 2, bottom, across, INK, 9.5, up=8.0 - margins["bottom"]))
    if down:
        words.append(Word(-0.5, (len(rows) - 1) / 2, down, INK, 9.5, right=12 - margins["left"], angle=90))
    ax.add_artist(Marks([], words))
    figure = ax.figure
    if isinstance(figure, Figure) and _own(ax):
        wide, high = (72 * inches for inches in figure.get_size_inches())
        figure.set_layout_engine("none")
        inside = 1 - (margins["left"] + margins["right"]) / wide, 1 - (margins["top"] + margins["bottom"]) / high
        ax.set_position((margins["left"] / wide, margins["bottom"] / high, *inside))


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
    """Effects with their intervals, one row each, and a line at 0.

    Args:
        sure: significant effects are filled, the others grey; None: all. color: color of significant ones; by default
            one seat's colour if the effect is above 0, and another's if below.
    """
    ax = axes(ax, 0.9 + 0.25 * max(len(names), 1))
    for row, (one, significant) in enumerate(zip(sizes, sure or [True] * len(sizes), strict=True)):
        strong = color or seat_color(0 if one.value > 0 else 1)
        interval(ax, row, one, strong if significant else MUTED, significant)
    ax.axvline(0, color=MUTED, linewidth=1)
    name_rows(ax, names, limit)
    return ax


def legend_below(ax: Axes) -> None:
    if _own(ax):
        ax.figure.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    else:
        ax.legend(ncols=3, loc="upper center", bbox_to_anchor=(0.5, -0.2))


def _own(ax: Axes) -> bool:
    """Whether the figure was made here, so that its layout leaves room for a legend outside."""
    figure = ax.figure
    return isinstance(figure, Figure) and len(figure.axes) == 1 and figure.get_layout_engine() is not None


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
    """The figure for the inside of an HTML page: with its own ids, the page's font, and colours for light
    and dark mode.

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
