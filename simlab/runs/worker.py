"""Code of a worker, which plays a shard of a cell and writes it while the watchdog runs (simlab.runs.watchdog)."""

from __future__ import annotations

import hashlib
import os
import platform
import signal
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from simlab import __version__
from simlab.errors import (
    BotFault,
    GameTruncated,
    InputError,
    RangeFault,
    RunFailed,
    SimlabError,
    StateMutationError,
)
from simlab.game import Array
from simlab.registry import load_game
from simlab.runs.store import Folder, Shard, rows_to_parquet
from simlab.runs.truncation import MOST_CUT_OFF, batches_parting, too_many_cut_off
from simlab.runs.watchdog import GUARD, PLAYING, WRITING, Marks, progress_file

if TYPE_CHECKING:
    from simlab.engine.match import Match
    from simlab.runs.cells import Cell

SMALL = 10_000  #: games per batch if only counts are kept; this limits a worker's memory
_PART_OF_TIMEOUT = 0.5  # after which a rule that does not return in plain Python is reported
MOST_FAULTS = 20  #: number of games in which a bot may fail before the rest of the cell is given up

_OF_THE_FINGERPRINT = (
    "a game of the run's fingerprint, which always has seed 0, fails where the experiment's own do not: "
)


@dataclass(frozen=True)
class ShardSpec:
    """One piece of work, small enough to send."""

    purpose: str  #: `shard`: stored; `probe`: does one game kill it? `fingerprint`: a digest of the outcomes
    folder: str
    cell: Cell
    key: str
    match_key: str  #: key that the match must have; a different key shows that the worker has different code
    seed: int
    shard: Shard
    skip: tuple[int, ...] = ()  #: games to leave out
    rows: bool = True  #: whether they are stored
    timeout: float = 120.0  #: seconds without a finished decision after which the worker ends itself
    driver: int = 0  #: process that started the worker, or 0 if unknown
    inline: bool = False  #: whether it is played in the driver's own process
    run: str = ""  #: ID of this start of the run within a process


@dataclass(frozen=True)
class ShardReport:
    """The result of a worker."""

    purpose: str
    key: str
    shard: Shard
    games: int
    wins: tuple[int, ...] = ()  #: games that each seat won
    digest: str = ""  #: digest of the outcomes, of a fingerprint
    faults: tuple[tuple[int, str], ...] = ()  #: (game, reason), of games that failed and are not stored
    cut_off: int = 0  #: number of truncated games, which are not stored
    too_long: str = ""  #: where the last of them was when it was truncated
    failed: str = ""  #: why the shard was not stored, or ""
    verdict: str = ""  #: consequence of a failure: RETRY, CLOSE or REFUSE
    game: int = -1  #: a game that shows the failure, or -1


_ALIKE = (
    "Every machine of a cluster needs the same simlab, and the same games, bots and tables under the same paths "
    "(docs/several-machines.md)."
)
#: After a failure: try again, as the machine may have been the cause; close the cell, as the rest would also fail; or
#: refuse its statistics as well.
RETRY, CLOSE, REFUSE = "retry", "close", "refuse"


class _Hopeless(Exception):
    """Raised if too many games of a shard fail to play the rest. Arguments: why, a verdict, a game."""


class Stopped(Exception):
    """Raised to end the work of a thread after the driver gave up."""


_MATCHES: OrderedDict[str, Match] = OrderedDict()
MATCHES_LOCK = threading.Lock()
STOPPED: set[str] = set()  # runs of this process that were given up


