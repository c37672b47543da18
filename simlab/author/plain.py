"""Methods that cannot be compiled: their kernels call back into plain Python, and the rest stays compiled.

Such a kernel passes the addresses of the record, of the knobs and of the card tables to Python. A plain game is made
from the record, the method runs, and its changes are written back. Its random numbers come from the record's own
streams, so plain and compiled methods can take part in one game. Attributes that are not fields, such as a dict, are
also stored in the record.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import inspect
import pickle
import sys
import traceback
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from simlab.author.answers import RETURNED, Place
from simlab.author.asking import frames_of
from simlab.author.base import Ended, Game, collections_of
from simlab.author.blocks import ANSWER, MORE, VALUE, frame_field
from simlab.author.fields import Limits, in_python
from simlab.author.shelf import Table
from simlab.author.sources import counting, counting_tree, more_parameters
from simlab.author.translate import Program, column_codes
from simlab.compiler import kernel
from simlab.engine import streams
from simlab.errors import InputError, warn_once
from simlab.spec.bots import Trait
from simlab.spec.contract import Game as Contract
from simlab.spec.record import read_text

EXTRAS: Final = "plain_extras"  #: field of the record that holds attributes which are not fields
EXTRA_BYTES: Final = 8_192
FAILED: Final = -(1 << 62)  #: return value of a method that raised an error
_OWN = {"seat_names", "seat", "turn", "over", "decision", "ending", "won"}
GAMES: dict[tuple[type, int], Contract] = {}  #: (class, number of seats) -> its game, with the types of its records

#: A kernel of the same name and arguments as the method.
KERNEL = """
def {name}(state, knobs, cards{arguments}):
    found = _plain_{name}(_int(state.stream_seats), address_of(state), address_of(knobs), address_of(cards){given})
    if found == {failed}:
        raise ValueError("{called}() failed in plain Python; the error is above")
    return found
