"""Which decision a value answers: `action == "wait"` compares numbers, and that of "wait" depends on the decision.

Answers are followed from `self.ask()` and from the option of a `may_` method through locals, arguments, returned values
and fields. A value that may be another number answers nothing: in plain Python, a number is never equal to a text.
"""

from __future__ import annotations

import ast
import copy
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from simlab.author.blocks import ANSWER, VALUE, AskingMethods, frame_field, parameters_of
from simlab.errors import InputError

Place = tuple[str, str]  #: (method, local or "return"), or ("", field)
RETURNED = "return"
NUMBER: Place = ("", "")  #: source of what is not an answer


class Answers:
    """The decisions whose options each local, argument, returned value and field may hold.

    Args:
        asking: the class's methods. fields: names of the game's own fields. choices: names of its decisions.
    """

    def __init__(self, asking: AskingMethods, fields: Iterable[str], choices: Iterable[str]) -> None:
        self._asking, self._fields = asking, frozenset(fields)
        self._from: defaultdict[Place, set[Place]] = defaultdict(set)
        self._asked: Mapping[Place, set[str]] = asking.asked | {
            (f"may_{name}", option): {name}
            for name in choices
            if f"may_{name}" in asking.trees
            for option in parameters_of(asking.trees[f"may_{name}"])[:1]
        }
        self._frames = {
            frame_field(name, part): (name, RETURNED if part == VALUE else part)
            for name, frame in asking.frames.items()
            for part in (VALUE, *frame.parameters, *frame.kept)
        }
        for name, tree in asking.trees.items():
            self._read(name, asking.lowered.get(name, tree))
            if name not in asking.frames:
                self._read_returns(name, tree)

    def of(self, method: str, node: ast.expr, written: Mapping[str, str]) -> set[str]:
        """The decisions that an expression in a method may answer; empty if it may be a number that answers none.

        Args:
            written: local that was renamed -> its name in the author's file.
        """
        node = copy.deepcopy(node)
        for part in ast.walk(node):
            if isinstance(part, ast.Name):
                part.id = written.get(part.id, part.id)
        sources = self._sources(method, node)
        return set() if NUMBER in self._places(sources) else self.decisions(*sources)

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
        return set[str]().union(*(sources.get(place, set()) for place in self._places(places)))

    def _places(self, places: Iterable[Place]) -> set[Place]:
        """These places, and all those from which their values come."""
        waiting, known = list(places), set[Place]()
        while waiting:
            place = waiting.pop()
            if place not in known:
                known.add(place)
                waiting += self._from[place]
                if not self._from[place] and place not in self._asked:
                    known.add(NUMBER)  # such as the variable of a loop
        return known

    def _read(self, method: str, tree: ast.FunctionDef) -> None:
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    self._assign(method, target, node.value)
            elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
                self._assign(method, node.target, node.value)
            elif isinstance(node, ast.AugAssign | ast.For):
                self._assign(method, node.target, None)
            elif isinstance(node, ast.Call) and _own(node.func) in self._asking.trees:
                called = _own(node.func)
                if called not in self._asking.frames:
                    for name, value in _arguments(self._asking.trees[called], node):
                        if (called, name) not in self._asked:  # the lab passes a `may_` method options alone
                            self._link({(called, name)}, method, value)

    def _read_returns(self, method: str, tree: ast.FunctionDef) -> None:
        """Links what the author's method returns, without the 0 of a game that is over."""
        for node in ast.walk(tree):
            if isinstance(node, ast.Return) and node.value is not None:
                self._link({(method, RETURNED)}, method, node.value)

    def _assign(self, method: str, target: ast.expr, value: ast.expr | None) -> None:
        """Links what is assigned to with its value, or with a number if the value is not written out."""
        if isinstance(target, ast.Tuple | ast.List):
            values = value.elts if isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts) else None
            for place, part in enumerate(target.elts):
                self._assign(method, part, values[place] if values else None)
        else:
            self._link(self._sources(method, target), method, value)

    def _link(self, places: set[Place], method: str, value: ast.expr | None) -> None:
        for place in places - {NUMBER}:
            self._from[place] |= {NUMBER} if value is None else self._sources(method, value)

    def _sources(self, method: str, node: ast.expr) -> set[Place]:
        own = _own(node)
        if own == ANSWER or _is_no_option(node):
            return set()
        if isinstance(node, ast.Name):
            return {(method, node.id)}
        if own in self._frames:
            return {self._frames[own]}
        if own in self._fields:
            return {("", own)}
        if isinstance(node, ast.Subscript) and _own(node.value) in self._fields:
            return {("", _own(node.value))}
        if isinstance(node, ast.IfExp):
            return self._sources(method, node.body) | self._sources(method, node.orelse)
        if isinstance(node, ast.Call) and _own(node.func) in self._asking.trees:
            return {(_own(node.func), RETURNED)}
        return {NUMBER}


def _arguments(tree: ast.FunctionDef, call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    """The parameters of a method, each with what a call passes."""
    names, defaults = parameters_of(tree), tree.args.defaults
    given = dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))
    given |= dict(zip(names, call.args, strict=False)) | {str(word.arg): word.value for word in call.keywords}
    return ((name, given[name]) for name in names if name in given)


def _is_no_option(node: ast.expr) -> bool:
    """Whether an expression is a number below 0, such as NONE, which no option has."""
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant)
    return isinstance(node, ast.Name) and node.id == "NONE"


def _own(node: ast.AST) -> str:
    """The attribute of `self` that an expression names; "" for any other expression."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
        return node.attr
    return ""
