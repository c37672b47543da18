"""Bots for Last lamp."""

from __future__ import annotations

from simlab.game import Cards, Knobs, State, Traits, policy


@policy("last_lamp")
def leveller(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Blows at whoever has most lamps left, and keeps the others in: as long as they are, they blow at each other too.

    Of equals at the next in the order of play.
    """
    best, most = state.legal[0], 0
    for step in range(1, state.lamps.size):
        seat = (state.seat + step) % state.lamps.size
        if state.lamps[seat] > most:
            best, most = seat, int(state.lamps[seat])
    return best
