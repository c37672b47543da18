"""One question, one folder: no run moves the games of another."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

import simlab
from simlab.errors import InputError
from simlab.runs.open_experiment import load_experiment, new_experiment
from simlab.runs.results import load
from simlab.runs.runner import Note, run
from simlab.spec.folder_names import mark_of
from tests.runs.fake import FakeExperiment, data_of, two_cells


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)


def play(cells, out=None, experiment=None, **how):
    return run(experiment or FakeExperiment(), out, backend="threads", workers=2, cells=cells, **how)


@pytest.mark.parametrize(
    ("changes", "mark"),
    [
        ({}, ""),
        ({"walls_start": "6"}, "-walls_start=6"),
        ({"besieger": "rusher", "walls_start": ""}, "-besieger=rusher+walls_start"),
    ],
)
def test_a_mark_says_what_was_changed(changes, mark) -> None:
    assert mark_of(changes) == mark


def test_marks_that_cannot_be_said_in_a_name_still_differ() -> None:
    marks = {mark_of({"besieger": text}) for text in ("./a.py:b", "./a.py/b", "x" * 100, "x" * 101, "../../a")}
    assert len(marks) == 5
    assert all("/" not in mark and len(mark) < 80 for mark in marks)


def test_options_that_change_a_file_mark_the_folder_and_more_games_do_not() -> None:
    ready = "simple_siege_best_play"
    assert load_experiment(ready).mark == ""
    assert load_experiment(ready, games=77).mark == ""
    assert load_experiment(ready, ["walls_start=6"], games=77).mark == "-walls_start=6"
    assert load_experiment(ready, {"walls_start": 6}).mark == "-walls_start=6"
    assert load_experiment(ready, seed=9).mark == "-seed=9"
    assert load_experiment(ready, seed=load_experiment(ready).seed).mark == ""  # as the file has it
    assert load_experiment(ready, vary=["walls_start=3..5"]).mark == "-walls_start"
    assert load_experiment(ready, bots={"besieged": ["waiter", "random"]}).mark == "-besieged=waiter,random"
    assert new_experiment("simple_siege", fill_seats=True).mark == ""


def test_another_question_of_the_same_name_goes_beside_and_nothing_is_moved(tmp_path) -> None:
    five, six = two_cells()
    first = play([five])
    assert first.folder == Path("results/tosses")
    before = data_of(tmp_path / "results" / "tosses")
    notes: list[object] = []
    second = play([six], progress=notes.append)
    assert second.folder.name.startswith("tosses-")
    assert any(
        isinstance(note, Note) and "contains results of a different experiment ('bias=5')" in note.text
        for note in notes
    )
    assert data_of(tmp_path / "results" / "tosses") == before
    assert not (tmp_path / "results" / "tosses" / "spare").exists()
    again = play([six])
    assert again.folder == second.folder
    assert len(again.manifest["runs"]) == 1  # its games were there


def test_more_cells_and_more_games_go_on_in_the_same_folder() -> None:
    five, six = two_cells()
    play([replace(five, games=200)])
    grown = play([five, six])
    assert grown.folder == Path("results/tosses")
    assert grown.manifest["runs"][-1]["games"] == 600


def test_a_marked_experiment_has_a_folder_of_its_own() -> None:
    marked = play(two_cells()[:1], experiment=FakeExperiment(mark="-bias=6"), ending="-check")
    assert marked.folder == Path("results/tosses-bias=6-check")


def test_a_folder_named_by_the_user_is_refused_rather_than_rearranged(tmp_path) -> None:
    five, six = two_cells()
    play([five], "mine")
    before = data_of(tmp_path / "mine")
    with pytest.raises(
        InputError, match=r"mine: contains results of a different experiment: .*'bias=5'.*--out.*--force"
    ):
        play([six], "mine")
    assert data_of(tmp_path / "mine") == before
    assert load("mine").status == "complete"
    play([six], "mine", force=True)
    assert data_of(tmp_path / "mine.1") == before
    assert [cell.label for cell in load("mine").cells] == ["bias=6"]


def test_a_game_of_ones_own_is_played_again_after_an_edit(tmp_path) -> None:
    game = tmp_path / "my_pig.py"
    game.write_text((Path(simlab.__file__).parent / "games" / "pig" / "game.py").read_text())

    def again(*options):
        words = [sys.executable, "-m", "simlab", "run", str(game), "-n", "20", *options]
        return subprocess.run(words, capture_output=True, text=True, check=False)

    def busts(folder):
        rows = next(Path(folder).rglob("*.parquet"))
        return pl.read_parquet(rows, columns=["busts"])["busts"].sum()

    assert "kept as" not in again().stderr
    assert again("--out", "named").returncode == 0
    game.write_text(game.read_text().replace("self.busts += 1", "self.busts += 2"))
    assert f"The rules have changed since the last run. The old results are kept as {tmp_path}" in again().stderr
    (old,) = Path("results").glob("*.1")
    assert busts(old.with_suffix("")) == 2 * busts(old) > 0
    refused = again("--out", "named")
    assert refused.returncode == 2
    assert "named: was played by other rules" in refused.stderr
    assert "--force" in refused.stderr


def test_games_of_bots_that_look_ahead_are_cut_into_shards_for_all_workers(tmp_path) -> None:
    def asked(games: int, bot: str):
        return new_experiment("pig", bots={"first": [bot], "second": ["hold_at"]}, games=games)

    search = "lookahead:iterations=2"
    done = run(asked(120, search), "ahead", workers=1).games["winner"].to_list()
    assert [path.stem for path in sorted(Path("ahead").rglob("*.parquet"))] == [
        "000000000000-000000000049", "000000000050-000000000099", "000000000100-000000000119",
    ]  # fmt: skip
    kept = {path.name: path.stat().st_mtime_ns for path in Path("ahead").rglob("*.parquet")}
    run(asked(170, search), "ahead", workers=1)  # more games go on behind the whole shards
    now = {path.name: path.stat().st_mtime_ns for path in Path("ahead").rglob("*.parquet")}
    assert [now[name] == kept[name] for name in sorted(kept)[:2]] == [True, True]
    assert len(list(Path(run(asked(120, "racer"), "plain", workers=1).folder).rglob("*.parquet"))) == 1
    # A folder of a version that did not cut them goes on as it is.
    whole = tmp_path / "whole"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("simlab.runs.schedule.SEARCHED_SHARD", 50_000)
        run(asked(120, search), whole, workers=1)
    before = data_of(whole)
    again = run(asked(120, search), whole, workers=1)
    assert data_of(whole) == before
    assert again.games["winner"].to_list() == done
