"""simlab runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from simlab.cli.options import JsonOption
from simlab.cli.terminal import show_answer


def history(
    folder: Annotated[Path, typer.Argument(metavar="[FOLDER]", help="Folder that contains the runs.")] = Path(
        "results"
    ),
    json: JsonOption = False,
) -> None:
    """List the runs in a folder, oldest first: the changes of each, their effect, and whether its contract was met.

    A run is compared with the last run of the same game in the folder: knobs, loaded dice, weighted decks, tables and
    bots, and the win rate of the first seat. With several cells, the table shows the lowest and highest win rate.
    `hypothesis` and `notes` come from the experiment file.

    Examples:
      simlab sweep simple_siege -n 200 --set walls_start=5
      simlab sweep simple_siege -n 200 --set walls_start=6 --out results/higher
      simlab runs
    """
    from simlab.questions.history.analysis import history_of

    show_answer(history_of(folder), json)


PANEL = "Results"
COMMANDS = {"runs": history}
