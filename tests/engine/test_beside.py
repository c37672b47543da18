"""A second process compiles beside the first: what it made is taken, and nothing rests on it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from simlab.engine import beside, jit
from tests.engine.test_never_stale import GAME

pytestmark = pytest.mark.skipif(not jit.compiling(), reason="nothing is compiled")

HELPED = """
import os, sys
from simlab.engine import beside
from simlab.engine.match import Match
from simlab.registry import load_game
beside.WORTH_IT = int(sys.argv[2])
beside.processors = lambda: 2
started = []
helped = beside.helped
beside.helped = lambda *names: started.append(names) or helped(*names)
match = Match(load_game(sys.argv[1]), bots={"one": "random"})
if sys.argv[3] == "other":
    match.compile_from_the_end(lambda *progress: None)
names = []
match.compile(lambda what, done, total: names.append(what))
print(int(match.play(1, 0, 1).rows["points"][0]), len(started), *names)
"""


def run(folder: Path, worth_it: int, who: str) -> list[str]:
    command = [sys.executable, "-c", HELPED, str(folder / "coin"), str(worth_it), who]
    environment = dict(os.environ, SIMLAB_CACHE=str(folder / "cache"))
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.fixture
def coin(tmp_path: Path) -> Path:
    (tmp_path / "coin").mkdir()
    for name, text in GAME.items():
        (tmp_path / "coin" / name).write_text(text.lstrip("\n"))
    return tmp_path


def test_what_the_second_process_compiled_the_first_takes(coin: Path) -> None:
    points, started, *names = run(coin, 1, "other")
    assert (points, started) == ("111", "0")  # nothing left that is worth a process
    rules = {"apply_action", "bonus", "initial_state", "legal_actions", "outcome", "track_values"}
    assert "play_games" in names and not rules & set(names)


def test_a_second_process_is_started_where_much_is_to_be_compiled(coin: Path) -> None:
    assert run(coin, 1, "first")[:2] == ["111", "1"]


def test_a_second_process_that_fails_harms_nothing(tmp_path: Path) -> None:
    with beside.helped(str(tmp_path / "no game"), {"one": "random"}):
        pass


def test_a_second_process_ends_with_what_it_helps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside, "_RUN", "import pathlib, sys, time; pathlib.Path(sys.argv[2]).touch(); time.sleep(600)")
    mark = tmp_path / "started"
    began = time.monotonic()
    with beside.helped(str(mark), {}):
        while not mark.exists() and time.monotonic() - began < 60:
            time.sleep(0.01)
    assert mark.exists() and time.monotonic() - began < 120


def test_kinds_of_arguments_follow_from_their_annotations_and_names() -> None:
    def rule(state: State, knobs, count: int) -> int:  # type: ignore[no-untyped-def,name-defined]  # noqa: F821
        return count

    known = {"State": "a state", "knobs": "some knobs", "int": "a number"}
    assert beside.likely_types(jit.kernel(rule), known) == ("a state", "some knobs", "a number")
    del known["knobs"]
    assert beside.likely_types(jit.kernel(rule), known) is None


def test_the_second_process_begins_with_the_last_call_and_with_what_it_calls() -> None:
    calls = {"play": ["deal", "score"], "deal": ["shuffle"], "score": ["count", "shuffle"], "count": ["score"]}
    assert beside.from_the_end("play", lambda name: calls.get(name, [])) == [
        "shuffle", "count", "score", "deal", "play",
    ]  # fmt: skip
