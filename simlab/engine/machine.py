"""Kernels compiled one by one, as C compiles its files: an edit compiles what it touches.

Numba links the code of all that a function calls into the function, and optimises the whole again: each rule once for
each of its callers, for the play loop, and for each bot that calls it. Here a kernel is compiled once, for each kind of
arguments. If it is small, its code is put in place of calls of it, as Numba does; if it is large, its callers only name
it, and the names meet when the code is loaded. What is compiled is kept on disk (simlab.engine.kept) under the digest
of all that it depends on (simlab.engine.content), and that digest is part of the name that the code goes by: so two
versions of a rule never meet under one name, in whatever processes they were made.
"""

# mypy: disable-error-code="no-untyped-call, attr-defined, misc"
# (Numba's compiler has no types to check against.)

from __future__ import annotations

import contextlib
import ctypes
import functools
import gc
import hashlib
import itertools
import pickle
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import llvmlite.binding as llvm
from numba import _dynfunc
from numba.core import bytecode, codegen, compiler, serialize, sigutils, typing
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import _FunctionCompiler
from numba.core.environment import Environment, lookup_environment
from numba.core.funcdesc import FunctionDescriptor
from numba.core.registry import CPUDispatcher, cpu_target
from numba.core.runtime import rtsys
from numba.core.untyped_passes import ExtractByteCode

from simlab.engine import kept
from simlab.engine.content import Contents, NoDigest

LARGE = 100  #: instructions from which on callers call a kernel instead of holding a copy of its code
OPTIMISED = 1  #: level of optimisation; 2 and 3 compile longer and play no faster
_UNRESOLVED = ".numba.unresolved$"  # Numba's name for a pointer to a function that calls itself

# Numba numbers its own helpers anew in each process: code of two processes must not meet under one number.
bytecode.FunctionIdentity._unique_ids = itertools.count(secrets.randbits(50) << 12)


# --- Code ---------------------------------------------------------------------


@dataclass
class Part:
    """Compiled code of one function for one kind of arguments.

    Attributes:
        name: of the function, as linkers know it. entry: whether Python can call it.
        large: whether callers name it instead of holding a copy.
        result: the return type, pickled.
        machine: object code, of large functions and entries. bitcode: what callers link, of small ones.
        needs: key -> name of the large functions that it calls.
        defines: names of functions that the object code defines. recursive: pointers that it expects.
        environments: (name, module, constants pickled) that the code finds its exceptions in.
    """

    key: str
    name: str
    env_name: str
    arguments: tuple[str, ...]
    qualname: str
    module: str
    entry: bool
    large: bool
    noalias: bool
    result: bytes
    machine: bytes | None
    bitcode: bytes | None
    needs: dict[str, str]
    defines: tuple[str, ...]
    recursive: tuple[str, ...]
    environments: tuple[tuple[str, str, bytes], ...]
    lasting: bool = True
    alive: list[object] = field(default_factory=list)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"alive": []}


_PARTS: dict[str, Part] = {}  # by key: what this process has compiled or read
_OWNERS: dict[str, str] = {}  # name of a large function -> key
_LOADED: set[str] = set()  # keys whose object code is in memory
_POINTERS: dict[str, ctypes.c_void_p] = {}  # functions that call themselves -> where their callers find them


def _target() -> Any:
    return cpu_target.target_context


@functools.lru_cache(maxsize=1)
def _code_generator() -> Any:
    return _target().codegen()


@functools.lru_cache(maxsize=1)
def _emitter() -> Any:
    """Makes object code as Numba's engine does, at the lab's own level of optimisation."""
    options: dict[str, Any] = {"opt": OPTIMISED}
    _code_generator()._customize_tm_options(options)
    return llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(**options)


