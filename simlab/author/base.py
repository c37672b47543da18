"""The class that an author's game extends; it plays games in plain Python."""

from __future__ import annotations

import contextlib
import copy
import functools
import inspect
import math
import re
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from traceback import extract_tb
from typing import Any, ClassVar, Final, TypeVar, cast

import numpy as np

from simlab.author.chance import Stream, name_streams, open_record
from simlab.author.column_uses import ColumnUses, uses_of
from simlab.author.effects import Effects, Word, effects_method, made_name, words_of
from simlab.author.fields import (
    ALL,
    NOBODY,
    NONE,
    SEATS,
    Choice,
    Field,
    FieldOwner,
    Limits,
    Option,
    in_python,
    is_label,
)  # fmt: skip
from simlab.author.measures import measures_of
from simlab.author.positions import items_of, read_draws, set_fields
from simlab.author.shelf import Component, Deck, Hand, OwnDecks, Table
from simlab.engine.forced_draws import force
from simlab.errors import InputError, nearest
from simlab.spec.knobs import Knob
from simlab.spec.record import MOST_SEATS, MOST_TURNS, Description, stream_word

_Made = TypeVar("_Made")

SEAT_NAMES = (
    "ann", "bob", "cat", "dan", "eve", "fay", "gus", "hal", "ivy", "jon", "kay", "leo", "mia", "ned", "oda", "pam"
)  # fmt: skip
#: Fields that every game has.
OWN_FIELDS: dict[str, Field] = {"won": Field(()), "ending": Field(())}


def per_class(make: Callable[[type[Game]], _Made]) -> Callable[[type[Game]], _Made]:
    """`functools.cache` for a function of a game's class, with types: to mypy, a class is not hashable."""
    return cast("Callable[[type[Game]], _Made]", functools.cache(make))


def file_of(owner: type, of_its_own: bool = False) -> Path:
    """The file that defines a class, which must not be the running script if the file has to be `of_its_own`.

    Raises:
        InputError: there is none, as for a class in a cell of a notebook.
    """
    file = getattr(sys.modules.get(owner.__module__), "__file__", None)
    if file is None or (of_its_own and owner.__module__ == "__main__"):
        name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", owner.__name__).lower()
        raise InputError(
            f"the class {owner.__name__} has no file of its own, which the lab reads and compiles. Save it as "
            f"{name}.py (in a notebook, begin its cell with %%writefile {name}.py), and give the file instead: "
            f"'./{name}.py'."
        )
    return Path(file).resolve()


def collections_of(owner: type) -> dict[str, Any]:
    """Copies of the lists, dicts and sets that a class declares, for one game."""
    return {
        name: copy.deepcopy(value)
        for base in reversed(owner.__mro__)
        for name, value in vars(base).items()
        if type(value) in (list, dict, set) and not name.startswith("_")
    }


MOST_DECISIONS: Final = 1_000_000  #: of a game
MOST_NUMBERS: Final = 100_000  #: in a field
#: Columns that the results of every game have.
_COLUMNS: Final = frozenset(
    {"game", "cell", "label", "seed", "winner", "winners", "ending", "turns", "decisions", "score", "category"}
)
_RECORDED: Final = frozenset({"used_items", "plain_extras"})  #: fields that the lab adds to a record