"""


def run_source(source: str, names: dict[str, Any]) -> None:
    """Runs code of the lab in the namespace of a game."""
    exec(compile(source, "<simlab.author>", "exec"), names)


def add_method(program: Program, names: dict[str, Any], name: str) -> None:
    """Adds a kernel that calls a method in plain Python to the namespace of a game."""
    holder, method, _ = program.plain[name]
    asks = holder is program.game and program.asks(method)
    arguments = [] if asks else list(inspect.signature(holder.methods[method]).parameters)[1:]
    line = holder.methods[method].__code__.co_firstlineno

    def run(game: Any, *given: int) -> Any:
        found = _call(getattr(game, holder.part.called) if holder.part else game, program, method, *given)
        _write(game, program)
        return found

    draws = "redraw" if method == "redraw" else "game"
    _add(
        program,
        names,
        name,
        method,
        {argument: f"_checked_whole({argument}, _int({line}))" for argument in arguments},
        draws,
        run,
    )


def add_bot(program: Program, names: dict[str, Any], function: Any, traits: dict[str, Trait]) -> Callable[..., Any]:
    """Adds and returns a kernel that calls a bot in plain Python."""

    def run(game: Any, traits_at: int) -> Any:
        values = zip(traits.items(), (ctypes.c_double * len(traits)).from_address(traits_at), strict=True)
        given = {name: int(value) if declared.whole else value for (name, declared), value in values}
        chosen = function(game, **given)
        return next((option for option in game.legal() if option == chosen), -1)

    name = f"bot__{function.__name__}"
    return _add(program, names, name, function.__name__, {"traits": "traits.ctypes.data"}, "bot", run)


def _add(
    program: Program, names: dict[str, Any], name: str, called: str, arguments: dict[str, str], draws: str,
    run: Callable[..., Any],
) -> Callable[..., Any]:  # fmt: skip
    """Adds a kernel that passes a plain game and its arguments to `run`.

    Args:
        called: name of the method in messages. arguments: the kernel's arguments, and how they are passed on.
        draws: whose random numbers the call draws: those of the "game", a "bot" or a "redraw".
    """
    owner = counted_class(program)

    def call(players: int, state_at: int, knobs_at: int, cards_at: int, *given: int) -> int:
        try:
            types = GAMES[program.plan.owner, players]
            record = _memory(state_at, types.state)
            knobs, cards = _memory(knobs_at, types.knob_type), _memory(cards_at, types.cards)
            game = plain_of(owner, players, record, knobs, cards)
            game._record, game._draws = record, draws
            name_answers(game, program)
            return int(run(game, *given) or 0)
        except (Exception, SystemExit) as fault:  # noqa: BLE001 - a callback cannot raise: the kernel raises, this reports the cause
            file = str(program.plan.file)
            lines = [frame.lineno for frame in traceback.extract_tb(fault.__traceback__) if frame.filename == file]
            at = f"line {lines[-1]}" if lines else f"{called}()"  # or the lab refuses what it returned or set
            print(f"simlab: {file}, {at}: {type(fault).__name__}: {fault}", file=sys.stderr, flush=True)
            return FAILED

    names[f"_plain_{name}"] = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * (4 + len(arguments)))(call)
    head, given = ("".join(f", {text}" for text in texts) for texts in (arguments, arguments.values()))
    run_source(KERNEL.format(name=name, called=called, arguments=head, given=given, failed=FAILED), names)
    made: Callable[..., Any] = kernel(names[name])
    names[name] = made
    return made


def _memory(address: int, kind: np.dtype[Any]) -> Any:
    return np.recarray(1, kind, buf=(ctypes.c_uint8 * kind.itemsize).from_address(address))[0]


def _call(owner: Any, program: Program, method: str, *given: Any) -> Any:
    """Calls a method of a game or a component."""
    if isinstance(owner, Game):
        names = list(inspect.signature(program.game.methods[method]).parameters)[1:]
        given = tuple(_answer(program, (method, name), value) for name, value in zip(names, given, strict=False))
    found = getattr(owner, method)(*given)
    if (isinstance(found, float) and not found.is_integer()) or isinstance(found, str | bytes | list | dict | set):
        raise InputError(f"{method}() returns {found!r}; a method that the lab cannot compile returns whole numbers.")
    return 0 if isinstance(found, tuple) else found  # only plain methods use it (Program.takers)


# --- The plain game -----------------------------------------------------------------


def plain_of(owner: type[Game], players: int, state: Any, knobs: Any, cards: Any) -> Game:
    """A plain game, set to the position of a record."""
    plan, game = owner.blueprint(), owner.__new__(owner)
    values = {name: knobs[name].item() for name in plan.knobs}
    chosen = {name: declared.choices[values[name]] for name, declared in plan.knobs.items() if declared.choices}
    game._furnish(players, None, values | chosen)
    game.seat, game.turn, game.over = int(state["seat"]), int(state["turn"]), bool(state["over"])
    game.decision = list(plan.choices.values())[int(state["decision"])]
    methods = [getattr(plan.owner, f"{kind}_{game.decision.name}", None) for kind in ("may", "label")]
    most = max(more_parameters(method) if method else 0 for method in methods)
    game._more = tuple(int(state[name]) for name in MORE[:most])
    for name, part, attribute, field in plan.places(game):
        held = np.asarray(state[name])
        values = in_python(held.astype(bool) if field.is_flag else held, plan.limits.get(name))
        setattr(part, attribute, values)
    for name in frames_of(plan):
        setattr(game, name, int(state[name]))
    for deck in (getattr(game, deck.called) for deck in plan.tables if deck.file):  # the table in play
        size = int(cards[f"{deck.called}_size"])
        deck.labels = [read_text(text) for text in cards[f"{deck.called}_label"][:size]]
        deck.cards = {column: _column_in_play(deck, column, cards, size) for column in deck.columns}
    written = EXTRAS in state.dtype.names and state[EXTRAS][0]
    vars(game).update(pickle.loads(state[EXTRAS].tobytes()) if written else collections_of(owner))
    return game


def prepare(owner: type[Game], players: int, state: Any, knobs: Any, cards: Any) -> None:
    """Writes the values with which every game begins into a blank record."""
    plan, game = owner.blueprint(), plain_of(owner, players, state, knobs, cards)
    game._lay_out()
    for name, value in plan.values_of(game).items():
        numbers, field = np.reshape(value, np.shape(state[name])), plan.every_field[name]
        if not _fits(numbers, field.is_flag, field.limits(name)):
            raise InputError(f"{plan.file}: prepare() sets the field {name} to {value!r:.100}, which it cannot hold.")
        state[name] = numbers


def name_answers(game: Any, program: Program) -> None:
    """Gives the answers that frames keep their names, with which the rules compare them."""
    vars(game)[ANSWER] = game.decision.named(getattr(game, ANSWER))
    for method, frame in program.asking.frames.items():
        for local in (*frame.parameters, *frame.kept, VALUE):
            name, place = frame_field(method, local), (method, RETURNED if local == VALUE else local)
            setattr(game, name, _answer(program, place, getattr(game, name)))


def _answer(program: Program, place: Place, value: int) -> int:
    """A number as the option that it is, which has a name; unchanged if it answers no decision, or one of several."""
    decisions = program.answers.decisions(place)
    return program.plan.choices[decisions.pop()].named(value) if len(decisions) == 1 else value


def _column_in_play(deck: Table, column: str, cards: Any, size: int) -> list[Any]:
    codes, values = column_codes(deck, column), cards[f"{deck.called}_{column}"][:size].tolist()
    if not codes:
        return list(values)
    unknown = deck.labels if column == deck.columns[0] else [""] * size  # of the table in play: no rule compares it
    return [codes[value] if value < len(codes) else text for value, text in zip(values, unknown, strict=True)]


def _write(game: Any, program: Program) -> None:
    """Writes the fields of a plain game into its record."""
    plan, record = program.plan, game._record
    for name, most in (("seat", 127), ("turn", 32_767)):
        if not (isinstance(getattr(game, name), int) and 0 <= getattr(game, name) <= most):
            raise InputError(f"self.{name} was set to {getattr(game, name)!r:.100}: it holds 0 to {most:,}.")
    record["seat"], record["turn"], record["over"] = game.seat, game.turn, game.over
    record["decision"] = program.choice_numbers[game.decision.name]
    values = plan.values_of(game)
    if isinstance(game.ending, str):
        values["ending"] = program.endings.index(game.ending)
    values |= {name: int(getattr(game, name)) for name in frames_of(plan)}
    fields = plan.every_field | frames_of(plan)
    for name, value in values.items():
        try:
            numbers = np.reshape(value, record[name].shape)
            limits = fields[name].limits(name)
            if not _fits(numbers, fields[name].is_flag, limits):
                raise ValueError
            record[name] = numbers
        except (ValueError, TypeError, OverflowError):
            whole = f"whole numbers from {limits.low:,} to {limits.high:,}"
            holds = "True or False" if fields[name].is_flag else whole
            raise InputError(f"the field {name} was set to {value!r:.100}: it holds {holds}.") from None
    known = {*plan.fields, *frames_of(plan), *plan.components, *plan.knobs, *_OWN}
    extras = {key: value for key, value in vars(game).items() if key not in known and not key.startswith("_")}
    data = pickle.dumps(extras)
    if len(data) > EXTRA_BYTES:
        raise InputError(f"{', '.join(extras)}: take {len(data):,} bytes; there is room for {EXTRA_BYTES:,}.")
    record[EXTRAS][: len(data)] = np.frombuffer(data, np.uint8)


def _fits(numbers: Any, flag: bool, limits: Limits) -> bool:
    """Whether a field can hold numbers, an array."""
    if numbers.dtype.kind not in "biuf":
        return False
    low, high, other = (0, 1, 0) if flag else (limits.low, limits.high, limits.other)
    within = (numbers >= low) & (numbers <= high) | (numbers == other)
    return bool((within & (numbers == np.floor(numbers))).all())


@functools.cache
def counted_class(program: Program) -> type[Game]:
    """A version of the class whose games count rules in their record, and whose methods that ask are cut into blocks,
    so that they continue where the record says.
    """
    owner: Any = program.plan.owner

    def count(self: Any, rule: str) -> None:
        if self._counts_rules:
            streams.count_rule(self._record, program.rule_number(rule))

    def end(self: Any, ending: str, winner: int | None = None) -> None:
        with contextlib.suppress(Ended):  # methods that are cut into blocks return after it
            owner.end(self, ending, winner)
        for rule in program.at_end:
            count(self, rule)

    def counted(name: str, run: Any) -> Callable[..., Any]:
        def method(self: Any, *given: Any) -> Any:
            for rule in program.counted.get(name, []):
                count(self, rule)
            return run(self, *given)

        return method

    methods = {name: counted(name, counting(function)) for name, function in program.game.methods.items()}
    for name in program.asking.lowered:
        run = counting_tree(program.lowered(name), program.game.methods[name])
        methods[name] = run if program.asks(name) else counted(name, run)

    def put_question(self: Any, decision: Any, seat: int | None = None) -> None:
        test = getattr(owner, f"may_{decision.name}", None)
        more = MORE[: more_parameters(test)] if test else ()
        owner.put_question(self, decision, seat, *(getattr(self, name) for name in more))

    def is_forced(self: Any) -> bool:
        answer = self._only_option()
        if answer is not None:
            setattr(self, ANSWER, answer)
        return answer is not None

    body = methods | {
        "rule": count,
        "end": end,
        "put_question": put_question,
        "is_forced": is_forced,
        "blueprint": classmethod(lambda cls: owner.blueprint()),
    }
    return type(owner.__name__, (owner,), body)


def warn_of(program: Program) -> None:
    """Prints which methods are not compiled, and why."""
    for _, method, why in program.plain.values():
        warn_once(f"{why} {method}() runs in plain Python, which is much slower.")
