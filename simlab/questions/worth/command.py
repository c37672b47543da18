"""simlab analyze worth."""

from __future__ import annotations

from typing import Annotated

import typer

from simlab.cli.common import (
    AnswerOutput,
    Progress,
    Setup,
    VariantArgument,
    WorkersOption,
    bot_lists,
    show_answer,
)

PANEL = "Judge"


def worth(
    game: VariantArgument,
    setup: Setup,
    output: AnswerOutput,
    ban: Annotated[
        list[str] | None,
        typer.Option(
            "--ban",
            metavar="[SEAT:]OPTION",
            help="Examine this option or kind of decision alone, as besieger:assault; may be repeated.",
        ),
    ] = None,
    pairs: Annotated[
        int,
        typer.Option(
            "--pairs", metavar="N", min=0, max=16, help="Examine the N things worth most to each seat in pairs."
        ),
    ] = 0,
    workers: WorkersOption = None,
) -> None:
    """What is each option and each card worth, as cause, and which two are partners or rivals?

    Takes things away one at a time and plays the same games again, 2,000 for each thing (--games changes that): an
    option is no longer offered, a card of a table with `blank` loses its effect. Each time the seat plays the best of
    its bots; by default all listed ones are tried, and --bot names others, also bots that look ahead. A banned option
    stays if nothing else is legal. Any other command bans with --set, as in --set ban=besieger:assault.

    Examples:
      simlab analyze worth simple_siege -n 200 --ban besieger:assault --ban besieger:bombard
      simlab analyze worth harbour -n 200
    """
    from simlab.compiler.parallel import processors
    from simlab.engine.match import Match
    from simlab.questions.best_answers import Lab, listed_bots
    from simlab.questions.worth.analysis import GAMES, answer
    from simlab.questions.worth.words import blocks

    chosen = setup.of(game)
    loaded = chosen.game
    given, field = bot_lists(chosen.variant.bot), chosen.field
    bots = {seat: field[seat] if seat in given or "*" in given else listed_bots(loaded, seat) for seat in loaded.seats}
    with Progress(output.quiet) as progress:
        lab = Lab(
            loaded,
            lambda line_up, knobs: Match(loaded, knobs={**chosen.knobs, **knobs}, tables=chosen.tables, bots=line_up),
            bots, chosen.seed, max(setup.games or GAMES, 2), workers or processors(),
        )  # fmt: skip
        found = answer(lab, ban or (), pairs, progress.say)
    show_answer(found, blocks, output.json, output.out)


COMMANDS = {"analyze worth": worth}
