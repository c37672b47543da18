"""Card tables: CSV files with a schema."""

from __future__ import annotations

import contextlib
import csv
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from simlab.errors import InputError, nearest
from simlab.spec.files import read_plain_file


@dataclass(frozen=True)
class Column:
    """One column of a component table: its type and the allowed values."""

    name: str
    kind: str = "text"  # text, int
    low: int = 0
    high: int = 0
    options: tuple[str, ...] = ()

    def parse(self, text: str, where: str) -> str | int:
        if self.kind == "int":
            if not re.fullmatch(r"[+-]?\d{1,9}", text) or not self.low <= int(text) <= self.high:
                raise InputError(f"{where}: '{text}' is not allowed. Use a whole number in {self.low}..{self.high}.")
            return int(text)
        if self.options and text not in self.options:
            raise InputError(f"{where}: '{text}' is not allowed. {nearest(text, self.options)}")
        return text


def delimiter_of(text: str) -> str:
    """The separator of cells: spreadsheets write a semicolon or a tab if they use a decimal comma."""
    head = next((line for line in text.splitlines() if line.strip()), "")
    return max((",", ";", "\t"), key=head.count)


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
    """

    name: str
    columns: tuple[Column, ...]
    key: str
    rows: tuple[int, int]
    blank: Mapping[str, str | int] = field(default_factory=dict)
    sourced: bool = True

    @property
    def column_names(self) -> tuple[str, ...]:
        """All columns of the file, in order."""
        return (*(column.name for column in self.columns), *(("source",) if self.sourced else ()))

    def read(self, path: Path) -> list[dict[str, str | int]]:
        """The rows of a CSV file.

        Raises:
            InputError: the file is unreadable, or has wrong columns, a bad cell, a duplicate key, too few or too many
                rows; the message names file, row and column.
        """
        source = (Column("source", options=("rulebook", "reconstructed")),) if self.sourced else ()
        columns = (*self.columns, *source)
        head, lines = read_csv(path, "a component table")
        if not head:
            raise InputError(f"{path}: is empty. Its first line names the columns.")
        known = [column.name for column in columns]
        for name in head:
            if name not in known:
                raise InputError(f"{path}, line 1: unknown column '{name[:60]}'. {nearest(name, known)}")
        for name in known:
            if head.count(name) != 1:
                raise InputError(f"{path}, line 1: column '{name}' must occur once. Columns: {', '.join(known)}.")
        rows: list[dict[str, str | int]] = []
        for number, cells in lines:
            rows.append({c.name: c.parse(cells[c.name], f"{path}, line {number}, {c.name}") for c in columns})
        if not self.rows[0] <= len(rows) <= self.rows[1]:
            least, most = self.rows
            right = f"{least}" if least == most else f"{least} to {most}"
            raise InputError(f"{path}: has {len(rows)} row{'s' * (len(rows) != 1)}. A {self.name} table has {right}.")
        keys = [str(row[self.key]) for row in rows]
        for key in keys:
            if keys.count(key) > 1:
                raise InputError(f"{path}: duplicate {self.key} '{key}'.")
        return rows

    def line_of(self, path: Path, key: str) -> int | None:
        """The line of a CSV file in which the row with this key begins."""
        with contextlib.suppress(OSError, ValueError, csv.Error):
            (_, head), *lines = (one for one in _numbered(path.read_text(encoding="utf-8-sig")) if any(one[1]))
            place = [cell.strip() for cell in head].index(self.key)
            return next((n for n, line in lines if line[place : place + 1] and line[place].strip() == key), None)
        return None


def read_csv(
    path: Path, what: str, most: int = 1_000_000, gaps: bool = False
) -> tuple[list[str], Iterator[tuple[int, dict[str, str]]]]:
    """The columns that a CSV file names, and its rows by column, each with its line number; empty lines are left out.

    Args:
        most: most bytes. gaps: whether a row may have too few or too many blank cells at its end.
    Raises:
        InputError: unreadable, or not CSV; while the rows are read: a row of the wrong length.
    """
    try:
        text = read_plain_file(path, most, what).decode("utf-8-sig")
        lines = [(number, [cell.strip() for cell in line]) for number, line in _numbered(text)]
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not UTF-8 text. Save it as CSV (UTF-8).") from None
    except csv.Error as fault:
        raise InputError(f"{path}: is not CSV ({fault}). Is a quotation mark open?") from None
    (_, head), *filled = [(number, line) for number, line in lines if any(line)] or [(1, [])]

    def rows() -> Iterator[tuple[int, dict[str, str]]]:
        for number, line in filled:
            if gaps and not any(line[len(head) :]):
                cells = [*line, *[""] * len(head)][: len(head)]
            elif len(line) == len(head):
                cells = line
            else:
                raise InputError(f"{path}, line {number}: {len(line)} cells, but line 1 names {len(head)} columns.")
            yield number, dict(zip(head, cells, strict=True))

    return head, rows()


def _numbered(text: str) -> Iterator[tuple[int, list[str]]]:
    """The rows of a CSV text, each with the line in which it begins."""
    reader = csv.reader(io.StringIO(text, newline=None), strict=True, delimiter=delimiter_of(text))
    number = 1
    for line in reader:
        yield number, line
        number = reader.line_num + 1


Tables: TypeAlias = Mapping[str, list[dict[str, str | int]]]
