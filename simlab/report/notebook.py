"""A notebook for a run: its numbers and charts as cells to edit."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from simlab.present.estimate import plain
from simlab.runs.results import Results
from simlab.runs.view import View

MOST_METRICS = 3  #: charts of metrics


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
    """Text of untrusted results for Markdown: no markup, no HTML, no link."""
    return re.sub(r"([\\`*_\[\]<>$])", r"\\\1", plain(words, 2_000))


def _code(words: str) -> str:
    """Text of untrusted results as Markdown code."""
    return f"`` {plain(words, 2_000).replace('`', chr(39))} ``"


def cells(results: Results) -> Iterator[tuple[str, str]]:
    """Kind (`markdown` or `code`) and text of each cell, in order."""
    tables = results.tables if len(results.sizes) > 1 else [results]
    view = View(tables[-1])
    question = _text(view.question or "What did these games show?")
    yield "markdown", f"# {_text(view.title)}: {_text(view.name)}\n\n{question}\n\n{_code(results.command)}"
    yield "code", 'import simlab\n\nrun = simlab.load(".")\nrun'
    if len(tables) > 1:
        yield "markdown", "The run has games of several player counts; the cells below read one of them."
        yield "code", f"run = run.table({int(results.sizes[-1])})"
    yield "markdown", "## Who wins"
    yield "code", "run.win_rates()"
    yield "code", "run.plot_win_rates();"
    if view.is_matrix:
        yield "code", "run.plot_matrix();"
    if tables[-1].cells[0].names.seat_categories:
        yield "markdown", "By role, start place or order of play, compared with the fair share:"
        yield "code", "run.category_win_rates()"
    if view.varied:
        yield "markdown", "## What the knobs do"
        yield "code", "\n".join(f"run.plot_knob_curve({knob!r});" for knob in view.varied)
    yield "markdown", "## How games end, and when"
    yield from (("code", f"run.plot_{name}();") for name in ("endings", "ending_turns", "length"))
    if view.has_scores:
        yield "markdown", "## Scores"
        yield "code", "\n".join(f"run.plot_scores({seat});" for seat in range(len(view.raw_seats)))
    if view.metrics:
        names = ", ".join(_code(metric.name) for metric in view.metrics)
        yield "markdown", f"## Metrics of the game\n\nAll of them: {names}."
        yield "code", "\n".join(f"run.plot_metric({metric.name!r});" for metric in view.metrics[:MOST_METRICS])
    yield "markdown", "## What the bots do, and which rules fire"
    yield "code", "run.plot_actions();"
    yield "code", "run.plot_rules();"
    yield "markdown", "## The games\n\nOne row per game, as a Polars table. The longest come first."
    yield "code", 'run.games.sort("turns", descending=True).head(10)'
