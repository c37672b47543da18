"""simlab analyze choices."""

from __future__ import annotations

from typing import Annotated

from simlab.cli.options import AnswerOutput, VariantArgument, Variation, WorkersOption, number_option
from simlab.cli.terminal import Answer


def choices(
    game: VariantArgument,
    variation: Variation,
    output: AnswerOutput,
    positions: Annotated[int, number_option(min=20, help="Positions to examine.")] = 1_000,
    futures: Annotated[int, number_option(min=4, help="Futures per option of a position.")] = 64,
    workers: WorkersOption = None,
) -> Answer:
    """Which choices matter: how much is at stake in each kind of decision, and how much do the bots give away?

    Takes positions from games of the bots and plays on with each legal option, all in the same futures: information
    hidden from the seat is dealt again, and the bots play to the end. Without --bot each seat plays the listed bot that
    is the best answer to the others. A decision in which a good choice gains almost nothing is a forced move in
    disguise, and one in which the same option is always good is not a real choice. Long games take long: fewer
    --positions and --futures are faster.

    Examples:
      simlab analyze choices simple_siege --positions 200 --bot besieger=stormer --bot besieged=saboteur
      simlab analyze choices pig --positions 100 --futures 16
    """
    from simlab.compiler.parallel import processors
    from simlab.questions.best_answers import strong_bots
    from simlab.questions.choices.analysis import answer

    chosen = variation.of(game)
    match = chosen.match(None if chosen.named else strong_bots(chosen, output.progress.say))
    match.compile(output.progress.compiling)
    return answer(match, chosen.seed, positions, futures, workers or processors(), output.progress.say)


COMMANDS = {"analyze choices": choices}
