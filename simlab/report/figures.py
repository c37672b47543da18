"""Charts of results by name, each a function of (results, ..., ax) that returns Matplotlib axes.

Without `ax`, each makes its own Figure, which a notebook shows directly. The charts of questions are found
automatically (simlab.questions.charts).
"""

from collections.abc import Callable
from typing import Any

from matplotlib.axes import Axes

from simlab.present.drawing import axes, note
from simlab.questions import charts
from simlab.questions.bots.analysis import matrix_of
from simlab.questions.bots.words import heat_map
from simlab.questions.fair_settings.words import knob_map
from simlab.questions.knob_effects.words import knob_curve
from simlab.questions.win_rates.analysis import of_run as win_rates_of
from simlab.questions.win_rates.words import win_rates as win_rate_dots

__all__ = ["knob_curve", "knob_map", "matrix", "win_rates"]


def matrix(results: Any, ax: Axes | None = None) -> Axes:
    """Win rate of the first seat, one row for each of its bots, one column for each opponent."""
    found = matrix_of(results)
    return note(axes(ax, 2.0), "a matrix needs two seats and at most 40 bots") if found is None else heat_map(found, ax)


def win_rates(results: Any, ax: Axes | None = None) -> Axes:
    """Win rate of each seat with its interval: over a knob if one varies, else by cell or by bot."""
    answer = win_rates_of(results)
    return knob_curve(results, ax=ax) if answer.curve else win_rate_dots(answer, ax)


def __getattr__(name: str) -> Callable[..., Axes]:
    if name not in charts():
        raise AttributeError(f"there is no chart '{name}'")
    return charts()[name]


def __dir__() -> list[str]:
    return sorted({*__all__, *charts()})
