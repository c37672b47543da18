"""simlab run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from simlab.cli.options import ExperimentArgument, PlayOptions, Setup, VaryOption, resume_command
from simlab.cli.terminal import Progress, emit_json, show, show_answer

if TYPE_CHECKING:
    from collections.abc import Callable

    from simlab.runs.results import Results
    from simlab.runs.runner import GamesFailed
    from simlab.spec.experiment import Experiment

ENOUGH_FOR_A_REPORT = 10_000  # games; fewer are a quick look, which charts would make three times as slow


def run(
    context: typer.Context, experiment: ExperimentArgument, setup: Setup, playing: PlayOptions, vary: VaryOption = None
) -> None:
    """Play an experiment file, or a game as it is, and print the results; or resume an interrupted run.

    The results go into a folder: one row per game, exact counts, and for 10,000 games or more a report. The same
    command resumes after an interruption. Options override the file; the name of the folder then includes them, and
    results of other experiments are not touched. A [contract] in the file is judged in the output and the report; use
    `simlab check` to get its verdict as an exit status.

    Examples:
      simlab run simple_siege_best_play -n 200
      simlab run simple_siege_best_play -n 200 --set walls_start=6 --json
    """
    play(setup.open(experiment, vary or ()), playing, context)


def play(experiment: Experiment, playing: PlayOptions, context: typer.Context, note: str = "") -> None:
    """Plays an experiment and prints its results, or with --plan its cost.

    Args:
        note: printed before the first game.
    """
    from simlab.runs import runner

    if playing.plan:
        from simlab.questions.run_plan.analysis import plan

        show_answer(plan(experiment, playing.out, playing.workers), playing.json)
        return
    with Progress(playing.quiet) as progress:
        if note:
            progress.say(note)
        results, fault = partial_results(
            lambda: runner.run(
                experiment, playing.out, playing.workers, playing.backend, playing.scheduler, progress, playing.force,
                timeout=playing.timeout, command=resume_command(context),
            )
        )  # fmt: skip
        results = write_report(results, playing.report, progress, experiment)
    print_results(results, playing.json, fault)


def partial_results(play: Callable[[], Results]) -> tuple[Results, GamesFailed | None]:
    """The results of a run without its failed games, and the error to raise at the end, if any.

    Raises:
        GamesFailed: there are no games.
    """
    from simlab.runs.results import load
    from simlab.runs.runner import GamesFailed

    try:
        return play(), None
    except GamesFailed as fault:
        results = load(fault.folder)
        if not results.cells:
            raise
        return results, fault


def write_report(
    results: Results, wanted: bool | None, progress: Progress, experiment: Experiment | None = None
) -> Results:
    """Writes the report if requested, or by default if there are many games or an old report exists. If the experiment
    is given, the run is analysed first (simlab.questions.after_run).

    Returns:
        the results with these analyses.
    """
    if wanted is None:
        games = sum(cell.games for cell in results.cells)
        wanted = games >= ENOUGH_FOR_A_REPORT or (results.folder / "report.html").exists()
    if wanted:
        from simlab.questions.after_run import study
        from simlab.questions.decision_cost.analysis import measure
        from simlab.report import html
        from simlab.runs.results import load

        if experiment:
            added = study(results, experiment, progress.say)
            added |= measure(results, experiment, progress.say)
            results = load(results.folder) if added else results
        progress.say("writing the report")
        html.write_report(results)
    return results


def print_results(results: Results, json: bool, fault: GamesFailed | None = None) -> None:
    """Prints results as JSON, or as tables with the answers of a sweep or a tournament. Then raises the error."""
    if json:
        from simlab.questions.run_results.analysis import of

        emit_json(of(results).to_json())
    else:
        from simlab.present.terminal import renderables
        from simlab.report.summary import blocks

        show(*renderables(blocks(results)))
    if fault:
        raise fault
