"""Confidence sequences: they hold however often one looks, and they stop early where the answer is plain.

The models are cheap (cumulated binomials and multinomials), so that thousands of runs with a look at every batch
take a second.
"""

import math

import numpy as np
import pytest
from scipy.stats import norm

from simlab.stats.intervals import normal_quantile
from simlab.stats.sequential import (
    _log_evidence,
    _log_wealth,
    difference_sequence,
    games_to_decide,
    games_to_decide_mean,
    log_evidence_of_difference,
    mean_half_width,
    mean_sequence,
    quantile_sequence,
    share_sequence,
)

ALPHA, RUNS, LOOKS, BATCH = 0.05, 2_000, 100, 200
LIMIT = -math.log(ALPHA)
N = BATCH * np.arange(1, LOOKS + 1)


def runs_of(shares, seed, runs=RUNS):
    """Counts of each outcome after each look, shape (runs, looks, outcomes)."""
    return np.random.default_rng(seed).multinomial(BATCH, shares, size=(runs, LOOKS)).cumsum(axis=1)


# --- A true null: a look at every batch ------------------------------------------------


@pytest.mark.parametrize("share", [0.5, 0.47, 0.05, 0.002])
def test_a_true_share_is_refuted_in_at_most_5_of_100_runs(share):
    wins = runs_of([share, 1 - share], 1)[..., 0]
    ever = (_log_evidence((wins, N - wins), (share, 1 - share)) >= LIMIT).any(axis=1)
    assert ever.mean() <= ALPHA
    # The same runs, looked at with an interval for a fixed number of games, mislead far more often.
    fixed = np.abs(wins / N - share) > normal_quantile(0.95) * np.sqrt(share * (1 - share) / N)
    assert fixed.any(axis=1).mean() > 4 * ALPHA


@pytest.mark.parametrize("turned", [(0.1, 0.1), (0.004, 0.004), (0.08, 0.03)])
def test_a_true_difference_is_refuted_in_at_most_5_of_100_runs(turned):
    counts = runs_of([*turned, 1 - sum(turned)], 2, 1_000)[:, ::2]
    evidence = log_evidence_of_difference(counts[..., 0], counts[..., 1], N[::2], turned[0] - turned[1])
    assert (evidence >= LIMIT).any(axis=1).mean() <= ALPHA


@pytest.mark.parametrize(
    ("values", "shares", "high"),
    [
        ([4, 8, 9, 10, 14, 40], [0.1, 0.2, 0.3, 0.2, 0.15, 0.05], 172),
        ([0, 1], [0.995, 0.005], 12),
        ([0, 12], [0.9993, 0.0007], 12),
        ([0, 1, 200], [0.9, 0.0999, 0.0001], 255),
    ],
    ids=["lengths", "rare", "rarer", "one in ten thousand decides"],
)
def test_a_true_mean_is_refuted_in_at_most_5_of_100_runs(values, shares, high):
    """With a look at every batch; refuted means that a contract could be `met` or `broken` falsely."""
    x = np.array(values, float)
    truth = float(x @ shares)
    side = -math.log(ALPHA / 2)
    misses = 0
    for run in runs_of(shares, 3, 400)[:, ::2]:
        below = any(_log_wealth(x, counts, truth) >= side for counts in run)
        misses += below or any(_log_wealth(high - x, counts, high - truth) >= side for counts in run)
    assert misses / 400 <= ALPHA


def test_a_rare_metric_is_not_called_met_while_no_game_had_it():
    """`executions_mean = {max = 0.02}`, and the mean is 0.03: 12 of them in one game of 400.

    Looked at every 100 games up to 2,000. The spread seen so far is 0 while all games are alike; the stated range 0..12
    still says what one game more could do.
    """
    x, wanted, runs = np.array([0.0, 12.0]), 0.02, 200
    rare = np.random.default_rng(8).binomial(100, 1 / 400, size=(runs, 20)).cumsum(axis=1)
    met = 0
    for run in rare:
        histograms = [np.array([100 * (look + 1) - n, n]) for look, n in enumerate(run)]
        met += any(_log_wealth(12 - x, counts, 12 - wanted) >= -math.log(ALPHA / 2) for counts in histograms)
    assert met / runs <= ALPHA


