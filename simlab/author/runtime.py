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
def serve(state: State, stream: int, order: np.ndarray, left: int, item: np.ndarray) -> int:
    """Puts the card that a test or a scenario gives on top of a draw pile, if there is one; returns 0.

    It is called only if draws are forced, because even the arguments would cost something in every draw.

    Args:
        order: the cards, shape (n,), of which the last of the first `left` is on top. item: the first card of the same
            name, by card.
    """
    _serve(order, left, item, streams.given(state, stream), stream)
    done: int = _int(0)
    return done


@kernel
def _serve(order: np.ndarray, left: int, item: np.ndarray, given: int, stream: int) -> None:
    if given == streams.NOT_GIVEN:
        return
    for place in range(left - 1, -1, -1):
        card = order[place]
        if card == given or (given < 0 and item[card] == -1 - given):
            for above in range(place, left - 1):
                order[above] = order[above + 1]
            order[left - 1] = card
            return
    raise ValueError(streams.NOT_THERE, stream, given)


@small_kernel
def draw_kind(state: State, stream: int, counts: np.ndarray, n: int) -> int:
    """A random piece of a bag, 0..n-1, or one of the kind that a test or a scenario gives.

    Args:
        counts: pieces of each kind, shape (kinds,); n: their sum.
    """
    if state.forced_n > 0:
        kind = streams.given(state, stream)
        if kind != streams.NOT_GIVEN:
            return _first_of_kind(counts, kind, stream)
    return streams.below(state, stream, n)


@kernel
def _first_of_kind(counts: np.ndarray, given: int, stream: int) -> int:
    kind = given if given >= 0 else -1 - given
    if counts[kind] <= 0:
        raise ValueError(streams.NOT_THERE, stream, given)
    first: int = _int(0)
    for other in range(kind):
        first += counts[other]
    return first


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
    "_serve": serve, "_draw_kind": draw_kind,
    "_fill": fill, "_count": count, "_sum": total_of, "_max": largest, "_min": smallest, "_item_of": item_of,
    **{f"_{name}": getattr(streams, name) for name in _DRAWS},
    **checked.NAMES,
}  # fmt: skip
