"""Plans, each of which combines card, use, action, edge and force; and the cards that the lines of a list choose.

A bot has no memory, so it rebuilds its plan at each decision of a play, as if the card in play were back in its
hand."""

from __future__ import annotations

import numpy as np

from policies.montsegur import prices
from policies.montsegur.attacks import conquerors, top_force
from policies.montsegur.events import event_worth, keep_worth
from policies.montsegur.measures import CLOSE, COMMANDER, EVENT, NEVER, NONE, Memo, begin_memo, escape_chance
from policies.montsegur.points import points_worth
from policies.montsegur.redeploy import PAIR, has_plan
from simlab.compiler import kernel, small_kernel
from simlab.game import Cards, Knobs, State
from simlab.games.montsegur.board import attack_edges, bonus_met, centre, lowest, room
from simlab.games.montsegur.deck import card_cp, card_symbols
from simlab.games.montsegur.state import ATTACK, CONSOLE, D_PLAY, ESCAPE, MAX_FORCE, NO_CARD, ONE, REDEPLOY, ZERO

COMMANDER_FROM = 3  # points needed before the commander is worth calling
OUT_OF_REACH = 99  # points that no card has


@small_kernel
def make_plan(slot: int, action: int, edge: int, force: int) -> int:
    return slot | action << 8 | edge << 12 | force << 20


@small_kernel
def plan_slot(plan: int) -> int:
    return plan & 255


@small_kernel
def plan_action(plan: int) -> int:
    return (plan >> 8) & 15


@small_kernel
def plan_edge(plan: int) -> int:
    return (plan >> 12) & 255


@small_kernel
def plan_force(plan: int) -> int:
    return plan >> 20


@kernel
def points_plan(
    state: State, knobs: Knobs, cards: Cards, memo: Memo, side: int, slot: int, points: int, style: int
) -> int:
    """The plan that spends a card's points as `value` would."""
    points_worth(state, knobs, cards, memo, side, points, style)
    action = np.int64(memo["action"][points])
    if action == ATTACK:
        return make_plan(slot, ATTACK, np.int64(memo["edge"][points]), np.int64(memo["force"][points]))
    return make_plan(slot, action, ZERO, ZERO)


@kernel
def value_plan(state: State, knobs: Knobs, cards: Cards, memo: Memo, side: int, style: int) -> int:
    """VALUE: the highest of events (V less symbols), points (A less keep) and the commander."""
    held, commander = np.int64(memo["held"]), memo["commander"]
    best = NEVER
    plan = NONE
    for slot in range(held):
        worth = event_worth(state, knobs, cards, memo, memo["hand"][slot], side, style)
        worth -= card_symbols(knobs, cards, memo["hand"][slot], side)
        if worth > best + CLOSE:
            best = worth
            plan = make_plan(slot, EVENT, ZERO, ZERO)
    chosen = NONE
    for slot in range(held):
        points = card_cp(knobs, cards, memo["hand"][slot])
        worth = points_worth(state, knobs, cards, memo, side, points, style)
        if worth > best + CLOSE:  # keep is never negative
            worth -= keep_worth(state, knobs, cards, memo, memo["hand"][slot], side)
            if worth > best + CLOSE:
                best = worth
                chosen = slot
    if commander:
        points = np.int64(knobs.commander_cp)
        worth = points_worth(state, knobs, cards, memo, side, points, style) - (
            prices.COMMANDER_SAVED - prices.COMMANDER_BY_TURN * state.turn
        )
        if worth > best + CLOSE:
            chosen = COMMANDER
    if chosen == COMMANDER:
        return points_plan(state, knobs, cards, memo, side, COMMANDER, np.int64(knobs.commander_cp), style)
    if chosen != NONE:
        return points_plan(state, knobs, cards, memo, side, chosen, card_cp(knobs, cards, memo["hand"][chosen]), style)
    return plan


@kernel
def begin_plan(state: State, knobs: Knobs, cards: Cards, memo: Memo, side: int) -> None:
    """Fills the memo, with hand, commander and markers as before the card in play was announced."""
    begin_memo(state, knobs, cards, memo)
    held = np.int64(state.hand_len[side])
    for slot in range(held):
        memo["hand"][slot] = state.hand[side, slot]
    memo["commander"] = state.commander[side]
    memo["markers"] = state.markers[side]
    if state.decision != D_PLAY:
        if state.preempted:
            memo["markers"] += knobs.preempt_cost
        if state.card == NO_CARD:
            memo["commander"] = 1
        else:
            at = held
            while at > 0 and memo["hand"][at - 1] > state.card:
                memo["hand"][at] = memo["hand"][at - 1]
                at -= 1
            memo["hand"][at] = state.card
            held += 1
    memo["held"] = held


@small_kernel
def slot_points(knobs: Knobs, cards: Cards, memo: Memo, slot: int) -> int:
    """Points of a hand slot or the commander; 0 for no card."""
    if slot == COMMANDER:
        return np.int64(knobs.commander_cp)
    if slot == NONE:
        return 0
    return card_cp(knobs, cards, memo["hand"][slot])


