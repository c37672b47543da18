"""Runs that are killed, interrupted, poisoned or out of disk: nothing finished is lost, no byte differs.

D, K and R numbers name the reliability tests of the lab: D determinism, K crash and resume, R rules safety.
"""

from __future__ import annotations

import builtins
import contextlib
import errno
import hashlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pytest

from simlab.errors import InputError, RunFailed
from simlab.runs import crash_recovery, files, runner, schedule, store, watchdog
from simlab.runs.results import Results, load
from simlab.runs.runner import Compiling, GamesFailed, Interrupted, Note, Progress
from tests.runs.fake import FakeExperiment, FakeStop, data_of, two_cells

ROOT = Path(__file__).resolve().parents[2]


def play(folder: Path, cells=None, experiment: FakeExperiment | None = None, **how) -> Results:
    """Two cells of 400 games in shards of 100, by two threads unless said otherwise."""
    how = {"backend": "threads", "workers": 2} | how
    return runner.run(experiment or FakeExperiment(), folder, cells=cells or two_cells(), **how)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory) -> dict[str, bytes]:
    """The data of a run that nothing happened to."""
    folder = tmp_path_factory.mktemp("undisturbed") / "tosses"
    play(folder)
    return data_of(folder)


@dataclass
class Poisoned:
    folder: Path
    fault: GamesFailed
    seconds: float
    events: list[object]


@pytest.fixture(scope="module")
def poisoned(tmp_path_factory) -> Poisoned:
    """A run in which game 250 of the second cell kills its worker, whenever it is played."""
    folder = tmp_path_factory.mktemp("poisoned") / "tosses"
    events: list[object] = []
    began = time.monotonic()
    with pytest.raises(GamesFailed) as caught:
        play(folder, two_cells(kills=(250,)), backend="loky", progress=events.append)
    return Poisoned(folder, caught.value, time.monotonic() - began, events)


def nothing_is_torn(folder: Path) -> None:
    """Each file under its final name is whole; a shard that has counts has the rows that they speak of."""
    for path in folder.rglob("*.json"):
        if path.parent.name != "tmp":
            json.loads(path.read_bytes())
    for path in (folder / "cells").rglob("*.json"):
        done = store.Sidecar.from_bytes(path.read_bytes(), str(path))
        assert hashlib.sha256(path.with_suffix(".parquet").read_bytes()).hexdigest() == done.rows


@contextlib.contextmanager
def driver(folder: Path, *words: object) -> Iterator[subprocess.Popen]:
    """A run in a process of its own."""
    command = [sys.executable, "-m", "tests.runs.driver", str(folder), *map(str, words)]
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
        process.stderr.close()


def wait_for(what, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.005)


def shards_in(folder: Path) -> int:
    return len(list((folder / "cells").rglob("*.json")))


# --- D3: the bytes do not depend on who plays ---------------------------------


@pytest.mark.parametrize(
    "how",
    [
        {"backend": "threads", "workers": 1},
        {"backend": "loky", "workers": 1},
        pytest.param({"backend": "loky", "workers": 3}, marks=pytest.mark.long),
    ],
    ids=str,
)
def test_D3_any_number_of_workers_writes_the_same_bytes(tmp_path, undisturbed, how):
    play(tmp_path / "tosses", **how)
    assert data_of(tmp_path / "tosses") == undisturbed


def test_D3_a_small_run_is_played_in_this_process_with_the_same_bytes(tmp_path):
    experiment = FakeExperiment(shard_games=1_000)
    small = play(tmp_path / "a", None, experiment, backend="loky", workers=None)
    assert small.manifest["runs"][0]["backend"] == "inline"
    play(tmp_path / "b", None, experiment, backend="loky", workers=2)
    assert data_of(tmp_path / "a") == data_of(tmp_path / "b")


@pytest.mark.parametrize("size", [1, 7, 64, 400])
def test_D3_the_size_of_shards_changes_no_row_and_no_count(tmp_path, undisturbed, size):
    cells = [replace(cell, games=60) for cell in two_cells()] if size == 1 else two_cells()
    one = play(tmp_path / "one", cells, FakeExperiment(shard_games=size))
    whole = play(tmp_path / "whole", cells, FakeExperiment(shard_games=10_000))
    assert one.games.equals(whole.games)
    assert [c.tally.to_dict() for c in one.cells] == [c.tally.to_dict() for c in whole.cells]
    assert one.summary()["cells"] == whole.summary()["cells"]


def test_the_same_command_again_plays_nothing(tmp_path, undisturbed):
    play(tmp_path / "tosses")
    events = []
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "tosses" / "cells").rglob("*.*")}
    again = play(tmp_path / "tosses", progress=events.append)
    assert not [event for event in events if isinstance(event, Compiling)]
    assert before == {path: path.stat().st_mtime_ns for path in before}
    assert len(again.manifest["runs"]) == 1
    assert data_of(tmp_path / "tosses") == undisturbed


# --- K1, K3: killed workers, killed drivers -----------------------------------


def kill_workers(folder: Path, kills: int, slow: float) -> int:
    """Plays by two processes while a thread kills one of them again and again; returns how often."""
    over, killed = threading.Event(), []

    def killer() -> None:
        dice = random.Random(kills)
        for _ in range(kills):
            pids: list[int] = []
            while not pids:  # workers take a busy machine long to start
                if over.wait(dice.uniform(0.05, 0.6)):
                    return
                # Not while it plays a suspected game by itself: killed there too, the game is guilty, and rightly so.
                files = watchdog.progress_files(store.Folder(folder))
                pids = [f.pid for f in files if f.pid and f.purpose != "probe"]
            with contextlib.suppress(ProcessLookupError):
                os.kill(dice.choice(pids), signal.SIGKILL)
                killed.append(pids)

    thread = threading.Thread(target=killer)
    thread.start()
    try:
        play(folder, two_cells(slow=slow), backend="loky")
    finally:
        over.set()
        thread.join()
    return len(killed)


@pytest.mark.long
def test_K1_killed_workers_change_nothing(tmp_path, undisturbed):
    assert kill_workers(tmp_path / "tosses", 4, slow=0.004) > 0
    assert data_of(tmp_path / "tosses") == undisturbed


