"""The columns of a row that tell two games apart, for whatever compares games one by one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from simlab.game import Game

Array = np.ndarray[Any, Any]
Columns = Mapping[str, Array] | Array  # by name: a dict, or the rows themselves


def row_names(game: Game) -> tuple[str, ...]:
    """The columns of a row that tell two games apart: all but the index, and scores only where they mean something."""
    left_out = {"game"} if game.has_scores else {"game", "score"}
    return tuple(name for name in game.row_type.names or () if name not in left_out)


def games_differ(before: Columns, after: Columns, names: tuple[str, ...]) -> Array:
    """Which games differ in any of the columns, shape (games,)."""
    differ = np.zeros(len(before[names[0]]), np.bool_)
    for name in names:
        other = np.asarray(before[name]) != np.asarray(after[name])
        differ |= other.reshape(len(other), -1).any(axis=1)
    return differ


def wins_differ(before: Columns, after: Columns) -> Array:
    """Which games have another winner, or other winners where several share the win; shape (games,)."""
    return games_differ(before, after, ("winner", "winners"))
