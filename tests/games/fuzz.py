"""Starts a game's fuzz_games.py in a process of its own: a compiler checks indices only when told before it begins."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

#: Every read and write of an array in compiled code is checked.
CHECKED = {"NUMBA_BOUNDSCHECK": "1"}
#: As plain Python, where a wrong index raises, and nothing has to be compiled.
PLAIN = {"NUMBA_DISABLE_JIT": "1"}


def fuzz(game: str, examples: int, environment: dict[str, str], passed: int = 1) -> None:
    """Plays that many games under random rules; `passed` tests of fuzz_games.py have to pass."""
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    file = ROOT / "tests" / "games" / game / "fuzz_games.py"
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", str(file)],
        env=os.environ | environment | {"PYTHONPATH": path, "SIMLAB_FUZZ_EXAMPLES": str(examples)},
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, f"{run.stdout}\n{run.stderr}"
    assert f"{passed} passed" in run.stdout
