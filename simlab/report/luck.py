"""How much of a result is luck of which kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from simlab.report.chart import Draw, chart
from simlab.report.estimate import Estimate, plain
from simlab.report.view import View

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@chart
def luck(rows: Sequence[dict[str, Any]], ax: Axes | None = None) -> Axes:
    """Shares of the variance by kind of luck: alone and in total."""

    from simlab.report import drawing

    ax = drawing.axes(ax, 0.8 + 0.5 * len(rows))
    for place, row in enumerate(rows):
        for measured, shift, face in ((row["alone"], -0.12, drawing.FACE), (row["total"], 0.12, "white")):
            ax.plot([measured.low, measured.high], [place + shift] * 2, color=drawing.FACE, lw=1.6)
            ax.plot([measured.value], [place + shift], "o", color=drawing.FACE, markerfacecolor=face, ms=6)
    ax.set_yticks(range(len(rows)), [drawing.label(row["kind"], 30) for row in rows])
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.set_xlim(-0.02, 1.02)
    drawing.percent(ax, "x")
    ax.set_xlabel("of the variance of the result")
    return ax


@chart
def skill(study: Mapping[str, Any], ax: Axes | None = None) -> Axes:
    """Luck, by kind, skill and seat on one scale: one bar."""
    from simlab.report import drawing

    ax = drawing.axes(ax, 1.7)
    shares = {name: max(share["estimate"], 0.0) for name, share in study["shares"].items()}
    kinds = {f"luck: {kind}": share for kind, share in study["luck_of"].items()} or {"luck": shares["luck"]}
    left = 0.0
    blues = ("#2b5c8a", "#4c78a8", "#7ba0c4", "#b3cbe0")
    colors = [*(blues[place % len(blues)] for place in range(len(kinds))), drawing.SEATS[0], drawing.SEATS[4]]
    parts = {**kinds, "skill": shares["skill"], "seat": shares["seat"]}
    for (name, share), color in zip(parts.items(), colors, strict=True):
        ax.barh([0], [share], left=left, color=color, height=0.6, label=drawing.label(f"{name} {100 * share:.0f} %"))
        left += share
    ax.set_xlim(0, max(left, 1.0))
    ax.set_yticks([])
    drawing.percent(ax, "x")
    ax.grid(visible=False)
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.3), ncols=2, fontsize=8.5)
    return ax


def skill_section(view: View, draw: Draw) -> dict[str, Any] | None:
    """Luck, skill and seat on one scale; None for a run of a single line-up."""
    studies = list(view.studies.get("skill", []))
    if not studies:
        return None
    study = studies[0]
    luck_, skill_, seat = (
        Estimate(*(min(max(study["shares"][name][end], 0.0), 1.0) for end in ("estimate", "low", "high")))
        for name in ("luck", "skill", "seat")
    )
    field = max(study["line_ups_of"], study["line_ups"])
    drawn = f" drawn at random of {field:,}" if field > study["line_ups"] else ""
    text = (
        f"Who wins hangs on luck to {luck_.full}, on who plays to {skill_.full}, on the seat to {seat.full}: parts of "
        f"the variance, {study['line_ups']} line-ups{drawn} of the run's bots on the same {study['games']:,} games."
    )
    return {"figure": draw("skill", skill(study), text, games=(), made_by=plain(study.get("again", ""), 2_000))}


def section(view: View, draw: Draw) -> dict[str, Any] | None:
    ledgers = list(view.studies.get("luck", []))[:8]
    if not ledgers:
        return None
    rows: list[dict[str, Any]] = [
        {
            "cell": plain(ledger["cell"], 200),
            "games": f"{ledger['games']:,}",
            "result": plain(result, 60),
            "kind": plain(kind, 60),
            "alone": Estimate(*(shares["alone"][name] for name in ("estimate", "low", "high"))),
            "total": Estimate(*(shares["total"][name] for name in ("estimate", "low", "high"))),
        }
        for ledger in ledgers
        for result, kinds in ledger["ledger"].items()
        for kind, shares in kinds.items()
    ]
    first = [row for row in rows if row["cell"] == rows[0]["cell"] and row["result"] == rows[0]["result"]]
    text = (
        f"{first[0]['cell']}, {first[0]['result']}: what each kind of luck explains by itself (filled) and "
        f"together with the others (open), with 95 % intervals from {first[0]['games']} games played again. "
        f"{_leading(first)}"
    )
    again = [
        {"cell": plain(ledger["cell"], 200), "command": plain(ledger["again"], 600)}
        for ledger in ledgers
        if ledger.get("again")
    ]
    drawn = draw("luck", luck(first), text, games=(), made_by=again[0]["command"] if again else "")
    return {"rows": rows, "figure": drawn, "again": again, "skill": skill_section(view, draw)}


def _leading(rows: Sequence[dict[str, Any]]) -> str:
    """Which kind of luck does most, where one does for certain."""
    leading, *others = sorted(rows, key=lambda row: -row["total"].value)
    if leading["total"].value <= 0:
        return "The result does not vary."
    share = f"({leading['total'].full} with the others)"
    if any(row["total"].high >= leading["total"].low for row in others):
        return f"The greatest share is that of {leading['kind']} {share}, but not for certain."
    return f"Most hangs on {leading['kind']} {share}."
