"""Random rules, seeds and bots with every array access checked (fuzz_games.py), in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from simlab.engine import jit

pytestmark = pytest.mark.skipif(not jit.compiling(), reason="checks the places that compiled code reads and writes")

HERE = Path(__file__).parent
ROOT = HERE.parents[2]


def fuzz(examples: int) -> None:
    environment = dict(os.environ, NUMBA_BOUNDSCHECK="1", SIMLAB_FUZZ_EXAMPLES=str(examples))
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", str(HERE / "fuzz_games.py")],
        env=environment | {"PYTHONPATH": path}, cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, f"{run.stdout}\n{run.stderr}"
    assert "1 passed" in run.stdout


def test_random_games_stay_accounted_for() -> None:
    fuzz(6)


@pytest.mark.long
def test_many_random_games_stay_accounted_for() -> None:
    fuzz(300)
