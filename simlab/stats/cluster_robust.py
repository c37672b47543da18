"""Statistics over cells that played the same seeds: game 17 of one cell is correlated with game 17 of the others.

Pooled rows are therefore not independent draws. Only the game indices are independent: all games of one index
are a cluster, and the variation between clusters gives the standard error of a pooled statistic for any correlation
between cells.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from simlab.stats.intervals import Mean, normal_quantile, student_quantile, wilson


def clustered_ratio(
    top: npt.ArrayLike, bottom: npt.ArrayLike, game: npt.ArrayLike, cell: npt.ArrayLike, level: float = 0.95
) -> Mean:
    """sum(top) / sum(bottom) over the rows of several cells, which are correlated by game index.

    With `bottom` 1 in each row, it is a mean over all games. With `bottom` 1 only for games that ended in one way, and
    `top` 0 for all others, it is the mean over these games; their number in each cell is then random, and the error
    allows for that.

    Args:
        top, bottom: numbers of each row, shape (rows,). Pass rows that do not count as 0, because the number of games
            played per cell is fixed, but the number that counts is not.
        game: index of the row's game in its cell, 0 or more. cell: place of the row's cell, 0 or more.
    Source: linearised ratio with the games of a cell as a stratum and the game index as a cluster; Cochran (1977),
        Sampling Techniques, 6.11 and 9A.2. Its coverage is simulated in the tests.
    """
    x, n = np.asarray(top, np.float64), np.asarray(bottom, np.float64)
    index, place = np.asarray(game, np.int64), np.asarray(cell, np.int64)
    total = float(n.sum())
    if total <= 0:
        return Mean(math.nan, math.nan, 0, -math.inf, math.inf)
    value = float(x.sum()) / total
    counted = int(np.count_nonzero(np.bincount(index, n)))
    if counted < 2:
        return Mean(value, math.nan, counted, -math.inf, math.inf)
    rest = x - value * n
    mean = np.bincount(place, rest) / np.maximum(np.bincount(place), 1)
    sums = np.bincount(index, rest - mean[place])  # of each cluster, minus its expectation
    se = math.sqrt(counted / (counted - 1) * float(sums @ sums)) / total
    half = student_quantile(level, counted - 1) * se
    return Mean(value, se, counted, value - half, value + half)


def as_share(ratio: Mean, level: float = 0.95, most: float = math.inf) -> Mean:
    """A share with Wilson's interval, because Student's interval misses shares near 0 and 1 too often if there are few
    games.

    The number of trials is the one that gives this standard error, `most` at most, and Student's t replaces the normal
    quantile. If all games agree, each game counts as one trial. A share without a value is returned unchanged.

    Source: Korn and Graubard (1998), Survey Methodology 24(2), 193-201, for the number of trials; with Wilson's
        interval: Dean and Pagano (2015), Journal of Survey Statistics and Methodology 3(4), 484-503. Coverage is
        simulated in the tests.
    """
    if not ratio.count or not 0 <= ratio.value <= 1:
        return ratio
    spread = ratio.se if ratio.se > 1e-12 else 0.0  # the error of a single game is nan
    trials = float(ratio.count)
    if spread:
        wider = student_quantile(level, ratio.count - 1) / normal_quantile(level)
        trials = min(ratio.value * (1 - ratio.value) / (spread * wider) ** 2, most)
    low, high = wilson(ratio.value * trials, trials, level)
    return replace(ratio, low=float(low), high=float(high))
