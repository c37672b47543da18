"""The output of `simlab run`, `sweep`, `compare` and `report`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from simlab import shell
from simlab.present.blocks import Block, Paragraph
from simlab.questions.bots.analysis import matrix_of
from simlab.questions.bots.analysis import of_run as bots_of
from simlab.questions.bots.words import matrix_blocks
from simlab.questions.contract.words import summary as contract_table
from simlab.questions.fair_settings import analysis as fair_settings
from simlab.questions.headline.analysis import of_run as headline_of
from simlab.questions.knob_changes import words as knob_changes_words
from simlab.questions.knob_changes.analysis import of_run as knob_changes_of
from simlab.questions.ladder.analysis import climb, is_ladder
from simlab.questions.method.analysis import prespecified
from simlab.questions.method.words import exploratory, reach_sentence
from simlab.questions.metrics.analysis import own_lines
from simlab.questions.metrics.words import table as metrics_table
from simlab.questions.player_counts import words as player_counts
from simlab.questions.sensitivity import analysis as sensitivity
from simlab.questions.single_changes import analysis as single_changes
from simlab.questions.win_rates.analysis import of_run as win_rates_of
from simlab.questions.win_rates.words import MOST_LINES, tables
from simlab.runs.results import Results
from simlab.runs.view import View, view_of


def blocks(results: Results) -> Iterator[Block]:
    """The results; for several player counts, their comparison and the results of each."""
    if results.partial:
        yield Paragraph(results.gap)
    if results.cut_off:
        yield Paragraph(f"TRUNCATED: {results.cut_off}")
    if len(results.sizes) > 1:
        yield from player_counts.blocks(results)
        for view in map(view_of, results.tables):
            if len(view.cells) > 1:
                yield from (Paragraph(""), Paragraph(f"{len(view.seats)} players"), *_answers(view))
            yield from _own_metrics(view)
    else:
        view = view_of(results)
        yield from (*_answers(view), *_own_metrics(view))
        if "tournament" in results.experiment and not view.varied:
            yield Paragraph(exploratory(prespecified(view)))
    path = results.folder / "report.html"
    command = shell.join(["simlab", "report", str(results.folder)])
    there = f"Report: {path}" if path.exists() else f"Results are in {results.folder}. For a report: {command}"
    yield Paragraph(there)


def _answers(view: View) -> Iterator[Block]:
    """The main result, the answers of a sweep, and in a tournament the bots compared."""
    tournament = "tournament" in view.results.experiment
    if tournament and not view.varied:
        yield from headline_of(view).to_blocks()
    elif not view.designed:
        yield from headline(view)
    for question in (single_changes, fair_settings, sensitivity):
        if answer := question.of_run(view.results):
            yield from answer.to_blocks()
    if tournament:
        yield from (climb(view) if is_ladder(view) else bots_of(view)).to_blocks()


def headline(results: Any) -> Iterator[Block]:
    """The verdict, the table of cells or of groups of cells, the contract.

    Raises:
        InputError: no game was played.
    """
    view = view_of(results)
    answer = headline_of(view)
    yield from answer.to_blocks()
    yield from win_rates(view)
    if changes := knob_changes_of(view):
        yield from knob_changes_words.in_brief(changes)
    matrix = matrix_of(view)
    if matrix is not None and min(len(matrix.rows), len(matrix.columns)) > 1:
        yield from matrix_blocks(matrix, bool(view.varied))
    if answer.contract:
        yield contract_table(answer.contract)
    yield Paragraph(reach_sentence(view), "note")


def win_rates(results: Any) -> Iterator[Block]:
    """One line per cell: games, win rates, length, endings. Groups of cells if there are more than 40."""
    answer = win_rates_of(results, MOST_LINES)
    return tables(answer, answer.setup, endings=True)


def _own_metrics(view: View) -> Iterator[Block]:
    lines = own_lines(view)
    if lines:
        yield metrics_table(lines, "Your own metrics")
