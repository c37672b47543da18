"""Gaffke's bound against Clopper and Pearson, against its own definition, and against Student."""

import numpy as np
import pytest
from scipy import stats

from simlab.stats.bounded_mean import mean_bounds, mean_interval, mean_p_value
from simlab.stats.intervals import clopper_pearson, mean_from_histogram


@pytest.mark.parametrize("level", [0.5, 0.95, 0.9996])
def test_of_a_share_it_is_the_interval_of_clopper_and_pearson(level):
    for n in (2, 10, 100, 5_000):
        wins = np.unique([0, 1, 2, n // 3, n // 2, n])
        exact = clopper_pearson(wins, n, level)
        found = mean_bounds([0, 1], np.column_stack([n - wins, wins]), 0, 1, level)
        assert np.abs(found - exact).max(axis=1) == pytest.approx(0, abs=0.01 * np.diff(exact).max())


def test_it_is_the_quantile_of_the_mean_under_random_weights():
    values, counts = np.array([-3.0, 0, 1, 2, 5]), np.array([1, 90, 5, 3, 1])
    weights = np.random.default_rng(1).dirichlet([*counts, 1], 200_000)
    high = np.quantile(weights @ [*values, 10], [0.975, 0.9995])
    low = np.quantile(weights @ [*values, -10], [0.025, 0.0005])
    assert mean_bounds(values, counts, -10, 10) == pytest.approx([low[0], high[0]], abs=5e-3)
    assert mean_bounds(values, counts, -10, 10, 0.999) == pytest.approx([low[1], high[1]], abs=2e-2)


def test_of_many_games_it_is_students():
    generator = np.random.default_rng(2)
    x = generator.normal(3, 2, 50_000)
    values, counts = np.unique(x, return_counts=True)
    ends = stats.ttest_1samp(x, 3).confidence_interval(0.999)
    half = (ends.high - ends.low) / 2
    assert mean_bounds(values, counts, -20, 30, 0.999) == pytest.approx([ends.low, ends.high], abs=0.05 * half)


def test_the_p_value_is_the_level_at_which_the_end_is_met():
    values, counts = [0, 1, 3], [200, 30, 4]
    for at in (0.1, 0.15, 0.3):
        p = mean_p_value(values, counts, 0, 8, at)
        ends = mean_bounds(values, counts, 0, 8, 1 - p)
        assert np.abs(ends - at).min() < 1e-5
    assert mean_p_value(values, counts, 0, 8, 9.0) == 0
    assert mean_p_value(values, counts, -np.inf, np.inf, 9.0) == 1


def test_edges():
    assert mean_bounds([0], [0], -1, 2).tolist() == [-1, 2]  # no games: the range
    assert mean_bounds([4], [9], 4, 4).tolist() == [4, 4]  # a range of one value
    assert mean_bounds([4], [9], -np.inf, 5)[0] == -np.inf
    ends = mean_bounds([0, 7], [300, 0], 0, 1)  # a value without games may lie outside
    assert ends == pytest.approx([0, 1 - 0.025 ** (1 / 300)], rel=0.01)
    assert mean_bounds([1], [300], 0, 1)[1] == 1
    for bad in [([2], [1], 0, 1), ([0], [-1], 0, 1), ([0, 1], [1], 0, 1)]:
        with pytest.raises(ValueError, match=r"outside|go together"):
            mean_bounds(*bad)
    with pytest.raises(ValueError, match="level"):
        mean_bounds([0], [1], 0, 1, 1.0)


@pytest.mark.parametrize(("chance", "most"), [(0.001, 1), (0.001, 3), (0.003, 3), (0.02, 3), (0.1, 3)])
def test_the_interval_of_means_covers_a_rare_number(chance, most):
    """Student's covers 6 or 7 runs of 10 at one game in 1,000."""
    runs, games = 400, 1_000
    random = np.random.default_rng(7)
    shares = np.r_[1 - chance, np.full(most, chance / most)]
    values = np.arange(most + 1)
    truth = shares @ values
    drawn = random.multinomial(games, shares, runs)
    ends = [mean_interval(values, counts, 0, most) for counts in drawn]
    covered = np.mean([one.low <= truth <= one.high for one in ends])
    assert covered >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / runs)


def test_the_interval_of_skewed_scores_covers():
    """Scores such as 100 divided by the throw of a hundred-sided die: Student's interval covers 17 of 20 runs."""
    random, hits = np.random.default_rng(3), 0
    truth = float((100 // np.arange(1, 101)).mean())
    for _ in range(300):
        values, counts = np.unique(100 // random.integers(1, 101, 100), return_counts=True)
        one = mean_interval(values, counts)
        hits += one.low <= truth <= one.high
    assert hits >= 0.91 * 300


def test_the_interval_of_a_common_number_is_students():
    values, counts = np.arange(5), np.array([10, 20, 40, 20, 10])
    student = mean_from_histogram(values, counts)
    assert mean_interval(values, counts, 0, 1_000) == (student.value, student.low, student.high)


def test_a_number_that_never_varied_may_still_vary():
    one = mean_interval([0], [100], 0, 4)
    assert one.low == 0 and one.high == pytest.approx(4 * clopper_pearson(0, 100)[1], rel=0.01)  # a saddlepoint's error
    undeclared = mean_interval([7], [100])
    assert undeclared.low < 7 < undeclared.high