@pytest.mark.long
def test_K1_a_hundred_killed_workers_change_nothing(tmp_path, undisturbed):
    for i in range(20):
        kill_workers(tmp_path / str(i), 5, slow=0.005)
        assert data_of(tmp_path / str(i)) == undisturbed


def kill_drivers(folder: Path, kills: int, slow: float, *words: object) -> None:
    dice = random.Random(kills)
    for _ in range(kills):
        with driver(folder, *words, slow) as process:
            process.stdout.readline()
            time.sleep(dice.uniform(0.0, 1.2))
            process.kill()
            process.wait()
            nothing_is_torn(folder)
            # What workers outlive their driver is seen by the next start; here they end with their session.


@pytest.mark.long
def test_K3_killed_drivers_change_nothing(tmp_path, undisturbed):
    kill_drivers(tmp_path / "tosses", 3, 0.003, "loky", 2)
    play(tmp_path / "tosses")
    assert data_of(tmp_path / "tosses") == undisturbed


@pytest.mark.long
@pytest.mark.parametrize("backend", ["loky", "threads"])
def test_K3_a_hundred_killed_drivers_change_nothing(tmp_path, undisturbed, backend):
    for i in range(10):
        kill_drivers(tmp_path / str(i), 5, 0.004, backend, 2)
        play(tmp_path / str(i))
        assert data_of(tmp_path / str(i)) == undisturbed


@pytest.mark.long
def test_K3_workers_end_soon_after_their_driver(tmp_path):
    with driver(tmp_path / "tosses", "loky", 2, 0.02) as process:
        wait_for(lambda: len(watchdog.progress_files(store.Folder(tmp_path / "tosses"))) >= 2)
        pids = [int(f.marks[4]) for f in watchdog.progress_files(store.Folder(tmp_path / "tosses"))]
        process.kill()
        process.wait()
        wait_for(lambda: not any(Path(f"/proc/{pid}/cmdline").exists() for pid in pids), 15)


FOLLOWER = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import sys, time; from simlab.engine.signals import follow; "
    "follow(int(sys.argv[1])); print('up', flush=True); time.sleep(600)", str({driver})])
