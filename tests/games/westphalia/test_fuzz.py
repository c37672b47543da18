"""Random rules, tables and bots, as plain Python, where a wrong index raises; thousands with every index checked."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from simlab.engine import jit

pytestmark = pytest.mark.skipif(not jit.compiling(), reason="started once, in processes of their own")

HERE = Path(__file__).parent
ROOT = HERE.parents[2]


def fuzz(examples: int, **environment: str) -> None:
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", str(HERE / "fuzz_games.py")],
        env=os.environ | environment | {"PYTHONPATH": path, "SIMLAB_FUZZ_EXAMPLES": str(examples)},
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, f"{run.stdout}\n{run.stderr}"
    assert "1 passed" in run.stdout


def test_random_games_stay_accounted_for() -> None:
    fuzz(3, NUMBA_DISABLE_JIT="1", SIMLAB_FUZZ_EVERY="16")


@pytest.mark.long
def test_many_random_games_stay_accounted_for() -> None:
    fuzz(1_000, NUMBA_BOUNDSCHECK="1", SIMLAB_FUZZ_EVERY="1")
