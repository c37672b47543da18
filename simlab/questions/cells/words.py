"""The cells of a run one by one, in tables."""

from __future__ import annotations

from collections.abc import Iterator

from simlab.present.blocks import Block, Column, Paragraph, Section, Table, Value
from simlab.questions.cells.analysis import MOST_DETAILS, CellLine, Cells

CHAPTER, RANK = "Method", 90


def section(answer: Cells) -> Section:
    several = len(answer.lines) > 1
    return Section("cells", "Cell by cell" if several else "The cell", tuple(_blocks(answer)), folded=several)


def _blocks(answer: Cells) -> Iterator[Block]:
    if len(answer.lines) > 1:
        yield _table(answer)
    for number, line in enumerate(answer.lines[:MOST_DETAILS]):
        yield Section(f"cell-{number}", line.cell, (_details(line),), folded=True)
    left = answer.left + max(len(answer.lines) - MOST_DETAILS, 0)
    if left:
        yield Paragraph(f"{left:,} more cells are in summary.json.", "note")


def _table(answer: Cells) -> Table[CellLine]:
    def wins(head: str) -> Column[CellLine]:
        return Column(head, lambda line: line.wins[head])

    def quantile(name: str) -> Column[CellLine]:
        return Column(f"{name[1:]} %", lambda line: line.quantiles[name])

    columns = (
        Column[CellLine]("cell", lambda line: line.cell),
        Column[CellLine]("games", lambda line: line.games, lambda line: line.list_games),
        *map(wins, answer.lines[0].wins),
        Column[CellLine](f"mean {answer.turn_name}s", lambda line: line.length),
        *map(quantile, ("p5", "p50", "p95")),
    )
    return Table(answer.lines, columns)


def _details(line: CellLine) -> Table[tuple[str, Value]]:
    rows: list[tuple[str, Value]] = [
        *line.bots.items(),
        ("games", line.games),
        *line.wins.items(),
        *((f"ends by {name}", share) for name, share in line.endings.items()),
        ("mean length", line.length),
        *((f"length, {name[1:]} %", value) for name, value in line.quantiles.items()),
        *line.metrics.items(),
        ("knobs", ", ".join(f"{name} = {value}" for name, value in line.knobs.items())),
        ("key", line.key),
    ]
    columns = (
        Column[tuple[str, Value]]("", lambda row: row[0]),
        Column[tuple[str, Value]]("value", lambda row: row[1]),
    )
    return Table(rows, columns, most=200)
