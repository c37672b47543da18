"""simlab analyze course."""

from __future__ import annotations

from typing import Annotated

from simlab.cli.options import AnswerOutput, Setup, VariantArgument, count, how_option
from simlab.cli.terminal import Answer

PANEL = "Judge"


def course(
    game: VariantArgument,
    setup: Setup,
    output: AnswerOutput,
    futures: Annotated[
        int, how_option("--futures", "-f", metavar="N", parser=count, help="Times that each position is played on.")
    ] = 100,
    seen_by: Annotated[
        str | None,
        how_option(
            metavar="SEAT",
            help="Chances from what this seat knows; the rest is dealt again. Default: what all seats know together.",
        ),
    ] = None,
) -> Answer:
    """Follow games turn by turn: who is likely to win when, drama, when a game is decided, runaway leaders.

    At the start of each turn the same bots play the position on many times with new random draws; the share that a side
    wins is its win chance. Follows 100 games (--games changes that). Each game is a cluster: the intervals reflect how
    games differ. Seats without --bot play the game's default bot.

    Examples:
      simlab analyze course simple_siege --bot besieger=rusher --bot besieged=mason -n 30 --futures 40
    """
    from simlab.questions.course.analysis import GAMES, check_bounds, play

    wanted = setup.games or GAMES
    check_bounds(wanted, futures)  # before anything is compiled
    chosen = setup.of(game)
    if seen_by is not None:
        chosen.game.seat_number(seen_by, f"--seen-by {seen_by}: ")
    match, progress = chosen.match(), output.progress
    match.compile(progress.compiling)
    return play(
        match, chosen.seed, wanted, futures, seen_by, progress.say,
        lambda done: progress.counting(done, wanted, "games followed"),
    )  # fmt: skip


COMMANDS = {"analyze course": course}
