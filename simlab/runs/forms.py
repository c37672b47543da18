"""The forms in which the lab hands out what it knows: a name, a version, and of each JSON answer a schema.

A form's version goes up where something that was there goes, gets another name, type or unit, or means something else.
What is added leaves it as it is. Every `--json` answer says its form under `schema`; Parquet files carry it in their
metadata.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from simlab.errors import UserMistake

SCHEMAS = Path(__file__).parent.parent / "schemas"
NAME, VERSION, COLUMNS = "simlab.schema", "simlab.version", "simlab.columns"  #: keys of a Parquet file's metadata

#: Answer of a command as JSON -> its version and what gives it.
ANSWERS: dict[str, tuple[int, str]] = {
    "actions-counted": (1, "simlab show actions FOLDER"),
    "items-counted": (1, "simlab show items FOLDER"),
    "rules-counted": (1, "simlab show rules FOLDER"),
    "tracks-counted": (1, "simlab show tracks FOLDER"),
    "bench": (1, "simlab bench"),
    "bench-against": (1, "simlab bench --against"),
    "bots": (1, "simlab bots GAME"),
    "check": (1, "simlab check EXPERIMENT"),
    "check-against": (1, "simlab check EXPERIMENT --against BASELINE"),
    "baseline": (1, "simlab check EXPERIMENT --write-baseline FOLDER"),
    "conformance": (1, "simlab check-game, check-policy and check-metric"),
    "columns": (1, "simlab show schema GAME"),
    "course": (1, "simlab course GAME"),
    "diff": (1, "simlab diff EXPERIMENT"),
    "discover": (1, "simlab discover GAME"),
    "distances": (1, "simlab bots GAME --distance"),
    "doctor": (1, "simlab doctor"),
    "experiments": (1, "simlab show experiments"),
    "exploit": (1, "simlab exploit GAME"),
    "figures": (1, "simlab show figures GAME"),
    "fingerprint": (1, "simlab verify GAME"),
    "fingerprint-written": (1, "simlab verify GAME --write"),
    "fingerprints": (1, "simlab bots GAME --fingerprint"),
    "games": (1, "simlab games"),
    "history": (1, "simlab history"),
    "knobs": (1, "simlab knobs GAME"),
    "mend": (1, "simlab mend EXPERIMENT"),
    "mend-plan": (1, "simlab mend EXPERIMENT --plan"),
    "metrics": (1, "simlab show metrics"),
    "plan": (1, "simlab plan GAME"),
    "playtest": (1, "simlab playtest"),
    "replay": (1, "simlab replay GAME"),
    "replay-beside": (1, "simlab replay GAME --beside"),
    "rules": (1, "simlab rules GAME"),
    "run": (1, "simlab run, sweep and compare"),
    "run-plan": (1, "simlab run, sweep and compare --plan"),
    "run-sizes": (1, "simlab run of several numbers of players"),
    "ladder": (1, "simlab ladder GAME"),
    "scenarios": (1, "simlab show scenarios"),
    "schemas": (1, "simlab show schemas"),
    "table": (1, "simlab table GAME"),
    "tables": (1, "simlab show tables GAME"),
    "tune": (1, "simlab tune GAME"),
    "verify": (1, "simlab verify FOLDER"),
}
#: Tables as files -> version and what writes them (docs/files.md says each column).
TABLES: dict[str, tuple[int, str]] = {
    "rows": (1, "cells/<key>/*.parquet of a folder of results"),
    "games": (1, "simlab export"),
    "moves": (1, "simlab events"),
}


def stamped(answer: Mapping[str, Any], form: str) -> dict[str, Any]:
    """An answer that says its form."""
    return {"schema": {"name": form, "version": ANSWERS[form][0]}, **answer}


def schema_of(form: str) -> dict[str, Any]:
    """The JSON Schema of an answer.

    Raises:
        UserMistake: there is no such form, or none was written for it.
    """
    path = SCHEMAS / f"{form}.json"
    if form not in ANSWERS or not path.is_file():
        raise UserMistake(f"there is no schema '{form}'. `simlab show schemas` lists those there are.")
    schema: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return schema


def metadata(form: str, columns: Mapping[str, str] | None = None) -> dict[str, str]:
    """What a Parquet file of this form carries.

    Args:
        columns: column -> what it says, carried as JSON.
    """
    about = {COLUMNS: json.dumps(columns, ensure_ascii=False)} if columns else {}
    return {NAME: form, VERSION: str(TABLES[form][0]), **about}


def check_metadata(carried: Mapping[bytes, bytes] | None, form: str, where: Path) -> None:
    """Refuses a file of a newer version, or of another form; one without a version is of the first.

    Raises:
        UserMistake: says which version it has, and what to do.
    """
    known = {key.decode("utf-8", "replace"): value.decode("utf-8", "replace") for key, value in (carried or {}).items()}
    named, version = known.get(NAME, form), known.get(VERSION, "1")
    if named != form:
        raise UserMistake(f"{where}: holds {named[:40]}, not {form}.")
    if not version.isdecimal() or not 1 <= int(version[:9]) <= TABLES[form][0]:
        raise UserMistake(
            f"{where}: has version {version[:20]} of the form '{form}'; this simlab reads up to {TABLES[form][0]}. "
            "Read it with the newer simlab that wrote it."
        )
