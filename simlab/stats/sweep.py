"""Where a curve meets a target, with intervals."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simlab.stats.intervals import Floats, normal_quantile


@dataclass(frozen=True)
class Crossing:
    """Where a curve meets a target.

    Attributes:
        at: knob value, by linear interpolation between the values played; its interval is open if it extends beyond
            these values.
        rising: whether the curve rises there.
    """

    at: float
    low: float
    high: float
    rising: bool


def crossings(
    values: npt.ArrayLike, rates: npt.ArrayLike, covariance: npt.ArrayLike, target: float, level: float = 0.95
) -> list[Crossing]:
    """Where the straight lines between the rates meet the target.

    An interval contains each place whose rate on those lines does not differ significantly from the target, so it
    covers the true place of such a curve with probability `level`.

    Args:
        values: values of the knob, ascending, shape (m,), m >= 2.
        rates: at these values, shape (m,). covariance: of the rates, shape (m, m), common random numbers included.
    Source: Fieller (1954), JRSS B 16(2), 175-185, stretch by stretch; coverage checked by simulation.
    """
    pieces = places_of_target(values, rates, covariance, target, level)
    made = []
    for at, rising in _meets(np.asarray(values, np.float64), np.asarray(rates, np.float64) - target):
        around = [piece for piece in pieces if piece[0] - 1e-9 <= at <= piece[1] + 1e-9]
        made.append(Crossing(at, *(around[0] if around else (at, at)), rising))
    return made


def places_of_target(
    values: npt.ArrayLike, rates: npt.ArrayLike, covariance: npt.ArrayLike, target: float, level: float = 0.95
) -> list[tuple[float, float]]:
    """The stretches in which the rate does not differ significantly from the target, in order. An end is open if it is
    the first or last value played.

    Args and Source: as for `crossings`.
    """
    x, y = np.asarray(values, np.float64), np.asarray(rates, np.float64) - target
    shared, z = np.asarray(covariance, np.float64), normal_quantile(level)
    if x.ndim != 1 or x.size < 2 or y.shape != x.shape or shared.shape != (x.size, x.size) or np.any(np.diff(x) <= 0):
        raise ValueError("crossings: two values or more in ascending order, a rate for each, and their covariance")
    pieces: list[tuple[float, float]] = []
    for i in range(x.size - 1):
        a, b = y[i], y[i + 1] - y[i]
        v, c, u = shared[i, i], shared[i, i + 1], shared[i + 1, i + 1]
        # (a + b w)^2 <= z^2 Var(w), w in 0..1 along the stretch
        square = b * b - z * z * (v - 2 * c + u)
        linear = 2 * (a * b - z * z * (c - v))
        constant = a * a - z * z * v
        for low, high in _below_zero(float(square), float(linear), float(constant)):
            left, right = (float(x[i] + (x[i + 1] - x[i]) * end) for end in (low, high))
            if pieces and left <= pieces[-1][1] + 1e-12:
                pieces[-1] = (pieces[-1][0], max(right, pieces[-1][1]))
            else:
                pieces.append((left, right))
    return [(-math.inf if low <= x[0] else low, math.inf if high >= x[-1] else high) for low, high in pieces]


def _meets(x: Floats, y: Floats) -> list[tuple[float, bool]]:
    zeros: list[tuple[float, bool]] = []
    for i in range(x.size - 1):
        a, b = y[i], y[i + 1]
        if a == b or a * b > 0 or (b == 0 and i + 2 < x.size and y[i + 2] != b):
            continue  # a value right on the target belongs to the stretch that begins there
        zeros.append((float(x[i] + (x[i + 1] - x[i]) * a / (a - b)), bool(b > a)))
    return zeros


def _below_zero(square: float, linear: float, constant: float) -> list[tuple[float, float]]:
    """The parts of 0..1 in which a quadratic is at most 0."""
    roots = np.roots([square if abs(square) > 1e-300 else 0.0, linear, constant])
    cuts = sorted({0.0, 1.0, *(float(root.real) for root in roots if np.isreal(root) and 0 < root.real < 1)})
    return [
        (low, high)
        for low, high in itertools.pairwise(cuts)
        if np.polyval([square, linear, constant], (low + high) / 2) <= 0
    ]
