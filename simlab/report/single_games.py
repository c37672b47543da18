"""Games that are worth a look, and games that could not be played."""

from __future__ import annotations

from collections.abc import Mapping

from simlab.present.estimate import plain
from simlab.results.view import View


def section(view: View) -> list[dict[str, str]]:
    return [
        {name: plain(one.get(name, ""), 600) for name in ("what", "cell", "game", "why", "replay")}
        for one in list(view.studies.get("telling", []))[:20]
    ]


def faults_section(view: View) -> list[dict[str, str]]:
    faults = []
    for fault in list(getattr(view.results, "failed", []) or [])[:200]:
        about = fault if isinstance(fault, Mapping) else {"why": fault}
        first, last = about.get("first", "?"), about.get("last", "?")
        faults.append(
            {
                "cell": plain(about.get("label", about.get("cell", "")), 200),
                "games": plain(first if first == last else f"{first}–{last}", 60),
                "why": plain(about.get("why", ""), 600),
                "replay": plain(about.get("replay", ""), 600),
            }
        )
    return faults
