"""Tic-tac-toe, for the tests of searching bots: played well it is a draw."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from simlab.compiler import kernel
from simlab.engine.streams import count_rule, offer
from simlab.game import Cards, Decision, Description, Game, Knobs, Row, State, Tables, rule_index, state_type

RULE = rule_index(Path(__file__).with_name("ledger.toml"))
T_1, T_2, T_3 = (RULE[f"T_{n}"] for n in (1, 2, 3))
LINES = np.array([0b111, 0b111000, 0b111000000, 0b1001001, 0b10010010, 0b100100100, 0b100010001, 0b1010100])
CARDS = np.dtype([("none", np.int64)], align=True)
STATE = state_type(
    [("marks", np.int32, (2,)), ("winner", np.int8)], seats=2, streams=("none",), max_actions=9, rules=len(RULE)
)


@kernel
def initial_state(state: State, knobs: Knobs, cards: Cards) -> None:
    state.winner = -1
    state.turn = 1


@kernel
def legal_actions(state: State, knobs: Knobs, cards: Cards) -> None:
    """T-1: any empty square."""
    taken = state.marks[0] | state.marks[1]
    for square in range(9):
        if not (taken >> square) & 1:
            offer(state, square)


@kernel
def apply_action(state: State, knobs: Knobs, cards: Cards, action: int) -> None:
    count_rule(state, T_1)
    state.marks[state.seat] |= 1 << action
    for line in LINES:
        if state.marks[state.seat] & line == line:
            count_rule(state, T_2)
            state.winner = state.seat
            state.over = True
            return
    if state.turn == 9:
        count_rule(state, T_3)
        state.over = True
        return
    state.turn += 1
    state.seat = 1 - state.seat


@kernel
def outcome(state: State, knobs: Knobs, cards: Cards, row: Row) -> None:
    row.winner = state.winner if state.winner >= 0 else -2
    row.winners = 1 << state.winner if state.winner >= 0 else 3
    row.ending = 0 if state.winner >= 0 else 1
    row.turns = state.turn


@kernel
def track_values(state: State, knobs: Knobs, cards: Cards, values: np.ndarray) -> None:
    """None."""


@kernel
def determinize(state: State, knobs: Knobs, cards: Cards, seat: int) -> None:
    """Nothing is hidden."""


def action_label(state: State, knobs: Knobs, cards: Cards, action: int) -> str:
    return f"row {action // 3 + 1}, column {action % 3 + 1}"


def describe(state: State, knobs: Knobs, cards: Cards, seat: int | None) -> Description:
    marks = ["x" if state.marks[0] >> i & 1 else "o" if state.marks[1] >> i & 1 else "." for i in range(9)]
    return {"board": "/".join("".join(marks[i : i + 3]) for i in (0, 3, 6))}


def pack_cards(tables: Tables) -> np.ndarray:
    return np.zeros(1, CARDS)


GAME = Game(
    slug="tic_tac_toe", title="Tic-tac-toe", summary="Three in a row.", folder=Path(__file__).parent,
    seats=("cross", "nought"), endings=("line", "full"), streams=("none",), decisions=(Decision("T-D-1", "square"),),
    metrics=(), tracks=(), state=STATE, cards=CARDS, tables=(), pack_cards=pack_cards, initial_state=initial_state,
    legal_actions=legal_actions, apply_action=apply_action, determinize=determinize, outcome=outcome,
    track_values=track_values, action_label=action_label, describe=describe, max_decisions=9, max_turns=9,
)  # fmt: skip
