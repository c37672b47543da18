"""Compiles kernels one by one, as C compiles files, so an edit recompiles only the affected kernels. Numba itself links
the code of every callee into the function and optimizes all of it again: it compiles a rule once for each caller, for
the play loop, and for each bot that calls it. Here a kernel is compiled once for each list of argument types. Callers
inline small kernels, as Numba does, but refer to large ones by name; the names are resolved when the code is loaded.
The code is cached under the digest of everything that it depends on (simlab.compiler.digest). The digest is part of the
code's name, so two versions of a rule never share a name, even if different processes compiled them.

All of this uses private parts of Numba, listed in `check_numba`. Without them simlab.compiler.kernels uses plain Numba.
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
from numba import _dynfunc, types
from numba.core import bytecode, codegen, compiler, dispatcher, errors, serialize, sigutils, typing
from numba.core.compiler_lock import global_compiler_lock
from numba.core.environment import Environment, lookup_environment
from numba.core.funcdesc import FunctionDescriptor
from numba.core.registry import CPUDispatcher, cpu_target
from numba.core.runtime import rtsys
from numba.core.untyped_passes import ExtractByteCode

from simlab.compiler import cache
from simlab.compiler.digest import Digests, NoDigest

LARGE = 100  #: number of instructions from which callers call a kernel instead of inlining it
OPTIMISED = 1  #: LLVM level; 2 and 3 take longer to compile and play no faster
_UNRESOLVED = ".numba.unresolved$"  # Numba's name for a pointer to a function that calls itself


def check_numba() -> None:
    """Checks the private parts of Numba that this module uses. Raises ImportError or AttributeError if they differ."""
    wanted: dict[Any, dict[str, str]] = {
        codegen.JITCodeLibrary: {
            "_optimize_functions": "self ll_module", "_optimize_final_module": "self", "_finalize_final_module": "self",
            "_finalize_dynamic_globals": "self", "_verify_declare_only_symbols": "self",
            "_get_module_for_linking": "self", "get_pointer_to_function": "self name",
        },
        codegen.JITCPUCodegen: {
            "_function_pass_manager": "self", "_module_pass_manager": "self", "_customize_tm_options": "self options",
            "_create_empty_module": "self name", "set_env": "self env_name env",
        },
        compiler.Compiler: {
            "__init__": "self typingctx targetctx library args return_type flags locals", "_compile_bytecode": "self",
        },
        dispatcher._FunctionCompiler: {
            "__init__": "self py_func targetdescr targetoptions locals pipeline_class",
            "_customize_flags": "self flags",
        },
        CPUDispatcher: {
            "get_call_template": "self args kws", "get_compile_result": "self sig", "_compile_for_args": "self",
        },
        FunctionDescriptor: {
            "__init__": "self native modname qualname unique_name doc typemap restype calltypes args kws mangler "
            "argtypes inline noalias env_name global_dict abi_tags uid",
        },
    }  # fmt: skip
    _ = Environment._memo, _dynfunc.make_function, compiler.compile_result, CPUDispatcher._insert
    for owner, functions in wanted.items():
        for name, arguments in functions.items():
            code = getattr(owner, name).__code__
            if " ".join(code.co_varnames[: code.co_argcount]) != arguments:
                raise AttributeError(f"{owner.__name__}.{name} takes other arguments")


# --- Code ---------------------------------------------------------------------


@dataclass
class Part:
    """Compiled code of one function for one list of argument types."""

    key: str
    name: str  #: symbol of the function
    env_name: str
    arguments: tuple[str, ...]
    qualname: str
    module: str
    entry: bool  #: whether Python can call it
    large: bool  #: whether callers refer to it by name instead of inlining it
    noalias: bool
    result: bytes  #: the pickled return type
    machine: bytes | None  #: object code of a large function or an entry
    bitcode: bytes | None  #: of a small function, which its callers inline
    needs: dict[str, str]  #: key -> symbol of each large function that it calls
    defines: tuple[str, ...]  #: symbols that the object code defines
    recursive: tuple[str, ...]  #: pointers that it expects
    environments: tuple[tuple[str, str, bytes], ...]  #: (name, module, pickled constants), for its exceptions
    lasting: bool = True  #: whether the code can be stored for other processes
    alive: list[object] = field(default_factory=list)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"alive": []}


_PARTS: dict[str, Part] = {}  # by key: everything that this process has compiled or read
_OWNERS: dict[str, str] = {}  # symbol of a large function -> key
_LOADED: set[str] = set()  # keys whose object code is in memory
_POINTERS: dict[str, ctypes.c_void_p] = {}  # recursive functions -> their addresses


def _target() -> Any:
    return cpu_target.target_context


@functools.lru_cache(maxsize=1)
def _code_generator() -> Any:
    return _target().codegen()


@functools.lru_cache(maxsize=1)
def _emitter() -> Any:
    """Makes object code as Numba's engine does, at the optimization level OPTIMISED."""
    options: dict[str, Any] = {"opt": OPTIMISED}
    _code_generator()._customize_tm_options(options)
    return llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(**options)


