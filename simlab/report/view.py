"""What the report reads of results: names, cells and exact counts, whatever the game.

Two things are settled here for the whole report. Texts come from strangers' folders: they are cut, and
stripped of what is not printable. And cells of one run play the same seeds, so their luck is shared: a figure
pooled over cells is worth fewer games than it counts. Where the rows of the games are there, the shared luck
is measured; where they are not, `Pool` takes the worst case, as if all cells had played the very same games.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from simlab.engine import outcome
from simlab.engine.outcome import sides_of
from simlab.engine.tally import Tally
from simlab.errors import UserMistake
from simlab.game import MetricKind
from simlab.runs.store import Names
from simlab.stats.clusters import Ratio, clustered_ratio
from simlab.stats.figure import Figures
from simlab.stats.intervals import (
    Floats,
    mean_from_histogram,
    quantile_from_histogram,
    quantile_interval,
    student_quantile,
    wilson,
)
from simlab.stats.verdict import digits_for

Ints = npt.NDArray[np.int64]
Histogram = tuple[Ints, Ints]

LEVEL = 0.95  #: of the report's intervals
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)  #: of the scores of an ending
MANY = 12  #: more cells than this are shown in groups
_MOST_ROWS, _MOST_CELLS = 5_000_000, 400  # up to here the rows of the games are read
_FEWEST = 100  # games below which shared luck cannot be measured
LONGEST = 2_000  #: characters that a text of a rule may have in the report


class CellLike(Protocol):
    """simlab.runs.results.CellResult, as far as the report reads it."""

    @property
    def key(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def knobs(self) -> Mapping[str, Any]: ...
    @property
    def varied(self) -> Mapping[str, Any]: ...
    @property
    def bots(self) -> Mapping[str, str]: ...
    @property
    def games(self) -> int: ...
    @property
    def tally(self) -> Any: ...


class ResultsLike(Protocol):
    """simlab.runs.results.Results, as far as the report reads it."""

    @property
    def experiment(self) -> Mapping[str, Any]: ...
    @property
    def manifest(self) -> Mapping[str, Any]: ...
    @property
    def cells(self) -> Sequence[Any]: ...


# --- Texts --------------------------------------------------------------------


def plain(value: object, limit: int = 200) -> str:
    """A text in one line, without control characters, cut in the middle when longer than `limit`."""
    text = str(value)[: 4 * limit + 1000]
    kept = [" " if unicodedata.category(c)[0] in "CZ" else c for c in text.encode("utf-8", "replace").decode()]
    return short(" ".join("".join(kept).split()), limit)


def short(text: str, limit: int) -> str:
    """The text, or its beginning and end with an ellipsis between."""
    if len(text) <= limit:
        return text
    head = (limit - 1) * 2 // 3
    return f"{text[:head]}…{text[len(text) - (limit - 1 - head) :]}"


def words(name: object) -> str:
    """A name as people write it: `besieger_deck` as "besieger deck"."""
    return plain(name).replace("_", " ")


def value_text(value: object) -> str:
    """A knob's value as the command line takes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.6g}"
    return plain(value, 40)


def number(value: float, width: float = 0.0, unit: str = "") -> str:
    """A number with the decimals that an interval so wide allows."""
    if not math.isfinite(value):
        return "–"
    text = f"{value:,.{digits_for(width)}f}" if width > 0 else f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.0f}"
    return f"{text} {unit}".rstrip()


@dataclass(frozen=True)
class Estimate:
    """A figure with its interval.

    Attributes:
        value, low, high: rates in [0, 1], or numbers in the figure's own unit; an open end is infinite.
        rate: whether it is a rate, shown in per cent.
    """

    value: float
    low: float
    high: float
    rate: bool = True

    @property
    def _scale(self) -> float:
        return 100.0 if self.rate else 1.0

    def _number(self, value: float) -> str:
        width = (self.high - self.low) * self._scale
        if math.isinf(width):
            width = abs(value * self._scale) / 4  # one end is open: two or three figures say what is known
        if not math.isfinite(value):
            return "–"
        text = f"{value * self._scale:,.{min(digits_for(width), 3)}f}"
        return text.replace("-", "−") if float(text.replace(",", "")) else text.lstrip("-")

    @property
    def text(self) -> str:
        """The figure alone: `58.3 %`."""
        return self._number(self.value) + (" %" if self.rate and math.isfinite(self.value) else "")

    @property
    def ends(self) -> str:
        """Its interval: `57.9–58.7`."""
        between = " to " if self.low < 0 else "–"
        return f"{self._number(self.low)}{between}{self._number(self.high)}"

    @property
    def one_sided(self) -> str:
        """What an interval with one end says: `below −310`; empty where it has both or none."""
        unit = " %" if self.rate else ""
        if self.low == -math.inf and math.isfinite(self.high):
            return f"below {self._number(self.high)}{unit}"
        if self.high == math.inf and math.isfinite(self.low):
            return f"above {self._number(self.low)}{unit}"
        return ""

    @property
    def full(self) -> str:
        """Both: `58.3 % (57.9–58.7)`; `below −310` where there is neither a best estimate nor a lower end."""
        if not math.isfinite(self.value):
            return (self.one_sided if math.isinf(self.value) else "") or "–"
        return f"{self.text} ({self.one_sided or self.ends})"

    @property
    def inner(self) -> str:
        """Both, for inside brackets: `58.3 %, 57.9–58.7`."""
        if not math.isfinite(self.value):
            return self.full
        return f"{self.text}, {self.one_sided or self.ends}"


