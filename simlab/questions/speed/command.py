"""simlab dev bench."""

from __future__ import annotations

from typing import Annotated

import typer

from simlab.cli.common import (
    BotOption,
    JsonOption,
    PlayersOption,
    Progress,
    QuietOption,
    SetOption,
    complete_game,
    count,
    knob_values,
    positive,
    share,
    show_answer,
    single_bots,
)

PANEL = "Build"


def bench(
    game: Annotated[
        str,
        typer.Argument(
            metavar="[GAME]", help="Game to measure with.", autocompletion=complete_game, show_default=False
        ),
    ] = "simple_siege",
    games: Annotated[
        int, typer.Option("--games", "-n", metavar="N", parser=count, help="Games of each repetition.")
    ] = 200_000,
    repetitions: Annotated[
        int,
        typer.Option(
            "--repetitions",
            metavar="N",
            parser=positive,
            help="Repetitions of each measurement; the median is reported.",
        ),
    ] = 5,
    part: Annotated[
        list[str] | None,
        typer.Option(
            "--part",
            metavar="PART",
            help="Measure only twin, loop, threads, streams, start_up, edit, run or search. Repeatable.",
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="REF",
            help="Play this build and the one at a commit, tag or branch in turns, and fail if this one is slower. "
            "'last': the last tag, or the commit of .ci/speed-reference.",
        ),
    ] = None,
    limit: Annotated[
        float,
        typer.Option(
            "--limit", metavar="SHARE", parser=share, help="How much more time a game may take.", show_default="10%"
        ),
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

    --against needs the source tree in the current folder. Exit status: 1 if a game takes more than --limit longer and
    the whole interval is above that; 0 otherwise, also if there is nothing to compare 'last' with, which is reported.

    Examples:
      simlab dev bench -n 2000 --repetitions 1 --part loop --part streams
      simlab dev bench --part start_up
      simlab dev bench -n 500 --repetitions 1 --part loop --bot besieger=planner
    """
    from pathlib import Path

    from simlab.questions.speed.analysis import PARTS, measure_speed
    from simlab.questions.speed.earlier_build import LAST, NothingToCompare, SpeedChange
    from simlab.questions.speed.earlier_build import against as play_in_turns
    from simlab.questions.speed.words import blocks
    from simlab.registry import at_table, load_game

    game = at_table(game, players)
    loaded, knobs = load_game(game), knob_values(set_)
    with Progress(quiet) as progress:
        if against is None:
            answer = measure_speed(
                game, games, repetitions=repetitions, parts=part or tuple(PARTS), knobs=knobs,
                bots=single_bots(loaded, bot) if bot else None, say=progress.say,
            )  # fmt: skip
            show_answer(answer, blocks, json)
            return
        bots = single_bots(loaded, bot)
        try:
            change = play_in_turns(Path.cwd(), against, game, bots, knobs, limit=limit, say=progress.say)
        except NothingToCompare as fault:
            if against != LAST:
                raise
            text = f"{game}: nothing to compare with: {fault}."
            change = SpeedChange(game=game, bots=bots, against=against, limit=limit, sentence=text)
    show_answer(change, blocks, json)
    raise typer.Exit(1 if change.slower else 0)


COMMANDS = {"dev bench": bench}
