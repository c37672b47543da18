"""The compiler, spelled in one place, with a cache that is never stale.

Numba's own cache looks at the time stamp of the one file that a function stands in: edit a rule in a helper module, or
a table read into a global, and it goes on playing the old rules. So compiled code is kept in a folder named after a
digest of every file that it can depend on: the module's imports, followed through, what each of them read while it was
imported, and all files of the game's folder.

Source of the trap: Numba's notes on caching (changes in other files are not seen; globals are frozen).
"""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import json
import os
import platform
import shutil
import stat
import sys
import time
import traceback
import types
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar, cast

import llvmlite
import numba
import numpy as np
from numba.core import config as _numba_config

from simlab.engine import reads
from simlab.errors import UserMistake

# Bots are passed as first-class functions; the lab's tests cover what it uses of them.
warnings.filterwarnings("ignore", "First-class function type", numba.NumbaExperimentalFeatureWarning)

config: Any = _numba_config


def _name_of_record(kind: Any) -> tuple[str, tuple[int]]:
    """A record's part of the name of a compiled function: the same in every process, another for another record.

    Numba takes a number that it gives out anew in each process. Code for two records, compiled in two processes and
    loaded from the disk by a third, may then go by one name, and the third calls the one for the other: a crash.
    """
    digest = hashlib.sha256(str(kind).encode()).digest()
    return type(kind).__name__, (int.from_bytes(digest[:7], "little"),)


setattr(numba.types.Record, "mangling_args", property(_name_of_record))  # noqa: B010 - numba types it as a method
_PATIENCE = 600.0  # seconds to wait for another process that compiles the same
F = TypeVar("F", bound=Callable[..., Any])

#: Modules of this folder that decide how games go.
_ENGINE_FILES = ("streams.py", "jit.py", "loop.py", "compiled.py", "setting.py", "match.py")
#: Libraries that carry a version of their own and no rules: not followed.
_FOREIGN = frozenset(
    {"numpy", "numba", "llvmlite", "scipy", "pandas", "polars", "matplotlib", "seaborn", "rich", "typer"}
)
#: Parts of a game's folder that its rules do not read: what Python, Numba and the lab write.
_NO_FOLDERS = frozenset({"__pycache__", "results"})
_NO_FILES = frozenset({".pyc", ".nbi", ".nbc"})
_FINGERPRINT = "fingerprint.json"  # written from the games, so no part of the rules
MOST_FILES, MOST_BYTES = 5_000, 100_000_000  #: of a game's folder, which is read as a whole


def kernel(function: F) -> F:
    """Compile a rule or a bot's helper when it is first used; releases the interpreter lock."""
    return cast(F, numba.njit(nogil=True)(function))


def small_kernel(function: F) -> F:
    """A kernel put in place of each call: for a few lines called everywhere, or a rule called from one place."""
    return cast(F, numba.njit(nogil=True, forceinline=True)(function))


def compiling() -> bool:
    """Whether kernels are compiled; with NUMBA_DISABLE_JIT=1 the same code runs as plain Python."""
    return not config.DISABLE_JIT


@functools.lru_cache(maxsize=1024)
def source_files(module_names: tuple[str, ...], folders: tuple[Path, ...] = ()) -> tuple[Path, ...]:
    """Every file that the modules' compiled code can depend on, sorted.

    Args:
        module_names: imported modules; their imports are followed, the standard library and numeric libraries left
            out, and what each of these modules read while it was imported counts too.
        folders: folders whose files count as a whole (games): see `files_of`.
    """
    base = Path(__file__).parent
    found = {base / name for name in _ENGINE_FILES} | {base.parent / "game.py"}
    found.update((base / "counts").glob("*.py"))
    for folder in folders:
        found.update(files_of(folder))
    waiting = list(module_names)
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        module = sys.modules.get(name)
        if name in seen or module is None or name.split(".")[0] in _FOREIGN | sys.stdlib_module_names:
            continue
        seen.add(name)
        file = getattr(module, "__file__", None)
        if not file or not file.endswith(".py"):
            continue
        path = Path(file)
        if path.is_relative_to(base.parent) and path.parent in (base, base / "counts", base.parent):
            continue  # the lab's own machinery: named above
        found.add(path)
        found.update(reads.files_read_by(name))
        waiting.extend(_imports(path, module))
    return tuple(sorted(found))


