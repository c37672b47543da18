"""Learned players' files from anybody: they run no code, take no room, and hold no index that is out of range."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import policies
from simlab.bot_registry import load_bot
from simlab.engine.learning import validation
from simlab.engine.learning.kernels import BITS, FIRST, KIND, LOW, NAMES, PLACE, SPAN, TRACK
from simlab.engine.learning.player import Player, Tables, read_file
from simlab.errors import InputError
from simlab.game import Game
from simlab.registry import load_game

SHIPPED = Path(policies.__file__).parent / "learned" / "simple_siege.npz"
Held = dict[str, Any]


@pytest.fixture(scope="module")
def siege() -> Game:
    return load_game("simple_siege")


def arrays() -> Held:
    with np.load(SHIPPED) as file:
        return {name: file[name].copy() for name in file.files}


def about(**changes: Any) -> Callable[[Held], Held]:
    def change(held: Held) -> Held:
        return held | {"about": np.array(json.dumps(json.loads(str(held["about"])) | changes))}

    return change


def at(name: str, place: Any, value: float) -> Callable[[Held], Held]:
    """Changes one number; those of readings are at their column of the first seat's first reading that fits."""

    def change(held: Held) -> Held:
        part = held[name] = held[name].astype(np.float64 if name == "readings" else held[name].dtype)
        part[place] = value
        return held

    return change


def reading(
    column: int, value: float, which: Callable[[Any], Any] = lambda r: (r[:, SPAN] > 0) & (r[:, KIND] != TRACK)
) -> Any:
    def change(held: Held) -> Held:
        first = int(np.flatnonzero(which(held["readings"][0]))[0])
        return at("readings", (0, first, column), value)(held)

    return change


def cut(name: str, *place: Any) -> Callable[[Held], Held]:
    return lambda held: held | {name: held[name][place]}


def without(name: str) -> Callable[[Held], Held]:
    return lambda held: {key: part for key, part in held.items() if key != name}


WRONG: dict[str, Callable[[Held], Held]] = {
    "an output beyond the last": at("outputs", (0, 3), 10_000),
    "an output below -1": at("outputs", (1, 0), -5),
    "outputs of fewer decisions": cut("outputs", slice(None), slice(0, -1)),
    "outputs that are no whole numbers": lambda held: held | {"outputs": held["outputs"].astype(np.float32)},
    "a reading far behind the record": reading(PLACE, 1e6),
    "a reading before its field": reading(PLACE, -8),
    "a reading of a million numbers": reading(SPAN, 1e6),
    "a span below 0": reading(SPAN, -1),
    "a kind of number that is none": reading(KIND, 7),
    "fields that the record does not have": lambda held: held | {"names": np.char.add(held["names"], "s")},
    "an input behind the last": reading(FIRST, 5_000),
    "an input before the first": reading(FIRST, -1),
    "more names than inputs": reading(NAMES, 5_000, lambda r: r[:, NAMES] > 0),
    "a place that is no number": reading(PLACE, np.nan),
    "a place between two": reading(PLACE, 0.5),
    "a lowest number that is none": reading(LOW, np.inf),
    "readings without a column": cut("readings", slice(None), slice(None), slice(0, 7)),
    "fewer names than readings": cut("names", slice(None), slice(0, -1)),
    "weights that are no numbers": at("bias", (0, 0), np.nan),
    "infinite weights": at("level", (0, 0), np.inf),
    "infinite steps": at("first_steps", (0, 0), np.inf),
    "a smaller hidden layer": cut("bias", slice(None), slice(0, -1)),
    "fewer weights": cut("last", slice(None), slice(0, -1)),
    "fewer inputs of the other net": cut("worth_first", slice(None), slice(0, -1)),
    "less trust": cut("trust", slice(None), slice(0, -1)),
    "two worths": lambda held: held | {"worth_level": np.zeros((2, 2), np.float16)},
    "a scale that is no number": at("scale", (0, 0), np.nan),
    "one seat's net": cut("first", slice(0, 1)),
    "a number for a net": lambda held: held | {"bias": np.array(1.0)},
    "no weights": without("first"),
    "no readings": without("readings"),
    "no facts": without("about"),
    "facts that are a list": lambda held: held | {"about": np.array("[1, 2]")},
    "facts that never end": lambda held: held | {"about": np.array("[" * 100_000)},
    "facts without seats": about(seats=3),
    "teachers that are a list": about(teachers=["rusher"]),
    "a teacher that is a number": about(teachers={"besieger": 3}),
    "a teacher of nobody": about(teachers={"nobody": "random"}),
    "training that is a number": about(training=3),
    "objects": lambda held: held | {"bias": np.array([{}, {}], object)},
    "texts for weights": lambda held: held | {"bias": np.array([["a"], ["b"]])},
}  # fmt: skip


