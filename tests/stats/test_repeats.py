"""Games that repeat more than chance allows: found when planted, not imagined."""

import numpy as np
import pytest

from simlab.stats.repetition import find_repeats


def games(number, ways, seed, skew=1.2):
    """Independent games, some ways to come out more frequent than others."""
    shares = 1 / np.arange(1, ways + 1) ** skew
    return np.random.default_rng(seed).choice(ways, size=number, p=shares / shares.sum())


@pytest.mark.parametrize("ways", [2, 5, 60, 5_000])
def test_independent_games_raise_no_alarm(ways):
    for seed in range(60):
        assert find_repeats(games(4_000, ways, seed)) == []


@pytest.mark.parametrize("ways", [5, 60, 5_000])
def test_a_stretch_that_comes_again_is_found(ways):
    code = games(20_000, ways, 1)
    code[15_000:15_400] = code[2_000:2_400]
    repeat = find_repeats(code)[0]
    assert 1_990 < repeat.first <= 2_000 and repeat.second - repeat.first == 13_000  # from the first equal game on
    assert "games in a row come out the same" in repeat.sentence


def test_games_played_twice_are_found():
    """As when two seeds out of two give the same game; no stretch comes again then."""
    code = np.repeat(games(3_000, 60, 2), 2)
    repeat = find_repeats(code)[-1]
    assert (repeat.first, repeat.second, repeat.length) == (0, 1, 1)
    assert repeat.seen >= 3_000 > 2 * repeat.expected


def test_workers_that_start_alike_are_found():
    """Four workers deal games out in turn and all begin with the same luck."""
    code = np.repeat(games(2_000, 500, 3), 4)
    assert find_repeats(code)


def test_where_nothing_can_be_said_nothing_is():
    assert find_repeats([1] * 1_000) == []
    assert find_repeats([1, 2, 3]) == []
    assert find_repeats([0] * 995 + [1] * 5) == []
