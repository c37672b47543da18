"""Intervals against scipy, statsmodels and exact coverage."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import confint_proportions_2indep

from simlab.stats import intervals
from simlab.stats.intervals import (
    clopper_pearson,
    difference_of_rates,
    mean_from_histogram,
    quantile_from_histogram,
    quantile_interval,
    smallest_change,
    wilson,
)

COUNTS = [(0, 1), (1, 1), (0, 40), (40, 40), (3, 7), (117, 250), (99_999, 200_000), (1, 10**9)]


@pytest.mark.parametrize(("own", "method"), [(wilson, "wilson"), (clopper_pearson, "exact")])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
def test_rate_intervals_equal_scipys(own, method, level):
    for wins, games in COUNTS:
        theirs = stats.binomtest(wins, games).proportion_ci(level, method)
        assert own(wins, games, level) == pytest.approx([theirs.low, theirs.high], abs=1e-12, rel=1e-9)


@pytest.mark.parametrize("own", [wilson, clopper_pearson])
def test_rate_intervals_take_tables(own):
    wins, games = np.array([[1, 2], [3, 0]]), np.array([[4, 5], [6, 0]])
    table = own(wins, games)
    assert table.shape == (2, 2, 2)
    assert table[0, 1] == pytest.approx(own(2, 5))
    assert table[1, 1].tolist() == [0, 1]  # nothing played, nothing known


@pytest.mark.parametrize("own", [wilson, clopper_pearson])
def test_impossible_counts_are_refused(own):
    for wins, games in [(3, 2), (-1, 2)]:
        with pytest.raises(ValueError, match="wins"):
            own(wins, games)
    for level in (0, 1, 95):
        with pytest.raises(ValueError, match="level"):
            own(1, 2, level)


def coverage(ends, n, rates):
    """Chance that the interval made from Binomial(n, p) covers p, for each p."""
    k = np.arange(n + 1)
    covers = (ends[:, :1] <= rates) & (rates <= ends[:, 1:])
    return (stats.binom.pmf(k[:, None], n, rates) * covers).sum(axis=0)


# The least and the mean coverage of nominal 95 % over 981 rates in [0.01, 0.99], as published for these
# intervals.
@pytest.mark.parametrize(
    ("own", "n", "least", "mean"),
    [
        (wilson, 50, 0.895, 0.952),
        (wilson, 200, 0.933, 0.951),
        (wilson, 1000, 0.941, 0.950),
        (clopper_pearson, 50, 0.953, 0.969),
        (clopper_pearson, 200, 0.950, 0.960),
        (clopper_pearson, 1000, 0.951, 0.955),
    ],
)
def test_exact_coverage_of_rate_intervals(own, n, least, mean):
    rates = np.linspace(0.01, 0.99, 981)
    covered = coverage(own(np.arange(n + 1), n), n, rates)
    assert covered.min() == pytest.approx(least, abs=0.002)
    assert covered.mean() == pytest.approx(mean, abs=0.001)


def test_difference_of_rates_equals_statsmodels():
    for wins_a, games_a, wins_b, games_b in [(5, 20, 11, 25), (0, 10, 10, 10), (480, 1000, 530, 1000)]:
        gap, low, high = difference_of_rates(wins_a, games_a, wins_b, games_b)
        theirs = confint_proportions_2indep(wins_b, games_b, wins_a, games_a, method="newcomb", compare="diff")
        assert (low, high) == pytest.approx(theirs, abs=1e-9)
        assert gap == pytest.approx(wins_b / games_b - wins_a / games_a)


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95, 0.99, 0.9999])
def test_students_quantile_equals_scipys(level):
    for degrees in [1, 2, 5, 29, 30, 31, 50, 200, 10_000, 10**9]:
        theirs = stats.t.ppf((1 + level) / 2, degrees)
        assert intervals.student_quantile(level, degrees) == pytest.approx(theirs, rel=3e-5)


@given(st.lists(st.integers(-(10**6), 10**6), min_size=2, max_size=50))
def test_mean_of_a_histogram_equals_the_mean_of_the_games(games):
    values, counts = np.unique(games, return_counts=True)
    mean = mean_from_histogram(values, counts, 0.9)
    assert mean.count == len(games)
    assert mean.value == pytest.approx(np.mean(games), abs=1e-6)
    assert mean.se == pytest.approx(np.std(games, ddof=1) / np.sqrt(len(games)), rel=1e-9, abs=1e-6)
    if values.size > 1:
        theirs = stats.ttest_1samp(games, 0).confidence_interval(0.9)
        assert (mean.low, mean.high) == pytest.approx((theirs.low, theirs.high), rel=1e-4, abs=1e-4)


def test_means_of_no_and_of_one_game_claim_nothing():
    assert math.isnan(mean_from_histogram([], []).value)
    one = mean_from_histogram([7], [1])
    assert (one.value, one.low, one.high) == (7, -math.inf, math.inf)


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=60), st.integers(0, 20))
def test_quantiles_of_a_histogram_equal_numpys(games, twentieths):
    values, counts = np.unique(games, return_counts=True)
    q = twentieths / 20
    assert quantile_from_histogram(values, counts, q) == np.quantile(games, q, method="inverted_cdf")


def test_quantiles_by_the_list_and_of_nothing():
    assert quantile_from_histogram([1, 2, 3], [1, 0, 9], [0.1, 0.11]).tolist() == [1, 3]
    assert math.isnan(quantile_from_histogram([], [], 0.5))
    with pytest.raises(ValueError, match="share"):
        quantile_from_histogram([1], [1], 1.5)


@pytest.mark.parametrize("n", [5, 20, 200])
@pytest.mark.parametrize("q", [0.05, 0.5, 0.9])
def test_exact_coverage_of_quantile_intervals(n, q):
    """The i-th and j-th of n games enclose the quantile with chance P(i <= Binomial(n, q) < j)."""
    low, high = quantile_interval(np.arange(1, n + 1), np.ones(n, int), q)
    at_most = stats.binom.cdf(high - 1, n, q) if high < math.inf else 1.0
    below = stats.binom.cdf(low - 1, n, q) if low > -math.inf else 0.0
    assert at_most - below >= 0.95
    if low > -math.inf:  # and no wider than it must be, side by side
        assert stats.binom.cdf(low, n, q) > 0.025
    if high < math.inf:
        assert stats.binom.sf(high - 2, n, q) > 0.025


def test_quantile_intervals_of_large_runs():
    counts = np.full(100, 10**7)
    low, high = quantile_interval(np.arange(100), counts, 0.5)
    assert 49 <= low <= high <= 50


@pytest.mark.parametrize("games", [2, 10, 333, 19_999, 20_001])
def test_ranks_of_a_quantile_interval_are_those_of_the_binomial(games):
    for q in (0.05, 0.5, 0.9):
        low, high = quantile_interval(np.arange(1, games + 1), np.ones(games, int), q)
        rank = stats.binom.ppf(0.025, games, q)  # the first with a chance above 0.025 of no more
        assert low == (rank if rank >= 1 else -math.inf)
        above = games + 1 - stats.binom.ppf(0.025, games, 1 - q)
        assert high == (above if above <= games else math.inf)


def test_quantile_intervals_of_whole_numbers_cover():
    generator = np.random.default_rng(5)
    truth = stats.poisson.ppf(0.9, 6)
    hits = 0
    for _ in range(400):
        values, counts = np.unique(generator.poisson(6, 60), return_counts=True)
        low, high = quantile_interval(values, counts, 0.9)
        hits += low <= truth <= high
    assert hits >= 0.94 * 400


def test_smallest_change_agrees_with_the_usual_table():
    for games, change in [(1_570, 0.05), (9_811, 0.02), (39_244, 0.01), (3_924_439, 0.001)]:
        assert smallest_change(0.5, games) == pytest.approx(change, rel=2e-3)
    assert smallest_change(0.5, 0) == 1


def test_the_reach_of_a_family_is_seen_four_times_in_five_judged_with_all_of_it():
    """One change out of 66 is there, as large as the reach; all are judged together, as the results judge them."""
    from scipy.special import ndtr

    from simlab.stats.p_values import holm

    generator = np.random.default_rng(1)
    games, family, rate, runs = 2_000, 66, 0.4, 1_000
    seen = {}
    for promised in (1, family):
        reach = smallest_change(rate, games, family=promised)
        base = generator.binomial(games, rate, (runs, 1))
        other = generator.binomial(games, np.append(rate + reach, np.full(family - 1, rate)), (runs, family))
        pooled = (base + other) / 2 / games
        z = (other - base) / games / np.sqrt(2 * pooled * (1 - pooled) / games)
        seen[promised] = np.mean([holm(p)[0] <= 0.05 for p in 2 * ndtr(-np.abs(z))])
    assert 0.77 <= seen[family] <= 0.88
    assert seen[1] < 0.4  # the reach of a figure by itself, held against the whole family


@pytest.mark.parametrize("kept", [0.5, 0.9, 0.98])
def test_the_reach_on_the_same_seeds_is_seen_four_times_in_five(kept):
    """The more luck is shared, the more of the pairs that differ are the change's own."""
    from simlab.stats.paired import paired_difference

    generator = np.random.default_rng(2)
    games, family, rate, runs = 2_000, 66, 0.4, 300

    def play(change):
        luck, own = generator.random((2, games))
        return (luck < rate) * 1.0, (np.where(generator.random(games) < kept, luck, own) < rate + change) * 1.0

    factor = float(np.median([paired_difference(*play(0.0)).factor for _ in range(30)]))
    reach = smallest_change(rate, games, family=family, factor=factor)
    assert reach < smallest_change(rate, games, family=family)
    seen = np.mean([paired_difference(*play(reach)).p_value <= 0.05 / family for _ in range(runs)])
    assert 0.75 <= seen <= 0.92


def test_games_for_a_half_width():
    assert intervals.games_for(0.5, 0.01) == 9604
