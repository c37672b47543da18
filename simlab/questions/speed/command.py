"""simlab dev bench."""

from __future__ import annotations

from typing import Annotated

import typer

from simlab.cli.options import (
    BotOption,
    JsonOption,
    PlayersOption,
    QuietOption,
    SetOption,
    complete_game,
    count,
    positive,
    share,
)
from simlab.cli.terminal import Progress, show_answer

PANEL = "Build"
ALL = "all"  #: instead of a game


def bench(
    game: Annotated[
        str,
        typer.Argument(
            metavar="[GAME]",
            help="Game to measure with, or 'all': a fixed table over the five large games.",
            autocompletion=complete_game,
            show_default=False,
        ),
    ] = "simple_siege",
    games: Annotated[
        int | None,
        typer.Option(
            "--games",
            "-n",
            metavar="N",
            parser=count,
            show_default=False,
            help="Games of each repetition; by default 200,000, for the four largest games fewer.",
        ),
    ] = None,
    repetitions: Annotated[
        int, typer.Option(metavar="N", parser=positive, help="Repetitions of each measurement; the median is reported.")
    ] = 5,
    part: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PART",
            help="Measure only twin, loop, threads, streams, start_up, edit, run, search, first_games or demo. "
            "Repeatable.",
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="REF",
            help="Play this build and the one at a commit, tag or branch in turns, and fail if this one is slower. "
            "'last': the last tag, or the commit of .ci/speed-reference.",
        ),
    ] = None,
    limit: Annotated[
        float,
        typer.Option(metavar="SHARE", parser=share, help="How much more time a game may take.", show_default="10%"),
    ] = 0.1,
    players: PlayersOption = None,
    bot: BotOption = None,
    set_: SetOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Measure the speed of simlab on this machine, and against an equivalent C program if there is a C compiler.

    Close other programs first. Numbers are games per second on one core unless stated. --bot measures these bots, with
    random bots in the other seats, instead of the usual pairs.

    --against needs the source tree in the current folder. Exit status: 1 if a game takes more than --limit longer, and
    the whole interval is above that twice, the second time in new processes; 0 otherwise, also if there is nothing to
    compare 'last' with, which is reported.

    Examples:
      simlab dev bench -n 2000 --repetitions 1 --part loop --part streams
      simlab dev bench --part start_up
      simlab dev bench -n 500 --repetitions 1 --part loop --bot besieger=planner
    """
    from pathlib import Path

    from simlab.errors import InputError
    from simlab.questions.speed.analysis import Plan, everything, measure_speed, usual_games
    from simlab.questions.speed.earlier_build import Work, standing
    from simlab.questions.speed.earlier_build import against as do_in_turns
    from simlab.registry import at_table, load_game
    from simlab.runs.open_experiment import single_bots
    from simlab.spec.draft import read_assignments

    every, knobs = game == ALL, read_assignments(set_, "--set")
    if every and (bot or part or set_ or players is not None):
        raise InputError(
            "dev bench all: measures a fixed table. Name a game to choose --bot, --part, --set or --players."
        )
    if not every:
        game = at_table(game, players)
        loaded = load_game(game)
    with Progress(quiet) as progress:
        if against is None:
            line_ups = [single_bots(loaded, bot)] if bot and not every else []
            plans = (
                everything() if every else [Plan(game, games or usual_games(loaded.slug), tuple(part or ()), line_ups)]
            )
            show_answer(measure_speed(plans, repetitions=repetitions, knobs=knobs, say=progress.say), json)
            return
        works = standing() if every else [Work(game, single_bots(loaded, bot), knobs)]
        change = do_in_turns(Path.cwd(), against, works, limit=limit, say=progress.say)
    show_answer(change, json)
    raise typer.Exit(1 if change.slower else 0)


COMMANDS = {"dev bench": bench}
