"""simlab compare."""

from __future__ import annotations

from typing import Annotated

import typer

from simlab.cli.common import (
    PLAY,
    TIMEOUT,
    BackendOption,
    BotOption,
    CardsOption,
    ForceOption,
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
    VariantArgument,
    WorkersOption,
    bot_lists,
    positive,
    resume_command,
)
from simlab.cli.run import as_far_as_it_went, plan_only, tell, write_report
from simlab.cli.sweep import sweep_name


def compare(
    context: typer.Context,
    game: VariantArgument,
    bots: Annotated[
        list[str] | None,
        typer.Option(
            "--bots",
            metavar="BOT,BOT",
            help="Bots that meet, in each seat that they can take; all by default.",
        ),
    ] = None,
    match_ups: Annotated[
        int | None,
        typer.Option(
            "--match-ups",
            metavar="N",
            parser=positive,
            help="Draw so many match-ups, each bot about equally often; without it all are played.",
            rich_help_panel=PLAY,
        ),
    ] = None,
    players: PlayersOption = None,
    bot: BotOption = None,
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
    """Play bots against each other, every one in each seat that it can take: which is best, and does it matter.

    Says who wins each match-up, with intervals that hold for all of them together; a strength a bot
    (Bradley-Terry, in Elo points); circles, as in rock, paper, scissors, where they are sure; the mix of bots
    that best play would send; which bots survive where all copy what does well (alpha-rank); and whether the
    balance of the game hangs on the bots. Games of one seat are compared by wins and score. --bot names the
    bots of one seat, in place of --bots.

    Examples:
      simlab compare simple_siege --bots rusher,random,mason,waiter -n 200
      simlab compare simple_siege --bot besieger=rusher,random -n 200 --json
      simlab compare simple_siege --match-ups 6 -n 200 --plan
    """
    from simlab.experiments.load import new_experiment
    from simlab.experiments.tournament import round_robin
    from simlab.experiments.variant import read_variant
    from simlab.refs import split_outside
    from simlab.registry import at_table, load_game
    from simlab.runs import runner

    named = [text.strip() for texts in bots or ["*"] for text in split_outside(texts, ",") if text.strip()]
    variant = read_variant(game, set_, cards, None, seed, players, one_bot=False)
    game = at_table(variant.game, players)
    own, loaded = bot_lists(bot), load_game(game)
    if variant.file and not (bots or bot):
        own = bot_lists(variant.bot)  # those that the file compares
    for_all = own.pop("*", None)
    if for_all:
        own = {seat: own.get(seat, for_all) for seat in loaded.seats} | own
    seats = {**round_robin(loaded, named, own), **own}
    experiment = new_experiment(
        game,
        variant.set_,
        (),
        seats,
        variant.games if games is None else games,
        variant.seed,
        sweep_name(variant.name, ["compare"], seed),
        variant.cards,
        tournament={} if match_ups is None else {"match_ups": match_ups},
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
