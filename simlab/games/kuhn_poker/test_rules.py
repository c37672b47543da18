"""A test is named after its rule and sets only what the rule is about. Run: python -m pytest test_rules.py"""

from __future__ import annotations

from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.registry import load_game

GAME = load_game("kuhn_poker")
PASS, BET = 0, 1
JACK, QUEEN, KING = 0, 1, 2


def new_game(first: int, second: int, *actions: int, **knobs: int) -> Stepper:
    """A game with these cards, after these actions."""
    game = Stepper(Match(GAME, knobs=knobs, bots=dict.fromkeys(GAME.seats, "random")))
    game.state.card[0], game.state.card[1] = first, second
    for action in actions:
        game.apply(action)
    return game


def result(game: Stepper) -> tuple[int, list[int]]:
    """Who won, and what both gained."""
    assert game.over
    return int(game.row()["winner"]), [int(score) for score in game.row()["score"]]


def test_K_1_1_both_put_in_the_ante() -> None:
    assert new_game(JACK, QUEEN, ante=2).state.bets.tolist() == [2, 2]


def test_K_1_2_the_cards_are_dealt_from_a_deck_of_three() -> None:
    match = Match(GAME, bots=dict.fromkeys(GAME.seats, "random"))
    hands = {tuple(Stepper(match, 1, number).state.card.tolist()) for number in range(60)}
    assert hands == {(a, b) for a in range(3) for b in range(3) if a != b}


def test_K_2_1_a_bet_is_of_fixed_size_and_is_called_with_as_much() -> None:
    game = new_game(JACK, QUEEN, BET, bet=3)
    assert game.state.bets.tolist() == [4, 1] and game.seat == "second"
    assert [game.label(action) for action in game.legal()] == ["fold", "call"]
    game.apply(BET)
    assert result(game) == (1, [-4, 4])


def test_K_3_1_who_passes_against_a_bet_loses_the_ante() -> None:
    assert result(new_game(JACK, KING, BET, PASS)) == (0, [1, -1])
    assert result(new_game(KING, QUEEN, PASS, BET, PASS)) == (1, [-1, 1])


def test_K_3_2_the_higher_card_takes_the_pot() -> None:
    assert result(new_game(JACK, QUEEN, PASS, PASS)) == (1, [-1, 1])
    assert result(new_game(KING, QUEEN, PASS, BET, BET)) == (0, [2, -2])
