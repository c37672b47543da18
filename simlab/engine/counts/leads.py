"""Who was ahead: lead changes, and the turn from which the winner led.

A game defines who leads by naming a track for each seat (`Game.lead`): the seat with the highest track at the start of
a turn leads; if several are tied, nobody does. Changes within a turn are not counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from simlab.engine.counts import Array, Count, Histogram, Share, Table
from simlab.spec.contract import GameSpec

NEEDS = "lead"
MOST_CHANGES = 63  #: games with more changes are counted here
SHOWN = 6  #: turns for which the report shows how often the leader won


def counts() -> list[Count]:
    """The lead over the turns.

    lead_changes: games by number of changes. led_from: games by the turn from which a winner led to the end; behind:
    games whose winners did not lead at the start of the last turn. leader_games, leader_wins: games with a leader at
    the start of a turn, and the games of these that the leader won.
    """
    return [
        Count("lead_changes", (MOST_CHANGES + 1,)), Count("led_from", ("turns",)), Count("behind", (1,)),
        Count("leader_games", ("turns",)), Count("leader_wins", ("turns",)),
    ]  # fmt: skip


def scratch(sizes: dict[str, int]) -> list[tuple[Any, ...]]:
    """Leader by turn (seat + 1; 0 for nobody), the last one, and the turn from which the current one leads."""
    return [
        ("leader_at", np.int8, (sizes["turns"],)), ("lead_last_turn", np.int64), ("lead_changed", np.int64),
        ("lead_last", np.int64), ("lead_now", np.int64), ("lead_since", np.int64),
    ]  # fmt: skip


LEAD = np.zeros(1, np.int64)  #: number of each seat's track; replaced by the game's own


def at_turn(counts: Any, scratch: Any, state: Any, knobs: Any, cards: Any) -> None:
    turn = np.int64(min(np.uint64(state.turn), np.uint64(counts.led_from.size - 1)))
    values = scratch.track_now[:]
    best, leader = np.int64(0), np.int64(0)
    for seat in range(LEAD.size):
        value = np.int64(values[np.uint64(LEAD[seat])])
        if (leader == 0 and seat == 0) or value > best:
            best, leader = value, np.int64(seat + 1)
        elif value == best:
            leader = np.int64(-1)  # shared; a higher one may follow
    leader = max(leader, np.int64(0))
    if leader != scratch.lead_now:
        scratch.lead_since = turn
        scratch.lead_now = leader
    if leader != 0:
        scratch.lead_changed += np.int64(scratch.lead_last != 0 and scratch.lead_last != leader)
        scratch.lead_last = leader
    scratch.leader_at[turn] = leader
    scratch.lead_last_turn = max(turn, scratch.lead_last_turn)


def at_end(counts: Any, scratch: Any, state: Any, knobs: Any, cards: Any, row: Any) -> None:
    winners = np.int64(row.winners)
    counts.lead_changes[min(scratch.lead_changed, np.int64(MOST_CHANGES))] += np.uint64(1)
    if winners != 0:
        if scratch.lead_now != 0 and winners >> (scratch.lead_now - 1) & 1:
            counts.led_from[scratch.lead_since] += np.uint64(1)
        else:
            counts.behind[0] += np.uint64(1)
    for turn in range(scratch.lead_last_turn + 1):
        leader = np.int64(scratch.leader_at[turn])
        if leader != 0:
            counts.leader_games[turn] += np.uint64(1)
            counts.leader_wins[turn] += np.uint64(winners >> (leader - 1) & 1)
        scratch.leader_at[turn] = 0
    scratch.lead_changed = scratch.lead_last = scratch.lead_now = scratch.lead_since = scratch.lead_last_turn = 0


def table(counts: Mapping[str, Array], names: GameSpec) -> Table:
    """Lead changes per game, the turn from which winners led, and how often the leader of a turn won."""
    led, behind = counts["led_from"].astype(np.int64), float(counts["behind"][0])
    turn, changes = names.turn_name, counts["lead_changes"].astype(np.int64)
    lines: list[tuple[str, Share | Histogram]] = [
        ("changes of the lead in a game", Histogram(np.arange(changes.size), changes)),
        (f"{turn} from which the winner led to the end", Histogram(np.arange(led.size), led)),
        (f"won without the lead at the start of the last {turn}", Share(behind, behind + float(led.sum()))),
    ]
    for place in _spread(np.flatnonzero(counts["leader_games"])):
        won, games = float(counts["leader_wins"][place]), float(counts["leader_games"][place])
        lines.append((f"the leader at the start of {turn} {place} wins", Share(won, games)))
    help_of = {track.name: track.help or track.name for track in names.tracks}
    about = [(seat, help_of[name]) for seat, name in zip(names.seats, names.lead, strict=True)]
    compared = "; ".join(text if seat.lower() in text.lower() else f"{seat}: {text}" for seat, text in about)
    return Table(
        "Who is ahead",
        f"The highest at the start of a {turn} leads; if several are tied, nobody leads. Numbers compared: {compared}.",
        tuple(lines),
    )


def _spread(turns: Array) -> list[int]:
    """An evenly spread selection of the turns, including the first and the last."""
    if turns.size == 0:
        return []
    return sorted({int(turns[i]) for i in np.linspace(0, turns.size - 1, SHOWN).astype(int)})
