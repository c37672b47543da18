"""The games of results as one table: rows, what their cells differ in, and how to see each game."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simlab.errors import UserMistake

if TYPE_CHECKING:
    import polars as pl

FRAME = 100_000  #: rows that are held in memory at a time


def exported(folder: Path, where: str | None = None) -> Iterator[pl.DataFrame]:
    """The games of a folder of results, some at a time.

    Args:
        where: a condition in SQL on the columns; only games for which it holds.
    Yields:
        tables with the columns of `simlab show schema GAME`, then the knobs in which cells differ (`knob_<name>` where
        a column bears that name), and `replay`; at least one table.
    Raises:
        UserMistake: no results, only counts were kept, or a condition that cannot be read.
    """
    import polars as pl

    from simlab.runs.results import load

    results = load(folder)
    cells = {cell.key: cell for cell in results.cells}
    knobs = [
        name for name in next(iter(cells.values())).knobs
        if len({str(cell.knobs.get(name)) for cell in cells.values()}) > 1
    ] if cells else []  # fmt: skip
    games = results.scan()
    own = games.collect_schema().names()
    columns: dict[str, list[Any]] = {"cell": list(cells)}
    for name in knobs:
        columns[name if name not in own else f"knob_{name}"] = [cell.knobs.get(name) for cell in cells.values()]
    about = pl.DataFrame(columns, strict=False).lazy()
    command = f"simlab replay --from {shlex.quote(str(folder))} --cell "
    whole = games.with_columns(pl.col("cell").cast(pl.String)).join(about, on="cell", how="left", maintain_order="left")
    whole = whole.with_columns(
        pl.format("{}{} --game {}", pl.lit(command), pl.col("cell").str.slice(0, 8), pl.col("game")).alias("replay")
    )
    if where is not None:
        try:
            whole = pl.SQLContext(games=whole).execute(f"SELECT * FROM games WHERE {where}")
            whole.collect_schema()
        except pl.exceptions.PolarsError as fault:
            why = str(fault).splitlines()[0].partition(";")[0]
            raise UserMistake(
                f"--where {where}: {why}. Columns: {', '.join(dict.fromkeys([*own, *columns]))}."
            ) from fault
    at = 0
    while True:
        frame = whole.slice(at, FRAME).collect()
        if at == 0 or frame.height:
            yield frame
        at += FRAME
        if frame.height < FRAME:
            return
