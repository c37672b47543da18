"""A card without effect: the knobs blank_<table> leave all else as it is; what a card does, on the same luck."""

from __future__ import annotations

import numpy as np
import pytest

from simlab.engine.match import Match
from simlab.errors import InputError
from simlab.registry import load_game

GAME = load_game("mighty_fortress")
BLANKS = [knob for knob in GAME.knobs.values() if knob.blanks]


def match(**knobs: str) -> Match:
    return Match(GAME, knobs=knobs, bots={"player": "random"})


def test_every_table_of_cards_can_be_blanked_row_by_row() -> None:
    assert {knob.blanks for knob in BLANKS} == {"outsiders", "cities", "elders", "fate", "decrees"}
    for knob in BLANKS:
        for row in knob.options[1:]:
            match(**{knob.name: row})  # the row without effect is a row that the game takes


def test_a_blank_card_touches_only_games_that_meet_it() -> None:
    base, blank = match(), match(blank_fate="F02")
    assert base.key != blank.key
    rows, other = base.play(1, 0, 2000).rows, blank.play(1, 0, 2000).rows
    same = (rows == other).mean()
    assert 0.02 < same < 0.98
    assert (match(blank_fate="none").play(1, 0, 100).rows == rows[:100]).all()
    names = np.array(GAME.knobs["blank_fate"].options)
    assert "F02" in names


def test_a_row_that_is_not_there_is_refused() -> None:
    with pytest.raises(InputError, match="blank_fate = F99 is not allowed"):
        match(blank_fate="F99")
