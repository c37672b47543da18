"""Corners of Python in bots: a compiled bot chooses as in plain Python, or is named (data as in test_corners.py)."""

from __future__ import annotations

import textwrap
import tomllib
from pathlib import Path
from typing import Any

import pytest

from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.errors import InputError
from simlab.registry import load_game

CORNERS = tomllib.loads((Path(__file__).parent / "corners_of_bots" / "bots.toml").read_text())["corner"]
GAME = '''
from simlab.author import NONE, Game, bot, choice, number, numbers, per_seat, trait


class Table(Game):
    """Two decisions take turns."""

    players = 2
    n = number()
    v = numbers(3)
    p = per_seat(score=(0, 99))
    pick = choice("one", "two", "three")
    other = choice("three", "one")

    def play(self):
        """B-1: one decides, then the other."""
        while True:
            self.ask(self.pick)
            self.shuffle_values()
            self.p[self.seat] += 1
            self.seat = self.next_seat()
            self.ask(self.other)
            self.shuffle_values()
            if self.turn == 8:
                self.end("done")
            self.turn += 1
            self.seat = self.next_seat()

    def shuffle_values(self):
        self.n = self.below(9)
        for place in (0, 1, 2):
            self.v[place] = self.below(9)
'''
#: Bots that are compiled are one bot, whose trait says which it is: that compiles faster.
ONE = '''

@bot(Table)
def corners(game, which=trait(0, 0, 99, "which corner")):
    """The corner of this number."""
'''


def _function(name: str, code: str) -> str:
    return f"\n\ndef {name}(game):\n{textwrap.indent(code.strip(), '    ')}\n"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    text = GAME + "\n\n".join(corner.get("before", "") for corner in CORNERS)
    compiled = ONE
    for number, corner in enumerate(CORNERS):
        expects = corner.get("expects", "same")
        if expects == "same":
            text += _function(f"corner_{number}", corner["code"])
            compiled += f"    if which == {number}:\n        return corner_{number}(game)\n"
        elif expects == "plain":
            named = _function(f"bot_{number}", f'"""Corner {number}."""\n{corner["code"].strip()}').strip()
            text += f"\n\n@bot(Table)\n{named}\n"
    file = tmp_path_factory.mktemp("bots") / "table.py"
    file.write_text(f'{text}{compiled}    return "one"\n')
    return str(file)


def _of(kinds: set[str]) -> list[Any]:
    return [pytest.param(n, id=c["name"]) for n, c in enumerate(CORNERS) if c.get("expects", "same") in kinds]


@pytest.mark.parametrize("number", _of({"same"}))
def test_a_compiled_bot_chooses_as_in_plain_python(path: str, number: int) -> None:
    _compare(path, f"corners:which={number}", {"which": number})


@pytest.mark.parametrize("number", _of({"plain"}))
def test_a_bot_that_is_not_compiled_chooses_as_in_plain_python(path: str, number: int) -> None:
    _compare(path, f"bot_{number}", {})


def _compare(path: str, bot: str, traits: dict[str, int]) -> None:
    game = load_game(path)
    match = Match(game, bots=dict.fromkeys(game.seats, bot))
    policy = match.bots[0].policy
    for index in range(2):
        stepper, plain = Stepper(match, 1, index), game.owner(2, seed=1, game=index)
        while not plain.over:
            plain._draws = "bot"
            chosen = policy.plain(plain, **traits)
            plain._draws = "game"
            action = next(int(option) for option in plain.legal() if option == chosen)
            assert stepper.policy_action() == action
            stepper.apply(action)
            plain.take(action)


@pytest.mark.parametrize("number", _of({"refused"}))
def test_a_bot_that_compares_a_number_with_a_text_is_refused(number: int, tmp_path: Path) -> None:
    named = _function("one", f'"""A bot."""\n{CORNERS[number]["code"].strip()}').strip()
    (tmp_path / "table.py").write_text(f"{GAME}\n\n@bot(Table)\n{named}\n")
    with pytest.raises(InputError, match=r"table\.py, line \d+: .*number"):
        load_game(str(tmp_path / "table.py"))
