"""Statistics of win chances turn by turn: drama, when a game is decided, runaway leaders.

A win chance is the share of simulated futures that a side wins. It is noisy, and maxima and thresholds of noisy numbers
are biased. The futures of each position therefore come in two independent halves: one half is used to select, the other
to measure, and squares are products of the two halves. Where that is impossible, a difference counts only if it exceeds
the noise, adjusted for the number of comparisons. Each game is a cluster: statistics are means over games, and their
intervals reflect how games differ.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from simlab.stats.bounded_mean import mean_bounds, mean_p_value
from simlab.stats.cluster_robust import as_share, clustered_ratio
from simlab.stats.intervals import Floats, student_quantile, wilson
from simlab.stats.p_values import holm

DECIDED = 0.95  #: a game is decided once all chances stay this close to the result
FALSE = 0.05  #: chance that noise alone makes a side appear ahead at some point of a game with equal chances
BEHIND = 0.3  #: with two sides, a side below this chance is behind; with k sides, 2/k of it
BINS = 10  #: number of bins of the calibration
ENOUGH = 30  #: games that a bin needs for an interval
_FEW = 10  # games that decide a share, below which their lengths matter
PART = 3  #: the leader after 1/PART of a game is compared with the winner
_RACES, _FITTED = 60_000, 20_000
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Course:
    """The win chances of one game at the start of each turn.

    Attributes:
        turns: numbers of the turns, shape (positions,).
        first, second: shares of futures won, two independent halves, shape (positions, sides).
        futures: number of futures per position, both halves together. worth: effective number of independent futures; 0
            if all are independent.
        won: 1.0 for a winner, else 0.0, shape (sides,).
    """

    game: int
    turns: tuple[int, ...]
    first: Floats
    second: Floats
    futures: int
    won: Floats
    worth: float = 0.0

    @cached_property
    def chances(self) -> Floats:
        """Win chances from all futures together, shape (positions, sides)."""
        return (self.first + self.second) / 2

    @cached_property
    def _gap(self) -> tuple[Floats, Floats]:
        """Lead of the best other side over the best placed winner, in win chance and in standard errors, shape
        (positions,).
        """
        won = self.won > 0
        mine, best = self.chances[:, won].max(axis=1), self.chances[:, ~won].max(axis=1)
        return best - mine, (best - mine) / _noise(best, mine, self.worth or self.futures)

    @cached_property
    def deficit(self) -> Floats:
        """How far the later winner was behind the best other side, shape (positions,); 0 if not significant.

        Of several winners the one with the best chance counts. The threshold is adjusted for all positions.
        """
        gap, errors = self._gap
        return np.where(errors > certain(self.rivals * len(self.turns)), gap, 0.0)

    @cached_property
    def behind(self) -> Bools:
        """Where the later winner was significantly behind, without adjustment for other positions, (positions,)."""
        return self._gap[1] > certain(2 * self.rivals)

    @property
    def rivals(self) -> int:
        return max(int(self.chances.shape[1]) - 1, 1)

    @property
    def upset(self) -> tuple[float, int, float]:
        """(chance, turn, checked chance) of a winner at its lowest, or (1, 0, 1) if nobody won.

        One half of the futures finds the turn and its chance; the other half estimates the chance of that turn again,
        without the bias of having been picked as the lowest.
        """
        winners = np.flatnonzero(self.won)
        if winners.size == 0:
            return 1.0, 0, 1.0
        place = np.unravel_index(int(self.first[:, winners].argmin()), (len(self.turns), winners.size))
        at, who = int(place[0]), int(winners[place[1]])
        return float(self.first[at, who]), self.turns[at], float(self.second[at, who])

    @property
    def swing(self) -> tuple[float, int, float]:
        """Largest change of a win chance between turns in one half of the futures, its turn, and the same change in the
        other half, negative if it has the other direction. The end counts as a turn.
        """
        one, other = (np.diff(np.vstack([half, self.won]), axis=0) for half in (self.first, self.second))
        place = np.unravel_index(int(np.abs(one).argmax()), one.shape)
        return float(abs(one[place])), self.turns[int(place[0])], float(np.sign(one[place]) * other[place])

    @property
    def lead_changes(self) -> int:
        """Significant changes of the leader, adjusted for all positions of the game."""
        order = np.argsort(-self.chances, axis=1, kind="stable")
        best, second = np.take_along_axis(self.chances, order[:, :2], axis=1).T
        bound = certain(self.rivals * len(self.turns)) * _noise(best, second, self.worth or self.futures)
        return int(np.count_nonzero(np.diff(order[best - second > bound, 0])))

    @cached_property
    def decided_at(self) -> int:
        """Index of the position from which the game is decided; the number of positions if it stays open to the end."""
        open_ = (np.abs(self.chances - self.won) > 1 - DECIDED + 1e-9).any(axis=1)
        return int(np.flatnonzero(open_)[-1]) + 1 if open_.any() else 0

    @property
    def decided_turn(self) -> int:
        """The turn that decides the game: all chances are close to the result from its end on; the last turn of a game
        that stays open to its end, and the number before the first turn if all chances are close at its start.
        """
        return self.turns[self.decided_at - 1] if self.decided_at else self.turns[0] - 1

    def at(self, turn: int) -> int:
        """Index of the position at the start of a turn, or of the last position before it; -1 if there is none."""
        return int(np.searchsorted(self.turns, turn, "right")) - 1

    def over_before(self, turn: int) -> bool:
        return self.turns[-1] < turn

    def at_turns(self, values: Floats, end: Any, turns: Iterable[int]) -> Floats:
        """The values of the game's positions at each of these turns; after the end of the game, `end`."""
        return np.array([end if self.over_before(turn) else values[max(self.at(turn), 0)] for turn in turns])


