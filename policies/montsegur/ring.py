"""RING: the castle sealed off."""

from __future__ import annotations

import numpy as np

from policies.montsegur.answers import answer, follow, thresholds, wants_plan
from policies.montsegur.crusaders import ANY_NUMBER, raise_morale, raise_soldiers, ring_gaps
from policies.montsegur.lookout import HUNGER_DESPAIR, WATCHES, event_plan
from policies.montsegur.measures import MEMO, NONE, RING, Memo, kept
from policies.montsegur.plans import action_plan, begin_plan, cost_of_two_scouts, spend
from policies.montsegur.redeploy import CAVES_GUARD, PAIR
from simlab.compiler import kernel
from simlab.game import Cards, Knobs, State, Trait, Traits, policy, trait_names
from simlab.games.montsegur.state import CAT, CC, CRU, NP, REDEPLOY, SCOUT

T = trait_names(
    **thresholds(),
    camp_enough=Trait(3, 0, 20, "fills gaps of the ring once the camp has this many soldiers, or all that are missing"),
    points=Trait(4, 2, 6, "most points of such a Redeploy"),
    camp=Trait(4, 0, 20, "raises soldiers for the gaps while the camp has fewer than this"),
    morale=Trait(2, 0, 12, "raises Morale at this or less"),
)


@policy("montsegur", seats=["crusader"], traits=T)
def ring(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Seals the castle off and waits for hunger and despair."""
    if wants_plan(state):
        scratch = np.empty(1, MEMO)
        memo = scratch[0]
        begin_plan(state, knobs, cards, memo, CRU)
        plan = ring_plan(state, knobs, cards, memo, traits)
        return kept(follow(state, knobs, cards, memo, CRU, plan, RING), scratch)
    return answer(state, knobs, cards, RING, traits[T.trigger], traits[T.preempt])


@kernel
def ring_plan(state: State, knobs: Knobs, cards: Cards, memo: Memo, traits: Traits) -> int:
    """RING 1 to 7."""
    places, total = ring_gaps(state, cards, ANY_NUMBER)
    camp = np.int64(state.soldiers[CRU, CC])
    if places > 0 and camp >= min(total, traits[T.camp_enough]):
        slot = spend(state, knobs, cards, memo, CRU, min(np.int64(traits[T.points]), 1 + places))
        plan = action_plan(state, knobs, cards, memo, CRU, slot, REDEPLOY)
        if plan != NONE:
            return plan
    plan = event_plan(state, knobs, cards, memo, CRU, HUNGER_DESPAIR, 0.0, RING)
    if plan != NONE:
        return plan
    if places > 0 and camp < traits[T.camp]:
        plan = raise_soldiers(state, knobs, cards, memo, RING)
        if plan != NONE:
            return plan
    if state.morale[CRU] <= traits[T.morale]:
        plan = raise_morale(state, knobs, cards, memo, RING)
        if plan != NONE:
            return plan
    plan = event_plan(state, knobs, cards, memo, CRU, WATCHES, 0.0, RING)
    if plan != NONE:
        return plan
    if state.scouts[CRU] == 0:
        slot = spend(state, knobs, cards, memo, CRU, cost_of_two_scouts(knobs))
        return action_plan(state, knobs, cards, memo, CRU, slot, SCOUT)
    if state.caves[CAT] and 0 < state.soldiers[CRU, NP] < CAVES_GUARD:
        slot = spend(state, knobs, cards, memo, CRU, PAIR)
        return action_plan(state, knobs, cards, memo, CRU, slot, REDEPLOY)
    return NONE
