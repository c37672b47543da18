"""A test is named after its rule and sets only what the rule is about. Run: python -m pytest test_rules.py"""

from __future__ import annotations

from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.registry import load_game

GAME = load_game("pig")
ROLL, HOLD = 0, 1


def new_game(**knobs: int) -> Stepper:
    return Stepper(Match(GAME, knobs=knobs, bots=dict.fromkeys(GAME.seats, "random")))


def test_P_1_1_the_first_seat_begins_and_the_second_may_have_a_head_start() -> None:
    game = new_game(head_start=4)
    assert game.seat == "first"
    assert game.state.score.tolist() == [0, 4]


def test_P_2_1_a_roll_adds_to_what_is_at_stake() -> None:
    game = new_game()
    game.force("die", 5, 2)  # loaded dice: a forced draw counts from 0, so these are a 6 and a 3
    game.apply(ROLL)
    game.apply(ROLL)
    assert game.state.at_stake == 9
    assert game.seat == "first"


def test_P_2_2_the_bust_number_loses_it_all() -> None:
    game = new_game(bust_number=2)
    game.state.at_stake = 20
    game.force("die", 1)
    game.apply(ROLL)
    assert game.state.at_stake == 0 and game.state.score[0] == 0
    assert game.seat == "second"


def test_P_2_3_P_2_4_holding_keeps_the_points_and_ends_the_turn() -> None:
    game = new_game()
    assert game.legal() == [ROLL]
    game.state.at_stake = 20
    assert game.legal() == [ROLL, HOLD]
    game.apply(HOLD)
    assert game.state.score[0] == 20 and game.state.at_stake == 0
    assert game.seat == "second"


def test_P_2_5_P_3_1_enough_points_at_stake_are_held_at_once_and_win() -> None:
    game = new_game(goal=50)
    game.state.score[0] = 30
    game.state.at_stake = 15
    game.force("die", 4)
    game.apply(ROLL)
    assert game.over
    row = game.row()
    assert (row["winner"], row["score"][0], row["ending"]) == (0, 50, 0)


def test_P_3_2_nobody_wins_after_400_turns() -> None:
    game = new_game()
    game.state.turn = 400
    game.state.at_stake = 3
    game.apply(HOLD)
    assert game.over
    assert (game.row()["winner"], game.row()["winners"], game.row()["ending"]) == (-1, 0, 1)
