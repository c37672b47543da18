"""Charts of results by name, each a function of (results, ax) that returns Matplotlib axes.

Without `ax` each makes a Figure of its own, which a notebook shows as it is. A chart lives beside the answer that it
draws; here they are all in one place.
"""

from simlab.present.drawing import Chart, inline_svg, standalone, svg_text
from simlab.questions.course.words import course
from simlab.questions.luck.words import luck
from simlab.report.actions import actions
from simlab.report.balance import win_rates
from simlab.report.endings import ending_turns, endings, scores
from simlab.report.hexes import hex_map
from simlab.report.items import items
from simlab.report.knobs import knob_curve, knob_map
from simlab.report.length import length, survival
from simlab.report.metrics import metric
from simlab.report.ranking import matrix
from simlab.report.rules import rules
from simlab.report.tracks import tracks

__all__ = [
    "Chart", "actions", "course", "ending_turns", "endings", "hex_map", "inline_svg", "items", "knob_curve", "knob_map",
    "length", "luck", "matrix", "metric", "rules", "scores", "standalone", "survival", "svg_text", "tracks",
    "win_rates",
]  # fmt: skip
