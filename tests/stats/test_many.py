"""Adjusted p-values against statsmodels."""

import gc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from simlab.stats.multiple_testing import benjamini_hochberg, holm


@pytest.fixture(autouse=True, scope="module")
def quick_collection():
    """statsmodels collects garbage at each call: a second where all tests and compiled kernels are in memory."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.parametrize(("own", "method"), [(holm, "holm"), (benjamini_hochberg, "fdr_bh")])
@settings(max_examples=40, deadline=None)
@given(p=st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_adjusted_p_values_equal_statsmodels(own, method, p):
    assert own(p) == pytest.approx(multipletests(p, method=method)[1], abs=1e-12)


@pytest.mark.parametrize("own", [holm, benjamini_hochberg])
def test_nothing_to_adjust_and_nonsense(own):
    assert own([]).size == 0
    for p in ([1.5], [-0.1], [float("nan")], [[0.5]]):
        with pytest.raises(ValueError, match="p-values"):
            own(p)


def test_false_finds_stay_within_what_is_promised():
    """100 tweaks of which 5 do something: Holm rarely finds a false one, BH few among those it finds."""
    generator, holm_wrong, shares = np.random.default_rng(7), 0, []
    for _ in range(200):
        p = generator.uniform(size=100)
        p[:5] = generator.uniform(0, 1e-5, size=5)
        holm_wrong += bool((holm(p)[5:] <= 0.05).any())
        found = benjamini_hochberg(p) <= 0.05
        shares.append(found[5:].sum() / max(found.sum(), 1))
    assert holm_wrong / 200 <= 0.09
    assert np.mean(shares) <= 0.06
