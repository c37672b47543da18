"""The forms of the lab's output: a name, a version, and for each JSON answer a schema.

A form's version goes up where something that was there goes, gets another name, type or unit, or means something else.
Additions leave it unchanged. Every `--json` answer has its form under `schema`; Parquet files have it in their
metadata.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from simlab.errors import InputError

SCHEMAS = Path(__file__).parent.parent / "schemas"
NAME, VERSION, COLUMNS = "simlab.schema", "simlab.version", "simlab.columns"  #: keys of a Parquet file's metadata

#: Answer of a command as JSON -> its version and its source.
ANSWERS: dict[str, tuple[int, str]] = {
    "conformance": (1, "simlab dev check-game, check-bot and check-metric"),
    "doctor": (1, "simlab dev doctor"),
    "mend": (1, "simlab optimize rules EXPERIMENT"),
    "mend-plan": (1, "simlab optimize rules EXPERIMENT --plan"),
    "replay": (1, "simlab replay GAME"),
    "replay-beside": (1, "simlab replay GAME --beside"),
}
#: Tables as files -> version and the command that writes them (docs/files.md describes each column).
TABLES: dict[str, tuple[int, str]] = {
    "rows": (1, "cells/<key>/*.parquet of a folder of results"),
    "games": (1, "simlab report --format csv"),
    "moves": (1, "simlab replay --table"),
}


def stamped(answer: Mapping[str, Any], form: str) -> dict[str, Any]:
    """An answer with its form."""
    return {"schema": {"name": form, "version": ANSWERS[form][0]}, **answer}


def schema_of(form: str) -> dict[str, Any]:
    """The JSON Schema of an answer.

    Raises:
        InputError: there is no such form, or none was written for it.
    """
    path = SCHEMAS / f"{form}.json"
    if form not in ANSWERS or not path.is_file():
        raise InputError(f"unknown schema '{form}'. `simlab info schemas` lists all of them.")
    schema: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return schema


def metadata(form: str, columns: Mapping[str, str] | None = None) -> dict[str, str]:
    """Metadata of a Parquet file of this form.

    Args:
        columns: column -> description, stored as JSON.
    """
    about = {COLUMNS: json.dumps(columns, ensure_ascii=False)} if columns else {}
    return {NAME: form, VERSION: str(TABLES[form][0]), **about}


def check_metadata(carried: Mapping[bytes, bytes] | None, form: str, where: Path) -> None:
    """Refuses a file of a newer version, or of another form; one without a version is of the first.

    Raises:
        InputError: with the version of the file, and a fix.
    """
    known = {key.decode("utf-8", "replace"): value.decode("utf-8", "replace") for key, value in (carried or {}).items()}
    named, version = known.get(NAME, form), known.get(VERSION, "1")
    if named != form:
        raise InputError(f"{where}: holds {named[:40]}, not {form}.")
    if not version.isdecimal() or not 1 <= int(version[:9]) <= TABLES[form][0]:
        raise InputError(
            f"{where}: has version {version[:20]} of the form '{form}'; this simlab reads up to {TABLES[form][0]}. "
            "Read it with the newer simlab that wrote it."
        )
