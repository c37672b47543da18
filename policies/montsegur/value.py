"""The reference, which always plays the move worth most; and a variant that avoids attacks."""

from __future__ import annotations

from policies.montsegur.answers import answer, follow_value, thresholds, wants_plan
from policies.montsegur.measures import PEACE, VALUE
from simlab.game import Cards, Knobs, State, Traits, policy, trait_names

T = trait_names(**thresholds())


@policy("montsegur", traits=T)
def value(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """The reference: plays the event, points or commander worth most at the moment."""
    if wants_plan(state):
        return follow_value(state, knobs, cards, VALUE)
    return answer(state, knobs, cards, VALUE, traits[T.trigger], traits[T.preempt])


@policy("montsegur", traits=T)
def peace(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Plays like value but avoids attacks, which shows what attacks are worth."""
    if wants_plan(state):
        return follow_value(state, knobs, cards, PEACE)
    return answer(state, knobs, cards, PEACE, traits[T.trigger], traits[T.preempt])
