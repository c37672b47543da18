"""Functions that the compiled rules of every class call, under the names in NAMES, which the translator writes."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from simlab.author import checked
from simlab.author.fields import ALL, NOBODY, NONE
from simlab.compiler import kernel, small_kernel
from simlab.compiler.bits import address_of
from simlab.engine import streams
from simlab.game import LOADED, State

_int: Any = np.int64


@kernel
def ask(state: State, decision: int, seat: int) -> None:
    """Sets the next decision, and who makes it."""
    state.decision = decision
    state.seat = seat


@kernel
def shuffle_deck(state: State, stream: int, cards: np.ndarray) -> None:
    """Shuffles a deck that is drawn from its end; heavy cards come to the top."""
    streams.shuffle(state, stream, cards)
    if state.forced_n >= LOADED and streams.weighted(state, stream):
        for place in range(cards.size // 2):
            card = cards[place]
            cards[place] = cards[cards.size - 1 - place]
            cards[cards.size - 1 - place] = card


@kernel
def reshuffle_deck(state: State, stream: int, cards: np.ndarray, n: int, size: int) -> None:
    """Puts the first n cards, whose order nobody has seen, in the order that a new shuffle of all `size` cards of the
    deck gives them. So which of two cards comes first does not depend on the others that are left.
    """
    here = np.zeros(size, np.uint8)
    for place in range(n):
        here[cards[place]] = 1
    order = np.empty(size, np.int32)
    for card in range(size):
        order[card] = card
    shuffle_deck(state, stream, order)
    at = 0
    for place in range(size):
        if here[order[place]]:
            cards[at] = order[place]
            at += 1


@kernel
def can(state: State, option: int) -> bool:
    """Whether an option is legal."""
    for place in range(state.n_legal):
        if state.legal[place] == option:
            return True
    return False


@small_kernel
def card_in_table(card: int, size: int) -> int:
    """The card, if a table of this size has it.

    Raises:
        IndexError: it has not.
    """
    if card < 0 or card >= size:
        raise IndexError("a card, such as NONE, is not in the card table")
    return card


@kernel
def fill(array: np.ndarray, value: int) -> None:
    """Sets all numbers of an array, shape (n,)."""
    for place in range(array.size):
        array[place] = value


@kernel
def count(array: np.ndarray, value: int) -> int:
    """How many numbers of an array, shape (n,), have this value."""
    total = 0
    for place in range(array.size):
        if array[place] == value:
            total += 1
    return total


@kernel
def total_of(array: np.ndarray) -> int:
    """The sum of an array, shape (n,)."""
    total: int = _int(0)
    for place in range(array.size):
        total += array[place]
    return total


@kernel
def largest(array: np.ndarray) -> int:
    """The largest number of an array, shape (n,)."""
    best: int = _int(array[0])
    for place in range(1, array.size):
        best = max(best, _int(array[place]))
    return best


@kernel
def smallest(array: np.ndarray) -> int:
    """The smallest number of an array, shape (n,)."""
    best: int = _int(array[0])
    for place in range(1, array.size):
        best = min(best, _int(array[place]))
    return best


@kernel
def item_of(rows: Any, lengths: Any, row: int, place: int) -> Any:
    """A cell of a constant whose rows have different lengths; `rows` are filled up to one length."""
    size = lengths[row]
    if place < -size or place >= size:
        raise IndexError("tuple index out of range")
    return rows[row][place + size if place < 0 else place]


_DRAWS = ("below", "bot_below", "count_rule", "offer", "redraw_below", "redraw_order")
NAMES: Final[dict[str, Any]] = {
    "np": np, "kernel": kernel, "address_of": address_of, "NONE": NONE, "ALL": ALL, "NOBODY": NOBODY, "_int": _int,
    "_ask": ask, "_shuffle": shuffle_deck, "_reshuffle": reshuffle_deck, "_can": can, "_card": card_in_table,
    "_fill": fill, "_count": count, "_sum": total_of, "_max": largest, "_min": smallest, "_item_of": item_of,
    **{f"_{name}": getattr(streams, name) for name in _DRAWS},
    **checked.NAMES,
}  # fmt: skip
