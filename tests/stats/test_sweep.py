"""Crossing points: coverage by simulation."""

import math

import numpy as np
import pytest

from simlab.stats.sweep import crossings

X = np.arange(3.0, 8.0)
TRUTH = np.array([0.62, 0.57, 0.54, 0.49, 0.44])  # meets 0.5 at 5.8


def test_the_place_of_a_crossing_is_that_of_the_straight_line():
    (found,) = crossings(X, TRUTH, np.eye(5) * 1e-8, 0.5)
    assert found.at == pytest.approx(5.8)
    assert not found.rising
    assert (found.low, found.high) == pytest.approx((5.8, 5.8), abs=0.01)


@pytest.mark.parametrize("correlation", [0.0, 0.7], ids=["separate luck", "shared luck"])
def test_the_interval_covers_as_often_as_it_says(correlation):
    generator = np.random.default_rng(0)
    se = 0.008
    shared = se**2 * ((1 - correlation) * np.eye(5) + correlation)
    drawn = generator.multivariate_normal(TRUTH, shared, size=1_000)
    hits = 0
    for rates in drawn:
        found = crossings(X, rates, shared, 0.5)
        hits += any(one.low <= 5.8 <= one.high for one in found)
    assert hits / 1_000 == pytest.approx(0.95, abs=0.02)


def test_shared_luck_makes_the_differences_sure_and_not_the_place():
    """What all cells share moves the whole curve: the place is no surer than one rate is."""
    shared = 0.01**2 * (0.01 * np.eye(5) + 0.99)
    (one,) = crossings(X, TRUTH, shared, 0.5)
    assert one.high - one.low == pytest.approx(2 * 1.96 * 0.01 / 0.05, rel=0.15)


def test_an_interval_that_leaves_the_values_played_is_open():
    (found,) = crossings([3, 4], [0.53, 0.499], np.eye(2) * 0.01**2, 0.5)
    assert math.isinf(found.high)
    assert found.low > 3


def test_no_crossing_several_and_one_on_a_value():
    assert crossings(X, TRUTH, np.eye(5) * 1e-6, 0.9) == []
    twice = crossings(X, [0.4, 0.6, 0.6, 0.6, 0.4], np.eye(5) * 1e-6, 0.5)
    assert [one.at for one in twice] == pytest.approx([3.5, 6.5])
    assert [one.rising for one in twice] == [True, False]
    (on,) = crossings([1, 2, 3], [0.4, 0.5, 0.6], np.eye(3) * 1e-6, 0.5)
    assert on.at == 2
    (last,) = crossings([1, 2], [0.4, 0.5], np.eye(2) * 1e-6, 0.5)
    assert last.at == 2
    with pytest.raises(ValueError, match="ascending"):
        crossings([2, 1], [0.4, 0.5], np.eye(2), 0.5)
