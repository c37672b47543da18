"""Phase 2, third part: Spread the Faith (ledger 3.10)."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel, small_kernel
from simlab.engine.streams import count_rule
from simlab.game import Cards, Knobs, State
from simlab.games.westphalia import board as b
from simlab.games.westphalia import rule
from simlab.games.westphalia import state as s
from simlab.games.westphalia.flow import ask, ask_few, count_order, go, move_on, place_in, tally
from simlab.games.westphalia.heresy import gain_gold
from simlab.games.westphalia.roles import gain_works, is_saved, refresh_roles
from simlab.games.westphalia.sets import around, bit_of, chain, draw, first_hex, holds, lowest, word_of

# --- Faith dice earned, bought and rolled -------------------------------------------


@kernel
def earn_dice(state: State, knobs: Knobs, cards: Cards) -> None:
    """WP-FTH-01: all players earn dice, in the rule's order."""
    count_rule(state, rule.WP_FTH_01)
    works = np.int64(0)
    for player in range(state.players):
        state.dice[player] = 0
        if state.faith[player] == s.CATHOLIC:
            state.dice[player] = state.saints[player]
            if state.reformation == 0:
                gain_gold(state, player, np.int64(knobs.indulgence_gold))
            if state.monastery[player]:
                works = np.int64(knobs.ora_gw)
                gain_works(state, knobs, player, works)
    refresh_roles(state, knobs, cards)
    for player in range(state.players):
        if state.faith[player] == s.PROTESTANT:
            early = state.turn <= knobs.early_rounds
            state.dice[player] += (
                np.int64(knobs.protestant_dice_early) if early else np.int64(knobs.protestant_dice_late)
            )
        state.dice[player] += zeal(state, knobs, cards, player)
        if state.faith[player] == state.faith[state.emperor]:
            state.dice[player] += np.int64(knobs.sanction_dice)
    go(state, s.S_PATRONAGE)


@kernel
def zeal(state: State, knobs: Knobs, cards: Cards, player: int) -> int:
    """Dice of the saved: those of roles.csv, plus the knob's difference from the printed two."""
    printed = np.int64(cards.role_dice[state.role[player]])
    if not is_saved(state, player) or printed == 0:
        return np.int64(0)
    count_rule(state, rule.WP_ROL_08)
    return max(printed + np.int64(knobs.zeal_dice) - 2, np.int64(0))


@kernel
def ask_patronage(state: State, knobs: Knobs, cards: Cards) -> None:
    """WP-FTH-02: Gold for dice, chosen in secret."""
    while place_in(state) < state.players:
        player = place_in(state)
        gold = np.int64(state.gold[player])
        if gold > 0:
            count_rule(state, rule.WP_FTH_02)
            ask_few(state, player, s.D_PATRONAGE, (np.int64(2) << gold) - 1)
            return
        state.pending[player] = 0
        move_on(state)
    for player in range(state.players):
        spent = np.int64(state.pending[player])
        state.gold[player] -= spent
        state.dice[player] += spent * np.int64(knobs.patronage_dice)
        tally(state, s.N_PATRONAGE, spent)
        state.pending[player] = -1
    roll_dice(state, knobs, cards)
    go(state, s.S_DICE)


@kernel
def roll_dice(state: State, knobs: Knobs, cards: Cards) -> None:
    """WP-FTH-03, WP-FTH-04: the successes; Catholics gain Good Works for theirs."""
    count_order(state)
    for player in range(state.players):
        count_rule(state, rule.WP_FTH_03)
        rolled = np.int64(state.dice[player])
        successes = np.int64(0)
        for _ in range(rolled):
            successes += draw(state, s.FAITH_STREAM + player, np.int64(cards.faith_sides)) < knobs.faith_success_faces
        state.dice[player] = successes
        tally(state, s.N_DICE, rolled)
        tally(state, s.N_SUCCESSES, successes)
        if state.faith[player] == s.CATHOLIC and successes > 0:
            count_rule(state, rule.WP_FTH_04)
            gain_works(state, knobs, player, successes)
    refresh_roles(state, knobs, cards)