def certain(looks: int) -> float:
    """Number of standard errors by which one chance must exceed another to count as higher, adjusted for `looks`
    comparisons.
    """
    return NormalDist().inv_cdf(1 - FALSE / looks)


def worth(courses: Sequence[Course]) -> float:
    """Effective number of independent futures per position, from the difference between the two halves: futures that
    share a deal are correlated.
    """
    plain = float(sum(open_variance(one).sum() for one in courses)) / courses[0].futures
    seen = float(sum(((one.first - one.second) ** 2).sum() for one in courses)) / 4
    return courses[0].futures / max(seen / plain, 1.0) if plain > 0 else float(courses[0].futures)


def _noise(one: Any, other: Any, futures: float) -> Any:
    """Standard error of the difference of two shares of the same futures, if both chances are equal (McNemar 1947)."""
    return np.sqrt(np.maximum(one + other, 1 / futures) / futures)


def biggest_upset(courses: Sequence[Course]) -> Course:
    """The game won from the lowest chance according to one half of the futures."""
    return min(courses, key=lambda one: (one.upset[0], one.game))


def largest_swing(courses: Sequence[Course]) -> Course:
    """The game with the largest change of a chance between turns according to one half of the futures."""
    return max(courses, key=lambda one: (one.swing[0], -one.game))


@dataclass(frozen=True)
class Statistic:
    """A statistic of a sample of games. games: number in which it is defined. unit: "%" for a share, "points" for a
    difference of shares, "" for a number.
    """

    name: str
    value: float
    low: float
    high: float
    games: int
    unit: str = "%"


def mean_statistic(name: str, values: npt.ArrayLike, unit: str = "%") -> Statistic:
    """The mean over games of one number per game."""
    each = np.asarray(values, np.float64)
    return ratio_statistic(name, each, np.ones(each.size), np.arange(each.size), unit)


def ratio_statistic(
    name: str, top: npt.ArrayLike, bottom: npt.ArrayLike, game: npt.ArrayLike, unit: str = "%"
) -> Statistic:
    """sum(top) / sum(bottom) over entries whose games are clusters.

    The interval of a share comes from `as_share`. If all games agree, the interval of a number allows for as many games
    that differ by 1 as a sample of this size may have missed.
    """
    above, below = np.asarray(top, np.float64), np.asarray(bottom, np.float64)
    ratio = clustered_ratio(above, below, game, np.zeros(above.size, np.int64))
    if unit == "%":
        deciding = min(np.unique(np.asarray(game)[some]).size for some in (above > 0, above < below))
        # Where a share comes from few games, they may be short by chance: then no game counts more than once.
        ratio = as_share(ratio, most=ratio.count if deciding < _FEW else math.inf)
    ends = (ratio.low, ratio.high)
    if unit != "%" and ratio.count > 1 and ratio.se <= 1e-12:
        step = float(wilson(0, ratio.count)[1])
        ends = (ratio.value - step, ratio.value + step)
    low, high = -1.0 if unit == "points" else 0.0, math.inf if unit == "" else 1.0
    return Statistic(name, ratio.value, max(ends[0], low), min(ends[1], high), ratio.count, unit)


