"""What was tried, in order: the runs in a folder, what each set otherwise than the one before, and what came of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simlab.errors import SimlabError, UserMistake

if TYPE_CHECKING:
    from simlab.runs.results import Results


@dataclass(frozen=True)
class Tried:
    """One run.

    Attributes:
        started: when, ISO 8601. folder: of its results. game: its slug.
        question, hypothesis, notes: as they stand in its file.
        changed: what it sets otherwise than the run of the same game before it: name -> (then, now), as texts.
        varied: knob -> its values, as a text. games: finished.
        seat: the first. low, high: its lowest and highest win rate over the cells, 0..1; nan without games.
        status: `complete`, or how it ended.
    """

    started: str
    folder: str
    game: str
    question: str
    hypothesis: str
    notes: str
    changed: dict[str, tuple[str, str]]
    varied: dict[str, str]
    games: int
    seat: str
    low: float
    high: float
    status: str


def history(folder: Path) -> tuple[list[Tried], list[str]]:
    """The runs in a folder, the oldest first.

    Returns:
        the runs; and why other folders of results in it cannot be read.
    Raises:
        UserMistake: the folder is not there.
    """
    from simlab.runs.results import load

    if not folder.is_dir():
        raise UserMistake(
            f"{folder}: there is no such folder. Runs keep their results in results/ unless told otherwise."
        )
    runs: list[tuple[str, Results]] = []
    unread: list[str] = []
    for manifest in sorted(folder.glob("*/manifest.json")):
        try:
            results = load(manifest.parent)
            runs.append((str(results.manifest.get("created", "")), results))
        except SimlabError as fault:
            unread.append(str(fault))
    runs.sort(key=lambda run: run[0])
    last: dict[str, dict[str, str]] = {}
    tried = []
    for started, results in runs:
        game = results.names.slug
        set_now = _set_in(results.experiment)
        before = last.get(game)
        tried.append(_tried(started, results, {} if before is None else _changes(before, set_now)))
        last[game] = set_now
    return tried, unread


def _tried(started: str, results: Results, changed: dict[str, tuple[str, str]]) -> Tried:
    about: Mapping[str, Any] = results.experiment.get("experiment") or {}
    seat = results.cells[0].names.seats[0] if results.cells else ""
    rates = [cell.win_rate(seat)["estimate"] for cell in results.cells if cell.games and seat in cell.names.seats]
    values: dict[str, list[str]] = {}
    for cell in results.cells:
        for name, value in cell.varied.items():
            if str(value) not in values.setdefault(name, []):
                values[name].append(str(value))
    return Tried(
        started, str(results.folder), results.names.slug,
        str(about.get("question") or ""), str(about.get("hypothesis") or ""), str(about.get("notes") or ""), changed,
        {name: _few(texts) for name, texts in values.items()}, sum(cell.games for cell in results.cells),
        seat, min(rates, default=math.nan), max(rates, default=math.nan), str(results.status),
    )  # fmt: skip


def _few(texts: list[str]) -> str:
    return ", ".join(texts) if len(texts) <= 4 else f"{texts[0]} .. {texts[-1]}, {len(texts)} values"


def _set_in(experiment: Mapping[str, Any]) -> dict[str, str]:
    """What an experiment sets: its knobs, tables and bots, as texts."""
    knobs = {**(experiment.get("defaults") or {}), **(experiment.get("knobs") or {})}
    bots = {f"bot {seat}": ", ".join(map(str, texts)) for seat, texts in (experiment.get("bots") or {}).items()}
    cards = {f"table {name}": str(file) for name, file in (experiment.get("cards") or {}).items()}
    return {name: str(value) for name, value in knobs.items()} | cards | bots


def _changes(before: Mapping[str, str], now: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Name -> (then, now) of what both name or one has besides; a knob that varies in one of them is no change."""
    names = [name for name in [*now, *before] if before.get(name) != now.get(name)]
    shared = {name for name in names if (name in before and name in now) or name.startswith("table ")}
    return {name: (before.get(name, "-"), now.get(name, "-")) for name in dict.fromkeys(names) if name in shared}
