"""The statistics of a game: their names, descriptions, computation and intervals.

A figure is a share of the games (`besieger_win`), the gap between the seats' win rates, the mean of a number
(`turns_mean`) or a quantile of it (`turns_p90`: 90 % of the games do not exceed it). `Figures` names all figures of a
game; only this class parses such names. Contract, diff, baseline, sweep and report use it.

A statistic is computed from games one by one (`Rows`) or from counts (`Counts`). It declares its interval:

    interval    for a number of games that was fixed beforehand: Wilson, Student, order statistics
    sequence    at any number of games, however often one looks (simlab.stats.sequential)
    change      for its change between two variants on the same seeds (simlab.stats.paired), of either kind
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, ClassVar, Literal, Protocol

import numpy as np

from simlab.errors import InputError, nearest
from simlab.stats.bounded_mean import mean_bounds, mean_interval
from simlab.stats.intervals import Histogram, Reading, level_of_each, quantile_from_histogram, quantile_interval, wilson
from simlab.stats.paired import most_change, share_difference
from simlab.stats.sequential import difference_sequence, mean_sequence, quantile_sequence, share_sequence

Array = np.ndarray[Any, Any]
#: The topic of a figure: `win` for a seat, `side` for seats that win together, `category` for seats with a role or a
#: start place, `winners` for the number of winners.
Topic = Literal["win", "side", "category", "winners", "gap", "ending", "length", "score", "number"]

LENGTH = "turns"  #: name of the number that is the length of a game
QUANTILES = (5, 50, 90, 95)  #: the quantiles that lists show; any quantile from p1 to p99 can be requested
_QUANTILE = re.compile(r"(.+)_p([1-9]\d?)")


def win_name(who: str) -> str:
    """Name of the share of games that a seat, or a side, wins."""
    return f"{who}_win"


def category_win_name(category: str, value: str) -> str:
    """Name of the share that wins, of the seats with a value of a category (simlab.game.SeatCategory), as a role."""
    return win_name(f"{category}_{value}")


def score_name(seat: str) -> str:
    """Name of the number that is a seat's score."""
    return f"score_{seat}"


def quantile_name(number: str, percent: int) -> str:
    """Name of the quantile of a number that `percent` % of the games do not exceed."""
    return f"{number}_p{percent}"


class Measure(Protocol):
    """A number that games report, as declared by simlab.game.Metric."""

    @property
    def help(self) -> str: ...
    @property
    def unit(self) -> str: ...
    @property
    def never(self) -> float | None: ...
    @property
    def codes(self) -> Mapping[int, str]: ...
    @property
    def low(self) -> float | None: ...
    @property
    def high(self) -> float | None: ...


class Rows(Protocol):
    """Games one by one, as in simlab.engine.outcome.GameRows; arrays of shape (games,)."""

    def won(self, seat: int) -> Array:
        """Whether a seat is among the winners."""

    def shared(self) -> Array:
        """Whether several seats win."""

    def nobody(self) -> Array:
        """Whether no seat wins."""

    def column(self, name: str) -> Array:
        """`ending`, its place, or a number by its name: int64, or float64 for a number with decimals."""


class Counts(Protocol):
    """Counted games, as simlab.engine.tally.Tally describes them."""

    @property
    def games(self) -> int: ...
    @property
    def wins(self) -> Array: ...
    @property
    def side_wins(self) -> Array: ...
    @property
    def shared(self) -> int: ...
    @property
    def nobody(self) -> int: ...
    @property
    def endings(self) -> Array: ...
    def histogram(self, name: str) -> Histogram: ...


# --- A figure -------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Figure(ABC):
    """One statistic of a game.

    Attributes:
        name: name in contracts, `besieger_win`.
        words: name in sentences, "wins of the besieger". help: its definition, "share of the games that besieger wins".
        unit: "%" for a share and "points" for a gap of shares, whose values are all in 0..1; else the number's unit.
        about: the seat, side, ending or number that it describes; "" if none.
        column: its source: `winners`, `winner`, `ending`, or a number by its name.
    """

    name: str
    words: str
    help: str
    unit: str
    topic: Topic
    about: str
    column: str

    #: names of `interval` and `sequence`, which `simlab info GAME statistics` lists
    intervals: ClassVar[str]
    #: factor from a value to its unit
    scale: ClassVar[float] = 1.0

    @property
    def short_name(self) -> str:
        """The name in tables of figures: a mean has the name of its number."""
        return self.name

    @property
    def is_rate(self) -> bool:
        """Whether it is a share of the games, or a gap of shares, in 0..1."""
        return self.scale != 1.0

    @abstractmethod
    def interval(self, counts: Counts, level: float = 0.95) -> Reading:
        """The figure and its interval for a number of games fixed beforehand; the value is nan without games."""

    @abstractmethod
    def sequence(self, counts: Counts, level: float = 0.95) -> Reading:
        """The figure and its confidence sequence.

        Raises:
            ValueError: a number lies outside the range that the game states.
        """


