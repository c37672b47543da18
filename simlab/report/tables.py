"""Tables for the terminal: rich renderables, without colours or ruling lines of their own where there is no
terminal.

All names are printed as they are: nothing in them is taken for markup, and control characters are gone.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TextIO

from simlab import errors
from simlab.present.estimate import Estimate

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.table import Table

typed = errors.typed


def to_text(*things: RenderableType, width: int = 120) -> str:
    """Renderables as plain text, for a file or a pipe: no colours, no control codes, ASCII ruling lines."""
    out = io.StringIO()
    show(*things, file=out, width=width)
    return out.getvalue()


def show(*things: RenderableType, file: TextIO | None = None, width: int | None = None) -> None:
    """Prints renderables: with colours on a terminal, plain elsewhere."""
    from rich.console import Console

    stream = sys.stdout if file is None else file
    terminal = stream.isatty()
    console = Console(
        file=stream,
        width=width if width is not None else None if terminal else 120,
        highlight=False,
        markup=False,
        no_color=None if terminal else True,
        safe_box=not terminal,
    )
    plain = str if console.encoding.startswith("utf") else typed
    console.print(*(plain(thing) if isinstance(thing, str) else thing for thing in things), sep="\n")


class Fitting:
    """A table where it fits without breaking a line of it, else others in its place."""

    def __init__(self, whole: Table, *parts: RenderableType) -> None:
        self.whole, self.parts = whole, parts

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        from rich.measure import Measurement

        wide = Measurement.get(console, options.update(width=10_000), self.whole).maximum
        yield from (self.whole,) if wide <= options.max_width else self.parts


def table(title: str, dense: bool = False) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    return Table(
        box=SIMPLE_HEAD,
        title=Text(typed(title)),
        title_justify="left",
        pad_edge=False,
        padding=(0, 0 if dense else 1),
        caption_justify="left",
    )


def numbers(made: Table, *names: str) -> None:
    from rich.text import Text

    for name in names:
        made.add_column(Text(typed(name)), justify="right", overflow="fold")


def add(made: Table, row: Sequence[str], style: str = "") -> None:
    from rich.text import Text

    for column, cell in zip(made.columns, row, strict=True):
        if column.justify == "right":  # a line may break between a figure and its interval, not within either
            column.min_width = max(column.min_width or 1, *(len(word) for word in typed(cell).split()), 1)
    made.add_row(*(Text(typed(cell)) for cell in row), style=style or None)


def full(estimate: Estimate) -> str:
    return typed(estimate.full)
