"""Intervals for rates, means and quantiles, from counts and from histograms.

For rates, reports use Wilson's interval, and gates use that of Clopper and Pearson. `scipy.special` is imported only
when needed, because importing it takes longer than playing a small run.
"""

from __future__ import annotations

import bisect
import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Histogram = tuple[npt.NDArray[Any], npt.NDArray[Any]]


class Reading(NamedTuple):
    """A statistic with an interval: shares in 0..1, others in their unit. An open end is infinite."""

    value: float
    low: float
    high: float


_LARGE = 30  # degrees of freedom from which the expansion of Student's t is good to 1e-5
_SUMMED_GAMES = 20_000  # binomial probabilities are summed for up to this many games
_ROUNDING = 1e-12  # relative rounding error of such a sum


def level_of_each(level: float, count: float) -> float:
    """The level for each of `count` intervals that hold together at `level` (Bonferroni). A count below 1 means 1."""
    return 1 - (1 - level) / max(count, 1)


def normal_quantile(level: float) -> float:
    """The z of a two-sided interval: 1.96 for 0.95."""
    if not 0 < level < 1:
        raise ValueError(f"level = {level}: a level lies between 0 and 1, as 0.95")
    return NormalDist().inv_cdf((1 + level) / 2)


def student_quantile(level: float, degrees: float) -> float:
    """The t of a two-sided interval with this many degrees of freedom.

    Source: Hill (1970), CACM 13(10), 617, and for many degrees the expansion in 1/degrees; checked against scipy.
    """
    z = normal_quantile(level)
    if degrees <= 0:
        return math.inf
    if degrees < _LARGE * max(z - 2, 1) ** 3:  # the expansion is in z^2 / degrees
        from scipy.special import stdtrit

        return float(stdtrit(degrees, (1 + level) / 2))
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / degrees + second / degrees**2 + third / degrees**3


def _counts(wins: npt.ArrayLike, games: npt.ArrayLike) -> tuple[Floats, Floats]:
    won, played = np.broadcast_arrays(np.asarray(wins, np.float64), np.asarray(games, np.float64))
    if np.any(won < 0) or np.any(won > played) or not np.all(np.isfinite(played)):
        raise ValueError("wins must lie in 0..games")
    return won, played


def wilson(wins: npt.ArrayLike, games: npt.ArrayLike, level: float = 0.95) -> Floats:
    """Score interval for win rates, shape (..., 2); [0, 1] where games is 0.

    Args:
        wins, games: shape (...,); need not be whole (an effective number of games is allowed).
    Source: Wilson (1927), JASA 22(158), 209-212; checked against scipy's `binomtest`.
    """
    z = normal_quantile(level)
    won, played = _counts(wins, games)
    n = np.where(played > 0, played, 1.0)
    rate = won / n
    weight = 1 + z * z / n
    centre = (rate + z * z / (2 * n)) / weight
    half = z / weight * np.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    # Rounding must not lift the end off 0 or 1 if no game, or each game, was won.
    low = np.where((won == 0) | (played == 0), 0.0, np.maximum(centre - half, 0.0))
    high = np.where((won == played) | (played == 0), 1.0, np.minimum(centre + half, 1.0))
    return np.stack([low, high], axis=-1)


def clopper_pearson(wins: npt.ArrayLike, games: npt.ArrayLike, level: float = 0.95) -> Floats:
    """Exact interval for win rates, with the arguments of `wilson`; it covers at least at the nominal level.

    Source: Clopper and Pearson (1934), Biometrika 26, 404-413; checked against scipy's `binomtest`.
    """
    normal_quantile(level)
    won, played = _counts(wins, games)
    from scipy.special import betaincinv

    tail = (1 - level) / 2
    low = np.where(won > 0, betaincinv(np.maximum(won, 0.5), played - won + 1, tail), 0.0)
    high = np.where(won < played, betaincinv(won + 1, np.maximum(played - won, 0.5), 1 - tail), 1.0)
    return np.stack([low, high], axis=-1)


def difference_of_rates(
    wins_a: float,
    games_a: float,
    wins_b: float,
    games_b: float,
    level: float = 0.95,
    ends: Callable[[npt.ArrayLike, npt.ArrayLike, float], Floats] = wilson,
) -> tuple[float, float, float]:
    """Difference b - a of two win rates from independent games, low and high, in [-1, 1].

    Args:
        ends: interval of one rate: `wilson`, or `clopper_pearson` if a group may have only a few games.
    Source: Newcombe (1998), Statistics in Medicine 17, 873-890, method 10; checked against statsmodels.
    """
    (low_a, high_a), (low_b, high_b) = ends([wins_a, wins_b], [games_a, games_b], level)
    rate_a = wins_a / games_a if games_a else 0.5
    rate_b = wins_b / games_b if games_b else 0.5
    gap = rate_b - rate_a
    low = gap - math.hypot(rate_b - low_b, high_a - rate_a)
    high = gap + math.hypot(high_b - rate_b, rate_a - low_a)
    return gap, max(float(low), -1.0), min(float(high), 1.0)


@dataclass(frozen=True)
class Mean:
    """A mean of a number over games, or another ratio of two sums.

    Attributes:
        value: nan without games. se: its standard error; nan with fewer than two games.
        count: number of independent games, or indices of games.
        low, high: Student's interval; infinite without a standard error.
    """

    value: float
    se: float
    count: int
    low: float
    high: float


