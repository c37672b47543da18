"""simlab ladder."""

from __future__ import annotations

from typing import Annotated

import typer

from simlab.cli.common import (
    TIMEOUT,
    BackendOption,
    CardsOption,
    ForceOption,
    GameArgument,
    GamesOption,
    JsonOption,
    MetricOption,
    OutOption,
    PlanOption,
    PlayersOption,
    Progress,
    QuietOption,
    ReportOption,
    SchedulerOption,
    SeedOption,
    SetOption,
    TimeoutOption,
    WorkersOption,
    resume_command,
)
from simlab.cli.run import as_far_as_it_went, plan_only, tell, write_report
from simlab.cli.sweep import sweep_name


def ladder(
    context: typer.Context,
    game: GameArgument,
    playout: Annotated[
        str,
        typer.Option(
            "--playout",
            metavar="BOTS",
            help="Bots that play on, joined by +: the lowest rung. By default the game's default bot.",
        ),
    ] = "",
    search: Annotated[
        str, typer.Option("--search", metavar="BOT", help="lookahead or ismcts, with traits if wanted.")
    ] = "lookahead",
    budgets: Annotated[
        str, typer.Option("--budgets", metavar="N,N", help="Iterations a decision; 0 is the playout bot itself.")
    ] = "0,10,30,100,300,1000",
    players: PlayersOption = None,
    set_: SetOption = None,
    cards: CardsOption = None,
    metric: MetricOption = None,
    games: GamesOption = None,
    seed: SeedOption = None,
    workers: WorkersOption = None,
    backend: BackendOption = "loky",
    scheduler: SchedulerOption = None,
    timeout: TimeoutOption = TIMEOUT,
    force: ForceOption = False,
    plan: PlanOption = False,
    out: OutOption = None,
    report: ReportOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Climb the skill ladder: bots that think more and more, against each other and against the step below.

    Says how the balance changes when all seats have the same budget of iterations, with the strength at which the
    favourite changes; and what each step gains on the last, in Elo points. 200 games a match-up unless --games says
    otherwise; --plan says first what it costs.

    Examples:
      simlab ladder simple_siege --playout stormer+warden --budgets 0,10,30 -n 100
      simlab ladder simple_siege --playout stormer+warden --plan
    """
    from simlab.errors import UserMistake
    from simlab.experiments.load import new_experiment
    from simlab.experiments.tournament import rungs
    from simlab.registry import at_table, load_game
    from simlab.runs import runner

    game = at_table(game, players)
    try:
        steps = [int(text) for text in budgets.split(",")]
    except ValueError:
        raise UserMistake(f"--budgets {budgets}: write whole numbers joined by commas, as 0,10,30,100.") from None
    loaded = load_game(game)
    bots = rungs(loaded, playout or loaded.default_bot, search, steps)
    experiment = new_experiment(
        game,
        set_ or (),
        (),
        bots,
        games or "200",
        seed,
        sweep_name(game, ["ladder"], seed),
        cards or (),
        tournament={"ladder": True},
        metrics=metric or (),
    )
    if plan:
        plan_only(experiment, out, workers, json)
        return
    with Progress(quiet) as progress:
        results, fault = as_far_as_it_went(
            lambda: runner.run(
                experiment, out, workers, backend, scheduler, progress, force,
                timeout=timeout, command=resume_command(context),
            )
        )  # fmt: skip
        write_report(results, report, progress, experiment)
    tell(results, json, fault)
