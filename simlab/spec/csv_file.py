"""CSV files as spreadsheets and people write them: card tables and playtests are read here.

Accepted are UTF-8 and UTF-16, commas, semicolons, tabs and bars as separators, the line `sep=;` that Excel writes,
names of columns in any case, blank columns, and numbers as people write them: `1,234`, `1 234`, `−5`, `3.0`, `38 %`.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from simlab.errors import InputError
from simlab.spec.files import read_plain_file

_SEPARATORS = (",", ";", "\t", "|")
_HINT = re.compile(r'"?sep=([^\w\s"]|\t)"?[,;\t|]*', re.IGNORECASE)  # Excel's first line
_SIGNS = {"\u2212": "-", "\u2013": "-", "\ufe63": "-", "\uff0d": "-", "\uff0b": "+"}  # typographic and full-width
_GAPS = "[ \u00a0\u2009\u202f'\u2019_]"  # between groups of three digits
_GROUPED = re.compile(rf"\d{{1,3}}(?:{_GAPS}\d{{3}})+(?:[.,]\d+)?")
_TWO_MARKS = re.compile(r"\d{1,3}(?:(?:,\d{3})+\.\d+|(?:\.\d{3})+,\d+|(?:,\d{3}){2,}|(?:\.\d{3}){2,})")
_ONE_MARK = re.compile(r"(\d*)([.,])(\d+)")


def column_name(text: str) -> str:
    """The name of a column: `Rules Text`, `rules-text` and ` RULES_TEXT` are all `rules_text`."""
    return re.sub(r"\W+", "_", text).strip("_").lower()


def readings(cell: str) -> tuple[str, ...]:
    """The numbers that a cell can mean, such as `-1234.5`: none, one, or two (10 and 10000 for `10.000`).

    A decimal reading comes first. A percentage is its number: 38 for `38 %`.
    """
    digits = "".join(str(unicodedata.decimal(letter, _SIGNS.get(letter, letter))) for letter in cell.strip())
    found = re.fullmatch(r"([+-]?)\s?([^+-]*?)\s?%?", digits)
    if found is None:
        return ()
    sign, body = found[1].replace("+", ""), found[2]
    if re.fullmatch(r"[0-9]+", body):
        return (sign + body,)
    if _GROUPED.fullmatch(body):
        return (sign + _trimmed(re.sub(_GAPS, "", body).replace(",", ".")),)
    if _TWO_MARKS.fullmatch(body):
        last = max(body.rfind(","), body.rfind("."))
        mixed = "," in body and "." in body
        whole = re.sub(r"[.,]", "", body[:last] if mixed else body)
        return (sign + _trimmed(f"{whole}.{body[last + 1 :]}" if mixed else whole),)
    one = _ONE_MARK.fullmatch(body)
    if one is None:
        return ()
    decimal = sign + _trimmed(f"{one[1] or '0'}.{one[3]}")
    grouped = len(one[3]) == 3 and re.fullmatch(r"[1-9][0-9]{0,2}", one[1])
    return (decimal, f"{sign}{one[1]}{one[3]}") if grouped else (decimal,)


def _trimmed(number: str) -> str:
    """Without zeros after the decimal point: 3 for 3.0."""
    return number.rstrip("0").rstrip(".") if "." in number else number


@dataclass(frozen=True)
class Sheet:
    """The cells of a CSV file.

    Attributes:
        line: line of the file that names the columns.
        head: the columns as they are written; columns without a name and cells are left out.
        rows: each row that is not blank, as (line in which it begins, column -> cell).
        separator: the separator of cells.
    """

    path: Path
    line: int
    head: list[str]
    rows: list[tuple[int, dict[str, str]]]
    separator: str

    def where(self, line: int, column: str) -> str:
        """A cell in words, for a message."""
        return f"{self.path}, line {line}, {column}"

    def number(self, line: int, column: str, cell: str, whole: bool = True) -> str:
        """A cell of a column of numbers as a plain number; a cell that is no number as it is.

        `10,000` in a file separated by commas is ten thousand; `10.000` is ambiguous. In other files both are read as
        ten thousand if another cell of the column shows that its mark separates thousands: `10.800` is not whole.

        Args:
            whole: whether the column holds whole numbers.
        Raises:
            InputError: the cell can be read as two numbers.
        """
        found = readings(cell)
        if len(found) < 2:
            return found[0] if found else cell
        decimal, thousands = found
        mark = "," if "," in cell else "."
        if self.separator in (",", "|") and (mark == "," or not whole):
            return thousands if mark == "," else decimal
        if whole and self.separator not in (",", "|") and (column, mark) in self._thousands:
            return thousands
        if not whole and self.separator == ";" and mark == ",":
            return decimal
        raise InputError(
            f"{self.where(line, column)}: '{cell}' can be read as {decimal} and as {thousands}. Write {decimal} or "
            f"{thousands}, without a separator of thousands."
        )

    @cached_property
    def _thousands(self) -> set[tuple[str, str]]:
        """The columns of whole numbers, each with a mark that separates thousands in one of its cells."""
        found = set()
        for _, cells in self.rows:
            for column, cell in cells.items():
                read = readings(cell)
                marks = [mark for mark in ",." if mark in cell]
                if len(marks) == 1 and read and ((len(read) == 2 and "." in read[0]) or cell.count(marks[0]) > 1):
                    found.add((column, marks[0]))
        return found


def read_csv(path: Path, what: str, most: int = 1_000_000, gaps: bool = False, rows: int | None = None) -> Sheet:
    """The cells of a CSV file, without blank lines.

    Args:
        what: the kind of file, for messages. most: most bytes. gaps: whether blank cells at the end of a row may be
            missing. rows: number of rows after which reading stops.
    Raises:
        InputError: unreadable, not CSV, or a row of the wrong length; the message names file and line.
    """
    text = _decoded(path, read_plain_file(path, most, what))
    first, _, rest = text.partition("\n")
    hint = _HINT.fullmatch(first.strip(" \r"))
    separator = hint[1] if hint else separator_of(text)
    filled: list[tuple[int, list[str]]] = []
    try:
        for number, line in _numbered(rest if hint else text, separator):
            cells = [cell.strip() for cell in line]
            if any(cells):
                filled.append((number + bool(hint), cells))
            if rows is not None and len(filled) > rows:
                break
    except csv.Error as fault:
        raise InputError(f"{path}: is not CSV ({fault}). Is a quotation mark open?") from None
    start, head = filled[0] if filled else (1, [])
    while head and not head[-1]:
        head.pop()
    named = [place for place, name in enumerate(head) if name]
    found = []
    for number, line in filled[1:]:
        cells = _fitted(path, number, line, start, head, gaps)
        stray = next((place for place, cell in enumerate(cells) if cell and not head[place]), None)
        if stray is not None:
            where = f"is in column {stray + 1}, which line {start} does not name"
            raise InputError(f"{path}, line {number}: '{cells[stray][:60]}' {where}.")
        found.append((number, {head[place]: cells[place] for place in named}))
    return Sheet(path, start, [head[place] for place in named], found, separator)


def _fitted(path: Path, number: int, line: list[str], start: int, head: list[str], gaps: bool) -> list[str]:
    """The cells of a row, one per column; blank cells beyond the last column are left out."""
    while len(line) > len(head) and not line[-1]:
        line = line[:-1]
    if gaps and len(line) < len(head):
        line = [*line, *[""] * (len(head) - len(line))]
    if len(line) != len(head):
        named = f"line {start} names {len(head)} columns"
        title = f" Line {start} must name the columns: is it a title? Delete it." if len(head) == 1 < len(line) else ""
        raise InputError(f"{path}, line {number}: {len(line)} cells, but {named}.{title}")
    return line


def _decoded(path: Path, data: bytes) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            return data.decode("utf-16")
        except UnicodeDecodeError:
            raise InputError(f"{path}: is not UTF-16 text, as its first bytes say. Save it as CSV (UTF-8).") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        line = data.count(b"\n", 0, fault.start) + 1
        raise InputError(f"{path}, line {line}: is not UTF-8 text. Save it as CSV (UTF-8).") from None


def separator_of(text: str) -> str:
    """The separator of cells: spreadsheets write a semicolon or a tab if they use a decimal comma."""
    head = next((line for line in text.splitlines() if line.strip()), "")
    bare = re.sub(r'"[^"]*"', "", head)
    return max(_SEPARATORS, key=bare.count)


def _numbered(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """The rows of a CSV text, each with the line in which it begins."""
    reader = csv.reader(io.StringIO(text, newline=None), strict=True, delimiter=separator)
    number = 1
    for line in reader:
        yield number, line
        number = reader.line_num + 1
