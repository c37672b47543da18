"""Weighted decks: cards come by weight over the weights left, on the same luck, and as printed without weights."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from simlab.compiler import kernel
from simlab.engine.loaded_draws import load_dice, pack_weights
from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.engine.streams import draw_card, draw_card_between, draw_from_set, draw_kind, one_of, shuffle
from simlab.errors import InputError
from simlab.game import LOADED, Die
from simlab.registry import find_games, load_game
from tests.engine.test_streams import DECK, DICE, _draws, _words, toy

NAMES = ("ace", "two", "three", "four", "five", "six", "ox3")
GAME: Any = SimpleNamespace(
    slug="toy", seats=("a", "b"), streams=("deck", "dice"),
    dice=(
        Die("six", "dice", 6, "a die"), Die("pack", ("dice", "deck"), 0, "a deck", cards=NAMES),
        Die("many", "deck", 0, "a large deck", cards=tuple(f"c{n}" for n in range(300))),
    ),
)  # fmt: skip


def weighted(seed: int, **luck: str | float) -> np.ndarray:
    state = toy(seed, 1)
    load_dice(state, pack_weights(GAME, luck, {}))
    return state


# --- The functions over many games, and the same in the plainest Python -----------


@kernel
def _tops(states: np.ndarray, stream: int, cards: int, number: int) -> np.ndarray:
    deck = np.arange(cards)
    drawn = np.zeros(number, np.int64)
    for i in range(number):
        drawn[i] = draw_card(states[0], stream, deck)
    return drawn


@kernel
def _orders(states: np.ndarray, stream: int, cards: int, number: int) -> np.ndarray:
    """Decks drawn to the last card, as games draw: the card taken leaves its place to the last one."""
    orders = np.zeros((number, cards), np.int64)
    for i in range(number):
        deck = np.arange(cards + 2) - 2  # below the deck lie two that are not drawn from
        for left in range(cards, 0, -1):
            place = 2 + draw_card_between(states[0], stream, deck, 2, 2 + left)
            orders[i, cards - left] = deck[place]
            deck[place] = deck[left + 1]
    return orders


@kernel
def _shuffled(states: np.ndarray, stream: int, cards: int, number: int) -> np.ndarray:
    orders = np.zeros((number, cards), np.int64)
    for i in range(number):
        for card in range(cards):
            orders[i, card] = card
        shuffle(states[0], stream, orders[i])
    return orders


@kernel
def _others(states: np.ndarray, stream: int, number: int) -> np.ndarray:
    """Draws out of numbers of each kind (2 aces, no two, 3 threes), and out of a set (ace, three, ox3), and of six."""
    copies = np.array([2, 0, 3])
    drawn = np.zeros((3, number), np.int64)
    for i in range(number):
        drawn[0, i] = draw_kind(states[0], stream, copies, 5)
        drawn[1, i] = draw_from_set(states[0], stream, 0b1000101, 3)
        drawn[2, i] = one_of(states[0], stream, 6)
    return drawn


def plain_draw(word: int, weights: Sequence[Fraction]) -> int | None:
    """The place of the next card, in exact arithmetic; None where Lemire's method draws again."""
    n, total = len(weights), sum(weights)
    fair, rest = divmod(word * n, 1 << 32)
    if rest < (1 << 32) % n:
        return None
    mean = Fraction(total, n)
    stays = min(Fraction(1), weights[fair] / mean)
    share = Fraction(2 * rest + 1, 1 << 33)
    if share < stays:
        return fair
    over = [max(Fraction(0), w - mean) for w in weights]
    goal = (share - stays) / (1 - stays) * sum(over)
    return next(i for i in range(n) if goal < sum(over[: i + 1]))


def weights_of(text: str, cards: int) -> list[Fraction]:
    named = dict(part.split(":") for part in text.split("+"))
    return [Fraction(named.get(name, "1")) for name in NAMES[:cards]]


TEXTS = ["ace:2", "six:0.25+two:3", "ox3:0", "ace:0+two:0+three:100", "five:0.01+six:600"]


@pytest.mark.parametrize("text", TEXTS)
def test_the_card_on_top_is_each_with_its_weight_over_all_weights(text: str) -> None:
    counts = np.bincount(_tops(weighted(3, cards_pack=text), DECK, 7, 40_000), minlength=7)
    weights = weights_of(text, 7)
    chances = np.array([float(w / sum(weights)) for w in weights])
    assert not counts[chances == 0].any()
    assert stats.chisquare(counts[chances > 0], 40_000 * chances[chances > 0]).pvalue > 1e-5
    # The rule itself, with no luck in it: passing over and being picked instead add up to the weights exactly.
    mean = sum(weights) / 7
    over = [max(Fraction(0), w - mean) for w in weights]
    lost = sum((1 - min(Fraction(1), w / mean)) / 7 for w in weights)
    for w, more in zip(weights, over, strict=True):
        assert min(Fraction(1), w / mean) / 7 + lost * more / sum(over) == w / sum(weights)


