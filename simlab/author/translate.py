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
from dataclasses import replace
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from simlab.author.answers import Answers
from simlab.author.asking import asking_of, frames_of
from simlab.author.base import Blueprint, Game
from simlab.author.checks import Checks, circle_of
from simlab.author.fields import Field, is_label
from simlab.author.flow import arguments_of, locals_of, paths_of
from simlab.author.lowering import (
    ANY,
    BOOL,
    COMPILED,
    FLOAT,
    HEADER_LIMITS,
    WIDEST,
    Lowering,
    Number,
    WrongCall,
    bound,
    call,
    element_of,
    general,
    is_array,
    is_simple,
    is_uniform,
    number_of_field,
    number_of_value,
    rename_locals,
    truths,
)
from simlab.author.shelf import Component, Table
from simlab.author.sources import (
    RuleText,
    has_docstring,
    is_text,
    methods_of,
    rules_in,
    rules_inside,
    rules_of,
    self_calls,
    source_of,
    text_given,
    tree_of,
)
from simlab.errors import InputError, nearest
from simlab.spec.bots import Trait
from simlab.spec.csv_file import column_name
from simlab.spec.ledger import Rule, read_about

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
    ast.List: "a list. Use a field of numbers: numbers(10)",
    ast.Slice: "a slice. Loop over the numbers: for place in range(2, 5)",
    ast.GeneratorExp: "a generator here. Loop over the items, or use sum(), any(), all(), max() or min()",
    ast.Delete: "del",
}
_BEST = """_new = {0}
if not _some or _new {1} _best:
    _best = _new
_some = True"""
_COUNTED = "Counted in"  #: for a rule without a text
MOST_STEPS = 120  #: expressions of a method that is inlined wherever it is called
MOST_INLINED = 16  #: blocks of a method that asks: longer ones are compiled on their own, which is faster
_REDUCERS = ("sum", "any", "all", "max", "min")
_PARAMETERS = ("_state", "_knobs", "_cards")  #: of every compiled method; a bot has its traits too


class CannotCompile(InputError):
    """A construct that runs in plain Python only."""


class Program:
    """All functions of a game's class, as source for the compiler.

    Attributes:
        functions: name -> (syntax tree of the translated function, file).
        rules: the rules that docstrings name, by ID, in the order of the source.
        counted: method -> IDs of rules that it counts when it is called.
        refusals: decision -> IDs of rules that are counted when one of its options is not legal.
        endings: names of the ways the game ends.
        plain: function -> (holder, method, why) for methods that run in plain Python because they cannot be compiled.
        circles: method -> why it runs in plain Python, for methods that call themselves, directly or through others.
        tuples: methods of the game that return several numbers. takers: (function, such a method that it calls) ->
            file and line.
        partial: methods of the game that return a value on some paths only, or on none.
    """

    def __init__(self, plan: Blueprint) -> None:
        self.plan = plan
        self.functions: dict[str, tuple[ast.FunctionDef, str]] = {}
        self.plain: dict[str, tuple[Holder, str, str]] = {}
        self.rules: dict[str, Rule] = {}
        self.endings: list[str] = []
        self.dice: list[str | int] = []
        self.constants: dict[str, Any] = {}
        self.helpers: dict[str, types.FunctionType] = {}
        self.circles: dict[str, str] = {}
        self.partial: set[str] = set()
        self.nothing: set[str] = set()
        self.tuples: set[str] = set()
        self.takers: dict[tuple[str, str], str] = {}
        self.choice_numbers = {name: number for number, name in enumerate(plan.choices)}
        self.asking = asking_of(plan)
        self.answers = Answers(self.asking, plan.fields, plan.choices)
        self.answers.check_secrets(name for name, chosen in plan.choices.items() if chosen.secret)
        self.game = Holder(self, "game__", plan.owner, plan.fields | frames_of(plan), plan.components)
        self.parts = {
            name: Holder(self, f"{name}__", type(part), part.fields(), part.parts, part)
            for name, part in plan.components.items()
        }
        Checks(self).run()
        self._find_rules()
        self._find_counts()
        for method in self.game.methods:
            self._translate(self.game, method)
        self._free_takers()
        for holder in self.parts.values():
            for method in holder.methods:
                if method not in holder.loops:
                    self._translate(holder, method)
        self._check_redraws()

    # --- Rules ----------------------------------------------------------------

    def _find_rules(self) -> None:
        abouts: dict[str, str] = {}
        for name, function in sorted(self.game.methods.items(), key=lambda item: item[1].__code__.co_firstlineno):
            code = function.__code__
            where = f"{Path(code.co_filename).name}, line {code.co_firstlineno}, {name.replace('__', '.')}"
            for found in rules_of(function):
                known = self.rules.setdefault(found.id, Rule(found.id, found.text, where))
                if found.text not in known.text:
                    self.rules[found.id] = replace(known, text=f"{known.text} {found.text}")
                self._note_about(found, abouts, code.co_filename)
            for found in rules_inside(function):
                if found.text and found.id in self.rules and self.rules[found.id].text.startswith(_COUNTED):
                    del self.rules[found.id]
                self.rules.setdefault(found.id, Rule(found.id, found.text or f"{_COUNTED} {name}.", where))
                self._note_about(found, abouts, code.co_filename)
            for node in ast.walk(tree_of(function)):
                ending = text_given(node, "end")
                if ending and ending not in self.endings:
                    self.endings.append(ending)

    def _note_about(self, found: RuleText, abouts: dict[str, str], file: str) -> None:
        """Takes status, place and knobs of a rule from its parentheses. abouts: rule ID -> its parentheses so far."""
        if not found.about:
            return
        at, other = f"{file}, line {found.line}, rule {found.id}", abouts.setdefault(found.id, found.about)
        if other != found.about:
            raise InputError(f"{at}: says ({found.about}), and elsewhere ({other}). Write it once.")
        status, place, knobs = read_about(found.about, self.plan.knobs, at)
        known = self.rules[found.id]
        self.rules[found.id] = replace(known, where=place or known.where, status=status or known.status, knobs=knobs)

    def _find_counts(self) -> None:
        """The methods that count their rules: those that change the game, not those that only read it."""
        calls = {name: set(self_calls(function)) for name, function in self.game.methods.items()}
        tests = {name for name in calls if name.startswith("may_")}
        measures = {one.source for one in self.plan.measures if one.line}
        looks = _reachable(calls, tests | measures | {"score", "wins", "tie_break", "redraw", "could_hold"})
        named = {name: [rule.id for rule in rules_of(f)] for name, f in self.game.methods.items()}
        explicit = {rule.id for function in self.game.methods.values() for rule in rules_inside(function)}
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
        tests = _reachable(once, {name for name in calls if name.startswith("game__may_")})
        tests |= self._small(calls)
        short = {f"game__{name}" for name, frame in self.asking.frames.items() if frame.blocks <= MOST_INLINED}
        return tests | {name for name in short if sites[name] == 1 or name == "game__play"}

    def _small(self, calls: Mapping[str, Iterable[str]]) -> set[str]:
        """Functions of a few steps without loops, which call no other function but those: a call costs as much."""
        sizes = {
            name: sum(isinstance(node, ast.expr) for node in ast.walk(tree))
            for name, (tree, _) in self.functions.items()
            if not any(isinstance(node, ast.For | ast.While | ast.Raise) for node in ast.walk(tree))
            and not {*calls[name]} & {*self.plain}
        }
        small = {name: size for name, size in sizes.items() if size <= MOST_STEPS and not {*calls[name]} & {*calls}}
        while True:
            more = {
                name: sum((small[other] for other in calls[name] if other in small), size)
                for name, size in sizes.items()
                if name not in small and {*calls[name]} & {*calls} <= {*small}
            }
            more = {name: size for name, size in more.items() if size <= MOST_STEPS}
            if not more:
                return {*small}
            small |= more

    def _check_redraws(self) -> None:
        """Rejects redraws that draw the game's random numbers, directly or through a call: a redraw has its own."""
        draws = {"_below", "_shuffle", "_draw_kind"}
        calls = self._calls() | {name: list[str]() for name in draws}
        redraws = [value for name, value in self.functions.items() if name.endswith("__redraw")]
        for drawn, file in ((one, file) for tree, file in redraws for one in _calls_in(tree)):
            name: Any = drawn.func.id
            if draws & _reachable(calls, {name}):
                written = {"_below": "roll", "_shuffle": "shuffle"}.get(name, name.split("__")[-1])
                raise InputError(
                    f"{file}, line {drawn.lineno}: redraw() calls {written}(), which draws the game's own "
                    "random numbers. A redraw has its own: call self.below() in redraw() itself."
                )

    def _translate(self, holder: Holder, name: str) -> None:
        """Translates a method, or lists it as a method that runs in plain Python."""
        function = holder.methods[name]
        tree, file = source_of(function)
        counts = self.counted.get(name, []) if holder is self.game else []
        if holder is self.game and name in self.asking.lowered:
            tree = self.lowered(name)
            counts = [] if self.asks(name) else counts
        called, redraws = f"{holder.prefix}{name}", name == "redraw"
        this = tree.args.args[0].arg
        translator = Translator(self, holder, file, this, called, redraws=redraws, known=function.__globals__)
        # Of an expansion, or of the class that it extends.
        translator.tests = holder is self.game and name.rpartition("__")[2].startswith("may_")
        try:
            if holder is self.game and name in self.circles:
                translator.refuse(tree, self.circles[name], plays=True)
            if set(function.__code__.co_freevars) - {"__class__"}:
                translator.refuse(tree, f"the lab cannot compile {name}(), which a decorator made", plays=True)
            translator.translate(tree, counts)
        except CannotCompile as why:
            if holder is not self.game or name not in self.spoken:
                self.plain[called] = (holder, name, str(why))

    @cached_property
    def spoken(self) -> set[str]:
        """The methods that only texts need: what `say()` gets, labels, and words. They need not be compiled."""
        methods = self.game.methods
        owned = {name: getattr(self.plan.owner, name) for name in dir(self.plan.owner) if is_label(name)}
        if self.plan.owner.words is not Game.words:
            owned["words"] = self.plan.owner.words
        texts = [value for value in owned.values() if isinstance(value, types.FunctionType)]
        named = {called for function in texts for called in self_calls(function)}
        named |= {called for function in methods.values() for called in self_calls(function, spoken=True)}
        calls = {name: set(self_calls(function, spoken=False)) for name, function in methods.items()}
        found = _reachable(calls, named)
        entries = {"play", "setup", "score", "wins", "tie_break", "redraw", "could_hold", *self.plan.choices}
        entries |= {one.source for one in self.plan.measures} | {name for name in methods if name.startswith("may_")}
        return found - _reachable(calls, (set(methods) - found) | (found & entries))

    def asks(self, name: str) -> bool:
        """Whether a method of the game asks, directly or through others."""
        return name in self.asking.frames

    def lowered(self, name: str) -> ast.FunctionDef:
        """The tree of a method that asks or may end the game, cut into blocks.

        A method that asks counts its rules when it begins, by their IDs as texts.
        """
        tree = copy.deepcopy(self.asking.lowered[name])
        if name in self.asking.frames:
            begin: Any = next(node for node in tree.body if isinstance(node, ast.While)).body[0]
            rules = self.counted.get(name, [])
            begin.body[:0] = [ast.copy_location(ast.Expr(ast.Constant(f"{rule}: begins")), tree) for rule in rules]
        return ast.fix_missing_locations(tree)

    def _free_takers(self) -> None:
        """Several numbers do not pass from plain to compiled code: who takes them from a plain method is plain, too."""
        while True:
            late = [
                (taker, called, line) for (taker, called), line in self.takers.items()
                if f"game__{called}" in self.plain and taker in self.functions
            ]  # fmt: skip
            if not late:
                return
            for taker, called, line in late:
                method = taker.removeprefix("game__")
                why = f"{line}: {called}(), which the lab cannot compile, returns several numbers."
                self.functions.pop(taker, None)
                self.plain[taker] = (self.game, method, why)

    @property
    def module_names(self) -> tuple[str, ...]:
        """Names of the author's module that rules may use: constants and functions."""
        module = vars(inspect.getmodule(self.plan.owner))
        return tuple(
            name for name, value in module.items()
            if (isinstance(value, int | float | tuple | np.ndarray) and not name.startswith("_"))
            or (isinstance(value, types.FunctionType) and value.__module__ == self.plan.owner.__module__)
        )  # fmt: skip

    def bot(
        self,
        tree: ast.FunctionDef,
        file: str,
        traits: Mapping[str, Trait],
        known: Mapping[str, Any] | None = None,
        options: Iterable[str] = (),
    ) -> str:
        """Translates a bot, a function of the game and its traits; returns the name of its function.

        Args:
            known: the globals of the bot; by default those of the game's file. options: names that hold options.
        """
        name = f"bot__{tree.name}"
        rename_locals(tree)
        first, *others = tree.args.args
        known = vars(inspect.getmodule(self.plan.owner)) if known is None else known
        translator = Translator(self, self.game, file, first.arg, name, bot=True, known=known)
        tree.args.args = [first]
        tree.args.defaults = []
        translator.locals = {arg.arg for arg in others}
        translator.options = set(options)
        translator.answers = True
        before: list[ast.stmt] = []
        for number, arg in enumerate(others):
            whole = arg.arg in traits and traits[arg.arg].whole
            value = f"_int(_traits[{number}])" if whole else f"_traits[{number}]"
            before.append(ast.parse(f"{arg.arg} = {value}").body[0])
            translator.widths[arg.arg] = Number("int", 53) if whole else FLOAT
        translator.translate(tree, [], (*_PARAMETERS, "_traits"), before)
        return name

    def helper(self, function: types.FunctionType, game: bool = False) -> str:
        """Translates a function of the author's module (for a bot, one that takes the game as its first argument);
        returns its name.
        """
        name = f"bot__helper__{function.__name__}" if game else f"helper__{function.__name__}"
        if self.helpers.setdefault(name, function) is not function:
            name += f"__{len(self.helpers)}"
            self.helpers[name] = function
        if name not in self.functions:
            tree, file = source_of(function)
            this = tree.args.args[0].arg if game else ""
            translator = Translator(self, self.game, file, this, name, bot=game, known=function.__globals__)
            circle = circle_of(function)
            if circle:
                translator.refuse(tree, circle, plays=True)
            translator.translate(tree, [], _PARAMETERS if game else ())
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
        self,
        program: Program,
        prefix: str,
        owner: type,
        fields: dict[str, Field],
        components: dict[str, Component],
        part: Component | None = None,
    ) -> None:
        self.program, self.prefix, self.part = program, prefix, part
        self.fields, self.components = fields, components
        self.loops = dict(part.visits) if part else {}
        base = Component if part else None
        self.methods = methods_of(owner, base)

    def flat(self, name: str) -> str:
        """Name of a field in the record."""
        return f"{self.part.called}_{name}" if self.part else name


