"""The compiled functions of a game's class: its author's methods and the functions of the lab's contract."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from simlab.author import plain, runtime
from simlab.author.base import Game as GameClass
from simlab.author.base import per_class
from simlab.author.contract import source_of_contract
from simlab.author.effects import MOST_ARGUMENTS, MOST_STEPS
from simlab.author.shelf import Table
from simlab.author.translate import Program
from simlab.compiler import checked_kernel
from simlab.spec.bots import Trait

LABEL = 32  #: bytes of a card's name


@per_class
def program_of(owner: type[GameClass]) -> Program:
    """The translated functions of a class."""
    return Program(owner.blueprint())


@per_class
def kernels_of(owner: type[GameClass]) -> dict[str, Any]:
    """The namespace in which the game's functions live, compiled on first use."""
    plan, program = owner.blueprint(), program_of(owner)
    names: dict[str, Any] = runtime.NAMES | {"__name__": owner.__module__}
    names |= {f"_rule_{number}": np.int64(number) for number in range(len(program.rules))}
    names |= {f"_stream_{name}": np.int64(plan.stream_place(name) + 1) for name in plan.common_streams}
    names |= {f"_stream_{name}": np.int64(plan.stream_place(name, 0) + 1) for name in plan.seat_streams}
    names["_seat_streams"] = np.int64(len(plan.seat_streams))
    names |= program.constants
    _define(program, names)
    for name in program.plain:
        plain.add_method(program, names, name)
    plain.run_source(source_of_contract(plan, program), names)
    return names


def _define(program: Program, names: dict[str, Any]) -> None:
    """Makes kernels of the translated functions that are not yet known, with the line numbers of the author's file.

    They check indices, those of the shelf too, because a wrong number may get there first: `self.hand.add(seat, 99)`.
    """
    for name, (tree, file) in program.functions.items():
        if name not in names:
            exec(compile(ast.Module([tree], []), file, "exec"), names)
            names[name] = checked_kernel(names[name], inlined=name in program.inlined)


def bot_kernel(
    owner: type[GameClass],
    tree: ast.FunctionDef,
    file: str,
    traits: Mapping[str, Trait],
    known: Mapping[str, Any] | None = None,
    options: Iterable[str] = (),
) -> Callable[..., Any]:
    """A bot, a function of the game and its traits, as a kernel.

    Args:
        known: the globals of the bot; by default those of the game's file. options: names that hold options.
    Raises:
        CannotCompile: the bot runs in plain Python only. InputError: it cannot be used.
    """
    program, names = program_of(owner), kernels_of(owner)
    called = program.bot(tree, file, traits, known, options)
    names |= {key: value for key, value in program.constants.items() if key not in names}
    _define(program, names)
    made: Callable[..., Any] = names[called]
    return made


def cards_type(decks: list[Table]) -> np.dtype[np.void]:
    """Type of the record of the card tables."""
    fields: list[tuple[Any, ...]] = [("none", np.int64)]
    for deck in decks:
        fields.append((f"{deck.called}_size", np.int64))
        fields.append((f"{deck.called}_item", np.int64, (deck.capacity,)))
        if deck.file:
            fields.append((f"{deck.called}_label", np.uint8, (deck.capacity, LABEL)))
        fields += [(f"{deck.called}_{column}", np.int64, (deck.capacity,)) for column in deck.columns]
        for column in deck.effect_columns:
            fields.append((f"{deck.called}_{column}_steps", np.int64, (deck.capacity,)))
            fields.append(
                (f"{deck.called}_{column}_effects", np.int64, (deck.capacity, MOST_STEPS, 1 + MOST_ARGUMENTS))
            )
    return np.dtype(fields, align=True)
