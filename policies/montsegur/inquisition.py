"""INQUISITION: Faith and the perfects, by events and markers."""

from __future__ import annotations

import numpy as np

from policies.montsegur.answers import answer, follow, thresholds, wants_plan
from policies.montsegur.crusaders import ring_gaps
from policies.montsegur.lookout import BREAKS_LINE, HUNGER_DESPAIR, INQUIRIES, event_plan
from policies.montsegur.measures import CLOSE, INQUISITION, MEMO, NONE, Memo, kept
from policies.montsegur.plans import action_plan, begin_plan, commander_or_dearest, dearest, spend
from simlab.engine.jit import kernel
from simlab.game import Cards, Knobs, State, Traits, policy
from simlab.games.montsegur.state import BOOST, CC, CRU, REDEPLOY, SCOUT


@policy("montsegur", seats=["crusader"], traits=thresholds(1.0, 3.5))
def inquisition(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Goes for Faith and the perfects by events, gathers markers to trigger them."""
    if wants_plan(state):
        scratch = np.empty(1, MEMO)
        memo = scratch[0]
        begin_plan(state, knobs, cards, memo, CRU)
        plan = inquisition_plan(state, knobs, cards, memo)
        return kept(follow(state, knobs, cards, memo, CRU, plan, INQUISITION), scratch)
    return answer(state, knobs, cards, INQUISITION, traits[0], traits[1])


@kernel
def inquisition_plan(state: State, knobs: Knobs, cards: Cards, memo: Memo) -> int:
    """INQUISITION 1 to 6."""
    plan = event_plan(state, knobs, cards, memo, CRU, INQUIRIES, 1.0 - 2 * CLOSE, INQUISITION)
    if plan != NONE:
        return plan
    if state.captured + state.montsegur > state.faith:
        plan = event_plan(state, knobs, cards, memo, CRU, BREAKS_LINE, 0.0, INQUISITION)
        if plan != NONE:
            return plan
    plan = event_plan(state, knobs, cards, memo, CRU, HUNGER_DESPAIR, 0.0, INQUISITION)
    if plan != NONE:
        return plan
    if memo["markers"] < 2 and state.scouts[CRU] < 2 and memo["held"] > 0:
        slot = dearest(state, knobs, cards, memo, CRU)
        return action_plan(state, knobs, cards, memo, CRU, slot, SCOUT)
    places, _total = ring_gaps(state, cards, np.int64(4))
    if places > 0 and state.soldiers[CRU, CC] >= 1:
        slot = spend(state, knobs, cards, memo, CRU, np.int64(3))
        plan = action_plan(state, knobs, cards, memo, CRU, slot, REDEPLOY)
        if plan != NONE:
            return plan
    if state.morale[CRU] <= 3:
        slot = commander_or_dearest(state, knobs, cards, memo, CRU)
        return action_plan(state, knobs, cards, memo, CRU, slot, BOOST)
    return NONE
