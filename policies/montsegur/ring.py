"""RING: the castle sealed off."""

from __future__ import annotations

import numpy as np

from policies.montsegur.answers import answer, follow, thresholds, wants_plan
from policies.montsegur.crusaders import raise_morale, raise_soldiers, ring_gaps
from policies.montsegur.lookout import HUNGER_DESPAIR, WATCHES, event_plan
from policies.montsegur.measures import MEMO, NONE, RING, Memo, kept
from policies.montsegur.plans import action_plan, begin_plan, cost_of_two_scouts, spend
from simlab.engine.jit import kernel
from simlab.game import Cards, Knobs, State, Traits, policy
from simlab.games.montsegur.state import CAT, CC, CRU, NP, REDEPLOY, SCOUT


@policy("montsegur", seats=["crusader"], traits=thresholds())
def ring(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Seals the castle off and waits for hunger and despair."""
    if wants_plan(state):
        scratch = np.empty(1, MEMO)
        memo = scratch[0]
        begin_plan(state, knobs, cards, memo, CRU)
        plan = ring_plan(state, knobs, cards, memo)
        return kept(follow(state, knobs, cards, memo, CRU, plan, RING), scratch)
    return answer(state, knobs, cards, RING, traits[0], traits[1])


@kernel
def ring_plan(state: State, knobs: Knobs, cards: Cards, memo: Memo) -> int:
    """RING 1 to 7."""
    places, total = ring_gaps(state, cards, np.int64(99))
    camp = np.int64(state.soldiers[CRU, CC])
    if places > 0 and camp >= min(total, 3):
        slot = spend(state, knobs, cards, memo, CRU, min(4, 1 + places))
        plan = action_plan(state, knobs, cards, memo, CRU, slot, REDEPLOY)
        if plan != NONE:
            return plan
    plan = event_plan(state, knobs, cards, memo, CRU, HUNGER_DESPAIR, 0.0, RING)
    if plan != NONE:
        return plan
    if places > 0 and camp < 4:
        plan = raise_soldiers(state, knobs, cards, memo, RING)
        if plan != NONE:
            return plan
    if state.morale[CRU] <= 2:
        plan = raise_morale(state, knobs, cards, memo, RING)
        if plan != NONE:
            return plan
    plan = event_plan(state, knobs, cards, memo, CRU, WATCHES, 0.0, RING)
    if plan != NONE:
        return plan
    if state.scouts[CRU] == 0:
        slot = spend(state, knobs, cards, memo, CRU, cost_of_two_scouts(knobs))
        return action_plan(state, knobs, cards, memo, CRU, slot, SCOUT)
    if state.caves[CAT] and 0 < state.soldiers[CRU, NP] < 4:
        slot = spend(state, knobs, cards, memo, CRU, np.int64(2))
        return action_plan(state, knobs, cards, memo, CRU, slot, REDEPLOY)
    return NONE
