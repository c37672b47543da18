"""Checks a learned player's file, which may come from anybody: compiled code reads its numbers as indices, unchecked.

The archive is unpacked only up to a limit, and only arrays of plain numbers and texts. Every place, index and size
must fit the game's record and the other arrays. A file holds no code, and names none.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from simlab.engine.learning.kernels import BITS, COLUMNS, FIRST, KIND, LOW, NAMES, PLACE, SIGNED, SPAN, TRACK
from simlab.errors import InputError
from simlab.game import Array, Game
from simlab.spec.refs import BotRef

MOST_BYTES = 200_000_000  #: of an unpacked file; the largest that ships has 4 MB
_KINDS = frozenset({1, 2, 4, 8, SIGNED + 1, SIGNED + 2, SIGNED + 4, SIGNED + 8})
_FAR = 1e9  # beyond any weight, scale or lowest number of a kind that training makes


class BadPlayer(ValueError):
    """A file that is not a learned player's; the message says why."""


def unpacked(path: Path) -> tuple[dict[str, Any], dict[str, Array]]:
    """The facts and the arrays of a file.

    Raises:
        BadPlayer: it is not an archive of such arrays, or larger than MOST_BYTES when unpacked.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            parts = archive.infolist()
            if sum(part.file_size for part in parts) > MOST_BYTES:
                raise BadPlayer(f"unpacked it has over {MOST_BYTES // 1_000_000} MB")
            held = {part.filename.removesuffix(".npy"): _array(archive, part) for part in parts}
        about = json.loads(str(held.pop("about")))
    except BadPlayer:
        raise
    except Exception as fault:  # noqa: BLE001 - a damaged archive may raise anything
        raise BadPlayer(type(fault).__name__) from None
    if not isinstance(about, dict) or not isinstance(about.get("seats"), list):
        raise BadPlayer("it does not say for which seats it plays")
    return about, held


def _array(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> Array:
    """One array, whose header must not promise more than the file holds: the room is taken before it is read."""
    with archive.open(part) as file:
        version = np.lib.format.read_magic(file)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, kind = read(file)
    if kind.kind not in "fiubU" or kind.itemsize * int(np.prod(shape, dtype=object)) > part.file_size:
        raise BadPlayer(f"{part.filename} is damaged")
    with archive.open(part) as file:
        found: Array = np.lib.format.read_array(file, allow_pickle=False)
    return found


def check_teachers(teachers: object, seats: Collection[str]) -> None:
    """Raises BadPlayer: not seat -> bot; InputError: a bot is in a file, which would run."""
    if not isinstance(teachers, dict) or not all(isinstance(bot, str) for bot in teachers.values()):
        raise BadPlayer("its teachers are not bots")
    for seat, bot in teachers.items():
        if seat not in seats:
            raise BadPlayer(f"it has a teacher for '{seat}', which is not a seat")
        refuse_file(bot)


def refuse_file(bot: str) -> None:
    """Raises InputError: a teacher is in a file. Whoever gets a player's file would run it."""
    if files := BotRef.parse(bot).files:
        raise InputError(
            f"the teacher '{bot[:100]}' is in a file, {files[0][:100]}. A learned player's file is data, which people "
            "pass on, so it may only name bots that the game has. Put the bot into the game's own file or folder."
        )


def check_shapes(readings: Array, names: Sequence[str]) -> None:
    """Checks the readings as the file holds them: within fields, one name each. Raises BadPlayer."""
    if readings.ndim != 2 or readings.shape[1] != COLUMNS or len(names) != len(readings):
        raise BadPlayer("readings have another shape")
    check_numbers(readings, "readings")
    if not (readings[:, PLACE] >= 0).all():
        raise BadPlayer("a reading begins before its field")


def check_net(weights: Mapping[str, Array], readings: Array, outputs: Array, game: Game) -> None:
    """Checks the net of a seat, whose readings are at their places in the record.

    Args:
        weights: arrays by name, with `..._steps`. outputs: as in Net.
    Raises:
        BadPlayer: an array has a shape, or a number a value, that does not fit.
    """
    first = weights["first"]
    if first.ndim != 2 or weights["level"].ndim != 1:
        raise BadPlayer("its weights have another shape")
    (inputs, hidden), count = first.shape, len(weights["level"])
    shapes = {
        "bias": (hidden,), "last": (count, hidden), "level": (count,), "trust": (count,),
        "worth_first": (inputs, hidden), "worth_bias": (hidden,), "worth_last": (hidden,), "worth_level": (1,),
    }  # fmt: skip
    for name, array in weights.items():
        wanted = (hidden,) if name.endswith("_steps") else shapes.get(name, first.shape)
        if array.shape != wanted:
            raise BadPlayer(f"{name} has the shape {array.shape}, not {wanted}")
        check_numbers(array, name)
    if hidden < 1 or outputs.shape != (len(game.decisions) * game.max_actions,) or outputs.dtype.kind not in "iu":
        raise BadPlayer("its outputs are not those of the game's decisions")
    if outputs.size and not (outputs.min() >= -1 and outputs.max() < count):
        raise BadPlayer("it has numbers of outputs that do not exist")
    _check_readings(readings, inputs, game)


def check_numbers(array: Array, name: str) -> None:
    """Raises BadPlayer: not numbers, or some are not finite or beyond those of any training."""
    if array.dtype.kind not in "fiu" or not (np.abs(array.astype(np.float64)) < _FAR).all():  # nan is not
        raise BadPlayer(f"{name} has numbers that no training makes")


def _check_readings(readings: Array, inputs: int, game: Game) -> None:
    """Every byte that `perceive` reads is in the record, and every input that it fills is one of the net's."""
    if not (readings[:, : NAMES + 1] == np.rint(readings[:, : NAMES + 1])).all():
        raise BadPlayer("readings are not whole numbers")
    size, tracks = game.state.itemsize, len(game.tracks)
    for reading in readings:
        place, kind, span, first, names = (int(reading[column]) for column in (PLACE, KIND, SPAN, FIRST, NAMES))
        width = kind % BITS
        fits = place >= 0 and span >= 0 and names >= 0 and first >= 0 and first + max(names, 1) <= inputs
        if kind == TRACK:
            fits = fits and names == 0 and place < tracks
        else:
            fits = fits and width in _KINDS and place + max(span, 1) * (width & (SIGNED - 1)) <= size
        if kind >= BITS:
            fits = fits and kind == BITS + width and 0 <= reading[LOW] <= 64 - names
        if not fits:
            raise BadPlayer("a reading does not fit the record of the game")


def check_table(seen: Array, keys: Array, chances: Array, game: Game) -> None:
    """Checks the table of a seat in a file of exact play. BadPlayer: it does not fit the record or itself."""
    if seen.ndim != 1 or keys.ndim != 1 or chances.ndim != 2 or len(keys) != len(chances):
        raise BadPlayer("a table has another shape")
    for name, array in (("seen", seen), ("chances", chances)):
        check_numbers(array, name)
    if seen.dtype.kind not in "iu" or (seen.size and not (seen.min() >= 0 and seen.max() < game.state.itemsize)):
        raise BadPlayer("a table reads outside the record of the game")
    if keys.dtype.kind != "f" or not np.isfinite(keys).all() or not (np.diff(keys) > 0).all():
        raise BadPlayer("the views of a table are not in order")
    if (
        not chances.shape[1]
        or chances.shape[1] > game.max_actions
        or not ((chances >= 0) & (chances <= 1 + 1e-6)).all()
    ):
        raise BadPlayer("a table has chances that are none")
