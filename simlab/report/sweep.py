"""What a sweep answers, in the words of the answer that its design allows: a curve, a map, single changes, indices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simlab.report import curve, fair_map, one_change, screening, sensitivity
from simlab.report.goal import goal
from simlab.results.view import View

if TYPE_CHECKING:
    from rich.console import RenderableType

    from simlab.present.chart import Draw

#: Module, and its function that computes the answer, or gives None where the design is another.
_KINDS: tuple[tuple[Any, Any], ...] = (
    (curve, curve.curve),
    (fair_map, fair_map.fair_map),
    (one_change, one_change.one_at_a_time),
    (sensitivity, sensitivity.sensitivities),
    (screening, screening.screening),
)


def _answer(view: View) -> tuple[Any, Any] | None:
    """The module whose answer it is, and the answer."""
    for module, compute in _KINDS:
        answer = compute(view)
        if answer is not None:
            return module, answer
    return None


def replaces_headline(view: View) -> bool:
    """Whether the answer says more than the table of all cells would."""
    return view.method in ("one_at_a_time", "saltelli", "morris")


def answered(view: View) -> set[str]:
    """Names of the report's usual charts of knobs that the answers stand in for."""
    if replaces_headline(view):
        return {"all"}
    return {"knob_map"} if fair_map.fair_map(view) else {"knob_0"} if curve.curve(view) else set()


def section(view: View, draw: Draw) -> dict[str, Any] | None:
    """What the page shows: sentence, charts, and a table of changes, indices or effects."""
    answer = _answer(view)
    if answer is None:
        return None
    return {
        "steps": [], "indices": [], "effects": [], "note": "", "games": None,
        **answer[0].section(view, draw, answer[1]),
    }  # fmt: skip


def terminal(view: View) -> list[RenderableType | str]:
    """What `sweep` prints below the table of cells."""
    answer = _answer(view)
    if answer is not None:
        return list(answer[0].terminal(view, answer[1]))
    if replaces_headline(view):
        return [
            "Too few games or base points, no rows, or not all settings played yet: nothing can be said of the knobs."
        ]
    return []


def summary(view: View) -> dict[str, Any]:
    """What --json adds, as one object; the target alone where the sweep has no answer of this kind."""
    answer = _answer(view)
    return {"target": goal(view).target, **(answer[0].summary(view, answer[1]) if answer else {})}
