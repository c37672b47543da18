"""Components in use (ledger 2.1). Of these only hexes and cubes limit play (WP-GEN-08)."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel
from simlab.game import Array, Cards, Component, Components, Knobs, State
from simlab.games.westphalia.sets import bits
from simlab.games.westphalia.state import NO_FLAME, ROSTER


@kernel
def component_values(state: State, knobs: Knobs, cards: Cards, values: Array) -> None:
    cubes = np.int64(0)
    gold = np.int64(0)
    saints = np.int64(0)
    hexes = np.int64(0)
    monasteries = np.int64(0)
    for player in range(state.players):
        cubes = max(cubes, np.int64(state.di_out[player]))
        gold += np.int64(state.gold[player])
        saints += np.int64(state.saints[player])
        hexes = max(hexes, np.int64(state.extent[player]))
        monasteries += np.int64(state.monastery[player])
    flames = np.int64(0)
    for pr in range(ROSTER):
        flames += np.int64(state.marker[pr] != NO_FLAME)
    values[0] = cubes
    values[1] = gold
    values[2] = saints
    values[3] = flames
    values[4] = hexes
    values[5] = bits(np.int64(state.on_map))
    values[6] = monasteries


COMPONENTS = Components(
    (
        Component("cubes", "cubes of one player: diplomatic influence on the map and stored", 40),
        Component("pennies", "pennies of all players", 40),
        Component("saints", "Saint markers of all players", 50),
        Component("flames", "Religious Upheaval markers on principalities", 20),
        Component("player_hexes", "hexes of one player on the map", 16),
        Component("principalities", "principalities on the map", 35),
        Component("monasteries", "Monastery tokens of all players", 8),
    ),
    component_values,
)
