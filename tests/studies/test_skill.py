"""Luck, skill and seat out of games that are played."""

from __future__ import annotations

from pathlib import Path

import pytest

from simlab.engine.match import Match
from simlab.questions.luck.analysis import MOST_LINE_UPS, field_skill, line_ups, sample
from simlab.registry import load_game

SQUARES = str(Path(__file__).parent.parent / "search" / "tic_tac_toe")


def test_a_field_of_equals_has_no_skill_and_luck_of_its_bots_alone() -> None:
    game = load_game(SQUARES)
    field = {"cross": ["random"], "nought": ["random", "random"]}
    made = field_skill(lambda bots: Match(game, bots=bots), field, 1, 400)
    assert made.line_ups == 2
    assert made.skill.value == pytest.approx(0, abs=1e-9), "the same games twice"
    assert made.seat.low > 0, "cross begins, which counts at random"
    kinds = made.luck_by_kind
    assert kinds["bots' choices"] == pytest.approx(made.luck.value, abs=0.05)
    assert sum(kinds.values()) == pytest.approx(made.luck.value)


def test_of_too_many_line_ups_a_sample_is_the_same_each_time() -> None:
    bots = {seat: [f"bot{i}" for i in range(4)] for seat in "abcde"}
    chosen = line_ups(bots)
    assert len(chosen) == MOST_LINE_UPS == len({tuple(one.values()) for one in chosen})
    assert chosen == line_ups(bots)
    assert len(line_ups({"a": ["x", "y"], "b": ["z"]})) == 2


def test_some_of_the_line_ups_have_all_bots_in_all_seats() -> None:
    """Each third of 81 line-ups has the same bot in the last seat."""
    every = line_ups({seat: ["x", "y", "z"] for seat in "abc"})
    chosen = sample(every, 9)
    assert chosen == sample(every, 9)
    assert all(len({one[seat] for one in chosen}) == 3 for seat in "abc")
