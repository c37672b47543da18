"""Montségur's fate tokens and the checks made with them (MS-FAT)."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel, small_kernel
from simlab.engine.streams import count_rule, draw_from_set
from simlab.game import Cards, Knobs, State
from simlab.games.montsegur import rule
from simlab.games.montsegur import state as s
from simlab.games.montsegur.board import ask, change_morale
from simlab.games.montsegur.effects import OP_B


@kernel
def draw_token(state: State, stream: int) -> int:
    """MS-FAT-01, MS-FAT-03, MS-FAT-04: draws a token from the bag; the dove and the cross return all tokens to it."""
    count_rule(state, rule.MS_FAT_01)
    count_rule(state, rule.MS_FAT_03)
    bag = np.int64(state.bag)
    left = np.int64(0)
    for number in range(s.TOKENS):
        left += (bag >> number) & 1
    skip = draw_from_set(state, stream, bag, left)
    token = np.int64(0)
    passed = np.int64(0)
    for number in range(s.TOKENS):
        passed += (bag >> number) & 1
        token += np.int64(passed <= skip)
    bag &= ~(np.int64(1) << token)
    if token >= s.DOVE:
        count_rule(state, rule.MS_FAT_04)
        count_rule(state, rule.MS_FAT_06)
        bag = s.FULL_BAG
    state.bag = bag
    state.token = token
    return token


@kernel
def begin_check(state: State, knobs: Knobs, cards: Cards, check: int, side: int, base: int, limit: int) -> None:
    """MS-FAT-09: a side makes a check: base + token must exceed the limit; then the consequences follow."""
    count_rule(state, rule.MS_FAT_09)
    state.check = check
    state.check_side = side
    state.check_base = base
    state.check_limit = limit
    state.redraws = 0
    draw_for_check(state, knobs, cards)


@kernel
def draw_for_check(state: State, knobs: Knobs, cards: Cards) -> None:
    """MS-FAT-02, MS-FAT-05, MS-FAT-10: draws a token; the check succeeds or fails, or the side may first redraw."""
    count_rule(state, rule.MS_FAT_02)
    side = np.int64(state.check_side)
    token = draw_token(state, s.FATE_STREAM + side)
    if token >= s.DOVE:
        count_rule(state, rule.MS_FAT_05)
        success = (token == s.DOVE) == (side == s.CAT)
    else:
        count_rule(state, rule.MS_FAT_10)
        success = state.check_base + state.token_value[side, token] > state.check_limit
    if success:
        check_succeeds(state, knobs, cards)
    elif may_redraw(state, knobs, side):
        ask(state, side, s.D_REDRAW)
    else:
        check_fails(state, knobs, cards)


@small_kernel
def may_redraw(state: State, knobs: Knobs, side: int) -> bool:
    """MS-FAT-07, MS-FAT-08, MS-FAP-06."""
    if state.markers[side] < knobs.redraw_cost:
        return False
    if state.redraws > 0 and knobs.redraw_limit == 0:
        count_rule(state, rule.MS_FAT_08)
        return False
    return state.check != s.LAST_REPENTANCE or knobs.final_redraws == 0


@kernel
def redraw(state: State, knobs: Knobs, cards: Cards, again: int) -> None:
    """MS-FAT-07: the marker is spent; then only the new token counts."""
    if not again:
        check_fails(state, knobs, cards)
        return
    count_rule(state, rule.MS_FAT_07)
    if state.check == s.LAST_REPENTANCE:
        count_rule(state, rule.MS_FAP_06)
    side = np.int64(state.check_side)
    state.markers[side] -= knobs.redraw_cost
    state.redraws += 1
    state.count[s.N_REDRAWS + side] += 1
    draw_for_check(state, knobs, cards)


@kernel
def check_succeeds(state: State, knobs: Knobs, cards: Cards) -> None:
    """Applies the effect of a successful check."""
    side = np.int64(state.check_side)
    if state.check == s.LEADERSHIP:
        count_rule(state, rule.MS_BOO_02)
        state.count[s.N_BOOST_MADE + side] += 1
        change_morale(state, knobs, side, s.ONE)
    elif state.check == s.ESCAPING:
        perfect_escapes(state)
    elif state.check == s.LAST_REPENTANCE:
        perfect_repents(state, knobs)
    else:
        state.count[s.N_REPENT_MADE] += 1


@kernel
def check_fails(state: State, knobs: Knobs, cards: Cards) -> None:
    """Applies the effect of a failed check; a card's failed Repentance Check skips the effects that depend on it."""
    if state.check == s.ESCAPING:
        count_rule(state, rule.MS_ESC_04)
        state.montsegur -= 1
        state.captured += 1
    elif state.check == s.LAST_REPENTANCE:
        state.captured -= 1
        state.burned += 1
    elif state.check != s.LEADERSHIP:
        state.op_at = cards.op[state.op_now, OP_B]


@kernel
def perfect_escapes(state: State) -> None:
    """MS-ESC-04: one Montségur Perfect gets away."""
    count_rule(state, rule.MS_ESC_04)
    state.montsegur -= 1
    state.escaped += 1
    state.count[s.N_ESCAPE_MADE] += 1


@kernel
def perfect_repents(state: State, knobs: Knobs) -> None:
    """MS-FAP-03, MS-FAP-05: under `domino`, the first perfect who repents makes another one repent."""
    state.captured -= 1
    state.repenting += 1
    if state.broken_line and knobs.broken_line_mode == 2 and not state.line_domino:
        count_rule(state, rule.MS_FAP_05)
        state.line_domino = 1
        if state.captured > 0:
            state.captured -= 1
            state.repenting += 1
        elif state.burned > 0:
            state.burned -= 1
            state.repenting += 1


@small_kernel
def crusaders_win_token(state: State, token: int) -> bool:
    """MS-INI-05: whether a token's higher number is the Crusaders'."""
    if token == s.CROSS:
        return True
    return token != s.DOVE and state.token_value[s.CRU, token] > state.token_value[s.CAT, token]
