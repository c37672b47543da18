"""Tracks, resources and their triggers: Siege Strength, the Requirement, Assault Checks, the end.

A trigger (Unrest 10, Bombardment 5) is settled in `gain`, where it arises, because an Assault Check asks for no
decision.
"""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel, small_kernel
from simlab.engine.streams import below, count_rule
from simlab.game import Cards, Knobs, State
from simlab.games.mighty_fortress import rule
from simlab.games.mighty_fortress import state as s

(
    FOOD, MATERIALS, LUXURIES, PIETY, INFLUENCE, COHESION, DEFENSE, ENTRENCHMENT, BOMBARDMENT, CONSUMPTION,
    UNREST,
    PRESSURE, VP, SIEGE_STRENGTH, REQUIREMENT, TURN,
) = s.numbers(0, 16)  # fmt: skip

FIVE, TEN, TWELVE, MOST_VP = np.int64(5), np.int64(10), np.int64(12), np.int64(99)

# --- Moving a track -----------------------------------------------------------


@small_kernel
def clamped(state: State, value: int, most: int) -> int:
    """MF-GEN-01: within 0..most; any excess is lost."""
    if value > most:
        count_rule(state, rule.MF_GEN_01)
        return most
    if value < 0:
        count_rule(state, rule.MF_GEN_01)
        return 0
    return value


@small_kernel
def gain(state: State, knobs: Knobs, what: int, n: int) -> None:
    """Moves a track or resource by n and carries out the consequences. If a rule passes a constant track, the compiler
    keeps only that track's branch.
    """
    if what == FOOD:
        state.food = clamped(state, state.food + n, knobs.food_max)
    elif what == MATERIALS:
        state.materials = clamped(state, state.materials + n, knobs.materials_max)
    elif what == LUXURIES:
        state.luxuries = clamped(state, state.luxuries + n, knobs.luxuries_max)
    elif what == UNREST:
        gain_unrest(state, knobs, n)
    elif what == BOMBARDMENT:
        gain_bombardment(state, knobs, n)
    elif what == COHESION:
        state.cohesion = clamped(state, state.cohesion + n, FIVE)
    elif what == DEFENSE:
        state.defense = clamped(state, state.defense + n, FIVE)
    elif what == PRESSURE:
        state.pressure = clamped(state, state.pressure + n, FIVE)
    elif what == PIETY:
        state.piety = clamped(state, state.piety + n, TEN)
        state.piety_reached = state.piety_reached or state.piety == 10
    elif what == INFLUENCE:
        state.influence = clamped(state, state.influence + n, TEN)
        state.influence_reached = state.influence_reached or state.influence == 10
    elif what == ENTRENCHMENT:
        state.entrenchment = clamped(state, state.entrenchment + n, FIVE)
    elif what == CONSUMPTION:
        state.consumption = clamped(state, state.consumption + n, FIVE)
    elif what == VP:
        state.vp = clamped(state, state.vp + n, MOST_VP)


@kernel
def gain_as_said(state: State, knobs: Knobs, what: int, n: int) -> None:
    """`gain` for a track named by a card."""
    gain(state, knobs, what, n)


@kernel
def read_track(state: State, what: int) -> int:
    """The value of a track, for the `if` of a card."""
    value = 0
    if what == FOOD:
        value = state.food
    elif what == MATERIALS:
        value = state.materials
    elif what == LUXURIES:
        value = state.luxuries
    elif what == PIETY:
        value = state.piety
    elif what == INFLUENCE:
        value = state.influence
    elif what == COHESION:
        value = state.cohesion
    elif what == DEFENSE:
        value = state.defense
    elif what == ENTRENCHMENT:
        value = state.entrenchment
    elif what == BOMBARDMENT:
        value = state.bombardment
    elif what == CONSUMPTION:
        value = state.consumption
    elif what == UNREST:
        value = state.unrest
    elif what == PRESSURE:
        value = state.pressure
    elif what == VP:
        value = state.vp
    elif what == SIEGE_STRENGTH:
        value = state.siege_strength
    elif what == REQUIREMENT:
        value = state.requirement
    elif what == TURN:
        value = state.turn
    return value


@kernel
def gain_unrest(state: State, knobs: Knobs, n: int) -> None:
    """MF-TRK-07: reaching 10 triggers an Assault Check at once; Unrest stays at 10, and triggers again only if it
    leaves 10 and returns."""
    before = state.unrest
    state.unrest = clamped(state, before + n, TEN)
    reached = before < 10 and state.unrest == 10
    if reached or (n > 0 and before == 10 and knobs.unrest_ten_mode == 1):
        count_rule(state, rule.MF_TRK_07)
        triggered_assault(state, knobs, s.BY_UNREST)


