"""Legal and chosen actions of each seat by decision, and the results of the games in which they were chosen."""

from __future__ import annotations

from typing import Any

import numpy as np

from simlab.engine.counts import Count


def counts() -> list[Count]:
    """How often an action was legal and taken, in how many games a seat took it, and in how many of these it won."""
    names, axes = ("offered", "chosen", "used_games", "used_wins"), ("seats", "kinds", "actions")
    return [Count(name, axes, narrow=True) for name in names]


def scratch(sizes: dict[str, int]) -> list[tuple[Any, ...]]:
    """How often each action was taken in this game, and a list of the actions taken, one entry longer than needed."""
    places = sizes["seats"] * sizes["kinds"] * sizes["actions"]
    return [("taken_now", np.uint32, (places,)), ("touched", np.int32, (places + 1,)), ("n_touched", np.int64)]


def at_decision(counts: Any, scratch: Any, state: Any, action: int) -> None:
    # Unsigned: an index that cannot be negative makes this a quarter faster. The loop has checked their ranges.
    seat, kind, taken = np.uint64(state.seat), np.uint64(state.decision), np.uint64(action)
    offered = counts.offered[seat, kind][:]
    for a in range(np.uint64(state.n_legal)):
        offered[np.uint64(state.legal[a])] += np.uint64(1)
    place = (seat * np.uint64(counts.chosen.shape[1]) + kind) * np.uint64(counts.chosen.shape[2]) + taken
    last, before = np.uint64(scratch.n_touched), scratch.taken_now[place]
    scratch.touched[last] = place  # no branch: it would be mispredicted
    scratch.n_touched = last + np.uint64(before == 0)
    scratch.taken_now[place] = before + np.uint32(1)


def at_end(counts: Any, scratch: Any, state: Any, knobs: Any, cards: Any, row: Any) -> None:
    kinds, actions = np.uint64(counts.chosen.shape[1]), np.uint64(counts.chosen.shape[2])
    winners = np.uint64(row.winners)
    for n in range(np.uint64(scratch.n_touched)):
        place = np.uint64(scratch.touched[n])
        kind, action = place // actions % kinds, place % actions
        seat = place // (kinds * actions)
        counts.chosen[seat, kind, action] += np.uint64(scratch.taken_now[place])
        counts.used_games[seat, kind, action] += np.uint64(1)
        counts.used_wins[seat, kind, action] += (winners >> seat) & np.uint64(1)
        scratch.taken_now[place] = 0
    scratch.n_touched = 0