@kernel
def dearest(state: State, knobs: Knobs, cards: Cards, memo: Memo, side: int) -> int:
    """`top`: the highest points, then the least keep, then the lowest slot."""
    return least_kept(state, knobs, cards, memo, side, ONE, MAX_FORCE, True)


@kernel
def cheapest(state: State, knobs: Knobs, cards: Cards, memo: Memo, side: int, points: int) -> int:
    """`cheapest`: the fewest points that are at least `points`, with the same ties."""
    return least_kept(state, knobs, cards, memo, side, points, MAX_FORCE, False)


@kernel
def least_kept(
    state: State,
    knobs: Knobs,
    cards: Cards,
    memo: Memo,
    side: int,
    low: int,
    high: int,
    down: bool,
) -> int:
    """The card with the highest (`down`) or lowest points in a range; ties: the least keep."""
    for step in range(high - low + 1):
        points = high - step if down else low + step
        best = NONE
        least = 0.0
        for slot in range(memo["held"]):
            if card_cp(knobs, cards, memo["hand"][slot]) == points:
                keep = keep_worth(state, knobs, cards, memo, memo["hand"][slot], side)
                if best == NONE or keep < least - CLOSE:
                    best, least = slot, keep
        if best != NONE:
            return best
    return NONE


@kernel
def commander_or_dearest(state: State, knobs: Knobs, cards: Cards, memo: Memo, side: int) -> int:
    """`top5`."""
    if memo["commander"]:
        return COMMANDER
    return dearest(state, knobs, cards, memo, side)


@kernel
def spend(state: State, knobs: Knobs, cards: Cards, memo: Memo, side: int, points: int) -> int:
    """`spend(k)`: the card with the least keep and waste, else the commander for 3 or more, else the most expensive
    card.
    """
    best = NONE
    least = 0.0
    for slot in range(memo["held"]):
        over = card_cp(knobs, cards, memo["hand"][slot]) - points
        if over >= 0:
            cost = keep_worth(state, knobs, cards, memo, memo["hand"][slot], side) + prices.WASTE * over
            if best == NONE or cost < least - CLOSE:
                best, least = slot, cost
    if best != NONE:
        return best
    if memo["commander"] and (points >= COMMANDER_FROM or memo["held"] == 0):
        return COMMANDER
    return dearest(state, knobs, cards, memo, side)


@small_kernel
def cost_of_two_scouts(knobs: Knobs) -> int:
    return np.int64(knobs.scout_first_cost) + np.int64(knobs.scout_next_cost)


@kernel
def action_plan(state: State, knobs: Knobs, cards: Cards, memo: Memo, side: int, slot: int, action: int) -> int:
    """A plan for an action without a further choice; NONE if the points or the position do not allow it."""
    points = slot_points(knobs, cards, memo, slot)
    if points == 0:
        return NONE
    if action == REDEPLOY and (points < PAIR or not has_plan(state, cards, side)):
        return NONE
    if action == ESCAPE and state.montsegur == 0:
        return NONE
    if action == CONSOLE and points < knobs.aspire_cost:
        return NONE
    return make_plan(slot, action, ZERO, ZERO)


@kernel
def take_plan(
    state: State,
    knobs: Knobs,
    cards: Cards,
    memo: Memo,
    side: int,
    place: int,
    least: int,
    most: int,
) -> int:
    """`take(L, m)`: the cheapest card, else the commander, that leaves `least` soldiers there; `most` are sent."""
    if state.no_attack:
        return NONE
    most = min(most, np.int64(state.soldiers[side, centre(side)]), MAX_FORCE)
    edges = attack_edges(state, cards, side, np.int64(1) << place)
    best, fewest = NONE, most + 1
    while edges:
        edge = lowest(edges)
        edges &= edges - 1
        bonus = bonus_met(state, knobs, cards, side, edge, ZERO, ZERO)
        for force in range(1, top_force(state, knobs, cards, side, edge, most, bonus) + 1):
            left = conquerors(state, knobs, cards, side, edge, force, ZERO, ZERO)
            if min(left, room(state, place)) >= least and force < fewest:
                best, fewest = edge, force
    if best == NONE:
        return NONE
    slot = cheapest(state, knobs, cards, memo, side, fewest)
    if slot == NONE and memo["commander"] and knobs.commander_cp >= fewest:
        slot = COMMANDER
    if slot == NONE:
        return NONE
    return make_plan(slot, ATTACK, best, fewest)


@kernel
def least_points_escape(state: State, memo: Memo, odds: float) -> int:
    """The fewest points with at least this chance of escape; 99 for none."""
    for points in range(1, MAX_FORCE + 1):
        if escape_chance(state, memo, points) >= odds - CLOSE:
            return points
    return OUT_OF_REACH
