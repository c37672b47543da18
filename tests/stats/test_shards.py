"""Odd shards: one that does something of its own is found, honest ones are left in peace."""

import numpy as np
import pytest
from scipy.stats import fisher_exact

from simlab.runs.alarms import OddShard
from simlab.runs.store import Shard
from simlab.stats.outlier_counts import CHANCE, find_odd, length_cuts


def honest(rng, pieces, games, rates):
    return rng.binomial(games, rates, (pieces, len(rates)))


def test_a_million_honest_shards_raise_hardly_an_alarm():
    """50 runs of 20,000 shards, rare and common events: one run in 10,000 is allowed to."""
    rng = np.random.default_rng(1)
    rates = np.array([0.001, 0.05, 0.5, 0.99])
    alarms = 0
    for _ in range(50):
        alarms += bool(find_odd(honest(rng, 20_000, 500, rates), np.full(20_000, 500)))
    assert alarms == 0  # one in 200 such tests would see another number


def test_the_level_is_kept_and_not_far_below(monkeypatch):
    """With a level at which alarms can be counted."""
    import simlab.stats.outlier_counts as module

    monkeypatch.setattr(module, "CHANCE", 0.2)
    rng = np.random.default_rng(2)
    alarms = [bool(find_odd(honest(rng, 60, 1_000, [0.03, 0.5, 0.7]), np.full(60, 1_000))) for _ in range(500)]
    assert 0.08 <= np.mean(alarms) <= 0.24


@pytest.mark.parametrize(("rate", "other"), [(0.5, 0.6), (0.01, 0.04), (0.0, 0.02)])
def test_a_shard_with_other_rules_is_found(rate, other):
    rng = np.random.default_rng(3)
    for _ in range(20):
        counts = honest(rng, 50, 2_000, [rate, 0.3])
        counts[17, 0] = rng.binomial(2_000, other)
        odd = find_odd(counts, np.full(50, 2_000))
        assert [one.piece for one in odd] == [17]
        assert odd[0].event == 0
        assert odd[0].residual > 4
        assert odd[0].chance <= CHANCE


def test_the_chance_is_fishers():
    counts, games = np.array([[90], [40], [35]]), np.array([100, 100, 90])
    (one,) = (odd for odd in find_odd(counts, games) if odd.piece == 0)
    table = [[90, 10], [75, 115]]
    exact = 2 * float(fisher_exact(table, alternative="greater")[1])
    assert one.chance == pytest.approx(3 * exact)
    assert one.expected == pytest.approx(165 * 100 / 290)


def test_looks_elsewhere_in_the_run_count_too():
    counts, games = np.array([[75], [40], [42], [39]]), np.full(4, 100)
    assert find_odd(counts, games)
    assert find_odd(counts, games, looks=10**6) == []


def test_small_and_odd_input():
    assert find_odd(np.array([[3]]), np.array([5])) == []
    assert find_odd(np.zeros((3, 2)), np.zeros(3)) == []
    assert find_odd(np.full((3, 1), 9), np.full(3, 9)) == []  # it happens in each game
    with pytest.raises(ValueError, match="do not fit"):
        find_odd(np.array([[3], [6]]), np.array([5, 5]))


def test_cuts_part_a_histogram():
    assert length_cuts(np.full(100, 7)) == [9, 19, 29, 39, 49, 59, 69, 79, 89]
    assert length_cuts([0, 50, 0, 50]) == [1]
    assert length_cuts([10]) == []
    assert length_cuts([]) == []


def test_of_two_shards_either_may_be_the_odd_one():
    """What is expected is by the share of all games, the shard's own among them."""
    (odd,) = find_odd([[900], [100]], [1_000, 1_000])
    assert odd.expected == 500
    sentences = [OddShard("a v b", Shard(0, 999), "'a' wins", odd, of).sentence for of in (2, 3)]
    assert all("but 500 expected from its share of the games (" in one for one in sentences)
    assert ["either may be the outlier" in one for one in sentences] == [True, False]