def estimate_of(ends: Iterable[float], scale: float = 1.0, rate: bool = True) -> Estimate:
    """An estimate out of (value, low, high), each times `scale`."""
    value, low, high = (scale * float(end) for end in ends)
    return Estimate(value, low, high, rate)


def share_of(count: float, total: float, level: float = LEVEL) -> Estimate:
    """A share of games with Wilson's interval; `total` need not be whole."""
    if total <= 0:
        return Estimate(math.nan, 0.0, 1.0)
    low, high = wilson(min(count, total), total, level)
    return Estimate(count / total, float(low), float(high))


# --- Names --------------------------------------------------------------------


@dataclass(frozen=True)
class RuleName:
    id: str
    text: str
    status: str
    where: str
    knobs: tuple[str, ...] = ()


@dataclass(frozen=True)
class DecisionName:
    id: str
    name: str
    actions: tuple[str, ...]

    def action(self, index: int) -> str:
        return self.actions[index] if index < len(self.actions) else f"action {index}"


@dataclass(frozen=True)
class TrackName:
    name: str
    low: int
    high: int
    help: str


@dataclass(frozen=True)
class MetricName:
    """A number that games report, as simlab.game.Metric states it."""

    name: str
    help: str
    unit: str
    never: int | None = None
    codes: Mapping[int, str] = field(default_factory=dict)
    low: int | None = None
    high: int | None = None

    @property
    def kind(self) -> MetricKind:
        """`number`, `if_happened` or `category`."""
        if self.codes:
            return "category"
        return "number" if self.never is None else "if_happened"

    @classmethod
    def read(cls, stated: Mapping[str, Any]) -> MetricName:
        """Out of a folder's manifest, which may be anybody's: what is no whole number is not stated."""
        never, low, high = (_whole_or_none(stated.get(key)) for key in ("never", "low", "high"))
        codes = {
            int(code): plain(name, 60)
            for code, name in _dict(stated.get("codes")).items()
            if re.fullmatch(r"-?\d{1,9}", str(code))
        }
        about, unit = plain(stated.get("help", ""), 300), plain(stated.get("unit", ""), 40)
        return cls(str(stated.get("name", "")), about, unit, never, codes, low, high)