class _Library(codegen.JITCodeLibrary):
    """The code of one function while it is compiled. It makes no machine code of its own accord."""

    large = False

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout
        for function in module.functions:
            passes, builder = self._codegen._function_pass_manager(opt=OPTIMISED)
            passes.run(function, builder)

    def _optimize_final_module(self) -> None:
        cheap, first = self._codegen._module_pass_manager(
            loop_vectorize=False, slp_vectorize=False, opt=0, cost="cheap"
        )
        cheap.run(self._final_module, first)
        full, second = self._codegen._module_pass_manager(opt=OPTIMISED)
        full.run(self._final_module, second)

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        return _nothing() if self.large else super()._get_module_for_linking()

    def get_pointer_to_function(self, name: str) -> int:
        return _address(name)


class _Linkable:
    """Code that was compiled before, as Numba's linker wants to see it."""

    def __init__(self, part: Part) -> None:
        self.part, self.codegen = part, _code_generator()
        self._reload_init: set[Any] = set()
        self._module: Any = None

    def _ensure_finalized(self) -> None:
        pass

    def _get_module_for_linking(self) -> Any:
        if self.part.large or self.part.bitcode is None:
            return _nothing()
        if self._module is None:
            self._module = llvm.parse_bitcode(self.part.bitcode)
        return self._module

    def get_pointer_to_function(self, name: str) -> int:
        return _address(name)


@functools.lru_cache(maxsize=1)
def _nothing() -> Any:
    return llvm.parse_assembly(str(_code_generator()._create_empty_module("nothing")))


def _address(name: str) -> int:
    """Where a function lies in memory; 0 where no such function was loaded."""
    engine = _code_generator()._engine
    return int(engine.get_function_address(name)) if engine.is_symbol_defined(name) else 0


def load(part: Part) -> None:
    """Brings object code into memory, and that of all it calls."""
    waiting, seen, parts = [part], {part.key}, []
    while waiting:
        one = waiting.pop()
        if one.key in _LOADED:
            continue
        parts.append(one)
        for key in one.needs:
            if key not in seen:
                seen.add(key)
                waiting.append(_PARTS[key])
    rtsys.initialize(_target())  # Numba's run time library; what only a compiler needs is not imported
    engine = _code_generator()._engine
    for one in parts:
        for name in one.recursive:
            if name not in _POINTERS:
                _POINTERS[name] = ctypes.c_void_p(0)
                llvm.add_symbol(name, ctypes.addressof(_POINTERS[name]))
    for one in parts:
        if one.machine is None:
            continue
        code = llvm.ObjectFileRef.from_data(one.machine)
        one.alive.append(code)
        engine._ee.add_object_file(code)
        engine._defined_symbols.update(one.defines)
        _LOADED.add(one.key)
    engine.finalize_object()
    for one in parts:
        for name, module, constants in one.environments:
            environment = lookup_environment(name)
            if environment is None:
                environment = serialize.loads(constants) if constants else _environment(name, module)
            one.alive.append(environment)
            _code_generator().set_env(name, environment)
    for name, pointer in _POINTERS.items():
        if not pointer.value:
            pointer.value = _address(name.removeprefix(_UNRESOLVED)) or None


def _environment(name: str, module: str) -> Any:
    import importlib

    environment = Environment(importlib.import_module(module).__dict__)
    environment.env_name = name
    Environment._memo[name] = environment
    return environment


# --- Compiling ----------------------------------------------------------------


class _Session:
    """One compilation of an entry point with all that it calls.

    Attributes:
        scope: what all code depends on besides its content; None keeps nothing on disk.
    """

    def __init__(self, scope: str | None, step: Callable[[str, int, int], None] | None = None) -> None:
        self.scope, self.step = scope, step
        self.contents = Contents()
        self.done = 0


_SESSIONS: list[_Session] = []


@contextlib.contextmanager
def session(scope: str | None, step: Callable[[str, int, int], None] | None = None) -> Iterator[_Session]:
    """What is compiled meanwhile is kept under this scope.

    Args:
        scope: the toolchain, and what else all code depends on; None keeps nothing on disk.
        step: called with (name, functions ready, functions in all) before each that is compiled.
    """
    with global_compiler_lock, _uncollected():
        _SESSIONS.append(_Session(scope, step))
        try:
            yield _SESSIONS[-1]
        finally:
            _SESSIONS.pop()


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """Without Python's search for circles of objects: while code is compiled it takes a sixteenth of the time."""
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()


