"""A second process compiles too: its code is used, and nothing depends on it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import ClassVar

import pytest

from simlab import compiler
from simlab.compiler import parallel
from simlab.engine.entry_points import EntryPoints
from simlab.engine.match import Match
from simlab.engine.setup import compiled_together
from simlab.registry import load_game
from tests.compiler.test_never_stale import GAME
from tests.games_of_many.test_tables import HARVEST

pytestmark = pytest.mark.skipif(not compiler.compiling(), reason="nothing is compiled")

HELPED = """
import os, sys
from simlab.compiler import parallel
from simlab.engine.entry_points import compile_from_the_end
from simlab.engine.match import Match
from simlab.registry import load_game
parallel.WORTH_IT = int(sys.argv[2])
parallel.processors = parallel.free_processors = lambda: 2
started = []
helped = parallel.helped
parallel.helped = lambda *names: started.append(names) or helped(*names)
match = Match(load_game(sys.argv[1]), bots={"one": "random"})
if sys.argv[3] == "other":
    compile_from_the_end([match.compiled], lambda *progress: None)
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


def test_two_threads_that_compile_take_their_locks_in_the_same_order() -> None:
    # A session holds the compiler's lock; a thread that held the other one would wait for it, and be waited for.
    taken: list[bool] = []
    with compiled_together([Match(load_game("simple_siege"), bots={"besieger": "random", "besieged": "random"})]):
        other = threading.Thread(target=lambda: taken.append(EntryPoints._lock.acquire(blocking=False)))
        other.start()
        other.join()
    assert taken == [False]


def test_a_second_process_that_fails_harms_nothing(tmp_path: Path) -> None:
    with parallel.helped("simlab.engine.compile_helper", str(tmp_path / "no game"), "{}"):
        pass


def test_a_second_process_ends_with_what_it_helps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "import pathlib, sys, time; pathlib.Path(sys.argv[3]).touch(); time.sleep(600)"
    monkeypatch.setattr(parallel, "_RUN", code)
    mark = tmp_path / "started"
    began = time.monotonic()
    with parallel.helped("", str(mark)):
        while not mark.exists() and time.monotonic() - began < 60:
            time.sleep(0.01)
    assert mark.exists() and time.monotonic() - began < 120


def test_kinds_of_arguments_follow_from_their_annotations_and_names() -> None:
    def rule(state: State, knobs, count: int) -> int:  # type: ignore[no-untyped-def,name-defined]  # noqa: F821
        return count

    known = {"State": "a state", "knobs": "some knobs", "int": "a number"}
    assert parallel.likely_types(compiler.kernel(rule), known) == ("a state", "some knobs", "a number")
    del known["knobs"]
    assert parallel.likely_types(compiler.kernel(rule), known) is None


def test_the_second_process_begins_with_the_last_call_and_with_what_it_calls() -> None:
    calls = {"play": ["deal", "score"], "deal": ["shuffle"], "score": ["count", "shuffle"], "count": ["score"]}
    assert parallel.from_the_end("play", lambda name: calls.get(name, [])) == [
        "shuffle", "count", "score", "deal", "play",
    ]  # fmt: skip


class Rule:
    """A kernel as the second process sees it, with a shared store and the rules that the first process compiles."""

    stored: ClassVar[list[str]] = []
    elsewhere: ClassVar[set[str]] = set()

    def __init__(self, name: str) -> None:
        self.name = name

    def is_stored(self, kinds: tuple[str, ...]) -> bool:
        return self.name in self.stored

    def is_being_compiled(self, kinds: tuple[str, ...]) -> bool:
        return self.name in self.elsewhere

    def compile(self, kinds: tuple[str, ...]) -> None:
        self.stored.append(self.name)


def test_the_second_process_passes_over_what_the_first_compiles_and_what_calls_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    deal, score, fight, play = map(Rule, ["deal", "score", "fight", "play"])
    calls = {deal: [], score: [], fight: [score], play: [deal, fight]}
    group = {id(rule): parallel.Task(rule, (), tuple((one, ()) for one in called)) for rule, called in calls.items()}
    Rule.stored, Rule.elsewhere = [], {"score"}
    parallel._compile_what_is_free(group, wait=False)
    assert Rule.stored == ["deal"] and list(group) == [id(score), id(fight), id(play)]
    Rule.stored.append("score")  # the first process is done with it
    parallel._compile_what_is_free(group, wait=False)
    assert Rule.stored == ["deal", "score", "fight", "play"] and not group
    group = {id(play): parallel.Task(play, (), ((Rule("never"), ()),))}
    Rule.stored = []
    parallel._compile_what_is_free(group, wait=True)  # a callee whose types are other than they seem
    assert Rule.stored == ["play"] and not group


def test_a_process_has_at_most_one_second_process(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[str] = []
    monkeypatch.setattr(parallel, "start", lambda module, *arguments: started.append(module))
    with parallel.helped("one"), parallel.helped("two"):
        pass
    with parallel.helped("three"):
        pass
    assert started == ["one", "three"]


def test_setups_of_several_player_counts_have_a_second_process_each(tmp_path: Path) -> None:
    """A run of four and of six players: each count is another game, with another record."""
    code = (
        "from simlab.compiler import parallel\n"
        "from simlab.runs.open_experiment import new_experiment\n"
        "from simlab.runs.runner import run\n"
        "parallel.processors = parallel.free_processors = lambda: 2\n"
        "started, helped = [], parallel.helped\n"
        "parallel.helped = lambda *names: started.append(names[1]) or helped(*names)\n"
        f"asked = new_experiment({str(HARVEST)!r}, vary={{'players': [4, 6]}}, bots={{'*': 'random'}}, games=2)\n"
        f"run(asked, {str(tmp_path / 'out')!r}, workers=1, backend='threads')\n"
        "print(*started)\n"
    )
    environment = dict(os.environ, SIMLAB_CACHE=str(tmp_path / "cache"))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    assert [name.rpartition(":")[2] for name in done.stdout.split()] == ["players=4", "players=6"]
