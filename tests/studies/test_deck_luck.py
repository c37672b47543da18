"""What nobody has seen yet is neither known to an observer nor decided: the order of a deck counts when it is drawn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from simlab.engine.match import Match
from simlab.engine.rollouts import Rollouts
from simlab.questions.course.analysis import Watcher, courses_of, play
from simlab.questions.course.words import sentences
from simlab.questions.luck.analysis import BOTS, CHANCE, SETUP, luck_of
from simlab.registry import load_game
from simlab.stats.course import calibration, off_bins
from tests.studies.five_cards import FiveCards, chance

FILE = Path(__file__).with_name("five_cards.py")


def match(**knobs: object) -> Match:
    return Match(load_game(str(FILE)), knobs=knobs, bots={"ann": "random", "bob": "random"})


@pytest.fixture(scope="module")
def cards() -> Match:
    return match()


def test_the_course_follows_the_exact_chances(cards: Match) -> None:
    """Each card decides its part of the result when it is drawn, though the deck was shuffled before the first."""
    watcher = Watcher(cards, 1, 400)
    gaps = []
    for game in range(12):
        for position in watcher._plays.positions(game):
            truth = chance(*map(int, position["points"][0]))
            halves = watcher.chances(position)
            gaps.append(((halves[0] + halves[1])[0] / 2 - truth) / np.sqrt(max(truth * (1 - truth), 1e-9) / 400))
    assert len(gaps) == 12 * 5
    assert np.abs(gaps).max() < 4
    assert 0.5 < np.square(gaps)[np.abs(gaps) > 0].mean() < 1.7


def test_no_game_of_five_rounds_is_decided_after_its_fifth(cards: Match) -> None:
    """It is decided by the round in which somebody has a third card: the third, fourth or fifth. The exact mean is
    3 x 1/6 + 4 x 5/14 + 5 x 10/21 = 4.31.
    """
    made = play(cards, 1, 300, 100)
    known = {one.name: one.value for one in made.statistics}
    assert known["decided_turn"].low <= 3 / 6 + 4 * 5 / 14 + 5 * 10 / 21 <= known["decided_turn"].high <= 5
    assert known["open_to_the_end"].low <= 10 / 21 <= known["open_to_the_end"].high
    text = " ".join(sentences(made))
    assert "run away" not in text
    assert "decided (95 % certain) after round 4." in text
    courses, _ = courses_of(cards, 5, range(300), 8)
    assert off_bins(calibration(courses)) == []


def test_a_number_that_is_hidden_from_all_is_not_known_either() -> None:
    watcher = Watcher(match(secret_wins=True), 1, 400)
    for game in range(4):
        for position in watcher._plays.positions(game):
            halves = watcher.chances(position)
            assert (halves[0] + halves[1])[0] / 2 == pytest.approx(0.5, abs=4 * 0.5 / 20)


def test_the_order_of_a_deck_is_chance_in_play(cards: Match) -> None:
    shares = luck_of(cards, 1, 2_000).of()
    assert shares[CHANCE].alone.value == 1
    assert 0.9 < shares[CHANCE].total.low <= 1 == shares[CHANCE].total.high
    for kind in (SETUP, BOTS):
        assert (shares[kind].alone.value, shares[kind].total.value) == (0, 0)


def test_the_cards_that_a_set_up_deals_are_luck_of_the_set_up() -> None:
    """With k of five cards dealt in the set-up, they explain k / (10 - k) of the variance of the score: if X of them
    are ann's, her mean score is X 5 / (10 - k) + a constant, and X is hypergeometric.
    """
    for dealt in (2, 4):
        shares = luck_of(match(dealt=dealt), 2, 3_000).of("score")
        truth = dealt / (10 - dealt)
        assert shares[SETUP].alone.low <= truth <= shares[SETUP].alone.high
        assert shares[CHANCE].total.low <= 1 - truth <= shares[CHANCE].total.high


def test_a_card_put_on_top_stays_there() -> None:
    game = FiveCards()
    assert game.deck.mixed == 10
    top = game.deck.draw()
    game.deck.put(top)
    assert (game.deck.left, game.deck.mixed) == (10, 9)
    game.deck.take(game.deck.order[3])
    assert (game.deck.left, game.deck.mixed, game.deck.draw()) == (9, 8, top)


def test_futures_deal_the_deck_anew_and_the_game_itself_keeps_its_order(cards: Match) -> None:
    plays = Rollouts(cards, 1, 64)
    before = plays.positions(0)
    assert len(np.unique(plays.of(before[0], 64)["score"][:, 0])) > 2
    after = plays.positions(0)
    assert all((one == other).all() for one, other in zip(before, after, strict=True))