@functools.lru_cache(maxsize=256)
def files_of(folder: Path) -> tuple[Path, ...]:
    """All files of a game's folder as this process first saw it, sorted: its rules may read any of them.

    Left out: hidden files, folders called `results` or `__pycache__`, folders of results (with a manifest.json), the
    compiler's caches, the game's fingerprint, pipes and devices, and what this process prints into.

    Raises:
        UserMistake: more than MOST_FILES files or MOST_BYTES bytes, or a folder that cannot be read.
    """
    files: list[Path] = []
    size, been = 0, set()

    def refuse(fault: OSError) -> None:
        raise UserMistake(f"{fault.filename}: cannot be read ({fault.strerror}). It lies in the folder of a game.")

    for place, folders, names in os.walk(folder, followlinks=True, onerror=refuse):
        here = Path(place)
        if here.resolve() in been or (here != folder and "manifest.json" in names) or here == cache_root():
            folders.clear()
            continue
        been.add(here.resolve())
        folders[:] = [name for name in folders if not name.startswith(".") and name not in _NO_FOLDERS]
        for path in (here / name for name in names):
            if path.name.startswith(".") or path.suffix in _NO_FILES or path == folder / _FINGERPRINT:
                continue
            with contextlib.suppress(FileNotFoundError):  # a link to nowhere, or gone since it was listed
                about = path.stat()
                if stat.S_ISREG(about.st_mode) and not _printed_into(about):
                    files.append(path)
                    size += about.st_size
            if len(files) > MOST_FILES or size > MOST_BYTES:
                raise UserMistake(
                    f"{folder}: the folder of a game holds {MOST_FILES:,} files and {MOST_BYTES / 1e6:.0f} MB at most, "
                    "since all of it is read to see whether a rule has changed. Move out what the rules do not read."
                )
    return tuple(sorted(files))


def _printed_into(about: os.stat_result) -> bool:
    """Whether standard output or standard error goes into this file: it grows while the game is played."""
    for stream in (1, 2):
        with contextlib.suppress(OSError):
            if os.path.samestat(os.fstat(stream), about):
                return True
    return False


def _imports(path: Path, module: types.ModuleType) -> Iterator[str]:
    """Names of the modules that a source file imports; of `from a import b` both a and a.b."""
    package = module.__package__ or ""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            for alias in node.names:
                parts = alias.name.split(".")
                yield from (".".join(parts[: i + 1]) for i in range(len(parts)))
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                up = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*up, base] if base else up)
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


_LOADED: dict[Path, bytes] = {}  # digest of each source file as this process loaded it


def remember(paths: Iterable[Path]) -> None:
    """Takes the digests of source files, just before they are imported.

    A process goes on with the code that it has loaded, whatever becomes of the file; its digest has to be that of the
    code in memory, or old code would be kept in the cache under the new file's name.
    """
    for path in paths:
        if path not in _LOADED:
            _LOADED[path] = _digest(path)


