"""Charts before they are drawn: the interface between an answer and the drawing code, without Matplotlib."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_R = TypeVar("_R")


def chart(draw: Callable[_P, _R]) -> Callable[_P, _R]:
    """A function that draws in the style of the lab. Matplotlib is imported when it draws: terminals need none."""

    @functools.wraps(draw)
    def drawn(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        from simlab.present import drawing

        with drawing.style():
            return draw(*args, **kwargs)

    return drawn