# --- Placing ------------------------------------------------------------------------


@kernel
def place_dice(state: State, knobs: Knobs, cards: Cards) -> None:
    """WP-FTH-05: in Initiative Order each player places all his successes, one at a time."""
    while place_in(state) < state.players:
        player = np.int64(state.initiative[place_in(state)])
        if state.dice[player] > 0:
            if state.targets[0] == 0 and state.targets[1] == 0:
                find_targets(state, cards, player)
                if state.targets[0] == 0 and state.targets[1] == 0:
                    tally(state, s.N_DICE_LOST, np.int64(state.dice[player]))
                    state.dice[player] = 0
                    continue
            ask(state, player, s.D_DIE, np.int64(state.targets[0]), np.int64(state.targets[1]))
            return
        state.targets[0] = 0
        state.targets[1] = 0
        move_on(state)
    resolve_dice(state, knobs)
    go(state, s.S_GAME_OF_TWO)


@kernel
def find_targets(state: State, cards: Cards, player: int) -> None:
    """WP-FTH-06 to WP-FTH-10: the player's provinces, and those in the chain from the capital or one hex beyond it."""
    count_rule(state, rule.WP_FTH_06)
    count_rule(state, rule.WP_FTH_07)
    count_rule(state, rule.WP_FTH_08)
    count_rule(state, rule.WP_FTH_10)
    faith = np.int64(state.faith[player])
    size = np.int64(state.map_size)
    free_low = b.of_faith(state, 0, faith) & cards.on_map[size, 0]
    free_high = b.of_faith(state, 1, faith) & cards.on_map[size, 1]
    reach_low = np.int64(0)
    reach_high = np.int64(0)
    if b.is_foreign(state, player):
        reach_low = np.int64(cards.edge[size, state.fp_edge[player], 0])
        reach_high = np.int64(cards.edge[size, state.fp_edge[player], 1])
        start_low = reach_low & free_low
        start_high = reach_high & free_high
    else:
        home = np.int64(state.home[player])
        start_low = bit_of(home) if word_of(home) == 0 else np.int64(0)
        start_high = bit_of(home) if word_of(home) == 1 else np.int64(0)
    found_low, found_high = chain(cards.beside, start_low, start_high, free_low, free_high)
    near_low, near_high = around(cards.beside, found_low, found_high)
    reach_low |= found_low | near_low
    reach_high |= found_high | near_high
    if faith == s.CATHOLIC and state.reformation == 0:
        count_rule(state, rule.WP_FTH_09)
        reach_low &= free_low
        reach_high &= free_high
        set_targets(state, reach_low, reach_high, player, free_low, free_high)
    else:
        set_targets(state, reach_low, reach_high, player, ~np.int64(0), ~np.int64(0))


@kernel
def set_targets(state: State, low: int, high: int, player: int, may_low: int, may_high: int) -> None:
    """Sets the targets: players' hexes one by one, a principality as its capital; own provinces in any case."""
    targets_low = np.int64(state.land[player, 0]) & may_low
    targets_high = np.int64(state.land[player, 1]) & may_high
    for other in range(state.players):
        targets_low |= state.land[other, 0] & low
        targets_high |= state.land[other, 1] & high
    prs = np.int64(state.on_map)
    while prs:
        pr = lowest(prs)
        prs &= prs - 1
        power = s.FIRST_PRINCIPALITY + pr
        if (state.land[power, 0] & low) | (state.land[power, 1] & high):
            home = np.int64(state.home[power])
            if word_of(home) == 0:
                targets_low |= bit_of(home)
            else:
                targets_high |= bit_of(home)
    state.targets[0] = targets_low
    state.targets[1] = targets_high


