"""Pieces of a game that are tracked: cards and other items, and components in use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from simlab.spec.card_tables import Tables
from simlab.spec.record import Kernel


@dataclass(frozen=True)
class Items:
    """Items that a game tracks individually, such as its cards: which seat used each item, and for which purpose.

    Attributes:
        count: bound of the items' numbers. names: (kind, name) of each item by number, as ("Outsider", "Tall Albert"),
            from the tables in play. The kind is "" for a number without an item in these tables; reports leave it out.
        uses: names of the uses of an item; together with the seats at most 62 pairs.
        kernel: item_uses(state, knobs, cards, used): for each item used in the finished game, sets in used[item]
            (int64, zeros before) the bit use * seats + seat.
    """

    count: int
    names: Callable[[Tables], Sequence[tuple[str, str]]]
    uses: tuple[str, ...]
    kernel: Kernel


@dataclass(frozen=True)
class Component:
    """A kind of piece, and how many the box holds, if given; a game may need many of them at once."""

    name: str
    help: str
    printed: int | None = None


@dataclass(frozen=True)
class Components:
    """Pieces of the box that are counted while in use (`simlab analyze time`)."""

    kinds: tuple[Component, ...]
    kernel: Kernel  #: component_values(state, knobs, cards, values): how many are in use now, int32 (kinds,)
