"""Simple Siege, in the order of its rulebook: set-up, the turn, the actions of both sides, Fate, the end.

A deck is a set whose order is not fixed in advance: the place of a card is drawn from the deck's own stream when the
card is taken or looked at. This is equivalent to a shuffle, costs less, and leaves nothing for a bot to peek at.
"""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel, small_kernel
from simlab.engine.streams import count_rule, draw_card_between, offer, redraw_below, redraw_order
from simlab.game import Cards, Knobs, Row, State
from simlab.games.simple_siege import rule
from simlab.games.simple_siege import state as s

ONE = np.int64(1)

# --- Set-up -------------------------------------------------------------------


@kernel
def initial_state(state: State, knobs: Knobs, cards: Cards) -> None:
    """SS-SET: decks, Fate deck, counters in the stack, walls; then the first decision."""
    count_rule(state, rule.SS_SET_01)
    set_up_deck(state, knobs, s.BESIEGER)
    set_up_deck(state, knobs, s.BESIEGED)
    set_up_fate(state, knobs, cards)
    set_up_counters(state, knobs, cards)
    state.walls = knobs.walls_start
    count_rule(state, rule.SS_SET_07)
    count_rule(state, rule.SS_SET_08)
    count_rule(state, rule.SS_SET_09)
    state.winner = -1
    state.attacker = -1
    state.ending = s.NONE
    state.turn = 1
    begin_besieger(state, knobs)


@kernel
def set_up_deck(state: State, knobs: Knobs, side: int) -> None:
    """SS-SET-02: the number cards of one pack, without court cards and Jokers."""
    count_rule(state, rule.SS_SET_02)
    size = 0
    for suit in range(4):
        for value in range(knobs.max_rank):
            state.deck[side, size] = suit * 10 + value
            size += 1
    state.deck_len[side] = size


@kernel
def set_up_fate(state: State, knobs: Knobs, cards: Cards) -> None:
    """SS-SET-04, SS-SET-05: the court cards and Jokers of one pack, or of both."""
    count_rule(state, rule.SS_SET_04)
    sets = 1 + knobs.fate_sets
    if sets == 1:
        count_rule(state, rule.SS_SET_05)
    size = 0
    for kind in range(cards.fate_kinds):
        if knobs.fate_jokers or not cards.fate_joker[kind]:
            for _ in range(sets * cards.fate_copies[kind]):
                state.fate[size] = kind
                size += 1
    state.fate_len = size
    state.fate_left = size
    state.fate_card = -1


@kernel
def set_up_counters(state: State, knobs: Knobs, cards: Cards) -> None:
    """SS-SET-06, SS-EQP-02: all counters start in the stack; sets their modifiers and prices under the knobs."""
    count_rule(state, rule.SS_SET_06)
    state.modifier[0] = knobs.mod_mine
    state.modifier[1] = knobs.mod_tower
    state.modifier[2] = knobs.mod_ladders
    state.modifier[3] = knobs.mod_trebuchet
    state.modifier[4] = knobs.mod_catapult
    state.modifier[5] = knobs.mod_ammunition
    state.modifier[6] = knobs.mod_camp1
    state.modifier[7] = knobs.mod_camp2
    state.modifier[8] = knobs.mod_camp3
    state.price[0] = knobs.cost_mine
    state.price[1] = knobs.cost_tower
    state.price[2] = knobs.cost_ladders
    state.price[3] = knobs.cost_trebuchet
    state.price[4] = knobs.cost_catapult
    state.price[5] = knobs.cost_ammunition
    state.price[6] = knobs.cost_camp1
    state.price[7] = knobs.cost_camp2
    state.price[8] = knobs.cost_camp3
    for counter in range(s.COUNTERS):
        if knobs.equipment_cost_model == 0:
            state.price[counter] = state.modifier[counter]
        elif knobs.equipment_cost_model == 1:
            state.price[counter] = state.modifier[counter] + 1
        elif knobs.equipment_cost_model == 2:
            state.price[counter] = 2 * state.modifier[counter]
        if state.price[counter] < 1:
            state.price[counter] = 1
        if state.price[counter] > state.dearest:
            state.dearest = state.price[counter]


# --- Cards and decks ----------------------------------------------------------


@kernel
def is_red(card: int) -> bool:
    suit = card // 10
    return suit == s.HEARTS or suit == s.DIAMONDS


@kernel
def card_value(state: State, knobs: Knobs, card: int) -> int:
    """SS-SET-03: the number on the card; an Ace is 1, or 11 under `ace_value`."""
    value = np.int64(card % 10 + 1)
    if value == 1:
        count_rule(state, rule.SS_SET_03)
        if knobs.ace_value == 1:
            value = 11
    return value