class Translator(Lowering, ast.NodeTransformer):
    """Translates one function.

    Args:
        known: the globals of the function.
    """

    def __init__(
        self,
        program: Program,
        holder: Holder,
        file: str,
        this: str,
        name: str,
        *,
        redraws: bool = False,
        bot: bool = False,
        known: Mapping[str, Any],
    ) -> None:
        self.program, self.holder, self.file = program, holder, file
        self.this, self.name = this, name
        self.tests = False  # whether it is the test of a decision's options
        self.method = name.removeprefix("game__")  #: whose locals answers are followed through
        self.written: dict[str, str] = {}  # local that was renamed -> its name in the author's file
        self.redraws, self.bot, self.known = redraws, bot, known
        self.locals: set[str] = set()
        self.widths: dict[str, Number] = {}
        self.options: set[str] = set()  # locals of a bot that hold options
        self.compared: set[int] = set()  # nodes that are compared: a text of a card table is allowed there
        self.answers = False  # whether what it returns is an option
        self.truths: set[int] = set()
        self.ignored: set[int] = set()  # calls whose value is not used
        self.extra = 0

    def translate(
        self,
        tree: ast.FunctionDef,
        counts: list[str],
        parameters: tuple[str, ...] = _PARAMETERS,
        before: Iterable[ast.stmt] = (),
    ) -> None:
        """Adds the translated function to the program; nothing is added if a part of it cannot be translated.

        Args:
            counts: rules that it counts. parameters: those in front of its own. before: statements in front of its own.
        """
        known = dict(self.program.functions)
        try:
            self._add(tree, counts, parameters, before)
        except InputError:
            self.program.functions = known
            raise

    def _add(
        self, tree: ast.FunctionDef, counts: list[str], parameters: tuple[str, ...], before: Iterable[ast.stmt]
    ) -> None:
        self.written |= rename_locals(tree)
        if tree.args.vararg or tree.args.kwarg:
            self.refuse(tree, "the lab cannot compile * and ** among the parameters", plays=True)
        every = arguments_of(tree)
        self.this = every[0].arg if self.this else ""
        own = every[1:] if self.this else every
        self.locals |= locals_of(tree) - {self.this}
        self._follow(tree)
        body = tree.body
        if has_docstring(tree):
            body = body[1:] or [ast.Pass()]
        tree.decorator_list, tree.returns = [], None
        for arg in own:
            arg.annotation = None
        made = self._block(body)
        parts = [ast.arg(p) for p in parameters] + own
        tree.args = ast.arguments([], parts, None, [], [], None, [])
        tree.name = self.name
        tree.body = [*before, *(ast.Expr(self._counted(rule)) for rule in counts), *made]
        for part in tree.body:
            ast.copy_location(part, tree)
        self.program.functions[self.name] = (ast.fix_missing_locations(tree), self.file)

    def _follow(self, tree: ast.FunctionDef) -> None:
        """Finds out what is known of the local variables, and refuses paths on which they have no value."""
        paths = paths_of(tree)
        if paths.unset:
            first = paths.unset[0]
            self.refuse(
                first,
                f"'{self.written.get(first.id, first.id)}' may have no value here. Give it one before the loop or the "
                "`if` that sets it",
                plays=True,
            )
        if paths.sometimes and self.tests:
            for node in paths.nothing:
                if isinstance(node, ast.Return):
                    node.value = ast.Constant(False)
            tree.body.append(ast.copy_location(ast.Return(ast.Constant(False)), tree.body[-1]))
        elif paths.sometimes:
            self.refuse(
                paths.nothing[0],
                "this path returns nothing, and others return a value. Return one here, too: "
                "`return 0` or `return False`",
                plays=True,
            )
        tuples = {len(n.value.elts) if isinstance(n.value, ast.Tuple) else 0 for n in paths.numbers}
        if len(tuples) > 1:
            self.refuse(
                paths.numbers[-1], "the lab compiles methods that return one number, or always as many", plays=True
            )
        self.truths = truths(tree)
        if self.bot:
            self._learn_options(tree)
        if self.tests:
            self.widths[arguments_of(tree)[1].arg] = Number("int", 15)
        self.learn(tree)

    def _learn_options(self, tree: ast.FunctionDef) -> None:
        """The local variables of a bot that hold options: they are given options, or a number below 0."""
        given: dict[str, list[ast.expr | None]] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.For) and isinstance(node.target, ast.Name):
                given.setdefault(node.target.id, []).append(node.iter)
            elif isinstance(node, ast.Assign):
                for target in node.targets:
                    for name, value in _pairs(target, node.value):
                        given.setdefault(name, []).append(value)
            elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                given.setdefault(node.target.id, []).append(None)
        found = set(given)
        while True:
            kept = {name for name in found if all(self._is_option(value, found) for value in given[name])}
            if kept == found:
                break
            found = kept
        self.options |= found

    def _is_option(self, node: ast.expr | None, names: set[str]) -> bool:
        if isinstance(node, ast.IfExp):
            return self._is_option(node.body, names) and self._is_option(node.orelse, names)
        if isinstance(node, ast.Name):
            value = self.known.get(node.id)
            return node.id in names or (node.id not in self.locals and isinstance(value, int) and value < 0)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return isinstance(node.operand, ast.Constant)
        return self._own(node) == "options"

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
        advice = _ADVICE.get(type(node)) or ("" if isinstance(node, COMPILED) else f"{type(node).__name__} here")
        if advice:
            self.refuse(node, f"the lab cannot compile {advice}", plays=True)
        return super().generic_visit(node)

    # --- What is known of an expression -------------------------------------------

    def known_of(self, node: ast.expr) -> Number:
        """What is known of a name, an attribute, a subscript or a call of the author's."""
        match node:
            case ast.Name():
                return number_of_value(self.known.get(node.id)) if node.id in self.known else ANY
            case ast.Attribute():
                return self._known_attribute(node)
            case ast.Subscript():
                return self._known_entry(node)
            case ast.Call():
                return self._known_call(node)
        return ANY

    def _known_attribute(self, node: ast.Attribute) -> Number:
        field, name, plan = self._field_of(node), self._own(node), self.program.plan
        if field:
            return Number("list") if field[1].shape else number_of_field(field[1])
        if self._column_of(node):
            return Number("list")
        if self.holder.part is None and name in plan.knobs:
            knob = plan.knobs[name]
            if knob.kind == "float":
                return FLOAT
            if knob.kind == "choice":
                return Number("text")
            return Number("int", max(abs(int(knob.low)), abs(int(knob.high)), 1).bit_length())
        if self.holder.part is None and name in HEADER:
            return BOOL if name == "over" else Number("int", {"turn": 15, "seat": 7}[name])
        if self.holder.part is None and name in plan.constants:
            return number_of_value(plan.constants[name])
        if name == "option_count":
            return Number("int", 15)
        holder = self._holder_of(node.value)
        if holder is not None and holder.part is not None:
            return number_of_value(getattr(holder.part, node.attr, None))
        return ANY

    def _known_entry(self, node: ast.Subscript) -> Number:
        field = self._field_of(node.value)
        if field:
            return number_of_field(field[1])
        if self._column_of(node.value):
            return Number("int", 31)
        value = self._constant_of(node.value)
        if isinstance(value, np.ndarray):
            kinds = {np.dtype(np.float64): FLOAT, np.dtype(np.uint8): Number("byte", 8)}
            widest = (
                max(abs(int(value.max())), abs(int(value.min())), 1) if value.dtype.kind == "i" and value.size else 0
            )
            return kinds.get(value.dtype, Number("int", widest.bit_length()) if widest else Number("int"))
        return element_of(value)

    def literal(self, value: ast.expr) -> int | None:
        """The whole number that a translated expression is, if it is written out or a constant; else None."""
        if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.USub):
            found = self.literal(value.operand)
            return None if found is None else -found
        known = value.value if isinstance(value, ast.Constant) else None
        known = self.program.constants.get(value.id) if isinstance(value, ast.Name) else known
        return known if type(known) is int else None

    def _constant_of(self, node: ast.expr) -> Any:
        """The value of a constant of the file or the class; None for another expression."""
        if isinstance(node, ast.Name) and node.id not in self.locals:
            return self.known.get(node.id)
        if isinstance(node, ast.Attribute):
            holder = self._holder_of(node.value)
            if holder is not None:
                known = self.program.plan.constants if holder.part is None else vars(holder.part)
                return known.get(node.attr)
        return None

    def _known_call(self, node: ast.Call) -> Number:
        if isinstance(node.func, ast.Attribute):
            name, holder = node.func.attr, self._holder_of(node.func.value)
            if holder is None:
                return Number("int", 31) if name == "count" else ANY
            if holder.part is None and name in holder.methods:
                return Number("none") if name in self.program.nothing else ANY
            if name in ("below", "below_of", "roll"):
                return Number("int", 32)
            return Number("int", 31) if name in ("next_seat",) else BOOL if name == "can" else ANY
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in self.locals or name in self.known or not node.args:
            return ANY
        first = self.number_of(node.args[0]) if not isinstance(node.args[0], ast.GeneratorExp) else ANY
        if name in ("any", "all", "bool"):
            return BOOL
        if name == "float":
            return FLOAT
        if name == "len":
            return Number("int", 31)
        if name == "int" or (name == "round" and len(node.args) == 1):
            return Number("int", first.bits if first.is_whole else WIDEST)
        if name == "abs":
            return Number("int" if first.is_whole else first.kind, first.bits)
        if name in ("min", "max") and len(node.args) > 1:
            for part in node.args[1:]:
                first = first.joined(self.number_of(part))
            return first
        return ANY

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

    def _column_of(self, node: ast.AST) -> tuple[Table, str] | None:
        """The column of a card table that an expression names."""
        if isinstance(node, ast.Attribute):
            holder = self._holder_of(node.value)
            if holder is not None and isinstance(holder.part, Table) and column_name(node.attr) in holder.part.columns:
                return holder.part, column_name(node.attr)
        return None

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        column = self._column_of(node)
        if column:
            self.refuse(
                node, f"the lab compiles a column of a card table for one card: {ast.unparse(node)}[card]", plays=True
            )
        field = self._field_of(node)
        if field:
            if len(field[1].shape) > 1:  # its rows, not its numbers
                self.refuse(node, "the lab cannot compile a board that is passed on whole", plays=True)
            if field[1].shape and field[1].is_flag:
                self.refuse(node, "the lab cannot compile a list of flags that is passed on whole", plays=True)
            plain = _attribute("_state", field[0], node.ctx)
            return _number(plain) if field[1].shape == () and not field[1].is_flag else plain
        holder = self._holder_of(node.value)
        return self.generic_visit(node) if holder is None else self._attribute_of(holder, node)

    def _attribute_of(self, holder: Holder, node: ast.Attribute) -> Any:  # noqa: RET503 - refuse() raises
        name, plan = node.attr, self.program.plan
        if holder.part is not None:
            if isinstance(holder.part, Table) and name == "size":
                return _code(f"_int(_cards.{holder.part.called}_size)")
            if name == "seats":
                self._check_seats(node)
                return _code("range(_int(_state.stream_seats))")
            if is_uniform(getattr(holder.part, name, None)):
                return self._constant(f"{holder.prefix}{name}", getattr(holder.part, name))
            columns = holder.part.columns if isinstance(holder.part, Table) else ()
            known = [*holder.fields, *holder.methods, *columns]
            why = f"{holder.part.called} has no '{name}'. {nearest(name, known)}"
            if isinstance(holder.part, Table) and columns and not get_close_matches(name, known, cutoff=0.6):
                why = f"{holder.part.file} has no column '{name}'. Columns: {', '.join(columns)}"
            self.refuse(node, why, plays=hasattr(holder.part, name))
        if name in HEADER:
            plain = _attribute("_state", name, node.ctx)
            return _number(plain) if HEADER[name] is int else plain
        if name in plan.knobs:
            if not isinstance(node.ctx, ast.Load):
                self.refuse(node, f"{name} is a knob and stays as it is during a game. Use a field: number()")
            if plan.knobs[name].kind == "choice" and id(node) not in self.compared:
                option = plan.knobs[name].options[0]
                self.refuse(
                    node,
                    f"{name} is a choice, a text: compare it with one of its options: "
                    f"{ast.unparse(node)} == {option!r}",
                    plays=True,
                )
            plain = _attribute("_knobs", name)
            return plain if plan.knobs[name].kind == "float" else _number(plain)
        if name == "decision":
            return _code("_int(_state.decision)")
        if name in plan.choices:
            return self._decision(name)
        if name == "seats":
            self._check_seats(node)
            return _code("range(_int(_state.stream_seats))")
        if name == "option_count" and self.bot:
            return _code("_int(_state.n_legal)")
        if name in plan.constants:
            self._check_texts(node, plan.constants[name])
            return self._file_constant(node, f"class_{name}", plan.constants[name])
        known = [*plan.fields, *plan.knobs, *plan.components, *holder.methods, *plan.constants]
        if name in plan.assigned:
            self.refuse(node, f"'{name}' is not a field. Declare it: {name} = number() or numbers(10)", plays=True)
        self.refuse(node, f"the game has no '{name}'. {nearest(name, known)}", plays=hasattr(plan.owner, name))

    def _check_seats(self, node: ast.AST) -> None:
        if id(node) not in self.compared:  # marked where a loop visits them
            self.refuse(
                node,
                f"the lab compiles `for seat in {ast.unparse(node)}` and len({ast.unparse(node)}) only",
                plays=True,
            )

    def _decision(self, name: str) -> ast.Name:
        """The number of a kind of decision."""
        return self._constant(f"decision_{name}", self.program.choice_numbers[name])

    def _constant(self, name: str, value: Any) -> ast.Name:
        self.program.constants[f"_const_{name}"] = value
        return _name(f"_const_{name}")

    def _file_constant(self, node: ast.AST, name: str, value: Any) -> ast.Name:
        """A constant of the author's, under a name of its own in each file."""
        if not is_uniform(value) and not is_array(value):
            shown = f"{ast.unparse(node)} holds values of different kinds or lengths"
            self.refuse(node, f"the lab cannot compile a tuple like this one: {shown}", plays=True)
        if any(abs(one) >= 1 << WIDEST for one in _flat(value) if type(one) is int):
            self.refuse(node, f"{ast.unparse(node)} is beyond 2^62, the largest number in compiled rules", plays=True)
        known = self.program.constants.setdefault(f"_const_{name}", value)
        if known is not value and not (type(known) is type(value) and np.array_equal(known, value)):
            name += f"_{len(self.program.constants)}"
        return self._constant(name, value)

    def visit_Name(self, node: ast.Name) -> Any:
        if self._is_this(node):
            self.refuse(
                node,
                f"'{node.id}' alone cannot be passed on. Name a field ({node.id}.seat) or write a method of the class. "
                f"A bot may pass it first to a function of this file: worth({node.id}, 2)",
                plays=True,
            )
        if node.id not in self.locals:
            self._check_texts(node, self.known.get(node.id))
            return self._global(node)
        return node

    def _global(self, node: ast.Name) -> ast.Name:  # noqa: RET503 - refuse() raises
        """A name that is not local: compiled rules see numbers and tuples of their file."""
        name = node.id
        if name not in self.known:
            if hasattr(builtins, name):
                self.refuse(node, f"the lab cannot compile the function {name} as a value", plays=True)
            self.refuse(node, f"the name '{name}' is not defined. {nearest(name, self.locals)}")
        value = self.known[name]
        if isinstance(value, int | float | tuple | np.ndarray) and (self.holder.part or not name.startswith("_")):
            return self._file_constant(node, f"file_{name}", value)
        kind = type(value).__name__
        why = "its name begins with '_'" if name.startswith("_") else f"it is a {kind}, not a number or a tuple"
        self.refuse(node, f"the lab cannot compile '{name}': {why}", plays=True)

    def _check_texts(self, node: ast.AST, value: Any) -> None:
        if isinstance(value, str) or (isinstance(value, tuple) and any(isinstance(part, str) for part in value)):
            self.refuse(node, f"{ast.unparse(node)} holds texts. Rules work with numbers and options", plays=True)

    def visit_Constant(self, node: ast.Constant) -> Any:
        if isinstance(node.value, str):
            self.refuse(node, f"the text {node.value!r} cannot be used here. Compare it with an option, a choice knob "
                              "or a column of text", plays=True)  # fmt: skip
        if type(node.value) not in (int, float, bool):
            self.refuse(node, f"the lab cannot compile {node.value!r}. Use a number: NONE is -1", plays=True)
        if isinstance(node.value, int) and node.value >= 1 << WIDEST:
            self.refuse(node, f"{node.value} is beyond 2^62, the largest number in compiled rules", plays=True)
        return node

    def visit_Tuple(self, node: ast.Tuple) -> Any:
        kinds = {self.number_of(part).kind for part in node.elts}
        if kinds - {"int", "bool", "float", "any", "tuple"} or not node.elts:
            self.refuse(node, "the lab compiles tuples of numbers only", plays=True)
        return super().generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        kinds = {self.number_of(node.body).kind, self.number_of(node.orelse).kind}
        if kinds & {"list", "tuple", "none"}:
            self.refuse(node, "the lab compiles `a if test else b` for numbers only", plays=True)
        return self._tested(node)

    def visit_If(self, node: ast.If) -> Any:
        return self._tested(node)

    def visit_While(self, node: ast.While) -> Any:
        return self._tested(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        for value in node.values:
            self._check_truth(value)
        return self.generic_visit(node)

    def _tested(self, node: Any) -> Any:
        self._check_truth(node.test)
        return self.generic_visit(node)

    def _check_truth(self, node: ast.expr) -> None:
        if self.number_of(node).kind in ("list", "tuple", "none"):
            self.refuse(node, "the lab compiles tests of numbers only; len() is the length of a list", plays=True)

    # --- Subscripts and loops -------------------------------------------------------

    def _ragged_of(self, node: ast.AST) -> tuple[ast.Name, ast.Name, ast.expr] | None:
        """The rows, filled up to one length, their lengths and the place of `SHAPES[place]`, if SHAPES is a constant
        whose rows have different lengths and the place is not a literal; else None.
        """
        if not isinstance(node, ast.Subscript) or isinstance(node.slice, ast.Constant | ast.Slice):
            return None
        name = self._own(node.value) or (node.value.id if isinstance(node.value, ast.Name) else "")
        known = self.program.plan.constants if self._own(node.value) else self.known
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
            self._check_place(node, 1)
            base = node.value.value if isinstance(node.value, ast.Subscript) else node.value
            if not isinstance(base, ast.Name) and not isinstance(self._constant_of(base), tuple):
                self.visit(node.value)  # which may name a better reason
                self.refuse(node, f"the lab cannot compile {ast.unparse(node.value)}[...]", plays=True)
            if isinstance(base, ast.Name) and self.widths.get(base.id, ANY).kind in ("int", "bool", "float"):
                self.refuse(node, f"{base.id} is a number, without entries", plays=True)
            return ast.Subscript(self.visit(node.value), self._place(node.slice), node.ctx)
        self._check_place(node, len(field[1].shape) if field else 1)
        if column and column_codes(*column) and id(node) not in self.compared:
            why = "a text of a card table can only be compared: with a text in quotes, or with a text of that column"
            self.refuse(node, why, plays=True)
        place = self._place(node.slice)
        if column:
            name = _attribute("_cards", f"{column[0].called}_{column[1]}")
            return _number(ast.Subscript(name, _card_of(column[0], place), ast.Load()))
        assert field is not None
        plain = ast.Subscript(_attribute("_state", field[0]), place, node.ctx)
        if not field[1].is_flag:
            return _number(plain)
        return _code("plain != 0", plain=plain) if isinstance(node.ctx, ast.Load) else plain

    def _place(self, node: ast.expr) -> Any:
        """A place in brackets, translated; True is place 1."""
        if isinstance(node, ast.Tuple):
            return ast.Tuple([self._place(part) for part in node.elts], ast.Load())
        return call("_int", self.visit(node)) if self.number_of(node).kind == "bool" else self.visit(node)

    def _check_place(self, node: ast.Subscript, length: int) -> None:
        """Refuses a place that compiled code would read differently: a slice, a fraction, too few numbers."""
        places = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        base = ast.unparse(node.value)
        if isinstance(node.slice, ast.Slice) or any(isinstance(place, ast.Slice) for place in places):
            self.refuse(node, f"the lab cannot compile {_ADVICE[ast.Slice]}", plays=True)
        if len(places) != length:
            names = ", ".join(["row", "column"][:length] if length > 1 else ["place"])
            self.refuse(
                node,
                f"{base} takes {length} number{'s' * (length > 1)} in its brackets: {base}[{names}]",
                plays=length == 0,
            )
        for place in places:
            if self.number_of(place).kind == "float":
                self.refuse(place, f"a place is a whole number, and {ast.unparse(place)} is a fraction: divide with //")

    def visit_For(self, node: ast.For) -> Any:
        if node.orelse:
            self.refuse(node, "the lab cannot compile `else` after a loop. Use a flag", plays=True)
        visited = self._visit_of(node.iter)
        if visited is not None:
            return self._visiting(node, *visited)
        if self.bot and self._own(node.iter) == "options":
            counter = self._fresh("place")
            if not isinstance(node.target, ast.Name):
                self.refuse(node, "loop over options with one name: for option in ...")
            first = ast.Assign([node.target], _code(f"_int(_state.legal[{counter}])"))
            over = _code("range(_state.n_legal)")
            return ast.For(_name(counter, ast.Store()), over, [first, *self._block(node.body)], [])
        targets = node.target.elts if isinstance(node.target, ast.Tuple) else [node.target]
        if not all(isinstance(target, ast.Name) for target in targets):
            self.refuse(node, "the lab compiles loops with names: for place in ..., for row, column in ...", plays=True)
        ragged = self._ragged_of(node.iter)
        if ragged:
            return self._over_ragged(node, *ragged)
        field = self._field_of(node.iter)
        node.iter = _in_a_row(*field) if field else self._visited(node.iter)
        node.body = self._block(node.body)
        if field and len(targets) == 1:  # the numbers of a field have 8 to 32 bits, its flags are numbers
            target: Any = node.target
            flag, number = "value != 0", "_int(value)"
            value = _code(flag if field[1].is_flag else number, value=_name(target.id))
            node.body.insert(0, ast.Assign([_name(target.id, ast.Store())], value))
        elif field:
            self.refuse(node, "a list of numbers is visited with one name: for number in ...", plays=True)
        return node

    def _visited(self, node: ast.expr) -> Any:  # noqa: RET503 - refuse() raises
        """What a loop visits: a range, the seats, a tuple of numbers, or a list that was passed to this function."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not self._shadowed(node.func.id):
            if node.func.id == "range" and 1 <= len(node.args) <= 3 and not node.keywords:
                if any(self.number_of(part).kind == "float" for part in node.args):
                    self.refuse(node, "range() takes whole numbers: divide with //")
                return ast.Call(
                    _name("range"),
                    [
                        call("_int", self.visit(part)) if self.number_of(part).kind == "bool" else self.visit(part)
                        for part in node.args
                    ],
                    [],
                )
            if node.func.id == "enumerate" and len(node.args) == 1 and not node.keywords:
                field = self._field_of(node.args[0])
                if field is None or not field[1].is_flag:
                    return ast.Call(_name("enumerate"), [self._visited(node.args[0])], [])
        if isinstance(node, ast.Attribute) and node.attr == "seats":
            self.compared.add(id(node))
            return self.visit(node)
        if isinstance(node, ast.Attribute | ast.Name):
            return self.visit(node)
        if isinstance(node, ast.Tuple) and node.elts:
            kinds = {self.number_of(part).kind for part in node.elts}
            lengths = {len(part.elts) for part in node.elts if isinstance(part, ast.Tuple)}
            inner = {self.number_of(e).kind for part in node.elts if isinstance(part, ast.Tuple) for e in part.elts}
            if len(kinds - {"any"}) <= 1 and len(lengths) <= 1 and len(inner - {"any"}) <= 1:
                return self.visit(node)
        self.refuse(
            node,
            f"the lab compiles loops over range(), seats, fields, cards and tuples of numbers, not over "
            f"{ast.unparse(node)}",
            plays=True,
        )

    def _shadowed(self, name: str) -> bool:
        """Whether the author gave the name of a builtin to something else."""
        return name in self.locals or name in self.known

    def _visit_of(self, node: ast.expr) -> tuple[Holder, str, list[ast.expr]] | None:
        """`self.hand.of(seat)`: the component, the method and its arguments."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            holder = self._holder_of(node.func.value)
            if holder is not None and node.func.attr in holder.loops:
                return holder, node.func.attr, node.args
        return None

    def _visiting(self, node: ast.For, holder: Holder, method: str, arguments: list[ast.expr]) -> list[ast.stmt]:
        over, test = holder.loops[method]
        if not isinstance(node.target, ast.Name):
            self.refuse(node, "loop over cards with one name: for card in ...")
        card = self._fresh("card")
        held: list[ast.stmt] = []
        given = [
            argument if isinstance(argument, ast.Constant) else self._held(argument, held) for argument in arguments
        ]
        test_it = _call(f"{holder.prefix}{test}", *_PARAMETERS, *given, card)
        cards = _code(f"range(_int(_cards.{holder.components[over].called}_size))")
        body = [ast.Assign([node.target], _name(card)), *self._block(node.body)]
        return [*held, ast.For(_name(card, ast.Store()), cards, [ast.If(test_it, body, [])], [])]

    def _fresh(self, name: str) -> str:
        self.extra += 1
        return f"_{name}_{self.extra}"

    # --- Calls ------------------------------------------------------------------------

    def visit_Expr(self, node: ast.Expr) -> Any:
        if isinstance(node.value, ast.Call) and self._own(node.value.func) == "say":
            return ast.Pass()
        if isinstance(node.value, ast.Constant):  # rules that take effect here, or a remark
            return [ast.Expr(self._counted(rule.id)) for rule in rules_in(node.value.value)] or ast.Pass()
        self.ignored.add(id(node.value))
        node.value = self.visit(node.value)
        return node

    def visit_Raise(self, node: ast.Raise) -> Any:
        why = ast.unparse(node.exc) if node.exc else "raise"  # its text is for readers
        text = ast.Constant(f"{self.file}, line {node.lineno}: {why}")
        return ast.Raise(ast.Call(_name("ValueError"), [text], []), None)

    def visit_Assert(self, node: ast.Assert) -> Any:
        self._check_truth(node.test)
        node.test, node.msg = self.visit(node.test), None
        return node

    def visit_NamedExpr(self, node: ast.NamedExpr) -> Any:
        name = ast.unparse(node.target)
        self.refuse(node, f"the lab cannot compile :=. Give {name} its value on a line of its own", plays=True)

    def visit_Call(self, node: ast.Call) -> Any:
        if any(isinstance(argument, ast.Starred) for argument in node.args):
            self.refuse(node, f"the lab cannot compile {_ADVICE[ast.Starred]}", plays=True)
        if isinstance(node.func, ast.Attribute):
            holder = self._holder_of(node.func.value)
            if holder is not None:
                return self._method_call(holder, node.func.attr, node)
            field = self._field_of(node.func.value)
            if field and node.func.attr in ("fill", "count") and len(node.args) == 1 and not node.keywords:
                known, value = self.number_of(node.args[0]), self.visit(node.args[0])
                if node.func.attr == "fill" and field[1].is_flag:
                    value = call("_checked_flagged", value, ast.Constant(node.lineno))
                elif node.func.attr == "fill":
                    value = self.within(value, known, field[1].limits(""), node.lineno)
                return _call(f"_{node.func.attr}", _in_a_row(*field), value)
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
        values = self.known.get(texts.id) if isinstance(texts, ast.Name) else values
        column = self._column_of(asked.value) if isinstance(asked, ast.Subscript) else None
        if isinstance(values, tuple) and isinstance(asked, ast.Constant) and asked.value in values:
            return ast.Constant(values.index(asked.value)) if node.func.attr == "index" else None  # type: ignore[attr-defined]
        if node.func.attr != "index" or not isinstance(values, tuple) or column is None:  # type: ignore[attr-defined]
            return None
        deck, name = column
        codes = column_codes(deck, name)
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
        line = general(ast.Constant(node.lineno))
        return _code("_checked_text_at(places, text, line)", places=places, text=self.visit(asked), line=line)

    def _named_call(self, name: str, node: ast.Call) -> Any:
        if name in self.locals:
            self.refuse(node, f"the lab cannot compile a call of the local variable {name}", plays=True)
        if name in self.known:
            return self._own_function(name, node)
        first = node.args[0] if node.args else None
        if name in _REDUCERS and isinstance(first, ast.GeneratorExp):
            if len(node.args) > 1:
                self.refuse(node, f"the lab compiles {name}() with one `for` inside and nothing after it", plays=True)
            return self._reduce(name, node, first)
        if not hasattr(builtins, name):
            self.refuse(node, f"{name}() is not a function of this file")
        if name in ("print", "open", "input", "sorted", "list", "set", "dict", "str", "map", "filter", "zip"):
            instead = "Remove it" if name in ("print", "open", "input") else "Loop over the numbers instead"
            self.refuse(node, f"the lab cannot compile {name}(). {instead}", plays=True)
        if node.keywords:
            self.refuse(node, f"the lab cannot compile {name}({node.keywords[0].arg}=...)", plays=True)
        ragged = self._ragged_of(first) if name == "len" and first is not None else None
        if ragged:
            return _code("_int(lengths[row])", lengths=ragged[1], row=self.visit(ragged[2]))
        made = self._builtin(name, node)
        if made is None:
            for part in node.args:
                self.visit(part)  # which gives the reason if it cannot be compiled
            self.refuse(node, f"the lab cannot compile {ast.unparse(node)}", plays=True)
        return made

    def _builtin(self, name: str, node: ast.Call) -> Any:
        """A call of a builtin; None if it is not compiled."""
        given = node.args
        if len(given) == 1:
            field = self._field_of(given[0])
            if field and name in ("len", "sum", "max", "min", "any", "all"):
                row = _in_a_row(*field)
                if name in ("any", "all"):
                    return _call(f"_checked_{name}_of", row)
                return _call("len" if name == "len" else f"_{name}", row)
            if name == "len" and isinstance(given[0], ast.Attribute) and given[0].attr == "seats":
                return _code("_int(_state.stream_seats)")
            value = self._constant_of(given[0])
            if isinstance(value, tuple) and name in ("len", "sum", "max", "min"):
                flat = name == "len" or (is_uniform(value) and not isinstance(value[0], tuple))
                found = getattr(builtins, name)(value) if flat else None
                return ast.Constant(found) if type(found) in (int, float, bool) else None
            if name in ("len", "sum", "max", "min") and isinstance(given[0], ast.Name) and given[0].id in self.locals:
                return _call("len" if name == "len" else f"_{name}", self.visit(given[0]))
        kinds = {self.number_of(part).kind for part in given}
        if kinds & {"list", "tuple", "none", "text", "byte"}:
            return None
        line = general(ast.Constant(node.lineno))
        if len(given) == 1 and name in ("int", "abs", "bool", "float", "round"):
            value = self.visit(given[0])
            if name == "int":
                whole = self.number_of(given[0]).kind == "int"
                return value if whole else _code("_checked_truncated(value, line)", value=value, line=line)
            if name == "round":
                if kinds <= {"int", "bool"}:
                    return call("_int", value)
                return _code("_checked_rounded(value, line)", value=value, line=line)
            if kinds == {"bool"}:
                return value if name == "bool" else _code("_int(v) * 1.0" if name == "float" else "_int(v)", v=value)
            return call(name, value)
        if len(given) > 1 and name in ("min", "max"):
            return call(
                name,
                *(
                    call("_int", self.visit(part)) if self.number_of(part).kind == "bool" else self.visit(part)
                    for part in given
                ),
            )
        return None

    def _own_function(self, name: str, node: ast.Call) -> Any:
        """A call of a function of the author's file, which may have the name of a builtin."""
        target = self.known[name]
        own = (self.known.get("__name__"), self.program.plan.owner.__module__)  # of a bot, and of its game
        if not isinstance(target, types.FunctionType) or target.__module__ not in own:
            self.refuse(node, f"{name}() is not a function of this file", plays=True)
        first = node.args[0] if node.args else None
        game = self.bot and first is not None and self._is_this(first)
        given = self._bound(node, target, 0)[1 if game else 0 :]
        self._check_given(given)
        translated = [self.visit(part) for part in given]
        return _call(self.program.helper(target, game=game), *(_PARAMETERS if game else ()), *translated)

    def _bound(self, node: ast.Call, function: types.FunctionType, left_out: int) -> list[ast.expr]:
        try:
            return bound(node, function, left_out)
        except WrongCall as fault:
            self.refuse(node, str(fault), plays=fault.plays)

    def _check_given(self, given: list[ast.expr]) -> None:
        for part in given:
            if self.number_of(part).kind in ("none", "text"):
                self.refuse(part, f"the lab compiles numbers as arguments, not {ast.unparse(part)}", plays=True)

    def _method_call(self, holder: Holder, name: str, node: ast.Call) -> Any:
        if holder.part is None and name == "redraw":
            self.refuse(node, f"{name}() is called by the lab only: write a method of another name")
        if name in _SIGNATURES and (holder.part is None or name == "below"):
            self._order(name, node)
        if name == "below":
            return self._below(holder, node)
        if isinstance(holder.part, Table) and name in ("effect_number", "effect_count"):
            return self._effect(holder.part, node)
        if holder.part is not None and name in ("below_of", "serve", "draw_kind"):
            return self._draw_of_part(holder.part, name, node)
        if holder.part is not None and name == "shuffle_first":
            array, count = (self.visit(argument) for argument in node.args)
            return _call("_shuffle", "_state", _stream(holder.part.called), _code("a[:n]", a=array, n=count))
        if holder.part is not None and name == "shuffle_part":
            field = self._field_of(node.args[0])
            assert field is not None
            seat, count = (self.visit(argument) for argument in node.args[1:])
            array = _code("a[s][:n]", a=_attribute("_state", field[0]), s=seat, n=count)
            stream = _code("stream + seat * _seat_streams", stream=_stream(holder.part.called), seat=seat)
            return _call("_shuffle", "_state", stream, array)
        if holder.part is None and name in _GAME_CALLS:
            return _GAME_CALLS[name](self, node)
        if name in holder.loops:
            self.refuse(node, f"{name}() is for loops: for card in {ast.unparse(node)}", plays=True)
        if holder.part is None and name in self.program.plan.choices:
            self.refuse(node, f"{name} is a decision and cannot be called: {self.this}.ask({self.this}.{name}, seat)")
        if name not in holder.methods or name == "redraw":
            what = holder.part.called if holder.part else "the game"
            owner = type(holder.part) if holder.part else self.program.plan.owner
            self.refuse(
                node, f"{what} has no method '{name}'. {nearest(name, holder.methods)}", plays=hasattr(owner, name)
            )
        if self.bot and holder.part is None and not {f"game__{name}"} & {*self.program.functions, *self.program.plain}:
            self.refuse(node, f"the lab cannot compile {name}(), which only texts of the rules call", plays=True)
        if holder.part is None and self.program.asks(name):
            return _call(f"{holder.prefix}{name}", *_PARAMETERS)  # its arguments are in its frame
        given = self._bound(node, holder.methods[name], 1)
        self._check_given(given)
        if holder.part is None:
            self._check_call(node, name, given)
        return _call(f"{holder.prefix}{name}", *_PARAMETERS, *map(self.visit, given))

    def _effect(self, table: Table, node: ast.Call) -> Any:
        """A number of a card's effects, or how many it has."""
        column, card, *places = node.args
        name = f"{table.called}_{column.value}_{'effects' if places else 'steps'}"  # type: ignore[attr-defined]
        numbers = [_card_of(table, self.visit(card)), *map(self.visit, places)]
        return _number(ast.Subscript(_attribute("_cards", name), ast.Tuple(numbers, ast.Load()), ast.Load()))

    def _check_call(self, node: ast.Call, name: str, given: list[ast.expr]) -> None:
        """Refuses what a method of the game cannot take from, or return to, compiled code."""
        if name in self.program.partial and not name.startswith("may_") and not self._is_ignored(node):
            nothing = name in self.program.nothing
            if nothing or id(node) not in self.truths:
                why = "returns nothing" if nothing else "returns nothing on some paths"
                self.refuse(
                    node, f"{name}() {why}, and its value is used here. Return a number on each path", plays=True
                )
        if name in self.program.tuples and not self._is_ignored(node):
            if self.bot and f"game__{name}" in self.program.plain:
                self.refuse(node, f"{name}(), which the lab cannot compile, returns several numbers", plays=True)
            self.program.takers[self.name, name] = f"{self.file}, line {node.lineno}"
        for part in given:
            if self.number_of(part).kind in ("list", "tuple"):
                self.refuse(
                    part,
                    f"the lab compiles numbers as arguments of a method; name the field in {name}() itself",
                    plays=True,
                )

    def _is_ignored(self, node: ast.Call) -> bool:
        return id(node) in self.ignored

    def _order(self, name: str, node: ast.Call) -> None:
        """Puts the arguments of a method of the lab in order."""
        names, least = _SIGNATURES[name]
        given = dict(zip(names, node.args, strict=False))
        fits = len(node.args) <= len(names)
        for keyword in node.keywords:
            fits = fits and keyword.arg in names and keyword.arg not in given
            given[str(keyword.arg)] = keyword.value
        written = [one for one in names if one in given]
        if not fits or len(written) < least or written != list(names[: len(written)]):
            self.refuse(node, f"{name}() takes {', '.join(names)}: {self.this}.{name}({', '.join(names)})")
        node.args, node.keywords = [given[one] for one in written], []

    def _below(self, holder: Holder, node: ast.Call) -> Any:
        n = self._whole(node.args[0])
        if self.redraws or self.bot:
            return _call("_redraw_below" if self.redraws else "_bot_below", "_state", n)
        return _call("_below", "_state", _stream(holder.part.called if holder.part else "chance"), n)

    def _draw_of_part(self, part: Any, name: str, node: ast.Call) -> Any:
        """A draw of a component of the shelf."""
        given, stream = [self.visit(argument) for argument in node.args], _stream(part.called)
        if name == "draw_kind":
            return _call("_draw_kind", "_state", stream, *given)
        of_seat = "stream + seat * _seat_streams"
        if name == "below_of":
            return _code(f"_below(_state, {of_seat}, n)", stream=stream, seat=given[0], n=given[1])
        order, left = f"_state.{part.called}_order", f"_state.{part.called}_left"
        if not given:
            pile = f"{order}, _int({left}), _cards.{part.called}_item"
            return _code(f"_serve(_state, stream, {pile}) if _state.forced_n > 0 else 0", stream=stream)
        pile = f"{order}[seat], _int({left}[seat]), _cards.{part.deck.called}_item"
        called = f"_serve(_state, {of_seat}, {pile}) if _state.forced_n > 0 else 0"
        return _code(called, stream=stream, seat=given[0])

    def _whole(self, node: ast.expr) -> Any:
        """A number that has to be whole, translated."""
        made = self.visit(node)
        if self.number_of(node).kind == "int":
            return made
        return call("_checked_whole", made, ast.Constant(node.lineno))

    def _ask(self, node: ast.Call) -> Any:
        asked = self._own(node.args[0] if node.args else None)
        choices = self.program.plan.choices
        if asked not in choices:
            self.refuse(node, f"ask() takes a decision: {self.this}.ask({self.this}.{next(iter(choices))}, seat)")
        seat: Any = _code("_int(_state.seat)")
        if len(node.args) > 1:
            given = node.args[1]
            seat = self.within(self.visit(given), self.number_of(given), HEADER_LIMITS["seat"], node.lineno)
        return _call("_ask", "_state", self._decision(asked), seat)

    def _is_forced(self, node: ast.Call) -> Any:
        return _call("_is_forced", *_PARAMETERS)

    def _end(self, node: ast.Call) -> Any:
        if not (node.args and isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str)):
            self.refuse(node, f"end() takes the name of an ending: {self.this}.end('goal')")
        number = ast.Constant(self.program.endings.index(node.args[0].value))
        if len(node.args) == 1:
            return _call("_end", "_state", number)
        return _call("_end_with", "_state", number, self._whole(node.args[1]))

    def _rule(self, node: ast.Call) -> Any:
        if not (node.args and isinstance(node.args[0], ast.Constant)):
            self.refuse(node, f"rule() takes an ID: {self.this}.rule('R-1')")
        return self._counted(str(node.args[0].value))

    def _counted(self, rule: str) -> ast.Call:
        return _call("_count_rule", "_state", f"_rule_{self.program.rule_number(rule)}")

    def _roll(self, node: ast.Call) -> Any:
        sides: Any = node.args[0]
        if isinstance(sides, ast.Constant) and type(sides.value) is int:
            self.program.dice.append(sides.value)
        elif isinstance(sides, ast.Attribute) and sides.attr in self.program.plan.knobs:
            self.program.dice.append(sides.attr)
        return _code("_below(_state, stream, sides) + 1", stream=_stream("dice"), sides=self._whole(sides))

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
        default = node.keywords[0].value if node.keywords else None
        if len(given.generators) != 1 or (
            node.keywords
            and (kind not in ("max", "min") or len(node.keywords) > 1 or node.keywords[0].arg != "default")
        ):
            self.refuse(
                node, f"the lab compiles {kind}() with one `for` and, for max() and min(), `default=`", plays=True
            )
        if default is not None and not is_simple(default):
            self.refuse(node, "the lab compiles `default=` with a number or a field", plays=True)
        loop = given.generators[0]
        targets = {n.id for n in ast.walk(loop.target) if isinstance(n, ast.Name)}
        inner_names = [n for n in ast.walk(given) if isinstance(n, ast.Name)]
        outer = {n.id for n in ast.walk(loop.iter) if isinstance(n, ast.Name)}
        if any(isinstance(n, ast.NamedExpr) for n in ast.walk(given)) or targets & outer:
            self.refuse(node, "the lab compiles a loop inside a call whose names are its own", plays=True)
        deeper = {
            n.id
            for part in ast.walk(given)
            if isinstance(part, ast.comprehension) and part is not loop
            for n in ast.walk(part.target)
            if isinstance(n, ast.Name)
        }
        if deeper & (self.locals | targets):
            self.refuse(node, "the lab compiles loops inside a call with a name of its own for each", plays=True)
        free = sorted({n.id for n in inner_names if n.id in self.locals} - targets)
        if default is not None:
            free = sorted(
                {*free, *(n.id for n in ast.walk(default) if isinstance(n, ast.Name) and n.id in self.locals)}
            )
        value = ast.unparse(given.elt)
        before, inside, after = {
            "sum": ("_sum = 0", f"_sum += {value}", "return _sum"),
            "any": ("pass", f"if {value}:\n    return True", "return False"),
            "all": ("pass", f"if not ({value}):\n    return False", "return True"),
        }.get(kind, ("_some = False\n_best = 0", _BEST.format(value, ">" if kind == "max" else "<"), "return _best"))
        if kind in ("max", "min"):
            empty = f"return {ast.unparse(default)}" if default else f"raise ValueError('{kind}() of nothing')"
            after = f"if not _some:\n    {empty}\n{after}"
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
        inner.truths, inner.ignored, inner.answers, inner.tests = set(), set(), False, False
        inner.written = dict(self.written)
        inner.widths = {known: number for known, number in self.widths.items() if known in free}
        inner.options = self.options & set(free)
        parameters = _PARAMETERS if self.this else ()
        inner.translate(tree, [], parameters)
        return _call(name, *parameters, *free)

    # --- Texts -------------------------------------------------------------------------

    def visit_Compare(self, node: ast.Compare) -> Any:
        sides = [node.left, *node.comparators]
        if any(isinstance(op, ast.Is | ast.IsNot) for op in node.ops):
            none = any(isinstance(side, ast.Constant) and side.value is None for side in sides)
            self.refuse(node, "compare numbers with == and !=; `is` asks for the same object", plays=none)
        if any(isinstance(op, ast.In | ast.NotIn) for op in node.ops):
            return self._membership(node)
        texts = [side for side in sides if is_text(side)]
        columns = [self._column_of(side.value) if isinstance(side, ast.Subscript) else None for side in sides]
        if isinstance(node.ops[0], ast.Eq | ast.NotEq) and (
            texts or (columns[0] is not None and columns[0] == columns[-1])
        ):
            self.compared |= {id(side) for side in sides}
        if not texts:
            if any(self._own(side) == "ending" for side in sides):
                self.refuse(
                    node, "compare self.ending with an ending in quotes; self.over is whether the game has ended"
                )
            return self._compared_numbers(node, sides)
        others = [side for side in sides if not is_text(side)]
        if len(sides) != 2 or len(others) != 1 or not isinstance(node.ops[0], ast.Eq | ast.NotEq):
            self.refuse(node, "compare one value with one text: option == 'hold'", plays=True)
        if self._own(others[0]) == "ending":
            return self._ended(node, texts[0])
        number = self._text_number(others[0], texts[0])
        return ast.Compare(self.visit(others[0]), node.ops, [number])

    def _compared_numbers(self, node: ast.Compare, sides: list[ast.expr]) -> Any:
        kinds = {self.number_of(side).kind for side in sides if id(side) not in self.compared}
        tuples = all(isinstance(side, ast.Tuple) for side in sides)
        if kinds & {"list", "none", "tuple", "text"} and not tuples:
            if "text" in kinds and all(self.number_of(side).kind == "text" for side in sides):
                self.refuse(node, "compare a choice with one of its options in quotes", plays=True)
            self.refuse(node, "the lab compiles comparisons of single numbers", plays=True)
        if tuples and len({len(side.elts) for side in sides if isinstance(side, ast.Tuple)}) > 1:
            self.refuse(node, "the lab compares tuples of the same length", plays=True)
        return self.generic_visit(node)

    def _membership(self, node: ast.Compare) -> Any:
        """`option in ("a", "b")` and `number in self.numbers`."""
        within = node.comparators[0]
        if len(node.ops) > 1:
            self.refuse(node, "the lab compiles `in` on its own", plays=True)
        negated = isinstance(node.ops[0], ast.NotIn)
        field = self._field_of(within)
        made: ast.expr
        if field and not field[1].is_flag:
            if self.number_of(node.left).kind in ("list", "tuple", "none", "text"):
                self.refuse(node, "the lab looks for numbers in a list", plays=True)
            value = self.visit(node.left)
            made = _call("_checked_has", _in_a_row(*field), value)
        elif (
            isinstance(within, ast.Tuple) and within.elts and is_simple(node.left) and all(map(is_simple, within.elts))
        ):
            tests: list[ast.expr] = [
                self.visit(ast.copy_location(ast.Compare(copy.deepcopy(node.left), [ast.Eq()], [part]), node))
                for part in within.elts
            ]
            made = tests[0] if len(tests) == 1 else ast.BoolOp(ast.Or(), tests)
        else:
            self.refuse(
                node,
                f"the lab compiles `in` for a field and for values that are written out, not for {ast.unparse(within)}",
                plays=True,
            )
        return ast.UnaryOp(ast.Not(), made) if negated else made

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
        if not self.bot:
            answered = self.program.answers.of(self.method, other, self.written)
            if answered:
                return self._answered(answered, text)
        if self._field_of(other if not isinstance(other, ast.Subscript) else other.value):
            self.refuse(
                text,
                f"{ast.unparse(other)} holds a number, never the text '{value}'. "
                "Keep the option's number and compare it with a number",
            )
        if isinstance(other, ast.Name):
            known = {name for choice in self.program.plan.choices.values() for name in choice.names}
            decks = self.program.plan.decks
            if value not in known and any(value in column_codes(deck, c) for deck in decks for c in deck.columns):
                why = f"{other.id} may be a text of a card table. Compare the table's column itself with '{value}'"
                self.refuse(text, why, plays=True)
            if other.id not in self.options:
                self.refuse(
                    text,
                    f"{other.id} may hold a number that is not an option, and a number is never the text "
                    f"'{value}'. Compare the option itself, where it is chosen",
                )
            return self._option(text, value)
        self.refuse(
            text, f"the text '{value}' is compared with {ast.unparse(other)}, which is not an option", plays=True
        )

    def _answered(self, answered: set[str], text: Any) -> ast.expr:
        """The number of a named option of the decision that a value answers, one of those `answered`."""
        choices, name = self.program.plan.choices, text.value
        numbers = {choices[decision].names[name] for decision in answered if name in choices[decision].names}
        if not numbers:
            known = sorted({option for decision in answered for option in choices[decision].names})
            self.refuse(text, f"unknown option '{name}'. {nearest(name, known)}")
        if len(numbers) > 1:
            self.refuse(
                text, f"'{name}' is an option of {' and '.join(sorted(answered))}, and has not the same place in both. "
                "Compare the answer in the method that asks"
            )  # fmt: skip
        return ast.Constant(numbers.pop())

    def _option(self, node: ast.AST, name: str) -> Any:
        """The number of a named option of the pending decision."""
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
        kind = self.number_of(node.value).kind if node.value is not None else "int"
        if kind in ("list", "none") or (kind == "tuple" and not isinstance(node.value, ast.Tuple)):
            self.refuse(node, f"the lab compiles methods that return numbers, not {ast.unparse(node)}", plays=True)
        if kind == "float" and self.name in ("game__score", "game__tie_break"):
            method = self.name.removeprefix("game__")
            self.refuse(
                node,
                f"{method}() returns a fraction, and results are whole numbers: divide with //, or round "
                "with int() or round()",
            )
        if self.bot and node.value is not None:
            node.value = self._answer(node.value)
            return node
        return self.generic_visit(node)

    def _answer(self, node: Any) -> Any:
        if is_text(node):
            return self._option(node, node.value)
        if isinstance(node, ast.IfExp):
            self._check_truth(node.test)
            return ast.IfExp(self.visit(node.test), self._answer(node.body), self._answer(node.orelse))
        known = self.number_of(node)
        if not self.answers or known.is_whole:
            return self.visit(node)
        if known.kind == "float":
            self.refuse(node, "an option is a whole number, and this is a fraction: divide with //")
        return call("_checked_whole", self.visit(node), ast.Constant(getattr(node, "lineno", 0)))


