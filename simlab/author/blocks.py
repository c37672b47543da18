"""Cuts methods that ask into blocks, so that a compiled game can stop at any question and continue from there.

A rule is straight-line code, and `self.ask()` returns the answer. Compiled code cannot keep a stack of calls between
two decisions, so each method that asks becomes a loop over blocks, and its place, its arguments and its locals are kept
in the record, one frame for each method:

    def take_turn(self):                        def take_turn(self):
        self.at_stake = 0                           place = self.take_turn__at
        while self.ask(self.throw) == "roll":       while True:
            self.at_stake += self.roll(6)               if place == 0:
                                                            self.at_stake = 0
                                                            place = 1
                                                        if place == 1:
                                                            self.put_question(self.throw)
                                                            self.take_turn__at = 2
                                                            return True  # the game waits or is over
                                                        if place == 2:
                                                            answer = self.answer
                                                            ...

Methods that ask form an acyclic graph of calls, so one frame for each method is enough. A method that asks returns True
if the game waits for an answer or is over, and its callers return at once; the next call continues where it stopped.
Methods that end the game without asking stay as they are, but for a return after each call that may end it.

What contains no question stays plain code. The result is Python again, which the translator compiles.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn, TypeAlias

from simlab.author.flow import paths_of
from simlab.errors import InputError

PLACE, VALUE = "0place", "0value"  #: parts of every frame: where the method stopped, what it returned
MOST_MORE: Final = 4  #: further numbers that a question may carry
FRAME: Final = "frame_"  #: fields of the record that begin so are nobody's to see
ANSWER: Final = f"{FRAME}answer"  #: field of the record that holds the answer to the last question
MORE: Final = tuple(f"{FRAME}more_{number}" for number in range(MOST_MORE))  #: further numbers of the pending question
_ASKS, _ENDS = ("ask", "ask_all"), ("end",)
_SCOPES = (ast.Lambda, ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp)


def frame_field(method: str, name: str) -> str:
    """Name of the record's field that keeps a local of a method while the game waits."""
    return f"{FRAME}{method}__{name}"


@dataclass
class Frame:
    """The part of the record in which a method that asks keeps its place.

    Attributes:
        parameters: names of its parameters, without `self`. kept: names of the locals that live across a question.
        blocks: number of its blocks. asks: whether it contains a question itself.
        calls: place -> the method that is under way while the game waits there, if the method itself does not ask.
    """

    method: str
    parameters: tuple[str, ...]
    kept: list[str] = field(default_factory=list)
    blocks: int = 0
    asks: bool = False
    calls: dict[int, str] = field(default_factory=dict)

    @property
    def fields(self) -> list[str]:
        """Names of its fields in the record."""
        return [frame_field(self.method, name) for name in dict.fromkeys((PLACE, VALUE, *self.parameters, *self.kept))]


@dataclass(frozen=True)
class Crossing:
    """A place where locals live on while the game waits.

    Attributes:
        line: of the question or of the call that asks. seat: who is asked, as it is written; "" for a call.
        called: the method that asks; "" for a question. kept: the locals.
    """

    method: str
    line: int
    seat: str
    called: str
    kept: frozenset[str]


class AskingMethods:
    """Which methods of a class ask, which may end the game, and the methods cut into blocks.

    Args:
        trees: syntax tree of each method. files: the file of each method.
        references: attributes of `self` that are not values: components, decisions and fields with several numbers.
        visits: (component, method that yields cards) -> (its deck, its method that says which cards count).
        forced: decisions that are not asked where one option is legal.
        hidden: components whose cards the other seats do not see.
    Attributes:
        asks: names of the methods that ask, directly or through others. ends: those that may end the game, too.
        frames: method that asks -> its frame.
        lowered: method that asks or may end the game -> its tree, cut into blocks.
        asked: (method, local that holds an answer) -> names of the decisions that it answers.
        more: most further numbers that a question carries.
        seats_asked: (method, local that holds an answer) -> the seats that gave it, as they are written.
        cards_seen: (method, local that holds a card of a hidden hand) -> the seats whose hand it is, as written.
        crossings: where locals live on while the game waits.
    Raises:
        InputError: a question stands where the lab cannot stop; the message names file and line.
    """

    def __init__(
        self,
        trees: Mapping[str, ast.FunctionDef],
        files: Mapping[str, str],
        references: Iterable[str],
        visits: Mapping[tuple[str, str], tuple[str, str]],
        forced: Iterable[str] = (),
        hidden: Iterable[str] = (),
    ) -> None:
        self.trees, self.files, self.references, self.visits = trees, files, frozenset(references), visits
        self.forced, self.hidden = frozenset(forced), frozenset(hidden)
        calls = {name: {call.func.attr for call in own_calls(tree)} for name, tree in trees.items()}  # type: ignore[attr-defined]
        self.asks = _callers(calls, _ASKS)
        self.ends = _callers(calls, _ENDS) - self.asks
        self._check_cycles(calls)
        self.frames = {name: Frame(name, parameters_of(trees[name])) for name in trees if name in self.asks}
        self.lowered: dict[str, ast.FunctionDef] = {}
        self.asked: dict[tuple[str, str], set[str]] = {}
        self.seats_asked: dict[tuple[str, str], set[str]] = {}
        self.cards_seen: dict[tuple[str, str], set[str]] = {}
        self.crossings: list[Crossing] = []
        self.more = 0
        for name in trees:
            if name in self.asks or name in self.ends:
                self.lowered[name] = _Cut(self, name).method()

    def stops(self, node: ast.AST, asking: bool = False) -> bool:
        """Whether code contains a call at which the game may stop: to wait or, unless `asking`, to end."""
        names = {*_ASKS, *self.asks} if asking else {*_ASKS, *_ENDS, *self.asks, *self.ends}
        return any(call.func.attr in names for call in own_calls(node))  # type: ignore[attr-defined]

    def _check_cycles(self, calls: Mapping[str, set[str]]) -> None:
        """Refuses methods that ask and call themselves, directly or through others."""
        for start in sorted(self.asks):
            path = _way(calls, start, start, self.asks)
            if path:
                raise InputError(
                    f"{self.files[start]}, line {self.trees[start].lineno}: {' calls '.join(path)}: a method that asks "
                    "cannot call itself, directly or through others. Keep what is still to be done in a Queue, and "
                    "work it off in a loop."
                )


