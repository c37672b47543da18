"""The balance contract: what a designer asked for, held against what was played.

A line of the contract names a figure and a band, `besieger_win = {target = 0.5, margin = 0.03}` or
`turns_p90 = {max = 14}`. It is met when the figure's whole interval lies in the band, broken when all of it
lies outside, and else it cannot be told yet: then the line says about how many more games it would take.

The intervals are confidence sequences (simlab.stats.sequential): a verdict holds however often one looks, and
whoever adds games until all lines are decided does nothing wrong.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np

from simlab.errors import UserMistake, nearest
from simlab.stats.intervals import Histogram
from simlab.stats.sequential import (
    difference_sequence,
    games_to_decide,
    games_to_decide_mean,
    mean_sequence,
    quantile_sequence,
    share_sequence,
)

Word = Literal["met", "broken", "cannot tell yet"]
MET: Word = "met"
BROKEN: Word = "broken"
UNDECIDED: Word = "cannot tell yet"

QUANTILES = (5, 50, 90, 95)  #: those that lists of names show; a contract may ask for p1 to p99
_QUANTILE = re.compile(r"(.+)_p([1-9]\d?)")
_ENOUGH = 10**12  # more games than this nobody plays: said as such


class Counts(Protocol):
    """What the contract reads of simlab.engine.tally.Tally."""

    @property
    def games(self) -> int: ...
    @property
    def outcomes(self) -> Any: ...
    @property
    def won_with(self) -> Any: ...
    @property
    def metrics(self) -> Mapping[str, Histogram]: ...


class Measure(Protocol):
    """What the contract reads of simlab.game.Metric."""

    @property
    def never(self) -> int | None: ...
    @property
    def codes(self) -> Mapping[int, str]: ...
    @property
    def low(self) -> int | None: ...
    @property
    def high(self) -> int | None: ...


@dataclass(frozen=True)
class _Unstated:
    """A number of which nothing is stated: every game has it, in no known range."""

    never: int | None = None
    codes: Mapping[int, str] = field(default_factory=dict)
    low: int | None = None
    high: int | None = None


_UNSTATED = _Unstated()


@dataclass(frozen=True)
class Line:
    """One clause of the contract held against one cell.

    Attributes:
        name: as in the contract, `besieger_win`.
        where: label of the cell, or "".
        band: (low, high) that is allowed; -inf or inf where open.
        estimate, low, high: the figure and its interval, in its own unit (rates in 0..1).
        verdict: `met`, `broken` or `cannot tell yet`.
        more_games: where it cannot be told: games to add for a chance of 80 % to decide; None where no number
            would do (the figure stands on the edge of the band).
        unit: "%" for rates (then figures are shown times 100), "points" for a gap of rates, else the unit's
            name.
        hindrance: why no number of games decides, where it is not that the figure stands on the edge.
    """

    name: str
    where: str
    band: tuple[float, float]
    estimate: float
    low: float
    high: float
    verdict: Word
    more_games: int | None
    unit: str
    hindrance: str = ""

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        text = f"{figure_name(self.name)}: {self.number(self.estimate)} ({self.ends})"
        wanted = f"wanted {self.wanted}"
        if self.verdict == MET:
            return f"{text}; {wanted}: met."
        if self.verdict == BROKEN:
            return f"{text}; {wanted}: broken."
        if self.more_games is None:
            edge = self.hindrance or "it stands at the very edge, where no number of games decides"
            return f"{text}; {wanted}: cannot tell yet; {edge}."
        return f"{text}; {wanted}: cannot tell yet; about {self.more_games:,} more games would decide it."

    @property
    def wanted(self) -> str:
        """The band in words."""
        low, high = self.band
        if math.isinf(low):
            return f"at most {self._edge(high)}"
        if math.isinf(high):
            return f"at least {self._edge(low)}"
        return f"{self._edge(low, False)} to {self._edge(high)}"

    @property
    def ends(self) -> str:
        """The interval in words."""
        if math.isinf(self.low) and math.isinf(self.high):
            return "too few games for an interval"
        if math.isinf(self.low):
            return f"at most {self.number(self.high)}"
        if math.isinf(self.high):
            return f"at least {self.number(self.low)}"
        return f"{self.number(self.low, False)} to {self.number(self.high)}"

    @property
    def _scale(self) -> float:
        return 100.0 if self.unit in ("%", "points") else 1.0

    def number(self, value: float, named: bool = True) -> str:
        """A figure in the line's unit, with digits to fit the interval."""
        if not math.isfinite(value):
            return "?"
        if quantile_of(self.name):  # a whole number
            return f"{value:g} {self.unit if named else ''}".rstrip()
        digits = digits_for((self.high - self.low) * self._scale)
        return f"{value * self._scale:,.{digits}f} {self.unit if named else ''}".rstrip()

    def _edge(self, value: float, named: bool = True) -> str:
        """An edge of the band, as the designer wrote it."""
        return f"{round(value * self._scale, 9):,.10g} {self.unit if named else ''}".rstrip()


