"""Checks of a game's class before its methods are translated: what would mean different things in plain and compiled
play is refused here, with file, line and what to write instead, and methods that call each other in a circle are found.
"""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NoReturn

from simlab.author.base import Game
from simlab.author.flow import locals_of, paths_of
from simlab.author.sources import is_text, tree_of
from simlab.errors import InputError, nearest

#: Methods that an author may write, with the parameters that the lab passes; () for any.
_WRITTEN = {
    "play": ("self",),
    "score": ("self", "seat"),
    "wins": ("self", "seat"),
    "tie_break": ("self", "seat"),
    "redraw": ("self", "seat"),
    "could_hold": ("self", "seat", "card"),
    "words": ("self", "seat"),
    "check_knobs": ("self",),
}
_CHANGES = frozenset(
    {
        "append",
        "extend",
        "insert",
        "remove",
        "pop",
        "clear",
        "sort",
        "reverse",
        "update",
        "add",
        "discard",
        "setdefault",
        "popitem",
        "fill",
    }
)


class Checks:
    """The checks of a program."""

    def __init__(self, program: Any) -> None:
        self.program, self.plan = program, program.plan
        self.methods = program.game.methods
        self.file = str(self.plan.file)

    def run(self) -> None:
        """Checks all methods, and tells the program what they return and which of them call each other."""
        program = self.program
        for name, function in self.methods.items():
            self.file = function.__code__.co_filename
            self._name(name, function)
            self._writes(function)
            self._texts(function)
            for call in _calls_of(function):
                if call.func.attr in self.plan.choices:
                    written = f"{call.func.value.id}.{call.func.attr}"
                    self._refuse(
                        function,
                        call,
                        f"{call.func.attr} is a decision and cannot be called: "
                        f"{call.func.value.id}.ask({written}, seat)",
                    )
            _check_shared(function)
        if "setup" in self.methods and not any("setup" in _own_calls(one) for one in self.methods.values()):
            function = self.methods["setup"]
            self._refuse(function, tree_of(function), "nothing calls setup(). Call it where play() begins")
        asking = program.asking
        cut = {n: tree for n, tree in asking.lowered.items() if n not in asking.frames}
        paths = {
            name: paths_of(cut.get(name) or tree_of(function))
            for name, function in self.methods.items()
            if name not in asking.frames  # which have checked theirs
        }
        program.partial = {name for name, found in paths.items() if found.sometimes or not found.numbers}
        program.nothing = {name for name, found in paths.items() if not found.numbers}
        measured = {one.source for one in self.plan.measures if one.line}
        for name in sorted(measured):
            if asking is not None and name in asking.asks | asking.ends:
                function = self.methods[name]
                self._refuse(
                    function,
                    tree_of(function),
                    f"{name}() is a metric or a track, which reads the game: it cannot ask or end the game",
                )
        for name in dict.fromkeys(("score", "tie_break", *sorted(measured))):
            if name in paths and name in program.partial:
                function = self.methods[name]
                self._refuse(
                    function,
                    tree_of(function),
                    f"{name}() returns a number on some paths only. Return one on each path",
                )
        program.tuples = {
            name for name, found in paths.items() if any(isinstance(one.value, ast.Tuple) for one in found.numbers)
        }
        program.circles = self._circles()

    def _refuse(self, function: types.FunctionType, node: ast.AST, why: str) -> NoReturn:
        line = getattr(node, "lineno", function.__code__.co_firstlineno)
        raise InputError(
            f"{function.__code__.co_filename}, line {line}: {why}{'' if why.endswith(('?', '.')) else '.'}"
        )

    # --- Names and parameters ---------------------------------------------------------

    def _name(self, name: str, function: types.FunctionType) -> None:
        tree = tree_of(function)
        if hasattr(Game, name) and name not in _WRITTEN:
            self._refuse(function, tree, f"'{name}' is a method that every game has. Give yours another name")
        expected: tuple[str, ...] = _WRITTEN.get(name, ())
        if name.startswith("may_"):
            decision = name.removeprefix("may_")
            if decision not in self.plan.choices:
                self._refuse(
                    function,
                    tree,
                    f"there is no decision '{decision}', whose options {name}() could test. "
                    f"{nearest(decision, self.plan.choices)} "
                    "Other methods begin with another word than may_",
                )
            expected = ("self", "option", *list(inspect.signature(function).parameters)[2:])
        every = inspect.signature(function).parameters.values()
        fixed = [one for one in every if one.kind in (one.POSITIONAL_OR_KEYWORD, one.POSITIONAL_ONLY)]
        if expected and (len(fixed) != len(expected) or len(fixed) != len(every)):
            self._refuse(
                function,
                tree,
                f"the lab calls {name}({', '.join(expected[1:])}): write def {name}({', '.join(expected)})",
            )
        if not every:
            self._refuse(function, tree, f"{name}() lacks self: def {name}(self)")

    # --- Assignments --------------------------------------------------------------------

    def _writes(self, function: types.FunctionType) -> None:
        """Refuses assignments to what is not a field, and to whole lists."""
        tree, plan = tree_of(function), self.plan
        this = tree.args.args[0].arg if tree.args.args else ""
        for node in ast.walk(tree):
            if not isinstance(node, ast.Attribute) or isinstance(node.ctx, ast.Load):
                continue
            if not (isinstance(node.value, ast.Name) and node.value.id == this):
                continue
            name = node.attr
            if name in plan.constants:
                start = plan.constants[name]
                declared = f"flag({start})" if isinstance(start, bool) else f"number({start!r})"
                self._refuse(
                    function,
                    node,
                    f"'{name}' is a constant of the class. Declare it as a field: {name} = "
                    f"{declared if isinstance(start, int) else 'number()'}",
                )
            if name in plan.knobs:
                self._refuse(
                    function, node, f"{name} is a knob and stays as it is during a game. Use a field: number()"
                )
            if name in plan.fields and plan.fields[name].shape:
                self._refuse(
                    function,
                    node,
                    f"{name} is a list of numbers, which cannot be replaced. "
                    f"Change its numbers: {this}.{name}[place] = ..., or {this}.{name}.fill(0)",
                )
            if name in (*plan.components, *plan.choices, *self.methods, "seats", "seat_names", "decision", "options"):
                self._refuse(function, node, f"'{name}' cannot be assigned to. Use a field: number()")

    def _texts(self, function: types.FunctionType) -> None:
        """Refuses texts that are compared with numbers: an option keeps its name only until it is stored."""
        tree, plan = tree_of(function), self.plan
        this = tree.args.args[0].arg if tree.args.args else ""
        for node in ast.walk(tree):
            if not isinstance(node, ast.Compare) or len(node.ops) != 1:
                continue
            sides = [node.left, node.comparators[0]]
            for text, other in (sides, sides[::-1]):
                texts = text.elts if isinstance(text, ast.Tuple | ast.List | ast.Set) else [text]
                held = other.value if isinstance(other, ast.Subscript) else other
                own = isinstance(held, ast.Attribute) and isinstance(held.value, ast.Name) and held.value.id == this
                name = held.attr if own and isinstance(held, ast.Attribute) else ""
                if any(map(is_text, texts)) and name in plan.fields and name != "ending":
                    self._refuse(
                        function,
                        node,
                        f"{ast.unparse(other)} holds a number, never a text. "
                        "Keep the option's number and compare it with a number",
                    )

    # --- Calls ------------------------------------------------------------------------------

    def _circles(self) -> dict[str, str]:
        """The methods that call themselves, directly or through others, with the reason for plain play."""
        calls = {name: set(_own_calls(function)) & set(self.methods) for name, function in self.methods.items()}
        found = {}
        for name in calls:
            circle = _circle(name, calls)
            if circle:
                found[name] = _REASON.format(" -> ".join(f"{one}()" for one in circle))
        return found


