"""`simlab info`: every statistic of a game with its words and unit, as a contract names it; card tables."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from simlab.cli.terminal import emit_json, show
from simlab.engine.outcome import figures_of
from simlab.registry import load_game
from simlab.runs.open_experiment import new_experiment
from simlab.runs.results import load
from tests.box import LARGE

from .conftest import Shell
from .forms import hold_to_form

MANY = Path(__file__).parent.parent / "games_of_many"
GAMES = [*LARGE, "pig", *(str(MANY / name) for name in ("dyke", "harvest", "keep", "last_lamp"))]


@pytest.mark.parametrize("name", GAMES)
def test_all_figures_are_listed_with_words_and_unit(name: str, shell: Shell) -> None:
    figures = figures_of(load_game(name))
    listed = shell(f"simlab info {name} statistics --json").json
    assert [(one["figure"], one["words"], one["unit"]) for one in listed["figures"]] == [
        (figure.name, figure.words, figure.unit) for figure in figures.values()
    ]
    assert all(one["words"] and one["help"] for one in listed["figures"])
    assert {one["unit"] for one in listed["figures"] if one["share"]} == {"%", "points"}
    # The game's contract takes each of them.
    contract = {one["figure"]: {"min": 0} for one in listed["figures"]}
    assert set(new_experiment(name, fill_seats=True, contract=contract).contract) == set(contract)


def test_the_table_names_figures_words_and_units(shell: Shell) -> None:
    done = shell("simlab info simple_siege statistics")
    lines = {line.split()[0]: line for line in done.out.splitlines() if line.strip()}
    assert set(figures_of(load_game("simple_siege"))) < set(lines)
    assert lines["besieger_win"].split() == ["besieger_win", "wins", "of", "the", "besieger", "%"]
    assert "turns_p33" in done.out and "0 to 1: besieger_win = { min = 0.4, max = 0.6 }" in done.out


def test_a_table_of_another_size_has_the_figures_of_its_seats(shell: Shell) -> None:
    listed = shell(f"simlab info {MANY / 'keep'} statistics --players 5 --json").json
    names = [one["figure"] for one in listed["figures"]]
    assert listed["players"] == 5 and {"dan_win", "defenders_win"} <= set(names)
    assert "dan_win" not in shell(f"simlab info {MANY / 'keep'} statistics").out
    assert "a game has no 'statistic' to show. Did you mean 'statistics'?" in shell("simlab info pig statistic").err


def test_a_reader_of_a_pipe_may_leave_before_the_end() -> None:
    command = [sys.executable, "-m", "simlab", "info", "simple_siege", "statistics"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None and running.stderr is not None
        running.stdout.close()
        assert running.stderr.read() == ""
    assert running.returncode == 141


def test_tables_are_copied_to_be_edited_and_an_edited_copy_is_kept(shell: Shell, tmp_path: Path) -> None:
    done = shell("simlab info simple_siege tables --copy my_cards")
    assert "--cards counters=my_cards/counters.csv" in done.out
    game = load_game("simple_siege")
    for table in game.tables:
        assert table.read(tmp_path / "my_cards" / f"{table.name}.csv") == game.own_tables[table.name]
    fate = tmp_path / "my_cards" / "fate.csv"
    fate.write_text(fate.read_text().replace("Red court card,red,6", "Red court card,red,9"))
    again = shell("simlab info simple_siege tables --copy my_cards")
    assert again.status == 2 and "may have been edited" in again.err
    assert "red,9" in fate.read_text()
    listed = {one["table"]: one for one in shell("simlab info simple_siege tables --json").json["tables"]}
    assert listed["fate"]["rows"] == 4 and listed["counters"]["reconstructed"] == 3
    assert "--copy goes with tables" in shell("simlab info simple_siege statistics --copy my_cards").err


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_a_table_that_a_spreadsheet_saved_with_another_delimiter_is_the_same_table(
    delimiter: str, tmp_path: Path
) -> None:
    game = load_game("simple_siege")
    (schema,) = (t for t in game.tables if t.name == "fate")
    saved = tmp_path / "fate.csv"
    saved.write_text((game.folder / "fate.csv").read_text().replace(",", delimiter))
    assert schema.read(saved) == game.own_tables["fate"]


def test_what_a_run_counted_is_shown_as_a_table_and_as_json(shell: Shell, tmp_path: Path) -> None:
    shell("simlab sweep simple_siege -n 40 --bot besieger=random --bot besieged=random --quiet --out run")
    cell = load(tmp_path / "run").cells[0]
    counts = cell.tally.counts
    shown = (
        "actions",
        "items",
        "rules",
        "tracks",
        "length",
        "endings",
        "metrics",
        "statistics",
        "maps",
        "cells",
        "method",
    )
    answers = {what: shell(f"simlab report run --section {what} --json").json for what in shown}
    for answer in answers.values():
        assert answer["games"] == 40 and answer["game"] == "simple_siege"
        hold_to_form(answer)
    decisions = answers["actions"]["decisions"]
    assert sum(use["taken"] for one in decisions for use in one["uses"]) == int(counts["chosen"].sum())
    assert {one["seat"] for one in decisions} == {"besieger", "besieged"} and not any(d["left_out"] for d in decisions)
    rules = answers["rules"]["rules"]
    assert [one["fired"] for one in rules] == counts["fired"].tolist()
    assert [one["games"] for one in rules] == counts["fired_games"].tolist()
    assert answers["items"]["items"] == []
    walls = answers["tracks"]["tracks"][0]
    assert len(walls["turns"]) == len(walls["quantiles"]) and all(len(five) == 5 for five in walls["quantiles"])
    assert sum(answers["length"]["whole"]["counts"]) == sum(one["games"] for one in answers["endings"]["endings"]) == 40
    words = {
        "actions": "taken",
        "rules": "times per game",
        "tracks": "95 %",
        "length": "nine in ten",
        "luck": "--report",
    }
    for what, word in words.items():
        done = shell(f"simlab report run --section {what}")
        assert word.lower() in (done.out + done.err).lower(), what


def test_counts_are_of_a_folder_of_results(shell: Shell) -> None:
    for line in ("report simple_siege --section actions", "report nowhere --section rules"):
        done = shell(f"simlab {line}")
        assert done.status == 2 and "results" in done.err, done.err


def test_a_terminal_gets_whole_words_and_whole_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    prose = "The besieger is favoured over a fair share, and these results are for these bots only."
    command = "To list these games: simlab report results/walls --format csv --where 'walls_start = 5 and turns > 12'"
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("TERM", "xterm")
    for stream, lines in ((Terminal(), 3), (io.StringIO(), 2)):
        monkeypatch.setattr("sys.stdout", stream)
        show(prose, command)
        written = stream.getvalue().splitlines()
        assert len(written) == lines
        assert " ".join(written[:-1]) == prose and written[-1] == command
        assert lines == 2 or all(len(line) <= 60 for line in written[:-1])


def test_names_in_a_table_on_a_terminal_do_not_control_it() -> None:
    import polars as pl

    from simlab.runs.table_file import write_table

    class Screen(io.StringIO):
        def isatty(self) -> bool:
            return True

    frame = pl.DataFrame({"ending": ["\x1b[31mred\x9b\u202e"]})
    for screen, shown in ((Screen(), "?[31mred??"), (io.StringIO(), "\x1b[31mred\x9b\u202e")):
        with contextlib.redirect_stdout(screen):
            write_table([frame], None, "games")
        assert shown in screen.getvalue()  # a file or a program gets the names as they are
    with contextlib.redirect_stdout(io.StringIO()) as screen:
        emit_json({"ending": "\x1b[31mred\x9b\u202e é"})
    assert screen.getvalue().replace("\n", "").isprintable()
    assert json.loads(screen.getvalue()) == {"ending": "\x1b[31mred\x9b\u202e é"}
