"""Ends this process when compiled code does not return.

Python handles a signal between two of its own instructions. If a compiled bot or rule loops for ever, Python never
reaches the next instruction, so neither Ctrl-C nor SIGTERM ends the process. But compiled code runs without the
interpreter lock, so a second thread keeps running. That thread watches the calls into compiled code. It ends the
process if a call makes no progress for longer than the time limit, or does not return after a signal.

Only a process without other unsaved work may be ended like this: the command line starts `WATCH`, and so do its helper
processes. In a notebook nothing is watched.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

LIMIT = 120.0  #: seconds that one decision may take, as in a run
GRACE = 2.0  #: seconds after a signal within which a call must make progress
LEAVE = 6.0  #: seconds after a signal within which threads must stop playing
TIMED_OUT = 4  #: exit status, as for a failed run

_LOOK = 0.2  # seconds between two looks
_MOST_SEEN = 1.0  # most seconds counted between two looks: the process may have been stopped (Ctrl-Z)
_CLEAN_UP = 2.0  # seconds for temporary folders and buffers before the process ends


class Call:
    """A call into compiled code that can hang, as a context. It costs about a microsecond.

    Args:
        about: function that describes who is at work, such as "bot 'rusher' (besieger)", and where; only called after a
            timeout.
        mark: returns a value that changes while the call makes progress; None for a single decision.
    """

    __slots__ = ("about", "before", "mark", "thread")

    def __init__(self, about: Callable[[], tuple[str, str]], mark: Callable[[], object] | None = None) -> None:
        self.about, self.mark = about, mark
        self.thread = 0
        self.before: Call | None = None

    def __enter__(self) -> Self:
        self.thread = threading.get_ident()
        self.before = _CALLS.get(self.thread)
        _CALLS[self.thread] = self
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        if self.before is None:
            del _CALLS[self.thread]
        else:
            _CALLS[self.thread] = self.before


_CALLS: dict[int, Call] = {}  # by thread: calls in progress


_UNWATCHED: set[int] = set()  # threads whose calls another watchdog watches


@contextlib.contextmanager
def unwatched() -> Iterator[None]:
    """A context in which another watchdog watches this thread, so that a run can skip a game that hangs."""
    thread = threading.get_ident()
    _UNWATCHED.add(thread)
    try:
        yield
    finally:
        _UNWATCHED.discard(thread)


class Stillness:
    """Measures how long the call of each thread has made no progress. Call it several times per second."""

    def __init__(self) -> None:
        self._seen: dict[int, tuple[Call, object]] = {}
        self._still: dict[int, float] = {}
        self._looked = time.monotonic()

    def look(self) -> dict[int, float]:
        """Thread -> seconds without progress."""
        now = time.monotonic()
        passed, self._looked = min(now - self._looked, _MOST_SEEN), now
        calls = [(thread, call) for thread, call in list(_CALLS.items()) if thread not in _UNWATCHED]
        seen = {thread: (call, call.mark() if call.mark else None) for thread, call in calls}
        self._still = {
            thread: self._still.get(thread, 0.0) + passed if self._seen.get(thread) == state else 0.0
            for thread, state in seen.items()
        }
        self._seen = seen
        return self._still

    def overdue(self, limit: float, threads: Iterable[int] | None = None) -> str:
        """Describes a call that exceeds the limit, in one of these threads (None: any); "" if there is none."""
        wanted = None if threads is None else set(threads)
        for thread, still in self.look().items():
            call = _CALLS.get(thread)
            if call is not None and still > limit and (wanted is None or thread in wanted):
                who, where = call.about()
                return f"{who} did not answer within {limit:g} seconds ({where}{_line_of(thread)})."
        return ""


def _line_of(thread: int) -> str:
    """The line at which a thread runs a game's or bot's plain Python; empty in compiled code, which has no frames."""
    frame = sys._current_frames().get(thread)
    if frame is None or Path(frame.f_code.co_filename).parent == Path(__file__).parent:
        return ""
    return f"; {frame.f_code.co_filename}, line {frame.f_lineno}"


class _Watch:
    """The thread that ends the process."""

    def __init__(self) -> None:
        self.limit = LIMIT  #: seconds without progress after which it ends the process; 0: never
        self.signalled, self.number = 0.0, 0
        self._started = 0
        self._ears: tuple[socket.socket, socket.socket] | None = None

    def start(self, signals: Iterable[int] = ()) -> None:
        """Starts watching. From the main thread, these signals then end the process."""
        if self._started == os.getpid():
            return
        self._started = os.getpid()
        self._numbers = frozenset(int(number) for number in signals)
        if self._numbers and threading.current_thread() is threading.main_thread():
            self._ears = socket.socketpair()
            for ear in self._ears:
                ear.setblocking(False)
            # The system's own handler writes here, also while Python's cannot run.
            signal.set_wakeup_fd(self._ears[1].fileno(), warn_on_full_buffer=False)
        threading.Thread(target=self._run, name="simlab-deadline", daemon=True).start()

    def _run(self) -> None:
        stillness = Stillness()
        while True:
            time.sleep(_LOOK)
            self._listen()
            if self.limit:
                why = stillness.overdue(self.limit)
                if why:
                    leave(TIMED_OUT, f"{why}\nIf it only needs more time, allow it with --timeout SECONDS.")
            if self.signalled:
                self._after_signal(stillness.look())

    def _after_signal(self, still: dict[int, float]) -> None:
        passed = time.monotonic() - self.signalled
        main = threading.main_thread().ident
        for thread, seconds in still.items():
            call = _CALLS.get(thread)
            if call is None:
                continue
            if min(seconds, passed) > GRACE or (passed > LEAVE and thread != main):
                who, where = call.about()
                leave(128 + self.number, f"interrupted while {who} was at work ({where}).")

    def _listen(self) -> None:
        if self._ears is None:
            return
        with contextlib.suppress(BlockingIOError):
            for number in self._ears[0].recv(256):
                if number in self._numbers:
                    self.signalled, self.number = time.monotonic(), number


WATCH = _Watch()  #: of this process


def leave(status: int, message: str) -> None:
    """Ends the process even if a thread does not return; removes temporary folders and flushes output first."""
    with contextlib.suppress(OSError):
        if sys.stderr is not None and sys.stderr.isatty():
            os.write(2, b"\r\x1b[K\x1b[?25h")  # a progress line may have hidden the cursor
        shown = "".join(c if c.isprintable() or c == "\n" else "?" for c in message)
        os.write(2, f"simlab: {shown}\n".encode(errors="replace"))
    closing = threading.Thread(target=_close, daemon=True)
    closing.start()
    closing.join(_CLEAN_UP)
    os._exit(status)


def _close() -> None:
    with contextlib.suppress(Exception):
        sys.stdout.flush()
    tidy: Any = atexit._run_exitfuncs
    with contextlib.suppress(Exception):
        tidy()
