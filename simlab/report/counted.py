"""What a run counted, as data: actions, items, tracks, and rules that fired.

For `simlab report FOLDER --section actions --json` and the like; the report shows the same as charts, for all cells
together.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from simlab.errors import UserMistake
from simlab.present.estimate import ends_of
from simlab.report.actions import ActionTable
from simlab.report.items import reports, use_words
from simlab.report.tracks import track_bands
from simlab.results.view import View, view_of
from simlab.runs.results import Results


def counted(results: Results, what: str) -> dict[str, Any]:
    """One kind of counts of a run.

    Args:
        what: of COUNTED.
    Returns:
        JSON-able: `game`, `folder`, `games`, and what the function of COUNTED gives.
    Raises:
        UserMistake: the run is of several numbers of players, whose seats and turns are not the same.
    """
    if len(results.sizes) > 1:
        raise UserMistake(
            f"{results.folder}: is of several numbers of players, and counts are of one. Run one size: --players P."
        )
    view = view_of(results)
    return {"game": view.slug, "folder": str(results.folder), "games": view.games, **COUNTED[what](view)}


def _actions(view: View) -> dict[str, Any]:
    rows, left_out = [], 0
    offered = view.all.sum("offered")
    for place, kind in zip(*np.nonzero(offered.any(axis=2)), strict=True):
        if kind >= len(view.decisions):
            continue
        table = ActionTable(view, int(place), int(kind))
        left_out += table.dropped
        rows += [
            {
                "seat": view.raw_seats[place], "decision": table.name.name, "action": table.label(action),
                "code": action, "bot": bot,
                "offered": int(table.offered[row, column]), "taken": int(table.chosen[row, column]),
                "share": ends_of(table.share(row, column)), "games": int(table.used_games[row, column]),
                "win_rate": ends_of(table.win_rate(row, column)),
            }
            for row, action in enumerate(table.actions)
            for column, bot in enumerate(table.bots)
        ]  # fmt: skip
    return {"actions": rows, "left_out": left_out}


def _items(view: View) -> dict[str, Any]:
    rows = [
        {
            "seat": view.raw_seats[report.seat], "item": report.name(item), "use": use_words(view, one.use),
            "games": one.games, "rate": ends_of(one.rate), "gap_points": ends_of(one.gap),
            "gap_score": ends_of(one.score) if one.score else None,
            "p_value": one.p_value if math.isfinite(one.p_value) else None,
        }
        for report in reports(view)
        for item, uses in report.table.items()
        for one in uses
        if report.shown(one)
    ]  # fmt: skip
    return {"items": rows, "never_had": {view.raw_seats[one.seat]: one.never_had for one in reports(view)}}


def _tracks(view: View) -> dict[str, Any]:
    made = []
    for index, track in enumerate(view.tracks):
        turns, bands = track_bands(view, index)
        made.append({"track": track.name, "help": track.help, "turns": turns.tolist(), "quantiles": bands.tolist()})
    return {"tracks": made}


def _rules(view: View) -> dict[str, Any]:
    pool = view.all
    fired, games = pool.sum("fired"), pool.sum("fired_games")
    rows = [
        {
            "id": rule.id, "text": rule.text, "status": rule.status, "fired": int(fired[i]), "games": int(games[i]),
            "share": ends_of(pool.share(float(games[i]))), "times_a_game": ends_of(pool.fires(i)),
        }
        for i, rule in enumerate(view.rules[: fired.size])
    ]  # fmt: skip
    return {"rules": rows}


COUNTED: dict[str, Callable[[View], dict[str, Any]]] = {
    "actions": _actions, "items": _items, "tracks": _tracks, "rules": _rules,
}  # fmt: skip
