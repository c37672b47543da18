"""How charts look: axes, colours, tiles, bars, and the way to SVG.

Nothing here touches pyplot. Texts stay text in SVG, colours are told apart by colour-blind people (Okabe and Ito), and
a chart is legible at the width of a phone. `svg_text` gives the same bytes for the same results.
"""

from __future__ import annotations

import io
import math
import re
import warnings
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, Normalize, to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter, MaxNLocator

from simlab.report.estimate import plain, short

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


def style() -> AbstractContextManager[None]:
    """The lab's style, for what is drawn within."""
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


def percent(ax: Axes, axis: str) -> None:
    which = ax.xaxis if axis == "x" else ax.yaxis
    which.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 2.5, 5, 10]))
    which.set_major_formatter(FuncFormatter(lambda x, _: f"{round(100 * x, 6):g} %"))


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


def heat(ax: Axes, table: Any, labels: list[list[str]], hue: Any, norm: Normalize, size: float = 8.5) -> None:
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
                    color="#ffffff" if dark(color) else "#101010",
                )
    ax.set_xlim(-0.5, columns - 0.5)
    ax.set_ylim(rows - 0.5, -0.5)
    ax.grid(visible=False)
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)


def legend_below(ax: Axes) -> None:
    if _own(ax):
        ax.figure.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    else:
        ax.legend(ncols=3, loc="upper center", bbox_to_anchor=(0.5, -0.2))


def _own(ax: Axes) -> bool:
    """Whether the figure was made here: then its layout leaves room for a legend outside."""
    figure = ax.figure
    return isinstance(figure, Figure) and len(figure.axes) == 1 and figure.get_layout_engine() is not None


def bars(ax: Axes, values: Any, counts: Any, color: str, most: int = 60) -> None:
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
    percent(ax, "y")


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
    with style(), warnings.catch_warnings():
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
