"""The numbers that a class reports: metrics at the end of a game, tracks over its turns, and who is ahead.

A field declares them with `metric` and `track`, and a method that computes a number with a line above it:

    @track("cards in the Besieger's deck", low=0, high=40)
    def besieger_cards(self): ...

With one number for each seat, each seat has a column or a track of its own, such as `left_ann`.
"""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from simlab.author.fields import LEAST, MOST, SEATS, Field
from simlab.errors import InputError
from simlab.spec.metrics import Metric, Track

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Measure:
    """A metric or a track of a class.

    Attributes:
        kind: `metric` or `track`.
        low, high: range; a track needs both.
        names: names of the values of a metric, for a category.
        lead: whether the seat with the highest number is ahead.
        name: of the column, without the seat. each: whether it is one number for each seat.
        source: the field or method. line: of the method in its file; 0 for a field.
    """

    kind: str
    help: str
    low: int | None = None
    high: int | None = None
    unit: str = ""
    names: tuple[str, ...] = ()
    lead: bool = False
    name: str = ""
    each: bool = False
    source: str = ""
    line: int = 0

    def columns(self, seats: Sequence[str]) -> list[str]:
        """Names of its columns or tracks."""
        return [re.sub(r"\W+", "_", f"{self.name}_{seat}") for seat in seats] if self.each else [self.name]

    def texts(self, seats: Sequence[str]) -> list[str]:
        """What each column or track shows."""
        return [f"{seat}'s {self.help}" for seat in seats] if self.each else [self.help]

    def value(self, seat: str) -> str:
        """Its value in the code of a kernel; seat: the number of the seat there."""
        if not self.line:
            return f"_int(state.{self.source}{f'[{seat}]' if self.each else ''})"
        call = f"game__{self.source}(state, knobs, cards{f', {seat}' if self.each else ''})"
        return f"_checked_stored({call}, _int({LEAST}), _int({MOST}), _int({self.line}))"

    def of_game(self, game: Any, seat: int) -> int:
        """Its value in a plain game."""
        found = getattr(game, self.source)
        if not self.line:
            return int(found[seat] if self.each else found)
        value = found(seat) if self.each else found()
        if int(value) != value:
            raise ValueError(
                f"{self.source}() returns {value!r}, and reports show whole numbers: divide with //, or round"
            )
        return int(value)


def metric(
    help: str,  # noqa: A002 - as in a call
    *,
    low: int | None = None,
    high: int | None = None,
    unit: str = "",
    names: tuple[str, ...] = (),
) -> Callable[[F], F]:
    """Reports what a method computes at the end of a game as a column of the results.

        @metric("cards left in the Besieger's deck", low=0, high=40, unit="cards")
        def besieger_cards(self): ...

    A method with a parameter `seat` gives each seat a column of its own.

    Args:
        low, high: range; another number is an error.
        names: names of the numbers from 0, for a category.
    """
    return _above(Measure("metric", help, low, high, unit, tuple(names)))


def track(help: str, *, low: int, high: int, lead: bool = False) -> Callable[[F], F]:  # noqa: A002 - as in a call
    """Reports what a method computes at the start of each turn, as a chart over the turns.

        @track("cards in the deck", low=0, high=40)
        def cards_left(self, seat): ...

    A method with a parameter `seat` gives each seat a track of its own.

    Args:
        low, high: range of the chart; values outside it count as the nearest end.
        lead: whether the seat with the highest number is ahead.
    """
    return _above(Measure("track", help, low, high, lead=lead))


def _above(measure: Measure) -> Callable[[F], F]:
    def declare(method: F) -> F:
        vars(method)["measures"] = (measure, *getattr(method, "measures", ()))
        return method

    return declare


