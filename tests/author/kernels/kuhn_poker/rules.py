"""Kuhn poker, in the order of its rules: 1 set-up, 2 play, 3 the end.

A rule is a few lines, named by its ID. All of it is compiled: plain loops, numbers and arrays, no Python objects.
"""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel
from simlab.engine.streams import below, count_rule, offer, redraw_below
from simlab.game import Cards, Description, Knobs, Row, State

from . import rule
from .state import BET, DEAL, FOLD, PASS, SEATS, SHOWDOWN

# --- 1 Set-up -----------------------------------------------------------------


@kernel
def initial_state(state: State, knobs: Knobs, cards: Cards) -> None:
    """K-1.1, K-1.2: the antes, then a card each."""
    count_rule(state, rule.K_1_1)
    state.bets[0] = knobs.ante
    state.bets[1] = knobs.ante
    state.turn = 1
    count_rule(state, rule.K_1_2)
    state.card[0] = below(state, DEAL, knobs.ranks)
    state.card[1] = (state.card[0] + 1 + below(state, DEAL, knobs.ranks - 1)) % knobs.ranks


# --- 2 Play -------------------------------------------------------------------


@kernel
def legal_actions(state: State, knobs: Knobs, cards: Cards) -> None:
    """K-2.1: pass or bet."""
    offer(state, PASS)
    offer(state, BET)


@kernel
def apply_action(state: State, knobs: Knobs, cards: Cards, action: int) -> None:
    """K-2.1: the bets go in; the end comes with a fold, two passes or two bets."""
    count_rule(state, rule.K_2_1)
    me, other = np.int64(state.seat), 1 - np.int64(state.seat)
    if action == BET:
        state.bets[me] += knobs.bet
    else:
        state.passes += 1
    if action == PASS and state.bets[other] > state.bets[me]:
        fold(state, other)
    elif state.passes == 2 or (action == BET and state.bets[other] == state.bets[me]):
        show_down(state)
    else:
        state.seat = other
        state.turn += 1


# --- 3 The end ----------------------------------------------------------------


@kernel
def fold(state: State, winner: int) -> None:
    """K-3.1: a bet that is not met takes the pot."""
    count_rule(state, rule.K_3_1)
    state.winner = winner
    state.ending = FOLD
    state.over = True


@kernel
def show_down(state: State) -> None:
    """K-3.2: the cards are compared."""
    count_rule(state, rule.K_3_2)
    state.winner = 0 if state.card[0] > state.card[1] else 1
    state.ending = SHOWDOWN
    state.over = True


@kernel
def outcome(state: State, knobs: Knobs, cards: Cards, row: Row) -> None:
    """The row of a finished game; a score is what the seat gained or lost."""
    winner = np.int64(state.winner)
    row.winner = winner
    row.winners = 1 << winner
    row.ending = state.ending
    row.turns = state.turn
    row.score[winner] = state.bets[1 - winner]
    row.score[1 - winner] = -state.bets[1 - winner]
    row.pot = np.int64(state.bets[0]) + np.int64(state.bets[1])
    row.bluffed = 1 if state.card[winner] < state.card[1 - winner] else 0


@kernel
def track_values(state: State, knobs: Knobs, cards: Cards, values: np.ndarray) -> None:
    """The game is over before there is anything to follow."""


@kernel
def determinize(state: State, knobs: Knobs, cards: Cards, seat: int) -> None:
    """The other card is any that the seat does not hold."""
    state.card[1 - seat] = (state.card[seat] + 1 + redraw_below(state, knobs.ranks - 1)) % knobs.ranks


# --- In words (plain Python, not compiled) ------------------------------------


def card_name(card: int, ranks: int) -> str:
    """The lowest of three is the jack; in a larger deck cards have numbers."""
    return ("jack", "queen", "king")[card] if ranks == 3 else str(card + 1)


def action_label(state: State, knobs: Knobs, cards: Cards, action: int) -> str:
    """What a person calls the action."""
    answers = state.bets[1 - int(state.seat)] > state.bets[int(state.seat)]
    return (("fold", "call") if answers else ("pass", "bet"))[action]


def describe(state: State, knobs: Knobs, cards: Cards, seat: int | None) -> Description:
    """The position as `seat` sees it; None sees all."""
    seen: Description = {}
    for number, name in enumerate(SEATS):
        shown = seat is None or seat == number
        seen[f"{name}'s card"] = card_name(int(state.card[number]), int(knobs.ranks)) if shown else "hidden"
        seen[f"{name} has put in"] = str(int(state.bets[number]))
    return seen
