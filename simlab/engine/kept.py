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
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from simlab.errors import UserMistake

IN_MEMORY = "in memory"  #: scope of code that is not kept
LASTS = 30  #: days that unused code is kept
_DAY = 86_400.0
_PATIENCE = 600.0  # seconds to wait for another process that compiles the same
_ENDING = ".code"
_HELD: set[Path] = set()  # locks of this process: what it holds it need not wait for


def cache_root() -> Path:
    """Where compiled code is kept: $SIMLAB_CACHE, else the user's cache folder.

    Raises:
        UserMistake: the folder belongs to another user, who could change the code that is loaded from it.
    """
    if os.environ.get("SIMLAB_CACHE"):
        root = Path(os.environ["SIMLAB_CACHE"])
    else:
        import platformdirs

        root = Path(platformdirs.user_cache_path("simlab"))
    _check_owner(root)
    return root


_CHECKED: set[Path] = set()
_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def _check_owner(root: Path) -> None:
    if root in _CHECKED or not hasattr(os, "geteuid"):
        return
    try:
        about = root.stat()
    except OSError:
        return  # not there yet
    if about.st_uid != os.geteuid():
        raise UserMistake(
            f"{root}: this folder of compiled code belongs to another user, who could change what is run from it. "
            "Set SIMLAB_CACHE to a folder of your own, or remove this one."
        )
    if about.st_mode & _WRITABLE_BY_OTHERS:
        with contextlib.suppress(OSError):
            root.chmod(0o700)
    _CHECKED.add(root)


def read_own(path: Path) -> bytes | None:
    """A file of the cache; None if it cannot be read, or if another user owns it or may write to it."""
    try:
        with path.open("rb") as file:
            about = os.fstat(file.fileno())
            if hasattr(os, "geteuid") and (about.st_uid != os.geteuid() or about.st_mode & _WRITABLE_BY_OTHERS):
                return None
            return file.read()
    except OSError:
        return None


def write_own(path: Path, data: bytes) -> None:
    """Writes a file of the cache whole, readable and writable by its owner alone.

    Raises:
        OSError: it cannot be written.
    """
    make_folder(path.parent)
    part = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}.part")
    try:
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(part, path)
    except OSError:
        with contextlib.suppress(OSError):
            part.unlink()
        raise


def make_folder(folder: Path) -> None:
    """Makes a folder of the cache and those above it, for their owner alone."""
    for missing in reversed([one for one in (folder, *folder.parents) if not one.exists()]):
        missing.mkdir(mode=0o700, exist_ok=True)


def _path(key: str) -> Path:
    return cache_root() / "code" / key[:2] / f"{key}{_ENDING}"


def read(key: str) -> Any:
    """What was kept under a key; None if nothing, or if it is damaged: it is dropped then."""
    path = _path(key)
    data = read_own(path)
    if data is None:
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
    try:
        write_own(path, hashlib.sha256(data).digest() + data)
    except OSError:
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
        make_folder(path.parent)
        return os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
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