class _Library(codegen.JITCodeLibrary):
    """The code of one function during compilation. The object code is made later, in `_part`."""

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
    """Cached code in the form that Numba's linker expects."""

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


_ADDRESSES: dict[str, int] = {}  # of loaded functions: each call that passes bots looks up all of theirs


def _address(name: str) -> int:
    """Address of a function; 0 if it is not loaded.

    A lookup links all added code. While another thread adds code, some of its callees are still missing, and LLVM would
    end the process ("Symbol not found").
    """
    if name not in _ADDRESSES:
        with global_compiler_lock:
            engine = _code_generator()._engine
            if not engine.is_symbol_defined(name):
                return 0
            _ADDRESSES[name] = int(engine.get_function_address(name))
    return _ADDRESSES[name]


def direct(entry: Any) -> Any:
    """The single overload of an entry, for arguments that always have its types; they are not checked. Numba would
    search for a matching overload, which takes long for a tuple of bots.
    """
    (found,) = entry.overloads.values()
    return found.entry_point


def load(part: Part) -> None:
    """Loads the object code of a function and of everything that it calls."""
    waiting, seen, parts = [part], {part.key}, []
    while waiting:
        called = waiting.pop()
        if called.key not in _LOADED:
            parts.append(called)
            waiting += [_PARTS[key] for key in called.needs if key not in seen]
            seen.update(called.needs)
    rtsys.initialize(_target())  # Numba's run-time library, without the modules that only the compiler needs
    engine = _code_generator()._engine
    for part in parts:
        for name in part.recursive:
            if name not in _POINTERS:
                _POINTERS[name] = ctypes.c_void_p(0)
                llvm.add_symbol(name, ctypes.addressof(_POINTERS[name]))
    for part in parts:
        if part.machine is None:
            continue
        code = llvm.ObjectFileRef.from_data(part.machine)
        part.alive.append(code)
        engine._ee.add_object_file(code)
        engine._defined_symbols.update(part.defines)
        _LOADED.add(part.key)
    engine.finalize_object()
    for part in parts:
        for name, module, constants in part.environments:
            environment = _environment_of(name, module, constants)
            part.alive.append(environment)
            _code_generator().set_env(name, environment)
    for name, pointer in _POINTERS.items():
        if not pointer.value:
            pointer.value = _address(name.removeprefix(_UNRESOLVED)) or None


def _environment_of(name: str, module: str, constants: bytes) -> Any:
    """The environment of this name, made again if it is not in memory."""
    known = lookup_environment(name)
    if known is not None:
        return known
    return serialize.loads(constants) if constants else _environment(name, module)


def _environment(name: str, module: str) -> Any:
    import importlib

    made = Environment(importlib.import_module(module).__dict__)
    made.env_name = name
    Environment._memo[name] = made
    return made


# --- Compiling ----------------------------------------------------------------


class _Session:
    """One compilation of an entry point with everything that it calls. `scope` is that of `session`."""

    def __init__(self, scope: str | None, step: Callable[[str, int, int], None] | None, digests: Digests) -> None:
        self.scope, self.step, self.digests = scope, step, digests
        self.done = 0


_SESSIONS: list[_Session] = []


@contextlib.contextmanager
def session(scope: str | None, step: Callable[[str, int, int], None] | None = None) -> Iterator[None]:
    """Code compiled in this context is stored under this scope. A nested session reuses the digests of the outer one;
    with the same arguments it becomes part of the outer session.

    Args:
        scope: the toolchain and everything else that all code depends on; None stores nothing on disk.
        step: called with (name, functions ready, functions in all) before each function is compiled.
    """
    with global_compiler_lock, without_garbage_collection():
        outer = _SESSIONS[-1] if _SESSIONS else None
        if outer is None or (outer.scope, outer.step) != (scope, step):
            _SESSIONS.append(_Session(scope, step, outer.digests if outer else Digests()))
        else:
            _SESSIONS.append(outer)
        try:
            yield
        finally:
            _SESSIONS.pop()


