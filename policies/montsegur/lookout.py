"""What a line of a list looks for in an event: `event{..}` of the ledger."""

from __future__ import annotations

import numpy as np

from policies.montsegur.attacks import conquerors
from policies.montsegur.events import event_worth, most_hit
from policies.montsegur.measures import CLOSE, EVENT, NONE, Memo
from policies.montsegur.plans import make_plan
from simlab.compiler import kernel
from simlab.game import Cards, Knobs, State
from simlab.games.montsegur.board import attack_edges, least_crusaders, lowest
from simlab.games.montsegur.deck import card_program
from simlab.games.montsegur.effects import (
    END,
    IF,
    OP_A,
    OP_ASPIRE,
    OP_ATTACK,
    OP_B,
    OP_BOOST,
    OP_BROKEN_LINE,
    OP_C,
    OP_CAPTURE,
    OP_CAT_MORALE,
    OP_CAVES,
    OP_CODE,
    OP_CONVERT,
    OP_CRU_MORALE,
    OP_ESCAPE,
    OP_ESCAPE_MOD,
    OP_FAITH,
    OP_FOOD,
    OP_MUSTER,
    OP_PATH_LESS,
    OP_REINF,
    OP_REINF_MOD,
    OP_REPENT,
    OP_RING,
    OP_ROUT,
    OP_STRIKE,
    OP_TREBUCHET,
    OP_WHO,
)
from simlab.games.montsegur.events import holds, number, role_side
from simlab.games.montsegur.state import CAT, CC, CRU, EW, MAX_FORCE, MC, RDT, ZERO, numbers

WORTH_A_STRIKE = 2  # soldiers that fall, for CREST
# What a line of a list looks for in an event.
(
    HAS_ESCAPE, WAYS_OUT, HAS_ASPIRE, FAITH_FOOD_MORALE, CATHAR_SOLDIERS, HITS_TWO, FOOD_MORALE, HUNGER_DESPAIR,
    CRUSADER_SOLDIERS, CRUSADER_MORALE, WATCHES, TAKES_MC, TAKES_RDT, TREBUCHET_OR_EW, CRUSADER_CAVES, CATHAR_CAVES,
    INQUIRIES, BREAKS_LINE,
) = numbers(0, 18)  # fmt: skip


@kernel
def event_plan(
    state: State,
    knobs: Knobs,
    cards: Cards,
    memo: Memo,
    side: int,
    what: int,
    above: float,
    style: int,
) -> int:
    """`event{..}`: of the hand cards that a line looks for, the one worth most to oneself, if above a bound."""
    best = above
    plan = NONE
    for slot in range(memo["held"]):
        if fits(state, knobs, cards, memo, memo["hand"][slot], side, what):
            worth = event_worth(state, knobs, cards, memo, memo["hand"][slot], side, style)
            if worth > best + CLOSE:
                best = worth
                plan = make_plan(slot, EVENT, ZERO, ZERO)
    return plan


@kernel
def fits(state: State, knobs: Knobs, cards: Cards, memo: Memo, card: int, side: int, what: int) -> bool:
    """Whether a card's event holds an op that a line looks for."""
    at = card_program(knobs, cards, card)
    while True:
        code = np.int64(cards.op[at, OP_CODE])
        if code == END:
            return False
        if code == IF and what >= TAKES_MC and what <= TREBUCHET_OR_EW and not holds(state, cards, at):
            at = np.int64(cards.op[at, OP_B])
            continue
        n = number(state, knobs, cards, card, at)
        if op_fits(state, knobs, cards, at, code, n, side, what):
            return True
        at += 1


