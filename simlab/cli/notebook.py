"""simlab notebook."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from simlab.cli.common import show
from simlab.errors import UserMistake


def notebook(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A folder of results.")],
) -> None:
    """Write a notebook for a run (FOLDER/explore.ipynb): its figures and charts as cells to change.

    It has what the run has: curves where knobs vary, scores where the game has some. One that is there already is
    kept: it may hold your own work.

    Examples:
      simlab sweep simple_siege --vary walls_start=3..5 -n 200 --out results/walls
      simlab notebook results/walls
    """
    from simlab.report.notebook import write
    from simlab.runs.results import load

    results = load(folder)
    path = folder / "explore.ipynb"
    if path.exists():
        raise UserMistake(f"{path} is there already, perhaps with work of yours. Move it away to have a new one.")
    try:
        write(results, path)
    except OSError as fault:
        raise UserMistake(f"{path}: cannot be written ({fault.strerror}).") from None
    show(f"Written: {path}. Open it with JupyterLab, VS Code or another editor of notebooks.")
