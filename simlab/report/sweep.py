"""What a sweep of single changes answers. Other sweeps are questions: fair_settings, sensitivity, knob_effects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simlab.report import one_change
from simlab.results.goal import goal
from simlab.results.view import View

if TYPE_CHECKING:
    from rich.console import RenderableType

    from simlab.present.chart import Draw


def section(view: View, draw: Draw) -> dict[str, Any] | None:
    """The sentence, chart and table of the changes."""
    steps = one_change.one_at_a_time(view)
    return None if steps is None else one_change.section(view, draw, steps)


def terminal(view: View) -> list[RenderableType | str]:
    """What `sweep` prints below the table of cells."""
    steps = one_change.one_at_a_time(view)
    if steps is not None:
        return list(one_change.terminal(view, steps))
    if view.method == "one_at_a_time":
        return ["Too few games, no rows, or not all settings played yet: no result for the knobs."]
    return []


def summary(view: View) -> dict[str, Any]:
    """What --json adds, as one object; the target alone where the sweep has no answer of this kind."""
    steps = one_change.one_at_a_time(view)
    return {"target": goal(view).target, **(one_change.summary(view, steps) if steps else {})}
