"""Montségur's end: the fate of the perfects and the victory points (MS-END, MS-FAP, MS-VP)."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel, small_kernel
from simlab.engine.streams import count_rule
from simlab.game import Array, Cards, Knobs, Row, State
from simlab.games.montsegur import rule
from simlab.games.montsegur import state as s
from simlab.games.montsegur.deck import card_symbols, put_away
from simlab.games.montsegur.fate import begin_check


@kernel
def take_up_surrender(state: State) -> None:
    """MS-END-04, MS-END-05: after a surrender in an activity phase the strategy and faith steps still follow; in upkeep
    none do."""
    state.aftermath = 1
    state.decision = s.NO_DECISION
    if not state.activity:
        count_rule(state, rule.MS_END_04)
        state.stage = s.FATE_OF_PERFECTS
        return
    count_rule(state, rule.MS_END_05)
    if state.card >= 0 and np.int64(state.place[state.card]) & s.ZONE == s.IN_PLAY:
        put_away(state, np.int64(state.card), np.int64(state.in_event))
    state.in_event = 0
    state.stage = s.STRATEGY_CAT


@kernel
def fate_of_perfects(state: State, knobs: Knobs) -> None:
    """MS-FAP-01, MS-FAP-02."""
    if state.surrendered == s.CRU:
        count_rule(state, rule.MS_FAP_01)
        state.escaped += state.aspiring + state.montsegur + state.captured
        state.aspiring = 0
        state.montsegur = 0
        state.captured = 0
        state.stage = s.COUNT_VP
        return
    count_rule(state, rule.MS_FAP_02)
    state.aspiring = 0
    state.captured += state.montsegur
    state.montsegur = 0
    state.bag = s.FULL_BAG
    burning = min(np.int64(state.faith), np.int64(state.captured))
    state.captured -= burning
    state.burned += burning
    state.stage = s.FINAL_CHECKS


@kernel
def next_final_check(state: State, knobs: Knobs, cards: Cards) -> None:
    """MS-FAP-03 to MS-FAP-05: a Repentance Check for each perfect left, one after the other."""
    if state.captured == 0:
        state.stage = s.COUNT_VP
        return
    count_rule(state, rule.MS_FAP_03)
    count_rule(state, rule.MS_FAP_04)
    base = np.int64(knobs.repent_base)
    if state.broken_line and knobs.broken_line_mode < 2:
        count_rule(state, rule.MS_FAP_05)
        base += knobs.broken_line_bonus if knobs.broken_line_mode == 0 else 1
    begin_check(state, knobs, cards, s.LAST_REPENTANCE, s.CRU, base, np.int64(state.faith))


# --- Victory points -----------------------------------------------------------------------


@kernel
def strategy_count(state: State, knobs: Knobs, cards: Cards, side: int) -> int:
    """MS-VP-08: a side's own symbols on its stack."""
    total = 0
    for at in range(state.stack_len[side]):
        total += card_symbols(knobs, cards, np.int64(state.stack[side, at]), side)
    return total


@small_kernel
def duration_points(knobs: Knobs, turn: int) -> int:
    """MS-VP-05: points for the turn of a Cathar surrender; turns_max + 1 means that they outlasted the siege."""
    return knobs.vp_duration_last + knobs.vp_duration_slope * (knobs.turns_max + 1 - turn)


# Sources of victory points: three for the Cathars, four for the Crusaders, one for both.
VP_ESCAPED, VP_BURNED, VP_GRAIL = s.numbers(0, 3)
VP_REPENTING, VP_NONE_ESCAPED, VP_CASTLE, VP_DURATION = s.numbers(0, 4)
VP_STRATEGY = np.int64(4)


@kernel
def points_of(state: State, knobs: Knobs, side: int, part: int) -> int:
    """Victory points of a side by source."""
    if part == VP_STRATEGY:
        return knobs.vp_strategy if state.majority == side else 0
    if side == s.CAT:
        if part == VP_ESCAPED:
            return knobs.vp_escape * state.escaped
        if part == VP_BURNED:
            return knobs.vp_burn * state.burned
        if part == VP_GRAIL and state.grail:
            return np.int64(knobs.vp_grail)
        return 0
    if part == VP_REPENTING:
        return knobs.vp_repent * state.repenting
    if part == VP_NONE_ESCAPED:
        return knobs.vp_none_escaped if state.escaped == 0 else 0
    if part == VP_CASTLE:
        return knobs.vp_castle if state.soldiers[s.CRU, s.MC] > 0 else 0
    return duration_points(knobs, np.int64(state.end_turn)) if state.surrendered == s.CAT else 0


