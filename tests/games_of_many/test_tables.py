"""A run in which the number of players varies: each table counts its own seats, and only those."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from simlab.errors import InputError
from simlab.present.estimate import Estimate
from simlab.present.terminal import renderables
from simlab.questions.player_counts import analysis as players
from simlab.questions.player_counts.analysis import PlayerCount
from simlab.questions.player_counts.words import blocks
from simlab.questions.run_results.analysis import of
from simlab.report import html
from simlab.runs.cells import cells
from simlab.runs.open_experiment import load_experiment, new_experiment
from simlab.runs.results import Results, load
from simlab.runs.view import View
from tests.cli.forms import hold_to_form
from tests.printed import to_text

HERE = Path(__file__).parent
HARVEST = f"{HERE}/harvest"

# Plain Python, in a process of its own: nothing is compiled.
SCRIPT = """
import json, sys
from pathlib import Path
import simlab
from simlab.questions.verify.analysis import verify

game, folder = sys.argv[1:]
results = simlab.run(
    game, {"*": "random"}, 40, vary={"players": "3..4", "head_start": [0, 20]}, out=folder, workers=1,
    backend="threads", contract={"ann_win": {"min": 0.0}, "dan_win": {"max": 0.99}},
)
again = verify(results, share=1, allowed=[Path(game)])
base = Path(folder) / "base.toml"
base.write_text(f'[experiment]\\ngame = "{game}"\\ngames = 10\\n[bots]\\n"*" = "random"\\n[vary]\\nplayers = [3, 4]\\n')
found = simlab.diff(base, knobs={"head_start": 20})
print(json.dumps({
    "verify": [str(again)], "cells": [[cell.base, [c.statistic for c in cell.changes]] for cell in found.cells],
    "together": [c.statistic for c in found.together.changes], "diff": str(found),
}))
"""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Results, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("tables") / "run"
    script = SCRIPT
    done = subprocess.run(
        [sys.executable, "-c", script, HARVEST, str(folder)],
        capture_output=True, text=True, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return load(folder), json.loads(done.stdout)


def test_each_table_counts_its_own_seats(played: tuple[Results, dict[str, Any]]) -> None:
    results, _ = played
    assert results.sizes == (3, 4)
    for cell in results.cells:
        seats = ["ann", "bob", "cat", "dan"][: cell.varied["players"]]
        assert list(cell.bots) == seats == [s for s in cell.wins if s not in ("nobody", "shared")]
        assert sum(cell.wins[seat] for seat in seats) >= cell.games  # somebody wins, and wins may be shared
    rates = results.win_rates()
    assert rates.filter(rates["seat"] == "dan")["players"].unique().to_list() == [4]
    assert [len(cell["win_rate"]) for cell in results.summary()["cells"]] == [3, 3, 4, 4]


def test_the_rows_have_nothing_where_no_seat_is(played: tuple[Results, dict[str, Any]]) -> None:
    results, _ = played
    rows = results.games.join(
        results.win_rates().select("cell", "players").unique().cast({"cell": results.games["cell"].dtype}), on="cell"
    )
    for column in ("bot_dan", "score_dan"):
        assert (rows[column].is_null() == (rows["players"] == 3)).all()
    assert "dan" not in rows.filter(rows["players"] == 3)["winner"].cast(str).to_list()
    small = results.table(3)
    assert len(small.games) == 80 and not {"bot_dan", "score_dan"} & set(small.games.columns)
    assert small.scan().collect().equals(small.games.drop("head_start"))  # a column of the varied knob


def test_a_table_is_a_run_of_its_own(played: tuple[Results, dict[str, Any]]) -> None:
    results, _ = played
    view = View(results.table(3))
    assert view.seats == ["ann", "bob", "cat"] and list(view.varied) == ["head_start"] and view.is_grid
    assert view.fair_share == pytest.approx(sum(view.all.wins) / (3 * view.games))
    assert set(results.table(3).experiment["contract"]) == {"ann_win"}
    with pytest.raises(InputError, match=r"look at one, as results.table\(3\)"):
        View(results)
    with pytest.raises(InputError, match=r"no games with 5 players in this run\. Player counts: 3, 4"):
        results.table(5)


def test_an_interval_without_ends_is_null_in_json() -> None:
    line = PlayerCount(
        players=3, games=1, win_rate={"ann": Estimate(1.0, 0.1, 1.0)}, fair_share=1 / 3, verdict="ann wins",
        mean_length=Estimate(5.0, -math.inf, math.inf),
    )  # fmt: skip
    assert json.loads(line.model_dump_json())["mean_length"] == {"estimate": 5.0, "low": None, "high": None}


def test_the_comparison_of_player_counts(played: tuple[Results, dict[str, Any]]) -> None:
    results, _ = played
    hold_to_form(of(results).to_json())
    lines = players.lines(results)
    assert [(line.players, len(line.win_rate)) for line in lines] == [(3, 3), (4, 4)]
    assert all("ann" in line.verdict.lower() and line.fair_share >= 1 / line.players for line in lines)
    path = html.write_report(results)
    small = (path.parent / "report-3-players.html").read_text()
    assert "report-4-players.html" in path.read_text() and "dan wins" not in small
    assert len(results.plot_win_rates().collections) >= 2


def test_partners_have_one_win_rate_at_each_player_count(tmp_path: Path) -> None:
    script = (
        "import sys, simlab\nsimlab.run(sys.argv[1], {'*': 'random'}, 40, vary={'players': '2..3'}, out=sys.argv[2], "
    )
    script += "workers=1, backend='threads')"
    done = subprocess.run(
        [sys.executable, "-c", script, f"{HERE}/dyke", str(tmp_path / "run")],
        capture_output=True, text=True, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    results = load(tmp_path / "run")
    assert [list(line.win_rate) for line in players.lines(results)] == [["village"], ["village"]]
    text = to_text(*renderables(blocks(results)), width=200)
    assert "village holds" in text and "fair share" not in text and "ann" not in text


def test_stored_games_of_every_table_are_verified_and_compared(played: tuple[Results, dict[str, Any]]) -> None:
    _, told = played
    assert told["verify"] == ["identical: 160 of 160 stored games were played again, and none differs."]
    small, large = (set(figures) for _, figures in told["cells"])
    assert "dan_win" in large - small and "ann_win" in set(told["together"])
    assert "dan_win" not in told["together"]
    assert " the ann" not in told["diff"] and " the bob" not in told["diff"]  # seats with names


def test_seats_with_names_have_no_article() -> None:
    from simlab.registry import load_game
    from simlab.runs.store import row_columns

    helps = {column.name: column.help for column in row_columns(load_game(HARVEST))}
    assert (helps["bot_ann"], helps["score_ann"]) == ("bot of ann", "score of ann")


def test_cells_have_the_bots_of_their_seats() -> None:
    bots = {"*": "random", "fay": ["random", "gatherer"]}
    experiment = new_experiment(HARVEST, vary={"players": [4, 6], "head_start": [0, 1]}, bots=bots)
    told = [(len(cell.bots), cell.varied["head_start"], cell.game[-1]) for cell in cells(experiment)]
    assert told == [(4, 0, "4"), (4, 1, "4"), *[(6, n, "6") for n in (0, 1)] * 2]
    assert [len(cell.match().game.seats) for cell in cells(experiment)] == [4, 4, 6, 6, 6, 6]


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"vary": {"players": "2..4"}}, "players = 2 is not allowed: players takes 3..6"),
        ({"vary": {"players": [3, 4]}, "players": 5}, "players is set .* and varied"),
        ({"overrides": {"players": 4}}, "players is not a knob but the player count"),
        ({"vary": {"method": "one_at_a_time", "players": [3, 4]}}, "run each player count separately"),
        ({"players": 7}, "harvest is played by 3 to 6, not by 7"),
    ],
)
def test_what_cannot_be_is_refused(given: dict[str, Any], why: str) -> None:
    with pytest.raises(InputError, match=why):
        new_experiment(HARVEST, fill_seats=True, **given)


def test_a_game_of_a_fixed_size_does_not_vary_it() -> None:
    with pytest.raises(InputError, match="simple_siege has 2 seats, no more and no fewer: players cannot vary"):
        new_experiment("simple_siege", vary={"players": [2, 3]}, fill_seats=True)


def test_games_of_two_sizes_have_no_partners(tmp_path: Path) -> None:
    from simlab.questions.diff.analysis import diff_experiments

    file = tmp_path / "base.toml"
    file.write_text(f'[experiment]\ngame = "{HARVEST}"\n[bots]\n"*" = "random"\n')
    with pytest.raises(InputError, match="have 3 and 4 players"):
        diff_experiments(load_experiment(file, players=3), load_experiment(file))
