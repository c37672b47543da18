"""Tables as files for other programs: CSV or Parquet, written completely or not at all.

Parquet files carry name and version of their table in their metadata. A version is raised if a column is removed or
gets another name, type, unit or meaning. A new column does not raise it. JSON answers have their version in their types
(simlab.present.answer.Answer).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from simlab.errors import InputError
from simlab.runs.files import replacing
from simlab.words import printable

if TYPE_CHECKING:
    import polars as pl

KINDS = (".csv", ".parquet")
NAME, VERSION, COLUMNS = "simlab.schema", "simlab.version", "simlab.columns"  #: keys of a Parquet file's metadata

#: Name of a table -> its version and the command that writes it (docs/files.md describes each column).
TABLES: dict[str, tuple[int, str]] = {
    "rows": (1, "cells/<key>/*.parquet of a folder of results"),
    "games": (1, "simlab report --format csv"),
    "moves": (1, "simlab replay --table"),
}


def metadata(form: str, columns: Mapping[str, str] | None = None) -> dict[str, str]:
    """Metadata of a Parquet file of this form, with the descriptions of its columns."""
    about = {COLUMNS: json.dumps(columns, ensure_ascii=False)} if columns else {}
    return {NAME: form, VERSION: str(TABLES[form][0]), **about}


def check_metadata(carried: Mapping[bytes, bytes] | None, form: str, where: Path) -> None:
    """Raises InputError, with a fix, for a file of another form or a newer version (no version means the first)."""
    known = {key.decode("utf-8", "replace"): value.decode("utf-8", "replace") for key, value in (carried or {}).items()}
    named, version = known.get(NAME, form), known.get(VERSION, "1")
    if named != form:
        raise InputError(f"{where}: holds {named[:40]}, not {form}.")
    if not version.isdecimal() or not 1 <= int(version[:9]) <= TABLES[form][0]:
        raise InputError(
            f"{where}: has version {version[:20]} of the form '{form}'; this simlab reads up to {TABLES[form][0]}. "
            "Read it with the newer simlab that wrote it."
        )


def check_name(path: Path) -> None:
    """Raises InputError for a name that ends neither in .csv nor in .parquet."""
    if path.suffix.lower() not in KINDS:
        raise InputError(f"{path}: end the name in .csv or .parquet to choose the format.")


def write_table(
    frames: Iterable[pl.DataFrame], path: Path | None, form: str, columns: Mapping[str, str] | None = None
) -> int:
    """Writes tables with the same columns, one after the other, into one file.

    Args:
        path: a file that ends in .csv or .parquet, replaced if it exists; None: CSV on standard output.
        form: one of TABLES; a Parquet file carries its name and version.
        columns: column -> description; a Parquet file also carries these.
    Returns:
        Number of rows.
    Raises:
        InputError: another extension, or no permission. RunFailed: the disk is full.
    """
    if path is None:
        return _write_csv(frames, sys.stdout)
    check_name(path)
    with replacing(path) as part:
        if path.suffix.lower() == ".parquet":
            return _write_parquet(frames, part, metadata(form, columns))
        with part.open("w", encoding="utf-8", newline="") as file:
            return _write_csv(frames, file)


#: Texts that a spreadsheet would run as a formula: a card may be called `=HYPERLINK(...)` or `-1+cmd|...`.
_FORMULA = r"^[=@\t\r]|^[+-].*[(!|]"


def _write_csv(frames: Iterable[pl.DataFrame], file: TextIO) -> int:
    import polars as pl

    rows, shown, texts = 0, printable if file.isatty() else str, pl.col(pl.String)
    for i, frame in enumerate(frames):
        inert = frame.with_columns(pl.when(texts.str.contains(_FORMULA)).then("'" + texts).otherwise(texts).name.keep())
        file.write(shown(inert.write_csv(include_header=i == 0)))
        rows += frame.height
    return rows


def _write_parquet(frames: Iterable[pl.DataFrame], path: Path, about: Mapping[str, str]) -> int:
    import pyarrow.parquet as pq

    rows, writer = 0, None
    try:
        for frame in frames:
            table: Any = frame.to_arrow()
            if writer is None:
                schema = table.schema.with_metadata({**(table.schema.metadata or {}), **about})
                writer = pq.ParquetWriter(path, schema, compression="zstd")
            writer.write_table(table.cast(writer.schema))
            rows += frame.height
    finally:
        if writer is not None:
            writer.close()
    return rows