class GameFigure(Figure):
    """A figure with a value for each game, so that two variants can be compared game by game."""

    @property
    def where_both(self) -> bool:
        """Whether only games that have the number on both sides count as pairs."""
        return False

    @abstractmethod
    def read(self, rows: Rows) -> Array:
        """The value of each game, shape (games,): bool for a share, else int64."""

    def counted(self, before: Array, after: Array) -> Array:
        """Whether each pair of games counts, shape (games,)."""
        return np.ones(before.size, np.bool_)

    @abstractmethod
    def change(
        self, before: Array, after: Array, level: float = 0.95, sequential: bool = False, stated: bool = True
    ) -> tuple[float, float]:
        """The ends of the interval of its change on the same seeds, from the pairs that count, one or more.

        Args:
            sequential: whether it holds at any number of games; if not, it is for this number of games.
            stated: whether a mean uses the stated range as the most that one game may change.
        """


# --- Shares -----------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Share(GameFigure):
    """The share of the games with a certain event. happens: whether each game has it, bool (games,). count: (games with
    the event, all games).
    """

    happens: Callable[[Rows], Array]
    count: Callable[[Counts], tuple[int, int]]
    intervals = "Wilson; confidence sequence for a share"
    scale = 100.0

    def read(self, rows: Rows) -> Array:
        return np.asarray(self.happens(rows))

    def interval(self, counts: Counts, level: float = 0.95) -> Reading:
        return self._reading(counts, wilson, level)

    def sequence(self, counts: Counts, level: float = 0.95) -> Reading:
        return self._reading(counts, share_sequence, level)

    def _reading(self, counts: Counts, ends: Callable[[int, int, float], Array], level: float) -> Reading:
        count, games = self.count(counts)
        return Reading(count / games if games else math.nan, *ends(count, games, level).tolist())

    def change(
        self, before: Array, after: Array, level: float = 0.95, sequential: bool = False, stated: bool = True
    ) -> tuple[float, float]:
        more, less = int((~before & after).sum()), int((before & ~after).sum())
        low, high = (difference_sequence if sequential else share_difference)(more, less, before.size, level)
        return float(low), float(high)


@dataclass(frozen=True, eq=False)
class Gap(Figure):
    """The largest difference between the win rates of two seats."""

    intervals = "confidence sequences for the differences of all pairs of seats"
    scale = 100.0

    def interval(self, counts: Counts, level: float = 0.95) -> Reading:
        """The same interval as `sequence`, which is wider than necessary here."""
        return self.sequence(counts, level)

    def sequence(self, counts: Counts, level: float = 0.95) -> Reading:
        wins, games = np.asarray(counts.wins, np.float64), counts.games
        one, other = np.triu_indices(wins.size, 1)
        if not one.size:
            return Reading(0.0, 0.0, 0.0)
        # Games that both win carry no information on the gap. They were not counted: the smallest possible number gives
        # the widest interval.
        both = np.maximum(wins[one] + wins[other] - games, 0.0)
        ends = difference_sequence(wins[one] - both, wins[other] - both, games, self.pair_level(wins, level))
        low = max(0.0, float(ends[:, 0].max()), -float(ends[:, 1].min()))
        return Reading(float(np.ptp(wins)) / games if games else 0.0, low, float(np.abs(ends).max()))

    @staticmethod
    def pair_level(wins: Array, level: float) -> float:
        """The level for each pair of seats; the pairs share the error probability (Bonferroni)."""
        return level_of_each(level, math.comb(len(wins), 2))


# --- Means and quantiles ------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _OfNumber(Figure):
    """A figure computed from the games that have a certain number."""

    measure: Measure

    def histogram(self, counts: Counts) -> Histogram:
        """Histogram of the number over the games that have it: (values, games)."""
        values, games = counts.histogram(self.column)
        there = values != self.measure.never
        return (values, games) if self.measure.never is None else (values[there], games[there])


