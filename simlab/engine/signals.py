"""How a run and its workers end: signals, and workers whose driver has ended. This module imports nothing heavy,
because a worker loads it before everything else.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterator
from types import FrameType, TracebackType
from typing import Any, Self

STOPPING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
WINDOWS = os.name == "nt"
_LOOK = 0.5  # seconds between two looks at the parent


def is_alive(process: int) -> bool:
    """Whether a process is running on this machine; True if that is unknown."""
    import psutil

    try:
        return bool(psutil.pid_exists(process))
    except (OSError, OverflowError):
        return True


def is_orphan(driver: int) -> bool:
    """Whether the parent process has ended. (Windows still reports the ID of a parent that has ended.)"""
    return os.getppid() != driver or (WINDOWS and not is_alive(driver))


class Signals:
    """Ctrl-C, SIGTERM and SIGHUP during a run, as a context: the first one raises KeyboardInterrupt, once.

    Later signals are recorded but ignored, so the final files are written completely. A signal that
    the process ignores (nohup, a shell's background job) stays ignored. Outside the main thread this does nothing.

    Attributes:
        number: number of the first signal, or 0.
    """

    def __init__(self) -> None:
        self.number = 0
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in STOPPING:
                handler = signal.getsignal(number)
                if handler not in (signal.SIG_IGN, None):
                    self._before[number] = handler
                    signal.signal(number, self._came)
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _came(self, number: int, frame: FrameType | None) -> None:
        if not self.number:
            self.number = number
            raise KeyboardInterrupt

    def check(self) -> None:
        """Raises KeyboardInterrupt after a signal, because Python discards one raised while it cleans up an object."""
        if self.number:
            raise KeyboardInterrupt


@contextlib.contextmanager
def children_ignore_ctrl_c(processes: bool = True) -> Iterator[None]:
    """Processes and threads started in here ignore Ctrl-C and a hang-up of the terminal: their driver ends them. A
    signal mask survives `exec` and applies from the first instruction; a handler would exist only after the process has
    started.

    Args:
        processes: whether loky may start processes in here.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    ignored = set(STOPPING) - {signal.SIGTERM}  # by which Dask ends its workers
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ignored)
    try:
        if processes:
            # loky starts Python's resource tracker before its workers, which unblocks SIGINT in this thread.
            from multiprocessing import resource_tracker

            resource_tracker.ensure_running()
        signal.pthread_sigmask(signal.SIG_BLOCK, ignored)
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def follow(driver: int) -> None:
    """Ends this process within a second after its parent has ended, even if this process is still starting."""
    if is_orphan(driver):
        os._exit(1)
    threading.Thread(target=_follow, args=(driver,), name="simlab-follow", daemon=True).start()


def _follow(driver: int) -> None:
    while not is_orphan(driver):
        time.sleep(_LOOK)
    os._exit(1)