@kernel
def deck_top(state: State, side: int) -> int:
    """SS-DCK-01: removes the top card of a deck that is not empty."""
    count_rule(state, rule.SS_DCK_01)
    fix_places(state, side, ONE)
    state.deck_len[side] -= 1
    state.ordered[side] -= 1
    if state.known_top[side] > 0:
        state.known_top[side] -= 1
    if state.deck_len[side] == 0:
        count_rule(state, rule.SS_DCK_04)
    return np.int64(state.deck[side, state.deck_len[side]])


@kernel
def fix_places(state: State, side: int, places: int) -> None:
    """Fixes which cards are on the top places of a deck, from the top down."""
    for above in range(state.ordered[side], places):
        high = np.int64(state.deck_len[side]) - above
        if high == state.main_low[side]:
            dissolve_batch(state, side)
        low = np.int64(state.main_low[side])
        place = low + draw_card_between(state, s.BESIEGER_DECK_STREAM + side, state.deck[side], low, high)
        card = state.deck[side, place]
        state.deck[side, place] = state.deck[side, high - 1]
        state.deck[side, high - 1] = card
        state.ordered[side] = above + 1


@kernel
def dissolve_batch(state: State, side: int) -> None:
    """When the main part is used up, the next batch below takes its place."""
    state.main_low[side] -= state.batch_len[side, 0]
    state.batches[side] -= 1
    for i in range(state.batches[side]):
        state.batch_len[side, i] = state.batch_len[side, i + 1]


@kernel
def lay_down(state: State, side: int, card: int) -> None:
    """Puts a card face up on its owner's pile."""
    state.pile[side, state.pile_len[side]] = card
    state.pile_len[side] += 1


@kernel
def take(state: State, side: int) -> int:
    """SS-DCK-02: the top card goes from the deck to the pile; returns -1 if there is none, and the side loses the
    game."""
    if state.deck_len[side] == 0:
        count_rule(state, rule.SS_DCK_02)
        if state.pile_len[side] > 0:
            count_rule(state, rule.SS_DCK_06)
        lose(state, side)
        return -1
    card = deck_top(state, side)
    lay_down(state, side, card)
    return card


@kernel
def pay(state: State, side: int, number: int) -> None:
    """A fixed cost, card by card."""
    for _ in range(number):
        take(state, side)


@kernel
def suffer(state: State, knobs: Knobs, side: int, number: int) -> None:
    """SS-DCK-03: a penalty, card by card; under `forced_discard_shortfall` it stops at the empty deck."""
    if number > 1:
        count_rule(state, rule.SS_DCK_03)
    for _ in range(number):
        if state.deck_len[side] == 0 and knobs.forced_discard_shortfall == 1:
            return
        if take(state, side) < 0:
            return


# --- The turn -----------------------------------------------------------------


@kernel
def begin_besieger(state: State, knobs: Knobs) -> None:
    """SS-TRN-01: phase 1, the Besieger's action."""
    count_rule(state, rule.SS_TRN_01)
    state.seat = s.BESIEGER
    state.decision = s.BESIEGER_ACTS
    cards_left = state.deck_len[s.BESIEGER]
    if cards_left == 0:
        count_rule(state, rule.SS_TRN_04)
        take(state, s.BESIEGER)
        return
    if cards_left < knobs.assault_entry_cost + 1 or (
        cards_left < state.dearest and a_counter_is_too_dear(state, cards_left)
    ):
        count_rule(state, rule.SS_TRN_03)
    if state.walls <= knobs.walls_floor:
        count_rule(state, rule.SS_WAL_02)
    if state.walls == 0:
        count_rule(state, rule.SS_WAL_03)


@kernel
def a_counter_is_too_dear(state: State, cards_left: int) -> bool:
    """SS-TRN-03: whether a counter in the stack costs more than the deck holds."""
    for counter in range(s.COUNTERS):
        if not state.built[counter] and state.modifier[counter] > 0 and state.price[counter] > cards_left:
            return True
    return False


@kernel
def begin_besieged(state: State, knobs: Knobs) -> None:
    """SS-TRN-01: phase 2, the Besieged's action."""
    state.seat = s.BESIEGED
    state.decision = s.BESIEGED_ACTS
    if state.deck_len[s.BESIEGED] == 0:
        count_rule(state, rule.SS_TRN_04)
        take(state, s.BESIEGED)
        return
    if state.walls >= knobs.walls_max:
        count_rule(state, rule.SS_WAL_02)
    elif state.deck_len[s.BESIEGED] < knobs.repair_cost:
        count_rule(state, rule.SS_TRN_03)


@kernel
def end_action(state: State, knobs: Knobs, cards: Cards, side: int) -> None:
    """After a side's action: the other side's action, or Fate and a new turn."""
    if state.over:
        return
    if side == s.BESIEGER:
        begin_besieged(state, knobs)
        return
    turn_fate(state, knobs, cards)
    if not state.over:
        count_rule(state, rule.SS_TRN_06)
        state.turn += 1
        begin_besieger(state, knobs)


