"""The balance contract: the designer's requirements, compared with the games played.

A line of the contract names a figure and a band, `besieger_win = {target = 0.5, margin = 0.03}` or
`turns_p90 = {max = 14}`. It is met when the figure's whole interval lies in the band, broken when all of it
lies outside, and inconclusive in all other cases; the line then estimates how many more games are needed.

The intervals are confidence sequences (simlab.stats.sequential): a verdict holds however often one looks, and
adding games until all lines are decided is allowed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from simlab.errors import InputError, check_keys
from simlab.stats.figure import Counts, Figure, Figures, Gap, Mean, Quantile, Share, quantile_name
from simlab.stats.intervals import Reading, level_of_each
from simlab.stats.sequential import games_to_decide, games_to_decide_mean
from simlab.words import two_digits

Word = Literal["met", "broken", "inconclusive"]
MET: Word = "met"
BROKEN: Word = "broken"
UNDECIDED: Word = "inconclusive"
EXIT_STATUS: dict[Word, int] = {MET: 0, BROKEN: 1, UNDECIDED: 3}  #: exit status of a command, by verdict

_ENOUGH = 10**12  # more games than anyone plays; reported as such


@dataclass(frozen=True)
class Line:
    """One clause of the contract compared with one cell.

    Attributes:
        where: label of the cell, or "". games: number of its games. band: (low, high), infinite where open.
        estimate, low, high: the statistic and its interval, in its own unit (rates in 0..1).
        more_games: if inconclusive: games to add for a probability of 80 % to decide; None if no number is enough (the
            statistic is on the edge of the band).
        hindrance: why no number of games decides, if the reason is not that the statistic is on the edge.
    """

    figure: Figure
    where: str
    games: int
    band: tuple[float, float]
    estimate: float
    low: float
    high: float
    verdict: Word
    more_games: int | None
    hindrance: str = ""

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        text = f"{self.figure.words}: {self.number(self.estimate)} ({self.ends}); wanted {self.wanted}: {self.verdict}"
        if self.verdict != UNDECIDED:
            return f"{text}."
        if self.more_games is None:
            return f"{text}; {self.hindrance or 'the value is on the very edge, where no number of games decides'}."
        return f"{text}; about {self.more_games:,} more games would decide it if the estimate is right."

    @property
    def wanted(self) -> str:
        """The band in words."""
        return band_text(self.figure, self.band)

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

    def number(self, value: float, named: bool = True) -> str:
        """A figure in the line's unit, with as many digits as its interval justifies."""
        if not math.isfinite(value):
            return "?"
        unit, scale = self.figure.unit if named else "", self.figure.scale
        if isinstance(self.figure, Quantile):  # a whole number
            return f"{value:g} {unit}".rstrip()
        digits = digits_for((self.high - self.low) * scale)
        return f"{decimals(value * scale, digits)} {unit}".rstrip()


def band_text(figure: Figure, limits: tuple[float, float]) -> str:
    """A band in words, its edges as the designer wrote them: `45 to 55 %`, `at least 6 turns`."""
    low, high = (f"{round(edge * figure.scale, 9):,.10g}" for edge in limits)
    text = f"{low} to {high}"
    if math.isinf(limits[0]) or math.isinf(limits[1]):
        text = f"at most {high}" if math.isinf(limits[0]) else f"at least {low}"
    return f"{text} {figure.unit}".rstrip()


def digits_for(width: float) -> int:
    """Number of decimals for an estimate whose interval has this width; 1 for widths from 0.5 to 5."""
    if not math.isfinite(width) or width <= 0:
        return 2
    return min(max(math.ceil(round(-math.log10(width / 5), 6)), 0), 6)


def decimals(value: float, digits: int) -> str:
    """A number with this many decimals: `1,234.50`.

    The last bits of a sum depend on the processor: 97.95 is first made exactly 97.95, so that it is not printed as 97.9
    on one machine and as 98.0 on another.
    """
    return f"{round(value, digits + 6):,.{digits}f}"


