"""Reports of a run: progress and notes to its caller; manifest, cells.json and run.log to its folder."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import platform
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simlab.compiler import parallel
from simlab.engine import streams
from simlab.runs.events import Compiling, Note, Notify, Progress
from simlab.runs.names import Names
from simlab.runs.schedule import CellRun, Schedule
from simlab.runs.store import FORMAT, Folder

if TYPE_CHECKING:
    from simlab.engine.match import Match
    from simlab.game import Game
    from simlab.spec.experiment import Experiment

MOST_RUNS = 100  #: most starts of a run that its manifest lists
_PAUSE = 0.2  # seconds between two progress reports
_STREAMS = (
    "Game i of a cell draws from Philox4x32-10 with key = the experiment's seed and counter = (block, "
    "purpose, i). The purposes are the bots by seat, the redraw of hidden information and the game's own "
    "streams, by name or number. All cells share the seed, so game i uses the same random draws in each."
)


class Journal:
    """Reports and records the progress of one start of a run, which a shell command resumes."""

    def __init__(self, schedule: Schedule, folder: Folder, notify: Notify, command: str) -> None:
        self.schedule, self.folder, self.notify, self.command = schedule, folder, notify, command
        self.played = 0  #: games, by this start
        self.manifest: dict[str, Any] = {}  #: in the folder; empty before `open`
        self._created = time.time()  # durations are measured by a clock that nobody sets
        self._began = self._play_began = time.monotonic()
        self._interval = ""
        self._last_told = -math.inf

    # --- to the caller

    def note(self, text: str) -> None:
        """A message for the user: printed, and stored in run.log."""
        self.folder.log(f"{now()} {text}")
        self.notify(Note(text))

    def compiling(self, name: str, i: int, n: int) -> None:
        self.notify(Compiling(name, i, n))

    def play_begins(self) -> None:
        """Called when compilation is finished: from now on, time counts for the games per second."""
        self._play_began = time.monotonic()

    def count(self, key: str, games: int) -> None:
        """Reports a finished shard and its number of games."""
        self.played += games
        self._interval = self._precision(self.schedule.by_key[key])
        self.progress(0)

    def progress(self, underway: int) -> None:
        """Reports the progress, a few times per second; `underway`: games played in unfinished shards."""
        time_now = time.monotonic()
        done, planned = self.schedule.done + underway, self.schedule.planned
        if time_now - self._last_told < _PAUSE and done < planned:
            return
        if underway and done >= planned:  # the last shard is about to be counted, which reports more
            return
        self._last_told = time_now
        rate = (self.played + underway) / max(time_now - self._play_began, 1e-6)
        left = (planned - done) / rate if rate > 0 else None
        self.notify(Progress(done, planned, rate, left, self._interval))

    def _precision(self, run: CellRun) -> str:
        """A text on how precise the results are, from the cell that grew last."""
        from simlab.stats.intervals import wilson

        if run.games == 0:
            return ""
        low, high = wilson(run.wins[0], run.games)
        first, sides = run.game.seats[0], [side for side in run.game.sides if not side.endings]
        who = next((f"{side.name} {side.wins}" for side in sides if first in side.seats), f"{first} wins")
        text = f"{who} {100 * low:.1f} to {100 * high:.1f} %"
        return text if len(self.schedule.by_key) == 1 else f"{text} ({run.cell.label})"

    # --- to the folder

    def open(self, experiment: Experiment, identity: Mapping[str, Any], old: Mapping[str, Any] | None) -> str | None:
        """Writes the experiment and the manifest of a run that begins or resumes; returns the fingerprint, if known."""
        config = experiment.to_toml().encode()
        before = self.folder.read("experiment.toml") if self.folder.has("experiment.toml") else config
        if before != config:  # the old file is kept under the first free number
            names = (f"experiment.{number}.toml" for number in itertools.count(1))
            kept = next(name for name in names if not self.folder.has(name) or self.folder.read(name) == before)
            self.folder.write(kept, before)
        self.folder.write("experiment.toml", config)
        self.folder.write_json("resolved.json", experiment.resolved())
        self.manifest = _new_manifest(identity, self.schedule.match, old or {}, self.schedule.tables)
        self.manifest |= {"rows": self.schedule.rows, "shard_games": self.schedule.size}
        self.folder.write_json("manifest.json", self.manifest)
        self.write_cells()
        return self.manifest["fingerprint"] or None

    def write_cells(self) -> None:
        """Writes cells.json: the table, with the planned shards of each cell."""
        cells = [
            {
                "key": run.key,
                "match": run.match_key,
                "label": run.cell.label,
                "knobs": dict(run.cell.knobs),
                "varied": dict(run.cell.varied),
                "bots": dict(run.cell.bot_labels),
                "tables": {name: Path(path).name for name, path in run.cell.tables.items()},
                "shards": [list(shard) for shard in self.schedule.by_key[run.key].shards],
            }
            for run in self.schedule.cells
        ]
        self.folder.write_json("cells.json", {"cells": cells})

    def close(self, status: str, fingerprint: str | None, backend: str, workers: int) -> None:
        """Writes to the manifest and to run.log how this start ended."""
        ended = time.monotonic()
        entry = {
            "command": self.command,
            "started": _stamp(self._created),
            "seconds": round(ended - self._began, 3),
            "games": self.played,
            "games_per_second": round(self.played / max(ended - self._play_began, 1e-6), 1),
            "backend": backend,
            "workers": workers,
            "status": status,
        }
        self.manifest["status"] = status
        self.manifest["fingerprint"] = fingerprint or ""
        if self.played or status != "complete" or not self.manifest["runs"]:
            self.manifest["runs"] = [*self.manifest["runs"], entry]
        self.folder.write_json("manifest.json", self.manifest)
        done, planned = self.schedule.done, self.schedule.planned
        self.folder.log(f"{now()} {status}: {done} of {planned} games, {self.played} of them now")


# --- manifest.json: the experiment, the versions and the machine, so the same numbers can be reproduced


def _new_manifest(
    identity: Mapping[str, Any], match: Match, old: Mapping[str, Any], games: Sequence[Game]
) -> dict[str, Any]:  # fmt: skip
    """The manifest of a run that begins or resumes.

    Args:
        match: match of the first cell. old: the experiment's manifest so far.
        games: the game at each player count, the largest last, for a run with several.
    """
    known = _versions()
    same_play = old.get("first_match") == match.key and old.get("versions") == known
    manifest = {
        "format": FORMAT,
        "status": "running",
        "identity": dict(identity),
        "names": Names.of(games[-1] if games else match.game, match.table_rows).to_dict(),
        "versions": known,
        "first_match": match.key,
        "tables": {name: _about_table(rows) for name, rows in sorted(match.table_rows.items())},
        "fingerprint": old.get("fingerprint", "") if same_play else "",
        "streams": {"version": streams.VERSION, "how": _STREAMS},
        "machine": {"platform": f"{platform.system()} {platform.machine()}", "processors": parallel.processors()},
        "created": old.get("created", now()),
        "runs": list(old.get("runs", []))[1 - MOST_RUNS :],
    }
    if own := match.game.own:
        columns = [[column.name for column in one.columns(match.game.seats)] for one in own]
        manifest["metrics"] = [
            {"name": one.name, "named": one.text, "columns": names, "digest": one.digest}
            for one, names in zip(own, columns, strict=True)
        ]
    if games:
        manifest["smaller_tables"] = [Names.of(game, match.table_rows).to_dict() for game in games[:-1]]
    return manifest


def _about_table(rows: list[dict[str, Any]]) -> dict[str, Any]:
    digest = hashlib.sha256(json.dumps(rows, sort_keys=True).encode()).hexdigest()
    named = [[next(iter(row.values())), row.get("name", "")] for row in rows if row.get("source") == "reconstructed"]
    reconstructed = [" ".join(str(value) for value in dict.fromkeys(words) if value != "") for words in named]
    return {"rows": len(rows), "reconstructed": reconstructed, "digest": digest[:32]}


def _versions() -> dict[str, str]:
    """Versions of everything that play and storage depend on."""
    known = {"python": platform.python_version()}
    for package in ("simlab", "numpy", "numba", "polars"):
        try:
            known[package] = version(package)
        except PackageNotFoundError:
            known[package] = "not installed"
    return known


def now() -> str:
    """The time in UTC, to the second."""
    return _stamp(time.time())


def _stamp(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
