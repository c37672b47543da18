"""Phase 3, Engage in Diplomacy (ledger 3.11)."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel
from simlab.engine.streams import count_rule
from simlab.game import Cards, Knobs, State
from simlab.games.westphalia import board as b
from simlab.games.westphalia import rule
from simlab.games.westphalia import state as s
from simlab.games.westphalia.flow import ask, ask_few, count_order, go, move_on, place_in, tally
from simlab.games.westphalia.influence import evaluate, gain_on, gain_stored
from simlab.games.westphalia.sets import around, first_hex, lowest

# --- The Diplomacy Game -------------------------------------------------------------


@kernel
def game_of_two(state: State, knobs: Knobs) -> None:
    """WP-DIP-01 to WP-DIP-03: each player meets the next in Initiative Order, the last meets the first."""
    players = np.int64(state.players)
    if place_in(state) == players:
        go(state, s.S_DIPLOMACY)
        return
    one = np.int64(state.initiative[place_in(state)])
    other = np.int64(state.initiative[(place_in(state) + 1) % players])
    first = min(one, other)
    second = max(one, other)
    if state.pending[first] < 0:
        ask_few(state, first, s.D_GESTURE, np.int64(3))
        return
    if state.pending[second] < 0:
        ask_few(state, second, s.D_GESTURE, np.int64(3))
        return
    count_order(state)
    count_rule(state, rule.WP_DIP_01)
    count_rule(state, rule.WP_DIP_02)
    count_rule(state, rule.WP_DIP_03)
    show_gesture(state, knobs, one, other)
    show_gesture(state, knobs, other, one)
    state.pending[one] = -1
    state.pending[other] = -1
    move_on(state)


@kernel
def show_gesture(state: State, knobs: Knobs, player: int, partner: int) -> None:
    mine = np.int64(state.pending[player])
    theirs = np.int64(state.pending[partner])
    state.gesture[player, partner] = mine
    state.gesture_any[player] = mine
    if mine == s.THUMB:
        gained = np.int64(knobs.dip_cc) if theirs == s.THUMB else np.int64(knobs.dip_cd)
        tally(state, s.N_THUMBS, np.int64(1))
    else:
        gained = np.int64(knobs.dip_dc) if theirs == s.THUMB else np.int64(knobs.dip_dd)
        tally(state, s.N_GUNS, np.int64(1))
    tally(state, s.N_GESTURE_DI, gained)
    gain_stored(state, knobs, player, gained)


@kernel
def choose_gesture(state: State, choice: int) -> None:
    state.pending[state.seat] = s.GUN if choice == s.GUN else s.THUMB


# --- Placing influence -----------------------------------------------------------------


@kernel
def diplomatic_turn(state: State, knobs: Knobs, cards: Cards) -> None:
    """WP-PLC-01: players take turns until no influence is stored."""
    if place_in(state) == state.players:
        go(state, s.S_DECLARE)
        return
    player = np.int64(state.initiative[place_in(state)])
    options = np.int64(0)
    if state.di_stored[player] == 0:
        options |= np.int64(1) << s.END_TURN
    elif state.on_map == 0:
        count_rule(state, rule.WP_PLC_07)
        state.di_out[player] -= state.di_stored[player]
        state.di_stored[player] = 0
        return
    else:
        options |= np.int64(1) << s.PLACE_DI
    if state.gold[player] > 0 and state.on_map:
        options |= np.int64(1) << s.BUY_DI
    if releasable(state, knobs, player):
        options |= np.int64(1) << s.RELEASE
    if may_give(state, knobs, cards, player):
        options |= np.int64(1) << s.GIVE
    ask_few(state, player, s.D_DIPLOMACY, options)


@kernel
def releasable(state: State, knobs: Knobs, player: int) -> bool:
    towns = (state.land[player, 0] & state.town[0]) | (state.land[player, 1] & state.town[1])
    return towns != 0 and b.in_box(state, knobs) > 0


@kernel
def may_give(state: State, knobs: Knobs, cards: Cards, player: int) -> bool:
    """Whether `givable` finds a province. It is faster, because it is called before every point of influence."""
    low = b.plain_word(state, player, 0)
    high = b.plain_word(state, player, 1)
    while low or high:
        hex_ = first_hex(low, high)
        if low:
            low &= low - 1
        else:
            high &= high - 1
        if b.growing_next_to(state, knobs, cards, hex_, b.hex_faith(state, hex_)):
            return True
    return False


@kernel
def givable(state: State, knobs: Knobs, cards: Cards, player: int) -> tuple[int, int]:
    """WP-PLC-05: the player's plain provinces next to a principality of the same faith that may still grow."""
    low = b.plain_word(state, player, 0)
    high = b.plain_word(state, player, 1)
    if low == 0 and high == 0:
        return np.int64(0), np.int64(0)
    near_low, near_high = around(cards.beside, low, high)
    found_low = np.int64(0)
    found_high = np.int64(0)
    for faith in range(s.CATHOLIC, s.PROTESTANT + 1):
        land_low = np.int64(0)
        land_high = np.int64(0)
        prs = np.int64(state.on_map)
        while prs:
            pr = lowest(prs)
            prs &= prs - 1
            power = s.FIRST_PRINCIPALITY + pr
            if state.pr_faith[pr] == faith and state.extent[power] < knobs.principality_max_size:
                land_low |= state.land[power, 0] & near_low
                land_high |= state.land[power, 1] & near_high
        if land_low or land_high:
            next_low, next_high = around(cards.beside, land_low, land_high)
            found_low |= next_low & low & b.of_faith(state, 0, np.int64(faith))
            found_high |= next_high & high & b.of_faith(state, 1, np.int64(faith))
    return found_low, found_high


