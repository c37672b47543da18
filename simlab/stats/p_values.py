"""P-values that hold for one game or a million, and their adjustment if many are read together.

A p-value computed from half the width of an interval is wrong if the interval is asymmetric, as it is with few games.
These tests of two groups of independent games use the exact distribution under the null hypothesis instead.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from simlab.stats.intervals import Floats

_REACH = 12.0  # standard deviations around the mean within which chances are summed
_TIE = 1e-7  # relative: probabilities this close count as equal, as in SciPy


def holm(p_values: npt.ArrayLike) -> Floats:
    """P-values adjusted so that, if each is compared with a level, the chance of even one false positive is at most the
    level.

    Source: Holm (1979), Scandinavian Journal of Statistics 6, 65-70; checked against statsmodels.
    """
    p = np.asarray(p_values, np.float64)
    if p.ndim != 1 or not np.all((p >= 0) & (p <= 1)):
        raise ValueError("p-values: a list of numbers in 0..1")
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate((p.size - np.arange(p.size)) * p[order]), 1.0)
    return adjusted


def rates_p_value(wins_a: float, games_a: float, wins_b: float, games_b: float) -> float:
    """P-value of the hypothesis that two groups of games have the same win rate, by Fisher's exact test; 1 if a group
    has less than one game.

    Args:
        wins_a, games_a, wins_b, games_b: need not be whole; they are rounded so that the difference shrinks.
    Source: Fisher (1935), JRSS 98, 39-82; checked against scipy's `fisher_exact`.
    """
    if min(wins_a, wins_b) < 0 or wins_a > games_a or wins_b > games_b:
        raise ValueError("wins must lie in 0..games")
    first, second = math.floor(games_a + 1e-9), math.floor(games_b + 1e-9)
    if first < 1 or second < 1:
        return 1.0
    a_is_higher = wins_a / games_a > wins_b / games_b
    won_a = _rounded(wins_a / games_a * first, up=not a_is_higher)
    won_b = _rounded(wins_b / games_b * second, up=a_is_higher)
    if (won_a / first > won_b / second) != a_is_higher:
        return 1.0  # the groups differ by less than one game
    return _hypergeometric(won_a, first, won_a + won_b, first + second)


def _rounded(wins: float, up: bool) -> int:
    return math.ceil(wins - 1e-9) if up else math.floor(wins + 1e-9)


def _hypergeometric(won: int, drawn: int, wins: int, games: int) -> float:
    """Probability of all numbers of wins among the drawn games that are no more likely than `won`."""
    from scipy.special import gammaln

    mean = drawn * wins / games
    spread = math.sqrt(mean * (1 - wins / games) * (games - drawn) / max(games - 1, 1))
    reach = abs(won - mean) + _REACH * spread + 50
    low, high = max(0, drawn + wins - games, math.floor(mean - reach)), min(drawn, wins, math.ceil(mean + reach))
    k = np.arange(low, high + 1)
    logs = -(gammaln(k + 1) + gammaln(wins - k + 1) + gammaln(drawn - k + 1) + gammaln(games - wins - drawn + k + 1))
    chances = np.exp(logs - logs.max())
    as_rare = chances <= chances[won - low] * (1 + _TIE)
    return min(1.0, float(chances[as_rare].sum() / chances.sum()))


def drawn_mean_p_value(values: npt.ArrayLike, counts: npt.ArrayLike, mean: float, drawn: float) -> float:
    """Upper bound of the p-value of the hypothesis that some games are a random draw from all games, judged by their
    mean; 1 if there is less than one game in either group.

    The bound holds for any number of games and any distribution, but is several times the exact p-value.

    Args:
        values, counts: all games. mean: mean of the drawn games. drawn: number of drawn games.
    Source: Hoeffding (1963), JASA 58, 13-30, theorem 4: Chernoff's bound also holds for draws without replacement.
    """
    x, n = np.asarray(values, np.float64), np.asarray(counts, np.float64)
    x, n = x[n > 0], n[n > 0]
    total = float(n.sum())
    if min(drawn, total - drawn) < 1 - 1e-9:
        return 1.0
    middle = float(x @ n) / total
    if drawn > total / 2:  # the other games carry the same information, and are fewer
        mean, drawn = middle - (mean - middle) * drawn / (total - drawn), total - drawn
    shares = n / total
    gap = mean - middle
    if gap == 0 or x.size < 2:
        return 1.0
    x = (x - middle) * math.copysign(1.0, gap)
    x, gap = x / x.max(), min(abs(gap) / float(x.max()), 1.0)

    def slope(tilt: float) -> float:
        weights = shares * np.exp(tilt * (x - 1))
        return float(weights @ x / weights.sum()) - gap

    low, high = 0.0, 1.0
    while slope(high) < 0 and high < 1e6:
        low, high = high, 2 * high
    for _ in range(60):
        middle_tilt = (low + high) / 2
        low, high = (middle_tilt, high) if slope(middle_tilt) < 0 else (low, middle_tilt)
    # Any tilt gives a valid bound, so the search need not be exact.
    log_moment = low + math.log(float(shares @ np.exp(low * (x - 1))))
    return min(1.0, 2 * math.exp(min(drawn * (log_moment - low * gap), 0.0)))
