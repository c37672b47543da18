"""Scoring, the historical bands, and the row of a finished game (ledger 3.17)."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel
from simlab.engine.streams import count_rule
from simlab.game import Cards, Knobs, Row, State
from simlab.games.mighty_fortress import rule
from simlab.games.mighty_fortress import state as s


@kernel
def converted_points(state: State, cards: Cards) -> int:
    """MF-SCO-02: printed VP of the Outsiders on the tableau."""
    points = 0
    for card in range(cards.n_outsiders):
        if (np.int64(state.tableau) >> card) & 1:
            points += cards.vp[card]
    return points


@kernel
def elder_points(state: State, knobs: Knobs, cards: Cards) -> int:
    """MF-SCO-03: 1 for each seated Elder and for King Jan; executed ones score again under
    `executed_elder_vp_twice`."""
    points = 1
    for elder in range(cards.n_elders):
        if state.elder_state[elder] == s.SEATED:
            points += 1
        elif state.elder_state[elder] == s.EXECUTED and knobs.executed_elder_vp_twice:
            points += cards.elder_vp[elder]
    return points


@kernel
def defense_points(state: State) -> int:
    """MF-SCO-05."""
    if state.defense == 5:
        return 4
    return 2 if state.defense == 4 else 0


@kernel
def mastery_points(state: State, knobs: Knobs) -> int:
    """MF-SCO-06: 3 each for Piety and Influence that are at 10 at the end or, under `mastery_latched`, ever were."""
    points = 0
    if state.piety == 10 or (knobs.mastery_latched and state.piety_reached):
        points += 3
    if state.influence == 10 or (knobs.mastery_latched and state.influence_reached):
        points += 3
    return points


@kernel
def survival_band(points: int) -> int:
    """MF-SCO-08: 0-19, 20-34, 35-49, 50 and more."""
    if points >= 50:
        return s.PYRRHIC + 3
    if points >= 35:
        return s.PYRRHIC + 2
    return s.PYRRHIC + 1 if points >= 20 else s.PYRRHIC


@kernel
def relief_band(points: int) -> int:
    """MF-SCO-07: 0-29, 30-44, 45 and more."""
    if points >= 45:
        return s.RELIEF + 2
    return s.RELIEF + 1 if points >= 30 else s.RELIEF


@kernel
def total_points(state: State, knobs: Knobs, cards: Cards) -> int:
    """MF-SCO-01 to MF-SCO-06: VP earned during the game plus everything scored at the end."""
    return (
        state.vp
        + converted_points(state, cards)
        + elder_points(state, knobs, cards)
        + state.luxuries // 2
        + defense_points(state)
        + mastery_points(state, knobs)
    )


@kernel
def settle_score(state: State, knobs: Knobs, cards: Cards) -> None:
    """MF-SCO-01 to MF-SCO-08: sets the score and its band, unless the game ended in a Breach."""
    if state.ending < s.PYRRHIC:
        return
    total = total_points(state, knobs, cards)
    count_rule(state, rule.MF_SCO_01)
    if state.tableau != 0:
        count_rule(state, rule.MF_SCO_02)
    count_rule(state, rule.MF_SCO_03)
    if state.luxuries > 1:
        count_rule(state, rule.MF_SCO_04)
    if state.defense >= 4:
        count_rule(state, rule.MF_SCO_05)
    if mastery_points(state, knobs) > 0:
        count_rule(state, rule.MF_SCO_06)
    if state.ending >= s.RELIEF:
        count_rule(state, rule.MF_SCO_07)
        state.ending = relief_band(total)
    else:
        count_rule(state, rule.MF_SCO_08)
        state.ending = survival_band(total)


@kernel
def outcome(state: State, knobs: Knobs, cards: Cards, row: Row) -> None:
    """The row of a finished game. A Breach has no winner and no score (MF-END-01)."""
    row.turns = state.turn
    row.ending = state.ending
    row.winner = -1
    row.winners = 0
    if state.ending >= s.PYRRHIC:
        row.winner = 0
        row.winners = 1
        row.score[0] = total_points(state, knobs, cards)
        row.vp_earned = state.vp
        row.vp_converted = converted_points(state, cards)
        row.vp_elders = elder_points(state, knobs, cards)
        row.vp_luxuries = state.luxuries // 2
        row.vp_defense = defense_points(state)
        row.vp_mastery = mastery_points(state, knobs)
    row.breach_phase = state.phase + 1 if state.ending < s.PYRRHIC else 0
    row.assaults_bombardment = state.assaults[1]
    row.assaults_unrest = state.assaults[2]
    row.assaults_traitor = state.assaults[3]
    row.assaults_card = state.assaults[4]
    row.traitor_failures = state.traitor_failures
    row.unfed_dice = state.unfed_total
    row.first_hunger = state.first_hunger
    row.casualties = state.casualties_taken
    row.recovered = state.recovered
    row.conversions = state.conversions
    row.negotiations = state.negotiations
    row.raids = state.raids
    row.dispatch_moves = state.dispatch_moves
    row.dispatch_advances = state.dispatch_advances
    row.support_total = 0
    row.cities_on_track = 0
    for city in range(s.MAX_CITIES):
        if state.support[city] != s.OFF_TRACK:
            row.support_total += state.support[city]
            row.cities_on_track += 1
    row.executed_dice = state.executed_dice
    row.executed_black = state.executed_black
    row.executed_cards = state.executed_cards
    row.elders_seated = state.elders_seated
    row.activations = state.activations
    row.actions = state.actions_taken
    row.black_worked = state.black_worked
    row.black_dead = state.black_dead
    row.used_white = state.dice_used[0]
    row.used_yellow = state.dice_used[1]
    row.used_red = state.dice_used[2]
    row.used_blue = state.dice_used[3]
    row.used_purple = state.dice_used[4]
    row.used_black = state.dice_used[s.BLACK]
    row.few_targets = state.few_targets
    row.strength_sum = state.strength_sum
    row.food_end = state.food
    row.defense_end = state.defense
    row.unrest_end = state.unrest
    row.strength_end = state.siege_strength
