"""The paths through a function: names that may have no value where they are read, and paths that return nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

State = set[str] | None  #: names that certainly have a value; None where the code is never reached


@dataclass
class Paths:
    """The paths through a function.

    Attributes:
        unset: names that are read where they may have no value, with their places.
        numbers: the statements that return a value. nothing: the places that return none, the end of the function
            among them.
    """

    unset: list[ast.Name] = field(default_factory=list)
    numbers: list[ast.Return] = field(default_factory=list)
    nothing: list[ast.stmt] = field(default_factory=list)

    @property
    def sometimes(self) -> bool:
        """Whether a value is returned on some paths only."""
        return bool(self.numbers and self.nothing)


def paths_of(tree: ast.FunctionDef) -> Paths:
    """Follows the paths through a function."""
    walk = _Walk(locals_of(tree))
    arguments = {arg.arg for arg in arguments_of(tree)}
    if walk.block(tree.body, arguments) is not None:
        walk.paths.nothing.append(tree.body[-1])
    return walk.paths


def arguments_of(tree: ast.FunctionDef) -> list[ast.arg]:
    """All parameters of a function."""
    given = tree.args
    stars = [arg for arg in (given.vararg, given.kwarg) if arg]
    return [*given.posonlyargs, *given.args, *given.kwonlyargs, *stars]


def locals_of(tree: ast.FunctionDef) -> set[str]:
    """The names that a function binds, without those of its comprehensions."""
    inner = {
        id(node) for part in ast.walk(tree) if isinstance(part, ast.comprehension) for node in ast.walk(part.target)
    }
    stored = {
        node.id for node in ast.walk(tree)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) and id(node) not in inner
    }  # fmt: skip
    return stored | {arg.arg for arg in arguments_of(tree)}


class _Walk:
    def __init__(self, known: set[str]) -> None:
        self.known = known
        self.paths = Paths()
        self.breaks: list[list[State]] = []
        self.continues: list[list[State]] = []

    def block(self, body: Iterable[ast.stmt], state: State) -> State:
        for statement in body:
            if state is None:
                return None
            state = self.statement(statement, state)
        return state

    def statement(self, node: ast.stmt, state: set[str]) -> State:
        match node:
            case ast.Return():
                self.read(node.value, state)
                (self.paths.numbers if node.value is not None else self.paths.nothing).append(node)
                return None
            case ast.Raise():
                self.read(node.exc, state)
                return None
            case ast.Break():
                self.breaks[-1].append(state)
                return None
            case ast.Continue():
                self.continues[-1].append(state)
                return None
            case ast.Assign():
                state = self.read(node.value, state)
                for target in node.targets:
                    state = self.bind(target, state)
                return state
            case ast.AugAssign():
                if isinstance(node.target, ast.Name):
                    self._name(node.target, state)
                return self.bind(node.target, self.read(node.value, state))
            case ast.AnnAssign():
                return self.bind(node.target, self.read(node.value, state)) if node.value else state
            case ast.Assert():
                state = self.read(node.test, state)
                return None if isinstance(node.test, ast.Constant) and not node.test.value else state
            case ast.If():
                state = self.read(node.test, state)
                return _both(self.block(node.body, set(state)), self.block(node.orelse, set(state)))
            case ast.While():
                return self._while(node, state)
            case ast.For():
                return self._for(node, state)
            case ast.Try() | ast.With() | ast.Match():
                return self._blocks(node, state)
            case ast.FunctionDef() | ast.ClassDef():
                return state | {node.name}
            case ast.Import() | ast.ImportFrom():
                return state | {(name.asname or name.name).partition(".")[0] for name in node.names}
            case ast.Expr():
                return self.read(node.value, state)
        return state

    def _while(self, node: ast.While, state: set[str]) -> State:
        state = self.read(node.test, state)
        endless = isinstance(node.test, ast.Constant) and bool(node.test.value)
        self.breaks.append([])
        self.continues.append([])
        self.block(node.body, set(state))
        self.continues.pop()
        after: State = None if endless else self.block(node.orelse, set(state))
        for stop in self.breaks.pop():
            after = _both(after, stop)
        return after

    def _for(self, node: ast.For, state: set[str]) -> State:
        state = self.read(node.iter, state)
        self.breaks.append([])
        self.continues.append([])
        end = self.block(node.body, self.bind(node.target, set(state)))
        for again in self.continues.pop():
            end = _both(end, again)
        leaves: State = end if _runs(node.iter) else _both(end, set(state))
        after = self.block(node.orelse, leaves)
        for stop in self.breaks.pop():
            after = _both(after, stop)
        return after

    def _blocks(self, node: ast.Try | ast.With | ast.Match, state: set[str]) -> State:
        """Statements that are played in plain Python, which finds names without a value itself: only returns count."""
        state = state | {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        state |= {n.name for n in ast.walk(node) if isinstance(n, ast.MatchAs | ast.ExceptHandler) and n.name}
        if isinstance(node, ast.With):
            return self.block(node.body, state)
        if isinstance(node, ast.Match):
            after: State = state
            if isinstance(node.cases[-1].pattern, ast.MatchAs) and node.cases[-1].guard is None:
                after = None
            for case in node.cases:
                after = _both(after, self.block(case.body, set(state)))
            return after
        after = self.block([*node.body, *node.orelse], set(state))
        for handler in node.handlers:
            after = _both(after, self.block(handler.body, set(state)))
        return None if self.block(node.finalbody, set(state)) is None else after

    def bind(self, target: ast.expr, state: set[str]) -> set[str]:
        if isinstance(target, ast.Name):
            return state | {target.id}
        if isinstance(target, ast.Tuple | ast.List):
            for part in target.elts:
                state = self.bind(part, state)
            return state
        if isinstance(target, ast.Starred):
            return self.bind(target.value, state)
        for part in _children(target):
            state = self.read(part, state)
        return state

    def read(self, node: ast.expr | None, state: set[str]) -> set[str]:
        """The state after an expression is evaluated."""
        if node is None:
            return state
        if isinstance(node, ast.Name):
            self._name(node, state)
        elif isinstance(node, ast.NamedExpr):
            state = self.bind(node.target, self.read(node.value, state))
        elif isinstance(node, ast.BoolOp):
            state = self.read(node.values[0], state)
            for value in node.values[1:]:
                self.read(value, set(state))
        elif isinstance(node, ast.IfExp):
            state = self.read(node.test, state)
            state = self.read(node.body, set(state)) & self.read(node.orelse, set(state))
        elif isinstance(node, ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.DictComp):
            inner = set(state)
            for loop in node.generators:
                self.read(loop.iter, inner)
                inner = self.bind(loop.target, inner)
                for test in loop.ifs:
                    self.read(test, inner)
            for part in (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,):
                self.read(part, inner)
        elif not isinstance(node, ast.Lambda):
            for part in _children(node):
                state = self.read(part, state)
        return state

    def _name(self, node: ast.Name, state: set[str]) -> None:
        if node.id in self.known and node.id not in state:
            self.paths.unset.append(node)


def _children(node: ast.AST) -> Iterator[ast.expr]:
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.expr):
            yield part
        elif isinstance(part, ast.keyword):
            yield part.value


def _both(one: State, two: State) -> State:
    """The state where two paths meet."""
    return two if one is None else one if two is None else one & two


def _runs(node: ast.expr) -> bool:
    """Whether a loop over an expression runs at least once."""
    if isinstance(node, ast.Tuple | ast.List):
        return bool(node.elts)
    if isinstance(node, ast.Attribute):
        return node.attr == "seats"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
        ends = [part.value for part in node.args if isinstance(part, ast.Constant) and isinstance(part.value, int)]
        return len(ends) == len(node.args) and len(range(*ends)) > 0
    return False