def own_calls(node: ast.AST) -> Iterator[ast.Call]:
    """The calls of methods of `self` in code."""
    for part in ast.walk(node):
        if (
            isinstance(part, ast.Call)
            and isinstance(part.func, ast.Attribute)
            and isinstance(part.func.value, ast.Name)
            and part.func.value.id == "self"
        ):
            yield part


def parameters_of(tree: ast.FunctionDef) -> tuple[str, ...]:
    """Names of a method's parameters, without `self`."""
    return tuple(arg.arg for arg in tree.args.args[1:])


def _callers(calls: Mapping[str, set[str]], targets: Iterable[str]) -> set[str]:
    """The methods that call one of the targets, directly or through others."""
    found: set[str] = set()
    reached = set(targets)
    while True:
        more = {name for name, called in calls.items() if called & reached} - found
        if not more:
            return found
        found |= more
        reached |= more


def _way(calls: Mapping[str, set[str]], start: str, goal: str, within: set[str]) -> list[str]:
    """A shortest path of calls from one method to another, both named; empty if there is none."""
    paths, known = [[start]], set[str]()
    while paths:
        path = paths.pop(0)
        for called in sorted(calls[path[-1]] & within):
            if called == goal:
                return [*path, called]
            if called not in known:
                known.add(called)
                paths.append([*path, called])
    return []


#: Of a loop that was cut: what runs before it, its condition, its step, and the item (and whether the item counts).
_Steps: TypeAlias = tuple[list[ast.stmt], ast.expr, ast.stmt, list[ast.expr]]


class _Refusals:
    """Refuses code with its file and line."""

    def __init__(self, asking: AskingMethods, name: str) -> None:
        self.asking, self.name = asking, name

    def refuse(self, node: ast.AST, why: str) -> NoReturn:
        raise InputError(f"{self.asking.files[self.name]}, line {getattr(node, 'lineno', '?')}: {why}.")


