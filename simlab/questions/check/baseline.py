"""Baselines: games to compare with after a change of the rules.

A baseline is a small folder to commit. It holds the experiment, and for each cell the knobs, bots and the rows of its
games: winners, ending, length, decisions, scores and metrics.

    <folder>/experiment.toml     the experiment
    <folder>/baseline.json       its cells
    <folder>/rows.npz            the rows of all cells, one after the other: an array for each column

A folder of results also serves as a baseline. No code in either is run.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import ConfigDict, Field

from simlab import shell
from simlab.engine.conduct import check_bots
from simlab.engine.match import Match
from simlab.engine.outcome import winners_from
from simlab.errors import GameTruncated, InputError, other_form
from simlab.game import Array
from simlab.questions.comparison import row_names
from simlab.registry import load_game
from simlab.runs.cells import Cell, cells
from simlab.runs.events import ProgressCount, no_progress
from simlab.runs.files import atomic_write, parse_json, read_inside, to_json
from simlab.runs.names import read_form
from simlab.runs.results import Results, load
from simlab.runs.store import ROWS_LIMIT, frame_to_rows
from simlab.spec.experiment import Experiment
from simlab.spec.files import adapter

FORMAT = 3
MOST_GAMES = 5_000_000  #: of a baseline
MOST_BYTES = 8_000  #: of a game's row
_CODES = ("winner", "winners", "ending", "turns", "decisions")  # columns of each game, whole numbers

#: The rows of games: name -> numbers, shape (games,): `winner` (seat or -1 nobody, -2 shared), `winners` (one bit per
#: seat), `ending`, `turns`, `decisions`, the metrics; `score`, shape (games, seats), if the game has scores;
#: `category`, shape (games, categories, seats), if its seats have roles or places.
Columns = dict[str, Array]


@dataclass(frozen=True)
class BaselineCell:
    """A cell: its setting and the rows of its games, game 0 first."""

    label: str
    knobs: dict[str, Any]
    bots: dict[str, str]
    games: Annotated[int, Field(ge=1, le=MOST_GAMES)]
    columns: Columns = field(default_factory=dict)
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(arbitrary_types_allowed=True)


@dataclass(frozen=True)
class Baseline:
    """Cells to compare with.

    Attributes:
        seats, endings: names for the codes of the outcomes.
        rules: digest of the rules.
    """

    name: str
    game: str
    seed: int
    seats: tuple[str, ...]
    endings: tuple[str, ...]
    rules: str
    cells: Annotated[tuple[BaselineCell, ...], Field(min_length=1)]
    path: Path = Path()

    @property
    def games(self) -> int:
        return sum(cell.games for cell in self.cells)

    def save(self, folder: Path) -> None:
        """Writes baseline.json and rows.npz."""
        file, columns = io.BytesIO(), [cell.columns for cell in self.cells]
        # A prefix, because a column may be named like an argument of NumPy's.
        joined: dict[str, Any] = {f"rows/{name}": np.concatenate([one[name] for one in columns]) for name in columns[0]}
        np.savez_compressed(file, **joined)
        rows = file.getvalue()
        about = adapter(Baseline).dump_python(self, exclude={"path": True, "cells": {"__all__": {"columns"}}})
        about |= {"format": FORMAT, "digest": hashlib.sha256(rows).hexdigest()}
        atomic_write(folder / "rows.npz", rows)
        atomic_write(folder / "baseline.json", to_json(about, pretty=True))


# --- Writing ------------------------------------------------------------------


def refuse_player_counts(experiment: Experiment) -> None:
    if experiment.sizes:
        raise InputError(
            f"{experiment.name}: players vary, but a baseline has one player count. Write one for each, with --players "
            "instead of [vary] players."
        )


def write_baseline(experiment: Experiment, folder: Path, notify: ProgressCount = no_progress) -> Baseline:
    """Plays an experiment and writes its baseline, replacing any earlier one.

    Raises:
        InputError: over MOST_GAMES games, or the folder cannot be written. GameTruncated: a game was truncated.
    """
    refuse_player_counts(experiment)
    game = load_game(experiment.table_ref())
    rules, cells = "", []
    for cell, match, columns in play_cells(experiment, None, notify):
        rules = match.rules_digest
        cells.append(BaselineCell(cell.label, dict(cell.knobs), dict(cell.bot_labels), len(columns["winner"]), columns))
    done = Baseline(experiment.name, game.slug, experiment.seed, game.seats, game.endings, rules, tuple(cells), folder)
    atomic_write(folder / "experiment.toml", experiment.to_toml().encode())
    done.save(folder)
    return done


def play_cells(
    experiment: Experiment, games: Mapping[str, int] | None, notify: ProgressCount
) -> Iterator[tuple[Cell, Match, Columns]]:
    """Plays cells one after the other: yields (cell, match, columns of its rows).

    Args:
        games: label -> games of the cells to play; None: all cells, as in the experiment.
    """
    chosen = [
        (c, experiment.games if games is None else games[c.label])
        for c in cells(experiment)
        if games is None or c.label in games
    ]
    total = sum(number for _, number in chosen)
    if total > MOST_GAMES:
        raise InputError(
            f"{experiment.name}: {total:,} games are too many for a baseline: at most {MOST_GAMES:,}. A few thousand "
            "per cell are usual (--games)."
        )
    done = 0
    for cell, number in chosen:
        notify(done, total, cell.label)
        match = cell.match()
        check_bots(match, experiment.seed)
        try:
            rows = match.play(experiment.seed, 0, number).rows
        except GameTruncated as fault:
            text = f"{cell.label}: in a baseline all games must end, and game {fault.index} was truncated: {fault}"
            raise fault.reworded(text) from fault
        yield cell, match, {name: np.asarray(rows[name]) for name in row_names(match.game)}
        done += number
    notify(done, total, "")


# --- Reading ------------------------------------------------------------------


def read_baseline(path: Path) -> Baseline:
    """A baseline: its folder, its baseline.json, or a folder of results with one row per game.

    Raises:
        InputError: there is no baseline, it is damaged, or another version of the lab wrote it.
    """
    if path.is_dir() and not (path / "baseline.json").exists() and (path / "manifest.json").exists():
        return _of_results(path)
    file = path / "baseline.json" if path.is_dir() else path
    folder, where = file.parent, str(file)
    if not file.is_file():
        raise InputError(
            f"{path}: there is no baseline. Write one with: simlab check EXPERIMENT "
            f"--write-baseline {shell.quote(str(folder))}"
        )
    data = parse_json(read_inside(folder, file.name), where)
    form = data.get("format") if isinstance(data, dict) else None
    if form != FORMAT:
        advice = f"Write it again, with the rules of that time: simlab check EXPERIMENT --write-baseline {folder}"
        raise InputError(other_form(where, "a baseline", form, FORMAT, advice))
    read = read_form(Baseline, {**data, "path": path}, where)
    rows = _read_rows(folder, read, str(data.get("digest")))
    ends = np.cumsum([cell.games for cell in read.cells])[:-1]
    parts = {name: np.split(column, ends) for name, column in rows.items()}
    whole = (replace(c, columns={n: part[place] for n, part in parts.items()}) for place, c in enumerate(read.cells))
    return replace(read, cells=tuple(whole))


def _read_rows(folder: Path, read: Baseline, digest: str) -> Columns:
    """The rows of all cells, one after the other."""
    games, seats, where = read.games, len(read.seats), folder / "rows.npz"
    data = read_inside(folder, where.name, ROWS_LIMIT)
    try:
        if games > MOST_GAMES or hashlib.sha256(data).hexdigest() != digest:
            raise ValueError(f"not the rows of {folder / 'baseline.json'}")
        with np.load(io.BytesIO(data)) as stored:
            if sum(one.file_size for one in stored.zip.infolist()) > MOST_BYTES * (games + 1_000):
                raise ValueError(f"too large for {games:,} games")
            rows = {name.removeprefix("rows/"): stored[name] for name in stored.files}
        for name, column in rows.items():
            shape = {"score": (games, seats), "category": (games, *column.shape[1:2], seats)}.get(name, (games,))
            if column.shape != shape or column.dtype.kind not in ("iu" if name in _CODES else "iufb"):
                raise ValueError(f"column {name[:40]} is not one of {games:,} games")
        if not set(_CODES) <= set(rows):
            raise ValueError("its columns are not the columns of a row")
        winner, ending = rows["winner"], rows["ending"]
        if winner.min() < -2 or winner.max() >= seats or ending.min() < 0 or ending.max() >= len(read.endings):
            raise ValueError("an unknown seat or ending")
    except Exception as fault:  # noqa: BLE001 - of a damaged archive, NumPy and zipfile raise errors of many kinds
        raise InputError(f"{where}: is damaged or not simlab's ({fault}). Write the baseline again.") from None
    return rows


def _of_results(path: Path) -> Baseline:
    """A finished run as a baseline."""
    results = load(path)
    if len(results.sizes) > 1:
        raise InputError(f"{path}: has several player counts, but a baseline has one.")
    if results.partial:
        raise InputError(f"{path}: cannot serve as a baseline. {results.gap}")
    if sum(cell.games for cell in results.cells) > MOST_GAMES:
        raise InputError(f"{path}: has more games than a comparison allows, {MOST_GAMES:,}. Write a smaller baseline.")
    names = results.names
    cells = [
        BaselineCell(c.label, dict(c.knobs), dict(c.bots), c.games, _rows_of(results, c.key)) for c in results.cells
    ]
    rules = str(results.manifest["identity"]["rules"])
    return Baseline(results.name, names.slug, results.seed, names.seats, names.endings, rules, tuple(cells), path)


def _rows_of(results: Results, key: str) -> Columns:
    import polars as pl

    names = results.names
    frame = results.scan().filter(pl.col("cell") == key).sort("game").collect()
    if not np.array_equal(frame["game"].to_numpy(), np.arange(frame.height)):
        raise InputError(f"{results.folder}: games are missing in cell {key}, so it cannot be compared game by game.")
    columns = frame_to_rows(frame, names)
    return {"winners": winners_from(columns["winner"], len(names.seats))} | columns
