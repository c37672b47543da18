"""The files on which compiled code depends, and their digests.

Numba's own cache checks only the file that defines a function. If you edit a helper in another module, or a table that
is read into a global, Numba keeps running the old rules. The lab therefore follows a module's imports. A bot may also
read its weights from a file, so the lab records each file that a module reads while it is imported (an audit hook, PEP
578). Recording starts with `import simlab`.
"""

from __future__ import annotations

import os
import re
import stat
import sys
import threading
import time
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from types import FrameType

STARTED = time.time()  #: when recording started
MOST_FILES, MOST_BYTES = 5_000, 100_000_000  #: limits of a game's folder, which is read as a whole
_READ_BY: dict[str, set[Path]] = {}  # module -> files that it read while it was imported
_LOADED: dict[Path, bytes] = {}  # digest of each source file as this process loaded it
_IMPORTED_AS: dict[tuple[str, str], str] = {}  # (module, top-level name in an import) -> module that it imported
_BUSY = threading.local()
_SYSTEM = tuple(Path(place) for place in {sys.prefix, sys.base_prefix, "/proc", "/sys", "/dev", "/etc", "/usr"})
_READERS_OF_CODE = ("importlib", "_frozen_importlib", "zipimport", "linecache", "tokenize")
#: Libraries whose version is part of the toolchain or that contain no rules: their imports are ignored.
_FOREIGN = frozenset(
    {"greenlet", "numpy", "numba", "llvmlite", "scipy", "pandas", "polars", "matplotlib", "rich", "typer"}
)
_NO_FOLDERS = frozenset({"__pycache__", "results"})  # of a game's folder: written by Python and the lab
_NO_FILES = frozenset({".pyc", ".nbi", ".nbc", ".code"})
_FINGERPRINT = re.compile(r"(.+\.)?fingerprint(-\d+)?\.json")  # computed from the rules, so not a part of them
_COMPILER = tuple(
    Path(__file__).with_name(f"{name}.py") for name in ("kernels", "linker", "digest", "cache", "dependencies")
)


# --- Files read during imports ------------------------------------------------


def _record_read(event: str, arguments: tuple[object, ...]) -> None:
    if event != "open" or getattr(_BUSY, "now", False):
        return
    name, _, flags = arguments
    if not isinstance(name, str | bytes | os.PathLike) or not isinstance(flags, int):
        return
    if flags & (os.O_WRONLY | os.O_RDWR):
        return
    _BUSY.now = True  # the lab's own reads are not recorded
    try:
        frame = _importing(sys._getframe(1))
        if frame is not None:
            _note(frame, Path(os.path.abspath(os.fsdecode(name))))
    except (OSError, ValueError):
        pass  # the module is about to meet the same error
    finally:
        _BUSY.now = False


def _importing(frame: FrameType | None) -> FrameType | None:
    """Frame of the innermost module being imported; None if there is none, or while a module's code is read."""
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
    about = path.stat()
    if stat.S_ISREG(about.st_mode):
        _READ_BY.setdefault(str(frame.f_globals.get("__name__")), set()).add(path)
        if about.st_size <= MOST_BYTES:  # a larger file is digested once a game or a bot is known to need it
            remember([path])


sys.addaudithook(_record_read)


# --- Source files -------------------------------------------------------------


def follow_imports(module_names: Iterable[str], known: Iterable[Path] = ()) -> set[Path]:
    """Source files of the modules and all modules that they import, the files that they read during import, and the
    compiler's own files. The standard library, numeric libraries and the `known` folders are left out; the caller lists
    the latter.
    """
    found, seen, stop = set(_COMPILER), set[str](), {*known, Path(__file__).parent}
    waiting = list(module_names)
    while waiting:
        name = waiting.pop()
        module = sys.modules.get(name)
        if name in seen or module is None or name.split(".")[0] in _FOREIGN | sys.stdlib_module_names:
            continue
        seen.add(name)
        path = Path(getattr(module, "__file__", None) or "")
        if path.suffix == ".py" and path.parent not in stop:
            found |= {path, *_READ_BY.get(name, ())}
            for imported in _imports(path.read_bytes(), module.__package__ or ""):
                head, dot, rest = imported.partition(".")
                waiting.append(f"{_IMPORTED_AS.get((name, head), head)}{dot}{rest}")
    return found


def note_import(importer: str, head: str, module: str) -> None:
    """Records that a module's `import head` imports a module of another name."""
    _IMPORTED_AS[importer, head] = module