@dataclass(frozen=True)
class Clause:
    """One clause of the contract, a line per cell: `met` if every cell meets it, `broken` if one breaks it."""

    figure: Figure
    verdict: Word
    lines: tuple[Line, ...]

    @property
    def sentence(self) -> str:
        """The verdict in words: for one cell the line's verdict, for several the number of cells by verdict."""
        if len(self.lines) == 1:
            return self.lines[0].sentence
        seen = [line.verdict for line in self.lines]
        counts = {word: seen.count(word) for word in (MET, BROKEN, UNDECIDED) if word in seen}
        cells = f"{len(self.lines):,} cells"
        if len(counts) == 1:
            verdicts = f"{next(iter(counts))} in all {cells}" if self.lines else "no cell was played"
        else:
            verdicts = ", ".join(f"{word} in {number:,}" for word, number in counts.items()) + f", of {cells}"
        wanted = f", wanted {self.lines[0].wanted}" if self.lines else ""
        open_lines = [line for line in self.lines if line.verdict == UNDECIDED]
        more = [line.more_games for line in open_lines if line.more_games is not None]
        which = "the rest" if len(more) == len(open_lines) else "what can be decided"
        enough = f"about {max(more, default=0):,} more games per cell would decide {which} if the estimates are right"
        rest = f"; {enough}" if more else ""
        return f"{self.figure.words}{wanted}: {verdicts}{rest}."


def band(name: str, wanted: Mapping[str, Any]) -> tuple[float, float]:
    """The band of a clause, {target, margin} or {min}, {max} or both, as (low, high).

    Raises:
        InputError: other keys, no numbers, an empty band, or a target without margin.
    """
    keys = set(wanted)
    where = f"[contract] {name}"
    check_keys(wanted, ("target", "margin", "min", "max"), where)
    numbers = {}
    for key, value in wanted.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
            raise InputError(f"{where}: {key} = {value!r} is not a number.")
        numbers[key] = float(value)
    if keys == {"target", "margin"}:
        if numbers["margin"] <= 0:
            raise InputError(f"{where}: margin = {wanted['margin']} leaves no room. Use a margin above 0.")
        return numbers["target"] - numbers["margin"], numbers["target"] + numbers["margin"]
    if not keys or keys & {"target", "margin"}:
        raise InputError(f"{where}: give {{target, margin}}, or min, max or both.")
    low, high = numbers.get("min", -math.inf), numbers.get("max", math.inf)
    if low > high:
        raise InputError(f"{where}: min = {wanted['min']} is above max = {wanted['max']}.")
    return low, high


def judge(
    contract: Mapping[str, Mapping[str, Any]],
    cells: Sequence[tuple[str, Counts]],
    figures: Figures,
    level: float = 0.95,
) -> list[Clause]:
    """Compares a contract with the counts of one cell or of several.

    Args:
        contract: name -> band, as in the experiment file. cells: (label, tally) of each cell.
        level: the joint level of the intervals of all clauses and cells (Bonferroni).
    Returns:
        a Clause for each name, in the contract's order.
    Raises:
        InputError: an unknown name, a mean of a category, an invalid band, a number that was not counted, or a game
            outside a stated range.
    """
    family = max(len(contract) * len(cells), 1)
    each = level_of_each(level, family)
    clauses = []
    for name, wanted in contract.items():
        limits = band(name, wanted)
        figure = figures.find(name, "[contract]")
        lines = tuple(_line(figure, where, limits, counts, each) for where, counts in cells)
        clauses.append(Clause(figure, overall(lines) if lines else UNDECIDED, lines))
    return clauses


def overall(parts: Sequence[Any]) -> Word:
    """The verdict on parts that have one: broken if a part is, otherwise inconclusive if one is, otherwise met."""
    words = {part.verdict for part in parts}
    return BROKEN if BROKEN in words else UNDECIDED if UNDECIDED in words else MET


def _line(figure: Figure, where: str, limits: tuple[float, float], counts: Counts, level: float) -> Line:
    if figure.topic in ("category", "score", "number") and counts.games and not counts.histogram(figure.column)[0].size:
        raise InputError(f"[contract] {figure.name}: these games have no {figure.column}.")
    try:
        reading = figure.sequence(counts, level)
    except ValueError as fault:
        raise InputError(
            f"[contract] {figure.name}: {fault} that the game states. Run `simlab dev check-game`; correct outcome() "
            "or the range."
        ) from None
    word = word_of(limits, reading.low, reading.high)
    more, hindrance = None, ""
    if word == UNDECIDED and counts.games:
        more, hindrance = _more_games(figure, reading, limits, counts, level)
    return Line(figure, where, counts.games, limits, *reading, word, more, hindrance)


