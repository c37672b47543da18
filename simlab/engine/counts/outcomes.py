"""Who won, how and when: the counts behind win rates, endings and lengths (read by simlab.engine.outcome)."""

from __future__ import annotations

from typing import Any

import numpy as np

from simlab.engine.counts import Count


def counts() -> list[Count]:
    """Who won, and how games ended.

    outcomes: games by winner + 2, ending and length. won_with: games by seat that won and number of winners. side_won:
    games won by a seat of each side.
    """
    return [
        Count("outcomes", ("winners", "endings", "turns")), Count("won_with", ("seats", "together")),
        Count("side_won", ("sides",)),
    ]  # fmt: skip


SIDES = 1 << np.arange(16)  #: the seats of each side as bits; replaced by the game's own
SIDE_ENDINGS = -np.ones(16, np.int64)  #: the endings in which each side can win as bits; likewise


def at_end(counts: Any, scratch: Any, state: Any, knobs: Any, cards: Any, row: Any) -> None:
    turns = min(np.int64(row.turns), counts.outcomes.shape[2] - 1)
    counts.outcomes[np.int64(row.winner) + 2, np.int64(row.ending), turns] += np.uint64(1)
    winners = np.int64(row.winners)
    for side in range(counts.side_won.size):
        may_win = (SIDE_ENDINGS[side] >> np.int64(row.ending)) & 1 == 1
        counts.side_won[side] += np.uint64(may_win and (winners & SIDES[side]) != 0)
    together = np.int64(0)
    for seat in range(counts.won_with.shape[0]):
        together += (winners >> seat) & 1
    for seat in range(counts.won_with.shape[0]):
        counts.won_with[seat, together] += np.uint64((winners >> seat) & 1)
