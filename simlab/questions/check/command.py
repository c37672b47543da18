"""simlab check."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from simlab import shell
from simlab.cli.options import (
    ExperimentArgument,
    ForceOption,
    OutOption,
    Output,
    Setup,
    VaryOption,
    Workers,
    resume_command,
)
from simlab.cli.terminal import Answer
from simlab.errors import InputError

PANEL = "Judge"


def check(
    context: typer.Context,
    experiment: ExperimentArgument,
    setup: Setup,
    against: Annotated[
        Path | None, typer.Option(metavar="BASELINE", help="A baseline (folder or .json), or a folder of results.")
    ] = None,
    tolerance: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            help="Largest change that counts as none. For a rate: absolute; for the mean length: relative to "
            "it; for other means: relative to their range.",
        ),
    ] = 0.01,
    write_baseline: Annotated[
        Path | None, typer.Option(metavar="FOLDER", file_okay=False, help="Write a baseline instead of comparing.")
    ] = None,
    vary: VaryOption = None,
    *,
    by: Workers,
    force: ForceOption = False,
    out: OutOption = None,
    output: Output,
) -> Answer:
    """Does the game keep the designer's contract? Did a change of the rules change any game?

    Without --against, each line of the experiment's [contract] is met, broken or inconclusive; an inconclusive one
    shows about how many more games would decide it. Games are played in growing batches until all lines are decided, at
    most --games per cell. The verdicts hold however often you look. With --against, the baseline's games are played
    again with the same seeds. The games are identical, or each statistic has changed (for better or worse, by the
    contract), shows no detectable change beyond the tolerance, or is inconclusive. The change may be in the game's
    code, its tables, the experiment, or in --set.

    Exit status: 0 met, identical, no detectable change, or changed for the better; 1 broken or changed; 3 inconclusive.

    Examples:
      simlab check simple_siege_remedies -n 100 --write-baseline my_baseline
      simlab check simple_siege_remedies --against my_baseline
      simlab check simple_siege_remedies --against my_baseline --json
    """
    from simlab.questions.check import baseline
    from simlab.questions.check.analysis import WrittenBaseline, check_against, keep_contract

    if against and write_baseline:
        raise InputError("--against compares and --write-baseline writes: give one of them.")
    if against and (setup.games is not None or setup.seed is not None):
        raise InputError("--games and --seed come from the baseline: leave them out with --against.")
    loaded = setup.open(experiment, vary or ())
    progress = output.progress
    if write_baseline:
        done = baseline.write_baseline(loaded, write_baseline, progress.counting)
        return WrittenBaseline(
            baseline=str(write_baseline), cells=len(done.cells), games=done.games,
            bytes=sum((write_baseline / name).stat().st_size for name in ("baseline.json", "rows.npz")),
            compare=shell.join(["simlab", "check", experiment, "--against", str(write_baseline)]),
        )  # fmt: skip
    if against:
        read = baseline.read_baseline(against)
        return check_against(loaded, read, tolerance=tolerance, notify=progress.counting)
    how = {**vars(by), "progress": progress, "force": force, "command": resume_command(context)}
    return keep_contract(loaded, out, **how)
