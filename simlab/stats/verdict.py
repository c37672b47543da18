"""The balance contract: what a designer asked for, held against what was played.

A line of the contract names a figure and a band, `besieger_win = {target = 0.5, margin = 0.03}` or
`turns_p90 = {max = 14}`. It is met when the figure's whole interval lies in the band, broken when all of it
lies outside, and else it cannot be told yet: then the line says about how many more games it would take.

Rates take the exact interval (Clopper-Pearson), a seat gap the score interval, means Student's, quantiles
order statistics.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Literal, Protocol

import numpy as np

from simlab.errors import UserMistake, nearest
from simlab.stats.intervals import (
    Histogram,
    clopper_pearson,
    mean_from_histogram,
    normal_quantile,
    quantile_from_histogram,
    quantile_interval,
)
from simlab.stats.paired import score_interval

Word = Literal["met", "broken", "cannot tell yet"]
MET: Word = "met"
BROKEN: Word = "broken"
UNDECIDED: Word = "cannot tell yet"

_QUANTILES = {"turns_p5": 0.05, "turns_p50": 0.5, "turns_p90": 0.9, "turns_p95": 0.95}
_POWER = 0.8  # chance with which the games asked for shall decide
_ENOUGH = 10**12  # more games than this nobody plays: said as such


class Counts(Protocol):
    """What the contract reads of simlab.engine.match.Tally."""

    @property
    def games(self) -> int: ...
    @property
    def outcomes(self) -> Any: ...
    @property
    def metrics(self) -> Mapping[str, Histogram]: ...


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
            edge = "it stands at the very edge, where no number of games decides"
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
        if self.name in _QUANTILES:  # a whole number of turns
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


def contract_names(seats: Sequence[str], endings: Sequence[str], metrics: Sequence[str]) -> list[str]:
    """All names that a contract may use for a game with these seats, endings and metrics."""
    return [
        *(f"{seat}_win" for seat in seats),
        "draw_rate",
        "seat_gap",
        "turns_mean",
        *_QUANTILES,
        *(f"ending_{ending}" for ending in endings),
        *(f"{metric}_mean" for metric in metrics),
    ]


def figure_name(name: str) -> str:
    """A name of the contract as a person says it."""
    if name in _QUANTILES:
        share = round(_QUANTILES[name] * 100)
        return "median length in turns" if share == 50 else f"length that {share} % of games do not exceed"
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
) -> list[Clause]:
    """Holds a contract against the counts of one or several cells.

    Args:
        contract: name -> band, as in the experiment file.
        cells: (label, tally) of each.
        level: chance that all intervals of all clauses and cells cover at once; each takes its part
            (Bonferroni).
    Returns:
        a Clause for each name, in the contract's order.
    Raises:
        UserMistake: an unknown name, or a band that is none.
    """
    family = max(len(contract) * len(cells), 1)
    each = 1 - (1 - level) / family
    clauses = []
    for name, wanted in contract.items():
        limits = band(name, wanted)
        lines = tuple(_line(name, where, limits, tally, seats, endings, each) for where, tally in cells)
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
) -> Line:
    outcomes = np.asarray(tally.outcomes, np.int64)
    games = int(tally.games)
    by_winner = outcomes.sum(axis=(1, 2))
    turns = outcomes.sum(axis=(0, 1))
    length: Histogram = (np.arange(turns.size), turns)
    known = contract_names(seats, endings, list(tally.metrics))
    if name not in known:
        raise UserMistake(f"[contract]: no figure is named '{name}'. {nearest(name, known)}")
    if name == "seat_gap":
        return _gap_line(name, where, limits, by_winner[2:], games, level)
    if name in _QUANTILES:
        return _quantile_line(name, where, limits, length, _QUANTILES[name], level)
    if name == "turns_mean":
        return _mean_line(name, where, limits, length, level, "turns")
    if name == "draw_rate":
        return _rate_line(name, where, limits, int(by_winner[:2].sum()), games, level)
    if name.endswith("_win") and name[:-4] in seats:
        return _rate_line(name, where, limits, int(by_winner[2 + list(seats).index(name[:-4])]), games, level)
    if name.startswith("ending_") and name[7:] in endings:
        count = int(outcomes.sum(axis=(0, 2))[list(endings).index(name[7:])])
        return _rate_line(name, where, limits, count, games, level)
    return _mean_line(name, where, limits, tally.metrics[name.removesuffix("_mean")], level, "")


def _word(limits: tuple[float, float], low: float, high: float) -> Word:
    if low >= limits[0] and high <= limits[1]:
        return MET
    if high < limits[0] or low > limits[1]:
        return BROKEN
    return UNDECIDED


def _decider(level: float) -> tuple[float, float]:
    return normal_quantile(level), NormalDist().inv_cdf(_POWER)


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


def _rate_games(rate: float, edges: Sequence[float], level: float) -> float:
    z, power = _decider(level)
    need = 0.0
    for edge in edges:
        if rate == edge:
            return math.inf
        if not 0 < edge < 1:
            continue
        spread = z * math.sqrt(edge * (1 - edge)) + power * math.sqrt(rate * (1 - rate))
        need = max(need, (spread / (rate - edge)) ** 2)
    return need


def _rate_line(name: str, where: str, limits: tuple[float, float], count: int, games: int, level: float) -> Line:
    low, high = (float(end) for end in clopper_pearson(count, games, level))
    rate = count / games if games else math.nan
    word = _word(limits, low, high)
    more = None
    if word == UNDECIDED and games:
        more = _more(_rate_games(rate, _edges(limits, rate), level), games)
    return Line(name, where, limits, rate, low, high, word, more, "%")


def _gap_line(name: str, where: str, limits: tuple[float, float], wins: Any, games: int, level: float) -> Line:
    """Largest difference between two seats: each pair of seats takes its part of the level."""
    seats = len(wins)
    pairs = [(i, j) for i in range(seats) for j in range(i)]
    gap = float(max(wins) - min(wins)) / games if games and pairs else 0.0
    low, high = 0.0, 0.0
    each = 1 - (1 - level) / max(len(pairs), 1)
    for i, j in pairs:
        ends = score_interval(float(wins[i]), float(wins[j]), games, each)
        low = max(low, ends[0], -ends[1])
        high = max(high, abs(ends[0]), abs(ends[1]))
    word = _word(limits, low, high)
    more = None
    if word == UNDECIDED and games:
        z, power = _decider(each)
        spread = math.sqrt(max(float(max(wins) + min(wins)) / games - gap * gap, 1 / games))
        short = min((abs(gap - edge) for edge in _edges(limits, gap) if edge > 0), default=0.0)
        more = _more(((z + power) * spread / short) ** 2, games) if short > 0 else None
    return Line(name, where, limits, gap, low, high, word, more, "points")


def _mean_line(
    name: str, where: str, limits: tuple[float, float], histogram: Histogram, level: float, unit: str
) -> Line:
    mean = mean_from_histogram(*histogram, level)
    word = _word(limits, mean.low, mean.high)
    more = None
    if word == UNDECIDED and mean.count > 1:
        z, power = _decider(level)
        short = min(abs(mean.mean - edge) for edge in _edges(limits, mean.mean))
        more = _more(((z + power) * mean.sd / short) ** 2, mean.count) if short > 0 else None
    return Line(name, where, limits, mean.mean, mean.low, mean.high, word, more, unit)


def _quantile_line(
    name: str, where: str, limits: tuple[float, float], histogram: Histogram, q: float, level: float
) -> Line:
    values, counts = histogram
    at = quantile_from_histogram(values, counts, q)
    low, high = quantile_interval(values, counts, q, level)
    word = _word(limits, low, high)
    total = int(np.sum(counts))
    more = None
    if word == UNDECIDED and total:
        # The quantile is at most m exactly when a share of q or more lies at m or below.
        need = 0.0
        for edge in _edges(limits, at):
            inside = values <= edge if edge == limits[1] else values < edge
            share = float(np.sum(counts[inside])) / total
            need = max(need, _rate_games(share, [q], level))
        more = _more(need, total)
    return Line(name, where, limits, at, low, high, word, more, "turns")
