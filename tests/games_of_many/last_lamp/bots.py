"""Bots for Last lamp."""

from __future__ import annotations

from simlab.game import Cards, Knobs, State, Traits, policy


@policy("last_lamp")
def finisher(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Blows at whoever has fewest lamps left: who is out blows no more. Of equals at the next in the order of play."""
    best, fewest = state.legal[0], 100
    for step in range(1, state.lamps.size):
        seat = (state.seat + step) % state.lamps.size
        if 0 < state.lamps[seat] < fewest:
            best, fewest = seat, int(state.lamps[seat])
    return best
