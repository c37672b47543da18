"""simlab dev check-bot."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated

import typer

from simlab.cli.common import (
    TIMEOUT,
    GameArgument,
    JsonOption,
    LimitOption,
    PlayersOption,
    Progress,
    QuietOption,
    SeedOption,
    SetOption,
    knob_values,
    positive,
)
from simlab.errors import InputError, nearest


def check_bot(
    game: GameArgument,
    bot: Annotated[
        str,
        typer.Argument(metavar="BOT", help="A bot, as in rusher:threshold=0.5 or ./my_bot.py:patient_miner."),
    ],
    seat: Annotated[
        str | None,
        typer.Option("--seat", metavar="SEAT", help="Check it in this seat only; by default in all it can take."),
    ] = None,
    against: Annotated[
        str,
        typer.Option("--against", metavar="BOT", help="The bot in the other seats; by default the game's default bot."),
    ] = "",
    games: Annotated[
        int,
        typer.Option(
            "--games", "-n", metavar="N", parser=positive, help="Games to step through, decision by decision."
        ),
    ] = 30,
    seed: SeedOption = None,
    players: PlayersOption = None,
    set_: SetOption = None,
    timeout: LimitOption = TIMEOUT,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Test a bot: is it legal, repeatable, and independent of hidden information?

    Exit status 1 at the first breach, which is reported with its seed, game and decision.

    Examples:
      simlab dev check-bot simple_siege rusher -n 10
    """
    from simlab import testing
    from simlab.cli.conformance import tell_checks
    from simlab.registry import load_game, seats_for

    loaded = load_game(game, players)
    if seat is not None and seat not in loaded.seats:
        raise InputError(f"--seat {seat}: {loaded.slug} has no such seat. {nearest(seat, loaded.seats)}")
    seats = [seat] if seat else seats_for(loaded, bot)
    knobs = knob_values(set_)
    loaded.resolve_knobs(knobs, where="--set")
    with Progress(quiet) as progress:

        def checks(name: str) -> list[str]:
            first = 1 if seed is None else seed
            return testing.check_policy(
                loaded, name, bot, games=games, seed=first, opponents=against or loaded.default_bot, knobs=knobs,
                stage=progress.stage, compiling=progress.compiling,
            )  # fmt: skip

        every: dict[str | None, Callable[[], list[str]]] = {name: partial(checks, name) for name in seats}
        tell_checks({"game": loaded.slug, "checked": "bot", "name": bot}, every, json)
