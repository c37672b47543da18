"""A second process that compiles the same game in another order: within a process, Numba compiles only one function at
a time. The second process starts at the other end: with the last bot, and for each function with its callees, from the
last call to the first. The process that reaches a function first compiles it, and the other takes it from the cache. If
the second process fails or is ended, the first one compiles the rest.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

WORTH_IT = 15  #: number of functions to compile from which a second process is worth starting
_RUN = (
    "import importlib, json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "importlib.import_module(sys.argv[2]).main(*sys.argv[3:])"
)
Work = Iterable[tuple[Callable[..., Any], Sequence[Path]]]  #: functions with their sources


def processors() -> int:
    """The number of processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def start(module: str, *arguments: str, listen: bool = False) -> subprocess.Popen[str] | None:
    """Starts `main` of a module in a second process, with the arguments and this process's id; None if it cannot.

    Args:
        listen: whether its standard output is read.
    """
    command = [sys.executable or "", "-c", _RUN, json.dumps(sys.path), module, *arguments, str(os.getpid())]
    quiet = subprocess.DEVNULL
    with contextlib.suppress(OSError):
        return subprocess.Popen(
            command, stdin=quiet, stdout=subprocess.PIPE if listen else quiet, stderr=quiet, text=True
        )
    return None


@contextlib.contextmanager
def helped(module: str, *arguments: str) -> Iterator[None]:
    """Runs a second process, started as by `start`, during the block."""
    helper = start(module, *arguments)
    try:
        yield
    finally:
        if helper is not None:
            helper.kill()  # not SIGTERM, which a handler in imported code may catch
            helper.wait()


def is_worth_it(work: Work, known: Mapping[str, Any]) -> bool:
    """Whether enough kernels have to be compiled for a second process to help; `known` as in `likely_types`."""
    from simlab.compiler import kernels

    if not kernels.compiling() or not kernels.linker() or processors() < 2:
        return False
    missing: set[int] = set()
    for function, sources in work:
        with kernels.session(sources):
            for kernel, kinds in likely_calls(function, known):
                if id(kernel) not in missing and not kernel.is_stored(kinds):
                    missing.add(id(kernel))
                if len(missing) >= WORTH_IT:
                    return True
    return False


def compile_from_the_end(work: Work, known: Mapping[str, Any], progress: Callable[[str, int, int], None]) -> None:
    """Compiles the kernels that the functions call, last calls first. Errors are reported by the first process."""
    from simlab.compiler import kernels

    for function, sources in work:
        with kernels.session(sources, progress):
            for kernel, kinds in likely_calls(function, known):
                with contextlib.suppress(Exception):
                    kernel.compile(kinds)


def likely_calls(function: Callable[..., Any], known: Mapping[str, Any]) -> list[tuple[Any, tuple[Any, ...]]]:
    """Kernels that a function calls, from the end, with the argument types that they probably get."""
    from simlab.compiler.digest import Digests, NoDigest

    digests = Digests()
    try:
        digests.of(function)
    except NoDigest:
        return []
    called = [kernel for kernel in from_the_end(function, digests.calls) if hasattr(kernel, "compile")]
    pairs = [(kernel, likely_types(kernel, known)) for kernel in called]
    return [(kernel, kinds) for kernel, kinds in pairs if kinds is not None]


def likely_types(function: Any, known: Mapping[str, Any]) -> tuple[Any, ...] | None:
    """Argument types of a kernel according to its annotations and names; None if they are not declared.

    Args:
        known: annotation or name of an argument -> type.
    """
    code, notes = function.py_func.__code__, function.py_func.__annotations__
    kinds = [known.get(str(notes.get(name, name))) for name in code.co_varnames[: code.co_argcount]]
    return None if None in kinds else tuple(kinds)


def from_the_end(function: Any, calls: Callable[[Any], Sequence[Any]]) -> Sequence[Any]:
    """All kernels that a function calls, the last call first, and each after the kernels that it calls itself."""
    order: dict[int, Any] = {}
    entered: set[int] = set()

    def visit(kernel: Any) -> None:
        if id(kernel) not in entered:
            entered.add(id(kernel))
            for called in reversed(calls(kernel)):
                visit(called)
            order[id(kernel)] = kernel

    visit(function)
    return list(order.values())