@small_kernel
def legal_actions(state: State, knobs: Knobs, cards: Cards) -> None:
    """The options of the pending decision, in ascending order (ledger section 4)."""
    if state.decision == s.BESIEGER_ACTS:
        offer_besieger_actions(state, knobs, cards)
    elif state.decision == s.BESIEGED_ACTS:
        offer_besieged_actions(state, knobs)
    elif state.decision == s.ASSAULT_SIZE:
        for size in range(min(knobs.assault_max_cards, np.int64(state.deck_len[s.BESIEGER]))):
            offer(state, size)
    elif state.decision == s.BESIEGED_DEFENDS:
        for number in range(min(most_defenders(state, knobs), np.int64(state.deck_len[s.BESIEGED])) + 1):
            offer(state, number)
    elif state.decision == s.BESIEGER_DEFENDS:
        for number in range(min(most_defenders(state, knobs), np.int64(state.deck_len[s.BESIEGER])) + 1):
            offer(state, number)
    elif state.decision == s.PLAN_PICK:
        for place in range(state.plan_cards - state.plan_placed):
            offer(state, place)
    elif state.decision == s.PLAN_MENU:
        for order in range(5):
            offer(state, order)
    elif state.decision == s.DESTROY:
        for counter in range(s.COUNTERS):
            if state.built[counter] and not like_one_below(state, cards, counter, True):
                offer(state, counter)


@small_kernel
def offer_besieger_actions(state: State, knobs: Knobs, cards: Cards) -> None:
    """SS-D-01: offers actions whose fixed cost can be paid (SS-TRN-03), walls above the floor (SS-WAL-02), unbuilt
    counters."""
    left = state.deck_len[s.BESIEGER]
    offer(state, s.BESIEGE)
    offer(state, s.BGR_PLAN)
    if state.walls > knobs.walls_floor:
        offer(state, s.BOMBARD_WALLS)
    offer(state, s.BOMBARD_ENEMY)
    if left >= knobs.assault_entry_cost + 1:
        offer(state, s.STORM)
    offer(state, s.RESUPPLY)
    for counter in range(s.COUNTERS):
        if (
            not state.built[counter]
            and state.modifier[counter] > 0
            and state.price[counter] <= left
            and not like_one_below(state, cards, counter, False)
        ):
            offer(state, s.CONSTRUCT + counter)


@small_kernel
def offer_besieged_actions(state: State, knobs: Knobs) -> None:
    """SS-D-05."""
    offer(state, s.WAIT)
    if state.walls < knobs.walls_max and state.deck_len[s.BESIEGED] >= knobs.repair_cost:
        offer(state, s.REPAIR)
    offer(state, s.BGD_PLAN)
    for counter in range(s.COUNTERS):
        if state.built[counter]:
            offer(state, s.SALLY_EQUIPMENT)
            break
    offer(state, s.SALLY_ENEMY)
    offer(state, s.RATIONING)


@kernel
def like_one_below(state: State, cards: Cards, counter: int, built: int) -> bool:
    """Whether a Camp Defence of lower index has the same modifier, price and built state. Only the lowest of these is
    offered.
    """
    if cards.group[counter] != s.CAMP_GROUP or counter < s.CAMP_1:
        return False
    for other in range(s.CAMP_1, counter):
        if (
            state.built[other] == built
            and cards.group[other] == s.CAMP_GROUP
            and state.modifier[other] == state.modifier[counter]
            and state.price[other] == state.price[counter]
        ):
            return True
    return False


@small_kernel
def apply_action(state: State, knobs: Knobs, cards: Cards, action: int) -> None:
    """One decision, and everything that follows up to the next one or the end."""
    if state.decision == s.BESIEGER_ACTS:
        besieger_action(state, knobs, cards, action)
    elif state.decision == s.BESIEGED_ACTS:
        besieged_action(state, knobs, cards, action)
    elif state.decision == s.ASSAULT_SIZE:
        throw_assault(state, knobs, action + 1)
    elif state.decision == s.BESIEGED_DEFENDS or state.decision == s.BESIEGER_DEFENDS:
        defend(state, knobs, cards, action)
    elif state.decision == s.PLAN_PICK:
        plan_pick(state, knobs, cards, action)
    elif state.decision == s.PLAN_MENU:
        plan_menu(state, knobs, cards, action)
    else:
        destroy(state, knobs, cards, action)


# --- 1. Besieger's actions ----------------------------------------------------