class Blueprint:
    """The declarations of a class, read once: knobs, fields, components, decisions and the players.

    Raises:
        InputError: a declaration cannot be used; the message names it.
    """

    def __init__(self, owner: type[Game]) -> None:
        self.owner = owner
        self.file = file_of(owner)
        self.knobs: dict[str, Knob] = {}
        self.fields: dict[str, Field] = dict(OWN_FIELDS)
        self.components: dict[str, Component] = {}
        self.choices: dict[str, Choice] = {}
        self.constants: dict[str, Any] = {}
        for base in reversed(owner.__mro__[: owner.__mro__.index(Game)]):
            self._read(base)
        self._check_sizes()
        self._check_names()
        if not self.choices:
            raise InputError(
                f"{self.file}: {owner.__name__} has no decision. Declare one: act = choice('hold', 'throw')."
            )
        self._read_tables()
        self.decks = [component for component in self.components.values() if isinstance(component, Deck)]
        self.own_decks = [component for component in self.components.values() if isinstance(component, OwnDecks)]
        source = "".join(inspect.getsource(base) for base in owner.__mro__[: owner.__mro__.index(Game)])
        #: Attributes that a plain game may have in addition to its fields: those that methods set, and collections.
        self.assigned = {*re.findall(r"\bself\.(\w+)\s*(?::[^=\n]+)?=(?!=)", source), *collections_of(owner)}
        drawn = [name for name, part in self.components.items() if part.draws and not part.draws_by_seat]
        #: Random streams, and components with one for each seat.
        used = _names_in(owner)
        own = [name for name, call in (("dice", "roll"), ("chance", "below")) if call in used]
        self.common_streams = tuple(dict.fromkeys((*own, *drawn))) or ("chance",)
        self.seat_streams = tuple(name for name, part in self.components.items() if part.draws_by_seat)
        words: dict[int, str] = {}
        for name in self.streams(self.players[1]):
            other = words.setdefault(stream_word(name), name)
            if other != name:  # one pair of names in four billion
                raise InputError(f"{self.file}: {other} and {name} would get the same random numbers. Rename one.")
        for choice in self.choices.values():
            choice.number_options()
        if owner.play is Game.play:
            setup = getattr(owner, "setup", None)  # in other frameworks, and in plain programs, rules begin there
            at = f"{self.file}, line {setup.__code__.co_firstlineno}" if setup else self.file
            raise InputError(
                f"{at}: {owner.__name__} needs a method play(self): the whole game, from the set-up to the end, "
                "which asks: if self.ask(self.throw) == 'roll'."
            )
        for name in dir(owner):
            decision = name.removeprefix("label_")
            declared = isinstance(getattr(owner, name), types.FunctionType)
            if declared and is_label(name) and decision not in self.choices:
                raise InputError(
                    f"{self.file}: there is no decision '{decision}', whose options {name}() could label. "
                    f"{nearest(decision, self.choices)}"
                )
        self.measures = measures_of(owner, self.fields, self.file)
        for name, field in self.fields.items():
            if field.seen_by != "all" and None in (field.low, field.high) and not hasattr(owner, "redraw"):
                raise InputError(
                    f"{self.file}: the hidden field {name} needs its range, from which it is redrawn (low=0, high=10), "
                    "or a method redraw(self, seat) that redraws it."
                )

    def _read(self, base: type) -> None:
        hints, settings = inspect.get_annotations(base), inspect.get_annotations(Game)  # which describe the game
        groups: list[tuple[Any, dict[str, Any]]] = [
            (Knob, self.knobs), (Field, self.fields), (Component, self.components), (Choice, self.choices)
        ]  # fmt: skip
        for name, value in vars(base).items():
            declared = next((known for kind, known in groups if isinstance(value, kind)), None)
            constant = isinstance(value, int | float | tuple | list | str) and name not in settings and name[0] != "_"
            taken = hasattr(Game, name) or name in (*OWN_FIELDS, "seat", "turn", "over")
            if (declared is not None or constant) and taken:
                hint = "seat_names gives the seats names." if name == "seats" else "Give it another name."
                raise InputError(f"{self.file}: '{name}' is a name that every game has. {hint}")
            if declared is not None:
                declared[name] = replace(value, name=name) if isinstance(value, Knob) else value
            elif hints.get(name) in ("int", "bool", int, bool) and isinstance(value, int):
                self.fields[name] = Field((), value)
            elif constant and not isinstance(value, list | str):
                self.constants[name] = value

    def _read_tables(self) -> None:
        """Reads the card tables, the words of their effects, and the knobs whose defaults stand in them."""
        tables = {name: part for name, part in self.components.items() if isinstance(part, Table)}
        numbers = {*self.fields, *(name for name, known in self.knobs.items() if not known.choices)}
        uses = uses_of(self.owner, Game, [name for name, table in tables.items() if table.file], numbers)
        for known in self.knobs.values():
            for name, table in tables.items():
                if known.table and table.table == known.table[0]:
                    uses[name].numbers[known.table[2]] = f"the knob {known.name}"
                    uses[name].names = (uses[name].names or set()) | {known.table[2]}
        self.words: dict[str, Word] = words_of(self.owner, self.owner.seat_names or SEAT_NAMES)
        for name, table in sorted(tables.items(), key=lambda item: bool(item[0] in uses and uses[item[0]].effects)):
            table.read(self.file.parent, uses.get(name, ColumnUses()), self.words)
            for column in table.effect_columns:
                made = effects_method(name, column, self.words, str(self.file))
                setattr(self.owner, made_name(name, column), made)
        self.tables = list(tables.values())
        rows = {table.table: table.rows for table in self.tables if table.file}
        self.knobs = {name: known.in_tables(rows, str(self.file)) for name, known in self.knobs.items()}

    def streams(self, players: int) -> tuple[str, ...]:
        """Names of the random streams, on which alone their numbers depend."""
        return self.common_streams + tuple(f"{name}[{seat}]" for seat in range(players) for name in self.seat_streams)

    def stream_place(self, name: str, seat: int | None = None) -> int:
        """A stream's place among `streams`. seat: of a component with a stream for each seat."""
        if seat is None:
            return self.common_streams.index(name)
        return len(self.common_streams) + seat * len(self.seat_streams) + self.seat_streams.index(name)

    def _check_sizes(self) -> None:
        """Refuses player counts, bounds and fields of which no game can be made."""
        owner = self.owner
        fewest, most = (*self.players, 0)[:2] if isinstance(owner.players, tuple) else (owner.players, owner.players)
        if not (_is_whole(fewest) and _is_whole(most) and 1 <= fewest <= most):
            raise InputError(f"{self.file}: players = {owner.players!r}: write a whole number, or (fewest, most).")
        bounds = {"max_turns": (owner.max_turns, MOST_TURNS), "max_decisions": (owner.max_decisions, MOST_DECISIONS)}
        for name, (longest, most_allowed) in bounds.items():
            if not _is_whole(longest) or not 1 <= longest <= most_allowed:
                raise InputError(f"{self.file}: {name} = {longest!r}: write a whole number in 1..{most_allowed:,}.")
        for name, field in self.fields.items():
            sizes: list[Any] = [size for size in field.shape if size != SEATS and not hasattr(size, "capacity")]
            sizes = [getattr(size, "options", size) for size in sizes]
            if not all(_is_whole(size) and size >= 1 for size in sizes) or math.prod(sizes) > MOST_NUMBERS:
                shape = " x ".join(map(str, sizes))
                raise InputError(f"{self.file}: {name} has {shape} numbers: a field has 1 to {MOST_NUMBERS:,}.")

    def _check_names(self) -> None:
        """Refuses names of fields that the record or the results of every game have already."""
        held = {f"{called}_{name}": called for called, part in self.components.items() for name in part.fields()}
        for name in self.fields:
            taken = ""
            if name in held:
                taken = f"the {held[name]} of this game"
            elif name in _RECORDED:
                taken = "the record of a game"
            if taken:
                raise InputError(
                    f"{self.file}: the field {name} has a name that belongs to {taken}. Give it another name."
                )

    def check_columns(self, names: Sequence[str]) -> None:
        """Refuses metrics or tracks, by their names, that the results have already or that have the same name."""
        for name in names:
            if name in _COLUMNS or name.startswith(("bot_", "score_")):
                raise InputError(
                    f"{self.file}: the metric or track {name} has a name that belongs to the results of every game. "
                    "Give it another name."
                )
            if names.count(name) > 1:
                raise InputError(f"{self.file}: two metrics or two tracks are called {name}. Rename one.")

    @property
    def every_field(self) -> dict[str, Field]:
        """The fields of the record by name, including those of components."""
        return {name: field for name, _, _, field in self.places(self.owner)}

    def places(self, game: Any) -> Iterator[tuple[str, Any, str, Field]]:
        """Where a plain game keeps each field of the record: name, game or component, attribute, field."""
        yield from ((name, game, name, field) for name, field in self.fields.items())
        for called in self.components:
            part = getattr(game, called)
            yield from ((f"{called}_{name}", part, name, field) for name, field in part.fields().items())

    @cached_property
    def limits(self) -> dict[str, Limits]:
        """The numbers that each field of the record with a declared range may hold."""
        return {
            name: field.limits(attribute if part is self.owner else f"{part.called}.{attribute}")
            for name, part, attribute, field in self.places(self.owner)
            if not field.is_flag and field.has_range
        }

    @cached_property
    def limits_by_owner(self) -> dict[str, dict[str, Limits]]:
        """`limits`, by the name of the component ("" for the game) and the attribute."""
        found: dict[str, dict[str, Limits]] = {}
        for name, part, attribute, _ in self.places(self.owner):
            if name in self.limits:
                found.setdefault("" if part is self.owner else part.called, {})[attribute] = self.limits[name]
        return found

    @property
    def hides_from_all(self) -> bool:
        """Whether a field or a hand is hidden from all seats, and the lab can draw it again."""
        hands = [part.seen_by for part in self.components.values() if isinstance(part, Hand)]
        fields = [field.seen_by for field in self.fields.values() if None not in (field.low, field.high)]
        return "nobody" in (*hands, *fields)

    @property
    def stores_unseen(self) -> bool:
        """Whether a game holds what no seat has seen, such as the order of a deck (simlab.spec.contract, reshuffle)."""
        piles = any(hasattr(part, "mix_again") for part in self.components.values())
        return bool(self.decks or self.own_decks or piles or self.hides_from_all)

    def values_of(self, game: Game) -> dict[str, Any]:
        """The values of `every_field` in a plain game."""
        return {name: getattr(part, attribute) for name, part, attribute, _ in self.places(game)}

    def knob_conflicts(self, knobs: Mapping[str, Any]) -> list[str]:
        """Why knobs contradict each other, from the class's `check_knobs`; empty if they do not."""
        game = self.owner.__new__(self.owner)
        for name, declared in self.knobs.items():
            setattr(game, name, knobs.get(name, declared.default))
        try:
            conflict = game.check_knobs()
        except InputError:
            raise
        except Exception as fault:
            lines = [frame.lineno for frame in extract_tb(fault.__traceback__) if Path(frame.filename) == self.file]
            at = f"{self.file}, line {lines[-1]}" if lines else str(self.file)
            raise InputError(
                f"{at}: check_knobs() raises {type(fault).__name__}: {fault}. It returns a text if the knobs "
                "contradict each other, else None; it may read knobs only."
            ) from fault
        return [str(conflict)] if conflict else []

    @property
    def default_players(self) -> int:
        """The default player count."""
        return self.owner.default_players or self.players[0]

    @property
    def players(self) -> tuple[int, int]:
        """Fewest and most players."""
        players = self.owner.players
        return players if isinstance(players, tuple) else (players, players)

    def seat_names(self, players: int) -> tuple[str, ...]:
        """Names of the seats."""
        names = self.owner.seat_names or SEAT_NAMES
        if players > MOST_SEATS:
            raise InputError(f"{self.file}: {players} players; a game of simlab has {MOST_SEATS} at most.")
        if len(names) < players:
            raise InputError(f"{self.file}: {players} players, but {len(names)} seat_names. Name every seat.")
        for name in names:
            if not isinstance(name, str) or not name.isprintable() or set(name) & set("=,:") or not name.strip():
                raise InputError(f"{self.file}: seat_names: {name!r}: write a text without '=', ',' and ':'.")
        if len({*names}) < len(names):
            raise InputError(f"{self.file}: seat_names has the same name twice: {', '.join(names)}.")
        return tuple(names[:players])

    def shape(self, field: Field, players: int) -> tuple[int, ...]:
        """The shape of a field for a number of players."""

        def entries(size: Any) -> int:
            return players if size == SEATS else int(getattr(size, "capacity", getattr(size, "options", size)))

        return tuple(entries(size) for size in field.shape)