def digits_for(width: float) -> int:
    """Decimals that an estimate is worth whose interval is so wide: 1 for a width of 0.5 to 5."""
    if not math.isfinite(width) or width <= 0:
        return 2
    return min(max(math.ceil(-math.log10(width / 5)), 0), 6)


@dataclass(frozen=True)
class Clause:
    """One clause of the contract over all cells.

    Attributes:
        name: as in the contract.
        verdict: `met` where every cell meets it, `broken` where a cell breaks it, else `cannot tell yet`.
        lines: a line a cell.
        level: chance with which all the intervals of the contract hold together.
    """

    name: str
    verdict: Word
    lines: tuple[Line, ...]
    level: float

    def counts(self) -> dict[Word, int]:
        """Cells by verdict."""
        return {word: sum(line.verdict == word for line in self.lines) for word in (MET, BROKEN, UNDECIDED)}

    @property
    def sentence(self) -> str:
        """The verdict in words: the line's own where there is one cell, else how many cells say what."""
        if len(self.lines) == 1:
            return self.lines[0].sentence
        counts = {word: number for word, number in self.counts().items() if number}
        cells = f"{len(self.lines):,} cells"
        if len(counts) == 1:
            said = f"{next(iter(counts))} in all {cells}" if self.lines else "no cell was played"
        else:
            said = ", ".join(f"{word} in {number:,}" for word, number in counts.items()) + f", of {cells}"
        wanted = f", wanted {self.lines[0].wanted}" if self.lines else ""
        open_lines = [line for line in self.lines if line.verdict == UNDECIDED]
        more = [line.more_games for line in open_lines if line.more_games is not None]
        which = "the rest" if len(more) == len(open_lines) else "what can be decided"
        rest = f"; about {max(more):,} more games a cell would decide {which}" if more else ""
        return f"{figure_name(self.name)}{wanted}: {said}{rest}."


def contract_names(
    seats: Sequence[str], endings: Sequence[str], metrics: Mapping[str, Measure] | Sequence[str]
) -> list[str]:
    """All names that a contract may use for a game with these seats, endings and metrics."""
    measures = metrics if isinstance(metrics, Mapping) else dict.fromkeys(metrics, _UNSTATED)
    return [
        *(f"{seat}_win" for seat in seats),
        "draw_rate",
        "seat_gap",
        "turns_mean",
        *(f"turns_p{percent}" for percent in QUANTILES),
        *(f"ending_{ending}" for ending in endings),
        *(figure for name, measure in measures.items() if name != "turns" for figure in figures_of(name, measure)),
    ]


def figures_of(name: str, measure: Measure) -> dict[str, str]:
    """What a contract may ask of a number that games report: figure -> what it is.

    A number: its mean and quantiles. A number if it happened: the share of games in which it did, and the mean and the
    quantiles of those. A category: the share of each code.
    """
    if measure.codes:
        return {
            f"{name}_is_{code}": f"share of the games with {name} {_words(code)}" for code in measure.codes.values()
        }
    happened = {} if measure.never is None else {f"{name}_share": f"share of the games with a {name}"}
    among = "the games" if measure.never is None else "the games with one"
    return {
        **happened,
        f"{name}_mean": f"mean of {name} over {among}",
        **{f"{name}_p{percent}": f"{name} that {percent} % of {among} do not exceed" for percent in QUANTILES},
    }


def why_not(name: str, measures: Mapping[str, Measure]) -> str:
    """Why a contract cannot ask for a figure that a category would have if it were a number; else "".

    The sentence says what to ask for instead.
    """
    asked = quantile_of(name)
    measure = measures.get(asked[0] if asked else name.removesuffix("_mean"))
    if measure is None or not measure.codes:
        return ""
    what = asked[0] if asked else name.removesuffix("_mean")
    return (
        f"{what} is a category: its numbers are names, and have no mean and no quantile. Ask for a share: "
        + ", ".join(figures_of(what, measure))
        + "."
    )


