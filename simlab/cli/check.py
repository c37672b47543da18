"""simlab check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from simlab.cli.common import (
    BackendOption,
    BotOption,
    CardsOption,
    ExperimentArgument,
    ForceOption,
    GamesOption,
    JsonOption,
    OutOption,
    Progress,
    QuietOption,
    SchedulerOption,
    SeedOption,
    SetOption,
    VaryOption,
    WorkersOption,
    bot_lists,
    emit_json,
    resume_command,
    show,
    table,
)
from simlab.errors import UserMistake

if TYPE_CHECKING:
    from simlab.engine.tally import Tally
    from simlab.experiments.experiment import Experiment
    from simlab.game import Game
    from simlab.runs.results import Results
    from simlab.runs.store import Names
    from simlab.stats.verdict import Clause
    from simlab.studies.baseline import Change, Check

_LEVEL = 0.95  # chance with which all intervals of a check hold together
_MOST_ROWS = 30
_STATUS = {"met": 0, "broken": 1, "cannot tell yet": 3}


def check(
    context: typer.Context,
    experiment: ExperimentArgument,
    against: Annotated[
        Path | None,
        typer.Option("--against", metavar="BASELINE", help="A baseline (folder or .json), or a folder of results."),
    ] = None,
    tolerance: Annotated[
        float,
        typer.Option(
            "--tolerance",
            metavar="SHARE",
            help="How far a rate may move, the mean length by that share, other means by that share of their range.",
        ),
    ] = 0.01,
    write_baseline: Annotated[
        Path | None,
        typer.Option(
            "--write-baseline",
            metavar="FOLDER",
            help="Play, and write a baseline there instead of comparing.",
        ),
    ] = None,
    bot: BotOption = None,
    set_: SetOption = None,
    vary: VaryOption = None,
    cards: CardsOption = None,
    games: GamesOption = None,
    seed: SeedOption = None,
    workers: WorkersOption = None,
    backend: BackendOption = "loky",
    scheduler: SchedulerOption = None,
    force: ForceOption = False,
    out: OutOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Does the game keep the designer's contract? Did a change of the rules move anything?

    Without --against, the [contract] of the experiment is judged line by line: met, broken, or cannot tell yet and
    how many more games it would take. Games are played in growing batches until all lines are decided, at most
    --games a cell; the verdicts hold however often one looks. With --against, the baseline's games are played
    again, same seed, same games: either all are identical, or each figure is compared on pairs of games with the
    same luck: better or worse (by the contract), changed, the same within the tolerance, or cannot tell yet. The
    change can be in the game's code, its tables, the file, or in --set.

    Exit status: 0 met, identical, the same or better; 1 broken, worse or changed; 3 so many games cannot tell.

    Examples:
      simlab check simple_siege_remedies -n 100 --write-baseline my_baseline
      simlab check simple_siege_remedies --against my_baseline
      simlab check simple_siege_remedies --against my_baseline --json
    """
    from simlab.experiments.load import load_experiment

    if against and write_baseline:
        raise UserMistake("--against compares and --write-baseline writes: give one of them.")
    if against and (games is not None or seed is not None):
        raise UserMistake("--games and --seed are the baseline's: leave them out with --against.")
    loaded = load_experiment(
        experiment, set_ or (), vary or (), bot_lists(bot), games=games, seed=seed, cards=cards or ()
    )
    with Progress(quiet) as progress:
        if write_baseline:
            _write(loaded, experiment, write_baseline, json, progress)
            return
        if against:
            status = _compare(loaded, against, tolerance, json, progress)
        else:
            if not loaded.contract:
                raise UserMistake(
                    f"{experiment}: has no [contract] to judge. Add one, or compare with a baseline: --against FOLDER."
                )
            results = _play(loaded, out, workers, backend, scheduler, progress, force, resume_command(context))
            status = _judge(loaded, results, json)
    raise typer.Exit(status)


def _write(experiment: Experiment, text: str, folder: Path, json: bool, progress: Progress) -> None:
    from simlab.studies.baseline import write_baseline

    done = write_baseline(experiment, folder, progress.counting)
    size = (folder / "baseline.json").stat().st_size
    if json:
        emit_json({"baseline": str(folder), "cells": len(done.cells), "games": done.games, "bytes": size})
        return
    show(
        f"{folder}: a baseline of {done.games:,} games in {len(done.cells)} cells, {size / 1000:,.0f} kB.",
        f"Compare with: simlab check {text} --against {folder}",
    )


def _compare(experiment: Experiment, against: Path, tolerance: float, json: bool, progress: Progress) -> int:
    from simlab.studies.baseline import check_against, read_baseline

    found = check_against(experiment, read_baseline(against), tolerance=tolerance, tell=progress.counting)
    if json:
        emit_json(found.to_dict())
    else:
        _tell(found)
    return found.exit_code


