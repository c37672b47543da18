"""One file serves every command: what it sets is what they play, and options go before it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from simlab.errors import InputError
from simlab.runs.open_experiment import load_experiment, read_variant

from .conftest import Shell

FILE = """
[experiment]
game = "simple_siege"
games = 30
seed = 9
question = "Do higher walls help?"
hypothesis = "Yes, by ten points <at least>."
notes = "After the playtest."

[bots]
besieger = ["rusher", "stormer"]
besieged = "mason"

[knobs]
repair_cost = 3

[vary]
walls_start = [4, 6]
"""
OPTIONS = "--bot besieger=rusher --bot besieged=mason --set repair_cost=3 --seed 9"


@pytest.fixture(autouse=True)
def file(tmp_path: Path) -> Path:
    path = tmp_path / "higher.toml"
    path.write_text(FILE, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "command",
    [
        "replay {} --game 4 --brief",
        "replay {} --table --game 2 -n 2",
        "info {} rules --counts 20 --json",
        "analyze luck {} -n 20 --json",
    ],
)
def test_a_file_plays_what_the_same_options_play(command: str, shell: Shell) -> None:
    by_file = shell(f"simlab {command.format('higher.toml')}")
    by_options = shell(f"simlab {command.format('simple_siege ' + OPTIONS)}")
    assert by_file.status == by_options.status == 0
    assert by_file.out == by_options.out
    other = shell(f"simlab {command.format('higher.toml')} --set repair_cost=1 --bot besieged=waiter")
    if other.status == 0:
        assert other.out != by_file.out


def test_options_go_before_the_file_seat_by_seat_and_knob_by_knob(file: Path) -> None:
    variant = read_variant(str(file), ["walls_start=7"], None, ["besieged=raider"], None, None, one_bot=False)
    assert variant.ref == "simple_siege" and variant.seed == 9
    assert variant.knobs == {"repair_cost": 3, "walls_start": "7"}
    assert variant.named == {"besieger": ["rusher", "stormer"], "besieged": ["raider"]}
    assert read_variant(str(file), seed=2).seed == 2
    plain = read_variant("simple_siege", ["walls_start=7"])
    assert not plain.file and plain.knobs == {"walls_start": "7"} and plain.named == {}
    with pytest.raises(InputError, match="no such file"):
        read_variant("nowhere.toml")


def test_sweep_and_compare_take_the_file(shell: Shell) -> None:
    swept = shell("simlab sweep higher.toml --json").json
    assert {(cell["knobs"]["walls_start"], cell["bots"]["besieger"]) for cell in swept["cells"]} == {
        (walls, bot) for walls in (4, 6) for bot in ("rusher", "stormer")
    }
    assert all(cell["games"] == 30 and cell["knobs"]["repair_cost"] == 3 for cell in swept["cells"])
    again = shell("simlab sweep higher.toml --vary walls_start=5 --bot besieger=rusher --json").json
    assert [cell["knobs"]["walls_start"] for cell in again["cells"]] == [5]
    compared = shell("simlab compare higher.toml -n 20 --json").json
    assert {cell["bots"]["besieger"] for cell in compared["cells"]} == {"rusher", "stormer"}


def test_what_was_expected_and_noted_stays_with_the_run(shell: Shell, file: Path) -> None:
    assert shell("simlab run higher.toml --report --out results/higher").status == 0
    kept = json.loads(Path("results/higher/resolved.json").read_text(encoding="utf-8"))["experiment"]
    assert kept["hypothesis"] == "Yes, by ten points <at least>." and kept["notes"] == "After the playtest."
    page = Path("results/higher/report.html").read_text(encoding="utf-8")
    assert "Expected beforehand: Yes, by ten points &lt;at least&gt;." in page and "Notes: After the playtest." in page
    again = Path("again.toml")
    again.write_text(load_experiment(file).to_toml(), encoding="utf-8")
    assert load_experiment(again).notes == "After the playtest."


def test_a_difference_in_one_line(shell: Shell) -> None:
    line = shell("simlab diff higher.toml --set repair_cost=1 -n 100 --brief").out
    assert line.count("\n") == 1
    assert line.startswith("repair_cost 3 → 1: ")
    assert re.search(r"besieger_win [+−]?[\d.]+ points \([+−]?[\d.]+ to [+−]?[\d.]+\)", line)
    assert re.search(r"\d+ of 400 games have another winner$", line.strip())
    same = shell("simlab diff higher.toml higher.toml -n 20 --brief").out
    assert "identical, 0 of 80 games differ" in same and same.count("\n") == 1
