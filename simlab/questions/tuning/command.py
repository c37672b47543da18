"""simlab optimize bot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from simlab.cli.options import Output, Rules, VariantArgument, WorkersOption, count, output_option, play_option
from simlab.cli.terminal import Answer

AgainstOption = Annotated[
    list[str] | None,
    play_option(
        "--against",
        metavar="SEAT=BOT,BOT",
        help="Bots of the other seats: cathar=value,crest; without a seat, for all other seats. "
        "By default the game's default bot.",
    ),
]


def tune(
    game: VariantArgument,
    rules: Rules,
    output: Output,
    bot: Annotated[str, play_option(metavar="SEAT=BOT", help="The bot to tune, and its seat.")],
    against: AgainstOption = None,
    trait: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Tune only this trait. Repeatable. Default: all traits.")
    ] = None,
    games: Annotated[
        int, typer.Option("--games", "-n", metavar="N", parser=count, help="Approximate number of games of the search.")
    ] = 20_000,
    confirm: Annotated[
        int, typer.Option(metavar="N", parser=count, help="Held-out games against each opponent.")
    ] = 2_000,
    workers: WorkersOption = None,
    out: Annotated[
        Path | None,
        output_option("--out", "-o", metavar="FILE", help="File of the tuned bot; by default <seat>_<bot>.toml here."),
    ] = None,
) -> Answer:
    """Find the trait values with which a bot does best against given bots, and report the gain of each trait.

    Settings come from CMA-ES and race on the same games: the worse half drops out early. The winner is judged on
    held-out games (0, 1, 2, ... of the seed) against the untuned bot, and with each single trait reset. It is saved
    as a file that --bot accepts; if nothing better is found, no file is written.

    Examples:
      simlab optimize bot simple_siege --bot besieged=warden --against besieger=rusher -n 4000 --confirm 500
    """
    from simlab.errors import InputError
    from simlab.questions.contest import Contest, fields_of
    from simlab.questions.tuning.analysis import tune as tuned
    from simlab.questions.tuning.words import write

    chosen = rules.of(game, one_bot=False)
    loaded = chosen.game
    seat, equals, text = bot.partition("=")
    if not equals or seat not in loaded.seats:
        raise InputError(f"--bot {bot}: write SEAT=BOT, with a seat of {', '.join(loaded.seats)}.")
    of_file = [f"{other}={','.join(bots)}" for other, bots in chosen.named.items() if other != seat]
    others = against or of_file
    contest = Contest(
        loaded, seat, fields_of(loaded, seat, others), chosen.seed, workers, chosen.knobs, chosen.tables,
        lambda played, what: output.progress.add(played, games, what), output.progress.compiling,
    )  # fmt: skip
    return write(tuned(contest, text, games, confirm, trait or ()), out)


COMMANDS = {"optimize bot": tune}
