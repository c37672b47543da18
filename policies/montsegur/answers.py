"""Turns plans into answers, and makes the decisions that no plan settles, which are the same for all styles except
where a style has its own.
"""

from __future__ import annotations

import numpy as np

from policies.montsegur import prices
from policies.montsegur.attacks import attack_score, best_attack, work_out_attacks
from policies.montsegur.events import danger, event_worth, would_escape
from policies.montsegur.measures import (
    CLOSE,
    COMMANDER,
    CREST,
    EVENT,
    FAITHFUL,
    INQUISITION,
    MEMO,
    NEVER,
    NONE,
    VALUE,
    Memo,
    begin_memo,
    kept,
)
from policies.montsegur.plans import begin_plan, plan_action, plan_edge, plan_force, plan_slot, points_plan, value_plan
from policies.montsegur.redeploy import answer_pick, answer_strength
from simlab.compiler import kernel, small_kernel
from simlab.game import Cards, Knobs, State, Trait
from simlab.games.montsegur import state as s
from simlab.games.montsegur.board import bonus_met, flanking, least_crusaders
from simlab.games.montsegur.deck import card_cp, card_program, card_symbols
from simlab.games.montsegur.effects import CTRL, IF, OP_A, OP_CODE, OP_KIND, OP_WHO, ROLE_CRU
from simlab.games.montsegur.events import number

FAITH_WORTH_A_REDRAW = 5  # INQUISITION: up to this Faith a failed Repentance Check is redrawn
KEPT_FOR_THE_CREST = 2.0  # CREST stacks cards that need Crusaders on the Crest: it intends to keep them off
LATE, AHEAD = 4, 2  # from this turn and Morale lead on, the last play of a turn is worth more than the first
# Ranks of locations: lower is taken first; the four strongholds are 0 to 3, the way out 4.
PERIMETER_RANK, LAST_RANK = 10, 31
NOT_EMPTIED = 100  # after all locations that are emptied
NOT_THE_NORTH = 100  # more than the number of soldiers anywhere


@small_kernel
def wants_plan(state: State) -> bool:
    """Whether the decision is one of those that a plan settles."""
    kind = state.decision
    if kind == s.D_PLAY or kind == s.D_ACTION:
        return True
    return (kind == s.D_EDGE or kind == s.D_FORCE) and state.in_event == 0


@kernel
def follow(state: State, knobs: Knobs, cards: Cards, memo: Memo, side: int, plan: int, style: int) -> int:
    """The next step of a list's plan, or of the plan of `value` if the list has none.

    If another bot played up to here, the card in play, the action begun or the edge may not match the plan. The bot
    then makes the move that `value` would make with the points in play.
    """
    if state.decision == s.D_PLAY:
        if plan == NONE:
            plan = value_plan(state, knobs, cards, memo, side, style)
        slot = plan_slot(plan)
        if slot == COMMANDER:
            return s.PLAY_COMMANDER
        return slot if plan_action(plan) == EVENT else s.PLAY_CP + slot
    if plan == NONE or not spends_card_in_play(state, memo, plan):
        plan = points_plan(state, knobs, cards, memo, side, s.ZERO, np.int64(state.cp), style)
    if state.decision == s.D_ACTION:
        return plan_action(plan)
    if state.decision == s.D_EDGE:
        if plan_action(plan) == s.ATTACK:
            return plan_edge(plan)
        return unplanned_edge(state, knobs, cards, memo, side, style)
    if plan_action(plan) == s.ATTACK and plan_edge(plan) == state.attack_edge:
        return plan_force(plan) - 1
    return best_force(state, knobs, cards, side, style)


@kernel
def spends_card_in_play(state: State, memo: Memo, plan: int) -> bool:
    """Whether a plan spends the points of the card, or commander, that was played for them."""
    slot = plan_slot(plan)
    if plan_action(plan) == EVENT:
        return False
    if slot == COMMANDER:
        return state.card == s.NO_CARD
    return memo["hand"][slot] == state.card


@kernel
def unplanned_edge(state: State, knobs: Knobs, cards: Cards, memo: Memo, side: int, style: int) -> int:
    """The edge of an attack that the bot would not have begun: its best edge or, if it would not attack, that of
    `value`.
    """
    work_out_attacks(state, knobs, cards, memo, side, style)
    points = np.int64(state.cp)
    edge = np.int64(memo["edge"][points])
    if edge == NONE:
        _score, edge, _force = best_attack(state, knobs, cards, side, points, s.ZERO, s.ZERO, s.ALL_LOCATIONS, VALUE)
    return edge