@dataclass(frozen=True, eq=False)
class Mean(_OfNumber, GameFigure):
    """The mean of a number."""

    intervals = "Student, or Gaffke where values are rare or very skewed; confidence sequence for a bounded mean"

    @property
    def short_name(self) -> str:
        return self.column

    @property
    def where_both(self) -> bool:
        return self.measure.never is not None

    def read(self, rows: Rows) -> Array:
        return rows.column(self.column)

    def counted(self, before: Array, after: Array) -> Array:
        if self.measure.never is None:
            return super().counted(before, after)
        return np.asarray((before != self.measure.never) & (after != self.measure.never))

    def interval(self, counts: Counts, level: float = 0.95) -> Reading:
        return mean_interval(*self.histogram(counts), self.measure.low, self.measure.high, level)

    def sequence(self, counts: Counts, level: float = 0.95) -> Reading:
        return Reading(*mean_sequence(*self.histogram(counts), level, self.measure.low, self.measure.high))

    def most_change(
        self, before: Array, after: Array, level: float, stated: bool = True, games: float | None = None
    ) -> float:
        """The most by which one game may change the number; see simlab.stats.paired.most_change."""
        low, high = (self.measure.low, self.measure.high) if stated else (None, None)
        return most_change(before, after, level, low, high, games)

    def change(
        self, before: Array, after: Array, level: float = 0.95, sequential: bool = False, stated: bool = True
    ) -> tuple[float, float]:
        most = self.most_change(before, after, level, stated)
        values, counts = np.unique(after - before, return_counts=True)
        if sequential:
            return mean_sequence(values, counts, level, -most, most)[1:]
        low, high = mean_bounds(values, counts, -most, most, level)
        return float(low), float(high)


class Category(Protocol):
    """A property of a seat that changes from game to game, as declared by simlab.game.SeatCategory."""

    @property
    def name(self) -> str: ...
    @property
    def help(self) -> str: ...
    @property
    def values(self) -> Sequence[str]: ...


@dataclass(frozen=True)
class _ShareOfSeats:
    """The measure of a SeatShare: a number in 0..1, or -1 in a game in which no seat has the value."""

    help: str
    unit: str = "%"
    never: float = -1.0
    codes: Mapping[int, str] = field(default_factory=dict)
    low: float = 0.0
    high: float = 1.0


@dataclass(frozen=True, eq=False)
class SeatShare(Mean):
    """Of the seats with a value of a category, such as a role, the share that win: mean over the games with such a
    seat. It is the share of those games that the seat wins, if one seat at most has the value.
    """

    intervals = "Student, or Gaffke where wins are rare; confidence sequence for a bounded mean"
    scale = 100.0

    @property
    def short_name(self) -> str:
        return self.name


@dataclass(frozen=True, eq=False)
class Quantile(_OfNumber):
    """The value of a number that a share of the games does not exceed."""

    percent: int
    intervals = "order statistics; confidence sequence for a quantile"

    @property
    def q(self) -> float:
        """The share, in 0..1."""
        return self.percent / 100

    def interval(self, counts: Counts, level: float = 0.95) -> Reading:
        histogram = self.histogram(counts)
        return Reading(quantile_from_histogram(*histogram, self.q), *quantile_interval(*histogram, self.q, level))

    def sequence(self, counts: Counts, level: float = 0.95) -> Reading:
        return Reading(*quantile_sequence(*self.histogram(counts), self.q, level))


# --- All figures of a game ------------------------------------------------------------