@kernel
def total_points(state: State, knobs: Knobs, side: int) -> int:
    total = np.int64(0)
    for part in range(5):
        total += points_of(state, knobs, side, part)
    return total


@small_kernel
def victor(state: State, knobs: Knobs, cathar: int, crusader: int) -> int:
    """MS-VP-09: the side with the higher total; on a tie, the side that controls the castle."""
    if cathar != crusader:
        return s.CAT if cathar > crusader else s.CRU
    return s.CRU if state.soldiers[s.CRU, s.MC] > 0 else s.CAT


@kernel
def count_points(state: State, knobs: Knobs, cards: Cards) -> None:
    """MS-VP-01 to MS-VP-09."""
    state.majority = s.NOBODY
    cathar = strategy_count(state, knobs, cards, s.CAT) + np.int64(state.markers[s.CAT])
    crusader = strategy_count(state, knobs, cards, s.CRU) + np.int64(state.markers[s.CRU])
    if cathar != crusader:
        count_rule(state, rule.MS_VP_08)
        state.majority = s.CAT if cathar > crusader else s.CRU
    count_point_rules(state)
    state.winner = victor(state, knobs, total_points(state, knobs, s.CAT), total_points(state, knobs, s.CRU))
    state.over = True


@small_kernel
def strategy_decides(state: State, knobs: Knobs) -> bool:
    """Whether the other side would have won without the strategy points."""
    cathar = total_points(state, knobs, s.CAT) - points_of(state, knobs, s.CAT, VP_STRATEGY)
    crusader = total_points(state, knobs, s.CRU) - points_of(state, knobs, s.CRU, VP_STRATEGY)
    return state.winner != victor(state, knobs, cathar, crusader)


@kernel
def count_point_rules(state: State) -> None:
    if state.repenting > 0:
        count_rule(state, rule.MS_VP_01)
    if state.burned > 0:
        count_rule(state, rule.MS_VP_02)
    if state.escaped > 0:
        count_rule(state, rule.MS_VP_03)
    else:
        count_rule(state, rule.MS_VP_04)
    if state.surrendered == s.CAT:
        count_rule(state, rule.MS_VP_05)
    if state.grail:
        count_rule(state, rule.MS_VP_06)
    if state.soldiers[s.CRU, s.MC] > 0:
        count_rule(state, rule.MS_VP_07)
    count_rule(state, rule.MS_VP_09)


@kernel
def card_uses(state: State, knobs: Knobs, cards: Cards, used: Array) -> None:
    """For the card report: the bits of `card_use` in the lab's order, use * seats + side."""
    for card in range(cards.n_cards):
        used[card] = np.int64(state.card_use[card])


@kernel
def outcome(state: State, knobs: Knobs, cards: Cards, row: Row) -> None:
    """The row of a finished game (ledger section 8)."""
    row.winner = state.winner
    row.winners = 1 << np.int64(state.winner)
    row.ending = state.ending
    row.turns = state.turn
    row.score[s.CAT] = total_points(state, knobs, s.CAT)
    row.score[s.CRU] = total_points(state, knobs, s.CRU)
    row.end_turn = state.end_turn
    row.vp_escaped = points_of(state, knobs, s.CAT, VP_ESCAPED)
    row.vp_burned = points_of(state, knobs, s.CAT, VP_BURNED)
    row.vp_grail = points_of(state, knobs, s.CAT, VP_GRAIL)
    row.vp_repenting = points_of(state, knobs, s.CRU, VP_REPENTING)
    row.vp_none_escaped = points_of(state, knobs, s.CRU, VP_NONE_ESCAPED)
    row.vp_castle = points_of(state, knobs, s.CRU, VP_CASTLE)
    row.vp_duration = points_of(state, knobs, s.CRU, VP_DURATION)
    row.vp_strategy = points_of(state, knobs, s.CAT, VP_STRATEGY) - points_of(state, knobs, s.CRU, VP_STRATEGY)
    row.strategy_decides = strategy_decides(state, knobs)
    row.symbols_cathar = strategy_count(state, knobs, cards, s.CAT)
    row.symbols_crusader = strategy_count(state, knobs, cards, s.CRU)
    row.markers_cathar = state.markers[s.CAT]
    row.markers_crusader = state.markers[s.CRU]
    row.perfects_escaped = state.escaped
    row.perfects_burned = state.burned
    row.perfects_repenting = state.repenting
    row.faith_end = state.faith
    row.food_end = state.food
    row.cathar_morale_end = state.morale[s.CAT]
    row.crusader_morale_end = state.morale[s.CRU]
    row.castle_soldiers_end = state.soldiers[s.CAT, s.MC]
    row.trebuchets_end = state.trebuchets
    row.standing_2 = state.standing[0]
    row.standing_4 = state.standing[1]
    row.standing_6 = state.standing[2]
    outcome_counts(state, row)


