"""INQUISITION: Faith and the perfects, by events and markers."""

from __future__ import annotations

import numpy as np

from policies.montsegur.answers import answer, follow, thresholds, wants_plan
from policies.montsegur.crusaders import ring_gaps
from policies.montsegur.lookout import BREAKS_LINE, HUNGER_DESPAIR, INQUIRIES, event_plan
from policies.montsegur.measures import CLOSE, INQUISITION, MEMO, NONE, Memo, kept
from policies.montsegur.plans import action_plan, begin_plan, commander_or_dearest, dearest, spend
from simlab.compiler import kernel
from simlab.game import Cards, Knobs, State, Trait, Traits, policy, trait_names
from simlab.games.montsegur.state import BOOST, CC, CRU, REDEPLOY, SCOUT

T = trait_names(
    **thresholds(1.0, 3.5),
    event=Trait(1.0, 0.0, 20.0, "plays an event against the perfects worth at least this, in command points"),
    markers=Trait(2, 0, 10, "sends scouts while it has fewer markers than this"),
    scouts=Trait(2, 0, 10, "and fewer scouts than this"),
    thin=Trait(4, 1, 8, "fills ways out that fewer soldiers hold than this"),
    points=Trait(3, 2, 6, "points that such a Redeploy should have"),
    morale=Trait(3, 0, 12, "boosts at this Morale or less"),
)


@policy("montsegur", seats=["crusader"], traits=T)
def inquisition(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Attacks Faith and the perfects with events, and gathers markers to trigger them."""
    if wants_plan(state):
        scratch = np.empty(1, MEMO)
        memo = scratch[0]
        begin_plan(state, knobs, cards, memo, CRU)
        plan = inquisition_plan(state, knobs, cards, memo, traits)
        return kept(follow(state, knobs, cards, memo, CRU, plan, INQUISITION), scratch)
    return answer(state, knobs, cards, INQUISITION, traits[T.trigger], traits[T.preempt])


@kernel
def inquisition_plan(state: State, knobs: Knobs, cards: Cards, memo: Memo, traits: Traits) -> int:
    """INQUISITION 1 to 6."""
    plan = event_plan(state, knobs, cards, memo, CRU, INQUIRIES, traits[T.event] - 2 * CLOSE, INQUISITION)
    if plan != NONE:
        return plan
    if state.captured + state.montsegur > state.faith:
        plan = event_plan(state, knobs, cards, memo, CRU, BREAKS_LINE, 0.0, INQUISITION)
        if plan != NONE:
            return plan
    plan = event_plan(state, knobs, cards, memo, CRU, HUNGER_DESPAIR, 0.0, INQUISITION)
    if plan != NONE:
        return plan
    if memo["markers"] < traits[T.markers] and state.scouts[CRU] < traits[T.scouts] and memo["held"] > 0:
        slot = dearest(state, knobs, cards, memo, CRU)
        return action_plan(state, knobs, cards, memo, CRU, slot, SCOUT)
    places, _total = ring_gaps(state, cards, np.int64(traits[T.thin]))
    if places > 0 and state.soldiers[CRU, CC] >= 1:
        slot = spend(state, knobs, cards, memo, CRU, np.int64(traits[T.points]))
        plan = action_plan(state, knobs, cards, memo, CRU, slot, REDEPLOY)
        if plan != NONE:
            return plan
    if state.morale[CRU] <= traits[T.morale]:
        slot = commander_or_dearest(state, knobs, cards, memo, CRU)
        return action_plan(state, knobs, cards, memo, CRU, slot, BOOST)
    return NONE
