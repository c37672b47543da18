"""A Mighty Fortress Is Our God, in the order of its rulebook: set-up here, then the turn.

    turn.py      Fate, Food Upkeep, Dice Draw, Decree, Siege Phase, Traitor Check, Cleanup
    actions.py   the Action Phase
    effects.py   the effects of cards
    tracks.py    tracks, Assault Checks, the end         dice.py, queue.py   dice and cards
    scoring.py   scoring and the bands

A turn is a sequence of steps. `proceed` runs them until a decision is pending; a decision with one legal option is not
asked (except for MF-D-01, which is asked as long as there are dice).
"""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel
from simlab.engine.streams import count_rule, offer, redraw_order
from simlab.game import Cards, Knobs, State
from simlab.games.mighty_fortress import dice as d
from simlab.games.mighty_fortress import rule
from simlab.games.mighty_fortress import state as s
from simlab.games.mighty_fortress.actions import (
    begin_action,
    commit,
    discard_card,
    execute_card,
    execute_die,
    lower_track,
    next_action,
    offer_actions,
    replace_elder,
    reward_tag,
    roll_for_raid,
    use_die,
)
from simlab.games.mighty_fortress.effects import choose_half, effect_step, raise_support
from simlab.games.mighty_fortress.queue import refill_queue
from simlab.games.mighty_fortress.scoring import outcome, settle_score
from simlab.games.mighty_fortress.tracks import PRESSURE, UNREST, refresh_requirement
from simlab.games.mighty_fortress.turn import (
    choose_held,
    cleanup,
    decree_phase,
    dice_draw,
    end_turn,
    fate_phase,
    food_upkeep,
    hold,
    name_unfed,
    pay_and_hunger,
    siege_phase,
    starve,
    traitor_check,
)

__all__ = ["apply_action", "determinize", "initial_state", "legal_actions", "outcome", "track_values"]

# --- Set-up -------------------------------------------------------------------


@kernel
def initial_state(state: State, knobs: Knobs, cards: Cards) -> None:
    """MF-SET: tracks, resources, dice, decks, Elders; then turn 1 up to its first decision."""
    count_rule(state, rule.MF_SET_01)
    set_tracks(state, knobs)
    set_dice(state, knobs)
    set_cards(state, knobs, cards)
    count_rule(state, rule.MF_SET_05)
    count_rule(state, rule.MF_GEN_05)
    refill_queue(state, cards)
    state.step = s.FATE_STEP
    proceed(state, knobs, cards, -s.ONE)


@kernel
def set_tracks(state: State, knobs: Knobs) -> None:
    """MF-SET-02; everything that is not named starts at 0."""
    count_rule(state, rule.MF_SET_02)
    state.defense = knobs.defense_start
    state.cohesion = knobs.cohesion_start
    state.consumption = knobs.consumption_start
    state.food = knobs.food_start
    state.requirement_base = 1
    refresh_requirement(state)


@kernel
def set_dice(state: State, knobs: Knobs) -> None:
    """MF-SET-03."""
    count_rule(state, rule.MF_SET_03)
    state.bag[0] = knobs.dice_white
    state.bag[1] = knobs.dice_yellow
    state.bag[2] = knobs.dice_red
    state.bag[3] = knobs.dice_blue
    state.bag[4] = knobs.dice_purple
    for colour in range(5):
        state.bag_count += state.bag[colour]
    state.black_pool = knobs.dice_black


@kernel
def set_cards(state: State, knobs: Knobs, cards: Cards) -> None:
    """MF-SET-04, MF-SET-06, MF-SET-07: the Outsider deck with its cities, the Fate deck, the open Elders."""
    count_rule(state, rule.MF_SET_04)
    count_rule(state, rule.MF_SET_06)
    count_rule(state, rule.MF_SET_07)
    for card in range(s.DECK):
        number = card - s.CITY
        if card < cards.n_outsiders or 0 <= number < min(cards.n_cities, knobs.cities_in_deck):
            state.card_place[card] = s.IN_DECK
            state.deck[state.deck_left] = card
            state.deck_left += 1
        else:
            state.card_place[card] = s.REMOVED
    for card in range(cards.n_fate):
        if card != cards.first_fate:
            state.fate[state.fate_left] = card
            state.fate_left += 1
    for slot in range(s.SLOTS):
        state.queue[slot] = s.EMPTY
    for space in range(s.SPACES):
        state.space[space] = s.EMPTY
    for city in range(s.MAX_CITIES):
        state.support[city] = s.OFF_TRACK


# --- The steps of a turn ------------------------------------------------------


@kernel
def proceed(state: State, knobs: Knobs, cards: Cards, parts: int) -> bool:
    """Continues until a decision is pending (False), the game is over, or this many parts are done; -1: all of them."""
    while not state.over and parts != 0:
        parts -= 1
        if state.asking:
            options = np.int64(state.options)
            if options == 0 or (options & (options - 1)) != 0:
                return False
            state.asking = False
            answer(state, knobs, cards, d.lowest_place(options))
        elif state.casualties > 0:
            d.demand_casualty(state, knobs)
        elif state.recoveries > 0:
            d.demand_recovery(state)
        elif state.pc != 0:
            effect_step(state, knobs, cards)
        else:
            next_step(state, knobs, cards)
    if state.over:
        settle_score(state, knobs, cards)
    return True


