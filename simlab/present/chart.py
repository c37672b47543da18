"""Charts before they are drawn: what an answer needs to know of drawing, without Matplotlib."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from simlab.present.blocks import GamesLink

_P = ParamSpec("_P")
_R = TypeVar("_R")


class Draw(Protocol):
    """Puts a chart on the page, with the sentence that says what it shows; returns what the template needs of it.

    Args:
        games: what lies behind it; None: all games of the page, () for none of them.
        made_by: the command that makes it, of a chart whose games are no games of the run.
    """

    def __call__(
        self, name: str, ax: Axes, caption: str, wide: bool = False, games: Sequence[GamesLink | None] | None = None,
        made_by: str = "",
    ) -> dict[str, Any]: ...  # fmt: skip


def chart(draw: Callable[_P, _R]) -> Callable[_P, _R]:
    """A function that draws in the style of the lab. Matplotlib is imported when it draws: terminals need none."""

    @functools.wraps(draw)
    def drawn(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        from simlab.present import drawing

        with drawing.style():
            return draw(*args, **kwargs)

    return drawn