class _Pipeline(compiler.Compiler):
    """Numba's own, but for the library and the number that tells functions of one name apart."""

    def __init__(self, typingctx: Any, targetctx: Any, library: Any, *others: Any) -> None:
        super().__init__(typingctx, targetctx, library, *others)
        self.state.library = library or _Library(_code_generator(), "kernel")
        self.state.library.enable_object_caching()

    def compile_extra(self, function: Any) -> Any:
        self.state.func_id = bytecode.FunctionIdentity.from_function(function)
        self.state.func_id.unique_id = _COMPILING[-1]
        ExtractByteCode().run_pass(self.state)
        self.state.lifted = ()
        self.state.lifted_from = None
        return self._compile_bytecode()


_COMPILING: list[str] = []  # keys of the functions being compiled, from the outermost in


class _Frontend(_FunctionCompiler):
    def _customize_flags(self, flags: Any) -> Any:
        flags.no_compile = True  # into machine code: not before it is known who calls it
        return flags


class Kernel(CPUDispatcher):
    """A function that compiled code calls. Called from Python, or passed as a value, it is compiled as an entry too."""

    entry = False

    def __init__(
        self,
        py_func: Any,
        locals: Any = None,  # noqa: A002 - as Numba calls them
        targetoptions: Any = None,
        pipeline_class: Any = None,
    ) -> None:
        options = {"nopython": True, "nogil": True, "boundscheck": None} | (targetoptions or {})
        if not self.entry:
            options |= {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
        super().__init__(py_func, locals, options, _Pipeline)
        self._compiler = _Frontend(py_func, self.targetdescr, options, self.locals, _Pipeline)
        self.content: bytes | None = None  #: digest of what it was compiled from
        self._twin: Entry | None = None

    def __str__(self) -> str:
        return f"CPUDispatcher({self.py_func})"

    def add_overload(self, cres: Any) -> None:
        self.overloads[tuple(cres.signature.args)] = cres

    def enable_caching(self) -> None:
        raise RuntimeError("kernels are kept by simlab.engine.machine")

    def compile(self, sig: Any) -> Any:
        """Compiles the function for one kind of arguments, or finds it compiled."""
        with global_compiler_lock:
            arguments, result = sigutils.normalize_signature(sig)
            arguments = tuple(arguments)
            if arguments in self.overloads:
                return self.overloads[arguments].entry_point
            if not self._can_compile:
                raise RuntimeError("compilation disabled")
            if not _SESSIONS:
                with session(None):
                    return self._compile(arguments, result)
            return self._compile(arguments, result)

    def _compile(self, arguments: tuple[Any, ...], result: Any) -> Any:
        with self._compiling_counter:
            current = _SESSIONS[-1]
            key, lasting = self._key(current, arguments, result)
            part = read(key) if lasting else None
            if part is None:
                alone = lasting and id(self) not in current.contents.recursive  # two that wait for each other
                with kept.alone(key) if alone else contextlib.nullcontext():
                    part = read(key) if lasting else None  # another process may have made it meanwhile
                    if part is None:
                        entry_point = self._make(current, key, lasting, arguments, result)
                        current.done += 1
                        return entry_point
            current.done += 1
            return self._take(part, arguments)

    def _key(self, current: _Session, arguments: tuple[Any, ...], result: Any) -> tuple[str, bool]:
        """Names the code; and whether that name is good for other processes."""
        own = " ".join(map(_told, (*arguments, result)))
        nobodys = "x" + secrets.token_hex(15)
        try:
            self.content = current.contents.of(self)
        except NoDigest:
            self.content = b"none"
            return nobodys, False
        if " at 0x" in own:  # a function as an argument
            return nobodys, False
        content = self.content
        scope = current.scope or kept.IN_MEMORY
        key = hashlib.sha256(b"\0".join([scope.encode(), type(self).__name__.encode(), content, own.encode()]))
        return key.hexdigest()[:32], current.scope is not None

    def get_call_template(self, args: Any, kws: Any) -> tuple[Any, ...]:
        """How a call with these types is typed: by the code that was compiled for them and no other.

        Numba would weigh all that the kernel was compiled for. A row with own metrics begins as the row without them,
        so it takes the one for the other's subtype: an experimental feature, and not what is meant.
        """
        template, signature, kinds, names = super().get_call_template(args, kws)
        exact = self.overloads.get(tuple(kinds))
        if exact is not None:
            name = self.py_func.__name__
            template = typing.make_concrete_template(f"CallTemplate({name})", key=name, signatures=[exact.signature])
        return template, signature, kinds, names

    def is_kept(self, arguments: tuple[Any, ...]) -> bool:
        """Whether the function was compiled for these arguments; in a session."""
        key, lasting = self._key(_SESSIONS[-1], tuple(arguments), None)
        return lasting and read(key) is not None

    def _take(self, part: Part, arguments: tuple[Any, ...]) -> Any:
        """Code that was compiled before."""
        for key in part.needs:
            _OWNERS.setdefault(part.needs[key], key)
        if part.large:
            _OWNERS[part.name] = part.key
        result = pickle.loads(part.result)
        description = FunctionDescriptor(
            native=True, modname=part.module, qualname=part.qualname, unique_name=part.qualname, doc="", typemap=None,
            restype=result, calltypes=None, args=part.arguments, kws=(), mangler=lambda *args, **names: part.name,
            argtypes=arguments, env_name=part.env_name, noalias=part.noalias,
        )  # fmt: skip
        cres = compiler.compile_result(
            typing_context=self.typingctx, target_context=self.targetctx, entry_point=_Body(part.name),
            library=_Linkable(part), signature=typing.signature(result, *arguments), objectmode=False, lifted=(),
            fndesc=description, reload_init=[],
        )  # fmt: skip
        self._cache_hits[arguments] += 1
        return self._register(part, cres)

    def _make(self, current: _Session, key: str, lasting: bool, arguments: tuple[Any, ...], result: Any) -> Any:
        if current.step:
            current.step(self.py_func.__name__, current.done, max(len(current.contents.kernels), current.done + 1))
        _COMPILING.append(key)
        try:
            cres = self._compiler.compile(arguments, result)
        finally:
            _COMPILING.pop()
        self._cache_misses[arguments] += 1
        cres = cres._replace(entry_point=_Body(cres.fndesc.mangled_name))
        part = self._part(key, lasting, cres)
        if part.lasting:
            kept.write(part.key, part)
        return self._register(part, cres)

    def _part(self, key: str, lasting: bool, cres: Any) -> Part:
        library, description = cres.library, cres.fndesc
        library.finalize()
        module = library._final_module
        inline = bool(self.targetoptions.get("forceinline"))
        size = sum(sum(1 for _ in block.instructions) for block in module.get_function(description.mangled_name).blocks)
        large = self.entry or (size >= LARGE and not inline)
        bitcode = None if large else library._get_module_for_linking().as_bitcode()
        library.large = large
        declared = [function.name for function in module.functions if function.is_declaration]
        needs = {_OWNERS[name]: name for name in declared if name in _OWNERS}
        recursive = tuple(gv.name for gv in module.global_variables if gv.name.startswith(_UNRESOLVED))
        for name in recursive:
            owner = name.removeprefix(_UNRESOLVED)
            if owner in _OWNERS:
                needs[_OWNERS[owner]] = owner
        environments = []
        for gv in module.global_variables:
            environment = lookup_environment(gv.name) if gv.name.startswith("_ZN08NumbaEnv") else None
            if environment is not None:
                constants = serialize.dumps(environment) if environment.consts else b""
                environments.append((gv.name, environment.globals.get("__name__", ""), constants))
        defines = tuple(function.name for function in module.functions if not function.is_declaration)
        lasting = (
            lasting and not library.has_dynamic_globals and not cres.lifted and not cres.reload_init
            and description.argtypes == cres.signature.args and all(name for _, name, _ in environments)
            and all(_PARTS[other].lasting for other in needs)
            and {name.removeprefix(_UNRESOLVED) for name in recursive} <= {description.mangled_name, *needs.values()}
        )  # fmt: skip
        return Part(
            key=key, name=description.mangled_name, env_name=description.env_name, arguments=tuple(description.args),
            qualname=description.qualname, module=description.modname, entry=self.entry, large=large,
            noalias=description.noalias, result=serialize.dumps(description.restype),
            machine=_emitter().emit_object(module) if large else None, bitcode=bitcode, needs=needs, defines=defines,
            recursive=recursive, environments=tuple(environments), lasting=lasting,
        )  # fmt: skip

    def _register(self, part: Part, cres: Any) -> Any:
        _PARTS[part.key] = part
        if part.large:
            _OWNERS[part.name] = part.key
        self.targetctx.insert_user_function(cres.entry_point, cres.fndesc, [cres.library])
        self.add_overload(cres)
        return cres.entry_point

    def _as_entry(self) -> Entry:
        if self._twin is None:
            checked = {"boundscheck": True} if self.targetoptions.get("boundscheck") else {}
            self._twin = Entry(self.py_func, self.locals, checked)
        return self._twin

    def get_compile_result(self, sig: Any) -> Any:
        """For whoever takes the function as a value: it needs the ways in from outside."""
        return self._as_entry().get_compile_result(sig)

    def _compile_for_args(self, *arguments: Any, **names: Any) -> Any:
        """Called from Python with arguments of a kind that is new."""
        twin = self._as_entry()
        function = twin._compile_for_args(*arguments, **names)
        for kinds, cres in twin.overloads.items():
            self._insert([kind._code for kind in kinds], cres.entry_point, False)
        return function


class Entry(Kernel):
    """A function that Python calls, or that compiled code gets as a value."""

    entry = True
    key: str | None = None  #: of the code, where it is kept

    def adopt(self, key: str, signature: Any) -> bool:
        """Takes the code that is kept under a key; False where it is not, or not whole."""
        with global_compiler_lock:
            part = read(key)
            if part is None or not part.entry:
                return False
            self._take(part, tuple(sigutils.normalize_signature(signature)[0]))
            return True

    def _register(self, part: Part, cres: Any) -> Any:
        _PARTS[part.key] = part
        self.key = part.key if part.lasting else None
        load(part)
        environment = lookup_environment(cres.fndesc.env_name)
        if environment is None:
            environment = _environment(cres.fndesc.env_name, cres.fndesc.modname)
        function = _dynfunc.make_function(
            cres.fndesc.lookup_module(), cres.fndesc.qualname.split(".")[-1], f"compiled {cres.fndesc.qualname}",
            _address(cres.fndesc.llvm_cpython_wrapper_name), environment, (part,),
        )  # fmt: skip
        cres = cres._replace(entry_point=function, environment=environment)
        self.targetctx.insert_user_function(function, cres.fndesc, [cres.library])
        self.overloads[tuple(cres.signature.args)] = cres
        self._insert([kind._code for kind in cres.signature.args], function, False)
        return function

    def get_compile_result(self, sig: Any) -> Any:
        return CPUDispatcher.get_compile_result(self, sig)

    def _compile_for_args(self, *arguments: Any, **names: Any) -> Any:
        return CPUDispatcher._compile_for_args(self, *arguments, **names)


@functools.lru_cache(maxsize=1024)
def _told(kind: Any) -> str:
    """A type in full: of a record each field, its type and its place."""
    return f"{type(kind).__name__} {kind!r}"


class _Body:
    """Stands for the code of a kernel where Numba keeps a function that Python can call."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<code of {self.name}>"


def read(key: str) -> Part | None:
    """Code that this process or another has compiled, with all that it calls; None where any of it is missing."""
    waiting, parts = [key], {}
    while waiting:
        one = waiting.pop()
        part = _PARTS.get(one) or kept.read(one)
        if not isinstance(part, Part) or part.key != one:
            return None
        parts[one] = part
        waiting += [other for other in part.needs if other not in parts]
    _PARTS.update(parts)
    return parts[key]
