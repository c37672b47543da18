"""`simlab dev bench --against`: a planted slowdown fails, an equal build passes, on a busy machine too."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from simlab.errors import InputError, RunFailed
from simlab.questions.speed import earlier_build
from simlab.questions.speed.earlier_build import (
    LAST,
    REFERENCE,
    Change,
    NothingToCompare,
    SpeedChange,
    Work,
    against,
    ratio_of,
    turns,
)
from tests.cli.forms import hold_to_form

WORK = [Work("game", {"seat": "bot"})]

_MATCH = """
class Match:
    def __init__(self, game, knobs, bots):
        pass

    def play(self, seed, first, count):
        for _ in range(count * {work}):
            pass
"""


def git(root: Path, *words: str) -> str:
    name = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", "-C", str(root), *name, *words], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def commit(root: Path, work: int) -> str:
    """A build whose game takes so much work."""
    (root / "simlab" / "engine").mkdir(parents=True, exist_ok=True)
    for name in ("simlab/__init__.py", "simlab/engine/__init__.py"):
        (root / name).touch()
    (root / "simlab" / "engine" / "match.py").write_text(_MATCH.format(work=work))
    (root / "simlab" / "registry.py").write_text("def load_game(name):\n    return name\n")
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", f"work {work}")
    return git(root, "rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    root.mkdir()
    git(root, "init", "-q")
    commit(root, 10_000)
    return root


@pytest.fixture
def busy() -> Iterator[None]:
    """Other work on the machine."""
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    yield
    for other in others:
        other.kill()
        other.wait()


@pytest.mark.long
@pytest.mark.usefixtures("busy")
def test_a_slowdown_fails_and_an_equal_build_passes_on_a_busy_machine(repository: Path) -> None:
    first = git(repository, "rev-parse", "HEAD")
    commit(repository, 10_000)
    equal = against(repository, first, WORK, turn=0.04)
    assert not equal.slower and only(equal).time_ratio.low < 1.1
    commit(repository, 16_000)
    slow = against(repository, first, WORK, turn=0.04)
    assert slow.slower and only(slow).time_ratio.low > 1.1
    assert only(slow).verdict == "SLOWER by more than 10 %"
    assert "not slower by more than 10 %" in only(equal).verdict or "inconclusive" in only(equal).verdict
    assert git(repository, "worktree", "list").count("\n") == 0  # nothing is left behind
    assert slow.commit == first
    hold_to_form(slow.to_json())


def test_slower_is_said_only_if_new_processes_are_slower_too(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first processes of this build take 1.5 times as long, as if they ran on a slower core all their life."""
    starts: dict[str, int] = {}

    class Unlucky:
        def __init__(self, folder: Path) -> None:
            starts[str(folder)] = starts.get(str(folder), 0) + 1
            slow = folder == repository and (always or starts[str(folder)] <= 2)  # one compiles, one is timed
            self.timed = Timed(1.5e-6 if slow else 1e-6, starts[str(folder)])

        def __enter__(self) -> Timed:
            return self.timed

        def __exit__(self, *_: object) -> None:
            pass

    monkeypatch.setattr(earlier_build, "_process", lambda folder, work: Unlucky(folder))
    first = git(repository, "rev-parse", "HEAD")
    always = False
    assert not against(repository, first, WORK, turn=0.1).slower
    assert starts[str(repository)] == 4
    always = True
    assert against(repository, first, WORK, turn=0.1).slower


def only(answer: SpeedChange) -> Change:
    (change,) = answer.changes
    return change


class Timed:
    """A build whose turns scatter as on a busy machine."""

    def __init__(self, each: float, seed: int) -> None:
        self.each, self.rng = each, np.random.default_rng(seed)

    def __call__(self, first: int, count: int) -> float:
        burst = 1.5 if self.rng.random() < 0.1 else 1.0
        return float(count * self.each * burst * self.rng.lognormal(0, 0.05))


