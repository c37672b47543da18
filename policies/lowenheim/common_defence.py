"""All decisions of the marshal, which the deserter shares."""

from __future__ import annotations

import numpy as np

from policies.lowenheim.lookout import worst_place
from policies.lowenheim.orders import marshal_count, marshal_order
from policies.lowenheim.steward import steward, up_to, whole_share
from simlab.compiler import kernel
from simlab.game import Cards, Knobs, State
from simlab.games.lowenheim.state import D_COUNT, D_HAND_IN, D_ORDER, D_START, D_VOTE, FACTIONS, FAR


@kernel
def defend(state: State, knobs: Knobs, cards: Cards, reach: int, lightning: int, fireball: int) -> int:
    """Sends groups to the worst threat, shares cards with all, lets the seat next to the worst place begin, votes CG
    leader."""
    kind = np.int64(state.decision)
    if kind == D_ORDER:
        return marshal_order(state, knobs, cards, reach)
    if kind == D_COUNT:
        return marshal_count(state, cards)
    if kind == D_HAND_IN:
        return up_to(state, whole_share(state, cards, np.int64(state.seat), np.int64(state.at)))
    if kind == D_START:
        return next_to_the_worst(state, cards)
    if kind == D_VOTE:
        return np.int64(0)
    return steward(state, knobs, cards, lightning, fireball)


@kernel
def next_to_the_worst(state: State, cards: Cards) -> int:
    """LW-D08: the seat whose commander is nearest to the most threatened place; a commander off the map counts as
    farthest."""
    goal = worst_place(state, cards)
    best = np.int64(0)
    nearest = FAR + 2
    for seat in range(FACTIONS):
        h = np.int64(state.hex[cards.commander[seat]])
        distance = FAR + 1 if h < 0 else np.int64(cards.path[state.config, h, goal])
        if distance < nearest:
            nearest = distance
            best = np.int64(seat)
    return best
