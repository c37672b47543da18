"""Charts of results by name, each a function of (results, ax) that returns Matplotlib axes.

Without `ax` each makes a Figure of its own, which a notebook shows as it is. A chart lives beside the answer that it
draws; here they are all in one place.
"""

from typing import Any

from matplotlib.axes import Axes

from simlab.present.drawing import Chart, axes, inline_svg, note, standalone, svg_text
from simlab.questions.bots.analysis import matrix_of
from simlab.questions.bots.words import heat_map
from simlab.questions.course.words import course
from simlab.questions.fair_settings.words import knob_map
from simlab.questions.knob_effects.words import knob_curve
from simlab.questions.luck.words import luck
from simlab.report.actions import actions
from simlab.report.balance import win_rates
from simlab.report.endings import ending_turns, endings, scores
from simlab.report.hexes import hex_map
from simlab.report.items import items
from simlab.report.length import length, survival
from simlab.report.metrics import metric
from simlab.report.rules import rules
from simlab.report.tracks import tracks


def matrix(results: Any, ax: Axes | None = None) -> Axes:
    """Win rate of the first seat, one row for each of its bots, one column for each opponent."""
    found = matrix_of(results)
    return note(axes(ax, 2.0), "a matrix needs two seats and at most 40 bots") if found is None else heat_map(found, ax)


__all__ = [
    "Chart", "actions", "course", "ending_turns", "endings", "hex_map", "inline_svg", "items", "knob_curve", "knob_map",
    "length", "luck", "matrix", "metric", "rules", "scores", "standalone", "survival", "svg_text", "tracks",
    "win_rates",
]  # fmt: skip
