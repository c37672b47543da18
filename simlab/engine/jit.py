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
import os
import platform
import re
import stat
import sys
import time
import types
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar, cast

import llvmlite
import numba
import numpy as np
from numba.core import config as _numba_config

from simlab.engine import kept, reads
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
F = TypeVar("F", bound=Callable[..., Any])

#: Modules of this folder that decide how games go.
_OWN = ("jit.py", "machine.py", "content.py", "kept.py")  #: the compiler's
_ENGINE_FILES = (*_OWN, "streams.py", "loop.py", "table.py", "compiled.py", "setting.py", "match.py")
#: Libraries that carry a version of their own and no rules: not followed.
_FOREIGN = frozenset(
    {"numpy", "numba", "llvmlite", "scipy", "pandas", "polars", "matplotlib", "seaborn", "rich", "typer"}
)
#: Parts of a game's folder that its rules do not read: what Python, Numba and the lab write.
_NO_FOLDERS = frozenset({"__pycache__", "results"})
_NO_FILES = frozenset({".pyc", ".nbi", ".nbc", ".code", ".entry"})
#: Settings of Numba that do not change what it compiles, or that `toolchain` names by what they come to.
_NO_SETTINGS = frozenset(
    {
        "NUMBA_BOUNDSCHECK", "NUMBA_CACHE_DIR", "NUMBA_DISABLE_JIT", "NUMBA_DISABLE_PERFORMANCE_WARNINGS",
        "NUMBA_NUM_THREADS", "NUMBA_OPT",
    }
)  # fmt: skip
_FINGERPRINT = "fingerprint.json"  # written from the games, so no part of the rules
MOST_FILES, MOST_BYTES = 5_000, 100_000_000  #: of a game's folder, which is read as a whole


METRIC_FILE = "simlab_metric_"  #: begins the name of a module that simlab.registry imports from a user's metric file


def kernel(function: F) -> F:
    """Compile a rule or a bot's helper when it is first used; releases the interpreter lock."""
    if function.__module__.startswith(METRIC_FILE):
        return checked_kernel(function)
    return _kernel(function)


def checked_kernel(function: F) -> F:
    """A kernel that raises IndexError for an index out of range, where other kernels read and write other memory."""
    return _kernel(function, boundscheck=True)


def small_kernel(function: F) -> F:
    """A kernel put in place of each call: for a few lines called everywhere, or a rule called from one place."""
    return _kernel(function, forceinline=True)


def _kernel(function: F, **options: bool) -> F:
    if not compiling():
        return function
    from simlab.engine import machine

    return cast(F, machine.Kernel(function, targetoptions=options))


def compiling() -> bool:
    """Whether kernels are compiled; with NUMBA_DISABLE_JIT=1 the same code runs as plain Python."""
    return not config.DISABLE_JIT


def strict() -> contextlib.AbstractContextManager[Any]:
    """Plain Python that raises where compiled code does: NumPy's numbers would go on after a division by zero."""
    return contextlib.nullcontext() if compiling() else np.errstate(divide="raise", invalid="raise")


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
        if here.resolve() in been or (here != folder and "manifest.json" in names) or here == kept.cache_root():
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
    waiting: list[ast.AST] = [ast.parse(path.read_bytes())]
    while waiting:
        node = waiting.pop()
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):  # imports stand among statements
            inner = getattr(node, part, ())
            waiting.extend(inner if isinstance(inner, list) else ())
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
    """What compiled code depends on besides the sources: part of every name in the cache.

    The processor counts: a cache may lie on a disk that several machines share, or be carried from one to another.
    """
    versions = [numba.__version__, llvmlite.__version__, np.__version__, platform.python_version(), platform.machine()]
    return "/".join([*versions, f"bounds={bool(config.BOUNDSCHECK)}", *([_compiler_digest()] if compiling() else [])])


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
    """Whether an entry point has been compiled for these sources."""
    return _noted(folder, label) is not None


def compile_entry(
    function: Callable[..., Any],
    signature: Any,
    folder: Path,
    label: str,
    files: Iterable[Path] = (),
    step: Callable[[str, int, int], None] | None = None,
) -> Callable[..., Any]:
    """An entry point compiled for one signature, with all that it calls, and kept on disk.

    Args:
        function: plain Python or a `kernel`.
        signature: Numba signature.
        folder: named after the digest of all sources: while none changes, the entry is found by this name.
        label: unique in the folder.
        files: the sources.
        step: called with (name, functions ready, functions in all) before each that is compiled.
    """
    plain = getattr(function, "py_func", function)
    if not compiling():
        return cast(Callable[..., Any], plain)
    from simlab.engine import machine

    entry = machine.Entry(plain)
    key = _noted(folder, label)
    if key is None or not entry.adopt(key, signature):
        with session(files, step):
            entry.compile(signature)
            _note(folder, label, entry.key)
    entry.disable_compile()
    return entry


@contextlib.contextmanager
def session(files: Iterable[Path] = (), step: Callable[[str, int, int], None] | None = None) -> Iterator[None]:
    """What is compiled meanwhile is kept on disk; arguments as for compile_entry."""
    from simlab.engine import machine

    kept.tidy()
    with machine.session("/".join([toolchain(), *_extensions(tuple(files))]), step):
        yield


@functools.lru_cache(maxsize=1)
def _compiler_digest() -> str:
    """The lab's own part of the compiler, and the processor it compiles for."""
    from numba.core.registry import cpu_target

    own = [Path(__file__).with_name(name) for name in _OWN]
    settings = sorted(f"{n}={v}" for n, v in os.environ.items() if n.startswith("NUMBA_") and n not in _NO_SETTINGS)
    return digest_files(own, *settings, str(cpu_target.target_context.codegen().magic_tuple()))


@functools.lru_cache(maxsize=64)
def _extensions(files: tuple[Path, ...]) -> tuple[str, ...]:
    """Digests of sources that may teach the compiler something: code elsewhere can then mean something else."""
    own = [path for path in files if path.suffix == ".py" and not path.is_relative_to(Path(__file__).parent)]
    teaching = [
        path for path in own if re.search(rb"numba.*(extending|extension)|overload|intrinsic", path.read_bytes())
    ]
    return (digest_files(teaching),) if teaching else ()


def _noted(folder: Path, label: str) -> str | None:
    """The key of an entry's code, where it was compiled for the sources that the folder is named after."""
    key = (kept.read_own(folder / f"{label}.entry") or b"").decode("ascii", "replace")
    return key if re.fullmatch("[0-9a-f]{32}", key) else None


def _note(folder: Path, label: str, key: str | None) -> None:
    if key is None:
        return
    with contextlib.suppress(OSError):
        kept.write_own(folder / f"{label}.entry", key.encode("ascii"))
