"""Is this build slower than an earlier one? `simlab dev bench --against REF`.

The earlier build is laid out in a temporary folder (git worktree) and played by a process of its own, with the same
Python and packages. Both play the same games in turns, A B, B A, A B, ..., each long enough to be timed. Processor time
is measured, and other load on the machine affects both builds. Each pair of turns gives a ratio; their median has an
interval from the order of the ratios, which assumes nothing about their distribution. A build is called slower only if
the whole interval lies beyond the limit twice, the second time with new processes, because a process can be slow as
long as it runs, depending on its memory layout or its core.

A piece of work is a line-up of bots, whose games one process plays turn by turn, or a command, which is a new process
each time.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from simlab.errors import InputError, RunFailed, SimlabError
from simlab.present.answer import Answer, Number, Part
from simlab.present.estimate import Estimate
from simlab.questions.speed.timing import Say, everybody, ran
from simlab.stats.intervals import quantile_interval

LIMIT = 0.10  #: by how much more time a game may take
ROUNDS = 17  #: pairs of turns: the interval of the median is the 5th and the 13th
PATIENCE = 900.0  #: seconds in which a build has to compile, or to play a turn
TURN = 0.4  #: approximate seconds of processor time per turn
LAST = "last"  #: instead of a commit: the last tag, else the one that REFERENCE names
REFERENCE = Path(".ci") / "speed-reference"  #: the commit to compare with if there is no tag
Build = Callable[[int, int], float]  #: plays games first .. first+count-1: processor seconds

_CHILD = """
import json, sys, time
from simlab.engine.match import Match
from simlab.registry import load_game
game, knobs, bots = json.loads(sys.argv[1])
match = Match(load_game(game), knobs=knobs, bots=bots)
for line in sys.stdin:
    first, count = map(int, line.split())
    began = time.process_time()
    match.play(1, first, count)
    print(time.process_time() - began, flush=True)
