"""Montségur, the sequence of play: set-up, initiative, activity phases, and the step after each decision.

Play goes from stage to stage (`advance`) until a stage asks for a decision. Each stage is implemented in the module of
its rules: board, deck, fate, actions, events, upkeep, ending.
"""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel, small_kernel
from simlab.engine.streams import count_rule, offer
from simlab.game import Array, Cards, Knobs, State
from simlab.games.montsegur import rule
from simlab.games.montsegur import state as s
from simlab.games.montsegur.actions import (
    action_options,
    attack,
    choose_edge,
    crest_owner,
    edge_options,
    least_strength,
    most_force,
    most_strength,
    pick_location,
    pick_options,
    set_strength,
    take_action,
    try_escape,
)
from simlab.games.montsegur.board import ask, lowest
from simlab.games.montsegur.deck import (
    card_cp,
    deal,
    move_card,
    out_of_hand,
    put_away,
    set_up_deck,
    stack_card,
    use_card,
)
from simlab.games.montsegur.ending import (
    count_points,
    fate_of_perfects,
    next_final_check,
    take_up_surrender,
    total_points,
)
from simlab.games.montsegur.events import (
    begin_event,
    next_in_ring,
    number,
    place_in_ring,
    ring_options,
    run_event,
    strike,
    strike_options,
)
from simlab.games.montsegur.fate import crusaders_win_token, draw_token, redraw
from simlab.games.montsegur.upkeep import (
    attrition,
    desert,
    desert_options,
    desertion,
    end_turn,
    faith_upkeep,
    rest_of_strategy,
    strategic_move,
)

# --- Set-up -----------------------------------------------------------------------------


@kernel
def initial_state(state: State, knobs: Knobs, cards: Cards) -> None:
    """MS-SET: soldiers, tracks, perfects, markers, tokens and cards; then the first decision."""
    count_rule(state, rule.MS_GEN_01)
    set_up_map(state, knobs, cards)
    set_up_tokens(state, knobs, cards)
    count_rule(state, rule.MS_SET_02)
    count_rule(state, rule.MS_SET_03)
    count_rule(state, rule.MS_SET_05)
    count_rule(state, rule.MS_INF_01)
    for side in range(2):
        state.commander[side] = 1
    state.markers[s.CAT] = knobs.adv_start_cat
    state.markers[s.CRU] = knobs.adv_start_cru
    state.morale[s.CAT] = knobs.cat_morale_start
    state.morale[s.CRU] = knobs.cru_morale_start
    state.faith = knobs.faith_start
    state.food = knobs.food_start
    state.montsegur = knobs.perfects_start
    set_up_deck(state, knobs, cards)
    state.surrendered = s.NOBODY
    state.ending = s.NO_END
    state.winner = s.NOBODY
    state.majority = s.NOBODY
    state.card = s.NO_CARD
    state.turn = 1
    state.stage = s.TURN_START
    state.decision = s.NO_DECISION
    advance(state, knobs, cards)


@kernel
def set_up_map(state: State, knobs: Knobs, cards: Cards) -> None:
    """MS-SET-01, MS-SET-06, MS-MAP-01, MS-MAP-02: a knob changes every table row that names it."""
    count_rule(state, rule.MS_MAP_01)
    count_rule(state, rule.MS_MAP_02)
    count_rule(state, rule.MS_SET_01)
    for place in range(s.LOCATIONS):
        soldiers = cards.start[place] + soldiers_moved(knobs, cards, cards.start_knob[place])
        state.capacity[place] = cards.capacity[place] + capacity_moved(knobs, cards, cards.capacity_knob[place])
        if place != s.MC and place != s.CC:
            soldiers = min(soldiers, np.int64(state.capacity[place]))
        state.soldiers[cards.start_side[place], place] = max(soldiers, 0)
    if knobs.crusader_camp_variant == 1:
        count_rule(state, rule.MS_SET_06)
        state.soldiers[s.CRU, s.CC] = 15
    for edge in range(s.EDGES):
        state.bonus[edge] = max(0, cards.edge_bonus[edge] + bonus_moved(knobs, cards, cards.edge_knob[edge]))
    state.count[s.N_LAST_CREST] = crest_owner(state) + 1


