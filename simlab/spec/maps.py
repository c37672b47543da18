"""Hex maps: their marks and their drawing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from simlab.spec.card_tables import Tables
from simlab.spec.record import Cards, Kernel, Knobs, State

HexGround: TypeAlias = Literal["open", "blocked", "water"]


@dataclass(frozen=True)
class Hex:
    """A hex of a game's map, as the report draws it."""

    q: int  #: axial coordinate of pointy-top hexes: it grows to the east
    r: int  #: the other one: it grows to the south-east
    name: str  #: in tables
    number: int = -1  #: place in the kernel's values; -1 for a hex that is only drawn
    label: str = ""  #: text on the hex, two or three letters
    area: str = ""  #: the area that it belongs to, around which a line is drawn
    ground: HexGround = "open"  #: how it is drawn if it has no statistics

    @property
    def sign(self) -> str:
        """The hex's text on a map: its name if that is short, else its label."""
        name = self.name.removeprefix("hex ")
        return name if self.number >= 0 and len(name) <= 4 else self.label


@dataclass(frozen=True)
class HexMark:
    """A mark on every hex of a map: whether a condition holds at the end of a turn (0 or 1), or how often an event has
    happened on the hex since the game began.
    """

    name: str  #: a word, such as `overrun`
    help: str  #: such as "figures that went down"
    happens: bool = False  #: True for an event, which is counted; False for a state


@dataclass(frozen=True)
class HexContent:
    """The contents of a hex in one position, as the viewer draws them."""

    text: str = ""  #: at most six letters or digits
    owner: str = ""  #: the seat whose colour the hex gets, or `enemy` for an opponent of all seats
    help: str = ""  #: the contents in full, shown as a tooltip
    area: str = ""  #: that it belongs to now, if that changes in play; a line is drawn around it
    fill: str = ""  #: CSS colour of a hex without an owner, as "#f6dfc0"; "" for the ground's


@dataclass(frozen=True)
class HexMap:
    """A map of hexes and its marks; the report draws it, over the whole game and by turn.

    Attributes:
        count: bound of the hexes' numbers.
        hexes: the hexes, from the tables in play.
        kernel: hex_values(state, knobs, cards, values) writes values[mark, hex] (int32, zeros before), at the end of
            each turn: 0 or 1, or, for an event, how often it has happened since the game began.
        contents: (state, knobs, cards, seat) -> contents of each hex that is not empty, by its number, as the seat
            sees them (None sees all), in plain Python: the viewer uses it to draw the map of a position.
        legend: meaning of the colours and signs of `contents`, in a sentence or two; the viewer prints it below the
            map.
    """

    count: int
    hexes: Callable[[Tables], Sequence[Hex]]
    marks: tuple[HexMark, ...]
    kernel: Kernel
    contents: Callable[[State, Knobs, Cards, int | None], Mapping[int, HexContent]] | None = None
    legend: str = ""
