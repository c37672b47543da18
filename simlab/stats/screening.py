"""Which of many knobs have an effect: Morris's elementary effects, with the noise of the games taken out.

An elementary effect is the change of a statistic by one move of one knob, scaled to the knob's whole range. `mu*`, the
mean of its size, measures how much the knob matters. `sigma`, the spread of the effect over the settings, measures how
much it depends on the other knobs and on the knob's own value.

The result of a setting is a mean over games. The noise of that mean makes every size too large, so knobs without effect
seem to have one; it also adds to the spread. Here each setting comes as several block means over the same seeds. The
sign of an effect is estimated from half of the blocks and its size from the other half, and vice versa. Noise then
subtracts as often as it adds, whereas the raw size of a knob without effect is 0.8 of the noise of an effect. The cost
is that an effect about as large as its noise is underestimated by up to half of that noise. The upper end of an
interval allows for this error, and is also bounded by the raw size, which noise can only increase. The variance between
blocks is subtracted from the spread.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simlab.stats.intervals import Floats, level_of_each, student_quantile

LOST = 0.481  #: largest loss of an effect through wrong signs, in units of its noise: max of 2 x (1 - Phi(x / sqrt(2)))
FEWEST = 4  #: least number of trajectories: fewer do not show how much trajectories differ


@dataclass(frozen=True)
class Screening:
    """Elementary effects of a statistic, by knob; arrays of shape (knobs,).

    Attributes:
        size: mu*, mean size of the effects without noise. mean: mu, mean of the effects with their signs. Both hold the
            estimate and its interval, shape (knobs, 3).
        spread: sigma, standard deviation of the effects over the settings, without noise.
        plain_size, plain_spread: SALib's mu* and sigma, noise included.
        noise: standard deviation of a single effect due to the randomness of the games.
    """

    size: Floats
    mean: Floats
    spread: Floats
    plain_size: Floats
    plain_spread: Floats
    noise: Floats
    trajectories: int

    @property
    def order(self) -> list[int]:
        """Order of the knobs, largest effect first."""
        return [int(i) for i in np.argsort(-self.size[:, 0], kind="stable")]


def elementary_effects(blocks: npt.ArrayLike, moved: npt.ArrayLike, steps: npt.ArrayLike) -> Screening:
    """Morris's measures from trajectories whose points were each played in blocks of games.

    Args:
        blocks: mean of the statistic in each block of games, the same seeds in the same block of each point, one
            trajectory after the other; shape (trajectories * (knobs + 1), blocks), 2 blocks or more.
        moved: the knob that each step moves, shape (trajectories, knobs); each knob once in a trajectory.
        steps: the size of the step as a share of the range, with its sign; shape as `moved`.
    Returns:
        Screening: effects for a move over the whole range. Intervals of all knobs together (Bonferroni): Student's,
            from the differences between trajectories, plus their common noise. The upper end of a size also allows for
            the loss from wrong signs.
    Raises:
        ValueError: shapes, or fewer than FEWEST trajectories.
    Source: Morris (1991), Technometrics 33(2), 161-174; mu*: Campolongo, Cariboni, Saltelli (2007), Environmental
        Modelling & Software 22, 1509-1518. Checked against SALib without noise; bias and coverage with noise are
        simulated in the tests.
    """
    table, order, way = np.asarray(blocks, np.float64), np.asarray(moved, np.int64), np.asarray(steps, np.float64)
    if order.ndim != 2 or order.shape != way.shape:
        raise ValueError(f"moved has the shape {order.shape}, steps {way.shape}: use (trajectories, knobs)")
    walks, knobs = order.shape
    if walks < FEWEST:
        raise ValueError(f"{walks} trajectories: use {FEWEST} or more")
    if table.ndim != 2 or table.shape[0] != walks * (knobs + 1) or table.shape[1] < 2:
        raise ValueError(f"blocks: shape {table.shape} is none of {walks} trajectories of {knobs} knobs in 2 blocks")
    if (np.sort(order, axis=1) != np.arange(knobs)).any() or (way == 0).any():
        raise ValueError("each knob moves once in each trajectory")
    count = table.shape[1]
    rises = np.diff(table.reshape(walks, knobs + 1, count), axis=1) / way[..., None]
    effects = np.take_along_axis(rises, np.argsort(order, axis=1)[..., None], axis=1)  # (walks, knobs, blocks)
    halves = np.stack([effects[..., 0::2].mean(axis=2), effects[..., 1::2].mean(axis=2)], axis=-1)
    sizes = np.sign(halves[..., 1 - np.arange(count) % 2]) * effects
    t = student_quantile(level_of_each(0.95, knobs), min(walks, count) - 1)
    each = effects.mean(axis=2)
    own, shared = _noise(effects)
    spread = np.sqrt(np.maximum(each.var(axis=0, ddof=1) - own + shared, 0.0))
    noise, size = np.sqrt(own), _mean(sizes, t)
    size[:, 2] = np.minimum(size[:, 2] + LOST * noise, _mean(np.sign(each)[..., None] * effects, t)[:, 2])
    size[:, 1:] = np.maximum(size[:, 1:], 0.0)
    plain = np.abs(each).mean(axis=0), each.std(axis=0, ddof=1)
    return Screening(size, _mean(effects, t), spread, *plain, noise, walks)


def _noise(values: Floats) -> tuple[Floats, Floats]:
    """Variance of one trajectory's value due to noise, and covariance of two trajectories.

    Args:
        values: shape (trajectories, knobs, blocks).
    """
    walks, _, count = values.shape
    own = values.var(axis=2, ddof=1).mean(axis=0) / count
    together = values.mean(axis=0).var(axis=1, ddof=1) / count
    return own, (walks * together - own) / (walks - 1)


def _mean(values: Floats, t: float) -> Floats:
    """Mean over trajectories and blocks by knob, and its interval of t standard errors: shape (knobs, 3)."""
    each = values.mean(axis=2)
    _, shared = _noise(values)
    half = t * np.sqrt(each.var(axis=0, ddof=1) / len(each) + np.maximum(shared, 0.0))
    mean = each.mean(axis=0)
    return np.stack([mean, mean - half, mean + half], axis=-1)
