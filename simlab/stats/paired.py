"""Two variants on the same seeds: paired differences, which common random numbers make more precise.

A change may affect one game in a thousand. The intervals here hold even if hardly any pair differs. If no pair differs,
the interval still shows how many could: its width is 0 only if no game could have differed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from simlab.stats.bounded_mean import mean_bounds, mean_p_value
from simlab.stats.intervals import Floats, clopper_pearson, normal_quantile, student_quantile

_COUNTED_PAIRS = 2_000  # most pairs for which McNemar's test sums exact binomial counts
_BLOCKS = 50  # blocks of games for the interval of a factor
_TOLD = 20  # for that interval: least number of games that differ, and of games off the commonest value on both sides
_RARE = 0.02  # share of the changes that an unseen kind of change may make up
_TAIL = 20  # largest values that estimate the tail

#: The result of a comparison on the same seeds.
Verdict = Literal["changed", "no detectable change", "identical", "inconclusive"]


@dataclass(frozen=True)
class PairedDifference:
    """Difference b - a of two variants that played the same seeds.

    Attributes:
        pairs: seeds played by both. changed: pairs in which a and b differ.
        p_value: chance of a difference at least this large if there were no effect.
        factor: variance with independent seeds over variance with common random numbers. 4 means that a quarter of the
            games sufficed; less than 1 means that the same seeds made the comparison less precise. inf if all pairs
            differ by the same amount, nan with fewer than two pairs.
    """

    pairs: int
    difference: float
    low: float
    high: float
    p_value: float
    factor: float
    changed: int

    @property
    def ends(self) -> tuple[float, float, float]:
        """The difference and the ends of its interval."""
        return self.difference, self.low, self.high


def verdict(low: float, high: float, changed: int, margin: float | None = None) -> Verdict:
    """The result of a comparison.

    Args:
        low, high: interval of the change. changed: pairs of games that differ. margin: the largest change that counts
            as none.
    Returns:
        Without a margin: `identical` if no pair differs, `changed` if the interval excludes 0, else
        `no detectable change`. With a margin: `no detectable change` if the whole interval lies within it, `changed` if
        the whole interval lies beyond it, else `inconclusive`. Without an interval: `inconclusive`.
    """
    if margin is None and changed == 0:
        return "identical"
    within = margin or 0.0
    if low > within or high < -within:
        return "changed"
    if margin is None:
        return "no detectable change" if math.isfinite(low) or math.isfinite(high) else "inconclusive"
    return "no detectable change" if -margin <= low and high <= margin else "inconclusive"


def verdict_of_test(p_value: float, changed: int) -> Verdict:
    """The result of a comparison by a test, as `verdict` without a margin. p_value: adjusted for its family."""
    if changed == 0:
        return "identical"
    return "changed" if p_value <= 0.05 else "no detectable change"


def most_change(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    level: float = 0.95,
    low: float | None = None,
    high: float | None = None,
    games: float | None = None,
) -> float:
    """The most by which one game may change a figure, for the interval of the mean change.

    If enough games changed (185 at a level of 0.95, 460 at 0.9998), it is the largest change observed: with that many,
    every kind of change that makes up one in 50 of them has been seen, except with half of the error probability.
    Otherwise, if that many games differ from the commonest value, it is the difference between the largest and the
    smallest value of both sides. Otherwise, it is the width of the stated range; if no range is stated, it is that
    difference, but at least 1, the step of a whole number.

    Args:
        a, b: the figure of each game on both sides, shape (pairs,).
        low, high: the range that the game states for the figure; None if it states none. games: number of games to
            answer for; None: the number of pairs. More games have larger extremes.
    """
    x, y = np.asarray(a, np.float64), np.asarray(b, np.float64)
    gaps = np.abs(y - x)
    enough = math.log(2 / (1 - level)) / _RARE
    worth = 1.0 if games is None else games / max(x.size, 1)
    stated = math.inf if low is None or high is None else float(high) - float(low)
    if np.count_nonzero(gaps) * worth >= enough:
        return min(_largest(gaps, worth), max(stated, float(gaps.max())))
    every = np.concatenate([x, y])
    counts = np.unique(every, return_counts=True)[1]
    apart = float(np.ptp(every))
    if (counts.sum() - counts.max()) * worth < enough and stated < math.inf:
        return max(apart, stated)
    return min(_largest(every, worth) + _largest(-every, worth), max(stated, apart)) or 1.0


def _largest(values: Floats, times: float) -> float:
    """The largest of `times` as many values as these, if the tail continues exponentially."""
    most = float(values.max())
    if times <= 1:
        return most
    top = np.partition(values, -min(_TAIL, values.size))[-_TAIL:]
    return most + float((top - top.min()).sum()) / max(top.size - 1, 1) * math.log(times)


def paired_difference(
    a: npt.ArrayLike, b: npt.ArrayLike, level: float = 0.95, most: float | None = None
) -> PairedDifference:
    """Mean difference b - a over seeds.

    Its interval assumes nothing except `most`, and holds even if hardly any pair differs.

    Args:
        a, b: a number of each game, shape (pairs,), the same seeds in the same order.
        most: the most by which b can differ from a in one game; None to estimate it from the games (`most_change`); 0
            if no game can differ.
    Raises:
        ValueError: shapes differ, there are no pairs, or a pair differs by more than `most`.
    Source: Gaffke (2005), as in simlab.stats.bounded_mean; with many games it approaches Student's paired t.
    """
    x, y = np.asarray(a, np.float64), np.asarray(b, np.float64)
    if x.shape != y.shape or x.ndim != 1 or x.size == 0:
        raise ValueError(f"pairs need two lists of the same length, got {x.shape} and {y.shape}")
    gaps = y - x
    n, mean = gaps.size, float(gaps.mean())
    changed = int(np.count_nonzero(gaps))
    if n < 2:
        return PairedDifference(n, mean, -math.inf, math.inf, 1.0, math.nan, changed)
    reach = most_change(x, y, level) if most is None else most
    values, counts = np.unique(gaps, return_counts=True)
    low, high = mean_bounds(values, counts, -reach, reach, level)
    spread = float(gaps.var(ddof=1))
    apart = float(x.var(ddof=1) + y.var(ddof=1))
    factor = apart / spread if spread > 0 else math.inf
    return PairedDifference(
        n, mean, float(low), float(high), mean_p_value(values, counts, -reach, reach), factor, changed
    )  # fmt: skip


def factor_interval(a: npt.ArrayLike, b: npt.ArrayLike, level: float = 0.95) -> tuple[float, float]:
    """Interval for `PairedDifference.factor`: how many times fewer games common random numbers need.

    (0, inf) if there are too few pairs, too few that differ, or too few in which both sides are off their commonest
    value, because only these pairs show the correlation.

    Args:
        a, b: a number of each game, shape (pairs,), the same seeds in the same order.
    Source: the jackknife over 50 blocks of games, on the logarithm of the factor; Efron and Tibshirani (1993), An
        Introduction to the Bootstrap, 11. Its coverage is simulated in the tests.
    """
    x, y = np.asarray(a, np.float64), np.asarray(b, np.float64)
    size = x.size // _BLOCKS
    if size < 2 or min(np.count_nonzero(x != y), np.count_nonzero(_odd(x) & _odd(y))) < _TOLD:
        return 0.0, math.inf
    x, y = (z[: size * _BLOCKS].reshape(_BLOCKS, size) - z.mean() for z in (x, y))
    rest = size * (_BLOCKS - 1)

    def variance_without(z: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """For each block, the variance over all games outside it."""
        sums, squares = z.sum(axis=1), (z * z).sum(axis=1)
        return np.asarray((squares.sum() - squares) / rest - ((sums.sum() - sums) / rest) ** 2)

    apart, together = variance_without(x) + variance_without(y), variance_without(y - x)
    if together.min() <= 0 or apart.min() <= 0:
        return 0.0, math.inf
    logs = np.log(apart / together)
    se = math.sqrt((_BLOCKS - 1) / _BLOCKS * float(((logs - logs.mean()) ** 2).sum()))
    half = student_quantile(level, _BLOCKS - 1) * se
    return math.exp(float(logs.mean()) - half), math.exp(float(logs.mean()) + half)


def _odd(x: Floats) -> npt.NDArray[np.bool_]:
    """Whether each number differs from the commonest one."""
    values, counts = np.unique(x, return_counts=True)
    return np.asarray(x != values[counts.argmax()])


def _heads_at_most(k: int, tosses: int) -> float:
    """P(Binomial(tosses, 1/2) <= k), in whole numbers; without SciPy, whose import takes longer than a small run."""
    ways = total = 1
    for i in range(k):
        ways = ways * (tosses - i) // (i + 1)
        total += ways
    return total / (1 << tosses)


def mcnemar(a_only: npt.ArrayLike, b_only: npt.ArrayLike) -> Any:
    """P-value of the hypothesis that as many pairs change in one direction as in the other; 1 if no pair changed.

    Args:
        a_only, b_only: pairs that only a, or only b, won; shape (...,). Can also be wins of two seats in the same
            games.
    Source: McNemar (1947), Psychometrika 12, 153-157; checked against scipy's `binomtest` and statsmodels.
    """
    one, other = np.broadcast_arrays(np.asarray(a_only, np.int64), np.asarray(b_only, np.int64))
    both = one + other
    if one.ndim == 0 and both <= _COUNTED_PAIRS:
        return min(2 * _heads_at_most(int(min(one, other)), int(both)), 1.0)
    from scipy.special import bdtr

    tail = bdtr(np.minimum(one, other), np.maximum(both, 1), 0.5)
    p = np.where(both > 0, np.minimum(2 * tail, 1.0), 1.0)
    return float(p) if p.ndim == 0 else p


def paired_wins(a: npt.NDArray[np.bool_], b: npt.NDArray[np.bool_], level: float = 0.95) -> PairedDifference:
    """Difference b - a of two win rates on the same seeds: its interval is `share_difference`, its p-value McNemar's
    exact one.

    Args:
        a, b: whether each game was won, shape (pairs,), one or more.
    """
    a_only, b_only = int((a & ~b).sum()), int((~a & b).sum())
    gap = (b_only - a_only) / a.size
    spread = (a_only + b_only) / a.size - gap * gap
    factor = math.nan if a.size < 2 else float(a.var() + b.var()) / spread if spread > 0 else math.inf
    low, high = share_difference(b_only, a_only, a.size, level)
    changed = a_only + b_only
    return PairedDifference(a.size, gap, float(low), float(high), mcnemar(a_only, b_only), factor, changed)


def score_interval(more: float, less: float, games: float, level: float = 0.95) -> tuple[float, float]:
    """Score interval for the difference of two shares of the same games, in [-1, 1]. Without ties it is 2 * Wilson - 1.

    Args:
        more, less: games that count for, and games that count against; their sum is at most `games`.
    Source: Tango (1998), Statistics in Medicine 17, 891-908; coverage checked exactly. It needs no SciPy.
    """
    z = normal_quantile(level)

    def beyond(gap: float) -> float:
        """Standard score of the observed difference if `gap` were the true difference; it falls as `gap` grows."""
        a = 2 * games
        b = -more - less + (2 * games - more + less) * gap
        c = -less * gap * (1 - gap)
        share = (math.sqrt(max(b * b - 4 * a * c, 0.0)) - b) / (2 * a)  # of `less`, given the gap
        variance = games * (2 * share + gap * (1 - gap))
        distance = more - less - games * gap
        if variance <= 0:
            return math.copysign(math.inf, distance) if distance else 0.0
        return distance / math.sqrt(variance)

    def solve(target: float) -> float:
        low, high = -1.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            if beyond(middle) > target:
                low = middle
            else:
                high = middle
        return (low + high) / 2

    if games <= 0:
        return -1.0, 1.0
    low = -1.0 if less == games else solve(z)
    high = 1.0 if more == games else solve(-z)
    return low, high


def share_difference(more: npt.ArrayLike, less: npt.ArrayLike, games: npt.ArrayLike, level: float = 0.95) -> Floats:
    """Interval for the difference of two shares of the same games, shape (..., 2), which holds for small counts and
    for 0.

    Args:
        more, less: games that count for, and against, whole numbers whose sum is at most `games`; shape (...,).
    Source: Newcombe (1998), Statistics in Medicine 17, 2635-2650, squares and adds the two shares' own intervals. Here
        these are exact, so the result also covers for small counts at high levels, where the score interval fails.
        Coverage checked exactly, up to levels of 0.9996.
    """
    up, down, played = np.broadcast_arrays(*(np.asarray(count, np.float64) for count in (more, less, games)))
    if np.any(up < 0) or np.any(down < 0) or np.any(up + down > played):
        raise ValueError("counts must be 0 or more, and at most games")
    n = np.maximum(played, 1)
    ends_up, ends_down = clopper_pearson(up, played, level), clopper_pearson(down, played, level)
    one, other = up / n, down / n
    # The two shares compete. A game added to each keeps the correlation where a count is 0.
    odds = (up + 1) / (n + 1.5 - up) * (down + 1) / (n + 1.5 - down)
    twice = 2 * np.sqrt(np.minimum(odds, 1.0))

    def reach(left: Floats, right: Floats) -> Floats:
        return np.asarray(np.sqrt(left * left + right * right + twice * left * right), np.float64)

    low = one - other - reach(one - ends_up[..., 0], ends_down[..., 1] - other)
    high = one - other + reach(ends_up[..., 1] - one, other - ends_down[..., 0])
    low, high = np.where(played > 0, low, -1.0), np.where(played > 0, high, 1.0)
    return np.asarray(np.clip(np.stack([low, high], axis=-1), -1.0, 1.0), np.float64)
