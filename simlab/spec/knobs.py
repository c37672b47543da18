"""Knobs: the numbers, switches and choices that a designer changes, and weights of dice and cards."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, TypeAlias

import numpy as np
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from simlab.errors import InputError, nearest
from simlab.spec.card_tables import Tables
from simlab.spec.files import read_entry, read_toml

KnobValue: TypeAlias = int | float | bool | str


@dataclass(frozen=True)
class Knob(ABC):
    """A value that a designer changes. Each kind of value is a subclass below, with everything that the lab needs.

    Attributes:
        default: the default value; for a choice, one of `options`.
        low, high: inclusive range of a number.
        options: allowed texts of a choice; the record holds the index.
        rules: IDs of the rules that read the knob.
        switch: True for a ruling that could go the other way.
        table: (table, row key, column) from which the default comes, or None.
        blanks: table whose rows the knob deprives of their effect (BlankKnob, TableSchema.blank), or "".
        luck: True for a knob that weights a die or a card, or worsens a shuffle (Die), and for bans (simlab.spec.bans).
        kind: name of the class in lists. storage: type of its field in the record. is_number: whether it has a range.
        is_ordered: whether neighbouring values have similar effects.
    """

    name: str
    default: KnobValue
    low: float = 0.0
    high: float = 0.0
    options: tuple[str, ...] = ()
    unit: str = ""
    rules: tuple[str, ...] = ()
    help: str = ""
    switch: bool = False
    table: tuple[str, str, str] | None = None
    blanks: str = ""
    luck: bool = False

    kind: ClassVar[str]
    storage: ClassVar[type[np.int64 | np.float64]] = np.int64
    is_number: ClassVar[bool] = False
    is_ordered: ClassVar[bool] = True

    def in_tables(self, tables: Tables, at: str) -> Knob:
        """The knob with the default that stands in its table, if it has one. at: its place, for messages."""
        if self.table is None:
            return self
        return replace(self, default=self.parse(_cell(tables, *self.table, f"{at} [{self.name}]"), at))

    @property
    def choices(self) -> tuple[KnobValue, ...]:
        """The values of a switch or a choice; () for other knobs."""
        return ()

    @property
    @abstractmethod
    def allowed(self) -> str:
        """The allowed values in words."""

    @property
    def example(self) -> str:
        """Example values for varying the knob, written as in a shell."""
        return ",".join(str(value).lower() if isinstance(value, bool) else str(value) for value in self.every() or ())

    def every(self) -> Sequence[KnobValue] | None:
        """All values of the knob; None if there are infinitely many."""
        return self.choices

    def near(self, value: KnobValue, steps: int) -> list[KnobValue]:
        """The values up to `steps` steps to each side, nearest first; for a switch or a choice, all other values."""
        return [other for other in self.choices if other != value]

    def parse(self, value: object, where: str = "") -> KnobValue:
        """Converts a value to the knob's own type.

        Args:
            value: a number, bool or text (as typed in a shell).
            where: the place to name in an error, such as `experiments/walls.toml [knobs]`.
        Raises:
            InputError: wrong type, outside the range, or not one of the options.
        """
        try:
            return self._read(value)
        except ValueError as fault:
            about = f" ({', '.join(self.rules)})" if self.rules else ""
            why = str(fault)
            if not why.startswith(":"):
                why = f" is not allowed: {self.name} takes {self.allowed}{about}. {why}".rstrip()
            raise InputError(f"{f'{where}: ' if where else ''}{self.name} = {value!s}{why}") from None

    @abstractmethod
    def _read(self, value: object) -> KnobValue:
        """The value, as `parse`.

        Raises:
            ValueError: the value is not allowed. The error's text is appended to the list of allowed values; if it
                starts with ":", it replaces the list.
        """

    def encode(self, value: KnobValue) -> int | float:
        """The number that the record holds."""
        return float(value) if self.storage is np.float64 else int(value)

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of its value in an experiment file."""
        return {"type": "string", "description": f"{self.help}: {self.allowed}"}


class NumberKnob(Knob):
    """A number in a range."""

    is_number = True

    @property
    def allowed(self) -> str:
        return f"{self.low:g}..{self.high:g}{f' {self.unit}' if self.unit else ''}"

    def step(self, parts: int) -> float:
        """The distance between neighbouring values: 1 for whole numbers, else the range divided by `parts`."""
        return 1.0 if self.storage is np.int64 else (self.high - self.low) / parts

    def of(self, number: float) -> int | float:
        """Converts a number to the knob's own type."""
        return int(number) if self.storage is np.int64 else number

    def near(self, value: KnobValue, steps: int) -> list[KnobValue]:
        step = self.step(10)
        places = (float(f"{float(value) + side * n * step:.6g}") for n in range(1, steps + 1) for side in (-1, 1))
        return [self.of(place) for place in places if self.low <= place <= self.high]

    def schema(self) -> dict[str, Any]:
        kind = "integer" if self.storage is np.int64 else "number"
        about = {"description": self.help, "default": self.default}
        return {"type": kind, "minimum": self.low, "maximum": self.high, **about}

    def _read(self, value: object) -> KnobValue:
        try:
            number = float("nan" if isinstance(value, bool) else value)  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            raise ValueError from None
        if not self.low <= number <= self.high or self.of(number) != number:  # also refuses NaN
            raise ValueError
        return self.of(number)


