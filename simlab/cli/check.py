"""simlab check."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from simlab import shell
from simlab.cli.common import (
    TIMEOUT,
    BackendOption,
    BotOption,
    CardsOption,
    ExperimentArgument,
    ForceOption,
    GamesOption,
    JsonOption,
    LimitOption,
    MetricOption,
    OutOption,
    PlayersOption,
    Progress,
    QuietOption,
    SchedulerOption,
    SeedOption,
    SetOption,
    VaryOption,
    WorkersOption,
    bot_lists,
    emit_json,
    resume_command,
    show,
    table,
)
from simlab.errors import UserMistake
from simlab.words import counted

if TYPE_CHECKING:
    from simlab.experiments.experiment import Experiment

_MOST_ROWS = 30


def check(
    context: typer.Context,
    experiment: ExperimentArgument,
    against: Annotated[
        Path | None,
        typer.Option("--against", metavar="BASELINE", help="A baseline (folder or .json), or a folder of results."),
    ] = None,
    tolerance: Annotated[
        float,
        typer.Option(
            "--tolerance",
            metavar="SHARE",
            help="How far a rate may move, the mean length by that share, other means by that share of their range.",
        ),
    ] = 0.01,
    write_baseline: Annotated[
        Path | None,
        typer.Option(
            "--write-baseline",
            metavar="FOLDER",
            help="Play, and write a baseline there instead of comparing.",
        ),
    ] = None,
    players: PlayersOption = None,
    bot: BotOption = None,
    set_: SetOption = None,
    vary: VaryOption = None,
    cards: CardsOption = None,
    metric: MetricOption = None,
    games: GamesOption = None,
    seed: SeedOption = None,
    workers: WorkersOption = None,
    backend: BackendOption = "loky",
    scheduler: SchedulerOption = None,
    force: ForceOption = False,
    out: OutOption = None,
    timeout: LimitOption = TIMEOUT,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Does the game keep the designer's contract? Did a change of the rules move anything?

    Without --against, the [contract] of the experiment is judged line by line: met, broken, or cannot tell yet and
    how many more games it would take. Games are played in growing batches until all lines are decided, at most
    --games a cell; the verdicts hold however often one looks. With --against, the baseline's games are played
    again, same seed, same games: either all are identical, or each figure is compared on pairs of games with the
    same luck: better or worse (by the contract), changed, the same within the tolerance, or cannot tell yet. The
    change can be in the game's code, its tables, the file, or in --set.

    Exit status: 0 met, identical, the same or better; 1 broken, worse or changed; 3 so many games cannot tell.

    Examples:
      simlab check simple_siege_remedies -n 100 --write-baseline my_baseline
      simlab check simple_siege_remedies --against my_baseline
      simlab check simple_siege_remedies --against my_baseline --json
    """
    from simlab.experiments.load import load_experiment
    from simlab.studies.contract import keep_contract

    if against and write_baseline:
        raise UserMistake("--against compares and --write-baseline writes: give one of them.")
    if against and (games is not None or seed is not None):
        raise UserMistake("--games and --seed are the baseline's: leave them out with --against.")
    loaded = load_experiment(
        experiment, set_ or (), vary or (), bot_lists(bot), games=games, seed=seed, cards=cards or (), players=players,
        metrics=metric or (),
    )  # fmt: skip
    with Progress(quiet) as progress:
        if write_baseline:
            _write(loaded, experiment, write_baseline, json, progress)
            return
        if against:
            status = _compare(loaded, against, tolerance, json, progress)
        else:
            if not loaded.contract:
                raise UserMistake(
                    f"{experiment}: has no [contract] to judge. Add one, or compare with a baseline: --against FOLDER."
                )
            verdict = keep_contract(
                loaded, out, workers, backend, scheduler, progress, force, command=resume_command(context)
            )
            status = verdict.exit_code
            if json:
                emit_json(verdict.to_dict(), "check")
            else:
                show(*verdict.sentences)
    raise typer.Exit(status)


def _write(experiment: Experiment, text: str, folder: Path, json: bool, progress: Progress) -> None:
    from simlab.studies.baseline import write_baseline

    done = write_baseline(experiment, folder, progress.counting)
    size = (folder / "baseline.json").stat().st_size
    if json:
        emit_json({"baseline": str(folder), "cells": len(done.cells), "games": done.games, "bytes": size}, "baseline")
        return
    show(
        f"{folder}: a baseline of {counted(done.games, 'game')} in {counted(len(done.cells), 'cell')}, "
        f"{size / 1000:,.0f} kB.",
        f"Compare with: {shell.join(['simlab', 'check', text, '--against', str(folder)])}",
    )


def _compare(experiment: Experiment, against: Path, tolerance: float, json: bool, progress: Progress) -> int:
    from simlab.report.baseline import COLUMNS, basis, changed_figures, summary
    from simlab.studies.baseline import check_against, read_baseline

    checked = check_against(experiment, read_baseline(against), tolerance=tolerance, tell=progress.counting)
    if json:
        emit_json(checked.to_dict(), "check-against")
        return checked.exit_code
    show(*summary(checked))
    if rows := changed_figures(checked):
        show(table(COLUMNS, rows[:_MOST_ROWS], right=COLUMNS[3:6]))
        if len(rows) > _MOST_ROWS:
            show(f"... and {len(rows) - _MOST_ROWS} more rows: --json prints them all.")
        show(*basis(checked))
    return checked.exit_code
