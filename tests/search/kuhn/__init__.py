"""Kuhn poker, for the tests of searching bots: three cards, one bet; worth -1/18 to the first player.

Source: Kuhn (1950), A simplified two-person poker.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from simlab.engine.jit import kernel
from simlab.engine.streams import below, count_rule, offer, redraw_below
from simlab.game import Cards, Decision, Description, Game, Knobs, Row, State, Tables, rule_index, state_type

RULE = rule_index(Path(__file__).with_name("ledger.toml"))
K_1, K_2, K_3, K_4 = (RULE[f"K_{n}"] for n in (1, 2, 3, 4))
PASS, BET = range(2)
CARDS = np.dtype([("none", np.int64)], align=True)
STATE = state_type(
    [("card", np.int8, (2,)), ("bets", np.int8, (2,)), ("passes", np.int8), ("winner", np.int8)],
    seats=2, streams=("deal",), max_actions=2, rules=len(RULE),
)  # fmt: skip


@kernel
def initial_state(state: State, knobs: Knobs, cards: Cards) -> None:
    """K-1: an ante of 1 each, a card each of jack, queen and king (0, 1, 2)."""
    count_rule(state, K_1)
    state.turn = 1
    state.bets[:] = 1
    deal = np.int64(state.stream_seats) + 1
    state.card[0] = below(state, deal, 3)
    state.card[1] = (state.card[0] + 1 + below(state, deal, 2)) % 3


@kernel
def legal_actions(state: State, knobs: Knobs, cards: Cards) -> None:
    """K-2: pass or bet one."""
    offer(state, PASS)
    offer(state, BET)


@kernel
def apply_action(state: State, knobs: Knobs, cards: Cards, action: int) -> None:
    count_rule(state, K_2)
    me, other = np.int64(state.seat), 1 - np.int64(state.seat)
    if action == BET:
        state.bets[me] += 1
    else:
        state.passes += 1
    if action == PASS and state.bets[other] > state.bets[me]:
        count_rule(state, K_3)  # a bet that is not met
        state.winner = other
        state.over = True
    elif state.passes == 2 or (action == BET and state.bets[other] == 2):
        count_rule(state, K_4)  # cards are compared
        state.winner = 0 if state.card[0] > state.card[1] else 1
        state.over = True
    else:
        state.seat = other
        state.turn += 1


@kernel
def outcome(state: State, knobs: Knobs, cards: Cards, row: Row) -> None:
    row.winner = state.winner
    row.winners = 1 << state.winner
    row.turns = state.turn
    for seat in range(2):
        row.score[seat] = state.bets[1 - seat] if seat == state.winner else -state.bets[seat]


@kernel
def track_values(state: State, knobs: Knobs, cards: Cards, values: np.ndarray) -> None:
    """None."""


@kernel
def determinize(state: State, knobs: Knobs, cards: Cards, seat: int) -> None:
    """The other card is one of the two that the seat does not hold."""
    state.card[1 - seat] = (state.card[seat] + 1 + redraw_below(state, 2)) % 3


def action_label(state: State, knobs: Knobs, cards: Cards, action: int) -> str:
    return "pass" if action == PASS else "bet"


def describe(state: State, knobs: Knobs, cards: Cards, seat: int | None) -> Description:
    names = [("jack", "queen", "king")[card] if seat in (None, i) else "hidden" for i, card in enumerate(state.card)]
    return {"cards": ", ".join(names), "bets": f"{state.bets[0]} and {state.bets[1]}"}


def pack_cards(tables: Tables) -> np.ndarray:
    return np.zeros(1, CARDS)


GAME = Game(
    slug="kuhn", title="Kuhn poker", summary="Three cards, one bet.", folder=Path(__file__).parent,
    seats=("first", "second"), endings=("played",), streams=("deal",),
    decisions=(Decision("K-D-1", "pass or bet", ("pass", "bet")),), metrics=(), tracks=(), state=STATE, cards=CARDS,
    tables=(), pack_cards=pack_cards, initial_state=initial_state, legal_actions=legal_actions,
    apply_action=apply_action, determinize=determinize, outcome=outcome, track_values=track_values,
    action_label=action_label, describe=describe, max_decisions=3, max_turns=3, has_scores=True, score_range=(-2, 2),
    setup_streams=("deal",),
)  # fmt: skip
