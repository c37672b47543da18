"""Which decision a value answers: `action == "wait"` compares numbers, and that of "wait" depends on the decision.

Answers are followed from `self.ask()` through locals, arguments, returned values and fields.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Mapping

from simlab.author.lowering import ANSWER, VALUE, Flow, frame_field, parameters_of

Place = tuple[str, str]  #: (method, local or "return"), or ("", field)
RETURNED = "return"


class Answers:
    """The decisions whose options each local, argument, returned value and field may hold.

    Args:
        flow: the class's methods. fields: names of the game's own fields.
    """

    def __init__(self, flow: Flow, fields: Iterable[str]) -> None:
        self._flow, self._fields = flow, frozenset(fields)
        self._from: defaultdict[Place, set[Place]] = defaultdict(set)
        self._asked: Mapping[Place, set[str]] = flow.asked
        self._frames = {
            frame_field(name, part): (name, RETURNED if part == VALUE else part)
            for name, frame in flow.frames.items()
            for part in (VALUE, *frame.parameters, *frame.kept)
        }
        for name in flow.trees:
            self._read(name, flow.lowered.get(name, flow.trees[name]))

    def of(self, method: str, node: ast.expr) -> set[str]:
        """The decisions that an expression in a method may answer; empty if it answers none."""
        return self.decisions(*self._sources(method, node))

    def decisions(self, *places: Place) -> set[str]:
        """The decisions that values in these places may answer."""
        waiting, known, found = list(places), set[Place](), set[str]()
        while waiting:
            place = waiting.pop()
            if place not in known:
                known.add(place)
                found |= self._asked.get(place, set())
                waiting += self._from[place]
        return found

    def _read(self, method: str, tree: ast.FunctionDef) -> None:
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    self._link(self._sources(method, target), method, node.value)
            elif isinstance(node, ast.Return) and node.value is not None and method not in self._flow.frames:
                self._link({(method, RETURNED)}, method, node.value)
            elif isinstance(node, ast.Call) and _own(node.func) in self._flow.trees:
                called = _own(node.func)
                if called not in self._flow.frames:
                    for name, value in zip(parameters_of(self._flow.trees[called]), node.args, strict=False):
                        self._link({(called, name)}, method, value)

    def _link(self, places: set[Place], method: str, value: ast.expr) -> None:
        for place in places:
            self._from[place] |= self._sources(method, value)

    def _sources(self, method: str, node: ast.expr) -> set[Place]:
        own = _own(node)
        if isinstance(node, ast.Name):
            return {(method, node.id)}
        if own in self._frames:
            return {self._frames[own]}
        if own in self._fields and own != ANSWER:
            return {("", own)}
        if isinstance(node, ast.Subscript) and _own(node.value) in self._fields:
            return {("", _own(node.value))}
        if isinstance(node, ast.IfExp):
            return self._sources(method, node.body) | self._sources(method, node.orelse)
        if isinstance(node, ast.Call):
            called = _own(node.func)
            if called == "kept_whole":
                return self._sources(method, node.args[0])
            return {(called, RETURNED)} if called in self._flow.trees else set()
        return set()


def _own(node: ast.AST) -> str:
    """The attribute of `self` that an expression names; "" for any other expression."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
        return node.attr
    return ""
