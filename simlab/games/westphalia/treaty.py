"""Peace treaties, elimination, and the costs of wars afterwards (ledger 3.15, 3.16 and the end of 3.18)."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel, small_kernel
from simlab.engine.streams import count_rule
from simlab.game import Cards, Knobs, State
from simlab.games.westphalia import board as b_
from simlab.games.westphalia import rule
from simlab.games.westphalia import state as s
from simlab.games.westphalia.flow import also, ask, ask_few, call, count_order, done, go, move_on, place_in, tally
from simlab.games.westphalia.influence import (
    clear_influence,
    evaluate,
    evaluate_all,
    gain_on,
    gain_stored,
    lose_all_on,
    lose_on,
    make_ally,
)
from simlab.games.westphalia.sets import around, first_hex, holds, lowest, put

# --- The treaties of a Battle Phase ---------------------------------------------------


@kernel
def next_treaty(state: State, knobs: Knobs) -> None:
    """The treaties of this Battle Phase, in the order of declaration."""
    war = np.int64(state.war) + 1
    while war < state.wars and state.war_phase[war] != state.battle_phase:
        war += 1
    state.war = war
    if war == state.wars:
        go(state, s.S_BATTLE_PHASE)
        return
    result = np.int64(state.war_result[war])
    attacker = np.int64(state.war_attacker[war])
    defender = np.int64(state.war_defender[war])
    if result == s.ATTACKER_WON:
        begin_treaty_with_player(state, attacker, defender)
    elif result == s.DEFENDER_WON:
        begin_treaty_with_player(state, defender, attacker)


@kernel
def begin_treaty_with_player(state: State, winner: int, loser: int) -> None:
    """WP-PCE-23: the enemies are the loser and his allies at the beginning of this treaty."""
    count_rule(state, rule.WP_PCE_23)
    state.treaty = s.WITH_PLAYER
    state.victor = winner
    state.enemy_players = np.int64(1) << loser
    enemies = np.int64(0)
    prs = np.int64(state.on_map)
    while prs:
        pr = lowest(prs)
        prs &= prs - 1
        if state.ally[pr] == loser:
            enemies |= np.int64(1) << pr
    state.enemy_prs = enemies
    if b_.is_foreign(state, loser) and enemies == 0 and state.extent[loser] == 0:
        count_rule(state, rule.WP_PCE_22)
    call(state, s.S_TREATY)


# --- T1: the winner's gains -----------------------------------------------------------


@kernel
def ask_option(state: State, knobs: Knobs, cards: Cards) -> None:
    """T0 and WP-PCE-01."""
    count_rule(state, rule.WP_PCE_01)
    for pr in range(s.ROSTER):
        state.ally_t0[pr] = state.ally[pr]
        state.lost[pr] = 0
    state.beaten = state.enemy_players
    state.took = 0
    state.took_far = 0
    state.took_town = 0
    options = np.int64(1) << s.NOTHING
    low, high = conquerable(state, knobs)
    if low or high:
        options |= np.int64(1) << s.CONQUER
    if vassals(state, knobs):
        options |= np.int64(1) << s.VASSALIZE
    low, high = liberatable(state, knobs)
    if low or high:
        options |= np.int64(1) << s.LIBERATE
    go(state, s.S_CLAIMS)
    ask_few(state, np.int64(state.victor), s.D_PEACE, options)


@kernel
def choose_option(state: State, knobs: Knobs, cards: Cards, option: int) -> None:
    player = np.int64(state.victor)
    if option == s.CONQUER:
        call(state, s.S_CONQUER)
    elif option == s.VASSALIZE:
        ask_few(state, player, s.D_VASSAL, vassals(state, knobs))
    elif option == s.LIBERATE:
        low, high = liberatable(state, knobs)
        ask(state, player, s.D_LIBERATE, low, high)


@kernel
def conquerable_plain(state: State, knobs: Knobs) -> tuple[int, int]:
    """WP-PCE-02, WP-PCE-05: plain provinces of the enemy, from anywhere."""
    low = np.int64(0)
    high = np.int64(0)
    if b_.plain_stock(state, knobs, np.int64(state.victor)) == 0:
        return low, high
    for player in range(state.players):
        if (state.enemy_players >> player) & 1:
            low |= b_.plain_word(state, player, 0)
            high |= b_.plain_word(state, player, 1)
    prs = np.int64(state.enemy_prs)
    while prs:
        power = s.FIRST_PRINCIPALITY + lowest(prs)
        prs &= prs - 1
        low |= b_.plain_word(state, power, 0)
        high |= b_.plain_word(state, power, 1)
    return low, high


@kernel
def conquerable_towns(state: State, knobs: Knobs) -> tuple[int, int]:
    """WP-PCE-03, WP-PCE-06: town-provinces, and capitals that are the last province of their power."""
    low = np.int64(0)
    high = np.int64(0)
    if b_.town_stock(state, knobs, np.int64(state.victor)) == 0:
        return low, high
    for player in range(state.players):
        if (state.enemy_players >> player) & 1:
            last = state.extent[player] == 1
            low |= state.land[player, 0] & (state.town[0] | (state.capital[0] if last else np.int64(0)))
            high |= state.land[player, 1] & (state.town[1] | (state.capital[1] if last else np.int64(0)))
    prs = np.int64(state.enemy_prs)
    while prs:
        pr = lowest(prs)
        prs &= prs - 1
        if b_.size_of(state, pr) == 1:
            if b_.is_elector(state, pr) or state.marker[pr] == s.UPRIGHT:
                count_rule(state, rule.WP_PCE_06)
            else:
                low |= state.land[s.FIRST_PRINCIPALITY + pr, 0]
                high |= state.land[s.FIRST_PRINCIPALITY + pr, 1]
    return low, high


@kernel
def conquerable(state: State, knobs: Knobs) -> tuple[int, int]:
    a, b = conquerable_plain(state, knobs)
    c, d = conquerable_towns(state, knobs)
    return a | c, b | d


@kernel
def ask_conquest(state: State, knobs: Knobs) -> None:
    """WP-PCE-02: asks for one town, or for one or more plain provinces."""
    player = np.int64(state.victor)
    if state.took == 0:
        low, high = conquerable(state, knobs)
        ask(state, player, s.D_CONQUER, low, high)
        return
    low, high = conquerable_plain(state, knobs)
    if state.took_town or state.took >= knobs.conquer_plain_max or (low == 0 and high == 0):
        done(state)
        return
    ask(state, player, s.D_CONQUER, low, high)
    also(state)


@kernel
def conquer(state: State, hex_: int) -> None:
    """WP-PCE-02 to WP-PCE-05, WP-PCE-17: the province becomes the winner's and keeps its faith."""
    if hex_ == s.NO_HEX:
        done(state)
        return
    count_rule(state, rule.WP_PCE_02)
    count_rule(state, rule.WP_PCE_04)
    player = np.int64(state.victor)
    state.took += 1
    tally(state, s.N_CONQUERED, np.int64(1))
    if b_.is_foreign(state, player):
        count_rule(state, rule.WP_FP_13)
    if not holds(state.adjacent[player], hex_):
        count_rule(state, rule.WP_PCE_05)
        state.took_far = 1
    town = holds(state.town, hex_) or holds(state.capital, hex_)
    power = np.int64(state.hex_owner[hex_])
    if power >= s.FIRST_PRINCIPALITY:
        pr = power - s.FIRST_PRINCIPALITY
        state.lost[pr] += 1
        if state.di[pr, player] > 0:
            count_rule(state, rule.WP_PCE_17)
            lose_all_on(state, pr, player)
    b_.give_hex(state, hex_, player)
    if town:
        count_rule(state, rule.WP_PCE_03)
        tally(state, s.N_TOWNS_TAKEN, np.int64(1))
        state.took_town = 1
        put(state.town, hex_)
    if power >= s.FIRST_PRINCIPALITY and state.extent[power] == 0:
        forget(state, power - s.FIRST_PRINCIPALITY)
        b_.back_to_box(state, power - s.FIRST_PRINCIPALITY)


