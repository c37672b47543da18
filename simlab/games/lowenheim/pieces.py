"""Components in use (ledger 2.2 and 2.8)."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel
from simlab.game import Array, Cards, Component, Components, Knobs, State
from simlab.games.lowenheim.state import FACTIONS, HEXES_MAX, WATER_WALLS


@kernel
def component_values(state: State, knobs: Knobs, cards: Cards, values: Array) -> None:
    sides = np.int64(0)
    for h in range(HEXES_MAX):
        bits = np.int64(state.barricade[h])
        while bits != 0:
            bits &= bits - 1
            sides += 1
    values[0] = sides // 2 + state.returning  # a barricade is marked from both hexes
    values[1] = state.their_number
    values[2] = state.fires
    walls = np.int64(0)
    for wall in range(WATER_WALLS):
        walls += np.int64(state.wall_last[wall] != 0)
    values[3] = walls
    held = np.int64(0)
    for faction in range(FACTIONS):
        held += np.int64(state.held[faction])
    values[4] = held


COMPONENTS = Components(
    (
        Component("barricades", "barricade pieces on the map or on their way back", 24),
        Component("intruders", "intruders on the map"),
        Component("fire_counters", "hexes that burn at once"),
        Component("water_walls", "Walls of Water at once", 9),
        Component("cards_held", "cards in the six hands"),
    ),
    component_values,
)