def _digest(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").digest()
    except OSError as fault:
        raise UserMistake(f"{path}: cannot be read ({fault.strerror}). It belongs to a game or a bot.") from None


def _remember_read(path: Path) -> None:
    if path.stat().st_size <= MOST_BYTES:  # a larger one is digested when a game or a bot is known to need it
        remember([path])


reads.before_each_read(_remember_read)


def digest_files(paths: Iterable[Path], *extra: str) -> str:
    """SHA-256 over the names and contents of source files as this process loaded them, and texts besides.

    Raises:
        UserMistake: a file was changed after this process started, and it is not known which version was loaded.
    """
    total = hashlib.sha256()
    for path in sorted(paths):
        if path not in _LOADED:
            # A stamp in the future says that the clock was set back, not that the file was changed meanwhile.
            if reads.STARTED < path.stat().st_ctime <= time.time() + 1:
                raise UserMistake(f"{path} was changed after this process had started. Start again to play it.")
            remember([path])
        total.update(path.name.encode() + b"\0")
        total.update(_LOADED[path])
    for text in extra:
        total.update(text.encode() + b"\0")
    return total.hexdigest()


def toolchain() -> str:
    """What compiled code depends on besides the sources; part of the cache's name."""
    return "/".join(
        [
            numba.__version__,
            llvmlite.__version__,
            np.__version__,
            platform.python_version(),
            platform.machine(),
            f"bounds={config.BOUNDSCHECK}",
            f"opt={config.OPT}",
        ]
    )


def cache_root() -> Path:
    """Where compiled code is kept: $SIMLAB_CACHE, else the user's cache folder."""
    if os.environ.get("SIMLAB_CACHE"):
        return Path(os.environ["SIMLAB_CACHE"])
    import platformdirs

    return Path(platformdirs.user_cache_path("simlab"))


@contextlib.contextmanager
def _kept_in(folder: Path) -> Iterator[bool]:
    """Numba keeps what is compiled here in `folder`; yields whether it can be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        writable = os.access(folder, os.W_OK)
    except OSError:
        writable = False
    before = config.CACHE_DIR
    config.CACHE_DIR = str(folder)
    try:
        yield writable
    finally:
        config.CACHE_DIR = before


def specialise(function: Callable[..., Any], **names: object) -> Callable[..., Any]:
    """The function with other globals: how one play loop is compiled for each game without a closure.

    (Numba cannot cache a closure over compiled functions.)
    """
    bound = types.FunctionType(
        function.__code__, {**function.__globals__, **names}, function.__name__, function.__defaults__
    )
    bound.__module__ = function.__module__
    bound.__qualname__ = function.__qualname__
    return bound


def is_compiled(folder: Path, label: str) -> bool:
    """Whether an entry point has been compiled into this cache folder."""
    return (folder / f"{label}.compiled").exists()


def compile_entry(function: Callable[..., Any], signature: Any, folder: Path, label: str) -> Callable[..., Any]:
    """An entry point compiled for one signature and kept on disk.

    Args:
        function: plain Python or a `kernel`.
        signature: Numba signature.
        folder: named after the digest of all sources.
        label: unique in the folder. Each entry has a folder of its own: Numba tells specialised copies of one function
            apart by their code, not by their globals, and would give one for the other.
    """
    plain = getattr(function, "py_func", function)
    if not compiling():
        return cast(Callable[..., Any], plain)
    with _kept_in(folder / label) as writable:
        plans = [True, True, False] if writable else [False]  # whether to keep it, try by try
        while plans:
            kept = plans.pop(0)
            try:
                return cast(Callable[..., Any], _compiled(plain, signature, folder, label, kept))
            except Exception as fault:
                # Files that cannot be read are dropped; where none can be written, the code is compiled and not kept.
                if not kept or not _of_the_cache(fault):
                    raise
                _drop(folder, label)
                if isinstance(fault, OSError):  # the disk: it would refuse again, after the time it takes to compile
                    plans = [False]
    raise AssertionError("unreachable")


def _compiled(function: Callable[..., Any], signature: Any, folder: Path, label: str, kept: bool) -> Any:
    if not kept:
        return numba.njit(signature, nogil=True)(function)
    with _alone(folder / f"{label}.lock"):
        if not _is_whole(folder, label):
            _drop(folder, label)
        done = numba.njit(signature, cache=True, nogil=True)(function)
        _seal(folder, label)
        return done


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Lets one process at a time compile an entry: the next one finds it made. A process that dies lets go."""
    import fcntl

    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        end = time.monotonic() + _PATIENCE
        while time.monotonic() < end:  # no longer: whoever holds it may be suspended, and two may compile as well
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                time.sleep(0.05)
            except OSError:  # a file system without locks
                break
        yield
    finally:
        os.close(handle)


def _contents(folder: Path, label: str) -> dict[str, str]:
    """Name -> SHA-256 of the files that Numba keeps of an entry."""
    paths = sorted(path for path in (folder / label).rglob("*") if path.suffix in (".nbi", ".nbc"))
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


def _seal(folder: Path, label: str) -> None:
    """Notes what belongs to an entry, once all of it is written."""
    mark = folder / f"{label}.compiled"
    text = json.dumps(_contents(folder, label), sort_keys=True)
    with contextlib.suppress(OSError):
        if mark.read_text() == text:
            return
    part = folder / f"{label}.{os.getpid()}.part"
    part.write_text(text)
    os.replace(part, mark)


def _is_whole(folder: Path, label: str) -> bool:
    """Whether the files of an entry are those that were sealed: none is cut, changed, missing or left half done."""
    try:
        return bool(json.loads((folder / f"{label}.compiled").read_text()) == _contents(folder, label))
    except (OSError, ValueError):
        return False


def _drop(folder: Path, label: str) -> None:
    with contextlib.suppress(OSError):
        (folder / f"{label}.compiled").unlink(missing_ok=True)
    shutil.rmtree(folder / label, ignore_errors=True)
    with contextlib.suppress(OSError):
        (folder / label).mkdir()


def _of_the_cache(fault: BaseException) -> bool:
    """Whether an error comes of reading or writing kept code, not of compiling it."""
    if isinstance(fault, OSError):
        return True
    files = {Path(frame.filename).name for frame in traceback.extract_tb(fault.__traceback__)}
    return "caching.py" in files and not isinstance(fault, numba.core.errors.NumbaError)


def check_cache() -> tuple[int, int]:
    """(entries kept, entries that were damaged and are dropped now); what is dropped is compiled again when needed."""
    root = cache_root() / "kernels"
    marks = sorted(root.glob("*/*.compiled")) if root.is_dir() else []
    damaged = 0
    for mark in marks:
        with contextlib.suppress(OSError), _alone(mark.with_suffix(".lock")):
            if not _is_whole(mark.parent, mark.stem):
                _drop(mark.parent, mark.stem)
                damaged += 1
    return len(marks) - damaged, damaged
