"""Translates a game's class to kernels: each method becomes a compiled function of (_state, _knobs, _cards).

`self.points[seat]` becomes `_state.points[seat]`, `self.goal` (a knob) `_knobs.goal`, `self.deck.draw()`
`deck__draw(_state, _knobs, _cards)`. Line numbers stay those of the author's file. Code that cannot be compiled is
reported with file and line, and with an alternative.
"""

from __future__ import annotations

import ast
import builtins
import copy
import inspect
import textwrap
import types
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from simlab.author.fields import Choice, Field
from simlab.author.shelf import Component, Deck
from simlab.author.sources import (
    has_docstring,
    is_text,
    methods_of,
    rules_in,
    rules_inside,
    self_calls,
    source_of,
    text_given,
    tree_of,
)
from simlab.errors import InputError, nearest
from simlab.spec.bots import Trait
from simlab.spec.csv_file import column_name

if TYPE_CHECKING:
    from simlab.author.base import Blueprint

HEADER = {"seat": int, "turn": int, "over": bool}
_ADVICE: dict[type[ast.AST], str] = {
    ast.Dict: "a dict. Use a field of numbers: numbers(10)",
    ast.DictComp: "a dict. Use a field of numbers: numbers(10)",
    ast.Set: "a set. Use numbers(10) with 0 and 1",
    ast.SetComp: "a set. Use numbers(10) with 0 and 1",
    ast.ListComp: "a list. Loop over the items, or use sum(), any(), all(), max() or min() with `for` inside",
    ast.JoinedStr: "a text. Rules work with numbers and options",
    ast.Lambda: "lambda. Write a method",
    ast.FunctionDef: "a function inside a function. Write a method",
    ast.ClassDef: "a class inside a function. Write it as a game's fields",
    ast.Try: "try. Test the condition with if",
    ast.With: "with",
    ast.Yield: "yield. Loop over the items where they are used",
    ast.YieldFrom: "yield. Loop over the items where they are used",
    ast.Import: "an import inside a function",
    ast.ImportFrom: "an import inside a function",
    ast.Global: "global. Use a field of the game",
    ast.Nonlocal: "nonlocal. Use a field of the game",
    ast.Match: "match. Use if and elif",
    ast.Starred: "a star. Write the arguments out",
}
_BEST = """_new = {0}
if not _any or _new {1} _best:
    _best = _new
_any = True"""
_REDUCERS = ("sum", "any", "all", "max", "min")
_PARAMETERS = ("_state", "_knobs", "_cards")  #: of every compiled method; a bot has its traits too


class CannotCompile(InputError):
    """A construct that runs in plain Python only."""


