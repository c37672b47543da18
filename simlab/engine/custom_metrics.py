"""A designer's own metrics: numbers of a finished game that the game itself does not report.

    @simlab.metric("cards left to the besieged", unit="cards", low=0)
    def cards_left(state, knobs, cards, row):
        return state.deck_len[1]

    @simlab.metric("longest run of turns in which the walls did not change", unit="turns", low=0)
    class longest_lull:
        walls, lull, longest = -1, 0, 0              # its memory: as written here at the start of each game

        def on_turn(self, state, knobs, cards): ...              # at the start of each turn
        def on_decision(self, state, knobs, cards, action): ...  # before an action is carried out
        def at_end(self, state, knobs, cards, row): return self.longest

With `by_seat=True` each seat has its own value and memory, and each function gets the seat's number as its last
argument. A game with such metrics (`with_metrics`) is the same game with more columns, which appear wherever the game's
own metrics do. Memory is in the scratch of the play loop (simlab.engine.counts); the hooks are compiled into it.
"""

from __future__ import annotations

import functools
import inspect
import math
import re
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from simlab import compiler
from simlab.compiler.dependencies import digest_files
from simlab.engine.sources import source_files
from simlab.errors import InputError, MetricFault
from simlab.game import Array, Game, Metric

if TYPE_CHECKING:
    from types import ModuleType


_HANDED: dict[str, tuple[str, ...]] = {
    "on_turn": ("state", "knobs", "cards"),
    "on_decision": ("state", "knobs", "cards", "action"),
    "at_end": ("state", "knobs", "cards", "row"),
}
HOOKS = tuple(_HANDED)
_WHEN = dict(zip(HOOKS, ("at the start of a turn", "at a decision", "at the end"), strict=True))
_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_LEAST, _MOST = -(2**31), 2**31 - 1  #: a row holds 32 bits


@dataclass(frozen=True, eq=False)
class OwnMetric:
    """A measure that a designer declared with `metric`."""

    metric: Metric  #: under its own name; a seat's column is `<name>_<seat>`
    hooks: Mapping[str, Callable[..., Any]]  #: on_turn, on_decision, at_end, which always exists
    memory: Array | None  #: within a game, with the start values, shape (1,)
    by_seat: bool
    module: str
    text: str = ""  #: its name as the user gave it, or as a package registered it
    path: Path | None = None  #: its file, if the user named one

    @property
    def name(self) -> str:
        return self.metric.name

    @property
    def field(self) -> str:
        """Name of the metric's memory in the scratch of the play loop."""
        return f"own_{self.name}"

    def columns(self, seats: Sequence[str]) -> list[Metric]:
        """The metric's columns in the rows of a game."""
        if not self.by_seat:
            return [self.metric]
        return [replace(self.metric, name=f"{self.name}_{s}", help=f"{self.metric.help}, {s}") for s in seats]

    @property
    def sources(self) -> tuple[Path, ...]:
        """The files that the metric's code can depend on."""
        return source_files((self.module,))

    @property
    def digest(self) -> str:
        """Digest of the metric's name, its files and this module: it changes when the metric is edited."""
        return digest_files([*self.sources, Path(__file__)], self.name)[:32]

    def code(self, hook: str) -> Callable[..., Any]:
        """One of the metric's functions as plain Python."""
        plain: Callable[..., Any] = getattr(self.hooks[hook], "py_func", self.hooks[hook])
        return plain


