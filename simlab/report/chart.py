"""Charts before they are drawn: what an answer needs to know of drawing, without Matplotlib."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_P = ParamSpec("_P")
_R = TypeVar("_R")


class Draw(Protocol):
    """Puts a chart on the page, with the sentence that says what it shows; returns what the template needs of it."""

    def __call__(self, name: str, ax: Axes, caption: str, wide: bool = False) -> dict[str, Any]: ...


def chart(draw: Callable[_P, _R]) -> Callable[_P, _R]:
    """A function that draws in the style of the lab. Matplotlib is imported when it draws: terminals need none."""

    @functools.wraps(draw)
    def drawn(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        from simlab.report import drawing

        with drawing.style():
            return draw(*args, **kwargs)

    return drawn