@small_kernel
def forget(state: State, pr: int) -> None:
    """Removes a principality from the enemies of this treaty."""
    state.enemy_prs &= ~(np.int64(1) << pr)


@kernel
def vassals(state: State, knobs: Knobs) -> int:
    """WP-PCE-07: small principalities of the enemy by ID, then the losing players by seat."""
    found = np.int64(0)
    prs = np.int64(state.enemy_prs)
    while prs:
        pr = lowest(prs)
        prs &= prs - 1
        if b_.size_of(state, pr) <= knobs.vassalize_max_size:
            found |= np.int64(1) << pr
    if b_.in_box(state, knobs) > 0:
        for player in range(state.players):
            enemy = (state.enemy_players >> player) & 1
            if enemy and not b_.is_foreign(state, player) and 1 <= state.extent[player] <= knobs.vassalize_max_size:
                found |= np.int64(1) << (s.ROSTER + player)
    return found


@kernel
def vassalize(state: State, knobs: Knobs, whom: int) -> None:
    """WP-PCE-07 to WP-PCE-09, WP-PCE-12, WP-PCE-15."""
    count_rule(state, rule.WP_PCE_07)
    count_rule(state, rule.WP_PCE_12)
    count_rule(state, rule.WP_PCE_15)
    player = np.int64(state.victor)
    tally(state, s.N_VASSALS, np.int64(1))
    if whom >= s.ROSTER:
        vassalize_player(state, knobs, player, whom - s.ROSTER)
        return
    count_rule(state, rule.WP_PCE_08)
    for other in range(state.players):
        if other != player:
            lose_all_on(state, whom, other)
    gain_on(state, knobs, whom, player, np.int64(knobs.vassal_di))
    forget(state, whom)
    make_ally(state, knobs, whom, player)