@kernel
def follow_value(state: State, knobs: Knobs, cards: Cards, style: int) -> int:
    """Like `follow`, without a list: once a card is in play, only its points matter."""
    side = np.int64(state.seat)
    scratch = np.empty(1, MEMO)
    memo = scratch[0]
    if state.decision == s.D_PLAY:
        begin_plan(state, knobs, cards, memo, side)
    else:
        begin_memo(state, knobs, cards, memo)
    return kept(follow(state, knobs, cards, memo, side, NONE, style), scratch)


@kernel
def best_force(state: State, knobs: Knobs, cards: Cards, side: int, style: int) -> int:
    """The best force over the edge that was chosen."""
    edge = np.int64(state.attack_edge)
    best, best_number = NEVER, 1
    bonus = bonus_met(state, knobs, cards, side, edge, np.int64(state.attack_less), np.int64(state.attack_bare))
    off = flanking(state, knobs, cards, side, edge)
    for force in range(1, np.int64(state.n_legal) + 1):
        score = attack_score(state, side, cards.edge_to[edge], force, bonus, off, style)
        if score > best + CLOSE:
            best, best_number = score, force
    return best_number - 1


@kernel
def answer_event_attack(state: State, knobs: Knobs, cards: Cards, side: int, style: int) -> int:
    """The best attack that an event offers; declined if worth less than 0.5."""
    score, edge, _force = best_attack(
        state, knobs, cards, side, np.int64(state.attack_cp), np.int64(state.attack_less),
        np.int64(state.attack_bare), np.int64(state.attack_at), style,
    )  # fmt: skip
    return edge if score >= prices.WORTH_ATTACKING - CLOSE else s.DECLINE_ATTACK


@kernel
def answer_redraw(state: State, knobs: Knobs, cards: Cards, side: int, style: int) -> int:
    """Always redraws, unless the marker decides the lead in the strategy count."""
    repentance = state.check == s.REPENTANCE or state.check == s.LAST_REPENTANCE
    if style == INQUISITION and repentance and state.faith <= FAITH_WORTH_A_REDRAW:
        return 1
    if style == FAITHFUL and state.markers[side] < knobs.redraw_cost + knobs.trigger_cost:  # one trigger is kept
        return 0
    if state.check == s.LAST_REPENTANCE:
        lead = np.int64(state.markers[side]) - state.markers[1 - side] - state.stack_len[1 - side]
        for at in range(state.stack_len[side]):
            lead += card_symbols(knobs, cards, np.int64(state.stack[side, at]), side)
        if 1 <= lead <= knobs.redraw_cost:
            return 0
    return 1


@kernel
def answer_strategy(state: State, knobs: Knobs, cards: Cards, side: int, style: int) -> int:
    scratch = np.empty(1, MEMO)
    memo = scratch[0]
    begin_memo(state, knobs, cards, memo)
    best, best_slot = NEVER, 0
    for slot in range(state.hand_len[side]):
        card = np.int64(state.hand[side, slot])
        worth = prices.STACKED_SYMBOL * card_symbols(knobs, cards, card, side)
        worth -= prices.STACKED_POINT * card_cp(knobs, cards, card)
        worth += prices.STACKED_DANGER * danger(state, knobs, cards, memo, card, side)
        if style == CREST and waits_for_crest(knobs, cards, card):
            worth += KEPT_FOR_THE_CREST
        if worth > best + CLOSE:
            best, best_slot = worth, slot
    return kept(best_slot, scratch)


@kernel
def waits_for_crest(knobs: Knobs, cards: Cards, card: int) -> bool:
    """Whether a card's event needs the Crusaders on the Crest."""
    at = card_program(knobs, cards, card)
    return (
        cards.op[at, OP_CODE] == IF
        and cards.op[at, OP_KIND] == CTRL
        and cards.op[at, OP_WHO] == ROLE_CRU
        and cards.op[at, OP_A] == s.CRE
    )


@kernel
def cheapest_exit(state: State, cards: Cards) -> int:
    """The perimeter location of the Cathars' best path; ties in the order WP, SP, SE, NE, NP."""
    least = least_crusaders(state, cards)
    best, best_rank = NONE, LAST_RANK
    for route in range(cards.n_routes):
        if not cards.route_caves[route] or state.caves[s.CAT]:
            total = 0
            for step in range(cards.route_len[route]):
                total += np.int64(state.soldiers[s.CRU, cards.route[route, step]])
            place = cards.route[route, cards.route_len[route] - 1]
            rank = place if place != s.NP else LAST_RANK - 1
            if total == least and rank < best_rank:
                best, best_rank = place, rank
    return best


