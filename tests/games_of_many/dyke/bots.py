"""Bots for Dyke."""

from __future__ import annotations

from simlab.game import Cards, Knobs, State, Trait, Traits, policy, trait_names

from . import BAG, DIG

STEADY = trait_names(margin=Trait(0, -5, 20, "digs while the dyke is no more than this above the sea, in feet"))


@policy("dyke", traits=STEADY)
def steady(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Gambles with the spade only while the dyke is low, and else carries bags: they are sure."""
    return DIG if state.dyke - state.sea <= traits[STEADY.margin] else BAG
