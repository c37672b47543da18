"""Pig, in the order of its rules: 1 set-up, 2 a turn, 3 the end.

A rule is a few lines, named by its ID. All of it is compiled: plain loops, numbers and arrays, no Python objects.
"""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel
from simlab.engine.streams import below, count_rule, offer
from simlab.game import Cards, Description, Knobs, Row, State

from . import rule
from .state import DIE, EXHAUSTION, GOAL, HOLD, LAST_TURN, ROLL, SEATS

# --- 1 Set-up -----------------------------------------------------------------


@kernel
def initial_state(state: State, knobs: Knobs, cards: Cards) -> None:
    """P-1.1: nobody has points, the first seat begins. (A blank state is all zeros.)"""
    count_rule(state, rule.P_1_1)
    state.score[1] = knobs.head_start
    state.turn = 1


# --- 2 A turn -----------------------------------------------------------------


@kernel
def legal_actions(state: State, knobs: Knobs, cards: Cards) -> None:
    """P-2.1, P-2.3: roll always; hold once there is something to hold."""
    offer(state, ROLL)
    if state.at_stake > 0:
        offer(state, HOLD)


@kernel
def apply_action(state: State, knobs: Knobs, cards: Cards, action: int) -> None:
    """P-2: the seat to act rolls or holds."""
    if action == ROLL:
        roll(state, knobs)
    else:
        hold(state, knobs)


@kernel
def roll(state: State, knobs: Knobs) -> None:
    """P-2.1, P-2.2: a roll adds to what is at stake, the bust number loses it; P-2.5: at the goal it is held."""
    count_rule(state, rule.P_2_1)
    pips = below(state, DIE, knobs.die_sides) + 1
    if pips == knobs.bust_number:
        count_rule(state, rule.P_2_2)
        state.busts += 1
        state.at_stake = 0
        end_turn(state)
        return
    state.at_stake += pips
    if state.score[state.seat] + state.at_stake >= knobs.goal:
        count_rule(state, rule.P_2_5)
        hold(state, knobs)


@kernel
def hold(state: State, knobs: Knobs) -> None:
    """P-2.3: what is at stake is safe, and the turn ends."""
    count_rule(state, rule.P_2_3)
    state.score[state.seat] += state.at_stake
    state.at_stake = 0
    if state.score[state.seat] >= knobs.goal:
        finish(state, np.int64(state.seat), GOAL)
    else:
        end_turn(state)


@kernel
def end_turn(state: State) -> None:
    """P-2.4: the other seat is next."""
    count_rule(state, rule.P_2_4)
    if state.turn >= LAST_TURN:
        count_rule(state, rule.P_3_2)
        finish(state, -1, EXHAUSTION)
        return
    state.seat = 1 - state.seat
    state.turn += 1


# --- 3 The end ----------------------------------------------------------------


@kernel
def finish(state: State, winner: int, ending: int) -> None:
    """P-3.1: the first seat to hold the goal wins."""
    if ending == GOAL:
        count_rule(state, rule.P_3_1)
    state.winner = winner
    state.ending = ending
    state.over = True


@kernel
def outcome(state: State, knobs: Knobs, cards: Cards, row: Row) -> None:
    """The row of a finished game."""
    row.winner = state.winner
    row.winners = 1 << np.int64(state.winner) if state.winner >= 0 else 0
    row.ending = state.ending
    row.turns = state.turn
    row.score[0] = state.score[0]
    row.score[1] = state.score[1]
    row.busts = state.busts
    row.margin = abs(np.int64(state.score[0]) - np.int64(state.score[1]))


@kernel
def track_values(state: State, knobs: Knobs, cards: Cards, values: np.ndarray) -> None:
    """Both scores, as they stand at the start of a turn."""
    values[0] = state.score[0]
    values[1] = state.score[1]


@kernel
def determinize(state: State, knobs: Knobs, cards: Cards, seat: int) -> None:
    """Nothing is hidden in this game, so there is nothing to redraw."""


# --- In words (plain Python, not compiled) ------------------------------------


def action_label(state: State, knobs: Knobs, cards: Cards, action: int) -> str:
    """What a person calls the action."""
    return "roll" if action == ROLL else f"hold {int(state.at_stake)}"


def describe(state: State, knobs: Knobs, cards: Cards, seat: int | None) -> Description:
    """The position as `seat` sees it; nothing is hidden."""
    seen: Description = {"at stake": str(int(state.at_stake))}
    for number, name in enumerate(SEATS):
        seen[f"{name}'s score"] = str(int(state.score[number]))
    return seen
