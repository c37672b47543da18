"""Blocks as HTML. Every text is escaped; a page contains no scripts."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from itertools import groupby
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from simlab.present.blocks import Badge, Block, Chart, Command, GamesLink, Link, Paragraph, Section, Table, Value
from simlab.present.chart import drawing
from simlab.present.estimate import Estimate, plain
from simlab.present.text import text

_WIDTH = 90  # letters of all titles; a table with a single row that has more is a list of titles and values
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")  # names of untrusted results may hold them


Picture = Callable[[Chart], Markup]  #: draws a chart as SVG for the page


def html(blocks: Iterable[Block], picture: Picture, level: int = 2) -> Markup:
    """Blocks as the HTML of a page's body. level: level of the headings of sections, 2 for `<h2>`."""
    made = []
    for charts, group in groupby(blocks, lambda block: isinstance(block, Chart)):
        several = list(group)
        inner = Markup("\n").join(_block(block, picture, level) for block in several)
        if charts and len(several) > 1:
            small = " small-ones" if all(chart.small for chart in several) else ""  # type: ignore[union-attr]
            inner = Markup('<div class="figures{}">\n{}\n</div>').format(small, inner)
        made.append(inner)
    return Markup("\n").join(made)


def page(
    title: str, subtitle: str, blocks: Iterable[Block], picture: Picture | None = None, contents: bool = False
) -> str:
    """Blocks as one HTML file that needs no network. Everything in it is escaped, and nothing in it can run.

    Args:
        picture: draws charts; by default into the page. contents: whether links to the sections come first.
    """
    parts, environment, draw = list(blocks), templates(), picture or inline
    first = next((i for i, block in enumerate(parts) if isinstance(block, Section) and block.title), len(parts))
    links = (
        Markup('<a href="#{}">{}</a>').format(block.name, block.title)
        for block in parts
        if contents and isinstance(block, Section) and block.title
    )
    text = environment.get_template("page.html.j2").render(
        style=Markup(environment.get_template("report.css").render()), title=title, subtitle=subtitle,
        head=html(parts[:first], draw), contents=Markup("").join(links), body=html(parts[first:], draw),
    )  # fmt: skip
    return _without_folder(_CONTROLS.sub("", text))


def _without_folder(page: str) -> str:
    """A page with the files below the current folder named as from there: a page is shared, and the reader neither has
    the folder nor needs to know whose it is. Its commands stay valid in that folder.
    """
    try:
        folder = Path.cwd()
    except OSError:  # it was deleted
        return page
    before = str(escape(f"{folder}{os.sep}"))
    # Not as the end of another path: /data/home/kim is not /home/kim.
    return page if folder == folder.parent else re.sub(rf"(?<![\w./\\-]){re.escape(before)}", "", page)


def inline(chart: Chart, files: dict[str, str] | None = None) -> Markup:
    """A chart as SVG inside the page. files: receives the SVG document, by the name of the chart."""
    svg = drawing.svg_text(chart.draw())
    if files is not None:
        files[chart.name] = svg
    return Markup(drawing.inline_svg(svg, f"{chart.name}-", chart.caption))


def in_notebook(blocks: Iterable[Block]) -> str:
    """Blocks as the HTML of a notebook's cell, which may be dark."""
    return str(html(blocks, lambda chart: Markup(drawing.standalone(drawing.svg_text(chart.draw()))), level=3))


def templates(package: str = "simlab.present") -> Environment:
    """The templates of the lab's pages: everything is escaped, and a missing value is an error."""
    return Environment(
        loader=PackageLoader(package, "."), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip


def coded(words: str) -> Markup:
    """A sentence with the text between backquotes set as code; everything is escaped."""
    parts = words.split("`")
    if len(parts) % 2 == 0:  # an unclosed backquote is a character like any other
        return Markup("{}").format(words)
    made = (Markup("<code>{}</code>" if place % 2 else "{}").format(part) for place, part in enumerate(parts))
    return Markup("").join(made)


def foldable(name: object) -> Markup:
    """A name that may break after an underscore. Without this, a narrow column would break it inside a word."""
    return Markup("_<wbr>").join(Markup.escape(part) for part in str(name).split("_"))


def _block(block: Block, picture: Picture, level: int) -> Markup:
    if isinstance(block, Paragraph):
        kind = {"plain": "", "lead": "lead", "note": "small", "warning": "warning", "about": "sub"}[block.kind]
        attribute = Markup(' class="{}"').format(kind) if kind else ""
        return Markup("<p{}>{}</p>").format(attribute, coded(block.text))
    if isinstance(block, Command):
        return Markup('<p class="small">{}: <code>{}</code></p>').format(block.label, block.line)
    if isinstance(block, Link):
        return Markup('<p><a href="{}">{}</a></p>').format(block.file, block.label)
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, Chart):
        return _chart(block, picture)
    inner = html(block.blocks, picture, level + 1)
    heading = Markup("<h{0}>{1}</h{0}>").format(level, block.title) if block.title else Markup("")
    if block.folded:
        inner = Markup("<details><summary>{}</summary>\n{}\n</details>").format(block.title, inner)
        heading = Markup("")
    verdict = Markup(' class="verdict {}"').format(block.mood) if block.mood else Markup("")
    return Markup('<section{} id="{}">\n{}\n{}\n</section>').format(verdict, block.name, heading, inner)


