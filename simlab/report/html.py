"""The report: one HTML file that opens by a double click, needs no network, prints on A4 and reads on a
phone.

There is no script in it, and a content policy that forbids any: whatever names an untrusted folder contains,
it is shown as text. The same results give the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from markupsafe import Markup

from simlab.present import drawing
from simlab.present.blocks import Block, Chart, Section
from simlab.present.estimate import plain
from simlab.present.html import html, templates
from simlab.questions import CHAPTERS, questions
from simlab.questions.contract import words as contract_words
from simlab.questions.contract.analysis import of_run as contract_of
from simlab.report import (
    balance,
    players,
)
from simlab.runs import drill_down
from simlab.runs.view import View, view_of

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")  # names of untrusted results may hold them


def write_report(results: Any, folder: Path | None = None, mark: str = "") -> Path:
    """Writes report.html, and the charts as SVG files next to it.

    Args:
        results: simlab.runs.results.Results.
        folder: where to; by default the results' own.
        mark: of one table in a run of several sizes: the end of the files' names.
    Returns:
        path of the report.
    Raises:
        InputError: no game was played, or `figures` is a link.
        RunFailed: the disk is full or the folder cannot be written.
    """
    from simlab.runs.store import atomic_write, refuse_links, remove_leftovers

    target = Path(results.folder if folder is None else folder)
    refuse_links(target, "figures/x")
    for place in (target, target / "figures"):
        remove_leftovers(place)
    if len(results.sizes) > 1:
        return players.write_pages(results, target, write_report)
    report = Report(view_of(results))
    text = report.html()
    end = f"-{mark}" if mark else ""
    # Lone surrogates, which JSON can hold and UTF-8 cannot, become question marks.
    for name, svg in report.files.items():
        atomic_write(target / "figures" / f"{name}{end}.svg", drawing.standalone(svg).encode("utf-8", "replace"))
    path = target / f"report{end}.html"
    atomic_write(path, text.encode("utf-8", "replace"))
    return path


def render(results: Any) -> str:
    """The report as text."""
    if len(results.sizes) > 1:
        return players.page(results)
    return Report(view_of(results)).html()


class Report:
    """Puts the answers on one page.

    Attributes:
        files: name -> SVG document, of the charts drawn so far.
    """

    def __init__(self, view: View) -> None:
        self.view = view
        self.files: dict[str, str] = {}
        self.every = drill_down.all_games(view, view.all)

    def html(self) -> str:
        environment = templates()
        style = Markup(environment.get_template("report.css").render())
        page = environment.get_template("report.html.j2").render(style=style, **self.content())
        return _CONTROLS.sub("", page)

    def linked(self, blocks: Iterable[Block]) -> Iterator[Block]:
        """Blocks whose charts link to their games: all games of the page, unless a chart declares others."""
        for block in blocks:
            if isinstance(block, Section):
                yield replace(block, blocks=tuple(self.linked(block.blocks)))
            elif isinstance(block, Chart) and block.games is None and not block.made_by and self.every:
                yield replace(block, games=(self.every,))
            else:
                yield block

    def picture(self, chart: Chart) -> Markup:
        """Draws a chart of a question for the page."""
        self.files[chart.name] = drawing.svg_text(chart.draw())
        return Markup(drawing.inline_svg(self.files[chart.name], f"{chart.name}-", chart.caption))

    def chapters(self) -> dict[str, list[dict[str, Any]]]:
        """Chapter -> the sections of the questions (simlab.questions) that have an answer in these results."""
        chapters: dict[str, list[dict[str, Any]]] = {name: [] for name in CHAPTERS}
        for question in sorted(questions(), key=lambda question: question.place[1]):
            section = question.section(question.of_run(self.view.results)) if question.reads_runs else None
            if section:
                drawn = html(self.linked((section,)), self.picture)
                chapters[question.place[0]].append({"name": section.name, "title": section.title, "html": drawn})
        return chapters

    def content(self) -> dict[str, Any]:
        """Data of the template: the section of each answer."""
        view = self.view
        wanted = contract_of(view)
        contract = (contract_words.summary(wanted),) if wanted else ()
        return {
            "view": view,
            "every": self.every,
            "mood": balance.verdict(view).mood,
            "first_screen": html(self.linked((*balance.first_screen(view), *contract)), self.picture, 3),
            "partial": view.results.partial,
            "gap": plain(view.results.gap, 1_000),
            "cut_off": plain(view.results.cut_off, 1_000),
            "wins": html(self.linked((balance.section(view),)), self.picture),
            "chapters": self.chapters(),
        }