@kernel
def victim_rank(place: int, victim: int, exit_place: int) -> int:
    """Order in which soldiers are taken: lower first."""
    if place == s.CRE:
        return 0
    if place == s.EW:
        return 1
    if place == s.WW:
        return 2
    if place == s.RDT:
        return 3
    if place == s.CC:
        return LAST_RANK - 1 if victim == s.CAT else LAST_RANK
    if place == s.MC:
        return LAST_RANK if victim == s.CAT else LAST_RANK - 1
    if victim == s.CRU and place == exit_place:
        return 4
    return PERIMETER_RANK + place


@kernel
def answer_victim(state: State, cards: Cards, victim: int, hits: int) -> int:
    """Prefers a location that the loss empties (except command centres), then any location."""
    exit_place = cheapest_exit(state, cards) if victim == s.CRU else NONE
    best, best_rank = np.int64(state.legal[0]), 2 * NOT_EMPTIED
    for i in range(state.n_legal):
        place = np.int64(state.legal[i])
        rank = victim_rank(place, victim, exit_place)
        if state.soldiers[victim, place] > hits or place == s.MC or place == s.CC:
            rank += NOT_EMPTIED
        if rank < best_rank:
            best, best_rank = place, rank
    return best


@kernel
def answer_ring(state: State) -> int:
    """The emptiest of the four ways out; NP only if there is no other."""
    best, fewest = np.int64(state.legal[0]), 2 * NOT_THE_NORTH
    for i in range(state.n_legal):
        place = np.int64(state.legal[i])
        held = np.int64(state.soldiers[s.CRU, place]) + (NOT_THE_NORTH if place == s.NP else 0)
        if held < fewest:
            best, fewest = place, held
    return best


@kernel
def answer_start(state: State, side: int) -> int:
    """Chooses itself as start player; late in a game that goes well, it prefers the last play."""
    ahead = np.int64(state.morale[side]) - np.int64(state.morale[1 - side])
    return 1 if state.turn >= LATE and ahead >= AHEAD else 0


@kernel
def answer(state: State, knobs: Knobs, cards: Cards, style: int, trigger: float, preempt: float) -> int:
    """Makes the decisions that no plan settles, which are the same for all styles except where a style has its own."""
    kind = np.int64(state.decision)
    side = np.int64(state.seat)
    if kind == s.D_EDGE:
        return answer_event_attack(state, knobs, cards, side, style)
    if kind == s.D_FORCE:
        return best_force(state, knobs, cards, side, style)
    if kind == s.D_REDEP_PICK:
        return answer_pick(state, cards, side, style)
    if kind == s.D_REDEP_SET:
        return answer_strength(state, side)
    if kind == s.D_TRIGGER:
        return answer_event(state, knobs, cards, side, style, trigger)
    if kind == s.D_PREEMPT:
        return answer_event(state, knobs, cards, 1 - side, VALUE, preempt)
    if kind == s.D_STRATEGY:
        return answer_strategy(state, knobs, cards, side, style)
    if kind == s.D_REDRAW:
        return answer_redraw(state, knobs, cards, side, style)
    if kind == s.D_INIT:
        return answer_start(state, side)
    if kind == s.D_STRIKE:
        hits = number(state, knobs, cards, np.int64(state.card), np.int64(state.op_now))
        return answer_victim(state, cards, 1 - side, hits)
    if kind == s.D_DESERT:
        return answer_victim(state, cards, 1 - side, s.ONE)
    if kind == s.D_RING:
        return answer_ring(state)
    return answer_escape_offer(state, knobs, cards, style)


@kernel
def answer_event(state: State, knobs: Knobs, cards: Cards, side: int, style: int, least: float) -> int:
    """Whether the event of the card in play is worth at least this much to a side, to trigger it or to preempt the
    enemy."""
    scratch = np.empty(1, MEMO)
    memo = scratch[0]
    begin_memo(state, knobs, cards, memo)
    worth = event_worth(state, knobs, cards, memo, np.int64(state.card), side, style)
    return kept(1 if worth >= least - CLOSE else 0, scratch)


@kernel
def answer_escape_offer(state: State, knobs: Knobs, cards: Cards, style: int) -> int:
    scratch = np.empty(1, MEMO)
    memo = scratch[0]
    begin_memo(state, knobs, cards, memo)
    points = number(state, knobs, cards, np.int64(state.card), np.int64(state.op_now))
    return kept(1 if would_escape(state, memo, points, style) else 0, scratch)


def thresholds(trigger: float = 2.0, preempt: float = 4.0) -> dict[str, Trait]:
    return {
        "trigger": Trait(trigger, 0.0, 10.0, "triggers an event worth at least this to itself, in command points"),
        "preempt": Trait(preempt, 0.0, 20.0, "preempts an event worth at least this to the enemy, in command points"),
    }