def metric(
    label: str,
    *,
    unit: str = "",
    low: float | None = None,
    high: float | None = None,
    never: float | None = None,
    codes: Mapping[int, str] | None = None,
    decimals: int = 0,
    by_seat: bool = False,
    name: str = "",
) -> Callable[[Any], OwnMetric]:
    """Declare a measure of your own: a function called at the end of the game, or a class with a memory.

    Args:
        label: description, such as "longest run of turns without an attack".
        unit: unit of its values, such as "turns".
        low, high, never, codes: as in simlab.Metric: the range, the value for "it did not happen", and the
            names of a category's values. A value outside the range stops the run.
        decimals: decimal places that its values are rounded to, 0..6; 0: whole numbers only.
        by_seat: whether each seat has a value; functions then get its number as their last argument. name: name of the
            column, by default that of the function or class.
    Raises:
        ValueError: invalid words, hooks or memory; the message explains.
    """

    def declare(declared: Any) -> OwnMetric:
        called = name or getattr(declared, "__name__", "")
        at = f"metric {called}"
        if not isinstance(label, str) or not label.strip():
            raise ValueError(f'{at}: describe what it measures, as in @simlab.metric("turns without an attack")')
        if not _NAME.fullmatch(called) or len(called) > 60:
            raise ValueError(f"{at}: use lower-case words joined by _ as its name, at most 60 letters")
        about = Metric(called, label.strip(), unit, never, dict(codes or {}), low, high, decimals=decimals)
        for value in (*about.codes, *(() if never is None else (never,))):
            if not _LEAST <= value <= _MOST:
                raise ValueError(f"{at}: {value:,} does not fit into a row: values lie in {_LEAST:,}..{_MOST:,}")
        memory: Array | None = None
        if inspect.isclass(declared):
            hooks, memory = _hooks_of(declared, at), _memory_of(declared, at)
        elif callable(declared):
            hooks = {"at_end": declared}
        else:
            raise ValueError(f"{at}: use @simlab.metric on a function or a class")
        for hook, function in hooks.items():
            _check_arguments(function, hook, inspect.isclass(declared), by_seat, at)
        return OwnMetric(about, hooks, memory, by_seat, declared.__module__)

    return declare


def _hooks_of(declared: type, at: str) -> dict[str, Callable[..., Any]]:
    functions = {name: thing for name, thing in vars(declared).items() if callable(thing) and not name.startswith("__")}
    for name in functions:
        if name not in HOOKS:
            raise ValueError(
                f"{at}: {name} is not a hook. Its functions are {', '.join(HOOKS)}; write helpers outside the class, "
                "under @simlab.kernel"
            )
    if "at_end" not in functions:
        raise ValueError(f"{at}: at_end(self, state, knobs, cards, row) is missing: it returns the game's value")
    return {name: functions[name] for name in HOOKS if name in functions}


def _memory_of(declared: type, at: str) -> Array:
    """The record of a class's fields with their start values, shape (1,)."""
    for name in getattr(declared, "__annotations__", {}):
        if name not in vars(declared):
            raise ValueError(f"{at}: {name} has no value to start a game from. Write {name} = 0")
    fields, starts = [], {}
    for name, value in vars(declared).items():
        if name.startswith("__") or callable(value):
            continue
        start = np.asarray(value)
        if start.dtype.kind not in "biuf" or start.size == 0:
            raise ValueError(
                f"{at}: {name} = {value!r} cannot be remembered: a number, true or false, or an array of them can"
            )
        if name in dir(np.recarray) or not name.isidentifier():
            raise ValueError(f"{at}: {name} cannot be the name of a field, since NumPy uses it. Choose another one")
        kind = {"b": np.bool_, "f": np.float64}.get(start.dtype.kind, np.int64)
        fields.append((name, kind, start.shape) if start.shape else (name, kind))
        starts[name] = start
    memory = np.zeros(1, np.dtype(fields or [("nothing", np.int64)], align=True))
    for name, start in starts.items():
        memory[name] = start
    return memory


def _check_arguments(function: Any, hook: str, in_class: bool, by_seat: bool, at: str) -> None:
    plain = getattr(function, "py_func", function)
    wanted = (*(("self",) if in_class else ()), *_HANDED[hook], *(("seat",) if by_seat else ()))
    code = plain.__code__
    if code.co_argcount != len(wanted) or code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS):
        named = hook if in_class else plain.__name__
        raise ValueError(f"{at}: write {named}({', '.join(wanted)})")


# --- A game with more metrics ---------------------------------------------------


def metrics_in(module: ModuleType) -> dict[str, OwnMetric]:
    """The metrics that a module declares, by name."""
    return {m.name: m for m in vars(module).values() if isinstance(m, OwnMetric) and m.module == module.__name__}