print(child.pid, flush=True)
time.sleep(600)
"""


def gone(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    return True


@pytest.mark.long
def test_K3_a_worker_follows_its_driver_and_will_not_start_without_it():
    for its_driver in ("__import__('os').getpid()", "1 << 22"):
        words = [sys.executable, "-c", FOLLOWER.format(driver=its_driver)]
        with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
            pid = int(process.stdout.readline())
            if its_driver == "1 << 22":  # it was gone before its worker was up
                wait_for(lambda worker=pid: gone(worker))
                process.kill()
            else:
                assert process.stdout.readline() == "up\n"
                assert not gone(pid)
                process.kill()
                wait_for(lambda worker=pid: gone(worker))


@pytest.mark.long
def test_K3_workers_that_are_still_starting_end_with_their_driver(tmp_path):
    def children(of: int) -> list[int]:
        found = []
        for stat in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                if int(stat.read_text().rpartition(")")[2].split()[1]) == of:
                    found.append(int(stat.parent.name))
        return found

    with driver(tmp_path / "tosses", "loky", 2, 0.02) as process:
        wait_for(lambda: len(children(process.pid)) >= 2)
        started = children(process.pid)
        process.kill()
        process.wait()
        wait_for(lambda: all(gone(pid) for pid in started), 30)


def test_a_damaged_shard_is_played_again(tmp_path, undisturbed):
    folder = tmp_path / "tosses"
    play(folder)
    files = sorted((folder / "cells").rglob("*.*"))
    files[0].write_bytes(files[0].read_bytes()[:-7])  # counts
    files[3].write_bytes(b"\0" * 100)  # rows
    files[4].unlink()
    (folder / "tmp").mkdir()
    (folder / "tmp" / "half.tmp").write_bytes(b"half")
    again = play(folder)
    assert again.manifest["runs"][-1]["games"] == 300
    assert data_of(folder) == undisturbed
    assert not (folder / "tmp").exists()


# --- K2: games that kill or stall their worker --------------------------------


@pytest.mark.long
def test_K2_a_poisoned_game_fails_alone_and_is_named(undisturbed, poisoned):
    said = str(poisoned.fault)
    assert poisoned.seconds < 120
    assert poisoned.fault.exit_code == 4
    assert "game 250 of seed 7" in said
    assert "simlab replay toss --seed 7 --game 250" in said
    assert [fault["first"] for fault in poisoned.fault.faults] == [250]
    faults = json.loads((poisoned.folder / "faults.json").read_text())["faults"]
    assert faults == poisoned.fault.faults
    assert any(isinstance(event, Note) and "Game 250" in event.text for event in poisoned.events)
    results = load(poisoned.folder)
    assert results.partial
    assert [cell.games for cell in results.cells] == [400, 399]
    assert results.cells[1].faults == (250,)
    assert 250 not in results.games.filter(cell=results.cells[1].key)["game"].to_list()
    same = {name for name, data in data_of(poisoned.folder).items() if undisturbed[name] == data}
    assert sum(name.endswith(".parquet") for name in same) == 7  # all but the one with the game


@pytest.mark.long
def test_K2_a_poisoned_game_in_the_drivers_own_process_is_found_when_it_starts_again(tmp_path):
    """A small run is played in the driver: the game kills it. The next start finds out in a worker."""
    with driver(tmp_path / "tosses", "loky", "inline", 0, "250") as process:
        assert process.wait(60) == -signal.SIGKILL
    with driver(tmp_path / "tosses", "loky", "inline", 0, "250") as process:
        assert process.wait(60) == 4
        assert "game 250" in process.stderr.read()
    assert [cell.games for cell in load(tmp_path / "tosses").cells] == [400, 399]


@pytest.mark.parametrize("workers", [pytest.param(2, marks=pytest.mark.long), None], ids=["processes", "inline"])
def test_K2_a_game_that_does_not_end_is_given_up(tmp_path, workers):
    experiment = FakeExperiment(shard_games=100 if workers else 1_000)
    began = time.monotonic()
    with pytest.raises(GamesFailed, match=r"game 250 .*did not come through its set-up within 1 seconds"):
        play(tmp_path / "t", two_cells(hangs=(250,)), experiment, backend="loky", workers=workers, timeout=1)
    assert time.monotonic() - began < 120
    assert [cell.games for cell in load(tmp_path / "t").cells] == [400, 399]


@pytest.mark.long
def test_K2_a_frozen_worker_is_ended_by_the_driver(tmp_path, undisturbed, monkeypatch):
    """A stopped process cannot end itself."""
    frozen = []

    def freeze(event) -> None:
        for found in watchdog.progress_files(store.Folder(tmp_path / "tosses")):
            if not frozen and found.pid and found.playing:
                frozen.append(found.pid)
                os.kill(found.pid, signal.SIGSTOP)

    monkeypatch.setattr(watchdog, "FROZEN", 0.5)
    play(tmp_path / "tosses", two_cells(slow=0.004), backend="loky", timeout=1, progress=freeze)
    assert frozen
    assert data_of(tmp_path / "tosses") == undisturbed


@pytest.mark.long
def test_K2_the_same_command_tries_a_failed_game_again(tmp_path, undisturbed, poisoned):
    folder = shutil.copytree(poisoned.folder, tmp_path / "tosses")
    play(folder)  # what ailed the game is mended
    assert data_of(folder) == undisturbed


@pytest.mark.long
def test_after_some_games_that_kill_their_worker_the_rest_of_the_cell_is_given_up(tmp_path, undisturbed, monkeypatch):
    monkeypatch.setattr(crash_recovery, "MOST_STALLS", 1)
    with pytest.raises(GamesFailed, match=r"1 games kill their worker, the last so: it killed its worker"):
        play(tmp_path / "t", two_cells(kills=(250,)), backend="loky")
    results = load(tmp_path / "t")
    assert results.partial
    assert results.cells[0].games == 400  # the other cell
    assert all(some.explained for some in results.missing)


def test_time_in_which_a_process_was_stopped_or_starved_does_not_count_as_standing_still(monkeypatch):
    clock = [100.0]
    monkeypatch.setattr(watchdog.time, "monotonic", lambda: clock[0])
    marks = np.zeros(watchdog.Marks.SIZE, np.int64)
    marks[watchdog.Marks.STAGE] = watchdog.PLAYING
    watched = watchdog.StallDetector(marks, 10.0)
    assert not watched.stalled()
    clock[0] += 1_000  # Ctrl-Z, and on again
    assert not watched.stalled()
    for second in range(60):  # a long game goes on, decision by decision
        clock[0] += 1
        marks[watchdog.Marks.WHERE] = second << 10 | 1
        assert not watched.stalled()
    for _ in range(10):
        clock[0] += 1
        assert not watched.stalled()
    clock[0] += 1
    assert watched.stalled()


@pytest.mark.parametrize("jump", [-7200, 1500])
def test_a_clock_that_is_set_during_a_run_changes_nothing(tmp_path, undisturbed, monkeypatch, jump):
    """The clock of the day jumps when the first shard comes back: by two hours back, or 25 minutes ahead."""
    real, ahead = time.time, [0]
    monkeypatch.setattr(time, "time", lambda: real() + ahead[0])

    def set_the_clock(event: object) -> None:
        if isinstance(event, Progress) and event.done:
            ahead[0] = jump

    play(tmp_path / "tosses", progress=set_the_clock)
    assert ahead[0] == jump
    assert data_of(tmp_path / "tosses") == undisturbed
    results = load(tmp_path / "tosses")
    assert not results.partial
    assert 0 <= results._runs[-1].seconds < 1000
    assert 0 < results.games_per_second < 1e7
    play(tmp_path / "tosses")  # nothing is left to play


def test_a_folder_with_a_duration_below_zero_can_be_read(tmp_path, undisturbed):
    """Earlier versions wrote one after the clock had been set back."""
    play(tmp_path / "tosses")
    file = tmp_path / "tosses" / "manifest.json"
    manifest = json.loads(file.read_text())
    manifest["runs"][-1]["seconds"] = -3599.5
    file.write_text(json.dumps(manifest))
    assert load(tmp_path / "tosses")._runs[-1].seconds == 0
    play(tmp_path / "tosses")


def test_a_driver_that_slept_does_not_say_that_nothing_moves(tmp_path, monkeypatch):
    clock = [100.0]
    monkeypatch.setattr(watchdog.time, "monotonic", lambda: clock[0])
    watch = watchdog.Watch(store.Folder(tmp_path), 1.0, patient=False)
    for jump in (1.0, 1500.0, 1.0):  # the machine was suspended, or the process stopped
        clock[0] += jump
        watch.look()
    for _ in range(590):
        clock[0] += 1
        watch.look()
    clock[0] += 1
    with pytest.raises(RunFailed, match="no worker has done anything for ten minutes"):
        [watch.look() for clock[0] in np.arange(clock[0], clock[0] + 20)]


# --- R3: games that fail ------------------------------------------------------


@pytest.mark.parametrize(
    "how", [{"backend": "threads"}, {"backend": "loky"}, {"workers": None, "backend": "loky"}], ids=str
)
def test_R3_a_fault_of_a_bot_costs_its_game_alone(tmp_path, undisturbed, how):
    folder = tmp_path / "tosses"
    shard_games = 1_000 if how.get("workers", 2) is None else 100
    notes = []
    with pytest.raises(
        GamesFailed, match=r"(?s)game 177 of seed 7 \(bias=6\): bot 'still' returned action 7"
    ) as caught:
        play(
            folder, two_cells(faults=(177, 301)), FakeExperiment(shard_games=shard_games), progress=notes.append, **how
        )
    assert caught.value.exit_code == 4
    assert [(f["first"], f["last"]) for f in caught.value.faults] == [(177, 177), (301, 301)]
    assert any(isinstance(note, Note) and "Game 177 of bias=6 is left out" in note.text for note in notes)
    nothing_is_torn(folder)
    results = load(folder)
    assert results.status == "faulty"
    assert "PARTIAL" in results.gap
    assert [cell.games for cell in results.cells] == [400, 398]
    assert results.cells[1].faults == (177, 301)
    whole = two_cells()[1].match().play(7, 0, 400).rows
    kept = results.games.filter(cell=results.cells[1].key)
    assert kept["game"].to_list() == [game for game in range(400) if game not in (177, 301)]
    assert kept["spins"].to_list() == np.delete(whole["spins"], [177, 301]).tolist()
    play(folder, None, FakeExperiment(shard_games=shard_games))  # the bot is mended
    if shard_games == 100:
        assert data_of(folder) == undisturbed


def test_R3_a_bot_that_fails_again_and_again_costs_its_cell_alone(tmp_path):
    folder = tmp_path / "tosses"
    with pytest.raises(GamesFailed, match=r"over 20 games fail, the last so: bot 'still' returned action 7") as caught:
        play(folder, list(reversed(two_cells(faults=tuple(range(150, 300))))))
    results = load(folder)
    assert {cell.label: cell.games for cell in results.cells}["bias=5"] == 400
    assert all(some.explained for some in results.missing)
    assert str(caught.value).count("simlab replay") < 10
    assert not re.search(r"\D\.\.", str(caught.value))


def test_a_bot_that_cheats_costs_its_cell_all_figures(tmp_path, undisturbed):
    folder = tmp_path / "tosses"
    with pytest.raises(GamesFailed, match=r"bot 'still' changed the state \(game 350 of seed 7\)"):
        play(folder, two_cells(cheats=(350,)))
    results = load(folder)
    assert [(cell.label, cell.games) for cell in results.cells] == [("bias=5", 400)]
    assert sum(some.games for some in results.missing) == 400
    with pytest.raises(GamesFailed, match="changed the state"):  # what was set aside does not slip in again
        play(folder, two_cells(cheats=(350,)))
    assert [cell.label for cell in load(folder).cells] == ["bias=5"]
    play(folder)
    assert data_of(folder) == undisturbed


@pytest.mark.parametrize("rows", [True, False], ids=["rows", "counts only"])
def test_games_that_go_on_for_too_long_are_counted_apart(tmp_path, rows):
    experiment = FakeExperiment(row_limit=100_000 if rows else 0, shard_games=100 if rows else 5)
    endless = (3, 4, 250, 399)
    results = play(tmp_path / "t", two_cells(endless=endless), experiment)
    assert not results.partial
    cell = results.cells[1]
    assert (cell.games, cell.cut_off, cell.faults) == (396, endless, ())
    assert sum(cell.wins.values()) == 396
    assert results.cut_off.startswith("4 of 800 games were truncated because they went on for too long. All numbers")
    assert "differ by up to 1 points (bias=6)" in results.cut_off
    assert cell.summary()["cut_off"] == 4
    assert results.cells[0].summary()["cut_off"] == 0
    again = play(tmp_path / "t", two_cells(endless=endless), experiment)
    assert len(again.manifest["runs"]) == 1  # nothing was played: they would go on for too long again
    if rows:
        assert results.games.height == 796


def test_too_many_games_without_an_end_refuse_the_figures_of_their_cell(tmp_path):
    folder = tmp_path / "tosses"
    with pytest.raises(GamesFailed, match=r"21 of 400 games went on for too long and were truncated, over 5%"):
        play(folder, two_cells(endless=tuple(range(0, 400, 19))[:21]), workers=1)
    assert [cell.label for cell in load(folder).cells] == ["bias=5"]
    play(tmp_path / "fewer", two_cells(endless=tuple(range(0, 400, 20))))  # 20 of 400


def test_a_shard_that_wants_more_memory_than_there_is_is_tried_again_and_given_up_alone(tmp_path, undisturbed):
    with pytest.raises(GamesFailed, match=r"games 200..299 of seed 7 \(bias=6\): there was not enough memory, 3 times"):
        play(tmp_path / "t", two_cells(hungry=(250,)))
    assert [cell.games for cell in load(tmp_path / "t").cells] == [400, 300]
    once = tmp_path / "once"
    once.mkdir()
    play(tmp_path / "u", two_cells(hungry=(250,), once=str(once)))
    assert data_of(tmp_path / "u") == undisturbed


def test_a_fault_is_told_of_the_experiments_own_seed_rather_than_the_fingerprints(tmp_path):
    cells = [replace(two_cells(faults=(5,))[1], seeds=(0, 7))]
    with pytest.raises(GamesFailed) as caught:
        play(tmp_path / "t", cells, workers=1)
    assert [(f["seed"], f["first"]) for f in caught.value.faults] == [(7, 5)]
    assert "fingerprint" not in str(caught.value)


@pytest.mark.parametrize("backend", ["threads", "loky"])
def test_a_fault_of_the_fingerprint_alone_says_so(tmp_path, backend):
    cells = [replace(two_cells(faults=(5,))[1], seeds=(0,))]
    with pytest.raises(GamesFailed, match=r"(?s)fingerprint, which always has seed 0.*returned action 7") as caught:
        play(tmp_path / "t", cells, backend=backend)
    assert [f["seed"] for f in caught.value.faults] == [0]
    assert load(tmp_path / "t").cells[0].games == 400


# --- K4: a disk that fails at the n-th call -----------------------------------


class Broken:
    """Lets the n-th call to the system fail, and counts them."""

    def __init__(self, monkeypatch, n: int, number: int) -> None:
        self.calls, self.n, self.number = 0, n, number
        for name in ("_open", "_write", "_fsync", "replace_file", "make_folder"):
            monkeypatch.setattr(files, name, self.wrapped(getattr(files, name)))

    def wrapped(self, call):
        def wrapper(*arguments):
            self.calls += 1
            if self.calls == self.n:
                raise OSError(self.number, os.strerror(self.number))
            return call(*arguments)

        return wrapper


def break_the_disk(tmp_path: Path, numbers: tuple[int, ...], step: int) -> int:
    """Runs with a fault at call 1, 1 + step, ... until one passes untouched; resumes each. Returns that n."""
    cells, experiment = two_cells(games=40)[:1], FakeExperiment(shard_games=20, games=40)
    play(tmp_path / "whole", cells, experiment, workers=1)
    whole = data_of(tmp_path / "whole")
    for n in range(1, 10_000, step):
        folder = tmp_path / "tosses"
        with pytest.MonkeyPatch.context() as patched:
            broken = Broken(patched, n, numbers[n // step % len(numbers)])
            try:
                play(folder, cells, experiment, workers=1)
            except (RunFailed, InputError) as fault:
                said = str(fault)
            else:
                assert broken.calls < n
                return n
        assert str(folder) in said
        if folder.exists():
            nothing_is_torn(folder)
        play(folder, cells, experiment, workers=1)
        assert data_of(folder) == whole
        shutil.rmtree(folder)
    raise AssertionError("never untouched")


def test_K4_a_disk_that_fails_at_any_call_loses_nothing(tmp_path):
    assert break_the_disk(tmp_path, (errno.ENOSPC, errno.EIO, errno.EACCES), step=3) > 50


@pytest.mark.long
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EACCES])
def test_K4_a_disk_that_fails_at_every_call_loses_nothing(tmp_path, number):
    assert break_the_disk(tmp_path, (number,), step=1) > 50


def test_K4_a_full_disk_in_a_worker_process_is_told_as_such(tmp_path):
    folder = tmp_path / "tosses"
    play(folder, two_cells()[:1])
    cell = load(folder).cells[0]
    shutil.rmtree(folder / "cells" / cell.key)
    (folder / "cells" / cell.key).write_text("a file stands where the folder has to be")
    with pytest.raises(InputError, match=cell.key):
        play(folder, two_cells()[:1], backend="loky")


# --- K5: two runs -------------------------------------------------------------


def test_K5_a_second_run_on_the_folder_is_refused_at_once(tmp_path):
    folder = tmp_path / "tosses"
    with driver(folder, "threads", 2, 0.02) as process:
        wait_for((folder / "running").exists)
        began = time.monotonic()
        with pytest.raises(InputError, match=f"process {process.pid}"):
            play(folder)
        with pytest.raises(InputError, match=f"process {process.pid}"):
            play(folder, force=True)
        assert time.monotonic() - began < 5
        assert process.poll() is None


# --- K6: Ctrl-C ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "number", "times"),
    [
        (("loky", 2), signal.SIGINT, 1),
        (("loky", 2), signal.SIGINT, 50),
        (("loky", "inline"), signal.SIGTERM, 1),
        pytest.param(("threads", 2), signal.SIGTERM, 50, marks=pytest.mark.long),
        pytest.param(("loky", "inline"), signal.SIGHUP, 50, marks=pytest.mark.long),
    ],
    ids=str,
)
def test_K6_a_run_that_is_stopped_keeps_what_is_done_and_says_how_to_go_on(tmp_path, words, number, times):
    """A game that never ends holds the run until the signal comes, however slow the machine is."""
    folder = tmp_path / "tosses"
    with driver(folder, *words, 0, "", 399) as process:
        if words[1] == "inline":
            wait_for(lambda: any(found.game == 399 for found in watchdog.progress_files(store.Folder(folder))))
        else:
            wait_for(lambda: shards_in(folder) >= 1)
        for _ in range(times):
            if number == signal.SIGINT:
                os.killpg(process.pid, number)  # as a terminal does: to the workers too
            else:
                process.send_signal(number)
            time.sleep(0.01)
        said = process.communicate(timeout=120)[1]
    assert process.returncode == 128 + number
    assert "Continue with: simlab run tosses.toml" in said
    assert "Traceback" not in said
    nothing_is_torn(folder)
    results = load(folder)
    assert results.status == "interrupted"
    assert results.partial
    assert sum(cell.games for cell in results.cells) < 800
    experiment = FakeExperiment(shard_games=1_000 if words[1] == "inline" else 100)
    play(folder, None, experiment)
    play(tmp_path / "whole", None, experiment)
    assert data_of(folder) == data_of(tmp_path / "whole")


def test_K6_a_signal_that_python_drops_ends_the_run_all_the_same(tmp_path):
    """An exception that strikes while an object is cleared up is printed and lost."""
    from simlab.engine.signals import Signals

    signals = Signals()
    with signals:
        with contextlib.suppress(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(1)
        os.kill(os.getpid(), signal.SIGINT)  # a second one raises nothing
        time.sleep(0.01)
        assert signals.number == signal.SIGTERM
        with pytest.raises(KeyboardInterrupt):
            signals.check()


@pytest.mark.parametrize("when", ["loading", "ending"])
def test_K6_a_signal_before_or_after_the_command_is_no_traceback(when):
    code = {
        "loading": "watch(); os.kill(os.getpid(), signal.SIGINT); time.sleep(60)",
        "ending": "watch(); guarded(lambda: 0); os.kill(os.getpid(), signal.SIGINT); time.sleep(0.01); sys.exit(7)",
    }[when]
    words = [sys.executable, "-c", f"import os, signal, sys, time; from simlab.cli.ending import *; {code}"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == ((130, "simlab: interrupted.\n") if when == "loading" else (7, ""))


def test_K6_ctrl_c_while_compiling_is_no_traceback(tmp_path):
    def stop(event) -> None:
        raise KeyboardInterrupt

    with pytest.raises(Interrupted, match="Continue with") as caught:
        play(tmp_path / "tosses", progress=stop)
    assert caught.value.exit_code == 130


# --- The folder of another run ------------------------------------------------


@pytest.mark.parametrize(
    ("experiment", "rules", "said"),
    [
        (FakeExperiment(name="other"), "1", "its name is tosses, not other"),
        (FakeExperiment(seed=8), "1", "its seed is 7, not 8"),
        (FakeExperiment(), "2", "other rules"),
    ],
    ids=["name", "seed", "rules"],
)
def test_the_folder_of_another_experiment_is_refused(tmp_path, undisturbed, experiment, rules, said):
    folder = tmp_path / "tosses"
    play(folder)
    with pytest.raises(InputError, match=f"{said}.*--out.*--force"):
        play(folder, [replace(cell, rules=rules) for cell in two_cells()], experiment)
    assert data_of(folder) == undisturbed


def test_force_starts_anew_and_keeps_the_old_folder(tmp_path, undisturbed):
    folder = tmp_path / "tosses"
    play(folder)
    notes = []
    play(folder, None, FakeExperiment(seed=8), force=True, progress=notes.append)
    assert any(isinstance(note, Note) and "tosses.1" in note.text for note in notes)
    assert data_of(tmp_path / "tosses.1") == undisturbed
    assert load(folder).seed == 8


def test_a_folder_with_other_things_in_it_is_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work")
    for force in (False, True):
        with pytest.raises(InputError, match="not empty"):
            play(tmp_path, force=force)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": 99, "identity": {}, "runs": []}'])
def test_a_damaged_manifest_is_a_clear_mistake(tmp_path, text):
    folder = tmp_path / "tosses"
    play(folder)
    (folder / "manifest.json").write_text(text)
    with pytest.raises(InputError, match=r"manifest\.json"):
        play(folder)


def test_a_sweep_that_grows_plays_only_what_is_new(tmp_path, undisturbed):
    folder = tmp_path / "tosses"
    play(folder, two_cells()[:1], FakeExperiment(note="one cell"))
    grown = play(folder)
    assert grown.manifest["runs"][-1]["games"] == 400
    assert data_of(folder) == undisturbed
    assert "one cell" in (folder / "experiment.1.toml").read_text()
    assert "one cell" not in (folder / "experiment.toml").read_text()


def test_more_games_use_the_finished_shards(tmp_path, undisturbed):
    folder = tmp_path / "tosses"
    play(folder, [replace(cell, games=250) for cell in two_cells()])
    assert play(folder).manifest["runs"][-1]["games"] == 400  # 100..: the shard of 50 games has another end now
    assert data_of(folder) == undisturbed
    assert len(list((folder / "spare").rglob("*.parquet"))) == 2


def test_fewer_games_set_shards_aside_and_more_fetch_them_back(tmp_path, undisturbed):
    folder = tmp_path / "tosses"
    play(folder)
    fewer = play(folder, [replace(cell, games=100) for cell in two_cells()])
    assert [cell.games for cell in fewer.cells] == [100, 100]
    assert fewer.games.height == 200
    assert shards_in(folder) == 2
    again = play(folder)
    assert len(again.manifest["runs"]) == 1  # nothing was played
    assert data_of(folder) == undisturbed


# --- Stopping when precise enough ---------------------------------------------


def test_stop_plays_until_the_interval_is_narrow_whoever_plays(tmp_path):
    cells = [replace(cell, games=20_000) for cell in two_cells()]
    experiment = FakeExperiment(shard_games=500, games=200, stop=FakeStop(0.02, 20_000))
    results = play(tmp_path / "a", cells, experiment)
    for cell in results.cells:
        low, high = (cell.win_rate("heads")[end] for end in ("low", "high"))
        assert (high - low) / 2 <= 0.02
        assert 2_000 < cell.games < 3_500
        assert cell.games % 200 == 0
    play(tmp_path / "b", cells, experiment, workers=1)
    assert data_of(tmp_path / "b") == data_of(tmp_path / "a")
    again = play(tmp_path / "a", cells, experiment)
    assert len(again.manifest["runs"]) == 1
    assert data_of(tmp_path / "b") == data_of(tmp_path / "a")


def test_stop_ends_at_the_most_games(tmp_path):
    cells = [replace(cell, games=450) for cell in two_cells()]
    results = play(tmp_path / "a", cells, FakeExperiment(games=200, stop=FakeStop(0.001, 450)))
    assert [cell.games for cell in results.cells] == [450, 450]


# --- Large runs ---------------------------------------------------------------


def test_more_games_than_the_row_limit_give_the_same_counts_in_fewer_files(tmp_path, undisturbed):
    whole = play(tmp_path / "whole")
    experiment = FakeExperiment(row_limit=799, shard_games=10)
    counted = play(tmp_path / "counted", None, experiment)
    assert [c.tally.to_dict() for c in counted.cells] == [c.tally.to_dict() for c in whole.cells]
    assert shards_in(tmp_path / "counted") == 4
    sidecar = next((tmp_path / "counted" / "cells").rglob("*.json"))
    sidecar.write_bytes(sidecar.read_bytes().replace(b'"games":200', b'"games":201'))
    assert play(tmp_path / "counted", None, experiment).manifest["runs"][-1]["games"] == 200


def test_work_is_handed_out_as_workers_get_free(tmp_path, monkeypatch):
    """The driver holds a few shards at a time, however many there are."""
    out, most = set(), []
    spec, take = runner._Driver._spec, runner._Driver._take

    def counted_spec(self, purpose, key, shard):
        out.add((key, shard))
        most.append(len(out))
        return spec(self, purpose, key, shard)

    def counted_take(self, report):
        out.discard((report.key, report.shard))
        take(self, report)

    monkeypatch.setattr(runner._Driver, "_spec", counted_spec)
    monkeypatch.setattr(runner._Driver, "_take", counted_take)
    play(tmp_path / "tosses", two_cells(slow=0.0002), FakeExperiment(shard_games=4))
    assert len(most) > 200
    assert max(most) < 20


MEMORY = """
import resource, sys
from tests.runs.fake import FakeCell, FakeExperiment
from simlab.runs.runner import run
games = int(sys.argv[2])
experiment = FakeExperiment(shard_games=5_000, row_limit=0)
run(experiment, sys.argv[1], 1, "threads", cells=[FakeCell(games=games, slice=10_000)])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.long
def test_memory_is_flat_in_the_number_of_games(tmp_path):
    used = []
    for games in (500_000, 8_000_000):
        words = [sys.executable, "-c", MEMORY, str(tmp_path / str(games)), str(games)]
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
        used.append(int(done.stdout))
    assert used[1] < used[0] + 20_000  # kilobytes


