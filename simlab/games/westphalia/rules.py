"""The Peace of Westphalia, the sequence of play: the step after each step and each decision.

A round is a list of steps (state.S_..). A step acts without a decision, asks for a decision, or gives way to the next
step; `advance` continues until somebody has a choice. A decision with one option is carried out at once. The rules are
in the modules of their phases: setup, election, upheaval, heresy, faith, diplomacy, declare, battle (with hands and
doctrines), treaty, league, exile, ending.
"""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel
from simlab.game import Cards, Knobs, State
from simlab.games.westphalia import state as s
from simlab.games.westphalia.battle import (
    ask_cards,
    ask_reinforcements,
    choose_card,
    first_zero_check,
    give_up_infantry,
    name_kind,
    next_battle,
    next_battle_phase,
    reinforce,
    resolve,
)
from simlab.games.westphalia.declare import (
    answer_defence,
    ask_declaration,
    ask_defence,
    ask_target,
    attack_player,
    begin_wars,
    choose_declaration,
    declare_religious_war,
    name_target,
)
from simlab.games.westphalia.diplomacy import (
    act,
    choose_gesture,
    choose_principality,
    choose_province,
    diplomatic_turn,
    game_of_two,
)
from simlab.games.westphalia.doctrines import (
    ambush,
    answer_execute,
    ask_purchase,
    buy,
    carry_on,
    muster_next,
    play_doctrine,
    swap_card,
)
from simlab.games.westphalia.election import (
    after_first_election,
    begin_election,
    imperial_influence,
    next_vote,
    place_imperial,
    vote,
)
from simlab.games.westphalia.ending import end_round, win_alone
from simlab.games.westphalia.exile import ask_gift, ask_to_leave, choose_gift, choose_recipient, leave
from simlab.games.westphalia.faith import ask_patronage, earn_dice, place_dice, place_die
from simlab.games.westphalia.flow import go, move_on, nth_option, number_of_options, place_in
from simlab.games.westphalia.heresy import ask_conversions, ask_tokens, choose_in_secret
from simlab.games.westphalia.league import (
    ask_assent,
    ask_electorate,
    choose_rank,
    end_religious_war,
    form_leagues,
    join_or_decline,
    league_war,
    next_peace,
    regroup,
)
from simlab.games.westphalia.sets import draw, lowest
from simlab.games.westphalia.setup import (
    STANDARD,
    choose_elector,
    chosen_at_random,
    first_influence,
    first_step,
    lay_out,
    opening_position,
    pick,
    place_elector,
    place_first,
    place_player,
    place_principality,
)
from simlab.games.westphalia.treaty import (
    ask_claim,
    ask_conquest,
    ask_option,
    choose_option,
    claim,
    conquer,
    eliminate_next,
    go_into_exile,
    liberate,
    losses,
    next_treaty,
    post_war,
    vassalize,
)
from simlab.games.westphalia.upheaval import religious_upheaval


@kernel
def initial_state(state: State, knobs: Knobs, cards: Cards) -> None:
    """WP-SET-01 to WP-SET-13: up to the first decision."""
    lay_out(state, knobs, cards)
    if knobs.setup_mode == STANDARD:
        opening_position(state, knobs, cards)
    state.decision = s.NO_DECISION
    state.depth = 1
    state.phase = s.SET_UP
    go(state, first_step(knobs))
    advance(state, knobs, cards)


@kernel
def advance(state: State, knobs: Knobs, cards: Cards) -> None:
    """Goes from step to step up to the next choice or the end."""
    while not state.over:
        if state.decision == s.NO_DECISION:
            run(state, knobs, cards)
        elif number_of_options(state) == 1:
            answer(state, knobs, cards, nth_option(state, np.int64(0)))
        elif chosen_at_random(state, knobs):
            answer(state, knobs, cards, nth_option(state, draw(state, s.PLACEMENT_STREAM, number_of_options(state))))
        else:
            return


@kernel
def apply_action(state: State, knobs: Knobs, cards: Cards, action: int) -> None:
    """One decision, and everything that follows up to the next one or the end."""
    answer(state, knobs, cards, action)
    advance(state, knobs, cards)


@kernel
def play_part(state: State, knobs: Knobs, cards: Cards, action: int) -> None:
    """apply_action step by step, for replay: `n_legal` is 1 if more follows before the next decision."""
    if action >= 0:
        answer(state, knobs, cards, action)
    elif state.decision == s.NO_DECISION:
        run(state, knobs, cards)
    elif number_of_options(state) == 1:
        answer(state, knobs, cards, nth_option(state, np.int64(0)))
    else:
        answer(state, knobs, cards, nth_option(state, draw(state, s.PLACEMENT_STREAM, number_of_options(state))))
    waits = state.decision != s.NO_DECISION and number_of_options(state) > 1 and not chosen_at_random(state, knobs)
    state.n_legal = 0 if state.over or waits else 1


