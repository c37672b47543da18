"""Gaffke's bound against Clopper and Pearson, against its own definition, and against Student."""

import numpy as np
import pytest
from scipy import stats

from simlab.stats.bounded_mean import count_interval, mean_bounds, mean_interval, mean_p_value
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


@pytest.mark.parametrize("games", [200, 1_000, 4_000])
@pytest.mark.parametrize("chance", [0.0005, 0.001, 0.005])
def test_a_rare_number_without_a_declared_range_has_no_end_that_games_do_not_show(chance, games):
    """100 in one of so many games, 0 in the others. Ends from the values seen covered 10 to 87 %."""
    random = np.random.default_rng(4)
    for low, high in ((0, None), (None, None)):
        hits = 0
        for won in random.binomial(games, chance, 300):
            one = mean_interval([0, 100], [games - won, won], low, high)
            hits += one.low <= 100 * chance <= one.high
            assert np.isinf(one.high) and (low is not None or np.isinf(one.low))
        assert hits >= 0.93 * 300
    assert mean_interval([7], [100]) == (7, -np.inf, np.inf)
    assert mean_interval([7], [100], 0, None).low == pytest.approx(7 * clopper_pearson(100, 100)[0], rel=0.01)


def drawn_counts(random, chance, more, games, runs):
    """Sums over games of a number that is 0, or with a chance 1 + Poisson(more): (total, squares, games with it)."""
    times = (random.random((runs, games)) < chance) * (1 + random.poisson(more, (runs, games)))
    return times.sum(axis=1), (times**2).sum(axis=1), (times > 0).sum(axis=1)


@pytest.mark.parametrize(
    ("chance", "more"), [(0.001, 0.0), (0.001, 30.0), (0.01, 5.0), (0.3, 0.0), (0.3, 2.0), (1, 2.0)]
)
@pytest.mark.parametrize("known", [True, False], ids=["games with it", "sums alone"])
def test_the_mean_number_of_times_that_something_happens_is_covered_where_it_has_an_interval(chance, more, known):
    """A rule that fires once in 1,000 games: Student's interval from the sums covers 63 % and is 0 to 0 without it."""
    runs, games = 400, 1_000
    truth, shown, covered = chance * (1 + more), 0, 0
    for total, squares, having in zip(*drawn_counts(np.random.default_rng(5), chance, more, games, runs), strict=True):
        one = count_interval(total, squares, games, having=having if known else None)
        if total:
            shown += 1
            covered += one.low <= truth <= one.high
        else:
            assert one.value == 0 and np.isnan([one.low, one.high]).all()
        assert one.low != one.high
    assert covered >= 0.92 * shown


def test_a_number_of_times_without_enough_games_or_that_never_differs():
    assert count_interval(3, 9, 1) == (3, -np.inf, np.inf)
    assert np.isnan(count_interval(0, 0, 0).value)
    every = count_interval(2_000, 4_000, 1_000, having=1_000)  # twice in each game
    assert every.high == np.inf and every.low == pytest.approx(clopper_pearson(1_000, 1_000)[0])
    one, cells = (
        count_interval(500, 500, 1_000, having=500),
        count_interval(5_000, 5_000, 10_000, having=5_000, cells=10),
    )
    assert one == pytest.approx(cells, rel=1e-3)  # ten cells of the same games show no more than one
