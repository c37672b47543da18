"""How much each kind of luck contributes to a result. One kind is drawn again while the others stay fixed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simlab.stats.intervals import Floats, Reading, normal_quantile, wilson


@dataclass(frozen=True)
class LuckShare:
    """The effect of one kind of luck on a result.

    Attributes:
        alone: share of the variance that this kind explains on its own.
        total: the same including interactions with the other kinds: the variance removed if this kind were fixed.
            Where kinds of luck work together, the totals add up to more than 1.
    """

    alone: Reading
    total: Reading


def luck_shares(
    base: npt.ArrayLike,
    redrawn: Mapping[str, npt.ArrayLike],
    kept: Mapping[str, npt.ArrayLike],
) -> dict[str, LuckShare]:
    """First-order and total share of each kind of luck; all 0 if the result does not vary.

    Args:
        base: result of each game, shape (games,) or (games, results): several results count together.
        redrawn: kind -> the same games with that kind drawn again and the others fixed. kept: kind -> the same games
            with that kind fixed and all others drawn again.
    Source: Sobol' (1993), Mathematical Modelling and Computational Experiments 1, 407-414; Janon et al. (2014), ESAIM
        Probability and Statistics 18, 342-364 (first order); Jansen (1999), Computer Physics Communications 117, 35-43
        (total); several results: Gamboa et al. (2014), Electronic Journal of Statistics 8, 575-603. Intervals use the
        delta method and are reliable from about a thousand games. The estimates are checked on functions with known
        shares, and the coverage by simulation.
    """
    y = np.asarray(base, np.float64)
    if len(y) < 2:
        raise ValueError("shares of luck need two games or more")
    shares = {}
    for kind in redrawn:
        other, _, spread = _compared(y, redrawn[kind])
        total = _ratio(((y - other) ** 2).reshape(len(y), -1).sum(axis=1) / 2, spread)
        _, product, spread = _compared(y, kept[kind])
        # A kind that changes no game explains nothing; any other estimate would be noise.
        shares[kind] = LuckShare(_ratio(product, spread) if total.value > 0 else total, total)
    return shares


def _compared(y: Floats, others: npt.ArrayLike) -> tuple[Floats, Floats, Floats]:
    """The other results; and for each game the product of both, and their variance, about the mean of both."""
    other = np.asarray(others, np.float64)
    if other.shape != y.shape or y.ndim not in (1, 2):
        raise ValueError("results of the same games, in the same shape")
    one, two = (table.reshape(len(y), -1) - (y + other).mean(axis=0) / 2 for table in (y, other))
    return other, (one * two).sum(axis=1), (one**2 + two**2).sum(axis=1) / 2


def _ratio(over: Floats, under: Floats) -> Reading:
    """Ratio of two means over games, with the delta method's interval, cut to 0..1.

    Near 0 and 1 the delta method is overconfident, as too few games vary. There the ends are those of Wilson's interval
    for 0 % and 100 % of the games that decide the result: for a rare win, the games in which it happens.

    Source: the number of games that weights make: Kish (1965), Survey Sampling, 11.7.
    """
    n, scale = len(over), float(under.mean())
    if scale <= 0:
        return Reading(0.0, 0.0, 0.0)
    ratio = float(over.mean()) / scale
    half = normal_quantile(0.95) * float((over - ratio * under).std(ddof=1)) / scale / math.sqrt(n)
    carry = float(under.sum() ** 2 / (under**2).sum())
    none = float(wilson(0, carry)[1])
    ends = (ratio, min(ratio - half, 1 - none), max(ratio + half, none))
    return Reading(*(min(max(share, 0.0), 1.0) for share in ends))