# --- What is told and written -------------------------------------------------


def test_progress_counts_up_to_all_games(tmp_path):
    events: list[object] = []
    play(tmp_path / "tosses", two_cells(slow=0.001), progress=events.append)
    told = [event for event in events if isinstance(event, Progress)]
    assert told[-1].done == told[-1].total == 800
    assert told[-1].seconds_left == 0
    assert [event.done for event in told] == sorted(event.done for event in told)
    assert any(0 < event.done < 800 for event in told)
    assert "heads wins" in told[-1].interval
    assert any(isinstance(event, Compiling) for event in events)


def test_the_manifest_says_what_was_played_and_nothing_of_the_person(tmp_path, undisturbed):
    manifest = play(tmp_path / "tosses", command="simlab run tosses.toml").manifest
    assert manifest["status"] == "complete"
    assert set(manifest["versions"]) == {"simlab", "python", "numpy", "numba", "polars"}
    assert manifest["identity"] | {"rules": ""} == {"name": "tosses", "game": "toss", "seed": 7, "rules": ""}
    assert manifest["streams"]["version"]
    assert manifest["runs"][0]["command"] == "simlab run tosses.toml"
    assert manifest["runs"][0]["games"] == 800
    assert manifest["runs"][0]["games_per_second"] > 0
    text = json.dumps(manifest)
    for private in (os.uname().nodename, str(Path.home()), str(tmp_path)):
        assert private not in text


