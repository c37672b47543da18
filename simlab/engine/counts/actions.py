"""What each seat could do and did, decision by decision, and how the games went in which it did it."""

from __future__ import annotations

from typing import Any

import numpy as np

from simlab.engine.counts import Count


def counts() -> list[Count]:
    """offered: times legal; chosen: times taken; used_games: games in which a seat took it; used_wins: those it won."""
    return [Count(name, ("seats", "kinds", "actions")) for name in ("offered", "chosen", "used_games", "used_wins")]


def scratch(sizes: dict[str, int]) -> list[tuple[Any, ...]]:
    """Per action the game (+ 1) in which it was last taken, and the places taken in this game."""
    places = sizes["seats"] * sizes["kinds"] * sizes["actions"]
    return [("last_used", np.int64, (places,)), ("touched", np.int64, (places,)), ("n_touched", np.int64)]


def at_decision(counts: Any, scratch: Any, state: Any, action: int) -> None:
    seat, kind = np.int64(state.seat), np.int64(state.decision)
    for a in range(state.n_legal):
        counts.offered[seat, kind, state.legal[a]] += np.uint64(1)
    counts.chosen[seat, kind, action] += np.uint64(1)
    place = (seat * counts.chosen.shape[1] + kind) * counts.chosen.shape[2] + action
    if scratch.last_used[place] != scratch.game:
        scratch.last_used[place] = scratch.game
        scratch.touched[scratch.n_touched] = place
        scratch.n_touched += 1


def at_end(counts: Any, scratch: Any, state: Any, knobs: Any, cards: Any, row: Any) -> None:
    actions = counts.chosen.shape[2]
    each = counts.chosen.shape[1] * actions
    for n in range(scratch.n_touched):
        place = scratch.touched[n]
        seat = place // each
        kind, action = (place - seat * each) // actions, place % actions
        counts.used_games[seat, kind, action] += np.uint64(1)
        counts.used_wins[seat, kind, action] += (np.uint64(row.winners) >> np.uint64(seat)) & np.uint64(1)
    scratch.n_touched = 0
