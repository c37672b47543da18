"""simlab report."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from simlab.cli.common import JsonOption, Progress, QuietOption
from simlab.cli.run import tell, write_report
from simlab.errors import UserMistake


def report(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A folder of results.")],
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Write the report of results anew (FOLDER/report.html, one file that needs no network), and print the
    table.

    The folder may be a stranger's: it is read as data, nothing in it is run.

    Exit status: 0; 5 when games of a finished run are gone, and the report says which.

    Examples:
      simlab sweep simple_siege --vary walls_start=3..5 -n 200 --out results/walls
      simlab report results/walls
    """
    from simlab.runs.results import load

    results = load(folder)
    if not os.access(folder, os.W_OK):
        raise UserMistake(
            f"{folder}: no permission to write, and a report stands beside its results. Copy the folder to a place of "
            "yours, and report the copy: simlab report COPY"
        )
    with Progress(quiet) as progress:
        write_report(results, True, progress)
    tell(results, json)
    if results.lost:
        raise typer.Exit(5)
