"""Interrupted runs end their workers and print no traceback, also where no program lists processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.processes import children, is_gone

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")


def driver(folder: Path) -> subprocess.Popen[str]:
    """A run by two worker processes, in a process group of its own.

    It finds no program: a slim Debian has no `pgrep`, with which joblib's loky ends workers where psutil is missing.
    """
    return subprocess.Popen(
        [sys.executable, "-m", "tests.runs.driver", str(folder), "loky", "2", "0.02"], cwd=ROOT, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        env=os.environ | {"PATH": str(folder.parent)},
    )  # fmt: skip


def finish(process: subprocess.Popen[str]) -> str:
    """Waits for the end of a process; what it wrote to standard error."""
    try:
        return process.communicate(timeout=60)[1]
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


@pytest.mark.long
@pytest.mark.parametrize("later", [0.0, 0.4], ids=["starting", "importing"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_a_signal_while_workers_start_prints_no_traceback(number: signal.Signals, later: float, tmp_path: Path) -> None:
    """A terminal sends Ctrl-C and the hang-up to the driver and to its workers: the whole process group."""
    process = driver(tmp_path / "tosses")
    end = time.monotonic() + 120
    while len(list(children(process.pid))) < 3:  # two resource trackers, Python's and joblib's, and the first worker
        assert process.poll() is None and time.monotonic() < end
        time.sleep(0.005)
    time.sleep(later)
    started = list(children(process.pid))
    os.killpg(process.pid, number)
    errors = finish(process)
    assert process.returncode == 128 + number
    assert "Traceback" not in errors and "tosses" in errors
    assert len(errors.splitlines()) == 2, errors
    while not all(is_gone(child) for child in started):
        assert time.monotonic() < end
        time.sleep(0.05)


LOST = """
import os, time
from joblib.externals.loky import get_reusable_executor
from simlab.runs.worker_pool import kill_workers
from tests.processes import children, is_gone

work = [get_reusable_executor(max_workers=2).submit(time.sleep, 600) for _ in range(2)]
while len(list(children(os.getpid()))) < 4:
    time.sleep(0.05)
kill_workers()
print([type(each.exception(timeout=60)).__name__ for each in work])
end = time.monotonic() + 30
while (left := sum(not is_gone(child) for child in children(os.getpid()))) > 2 and time.monotonic() < end:
    time.sleep(0.05)  # a process that is killed takes a moment to end
print(left)
"""


@pytest.mark.long
def test_workers_are_killed_by_what_the_system_knows_of_them() -> None:
    """Two workers go; the resource trackers, Python's and joblib's, stay and clean up."""
    done = subprocess.run(
        [sys.executable, "-c", LOST], cwd=ROOT, capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout.split() == ["['TerminatedWorkerError',", "'TerminatedWorkerError']", "2"], done.stdout


def test_a_thread_that_never_ends_does_not_keep_an_interrupted_process() -> None:
    code = (
        "import os, signal, sys, threading, time\n"
        "from simlab.cli import ending\n"
        "def command():\n"
        "    threading.Thread(target=time.sleep, args=(3600,)).start()\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "    time.sleep(3600)\n"
        "ending.watch()\n"
        "sys.exit(ending.guarded(command))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, timeout=60, check=False)
    assert done.returncode == 128 + signal.SIGTERM
