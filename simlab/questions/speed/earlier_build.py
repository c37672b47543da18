"""Is this build slower than an earlier one? `simlab dev bench --against REF`.

The earlier build is unpacked into a temporary folder (git worktree) and played by a separate process, with the same
Python and packages. Both processes keep running and play the same games in turns, A B, B A, A B, ..., each turn long
enough to be timed in processor time, so other load on the machine affects both. Each pair of turns gives a ratio; the
interval of their median comes from order statistics, which make no assumption about the distribution. A build is called
slower only if the whole interval lies beyond the limit.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self

import numpy as np

from simlab.errors import InputError, RunFailed, SimlabError
from simlab.present.answer import Answer, Number
from simlab.present.estimate import Estimate
from simlab.stats.intervals import quantile_interval

Say = Callable[[str], None]

LIMIT = 0.10  #: by how much more time a game may take
ROUNDS = 17  #: pairs of turns: the interval of the median is the 5th and the 13th
PATIENCE = 900.0  #: seconds in which a build has to compile, or to play a turn
TURN = 0.4  #: approximate seconds of processor time per turn
LAST = "last"  #: instead of a commit: the last tag, else the one that REFERENCE names
REFERENCE = Path(".ci") / "speed-reference"  #: the commit to compare with if there is no tag

_CHILD = """
import json, sys, time
from simlab.engine.match import Match
from simlab.registry import load_game
game, knobs, bots = json.loads(sys.argv[1])
match = Match(load_game(game), knobs=knobs, bots=bots)
match.play(1, 0, 1)
print("ready", flush=True)
for line in sys.stdin:
    first, count = map(int, line.split())
    began = time.process_time()
    match.play(1, first, count)
    print(time.process_time() - began, flush=True)
