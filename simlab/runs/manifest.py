"""manifest.json: the experiment, the versions and the machine, so the same numbers can be reproduced."""

from __future__ import annotations

import hashlib
import json
import platform
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simlab.compiler import parallel
from simlab.errors import InputError, other_form
from simlab.runs.names import Names
from simlab.runs.store import FORMAT, Folder

if TYPE_CHECKING:
    from simlab.engine.match import Match
    from simlab.game import Game

MOST_RUNS = 100  #: most starts of a run that its manifest lists

_ANEW = "Choose another folder with --out; --force starts again and moves the old one aside."
_STREAMS = (
    "Game i of a cell draws from Philox4x32-10 with key = the experiment's seed and counter = (block, "
    "purpose, i). The purposes are the bots by seat, the redraw of hidden information and the game's own "
    "streams. All cells share the seed, so game i uses the same random draws in each."
)


def identity_of(name: str, seed: int, match: Match) -> dict[str, Any]:
    """The identity of an experiment: a folder holds the results of only one."""
    return {"name": name, "game": match.game.slug, "seed": seed, "rules": match.rules_digest}


def new_manifest(
    identity: Mapping[str, Any], match: Match, old: Mapping[str, Any] | None, games: Sequence[Game] = ()
) -> dict[str, Any]:
    """The manifest of a run that begins or resumes.

    Args:
        match: of the first cell. old: the experiment's manifest so far.
        games: the game at each player count, the largest last, for a run with several.
    """
    from simlab.engine import streams

    old = old or {}
    same_play = old.get("first_match") == match.key and old.get("versions") == versions()
    return (
        {
            "format": FORMAT,
            "status": "running",
            "identity": dict(identity),
            "names": Names.of(games[-1] if games else match.game, match.table_rows).to_dict(),
            "versions": versions(),
            "first_match": match.key,
            "tables": {name: _about_table(rows) for name, rows in sorted(match.table_rows.items())},
            "fingerprint": old.get("fingerprint", "") if same_play else "",
            "streams": {"version": streams.VERSION, "how": _STREAMS},
            "machine": {"platform": f"{platform.system()} {platform.machine()}", "processors": parallel.processors()},
            "created": old.get("created", now()),
            "runs": list(old.get("runs", []))[1 - MOST_RUNS :],
        }
        | _about_metrics(match.game)
        | ({"smaller_tables": [Names.of(game, match.table_rows).to_dict() for game in games[:-1]]} if games else {})
    )


def _about_metrics(game: Game) -> dict[str, Any]:
    """The designer's own metrics, if any: their names, and a digest of their code."""
    own = [
        {
            "name": one.name,
            "named": one.text,
            "columns": [c.name for c in one.columns(game.seats)],
            "digest": one.digest,
        }
        for one in game.own
    ]
    return {"metrics": own} if own else {}


def _about_table(rows: list[dict[str, Any]]) -> dict[str, Any]:
    digest = hashlib.sha256(json.dumps(rows, sort_keys=True).encode()).hexdigest()
    reconstructed = [
        " ".join(str(value) for value in dict.fromkeys(_named(row)))
        for row in rows
        if row.get("source") == "reconstructed"
    ]
    return {"rows": len(rows), "reconstructed": reconstructed, "digest": digest[:32]}


def _named(row: dict[str, Any]) -> list[Any]:
    """The label of a row: its first column, and its name if it has one."""
    return [next(iter(row.values())), *([row["name"]] if "name" in row else [])]


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


def same_experiment(folder: Path, old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
    """Raises InputError, which says how they differ, if a run would mix two experiments (identities) in one folder."""
    for word in ("name", "game", "seed"):
        if old.get(word) != new[word]:
            there = str(old.get(word))[:60]
            raise InputError(
                f"{folder}: holds results of another experiment: its {word} is {there}, not {new[word]}. " + _ANEW
            )
    if old.get("rules") != new["rules"]:
        raise InputError(
            f"{folder}: was played by other rules: the game's code or tables have changed since (digest "
            f"{str(old.get('rules'))[:8]}, now {new['rules'][:8]}). {_ANEW}"
        )


def other_rules(folder: Folder, identity: Mapping[str, Any]) -> bool:
    """Whether a folder contains the same experiment, played with different rules."""
    if not folder.has("manifest.json"):
        return False
    old = read_manifest(folder)["identity"]
    return {**old, "rules": ""} == {**identity, "rules": ""} and old.get("rules") != identity["rules"]


def versions() -> dict[str, str]:
    """Versions of everything that play and storage depend on."""
    from importlib.metadata import PackageNotFoundError, version

    known = {"python": platform.python_version()}
    for package in ("simlab", "numpy", "numba", "polars"):
        try:
            known[package] = version(package)
        except PackageNotFoundError:
            known[package] = "not installed"
    return known


def processors() -> int:
    """How many workers to start: the processors that this process may use, fewer in a container with a limit."""
    import joblib

    return int(joblib.cpu_count())


def now() -> str:
    """The time in UTC, to the second."""
    return stamp(time.time())


def stamp(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