def test_the_fingerprint_is_that_of_the_play(tmp_path):
    prints = {}
    for rules, bias in (("1", 5), ("2", 5), ("1", 6)):
        cell = replace(two_cells()[0], rules=rules, knobs={"bias": bias})
        prints[rules, bias] = play(tmp_path / f"{rules}{bias}", [cell]).manifest["fingerprint"]
    assert prints["1", 5] == prints["2", 5]  # other code, same play
    assert prints["1", 5] != prints["1", 6]
    rows = two_cells()[0].match().play(0, 0, 20).rows  # one in 20 of the 400 games of the cell
    kinds = {"winner": "i1", "ending": "i1", "turns": "<i2", "decisions": "<i4"}
    data = b"".join(np.ascontiguousarray(rows[name].astype(kind)).tobytes() for name, kind in kinds.items())
    assert prints["1", 5] == "20:" + hashlib.sha256(data).hexdigest()[:32]


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"backend": "loki"}, "Did you mean 'loky'"),
        ({"workers": 0}, "use 1 or more"),
        ({"timeout": 0}, "more than 0 seconds"),
        ({"scheduler": "tcp://1.2.3.4:8786"}, "--backend dask"),
    ],
    ids=str,
)
def test_bad_options_are_clear_mistakes(tmp_path, how, said):
    with pytest.raises(InputError, match=said):
        play(tmp_path / "tosses", **how)