class Figures(dict[str, Figure]):
    """The figures of a game by name, in the order of lists; quantiles are listed for `QUANTILES` only.

    Args:
        measures: the numbers that games report, by name; `turns` is the length.
        sides: (name, numbers of its seats, verb when it wins) of each side, as from simlab.engine.outcome.sides_of.
        article: the word before a seat in a sentence; "" if the seats have names. game: its name, for errors.
        side_endings: places of the endings in which each side can win; if empty, all.
        categories: properties of seats that change from game to game, such as roles. A value `none` has no figure.
    """

    def __init__(
        self,
        seats: Sequence[str],
        endings: Sequence[str],
        measures: Mapping[str, Measure],
        sides: Sequence[tuple[str, tuple[int, ...], str]] = (),
        article: str = "the",
        game: str = "the game",
        side_endings: Sequence[tuple[int, ...]] = (),
        categories: Sequence[Category] = (),
    ) -> None:
        limits = [None if len(places) == len(endings) else places for places in side_endings] or [None] * len(sides)
        self.game, self.measures = game, dict(measures)
        scores = {score_name(seat) for seat in seats}
        self._topics: dict[str, Topic] = {
            name: "length" if name == LENGTH else "score" if name in scores else "number" for name in measures
        }
        #: for each seat, in order, whether it wins
        self.wins: list[Share] = [
            _share(
                win_name(seat), f"wins of {f'{article} {_words(seat)}'.lstrip()}", "win", seat, "winners",
                _seat_wins(place), f"share of the games that {seat} wins",
            )
            for place, seat in enumerate(seats)
        ]  # fmt: skip
        #: for each side with several seats, whether it wins
        self.sides: list[Share] = [
            _share(
                win_name(name), f"games in which the {_words(name)} {wins}", "side", name, "winners",
                _side_wins(side, places, limits[side]), f"share of the games in which {name} {wins}",
            )
            for side, (name, places, wins) in enumerate(sides)
            if len(places) > 1 and name not in seats
        ]  # fmt: skip
        #: for each value of each category, how many of its seats win
        self.categories: list[SeatShare] = [
            _share_of_seats(category, value) for category in categories for value in category.values if value != "none"
        ]
        self.undecided, self.shared, self.nobody = (
            _share(name, words, "winners", "", "winner", occurrence) for name, words, occurrence in _WINNERS
        )
        self.gap = Gap(
            "seat_gap", "gap between the seats' win rates", "highest win rate of a seat minus the lowest", "points",
            "gap", "", "winners",
        )  # fmt: skip
        self.endings: list[Share] = [
            _share(
                f"ending_{ending}", f"games that end by {_words(ending)}", "ending", ending, "ending", _ends(place),
                f"share of the games that end by {ending}",
            )
            for place, ending in enumerate(endings)
        ]  # fmt: skip
        self._of = {name: self._figures_of(name, measure) for name, measure in measures.items()}
        length = self._of.get(LENGTH, [])
        others = [figure for name, figures in self._of.items() if name != LENGTH for figure in figures]
        winners = [self.undecided, self.shared, self.nobody] if len(seats) > 1 else [self.undecided]
        listed = [
            *self.wins, *self.sides, *self.categories, *winners, self.gap, *length, *self.endings, *others
        ]  # fmt: skip
        for figure in listed:
            self.setdefault(figure.name, figure)  # the first figure with a name keeps it

    def of(self, number: str) -> list[Figure]:
        """The figures of a number: its mean and quantiles, preceded by the share of games that have the number, if not
        all do. For a category: the share of each code.
        """
        return self._of[number]

    @cached_property
    def by_game(self) -> list[GameFigure]:
        """The figures by which two variants are compared game by game: each fact only once, and no quantiles.

        If seats win together, several winners are not a draw; then only games that nobody wins count as draws.
        """
        lost = self.nobody if self.sides else self.undecided
        numbers = [figure for figures in self._of.values() for figure in figures if isinstance(figure, GameFigure)]
        return [*self.wins, *self.sides, *self.categories, lost, *self.endings, *numbers]

    def find(self, name: str, where: str) -> Figure:
        """A figure by its name; any quantile from p1 to p99.

        Args:
            where: the source of the name, for the error.
        Raises:
            InputError: no figure has that name; the message names the nearest one, or the figures of a category.
        """
        if name in self:
            return self[name]
        asked = _QUANTILE.fullmatch(name)
        number = asked[1] if asked else name.removesuffix("_mean")
        measure = self.measures.get(number)
        if measure is not None and measure.codes:
            raise InputError(
                f"{where}: {number} is a category: its numbers are names, and have no mean and no quantile. Ask for a "
                f"share: {', '.join(figure.name for figure in self.of(number))}."
            )
        if measure is not None and asked:
            return self._quantile(number, measure, int(asked[2]))
        raise InputError(f"{where}: {self.game} has no statistic '{name}'. {nearest(name, list(self))}")

    def has(self, name: str) -> bool:
        """Whether `find` finds it."""
        try:
            self.find(name, "")
        except InputError:
            return False
        return True

    @property
    def quantile_pattern(self) -> str:
        """The names of all quantiles as a regular expression, for JSON Schema."""
        return "^(" + "|".join(name for name, measure in self.measures.items() if not measure.codes) + ")_p[1-9][0-9]?$"

    @property
    def pattern_words(self) -> str:
        """A sentence about the quantiles that can be requested in addition to those listed."""
        number = next((name for name in (LENGTH, *self.measures) if name in self.measures), None)
        return f"Any other quantile from p1 to p99 is accepted, as {quantile_name(number, 33)}." if number else ""

    def _figures_of(self, name: str, measure: Measure) -> list[Figure]:
        about = f": {measure.help}" if measure.help else ""
        topic = self._topics[name]
        if measure.codes:
            return [
                _share(
                    f"{name}_is_{word}", f"games with {_words(name)} {_words(word)}", topic, name, name,
                    _value(name, partial(np.equal, code)), f"share of the games with {name} {_words(word)}{about}",
                )
                for code, word in measure.codes.items()
            ]  # fmt: skip
        figures: list[Figure] = []
        if measure.never is not None:
            has_one = _value(name, partial(np.not_equal, measure.never))
            help_ = f"share of the games with a {name}{about}"
            figures.append(_share(f"{name}_share", f"games with a {_words(name)}", topic, name, name, has_one, help_))
        words = f"mean length in {measure.unit}" if topic == "length" else f"mean of {_words(name)}"
        text = f"mean of {name} over {_among(measure)}{about}"
        figures.append(Mean(f"{name}_mean", words, text, measure.unit, topic, name, name, measure))
        return [*figures, *(self._quantile(name, measure, percent) for percent in QUANTILES)]

    def _quantile(self, name: str, measure: Measure, percent: int) -> Quantile:
        about = f": {measure.help}" if measure.help else ""
        topic = self._topics[name]
        text = f"{name} that {percent} % of {_among(measure)} do not exceed{about}"
        number = "length" if topic == "length" else _words(name)
        words = f"{number} that {percent} % of games do not exceed"
        if percent == 50:
            words = f"median length in {measure.unit}" if topic == "length" else f"median of {number}"
        return Quantile(quantile_name(name, percent), words, text, measure.unit, topic, name, name, measure, percent)


