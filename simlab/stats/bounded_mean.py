"""Mean of a number that has a range, from few games or many, even if hardly any game differs from the rest.

Student's interval has no width if all games agree, and is far too narrow if one game in a thousand differs.
Gaffke's bound avoids both problems: it adds one game with the worst value that the range allows, and gives every game a
random weight. For a share of games it is the exact interval of Clopper and Pearson; for a number that varies from game
to game it approaches Student's interval as the number of games grows.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from simlab.stats.intervals import (
    Floats,
    Reading,
    clopper_pearson,
    mean_from_histogram,
    normal_quantile,
    student_quantile,
)

_MOST_STEPS = 200  # of a search, which usually takes six to ten
_RARE = 0.25  # share of the games off the commonest value; below it, few games may decide a mean
_RARE_SUM = 0.4  # the same for games of several cells, of which some count more than others
_UNSEEN = 0.02  # share of those games that an unseen kind of game may make up
_SKEWED = 0.2  # skewness divided by the root of the number of games; above it, Student's interval covers too rarely
_KEPT_VALUES = 256  # most values of a histogram whose interval is cached, so that the cache takes a few megabytes
_NEAR = 1e-4  # standard scores below which the correction of a tail is taken from its series


def mean_bounds(values: npt.ArrayLike, counts: npt.ArrayLike, low: float, high: float, level: float = 0.95) -> Floats:
    """Interval for the mean of a number that lies in low..high, shape (..., 2); without games, (low, high).

    The width is 0 only if the range has a width of 0.

    Args:
        counts: shape (..., k), 0 or more. low, high: the range; infinite if that side is unbounded.
    Raises:
        ValueError: also for a value outside the range.
    Source: Gaffke (2005), Mathematical Methods of Statistics 14(4), 451-467; Learned-Miller and Thomas (2020),
        arXiv:1905.06208. Coverage is proved for numbers with two values, and no exception is known for other numbers;
        the tests simulate it.
    """
    x, n = np.asarray(values, np.float64), np.asarray(counts, np.float64)
    z = normal_quantile(level)
    if x.ndim != 1 or n.shape[-1:] != x.shape or np.any(n < 0):
        raise ValueError(f"values and counts do not go together: {x.shape} and {n.shape}")
    if np.any(((x < low) | (x > high)) & (n > 0)):
        raise ValueError(f"a value lies outside {low:g}..{high:g}")
    table = n.reshape(-1, x.size)
    rows = len(table)
    signs = np.repeat([-1.0, 1.0], rows)  # the lower end is the upper end of the negated numbers
    bounds = _upper(signs[:, None] * x, np.vstack([table, table]), np.repeat([-low, high], rows), z)
    return np.stack([0.0 - bounds[:rows], bounds[rows:]], axis=-1).reshape(*n.shape[:-1], 2)


def mean_interval(
    values: npt.ArrayLike,
    counts: npt.ArrayLike,
    low: float | None = None,
    high: float | None = None,
    level: float = 0.95,
) -> Reading:
    """Mean of a number with an interval that also holds for rare values. All reports of a mean use this interval.

    It is Student's interval, unless few games differ from the commonest value, or the values are very skewed for their
    number. Then it contains both Student's interval and that of `mean_bounds`.

    Args:
        low, high: range that the game declares; None or infinite if it declares none. If few games decide the mean,
            the interval has no end on a side without a declared range: one game in a thousand may have any value, and
            no other game excludes it. For skewed values, the least and greatest values seen are used; values never
            seen are not covered.
    Source: fewer games than `simlab.stats.paired.most_change` requires count as few, 185 at a level of 0.95. Coverage
        is simulated in the tests.
    """
    x, n = np.asarray(values, np.float64), np.asarray(counts, np.float64)
    if x.size > _KEPT_VALUES:
        return _mean_interval(x, n, low, high, level)
    return _kept_interval(x.tobytes(), n.tobytes(), low, high, level)


@functools.lru_cache(maxsize=2_048)  # a run's tables, sections and sentences ask for the same means
def _kept_interval(values: bytes, counts: bytes, low: float | None, high: float | None, level: float) -> Reading:
    return _mean_interval(np.frombuffer(values), np.frombuffer(counts), low, high, level)


def _mean_interval(x: Floats, n: Floats, low: float | None, high: float | None, level: float) -> Reading:
    mean = mean_from_histogram(x, n, level)
    few = few_decide(n, level)
    if n.sum() < 2 or not (few or skewed(x, n)):
        return Reading(mean.value, mean.low, mean.high)
    x, n = x[n > 0], n[n > 0]
    least, most = float(x.min()), float(x.max())
    if few:
        least = -math.inf if low is None else min(least, low)
        most = math.inf if high is None else max(most, high)
    ends = mean_bounds(x, n, least, most, level)
    return Reading(mean.value, max(min(mean.low, float(ends[0])), least), min(max(mean.high, float(ends[1])), most))


def count_interval(
    total: float, squares: float, games: float, level: float = 0.95, having: float | None = None, cells: float = 1.0,
    error: float | None = None,
) -> Reading:  # fmt: skip
    """Mean number of times per game that an event happens, from its sums alone, with an interval.

    Where many games have the event, it is Student's interval. Where few have it, or few games differ from the commonest
    number, a game that was not seen may have it any number of times. The interval then has no upper end, and its lower
    end is that of the share of games that have the event, because each of them has it at least once. If no game has
    it, both ends are nan: the share of games with the event has an interval, its number per game has none.

    Args:
        total, squares: sum over the games of the number, and of its square. games: number of games, 0 or more.
        having: games with the event; None if unknown: then the fewest games with these sums.
        cells: number of cells that share random draws. In the worst case they play the same games, so each game is
            worth 1 / cells. error: standard error of the mean; None: that of games worth as many.
    Source: lower end of a share by Clopper and Pearson (1934); the fewest games with these sums by the Cauchy-Schwarz
        inequality (Kish's effective number); few as in `few_decide`. Coverage is simulated in the tests. Sums do not
        show that few games are far off a commonest number other than 0; only then the interval covers too rarely.
    """
    worth = games / cells
    if worth < 2:
        return Reading(total / games if games else math.nan, -math.inf, math.inf)
    mean = total / games
    if total <= 0:
        return Reading(mean, math.nan, math.nan)
    common = round(mean)
    off = squares - 2 * common * total + common * common * games  # games off the number `common`, or more
    fewest = min(total * total / squares, games) if squares > 0 else games
    with_event = min(fewest if having is None else having, games)
    if min(off, fewest, with_event) / cells < _few(worth, level):
        return Reading(mean, min(float(clopper_pearson(with_event / cells, worth, level)[0]), mean), math.inf)
    if error is None:
        error = math.sqrt(max(squares - total * mean, 0.0) / (games - cells) / worth)
    half = student_quantile(level, worth - 1) * error
    return Reading(mean, max(mean - half, 0.0), mean + half)


def _few(games: float, level: float) -> float:
    """Number of games off the commonest value below which few games decide a mean."""
    return min(_RARE * games, math.log(2 / (1 - level)) / _UNSEEN)


def few_decide(counts: npt.ArrayLike, level: float = 0.95) -> bool:
    """Whether few games differ from the commonest value, so that Student's interval is too narrow."""
    n = np.asarray(counts, np.float64)
    off = float(n.sum() - n.max(initial=0.0))
    return off < _few(float(n.sum()), level)


def few_sums_decide(sums: npt.ArrayLike, level: float = 0.95) -> bool:
    """As `few_decide`, for the sum of each game over several cells: whether the effective number (Kish) of games that
    differ from the commonest sum is small. In simulated runs Student's interval of the others covers in 96 % or more.
    """
    seen, games = np.unique(np.asarray(sums, np.float64), return_counts=True)
    off = np.abs(seen - seen[games.argmax()])
    total, squares = float(games @ off), float(games @ off**2)
    return total**2 <= min(_RARE_SUM * float(games.sum()), math.log(2 / (1 - level)) / _UNSEEN) * squares


def skewed(values: npt.ArrayLike, counts: npt.ArrayLike) -> bool:
    """Whether numbers are so skewed for the number of games that Student's interval covers too rarely."""
    x, n = np.asarray(values, np.float64), np.asarray(counts, np.float64)
    off = x - (n * x).sum() / n.sum()
    return bool(abs((n * off**3).sum()) > _SKEWED * (n * off**2).sum() ** 1.5)


def mean_p_value(values: npt.ArrayLike, counts: npt.ArrayLike, low: float, high: float, at: float = 0.0) -> float:
    """P-value of the hypothesis that the mean is `at`: 1 - the level at which an end of `mean_bounds` is `at`."""
    from scipy.special import ndtr

    x, n = np.asarray(values, np.float64), np.asarray(counts, np.float64)[None, :]
    chances = [float(ndtr(-_score_of(sign * x, n, end, sign * at))) for sign, end in ((1, high), (-1, -low))]
    return min(1.0, 2 * min(chances))


def _upper(x: Floats, table: Floats, end: Floats, z: float) -> Floats:
    """Upper bounds of the rows' means: the probability that the weighted mean is below its bound has the standard score
    z.

    Args:
        x, table: shape (rows, k). end: shape (rows,).
    """
    bounds = end.astype(np.float64)
    # otherwise all games are at the end of the range, or there are none
    moves = np.isfinite(end) & ((table > 0) & (x < end[:, None])).any(axis=1)
    if moves.any():
        mean = _WeightedMean(x[moves], table[moves], end[moves])
        bounds[moves] = mean.at(_root(lambda tilt: mean.score(tilt) - z, mean.least, mean.most, z / mean.spread))
    return bounds


def _score_of(x: Floats, n: Floats, end: float, at: float) -> float:
    """Standard score of one value in the distribution of the weighted mean; -inf if the distribution is unbounded
    there.
    """
    if not np.isfinite(end) or at <= x[n[0] > 0].min(initial=end):
        return -np.inf
    if at >= end:
        return np.inf
    mean = _WeightedMean(x[None, :], n, np.array([end]))
    return float(mean.score(_root(lambda tilt: mean.at(tilt) - at, mean.least, mean.most, 0 * mean.most))[0])


class _WeightedMean:
    """The mean, under random weights, of the games of a histogram and one more game at the end of the range.

    The mean lies below a place if the sum of gamma variables times (value - place) lies below 0. Each value has one
    gamma variable, with as many degrees of freedom as the value has games. The saddlepoint gives the tail of that sum
    to 1 %. Place and saddlepoint both follow from one number, the tilt, so only one equation has to be solved.

    Attributes:
        least, most: bounds of the tilt, which is 0 at the mean; shape (rows,).
        spread: root of the sum of squares; for a small tilt, the tilt times this is the standard score.
    Source: Barndorff-Nielsen (1990), JRSS B 52(3), 485-496, his r*; Daniels (1987), International Statistical
        Review 55(1), 37-48.
    """

    def __init__(self, x: Floats, table: Floats, end: Floats) -> None:
        seen = table.any(axis=0)
        points = np.column_stack([x[:, seen], end])
        self.weights = np.column_stack([table[:, seen], np.ones(len(table))])
        self.mean = (self.weights * points).sum(axis=1) / self.weights.sum(axis=1)
        self.points = points - self.mean[:, None]
        lowest = np.where(self.weights > 0, self.points, np.inf).min(axis=1)
        self.least, self.most = 1 / lowest, 1 / (end - self.mean)
        self.spread = np.sqrt((self.weights * self.points**2).sum(axis=1))

    def at(self, tilt: Floats) -> Floats:
        """The place for each tilt, shape (rows,); it rises with the tilt."""
        return np.asarray(self.mean + self._place(tilt), np.float64)

    def _place(self, tilt: Floats) -> Floats:
        share = self.weights / (1 - tilt[:, None] * self.points)
        return np.asarray((share * self.points).sum(axis=1) / share.sum(axis=1), np.float64)

    def score(self, tilt: Floats) -> Floats:
        """Standard score of the place: it rises with the tilt."""
        place = self._place(tilt)
        saddle = tilt / (1 - tilt * place)
        away = np.where(self.weights > 0, self.points - place[:, None], 0.0)
        left = 1 - saddle[:, None] * away
        part = away / left
        bent = (self.weights * part**2).sum(axis=1)
        depth = 2 * (self.weights * np.log(left)).sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            w = np.sign(saddle) * np.sqrt(np.maximum(depth, 0.0))
            u = saddle * np.sqrt(bent)
            skew = (self.weights * part**3).sum(axis=1) / (3 * bent**1.5)
            return np.asarray(np.where(np.abs(w) > _NEAR, w + np.log(u / w) / w, w + skew), np.float64)


def _root(rising: Callable[[Floats], Floats], low: Floats, high: Floats, start: Floats) -> Floats:
    """For each row, the root of a rising function between two ends; the function need not be defined at the ends."""
    at = np.clip(start, low + (high - low) / 8, high - (high - low) / 8)
    low, high = low.copy(), high.copy()
    before, beyond = at, np.full(low.size, np.nan)
    for step_number in range(_MOST_STEPS):
        off = rising(at)
        low, high = np.where(off < 0, at, low), np.where(off >= 0, at, high)
        with np.errstate(divide="ignore", invalid="ignore"):
            step = at - off * (at - before) / (off - beyond)
        # Every fourth step halves, so that the secant method does not creep.
        straight = (step > low) & (step < high) & (step_number % 4 < 3)
        after = np.where(straight, step, (low + high) / 2)
        done = (np.abs(after - at) <= 1e-7 * np.abs(at)) | (off == 0)
        before, beyond, at = at, off, np.where(off == 0, at, after)
        if done.all():
            break
    return at
