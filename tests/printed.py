"""What a terminal shows of renderables, as text."""

from __future__ import annotations

import io
from typing import TextIO

from rich.console import Console, RenderableType

from simlab.errors import typed

__all__ = ["show", "to_text", "typed"]


def to_text(*renderables: RenderableType, width: int = 120) -> str:
    """Renderables as plain text: no colours, no control codes, ASCII ruling lines."""
    out = io.StringIO()
    show(*renderables, file=out, width=width)
    return out.getvalue()


def show(*renderables: RenderableType, file: TextIO, width: int | None = None) -> None:
    """Prints renderables: with colours on a terminal, plain elsewhere."""
    terminal = file.isatty()
    console = Console(
        file=file, width=width if width is not None else None if terminal else 120, highlight=False, markup=False,
        no_color=None if terminal else True, safe_box=not terminal,
    )  # fmt: skip
    plain = str if console.encoding.startswith("utf") else typed
    console.print(*(plain(one) if isinstance(one, str) else one for one in renderables), sep="\n")
