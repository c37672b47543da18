"""Effects of cards in words: `mill besieged 3; until red besieger` in a cell of a card table plays two methods.

A method under `@word` may be named in the column that `self.carry_out(self.deck.effect[card])` carries out, so a
designer writes new cards from the existing words in the spreadsheet. A cell holds effects joined by `;`, each a word
and its arguments.
"""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from simlab.errors import InputError, nearest

MOST_STEPS: Final = 8  #: effects in a cell
MOST_ARGUMENTS: Final = 3  #: of a word
LARGEST: Final = 1_000  #: number in a cell
CARRY_OUT: Final = "carry_out"
_MADE: Final = f"{CARRY_OUT}__"


def word(*method: Callable[..., Any], **names: Sequence[str] | Any) -> Any:
    """Marks a method that the effects of cards may name; it may ask.

        @word(colour=("red", "black"))
        def until(self, colour, seat):
            '''F-4: a side discards until a card of a colour is turned up.'''

    A parameter called `seat` takes the name of a seat; one with `names` takes one of these texts, or a label of this
    component; all others take whole numbers.
    """

    def declare(function: Any) -> Any:
        function.word = names
        return function

    return declare(method[0]) if method else declare


@dataclass(frozen=True)
class Word:
    """A method that effects may name.

    Attributes:
        parameters: the names of its parameters, each with the texts that it takes, or the component whose labels it
            takes; () for whole numbers.
    """

    name: str
    number: int
    parameters: dict[str, Any]


def words_of(owner: type, seat_names: Sequence[str]) -> dict[str, Word]:
    """The words of a class, by name."""
    found: dict[str, Word] = {}
    for name, function in inspect.getmembers(owner, lambda value: hasattr(value, "word")):
        given = function.word
        parameters = list(inspect.signature(function).parameters)[1:]
        unknown = next((key for key in given if key not in parameters), None)
        where = f"{function.__code__.co_filename}, line {function.__code__.co_firstlineno}: @word {name}"
        if unknown:
            raise InputError(f"{where}: has no parameter '{unknown}'. {nearest(unknown, parameters)}")
        if len(parameters) > MOST_ARGUMENTS:
            raise InputError(f"{where}: a word takes at most {MOST_ARGUMENTS} arguments.")
        names = {key: given.get(key, seat_names if key == "seat" else ()) for key in parameters}
        found[name] = Word(name, len(found) + 1, names)
    return found


@dataclass
class Effects:
    """A column of effects: what its cells mean. where: file and column, for messages."""

    words: Mapping[str, Word]
    where: str
    known: dict[str, list[tuple[int, ...]]] = field(default_factory=dict)

    def steps_of(self, text: str, row: str = "") -> list[tuple[int, ...]]:
        """The effects of a cell: for each the number of its word, and its arguments as numbers.

        Raises:
            InputError: an unknown word, or arguments that it does not take; the message names the cell.
        """
        if text not in self.known:
            parts = [part.split() for part in text.split(";") if part.strip()]
            at = f"{self.where}, {row}" if row else self.where
            if len(parts) > MOST_STEPS:
                raise InputError(f"{at}: {len(parts)} effects. At most {MOST_STEPS}.")
            self.known[text] = [self._step(part, at) for part in parts]
        return self.known[text]

    def _step(self, part: list[str], at: str) -> tuple[int, ...]:
        name, *arguments = part
        called = self.words.get(name)
        if called is None:
            raise InputError(f"{at}: '{name[:80]}' is not a word of the game. {nearest(name, self.words)}")
        form = " ".join([name, *(f"<{key}>" for key in called.parameters)])
        if len(arguments) != len(called.parameters):
            raise InputError(f"{at}: '{' '.join(part)[:80]}': write '{form}'.")
        return called.number, *(
            self._number(*pair, at) for pair in zip(called.parameters.items(), arguments, strict=True)
        )

    def _number(self, parameter: tuple[str, Any], given: str, at: str) -> int:
        name, texts = parameter[0], list(getattr(parameter[1], "labels", parameter[1]))
        if texts:
            if given not in texts:
                raise InputError(f"{at}: {name} '{given[:80]}' is not known. {nearest(given, texts)}")
            return texts.index(given)
        if not given.isdecimal() or not int(given) <= LARGEST:
            raise InputError(f"{at}: {name} '{given[:80]}' is not a whole number in 0..{LARGEST:,}.")
        return int(given)


# --- What the compiler reads: a method for each column, which plays the effects of a card ---------


def made_name(deck: str, column: str) -> str:
    """The method that plays the effects of a column."""
    return f"{_MADE}{deck}__{column}"


def column_of(node: ast.AST, this: str) -> tuple[str, str, ast.expr] | None:
    """The deck, the column and the card of `self.carry_out(self.deck.effect[card])`; None for another expression."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == CARRY_OUT):
        return None
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id=own)),
            args=[
                ast.Subscript(value=ast.Attribute(value=ast.Attribute(value=ast.Name(id=also), attr=deck), attr=column))
            ],
            keywords=[],
        ) if own == also == this:
            return deck, column, node.args[0].slice  # type: ignore[attr-defined]
    return None


class CarriedOut(ast.NodeTransformer):
    """Turns `self.carry_out(self.deck.effect[card])` into a call of the column's method."""

    def __init__(self, this: str) -> None:
        self.this = this

    def visit_Call(self, node: ast.Call) -> Any:
        found = column_of(node, self.this)
        if found:
            deck, column, card = found
            method = ast.Attribute(ast.Name(self.this, ast.Load()), made_name(deck, column), ast.Load())
            node = ast.copy_location(ast.Call(method, [card], []), node)
        return self.generic_visit(node)


def source_of_effects(deck: str, column: str, words: Mapping[str, Word]) -> str:
    """The method that plays the effects of a card: its words in the order of its cell."""
    read = f"self.{deck}.effect_number('{column}', card, step, {{}})"
    lines = [
        f"def {made_name(deck, column)}(self, card):",
        f"    for step in range(self.{deck}.effect_count('{column}', card)):",
        f"        word = {read.format(0)}",
    ]
    for word in words.values():
        arguments = ", ".join(read.format(place + 1) for place in range(len(word.parameters)))
        lines += [
            f"        {'el' if word.number > 1 else ''}if word == {word.number}:",
            f"            self.{word.name}({arguments})",
        ]
    return "\n".join(lines) + "\n"


def effects_method(deck: str, column: str, words: Mapping[str, Word], file: str) -> types.FunctionType:
    """`source_of_effects` as a function."""
    text, body = source_of_effects(deck, column, words), dict[str, Any]()
    exec(compile(text, file, "exec"), body)
    made: types.FunctionType = body[made_name(deck, column)]
    vars(made)["source"] = text
    return made
