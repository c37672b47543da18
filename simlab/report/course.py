"""The course of a game: win chances by turn, and what they say."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from simlab.present.chart import Draw, chart
from simlab.present.estimate import Estimate, plain
from simlab.results.view import View

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_SIDES = 8  #: that have a picture each


@chart
def course(study: Mapping[str, Any], ax: Axes | None = None) -> Axes:
    """Win chance of each side by turn: median, half and nine tenths of the games; some games as lines.

    Args:
        study: as simlab.studies.course.summary gives it. ax: of a figure that has room for all sides.
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    from simlab.present import drawing

    sides = shown(study)
    columns = 1 if len(sides) == 1 else 2
    rows = -(-len(sides) // columns)
    if ax is None:
        height = 3.0 if rows == 1 and columns == 1 else 0.5 + 1.9 * rows
        figure = Figure(figsize=(drawing.WIDTH, height), layout="constrained")
        panels = [figure.add_subplot(rows, columns, place + 1, axes_class=drawing.Chart) for place in range(len(sides))]
    else:
        panels = [ax, *(ax.inset_axes((0, -1.2 * place, 1, 1)) for place in range(1, len(sides)))]
    turns = study["by_turn"]["turns"]
    for panel, side in zip(panels, sides, strict=True):
        low, early, middle, late, high = study["by_turn"]["quantiles"][side]
        color = drawing.seat_color(side)
        panel.fill_between(turns, low, high, color=color, alpha=0.15, lw=0, step="mid")
        panel.fill_between(turns, early, late, color=color, alpha=0.3, lw=0, step="mid")
        panel.plot(turns, middle, color=color, drawstyle="steps-mid")
        for line, dashes in zip(study["lines"], ("--", ":"), strict=False):
            panel.plot(
                line["turns"], line["chances"][side], dashes, color=drawing.INK, lw=1.1,
                label=drawing.label(f"{line['what']}, game {line['game']}"),
            )  # fmt: skip
        panel.set_ylim(-0.03, 1.03)
        panel.set_xlim(turns[0] - 0.5, turns[-1] + 0.5)
        drawing.percent(panel, "y")
        panel.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=7))
        panel.set_title(drawing.label(study["sides"][side], 26))
    for panel in panels[-columns:]:
        panel.set_xlabel(drawing.label(f"at the start of {study['turn_name']}", 40))
    if study["lines"]:
        panels[0].legend(fontsize=7.5, loc="best")
    return panels[0]


def shown(study: Mapping[str, Any]) -> range:
    """The sides that are drawn: of two whose chances add up to 1 the first says it all."""
    means = np.array(study["by_turn"]["mean"])
    both = len(means) == 2 and bool(np.allclose(means.sum(axis=0), 1, atol=1e-6))
    return range(1 if both else min(len(means), MOST_SIDES))


def section(view: View, draw: Draw) -> dict[str, Any] | None:
    """The first followed cell of a run."""
    studies = list(view.studies.get("course", []))
    if not studies:
        return None
    study = studies[0]
    text = (
        f"Win chance at the start of each {view.turn_name} in {study['games']} games of {plain(study['cell'])}: median "
        "(line), half of the games (dark) and nine tenths (light); a game that is over counts with its result."
    )
    again = plain(study.get("again", ""), 600)
    if study["lines"]:
        text += " The broken lines are single games."
    return {
        "figure": draw("course", course(study), text, wide=len(shown(study)) > 2, made_by=again),
        "sentences": sentences(study),
        "cell": plain(study["cell"]),
        "games": study["games"],
        "futures": study["futures"],
        "rows": [
            {"words": plain(one["words"], 300), "text": value(one).full + _points(one), "games": one["games"]}
            for one in study["figures"]
        ],
        "bins": [_bin(one) for one in study["calibration"]],
        "lines": [
            {"what": plain(one["what"]).capitalize(), "replay": plain(one["replay"], 600)} for one in study["lines"]
        ],
    }  # fmt: skip


def value(figure: Mapping[str, Any]) -> Estimate:
    """A figure of the study; points as hundreds."""
    scale = 100.0 if figure["unit"] == "points" else 1.0
    low, high = (
        sign * math.inf if figure[end] is None else scale * figure[end] for end, sign in (("low", -1), ("high", 1))
    )
    middle = math.nan if figure["estimate"] is None else scale * figure["estimate"]
    return Estimate(middle, low, high, figure["unit"] == "%")


def _points(figure: Mapping[str, Any]) -> str:
    return " points" if figure["unit"] == "points" else ""


def _bin(one: Mapping[str, Any]) -> dict[str, Any]:
    known = one["gap_low"] is not None
    gap = Estimate(100 * one["gap"], 100 * one["gap_low"], 100 * one["gap_high"], rate=False).full if known else "–"
    return {
        "ends": f"{100 * one['low']:.0f}–{100 * one['high']:.0f} %", "said": f"{100 * one['said']:.0f} %",
        "won": f"{100 * one['won']:.0f} %", "gap": gap, "games": one["games"],
    }  # fmt: skip


def sentences(study: Mapping[str, Any]) -> list[str]:
    """What the figures say, with their intervals."""
    by_name = {one["name"]: value(one) for one in study["figures"]}
    turn = study["turn_name"]
    open_ = by_name["open_to_the_end"].full
    first = (
        f"A game is decided for good (95 %) at the start of {turn} {by_name['decided_turn'].full} on average, and "
        f"{by_name['after_decided'].full} of its {turn}s come after that; {open_} of the games are open to the last."
    )
    said = [first]
    if "behind" in by_name:
        said.append(
            f"The later winner was surely behind in {by_name['behind'].full} of the {turn}s, and at some time in "
            f"{by_name['came_from_behind'].full} of the games: beyond the noise of the futures; more futures see more."
        )
    if "runaway" in by_name:
        more = by_name["runaway"]
        verdict = "more than" if more.low > 0 else "less than" if more.high < 0 else "not clearly other than"
        said.append(
            f"Who leads after a third of a game wins {by_name['leader_wins'].full}: {verdict} in an even race from the "
            f"same chances ({100 * by_name['leader_race'].value:.0f} %)."
            + (" The leader runs away." if more.low > 0 else "")
        )
    if "kingmaker_decisions" in by_name:
        said.append(
            f"Kingmakers: {by_name['kingmaker_decisions'].full} of the decisions looked at of a side that has as good "
            "as lost (below 5 %) surely move another's chance by over 10 points."
        )
    return said
