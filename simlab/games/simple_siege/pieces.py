"""Components in use (ledger 2): counters, the number on the wall counter, Fate cards."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel
from simlab.game import Cards, Component, Components, Knobs, State
from simlab.games.simple_siege.state import COUNTERS


@kernel
def component_values(state: State, knobs: Knobs, cards: Cards, values: np.ndarray) -> None:
    built = 0
    for counter in range(COUNTERS):
        built += state.built[counter]
    values[0] = built
    values[1] = state.walls
    values[2] = state.fate_len - state.fate_left


COMPONENTS = Components(
    (
        Component("counters", "Siege Equipment counters built", 9),
        Component("wall_number", "highest number that the wall counter (a d10) shows", 10),
        Component("fate_cards", "cards of Fate turned up since their last shuffle", 14),
    ),
    component_values,
)
