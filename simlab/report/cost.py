"""What a decision costs each bot, and how many it takes."""

from __future__ import annotations

from typing import Any

from simlab.present.estimate import number, plain
from simlab.results.view import View

MOST_LISTED = 60


def section(view: View) -> list[dict[str, str]]:
    """A line for each seat and bot, as the run's manifest has them."""
    costs = list(getattr(view.results, "decision_cost", None) or [])
    return [
        {
            "seat": plain(one["seat"]), "bot": plain(one["bot"]), "microseconds": _microseconds(one),
            "decisions": number(one["decisions"], 1.0),
        }
        for one in costs[:MOST_LISTED]
    ]  # fmt: skip


def _microseconds(one: dict[str, Any]) -> str:
    if one["microseconds"] is None:
        return "–"
    return f"{one['microseconds']:.3g} ({one['low']:.3g}–{one['high']:.3g})"
