"""Available and chosen actions of each seat, decision by decision, and the results of the games with them."""

from __future__ import annotations

from typing import Any

import numpy as np

from simlab.engine.counts import Count


def counts() -> list[Count]:
    """offered: times legal; chosen: times taken; used_games: games in which a seat took it; used_wins: those it won."""
    return [Count(name, ("seats", "kinds", "actions")) for name in ("offered", "chosen", "used_games", "used_wins")]


def scratch(sizes: dict[str, int]) -> list[tuple[Any, ...]]:
    """Per action the game (+ 1) in which it was last taken, and the places taken in this game, with one to spare."""
    places = sizes["seats"] * sizes["kinds"] * sizes["actions"]
    return [("last_used", np.int64, (places,)), ("touched", np.int64, (places + 1,)), ("n_touched", np.int64)]


def at_decision(counts: Any, scratch: Any, state: Any, action: int) -> None:
    # Unsigned: an index that cannot be negative is a quarter of this work faster. The loop has checked their ranges.
    seat, kind, taken = np.uint64(state.seat), np.uint64(state.decision), np.uint64(action)
    offered = counts.offered[seat, kind][:]
    for a in range(np.uint64(state.n_legal)):
        offered[np.uint64(state.legal[a])] += np.uint64(1)
    counts.chosen[seat, kind, taken] += np.uint64(1)
    place = (seat * np.uint64(counts.chosen.shape[1]) + kind) * np.uint64(counts.chosen.shape[2]) + taken
    last = np.uint64(scratch.n_touched)
    scratch.touched[last] = place  # no branch: it would be mispredicted
    scratch.n_touched = last + np.uint64(scratch.last_used[place] != scratch.game)
    scratch.last_used[place] = scratch.game


def at_end(counts: Any, scratch: Any, state: Any, knobs: Any, cards: Any, row: Any) -> None:
    kinds, actions = np.uint64(counts.chosen.shape[1]), np.uint64(counts.chosen.shape[2])
    winners = np.uint64(row.winners)
    for n in range(np.uint64(scratch.n_touched)):
        place = np.uint64(scratch.touched[n])
        kind, action = place // actions % kinds, place % actions
        seat = place // (kinds * actions)
        counts.used_games[seat, kind, action] += np.uint64(1)
        counts.used_wins[seat, kind, action] += (winners >> seat) & np.uint64(1)
    scratch.n_touched = 0
