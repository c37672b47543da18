"""Statistics of win chances: simulated games whose chances are known, and small ones calculated by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtr

from simlab.stats.course import (
    Course,
    below,
    biggest_upset,
    by_turn,
    calibration,
    even_race,
    mean_statistic,
    off_bins,
    ratio_statistic,
    statistics,
    worth,
)

FUTURES = 100


def walks(games: int, seed: int, turns: int = 12, futures: int = FUTURES, pull: float = 0.0) -> list[Course]:
    """Even races of two sides, their chances known: a random walk, its futures binomial.

    Args:
        pull: how much of the lead comes again with each step: a runaway leader.
    """
    draw = np.random.default_rng(seed)
    heights = np.zeros((games, turns + 1))
    for turn in range(turns):
        heights[:, turn + 1] = heights[:, turn] * (1 + pull) + draw.normal(size=games)
    chances = ndtr(heights[:, :-1] / np.sqrt(turns - np.arange(turns)))
    won = (heights[:, -1] > 0).astype(float)
    halves = draw.binomial(futures // 2, chances, (2, games, turns)) / (futures // 2)
    first, second = np.stack([halves, 1 - halves], axis=-1)
    numbers = tuple(range(1, turns + 1))
    return [
        Course(game, numbers, first[game], second[game], futures, np.array([won[game], 1 - won[game]]))
        for game in range(games)
    ]


def exactly(*chances: float, won: int) -> Course:
    """A game of two sides whose chances are known: of the first, at the start of each turn."""
    table = np.array([[p, 1 - p] for p in chances])
    result = np.array([1.0, 0.0]) if won == 0 else np.array([0.0, 1.0])
    return Course(0, tuple(range(1, len(chances) + 1)), table, table, 10_000, result)


def by_name(courses: list[Course]) -> dict[str, float]:
    return {figure.name: figure.value for figure in statistics(courses)}


def test_the_figures_of_a_game_worked_out_by_hand() -> None:
    """Ann is behind by 0.36 and by 0.64, leads, and wins; it is decided after the fourth turn of six."""
    one = exactly(0.5, 0.32, 0.18, 0.7, 0.96, 0.99, won=0)
    made = by_name([one, one])
    assert made["behind"] == pytest.approx(2 / 6)
    assert made["came_from_behind"] == 1
    assert made["drama"] == pytest.approx((0.6 + 0.8) / 2)
    assert made["lowest"] == pytest.approx(0.18)
    assert made["lead_changes"] == 1
    assert made["decided_turn"] == 4
    assert made["after_decided"] == pytest.approx(2 / 6)
    assert made["open_to_the_end"] == 0
    assert made["comebacks"] == 0.5, "ann fell below 30 % and won, bob did later and lost"
    assert made["comeback_chance"] == pytest.approx((0.18 + 0.04) / 2)
    assert one.upset == (pytest.approx(0.18), 3, pytest.approx(0.18))
    assert one.swing == (pytest.approx(0.52), 3, pytest.approx(0.52))


def test_a_chance_that_falls_again_does_not_decide_and_a_last_turn_can_be_open() -> None:
    made = by_name([exactly(0.5, 0.97, 0.6, 0.9, won=0)] * 2)
    assert made["decided_turn"] == 4, "no game is decided after its last turn"
    assert made["after_decided"] == 0
    assert made["open_to_the_end"] == 1


def test_noise_alone_is_no_drama_and_no_change_of_the_lead() -> None:
    """Two sides at 50 % all the way to a last throw: only chance estimates cross each other."""
    draw = np.random.default_rng(1)
    made = []
    for game in range(300):
        halves = draw.binomial(50, 0.5, (2, 8)) / 50
        first, second = (np.column_stack([half, 1 - half]) for half in halves)
        made.append(Course(game, tuple(range(8)), first, second, 100, np.array([1.0, 0.0])))
    values = by_name(made)
    assert values["behind"] < 0.05
    assert values["lead_changes"] < 0.15
    assert values["lowest"] == pytest.approx(0.5, abs=0.01), "the least of eight noisy numbers would be about 0.43"
    assert values["uncertainty"] == pytest.approx(1, abs=0.01)


def flat(games: int, turns: int, sides: int, seed: int, deals: int = 50) -> list[Course]:
    """All chances equal to a last throw; the futures of a half fall in so many deals, those of one deal alike."""
    draw = np.random.default_rng(seed)
    halves = draw.multinomial(deals, [1 / sides] * sides, (2, games, turns)) / deals
    won = np.eye(sides)[draw.integers(sides, size=games)]
    return [Course(g, tuple(range(turns)), halves[0, g], halves[1, g], FUTURES, won[g]) for g in range(games)]


@pytest.mark.parametrize("sides", [2, 8])
def test_noise_in_a_long_game_is_no_comeback(sides: int) -> None:
    """One in twenty games at most, whatever their length and however many sides; it was 84 and 100 %."""
    values = {one.name: one.value for one in statistics(flat(250, 60, sides, 5))}
    assert values["came_from_behind"] < 0.08
    assert values["drama"] < 0.05
    assert values["behind"] < 0.035
    assert values["lead_changes"] < 0.02


def test_futures_that_share_deals_tell_less() -> None:
    """Two futures a deal are worth half; judged as if they were separate, noise makes comebacks."""
    shared = flat(300, 20, 2, 6, deals=25)
    value = worth(shared)
    assert value == pytest.approx(FUTURES / 2, rel=0.06)
    naive, judged = shared, [replace(one, worth=value) for one in shared]
    share = [np.mean([(one.deficit > 0).any() for one in some]) for some in (naive, judged)]
    assert share[0] > 0.15
    assert share[1] < 0.08
    assert worth(flat(300, 20, 2, 7)) == pytest.approx(FUTURES, rel=0.06)


def test_the_biggest_upset_is_not_made_by_noise() -> None:
    """Of 50 flat games the lowest chance seen is far below 50 %, the one read from the other half is not."""
    lowest = [biggest_upset(flat(50, 12, 2, seed)).upset for seed in range(60)]
    assert np.mean([seen for seen, *_ in lowest]) < 0.3
    assert np.mean([read for *_, read in lowest]) == pytest.approx(0.5, abs=0.03)


@pytest.mark.parametrize(("games", "share"), [(12, 0.3), (30, 0.9), (100, 0.03)])
def test_intervals_of_shares_cover_in_few_games_and_near_the_ends(games: int, share: float) -> None:
    """Student's interval covers 90, 96 and 87 of 100 times there."""
    draw = np.random.default_rng(8)
    made = [mean_statistic("", draw.random(games) < share) for _ in range(1_000)]
    assert sum(one.low <= share <= one.high for one in made) >= 932


