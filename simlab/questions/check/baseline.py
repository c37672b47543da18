"""Baselines: games to compare with after a change of the rules.

A baseline is a small folder to commit. It holds the experiment, and for each cell the knobs, bots and the rows of its
games: winners, ending, length, decisions, scores and metrics.

    <folder>/experiment.toml     the experiment
    <folder>/baseline.json       its cells, with packed rows

A folder of results also serves as a baseline. No code in either is run.
"""

from __future__ import annotations

import base64
import binascii
import math
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

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
from simlab.runs.results import Results, load
from simlab.runs.store import frame_to_rows
from simlab.spec.experiment import Experiment

FORMAT = 2
MOST_GAMES = 5_000_000  #: of a baseline
_KINDS = ("<i1", "<i2", "<i4", "<i8")  # a column has the narrowest type that holds it
_DECIMALS = "<f8"  # of metrics with decimals
_MOST_COLUMNS = 1_000


# --- Contents -----------------------------------------------------------------


#: The rows of a cell's games, game 0 first: name -> numbers, shape (games,): `winner` (seat or -1 nobody, -2 shared),
#: `winners` (one bit per seat), `ending`, `turns`, `decisions`, the metrics; `score`, shape (games, seats), if the game
#: has scores; `category`, shape (games, categories, seats), if its seats have roles or places.
Columns = dict[str, Array]


def pack(columns: Columns) -> dict[str, str]:
    """The columns as JSON-able texts: `widths`, bytes per number of each column (`f` for decimals), and `rows`,
    compressed.
    """
    kinds = {
        name: _DECIMALS if column.dtype.kind == "f" else next(k for k in _KINDS if _holds(k, column))
        for name, column in columns.items()
    }
    raw = b"".join(np.ascontiguousarray(columns[name].T).astype(kind).tobytes() for name, kind in kinds.items())
    widths = " ".join("f" if kind == _DECIMALS else kind[-1] for kind in kinds.values())
    return {"widths": widths, "rows": base64.b64encode(zlib.compress(raw, 9)).decode("ascii")}


def _unpack(entry: Mapping[str, Any], names: Sequence[str], shape: tuple[int, int], games: int, where: str) -> Columns:
    """The columns of a cell, from its entry in baseline.json. shape: (seats, categories of seats)."""
    types = [_DECIMALS if width == "f" else f"<i{width}" for width in str(entry["widths"]).split()]
    if len(types) != len(names) or not set(types) <= {*_KINDS, _DECIMALS} or len(types) > _MOST_COLUMNS:
        raise ValueError("widths do not match the columns")
    kinds = dict(zip(names, types, strict=True))
    several = {"score": shape[:1], "category": shape}
    shapes = {name: (*several.get(name, ()), games) for name in kinds}
    sizes = {name: math.prod(shapes[name]) * np.dtype(kind).itemsize for name, kind in kinds.items()}
    size = sum(sizes.values())
    unpacker = zlib.decompressobj()
    try:
        raw = unpacker.decompress(base64.b64decode(str(entry["rows"]), validate=True), size + 1)
    except (zlib.error, binascii.Error, ValueError) as fault:
        raise InputError(f"{where}: its rows are damaged ({fault}). Write the baseline again.") from None
    if len(raw) != size or not unpacker.eof:
        raise InputError(f"{where}: its rows are not those of {games:,} games. Write the baseline again.")
    columns, at = {}, 0
    for name, kind in kinds.items():
        columns[name] = np.frombuffer(raw, kind, math.prod(shapes[name]), at).reshape(shapes[name]).T
        at += sizes[name]
    return columns


def _holds(kind: str, column: Array) -> bool:
    limits = np.iinfo(kind)
    return bool(limits.min <= column.min() and column.max() <= limits.max)


@dataclass(frozen=True)
class BaselineCell:
    """A cell: its setting and its results."""

    label: str
    knobs: dict[str, Any]
    bots: dict[str, str]
    columns: Columns

    @property
    def games(self) -> int:
        return int(self.columns["winner"].size)


