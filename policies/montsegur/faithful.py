"""FAITHFUL: Faith, Food and Morale first."""

from __future__ import annotations

import numpy as np

from policies.montsegur.answers import answer, follow, thresholds, wants_plan
from policies.montsegur.events import ESCAPE_LEAVES
from policies.montsegur.lookout import FAITH_FOOD_MORALE, HAS_ASPIRE, event_plan
from policies.montsegur.measures import FAITHFUL, MEMO, NONE, Memo, kept
from policies.montsegur.plans import (
    action_plan,
    begin_plan,
    cheapest,
    commander_or_dearest,
    cost_of_two_scouts,
    least_points_escape,
    make_plan,
    spend,
)
from simlab.compiler import kernel
from simlab.game import Cards, Knobs, State, Trait, Traits, policy, trait_names
from simlab.games.montsegur.state import BOOST, CAT, CONSOLE, ESCAPE, SCOUT, ZERO

LAST_PHASES = 2  # of a turn, in which an Aspiring Perfect is made in advance for the next

T = trait_names(
    **thresholds(),
    low=Trait(3, 0, 12, "boosts with all it has at this Morale or less"),
    spare=Trait(0.6, 0.0, 1.0, "tries an escape at this chance with perfects to spare"),
    high=Trait(6, 0, 12, "boosts with the points to spare at this Morale or less"),
    points=Trait(3, 1, 6, "points that such a boost should have"),
)


@policy("montsegur", seats=["cathar"], traits=T)
def faithful(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Keeps Faith, Food and Morale up, escapes only with perfects to spare."""
    if wants_plan(state):
        scratch = np.empty(1, MEMO)
        memo = scratch[0]
        begin_plan(state, knobs, cards, memo, CAT)
        plan = faithful_plan(state, knobs, cards, memo, traits)
        return kept(follow(state, knobs, cards, memo, CAT, plan, FAITHFUL), scratch)
    return answer(state, knobs, cards, FAITHFUL, traits[T.trigger], traits[T.preempt])


@kernel
def faithful_plan(state: State, knobs: Knobs, cards: Cards, memo: Memo, traits: Traits) -> int:
    """FAITHFUL 1 to 7."""
    if memo["need"] > 0 and state.aspiring == 0:
        plan = event_plan(state, knobs, cards, memo, CAT, HAS_ASPIRE, 0.0, FAITHFUL)
        if plan != NONE:
            return plan
        slot = spend(state, knobs, cards, memo, CAT, np.int64(knobs.aspire_cost))
        plan = action_plan(state, knobs, cards, memo, CAT, slot, CONSOLE)
        if plan != NONE:
            return plan
    plan = event_plan(state, knobs, cards, memo, CAT, FAITH_FOOD_MORALE, 0.0, FAITHFUL)
    if plan != NONE:
        return plan
    if state.morale[CAT] <= traits[T.low]:
        slot = commander_or_dearest(state, knobs, cards, memo, CAT)
        return action_plan(state, knobs, cards, memo, CAT, slot, BOOST)
    if state.aspiring == 0 and state.phase >= knobs.activity_phases - LAST_PHASES:
        slot = spend(state, knobs, cards, memo, CAT, np.int64(knobs.aspire_cost))
        plan = action_plan(state, knobs, cards, memo, CAT, slot, CONSOLE)
        if plan != NONE:
            return plan
    if state.scouts[CAT] == 0:
        slot = spend(state, knobs, cards, memo, CAT, cost_of_two_scouts(knobs))
        return action_plan(state, knobs, cards, memo, CAT, slot, SCOUT)
    if memo["need"] < 0 and state.montsegur > ESCAPE_LEAVES:
        slot = cheapest(state, knobs, cards, memo, CAT, least_points_escape(state, memo, traits[T.spare]))
        if slot != NONE:
            return make_plan(slot, ESCAPE, ZERO, ZERO)
    if state.morale[CAT] <= traits[T.high]:
        slot = spend(state, knobs, cards, memo, CAT, np.int64(traits[T.points]))
        return action_plan(state, knobs, cards, memo, CAT, slot, BOOST)
    return NONE