@kernel
def soldiers_moved(knobs: Knobs, cards: Cards, knob: int) -> int:
    """How much a knob changes the number of soldiers in the table; `knob` is a position in tables.SOLDIER_KNOBS."""
    value = np.int64(0)
    if knob == 1:
        value = knobs.mc_soldiers
    elif knob == 2:
        value = knobs.ww_soldiers
    elif knob == 3:
        value = knobs.ew_soldiers
    elif knob == 4:
        value = knobs.cre_soldiers
    elif knob == 5:
        value = knobs.rdt_soldiers
    elif knob == 6:
        value = knobs.cc_soldiers
    elif knob == 7:
        value = knobs.perimeter_soldiers
    return value - cards.start_printed[knob]


@kernel
def capacity_moved(knobs: Knobs, cards: Cards, knob: int) -> int:
    value = np.int64(0)
    if knob == 1:
        value = knobs.cap_inner
    elif knob == 2:
        value = knobs.cap_perimeter
    return value - cards.capacity_printed[knob]


@kernel
def bonus_moved(knobs: Knobs, cards: Cards, knob: int) -> int:
    """Like `soldiers_moved`, for tables.BONUS_KNOBS."""
    value = np.int64(0)
    if knob == 1:
        value = knobs.bonus_mc_ww
    elif knob == 2:
        value = knobs.bonus_mc_ew
    elif knob == 3:
        value = knobs.bonus_ww_wp
    elif knob == 4:
        value = knobs.bonus_ew_cre
    elif knob == 5:
        value = knobs.bonus_cre_perimeter
    elif knob == 6:
        value = knobs.bonus_rdt_ne
    elif knob == 7:
        value = knobs.bonus_rdt_cre
    elif knob == 8:
        value = knobs.bonus_mc_caves
    elif knob == 9:
        value = knobs.bonus_cc
    return value - cards.bonus_printed[knob]


@kernel
def set_up_tokens(state: State, knobs: Knobs, cards: Cards) -> None:
    """MS-FAT-01: the tokens of the set in use. The knobs change those of `distinct`; the sum of the two sides stays the
    same."""
    state.bag = s.FULL_BAG
    state.token = -1
    chosen = knobs.fate_set
    for token in range(s.NUMBERS):
        value = cards.token[chosen, s.CAT, token]
        other = cards.token[chosen, s.CRU, token]
        if chosen == 0:
            moved = token_knob(knobs, token) - value
            value += moved
            other -= moved
        state.token_value[s.CAT, token] = value
        state.token_value[s.CRU, token] = other


@kernel
def token_knob(knobs: Knobs, token: int) -> int:
    if token == 0:
        return np.int64(knobs.fate_1)
    if token == 1:
        return np.int64(knobs.fate_2)
    if token == 2:
        return np.int64(knobs.fate_3)
    if token == 3:
        return np.int64(knobs.fate_4)
    if token == 4:
        return np.int64(knobs.fate_5)
    return np.int64(knobs.fate_6)


# --- The sequence of play -----------------------------------------------------------------


@kernel
def advance(state: State, knobs: Knobs, cards: Cards) -> None:
    """Goes from stage to stage up to the next decision or the end."""
    while state.decision == s.NO_DECISION and not state.over:
        if state.surrendered != s.NOBODY and not state.aftermath:
            take_up_surrender(state)
        stage = np.int64(state.stage)
        if stage == s.EVENT:
            run_event(state, knobs, cards)
        elif stage == s.PLAY:
            next_player(state, knobs)
        elif stage == s.ACTION:
            count_rule(state, rule.MS_ACT_05)
            count_rule(state, rule.MS_ACT_06)
            ask(state, np.int64(state.active), s.D_ACTION)
        elif stage == s.AFTER_ACTION:
            trigger_window(state, knobs)
        elif stage == s.NEXT_PLAY:
            next_play(state, knobs)
        elif stage == s.TURN_START:
            begin_turn(state, knobs, cards)
        elif stage == s.STRATEGY_CAT:
            strategic_move(state, s.CAT)
        elif stage == s.STRATEGY_CRU:
            strategic_move(state, s.CRU)
        elif stage == s.STRATEGY_REST:
            rest_of_strategy(state, knobs)
        elif stage == s.FAITH:
            faith_upkeep(state, knobs)
        elif stage == s.ATTRITION:
            attrition(state, knobs)
        elif stage == s.DESERT_CAT:
            desertion(state, knobs, s.CAT)
        elif stage == s.DESERT_CRU:
            desertion(state, knobs, s.CRU)
        elif stage == s.TURN_END:
            end_turn(state, knobs)
        elif stage == s.FATE_OF_PERFECTS:
            fate_of_perfects(state, knobs)
        elif stage == s.FINAL_CHECKS:
            next_final_check(state, knobs, cards)
        elif stage == s.COUNT_VP:
            count_points(state, knobs, cards)


