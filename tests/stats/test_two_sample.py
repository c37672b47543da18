"""Exact p-values of two groups: right for one game, and never significant more often than stated."""

import numpy as np
import pytest
from scipy.stats import fisher_exact, ttest_ind

from simlab.stats.p_values import drawn_mean_p_value, holm, rates_p_value


@pytest.mark.parametrize(
    "table",
    [(64, 399, 1, 1), (64, 398, 2, 2), (5, 20, 9, 11), (0, 7, 3, 3), (5000, 10_000, 5200, 10_000), (3, 9, 3, 9)],
)
def test_the_p_value_is_fishers(table):
    wins_a, games_a, wins_b, games_b = table
    expected = fisher_exact([[wins_a, games_a - wins_a], [wins_b, games_b - wins_b]])[1]
    assert rates_p_value(*table) == pytest.approx(expected, rel=1e-6)
    assert rates_p_value(wins_b, games_b, wins_a, games_a) == pytest.approx(expected, rel=1e-6)


def test_parts_of_games_are_rounded_towards_no_difference():
    assert rates_p_value(50, 100, 0.4, 0.4) == 1.0
    assert rates_p_value(50.5, 100.5, 2.5, 2.5) == pytest.approx(rates_p_value(51, 100, 2, 2))
    assert rates_p_value(0, 0, 1, 1) == 1.0
    with pytest.raises(ValueError, match="wins"):
        rates_p_value(3, 2, 1, 1)


def test_many_rare_items_without_effect_are_seldom_called_significant():
    runs, items, games, rate = 200, 50, 400, 0.16
    random, false = np.random.default_rng(4), 0
    for _ in range(runs):
        won = random.random(games) < rate
        p = []
        for had in random.integers(1, 6, items):
            mine = int(won[random.choice(games, had, replace=False)].sum())
            p.append(rates_p_value(won.sum() - mine, games - had, mine, had))
        false += bool(holm(p).min() <= 0.05)
    assert false / runs <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / runs)


def test_the_mean_of_a_few_drawn_games_is_seldom_called_significant():
    runs, items = 100, 50
    random, false = np.random.default_rng(5), 0
    for _ in range(runs):
        scores = np.floor(random.exponential(5, 400))
        values, counts = np.unique(scores, return_counts=True)
        drawn = random.integers(1, 6, items)
        p = [drawn_mean_p_value(values, counts, random.choice(scores, n, replace=False).mean(), n) for n in drawn]
        false += bool(holm(p).min() <= 0.05)
    assert false / runs <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / runs)


def test_a_clear_difference_of_means_is_seen():
    random = np.random.default_rng(6)
    mine, rest = random.normal(1, 1, 60).round(1), random.normal(0, 1, 340).round(1)
    values, counts = np.unique(np.r_[mine, rest], return_counts=True)
    p = drawn_mean_p_value(values, counts, mine.mean(), mine.size)
    assert ttest_ind(mine, rest).pvalue <= p < 1e-6
    assert drawn_mean_p_value(values, counts, rest.mean(), rest.size) == pytest.approx(p)
    assert drawn_mean_p_value(values, counts, values.max(), 0.5) == 1.0
    assert drawn_mean_p_value([3], [9], 3, 4) == 1.0
