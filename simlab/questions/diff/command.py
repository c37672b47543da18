"""simlab diff."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from simlab.cli.options import ExperimentArgument, Output, Setup, complete_experiment, output_option, page_file
from simlab.cli.terminal import Progress, show, show_answer, write_page
from simlab.errors import InputError

PANEL = "Judge"


def diff(
    base: ExperimentArgument,
    setup: Setup,
    output: Output,
    tweak: Annotated[
        str | None,
        typer.Argument(
            metavar="[TWEAK]",
            help="Another experiment. Without it, --set, --cards and --bot are the change.",
            autocompletion=complete_experiment,
            show_default=False,
        ),
    ] = None,
    report: Annotated[
        Path | None, output_option(metavar="FILE", parser=page_file, help="Also write an HTML page.")
    ] = None,
    brief: Annotated[bool, output_option("--brief", help="One line: what changed, with intervals.")] = False,
) -> None:
    """What does a change do? Play a base and a tweak with the same random seeds, and compare game by game.

    Shows how many games get another winner, how far each win rate, ending, length and metric moves, the variance
    reduction by the same seeds, where flipped games diverge, and how to replay three of them. The tweak is a second
    experiment, or what --set, --cards and --bot change in the first. Of a game, --bot with --set or --cards names the
    bots of both sides, and only the rules change. The intervals hold jointly, for this number of games. Only --report
    writes a file.

    Examples:
      simlab diff simple_siege_best_play -n 1000 --set walls_start=6 --report walls.html
      simlab diff simple_siege_best_play -n 500 --bot besieged=mason --json
      simlab diff simple_siege_best_play -n 500 --set walls_start=7 --brief
      simlab diff simple_siege -n 500 --set walls_start=6 --bot besieged=mason
    """
    from simlab.questions.diff.analysis import diff_experiments
    from simlab.questions.diff.words import headline
    from simlab.runs.open_experiment import names_game

    if (tweak is None) != bool(setup.set_ or setup.cards or setup.bot):
        raise InputError(
            "name a second experiment, or give the change by --set, --cards or --bot."
            if tweak is None
            else "with two experiments, --set, --cards and --bot are ambiguous: leave them out."
        )
    # A game has no bots of its own: those that are named with a change of its rules play both sides.
    both = setup.bot if names_game(base) and (setup.set_ or setup.cards) else None
    before = replace(setup, set_=None, ban=None, cards=None, bot=both).open(base)
    after = setup.open(tweak or base)
    with Progress(output.quiet) as progress:
        answer = diff_experiments(before, after, notify=progress.counting)
    if report is not None:
        write_page(answer, report)
    if brief and not output.json:
        show(headline(answer), *([f"\nReport: {report}"] if report else []))
    else:
        show_answer(answer, output.json, page=report)
