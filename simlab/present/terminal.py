"""Blocks in a terminal: paragraphs as plain lines, tables by Rich. Charts are left to pages and notebooks."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from simlab.errors import typed
from simlab.present.blocks import Badge, Block, Chart, Command, Link, Paragraph, Section, Table, Value
from simlab.present.estimate import plain, short
from simlab.present.text import text

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.table import Table as RichTable

_NAME = 8  # least width of a column of names that must fold


def renderables(blocks: Iterable[Block]) -> Iterator[RenderableType]:
    """Blocks as strings and Rich tables, in their order."""
    for block in blocks:
        if isinstance(block, Paragraph):
            yield block.text
        elif isinstance(block, Command):
            yield f"{block.label}: {block.line}"
        elif isinstance(block, Link):
            yield f"{block.label}: {block.file}"
        elif isinstance(block, Table):
            yield _SplitTable(block)
            if len(block.rows) > block.most:
                yield f"{len(block.rows) - block.most:,} more rows: --json lists all of them."
            if block.note:
                yield block.note
        elif isinstance(block, Section):
            yield from ("", block.title, *renderables(block.blocks))
        elif not isinstance(block, Chart):
            raise TypeError(f"not a block: {block!r}")


def printed(blocks: Iterable[Block]) -> str:
    """Blocks as plain text."""
    from rich.console import Console

    console = Console(width=120, highlight=False)
    with console.capture() as text_of:
        for renderable in renderables(blocks):
            console.print(renderable, markup=False)
    return text_of.get().rstrip()


def _style(value: Value) -> str:
    return {"met": "green", "broken": "red"}.get(value.kind, "yellow") if isinstance(value, Badge) else ""


def _lines(title: str, width: int) -> list[str]:
    """A title in lines of at most this width; a number keeps its per cent sign."""
    lines = textwrap.wrap(title.replace(" %", "\xa0%"), max(width, 1), break_long_words=False)
    return [line.replace("\xa0", " ") for line in lines]


def _title_width(most: int, title: str, least: int) -> int:
    """The minimum width from `least` on at which a title takes at most `most` lines; `least` if there is none."""
    widths = (width for width in range(least, len(title) + 1) if len(_lines(title, width)) <= most)
    return next(widths, least)


class _SplitTable:
    """A table as one Rich table if it fits the terminal; otherwise split into parts that repeat the first columns, or,
    if it has a single row, as a list of titles and values.
    """

    def __init__(self, block: Table[Any]) -> None:
        self.block = block
        rows = block.values[: block.most]
        if block.total and len(block.rows) > block.most:
            rows.append(block.values[-1])
        self.texts = [[text(value) for value in row] for row in rows]
        self.styles = [[_style(value) for value in row] for row in rows]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        columns, widths = self.block.columns, [3 + width for width in self._widths()]
        shown = typed if options.ascii_only else str
        if len(self.texts) == 1 and sum(widths) > options.max_width:
            yield self._listed(shown)
            return
        lead = next((place for place in range(len(columns)) if self.block.is_numeric(place)), len(columns))
        lead, start = max(min(lead, len(columns) - 1), 1), 0
        while start < len(columns):
            end, used = max(start, lead), min(sum(widths[:lead]), options.max_width // 2)
            while end < len(columns) and (end <= max(start, lead) or used + widths[end] <= options.max_width):
                used += widths[end]
                end += 1
            places = [*range(lead), *range(max(start, lead), end)]
            yield self._part(places, lead, start == 0, shown, options.max_width)
            start = end

    def _widths(self) -> list[int]:
        """The minimum width of each column: values stay on one line, titles break between words."""
        from rich.cells import cell_len

        heads = [max(map(cell_len, _lines(plain(column.title), 1)), default=0) for column in self.block.columns]
        return [max([head, *(cell_len(row[place]) for row in self.texts)]) for place, head in enumerate(heads)]

    def _fitted(self, places: Sequence[int], room: int) -> list[int]:
        """Width of each of these columns: titles in as few lines as possible. The widest columns of names fold."""
        known = self._widths()
        least = [known[place] for place in places]
        titles = [plain(self.block.columns[place].title) for place in places]
        room -= 3 * len(places) - 1  # three between neighbours, and the two edges
        for lines in range(1, 6):
            widths = list(map(partial(_title_width, lines), titles, least))
            if sum(widths) <= room:
                return widths
        names = [i for i, place in enumerate(places) if not self.block.is_numeric(place) and least[i] > _NAME]
        while sum(least) > room and names:
            widest = max(names, key=lambda i: least[i])
            least[widest] -= 1
            names = [i for i in names if least[i] > _NAME]
        return least

    def _empty(self, shown: Callable[[str], str] | None, head: bool = True) -> RichTable:
        """A table without columns; with its title if `shown` is given."""
        from rich.box import SIMPLE_HEAD
        from rich.table import Table as RichTable
        from rich.text import Text

        title = Text(shown(self.block.title)) if shown and self.block.title else None
        return RichTable(box=SIMPLE_HEAD, title=title, title_justify="left", pad_edge=False, show_header=head)

    def _listed(self, shown: Callable[[str], str]) -> RenderableType:
        from rich.text import Text

        made = self._empty(shown, head=False)
        made.add_column(overflow="fold")
        made.add_column(overflow="fold")
        for column, value, style in zip(self.block.columns, self.texts[0], self.styles[0], strict=True):
            made.add_row(Text(shown(plain(column.title))), Text(shown(value), style))
        return made

    def _part(
        self, places: Sequence[int], lead: int, first: bool, shown: Callable[[str], str], room: int
    ) -> RenderableType:
        from rich.text import Text

        made = self._empty(shown if first else None)
        for place, width in zip(places, self._fitted(places, room), strict=True):
            head = Text(shown("\n".join(_lines(plain(self.block.columns[place].title), width))))
            justify: Literal["left", "right"] = "right" if self.block.is_numeric(place) else "left"
            made.add_column(head, justify=justify, overflow="fold", width=width)
        for row, style in zip(self.texts, self.styles, strict=True):
            # The first part has the names of rows in full. Other cells are never cut, because the two ends of a text
            # may read as another value.
            cells = (
                (shown(row[place] if first or place >= lead else short(row[place], 48)), style[place])
                for place in places
            )
            made.add_row(*(Text(*cell) for cell in cells))
        return made