def test_a_mean_has_no_end_where_its_range_has_none():
    values, counts = [0, 1, 7], [9_000, 900, 100]
    assert mean_sequence(values, counts)[1:] == (-math.inf, math.inf)
    _, low, high = mean_sequence(values, counts, low=0)
    assert 0.1 < low < 0.16
    assert high == math.inf
    assert mean_sequence([0], [1_000], low=0, high=12)[1] == 0
    assert 0.05 < mean_sequence([0], [1_000], low=0, high=12)[2] < 0.1
    with pytest.raises(ValueError, match=r"numbers from 0 to 7 leave the range 0\.\.6"):
        mean_sequence(values, counts, low=0, high=6)


def test_the_ends_of_a_mean_are_where_its_evidence_reaches_the_limit():
    x, counts = np.array([0.0, 3.0, 4.0]), np.array([100.0, 250.0, 50.0])
    _, low, high = mean_sequence(x, counts, low=0, high=20)
    limit = -math.log(ALPHA / 2)
    assert _log_wealth(x, counts, low) == pytest.approx(limit, abs=1e-6)
    assert _log_wealth(20 - x, counts, 20 - high) == pytest.approx(limit, abs=1e-6)


def test_games_to_decide_a_mean_decide_it_about_four_times_in_five():
    x, shares = np.array([0.0, 1.0, 2.0, 9.0]), np.array([0.5, 0.3, 0.15, 0.05])
    mean = float(x @ shares)
    games = round(games_to_decide_mean(x, 1_000 * shares, mean + 0.1, 0.95, 0, 12))
    told = [
        _log_wealth(12 - x, counts, 12 - mean - 0.1) >= -math.log(ALPHA / 2)
        for counts in np.random.default_rng(9).multinomial(games, shares, size=400)
    ]
    assert 0.65 < np.mean(told) < 0.92
    assert games_to_decide_mean(x, 1_000 * shares, mean, 0.95, 0, 12) == math.inf
    assert games_to_decide_mean(x, 1_000 * shares, mean + 0.1, 0.95, 0, None) == math.inf


@pytest.mark.parametrize("q", [0.5, 0.9])
def test_a_true_quantile_is_refuted_in_at_most_5_of_100_runs(q):
    """The worst case: the share at or below the quantile is q itself."""
    x, shares = np.array([5, 9, 12, 20]), np.array([0.2, q - 0.2, 0.06, 0.94 - q])
    misses = 0
    for run in runs_of(shares, 4, 300)[:, ::4]:
        ends = [quantile_sequence(x, counts, q) for counts in run]
        misses += any(not low <= 9 <= high for _, low, high in ends)
    assert misses / 300 <= ALPHA


# --- An effect that is there -----------------------------------------------------------


def test_a_band_is_judged_rightly_and_sooner_than_by_a_fixed_sample():
    """besieger_win = {target = 0.5, margin = 0.03}: error, power, and games until the verdict."""
    low, high = 0.47, 0.53

    def verdicts(truth):
        wins = runs_of([truth, 1 - truth], 5)[..., 0]
        rate = wins / N
        from_low = _log_evidence((wins, N - wins), (low, 1 - low)) >= LIMIT
        from_high = _log_evidence((wins, N - wins), (high, 1 - high)) >= LIMIT
        met = from_low & (rate > low) & from_high & (rate < high)
        broken = (from_low & (rate < low)) | (from_high & (rate > high))
        first = np.where((met | broken).any(axis=1), (met | broken).argmax(axis=1), -1)
        said = np.where(first < 0, 0, np.where(met[np.arange(RUNS), first], 1, -1))
        return said, np.where(first < 0, N[-1], N[first])

    said, _ = verdicts(0.53)  # at the edge, just outside what may pass
    assert (said == 1).mean() <= ALPHA
    said, _ = verdicts(0.4701)  # just inside: must not be called broken
    assert (said == -1).mean() <= ALPHA
    # A fixed sample that says `met` four times in five at 0.5 and errs as seldom:
    fixed = ((norm.ppf(0.975) + norm.ppf(0.9)) / 0.03) ** 2 / 4
    said, games = verdicts(0.5)
    assert (said == 1).mean() >= 0.99
    assert games.mean() < 1.6 * fixed  # the price where the answer is hard
    for truth, saving in ((0.56, 1.0), (0.6, 0.3), (0.7, 0.12)):
        said, games = verdicts(truth)
        assert (said == -1).mean() >= 0.95
        assert games.mean() < saving * fixed  # and the gain where it is plain