@kernel
def gain_bombardment(state: State, knobs: Knobs, n: int) -> None:
    """MF-TRK-08, MF-ASL-03 to MF-ASL-05: at 5 an Assault Check takes place and Bombardment goes to 0; if the gate
    (Siege Strength > Defense) applies and fails, it goes to 4 instead."""
    before = state.bombardment
    state.bombardment = clamped(state, before + n, FIVE)
    if state.bombardment < 5 or n <= 0:
        return
    count_rule(state, rule.MF_TRK_08)
    scope = knobs.bombardment_gate_scope
    gated = state.phase == s.SIEGE_PHASE or scope == 2
    if state.phase == s.TRAITOR_PHASE and scope == 0:
        count_rule(state, rule.MF_ASL_05)
        gated = True
    if state.phase == s.SIEGE_PHASE:
        count_rule(state, rule.MF_ASL_04)
    elif not gated:
        count_rule(state, rule.MF_ASL_03)
    if gated and state.siege_strength <= state.defense:
        state.bombardment = 4
        return
    triggered_assault(state, knobs, s.BY_BOMBARDMENT)
    state.bombardment = 0


# --- Siege Strength and the Traitor Requirement -------------------------------


@small_kernel
def measure_strength(state: State, cards: Cards) -> None:
    """MF-TRK-01: the sum of the ratings of the cards in the Queue, at most 5."""
    count_rule(state, rule.MF_TRK_01)
    total = np.int64(0)
    for slot in range(s.SLOTS):
        card = np.int64(state.queue[slot])
        total += np.int64(card != s.EMPTY) * cards.rating[card]  # no branch; EMPTY reads the last card
    state.siege_strength = min(total, 5)


@small_kernel
def refresh_requirement(state: State) -> None:
    """MF-REQ-01, MF-TRK-09: the base with its modifiers, at most the number of Black dice drawn, within 1..5."""
    need = state.requirement_base + state.requirement_mod + state.ability[s.REQUIREMENT_AB]
    state.requirement = max(min(need, state.black_drawn, 5), 1)


# --- Assault Checks -----------------------------------------------------------


@kernel
def triggered_assault(state: State, knobs: Knobs, cause: int) -> None:
    """MF-ASL-06, MF-ASL-07: at most one Assault Check in the Siege Phase and Traitor Check together; elsewhere every
    one takes place."""
    count_rule(state, rule.MF_ASL_02)
    if state.pc != 0:
        count_rule(state, rule.MF_GEN_02)
    if state.phase == s.SIEGE_PHASE or (state.phase == s.TRAITOR_PHASE and knobs.one_assault_scope == 0):
        if state.window_assault:
            count_rule(state, rule.MF_ASL_06)
            return
    else:
        count_rule(state, rule.MF_ASL_07)
    assault_check(state, knobs, cause, np.int64(0))


@kernel
def assault_check(state: State, knobs: Knobs, cause: int, modifier: int) -> None:
    """MF-ASL-01: 1d12 + Defense - Siege Strength + modifiers: Breach, repelled, Entrenchment -1 or Cohesion
    +1."""
    if state.over:
        return
    count_rule(state, rule.MF_ASL_01)
    if state.phase == s.DECREE_PHASE:
        count_rule(state, rule.MF_DEC_02)
    elif state.phase == s.FATE_PHASE and cause == s.BY_CARD:
        count_rule(state, rule.MF_FAT_03)
    state.window_assault = state.phase == s.SIEGE_PHASE or state.phase == s.TRAITOR_PHASE
    state.assaults[cause] += 1
    roll = 1 + below(state, s.ASSAULT_STREAM, TWELVE)
    total = roll + state.defense - state.siege_strength + modifier + state.ability[s.ASSAULT_AB]
    state.assault_roll = roll
    state.assault_total = total
    state.assault_cause = cause
    state.assault_turn = state.turn
    if total <= knobs.breach_max:
        count_rule(state, rule.MF_END_01)
        finish(state, cause)
        return
    count_rule(state, rule.MF_ASL_08)
    if total > knobs.strong_repel_max:
        state.cohesion = clamped(state, state.cohesion + 1, FIVE)
    elif total > knobs.repel_max:
        state.entrenchment = clamped(state, state.entrenchment - 1, FIVE)


# --- The end ------------------------------------------------------------------


@small_kernel
def finish(state: State, ending: int) -> None:
    """MF-GEN-04: the game ends immediately."""
    count_rule(state, rule.MF_GEN_04)
    state.over = True
    state.asking = False
    state.ending = ending


@small_kernel
def check_relief(state: State, knobs: Knobs) -> None:
    """MF-END-02, MF-DSP-06: enough Nearby Cities at full Support bring the Major Victory."""
    won = np.int64(0)
    for city in range(s.MAX_CITIES):
        won += np.int64(state.support[city] >= knobs.support_goal)
    if won >= knobs.cities_needed:
        count_rule(state, rule.MF_END_02)
        count_rule(state, rule.MF_DSP_06)
        finish(state, s.RELIEF)


@kernel
def survive(state: State) -> None:
    """MF-END-03: the last turn is over and the city holds. The band is settled with the score."""
    count_rule(state, rule.MF_END_03)
    finish(state, s.PYRRHIC)
