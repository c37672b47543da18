"""Blocks in a terminal: paragraphs as plain lines, tables by Rich. Charts are left to pages and notebooks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from simlab.errors import typed
from simlab.present.blocks import Badge, Block, Chart, Command, Link, Paragraph, Section, Table, Value
from simlab.present.estimate import plain, short
from simlab.present.text import text

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType


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


class _SplitTable:
    """A table as one Rich table if it fits the terminal; otherwise split into parts that repeat the first columns."""

    def __init__(self, block: Table[Any]) -> None:
        self.block = block
        rows = block.values[: block.most]
        if block.total and len(block.rows) > block.most:
            rows.append(block.values[-1])
        self.texts = [[text(value) for value in row] for row in rows]
        self.styles = [[_style(value) for value in row] for row in rows]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        columns, widths = self.block.columns, [3 + width for width in self._widths()]
        lead = next((place for place in range(len(columns)) if self.block.is_numeric(place)), len(columns))
        lead, start = max(min(lead, len(columns) - 1), 1), 0
        while start < len(columns):
            end, used = max(start, lead), min(sum(widths[:lead]), options.max_width // 2)
            while end < len(columns) and (end <= max(start, lead) or used + widths[end] <= options.max_width):
                used += widths[end]
                end += 1
            shown = typed if options.ascii_only else str
            yield self._part([*range(lead), *range(max(start, lead), end)], start == 0, shown)
            start = end

    def _widths(self) -> list[int]:
        """The minimum width of each column: values stay on one line, titles break between words."""
        from rich.cells import cell_len

        heads = [max(map(cell_len, plain(column.title).split()), default=0) for column in self.block.columns]
        return [max([head, *(cell_len(row[place]) for row in self.texts)]) for place, head in enumerate(heads)]

    def _part(self, places: Sequence[int], first: bool, shown: Callable[[str], str]) -> RenderableType:
        from rich.box import SIMPLE_HEAD
        from rich.table import Table as RichTable
        from rich.text import Text

        title = Text(shown(self.block.title)) if first and self.block.title else None
        made = RichTable(box=SIMPLE_HEAD, title=title, title_justify="left", pad_edge=False)
        for place in places:
            number = self.block.is_numeric(place)
            head = Text(shown(plain(self.block.columns[place].title)))
            least = self._widths()[place] if number else None
            made.add_column(head, justify="right" if number else "left", overflow="fold", min_width=least)
        for row, style in zip(self.texts, self.styles, strict=True):
            # The first part has long names in full.
            cells = ((shown(row[place] if first else short(row[place], 48)), style[place]) for place in places)
            made.add_row(*(Text(*cell) for cell in cells))
        return made
