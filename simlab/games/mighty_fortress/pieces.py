"""Components in use (ledger 2.1 to 2.3): dice on the table, and the largest numbers that tracks must show."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel
from simlab.game import Cards, Component, Components, Knobs, State
from simlab.games.mighty_fortress.state import MAX_CITIES

BLACK = 5  # in the order of the colours
BLACK_DICE = 12


@kernel
def component_values(state: State, knobs: Knobs, cards: Cards, values: np.ndarray) -> None:
    coloured = 0
    for colour in range(BLACK):
        coloured += state.avail_of[colour] + state.exhausted[colour]
    values[0] = coloured
    values[1] = state.avail_of[BLACK] + state.exhausted[BLACK]
    values[2] = state.food
    values[3] = state.materials
    values[4] = state.luxuries
    values[5] = state.vp
    cities = 0
    for city in range(MAX_CITIES):
        cities += (state.on_track >> city) & 1
    values[6] = cities
    tableau = np.int64(state.tableau)
    outsiders = 0
    while tableau != 0:
        tableau &= tableau - np.int64(1)
        outsiders += 1
    values[7] = outsiders


COMPONENTS = Components(
    (
        Component("coloured_dice", "coloured dice out of the bag, Available or Exhausted", 31),
        Component("black_dice", "Black dice on the table", BLACK_DICE),
        Component("food", "highest Food that the track must show", 40),
        Component("materials", "highest Materials that the track must show", 20),
        Component("luxuries", "highest Luxuries that the track must show", 20),
        Component("victory_points", "most VP earned during the game", 99),
        Component("city_markers", "markers on the Support Track"),
        Component("outsiders", "Outsiders on the tableau"),
    ),
    component_values,
)
