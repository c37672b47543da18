"""simlab verify and simlab diff at the shell: exit status and what is said."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from .conftest import Shell

FILE = """
[experiment]
game = "simple_siege"
games = 300
seed = 3
[bots]
besieger = "rusher"
besieged = "mason"
"""


def test_results_are_verified_and_a_difference_is_status_5(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(FILE)
    assert shell("simlab run mine.toml -q --out done").status == 0
    assert shell("simlab verify done --sample 10%").out.startswith("identical: 40 of 300 stored games")
    cells = json.loads((tmp_path / "done" / "cells.json").read_text())
    cells["cells"][0]["knobs"]["walls_start"] = 4
    (tmp_path / "done" / "cells.json").write_text(json.dumps(cells))
    done = shell("simlab verify done --sample all --json")
    assert (done.status, done.json["exit_status"], done.json["played"]) == (5, 5, 300)
    assert 0 < done.json["differ"] <= 300
    assert shell(done.json["examples"][0]["replay"] + " --brief").status == 0


def test_a_cell_that_is_gone_is_told_by_report_verify_and_check(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(FILE)
    assert shell("simlab sweep simple_siege --vary walls_start=4..5 -n 100 -q --no-report --out done").status == 0
    cells = json.loads((tmp_path / "done" / "cells.json").read_text())["cells"]
    shutil.rmtree(tmp_path / "done" / "cells" / cells[1]["key"])
    for line in ("simlab report done -q", "simlab verify done -q"):
        done = shell(line)
        assert done.status == 5
        assert done.out.startswith("PARTIAL: 100 of 200 games are not there (")
    assert "PARTIAL: 100 of 200" in (tmp_path / "done" / "report.html").read_text()
    done = shell("simlab verify done -q --json")
    assert (done.status, done.json["partial"], done.json["lost"]) == (5, True, True)
    assert shell("simlab report done -q --json").json["missing"][0]["games"] == 100
    done = shell("simlab check mine.toml --against done -q")
    assert done.status == 2 and "PARTIAL" in done.err
    again = shell("simlab sweep simple_siege --vary walls_start=4..5 -n 100 -q --no-report --out done --json")
    assert (again.status, again.json["partial"]) == (0, False)


@pytest.mark.parametrize("sample", ["0", "150%", "some", "-1%"])
def test_a_sample_that_is_none_is_a_mistake(sample: str, shell: Shell) -> None:
    done = shell(f"simlab verify simple_siege --sample={sample}")
    assert done.status == 2
    assert "--sample" in done.err


def test_diff_at_the_shell(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "base.toml").write_text(FILE)
    (tmp_path / "tweak.toml").write_text(FILE + "[knobs]\nwalls_start = 6\n")
    done = shell("simlab diff base.toml tweak.toml")
    assert done.status == 0
    assert "Change: walls_start 5 → 6. 300 games on each side" in done.out
    beside = next(line for line in done.out.splitlines() if "--beside" in line)
    shown = shell(beside[beside.index("simlab replay") :].strip())
    assert shown.status == 0
    assert "compared with walls_start=6" in shown.out and "*" in shown.out
    same = shell("simlab diff base.toml --set walls_start=6 --json")
    assert same.json["together"] == shell("simlab diff base.toml tweak.toml --json").json["together"]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("simlab diff base.toml", "name a second experiment"),
        ("simlab diff base.toml base.toml --set walls_start=6", "are ambiguous"),
        ("simlab replay simple_siege --beside wals_start=6", "Did you mean 'walls_start'"),
    ],
)
def test_mistakes_are_told(line: str, says: str, shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "base.toml").write_text(FILE)
    done = shell(line)
    assert (done.status, says in done.err) == (2, True), done.err