def _table(table: Table[Any]) -> Markup:
    listed = len(table.rows) == 1 and sum(len(plain(column.title)) for column in table.columns) > _WIDTH
    kinds = ["name" if listed else _kind(table, place) for place in range(len(table.columns))]
    heads = [
        Markup('<th class="n">{}</th>' if kind == "n" else "<th>{}</th>").format(plain(column.title))
        for column, kind in zip(table.columns, kinds, strict=True)
    ]
    lines = []
    for row, values in zip(table.rows, table.values, strict=True):
        cells = [
            Markup('<td class="{}">{}{}</td>').format(
                kind, _value(value), games_link(column.games(row) if column.games else None)
            )
            for column, value, kind in zip(table.columns, values, kinds, strict=True)
        ]
        last = table.total and row is table.rows[-1]
        lines.append(Markup("<tr{}>{}</tr>").format(Markup(' class="all"') if last else "", Markup("").join(cells)))
    if listed:
        lines = [Markup("<tr>{}{}</tr>").format(*pair) for pair in zip(heads, cells, strict=True)]
    head = Markup("") if listed else Markup("\n<thead><tr>{}</tr></thead>").format(Markup("").join(heads))
    title = Markup("<h3>{}</h3>\n").format(table.title) if table.title else Markup("")
    note = Markup('\n<p class="small">{}</p>').format(coded(table.note)) if table.note else Markup("")
    return Markup(
        '{}<div class="scroll" tabindex="0" role="group" aria-label="table"><table>{}\n'
        "<tbody>\n{}\n</tbody>\n</table></div>{}"
    ).format(title, head, Markup("\n").join(lines), note)


def _kind(table: Table[Any], column: int) -> str:
    """CSS class of a column: numbers, prose or names."""
    if table.is_numeric(column):
        return "n"
    prose = any(
        isinstance(value, str | tuple) and len(text(value)) > 60 for value in (row[column] for row in table.values)
    )
    return "text" if prose else "name"


def _value(value: Value) -> Markup:
    if isinstance(value, Estimate):
        interval = value.one_sided or value.ends
        span = Markup(' <span class="ends">{}</span>').format(interval) if interval else ""
        return Markup("{}{}").format(value.text, span)
    if isinstance(value, Badge):
        return Markup('<span class="badge {}">{}</span>').format(value.kind, value)
    return coded(value) if isinstance(value, str) and "`" in value else foldable(text(value))


def games_link(games: GamesLink | None) -> Markup:
    """The number of games behind a value, which opens to the command that lists them; empty without games."""
    if games is None:
        return Markup("")
    what = f", {games.what}" if games.what else ""
    return Markup(
        '<details class="behind"><summary title="the games behind this number">{} {}{}</summary>'
        '<code data-games="{}">{}</code></details>'
    ).format(f"{games.count:,}", "game" if games.count == 1 else "games", what, games.count, games.command)


def _chart(chart: Chart, picture: Picture) -> Markup:
    svg = picture(chart)
    if chart.wide:
        svg = Markup('<div class="scroll" tabindex="0" role="group" aria-label="chart">{}</div>').format(svg)
    made = Markup(" Made by <code>{}</code>.").format(chart.made_by) if chart.made_by else Markup("")
    links = Markup("").join(Markup(" {}").format(games_link(games)) for games in chart.games or () if games)
    return Markup("<figure{}>\n{}\n<figcaption>{}{}{}</figcaption>\n</figure>").format(
        Markup(' class="wide"') if chart.wide else "", svg, coded(chart.caption), made, links
    )
