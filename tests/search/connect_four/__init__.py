"""Connect Four, for the tests of searching bots and their speed: the first player wins in the middle column."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from simlab.engine.jit import kernel
from simlab.engine.streams import count_rule, offer
from simlab.game import Cards, Decision, Description, Game, Knobs, Row, State, Tables, rule_index, state_type

RULE = rule_index(Path(__file__).with_name("ledger.toml"))
C_1, C_2, C_3 = (RULE[f"C_{n}"] for n in (1, 2, 3))
COLUMNS, ROWS, COLUMN = 7, 6, 7  # a column has a bit more than rows: lines cannot run over its top
CARDS = np.dtype([("none", np.int64)], align=True)
STATE = state_type(
    [("discs", np.int64, (2,)), ("height", np.int8, (COLUMNS,)), ("winner", np.int8)],
    seats=2, streams=("none",), max_actions=COLUMNS, rules=len(RULE),
)  # fmt: skip


@kernel
def initial_state(state: State, knobs: Knobs, cards: Cards) -> None:
    state.winner = -1
    state.turn = 1


@kernel
def legal_actions(state: State, knobs: Knobs, cards: Cards) -> None:
    """C-1: any column that is not full."""
    for column in range(COLUMNS):
        if state.height[column] < ROWS:
            offer(state, column)


@kernel
def four(discs: int) -> bool:
    """C-2: four in a row: upright, level, or on a diagonal."""
    for step in (1, COLUMN, COLUMN - 1, COLUMN + 1):
        pairs = discs & (discs >> step)
        if pairs & (pairs >> (2 * step)):
            return True
    return False


@kernel
def apply_action(state: State, knobs: Knobs, cards: Cards, action: int) -> None:
    count_rule(state, C_1)
    state.discs[state.seat] |= np.int64(1) << (COLUMN * action + state.height[action])
    state.height[action] += 1
    if four(state.discs[state.seat]):
        count_rule(state, C_2)
        state.winner = state.seat
        state.over = True
        return
    if state.turn == ROWS * COLUMNS:
        count_rule(state, C_3)
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
    return f"column {action + 1}"


def describe(state: State, knobs: Knobs, cards: Cards, seat: int | None) -> Description:
    def disc(column: int, row: int) -> str:
        bit = 1 << (COLUMN * column + row)
        return "x" if int(state.discs[0]) & bit else "o" if int(state.discs[1]) & bit else "."

    rows = ("".join(disc(column, row) for column in range(COLUMNS)) for row in reversed(range(ROWS)))
    return {"board": "/".join(rows)}


def pack_cards(tables: Tables) -> np.ndarray:
    return np.zeros(1, CARDS)


GAME = Game(
    slug="connect_four", title="Connect Four", summary="Four in a row, dropped into columns.",
    folder=Path(__file__).parent, seats=("first", "second"), endings=("line", "full"), streams=("none",),
    decisions=(Decision("C-D-1", "column"),), metrics=(), tracks=(), state=STATE, cards=CARDS, tables=(),
    pack_cards=pack_cards, initial_state=initial_state, legal_actions=legal_actions, apply_action=apply_action,
    determinize=determinize, outcome=outcome, track_values=track_values, action_label=action_label, describe=describe,
    max_decisions=ROWS * COLUMNS, max_turns=ROWS * COLUMNS,
)  # fmt: skip
