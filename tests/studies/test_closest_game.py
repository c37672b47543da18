"""The closest game of a run is one that scores decided, by as little as any."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from simlab.game import Side
from simlab.questions.notable_games.analysis import NotableGame, _closest
from simlab.questions.notable_games.words import reason

SEATS = ("a", "b", "c", "d")
ENDINGS = ("hold", "fall")


def names(*sides: Side) -> SimpleNamespace:
    return SimpleNamespace(seats=SEATS, endings=ENDINGS, sides=sides)


def described(found) -> tuple[int, str]:
    at, facts = found
    return at, reason(NotableGame(kind="closest", game=at, **facts), "turn")


def test_a_lost_game_without_scores_is_not_the_closest() -> None:
    scores = np.array([[0, 0, 0, 0], [9, 5, 1, 1], [7, 6, 1, 1]])
    endings = np.array([1, 0, 0])
    city = Side("city", SEATS, "holds", endings=("hold",))
    found = _closest(scores, endings, names(city))
    assert described(found) == (2, "1 point between the best two scores, as in 1 of 2 games that scores decided")
    assert _closest(scores[:1], endings[:1], names(city)) is None


def test_sides_are_compared_as_wholes() -> None:
    """Seats of one side have the same score: their gap of 0 says nothing."""
    scores = np.array([[9, 9, 2, 2], [5, 5, 4, 4]])
    found = _closest(scores, np.zeros(2), names(Side("north", SEATS[:2], "win"), Side("south", SEATS[2:], "win")))
    assert described(found) == (1, "2 points between the best two sides, as in 1 of 2 games")


def test_seats_on_their_own_are_compared_in_all_games() -> None:
    found = _closest(np.array([[3, 1, 0, 0], [3, 3, 0, 0]]), np.array([0, 1]), names())
    assert described(found) == (1, "0 points between the best two scores, as in 1 of 2 games")


def test_a_rare_ending_is_not_reported_as_0_percent() -> None:
    one = NotableGame(kind="ending", game=3, ending="quake", share=1 / 2_000, among=2_000)
    assert reason(one, "turn") == "1 of 2,000 games end this way"
