"""Blocks in a terminal: paragraphs as plain lines, tables by Rich. Charts are left to pages and notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from simlab.present.blocks import Block, Chart, Command, Paragraph, Section, Table
from simlab.present.text import text

if TYPE_CHECKING:
    from rich.console import RenderableType


def renderables(blocks: Iterable[Block]) -> Iterator[RenderableType]:
    """Blocks as strings and Rich tables, in their order."""
    for block in blocks:
        if isinstance(block, Paragraph):
            yield block.text
        elif isinstance(block, Command):
            yield f"{block.label}: {block.line}"
        elif isinstance(block, Table):
            yield from _table(block)
        elif isinstance(block, Section):
            yield from ("", block.title, *renderables(block.blocks))
        elif not isinstance(block, Chart):
            raise TypeError(f"not a block: {block!r}")


def _table(block: Table[Any]) -> Iterator[RenderableType]:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as RichTable
    from rich.text import Text

    made = RichTable(box=SIMPLE_HEAD, title=block.title or None, title_justify="left", pad_edge=False)
    for place, column in enumerate(block.columns):
        made.add_column(column.title, justify="right" if block.is_numeric(place) else "left", overflow="fold")
    for row in block.values[: block.most]:
        made.add_row(*(Text(text(value)) for value in row))
    yield made
    if len(block.rows) > block.most:
        yield f"{len(block.rows) - block.most:,} more rows: --json lists all of them."
    if block.note:
        yield block.note
