"""The uses of a class's cards and places (`Game.items`), and the number of pieces that it needs (`Game.components`).

A card, place, region or kind is used when a seat chooses it in a decision; in a tableau or a seat's own deck, it is
used if it is there at the end. Cards with the same name are one item.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from simlab.author.base import Blueprint
from simlab.author.maps import Map
from simlab.author.shelf import Bag, Component, Deck, Places, Row, each_card
from simlab.spec import components as spec
from simlab.spec.card_tables import Tables

USED: Final = "used_items"  #: field of the record: for each use and item, the seats as bits
ITEM: Final = "item"  #: column of a deck's record: the number of the first card of the same name
_MARK: Final = "state.{used}[{place}] = state.{used}[{place}] | (_int(1) << _int(state.seat))"
_CHOSEN: Final = """\
for item in range({size}):
    for seat in range(seats):
        if _int(state.{used}[{offset} + item]) >> seat & 1:
            used[{first} + item] |= {bits}"""
_OWNED: Final = """\
for card in range(_int(cards.{deck}_size)):
    for seat in range(seats):
        if {part}__{whose}(state, knobs, cards, _int(seat), _int(card)):
            used[{first} + _int(cards.{deck}_item[card])] |= {bits}"""


@dataclass(frozen=True)
class Use:
    """One use of the items of a component.

    Attributes:
        name: name of the decision, or of the component in which a card lies at the end.
        items: the component whose items they are. part: where they lie at the end; None for a decision.
        offset: where the use's items begin in the record's field, for a decision.
    """

    name: str
    items: Component
    part: Component | None = None
    offset: int = 0


class Uses:
    """The items of a class and their uses.

    Attributes:
        firsts: name of a component -> number of its first item. count: number of items. marks: size of the field.
        names: names of the uses. If there are several, the first is `used`, which stands for any of them.
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
                self.count += _size(use.items)
        words = [use.name.replace("_", " ") for use in self.uses]
        self.names = (*(["used"] if len(words) > 1 else []), *words)

    def _found(self) -> Iterator[Use]:
        for name, chosen in self.plan.choices.items():
            items = chosen.component.deck if isinstance(chosen.component, Row) else chosen.component
            if isinstance(items, Deck | Places | Map | Bag):
                yield Use(name, items, None, self.marks)
                self.marks += _size(items)
        for name, part in self.plan.components.items():
            if part.whose:
                yield Use(name, part.parts["deck"], part)

    def mark(self, decision: str) -> list[str]:
        """Source lines that record which item the seat to act chooses; empty if the decision has no items."""
        use = next((use for use in self.uses if use.name == decision and use.part is None), None)
        if use is None:
            return []
        chosen, deck = self.plan.choices[decision], use.items.called
        if isinstance(chosen.component, Row):
            item, slot = f"_int(cards.{deck}_{ITEM}[chosen])", f"state.{chosen.component.called}_slots[action]"
            lines = [f"chosen = _int({slot})", "if chosen >= 0:"]
        else:
            item = f"_int(cards.{deck}_{ITEM}[action])" if isinstance(use.items, Deck) else "action"
            lines = ["if True:"]
        inside = f"    {_MARK.format(used=USED, place=f'{use.offset} + {item}')}"
        return [f"if action < {chosen.counted}:", *(f"    {line}" for line in [*lines, inside])]

    def kernel(self) -> list[str]:
        """Lines of item_uses(state, knobs, cards, used)."""
        lines = ["seats = _int(state.stream_seats)"]
        for number, use in enumerate(self.uses, len(self.uses) > 1):
            part, whose = (use.part.called, use.part.whose) if use.part else ("", "")
            bits = f"_int(1) << ({number} * seats + seat)" + (" | _int(1) << seat" if number else "")
            form = _CHOSEN if use.part is None else _OWNED
            lines += form.format(
                used=USED, size=_size(use.items), offset=use.offset, first=self.firsts[use.items.called], bits=bits,
                deck=use.items.called, part=part, whose=whose,
            ).splitlines()  # fmt: skip
        return lines

    def labels(self, tables: Tables) -> list[tuple[str, str]]:
        """(kind, name) of each item by number; ("", "") for a further card of the same name."""
        found: list[tuple[str, str]] = []
        for part in (self.plan.components[name] for name in self.firsts):
            labels = card_labels(part, tables) if isinstance(part, Deck) else list(getattr(part, "labels", []))
            kind = (part.table or part.called) if isinstance(part, Deck) else part.called
            named = [(kind.replace("_", " "), label) for label in labels]
            known = [pair if named.index(pair) == place else ("", "") for place, pair in enumerate(named)]
            found += known + [("", "")] * (_size(part) - len(known))
        return found

    def of_game(self, kernel: Callable[..., Any]) -> spec.Items | None:
        """The items for the contract; None for a game without items."""
        return spec.Items(self.count, self.labels, self.names, kernel) if self.uses else None


def _size(part: Component) -> int:
    return part.capacity if isinstance(part, Deck) else int(getattr(part, "options", 0))


def card_labels(deck: Deck, tables: Tables) -> list[str]:
    """The names of a deck's cards, from the tables in play."""
    return [str(card[deck.columns[0]]) for card in each_card(tables[deck.table])] if deck.file else deck.labels


def _counted(plan: Blueprint) -> Iterator[tuple[str, spec.Component, str]]:
    for called, part in plan.components.items():
        words = called.replace("_", " ")
        for number, (text, printed, method) in enumerate(part.counted()):
            kind = spec.Component(f"{called}_{number}" if number else called, text.format(words), printed)
            yield called, kind, method


def counts_kernel(plan: Blueprint) -> list[str]:
    """Lines of component_values(state, knobs, cards, values)."""
    lines = []
    for place, (called, _, method) in enumerate(_counted(plan)):
        name, _, argument = method.partition(" ")
        given = f", _int({argument})" if argument else ""
        lines.append(f"values[{place}] = {called}__{name}(state, knobs, cards{given})")
    return lines


def components_of(plan: Blueprint, kernel: Callable[..., Any]) -> spec.Components | None:
    """The components for the contract; None for a game without pieces to count."""
    kinds = tuple(kind for _, kind, _ in _counted(plan))
    return spec.Components(kinds, kernel) if kinds else None
