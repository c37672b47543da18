"""The uses of a class's cards and places (`Game.items`), and the number of pieces that it needs (`Game.components`).

A card, place, region or kind counts as used when a seat chooses it in a decision; a card also counts if it is in a
tableau or a seat's own deck at the end. Cards with the same name are one item.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from simlab.author.base import Blueprint
from simlab.author.maps import Map
from simlab.author.shelf import Bag, Component, Places, Row, Table
from simlab.spec import components as spec
from simlab.spec.card_tables import Tables

USED: Final = "used_items"  #: field of the record: for each use and item, the seats as bits


@dataclass(frozen=True)
class Use:
    """One use of the items of a component.

    Attributes:
        name: name of the decision, or of the component in which a card lies at the end.
        items: the component whose items are used. part: where they lie at the end; None for a decision.
        offset: where the use's items begin in the record's field, for a decision.
    """

    name: str
    items: Component
    part: Component | None = None
    offset: int = 0

    @property
    def size(self) -> int:
        """Number of items; for a deck, including the cards that a designer may add."""
        return self.items.capacity if isinstance(self.items, Table) else self.items.options

    @property
    def deck(self) -> str:
        """Name of the deck if the items are its cards; "" for other items."""
        return self.items.called if isinstance(self.items, Table) else ""


class Uses:
    """The items of a class and their uses.

    Attributes:
        firsts: name of a component -> number of its first item. count: number of items.
            marks: size of the record's field. names: names of the uses; the first of several, `used`, is any use.
    """

    def __init__(self, plan: Blueprint, players: int) -> None:
        self.plan, self.count, self.marks = plan, 0, 0
        self.firsts: dict[str, int] = {}
        self.uses: list[Use] = []
        most = 62 // players - 1  # bits per number
        for use in list(self._found())[:most]:
            self.uses.append(use)
            if use.items.called not in self.firsts:
                self.firsts[use.items.called] = self.count
                self.count += use.size
        words = [use.name.replace("_", " ") for use in self.uses]
        self.names = (*(["used"] if len(words) > 1 else []), *words)

    def _found(self) -> Iterator[Use]:
        for name, chosen in self.plan.choices.items():
            items = chosen.component.deck if isinstance(chosen.component, Row) else chosen.component
            if isinstance(items, Table | Places | Map | Bag):
                use = Use(name, items, None, self.marks)
                self.marks += use.size
                yield use
        for name, part in self.plan.components.items():
            if part.whose:
                yield Use(name, part.parts["deck"], part)

    def of_decision(self, name: str) -> Use | None:
        """The use of the items that a decision chooses; None if it has none."""
        return next((use for use in self.uses if use.name == name and use.part is None), None)

    def numbered(self) -> list[tuple[Use, int]]:
        """The uses, each with its number among the names."""
        return [(use, number) for number, use in enumerate(self.uses, len(self.uses) > 1)]

    def labels(self, tables: Tables) -> list[tuple[str, str]]:
        """(kind, name) of each item by number; ("", "") for a further card of the same name."""
        found: list[tuple[str, str]] = []
        for part in (self.plan.components[name] for name in self.firsts):
            labels = card_labels(part, tables) if isinstance(part, Table) else list(getattr(part, "labels", []))
            kind = (part.table or part.called) if isinstance(part, Table) else part.called
            named = [(kind.replace("_", " "), label) for label in labels]
            known = [pair if named.index(pair) == place else ("", "") for place, pair in enumerate(named)]
            found += known + [("", "")] * (Use("", part).size - len(known))
        return found

    def of_game(self, kernel: Callable[..., Any]) -> spec.Items | None:
        """The items for the contract; None for a game without items."""
        return spec.Items(self.count, self.labels, self.names, kernel) if self.uses else None


def card_labels(deck: Table, tables: Tables) -> list[str]:
    """The names of a deck's cards, from the tables in play."""
    return (
        [str(card[deck.columns[0]]) for card in deck.each_row(tables[deck.table])] if deck.file else list(deck.labels)
    )


def counts(plan: Blueprint) -> Iterator[tuple[spec.Component, str]]:
    """The pieces to count, each with the source of the call that counts them."""
    for called, part in plan.components.items():
        for number, (text, printed, counting) in enumerate(part.counted()):
            name, words = f"{called}_{number}" if number else called, text.format(called.replace("_", " "))
            method, _, argument = counting.partition(" ")
            call = f"{called}__{method}(state, knobs, cards{f', _int({argument})' if argument else ''})"
            yield spec.Component(name, words, printed), call


def components_of(plan: Blueprint, kernel: Callable[..., Any]) -> spec.Components | None:
    """The components for the contract; None for a game without pieces to count."""
    kinds = tuple(kind for kind, _ in counts(plan))
    return spec.Components(kinds, kernel) if kinds else None
