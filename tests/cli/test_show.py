"""`simlab show figures`: every figure of a game with its words and unit, as a contract names it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from simlab.engine.outcome import figures_of
from simlab.experiments.load import new_experiment
from simlab.registry import find_games, load_game

from .conftest import Shell

MANY = Path(__file__).parent.parent / "games_of_many"
GAMES = [*find_games(), *(str(MANY / name) for name in ("dyke", "harvest", "keep", "last_lamp"))]


@pytest.mark.parametrize("name", GAMES)
def test_all_figures_are_listed_with_words_and_unit(name: str, shell: Shell) -> None:
    figures = figures_of(load_game(name))
    listed = shell(f"simlab show figures {name} --json").json
    assert [(one["figure"], one["words"], one["unit"]) for one in listed["figures"]] == [
        (figure.name, figure.words, figure.unit) for figure in figures.values()
    ]
    assert all(one["words"] and one["help"] for one in listed["figures"])
    assert {one["unit"] for one in listed["figures"] if one["share"]} == {"%", "points"}
    # The game's contract takes each of them.
    contract = {one["figure"]: {"min": 0} for one in listed["figures"]}
    assert set(new_experiment(name, default_bot="random", contract=contract).contract) == set(contract)


def test_the_table_names_figures_words_and_units(shell: Shell) -> None:
    done = shell("simlab show figures simple_siege")
    lines = {line.split()[0]: line for line in done.out.splitlines() if line.strip()}
    assert set(figures_of(load_game("simple_siege"))) < set(lines)
    assert lines["besieger_win"].split() == ["besieger_win", "wins", "of", "the", "besieger", "%"]
    assert "turns_p33" in done.out and "0..1: besieger_win = { min = 0.4, max = 0.6 }" in done.out


def test_a_table_of_another_size_has_the_figures_of_its_seats(shell: Shell) -> None:
    listed = shell(f"simlab show figures {MANY / 'keep'} --players 5 --json").json
    names = [one["figure"] for one in listed["figures"]]
    assert listed["players"] == 5 and {"dan_win", "defenders_win"} <= set(names)
    assert "dan_win" not in shell(f"simlab show figures {MANY / 'keep'}").out
    why = shell("simlab show figures").err
    assert "say of which game" in why and "simlab show figures simple_siege" in why


def test_a_reader_of_a_pipe_may_leave_before_the_end() -> None:
    command = [sys.executable, "-m", "simlab", "show", "figures", "simple_siege"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None and running.stderr is not None
        running.stdout.close()
        assert running.stderr.read() == ""
    assert running.returncode == 141