Occurrence = tuple[Callable[[Rows], Array], Callable[[Counts], tuple[int, int]]]  #: as Share takes it


_WINNERS: tuple[tuple[str, str, Occurrence], ...] = (
    ("draw_rate", "games without a single winner", (
        lambda rows: rows.shared() | rows.nobody(), lambda counts: (counts.shared + counts.nobody, counts.games),
    )),
    ("shared_rate", "games that several seats win", (
        lambda rows: rows.shared(), lambda counts: (counts.shared, counts.games),
    )),
    ("nobody_rate", "games that nobody wins", (
        lambda rows: rows.nobody(), lambda counts: (counts.nobody, counts.games),
    )),
)  # fmt: skip


def _share(
    name: str, words: str, topic: Topic, about: str, column: str, occurrence: Occurrence, help_: str = ""
) -> Share:
    return Share(name, words, help_ or f"share of the {words}", "%", topic, about, column, *occurrence)


def _share_of_seats(category: Category, value: str) -> SeatShare:
    name, kind = category_win_name(category.name, value), f"{_words(category.name)} {_words(value)}"
    about = f"share of the seats with the {kind} that win, mean over the games with one: {category.help}"
    return SeatShare(
        name, f"wins of seats with the {kind}", about, "%", "category", kind, name, _ShareOfSeats(category.help)
    )


def _seat_wins(place: int) -> Occurrence:
    return lambda rows: rows.won(place), lambda counts: (int(counts.wins[place]), counts.games)


def _side_wins(side: int, places: Sequence[int], endings: Sequence[int] | None) -> Occurrence:
    """Whether a side wins: one of its seats is among the winners, in an ending that allows it (None: any ending)."""

    def happens(rows: Rows) -> Array:
        won: Array = np.logical_or.reduce([rows.won(place) for place in places])
        return won if endings is None else won & np.isin(rows.column("ending"), endings)

    return happens, lambda counts: (int(counts.side_wins[side]), counts.games)


def _ends(place: int) -> Occurrence:
    return lambda rows: rows.column("ending") == place, lambda counts: (int(counts.endings[place]), counts.games)


def _value(number: str, wanted: Callable[[Array], Array]) -> Occurrence:

    def count(counts: Counts) -> tuple[int, int]:
        values, games = counts.histogram(number)
        return round(games[wanted(values)].sum()), round(games.sum())

    return lambda rows: wanted(rows.column(number)), count


def _among(measure: Measure) -> str:
    return "the games" if measure.never is None else "the games with one"


def _words(name: str) -> str:
    return name.replace("_", " ")