def test_alike_in_all_games_is_not_known_without_error() -> None:
    """None of 12 games differs: one in four may all the same."""
    number, none = mean_statistic("", [3.0] * 12, ""), mean_statistic("", [0.0] * 12, "")
    assert (number.low, number.high) == (pytest.approx(2.757, abs=0.001), pytest.approx(3.243, abs=0.001))
    assert (none.low, none.high) == (0, pytest.approx(0.243, abs=0.001))


def test_uncertainty_is_a_ratio_whose_start_is_measured_too() -> None:
    """Of all games half of what was open at the start is open later: how much that was does not matter."""
    start = np.linspace(0.05, 0.5, 20)
    rows = [(0.5 + math.sqrt(0.25 - own / 2), 0.5 + math.sqrt(0.25 - own / 4)) for own in start]
    games = [replace(exactly(*row, won=0), game=place) for place, row in enumerate(rows)]
    one = next(one for one in statistics(games) if one.name == "uncertainty")
    assert one.value == pytest.approx(0.75)
    same = [replace(exactly(*rows[-1], won=0), game=place) for place in range(20)]
    alike = next(one for one in statistics(same) if one.name == "uncertainty")
    assert one.high - one.low == pytest.approx(alike.high - alike.low), "nothing differs but the start"


def test_chances_of_a_fair_walk_hold_and_those_of_a_runaway_do_not() -> None:
    assert off_bins(calibration(walks(1_500, 2))) == []
    off = off_bins(calibration(walks(1_500, 2, pull=0.3)))
    assert off, "its leaders win more than their chances say"
    assert all((one.gap > 0) == (one.predicted > 0.5) for one in off)


