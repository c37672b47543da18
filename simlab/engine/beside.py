"""A second process that compiles beside the first: Numba compiles one function at a time in a process.

It goes through the same game from the other end: the last bot first, and of each function what it calls, from the last
call to the first. Whoever comes to a function first compiles it, the other one finds it kept (simlab.engine.kept). So
nothing rests on it: if it fails or is ended, the first process compiles the rest.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

WORTH_IT = 15  #: functions to be compiled from which on a second process pays for its start

_RUN = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from simlab.engine.second_process import main; main()"


def processors() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextlib.contextmanager
def helped(game: str, bots: Mapping[str, str]) -> Iterator[None]:
    """Runs a second process as long as the first one compiles.

    Args:
        game, bots: as a user writes them; seat -> bot.
    """
    order = [sys.executable or "", "-c", _RUN, json.dumps(sys.path), game, json.dumps(dict(bots)), str(os.getpid())]
    helper = None
    with contextlib.suppress(OSError):
        quiet = subprocess.DEVNULL
        helper = subprocess.Popen(order, stdin=quiet, stdout=quiet, stderr=quiet)
    try:
        yield
    finally:
        if helper is not None:
            helper.kill()  # not SIGTERM, which a handler in imported code may catch
            helper.wait()


def likely_types(function: Any, known: Mapping[str, Any]) -> tuple[Any, ...] | None:
    """The kinds of arguments that a kernel's annotations and names speak of; None where they do not say.

    Args:
        known: annotation, or name of an argument, -> type.
    """
    code, notes = function.py_func.__code__, function.py_func.__annotations__
    kinds = []
    for name in code.co_varnames[: code.co_argcount]:
        kind = known.get(str(notes.get(name, name)))
        if kind is None:
            return None
        kinds.append(kind)
    return tuple(kinds)


def from_the_end(function: Any, kernels_of: Any) -> Sequence[Any]:
    """All kernels that a function calls, each after those that it calls itself, the last call first."""
    order: dict[int, Any] = {}
    entered: set[int] = set()

    def go(one: Any) -> None:
        if id(one) not in entered:
            entered.add(id(one))
            for other in reversed(kernels_of(one)):
                go(other)
            order[id(one)] = one

    go(function)
    return list(order.values())
