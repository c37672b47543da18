"""Methods that cannot be compiled: their kernels call back into plain Python, and the rest stays compiled.

Such a kernel passes the addresses of the record, of the knobs and of the card tables to Python. A plain game is made
from the record, the method runs, and its changes are written back. Its random numbers come from the record's own
streams, so plain and compiled methods share one game. Attributes that are not fields, such as a dict, are also stored
in the record.
"""

from __future__ import annotations

import ctypes
import functools
import pickle
import sys
import traceback
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from simlab.author.base import Game, collections_of, give_components
from simlab.author.fields import Grid, Numbers
from simlab.author.shelf import Deck
from simlab.author.sources import counting, methods_of
from simlab.author.translate import Program, column_codes
from simlab.compiler import kernel
from simlab.engine import streams
from simlab.errors import InputError, warn_once
from simlab.spec.record import read_text

EXTRAS: Final = "plain_extras"  #: field of the record that holds attributes which are not fields
EXTRA_BYTES: Final = 8_192
FAILED: Final = -(1 << 62)  #: return value of a method that raised an error
_KINDS: dict[str, Any] = {"bool": np.bool_, "float": np.float64}
_CALL = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * 4)
_OWN = {"seat_names", "seat", "turn", "over", "decision", "ending", "won"}
RECORDS: dict[tuple[type, int], np.dtype[Any]] = {}  #: (class, number of seats) -> type of the record

#: A kernel of the same name and arguments as the method.
KERNEL = """
def {name}(state, knobs, cards{arguments}):
    values = np.empty({count})
{fill}
    found = _plain_{name}(state.stream_key.ctypes.data, values.ctypes.data, {cards}, {traits})
    if found == {failed} + values.size * 0:  # which keeps the values until here
        raise ValueError("{called}() failed in plain Python; the error is above")
    return found
"""


def run_source(source: str, names: dict[str, Any]) -> None:
    """Runs code of the lab in the namespace of a game."""
    exec(compile(source, "<simlab.author>", "exec"), names)


def define(
    program: Program, names: dict[str, Any], name: str, called: str, arguments: list[str], call: Any,
    traits: bool = False,
) -> Callable[..., Any]:  # fmt: skip
    """Adds a kernel that calls a method in plain Python to the namespace of a game.

    Args:
        name: name of the kernel. called: name of the method. arguments: names of its arguments after self.
        call: the Python side. traits: whether it is a bot, whose only argument is its traits.
    """
    knobs = [f"knobs.{knob}" for knob in program.plan.knobs]
    lines = [f"    values[{n}] = {value}" for n, value in enumerate([*knobs, *([] if traits else arguments)])]
    table = next((part.called for part in program.plan.decks if part.file), "")
    names[f"_plain_{name}"] = call
    source = KERNEL.format(
        name=name, called=called, arguments="".join(f", {argument}" for argument in arguments),
        count=max(len(lines), 1), fill="\n".join(lines) or "    values[0] = 0",
        cards=f"cards.{table}_label.ctypes.data" if table else "0",
        traits="traits.ctypes.data" if traits else "0", failed=FAILED,
    )  # fmt: skip
    run_source(source, names)
    made: Callable[..., Any] = kernel(names[name])
    names[name] = made
    return made


def callback(program: Program, part: str, method: str, arguments: int, run: Callable[..., Any] | None = None) -> Any:
    """The Python side of such a kernel.

    Args:
        part: name of the component whose method it is; "" for the game.
        arguments: number of its arguments after self.
        run: for a bot: takes the game and the traits.
    """
    plan = program.plan
    owner: Any = plan.owner

    def call(record_at: int, values_at: int, cards_at: int, traits_at: int) -> int:
        try:
            record, players = _record_at(owner, record_at)
            count = len(plan.knobs) + (0 if run else arguments)
            values = _doubles(values_at, count)
            pairs = zip(plan.knobs.items(), values, strict=False)
            knobs = {name: _KINDS.get(knob.kind, np.int64)(value) for (name, knob), value in pairs}
            game = plain_of(_counted(owner), players, record, knobs, _cards_at(program, cards_at))
            game._record, game._program = record, program  # type: ignore[attr-defined]
            game._draws = "redraw" if method == "redraw" else "bot" if run else "game"
            if EXTRAS in record.dtype.names and record[EXTRAS][0]:
                vars(game).update(pickle.loads(record[EXTRAS].tobytes()))
            if run:
                chosen = run(game, _doubles(traits_at, 64))
                return int(next((option for option in game.legal() if option == chosen), -1))
            if method == "setup":
                vars(game).update(collections_of(owner))
            given = [int(value) for value in values[len(plan.knobs) :]]
            found = _run(game, program, part, method, given)
            _write(game, program, record)
            return int(found or 0)
        except Exception:  # noqa: BLE001 - a callback cannot raise: the kernel raises, and this reports the cause
            _report(method)
            return FAILED

    return _CALL(call)


def _run(game: Any, program: Program, part: str, method: str, given: list[int]) -> Any:
    if part:
        return getattr(getattr(game, part), method)(*given)
    choice = program.plan.choices.get(method)
    if choice is not None:
        for rule in program.counted.get(method, []):
            game._count(rule)
        return counting(choice.method)(game, choice.named(given[0]))
    if method.startswith("may_"):
        given = [program.plan.choices[method.removeprefix("may_")].named(given[0])]
    found = getattr(game, method)(*given)
    if isinstance(found, float) and not found.is_integer():
        raise InputError(f"{method}() returns {found}; a method that the lab cannot compile returns whole numbers.")
    return found


