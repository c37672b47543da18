"""simlab runs."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Annotated

import typer

from simlab.cli.common import JsonOption, emit_json, show, table


def history(
    folder: Annotated[Path, typer.Argument(metavar="[FOLDER]", help="Folder that holds the runs.")] = Path("results"),
    json: JsonOption = False,
) -> None:
    """List what was tried, the oldest run first: what it set otherwise than the one before, and what came of it.

    A run is compared with the last one of the same game in the folder: knobs, tables and bots. Several cells give the
    lowest and the highest win rate of the first seat. `hypothesis` and `notes` come from the experiment's file.

    Examples:
      simlab sweep simple_siege -n 200 --set walls_start=5
      simlab sweep simple_siege -n 200 --set walls_start=6 --out results/higher
      simlab runs
    """
    from simlab.studies.history import history as runs_of

    tried, unread = runs_of(folder)
    if json:
        made = [dataclasses.asdict(run) for run in tried]
        for one in made:
            one |= {end: None if math.isnan(one[end]) else one[end] for end in ("low", "high")}
        emit_json({"runs": made, "unread": unread}, "history")
        return
    rows = []
    for run in tried:
        what = [f"{name} {then} -> {now}" for name, (then, now) in run.changed.items()]
        what += [f"{name}: {values}" for name, values in run.varied.items()]
        rate = "" if math.isnan(run.low) else f"{run.seat} {run.low:.1%}"
        rate += f" to {run.high:.1%}" if run.high > run.low else ""
        said = [text for text in (run.hypothesis or run.question, run.notes) if text]
        state = "" if run.status == "complete" else f" ({run.status})"
        rows.append((run.started[:16].replace("T", " "), run.folder + state, "\n".join(what), f"{run.games:,}", rate,
                     "\n".join(said)))  # fmt: skip
    if rows:
        show(table(["when (UTC)", "run", "set otherwise; varied", "games", "wins", "expected, noted"], rows, ["games"]))
    else:
        show(f"{folder}: holds no runs.")
    for why in unread:
        show(f"not read: {why}")
