"""Which folder the results of an experiment go into: one question, one folder, and nothing is moved unasked.

By default that is results/<name><mark>, where the mark says what options changed in an experiment file. A folder that
already holds games that this run does not ask for is left alone: the run takes one beside it, named after a digest of
its cells, and the same command finds it again.
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
    """(folder, what to tell the user of it, or "") for an experiment that names none.

    Args:
        keys: of its cells. identity: as simlab.runs.manifest.identity_of gives it.
        ending: of the folder's name, as `-check`. force: whether what is in the way may be moved aside.
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
    return beside, f"{first} holds another question ({_listed(others)}): this one goes into {beside}."


def refuse_other_cells(folder: Folder, keys: Collection[str], identity: Mapping[str, Any]) -> None:
    """Refuses a folder with games that a run does not ask for.

    Raises:
        InputError: it holds such games; says of which cells.
    """
    others = other_cells(folder, keys, identity)
    if others:
        raise InputError(
            f"{folder.path}: holds another question: games that this run does not ask for ({_listed(others)}). Choose "
            "another folder with --out; --force starts anew and moves the old one aside."
        )


def other_cells(folder: Folder, keys: Collection[str], identity: Mapping[str, Any]) -> list[str]:
    """Labels of the cells with finished games in a folder that are not among `keys`.

    None if the folder belongs to another experiment altogether, or cannot be read: whoever opens it will say so.
    """
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
