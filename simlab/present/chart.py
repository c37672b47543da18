"""Drawing tools for words: axes, marks and style of the lab, without loading Matplotlib before the first chart."""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from simlab.present import drawing
else:
    Axes = Any

    class _Drawing:
        """simlab.present.drawing, loaded by the first chart: terminals need no Matplotlib."""

        def __getattr__(self, name: str) -> Any:
            return getattr(import_module("simlab.present.drawing"), name)

    drawing = _Drawing()

__all__ = ["Axes", "chart", "drawing"]

_P = ParamSpec("_P")
_R = TypeVar("_R")


def chart(draw: Callable[_P, _R]) -> Callable[_P, _R]:
    """A function that draws in the style of the lab."""

    @functools.wraps(draw)
    def drawn(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        with drawing.style():
            return draw(*args, **kwargs)

    return drawn
