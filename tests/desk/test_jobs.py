"""Longer work of a desk: the commands that a designer would type, with their answers, and an end to them."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from simlab.desk.asked import Asked
from simlab.desk.desk import Desk
from simlab.desk.jobs import Job
from simlab.errors import UserMistake
from simlab.experiments.load import load_experiment
from simlab.questions.check.analysis import keep_contract


def finished(job: Job) -> Job:
    until = time.monotonic() + 120
    while job.running and time.monotonic() < until:
        time.sleep(0.02)
    assert not job.running
    return job


def test_the_contract_is_judged_as_simlab_check_does(tmp_path: Path) -> None:
    asked = Asked("simple_siege", tmp_path / "files")
    asked.put_number("games", 1_000)
    asked.put_knob("walls_start", 6)
    desk = Desk(asked, tmp_path / "files", tmp_path)
    try:
        with pytest.raises(UserMistake, match="no contract"):
            desk.start("check")
        asked.put_contract("besieger_win = { min = 0.95 }\nturns_p50 = { min = 2 }")
        desk.start("check")
        assert desk.job is not None
        with pytest.raises(UserMistake, match="under way"):
            desk.start("report")
        verdict = finished(desk.job).verdict
        assert not desk.job.fault and desk.job.status == 1
        same = keep_contract(load_experiment(asked.save(tmp_path)), tmp_path / "again", backend="threads")
        assert verdict["lines"] == same.to_json()["lines"]
        assert verdict["verdict"] == "broken" and verdict["games"] == same.games
    finally:
        desk.close()


def test_a_job_can_be_stopped_and_says_what_went_wrong(tmp_path: Path) -> None:
    job = Job("report", ["run", "nothing.toml"], tmp_path)
    assert "there is no such file" in finished(job).fault
    job = Job("report", ["run", "simple_siege_balance", "-n", "1M", "--out", str(tmp_path / "out")], tmp_path)
    job.stop()
    assert finished(job).fault == "Stopped."
