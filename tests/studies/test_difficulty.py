"""Levels of difficulty: a game whose win rates are known exactly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from simlab.cli.main import app
from simlab.errors import InputError

HILL = '''
from simlab.author import Game, bot, choice, knob


class Hill(Game):
    """Roll a hundred-sided die once, and win if it is at least the height of the hill."""

    players = (1, 1)
    height = knob(10, 0, 100, "height of the hill")
    ease = knob(0, 0, 20, "what is added to the die")
    climb = choice("climb", "rest")

    def play(self):
        """H-1: who rests falls."""
        if self.ask(self.climb) == "climb" and self.below(100) + self.ease >= self.height:
            self.end("top", 0)
        self.end("fall")


@bot(Hill)
def climber(game):
    """Climbs."""
    return "climb"
'''


def levels(folder: Path, *words: str) -> dict[str, Any]:
    (folder / "hill.py").write_text(HILL)
    out = folder / "levels.json"
    run = ["analyze", "difficulty", str(folder / "hill.py"), "-n", "400", "-q", "--out", str(out), *words]
    result = CliRunner().invoke(app, run, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return {**json.loads(out.read_text()), "text": result.output}


def test_levels_and_steps_that_are_too_big(tmp_path: Path) -> None:
    """The climber wins in 100 - height per cent of the games: 90 and 60 are there, 75 is 15 points from both."""
    found = levels(tmp_path, "--knob", "height=10,40,70", "--levels", "90,75,60")
    fits = [(one["fit"], found["settings"][one["setting"]]["values"]["height"]) for one in found["levels"]]
    assert fits[0] == ("fits", 10) and fits[2] == ("fits", 40)
    assert fits[1][0] == "too far"
    at = found["levels"][1]
    assert at["low"] <= 25 <= at["high"]  # between the values played, by a straight line
    assert "the steps may be too big there, or the games too few): 75 %" in found["text"]


def test_two_knobs_reach_what_one_cannot(tmp_path: Path) -> None:
    found = levels(tmp_path, "--knob", "height=10,40", "--knob", "ease=0,15", "--levels", "75")
    (one,) = found["levels"]
    assert one["fit"] == "fits" and found["settings"][one["setting"]]["values"] == {"height": 40, "ease": 15}


def test_a_game_that_somebody_always_wins_is_refused() -> None:
    words = ["analyze", "difficulty", "pig", "--knob", "goal=20,30", "-n", "20", "-q"]
    with pytest.raises(InputError, match="somebody wins every game"):
        CliRunner().invoke(app, words, catch_exceptions=False)
