"""The rules of a game, from its ledger.toml or from the docstrings of its class."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from simlab.errors import InputError, nearest
from simlab.spec.files import read_entry, read_toml


@dataclass(frozen=True)
class Rule:
    """One rule of the ledger, in the project's own words."""

    id: str
    text: str
    where: str
    status: str = "exact"  #: or ruling, abstracted
    knobs: tuple[str, ...] = ()


_STATUS = ("exact", "ruling", "abstracted")


def read_about(about: str, knobs: Collection[str], at: str) -> tuple[str, str, tuple[str, ...]]:
    """Status, place and knobs of a rule, such as `ruling, Set Up, l.14; walls, goal`; what is not given is empty.

    Args:
        knobs: names of the game's knobs. at: the place to name in an error.
    Raises:
        InputError: an unknown knob or a misspelt status.
    """
    before, semicolon, last = about.rpartition(";")
    names = tuple(name.strip() for name in last.split(","))
    reads = bool(semicolon) and all(name.isidentifier() for name in names)  # or a place with a semicolon
    rest, names = (before, names) if reads else (about, ())
    for name in names:
        if name not in knobs:
            raise InputError(f"{at}: there is no knob '{name}'. {nearest(name, knobs)}")
    status, *place = re.split(r"\s*[,;]\s*", rest.strip(), maxsplit=1)
    if status in _STATUS:
        return status, "".join(place), names
    if difflib.get_close_matches(status, _STATUS, cutoff=0.8):
        raise InputError(f"{at}: status is exact, ruling or abstracted, not '{status}'.")
    return "", rest.strip(), names


def read_ledger(path: Path) -> tuple[Rule, ...]:
    """The rules of a ledger.toml: `[[rule]]` with id, text, where, status and, if it reads any, knobs.

    Raises:
        InputError: an entry has a wrong form, or two rules have the same ID; the message names file and rule.
    """
    entries = read_toml(path).get("rule", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise InputError(f"{path}: rules are a list of tables. Begin each with [[rule]].")
    rules: dict[str, Rule] = {}  # by their names in kernels
    for number, entry in enumerate(entries, start=1):
        at = f"{path}, rule {entry.get('id', f'number {number}')}"
        rule = read_entry(Rule, entry, at, {"knobs": ': list the knobs that it reads, as ["goal"].'})
        if rule.status not in _STATUS:
            raise InputError(f"{at}: status is exact, ruling or abstracted, not '{rule.status}'.")
        same = rules.setdefault(_kernel_name(rule.id), rule)
        if same is not rule:
            other = "it is in the ledger already" if same.id == rule.id else f"{same.id} has the same name in code"
            raise InputError(f"{at}: {other}. Give each rule an ID of its own.")
    return tuple(rules.values())


def _kernel_name(rule: str) -> str:
    return rule.replace("-", "_")


def rule_index(path: Path) -> dict[str, np.int64]:
    """Names and indices of a ledger's rules for kernels: `SS-CON-06` becomes SS_CON_06.

    NumPy integers, because Numba compiles a function again for every literal argument.
    """
    return {_kernel_name(rule.id): np.int64(i) for i, rule in enumerate(read_ledger(path))}
