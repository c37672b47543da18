"""An examination of the installation, for bug reports: it names neither the machine nor its user."""

from __future__ import annotations

import platform
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from simlab import __version__
from simlab.compiler import cache, kernels
from simlab.compiler.parallel import processors
from simlab.present.answer import Answer, Part

LIBRARIES = ("numpy", "numba", "llvmlite", "polars", "pandas", "joblib", "psutil", "scipy", "matplotlib", "typer")


class InstallationCheck(Part):
    """A part of the installation. fine: whether simlab can use it."""

    what: str
    found: str
    fine: bool = True


class Doctor(Answer, form="doctor", source="simlab dev doctor"):
    checks: tuple[InstallationCheck, ...]

    @property
    def fine(self) -> bool:
        return all(check.fine for check in self.checks)


def examine(terminal: str) -> Doctor:
    """Examines the installation. terminal: description of the terminal."""
    return Doctor(checks=(*_machine(), *_libraries(), _cache(), _compiler(), *_surroundings(terminal)))


def _machine() -> Iterator[InstallationCheck]:
    python = f"{platform.python_version()} ({platform.python_implementation()})"
    yield InstallationCheck(what="simlab", found=__version__)
    yield InstallationCheck(what="python", found=python, fine=sys.version_info >= (3, 11))
    yield InstallationCheck(what="system", found=f"{platform.system()} {platform.machine()}")
    yield InstallationCheck(what="cores", found=str(processors()))


def _libraries() -> Iterator[InstallationCheck]:
    for name in LIBRARIES:
        found = _version(name)
        yield InstallationCheck(what=name, found=found or "missing", fine=found is not None)
    dask = _version("distributed")
    there = f"{dask} (for --backend dask)" if dask else "not installed: --backend dask needs simlab[dask]"
    yield InstallationCheck(what="distributed", found=there)


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _cache() -> InstallationCheck:
    root = cache.cache_root()
    shown = str(root).replace(str(Path.home()), "~", 1)
    try:
        root.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=root):
            pass
    except OSError as fault:
        why = fault.strerror or type(fault).__name__
        found = f"{shown}: cannot be written ({why}). Set SIMLAB_CACHE to a folder that can."
        return InstallationCheck(what="compiled code", found=found, fine=False)
    whole, damaged = cache.check()
    dropped = f"; {damaged} damaged: dropped, compiled again when needed" if damaged else ""
    return InstallationCheck(what="compiled code", found=f"{shown}: can be written, {whole} kept{dropped}")


def _compiler() -> InstallationCheck:
    import numba

    if not kernels.compiling():
        off = "switched off by NUMBA_DISABLE_JIT: everything runs, some hundred times slower"
        return InstallationCheck(what="compiler", found=off)
    began = time.perf_counter()
    doubled = numba.njit(lambda x: x + x)
    if doubled(21) != 42:
        return InstallationCheck(what="compiler", found="gives wrong results", fine=False)
    linker = "" if kernels.linker() else ", plain Numba: each edit compiles the whole game again"
    return InstallationCheck(what="compiler", found=f"works ({time.perf_counter() - began:.1f} s){linker}")


def _surroundings(terminal: str) -> Iterator[InstallationCheck]:
    c_compiler = any(shutil.which(name) for name in ("cc", "gcc", "clang"))
    free = shutil.disk_usage(".").free / 1e9
    used = "yes" if c_compiler else "none (only `simlab dev bench` would use one)"
    yield InstallationCheck(what="C compiler", found=used)
    yield InstallationCheck(what="disk", found=f"{free:.1f} GB free here", fine=free > 0.1)
    yield InstallationCheck(what="terminal", found=terminal)
