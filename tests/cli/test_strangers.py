"""Folders of results from strangers: what they name by a path runs only when the user names it too."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path
from typing import Any

import pytest

from simlab.errors import InputError
from simlab.game import read_plain_file, read_toml
from simlab.registry import load_game
from simlab.runs.open_experiment import load_experiment
from simlab.runs.results import load
from simlab.runs.scenario import load_scenario, ready_scenarios
from simlab.spec.draft import ready_experiments

from .conftest import Shell

EVIL = 'from pathlib import Path\nPath(__file__).with_name("ran").touch()\n'
OWN = """
from pathlib import Path
from simlab import policy
Path(__file__).with_name("ran").touch()

@policy("simple_siege", seats=("besieger",))
def first(state, knobs, cards, traits):
    "Takes the first action."
    return state.legal[0]
"""


@pytest.fixture
def results(shell: Shell, tmp_path: Path) -> Path:
    """A folder of results, where a test may change what it likes."""
    assert shell("simlab run simple_siege_best_play -n 40 -q --no-report --out done").status == 0
    return tmp_path / "done"


def change(file: Path, **values: Any) -> None:
    data = json.loads(file.read_text())
    if file.name == "cells.json":
        data["cells"][0] |= values
    else:
        data |= values
    file.write_text(json.dumps(data))


@pytest.mark.parametrize("text", ["x:/evil.py:b", "{}:b", " {} :b", "./evil.py", "evil.py", "C:\\evil.py:b", "{}: b"])
def test_a_bot_that_the_folder_names_by_a_path_is_not_run(text: str, results: Path, shell: Shell) -> None:
    evil = results.parent / "evil.py"
    for path in (evil, results.parent / "x:" / "evil.py"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(EVIL)
    text = text.replace("{}", str(evil))
    cell = json.loads((results / "cells.json").read_text())["cells"][0]
    change(results / "cells.json", bots=cell["bots"] | {"besieger": text})
    for line in ("simlab verify done", "simlab replay --from done", "simlab report done"):
        done = shell(line)
        assert "Traceback" not in done.err
        if "report" not in line:
            assert done.status == 2, done.err
    change(results / "resolved.json", files={"bots": {"besieger": {text: f"{evil}:b", "random": f"{evil}:b"}}})
    assert shell("simlab verify done").status == 2
    assert not list(results.parent.rglob("ran"))


def test_a_game_that_the_folder_names_by_a_path_is_not_run(results: Path, shell: Shell) -> None:
    folder = results.parent / "evil"
    folder.mkdir()
    (folder / "__init__.py").write_text(EVIL)
    change(results / "resolved.json", files={"game": str(folder)})
    done = shell("simlab verify done")
    assert done.status == 2
    assert f"--allow {folder}" in done.err
    assert load(results).game.slug == "simple_siege"
    for files in ([], {"bots": 3}, {"bots": {"besieger": []}}, {"cards": [1]}, 7):
        change(results / "resolved.json", files=files)
        assert shell("simlab verify done").status in (0, 2)
    assert not (folder / "ran").exists()


def test_a_folder_with_a_games_name_does_not_stand_in_for_it(results: Path, shell: Shell) -> None:
    folder = results.parent / "simple_siege"
    folder.mkdir()
    (folder / "__init__.py").write_text(EVIL)
    (folder / "manifest.json").write_text("{}")
    own = Path(load_game("simple_siege").folder)
    assert load(results).game.folder == own
    for line in ("simlab verify done", "simlab replay --from done --cell {} --brief", "simlab info simple_siege knobs"):
        assert shell(line.format(load(results).cells[0].key)).status == 0
    assert not (folder / "ran").exists()
    with pytest.raises(InputError):
        load_game("./simple_siege")
    assert (folder / "ran").exists()


def test_a_file_with_a_ready_name_does_not_stand_in_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    name, scenario = next(iter(ready_experiments())), next(iter(ready_scenarios()))
    for one in (name, scenario):
        Path(one).write_text("")
    assert load_experiment(name).source == ready_experiments()[name]
    assert load_scenario(scenario).path == ready_scenarios()[scenario]


@pytest.mark.parametrize("what", ["zero", "pipe", "folder", "large", "missing"])
def test_a_table_is_a_plain_file_of_bounded_size(what: str, shell: Shell, tmp_path: Path) -> None:
    """A device never ends, and a pipe may never begin."""
    path = tmp_path / "mine.csv"
    if what == "pipe":
        os.mkfifo(path)
    elif what == "folder":
        path.mkdir()
    elif what == "large":
        path.write_bytes(b"a" * 1_000_001)
    text = "/dev/zero" if what == "zero" else str(path)
    with pytest.raises(InputError, match=text):
        read_plain_file(Path(text), 1_000_000, "a table")
    if what != "large":
        with pytest.raises(InputError, match=text):
            read_toml(Path(text))
    for line in ("simlab replay simple_siege", "simlab sweep simple_siege -n 10 --vary walls_start=5"):
        done = shell(f"{line} --cards counters={text}")
        assert done.status == 2
        assert text in done.err


def test_a_report_writes_nothing_through_a_link(results: Path, shell: Shell, tmp_path: Path) -> None:
    target = tmp_path / "elsewhere"
    target.mkdir()
    (results / "figures").symlink_to(target)
    done = shell("simlab report done -q")
    assert done.status == 2 and "link" in done.err
    assert not list(target.iterdir())


def test_code_of_the_users_own_runs_when_it_is_allowed(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(OWN)
    line = (
        "simlab sweep simple_siege --bot besieger=./mine.py:first --vary walls_start=5 -n 40 -q --no-report --out own"
    )
    assert shell(line).status == 0
    (tmp_path / "ran").unlink()
    for line in ("simlab verify own", "simlab replay --from own", "simlab verify own --allow other.py"):
        done = shell(line)
        assert done.status == 2
        assert f"--allow {tmp_path / 'mine.py'}" in done.err
    done = shell("simlab verify own --sample all --allow mine.py")
    assert (done.status, done.out.splitlines()[0]) == (
        0, "identical: 40 of 40 stored games were played again, and none differs.",
    )  # fmt: skip
    assert "The stored row is the same" in shell("simlab replay --from own --game 3 --allow ./mine.py").out


@pytest.mark.parametrize(
    "where",
    [
        "game = (SELECT max(game) FROM read_csv('http://127.0.0.1:1/x'))", "game IN (SELECT 1)", "read_csv('pipe') > 0",
        "game > 0; drop table games", "game > 0 -- all", "game > 0 /* all */", "upper(winner) = 'X'", "exists (game)",
        'game > 0 and "pipe" > 1', "game > $1", "game::text = '1'",
    ],
)  # fmt: skip
def test_a_condition_reads_columns_and_nothing_else(where: str, results: Path, shell: Shell, tmp_path: Path) -> None:
    """A pipe would hang it, and a query could read any file or the network."""
    os.mkfifo(tmp_path / "pipe")
    done = shell(f"simlab report done --format csv --where {shlex.quote(where)}")
    assert done.status == 2 and "Columns: " in done.err, done.err
    assert "Traceback" not in done.err


def test_conditions_over_columns_are_read(results: Path, shell: Shell) -> None:
    whole = len(shell("simlab report done --format csv").out.splitlines()) - 1
    both = [
        len(shell(f"simlab report done --format csv --where {shlex.quote(where)}").out.splitlines()) - 1
        for where in (
            "winner = 'besieger' and (turns >= 1 or not game IN (1, 2.5e0)) and \"turns\" BETWEEN 0 and 999",
            "not (winner = 'besieger') or turns IS NULL or turns % 2 > 5 or abs(-turns) < 0",
        )
    ]
    assert sum(both) == whole
