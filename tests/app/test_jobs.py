"""Longer work of an app: the commands that a designer would type, with their answers, and an end to them."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from simlab.app.form import FormState
from simlab.app.jobs import Job
from simlab.app.session import Session
from simlab.errors import InputError
from simlab.questions.check.analysis import keep_contract
from simlab.runs.open_experiment import load_experiment


def finished(job: Job) -> Job:
    until = time.monotonic() + 120
    while job.running and time.monotonic() < until:
        time.sleep(0.02)
    assert not job.running
    return job


def test_the_contract_is_judged_as_simlab_check_does(tmp_path: Path) -> None:
    form = FormState("simple_siege", tmp_path / "files")
    form.put_number("games", 1_000)
    form.put_knob("walls_start", 6)
    session = Session(form, tmp_path / "files", tmp_path)
    try:
        with pytest.raises(InputError, match="no contract"):
            session.start("check")
        form.put_contract("besieger_win = { min = 0.95 }\nturns_p50 = { min = 2 }")
        session.start("check")
        assert session.job is not None
        with pytest.raises(InputError, match="already running"):
            session.start("report")
        verdict = finished(session.job).verdict
        assert not session.job.fault and session.job.status == 1
        same = keep_contract(load_experiment(form.save(tmp_path)), tmp_path / "again", backend="threads")
        assert verdict["lines"] == same.to_json()["lines"]
        assert verdict["verdict"] == "broken" and verdict["games"] == same.games
    finally:
        session.close()


def test_a_job_can_be_stopped_and_says_what_went_wrong(tmp_path: Path) -> None:
    job = Job("report", ["run", "nothing.toml"], tmp_path)
    assert "there is no such file" in finished(job).fault
    job = Job("report", ["run", "simple_siege_balance", "-n", "1M", "--out", str(tmp_path / "out")], tmp_path)
    job.stop()
    assert finished(job).fault == "Stopped."