def _names_in(owner: type[Game]) -> set[str]:
    """The names that the methods of a class use, and the functions of its files."""
    bases = owner.__mro__[: owner.__mro__.index(Game)]
    functions = [one for base in bases for one in (*vars(base).values(), *vars(sys.modules[base.__module__]).values())]
    waiting = [one.__code__ for one in functions if isinstance(one, types.FunctionType)]
    found = set[str]()
    while waiting:
        code = waiting.pop()
        found |= {*code.co_names}
        waiting += [one for one in code.co_consts if isinstance(one, types.CodeType)]
    return found


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


_blueprint_of = per_class(Blueprint)


class Ended(BaseException):
    """The game is over: nothing after `end()` runs, in any method."""


class Game(FieldOwner):
    """A board game. Extend it, and `simlab run ./file.py` plays it.

        class Coins(Game):
            '''Toss a coin; three heads win.'''

            players = 2
            goal = knob(3, 1, 9, "heads that win")
            heads = per_seat()
            act = choice("toss", "pass")

            def play(self):
                '''C-1: heads count; the first to have enough wins.'''
                while True:
                    if self.ask(self.act) == "toss":
                        self.heads[self.seat] += self.below(2)
                    if self.heads[self.seat] == self.goal:
                        self.end("heads", self.seat)
                    self.turn += 1
                    self.seat = self.next_seat()

    Class attributes:
        players: number of players, or (fewest, most). default_players: the default number; by default the fewest.
        seat_names: names of the seats; ann, bob, ... by default.
        teams: seats that win and lose together: `{"city holds": ALL}`, or `{"warlord wins": [0], "town wins": [1, 2]}`.
            If `wins` does not look at its seat, all players are a team.
        title: by default the class's name, in words.
        turn_name: unit of the game's length, `turn` by default.
        max_turns, max_decisions: a longer game is an error: it is truncated, and has no result.
        score_range: (low, high) of a seat's score at any time; with it, reports follow the scores over the game.

    Methods to write: `play(self)`, the whole game; `may_<decision>(self, option)`, whether an option is legal;
    `score(self, seat)`, if no field is declared as `per_seat(score=True)`; `tie_break(self, seat)`, which decides
    between seats with the same score; `wins(self, seat)`, if scores do not decide; `redraw(self, seat)`, which redraws
    hidden information that no component holds; `could_hold(self, seat, card)`, whether a hidden hand could hold a
    card, given everything that was seen; `check_knobs(self)`, which returns contradictions of knobs; `words(self,
    seat)`, texts that replays show in addition to the fields or instead of them; `label_<decision>(self, option)`, the
    text of an option in this position.
    """

    players: ClassVar[int | tuple[int, int]] = 2
    default_players: ClassVar[int | None] = None
    seat_names: Any = ()
    teams: ClassVar[Mapping[str, Any]] = {}
    title: ClassVar[str] = ""
    turn_name: ClassVar[str] = "turn"
    max_turns: ClassVar[int] = 1_000
    max_decisions: ClassVar[int] = 20_000
    score_range: ClassVar[tuple[int, int] | None] = None
    _draws: str = "game"  #: whose random numbers are drawn now: those of the "game", a "bot" or a "redraw"
    _counts_rules: bool = True  #: whether its record counts the rules that take effect
    _narration: list[str]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for name, field in list(vars(cls).items()):
            if isinstance(field, Field) and field.score:
                if "score" in vars(cls):
                    raise InputError(f"{cls.__name__}: has a method score(), and {name} is declared as the score, too.")
                text, body = f"def score(self, seat):\n    return self.{name}[seat]", dict[str, Any]()
                exec(compile(text, str(file_of(cls)), "exec"), body)
                body["score"].source = text
                cls.score = body["score"]  # type: ignore[attr-defined]
                cls.score_range = field.score if isinstance(field.score, tuple) else cls.score_range

    # --- One game in plain Python ---------------------------------------------

    def __init__(
        self,
        players: int | None = None,
        *,
        seed: int = 1,
        game: int = 0,
        knobs: Mapping[str, Any] | None = None,
        tables: Mapping[str, list[dict[str, str | int]]] | None = None,
        record: Any = None,
        draws: Mapping[str, Sequence[int | str]] | None = None,
        **fields: Any,
    ) -> None:
        """Sets up a game in plain Python.

        Args:
            players: by default as the class declares.
            seed, game: determine the random numbers.
            knobs: values that differ from the defaults.
            tables: rows of card tables that replace the game's own, by name.
            record: a record whose random streams are used, instead of those of seed and game.
            draws: the next results of decks, bags and dice: `{"bag": ["ruby", "coal"], "dice": [6, 1]}`.
            fields: values of fields, set when the first question is asked: `points=[4, 0]` (author.positions).
        Raises:
            InputError: one of these values cannot be used.
        """
        plan = self.blueprint()
        n = plan.default_players if players is None else players
        if not plan.players[0] <= n <= plan.players[1]:
            fewest, most = plan.players
            played = f"{fewest} to {most}" if fewest != most else str(fewest)
            raise InputError(f"{type(self).__name__} is played by {played}, not by {n}.")
        for name in knobs or {}:
            if name not in plan.knobs:
                raise InputError(f"{type(self).__name__} has no knob '{name}'. {nearest(name, plan.knobs)}")
        for conflict in plan.knob_conflicts(knobs or {}):
            raise InputError(conflict)
        defaults = {name: declared.default for name, declared in plan.knobs.items()}
        self._furnish(n, open_record(seed, game) if record is None else record, defaults | dict(knobs or {}))
        vars(self).update(collections_of(type(self)))
        for part in (getattr(self, name) for name in plan.components):
            if isinstance(part, Table) and part.table in (tables or {}):
                part.fill_in((tables or {})[part.table])
        for draw in read_draws(plan, n, draws or {}, lambda part: getattr(self, items_of(part).called).labels):
            force(self._record, *draw)
        self._lay_out()
        self._begin()
        if fields and self.over:
            raise InputError(f"{type(self).__name__}: the game ends before the first question: no field can be set.")
        set_fields(self, fields)

    def _lay_out(self) -> None:
        """Gives all fields the values with which each game begins."""
        plan, players = self.blueprint(), len(self.seat_names)
        for name, part, attribute, field in plan.places(self):
            setattr(part, attribute, in_python(np.full(plan.shape(field, players), field.start), plan.limits.get(name)))
        for name in plan.components:
            getattr(self, name).prepare()
        self.prepare()

    def _furnish(self, players: int, record: Any, knobs: Mapping[str, Any]) -> None:
        """Gives a plain game everything except fields: seats, random streams, knobs, and its own copies of the class's
        components, which refer to the game and to each other.
        """
        plan = self.blueprint()
        self._limits = plan.limits_by_owner.get("", {})
        self.seat_names, self._record = plan.seat_names(players), record
        if record is not None:
            name_streams(record, players + 1, plan.streams(players))
        self.seat, self.turn, self.over, self._narration = 0, 1, False, []
        self._more: tuple[Any, ...] = ()
        self.decision: Choice = next(iter(plan.choices.values()))
        twins: dict[int, Any] = {id(part): copy.copy(part) for part in plan.components.values()}
        for name, part in plan.components.items():
            twin = twins[id(part)]
            twin.game = self
            vars(twin)["_limits"] = plan.limits_by_owner.get(name, {})
            vars(twin).update({attribute: twins[id(other)] for attribute, other in part.parts.items()})
            setattr(self, name, twin)
        vars(self).update(knobs)

    @classmethod
    def blueprint(cls) -> Blueprint:
        """The declarations of the class."""
        return _blueprint_of(cls)

    def stream(self, name: str, seat: int | None = None) -> Stream:
        """The random stream of this name; while a bot chooses, its own stream; during a redraw, the redraw's.

        Args:
            seat: of a component with a stream for each seat.
        """
        seats = len(self.seat_names)
        if self._draws != "game":
            return Stream(self._record, self.seat if self._draws == "bot" else seats, self._draws == "redraw")
        return Stream(self._record, seats + 1 + self.blueprint().stream_place(name, seat), name=name)

    @property
    def options(self) -> list[Option]:
        """The legal options, for a bot."""
        return self.legal()

    @property
    def option_count(self) -> int:
        """The number of legal options, for a bot."""
        return len(self.legal())

    def can(self, option: int | str) -> bool:
        """Whether an option is legal, for a bot."""
        return any(known == option for known in self.legal())

    def legal(self) -> list[Option]:
        """The legal options of the pending decision; none once the game is over."""
        if self.over:
            return []
        choice = self.decision
        test = getattr(self, f"may_{choice.name}", None)
        beyond = range(getattr(self, choice.component.called).size, choice.counted) if choice.cards else ()
        options = [choice.named(n) for n in range(choice.first, choice.size) if n not in beyond]
        return [option for option in options if test is None or test(option, *self._more)]

    def take(self, *options: int | str) -> None:
        """Carries options out, one after the other, each given by its number or its name.

        Raises:
            InputError: an option is not legal, or the game is over.
        """
        for option in options:
            if self.over:
                raise InputError(f"the game is over: {option} cannot be taken.")
            legal = self.legal()
            chosen = next((known for known in legal if known == option), None)
            if chosen is None:
                listed = ", ".join(known.name or str(int(known)) for known in legal)
                raise InputError(f"{self.decision.name}: {option} is not legal. Legal: {listed}.")
            self.answer_with(chosen)

    # --- `play` runs in a greenlet, which waits inside `ask` ---------------------------

    def _begin(self) -> None:
        """Plays to the first question."""
        from greenlet import greenlet

        self._rules = greenlet(self._run)
        self.answer_with()

    def answer_with(self, *chosen: Option) -> None:
        """Plays on with a legal option, or with none at the beginning, to the next question or to the end."""
        self._rules.switch(*chosen)
        if self._rules.dead and not self.over:
            raise InputError(
                f"{type(self).__name__}.play() has ended, but the game is not over. End it where the rules do: "
                "self.end('goal', seat)."
            )

    def _run(self) -> None:
        with contextlib.suppress(Ended):
            self.play()

    # --- What rules call --------------------------------------------------------

    def play(self) -> None:
        """Plays the whole game, from the set-up to the end. Each class has its own."""
        raise NotImplementedError

    def prepare(self) -> None:
        """Sets fields to what they are at the beginning of every game, such as tables of distances. Runs in plain
        Python, once for all games with the same knobs and card tables; it draws no random numbers.
        """

    def words(self, seat: int | None) -> Description:
        """The position in words, in addition to the fields or instead of them, as `seat` sees it (None sees all)."""
        return {}

    def check_knobs(self) -> str | None:
        """Returns why the knobs contradict each other, if they do. Runs in plain Python, before a game begins."""
        return None

    def tie_break(self, seat: int) -> int:
        """The number that breaks ties: of the seats with the highest score, those with the highest number win."""
        return 0

    @property
    def seats(self) -> range:
        """The seats' numbers: `for seat in self.seats`."""
        return range(len(self.seat_names))

    def ask(self, decision: Any, seat: int | None = None, *more: int) -> Any:
        """Asks a seat, by default the same one, for a decision; returns the option that it chooses.

        Args:
            more: further numbers that the decision's `may_` method gets after the option.
        """
        asking = self.seat
        self.put_question(decision, seat, *more)
        from greenlet import getcurrent

        answer = self._only_option() if decision.forced else None
        if answer is None:
            answer = getcurrent().parent.switch()
        if seat is not None:
            self.seat = asking
        return answer

    def _only_option(self) -> Option | None:
        """The legal option of the pending decision, if there is just one."""
        legal = self.legal()
        return legal[0] if len(legal) == 1 else None

    def put_question(self, decision: Any, seat: int | None = None, *more: int) -> None:
        """Sets the pending decision, the seat that makes it, and the further numbers of the question."""
        self.decision, self._more = decision, more
        if seat is not None:
            self.seat = seat

    def ask_all(self, decision: Any, seats: Iterable[int], into: Any) -> None:
        """Asks several seats for the same decision, one after the other, and stores the answers by seat."""
        for seat in seats:
            into[seat] = self.ask(decision, seat)

    def carry_out(self, effects: str) -> None:
        """Plays the effects of a card, a cell of a column: `self.carry_out(self.fate.effect[card])`.

        Each names a method under `@word` and its arguments: `mill besieged 3; until red besieger`.
        """
        plan = self.blueprint()
        numbered = {word.number: name for name, word in plan.words.items()}
        for number, *arguments in Effects(plan.words, str(plan.file)).steps_of(effects):
            getattr(self, numbered[number])(*arguments)

    def say(self, text: str) -> None:
        """Adds a sentence about the game, which replays print below the decision. Compiled games leave it out."""
        self._narration.append(str(text))

    @property
    def narration(self) -> list[str]:
        """The sentences of `say()` so far, in plain Python."""
        return self._narration

    def others(self) -> list[int]:
        """The other seats, clockwise from the left of the seat that acts."""
        return [(self.seat + step) % len(self.seat_names) for step in range(1, len(self.seat_names))]

    def end(self, ending: str, winner: int | None = None) -> None:
        """Ends the game. The winner is a seat, NONE or ALL; without it, `wins` or the highest score decides."""
        self.over, self.ending = True, ending
        if winner is not None:
            if winner not in (NONE, ALL, *self.seats):
                raise ValueError(f"end() takes a seat, NONE or ALL as the winner, not {winner}")
            self.won = {NONE: NOBODY, ALL: (1 << len(self.seats)) - 1}.get(winner) or 1 << winner
        raise Ended

    def next_seat(self, seat: int | None = None) -> int:
        """The seat to the left of `seat`, by default of the seat that acts."""
        return ((self.seat if seat is None else seat) + 1) % len(self.seat_names)

    def roll(self, sides: int) -> int:
        """The result of a die, from 1."""
        return self.stream("dice").below(sides) + 1

    def below(self, n: int) -> int:
        """A random whole number in 0..n-1."""
        return self.stream("chance").below(n)

    def rule(self, rule: str) -> None:
        """Counts that a rule took effect; use it where the docstring of a method is too coarse."""

    # --- The end ----------------------------------------------------------------

    def score_of(self, seat: int) -> int:
        """A seat's score; 0 in a game without scores."""
        if not hasattr(self, "score"):
            return 0
        score = self.score(seat)
        if score is None or int(score) != score:
            raise ValueError(f"score() returns {score!r}, and results are whole numbers: divide with //, or round")
        return int(score)

    def winners(self) -> tuple[int, ...]:
        """The seats that have won."""
        if getattr(self, "won", 0):
            return tuple(seat for seat in self.seats if self.won > 0 and self.won >> seat & 1)
        if hasattr(self, "wins"):
            return tuple(seat for seat in self.seats if self.wins(seat))
        if hasattr(self, "score"):
            scores = [(self.score(seat), self.tie_break(seat)) for seat in self.seats]
            return tuple(seat for seat in self.seats if scores[seat] == max(scores))
        return ()

    def play_with(self, bots: Sequence[Any] | None = None) -> Game:
        """Plays to the end in plain Python.

        Args:
            bots: one per seat, made by `bot` or any function of the game; by default each seat picks at random.
        """
        while not self.over:
            legal = self.legal()
            if not legal:
                raise InputError(f"{self.decision.name}: no option is legal, but the game is not over.")
            if bots:
                chooses = getattr(bots[self.seat], "plain", bots[self.seat])
                self._draws = "bot"
                option = chooses(self)
                self._draws = "game"
                self.take(option)
            else:
                self.take(legal[Stream(self._record, self.seat).below(len(legal))])
        return self
