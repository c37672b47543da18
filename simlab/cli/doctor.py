"""simlab dev doctor."""

from __future__ import annotations

from simlab.cli.common import JsonOption, emit_json, show, table


def doctor(json: JsonOption = False) -> None:
    """Examine the installation: versions, cores, compile cache, compiler, terminal.

    The output names neither the machine nor its user, so you can put it into a bug report. Exit status 4 if something
    that simlab needs does not work.

    Examples:
      simlab dev doctor
    """
    import typer

    outcome = _look()
    if json:
        emit_json({"checks": [{"what": what, "found": text, "fine": fine} for what, text, fine in outcome]}, "doctor")
    else:
        show(table(["what", "found", ""], [(what, text, "" if fine else "PROBLEM") for what, text, fine in outcome]))
    if not all(fine for _, _, fine in outcome):
        raise typer.Exit(4)


def _look() -> list[tuple[str, str, bool]]:
    """The checks, their results, and whether simlab can work with them."""
    import os
    import platform
    import shutil
    import sys

    from simlab import __version__

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    free = shutil.disk_usage(".").free / 1e9
    return [
        ("simlab", __version__, True),
        (
            "python",
            f"{platform.python_version()} ({platform.python_implementation()})",
            sys.version_info >= (3, 11),
        ),
        ("system", f"{platform.system()} {platform.machine()}", True),
        ("cores", str(cores), True),
        *_libraries(),
        _cache(),
        _compiler(),
        ("C compiler", "yes" if _c_compiler() else "none (only `simlab dev bench` would use one)", True),
        ("disk", f"{free:.1f} GB free here", free > 0.1),
        ("terminal", _terminal(), True),
    ]


def _libraries() -> list[tuple[str, str, bool]]:
    from importlib.metadata import PackageNotFoundError, version

    versions_of = []
    for name in ("numpy", "numba", "llvmlite", "polars", "pandas", "joblib", "psutil", "scipy", "matplotlib", "typer"):
        try:
            versions_of.append((name, version(name), True))
        except PackageNotFoundError:
            versions_of.append((name, "missing", False))
    try:
        versions_of.append(("distributed", f"{version('distributed')} (for --backend dask)", True))
    except PackageNotFoundError:
        versions_of.append(("distributed", "not installed: --backend dask needs simlab[dask]", True))
    return versions_of


def _cache() -> tuple[str, str, bool]:
    import tempfile
    from pathlib import Path

    from simlab.compiler import cache

    root = cache.cache_root()
    shown = str(root).replace(str(Path.home()), "~", 1)
    try:
        root.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=root):
            pass
    except OSError as fault:
        why = fault.strerror or type(fault).__name__
        return (
            "compiled code",
            f"{shown}: cannot be written ({why}). Set SIMLAB_CACHE to a folder that can.",
            False,
        )
    whole, damaged = cache.check()
    dropped = f"; {damaged} damaged: dropped, compiled again when needed" if damaged else ""
    return "compiled code", f"{shown}: can be written, {whole} kept{dropped}", True


def _compiler() -> tuple[str, str, bool]:
    import time

    import numba

    from simlab.compiler import kernels

    if not kernels.compiling():
        return "compiler", "switched off by NUMBA_DISABLE_JIT: everything runs, some hundred times slower", True
    began = time.perf_counter()
    doubled = numba.njit(lambda x: x + x)
    if doubled(21) != 42:
        return "compiler", "gives wrong results", False
    linker = "" if kernels.linker() else ", plain Numba: each edit compiles the whole game again"
    return "compiler", f"works ({time.perf_counter() - began:.1f} s){linker}", True


def _c_compiler() -> bool:
    import shutil

    return any(shutil.which(name) for name in ("cc", "gcc", "clang"))


def _terminal() -> str:
    from simlab.cli.common import console

    error = console(stderr=True)
    if not error.is_terminal:
        return "none: progress comes as plain lines"
    return f"{error.width} columns, {error.color_system or 'no'} colours"
