"""Adjusted p-values against statsmodels."""

import gc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from simlab.stats.p_values import holm


@pytest.fixture(autouse=True, scope="module")
def quick_collection():
    """statsmodels collects garbage at each call: a second where all tests and compiled kernels are in memory."""
    gc.freeze()
    yield
    gc.unfreeze()


@settings(max_examples=40, deadline=None)
@given(p=st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_adjusted_p_values_equal_statsmodels(p):
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1], abs=1e-12)


def test_nothing_to_adjust_and_nonsense():
    assert holm([]).size == 0
    for p in ([1.5], [-0.1], [float("nan")], [[0.5]]):
        with pytest.raises(ValueError, match="p-values"):
            holm(p)


def test_false_finds_stay_within_what_is_promised():
    """100 tweaks of which 5 do something: in at most one list in twenty even one of the others is found."""
    generator, wrong = np.random.default_rng(7), 0
    for _ in range(200):
        p = generator.uniform(size=100)
        p[:5] = generator.uniform(0, 1e-5, size=5)
        wrong += bool((holm(p)[5:] <= 0.05).any())
    assert wrong / 200 <= 0.09
