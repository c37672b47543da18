"""Reads the rules of a game from its ledger.toml."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from simlab.errors import InputError
from simlab.spec.files import read_toml


@dataclass(frozen=True)
class Rule:
    """One rule of the ledger, in the project's own words."""

    id: str
    text: str
    where: str
    status: str  # exact, ruling, abstracted
    knobs: tuple[str, ...]


_STATUS = ("exact", "ruling", "abstracted")


def read_ledger(path: Path) -> tuple[Rule, ...]:
    """The rules of a ledger.toml: `[[rule]]` with id, text, where, status and, if it reads any, knobs.

    Raises:
        InputError: an entry has a wrong form, or two rules have the same ID; the message names file and rule.
    """
    entries = read_toml(path).get("rule", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise InputError(f"{path}: rules are a list of tables. Begin each with [[rule]].")
    rules = []
    names: dict[str, str] = {}  # as kernels call them -> ID
    for number, entry in enumerate(entries, start=1):
        at = f"{path}, rule {entry.get('id', f'number {number}')}"
        for key in ("id", "text", "where", "status"):
            if key not in entry:
                raise InputError(f"{at}: '{key}' is missing.")
            if not isinstance(entry[key], str):
                raise InputError(f'{at}: {key} = {entry[key]} is not allowed: it is a text. Write {key} = "..".')
        if entry["status"] not in _STATUS:
            raise InputError(f"{at}: status is exact, ruling or abstracted, not '{entry['status']}'.")
        knobs = entry.get("knobs", [])
        if not isinstance(knobs, list) or not all(isinstance(knob, str) for knob in knobs):
            raise InputError(f'{at}: knobs = {knobs} is not allowed: list the knobs that it reads, as ["goal"].')
        name = _kernel_name(entry["id"])
        if name in names:
            other = "it is there already" if names[name] == entry["id"] else f"{names[name]} has the same name in code"
            raise InputError(f"{at}: {other}. Give each rule an ID of its own.")
        names[name] = entry["id"]
        rules.append(Rule(entry["id"], entry["text"], entry["where"], entry["status"], tuple(knobs)))
    return tuple(rules)


def _kernel_name(rule: str) -> str:
    return rule.replace("-", "_")


def rule_index(path: Path) -> dict[str, np.int64]:
    """Names and indices of a ledger's rules for kernels: `SS-CON-06` becomes SS_CON_06.

    NumPy integers, because Numba compiles a function again for every literal argument.
    """
    return {_kernel_name(rule.id): np.int64(i) for i, rule in enumerate(read_ledger(path))}
