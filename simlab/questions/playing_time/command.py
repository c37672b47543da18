"""simlab analyze time."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from simlab.cli.options import AnswerOutput, Setup, VariantArgument
from simlab.cli.terminal import Answer


def _pace(name: str, help_: str) -> Any:
    return typer.Option(f"--seconds-per-{name}", metavar="S", help=help_, rich_help_panel="Pace of the people")


def time(
    game: VariantArgument,
    setup: Setup,
    output: AnswerOutput,
    decision: Annotated[str | None, _pace("decision", "A decision with a choice: 8 or 5..15 (the default).")] = None,
    option: Annotated[str | None, _pace("option", "Added per option; default 0..0.2.")] = None,
    turn: Annotated[str | None, _pace("turn", "Moving and dealing; default 10..30.")] = None,
) -> Answer:
    """Find out what the box must hold and how long a game takes: most components in use at once, minutes, waiting.

    Plays 2,000 games (--games changes that). Each game draws its own pace from the ranges of seconds. Seats without
    --bot play the game's default bot.

    Examples:
      simlab analyze time simple_siege --bot besieger=rusher --bot besieged=mason -n 500
      simlab analyze time simple_siege --seconds-per-decision 3..6 --seconds-per-turn 20 -n 200
    """
    from simlab.questions.playing_time.analysis import GAMES, Pace, play, seconds

    pace = Pace(seconds(decision, "decision"), seconds(option, "option"), seconds(turn, "turn"))
    chosen = setup.of(game)
    match, wanted, progress = chosen.match(), max(setup.games or GAMES, 2), output.progress
    match.compile(progress.compiling)
    return play(match, chosen.seed, wanted, pace, lambda done: progress.counting(done, wanted, "games played"))


COMMANDS = {"analyze time": time}
