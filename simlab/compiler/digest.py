"""Digests of everything that a kernel's compiled code depends on: the key under which the code is stored.

Compiled code follows from the function's bytecode, the values of the globals that it reads (Numba freezes them), the
kernels that it calls, and its argument types. All of these are digested. Docstrings, comments and line
numbers are not. A function that reads a value without a digest is compiled again in each process, so it is never stale.
"""

from __future__ import annotations

import dis
import enum
import hashlib
import sys
import types
from collections.abc import Iterator
from typing import Any

import numpy as np
from numba import types as numba_types
from numba.core.extending import _Intrinsic

#: Packages whose version is part of the toolchain: digested by name.
_FOREIGN = frozenset({"numpy", "numba", "llvmlite", "builtins"}) | sys.stdlib_module_names
_BITS = "simlab.compiler.bits"  # instructions, not kernels: its source is part of the toolchain's digest
_CONST = frozenset(dis.hasconst)
_GLOBAL, _EXTENDED = dis.opmap["LOAD_GLOBAL"], dis.opmap["EXTENDED_ARG"]
_HAS_DOCSTRING = 0x4000000  # CO_HAS_DOCSTRING since Python 3.13; before, a docstring is the first constant
_DEEPEST = 40  # nested tuples, modules and the like


class NoDigest(Exception):
    """Raised if compiled code may depend on a value that has no digest."""


class Digests:
    """Digests of functions, cached for one compilation."""

    def __init__(self) -> None:
        self._known: dict[int, bytes] = {}
        self._alive: list[object] = []  # so that no other object gets the same id
        self._above: list[int] = []  # functions being digested, from the outermost in
        self._lowest = 0  # position of the outermost function in `_above` that is called again further in
        self.kernels: set[int] = set()  #: ids of all kernels found
        self.recursive: set[int] = set()  #: ids of functions that call themselves, directly or indirectly
        self._calls: dict[int, dict[int, Any]] = {}

    def of(self, function: Any) -> bytes:
        """SHA-256 of all that a function's code depends on, except argument types. NoDigest: a part has none."""
        me = id(function)
        if self._above:
            self._calls.setdefault(self._above[-1], {})[me] = function
        if me in self._known:
            return self._known[me]
        if me in self._above:  # recursion: identified by its distance up the stack
            place = self._above.index(me)
            self.recursive.update(self._above[place:])
            self._lowest = min(self._lowest, place)
            return f"up {len(self._above) - place}".encode()
        depth, outer = len(self._above), self._lowest
        self._above.append(me)
        self._lowest = depth
        try:
            total = hashlib.sha256()
            for part in self._parts(function):
                total.update(len(part).to_bytes(8, "little"))
                total.update(part)
        finally:
            self._above.pop()
            lowest, self._lowest = self._lowest, min(outer, self._lowest)
        digest = total.digest()
        self._alive.append(function)
        if lowest >= depth:  # otherwise its digest depends on where it was called from
            if getattr(function, "content", None) not in (None, digest):
                raise NoDigest("a global has changed since it was compiled")
            self._known[me] = digest
        return digest

    def calls(self, function: Any) -> list[Any]:
        """The functions that a digested function calls directly, in the order of its code."""
        return list(self._calls.get(id(function), {}).values())

    def _parts(self, function: Any) -> Iterator[bytes]:
        if is_kernel(function):
            self.kernels.add(id(function))
            yield type(function).__name__.encode()
            yield from self._value(sorted((k, str(v)) for k, v in function.targetoptions.items()))
            if function.locals:
                raise NoDigest("types of local variables")
            function = function.py_func
        yield f"{function.__module__}\0{function.__qualname__}".encode()
        yield from self._code(function.__code__, function)
        yield from self._value((function.__defaults__, sorted((function.__kwdefaults__ or {}).items())))
        words = _words(function.__code__)
        for cell in function.__closure__ or ():
            yield from self._value(cell.cell_contents, words)

    def _code(self, code: types.CodeType, function: types.FunctionType) -> Iterator[bytes]:
        yield code.co_code
        yield code.co_exceptiontable
        names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
        numbers = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
        yield repr((names, numbers)).encode()
        reads, first = _operands(code)
        for number, constant in enumerate(code.co_consts):
            if isinstance(constant, types.CodeType):
                yield from self._code(constant, function)
            elif number == 0 and not first and _has_docstring(code):
                yield b"docstring"
            else:
                yield from self._value(constant)
        words = _words(code)
        for name in reads:
            if name in function.__globals__:
                yield name.encode()
                yield from self._value(function.__globals__[name], words)

    def _value(self, value: Any, words: set[str] | None = None, depth: int = 0) -> Iterator[bytes]:
        """The parts of a value to digest: for a module, only the names in `words`, which the code may read."""
        kind = type(value)
        if depth > _DEEPEST:
            raise NoDigest("nested too deep")
        if value is None or value is ... or kind in (bool, int, str, bytes, complex):
            yield f"{kind.__name__} {value!r}".encode()
        elif kind is float:
            yield f"float {value.hex()}".encode()
        elif kind in (tuple, list, frozenset) or (isinstance(value, tuple) and hasattr(kind, "_fields")):
            parts = sorted(value, key=repr) if kind is frozenset else value
            yield f"{kind.__module__}.{kind.__qualname__} {getattr(kind, '_fields', '')} {len(value)}".encode()
            for part in parts:
                yield from self._value(part, words, depth + 1)
        elif isinstance(value, np.ndarray):
            if value.dtype.hasobject or kind not in (np.ndarray, np.recarray):
                raise NoDigest(kind.__name__)
            yield f"{kind.__name__} {value.shape} {value.flags.c_contiguous} {value.flags.f_contiguous}".encode()
            yield f"{value.flags.writeable} {value.flags.aligned}".encode()
            yield from self._layout(value.dtype)
            yield np.ascontiguousarray(value).tobytes()
        elif isinstance(value, np.generic):
            if value.dtype.hasobject:
                raise NoDigest(kind.__name__)
            yield kind.__name__.encode()
            yield from self._layout(value.dtype)
            yield value.tobytes()
        elif isinstance(value, np.dtype):
            yield from self._layout(value)
        elif isinstance(value, enum.Enum):
            yield from self._value((kind.__module__, kind.__qualname__, value.name, value.value), None, depth + 1)
        elif is_kernel(value):
            yield self.of(value)
        elif isinstance(value, types.ModuleType):
            yield f"module {value.__name__}".encode()
            if value.__name__.split(".")[0] not in _FOREIGN:
                for word in sorted((words or set()) & vars(value).keys()):
                    yield word.encode()
                    yield from self._value(vars(value)[word], words, depth + 1)
        elif isinstance(value, type) and issubclass(value, enum.Enum):
            yield f"enum {value.__module__}.{value.__qualname__} {[base.__name__ for base in value.__mro__]}".encode()
            for name, member in value.__members__.items():
                yield from self._value((name, member.value), None, depth + 1)
        elif isinstance(value, numba_types.Number | numba_types.Boolean):
            yield f"type {value}".encode()
        elif _is_foreign(value):
            yield f"foreign {value.__module__}.{getattr(value, '__qualname__', value.__name__)}".encode()
        else:
            raise NoDigest(f"{kind.__module__}.{kind.__qualname__}")

    def _layout(self, kind: np.dtype[Any]) -> Iterator[bytes]:
        base, shape = kind.subdtype or (kind, ())
        yield f"dtype {base.str} {base.type.__name__} {kind.itemsize} {base.alignment} {shape}".encode()
        for name in base.names or ():
            assert base.fields is not None
            field, offset = base.fields[name][:2]
            yield f"{name} {offset}".encode()
            yield from self._layout(field)


