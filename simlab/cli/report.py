"""simlab report."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from simlab.cli.options import CellOption, JsonOption, PlayersOption, QuietOption, WhereOption
from simlab.cli.run import print_results, write_report
from simlab.cli.terminal import Progress, emit_json, show
from simlab.errors import InputError, nearest
from simlab.present.blocks import Paragraph
from simlab.questions import questions
from simlab.words import counted as number_of

if TYPE_CHECKING:
    from simlab.runs.results import Results

FORMATS = ("html", "csv", "parquet", "notebook")


def _sections() -> list[str]:
    return [question.name for question in questions() if question.reads_runs]


def report(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A folder of results.")],
    section: Annotated[
        str | None,
        typer.Option(
            "--section",
            metavar="NAME",
            help="Print one section, such as luck, actions or rules, instead of writing the report.",
            autocompletion=_sections,
        ),
    ] = None,
    format_: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="html: the report. csv, parquet: one row per game, with its knobs and the command that replays it. "
            "notebook: FOLDER/explore.ipynb, with the run's numbers and charts as cells to edit.",
            autocompletion=lambda: list(FORMATS),
        ),
    ] = "html",
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="File for csv or parquet. Without it, CSV is printed."),
    ] = None,
    where: WhereOption = None,
    cell: CellOption = None,
    players: PlayersOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Write the report of a run, or its games as a table, or a notebook.

    The report is one file, FOLDER/report.html, which needs no network. The results may be untrusted: they are read as
    data, and nothing in them is run. The columns of a table are those of `simlab info GAME columns`.

    Exit status: 0; 5 if games of a finished run are missing; the report says which.

    Examples:
      simlab sweep simple_siege --vary walls_start=3..5 -n 200 --out results/walls
      simlab report results/walls
      simlab report results/walls --section actions
      simlab report results/walls --format csv --where "turns > 12 and walls_start = 5"
      simlab report results/walls --format parquet --out walls.parquet
      simlab report results/walls --format notebook
    """
    from simlab.runs.results import load

    if format_ not in FORMATS:
        raise InputError(f"--format {format_}: {nearest(format_, FORMATS)}")
    of_games = format_ in ("csv", "parquet")
    if (where or cell or out) and not of_games:
        raise InputError("--where, --cell and --out go with --format csv or --format parquet.")
    if players and not section:
        raise InputError("--players goes with --section.")
    if section and format_ != "html":
        raise InputError("--section and --format are two outputs: use one.")
    if of_games:
        _games(folder, format_, out, where, cell)
    elif format_ == "notebook":
        _notebook(load(folder), folder / "explore.ipynb")
    elif section:
        _section(load(folder), section, json, players)
    else:
        _html(load(folder), folder, json, quiet)


def _html(results: Results, folder: Path, json: bool, quiet: bool) -> None:
    if not os.access(folder, os.W_OK):
        raise InputError(
            f"{folder}: no permission to write, and the report is written into the folder. Copy the folder, and report "
            "the copy: simlab report COPY"
        )
    with Progress(quiet) as progress:
        write_report(results, True, progress)
    print_results(results, json)
    if results.lost:
        raise typer.Exit(5)


def _games(folder: Path, format_: str, out: Path | None, where: str | None, cell: str | None) -> None:
    from simlab.runs.query import columns_of, exported
    from simlab.runs.results import load
    from simlab.runs.table_file import check_name, write_table

    if out is None and format_ == "parquet":
        raise InputError("--format parquet needs a file: --out games.parquet")
    if out is not None:
        check_name(out)
        if out.suffix.lower() != f".{format_}":
            raise InputError(f"--out {out}: --format {format_} writes a file that ends in .{format_}.")
    results = load(folder)
    rows = write_table(exported(results, where, cell), out, "games", columns_of(results) if out else None)
    if out is not None:
        show(f"{number_of(rows, 'game')} written to {out}.")


def _notebook(results: Results, path: Path) -> None:
    from simlab.report.notebook import write

    if path.exists():
        raise InputError(f"{path} exists, and may hold your own work. Move it away to get a new one.")
    try:
        write(results, path)
    except OSError as fault:
        raise InputError(f"{path}: cannot be written ({fault.strerror}).") from None
    show(f"Written: {path}. Open it with JupyterLab, VS Code or another notebook editor.")


def _section(results: Results, name: str, as_json: bool, players: int | None) -> None:
    from simlab.present.terminal import renderables

    question = {question.name: question for question in questions() if question.reads_runs}.get(name)
    if question is None:
        raise InputError(f"--section {name}: there is no such section. {nearest(name, _sections())}")
    if players:
        results = results.table(players)
    elif len(results.sizes) > 1:
        sizes = ", ".join(map(str, results.sizes))
        raise InputError(f"{results.folder}: has games of {sizes} players. Name one with --players.")
    nothing = Paragraph(f"This run has no answer to {name}. A run with a report has more answers (--report).")
    answer = question.of_run(results)
    if answer is None:
        raise InputError(f"{results.folder}: {nothing.text}")
    if as_json:
        emit_json(answer.to_json())
    else:
        show(*renderables(getattr(question.section(answer), "blocks", (nothing,))))
