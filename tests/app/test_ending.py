"""How an app ends: its address comes first, signals end it in order, and a killed one leaves nothing running."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from simlab.app.server import work_folder
from tests.processes import children, first_match, is_gone, plain_environment

pytest.importorskip("nicegui", reason="nicegui is not installed: .ci/setup dev")
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")

JOB = """
import sys, time
from pathlib import Path
from simlab.app.jobs import Job
job = Job("report", ["run", "simple_siege_balance", "-n", "1M", "--workers", "2", "--out", "out"], Path(sys.argv[1]))
print(job._process.pid, flush=True)
time.sleep(600)
"""


@contextlib.contextmanager
def running(*words: str, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A process whose temporary folders are made in `folder`."""
    process = subprocess.Popen(
        [sys.executable, *words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=plain_environment() | {"TMPDIR": str(folder), "PYTHONPATH": str(Path(__file__).parents[2])},
    )  # fmt: skip
    with process:
        try:
            yield process
        finally:
            process.kill()


def wait_for(what: Callable[[], object], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


@pytest.mark.long
def test_the_address_comes_into_a_pipe_and_a_hang_up_ends_the_desk(tmp_path: Path) -> None:
    with running("-m", "simlab", "app", "simple_siege", "--no-browser", folder=tmp_path) as session:
        first_match(session, r"http://\S+")
        assert list(tmp_path.glob("simlab-session-*"))
        session.send_signal(signal.SIGHUP)
        _, errors = session.communicate(timeout=60)
        assert (session.returncode, errors) == (0, "")
    assert not list(tmp_path.glob("simlab-session-*"))


@pytest.mark.long
def test_a_killed_desk_takes_its_report_along(tmp_path: Path) -> None:
    with running("-c", JOB, str(tmp_path), folder=tmp_path) as session:
        job = int(first_match(session, r"\d+"))
        wait_for(lambda: len(list(children(job))) >= 2, 120)  # its workers
        started = [job, *children(job)]
        session.kill()
        wait_for(lambda: all(is_gone(process) for process in started))


@pytest.mark.long
def test_the_next_desk_removes_the_folder_of_a_killed_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait(60)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    left, used, other = (
        tmp_path / f"simlab-session-{name}" for name in (f"{ended.pid}-a", f"{os.getpid()}-a", "unknown")
    )
    for folder in (left, used, other):
        folder.mkdir()
        (folder / "table.csv").touch()
    with work_folder() as own:
        assert own.parent == tmp_path
        assert [folder.exists() for folder in (left, used, other)] == [False, True, True]
    assert not own.exists()