def with_metrics(game: Game, own: Sequence[OwnMetric]) -> Game:
    """The same game, measured by more metrics; InputError: a name is already taken by a column or a figure."""
    from simlab.engine.outcome import figures_of

    taken = _taken_names(game)
    columns: list[Metric] = []
    for one in own:
        for column in one.columns(game.seats):
            if column.name in taken:
                raise InputError(
                    f"metric '{one.text}': {game.slug} has {taken[column.name]} '{column.name}'. Give yours another "
                    f'name: that of its function, or @simlab.metric(..., name="my_{one.name}").'
                )
            taken[column.name] = "another metric of yours called"
            columns.append(column)
    measured = replace(game, metrics=(*game.metrics, *columns), own=tuple(own), plain=game)
    figures = figures_of(measured)
    for column in columns:
        if column.name in figures:
            raise InputError(
                f"metric '{column.name}': a statistic of another metric of yours has that name. Give one of them "
                "another name."
            )
    return measured


def _taken_names(game: Game) -> dict[str, str]:
    """Name -> the game's column or figure with this name."""
    from simlab.engine.outcome import figures_of

    taken = dict.fromkeys(["cell", "replay", *(f"bot_{seat}" for seat in game.seats)], "a column called")
    taken |= dict.fromkeys(game.row_type.names or (), "a column called")
    taken |= dict.fromkeys((f"{c.name}_{seat}" for c in game.seat_categories for seat in game.seats), "a column called")
    taken |= dict.fromkeys(game.knobs, "a knob called")
    taken |= dict.fromkeys(figures_of(game), "a figure called")
    return taken | dict.fromkeys(game.measures, "a measure called")


# --- In the play loop -----------------------------------------------------------


def scratch_fields(own: Sequence[OwnMetric], seats: int, row: np.dtype[np.void]) -> list[tuple[Any, ...]]:
    """Memory of a game's metrics in the scratch of the play loop.

    Each metric with a memory has one record per seat (or one for all seats), then one with its start values.
    `own_row` is the copy of the game's row that a metric reads: it cannot write to the row itself.

    Args:
        row: the type of the row.
    """
    if not own:
        return []
    fields: list[tuple[Any, ...]] = [("own_row", row if compiler.compiling() else np.dtype((np.record, row)), (1,))]
    for one in own:
        if one.memory is not None:
            kind = one.memory.dtype if compiler.compiling() else np.dtype((np.record, one.memory.dtype))
            fields.append((one.field, kind, (1 + (seats if one.by_seat else 1),)))
    return fields


def begin(own: Sequence[OwnMetric], scratch: Array) -> None:
    """Fills the memories with their start values."""
    for one in own:
        if one.memory is not None:
            scratch[one.field] = one.memory.astype(scratch[one.field].dtype)[0]


FIELD = COLUMN = ""
SEAT = SEATS = LAST = 0
HOOK = STORED = compiler.unbound
LOW, HIGH = float(_LEAST), float(_MOST)
ALLOWED = np.zeros(0)  #: values allowed in addition to those in LOW..HIGH
SCALE = 1.0  #: 10 to the power of the decimals
KIND: type[np.int32 | np.float64] = np.int32  #: of the column


def _during(counts: Any, scratch: Any, *handed: Any) -> None:
    memory = scratch[FIELD]
    for seat in range(SEATS):
        HOOK(memory[seat], *handed, seat)


def _end(counts: Any, scratch: Any, state: Any, knobs: Any, cards: Any, row: Any) -> None:
    scratch.own_row[0] = row
    memory = scratch[FIELD]
    row[COLUMN] = STORED(HOOK(memory[SEAT], state, knobs, cards, scratch.own_row[0], SEAT))
    memory[SEAT] = memory[LAST]


def _end_without_memory(counts: Any, scratch: Any, state: Any, knobs: Any, cards: Any, row: Any) -> None:
    scratch.own_row[0] = row
    row[COLUMN] = STORED(HOOK(state, knobs, cards, scratch.own_row[0], SEAT))


def _seatless(*handed: Any) -> Any:
    """Calls a hook that takes no seat, for a caller that passes one."""
    return HOOK(*handed[:-1])