def statistics(courses: Sequence[Course]) -> list[Statistic]:
    """The statistics of a sample of games (simlab.questions.course.words.LABELS); undefined ones are left out.

    Source: drama is the eventual winner's disadvantage, its average the mean of its root over the positions where the
        winner was behind: Browne (2008), Automatic Generation and Evaluation of Recombination Games, and Browne and
        Maire (2010), IEEE TCIAIG 2(1), 1-16; win chances replace their estimate of a position. Uncertainty
        and decisiveness follow their ideas, with a formula of our own.
    """
    won = [one for one in courses if one.won.any() and not one.won.all()]  # with winners and losers
    made: list[Statistic] = []
    if won:
        behind = [one.deficit for one in won]
        drama = [float(np.sqrt(gap[gap > 0]).mean()) if (gap > 0).any() else 0.0 for gap in behind]
        made += [
            mean_statistic("behind", [float(one.behind.mean()) for one in won]),
            mean_statistic("came_from_behind", [float((gap > 0).any()) for gap in behind]),
            mean_statistic("drama", drama, unit=""),
            mean_statistic("lowest", [_lowest(one) for one in won]),
        ]
    decided = mean_statistic("decided_turn", [float(one.decided_turn) for one in courses], unit="")
    longest = max(one.turns[-1] for one in courses)
    made += [
        mean_statistic("lead_changes", [float(one.lead_changes) for one in courses], unit=""),
        replace(decided, high=min(decided.high, float(longest))),  # no game is decided after its last turn
        mean_statistic("after_decided", [1 - one.decided_at / len(one.turns) for one in courses]),
        mean_statistic("open_to_the_end", [float(one.decided_at == len(one.turns)) for one in courses]),
    ]
    rest = [open_variance(one) for one in courses]
    start = np.array([own[0] for own in rest])
    if start.sum() > 0:
        means = [float(own.mean()) for own in rest]
        made.append(ratio_statistic("uncertainty", means, np.maximum(start, 1e-12), np.arange(len(rest)), ""))
    return made + _comebacks(courses) + _runaway(courses)


def _lowest(course: Course) -> float:
    """Lowest win chance of the best placed winner, found in one half of the futures and measured in the other."""
    won = course.won > 0
    one, other = course.first[:, won].max(axis=1), course.second[:, won].max(axis=1)
    return float(other[one.argmin()] + one[other.argmin()]) / 2


def open_variance(course: Course) -> Floats:
    """Variance of who wins at each position, sum of p (1 - p) over the sides; unbiased, shape (positions,)."""
    return np.asarray((course.chances - course.first * course.second).sum(axis=1), np.float64)


# --- Comebacks ------------------------------------------------------------------


def below(sides: int) -> float:
    """The chance below which a side is behind: 30 % with two sides, 2/k of it with k sides."""
    return BEHIND * 2 / sides


def _comebacks(courses: Sequence[Course]) -> list[Statistic]:
    """How often a side won after it had fallen below the bound (`below`), and its chances at that moment."""
    bound = below(courses[0].won.size)
    start = np.mean([one.chances[0] for one in courses], axis=0)
    entries: list[tuple[int, float, float]] = []
    for number, one in enumerate(courses):
        for side in np.flatnonzero(start >= bound):
            fallen = np.flatnonzero(one.first[:, side] < bound)
            if fallen.size:
                entries.append((number, float(one.won[side]), float(one.second[fallen[0], side])))
    if not entries:
        return []
    game, won, chance = (np.array(column) for column in zip(*entries, strict=True))
    ones = np.ones(game.size)
    return [ratio_statistic("comebacks", won, ones, game), ratio_statistic("comeback_chance", chance, ones, game)]


# --- Runaway leaders ------------------------------------------------------------


