"""The folder of an experiment's results: one experiment per folder, and existing folders are not moved by default.

The default folder is results/<name><mark>, where the mark lists the options that changed an experiment file. A folder
with games of a different experiment is not touched: the run uses another folder, named after a digest of its cells, and
the same command finds it again.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simlab.errors import InputError, other_form
from simlab.runs.store import FORMAT, Folder
from simlab.spec.folder_names import digest_of

if TYPE_CHECKING:
    from simlab.engine.match import Match
    from simlab.spec.experiment import Experiment

_ANEW = "Choose another folder with --out; --force starts again and moves the old one aside."


def identity_of(name: str, seed: int, match: Match) -> dict[str, Any]:
    """The identity of an experiment: a folder holds the results of only one."""
    return {"name": name, "game": match.game.slug, "seed": seed, "rules": match.rules_digest}


def place_of(
    experiment: Experiment, keys: Collection[str], identity: Mapping[str, Any], ending: str = "", force: bool = False
) -> tuple[Path, str]:
    """The folder for an experiment that names none, and a message for the user (or "").

    Args:
        keys: keys of the experiment's cells. ending: end of the folder's name, such as `-check`.
        force: whether an existing folder may be moved aside.
    """
    first = Path("results") / f"{experiment.name}{experiment.mark}{ending}"
    beside = first.with_name(f"{first.name}-{digest_of(sorted(keys))}")
    if force:
        return first, ""
    if (beside / "manifest.json").exists():
        return beside, ""
    others = other_cells(Folder(first), keys, identity)
    if not others:
        return first, ""
    return beside, f"{first} contains results of a different experiment ({_listed(others)}): this run uses {beside}."


def other_rules(folder: Folder, identity: Mapping[str, Any]) -> bool:
    """Whether a folder contains the same experiment, played with different rules."""
    old = read_manifest(folder)["identity"] if folder.has("manifest.json") else identity
    return old != identity and {**old, "rules": identity["rules"]} == identity


def read_manifest(folder: Folder) -> dict[str, Any]:
    """The manifest of a folder in which a run wants to resume; InputError if it is damaged, or has another form."""
    manifest = folder.read_json("manifest.json")
    where = folder.path / "manifest.json"
    if not isinstance(manifest, dict) or not (
        isinstance(manifest.get("identity"), dict) and isinstance(manifest.get("runs"), list)
    ):
        raise InputError(f"{where}: is damaged or not simlab's. {_ANEW}")
    if manifest.get("format") != FORMAT:
        raise InputError(other_form(where, "results", manifest.get("format"), FORMAT, _ANEW))
    return manifest


def refuse_others(
    folder: Folder, old: Mapping[str, Any], keys: Collection[str], identity: Mapping[str, Any]
) -> None:  # fmt: skip
    """Raises InputError if a folder with identity `old` belongs to another experiment, or has cells not in `keys`."""
    for word in ("name", "game", "seed"):
        if old.get(word) != identity[word]:
            there = str(old.get(word))[:60]
            raise InputError(
                f"{folder.path}: holds results of another experiment: its {word} is {there}, not {identity[word]}. "
                + _ANEW
            )
    if old.get("rules") != identity["rules"]:
        raise InputError(
            f"{folder.path}: was played by other rules: the game's code or tables have changed since (digest "
            f"{str(old.get('rules'))[:8]}, now {identity['rules'][:8]}). {_ANEW}"
        )
    others = other_cells(folder, keys, identity)
    if others:
        raise InputError(f"{folder.path}: contains results of a different experiment: {_listed(others)}. {_ANEW}")


def other_cells(folder: Folder, keys: Collection[str], identity: Mapping[str, Any]) -> list[str]:
    """Labels of the cells with finished games in a folder that are not among `keys`; empty if it cannot be read."""
    try:
        if not folder.has("manifest.json") or folder.read_json("manifest.json")["identity"] != identity:
            return []
        cells = folder.read_json("cells.json")["cells"]
        return [
            str(cell["label"])
            for cell in cells
            if cell["key"] not in keys and re.fullmatch(r"[0-9a-f]{8,64}", cell["key"])
            and folder.stored_shards(cell["key"])
        ]  # fmt: skip
    except (InputError, KeyError, TypeError):
        return []


def _listed(labels: list[str]) -> str:
    shown = ", ".join(f"'{label[:60]}'" for label in labels[:2])
    return shown + (f" and {len(labels) - 2} more cells" if len(labels) > 2 else "")
