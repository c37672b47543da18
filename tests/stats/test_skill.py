"""Luck, skill and seat: games whose parts are known, and how often the intervals cover them."""

from __future__ import annotations

import numpy as np
import pytest

from simlab.stats.luck import decided_by_skill, parts


def field(rates, games, seed, shared=True):
    """Games of two sides; rates: win rate of the first by line-up. shared: line-ups meet the same luck."""
    draw = np.random.default_rng(seed)
    luck = draw.random((1 if shared else len(rates), games))
    first = (luck < np.array(rates)[:, None]).astype(float)
    return np.stack([first, 1 - first], axis=2)


def exact(rates):
    rates = np.array(rates)
    skill, seat = rates.var(), (rates.mean() - 0.5) ** 2
    return 1 - (skill + seat) / 0.25, skill / 0.25, seat / 0.25


@pytest.mark.parametrize("shared", [True, False])
def test_the_parts_are_those_of_the_rates(shared: bool) -> None:
    rates = [0.2, 0.5, 0.6, 0.9]
    made = parts(field(rates, 40_000, 1, shared))
    assert (made.luck.value, made.skill.value, made.seat.value) == pytest.approx(exact(rates), abs=0.01)
    assert made.luck.value + made.skill.value + made.seat.value == pytest.approx(1)


def test_a_coin_is_all_luck_and_a_game_the_better_always_wins_none() -> None:
    coin = parts(field([0.5] * 6, 400, 2, shared=False))
    assert coin.luck.low < 1.0001
    assert abs(coin.skill.value) < 0.01, "noise between line-ups is no skill"
    sure = parts(field([0.0, 1.0], 100, 3))
    assert (sure.luck.value, sure.skill.value, sure.seat.value) == pytest.approx((0, 1, 0))
    always = parts(field([1.0, 1.0], 100, 3))
    assert (always.luck.value, always.seat.value) == pytest.approx((0, 1)), "the first seat always wins"


def test_a_side_alone_has_no_seat_to_be_lucky_in() -> None:
    made = parts(field([0.2, 0.8], 20_000, 4)[:, :, :1])
    assert made.seat.value == pytest.approx(0)
    assert made.skill.value == pytest.approx(0.36, abs=0.01)


def test_estimates_are_unbiased_in_few_games_and_intervals_cover() -> None:
    rates = [0.35, 0.5, 0.55, 0.7]
    truth = exact(rates)
    samples = [parts(field(rates, 120, seed, shared=seed % 2 == 0)) for seed in range(200)]
    means = [np.mean([getattr(one, name).value for one in samples]) for name in ("luck", "skill", "seat")]
    assert means == pytest.approx(truth, abs=0.012)
    covered = sum(one.skill.low <= truth[1] <= one.skill.high for one in samples)
    assert covered >= 178  # of 200 at 95 %: fewer once in 500 times


def test_a_sample_of_the_line_ups_says_what_the_whole_field_would() -> None:
    """36 of 1,296 line-ups of four seats; taken for the field itself, half of the intervals of skill miss it."""
    strength = np.linspace(-1, 1, 6)[np.array(np.meshgrid(*[range(6)] * 4)).reshape(4, -1).T]
    rates = np.exp(strength) / np.exp(strength).sum(axis=1, keepdims=True)
    truth = float(rates.var(axis=0).mean()) / (0.25 * 0.75)
    draw = np.random.default_rng(5)
    covered, seats = 0, []
    for _ in range(100):
        some = rates[draw.choice(len(rates), 36, replace=False)]
        winner = (draw.random(300)[None, :, None] < some.cumsum(axis=1)[:, None, :]).argmax(axis=2)
        made = parts(np.eye(4)[winner], of=len(rates))
        covered += made.skill.low <= truth <= made.skill.high
        seats.append(made.seat.value)
    assert covered >= 88  # of 100 at 95 %: fewer once in 500 times
    assert abs(np.mean(seats)) < 0.001, "taken for the field, the drawn bots make a seat's advantage of 0.003"


@pytest.mark.parametrize(("rates", "games"), [([0.53] * 4, 200), ([0.33, 0.53, 0.53, 0.73], 200)])
def test_a_small_advantage_of_a_seat_is_not_taken_for_known(rates: list[float], games: int) -> None:
    """The jackknife alone covers 76 to 80 of 100 times: near 0 a square hardly moves with the games."""
    truth = exact(rates)
    samples = [parts(field(rates, games, seed)) for seed in range(150)]
    assert sum(one.seat.low <= truth[2] <= one.seat.high for one in samples) >= 132  # fewer once in 500 times
    even = [parts(field([0.5] * 4, games, seed)).seat.low for seed in range(100)]
    assert sum(low > 0 for low in even) <= 7


def test_a_sample_is_of_as_many_line_ups_or_more() -> None:
    with pytest.raises(ValueError, match="too few to sample 3"):
        parts(field([0.2, 0.5, 0.6, 0.9], 20, 1), of=3)


@pytest.mark.parametrize(
    ("share", "seats", "part"), [(0.5, 2, 0), (1, 2, 1), (0.75, 2, 0.5), (0.2, 5, 0), (0.6, 5, 0.5)]
)
def test_a_share_of_wins_as_a_part_of_the_games(share: float, seats: int, part: float) -> None:
    assert decided_by_skill(share, seats) == pytest.approx(part)
