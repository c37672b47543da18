"""Runs the tests of the rules as plain Python, in a process of their own: compiling for them would take minutes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from simlab import compiler

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
#: Modules that call `plain_only`.
MODULES = sorted(path.name for path in HERE.glob("test_*.py") if "\nplain_only()\n" in path.read_text("utf-8"))


def run_as_plain_python(*names: str) -> str:
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *(str(HERE / name) for name in names)],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": path},
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, f"{run.stdout}\n{run.stderr}"
    return run.stdout


def test_the_rules_hold() -> None:
    if not compiler.compiling():
        pytest.skip("the modules run by themselves")
    printed = run_as_plain_python(*MODULES)
    assert "passed" in printed and "skipped" not in printed


def test_single_answers_of_the_bots_are_sensible() -> None:
    """Those tests of test_bots.py that are left out where games are compiled."""
    if not compiler.compiling():
        pytest.skip("the module runs by itself")
    single = (HERE / "test_bots.py").read_text("utf-8").count("\n@plain\n")
    passed = re.search(r"(\d+) passed", run_as_plain_python("test_bots.py"))
    assert passed and int(passed[1]) > single > 5


def test_there_are_modules_of_rules() -> None:
    assert len(MODULES) >= 8
