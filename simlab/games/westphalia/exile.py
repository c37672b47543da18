"""Phase 6, Foreign Powers: leaving the Empire voluntarily (ledger 3.18)."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel
from simlab.engine.streams import count_rule
from simlab.game import Cards, Knobs, State
from simlab.games.westphalia import board as b
from simlab.games.westphalia import rule
from simlab.games.westphalia import state as s
from simlab.games.westphalia.diplomacy import givable, give_province, release_vassal
from simlab.games.westphalia.flow import ask, ask_few, call, count_order, done, go, move_on, place_in, tally
from simlab.games.westphalia.influence import evaluate_all, gain_on
from simlab.games.westphalia.sets import first_hex, lowest
from simlab.games.westphalia.treaty import halve_influence

MOST_LEFT = np.int64(4)  # hexes of a principality that he leaves behind (WP-PRI-02)


@kernel
def ask_to_leave(state: State, knobs: Knobs, cards: Cards) -> None:
    """WP-FP-01, WP-FP-02: asks each player in the Empire, in Initiative Order."""
    if state.turn <= knobs.fp_last_round:
        while place_in(state) < state.players:
            player = np.int64(state.initiative[place_in(state)])
            move_on(state)
            if not b.is_foreign(state, player) and may_leave(state, knobs, player):
                count_rule(state, rule.WP_FP_01)
                ask_few(state, player, s.D_LEAVE, (np.int64(1) << (s.EDGES + 1)) - 1)
                return
    go(state, s.S_FIRST_ELECTION)


@kernel
def may_leave(state: State, knobs: Knobs, player: int) -> bool:
    """WP-FP-02, WP-FP-08: whether there are principalities for the player's towns and remaining hexes, and room for the
    provinces that he gives away.
    """
    towns = b.towns_of(state, player)
    if b.in_box(state, knobs) < towns + 1:
        count_rule(state, rule.WP_FP_02)
        return False
    most = np.int64(knobs.principality_max_size)
    room = towns * (most - 1)
    prs = np.int64(state.on_map)
    while prs:
        room += max(most - b.size_of(state, lowest(prs)), np.int64(0))
        prs &= prs - 1
    return room >= np.int64(state.extent[player]) - towns - MOST_LEFT


@kernel
def leave(state: State, knobs: Knobs, edge: int) -> None:
    """Steps 1 and 2: WP-FP-03, WP-FP-06."""
    if edge == s.STAY_IN_EMPIRE:
        return
    player = np.int64(state.seat)
    count_order(state)
    count_rule(state, rule.WP_FP_03)
    tally(state, s.N_LEFT, np.int64(1))
    state.fp_edge[player] = edge
    while b.towns_of(state, player) > 0:
        count_rule(state, rule.WP_FP_06)
        low = state.land[player, 0] & state.town[0]
        high = state.land[player, 1] & state.town[1]
        release_vassal(state, knobs, player, first_hex(low, high))
    call(state, s.S_GIFTS)


@kernel
def ask_gift(state: State, knobs: Knobs, cards: Cards) -> None:
    """Step 3, WP-FP-07 and WP-FP-08: one province after the other, until four are left."""
    player = np.int64(state.seat)
    if state.extent[player] <= MOST_LEFT:
        depart(state, knobs, player)
        done(state)
        return
    low, high = givable(state, knobs, cards, player)
    if low == 0 and high == 0:
        count_rule(state, rule.WP_FP_08)
        low, high = givable_afar(state, knobs, player)
    else:
        count_rule(state, rule.WP_FP_07)
    ask(state, player, s.D_GIFT, low, high)


@kernel
def givable_afar(state: State, knobs: Knobs, player: int) -> tuple[int, int]:
    """WP-FP-08: plain provinces whose faith matches that of a principality with room; if there are none, all plain
    provinces.
    """
    low = np.int64(0)
    high = np.int64(0)
    for faith in range(s.CATHOLIC, s.PROTESTANT + 1):
        if growing(state, knobs, np.int64(faith)):
            low |= b.plain_word(state, player, 0) & b.of_faith(state, 0, np.int64(faith))
            high |= b.plain_word(state, player, 1) & b.of_faith(state, 1, np.int64(faith))
    if low == 0 and high == 0:
        return b.plain_word(state, player, 0), b.plain_word(state, player, 1)
    return low, high


@kernel
def growing(state: State, knobs: Knobs, faith: int) -> int:
    """Principalities of a faith that may still grow."""
    found = np.int64(0)
    prs = np.int64(state.on_map)
    while prs:
        pr = lowest(prs)
        prs &= prs - 1
        if state.pr_faith[pr] == faith and b.size_of(state, pr) < knobs.principality_max_size:
            found |= np.int64(1) << pr
    return found


@kernel
def choose_gift(state: State, knobs: Knobs, cards: Cards, hex_: int) -> None:
    state.giving = hex_
    faith = b.hex_faith(state, hex_)
    options = b.growing_next_to(state, knobs, cards, hex_, faith)
    if options == 0:
        options = growing(state, knobs, faith)
    if options == 0:
        options = growing(state, knobs, 1 - faith)
    ask_few(state, np.int64(state.seat), s.D_RECIPIENT, options)


@kernel
def choose_recipient(state: State, knobs: Knobs, pr: int) -> None:
    give_province(state, knobs, np.int64(state.seat), np.int64(state.giving), pr)
    state.giving = -1


@kernel
def depart(state: State, knobs: Knobs, player: int) -> None:
    """Steps 4 and 5: WP-FP-09 to WP-FP-11."""
    halve_influence(state, knobs, player)
    count_rule(state, rule.WP_FP_10)
    pr = b.new_principality(state, knobs, np.int64(state.home[player]))
    while state.extent[player] > 0:
        b.join_principality(state, pr, first_hex(np.int64(state.land[player, 0]), np.int64(state.land[player, 1])))
    gain_on(state, knobs, pr, player, b.size_of(state, pr))
    count_rule(state, rule.WP_FP_11)
    evaluate_all(state, knobs)
