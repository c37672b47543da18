"""A comparison as one HTML page: what `simlab diff --report FILE` writes."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup
from matplotlib.axes import Axes

from simlab.present import drawing
from simlab.present.chart import chart as charted
from simlab.present.estimate import Estimate, plain, words
from simlab.present.html import templates
from simlab.words import counted

if TYPE_CHECKING:
    from simlab.studies.diff import Diff, FigureDiff


def write_diff(diff: Diff, path: Path) -> Path:
    """Writes the page.

    Raises:
        UserMistake, RunFailed: it cannot be written, as simlab.runs.store.atomic_write.
    """
    from simlab.runs.store import atomic_write

    atomic_write(path, diff_page(diff).encode("utf-8", "replace"))
    return path


def diff_page(diff: Diff) -> str:
    """The page as text; everything in it is escaped, and it needs no network."""
    environment = templates()
    moved = [figure for figure in diff.together.figures if figure.paired.changed]
    rates = [figure for figure in moved if figure.is_rate]
    text = (
        "Change of each share by the tweak, in points, with its paired interval; all intervals hold together "
        f"({100 * diff.level:g} %). A line that crosses 0 has not moved for certain."
    )
    svg = drawing.inline_svg(drawing.svg_text(chart(rates or moved)), "diff-", text)
    games = f"{counted(diff.together.games, 'game')} on each side, with the same luck"
    return environment.get_template("diff.html.j2").render(
        style=Markup(environment.get_template("report.css").render()),
        title=f"{plain(diff.base, 80)}: what the tweak does",
        sub=f"{plain(diff.game, 60)}, seed {diff.seed}, {games}",
        sentences=[plain(text, 2000) for text in diff.sentences],
        chart={"svg": Markup(svg), "caption": text, "wide": False},
        rows=[_row(figure) for figure in moved],
        rests_on=f"{diff.rests_on} {diff.asked_before}",
        telling=diff.telling,
    )


@charted
def chart(figures: list[FigureDiff], ax: Axes | None = None) -> Axes:
    """Differences with their intervals, a line a figure; those that are certain in colour."""
    ax = drawing.axes(ax, 0.8 + 0.26 * max(len(figures), 1))
    for place, one in enumerate(map(_difference, figures)):
        color = drawing.FACE if one.low > 0 or one.high < 0 else drawing.MUTED
        ax.plot([one.low, one.high], [place, place], color=color, lw=1.6)
        ax.plot([one.value], [place], "o", color=color, ms=5)
    ax.axvline(0, color=drawing.MUTED, lw=1)
    ax.set_yticks(range(len(figures)), [drawing.label(words(figure.label), 36) for figure in figures])
    ax.set_ylim(max(len(figures), 1) - 0.4, -0.6)
    ax.set_xlabel("after less before")
    return ax


def _difference(figure: FigureDiff) -> Estimate:
    p, scale = figure.paired, 100.0 if figure.is_rate else 1.0
    return Estimate(scale * p.difference, scale * p.low, scale * p.high, False)


def _row(figure: FigureDiff) -> dict[str, Any]:
    p, scale, unit = figure.paired, 100.0 if figure.is_rate else 1.0, " %" if figure.is_rate else ""
    open_end = not math.isfinite(figure.factor_high)
    return {
        "name": words(figure.label),
        "before": f"{scale * p.mean_a:,.2f}{unit}",
        "after": f"{scale * p.mean_b:,.2f}{unit}",
        "difference": _difference(figure),
        "changed": f"{p.changed:,}",
        "factor": "–" if open_end else f"×{p.factor:.1f} ({figure.factor_low:.1f}–{figure.factor_high:.1f})",
    }