def is_kernel(value: Any) -> bool:
    """Whether the object is a compiled function (one of Numba's dispatchers)."""
    return hasattr(value, "py_func") and hasattr(value, "targetoptions")


def _is_foreign(value: Any) -> bool:
    """Whether the object is a function or type of the toolchain, which is identified by its name."""
    callable_kinds = (type, types.BuiltinFunctionType, types.FunctionType, _Intrinsic)
    if isinstance(value, np.ufunc):
        return getattr(np, value.__name__, None) is value
    home = getattr(value, "__module__", None)
    if not isinstance(value, callable_kinds) or not isinstance(home, str):
        return False
    return home.split(".")[0] in _FOREIGN or home == _BITS


def _operands(code: types.CodeType) -> tuple[list[str], bool]:
    """Returns (names of globals that the code reads, whether it reads its first constant)."""
    names: dict[str, None] = {}
    first = False
    upper = 0
    data = code.co_code
    for place in range(0, len(data), 2):
        operation, argument = data[place], data[place + 1] | upper
        upper = argument << 8 if operation == _EXTENDED else 0
        if operation == _GLOBAL:
            names[code.co_names[argument >> 1]] = None
        elif operation in _CONST and argument == 0:
            first = True
    return list(names), first


def _words(code: types.CodeType) -> set[str]:
    """Names that the code, including nested code, may read from a module."""
    inner = (constant for constant in code.co_consts if isinstance(constant, types.CodeType))
    words = {*code.co_names, *(constant for constant in code.co_consts if isinstance(constant, str))}
    return words.union(*map(_words, inner))


def _has_docstring(code: types.CodeType) -> bool:
    if not isinstance(code.co_consts[0], str):
        return False
    return sys.version_info < (3, 13) or bool(code.co_flags & _HAS_DOCSTRING)
