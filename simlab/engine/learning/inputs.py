"""Inputs of a learned player: numbers of the state's record, selected by positions of games.

Hidden information is left out, that is, every number that changes in any position when hidden information is dealt
again for that seat (`determinize`). A number that is the same in all positions carries no information and is left out
as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simlab.engine.learning.fields import Leaf, leaves
from simlab.engine.learning.kernels import BITS, COLUMNS, FIRST, NAMES, TRACK
from simlab.engine.match import Match
from simlab.engine.rollouts import Rollouts
from simlab.game import Array, Game

MOST, MOST_NUMBERS = 2_048, 512  #: most inputs of a player, and most numbers and counts among them
POSITIONS, GAMES = 3_000, 300  #: most positions, and most games of random play, to look at
_SMALL = 16  # elements of an array that are inputs one by one before larger arrays are
_ROW = 16  # places of a row with an input for each kind at each place: which card is on offer where
_BOARD, _MEN = 64, 4  # the same for a board with few kinds: most places and most kinds
_FEW, _STEPS = 4, 48  # numbers of a field that also get an input per range: thresholds are hard to learn from a number
_KINDS = 12  # values of a number that are counted separately
_NAMES = 128  # values of the numbers in an array that are counted one by one
_SET = 1_000  # a wide field with larger numbers is a set: its bits are inputs


@dataclass
class Look:
    """What positions of a game show about it: inputs for players, and how long games are."""

    readings: list[Array]  #: of each seat's player, float64 (readings, COLUMNS)
    choices: float  #: decisions with a choice in a game, on average
    longest: int  #: decisions of the longest game
    pairs: Array  #: decision * max_actions + action for every action that was legal
    open: bool  #: whether only the players' choices determine a game: nothing is hidden, no luck after set-up


def look(matches: Sequence[Match], seed: int) -> Look:
    """Looks at positions of the games of each match in turn.

    Readings come in the order in which a player is likely to need them, up to MOST inputs: tracks, single numbers,
    small arrays, kinds, how often each value occurs in an array, large arrays; members of sets, the kind at each place
    of a row.

    Args:
        matches: matches of one game, with bots that play differently, because a player reads only the information that
            occurs in their games.
    """
    game = matches[0].game
    seats, seen = range(len(game.seats)), []
    choices, longest, pairs = 0, 0, set()
    drawn, began = False, ([0], [0])
    luck = slice(len(game.seats) + 1, None)  # after the streams of the bots and of redrawing
    redealt: list[list[Array]] = [[] for _ in seats]
    tracks: list[Array] = []
    other: list[list[Array]] = [[] for _ in seats]
    played = [Rollouts(match, seed, 1) for match in matches]
    share = np.random.default_rng(seed)
    for index in range(GAMES):
        futures = played[index % len(played)]
        for number, position in enumerate(futures.positions(index)):
            longest = max(longest, number + 1)
            at = position["stream_at"][0, luck].tolist(), position["stream_epoch"][0, luck].tolist()
            began = at if number == 0 else began
            drawn |= at != began
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
    same = all((values == leaf.of(_bytes(redealt[seat]))).all() for seat in seats for leaf, values in fields)
    return Look(readings, choices / (index + 1), longest, np.array(sorted(pairs)), same and not drawn)


def _bytes(records: list[Array]) -> Array:
    return np.concatenate(records).view(np.ndarray).view(np.uint8).reshape(len(records), -1)


def _readings(game: Game, fields: list[tuple[Leaf, Array]], hidden: Array, tracks: Array, redealt: Array) -> Array:
    ranks: list[list[list[float]]] = [[] for _ in range(8)]
    for track in range(len(game.tracks)):
        if (tracks[:, track] == redealt[:, track]).all() and _varies(tracks[:, track]):
            ranks[0].append([track, TRACK, 1, 0, 0, 0, *_scaled(tracks[:, track])])
    for leaf, values in fields:
        open_ = (values == leaf.of(hidden)).all(axis=0)
        width = leaf.type.itemsize
        if width == 8 and np.abs(values).max(initial=0) > _SET:
            for i in np.flatnonzero(open_).tolist():
                changed = int(np.bitwise_or.reduce(values[:, i] ^ values[0, i])) & (1 << 63) - 1
                if changed:
                    low = (changed & -changed).bit_length() - 1
                    names = changed.bit_length() - low
                    ranks[6].append([leaf.place + i * width, leaf.kind + BITS, 1, 0, names, low, 0, 0])
            continue
        counted = np.zeros(leaf.size, bool)
        row = leaf.shape[-1] if leaf.shape else 1
        for first in range(0, leaf.size, row):
            part = values[:, first : first + row]
            low, names = int(part.min()), int(part.max()) - int(part.min()) + 1
            few = 2 < names <= (_KINDS if row < 4 else _NAMES)
            if few and (row == 1 or row >= 4) and open_[first : first + row].all() and _varies(part):
                ranks[3 if row == 1 else 4].append([leaf.place + first * width, leaf.kind, row, 0, names, low, 0, 0])
                counted[first : first + row] = row > _BOARD
                if (4 <= row <= _ROW and names > _KINDS // 2) or (row <= _BOARD and names <= _MEN):
                    ranks[7] += (
                        [leaf.place + i * width, leaf.kind, 1, 0, names, low, 0, 0] for i in range(first, first + row)
                    )
        for i in np.flatnonzero(open_ & ~counted).tolist():
            if _varies(values[:, i]):
                rank = 1 if leaf.size == 1 else 2 if leaf.size <= _SMALL else 5
                if leaf.size <= _FEW:
                    low, names = int(values[:, i].min()), int(values[:, i].max()) - int(values[:, i].min()) + 1
                    wide = -(-names // _STEPS)
                    if names > _KINDS:
                        at = leaf.place + i * width
                        ranks[7].append([at, leaf.kind, 1, 0, -(-names // wide), low, wide if wide > 1 else 0, 0])
                ranks[rank].append([leaf.place + i * width, leaf.kind, 1, 0, 0, 0, *_scaled(values[:, i])])
    chosen, inputs = [], 0
    for number, group in enumerate(ranks):
        most = MOST_NUMBERS if number < 6 else MOST
        for reading in group:
            wanted = int(reading[NAMES]) or 1
            if inputs + wanted <= most:
                reading[FIRST] = inputs
                chosen.append(reading)
                inputs += wanted
    return np.array(chosen, np.float64).reshape(-1, COLUMNS)


def inputs_of(readings: Array) -> int:
    """The number of inputs from these readings."""
    return int(np.maximum(readings[:, NAMES], 1).sum()) if len(readings) else 0


def _varies(column: Array) -> bool:
    return bool((column != column[:1]).any())


def _scaled(column: Array) -> tuple[float, float]:
    """Centre and scale of a number: about -1 to 1 in the positions looked at."""
    return float(column.mean()), 1 / max(float(column.std()), 0.05)