def _stored(value: Any) -> Any:
    """The value as stored in a row, rounded to the metric's decimals. A value outside the stated range, or one that is
    not whole where no decimals are declared, stops the game.
    """
    number = np.float64(value)
    if SCALE > 1.0:
        number = np.floor(number * SCALE + 0.5) / SCALE  # equal decimals are equal numbers
    allowed = LOW <= number <= HIGH and (SCALE > 1.0 or number == np.floor(number))  # false for NaN
    for one in ALLOWED:
        allowed |= number == one
    if not allowed:
        raise ValueError("a metric's value that is not allowed")  # a replay in plain Python finds which
    return KIND(number)


def _stored_in_python(value: Any) -> Any:
    """`_stored` in plain Python, where the value may be any object."""
    if not isinstance(value, int | float | np.number | np.bool_):
        raise TypeError(f"it returned {value!r}, which is not a number")
    return STORED(value)


def _storing(kept: Metric, in_python: bool) -> Callable[..., Any]:
    """`_stored` for a metric."""
    low = _LEAST if kept.low is None else max(kept.low, _LEAST)
    high = _MOST if kept.high is None else min(kept.high, _MOST)
    allowed = [*kept.codes, *([] if kept.never is None else [kept.never])]
    ends = {"LOW": math.inf, "HIGH": -math.inf} if kept.codes else {"LOW": float(low), "HIGH": float(high)}
    stored = compiler.specialise(
        _stored, **ends, ALLOWED=np.array(allowed, np.float64), SCALE=float(10**kept.decimals), KIND=kept.row_kind
    )
    return compiler.specialise(_stored_in_python, STORED=stored) if in_python else compiler.small_kernel(stored)


def calls(own: Sequence[OwnMetric], seats: Sequence[str]) -> dict[str, list[Callable[..., Any]]]:
    """The functions that the play loop calls for these metrics, by hook; at the end of a game one per column."""
    wanted: dict[str, list[Callable[..., Any]]] = {"at_turn": [], "at_decision": [], "at_end": []}
    for one in own:
        last = len(seats) if one.by_seat else 1
        names: dict[str, Any] = {"FIELD": one.field, "SEATS": last, "LAST": last}
        names["STORED"] = _storing(one.metric, in_python=not compiler.compiling())
        called = {
            hook: kernel if one.by_seat else compiler.small_kernel(compiler.specialise(_seatless, HOOK=kernel))
            for hook, kernel in compiled_hooks(one).items()
        }
        for hook, place in (("on_turn", "at_turn"), ("on_decision", "at_decision")):
            if hook in called:
                bound = compiler.specialise(_during, **names, HOOK=called[hook])
                wanted[place].append(compiler.small_kernel(bound))
        end = _end_without_memory if one.memory is None else _end
        for seat, column in enumerate(one.columns(seats)):
            bound = compiler.specialise(end, **names, HOOK=called["at_end"], COLUMN=column.name, SEAT=seat)
            wanted["at_end"].append(compiler.small_kernel(bound))
    return wanted


def compiled_hooks(one: OwnMetric) -> dict[str, Any]:
    """The functions of a metric as kernels."""
    return {hook: _kernel_of(function) for hook, function in one.hooks.items()}


@functools.cache
def _kernel_of(function: Callable[..., Any]) -> Callable[..., Any]:
    return function if hasattr(function, "py_func") else compiler.checked_kernel(function)


def check_answer(one: OwnMetric, result: Any) -> None:
    """Rejects a compiled metric whose result, by its Numba type, is not a number."""
    from numba import types

    if isinstance(result, types.Number | types.Boolean):
        return
    text = "nothing" if result == types.none else "nothing in some games" if isinstance(result, types.Optional) else ""
    raise InputError(
        f"metric '{one.text}': returns {text or f'{result}, which is not a number'}. A metric returns one number; "
        "end each way through its function with a return."
    )


def unexplained(own: Sequence[OwnMetric], fault: Exception | None, where: str, again: str) -> MetricFault:
    """The error for a fault of a metric that does not occur in plain Python.

    Args:
        fault: what the metric raised; None: it wrote to the state. where: which game, as "game 3 of seed 1".
            again: the command that shows that game.
    """
    files = ", ".join(dict.fromkeys(f"'{one.name}' ({one.path or one.module})" for one in own))
    what = _raised(fault)[:-1] if fault else "writes to the state, which it may only read"
    more = "Plain Python does not." if fault else "It changes the games that it measures."
    return MetricFault(f"a metric {what}, in {where}: {files}. {more}\nThe game: {again}")


