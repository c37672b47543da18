"""Compiled code on disk: one file per function, with its own digest.

A file is written under a temporary name and renamed, so it is either complete or missing. A damaged file is deleted,
and its function is compiled again. If the cache cannot be written or read, code is compiled but not stored. A file that
no run has used for LASTS days is deleted.
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

from simlab.errors import InputError

LASTS = 30  #: days that unused code is kept
_DAY = 86_400.0
_PATIENCE = 600.0  # seconds to wait for another process that compiles the same function
_ENDING = ".code"
_HELD: set[Path] = set()  # locks of this process
_CHECKED: set[Path] = set()
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_HAS_OWNERS = hasattr(os, "geteuid")


def cache_root() -> Path:
    """Folder of compiled code: $SIMLAB_CACHE, or the user's cache folder.

    Raises:
        InputError: the folder belongs to another user, who could change the code that is loaded from it.
    """
    if os.environ.get("SIMLAB_CACHE"):
        root = Path(os.environ["SIMLAB_CACHE"])
    else:
        import platformdirs

        root = Path(platformdirs.user_cache_path("simlab"))
    if root not in _CHECKED and _HAS_OWNERS:
        try:
            about = root.stat()
        except OSError:
            return root  # it does not exist yet
        if about.st_uid != os.geteuid():
            raise InputError(
                f"{root}: this folder of compiled code belongs to another user, who could change the code that you "
                "run. Set SIMLAB_CACHE to a folder of your own, or remove this one."
            )
        if about.st_mode & _OTHERS_WRITE:
            with contextlib.suppress(OSError):
                root.chmod(0o700)
        _CHECKED.add(root)
    return root


def is_private(about: os.stat_result) -> bool:
    """Whether only this user can have written a file or folder."""
    return not _HAS_OWNERS or (about.st_uid == os.geteuid() and not about.st_mode & _OTHERS_WRITE)


def read_private(path: Path) -> bytes | None:
    """Reads a file of the cache; None if it cannot be read, or if another user owns it or may write to it."""
    try:
        with path.open("rb") as file:
            return file.read() if is_private(os.fstat(file.fileno())) else None
    except OSError:
        return None


def write_private(path: Path, data: bytes) -> None:
    """Writes a file of the cache atomically, for its owner alone; OSError if it cannot be written."""
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
    """Makes a folder of the cache and its parents, for their owner only."""
    for missing in reversed([path for path in (folder, *folder.parents) if not path.exists()]):
        missing.mkdir(mode=0o700, exist_ok=True)


def _path(key: str) -> Path:
    return cache_root() / "code" / key[:2] / f"{key}{_ENDING}"


def _is_whole(data: bytes) -> bool:
    return hashlib.sha256(data[32:]).digest() == data[:32]


def load(key: str) -> Any:
    """Loads the code stored under a key; None if there is none. Damaged code is deleted."""
    path = _path(key)
    data = read_private(path)
    if data is None:
        return None
    try:
        if not _is_whole(data):
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


def store(key: str, content: object) -> bool:
    """Stores compiled code; returns False if it cannot be stored."""
    data = pickle.dumps(content, protocol=5)
    try:
        write_private(_path(key), hashlib.sha256(data).digest() + data)
    except OSError:
        return False
    return True


@contextlib.contextmanager
def lock(key: str) -> Iterator[None]:
    """Lets one process at a time compile a function; the next process then finds it stored.

    The lock of a process that dies is released. After _PATIENCE seconds a process compiles without the lock, because
    the other process may be suspended.
    """
    path = cache_root() / "code" / "locked" / key
    if path in _HELD:
        yield
        return
    try:
        make_folder(path.parent)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    except OSError:
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
        os.close(handle)  # releases the lock


def is_locked(key: str) -> bool:
    """Whether another process holds the lock of a function."""
    import portalocker

    path = cache_root() / "code" / "locked" / key
    with contextlib.suppress(OSError), path.open("r+b") as file:
        try:
            portalocker.lock(file, portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING)
        except portalocker.AlreadyLocked:
            return True
        except portalocker.LockException:
            return False
    return False


def _wait_for(handle: int) -> bool:
    """Locks an open file; False if its file system has no locks or another process holds it for too long."""
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
        except (portalocker.LockException, OSError):
            return False
    return False


def check() -> tuple[int, int]:
    """Deletes damaged files; returns the number of intact and of damaged files."""
    whole = damaged = 0
    for path in sorted((cache_root() / "code").glob(f"*/*{_ENDING}")):
        with contextlib.suppress(OSError):
            if _is_whole(path.read_bytes()):
                whole += 1
            else:
                path.unlink()
                damaged += 1
    return whole, damaged


def delete_unused() -> None:
    """Deletes code that no run has used for LASTS days; runs at most once a day."""
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