class WholeKnob(NumberKnob):
    """A whole number in a range."""

    kind = "int"

    @property
    def example(self) -> str:
        return f"{self.low:g}..{self.high:g}"

    def every(self) -> range:
        return range(math.ceil(self.low), math.floor(self.high) + 1)


class DecimalKnob(NumberKnob):
    """Any number in a range."""

    kind, storage = "float", np.float64

    @property
    def example(self) -> str:
        return f"{self.low:g}..{self.high:g}:{self.step(4):g}"

    def every(self) -> None:
        return None


class SwitchKnob(Knob):
    """On or off."""

    kind = "bool"

    @property
    def choices(self) -> tuple[KnobValue, ...]:
        return False, True

    @property
    def allowed(self) -> str:
        return "true or false"

    def _read(self, value: object) -> KnobValue:
        if isinstance(value, bool):
            return value
        if not isinstance(value, str) or value.lower() not in ("true", "false", "yes", "no", "on", "off"):
            raise ValueError
        return value.lower() in ("true", "yes", "on")

    def schema(self) -> dict[str, Any]:
        return {"type": "boolean", "description": self.help, "default": self.default}


class ChoiceKnob(Knob):
    """One of some texts."""

    kind, is_ordered = "choice", False

    @property
    def choices(self) -> tuple[KnobValue, ...]:
        return self.options

    @property
    def allowed(self) -> str:
        return "one of " + ", ".join(self.options)

    def _read(self, value: object) -> KnobValue:
        text = str(value).lower() if isinstance(value, bool) else str(value)
        if text not in self.options:
            raise ValueError
        return text

    def encode(self, value: KnobValue) -> int:
        return self.options.index(str(value))

    def schema(self) -> dict[str, Any]:
        return {"enum": list(self.options), "description": self.help, "default": self.default}


class BlankKnob(ChoiceKnob):
    """A knob `blank_<table>`: one or more rows of the table, joined by '+', lose their effect."""

    @property
    def allowed(self) -> str:
        return f"{super().allowed}; several joined by '+'"

    def rows(self, value: object) -> list[str]:
        """The rows that a value names, in the order of the table; [] for none."""
        parts = {part.strip() for part in ([str(value)] if value in self.options else str(value).split("+"))}
        return [row for row in self.options[1:] if row in parts]

    def parse(self, value: object, where: str = "") -> KnobValue:
        if value in self.options:
            return str(value)
        for part in str(value).split("+"):
            super().parse(part.strip(), where)
        return "+".join(self.rows(value)) or self.options[0]


class WeightsKnob(Knob):
    """Weights of faces or cards that are drawn; `fair` if all weigh the same."""

    @property
    def example(self) -> str:
        one = self.options[0] if self.options else "6"
        return f"{FAIR},{one}:2,{one}:3"

    def every(self) -> None:
        return None


class FacesKnob(WeightsKnob):
    """Weights of the faces of a die."""

    kind = "weights"

    @property
    def allowed(self) -> str:
        return f"'{FAIR}', or faces and their weights as 6x2+1x0.5 (a 6 twice as often, a 1 half as often)"

    def _read(self, value: object) -> KnobValue:
        weights = read_weights(str(value))
        if not all(re.fullmatch(r"[1-9]\d?", face) and 0 <= weight <= 1e6 for face, weight in weights.items()):
            raise ValueError
        faces = sorted((int(face), weight) for face, weight in weights.items() if weight != 1)
        return "+".join(f"{face}x{weight:g}" for face, weight in faces) or FAIR


class CardsKnob(WeightsKnob):
    """Weights of the cards of a deck, named in `options`."""

    kind = "card_weights"

    @property
    def allowed(self) -> str:
        example = "+".join(f"{name}:{weight:g}" for name, weight in zip(self.options, (2, 0.5), strict=False))
        return f"'{FAIR}', or cards and their weights, 0..{MOST_WEIGHT} by hundredths, as {example}"

    def _read(self, value: object) -> KnobValue:
        weights = read_weights(str(value))
        for name, weight in weights.items():
            if not 0 <= weight <= MOST_WEIGHT:
                raise ValueError(f"A weight is 0 or more and at most {MOST_WEIGHT}; {name} has {weight:.12g}.")
            if abs(100 * weight - round(100 * weight)) > 1e-6:
                raise ValueError(f"{name} weighs {weight:.12g}: hundredths are the finest.")
            if name not in self.options:
                raise ValueError(f": there is no card '{name}'. {nearest(name, self.options)}")
        return "+".join(f"{name}:{weight:g}" for name, weight in sorted(weights.items()) if weight != 1) or FAIR