def _fault(one: OwnMetric, hook: str, why: str, raised: Exception | None = None) -> MetricFault:
    """The text of a fault with its file, and its line if it raised; the caller adds the game and ends the sentence."""
    source = str(one.path or one.module)
    frames = traceback.extract_tb(raised.__traceback__) if raised else []
    line = next((f", line {frame.lineno}" for frame in reversed(frames) if frame.filename == source), "")
    return MetricFault(f"metric '{one.name}' ({source}{line}): {why} It happened {_WHEN[hook]}")


def _raised(fault: Exception) -> str:
    if isinstance(fault, ValueError) and "read-only" in str(fault):
        return "writes to the state, the knobs, the cards or the row, which it may only read."
    return f"raised {type(fault).__name__}: {fault}".rstrip(": ") + "."


def _not_allowed(kept: Metric, value: Any) -> str:
    if not isinstance(value, int | float | np.number | np.bool_):
        return f"returned {value!r}, which is not a number."
    if math.isnan(value):
        return "returned NaN, which is not a number. Do not divide by a value that may be 0."
    if not kept.decimals and not math.isinf(value) and value != math.floor(value):
        return (
            f"returned {value:g}. A metric is a whole number unless it declares its number of decimals: write "
            "@simlab.metric(..., decimals=2), or round it."
        )
    if kept.codes or kept.low is not None or kept.high is not None:
        shown = f"{value:,.{kept.decimals}f}"
        return f"returned {shown}, and its values are {kept.range_text}. Fix low, high, never or codes."
    return f"returned {value:g}, which is above {_MOST:,} in size."


# --- Metrics of a stepped game ----------------------------------------------------


@dataclass
class Beside:
    """The metrics of one game that is played decision by decision, in plain Python, with read-only records."""

    game: Game
    memories: list[Any] = field(default_factory=list)
    turn: int = -1

    def __post_init__(self) -> None:
        for one in self.game.own:
            count = len(self.game.seats) if one.by_seat else 1
            memory = np.zeros(count, one.memory.dtype if one.memory is not None else [("nothing", np.int64)])
            if one.memory is not None:
                memory[:] = one.memory[0]
            self.memories.append(memory.view(np.recarray))

    def decision(self, state: Any, knobs: Any, cards: Any, action: int) -> None:
        """Called before an action is carried out."""
        if int(state.turn) != self.turn:
            self.turn = int(state.turn)
            self._call("on_turn", state, knobs, cards)
        self._call("on_decision", state, knobs, cards, action)

    def _call(self, hook: str, *handed: Any) -> None:
        for one, memory in zip(self.game.own, self.memories, strict=True):
            if hook in one.hooks:
                for seat in range(memory.size):
                    self._run(one, hook, memory[seat], *handed, *((seat,) if one.by_seat else ()))

    def _run(self, one: OwnMetric, hook: str, *handed: Any) -> Any:
        try:
            with np.errstate(divide="raise", invalid="raise"):  # as compiled code: NumPy would go on with inf or NaN
                return one.code(hook)(*handed)
        except Exception as fault:  # errors of a user's code are reported as such
            raise _fault(one, hook, _raised(fault), fault) from fault

    def values(self, state: Any, knobs: Any, cards: Any, row: Any) -> dict[str, float]:
        """Column -> value of the finished game; MetricFault: a metric raised, or its value does not fit a row."""
        held: dict[str, float] = {}
        for one, memory in zip(self.game.own, self.memories, strict=True):
            for seat, column in enumerate(one.columns(self.game.seats)):
                first = () if one.memory is None else (memory[seat],)
                last = (seat,) if one.by_seat else ()
                value = self._run(one, "at_end", *first, state, knobs, cards, row, *last)
                try:
                    held[column.name] = _storing(one.metric, in_python=True)(value).item()
                except (TypeError, ValueError):
                    raise _fault(one, "at_end", _not_allowed(one.metric, value)) from None
        return held

    def copy(self) -> Beside:
        twin = Beside(self.game)
        twin.turn, twin.memories = self.turn, [memory.copy() for memory in self.memories]
        return twin
