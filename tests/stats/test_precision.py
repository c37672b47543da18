"""Stopping when the interval is narrow enough leaves the interval as good as it says."""

import numpy as np
import pytest
from scipy import stats

from simlab.questions.ladder.analysis import elo
from simlab.stats.figure import Figures
from simlab.stats.intervals import wilson
from simlab.stats.paired import mcnemar
from simlab.stats.precision import (
    ScaledCounts,
    fewest,
    games_for_step,
    games_for_width,
    games_to_detect,
    games_wanted,
    half_width,
)


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


# --- before a run


class Pilot:
    """Counts of a game of two seats whose length is negative binomial."""

    games = 2_000
    wins = np.array([1_200, 800])
    side_wins = wins
    shared = nobody = 0
    endings = np.array([1_500, 500])
    lengths = np.arange(1, 60)

    def histogram(self, name):
        return self.lengths, np.rint(2_000 * stats.nbinom.pmf(self.lengths, 8, 0.4)).astype(np.int64)


class Turns:
    help, unit, never, codes, low, high = "", "turns", None, {}, None, None


FIGURES = Figures(("a", "b"), ("x", "y"), {"turns": Turns()})


def test_the_smallest_number_is_found():
    assert [fewest(lambda n, wanted=wanted: n >= wanted) for wanted in (0, 1, 2, 3, 999, 1_000_000)] == [
        1, 1, 2, 3, 999, 1_000_000,
    ]  # fmt: skip
    assert fewest(lambda n: False) is None
    assert fewest(lambda n: n in (5, 6, 7) or n >= 12) == 12  # a few more games can be too few


@pytest.mark.parametrize("name", ["a_win", "seat_gap", "turns_p90", "turns_mean"])
@pytest.mark.parametrize("wins", [1, 300, 1_000])
def test_more_games_than_planned_are_enough_too(name, wins):
    """Widths of quantiles, and of counts in whole games, jump; the number is the one after the last jump."""
    figure = FIGURES[name]
    pilot = _Of(*Pilot().histogram("turns"), 2_000)
    pilot.wins = np.array([wins, 2_000 - wins])
    for precision in {"a_win": (0.003, 0.02), "seat_gap": (0.05, 0.1)}.get(name, (0.4, 1.5)):
        games = games_for_width(figure, pilot, precision)
        numbers = np.unique(np.geomspace(games, 4 * games, 60).astype(int))
        widths = np.array([half_width(figure, ScaledCounts(pilot, int(n))) for n in numbers])
        rounding = 0.5 / numbers if name == "a_win" else 0.0  # of the count
        assert (widths <= precision * (1 + 1e-6) + rounding).all()


def test_games_for_a_rate_are_those_of_wilsons_closed_form():
    games = games_for_width(FIGURES["a_win"], Pilot(), 0.01)
    z2 = stats.norm.ppf(0.975) ** 2
    p, h = 0.6, 0.01  # half width of Wilson's interval, solved for n: a quadratic
    a, b, c = h * h, 2 * h * h * z2 - p * (1 - p) * z2, h * h * z2 * z2 - z2 * z2 / 4
    exact = (-b + np.sqrt(b * b - 4 * a * c)) / (2 * a)
    assert games == pytest.approx(exact, rel=1e-3)
    assert games == pytest.approx(9_216, rel=2e-3)
    ends = wilson(0.6 * games, games)
    assert (ends[1] - ends[0]) / 2 <= 0.0100005


def test_games_for_a_mean_are_those_of_the_closed_form():
    values, counts = Pilot().histogram("turns")
    sd = np.sqrt(np.cov(values, fweights=counts))
    assert games_for_width(FIGURES["turns_mean"], Pilot(), 0.1) == pytest.approx((1.96 * sd / 0.1) ** 2, rel=0.01)


def test_games_for_a_mean_of_many_values_each_seen_once():
    """Each value by itself rounds to no game at all below half of the pilot, and to one above."""
    values = np.rint(stats.norm.ppf((np.arange(2_000) + 0.5) / 2_000) * 10_000).astype(np.int64)
    pilot = _Of(values, np.ones(2_000, np.int64), 2_000)
    for width in (2_000, 1_000, 300):
        assert games_for_width(FIGURES["turns_mean"], pilot, width) == pytest.approx((19_600 / width) ** 2, rel=0.05)
    assert ScaledCounts(pilot, 137).histogram("turns")[1].sum() == 137


