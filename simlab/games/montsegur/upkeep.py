"""Montségur's upkeep: strategy, faith and siege attrition, step by step (MS-STR, MS-FTH, MS-ATT)."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel, small_kernel
from simlab.engine.streams import count_rule
from simlab.game import Knobs, State
from simlab.games.montsegur import rule
from simlab.games.montsegur.actions import crest_owner
from simlab.games.montsegur.board import (
    ask,
    centre,
    change_faith,
    change_food,
    change_morale,
    enter,
    gain_markers,
    lowest,
    single,
    surrender,
)
from simlab.games.montsegur.deck import discard_card, out_of_hand, stack_card
from simlab.games.montsegur.state import (
    ATTRITION,
    CAT,
    CRU,
    D_DESERT,
    D_STRATEGY,
    DESERT_CAT,
    DESERT_CRU,
    FAITH,
    FAITH_LOST,
    FATE_OF_PERFECTS,
    LOCATIONS,
    N_BURIED,
    N_CREST_4,
    N_CREST_TURNS,
    N_DECAYED,
    N_DESERTED,
    N_HUNGER,
    N_MORALE_UPKEEP,
    NO_PERFECTS,
    NOBODY,
    ONE,
    STRATEGY_CRU,
    STRATEGY_REST,
    TIME_UP,
    TURN_END,
    TURN_START,
    ZERO,
)

# --- Strategy upkeep --------------------------------------------------------------------


@kernel
def strategic_move(state: State, side: int) -> None:
    """MS-STR-01: one hand card for the stack; the Cathars are asked first, their answer stays hidden."""
    state.activity = 0
    state.stage = STRATEGY_CRU if side == CAT else STRATEGY_REST
    if state.hand_len[side] == 1:
        stack_card(state, side, ZERO)
    elif state.hand_len[side] > 1:
        ask(state, side, D_STRATEGY)


@kernel
def rest_of_strategy(state: State, knobs: Knobs) -> None:
    """MS-STR-02 to MS-STR-05."""
    state.stage = FAITH
    for side in range(2):
        while state.hand_len[side] > 0:
            count_rule(state, rule.MS_STR_02)
            discard_card(state, side, out_of_hand(state, side, ZERO))
    for side in range(2):
        lost = np.int64(state.markers[side]) // knobs.marker_decay_divisor
        if lost > 0:
            count_rule(state, rule.MS_STR_03)
            state.markers[side] -= lost
            state.count[N_DECAYED + side] += lost
    for side in range(2):
        if state.scouts[side] > 0:
            count_rule(state, rule.MS_STR_04)
            scout_returns(state, side)
    if state.scouts[CAT] != state.scouts[CRU]:
        count_rule(state, rule.MS_STR_05)
        scout_returns(state, CAT if state.scouts[CAT] > state.scouts[CRU] else CRU)


@small_kernel
def scout_returns(state: State, side: int) -> None:
    state.scouts[side] -= 1
    gain_markers(state, side, ONE)


# --- Faith upkeep -----------------------------------------------------------------------


@kernel
def faith_upkeep(state: State, knobs: Knobs) -> None:
    """MS-FTH-01 to MS-FTH-03; after a surrender only the first two (MS-END-05)."""
    fallen = state.surrendered != NOBODY
    state.stage = FATE_OF_PERFECTS if fallen else ATTRITION
    if state.aspiring > 0:
        count_rule(state, rule.MS_FTH_01)
        state.aspiring -= 1
        state.montsegur += 1
    if state.montsegur < state.faith:
        count_rule(state, rule.MS_FTH_02)
        change_faith(state, knobs, -ONE)
    if fallen:
        late_surrender(state, knobs)
    elif state.montsegur == 0:
        count_rule(state, rule.MS_FTH_03)
        surrender(state, CAT, NO_PERFECTS)


@kernel
def late_surrender(state: State, knobs: Knobs) -> None:
    """MS-END-06: the game has ended; under `counts` the Cathars' surrender takes the Crusaders' place."""
    if state.faith > 0 and state.montsegur > 0:
        return
    count_rule(state, rule.MS_END_06)
    if knobs.late_second_surrender == 1 and state.surrendered == CRU:
        state.surrendered = CAT
        state.ending = FAITH_LOST if state.faith == 0 else NO_PERFECTS


# --- Siege attrition upkeep -------------------------------------------------------------


@kernel
def attrition(state: State, knobs: Knobs) -> None:
    """MS-ATT-01 to MS-ATT-03; each step only while nobody has surrendered (MS-END-04)."""
    state.stage = DESERT_CAT
    count_rule(state, rule.MS_ATT_01)
    for side in range(2):
        bury_and_recover(state, knobs, side)
    count_rule(state, rule.MS_ATT_02)
    if knobs.food_per_turn > 0:
        change_food(state, knobs, -np.int64(knobs.food_per_turn))
    if state.surrendered == NOBODY and state.food <= knobs.hunger_limit:
        state.count[N_HUNGER] += 1
        change_morale(state, knobs, CAT, -ONE)
    for side in range(2):
        loss = np.int64(knobs.cat_morale_per_turn if side == CAT else knobs.cru_morale_per_turn)
        if state.surrendered == NOBODY and loss > 0:
            count_rule(state, rule.MS_ATT_03)
            state.count[N_MORALE_UPKEEP + side] += loss
            change_morale(state, knobs, side, -loss)


@kernel
def bury_and_recover(state: State, knobs: Knobs, side: int) -> None:
    """MS-ATT-01: part of the Battlefield dies, the rest goes to the command centre."""
    fought = np.int64(state.battlefield[side])
    dead = fought // knobs.bury_divisor
    state.battlefield[side] = 0
    state.count[N_BURIED + side] += min(dead, 100)
    enter(state, side, centre(side), fought - dead)


@kernel
def desertion(state: State, knobs: Knobs, victim: int) -> None:
    """MS-ATT-04: at low Morale the enemy removes one soldier."""
    state.stage = DESERT_CRU if victim == CAT else TURN_END
    if state.morale[victim] > knobs.desertion_limit:
        return
    count_rule(state, rule.MS_ATT_04)
    mask = desert_options(state, knobs, victim)
    if single(mask):
        desert(state, victim, lowest(mask))
    elif mask:
        ask(state, 1 - victim, D_DESERT)


@kernel
def desert_options(state: State, knobs: Knobs, victim: int) -> int:
    """MS-ATT-05: mask of the locations that a soldier may desert from."""
    mask = np.int64(0)
    for place in range(LOCATIONS):
        if state.soldiers[victim, place] > 0 and (knobs.desertion_scope == 0 or place != centre(victim)):
            mask |= np.int64(1) << place
    return mask


@kernel
def desert(state: State, victim: int, place: int) -> None:
    count_rule(state, rule.MS_ATT_05)
    state.soldiers[victim, place] -= 1
    state.count[N_DESERTED + victim] += 1
    if place == centre(victim) and state.soldiers[victim, place] == 0:
        count_rule(state, rule.MS_LOC_04)


# --- End of the turn --------------------------------------------------------------------


@kernel
def end_turn(state: State, knobs: Knobs) -> None:
    """MS-ATT-06, MS-END-03: turn effects lapse; after the last turn the Cathars surrender."""
    count_rule(state, rule.MS_ATT_06)
    state.stage = TURN_START
    note_standing(state)
    for side in range(2):
        state.lead[side] = 0
        state.reinf_mod[side] = 0
    state.escape_mod = 0
    state.path_less = 0
    state.no_attack = 0
    if state.turn >= knobs.turns_max:
        count_rule(state, rule.MS_END_03)
        surrender(state, CAT, TIME_UP)
        state.end_turn = state.turn + 1
    else:
        state.turn += 1


@kernel
def note_standing(state: State) -> None:
    """For the row: who holds the Crest, and the points in the faith game after turns 2, 4 and 6."""
    owner = crest_owner(state)
    if owner == CRU:
        state.count[N_CREST_TURNS] += 1
    if state.turn == 4:
        state.count[N_CREST_4] = owner + 1
    if state.turn == 2 or state.turn == 4 or state.turn == 6:
        state.standing[np.int64(state.turn) // 2 - 1] = standing(state)


@small_kernel
def standing(state: State) -> int:
    """Victory points of the perfects if the Cathars surrendered now and every check failed to convert: 2 for each
    escaped, 1 for each other but Aspiring ones, and the Crusaders' 4 while nobody has escaped."""
    points = 2 * np.int64(state.escaped) + state.montsegur + state.captured - 2 * state.repenting
    if state.escaped == 0:
        points -= 4
    return min(max(points, -100), 100)
