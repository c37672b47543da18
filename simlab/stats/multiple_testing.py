"""Many comparisons at once: p-values adjusted so that a table of them can be read as a whole."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from simlab.stats.intervals import Floats


def holm(p_values: npt.ArrayLike) -> Floats:
    """P-values adjusted for the question which of these differ: the chance of even one false positive is at most the
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