@kernel
def legal_actions(state: State, knobs: Knobs, cards: Cards) -> None:
    """The options of the current decision, which the step that asks has found."""
    count = np.uint64(state.n_legal)
    for word in range(3):
        rest = np.int64(state.options[word])
        while rest:
            state.legal[count] = word * s.WORD + lowest(rest)  # like `offer`, but with the count in a local variable
            count += np.uint64(1)
            rest &= rest - 1
    state.n_legal = count


@kernel
def begin_round(state: State, knobs: Knobs, cards: Cards) -> None:
    """Phase 1, as a separate step, so a replay can show it apart from phase 2."""
    if place_in(state) == 0:
        state.turn += 1
        state.phase = s.UPHEAVAL
        religious_upheaval(state, knobs, cards)
        move_on(state)
    else:
        state.phase = s.HERESY
        go(state, s.S_CONVERT)


@kernel
def hold_election(state: State, knobs: Knobs) -> None:
    """The election and its consequences, in the set-up and in a round."""
    if place_in(state) == 0:
        if state.turn > 0:
            state.phase = s.ELECTION
        move_on(state)
        begin_election(state)
    elif state.turn == 0:
        after_first_election(state, knobs)
    else:
        go(state, s.S_IMPERIAL_DI)


# --- Steps ---------------------------------------------------------------------------------


@kernel
def run(state: State, knobs: Knobs, cards: Cards) -> None:
    """Carries on the step on top of the stack."""
    step = np.int64(state.step_at[state.depth - 1])
    if step <= s.S_ROUND:
        run_setup(state, knobs, cards, step)
    elif step <= s.S_DIPLOMACY:
        run_peace(state, knobs, cards, step)
    elif step <= s.S_TREATIES:
        run_war(state, knobs, cards, step)
    elif step <= s.S_POSTWAR:
        run_treaty(state, knobs, cards, step)
    else:
        run_rest(state, knobs, cards, step)


@kernel
def run_setup(state: State, knobs: Knobs, cards: Cards, step: int) -> None:
    if step == s.S_PLAYER_HEX:
        place_player(state, cards)
    elif step == s.S_ELECTOR:
        place_elector(state, cards)
    elif step == s.S_PRINCIPALITY:
        place_principality(state, knobs, cards)
    elif step == s.S_FIRST_DI:
        first_influence(state, knobs)
    elif step == s.S_FIRST_ELECTION:
        hold_election(state, knobs)
    else:
        begin_round(state, knobs, cards)


@kernel
def run_peace(state: State, knobs: Knobs, cards: Cards, step: int) -> None:
    if step == s.S_DICE:
        place_dice(state, knobs, cards)
    elif step == s.S_DIPLOMACY:
        diplomatic_turn(state, knobs, cards)
    elif step == s.S_CONVERT:
        ask_conversions(state, knobs, cards)
    elif step == s.S_TOKENS:
        ask_tokens(state, knobs, cards)
    elif step == s.S_EARN:
        earn_dice(state, knobs, cards)
    elif step == s.S_PATRONAGE:
        ask_patronage(state, knobs, cards)
    elif step == s.S_GAME_OF_TWO:
        state.phase = s.DIPLOMACY
        game_of_two(state, knobs)


@kernel
def run_war(state: State, knobs: Knobs, cards: Cards, step: int) -> None:
    if step == s.S_CHOOSE:
        ask_cards(state, knobs, cards)
    elif step == s.S_RESOLVE:
        resolve(state, knobs, cards)
    elif step == s.S_REINFORCE:
        ask_reinforcements(state, knobs)
    elif step == s.S_DECLARE:
        if place_in(state) == 0:
            state.phase = s.WAGE_WAR
            begin_wars(state, knobs, cards)
        ask_declaration(state, knobs, cards)
    elif step == s.S_NAMING:
        ask_target(state, knobs, cards)
    elif step == s.S_DEFENCE:
        ask_defence(state, knobs)
    elif step == s.S_BATTLE_PHASE:
        next_battle_phase(state, knobs, cards)
    elif step == s.S_BATTLE:
        next_battle(state, knobs, cards)
    elif step == s.S_MUSTER:
        muster_next(state, knobs, cards)
    elif step == s.S_EXECUTE:
        carry_on(state, knobs, cards)
    elif step == s.S_BUY:
        ask_purchase(state, knobs)
    elif step == s.S_FIRST_ZERO:
        first_zero_check(state)
    elif step == s.S_TREATIES:
        next_treaty(state, knobs)


@kernel
def run_treaty(state: State, knobs: Knobs, cards: Cards, step: int) -> None:
    if step == s.S_TREATY:
        ask_option(state, knobs, cards)
    elif step == s.S_CONQUER:
        ask_conquest(state, knobs)
    elif step == s.S_CLAIMS:
        ask_claim(state, knobs, cards)
    elif step == s.S_LOSSES:
        losses(state, knobs)
    elif step == s.S_ELIMINATE:
        eliminate_next(state, knobs)
    elif step == s.S_POSTWAR:
        post_war(state, knobs)


