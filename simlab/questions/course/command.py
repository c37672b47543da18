"""simlab analyze course."""

from __future__ import annotations

from typing import Annotated

import typer

from simlab.cli.common import HOW, AnswerOutput, Progress, Setup, VariantArgument, count, show_answer

PANEL = "Judge"


def course(
    game: VariantArgument,
    setup: Setup,
    output: AnswerOutput,
    futures: Annotated[
        int,
        typer.Option("--futures", "-f", metavar="N", parser=count, help="Times that each position is played on.",
                     rich_help_panel=HOW),
    ] = 100,
    seen_by: Annotated[
        str | None,
        typer.Option("--seen-by", metavar="SEAT", help="Win chances as this seat sees them: hidden "
                     "information is dealt again. Default: an observer who sees everything.", rich_help_panel=HOW),
    ] = None,
) -> None:  # fmt: skip
    """Follow games turn by turn: who is likely to win when, drama, when a game is decided, runaway leaders.

    At the start of each turn the same bots play the position on many times with new random draws; the share that a side
    wins is its win chance. Follows 100 games (--games changes that). Each game is a cluster: the intervals reflect how
    games differ. Seats without --bot play the game's default bot.

    Examples:
      simlab analyze course simple_siege --bot besieger=rusher --bot besieged=mason -n 30 --futures 40
    """
    from simlab.questions.course.analysis import GAMES, check_bounds, play, seat_number
    from simlab.questions.course.words import blocks

    wanted = setup.games or GAMES
    check_bounds(wanted, futures)  # before anything is compiled
    chosen = setup.of(game)
    seat_number(chosen.game, seen_by)
    match = chosen.match()
    with Progress(output.quiet) as progress:
        match.compile(progress.compiling)
        answer = play(
            match, chosen.seed, wanted, futures, seen_by, progress.say,
            lambda done: progress.counting(done, wanted, "games followed"),
        )  # fmt: skip
    show_answer(answer, blocks, output.json, output.out)


COMMANDS = {"analyze course": course}