def test_games_for_a_quantile_bring_the_interval_to_its_width():
    """Simulated: the 90 % quantile, its interval 2 turns wide at the most."""
    figure = FIGURES["turns_p90"]
    games = games_for_width(figure, Pilot(), 1.0)
    values, counts = Pilot().histogram("turns")
    rng = np.random.default_rng(4)
    widths = []
    for _ in range(200):
        drawn = rng.multinomial(games, counts / counts.sum())
        low, high = figure.interval(ScaledCounts(_Of(values, drawn, games), games))[1:]
        widths.append(high - low)
    assert np.mean(widths) == pytest.approx(2, abs=0.35)


class _Of:
    wins = side_wins = endings = ()
    shared = nobody = 0

    def __init__(self, values, counts, games):
        self.games, self._held = games, (values, counts)

    def histogram(self, name):
        return self._held


def test_no_number_narrows_what_the_pilot_never_saw():
    empty = _Of(np.zeros(0), np.zeros(0), 100)
    assert games_for_width(FIGURES["turns_mean"], empty, 0.5) is None


def test_games_to_detect_agree_with_the_usual_table():
    assert games_to_detect(0.01, rate=0.5) == pytest.approx(39_244, rel=3e-3)
    assert games_to_detect(0.05, rate=0.5) == pytest.approx(1_565, rel=5e-3)
    assert games_to_detect(0.01, rate=0.5, power=0.9) == pytest.approx(52_536, rel=3e-3)
    z = stats.norm.ppf(0.975) + stats.norm.ppf(0.8)
    assert games_to_detect(0.5, variance=8.0) == int(np.ceil(z * z * 8 / 0.25))


@pytest.mark.parametrize(("rate", "change"), [(0.5, 0.05), (0.2, 0.04)])
def test_two_runs_of_so_many_games_see_the_change_as_often_as_said(rate, change):
    games = games_to_detect(change, rate=rate)
    rng = np.random.default_rng(5)
    a, b = rng.binomial(games, rate, 4_000) / games, rng.binomial(games, rate + change, 4_000) / games
    pooled = (a + b) / 2
    seen = np.abs(b - a) / np.sqrt(2 * pooled * (1 - pooled) / games) > stats.norm.ppf(0.975)
    assert 0.775 <= seen.mean() <= 0.84  # away from 50 % both runs count as if they scattered as much: never too few


def test_pairs_of_so_many_games_see_the_change_as_often_as_said():
    """One game in ten turns by itself, the change turns more of them its way."""
    flips, change = 0.1, 0.03
    games = games_to_detect(change, rate=0.5, factor=2 * 0.25 / flips)
    rng = np.random.default_rng(6)
    up, down = flips / 2 + change, flips / 2
    seen = []
    for _ in range(1_500):
        a_only, b_only, _ = rng.multinomial(games, [down, up, 1 - up - down])
        seen.append(mcnemar(a_only, b_only) <= 0.05)
    assert 0.77 <= np.mean(seen) <= 0.9  # what the change turns is counted as if it came on top: never too few


@pytest.mark.parametrize(("points", "seats"), [(20, 2), (50, 2), (200, 2), (50, 8), (60, 5)])
def test_a_step_of_a_ladder_is_told_as_often_as_said(points, seats):
    games = games_for_step(points, seats=seats)
    odds = 10 ** (points / 400) / (seats - 1)
    rate = odds / (1 + odds)
    assert elo(rate, seats) == pytest.approx(points)
    k = np.arange(games + 1)
    fair = 1 / seats
    told = 2 * stats.norm.sf(np.abs(k - games * fair) / np.sqrt(games * fair * (1 - fair))) <= 0.05
    assert stats.binom.pmf(k, games, rate)[told].sum() == pytest.approx(0.8, abs=0.03)


def test_a_rare_number_takes_as_many_games_as_its_interval_says():
    """Rounded to whole games, one game in 200 vanished at two games and left a mean without a width."""
    pilot = _Of(np.array([0, 1]), np.array([1_990, 10]), 2_000)
    figure = FIGURES["turns_mean"]
    games = games_for_width(figure, pilot, 0.002)
    assert games > 1_000
    assert half_width(figure, ScaledCounts(pilot, games)) <= 0.002
    assert all(half_width(figure, ScaledCounts(pilot, n)) > 0.002 for n in (2, 3, 10, 100, games - 1))
