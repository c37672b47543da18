"""Bots for Connect Four: one that sees its own lines, and one that sees the other's too."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel
from simlab.engine.streams import bot_below
from simlab.game import Cards, Knobs, State, Trait, Traits, policy, trait_names

from .rules import cell, line_of
from .state import SLUG


@kernel
def completes(state: State, knobs: Knobs, seat: int, column: int) -> bool:
    """Whether a disc of a seat in a column would make a line."""
    return line_of(state.discs[seat] | cell(state, knobs, column), knobs) > 0


@kernel
def winning_column(state: State, knobs: Knobs, seat: int) -> int:
    """The first legal column in which a disc of a seat would make a line; -1 for none."""
    for i in range(state.n_legal):
        if completes(state, knobs, seat, np.int64(state.legal[i])):
            return np.int64(state.legal[i])
    return -1


@kernel
def feeds_a_line(state: State, knobs: Knobs, column: int) -> bool:
    """Whether a disc in a column lets the other seat complete a line on top of it."""
    if state.height[column] + 1 >= knobs.rows:
        return False
    above = cell(state, knobs, column) << 1
    return line_of(state.discs[1 - state.seat] | above, knobs) > 0


@kernel
def nearest_the_middle(state: State, knobs: Knobs, careful: bool) -> int:
    """The legal column nearest the middle, of two as near either; careful: none that feeds a line, if there is one."""
    best, least, ties = np.int64(state.legal[0]), np.int64(1000), 0
    for i in range(state.n_legal):
        column = np.int64(state.legal[i])
        away = abs(2 * column - (np.int64(knobs.columns) - 1))
        if careful and feeds_a_line(state, knobs, column):
            away += 100
        if away < least:
            best, least, ties = column, away, 1
        elif away == least:
            ties += 1
            if bot_below(state, ties) == 0:
                best = column
    return best


@policy(SLUG)
def greedy(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Completes a line if it can, else drops as near the middle as it can."""
    column = winning_column(state, knobs, np.int64(state.seat))
    return column if column >= 0 else nearest_the_middle(state, knobs, False)


BLOCKER = trait_names(careful=Trait(1, 0, 1, "1: it drops no disc on which the other could complete a line"))


@policy(SLUG, traits=BLOCKER)
def blocker(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Completes a line, else blocks one of the other's, else drops near the middle."""
    column = winning_column(state, knobs, np.int64(state.seat))
    if column < 0:
        column = winning_column(state, knobs, 1 - np.int64(state.seat))
    return column if column >= 0 else nearest_the_middle(state, knobs, traits[BLOCKER.careful] > 0.5)
