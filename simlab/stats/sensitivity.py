"""Which knobs move a figure most: Sobol's indices, with the luck of the games taken out.

SALib makes the design (`simlab.experiments.design`) and the plain indices. What it does not know is that each
figure is a mean over games: that noise shrinks the first-order indices and blows up the total ones. Here each
cell comes as several block means over the same seeds, and all products are corrected for the noise that the
blocks show, shared luck included.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simlab.stats.intervals import Floats, normal_quantile


@dataclass(frozen=True)
class Sensitivity:
    """Sobol's indices of a figure.

    Attributes:
        first: share of the variance that each knob makes by itself, shape (knobs,); first_ends: (knobs, 2).
        total: share in which it has a part, alone or with others; total_ends: (knobs, 2).
        plain_first, plain_total: as SALib gives them, with the noise in.
        variance: of the figure between settings, without noise; its root is the spread.
        noise: variance that the games' luck adds between settings.
        points: base points of the design.
    """

    first: Floats
    first_ends: Floats
    total: Floats
    total_ends: Floats
    plain_first: Floats
    plain_total: Floats
    variance: float
    noise: float
    points: int

    @property
    def order(self) -> list[int]:
        """Knobs from the greatest total share on."""
        return [int(i) for i in np.argsort(-self.total, kind="stable")]

    @property
    def noise_share(self) -> float:
        """Part of the plain variance between settings that is luck."""
        whole = self.variance + self.noise
        return self.noise / whole if whole > 0 else 0.0


def sobol_indices(
    blocks: npt.ArrayLike, knobs: int, *, level: float = 0.95, draws: int = 300, seed: int = 0
) -> Sensitivity:
    """Sobol's indices out of a Saltelli design whose points were each played in blocks of games.

    Args:
        blocks: mean of the figure in each block of games, the same seeds in the same block of each point, in
            SALib's order (for each base point: A, then A with each knob of B in turn, then B); shape
            (points * (knobs + 2), blocks), 2 blocks or more.
        knobs: how many vary.
        draws, seed: of the bootstrap over base points and blocks, which gives the intervals.
    Returns:
        Sensitivity: first-order indices by Saltelli et al. (2010), total ones by Jansen (1999), each product
        of two means less the covariance of their noise.
    Raises:
        ValueError: shapes.
    Source: Saltelli et al. (2010), Computer Physics Communications 181, 259-270, table 2 (b) and (f); checked
        against SALib without noise, and with noise against the known indices of Ishigami's function.
    """
    table = np.asarray(blocks, np.float64)
    width = knobs + 2
    if table.ndim != 2 or table.shape[1] < 2 or knobs < 1 or table.shape[0] % width or not table.size:
        raise ValueError(f"blocks: shape {table.shape} is none of a design of {knobs} knobs in 2 blocks or more")
    cube = table.reshape(-1, width, table.shape[1])
    cube = cube - cube[:, [0, -1]].mean()
    first, total, variance, noise = _corrected(cube)
    generator = np.random.default_rng(seed)
    points, count = cube.shape[0], cube.shape[2]
    many = []
    for _ in range(draws):
        some = cube[generator.integers(0, points, points)]
        some = some[:, :, generator.integers(0, count, count)]
        many.append(np.stack(_corrected(some)[:2]))
    drawn = np.ma.masked_invalid(np.array(many))  # a draw of points that are all alike says nothing
    spread = normal_quantile(level) * drawn.std(axis=0, ddof=1).filled(np.nan)
    plain_first, plain_total = _plain(cube.mean(axis=2))
    return Sensitivity(
        first,
        np.stack([first - spread[0], first + spread[0]], -1),
        total,
        np.stack([total - spread[1], total + spread[1]], -1),
        plain_first,
        plain_total,
        variance,
        noise,
        points,
    )


def _corrected(cube: Floats) -> tuple[Floats, Floats, float, float]:
    """First and total indices, variance between points, and the noise taken out of it."""
    a, b, mixed = cube[:, 0], cube[:, -1], cube[:, 1:-1]
    count = cube.shape[2]

    def product(x: Floats, y: Floats) -> Floats:
        """Product of two means, free of the noise that they share; over the last axis."""
        mean_x, mean_y = x.mean(-1), y.mean(-1)
        shared = ((x - mean_x[..., None]) * (y - mean_y[..., None])).sum(-1) / (count - 1)
        return np.asarray(mean_x * mean_y - shared / count, np.float64)

    both = np.concatenate([a, b])
    n = len(both)
    own = both.var(axis=1, ddof=1) / count
    together = float(both.mean(axis=0).var(ddof=1)) / count  # noise of the mean over all points
    between = (n * n * together - own.sum()) / max(n * (n - 1), 1)  # covariance of two points' noise, on average
    noise = float(own.mean() - between)
    variance = float(both.mean(axis=1).var(ddof=1)) - noise
    if variance <= 0:
        nothing = np.full(mixed.shape[1], np.nan)
        return nothing, nothing, max(variance, 0.0), noise
    first = product(b[:, None], mixed - a[:, None]).mean(axis=0) / variance
    total = product(a[:, None] - mixed, a[:, None] - mixed).mean(axis=0) / 2 / variance
    return first, total, variance, noise


def _plain(means: Floats) -> tuple[Floats, Floats]:
    """SALib's indices of the means."""
    from SALib.analyze import sobol

    knobs = means.shape[1] - 2
    names: Sequence[str] = [f"x{i}" for i in range(knobs)]
    if float(means.std()) == 0:
        return np.full(knobs, np.nan), np.full(knobs, np.nan)
    problem = {"num_vars": knobs, "names": names, "bounds": [[0, 1]] * knobs}
    found = sobol.analyze(problem, means.ravel(), calc_second_order=False, num_resamples=2, seed=1)
    return np.asarray(found["S1"], np.float64), np.asarray(found["ST"], np.float64)
