"""Components in use (ledger 2.1). They are not limited (MS-GEN-03): substitutes may be used."""

from __future__ import annotations

from simlab.compiler import kernel
from simlab.game import Array, Cards, Component, Components, Knobs, State
from simlab.games.montsegur.state import CAT, CRU, LOCATIONS


@kernel
def component_values(state: State, knobs: Knobs, cards: Cards, values: Array) -> None:
    for side in (CAT, CRU):
        cubes = state.battlefield[side] + state.scouts[side]
        for place in range(LOCATIONS):
            cubes += state.soldiers[side, place]
        values[side] = cubes
    perfects = state.montsegur + state.aspiring + state.captured + state.escaped + state.burned + state.repenting
    values[CAT] += perfects
    values[2] = state.markers[CAT] + state.markers[CRU]
    trail = 8
    for token in range(8):
        trail -= (state.bag >> token) & 1
    values[3] = trail


COMPONENTS = Components(
    (
        Component("yellow_cubes", "yellow cubes: soldiers, scouts and perfects of the Cathars", 30),
        Component("black_cubes", "black cubes: soldiers and scouts of the Crusaders", 45),
        Component("advantage_markers", "advantage markers of both sides", 8),
        Component("fate_tokens", "fate tokens on the Trail", 8),
    ),
    component_values,
)
