"""Good Works, Saints and the Religion Role cards (ledger 3.5)."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel, small_kernel
from simlab.engine.streams import count_rule
from simlab.game import Cards, Knobs, State
from simlab.games.westphalia import rule
from simlab.games.westphalia import state as s
from simlab.games.westphalia.board import is_foreign, saved_places
from simlab.games.westphalia.flow import tally

MOST_SAINTS = np.int64(50)  # WP-BND-04


@kernel
def gain_works(state: State, knobs: Knobs, player: int, works: int) -> None:
    """WP-ROL-01, WP-GEN-13: full Good Works dice become Saints at once, whatever the source."""
    count_rule(state, rule.WP_ROL_02)
    die = np.int64(state.gw_die[player]) + works
    while die >= knobs.gw_per_saint:
        count_rule(state, rule.WP_ROL_01)
        count_rule(state, rule.WP_GEN_13)
        die -= np.int64(knobs.gw_per_saint)
        gain_saints(state, player, np.int64(1))
    state.gw_die[player] = die


@kernel
def gain_saints(state: State, player: int, saints: int) -> None:
    state.saints[player] = min(np.int64(state.saints[player]) + saints, MOST_SAINTS)


@small_kernel
def rank_value(state: State, knobs: Knobs, player: int) -> int:
    """WP-ROL-03: T, by which Catholics are ranked."""
    die = np.int64(state.gw_die[player])
    if knobs.gw_rank_counts_saints == 0:
        return np.int64(knobs.gw_per_saint) * np.int64(state.saints[player]) + die
    return die


@small_kernel
def is_saved(state: State, player: int) -> bool:
    """WP-ROL-08: whether a player is saved."""
    return state.role[player] >= s.ALONE


@kernel
def refresh_roles(state: State, knobs: Knobs, cards: Cards) -> None:
    """WP-ROL-03 to WP-ROL-05: the Catholics with the most Good Works are saved, all others are in mortal sin."""
    count_rule(state, rule.WP_ROL_03)
    chosen = np.int64(0)
    for _ in range(saved_places(state, knobs, cards)):
        best = s.NOBODY
        most = np.int64(0)
        for place in range(state.players):
            player = np.int64(state.initiative[place])
            if state.faith[player] == s.CATHOLIC and not (chosen >> player) & 1:
                worth = rank_value(state, knobs, player)
                if worth > most:
                    best, most = player, worth
        if best == s.NOBODY:
            break
        chosen |= np.int64(1) << best
    for player in range(state.players):
        if state.faith[player] != s.CATHOLIC:
            continue
        if (chosen >> player) & 1:
            if state.role[player] != s.WORKS:
                count_rule(state, rule.WP_ROL_04)
            if is_foreign(state, player):
                count_rule(state, rule.WP_ROL_09)
            state.role[player] = s.WORKS
        else:
            if state.role[player] != s.SIN:
                count_rule(state, rule.WP_ROL_05)
            state.role[player] = s.SIN


@kernel
def take_protestant_role(state: State, player: int) -> None:
    """WP-ROL-06, WP-CNV-06: the player becomes Saved by Faith Alone if a card is free, else Predestined to Hell."""
    count_rule(state, rule.WP_CNV_06)
    count_rule(state, rule.WP_ROL_06)
    if state.fa_free > 0:
        state.fa_free -= 1
        state.role[player] = s.ALONE
    else:
        state.role[player] = s.HELL


@kernel
def hand_on_faith_alone(state: State, player: int) -> None:
    """WP-ROL-07, WP-CNV-07: the card goes to the first Predestined player in Initiative Order, or stays free."""
    if state.role[player] != s.ALONE:
        return
    count_rule(state, rule.WP_CNV_07)
    count_rule(state, rule.WP_ROL_07)
    state.role[player] = s.SIN
    for place in range(state.players):
        other = np.int64(state.initiative[place])
        if state.role[other] == s.HELL:
            state.role[other] = s.ALONE
            tally(state, s.N_FA_PASSED, np.int64(1))
            return
    state.fa_free += 1


@kernel
def least_saved(state: State, knobs: Knobs) -> int:
    """The lowest rank value of those Saved by Faith and Works; 0 if nobody is (WP-CNV-08)."""
    least = np.int64(0)
    any_saved = False
    for player in range(state.players):
        if state.role[player] == s.WORKS:
            worth = rank_value(state, knobs, player)
            if not any_saved or worth < least:
                least = worth
            any_saved = True
    return least
