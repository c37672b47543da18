"""CREST: the fight for the Crest and the walls."""

from __future__ import annotations

import numpy as np

from policies.montsegur.answers import answer, follow, thresholds, wants_plan
from policies.montsegur.lookout import CATHAR_SOLDIERS, FOOD_MORALE, HITS_TWO, event_plan
from policies.montsegur.measures import CREST, MEMO, NONE, Memo, gets_through, kept
from policies.montsegur.plans import (
    OUT_OF_REACH,
    action_plan,
    begin_plan,
    cheapest,
    make_plan,
    plan_slot,
    slot_points,
    spend,
    take_plan,
)
from simlab.compiler import kernel
from simlab.game import Cards, Knobs, State, Trait, Traits, policy, trait_names
from simlab.games.montsegur import state as s
from simlab.games.montsegur.board import joined

T = trait_names(
    **thresholds(),
    force=Trait(3, 1, 6, "most soldiers sent to take a place back"),
    home=Trait(3, 0, 20, "soldiers that stay in the castle then"),
    spread=Trait(5, 1, 30, "spreads soldiers over thin walls while the castle holds this many"),
    points=Trait(3, 2, 6, "points that such a Redeploy should have"),
    through=Trait(2, 1, 6, "calls reinforcements of which this many get through"),
)


@policy("montsegur", seats=["cathar"], traits=T)
def crest(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Fights for the Crest and the walls, and strikes back."""
    if wants_plan(state):
        scratch = np.empty(1, MEMO)
        memo = scratch[0]
        begin_plan(state, knobs, cards, memo, s.CAT)
        plan = crest_plan(state, knobs, cards, memo, traits)
        return kept(follow(state, knobs, cards, memo, s.CAT, plan, CREST), scratch)
    return answer(state, knobs, cards, CREST, traits[T.trigger], traits[T.preempt])


@kernel
def crest_plan(state: State, knobs: Knobs, cards: Cards, memo: Memo, traits: Traits) -> int:
    """CREST 1 to 7."""
    best, fewest = NONE, OUT_OF_REACH
    for place in (s.CRE, s.EW, s.WW):
        plan = retake(state, knobs, cards, memo, traits, place)
        if plan != NONE and slot_points(knobs, cards, memo, plan_slot(plan)) < fewest:
            best, fewest = plan, slot_points(knobs, cards, memo, plan_slot(plan))
    if best != NONE:
        return best
    plan = retake(state, knobs, cards, memo, traits, s.RDT)
    if plan != NONE:
        return plan
    if thinly_held(state, cards) and state.soldiers[s.CAT, s.MC] >= traits[T.spread]:
        slot = spend(state, knobs, cards, memo, s.CAT, np.int64(traits[T.points]))
        plan = action_plan(state, knobs, cards, memo, s.CAT, slot, s.REDEPLOY)
        if plan != NONE:
            return plan
    if state.soldiers[s.CAT, s.MC] <= 1:
        plan = event_plan(state, knobs, cards, memo, s.CAT, CATHAR_SOLDIERS, 0.0, CREST)
        if plan == NONE:
            plan = reinforce_through(state, knobs, cards, memo, traits)
        if plan != NONE:
            return plan
    plan = event_plan(state, knobs, cards, memo, s.CAT, HITS_TWO, 0.0, CREST)
    if plan != NONE:
        return plan
    if memo["need"] > 0 and state.aspiring == 0:
        slot = spend(state, knobs, cards, memo, s.CAT, np.int64(knobs.aspire_cost))
        plan = action_plan(state, knobs, cards, memo, s.CAT, slot, s.CONSOLE)
        if plan != NONE:
            return plan
    return event_plan(state, knobs, cards, memo, s.CAT, FOOD_MORALE, 0.0, CREST)


@kernel
def retake(state: State, knobs: Knobs, cards: Cards, memo: Memo, traits: Traits, place: int) -> int:
    """CREST 1, 2: retakes a location with a few soldiers, while others stay in the castle."""
    if state.soldiers[s.CRU, place] == 0:
        return NONE
    most = min(np.int64(traits[T.force]), np.int64(state.soldiers[s.CAT, s.MC]) - np.int64(traits[T.home]))
    return take_plan(state, knobs, cards, memo, s.CAT, place, s.ONE, most)


@kernel
def thinly_held(state: State, cards: Cards) -> bool:
    """Whether a single soldier holds the Crest or a wall that is joined to the castle."""
    near = joined(state, cards, s.CAT, s.MC)
    for place in (s.CRE, s.EW, s.WW):
        if state.soldiers[s.CAT, place] == 1 and (near >> place) & 1:
            return True
    return False


@kernel
def reinforce_through(state: State, knobs: Knobs, cards: Cards, memo: Memo, traits: Traits) -> int:
    """CREST 4: calls for reinforcements if enough of them get through."""
    for points in range(1, s.MAX_FORCE + 1):
        if gets_through(state, knobs, memo, points, s.ZERO) >= traits[T.through]:
            slot = cheapest(state, knobs, cards, memo, s.CAT, points)
            return NONE if slot == NONE else make_plan(slot, s.REINFORCE, s.ZERO, s.ZERO)
    return NONE