@kernel
def begin_turn(state: State, knobs: Knobs, cards: Cards) -> None:
    """MS-GEN-02, MS-INI-05: new cards, then a token decides who chooses the start player."""
    count_rule(state, rule.MS_GEN_02)
    count_rule(state, rule.MS_INI_05)
    count_rule(state, rule.MS_END_07)
    deal(state, knobs, cards)
    state.stage = s.PLAY
    state.activity = 1
    state.phase = 0
    state.second = 0
    state.log_len = 0
    token = draw_token(state, s.INITIATIVE_STREAM)
    ask(state, s.CRU if crusaders_win_token(state, token) else s.CAT, s.D_INIT)


@kernel
def choose_start(state: State, action: int) -> None:
    state.start_player = state.seat if action == 0 else 1 - np.int64(state.seat)
    if state.start_player == s.CAT:
        state.count[s.N_STARTS] += 1
    if state.count[s.N_LAST_PLAYER] == state.start_player + 1:
        state.count[s.N_DOUBLES + state.start_player] += 1


@kernel
def next_player(state: State, knobs: Knobs) -> None:
    """MS-ACT-01, MS-ACT-02, MS-ACT-07: one play; with an empty hand, the commander or a pass."""
    count_rule(state, rule.MS_ACT_01)
    side = np.int64(state.start_player)
    if state.second:
        side = 1 - side
    state.active = side
    if state.hand_len[side] > 0:
        ask(state, side, s.D_PLAY)
    elif state.commander[side]:
        play_commander(state, knobs)
    else:
        play_nothing(state)


@kernel
def play(state: State, knobs: Knobs, cards: Cards, action: int) -> None:
    """MS-ACT-02: a hand card as event or for its points, or the commander."""
    count_rule(state, rule.MS_ACT_02)
    if action == s.PLAY_COMMANDER:
        play_commander(state, knobs)
    elif action == s.PLAY_PASS:
        play_nothing(state)
    elif action < s.PLAY_CP:
        play_event(state, knobs, cards, action)
    else:
        play_points(state, knobs, cards, action - s.PLAY_CP)


@kernel
def play_event(state: State, knobs: Knobs, cards: Cards, slot: int) -> None:
    """MS-EVT-01, MS-EVT-02: plays a card's event, which nobody can prevent."""
    count_rule(state, rule.MS_EVT_01)
    count_rule(state, rule.MS_EVT_02)
    side = np.int64(state.active)
    take_card(state, cards, side, slot)
    use_card(state, np.int64(state.card), s.AS_EVENT, side)
    log_play(state, s.LOG_EVENT)
    state.stage = s.EVENT
    begin_event(state, knobs, cards, side)


@kernel
def play_points(state: State, knobs: Knobs, cards: Cards, slot: int) -> None:
    """MS-ACT-08: the card is announced; then preempting, action, trigger window."""
    count_rule(state, rule.MS_ACT_08)
    side = np.int64(state.active)
    take_card(state, cards, side, slot)
    card = np.int64(state.card)
    use_card(state, card, s.FOR_POINTS, side)
    state.cp = card_cp(knobs, cards, card)
    state.stage = s.ACTION
    if state.markers[side] >= knobs.preempt_cost and state.markers[1 - side] >= knobs.trigger_cost:
        count_rule(state, rule.MS_PRE_03)
        ask(state, side, s.D_PREEMPT)


@small_kernel
def take_card(state: State, cards: Cards, side: int, slot: int) -> None:
    card = out_of_hand(state, side, slot)
    if cards.side[card] == 1 - side:
        count_rule(state, rule.MS_ACT_03)
    move_card(state, card, s.IN_PLAY)
    state.card = card
    state.preempted = 0


@kernel
def play_commander(state: State, knobs: Knobs) -> None:
    """MS-CMD-01 to MS-CMD-03."""
    count_rule(state, rule.MS_CMD_01)
    count_rule(state, rule.MS_CMD_02)
    count_rule(state, rule.MS_CMD_03)
    side = np.int64(state.active)
    state.commander[side] = 0
    state.card = s.NO_CARD
    state.preempted = 0
    state.cp = knobs.commander_cp
    state.stage = s.ACTION
    state.count[s.N_COMMANDER_USES + side] += 1
    if state.count[s.N_COMMANDER_TURN + side] == 0:
        state.count[s.N_COMMANDER_TURN + side] = state.turn


@kernel
def play_nothing(state: State) -> None:
    """MS-ACT-07."""
    count_rule(state, rule.MS_ACT_07)
    state.card = s.NO_CARD
    log_play(state, s.LOG_PASS)
    state.stage = s.NEXT_PLAY


