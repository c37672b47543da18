"""simlab analyze difficulty."""

from __future__ import annotations

from typing import Annotated

import typer

from simlab.cli.options import AnswerOutput, Setup, VariantArgument, WorkersOption, share
from simlab.cli.terminal import Answer
from simlab.errors import InputError, nearest


def difficulty(
    game: VariantArgument,
    setup: Setup,
    output: AnswerOutput,
    knob: Annotated[
        list[str],
        typer.Option(
            "--knob", metavar="KNOB=RANGE", help="Knob that sets the level, such as walls=3..9; two for a grid."
        ),
    ],
    levels: Annotated[
        str, typer.Option("--levels", metavar="RATES", help="Win rates of the levels, in per cent.")
    ] = "90,75,60,45,30",
    tolerance: Annotated[
        float,
        typer.Option(
            "--tolerance", metavar="POINTS", min=0.1, max=50, help="Largest distance from the wanted rate, in points."
        ),
    ] = 5.0,
    workers: WorkersOption = None,
) -> Answer:
    """Which settings give the win rates wanted for each level of difficulty, and which steps are too big?

    For solo games, and for games that the players win or lose together. Plays 2,000 games (--games changes that) with
    every value of one knob, or every combination of two; in a solo game each setting is played with the best of its
    bots. Then plays the settings of the levels again, in four times as many other games each.

    Examples:
      simlab analyze difficulty mighty_fortress --knob consumption_start=1..3 --bot player=hangman,warden -n 100
      simlab analyze difficulty lowenheim --knob troop_interval=2..4 --bot '*=gatekeeper' --levels 90,50 -n 10
    """
    from simlab.questions.best_answers import lab_of
    from simlab.questions.difficulty.analysis import GAMES, answer
    from simlab.spec.design import read_range
    from simlab.spec.draft import read_assignments

    chosen = setup.of(game)
    known, varied = chosen.game.knobs, {}
    for name, text in read_assignments(knob, "--knob").items():
        if name not in known:
            raise InputError(f"--knob {name}: there is no such knob. {nearest(name, known)}")
        varied[name] = read_range(known[name], text, "--knob")
    try:
        wanted = [share(f"{text.strip().removesuffix('%')}%") for text in levels.split(",")]
    except typer.BadParameter as fault:
        raise InputError(f"--levels {levels}: {fault.message}") from None
    lab = lab_of(chosen, setup.games or GAMES, workers)
    if len(chosen.game.seats) > 1:
        lab.bots = {seat: [bot] for seat, bot in chosen.bots.items()}
    return answer(lab, varied, wanted, tolerance / 100, output.progress.say)


COMMANDS = {"analyze difficulty": difficulty}