def word_of(limits: tuple[float, float], low: float, high: float) -> Word:
    """The verdict: met if the whole interval lies in the band, broken if all of it lies outside, else inconclusive."""
    if low >= limits[0] and high <= limits[1]:
        return MET
    if high < limits[0] or low > limits[1]:
        return BROKEN
    return UNDECIDED


def _edges(limits: tuple[float, float], estimate: float) -> list[float]:
    """The edges of the band that are not excluded yet: both if the estimate lies between them, else the nearer one."""
    finite = [edge for edge in limits if math.isfinite(edge)]
    if limits[0] <= estimate <= limits[1]:
        return finite
    return [min(finite, key=lambda edge: abs(edge - estimate))]


def span_to_decide(
    games: float, limits: tuple[float, float], value: float, low: float, high: float
) -> tuple[float, float]:
    """The fewest and the most games until a figure is decided, because the truth may lie anywhere in its interval.

    Args:
        games: number of games that decide if the truth is `value`. limits: the band.
    Returns:
        (fewest, most); `most` is infinite if the interval contains an edge of the band.
    Source: the number of games is proportional to 1 / distance^2 from the edges, apart from logarithms and the figure's
    spread.
    """

    def gap(at: float) -> float:
        return min((abs(at - edge) for edge in _edges(limits, at)), default=math.inf)

    here = gap(value)
    gaps = [gap(float(at)) for at in np.linspace(low, high, 101)]
    inside = any(low <= edge <= high for edge in limits)
    if not here or not math.isfinite(here):
        return games, games
    return games * (here / max(gaps)) ** 2, math.inf if inside else games * (here / min(gaps)) ** 2


def _rate_needed(rate: float, edges: Sequence[float], level: float) -> list[float]:
    inside = [edge for edge in edges if 0 < edge < 1]
    sd = math.sqrt(max([rate * (1 - rate), *(edge * (1 - edge) for edge in inside)]))
    return [games_to_decide(abs(rate - edge), sd, level) for edge in inside]


def _more_games(
    figure: Figure, reading: Reading, limits: tuple[float, float], counts: Counts, level: float
) -> tuple[int | None, str]:
    """Games to add until a statistic's interval excludes the edges of its band, rounded up; at least a tenth of those
    played, because the estimate also changes.

    Returns:
        (games, or None if no number suffices or no game counts yet; the reason, if it is not a statistic on an edge).
    """
    edges, hindrance = _edges(limits, reading.value), ""
    if isinstance(figure, Mean):
        histogram, low, high = figure.histogram(counts), figure.measure.low, figure.measure.high
        games = int(np.sum(histogram[1]))
        if games < 2:
            return None, ""
        needs = [games_to_decide_mean(*histogram, edge, level, low, high) for edge in edges]
        unstated = ["low"] if low is None and min(edges, default=reading.value) < reading.value else []
        unstated += ["high"] if high is None and max(edges, default=reading.value) > reading.value else []
        if unstated:
            what = figure.column
            hindrance = (
                f"the game states no {' and no '.join(unstated)} for {what}, without which rare games could move the "
                f"mean by any amount: state it, or ask for a quantile, as {quantile_name(what, 90)}"
            )
    elif isinstance(figure, Quantile):
        values, counted = figure.histogram(counts)
        games, needs = int(np.sum(counted)), []
        for edge in edges if games else ():
            # The quantile is at most m exactly when a share of at least q of the games lies at or below m.
            share = float(np.sum(counted[values <= edge if edge == limits[1] else values < edge])) / games
            needs += _rate_needed(share, [figure.q], 1 - (1 - level) / 2)
    elif isinstance(figure, Gap):
        games, each = counts.games, figure.pair_level(counts.wins, level)
        sd = math.sqrt(max(float(max(counts.wins) + min(counts.wins)) / games - reading.value**2, 1 / games))
        needs = [games_to_decide(abs(reading.value - edge), sd, each) for edge in edges if edge > 0]
    else:
        assert isinstance(figure, Share)
        games = figure.count(counts)[1]
        needs = _rate_needed(reading.value, edges, level)
    total = max(needs, default=0.0)
    if not games or not math.isfinite(total) or total > _ENOUGH:
        return None, hindrance
    return two_digits(max(total - games, games / 10), up=True), hindrance