"""


class NothingToCompare(SimlabError):
    """There is no earlier build to compare with; the message gives the reason."""


@dataclass(frozen=True)
class Work:
    """What both builds do in turns.

    Attributes:
        bots: seat -> bot. command: number of games of a `simlab sweep` in a new process; 0 to time the games alone.
    """

    game: str
    bots: Mapping[str, str]
    knobs: Mapping[str, object] = field(default_factory=dict)
    command: int = 0

    def __str__(self) -> str:
        return f"simlab sweep, {self.command:,} games" if self.command else "games"


def standing() -> list[Work]:
    """The work that must not become slower (`make bench-against`, which continuous integration runs)."""
    random = everybody("simple_siege", "random")
    return [
        Work("simple_siege", random),
        Work("simple_siege", {**random, "besieger": "ismcts:iterations=100:playout=random"}),
        Work("mighty_fortress", everybody("mighty_fortress", "random")),
        Work("montsegur", everybody("montsegur", "random")),
        Work("westphalia", everybody("westphalia", "random")),
        Work("lowenheim", everybody("lowenheim", "marshal")),
        Work("simple_siege", random, command=1_000),
        Work("westphalia", everybody("westphalia", "random"), command=2_000),
    ]


class Change(Part):
    """A piece of work, done by both builds.

    Attributes:
        what: "games", or the command. time_ratio: time of this build divided by time of the earlier one, median of the
            turns. games_per_second, games_per_second_then: medians of this and the earlier build, per second of
            processor time.
        slower: whether the whole interval is above the limit.
    """

    game: str
    what: str
    bots: str
    time_ratio: Number
    games_per_second: float
    games_per_second_then: float
    slower: bool
    verdict: str


class SpeedChange(Answer, form="bench-against", version=2, source="simlab dev bench --against"):
    """This build compared with an earlier one.

    Attributes:
        against: the commit, tag or branch that was named. commit: its hash; None if there is nothing to compare with.
        limit: largest allowed growth of a game's time. left_out: work -> why it could not be compared.
    """

    against: str
    commit: str | None = None
    changes: tuple[Change, ...] = ()
    rounds: int = 0
    limit: float = LIMIT
    left_out: dict[str, str]

    @property
    def slower(self) -> bool:
        """Whether a piece of work is slower here."""
        return any(change.slower for change in self.changes)


def _verdict(ratio: Estimate, limit: float) -> str:
    more = f"by more than {100 * limit:g} %"
    if ratio.low > 1 + limit:
        return f"SLOWER {more}"
    if ratio.high <= 1 + limit:
        return f"not slower {more}"
    return f"inconclusive whether it is slower {more}; a quieter machine may show it"


def against(
    root: Path,
    ref: str,
    works: Sequence[Work],
    *,
    limit: float = LIMIT,
    turn: float = TURN,
    say: Say = lambda text: None,
) -> SpeedChange:
    """Does pieces of work with this build and an earlier one, in turns.

    Args:
        root: folder of the repository whose files are this build.
        ref: a commit, tag or branch; LAST for the last tag, else the commit that REFERENCE names.
        limit: largest allowed growth of a game's time. turn: approximate seconds per turn.
    Raises:
        InputError: no git repository, or an unknown commit. RunFailed: this build does not do the work.
    """
    try:
        name, commit = _commit(root, ref)
    except NothingToCompare as fault:
        if ref != LAST:
            raise
        return SpeedChange(against=ref, limit=limit, left_out={"all": str(fault)})
    changes: list[Change] = []
    left_out: dict[str, str] = {}
    with _laid_out(root, commit) as there:
        measured = partial(_measured, root=root, there=there, limit=limit, turn=turn)
        for work in works:
            say(f"{work.game}, {work}: {ROUNDS} pairs of turns")
            try:
                change = measured(work)
                if change.slower:
                    say(f"{work.game}, {work}: it seems slower; again, with new processes")
                    change = min(change, measured(work), key=lambda one: one.time_ratio.low)
                changes.append(change)
            except NothingToCompare as fault:
                if ref != LAST:
                    raise
                left_out[f"{work.game}, {work}"] = str(fault)
    return SpeedChange(
        against=name, commit=commit, changes=tuple(changes), rounds=ROUNDS, limit=limit, left_out=left_out
    )


def _measured(work: Work, root: Path, there: Path, limit: float, turn: float) -> Change:
    for folder in (root, there):
        try:  # Code that a process compiles itself is slower than the same code loaded: compile first, then load.
            with _process(folder, work) as build:
                build(0, work.command or 1)
        except RunFailed as fault:
            if folder == root:
                raise
            raise NothingToCompare(f"the earlier build does not play {work.game} with these bots: {fault}") from None
    with _process(root, work) as here, _process(there, work) as before:
        times, count = turns(here, before, ROUNDS, turn, work.command)
    change = Estimate(*ratio_of(times), False)
    now, then = (count / float(np.median(column)) for column in times.T)
    return Change(
        game=work.game, what=str(work), bots=" / ".join(work.bots.values()), time_ratio=change, games_per_second=now,
        games_per_second_then=then, slower=change.low > 1 + limit, verdict=_verdict(change, limit),
    )  # fmt: skip


def turns(here: Build, before: Build, rounds: int, turn: float, games: int = 0) -> tuple[np.ndarray[Any, Any], int]:
    """Times of both builds in turns; the build that begins alternates.

    Args:
        games: number of games per turn; 0 for as many as take about `turn` seconds.
    Returns:
        (seconds, shape (rounds, 2): here, before; games per turn).
    """
    count = games or 64
    while not games and before(0, count) < turn / 2 and count < 1 << 30:
        count *= 2
    here(0, count)
    times = np.zeros((rounds, 2))
    for pair in range(rounds):
        for side in (0, 1) if pair % 2 else (1, 0):
            times[pair, side] = (here, before)[side](pair * count, count)
    return times, count


def ratio_of(times: np.ndarray[Any, Any]) -> tuple[float, float, float]:
    """Median of the ratios here / before, and its interval by order statistics. times: as `turns` gives them."""
    ratios = np.sort(times[:, 0] / np.maximum(times[:, 1], 1e-9))
    low, high = quantile_interval(ratios, np.ones(ratios.size), 0.5)
    return float(np.median(ratios)), low, high


def _environment(folder: Path) -> dict[str, str]:
    """Environment of a process that finds the folder, its games and its bots before the installed packages.

    Both builds keep the bytecode of their sources: the fresh folder would otherwise compile them in every process.
    """
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPATH": str(folder), "PYTHONUNBUFFERED": "1"}


@contextlib.contextmanager
def _process(folder: Path, work: Work) -> Iterator[Build]:
    """A build that plays in its own process or, for a command, in a new process each time."""
    if work.command:
        yield partial(_command, folder, work)
        return
    given = json.dumps([work.game, dict(work.knobs), dict(work.bots)])
    process = subprocess.Popen(
        [sys.executable, "-c", _CHILD, given], cwd=folder, env=_environment(folder), text=True,
        encoding="utf-8", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    to, answers, errors = process.stdin, process.stdout, process.stderr
    assert to is not None
    assert answers is not None
    assert errors is not None

    def seconds(first: int, count: int) -> float:
        """Asks for some games; a process that gives no answer for PATIENCE seconds is ended."""
        limit = threading.Timer(PATIENCE, process.kill)
        limit.start()
        try:
            print(first, count, file=to, flush=True)
            return float(answers.readline())
        except (OSError, ValueError):
            process.kill()
            raise RunFailed(_last_line(errors.read())) from None
        finally:
            limit.cancel()

    try:
        yield seconds
    finally:
        with contextlib.suppress(OSError, ValueError, subprocess.TimeoutExpired):
            process.communicate("", timeout=10)
        process.kill()
        process.wait()


def _command(folder: Path, work: Work, first: int, count: int) -> float:
    """Processor seconds of a command and its processes."""
    bots = [word for seat, bot in work.bots.items() for word in ("--bot", f"{seat}={bot}")]
    knobs = [word for knob, value in work.knobs.items() for word in ("--set", f"{knob}={value}")]
    before = os.times()
    with tempfile.TemporaryDirectory(prefix="simlab-against-") as out:
        words = ["sweep", work.game, *bots, *knobs, "-n", str(count), "--quiet", "--out", out]
        environment = _environment(folder)
        try:
            done = ran(sys.executable, "-m", "simlab", *words, cwd=folder, env=environment, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            raise RunFailed("it gave no answer") from None
    if done.returncode != 0:
        raise RunFailed(_last_line(done.stderr))
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def _last_line(errors: str) -> str:
    return (errors.strip().splitlines()[-1:] or ["it gave no answer"])[0][:500]


# --- Git ------------------------------------------------------------------------


def _git(root: Path, *words: str) -> str:
    """Output of git; "" if it fails or is not installed."""
    with contextlib.suppress(OSError):
        done = ran("git", "-C", str(root), *words)
        return done.stdout.strip() if done.returncode == 0 else ""
    return ""


def _commit(root: Path, ref: str) -> tuple[str, str]:
    """(name, full hash) of the build to compare with."""

    def commit_of(name: str) -> str:
        return _git(root, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}") if name else ""

    def last_tag(name: str) -> str:
        return _git(root, "describe", "--tags", "--abbrev=0", name)

    if not _git(root, "rev-parse", "--git-dir"):
        why = f"{root} is not a git repository, or git is not installed"
        raise NothingToCompare(why) if ref == LAST else InputError(f"--against {ref}: {why}.")
    if ref != LAST:
        if ref.startswith("-") or not commit_of(ref):
            raise InputError(f"--against {ref}: there is no such commit, tag or branch here.")
        return ref, commit_of(ref)
    tag, stated = last_tag("HEAD"), ""
    if tag and commit_of(tag) == commit_of("HEAD"):
        tag = last_tag("HEAD^")  # a release compares with the previous one
    if not tag and (root / REFERENCE).is_file():
        found = re.search(r"^[^#\s]+", (root / REFERENCE).read_text(encoding="utf-8"), re.M)
        stated = found[0] if found else ""
    commit = commit_of(tag or stated)
    if not commit:
        shallow = " (a shallow clone)" if _git(root, "rev-parse", "--is-shallow-repository") == "true" else ""
        what = (
            f"commit {(tag or stated)[:12]} of {REFERENCE.as_posix()} is not here"
            if tag or stated
            else "there is no tag"
        )
        raise NothingToCompare(f"{what}{shallow}")
    return tag or stated[:12], commit


@contextlib.contextmanager
def _laid_out(root: Path, commit: str) -> Iterator[Path]:
    """The files of a commit in a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="simlab-against-", ignore_cleanup_errors=True) as temporary:
        folder = Path(temporary).resolve() / "build"
        done = ran("git", "-C", str(root), "worktree", "add", "--detach", "--quiet", str(folder), commit)
        if done.returncode != 0:
            raise NothingToCompare(f"git cannot lay out {commit[:12]}: {done.stderr.strip()[-300:]}")
        try:
            yield folder
        finally:
            _git(root, "worktree", "remove", "--force", str(folder))