def test_any_number_of_cards_can_be_weighted() -> None:
    """Each count is within the binomial interval of its chance; false alarm 1 in a million."""
    weights = 2 + np.arange(300) % 5
    text = "+".join(f"c{card}:{weight}" for card, weight in enumerate(weights))
    counts = np.bincount(_tops(weighted(13, cards_many=text, die_six="6x2"), DECK, 300, 100_000), minlength=300)
    low, high = stats.binom.interval(1 - 1e-6 / 300, 100_000, weights / weights.sum())
    assert ((low <= counts) & (counts <= high)).all()


@pytest.mark.parametrize("text", TEXTS)
def test_draws_are_those_of_the_plain_twin(text: str) -> None:
    words = _words(weighted(5, cards_pack=text), DECK, 3_000).tolist()
    wanted = [place for word in words if (place := plain_draw(word, weights_of(text, 7))) is not None]
    assert _tops(weighted(5, cards_pack=text), DECK, 7, len(wanted)).tolist() == wanted


@pytest.mark.parametrize("orders", [_orders, _shuffled])
def test_a_deck_comes_in_the_order_of_weighted_keys(orders: Any) -> None:
    """Efraimidis and Spirakis: by keys u^(1/w) from the highest down; the chance of each order in closed form."""
    text, games = "ace:3+three:0.5", 12_000
    weights = weights_of(text, 4)
    seen = Counter(map(tuple, orders(weighted(7, cards_pack=text), DECK, 4, games).tolist()))
    keys = np.random.default_rng(7).random((games, 4)) ** (1 / np.array(weights, float))
    by_keys = Counter(map(tuple, np.argsort(-keys, axis=1).tolist()))
    every = list(itertools.permutations(range(4)))
    chances = [
        math.prod(weights[card] / sum(weights[c] for c in order[place:]) for place, card in enumerate(order))
        for order in every
    ]
    assert sum(chances) == 1
    for counted in (seen, by_keys):
        assert stats.chisquare([counted[o] for o in every], games * np.array(chances, float)).pvalue > 1e-5


def test_zero_comes_last_and_among_zeros_the_shuffle_is_fair() -> None:
    orders = _orders(weighted(9, cards_pack="ace:0+two:0"), DECK, 4, 2_000)
    assert (np.sort(orders[:, 2:], axis=1) == [0, 1]).all()
    assert abs((orders[:, 2] == 0).mean() - 0.5) < 4.5 / 2 / np.sqrt(2_000)
    assert (_shuffled(weighted(9, cards_pack="ace:0"), DECK, 4, 200)[:, 3] == 0).all()


def test_the_luck_is_the_same_and_a_small_weight_turns_few_draws() -> None:
    fair = _tops(toy(5, 1), DECK, 7, 20_000)
    assert fair.tolist() == _draws(toy(5, 1), DECK, 7, 20_000).tolist()
    heavier = _tops(weighted(5, cards_pack="ace:1.1"), DECK, 7, 20_000)
    # One ace in ten too few: of the other draws 0.1 / 7.1 turn into it, and no draw turns into anything else.
    assert set(heavier[heavier != fair]) == {0}
    expected = 0.1 / 7.1 * 6 / 7
    assert abs((heavier != fair).mean() - expected) < 4.5 * np.sqrt(expected / 20_000)
    assert (
        _shuffled(toy(5, 1), DECK, 7, 50).tolist() != _shuffled(weighted(5, cards_pack="two:9"), DECK, 7, 50).tolist()
    )


def test_decks_of_kinds_and_sets_and_picks_that_are_no_roll() -> None:
    state = weighted(11, cards_pack="three:3", die_six="6x1000000")
    kinds, members, six = _others(state, DICE, 20_000)
    for counts, chances in (
        (np.bincount(kinds, minlength=5), np.array([1, 1, 3, 3, 3]) / 11),
        (np.bincount(members, minlength=3), np.array([1, 3, 1]) / 5),
        (np.bincount(six, minlength=6), np.full(6, 1 / 6)),
    ):
        assert stats.chisquare(counts, 20_000 * chances).pvalue > 1e-5
    assert set(_draws(state, DICE, 6, 300)) == {5}, "the die of the same stream is weighted all the while"
    printed = _others(toy(11, 1), DICE, 50)
    assert (printed.max(axis=1) < [5, 3, 6]).all()


