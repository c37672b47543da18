"""The measurements of a game: metrics, tracks, categories of seats."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np

Number: TypeAlias = int | float  #: displayed differently, and read back from JSON as the same type
MetricKind: TypeAlias = Literal["number", "if_happened", "category"]


@dataclass(frozen=True)
class Metric:
    """A number that the game reports for each finished game, as a column of the results. It is whole unless it has
    decimals.

    Most are plain numbers: counts, points, levels. Two kinds are not plain numbers and must be declared, because a mean
    over codes is meaningless:

        Metric("first_hunger", "first turn with hunger", "turn", never=0)      a number if it happened
        Metric("fell_in", "phase of the fall", codes={0: "none", 1: "fate"})   a category

    Attributes:
        never: the value that means "it did not happen"; None for a number that every game has. Games with this value
            count in the share of games in which it happened, but not in the mean.
        codes: value -> name, for a category; names are lower-case words joined by `_`, like the names of endings.
        low, high: range of the value for all knobs, without `never`; None if not stated. Intervals of means that hold
            at any number of games need this range: without `high` they have no upper end, without `low` no lower end.
            `simlab dev check-game` reports values outside the range.
        part_of: the seat whose score includes this number; "" for none.
        decimals: decimal places, 0..6; the value is rounded to them, so that values can be counted. For a
            game's own metric, `outcome` rounds.
    Raises:
        ValueError: a category has decimals, there are more than 6 decimals, both `never` and `codes` are given, the
            range is empty, contains `never` or is combined with `codes`, or the names of codes are not distinct words.
    """

    name: str
    help: str
    unit: str = ""
    never: Number | None = None
    codes: Mapping[int, str] = field(default_factory=dict)
    low: Number | None = None
    high: Number | None = None
    part_of: str = ""
    decimals: int = 0

    def __post_init__(self) -> None:
        at = f"metric {self.name}"
        if isinstance(self.decimals, bool) or not isinstance(self.decimals, int) or not 0 <= self.decimals <= 6:
            raise ValueError(f"{at}: decimals = {self.decimals!r} is not allowed: use a whole number in 0..6")
        for key, end in (("never", self.never), ("low", self.low), ("high", self.high)):
            if end is None or isinstance(end, int) or (self.decimals and math.isfinite(end)):
                continue
            why = "is a whole number; a metric with decimals=2 may have others" if not self.decimals else "is a number"
            raise ValueError(f"{at}: {key} = {end!r} is not allowed: it {why}")
        if self.codes and self.decimals:
            raise ValueError(f"{at}: a category has codes, and no decimals")
        if self.codes and (self.never is not None or self.low is not None or self.high is not None):
            raise ValueError(f"{at}: a category has codes alone, no never, low or high")
        names = list(self.codes.values())
        for name in names:
            if not re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+)*", name):
                raise ValueError(f"{at}: {name!r} names a code; use lower-case words joined by _")
            if names.count(name) > 1:
                raise ValueError(f"{at}: two codes are called {name!r}")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ValueError(f"{at}: low = {self.low} is above high = {self.high}")
        if self.never is not None and (self.low, self.high) != (None, None) and self.in_range(self.never):
            raise ValueError(f"{at}: never = {self.never} lies in the range {self.range_text} of regular values")

    @property
    def kind(self) -> MetricKind:
        """`number`, `if_happened` (a number if it happened) or `category`."""
        if self.codes:
            return "category"
        return "number" if self.never is None else "if_happened"

    @property
    def row_kind(self) -> type[np.int32 | np.float64]:
        """Type of its column in the rows of games."""
        return np.float64 if self.decimals else np.int32

    def in_range(self, value: float) -> bool:
        """Whether a value lies in the stated range; a missing end does not limit it."""
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)

    def allows(self, value: float) -> bool:
        """Whether a finished game may report the value: a code, `never`, or a number in the stated range."""
        if self.codes:
            return value in self.codes
        if not math.isfinite(value) or value != math.floor(value * 10.0**self.decimals + 0.5) / 10.0**self.decimals:
            return False
        return value == self.never or self.in_range(value)

    def value_text(self, value: float) -> str:
        """A value as a person reads it: the name of a code, or `never`."""
        if self.codes:
            return self.codes.get(int(value), str(value))
        if value == self.never:
            return "never"
        return f"{value:.{self.decimals}f}" if self.decimals else str(value)

    @property
    def range_text(self) -> str:
        """The allowed values in words (see `allows`)."""
        if self.codes:
            return ", ".join(f"{value} ({name})" for value, name in self.codes.items())
        ends = ("" if self.low is None else f"{self.low}") + ".." + ("" if self.high is None else f"{self.high}")
        every = f"any number of at most {self.decimals} decimals" if self.decimals else "any whole number"
        return every if ends == ".." else ends


def the_seat(game: Any, seat: str) -> str:
    """A seat of a game (or of the names in a results folder) within a sentence: "the besieger", but "ann"."""
    return f"{game.article} {seat}".lstrip()


def measures_of(game: Any) -> dict[str, Metric]:
    """The length, decisions, scores and metrics of a Game, or of the game in a results folder."""
    from simlab.stats.figure import score_name

    low, high = game.score_range
    scores = [
        Metric(score_name(seat), f"score of {the_seat(game, seat)}", "", None, {}, low, high) for seat in game.seats
    ]
    turns = f"{game.turn_name}s"
    return {
        "turns": Metric("turns", f"length in {turns}", turns, low=0, high=game.max_turns),
        "decisions": Metric("decisions", "decisions of all seats", low=0, high=game.max_decisions or None),
        **{metric.name: metric for metric in (scores if game.has_scores else [])},
        **{metric.name: metric for metric in game.metrics},
    }


@dataclass(frozen=True)
class Track:
    """A number tracked over the turns, shown as quantile bands. Values outside low..high count as the nearest end."""

    name: str
    low: int
    high: int
    help: str = ""


@dataclass(frozen=True)
class SeatCategory:
    """A property of a seat that changes from game to game: its role, its start place, its place in the order of play.

    `outcome` writes it for each seat: `row.category[c, seat]` is the position in `values`, where c is the position in
    `Game.seat_categories`. The lab shows how often the seats of each value win, against the share of an average seat.

    Attributes:
        name: with a seat appended, it names a column, such as `role_ann`.
        help: description, such as "role dealt at the start".
        values: names of the values: lower-case words joined by `_`, like the names of endings. Use "none" if a seat may
            have no value. Put it first if the other values depend on the number of players, because a smaller player
            count must have the first values of a larger one.
    Raises:
        ValueError: the names are not distinct words.
    """

    name: str
    help: str
    values: tuple[str, ...]

    def __post_init__(self) -> None:
        for name in (self.name, *self.values):
            if not re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+)*", name):
                raise ValueError(f"seat category {self.name}: {name!r} is not a name; use lower-case words joined by _")
        if not self.values or len(set(self.values)) < len(self.values):
            raise ValueError(f"seat category {self.name}: name each value, and each once")
