"""Compiled code on disk: a file for each part, which holds its own digest.

A file is written aside and renamed, so it is whole or not there; one that is damaged is dropped, and what it held is
compiled again. Where nothing can be written or read, code is compiled and not kept. A file that no run has used for
LASTS days is removed some day.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import secrets
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

IN_MEMORY = "in memory"  #: scope of code that is not kept
LASTS = 30  #: days that unused code is kept
_DAY = 86_400.0
_PATIENCE = 600.0  # seconds to wait for another process that compiles the same
_ENDING = ".code"
_HELD: set[Path] = set()  # locks of this process: what it holds it need not wait for


def cache_root() -> Path:
    """Where compiled code is kept: $SIMLAB_CACHE, else the user's cache folder."""
    if os.environ.get("SIMLAB_CACHE"):
        return Path(os.environ["SIMLAB_CACHE"])
    import platformdirs

    return Path(platformdirs.user_cache_path("simlab"))


def _path(key: str) -> Path:
    return cache_root() / "code" / key[:2] / f"{key}{_ENDING}"


def read(key: str) -> Any:
    """What was kept under a key; None if nothing, or if it is damaged: it is dropped then."""
    path = _path(key)
    try:
        data = path.read_bytes()
    except OSError:
        return None
    try:
        if hashlib.sha256(data[32:]).digest() != data[:32]:
            raise ValueError("damaged")
        content = pickle.loads(data[32:])
    except Exception:  # noqa: BLE001 - a damaged pickle may raise anything
        with contextlib.suppress(OSError):
            path.unlink()
        return None
    with contextlib.suppress(OSError):
        if time.time() - path.stat().st_mtime > _DAY:
            os.utime(path)
    return content


def write(key: str, content: object) -> bool:
    """Keeps what was compiled; False where that cannot be."""
    path = _path(key)
    data = pickle.dumps(content, protocol=5)
    part = path.with_name(f"{key}.{os.getpid()}.{secrets.token_hex(4)}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(hashlib.sha256(data).digest() + data)
        os.replace(part, path)
    except OSError:
        with contextlib.suppress(OSError):
            part.unlink()
        return False
    return True


@contextlib.contextmanager
def alone(key: str) -> Iterator[None]:
    """Lets one process at a time compile what a key stands for: the next one finds it made.

    A process that dies lets go. Whoever waits longer than _PATIENCE compiles as well: the other may be suspended.
    """
    path = cache_root() / "code" / "locked" / key
    handle = None if path in _HELD else _lock_file(path)
    if handle is None:
        yield
        return
    _HELD.add(path)
    locked = _wait_for(handle)
    try:
        yield
    finally:
        _HELD.discard(path)
        if locked:
            with contextlib.suppress(OSError):  # Windows does not remove a file that a process has open
                path.unlink()
        os.close(handle)  # lets go


def _lock_file(path: Path) -> int | None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o644)
    except OSError:
        return None


def _wait_for(handle: int) -> bool:
    """Locks an open file; False where nobody can, or another process holds it for too long."""
    import portalocker

    end = time.monotonic() + _PATIENCE
    pause = 0.01
    while time.monotonic() < end:
        try:
            portalocker.lock(handle, portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING)
            return True
        except portalocker.AlreadyLocked:
            time.sleep(pause)
            pause = min(2 * pause, 0.1)
        except (portalocker.LockException, OSError):  # a file system without locks
            return False
    return False


def check() -> tuple[int, int]:
    """(parts kept, parts that were damaged and are dropped now)."""
    whole = damaged = 0
    for path in sorted((cache_root() / "code").glob(f"*/*{_ENDING}")):
        with contextlib.suppress(OSError):
            data = path.read_bytes()
            if hashlib.sha256(data[32:]).digest() == data[:32]:
                whole += 1
            else:
                path.unlink()
                damaged += 1
    return whole, damaged


def tidy() -> None:
    """Removes what no run has used for long, once a day at most."""
    root = cache_root() / "code"
    mark = root / "tidied"
    with contextlib.suppress(OSError):
        if mark.exists() and time.time() - mark.stat().st_mtime < _DAY:
            return
        mark.touch()
        for path in root.glob("*/*"):
            with contextlib.suppress(OSError):
                if time.time() - path.stat().st_mtime > LASTS * _DAY:
                    path.unlink()