def third(courses: Sequence[Course]) -> int:
    """The turn after one third of a game of median length."""
    length = float(np.median([one.turns[-1] - one.turns[0] + 1 for one in courses]))
    first = min(one.turns[0] for one in courses)
    return first + max(round(length / PART), 1)


def _runaway(courses: Sequence[Course]) -> list[Statistic]:
    """How often the leader after a third of the game wins, compared with an even race."""
    when, starts = third(courses), np.array([one.chances[0] for one in courses])
    there = [one for one in courses if not one.over_before(when)]
    if not there:
        return []
    rows = np.array([one.chances[one.at(when)] for one in there])  # both halves together
    sole = (rows == rows.max(axis=1, keepdims=True)).sum(axis=1) == 1
    side = rows.argmax(axis=1)[sole]
    if side.size < 2:
        return []
    won, start = np.array([one.won for one in there])[sole, side], starts.mean(axis=0)
    spread = starts.std(axis=0, ddof=1) / math.sqrt(len(courses))
    half = student_quantile(0.95, len(courses) - 1) * float(spread[side].mean())

    def expected(name: str, values: Floats) -> Statistic:
        """A mean computed from the chances at the start of the games, with an interval for the noise of the chances."""
        mean = float(values.mean())
        return Statistic(name, mean, max(mean - half, 0.0), min(mean + half, 1.0), values.size)

    made = [mean_statistic("leader_wins", won), expected("leader_start", start[side])]
    if float(start.sum()) < 1.02 and start.min() > 0:  # with shared wins there is no race with one winner
        race = even_race(start)[side]
        chance, more = expected("leader_race", race), mean_statistic("runaway", won - race, "points")
        # Of few games nearly all have leaders that win, or nearly none: their variation is not informative.
        low, high = (end - chance.value for end in (made[0].low, made[0].high))
        more = replace(more, low=min(more.low, low), high=max(more.high, high))
        made += [chance, more]
    return made


def even_race(start: npt.ArrayLike, part: float = 1 / PART) -> Floats:
    """How often the leader after part of a race wins the race, if the sides move only by even, independent chance.

    Each side is a Brownian motion with a head start that matches its chance; the highest at the end wins. A lead has no
    further advantage: a game in which leaders win more often favours leaders.

    Args:
        start: win chances at the start, shape (sides,). If they sum to less than 1, the rest is the chance that nobody
            wins.
    Returns:
        win chance of each side, given that it leads after that part; nan for a side that never leads. Simulated,
        standard error about 0.003. With two equal sides it is 1/2 + arcsin(sqrt(part)) / pi (arcsine law of the
        correlation of two normal numbers; Sheppard 1899).
    """
    chances = np.asarray(start, np.float64)
    sides = chances.size
    if chances.sum() < 0.995:
        chances = np.append(chances, 1 - chances.sum())
    chances = np.clip(chances / chances.sum(), 1e-6, 1 - 1e-6)
    draw = np.random.default_rng(63)
    early = draw.normal(size=(_RACES, chances.size)) * math.sqrt(part)
    late = early + draw.normal(size=early.shape) * math.sqrt(1 - part)
    wanted = np.array([NormalDist().inv_cdf(p) for p in chances])
    ahead = np.zeros(chances.size)
    for _ in range(15):
        share = np.bincount((late[:_FITTED] + ahead).argmax(axis=1), minlength=chances.size) / _FITTED
        reached = np.array([NormalDist().inv_cdf(min(max(p, 1e-6), 1 - 1e-6)) for p in share])
        ahead += (wanted - reached) * 1.2
        ahead -= ahead.mean()
    leader, winner = (early + ahead)[:, :sides].argmax(axis=1), (late + ahead).argmax(axis=1)
    led = np.bincount(leader, minlength=sides)
    kept = np.bincount(leader, leader == winner, minlength=sides)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(led > 0, kept / led, np.nan), np.float64)


# --- Calibration ----------------------------------------------------------------


@dataclass(frozen=True)
class Bin:
    """Positions with similar predicted win chances.

    Attributes:
        predicted: mean win chance. won: share of these positions that was won. gap: won minus predicted.
        gap_low, gap_high, gap_p_value: its 95 % interval, and the p-value of no gap, unadjusted; None with fewer than
            ENOUGH games.
    """

    low: float
    high: float
    positions: int
    games: int
    predicted: float
    won: float
    gap: float
    gap_low: float | None = None
    gap_high: float | None = None
    gap_p_value: float | None = None


