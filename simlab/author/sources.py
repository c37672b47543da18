"""The source of an author's class: its methods, their syntax trees, and the rules that their texts name."""

from __future__ import annotations

import ast
import copy
import re
import types
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from simlab.author.base import Game
from simlab.author.effects import CARRY_OUT, CarriedOut
from simlab.author.fields import is_label
from simlab.errors import InputError

_ID = r"[A-Z][A-Z0-9]*(?:-[A-Z0-9][A-Za-z0-9.]*)+|[A-Z]{1,3}[0-9]+[a-z]?(?:\.[0-9]+[a-z]?)*"
_RULE = re.compile(rf"({_ID})(?:\s+\(([^()]*)\))?:\s+")


class RuleText(NamedTuple):
    """A rule in a text.

    Attributes:
        about: what stands in parentheses after the ID: status, place and knobs (simlab.spec.ledger.read_about).
        line: line of the ID in its file.
    """

    id: str
    text: str = ""
    about: str = ""
    line: int = 0


def rules_in(value: Any, line: int = 0) -> list[RuleText]:
    """The rules in a text, such as a docstring: `R-1: text` or `R-1 (ruling, p. 2; goal): text`; none in another value.

    Args:
        line: the text's first line in its file.
    """
    text = value.rstrip() if isinstance(value, str) else ""
    marks = list(_RULE.finditer(text))
    if not marks or text[: marks[0].start()].strip():
        return []
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return [
        RuleText(
            mark[1], _joined(text[mark.end() : end]), _joined(mark[2] or ""), line + text.count("\n", 0, mark.start())
        )
        for mark, end in zip(marks, ends, strict=True)
    ]


def _joined(text: str) -> str:
    """A text in one line."""
    return " ".join(text.split())


def rules_of(function: types.FunctionType) -> list[RuleText]:
    """The rules in a method's docstring."""
    tree = tree_of(function)
    return rules_in(function.__doc__, tree.body[0].lineno if has_docstring(tree) else tree.lineno)


def rules_inside(function: types.FunctionType) -> Iterator[RuleText]:
    """The rules that a method counts where they take effect: `self.rule("R-1")`, or the rule as a text on its own."""
    tree = tree_of(function)
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and node is not tree.body[0]:
            yield from rules_in(node.value.value, node.lineno)
        if rule := text_given(node, "rule"):
            yield RuleText(rule, line=getattr(node, "lineno", 0))


class _Counting(ast.NodeTransformer):
    """Turns each rule's text into `self.rule("R-1")`."""

    def __init__(self, this: str) -> None:
        self.this = this

    def visit_Expr(self, node: ast.Expr) -> Any:
        rules = rules_in(node.value.value) if isinstance(node.value, ast.Constant) else []
        count = ast.Attribute(ast.Name(self.this, ast.Load()), "rule", ast.Load())
        calls = [ast.Call(count, [ast.Constant(rule.id)], []) for rule in rules]
        return [ast.copy_location(ast.Expr(call), node) for call in calls] or node


@lru_cache(maxsize=512)
def counting(function: types.FunctionType) -> Callable[..., Any]:
    """A version of a method that, in plain Python too, counts the rules in its body."""
    closed = function.__closure__ and not supers_of(function)
    if closed or not (supers_of(function) or any(rule.text for rule in rules_inside(function))):
        return function
    return counting_tree(source_of(function)[0], function)


def counting_tree(tree: ast.FunctionDef, function: types.FunctionType) -> Callable[..., Any]:
    """A function from a tree, in the module of `function`, that counts the rules in its body."""
    names: dict[str, Any] = {}
    body = tree.body[1:] if has_docstring(tree) else tree.body
    tree.decorator_list, tree.body = [], _Counting(tree.args.args[0].arg).visit(ast.Module(body, [])).body
    code = compile(ast.fix_missing_locations(ast.Module([tree], [])), function.__code__.co_filename, "exec")
    exec(code, function.__globals__, names)
    made: Callable[..., Any] = names[tree.name]
    return made


@lru_cache(maxsize=512)
def _functions(file: str, changed: float) -> dict[tuple[str, int], ast.FunctionDef]:
    """The syntax trees of a file's functions, by name and first line."""
    return {
        (node.name, min([node.lineno, *(d.lineno for d in node.decorator_list)])): node
        for node in ast.walk(ast.parse(Path(file).read_bytes(), file))
        if isinstance(node, ast.FunctionDef)
    }


def tree_of(function: types.FunctionType) -> ast.FunctionDef:
    """The syntax tree of a function, to be read only. In it, `super().move(2)` is `self.Race__move(2)`, and the effects
    of a card are played by a method (simlab.author.effects).
    """
    if text := getattr(function, "source", ""):  # made by the lab
        return next(node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef))
    supers, effects = supers_of(function), CARRY_OUT in function.__code__.co_names
    if not supers and not effects:
        return _written(function)
    tree: Any = copy.deepcopy(_written(function))
    this = tree.args.args[0].arg if tree.args.args else ""
    tree = _Supers(this, supers).visit(tree) if supers else tree
    return CarriedOut(this).visit(tree) if effects else tree  # type: ignore[no-any-return]


def _written(function: types.FunctionType) -> ast.FunctionDef:
    """The syntax tree of a function as it is in its file."""
    code = function.__code__
    try:
        known = _functions(code.co_filename, Path(code.co_filename).stat().st_mtime)
    except OSError:  # a cell of a notebook, or typed in
        raise InputError(
            f"{function.__name__} is not in a file, which the lab reads and compiles. Save it as a file (in a "
            "notebook, begin its cell with %%writefile my_game.py), and give the file: './my_game.py'."
        ) from None
    if (function.__name__, code.co_firstlineno) not in known:
        raise InputError(f"{code.co_filename}: the source of {function.__name__} cannot be found.")
    return known[function.__name__, code.co_firstlineno]