@kernel
def op_fits(state: State, knobs: Knobs, cards: Cards, at: int, code: int, n: int, side: int, what: int) -> bool:
    names = role_side(side, np.int64(cards.op[at, OP_WHO]))
    if what == HAS_ESCAPE:
        return code == OP_ESCAPE
    if what == WAYS_OUT:
        return opens_way(state, knobs, cards, at, code, names)
    if what == HAS_ASPIRE:
        return code == OP_ASPIRE
    if what == FAITH_FOOD_MORALE:
        return n > 0 and (code == OP_FAITH or code == OP_FOOD or code == OP_CAT_MORALE)
    if what == CATHAR_SOLDIERS:
        return names == CAT and (code == OP_MUSTER or code == OP_REINF)
    if what == HITS_TWO:
        return (
            (code == OP_STRIKE or code == OP_ROUT)
            and names == CRU
            and most_hit(state, cards, at, n, CRU) >= WORTH_A_STRIKE
        )
    if what == FOOD_MORALE:
        return n > 0 and (code == OP_FOOD or code == OP_CAT_MORALE)
    if what == HUNGER_DESPAIR:
        return n < 0 and (code == OP_FOOD or code == OP_CAT_MORALE)
    if what == CRUSADER_SOLDIERS:
        return names == CRU and code == OP_MUSTER
    if what == CRUSADER_MORALE:
        return (n > 0 and code == OP_CRU_MORALE) or (code == OP_BOOST and names == CRU)
    if what == WATCHES:
        return code == OP_ESCAPE_MOD or code == OP_REINF_MOD or code == OP_RING
    if what == TAKES_MC or what == TAKES_RDT:
        if names != CRU or code != OP_ATTACK:
            return False
        if what == TAKES_RDT:  # an attack on the Roc alone: any other is worth more elsewhere
            return cards.op[at, OP_C] == 1 << RDT and event_takes(state, knobs, cards, at, n, RDT)
        return event_takes(state, knobs, cards, at, n, MC)
    if what == TREBUCHET_OR_EW:
        if code == OP_TREBUCHET:
            return n > 0
        return (
            names == CRU
            and code == OP_ATTACK
            and cards.op[at, OP_C] == 1 << EW
            and event_takes(state, knobs, cards, at, n, EW)
        )
    if what == CRUSADER_CAVES:
        return names == CRU and code == OP_CAVES
    if what == CATHAR_CAVES:
        return names == CAT and code == OP_CAVES
    if what == INQUIRIES:
        return code == OP_REPENT or code == OP_CAPTURE or code == OP_CONVERT
    return code == OP_BROKEN_LINE


@kernel
def event_takes(state: State, knobs: Knobs, cards: Cards, at: int, n: int, place: int) -> bool:
    """Whether an attack that an event gives the Crusaders can take a location."""
    force = min(n, np.int64(state.soldiers[CRU, CC]), MAX_FORCE)
    if force == 0 or state.no_attack:
        return False
    less, bare = np.int64(cards.op[at, OP_A]), np.int64(cards.op[at, OP_B])
    edges = attack_edges(state, cards, CRU, np.int64(cards.op[at, OP_C]) & (np.int64(1) << place))
    while edges:
        if conquerors(state, knobs, cards, CRU, lowest(edges), force, less, bare) > 0:
            return True
        edges &= edges - 1
    return False


@kernel
def opens_way(state: State, knobs: Knobs, cards: Cards, at: int, code: int, names: int) -> bool:
    """EXODUS 5: fewer Crusaders on the path, the Caves, or a strike at the cheapest path."""
    if code == OP_PATH_LESS:
        return state.phase + 1 < knobs.activity_phases
    if code == OP_CAVES:
        return names == CAT and not state.caves[CAT]
    if code == OP_STRIKE and names == CRU:
        zone = np.int64(cards.op[at, OP_A])
        least = least_crusaders(state, cards)
        for route in range(cards.n_routes):
            if not cards.route_caves[route] or state.caves[CAT]:
                total = 0
                hit = False
                for step in range(cards.route_len[route]):
                    place = cards.route[route, step]
                    total += np.int64(state.soldiers[CRU, place])
                    hit = hit or (state.soldiers[CRU, place] > 0 and (zone >> place) & 1 == 1)
                if total == least and hit:
                    return True
    return False