class _Lift(_Refusals):
    """Moves calls at which the game may stop out of expressions, in the order in which Python evaluates them.

    The statements that come out contain such a call only as `value = self.ask(...)` or as a statement of its own.
    """

    def __init__(self, asking: AskingMethods, name: str) -> None:
        super().__init__(asking, name)
        self.fresh_names = 0

    def fresh(self, stem: str = "value") -> str:
        self.fresh_names += 1
        return f"_{self.fresh_names}_{stem}"

    def is_stop(self, node: ast.AST) -> bool:
        names = {*_ASKS, *_ENDS, *self.asking.asks, *self.asking.ends}
        return (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "self"
            and node.func.attr in names
        )

    def lift(self, node: ast.expr) -> tuple[list[ast.stmt], ast.expr]:
        """Statements to run before, and what is left of the expression."""
        if not self.asking.stops(node):
            return [], node
        if isinstance(node, _SCOPES):
            self.refuse(node, "a question inside a loop in brackets. Write a `for` loop")
        if isinstance(node, ast.BoolOp):
            return self._lift_bool(node)
        if isinstance(node, ast.IfExp):
            return self._lift_if(node)
        if isinstance(node, ast.Compare) and any(self.asking.stops(part) for part in node.comparators[1:]):
            self.refuse(node, "a question behind the second comparison of a chain. Write two comparisons with `and`")
        if isinstance(node, ast.NamedExpr):
            before, value = self.lift(node.value)
            return [*before, _assign(node.target, value)], ast.Name(node.target.id, ast.Load())
        if isinstance(node, ast.Call):
            return self._lift_call(node)
        if isinstance(node, ast.Subscript):
            before, (place,) = self.lift_all([node.slice])
            if self.asking.stops(node.value):
                self.refuse(node, "a question in front of [...]. Give its answer a name first")
            return before, ast.Subscript(node.value, place, node.ctx)
        if isinstance(node, ast.Starred | ast.Await | ast.Yield | ast.YieldFrom | ast.JoinedStr):
            self.refuse(node, "a question in this place. Give its answer a name first: answer = self.ask(...)")
        return self._lift_parts(node)

    def _lift_parts(self, node: ast.expr) -> tuple[list[ast.stmt], ast.expr]:
        """An expression whose parts are all evaluated, in the order of its fields."""
        made = copy.copy(node)
        places = [
            (name, number)
            for name, value in ast.iter_fields(node)
            for number in (range(len(value)) if isinstance(value, list) else [None])
            if isinstance(value if number is None else value[number], ast.expr)
        ]
        for name, value in ast.iter_fields(node):
            if isinstance(value, list):
                setattr(made, name, list(value))
        parts = [getattr(node, name) if n is None else getattr(node, name)[n] for name, n in places]
        before, values = self.lift_all(parts)
        for (name, number), value in zip(places, values, strict=True):
            if number is None:
                setattr(made, name, value)
            else:
                getattr(made, name)[number] = value
        return before, made

    def _lift_call(self, node: ast.Call) -> tuple[list[ast.stmt], ast.expr]:
        if isinstance(node.func, ast.Attribute) and self.asking.stops(node.func.value):
            self.refuse(node, "a question in front of a call. Give its answer a name first")
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        if self.is_stop(node):
            before, values = self.lift_all(given, keep_generators=True)
        else:
            before, values = self.lift_all(given)
        keywords = [
            ast.keyword(word.arg, value) for word, value in zip(node.keywords, values[len(node.args) :], strict=True)
        ]
        call = ast.copy_location(ast.Call(node.func, values[: len(node.args)], keywords), node)
        if not self.is_stop(node):
            return before, call
        if node.func.attr == "end":  # type: ignore[attr-defined]
            return [*before, ast.copy_location(ast.Expr(call), node)], ast.Constant(0)
        name = self.fresh()
        return [*before, ast.copy_location(_assign(ast.Name(name, ast.Store()), call), node)], _load(name)

    def lift_all(self, nodes: list[ast.expr], keep_generators: bool = False) -> tuple[list[ast.stmt], list[ast.expr]]:
        """Several expressions that are evaluated one after the other: what is evaluated before a question is kept."""
        last = max((n for n, node in enumerate(nodes) if self.asking.stops(node)), default=-1)
        before: list[ast.stmt] = []
        values: list[ast.expr] = []
        for number, node in enumerate(nodes):
            if number > last or (keep_generators and isinstance(node, ast.GeneratorExp)):
                values.append(node)
                continue
            own, value = self.lift(node)
            before += own
            if number < last and not self.is_stable(value):
                name = self.fresh()
                before.append(ast.copy_location(_assign(ast.Name(name, ast.Store()), value), node))
                value = _load(name)
            values.append(value)
        return before, values

    def is_stable(self, node: ast.expr) -> bool:
        """Whether an expression has the same value after a question: constants, locals, components, decisions."""
        if isinstance(node, ast.Constant | ast.Name):
            return True
        if isinstance(node, ast.Attribute):
            return isinstance(node.value, ast.Name) and node.value.id == "self" and node.attr in self.asking.references
        return isinstance(node, ast.Tuple) and all(self.is_stable(part) for part in node.elts)

    def _lift_bool(self, node: ast.BoolOp) -> tuple[list[ast.stmt], ast.expr]:
        """`a and b`: b is evaluated only if a holds."""
        first, *rest = node.values
        before, value = self.lift(first)
        if not any(self.asking.stops(part) for part in rest):
            return before, ast.copy_location(ast.BoolOp(node.op, [value, *rest]), node)
        name = self.fresh()
        others = rest[0] if len(rest) == 1 else ast.copy_location(ast.BoolOp(node.op, rest), node)
        inside, other = self.lift(others)
        goes_on: ast.expr = _load(name)
        if isinstance(node.op, ast.Or):
            goes_on = ast.UnaryOp(ast.Not(), goes_on)
        body = [*inside, _assign(ast.Name(name, ast.Store()), other)]
        return [*before, _assign(ast.Name(name, ast.Store()), value), _at(ast.If(goes_on, body, []), node)], _load(name)

    def _lift_if(self, node: ast.IfExp) -> tuple[list[ast.stmt], ast.expr]:
        before, test = self.lift(node.test)
        if not self.asking.stops(node.body) and not self.asking.stops(node.orelse):
            return before, ast.copy_location(ast.IfExp(test, node.body, node.orelse), node)
        name = self.fresh()
        yes, no = self.lift(node.body), self.lift(node.orelse)
        branches = [[*b, _assign(ast.Name(name, ast.Store()), value)] for b, value in (yes, no)]
        return [*before, _at(ast.If(test, branches[0], branches[1]), node)], _load(name)

    def statement(self, node: ast.stmt) -> list[ast.stmt]:  # noqa: RET503 - refuse() raises
        """A simple statement as statements that contain a stop only as a call of its own."""
        if isinstance(node, ast.Expr):
            if self.is_stop(node.value):
                assert isinstance(node.value, ast.Call)
                before, _ = self._lift_call(node.value)
                last = before[-1]
                if isinstance(last, ast.Assign):  # its value is not used
                    before[-1] = ast.copy_location(ast.Expr(last.value), node)
                return before
            before, value = self.lift(node.value)
            return [*before, ast.copy_location(ast.Expr(value), node)]
        if isinstance(node, ast.Assign):
            return self._assignment(node)
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            return self._assignment(ast.copy_location(ast.Assign([node.target], node.value), node))
        if isinstance(node, ast.AugAssign):
            return self._augmented(node)
        if isinstance(node, ast.Return) and node.value is not None:
            before, value = self.lift(node.value)
            return [*before, ast.copy_location(ast.Return(value), node)]
        if isinstance(node, ast.Assert):
            before, test = self.lift(node.test)
            return [*before, ast.copy_location(ast.Assert(test, node.msg), node)]
        self.refuse(node, "a question in this place. Give its answer a name first: answer = self.ask(...)")

    def _assignment(self, node: ast.Assign) -> list[ast.stmt]:
        if any(self.asking.stops(target) for target in node.targets):
            self.refuse(node, "a question on the left of `=`. Give its answer a name first")
        if len(node.targets) == 1 and isinstance(node.targets[0], ast.Name) and self.is_stop(node.value):
            assert isinstance(node.value, ast.Call)
            before, _ = self._lift_call(node.value)
            last = before[-1]
            if isinstance(last, ast.Assign):
                last.targets = [node.targets[0]]
                return before
            self.refuse(node, "end() has no value")
        before, value = self.lift(node.value)
        return [*before, ast.copy_location(ast.Assign(node.targets, value), node)]

    def _augmented(self, node: ast.AugAssign) -> list[ast.stmt]:
        """`self.points[seat] += self.ask(...)`: Python reads the left side before it asks."""
        before: list[ast.stmt] = []
        target: Any = copy.deepcopy(node.target)
        if self.asking.stops(target):
            self.refuse(node, "a question on the left of an assignment. Give its answer a name first")
        if isinstance(target, ast.Subscript) and not self.is_stable(target.slice):
            parts = target.slice.elts if isinstance(target.slice, ast.Tuple) else [target.slice]
            names = [part if self.is_stable(part) else self._kept(part, before) for part in parts]
            target.slice = ast.Tuple(names, ast.Load()) if isinstance(target.slice, ast.Tuple) else names[0]
        reading = copy.deepcopy(target)
        reading.ctx = ast.Load()
        old = self._kept(reading, before)
        own, value = self.lift(node.value)
        new = ast.copy_location(ast.BinOp(old, node.op, value), node)
        return [*before, *own, ast.copy_location(ast.Assign([target], new), node)]

    def _kept(self, node: ast.expr, before: list[ast.stmt]) -> ast.expr:
        name = self.fresh()
        before.append(_assign(ast.Name(name, ast.Store()), node))
        return _load(name)


