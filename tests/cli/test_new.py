"""simlab new: what it writes works as it is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from simlab.bot_registry import find_bots
from simlab.registry import load_game
from simlab.testing import check_game
from tests.box import SMALL

from .conftest import Shell


def test_new_game_passes_the_conformance_kit_and_its_own_tests(shell: Shell, tmp_path: Path) -> None:
    done = shell("simlab new game 'Dragon Hoard' --kernels")
    assert done.status == 0
    assert "simlab dev check-game ./dragon_hoard" in done.out
    assert not list(tmp_path.rglob("*.txt"))
    for path in (tmp_path / "dragon_hoard").iterdir():
        assert "$" not in path.read_text(), path.name
    assert shell("simlab dev check-game ./dragon_hoard").status == 0
    tests = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "dragon_hoard"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert tests.returncode == 0, tests.stdout


@pytest.mark.sample("harbour")
@pytest.mark.parametrize("slug", SMALL)
def test_a_copy_of_each_small_game_plays_and_keeps_the_contract(shell: Shell, tmp_path: Path, slug: str) -> None:
    assert shell(f"simlab new game my_{slug} --like {slug}").status == 0
    game = load_game(str(tmp_path / f"my_{slug}.py"))
    assert (game.slug, game.small) == (f"my_{slug}", False)
    short = {"hand_size": 2, "deals": 1} if slug == "tricks" else {}
    assert check_game(game, games=1, knobs=short)


def test_a_copy_overwrites_no_table_of_yours(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "buildings.csv").write_text("name,cost\nmine,1\n")
    said = shell("simlab new game my_port --like harbour")
    assert said.status == 2 and "exists already" in said.err
    assert (tmp_path / "buildings.csv").read_text() == "name,cost\nmine,1\n" and not (tmp_path / "my_port.py").exists()
    assert shell("simlab new game my_port --like harbour --into other").status == 0


def test_run_and_check_take_the_file_of_a_game(shell: Shell, tmp_path: Path) -> None:
    assert shell("simlab new game my_pig --like pig").status == 0
    ran = shell("simlab run ./my_pig.py -n 40 --bot first=hold_at")
    assert ran.status == 0 and "hold_at v random" in ran.out
    assert "[contract]" in shell("simlab check ./my_pig.py -n 40").err
    assert "there is no such file" in shell("simlab run ./my_cow.py").err


def test_a_copy_of_a_class_is_one_file_with_its_tables(shell: Shell, tmp_path: Path) -> None:
    assert shell("simlab new game my_port --like harbour").status == 0
    assert {path.name for path in tmp_path.iterdir()} == {"my_port.py", "buildings.csv"}
    game = load_game(str(tmp_path / "my_port.py"))
    assert (game.slug, game.small) == ("my_port", False)
    assert {"builder", "random", "saver"} <= set(find_bots(game))


def test_a_new_game_is_a_class_that_keeps_the_contract(shell: Shell, tmp_path: Path) -> None:
    assert "simlab sweep ./dragon_hoard.py" in shell("simlab new game 'Dragon Hoard'").out
    done = shell("simlab dev check-game ./dragon_hoard.py")
    assert done.status == 0 and "the same in plain Python" in done.out
    assert "exists already" in shell("simlab new game dragon_hoard").err


def test_a_game_to_begin_with_is_one_of_the_small_ones(shell: Shell) -> None:
    for like, why in (
        ("pgi", "Did you mean 'pig'?"),
        ("go", "Known: caravan, connect_four, fens, harbour, kuhn_poker, pig, relics, tricks."),
    ):
        assert why in shell(f"simlab new game mine --like {like}").err
    assert "montsegur is too large" in shell("simlab new game mine --like montsegur").err


def test_new_game_can_be_played_in_every_way(shell: Shell) -> None:
    assert shell("simlab new game hoard --kernels").status == 0
    swept = shell("simlab sweep ./hoard --bot first=hold_at --bot second=hold_at,racer --vary goal=20,30 -n 200 --json")
    assert swept.status == 0
    assert len(swept.json["cells"]) == 4
    assert swept.json["cells"][0]["metrics"]["score_first"]["mean"] > 10
    assert swept.json["folder"] == "results/hoard_goal"
    assert "R-2.2" in shell("simlab info ./hoard rules --counts 50").out
    assert "head_start" in shell("simlab info ./hoard knobs").out
    assert "racer" in shell("simlab info ./hoard bots").out
    replay = shell("simlab replay ./hoard --bot first=hold_at --seed 4 --game 2")
    assert "first: hold" in replay.out
    assert shell("simlab play ./hoard --as first", "1\n2\n" * 300).out.count("The end:") == 1
    assert shell("simlab dev check-bot ./hoard racer:behind=20 -n 5").status == 0


def test_a_copy_of_a_game_in_another_folder_plays(shell: Shell, tmp_path: Path) -> None:
    assert shell("simlab new game hoard --into one --kernels").status == 0
    assert shell("simlab dev check-game ./one/hoard -n 5").status == 0
    (tmp_path / "one").rename(tmp_path / "two")
    done = subprocess.run(  # a fresh process: it knows the kept code, but not the module that it was compiled from
        [sys.executable, "-m", "simlab", "dev", "check-game", "./two/hoard", "-n", "5"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_the_first_bot_of_a_person_works(shell: Shell) -> None:
    done = shell("simlab new bot patient_miner")
    assert done.status == 0
    line = next(line.strip() for line in done.out.splitlines() if "sweep" in line)
    assert shell("simlab dev check-bot simple_siege ./patient_miner.py:patient_miner -n 5").status == 0
    assert shell(line.replace("10_000", "100")).status == 0


def test_new_overwrites_nothing(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "hoard").mkdir()
    (tmp_path / "miner.py").write_text("mine")
    done = shell("simlab new game hoard --kernels")
    assert done.status == 2
    assert "exists already" in done.err
    assert not list((tmp_path / "hoard").iterdir())
    assert shell("simlab new bot miner").status == 2
    assert (tmp_path / "miner.py").read_text() == "mine"
    assert shell("simlab new game hoard --into elsewhere --kernels").status == 0
    assert (tmp_path / "elsewhere" / "hoard" / "ledger.toml").exists()
