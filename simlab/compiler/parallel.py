"""A second process that compiles the same game in another order: within a process, Numba compiles only one function at
a time. The second process starts at the other end: with the last bot and, within each function, with its callees from
the last call to the first. The process that reaches a function first compiles it, and the other takes it from the
cache. The second process skips functions that the first is compiling, and their callers, and returns to them later. If
the second process fails or is ended, the first one compiles the rest.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

WORTH_IT = 15  #: number of functions to compile from which a second process is worth starting
_RUN = (
    "import importlib, json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "importlib.import_module(sys.argv[2]).main(*sys.argv[3:])"
)
Kinds = tuple[Any, ...]  #: argument types
Work = Iterable[tuple[Callable[..., Any], Sequence[Path], Kinds | None]]
"""Functions with their sources and, if they are not as `likely_types` finds them, their argument types."""
_FREE = 1.5  #: free processors from which a second process has one of its own
_PAUSE, _PAUSES = 0.1, 10  #: seconds between two looks at what the other process has compiled; looks before it waits


@dataclass(frozen=True)
class Task:
    """A kernel to compile, and the kernels that have to be compiled before."""

    kernel: Any
    kinds: Kinds
    calls: tuple[tuple[Any, Kinds], ...]

    def is_free(self, waiting: Mapping[int, object]) -> bool:
        """Whether the task can be compiled now. waiting: ids of kernels that neither process has compiled or tried."""
        ready = all(id(kernel) not in waiting or kernel.is_stored(kinds) for kernel, kinds in self.calls)
        return ready and not self.kernel.is_being_compiled(self.kinds)


def search_path() -> list[str]:
    """Where a child process looks for modules: where this one does, but not in the current folder, whose files may have
    the names of modules (`random.py`). Only if PYTHONPATH names it, or the lab itself is there, it comes last.
    """
    here, lab = os.path.realpath(os.curdir), os.path.realpath(Path(__file__).parents[2])
    named = [os.path.realpath(part) for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part]
    last = [here] if here == lab or here in named else []
    return [path for path in sys.path if path and os.path.realpath(path) != here] + last


def safe_environment(**settings: str) -> dict[str, str]:
    """Environment of a child process that does not look for modules in the current folder."""
    return {**os.environ, "PYTHONSAFEPATH": "1", **settings}


def processors() -> int:
    """The number of processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def free_processors() -> float:
    """How many of the processors that this process may use are idle, measured over a tenth of a second."""
    import psutil

    try:
        used = psutil.cpu_percent(interval=0.1, percpu=True)
    except (psutil.Error, OSError, RuntimeError):  # a system that does not report it
        return 0.0
    own = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(len(used))
    return float(sum(1 - used[place] / 100 for place in own if place < len(used)))


def start(module: str, *arguments: str, listen: bool = False) -> subprocess.Popen[str] | None:
    """Starts `main` of a module in a second process, with the arguments and this process's id; None if that fails."""
    command = [sys.executable or "", "-c", _RUN, json.dumps(search_path()), module, *arguments, str(os.getpid())]
    quiet = subprocess.DEVNULL
    with contextlib.suppress(OSError):
        return subprocess.Popen(
            command, stdin=quiet, stdout=subprocess.PIPE if listen else quiet, stderr=quiet, text=True,
            env=safe_environment(),
        )  # fmt: skip
    return None


_HELPED: list[str] = []  # whether this process has a second one; its threads share it


@contextlib.contextmanager
def helped(module: str, *arguments: str) -> Iterator[None]:
    """Runs a second process (see `start`) during the block; a nested block does not start another."""
    if _HELPED:
        yield
        return
    helper = None
    try:
        _HELPED.append(module)
        helper = start(module, *arguments)
        yield
    finally:
        _HELPED.clear()
        if helper is not None:
            helper.kill()  # not SIGTERM, which a handler in imported code may catch
            helper.wait()


def is_worth_it(work: Work, known: Mapping[str, Any]) -> bool:
    """Whether enough kernels have to be compiled, and a processor is free for a second process."""
    from simlab.compiler import kernels

    if _HELPED or not kernels.compiling() or not kernels.linker() or processors() < 2:
        return False
    missing: set[int] = set()
    for function, sources, own in work:
        with kernels.session(sources):
            for task in tasks(function, own, known):
                if id(task.kernel) not in missing and not task.kernel.is_stored(task.kinds):
                    missing.add(id(task.kernel))
                if len(missing) >= WORTH_IT:
                    return free_processors() > _FREE
    return False


def compile_from_the_end(work: Work, known: Mapping[str, Any], progress: Callable[[str, int, int], None]) -> None:
    """Compiles functions and the kernels that they call, last calls first. Errors are reported by the first process."""
    from simlab.compiler import kernels

    waiting: dict[tuple[Path, ...], dict[int, Task]] = {}
    for function, sources, own in work:
        group = waiting.setdefault(tuple(sources), {})
        with kernels.session(sources):
            for task in tasks(function, own, known):
                group.setdefault(id(task.kernel), task)
    pauses = 0
    while any(waiting.values()):
        before = sum(map(len, waiting.values()))
        for sources, group in waiting.items():
            with kernels.session(sources, progress):
                _compile_what_is_free(group, wait=pauses >= _PAUSES)
        if sum(map(len, waiting.values())) < before:
            pauses = 0
        else:
            pauses += 1
            time.sleep(_PAUSE)


def _compile_what_is_free(group: dict[int, Task], wait: bool) -> None:
    """Compiles and removes the tasks that do not wait for the other process; with `wait`, also one task that does."""
    before = None
    while group and before != len(group):
        before = len(group)
        for me, task in list(group.items()):
            stored = task.kernel.is_stored(task.kinds)
            if not stored and not wait and not task.is_free(group):
                continue
            if not stored:
                wait = False
                with contextlib.suppress(Exception):
                    task.kernel.compile(task.kinds)
            del group[me]


def tasks(function: Callable[..., Any], own: Kinds | None, known: Mapping[str, Any]) -> list[Task]:
    """A function and the kernels that it calls, last calls first, with their likely argument types."""
    from simlab.compiler.digest import Digests, NoDigest

    digests = Digests()
    try:
        digests.of(function)
    except NoDigest:
        return []
    kinds: dict[int, Kinds | None] = {}
    order = [kernel for kernel in from_the_end(function, digests.calls) if hasattr(kernel, "compile")]
    for kernel in order:
        kinds[id(kernel)] = own if own is not None and kernel is function else likely_types(kernel, known)
    found = []
    for kernel in order:
        own_kinds = kinds[id(kernel)]
        if own_kinds is not None:
            # Functions that call each other are compiled with the first of them.
            others = [other for other in digests.calls(kernel) if id(other) not in digests.recursive]
            called = [(other, kinds.get(id(other))) for other in others]
            found.append(Task(kernel, own_kinds, tuple((other, its) for other, its in called if its is not None)))
    return found


def likely_types(function: Any, known: Mapping[str, Any]) -> tuple[Any, ...] | None:
    """Argument types of a kernel, `known` by their annotations or names; None if they are not declared."""
    code, notes = function.py_func.__code__, function.py_func.__annotations__
    kinds = [known.get(str(notes.get(name, name))) for name in code.co_varnames[: code.co_argcount]]
    return None if None in kinds else tuple(kinds)


def from_the_end(function: Any, calls: Callable[[Any], Sequence[Any]]) -> Sequence[Any]:
    """All kernels that a function calls, the last call first; each kernel comes after the kernels that it calls."""
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
