"""Compiling kernels and entry points with Numba, with a cache that is never stale.

Numba's own cache checks only the file that defines a function, although compiled code contains the values of globals.
Here each kernel and entry point is stored under a digest of its content (simlab.compiler.digest,
simlab.compiler.linker). The linker uses private parts of Numba. If they are not as expected, or with SIMLAB_LINKER=0,
plain Numba compiles each entry point as a whole, in a cache folder named after the digest.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import itertools
import os
import platform
import re
import secrets
import types
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar, cast

import llvmlite
import numba
import numpy as np
from numba.core import config as _numba_config

from simlab.compiler import cache
from simlab.compiler.dependencies import digest_files

# Bots are passed as first-class functions; the lab's tests cover the parts of them in use.
warnings.filterwarnings("ignore", "First-class function type", numba.NumbaExperimentalFeatureWarning)

F = TypeVar("F", bound=Callable[..., Any])
Progress = Callable[[str, int, int], None]
config: Any = _numba_config

CUSTOM_METRIC = "simlab_metric_"  #: prefix of the modules that simlab.registry imports from metric files
#: Settings of Numba that do not affect compilation, or that `toolchain` includes by their effect.
_NO_EFFECT = frozenset(
    f"NUMBA_{name}"
    for name in ("BOUNDSCHECK", "CACHE_DIR", "DISABLE_JIT", "DISABLE_PERFORMANCE_WARNINGS", "NUM_THREADS", "OPT")
)


def _record_name(kind: Any) -> tuple[str, tuple[int]]:
    """The part of a compiled function's name that identifies a record type: the same in every process, and unique for
    each type. Numba uses a number that starts at 0 in each process. Code for two records, compiled in two processes and
    loaded by a third, could then have the same name, so that one function would call the wrong one and crash.
    """
    digest = hashlib.sha256(str(kind).encode()).digest()
    return type(kind).__name__, (int.from_bytes(digest[:7], "little"),)


setattr(numba.types.Record, "mangling_args", property(_record_name))  # noqa: B010 - numba types it as a method


def _speed_up_numba() -> None:
    """Saves a fifth of the time to compile a large game by skipping two steps: before each pass, Numba spells out the
    argument types with all fields of a record, and it colours messages of errors that it catches.
    """
    record: Any = numba.types.Record
    spelled: weakref.WeakKeyDictionary[Any, str] = weakref.WeakKeyDictionary()
    spell = record.__repr__

    def spell_once(kind: Any) -> str:
        text = spelled.get(kind)
        if text is None:
            text = spelled[kind] = spell(kind)
        return text

    record.__repr__ = spell_once
    with contextlib.suppress(ImportError, AttributeError):
        from numba.core import errors

        if hasattr(errors, "HighlightColorScheme") and config.COLOR_SCHEME == "no_color":
            errors.HighlightColorScheme._markup = lambda scheme, text, color=None, style=None: text


_speed_up_numba()
with contextlib.suppress(ImportError):  # Numba also numbers functions from 0 in each process
    from numba.core.bytecode import FunctionIdentity

    FunctionIdentity._unique_ids = itertools.count(secrets.randbits(50) << 12)


@functools.cache
def linker() -> Any:
    """The module simlab.compiler.linker; None if Numba's private parts are not as it expects or SIMLAB_LINKER=0."""
    if os.environ.get("SIMLAB_LINKER") == "0":
        return None
    try:
        from simlab.compiler import linker

        linker.check_numba()
    except (ImportError, AttributeError) as fault:
        warnings.warn(
            f"numba {numba.__version__} does not fit simlab's linker ({fault}). Games are the same, but each edit "
            "compiles the whole game again.",
            stacklevel=2,
        )
        return None
    return linker


def _links() -> bool:
    return compiling() and linker() is not None


# --- Kernels ------------------------------------------------------------------


def kernel(function: F) -> F:
    """Compiles a rule or a bot's helper on first use; compiled code releases the interpreter lock."""
    return checked_kernel(function) if function.__module__.startswith(CUSTOM_METRIC) else _kernel(function)


def checked_kernel(function: F, inlined: bool = False) -> F:
    """A kernel that raises IndexError for an index out of range; other kernels would access other memory."""
    return _kernel(function, boundscheck=True, **({"forceinline": True} if inlined else {}))


def small_kernel(function: F) -> F:
    """A kernel that is inlined, for a few lines that are called everywhere or a rule that is called from one place."""
    return _kernel(function, forceinline=True)


def _kernel(function: F, **options: bool) -> F:
    if not compiling():
        return function
    if linker():
        return cast(F, linker().Kernel(function, targetoptions=options))
    plain: Any = numba.njit
    return cast(F, plain(nogil=True, **options)(function))


def compiling() -> bool:
    """Whether kernels are compiled; with NUMBA_DISABLE_JIT=1 the same code runs as plain Python."""
    return not config.DISABLE_JIT


def strict() -> contextlib.AbstractContextManager[Any]:
    """Makes plain Python raise the errors that compiled code raises; NumPy continues after a division by zero."""
    return contextlib.nullcontext() if compiling() else np.errstate(divide="raise", invalid="raise")


