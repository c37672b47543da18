"""Differences on shared luck against scipy, statsmodels and exact coverage."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as their_mcnemar

from simlab.stats.bounded_mean import mean_bounds
from simlab.stats.intervals import wilson
from simlab.stats.paired import (
    factor_interval,
    mcnemar,
    most_change,
    paired_difference,
    paired_wins,
    score_interval,
    share_difference,
)


def test_paired_difference_nears_scipys_paired_t_where_games_are_many():
    generator = np.random.default_rng(1)
    luck = generator.normal(0, 3, 20_000)
    a, b = luck + generator.normal(0, 1, 20_000), luck + generator.normal(0.02, 1, 20_000)
    found, theirs = paired_difference(a, b), stats.ttest_rel(b, a)
    ends = theirs.confidence_interval(0.95)
    half = (ends.high - ends.low) / 2
    assert (found.low, found.high) == pytest.approx((ends.low, ends.high), abs=0.03 * half)
    assert found.high - found.low > ends.high - ends.low
    assert found.p_value == pytest.approx(theirs.pvalue, rel=0.1)
    assert found.factor == pytest.approx((a.var(ddof=1) + b.var(ddof=1)) / (b - a).var(ddof=1))


def test_the_p_value_is_the_level_at_which_the_interval_meets_zero():
    a = np.zeros(400)
    b = np.repeat([0, 1, -1, 2], [380, 14, 4, 2])
    found = paired_difference(a, b, most=4)
    at = paired_difference(a, b, 1 - found.p_value, most=4)
    assert 0.01 < found.p_value < 0.9
    assert at.low == pytest.approx(0, abs=1e-6)


def test_equal_runs_may_still_differ_in_games_that_were_not_played():
    same = paired_difference([1, 5, 5, 2], [1, 5, 5, 2])
    assert (same.difference, same.p_value, same.changed) == (0, 1, 0)
    assert math.isinf(same.factor)
    # Of 4 games none differs: at most 1 - 0.025 ** (1 / 4) of all do, by 5 - 1 at most.
    assert (same.low, same.high) == pytest.approx((-4 * 0.6024, 4 * 0.6024), rel=0.02)
    known = paired_difference([1, 5, 5, 2], [1, 5, 5, 2], most=0)
    assert (known.low, known.high) == (0, 0)  # no game can differ


def test_the_most_a_game_may_change_is_what_so_many_changes_have_shown():
    a = np.tile(np.arange(3, 23), 100)  # 2,000 games of 3 to 22 turns
    few, many = np.where(np.arange(a.size) < 20, a + 2, a), np.where(np.arange(a.size) < 400, a + 2, a)
    assert most_change(a, few, low=0, high=255) == 21  # 20 games changed: sizes are hardly seen, lengths are
    assert most_change(a, many, low=0, high=255) == 2  # 400 did, by 2 each
    assert most_change(a, many, 0.9999) == 21  # which is too few to be so sure
    rare = np.where(a == 3, 0, 0)
    assert most_change(rare, rare) == 1
    assert most_change(rare, rare, low=0, high=6) == 6
    assert most_change(rare, np.where(np.arange(a.size) < 5, 9, 0), low=0, high=6) == 9  # the game states it wrongly


def test_opposed_luck_widens_the_interval_and_says_so():
    x = np.arange(50.0)
    found = paired_difference(x, -x)
    assert found.factor == pytest.approx(0.5)
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


def test_mcnemar_is_the_same_on_both_sides_of_the_size_up_to_which_it_counts():
    for pairs in (1999, 2000, 2001):
        for fewer in (0, 600, 950, pairs // 2):
            expected = stats.binomtest(fewer, pairs).pvalue
            assert mcnemar(fewer, pairs - fewer) == pytest.approx(expected, rel=1e-9)


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


# --- where hardly any pair differs

SHARES = (1 / 2_000, 1 / 1_000, 1 / 200, 1 / 50, 1 / 10, 1 / 2)  # of the pairs that differ
PAIRS = (100, 300, 1_000, 6_000)


@pytest.mark.parametrize("level", [0.95, 0.9996])
@pytest.mark.parametrize("n", [60, 200])
def test_exact_coverage_of_the_difference_of_shares(n, level):
    """All outcomes of n pairs, from one in 2,000 that differs to all of them, one way or both."""
    more, less = (np.ravel(side) for side in np.indices((n + 1, n + 1)))
    more, less = more[more + less <= n], less[more + less <= n]
    low, high = share_difference(more, less, n, level).T
    assert (high > low).all()
    for share in (*SHARES, 1.0):
        for up in (1.0, 0.95, 0.8, 0.5):
            chance = stats.multinomial.pmf(
                np.column_stack([more, less, n - more - less]), n, [share * up, share * (1 - up), 1 - share]
            )
            gap = share * (2 * up - 1)
            assert chance[(low > gap + 1e-12) | (high < gap - 1e-12)].sum() <= (1 - level) * 1.01


def test_the_difference_of_shares_covers_in_many_pairs_and_costs_little_width():
    generator = np.random.default_rng(3)
    for n in PAIRS:
        for share in SHARES:
            for up in (1.0, 0.5):
                changed = generator.binomial(n, share, 4_000)
                more = generator.binomial(changed, up)
                low, high = share_difference(more, changed - more, n).T
                gap = share * (2 * up - 1)
                assert ((low > gap) | (high < gap)).mean() <= 0.06  # 0.05 and three standard errors of 4,000
    ends = share_difference(420, 180, 6_000)
    half = 1.96 * math.sqrt((600 / 6_000 - 0.04**2) / 6_000)  # by the normal approximation
    assert ends == pytest.approx([0.04 - half, 0.04 + half], abs=2e-4)


CHANGES = {  # of the length of a game in turns, 3 to 25: change -> chance, where the game changes
    "one longer": ([1], [1.0]),
    "one longer or shorter": ([-1, 1], [0.5, 0.5]),
    "a little longer or much shorter": ([-15, 1], [0.05, 0.95]),
    "another length": (np.arange(-9, 10), stats.binom.pmf(np.arange(19), 18, 0.5)),
}


@pytest.mark.parametrize("kind", CHANGES)
def test_the_mean_change_covers_however_few_pairs_differ(kind):
    """Drawn as counts of pairs by change; each distinct table of counts is judged once, as paired_difference does."""
    sizes, chances = (np.asarray(part, float) for part in CHANGES[kind])
    generator = np.random.default_rng(4)
    for n in PAIRS:
        lengths = np.resize(np.arange(3, 26), n)
        for share in SHARES:
            truth = share * float(sizes @ chances)
            tables = generator.multinomial(n, [1 - share, *(share * chances)], 400)
            kinds, times = np.unique(tables, axis=0, return_counts=True)
            ends = np.zeros((len(kinds), 2))
            for most in (22.0, np.abs(sizes).max()):
                enough = (n - kinds[:, 0] >= 185) == (most < 22)
                # The greatest change of all is seen in 185 but for rare luck; pairs that differ less are narrower.
                ends[enough] = mean_bounds([0, *sizes], kinds[enough], -most, most)
            missed = (ends[:, 0] > truth) | (ends[:, 1] < truth)
            assert (missed @ times) / 400 <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 400)
            assert (ends[:, 1] - ends[:, 0]).min() > 0
        gaps = np.repeat(np.append(0, sizes), tables[0])
        found = paired_difference(lengths, lengths + gaps)
        assert found.low < found.difference < found.high


@pytest.mark.parametrize("share", [1 / 2_000, 1 / 1_000, 1 / 100, 1 / 4])
def test_paired_difference_itself_covers_on_games(share):
    """Whole games and a figure that is 0 in most, 1 to 6 where it happens, drawn anew where a game changes."""
    generator = np.random.default_rng(5)
    missed, runs, n = 0, 120, 400
    for _ in range(runs):
        a = generator.integers(1, 7, n) * (generator.random(n) < 0.01)
        changed = generator.random(n) < share
        b = np.where(changed, generator.integers(1, 7, n), a)
        found = paired_difference(a, b, most=most_change(a, b, low=0, high=6))
        missed += not found.low <= share * (3.5 - 0.035) <= found.high
    assert missed / runs <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / runs)


def test_wins_are_compared_like_other_numbers():
    a = np.repeat([1, 1, 0, 0], [400, 30, 60, 510])
    b = np.repeat([1, 0, 1, 0], [400, 30, 60, 510])
    counted, listed = paired_wins(a > 0, b > 0), paired_difference(a, b)
    assert counted.difference == pytest.approx(listed.difference)
    assert counted.factor == pytest.approx(listed.factor, rel=1e-3)
    assert (counted.low, counted.high) == pytest.approx((listed.low, listed.high), abs=1e-3)
    assert counted.changed == listed.changed == 90
    assert counted.factor > 4  # nine games in ten went the same way


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


def test_the_factor_is_not_told_from_games_that_do_not_show_it():
    """Where one side is always the same, or hardly a game is odd on both, what luck they share was not seen."""
    generator = np.random.default_rng(9)
    once, never = (generator.random(2_000) < 0.05).astype(float), np.zeros(2_000)
    assert factor_interval(never, once) == (0, np.inf)
    truth, missed = 1 / (1 - 0.08), 0  # of two coins that fall as one in 0.08 of the games
    for _ in range(200):
        a = generator.random(2_000) < 0.01
        b = np.where(generator.random(2_000) < 0.08, a, generator.random(2_000) < 0.01)
        low, high = factor_interval(a, b)
        missed += not low <= truth <= high
    assert missed <= 0.05 * 200 + 3 * math.sqrt(0.05 * 0.95 * 200)
