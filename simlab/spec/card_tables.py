"""Card tables: CSV files with a schema."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from simlab.errors import InputError, nearest
from simlab.spec.csv_file import Sheet, column_name, read_csv

MOST_COPIES = 10_000  #: of a card, in the column `copies`
#: Columns that people write for `copies`.
QUANTITIES = frozenset(
    {"copy", "quantity", "qty", "count", "amount", "number_of_copies", "anzahl", "quantite", "cantidad"}
)
_TOTALS = frozenset({"total", "totals", "sum", "subtotal", "grand total", "summe", "gesamt", "\u03c3", "\u2211"})


@dataclass(frozen=True)
class Column:
    """One column of a component table: its type and the allowed values.

    Attributes:
        default: value of each row if a file lacks the column; None if every file has to have it.
    """

    name: str
    kind: str = "text"  # text, int
    low: int = 0
    high: int = 0
    options: tuple[str, ...] = ()
    default: str | int | None = None

    def parse(self, text: str, where: str) -> str | int:
        if self.kind == "int":
            if not re.fullmatch(r"[+-]?\d{1,10}", text) or not self.low <= int(text) <= self.high:
                wrong = f"'{text}' is not allowed" if text else "is blank"
                raise InputError(f"{where}: {wrong}. Use a whole number in {self.low}..{self.high}.")
            return int(text)
        if self.options and text not in self.options:
            raise InputError(f"{where}: '{text}' is not allowed. {nearest(text, self.options)}")
        return text


@dataclass(frozen=True)
class TableSchema:
    """A component table: `<name>.csv` in the game's folder, or a user's file that replaces it.

    Such a table also has a column `source`: `rulebook` or `reconstructed` (not with `sourced=False`).

    Attributes:
        key: the column that names a row, unique in the table.
        rows: (least, most) number of rows.
        blank: column -> value in a row without effect. Such a table gives the game a knob `blank_<table>` that removes
            one row's effect and leaves the rest of the deck, and its shuffle, unchanged. It measures the effect of a
            card with common random numbers.
        repeats: whether rows of the same key may repeat, as copies of a card, if they are equal.
    """

    name: str
    columns: tuple[Column, ...]
    key: str
    rows: tuple[int, int]
    blank: Mapping[str, str | int] = field(default_factory=dict)
    sourced: bool = True
    repeats: bool = False

    @property
    def all_columns(self) -> tuple[Column, ...]:
        """All columns of the file, in order."""
        source = (Column("source", options=("rulebook", "reconstructed")),) if self.sourced else ()
        return (*self.columns, *source)

    @property
    def column_names(self) -> tuple[str, ...]:
        """The names of all columns of the file, in order."""
        return tuple(column.name for column in self.all_columns)

    def as_written(self, sheet: Sheet) -> dict[str, str]:
        """Column -> its name as a file writes it, which may differ in case and spaces; columns that it lacks are left
        out.
        """
        written = {column_name(name): name for name in sheet.head}
        return {name: written[column_name(name)] for name in self.column_names if column_name(name) in written}

    def read(self, path: Path) -> list[dict[str, str | int]]:
        """The rows of a CSV file.

        Raises:
            InputError: the file is unreadable, or has wrong columns, a bad cell, a duplicate key, too few or too many
                rows; the message names file, row and column.
        """
        sheet = read_csv(path, "a component table")
        if not sheet.head:
            raise InputError(f"{path}: is empty. Its first line names the columns.")
        self._check_head(sheet)
        written, rows, lines = self.as_written(sheet), list[dict[str, str | int]](), list[int]()
        for line, cells in sheet.rows:
            row: dict[str, str | int] = {}
            for column in self.all_columns:
                if column.name not in written:
                    row[column.name] = column.default if column.default is not None else ""
                    continue
                cell = cells[written[column.name]]
                plain = sheet.number(line, written[column.name], cell) if column.kind == "int" else cell
                row[column.name] = column.parse(plain, sheet.where(line, column.name))
            rows.append(row)
            lines.append(line)
        check_total(path, self.key, rows, lines)
        self._check_keys(path, rows, lines)
        if not self.rows[0] <= len(rows) <= self.rows[1]:
            least, most = self.rows
            right = f"{least}" if least == most else f"{least} to {most}"
            raise InputError(f"{path}: has {len(rows)} row{'s' * (len(rows) != 1)}. A {self.name} table has {right}.")
        return rows

    def _check_head(self, sheet: Sheet) -> None:
        """Raises InputError for a column that is unknown, missing or there twice."""
        at, known = f"{sheet.path}, line {sheet.line}", self.column_names
        names = [column_name(name) for name in sheet.head]
        for name, written in zip(names, sheet.head, strict=True):
            if name not in map(column_name, known):
                renamed = "Call it 'copies'." if name in QUANTITIES and "copies" in known else nearest(name, known)
                if name == "copies" and self.repeats:
                    renamed = "The game's own table has one row for each copy: repeat the row."
                raise InputError(f"{at}: unknown column '{written[:60]}'. {renamed}")
        for column in self.all_columns:
            times = names.count(column_name(column.name))
            if times > 1 or (times == 0 and column.default is None):
                raise InputError(f"{at}: column '{column.name}' must occur once. Columns: {', '.join(known)}.")

    def _check_keys(self, path: Path, rows: list[dict[str, str | int]], lines: list[int]) -> None:
        """Raises InputError for a key that is there twice, unless the rows are copies of one card."""
        first: dict[str, int] = {}
        compared = [c.name for c in self.columns if c.name != "copies" and (c.kind == "int" or c.options)]
        for place, row in enumerate(rows):
            key = str(row[self.key])
            before = first.setdefault(key, place)
            if before == place:
                continue
            at = f"{path}, line {lines[place]}: duplicate {self.key} '{key}', which line {lines[before]} has too"
            if not self.repeats:
                raise InputError(f"{at}. Give each row a {self.key} of its own.")
            other = next((name for name in compared if rows[before][name] != row[name]), "")
            if other:
                values = f"{other} {rows[before][other]} there, {row[other]} here"
                raise InputError(f"{at}, with {values}. Rows of one {self.key} are copies of a card: rename this one.")

    def distinct(self, rows: list[dict[str, str | int]]) -> list[dict[str, str | int]]:
        """The rows without those that repeat a key."""
        first: dict[str, dict[str, str | int]] = {}
        for row in rows:
            first.setdefault(str(row[self.key]), row)
        return list(first.values())

    def line_of(self, path: Path, key: str) -> int | None:
        """The line of a CSV file in which the row with this key begins."""
        try:
            sheet = read_csv(path, "a component table")
        except InputError:
            return None
        column = self.as_written(sheet).get(self.key, "")
        return next((line for line, cells in sheet.rows if cells.get(column) == key), None)


def check_total(path: Path, key: str, rows: list[dict[str, str | int]], lines: list[int]) -> None:
    """Raises InputError for a last row that is called "Total" and adds up a column: it would be read as cards."""
    if len(rows) < 2 or not is_total(str(rows[-1][key])):
        return
    for name, value in rows[-1].items():
        above = [row[name] for row in rows[:-1]]
        if isinstance(value, int) and value and value == sum(n for n in above if isinstance(n, int)):
            raise InputError(
                f"{path}, line {lines[-1]}, {name}: {value} is the sum of the column, and every row is a card. "
                f"Delete the row '{rows[-1][key]}'."
            )


def is_total(cell: str) -> bool:
    """Whether a row of this name may add up the rows above it."""
    return cell.strip(" :").casefold() in _TOTALS


Tables: TypeAlias = Mapping[str, list[dict[str, str | int]]]