# --- As knobs -----------------------------------------------------------------------


def siege(**knobs: object) -> Match:
    game = load_game("simple_siege")
    return Match(game, knobs=knobs, bots=dict.fromkeys(game.seats, "random"))


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("red_joker:-1", "A weight is 0 or more and at most 600; red_joker has -1"),
        ("red_joker:601", "at most 600"),
        ("red_joker:0.001", "hundredths are the finest"),
        ("red_court:0+black_court:0+red_joker:0+black_joker:0", "all cards weigh 0. Give one of them a weight"),
        ("red_jokr:2", "there is no card 'red_jokr'. Did you mean 'red_joker'"),
        ("red_joker:2+red_joker:3", "'red_joker' is given twice"),
        ("red_joker", "cards_fate takes 'fair', or cards and their weights"),
        ("", "cards_fate takes 'fair'"),
    ],
)
def test_what_cannot_be_is_named(value: str, why: str) -> None:
    with pytest.raises(InputError) as told:
        siege(cards_fate=value)
    assert why in str(told.value)


def test_one_deck_is_not_shuffled_badly_and_by_weight() -> None:
    with pytest.raises(InputError, match="cards_fate and deck_fate: the same deck"):
        siege(cards_fate="red_joker:2", deck_fate=0.5)


def test_weights_of_one_are_no_setting_at_all() -> None:
    plain, fair, other = siege(), siege(cards_fate="red_joker:1.00"), siege(cards_fate="red_jokerx3, red_court=0.5")
    assert plain.key == fair.key != other.key
    assert plain.knobs_resolved == fair.knobs_resolved
    assert other.knobs_resolved["cards_fate"] == "red_court:0.5+red_joker:3"
    assert plain.blank_state(1) == fair.blank_state(1) and other.blank_state(1)["forced_n"] == LOADED
    assert "cards_fate" not in list(plain.game.knobs) and "cards_fate" in plain.game.knobs


def test_cards_are_named_by_the_table_in_play(tmp_path: Any) -> None:
    game = load_game("simple_siege")
    mine = tmp_path / "fate.csv"
    mine.write_text((game.folder / "fate.csv").read_text(encoding="utf-8").replace("red_joker", "comet"))
    given: dict[str, Any] = {"tables": {"fate": mine}, "bots": dict.fromkeys(game.seats, "random")}
    assert Match(game, knobs={"cards_fate": "comet:2"}, **given).weights[-2] == 200
    with pytest.raises(InputError, match="there is no card 'red_joker'"):
        Match(game, knobs={"cards_fate": "red_joker:2"}, **given)


@pytest.mark.parametrize("slug", sorted(find_games()))
def test_every_deck_of_a_game_can_be_weighted(slug: str) -> None:
    game = load_game(slug)
    for die in game.dice:
        assert (die.sides == 0) == (die.cards is not None)
        if die.cards is None:
            continue
        numbers = die.numbers(game, game.own_tables)
        assert (
            1 < len(set(numbers.values())) == len(numbers) and 0 <= min(numbers.values()) <= max(numbers.values()) < 256
        )
        name = list(numbers)[-1]
        weights = pack_weights(game, game.resolve_knobs({die.card_knob: f"{name}:0.5"}), game.own_tables)
        assert weights[-2] == 50 and weights.size == (4 + numbers[name]) * len(die.streams) + 1


@pytest.mark.parametrize(
    ("weight", "expected"), [(None, 5 / 12), (20, 1 - 11 / 31 * 10 / 30 * 9 / 29 * 8 / 28 * 7 / 27)]
)
def test_a_heavy_card_of_a_class_game_comes_early(weight: int | None, expected: float) -> None:
    """A class draws from the end of its deck. False alarm 1 in 10,000; the seed is fixed."""
    game = load_game("harbour")
    card = game.owner.blueprint().components["deck"].labels.index("warehouse")
    knobs = {} if weight is None else {"cards_deck": f"warehouse:{weight}"}
    match = Match(game, bots=dict.fromkeys(game.seats, "random"), knobs=knobs)
    seen = sum(card in Stepper(match, 1, index).state.row_slots for index in range(1_000))
    assert stats.binomtest(seen, 1_000, expected).pvalue > 1e-4


def test_each_copy_of_a_card_of_a_class_game_has_its_own_weight() -> None:
    die = next(die for die in load_game("caravan").dice if die.name == "deck")
    numbers = die.cards(load_game("caravan").own_tables)
    assert sorted(numbers.values()) == list(range(len(numbers)))
    assert {name for name in numbers if name.startswith("mule")} == {
        f"mule_{n + 1}" for n in range(sum(n.startswith("mule") for n in numbers))
    }
