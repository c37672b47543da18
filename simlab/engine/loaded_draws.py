"""Weighted dice, weighted cards and bad shuffles: luck knobs as a list that random draws read.

The list is stored in the place of forced draws (simlab.game.state_type), so a game without luck knobs does not get
slower: `below` checks only one number of the record, as before. An entry has a head (stream, sides) for each stream of
the die, all but the last marked as LINKED, and then for each face the chance of this face or a lower one, times 2^23.
An entry with 0 sides is a deck; its only threshold is the chance that the card stays where it was. Cards that weigh
more or less than 1 have a separate entry of their deck, marked as CARDS plus the number of such cards: for each card,
its number in 8 bits and its weight, in hundredths, in 16 bits.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from simlab.errors import InputError
from simlab.game import CARDS, FORCED, LINKED, LOADED, Game, KnobValue, Tables, stream_numbers

_WHOLE = 1 << 23


def load_dice(
    game: Game, resolved: Mapping[str, KnobValue], state: np.ndarray[Any, Any], tables: Tables | None = None
) -> None:
    """Puts the luck knobs into a blank state, shape (1,); without luck knobs the state is unchanged.

    Args:
        tables: the component tables, None for the game's own: they name the cards.
    Raises:
        InputError: a face that the die does not have, weights that are all 0, or more faces and cards in all than
            there is room for.
    """
    entries: list[tuple[int, int]] = []  # (8 bits, 16 bits)
    numbers = stream_numbers(len(game.seats), game.streams)
    for die in game.dice:
        name = die.knob.name
        *others, last = (numbers[stream] for stream in die.streams)
        if name in resolved:
            sides = die.faces(resolved)
            ends = np.cumsum(die.chances(resolved)) if sides else [float(resolved[name])]
            entries += [*((stream, sides | LINKED) for stream in others), (last, sides)]
            entries += [_parts(end * _WHOLE) for end in ends]
        if die.card_knob in resolved:
            weights = die.weights(game, resolved, game.own_tables if tables is None else tables)
            head = CARDS | len(weights)
            entries += [*((stream, head | LINKED) for stream in others), (last, head), *weights.items()]
    if len(entries) > FORCED:
        raise InputError(
            f"{game.slug}: the weighted dice and decks need {len(entries)} places, one for each face or card "
            f"and for each purpose; there are {FORCED}. Weight fewer at once."
        )
    for place, (high, low) in enumerate(entries):
        state["forced_stream"][0, place] = np.uint8(high).astype(np.int8)
        state["forced_value"][0, place] = np.uint16(low).astype(np.int16)
    if entries:
        state["forced_n"] = LOADED + len(entries)


def _parts(threshold: float) -> tuple[int, int]:
    whole = round(threshold)
    return whole >> 16, whole & 0xFFFF
