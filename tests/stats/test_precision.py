"""Stopping when the interval is narrow enough leaves the interval as good as it says."""

import numpy as np
import pytest

from simlab.stats.intervals import wilson
from simlab.stats.precision import games_wanted


def runs(share, precision, shard, seed, number=4_000):
    """(wins, games) of runs that stop by the rule."""
    generator = np.random.default_rng(seed)
    ended = []
    for _ in range(number):
        games = shard
        wins = generator.binomial(games, share)
        while (wanted := games_wanted([wins, games - wins], games, precision, shard)) > games:
            wins, games = wins + generator.binomial(wanted - games, share), wanted
        ended.append((wins, games))
    return np.array(ended).T


@pytest.mark.parametrize("share", [0.5, 0.3, 0.1, 0.05])
@pytest.mark.parametrize(("precision", "shard"), [(0.03, 100), (0.01, 500), (0.01, 50)])
def test_the_interval_after_stopping_covers(share, precision, shard):
    wins, games = runs(share, precision, shard, 1)
    ends = wilson(wins, games)
    assert ((ends[:, 1] - ends[:, 0]) / 2).max() <= precision
    covered = ((ends[:, 0] <= share) & (share <= ends[:, 1])).mean()
    assert covered >= 0.94  # three standard errors of 4,000 runs below 95 %, where it stood at 94.5 or more


def test_a_rare_rate_is_covered_as_often_as_with_a_fixed_number():
    wins, games = runs(0.005, 0.01, 500, 2)
    ends = wilson(wins, games)
    covered = ((ends[:, 0] <= 0.005) & (ends[:, 1] >= 0.005)).mean()
    fixed = wilson(np.random.default_rng(3).binomial(int(np.median(games)), 0.005, 4_000), int(np.median(games)))
    assert covered >= ((fixed[:, 0] <= 0.005) & (fixed[:, 1] >= 0.005)).mean() - 0.02


def test_a_rule_that_looks_at_the_result_would_not_cover():
    """Why only the width may end a run: stopping as soon as one half is excluded misses half far too often."""
    flips = np.random.default_rng(4).binomial(100, 0.5, size=(2_000, 100)).cumsum(axis=1)
    ends = wilson(flips, 100 * np.arange(1, 101))
    assert ((ends[..., 0] > 0.5) | (ends[..., 1] < 0.5)).any(axis=1).mean() > 0.3


def test_looks_come_after_whole_shards_and_are_few():
    assert games_wanted([50, 50], 100, 0.2, 100) == 100
    wanted = games_wanted([50, 50], 100, 0.005, 100)
    assert wanted % 100 == 0 and 38_000 < wanted < 39_000
    assert games_wanted([3, 97], 100, 0.045, 100) >= 100
    assert games_wanted([0, 0], 0, 0.1, 100) == 100