@lru_cache(maxsize=1024)  # the bots of a game import the same modules
def _imports(source: bytes, package: str) -> frozenset[str]:
    """Names of the modules that a source imports; for `from a import b` both a and a.b."""
    import ast

    above, found = package.split("."), set[str]()
    waiting: list[ast.AST] = [ast.parse(source)]
    while waiting:
        node = waiting.pop()
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):  # imports are statements
            inner = getattr(node, part, ())
            waiting.extend(inner if isinstance(inner, list) else ())
        if isinstance(node, ast.Import):
            for alias in node.names:
                parts = alias.name.split(".")
                found.update(".".join(parts[: i + 1]) for i in range(len(parts)))
        elif isinstance(node, ast.ImportFrom):
            up = above[: len(above) - node.level + 1] if node.level else []
            base = ".".join([*up, *([node.module] if node.module else [])])
            found |= {base, *(f"{base}.{alias.name}" for alias in node.names)}
    return frozenset(found)


@lru_cache(maxsize=256)
def files_of(folder: Path) -> tuple[Path, ...]:
    """All files of a game's folder, sorted, as this process first saw them. All of them count, because the rules may
    read any file.

    Left out: hidden files, folders called `results` or `__pycache__`, folders of results (with a manifest.json), the
    compiler's caches, the game's fingerprint, pipes and devices, and files that this process prints into.

    Raises:
        InputError: more than MOST_FILES files or MOST_BYTES bytes, or a folder that cannot be read.
    """
    from simlab.compiler.cache import cache_root
    from simlab.errors import InputError

    files: list[Path] = []
    size, been = 0, set()

    def refuse(fault: OSError) -> None:
        raise InputError(f"{fault.filename}: cannot be read ({fault.strerror}). It is in the folder of a game.")

    for place, folders, names in os.walk(folder, followlinks=True, onerror=refuse):
        here = Path(place)
        if here.resolve() in been or (here != folder and "manifest.json" in names) or here == cache_root():
            folders.clear()
            continue
        been.add(here.resolve())
        folders[:] = [name for name in folders if not name.startswith(".") and name not in _NO_FOLDERS]
        for path in (here / name for name in names):
            if (
                path.name.startswith(".")
                or path.suffix in _NO_FILES
                or (here == folder and _FINGERPRINT.fullmatch(path.name))
            ):
                continue
            try:
                about = path.stat()
            except FileNotFoundError:  # a dangling link, or deleted since it was listed
                continue
            if stat.S_ISREG(about.st_mode) and not _is_output(about):
                files.append(path)
                size += about.st_size
            if len(files) > MOST_FILES or size > MOST_BYTES:
                raise InputError(
                    f"{folder}: a game's folder may hold at most {MOST_FILES:,} files and {MOST_BYTES / 1e6:.0f} MB, "
                    "because all of it is read to detect changed rules. Move out what the rules do not read."
                )
    return tuple(sorted(files))


def _is_output(about: os.stat_result) -> bool:
    """Whether standard output or standard error goes to this file, which then grows while the game is played."""
    for stream in (1, 2):
        try:
            if os.path.samestat(os.fstat(stream), about):
                return True
        except OSError:
            pass
    return False


# --- Digests ------------------------------------------------------------------


def remember(paths: Iterable[Path]) -> None:
    """Computes the digests of source files just before they are imported.

    A process keeps running the code that it loaded, even if the file changes. The digest must be that of the code in
    memory, or old code would be cached under the digest of the new file.
    """
    for path in paths:
        if path not in _LOADED:
            _LOADED[path] = _digest(path)


def forget_changes(spared: Path) -> bool:
    """Forgets the versions of all files that have changed since this process loaded them, except those in a folder.

    Returns:
        Whether there are any.
    """
    changed = [path for path in _LOADED if not path.is_relative_to(spared) and _has_changed(path)]
    for path in changed:
        del _LOADED[path]
    if changed:
        files_of.cache_clear()
    return bool(changed)


def _has_changed(path: Path) -> bool:
    from simlab.errors import InputError

    try:
        return _digest(path) != _LOADED[path]
    except InputError:  # it was deleted
        return True


def _digest(path: Path) -> bytes:
    import hashlib

    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").digest()
    except OSError as fault:
        from simlab.errors import InputError

        raise InputError(f"{path}: cannot be read ({fault.strerror}). It belongs to a game or a bot.") from None


def digest_files(paths: Iterable[Path], *extra: str) -> str:
    """SHA-256 of the names and contents of source files as this process loaded them, and of further texts.

    Raises:
        InputError: a file was changed after this process started, and it is unclear which version was loaded.
    """
    import hashlib

    total = hashlib.sha256()
    for path in sorted(paths):
        if path not in _LOADED:
            # A time stamp in the future means that the clock was set back, not that the file changed.
            if STARTED < path.stat().st_ctime <= time.time() + 1:
                from simlab.errors import InputError

                raise InputError(f"{path} was changed after this process had started. Start again to play it.")
            remember([path])
        total.update(path.name.encode() + b"\0" + _LOADED[path])
    for text in extra:
        total.update(text.encode() + b"\0")
    return total.hexdigest()
