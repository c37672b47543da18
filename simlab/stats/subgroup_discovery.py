"""Finds where in a space of settings a condition holds, as short rules: a few knobs, each with a range.

A rule is a box: it limits some knobs to an interval or a set of options and leaves the others free. Its density is the
share of the points inside in which the condition holds; its coverage is the share of all points with the condition that
lie inside. The search maximises the sum of (label - worth) over the box's points: each strip of the box has a density
of `worth` or more, so the whole box does too, and it is the largest such box.

Along one knob the best interval is found exactly, in one pass. Over several knobs, one is optimized after the other
until none improves, starting from the best rules with one knob fewer (a beam). PRIM (Friedman and Fisher 1999) peels
thin slices off all knobs alike and ends with many knobs cut a little; here a rule uses the fewest knobs that do nearly
as well. The best of many boxes looks better than it is: judge it on held-out points and games.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simlab.stats.intervals import Floats

Limit = tuple[float, float] | frozenset[int]  #: of a number: its ends, both inside; of a choice: places of options
Bools = npt.NDArray[np.bool_]

_BEAM = 8  # boxes with the same number of knobs from which boxes with one more grow
_ROUNDS = 20  # most rounds of improving a box, knob by knob
_NEARLY = 0.9  # a shorter rule wins if it reaches this share of the best sum


@dataclass(frozen=True)
class Box:
    """A rule: position of a knob -> its allowed values; knobs without an entry are free.

    Attributes:
        reached: whether it has the requested density. density, coverage: measured on the points with which it was
            found.
    """

    limits: Mapping[int, Limit]
    reached: bool
    density: float
    coverage: float

    def inside(self, columns: Sequence[Floats]) -> Bools:
        """Whether each point lies in the box, shape (points,)."""
        return _inside(self.limits, columns, len(columns[0]))


def find_boxes(
    columns: Sequence[npt.ArrayLike],
    ordered: Sequence[bool],
    labels: npt.ArrayLike,
    worth: float = 0.8,
    *,
    most_knobs: int = 3,
    most_boxes: int = 3,
    fewest: int = 10,
) -> list[Box]:
    """Rules that together describe where a condition holds, the most informative first.

    Args:
        columns: value of each knob at each point, a number or the place of an option; one array (points,) per knob.
        ordered: whether a knob is a number.
        labels: 0..1, whether the condition holds at a point, or the chance that it does, shape (points,).
        worth: density that a rule must have. fewest: fewest points in a box.
    Returns:
        boxes, none of them empty; each is searched among the points outside the previous ones. If no box is dense
        enough, the only result is the box that differs most from the rest, with `reached` False.
    Source: best intervals by maximum sum: Mampaey et al. (2012), ICDM, 499-508; covering: Friedman and Fisher (1999),
        Statistics and Computing 9, 123-143.
    """
    data = [np.asarray(column, np.float64) for column in columns]
    truth = np.asarray(labels, np.float64)
    left = np.ones(truth.size, np.bool_)
    boxes: list[Box] = []
    while len(boxes) < most_boxes and left.sum() >= fewest:
        limits, reached = _best_box([x[left] for x in data], ordered, truth[left], worth, most_knobs, fewest)
        if limits is None or (boxes and not reached):
            break
        inside = _inside(limits, data, truth.size)
        here = float(truth[inside].sum())
        boxes.append(Box(limits, reached, here / inside.sum(), here / max(float(truth.sum()), 1e-12)))
        if not reached:
            break
        left &= ~inside
    return boxes


def _best_box(
    data: Sequence[Floats], ordered: Sequence[bool], truth: Floats, worth: float, most_knobs: int, fewest: int
) -> tuple[dict[int, Limit] | None, bool]:
    """The limits of the best box (None if there is none), and whether it has the density `worth`."""
    base = float(truth.mean())
    if base >= worth:
        return None, False  # it holds nearly everywhere
    beam: list[dict[int, Limit]] = [{}]
    dense: list[tuple[float, dict[int, Limit]]] = []  # (sum, limits) for each number of knobs
    leaning: list[tuple[float, dict[int, Limit]]] = []
    for _ in range(min(most_knobs, len(data))):
        grown: dict[frozenset[int], tuple[float, dict[int, Limit]]] = {}
        for limits in beam:
            for knob in range(len(data)):
                knobs = frozenset(limits) | {knob}
                if knob in limits:
                    continue
                made = _improved(limits, knobs, data, ordered, truth, base, fewest)
                if made is not None and made[0] > grown.get(knobs, (0.0, {}))[0]:
                    grown[knobs] = made
        if not grown:
            break
        ranked = sorted(grown.values(), key=lambda pair: -pair[0])[:_BEAM]
        beam = [limits for _, limits in ranked]
        leaning.append(ranked[0])
        finished = [_improved(limits, frozenset(limits), data, ordered, truth, worth, fewest) for limits in beam]
        kept = [pair for pair in finished if pair is not None and pair[0] > 0]
        if kept:
            dense.append(max(kept, key=lambda pair: pair[0]))
    for found, reached in ((dense, True), (leaning, False)):
        if found:
            enough = _NEARLY * max(total for total, _ in found)
            good = (pair for pair in found if pair[0] >= enough)
            return min(good, key=lambda pair: (len(pair[1]), -pair[0]))[1], reached
    return None, False


def _improved(
    limits: Mapping[int, Limit],
    knobs: frozenset[int],
    data: Sequence[Floats],
    ordered: Sequence[bool],
    truth: Floats,
    worth: float,
    fewest: int,
) -> tuple[float, dict[int, Limit]] | None:
    """A box over these knobs, each optimized with the others fixed, and its sum; None if it has too few points. Knobs
    that limit nothing are dropped.
    """
    gain = truth - worth
    box = dict(limits)
    best = -np.inf
    for _ in range(_ROUNDS):
        for knob in sorted(knobs, key=lambda k: (k in box, k)):  # a new knob first
            others = {k: limit for k, limit in box.items() if k != knob}
            here = _inside(others, data, truth.size)
            if here.sum() < fewest:
                return None
            box[knob] = (_interval if ordered[knob] else _options)(data[knob][here], gain[here])
        here = _inside(box, data, truth.size)
        total = float(gain[here].sum())
        if total <= best + 1e-12:
            break
        best = total
    if here.sum() < fewest:
        return None
    return best, {k: limit for k, limit in box.items() if not _is_free(limit, data[k])}


def _interval(x: Floats, gain: Floats) -> tuple[float, float]:
    """The interval with the greatest sum (Kadane's pass over the values in order); of equal ones the shortest."""
    values, place = np.unique(x, return_inverse=True)
    sums = np.bincount(place, gain)
    total, start = 0.0, 0
    best, ends = -np.inf, (0, 0)
    for i, more in enumerate(sums):
        if total <= 0:
            total, start = 0.0, i
        total += float(more)
        if total > best:
            best, ends = total, (start, i)
    return float(values[ends[0]]), float(values[ends[1]])


def _options(x: Floats, gain: Floats) -> frozenset[int]:
    values, place = np.unique(x, return_inverse=True)
    sums = np.bincount(place, gain)
    return frozenset(int(v) for v, s in zip(values, sums, strict=True) if s > 0) or frozenset(
        [int(values[sums.argmax()])]
    )


def _is_free(limit: Limit, x: Floats) -> bool:
    if isinstance(limit, frozenset):
        return {int(v) for v in np.unique(x)} <= limit
    return bool(limit[0] <= x.min() and limit[1] >= x.max())


def _inside(limits: Mapping[int, Limit], data: Sequence[Floats], points: int) -> Bools:
    here = np.ones(points, np.bool_)
    for knob, limit in limits.items():
        x = data[knob]
        here &= np.isin(x, list(limit)) if isinstance(limit, frozenset) else (x >= limit[0]) & (x <= limit[1])
    return here