@kernel
def act(state: State, knobs: Knobs, cards: Cards, action: int) -> None:
    """WP-PLC-01: one action of a turn."""
    count_rule(state, rule.WP_PLC_01)
    player = np.int64(state.seat)
    if action == s.END_TURN:
        count_order(state)
        count_rule(state, rule.WP_ALY_09)
        move_on(state)
    elif action == s.PLACE_DI:
        state.giving = -1
        ask_few(state, player, s.D_PRINCIPALITY, np.int64(state.on_map))
    elif action == s.BUY_DI:
        count_rule(state, rule.WP_PLC_03)
        state.gold[player] -= 1
        gain_stored(state, knobs, player, np.int64(knobs.di_per_gold))
        tally(state, s.N_BOUGHT_DI, np.int64(1))
    elif action == s.RELEASE:
        low = state.land[player, 0] & state.town[0]
        high = state.land[player, 1] & state.town[1]
        ask(state, player, s.D_PROVINCE, low, high)
        state.giving = -1
    else:
        low, high = givable(state, knobs, cards, player)
        ask(state, player, s.D_PROVINCE, low, high)
        state.giving = 0


@kernel
def choose_province(state: State, knobs: Knobs, cards: Cards, hex_: int) -> None:
    """Chooses the town to release, or the province to give."""
    player = np.int64(state.seat)
    if state.giving < 0:
        count_rule(state, rule.WP_PLC_04)
        release_vassal(state, knobs, player, hex_)
        return
    state.giving = hex_
    ask_few(state, player, s.D_PRINCIPALITY, b.growing_next_to(state, knobs, cards, hex_, b.hex_faith(state, hex_)))


@kernel
def release_vassal(state: State, knobs: Knobs, player: int, hex_: int) -> None:
    """WP-PLC-04, WP-FP-06: a town-province becomes a principality with influence of its former owner."""
    pr = b.new_principality(state, knobs, hex_)
    gain_on(state, knobs, pr, player, np.int64(knobs.vassal_di))
    evaluate(state, knobs, pr)
    tally(state, s.N_RELEASED, np.int64(1))


@kernel
def choose_principality(state: State, knobs: Knobs, pr: int) -> None:
    """WP-PLC-02: chooses the principality for a point of influence, or for the province given away."""
    player = np.int64(state.seat)
    if state.giving >= 0:
        count_rule(state, rule.WP_PLC_05)
        if state.ally[pr] != player:
            count_rule(state, rule.WP_PLC_06)
        give_province(state, knobs, player, np.int64(state.giving), pr)
        state.giving = -1
        return
    count_rule(state, rule.WP_PLC_02)
    count_rule(state, rule.WP_ALY_01)
    state.di_stored[player] -= 1
    state.di[pr, player] += 1
    evaluate(state, knobs, pr)


@kernel
def give_province(state: State, knobs: Knobs, player: int, hex_: int, pr: int) -> None:
    """WP-PLC-05, WP-FP-07: the province joins the principality, the giver gains influence there."""
    b.join_principality(state, pr, hex_)
    gain_on(state, knobs, pr, player, np.int64(knobs.gift_di))
    evaluate(state, knobs, pr)
    tally(state, s.N_GIVEN, np.int64(1))
