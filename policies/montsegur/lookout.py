"""Requirements of a list's line for an event: `event{..}` of the ledger."""

from __future__ import annotations

import numpy as np

from policies.montsegur.attacks import conquerors
from policies.montsegur.events import event_worth, most_hit
from policies.montsegur.measures import CLOSE, EVENT, NONE, Memo
from policies.montsegur.plans import make_plan
from simlab.compiler import kernel
from simlab.game import Cards, Knobs, State
from simlab.games.montsegur import effects as fx
from simlab.games.montsegur.board import attack_edges, least_crusaders, lowest
from simlab.games.montsegur.deck import card_program
from simlab.games.montsegur.events import holds, number, role_side
from simlab.games.montsegur.state import CAT, CC, CRU, EW, MAX_FORCE, MC, RDT, ZERO, numbers

WORTH_A_STRIKE = 2  # soldiers that fall, for CREST
# Requirements of a list's line for an event.
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
    """`event{..}`: the most valuable hand card that fits the line's requirements, if its worth exceeds a bound."""
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
        code = np.int64(cards.op[at, fx.OP_CODE])
        if code == fx.END:
            return False
        if code == fx.IF and what >= TAKES_MC and what <= TREBUCHET_OR_EW and not holds(state, cards, at):
            at = np.int64(cards.op[at, fx.OP_B])
            continue
        n = number(state, knobs, cards, card, at)
        if op_fits(state, knobs, cards, at, code, n, side, what):
            return True
        at += 1


@kernel
def op_fits(state: State, knobs: Knobs, cards: Cards, at: int, code: int, n: int, side: int, what: int) -> bool:
    names = role_side(side, np.int64(cards.op[at, fx.OP_WHO]))
    if what == HAS_ESCAPE:
        return code == fx.OP_ESCAPE
    if what == WAYS_OUT:
        return opens_way(state, knobs, cards, at, code, names)
    if what == HAS_ASPIRE:
        return code == fx.OP_ASPIRE
    if what == FAITH_FOOD_MORALE:
        return n > 0 and (code == fx.OP_FAITH or code == fx.OP_FOOD or code == fx.OP_CAT_MORALE)
    if what == CATHAR_SOLDIERS:
        return names == CAT and (code == fx.OP_MUSTER or code == fx.OP_REINF)
    if what == HITS_TWO:
        return (
            (code == fx.OP_STRIKE or code == fx.OP_ROUT)
            and names == CRU
            and most_hit(state, cards, at, n, CRU) >= WORTH_A_STRIKE
        )
    if what == FOOD_MORALE:
        return n > 0 and (code == fx.OP_FOOD or code == fx.OP_CAT_MORALE)
    if what == HUNGER_DESPAIR:
        return n < 0 and (code == fx.OP_FOOD or code == fx.OP_CAT_MORALE)
    if what == CRUSADER_SOLDIERS:
        return names == CRU and code == fx.OP_MUSTER
    if what == CRUSADER_MORALE:
        return (n > 0 and code == fx.OP_CRU_MORALE) or (code == fx.OP_BOOST and names == CRU)
    if what == WATCHES:
        return code == fx.OP_ESCAPE_MOD or code == fx.OP_REINF_MOD or code == fx.OP_RING
    if what == TAKES_MC or what == TAKES_RDT:
        if names != CRU or code != fx.OP_ATTACK:
            return False
        if what == TAKES_RDT:  # only an attack on the Roc: any other attack is worth more elsewhere
            return cards.op[at, fx.OP_C] == 1 << RDT and event_takes(state, knobs, cards, at, n, RDT)
        return event_takes(state, knobs, cards, at, n, MC)
    if what == TREBUCHET_OR_EW:
        if code == fx.OP_TREBUCHET:
            return n > 0
        return (
            names == CRU
            and code == fx.OP_ATTACK
            and cards.op[at, fx.OP_C] == 1 << EW
            and event_takes(state, knobs, cards, at, n, EW)
        )
    if what == CRUSADER_CAVES:
        return names == CRU and code == fx.OP_CAVES
    if what == CATHAR_CAVES:
        return names == CAT and code == fx.OP_CAVES
    if what == INQUIRIES:
        return code == fx.OP_REPENT or code == fx.OP_CAPTURE or code == fx.OP_CONVERT
    return code == fx.OP_BROKEN_LINE


@kernel
def event_takes(state: State, knobs: Knobs, cards: Cards, at: int, n: int, place: int) -> bool:
    """Whether an attack that an event gives the Crusaders can take a location."""
    force = min(n, np.int64(state.soldiers[CRU, CC]), MAX_FORCE)
    if force == 0 or state.no_attack:
        return False
    less, bare = np.int64(cards.op[at, fx.OP_A]), np.int64(cards.op[at, fx.OP_B])
    edges = attack_edges(state, cards, CRU, np.int64(cards.op[at, fx.OP_C]) & (np.int64(1) << place))
    while edges:
        if conquerors(state, knobs, cards, CRU, lowest(edges), force, less, bare) > 0:
            return True
        edges &= edges - 1
    return False


@kernel
def opens_way(state: State, knobs: Knobs, cards: Cards, at: int, code: int, names: int) -> bool:
    """EXODUS 5: fewer Crusaders on the path, the Caves, or a strike at the cheapest path."""
    if code == fx.OP_PATH_LESS:
        return state.phase + 1 < knobs.activity_phases
    if code == fx.OP_CAVES:
        return names == CAT and not state.caves[CAT]
    if code == fx.OP_STRIKE and names == CRU:
        zone = np.int64(cards.op[at, fx.OP_A])
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