_REASON = (
    "the lab cannot compile methods that call themselves ({}): a loop over a list of the places to visit is faster"
)


def _calls_of(function: types.FunctionType) -> Iterator[Any]:
    """The calls of methods of `self` in a method."""
    tree = tree_of(function)
    this = tree.args.args[0].arg if tree.args.args else ""
    for node in ast.walk(tree):
        called = node.func if isinstance(node, ast.Call) else None
        if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.value.id == this:
            yield node


def _own_calls(function: types.FunctionType) -> Iterator[str]:
    return (call.func.attr for call in _calls_of(function))


def _circle(name: str, calls: dict[str, set[str]]) -> list[str]:
    """The shortest circle of calls from a function back to itself; empty if there is none."""
    waiting, seen = [[name, other] for other in sorted(calls[name])], set[str]()
    while waiting:
        path = waiting.pop(0)
        if path[-1] == name:
            return path
        if path[-1] not in seen:
            seen.add(path[-1])
            waiting += [[*path, other] for other in sorted(calls.get(path[-1], ()))]
    return []


@lru_cache(maxsize=256)
def circle_of(function: types.FunctionType) -> str:
    """Why a function of the file that calls itself, directly or through others, is not compiled; "" for others."""
    calls: dict[str, set[str]] = {}
    waiting = [function]
    while waiting:
        one = waiting.pop()
        known, own = one.__globals__, locals_of(tree_of(one))
        called = [
            known[node.func.id]
            for node in ast.walk(tree_of(one))
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id not in own
            and isinstance(known.get(node.func.id), types.FunctionType)
            and known[node.func.id].__module__ == function.__module__
        ]
        calls[one.__name__] = {other.__name__ for other in called}
        waiting += [other for other in called if other.__name__ not in calls]
    circle = _circle(function.__name__, calls)
    return _REASON.format(" -> ".join(f"{one}()" for one in circle)) if circle else ""


@lru_cache(maxsize=512)
def _check_shared(function: types.FunctionType) -> None:
    """Refuses changes of what all games share: variables of the file, and lists that are defaults of parameters."""
    tree, known = tree_of(function), function.__globals__
    own = locals_of(tree)
    file = function.__code__.co_filename

    def refuse(node: ast.AST, name: str) -> NoReturn:
        raise InputError(
            f"{file}, line {getattr(node, 'lineno', '?')}: this changes {name}, which all games share. "
            f"Declare a field of the class: {name.lower()} = number() or numbers(10)."
        )

    for default in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
        if isinstance(default, list | dict | set):
            refuse(tree, "a default value")
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            refuse(node, node.names[0])
        base: Any = None
        if isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(node.ctx, ast.Load):
            base = node.value
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CHANGES:
            base = node.func.value
        while isinstance(base, ast.Subscript | ast.Attribute):
            base = base.value
        if isinstance(base, ast.Name) and base.id not in own and base.id in known:
            refuse(node, base.id)
