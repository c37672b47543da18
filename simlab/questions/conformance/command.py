"""simlab dev check-game, check-bot and check-metric."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from simlab.cli.options import (
    BotOption,
    GameArgument,
    Output,
    PlayersOption,
    SeedOption,
    SetOption,
    number_option,
    positive,
)
from simlab.cli.terminal import Progress, show, show_answer

PANEL = "Build"

StepsOption = Annotated[
    int, number_option("--games", "-n", parser=positive, help="Games to step through, decision by decision.")
]


def check_game(
    game: GameArgument,
    output: Output,
    games: StepsOption = 40,
    bounds: Annotated[
        bool,
        typer.Option(
            "--bounds/--no-bounds",
            help="Also play games with every array index checked, which compiles the game again.",
        ),
    ] = True,
    twin: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.py",
            help="Compare the game, decision by decision, with this second implementation instead; half of the "
            "games have other knobs.",
        ),
    ] = None,
    seed: SeedOption = None,
    players: PlayersOption = None,
    set_: SetOption = None,
) -> None:
    """Test a game: does it keep the lab's contract?

    Random play, one decision at a time, in bulk and with array indices checked: legal actions, labels, bounds,
    hidden information, determinism, ledger and knobs. Exit status 1 at the first breach, which is reported with its
    seed and game.

    Examples:
      simlab dev check-game simple_siege -n 10 --no-bounds
    """
    from simlab import testing
    from simlab.registry import load_game, load_twin
    from simlab.spec.draft import read_assignments

    loaded, first = load_game(game, players), 1 if seed is None else seed
    knobs = read_assignments(set_, "--set")
    loaded.resolve_knobs(knobs, where="--set")
    with Progress(output.quiet) as progress:
        progress.say(f"checking {loaded.slug}; the first time takes longest")
        if twin is not None:
            parsed = {name: loaded.knobs[name].parse(value) for name, value in knobs.items()}
            against = partial(testing.check_twin, loaded, load_twin(twin), games=games, seed=first, knobs=parsed)
            carry_out({"game": loaded.slug, "checked": "twin", "name": str(twin)}, {None: against}, output.json)
            return
        checks = partial(
            testing.check_game, loaded, games=games, seed=first, knobs=knobs, bounds=bounds, stage=progress.stage,
            compiling=progress.compiling,
        )  # fmt: skip
        carry_out({"game": loaded.slug, "checked": "game", "name": loaded.slug}, {None: checks}, output.json)


def check_bot(
    game: GameArgument,
    bot: Annotated[
        str, typer.Argument(metavar="BOT", help="A bot, as in rusher:threshold=0.5 or ./my_bot.py:patient_miner.")
    ],
    output: Output,
    seat: Annotated[
        str | None,
        typer.Option(metavar="SEAT", help="Check it in this seat only; by default in all seats that it can take."),
    ] = None,
    against: Annotated[
        str, typer.Option(metavar="BOT", help="The bot in the other seats; by default the game's default bot.")
    ] = "",
    games: StepsOption = 30,
    seed: SeedOption = None,
    players: PlayersOption = None,
    set_: SetOption = None,
) -> None:
    """Test a bot: is it legal, repeatable, and blind to what its seat cannot see?

    Exit status 1 at the first breach, which is reported with its seed, game and decision.

    Examples:
      simlab dev check-bot simple_siege rusher -n 10
    """
    from simlab import testing
    from simlab.bot_registry import seats_for
    from simlab.registry import load_game
    from simlab.spec.draft import read_assignments

    loaded = load_game(game, players)
    if seat is not None:
        loaded.seat_number(seat, f"--seat {seat}: ")
    knobs = read_assignments(set_, "--set")
    loaded.resolve_knobs(knobs, where="--set")
    with Progress(output.quiet) as progress:

        def checks(name: str) -> list[str]:
            return testing.check_policy(
                loaded, name, bot, games=games, seed=1 if seed is None else seed,
                opponents=against or loaded.default_bot, knobs=knobs, stage=progress.stage,
                compiling=progress.compiling,
            )  # fmt: skip

        every = {name: partial(checks, name) for name in ([seat] if seat else seats_for(loaded, bot))}
        carry_out({"game": loaded.slug, "checked": "bot", "name": bot}, every, output.json)


def check_metric(
    game: GameArgument,
    metric: Annotated[
        str,
        typer.Argument(
            metavar="METRIC", help="./mine.py:longest_lull, ./mine.py for all metrics of a file, or a name."
        ),
    ],
    output: Output,
    games: Annotated[int, number_option("--games", "-n", parser=positive, help="Games played both ways.")] = 30,
    seed: SeedOption = None,
    players: PlayersOption = None,
    bot: BotOption = None,
    set_: SetOption = None,
) -> None:
    """Test a metric of your own: does it compile, keep its range, and give the same result in plain Python?

    Games are played compiled, then again decision by decision in plain Python, where every index is checked. Seats
    without --bot play the game's default bot. Exit status 1 at the first difference, which is reported with its game.

    Examples:
      simlab new metric first_choices --game simple_siege
      simlab dev check-metric simple_siege ./first_choices.py -n 10
    """
    from simlab import testing
    from simlab.registry import load_game
    from simlab.runs.open_experiment import single_bots
    from simlab.spec.draft import read_assignments
    from simlab.spec.refs import GameRef

    loaded = load_game(GameRef.parse(game, players).measured([metric]))
    with Progress(output.quiet) as progress:
        checks = partial(
            testing.check_metric, loaded, games=games, seed=1 if seed is None else seed,
            bots=single_bots(loaded, bot), knobs=read_assignments(set_, "--set"), stage=progress.stage,
            compiling=progress.compiling,
        )  # fmt: skip
        carry_out({"game": loaded.slug, "checked": "metric", "name": metric}, {None: checks}, output.json)


def carry_out(about: Mapping[str, Any], checks: Mapping[Any, Callable[[], list[str]]], json: bool) -> None:
    """Carries out checks and prints them one by one, or as JSON all together.

    Args:
        about: `game`, the game's slug; `checked`, one of game, twin, bot or metric; and `name`, its name.
        checks: seat, or None for all -> function that checks it and returns one line per point that passes.
    Raises:
        ConformanceError, TwinDiffers: the first breach. typer.Exit: the same with JSON.
    """
    from simlab.questions.conformance.analysis import Conformance, PassedCheck
    from simlab.questions.conformance.words import line
    from simlab.testing import ConformanceError, TwinDiffers

    done: list[PassedCheck] = []
    breach: ConformanceError | TwinDiffers | None = None
    try:
        for seat, check in checks.items():
            for text in check():
                done.append(PassedCheck(seat=seat, check=text))
                if not json:
                    show(line(done[-1]))
    except (ConformanceError, TwinDiffers) as fault:
        if not json:
            raise
        breach = fault
    if json:
        words = None if breach is None else str(breach)
        answer = Conformance(**about, fine=breach is None, breach=words, checks=tuple(done))
        show_answer(answer, json)
    if breach is not None:
        raise typer.Exit(breach.exit_code)


COMMANDS = {"dev check-game": check_game, "dev check-bot": check_bot, "dev check-metric": check_metric}
