"""Runs the tests of the rules as plain Python, in a process of their own: compiling for them would take minutes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from simlab.engine import jit

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
#: Modules that call `plain_only`.
MODULES = sorted(path.name for path in HERE.glob("test_*.py") if "\nplain_only()\n" in path.read_text("utf-8"))


def test_the_rules_hold() -> None:
    if not jit.compiling():
        pytest.skip("the modules run by themselves")
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *(str(HERE / name) for name in MODULES)],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": path},
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, f"{run.stdout}\n{run.stderr}"
    assert "passed" in run.stdout and "skipped" not in run.stdout


def test_there_are_modules_of_rules() -> None:
    assert len(MODULES) >= 8
