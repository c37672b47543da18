"""simlab optimize rules."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from simlab.cli.options import (
    ExperimentArgument,
    OutOption,
    Output,
    PageOption,
    PlanOption,
    Variation,
    WorkersOption,
    count,
    how_option,
    play_option,
    positive,
    resume_command,
)
from simlab.cli.terminal import Answer, write_page

PANEL = "Judge"


def optimize_rules(
    context: typer.Context,
    experiment: ExperimentArgument,
    played: Variation,
    output: Output,
    knobs: Annotated[
        str | None,
        play_option(metavar="KNOB,KNOB", help="Knobs that may change. Default: all that the experiment does not set."),
    ] = None,
    cards_may_change: Annotated[
        list[str] | None,
        play_option(
            metavar="TABLE.COLUMN",
            help="Column of a component table whose cells may change, such as fate.steps. Repeatable.",
        ),
    ] = None,
    most_changes: Annotated[int, play_option(metavar="N", parser=positive, help="Most changes at once.")] = 3,
    also: Annotated[
        list[str] | None,
        play_option(
            metavar="SEAT=BOT",
            help="A slow bot that only the finalists play against, such as "
            "besieger=ismcts:iterations=100:playout=stormer. Repeatable.",
        ),
    ] = None,
    also_games: Annotated[int, how_option(metavar="N", parser=count, help="Games per match-up with such a bot.")] = 400,
    games: Annotated[
        int, play_option("--games", "-n", metavar="N", parser=count, help="Games per match-up of a finalist.")
    ] = 4_000,
    budget: Annotated[
        int, how_option(metavar="N", parser=count, help="Approximate number of games of the search before the final.")
    ] = 2_000_000,
    workers: WorkersOption = None,
    plan: PlanOption = False,
    out: OutOption = None,
    report: PageOption = None,
) -> Answer:
    """Find the smallest change of the rules that keeps the designer's contract.

    The search has two aims: to come close to the [contract], and to change little (number of knobs, then steps from
    the printed values). The answer is the Pareto front of the two. Bots adapt: all match-ups of a candidate are played,
    and it is judged in best play; the report marks a fix that works only while nobody adapts. With --bot, only these
    bots may respond to a change; without it, all bots of the game may, if it has one or two sides. All candidates use
    common random numbers. The better half of a race continues with twice the games, and the finalists are played on
    held-out seeds. An interrupted search resumes where it stopped, and the answer does not depend on the number of
    workers.

    Exit status: 0 a change keeps the contract, 1 no change that was tried does, 3 inconclusive.

    Examples:
      simlab optimize rules simple_siege_best_play --knobs walls_start --bot besieged=warden --budget 8k -n 1000
      simlab optimize rules simple_siege_best_play --knobs walls_start --bot besieged=warden --plan
    """
    from simlab.questions.fixes.analysis import find_fixes, plan_fixes
    from simlab.questions.fixes.problem import Problem
    from simlab.runs.open_experiment import load_experiment
    from simlab.spec.draft import read_bot_options

    own = read_bot_options(played.bot)
    loaded = load_experiment(
        experiment, played.set_ or (), bots=own, seed=played.seed, cards=played.cards or (), players=played.players
    )
    problem = Problem(
        loaded, knobs=[name.strip() for name in (knobs or "").split(",") if name.strip()], cards=cards_may_change or [],
        most_changes=most_changes, games=games, budget=budget, also=read_bot_options(also), also_games=also_games,
        all_bots=not own, out=out, workers=workers,
    )  # fmt: skip
    if plan:
        return plan_fixes(problem)
    answer = find_fixes(problem, output.progress, resume_command(context))
    page = write_page(answer, report or Path(answer.folder) / "fixes.html")
    return answer.model_copy(update={"report": str(page)})


COMMANDS = {"optimize rules": optimize_rules}
