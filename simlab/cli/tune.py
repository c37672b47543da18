"""simlab optimize bot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from simlab.cli.common import (
    OUTPUT,
    PLAY,
    TIMEOUT,
    CardsOption,
    JsonOption,
    LimitOption,
    PlayersOption,
    Progress,
    QuietOption,
    SeedOption,
    SetOption,
    VariantArgument,
    WorkersOption,
    count,
    emit_json,
    knob_values,
    show,
    table_files,
)

AgainstOption = Annotated[
    list[str] | None,
    typer.Option(
        "--against",
        metavar="SEAT=BOT,BOT",
        help="Bots of the other seats: cathar=value,crest; without a seat those of all others. "
        "By default the game's default bot.",
        rich_help_panel=PLAY,
    ),
]


def tune(
    game: VariantArgument,
    bot: Annotated[
        str,
        typer.Option("--bot", metavar="SEAT=BOT", help="The bot to tune, and its seat.", rich_help_panel=PLAY),
    ],
    against: AgainstOption = None,
    trait: Annotated[
        list[str] | None,
        typer.Option("--trait", metavar="NAME", help="Tune this trait alone; again for another. All by default."),
    ] = None,
    games: Annotated[
        int,
        typer.Option("--games", "-n", metavar="N", parser=count, help="Games that the search takes, about."),
    ] = 20_000,
    confirm: Annotated[
        int,
        typer.Option("--confirm", metavar="N", parser=count, help="Fresh games against each that judge the winner."),
    ] = 2_000,
    players: PlayersOption = None,
    set_: SetOption = None,
    cards: CardsOption = None,
    seed: SeedOption = None,
    workers: WorkersOption = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="FILE", help="File of the tuned bot; by default <seat>_<bot>.toml here.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    timeout: LimitOption = TIMEOUT,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:  # fmt: skip
    """Look for the traits with which a bot does best against given bots, and say what was gained and by which trait.

    Settings come from CMA-ES and race on the same games: the worse half drops out early. The winner is judged on fresh
    games (0, 1, 2, ... of the seed) against the untuned bot, and with each trait put back alone. It is written as a
    file that any --bot takes; where nothing better is found, no file is written.

    Examples:
      simlab optimize bot simple_siege --bot besieged=warden --against besieger=rusher -n 4000 --confirm 500
    """
    from simlab.errors import InputError
    from simlab.experiments.variant import read_variant
    from simlab.questions.contest import Contest, fields_of
    from simlab.registry import at_table, load_game
    from simlab.report import tables
    from simlab.report.tuning import terminal
    from simlab.studies import tuning

    variant = read_variant(game, set_, cards, None, seed, players, one_bot=False)
    loaded = load_game(at_table(variant.game, players))
    seat, equals, text = bot.partition("=")
    if not equals or seat not in loaded.seats:
        raise InputError(f"--bot {bot}: write SEAT=BOT, with a seat of {', '.join(loaded.seats)}.")
    others = against or [text for text in variant.bot if not text.startswith(f"{seat}=")]  # those of a file
    with Progress(quiet) as progress:
        done = 0

        def tell(played: int, what: str) -> None:
            nonlocal done
            done += played
            progress.counting(done, max(games, done), what)

        contest = Contest(
            loaded, seat, fields_of(loaded, seat, others), 1 if variant.seed is None else variant.seed, workers,
            knob_values(variant.set_), table_files(variant.cards), tell, progress.compiling,
        )  # fmt: skip
        progress.counting(0, games, "")
        answer = tuning.tune(contest, text, games, confirm, trait or ())
        path = tuning.write(answer, out) if answer.changed else None
    if json:
        emit_json({**answer.to_dict(), "file": None if path is None else str(path)}, "tune")
        return
    tables.show(*terminal(answer))
    if path is not None:
        show(f"Written to {path}. Play it: --bot {seat}={path}")