@kernel
def vassalize_player(state: State, knobs: Knobs, winner: int, loser: int) -> None:
    """WP-PCE-09: the loser's provinces become a principality allied to the winner."""
    count_rule(state, rule.WP_PCE_09)
    pr = b_.new_principality(state, knobs, np.int64(state.home[loser]))
    while state.extent[loser] > 0:
        b_.join_principality(state, pr, first_hex(np.int64(state.land[loser, 0]), np.int64(state.land[loser, 1])))
    gain_on(state, knobs, pr, winner, np.int64(knobs.vassal_di))
    state.enemy_players &= ~(np.int64(1) << loser)
    make_ally(state, knobs, pr, winner)


@kernel
def liberatable(state: State, knobs: Knobs) -> tuple[int, int]:
    """WP-PCE-13: towns of the losing players, or a capital that is the last province."""
    low = np.int64(0)
    high = np.int64(0)
    if b_.in_box(state, knobs) == 0:
        return low, high
    for player in range(state.players):
        if (state.enemy_players >> player) & 1:
            last = state.extent[player] == 1
            low |= state.land[player, 0] & (state.town[0] | (state.capital[0] if last else np.int64(0)))
            high |= state.land[player, 1] & (state.town[1] | (state.capital[1] if last else np.int64(0)))
    return low, high


@kernel
def liberate(state: State, knobs: Knobs, hex_: int) -> None:
    """WP-PCE-13, WP-PCE-12: the town becomes a principality, and the winner its ally."""
    count_rule(state, rule.WP_PCE_13)
    count_rule(state, rule.WP_PCE_12)
    pr = b_.new_principality(state, knobs, hex_)
    gain_on(state, knobs, pr, np.int64(state.victor), np.int64(knobs.vassal_di))
    evaluate(state, knobs, pr)
    tally(state, s.N_LIBERATED, np.int64(1))


# --- T2: claims of the winner's allies ------------------------------------------------


@kernel
def ask_claim(state: State, knobs: Knobs, cards: Cards) -> None:
    """WP-PCE-14: asks each principality that was the winner's ally when the treaty began, in ascending ID."""
    while place_in(state) < s.ROSTER:
        pr = place_in(state)
        mine = (state.on_map >> pr) & 1 and state.ally_t0[pr] == state.victor
        if mine and b_.size_of(state, pr) < knobs.principality_max_size and can_claim(state, pr):
            low, high = claimable(state, cards, pr)
            if low or high:
                ask(state, np.int64(state.victor), s.D_CLAIM, low, high)
                also(state)
                return
        move_on(state)
    go(state, s.S_LOSSES)


@small_kernel
def can_claim(state: State, pr: int) -> bool:
    """WP-REL-26: after a Religious War no Target Principality claims anything."""
    return state.treaty != s.WITH_LEAGUE or state.marker[pr] != s.UPRIGHT


@kernel
def claimable(state: State, cards: Cards, pr: int) -> tuple[int, int]:
    """WP-PCE-14, WP-PCE-15: plain provinces of the enemy next to a principality."""
    power = s.FIRST_PRINCIPALITY + pr
    near_low, near_high = around(cards.beside, np.int64(state.land[power, 0]), np.int64(state.land[power, 1]))
    low = np.int64(0)
    high = np.int64(0)
    for player in range(state.players):
        if (state.enemy_players >> player) & 1:
            low |= b_.plain_word(state, player, 0)
            high |= b_.plain_word(state, player, 1)
    prs = np.int64(state.enemy_prs)
    while prs:
        enemy = s.FIRST_PRINCIPALITY + lowest(prs)
        prs &= prs - 1
        low |= b_.plain_word(state, enemy, 0)
        high |= b_.plain_word(state, enemy, 1)
    return low & near_low, high & near_high


