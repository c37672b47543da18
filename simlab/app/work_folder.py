"""The temporary folder of an app."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from simlab.engine.signals import is_alive

_PREFIX = "simlab-session-"


@contextlib.contextmanager
def work_folder() -> Iterator[Path]:
    """A temporary folder with the process ID in its name, removed at the end.

    An app that is killed (SIGKILL, power cut) leaves its folder behind. The next session removes it.
    """
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        process = folder.name.removeprefix(_PREFIX).partition("-")[0]
        if process.isdecimal() and not is_alive(int(process)):
            shutil.rmtree(folder, ignore_errors=True)
    prefix = f"{_PREFIX}{os.getpid()}-"
    with tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True) as name:
        yield Path(name)
