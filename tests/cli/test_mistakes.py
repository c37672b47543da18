"""A mistake of the user's: exit status 2, a message that says what is wrong and what is allowed."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from simlab.errors import InputError
from simlab.runs import runner

from .conftest import Shell

MISTAKES = [
    # names
    ("simlab info simple_seige rules", ["'simple_seige'", "simple_siege"]),
    ("simlab info ./nowhere rules", ["nowhere", "holds no game"]),
    ("simlab sweep simple_siege --bot besieger=rushr -n 10", ["no bot 'rushr'", "Did you mean 'rusher'?"]),
    ("simlab sweep simple_siege --bot besieger=mason -n 10", ["mason", "plays besieged"]),
    ("simlab sweep simple_siege --bot beseiger=random -n 10", ["beseiger", "Did you mean 'besieger'?"]),
    ("simlab sweep simple_siege --bot besieger=./no_bot.py:mine -n 10", ["no file", "no_bot.py"]),
    (
        "simlab sweep simple_siege --bot besieger=rusher:treshold=0.5 -n 10",
        ["no trait 'treshold'", "threshold"],
    ),
    ("simlab sweep simple_siege --set wall_start=6 -n 10", ["no knob 'wall_start'", "walls_start"]),
    ("simlab sweep simple_siege --vary wall_start=3..7 -n 10", ["no knob 'wall_start'", "walls_start"]),
    ("simlab sweep simple_siege --cards countres=x.csv -n 10", ["no table 'countres'", "counters"]),
    ("simlab run simple_siege_balence -n 10", ["simple_siege_balence", "simple_siege_balance"]),
    ("simlab run simple_seige -n 10", ["Did you mean 'simple_siege'?"]),
    ("simlab run nowhere/experiment.toml", ["nowhere/experiment.toml", "no such file"]),
    ("simlab compare simple_siege --bots rusher,rndom -n 10", ["'rndom'", "random"]),
    ("simlab compare simple_siege --bots rusher -n 10", ["besieged", "none of the bots"]),
    ("simlab play simple_siege --as beseiged", ["has no seat", "besieged"]),
    ("simlab dev check-bot simple_siege rusher --seat besiger", ["has no seat", "besieger"]),
    ("simlab dev check-bot simple_siege nobody", ["no bot 'nobody'"]),
    ("simlab info scheme", ["'scheme'", "schema"]),
    ("simlab dev bench --part lop", ["no part 'lop'", "loop"]),
    ("simlab sweep simple_siege -n 10 --backend dusk", ["unknown backend 'dusk'", "dask"]),
    # values
    ("simlab sweep simple_siege --set walls_start=11 -n 10", ["walls_start = 11", "1..10"]),
    ("simlab sweep simple_siege --set walls_start=high -n 10", ["walls_start = high", "1..10"]),
    ("simlab sweep simple_siege --set walls_start=5.5 -n 10", ["walls_start = 5.5"]),
    ("simlab sweep simple_siege --set walls_start -n 10", ["--set walls_start", "KNOB=VALUE"]),
    ("simlab sweep simple_siege --set walls_start=3 --set walls_start=4 -n 10", ["walls_start"]),
    (
        "simlab sweep simple_siege --set walls_start=7 --set walls_max=6 -n 10",
        ["walls_start = 7", "walls_max = 6"],
    ),
    ("simlab sweep simple_siege --set walls_start=4 --vary walls_start=3..5 -n 10", ["walls_start", "both"]),
    ("simlab sweep simple_siege --vary walls_start=7..3 -n 10", ["7..3", "3..7"]),
    ("simlab sweep simple_siege --vary walls_start=3..99 -n 10", ["99", "1..10"]),
    ("simlab sweep simple_siege --vary walls_start= -n 10", ["walls_start"]),
    ("simlab sweep simple_siege -n 0", ["--games 0", "at least 1"]),
    ("simlab sweep simple_siege -n many", ["--games many", "200k"]),
    ("simlab sweep simple_siege -n 2.5", ["--games 2.5"]),
    ("simlab sweep simple_siege --seed -1 -n 10", ["-1"]),
    ("simlab sweep simple_siege --seed 9223372036854775808 -n 10", ["2^63-1"]),
    ("simlab sweep simple_siege --workers 0 -n 10", ["--workers", "0: write", "at least 1"]),
    ("simlab sweep simple_siege --bot besieger -n 10", ["--bot besieger", "SEAT=BOT"]),
    ("simlab sweep simple_siege --bot besieger=rusher, -n 10", ["SEAT=BOT"]),
    ("simlab sweep simple_siege --bot besieger=rusher:threshold=7 -n 10", ["threshold = 7"]),
    ("simlab sweep simple_siege --bot besieger=rusher:threshold=0:threshold=1 -n 10", ["threshold is given twice"]),
    ("simlab sweep simple_siege --vary walls_start=3..4 --target 45 -n 10", ["--target", "between 0 and 1"]),
    ("simlab sweep simple_siege --ban nothing_such -n 10", ["--ban", "'nothing_such'"]),
    ("simlab sweep simple_siege --metric /dev/null:x -n 10", ["'/dev/null:x'", "./mine.py:longest_lull"]),
    ("simlab diff simple_siege -n 1 --set walls_start=6", ["one game", "two or more"]),
    ("simlab sweep simple_siege --scheduler tcp://x:1 -n 10", ["--backend dask"]),
    ("simlab replay simple_siege --game -3", ["-3"]),
    ("simlab replay simple_siege --bot besieger=rusher,random", ["one bot per seat"]),
    ("simlab plan simple_siege --precision 1 --pilot 5", ["--pilot 5", "Write 100 or more"]),
    ("simlab optimize rules montsegur_fixes -n 1", ["--games", "two games"]),
    ("simlab analyze difficulty pig --knob goal=20..30 --levels 200", ["--levels", "between 0 and 1"]),
    ("simlab app simple_siege --port 0", ["--port", "1..65535"]),
    ("simlab replay simple_siege --choose 1=1 --choose 1=2", ["--choose 1=2", "another action already"]),
    ("simlab replay", ["which game?"]),
    ("simlab replay simple_siege --cell abc", ["--from"]),
    ("simlab replay --from nowhere", ["nowhere", "no such folder"]),
    ("simlab replay simple_siege --from nowhere", ["--from brings"]),
    ("simlab play simple_siege --as besieged --bot besieged=mason", ["your own seat"]),
    ("simlab report nowhere", ["nowhere"]),
    ("simlab check simple_siege_balance", ["no [contract]", "--against"]),
    ("simlab check simple_siege_balance --against nowhere", ["nowhere", "no baseline", "--write-baseline"]),
    ("simlab check simple_siege_balance --against a --write-baseline b", ["one of them"]),
    (f"simlab check simple_siege_balance -n 10 --write-baseline {__file__}", ["--write-baseline", "is a file"]),
    ("simlab check simple_siege_balance --against a -n 10", ["--games and --seed"]),
    ("simlab new game 7", ["'7'", "a letter first"]),
    ("simlab new game class", ["'class'"]),
    ("simlab new game numpy", ["'numpy'", "hide a module", "my_numpy"]),
    ("simlab info schema", ["name of a form", "simlab info schemas"]),
    # the command line itself
    ("simlab rnu simple_siege_balance", ["rnu", "run"]),
    ("simlab run", ["EXPERIMENT", "See: simlab run --help"]),
    ("simlab run x.toml --gams 3", ["--gams"]),
    ("simlab check x.toml --tolerance much", ["--tolerance"]),
]


@pytest.mark.parametrize(("line", "told"), MISTAKES, ids=[line.removeprefix("simlab ") for line, _ in MISTAKES])
def test_mistake(line: str, told: list[str], shell: Shell, tmp_path: Path) -> None:
    done = shell(line)
    assert done.status == 2, done.err
    assert done.err.startswith("simlab: ")
    assert done.out == ""
    for part in told:
        assert part in done.err
    assert "Traceback" not in done.err
    assert list(tmp_path.iterdir()) == [], "a mistake leaves nothing behind"


FILES = {
    "unknown key": ('[experiment]\ngame = "simple_siege"\ngmes = 10\n', ["gmes", "games"]),
    "unknown table": ('[experiment]\ngame = "simple_siege"\n[knob]\nwalls_start = 3\n', ["knob", "knobs"]),
    "no toml": ("[experiment\n", ["is not TOML", "line 1"]),
    "truncated": ('[experiment]\ngame = "simple_siege\n', ["is not TOML"]),
    "not text": ("\xff\xfe", ["experiment.toml"]),
    "empty": ("", ["[experiment] is missing"]),
    "empty sweep": (
        '[experiment]\ngame = "simple_siege"\n[vary]\nwalls_start = []\n',
        ["walls_start = [] is empty"],
    ),
    "no bots": ('[experiment]\ngame = "simple_siege"\n', ["no bot for besieger and besieged"]),
    "circle": ('extends = "experiment.toml"\n', ["forms a cycle", "Remove one"]),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_bad_experiment_file(name: str, shell: Shell, tmp_path: Path) -> None:
    text, told = FILES[name]
    (tmp_path / "experiment.toml").write_bytes(text.encode("latin-1"))
    done = shell("simlab run experiment.toml")
    assert done.status == 2, done.err
    assert "experiment.toml" in done.err
    for part in told:
        assert part in done.err
    assert not (tmp_path / "results").exists()


def test_bad_column_of_a_table(shell: Shell, tmp_path: Path) -> None:
    from simlab.registry import load_game

    shutil.copy(load_game("simple_siege").folder / "counters.csv", tmp_path / "mine.csv")
    text = (tmp_path / "mine.csv").read_text()
    (tmp_path / "mine.csv").write_text(text.replace("modifier", "modifyer", 1))
    done = shell("simlab sweep simple_siege --cards counters=mine.csv -n 10")
    assert done.status == 2
    assert "unknown column 'modifyer'" in done.err
    assert "Did you mean 'modifier'?" in done.err


def test_folder_of_another_experiment(shell: Shell) -> None:
    assert shell("simlab sweep simple_siege -n 20 --out here").status == 0
    done = shell("simlab sweep simple_siege -n 20 --seed 2 --out here")
    assert done.status == 2
    assert "another experiment" in done.err
    assert "--force" in done.err
    done = shell("simlab sweep simple_siege -n 20 --seed 2 --out here --force")
    assert done.status == 0
    assert "here.1" in done.err


def test_folder_that_holds_something_else(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "cat.jpg").touch()
    done = shell("simlab sweep simple_siege -n 20 --out photos")
    assert done.status == 2
    assert [path.name for path in (tmp_path / "photos").iterdir()] == ["cat.jpg"]


@pytest.mark.parametrize(
    "line",
    [
        "replay simple_siege --html mine.toml", "diff simple_siege -n 20 --set walls_start=6 --report mine.toml",
        "analyze time simple_siege -n 20 --out mine.toml", "optimize exact kuhn_poker --out mine.toml",
        "optimize player kuhn_poker --out mine.toml", "analyze bot pig hold_at --save mine.toml",
    ],
)  # fmt: skip
def test_no_output_replaces_a_file_of_another_kind(line: str, shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('[experiment]\ngame = "simple_siege"\n')
    done = shell(f"simlab {line}")
    assert done.status == 2 and "mine.toml" in done.err, done.err
    assert (tmp_path / "mine.toml").read_text() == '[experiment]\ngame = "simple_siege"\n'


def test_a_choice_after_the_end_of_a_game_is_refused(shell: Shell) -> None:
    done = shell("simlab replay simple_siege --brief --choose 9999=1")
    assert done.status == 2 and "--choose 9999=1: the game ends after" in done.err


def test_a_setting_of_a_tuned_bot_may_be_given_again(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "tuned.toml").write_text('bot = "rusher"\n[traits]\nthreshold = 0.25\n')
    assert shell("simlab sweep simple_siege --bot besieger=tuned.toml:threshold=0.5 -n 10").status == 0


# --- What is not the user's mistake ------------------------------------------------


def fail(fault: BaseException) -> Any:
    def run(*words: Any, **names: Any) -> None:
        raise fault

    return run


def test_a_defect_is_told_as_one_and_status_4(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "run", fail(RuntimeError("no such thing")))
    monkeypatch.delenv("SIMLAB_TRACEBACK", raising=False)
    done = shell("simlab sweep simple_siege -n 20")
    assert done.status == 4
    assert "defect of simlab: RuntimeError: no such thing" in done.err
    assert "SIMLAB_TRACEBACK=1" in done.err
    assert "Traceback" not in done.err
    monkeypatch.setenv("SIMLAB_TRACEBACK", "1")
    assert "Traceback" in shell("simlab sweep simple_siege -n 20").err


@pytest.mark.parametrize(
    ("fault", "status"),
    [
        (KeyboardInterrupt(), 130),
        (InputError("no"), 2),
        (runner.Interrupted("stopped"), 130),
        (BrokenPipeError(), 141),
    ],
)
def test_exit_status(fault: BaseException, status: int, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "run", fail(fault))
    monkeypatch.setattr("os.dup2", lambda *words: None)
    assert shell("simlab sweep simple_siege -n 20").status == status


BAD_BOT = '''
from simlab.game import Cards, Knobs, State, Traits, policy

@policy("simple_siege", seats=["besieger"])
def cheat(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Takes an action that is not there."""
    return 99 if state.turn == 3 else state.legal[0]
'''


def test_a_bot_that_cheats_fails_the_run_with_the_command_that_shows_it(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "cheat.py").write_text(BAD_BOT)
    done = shell("simlab sweep simple_siege --bot besieger=./cheat.py:cheat -n 50 --seed 7")
    assert done.status == 4
    for part in ("cheat", "besieger", "action 99", "of seed"):
        assert part in done.err
    assert "Traceback" not in done.err
    replay = next(line for line in done.err.splitlines() if line.startswith("Replay it: "))
    done = shell(replay.removeprefix("Replay it: "))
    assert done.status == 4
    assert "turn 2" in done.out, "the game up to the fault"
    assert "returned action 99, which is not legal" in done.err
    done = shell("simlab dev check-bot simple_siege ./cheat.py:cheat -n 5")
    assert done.status == 1
    assert "action 99" in done.err


def test_a_report_of_results_that_cannot_be_written_beside_says_what_to_do(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert shell("simlab sweep simple_siege -n 20 --out mine").status == 0
    monkeypatch.setattr("simlab.cli.report.os.access", lambda path, mode, **how: mode != os.W_OK)
    done = shell("simlab report mine")
    assert done.status == 2
    assert "mine: no permission to write" in done.err
    assert "simlab report COPY" in done.err