@small_kernel
def besieger_action(state: State, knobs: Knobs, cards: Cards, action: int) -> None:
    """SS-TRN-02: exactly one action per turn."""
    count_rule(state, rule.SS_TRN_02)
    if action == s.BESIEGE:
        count_rule(state, rule.SS_BGR_01)
        pay(state, s.BESIEGER, ONE)
        end_action(state, knobs, cards, s.BESIEGER)
    elif action == s.BGR_PLAN:
        count_rule(state, rule.SS_BGR_03)
        plan(state, knobs, cards, s.BESIEGER)
    elif action == s.BOMBARD_WALLS:
        count_rule(state, rule.SS_BGR_04)
        attack(state, knobs, s.BESIEGER, ONE, action)
    elif action == s.BOMBARD_ENEMY:
        count_rule(state, rule.SS_BGR_05)
        attack(state, knobs, s.BESIEGER, ONE, action)
    elif action == s.STORM:
        enter_assault(state, knobs)
    elif action == s.RESUPPLY:
        count_rule(state, rule.SS_BGR_11)
        resupply(state, knobs, cards, s.BESIEGER)
    else:
        construct(state, knobs, cards, action - s.CONSTRUCT)


@small_kernel
def construct(state: State, knobs: Knobs, cards: Cards, counter: int) -> None:
    """SS-BGR-02, SS-EQP-01: pays the price and puts the counter in play."""
    count_rule(state, rule.SS_BGR_02)
    count_rule(state, rule.SS_EQP_01)
    count_rule(state, rule.SS_EQP_02)
    count_rule(state, rule.SS_EQP_06)
    count_rule(state, rule.SS_EQP_09)
    if counter == s.MINE or counter == s.AMMUNITION or counter == s.CAMP_3:
        count_rule(state, rule.SS_EQP_03)
    pay(state, s.BESIEGER, np.int64(state.price[counter]))
    if state.deck_len[s.BESIEGER] == 0:
        count_rule(state, rule.SS_EQP_10)
    state.built[counter] = 1
    state.constructed += 1
    end_action(state, knobs, cards, s.BESIEGER)


@small_kernel
def enter_assault(state: State, knobs: Knobs) -> None:
    """SS-BGR-06, SS-BGR-07: pays the entry cost face up; then the Besieger chooses how many cards to throw."""
    count_rule(state, rule.SS_BGR_06)
    state.assaults += 1
    pay(state, s.BESIEGER, knobs.assault_entry_cost)
    state.seat = s.BESIEGER
    state.decision = s.ASSAULT_SIZE


@small_kernel
def throw_assault(state: State, knobs: Knobs, number: int) -> None:
    """SS-BGR-07, SS-BGR-08."""
    count_rule(state, rule.SS_BGR_07)
    count_rule(state, rule.SS_BGR_08)
    attack(state, knobs, s.BESIEGER, number, s.STORM)


# --- Contests: Bombard, Assault and Sally -------------------------------------


@kernel
def attack(state: State, knobs: Knobs, attacker: int, number: int, action: int) -> None:
    """SS-CON-01: draws the attacker's cards face down, then asks the defender (SS-CON-02)."""
    count_rule(state, rule.SS_CON_01)
    state.contest = action
    state.attacker = attacker
    state.attack_score = -1
    draw_aside(state, attacker, number)
    defender = 1 - attacker
    state.seat = defender
    state.decision = s.BESIEGED_DEFENDS if defender == s.BESIEGED else s.BESIEGER_DEFENDS
    if state.deck_len[defender] < most_defenders(state, knobs):
        count_rule(state, rule.SS_DCK_05)


@kernel
def most_defenders(state: State, knobs: Knobs) -> int:
    """SS-CON-02: the most cards a defender may draw if the deck holds them."""
    return knobs.assault_max_cards if state.contest == s.STORM and state.seat == s.BESIEGED else np.int64(1)


@kernel
def draw_aside(state: State, side: int, number: int) -> None:
    """SS-DCK-07: a contest's cards are set aside until its effect is carried out."""
    for _ in range(number):
        card = deck_top(state, side)
        state.aside[side, state.aside_len[side]] = card
        state.aside_len[side] += 1


@small_kernel
def defend(state: State, knobs: Knobs, cards: Cards, number: int) -> None:
    """SS-CON-02, SS-CON-03: the defender's number, announced at once; then all is revealed."""
    count_rule(state, rule.SS_CON_02)
    count_rule(state, rule.SS_CON_03)
    defender = np.int64(state.seat)
    draw_aside(state, defender, number)
    attacker = 1 - defender
    won = attack_succeeds(state, knobs, cards, attacker)
    if attacker == s.BESIEGER:
        if state.contest == s.STORM:
            settle_assault(state, knobs, won)
        elif state.contest == s.BOMBARD_WALLS:
            settle_bombard_walls(state, knobs, won)
        else:
            settle_bombard_enemy(state, knobs, won)
    else:
        count_rule(state, rule.SS_BGD_08)
        if won and state.contest == s.SALLY_EQUIPMENT:
            state.sallies_won += 1
            state.seat = s.BESIEGED
            state.decision = s.DESTROY
            return
        if won:
            state.sallies_won += 1
            suffer(state, knobs, s.BESIEGER, knobs.sally_penalty)
    end_contest(state, knobs, cards, attacker)


