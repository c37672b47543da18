"""Weighted dice, weighted cards and bad shuffles: the luck knobs of a match as a list that random draws read.

The list is one int32 array for all states of a match, so it can have any length and is not copied with a state. A
state holds its address where forced draws would be, because a match with weights has none. A game without luck knobs
therefore pays nothing: its record is no larger, and `below` still checks one number. For each die and each of its
streams the list has an entry (stream, sides, n, n values):

    die             its faces   the chance of each face or a lower one, of 2^23
    bad shuffle     0 sides     one value: the chance that the card stays in its place, of 2^23
    weighted cards  CARDS       the weights of the cards 0..n-1 in hundredths; any other card weighs 1

The stream -1 ends the list.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from simlab.engine.streams import CARDS
from simlab.game import LOADED, Array, Game, KnobValue, Tables, stream_numbers

_WHOLE = 1 << 23
_LISTS: dict[bytes, Array] = {}  # never cleared: a state can outlive its match, and equal states have equal addresses


def pack_weights(game: Game, resolved: Mapping[str, KnobValue], tables: Tables) -> Array:
    """The luck knobs as a list, int32 (n,), read-only; of length 0 if no luck knob is set. The tables name the cards.

    Raises:
        InputError: a face that the die does not have, or weights that are all 0.
    """
    entries: list[int] = []
    numbers = stream_numbers(len(game.seats), game.streams)
    for die in game.dice:
        name = die.knob.name
        if name in resolved:
            sides = die.faces(resolved)
            ends = np.cumsum(die.chances(resolved)) if sides else [float(resolved[name])]
            for stream in die.streams:
                entries += [numbers[stream], sides, len(ends), *(round(end * _WHOLE) for end in ends)]
        if die.card_knob in resolved:
            weights = die.weights(game, resolved, tables)
            values = [weights.get(card, 100) for card in range(max(weights, default=-1) + 1)]
            for stream in die.streams:
                entries += [numbers[stream], CARDS, len(values), *values]
    packed = np.array([*entries, -1] if entries else [], np.int32)
    packed.flags.writeable = False
    return _LISTS.setdefault(packed.tobytes(), packed)


def load_dice(state: Array, weights: Array) -> None:
    """Replaces the weights of a state, shape (1,), by those of its match (`pack_weights`)."""
    if weights.size or state["forced_n"][0] >= LOADED:
        address = weights.ctypes.data if weights.size else 0
        state["forced_n"] = LOADED if weights.size else 0
        state["forced_value"][0, :4] = [
            np.uint16(address >> shift & 0xFFFF).astype(np.int16) for shift in (48, 32, 16, 0)
        ]