@dataclass
class _Loop:
    """Where `continue` and `break` of a loop that was cut lead."""

    again: int
    out: int


class _Cut(_Lift):
    """Cuts one method into blocks, if it asks; adds returns after calls that may end the game."""

    def __init__(self, asking: AskingMethods, name: str) -> None:
        super().__init__(asking, name)
        self.tree = copy.deepcopy(asking.trees[name])
        self.cuts = name in asking.asks
        self.blocks: list[list[ast.stmt]] = [[]]
        self.begun: list[int] = [0]  #: blocks in the order of the source
        self.loops: list[_Loop] = []
        self.resumes: dict[int, list[ast.stmt]] = {}  #: block -> the list in which its locals are saved before a stop
        self.waits: dict[int, tuple[int, str, str]] = {}  #: block -> line, seat and called method, as in Crossing

    def method(self) -> ast.FunctionDef:
        body = self.tree.body
        docstring = []
        if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
            docstring, body = [body[0]], body[1:]
        for unset in paths_of(self.tree).unset:
            self.refuse(
                unset, f"{unset.id} may have no value here. Set it before the loop or the condition: {unset.id} = 0"
            )
        if not self.cuts:
            self.tree.body = docstring + (self.plain(body) or [ast.Pass()])
            return ast.fix_missing_locations(self.tree)
        if any(self.tree.args.defaults) or self.tree.args.vararg or self.tree.args.kwarg or self.tree.args.kwonlyargs:
            self._check_parameters()
        self.cut(body)
        self.emit(ast.Return(ast.Constant(False)))
        self.tree.body = self._assemble()
        self.tree.args = ast.arguments([], [self.tree.args.args[0]], None, [], [], None, [])
        return ast.fix_missing_locations(self.tree)

    def _check_parameters(self) -> None:
        if self.tree.args.vararg or self.tree.args.kwarg or self.tree.args.kwonlyargs:
            self.refuse(self.tree, "a method that asks takes parameters with names: def contest(self, attacker, cards)")

    # --- Plain code ---------------------------------------------------------------

    def plain(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Code without a question; after each call that may end the game it returns."""
        return [made for statement in body for made in self._plain(statement)]

    def _plain(self, node: ast.stmt) -> list[ast.stmt]:
        if isinstance(node, ast.If):
            before, node.test = self.lift(node.test)
            node.body, node.orelse = self.plain(node.body), self.plain(node.orelse)
            return [*self._checked(before), node]
        if isinstance(node, ast.For):
            before, node.iter = self.lift(node.iter)
            node.body, node.orelse = self.plain(node.body), self.plain(node.orelse)
            return [*self._checked(before), node]
        if isinstance(node, ast.While):
            before, test = self.lift(node.test)
            node.body, node.orelse = self.plain(node.body), self.plain(node.orelse)
            if before:
                if node.orelse:
                    self.refuse(node, "`else` after a loop whose condition may end the game. Use a flag")
                leave = _at(ast.If(ast.UnaryOp(ast.Not(), test), [ast.Break()], []), node)
                node.test, node.body = ast.Constant(True), [*self._checked(before), leave, *node.body]
            return [node]
        if isinstance(node, ast.Return) and self.cuts:
            return self._returned(node)
        if not self.asking.stops(node):
            return [node]
        return self._checked(self.statement(node))

    def _checked(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """The same statements, with a return after each call that may end the game."""
        made: list[ast.stmt] = []
        for node in body:
            if isinstance(node, ast.If):
                node.body, node.orelse = self._checked(node.body), self._checked(node.orelse)
            if isinstance(node, ast.Return) and self.cuts:
                made += self._returned(node)
                continue
            made.append(node)
            call = getattr(node, "value", None)
            if isinstance(node, ast.Expr | ast.Assign) and isinstance(call, ast.Call) and self.is_stop(call):
                assert isinstance(call.func, ast.Attribute)
                leave = ast.Return(self._stopped())
                made.append(leave if call.func.attr == "end" else _at(ast.If(_own("over"), [leave], []), node))
        return made

    def _stopped(self) -> ast.expr | None:
        """What a method returns when the game is over."""
        if self.cuts:
            return ast.Constant(True)
        gives = any(
            isinstance(node, ast.Return) and node.value is not None for node in ast.walk(self.asking.trees[self.name])
        )
        return ast.Constant(0) if gives else None

    def _returned(self, node: ast.Return) -> list[ast.stmt]:
        done = ast.copy_location(ast.Return(ast.Constant(False)), node)
        if node.value is None:
            return [done]
        before, value = self.lift(node.value)
        keep = ast.copy_location(_assign(_own(frame_field(self.name, VALUE), ast.Store()), (value)), node)
        return [*self._checked(before), keep, done]

    # --- Blocks -------------------------------------------------------------------

    @property
    def now(self) -> int:
        """The block that statements are added to."""
        return self.begun[-1]

    @now.setter
    def now(self, block: int) -> None:
        self.begun.append(block)

    def emit(self, *statements: ast.stmt) -> None:
        self.blocks[self.now].extend(statements)

    def block(self) -> int:
        self.blocks.append([])
        return len(self.blocks) - 1

    def go(self, target: int) -> None:
        """Ends the block with a jump."""
        self.emit(_goto(target))

    def cut(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self._cut(statement)

    def _cuts(self, node: ast.AST) -> bool:
        """Whether a statement has to be cut: it contains a question, or a jump out of a loop that is cut."""
        return self.asking.stops(node, asking=True) or (bool(self.loops) and _jumps(node))

    def _cut(self, node: ast.stmt) -> None:
        if not self._cuts(node):
            self.emit(*self._plain(node))
        elif isinstance(node, ast.If):
            self._cut_if(node)
        elif isinstance(node, ast.While):
            self._cut_while(node)
        elif isinstance(node, ast.For):
            self._cut_for(node)
        elif isinstance(node, ast.Break | ast.Continue):
            self.go(self.loops[-1].out if isinstance(node, ast.Break) else self.loops[-1].again)
            self.now = self.block()  # what follows is never reached
        elif self._is_question(node):
            self._stop_at(node)
        elif isinstance(node, ast.Return):
            *before, last = self.statement(node)
            self.cut(before)
            self.emit(*self._plain(last))
        else:
            self.cut(self.statement(node))

    def _is_question(self, node: ast.stmt) -> bool:
        """Whether a statement is nothing but a call that may wait, whose arguments contain no other."""
        value = getattr(node, "value", None)
        if isinstance(node, ast.Assign) and not (len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)):
            return False
        return (
            isinstance(node, ast.Expr | ast.Assign)
            and isinstance(value, ast.Call)
            and self.is_stop(value)
            and not any(self.asking.stops(part) for part in [*value.args, *(word.value for word in value.keywords)])
        )

    def _cut_if(self, node: ast.If) -> None:
        before, test = self.lift(node.test)
        self.cut(before)
        yes, no, after = self.block(), self.block() if node.orelse else -1, self.block()
        self.emit(_branch(test, yes, after if no < 0 else no))
        self.now = yes
        self.cut(node.body)
        self.go(after)
        if no >= 0:
            self.now = no
            self.cut(node.orelse)
            self.go(after)
        self.now = after

    def _cut_while(self, node: ast.While) -> None:
        head, body, otherwise, after = self.block(), self.block(), self.block(), self.block()
        self.go(head)
        self.now = head
        before, test = self.lift(node.test)
        self.cut(before)
        endless = isinstance(test, ast.Constant) and bool(test.value)
        self.emit(_goto(body) if endless else _branch(test, body, otherwise))
        self.now = body
        self.loops.append(_Loop(head, after))
        self.cut(node.body)
        self.loops.pop()
        self.go(head)
        self.now = otherwise
        self.cut(node.orelse)
        self.go(after)
        self.now = after

    def _cut_for(self, node: ast.For) -> None:
        """A loop with a counter: what it goes over is evaluated once, and its items when they are reached."""
        before, source = self.lift(node.iter)
        self.cut(before)
        begin, test, step, first = self._counted(source)
        self.emit(*begin)
        head, body, again, otherwise, after = (self.block() for _ in range(5))
        self.go(head)
        self.now = head
        self.emit(_branch(test, body, otherwise))
        self.now = body
        if len(first) > 1:  # items that are passed over
            inside = self.block()
            self.emit(_branch(first[1], inside, again))
            self.now = inside
        part = getattr(getattr(source, "func", None), "value", None)
        if isinstance(source, ast.Call) and getattr(part, "attr", "") in self.asking.hidden and source.args:
            owner = ast.unparse(source.args[0])
            for name in _names_in(node.target, ast.Store) | _reads(first[0]):
                self.asking.cards_seen.setdefault((self.name, name), set()).add(owner)
        self.emit(ast.copy_location(ast.Assign([node.target], first[0]), node))
        self.loops.append(_Loop(again, after))
        self.cut(node.body)
        self.loops.pop()
        self.go(again)
        self.now = again
        self.emit(step)
        self.go(head)
        self.now = otherwise
        self.cut(node.orelse)
        self.go(after)
        self.now = after

    def _counted(self, source: ast.expr) -> _Steps:  # noqa: RET503 - refuse() raises
        """Before the loop, its condition, its step, and the item (and whether it counts)."""
        at = self.fresh("at")
        step = ast.AugAssign(ast.Name(at, ast.Store()), ast.Add(), ast.Constant(1))
        if isinstance(source, ast.Call) and isinstance(source.func, ast.Name) and source.func.id == "range":
            return self._counted_range(source, at)
        if isinstance(source, ast.Call) and isinstance(source.func, ast.Attribute):
            return self._counted_call(source, at, step)
        begin: list[ast.stmt] = [_assign(ast.Name(at, ast.Store()), ast.Constant(0))]
        if isinstance(source, ast.Attribute) and source.attr == "seats":
            return begin, _code(f"{at} < len(self.seats)"), step, [_load(at)]
        if isinstance(source, ast.Tuple | ast.List) and source.elts:
            if not all(self.is_stable(part) for part in source.elts):
                names = [self._kept(part, begin) for part in source.elts]
                source = ast.Tuple(names, ast.Load())
            item: ast.expr = source.elts[-1]
            for number, part in reversed([*enumerate(source.elts[:-1])]):
                item = ast.IfExp(_code(f"{at} == {number}"), part, item)
            return begin, _code(f"{at} < {len(source.elts)}"), step, [item]
        if isinstance(source, ast.Name | ast.Attribute):
            text = ast.unparse(source)
            return begin, _code(f"{at} < len({text})"), step, [_code(f"{text}[{at}]")]
        self.refuse(
            source,
            f"a loop with a question cannot go over {ast.unparse(source)}. Loop over range(), self.seats, a field, the "
            "cards of a hand or a tuple",
        )

    def _counted_range(self, source: ast.Call, at: str) -> _Steps:
        given = list(source.args)
        low = given[0] if len(given) > 1 else ast.Constant(0)
        high = given[1] if len(given) > 1 else given[0]
        by = given[2] if len(given) > 2 else ast.Constant(1)
        try:
            sign = ast.literal_eval(by)
        except ValueError:
            sign = 0
        if not isinstance(sign, int) or sign == 0:
            self.refuse(source, "the step of a loop with a question is a number such as -1")
        begin: list[ast.stmt] = []
        first = low if isinstance(low, ast.Constant) else self._kept(low, begin)
        last = high if isinstance(high, ast.Constant) else self._kept(high, begin)
        begin.append(_assign(ast.Name(at, ast.Store()), first))
        test = ast.Compare(_load(at), [ast.Lt() if sign > 0 else ast.Gt()], [last])
        step = ast.AugAssign(ast.Name(at, ast.Store()), ast.Add(), ast.Constant(sign))
        return begin, test, step, [_load(at)]

    def _counted_call(self, source: ast.Call, at: str, step: ast.stmt) -> _Steps:  # noqa: RET503 - refuse() raises
        """`self.others()` and `self.hand.of(seat)`."""
        assert isinstance(source.func, ast.Attribute)
        begin: list[ast.stmt] = []
        if ast.unparse(source) == "self.others()":
            start = self._kept(_own("seat"), begin)
            begin.append(_assign(ast.Name(at, ast.Store()), ast.Constant(1)))
            seat = _code(f"({ast.unparse(start)} + {at}) % len(self.seats)")
            return begin, _code(f"{at} < len(self.seats)"), step, [seat]
        part = source.func.value
        visit = self.asking.visits.get((part.attr, source.func.attr)) if isinstance(part, ast.Attribute) else None
        if visit:
            arguments = [arg if self.is_stable(arg) else self._kept(arg, begin) for arg in source.args]
            begin.append(_assign(ast.Name(at, ast.Store()), ast.Constant(0)))
            given = ", ".join([*map(ast.unparse, arguments), at])
            deck, test = visit
            counts = _code(f"{ast.unparse(part)}.{test}({given})")
            return begin, _code(f"{at} < self.{deck}.size"), step, [_load(at), counts]
        self.refuse(source, f"a loop with a question cannot go over {ast.unparse(source)}. Loop over range()")

    # --- Stops --------------------------------------------------------------------

    def _stop_at(self, node: ast.stmt) -> None:
        """`value = self.ask(...)` or `value = self.contest(...)`, where the game may wait or be over."""
        call: Any = node.value  # type: ignore[attr-defined]
        target = node.targets[0].id if isinstance(node, ast.Assign) else ""  # type: ignore[attr-defined]
        if call.func.attr == "ask":
            self._ask(node, call, target)
        elif call.func.attr == "ask_all":
            self._ask_all(node, call)
        elif call.func.attr in self.asking.asks:
            self._call(node, call, target)
        else:
            self.emit(*self._checked([node]))

    def _ask(self, node: ast.stmt, call: ast.Call, target: str) -> None:
        if not call.args:
            self.refuse(node, "ask() takes a decision: self.ask(self.throw)")
        words = {word.arg: word.value for word in call.keywords}
        for name in words:
            if name != "seat":
                self.refuse(node, f"ask() has no argument '{name}'")
        decision, *given = call.args
        seat = words.get("seat") or (given[0] if given else None)
        more = given[1:]
        if len(more) > MOST_MORE:
            self.refuse(node, f"ask() takes at most {MOST_MORE} numbers after the seat")
        asked = getattr(decision, "attr", "")
        test = self.asking.trees.get(f"may_{asked}")
        wanted = parameters_of(test)[1:] if test else ()
        if test and len(more) != len(wanted):
            fits = ", ".join([f"self.{asked}", *(["seat", *wanted] if wanted else [])])
            self.refuse(node, f"may_{asked}() takes {', '.join(parameters_of(test))}: self.ask({fits})")
        for name, value in zip(MORE, more, strict=False):
            self.emit(ast.copy_location(_assign(_own(name, ast.Store()), (value)), node))
        self.asking.more = max(self.asking.more, len(more))
        if target:
            self.asking.asked.setdefault((self.name, target), set()).add(asked)
        before = ""
        if seat is not None and ast.unparse(seat) != "self.seat":
            before = self.fresh("seat")
            self.emit(_assign(ast.Name(before, ast.Store()), _own("seat")))
        put = ast.Call(_own("put_question"), [decision] if seat is None else [decision, seat], [])
        self.emit(ast.copy_location(ast.Expr(put), node))
        resume = self.block()
        asked_seat = "self.seat" if seat is None else ast.unparse(seat)
        self.waits[resume] = getattr(node, "lineno", 0), asked_seat, ""
        if target:
            self.asking.seats_asked.setdefault((self.name, target), set()).add(asked_seat)
        if asked in self.asking.forced:
            wait = ast.If(ast.UnaryOp(ast.Not(), ast.Call(_own("is_forced"), [], [])), self._leave(resume), [])
            self.emit(ast.copy_location(wait, node))
            self.go(resume)
        else:
            self.emit(*self._leave(resume))
        self.now = resume
        if target:
            answer = ast.copy_location(_assign(ast.Name(target, ast.Store()), _own(ANSWER)), node)
            self.emit(answer)
        if before:
            self.emit(_assign(_own("seat", ast.Store()), _load(before)))

    def _ask_all(self, node: ast.stmt, call: ast.Call) -> None:
        """`self.ask_all(self.bid, self.seats, into=self.bids)`: one after the other, hidden until all have answered."""
        words = {word.arg: word.value for word in call.keywords}
        if len(call.args) != 2 or set(words) != {"into"} or not isinstance(words["into"], ast.Attribute):
            self.refuse(node, "write self.ask_all(self.bid, self.seats, into=self.bids), with a field that has seen_by")
        seat, answer = self.fresh("seat"), self.fresh()
        question = ast.Call(_own("ask"), [call.args[0], _load(seat)], [])
        put = ast.Assign([ast.Subscript(words["into"], _load(seat), ast.Store())], _load(answer))
        loop = ast.For(
            ast.Name(seat, ast.Store()), call.args[1], [_assign(ast.Name(answer, ast.Store()), question), put], []
        )
        for part in ast.walk(loop):
            ast.copy_location(part, node)
        self._cut(ast.fix_missing_locations(loop))

    def _call(self, node: ast.stmt, call: Any, target: str) -> None:
        name = call.func.attr
        if target and paths_of(self.asking.trees[name]).sometimes:
            self.refuse(node, f"{name}() returns a value on some paths only. Return one on each path")
        if target and not paths_of(self.asking.trees[name]).numbers:
            self.refuse(node, f"{name}() returns nothing")
        for parameter, value in zip(self.asking.frames[name].parameters, self._bound(node, call), strict=True):
            self.emit(ast.copy_location(_assign(_own(frame_field(name, parameter), ast.Store()), (value)), node))
        self.emit(_assign(_own(frame_field(name, PLACE), ast.Store()), ast.Constant(0)))
        resume = self.block()
        self.waits[resume] = getattr(node, "lineno", 0), "", name
        self.go(resume)
        self.now = resume
        self.emit(ast.copy_location(ast.If(ast.Call(_own(name), [], []), self._leave(resume), []), node))
        if target:
            self.emit(_assign(ast.Name(target, ast.Store()), _own(frame_field(name, VALUE))))

    def _bound(self, node: ast.stmt, call: ast.Call) -> list[ast.expr]:
        """The arguments of a call in the order of the method's parameters."""
        assert isinstance(call.func, ast.Attribute)
        tree, name = self.asking.trees[call.func.attr], call.func.attr
        names = list(parameters_of(tree))
        given: dict[str, ast.expr] = dict(zip(names, call.args, strict=False))
        for word in call.keywords:
            if word.arg in given or word.arg not in names:
                self.refuse(node, f"{name}() has no argument '{word.arg}', or it is given twice")
            given[str(word.arg)] = word.value
        defaults = tree.args.defaults
        for parameter, default in zip(names[len(names) - len(defaults) :], defaults, strict=True):
            given.setdefault(parameter, default)
        missing = [parameter for parameter in names if parameter not in given]
        if missing or len(call.args) > len(names):
            wanted = f"{name}({', '.join(names)})"
            self.refuse(node, f"{ast.unparse(call)} does not fit {wanted}")
        return [given[parameter] for parameter in names]

    def _leave(self, resume: int) -> list[ast.stmt]:
        """Saves the locals and the place, and returns; the locals are filled in when all blocks are known."""
        saves = self.resumes.setdefault(resume, [])
        saves.append(ast.Pass())
        place = _assign(_own(frame_field(self.name, PLACE), ast.Store()), ast.Constant(resume))
        return [_Saves(saves), place, ast.Return(ast.Constant(True))]

    # --- The loop over blocks -------------------------------------------------------

    def _shorten(self) -> None:
        """Takes out the blocks that only jump on, and decides a chain of conditions where it begins."""
        while True:
            jumps = [jump for block in self.blocks for jump in _jumps_in(block)]
            free = [number for number in range(1, len(self.blocks)) if number not in self.resumes]
            onward = {number: self.blocks[number] for number in free if _only_jumps(self.blocks[number])}
            replaced = False
            for holder, place in jumps:
                target: int = holder[place].value.value  # type: ignore[attr-defined]
                if target in onward and holder is not self.blocks[target]:
                    alone = sum(other[at].value.value == target for other, at in jumps) == 1  # type: ignore[attr-defined]
                    if len(onward[target]) == 1 and isinstance(onward[target][0], ast.If) and not alone:
                        continue
                    holder[place : place + 1] = copy.deepcopy(onward[target])
                    self.blocks[target] = self.blocks[target] if not alone else []
                    replaced = True
                    break
            if not replaced:
                return

    def _assemble(self) -> list[ast.stmt]:
        self._shorten()
        parameters = self.asking.frames[self.name].parameters
        own = {*parameters, *(name for block in self.blocks for name in _names(block, ast.Store))} - {"_place"}
        locals_in = [_names(block) & own for block in self.blocks]
        live = [names & own for names in self._live()]
        kept = sorted({name for block in self.resumes for name in live[block]})
        shared = {name for name in set().union(*locals_in) if sum(name in names for names in locals_in) > 1}
        loaded = [
            name for name in dict.fromkeys((*parameters, *kept, *sorted(shared))) if name in set().union(*locals_in)
        ]
        unchanged = {*parameters} - {name for block in self.blocks for name in _names(block, ast.Store)}
        self.asking.frames[self.name].kept = [name for name in loaded if name not in parameters]
        self.asking.frames[self.name].calls = {block: called for block, (*_, called) in self.waits.items() if called}
        self.asking.frames[self.name].asks = not all(called for *_, called in self.waits.values())
        for block, (line, seat, called) in self.waits.items():
            self.asking.crossings.append(Crossing(self.name, line, seat, called, frozenset(live[block])))
        for block, saves in self.resumes.items():
            saves[:] = [
                _assign(_own(frame_field(self.name, name), ast.Store()), (_load(name)))
                for name in sorted(live[block] - unchanged)
            ]
        place = "_place"
        begin = [_assign(ast.Name(place, ast.Store()), _own(frame_field(self.name, PLACE)))]
        begin += [_assign(ast.Name(name, ast.Store()), _own(frame_field(self.name, name))) for name in loaded]
        reached = self._reached()
        order = [number for number in dict.fromkeys(self.begun) if number in reached]
        self.asking.frames[self.name].blocks = len(order)
        numbered = [
            ast.If(_code(f"{place} == {number}"), _filled(self.blocks[number]) or [ast.Pass()], []) for number in order
        ]
        return [*begin, ast.While(ast.Constant(True), list(numbered), [])]

    def _reached(self) -> set[int]:
        """Blocks that can be reached."""
        known, waiting = {0}, [0]
        while waiting:
            for following in self._next(waiting.pop()):
                if following not in known:
                    known.add(following)
                    waiting.append(following)
        return known

    def _next(self, number: int) -> set[int]:
        found = {resume for resume in self.resumes if self._leaves_to(number, resume)}
        for node in (part for statement in self.blocks[number] for part in ast.walk(statement)):
            if (
                isinstance(node, ast.Assign)
                and isinstance(node.targets[0], ast.Name)
                and node.targets[0].id == "_place"
            ):
                found.add(node.value.value)  # type: ignore[attr-defined]
        return found

    def _leaves_to(self, number: int, resume: int) -> bool:
        return any(
            isinstance(part, _Saves) and part.saves is self.resumes[resume]
            for statement in self.blocks[number]
            for part in ast.walk(statement)
        )

    def _live(self) -> list[set[str]]:
        """The locals whose value is still needed at the beginning of each block."""
        uses, sets = [], []
        for block in self.blocks:
            written = set[str]()
            uses.append(_needed(block, written))
            sets.append(written)
        following = [self._next(number) for number in range(len(self.blocks))]
        live = [set(read) for read in uses]
        changed = True
        while changed:
            changed = False
            for number in reversed(range(len(self.blocks))):
                out = set[str]().union(*(live[other] for other in following[number]))
                new = uses[number] | (out - sets[number])
                if new != live[number]:
                    live[number], changed = new, True
        return live


class _Saves(ast.stmt):
    """Stands for the statements that save the locals, which are known once all blocks are."""

    _fields = ()

    def __init__(self, saves: list[ast.stmt]) -> None:
        super().__init__()
        self.saves = saves


class _FillIn(ast.NodeTransformer):
    def visit__Saves(self, node: _Saves) -> list[ast.stmt]:
        return node.saves


def _filled(block: list[ast.stmt]) -> list[ast.stmt]:
    made = _FillIn().visit(ast.Module(block, []))
    return [node for node in made.body if not isinstance(node, ast.Pass)]


def _names(block: list[ast.stmt], context: type[ast.expr_context] = ast.expr_context) -> set[str]:
    """The names that a block reads or sets."""
    return set[str]().union(*(_names_in(statement, context) for statement in block))


def _names_in(node: ast.AST, context: type[ast.expr_context]) -> set[str]:
    own = {node.id} if isinstance(node, ast.Name) and isinstance(node.ctx, context) else set()
    return own.union(*(_names_in(part, context) for part in ast.iter_child_nodes(node))) - _bound_inside(node)


def _bound_inside(node: ast.AST) -> set[str]:
    """The names that exist only inside an expression: those of `for` in brackets."""
    loops = node.generators if isinstance(node, ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.DictComp) else []
    return {part.id for loop in loops for part in ast.walk(loop.target) if isinstance(part, ast.Name)}


def _reads(node: ast.AST | None) -> set[str]:
    """The names that code reads."""
    if node is None:
        return set()
    if isinstance(node, ast.Name):
        return {node.id} if isinstance(node.ctx, ast.Load) else set()
    found = set[str]().union(*(_reads(part) for part in ast.iter_child_nodes(node)))
    return found - _bound_inside(node)


def _needed(body: list[ast.stmt], written: set[str]) -> set[str]:
    """The names that statements read before they set them; `written` grows by the names that are certainly set."""
    found: set[str] = set()
    for node in body:
        if isinstance(node, ast.If):
            found |= _reads(node.test) - written
            branches = [set(written), set(written)]
            for part, own in zip((node.body, node.orelse), branches, strict=True):
                found |= _needed(part, own)
            going = [own for part, own in zip((node.body, node.orelse), branches, strict=True) if not _leaves(part)]
            written |= set.intersection(*going) if going else set.union(*branches)
        elif isinstance(node, ast.For | ast.While):
            inside = set(written)
            if isinstance(node, ast.For):
                found |= _reads(node.iter) - written
                inside |= {part.id for part in ast.walk(node.target) if isinstance(part, ast.Name)}
            else:
                found |= _reads(node.test) - written
            found |= _needed(node.body, inside)
            found |= _needed(node.orelse, set(written))
        else:
            found |= _reads(node) - written
            if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                found |= {node.target.id} - written
            targets = node.targets if isinstance(node, ast.Assign) else []
            written |= {
                part.id
                for target in targets
                for part in ast.walk(target)
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
            }
    return found


def _jumps_in(body: list[ast.stmt]) -> Iterator[tuple[list[ast.stmt], int]]:
    """The jumps to other blocks, each as the list that holds it and its place there."""
    for place, node in enumerate(body):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "_place":
            yield body, place
        for name in ("body", "orelse"):
            yield from _jumps_in(getattr(node, name, []))


def _only_jumps(block: list[ast.stmt]) -> bool:
    """Whether a block is one jump, or one choice between two."""
    if len(block) != 1:
        return False
    (node,) = block
    if isinstance(node, ast.If):
        return _only_jumps(node.body) and _only_jumps(node.orelse)
    return next(iter(_jumps_in(block)), None) is not None and isinstance(node, ast.Assign)


def _leaves(body: list[ast.stmt]) -> bool:
    """Whether code ends with a statement after which the next one is not reached."""
    return bool(body) and isinstance(body[-1], ast.Return | ast.Break | ast.Continue | ast.Raise)


def _jumps(node: ast.AST) -> bool:
    """Whether a statement leaves the loop around it, by `break` or `continue`."""
    if isinstance(node, ast.Break | ast.Continue):
        return True
    if isinstance(node, ast.For | ast.While):
        return any(_jumps(part) for part in node.orelse)
    return any(_jumps(part) for part in ast.iter_child_nodes(node))


# --- Nodes --------------------------------------------------------------------------


def _load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _own(name: str, context: ast.expr_context | None = None) -> Any:
    return ast.Attribute(_load("self"), name, context or ast.Load())


def _assign(target: Any, value: ast.expr) -> ast.Assign:
    return ast.Assign([target], value)


def _goto(target: int) -> ast.Assign:
    return _assign(ast.Name("_place", ast.Store()), ast.Constant(target))


def _branch(test: ast.expr, yes: int, no: int) -> ast.stmt:
    return _at(ast.If(test, [_goto(yes)], [_goto(no)]), test)


def _at(node: ast.If, place: ast.AST) -> ast.If:
    return ast.copy_location(node, place)


def _code(source: str) -> Any:
    return ast.parse(source, mode="eval").body
