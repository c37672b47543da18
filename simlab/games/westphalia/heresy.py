"""Phase 2, first and second part: Player Conversion and the Council of Trent (ledger 3.8 and 3.9)."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel
from simlab.engine.streams import count_rule
from simlab.game import Cards, Knobs, State
from simlab.games.westphalia import rule
from simlab.games.westphalia import state as s
from simlab.games.westphalia.board import is_foreign, orthodox_towns, set_faith
from simlab.games.westphalia.flow import ask_few, count_order, go, move_on, place_in, tally
from simlab.games.westphalia.influence import gain_stored
from simlab.games.westphalia.roles import (
    gain_saints,
    gain_works,
    hand_on_faith_alone,
    least_saved,
    refresh_roles,
    take_protestant_role,
)
from simlab.games.westphalia.sets import draw

MOST_GOLD = np.int64(40)  # WP-BND-02

# --- Player Conversion ------------------------------------------------------------


@kernel
def ask_conversions(state: State, knobs: Knobs, cards: Cards) -> None:
    """WP-CNV-01, WP-CNV-11: every player in the Empire chooses in secret; then all choices are shown."""
    while place_in(state) < state.players:
        player = place_in(state)
        if not is_foreign(state, player):
            count_rule(state, rule.WP_CNV_01)
            count_rule(state, rule.WP_GEN_07)
            ask_few(state, player, s.D_CONVERT, np.int64(3))
            return
        count_rule(state, rule.WP_CNV_11)
        move_on(state)
    count_order(state)
    for place in range(state.players):
        player = np.int64(state.initiative[place])
        if not is_foreign(state, player) and state.pending[player] == s.CONVERT:
            convert(state, knobs, cards, player)
    for player in range(state.players):
        state.pending[player] = -1
    income(state, knobs)
    go(state, s.S_TOKENS)


@kernel
def choose_in_secret(state: State, choice: int) -> None:
    """WP-GEN-07: a secret choice is stored until all have chosen."""
    state.pending[state.seat] = choice
    move_on(state)


@kernel
def convert(state: State, knobs: Knobs, cards: Cards, player: int) -> None:
    """WP-CNV-02, WP-CNV-03, WP-CNV-10: players convert one after the other, each completely."""
    count_rule(state, rule.WP_CNV_02)
    count_rule(state, rule.WP_CNV_03)
    tally(state, s.N_CONVERSIONS, np.int64(1))
    if state.faith[player] == s.CATHOLIC:
        to_protestantism(state, knobs, player)
    else:
        to_catholicism(state, knobs, player)
    set_faith(state, np.int64(state.home[player]), np.int64(state.faith[player]))
    count_rule(state, rule.WP_CNV_10)
    refresh_roles(state, knobs, cards)


@kernel
def to_protestantism(state: State, knobs: Knobs, player: int) -> None:
    """WP-CNV-04 to WP-CNV-06."""
    count_rule(state, rule.WP_CNV_04)
    state.faith[player] = s.PROTESTANT
    state.gw_die[player] = 0
    state.saints[player] = 0
    if state.monastery[player]:
        count_rule(state, rule.WP_CNV_05)
        state.monastery[player] = 0
        gain_gold(state, player, np.int64(knobs.monastery_gold))
    take_protestant_role(state, player)


@kernel
def to_catholicism(state: State, knobs: Knobs, player: int) -> None:
    """WP-CNV-07 to WP-CNV-09, WP-CNV-12."""
    count_rule(state, rule.WP_CNV_12)
    tally(state, s.N_RETURNS, np.int64(1))
    hand_on_faith_alone(state, player)
    catholics = 0
    for other in range(state.players):
        catholics += state.faith[other] == s.CATHOLIC
    state.faith[player] = s.CATHOLIC
    state.role[player] = s.SIN
    if catholics == 0:
        count_rule(state, rule.WP_CNV_09)
        gain_saints(state, player, np.int64(state.turn))
    else:
        works = least_saved(state, knobs) - np.int64(knobs.martyrs_gap)
        if works > 0:
            count_rule(state, rule.WP_CNV_08)
            gain_works(state, knobs, player, works)


@kernel
def gain_gold(state: State, player: int, gold: int) -> None:
    state.gold[player] = min(np.int64(state.gold[player]) + gold, MOST_GOLD)


@kernel
def income(state: State, knobs: Knobs) -> None:
    """WP-INC-01, WP-INC-02: for the capital or home, and for each orthodox town-province."""
    count_rule(state, rule.WP_INC_01)
    for player in range(state.players):
        towns = orthodox_towns(state, player)
        if (state.land[player, 0] & state.town[0]) | (state.land[player, 1] & state.town[1]) and towns == 0:
            count_rule(state, rule.WP_INC_02)
        gain_gold(state, player, np.int64(knobs.income_capital) + np.int64(knobs.income_town) * towns)


# --- The Council of Trent -----------------------------------------------------------


@kernel
def ask_tokens(state: State, knobs: Knobs, cards: Cards) -> None:
    """WP-TRE-01, WP-TRE-07: until the Reformation each Catholic chooses a token in secret."""
    if state.reformation:
        go(state, s.S_EARN)
        return
    while place_in(state) < state.players:
        player = place_in(state)
        if state.faith[player] == s.CATHOLIC:
            count_rule(state, rule.WP_TRE_01)
            count_rule(state, rule.WP_TRE_07)
            ask_few(state, player, s.D_TOKEN, np.int64(3))
            return
        move_on(state)
    reveal_tokens(state, knobs, cards)
    go(state, s.S_EARN)


@kernel
def reveal_tokens(state: State, knobs: Knobs, cards: Cards) -> None:
    """WP-TRE-02 to WP-TRE-05."""
    tokens = np.int64(0)
    trent = np.int64(0)
    for player in range(state.players):
        if state.faith[player] == s.CATHOLIC:
            tokens += 1
            count_rule(state, rule.WP_TRE_02)
            if state.pending[player] == s.TRENT:
                trent += 1
                gain_works(state, knobs, player, np.int64(knobs.trent_gw))
            else:
                gain_stored(state, knobs, player, np.int64(knobs.french_di))
    if tokens == 0:
        return
    refresh_roles(state, knobs, cards)
    emperor = np.int64(state.emperor)
    delayed = state.faith[emperor] == s.CATHOLIC and state.pending[emperor] != s.TRENT
    for player in range(state.players):
        state.pending[player] = -1
    if 2 * trent < tokens or delayed:
        return
    count_rule(state, rule.WP_TRE_03)
    count_rule(state, rule.WP_TRE_04)
    count_rule(state, rule.WP_TRE_08)
    state.last_roll = draw(state, s.OTTOMAN_STREAM, np.int64(cards.ottoman_sides))
    if state.last_roll >= knobs.ottoman_crescents:
        count_rule(state, rule.WP_TRE_05)
        reformation(state, knobs, cards, np.int64(knobs.reformation_saints))
        state.count[s.N_COUNCIL] = state.turn


@kernel
def reformation(state: State, knobs: Knobs, cards: Cards, saints: int) -> None:
    """WP-TRE-05, WP-TRE-06: abuses and indulgences end; each Catholic gains Saints."""
    state.reformation = 1
    for player in range(state.players):
        if state.faith[player] == s.CATHOLIC:
            gain_saints(state, player, saints)
    refresh_roles(state, knobs, cards)


@kernel
def lepanto(state: State, knobs: Knobs, cards: Cards) -> None:
    """WP-TRE-06: the Reformation begins anyway."""
    if state.reformation == 0 and state.turn >= knobs.lepanto_round:
        count_rule(state, rule.WP_TRE_06)
        saints = np.int64(knobs.reformation_saints) if knobs.lepanto_saints == 0 else np.int64(0)
        reformation(state, knobs, cards, saints)
        state.count[s.N_COUNCIL] = -state.turn