@small_kernel
def attack_succeeds(state: State, knobs: Knobs, cards: Cards, attacker: int) -> bool:
    """SS-CON-04 to SS-CON-06: the attacker needs strictly more."""
    count_rule(state, rule.SS_CON_04)
    defender = 1 - attacker
    attack_score = cards_aside(state, knobs, attacker)
    if attacker == s.BESIEGER:
        group = s.ASSAULT_GROUP if state.contest == s.STORM else s.BOMBARD_GROUP
        attack_score += strength(state, cards, group)
        static = np.int64(state.walls)
    else:
        static = strength(state, cards, s.CAMP_GROUP)
    defence_score = cards_aside(state, knobs, defender)
    if state.aside_len[defender] > 0 or knobs.static_defence_when_declining:
        defence_score += static
        if static > 0:
            if attacker == s.BESIEGER:
                count_rule(state, rule.SS_WAL_01)
            if state.aside_len[defender] == 0:
                count_rule(state, rule.SS_CON_05)
    state.attack_score = attack_score
    state.defence_score = defence_score
    if attack_score == defence_score:
        count_rule(state, rule.SS_CON_06)
    return attack_score > defence_score


@kernel
def cards_aside(state: State, knobs: Knobs, side: int) -> int:
    total = 0
    for i in range(state.aside_len[side]):
        total += card_value(state, knobs, np.int64(state.aside[side, i]))
    return total


@kernel
def strength(state: State, cards: Cards, group: int) -> int:
    """SS-EQP-04, SS-EQP-05, SS-EQP-08: the built counters of a group add up and stay in play."""
    total = 0
    number = 0
    for counter in range(s.COUNTERS):
        if state.built[counter] and cards.group[counter] == group:
            total += state.modifier[counter]
            number += 1
    if number > 0:
        count_rule(state, rule.SS_EQP_04)
        count_rule(state, rule.SS_EQP_08)
    if number > 1:
        count_rule(state, rule.SS_EQP_05)
    return total


@small_kernel
def settle_bombard_walls(state: State, knobs: Knobs, won: bool) -> None:
    """SS-BGR-04: a success takes `wall_damage` off the walls, down to the floor."""
    if won:
        state.bombards_won += 1
        if state.walls - knobs.wall_damage < knobs.walls_floor:
            count_rule(state, rule.SS_WAL_02)
        state.walls = max(state.walls - knobs.wall_damage, knobs.walls_floor)


@small_kernel
def settle_bombard_enemy(state: State, knobs: Knobs, won: bool) -> None:
    """SS-BGR-05."""
    if won:
        state.bombards_won += 1
        suffer(state, knobs, s.BESIEGED, knobs.bombard_penalty)


@small_kernel
def settle_assault(state: State, knobs: Knobs, won: bool) -> None:
    """SS-BGR-09, SS-BGR-10: the city falls, or the Besieger loses one card more."""
    if won:
        count_rule(state, rule.SS_BGR_09)
        count_rule(state, rule.SS_END_01)
        finish(state, s.BESIEGER, s.ASSAULT)
    else:
        count_rule(state, rule.SS_BGR_10)
        suffer(state, knobs, s.BESIEGER, knobs.assault_fail_cost)


@kernel
def end_contest(state: State, knobs: Knobs, cards: Cards, attacker: int) -> None:
    """SS-CON-07, SS-DCK-07: after the effect, the cards set aside go to their owners' piles, the last drawn on top."""
    if state.over:
        return
    count_rule(state, rule.SS_CON_07)
    count_rule(state, rule.SS_DCK_07)
    for side in range(2):
        for i in range(state.aside_len[side]):
            lay_down(state, side, np.int64(state.aside[side, i]))
        state.aside_len[side] = 0
    end_action(state, knobs, cards, attacker)


# --- 2. Besieged's actions ----------------------------------------------------


@small_kernel
def besieged_action(state: State, knobs: Knobs, cards: Cards, action: int) -> None:
    """SS-TRN-02: exactly one action per turn."""
    count_rule(state, rule.SS_TRN_02)
    if action == s.WAIT:
        count_rule(state, rule.SS_BGD_01)
        pay(state, s.BESIEGED, ONE)
        end_action(state, knobs, cards, s.BESIEGED)
    elif action == s.REPAIR:
        repair(state, knobs, cards)
    elif action == s.BGD_PLAN:
        count_rule(state, rule.SS_BGD_03)
        plan(state, knobs, cards, s.BESIEGED)
    elif action == s.SALLY_EQUIPMENT:
        count_rule(state, rule.SS_BGD_04)
        attack(state, knobs, s.BESIEGED, ONE, action)
    elif action == s.SALLY_ENEMY:
        count_rule(state, rule.SS_BGD_06)
        attack(state, knobs, s.BESIEGED, ONE, action)
    elif action == s.RATIONING:
        count_rule(state, rule.SS_BGD_07)
        resupply(state, knobs, cards, s.BESIEGED)


