"""Sets of hexes, principalities and players as bits: two words of 48 for hexes, one for the rest."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel, small_kernel
from simlab.compiler.bits import bit_count, trailing_zeros
from simlab.engine.streams import below
from simlab.game import Array, State
from simlab.games.westphalia.state import HEXES, WORD

_WORD = np.int64(WORD)


@small_kernel
def bits(word: int) -> int:
    """How many bits of a word are set."""
    return bit_count(word)


@small_kernel
def lowest(word: int) -> int:
    """Position of the lowest set bit of a word that is not 0."""
    return trailing_zeros(word)


@small_kernel
def nth_bit(word: int, n: int) -> int:
    """Position of the n-th set bit, counted from 0."""
    for _ in range(n):
        word &= word - 1
    return lowest(word)


@small_kernel
def word_of(hex_: int) -> int:
    return np.int64(hex_ >= _WORD)


@small_kernel
def bit_of(hex_: int) -> int:
    return np.int64(1) << (hex_ - _WORD * np.int64(hex_ >= _WORD))


@small_kernel
def holds(hexes: Array, hex_: int) -> bool:
    """Whether a set of hexes holds a hex. hexes: int64 (2,)."""
    return hexes[word_of(hex_)] & bit_of(hex_) != 0


@small_kernel
def put(hexes: Array, hex_: int) -> None:
    hexes[word_of(hex_)] |= bit_of(hex_)


@small_kernel
def drop(hexes: Array, hex_: int) -> None:
    hexes[word_of(hex_)] &= ~bit_of(hex_)


@small_kernel
def first_hex(low: int, high: int) -> int:
    """The lowest hex of a set that is not empty."""
    return lowest(low) if low else _WORD + lowest(high)


@kernel
def around(beside: Array, low: int, high: int) -> tuple[int, int]:
    """The hexes next to those of a set, including hexes of the set that have a neighbour in the set (WP-MAP-03).

    Args:
        beside: int64 (96, 2), the neighbours of each hex.
    """
    near_low = np.int64(0)
    near_high = np.int64(0)
    while low:
        at = lowest(low)
        near_low |= beside[at, 0]
        near_high |= beside[at, 1]
        low &= low - 1
    while high:
        at = _WORD + lowest(high)
        near_low |= beside[at, 0]
        near_high |= beside[at, 1]
        high &= high - 1
    return near_low, near_high


@kernel
def chain(beside: Array, low: int, high: int, free_low: int, free_high: int) -> tuple[int, int]:
    """All hexes that can be reached from a set through free hexes, including the set itself."""
    found_low, found_high = low, high
    while low or high:
        if low:
            at = lowest(low)
            low &= low - 1
        else:
            at = _WORD + lowest(high)
            high &= high - 1
        new_low = beside[at, 0] & free_low & ~found_low
        new_high = beside[at, 1] & free_high & ~found_high
        found_low |= new_low
        found_high |= new_high
        low |= new_low
        high |= new_high
    return found_low, found_high


@small_kernel
def draw(state: State, stream: int, n: int) -> int:
    """A whole number in 0..n-1 from one of the game's own streams."""
    return below(state, np.int64(state.stream_seats) + stream, n)


@small_kernel
def is_hex(action: int) -> bool:
    return action < HEXES
