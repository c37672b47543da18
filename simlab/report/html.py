"""The report: one HTML file that opens by a double click, needs no network, prints on A4 and reads on a
phone.

It has no script, and its content policy forbids scripts. Every name in an untrusted folder is shown as text. The same
results give the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from simlab.present import drawing
from simlab.present.blocks import Block, Chart, GamesLink, Paragraph, Section
from simlab.present.estimate import plain
from simlab.present.html import inline, page
from simlab.questions import CHAPTERS, questions
from simlab.questions.player_counts import words as player_counts
from simlab.questions.player_counts.analysis import lines
from simlab.runs import drill_down
from simlab.runs.files import atomic_write, refuse_links, remove_leftovers
from simlab.runs.view import View, view_of


def write_report(results: Any, folder: Path | None = None, mark: str = "") -> Path:
    """Writes report.html, and the charts as SVG files next to it.

    Args:
        folder: output folder; by default that of the results.
        mark: the end of the file names, for one player count in a run that has several.
    Raises:
        InputError: no game was played, or `figures` is a link.
        RunFailed: the disk is full or the folder cannot be written.
    """
    target = Path(results.folder if folder is None else folder)
    refuse_links(target, "figures/x")
    for place in (target, target / "figures"):
        remove_leftovers(place)
    for table in results.tables if len(results.sizes) > 1 else ():
        write_report(table, target, player_counts.mark(table))
    end, (text, files) = f"-{mark}" if mark else "", _page(results)
    # Lone surrogates, which JSON can hold and UTF-8 cannot, become question marks.
    for name, svg in files.items():
        atomic_write(target / "figures" / f"{name}{end}.svg", drawing.standalone(svg).encode("utf-8", "replace"))
    path = target / f"report{end}.html"
    atomic_write(path, text.encode("utf-8", "replace"))
    return path


def render(results: Any) -> str:
    return _page(results)[0]


def _page(results: Any) -> tuple[str, dict[str, str]]:
    """The answers of a run on one page, or its player counts compared; and its charts, name -> SVG document."""
    files: dict[str, str] = {}
    several = len(results.sizes) > 1
    view = View(results.tables[-1]) if several else view_of(results)
    if several:
        of = lines(results)
        played = f"{sum(line.games for line in of):,} games of {of[0].players} to {of[-1].players} players"
        body = player_counts.page_blocks(results, of)
    else:
        cells = f" in {len(view.cells):,} cells" if len(view.cells) > 1 else ""
        played, body = f"{view.games:,} games{cells}", _sections(view)
    blocks = (*_about(view, results), *body)
    title = f"{view.title}: {view.name}"
    return page(title, f"{played}, played by bots", blocks, partial(inline, files=files), contents=not several), files


def _about(view: View, results: Any) -> Iterator[Block]:
    """The purpose of the run, and missing games."""
    for label, text in (("", view.question), ("Expected beforehand: ", view.hypothesis), ("Notes: ", view.notes)):
        if text:
            yield Paragraph(f"{label}{text}", "about")
    if results.partial:
        yield Paragraph(
            "This run is not complete: it was stopped, or some of its games could not be played or were lost. The "
            f"numbers hold for the games that are there. {plain(results.gap, 1_000)}",
            "warning",
        )
    if results.cut_off:
        yield Paragraph(plain(results.cut_off, 1_000), "warning")


def _sections(view: View) -> Iterator[Block]:
    """The answer of each question (simlab.questions) that has one in these results."""
    every = drill_down.all_games(view, view.all)
    asked = [question for question in questions() if question.reads_runs]
    for question in sorted(asked, key=lambda one: (CHAPTERS.index(one.place[0]), one.place[1])):
        if section := question.section(question.of_run(view.results)):
            yield from _linked((section,), every)


def _linked(blocks: Iterable[Block], every: GamesLink | None) -> Iterator[Block]:
    """Blocks in which each chart links to its games: all games of the page, unless the chart names others."""
    for block in blocks:
        if isinstance(block, Section):
            yield replace(block, blocks=tuple(_linked(block.blocks, every)))
        elif isinstance(block, Chart) and block.games is None and not block.made_by and every:
            yield replace(block, games=(every,))
        else:
            yield block