@contextlib.contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Switches collection off while code is compiled, which saves a sixteenth of the time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


class _Pipeline(compiler.Compiler):
    """Numba's own pipeline, except for the library and the number that distinguishes functions of the same name."""

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


class _Frontend(dispatcher._FunctionCompiler):  # type: ignore[name-defined]
    def _customize_flags(self, flags: Any) -> Any:
        flags.no_compile = True  # object code is made once the callers are known
        return flags


class Kernel(CPUDispatcher):
    """A function that compiled code calls. If Python calls it too, or it is used as a value, it is also an `Entry`."""

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
        self.content: bytes | None = None  #: digest of everything from which the code was compiled
        self._own_entry: Entry | None = None

    def __str__(self) -> str:
        return f"CPUDispatcher({self.py_func})"

    def add_overload(self, cres: Any) -> None:
        self.overloads[tuple(cres.signature.args)] = cres

    def compile(self, sig: Any) -> Any:
        """Compiles the function for one list of argument types, or takes it from the cache."""
        with global_compiler_lock:
            arguments, result = sigutils.normalize_signature(sig)
            arguments = tuple(arguments)
            if arguments in self.overloads:
                return self.overloads[arguments].entry_point
            if not self._can_compile:
                raise RuntimeError("compilation disabled")
            with contextlib.nullcontext() if _SESSIONS else session(None):
                return self._compile(arguments, result)

    def _compile(self, arguments: tuple[Any, ...], result: Any) -> Any:
        with self._compiling_counter:
            current = _SESSIONS[-1]
            key, lasting = self._key(current, arguments, result)
            part = read(key) if lasting else None
            if part is None:
                recursive = id(self) in current.digests.recursive  # two such functions would wait for each other
                with cache.lock(key) if lasting and not recursive else contextlib.nullcontext():
                    part = read(key) if lasting else None  # another process may have stored it in the meantime
                    if part is None:
                        entry_point = self._make(current, key, lasting, arguments, result)
                        current.done += 1
                        return entry_point
            current.done += 1
            return self._take(part, arguments)

    def _key(self, current: _Session, arguments: tuple[Any, ...], result: Any) -> tuple[str, bool]:
        """Returns (name of the code, whether other processes can use that name)."""
        own = " ".join(map(_full_name, (*arguments, result)))
        unique = "x" + secrets.token_hex(15)
        try:
            self.content = current.digests.of(self)
        except NoDigest:
            self.content = b"none"
            return unique, False
        if " at 0x" in own:  # a function as an argument
            return unique, False
        scope = current.scope or "in memory"
        key = hashlib.sha256(b"\0".join([scope.encode(), type(self).__name__.encode(), self.content, own.encode()]))
        return key.hexdigest()[:32], current.scope is not None

    def get_call_template(self, args: Any, kws: Any) -> tuple[Any, ...]:
        """Gives a call the code that was compiled for exactly the types of its arguments.

        Numba would consider all lists of types, and treat a row with custom metrics as a subtype of the row
        without them, because both begin with the same fields. This experimental feature of Numba must not apply here.
        """
        template, signature, kinds, names = super().get_call_template(args, kws)
        exact = self.overloads.get(tuple(kinds))
        if exact is not None:
            name = self.py_func.__name__
            template = typing.make_concrete_template(f"CallTemplate({name})", key=name, signatures=[exact.signature])
        return template, signature, kinds, names

    def _key_of(self, signature: Any) -> tuple[str, bool]:
        arguments, result = sigutils.normalize_signature(signature)
        return self._key(_SESSIONS[-1], tuple(arguments), result)

    def is_stored(self, signature: Any) -> bool:
        """Whether the cache has the function for this signature or these argument types; call it in a session."""
        key, lasting = self._key_of(signature)
        return lasting and read(key) is not None

    def is_being_compiled(self, signature: Any) -> bool:
        """Whether another process is compiling the function for this signature; call it in a session."""
        key, lasting = self._key_of(signature)
        return lasting and cache.is_locked(key)

    def _take(self, part: Part, arguments: tuple[Any, ...]) -> Any:
        for key, name in part.needs.items():
            _OWNERS.setdefault(name, key)
        if part.large:
            _OWNERS[part.name] = part.key
        else:  # its callers inline it, and the exceptions that it raises need its environments
            part.alive += [_environment_of(*environment) for environment in part.environments]
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
            current.step(self.py_func.__name__, current.done, max(len(current.digests.kernels), current.done + 1))
        _COMPILING.append(key)
        try:
            cres = self._compiler.compile(arguments, result)
        finally:
            _COMPILING.pop()
        self._cache_misses[arguments] += 1
        if isinstance(result, types.Integer):
            _refuse_fractions(cres)
        cres = cres._replace(entry_point=_Body(cres.fndesc.mangled_name))
        part = self._part(key, lasting, cres)
        if part.lasting:
            cache.store(part.key, part)
        return self._register(part, cres)

    def _part(self, key: str, lasting: bool, cres: Any) -> Part:
        library, description = cres.library, cres.fndesc
        library.finalize()
        module = library._final_module
        inline = bool(self.targetoptions.get("forceinline"))
        instructions = (
            one for block in module.get_function(description.mangled_name).blocks for one in block.instructions
        )
        large = self.entry or (not inline and next(itertools.islice(instructions, LARGE - 1, None), None) is not None)
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
            found = lookup_environment(gv.name) if gv.name.startswith("_ZN08NumbaEnv") else None
            if found is not None:
                constants = serialize.dumps(found) if found.consts else b""
                environments.append((gv.name, found.globals.get("__name__", ""), constants))
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
        if self._own_entry is None:
            checked = {"boundscheck": True} if self.targetoptions.get("boundscheck") else {}
            self._own_entry = Entry(self.py_func, self.locals, checked)
        return self._own_entry

    def get_compile_result(self, sig: Any) -> Any:
        """Called for a function that is passed as a value and therefore needs the wrappers of an entry."""
        return self._as_entry().get_compile_result(sig)

    def _compile_for_args(self, *arguments: Any, **names: Any) -> Any:
        """Called from Python with new types of arguments."""
        entry = self._as_entry()
        function = entry._compile_for_args(*arguments, **names)
        for kinds, cres in entry.overloads.items():
            self._insert([kind._code for kind in kinds], cres.entry_point, False)
        return function


