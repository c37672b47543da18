"""The figures of a row: what each counts, and which pairs of games."""

from __future__ import annotations

import numpy as np
import pytest

from simlab.registry import load_game
from simlab.studies.columns import games_differ, paired_figure, row_figures, row_names, wins_differ


def test_every_column_of_the_row_is_read() -> None:
    for slug in ("simple_siege", "mighty_fortress", "montsegur"):
        game = load_game(slug)
        read = {figure.column for figure in row_figures(game)}
        assert read | {"winners"} == set(row_names(game))  # who shared a win: `winner` says whether
        assert {*row_names(game), "game", "score"} == {*(game.row_type.names or ()), "score"}
        assert len({figure.name for figure in row_figures(game)}) == len(row_figures(game))


def test_a_number_that_did_not_happen_and_a_code_are_no_numbers() -> None:
    game = load_game("mighty_fortress")
    figures = {figure.name: figure for figure in row_figures(game)}
    rows = [{"first_hunger": np.array(values)} for values in ([0, 3, 5, 0, 9, 4], [0, 3, 6, 2, 0, 4])]
    share, mean = figures["first_hunger_share"], figures["first_hunger"]
    assert share.is_rate
    assert not mean.is_rate
    happened = paired_figure(share, *(share.read(side) for side in rows), 0.95)
    assert (happened.mean_a, happened.mean_b, happened.changed) == (4 / 6, 4 / 6, 2)
    when = paired_figure(mean, *(mean.read(side) for side in rows), 0.95)
    assert (when.pairs, when.difference) == (3, pytest.approx(1 / 3))  # turns 3, 5 and 4: hungry on both sides
    never = np.zeros(6, np.int64)
    assert paired_figure(mean, never, never, 0.95) is None
    codes = {figure.name for figure in row_figures(game) if figure.column == "breach_phase"}
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
    assert wins_differ(before, after).tolist() == [False, False, False, True]
