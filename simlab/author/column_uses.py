"""How the rules and bots of an author's file use the columns of its card tables: as numbers, as texts, or not at all.

The uses decide how a column is read. A column that a rule adds up or compares with a number holds numbers, so that a
blank cell is an error and not a text that no number ever equals. A column that no rule reads may hold any text.
"""

from __future__ import annotations

import ast
import inspect
import linecache
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from simlab.author.effects import CARRY_OUT
from simlab.spec.csv_file import column_name

_OF_NUMBERS = ("sum", "max", "min", "abs", "range", "int", "divmod", "round")
_OF_TEXTS = ("str", "repr", "print", "format")


@dataclass
class ColumnUses:
    """The uses of a deck's columns, whose names are written as `column_name` gives them.

    Attributes:
        names: all attributes that the file reads of anything, and None if its source cannot be found: then every
            column may be read.
        numbers: column -> where it is used as a number, as "line 7 of dash.py". texts: columns used as texts.
        others: columns whose cells are passed on, so that the file does not show what they are used as.
        effects: columns of effects, which `carry_out` plays.
    """

    names: set[str] | None = field(default_factory=set)
    numbers: dict[str, str] = field(default_factory=dict)
    texts: set[str] = field(default_factory=set)
    others: set[str] = field(default_factory=set)
    effects: set[str] = field(default_factory=set)

    def reads(self, column: str) -> bool:
        """Whether a rule or a bot of the file may read a column."""
        return self.names is None or column in self.names


