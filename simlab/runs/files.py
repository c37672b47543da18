"""Files that are written whole or not at all, and read even if somebody else wrote them.

A file is written to a temporary file, flushed to the disk and then renamed. Folders may be untrusted: only real files
inside them are read, of bounded size, and nothing is imported or unpickled.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import json
import os
import re
import secrets
import stat
import time
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from simlab.engine.signals import WINDOWS, is_alive
from simlab.errors import InputError, RunFailed, SimlabError

JSON_LIMIT = 64_000_000  #: most bytes of a JSON file that is read

_TEMPORARY = re.compile(r".+\.([1-9]\d{0,8})-\d+-[0-9a-f]{8}\.tmp")  # as `replacing` names them
_COUNTER = itertools.count()
_WAITS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)  # seconds between tries to replace a file that is being read


class Missing(InputError):
    """A file that should be in a folder of results is not there."""


#: Flags of os.open, 0 if a system does not have the flag. Without _O_BINARY, Windows would write other line endings.
_O_NOFOLLOW, _O_NONBLOCK, _O_CLOEXEC, _O_BINARY = (
    int(getattr(os, name, 0)) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY")
)
NO_LINK = _O_NOFOLLOW | _O_NONBLOCK | _O_CLOEXEC | _O_BINARY  #: flags that follow no link, and do not wait for a pipe


# --- Calls to the system, one function each, so that a test can make any of them fail


def _open(path: Path) -> int:
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _O_NOFOLLOW | _O_CLOEXEC | _O_BINARY, 0o644)


def _write(handle: int, data: memoryview) -> int:
    return os.write(handle, data)


def _fsync(handle: int) -> None:
    os.fsync(handle)


def replace_file(source: Path, target: Path) -> None:
    for wait in _WAITS if WINDOWS else ():  # there a file that is being read cannot be replaced
        with contextlib.suppress(PermissionError):
            os.replace(source, target)
            return
        time.sleep(wait)
    os.replace(source, target)


def make_folder(path: Path) -> None:
    """Creates a folder and its parents, and flushes their names: else a power cut could remove them with all files."""
    if path.is_dir():
        return
    if path.parent != path:
        make_folder(path.parent)
    path.mkdir(exist_ok=True)
    sync_folder(path.parent)


# --- Writing ------------------------------------------------------------------


def explained(path: Path, fault: OSError) -> SimlabError:
    """The error that the user sees if the system refuses to write `path`."""
    if fault.errno in (errno.ENOSPC, errno.EDQUOT):
        return RunFailed(f"{path}: the disk is full. What is finished is kept: make room, then give the same command.")
    if fault.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return InputError(f"{path}: no permission to write. Choose another folder with --out.")
    if fault.errno in (errno.ENOTDIR, errno.EEXIST, errno.EISDIR, errno.ELOOP):
        return InputError(f"{path}: a file or a link is in the way. Choose another folder with --out.")
    if fault.errno == errno.ENAMETOOLONG:
        return InputError(f"{path}: the name is too long. Choose a shorter folder with --out.")
    why = fault.strerror or type(fault).__name__
    return RunFailed(f"{path}: cannot be written ({why}). What is finished is kept: give the same command again.")


def sync_folder(path: Path) -> None:
    """Flushes the names in a folder, so that a rename survives a power cut; Windows needs no flush."""
    if os.name == "nt":
        return
    _flush(path, os.O_RDONLY | _O_CLOEXEC)


@contextlib.contextmanager
def replacing(path: Path, scratch: Path | None = None) -> Iterator[Path]:
    """A temporary file to write, which is flushed to the disk and then replaces `path`. If an exception is raised,
    `path` is unchanged and the temporary file is removed.

    Args:
        path: the file; its folder is created if missing. scratch: folder for the temporary file, on the same disk.
    Raises:
        InputError: no permission, or a file or folder is in the way. RunFailed: the disk is full or fails.
    """
    temporary = (scratch or path.parent) / f"{path.name}.{os.getpid()}-{next(_COUNTER)}-{secrets.token_hex(4)}.tmp"
    try:
        for folder in (path.parent, temporary.parent):
            make_folder(folder)
        try:
            yield temporary
            _flush(temporary)
            replace_file(temporary, path)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink()  # a full disk needs the room
            raise
        sync_folder(path.parent)
    except OSError as fault:
        raise explained(path, fault) from fault


def atomic_write(path: Path, data: bytes, scratch: Path | None = None) -> None:
    """Writes a file completely or not at all, even if the process is killed. Arguments and errors: as `replacing`."""
    with replacing(path, scratch) as temporary:
        _fill(temporary, data)


def remove_leftovers(folder: Path) -> None:
    """Removes unfinished files of killed writers from a folder, but not those of running processes."""
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):
            match = _TEMPORARY.fullmatch(name)
            if match and not is_alive(int(match[1])):
                (folder / name).unlink(missing_ok=True)


def _fill(path: Path, data: bytes) -> None:
    handle = _open(path)
    try:
        left = memoryview(data)
        while left:
            left = left[_write(handle, left) :]
    finally:
        os.close(handle)


def _flush(path: Path, flags: int = os.O_RDWR | NO_LINK) -> None:  # Windows flushes only what is open for writing
    handle = os.open(path, flags)
    try:
        _fsync(handle)
    finally:
        os.close(handle)


def is_own_file(handle: int) -> bool:
    """Whether an open file is a regular file without other hard links, so writing to it changes no other file. A file
    that was removed while it was open, for example because the folder was moved aside, no longer has a name.
    """
    about = os.fstat(handle)
    return stat.S_ISREG(about.st_mode) and about.st_nlink <= 1


def write_new(path: Path, data: bytes) -> None:
    """Writes a new file, which may be lost if the machine crashes; errors as of `atomic_write`."""
    try:
        make_folder(path.parent)
        _fill(path, data)
    except OSError as fault:
        with contextlib.suppress(OSError):
            path.unlink()
        raise explained(path, fault) from fault


def to_json(data: object, pretty: bool = False) -> bytes:
    """JSON with sorted keys: the same bytes for the same data."""
    text = json.dumps(
        data, sort_keys=True, allow_nan=False, ensure_ascii=False,
        indent=1 if pretty else None, separators=(",", ": ") if pretty else (",", ":"),
    )  # fmt: skip
    return text.encode() + b"\n"


# --- Reading untrusted files --------------------------------------------------


@contextlib.contextmanager
def open_inside(root: Path, name: str, limit: int = JSON_LIMIT) -> Iterator[BinaryIO]:
    """A real file inside a folder, open for reading; see `read_inside`."""
    parts = PurePosixPath(name).parts
    if not parts or any(part in ("..", "/", "") for part in parts):
        raise InputError(f"{root}: '{name}' is not a file of this folder.")
    at = root
    try:
        for part in parts[:-1]:
            at = at / part
            if not stat.S_ISDIR(os.lstat(at).st_mode):
                raise InputError(f"{at}: is not a real folder. Links in a folder of results are not followed.")
        at = at / parts[-1]
        handle = os.open(at, os.O_RDONLY | _O_NOFOLLOW | _O_NONBLOCK | _O_CLOEXEC | _O_BINARY)
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode):
            os.close(handle)
            raise InputError(f"{at}: is not a regular file.")
        with open(handle, "rb") as file:
            if about.st_size > limit:
                raise InputError(f"{at}: has {about.st_size:,} bytes; such a file of simlab's has at most {limit:,}.")
            yield file
    except FileNotFoundError:
        raise Missing(f"{at}: is missing.") from None
    except OSError as fault:
        if fault.errno == errno.ELOOP:
            raise InputError(f"{at}: is a link. Links in a folder of results are not followed.") from None
        raise InputError(f"{at}: cannot be read ({fault.strerror}).") from None


def read_inside(root: Path, name: str, limit: int = JSON_LIMIT) -> bytes:
    """The bytes of a real file inside a folder; `name` is a path relative to the folder, with `/`.

    Raises:
        InputError: the path leaves the folder or goes through a link, is not a regular file, is too large or
            unreadable; Missing if it does not exist.
    """
    with open_inside(root, name, limit) as file:
        return file.read(limit)


def refuse_links(root: Path, name: str) -> None:
    """Makes sure that a file written as `name`, a path with `/`, lands inside the folder.

    Raises:
        InputError: one of the folders on the way is a link, or is not a folder.
    """
    at = root
    for part in PurePosixPath(name).parts[:-1]:
        at = at / part
        try:
            kind = os.lstat(at).st_mode
        except FileNotFoundError:
            return
        except OSError as fault:
            raise explained(at, fault) from fault
        if stat.S_ISLNK(kind):
            raise InputError(f"{at}: is a link, and results are not written through links. Remove it, or use --out.")
        if not stat.S_ISDIR(kind):
            raise InputError(f"{at}: a file is in the way. Remove it, or choose another folder with --out.")


def parse_json(data: bytes, where: str) -> Any:
    """JSON as data; InputError if the text is not JSON, is nested too deeply, or has NaN and the like."""
    try:
        return json.loads(data, parse_constant=_no_constant)
    except (ValueError, RecursionError) as fault:
        why = "nested too deeply" if isinstance(fault, RecursionError) else str(fault)[:200]
        raise InputError(f"{where}: is damaged or not simlab's ({why}).") from None


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number")
