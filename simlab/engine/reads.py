"""Which files a module reads while it is imported.

A bot may read its weights from a file, and compiled code keeps what it was compiled with. So the lab has to know of
each file that such a number can come from (simlab.engine.jit.source_files). Python reports every file that is opened to
an audit hook (PEP 578); this one notes those opened for reading under the module that is being imported.

Watched from `import simlab` on: a module imported before that is not.
"""

from __future__ import annotations

import os
import stat
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType

STARTED = time.time()  #: when the lab began to watch
_NOTED: dict[str, set[Path]] = {}
_BUSY = threading.local()
_AT_READ: list[Callable[[Path], None]] = []
_WRITES = os.O_WRONLY | os.O_RDWR
#: Python and the system: not what a game or a bot is made of.
_SYSTEM = tuple(Path(place) for place in {sys.prefix, sys.base_prefix, "/proc", "/sys", "/dev", "/etc", "/usr"})
_READERS_OF_CODE = ("importlib", "_frozen_importlib", "zipimport", "linecache", "tokenize")


def files_read_by(module: str) -> frozenset[Path]:
    """Regular files that a module opened for reading while it was imported, as absolute paths."""
    return frozenset(_NOTED.get(module, ()))


def before_each_read(action: Callable[[Path], None]) -> None:
    """Calls `action` with each such file just before the module reads it."""
    _AT_READ.append(action)


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    if event != "open" or getattr(_BUSY, "now", False):
        return
    name, _, flags = arguments
    if not isinstance(name, str | bytes | os.PathLike) or not isinstance(flags, int) or flags & _WRITES:
        return
    _BUSY.now = True  # what is opened from here on is the lab's
    try:
        frame = _importing(sys._getframe(1))
        if frame is not None:
            _note(frame, Path(os.path.abspath(os.fsdecode(name))))
    except (OSError, ValueError):
        pass  # the module is about to meet the same error
    finally:
        _BUSY.now = False


def _importing(frame: FrameType | None) -> FrameType | None:
    """The frame of the innermost module being imported; None where none is, or the import itself reads its code.

    (A script or a notebook is no module that a game or a bot comes from.)
    """
    while frame is not None:
        if str(frame.f_globals.get("__name__", "")).startswith(_READERS_OF_CODE):
            return None
        if frame.f_code.co_name == "<module>":
            return frame if frame.f_globals.get("__name__") != "__main__" else None
        frame = frame.f_back
    return None


def _note(frame: FrameType, path: Path) -> None:
    home = Path(str(frame.f_globals.get("__file__", ""))).parent
    if any(path.is_relative_to(place) for place in _SYSTEM) and not path.is_relative_to(home):
        return
    if not stat.S_ISREG(path.stat().st_mode):
        return
    _NOTED.setdefault(str(frame.f_globals.get("__name__")), set()).add(path)
    for action in _AT_READ:
        action(path)


sys.addaudithook(_watch)
