"""A notebook for a run: its figures and charts as cells to change, each only where the run has what it shows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from simlab.present.estimate import plain
from simlab.results.view import View

if TYPE_CHECKING:
    from simlab.runs.results import Results

MOST_METRICS = 3  #: charts of own figures; the rest are a name away


def write(results: Results, path: Path) -> None:
    """Writes the notebook (nbformat 4.5), without outputs; it opens the results in its own folder.

    Raises:
        OSError: the file cannot be written.
    """
    made: list[dict[str, object]] = [
        {
            "cell_type": kind, "id": f"cell-{number}", "metadata": {}, "source": text,
            **({"execution_count": None, "outputs": []} if kind == "code" else {}),
        }
        for number, (kind, text) in enumerate(cells(results))
    ]  # fmt: skip
    language = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    book = {"cells": made, "metadata": language, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(book, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _text(words: str) -> str:
    """Words of untrusted results as Markdown shows them: no markup, no HTML, no link."""
    return re.sub(r"([\\`*_\[\]<>$])", r"\\\1", plain(words, 2_000))


def _code(words: str) -> str:
    """The same set as code."""
    return f"`` {plain(words, 2_000).replace('`', chr(39))} ``"


def cells(results: Results) -> Iterator[tuple[str, str]]:
    """Kind (`markdown` or `code`) and text of each cell, in their order."""
    tables = results.tables if len(results.sizes) > 1 else [results]
    view = View(tables[-1])
    title = f"# {_text(view.title)}: {_text(view.name)}"
    yield (
        "markdown",
        "\n\n".join((title, _text(view.question or "What did these games show?"), _code(results.command))),
    )
    yield "code", 'import simlab\n\nrun = simlab.load(".")\nrun'
    if len(tables) > 1:
        yield "markdown", "The run has tables of several sizes; the cells below look at one of them."
        yield "code", f"run = run.table({int(results.sizes[-1])})"
    yield "markdown", "## Who wins"
    yield "code", "run.win_rates()"
    yield "code", "run.plot_win_rates();"
    if view.is_matrix:
        yield "code", "run.plot_matrix();"
    if tables[-1].cells[0].names.seat_categories:
        yield "markdown", "By role, start place or order of play, against the fair share:"
        yield "code", "run.category_win_rates()"
    if view.varied:
        yield "markdown", "## What the knobs do"
        curves = "\n".join(f"knob_curve(run, {knob!r});" for knob in view.varied)
        yield "code", f"from simlab.report.figures import knob_curve\n\n{curves}"
    yield "markdown", "## How games end, and when"
    yield "code", "run.plot_endings();"
    yield "code", "run.plot_ending_turns();"
    yield "code", "run.plot_length();"
    if view.has_scores:
        yield "markdown", "## Scores"
        yield "code", "\n".join(f"run.plot_scores({seat});" for seat in range(len(view.raw_seats)))
    if view.metrics:
        yield (
            "markdown",
            f"## The game's own figures\n\nAll of them: {', '.join(_code(metric.name) for metric in view.metrics)}.",
        )
        yield "code", "\n".join(f"run.plot_metric({metric.name!r});" for metric in view.metrics[:MOST_METRICS])
    yield "markdown", "## What is played, and which rules fire"
    yield "code", "run.plot_actions();"
    yield "code", "run.plot_rules();"
    yield (
        "markdown",
        "## Games one by one\n\nOne row a game, as a Polars table. The longest come first.",
    )
    yield "code", 'run.games.sort("turns", descending=True).head(10)'