#: Parameters of the lab's methods, and how many of them must be given.
_SIGNATURES: dict[str, tuple[tuple[str, ...], int]] = {
    "ask": (("decision", "seat"), 1),
    "end": (("ending", "winner"), 1),
    "rule": (("rule",), 1),
    "roll": (("sides",), 1),
    "next_seat": (("seat",), 0),
    "can": (("option",), 1),
    "below": (("n",), 1),
}
_GAME_CALLS: dict[str, Callable[[Translator, ast.Call], ast.expr]] = {
    "ask": Translator._ask,
    "put_question": Translator._ask,
    "is_forced": Translator._is_forced,
    "end": Translator._end,
    "rule": Translator._rule,
    "roll": Translator._roll,
    "next_seat": Translator._next_seat,
    "can": Translator._can,
}


def _shape_of(value: Any) -> Any:
    """The nesting of a tuple of numbers: equal for tuples that compiled code can tell apart by place only."""
    return tuple(_shape_of(one) for one in value) if isinstance(value, tuple) else type(value).__name__


def column_codes(deck: Table, column: str) -> list[str]:
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


def _card_of(deck: Table, place: ast.expr) -> Any:
    """A card that is looked up in its table: NONE is not its last card, and the room for more cards has none."""
    return _code(f"_card(place, _int(_cards.{deck.called}_size))", place=place)


def _in_a_row(name: str, field: Field) -> Any:
    """All numbers of a list or a board."""
    return _code(f"_state.{name}.ravel()" if len(field.shape) > 1 else f"_state.{name}")


def _call(name: str, *arguments: ast.expr | str) -> ast.Call:
    """A call; arguments may be given as source. Literal numbers get 64 bits in calls of the author's functions."""
    return call(name, *(_code(argument) if isinstance(argument, str) else argument for argument in arguments))


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


def _flat(value: Any) -> Iterable[Any]:
    """The numbers of a tuple, and of those inside it."""
    if isinstance(value, tuple):
        for entry in value:
            yield from _flat(entry)
    else:
        yield value


def _pairs(target: ast.expr, value: ast.expr) -> Iterable[tuple[str, ast.expr | None]]:
    """The names of an assignment, each with its value if it is written out."""
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Tuple | ast.List):
        values = value.elts if isinstance(value, ast.Tuple) else []
        for place, part in enumerate(target.elts):
            if isinstance(part, ast.Name):
                yield part.id, values[place] if len(values) == len(target.elts) else None