def specialise(function: Callable[..., Any], **names: object) -> Callable[..., Any]:
    """The function with other globals: a game's own play loop without a closure, which Numba could not cache."""
    bound = types.FunctionType(
        function.__code__, {**function.__globals__, **names}, function.__name__, function.__defaults__
    )
    bound.__module__ = function.__module__
    bound.__qualname__ = function.__qualname__
    return bound


# --- Entry points -------------------------------------------------------------


def is_compiled(function: Callable[..., Any], signature: Any, files: Iterable[Path] = ()) -> bool:
    """Whether the cache has an entry point; arguments as for compile_entry."""
    plain = getattr(function, "py_func", function)
    if not linker():
        folder = _numba_folder(plain, signature, files)
        return folder is not None and any(folder.glob("*/*.nbi"))
    with session(files):
        return bool(linker().Entry(plain).is_stored(signature))


def compile_entry(function: Callable[..., Any], signature: Any, files: Iterable[Path] = ()) -> Callable[..., Any]:
    """Compiles an entry point for one signature, with everything that it calls, or loads it from the cache.

    Args:
        function: plain Python or a `kernel`.
        files: the sources. Files among them that extend the compiler can change the meaning of all code.
    """
    plain = getattr(function, "py_func", function)
    if not compiling():
        return cast(Callable[..., Any], plain)
    if not linker():
        return _compile_with_numba(plain, signature, files)
    entry = linker().Entry(plain)
    with session(files):
        entry.compile(signature)
    entry.disable_compile()
    return cast(Callable[..., Any], entry)


def direct(entry: Callable[..., Any]) -> Callable[..., Any]:
    """An entry point for callers whose arguments always have its types, which are not checked."""
    return cast(Callable[..., Any], linker().direct(entry)) if _links() else entry


def _numba_folder(plain: Callable[..., Any], signature: Any, files: Iterable[Path]) -> Path | None:
    """The folder of an entry point that plain Numba compiles; None without a digest: it is not stored."""
    from simlab.compiler.digest import Digests, NoDigest

    try:
        content = Digests().of(plain)
    except NoDigest:
        return None
    parts = [_scope(files).encode(), content, repr(signature).encode()]
    return cache.cache_root() / "kernels" / hashlib.sha256(b"\0".join(parts)).hexdigest()[:32]


def _compile_with_numba(plain: Callable[..., Any], signature: Any, files: Iterable[Path]) -> Callable[..., Any]:
    """Compiles or loads an entry point with Numba's own cache, in a folder that only this user can write to."""
    if _STEPS and not is_compiled(plain, signature, files):
        _STEPS[-1](plain.__name__, 0, 1)
    place, before, private = _numba_folder(plain, signature, files), config.CACHE_DIR, False
    if place is not None:
        with contextlib.suppress(OSError):
            cache.make_folder(place)
            private = cache.is_private(place.stat()) and os.access(place, os.W_OK)
    config.CACHE_DIR = str(place)
    try:
        entry: Any = numba.njit(nogil=True, cache=private)(plain)
    finally:
        config.CACHE_DIR = before
    entry.compile(signature)
    entry.disable_compile()
    return cast(Callable[..., Any], entry)


_STEPS: list[Progress] = []  # of the sessions


@contextlib.contextmanager
def session(files: Iterable[Path] = (), step: Progress | None = None) -> Iterator[None]:
    """Compilation in this context is cached.

    Args:
        files: as for compile_entry.
        step: called with (name, functions ready, functions in all) before each function is compiled; None: the `step`
            of the enclosing session.
    """
    cache.delete_unused()
    if step:
        _STEPS.append(step)
    try:
        with linker().session(_scope(files), _STEPS[-1] if _STEPS else None) if _links() else contextlib.nullcontext():
            yield
    finally:
        if step:
            _STEPS.pop()


def _scope(files: Iterable[Path]) -> str:
    return "/".join([toolchain(), *_extensions(tuple(files))])


# --- The toolchain ------------------------------------------------------------


def toolchain() -> str:
    """Everything except the sources that compiled code depends on, for keys in a cache that machines may share."""
    versions = [numba.__version__, llvmlite.__version__, np.__version__, platform.python_version(), platform.machine()]
    return "/".join([*versions, f"bounds={bool(config.BOUNDSCHECK)}", *([_compiler_digest()] if compiling() else [])])


@functools.lru_cache(maxsize=1)
def _compiler_digest() -> str:
    from numba.core.registry import cpu_target

    own = [Path(__file__).with_name(f"{name}.py") for name in ("kernels", "linker", "digest", "cache", "bits")]
    settings = sorted(f"{n}={v}" for n, v in os.environ.items() if n.startswith("NUMBA_") and n not in _NO_EFFECT)
    processor = str(cpu_target.target_context.codegen().magic_tuple())
    return digest_files(own, *settings, processor, f"linker={linker() is not None}")


@functools.lru_cache(maxsize=64)
def _extensions(files: tuple[Path, ...]) -> tuple[str, ...]:
    """Digest of the sources that extend the compiler, which can change the meaning of code in other files."""
    own = [path for path in files if path.suffix == ".py" and not path.is_relative_to(Path(__file__).parent)]
    extending = [
        path for path in own if re.search(rb"numba.*(extending|extension)|overload(?!s)|intrinsic", path.read_bytes())
    ]
    return (digest_files(extending),) if extending else ()