def is_share(name: str) -> bool:
    """Whether a figure of a contract is a share in 0..1, or a gap of shares."""
    if name.endswith("_mean") or quantile_of(name):
        return False
    return name.endswith(("_win", "_share")) or name.startswith("ending_") or "_is_" in name or name in (
        "draw_rate", "seat_gap"
    )  # fmt: skip


def quantile_of(name: str) -> tuple[str, int] | None:
    """What a name such as `turns_p90` asks for: ("turns", 90); None where it names no quantile."""
    found = _QUANTILE.fullmatch(name)
    return (found[1], int(found[2])) if found else None


def figure_name(name: str) -> str:
    """A name of the contract as a person says it."""
    asked = quantile_of(name)
    if asked:
        what, percent = asked
        if what == "turns":
            return "median length in turns" if percent == 50 else f"length that {percent} % of games do not exceed"
        return (
            f"median of {_words(what)}" if percent == 50 else f"{_words(what)} that {percent} % of games do not exceed"
        )
    fixed = {
        "draw_rate": "games without a single winner",
        "seat_gap": "gap between the seats' win rates",
        "turns_mean": "mean length in turns",
    }
    if name in fixed:
        return fixed[name]
    if name.endswith("_win"):
        return f"wins of the {_words(name[:-4])}"
    if name.startswith("ending_"):
        return f"games that end by {_words(name[7:])}"
    if name.endswith("_share"):
        return f"games with a {_words(name.removesuffix('_share'))}"
    if is_share(name):
        what, code = name.split("_is_", 1)
        return f"games with {_words(what)} {_words(code)}"
    return f"mean of {_words(name.removesuffix('_mean'))}"


def _words(name: str) -> str:
    return name.replace("_", " ")


def band(name: str, wanted: Mapping[str, Any]) -> tuple[float, float]:
    """The band of a clause.

    Args:
        wanted: {target, margin}, or {min}, {max} or both.
    Returns:
        (low, high), -inf or inf where open.
    Raises:
        UserMistake: other keys, no numbers, an empty band, or a target without margin.
    """
    keys = set(wanted)
    where = f"[contract] {name}"
    numbers = {}
    for key, value in wanted.items():
        if key not in ("target", "margin", "min", "max"):
            raise UserMistake(f"{where}: unknown key '{key}'. {nearest(key, ('target', 'margin', 'min', 'max'))}")
        if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
            raise UserMistake(f"{where}: {key} = {value!r} is no number.")
        numbers[key] = float(value)
    if keys == {"target", "margin"}:
        if numbers["margin"] <= 0:
            raise UserMistake(f"{where}: margin = {wanted['margin']} leaves no room. Use a margin above 0.")
        return numbers["target"] - numbers["margin"], numbers["target"] + numbers["margin"]
    if not keys or keys & {"target", "margin"}:
        raise UserMistake(f"{where}: give {{target, margin}}, or min, max or both.")
    low, high = numbers.get("min", -math.inf), numbers.get("max", math.inf)
    if low > high:
        raise UserMistake(f"{where}: min = {wanted['min']} is above max = {wanted['max']}.")
    return low, high


def judge(
    contract: Mapping[str, Mapping[str, Any]],
    cells: Sequence[tuple[str, Counts]],
    seats: Sequence[str],
    endings: Sequence[str],
    level: float = 0.95,
    measures: Mapping[str, Measure] | None = None,
) -> list[Clause]:
    """Holds a contract against the counts of one or several cells.

    Args:
        contract: name -> band, as in the experiment file.
        cells: (label, tally) of each.
        level: chance that all intervals of all clauses and cells cover at once; each takes its part
            (Bonferroni).
        measures: what the game states of its numbers (simlab.game.Game.measures). Without it nothing is known of their
            ranges, and a mean cannot be told.
    Returns:
        a Clause for each name, in the contract's order.
    Raises:
        UserMistake: an unknown name, a mean of a category, a band that is none, or a game outside a stated range.
    """
    family = max(len(contract) * len(cells), 1)
    each = 1 - (1 - level) / family
    clauses = []
    for name, wanted in contract.items():
        limits = band(name, wanted)
        lines = tuple(_line(name, where, limits, tally, seats, endings, each, measures or {}) for where, tally in cells)
        words = {line.verdict for line in lines}
        word = BROKEN if BROKEN in words else UNDECIDED if UNDECIDED in words or not lines else MET
        clauses.append(Clause(name, word, lines, level))
    return clauses