@kernel
def run_rest(state: State, knobs: Knobs, cards: Cards, step: int) -> None:
    if step == s.S_REGROUP:
        regroup(state, knobs)
    elif step == s.S_LEAGUES:
        form_leagues(state, knobs)
    elif step == s.S_LEAGUE_WAR:
        league_war(state, knobs, cards)
    elif step == s.S_ELECTORATE:
        ask_electorate(state)
    elif step == s.S_ASSENT:
        ask_assent(state)
    elif step == s.S_LEAGUE_PEACE:
        next_peace(state)
    elif step == s.S_LEAGUE_END:
        end_religious_war(state)
    elif step == s.S_FOREIGN:
        state.phase = s.FOREIGN_POWERS
        ask_to_leave(state, knobs, cards)
    elif step == s.S_GIFTS:
        ask_gift(state, knobs, cards)
    elif step == s.S_VOTES:
        next_vote(state, knobs, cards)
    elif step == s.S_IMPERIAL_DI:
        imperial_influence(state, knobs)
    elif step == s.S_ROUND_END:
        end_round(state, knobs, cards)


# --- Decisions ------------------------------------------------------------------------------


@kernel
def answer(state: State, knobs: Knobs, cards: Cards, action: int) -> None:
    """Carries a decision out."""
    kind = np.int64(state.decision)
    state.decision = s.NO_DECISION
    if kind == s.D_DIE:
        place_die(state, action)
    elif kind == s.D_DIPLOMACY:
        act(state, knobs, cards, action)
    elif kind == s.D_PRINCIPALITY:
        choose_principality(state, knobs, action)
    elif kind == s.D_CLASH:
        choose_card(state, action)
    elif kind == s.D_VOTE:
        vote(state, action)
    elif kind == s.D_GESTURE:
        choose_gesture(state, action)
    elif kind == s.D_CONVERT or kind == s.D_TOKEN or kind == s.D_PATRONAGE or kind == s.D_ASSENT:
        choose_in_secret(state, action)
    elif kind <= s.D_FIRST_DI:
        answer_setup(state, knobs, cards, kind, action)
    elif kind <= s.D_DOCTRINE:
        answer_declaration(state, knobs, cards, kind, action)
    elif kind <= s.D_REINFORCE:
        answer_battle(state, knobs, cards, kind, action)
    elif kind <= s.D_CLAIM:
        answer_treaty(state, knobs, cards, kind, action)
    else:
        answer_rest(state, knobs, cards, kind, action)


@kernel
def answer_setup(state: State, knobs: Knobs, cards: Cards, kind: int, action: int) -> None:
    if kind == s.D_FIRST_DI:
        place_first(state, knobs, action)
    elif kind == s.D_ELECTOR:
        choose_elector(state, cards, action)
    else:
        pick(state, action)


@kernel
def answer_declaration(state: State, knobs: Knobs, cards: Cards, kind: int, action: int) -> None:
    if kind == s.D_DECLARE:
        choose_declaration(state, knobs, action)
    elif kind == s.D_PROVINCE:
        choose_province(state, knobs, cards, action)
    elif kind == s.D_TARGET:
        name_target(state, knobs, cards, action)
    elif kind == s.D_DEFEND:
        answer_defence(state, knobs, action)
    elif kind == s.D_VICTIM:
        attack_player(state, action)
    elif kind == s.D_CRUSADE:
        declare_religious_war(state, action)
    elif kind == s.D_DOCTRINE:
        play_doctrine(state, action)


@kernel
def answer_battle(state: State, knobs: Knobs, cards: Cards, kind: int, action: int) -> None:
    if kind == s.D_REINFORCE:
        reinforce(state, action)
    elif kind == s.D_BUY:
        buy(state, action)
    elif kind == s.D_INFANTRY:
        give_up_infantry(state, action)
    elif kind == s.D_NAME:
        name_kind(state, action)
    elif kind == s.D_EXECUTE:
        answer_execute(state, knobs, cards, action)
    elif kind == s.D_SWAP:
        swap_card(state, action)
    elif kind == s.D_AMBUSH:
        ambush(state, knobs, action)


@kernel
def answer_treaty(state: State, knobs: Knobs, cards: Cards, kind: int, action: int) -> None:
    if kind == s.D_PEACE:
        choose_option(state, knobs, cards, action)
    elif kind == s.D_CONQUER:
        conquer(state, action)
    elif kind == s.D_CLAIM:
        claim(state, action)
    elif kind == s.D_LIBERATE:
        liberate(state, knobs, action)
    else:
        vassalize(state, knobs, action)


@kernel
def answer_rest(state: State, knobs: Knobs, cards: Cards, kind: int, action: int) -> None:
    if kind == s.D_LEAGUE:
        join_or_decline(state, knobs, action)
    elif kind == s.D_LEAVE:
        leave(state, knobs, action)
    elif kind == s.D_EDGE:
        go_into_exile(state, knobs, action)
    elif kind == s.D_RANK:
        choose_rank(state, action)
    elif kind == s.D_GIFT:
        choose_gift(state, knobs, cards, action)
    elif kind == s.D_RECIPIENT:
        choose_recipient(state, knobs, action)
    elif kind == s.D_IMPERIAL_DI:
        place_imperial(state, knobs, action)
    else:
        win_alone(state, knobs, action)
