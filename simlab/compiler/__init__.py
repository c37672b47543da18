"""The compiler: the only package that uses Numba's private parts, and the cache of compiled code.

The lab compiles with three functions: `kernel` (a rule or a helper; `small_kernel` is inlined, `checked_kernel` checks
indices), `compile_entry` (a function that Python calls, with everything that it calls) and `session` (code compiled
inside it is cached). Importing this package has one effect: it starts to record which files modules read.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from simlab.compiler import dependencies as dependencies

if TYPE_CHECKING:
    from simlab.compiler.kernels import checked_kernel as checked_kernel
    from simlab.compiler.kernels import compile_entry as compile_entry
    from simlab.compiler.kernels import compiling as compiling
    from simlab.compiler.kernels import direct as direct
    from simlab.compiler.kernels import is_compiled as is_compiled
    from simlab.compiler.kernels import kernel as kernel
    from simlab.compiler.kernels import session as session
    from simlab.compiler.kernels import small_kernel as small_kernel
    from simlab.compiler.kernels import specialise as specialise
    from simlab.compiler.kernels import strict as strict
    from simlab.compiler.kernels import toolchain as toolchain

_KERNELS = frozenset(
    {
        "checked_kernel", "compile_entry", "compiling", "direct", "is_compiled", "kernel", "session", "small_kernel",
        "specialise", "strict", "toolchain",
    }
)  # fmt: skip


def unbound(*arguments: object) -> Any:
    """A placeholder for a kernel of the game or of a bot, which `specialise` puts in."""
    raise RuntimeError("this code has to be specialised for a game")


def __getattr__(name: str) -> object:
    if name in _KERNELS:  # they load Numba
        return getattr(import_module("simlab.compiler.kernels"), name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
