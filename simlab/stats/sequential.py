"""Confidence sequences: intervals that hold at all times simultaneously, so you may look as often as you like.

An interval for a number of games fixed beforehand misses in 5 of 100 runs. If you look after every batch and
stop when you like the answer, you are misled far more often (37 of 100 after 100 looks). A confidence sequence misses
in at most 5 of 100 runs even if it is read after every single game, and you may use it to decide when to stop. The
price is width: about one and a half times that of the fixed interval.

A sequential probability ratio test does not fit: a contract asks for a band, not for one of two points, and it names
shares, gaps, means and quantiles, which all need an interval while the run continues. The result here depends only on
the counts, not on when somebody looked, so a run can be stopped, resumed and judged again from its files.

All of them are mixtures in the manner of Robbins. The evidence against a value is a likelihood ratio: the likelihood of
the games under a mixture of alternatives around that value, divided by their likelihood under the value itself. If the
value is true, this ratio is a martingale that starts at 1, so the probability that it ever reaches 1 / alpha is at most
alpha (Ville). The interval contains the values that are not rejected.

A mean also needs a range that no game can leave. However many games had 0, one in a thousand of the next games might
have 10,000, and no game seen so far excludes that. The interval of a mean has an end only if the game states the range
on that side (simlab.game.Metric); then the guarantee is exact, as for shares.

Sources: Robbins (1970), Annals of Mathematical Statistics 41(5), 1397-1409; Howard, Ramdas, McAuliffe and Sekhon
(2021), Annals of Statistics 49(2), 1055-1080; for means Waudby-Smith and Ramdas (2024), J. Royal Statistical Society B
86(1), 1-27. `mean_half_width`, only for planning, uses the central limit theorem: Waudby-Smith, Arbour, Sinha,
Kennedy and Ramdas (2024), Annals of Statistics 52(6), 2613-2640.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from simlab.stats.intervals import Floats, normal_quantile, quantile_from_histogram

#: Games that the alternatives are worth: they lie about as far from a value as this many games can detect. With 300
#: the intervals are 1.6 times as wide as fixed ones from 1,000 to 10,000 games, 1.9 times after a million.
WORTH = 300.0
_STEPS = 50  # halvings of an interval's end
_GRID = 24  # places at which the share of changed pairs is tried
#: Parts of the capital that are bet on a mean, each with the same weight: from nearly all, for numbers that hardly ever
#: differ, down to the sizes that millions of games of a number far narrower than its range need.
_BETS = 0.98 * 0.65 ** np.arange(30)


def _threshold(level: float) -> float:
    """Log of the evidence that is needed to refute a value."""
    normal_quantile(level)  # rejects an invalid level
    return -math.log(1 - level)


def _log_evidence(counts: tuple[Any, ...], shares: tuple[Any, ...]) -> Floats:
    """Log likelihood ratio of Dirichlet alternatives around some shares to the shares themselves.

    Args:
        counts: games by outcome; shares: their probabilities, which sum to 1. The arrays broadcast together.
    """
    from scipy.special import gammaln, xlogy

    total = sum(np.asarray(count, np.float64) for count in counts)
    evidence: Any = gammaln(WORTH) - gammaln(WORTH + total)
    for count, share in zip(counts, shares, strict=True):
        # An outcome with probability 0: impossible if it was seen, no evidence if not.
        alpha = WORTH * np.maximum(share, 1e-300)
        evidence = evidence + gammaln(alpha + count) - gammaln(alpha) - xlogy(count, np.maximum(share, 1e-300))
    return np.asarray(evidence, np.float64)


def share_sequence(count: npt.ArrayLike, games: npt.ArrayLike, level: float = 0.95) -> Floats:
    """Confidence sequence for a share of the games; [0, 1] without games.

    Args:
        count, games: shape (...,), whole numbers.
    Source: Robbins (1970), with Beta alternatives around each share.
    """
    seen, played = np.broadcast_arrays(np.asarray(count, np.float64), np.asarray(games, np.float64))
    if np.any(seen < 0) or np.any(seen > played):
        raise ValueError("a count must lie in 0..games")
    evidence = lambda share: _log_evidence((seen, played - seen), (share, 1 - share))  # noqa: E731
    return _not_refuted(seen / np.maximum(played, 1), evidence, 0.0, seen == 0, seen == played, played == 0, level)


def _not_refuted(
    estimate: Floats,
    evidence: Callable[[Floats], Floats],
    least: float,
    lowest: Any,
    highest: Any,
    none: Any,
    level: float,
) -> Floats:
    """The range of values in least..1 that are not refuted: low and high ends, shape (..., 2).

    Args:
        lowest, highest: whether that end of the range is the end of the scale. none: whether both ends are.
    """
    limit = _threshold(level)
    ends = []
    for end, extreme in ((least, lowest), (1.0, highest)):
        near, far = np.array(estimate, np.float64), np.full(estimate.shape, end)
        for _ in range(_STEPS):
            middle = (near + far) / 2
            out = evidence(middle) >= limit
            near, far = np.where(out, near, middle), np.where(out, middle, far)
        ends.append(np.where(extreme | none, end, far))
    return np.stack(ends, axis=-1)


def difference_sequence(more: npt.ArrayLike, less: npt.ArrayLike, games: npt.ArrayLike, level: float = 0.95) -> Floats:
    """Confidence sequence for the difference of two shares of the same games, or of the same seeds.

    Args:
        more, less: games that count for, and against; their sum is at most `games`. Shape (...,).
    Returns:
        ends of the interval for (more - less) / games, in [-1, 1], shape (..., 2).
    Source: as `share_sequence`, with three outcomes (for, against, neither); a difference is refuted if it is refuted
    for every possible share of games that count for or against.
    """
    up, down, played = np.broadcast_arrays(*(np.asarray(n, np.float64) for n in (more, less, games)))
    if np.any(up < 0) or np.any(down < 0) or np.any(up + down > played):
        raise ValueError("counts must be 0 or more, and at most games")
    evidence = lambda gap: log_evidence_of_difference(up, down, played, gap)  # noqa: E731
    centre = (up - down) / np.maximum(played, 1)
    return _not_refuted(centre, evidence, -1.0, down == played, up == played, played == 0, level)


def log_evidence_of_difference(
    more: npt.ArrayLike, less: npt.ArrayLike, games: npt.ArrayLike, gap: npt.ArrayLike
) -> Floats:
    """Log of the evidence against a difference `gap`: the minimum over all shares of games that count. All of shape
    (...,).
    """
    up, down, played, wanted = (
        np.asarray(a, np.float64)[..., None] for a in np.broadcast_arrays(more, less, games, gap)
    )
    n = np.maximum(played, 1)
    least = np.abs(wanted)
    # The likeliest share of games that count, given the gap (Tango's equation), and how far it may be off.
    b = -up - down + (2 * n - up + down) * wanted
    share_down = (np.sqrt(np.maximum(b * b + 8 * n * down * wanted * (1 - wanted), 0.0)) - b) / (4 * n)
    centre = np.clip(2 * share_down + wanted, least, 1.0)
    reach = 8 * np.sqrt(centre * (1 - centre) / n) + 8 / n
    places = np.linspace(-1.0, 1.0, _GRID)
    smallest = np.full(up.shape, np.inf)
    for _ in range(3):
        share = np.clip(centre + reach * places, least, 1.0)
        evidence = _log_evidence(
            (up, down, played - up - down), ((share + wanted) / 2, (share - wanted) / 2, 1 - share)
        )
        best = np.argmin(evidence, axis=-1, keepdims=True)
        smallest = np.minimum(smallest, np.take_along_axis(evidence, best, axis=-1))
        centre = np.take_along_axis(share, best, axis=-1)
        reach = reach * 2 / (_GRID - 1)
    result: Floats = smallest[..., 0]
    return result


def mean_half_width(sd: npt.ArrayLike, games: npt.ArrayLike, level: float = 0.95) -> Floats:
    """Half width of the confidence sequence of a mean, given the standard deviation between games.

    Source: Robbins' normal mixture; Waudby-Smith et al. (2024), equation of the asymptotic confidence sequence.
    """
    n = np.asarray(games, np.float64)
    spread = (n + WORTH) * (np.log1p(n / WORTH) + 2 * _threshold(level))
    with np.errstate(divide="ignore", invalid="ignore"):
        half = np.asarray(sd, np.float64) * np.sqrt(spread) / n
    return np.asarray(np.where(n > 1, half, np.inf), np.float64)


def mean_sequence(
    values: npt.ArrayLike,
    counts: npt.ArrayLike,
    level: float = 0.95,
    low: float | None = None,
    high: float | None = None,
) -> tuple[float, float, float]:
    """Confidence sequence for the mean of a number: (mean, low, high); the mean is nan without games.

    Args:
        low, high: the lowest and the highest possible value; if it is None, that end of the interval is open.
    Raises:
        ValueError: also for a number outside its range.
    Source: Waudby-Smith and Ramdas (2024), section 4: if the mean is m, betting a part of the capital on each game at
    odds that are fair for m makes nobody rich. A value is refuted when bets of many sizes, mixed beforehand (so the
    order of the games does not matter), have turned 1 into 2 / alpha.
    """
    x, n = np.asarray(values, np.float64), np.asarray(counts, np.float64)
    x, n = x[n > 0], n[n > 0]
    floor, roof = -math.inf if low is None else float(low), math.inf if high is None else float(high)
    _threshold(level)
    if x.size == 0:
        return math.nan, floor, roof
    if x.min() < floor or x.max() > roof:
        raise ValueError(f"numbers from {x.min():g} to {x.max():g} leave the range {floor:g}..{roof:g}")
    mean = float(x[0] + np.dot(x - x[0], n) / n.sum())
    below = mean if mean == floor else _mean_end(x - floor, n, mean - floor, level) + floor
    above = mean if mean == roof else roof - _mean_end(roof - x, n, roof - mean, level)
    return mean, min(below, mean), max(above, mean)


def _mean_end(x: Floats, n: Floats, mean: float, level: float) -> float:
    """Low end for the mean of numbers that are 0 or more; -inf if the mean is infinite (no floor)."""
    if not math.isfinite(mean):
        return -math.inf
    near, far = mean, 0.0
    limit = _threshold(1 - (1 - level) / 2)
    for _ in range(_STEPS):
        middle = (near + far) / 2
        if middle > 0 and _log_wealth(x, n, middle) < limit:
            near = middle
        else:
            far = middle
    return far


def _log_wealth(x: Floats, n: Floats, mean: float) -> float:
    """Log of the wealth from bets that pay if numbers x, 0 or more, exceed a mean above 0. n: games with each, shape
    (k,).
    """
    gains = np.log1p(_BETS[:, None] * (x / mean - 1)) @ n
    most = float(gains.max())
    return most + math.log(float(np.mean(np.exp(gains - most))))


def games_to_decide_mean(
    values: npt.ArrayLike, counts: npt.ArrayLike, edge: float, level: float, low: float | None, high: float | None
) -> float:
    """Games after which `mean_sequence` separates a mean from an edge with a probability of about 80 %; inf if no
    number is enough, because the mean is on the edge or the range has no bound on that side.
    """
    x, n = np.asarray(values, np.float64), np.asarray(counts, np.float64)
    total = float(n.sum())
    mean = float(np.dot(x, n) / total)
    floor = low if mean > edge else high
    if floor is None or mean == edge:
        return math.inf
    x, distance = np.abs(x - floor), abs(edge - floor)
    if distance == 0 or (edge < floor) == (mean > edge):  # an edge outside the range is decided at once
        return total
    limit = _threshold(1 - (1 - level) / 2)
    lesser, times = 1.0 / total, 1e12 / total
    if _log_wealth(x, n * times, distance) < limit:
        return math.inf
    for _ in range(60):
        middle = math.sqrt(lesser * times)
        done = _log_wealth(x, n * middle, distance) >= limit
        lesser, times = (lesser, middle) if done else (middle, times)
    # This is enough if the next games are like those so far. The mean also varies: 0.84 standard deviations for 80 %.
    ahead = NormalDist().inv_cdf(0.8) / math.sqrt(2 * (limit + math.log(_BETS.size)))
    return total * times * (1 + ahead) ** 2


def quantile_sequence(
    values: npt.ArrayLike, counts: npt.ArrayLike, q: float, level: float = 0.95
) -> tuple[float, float, float]:
    """Confidence sequence for a quantile: (quantile, low, high). The ends are values that occurred, or open.

    Args:
        values: ascending.
    Source: a value is refuted if the share of games at or below it is shown to be less than q, or the share of games
    below it to be more than q; each test has half of the error probability.
    """
    if not 0 < q < 1:
        raise ValueError(f"q = {q}: a quantile's share lies between 0 and 1")
    x, n = np.asarray(values, np.float64), np.asarray(counts, np.int64)
    x, n = x[n > 0], n[n > 0]
    total = int(n.sum())
    limit = _threshold(1 - (1 - level) / 2)
    if total == 0:
        return math.nan, -math.inf, math.inf
    upto = np.cumsum(n)

    def shown(count: Any) -> npt.NDArray[np.bool_]:
        return _log_evidence((count, total - count), (q, 1 - q)) >= limit

    too_low = (upto < q * total) & shown(upto)  # the quantile lies above
    too_high = (upto - n > q * total) & shown(upto - n)  # the quantile lies below
    open_ = ~(too_low | too_high)
    none_below = bool(shown(np.array([0]))[0])  # otherwise games below the least value are still possible
    none_above = bool(shown(np.array([total]))[0])
    low = -math.inf if open_[0] and not none_below else float(x[open_][0])
    high = math.inf if open_[-1] and not none_above else float(x[open_][-1])
    return float(quantile_from_histogram(x, n, q)), low, high


def games_to_decide(distance: float, sd: float, level: float = 0.95) -> float:
    """Games after which a statistic at this distance is separated from an edge with a probability of 80 %; inf for 0.

    Args:
        distance: estimate to edge. sd: standard deviation of the statistic between games, in the same unit.
    """
    if distance <= 0:
        return math.inf
    ahead = NormalDist().inv_cdf(0.8)
    low, high = 1.0, 1e16
    for _ in range(80):
        middle = math.sqrt(low * high)
        half = float(mean_half_width(sd, middle, level)) + ahead * sd / math.sqrt(middle)
        low, high = (low, middle) if half <= distance else (middle, high)
    return high
