"""Ends the command after a signal (Ctrl-C, SIGTERM, SIGHUP), whenever the signal arrives.

Python's own handler raises KeyboardInterrupt wherever the signal arrives: while modules are loading, the user would see
a traceback, and after the last `except` it would kill the process. This module imports nothing heavy.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType

from simlab.engine import deadline
from simlab.engine.signals import STOPPING

_STARTING, _RUNNING, _ENDED = range(3)
_PATIENCE = 5.0  # seconds after which an interrupted process ends, whatever its threads wait for


class _Life:
    """The stage of the process, the last signal that it got, and the signals that it handles."""

    stage = _STARTING
    number = 0
    watched: tuple[int, ...] = ()


_life = _Life()


def watch() -> None:
    """Handles the signals, except for those that the process was started to ignore."""
    if threading.current_thread() is threading.main_thread():
        _life.watched = tuple(n for n in STOPPING if signal.getsignal(n) not in (signal.SIG_IGN, None))
        for number in _life.watched:
            signal.signal(number, _came)
        deadline.WATCH.start(_life.watched)


def _came(number: int, frame: FrameType | None) -> None:
    _life.number = number
    if _life.stage == _STARTING:
        os.write(2, b"simlab: interrupted.\n")
        os._exit(status())
    if _life.stage == _RUNNING:
        raise KeyboardInterrupt


def status() -> int:
    """The exit status of an interrupted command: as in shells, 128 plus the signal's number."""
    return 128 + (_life.number or signal.SIGINT)


def guarded(command: Callable[[], int]) -> int:
    """Runs a command. A signal raises KeyboardInterrupt while the command runs, and is ignored afterwards."""
    try:
        try:
            _life.stage = _RUNNING
            return command()
        finally:
            _end()
    except KeyboardInterrupt:
        _end()
        if _life.number:
            threading.Thread(target=_leave, name="simlab-leave", daemon=True).start()
        return status()


def _leave() -> None:
    """Ends the process at once. Python would join joblib's threads, and one of them may wait for ever for a worker that
    the same signal killed.
    """
    time.sleep(_PATIENCE)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(status())


def _end() -> None:
    _life.stage = _ENDED
    for number in _life.watched:
        signal.signal(number, signal.SIG_IGN)  # the interpreter removes other handlers before it ends, but not this one
