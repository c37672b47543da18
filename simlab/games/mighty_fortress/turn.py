"""The phases of a turn except for the actions: Fate, Food Upkeep, Dice Draw, Decree, Siege, Traitor Check,
Cleanup."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel
from simlab.engine.streams import below, count_rule
from simlab.game import Cards, Knobs, State
from simlab.games.mighty_fortress import dice as d
from simlab.games.mighty_fortress import rule
from simlab.games.mighty_fortress import state as s
from simlab.games.mighty_fortress import tracks as tr
from simlab.games.mighty_fortress.queue import draw_fate, refill_queue

STARVE_NO_MORE_BIT = np.int64(1) << s.STARVE_NO_MORE
STOP_HOLDING_BIT = np.int64(1) << s.STOP_HOLDING

# --- Fate Phase ---------------------------------------------------------------


@kernel
def fate_phase(state: State, cards: Cards) -> None:
    """MF-TRN-01, MF-GEN-06, MF-FAT-01: starts a new turn and draws its Fate card."""
    count_rule(state, rule.MF_TRN_01)
    state.turn += 1
    state.phase = s.FATE_PHASE
    forget_turn(state)
    count_rule(state, rule.MF_FAT_01)
    card = draw_fate(state, cards)
    state.fate_drawn = card
    state.pc = cards.fate_program[card]
    state.step = s.UPKEEP_STEP


@kernel
def forget_turn(state: State) -> None:
    """MF-GEN-06: once-per-turn actions become available again."""
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
    """MF-UPK-01 to MF-UPK-04: the Food bill, and the number of dice that cannot be fed."""
    state.phase = s.UPKEEP_PHASE
    state.step = s.DRAW_STEP
    if state.turn == 1:
        count_rule(state, rule.MF_UPK_01)
        return
    count_rule(state, rule.MF_UPK_02)
    count_rule(state, rule.MF_UPK_03)
    count_rule(state, rule.MF_TRK_03)
    dice = d.coloured_available(state)
    for colour in range(5):
        dice += state.exhausted[colour]
    levy = state.consumption + state.black_fed
    bill = max(dice + levy + state.ability[s.UPKEEP_AB], 0)
    short = max(bill - state.food, 0)
    if short > 0:
        count_rule(state, rule.MF_UPK_04)
        if not knobs.hunger_levy_first:
            short = max(short - levy, 0)
    state.bill = bill
    state.unfed = 0
    state.unfed_due = min(dice, short)
    state.step = s.STARVE_STEP


@kernel
def name_unfed(state: State, knobs: Knobs) -> None:
    """MF-UPK-05: asks for the dice that go unfed, one by one; under `voluntary_starvation` there may be more than
    necessary."""
    if state.unfed_due == 0 and not knobs.voluntary_starvation:
        state.step = s.HUNGER_STEP
        return
    options = np.int64(state.avail_mask)
    for colour in range(5):
        options |= np.int64(state.exhausted[colour] > state.starving[colour]) << (s.EXHAUSTED + colour)
    if options == 0:
        state.step = s.HUNGER_STEP
        return
    if state.unfed_due == 0:
        options |= STARVE_NO_MORE_BIT
    d.ask(state, s.UNFED, s.ABOUT_ACTION, options)


@kernel
def starve(state: State, die: int) -> None:
    """MF-UPK-05, MF-UPK-06: an unfed die is Exhausted and no longer Held."""
    if die == s.STARVE_NO_MORE:
        state.step = s.HUNGER_STEP
        return
    count_rule(state, rule.MF_UPK_05)
    if die < s.EXHAUSTED:
        colour = d.colour_of(die)
        d.take_available(state, die)
        state.exhausted[colour] += 1
    else:
        colour = die - s.EXHAUSTED
    state.starving[colour] += 1
    state.unfed += 1
    if state.unfed_due > 0:
        state.unfed_due -= 1


@kernel
def pay_and_hunger(state: State, knobs: Knobs) -> None:
    """MF-UPK-06, MF-UPK-07, MF-TRK-04: pays Food, refreshes the fed dice, then applies the penalty."""
    state.food -= min(np.int64(state.food), max(state.bill - state.unfed, 0))
    refresh_dice(state)
    state.step = s.DRAW_STEP
    unfed = np.int64(state.unfed)
    if unfed > 0:
        count_rule(state, rule.MF_UPK_07)
        state.unfed_total += unfed
        if state.first_hunger == 0:
            state.first_hunger = state.turn
        tr.gain(state, knobs, tr.CONSUMPTION, unfed)
        tr.gain(state, knobs, tr.UNREST, unfed)
    if state.consumption >= 4 and not state.over:
        count_rule(state, rule.MF_TRK_04)
        tr.gain(state, knobs, tr.COHESION, -s.ONE)


@kernel
def refresh_dice(state: State) -> None:
    """MF-UPK-06, MF-DIE-01: fed dice go back to the bag, except for the Held ones; unfed dice stay Exhausted."""
    count_rule(state, rule.MF_UPK_06)
    count_rule(state, rule.MF_DIE_01)
    for colour in range(5):
        fed = np.int64(state.exhausted[colour]) - state.starving[colour]
        state.bag[colour] += fed
        state.bag_count += fed
        state.exhausted[colour] = state.starving[colour]
        state.starving[colour] = 0
    left = np.int64(state.avail_mask) & s.COLOURED
    while left != 0:
        die = d.lowest_place(left)
        left &= left - 1
        while state.avail[die] > state.held[die]:
            d.take_available(state, die)
            d.put_in_bag(state, d.colour_of(die))


# --- Dice Draw, Requirement, Decree -------------------------------------------


@kernel
def dice_draw(state: State, knobs: Knobs) -> None:
    """MF-DRW, then MF-REQ-01."""
    state.phase = s.DRAW_PHASE
    d.draw_dice(state, knobs)
    count_rule(state, rule.MF_REQ_01)
    count_rule(state, rule.MF_TRK_09)
    state.requirement_base = max(state.pressure - knobs.requirement_gap, 1)
    tr.refresh_requirement(state)
    state.step = s.DECREE_STEP


@kernel
def decree_phase(state: State, cards: Cards) -> None:
    """MF-DEC-01: 1d12 on the decree table."""
    count_rule(state, rule.MF_DEC_01)
    state.phase = s.DECREE_PHASE
    roll = 1 + below(state, s.DECREE_STREAM, tr.TWELVE)
    state.decree = roll
    state.pc = cards.decree_program[roll]
    state.step = s.ACTION_STEP
    state.strength_sum += state.siege_strength
    targets = np.int64(0)
    for slot in range(6 - state.entrenchment):
        targets += np.int64(state.queue[slot] != s.EMPTY)
    if targets < 3:
        state.few_targets += 1


# --- Siege Phase, Traitor Check -----------------------------------------------


@kernel
def siege_phase(state: State, knobs: Knobs) -> None:
    """MF-SIE-01 to MF-SIE-05, in this order."""
    state.phase = s.SIEGE_PHASE
    state.window_assault = False
    state.step = s.TRAITOR_STEP
    count_rule(state, rule.MF_SIE_01)
    tr.gain(state, knobs, tr.DEFENSE, -knobs.defense_decay)
    count_rule(state, rule.MF_SIE_02)
    tr.gain(state, knobs, tr.ENTRENCHMENT, knobs.entrenchment_rise)
    count_rule(state, rule.MF_SIE_03)
    tr.gain(state, knobs, tr.BOMBARDMENT, knobs.bombardment_rise)
    if state.over:
        return
    if knobs.winter_first <= state.turn <= knobs.winter_last:
        count_rule(state, rule.MF_SIE_04)
        tr.gain(state, knobs, tr.CONSUMPTION, knobs.winter_consumption)
    if state.unrest >= knobs.unrest_pressure_at:
        count_rule(state, rule.MF_SIE_05)
        count_rule(state, rule.MF_TRK_06)
        tr.gain(state, knobs, tr.PRESSURE, s.ONE)
    if state.unrest == 10 and knobs.unrest_ten_mode == 2:
        count_rule(state, rule.MF_TRK_07)
        tr.triggered_assault(state, knobs, s.BY_UNREST)


@kernel
def traitor_check(state: State, knobs: Knobs) -> None:
    """MF-TRA-01, MF-TRA-02, MF-TRA-03."""
    state.phase = s.TRAITOR_PHASE
    state.step = s.CLEANUP_STEP
    if state.black_drawn == 0:
        count_rule(state, rule.MF_TRA_01)
        return
    if state.avail_of[s.BLACK] + state.black_executed_turn >= state.requirement:
        count_rule(state, rule.MF_TRA_02)
        return
    count_rule(state, rule.MF_TRA_03)
    state.traitor_failures += 1
    tr.gain(state, knobs, tr.BOMBARDMENT, s.ONE)
    if not state.over:
        tr.gain(state, knobs, tr.UNREST, s.ONE)
    if not state.over and state.siege_strength > state.defense:
        tr.triggered_assault(state, knobs, s.BY_TRAITOR)


# --- Cleanup ------------------------------------------------------------------


@kernel
def cleanup(state: State, knobs: Knobs) -> None:
    """MF-CLN-01."""
    state.phase = s.CLEANUP_PHASE
    state.black_fed = 0
    if knobs.black_dice_eat:
        state.black_fed = state.avail_of[s.BLACK] + state.exhausted[s.BLACK]
    d.return_black(state)
    state.step = s.HOLD_STEP


@kernel
def choose_held(state: State) -> None:
    """MF-CLN-02, MF-TRK-05: the player may hold up to 2 dice if Cohesion is 4 or more, else 1."""
    limit = 2 if state.cohesion >= 4 else 1
    if state.held_count < limit + state.ability[s.HOLD_AB] and (state.avail_mask & s.COLOURED) != 0:
        options = np.int64(state.avail_mask) & s.COLOURED
        left = options if state.held_count > 0 else np.int64(0)
        while left != 0:
            die = d.lowest_place(left)
            left &= left - 1
            if state.avail[die] == state.held[die]:
                options &= ~d.bit(die)
        if options != 0:
            d.ask(state, s.HOLD, s.ABOUT_ACTION, options | STOP_HOLDING_BIT)
            return
    state.step = s.QUEUE_STEP


@kernel
def hold(state: State, die: int) -> None:
    """MF-CLN-02."""
    if die == s.STOP_HOLDING:
        state.step = s.QUEUE_STEP
        return
    count_rule(state, rule.MF_CLN_02)
    state.held[die] += 1
    state.held_count += 1


@kernel
def end_turn(state: State, knobs: Knobs, cards: Cards) -> None:
    """MF-CLN-03, MF-CLN-05: refills the Queue, then starts the next turn or ends the game."""
    count_rule(state, rule.MF_CLN_03)
    refill_queue(state, cards)
    count_rule(state, rule.MF_CLN_05)
    if state.turn >= knobs.turn_limit:
        tr.survive(state)
    else:
        state.step = s.FATE_STEP