def uses_of(owner: type, stop: type, decks: Collection[str], fields: Collection[str]) -> dict[str, ColumnUses]:
    """The uses of the columns of each deck, in the files that define a class and its bases up to `stop`.

    Args:
        decks: names of the decks with a table. fields: names of the game's fields, which hold numbers.
    """
    found = {deck: ColumnUses() for deck in decks}
    bases = owner.__mro__[: owner.__mro__.index(stop)] if decks else ()
    for file in dict.fromkeys(_file_of(base) for base in bases):
        typed = not Path(file).is_file()  # a cell of a notebook: further cells may read other columns
        try:
            tree = ast.parse("".join(linecache.getlines(file)) if typed else Path(file).read_bytes(), file)
        except (OSError, SyntaxError, ValueError):
            tree, typed = ast.Module([], []), True
        names = {column_name(node.attr) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        names |= {
            node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
        for uses in found.values():
            uses.names = None if uses.names is None or typed else uses.names | names
        _Reader(tree, Path(file).name, found, fields).read()
    return found


def _file_of(owner: type) -> str:
    """The file that defines a class; "" for one that was typed into a notebook."""
    try:
        return inspect.getfile(owner)
    except (OSError, TypeError):
        return ""


class _Reader:
    """Finds the cells that a file reads, and what it does with them."""

    def __init__(self, tree: ast.Module, file: str, found: dict[str, ColumnUses], fields: Collection[str]) -> None:
        self.tree, self.file, self.found, self.fields = tree, file, found, fields
        self.parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}

    def read(self) -> None:
        for function in ast.walk(self.tree):
            if isinstance(function, ast.FunctionDef):
                locals_ = dict(self._locals(function))
                for node in ast.walk(function):
                    for deck, column in self._cells(node, locals_):
                        kind = self._kind(node, self.parents[node], locals_)
                        self._note(self.found[deck], column, kind, node)

    def _cells(self, node: ast.AST, locals_: dict[str, list[tuple[str, str]]]) -> list[tuple[str, str]]:
        """The (deck, column) pairs that an expression may read."""
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            return locals_.get(node.id, [])
        if isinstance(node, ast.Attribute) and not isinstance(self.parents[node], ast.Subscript):
            return self._column(node)  # a whole column
        if not (isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute)):
            return []
        return self._column(node.value)

    def _column(self, node: ast.Attribute) -> list[tuple[str, str]]:
        """The (deck, column) pairs that `self.deck.cost` may name."""
        named, column = node.value.attr if isinstance(node.value, ast.Attribute) else "", column_name(node.attr)
        if named in self.found:
            return [(named, column)]
        return [(deck, column) for deck in self.found] if named == "deck" else []  # self.hand.deck.cost[card]

    def _locals(self, function: ast.FunctionDef) -> Iterator[tuple[str, list[tuple[str, str]]]]:
        """The local variables that hold nothing but cells, with their columns: `cost = self.deck.cost[card]`."""
        given: dict[str, list[list[tuple[str, str]]]] = {}
        for node in ast.walk(function):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                parent: Any = self.parents[node]
                alone = isinstance(parent, ast.NamedExpr) or getattr(parent, "targets", []) == [node]
                given.setdefault(node.id, []).append(self._cells(parent.value, {}) if alone else [])
        yield from ((name, [one for cell in cells for one in cell]) for name, cells in given.items() if all(cells))

    def _note(self, uses: ColumnUses, column: str, kind: str, node: ast.AST) -> None:
        if kind == "number":
            uses.numbers.setdefault(column, f"line {getattr(node, 'lineno', '?')} of {self.file}")
        elif kind == "effect":
            uses.effects.add(column)
            uses.texts.add(column)
        elif kind != "same":
            (uses.texts if kind == "text" else uses.others).add(column)

    def _kind(self, node: ast.AST, parent: Any, locals_: dict[str, list[tuple[str, str]]]) -> str:
        """What an expression is used as: "number", "text", "same" (compared with cells of its own column, or known by
        a local name), or "" for what its surroundings do not show.
        """
        if isinstance(parent, ast.Compare):
            others = [side for side in (parent.left, *parent.comparators) if side is not node]
            if any(_texts(other) for other in others):
                return "text"
            if any(self._number(other) for other in others):
                return "number"
            own, equal = self._cells(node, locals_), isinstance(parent.ops[0], ast.Eq | ast.NotEq)
            return "same" if equal and all(self._cells(other, locals_) == own for other in others) else ""
        if isinstance(parent, ast.BinOp):
            other = parent.right if parent.left is node else parent.left
            if isinstance(other, ast.JoinedStr) or _texts(other):
                return "text"
            return "number"
        if isinstance(parent, ast.AugAssign):
            return "number" if parent.value is node and self._number(parent.target) else ""
        if isinstance(parent, ast.Assign):
            if all(isinstance(target, ast.Name) and target.id in locals_ for target in parent.targets):
                return "same"
            return "number" if any(self._number(target) for target in parent.targets) else ""
        if isinstance(parent, ast.UnaryOp):
            return "" if isinstance(parent.op, ast.Not) else "number"
        if isinstance(parent, ast.FormattedValue):
            return "text"
        if isinstance(parent, ast.IfExp) and node is not parent.test:
            return self._kind(parent, self.parents[parent], locals_)
        if isinstance(parent, ast.GeneratorExp | ast.ListComp) and node is parent.elt:
            return self._kind(parent, self.parents[parent], locals_)
        return self._kind_of_argument(node, parent) if isinstance(parent, ast.Call) else ""

    def _kind_of_argument(self, node: ast.AST, call: ast.Call) -> str:
        if node not in call.args:
            return ""
        if isinstance(call.func, ast.Attribute) and call.func.attr == CARRY_OUT:
            return "effect"
        if isinstance(call.func, ast.Name):
            return {**dict.fromkeys(_OF_NUMBERS, "number"), **dict.fromkeys(_OF_TEXTS, "text")}.get(call.func.id, "")
        return "text" if isinstance(call.func, ast.Attribute) and call.func.attr in ("index", "join") else ""

    def _number(self, node: ast.AST) -> bool:
        """Whether an expression is certainly a number: a literal, or a field of the game."""
        if isinstance(node, ast.UnaryOp):
            return self._number(node.operand)
        if isinstance(node, ast.BinOp):
            return self._number(node.left) or self._number(node.right)
        if isinstance(node, ast.Constant):
            return isinstance(node.value, int | float) and not isinstance(node.value, bool)
        if isinstance(node, ast.Subscript):
            return self._number(node.value)
        return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in self.fields


def _texts(node: ast.AST) -> bool:
    """Whether an expression is a text in quotes, or a row of them."""
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return any(_texts(one) for one in node.elts)
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
