"""Montségur's upkeep: strategy, faith and siege attrition, step by step (MS-STR, MS-FTH, MS-ATT)."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel, small_kernel
from simlab.engine.streams import count_rule
from simlab.game import Knobs, State
from simlab.games.montsegur import board as b
from simlab.games.montsegur import rule
from simlab.games.montsegur import state as s
from simlab.games.montsegur.actions import crest_owner
from simlab.games.montsegur.deck import discard_card, out_of_hand, stack_card

# --- Strategy upkeep --------------------------------------------------------------------


@kernel
def strategic_move(state: State, side: int) -> None:
    """MS-STR-01: each side puts one hand card on the stack; the Cathars are asked first, and their answer stays
    hidden."""
    state.activity = 0
    state.stage = s.STRATEGY_CRU if side == s.CAT else s.STRATEGY_REST
    if state.hand_len[side] == 1:
        stack_card(state, side, s.ZERO)
    elif state.hand_len[side] > 1:
        b.ask(state, side, s.D_STRATEGY)


@kernel
def rest_of_strategy(state: State, knobs: Knobs) -> None:
    """MS-STR-02 to MS-STR-05."""
    state.stage = s.FAITH
    for side in range(2):
        while state.hand_len[side] > 0:
            count_rule(state, rule.MS_STR_02)
            discard_card(state, side, out_of_hand(state, side, s.ZERO))
    for side in range(2):
        lost = np.int64(state.markers[side]) // knobs.marker_decay_divisor
        if lost > 0:
            count_rule(state, rule.MS_STR_03)
            state.markers[side] -= lost
            state.count[s.N_DECAYED + side] += lost
    for side in range(2):
        if state.scouts[side] > 0:
            count_rule(state, rule.MS_STR_04)
            scout_returns(state, side)
    if state.scouts[s.CAT] != state.scouts[s.CRU]:
        count_rule(state, rule.MS_STR_05)
        scout_returns(state, s.CAT if state.scouts[s.CAT] > state.scouts[s.CRU] else s.CRU)


@small_kernel
def scout_returns(state: State, side: int) -> None:
    state.scouts[side] -= 1
    b.gain_markers(state, side, s.ONE)


# --- Faith upkeep -----------------------------------------------------------------------


@kernel
def faith_upkeep(state: State, knobs: Knobs) -> None:
    """MS-FTH-01 to MS-FTH-03; after a surrender, only the first two steps (MS-END-05)."""
    fallen = state.surrendered != s.NOBODY
    state.stage = s.FATE_OF_PERFECTS if fallen else s.ATTRITION
    if state.aspiring > 0:
        count_rule(state, rule.MS_FTH_01)
        state.aspiring -= 1
        state.montsegur += 1
    if state.montsegur < state.faith:
        count_rule(state, rule.MS_FTH_02)
        b.change_faith(state, knobs, -s.ONE)
    if fallen:
        late_surrender(state, knobs)
    elif state.montsegur == 0:
        count_rule(state, rule.MS_FTH_03)
        b.surrender(state, s.CAT, s.NO_PERFECTS)


@kernel
def late_surrender(state: State, knobs: Knobs) -> None:
    """MS-END-06: the game has ended; under `counts` the Cathars' surrender replaces the Crusaders'."""
    if state.faith > 0 and state.montsegur > 0:
        return
    count_rule(state, rule.MS_END_06)
    if knobs.late_second_surrender == 1 and state.surrendered == s.CRU:
        state.surrendered = s.CAT
        state.ending = s.FAITH_LOST if state.faith == 0 else s.NO_PERFECTS


# --- Siege attrition upkeep -------------------------------------------------------------


@kernel
def attrition(state: State, knobs: Knobs) -> None:
    """MS-ATT-01 to MS-ATT-03; each step only while nobody has surrendered (MS-END-04)."""
    state.stage = s.DESERT_CAT
    count_rule(state, rule.MS_ATT_01)
    for side in range(2):
        bury_and_recover(state, knobs, side)
    count_rule(state, rule.MS_ATT_02)
    if knobs.food_per_turn > 0:
        b.change_food(state, knobs, -np.int64(knobs.food_per_turn))
    if state.surrendered == s.NOBODY and state.food <= knobs.hunger_limit:
        state.count[s.N_HUNGER] += 1
        b.change_morale(state, knobs, s.CAT, -s.ONE)
    for side in range(2):
        loss = np.int64(knobs.cat_morale_per_turn if side == s.CAT else knobs.cru_morale_per_turn)
        if state.surrendered == s.NOBODY and loss > 0:
            count_rule(state, rule.MS_ATT_03)
            state.count[s.N_MORALE_UPKEEP + side] += loss
            b.change_morale(state, knobs, side, -loss)


@kernel
def bury_and_recover(state: State, knobs: Knobs, side: int) -> None:
    """MS-ATT-01: part of the Battlefield dies, the rest goes to the command centre."""
    fought = np.int64(state.battlefield[side])
    dead = fought // knobs.bury_divisor
    state.battlefield[side] = 0
    state.count[s.N_BURIED + side] += min(dead, 100)
    b.enter(state, side, b.centre(side), fought - dead)


@kernel
def desertion(state: State, knobs: Knobs, victim: int) -> None:
    """MS-ATT-04: at low Morale the enemy removes one soldier."""
    state.stage = s.DESERT_CRU if victim == s.CAT else s.TURN_END
    if state.morale[victim] > knobs.desertion_limit:
        return
    count_rule(state, rule.MS_ATT_04)
    mask = desert_options(state, knobs, victim)
    if b.single(mask):
        desert(state, victim, b.lowest(mask))
    elif mask:
        b.ask(state, 1 - victim, s.D_DESERT)


@kernel
def desert_options(state: State, knobs: Knobs, victim: int) -> int:
    """MS-ATT-05: mask of the locations from which a soldier may desert."""
    mask = np.int64(0)
    for place in range(s.LOCATIONS):
        if state.soldiers[victim, place] > 0 and (knobs.desertion_scope == 0 or place != b.centre(victim)):
            mask |= np.int64(1) << place
    return mask


@kernel
def desert(state: State, victim: int, place: int) -> None:
    count_rule(state, rule.MS_ATT_05)
    state.soldiers[victim, place] -= 1
    state.count[s.N_DESERTED + victim] += 1
    if place == b.centre(victim) and state.soldiers[victim, place] == 0:
        count_rule(state, rule.MS_LOC_04)


# --- End of the turn --------------------------------------------------------------------


@kernel
def end_turn(state: State, knobs: Knobs) -> None:
    """MS-ATT-06, MS-END-03: turn effects lapse; after the last turn the Cathars surrender."""
    count_rule(state, rule.MS_ATT_06)
    state.stage = s.TURN_START
    note_standing(state)
    for side in range(2):
        state.lead[side] = 0
        state.reinf_mod[side] = 0
    state.escape_mod = 0
    state.path_less = 0
    state.no_attack = 0
    if state.turn >= knobs.turns_max:
        count_rule(state, rule.MS_END_03)
        b.surrender(state, s.CAT, s.TIME_UP)
        state.end_turn = state.turn + 1
    else:
        state.turn += 1


@kernel
def note_standing(state: State) -> None:
    """For the row: the holder of the Crest, and the points in the faith game after turns 2, 4 and 6."""
    owner = crest_owner(state)
    if owner == s.CRU:
        state.count[s.N_CREST_TURNS] += 1
    if state.turn == 4:
        state.count[s.N_CREST_4] = owner + 1
    if state.turn == 2 or state.turn == 4 or state.turn == 6:
        state.standing[np.int64(state.turn) // 2 - 1] = standing(state)


@small_kernel
def standing(state: State) -> int:
    """Victory points of the perfects if the Cathars surrendered now and every check failed to convert: 2 for each
    escaped perfect, 1 for each other except Aspiring Perfects, and 4 to the Crusaders while nobody has escaped.
    """
    points = 2 * np.int64(state.escaped) + state.montsegur + state.captured - 2 * state.repenting
    if state.escaped == 0:
        points -= 4
    return min(max(points, -100), 100)