def _tell(found: Check) -> None:
    from simlab.studies.baseline import WORST

    show(found.sentence)
    if not found.same_rules:
        moved = "no game shows it" if found.verdict == "identical" else "that may be why"
        show(f"Code or tables changed since the baseline was written (their digests differ); {moved}.")
    knobs = {(name, *pair) for cell in found.cells for name, pair in cell.knobs.items()}
    if knobs and len(knobs) <= 20:
        show("Knobs that differ: " + ", ".join(f"{name} {then} -> {now}" for name, then, now in sorted(knobs, key=str)))
    if found.new:
        show(f"Not compared, since the baseline has not got them: {len(found.new)} cells, the first '{found.new[0]}'.")
    unknown = sorted({name for cell in found.cells for name in cell.unknown})
    if unknown:
        show(f"Not compared, since the baseline or the game has not got them: {', '.join(unknown)}.")
    lines = [(cell, change) for cell in found.cells for change in cell.changes]
    lines.sort(key=lambda line: WORST.index(line[1].verdict))
    if lines:
        rows = [[c.label, f"{c.differ:,} of {c.games:,}", *_figure(change)] for c, change in lines[:_MOST_ROWS]]
        columns = [
            "cell",
            "games that differ",
            "figure",
            "before",
            "after",
            "difference",
            "interval",
            "verdict",
        ]
        show(table(columns, rows, right=columns[3:6]))
        if len(lines) > len(rows):
            show(f"... and {len(lines) - len(rows)} more rows: --json prints them all.")
        share = f"{100 * found.level:g} %"
        show(
            f"Intervals are paired, on the same games, and hold for all figures at once ({share}), however often "
            "one looks. Those of means assume that no game changes by more than the games that changed, or where few "
            "did, than games of either side lie apart."
        )
        first = next(cell for cell in found.cells if cell.replay)
        show(f"The first game that differs ({first.label}): {first.replay}")


def _figure(change: Change) -> list[str]:
    paired, rate = change.paired, change.is_rate
    scale, unit = (100.0, " %") if rate else (1.0, "")
    ends = f"{scale * paired.low:+.2f} to {scale * paired.high:+.2f}"
    return [
        change.figure, f"{scale * paired.mean_a:.2f}{unit}", f"{scale * paired.mean_b:.2f}{unit}",
        f"{scale * paired.difference:+.2f}", ends, change.verdict,
    ]  # fmt: skip


def _play(experiment: Experiment, out: Path | None, *how: Any) -> Results:
    """Plays until each line of the contract is decided in each cell, or the games are used up."""
    from simlab.runs import runner
    from simlab.stats.verdict import UNDECIDED

    workers, backend, scheduler, progress, force, command = how
    game = experiment.load_game()

    def still_open(counts: Mapping[str, Tally]) -> set[str]:
        clauses = _clauses(experiment, list(counts.items()), game)
        return {line.where for clause in clauses for line in clause.lines if line.verdict == UNDECIDED}

    return runner.run(
        experiment, out, workers, backend, scheduler, progress, force, command=command, judge=still_open,
        ending="-check",
    )  # fmt: skip


def _clauses(experiment: Experiment, cells: Sequence[tuple[str, Tally]], names: Names | Game) -> list[Clause]:
    from simlab.stats.verdict import judge

    contract = {name: goal.model_dump(exclude_none=True) for name, goal in experiment.contract.items()}
    return judge(contract, cells, names.seats, names.endings, _LEVEL, names.measures)


def _judge(experiment: Experiment, results: Results, json: bool) -> int:
    from simlab.stats.verdict import overall
    from simlab.studies.baseline import finite

    cells = [(cell.label, cell.tally) for cell in results.cells]
    games = {cell.label: cell.games for cell in results.cells}
    clauses = _clauses(experiment, cells, results.names)
    word = overall(clauses)
    if json:
        lines: list[dict[str, Any]] = [
            {
                "figure": line.name, "cell": line.where, "games": games[line.where], "estimate": finite(line.estimate),
                "low": finite(line.low), "high": finite(line.high), "wanted": line.wanted,
                "verdict": line.verdict, "more_games": line.more_games, "sentence": line.sentence,
            }
            for clause in clauses
            for line in clause.lines
        ]  # fmt: skip
        played: dict[str, Any] = {"games": sum(games.values()), "budget": experiment.most_games, "level": _LEVEL}
        said = {
            "verdict": word,
            "exit_status": _STATUS[word],
            "folder": str(results.folder),
            "cut_off": results.cut_off,
        }
        emit_json({**said, **played, "lines": lines})
        return _STATUS[word]
    show(f"The contract of {experiment.name}: {word}.")
    for clause in clauses:
        for line in clause.lines:
            where = f"{line.where}: " if len(cells) > 1 else ""
            show(f"  {where}{line.sentence}")
    if results.cut_off:
        show(f"CUT OFF: {results.cut_off}")
    budget, most = experiment.most_games, max(games.values())
    each = " a cell" if len(cells) > 1 else ""
    if word == "cannot tell yet":
        show(f"All {budget:,} games{each} were played. Allow more: -n {2 * budget}; what was played counts.")
    elif most < budget:
        show(f"Decided after {most:,} of at most {budget:,} games{each}.")
    show(f"The intervals hold together with {100 * _LEVEL:g} %, however often one looks or goes on.")
    return _STATUS[word]