class Entry(Kernel):
    """A function that Python calls, or that is passed to compiled code as a value."""

    entry = True

    def _register(self, part: Part, cres: Any) -> Any:
        _PARTS[part.key] = part
        load(part)
        found = lookup_environment(cres.fndesc.env_name)
        if found is None:
            found = _environment(cres.fndesc.env_name, cres.fndesc.modname)
        function = _dynfunc.make_function(
            cres.fndesc.lookup_module(), cres.fndesc.qualname.split(".")[-1], f"compiled {cres.fndesc.qualname}",
            _address(cres.fndesc.llvm_cpython_wrapper_name), found, (part,),
        )  # fmt: skip
        cres = cres._replace(entry_point=function, environment=found)
        self.targetctx.insert_user_function(function, cres.fndesc, [cres.library])
        self.overloads[tuple(cres.signature.args)] = cres
        self._insert([kind._code for kind in cres.signature.args], function, False)
        return function

    def get_compile_result(self, sig: Any) -> Any:
        return CPUDispatcher.get_compile_result(self, sig)

    def _compile_for_args(self, *arguments: Any, **names: Any) -> Any:
        return CPUDispatcher._compile_for_args(self, *arguments, **names)


def _refuse_fractions(cres: Any) -> None:
    """TypingError: a function whose result is a whole number returns a float, which Numba would silently truncate."""
    for block in cres.type_annotation.blocks.values():
        for cast in block.find_exprs(op="cast"):
            if isinstance(cres.type_annotation.typemap[cast.value.name], types.Float):
                raise errors.TypingError("returns a number with decimals; use //, int() or round().", cast.loc)


@functools.lru_cache(maxsize=1024)
def _full_name(kind: Any) -> str:
    """A type in full: each field of a record with its type and offset."""
    return f"{type(kind).__name__} {kind!r}"


class _Body:
    """Stands in for the Python-callable function that a kernel does not have."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<code of {self.name}>"


def read(key: str) -> Part | None:
    """Code that this or another process has compiled, with everything that it calls; None if any part is missing."""
    waiting, parts = [key], dict[str, Part]()
    while waiting:
        wanted = waiting.pop()
        part = _PARTS.get(wanted) or cache.load(wanted)
        if not isinstance(part, Part) or part.key != wanted:
            return None
        parts[wanted] = part
        waiting += [other for other in part.needs if other not in parts]
    _PARTS.update(parts)
    return parts[key]
