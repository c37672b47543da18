"""Connect Four, in the order of its rules: 1 set-up, 2 a turn, 3 the end.

A rule is a few lines, named by its ID. All of it is compiled: plain loops, numbers and arrays, no Python objects.
"""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel
from simlab.engine.streams import count_rule, offer
from simlab.game import Cards, Description, Knobs, Row, State

from . import rule
from .state import FULL, LINE

# --- 1 Set-up -----------------------------------------------------------------


@kernel
def initial_state(state: State, knobs: Knobs, cards: Cards) -> None:
    """C-1.1: an empty board. (A blank state is all zeros.)"""
    count_rule(state, rule.C_1_1)
    state.winner = -1
    state.turn = 1


# --- 2 A turn -----------------------------------------------------------------


@kernel
def legal_actions(state: State, knobs: Knobs, cards: Cards) -> None:
    """C-2.1: any column that is not full; C-2.3: at first none in the middle, where that is barred."""
    barred = knobs.middle_barred and state.turn == 1
    for column in range(knobs.columns):
        if state.height[column] < knobs.rows and not (barred and in_the_middle(knobs, column)):
            offer(state, column)


@kernel
def in_the_middle(knobs: Knobs, column: int) -> bool:
    """Whether a column is the middle one, or one of the two of an even board."""
    return abs(2 * column - (knobs.columns - 1)) <= 1


@kernel
def cell(state: State, knobs: Knobs, column: int) -> int:
    """The bit of the lowest free cell of a column."""
    return np.int64(1) << ((np.int64(knobs.rows) + 1) * column + np.int64(state.height[column]))


@kernel
def apply_action(state: State, knobs: Knobs, cards: Cards, action: int) -> None:
    """C-2.1: the disc falls; then the end is looked for."""
    count_rule(state, rule.C_2_1)
    if state.turn == 1 and knobs.middle_barred:
        count_rule(state, rule.C_2_3)
    state.discs[state.seat] |= cell(state, knobs, action)
    state.height[action] += 1
    kind = line_of(state.discs[state.seat], knobs)
    if kind:
        count_rule(state, rule.C_3_1)
        state.line_kind = kind
        state.winner = state.seat
        state.over = True
    elif state.turn == knobs.rows * knobs.columns:
        count_rule(state, rule.C_3_2)
        state.over = True
    else:
        count_rule(state, rule.C_2_2)
        state.turn += 1
        state.seat = 1 - state.seat


# --- 3 The end ----------------------------------------------------------------


@kernel
def line_of(discs: int, knobs: Knobs) -> int:
    """C-3.1: how a line lies that these discs make, as KINDS; 0 for none."""
    rows = np.int64(knobs.rows)
    for kind in range(4):
        step = 1 if kind == 0 else rows + kind - 1  # upright 1, falling rows, level rows + 1, rising rows + 2
        row = np.int64(discs)
        for more in range(1, knobs.line):
            row &= discs >> (step * more)
        if row:
            return kind + 1
    return 0


@kernel
def outcome(state: State, knobs: Knobs, cards: Cards, row: Row) -> None:
    """C-3.1, C-3.2: the row of a finished game."""
    won = state.winner >= 0
    row.winner = state.winner if won else -2
    row.winners = 1 << np.int64(state.winner) if won else 3
    row.ending = LINE if won else FULL
    row.turns = state.turn
    row.line_kind = state.line_kind
    for column in range(knobs.columns):
        if in_the_middle(knobs, column):
            row.in_the_middle += state.height[column]


@kernel
def track_values(state: State, knobs: Knobs, cards: Cards, values: np.ndarray) -> None:
    """Columns with room."""
    room = np.int64(0)
    for column in range(knobs.columns):
        room += np.int64(state.height[column] < knobs.rows)
    values[0] = room


@kernel
def determinize(state: State, knobs: Knobs, cards: Cards, seat: int) -> None:
    """Nothing is hidden in this game, so there is nothing to redraw."""


# --- In words (plain Python, not compiled) ------------------------------------


def action_label(state: State, knobs: Knobs, cards: Cards, action: int) -> str:
    """What a person calls the action."""
    return f"column {action + 1}"


def describe(state: State, knobs: Knobs, cards: Cards, seat: int | None) -> Description:
    """The board, row by row from the top: x of the first seat, o of the second."""

    def disc(column: int, row: int) -> str:
        bit = 1 << ((int(knobs.rows) + 1) * column + row)
        return "x" if int(state.discs[0]) & bit else "o" if int(state.discs[1]) & bit else "."

    rows = ("".join(disc(c, row) for c in range(int(knobs.columns))) for row in reversed(range(int(knobs.rows))))
    return {"board": tuple(rows)}
