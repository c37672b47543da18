"""simlab optimize rules."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from simlab.cli.common import (
    HOW,
    OUTPUT,
    PLAY,
    ExperimentArgument,
    OutOption,
    Output,
    PlanOption,
    Progress,
    Variation,
    WorkersOption,
    bot_lists,
    count,
    emit_json,
    positive,
    resume_command,
    show,
    table,
)

if TYPE_CHECKING:
    from simlab.studies.mend import Mend


def mend(
    context: typer.Context,
    experiment: ExperimentArgument,
    played: Variation,
    output: Output,
    knobs: Annotated[
        str | None,
        typer.Option(
            "--knobs",
            metavar="KNOB,KNOB",
            help="Knobs that may change; all that the experiment does not set, if not given.",
            rich_help_panel=PLAY,
        ),
    ] = None,
    cards_may_change: Annotated[
        list[str] | None,
        typer.Option(
            "--cards-may-change",
            metavar="TABLE.COLUMN",
            help="Cells of a component table that may change, as fate.steps; again for another column.",
            rich_help_panel=PLAY,
        ),
    ] = None,
    most_changes: Annotated[
        int,
        typer.Option(
            "--most-changes", metavar="N", parser=positive, help="How many may change.", rich_help_panel=PLAY
        ),
    ] = 3,
    also: Annotated[
        list[str] | None,
        typer.Option(
            "--also",
            metavar="SEAT=BOT",
            help="A slow bot that only the finalists meet, as besieger=ismcts:iterations=100:playout=stormer; again "
            "for another.",
            rich_help_panel=PLAY,
        ),
    ] = None,
    also_games: Annotated[
        int,
        typer.Option(
            "--also-games", metavar="N", parser=count, help="Games of a match-up with such a bot.", rich_help_panel=HOW
        ),
    ] = 400,
    games: Annotated[
        int,
        typer.Option(
            "--games", "-n", metavar="N", parser=count, help="Games of each match-up of a finalist.",
            rich_help_panel=PLAY,
        ),
    ] = 4_000,
    budget: Annotated[
        int,
        typer.Option(
            "--budget", metavar="N", parser=count, help="Games of the search before the finals, about.",
            rich_help_panel=HOW,
        ),
    ] = 2_000_000,
    workers: WorkersOption = None,
    plan: PlanOption = False,
    out: OutOption = None,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report", metavar="FILE", help="The report; by default a page in the folder of results.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
) -> None:  # fmt: skip
    """Find the smallest change of the rules that keeps the designer's contract.

    Two aims at once: how far the [contract] is from being kept, and how much is changed (number of knobs, then steps
    away from print); the answer is the front of the two. Bots adapt: each candidate's match-ups are played and judged
    at best play, and a cure that only holds while nobody adapts is shown as such. With --bot these bots alone may
    answer; without it all of the game's, where the table has one or two sides. All candidates meet the same luck; the
    better half of a race goes on with twice the games, and the finalists are played on fresh seeds. A search that is
    stopped goes on where it was; the answer does not depend on the workers.

    Exit status: 0 a change keeps the contract, 1 none that was tried does, 3 so many games cannot tell.

    Examples:
      simlab optimize rules simple_siege_best_play --knobs walls_start --bot besieged=warden --budget 8k -n 1000
      simlab optimize rules simple_siege_best_play --knobs walls_start --bot besieged=warden --plan
    """
    from simlab.runs.open_experiment import load_experiment
    from simlab.studies.mend import mend_experiment, plan_mend

    own = bot_lists(played.bot)
    loaded = load_experiment(
        experiment, played.set_ or (), (), own, seed=played.seed, cards=played.cards or (), players=played.players
    )
    named = [name.strip() for name in (knobs or "").split(",") if name.strip()]
    asked: dict[str, Any] = {
        "knobs": named, "cards": cards_may_change or [], "most_changes": most_changes, "games": games,
        "budget": budget, "also": bot_lists(also), "also_games": also_games, "all_bots": not own, "out": out,
        "workers": workers,
    }  # fmt: skip
    if plan:
        costs = plan_mend(loaded, **asked)
        if output.json:
            emit_json(costs.to_dict(), "mend-plan")
        else:
            show(costs.text)
        return
    with Progress(output.quiet) as progress:
        answer = mend_experiment(loaded, **asked, progress=progress, command=resume_command(context))
        from simlab.report.mend import write_mend

        page = write_mend(answer, report or answer.folder / "mend.html")
    if output.json:
        emit_json({**answer.to_dict(), "report": str(page)}, "mend")
    else:
        _tell(answer, page)
    raise typer.Exit(answer.exit_code)


def _tell(answer: Mend, page: Path) -> None:
    show(*answer.sentences, "")
    columns = ["change", "knobs", "steps", "contract", "verdict", "best play"]
    rows = []
    for point in answer.finalists:
        mark = "* " if point in answer.front else ""
        verdict = "only while nobody adapts" if point.holds_unless_adapted else point.word
        lines = "; ".join(line["short"] for line in point.lines)
        rows.append([mark + point.changes, *point.amount, lines, verdict, "; ".join(point.best_play)])
    show(table(columns, rows, right=columns[1:3]), "* the front: no other changes less and comes nearer.")
    if answer.moved:
        show("", "What else moved:", *(f"  {moved.sentence}" for moved in answer.moved))
    show(*(f"  {text}" for text in answer.dead), *([f"  {answer.luck}"] if answer.luck else []))
    for game in answer.beside:
        show(f"\n{game.why} (game {game.game}):", f"  {game.beside or game.after}")
    show("", answer.rests_on, answer.cost)
    if answer.mended:
        show(f"The mended rules: {answer.mended}, ready for simlab run, check and diff.")
    show(f"Report: {page}")
