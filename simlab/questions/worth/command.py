"""simlab analyze worth."""

from __future__ import annotations

from typing import Annotated

import typer

from simlab.cli.options import AnswerOutput, Setup, VariantArgument, WorkersOption
from simlab.cli.terminal import Answer

PANEL = "Judge"


def worth(
    game: VariantArgument,
    setup: Setup,
    output: AnswerOutput,
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[SEAT:]OPTION",
            help="Examine only this option, card or kind of decision, such as besieger:assault. Repeatable.",
        ),
    ] = None,
    pairs: Annotated[
        int, typer.Option(metavar="N", min=0, max=16, help="Also examine pairs of each seat's N most valuable options.")
    ] = 0,
    subsets: Annotated[
        bool,
        typer.Option(
            "--subsets",
            help="Remove random subsets instead of one option or card at a time: with --games games for all "
            "options of a seat together. For slow bots.",
        ),
    ] = False,
    workers: WorkersOption = None,
) -> Answer:
    """How much is each option and each card worth, and which of them are partners or rivals?

    Removes options and cards one at a time and plays the same games again, 2,000 for each (--games changes that): an
    option is no longer offered, a card of a table with `blank` loses its effect. Each time the seat plays the best of
    its bots. By default all listed bots are tried; --bot names others, including bots that look ahead. A banned option
    stays if nothing else is legal.

    Examples:
      simlab analyze worth simple_siege -n 200 --only besieger:assault --only besieger:bombard
      simlab analyze worth harbour -n 200
    """
    from simlab.questions.best_answers import lab_of
    from simlab.questions.worth.analysis import GAMES, answer

    chosen = setup.of(game)
    lab = lab_of(chosen, setup.games or (4 if subsets else 1) * GAMES, workers)
    return answer(lab, only or (), pairs, output.progress.say, subsets)


COMMANDS = {"analyze worth": worth}
