"""Bots for Harvest."""

from __future__ import annotations

from simlab.game import Cards, Knobs, State, Traits, policy


@policy("harvest")
def gatherer(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Takes the card that adds most to its own field now (H-3.1: a second card of a rank doubles both)."""
    best, most = state.legal[0], -1
    for i in range(state.n_legal):
        place = state.legal[i]
        rank = int(state.hand[state.seat, place])
        copies = state.sown[state.seat, rank]
        gain = rank if copies == 0 else 3 * rank if copies == 1 else 2 * rank
        if gain > most:
            best, most = place, gain
    return best