@kernel
def preempt(state: State, knobs: Knobs, yes: int) -> None:
    """MS-PRE-01, MS-PRE-02: the card's event cannot be triggered this time."""
    if yes:
        count_rule(state, rule.MS_PRE_01)
        count_rule(state, rule.MS_PRE_02)
        side = np.int64(state.active)
        state.markers[side] -= knobs.preempt_cost
        state.preempted = 1
        state.count[s.N_PREEMPTS + side] += 1
        use_card(state, np.int64(state.card), s.PREEMPTED, side)


@kernel
def choose_action(state: State, knobs: Knobs, cards: Cards, action: int) -> None:
    side = np.int64(state.active)
    log_play(state, action + s.LOG_PREEMPTED if state.preempted else action)
    if state.card == s.NO_CARD and state.count[s.N_COMMANDER_ACTION + side] == 0:
        state.count[s.N_COMMANDER_ACTION + side] = action + 1
    state.stage = s.AFTER_ACTION
    take_action(state, knobs, cards, action)


@kernel
def trigger_window(state: State, knobs: Knobs) -> None:
    """MS-TRG-01, MS-TRG-03, MS-TRG-04: after the action the opponent may trigger the card's event."""
    state.stage = s.NEXT_PLAY
    if state.card == s.NO_CARD:
        return
    opponent = 1 - np.int64(state.active)
    if state.preempted or state.markers[opponent] < knobs.trigger_cost:
        put_away(state, np.int64(state.card), s.ZERO)
        return
    count_rule(state, rule.MS_TRG_04)
    ask(state, opponent, s.D_TRIGGER)


@kernel
def trigger(state: State, knobs: Knobs, cards: Cards, yes: int) -> None:
    """MS-TRG-01, MS-TRG-02: the opponent resolves the event as if he had played the card."""
    count_rule(state, rule.MS_TRG_02)
    if not yes:
        put_away(state, np.int64(state.card), s.ZERO)
        return
    count_rule(state, rule.MS_TRG_01)
    count_rule(state, rule.MS_TRG_03)
    side = np.int64(state.seat)
    state.markers[side] -= knobs.trigger_cost
    state.count[s.N_TRIGGERS + side] += 1
    use_card(state, np.int64(state.card), s.TRIGGERED, side)
    if state.log_len > 0:
        state.log_how[state.log_len - 1] = np.int64(state.log_how[state.log_len - 1]) | s.LOG_TRIGGERED
    state.stage = s.EVENT
    begin_event(state, knobs, cards, side)


@kernel
def next_play(state: State, knobs: Knobs) -> None:
    """MS-ACT-01: the other side, the next phase, or upkeep."""
    owner = crest_owner(state) + 1
    if state.count[s.N_LAST_CREST] != owner:
        state.count[s.N_LAST_CREST] = owner
        state.count[s.N_CREST_CHANGES] += 1
    state.count[s.N_PLAYS] += 1
    state.count[s.N_LAST_PLAYER] = state.active + 1
    state.card = s.NO_CARD
    state.stage = s.PLAY
    if not state.second:
        state.second = 1
        return
    state.second = 0
    state.phase += 1
    if state.phase >= knobs.activity_phases:
        state.stage = s.STRATEGY_CAT


@small_kernel
def log_play(state: State, how: int) -> None:
    """Logs the plays of this turn for display."""
    if state.log_len < s.LOG:
        state.log_card[state.log_len] = state.card
        state.log_how[state.log_len] = how
        state.log_len += 1


# --- Decisions ------------------------------------------------------------------------------


@kernel
def apply_action(state: State, knobs: Knobs, cards: Cards, action: int) -> None:
    """One decision, and everything that follows up to the next one or the end."""
    kind = np.int64(state.decision)
    state.decision = s.NO_DECISION
    if kind == s.D_PLAY:
        play(state, knobs, cards, action)
    elif kind == s.D_ACTION:
        choose_action(state, knobs, cards, action)
    elif kind == s.D_TRIGGER:
        trigger(state, knobs, cards, action)
    elif kind == s.D_PREEMPT:
        preempt(state, knobs, action)
    elif kind == s.D_EDGE:
        choose_edge(state, knobs, cards, action)
    elif kind == s.D_FORCE:
        attack(state, knobs, cards, action + 1)
    elif kind == s.D_REDEP_PICK:
        pick_location(state, cards, action)
    elif kind == s.D_REDEP_SET:
        set_strength(state, action)
    elif kind == s.D_REDRAW:
        redraw(state, knobs, cards, action)
    elif kind == s.D_INIT:
        choose_start(state, action)
    elif kind == s.D_STRATEGY:
        stack_card(state, np.int64(state.seat), action)
    elif kind == s.D_ESCAPE_OPT:
        answer_escape(state, knobs, cards, action)
    elif kind == s.D_STRIKE:
        strike(state, knobs, cards, action)
    elif kind == s.D_RING:
        place_in_ring(state, action)
        next_in_ring(state, cards)
    else:
        desert(state, 1 - np.int64(state.seat), action)
    advance(state, knobs, cards)


