"""simlab dev check-metric."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from simlab.cli.common import (
    TIMEOUT,
    BotOption,
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
    single_bots,
)


def check_metric(
    game: GameArgument,
    metric: Annotated[
        str, typer.Argument(metavar="METRIC", help="./mine.py:longest_lull, ./mine.py for all of a file, or a name.")
    ],
    games: Annotated[
        int, typer.Option("--games", "-n", metavar="N", parser=positive, help="Games played both ways.")
    ] = 30,
    seed: SeedOption = None,
    players: PlayersOption = None,
    bot: BotOption = None,
    set_: SetOption = None,
    timeout: LimitOption = TIMEOUT,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Test a metric of your own: does it compile, keep its range, and give the same result in plain Python?

    Games are played compiled, then again decision by decision in plain Python, where every index is checked. Seats
    without --bot play the game's default bot. Exit status 1 at the first difference, which is named with its game.

    Examples:
      simlab new metric first_choices --game simple_siege
      simlab dev check-metric simple_siege ./first_choices.py -n 10
    """
    from simlab import testing
    from simlab.cli.conformance import tell_checks
    from simlab.registry import load_game
    from simlab.spec.refs import GameRef

    loaded = load_game(GameRef.parse(game, players).measured([metric]))
    with Progress(quiet) as progress:
        seats, knobs = single_bots(loaded, bot), knob_values(set_)
        first = 1 if seed is None else seed
        checks = partial(
            testing.check_metric, loaded, games=games, seed=first, bots=seats, knobs=knobs, stage=progress.stage,
            compiling=progress.compiling,
        )  # fmt: skip
        tell_checks({"game": loaded.slug, "checked": "metric", "name": metric}, {None: checks}, json)