FAIR = "fair"  #: value of a luck knob: all faces or cards weigh the same
MOST_WEIGHT = 600  #: of a card
_WEIGHT = re.compile(r"(.+?)\s*[x:=]\s*(-?(?:\d+(?:\.\d*)?|\.\d+))")


def read_weights(text: str) -> dict[str, float]:
    """Weights of faces or cards by name, from `6x2+1x0.5` or `red_joker:2+F3:0.5`; {} for `fair`.

    Raises:
        ValueError: the text has another form, or has a name twice; the message names it.
    """
    weights: dict[str, float] = {}
    for part in re.split(r"[+,;]", text) if text.strip().lower() != FAIR else ():
        match = _WEIGHT.fullmatch(part.strip())
        if not match:
            raise ValueError
        if match[1] in weights:
            raise ValueError(f"'{match[1]}' is given twice.")
        weights[match[1]] = float(match[2])
    return weights


class KnobTable(dict[str, Knob]):
    """Knobs by name. Luck knobs (Die) are found by name but are not listed."""

    def __init__(self, knobs: Mapping[str, Knob], luck: Mapping[str, Knob]) -> None:
        super().__init__(knobs)
        self.luck = dict(luck)

    def __missing__(self, name: str) -> Knob:
        return self.luck[name]

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or name in self.luck

    def get(self, name: str, default: Any = None) -> Any:
        return super().get(name, self.luck.get(name, default))


def read_knobs(path: Path, tables: Tables | None = None) -> dict[str, Knob]:
    """The knobs of a game from its knobs.toml.

    A knob's table has `default`, `range = [low, high]` or `options = [..]` (both missing: true or false), `unit`,
    `rules`, `help`, `switch`. `default = {table = "counters", row = "mine", column = "modifier"}` takes the
    printed value from a component table, so the value has a single source.

    Raises:
        InputError: an entry has another form; the message names file and knob.
    """
    return {name: _read_knob(name, entry, f"{path} [{name}]", tables or {}) for name, entry in read_toml(path).items()}


def _two_numbers(given: list[int | float]) -> list[int | float]:
    if len(given) != 2 or not given[0] <= given[1] or max(map(abs, given)) > 1e15:
        raise ValueError
    return given


class _Entry(BaseModel):
    """A knob's table."""

    model_config = ConfigDict(extra="forbid", strict=True)

    default: Any
    rules: list[str]
    help: str
    unit: str = ""
    switch: bool = False
    range: Annotated[list[int | float], AfterValidator(_two_numbers)] | None = None
    options: Annotated[list[str | bool | int | float], Field(min_length=1)] | None = None


_HINTS = {
    "rules": ': list the rules that read it, as ["R-1.1"].',
    "help": '. Write help = "cards in the deck".',
    "unit": '. Write unit = "cards".',
    "switch": ". Write switch = true.",
    "range": ": a range is two numbers, as [1, 6], the lower one first.",
    "options": ': list the values, as ["lose", "stop"].',
}


def _read_knob(name: str, given: object, at: str, tables: Tables) -> Knob:
    if not isinstance(given, dict):
        raise InputError(f"{at}: is not a table. Write [{name}], and below it default, rules and help.")
    if not name.isidentifier() or name in dir(np.recarray):
        raise InputError(f"{at}: a knob needs a name that kernels can use: letters, digits and '_', none of NumPy's.")
    entry = read_entry(_Entry, given, at, _HINTS)
    if entry.range and entry.options:
        raise InputError(f"{at}: has range and options. A number has a range, a choice has options.")
    default, source = entry.default, None
    if isinstance(default, dict):
        if set(default) != {"table", "row", "column"}:
            raise InputError(f'{at}: default takes a value, or {{table = "..", row = "..", column = ".."}}.')
        source = (default["table"], default["row"], default["column"])
        default = _cell(tables, *source, at)
    options = tuple(str(o).lower() if isinstance(o, bool) else str(o) for o in entry.options or ())
    if twice := next((option for option in options if options.count(option) > 1), ""):
        raise InputError(f"{at}: options name '{twice}' twice. Name each once.")
    low, high = map(float, entry.range or (0, len(options) - 1 if options else 1))
    kind: type[Knob] = ChoiceKnob if options else SwitchKnob
    if entry.range:
        kind = DecimalKnob if any(isinstance(v, float) for v in (*entry.range, default)) else WholeKnob
    blank = kind(name, 0, low, high, options, entry.unit, tuple(entry.rules), entry.help)
    return replace(blank, default=blank.parse(default, at), switch=entry.switch, table=source)


def _cell(tables: Tables, table: str, row: str, column: str, at: str) -> str | int:
    if table not in tables:
        raise InputError(f"{at}: default: there is no table '{table}'. {nearest(str(table), tables)}")
    for entry in tables[table]:
        if row in (entry.get("id"), entry.get("name")):
            if column not in entry:
                raise InputError(f"{at}: default: {table} has no column '{column}'. {nearest(str(column), entry)}")
            return entry[column]
    raise InputError(f"{at}: default: the table {table} has no row '{row}'.")
