"""Differences on shared luck against scipy, statsmodels and exact coverage."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as their_mcnemar

from simlab.stats.intervals import wilson
from simlab.stats.paired import factor_interval, mcnemar, paired_difference, paired_rates, score_interval


def test_paired_difference_equals_scipys_paired_t():
    generator = np.random.default_rng(1)
    luck = generator.normal(0, 3, 200)
    a, b = luck + generator.normal(0, 1, 200), luck + generator.normal(0.2, 1, 200)
    found, theirs = paired_difference(a, b), stats.ttest_rel(b, a)
    ends = theirs.confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((ends.low, ends.high), rel=1e-4)
    assert found.p_value == pytest.approx(theirs.pvalue)
    assert found.factor == pytest.approx((a.var(ddof=1) + b.var(ddof=1)) / (b - a).var(ddof=1))
    assert found.helped


def test_equal_runs_have_no_difference_and_no_doubt():
    same = paired_difference([1, 5, 5, 2], [1, 5, 5, 2])
    assert (same.difference, same.low, same.high, same.p_value, same.changed) == (0, 0, 0, 1, 0)
    assert math.isinf(same.factor)


def test_opposed_luck_widens_the_interval_and_says_so():
    x = np.arange(50.0)
    found = paired_difference(x, -x)
    assert found.factor == pytest.approx(0.5)
    assert not found.helped
    apart = stats.t.ppf(0.975, 49) * math.sqrt(2 * x.var(ddof=1) / 50)
    assert found.high - found.low > 2 * apart  # wider than separate luck would be


def test_pairs_must_match():
    for a, b in [([1], [1, 2]), ([], []), ([[1]], [[1]])]:
        with pytest.raises(ValueError, match="pairs"):
            paired_difference(a, b)
    assert paired_difference([1], [2]).high == math.inf


@given(st.integers(0, 300), st.integers(0, 300))
def test_mcnemar_equals_scipys_and_statsmodels(a_only, b_only):
    if a_only + b_only:
        assert mcnemar(a_only, b_only) == pytest.approx(stats.binomtest(a_only, a_only + b_only).pvalue, rel=1e-9)
        theirs = their_mcnemar([[9, a_only], [b_only, 9]], exact=True).pvalue
        assert mcnemar(a_only, b_only) == pytest.approx(theirs, rel=1e-9)
    else:
        assert mcnemar(0, 0) == 1


def test_mcnemar_takes_tables():
    assert mcnemar([0, 5, 0], [0, 5, 10]).tolist() == pytest.approx([1, 1, 2 / 2**10])


@given(st.integers(0, 60), st.integers(0, 60), st.floats(0.5, 0.999))
def test_score_interval_without_ties_is_wilsons(more, less, level):
    if more + less:
        ends = score_interval(more, less, more + less, level)
        assert ends == pytest.approx(2 * wilson(more, more + less, level) - 1, abs=1e-9)


@pytest.mark.parametrize("n", [20, 60])
def test_exact_coverage_of_the_score_interval(n):
    """All outcomes of n games in which one side gains, loses or neither."""
    table = [(m, k) for m in range(n + 1) for k in range(n + 1 - m)]
    ends = np.array([score_interval(m, k, n) for m, k in table])
    counts = np.array([(m, k, n - m - k) for m, k in table])
    covered = []
    for up, down in [(0.5, 0.5), (0.3, 0.2), (0.1, 0.1), (0.6, 0.1), (0.25, 0.5), (0.05, 0.3), (0.4, 0.4)]:
        chance = stats.multinomial.pmf(counts, n, [up, down, 1 - up - down])
        inside = (ends[:, 0] <= up - down) & (up - down <= ends[:, 1])
        covered.append(float(chance[inside].sum()))
    assert min(covered) > 0.92
    assert np.mean(covered) == pytest.approx(0.95, abs=0.012)


def test_paired_rates_equal_the_pairs_they_count():
    a = np.repeat([1, 1, 0, 0], [400, 30, 60, 510])
    b = np.repeat([1, 0, 1, 0], [400, 30, 60, 510])
    counted, listed = paired_rates(400, 30, 60, 510), paired_difference(a, b)
    assert counted.difference == pytest.approx(listed.difference)
    assert counted.factor == pytest.approx(listed.factor, rel=1e-3)
    assert (counted.low, counted.high) == pytest.approx((listed.low, listed.high), abs=1e-3)
    assert counted.changed == listed.changed == 90
    assert counted.factor > 4  # nine games in ten went the same way


def test_paired_rates_refuse_nonsense():
    for counts in [(0, 0, 0, 0), (3, -1, 2, 2)]:
        with pytest.raises(ValueError, match="pairs"):
            paired_rates(*counts)


@pytest.mark.parametrize("share", [0.9, 0.5])
def test_the_interval_of_the_factor_covers(share):
    """Two numbers that share part of their luck: the true factor is known."""
    generator = np.random.default_rng(8)
    truth = 1 / (1 - share)  # variances 1 and 1, covariance `share`
    hits = 0
    for _ in range(1_000):
        luck = generator.standard_normal(500)
        a, b = (np.sqrt(share) * luck + np.sqrt(1 - share) * generator.standard_normal(500) for _ in "ab")
        low, high = factor_interval(a, b)
        hits += low <= truth <= high
    assert 0.93 <= hits / 1_000 <= 0.97
    assert factor_interval([1, 2, 3], [1, 2, 4]) == (0, np.inf)
    assert factor_interval(np.arange(200), np.arange(200)) == (0, np.inf)
