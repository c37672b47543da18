"""Bots for Keep."""

from __future__ import annotations

from simlab.game import Cards, Knobs, State, Trait, Traits, policy, trait_names

from . import GUARD, REST


@policy("keep", seats=("warlord",))
def hunter(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Strikes at the lowest gate."""
    lowest = state.legal[0]
    for i in range(state.n_legal):
        if state.gate[state.legal[i]] < state.gate[lowest]:
            lowest = state.legal[i]
    return lowest


SENTRY = trait_names(lent=Trait(0, 0, 10, "rests while the own gate stands this far above the lowest, or further"))


@policy("keep", seats=("ann", "bob", "cat", "dan"), traits=SENTRY)
def sentry(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Guards its gate, but where another stands lower by `lent` or more; 0: it guards always."""
    lowest = state.gate[1]
    for seat in range(2, state.gate.size):
        lowest = min(lowest, state.gate[seat])
    above = state.gate[state.seat] - lowest
    return REST if traits[SENTRY.lent] > 0 and above >= traits[SENTRY.lent] else GUARD