def match_for(spec: ShardSpec) -> Match:
    """The match of a spec, built once in a process."""
    elsewhere = not spec.driver and not spec.inline  # perhaps on a different machine from the driver's
    with MATCHES_LOCK:
        match = _MATCHES.get(spec.match_key)
        if match is not None:
            return match
        try:
            match = spec.cell.match()
        except InputError as fault:
            if elsewhere:
                raise InputError(f"the worker on {platform.node()} cannot play this: {fault} {_ALIKE}") from None
            raise
        if match.key != spec.match_key:
            raise RunFailed(
                f"{spec.folder}: the worker on {platform.node()} has other rules, another bot or table than this "
                f"machine, or another simlab (there it is {__version__}); its games would differ. "
                f"{_ALIKE} What is finished is kept."
                if elsewhere
                else f"{spec.folder}: the rules, a bot or a table changed while it was being played. What is "
                "finished is kept; start again, and the new rules are played."
            )
        remember(match, spec.match_key)
        return match


def remember(match: Match, key: str) -> None:
    """Caches a match for `match_for`. The caller must hold MATCHES_LOCK."""
    _MATCHES[key] = match
    while len(_MATCHES) > 128:
        _MATCHES.popitem(last=False)


def play_shard(spec: ShardSpec) -> ShardReport:
    """Plays one piece of work in a worker; a shard is on the disk when this returns, or the report contains the error.

    Raises:
        RunFailed, InputError: the folder cannot be written or the rules have changed, so no other work could be played.
    """
    if not spec.inline and spec.driver and os.getppid() == spec.driver:  # this process is a worker of the driver's
        GUARD.driver = spec.driver
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # the driver handles Ctrl-C
    with progress_file(spec.folder, spec.purpose, spec.key, spec.shard, spec.timeout, spec.inline) as marks:
        try:
            match = match_for(spec)
            match.compile()
            match.prepare_comparison()
            if spec.purpose == "shard":
                _check_bots(spec, match, marks)
            marks[Marks.STAGE] = PLAYING
            if spec.purpose != "probe" and match.game.is_class:
                _compare(spec, match, marks)
            counted = _ShardGames(spec, match, marks)
            marks[Marks.STAGE] = WRITING
            if spec.purpose == "shard":
                counted.store()
            return counted.report()
        except _Hopeless as end:
            return _failure(spec, *end.args)
        except BotFault as fault:
            where = _OF_THE_FINGERPRINT if spec.purpose == "fingerprint" else ""
            verdict = REFUSE if isinstance(fault, StateMutationError | RangeFault) else CLOSE
            return _failure(spec, f"{where}{_reason(fault)}", verdict, fault.index)
        except MemoryError:
            return _failure(spec, "there was not enough memory", RETRY)
        except (SimlabError, Stopped):
            raise
        except Exception as fault:  # noqa: BLE001 - no error of one shard may lose the others
            return _failure(spec, f"its worker raised {type(fault).__name__}: {str(fault)[:300]}", RETRY)


def _check_bots(spec: ShardSpec, match: Match, marks: Array) -> None:
    """Checks whether bots that are not the lab's own peek, in the first games of the shard."""
    from simlab.engine.conduct import check_first_use, prepare

    prepare(match)
    marks[Marks.STAGE] = PLAYING
    games = (game for game in range(spec.shard.first, spec.shard.last + 1) if game not in spec.skip)
    check_first_use(match, spec.seed, games, spec.run, marks)


def _compare(spec: ShardSpec, match: Match, marks: Array) -> None:
    """Compares some games of a class, in the shard, with plain Python."""
    from simlab.engine.deadline import unwatched

    with unwatched():  # this worker has a watch of its own
        limit = _PART_OF_TIMEOUT * spec.timeout  # before the watch ends the process: the message names the line
        games = spec.shard.size if spec.purpose == "shard" else 1  # the fingerprint's come first, and may not end
        match.compare_with_python(spec.seed, spec.shard.first, games, spec.skip, marks, limit)


def _failure(spec: ShardSpec, why: str, verdict: str, game: int = -1) -> ShardReport:
    return ShardReport(spec.purpose, spec.key, spec.shard, 0, failed=why, verdict=verdict, game=game)


def _reason(fault: BotFault) -> str:
    """What failed, without a full stop, because callers put it into sentences."""
    return str(fault).partition("\nReplay it: ")[0].removesuffix(".")