@kernel
def place_die(state: State, hex_: int) -> None:
    """WP-FTH-05, WP-FTH-11, WP-FTH-14: one die; on a principality it cancels one die of the other faith, and both are
    removed."""
    count_rule(state, rule.WP_FTH_05)
    player = np.int64(state.seat)
    faith = np.int64(state.faith[player])
    state.dice[player] -= 1
    owner = np.int64(state.hex_owner[hex_])
    if owner < s.PLAYERS:
        count_rule(state, rule.WP_FTH_14)
        state.hex_dice[hex_, faith] += 1
        tally(state, s.N_DICE_ON_OWN if owner == player else s.N_DICE_ON_PLAYERS, np.int64(1))
        return
    pr = owner - s.FIRST_PRINCIPALITY
    tally(state, s.N_DICE_ON_PR, np.int64(1))
    if state.pr_dice[pr, 1 - faith] > 0:
        count_rule(state, rule.WP_FTH_11)
        state.pr_dice[pr, 1 - faith] -= 1
        if state.marker[pr] == s.NO_FLAME:
            state.marker[pr] = s.LYING
            tally(state, s.N_FLAMES, np.int64(1))
    else:
        state.pr_dice[pr, faith] += 1


# --- Effects of the dice ------------------------------------------------------------


@kernel
def resolve_dice(state: State, knobs: Knobs) -> None:
    """WP-FTH-12 to WP-FTH-16."""
    count_rule(state, rule.WP_FTH_16)
    for pr in range(s.ROSTER):
        other = 1 - np.int64(state.pr_faith[pr])
        if state.pr_dice[pr, other] > 0 and state.pr_dice[pr, other] >= b.size_of(state, pr):
            count_rule(state, rule.WP_FTH_12)
            b.convert_principality(state, pr, other)
            tally(state, s.N_TURNED_PR, np.int64(1))
        state.pr_dice[pr, 0] = 0
        state.pr_dice[pr, 1] = 0
    for player in range(state.players):
        low = np.int64(state.land[player, 0])
        high = np.int64(state.land[player, 1])
        while low or high:
            hex_ = first_hex(low, high)
            if low:
                low &= low - 1
            else:
                high &= high - 1
            if state.hex_dice[hex_, 0] or state.hex_dice[hex_, 1]:
                resolve_province(state, knobs, player, hex_)


@kernel
def resolve_province(state: State, knobs: Knobs, player: int, hex_: int) -> None:
    """WP-FTH-13, WP-FTH-15: dice of the owner's faith cancel others; the remaining ones convert the province."""
    faith = np.int64(state.faith[player])
    own = np.int64(state.hex_dice[hex_, faith])
    other = np.int64(state.hex_dice[hex_, 1 - faith])
    state.hex_dice[hex_, 0] = 0
    state.hex_dice[hex_, 1] = 0
    count_rule(state, rule.WP_FTH_13)
    cancels = np.int64(knobs.own_die_cancels)
    cancelled = min(other, cancels * own)
    other -= cancelled
    orthodox = b.hex_faith(state, hex_) == faith
    if knobs.own_die_spent == 1 and not orthodox:
        own -= (cancelled + cancels - 1) // cancels
    if other > 0:
        if holds(state.capital, hex_):
            count_rule(state, rule.WP_FTH_15)
            pay(state, player, np.int64(knobs.capital_loss_gold))
        else:
            if orthodox:
                tally(state, s.N_TURNED_PROVINCES, np.int64(1))
                if holds(state.town, hex_):
                    count_rule(state, rule.WP_FTH_15)
                    pay(state, player, np.int64(knobs.town_loss_gold))
            b.set_faith(state, hex_, 1 - faith)
    elif own > 0:
        if not orthodox:
            tally(state, s.N_TURNED_PROVINCES, np.int64(1))
        b.set_faith(state, hex_, faith)


@small_kernel
def pay(state: State, player: int, gold: int) -> None:
    """WP-GEN-09: pays no more than the player has."""
    paid = min(gold, np.int64(state.gold[player]))
    state.gold[player] -= paid
    tally(state, s.N_TOWN_GOLD_LOST, paid)
