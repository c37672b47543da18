"""Which seat used which item for which purpose, and the results of these games (Game.items)."""

from __future__ import annotations

from typing import Any

import numpy as np

from simlab.compiler import unbound
from simlab.engine.counts import Count

NEEDS = "n_items"


def counts() -> list[Count]:
    """Games with this use by a seat, those of them that the seat won, and sums of its score and score squared."""
    axes = ("uses", "items")
    return [
        Count("item_games", axes),
        Count("item_wins", axes),
        Count("item_score", axes, True),
        Count("item_squares", axes, True),
    ]


def scratch(sizes: dict[str, int]) -> list[tuple[Any, ...]]:
    """The bits of each item's uses in this game."""
    return [("used", np.int64, (sizes["items"],))]


item_uses = unbound


def at_end(counts: Any, scratch: Any, state: Any, knobs: Any, cards: Any, row: Any) -> None:
    used = scratch.used[:]
    for item in range(used.size):
        used[item] = 0
    item_uses(state, knobs, cards, used)
    for item in range(used.size):
        bits = used[item]
        place = 0
        while bits:
            if bits & 1:
                seat = place % row.score.size
                score = np.int64(row.score[seat])
                counts.item_games[place, item] += np.uint64(1)
                counts.item_wins[place, item] += (np.uint64(row.winners) >> np.uint64(seat)) & np.uint64(1)
                counts.item_score[place, item] += score
                counts.item_squares[place, item] += score * score
            bits >>= 1
            place += 1
