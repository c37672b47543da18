"""A match with other knobs shares its cards and plays as one made anew."""

from __future__ import annotations

import pytest

from simlab.engine.match import Match
from simlab.errors import InputError
from simlab.registry import load_game

BOTS = {"besieger": "rusher", "besieged": "mason"}


def test_a_match_with_other_knobs_plays_as_one_made_anew() -> None:
    game = load_game("simple_siege")
    stem = Match(game, knobs={"sally_penalty": 2}, bots=BOTS)
    other = stem.with_knobs({"walls_start": 7})
    anew = Match(game, knobs={"walls_start": 7}, bots=BOTS)
    assert other.key == anew.key
    assert (other.play(3, 0, 50).rows == anew.play(3, 0, 50).rows).all()
    assert stem.knobs_resolved["walls_start"] == 5
    assert other.replay_command(3, 1) == anew.replay_command(3, 1)


def test_rows_that_lose_their_effect_are_packed_anew() -> None:
    game = load_game("mighty_fortress")
    name = next(name for name, knob in game.knobs.items() if knob.blanks)
    first, second = game.knobs[name].options[1:3]
    stem = Match(game, bots={"player": "random"})
    for value in (first, f"{second}+{first}"):
        other, anew = stem.with_knobs({name: value}), Match(game, knobs={name: value}, bots={"player": "random"})
        assert other.key == anew.key != stem.key
        assert other.cards.tobytes() == anew.cards.tobytes() != stem.cards.tobytes()
    assert anew.knobs_resolved[name] == f"{first}+{second}"  # in the order of the table
    with pytest.raises(InputError, match="nothing like it"):
        stem.with_knobs({name: f"{first}+nothing like it"})
