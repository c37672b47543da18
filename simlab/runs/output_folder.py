"""The folder of an experiment's results: one experiment per folder, and existing folders are not moved by default. The
default folder is results/<name><mark>, where the mark lists the options that changed an experiment file. A folder with
games of a different experiment is left alone: the run takes another one, named after a digest of its cells, and the
same command finds it again.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simlab.errors import InputError
from simlab.runs.store import Folder
from simlab.spec.folder_names import digest_of

if TYPE_CHECKING:
    from simlab.spec.experiment import Experiment


def place_of(
    experiment: Experiment, keys: Collection[str], identity: Mapping[str, Any], ending: str = "", force: bool = False
) -> tuple[Path, str]:
    """The folder for an experiment that names none, and a message for the user (or "").

    Args:
        keys: of the experiment's cells. ending: end of the folder's name, such as `-check`.
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


def refuse_other_cells(folder: Folder, keys: Collection[str], identity: Mapping[str, Any]) -> None:
    """Raises InputError, with the names of the cells, if a folder contains games that a run does not ask for."""
    others = other_cells(folder, keys, identity)
    if others:
        raise InputError(
            f"{folder.path}: contains results of a different experiment: {_listed(others)}. Choose "
            "another folder with --out; --force starts again and moves the old one aside."
        )


def other_cells(folder: Folder, keys: Collection[str], identity: Mapping[str, Any]) -> list[str]:
    """Labels of the cells with finished games in a folder that are not among `keys`; none if it cannot be read."""
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
