"""Blocks: an answer as paragraphs, tables, charts and commands, before any renderer sees them.

The module `words` of a question yields blocks once; simlab.present.terminal, .html and .notebook render them. Blocks
hold values, not formatted text: simlab.present.text formats each value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, Generic, Literal, Self, TypeVar

from simlab.present.estimate import Estimate, Mood

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Row = TypeVar("Row")


class Badge(str):
    """A word in a colour. kind: `met` is green, `broken` red, any other yellow."""

    __slots__ = ("kind",)
    kind: str

    def __new__(cls, text: str, kind: str) -> Self:
        made = super().__new__(cls, text)
        made.kind = kind
        return made


Value = Estimate | str | int | float | bool | tuple[str, ...] | None  #: content of a table cell


@dataclass(frozen=True)
class GamesLink:
    """A link from a number to the games behind it.

    Attributes:
        count: number of games the command lists, which is the number of games that the value counts.
        command: command line that lists them.
        what: description of the games, if a chart has several links.
    """

    count: int
    command: str
    what: str = ""


@dataclass(frozen=True)
class Paragraph:
    """Sentences. Text between backquotes is code. kind: `lead` is the answer itself, `note` is on methods, `warning` on
    limits of the answer, and `about` holds the reader's own words on the run.
    """

    text: str
    kind: Literal["plain", "lead", "note", "warning", "about"] = "plain"


@dataclass(frozen=True)
class Command:
    """A command line that the reader can run."""

    label: str  #: its effect, in a few words
    line: str


@dataclass(frozen=True)
class Link:
    """A link to another page of the same folder."""

    label: str
    file: str


@dataclass(frozen=True)
class Column(Generic[Row]):
    """A column of a table. read: row -> value. games: row -> link to the games behind the value."""

    title: str
    read: Callable[[Row], Value]
    games: Callable[[Row], GamesLink | None] | None = None


def attributes(*names: str) -> tuple[Column[Any], ...]:
    """Columns that show attributes of the rows: `"unit"`, or `"what=about.help"` for `about.help` under the title
    `what`; "" gives no column.
    """
    parts = (name.rpartition("=") for name in names if name)
    return tuple(Column(title or attribute, attrgetter(attribute)) for title, _, attribute in parts)


def linked(name: str) -> Column[Any]:
    """As `attributes`, with links to the games behind the values, from the rows' attribute `games_link`."""
    return replace(attributes(name)[0], games=attrgetter("games_link"))


def entries(name: str, titles: Mapping[Any, str]) -> tuple[Column[Any], ...]:
    """Columns of a mapping or a tuple that each row has as an attribute: key or position -> title."""

    def column(key: Any) -> Callable[[Any], Value]:
        def read(row: Any) -> Value:
            held = getattr(row, name)
            value: Value = (held if isinstance(held, Mapping) else dict(enumerate(held))).get(key)
            return value

        return read

    return tuple(Column(title, column(key)) for key, title in titles.items())


def places(*titles: str) -> tuple[Column[Any], ...]:
    """Columns of rows that are tuples."""
    return tuple(Column(title, itemgetter(place)) for place, title in enumerate(titles))


@dataclass(frozen=True)
class Table(Generic[Row]):
    """Rows and columns. A column of numbers or estimates is aligned to the right."""

    rows: Sequence[Row]
    columns: Sequence[Column[Row]]
    title: str = ""
    note: str = ""  #: a sentence below the table
    most: int = 30  #: rows shown in a terminal; a line reports how many more there are
    total: bool = False  #: whether the last row is the total of the others

    @cached_property
    def values(self) -> list[list[Value]]:
        """The values, one list per row."""
        return [[column.read(row) for column in self.columns] for row in self.rows]

    def by_column(self) -> dict[str, list[Any]]:
        """Column -> values; estimates with an interval become three columns, `name`, `name low` and `name high`."""
        made: dict[str, list[Any]] = {}
        for place, column in enumerate(self.columns):
            held = [row[place] for row in self.values]
            made[column.title] = [value.value if isinstance(value, Estimate) else value for value in held]
            if any(isinstance(value, Estimate) and not math.isnan(value.low) for value in held):
                for end in ("low", "high"):
                    made[f"{column.title} {end}"] = [getattr(value, end, None) for value in held]
        return made

    def is_numeric(self, column: int) -> bool:
        """Whether a column holds numbers or estimates, and nothing else but gaps."""
        held = [row[column] for row in self.values if row[column] is not None]
        return bool(held) and all(isinstance(v, Estimate | int | float) and not isinstance(v, bool) for v in held)


@dataclass(frozen=True)
class Chart:
    """A chart and its caption. Only renderers that show pictures draw it."""

    name: str  #: name of the SVG file; unique on a page
    draw: Callable[[], Axes]  #: makes the axes (simlab.present.chart.chart)
    caption: str
    games: Sequence[GamesLink | None] | None = None  #: behind it, but for None; None: all games of the page
    made_by: str = ""  #: command that makes it, if its games are not games of the page
    wide: bool = False  #: whether it needs the whole width of the page
    small: bool = False  #: whether three fit next to each other


@dataclass(frozen=True)
class Section:
    """Blocks under a heading."""

    name: str  #: anchor on a page
    title: str  #: "" for none
    blocks: Sequence[Block]
    folded: bool = False  #: whether a page shows the heading only, until the reader opens it
    mood: Mood | Literal[""] = ""  #: for a verdict, the colour of its frame


Block = Paragraph | Command | Link | Table[Any] | Chart | Section


def tables_in(blocks: Iterable[Block]) -> Iterator[Table[Any]]:
    """The tables among these blocks and inside them, in their order."""
    for block in blocks:
        if isinstance(block, Table):
            yield block
        yield from tables_in(getattr(block, "blocks", ()))
