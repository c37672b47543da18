"""The cells of a run one by one, in tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from simlab.present.blocks import Block, Paragraph, Section, Table, Value, places
from simlab.questions.cells.analysis import MOST_DETAILS, CellLine, Cells
from simlab.questions.win_rates.words import columns_of
from simlab.runs.view import MANY

CHAPTER, RANK = "Method", 90


def section(answer: Cells) -> Section:
    several = len(answer.lines) > 1
    return Section("cells", "Cell by cell" if several else "The cell", tuple(_blocks(answer)), folded=several)


def _blocks(answer: Cells) -> Iterator[Block]:
    if len(answer.lines) > MANY:  # fewer are lines of the table of win rates
        columns = columns_of(answer.lines[0], "cell", answer.turn_name)
        yield Table(answer.lines, [c if c.title == "games" else replace(c, games=None) for c in columns])
    for number, line in enumerate(answer.lines[:MOST_DETAILS]):
        yield Section(f"cell-{number}", line.cell, (_details(line),), folded=True)
    left = answer.left + max(len(answer.lines) - MOST_DETAILS, 0)
    if left:
        yield Paragraph(f"{left:,} more cells are in summary.json.", "note")


def _details(line: CellLine) -> Table[tuple[str, Value]]:
    rows: list[tuple[str, Value]] = [
        *line.bots.items(),
        ("games", line.games),
        *line.wins.items(),
        *((f"ends by {name}", share) for name, share in line.endings.items() if share.value),
        ("mean length", line.length),
        *((f"length, {name[1:]} %", value) for name, value in line.quantiles.items()),
        *line.metrics.items(),
        ("knobs", ", ".join(f"{name} = {value}" for name, value in line.knobs.items())),
        ("key", line.key),
    ]
    return Table(rows, places("", "value"), most=200)
