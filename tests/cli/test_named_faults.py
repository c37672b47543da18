"""Messages say what is wrong and where: a line of a CSV file, a broken package, a lost connection."""

from __future__ import annotations

import os
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from simlab import registry
from simlab.bot_registry import find_bots
from simlab.cli import main
from simlab.engine.match import Match
from simlab.errors import InputError, first_few, unknown_word
from simlab.registry import load_game
from simlab.runs.worker_pool import Pool

from .conftest import Shell

#: game -> table, cell of its own CSV, what is written there instead, part of the message.
WRONG_WORDS = {
    "simple_siege": ("fate", "mill besieged 1", "mil besieged 1", "Unknown word 'mil'. Did you mean 'mill'?"),
    "lowenheim": ("events", "bridge(J)", "brigde(J)", "Unknown word 'brigde'. Did you mean 'bridge'?"),
    "westphalia": ("doctrines", "ambush", "ambsh", "Unknown word 'ambsh'. Did you mean 'ambush'?"),
}


@pytest.mark.parametrize("slug", WRONG_WORDS)
def test_a_wrong_word_in_a_card_table_is_named_with_file_line_and_the_right_word(slug: str, tmp_path: Path) -> None:
    table, right, wrong, hint = WRONG_WORDS[slug]
    game = load_game(slug)
    text = next(path for path in game.folder.rglob(f"{table}.csv")).read_text(encoding="utf-8")
    file = tmp_path / "mine.csv"
    head, _, rest = text.replace(right, wrong, 1).partition("\n")
    file.write_text(f"{head}\n\n{rest}", encoding="utf-8")  # an empty line counts as one
    line = file.read_text(encoding="utf-8").split(wrong)[0].count("\n") + 1
    with pytest.raises(InputError) as mistake:
        Match(game, tables={table: file}, bots=dict.fromkeys(game.seats, "random"))
    assert str(mistake.value).startswith(f"{file}, line {line} (")
    assert hint in str(mistake.value)


def test_a_wrong_cell_behind_an_empty_line_is_named_with_its_line(tmp_path: Path) -> None:
    game = load_game("simple_siege")
    head, _, rest = next(game.folder.rglob("fate.csv")).read_text(encoding="utf-8").partition("\n")
    cells = rest.splitlines()[0].split(",")
    place = head.split(",").index("copies")
    cells[place] = "many"
    file = tmp_path / "mine.csv"
    file.write_text(f"{head}\n\n{','.join(cells)}\n")
    with pytest.raises(InputError, match=r"mine\.csv, line 3, copies"):
        game.read_tables({"fate": file})


def test_of_many_problems_the_first_few_are_named() -> None:
    assert first_few(["One.", "Two."]) == "One. Two."
    assert first_few([f"No. {n}." for n in range(50)]) == "No. 0. No. 1. No. 2. And 47 more."
    assert unknown_word("mill besieged until blak", ("mill", "besieged", "until", "black")).endswith("'black'?")
    assert unknown_word("mill 3", ("mill",)) == ""


def test_a_long_quote_in_a_message_is_cut() -> None:
    cut = main._cut("fate.csv, line 3, name: '" + "so many words " * 700 + "' is too long. The game doesn't know it.")
    assert len(cut) < 400
    assert cut.endswith("is too long. The game doesn't know it.")


@pytest.fixture
def broken_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """One broken entry point of each kind."""
    module = "a_package_that_is_not_there"

    def announced(group: str) -> tuple[EntryPoint, ...]:
        return (EntryPoint("broken", f"{module}:thing", group),)

    monkeypatch.setattr(registry, "announced", announced)
    for name in [name for name in os.environ if name.startswith("SIMLAB_WARNED_")]:
        monkeypatch.delenv(name)
    monkeypatch.setattr(os, "environ", dict(os.environ))


@pytest.mark.usefixtures("broken_packages")
def test_a_broken_package_is_named_and_the_rest_goes_on(shell: Shell) -> None:
    done = shell("simlab games --json")
    assert done.status == 0
    assert "pig" in {game["game"] for game in done.json["games"]}
    assert done.err.count("warning: game 'broken' of package") == 1
    assert "ModuleNotFoundError" in done.err
    done = shell("simlab info pig bots --json")
    assert done.status == 0
    assert "warning: bots 'broken' of package" in done.err
    assert {"hold_at", "optimal"} <= set(find_bots(load_game("pig")))
    assert shell("simlab info metrics --json").json["metrics"] == []


@pytest.mark.usefixtures("broken_packages")
def test_a_broken_game_that_is_asked_for_is_an_error(shell: Shell) -> None:
    done = shell("simlab info broken knobs")
    assert done.status == 2
    assert "game 'broken' of package" in done.err


def test_an_error_without_a_number_says_what_to_do() -> None:
    text, status = main._disk(OSError())
    assert status == 4
    assert "OSError: without a message" in text and "SIMLAB_TRACEBACK=1" in text
    assert "Timed out" in main._disk(TimeoutError("Timed out"))[0]


def test_a_lost_scheduler_is_named_with_the_command_that_goes_on() -> None:
    pool = Pool("dask", 2, "tcp://10.0.0.5:8786")
    said = str(pool.lost_scheduler(OSError("Timed out trying to connect"), "simlab run x.toml"))
    assert said.startswith("the Dask scheduler at tcp://10.0.0.5:8786 no longer answers (OSError: Timed out")
    assert said.endswith("simlab run x.toml")
    assert pool.lost_scheduler(ValueError("other"), "") is None
    assert Pool("loky", 2, None).lost_scheduler(OSError(), "") is None