class _ShardGames:
    """Plays the games of a spec; leaves out the games that fail, and names them."""

    def __init__(self, spec: ShardSpec, match: Match, marks: Array) -> None:
        from simlab.engine.tally import Tally

        self.spec, self.match, self.marks = spec, match, marks
        self.keeps_rows = spec.rows or spec.purpose != "shard"
        self.rows: list[Array] = []
        self.tally = Tally.empty(match.game)
        self.faults: dict[int, str] = {}
        self.cut_off: list[int] = []
        self.too_long = ""
        self.skip = sorted({game for game in spec.skip if spec.shard.first <= game <= spec.shard.last})
        size = spec.shard.size if self.keeps_rows else SMALL
        play = partial(match.play, spec.seed, progress=marks[:4], each_slice=self._look_up)
        for first, count in stretches(spec.shard, self.skip, size):
            for batch in batches_parting(play, first, count, self._leave_out, BotFault)[0]:
                self.tally = self.tally + batch.tally
                if self.keeps_rows:
                    self.rows.append(batch.rows)

    def _leave_out(self, number: int, fault: BotFault) -> None:
        if isinstance(fault, StateMutationError | RangeFault):
            raise fault
        if isinstance(fault, GameTruncated):
            self.cut_off.append(fault.index)
            self.too_long = _reason(fault)
            games = self.spec.cell.games
            if len(self.cut_off) > MOST_CUT_OFF * games:
                why = f"{too_many_cut_off(len(self.cut_off), games)}; the last so: {self.too_long}"
                raise _Hopeless(why, REFUSE, fault.index)
            return
        self.faults[fault.index] = _reason(fault)
        if len(self.faults) > MOST_FAULTS:
            raise _Hopeless(f"over {MOST_FAULTS} games fail, the last so: {_reason(fault)}", CLOSE, fault.index)

    def _look_up(self, done: int) -> None:
        if self.spec.inline and self.spec.run in STOPPED:
            raise Stopped

    def _all_rows(self) -> Array:
        return np.concatenate([np.zeros(0, self.match.game.row_type), *self.rows])

    def store(self) -> None:
        spec = self.spec
        rows = None
        if spec.rows:
            columns = load_game(spec.cell.widest) if spec.cell.widest else self.match.game
            rows = rows_to_parquet(self._all_rows(), columns, spec.key, spec.cell.bot_labels)
        Folder(spec.folder).commit_shard(
            spec.key, spec.shard, rows, self.tally.games, {*self.skip, *self.faults}, self.tally.to_dict(), self.cut_off
        )

    def report(self) -> ShardReport:
        spec = self.spec
        digest, failed = "", ""
        if spec.purpose == "fingerprint":
            digest = outcome_digest(self._all_rows())
            failed = next((f"{_OF_THE_FINGERPRINT}{why}" for why in self.faults.values()), "")
        wins, faults = tuple(int(n) for n in self.tally.wins), tuple(self.faults.items())
        return ShardReport(
            spec.purpose, spec.key, spec.shard, self.tally.games, wins, digest, faults, len(self.cut_off),
            self.too_long, failed,
        )  # fmt: skip


def outcome_digest(rows: Array) -> str:
    """Digest of winner, ending, turns and decisions of some games: the same for the same play."""
    total = hashlib.sha256()
    for name, kind in (("winner", "<i1"), ("ending", "<i1"), ("turns", "<i2"), ("decisions", "<i4")):
        total.update(np.ascontiguousarray(rows[name]).astype(kind).tobytes())
    return f"{len(rows)}:{total.hexdigest()[:32]}"


def stretches(shard: Shard, skip: Sequence[int], size: int) -> Iterator[tuple[int, int]]:
    """(first, count) of the games of a shard between those left out, at most `size` at a time."""
    at = shard.first
    for end in [*(game for game in sorted(skip) if shard.first <= game <= shard.last), shard.last + 1]:
        while at < end:
            count = min(size, end - at)
            yield at, count
            at += count
        at = end + 1
