"""Bots as functions, with traits that a user can set."""

from __future__ import annotations

import sys
from collections import namedtuple
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from simlab.spec.record import Kernel

MAX_TRAITS = 64  #: most named numbers of a bot


@dataclass(frozen=True)
class Trait:
    """A named number of a bot that a user can set.

    Write the default and range of a number of cards, soldiers or turns as whole numbers, `Trait(3, 1, 6, ...)`: `simlab
    optimize bot` then tries only whole numbers. Write those of a share or a weight with a decimal point, `Trait(3.0,
    1.0, 6.0, ...)`.
    """

    default: float
    low: float
    high: float
    help: str

    @property
    def whole(self) -> bool:
        """Whether its values are whole numbers."""
        return all(isinstance(number, int) for number in (self.default, self.low, self.high))


def trait_names(**declared: Trait) -> Any:
    """A bot's traits, declared once: for `@policy(traits=T)`, and for the code that reads them by name.

        T = trait_names(patience=Trait(25, 0, 40, "storms once the Besieged has no more cards than this"))
        ...
        if state.deck_len[BESIEGED] <= traits[T.patience]:

    Returns:
        A named tuple of the traits' positions in the array that the bot gets. Compiled code treats them as literals, so
        names cost nothing.
    """
    names: Any = namedtuple("names", declared)  # type: ignore[misc]  # noqa: PYI024 - its fields come at run time
    return type("TraitNames", (names,), {"_declared": dict(declared)})(*range(len(declared)))


@dataclass(frozen=True)
class Policy:
    """A bot: a function of (state, knobs, cards, traits) that returns one of the legal actions.

    Attributes:
        game: slug of the game that it plays, or "" for any game.
        seats: names of the seats it can take; empty for all.
        traits: name -> trait, in the order of the array that the function gets.
        reasons: for a bot that is a list of rules, how each rule chooses, in words; the first entry is for decisions
            that no rule decides. which: for such a bot, a function with the arguments of `function` that returns the
            position in `reasons`.
        ranks: for a learned player, ranks(state, knobs, cards, traits, outputs) fills float64 (legal actions,), higher
            for better actions, and returns whether it did. A search tries actions in this order. worth: for a learned
            player, worth(state, knobs, cards, traits) estimates a position's value to its seat. A search judges
            playouts that it cuts short by this value.
    """

    name: str
    function: Kernel
    game: str
    seats: tuple[str, ...]
    traits: dict[str, Trait]
    help: str
    module: str
    reasons: tuple[str, ...] = ()
    which: Kernel | None = None
    ranks: Kernel | None = None
    worth: Kernel | None = None


def policy(
    game: str = "",
    *,
    seats: Sequence[str] = (),
    traits: Any = None,
    name: str = "",
) -> Callable[[Kernel], Policy]:
    """Declare a bot.

    Args:
        game: slug of the game, or nothing for a bot that plays any game.
        seats: seats it can take; all by default.
        traits: the bot's named numbers, from `trait_names`; a mapping of Traits by name also works, in the order of the
            array.
        name: its name, by default the function's.
    Raises:
        ValueError: more than MAX_TRAITS traits, a default outside its range, or no docstring.
    """
    declared: dict[str, Trait] = dict(getattr(traits, "_declared", traits) or {})
    if len(declared) > MAX_TRAITS:
        raise ValueError(f"a bot has at most {MAX_TRAITS} traits")
    for key, trait in declared.items():
        if not trait.low <= trait.default <= trait.high:
            raise ValueError(f"trait {key}: default {trait.default} is outside {trait.low}..{trait.high}")

    def declare(function: Kernel) -> Policy:
        doc = (function.__doc__ or "").strip()
        if not doc and sys.flags.optimize < 2:  # PYTHONOPTIMIZE=2 removes all docstrings
            raise ValueError(f"bot {function.__name__} needs a docstring: one line on how it plays")
        return Policy(name or function.__name__, function, game, tuple(seats), declared, doc, function.__module__)

    return declare
