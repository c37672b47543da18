"""EXODUS: perfects out of the castle, early and often."""

from __future__ import annotations

import numpy as np

from policies.montsegur.answers import answer, follow, thresholds, wants_plan
from policies.montsegur.events import ESCAPE_LEAVES, EXODUS_ESCAPE_ODDS
from policies.montsegur.lookout import WAYS_OUT, event_plan
from policies.montsegur.measures import CLOSE, EVENT, EXODUS, MEMO, NONE, Memo, escape_chance, kept
from policies.montsegur.plans import (
    action_plan,
    begin_plan,
    cheapest,
    commander_or_dearest,
    least_points_escape,
    make_plan,
    slot_points,
    spend,
)
from simlab.compiler import kernel
from simlab.game import Cards, Knobs, State, Trait, Traits, policy, trait_names
from simlab.games.montsegur.deck import card_program
from simlab.games.montsegur.effects import END, OP_CODE, OP_ESCAPE
from simlab.games.montsegur.events import number
from simlab.games.montsegur.state import CAT, CONSOLE, ESCAPE, SCOUT, ZERO

T = trait_names(
    **thresholds(),
    first=Trait(0.3, 0.0, 1.0, "tries the first escape of all with the most expensive card at this chance"),
    spare=Trait(0.5, 0.0, 1.0, "tries an escape at this chance while Faith is safe"),
)


@policy("montsegur", seats=["cathar"], traits=T)
def exodus(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Gets perfects out as early and as often as the odds allow."""
    if wants_plan(state):
        scratch = np.empty(1, MEMO)
        memo = scratch[0]
        begin_plan(state, knobs, cards, memo, CAT)
        plan = exodus_plan(state, knobs, cards, memo, traits)
        return kept(follow(state, knobs, cards, memo, CAT, plan, EXODUS), scratch)
    return answer(state, knobs, cards, EXODUS, traits[T.trigger], traits[T.preempt])


@kernel
def exodus_plan(state: State, knobs: Knobs, cards: Cards, memo: Memo, traits: Traits) -> int:
    """EXODUS 1 to 6."""
    if state.montsegur > ESCAPE_LEAVES:
        plan = surest_escape_event(state, knobs, cards, memo)
        if plan != NONE:
            return plan
        if state.escaped == 0:
            slot = commander_or_dearest(state, knobs, cards, memo, CAT)
            odds = escape_chance(state, memo, slot_points(knobs, cards, memo, slot))
            if slot != NONE and odds >= traits[T.first] - CLOSE:
                return make_plan(slot, ESCAPE, ZERO, ZERO)
        if memo["need"] <= 0:
            slot = cheapest(state, knobs, cards, memo, CAT, least_points_escape(state, memo, traits[T.spare]))
            if slot != NONE:
                return make_plan(slot, ESCAPE, ZERO, ZERO)
    if memo["need"] > 0 and state.aspiring == 0:
        slot = spend(state, knobs, cards, memo, CAT, np.int64(knobs.aspire_cost))
        plan = action_plan(state, knobs, cards, memo, CAT, slot, CONSOLE)
        if plan != NONE:
            return plan
    if memo["on_path_bare"] > 0:
        plan = event_plan(state, knobs, cards, memo, CAT, WAYS_OUT, 0.0, EXODUS)
        if plan != NONE:
            return plan
    if state.scouts[CAT] == 0:
        slot = spend(state, knobs, cards, memo, CAT, np.int64(knobs.scout_first_cost))
        return action_plan(state, knobs, cards, memo, CAT, slot, SCOUT)
    return NONE


@kernel
def surest_escape_event(state: State, knobs: Knobs, cards: Cards, memo: Memo) -> int:
    """EXODUS 1: the event that offers an escape with the best chance, if that is enough."""
    best = EXODUS_ESCAPE_ODDS - 2 * CLOSE
    plan = NONE
    for slot in range(memo["held"]):
        at = card_program(knobs, cards, memo["hand"][slot])
        while cards.op[at, OP_CODE] != END:
            if cards.op[at, OP_CODE] == OP_ESCAPE:
                odds = escape_chance(state, memo, number(state, knobs, cards, memo["hand"][slot], at))
                if odds > best + CLOSE:
                    best = odds
                    plan = make_plan(slot, EVENT, ZERO, ZERO)
            at += 1
    return plan
