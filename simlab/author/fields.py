"""Declarations of a game's class: knobs, fields, decisions and bots."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import numpy as np

from simlab.errors import InputError
from simlab.spec.bots import Trait
from simlab.spec.knobs import ChoiceKnob, DecimalKnob, SwitchKnob, WholeKnob

NONE: Final = -1  #: no card, no seat
ALL: Final = -2  #: all seats, as the winners
NOBODY: Final = -1  #: `won` if nobody wins; 0 means that the scores decide
Size: TypeAlias = "int | str | Any"  #: a number, `SEATS` for one entry per seat, or a deck for one entry per card
SEATS: Final = "seats"


def knob(default: float | bool | str, *rest: Any, unit: str = "") -> Any:
    """A rule's number, switch or choice that a designer may change, named by the class. The last text explains it.

        goal = knob(20, 10, 40, "points that end the game")  # a whole number, 10 to 40
        mercy = knob(True, "whether a bust costs nothing")  # a switch
        tie = knob("share", ("share", "first"), "who wins a tie")  # a choice

    Raises:
        InputError: arguments of the wrong form.
    """
    *values, text = rest or ("",)
    if isinstance(text, str) and not values and (isinstance(default, bool)):
        return SwitchKnob("", default, help=text, unit=unit, switch=True)
    options = values[0] if len(values) == 1 and isinstance(values[0], tuple | list) else ()
    if isinstance(text, str) and default in options and all(isinstance(option, str) for option in options):
        return ChoiceKnob("", default, options=tuple(options), help=text, unit=unit)
    if isinstance(text, str) and len(values) == 2 and not isinstance(default, bool | str):
        low, high = values
        if low <= default <= high:
            kind = DecimalKnob if any(isinstance(value, float) for value in (default, low, high)) else WholeKnob
            return kind("", default, low, high, help=text, unit=unit)
    raise InputError(
        f"knob({default!r}, ...): write knob(20, 10, 40, 'help') for a number with its range, knob(True, 'help') for a "
        "switch, or knob('share', ('share', 'first'), 'help') for a choice."
    )


@dataclass(frozen=True)
class Field:
    """A field of the game. Made by `number`, `flag`, `per_seat`, `numbers` and `grid`.

    Attributes:
        shape: () for a single value.
        start: its value when a game begins.
        seen_by: who sees the value: `all`, `owner` (of a field per seat) or `nobody`.
        low, high: range, for a metric and for the redraw of a hidden value.
        metric: help of the metric that the results show at the end of a game; "" for none. With one of the `names` for
            each seat, reports show how often the seats of each name win.
        names: a deck, map or other component, or a tuple of texts; reports and replays show its names for the numbers.
        score: whether it is the score of each seat; or its range, with which reports follow the scores over the game.
    """

    shape: tuple[Size, ...] = ()
    start: int | bool = 0
    seen_by: str = "all"
    low: int | None = None
    high: int | None = None
    metric: str = ""
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

    @property
    def is_category(self) -> bool:
        """Whether it is a property of each seat whose effect on the wins is reported, such as a role."""
        return bool(self.metric) and self.shape == (SEATS,) and isinstance(self.names, tuple)

    @property
    def is_flag(self) -> bool:
        """Whether it is true or false."""
        return isinstance(self.start, bool)


def number(start: int = 0, **options: Any) -> Any:
    """A whole number, between -2^31 and 2^31 - 1.

        at_stake = number()
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
    """A list of numbers of a fixed size."""

    def fill(self, value: int) -> None:
        """Sets all numbers to a value."""
        super().__setitem__(slice(None), [value] * len(self))


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


def in_python(values: np.ndarray[Any, Any]) -> Any:
    """A field of a plain game, from an array of shape (), (n,) or (rows, columns)."""
    return Grid(values) if values.ndim > 1 else Numbers(values.tolist()) if values.ndim else values.item()


# --- Decisions ----------------------------------------------------------------


@dataclass(eq=False)
class Choice:
    """A kind of decision. Made by `choice`.

    Attributes:
        parts: the parts of its declaration: texts, numbers of options, and decks.
        method: carries an option out; None for a decision for which the rules ask.
        place: file and line of its declaration.
        size: number of options. names: name -> option, for options with a name.
        component: the component whose cards, places or kinds are the first options, or None.
        counted: number of these first options. cards: whether they are cards of a deck, whose number may change.
    """

    name: str
    parts: tuple[Any, ...]
    method: Callable[..., Any] | None = None
    secret: bool = False
    continues: tuple[str, ...] = ()
    forced: bool = False
    place: tuple[str, int] = ("", 0)
    size: int = 0
    names: dict[str, int] = field(default_factory=dict)
    component: Any = None
    counted: int = 0
    cards: bool = False

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = self.name or name

    def __call__(self, method: Callable[..., Any]) -> Choice:
        """Makes the decision of a method that carries it out."""
        self.name, self.method = method.__name__, method
        return self

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
        self.cards = hasattr(part, "capacity")
        self.counted = part.capacity if self.cards else getattr(part, "options", 0)
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
    parts = tuple(len(part) if isinstance(part, range) else part for part in options)
    caller = sys._getframe(1)
    return Choice("", parts, None, secret, tuple(continues), forced, (caller.f_code.co_filename, caller.f_lineno))


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