class Program:
    """All functions of a game's class, as source for the compiler.

    Attributes:
        functions: name -> (syntax tree of the translated function, file).
        rules: rule ID -> (text, where), in the order of the source.
        counted: method -> IDs of rules that it counts when it is called.
        refusals: decision -> IDs of rules that are counted when one of its options is not legal.
        endings: names of the ways the game ends.
        plain: function -> (holder, method, why) for methods that run in plain Python because they cannot be compiled.
    """

    def __init__(self, plan: Blueprint) -> None:
        self.plan = plan
        self.functions: dict[str, tuple[ast.FunctionDef, str]] = {}
        self.plain: dict[str, tuple[Holder, str, str]] = {}
        self.rules: dict[str, tuple[str, str]] = {}
        self.endings: list[str] = []
        self.dice: list[str | int] = []
        self.constants: dict[str, Any] = {}
        self.choice_numbers = {name: number for number, name in enumerate(plan.choices)}
        self.game = Holder(self, "game__", plan.owner, plan.fields, plan.components)
        self.parts = {
            name: Holder(self, f"{name}__", type(part), part.fields(), part.parts, part)
            for name, part in plan.components.items()
        }
        self._find_rules()
        self._find_counts()
        for method in self.game.methods:
            self._translate(self.game, method)
        for holder in self.parts.values():
            for method in holder.methods:
                if method not in holder.loops:
                    self._translate(holder, method)
        self._check_redraws()

    # --- Rules ----------------------------------------------------------------

    def _find_rules(self) -> None:
        for name, function in sorted(self.game.methods.items(), key=lambda item: item[1].__code__.co_firstlineno):
            where = f"{self.plan.file.name}, line {function.__code__.co_firstlineno}, {name}"
            for rule, text in rules_in(function.__doc__):
                before, first = self.rules.get(rule, (text, where))
                self.rules[rule] = (before if text in before else f"{before} {text}", first)
            for rule, text in rules_inside(function):
                self.rules.setdefault(rule, (text or f"Counted in {name}.", where))
            for node in ast.walk(tree_of(function)):
                ending = text_given(node, "end")
                if ending and ending not in self.endings:
                    self.endings.append(ending)

    def _find_counts(self) -> None:
        """The methods that count their rules: those that change the game, not those that only read it."""
        calls = {name: set(self_calls(function)) for name, function in self.game.methods.items()}
        tests = {name for name in calls if name.startswith("may_")}
        looks = _reachable(calls, tests | {"score", "wins", "tie_break", "redraw", "could_hold"})
        named = {name: [rule for rule, _ in rules_in(f.__doc__)] for name, f in self.game.methods.items()}
        explicit = {rule for function in self.game.methods.values() for rule, _ in rules_inside(function)}
        self.counted = {n: [r for r in ids if r not in explicit] for n, ids in named.items() if n not in looks}
        done = {rule for ids in self.counted.values() for rule in ids} | explicit
        self.refusals = {
            choice: [r for n in sorted(_reachable(calls, {f"may_{choice}"})) for r in named[n] if r not in done]
            for choice in self.plan.choices
        }
        at_end = _reachable(calls, {"score", "wins", "tie_break"})
        self.at_end = [r for n in sorted(at_end) for r in named[n] if r not in done]

    def rule_number(self, rule: str) -> int:
        """A rule's number in the ledger."""
        return list(self.rules).index(rule)

    # --- Functions ------------------------------------------------------------

    def _calls(self) -> dict[str, list[str]]:
        """The calls in each translated function, by the names of the functions called."""
        return {name: [str(call.func.id) for call in _calls_in(tree)] for name, (tree, _) in self.functions.items()}

    @cached_property
    def inlined(self) -> set[str]:
        """Functions that are inlined because calls would cost more: those called for every option, and those called
        only once, by one of these.
        """
        calls = self._calls()
        sites = Counter(name for named in calls.values() for name in named)
        once = {name: [other for other in named if sites[other] == 1] for name, named in calls.items()}
        return _reachable(once, {name for name in calls if name.startswith("game__may_")})

    def _check_redraws(self) -> None:
        """Rejects redraws that draw the game's random numbers, directly or through a call: a redraw has its own."""
        calls = self._calls() | {"_below": [], "_shuffle": []}
        redraws = [value for name, value in self.functions.items() if name.endswith("__redraw")]
        for call, file in ((call, file) for tree, file in redraws for call in _calls_in(tree)):
            name: Any = call.func.id
            if {"_below", "_shuffle"} & _reachable(calls, {name}):
                written = {"_below": "roll", "_shuffle": "shuffle"}.get(name, name.split("__")[-1])
                raise InputError(
                    f"{file}, line {call.lineno}: redraw() calls {written}(), which draws the game's own "
                    "random numbers. A redraw has its own: call self.below() in redraw() itself."
                )

    def _translate(self, holder: Holder, name: str) -> None:
        """Translates a method, or lists it as a method that runs in plain Python."""
        tree, file = source_of(holder.methods[name])
        choice = self.plan.choices.get(name.removeprefix("may_")) if holder is self.game else None
        called, redraws = f"{holder.prefix}{name}", name == "redraw"
        translator = Translator(self, holder, file, tree.args.args[0].arg, called, choice=choice, redraws=redraws)
        try:
            translator.translate(tree, self.counted.get(name, []) if holder is self.game else [])
        except CannotCompile as why:
            self.plain[called] = (holder, name, str(why))

    @property
    def module_names(self) -> tuple[str, ...]:
        """Names of the author's module that rules may use: constants and functions."""
        module = vars(inspect.getmodule(self.plan.owner))
        return tuple(
            name for name, value in module.items()
            if (isinstance(value, int | float | tuple | np.ndarray) and not name.startswith("_"))
            or (isinstance(value, types.FunctionType) and value.__module__ == self.plan.owner.__module__)
        )  # fmt: skip

    def bot(self, tree: ast.FunctionDef, file: str, traits: Mapping[str, Trait]) -> str:
        """Translates a bot, a function of the game and its traits; returns the name of its function."""
        name = f"bot__{tree.name}"
        first, *others = tree.args.args
        translator = Translator(self, self.game, file, first.arg, name, bot=True)
        tree.args.args = [first]
        tree.args.defaults = []
        translator.locals = {arg.arg for arg in others}
        for number, arg in enumerate(others):
            whole = arg.arg in traits and traits[arg.arg].whole
            value = f"int(_traits[{number}])" if whole else f"_traits[{number}]"
            tree.body.insert(0, ast.parse(f"{arg.arg} = {value}").body[0])
        ast.fix_missing_locations(tree)
        translator.translate(tree, [], (*_PARAMETERS, "_traits"))
        return name

    def helper(self, function: types.FunctionType, game: bool = False) -> str:
        """Translates a function of the author's module (for a bot, one that takes the game as its first argument);
        returns its name.
        """
        name = f"bot__helper__{function.__name__}" if game else f"helper__{function.__name__}"
        if name not in self.functions:
            tree, file = source_of(function)
            self.functions[name] = (tree, file)  # before its body: it may call itself
            this = tree.args.args[0].arg if game else ""
            Translator(self, self.game, file, this, name, bot=game).translate(tree, [], _PARAMETERS if game else ())
        return name


def _calls_in(tree: ast.FunctionDef) -> list[Any]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]


def _reachable(calls: Mapping[str, Iterable[str]], starts: set[str]) -> set[str]:
    """The functions of `starts` that `calls` lists, and all functions that they call, directly or through others."""
    found, waiting = set[str](), list(starts)
    while waiting:
        name = waiting.pop()
        if name not in found and name in calls:
            found.add(name)
            waiting.extend(calls[name])
    return found


class Holder:
    """The meaning of `self`: the game, or a component of it."""

    def __init__(
        self, program: Program, prefix: str, owner: type, fields: dict[str, Field], components: dict[str, Component],
        part: Component | None = None,
    ) -> None:  # fmt: skip
        self.program, self.prefix, self.part = program, prefix, part
        self.fields, self.components = fields, components
        self.loops = dict(part.visits) if part else {}
        base = Component if part else None
        self.methods = methods_of(owner, base)

    def flat(self, name: str) -> str:
        """Name of a field in the record."""
        return f"{self.part.called}_{name}" if self.part else name


