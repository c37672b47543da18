"""Inputs of a learned player: numbers of the state's record, selected by positions of random play.

Hidden information is left out: every number that changes in any position when that seat's view is dealt again
(`determinize`). A number that is the same in all positions carries no information and is left out as well.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from simlab.engine.learning.kernels import (
    CENTRE,
    COLUMNS,
    FAR,
    FIRST,
    KIND,
    LOW,
    NAMES,
    PLACE,
    SCALE,
    SIGNED,
    SPAN,
    TRACK,
)
from simlab.engine.match import Match
from simlab.engine.rollouts import Rollouts
from simlab.game import Game

Array = np.ndarray[Any, Any]
MOST = 512  #: inputs of a player
POSITIONS, GAMES = 3_000, 300  #: of random play that are looked at, at most
_SMALL = 16  # elements of an array that are inputs one by one before larger arrays are
_KINDS = 12  # values of a number that are counted separately
_NAMES = 64  # values of the numbers in an array that are counted one by one
_OF_THE_LAB = ("stream_", "forced_", "legal", "n_legal", "fired", "over", "used_items")


class Leaf:
    """A field of the record, or a field of a record in it.

    Attributes:
        kind: bytes of a number, with SIGNED added where it has a sign.
    """

    def __init__(self, name: str, kind: np.dtype[Any], shape: tuple[int, ...], place: int) -> None:
        self.name, self.type, self.shape, self.place = name, kind, shape, place
        self.size = math.prod(shape)
        self.kind = kind.itemsize + (SIGNED if kind.kind == "i" else 0)

    def of(self, memory: Array) -> Array:
        """Its numbers in each position: (positions, size)."""
        part = memory[:, self.place : self.place + self.size * self.type.itemsize]
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


@dataclass
class Look:
    """Information on a game from random play.

    Attributes:
        readings: of each seat's player, float64 (readings, COLUMNS), as in simlab.engine.learning.kernels.
        choices: decisions with a choice in a game, on average.
        pairs: decision * max_actions + action of every action that was legal.
    """

    readings: list[Array]
    choices: float
    pairs: Array


def look(match: Match, seed: int) -> Look:
    """Looks at positions of random play.

    Readings come in the order in which a player is likely to need them, up to MOST inputs: tracks, single numbers,
    small arrays, kinds, how often each value occurs in an array, large arrays.

    Args:
        match: with random bots.
    """
    game = match.game
    seats, seen = range(len(game.seats)), []
    choices, pairs = 0, set()
    redealt: list[list[Array]] = [[] for _ in seats]
    tracks: list[Array] = []
    other: list[list[Array]] = [[] for _ in seats]
    futures = Rollouts(match, seed, 1)
    share = np.random.default_rng(seed)
    for index in range(GAMES):
        for position in futures.positions(index):
            legal = position["legal"][0, : int(position["n_legal"][0])].astype(np.int64)
            pairs.update((legal + int(position["decision"][0]) * game.max_actions).tolist())
            choices += len(legal) > 1
            if share.random() > 0.25:
                continue
            seen.append(position.copy())
            tracks.append(futures.tracks(position))
            for seat in seats:
                redealt[seat].append(futures.as_seen_by(position, seat, len(seen)))
                other[seat].append(futures.tracks(redealt[seat][-1]))
        if len(seen) >= POSITIONS:
            break
    memory = _bytes(seen)
    fields = [(leaf, leaf.of(memory)) for leaf in leaves(game.state)]
    followed = np.array(tracks)
    readings = [_readings(game, fields, _bytes(redealt[seat]), followed, np.array(other[seat])) for seat in seats]
    return Look(readings, choices / (index + 1), np.array(sorted(pairs)))


def _bytes(records: list[Array]) -> Array:
    return np.concatenate(records).view(np.ndarray).view(np.uint8).reshape(len(records), -1)


def _readings(game: Game, fields: list[tuple[Leaf, Array]], hidden: Array, tracks: Array, redealt: Array) -> Array:
    ranks: list[list[list[float]]] = [[] for _ in range(6)]
    for track in range(len(game.tracks)):
        if (tracks[:, track] == redealt[:, track]).all() and _varies(tracks[:, track]):
            ranks[0].append([track, TRACK, 1, 0, 0, 0, *_scaled(tracks[:, track])])
    for leaf, values in fields:
        open_ = (values == leaf.of(hidden)).all(axis=0)
        width = leaf.type.itemsize
        counted = np.zeros(leaf.size, bool)
        row = leaf.shape[-1] if leaf.shape else 1
        for first in range(0, leaf.size, row):
            part = values[:, first : first + row]
            low, names = int(part.min()), int(part.max()) - int(part.min()) + 1
            few = 2 < names <= (_KINDS if row < 4 else _NAMES)
            if few and (row == 1 or row >= 4) and open_[first : first + row].all() and _varies(part):
                ranks[3 if row == 1 else 4].append([leaf.place + first * width, leaf.kind, row, 0, names, low, 0, 0])
                counted[first : first + row] = row > _SMALL
        for i in np.flatnonzero(open_ & ~counted).tolist():
            if _varies(values[:, i]):
                rank = 1 if leaf.size == 1 else 2 if leaf.size <= _SMALL else 5
                ranks[rank].append([leaf.place + i * width, leaf.kind, 1, 0, 0, 0, *_scaled(values[:, i])])
    chosen, inputs = [], 0
    for reading in (one for rank in ranks for one in rank):
        wanted = int(reading[NAMES]) or 1
        if inputs + wanted <= MOST:
            reading[FIRST] = inputs
            chosen.append(reading)
            inputs += wanted
    return np.array(chosen, np.float64).reshape(-1, COLUMNS)


def inputs_of(readings: Array) -> int:
    """How many inputs readings make."""
    return int(np.maximum(readings[:, NAMES], 1).sum()) if len(readings) else 0


def _varies(column: Array) -> bool:
    return bool((column != column[:1]).any())


def _scaled(column: Array) -> tuple[float, float]:
    """Centre and scale of a number: about -1 to 1 in the positions looked at."""
    return float(column.mean()), 1 / max(float(column.std()), 0.05)


def read(match: Match, readings: Array, inputs: int, positions: Array) -> Array:
    """Positions as a player reads them, float64 (positions, inputs): the kernel's numbers, in another way.

    Args:
        readings: float64 (readings, COLUMNS). positions: State[n].
    """
    memory = np.ascontiguousarray(positions).view(np.ndarray).view(np.uint8).reshape(len(positions), -1)
    found = np.zeros((len(positions), inputs))
    tracks: Array | None = None
    for reading in readings:
        place, kind, first, names = (int(reading[column]) for column in (PLACE, KIND, FIRST, NAMES))
        if kind == TRACK:
            if tracks is None:
                futures = Rollouts(match, 0, 1)
                tracks = np.array([futures.tracks(positions[k : k + 1].copy()) for k in range(len(positions))])
            values = tracks[:, place : place + 1]
        else:
            width, span = kind & 15, int(reading[SPAN])
            part = np.ascontiguousarray(memory[:, place : place + span * width])
            values = part.view(np.dtype(f"{'i' if kind & SIGNED else 'u'}{width}")).astype(np.int64)
        if names:
            for name in range(names):
                found[:, first + name] = (values == name + int(reading[LOW])).sum(axis=1)
        elif reading[SPAN]:
            found[:, first] = np.clip((values[:, 0] - reading[CENTRE]) * reading[SCALE], -FAR, FAR)
    return found
