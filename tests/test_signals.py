"""The signals that tests send arrive, however the tests were started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

REPORT = "import signal; print(*(signal.getsignal(n) is not signal.SIG_IGN for n in (signal.SIGINT, signal.SIGHUP)))"


def test_processes_that_tests_start_ignore_no_signal() -> None:
    done = subprocess.run([sys.executable, "-c", REPORT], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True"]


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="no hang-up here")
def test_neither_do_they_under_nohup_nor_in_the_background() -> None:
    """As `nohup make test &` starts them, which the tests themselves survive."""
    ignoring = (
        "import os, signal, sys; [signal.signal(n, signal.SIG_IGN) for n in (signal.SIGINT, signal.SIGHUP)]; "
        "os.execv(sys.executable, [sys.executable, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', sys.argv[1]])"
    )
    one = f"{__file__}::{test_processes_that_tests_start_ignore_no_signal.__name__}"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    done = subprocess.run(
        [sys.executable, "-c", ignoring, one], capture_output=True, text=True, env=environment,
        cwd=Path(__file__).parents[1], check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout
