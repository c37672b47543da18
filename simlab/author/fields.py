"""Declarations of a game's class: knobs, fields, decisions and bots."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn, TypeAlias

import numpy as np

from simlab.errors import InputError
from simlab.spec.bots import Trait
from simlab.spec.knobs import ChoiceKnob, DecimalKnob, SwitchKnob, WholeKnob

NONE: Final = -1  #: no card, no seat
ALL: Final = -2  #: all seats, as the winners
NOBODY: Final = -1  #: `won` if nobody wins; 0 means that the scores decide
Size: TypeAlias = "int | str | Any"  #: a number, `SEATS` for one entry per seat, or a deck for one entry per card
SEATS: Final = "seats"
LEAST, MOST = -(1 << 31), (1 << 31) - 1  #: of a field without a range


@dataclass(frozen=True)
class Cell:
    """A cell of a table, as the default of a knob: the table's file, the first cell of the row, and the column."""

    file: str
    row: str
    column: str


def knob(default: float | bool | str | Cell, *rest: Any, unit: str = "", switch: bool | None = None) -> Any:
    """A rule's number, switch or choice that a designer may change, named by the class. The last text explains it.

        goal = knob(20, 10, 40, "points that end the game")  # a whole number, 10 to 40
        mercy = knob(True, "whether a bust costs nothing")  # a switch
        tie = knob("share", ("share", "first"), "who wins a tie")  # a choice
        price = knob(Table("prices.csv").cell("silk", "cost"), 1, 9, "price of silk")  # its default stands in a table

    Args:
        switch: whether it is a ruling that could go the other way; by default, true-or-false knobs are.
    Raises:
        InputError: arguments of the wrong form.
    """
    *values, text = rest or ("",)
    if isinstance(default, Cell) and isinstance(text, str) and len(values) == 2:
        table = (Path(default.file).stem, default.row, default.column)
        return WholeKnob("", values[0], values[0], values[1], help=text, unit=unit, table=table)
    assert not isinstance(default, Cell)
    if isinstance(text, str) and not values and (isinstance(default, bool)):
        return SwitchKnob("", default, help=text, unit=unit, switch=switch is not False)
    options = values[0] if len(values) == 1 and isinstance(values[0], tuple | list) else ()
    if isinstance(text, str) and default in options and all(isinstance(option, str) for option in options):
        return ChoiceKnob("", default, options=tuple(options), help=text, unit=unit, switch=bool(switch))
    if isinstance(text, str) and len(values) == 2 and not isinstance(default, bool | str):
        low, high = values
        if low <= default <= high:
            kind = DecimalKnob if any(isinstance(value, float) for value in (default, low, high)) else WholeKnob
            return kind("", default, low, high, help=text, unit=unit)
    raise InputError(
        f"knob({default!r}, ...): write knob(20, 10, 40, 'help') for a number with its range, knob(True, 'help') for a "
        "switch, or knob('share', ('share', 'first'), 'help') for a choice."
    )


class Limits(NamedTuple):
    """The numbers that a field may hold.

    Attributes:
        name: name of the field in messages.
        low, high: the lowest and the highest number.
        other: one more number, outside the range: the start or NONE; `low` if there is none.
    """

    name: str
    low: int
    high: int
    other: int

    @property
    def storage(self) -> type[np.signedinteger[Any]]:
        """The narrowest type of the record for these numbers, 8 to 32 bits, in which their signs can change, too."""
        low, high = min(self.low, self.other), max(self.high, self.other)
        return np.int8 if -128 < low <= high < 128 else np.int16 if -(1 << 15) < low <= high < 1 << 15 else np.int32

    @property
    def bits(self) -> int:
        """The absolute value of each number is at most 2 ** bits."""
        return max((abs(value) - 1).bit_length() for value in (self.low, self.high, self.other))

    def check(self, value: Any) -> None:
        """Raises the error of a number that the field may not hold.

        Raises:
            ValueError: it may not.
        """
        if isinstance(value, int) and not (self.low <= value <= self.high or value == self.other):
            raise ValueError(f"{self.name} holds {self.low:,} to {self.high:,}, and was set to {value:,}")