def mean_from_histogram(values: npt.ArrayLike, counts: npt.ArrayLike, level: float = 0.95) -> Mean:
    """Mean, standard error and interval of a number.

    Source: Student (1908), checked against scipy's `ttest_1samp`.
    """
    x, n = np.asarray(values, np.float64), np.asarray(counts, np.float64)
    total = float(n.sum())
    if total <= 0:
        return Mean(math.nan, math.nan, 0, -math.inf, math.inf)
    # About the first value, so that large numbers that differ little lose no digits.
    mean = float(x[0] + np.dot(x - x[0], n) / total)
    if total < 2:
        return Mean(mean, math.nan, int(total), -math.inf, math.inf)
    se = math.sqrt(float(np.dot((x - mean) ** 2, n)) / (total - 1)) / math.sqrt(total)
    half = student_quantile(level, total - 1) * se
    return Mean(mean, se, int(total), mean - half, mean + half)


def quantile_from_histogram(values: npt.ArrayLike, counts: npt.ArrayLike, q: npt.ArrayLike) -> Any:
    """Smallest value that a share `q` of the games does not exceed; nan without games.

    Args:
        values: ascending. q: share or shares in [0, 1]; the result has the same shape.
    Source: the inverse of the empirical distribution, as numpy's `quantile(method="inverted_cdf")`.
    """
    x = np.asarray(values, np.float64)
    shares = np.asarray(q, np.float64)
    if np.any((shares < 0) | (shares > 1)):
        raise ValueError(f"q = {shares}: a share lies in 0..1")
    below = _at_most(counts)
    if below.size == 0 or below[-1] == 0:
        quantiles = np.full(shares.shape, np.nan)
    else:
        # The slack keeps 0.1 * 30 = 3.0000000000000004 from asking for the fourth game.
        rank = np.maximum(np.ceil(shares * float(below[-1]) - 1e-9), 1)
        quantiles = x[np.searchsorted(below, rank, side="left")]
    return float(quantiles) if shares.ndim == 0 else quantiles


def quantile_interval(
    values: npt.ArrayLike, counts: npt.ArrayLike, q: float, level: float = 0.95
) -> tuple[float, float]:
    """Interval for a quantile by order statistics: its ends are values of games, or open if there are too few games.

    For whole numbers the interval covers at least at the nominal level.

    Source: David and Nagaraja (2003), Order Statistics, 7.1; coverage checked exactly.
    """
    if not 0 < q < 1:
        raise ValueError(f"q = {q}: a quantile's share lies between 0 and 1")
    normal_quantile(level)
    x = np.asarray(values, np.float64)
    below = _at_most(counts)
    total = int(below[-1]) if below.size else 0
    if total == 0:
        return -math.inf, math.inf
    tail = (1 - level) / 2
    lower = _most_successes(tail, total, q)  # P(B < lower) <= tail
    upper = total + 1 - _most_successes(tail, total, 1 - q)  # P(B >= upper) <= tail
    low = -math.inf if lower < 1 else float(x[np.searchsorted(below, lower, side="left")])
    high = math.inf if upper > total else float(x[np.searchsorted(below, upper, side="left")])
    return low, high


def _at_most(counts: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """For each value, the number of games with at most this value. Fractions of games are rounded cumulatively, so rare
    values do not vanish.
    """
    return np.rint(np.cumsum(np.asarray(counts, np.float64))).astype(np.int64)


@functools.lru_cache(maxsize=4096)  # the cells of a run usually have the same number of games
def _most_successes(tail: float, games: int, chance: float) -> int:
    """Largest k with P(Binomial(games, chance) < k) <= tail."""
    if games <= _SUMMED_GAMES:  # summed up here: importing SciPy takes longer than a thousand games
        k = np.arange(games)
        logs = np.cumsum(np.log((games - k) / (k + 1)) + math.log(chance / (1 - chance)))
        at_most = np.cumsum(np.exp(games * math.log1p(-chance) + np.concatenate([[0.0], logs[:-1]])))
        return int(np.searchsorted(at_most, tail * (1 + _ROUNDING), side="right"))
    from scipy.special import bdtr

    return bisect.bisect_right(range(games), tail, key=lambda k: float(bdtr(k, games, chance)))


def games_for(rate: float, half_width: float) -> int:
    """Number of games with which the interval of a rate has a half width of about `half_width`."""
    z = normal_quantile(0.95)
    return math.ceil(z * z * rate * (1 - rate) / (half_width * half_width))


def smallest_change(
    rate: float,
    games: float,
    level: float = 0.95,
    power: float = 0.8,
    family: int = 1,
    factor: float | None = None,
) -> float:
    """Change of a win rate, in (0, 1], that two runs of `games` games each detect with probability `power`.

    Args:
        rate: win rate near which changes are to be detected. family: number of changes that are judged together (Holm);
            the power holds whatever the other changes are.
        factor: for runs on the same seeds, the variance reduction if nothing changes; None for independent runs.
    Source: the normal approximation; 1 point at 50 % takes 39,244 games per arm at 5 % and 80 %. On the same seeds a
        change flips games, and those add to the pairs that differ: Connor (1987), Biometrics 43, 207-211. The power is
        simulated in the tests.
    """
    if games <= 0:
        return 1.0
    z = normal_quantile(level_of_each(level, family)) + NormalDist().inv_cdf(power)
    each = max(rate * (1 - rate), 1 / games)
    if factor is not None:
        # Pairs that differ: at least as many more than without a change as the change itself. A game of whole
        # numbers is one step of the exact test.
        differ = 2 * each / factor
        return min(1.0, (z * z + z * math.sqrt(z * z + 4 * games * differ)) / (2 * games) + 1 / games)
    change = 0.0
    for _ in range(4):  # nearer to 50 % the other run varies more
        other = min(rate + change, 0.5) if rate < 0.5 else max(rate - change, 0.5)
        change = z * math.sqrt(2 * max(each, other * (1 - other)) / games)
    return min(1.0, change)