def source_of(function: types.FunctionType) -> tuple[ast.FunctionDef, str]:
    """A new syntax tree of a function, and the name of its file."""
    return copy.deepcopy(tree_of(function)), function.__code__.co_filename


def methods_of(owner: type, base: type | None = None) -> dict[str, types.FunctionType]:
    """The methods of an author's class or a component that are compiled."""
    stop, left_out = base or Game, _PLAIN_IN_GAMES if base is None else _PLAIN_IN_COMPONENTS
    found: dict[str, types.FunctionType] = {}
    for cls in reversed(owner.__mro__[: owner.__mro__.index(stop)]):
        for name, value in vars(cls).items():
            plays = not name.startswith("__") and name not in left_out and not (base is None and is_label(name))
            if isinstance(value, types.FunctionType) and plays:
                found[name] = value
    if base is None:
        for name, function in [*found.items()]:
            _find_supers(owner, name, function, found)
    return found


def _find_supers(owner: type, name: str, function: types.FunctionType, found: dict[str, types.FunctionType]) -> None:
    """Adds the replaced methods that a method calls by `super()`, as `Race__move`, and their own."""
    calls: list[Any] = []
    if _closes_over_class(function):
        calls = [node for node in ast.walk(_written(function)) if _super_call(node)]
    if not calls:
        return
    mro = owner.__mro__[: owner.__mro__.index(Game)]
    here = next(cell.cell_contents for cell in function.__closure__ or () if isinstance(cell.cell_contents, type))
    above, supers = mro[mro.index(here) + 1 :], dict[str, str]()
    for node in calls:
        called = node.func.attr
        holder = next((cls for cls in above if called in vars(cls)), None)
        value = vars(holder)[called] if holder else None
        if holder is None and hasattr(Game, called):  # a method of the lab, which plain Python alone can call so
            continue
        at = f"{function.__code__.co_filename}, line {node.lineno}: super().{called}()"
        if not isinstance(value, types.FunctionType) or holder is None:
            raise InputError(f"{at}: no class of a game that {here.__name__} extends has this method. Take it out.")
        supers[called] = key = f"{holder.__name__}__{called}"
        if key not in found:
            found[key] = value
            _find_supers(owner, key, found[key], found)
    # A copy: what super() means depends on the class of the game.
    code, names = function.__code__, function.__globals__
    found[name] = types.FunctionType(code, names, function.__name__, function.__defaults__, function.__closure__)
    found[name].__doc__ = function.__doc__
    vars(found[name])["supers"] = supers


def _closes_over_class(function: types.FunctionType) -> bool:
    return "__class__" in function.__code__.co_freevars and not getattr(function, "source", "")


def _super_call(node: Any) -> bool:
    """Whether a node is a call of a method of `super()`."""
    called = node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None
    return isinstance(called, ast.Call) and isinstance(called.func, ast.Name) and called.func.id == "super"


def supers_of(function: Callable[..., Any]) -> dict[str, str]:
    """The methods that a method calls by `super()`, with their names among the methods of the game."""
    supers: dict[str, str] = getattr(function, "supers", {})
    return supers


class _Supers(ast.NodeTransformer):
    """Turns `super().move(2)` into `self.Race__move(2)`."""

    def __init__(self, this: str, names: dict[str, str]) -> None:
        self.this, self.names = this, names

    def visit_Call(self, node: ast.Call) -> Any:
        if _super_call(node) and isinstance(node.func, ast.Attribute):
            own = ast.copy_location(ast.Name(self.this, ast.Load()), node.func)
            node.func = ast.copy_location(ast.Attribute(own, self.names[node.func.attr], ast.Load()), node.func)
        return self.generic_visit(node)


#: Methods that run only in plain Python.
_PLAIN_IN_GAMES = frozenset({"words", "check_knobs", "prepare"})
_PLAIN_IN_COMPONENTS = frozenset({
    "words", "fields", "counted", "cards_by_place", "fault", "read", "fill_in", "describe", "label_of",
    "listed", "leader", "each_row", "cell", "effect_number", "effect_count", "settle", "set_cards",
})  # fmt: skip


def more_parameters(test: types.FunctionType) -> int:
    """How many further numbers of a question a `may_` or `label_` method takes, after `self` and the option."""
    return max(test.__code__.co_argcount - 2, 0)


def self_calls(function: types.FunctionType, spoken: bool | None = None) -> Iterator[str]:
    """Names of the methods that a method calls. spoken: only those inside `say()`, or only those outside."""
    tree = tree_of(function)
    inside = {id(node) for call in say_calls(tree) for node in ast.walk(call)} if spoken is not None else set()
    for node in ast.walk(tree):
        if spoken is not None and (id(node) in inside) != spoken:
            continue
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
        ):
            yield node.func.attr


def say_calls(tree: ast.AST) -> Iterator[ast.Expr]:
    """The statements `self.say(...)` of a method, which compiled play leaves out."""
    for node in ast.walk(tree):
        called = node.value.func if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) else None
        if isinstance(called, ast.Attribute) and called.attr == "say" and isinstance(called.value, ast.Name):
            yield node  # type: ignore[misc]


def text_given(node: Any, name: str) -> str:
    """The first argument of a call of self.<name>(), if it is a text; "" for another expression."""
    called = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == name
    return str(node.args[0].value) if called and node.args and is_text(node.args[0]) else ""


def is_text(node: ast.AST) -> bool:
    """Whether an expression is a text in quotes."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def has_docstring(tree: ast.FunctionDef) -> bool:
    """Whether a function begins with a text."""
    return bool(tree.body) and isinstance(tree.body[0], ast.Expr) and is_text(tree.body[0].value)