@kernel
def play_part(state: State, knobs: Knobs, cards: Cards, action: int) -> None:
    """For replay: carries out only the decision or, for action -1, one part of its consequences."""
    more = True
    if action < 0:
        more = proceed(state, knobs, cards, s.ONE)
    else:
        state.asking = False
        if state.decision == s.ACTION:
            begin_action(state, knobs, cards, action)
        else:
            answer(state, knobs, cards, action)
        if state.over:
            settle_score(state, knobs, cards)
    state.n_legal = more and not state.over


@kernel
def next_step(state: State, knobs: Knobs, cards: Cards) -> None:
    """MF-TRN-01: the next step of the turn."""
    step = np.int64(state.step)
    if step == s.ACTION_STEP:
        state.phase = s.ACTION_PHASE
        next_action(state)
    elif step == s.NEGOTIATED_STEP:
        discard_card(state, cards)
    elif step == s.RAIDED_STEP:
        roll_for_raid(state, knobs, cards)
    elif step == s.FATE_STEP:
        fate_phase(state, cards)
    elif step == s.UPKEEP_STEP:
        food_upkeep(state, knobs)
    elif step == s.STARVE_STEP:
        name_unfed(state, knobs)
    elif step == s.HUNGER_STEP:
        pay_and_hunger(state, knobs)
    elif step == s.DRAW_STEP:
        dice_draw(state, knobs)
    elif step == s.DECREE_STEP:
        decree_phase(state, cards)
    elif step == s.SIEGE_STEP:
        siege_phase(state, knobs)
    elif step == s.TRAITOR_STEP:
        traitor_check(state, knobs)
    elif step == s.CLEANUP_STEP:
        cleanup(state, knobs)
    elif step == s.HOLD_STEP:
        choose_held(state)
    else:
        end_turn(state, knobs, cards)


@kernel
def legal_actions(state: State, knobs: Knobs, cards: Cards) -> None:
    """The options of the pending decision, in ascending order (ledger section 4)."""
    if state.decision == s.ACTION:
        offer_actions(state, knobs, cards)
        return
    left = np.int64(state.options)
    while left != 0:
        offer(state, d.lowest_place(left))
        left &= left - 1


@kernel
def apply_action(state: State, knobs: Knobs, cards: Cards, action: int) -> None:
    """One decision, and everything that follows up to the next one or the end."""
    state.asking = False
    if state.decision == s.ACTION:
        begin_action(state, knobs, cards, action)
    else:
        answer(state, knobs, cards, action)
    proceed(state, knobs, cards, -s.ONE)


@kernel
def answer(state: State, knobs: Knobs, cards: Cards, option: int) -> None:
    """MF-D-02 to MF-D-09: the player's choice."""
    kind = np.int64(state.decision)
    if kind == s.DIE:
        if state.about == s.ABOUT_PURGE:
            execute_die(state, option)
        else:
            use_die(state, knobs, cards, option)
    elif kind == s.COMMIT:
        commit(state, knobs, cards, option)
    elif kind == s.CASUALTY:
        if state.about == s.ABOUT_CARD_COST:
            execute_card(state, knobs, cards, option)
        else:
            if state.phase == s.FATE_PHASE:
                count_rule(state, rule.MF_FAT_02)
            d.take_casualty(state, option)
    elif kind == s.UNFED:
        starve(state, option)
    elif kind == s.CHOICE:
        answer_choice(state, knobs, cards, option)
    elif kind == s.PICK:
        if state.about == s.ABOUT_CITY:
            raise_support(state, knobs, option)
        else:
            d.recover_die(state, option)
    elif kind == s.REPLACE:
        replace_elder(state, option)
    else:
        hold(state, option)


@kernel
def answer_choice(state: State, knobs: Knobs, cards: Cards, option: int) -> None:
    """MF-D-06: the player chose a half of a `choose` or `pay`, a tag, or the track of a purge."""
    if state.about == s.ABOUT_TAG:
        reward_tag(state, cards, option)
    elif state.about == s.ABOUT_PURGE_TRACK:
        lower_track(state, knobs, UNREST if option == 0 else PRESSURE)
    else:
        choose_half(state, knobs, cards, option)


# --- Tracks and hidden information --------------------------------------------


@kernel
def track_values(state: State, knobs: Knobs, cards: Cards, values: np.ndarray) -> None:
    """Tracks and resources at the first decision of each turn."""
    values[0] = state.siege_strength
    values[1] = state.defense
    values[2] = state.entrenchment
    values[3] = state.bombardment
    values[4] = state.consumption
    values[5] = state.cohesion
    values[6] = state.unrest
    values[7] = state.pressure
    values[8] = state.food
    values[9] = state.materials
    values[10] = state.luxuries
    values[11] = state.piety
    values[12] = state.influence
    values[13] = state.vp
    values[14] = state.bag_count


@kernel
def determinize(state: State, knobs: Knobs, cards: Cards, seat: int) -> None:
    """MF-GEN-05: the order of both decks and all future draws and rolls are hidden.

    The decks are sets, but they are shuffled anyway, because a bot could learn from their order in the record.
    """
    redraw_order(state, state.deck[: state.deck_left])
    redraw_order(state, state.fate[: state.fate_left])
