"""Watchdog: tracks each worker's current game and ends stalled workers.

A worker records its current game in a small memory-mapped file. If the worker is killed, the file names that game. If
the game does not end, a thread of the worker notices it in the file and ends the worker. The driver ends frozen
workers.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import secrets
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from simlab.engine.signals import is_orphan
from simlab.errors import InputError, RunFailed
from simlab.game import Array
from simlab.runs.files import write_new
from simlab.runs.store import Folder, Shard

BUILDING, PLAYING, WRITING = 0, 1, 2  #: stages of a piece of work
FROZEN = 5.0  #: seconds after which a worker that should have ended itself is ended

_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # Windows has no SIGKILL and ends a process by SIGTERM
_MOST_SEEN = 2.0  # most seconds counted between two looks
_PATIENCE = 10.0  # building and writing may take this many times the timeout of a game


class Marks:
    """Positions in a worker's progress file, an array of int64; the play loop (Match.play) uses the first four."""

    GAME, WHERE, DONE, PID, MACHINE, STAGE, INLINE, STALLED, SIZE = 0, 2, 3, 4, 5, 6, 7, 8, 16


@contextlib.contextmanager
def progress_file(folder: str, purpose: str, key: str, shard: Shard, timeout: float, inline: bool) -> Iterator[Array]:
    """The memory-mapped progress file of a piece of work; it remains if the worker is killed.

    Args:
        inline: whether the work is played in the driver's own process; otherwise this process ends itself when a game
            stalls for longer than `timeout` seconds.
    """
    name = f"{purpose}.{key}.{shard.first}.{shard.last}.{secrets.token_hex(6)}"
    path = Path(folder) / "running" / name
    head = np.zeros(Marks.SIZE, np.int64)
    head[Marks.GAME] = shard.first
    head[Marks.PID], head[Marks.MACHINE], head[Marks.INLINE] = os.getpid(), machine(), inline
    # Written in full: where a file has a hole and the disk is full, a write to its map kills the process.
    write_new(path, head.tobytes())
    marks: Array = np.memmap(path, np.int64, "r+", shape=(Marks.SIZE,))
    if not inline:
        GUARD.watch(name, StallDetector(marks, timeout))
    try:
        yield marks
    finally:
        GUARD.watched.pop(name, None)
        with contextlib.suppress(OSError):
            path.unlink()


@dataclass(frozen=True)
class Underway:
    """The progress file of work in progress, or of a worker that died."""

    path: Path
    purpose: str
    key: str
    shard: Shard
    marks: Array
    game: int  #: the game being played
    where: int  #: the place in that game (simlab.engine.match.whereabouts)
    playing: bool
    inline: bool  #: whether it is played in the driver's own process
    stalled: bool  #: whether the worker ended itself because a game did not end

    @property
    def done(self) -> int:
        """Games of the shard that are finished."""
        if int(self.marks[Marks.STAGE]) == WRITING:
            return self.shard.size
        return min(max(self.game - self.shard.first, 0), self.shard.size)

    @property
    def pid(self) -> int:
        """ID of the process if it is a child of this process; else 0."""
        import psutil

        pid = int(self.marks[Marks.PID])
        with contextlib.suppress(psutil.Error, OSError, ValueError):
            if self.marks[Marks.MACHINE] == machine() and psutil.Process(pid).ppid() == os.getpid():
                return pid
        return 0

    def remove(self) -> None:
        with contextlib.suppress(OSError):
            self.path.unlink()


def progress_files(folder: Folder) -> list[Underway]:
    """The progress files in a folder of results, by name; other files are ignored."""
    top = folder.path / "running"
    files = []
    for name in sorted(os.listdir(top)) if top.is_dir() else []:
        words = name.split(".")
        if len(words) != 5 or not (words[2].isdecimal() and words[3].isdecimal()):
            continue
        with contextlib.suppress(InputError):  # the file was removed in the meantime
            marks = np.frombuffer(folder.read(f"running/{name}", 8 * Marks.SIZE), np.int64)
            if marks.size == Marks.SIZE:
                shard = Shard(int(words[2]), int(words[3]))
                game, where, stage, inline, stalled = (
                    int(marks[place]) for place in (Marks.GAME, Marks.WHERE, Marks.STAGE, Marks.INLINE, Marks.STALLED)
                )
                about = (game, where, stage == PLAYING, bool(inline), bool(stalled))
                files.append(Underway(top / name, words[0], words[1], shard, marks, *about))
    return files


