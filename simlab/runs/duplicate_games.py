"""Do the stored games of a cell repeat more than chance allows? Then its intervals are not to be trusted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from simlab.runs.store import collected, label_columns
from simlab.stats.duplicate_games import Repeat, find_repeats

if TYPE_CHECKING:
    from simlab.runs.results import CellResult, Results

MOST_CELLS = 1_000  #: that are searched for repeats
MOST_GAMES = 200_000  #: of each


def repeats_in(results: Results, most_cells: int = MOST_CELLS, most_games: int = MOST_GAMES) -> dict[str, Repeat]:
    """Cells whose games repeat more than chance allows: label -> sign of it. Nothing where no rows were kept.

    Args:
        most_cells, most_games: of each cell, that are looked at.
    """
    signs = {}
    for cell in results.cells[: most_cells if results.has_rows else 0]:
        repeats = find_repeats(np.concatenate([*_codes(results, cell, most_games)]))
        if repeats:
            signs[cell.label] = repeats[0]
    return signs


def alarm(cell: str, repeat: Repeat) -> str:
    """The alarm for a person."""
    return f"ALARM, {cell}: {repeat.sentence}. Its games may not be independent: do not trust its intervals."


def _codes(results: Results, cell: CellResult, most_games: int) -> list[np.ndarray[Any, Any]]:
    """A number for how each game came out, an array a shard."""
    codes, games = [], 0
    for shard in cell.shards:
        kept = results._store.scan_shard(cell.key, shard, results._stored).head(max(most_games - games, 1))
        frame = collected(kept, results._store.shard_path(cell.key, shard))
        codes.append(frame.drop(label_columns(cell.bots)).hash_rows(seed=1).to_numpy())
        games += shard.size
        if games >= most_games:
            break
    return codes