def measures_of(owner: type, fields: Mapping[str, Field], file: object) -> tuple[Measure, ...]:
    """The metrics and tracks of a class, in the order of its declarations.

    Args:
        fields: the class's fields. file: its file, for messages.
    Raises:
        InputError: a declaration cannot be used; the message names it.
    """
    found = [measure for name, field in fields.items() for measure in _of_field(name, field, file)]
    methods: dict[str, tuple[Measure, ...]] = {}
    for base in reversed(owner.__mro__):
        for name, value in vars(base).items():
            if isinstance(value, types.FunctionType) and hasattr(value, "measures"):
                methods[name] = _of_method(name, value)
    found += [measure for several in methods.values() for measure in several]
    score = getattr(owner, "score", None)
    limits = getattr(owner, "score_range", None)
    ahead = [measure for measure in found if measure.lead]
    if score is not None and limits and not any(field.score and field.track for field in fields.values()):
        line = score.__code__.co_firstlineno
        points = Measure("track", "points", limits[0], limits[1], name="points", each=True, source="score", line=line)
        found.insert(0, replace(points, lead=not ahead))
    if len(ahead) > 1:
        raise InputError(f"{file}: {ahead[0].name} and {ahead[1].name} both declare lead=True. One says who is ahead.")
    return tuple(found)


def _of_field(name: str, field: Field, file: object) -> Iterator[Measure]:
    each = field.shape == (SEATS,)
    known: dict[str, Any] = {"name": name, "each": each, "source": name}
    if (field.metric or field.track) and field.shape and not each:
        raise InputError(
            f"{file}: {name} has several numbers, and a metric or track is one, or one for each seat. Write a method "
            'that computes it: @metric("...") above def total(self).'
        )
    if field.lead and not (field.track or isinstance(field.score, tuple)):
        raise InputError(f"{file}: {name} declares lead=True and no track: track='points', low=0, high=100.")
    names = field.names if isinstance(field.names, tuple) else ()
    if field.metric and not field.is_category:
        ends = (None, None) if names else (field.low, field.high)
        yield Measure("metric", field.metric, *ends, field.unit, names, **known)
    if field.track:
        limits = field.limits(name)
        if LEAST in limits[1:] or MOST in limits[1:]:
            raise InputError(f"{file}: the track of {name} needs the range of its chart: low=0, high=40.")
        yield Measure("track", field.track, limits.low, limits.high, lead=field.lead, **known)


def _of_method(name: str, method: types.FunctionType) -> tuple[Measure, ...]:
    where = f"{method.__code__.co_filename}, line {method.__code__.co_firstlineno}: {name}()"
    parameters = list(inspect.signature(method).parameters)
    if parameters not in (["self"], ["self", "seat"]):
        raise InputError(f"{where} is a metric or track: write def {name}(self), or def {name}(self, seat).")
    each, line = len(parameters) > 1, method.__code__.co_firstlineno
    for measure in vars(method)["measures"]:
        if measure.lead and not each:
            raise InputError(f"{where} declares lead=True: it needs a number for each seat: def {name}(self, seat).")
    return tuple(replace(measure, name=name, each=each, source=name, line=line) for measure in vars(method)["measures"])


def offsets(measures: Sequence[Measure]) -> Iterator[tuple[Measure, int, int]]:
    """Each track with the numbers of tracks before it: those of the whole game, and those of each seat."""
    single = each = 0
    for measure in measures:
        if measure.kind == "track":
            yield measure, single, each
            single, each = single + (not measure.each), each + measure.each


def source_of_outcome(measures: Sequence[Measure], seats: Sequence[str]) -> str:
    """The outcome of a game with metrics for each seat: their columns depend on the number of players."""
    lines = [f"@kernel\ndef outcome_{len(seats)}(state, knobs, cards, row):", "    outcome(state, knobs, cards, row)"]
    for measure in measures:
        if measure.kind == "metric" and measure.each:
            columns = enumerate(measure.columns(seats))
            lines += [f"    row.{column} = {measure.value(f'_int({seat})')}" for seat, column in columns]
    return "\n".join(lines)


def metrics_of(measures: Sequence[Measure], seats: Sequence[str]) -> tuple[Metric, ...]:
    """The metrics for the contract."""
    return tuple(
        Metric(column, text, measure.unit, codes=dict(enumerate(measure.names)), low=measure.low, high=measure.high)
        for measure in measures if measure.kind == "metric"
        for column, text in zip(measure.columns(seats), measure.texts(seats), strict=True)
    )  # fmt: skip


def tracks_of(measures: Sequence[Measure], seats: Sequence[str], lead: bool = False) -> tuple[Track, ...]:
    """The tracks for the contract. lead: only those that say who is ahead."""
    return tuple(
        Track(column, measure.low or 0, measure.high or 0, text)
        for measure in measures if measure.kind == "track" and (measure.lead or not lead)
        for column, text in zip(measure.columns(seats), measure.texts(seats), strict=True)
    )  # fmt: skip
