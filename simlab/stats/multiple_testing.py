"""Many comparisons at once: p-values adjusted so that a table of them can be read as a whole."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from simlab.stats.intervals import Floats


def holm(p_values: npt.ArrayLike) -> Floats:
    """Adjusted for "which of these differ": the chance of even one false find is at most the level.

    Args:
        p_values: shape (m,), each in [0, 1].
    Returns:
        float, shape (m,), in the order given.
    Source: Holm (1979), Scandinavian Journal of Statistics 6, 65-70; checked against statsmodels.
    """
    p, order = _sorted(p_values)
    steps = (p.size - np.arange(p.size)) * p
    return _unsorted(np.minimum(np.maximum.accumulate(steps), 1.0), order)


def benjamini_hochberg(p_values: npt.ArrayLike) -> Floats:
    """Adjusted for screening: at a level q, at most a share q of the findings is expected to be false.

    Args and Returns: as `holm`.
    Source: Benjamini and Hochberg (1995), JRSS B 57, 289-300; checked against statsmodels.
    """
    p, order = _sorted(p_values)
    steps = p * p.size / (np.arange(p.size) + 1)
    return _unsorted(np.minimum(np.minimum.accumulate(steps[::-1])[::-1], 1.0), order)


def _sorted(p_values: npt.ArrayLike) -> tuple[Floats, npt.NDArray[np.intp]]:
    p = np.asarray(p_values, np.float64)
    if p.ndim != 1 or not np.all((p >= 0) & (p <= 1)):
        raise ValueError("p-values: a list of numbers in 0..1")
    order = np.argsort(p, kind="stable")
    return p[order], order


def _unsorted(adjusted: Floats, order: npt.NDArray[np.intp]) -> Floats:
    out = np.empty_like(adjusted)
    out[order] = adjusted
    return out
