"""The flow of a game: the stack of steps, and the decisions for which they ask.

A step that takes several decisions stays on the record's stack until it is done, so a position can be copied at every
decision. A step that interrupts it is put on top: a defence inside a declaration, a treaty inside a Battle Phase, a
Doctrine inside a battle, or inside a treaty the edge that an eliminated player chooses.
"""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel, small_kernel
from simlab.engine.streams import count_rule
from simlab.game import State
from simlab.games.westphalia import rule
from simlab.games.westphalia.sets import bits
from simlab.games.westphalia.state import NO_DECISION, WORD


@small_kernel
def go(state: State, step: int) -> None:
    """Replaces the step on top by another one."""
    state.step_at[state.depth - 1] = step
    state.at[state.depth - 1] = 0


@small_kernel
def call(state: State, step: int) -> None:
    """Interrupts the step on top."""
    state.step_at[state.depth] = step
    state.at[state.depth] = 0
    state.depth += 1


@small_kernel
def done(state: State) -> None:
    """Ends the step on top; the step that it interrupted continues."""
    state.depth -= 1


@small_kernel
def place_in(state: State) -> int:
    """The progress of the step on top."""
    return np.int64(state.at[state.depth - 1])


@small_kernel
def move_on(state: State) -> None:
    state.at[state.depth - 1] += 1


@small_kernel
def ask(state: State, seat: int, decision: int, low: int, high: int) -> None:
    """Asks a seat; the options are hexes, as two words of bits."""
    state.seat = seat
    state.decision = decision
    state.options[0] = low
    state.options[1] = high
    state.options[2] = 0


@small_kernel
def ask_few(state: State, seat: int, decision: int, options: int) -> None:
    """Asks a seat; the options are the bits of one word."""
    ask(state, seat, decision, options, np.int64(0))


@small_kernel
def also(state: State) -> None:
    """Also offers NO_HEX, which means `stop` or `none`."""
    state.options[2] = 1


@small_kernel
def number_of_options(state: State) -> int:
    return bits(np.int64(state.options[0])) + bits(np.int64(state.options[1])) + bits(np.int64(state.options[2]))


@kernel
def nth_option(state: State, n: int) -> int:
    """The n-th option, counted from 0, in ascending order."""
    for word in range(3):
        options = np.int64(state.options[word])
        here = bits(options)
        if n < here:
            for _ in range(n):
                options &= options - 1
            return word * WORD + bits((options & -options) - 1)
        n -= here
    return NO_DECISION


@kernel
def count_order(state: State) -> None:
    """WP-GEN-06: counts the rule when several players act in Initiative Order."""
    count_rule(state, rule.WP_GEN_06)


@small_kernel
def tally(state: State, counter: int, number: int) -> None:
    """Adds to a counter of the game's row, which stops at its maximum instead of overflowing."""
    state.count[counter] = min(np.int64(state.count[counter]) + number, np.int64(32_000))
