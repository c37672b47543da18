"""simlab run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from simlab import shell
from simlab.cli.options import ExperimentArgument, PlayOptions, Setup, VaryOption, resume_command
from simlab.cli.terminal import Progress, emit_json, show, show_answer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import RenderableType

    from simlab.questions.win_rates.analysis import RunAnswer
    from simlab.runs.results import Results
    from simlab.runs.runner import GamesFailed
    from simlab.runs.view import View
    from simlab.spec.experiment import Experiment

ENOUGH_FOR_A_REPORT = 10_000  # games; fewer are a quick look, which charts would make three times as slow


def run(
    context: typer.Context, experiment: ExperimentArgument, setup: Setup, playing: PlayOptions, vary: VaryOption = None
) -> None:
    """Play an experiment file, or a game as it is, and print the results; or resume it.

    The results go into a folder: one row per game, exact counts, and for 10,000 games or more a report. The same
    command resumes after an interruption. Options override the file; the name of the folder then includes them, and
    results of other experiments are not touched. A [contract] in the file is judged in the output and the report; for
    an exit status use `simlab check`.

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
    """The results of a run without its failed games, and the fault to end with, if any.

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
    """Writes the report if it is wanted; by default if there are many games or an old report exists. If the experiment
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
    """Prints results as JSON, or as tables with the answers of a sweep or a tournament. Then raises the fault."""
    if json:
        emit_json(run_answer(results).to_json())
    else:
        show(*_printed(results))
    if fault:
        raise fault


def _printed(results: Results) -> Iterator[RenderableType]:
    """The results; of several player counts, the comparison and each player count."""
    from simlab.present.terminal import renderables
    from simlab.questions.method.analysis import prespecified
    from simlab.questions.method.words import exploratory
    from simlab.report import players
    from simlab.runs.view import view_of

    if results.partial:
        yield results.gap
    if results.cut_off:
        yield f"TRUNCATED: {results.cut_off}"
    if len(results.sizes) > 1:
        yield from renderables(players.blocks(results))
        for view in map(view_of, results.tables):
            if len(view.cells) > 1:
                yield from ("", f"{len(view.seats)} players", *_summary(view))
            yield from _own_metrics(view)
    else:
        view = view_of(results)
        yield from (*_summary(view), *_own_metrics(view))
        if "tournament" in results.experiment and not view.varied:
            yield exploratory(prespecified(view))
    path = results.folder / "report.html"
    command = shell.join(["simlab", "report", str(results.folder)])
    yield f"Report: {path}" if path.exists() else f"Results are in {results.folder}. For a report: {command}"


def _summary(view: View) -> Iterator[RenderableType]:
    """The main result, the answers of a sweep, and in a tournament the bots compared."""
    from simlab.present.terminal import renderables
    from simlab.questions.bots.analysis import of_run
    from simlab.questions.fair_settings import analysis as fair_settings
    from simlab.questions.ladder.analysis import climb, is_ladder
    from simlab.questions.sensitivity import analysis as sensitivity
    from simlab.questions.single_changes import analysis as single_changes
    from simlab.report import balance

    tournament = "tournament" in view.results.experiment
    if tournament and not view.varied:
        yield from renderables(balance.first_screen(view))
    elif not view.designed:
        yield balance.headline(view)
    for question in (single_changes, fair_settings, sensitivity):
        if answer := question.of_run(view.results):
            yield from renderables(answer.to_blocks())
    if tournament:
        yield from renderables((climb(view) if is_ladder(view) else of_run(view)).to_blocks())


def run_answer(results: Results) -> RunAnswer:
    """The answer of a run."""
    from simlab.questions.bots.analysis import of_run
    from simlab.questions.fair_settings import analysis as fair_settings
    from simlab.questions.knob_effects import analysis as knob_effects
    from simlab.questions.ladder.analysis import climb, is_ladder
    from simlab.questions.sensitivity import analysis as sensitivity
    from simlab.questions.single_changes import analysis as single_changes
    from simlab.questions.win_rates.analysis import RunAnswer
    from simlab.report import balance, players
    from simlab.runs.view import view_of

    def answers(view: View) -> dict[str, Any]:
        if is_ladder(view):
            return {"ladder": climb(view)}
        compared = "tournament" in results.experiment
        return {
            "single_changes": single_changes.of_run(view), "bots": of_run(view) if compared else None,
            "fair_settings": fair_settings.of_run(view), "sensitivity": sensitivity.of_run(view),
            "knob_effects": knob_effects.of_run(view),
        }  # fmt: skip

    if len(results.sizes) > 1:
        tables = zip(players.lines(results), results.tables, strict=True)
        counts = [line.model_copy(update=answers(view_of(table))) for line, table in tables]
        found: dict[str, Any] = {"tables": counts}
    else:
        view = view_of(results)
        found = {"verdict": balance.verdict(view).to_dict(), **answers(view)}
    return RunAnswer.model_validate({**results.summary(), **found})


def _own_metrics(view: View) -> Iterator[RenderableType]:
    from simlab.present.terminal import renderables
    from simlab.questions.metrics.analysis import own_lines
    from simlab.questions.metrics.words import table

    lines = own_lines(view)
    return renderables((table(lines, "Your own metrics"),) if lines else ())