def test_rules_that_change_while_they_are_played_end_the_run(tmp_path, monkeypatch):
    """The workers build the match anew, from the files as they are then."""
    from simlab.runs import worker
    from tests.runs.fake import FakeCell, FakeMatch

    monkeypatch.setattr(worker, "_MATCHES", type(worker._MATCHES)())
    monkeypatch.setattr(schedule, "remember", lambda match, key: None)
    built = []

    def match(self):
        built.append(self)
        return FakeMatch(self if len(built) <= 2 else replace(self, rules="edited"))

    monkeypatch.setattr(FakeCell, "match", match)
    with pytest.raises(RunFailed, match="changed while"):
        play(tmp_path / "tosses", workers=1)


# --- Dask ---------------------------------------------------------------------


def test_without_dask_the_mistake_says_what_to_install(tmp_path, monkeypatch):
    from simlab.runs import worker_pool as pool

    def absent(name):
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(pool, "import_module", absent)
    with pytest.raises(InputError, match=r"pip install 'simlab\[dask\]'"):
        play(tmp_path / "tosses", backend="dask")


def test_dask_is_not_loaded_unless_asked_for(tmp_path):
    with driver(tmp_path / "tosses", "threads", 2, 0) as process:
        assert process.wait(60) == 0, process.stderr.read()


