"""Shares of luck: functions whose shares are known, and how often the intervals cover them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from simlab.present.estimate import Estimate
from simlab.questions.luck.analysis import LuckShare
from simlab.questions.luck.words import headline
from simlab.stats.luck import luck_shares

KINDS = ("deal", "dice", "bots")


def study(function, generator, games):
    """The result of games whose luck is three independent numbers, redrawn kind by kind."""
    one, other = generator.normal(size=(2, games, 3))
    base, redrawn, kept = function(*one.T), {}, {}
    for i, kind in enumerate(KINDS):
        mixed, swapped = one.copy(), other.copy()
        mixed[:, i], swapped[:, i] = other[:, i], one[:, i]
        redrawn[kind], kept[kind] = function(*mixed.T), function(*swapped.T)
    return base, redrawn, kept


def linear(deal, dice, bots):
    return 3 * deal + 4 * dice + 0 * bots


def together(deal, dice, bots):
    return deal * dice + bots


def test_shares_of_a_sum_are_those_of_its_parts() -> None:
    found = luck_shares(*study(linear, np.random.default_rng(1), 40_000))
    assert found["deal"].alone.value == pytest.approx(9 / 25, abs=0.02)
    assert found["dice"].total.value == pytest.approx(16 / 25, abs=0.02)
    assert found["bots"].total.value == found["bots"].alone.value == 0
    assert 0 < found["bots"].total.high == found["bots"].alone.high < 0.001, "none of 40,000 games moved: few may"


def test_luck_that_works_only_together_shows_in_the_total_alone() -> None:
    found = luck_shares(*study(together, np.random.default_rng(2), 40_000))
    assert found["deal"].alone.value == pytest.approx(0, abs=0.02)
    assert found["deal"].total.value == pytest.approx(0.5, abs=0.03)
    assert found["bots"].alone.value == pytest.approx(0.5, abs=0.03)


def test_several_results_count_together() -> None:
    generator = np.random.default_rng(3)
    base, redrawn, kept = study(lambda a, b, c: (a > 0).astype(float), generator, 4_000)
    both = luck_shares(
        np.stack([base, 1 - base], 1),
        {kind: np.stack([y, 1 - y], 1) for kind, y in redrawn.items()},
        {kind: np.stack([y, 1 - y], 1) for kind, y in kept.items()},
    )
    single = luck_shares(base, redrawn, kept)
    for kind in KINDS:
        assert both[kind].alone.value == pytest.approx(single[kind].alone.value)


@pytest.mark.parametrize(
    ("function", "kind", "alone", "total"), [(linear, "deal", 0.36, 0.36), (together, "bots", 0.5, 0.5)]
)
def test_the_intervals_cover_the_true_shares(function, kind, alone, total) -> None:
    generator = np.random.default_rng(4)
    covered = np.zeros(2)
    for _ in range(1000):
        found = luck_shares(*study(function, generator, 1000))[kind]
        covered += found.alone.low <= alone <= found.alone.high, found.total.low <= total <= found.total.high
    assert (covered / 1000 > 0.93).all()
    assert (covered / 1000 < 0.97).all()


@pytest.mark.parametrize("games", [100, 500])
def test_the_intervals_of_a_rare_win_are_as_wide_as_few_wins_make_them(games: int) -> None:
    """Won in 2 %: of 100 games the intervals covered 20 to 37 of 100 times, and said 100 % (100-100)."""
    generator = np.random.default_rng(6)
    deal, dice, both = ndtr_share(0.6), ndtr_share(0.4), np.zeros(4)
    for _ in range(300):
        found = luck_shares(*study(lambda a, b, c: (0.6**0.5 * a + 0.4**0.5 * b > 2.05) * 1.0, generator, games))
        shares = (found["deal"].alone, found["dice"].alone, found["deal"].total, found["dice"].total)
        truth = (deal, dice, 1 - dice, 1 - deal)
        both += [share.low <= true <= share.high for share, true in zip(shares, truth, strict=True)]
    assert (both / 300 > 0.85).all()


def ndtr_share(part: float, bound: float = 2.05) -> float:
    """The share that `part` of a normal number explains of whether it is above a bound."""
    p = float(norm.sf(bound))
    together = float(multivariate_normal([0, 0], [[1, part], [part, 1]]).cdf([-bound, -bound]))
    return (together - p * p) / (p * (1 - p))


def test_a_result_that_never_varies_has_no_shares() -> None:
    flat = np.ones(10)
    assert luck_shares(flat, {"deal": flat}, {"deal": flat})["deal"].total.high == 0


def test_shapes_that_differ_are_refused() -> None:
    with pytest.raises(ValueError, match="same shape"):
        luck_shares(np.ones(10), {"deal": np.ones(9)}, {"deal": np.ones(10)})
    with pytest.raises(ValueError, match="two games"):
        luck_shares(np.ones(1), {}, {})


def test_the_sentence_names_the_largest_share_and_no_majority() -> None:
    """45 % is the largest share of three, but not most of the variance."""

    def share(kind: str, value: float, low: float, high: float) -> LuckShare:
        return LuckShare(
            result="who wins", kind=kind, alone=Estimate(value, low, high), total=Estimate(value, low, high)
        )

    bots, chance = share("bots' choices", 0.45, 0.40, 0.50), share("chance in play", 0.2, 0.15, 0.25)
    apart = headline([chance, bots])
    largest = "The largest share of the variance comes from bots' choices: 45 % (40 to 50)"
    assert apart == f"{largest}, alone or jointly with other kinds."
    assert "another kind's interval overlaps" in headline([share("set-up", 0.38, 0.33, 0.43), chance, bots])
    assert headline([share("set-up", 0, 0, 0)]) == "The result does not vary."


@pytest.mark.parametrize(("wins", "games"), [(1 / 30, 30), (0.1, 30), (0.02, 300), (0.5, 30)])
def test_one_of_two_equal_kinds_of_luck_is_rarely_said_to_have_the_largest_share(wins: float, games: int) -> None:
    """A game is won by either kind alone. With one win in 30 games, one kind was said to be the largest in 17 %."""
    generator, runs, said = np.random.default_rng(6), 400, 0
    for _ in range(runs):
        a, b, new_a, new_b = (generator.random(games) < wins / 2 for _ in range(4))
        without_a, without_b = (new_a | b).astype(float), (a | new_b).astype(float)
        shares = luck_shares((a | b).astype(float), {"a": without_a, "b": without_b}, {"a": without_b, "b": without_a})
        totals = {kind: Estimate(*one.total) for kind, one in shares.items()}
        lines = [LuckShare(result="who wins", kind=kind, alone=one, total=one) for kind, one in totals.items()]
        said += headline(lines).startswith("The largest share")
    assert said <= 0.05 * runs + 2 * np.sqrt(0.05 * 0.95 * runs)
