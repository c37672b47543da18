"""Compiler errors in words, with the place and the fix.

For an unknown field of a record, Numba reports `KeyError: 'wals'` without a line. This module finds the line in the
sources.
"""

from __future__ import annotations

import ast
import contextlib
import os
import re
import sys
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from numba.core.errors import NumbaError

from simlab.errors import InputError, nearest

#: Where a field is declared, by the name that the functions of the contract give its record.
_DECLARED = {
    "state": "Its fields are declared in the game's state_type.",
    "knobs": "Each table of knobs.toml is one.",
    "cards": "Its fields are declared in the dtype Game.cards.",
    "self": "Its fields are declared at the top of the class, as name = 0.",
    "row": "Its fields are winner, winners, ending, turns, score, and the game's metrics.",
}


@dataclass(frozen=True)
class _Place:
    """The place of a name: `base.name` in a line of a file; base is "" if the name stands alone."""

    file: Path
    line: int
    base: str
    name: str
    module: ModuleType | None


_COLOURS = re.compile(r"\x1b\[[0-9;]*m")  # colour codes in Numba's messages


def raised(fault: BaseException) -> str:
    """The error raised by code of a game or a bot, with its file, line and function if it ran as plain Python."""
    lab = {Path(__file__).parent, Path(__file__).parent.parent / "author"}
    own = [f for f in traceback.extract_tb(fault.__traceback__) if not lab & {*Path(f.filename).parents}]
    at = f" at {own[-1].filename}, line {own[-1].lineno}, in {own[-1].name}" if own else ""
    why = " ".join(map(str, fault.args)) if len(fault.args) > 1 else str(fault)  # compiled code raises numbers apart
    return f"raised {type(fault).__name__}{f': {why}' if why else ''}{at}"


def place_of_field(function: Any, record: str, name: str) -> str:
    """File and line where a function sets a field of a record; if it sets none, file and line of the function."""
    code = getattr(function, "py_func", function).__code__
    line = code.co_firstlineno
    with contextlib.suppress(OSError, SyntaxError, UnicodeError):
        tree = ast.parse(Path(code.co_filename).read_bytes())
        found = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == code.co_name)
        written = [
            node.lineno for part in found for node in ast.walk(part)
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and node.attr == name
            and isinstance(node.value, ast.Name) and node.value.id == record
        ]  # fmt: skip
        line = written[0] if written else line
    return f"{code.co_filename}, line {line}"


def explain_compile_error(
    fault: Exception, what: str, files: Sequence[Path], fields: Mapping[str, Iterable[str]]
) -> InputError:
    """A compiler error as an InputError about the source of `what`, such as `bot 'rusher'`.

    Args:
        fields: names of the fields of each record, by its name in the contract: state, knobs, cards, row.
    """
    places = _misspelt(fault, files, fields)
    if places:
        first = places[0]
        lines = list(dict.fromkeys(str(p.line) for p in places if (p.file, p.base) == (first.file, first.base)))[:5]
        at = f"{first.file}, line{'s' if len(lines) > 1 else ''} {', '.join(lines)}"
        return InputError(f"{what} does not compile: {at}: {_unknown_name(first, fields)}")
    text = _COLOURS.sub("", str(fault)) if isinstance(fault, NumbaError) else f"{type(fault).__name__}: {fault}"
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    where = re.search(r'File "([^"]+)", line (\d+)', text)  # the innermost comes first
    at = f" {os.path.abspath(where[1])}, line {where[2]}:" if where else ""
    numbas = ("Failed in", "During", "File ", "There are", "- Of which", "<source elided>")
    about = [line for line in lines if not line.startswith(numbas)]
    return InputError(
        f"{what} does not compile:{at} {' '.join(about[:3])}\nRun it as plain Python with NUMBA_DISABLE_JIT=1."
    )


def _unknown_name(place: _Place, fields: Mapping[str, Iterable[str]]) -> str:
    if not place.base:
        known = [name for name in vars(place.module) if not name.startswith("__")] if place.module else []
        return f"the name '{place.name}' is not defined. {_near(place.name, known)}".rstrip()
    owner = getattr(place.module, place.base, None)
    if isinstance(owner, ModuleType):
        known = [name for name in vars(owner) if not name.startswith("_")]
        rules = " Each rule of ledger.toml has a name there." if place.base == "rule" else ""
        return f"{place.base}.{place.name}: there is no such name. {_near(place.name, known)}{rules}".rstrip()
    record = place.base if place.base in fields else "state"
    known = [name for name in fields[record] if not name.startswith(("stream_", "forced_"))]
    named = f"`{place.base}`" if place.base in fields else f"`{place.base}`, a record,"
    return f"{named} has no field '{place.name}'. {nearest(place.name, known)} {_DECLARED[record]}"


def _near(name: str, known: Sequence[str]) -> str:
    """A hint if a known name is similar. It does not list all names of a module, because that would not help."""
    hint = nearest(name, known)
    return hint if hint.startswith("Did") else ""


def _misspelt(fault: Exception, files: Sequence[Path], fields: Mapping[str, Iterable[str]]) -> list[_Place]:
    """The place of the name that the compiler does not know; empty for any other error."""
    text = str(fault)
    if isinstance(fault, KeyError) and fault.args and isinstance(fault.args[0], str):
        named = [p for p in _places(files) if p.name == fault.args[0] and p.name not in fields.get(p.base, ())]
        return sorted(named, key=lambda p: (p.base not in fields, str(p.file), p.line))
    lone = re.search(r"name '(\w+)' is not defined", text)
    if lone:
        return [p for p in _places(files, alone=True) if p.name == lone[1] and not hasattr(p.module, p.name)]
    if isinstance(fault, AttributeError) or "AttributeError" in text or "Unknown attribute" in text:
        words = set(re.findall(r"\w+", text))
        return [
            p for p in _places(files)
            if p.name in words and isinstance(getattr(p.module, p.base, None), ModuleType)
            and not hasattr(getattr(p.module, p.base), p.name)
        ]  # fmt: skip
    return []


def _places(files: Sequence[Path], alone: bool = False) -> Iterator[_Place]:
    """The names in the Python sources outside the lab, with the module if it is imported: either only names that stand
    alone, or only names after another name and a dot.
    """
    engine = Path(__file__).parent
    modules = {file: module for module in list(sys.modules.values()) if (file := getattr(module, "__file__", None))}
    for path in files:
        if path.suffix != ".py" or path.parent in (engine, engine.parent):
            continue
        module = modules.get(str(path))
        for node in ast.walk(ast.parse(path.read_bytes())):
            if alone and isinstance(node, ast.Name):
                yield _Place(path, node.lineno, "", node.id, module)
            elif not alone and isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                yield _Place(path, node.lineno, node.value.id, node.attr, module)
