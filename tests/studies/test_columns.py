"""The columns of a row, and the figures that are read of them."""

from __future__ import annotations

import numpy as np
import pytest

from simlab.engine.outcome import GameRows, figures_of
from simlab.questions.comparison import Pair, games_differ, row_names
from simlab.registry import load_game


def test_every_column_of_the_row_is_read() -> None:
    for slug in ("simple_siege", "mighty_fortress", "montsegur"):
        game = load_game(slug)
        figures = figures_of(game).by_game
        seats = {f"score_{seat}" for seat in game.seats}
        read = {"score" if figure.column in seats else figure.column for figure in figures}
        assert read == set(row_names(game))
        assert {*row_names(game), "game", "score"} == {*(game.row_type.names or ()), "score"}
        assert len({figure.short_name for figure in figures}) == len(figures)


def test_a_number_that_did_not_happen_and_a_code_are_no_numbers() -> None:
    game = load_game("mighty_fortress")
    figures = {figure.short_name: figure for figure in figures_of(game).by_game}
    rows = [GameRows({"first_hunger": np.array(values)}, game) for values in ([0, 3, 5, 0, 9, 4], [0, 3, 6, 2, 0, 4])]
    share, mean = figures["first_hunger_share"], figures["first_hunger"]
    assert share.is_rate
    assert not mean.is_rate
    pair = Pair(game, *({"winner": np.zeros(6, np.int64), **side.rows} for side in rows))
    happened, when = pair.changes([share, mean], 0.95)
    assert (happened.pairs, happened.difference.value, happened.games_that_differ) == (6, 0, 2)
    assert (when.pairs, when.difference.value) == (3, pytest.approx(1 / 3))  # turns 3, 5 and 4: hungry on both sides
    never = {"winner": np.zeros(6, np.int64), "first_hunger": np.zeros(6, np.int64)}
    assert Pair(game, never, never).changes([mean], 0.95) == []
    codes = {figure.short_name for figure in figures.values() if figure.column == "breach_phase"}
    assert "breach_phase" not in codes
    assert all(figures[name].is_rate for name in codes)


def test_games_differ_in_any_column_scores_by_seat_among_them() -> None:
    before = {
        "winner": np.array([0, 1, -2, -2]), "winners": np.array([1, 2, 3, 3]),
        "score": np.array([[1, 2], [3, 4], [5, 5], [6, 6]]), "turns": np.array([4, 4, 4, 4]),
    }  # fmt: skip
    after = {name: column.copy() for name, column in before.items()}
    after["score"][1, 0] = 9
    after["winners"][3] = 6
    assert games_differ(before, after, tuple(before)).tolist() == [False, True, False, True]
    assert Pair(load_game("simple_siege"), before, after).flipped.tolist() == [False, False, False, True]
