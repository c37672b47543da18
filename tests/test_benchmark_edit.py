"""`simlab dev bench --part edit`: an edit that does nothing, tried on the rules of a copy."""

from __future__ import annotations

from pathlib import Path

import pytest

from simlab import benchmark_edit, compiler
from simlab.errors import RunFailed
from simlab.registry import load_game
from tests.compiler.test_never_stale import GAME

pytestmark = pytest.mark.skipif(not compiler.compiling(), reason="nothing is compiled")


@pytest.fixture
def coin(tmp_path: Path) -> Path:
    folder = tmp_path / "coin"
    folder.mkdir()
    for name, text in GAME.items():
        (folder / name).write_text(text.lstrip("\n"))
    return folder


def test_rules_are_ordered_by_how_many_functions_rest_on_them(coin: Path) -> None:
    rules = benchmark_edit.rules_to_edit(load_game(str(coin)))
    names = [rule.name for rule in rules]
    assert names == ["apply_action", "initial_state", "legal_actions", "outcome", "track_values", "bonus"]
    assert [rule.callers for rule in rules] == [0, 0, 0, 0, 0, 1]


def test_an_edit_is_a_line_in_the_function_and_nowhere_else(tmp_path: Path) -> None:
    file = tmp_path / "rules.py"
    text = 'def one():\n    return 1\n\n@kernel\ndef two(x,\n        y):\n    """Twice."""\n    return x\n'
    file.write_text(text)
    benchmark_edit.edit(file, 4)
    assert file.read_text() == text.replace('"""\n', '"""\n    edited = 1\n')
    with pytest.raises(RunFailed, match="no function to edit"):
        benchmark_edit.edit(file, 2)


def test_each_line_of_the_table_is_measured_in_a_copy(
    coin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(benchmark_edit, "GAMES", 2)
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")  # in the processes that are measured
    before = {path.name: path.read_bytes() for path in coin.glob("*.*")}
    (tmp_path / "copy").mkdir()
    game = load_game(str(coin))
    lines = benchmark_edit.measure(game, str(coin), {}, [], tmp_path / "copy", lambda text: None)
    assert [line["edit"] for line in lines] == [
        "nothing compiled yet", "a new simple bot", "a new bot that looks ahead",
        "rule outcome, called by 0 others", "rule bonus, called by 1 others", "nothing edited",
    ]  # fmt: skip
    assert all(line["seconds"] > 0 and line["processor_seconds"] > 0 for line in lines)
    assert {path.name: path.read_bytes() for path in coin.glob("*.*")} == before