@small_kernel
def repair(state: State, knobs: Knobs, cards: Cards) -> None:
    """SS-BGD-02: two cards for one point of walls, up to the cap."""
    count_rule(state, rule.SS_BGD_02)
    pay(state, s.BESIEGED, knobs.repair_cost)
    state.repairs += 1
    if state.walls + knobs.repair_gain > knobs.walls_max:
        count_rule(state, rule.SS_WAL_02)
    state.walls = min(state.walls + knobs.repair_gain, knobs.walls_max)
    end_action(state, knobs, cards, s.BESIEGED)


@small_kernel
def destroy(state: State, knobs: Knobs, cards: Cards, counter: int) -> None:
    """SS-BGD-05, SS-EQP-07: the counter goes back to the stack and may be built again."""
    count_rule(state, rule.SS_BGD_05)
    count_rule(state, rule.SS_EQP_07)
    state.built[counter] = 0
    state.destroyed += 1
    end_contest(state, knobs, cards, s.BESIEGED)


# --- Plan ---------------------------------------------------------------------


@kernel
def plan(state: State, knobs: Knobs, cards: Cards, side: int) -> None:
    """SS-PLN-01 to SS-PLN-05: discard a card, look at as many cards as its value, put them back in any order."""
    count_rule(state, rule.SS_PLN_01)
    value = card_value(state, knobs, take(state, side))
    left = np.int64(state.deck_len[side])
    if value > left and knobs.plan_short_deck == 1:
        count_rule(state, rule.SS_DCK_02)
        lose(state, side)
        return
    count_rule(state, rule.SS_PLN_02)
    looked = min(value, left)
    fix_places(state, side, looked)
    if looked > 0:
        count_rule(state, rule.SS_PLN_03)
        count_rule(state, rule.SS_PLN_04)
    if looked > state.known_top[side]:
        state.known_top[side] = looked
    state.plan_cards = looked
    state.plan_placed = 0
    if looked < 2:
        count_rule(state, rule.SS_PLN_05)
        end_action(state, knobs, cards, side)
    elif knobs.plan_mode == 1:
        state.decision = s.PLAN_MENU
    else:
        state.decision = s.PLAN_PICK


@small_kernel
def plan_pick(state: State, knobs: Knobs, cards: Cards, pick: int) -> None:
    """SS-D-04: the picked card goes to the next place from the top; the last card needs no pick."""
    side = np.int64(state.seat)
    top = np.int64(state.deck_len[side]) - 1 - state.plan_placed
    bring_up(state, side, top - pick, top)
    state.plan_placed += 1
    if state.plan_placed == state.plan_cards - 1:
        end_action(state, knobs, cards, side)


@kernel
def bring_up(state: State, side: int, place: int, top: int) -> None:
    """Moves a card up to `top`; those between move down by one."""
    card = state.deck[side, place]
    for i in range(place, top):
        state.deck[side, i] = state.deck[side, i + 1]
    state.deck[side, top] = card


@kernel
def plan_menu(state: State, knobs: Knobs, cards: Cards, order: int) -> None:
    """The five ready-made orders: keep, ascending, descending, storm stack, Hearts first."""
    side = np.int64(state.seat)
    if order > 0:
        for placed in range(state.plan_cards - 1):
            state.plan_placed = placed
            pick = menu_pick(state, knobs, side, order)
            top = np.int64(state.deck_len[side]) - 1 - placed
            bring_up(state, side, top - pick, top)
    end_action(state, knobs, cards, side)


@kernel
def menu_pick(state: State, knobs: Knobs, side: int, order: int) -> int:
    """The next unplaced card in a preset order; cards of equal value keep their current order."""
    placed = np.int64(state.plan_placed)
    top = np.int64(state.deck_len[side]) - 1 - placed
    best = 0
    best_rank = 0
    for pick in range(state.plan_cards - placed):
        card = np.int64(state.deck[side, top - pick])
        value = np.int64(card % 10 + 1)
        if value == 1 and knobs.ace_value == 1:
            value = 11
        if order == 1:
            rank = -value
        elif order == 2:
            rank = value
        elif order == 3:
            rank = value if 1 <= placed <= 3 else -value
        else:
            rank = 100 + value if card // 10 == s.HEARTS else -value
        if pick == 0 or rank > best_rank:
            best = pick
            best_rank = rank
    return best


# --- Resupply and Rationing ---------------------------------------------------