@kernel
def claim(state: State, hex_: int) -> None:
    """WP-PCE-14, WP-PCE-16: the province joins the ally and takes its faith."""
    pr = place_in(state)
    move_on(state)
    if hex_ == s.NO_HEX:
        return
    count_rule(state, rule.WP_PCE_14)
    count_rule(state, rule.WP_PCE_16)
    tally(state, s.N_CLAIMS, np.int64(1))
    power = np.int64(state.hex_owner[hex_])
    if power >= s.FIRST_PRINCIPALITY:
        state.lost[power - s.FIRST_PRINCIPALITY] += 1
    b_.join_principality(state, pr, hex_)
    state.ally_claimed[pr] = 1


# --- T3 to T6 -------------------------------------------------------------------------


@kernel
def losses(state: State, knobs: Knobs) -> None:
    """T3 to T5: WP-PCE-10, WP-PCE-11, WP-PCE-19, WP-PCE-20."""
    winner = np.int64(state.victor)
    each = np.int64(0)
    if state.treaty != s.WITH_LEAGUE:
        if state.took_far:
            each += np.int64(knobs.loss_nonadjacent)
        if state.took_town:
            each += np.int64(knobs.loss_town)
    if each > 0:
        count_rule(state, rule.WP_PCE_10)
        count_rule(state, rule.WP_PCE_11)
        prs = np.int64(state.on_map)
        while prs:
            pr = lowest(prs)
            prs &= prs - 1
            if state.di[pr, winner] > 0:
                tally(state, s.N_WAR_DI, lose_on(state, pr, winner, each))
    for pr in range(s.ROSTER):
        loser = np.int64(state.ally_t0[pr])
        if state.lost[pr] > 0 and loser >= 0 and (state.beaten >> loser) & 1 and (state.on_map >> pr) & 1:
            count_rule(state, rule.WP_PCE_19)
            tally(state, s.N_WAR_DI, lose_on(state, pr, loser, np.int64(state.lost[pr])))
    count_rule(state, rule.WP_PCE_20)
    evaluate_all(state, knobs)
    go(state, s.S_ELIMINATE)


@kernel
def eliminate_next(state: State, knobs: Knobs) -> None:
    """T6, WP-PCE-21, WP-FP-14: a beaten player without provinces becomes a Foreign Power at once."""
    while place_in(state) < state.players:
        player = place_in(state)
        if (state.beaten >> player) & 1 and state.extent[player] == 0 and not b_.is_foreign(state, player):
            count_rule(state, rule.WP_PCE_21)
            ask_few(state, player, s.D_EDGE, (np.int64(1) << s.EDGES) - 1)
            return
        move_on(state)
    done(state)


@kernel
def go_into_exile(state: State, knobs: Knobs, edge: int) -> None:
    """WP-FP-14: the player loses his Gold, gets a home outside, and keeps half of his remaining influence."""
    player = np.int64(state.seat)
    count_rule(state, rule.WP_FP_14)
    tally(state, s.N_ELIMINATED, np.int64(1))
    state.eliminated[player] = 1
    state.gold[player] = 0
    state.fp_edge[player] = edge
    state.home[player] = -1
    halve_influence(state, knobs, player)
    evaluate_all(state, knobs)


@kernel
def halve_influence(state: State, knobs: Knobs, player: int) -> None:
    """WP-FP-09, WP-FP-16: all influence is counted and removed; half of it is stored on the home."""
    count_rule(state, rule.WP_FP_09)
    count_rule(state, rule.WP_FP_16)
    total = np.int64(state.di_out[player])
    clear_influence(state, player)
    state.di_stored[player] = 0
    state.di_out[player] = 0
    gain_stored(state, knobs, player, total // np.int64(knobs.fp_di_divisor))


# --- Post-War Diplomacy ---------------------------------------------------------------


@kernel
def post_war(state: State, knobs: Knobs) -> None:
    """WP-PWD-01 to WP-PWD-05."""
    count_order(state)
    religious = False
    for player in range(state.players):
        religious |= state.has_declared[player] == s.RELIGIOUS
    prs = np.int64(state.on_map)
    while prs:
        pr = lowest(prs)
        prs &= prs - 1
        ally = np.int64(state.ally[pr])
        if ally < 0 or state.has_declared[ally] == s.RELIGIOUS:
            continue
        if not state.ally_whole_war[pr] or state.ally_claimed[pr]:
            count_rule(state, rule.WP_PWD_03)
            continue
        if knobs.white_peace_spares_postwar == 1 and state.white_peace[ally]:
            continue
        count_rule(state, rule.WP_PWD_01)
        count_rule(state, rule.WP_PWD_02)
        tally(state, s.N_POSTWAR_DI, lose_on(state, pr, ally, np.int64(knobs.postwar_loss)))
    count_rule(state, rule.WP_PWD_04)
    evaluate_all(state, knobs)
    go(state, s.S_LEAGUES)
    if not religious:
        count_rule(state, rule.WP_PWD_05)