@dataclass(frozen=True)
class Field:
    """A field of the game. Made by `number`, `flag`, `per_seat`, `numbers` and `grid`.

    Attributes:
        shape: () for a single value.
        start: its value when a game begins.
        seen_by: who sees the value: `all`, `owner` (of a field per seat) or `nobody`.
        low, high: range. Another number is an error, except for the start and, in a field with `names`, NONE. It gives
            the width of the field in the record, the range of its metric, and the numbers from which a hidden value is
            redrawn.
        metric: help of the metric that the results show at the end of a game; "" for none. With one of the `names` for
            each seat, reports show how often the seats of each name win.
        unit: of the metric, such as `points`.
        track: help of the chart that reports show of the number at the start of each turn; "" for none.
        lead: whether the seat with the highest number on the track is ahead.
        shown: whether replays and descriptions of a position show it; False for bookkeeping.
        names: a deck, map or other component, or a tuple of texts; reports and replays show its names for the numbers.
            Without `low` and `high`, the numbers of these names are the range.
        score: whether it is the score of each seat; or its range, with which reports follow the scores over the game.
    """

    shape: tuple[Size, ...] = ()
    start: int | bool = 0
    seen_by: str = "all"
    low: int | None = None
    high: int | None = None
    metric: str = ""
    unit: str = ""
    track: str = ""
    lead: bool = False
    shown: bool = True
    help: str = ""
    names: Any = None
    score: bool | tuple[int, int] = False

    def __post_init__(self) -> None:
        if self.seen_by not in ("all", "owner", "nobody"):
            raise InputError(f"seen_by = {self.seen_by!r}: write 'all', 'owner' or 'nobody'.")
        if self.seen_by == "owner" and (not self.shape or self.shape[0] != SEATS):
            raise InputError("seen_by = 'owner' needs a field per seat: per_seat(seen_by='owner').")
        if self.score and self.shape != (SEATS,):
            raise InputError("score needs one number per seat: per_seat(score=(0, 100)).")
        ends = [LEAST if self.low is None else self.low, MOST if self.high is None else self.high]
        if not all(isinstance(end, int) for end in ends) or not LEAST <= ends[0] <= ends[1] <= MOST:
            raise InputError(
                f"low = {self.low!r}, high = {self.high!r}: write whole numbers between {LEAST:,} and {MOST:,}, the "
                "lower one first."
            )

    @property
    def is_category(self) -> bool:
        """Whether it is a property of each seat whose effect on the wins is reported, such as a role."""
        return bool(self.metric) and self.shape == (SEATS,) and isinstance(self.names, tuple)

    @property
    def is_flag(self) -> bool:
        """Whether it is true or false."""
        return isinstance(self.start, bool)

    @property
    def has_range(self) -> bool:
        """Whether it declares the numbers that it may hold."""
        return self.names is not None or isinstance(self.score, tuple) or (self.low, self.high) != (None, None)

    def limits(self, name: str) -> Limits:
        """The numbers that it may hold, once the tables of its decks are read; `name` is for messages."""
        low, high = self.low, self.high
        if isinstance(self.score, tuple) and low is None and high is None:
            low, high = self.score
        if self.names is not None and low is None and high is None:
            low, high = 0, _count(self.names) - 1
        low, high = LEAST if low is None else low, MOST if high is None else high
        others = [int(self.start), NONE] if self.names is not None else [int(self.start)]
        outside = [other for other in others if not low <= other <= high]
        if len(set(outside)) > 1:
            low = min(low, NONE)
        return Limits(name, low, high, outside[0] if outside else low)

    def storage(self) -> type[np.generic]:
        """Its type in the record."""
        if not self.is_flag:
            return self.limits("").storage
        return np.uint8 if self.shape else np.bool_  # Numba has no arrays of bool in a record


def _count(names: Any) -> int:
    """The number of the names of a tuple, or of a component's cards, places or kinds."""
    return len(names) if isinstance(names, tuple) else int(getattr(names, "capacity", 0) or names.options)


def number(start: int = 0, **options: Any) -> Any:
    """A whole number, between -2^31 and 2^31 - 1.

        at_stake = number()
        walls = number(5, low=0, high=12, track="City Walls")
        rounds = number(metric="rounds that were played", low=0)

    Args:
        start: its value when a game begins.
        options: as the attributes of `Field`: seen_by, low, high, metric, help, names.
    """
    return Field((), start, **options)


