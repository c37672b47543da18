"""Which decision a value answers: `action == "wait"` compares numbers, and that of "wait" depends on the decision.

Answers are followed from `self.ask()` through locals, arguments, returned values and fields.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Mapping

from simlab.author.blocks import ANSWER, VALUE, AskingMethods, frame_field, parameters_of
from simlab.errors import InputError

Place = tuple[str, str]  #: (method, local or "return"), or ("", field)
RETURNED = "return"


class Answers:
    """The decisions whose options each local, argument, returned value and field may hold.

    Args:
        asking: the class's methods. fields: names of the game's own fields.
    """

    def __init__(self, asking: AskingMethods, fields: Iterable[str]) -> None:
        self._asking, self._fields = asking, frozenset(fields)
        self._from: defaultdict[Place, set[Place]] = defaultdict(set)
        self._asked: Mapping[Place, set[str]] = asking.asked
        self._frames = {
            frame_field(name, part): (name, RETURNED if part == VALUE else part)
            for name, frame in asking.frames.items()
            for part in (VALUE, *frame.parameters, *frame.kept)
        }
        for name in asking.trees:
            self._read(name, asking.lowered.get(name, asking.trees[name]))

    def of(self, method: str, node: ast.expr) -> set[str]:
        """The decisions that an expression in a method may answer; empty if it answers none."""
        return self.decisions(*self._sources(method, node))

    def decisions(self, *places: Place) -> set[str]:
        """The decisions that values in these places may answer."""
        return self._follow(places, self._asked)

    def check_secrets(self, secret: Iterable[str]) -> None:
        """Refuses secret answers and cards of hidden hands that live in a local while another seat is asked: the lab
        does not know that it has to redraw them. secret: the secret decisions.
        """
        hidden = frozenset(secret)
        sources = {
            place: seats for place, seats in self._asking.seats_asked.items() if self._asked.get(place, set()) & hidden
        }
        for place, seats in self._asking.cards_seen.items():
            sources[place] = sources.get(place, set()) | seats
        for crossing in self._asking.crossings:
            asked = {crossing.seat} if crossing.seat else self._seats_asked_in(crossing.called)
            for local in sorted(crossing.kept, key=lambda name: (name.startswith("_"), name)):
                owners = self._follow([(crossing.method, local)], sources)
                if owners and owners | asked != {"self.seat"} and not (len(owners) == 1 and owners == asked):
                    raise InputError(
                        f"{self._asking.files[crossing.method]}, line {crossing.line}: {local.lstrip('_0123456789')} "
                        "holds a secret of one seat while another is asked. Keep it in a field that is hidden: "
                        "plan = per_seat(low=0, high=9, seen_by='owner')."
                    )

    def _seats_asked_in(self, method: str) -> set[str]:
        """The seats that a method asks, directly or through others, as they are written."""
        own = [crossing for crossing in self._asking.crossings if crossing.method == method]
        return set[str]().union(*({c.seat} if c.seat else self._seats_asked_in(c.called) for c in own))

    def _follow(self, places: Iterable[Place], sources: Mapping[Place, set[str]]) -> set[str]:
        """What the sources say of values in these places, through all assignments."""
        waiting, known, found = list(places), set[Place](), set[str]()
        while waiting:
            place = waiting.pop()
            if place not in known:
                known.add(place)
                found |= sources.get(place, set())
                waiting += self._from[place]
        return found

    def _read(self, method: str, tree: ast.FunctionDef) -> None:
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    self._link(self._sources(method, target), method, node.value)
            elif isinstance(node, ast.Return) and node.value is not None and method not in self._asking.frames:
                self._link({(method, RETURNED)}, method, node.value)
            elif isinstance(node, ast.Call) and _own(node.func) in self._asking.trees:
                called = _own(node.func)
                if called not in self._asking.frames:
                    for name, value in zip(parameters_of(self._asking.trees[called]), node.args, strict=False):
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
            return {(called, RETURNED)} if called in self._asking.trees else set()
        return set()


def _own(node: ast.AST) -> str:
    """The attribute of `self` that an expression names; "" for any other expression."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
        return node.attr
    return ""