def _whole_or_none(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _list(value: object) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []


def _dict(value: object) -> dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {}


def _whole(value: object, default: int = 0) -> int:
    return int(value) if isinstance(value, int | float) and math.isfinite(value) else default


# --- Cells --------------------------------------------------------------------


class Cell:
    """One cell of the results: a setting of the knobs with a bot in each seat, and its counts.

    Keeps what is small; the tally itself is read again where it is needed, since a sweep may have thousands.
    """

    def __init__(self, source: CellLike, seats: Sequence[str]) -> None:
        self.source = source
        self.key = plain(source.key, 64)
        self.label = plain(source.label, 300)
        self.knobs: dict[str, Any] = dict(source.knobs)
        self.varied: dict[str, Any] = dict(source.varied)
        self.usual: dict[str, Any] = {}  # values from which the point departs, where all others are as usual
        self.bots = {seat: plain(dict(source.bots).get(seat, "?"), 200) for seat in seats}
        tally = self.tally
        outcomes = np.asarray(tally.outcomes, np.int64)
        self.games = int(tally.games)
        self.by_winner: Ints = outcomes.sum(axis=(1, 2))  # shared, nobody, then each seat alone: (seats + 2,)
        self.wins: Ints = outcome.wins_of(tally)  # of each seat, alone or with others
        self._credits = outcome.credits_of(tally)
        self.endings: Ints = outcomes.sum(axis=(0, 2))
        self.turns: Ints = outcomes.sum(axis=(0, 1))  # by length, (longest + 1,)

    @property
    def tally(self) -> Tally:
        tally: Tally = self.source.tally
        return tally

    def credit(self, seat: int) -> float:
        """Games won by a seat, shared ones in parts. Of two seats a game that nobody wins is a draw: half for each."""
        drawn = self.by_winner[1] / 2 if self.wins.size == 2 else 0.0
        return float(self._credits[seat] + drawn)

    @property
    def point(self) -> str:
        """The varied knobs in words, `walls_start = 4`."""
        shown = {k: v for k, v in self.varied.items() if k not in self.usual or v != self.usual[k]}
        return ", ".join(f"{plain(k, 40)} = {value_text(v)}" for k, v in shown.items()) or "unchanged"


@dataclass(frozen=True)
class MetricFigure:
    """One figure of a metric.

    Attributes:
        name: in words, as `breach phase: siege phase`. estimate: a share or a mean.
        histogram: of the numbers behind a mean; None for a share.
    """

    name: str
    estimate: Estimate
    histogram: Histogram | None = None


class _Sums:
    """Arrays, histograms and standard errors of several cells, read in one pass."""

    def __init__(self, cells: Sequence[Cell]) -> None:
        self.arrays: dict[str, Ints] = {}
        self.metrics: dict[str, Histogram] = {}
        self.errors: dict[str, float] = {}  # metric -> sum over the cells of games * standard error
        self.fires: Floats = np.zeros(0)  # the same of how often each rule fires in a game
        for cell in cells:
            tally = cell.tally
            for name, counted in tally.counts.items():
                part = np.asarray(counted).astype(np.int64)
                self.arrays[name] = self.arrays[name] + part if name in self.arrays else part
            n, fired = tally.games, np.asarray(tally.fired, np.float64)
            spread = np.asarray(tally.fired_squares, np.float64) - fired * fired / max(n, 1)
            each = np.sqrt(np.maximum(spread, 0.0) * n / max(n - 1, 1))
            self.fires = self.fires + each if self.fires.size else each
            for name, (values, counts) in tally.metrics.items():
                mine = np.asarray(values, np.int64), np.asarray(counts, np.int64)
                self.metrics[name] = _added(self.metrics.get(name), mine)
                found = mean_from_histogram(*mine)
                self.errors[name] = self.errors.get(name, 0.0) + found.count * (found.se if found.count > 1 else 0.0)


def _added(old: Histogram | None, new: Histogram) -> Histogram:
    if old is None:
        return new
    values = np.union1d(old[0], new[0])
    counts = np.zeros(values.size, np.int64)
    for some_values, some_counts in (old, new):
        counts[np.searchsorted(values, some_values)] += some_counts
    return values, counts


class Pool:
    """Cells taken together.

    Args:
        rows: columns of the games of these cells, or None where they are not known; see `View.rows_of`.
    """

    def __init__(self, label: str, cells: Sequence[Cell], rows: Callable[[str], Rows | None] | None = None) -> None:
        if not cells:
            raise ValueError("a pool of no cells")
        self.label, self.cells = label, list(cells)
        self.games = sum(cell.games for cell in cells)
        self._rows_of = rows

    @property
    def size(self) -> int:
        return len(self.cells)

    @cached_property
    def _sums(self) -> _Sums:
        return _Sums(self.cells)

    @property
    def counted(self) -> frozenset[str]:
        """Names of the arrays that were counted."""
        return frozenset(self._sums.arrays)

    def sum(self, name: str) -> Ints:
        """Sum over the cells of one of the tally's arrays of counts."""
        return self._sums.arrays[name]

    @cached_property
    def by_winner(self) -> Ints:
        return np.asarray(sum(cell.by_winner for cell in self.cells), np.int64)

    @cached_property
    def wins(self) -> Ints:
        """Games won by each seat, alone or with others."""
        return np.asarray(sum(cell.wins for cell in self.cells), np.int64)

    @cached_property
    def endings(self) -> Ints:
        return np.asarray(sum(cell.endings for cell in self.cells), np.int64)

    @cached_property
    def turns(self) -> Ints:
        return np.asarray(sum(cell.turns for cell in self.cells), np.int64)

    @cached_property
    def length(self) -> Histogram:
        """Games by length: (turns, games), from the shortest to the longest that was played."""
        played = np.flatnonzero(self.turns)
        if played.size == 0:
            return _NOTHING
        span = np.arange(played[0], played[-1] + 1)
        return span, self.turns[span]

    @property
    def metric_names(self) -> list[str]:
        """Names of the metrics that were kept, the lab's own among them."""
        return list(self._sums.metrics)

    def metric(self, name: str) -> Histogram:
        """Histogram of a metric over the cells."""
        return self._sums.metrics.get(name, _NOTHING)

    def _rows(self, column: str) -> Rows | None:
        """A column of the games, where they are known and more than one cell makes it worth while."""
        return None if self.size == 1 or self._rows_of is None else self._rows_of(column)

    def _measured(self, column: str, counts: Callable[[Any], Any]) -> Ratio | None:
        """Mean over the games of a number made of a column, the shared luck measured; None without rows."""
        rows = self._rows(column)
        return None if rows is None else rows.mean(counts(rows.values))

    def _share_of(self, count: float, measured: Ratio | None, level: float) -> Estimate:
        """A share of the games: Wilson's interval for as many games of separate luck as have its variance."""
        rate = count / max(self.games, 1)
        if measured is None or not measured.se > 0 or not 0 < rate < 1:
            return self.share(count, level=level)
        worth = rate * (1 - rate) / measured.se**2
        return share_of(rate * worth, worth, level)

    def share(self, count: float, total: float | None = None, level: float = LEVEL) -> Estimate:
        """Share of games with an interval that holds however much luck the cells share.

        The variance of a share pooled over k cells is at most k times that of as many games of separate luck
        (by the inequality of Cauchy and Schwarz), so it counts for total / k games.
        """
        whole = float(self.games if total is None else total)
        return share_of(count / self.size, whole / self.size, level)

    def win_rate(self, seat: int, level: float = LEVEL) -> Estimate:
        """Share of the games that a seat wins, alone or with others; shared luck measured where the rows are known."""
        return self._share_of(float(self.wins[seat]), self._measured(f"won_{seat}", lambda won: won), level)

    def side_rate(self, side: int, level: float = LEVEL) -> Estimate:
        """Share of the games that a side wins, whichever of its seats does (Game.sides)."""
        if "side_won" not in self.counted:
            return self.win_rate(side, level)
        return self.share(float(self.sum("side_won")[side]), level=level)

    def credit(self, seat: int, level: float = LEVEL) -> Estimate:
        """Share of the wins of a seat: a game that k seats win counts 1/k for each of them."""
        rows = None if self._rows_of is None else self._rows_of(f"credit_{seat}")
        if rows is None:
            return self._share_of(float(sum(cell.credit(seat) for cell in self.cells)), None, level)
        mean = rows.mean(rows.values)
        return self._share_of(mean.value * self.games, mean, level)

    def undecided(self, level: float = LEVEL) -> Estimate:
        """Share of the games without a single winner, as `win_rate`."""
        return self._share_of(float(self.by_winner[:2].sum()), self._measured("winner", lambda w: w < 0), level)

    def ending(self, place: int, level: float = LEVEL) -> Estimate:
        """Share of the games that end so, as `win_rate`."""
        return self._share_of(float(self.endings[place]), self._measured("ending", lambda e: e == place), level)

    def mean(self, name: str, level: float = LEVEL) -> Estimate:
        """Mean of a metric over the games, shared luck measured where the rows are known."""
        return self._mean(self.metric(name), self._sums.errors.get(name, 0.0), name, level)

    def figures_of(self, metric: MetricName, level: float = LEVEL) -> list[MetricFigure]:
        """A metric as it may be shown: a number by its mean, a category by the share of each of its codes.

        A number that not every game has: the share of the games that have it, then the mean of those.
        """
        values, counts = self.metric(metric.name)
        if not counts.sum():
            return []
        name = words(metric.name)
        if metric.kind == "number":
            return [MetricFigure(name, self.mean(metric.name, level), (values, counts))]
        if metric.kind == "category":
            seen = [code for code in metric.codes if code in values]
            return [
                MetricFigure(f"{name}: {words(metric.codes[code])}", self._share_where(metric.name, code, True, level))
                for code in seen
            ]
        happened = values != metric.never
        shown = [MetricFigure(f"{name}: share of games", self._share_where(metric.name, metric.never, False, level))]
        if not counts[happened].sum():
            return shown
        histogram = values[happened], counts[happened]
        mean = self._mean_of_some(metric.name, metric.never, histogram, level)
        return [*shown, MetricFigure(f"{name}, where it happened", mean, histogram)]

    def _share_where(self, column: str, code: int | None, equal: bool, level: float) -> Estimate:
        """Share of the games in which a metric has a code, or has another."""
        values, counts = self.metric(column)
        count = float(counts[(values == code) == equal].sum())
        return self._share_of(count, self._measured(column, lambda numbers: (numbers == code) == equal), level)

    def _mean_of_some(self, column: str, never: int | None, histogram: Histogram, level: float) -> Estimate:
        """Mean over the games that do not have the code for never."""
        found = mean_from_histogram(*histogram, level)
        rows = self._rows(column)
        if self.size == 1 or found.count < 2:
            return Estimate(found.mean, found.low, found.high, False)
        if rows is not None:
            some = rows.values != never
            top = np.where(some, rows.values, 0)
            measured = clustered_ratio(top, some, rows.game, rows.cell, level)
            return Estimate(measured.value, measured.low, measured.high, False)
        # As a share: worth at least the games of one of the cells, however much luck they share.
        half = student_quantile(level, max(found.count / self.size - 1, 1)) * found.se * math.sqrt(self.size)
        return Estimate(found.mean, found.mean - half, found.mean + half, False)

    def fires(self, rule: int, level: float = LEVEL) -> Estimate:
        """How often a rule fires in a game."""
        if self.games < 2:
            return Estimate(math.nan, -math.inf, math.inf, False)
        mean = float(self.sum("fired")[rule]) / self.games
        half = student_quantile(level, max(self.games / self.size - 1, 1)) * float(self._sums.fires[rule]) / self.games
        return Estimate(mean, max(mean - half, 0.0), mean + half, False)

    def mean_length(self, level: float = LEVEL) -> Estimate:
        """Mean length in turns."""
        each = [mean_from_histogram(np.arange(cell.turns.size), cell.turns) for cell in self.cells]
        return self._mean(self.length, sum(m.count * m.se for m in each if m.count > 1), "turns", level)

    def _mean(self, histogram: Histogram, errors: float, column: str, level: float) -> Estimate:
        whole = mean_from_histogram(*histogram, level)
        if self.size == 1 or whole.count < 2:
            return Estimate(whole.mean, whole.low, whole.high, False)
        measured = self._measured(column, lambda values: values)
        if measured is not None and measured.clusters > 1:
            half = student_quantile(level, measured.clusters - 1) * measured.se
            return Estimate(whole.mean, whole.mean - half, whole.mean + half, False)
        # The standard error of a sum is at most the sum of the standard errors, whatever luck the cells
        # share.
        half = student_quantile(level, max(whole.count / self.size - 1, 1)) * errors / whole.count
        return Estimate(whole.mean, whole.mean - half, whole.mean + half, False)

    def quantile(self, histogram: Histogram, q: float, level: float = LEVEL, column: str = "") -> Estimate:
        """Quantile of a number over the games, by order statistics.

        Args:
            column: of the rows, from which the histogram is; with it, shared luck is measured.
        """
        values, counts = histogram
        at = float(quantile_from_histogram(values, counts, q))
        if self.size == 1 or not counts.sum():
            low, high = quantile_interval(values, counts, q, level)
        else:
            worth = float(counts.sum()) / self.size
            below = self._measured(column, lambda numbers: numbers <= at) if column else None
            if below is not None and below.se > 0:
                worth = below.value * (1 - below.value) / below.se**2
            ends = wilson(q * worth, worth, level)
            low, high = (float(x) for x in quantile_from_histogram(values, counts, ends))
        return Estimate(at, low, high, False)


_NOTHING: Histogram = (np.zeros(0, np.int64), np.zeros(0, np.int64))


@dataclass(frozen=True)
class Rows:
    """A column of the rows of the games.

    Attributes:
        values: shape (rows,). game: index of the row's game in its cell. cell: place of its cell in the view.
    """

    values: Any
    game: Any
    cell: Any

    def mean(self, numbers: Any, level: float = LEVEL) -> Ratio:
        """Mean of a number of each row."""
        return clustered_ratio(numbers, np.ones(len(self.values)), self.game, self.cell, level)


def _parts(metric: MetricName | None, name: str, values: Any, here: Any) -> list[tuple[str, Any, Any, bool]]:
    """What is averaged of a column over some rows: (label, numbers, rows that count, whether it is a share)."""
    if metric is None or metric.kind == "number":
        return [(name, values, here, False)]
    if metric.kind == "category":
        return [(f"{name}: {metric.codes[code]}", values == code, here, True) for code in metric.codes]
    happened = values != metric.never
    return [
        (f"{name}: share of games", happened, here, True),
        (f"{name}, where it happened", values, here & happened, False),
    ]


@dataclass(frozen=True)
class Ending:
    """The games that ended in one way.

    Attributes:
        place: number of the ending.
        means: of every number in a game's row; of a category the share of each code.
        scores: by seat: what 5, 25, 50, 75 and 95 % of the games do not exceed.
    """

    place: int
    games: int
    means: dict[str, Estimate]
    scores: list[tuple[float, ...]]


class View:
    """Results as the report reads them; everything hostile in them is plain text by now.

    Attributes:
        name, question: of the experiment.
        title, slug: of the game.
        seats, endings: names.
        cells: Cell, in the order of the experiment, each game in one of them only.
        twins: cells left out, as they hold the very games of another: (left out, the other).
        varied: knob -> its values in this run, ascending where they are numbers; only knobs with several.
        bots: seat -> bots that took it, in the order of the experiment.
    """

    def __init__(self, results: ResultsLike, only: Iterable[Any] | None = None) -> None:
        self.results = results
        self.manifest = _dict(results.manifest)
        self.config = _dict(results.experiment)
        names = _dict(self.manifest.get("names")) or self.manifest
        about = _dict(self.config.get("experiment")) or self.config
        self.name = plain(about.get("name", "results"), 120)
        self.question = plain(about.get("question", "") or "", 1000)
        self.seed = plain(about.get("seed", self.manifest.get("seed", "?")), 30)
        self.slug = plain(names.get("slug", about.get("game", "")), 120)
        self.title = plain(names.get("title", self.slug), 120)
        self.turn_name = plain(names.get("turn_name", "turn") or "turn", 40)
        self.article = plain(names.get("article", "the"), 20)
        self.raw_seats = [str(seat) for seat in _list(names.get("seats"))]
        self.raw_endings = [str(ending) for ending in _list(names.get("endings"))]
        self.seats = [plain(seat, 60) for seat in self.raw_seats]
        self.endings = [plain(ending, 60) for ending in self.raw_endings]
        self.rules = [
            RuleName(
                plain(rule.get("id", f"rule {i}"), 60),
                plain(rule.get("text", ""), LONGEST),
                plain(rule.get("status", ""), 40),
                plain(rule.get("where", ""), 200),
                tuple(str(knob) for knob in _list(rule.get("knobs"))),
            )
            for i, rule in enumerate(map(_dict, _list(names.get("rules"))))
        ]
        self.decisions = [
            DecisionName(
                plain(decision.get("id", ""), 60),
                plain(decision.get("name", f"decision {i}"), 120),
                tuple(plain(action, 120) for action in _list(decision.get("actions"))),
            )
            for i, decision in enumerate(map(_dict, _list(names.get("decisions"))))
        ]
        self.tracks = [
            TrackName(
                plain(track.get("name", f"track {i}"), 80),
                _whole(track.get("low")),
                _whole(track.get("high")),
                plain(track.get("help", ""), 300),
            )
            for i, track in enumerate(map(_dict, _list(names.get("tracks"))))
        ]
        self.metrics = [MetricName.read(metric) for metric in map(_dict, _list(names.get("metrics")))]
        self.studies = _dict(getattr(results, "studies", None))
        self.has_scores = bool(names.get("has_scores"))
        score = dict(zip(("low", "high"), _list(names.get("score_range")), strict=False))
        most = _whole_or_none(names.get("max_decisions")) or None
        longest = _whole_or_none(names.get("max_turns"))
        self.measures = {
            "turns": MetricName("turns", f"length in {self.turn_name}s", f"{self.turn_name}s", low=0, high=longest),
            "decisions": MetricName("decisions", "decisions of all seats", "", low=0, high=most),
            **{
                f"score_{seat}": MetricName.read(
                    {"name": f"score_{seat}", "help": f"score of {self.the(seat)}", **score}
                )
                for seat in self.raw_seats
            },
            **{metric.name: metric for metric in self.metrics},
        }
        self.uses = [plain(use, 40) for use in _list(names.get("uses"))]
        self.items = [
            (plain(pair[0], 40), plain(pair[1], 80))
            for pair in _list(names.get("items"))
            if isinstance(pair, list | tuple) and len(pair) == 2
        ]
        self._printed = _dict(names.get("printed"))
        self.cells: list[Cell] = []
        self.twins: list[tuple[Cell, Cell]] = []
        first: dict[str, Cell] = {}
        for source in results.cells if only is None else only:
            cell = Cell(source, self.raw_seats)
            if cell.source.key in first:  # the very same games under another name are no further evidence
                self.twins.append((cell, first[cell.source.key]))
            else:
                self.cells.append(cell)
                first[cell.source.key] = cell
        if not any(cell.games for cell in self.cells):
            raise UserMistake(f"{self.name}: no game was played, so there is nothing to report. Run it first.")
        self.bots = {seat: list(dict.fromkeys(cell.bots[seat] for cell in self.cells)) for seat in self.raw_seats}
        self.varied = self._varied()
        if self.base:
            for cell in self.cells:
                cell.usual = self.base
        self._measured: dict[tuple[int, float], Floats | None] = {}
        self._by_bot: dict[int, list[Pool]] = {}

    @property
    def has_sides(self) -> bool:
        """Whether some seats win and lose together."""
        return self.results_names is not None and bool(self.results_names.sides)

    @cached_property
    def fair_share(self) -> float:
        """Win rate of each seat if all won equally often: the mean number of winners over the number of seats."""
        return float(self.all.wins.sum()) / (len(self.seats) * self.games)

    @property
    def win_heads(self) -> list[str]:
        """Heads of the columns of a table of wins: the sides, where there are any, then the seats."""
        return [*(head for _, head in self.joint_sides), *(f"{seat} wins" for seat in self.seats)]

    @property
    def joint_sides(self) -> list[tuple[int, str]]:
        """(place, "village holds") of each side of several seats: a side of one seat is the seat itself."""
        return [(i, f"{name} {wins}") for i, (name, places, wins) in enumerate(self.sides) if len(places) > 1]

    @cached_property
    def sides(self) -> list[tuple[str, tuple[int, ...], str]]:
        """(name, places of its seats, what it does when it wins) of each side; by default each seat is its own."""
        if self.results_names is None or not self.has_sides:
            return [(seat, (place,), "wins") for place, seat in enumerate(self.seats)]
        return [(plain(name, 60), places, plain(wins, 40)) for name, places, wins in sides_of(self.results_names)]

    @cached_property
    def figures(self) -> Figures:
        """All figures of the game."""
        sides = sides_of(self.results_names) if self.results_names else ()
        return Figures(self.raw_seats, self.raw_endings, self.measures, sides, self.article, self.slug)

    def the(self, seat: str) -> str:
        """A seat within a sentence: "the besieger", but "ann" (Game.article)."""
        return f"{self.article} {seat}".lstrip()

    def The(self, seat: str) -> str:  # noqa: N802
        """A seat at the start of a sentence."""
        return f"{self.article.capitalize()} {seat}" if self.article else f"{seat[:1].upper()}{seat[1:]}"

    @property
    def games(self) -> int:
        return sum(cell.games for cell in self.cells)

    @property
    def results_names(self) -> Names | None:
        """The names as the results validated them; None for what is no folder of results."""
        names = getattr(self.results, "names", None)
        return names if isinstance(names, Names) else None

    @cached_property
    def vary(self) -> dict[str, Any]:
        """How the knobs vary, as resolved.json has it; empty where nothing does."""
        return _dict(self.config.get("vary"))

    @property
    def method(self) -> str:
        """How the points of the experiment were made: `grid`, `one_at_a_time`, ..."""
        return str(self.vary.get("method", "grid"))

    @cached_property
    def base(self) -> dict[str, Any]:
        """The values from which an experiment of one change at a time departs; empty for others."""
        knobs, rows = _list(self.vary.get("knobs")), _list(self.vary.get("rows"))
        if self.method != "one_at_a_time" or not rows or len(_list(rows[0])) != len(knobs):
            return {}
        return {str(knob): value for knob, value in zip(knobs, rows[0], strict=True)}

    @cached_property
    def contract(self) -> dict[str, dict[str, Any]]:
        return {str(name): _dict(wanted) for name, wanted in _dict(self.config.get("contract")).items()}

    def _varied(self) -> dict[str, list[Any]]:
        found: dict[str, list[Any]] = {}
        for cell in self.cells:
            for name, value in cell.varied.items():
                values = found.setdefault(name, [])
                if value not in values or type(value) not in map(type, values):
                    values.append(value)
        several = {name: values for name, values in found.items() if len(values) > 1}
        return {n: sorted(v) if all(is_number(x) for x in v) else v for n, v in several.items()}

    @property
    def is_grid(self) -> bool:
        """Whether each knob's values come with each other knob's."""
        points = {tuple(repr(cell.varied.get(name)) for name in self.varied) for cell in self.cells}
        return len(points) == math.prod(len(values) for values in self.varied.values())

    @property
    def is_matrix(self) -> bool:
        """Whether there are two seats with several bots in one of them."""
        return len(self.seats) == 2 and max(len(bots) for bots in self.bots.values()) > 1

    # --- pools

    @cached_property
    def all(self) -> Pool:
        """All cells together."""
        return self.pool("all cells", self.cells)

    def pool(self, label: str, cells: Sequence[Cell]) -> Pool:
        places = [self._place[id(cell)] for cell in cells]

        def rows(column: str) -> Rows | None:
            return self.rows_of(column, places)

        return Pool(label, cells, rows)

    @cached_property
    def _place(self) -> dict[int, int]:
        return {id(cell): i for i, cell in enumerate(self.cells)}

    def cell_label(self, cell: Cell) -> str:
        """What tells the cell from the others: bots where several play, knobs where several values do."""
        parts = []
        if any(len(bots) > 1 for bots in self.bots.values()) or not self.varied:
            parts.append(" v ".join(cell.bots.values()))
        if self.varied:
            parts.append(cell.point)
        return ", ".join(parts) or cell.label

    def by_bot(self, seat: int) -> list[Pool]:
        """A pool for each bot of a seat, over all opponents and knobs."""
        if seat not in self._by_bot:
            name = self.raw_seats[seat]
            self._by_bot[seat] = [
                self.pool(bot, [c for c in self.cells if c.bots[name] == bot]) for bot in self.bots[name]
            ]
        return self._by_bot[seat]

    def by_value(self, knob: str) -> list[Pool]:
        """A pool for each value of a knob, over all match-ups and other knobs."""
        return [
            self.pool(f"{plain(knob, 40)} = {value_text(v)}", [c for c in self.cells if c.varied.get(knob) == v])
            for v in self.varied[knob]
        ]

    def groups(self, most: int = MANY) -> list[Pool]:
        """The cells; groups of them, by the knob that varies or by bot, where there are more than `most`."""
        if len(self.cells) <= most:
            return [self.pool(self.cell_label(cell), [cell]) for cell in self.cells]
        if len(self.varied) == 1:
            knob = next(iter(self.varied))
            if len(self.varied[knob]) <= 3 * most:
                return self.by_value(knob)
        several = [i for i, seat in enumerate(self.raw_seats) if len(self.bots[seat]) > 1]
        if several and sum(len(self.bots[self.raw_seats[i]]) for i in several) <= 3 * most:
            return [self.pool(f"{self.seats[i]}: {pool.label}", pool.cells) for i in several for pool in self.by_bot(i)]
        return [self.all]

    @property
    def grouped(self) -> bool:
        """Whether `groups` had to take cells together."""
        return len(self.cells) > MANY

    # --- shared luck

    def covariance(self, seat: int, draws: float = 0.0) -> Floats | None:
        """Covariance of the cells' win rates, out of the rows of the games; None where there are no rows.

        Args:
            draws: what a game without a winner of its own counts.
        Returns:
            shape (cells, cells).
        """
        key = (seat, draws)
        if key not in self._measured:
            self._measured[key] = self._measure(seat, draws)
        return self._measured[key]

    def _measure(self, seat: int, draws: float) -> Floats | None:
        won = self.won(seat, draws)
        return None if won is None or len(self.cells) < 2 else self.shared(won)

    def shared(self, table: Floats) -> Floats:
        """Covariance of the cells' means of a number, out of the games that all of them played.

        Args:
            table: shape (games, cells), as `won`.
        """
        games = np.array([cell.games for cell in self.cells], np.float64)
        shared = np.atleast_2d(np.cov(table, rowvar=False))
        # Luck is shared in the games that both cells played: the first min(n, m).
        both = np.minimum(games[:, None], games[None, :])
        return np.asarray(shared * both / (games[:, None] * games[None, :]), np.float64)

    def won(self, seat: int, draws: float = 0.0) -> Floats | None:
        """What a seat won in the games that all cells played; None where the rows were not kept, or are too
        many.

        Args:
            draws: what a game without a winner of its own counts, but for a seat that shares the win.
        Returns:
            shape (games, cells).
        """
        if self._rows is None:
            return None
        draw = (self._rows["winner"] < 0) if draws else False
        return self._by_game(np.where(self._won(seat), 1.0, np.where(draw, draws, 0.0)))

    def _won(self, seat: int) -> Any:
        """Whether a seat is among the winners of each game."""
        assert self._rows is not None
        return outcome.won(self._rows, seat)

    def lengths(self) -> Floats | None:
        """Length in turns of the games that all cells played, as `won`."""
        return None if self._rows is None else self._by_game(self._rows["turns"].astype(np.float64))

    def scores(self) -> Floats | None:
        """Score of the games that all cells played, as `won`; None but for a game of one seat that keeps scores."""
        if self._rows is None or "score" not in self._rows:
            return None
        return self._by_game(self._rows["score"].astype(np.float64))

    @cached_property
    def by_ending(self) -> list[Ending]:
        """The games of each ending apart, in the order of the endings; empty where no rows were kept."""
        scan = getattr(self.results, "scan", None)
        keys = [cell.source.key for cell in self.cells]
        if scan is None or len(keys) > _MOST_CELLS or self.games > _MOST_ROWS:
            return []
        import polars as pl

        try:
            rows = scan()
            columns = set(rows.collect_schema().names())
        except UserMistake:  # only counts were kept
            return []
        scores = [f"score_{seat}" for seat in self.raw_seats] if self.has_scores else []
        scores = [name for name in scores if name in columns]
        numbers = [name for name in ("turns", "decisions", *scores, *(m.name for m in self.metrics)) if name in columns]
        if not {"ending", "game", "cell"} <= columns:
            return []
        rows = rows.filter(pl.col("cell").cast(pl.String).is_in(keys))
        places = {key: i for i, key in enumerate(keys)}
        game, cell, how = self._codes(rows, "ending", {name: i for i, name in enumerate(self.raw_endings)}, places)
        seen = [place for place in range(len(self.raw_endings)) if (how == place).any()]
        means: dict[int, dict[str, Estimate]] = {place: {} for place in seen}
        spans: dict[int, list[tuple[float, ...]]] = {place: [] for place in seen}
        for name in numbers:  # one column at a time: all of them may be more than memory holds
            values = rows.select(name).collect()[name].to_numpy().astype(np.float64)
            for place in seen:
                here = how == place
                for label, counted, among, rate in _parts(self.measures.get(name), name, values, here):
                    mean = clustered_ratio(np.where(among, counted, 0.0), among, game, cell, LEVEL)
                    low, high = (max(mean.low, 0.0), min(mean.high, 1.0)) if rate else (mean.low, mean.high)
                    if rate and 0 in (mean.value, 1 - mean.value):  # no spread to go by: as games of separate luck
                        worth = float(among.sum()) / len(self.cells)
                        low, high = (float(end) for end in wilson(mean.value * worth, worth, LEVEL))
                    means[place][label] = Estimate(mean.value, low, high, rate)
                if name in scores:
                    spans[place].append(tuple(float(x) for x in np.quantile(values[here], QUANTILES, method="nearest")))
        return [Ending(place, int((how == place).sum()), means[place], spans[place]) for place in seen]

    @staticmethod
    def _codes(rows: Any, column: str, codes: Mapping[str, int], places: Mapping[str, int]) -> tuple[Any, Any, Any]:
        """Of lazy rows: game, place of the cell, and a column of names as numbers, -1 for a name without one."""
        import polars as pl

        table = rows.select(
            pl.col("game"),
            pl.col("cell").cast(pl.String).replace_strict(places, default=-1, return_dtype=pl.Int32),
            pl.col(column).cast(pl.String).replace_strict(codes, default=-1, return_dtype=pl.Int16),
        ).collect()
        return table["game"].to_numpy(), table["cell"].to_numpy(), table[column].to_numpy()

    def rows_of(self, column: str, places: Sequence[int] | None = None) -> Rows | None:
        """A column of the rows of some cells, or of all; None where the rows were not kept, or are too many.

        Args:
            column: `winner` (the seat, or -1 for none and several), `ending` (its place), `won_0` (whether the first
                seat is among the winners), `credit_0` (its part of the win), or a number by its name.
        """
        if self._rows is None:
            return None
        values = self._rows.get(column)
        if values is None:
            what, _, place = column.rpartition("_")
            made = {"credit": self._credit, "won": self._won}.get(what) if place.isdecimal() else None
            values = made(int(place)) if made else self._numbers_of(column)
        if values is None:
            return None
        game, cell = self._rows["game"], self._rows["cell"]
        if places is None or len(places) == len(self.cells):
            return Rows(values, game, cell)
        chosen = np.zeros(len(self.cells), bool)
        chosen[list(places)] = True
        mask = chosen[cell]
        return Rows(values[mask], game[mask], cell[mask])

    def _credit(self, seat: int) -> Any:
        """What a seat won of each game: 1/k of one that k seats win; of two seats half of one that nobody wins."""
        assert self._rows is not None
        seats = len(self.seats)
        part = outcome.credit(self._rows, seat, seats)
        return np.where(self._rows["winners"] == 0, 0.5, part) if seats == 2 else part

    def credits(self, seat: int) -> Floats | None:
        """What a seat won of the games that all cells played, shared ones in parts; as `won`."""
        rows = self.rows_of(f"credit_{seat}")
        return None if rows is None else self._by_game(rows.values)

    def _numbers_of(self, column: str) -> Any:
        """A column that is read when it is asked for, in the order of `_rows`; None where it is not there."""
        import polars as pl

        rows = self.results.scan()  # type: ignore[attr-defined]
        if column not in rows.collect_schema().names():
            return None
        keys = [cell.source.key for cell in self.cells]
        found = rows.filter(pl.col("cell").cast(pl.String).is_in(keys)).select(column).collect()[column]
        return found.to_numpy() if len(found) == len(self._rows["game"]) else None  # type: ignore[index]

    @cached_property
    def _rows(self) -> dict[str, Any] | None:
        """Columns of the rows: game, place of the cell, winner (seat, or -1 for none and several), ending (place),
        turns, the winners' bits, and the score in a game of one seat."""
        scan = getattr(self.results, "scan", None)
        places = {cell.source.key: i for i, cell in enumerate(self.cells)}
        if scan is None or min(cell.games for cell in self.cells) < _FEWEST or self.games > _MOST_ROWS:
            return None
        import polars as pl

        try:
            kept = scan()
            there = kept.collect_schema().names()
        except UserMistake:  # only counts were kept
            return None
        solo = [f"score_{seat}" for seat in self.raw_seats] if self.has_scores and len(self.seats) == 1 else []
        plain_columns = [name for name in ("turns", "winners", *solo) if name in there]
        codes = {
            "winner": {seat: i for i, seat in enumerate(self.raw_seats)} | {"shared": outcome.SHARED},
            "ending": {name: i for i, name in enumerate(self.raw_endings)},
        }
        rows = (
            kept.filter(pl.col("cell").cast(pl.String).is_in(list(places)))
            .select(
                pl.col("game"),
                pl.col("cell").cast(pl.String).replace_strict(places, return_dtype=pl.Int32),
                *(
                    pl.col(name).cast(pl.String).replace_strict(known, default=-1, return_dtype=pl.Int16)
                    for name, known in codes.items()
                    if name in there
                ),
                *plain_columns,
            )
            .collect()
        )
        if rows.height == 0:
            return None
        found = {name: rows[name].to_numpy() for name in rows.columns}
        found.setdefault("winners", outcome.winners_from(found["winner"], len(self.seats)))
        found["winner"] = np.where(found["winner"] < 0, -1, found["winner"])
        if solo and solo[0] in found:
            found["score"] = found[solo[0]]
        return found

    def _by_game(self, column: Any) -> Floats | None:
        assert self._rows is not None
        if len(self.cells) > _MOST_CELLS:
            return None
        least = int(min(cell.games for cell in self.cells))
        both = self._rows["game"] < least
        table = np.full((least, len(self.cells)), np.nan)
        table[self._rows["game"][both], self._rows["cell"][both]] = column[both]
        whole = table[~np.isnan(table).any(axis=1)]  # a game that failed in one cell is left out in all
        return whole if len(whole) >= _FEWEST else None

    def printed(self, knob: str) -> Any:
        """The printed value of a knob; None where this run does not have it."""
        return self._printed.get(knob) if self._printed.get(knob) in self.varied[knob] else None


def is_number(value: object) -> bool:
    """Whether a knob's value can stand on an axis."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def view_of(source: Any) -> View:
    """The view of results, of one cell of them, or a view as it is."""
    if isinstance(source, View):
        return source
    if hasattr(source, "results") and hasattr(source, "tally"):
        return View(source.results, only=[source])
    return View(source)