def flag(start: bool = False, **options: Any) -> Any:
    """True or false.

    open = flag()
    """
    return Field((), start, **options)


def per_seat(start: int = 0, each: Size | None = None, **options: Any) -> Any:
    """A whole number for each seat, or `each` numbers for each seat.

    points = per_seat(score=(0, 100))  # self.points[seat] is the score of a seat, 0 to 100
    goods = per_seat(each=3)  # self.goods[seat, kind]
    bid = per_seat(-1, low=0, high=10, seen_by="owner")  # hidden from the others
    """
    return Field((SEATS,) if each is None else (SEATS, each), start, **options)


def numbers(size: Size, start: int = 0, **options: Any) -> Any:
    """A list of whole numbers of a fixed size; if the size is a deck, one number for each card.

    heights = numbers(7)  # self.heights[column]
    """
    return Field((size,), start, **options)


def grid(rows: int, columns: int, start: int = 0, **options: Any) -> Any:
    """A board of squares.

    board = grid(6, 7, start=NONE)  # self.board[row, column]
    """
    return Field((rows, columns), start, **options)


# --- Values in plain Python -----------------------------------------------------


class Numbers(list[int]):
    """A list of numbers of a fixed size. `limits`: the numbers that it may hold; None: any."""

    limits: Limits | None = None

    def fill(self, value: int) -> None:
        """Sets all numbers to a value."""
        if self.limits is not None:
            self.limits.check(value)
        super().__setitem__(slice(None), [value] * len(self))

    def __setitem__(self, place: Any, value: Any) -> None:
        if self.limits is not None:
            self.limits.check(value)
        super().__setitem__(place, value)


class Grid(Numbers):
    """Numbers in rows and columns: grid[row, column]. Loops, counts and sums take them row by row."""

    def __init__(self, values: np.ndarray[Any, Any]) -> None:
        super().__init__(values.ravel().tolist())
        self.columns: int = values.shape[1]

    def __getitem__(self, place: tuple[int, int]) -> int:  # type: ignore[override]
        return super().__getitem__(self._at(*place))

    def __setitem__(self, place: tuple[int, int], value: int) -> None:  # type: ignore[override]
        super().__setitem__(self._at(*place), value)

    def _at(self, row: int, column: int) -> int:
        """Negative rows and columns count from the end, as in compiled code."""
        rows = len(self) // self.columns
        if not (-rows <= row < rows and -self.columns <= column < self.columns):
            raise IndexError(f"[{row}, {column}] is not on a board of {rows} rows and {self.columns} columns")
        return row % rows * self.columns + column % self.columns


class FieldOwner:
    """An object in plain Python whose attributes may be fields of single numbers: a game or a component."""

    #: The numbers that its fields may hold, by name.
    _limits: Mapping[str, Limits] = {}

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self._limits:
            self._limits[name].check(value)
        super().__setattr__(name, value)


def in_python(values: np.ndarray[Any, Any], limits: Limits | None) -> Any:
    """A field of a plain game, from an array of shape (), (n,) or (rows, columns)."""
    if not values.ndim:
        return values.item()
    made = Grid(values) if values.ndim > 1 else Numbers(values.tolist())
    made.limits = limits
    return made


# --- Decisions ----------------------------------------------------------------