def overall(clauses: Sequence[Clause]) -> Word:
    """The contract as a whole: broken if a clause is, else undecided if one is, else met."""
    words = {clause.verdict for clause in clauses}
    return BROKEN if BROKEN in words else UNDECIDED if UNDECIDED in words else MET


def _line(
    name: str,
    where: str,
    limits: tuple[float, float],
    tally: Counts,
    seats: Sequence[str],
    endings: Sequence[str],
    level: float,
    measures: Mapping[str, Measure],
) -> Line:
    outcomes = np.asarray(tally.outcomes, np.int64)
    games = int(tally.games)
    by_winner = outcomes.sum(axis=(1, 2))
    wins = np.asarray(tally.won_with, np.int64).sum(axis=1)
    turns = outcomes.sum(axis=(0, 1))
    length: Histogram = (np.arange(turns.size), turns)
    kept = {metric: measures.get(metric, _UNSTATED) for metric in tally.metrics}
    if reason := why_not(name, kept):
        raise UserMistake(f"[contract] {name}: {reason}")
    known = contract_names(seats, endings, kept)
    asked = quantile_of(name)
    if name not in known and not (asked and asked[0] in ("turns", *kept)):
        raise UserMistake(f"[contract]: no figure is named '{name}'. {nearest(name, known)}")
    if name == "seat_gap":
        return _gap_line(name, where, limits, wins, games, level)
    if name == "turns_mean":
        longest = _Unstated(low=0, high=turns.size - 1)  # the counts have a place for every length there may be
        return _mean_line(name, where, limits, length, level, "turns", longest)
    if name == "draw_rate":
        return _rate_line(name, where, limits, int(by_winner[:2].sum()), games, level)
    if name.endswith("_win") and name[:-4] in seats:
        return _rate_line(name, where, limits, int(wins[list(seats).index(name[:-4])]), games, level)
    if name.startswith("ending_") and name[7:] in endings:
        count = int(outcomes.sum(axis=(0, 2))[list(endings).index(name[7:])])
        return _rate_line(name, where, limits, count, games, level)
    if asked and asked[0] == "turns":
        return _quantile_line(name, where, limits, length, asked[1] / 100, level, "turns")
    metric = next(m for m in kept if name in figures_of(m, kept[m]) or (asked and asked[0] == m))
    measure, (values, counts) = kept[metric], tally.metrics[metric]
    if is_share(name):
        wanted = {f"{metric}_is_{code}": value for value, code in measure.codes.items()}
        chosen = values == wanted[name] if measure.codes else values != measure.never
        return _rate_line(name, where, limits, int(counts[chosen].sum()), int(counts.sum()), level)
    if measure.never is not None:
        values, counts = values[values != measure.never], counts[values != measure.never]
    if asked:
        return _quantile_line(name, where, limits, (values, counts), asked[1] / 100, level, "")
    return _mean_line(name, where, limits, (values, counts), level, "", measure)


def _word(limits: tuple[float, float], low: float, high: float) -> Word:
    if low >= limits[0] and high <= limits[1]:
        return MET
    if high < limits[0] or low > limits[1]:
        return BROKEN
    return UNDECIDED


def _more(total: float, games: int) -> int | None:
    """Games to add, in two figures; at least a tenth of those played, since the estimate moves too."""
    if not math.isfinite(total) or total > _ENOUGH:
        return None
    more = max(total - games, games / 10, 1.0)
    size: int = 10 ** max(math.floor(math.log10(more)) - 1, 0)
    return math.ceil(more / size) * size


def _edges(limits: tuple[float, float], estimate: float) -> list[float]:
    """The edges still in doubt: both where the estimate lies between them, else the nearer one."""
    finite = [edge for edge in limits if math.isfinite(edge)]
    if limits[0] <= estimate <= limits[1]:
        return finite
    return [min(finite, key=lambda edge: abs(edge - estimate))]


