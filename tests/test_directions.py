"""Imports go one way between the rooms of the lab, and never in a circle between modules."""

from __future__ import annotations

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import simlab

PACKAGE = Path(simlab.__file__).parent
#: From the bottom up. A room may import from those before it; the registries find what the engine plays.
ROOMS = [
    "errors",
    "stats",
    "compiler",
    "present",
    "spec",
    "game",
    "engine",
    "games",
    "runs",
    "questions",
    "report",
    "api",
    "app",
    "cli",
]
HOMES = {
    "bot_registry": "engine",
    "registry": "engine",
    "author": "engine",
    "bounds": "engine",
    "testing": "api",
    "twin": "api",
}
HOMES |= {"words": "errors"}
HOMES |= {"shell": "errors", "__init__": "cli", "__main__": "cli", "learn": "api"}


def modules() -> dict[str, set[str]]:
    """Module -> the modules of the lab that it imports anywhere in its text, those for type checkers too."""
    files = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        files[".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)] = path
    imports: dict[str, set[str]] = {}
    for name, path in files.items():
        imports[name] = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "simlab":
                base = node.module.removeprefix("simlab").removeprefix(".")
                named = {f"{base}.{alias.name}".removeprefix(".") for alias in node.names}
                imports[name] |= {one if one in files else base for one in named} - {name, ""}
    return imports


def room(module: str) -> str:
    first, *_, last = module.split(".") * 2
    if first == "questions" and last == "command":
        return "cli"
    return HOMES.get(first, first)


def test_imports_go_one_way():
    wrong = []
    for module, imported in modules().items():
        below = {"errors"} if room(module) in ("stats", "compiler") else set(ROOMS[: ROOMS.index(room(module)) + 1])
        wrong += [f"{module} -> {other}" for other in imported if room(other) not in below | {room(module)}]
    assert wrong == []


def test_no_module_imports_itself_through_others():
    assert list(TopologicalSorter(modules()).static_order())