def test_verdicts_over_many_runs() -> None:
    """30 % is found in all of 100 runs, none of 400 equal builds is called slow."""

    def low(times: float, seed: int) -> float:
        return ratio_of(turns(Timed(times * 1e-6, seed), Timed(1e-6, seed + 10_000), 17, 0.1)[0])[1]

    assert sum(low(1.3, seed) > 1.1 for seed in range(100)) >= 99
    assert sum(low(1.0, seed) > 1.1 for seed in range(400)) == 0
    assert sum(low(1.1, seed) > 1.1 for seed in range(400)) <= 400 * 0.025 + 10  # right at the limit: 2.5 % at most


def test_builds_take_turns_and_change_who_begins() -> None:
    asked: list[str] = []

    class Noted(Timed):
        def __call__(self, first: int, count: int) -> float:
            asked.append(f"{self.each:g} {first}")
            return count * 1e-6

    _, count = turns(Noted(1, 0), Noted(2, 0), 4, 1e-4)
    played = [line.split()[0] for line in asked[-8:]]
    assert played == ["2", "1", "1", "2"] * 2 or played == ["1", "2", "2", "1"] * 2
    assert [int(line.split()[1]) // count for line in asked[-8:]] == [0, 0, 1, 1, 2, 2, 3, 3]


def test_the_last_tag_is_compared_with_and_without_one_the_stated_commit(repository: Path) -> None:
    first = git(repository, "rev-parse", "HEAD")
    with pytest.raises(NothingToCompare, match="there is no tag"):
        earlier_build._commit(repository, LAST)
    (repository / ".ci").mkdir()
    (repository / REFERENCE).write_text(f"# a comment\n{first}\n")
    assert earlier_build._commit(repository, LAST) == (first[:12], first)
    (repository / REFERENCE).write_text("0123456789012345678901234567890123456789\n")
    with pytest.raises(NothingToCompare, match=r"commit 012345678901 of \.ci/speed-reference is not here"):
        earlier_build._commit(repository, LAST)
    git(repository, "tag", "v1")
    second = commit(repository, 2)
    assert earlier_build._commit(repository, LAST) == ("v1", first)
    git(repository, "tag", "v2")
    assert earlier_build._commit(repository, LAST) == ("v1", first)  # a release: against the one before
    commit(repository, 3)
    assert earlier_build._commit(repository, LAST) == ("v2", second)


def test_a_shallow_clone_has_nothing_to_compare_with(repository: Path, tmp_path: Path) -> None:
    commit(repository, 2)
    git(repository, "tag", "v1", "HEAD^")
    git(tmp_path, "clone", "-q", "--depth", "1", repository.as_uri(), "shallow")
    with pytest.raises(NothingToCompare, match="shallow clone"):
        earlier_build._commit(tmp_path / "shallow", LAST)


def test_what_cannot_be_compared_says_so(repository: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such commit, tag or branch"):
        against(repository, "v9", WORK)
    with pytest.raises(InputError, match="is not a git repository"):
        against(tmp_path, "v9", WORK)
    first = git(repository, "rev-parse", "HEAD")
    (repository / "simlab" / "registry.py").write_text("raise ValueError('broken here')\n")
    with pytest.raises(RunFailed, match="broken here"):
        against(repository, first, WORK)
    git(repository, "commit", "-qam", "broken")
    commit(repository, 2)
    with pytest.raises(NothingToCompare, match="does not play game with these bots: ValueError: broken here"):
        against(repository, "HEAD^", WORK)


def test_a_build_that_gives_no_answer_is_ended(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (repository / "simlab" / "registry.py").write_text("import time\ntime.sleep(600)\n")
    monkeypatch.setattr(earlier_build, "PATIENCE", 1.0)
    with (
        pytest.raises(RunFailed, match="it gave no answer"),
        earlier_build._process(repository, WORK[0]) as build,
    ):
        build(0, 1)
    (repository / "simlab" / "__main__.py").write_text("import time\ntime.sleep(600)\n")
    with pytest.raises(RunFailed, match="it gave no answer"):
        earlier_build._command(repository, Work("game", {"seat": "bot"}, command=1), 0, 1)