@kernel
def resupply(state: State, knobs: Knobs, cards: Cards, side: int) -> None:
    """SS-RES-01, SS-RES-03, SS-RES-06: discards a card; a Heart stays in the pile and brings black cards back."""
    count_rule(state, rule.SS_RES_01)
    card = take(state, side)
    suit = card // 10
    if suit == s.HEARTS or (suit == s.DIAMONDS and knobs.resupply_suits == 1):
        count_rule(state, rule.SS_RES_03)
        count_rule(state, rule.SS_RES_06)
        recover(state, knobs, side, card_value(state, knobs, card))
    end_action(state, knobs, cards, side)


@kernel
def recover(state: State, knobs: Knobs, side: int, value: int) -> None:
    """SS-RES-02, SS-RES-04, SS-RES-05: black cards from the top of the pile are shuffled and go under the deck."""
    count_rule(state, rule.SS_RES_02)
    trigger = np.int64(state.pile_len[side]) - 1
    last = 0
    if knobs.resupply_reading == 1:
        last = max(trigger - value, 0)
    number = 0
    for place in range(trigger - 1, last - 1, -1):
        if number < value and not is_red(np.int64(state.pile[side, place])):
            number += 1
    if trigger < value or (number < value and knobs.resupply_reading == 0):
        count_rule(state, rule.SS_RES_05)
    if number == 0:
        return
    count_rule(state, rule.SS_RES_04)
    for place in range(state.deck_len[side] - 1, -1, -1):
        state.deck[side, place + number] = state.deck[side, place]
    taken = 0
    place = trigger - 1
    while taken < number:
        card = state.pile[side, place]
        if not is_red(np.int64(card)):
            state.deck[side, taken] = card
            taken += 1
            for above in range(place, state.pile_len[side] - 1):
                state.pile[side, above] = state.pile[side, above + 1]
            state.pile_len[side] -= 1
        place -= 1
    state.deck_len[side] += number
    state.main_low[side] += number
    state.batch_len[side, state.batches[side]] = number
    state.batches[side] += 1
    state.recovered += number


# --- 3. Fate ------------------------------------------------------------------


@small_kernel
def turn_fate(state: State, knobs: Knobs, cards: Cards) -> None:
    """SS-FAT-01 to SS-FAT-10: turns up a Fate card and carries it out; shuffles after the third of a colour."""
    count_rule(state, rule.SS_FAT_01)
    if state.deck_len[s.BESIEGER] == 0 or state.deck_len[s.BESIEGED] == 0:
        count_rule(state, rule.SS_FAT_10)
    place = draw_card_between(state, s.FATE_STREAM, state.fate, np.int64(0), np.int64(state.fate_left))
    state.fate_left -= 1
    kind = np.int64(state.fate[place])
    state.fate_card = kind
    state.fate[place] = state.fate[state.fate_left]
    state.fate[state.fate_left] = kind
    state.fate_seen[cards.fate_colour[kind]] += 1
    if cards.fate_joker[kind]:
        count_rule(state, rule.SS_FAT_07)
    state.fate_phase = 2 if cards.fate_joker[kind] else 1
    for step in range(s.FATE_STEPS):
        if cards.fate_steps[kind, step, 0] != 0 and not state.over:
            fate_step(state, knobs, cards, kind, step)
    if state.over:
        return
    state.fate_phase = 0
    if (
        state.fate_seen[0] >= knobs.fate_reset_count
        or state.fate_seen[1] >= knobs.fate_reset_count
        or state.fate_left == 0
    ):
        count_rule(state, rule.SS_FAT_08)
        count_rule(state, rule.SS_FAT_09)
        state.fate_left = state.fate_len
        state.fate_seen[0] = 0
        state.fate_seen[1] = 0


@small_kernel
def fate_step(state: State, knobs: Knobs, cards: Cards, kind: int, step: int) -> None:
    """One step of a Fate card: a number of discards, or discards until one of a colour."""
    side = cards.fate_steps[kind, step, 1]
    number = cards.fate_steps[kind, step, 2]
    if cards.fate_steps[kind, step, 0] == s.MILL:
        count_rule(state, rule.SS_FAT_02 if side == s.BESIEGED else rule.SS_FAT_03)
        suffer(state, knobs, side, number)
        return
    count_rule(state, rule.SS_FAT_04 if side == s.BESIEGED else rule.SS_FAT_05)
    while True:
        if state.deck_len[side] == 0:
            count_rule(state, rule.SS_FAT_06)
            if knobs.joker_exhaust == 0:
                take(state, side)
            return
        if is_red(take(state, side)) == (number == s.RED):
            return


# --- The end ------------------------------------------------------------------


@kernel
def lose(state: State, side: int) -> None:
    """SS-END-02 to SS-END-04: a side that must remove a card but cannot loses, even if the other side has no card
    either.
    """
    if state.deck_len[1 - side] == 0:
        count_rule(state, rule.SS_END_04)
    if side == s.BESIEGED:
        count_rule(state, rule.SS_END_02)
        finish(state, s.BESIEGER, s.SURRENDER)
    else:
        count_rule(state, rule.SS_END_03)
        finish(state, s.BESIEGED, s.ABANDON)


