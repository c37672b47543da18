"""Blocks in a notebook cell, and as plain text outside notebooks."""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup

from simlab.present.blocks import Block
from simlab.present.chart import drawing
from simlab.present.html import html


class Page:
    """Blocks that show themselves: HTML in a notebook, text when printed."""

    def __init__(self, blocks: Iterable[Block]) -> None:
        self.blocks = tuple(blocks)

    def _repr_html_(self) -> str:
        return str(html(self.blocks, lambda chart: Markup(drawing.standalone(drawing.svg_text(chart.draw()))), level=3))

    def __str__(self) -> str:
        from rich.console import Console

        from simlab.present.terminal import renderables

        console = Console(width=120, highlight=False)
        with console.capture() as printed:
            for renderable in renderables(self.blocks):
                console.print(renderable, markup=False)
        return printed.get().rstrip()

    __repr__ = __str__
