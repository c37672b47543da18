"""The seven steps of the set-up (ledger 3.6); the last one is an election (election.py)."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel, small_kernel
from simlab.engine.streams import count_rule
from simlab.game import Cards, Knobs, State
from simlab.games.westphalia import rule
from simlab.games.westphalia import state as s
from simlab.games.westphalia.board import give_hex, make_capital, size_of
from simlab.games.westphalia.flow import ask, ask_few, go, move_on, place_in
from simlab.games.westphalia.influence import evaluate, gain_on
from simlab.games.westphalia.sets import around, bits, chain, draw, first_hex, lowest, put

STANDARD, PLACED, RANDOM_LEGAL = range(3)


@kernel
def lay_out(state: State, knobs: Knobs, cards: Cards) -> None:
    """WP-SET-01 to WP-SET-03: sets up an empty map, players without anything, and the Setup Order."""
    players = np.int64(state.stream_seats)
    for rule_ in (rule.WP_GEN_01, rule.WP_GEN_02, rule.WP_GEN_04, rule.WP_GEN_11, rule.WP_GEN_12, rule.WP_MAP_01,
                  rule.WP_MAP_03, rule.WP_MAP_04, rule.WP_MAP_05, rule.WP_PRI_02, rule.WP_SET_01, rule.WP_SET_02,
                  rule.WP_ROL_10, rule.WP_BND_01, rule.WP_BND_05, rule.WP_BND_06, rule.WP_BND_02,
                  rule.WP_BND_04):  # fmt: skip
        count_rule(state, rule_)
    state.players = players
    state.map_size = players - 5
    if players == 5:
        count_rule(state, rule.WP_MAP_02)
        if knobs.five_player_map == 1:
            state.map_size = 1
    size = np.int64(state.map_size)
    state.hexes = cards.map_hexes[size]
    for hex_ in range(s.HEXES):
        state.hex_owner[hex_] = s.OFF_MAP
    clear_ids(state)
    for word in range(2):
        rest = np.int64(cards.on_map[size, word])
        while rest:
            state.hex_owner[word * 48 + lowest(rest)] = s.EMPTY
            rest &= rest - 1
    state.fa_free = np.int64(knobs.saved_places) if knobs.saved_places > 0 else cards.saved[players - 5]
    state.emperor = s.NOBODY
    draw_setup_order(state, knobs)


@kernel
def clear_ids(state: State) -> None:
    """Sets IDs to -1 (nobody or nowhere) wherever 0 would be a seat, a hex or a principality."""
    for power in range(s.POWERS):
        state.home[power] = -1
    for pr in range(s.ROSTER):
        state.ally[pr] = -1
        state.declarer[pr] = -1
        state.ally_t0[pr] = -1
        state.elector_vote[pr] = -1
    for slot in range(s.DUELS):
        state.slot[slot, 0] = -1
        state.slot[slot, 1] = -1
    for player in range(s.PLAYERS):
        state.monastery[player] = 1
        state.fp_edge[player] = -1
        state.gesture_any[player] = -1
        state.peeker[player] = -1
        state.played[player] = -1
        state.clash[player] = -1
        state.pending[player] = -1
        for other in range(s.PLAYERS):
            state.gesture[player, other] = -1
    for entry in range(state.emperor_of.size):
        state.emperor_of[entry] = -1
        state.protestant_at[entry] = -1
        state.ip_at[entry] = -1
    for last in range(2):
        for faith in range(2):
            state.gates[last, faith] = -1
    state.giving = -1
    state.placing = -1
    state.last_roll = -1


@kernel
def draw_setup_order(state: State, knobs: Knobs) -> None:
    """WP-SET-03: draws the order, unless the knob `setup_order` fixes it; `order_shift` rotates it."""
    count_rule(state, rule.WP_SET_03)
    players = np.int64(state.players)
    for place in range(players):
        state.setup_order[place] = (place + np.int64(knobs.order_shift)) % players
    if knobs.setup_order == 0:
        for place in range(players - 1, 0, -1):
            other = draw(state, s.ORDER_STREAM, place + 1)
            seat = state.setup_order[place]
            state.setup_order[place] = state.setup_order[other]
            state.setup_order[other] = seat
    for place in range(players):
        state.initiative[place] = state.setup_order[place]  # until the first round sets its own order
        state.start_place[state.setup_order[place]] = place
    state.first_player = state.setup_order[0]


@kernel
def opening_position(state: State, knobs: Knobs, cards: Cards) -> None:
    """WP-SET-13: the fixed position of the table; start places are dealt, or fixed by a knob."""
    count_rule(state, rule.WP_SET_13)
    players = np.int64(state.players)
    size = np.int64(state.map_size)
    for seat in range(players):
        state.start_place[seat] = (seat + np.int64(knobs.start_shift)) % players
    if knobs.start_places == 0:
        for seat in range(players - 1, 0, -1):
            other = draw(state, s.PLACES_STREAM, seat + 1)
            place = state.start_place[seat]
            state.start_place[seat] = state.start_place[other]
            state.start_place[other] = place
    for seat in range(players):
        settle(state, cards, size, np.int64(state.start_place[seat]), seat)
    for row in range(players, s.PLAYERS + 5):  # five players on the map of six: S5 becomes another principality
        if row < s.PLAYERS and cards.start_home[size, row] >= 0:
            pr = lowest(~np.int64(free_row(cards, size)))
            add_principality(state, cards, pr)
            settle(state, cards, size, row, s.FIRST_PRINCIPALITY + pr)
    for pr in range(s.ROSTER):
        power = s.FIRST_PRINCIPALITY + pr
        if cards.start_home[size, power] >= 0:
            add_principality(state, cards, pr)
            settle(state, cards, size, power, power)


@kernel
def free_row(cards: Cards, size: int) -> int:
    """The principalities that an opening position uses, as bits."""
    used = np.int64(0)
    for pr in range(s.ROSTER):
        if cards.start_home[size, s.FIRST_PRINCIPALITY + pr] >= 0:
            used |= np.int64(1) << pr
    return used


@kernel
def settle(state: State, cards: Cards, size: int, row: int, power: int) -> None:
    """Gives a power the hexes of a row of the opening position."""
    low = np.int64(cards.start[size, row, 0])
    high = np.int64(cards.start[size, row, 1])
    while low or high:
        hex_ = first_hex(low, high)
        if low:
            low &= low - 1
        else:
            high &= high - 1
        give_hex(state, hex_, power)
    make_capital(state, power, np.int64(cards.start_home[size, row]))


@small_kernel
def add_principality(state: State, cards: Cards, pr: int) -> None:
    state.on_map |= np.int64(1) << pr
    if cards.elector[pr]:
        state.electors |= np.int64(1) << pr


# --- The real procedure -----------------------------------------------------------


@kernel
def free_hexes(state: State) -> tuple[int, int]:
    low = np.int64(0)
    high = np.int64(0)
    for hex_ in range(s.HEXES):
        if state.hex_owner[hex_] == s.EMPTY:
            if hex_ < 48:
                low |= np.int64(1) << hex_
            else:
                high |= np.int64(1) << (hex_ - 48)
    return low, high


@kernel
def picked_hexes(state: State) -> tuple[int, int]:
    low = np.int64(0)
    high = np.int64(0)
    for n in range(state.n_picked):
        hex_ = np.int64(state.picked[n])
        if hex_ < 48:
            low |= np.int64(1) << hex_
        else:
            high |= np.int64(1) << (hex_ - 48)
    return low, high


@kernel
def shape_options(state: State, cards: Cards) -> tuple[int, int]:
    """WP-SET-04: hexes that, with those already picked, complete a clover or a C or still can."""
    low, high = free_hexes(state)
    had_low, had_high = picked_hexes(state)
    found_low = np.int64(0)
    found_high = np.int64(0)
    for number in range(cards.n_trios):
        a = np.int64(cards.trio[number, 0])
        b = np.int64(cards.trio[number, 1])
        if a & ~low == 0 and b & ~high == 0 and had_low & ~a == 0 and had_high & ~b == 0:
            found_low |= a
            found_high |= b
    return found_low & ~had_low, found_high & ~had_high


@kernel
def area_options(state: State, cards: Cards, needed: int) -> tuple[int, int]:
    """WP-SET-06: hexes next to those already picked; the first hex must be in a large enough free area, if there is
    one.
    """
    low, high = free_hexes(state)
    had_low, had_high = picked_hexes(state)
    low &= ~had_low
    high &= ~had_high
    if state.n_picked > 0:
        near_low, near_high = around(cards.beside, had_low, had_high)
        if near_low & low or near_high & high:
            return near_low & low, near_high & high
        return low, high
    rest_low, rest_high = low, high
    found_low = np.int64(0)
    found_high = np.int64(0)
    while rest_low or rest_high:
        hex_ = first_hex(rest_low, rest_high)
        one_low = np.int64(1) << hex_ if hex_ < 48 else np.int64(0)
        one_high = np.int64(1) << (hex_ - 48) if hex_ >= 48 else np.int64(0)
        area_low, area_high = chain(cards.beside, one_low, one_high, low, high)
        if bits(area_low) + bits(area_high) >= needed:
            found_low |= area_low
            found_high |= area_high
        rest_low &= ~area_low
        rest_high &= ~area_high
    if found_low or found_high:
        return found_low, found_high
    return low, high


@kernel
def pick(state: State, hex_: int) -> None:
    state.picked[state.n_picked] = hex_
    state.n_picked += 1


@kernel
def place_player(state: State, cards: Cards) -> None:
    """WP-SET-04: a capital and two plain hexes, in Setup Order."""
    if place_in(state) >= state.players:
        go(state, s.S_ELECTOR)
        state.placer = 0
        state.electors_left = 0
        for pr in range(s.ROSTER):
            if cards.elector[pr]:
                state.electors_left |= np.int64(1) << pr
        return
    player = np.int64(state.setup_order[place_in(state)])
    if state.n_picked == 3:
        count_rule(state, rule.WP_SET_04)
        take_picked(state, player)
        move_on(state)
        return
    low, high = shape_options(state, cards)
    ask(state, player, s.D_CAPITAL + np.int64(state.n_picked), low, high)


@kernel
def take_picked(state: State, power: int) -> None:
    for n in range(state.n_picked):
        give_hex(state, np.int64(state.picked[n]), power)
    make_capital(state, power, np.int64(state.picked[0]))
    state.n_picked = 0


@small_kernel
def next_placer(state: State) -> None:
    """WP-SET-05."""
    count_rule(state, rule.WP_SET_05)
    state.placer = (state.placer + 1) % state.players


@kernel
def place_elector(state: State, cards: Cards) -> None:
    """WP-SET-06: seven placements."""
    player = np.int64(state.setup_order[state.placer])
    if state.placing < 0:
        if state.electors_left == 0:
            go(state, s.S_PRINCIPALITY)
            return
        ask_few(state, player, s.D_ELECTOR, np.int64(state.electors_left))
        return
    if state.n_picked < state.to_place:
        low, high = area_options(state, cards, np.int64(state.to_place))
        ask(state, player, s.D_ELECTOR_HEX, low, high)
        return
    count_rule(state, rule.WP_SET_06)
    add_principality(state, cards, np.int64(state.placing))
    take_picked(state, s.FIRST_PRINCIPALITY + np.int64(state.placing))
    state.placing = -1
    next_placer(state)


@kernel
def choose_elector(state: State, cards: Cards, pr: int) -> None:
    state.electors_left &= ~(np.int64(1) << pr)
    state.placing = pr
    state.to_place = cards.elector_size[pr]


@kernel
def place_principality(state: State, knobs: Knobs, cards: Cards) -> None:
    """WP-SET-07 to WP-SET-10: the rest of the map, in threes, then in pairs, then one by one."""
    player = np.int64(state.setup_order[state.placer])
    if state.placing < 0:
        low, high = free_hexes(state)
        if low == 0 and high == 0:
            count_rule(state, rule.WP_SET_10)
            go(state, s.S_FIRST_DI)
            return
        unused = ~np.int64(state.on_map) & ((np.int64(1) << np.int64(knobs.roster_size)) - 1)
        if unused == 0:
            share_out(state, cards)
            return
        state.placing = lowest(unused)
        a, b = shape_options(state, cards)
        state.to_place = 3
        if a == 0 and b == 0:
            a, b = paired(cards, low, high)
            state.to_place = 2 if a or b else 1
    if state.n_picked < state.to_place:
        if state.to_place == 3:
            low, high = shape_options(state, cards)
        elif state.to_place == 2 and state.n_picked == 0:
            low, high = free_hexes(state)
            low, high = paired(cards, low, high)
        else:
            low, high = area_options(state, cards, np.int64(1))
        ask(state, player, s.D_PLACE, low, high)
        return
    count_rule(state, rule.WP_SET_07)
    count_rule(state, rule.WP_SET_08)
    state.on_map |= np.int64(1) << np.int64(state.placing)
    take_picked(state, s.FIRST_PRINCIPALITY + np.int64(state.placing))
    state.placing = -1
    next_placer(state)


@kernel
def paired(cards: Cards, low: int, high: int) -> tuple[int, int]:
    """Hexes of a set that have a neighbour in it."""
    near_low, near_high = around(cards.beside, low, high)
    return low & near_low, high & near_high


@kernel
def share_out(state: State, cards: Cards) -> None:
    """WP-SET-09: when no principality is left, each free hex joins a small one, the nearest first."""
    low, high = free_hexes(state)
    while low or high:
        count_rule(state, rule.WP_SET_09)
        hex_ = first_hex(low, high)
        if low:
            low &= low - 1
        else:
            high &= high - 1
        best = s.NOBODY
        least = np.int64(4)
        near_low = np.int64(cards.beside[hex_, 0])
        near_high = np.int64(cards.beside[hex_, 1])
        for pr in range(s.ROSTER):
            power = s.FIRST_PRINCIPALITY + pr
            touching = state.land[power, 0] & near_low or state.land[power, 1] & near_high
            if touching and size_of(state, pr) < least:
                best, least = pr, size_of(state, pr)
        if best == s.NOBODY:
            for pr in range(s.ROSTER - 1, -1, -1):
                if (state.on_map >> pr) & 1 and size_of(state, pr) < 4:
                    best = pr
        power = s.FIRST_PRINCIPALITY + best
        state.hex_owner[hex_] = power
        put(state.land[power], hex_)
        state.extent[power] += 1


# --- First influence ----------------------------------------------------------------


@kernel
def first_influence(state: State, knobs: Knobs) -> None:
    """WP-SET-11: each player places all first influence at once, in Setup Order."""
    each = np.int64(knobs.start_di)
    if place_in(state) >= each * state.players:
        go(state, s.S_FIRST_ELECTION)
        return
    if place_in(state) % each == 0:
        count_rule(state, rule.WP_SET_11)
    player = np.int64(state.setup_order[place_in(state) // each])
    ask_few(state, player, s.D_FIRST_DI, np.int64(state.on_map))


@kernel
def place_first(state: State, knobs: Knobs, pr: int) -> None:
    count_rule(state, rule.WP_ALY_01)
    gain_on(state, knobs, pr, np.int64(state.seat), np.int64(1))
    evaluate(state, knobs, pr)
    move_on(state)


@small_kernel
def chosen_at_random(state: State, knobs: Knobs) -> bool:
    """WP-SET-13: whether each set-up decision is drawn at random from the legal options."""
    return knobs.setup_mode == RANDOM_LEGAL and state.decision != s.NO_DECISION and state.decision <= s.D_PLACE


@small_kernel
def first_step(knobs: Knobs) -> int:
    return s.S_FIRST_DI if knobs.setup_mode == STANDARD else s.S_PLAYER_HEX


assert s.ELECTORS == 7