@kernel
def finish(state: State, winner: int, ending: int) -> None:
    """SS-TRN-05: the game is over this instant."""
    count_rule(state, rule.SS_TRN_05)
    state.over = True
    state.winner = winner
    state.ending = ending


@kernel
def outcome(state: State, knobs: Knobs, cards: Cards, row: Row) -> None:
    """The row of a finished game."""
    row.winner = state.winner
    row.winners = 1 << np.int64(state.winner)
    row.ending = state.ending
    row.turns = state.turn
    row.walls_end = state.walls
    row.assaults = state.assaults
    row.bombards_won = state.bombards_won
    row.sallies_won = state.sallies_won
    row.constructed = state.constructed
    row.destroyed = state.destroyed
    row.repairs = state.repairs
    row.recovered = state.recovered
    row.besieger_cards = state.deck_len[s.BESIEGER]
    row.besieged_cards = state.deck_len[s.BESIEGED]
    row.ended_by_fate = state.fate_phase


@kernel
def track_values(state: State, knobs: Knobs, cards: Cards, values: np.ndarray) -> None:
    """Walls, both decks and the counters in play, at the start of a turn."""
    built = 0
    for counter in range(s.COUNTERS):
        built += state.built[counter]
    values[0] = state.walls
    values[1] = state.deck_len[s.BESIEGER]
    values[2] = state.deck_len[s.BESIEGED]
    values[3] = built


# --- What a seat cannot see ---------------------------------------------------


@kernel
def determinize(state: State, knobs: Knobs, cards: Cards, seat: int) -> None:
    """Ledger section 4: keeps the cards that the seat knows on top of its own deck, and each batch as a set. The rest
    of both decks, including the opponent's face-down cards, and the Fate deck get a new order.
    """
    own = seat
    other = 1 - seat
    mix(state, own, np.int64(state.deck_len[own]) - state.known_top[own])
    state.ordered[own] = state.known_top[own]
    face_down = state.decision == s.BESIEGED_DEFENDS or state.decision == s.BESIEGER_DEFENDS
    if face_down and state.seat == seat:
        redraw_aside(state, other)
    mix(state, other, np.int64(state.deck_len[other]))
    state.ordered[other] = state.known_top[other]
    redraw_order(state, state.fate[: state.fate_left])


@kernel
def redraw_aside(state: State, side: int) -> None:
    """Redraws face-down contest cards from a pool of those cards and the main part of their owner's deck."""
    sort_with_aside(state, side)
    in_deck = np.int64(state.deck_len[side]) - state.main_low[side]
    for i in range(state.aside_len[side]):
        pick = redraw_below(state, in_deck + state.aside_len[side] - i)
        card = state.aside[side, i]
        if pick < in_deck:
            place = np.int64(state.main_low[side]) + pick
            state.aside[side, i] = state.deck[side, place]
            state.deck[side, place] = card
        else:
            other = i + pick - in_deck
            state.aside[side, i] = state.aside[side, other]
            state.aside[side, other] = card


@kernel
def sort_with_aside(state: State, side: int) -> None:
    """Sorts the main part of a deck and the face-down cards as one list, which hides which cards were face down."""
    main, in_deck = np.int64(state.main_low[side]), np.int64(state.deck_len[side]) - state.main_low[side]
    for i in range(in_deck + state.aside_len[side]):
        for j in range(i, 0, -1):
            low, high = row_card(state, side, main, in_deck, j - 1), row_card(state, side, main, in_deck, j)
            if low <= high:
                break
            put_row_card(state, side, main, in_deck, j - 1, high)
            put_row_card(state, side, main, in_deck, j, low)


@kernel
def row_card(state: State, side: int, main: int, in_deck: int, place: int) -> int:
    return np.int64(state.deck[side, main + place] if place < in_deck else state.aside[side, place - in_deck])


@kernel
def put_row_card(state: State, side: int, main: int, in_deck: int, place: int, card: int) -> None:
    if place < in_deck:
        state.deck[side, main + place] = card
    else:
        state.aside[side, place - in_deck] = card


@kernel
def mix(state: State, side: int, high: int) -> None:
    """Shuffles the main part of a deck below place `high`, and each batch separately."""
    shuffle_between(state, side, np.int64(state.main_low[side]), high)
    top = np.int64(state.main_low[side])
    for batch in range(state.batches[side]):
        low = top - state.batch_len[side, batch]
        shuffle_between(state, side, low, top)
        top = low


@kernel
def shuffle_between(state: State, side: int, low: int, high: int) -> None:
    if high > low:
        redraw_order(state, state.deck[side, low:high])
