"""The rules one by one (plain_*.py), in plain Python: a process of their own, in which nothing is compiled."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[2]


def test_each_rule_in_plain_python() -> None:
    files = sorted(HERE.glob("plain_*.py"))
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=short", *map(str, files)],
        env=dict(os.environ, NUMBA_DISABLE_JIT="1", PYTHONPATH=path), cwd=ROOT, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert run.returncode == 0, f"{run.stdout}\n{run.stderr}"
    written = sum(len(re.findall(r"^def test_", file.read_text("utf-8"), re.MULTILINE)) for file in files)
    assert int(re.search(r"(\d+) passed", run.stdout)[1]) >= written  # type: ignore[index]
