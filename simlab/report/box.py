"""What the printer and the table need: components in use at once, minutes, and who waits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simlab.present.estimate import Estimate, plain
from simlab.results.view import View


def section(view: View) -> dict[str, Any] | None:
    """The first watched cell of a run."""
    studies = list(view.studies.get("table", []))
    if not studies:
        return None
    study = studies[0]
    return {
        "cell": plain(study["cell"]),
        "games": f"{study['games']:,}",
        "pace": plain(study["pace"], 300),
        "sentences": [plain(text, 400) for text in study["sentences"]],
        "again": plain(study["again"], 600),
        "components": [
            {
                "help": plain(one["help"]), "printed": "–" if one["printed"] is None else one["printed"],
                "mean": f"{one['mean']:.1f}", "most": one["most"], "short": _estimate(one["short"]),
                "enough": [_bounded(enough) for enough in one["enough"][1:]],
            }
            for one in study["components"]
        ],
        "seats": [
            {
                "seat": plain(one["seat"]),
                **{
                    name: _estimate(one[name], rate=name == "waiting")
                    for name in ("decisions", "own_minutes", "waiting", "longest_wait", "after_last")
                },
            }
            for one in study["seats"]
        ],
    }  # fmt: skip


def _estimate(figure: Mapping[str, float] | None, rate: bool = True) -> Estimate | None:
    return None if figure is None else Estimate(figure["estimate"], figure["low"], figure["high"], rate)


def _bounded(figure: Mapping[str, float | None]) -> str:
    """A number of pieces, and between which it lies; "?" for an end that so few games do not bound."""
    ends = ["?" if figure[end] is None else f"{figure[end]:g}" for end in ("low", "high")]
    value = f"{figure['estimate']:g}"
    return value if ends == [value, value] else f"{value} ({ends[0]}–{ends[1]})"
