"""Tables as files for other programs: CSV or Parquet, written completely or not at all."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from simlab.errors import InputError
from simlab.runs.files import replacing
from simlab.runs.schema_versions import metadata

if TYPE_CHECKING:
    import polars as pl

KINDS = (".csv", ".parquet")


def check_name(path: Path) -> None:
    """Raises InputError for a name that ends neither in .csv nor in .parquet."""
    if path.suffix.lower() not in KINDS:
        raise InputError(f"{path}: end the name in .csv or .parquet to choose the format.")


def write_table(
    frames: Iterable[pl.DataFrame], path: Path | None, form: str, columns: Mapping[str, str] | None = None
) -> int:
    """Writes tables with the same columns one below the other.

    Args:
        path: a file that ends in .csv or .parquet, replaced if it exists; None: CSV on standard output.
        form: one of simlab.runs.schema_versions.TABLES; a Parquet file carries its name and version.
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


def _write_csv(frames: Iterable[pl.DataFrame], file: TextIO) -> int:
    rows = 0
    for i, frame in enumerate(frames):
        file.write(frame.write_csv(include_header=i == 0))
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
