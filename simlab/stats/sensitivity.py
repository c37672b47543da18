"""Which knobs move a statistic most: Sobol's indices, with the noise of the games taken out.

SALib makes the design (`simlab.spec.design`) and the uncorrected indices. SALib ignores that each number is a
mean over games, whose noise shrinks first-order indices and inflates total ones. Here each setting comes as block means
over the same seeds, and every product is corrected for the noise that the blocks show, common random numbers included.

An interval has two sources of error:

- the design. A Sobol sequence is spread so evenly that its estimates have far smaller errors than those of independent
  points. A bootstrap over the points ignores that, and its intervals are 2 to 9 times too wide. The design therefore
  has several short sequences, scrambled independently, and the error follows from how they differ.
- the games. Knobs with few values draw the same setting again and again, and all sequences then share the noise of its
games. Differences between the sequences do not show that error; a jackknife over the blocks of games does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simlab.stats.intervals import Floats, student_quantile

REPLICATES = 8  #: sequences of a design, scrambled independently
#: Least number of base points. With 32, sequences of four points show too little of how they differ: nominal intervals
#: of 95 % cover 93 % on average over models, and 86 % for single knobs (tests/stats/test_sensitivity.py).
FEWEST = 64


@dataclass(frozen=True)
class Sensitivity:
    """Sobol's indices of a statistic: estimate, low and high of each knob, shape (knobs, 3).

    Attributes:
        first: share of the variance that each knob explains alone. total: share that it explains alone or with others.
        plain_first, plain_total: SALib's indices, noise included, shape (knobs,).
        variance: variance of the statistic between settings, without noise. noise: variance between settings due to the
            randomness of the games. points: base points of the design.
    """

    first: Floats
    total: Floats
    plain_first: Floats
    plain_total: Floats
    variance: float
    noise: float
    points: int

    @property
    def order(self) -> list[int]:
        """Numbers of the knobs, the largest total index first."""
        return [int(i) for i in np.argsort(-self.total[:, 0], kind="stable")]

    @property
    def noise_share(self) -> float:
        """Share of noise in the uncorrected variance between settings."""
        whole = self.variance + self.noise
        return self.noise / whole if whole > 0 else 0.0


def sobol_indices(blocks: npt.ArrayLike, knobs: int) -> Sensitivity:
    """Sobol's indices from a Saltelli design whose points were each played in blocks of games.

    First-order indices by Saltelli et al. (2010), total ones by Jansen (1999), each product of two means minus the
    covariance of their noise. Intervals: Fieller's for a ratio of means, from the differences of the sequences and of
    the blocks; infinite where the settings hardly differ by more than noise.

    Args:
        blocks: mean of the statistic in each block of games, the same seeds in the same block of each point, in
            SALib's order (for each base point: A, then A with each knob of B in turn, then B), the points of
            each of the REPLICATES sequences one after the other; shape (points * (knobs + 2), blocks), 2 blocks
            or more.
        knobs: number of knobs that vary.
    Raises:
        ValueError: also for fewer than FEWEST base points, or sequences of unequal length.
    Source: Saltelli et al. (2010), Computer Physics Communications 181, 259-270, table 2 (b) and (f); checked
        against SALib without noise, and with noise against models of known indices. Scrambled replicates: Owen (1997),
        SIAM Journal on Numerical Analysis 34, 1884-1910; ratios: Fieller (1954), J. Royal Statistical Society B 16,
        175-185; jackknife: Efron and Tibshirani (1993), An Introduction to the Bootstrap, 11. Coverage and width are
        simulated in the tests.
    """
    table = np.asarray(blocks, np.float64)
    width = knobs + 2
    if table.ndim != 2 or table.shape[1] < 2 or knobs < 1 or table.shape[0] % width or not table.size:
        raise ValueError(f"blocks: shape {table.shape} is not a design of {knobs} knobs in 2 blocks or more")
    cube = table.reshape(-1, width, table.shape[1])
    points = len(cube)
    if points < FEWEST or points % REPLICATES:
        raise ValueError(f"{points} base points: use {FEWEST} or more, a multiple of {REPLICATES}")
    cube = cube - cube[:, [0, -1]].mean()
    means, noise = _parts(cube)
    variance = float(means[:, -1].mean())
    none = np.full((2 * knobs, 3), np.nan)  # the settings differ by no more than noise
    indices = none if variance <= 0 else _ratios(means, _shared_noise(cube, means))
    plain_first, plain_total = _plain(cube.mean(axis=2))
    return Sensitivity(
        indices[:knobs], indices[knobs:], plain_first, plain_total, max(variance, 0.0), noise, points
    )  # fmt: skip


def _parts(cube: Floats) -> tuple[Floats, float]:
    """Numerators of the indices, and the variance between settings, for each sequence and with the noise subtracted.

    Args:
        cube: shape (points, knobs + 2, blocks).
    Returns:
        (parts, noise): first-order numerators, then total numerators, then the variance in the last column, shape
            (REPLICATES, 2 * knobs + 1); and the variance of the noise.
    """
    a, b, mixed = cube[:, 0], cube[:, -1], cube[:, 1:-1]
    count = cube.shape[2]

    def product(x: Floats, y: Floats) -> Floats:
        """Product of two means without their common noise; over the last axis."""
        mean_x, mean_y = x.mean(-1), y.mean(-1)
        shared = ((x - mean_x[..., None]) * (y - mean_y[..., None])).sum(-1) / (count - 1)
        return np.asarray(mean_x * mean_y - shared / count, np.float64)

    both = np.stack([a, b])  # (2, points, blocks)
    n = 2 * len(a)
    own = both.var(axis=2, ddof=1) / count
    together = float(both.mean(axis=(0, 1)).var(ddof=1)) / count  # noise of the mean over all points
    between = (n * n * together - own.sum()) / (n * (n - 1))  # covariance of the noise of two points, on average
    apart = (both.mean(axis=2) - both.mean()) ** 2 * n / (n - 1)
    variance = (apart - own).mean(axis=0) + between
    first = product(b[:, None], mixed - a[:, None])
    total = product(a[:, None] - mixed, a[:, None] - mixed) / 2
    parts = np.concatenate([first, total, variance[:, None]], axis=1)
    return parts.reshape(REPLICATES, -1, parts.shape[1]).mean(axis=1), float(own.mean() - between)


def _shared_noise(cube: Floats, parts: Floats) -> Floats:
    """Covariance of each numerator and the variance due to noise that the sequences share, by a jackknife over the
    blocks: shape (2 * knobs, 2, 2).
    """
    count = cube.shape[2]
    if count < 3:
        return np.zeros((parts.shape[1] - 1, 2, 2))
    without = np.stack([_parts(np.delete(cube, block, axis=2))[0] for block in range(count)], axis=-1)
    off = (count - 1) * (without.mean(axis=-1, keepdims=True) - without)  # (sequences, columns, blocks)
    pairs = np.stack([off[:, :-1], np.broadcast_to(off[:, -1:], off[:, :-1].shape)], axis=2)

    def covariance(values: Floats) -> Floats:
        """Covariance of the mean over the blocks, for values of shape (..., 2, blocks)."""
        return np.asarray(np.einsum("...ib,...jb->...ij", values, values) / count / (count - 1), np.float64)

    own, together = covariance(pairs).mean(axis=0), covariance(pairs.mean(axis=0))
    roots, axes = np.linalg.eigh((REPLICATES * together - own) / (REPLICATES - 1))
    return np.asarray((axes * np.maximum(roots, 0.0)[:, None, :]) @ axes.swapaxes(-1, -2), np.float64)


def _ratios(parts: Floats, shared: Floats) -> Floats:
    """Each numerator over the variance, with Fieller's interval: estimate, low, high, shape (2 * knobs, 3).

    Args:
        parts: as `_parts`. shared: as `_shared_noise`.
    """
    x, y = parts[:, :-1], parts[:, -1]
    t = student_quantile(0.95, REPLICATES - 1)
    scale = 1 / REPLICATES / (REPLICATES - 1)
    dx, dy = x - x.mean(axis=0), y - y.mean()
    xx = t * t * ((dx * dx).sum(axis=0) * scale + shared[:, 0, 0])
    xy = t * t * ((dx * dy[:, None]).sum(axis=0) * scale + shared[:, 0, 1])
    yy = t * t * (float(dy @ dy) * scale + shared[:, 1, 1])
    top, bottom = x.mean(axis=0), float(y.mean())
    # Shares s with (top - s * bottom)^2 <= xx - 2 * s * xy + s^2 * yy.
    a, b, c = bottom**2 - yy, top * bottom - xy, top**2 - xx
    root = np.sqrt(np.maximum(b * b - a * c, 0.0))
    bounded = a > 0
    a = np.where(bounded, a, 1.0)
    low, high = np.where(bounded, (b - root) / a, -np.inf), np.where(bounded, (b + root) / a, np.inf)
    return np.stack([top / bottom, low, high], -1)


def _plain(means: Floats) -> tuple[Floats, Floats]:
    """SALib's indices of the means, noise included."""
    from SALib.analyze import sobol

    knobs = means.shape[1] - 2
    names: Sequence[str] = [f"x{i}" for i in range(knobs)]
    if float(means.std()) == 0:
        return np.full(knobs, np.nan), np.full(knobs, np.nan)
    problem = {"num_vars": knobs, "names": names, "bounds": [[0, 1]] * knobs}
    indices = sobol.analyze(problem, means.ravel(), calc_second_order=False, num_resamples=2, seed=1)
    return np.asarray(indices["S1"], np.float64), np.asarray(indices["ST"], np.float64)
