"""A metric of one's own stands wherever the game's own metrics stand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import simlab
from simlab.questions.check.baseline import read_baseline
from tests.cli.conftest import Shell

ROOT = Path(__file__).parents[1]
GAME, MEASURES = ROOT / "games_of_many" / "harvest", ROOT / "engine" / "measures.py"

FILE = """
[experiment]
name = "measured"
game = "{game}"
games = 150
metrics = ["{measures}"]
[bots]
"*" = "random"
[contract]
spread_mean = {{max = 60}}
options_ann_p90 = {{max = 25}}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "measured.toml"
    path.write_text(FILE.format(game=GAME, measures=MEASURES))
    return path


def test_run_report_rows_contract_replay_and_verify(shell: Shell, file: Path, tmp_path: Path) -> None:
    done = shell(f"simlab run {file} --quiet --report")
    assert done.status == 0, done.err
    assert "Your own metrics" in done.out and "spread" in done.out
    assert "contract" in done.out and "mean of spread" in done.out
    folder = tmp_path / "results" / "measured"
    results = simlab.load(folder)
    rows = results.games
    assert {"spread", "turns_seen", "options_ann", "shares_dan"} <= set(rows.columns)
    assert (rows["turns_seen"] == 510).all()
    assert results.cells[0].summary()["metrics"]["spread"]["mean"] == pytest.approx(rows["spread"].mean())
    assert set(results.cells[0].summary()["metrics"]["shares_ann"]["shares"]) == {"no", "yes"}
    page = (folder / "report.html").read_text()
    assert "spread of the scores" in page and "options of all decisions of the seat, ann" in page
    manifest = json.loads((folder / "manifest.json").read_text())
    assert [one["name"] for one in manifest["metrics"]] == ["spread", "turns_seen", "options", "shares"]
    assert manifest["metrics"][2]["columns"] == [f"options_{seat}" for seat in ("ann", "bob", "cat", "dan")]
    refused = shell(f"simlab replay --from {folder} -g 3 --allow {GAME} --brief")
    assert refused.status == 2 and f"--allow {MEASURES}" in refused.err
    replay = shell(f"simlab replay --from {folder} -g 3 --allow {GAME} --allow {MEASURES} --brief --quiet")
    assert f"spread {rows['spread'][3]}" in replay.out and "The stored row is the same." in replay.out
    assert "and none differs" in shell(f"simlab verify {folder} --allow {GAME} --allow {MEASURES} --quiet").out
    again = shell(f"simlab run {folder / 'experiment.toml'} --out {folder} --quiet")  # the file that it keeps
    assert again.status == 0 and "Your own metrics" in again.out


def test_check_baseline_and_diff(shell: Shell, file: Path, tmp_path: Path) -> None:
    checked = shell(f"simlab check {file} --quiet --json --out judged -n 300")
    assert {line["statistic"] for line in checked.json["lines"]} == {"spread_mean", "options_ann_p90"}
    assert shell(f"simlab check {file} --write-baseline old --quiet -n 150").status == 0
    assert "spread" in read_baseline(tmp_path / "old").cells[0].columns
    assert shell(f"simlab check {file} --against old --quiet").out.startswith("identical")
    moved = shell(f"simlab diff {file} --set head_start=6 --quiet --json").json
    assert {change["statistic"] for change in moved["together"]["changes"]} >= {"spread", "options_ann"}


def test_sweep_compare_and_export_take_it_from_the_command_line(shell: Shell, tmp_path: Path) -> None:
    own = f"--metric {MEASURES}:spread"
    swept = shell(f"simlab sweep {GAME} {own} --vary head_start=0,6 -n 100 --quiet --json --out swept")
    means = [cell["metrics"]["spread"]["mean"] for cell in swept.json["cells"]]
    assert len(means) == 2 and means[0] != means[1]
    listed = shell('simlab report swept --format csv --where "spread > 20 and head_start = 6"').out.splitlines()
    columns = listed[0].split(",")
    rows = simlab.load(tmp_path / "swept").games
    second = swept.json["cells"][1]["metrics"]["spread"]
    assert second["mean"] == pytest.approx(rows["spread"][100:].mean())
    assert "spread" in columns and len(listed) - 1 == (rows["spread"][100:] > 20).sum()
    compared = shell(f"simlab compare {GAME} {own} --bots random,gatherer --match-ups 2 -n 20 --quiet --out met")
    assert compared.status == 0, compared.err
    assert "Your own metrics" in compared.out


def test_python_and_workers_give_the_same_rows(tmp_path: Path) -> None:
    text = f"{MEASURES}:spread"
    alone = simlab.run(str(GAME), "random", 60, metrics=[text], out=tmp_path / "one", workers=1)
    columns = ["game", "spread"]
    many = simlab.run(str(GAME), "random", 60, metrics=[text], out=tmp_path / "two", workers=2)
    assert alone.games.select(columns).equals(many.games.select(columns))
    assert simlab.run(str(GAME), "random", 60, out=tmp_path / "bare").cells[0].key != alone.cells[0].key


def test_a_folder_does_not_mix_metrics(shell: Shell, file: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.py"
    text = "import simlab\n@simlab.metric('m')\ndef mine(state, knobs, cards, row):\n    return {}\n"
    own.write_text(text.format(3))
    file.write_text(file.read_text().replace(str(MEASURES), "own.py").partition("[contract]")[0])  # beside the file
    first = shell(f"simlab run {file} --quiet -n 20")
    assert first.status == 0 and "mine" in first.out, first.err
    assert shell(f"simlab run {file} --quiet -n 20 --metric {MEASURES}:spread").status == 0
    folders = {path.name: simlab.load(path).games.columns for path in (tmp_path / "results").iterdir()}
    assert len(folders) == 2 and sorted("spread" in columns for columns in folders.values()) == [False, True]
    assert all("mine" in columns for columns in folders.values())
    assert shell("simlab sweep simple_siege --metric ./none.py:x -n 5").err.startswith("simlab: --metric: metric")


def test_a_scaffold_that_works(shell: Shell) -> None:
    assert shell("simlab new metric 'Longest lull'").status == 0
    assert "longest_lull.py: exists already" in shell("simlab new metric longest_lull").err