def test_an_even_race_is_no_runaway_and_its_comebacks_are_what_chances_say() -> None:
    fair = {figure.name: figure for figure in statistics(walks(2_000, 3))}
    assert fair["runaway"].low < 0 < fair["runaway"].high
    assert fair["comebacks"].low < fair["comeback_chance"].value < fair["comebacks"].high
    pulled = {figure.name: figure for figure in statistics(walks(2_000, 3, pull=0.3))}
    assert pulled["runaway"].low > 0.05


def test_shares_of_turns_cover_where_few_games_of_different_lengths_decide() -> None:
    """In 3 % of the games all turns count, in the others none: without a limit 88 of 100 intervals cover."""
    random, hits = np.random.default_rng(4), 0
    for _ in range(200):
        turns = random.geometric(1 / 12, 100)
        one = ratio_statistic("behind", np.where(random.random(100) < 0.03, turns, 0), turns, np.arange(100))
        hits += one.low <= 0.03 <= one.high
    assert hits >= 184


def test_eleven_of_twelve_leaders_that_win_are_no_runaway() -> None:
    """In an even race 11 or 12 of 12 leaders win in 8 % of the reports, 12 of 12 in 1 %."""
    games = [exactly(0.5, 0.7, 0.7, 0.7, won=number == 0) for number in range(12)]
    made = next(one for one in statistics(games) if one.name == "runaway")
    assert made.value > 0.2 and made.low < 0


@pytest.mark.parametrize("part", [1 / 3, 1 / 4])
def test_an_even_race_of_two_follows_the_arcsine(part: float) -> None:
    expected = 0.5 + math.asin(math.sqrt(part)) / math.pi
    assert even_race([0.5, 0.5], part) == pytest.approx([expected] * 2, abs=0.012)


def test_an_even_race_of_uneven_sides_starts_from_their_chances() -> None:
    """Whoever leads a race of which nothing is run wins as often as it did; nobody runs along where nobody may win."""
    assert even_race([0.6, 0.3, 0.1], 1e-9)[0] == pytest.approx(0.6, abs=0.01)
    assert even_race([0.6, 0.3], 1e-9)[0] == pytest.approx(0.6, abs=0.01)


def test_intervals_cover_the_true_mean_in_95_of_100_samples() -> None:
    def lowest(games: int, seed: int) -> list[float]:
        return [float(one.first[:, one.won > 0].min()) for one in walks(games, seed, futures=40)]

    truth = float(np.mean(lowest(8_000, 4)))
    made = [mean_statistic("lowest", lowest(60, 10 + seed)) for seed in range(100)]
    assert sum(one.low <= truth <= one.high for one in made) >= 88  # of 100 at 95 %: fewer once in 500 times


def test_turns_after_the_end_count_with_the_result() -> None:
    turns = by_turn([exactly(0.5, won=0), exactly(0.5, 0.4, 0.2, won=1)])
    assert turns.turns == [1, 2, 3, 4][: len(turns.turns)]
    assert turns.mean[0][:3] == pytest.approx([0.5, 0.7, 0.6])
    assert turns.open[1] == pytest.approx((0.4 * 0.6) / (2 * 0.25))


def test_behind_is_30_per_cent_of_two_sides_and_less_of_many() -> None:
    assert below(2) == pytest.approx(0.3)
    assert below(6) == pytest.approx(0.1)


def test_calibrated_chances_are_seldom_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few games, chances near 0 and 1: Student's interval rejects 13 to 16 % of these runs instead of 5 %."""
    monkeypatch.setattr("simlab.stats.course.mean_bounds", lambda *_: np.zeros(2))  # slow, and not tested here
    runs = 360
    wrong = sum(bool(off_bins(calibration(walks(100, seed, turns=6)))) for seed in range(runs))
    assert wrong / runs <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / runs)