"""


class NothingToCompare(SimlabError):
    """There is no earlier build to compare with; the message gives the reason."""


class SpeedChange(Answer):
    """This build against an earlier one.

    Attributes:
        against: the commit, tag or branch that was named. commit: its hash; None if there is nothing to compare with.
        time_ratio: time per game of this build divided by that of the earlier build, median of the turns.
            games_per_second, games_per_second_then: medians per second of processor time, for this and for the earlier
            build. limit: how much more time a game may take. slower: whether the whole interval is above the limit.
    """

    form: ClassVar = "bench-against"
    source: ClassVar = "simlab dev bench --against"
    game: str
    bots: dict[str, str]
    against: str
    commit: str | None = None
    time_ratio: Number | None = None
    games_per_second: float | None = None
    games_per_second_then: float | None = None
    rounds: int = 0
    limit: float = LIMIT
    slower: bool = False
    sentence: str = ""


def _sentence(answer: SpeedChange, ratio: Estimate) -> str:
    low, high, limit = ratio.low, ratio.high, f"{100 * answer.limit:g} %"
    change = f"{100 * (ratio.value - 1):+.1f} % ({100 * (low - 1):+.1f} to {100 * (high - 1):+.1f})"
    now, then = answer.games_per_second or 0.0, answer.games_per_second_then or 0.0
    rates = f"{now:,.0f} games per second on one core, {then:,.0f} at {answer.against} ({(answer.commit or '')[:10]})"
    if answer.slower:
        verdict = f"SLOWER by more than {limit}"
    elif high <= 1 + answer.limit:
        verdict = f"not slower by more than {limit}"
    else:
        verdict = f"inconclusive whether it is slower by more than {limit}; the machine is too busy"
    return f"{answer.game}, {' v '.join(answer.bots.values())}: {rates}; time of a game {change}: {verdict}."


class Build(Protocol):
    """A process that plays games and reports the time."""

    def seconds(self, first: int, count: int) -> float:
        """Processor seconds of games first .. first+count-1."""


def against(
    root: Path,
    ref: str,
    game: str,
    bots: Mapping[str, str],
    knobs: Mapping[str, object] | None = None,
    *,
    limit: float = LIMIT,
    rounds: int = ROUNDS,
    turn: float = TURN,
    say: Say = lambda text: None,
) -> SpeedChange:
    """Plays this build and an earlier one in turns.

    Args:
        root: folder of the repository whose files are this build.
        ref: a commit, tag or branch; LAST for the last tag, else the commit that REFERENCE names.
        limit: by how much more time a game may take. rounds: pairs of turns. turn: approximate seconds of each.
    Raises:
        NothingToCompare: there is no such build here (no tag, a shallow clone), or it does not play the game.
        InputError: no git repository, or an unknown commit. RunFailed: this build does not play the game.
    """
    name, commit = _commit(root, ref)
    given = json.dumps([game, dict(knobs or {}), dict(bots)])
    with _laid_out(root, commit) as there, contextlib.ExitStack() as stack:
        builds = []
        for folder, what in ((root, "this build"), (there, f"the build at {name}")):
            say(f"starting {what}")
            try:
                # Code that a process compiles itself is slower than the same code loaded: compile first, then load.
                with _Process(folder, given):
                    pass
                builds.append(stack.enter_context(_Process(folder, given)))
            except RunFailed as fault:
                if folder == root:
                    raise
                raise NothingToCompare(f"{what} does not play {game} with these bots: {fault}") from None
        here, before = builds
        say(f"playing in turns, {rounds} pairs")
        times, count = turns(here, before, rounds, turn)
    ratio, low, high = ratio_of(times)
    now, then = (count / float(np.median(column)) for column in times.T)
    change = Estimate(ratio, low, high, False)
    answer = SpeedChange(
        game=game, bots=dict(bots), against=name, commit=commit, time_ratio=change, games_per_second=now,
        games_per_second_then=then, rounds=rounds, limit=limit, slower=low > 1 + limit,
    )  # fmt: skip
    return answer.model_copy(update={"sentence": _sentence(answer, change)})


def turns(here: Build, before: Build, rounds: int, turn: float) -> tuple[np.ndarray[Any, Any], int]:
    """Times of both builds, which play in turns; they alternate in going first.

    Returns:
        (seconds, shape (rounds, 2): here, before; games per turn).
    """
    count = 64
    while before.seconds(0, count) < turn / 2 and count < 1 << 30:
        count *= 2
    here.seconds(0, count)
    times = np.zeros((rounds, 2))
    for pair in range(rounds):
        for side in (0, 1) if pair % 2 else (1, 0):
            times[pair, side] = (here, before)[side].seconds(pair * count, count)
    return times, count


def ratio_of(times: np.ndarray[Any, Any]) -> tuple[float, float, float]:
    """Median of the ratios here / before, and its interval by order statistics.

    Args:
        times: as `turns` gives them.
    """
    ratios = np.sort(times[:, 0] / np.maximum(times[:, 1], 1e-9))
    low, high = quantile_interval(ratios, np.ones(ratios.size), 0.5)
    return float(np.median(ratios)), low, high


class _Process:
    """A build in a process of its own."""

    def __init__(self, folder: Path, given: str) -> None:
        self.folder, self.given = folder, given

    def __enter__(self) -> Self:
        # The folder comes before the installed packages, and so do its games and bots.
        environment = {**os.environ, "PYTHONPATH": str(self.folder), "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(
            [sys.executable, "-c", _CHILD, self.given], cwd=self.folder, env=environment, text=True, encoding="utf-8",
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        if self._line() != "ready":
            self.process.kill()
            _, errors = self.process.communicate()
            last = errors.strip().splitlines()[-1:] or ["it gave no answer"]
            raise RunFailed(last[0][:500])
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self.process.communicate("", timeout=10)
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()

    def _line(self) -> str:
        """The next line; "" if the process has ended. It is ended if it prints no line for PATIENCE seconds."""
        assert self.process.stdout is not None
        limit = threading.Timer(PATIENCE, self.process.kill)
        limit.start()
        try:
            return self.process.stdout.readline().strip()
        finally:
            limit.cancel()

    def seconds(self, first: int, count: int) -> float:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(f"{first} {count}\n")
            self.process.stdin.flush()
            return float(self._line())
        except (OSError, ValueError):
            raise RunFailed("a build ended while it was being timed.") from None


# --- Git ------------------------------------------------------------------------


def _git(root: Path, *words: str) -> str:
    """Output of git; "" if it fails."""
    done = subprocess.run(
        ["git", "-C", str(root), *words], capture_output=True, text=True, encoding="utf-8", check=False
    )
    return done.stdout.strip() if done.returncode == 0 else ""


def _commit(root: Path, ref: str) -> tuple[str, str]:
    """(name, full hash) of the build to compare with."""
    if shutil.which("git") is None or not _git(root, "rev-parse", "--git-dir"):
        if ref == LAST:
            raise NothingToCompare(f"{root} is not a git repository, or git is not installed")
        raise InputError(f"--against {ref}: {root} is not a git repository, or git is not installed.")
    if ref != LAST:
        commit = _git(root, "rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")
        if not commit or ref.startswith("-"):
            raise InputError(f"--against {ref}: there is no such commit, tag or branch here.")
        return ref, commit
    tag = _git(root, "describe", "--tags", "--abbrev=0", "HEAD")
    if tag and _git(root, "rev-parse", f"{tag}^{{commit}}") == _git(root, "rev-parse", "HEAD"):
        tag = _git(root, "describe", "--tags", "--abbrev=0", "HEAD^")  # a release compares with the previous one
    stated = ""
    if not tag:
        with contextlib.suppress(OSError):
            lines = (root / REFERENCE).read_text(encoding="utf-8").splitlines()
            stated = next((line.split()[0] for line in lines if line.strip() and not line.startswith("#")), "")
    name = tag or stated
    commit = _git(root, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}") if name else ""
    if not commit:
        shallow = " (a shallow clone)" if _git(root, "rev-parse", "--is-shallow-repository") == "true" else ""
        what = f"commit {name[:12]} of {REFERENCE.as_posix()} is not here" if name else "there is no tag"
        raise NothingToCompare(f"{what}{shallow}")
    return name if tag else name[:12], commit


@contextlib.contextmanager
def _laid_out(root: Path, commit: str) -> Iterator[Path]:
    """The files of a commit in a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="simlab-against-", ignore_cleanup_errors=True) as temporary:
        folder = Path(temporary).resolve() / "build"
        done = subprocess.run(
            ["git", "-C", str(root), "worktree", "add", "--detach", "--quiet", str(folder), commit],
            capture_output=True, text=True, encoding="utf-8", check=False,
        )  # fmt: skip
        if done.returncode != 0:
            raise NothingToCompare(f"git cannot lay out {commit[:12]}: {done.stderr.strip()[-300:]}")
        try:
            yield folder
        finally:
            _git(root, "worktree", "remove", "--force", str(folder))
