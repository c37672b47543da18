"""The fields of a game's record, and a player's inputs by field name, so a file stays usable when the record
changes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from simlab.engine.learning.kernels import BITS, KIND, PLACE, SIGNED, SPAN, TRACK
from simlab.game import Array, Game

_OF_THE_LAB = ("stream_", "frame_", "forced_", "legal", "n_legal", "fired", "over", "used_items")


class Leaf:
    """A field of the record, or of a record in it; `kind`: bytes of a number, with SIGNED added if it is signed."""

    def __init__(self, name: str, kind: np.dtype[Any], shape: tuple[int, ...], place: int) -> None:
        self.name, self.type, self.shape, self.place = name, kind, shape, place
        self.size = math.prod(shape)
        self.bytes = self.size * kind.itemsize
        self.kind = kind.itemsize + (SIGNED if kind.kind == "i" else 0)

    def of(self, memory: Array) -> Array:
        """The field's numbers in each position: (positions, size)."""
        part = memory[:, self.place : self.place + self.bytes]
        return np.ascontiguousarray(part).view(self.type).reshape(len(memory), self.size)


def leaves(kind: np.dtype[Any], place: int = 0, before: str = "") -> Iterator[Leaf]:
    """The fields of a record that hold whole numbers, those of records in it included."""
    for name, (field, offset, *_) in (kind.fields or {}).items():
        element, shape = field.subdtype or (field, ())
        if element.fields:
            for i in range(math.prod(shape)):
                yield from leaves(element, place + offset + i * element.itemsize, f"{before}{name}[{i}].")
        elif element.kind in "iub" and not (before or name).startswith(_OF_THE_LAB):
            yield Leaf(before + name, element, shape, place + offset)


def named(game: Game, readings: Array) -> tuple[Array, list[str]]:
    """Readings whose places count within a field instead of the record, and the field or track of each reading."""
    places, names = readings.copy(), []
    for reading in places:
        place, kind = int(reading[PLACE]), int(reading[KIND])
        if not reading[SPAN]:
            names.append("")
        elif kind == TRACK:
            names.append(game.tracks[place].name)
            reading[PLACE] = 0
        else:
            leaf = next(one for one in leaves(game.state) if one.place <= place < one.place + one.bytes)
            names.append(leaf.name)
            reading[PLACE] -= leaf.place
    return places, names


def found_again(game: Game, places: Array, names: list[str]) -> Array:
    """The inverse of `named`: readings with places in the record; LookupError: the record no longer has a field."""
    readings = places.copy()
    fields = {leaf.name: leaf for leaf in leaves(game.state)}
    tracks = [track.name for track in game.tracks]
    for reading, name in zip(readings, names, strict=True):
        kind, end = int(reading[KIND]), reading[PLACE] + reading[SPAN] * (int(reading[KIND]) & 15)
        if kind == TRACK and name in tracks:
            reading[PLACE] = tracks.index(name)
        elif name in fields and fields[name].kind == kind % BITS and end <= fields[name].bytes:
            reading[PLACE] += fields[name].place
        elif reading[SPAN]:
            raise LookupError(f"the record of the game no longer has the same '{name}'")
    return readings
