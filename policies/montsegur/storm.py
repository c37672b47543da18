"""STORM: the Crest, trebuchets, the castle."""

from __future__ import annotations

import numpy as np

from policies.montsegur.answers import answer, follow, thresholds, wants_plan
from policies.montsegur.crusaders import raise_morale, raise_soldiers
from policies.montsegur.events import event_worth
from policies.montsegur.lookout import (
    CATHAR_CAVES,
    CRUSADER_CAVES,
    TAKES_MC,
    TAKES_RDT,
    TREBUCHET_OR_EW,
    event_plan,
    fits,
)
from policies.montsegur.measures import CLOSE, EVENT, MEMO, NONE, STORM, Memo, kept
from policies.montsegur.plans import (
    action_plan,
    begin_plan,
    commander_or_dearest,
    make_plan,
    slot_points,
    spend,
    take_plan,
)
from policies.montsegur.redeploy import PAIR
from simlab.compiler import kernel
from simlab.game import Cards, Knobs, State, Trait, Traits, policy, trait_names
from simlab.games.montsegur.board import attack_edges, defence_bonus, joined, lowest
from simlab.games.montsegur.state import ATTACK, CAT, CC, CRE, CRU, EW, MAX_FORCE, MC, NE, NP, ONE, REDEPLOY, ZERO

T = trait_names(
    **thresholds(),
    morale=Trait(2, 0, 12, "raises Morale at this or less"),
    crest=Trait(3, 1, 6, "soldiers that it wants on the Crest"),
    camp=Trait(4, 0, 20, "raises soldiers while the camp has fewer than this"),
    north=Trait(3, 0, 8, "looks for the Caves once this many soldiers are in the north"),
    camp_caves=Trait(6, 0, 30, "and the camp has this many"),
    wear=Trait(
        2.0,
        0.0,
        10.0,
        "storms the castle while its soldiers are at most this many times those who get past its defence",
    ),
)


@policy("montsegur", seats=["crusader"], traits=T)
def storm(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Takes the Crest, brings trebuchets up and storms the castle."""
    if wants_plan(state):
        scratch = np.empty(1, MEMO)
        memo = scratch[0]
        begin_plan(state, knobs, cards, memo, CRU)
        plan = storm_plan(state, knobs, cards, memo, traits)
        return kept(follow(state, knobs, cards, memo, CRU, plan, STORM), scratch)
    return answer(state, knobs, cards, STORM, traits[T.trigger], traits[T.preempt])


@kernel
def storm_plan(state: State, knobs: Knobs, cards: Cards, memo: Memo, traits: Traits) -> int:
    """STORM 1 to 8."""
    plan = event_plan(state, knobs, cards, memo, CRU, TAKES_MC, 0.0, STORM)
    if plan == NONE:
        plan = take_plan(state, knobs, cards, memo, CRU, MC, ONE, MAX_FORCE)
    if plan != NONE:
        return plan
    if state.morale[CRU] <= traits[T.morale]:
        plan = raise_morale(state, knobs, cards, memo, STORM)
        if plan != NONE:
            return plan
    plan = storm_crest(state, knobs, cards, memo, traits)
    if plan != NONE:
        return plan
    camp = np.int64(state.soldiers[CRU, CC])
    if camp < traits[T.camp]:
        plan = raise_soldiers(state, knobs, cards, memo, STORM)
        if plan != NONE:
            return plan
    if state.soldiers[CRU, NP] >= traits[T.north] and camp >= traits[T.camp_caves] and not state.caves[CRU]:
        return open_caves(state, knobs, cards, memo)
    return NONE


@kernel
def open_caves(state: State, knobs: Knobs, cards: Cards, memo: Memo) -> int:
    """STORM 8: opens the Caves only for the Crusaders; otherwise for both, though that is worth nothing in itself."""
    for both in range(2):
        best = -2 * CLOSE
        plan = NONE
        for slot in range(memo["held"]):
            card = memo["hand"][slot]
            opens = fits(state, knobs, cards, memo, card, CRU, CRUSADER_CAVES)
            if opens and (both == 1 or not fits(state, knobs, cards, memo, card, CRU, CATHAR_CAVES)):
                worth = event_worth(state, knobs, cards, memo, card, CRU, STORM)
                if worth > best + CLOSE:
                    best = worth
                    plan = make_plan(slot, EVENT, ZERO, ZERO)
        if plan != NONE:
            return plan
    return NONE


@kernel
def storm_crest(state: State, knobs: Knobs, cards: Cards, memo: Memo, traits: Traits) -> int:
    """STORM 3 to 6."""
    held = np.int64(state.soldiers[CRU, CRE])
    if held == 0:
        plan = NONE
        if state.soldiers[CRU, NE] > 0:
            plan = event_plan(state, knobs, cards, memo, CRU, TAKES_RDT, 0.0, STORM)
        if plan != NONE:
            return plan
        return take_plan(state, knobs, cards, memo, CRU, CRE, np.int64(traits[T.crest]), MAX_FORCE)
    plan = event_plan(state, knobs, cards, memo, CRU, TREBUCHET_OR_EW, 0.0, STORM)
    if plan != NONE:
        return plan
    if held < traits[T.crest] and (joined(state, cards, CRU, CC) >> CRE) & 1:
        slot = spend(state, knobs, cards, memo, CRU, PAIR)
        plan = action_plan(state, knobs, cards, memo, CRU, slot, REDEPLOY)
        if plan != NONE:
            return plan
    plan = take_plan(state, knobs, cards, memo, CRU, EW, ONE, MAX_FORCE)
    if plan != NONE:
        return plan
    return storm_castle(state, knobs, cards, memo, traits)


@kernel
def storm_castle(state: State, knobs: Knobs, cards: Cards, memo: Memo, traits: Traits) -> int:
    """STORM 6: attacks from the Eastern Walls with all soldiers that the points allow, if it wears the castle down."""
    if state.soldiers[CRU, EW] == 0 or state.no_attack:
        return NONE
    slot = commander_or_dearest(state, knobs, cards, memo, CRU)
    force = min(slot_points(knobs, cards, memo, slot), np.int64(state.soldiers[CRU, CC]), MAX_FORCE)
    edges = attack_edges(state, cards, CRU, np.int64(1) << MC)
    while edges:
        edge = lowest(edges)
        edges &= edges - 1
        if cards.edge_from[edge] == EW:
            bonus = defence_bonus(state, knobs, cards, edge)
            if force > bonus and state.soldiers[CAT, MC] <= traits[T.wear] * (force - bonus):
                return make_plan(slot, ATTACK, edge, force)
    return NONE
