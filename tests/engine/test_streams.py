"""Random streams: published vectors through the compiled path, unbiased draws, no shared luck (D1, D5)."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from simlab.compiler import kernel
from simlab.engine.streams import below, bot_below, branch, new_future, open_streams, philox, word
from simlab.game import state_type

STREAMS = ("deck", "dice")
DECK, DICE = 3, 4  # two seats, then the redraw stream
TOY = state_type([("x", np.int32)], seats=2, streams=STREAMS, max_actions=4, rules=1)


def toy(seed: int = 0, game: int = 0) -> np.ndarray:
    state = np.zeros(1, TOY)
    state["stream_key"] = (seed & 0xFFFFFFFF, seed >> 32)
    state["stream_seats"] = 2
    _open(state, game)
    return state


@kernel
def _open(states: np.ndarray, game: int) -> None:
    open_streams(states[0], game)


@kernel
def _words(states: np.ndarray, stream: int, number: int) -> np.ndarray:
    drawn = np.zeros(number, np.uint64)
    for i in range(number):
        drawn[i] = word(states[0], stream)
    return drawn


@kernel
def _draws(states: np.ndarray, stream: int, n: int, number: int) -> np.ndarray:
    drawn = np.zeros(number, np.int64)
    for i in range(number):
        drawn[i] = below(states[0], stream, n)
    return drawn


@kernel
def _bot(states: np.ndarray, n: int) -> int:
    return bot_below(states[0], n)


@kernel
def _redraw(states: np.ndarray) -> None:
    new_future(states[0])


@kernel
def _branch(states: np.ndarray, seat: int, number: int) -> None:
    branch(states[0], seat, number)


@pytest.mark.parametrize(
    ("counter", "key", "block"),
    [
        ("00000000 00000000 00000000 00000000", "00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
        ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
    ],
)
def test_philox_gives_the_published_vectors(counter: str, key: str, block: str) -> None:
    parts = [np.array([int(w, 16) for w in text.split()], np.uint32) for text in (counter, key)]
    words = np.zeros(4, np.uint32)
    philox(*map(np.uint64, [*parts[0], *parts[1]]), words)
    assert [f"{w:08x}" for w in words] == block.split()


def test_a_stream_is_the_generator_under_its_seed_game_and_purpose() -> None:
    seed, game = 0x0123456789ABCDEF, 0xFEDCBA987
    state = toy(seed, game)
    drawn = _words(state, DICE, 9)
    expected = []
    for block in range(3):
        words = np.zeros(4, np.uint32)
        counter = np.array([block, DICE, game & 0xFFFFFFFF, game >> 32], np.uint32)
        philox(*map(np.uint64, [*counter, seed & 0xFFFFFFFF, seed >> 32]), words)
        expected += words.tolist()
    assert drawn.tolist() == expected[:9]


def test_neighbouring_seeds_games_and_purposes_share_no_luck() -> None:
    seen: set[tuple[int, ...]] = set()
    for seed in (0, 1, 2, 1 << 32, (1 << 32) + 1):
        for game in (0, 1, 2, 1 << 32, (1 << 40) + 1):
            for stream in range(5):
                seen.add(tuple(_words(toy(seed, game), stream, 4).tolist()))
    assert len(seen) == 5 * 5 * 5


def test_drawing_from_one_stream_leaves_the_others_where_they_were() -> None:
    plain, busy = toy(7, 3), toy(7, 3)
    _draws(busy, DECK, 6, 1000)
    _bot(busy, 6)
    assert _words(plain, DICE, 20).tolist() == _words(busy, DICE, 20).tolist()


@pytest.mark.parametrize("n", [0, -1, -6, 2**32 + 1, 10**12])
def test_a_draw_without_outcomes_is_refused_and_does_not_run_for_ever(n: int) -> None:
    with pytest.raises(ValueError, match=f"1 to 2.32 outcomes, and was asked for', {n}"):
        _draws(toy(), DECK, n, 1)


@pytest.mark.parametrize("n", [1, 2, 3, 6, 7, 40, 1000, 3_000_000_000])
def test_bounded_draws_are_uniform(n: int) -> None:
    drawn = _draws(toy(11, n), DECK, n, 40_000)
    assert drawn.min() >= 0 and drawn.max() < n
    bins = min(n, 20)
    counts = np.bincount(drawn * bins // n, minlength=bins)
    sizes = np.bincount(np.arange(n) * bins // n) if n <= 1000 else np.ones(bins)
    expected = 40_000 * sizes / sizes.sum()
    assert bins == 1 or stats.chisquare(counts, expected).pvalue > 1e-6


def test_bounded_draws_reject_what_would_bias_them() -> None:
    # With n = 3 * 2^30 a plain product favours a third of the numbers; rejection draws about 4/3 words a number.
    n = 3 << 30
    state = toy(5, 5)
    drawn = _draws(state, DECK, n, 30_000)
    used = int(state["stream_at"][0, DECK])
    assert 1.30 < used / 30_000 < 1.37
    thirds = np.bincount(drawn % 3, minlength=3)
    assert stats.chisquare(thirds).pvalue > 1e-6


def test_a_forced_draw_is_taken_first_and_out_of_range_is_an_error() -> None:
    state = toy()
    state["forced_n"] = 3
    state["forced_stream"][0, :3] = (DICE, DECK, DICE)
    state["forced_value"][0, :3] = (5, 2, 1)
    assert _draws(state, DICE, 6, 2).tolist() == [5, 1]
    assert _draws(state, DECK, 6, 1).tolist() == [2]
    assert state["stream_at"].sum() == 0
    state["forced_n"] = 1
    state["forced_stream"][0, 0], state["forced_value"][0, 0] = DICE, 6
    with pytest.raises(ValueError, match="outside its range"):
        _draws(state, DICE, 6, 1)


def test_a_new_future_changes_chance_and_leaves_the_bots_alone() -> None:
    one, other = toy(3, 4), toy(3, 4)
    for state in (one, other):
        _words(state, DECK, 2)
    _redraw(other)
    assert not np.isin(other["stream_words"][0, DECK], one["stream_words"][0, DECK]).any()
    assert _words(one, DECK, 8).tolist() != _words(other, DECK, 8).tolist()
    assert _words(one, 0, 8).tolist() == _words(other, 0, 8).tolist()
    before = _words(toy(3, 4), DECK, 40)
    assert not np.isin(_words(other, DECK, 8), before).any()


def test_a_state_field_cannot_take_a_name_of_the_lab_or_of_numpy() -> None:
    for name in ("turn", "fill", "seat"):
        with pytest.raises(ValueError, match=name):
            state_type([(name, np.int8)], seats=1, streams=(), max_actions=1, rules=1)


def test_a_branch_depends_on_its_number_and_the_seats_own_draws_alone() -> None:
    def future(number: int, seat: int = 1, moved: int | None = None, redrawn: bool = False) -> list[list[int]]:
        state = toy(3, 4)
        if moved is not None:
            _words(state, moved, 5)
        if redrawn:
            _redraw(state)
        _branch(state, seat, number)
        return [_words(state, stream, 6).tolist() for stream in range(5)]

    assert future(0) == future(0, moved=DECK) == future(0, moved=2) == future(0, moved=0) == future(0, redrawn=True)
    others = [future(1), future(1 << 31), future(0, seat=0), future(0, moved=1)]
    streams = [tuple(words) for made in [future(0), *others] for words in made]
    assert len(set(streams)) == 25, "no two share their luck"
    assert set(streams).isdisjoint(tuple(_words(toy(3, 4), stream, 6).tolist()) for stream in range(5))
