"""`simlab dev bench --part edit`: an edit that does nothing, tried on the rules of a copy."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from simlab import compiler
from simlab.errors import RunFailed
from simlab.questions.speed import edits
from simlab.questions.speed.timing import Bench
from simlab.registry import load_game
from tests.compiler.test_never_stale import GAME

RULES = [("bonus", 1)]

pytestmark = pytest.mark.skipif(not compiler.compiling(), reason="nothing is compiled")


@pytest.fixture
def coin(tmp_path: Path) -> Path:
    folder = tmp_path / "coin"
    folder.mkdir()
    for name, text in GAME.items():
        (folder / name).write_text(text.lstrip("\n"))
    return folder


def test_rules_are_ordered_by_how_often_they_are_named(coin: Path) -> None:
    assert [(rule.name, rule.calls) for rule in edits.rules_to_edit(load_game(str(coin)))] == RULES


def test_an_edit_is_a_line_in_the_function_and_nowhere_else(coin: Path) -> None:
    rule = edits.rules_to_edit(load_game(str(coin)))[-1]
    before = rule.file.read_text().splitlines()
    rule.edit(rule.file)
    after = rule.file.read_text().splitlines()
    assert [line for line in after if line != "    edited = 1"] == before and len(after) == len(before) + 1
    ast.parse(rule.file.read_text())


def test_each_line_of_the_table_is_measured_in_a_copy(
    coin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edits, "GAMES", 2)
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")  # in the processes that are measured
    before = {path.name: path.read_bytes() for path in coin.glob("*.*")}
    game = load_game(str(coin))
    random = dict.fromkeys(game.seats, "random")
    bench = Bench(game, str(coin), {}, [random], 2, 1, 1, tmp_path, lambda text: None)
    lines = list(edits.measure(bench))
    assert [line.what.partition(";")[0] for line in lines] == [
        "nothing compiled yet", "a new simple bot",
        *(f"rule {name}, called in {calls} places" for name, calls in RULES), "nothing edited",
    ]  # fmt: skip
    assert all(line.value and line.value > 0 for line in lines)
    assert {path.name: path.read_bytes() for path in coin.glob("*.*")} == before


def test_an_edit_that_changes_the_games_is_an_error(
    coin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    digests = iter("aab")
    monkeypatch.setattr(edits, "played_anew", lambda *_, **__: (1.0, 0, next(digests)))
    game = load_game(str(coin))
    bench = Bench(game, str(coin), {}, [dict.fromkeys(game.seats, "random")], 2, 1, 1, tmp_path, lambda text: None)
    with pytest.raises(RunFailed, match="changes the games of"):
        list(edits.measure(bench))
