"""Progress on standard error: the pace of a plain count of games, and the last word of a run."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from simlab.cli import terminal
from simlab.runs import events, runner
from simlab.runs.events import Progress
from simlab.runs.journal import Journal

from .conftest import Shell


def test_a_count_says_no_pace_before_it_knows_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = iter([100.0, 100.0, 102.0, 102.0])
    with terminal.Progress(quiet=False) as progress:
        monkeypatch.setattr(terminal, "time", SimpleNamespace(monotonic=lambda: next(clock)))
        monkeypatch.setattr(events, "time", terminal.time)
        progress.every = 0.0
        progress.counting(10, 30, "watched")
        progress.counting(20, 30, "watched")
    said = capsys.readouterr().err.splitlines()
    assert said == ["10 of 30 games; watched", "20 of 30 games, 5 per second, 0:02 left; watched"]


def test_the_last_word_of_a_run_waits_for_the_interval(tmp_path: Path) -> None:
    events: list[Progress] = []
    schedule = SimpleNamespace(done=0, planned=300, by_key={"a": None})
    journal = Journal(cast("Any", schedule), cast("Any", tmp_path), cast("Any", events.append), "")
    journal.progress(300)  # played, and the shard not yet counted
    assert events == []
    journal._precision = lambda run: "besieger wins 40.0 to 50.0 %"  # type: ignore[method-assign]
    schedule.done = 300
    journal.count("a", 300)
    assert [(one.done, one.interval) for one in events] == [(300, "besieger wins 40.0 to 50.0 %")]


def test_many_cells_are_announced_before_they_are_prepared(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    line = "simlab sweep simple_siege --vary walls_start=4..5 --bot besieger=random -n 2"
    assert "preparing" not in shell(line).err
    monkeypatch.setattr(runner, "_MANY", 1)
    assert shell(line).err.splitlines()[0] == "preparing 2 cells"
