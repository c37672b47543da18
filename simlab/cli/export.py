"""simlab export."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from simlab.cli.common import CellOption, WhereOption, show
from simlab.words import counted


def export(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A folder of results.")],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="A .csv or .parquet file; without it CSV is printed."),
    ] = None,
    where: WhereOption = None,
    cell: CellOption = None,
) -> None:
    """Write the games of results as one table for other programs, a row a game; or only those that you ask for.

    The columns are those of `simlab show schema GAME`; the knobs in which cells differ stand beside.
    The column `replay` holds the command that shows the game, move by move.

    Examples:
      simlab sweep simple_siege --vary walls_start=3..5 -n 200 --out results/walls
      simlab export results/walls --where "turns > 12 and walls_start = 5"
      simlab export results/walls --out walls.parquet
    """
    from simlab.runs.table_file import check_name, write_table
    from simlab.studies.export import columns_of, exported

    if out is not None:
        check_name(out)
    rows = write_table(exported(folder, where, cell), out, "games", columns_of(folder) if out else None)
    if out is not None:
        show(f"{counted(rows, 'game')} written to {out}.")