def write(file: Path, held: Held) -> Path:
    np.savez_compressed(file, allow_pickle=True, **held)
    return file


def test_the_file_that_ships_is_read(siege, tmp_path):
    assert isinstance(read_file(write(tmp_path / "same.npz", arrays()), siege), Player)


@pytest.mark.parametrize("what", WRONG)
def test_a_file_whose_numbers_do_not_fit_is_refused(siege, tmp_path, what):
    file = write(tmp_path / "player.npz", WRONG[what](arrays()))
    with pytest.raises(
        InputError, match=r"player\.npz: (is not a learned player's file \(|was trained on other rules)"
    ):
        read_file(file, siege)


def test_a_set_of_too_many_members_is_refused(siege):
    readings = np.zeros((1, 8))
    readings[0, : NAMES + 1] = 0, 8 + BITS, 1, 0, 60
    validation._check_readings(readings, 60, siege)
    readings[0, LOW] = 10
    with pytest.raises(validation.BadPlayer, match="does not fit the record"):
        validation._check_readings(readings, 60, siege)


def test_a_file_that_unpacks_to_much_more_is_not_unpacked(siege, tmp_path, monkeypatch):
    monkeypatch.setattr(validation, "MOST_BYTES", 1_000_000)
    file = write(tmp_path / "bomb.npz", arrays() | {"bias": np.zeros((2, 1_000_000))})
    assert file.stat().st_size < 300_000
    monkeypatch.setattr(np.lib.format, "read_array", lambda *a, **k: pytest.fail("it was unpacked"))
    with pytest.raises(InputError, match=r"bomb\.npz: is not a learned player's file \(unpacked it has over 1 MB\)"):
        read_file(file, siege)


def test_a_header_that_promises_more_than_the_file_holds_takes_no_room(siege, tmp_path):
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (10**15, 2)})
    file = write(tmp_path / "bomb.npz", without("bias")(arrays()))
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr("bias.npy", header.getvalue())
    with pytest.raises(InputError, match=r"\(bias\.npy is damaged\)"):
        read_file(file, siege)


@pytest.mark.parametrize("teacher", ["{}:b", "noisy({}:b:0.1)", "opening(random:3,{}:b)", "lookahead:playout={}:b"])
def test_the_teacher_of_a_file_is_never_code_in_a_file(siege, tmp_path, teacher):
    evil = tmp_path / "evil.py"
    evil.write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    file = write(tmp_path / "player.npz", about(teachers={"besieger": teacher.format(evil)})(arrays()))
    with pytest.raises(
        InputError, match=r"the teacher '.*' is in a file, .*evil\.py.* only name bots that the game has"
    ):
        load_bot(siege, "besieger", str(file))
    assert not (tmp_path / "ran").exists()


# --- exact play -----------------------------------------------------------------------------


def exact() -> Held:
    game = load_game("kuhn_poker")
    seen, keys = np.array([0, 8]), np.array([1.0, 2.0, 5.0])
    tables = Tables(game, [seen] * 2, [keys] * 2, [np.array([[0.5, 1.0]] * 3)] * 2)
    with np.load(io.BytesIO(tables.to_bytes())) as file:
        return {name: file[name].copy() for name in file.files}


WRONG_TABLES: dict[str, Callable[[Held], Held]] = {
    "a byte behind the record": at("seen/first", 0, 1_000_000),
    "a byte before it": at("seen/second", 0, -1),
    "views out of order": at("keys/first", 0, 9.0),
    "a view that is no number": at("keys/first", 0, np.nan),
    "chances above 1": at("chances/first", (0, 1), 1.5),
    "chances that are no numbers": at("chances/first", (0, 1), np.nan),
    "fewer chances than views": cut("chances/first", slice(0, 2)),
    "chances of nothing": cut("chances/first", slice(None), slice(0, 0)),
    "a row of chances": cut("chances/first", 0),
    "no views": without("keys/second"),
}


def test_exact_play_is_read(tmp_path):
    assert isinstance(read_file(write(tmp_path / "exact.npz", exact()), load_game("kuhn_poker")), Tables)


@pytest.mark.parametrize("what", WRONG_TABLES)
def test_exact_play_that_does_not_fit_is_refused(tmp_path, what):
    file = write(tmp_path / "exact.npz", WRONG_TABLES[what](exact()))
    with pytest.raises(InputError, match=r"exact\.npz: is not a learned player's file"):
        read_file(file, load_game("kuhn_poker"))
