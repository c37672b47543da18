"""Bots written as rules in the app: what the form saves is what it reads again, and what the game plays."""

from __future__ import annotations

from pathlib import Path

import pytest

from simlab.app.rule_form import Line, read_form, save_rules
from simlab.author.rule_bots import read_rule_bot
from simlab.engine.match import Match
from simlab.errors import InputError
from simlab.registry import load_game

LINES = [
    Line("grain[me] < 4", "", "never", "market"),
    Line("coins[me] >= 5", "", "choose", "builder, quay"),
    Line("", "buy", "best", "deck.points[row[option]]"),
]


def test_lines_are_saved_read_again_and_played(tmp_path: Path) -> None:
    game = load_game("harbour")
    path = save_rules(tmp_path, "patient", game, [*LINES, Line()])
    assert read_form(path) == (LINES, {})
    rows = Match(game, bots={"ann": str(path), "bob": "random"}).play(1, 0, 200).rows
    assert (rows["score"][:, 0] > rows["score"][:, 1]).mean() > 0.8


def test_what_the_file_says_besides_its_rules_stays(tmp_path: Path) -> None:
    game = load_game("harbour")
    about = {
        "help": "Buys early.",
        "otherwise": "builder",
        "traits": {"hoard": {"default": 3, "range": [1, 5], "help": "x"}},
    }
    lines = [Line("coins[me] >= hoard", "", "choose", "quay"), Line("", "buy", "never", "0")]
    path = save_rules(tmp_path, "early", game, lines, about)
    assert read_form(path) == (lines, about)
    found = read_rule_bot(path, game)
    assert found.otherwise == "builder" and "hoard" in found.policy.traits
    with pytest.raises(InputError, match="nobody"):
        save_rules(tmp_path, "other", game, lines, {**about, "otherwise": "nobody"})


def test_another_version_gets_a_file_of_its_own(tmp_path: Path) -> None:
    game = load_game("harbour")
    names = [save_rules(tmp_path, name, game, LINES).name for name in ("patient", "patient.toml", "patient-2")]
    assert names == ["patient.toml", "patient-2.toml", "patient-3.toml"]


@pytest.mark.parametrize(
    ("name", "lines", "why"),
    [
        ("patient", [], "at least one rule"),
        ("patient", [Line("coins[me] > 3")], "at least one rule"),
        ("pa/tient", LINES, "cannot be the name of a file"),
        ("patient", [Line("coin[me] > 3", "", "choose", "quay")], "coin"),
        ("patient", [Line("", "", "choose", "kay")], "no option 'kay'. Known: builder"),
    ],
)
def test_what_cannot_be_saved_leaves_no_file(tmp_path: Path, name: str, lines: list[Line], why: str) -> None:
    with pytest.raises(InputError) as refused:
        save_rules(tmp_path, name, load_game("harbour"), lines)
    assert why in str(refused.value) and str(tmp_path) not in str(refused.value)
    assert not list(tmp_path.iterdir())
