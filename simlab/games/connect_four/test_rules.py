"""A test is named after its rule and sets only what the rule is about. Run: python -m pytest test_rules.py"""

from __future__ import annotations

import pytest

from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.registry import load_game

GAME = load_game("connect_four")


def new_game(*columns: int, **knobs: int) -> Stepper:
    """A game after discs in these columns, counted from 0."""
    game = Stepper(Match(GAME, knobs=knobs, bots=dict.fromkeys(GAME.seats, "random")))
    for column in columns:
        game.apply(column)
    return game


def board(game: Stepper) -> tuple[str, ...]:
    return tuple(game.describe()["board"])


def test_C_1_1_the_board_is_empty_and_of_the_size_asked_for() -> None:
    assert board(new_game()) == ("." * 7,) * 6
    assert board(new_game(columns=8, rows=4)) == ("." * 8,) * 4


def test_C_2_1_a_disc_falls_onto_those_below_and_a_full_column_takes_no_more() -> None:
    game = new_game(2, 2, 2, 2, 2, 2)
    assert [row[2] for row in board(game)] == list("oxoxox")
    assert game.legal() == [0, 1, 3, 4, 5, 6]


def test_C_2_2_the_seats_take_turns() -> None:
    assert [new_game(*[3] * turns).seat for turns in range(3)] == ["first", "second", "first"]


def test_C_2_3_the_middle_may_be_barred_for_the_first_disc() -> None:
    assert new_game(middle_barred=True).legal() == [0, 1, 2, 4, 5, 6]
    assert new_game(columns=8, middle_barred=True).legal() == [0, 1, 2, 5, 6, 7]
    assert new_game(0, middle_barred=True).legal() == list(range(7))


@pytest.mark.parametrize(
    ("columns", "kind"),
    [
        ((0, 1, 0, 1, 0, 1, 0), "upright"),
        ((0, 0, 1, 1, 2, 2, 3), "level"),
        ((0, 1, 1, 2, 2, 3, 2, 3, 3, 6, 3), "rising"),
        ((6, 5, 5, 4, 4, 3, 4, 3, 3, 0, 3), "falling"),
    ],
)
def test_C_3_1_four_in_a_line_win(columns: tuple[int, ...], kind: str) -> None:
    before, game = new_game(*columns[:-1]), new_game(*columns)
    assert not before.over and game.over
    (metric,) = (metric for metric in GAME.metrics if metric.name == "line_kind")
    assert game.row()["winner"] == 0 and metric.value_text(game.row()["line_kind"]) == kind


def test_C_3_1_no_line_runs_over_the_top_of_a_column() -> None:
    game = new_game()
    column = 6 + 1  # bits a column
    game.state.discs[0] = 1 << 3 | 1 << 4 | 1 << column  # two below the top of the first, the foot of the second
    game.state.height[0], game.state.height[1] = 5, 1
    game.apply(0)
    assert not game.over


def test_C_3_2_a_full_board_is_shared() -> None:
    order = [0, 1, 2, 3] * 2 + [1, 0, 3, 2] * 2  # no line of three on a board of four by four
    game = new_game(*order, columns=4, rows=4)
    assert game.over
    assert (game.row()["winner"], game.row()["winners"], game.row()["ending"]) == (-2, 3, 1)
