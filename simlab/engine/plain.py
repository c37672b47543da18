"""Kernels as plain Python, to follow what a rule does: for a replay that prints each roll of the dice.

    log = []
    play_part = uncompiled(rules.play_part, {"d6": lambda d6: lambda state, stream: log.append(d6(state, stream))})
    play_part(twin.state, knobs, cards, action)

The code is the game's own, so what is followed is what was played. It is a hundred times slower than compiled code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

Wrap = Callable[[Callable[..., Any]], Callable[..., Any]]


def uncompiled(kernel: Any, watched: Mapping[str, Wrap]) -> Callable[..., Any]:
    """A kernel as plain Python, together with all kernels that it calls.

    The modules that hold them are left as they are: each function gets copies of its module's names.

    Args:
        kernel: a rule. State, knobs and cards are passed as record arrays.
        watched: name of a kernel -> makes what is called instead of it from the kernel in plain Python.
    """
    packages = (kernel.__module__.rpartition(".")[0] or kernel.__module__, "simlab.engine.streams")
    names_of: dict[str, dict[str, Any]] = {}
    plain_of: dict[FunctionType, Callable[..., Any]] = {}

    def plain(function: FunctionType) -> Callable[..., Any]:
        if function not in plain_of:
            made = FunctionType(
                function.__code__, names(function.__globals__), function.__name__, function.__defaults__
            )
            plain_of[function] = watched.get(function.__name__, _as_it_is)(made)
        return plain_of[function]

    def names(module: dict[str, Any]) -> dict[str, Any]:
        known = names_of.get(module["__name__"])
        if known is None:
            known = names_of[module["__name__"]] = dict(module)
            for name, value in module.items():
                function = getattr(value, "py_func", value)
                if isinstance(function, FunctionType) and function.__module__.startswith(packages):
                    known[name] = plain(function)
        return known

    return plain(getattr(kernel, "py_func", kernel))


def _as_it_is(function: Callable[..., Any]) -> Callable[..., Any]:
    return function