@kernel
def answer_escape(state: State, knobs: Knobs, cards: Cards, yes: int) -> None:
    if yes:
        try_escape(state, knobs, cards, number(state, knobs, cards, np.int64(state.card), np.int64(state.op_now)))
    else:
        count_rule(state, rule.MS_EVT_08)


@kernel
def legal_actions(state: State, knobs: Knobs, cards: Cards) -> None:
    """The options of ledger section 4."""
    kind = np.int64(state.decision)
    if kind == s.D_PLAY:
        offer_plays(state)
    elif kind == s.D_ACTION:
        offer_few(state, action_options(state, knobs, cards))
    elif kind == s.D_EDGE:
        offer_mask(state, edge_options(state, cards))
    elif kind == s.D_FORCE:
        offer_range(state, s.ZERO, most_force(state, knobs, cards) - 1)
    elif kind == s.D_REDEP_PICK:
        offer_few(state, pick_options(state, cards))
    elif kind == s.D_REDEP_SET:
        place = np.int64(state.placing)
        offer_range(state, least_strength(state, place), most_strength(state, place))
    elif kind == s.D_STRATEGY:
        offer_range(state, s.ZERO, np.int64(state.hand_len[state.seat]) - 1)
    elif kind == s.D_STRIKE:
        offer_few(state, strike_options(state, cards))
    elif kind == s.D_RING:
        offer_few(state, ring_options(state, cards))
    elif kind == s.D_DESERT:
        offer_few(state, desert_options(state, knobs, 1 - np.int64(state.seat)))
    else:
        offer_range(state, s.ZERO, s.ONE)


@kernel
def offer_plays(state: State) -> None:
    """Writes rows of fixed length, each over the unused end of the previous row, because hand sizes are hard to
    predict.
    """
    side = np.int64(state.active)
    held = np.int64(state.hand_len[side])
    for slot in range(s.HAND_MAX):
        state.legal[slot] = slot
    for slot in range(s.HAND_MAX):
        state.legal[np.uint32(held + slot)] = s.PLAY_CP + slot
    state.legal[np.uint32(2 * held)] = s.PLAY_COMMANDER
    state.n_legal = 2 * held + np.int64(state.commander[side] != 0)


@small_kernel
def offer_range(state: State, low: int, high: int) -> None:
    for action in range(low, high + 1):
        offer(state, action)


@kernel
def offer_few(state: State, mask: int) -> None:
    """Offers the bits of a mask of actions, or of locations and one more option, without a branch."""
    at = np.int64(0)
    for option in range(s.LOCATIONS + 1):
        state.legal[np.uint32(at)] = option
        at += (mask >> option) & 1
    state.n_legal = at


@kernel
def offer_mask(state: State, mask: int) -> None:
    """Offers the bits of a mask: the lowest 32 and the one above."""
    low = mask & 0xFFFFFFFF
    while low:
        offer(state, lowest(low))
        low &= low - 1
    if mask >> 32:
        offer(state, s.DECLINE_ATTACK)


@kernel
def track_values(state: State, knobs: Knobs, cards: Cards, values: Array) -> None:
    """The values of Game.tracks."""
    values[0] = state.food
    values[1] = state.faith
    values[2] = state.morale[s.CAT]
    values[3] = state.morale[s.CRU]
    values[4] = state.montsegur
    values[5] = state.escaped
    values[6] = state.captured
    values[7] = state.soldiers[s.CAT, s.MC]
    values[8] = state.soldiers[s.CRU, s.CC]
    ring = 0
    for place in range(s.LOCATIONS):
        if (cards.perimeter >> place) & 1:
            ring += state.soldiers[s.CRU, place]
    values[9] = ring
    values[10] = crest_owner(state)
    values[11] = state.soldiers[s.CAT, s.CRE] - state.soldiers[s.CRU, s.CRE]
    values[12] = total_points(state, knobs, s.CAT)
    values[13] = total_points(state, knobs, s.CRU)