@kernel
def outcome_counts(state: State, row: Row) -> None:
    row.morale_lost_upkeep = state.count[s.N_MORALE_UPKEEP]
    row.morale_lost_hunger = state.count[s.N_HUNGER]
    row.morale_lost_events = state.count[s.N_MORALE_EVENTS]
    row.crusader_morale_lost_events = state.count[s.N_MORALE_EVENTS + s.CRU]
    row.boosts_tried_cathar = state.count[s.N_BOOST_TRIED]
    row.boosts_tried_crusader = state.count[s.N_BOOST_TRIED + s.CRU]
    row.boosts_made_cathar = state.count[s.N_BOOST_MADE]
    row.boosts_made_crusader = state.count[s.N_BOOST_MADE + s.CRU]
    row.escapes_tried = state.count[s.N_ESCAPE_TRIED]
    row.escapes_made = state.count[s.N_ESCAPE_MADE]
    row.repentance_tried = state.count[s.N_REPENT_TRIED]
    row.repentance_made = state.count[s.N_REPENT_MADE]
    row.attacks_cathar = state.count[s.N_ATTACKS]
    row.attacks_crusader = state.count[s.N_ATTACKS + s.CRU]
    row.taken_cathar = state.count[s.N_TAKEN]
    row.taken_crusader = state.count[s.N_TAKEN + s.CRU]
    row.buried_cathar = state.count[s.N_BURIED]
    row.buried_crusader = state.count[s.N_BURIED + s.CRU]
    row.deserted_cathar = state.count[s.N_DESERTED]
    row.deserted_crusader = state.count[s.N_DESERTED + s.CRU]
    row.reinforced_cathar = state.count[s.N_REINFORCED]
    row.reinforced_crusader = state.count[s.N_REINFORCED + s.CRU]
    row.redeploys_cathar = state.count[s.N_REDEPLOYS]
    row.redeploys_crusader = state.count[s.N_REDEPLOYS + s.CRU]
    row.scouts_sent_cathar = state.count[s.N_SCOUTS]
    row.scouts_sent_crusader = state.count[s.N_SCOUTS + s.CRU]
    row.consoled = state.count[s.N_CONSOLED]
    row.crest_changes = state.count[s.N_CREST_CHANGES]
    row.crest_turns_crusader = state.count[s.N_CREST_TURNS]
    row.crest_after_4 = np.int64(state.count[s.N_CREST_4]) - 1
    row.markers_gained_cathar = state.count[s.N_GAINED]
    row.markers_gained_crusader = state.count[s.N_GAINED + s.CRU]
    row.markers_decayed_cathar = state.count[s.N_DECAYED]
    row.markers_decayed_crusader = state.count[s.N_DECAYED + s.CRU]
    row.triggers_cathar = state.count[s.N_TRIGGERS]
    row.triggers_crusader = state.count[s.N_TRIGGERS + s.CRU]
    row.preempts_cathar = state.count[s.N_PREEMPTS]
    row.preempts_crusader = state.count[s.N_PREEMPTS + s.CRU]
    row.redraws_cathar = state.count[s.N_REDRAWS]
    row.redraws_crusader = state.count[s.N_REDRAWS + s.CRU]
    row.starts_cathar = state.count[s.N_STARTS]
    row.doubles_cathar = state.count[s.N_DOUBLES]
    row.doubles_crusader = state.count[s.N_DOUBLES + s.CRU]
    row.commander_turn_cathar = state.count[s.N_COMMANDER_TURN]
    row.commander_turn_crusader = state.count[s.N_COMMANDER_TURN + s.CRU]
    row.commander_action_cathar = np.int64(state.count[s.N_COMMANDER_ACTION]) - 1
    row.commander_action_crusader = np.int64(state.count[s.N_COMMANDER_ACTION + s.CRU]) - 1
    row.commander_uses_cathar = state.count[s.N_COMMANDER_USES]
    row.commander_uses_crusader = state.count[s.N_COMMANDER_USES + s.CRU]
    row.events_cathar = state.count[s.N_EVENTS]
    row.events_crusader = state.count[s.N_EVENTS + s.CRU]
    row.plays = state.count[s.N_PLAYS]