def calibration(courses: Sequence[Course]) -> list[Bin]:
    """Predicted chances compared with results, by bins of the chance. One half of the futures assigns the bins, the
    other predicts: both are means of the same true chances, so they differ only by sampling noise.
    """
    first = np.concatenate([one.first.ravel() for one in courses])
    second = np.concatenate([one.second.ravel() for one in courses])
    won = np.concatenate([np.broadcast_to(one.won, one.first.shape).ravel() for one in courses])
    game = np.concatenate([np.full(one.first.size, number) for number, one in enumerate(courses)])
    place = np.minimum((first * BINS).astype(np.int64), BINS - 1)
    made = []
    for bin_ in np.unique(place):
        here = (place == bin_).astype(np.float64)
        gap = clustered_ratio(here * (won - second), here, game, np.zeros(game.size, np.int64))
        gaps = here * (won - second)
        interval = _gap_interval(gaps, here, game) if gap.count >= ENOUGH else (None, None, None)
        positions = here.sum()
        predicted, share = (float((here * of).sum() / positions) for of in (second, won))
        low = float(bin_) / BINS
        made.append(Bin(low, low + 1 / BINS, int(positions), gap.count, predicted, share, gap.value, *interval))
    return made


def _gap_interval(gaps: Floats, here: Floats, game: npt.NDArray[Any]) -> tuple[float, float, float]:
    """Interval and p-value of the mean gap of a bin. Games are clusters; their sums are bounded but skewed.

    In the outer bins one game in many decides the gap, so Student's t is not good enough. If the chances are
    calibrated, the sum of each game has a mean of 0.
    """
    positions = np.bincount(game, here)
    sums, positions = np.bincount(game, gaps)[positions > 0], positions[positions > 0]
    most = float(positions.max())
    gap = float(sums.sum() / positions.sum())
    values, counts = np.unique(sums, return_counts=True)
    p_value = mean_p_value(values, counts, -most, most)
    values, counts = np.unique(sums - gap * positions, return_counts=True)
    reach = most * (1 + abs(gap))
    low, high = gap + mean_bounds(values, counts, -reach, reach) / positions.mean()
    return max(float(low), -1.0), min(float(high), 1.0), p_value


def off_bins(bins: Sequence[Bin]) -> list[Bin]:
    """The bins in which predictions and results differ significantly (Holm adjustment over the bins)."""
    judged = [(one, one.gap_p_value) for one in bins if one.gap_p_value is not None]
    adjusted = holm([p for _, p in judged]) if judged else ()
    return [one for (one, _), p in zip(judged, adjusted, strict=True) if p < 0.05]


# --- By turn --------------------------------------------------------------------

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
_MOST_TURNS = 60  # most turns kept, evenly spread


@dataclass(frozen=True)
class ByTurn:
    """Win chances at the start of each turn. A finished game counts with its result.

    Attributes:
        mean: side x turn. quantiles: side x QUANTILES x turn. open: variance of who wins, relative to the start.
    """

    turns: list[int]
    mean: list[list[float]]
    quantiles: list[list[list[float]]]
    open: list[float]


def by_turn(courses: Sequence[Course]) -> ByTurn:
    """The chances by turn, up to the turn at which 95 % of the games are over."""
    first = min(one.turns[0] for one in courses)
    last = int(np.quantile([one.turns[-1] for one in courses], 0.95)) + 1
    turns = np.unique(np.linspace(first, last, min(last - first + 1, _MOST_TURNS)).astype(int))
    table = np.array([one.at_turns(one.chances, one.won, turns) for one in courses])  # games, turns, sides
    still = np.mean([one.at_turns(open_variance(one), 0.0, turns) for one in courses], axis=0)
    return ByTurn(
        turns.tolist(), table.mean(axis=0).T.tolist(),
        np.moveaxis(np.quantile(table, QUANTILES, axis=0), 2, 0).tolist(),
        (np.maximum(still, 0.0) / still[0]).tolist() if still[0] > 0 else [0.0] * turns.size,
    )  # fmt: skip