def machine() -> int:
    """A number for this machine, the same in all processes; it does not reveal the machine's name."""
    boot = ""
    with contextlib.suppress(OSError):
        boot = Path("/proc/sys/kernel/random/boot_id").read_text()
    return int.from_bytes(hashlib.sha256(f"{platform.node()} {boot}".encode()).digest()[:7], "big")


class StallDetector:
    """Notices if a progress file stalls, that is, if no game, decision or stage of the work is finished.

    Only time in which this process ran counts, not time in which it was stopped (Ctrl-Z) or starved.

    Args:
        marks: the file's content. A memory map stays current on its own; pass a new copy to `update` otherwise.
        timeout: seconds that a decision may take.
    """

    def __init__(self, marks: Array, timeout: float) -> None:
        self.marks, self.timeout = marks, timeout
        self.seen: tuple[int, ...] = ()
        self.still = 0.0
        self.looked = time.monotonic()

    def update(self, marks: Array, timeout: float) -> bool:
        """Whether something has changed."""
        self.marks, self.timeout = marks, timeout
        before = self.seen
        self.stalled()
        return self.seen != before

    def stalled(self) -> bool:
        """Whether nothing has changed for longer than the timeout; call it about once per second."""
        now = tuple(int(self.marks[place]) for place in (Marks.GAME, Marks.WHERE, Marks.DONE, Marks.STAGE))
        time_now = time.monotonic()
        self.still += min(time_now - self.looked, _MOST_SEEN)
        self.looked = time_now
        if now != self.seen:
            self.seen, self.still = now, 0.0
        patience = self.timeout if now[-1] == PLAYING else max(self.timeout * _PATIENCE, 60.0)
        return self.still > patience


class Watch:
    """The driver's watchdog, which ends stalled workers. A patient one (for a remote scheduler) never does."""

    def __init__(self, folder: Folder, timeout: float, patient: bool) -> None:
        self.folder, self.timeout, self.patient = folder, timeout, patient
        self._watched: dict[str, StallDetector] = {}
        self._still, self._looked = 0.0, time.monotonic()

    def moved(self) -> None:
        """Records progress: work was handed out, or came back."""
        self._still = 0.0

    def forget(self) -> None:
        self._watched.clear()

    def look(self) -> tuple[list[Underway], list[Underway]]:
        """The work in progress, and stalled work in this process, which cannot be ended. RunFailed: nothing moves."""
        files = progress_files(self.folder)
        before, self._watched = self._watched, {}
        stalled = []
        for file in files:
            watched = before.get(file.path.name) or StallDetector(file.marks, 0)
            # A worker ends itself when it can; this is for one that is frozen.
            moved = watched.update(file.marks, self.timeout + (0 if file.inline else FROZEN))
            self._watched[file.path.name] = watched
            if moved:
                self.moved()
            elif watched.stalled():
                if file.inline:
                    stalled.append(file)
                elif file.pid:
                    with contextlib.suppress(OSError):
                        os.kill(file.pid, _KILL)
        # As in StallDetector: time counts in which this process looked, not a jump of the clock or a suspended machine.
        now = time.monotonic()
        self._still += min(now - self._looked, _MOST_SEEN)
        self._looked = now
        if self._still > max(10 * self.timeout, 600) and not self.patient:
            raise RunFailed("no worker has done anything for ten minutes. What is finished is kept: start again.")
        return files, stalled


class _Guard:
    """A thread of a worker process that ends the process when its game stalls or its driver is gone."""

    def __init__(self) -> None:
        self.watched: dict[str, StallDetector] = {}
        self.driver = 0
        self.started: int = 0

    def watch(self, name: str, watched: StallDetector) -> None:
        self.watched[name] = watched
        if self.started != os.getpid():
            self.started = os.getpid()
            threading.Thread(target=self._look, name="simlab-guard", daemon=True).start()

    def _look(self) -> None:
        while True:
            time.sleep(0.5)
            if self.driver and is_orphan(self.driver):
                os._exit(1)
            for watched in list(self.watched.values()):
                if watched.stalled():
                    watched.marks[Marks.STALLED] = 1
                    os.kill(os.getpid(), _KILL)


GUARD = _Guard()
