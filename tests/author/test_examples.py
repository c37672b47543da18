"""The examples in the docstrings that authors read, run as they are."""

from __future__ import annotations

import ast
import inspect
import textwrap
from pathlib import Path

import pytest

import simlab.author
from simlab.registry import load_game

NAMES = [name for name in simlab.author.__all__ if name not in ("ALL", "NONE", "Component")]


def example(name: str) -> str:
    """The first lines of a docstring, after its summary, that are Python."""
    lines = inspect.cleandoc(getattr(simlab.author, name).__doc__).splitlines()[1:]
    for last in range(len(lines), 0, -1):
        text = textwrap.dedent("\n".join(lines[:last])).strip("\n")
        try:
            if text and ast.parse(text).body:
                return text
        except SyntaxError:
            continue
    raise AssertionError(f"{name} shows no example")


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("Game", "bot")])
def test_each_name_shows_an_example_that_runs(name: str) -> None:
    text = example(name)
    assert f"{name}(" in text
    exec(f"from simlab.author import *\n{text}", {})


def test_the_examples_of_a_game_and_a_bot_make_a_file_that_plays(tmp_path: Path) -> None:
    coins = example("Game").replace("'''", '"""')
    path = tmp_path / "coins.py"
    path.write_text(f"from simlab.author import Game, bot, choice, knob, per_seat, trait\n\n\n{coins}")
    owner = load_game(str(path)).owner
    assert owner(seed=3).play_with().over
    pig = Path(simlab.__file__).parent / "games" / "pig" / "game.py"
    text = pig.read_text().partition("@bot(Pig)")[0] + example("bot").replace("'''", '"""')
    (tmp_path / "pig.py").write_text(text)
    from simlab.bot_registry import find_bots

    assert {"hold_at", "random"} <= set(find_bots(load_game(str(tmp_path / "pig.py"))))
