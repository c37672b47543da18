"""simlab run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from simlab.cli.common import (
    BackendOption,
    BotOption,
    CardsOption,
    ExperimentArgument,
    ForceOption,
    GamesOption,
    JsonOption,
    OutOption,
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
)

if TYPE_CHECKING:
    from simlab.experiments.results import Results


def run(
    context: typer.Context,
    experiment: ExperimentArgument,
    bot: BotOption = None,
    set_: SetOption = None,
    vary: VaryOption = None,
    cards: CardsOption = None,
    games: GamesOption = None,
    seed: SeedOption = None,
    workers: WorkersOption = None,
    backend: BackendOption = "loky",
    scheduler: SchedulerOption = None,
    force: ForceOption = False,
    out: OutOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Play an experiment, or the rest of it, and print its table.

    The results go into a folder: rows of all games, exact counts, figures, report.html. The same command carries on after
    an interruption, and uses again what is finished. Options replace what the file says. A [contract] in the file is
    judged in the output and the report; the exit status judges it with `simlab check`.

    Examples:
      simlab run simple_siege_balance -n 200
      simlab run simple_siege_balance -n 200 --bot besieger=rusher --set walls_start=6 --out results/high_walls
    """
    from simlab.experiments import runner
    from simlab.experiments.config import load_experiment

    loaded = load_experiment(
        experiment, set_ or (), vary or (), bot_lists(bot), games=games, seed=seed, cards=cards or ()
    )
    with Progress(quiet) as progress:
        results = runner.run(
            loaded, out, workers, backend, scheduler, progress, force, command=resume_command(context)
        )
        report_of(results, progress)
    tell(results, json)


def report_of(results: Results, progress: Progress) -> None:
    """Writes the report, and says so: figures take a few seconds."""
    from simlab.report.html import write_report

    progress.say("writing the report")
    write_report(results)


def tell(results: Results, json: bool) -> None:
    """Prints results: as JSON, or as the headline table."""
    if json:
        emit_json(results.summary())
        return
    from simlab.report import tables

    show(tables.headline(results))
    show(f"Report: {results.folder / 'report.html'}")