def _report(method: str) -> None:
    kind, fault, trace = sys.exc_info()
    frames = traceback.extract_tb(trace)
    where = f"{frames[-1].filename}, line {frames[-1].lineno}" if frames else method
    print(f"simlab: {where}: {kind.__name__ if kind else 'error'}: {fault}", file=sys.stderr, flush=True)


# --- The record ------------------------------------------------------------------


def _record_at(owner: type, address: int) -> tuple[Any, int]:
    """The record at an address, and the number of its seats."""
    first = next(record for (known, _), record in RECORDS.items() if known is owner)
    players = int(ctypes.c_int32.from_address(address + _offset(first, "stream_seats")).value)
    record = RECORDS[owner, players]
    return _memory(address, record), players


def _offset(record: np.dtype[Any], field: str) -> int:
    assert record.fields is not None
    return int(record.fields[field][1])


def _memory(address: int, kind: np.dtype[Any]) -> Any:
    memory = memoryview((ctypes.c_uint8 * kind.itemsize).from_address(address)).cast("B")
    return np.ndarray(1, kind, memory)[0]


def _doubles(address: int, count: int) -> list[float]:
    return list((ctypes.c_double * count).from_address(address)) if address else []


def _cards_at(program: Program, address: int) -> Any:
    kind = program.cards_type
    table = next((part.called for part in program.plan.decks if part.file), "")
    if not table:
        return np.zeros(1, kind)[0]
    return _memory(address - _offset(kind, f"{table}_label"), kind)


def plain_of(owner: type[Game], players: int, state: Any, knobs: Any, cards: Any) -> Game:
    """A plain game, set to the position of a record."""
    plan = owner.blueprint()
    game = owner.__new__(owner)
    game.seat_names = plan.seat_names(players)
    game.seat, game.turn, game.over = int(state["seat"]), int(state["turn"]), bool(state["over"])
    game.decision = list(plan.choices.values())[int(state["decision"])]
    for name, declared in plan.knobs.items():
        value = knobs[name]
        setattr(game, name, declared.options[int(value)] if declared.options else value.item())

    def values(name: str) -> Any:
        found = np.asarray(state[name])
        if found.ndim == 2:
            made = Grid(*found.shape)
            made.put(found.ravel().tolist())
            return made
        return Numbers(found.tolist()) if found.ndim else found.item()

    for name, part in give_components(game, plan).items():
        for attribute in part.fields():
            setattr(part, attribute, values(f"{name}_{attribute}"))
        if isinstance(part, Deck) and part.file:  # the table in play
            size = int(cards[f"{name}_size"])
            part.labels = [read_text(text) for text in cards[f"{name}_label"][:size]]
            part.cards = {column: _column_in_play(part, column, cards, size) for column in part.columns}
    for name in plan.fields:
        setattr(game, name, values(name))
    return game


def _column_in_play(deck: Deck, column: str, cards: Any, size: int) -> list[Any]:
    if column == deck.columns[0]:
        return deck.labels
    codes, values = column_codes(deck, column), cards[f"{deck.called}_{column}"][:size].tolist()
    return [codes[value] if codes else value for value in values]


def _write(game: Any, program: Program, record: Any) -> None:
    plan = program.plan
    record["seat"], record["turn"], record["over"] = game.seat, game.turn, game.over
    record["decision"] = program.choice_numbers[game.decision.name]
    values = plan.values_of(game)
    if isinstance(game.ending, str):
        values["ending"] = program.endings.index(game.ending)
    for name, value in values.items():
        record[name] = np.reshape(value, record[name].shape)
    known = {*plan.fields, *plan.components, *plan.knobs, *_OWN}
    extras = {key: value for key, value in vars(game).items() if key not in known and not key.startswith("_")}
    data = pickle.dumps(extras)
    if len(data) > EXTRA_BYTES:
        raise InputError(f"{', '.join(extras)}: take {len(data):,} bytes; there is room for {EXTRA_BYTES:,}.")
    record[EXTRAS][: len(data)] = np.frombuffer(data, np.uint8)


# --- The plain game -----------------------------------------------------------------


@functools.cache
def _counted(owner: Any) -> type[Game]:
    """A version of the class that counts rules in the record."""

    def count(self: Any, rule: str) -> None:
        streams.count_rule(self._record, self._program.rule_number(rule))

    def end(self: Any, ending: str, winner: int | None = None) -> None:
        owner.end(self, ending, winner)
        for rule in self._program.at_end:
            self._count(rule)

    def counted(name: str, function: Any) -> Callable[..., Any]:
        run = counting(function)

        def method(self: Any, *given: Any) -> Any:
            for rule in self._program.counted.get(name, []):
                self._count(rule)
            return run(self, *given)

        return method

    choices = owner.blueprint().choices
    methods = methods_of(owner).items()
    body: dict[str, Any] = {name: counted(name, function) for name, function in methods if name not in choices}
    body |= {"_count": count, "rule": count, "end": end, "blueprint": classmethod(lambda cls: owner.blueprint())}
    return type(owner.__name__, (owner,), body)


def bot_callback(program: Program, function: Callable[..., Any], traits: dict[str, Any]) -> Any:
    """The Python side of a bot's kernel that cannot be compiled."""

    def run(game: Any, values: list[float]) -> Any:
        given = {
            name: int(value) if declared.whole else value
            for (name, declared), value in zip(traits.items(), values, strict=False)
        }
        return function(game, **given)

    return callback(program, "", function.__name__, 0, run)


def warn_of(program: Program) -> None:
    """Prints which methods are not compiled, and why."""
    for _, method, why in program.plain.values():
        warn_once(f"{why} {method}() runs in plain Python, which is much slower.")
