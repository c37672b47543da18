"""What a small run imports: a library that it does not need costs more than the games."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

LOOK = """
import sys
sys.argv = "simlab sweep simple_siege -n 300 --quiet --out look".split()
from simlab.__main__ import main
try:
    main()
finally:
    heavy = {"pandas", "matplotlib", "scipy.special", "scipy.stats", "SALib"} & sys.modules.keys()
    print("heavy:", *sorted(heavy))
"""


def test_a_quick_look_imports_nothing_heavy_that_it_does_not_need(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", LOOK], capture_output=True, text=True, check=False, env=environment, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "besieger wins" in done.stdout and done.stdout.splitlines()[-1] == "heavy:"
