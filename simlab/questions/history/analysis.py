"""The runs in a folder, oldest first: the changes of each from the previous one, its effect and its contract."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from simlab.errors import InputError, SimlabError
from simlab.present.answer import Answer, Number, Part
from simlab.present.estimate import Estimate, estimate_of
from simlab.questions.contract.analysis import of_run as contract_of
from simlab.runs.results import Results, load
from simlab.runs.view import View, view_of
from simlab.spec import bans
from simlab.spec.knobs import FAIR
from simlab.stats.intervals import difference_of_rates
from simlab.stats.paired import paired_difference

#: Default of knobs that a run lists only if it sets them (loaded dice, bad shuffles, weighted decks, bans).
LUCK = {r"die_.*": FAIR, r"deck_.*": "0", r"cards_.*": FAIR, bans.NAME: bans.NOTHING}


class PastRun(Part):
    """One run.

    Attributes:
        started: time of the start (ISO 8601). folder: folder of its results. status: `complete`, or how it ended.
        question, hypothesis, notes: texts of the experiment file.
        changed: name -> before and after, compared with the previous run of the same game. varied: knob -> its values,
            as a text. games: number of finished games. seat: the first seat. low, high: lowest and highest win rate of
            this seat over the cells, 0..1; None without games.
        effect: change of that win rate since the previous run of the same game, in points; None if the two runs have
            different cells. paired: whether both used the same seeds.
        contract: its verdict, `met`, `broken` or `inconclusive`; empty without a contract.
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
    low: float | None
    high: float | None
    effect: Number | None = None
    paired: bool = False
    contract: str = ""
    status: str


class History(Answer, form="history", source="simlab runs"):
    """Answer of `simlab runs`.

    Attributes:
        runs: the runs, the oldest first. unread: why other folders could not be read.
    """

    folder: str
    runs: tuple[PastRun, ...]
    unread: tuple[str, ...]


def history_of(folder: Path) -> History:
    """The runs in a folder, oldest first.

    Raises:
        InputError: the folder does not exist.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder. Runs keep their results in results/ by default.")
    found: list[Results] = []
    unread: list[str] = []
    for manifest in sorted(folder.glob("*/manifest.json")):
        try:
            found.append(load(manifest.parent))
        except SimlabError as fault:
            unread.append(str(fault))
    last: dict[str, Results] = {}
    runs = []
    for results in sorted(found, key=_started):
        runs.append(_run(results, last.get(results.names.slug)))
        last[results.names.slug] = results
    return History(folder=str(folder), runs=tuple(runs), unread=tuple(unread))


def _started(results: Results) -> str:
    return str(results.manifest.get("created", ""))


def _run(results: Results, before: Results | None) -> PastRun:
    about: Mapping[str, Any] = results.experiment.get("experiment") or {}
    seat = results.cells[0].names.seats[0] if results.cells else ""
    rates = [cell.win_rate(seat)["estimate"] for cell in results.cells if cell.games and seat in cell.names.seats]
    values: dict[str, dict[str, None]] = {}
    for cell in results.cells:
        for name, value in cell.varied.items():
            values.setdefault(name, {})[str(value)] = None
    view = _view(results)
    effect, paired = _effect(_view(before), view) if before else (None, False)
    contract = contract_of(view) if view else None
    return PastRun(
        started=_started(results), folder=str(results.folder), game=results.names.slug,
        question=str(about.get("question") or ""), hypothesis=str(about.get("hypothesis") or ""),
        notes=str(about.get("notes") or ""), changed=_changes(before, results) if before else {},
        varied={name: _few(list(texts)) for name, texts in values.items()},
        games=sum(cell.games for cell in results.cells), seat=seat, low=min(rates, default=None),
        high=max(rates, default=None), effect=effect, paired=paired, status=str(results.status),
        contract=contract.verdict if contract else "",
    )  # fmt: skip


def _few(texts: list[str]) -> str:
    return ", ".join(texts) if len(texts) <= 4 else f"{texts[0]} .. {texts[-1]}, {len(texts)} values"


def _view(results: Results) -> View | None:
    """The view of a run; None if it has no games or several player counts."""
    if len(results.sizes) > 1 or not any(cell.games for cell in results.cells):
        return None
    return view_of(results)


def _effect(before: View | None, after: View | None) -> tuple[Estimate | None, bool]:
    """Change of the first seat's win rate in points, and whether both runs used the same seeds."""
    if before is None or after is None or [c.point for c in before.cells] != [c.point for c in after.cells]:
        return None, False
    if len(before.cells) > 1 and before.bots != after.bots:
        return None, False
    one, other = before.won(0), after.won(0)
    if before.seed == after.seed and one is not None and other is not None:
        games = min(len(one), len(other))
        pair = paired_difference(one[:games].mean(axis=1), other[:games].mean(axis=1))
        return estimate_of(pair.ends, 100, False), True
    counts = [(float(view.all.wins[0]) / len(view.cells), view.games / len(view.cells)) for view in (before, after)]
    return estimate_of(difference_of_rates(*counts[0], *counts[1]), 100, False), False


def _settings(results: Results) -> dict[str, str]:
    """Knobs, tables and bots of a run, as texts."""
    experiment: Mapping[str, Any] = results.experiment
    knobs = {**(experiment.get("defaults") or {}), **(experiment.get("knobs") or {})}
    bots = {f"bot {seat}": ", ".join(map(str, texts)) for seat, texts in (experiment.get("bots") or {}).items()}
    cards = {f"table {name}": str(file) for name, file in (experiment.get("cards") or {}).items()}
    return {name: str(value) for name, value in knobs.items()} | cards | bots


def _changes(before: Results, after: Results) -> dict[str, tuple[str, str]]:
    """Name -> before and after; a knob that varies in one of the runs is not a change."""
    then, now = _settings(before), _settings(after)
    varied = {name for run in (before, after) for cell in run.cells for name in cell.varied}
    changed = {}
    for name in dict.fromkeys([*now, *then]):
        default = next((value for pattern, value in LUCK.items() if re.fullmatch(pattern, name)), None)
        default = "-" if name.startswith("table ") else default
        pair = then.get(name, default), now.get(name, default)
        if pair[0] is not None and pair[1] is not None and pair[0] != pair[1] and name not in varied:
            changed[name] = (pair[0], pair[1])
    return changed