def _needed(estimate: float, edges: Sequence[float], sd: float, level: float) -> float:
    """Games after which the estimate is told from all of the edges."""
    return max((games_to_decide(abs(estimate - edge), sd, level) for edge in edges), default=0.0)


def _rate_needed(rate: float, edges: Sequence[float], level: float) -> float:
    inside = [edge for edge in edges if 0 < edge < 1]
    spread = max([rate * (1 - rate), *(edge * (1 - edge) for edge in inside)])
    return _needed(rate, inside, math.sqrt(spread), level)


def _rate_line(name: str, where: str, limits: tuple[float, float], count: int, games: int, level: float) -> Line:
    low, high = (float(end) for end in share_sequence(count, games, level))
    rate = count / games if games else math.nan
    word = _word(limits, low, high)
    more = None
    if word == UNDECIDED and games:
        more = _more(_rate_needed(rate, _edges(limits, rate), level), games)
    return Line(name, where, limits, rate, low, high, word, more, "%")


def _gap_line(name: str, where: str, limits: tuple[float, float], wins: Any, games: int, level: float) -> Line:
    """Largest difference between two seats: each pair of seats takes its part of the level."""
    seats = len(wins)
    pairs = [(i, j) for i in range(seats) for j in range(i)]
    gap = float(max(wins) - min(wins)) / games if games and pairs else 0.0
    low, high = 0.0, 0.0
    each = 1 - (1 - level) / max(len(pairs), 1)
    for i, j in pairs:
        # Games that both win tell nothing of the gap. How many there are was not counted: the fewest there can be leave
        # the widest interval.
        both = max(float(wins[i]) + float(wins[j]) - games, 0.0)
        ends = difference_sequence(float(wins[i]) - both, float(wins[j]) - both, games, each)
        low = max(low, float(ends[0]), -float(ends[1]))
        high = max(high, abs(float(ends[0])), abs(float(ends[1])))
    word = _word(limits, low, high)
    more = None
    if word == UNDECIDED and games:
        spread = math.sqrt(max(float(max(wins) + min(wins)) / games - gap * gap, 1 / games))
        more = _more(_needed(gap, [edge for edge in _edges(limits, gap) if edge > 0], spread, each), games)
    return Line(name, where, limits, gap, low, high, word, more, "points")


def _mean_line(
    name: str,
    where: str,
    limits: tuple[float, float],
    histogram: Histogram,
    level: float,
    unit: str,
    measure: Measure,
) -> Line:
    try:
        mean, low, high = mean_sequence(*histogram, level, measure.low, measure.high)
    except ValueError as fault:
        raise UserMistake(
            f"[contract] {name}: {fault} that the game states. Run `simlab check-game`; mend outcome() or the range."
        ) from None
    word = _word(limits, low, high)
    games = int(np.sum(histogram[1]))
    more, hindrance = None, ""
    if word == UNDECIDED and games > 1:
        edges = _edges(limits, mean)
        need = (games_to_decide_mean(*histogram, edge, level, measure.low, measure.high) for edge in edges)
        more = _more(max(need, default=0.0), games)
        ends = [
            end
            for end, known, asked in (
                ("low", measure.low, any(edge < mean for edge in edges)),
                ("high", measure.high, any(edge > mean for edge in edges)),
            )
            if known is None and asked
        ]
        if ends:
            what = name.removesuffix("_mean")
            hindrance = (
                f"the game states no {' and no '.join(ends)} for {what}, without which rare games could move the mean "
                f"by any amount: state it, or ask for a quantile, as {what}_p90"
            )
    return Line(name, where, limits, mean, low, high, word, more, unit, hindrance)


def _quantile_line(
    name: str, where: str, limits: tuple[float, float], histogram: Histogram, q: float, level: float, unit: str
) -> Line:
    values, counts = histogram
    at, low, high = quantile_sequence(values, counts, q, level)
    word = _word(limits, low, high)
    total = int(np.sum(counts))
    more = None
    if word == UNDECIDED and total:
        # The quantile is at most m exactly when a share of q or more lies at m or below.
        need = 0.0
        for edge in _edges(limits, at):
            inside = values <= edge if edge == limits[1] else values < edge
            share = float(np.sum(counts[inside])) / total
            need = max(need, _rate_needed(share, [q], 1 - (1 - level) / 2))
        more = _more(need, total)
    return Line(name, where, limits, at, low, high, word, more, unit)
