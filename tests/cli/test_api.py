"""`import simlab`: the public names, lazily, and what they do."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import simlab
from simlab.errors import InputError


def test_public_names_are_there() -> None:
    for name in simlab.__all__:
        assert getattr(simlab, name) is not None
    assert set(dir(simlab)) == set(simlab.__all__)
    assert set(simlab._HOME) == set(simlab.__all__) - {"__version__", "errors"}
    with pytest.raises(AttributeError, match="no attribute 'rum'"):
        _ = simlab.rum  # type: ignore[attr-defined]


def test_import_does_nothing(tmp_path: Path) -> None:
    heavy = ("numpy", "numba", "typer", "simlab.")
    light = {"simlab.compiler", "simlab.compiler.dependencies"}  # record which files a bot reads
    probe = f"import sys, simlab; print(sum(n.startswith({heavy}) for n in sys.modules if n not in {light}))"
    done = subprocess.run([sys.executable, "-c", probe], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0"]
    assert done.stderr == ""
    assert not list(tmp_path.iterdir())


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_run_and_load(here: Path) -> None:
    results = simlab.run("simple_siege", bots={"besieger": "rusher", "besieged": "mason"}, games=300, seed=1)
    assert results.folder == Path("results/simple_siege")
    assert results.games.height == 300
    again = simlab.load("results/simple_siege")
    assert again.summary() == results.summary()
    assert again.win_rates()["games"].to_list() == [300, 300]


def test_run_takes_knobs_lists_of_bots_and_one_bot_for_all(here: Path) -> None:
    results = simlab.run("simple_siege", "random", 50, knobs={"walls_start": 6}, out="a")
    assert results.cells[0].bots == {"besieger": "random", "besieged": "random"}
    assert results.cells[0].knobs["walls_start"] == 6
    results = simlab.run("simple_siege", {"besieger": ["rusher", "random"]}, 50, vary={"walls_start": [4, 5]}, out="b")
    assert len(results.cells) == 4


def test_run_of_a_file(here: Path) -> None:
    (here / "mine.toml").write_text(
        '[experiment]\ngame = "simple_siege"\ngames = 40\n[bots]\nbesieger = "rusher"\nbesieged = "mason"\n'
    )
    assert simlab.run("mine.toml").cells[0].games == 40
    assert simlab.run("mine.toml", games=60).cells[0].games == 60
    with pytest.raises(simlab.InputError, match="seat: bot"):
        simlab.run("mine.toml", "random")


def test_sweep_and_compare(here: Path) -> None:
    swept = simlab.sweep("simple_siege", {"walls_start": range(4, 7)}, games=50, out="a")
    assert [cell.varied for cell in swept.cells] == [{"walls_start": n} for n in (4, 5, 6)]
    compared = simlab.compare("simple_siege", ["rusher", "mason", "random"], games=50, out="b")
    assert len(compared.cells) == 4
    with pytest.raises(simlab.InputError, match="varies at least one knob"):
        simlab.sweep("simple_siege", {})


def test_mistakes_are_user_mistakes(here: Path) -> None:
    with pytest.raises(simlab.InputError, match="simple_siege"):
        simlab.run("simple_seige")
    with pytest.raises(simlab.errors.SimlabError, match="walls_start"):
        simlab.run("simple_siege", knobs={"wall_start": 3})
    assert list(here.iterdir()) == []


def test_a_plan_says_what_a_run_takes_and_writes_nothing(here: Path) -> None:
    cost = simlab.plan("simple_siege", {"besieger": "rusher"}, games=5_000, vary={"walls_start": [4, 5]})
    assert (cost.cells, cost.games, cost.done) == (2, 10_000, 0)
    assert "10,000 games" in str(cost)
    assert not (here / "results").exists()
    with pytest.raises(InputError, match="no 'backend'"):
        simlab.plan("simple_siege", backend="threads")


def test_a_contract_is_judged_and_a_game_told(here: Path) -> None:
    (here / "fair.toml").write_text(
        '[experiment]\ngame = "simple_siege"\ngames = 2_000\n[bots]\n"*" = "random"\n'
        "[contract]\nturns_mean = {min = 1}\nbesieger_win = {max = 0.0001}\n"
    )
    verdict = simlab.check(here / "fair.toml")
    assert (verdict.exit_status, verdict.verdict) == (1, "broken")
    assert any("wanted at least 1" in line and line.endswith("met.") for line in str(verdict).splitlines())
    printed = list(simlab.replay("simple_siege", "random", seed=1, index=3, brief=True))
    assert printed[0] == "Simple Siege, seed 1, game 3"
    assert any(line.startswith("The end: ") for line in printed)
