"""simlab compare."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from simlab.cli.common import (
    BackendOption,
    CardsOption,
    ForceOption,
    GameArgument,
    GamesOption,
    JsonOption,
    OutOption,
    Progress,
    QuietOption,
    SchedulerOption,
    SeedOption,
    SetOption,
    WorkersOption,
    emit_json,
    resume_command,
    show,
    table,
)
from simlab.cli.run import report_of
from simlab.cli.sweep import sweep_name

if TYPE_CHECKING:
    from simlab.experiments.results import Results


def compare(
    context: typer.Context,
    game: GameArgument,
    bots: Annotated[
        list[str] | None,
        typer.Option("--bots", metavar="BOT,BOT", help="Bots that meet, parted by commas, with their traits; all by default."),
    ] = None,
    set_: SetOption = None,
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
    """Play bots against each other, every one in each seat that it can take: matrix and ranking, with intervals.

    The ranking gives each bot of a seat one strength (Bradley-Terry). How much of the matrix no ranking explains, as in
    rock, paper, scissors, is said below it.

    Examples:
      simlab compare simple_siege --bots rusher,random,mason,waiter -n 200
      simlab compare simple_siege --bots random,rusher:threshold=0.4 --set walls_start=4 -n 200 --json
    """
    from simlab.api import round_robin
    from simlab.experiments import runner
    from simlab.experiments.config import new_experiment
    from simlab.registry import load_game

    named = [bot.strip() for text in bots or ["*"] for bot in text.split(",") if bot.strip()]
    experiment = new_experiment(
        game, set_ or (), (), round_robin(load_game(game), named), games=games, seed=seed, cards=cards or (),
        name=sweep_name(game, ["compare"], seed),
    )  # fmt: skip
    with Progress(quiet) as progress:
        results = runner.run(
            experiment, out, workers, backend, scheduler, progress, force, command=resume_command(context)
        )
        report_of(results, progress)
    _tell(results, json)


def _tell(results: Results, json: bool) -> None:
    raise SystemExit(results, json, emit_json, show, table)
