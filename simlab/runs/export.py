"""The games of results as one table: rows, differences of their cells, and the command to replay each game."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

    from simlab.runs.results import Results

REPLAY = "command that shows the game, move by move"
FRAME = 100_000  #: rows that are held in memory at a time


def columns_of(results: Results) -> dict[str, str]:
    """Column -> description, for the table that `exported` returns; errors as there."""
    from simlab.runs.query import games_of
    from simlab.runs.store import row_columns

    known = {column.name: column.help for column in row_columns(results.names)} | {"replay": REPLAY}
    there = games_of(results).collect_schema().names()
    return {name: known.get(name, f"knob {name.removeprefix('knob_')}: its value in the cell") for name in there}


def exported(results: Results, where: str | None = None, cell: str | None = None) -> Iterator[pl.DataFrame]:
    """The games of results, in chunks.

    Args:
        where: a condition in SQL on the columns (simlab.runs.query); only games for which it holds.
        cell: key, first digits of it, or label of the only cell wanted.
    Yields:
        tables with the columns of `simlab info GAME columns`, then the knobs in which cells differ (`knob_<name>` if a
            column already has that name), and `replay`; at least one table.
    Raises:
        InputError: only counts were kept, there is no such cell, or the condition cannot be parsed.
    """
    from simlab.runs.query import chosen, games_of

    whole = chosen(games_of(results, cell), where)
    at = 0
    while True:
        frame = whole.slice(at, FRAME).collect()
        if at == 0 or frame.height:
            yield frame
        at += FRAME
        if frame.height < FRAME:
            return