@dataclass(eq=False)
class Choice:
    """A kind of decision. Made by `choice`.

    Attributes:
        parts: the parts of its declaration: texts, numbers of options, and decks.
        place: file and line of its declaration.
        size: number of options. names: name -> option, for options with a name.
        component: the component whose cards, places or kinds are the first options, or None.
        counted: number of these first options. cards: whether they are cards of a deck, whose number may change.
    """

    name: str
    parts: tuple[Any, ...]
    secret: bool = False
    continues: tuple[str, ...] = ()
    forced: bool = False
    place: tuple[str, int] = ("", 0)
    size: int = 0
    names: dict[str, int] = field(default_factory=dict)
    component: Any = None
    counted: int = 0
    cards: bool = False
    first: int = 0

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = self.name or name

    def __call__(self, method: Any) -> NoReturn:
        """Refuses `@choice(...)` above a method.

        Raises:
            InputError: always.
        """
        name = getattr(method, "__name__", "act")
        raise InputError(
            f"{self.place[0]}, line {self.place[1]}: a decision is not a method. Declare it, {name} = choice(...), and "
            f"ask in play(), where its option is carried out: option = self.ask(self.{name})."
        )

    def number_options(self) -> None:
        """Numbers the options part by part, once the tables of its decks are read."""
        self.size, self.names = 0, {}
        for part in self.parts:
            if isinstance(part, str):
                if part in self.names:
                    raise InputError(f"{self.where}: '{part}' is named twice. Each option has a name of its own.")
                self.names[part] = self.size
                self.size += 1
            elif isinstance(part, int):
                self.size += part
            elif self.size:
                raise InputError(f"choice of {self.name}: name the deck, row or places first, then texts.")
            else:
                self._add(part)

    @property
    def where(self) -> str:
        """The decision, with its file and line."""
        return f"{self.place[0]}, line {self.place[1]}: choice of {self.name}"

    def _add(self, part: Any) -> None:
        self.cards = getattr(part, "may_vary", False)
        self.counted = getattr(part, "capacity", getattr(part, "options", 0))
        if not self.counted:
            raise InputError(
                f"choice of {self.name}: {part!r} is not a text, a number, a deck, a row or a set of places."
            )
        self.component, self.size = part, self.counted
        if not self.cards:
            repeated = next((label for label in part.labels if list(part.labels).count(label) > 1), None)
            if repeated is not None:
                raise InputError(f"{self.where}: {part.called} has '{repeated}' twice. Each has a name of its own.")
            self.names |= {label: number for number, label in enumerate(part.labels)}

    def named(self, option: int) -> Option:
        """An option of this decision as an `Option`, which has its name."""
        return Option.named(option, next((name for name, number in self.names.items() if number == option), ""))


def choice(*options: Any, secret: bool = False, continues: Sequence[str] = (), forced: bool = False) -> Any:
    """Declares a decision and its options, for which the rules ask.

        throw = choice("hold", "roll")  # self.ask(self.throw) == "roll"
        bid = choice(14)  # options 0 to 13
        throw = choice(range(1, 5))  # options 1 to 4
        lay = choice(Deck(52), "pass")  # a card of the deck, or "pass"

    A method `may_<name>(self, option)` returns whether an option is legal now; without this method all options are
    legal.

    Args:
        secret: other seats learn that a choice was made, not which.
        forced: where one option is legal, it is taken without asking.
        continues: names of the decisions that this one completes (`simlab analyze time` counts them as one).
    """
    if not options:
        raise InputError("choice: name the options: choice('hold', 'throw'), choice(14) or choice(deck).")
    ranges = [part for part in options if isinstance(part, range)]
    if any(part.step != 1 or part.start < 0 or (part.start and len(options) > 1) for part in ranges):
        raise InputError("choice: a range of numbers counts up by one, and one that does not begin at 0 stands alone.")
    parts = tuple(part.stop if isinstance(part, range) else part for part in options)
    caller = sys._getframe(1)
    made = Choice("", parts, secret, tuple(continues), forced, (caller.f_code.co_filename, caller.f_lineno))
    made.first = ranges[0].start if ranges else 0
    return made


def is_label(name: str) -> bool:
    """Whether a method gives the options of a decision their labels, in plain Python."""
    return name.startswith("label_")


class Option(int):
    """A chosen option in plain Python: its number, equal to its name."""

    name: str = ""

    @classmethod
    def named(cls, value: int, name: str) -> Option:
        """An option with its name; "" for an option without a name."""
        option = cls(value)
        option.name = name
        return option

    def __eq__(self, other: object) -> bool:
        return self.name == other if isinstance(other, str) else int(self) == other

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = int.__hash__


# --- Bots ---------------------------------------------------------------------


def trait(default: float, low: float, high: float, help: str) -> Any:  # noqa: A002 - as in a call
    """A named number of a bot, as the default of a parameter.

    def hold_at(game, stop=trait(20, 1, 100, "points at which it stops")): ...
    """
    return Trait(default, low, high, help)
