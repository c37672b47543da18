"""Versions of the tables that the lab writes. Parquet files carry name and version in their metadata.

A version is raised if a column is removed or gets another name, type, unit or meaning. A new column does not raise it.
JSON answers have their version in their types (simlab.present.answer.Answer).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from simlab.errors import InputError

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
    """Raises InputError, with a fix, for a file of a newer version (without one it is the first) or another form."""
    known = {key.decode("utf-8", "replace"): value.decode("utf-8", "replace") for key, value in (carried or {}).items()}
    named, version = known.get(NAME, form), known.get(VERSION, "1")
    if named != form:
        raise InputError(f"{where}: holds {named[:40]}, not {form}.")
    if not version.isdecimal() or not 1 <= int(version[:9]) <= TABLES[form][0]:
        raise InputError(
            f"{where}: has version {version[:20]} of the form '{form}'; this simlab reads up to {TABLES[form][0]}. "
            "Read it with the newer simlab that wrote it."
        )