@dataclass(frozen=True)
class Baseline:
    """Cells to compare with.

    Attributes:
        seats, endings: names for the codes of the outcomes.
        rules: digest of the rules.
    """

    path: Path
    name: str
    game: str
    seed: int
    seats: tuple[str, ...]
    endings: tuple[str, ...]
    rules: str
    cells: tuple[BaselineCell, ...]

    @property
    def games(self) -> int:
        return sum(cell.games for cell in self.cells)


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
        cells.append(BaselineCell(cell.label, dict(cell.knobs), dict(cell.bot_labels), columns))
    done = Baseline(folder, experiment.name, game.slug, experiment.seed, game.seats, game.endings, rules, tuple(cells))
    atomic_write(folder / "experiment.toml", experiment.to_toml().encode())
    atomic_write(folder / "baseline.json", to_json(_packed(done), pretty=True))
    return done


def _packed(baseline: Baseline) -> dict[str, Any]:
    """The content of baseline.json. Knobs that all cells share appear once."""
    first = baseline.cells[0].knobs
    shared = {n: v for n, v in first.items() if all(cell.knobs.get(n) == v for cell in baseline.cells)}
    columns = baseline.cells[0].columns
    categories = {"categories": columns["category"].shape[1]} if "category" in columns else {}
    return {
        "format": FORMAT, "name": baseline.name, "game": baseline.game, "seed": baseline.seed,
        "seats": list(baseline.seats), "endings": list(baseline.endings), "rules": baseline.rules,
        "knobs": shared,
        "columns": list(columns),
        **categories,
        "cells": [
            {
                "label": cell.label, "bots": cell.bots, "games": cell.games,
                "knobs": {n: v for n, v in cell.knobs.items() if n not in shared},
                **pack(cell.columns),
            }
            for cell in baseline.cells
        ],
    }  # fmt: skip


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
    try:
        seats = tuple(str(seat) for seat in data["seats"])
        endings = tuple(str(ending) for ending in data["endings"])
        cells = tuple(_read_cell(entry, data, where) for entry in data["cells"])
        if sum(cell.games for cell in cells) > MOST_GAMES or not cells:
            raise ValueError("no cells, or too many games")
        name, game, rules = (str(data[key]) for key in ("name", "game", "rules"))
        return Baseline(path, name, game, int(data["seed"]), seats, endings, rules, cells)
    except (KeyError, TypeError, ValueError, AttributeError) as fault:
        raise InputError(f"{where}: is damaged or not simlab's ({fault}). Write it again.") from None


def _read_cell(entry: Mapping[str, Any], data: Mapping[str, Any], where: str) -> BaselineCell:
    seats, endings = len(data["seats"]), len(data["endings"])
    games = int(entry["games"])
    label = str(entry["label"])
    if not 1 <= games <= MOST_GAMES:
        raise ValueError(f"{label[:80]} has {games} games")
    names = [str(name) for name in data["columns"]]
    if not {"winner", "winners", "ending", "turns", "decisions"} <= set(names) or len(set(names)) < len(names):
        raise ValueError("its columns are not the columns of a row")
    shape = seats, int(data.get("categories", 0))
    columns = _unpack(entry, names, shape, games, f"{where}, {label[:80]}")
    winner, ending = columns["winner"], columns["ending"]
    if winner.min() < -2 or winner.max() >= seats or ending.min() < 0 or ending.max() >= endings:
        raise ValueError(f"{label[:80]} has an unknown seat or ending")
    bots = {str(seat): str(bot) for seat, bot in entry["bots"].items()}
    return BaselineCell(label, {**data["knobs"], **entry["knobs"]}, bots, columns)


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
    cells = [BaselineCell(c.label, dict(c.knobs), dict(c.bots), _rows_of(results, c.key)) for c in results.cells]
    rules = str(results.manifest["identity"]["rules"])
    return Baseline(path, results.name, names.slug, results.seed, names.seats, names.endings, rules, tuple(cells))


def _rows_of(results: Results, key: str) -> Columns:
    import polars as pl

    names = results.names
    frame = results.scan().filter(pl.col("cell") == key).sort("game").collect()
    if not np.array_equal(frame["game"].to_numpy(), np.arange(frame.height)):
        raise InputError(f"{results.folder}: games are missing in cell {key}, so it cannot be compared game by game.")
    columns = frame_to_rows(frame, names)
    return {"winners": winners_from(columns["winner"], len(names.seats))} | columns
