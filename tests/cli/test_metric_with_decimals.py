"""A metric with decimals holds wherever one of whole numbers does, to the last digit."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import simlab
from simlab.engine.custom_metrics import metric
from simlab.engine.match import Match
from simlab.engine.tally import Tally
from simlab.errors import InputError
from simlab.registry import load_game
from simlab.testing import check_metric
from tests.cli.conftest import Shell

ROOT = Path(__file__).parents[1]
GAME, POINTED = ROOT / "games_of_many" / "harvest", ROOT / "engine" / "pointed.py"
TEXT = f"{GAME}:metric={POINTED}"

FILE = f"""
[experiment]
name = "pointed"
game = "{GAME}"
games = 150
metrics = ["{POINTED}"]
[bots]
"*" = "random"
[contract]
share_mean = {{min = 0.1, max = 0.4}}
breadth_ann_p90 = {{max = 25}}
"""


def rounded(number: float, digits: int) -> float:
    return float(np.floor(number * 10**digits + 0.5) / 10**digits)


def test_rows_hold_the_rounded_value_and_tallies_add_up() -> None:
    game = load_game(TEXT)
    match = Match(game, bots=dict.fromkeys(game.seats, "random"))
    batch = match.play(1, 0, 200)
    scores = batch.rows["score"].astype(float)
    shares = [rounded(one, 3) for one in scores[:, 0] / np.maximum(scores.sum(axis=1), 1)]
    assert batch.rows["share"].tolist() == shares and len(set(shares)) > 20
    assert set(batch.rows["breadth_dan"]) == {-0.5}
    assert len(check_metric(game, games=3)) == 5
    parts = match.play(1, 0, 77).tally + match.play(1, 77, 123).tally
    assert json.dumps(parts.to_dict()) == json.dumps(batch.tally.to_dict())
    back = Tally.from_dict(json.loads(json.dumps(batch.tally.to_dict())), game)
    for name, (values, counts) in batch.tally.metrics.items():
        assert back.metrics[name][0].dtype == values.dtype and (back.metrics[name][0] == values).all()
        assert (back.metrics[name][1] == counts).all()


def test_files_figures_where_contract_report_replay_and_diff(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "pointed.toml"
    file.write_text(FILE)
    done = shell(f"simlab run {file} --quiet --report")
    assert done.status == 0, done.err
    folder = tmp_path / "results" / "pointed"
    results = simlab.load(folder)
    rows = results.games
    told = results.cells[0].summary()["metrics"]
    assert told["share"]["mean"] == pytest.approx(rows["share"].mean(), abs=1e-12)
    assert told["share"]["p50"] == np.quantile(rows["share"], 0.5, method="inverted_cdf")
    assert told["breadth_dan"]["share"]["estimate"] == 0 and told["breadth_ann"]["share"]["estimate"] == 1
    most = max(rows["share"].to_list())
    assert f"{most:.3f}" in done.out and "share of all points" in (folder / "report.html").read_text()
    chosen = shell(f'simlab report {folder} --format csv --where "share > 0.25 and share <= {most}"').out.splitlines()
    assert len(chosen) - 1 == (rows["share"] > 0.25).sum()
    assert float(chosen[1].split(",")[chosen[0].split(",").index("share")]) > 0.25
    replay = shell(f"simlab replay --from {folder} -g 3 --allow {GAME} --allow {POINTED} --brief --quiet")
    assert f"share {rows['share'][3]:.3f}" in replay.out and "The stored row is the same." in replay.out
    assert "and none differs" in shell(f"simlab verify {folder} --allow {GAME} --allow {POINTED} --quiet").out
    moved = shell(f"simlab diff {file} --set head_start=6 --quiet --json").json
    change = next(c for c in moved["together"]["changes"] if c["statistic"] == "share")
    assert change["before"] == pytest.approx(rows["share"].mean()) and change["after"] > change["before"]
    judged = shell(f"simlab check {file} --quiet --json --out judged -n 300").json
    assert {line["statistic"] for line in judged["lines"]} == {"share_mean", "breadth_ann_p90"}
    assert shell(f"simlab check {file} --write-baseline old --quiet -n 60").status == 0
    assert shell(f"simlab check {file} --against old --quiet").out.startswith("identical")


@pytest.mark.parametrize(
    ("declared", "why"),
    [
        ({"decimals": 7}, "decimals = 7 is not allowed: use a whole number in 0..6"),
        ({"decimals": 1.5}, "use a whole number in 0..6"),
        ({"low": 0.5}, "low = 0.5 is not allowed: it is a whole number; a metric with decimals=2 may have others"),
        ({"decimals": 2, "high": float("nan")}, "high = nan is not allowed"),
        ({"decimals": 2, "codes": {0: "none"}}, "a category has codes, and no decimals"),
    ],
)
def test_what_cannot_be_declared_is_named(declared: dict, why: str) -> None:  # type: ignore[type-arg]
    with pytest.raises(ValueError, match=why.replace("(", r"\(")):
        metric("share", name="share", **declared)(lambda state, knobs, cards, row: 0.5)


def test_damaged_values_are_refused() -> None:
    game = load_game(TEXT)
    whole = Tally.empty(game).to_dict()
    with pytest.raises(InputError, match="damaged"):
        Tally.from_dict({**whole, "metrics": {"share": {"value": [float("inf")], "count": [1]}}}, game)
