"""Runs kernels as plain Python to trace the effects of a rule, for example in a replay that prints each roll of the
dice.

    log = []
    play_part = uncompiled(rules.play_part, {"d6": lambda d6: lambda state, stream: log.append(d6(state, stream))})
    play_part(twin.state, knobs, cards, action)

It runs the game's own code, a hundred times slower than compiled code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

Wrap = Callable[[Callable[..., Any]], Callable[..., Any]]


def uncompiled(kernel: Any, watched: Mapping[str, Wrap]) -> Callable[..., Any]:
    """A kernel and all kernels that it calls as plain Python.

    Each function gets copies of its module's globals and of the modules to which it refers, so the modules themselves
    do not change.

    Args:
        kernel: a rule. Pass state, knobs and cards as record arrays.
        watched: name of a kernel -> function that takes the kernel in plain Python and returns its replacement.
    """
    packages = (kernel.__module__.rpartition(".")[0] or kernel.__module__, "simlab.engine.streams")
    names_of: dict[str, dict[str, Any]] = {}
    plain_of: dict[FunctionType, Callable[..., Any]] = {}

    def plain(function: FunctionType) -> Callable[..., Any]:
        if function not in plain_of:
            made = FunctionType(
                function.__code__, names(function.__globals__), function.__name__, function.__defaults__
            )
            plain_of[function] = watched[function.__name__](made) if function.__name__ in watched else made
        return plain_of[function]

    def names(module: dict[str, Any]) -> dict[str, Any]:
        known = names_of.get(module["__name__"])
        if known is None:
            known = names_of[module["__name__"]] = dict(module)
            for name, value in module.items():
                function = getattr(value, "py_func", value)
                if isinstance(function, FunctionType) and function.__module__.startswith(packages):
                    known[name] = plain(function)
                elif isinstance(value, ModuleType) and value.__name__.startswith(packages):
                    known[name] = SimpleNamespace(**names(vars(value)))
        return known

    return plain(getattr(kernel, "py_func", kernel))
