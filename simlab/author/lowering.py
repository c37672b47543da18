"""Statements and arithmetic of compiled rules: they give what Python gives, or are refused, or raise an error.

Compiled numbers have 64 bits and fields at most 32. Where the widths of the operands do not rule out a larger result,
the checked functions of simlab.author.checked are called.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import types
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from simlab.author.fields import Limits
from simlab.author.flow import arguments_of, locals_of

if TYPE_CHECKING:
    from simlab.author.fields import Field

WIDEST = 62  #: bits of a number about which nothing is known
_SMALL = 32  #: bits of a number that can be added without a check (simlab.author.checked)
#: The numbers that the record's own fields hold.
HEADER_LIMITS = {"turn": Limits("turn", -(1 << 15), (1 << 15) - 1, 0), "seat": Limits("seat", -128, 127, 0)}
RESERVED = frozenset({"np", "kernel", "address_of", "NONE", "ALL", "NOBODY"})  #: names that compiled code uses
_BY_CHECK = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.Pow: "power",
    ast.LShift: "shift_left",
    ast.RShift: "shift_right",
    ast.Div: "quotient",
}
#: Syntax that means the same in compiled code as in Python, once the translator has visited it.
COMPILED = (
    ast.expr_context,
    ast.operator,
    ast.unaryop,
    ast.boolop,
    ast.cmpop,
    ast.arguments,
    ast.arg,
    ast.Expr,
    ast.Assign,
    ast.AugAssign,
    ast.AnnAssign,
    ast.If,
    ast.While,
    ast.For,
    ast.Return,
    ast.Pass,
    ast.Break,
    ast.Continue,
    ast.Assert,
    ast.Raise,
    ast.BinOp,
    ast.UnaryOp,
    ast.BoolOp,
    ast.Compare,
    ast.IfExp,
    ast.Call,
    ast.Constant,
    ast.Name,
    ast.Attribute,
    ast.Subscript,
    ast.Tuple,
    ast.NamedExpr,
)


class Number(NamedTuple):
    """What is known of an expression before a game is played.

    Attributes:
        kind: `int`, `bool`, `float`; `list`, `tuple`, `none` or `text`; `any` if it is not known.
        bits: its absolute value is at most 2 ** bits, if it is a whole number.
    """

    kind: str
    bits: int = WIDEST

    @property
    def is_whole(self) -> bool:
        """Whether it is certainly a whole number."""
        return self.kind in ("int", "bool")

    def joined(self, other: Number) -> Number:
        """What is known if it can be one or the other."""
        kinds = {self.kind, other.kind}
        kind = self.kind if len(kinds) == 1 else "int" if kinds == {"int", "bool"} else "any"
        return Number(kind, max(self.bits, other.bits))


ANY, FLOAT, BOOL = Number("any"), Number("float"), Number("bool", 1)


def number_of_value(value: Any) -> Number:
    """What is known of a constant."""
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, int):
        return Number("int", abs(value).bit_length())
    if isinstance(value, float):
        return FLOAT
    kinds = {str: "text", type(None): "none", tuple: "tuple"}
    return Number(kinds.get(type(value), "any"))


def number_of_field(field: Field) -> Number:
    """What is known of a number of a field."""
    return BOOL if field.is_flag else Number("int", field.limits("").bits)


def element_of(value: Any) -> Number:
    """What is known of an entry of a tuple."""
    if not isinstance(value, tuple) or not value:
        return ANY
    known = number_of_value(value[0])
    for entry in value[1:]:
        known = known.joined(number_of_value(entry))
    return known


def shape_of(value: Any) -> Any:
    """The type of a constant as the compiler sees it: compiled code can loop over and index tuples of equal shapes."""
    return (len(value), *(shape_of(entry) for entry in value)) if isinstance(value, tuple) else type(value)


def is_uniform(value: Any) -> bool:
    """Whether the entries of a tuple, and of those inside it, have the same type and length."""
    if not isinstance(value, tuple):
        return type(value) in (int, float, bool)
    return len({shape_of(entry) for entry in value}) == 1 and all(map(is_uniform, value))


def rename_locals(tree: ast.FunctionDef) -> dict[str, str]:
    """Renames local variables that have the name of a builtin or a name that compiled code uses.

    Returns:
        new name -> the name in the author's file.
    """
    names = locals_of(tree) | {
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    }
    new: dict[str, str] = {}
    for name in sorted(names):
        if (name.startswith("_") and name != "_") or hasattr(builtins, name) or name in RESERVED:
            new[name] = f"own_{name}"
            while new[name] in names:
                new[name] += "_"
            names.add(new[name])
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in new:
            node.id = new[node.id]
    for arg in arguments_of(tree):
        arg.arg = new.get(arg.arg, arg.arg)
    return {made: name for name, made in new.items()}


def truths(tree: ast.AST) -> set[int]:
    """The expressions of which only the truth counts, by `id`."""
    found: set[int] = set()

    def mark(node: ast.expr) -> None:
        found.add(id(node))
        if isinstance(node, ast.BoolOp):
            for value in node.values:
                mark(value)

    for node in ast.walk(tree):
        if isinstance(node, ast.If | ast.While | ast.IfExp | ast.Assert):
            mark(node.test)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            mark(node.operand)
        elif isinstance(node, ast.comprehension):
            for test in node.ifs:
                mark(test)
    return found


def is_simple(node: ast.AST) -> bool:
    """Whether an expression has no effects and can be evaluated at any time."""
    return all(
        isinstance(part, ast.Constant | ast.Name | ast.Attribute | ast.UnaryOp | ast.unaryop | ast.expr_context)
        for part in ast.walk(node)
    )


class Lowering(ast.NodeTransformer):
    """The part of the translator that deals with assignments and operators."""

    widths: dict[str, Number]
    locals: set[str]

    if TYPE_CHECKING:
        this: str

        def refuse(self, node: ast.AST, why: str, plays: bool = False) -> NoReturn: ...
        def _own(self, node: ast.AST | None) -> str: ...
        def _field_of(self, node: ast.AST) -> tuple[str, Field] | None: ...
        def _column_of(self, node: ast.AST) -> tuple[Any, str] | None: ...
        def _fresh(self, name: str) -> str: ...
        def known_of(self, node: ast.expr) -> Number: ...
        def literal(self, value: ast.expr) -> int | None: ...

    # --- Arithmetic -------------------------------------------------------------------

    def number_of(self, node: ast.expr | None) -> Number:
        """What is known of an expression of the author's, before it is translated."""
        match node:
            case ast.Constant():
                return number_of_value(node.value)
            case ast.Name() if node.id in self.locals:
                return self.widths.get(node.id, ANY)
            case ast.BinOp():
                return self._result(node.op, self.number_of(node.left), self.number_of(node.right), node.right)
            case ast.UnaryOp():
                return self._unary(node)
            case ast.Compare():
                return BOOL
            case ast.BoolOp():
                return _joined(map(self.number_of, node.values))
            case ast.IfExp():
                return self.number_of(node.body).joined(self.number_of(node.orelse))
            case ast.NamedExpr():
                return self.number_of(node.value)
            case ast.Tuple():
                return Number("tuple")
            case None:
                return Number("none")
        return self.known_of(node)

    def _unary(self, node: ast.UnaryOp) -> Number:
        if isinstance(node.op, ast.Not):
            return BOOL
        known = self.number_of(node.operand)
        kind = "int" if known.kind == "bool" else known.kind
        return Number(kind, min(known.bits + 1, WIDEST) if isinstance(node.op, ast.Invert) else known.bits)

    def _result(self, op: ast.operator, one: Number, two: Number, right: ast.expr) -> Number:
        if isinstance(op, ast.Div) or "float" in (one.kind, two.kind):
            return FLOAT
        kind = "int" if one.is_whole and two.is_whole else "any"
        if isinstance(op, ast.BitAnd | ast.BitOr | ast.BitXor) and one.kind == two.kind == "bool":
            return BOOL
        places = right.value if isinstance(right, ast.Constant) and isinstance(right.value, int) else WIDEST
        bits = {
            ast.Add: max(one.bits, two.bits) + 1,
            ast.Sub: max(one.bits, two.bits) + 1,
            ast.Mult: one.bits + two.bits,
            ast.FloorDiv: one.bits + 1,
            ast.Mod: two.bits,
            ast.LShift: one.bits + places,
            ast.RShift: one.bits,
            ast.BitAnd: max(one.bits, two.bits) + 1,
            ast.BitOr: max(one.bits, two.bits) + 1,
            ast.BitXor: max(one.bits, two.bits) + 1,
        }.get(type(op), WIDEST)
        return Number(kind, min(bits, WIDEST))

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        one, two, line = self.number_of(node.left), self.number_of(node.right), node.lineno
        kinds = {one.kind, two.kind}
        if kinds & {"list", "tuple", "text", "none"}:
            self.refuse(node, "the lab compiles arithmetic of numbers only", plays=True)
        left, right = self.visit(node.left), self.visit(node.right)
        return self._operated(node, one, two, left, right, line, node.right)

    def _operated(
        self, node: ast.AST, one: Number, two: Number, left: Any, right: Any, line: int, given: ast.expr
    ) -> Any:
        op: Any = node.op  # type: ignore[attr-defined]
        if isinstance(op, ast.MatMult):
            self.refuse(node, "the lab cannot compile @", plays=True)
        if isinstance(op, ast.Pow):
            negative = isinstance(given, ast.UnaryOp) and isinstance(given.op, ast.USub)
            if "float" in (one.kind, two.kind) or negative:
                self.refuse(node, "the lab compiles ** for whole numbers and exponents from 0 on", plays=True)
        elif "float" in (one.kind, two.kind) and not isinstance(op, ast.LShift | ast.RShift):
            return ast.BinOp(left, op, right)
        elif not self._may_exceed(op, one, two, given):
            whole = isinstance(op, ast.Add | ast.Sub | ast.Mult | ast.LShift | ast.RShift | ast.FloorDiv | ast.Mod)
            if whole and "bool" in (one.kind, two.kind):
                left, right = call("_int", left), call("_int", right)
            return ast.BinOp(left, op, right)
        return call(f"_checked_{_BY_CHECK[type(op)]}", left, right, ast.Constant(line))

    def _may_exceed(self, op: ast.operator, one: Number, two: Number, right: ast.expr) -> bool:
        """Whether the result has to be checked."""
        if isinstance(op, ast.Add | ast.Sub):
            return min(one.bits, two.bits) > _SMALL
        if isinstance(op, ast.Mult):
            return one.bits + two.bits > WIDEST
        if isinstance(op, ast.Div):
            return max(one.bits, two.bits) > 53
        if isinstance(op, ast.LShift | ast.RShift):
            places = right.value if isinstance(right, ast.Constant) and isinstance(right.value, int) else -1
            moved = one.bits + places if isinstance(op, ast.LShift) else places
            return not (one.is_whole and places >= 0 and moved < WIDEST)
        return isinstance(op, ast.Pow)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        known = self.number_of(node.operand)
        if known.kind in ("list", "tuple", "text", "none"):
            self.refuse(node, "the lab compiles arithmetic and `not` of numbers only", plays=True)
        if isinstance(node.operand, ast.Constant) and type(node.operand.value) in (int, float):
            return node
        node.operand = self.visit(node.operand)
        if isinstance(node.op, ast.Invert):  # ~True is -2
            node.operand = call("_checked_whole", node.operand, ast.Constant(node.lineno))
        elif not isinstance(node.op, ast.Not) and known.kind == "bool":
            node.operand = call("_int", node.operand)
        return node

    # --- Assignments ------------------------------------------------------------------

    def visit_Assign(self, node: ast.Assign) -> Any:
        known = self.number_of(node.value)
        if len(node.targets) == 1 and isinstance(node.targets[0], ast.Tuple | ast.List):
            return self._unpacked(node, node.targets[0])
        if known.kind in ("list", "tuple", "none"):
            self.refuse(
                node,
                "the lab compiles names for single numbers: a list, a tuple or None cannot be given a name in a rule",
                plays=True,
            )
        value = self.visit(node.value)
        if len(node.targets) == 1:
            return self._set(node.targets[0], value, known)
        held = self._fresh("held")
        made: list[ast.stmt] = [ast.Assign([ast.Name(held, ast.Store())], value)]
        for target in node.targets:
            made += self._set(target, ast.Name(held, ast.Load()), known)
        return made

    def _unpacked(self, node: ast.Assign, target: ast.Tuple | ast.List) -> list[ast.stmt]:
        """`a, b = b, a`: all values, then the assignments from left to right, as in Python."""
        if any(isinstance(part, ast.Tuple | ast.List | ast.Starred) for part in target.elts):
            self.refuse(node, "the lab compiles `a, b = ...` with single names", plays=True)
        known = [ANY] * len(target.elts)
        if isinstance(node.value, ast.Tuple):
            if len(node.value.elts) != len(target.elts):
                self.refuse(node, f"{len(node.value.elts)} values are given to {len(target.elts)} names")
            known = [self.number_of(part) for part in node.value.elts]
            if {one.kind for one in known} & {"list", "tuple", "none"}:
                self.refuse(
                    node,
                    "the lab compiles names for single numbers: a list, a tuple or None cannot be given "
                    "a name in a rule",
                    plays=True,
                )
            value: ast.expr = ast.Tuple([self.visit(part) for part in node.value.elts], ast.Load())
        elif isinstance(node.value, ast.Call):
            value = self.visit(node.value)
        else:
            self.refuse(node, "the lab compiles `a, b = ...` with values that are written out", plays=True)
        held = [self._fresh("held") for _ in target.elts]
        made: list[ast.stmt] = [
            ast.Assign([ast.Tuple([ast.Name(name, ast.Store()) for name in held], ast.Store())], value)
        ]
        for part, name, one in zip(target.elts, held, known, strict=True):
            made += self._set(part, ast.Name(name, ast.Load()), one)
        return made

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if node.value is None:
            return ast.Pass()
        plain = ast.copy_location(ast.Assign([node.target], node.value), node)
        return self.visit_Assign(plain)

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        """`target op= value` as `target = target op value`, with the target's places evaluated once and first."""
        before: list[ast.stmt] = []
        target: Any = node.target
        if isinstance(target, ast.Subscript):
            parts = target.slice.elts if isinstance(target.slice, ast.Tuple) else [target.slice]
            held = [part if isinstance(part, ast.Constant) else self._held(part, before) for part in parts]
            place: ast.expr = ast.Tuple(held, ast.Load()) if isinstance(target.slice, ast.Tuple) else held[0]
            target = ast.Subscript(target.value, place, ast.Store())
        read = _loaded(target)
        ast.copy_location(read, node)
        one, two = self.number_of(read), self.number_of(node.value)
        if {one.kind, two.kind} & {"list", "tuple", "text", "none"}:
            self.refuse(node, "the lab compiles arithmetic of numbers only", plays=True)
        known = self._result(node.op, one, two, node.value)
        left = self.visit(read)
        if not is_simple(node.value):  # it may change what was read
            name = self._fresh("held")
            before.append(ast.Assign([ast.Name(name, ast.Store())], left))
            left = ast.Name(name, ast.Load())
        value = self._operated(node, one, two, left, self.visit(node.value), node.lineno, node.value)
        return [*before, *self._set(ast.copy_location(target, node), value, known)]

    def _held(self, node: ast.expr, before: list[ast.stmt]) -> ast.expr:
        name, known = self._fresh("held"), self.number_of(node)
        before.append(ast.Assign([ast.Name(name, ast.Store())], self.visit(node)))
        self.locals.add(name)
        self.widths[name] = known
        return ast.Name(name, ast.Load())

    def _set(self, target: ast.expr, value: ast.expr, known: Number) -> list[ast.stmt]:
        """The assignment of a translated value; what a field cannot hold is an error."""
        line = ast.Constant(target.lineno)
        if isinstance(target, ast.Name):
            return [ast.Assign([target], value)]
        if known.kind in ("list", "tuple", "none", "text"):
            self.refuse(target, "a field holds a whole number", plays=True)
        field = self._field_of(target.value if isinstance(target, ast.Subscript) else target)
        if isinstance(target, ast.Subscript):
            if self._column_of(target.value):
                self.refuse(target, "a card table stays as it is during a game. Use a field: numbers(deck)")
            if field is None and not (isinstance(target.value, ast.Name) and target.value.id in self.locals):
                self.refuse(target, f"the lab cannot compile a change of {ast.unparse(target.value)}", plays=True)
        name = self._own(target)
        if name == "over" or (field and field[1].is_flag):
            value = value if known.kind == "bool" else call("_checked_flagged", value, line)
        else:
            if known.kind == "float":
                name = ast.unparse(target).partition("[_held")[0]  # without the lab's own name for a place
                self.refuse(
                    target,
                    f"{name} holds whole numbers, and a fraction is assigned: divide with //, or round with int() or "
                    "round()",
                )
            if field is None and isinstance(target, ast.Subscript):
                value = call("_checked_stored_in", self.visit(target.value), value, line)
            elif field or name in HEADER_LIMITS:
                limits = field[1].limits("") if field else HEADER_LIMITS[name]
                value = self.within(value, known, limits, target.lineno)
        return [ast.Assign([self.visit(target)], value)]

    def within(self, value: ast.expr, known: Number, limits: Limits, line: int) -> ast.expr:
        """A translated value as a field with these limits holds it; checked where it may lie outside them."""
        literal = self.literal(value)
        if (literal is not None and limits.low <= literal <= limits.high) or literal == limits.other:
            return value
        most = 1 << known.bits
        if known.kind == "bool" and limits.low <= 0 and limits.high >= 1:
            return call("_int", value)
        if known.is_whole and limits.low <= -most and most <= limits.high:
            return value
        other = [] if limits.low <= limits.other <= limits.high else [limits.other]
        numbers = [ast.Constant(number) for number in (limits.low, limits.high, *other, line)]
        return call(f"_checked_stored{'_or' if other else ''}", value, *numbers)

    # --- What is known of local variables -----------------------------------------------

    def learn(self, tree: ast.FunctionDef) -> None:
        """Finds what is known of the local variables: of all values that each is given."""
        given: dict[str, list[Callable[[], Number]]] = {}
        for node in ast.walk(tree):
            for name, know in self._givings(node):
                given.setdefault(name, []).append(know)
        fixed = dict(self.widths)
        self.widths = fixed | {name: Number("int", 0) for name in given if name not in fixed}
        for turn in range(6):
            new = {
                name: _joined([know() for know in knows] + ([fixed[name]] if name in fixed else []))
                for name, knows in given.items()
            }
            grown = {name for name, known in new.items() if self.widths.get(name) != known}
            if turn > 2:
                new |= {name: Number(new[name].kind) for name in grown}
            self.widths |= new
            if not grown:
                return
        self.widths |= dict.fromkeys(given, ANY)

    def _givings(self, node: ast.AST) -> Iterable[tuple[str, Callable[[], Number]]]:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    yield target.id, lambda: self.number_of(node.value)
                elif isinstance(target, ast.Tuple | ast.List):
                    values = node.value.elts if isinstance(node.value, ast.Tuple) else []
                    for place, part in enumerate(target.elts):
                        if isinstance(part, ast.Name):
                            known = len(values) == len(target.elts)
                            yield part.id, partial(self.number_of, values[place]) if known else partial(ANY.joined, ANY)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            name = node.target.id
            yield (
                name,
                lambda: self._result(node.op, self.widths.get(name, ANY), self.number_of(node.value), node.value),
            )
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and isinstance(node.target, ast.Name) and node.value:
            yield node.target.id, lambda: self.number_of(node.value)
        elif isinstance(node, ast.For):
            for name in (one.id for one in ast.walk(node.target) if isinstance(one, ast.Name)):
                single = isinstance(node.target, ast.Name)
                yield name, partial(self.entry_of, node.iter) if single else partial(ANY.joined, ANY)

    def entry_of(self, node: ast.expr) -> Number:
        """What is known of the values that a loop visits."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
            known = _joined(self.number_of(part) for part in node.args)
            return Number("int", known.bits) if known.is_whole else Number("int")
        field = self._field_of(node)
        if field is not None:
            return number_of_field(field[1])
        if self._own(node) in ("seats", "options"):
            return Number("int", 15)
        if isinstance(node, ast.Tuple):
            return _joined(map(self.number_of, node.elts))
        return ANY


def _joined(known: Iterable[Number]) -> Number:
    first, *others = known
    for other in others:
        first = first.joined(other)
    return first


def _loaded(target: Any) -> Any:
    """A target as the expression that reads it."""
    if isinstance(target, ast.Name):
        return ast.Name(target.id, ast.Load())
    if isinstance(target, ast.Attribute):
        return ast.Attribute(target.value, target.attr, ast.Load())
    import copy

    return ast.Subscript(copy.deepcopy(target.value), copy.deepcopy(target.slice), ast.Load())


def call(name: str, *arguments: ast.expr) -> ast.Call:
    """A call of a function that compiled code knows."""
    given = list(arguments) if name == "_int" else [general(argument) for argument in arguments]
    return ast.Call(ast.Name(name, ast.Load()), given, [])


def general(node: ast.expr) -> ast.expr:
    """A number that is written out, as a number of 64 bits: Numba would compile a function for each such number."""
    if isinstance(node, ast.Constant) and type(node.value) in (int, bool):
        value = node.value
        number = ast.Constant(+value if isinstance(value, bool) else value)  # +True is 1
        made = ast.Call(ast.Name("_int", ast.Load()), [number], [])
        return made if type(value) is int else ast.Compare(made, [ast.NotEq()], [ast.Constant(0)])
    return node


# --- Arguments ----------------------------------------------------------------------


class WrongCall(Exception):
    """A call that does not fit its function. `plays`: it runs in plain Python."""

    def __init__(self, why: str, plays: bool = False) -> None:
        super().__init__(why)
        self.plays = plays


def bound(node: ast.Call, function: types.FunctionType, left_out: int) -> list[ast.expr]:
    """The arguments of a call in the order of the function's parameters, defaults included.

    Args:
        left_out: the first parameters that are not written, such as `self`.
    Raises:
        WrongCall: the call does not fit, or has arguments that cannot be compiled.
    """
    every = list(inspect.signature(function).parameters.values())
    shown = f"{function.__name__}({', '.join(map(str, every))})"
    parameters = every[left_out:]
    if any(one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD) for one in parameters):
        raise WrongCall(f"the lab cannot compile a call of {shown}", plays=True)
    names = [one.name for one in parameters]
    places = [one.name for one in parameters if one.kind != one.KEYWORD_ONLY]
    given: dict[str, ast.expr] = {}
    if any(keyword.arg is None for keyword in node.keywords):
        raise WrongCall("the lab cannot compile **", plays=True)
    fits = len(node.args) <= len(places)
    given |= dict(zip(places, node.args, strict=False))
    for keyword in node.keywords:
        fits = fits and keyword.arg in names and keyword.arg not in given
        given[str(keyword.arg)] = keyword.value
    lacks = [one for one in parameters if one.name not in given and one.default is one.empty]
    if not fits or lacks:
        raise WrongCall(f"this call does not fit {shown}")
    written = [name for name in names if name in given]
    if list(given) != written and not all(is_simple(value) for value in given.values()):
        raise WrongCall("the lab compiles arguments in the order of the parameters", plays=True)
    made: list[ast.expr] = []
    for one in parameters:
        if one.name not in given and type(one.default) not in (int, float, bool):
            raise WrongCall(f"the lab compiles defaults that are numbers, not {one.name}={one.default!r}", plays=True)
        made.append(given.get(one.name) or ast.copy_location(ast.Constant(one.default), node))
    return made


def is_array(value: Any) -> bool:
    """Whether a constant is an array whose numbers behave in plain Python as in compiled code."""
    return isinstance(value, np.ndarray) and value.dtype in (np.int64, np.float64, np.uint8)
