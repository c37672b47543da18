"""simlab analyze prices."""

from __future__ import annotations

from typing import Annotated

import typer

from simlab.cli.options import AnswerOutput, Setup, VariantArgument, WorkersOption
from simlab.cli.terminal import Answer


def prices(
    game: VariantArgument,
    setup: Setup,
    output: AnswerOutput,
    cost: Annotated[
        list[str] | None,
        typer.Option(
            metavar="OPTION=KNOB",
            help="Also price this option; the knob is its cost, as besieger:assault=assault_entry_cost. Repeatable.",
        ),
    ] = None,
    workers: WorkersOption = None,
) -> Answer:
    """What should each card or option cost, so that banning it changes nothing?

    Prices each row of a card table with a column `cost` or `price` whose card, or option, can be taken away. Each is
    played at several costs, with it and without it, 2,000 games each (--games changes that), and the seat plays the
    best of its bots each time. Then all proposed prices are played at once, in other games.

    Examples:
      simlab analyze prices harbour -n 100
      simlab analyze prices simple_siege -n 100 --bot besieger=stormer --cost besieger:assault=assault_entry_cost
    """
    from simlab.questions.best_answers import lab_of
    from simlab.questions.prices.analysis import GAMES, answer
    from simlab.spec.draft import read_assignments

    chosen = setup.of(game)
    costs = read_assignments(cost, "--cost")
    return answer(lab_of(chosen, setup.games or GAMES, workers), costs, output.progress.say)


COMMANDS = {"analyze prices": prices}