@pytest.fixture(scope="module")
def dask_cluster(tmp_path_factory) -> Iterator[tuple[str, list[subprocess.Popen]]]:
    """A scheduler and two workers, processes of their own; its address and the workers."""
    import distributed

    folder = tmp_path_factory.mktemp("dask")
    about = folder / "scheduler.json"
    quiet = {"cwd": ROOT, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    places = ["--scheduler-file", str(about), "--no-dashboard"]
    start = [
        sys.executable,
        "-m",
        "distributed.cli.dask_scheduler",
        *places,
        "--port",
        "0",
        "--host",
        "127.0.0.1",
    ]
    processes = [subprocess.Popen(start, **quiet)]
    try:
        wait_for(about.exists)
        work = [sys.executable, "-m", "distributed.cli.dask_worker", *places, "--nthreads", "1", "--no-nanny"]
        work += ["--local-directory", str(folder)]
        processes += [subprocess.Popen(work, **quiet) for _ in range(2)]
        address = json.loads(about.read_text())["address"]
        with distributed.Client(address, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=60)
        yield address, processes[1:]
    finally:
        for process in processes:
            process.kill()
            process.wait()


@pytest.mark.long
def test_a_dask_worker_killed_in_the_middle_changes_nothing(tmp_path, undisturbed, dask_cluster):
    address, workers = dask_cluster
    folder = tmp_path / "tosses"
    killed = []

    def kill_one(event) -> None:
        busy = [int(f.marks[4]) for f in watchdog.progress_files(store.Folder(folder)) if f.playing]
        for worker in workers:
            if not killed and worker.pid in busy and shards_in(folder) >= 2:
                worker.kill()
                killed.append(worker.pid)

    play(folder, two_cells(slow=0.004), backend="dask", scheduler=address, progress=kill_one)
    assert killed
    assert data_of(folder) == undisturbed
    # One worker is left. It plays, not this process.
    pids = set()

    def look(event) -> None:
        pids.update(int(f.marks[4]) for f in watchdog.progress_files(store.Folder(tmp_path / "again")))

    play(tmp_path / "again", two_cells(slow=0.001), backend="dask", scheduler=address, progress=look)
    assert pids
    assert pids <= {worker.pid for worker in workers} - set(killed)


@pytest.mark.long
def test_dask_on_this_machine_names_a_poisoned_game(tmp_path, poisoned):
    with pytest.raises(GamesFailed, match="game 250"):
        play(tmp_path / "tosses", two_cells(kills=(250,)), backend="dask")
    assert data_of(tmp_path / "tosses") == data_of(poisoned.folder)


@pytest.mark.parametrize("when", ["before the work", "during the work"])
def test_a_cluster_whose_workers_were_all_ended_is_not_called_a_lost_scheduler(monkeypatch, when):
    """As after `kill -9` of the nanny that would have started the worker again; it was waited for without end."""
    from simlab.runs import worker_pool as pool

    def none_came(count: int, timeout: float) -> None:
        if when == "before the work":
            raise TimeoutError("only 0/1 workers arrived")

    waiting = Mock()  # it is never done
    monkeypatch.setattr(pool, "_LOOK", 0.01)
    monkeypatch.setattr(pool, "STARTING", 0.05)
    cluster = pool.Pool("dask", 1, "tcp://10.0.0.5:8786")
    cluster._client = SimpleNamespace(
        wait_for_workers=none_came, nthreads=dict, ncores=dict, submit=lambda *work, **how: waiting, close=lambda: None
    )
    cluster.start(iter(["a piece of work"]))
    fault = cluster.next(30)
    message = str(cluster.lost_scheduler(fault, "simlab run x"))
    assert "has had no worker for 0.05 seconds" in message
    assert "dask worker tcp://10.0.0.5:8786" in message and message.endswith("give the same command: simlab run x")
    cluster.close()


def test_an_address_with_tls_says_what_to_set_up():
    pytest.importorskip("distributed", reason="distributed is not installed: .ci/setup dev")
    from simlab.runs import worker_pool as pool

    with pytest.raises(
        InputError, match=r"asks for TLS, which Dask is not set up for here: set distributed\.comm\.tls"
    ):
        pool.Pool("dask", 1, "tls://127.0.0.1:1").start(())


def test_a_cluster_waits_for_a_worker_that_a_busy_machine_starts_again(monkeypatch):
    """Its own 15 seconds were too short: no worker was left, and the run failed three minutes later."""
    dask, distributed = (
        pytest.importorskip(name, reason=f"{name} is not installed: .ci/setup dev") for name in ("dask", "distributed")
    )
    from simlab.runs import worker_pool as pool

    part = SimpleNamespace(close=lambda: None)
    monkeypatch.setattr(distributed, "LocalCluster", lambda **how: part)
    monkeypatch.setattr(distributed, "Client", lambda *where, **how: part)
    before = dask.config.get("distributed.deploy.lost-worker-timeout")
    cluster = pool.Pool("dask", 2, None)
    cluster._connect()
    assert dask.config.get("distributed.deploy.lost-worker-timeout") == f"{pool.STARTING:g}s"
    cluster.close()
    assert dask.config.get("distributed.deploy.lost-worker-timeout") == before


def test_a_scheduler_that_does_not_answer_is_a_clear_mistake(tmp_path, monkeypatch):
    from simlab.runs import worker_pool as pool

    monkeypatch.setattr(pool, "ANSWER", 0.5)
    with pytest.raises(InputError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:1"):
        play(tmp_path / "tosses", backend="dask", scheduler="tcp://127.0.0.1:1")


# --- A real game --------------------------------------------------------------


def test_simple_siege_gives_the_same_bytes_by_processes_threads_and_after_a_kill(tmp_path):
    from simlab.runs.open_experiment import load_experiment, new_experiment

    bots = {"besieger": ["random", "rusher"], "besieged": ["random"]}
    experiment = new_experiment("simple_siege", bots=bots, games=300, seed=5, name="siege")
    experiment = experiment.replace(shard_games=100)
    first = runner.run(experiment, tmp_path / "threads", backend="threads", workers=2)
    runner.run(experiment, tmp_path / "loky", workers=2)
    assert data_of(tmp_path / "threads") == data_of(tmp_path / "loky")
    for path in sorted((tmp_path / "loky" / "cells").rglob("*.*"))[3:8]:
        path.unlink()
    runner.run(experiment, tmp_path / "loky", backend="threads")
    assert data_of(tmp_path / "threads") == data_of(tmp_path / "loky")
    again = runner.run(load_experiment(tmp_path / "loky" / "experiment.toml"), tmp_path / "loky")
    assert len(again.manifest["runs"]) == 2  # the kept file asks for the same: nothing was played
    assert not (tmp_path / "loky" / "experiment.1.toml").exists()
    assert [cell.games for cell in first.cells] == [300, 300]
    assert first.games.height == 600
    assert first.game.slug == "simple_siege"
    assert first.cells[0].tally.fired.sum() > 0
    summary = first.summary()
    assert set(summary["cells"][0]["win_rate"]) == {"besieger", "besieged"}
    assert summary["cells"][1]["bots"] == {"besieger": "rusher", "besieged": "random"}


def test_nothing_is_printed(tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(builtins, "print", None)
    play(tmp_path / "tosses", backend="loky")
    said = capfd.readouterr()
    assert said.out == ""
    assert said.err == ""


@pytest.mark.parametrize("what", ["*.json", "*.parquet", "folder"])
def test_files_that_vanish_while_a_run_goes_on_fail_it_and_are_played_again(tmp_path, undisturbed, what):
    folder = tmp_path / "tosses"

    def take_away(event: object) -> None:
        if isinstance(event, Progress) and event.done == event.total:
            cell = min((folder / "cells").iterdir())
            if what == "folder":
                shutil.rmtree(cell)
            else:
                min(cell.glob(what)).unlink()

    with pytest.raises(RunFailed, match="vanished during the run"):
        play(folder, progress=take_away)
    assert load(folder).status == "failed"
    assert load(folder).partial
    play(folder)
    assert data_of(folder) == undisturbed
