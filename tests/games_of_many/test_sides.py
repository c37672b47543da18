"""Games whose seats win together: what a sweep, a comparison of two variants and their sentences say of the sides."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent

# Plain Python, in a process of its own: nothing is compiled.
SCRIPT = """
import json, sys
import simlab
from simlab.questions.headline.analysis import of_run as headline_of
from simlab.questions.fair_settings.analysis import of_run
from simlab.questions.fair_settings.words import curve_sentence
from simlab.runs.goal import goal
from simlab.runs.view import View

game, folder, knob, low, high = sys.argv[1:]
results = simlab.run(
    game, {"*": "random"}, 120, vary={knob: [int(low), int(high)]}, out=folder, workers=1, backend="threads"
)
view = View(results)
wanted = goal(view)
swept = of_run(results)
rows = view.by_game(wanted.payoff).mean(axis=0)
base = f"{folder}.toml"
open(base, "w").write(f'[experiment]\\ngame = "{game}"\\ngames = 60\\n[bots]\\n"*" = "random"\\n')
diff = simlab.diff(base, knobs={knob: int(high)})
print(json.dumps({
    "target": wanted.target, "who": wanted.who, "rows": rows.tolist(),
    "counts": [wanted.rate(cell) for cell in view.cells],
    "sweep": curve_sentence(swept.target, swept.curve), "verdict": headline_of(view).verdict.headline,
    "figures": [change.statistic for change in diff.together.changes], "sentences": str(diff).splitlines(),
    "flips": [[flip.before, flip.after] for flip in diff.together.flips],
}))
"""


def said_of(name: str, knob: str, low: int, high: int, folder: Path) -> dict[str, Any]:
    command = [sys.executable, "-c", SCRIPT, str(HERE / name), str(folder / name), knob, str(low), str(high)]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
    return said


def test_one_against_many_is_swept_by_sides(tmp_path: Path) -> None:
    said = said_of("keep", "host", 1, 6, tmp_path)
    assert said["target"] == 0.5  # two sides, whatever the number of seats
    assert said["counts"] == pytest.approx(said["rows"])
    assert "Fair (50 %) at host = " in said["sweep"]
    assert said["verdict"].startswith("Which side wins most depends on host: of 2 settings the defenders in 1, ")
    sides = {name for flip in said["flips"] for name in flip}
    assert sides <= {"warlord", "defenders", "nobody"}
    assert "defenders_win" in said["figures"] and "draw_rate" not in said["figures"]
    text = " ".join(said["sentences"])
    assert "Warlord's win rate" in text and "defenders' win rate" not in text  # the defenders have the rest


def test_who_all_win_together_have_no_equal_share(tmp_path: Path) -> None:
    said = said_of("dyke", "dyke_start", 0, 8, tmp_path)
    assert said["target"] is None
    assert said["who"] == "village"
    assert said["counts"] == pytest.approx(said["rows"])
    assert said["sweep"].startswith("Even odds (50 %) at dyke_start = ")  # and its interval
    assert re.search(r"dyke_start = [\d.]+ \([\d.]+ to [\d.]+\)", said["sweep"])
    assert "favoured" not in said["verdict"]
    assert " ".join(said["sentences"]).count("The village's win rate") == 1
    assert {name for flip in said["flips"] for name in flip} <= {"village", "nobody"}