class Translator(ast.NodeTransformer):
    """Translates one function."""

    def __init__(
        self, program: Program, holder: Holder, file: str, this: str, name: str, *, choice: Choice | None = None,
        redraws: bool = False, bot: bool = False,
    ) -> None:  # fmt: skip
        self.program, self.holder, self.file = program, holder, file
        self.this, self.name, self.choice = this, name, choice
        self.redraws, self.bot = redraws, bot
        self.locals: set[str] = set()
        self.compared: set[int] = set()  # nodes that are compared: a text of a card table is allowed there
        self.extra = 0

    def translate(self, tree: ast.FunctionDef, counts: list[str], parameters: tuple[str, ...] = _PARAMETERS) -> None:
        """Adds the translated function to the program; nothing is added if a part of it cannot be translated."""
        known = dict(self.program.functions)
        try:
            self._add(tree, counts, parameters)
        except InputError:
            self.program.functions = known
            raise

    def _add(self, tree: ast.FunctionDef, counts: list[str], parameters: tuple[str, ...]) -> None:
        own = tree.args.args[1:] if self.this else tree.args.args
        self.locals |= {arg.arg for arg in own} | {
            node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        body = tree.body
        if has_docstring(tree):
            body = body[1:] or [ast.Pass()]
        tree.decorator_list, tree.returns = [], None
        for arg in own:
            arg.annotation = None
        tree.args.args = [ast.arg(p) for p in parameters] + own
        tree.name = self.name
        tree.body = [ast.Expr(self._counted(rule)) for rule in counts] + self._block(body)
        self.program.functions[self.name] = (ast.fix_missing_locations(tree), self.file)

    def _block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        results = [self.visit(statement) for statement in body]
        return [made for result in results for made in (result if isinstance(result, list) else [result])]

    def visit(self, node: ast.AST) -> Any:
        """The translation of a node, with its line."""
        made = super().visit(node)
        for part in made if isinstance(made, list) else [made]:
            ast.copy_location(part, node)
        return made

    # --- Messages ---------------------------------------------------------------

    def refuse(self, node: ast.AST, why: str, plays: bool = False) -> NoReturn:
        """Reports an error, or code that cannot be compiled but can be played in plain Python (`plays`)."""
        end = "" if why.endswith(("?", ".")) else "."
        fault = CannotCompile if plays else InputError
        raise fault(f"{self.file}, line {getattr(node, 'lineno', '?')}: {why}{end}")

    def generic_visit(self, node: ast.AST) -> Any:
        advice = _ADVICE.get(type(node))
        if advice:
            self.refuse(node, f"the lab cannot compile {advice}", plays=True)
        return super().generic_visit(node)

    # --- Names --------------------------------------------------------------------

    def _is_this(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id == self.this and self.this != ""

    def _own(self, node: ast.AST | None) -> str:
        """The attribute of `self` that an expression names; "" for any other expression."""
        return node.attr if isinstance(node, ast.Attribute) and self._is_this(node.value) else ""

    def _holder_of(self, node: ast.AST) -> Holder | None:
        """The game or component that an expression names; None for any other expression."""
        if self._is_this(node):
            return self.holder
        if isinstance(node, ast.Attribute):
            outer = self._holder_of(node.value)
            if outer is not None and node.attr in outer.components:
                return self.program.parts[outer.components[node.attr].called]
        return None

    def _field_of(self, node: ast.AST) -> tuple[str, Field] | None:
        """The record's field that an expression names."""
        if isinstance(node, ast.Attribute):
            holder = self._holder_of(node.value)
            if holder is not None and node.attr in holder.fields:
                return holder.flat(node.attr), holder.fields[node.attr]
        holder = self._holder_of(node)
        if holder is not None and holder.part is not None and holder.part.item:
            return holder.flat(holder.part.item), holder.fields[holder.part.item]
        return None

    def _column_of(self, node: ast.AST) -> tuple[Deck, str] | None:
        """The column of a card table that an expression names."""
        if isinstance(node, ast.Attribute):
            holder = self._holder_of(node.value)
            if holder is not None and isinstance(holder.part, Deck) and column_name(node.attr) in holder.part.columns:
                return holder.part, column_name(node.attr)
        return None

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        column = self._column_of(node)
        if column:
            return _attribute("_cards", f"{column[0].called}_{column[1]}")
        field = self._field_of(node)
        if field:
            if len(field[1].shape) > 1:  # its rows, not its numbers
                self.refuse(node, "the lab cannot compile a board that is passed on whole", plays=True)
            plain = _attribute("_state", field[0], node.ctx)
            return _number(plain) if field[1].shape == () and not field[1].is_flag else plain
        holder = self._holder_of(node.value)
        return self.generic_visit(node) if holder is None else self._attribute_of(holder, node)

    def _attribute_of(self, holder: Holder, node: ast.Attribute) -> Any:  # noqa: RET503 - refuse() raises
        name, plan = node.attr, self.program.plan
        if holder.part is not None:
            if isinstance(holder.part, Deck) and name == "size":
                return _code(f"_int(_cards.{holder.part.called}_size)")
            if name == "seats":
                return _code("range(_int(_state.stream_seats))")
            if isinstance(getattr(holder.part, name, None), int | tuple):
                return self._constant(f"{holder.prefix}{name}", getattr(holder.part, name))
            columns = holder.part.columns if isinstance(holder.part, Deck) else ()
            known = [*holder.fields, *holder.methods, *columns]
            why = f"{holder.part.called} has no '{name}'. {nearest(name, known)}"
            if isinstance(holder.part, Deck) and columns and not get_close_matches(name, known, cutoff=0.6):
                why = f"{holder.part.file} has no column '{name}'. Columns: {', '.join(columns)}"
            self.refuse(node, why, plays=hasattr(holder.part, name))
        if name in HEADER:
            plain = _attribute("_state", name, node.ctx)
            return _number(plain) if HEADER[name] is int else plain
        if name in plan.knobs:
            if not isinstance(node.ctx, ast.Load):
                self.refuse(node, f"{name} is a knob and stays as it is during a game. Use a field: number()")
            plain = _attribute("_knobs", name)
            return plain if plan.knobs[name].kind == "float" else _number(plain)
        if name == "decision":
            return _code("_int(_state.decision)")
        if name in plan.choices:
            return self._decision(name)
        if name == "seats":
            return _code("range(_int(_state.stream_seats))")
        if name == "option_count" and self.bot:
            return _code("_int(_state.n_legal)")
        if name in plan.constants:
            self._check_texts(node, plan.constants[name])
            return self._constant(name, plan.constants[name])
        known = [*plan.fields, *plan.knobs, *plan.components, *holder.methods, *plan.constants]
        if name in plan.assigned:
            self.refuse(node, f"'{name}' is not a field. Declare it: {name} = number() or numbers(10)", plays=True)
        self.refuse(node, f"the game has no '{name}'. {nearest(name, known)}")

    def _decision(self, name: str) -> ast.Name:
        """The number of a kind of decision."""
        return self._constant(f"decision_{name}", self.program.choice_numbers[name])

    def _constant(self, name: str, value: Any) -> ast.Name:
        self.program.constants[f"_const_{name}"] = value
        return _name(f"_const_{name}")

    def visit_Name(self, node: ast.Name) -> Any:
        if self._is_this(node):
            self.refuse(
                node,
                f"'{node.id}' alone cannot be passed on. Name a field ({node.id}.seat) or write a method of the class. "
                f"A bot may pass it first to a function of this file: worth({node.id}, 2)",
                plays=True,
            )
        if node.id not in self.locals:
            self._check_texts(node, self._globals().get(node.id))
            if self.holder.part is None:  # the components are the lab's own
                self._check_global(node)
        return node

    def _check_global(self, node: ast.Name) -> None:
        """Refuses a name that compiled rules do not know: they see numbers, tuples and functions of the file."""
        known, name = self._globals(), node.id
        if name in known and name not in self.program.module_names:
            kind = type(known[name]).__name__
            why = "its name begins with '_'" if name.startswith("_") else f"it is a {kind}, not a number or a tuple"
            self.refuse(node, f"the lab cannot compile '{name}': {why}", plays=True)
        if name not in known and not hasattr(builtins, name) and not name.startswith("_"):
            self.refuse(node, f"the name '{name}' is not defined. {nearest(name, self.locals)}")

    def _check_texts(self, node: ast.AST, value: Any) -> None:
        if isinstance(value, str) or (isinstance(value, tuple) and any(isinstance(part, str) for part in value)):
            self.refuse(node, f"{ast.unparse(node)} holds texts. Rules work with numbers and options", plays=True)

    def visit_Constant(self, node: ast.Constant) -> Any:
        if isinstance(node.value, str):
            self.refuse(node, f"the text {node.value!r} cannot be used here. Compare it with an option, a choice knob "
                              "or a column of text", plays=True)  # fmt: skip
        return node

    # --- Subscripts and loops -------------------------------------------------------

    def _ragged_of(self, node: ast.AST) -> tuple[ast.Name, ast.Name, ast.expr] | None:
        """The rows, filled up to one length, their lengths and the place of `SHAPES[place]`, if SHAPES is a constant
        whose rows have different lengths and the place is not a literal; else None.
        """
        if not isinstance(node, ast.Subscript) or isinstance(node.slice, ast.Constant | ast.Slice):
            return None
        name = self._own(node.value) or (node.value.id if isinstance(node.value, ast.Name) else "")
        known = self.program.plan.constants if self._own(node.value) else self._globals()
        rows = known.get(name) if name not in self.locals or self._own(node.value) else None
        if not isinstance(rows, tuple) or not all(isinstance(row, tuple) for row in rows):
            return None
        lengths = tuple(len(row) for row in rows)
        if len({*lengths}) < 2:
            return None
        cells = [cell for row in rows for cell in row]
        if len({_shape_of(cell) for cell in cells}) > 1:
            self.refuse(node, f"the lab cannot compile {name}: its rows hold different things", plays=True)
        filled = tuple(row + (cells[0],) * (max(lengths) - len(row)) for row in rows)
        return self._constant(f"{name}_rows", filled), self._constant(f"{name}_lengths", lengths), node.slice

    def _over_ragged(self, node: ast.For, rows: ast.Name, lengths: ast.Name, place: ast.expr) -> list[ast.stmt]:
        """`for x in SHAPES[place]` as a loop over the row's own length."""
        row, cell = self._fresh("row"), self._fresh("cell")
        first = ast.Assign([node.target], _code("rows[row][cell]", rows=rows, row=_name(row), cell=_name(cell)))
        over = _code("range(lengths[row])", lengths=lengths, row=_name(row))
        return [
            ast.Assign([_name(row, ast.Store())], self.visit(place)),
            ast.For(_name(cell, ast.Store()), over, [first, *self._block(node.body)], []),
        ]

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        ragged = self._ragged_of(node.value)
        if ragged:
            rows, lengths, row = ragged
            return _call("_item_of", rows, lengths, self.visit(row), self.visit(node.slice))
        if self._ragged_of(node):
            text = ast.unparse(node)
            why = (
                f"the rows of {ast.unparse(node.value)} have different lengths. Loop over {text} itself, read one cell "
            )
            self.refuse(node, f"{why}({text}[0]) or its length, or give all rows one length", plays=True)
        field = self._field_of(node.value)
        column = self._column_of(node.value)
        if field is None and column is None:
            return self.generic_visit(node)
        if column and column_codes(*column) and id(node) not in self.compared:
            why = "a text of a card table can only be compared: with a text in quotes, or with a text of that column"
            self.refuse(node, why, plays=True)
        place = self.visit(node.slice)
        if column:
            name = _attribute("_cards", f"{column[0].called}_{column[1]}")
            return _number(ast.Subscript(name, place, ast.Load()))
        assert field is not None
        plain = ast.Subscript(_attribute("_state", field[0]), place, node.ctx)
        if not field[1].is_flag:
            return _number(plain)
        return _code("plain != 0", plain=plain) if isinstance(node.ctx, ast.Load) else plain

    def visit_For(self, node: ast.For) -> Any:
        if node.orelse:
            self.refuse(node, "the lab cannot compile `else` after a loop. Use a flag", plays=True)
        visited = self._visit_of(node.iter)
        if visited is not None:
            return self._visiting(node, *visited)
        if self.bot and self._own(node.iter) == "options":
            counter = self._fresh("place")
            first = ast.Assign([node.target], _code(f"_int(_state.legal[{counter}])"))
            over = _code("range(_state.n_legal)")
            return ast.For(_name(counter, ast.Store()), over, [first, *self._block(node.body)], [])
        ragged = self._ragged_of(node.iter)
        if ragged:
            return self._over_ragged(node, *ragged)
        field = self._field_of(node.iter)
        node.iter = _in_a_row(*field) if field else self.visit(node.iter)
        node.target = self.visit(node.target)
        node.body = self._block(node.body)
        return node

    def _visit_of(self, node: ast.expr) -> tuple[Holder, str, list[ast.expr]] | None:
        """`self.hand.of(seat)`: the component, the method and its arguments."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            holder = self._holder_of(node.func.value)
            if holder is not None and node.func.attr in holder.loops:
                return holder, node.func.attr, node.args
        return None

    def _visiting(self, node: ast.For, holder: Holder, method: str, arguments: list[ast.expr]) -> ast.For:
        over, test = holder.loops[method]
        if not isinstance(node.target, ast.Name):
            self.refuse(node, "loop over cards with one name: for card in ...")
        call = _call(f"{holder.prefix}{test}", *_PARAMETERS, *map(self.visit, arguments), node.target.id)
        cards = _code(f"range(_int(_cards.{holder.components[over].called}_size))")
        return ast.For(node.target, cards, [ast.If(call, self._block(node.body), [])], [])

    def _fresh(self, name: str) -> str:
        self.extra += 1
        return f"_{name}_{self.extra}"

    # --- Calls ------------------------------------------------------------------------

    def visit_Expr(self, node: ast.Expr) -> Any:
        if isinstance(node.value, ast.Constant):  # rules that take effect here, or a remark
            return [ast.Expr(self._counted(rule)) for rule, _ in rules_in(node.value.value)] or ast.Pass()
        node.value = self.visit(node.value)
        return node

    def visit_Raise(self, node: ast.Raise) -> Any:
        return node  # its text is for readers

    def visit_Assert(self, node: ast.Assert) -> Any:
        node.test, node.msg = self.visit(node.test), None
        return node

    def visit_Call(self, node: ast.Call) -> Any:
        if any(isinstance(argument, ast.Starred) for argument in node.args):
            self.refuse(node, f"the lab cannot compile {_ADVICE[ast.Starred]}", plays=True)
        if isinstance(node.func, ast.Attribute):
            holder = self._holder_of(node.func.value)
            if holder is not None:
                return self._method_call(holder, node.func.attr, node)
            field = self._field_of(node.func.value)
            if field and node.func.attr in ("fill", "count"):
                return _call(f"_{node.func.attr}", _in_a_row(*field), *map(self.visit, node.args))
            place = self._place_of_text(node)
            if place is not None:
                return place
            self.refuse(node, f"the lab cannot compile a call of {ast.unparse(node.func)}", plays=True)
        if isinstance(node.func, ast.Name):
            return self._named_call(node.func.id, node)
        return self.generic_visit(node)

    def _place_of_text(self, node: ast.Call) -> Any:
        """`KINDS.index("silk")` or, of a text of a card table, `KINDS.index(self.deck.kind[card])`; else None."""
        texts, asked = node.func.value, node.args[0] if node.args else None  # type: ignore[attr-defined]
        values: Any = self.program.plan.constants.get(texts.attr) if isinstance(texts, ast.Attribute) else None
        values = self._globals().get(texts.id) if isinstance(texts, ast.Name) else values
        column = self._column_of(asked.value) if isinstance(asked, ast.Subscript) else None
        if isinstance(values, tuple) and isinstance(asked, ast.Constant) and asked.value in values:
            return ast.Constant(values.index(asked.value)) if node.func.attr == "index" else None  # type: ignore[attr-defined]
        if node.func.attr != "index" or not isinstance(values, tuple) or column is None:  # type: ignore[attr-defined]
            return None
        deck, name = column
        codes = column_codes(deck, name) if name != deck.columns[0] else []
        lacks = next((code for code in codes if code not in values), "")
        if lacks:
            self.refuse(node, f"column {name} of {deck.file} has '{lacks}', which {ast.unparse(texts)} lacks")
        if not codes:
            return None
        assert asked is not None
        self.compared.add(id(asked))
        places = self._constant(
            f"{ast.unparse(texts).replace('.', '_')}_{deck.called}_{name}", tuple(values.index(code) for code in codes)
        )
        return _code("_int(places[text])", places=places, text=self.visit(asked))

    def _named_call(self, name: str, node: ast.Call) -> Any:  # noqa: RET503 - refuse() raises
        first = node.args[0] if node.args else None
        if name in _REDUCERS and isinstance(first, ast.GeneratorExp):
            return self._reduce(name, node, first)
        if name in ("len", "sum", "max", "min") and len(node.args) == 1 and first is not None:
            field = self._field_of(first)
            if field:
                return _call("len" if name == "len" else f"_{name}", _in_a_row(*field))
            if name == "len" and self._own(first) == "seats":
                return _code("_int(_state.stream_seats)")
            ragged = self._ragged_of(first) if name == "len" else None
            if ragged:
                return _code("_int(lengths[row])", lengths=ragged[1], row=self.visit(ragged[2]))
        if name in self.locals or hasattr(builtins, name):
            if name in ("print", "sorted", "list", "set", "dict", "str", "map", "filter", "zip", "open", "input"):
                instead = "Remove it" if name in ("print", "open", "input") else "Loop over the numbers instead"
                self.refuse(node, f"the lab cannot compile {name}(). {instead}", plays=True)
            node.args = [self.visit(argument) for argument in node.args]
            return node
        target = self._globals().get(name)
        if isinstance(target, types.FunctionType) and self.bot and first is not None and self._is_this(first):
            return _call(self.program.helper(target, game=True), *_PARAMETERS, *map(self.visit, node.args[1:]))
        if isinstance(target, types.FunctionType):
            return _call(self.program.helper(target), *map(self.visit, node.args))
        self.refuse(node, f"{name}() is not a function of this file", plays=name in self._globals())

    def _globals(self) -> dict[str, Any]:
        return vars(inspect.getmodule(self.program.plan.owner))

    def _method_call(self, holder: Holder, name: str, node: ast.Call) -> Any:
        if node.keywords:
            keyword = node.keywords[0].arg
            if not (name == "end" and keyword == "winner" and len(node.keywords) == 1):
                self.refuse(node, f"name no arguments here: {name}({keyword}=...) becomes {name}(...)")
            node.args.append(node.keywords[0].value)
        if name == "below":
            return self._below(holder, node)
        if holder.part is not None and name == "shuffle_first":
            array, count = (self.visit(argument) for argument in node.args)
            return _call("_shuffle", "_state", _stream(holder.part.called), _code("a[:n]", a=array, n=count))
        if holder.part is None and name in _GAME_CALLS:
            return _GAME_CALLS[name](self, node)
        if name in holder.loops:
            self.refuse(node, f"{name}() is for loops: for card in {ast.unparse(node)}")
        if name not in holder.methods or name in ("setup", "redraw"):
            what = holder.part.called if holder.part else "the game"
            self.refuse(node, f"{what} has no method '{name}'. {nearest(name, holder.methods)}")
        return _call(f"{holder.prefix}{name}", *_PARAMETERS, *map(self.visit, node.args))

    def _below(self, holder: Holder, node: ast.Call) -> Any:
        n = self.visit(node.args[0])
        if self.redraws or self.bot:
            return _call("_redraw_below" if self.redraws else "_bot_below", "_state", n)
        return _call("_below", "_state", _stream(holder.part.called if holder.part else "chance"), n)

    def _ask(self, node: ast.Call) -> Any:
        asked = self._own(node.args[0] if node.args else None)
        choices = self.program.plan.choices
        if asked not in choices:
            self.refuse(node, f"ask() takes a decision: {self.this}.ask({self.this}.{next(iter(choices))}, seat)")
        seat = self.visit(node.args[1]) if len(node.args) > 1 else _code("_int(_state.seat)")
        return _call("_ask", "_state", self._decision(asked), seat)

    def _end(self, node: ast.Call) -> Any:
        if not (node.args and isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str)):
            self.refuse(node, f"end() takes the name of an ending: {self.this}.end('goal')")
        number = ast.Constant(self.program.endings.index(node.args[0].value))
        if len(node.args) == 1:
            return _call("_end", "_state", number)
        return _call("_end_with", "_state", number, self.visit(node.args[1]))

    def _rule(self, node: ast.Call) -> Any:
        if not (node.args and isinstance(node.args[0], ast.Constant)):
            self.refuse(node, f"rule() takes an ID: {self.this}.rule('R-1')")
        return self._counted(str(node.args[0].value))

    def _counted(self, rule: str) -> ast.Call:
        return _call("_count_rule", "_state", f"_rule_{self.program.rule_number(rule)}")

    def _roll(self, node: ast.Call) -> Any:
        sides: Any = node.args[0]
        if isinstance(sides, ast.Constant):
            self.program.dice.append(int(str(sides.value)))
        elif isinstance(sides, ast.Attribute) and sides.attr in self.program.plan.knobs:
            self.program.dice.append(sides.attr)
        return _code("_below(_state, stream, sides) + 1", stream=_stream("dice"), sides=self.visit(sides))

    def _next_seat(self, node: ast.Call) -> Any:
        seat = self.visit(node.args[0]) if node.args else _code("_int(_state.seat)")
        return _code("(seat + 1) % _int(_state.stream_seats)", seat=seat)

    def _can(self, node: ast.Call) -> Any:
        if not self.bot:
            self.refuse(node, "can() is for bots. Rules ask their own may_ methods")
        wanted: Any = node.args[0]
        return _call("_can", "_state", self._option(wanted, wanted.value) if is_text(wanted) else self.visit(wanted))

    # --- sum(... for ... in ...) ------------------------------------------------------

    def _reduce(self, kind: str, node: ast.Call, given: ast.GeneratorExp) -> Any:
        """Moves the loop into a function of its own."""
        if len(given.generators) != 1 or (
            node.keywords and (kind not in ("max", "min") or node.keywords[0].arg != "default")
        ):
            self.refuse(
                node, f"the lab compiles {kind}() with one `for` and, for max() and min(), `default=`", plays=True
            )
        loop = given.generators[0]
        loops = [part for part in ast.walk(given) if isinstance(part, ast.comprehension)]  # those inside it, too
        targets = {n.id for part in loops for n in ast.walk(part.target) if isinstance(n, ast.Name)}
        used = {n.id for n in ast.walk(given) if isinstance(n, ast.Name) and n.id in self.locals}
        free = sorted(used - targets)
        default = node.keywords[0].value if node.keywords else None
        value = ast.unparse(given.elt)
        before, inside, after = {
            "sum": ("_sum = 0", f"_sum += {value}", "return _sum"),
            "any": ("pass", f"if {value}:\n    return True", "return False"),
            "all": ("pass", f"if not ({value}):\n    return False", "return True"),
        }.get(kind, ("_any = False\n_best = 0", _BEST.format(value, ">" if kind == "max" else "<"), "return _best"))
        if kind in ("max", "min"):
            empty = f"return {ast.unparse(default)}" if default else f"raise ValueError('{kind}() of nothing')"
            after = f"if not _any:\n    {empty}\n{after}"
        tests = " and ".join(f"({ast.unparse(test)})" for test in loop.ifs) or "True"
        name = f"{self.name}__{kind}{self._fresh('')}"
        lines = [
            f"def {name}({', '.join([self.this or '_nothing', *free])}):",
            textwrap.indent(before, "    "),
            f"    for {ast.unparse(loop.target)} in {ast.unparse(loop.iter)}:",
            f"        if {tests}:",
            textwrap.indent(inside, "            "),
            textwrap.indent(after, "    "),
        ]
        tree: Any = ast.parse("\n".join(lines)).body[0]
        if not self.this:
            tree.args.args = tree.args.args[1:]
        part: Any
        for part in ast.walk(tree):
            if hasattr(part, "lineno"):
                part.lineno = part.end_lineno = node.lineno
        inner = copy.copy(self)
        inner.name, inner.locals, inner.compared, inner.extra = name, set(), set(), 0
        parameters = _PARAMETERS if self.this else ()
        inner.translate(tree, [], parameters)
        return _call(name, *parameters, *free)

    # --- Texts -------------------------------------------------------------------------

    def visit_Compare(self, node: ast.Compare) -> Any:
        sides = [node.left, *node.comparators]
        texts = [side for side in sides if is_text(side)]
        columns = [self._column_of(side.value) if isinstance(side, ast.Subscript) else None for side in sides]
        if isinstance(node.ops[0], ast.Eq | ast.NotEq) and (texts or columns[0] == columns[-1]):
            self.compared |= {id(side) for side in sides}
        if not texts:
            if any(self._own(side) == "ending" for side in sides):
                self.refuse(
                    node, "compare self.ending with an ending in quotes; self.over is whether the game has ended"
                )
            return self.generic_visit(node)
        others = [side for side in sides if not is_text(side)]
        if (
            len(sides) == 2
            and isinstance(node.ops[0], ast.In | ast.NotIn)
            and isinstance(node.comparators[0], ast.Tuple)
        ):
            return self.generic_visit(node)
        if len(sides) != 2 or len(others) != 1 or not isinstance(node.ops[0], ast.Eq | ast.NotEq):
            self.refuse(node, "compare one value with one text: option == 'hold'", plays=True)
        if self._own(others[0]) == "ending":
            return self._ended(node, texts[0])
        number = self._text_number(others[0], texts[0])
        return ast.Compare(self.visit(others[0]), node.ops, [number])

    def _ended(self, node: ast.Compare, text: Any) -> Any:
        """`self.ending == "goal"`, which is false before the end."""
        endings = self.program.endings
        if text.value not in endings:
            self.refuse(text, f"the game has no ending '{text.value}'. {nearest(text.value, endings)}")
        ended = f"(_state.over and _state.ending == {endings.index(text.value)})"
        return _code(f"not {ended}" if isinstance(node.ops[0], ast.NotEq) else ended)

    def _text_number(self, other: ast.expr, text: Any) -> Any:  # noqa: RET503 - refuse() raises
        value = text.value
        knob = self._own(other)
        if knob in self.program.plan.knobs:
            options = self.program.plan.knobs[knob].options
            if value not in options:
                self.refuse(text, f"knob {knob} has no option '{value}'. {nearest(value, options)}")
            return ast.Constant(options.index(value))
        if isinstance(other, ast.Subscript):
            column = self._column_of(other.value)
            if column:
                codes = column_codes(column[0], column[1])
                if value not in codes:
                    self.refuse(
                        text, f"column {column[1]} of {column[0].file} has no '{value}'. {nearest(value, codes)}"
                    )
                return ast.Constant(codes.index(value))
        if isinstance(other, ast.Name):
            known = {name for choice in self.program.plan.choices.values() for name in choice.names}
            decks = self.program.plan.decks
            if value not in known and any(value in column_codes(deck, c) for deck in decks for c in deck.columns):
                why = f"{other.id} may be a text of a card table. Compare the table's column itself with '{value}'"
                self.refuse(text, why, plays=True)
            return self._option(text, value)
        self.refuse(
            text, f"the text '{value}' is compared with {ast.unparse(other)}, which is not an option", plays=True
        )

    def _option(self, node: ast.AST, name: str) -> Any:
        """The number of a named option: of the method's decision, or of the pending one."""
        if self.choice is not None:
            names = self.choice.names
            if name not in names:
                self.refuse(node, f"{self.choice.name} has no option '{name}'. {nearest(name, names)}")
            return ast.Constant(names[name])
        choices = self.program.plan.choices
        found = {choice: declared.names[name] for choice, declared in choices.items() if name in declared.names}
        if not found:
            known = sorted({option for declared in choices.values() for option in declared.names})
            self.refuse(node, f"unknown option '{name}'. {nearest(name, known)}")
        expression: ast.expr = ast.Constant(-1)
        if len(choices) == 1:
            return ast.Constant(next(iter(found.values())))
        for choice, number in found.items():
            source = f"{number} if _state.decision == decision else other"
            expression = _code(source, decision=self._decision(choice), other=expression)
        return expression

    def visit_Return(self, node: ast.Return) -> Any:
        if self.bot and node.value is not None:
            node.value = self._answer(node.value)
            return node
        return self.generic_visit(node)

    def _answer(self, node: Any) -> Any:
        if is_text(node):
            return self._option(node, node.value)
        if isinstance(node, ast.IfExp):
            return ast.IfExp(self.visit(node.test), self._answer(node.body), self._answer(node.orelse))
        return self.visit(node)


_GAME_CALLS: dict[str, Callable[[Translator, ast.Call], ast.expr]] = {
    "ask": Translator._ask, "end": Translator._end, "rule": Translator._rule, "roll": Translator._roll,
    "next_seat": Translator._next_seat, "can": Translator._can,
}  # fmt: skip


def _shape_of(value: Any) -> Any:
    """The nesting of a tuple of numbers: equal for tuples that compiled code can tell apart by place only."""
    return tuple(_shape_of(one) for one in value) if isinstance(value, tuple) else type(value).__name__


def column_codes(deck: Deck, column: str) -> list[str]:
    """The texts of a column of the game's own table; a card's record holds their number."""
    return sorted({str(row[column]) for row in deck.rows}) if isinstance(deck.rows[0][column], str) else []


def _name(name: str, context: ast.expr_context | None = None) -> ast.Name:
    return ast.Name(name, context or ast.Load())


def _attribute(owner: str, name: str, context: ast.expr_context | None = None) -> ast.Attribute:
    return ast.Attribute(_name(owner), name, context or ast.Load())


def _stream(name: str) -> Any:
    """A stream's place among the game's own."""
    return _code(f"_int(_state.stream_seats) + _stream_{name}")


def _number(node: ast.Attribute | ast.Subscript) -> Any:
    """A number read from the record, where it may have any width, as a number of 64 bits."""
    return _call("_int", node) if isinstance(node.ctx, ast.Load) else node


def _in_a_row(name: str, field: Field) -> Any:
    """All numbers of a list or a board."""
    return _code(f"_state.{name}.ravel()" if len(field.shape) > 1 else f"_state.{name}")


def _call(name: str, *arguments: ast.expr | str) -> ast.Call:
    """A call; arguments may be given as source. Literal numbers get 64 bits in calls of the author's functions."""
    nodes = [_code(argument) if isinstance(argument, str) else argument for argument in arguments]
    if name != "_int":
        nodes = [
            _call("_int", node) if isinstance(node, ast.Constant) and type(node.value) is int else node
            for node in nodes
        ]
    return ast.Call(_name(name), nodes, [])


def _code(source: str, **parts: ast.expr) -> Any:
    """An expression from its source, in which the names of `parts` stand for other expressions."""
    return _Parts(parts).visit(ast.parse(source, mode="eval").body)


class _Parts(ast.NodeTransformer):
    """Replaces names by expressions. The other nodes get the line of the code around them."""

    def __init__(self, parts: dict[str, ast.expr]) -> None:
        self.parts = parts

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.Name) and node.id in self.parts:
            return self.parts[node.id]
        for place in node._attributes:
            vars(node).pop(place, None)
        return self.generic_visit(node)
