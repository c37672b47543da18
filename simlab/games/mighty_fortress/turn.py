"""The phases of a turn but for the actions: Fate, Food Upkeep, Dice Draw, Decree, Siege, Traitor Check,
Cleanup."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel
from simlab.engine.streams import below, count_rule
from simlab.game import Cards, Knobs, State
from simlab.games.mighty_fortress import rule
from simlab.games.mighty_fortress.dice import (
    ask,
    bit,
    colour_of,
    coloured_available,
    draw_dice,
    lowest_place,
    put_in_bag,
    return_black,
    take_available,
)
from simlab.games.mighty_fortress.queue import draw_fate, refill_queue
from simlab.games.mighty_fortress.state import (
    ABOUT_ACTION,
    ACTION_STEP,
    BLACK,
    BY_TRAITOR,
    BY_UNREST,
    CLEANUP_PHASE,
    CLEANUP_STEP,
    COLOURED,
    DECREE_PHASE,
    DECREE_STEP,
    DECREE_STREAM,
    DRAW_PHASE,
    DRAW_STEP,
    EMPTY,
    EXHAUSTED,
    FATE_PHASE,
    FATE_STEP,
    HOLD,
    HOLD_AB,
    HOLD_STEP,
    HUNGER_STEP,
    ONE,
    QUEUE_STEP,
    SIEGE_PHASE,
    STARVE_NO_MORE,
    STARVE_STEP,
    STOP_HOLDING,
    TRAITOR_PHASE,
    TRAITOR_STEP,
    UNFED,
    UPKEEP_AB,
    UPKEEP_PHASE,
    UPKEEP_STEP,
)
from simlab.games.mighty_fortress.tracks import (
    BOMBARDMENT,
    COHESION,
    CONSUMPTION,
    DEFENSE,
    ENTRENCHMENT,
    PRESSURE,
    TWELVE,
    UNREST,
    gain,
    refresh_requirement,
    survive,
    triggered_assault,
)

STARVE_NO_MORE_BIT = np.int64(1) << STARVE_NO_MORE
STOP_HOLDING_BIT = np.int64(1) << STOP_HOLDING

# --- Fate Phase ---------------------------------------------------------------


@kernel
def fate_phase(state: State, cards: Cards) -> None:
    """MF-TRN-01, MF-GEN-06, MF-FAT-01: a new turn; its Fate card."""
    count_rule(state, rule.MF_TRN_01)
    state.turn += 1
    state.phase = FATE_PHASE
    forget_turn(state)
    count_rule(state, rule.MF_FAT_01)
    card = draw_fate(state, cards)
    state.fate_drawn = card
    state.pc = cards.fate_program[card]
    state.step = UPKEEP_STEP


@kernel
def forget_turn(state: State) -> None:
    """MF-GEN-06: what may be done once a turn may be done again."""
    count_rule(state, rule.MF_GEN_06)
    state.ration_used = False
    state.patrol_used = False
    state.counter_used = False
    state.deconstruct_used = False
    state.blue_used = False
    state.yellow_used = False
    state.converts = 0
    state.negotiates = 0
    state.advances = 0
    state.executes = 0
    state.black_work = 0
    state.herald = False
    state.counter_cost_turn = 0
    state.raid_roll_turn = 0
    state.city_targeted = 0
    state.activated = 0
    state.requirement_mod = 0
    state.black_executed_turn = 0
    state.decree = 0


# --- Food Upkeep --------------------------------------------------------------


@kernel
def food_upkeep(state: State, knobs: Knobs) -> None:
    """MF-UPK-01 to MF-UPK-04: the bill, and how many dice cannot be fed."""
    state.phase = UPKEEP_PHASE
    state.step = DRAW_STEP
    if state.turn == 1:
        count_rule(state, rule.MF_UPK_01)
        return
    count_rule(state, rule.MF_UPK_02)
    count_rule(state, rule.MF_UPK_03)
    count_rule(state, rule.MF_TRK_03)
    dice = coloured_available(state)
    for colour in range(5):
        dice += state.exhausted[colour]
    levy = state.consumption + state.black_fed
    bill = max(dice + levy + state.ability[UPKEEP_AB], 0)
    short = max(bill - state.food, 0)
    if short > 0:
        count_rule(state, rule.MF_UPK_04)
        if not knobs.hunger_levy_first:
            short = max(short - levy, 0)
    state.bill = bill
    state.unfed = 0
    state.unfed_due = min(dice, short)
    state.step = STARVE_STEP


@kernel
def name_unfed(state: State, knobs: Knobs) -> None:
    """MF-UPK-05: the dice that go unfed, one by one; under `voluntary_starvation` more than must."""
    if state.unfed_due == 0 and not knobs.voluntary_starvation:
        state.step = HUNGER_STEP
        return
    options = np.int64(state.avail_mask)
    for colour in range(5):
        options |= np.int64(state.exhausted[colour] > state.starving[colour]) << (EXHAUSTED + colour)
    if options == 0:
        state.step = HUNGER_STEP
        return
    if state.unfed_due == 0:
        options |= STARVE_NO_MORE_BIT
    ask(state, UNFED, ABOUT_ACTION, options)


@kernel
def starve(state: State, die: int) -> None:
    """MF-UPK-05, MF-UPK-06: an unfed die lies Exhausted and is Held no more."""
    if die == STARVE_NO_MORE:
        state.step = HUNGER_STEP
        return
    count_rule(state, rule.MF_UPK_05)
    if die < EXHAUSTED:
        colour = colour_of(die)
        take_available(state, die)
        state.exhausted[colour] += 1
    else:
        colour = die - EXHAUSTED
    state.starving[colour] += 1
    state.unfed += 1
    if state.unfed_due > 0:
        state.unfed_due -= 1


@kernel
def pay_and_hunger(state: State, knobs: Knobs) -> None:
    """MF-UPK-06, MF-UPK-07, MF-TRK-04: Food, the fed dice, then the penalty."""
    state.food -= min(np.int64(state.food), max(state.bill - state.unfed, 0))
    refresh_dice(state)
    state.step = DRAW_STEP
    unfed = np.int64(state.unfed)
    if unfed > 0:
        count_rule(state, rule.MF_UPK_07)
        state.unfed_total += unfed
        if state.first_hunger == 0:
            state.first_hunger = state.turn
        gain(state, knobs, CONSUMPTION, unfed)
        gain(state, knobs, UNREST, unfed)
    if state.consumption >= 4 and not state.over:
        count_rule(state, rule.MF_TRK_04)
        gain(state, knobs, COHESION, -ONE)


@kernel
def refresh_dice(state: State) -> None:
    """MF-UPK-06, MF-DIE-01: fed dice go back to the bag, but for the Held ones; unfed dice stay Exhausted."""
    count_rule(state, rule.MF_UPK_06)
    count_rule(state, rule.MF_DIE_01)
    for colour in range(5):
        fed = np.int64(state.exhausted[colour]) - state.starving[colour]
        state.bag[colour] += fed
        state.bag_count += fed
        state.exhausted[colour] = state.starving[colour]
        state.starving[colour] = 0
    left = np.int64(state.avail_mask) & COLOURED
    while left != 0:
        die = lowest_place(left)
        left &= left - 1
        while state.avail[die] > state.held[die]:
            take_available(state, die)
            put_in_bag(state, colour_of(die))


# --- Dice Draw, Requirement, Decree -------------------------------------------


@kernel
def dice_draw(state: State, knobs: Knobs) -> None:
    """MF-DRW, then MF-REQ-01."""
    state.phase = DRAW_PHASE
    draw_dice(state, knobs)
    count_rule(state, rule.MF_REQ_01)
    count_rule(state, rule.MF_TRK_09)
    state.requirement_base = max(state.pressure - knobs.requirement_gap, 1)
    refresh_requirement(state)
    state.step = DECREE_STEP


@kernel
def decree_phase(state: State, cards: Cards) -> None:
    """MF-DEC-01: 1d12 on the decree table."""
    count_rule(state, rule.MF_DEC_01)
    state.phase = DECREE_PHASE
    roll = 1 + below(state, DECREE_STREAM, TWELVE)
    state.decree = roll
    state.pc = cards.decree_program[roll]
    state.step = ACTION_STEP
    state.strength_sum += state.siege_strength
    targets = np.int64(0)
    for slot in range(6 - state.entrenchment):
        targets += np.int64(state.queue[slot] != EMPTY)
    if targets < 3:
        state.few_targets += 1


# --- Siege Phase, Traitor Check -----------------------------------------------


@kernel
def siege_phase(state: State, knobs: Knobs) -> None:
    """MF-SIE-01 to MF-SIE-05, in this order."""
    state.phase = SIEGE_PHASE
    state.window_assault = False
    state.step = TRAITOR_STEP
    count_rule(state, rule.MF_SIE_01)
    gain(state, knobs, DEFENSE, -knobs.defense_decay)
    count_rule(state, rule.MF_SIE_02)
    gain(state, knobs, ENTRENCHMENT, knobs.entrenchment_rise)
    count_rule(state, rule.MF_SIE_03)
    gain(state, knobs, BOMBARDMENT, knobs.bombardment_rise)
    if state.over:
        return
    if knobs.winter_first <= state.turn <= knobs.winter_last:
        count_rule(state, rule.MF_SIE_04)
        gain(state, knobs, CONSUMPTION, knobs.winter_consumption)
    if state.unrest >= knobs.unrest_pressure_at:
        count_rule(state, rule.MF_SIE_05)
        count_rule(state, rule.MF_TRK_06)
        gain(state, knobs, PRESSURE, ONE)
    if state.unrest == 10 and knobs.unrest_ten_mode == 2:
        count_rule(state, rule.MF_TRK_07)
        triggered_assault(state, knobs, BY_UNREST)


@kernel
def traitor_check(state: State, knobs: Knobs) -> None:
    """MF-TRA-01, MF-TRA-02, MF-TRA-03."""
    state.phase = TRAITOR_PHASE
    state.step = CLEANUP_STEP
    if state.black_drawn == 0:
        count_rule(state, rule.MF_TRA_01)
        return
    if state.avail_of[BLACK] + state.black_executed_turn >= state.requirement:
        count_rule(state, rule.MF_TRA_02)
        return
    count_rule(state, rule.MF_TRA_03)
    state.traitor_failures += 1
    gain(state, knobs, BOMBARDMENT, ONE)
    if not state.over:
        gain(state, knobs, UNREST, ONE)
    if not state.over and state.siege_strength > state.defense:
        triggered_assault(state, knobs, BY_TRAITOR)


# --- Cleanup ------------------------------------------------------------------


@kernel
def cleanup(state: State, knobs: Knobs) -> None:
    """MF-CLN-01."""
    state.phase = CLEANUP_PHASE
    state.black_fed = 0
    if knobs.black_dice_eat:
        state.black_fed = state.avail_of[BLACK] + state.exhausted[BLACK]
    return_black(state)
    state.step = HOLD_STEP


@kernel
def choose_held(state: State) -> None:
    """MF-CLN-02, MF-TRK-05: up to 2 dice if Cohesion is 4 or more, else up to 1."""
    limit = 2 if state.cohesion >= 4 else 1
    if state.held_count < limit + state.ability[HOLD_AB] and (state.avail_mask & COLOURED) != 0:
        options = np.int64(state.avail_mask) & COLOURED
        left = options if state.held_count > 0 else np.int64(0)
        while left != 0:
            die = lowest_place(left)
            left &= left - 1
            if state.avail[die] == state.held[die]:
                options &= ~bit(die)
        if options != 0:
            ask(state, HOLD, ABOUT_ACTION, options | STOP_HOLDING_BIT)
            return
    state.step = QUEUE_STEP


@kernel
def hold(state: State, die: int) -> None:
    """MF-CLN-02."""
    if die == STOP_HOLDING:
        state.step = QUEUE_STEP
        return
    count_rule(state, rule.MF_CLN_02)
    state.held[die] += 1
    state.held_count += 1


@kernel
def end_turn(state: State, knobs: Knobs, cards: Cards) -> None:
    """MF-CLN-03, MF-CLN-05: the Queue, then the next turn or the end."""
    count_rule(state, rule.MF_CLN_03)
    refill_queue(state, cards)
    count_rule(state, rule.MF_CLN_05)
    if state.turn >= knobs.turn_limit:
        survive(state)
    else:
        state.step = FATE_STEP
