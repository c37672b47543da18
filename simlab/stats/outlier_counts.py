"""Detects shards whose outcome counts differ from the rest: a sign of a faulty worker, machine or disk.

The shards of a cell are games of the same rules and bots on other seeds, so every outcome should be about equally
frequent in each. fishtest computes each worker's residual: the number of standard errors between its results and those
of all. This module compares the count of each shard exactly with the rest: given the total count, the count in one
shard has a hypergeometric distribution. Each shard and outcome is a test. Bonferroni's bound covers all tests together,
even if shards of several cells share random numbers. An outlier is removed before the others are tested again, because
it shifts the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

CHANCE = 1e-4  #: probability of a false alarm in a whole run
_MOST = 50  # most outliers of a cell that are reported
_NEAR = 3.0  # residuals below which the exact chance cannot be small enough, however few tests there are


@dataclass(frozen=True)
class Odd:
    """A shard whose counts differ from the rest.

    Attributes:
        piece, event: positions of shard and event. seen, games: counts of the shard; expected: the count in proportion
            to its share of all games.
        residual: distance in standard errors. chance: probability of such a residual anywhere in the run.
    """

    piece: int
    event: int
    seen: int
    games: int
    expected: float
    residual: float
    chance: float


def find_odd(counts: npt.ArrayLike, games: npt.ArrayLike, looks: int | None = None) -> list[Odd]:
    """Shards in which an event happens significantly more or less often than in the rest, each with its worst event;
    the worst shard first, up to 50.

    Args:
        counts: games of each shard in which each event happens, shape (pieces, events). games: shape (pieces,).
        looks: number of tests (shards times events) of the whole run; None for those of `counts`.
    Source: the hypergeometric test (Fisher 1935), two-sided by doubling; Bonferroni. Checked against scipy's
        `fisher_exact`; false alarms are simulated in the tests.
    """
    seen, size = np.asarray(counts, np.int64), np.asarray(games, np.int64)
    if seen.ndim != 2 or size.shape != seen.shape[:1] or (seen < 0).any() or (seen > size[:, None]).any():
        raise ValueError(f"counts of shape {seen.shape} and games of shape {size.shape} do not fit together")
    looks = seen.size if looks is None else looks
    left = np.arange(len(size))
    odd: list[Odd] = []
    while len(left) > 1 and len(odd) < _MOST:
        worst = _worst(seen[left], size[left], looks)
        if worst is None:
            break
        odd.append(replace(worst, piece=int(left[worst.piece])))
        left = np.delete(left, worst.piece)  # this shard has distorted the rest
    return odd


def _worst(seen: Ints, size: Ints, looks: int) -> Odd | None:
    """The shard that differs most from the others; None if it does not differ significantly."""
    from scipy.stats import hypergeom

    total, every = seen.sum(axis=0), int(size.sum())
    if every < 2:
        return None
    share = size[:, None] / every
    expected = share * total
    variance = expected * (1 - share) * (1 - total / every) * every / (every - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        residual = np.where(variance > 0, (seen - expected) / np.sqrt(variance), 0.0)
    pieces, events = np.nonzero(np.abs(residual) > _NEAR)
    if not pieces.size:
        return None
    here = seen[pieces, events]
    law = (every, total[events], size[pieces])
    tails = np.where(residual[pieces, events] > 0, hypergeom.sf(here - 1, *law), hypergeom.cdf(here, *law))
    chances = np.minimum(2 * tails * looks, 1.0)
    at = int(np.lexsort((-np.abs(residual[pieces, events]), chances))[0])
    if chances[at] > CHANCE:
        return None
    place = pieces[at], events[at]
    return Odd(
        int(pieces[at]), int(events[at]), int(seen[place]), int(size[pieces[at]]), float(expected[place]),
        float(residual[place]), float(chances[at]),
    )  # fmt: skip


def length_cuts(histogram: npt.ArrayLike, parts: int = 10) -> Sequence[int]:
    """Positions that cut a histogram into about equal parts: the last position of each part except the final one."""
    below = np.cumsum(np.asarray(histogram, np.float64))
    if not below.size or below[-1] <= 0:
        return []
    cuts = np.searchsorted(below, below[-1] * np.arange(1, parts) / parts)
    return [int(cut) for cut in np.unique(cuts) if below[cut] < below[-1]]
