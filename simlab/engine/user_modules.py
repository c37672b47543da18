"""Modules made of a user's files. A file beside them comes before a module of Python or a library with the same name,
as it does when Python runs a file, and each folder has its own: two versions of a game may each have a `numbers.py`.
Python, the libraries and the lab never import these files: their folder is not in `sys.path`.
"""

from __future__ import annotations

import builtins
import hashlib
import importlib.util
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from simlab.compiler import dependencies

KINDS = ("game", "bot", "metric", "twin", "beside")
_LAB = frozenset({"simlab", "policies"})
_MODULES: dict[str, Path | None] = {}  # module that was made here -> folder in which its imports look first
_OVER_PYTHON: dict[str, Path] = {}  # name of a module of Python -> a user's file that was imported under this name


def name_of(path: Path, kind: str) -> str:
    """Name of the module of a file, or of a package's `__init__.py`: made from its path, equal in all processes."""
    mark = hashlib.sha256(str(path).encode()).hexdigest()[:10]
    return f"simlab_{kind}_{mark}_{path.parent.name if path.name == '__init__.py' else path.stem}"


def load(path: Path, kind: str) -> ModuleType:
    """The module of a file, which is run when this process first uses it. `path` is absolute; errors are the file's."""
    name = name_of(path, kind)
    if name in sys.modules:
        return sys.modules[name]
    package = path.name == "__init__.py"
    # A package that is given by its path imports only what Python finds.
    _MODULES[name] = None if package and kind != "beside" else path.parent.parent if package else path.parent
    places = [str(path.parent)] if package else None
    loader = _Loader(name, str(path))
    spec = importlib.util.spec_from_file_location(name, path, loader=loader, submodule_search_locations=places)
    assert spec is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        loader.exec_module(module)
    except BaseException:
        _drop(name)
        raise
    return module


def names_of_python() -> Mapping[str, Path]:
    """The user's files that were imported in place of a module of Python, by its name."""
    return _OVER_PYTHON


def as_written(text: str) -> str:
    """A text with the modules' names as users write them."""
    return re.sub(rf"simlab_({'|'.join(KINDS)})_[0-9a-f]{{10}}_", "", text)


def forget_changes() -> bool:
    """Drops all modules of users' files if one of the files that they were made from has changed, so that their next
    use runs the new files. For processes in which people edit their files, such as a notebook's.
    """
    changed = dependencies.forget_changes(spared=Path(__file__).parents[1])
    if changed:
        for name in [name for name in sys.modules if name.partition(".")[0] in _MODULES]:
            _drop(name)
    return changed


def _drop(name: str) -> None:
    sys.modules.pop(name, None)
    _MODULES.pop(name, None)


class _Loader(SourceFileLoader):
    """Runs a file, never its `.pyc`, which can be older than an edit of the same second."""

    def get_code(self, fullname: str) -> CodeType:
        made: CodeType = self.source_to_code(self.get_data(self.path), self.path)
        return made

    def exec_module(self, module: ModuleType) -> None:
        folder = _MODULES.get(module.__name__.partition(".")[0])
        if folder is not None:
            vars(module)["__builtins__"] = {**vars(builtins), "__import__": partial(_import, folder)}
        super().exec_module(module)


class _Inside:
    """Finds the modules inside a package that was made here."""

    @staticmethod
    def find_spec(fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> Any:
        if path is None or fullname.partition(".")[0] not in _MODULES:
            return None
        spec: ModuleSpec | None = PathFinder.find_spec(fullname, path, target)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec


sys.meta_path.insert(0, _Inside)


def _import(
    folder: Path,
    name: str,
    globals: Mapping[str, Any] | None = None,  # noqa: A002 - the arguments of __import__
    locals: Mapping[str, Any] | None = None,  # noqa: A002
    fromlist: Sequence[str] = (),
    level: int = 0,
) -> Any:
    """`import` in a user's file."""
    head, dot, rest = name.partition(".")
    path = None if level or head in _LAB else next(_beside(folder, head), None)
    if path is not None and not _means_another(head, path, globals or {}):
        if head in sys.stdlib_module_names:
            _OVER_PYTHON[head] = path
        known = [made for kind in KINDS if (made := name_of(path, kind)) in sys.modules]
        own = known[0] if known else name_of(path, "beside")
        dependencies.note_import(str((globals or {}).get("__name__", "")), head, own)
        if not known:
            dependencies.remember([path])
            load(path, "beside")
        name = f"{own}{dot}{rest}"
    return builtins.__import__(name, globals, locals, fromlist, level)


def _beside(folder: Path, head: str) -> Iterator[Path]:
    return (path for path in (folder / head / "__init__.py", folder / f"{head}.py") if path.is_file())


def _means_another(head: str, path: Path, importer: Mapping[str, Any]) -> bool:
    """Whether an import means another module than a file beside it: a file that imports its own name, or a package
    that Python itself has imported from this place.
    """
    if path.name != "__init__.py":
        return importer.get("__file__") == str(path)
    known = getattr(sys.modules.get(head), "__file__", None)
    return known is not None and Path(known).resolve() == path
