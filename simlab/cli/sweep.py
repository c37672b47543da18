"""simlab sweep."""

from __future__ import annotations

import typer

from simlab.cli.common import (
    BackendOption,
    BotOption,
    CardsOption,
    ForceOption,
    GameArgument,
    GamesOption,
    JsonOption,
    OutOption,
    Progress,
    QuietOption,
    ReportOption,
    SchedulerOption,
    SeedOption,
    SetOption,
    VaryOption,
    WorkersOption,
    bot_lists,
    resume_command,
)
from simlab.cli.run import tell, write_report


def sweep(
    context: typer.Context,
    game: GameArgument,
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
    report: ReportOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Play a game at many settings, without a file: one cell for each setting and match-up of bots.

    All cells meet the same luck, so that their differences are sharper than chance. Seats without --bot play
    at random. 10,000 games a cell unless --games says otherwise. A sweep that grows uses again what was
    played before.

    Examples:
      simlab sweep simple_siege --vary walls_start=3..7 -n 200
      simlab sweep simple_siege --bot besieger=rusher,random -n 200 --json
    """
    from simlab.experiments import runner
    from simlab.experiments.config import new_experiment

    experiment = new_experiment(
        game, set_ or (), vary or (), bot_lists(bot), games, seed, cards=cards or (), default_bot="random",
        name=sweep_name(game, [text.partition("=")[0] for text in vary or ()], seed),
    )  # fmt: skip
    with Progress(quiet) as progress:
        results = runner.run(
            experiment, out, workers, backend, scheduler, progress, force, command=resume_command(context)
        )
        write_report(results, report, progress, experiment)
    tell(results, json)


def sweep_name(game: str, parts: list[str], seed: int | None) -> str:
    """A name for results that come without a file: game, what is varied, and the seed unless it is 1."""
    from pathlib import Path

    from simlab.experiments.config import slug

    words = [
        Path(game).resolve().name if "/" in game else game,
        *parts,
        *([f"seed{seed}"] if seed not in (None, 1) else []),
    ]
    return slug("_".join(words))
