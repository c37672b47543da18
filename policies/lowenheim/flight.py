"""The Knight Eternal's way out: to Lady Brunhilde, then to the tunnel (rule ledger, section 7.2)."""

from __future__ import annotations

import numpy as np

from policies.lowenheim.orders import group_first
from policies.lowenheim.steward import hold, is_legal
from simlab.compiler import kernel
from simlab.game import Cards, State
from simlab.games.lowenheim.orders import places_overrun
from simlab.games.lowenheim.state import PG, SIGIS

LOST_PLACES, LOST_TURNS = 2, 1  # overrun places, turns that the gate has been held: the city is falling
OUTNUMBERED = 1.5


@kernel
def leads_sigis(state: State) -> bool:
    """Whether the current order is Sigisbiduwald's, under the Palace Guard."""
    return np.int64(state.seat) == PG and group_first(state) == SIGIS


@kernel
def is_falling(state: State, cards: Cards) -> bool:
    if state.gate_turns >= LOST_TURNS or np.int64(state.their_size) >= OUTNUMBERED * np.int64(state.our_size):
        return True
    return places_overrun(state, cards) >= LOST_PLACES


@kernel
def sigis_order(state: State, cards: Cards, at_once: bool) -> int:
    """Goes to Lady Brunhilde, unless she is captured, and then to the tomb, even when in contact. Leaves at once, or
    when the city is falling.
    """
    here = np.int64(state.hex[SIGIS])
    if not state.brunhilde_captured and not state.brunhilde_with:
        lady = np.int64(state.brunhilde)
        return hold(cards) if lady == here else lady
    tunnel = np.int64(cards.n_hexes) + 1
    if (at_once or is_falling(state, cards)) and is_legal(state, tunnel):
        return tunnel
    return hold(cards) if here == np.int64(cards.tomb) else np.int64(cards.tomb)