def test_games_to_decide_decide():
    """With the games asked for, a rate of 0.5 is told from 0.53 about four times in five."""
    games = round(games_to_decide(0.03, 0.5))
    wins = np.random.default_rng(6).binomial(games, 0.5, size=2_000)
    told = share_sequence(wins, games)[:, 1] < 0.53
    assert 0.75 < told.mean() < 0.88
    assert games_to_decide(0, 0.5) == math.inf


# --- The intervals ---------------------------------------------------------------------


@pytest.mark.parametrize(("count", "games"), [(0, 10), (3, 10), (20, 1_000), (500, 1_000), (99_990, 100_000)])
def test_what_is_outside_is_refuted_and_what_is_inside_is_not(count, games):
    shares = np.linspace(1e-6, 1 - 1e-6, 4_001)
    out = _log_evidence((count, games - count), (shares, 1 - shares)) >= LIMIT
    low, high = share_sequence(count, games)
    assert np.array_equal(out, (shares <= low) | (shares >= high))


@pytest.mark.parametrize(
    ("more", "less", "games"), [(0, 0, 500), (80, 50, 1_000), (3, 0, 1_000), (0, 5, 100_000), (500, 500, 1_000)]
)
def test_the_evidence_against_a_difference_is_the_least_of_all_shares(more, less, games):
    ends = difference_sequence(more, less, games)
    for gap in (0.0, 0.5 * ends[0], 1.5 * ends[0], 0.9 * ends[1], 1.2 * ends[1]):
        share = abs(gap) + (1 - abs(gap)) * np.linspace(0, 1, 200_001) ** 2
        brute = _log_evidence((more, less, games - more - less), ((share + gap) / 2, (share - gap) / 2, 1 - share))
        found = float(log_evidence_of_difference(more, less, games, gap))
        assert found == pytest.approx(float(brute.min()), abs=2e-3)
        assert (found < LIMIT) == (ends[0] < gap < ends[1])


def test_price_of_looking_at_any_time():
    for games in (1_000, 10_000, 100_000, 1_000_000):
        low, high = share_sequence(games // 2, games)
        fixed = 2 * normal_quantile(0.95) * 0.5 / math.sqrt(games)
        assert 1.5 < (high - low) / fixed < 1.95
        assert mean_half_width(0.5, games) == pytest.approx((high - low) / 2, rel=0.02)


def test_too_few_games_give_no_end():
    assert quantile_sequence([5, 6], [1, 1], 0.5) == (5, -math.inf, math.inf)
    assert quantile_sequence([5], [10_000], 0.9) == (5, 5, 5)
    assert share_sequence(0, 0).tolist() == [0, 1]
    assert difference_sequence(0, 0, 0).tolist() == [-1, 1]


NONSENSE = [
    lambda: share_sequence(5, 4),
    lambda: difference_sequence(3, 2, 4),
    lambda: share_sequence(1, 2, 1.0),
    lambda: quantile_sequence([1], [1], 0),
]


@pytest.mark.parametrize("bad", NONSENSE)
def test_nonsense_is_refused(bad):
    with pytest.raises(ValueError, match=r"\w"):
        bad()
