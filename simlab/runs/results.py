"""Reading a folder of results, including untrusted ones: nothing in it is run.

results = simlab.load("results/walls")
results.win_rates()          a table
results.games                one row per game
results.cells[0].tally       exact counts
results.plot_win_rates()     a chart
"""

from __future__ import annotations

import copy
import functools
import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, NonNegativeFloat, NonNegativeInt

from simlab import shell
from simlab.engine.counts import layout
from simlab.engine.outcome import figures_of, seat_share_places
from simlab.errors import InputError, nearest, other_form
from simlab.game import Array, Game, KnobValue, Metric
from simlab.runs.files import JSON_LIMIT, Missing
from simlab.runs.names import Names, read_form
from simlab.runs.store import FORMAT, MANIFEST_LIMIT, Folder, Shard, row_schema
from simlab.spec.design import PLAYERS
from simlab.spec.experiment import MOST_SHARD

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    from matplotlib.axes import Axes

    from simlab.engine.tally import Tally

_WHY = {  # status in the manifest -> what that means for the reader
    "complete": "Files of the run were removed since.",
    "running": "The run is still in progress, or was killed.",
    "interrupted": "The run was interrupted.",
    "failed": "The run failed.",
    "faulty": "Some games could not be played: see faults.json.",
}
T = TypeVar("T")
QUANTILES = {"p5": 0.05, "p50": 0.5, "p95": 0.95}


# --- The forms of the files ---------------------------------------------------


class _Form(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", allow_inf_nan=False)


class _Identity(_Form):
    name: str
    game: str
    seed: int
    rules: str


def _duration(value: object) -> object:
    """A duration; earlier versions wrote one below 0 if the clock was set back during a run."""
    return max(value, 0.0) if isinstance(value, float) else value


_Seconds = Annotated[NonNegativeFloat, BeforeValidator(_duration)]


class _Run(_Form):
    command: str
    started: str
    seconds: _Seconds
    games: NonNegativeInt
    games_per_second: NonNegativeFloat
    backend: str
    workers: int
    status: str


class _Manifest(_Form):
    format: int
    status: str
    identity: _Identity
    names: dict[str, Any]
    smaller_tables: list[dict[str, Any]] = Field(default=[], max_length=99)
    rows: bool
    runs: list[_Run]
    versions: dict[str, str]
    fingerprint: str
    tables: dict[str, Any]
    machine: dict[str, Any]
    streams: dict[str, str]
    decision_cost: list[dict[str, Any]] = Field(default=[], max_length=999)


class _Cell(_Form):
    key: str
    label: str
    knobs: dict[str, int | float | bool | str]
    varied: dict[str, int | float | bool | str]
    bots: dict[str, str]
    tables: dict[str, str]
    shards: list[list[int]]


class _Fault(_Form):
    cell: str
    label: str
    seed: int
    first: int
    last: int
    why: str
    replay: str


class _Bots(_Form):
    cell: str
    descriptions: dict[str, dict[str, str]] = {}  # seat -> bot -> how it plays
    untried: dict[str, list[str]]
    tunable: dict[str, list[str]] = {}


class _StoredAnswers(_Form):
    """Answers by the name of their question; each question checks its answer (simlab.questions.finished_run.stored)."""

    model_config = ConfigDict(extra="allow")
    bots: list[_Bots] = []


# --- Results ------------------------------------------------------------------


@dataclass(frozen=True)
class MissingGames:
    """Games of a cell that cells.json lists but the folder lacks; `explained`: whether faults.json has the reason."""

    key: str
    label: str
    shards: tuple[Shard, ...]
    explained: bool

    @property
    def games(self) -> int:
        return sum(shard.size for shard in self.shards)

    @property
    def where(self) -> str:
        """`walls=3: games 0 to 999 and 2 more pieces`."""
        first = self.shards[0]
        more = f" and {len(self.shards) - 1} more pieces" if len(self.shards) > 1 else ""
        return f"{self.label[:80]}: games {first.first} to {first.last}{more}"

    def to_dict(self) -> dict[str, Any]:
        return {"cell": self.key, "label": self.label, "games": self.games, "shards": [list(s) for s in self.shards]}


@dataclass(frozen=True)
class CellResult:
    """The results of one cell of an experiment."""

    key: str
    label: str
    knobs: dict[str, KnobValue]  #: all knobs
    varied: dict[str, KnobValue]  #: knobs that the experiment varies
    bots: dict[str, str]  #: seat -> bot as the user wrote it
    tables: dict[str, str]  #: replaced tables, name -> file name
    shards: tuple[Shard, ...]  #: finished shards
    results: Results

    @property
    def names(self) -> Names:
        """The names at the cell's player count."""
        return self.results._names_at[len(self.bots)]

    @property
    def game(self) -> Game:
        """The game at the cell's player count; see Results.game."""
        return self.results._game_at(self.names)

    @property
    def tally(self) -> Tally:
        """Exact counts over the cell's games; InputError, with the file's name, if a file is damaged."""
        return self.results._counts(self.key, self.shards)[0]

    @property
    def faults(self) -> tuple[int, ...]:
        """Games that could not be played, by index."""
        return self.results._counts(self.key, self.shards)[1]

    @property
    def cut_off(self) -> tuple[int, ...]:
        """Truncated games, by index. Rows, counts and rates do not include them."""
        return self.results._counts(self.key, self.shards)[2]

    @property
    def games(self) -> int:
        """Number of games played."""
        return self.tally.games

    @property
    def wins(self) -> dict[str, int]:
        """Number of games won by each seat, alone or with others; also games that `nobody` won, and games that several
        seats `shared`.
        """

        tally = self.tally
        wins = dict(zip(self.names.seats, tally.wins.tolist(), strict=True))
        return wins | {"nobody": tally.nobody, "shared": tally.shared}

    @property
    def endings(self) -> dict[str, int]:
        """Games by ending."""
        by_ending = self.tally.outcomes.sum(axis=(0, 2))
        return {name: int(n) for name, n in zip(self.names.endings, by_ending, strict=True)}

    @property
    def turns(self) -> tuple[Array, Array]:
        """(lengths, games of each): int64, for each length that occurs."""
        by_length = self.tally.outcomes.sum(axis=(0, 1)).astype(np.int64)
        lengths = np.flatnonzero(by_length)
        return lengths, by_length[lengths]

    def win_rate(self, seat: str, level: float = 0.95) -> dict[str, float]:
        """The win rate with the low and high end of its Wilson interval. A game that several seats win counts as a win
        for each.
        """
        if seat not in self.names.seats:
            raise InputError(f"unknown seat '{seat}'. {nearest(seat, self.names.seats)}")
        return _rate(self.wins[seat], self.games, level)

    def win_share(self, seat: str, level: float = 0.95) -> dict[str, float]:
        """As `win_rate`, but of the seat's share of each win (simlab.engine.payoff)."""
        from simlab.engine.payoff import Payoff

        self.win_rate(seat, level)
        share = Payoff.share(self.names, self.names.seats.index(seat)).total(self.tally)
        return _rate(share, self.games, level)

    def category_win_rates(self, level: float = 0.95) -> dict[str, dict[str, dict[str, float]]]:
        """Category (role, start place and the like) -> value -> seats, wins, estimate, low, high, fair.

        A rate is the share of the seats with this value that won; `fair` is the rate of an average seat. Intervals
        count games, not seats.
        """
        from simlab.engine.counts.categories import shares

        rates: dict[str, dict[str, dict[str, float]]] = {}
        for category, value, share in shares(self.tally.counts, self.names) if self.names.seat_categories else ():
            rate = share.count / share.total if share.total else 0.0
            worth = share.worth or 0.0
            rates.setdefault(category, {})[value] = {
                "seats": share.total,
                "wins": share.count,
                **_rate(rate * worth, worth, level),
                "fair": share.fair or 0.0,
            }
        return rates

    def summary(self, level: float = 0.95) -> dict[str, Any]:
        """The cell's entry in Results.summary."""
        stated, roles = self.names.measures, seat_share_places(self.names)  # which `seat_categories` below has
        metrics = {
            name: _measured(stated.get(name), *histogram, level)
            for name, histogram in sorted(self.tally.metrics.items())
            if name not in roles
        }
        return {
            "knobs": dict(self.knobs),
            "bots": dict(self.bots),
            "games": self.games,
            "cut_off": len(self.cut_off),
            "win_rate": {seat: self.win_rate(seat, level) for seat in self.names.seats},
            "win_share": {seat: self.win_share(seat, level) for seat in self.names.seats},
            "endings": {name: _rate(n, self.games, level) for name, n in self.endings.items()},
            "turns": _spread(*self.turns, level),
            "metrics": metrics,
            **({"seat_categories": self.category_win_rates(level)} if self.names.seat_categories else {}),
        }


def _rate(count: float, games: float, level: float) -> dict[str, float]:
    from simlab.stats.intervals import wilson

    if not 0 < level < 1:
        raise InputError(f"level = {level} is not allowed: use a share between 0 and 1, as 0.95.")
    low, high = wilson(count, games, level)
    return {"estimate": count / games if games else 0.0, "low": float(low), "high": float(high)}


def _measured(metric: Metric | None, values: Array, counts: Array, level: float) -> Any:
    if metric is None or metric.kind == "number":
        return _spread(values, counts, level, *((metric.low, metric.high) if metric else ()))
    games = int(counts.sum())
    if metric.kind == "category":
        each = {name: int(counts[values == code].sum()) for code, name in metric.codes.items()}
        return {"shares": {name: _rate(count, games, level) for name, count in each.items()}}
    happened = values != metric.never
    return {
        "share": _rate(int(counts[happened].sum()), games, level),
        **_spread(values[happened], counts[happened], level, metric.low, metric.high),
    }


def _spread(
    values: Array, counts: Array, level: float, low: float | None = None, high: float | None = None
) -> dict[str, Any]:
    """Mean and quantiles of a histogram with their intervals; all None without games."""
    from simlab.stats.bounded_mean import mean_interval
    from simlab.stats.intervals import quantile_from_histogram, quantile_interval

    if counts.sum() == 0:
        return dict.fromkeys(("mean", *QUANTILES)) | {"intervals": {}}
    mean = mean_interval(values, counts, low, high, level)
    ends = {name: float(quantile_from_histogram(values, counts, q)) for name, q in QUANTILES.items()}
    intervals = {"mean": (mean.low, mean.high)}
    intervals |= {name: quantile_interval(values, counts, q, level) for name, q in QUANTILES.items()}
    known = {name: [end if math.isfinite(end) else None for end in pair] for name, pair in intervals.items()}
    return {"mean": float(mean.value), **ends, "intervals": known}


class Results:
    """A folder of results. Made by `load` and `run`.

    Attributes:
        folder: path of the folder.
        manifest: manifest.json.
        experiment: resolved.json, the experiment with everything that follows from it.
        names: names of seats, endings, decisions, metrics, tracks and rules, so the game need not be installed.
        cells: the rows of the experiment's table that have games.
        missing: shards in cells.json that the folder lacks, one entry per cell.
        failed: games that could not be played, as in faults.json.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.whole: Results = self  # the whole run, if this is one player count of it
        self._store = store = Folder(folder)
        try:
            self.manifest: dict[str, Any] = store.read_json("manifest.json", MANIFEST_LIMIT)
        except Missing:
            raise InputError(f"{folder}: contains no results: there is no manifest.json.") from None
        at = folder / "manifest.json"
        if isinstance(self.manifest, dict) and self.manifest.get("format", FORMAT) != FORMAT:
            again = f"Play it again: simlab run {shell.quote(str(folder / 'experiment.toml'))} --out FOLDER"
            raise InputError(other_form(at, "results", self.manifest["format"], FORMAT, again))
        head = read_form(_Manifest, self.manifest, at)
        self.names = Names.read(head.names, at)
        self._stored = self.names  # names whose columns the rows have
        every = [self.names, *(Names.read(names, at) for names in head.smaller_tables)]
        self._names_at = {len(names.seats): names for names in every}
        if any(names.seats != self.names.seats[: len(names.seats)] for names in every):
            raise InputError(f"{at}: names tables that do not go together.")
        sizes = [math.prod(shape) for names in every for shape in layout(names).shapes.values()]
        self._sidecar_limit = min(JSON_LIMIT, 2_000_000 + 50 * sum(sizes))
        self.name, self.seed, self.status = head.identity.name, head.identity.seed, head.status
        self.has_rows = head.rows
        self.decision_cost = head.decision_cost  #: as measured by simlab.questions.decision_cost
        self._runs = head.runs
        self.experiment: dict[str, Any] = store.read_json("resolved.json")
        if not isinstance(self.experiment, dict):
            raise InputError(f"{folder / 'resolved.json'}: is damaged or not simlab's.")
        failed = self._read("faults.json", "faults", list[_Fault]) if store.has("faults.json") else []
        self.failed: list[dict[str, Any]] = [fault.model_dump() for fault in failed]
        self.missing: list[MissingGames] = []
        self._planned = 0
        self._size_of: dict[str, int] = {}  # key of a cell -> number of its seats
        self.cells = list(self._read_cells())
        self._counts = lru_cache(maxsize=256)(self._merge)

    def _read(self, name: str, key: str, form: type[T]) -> T:
        data = self._store.read_json(name)
        return read_form(form, data.get(key, {}) if isinstance(data, dict) else None, self.folder / name)

    def _read_cells(self) -> Iterator[CellResult]:
        at = self.folder / "cells.json"
        seen = set[str]()
        given_up = {(fault["cell"], fault["first"], fault["last"]) for fault in self.failed}
        for cell in self._read("cells.json", "cells", list[_Cell]):
            names = self._names_at.get(len(cell.bots))
            seated = names is not None and set(cell.bots) == set(names.seats)
            if not (seated and 8 <= len(cell.key) <= 64 and set(cell.key) <= set("0123456789abcdef")):
                raise InputError(f"{at}: cell '{cell.label[:60]}' is damaged or not simlab's.")
            shards, end = [], -1
            for pair in cell.shards:
                if len(pair) != 2 or not end < pair[0] <= pair[1] < 1 << 62:
                    raise InputError(f"{at}: cell '{cell.label[:60]}' has shards that overlap or are not numbers.")
                shards.append(Shard(*pair))
                end = pair[1]
            there = set(self._store.stored_shards(cell.key, self.has_rows))
            done = tuple(shard for shard in shards if shard in there)
            gone = [shard for shard in shards if shard not in there]
            if cell.key not in seen:  # the first of several cells with the same games represents all
                seen.add(cell.key)
                self._size_of[cell.key] = len(cell.bots)
                self._planned += sum(shard.size for shard in shards)
                known = [shard for shard in gone if (cell.key, *shard) in given_up]
                lost = [shard for shard in gone if (cell.key, *shard) not in given_up]
                self.missing += [
                    MissingGames(cell.key, cell.label, tuple(some), some is known) for some in (known, lost) if some
                ]
            if done:
                yield CellResult(**dict(cell) | {"shards": done, "results": self})

    def _merge(self, key: str, shards: tuple[Shard, ...]) -> tuple[Tally, tuple[int, ...], tuple[int, ...]]:
        from simlab.engine.tally import Tally

        total: Tally | None = None
        faults: list[int] = []
        cut_off: list[int] = []
        for shard in shards:
            done = self._store.sidecar(key, shard, self._sidecar_limit)
            where = self.folder / "cells" / key / f"{shard.name}.json"
            try:
                tally = Tally.from_dict(done.tally, self._names_at[self._size_of[key]])
            except InputError as fault:
                raise InputError(f"{where}: {fault}") from None
            sums = [tally.outcomes.sum(), *(counts.sum() for _, counts in tally.metrics.values())]
            alike = all(values.shape == counts.shape for values, counts in tally.metrics.values())
            if not alike or any(int(games) != tally.games for games in sums):
                raise InputError(f"{where}: its counts do not add up to its {tally.games:,} games.")
            total = tally if total is None else total + tally
            faults += done.faults
            cut_off += done.cut_off
        assert total is not None
        return total, tuple(faults), tuple(cut_off)

    @cached_property
    def studies(self) -> dict[str, Any]:
        """Question -> stored answer for this number of players (simlab.questions.after_run); InputError if damaged."""
        if not self._store.has("studies.json"):
            return {}
        players = self._read("studies.json", "players", dict[str, _StoredAnswers])
        answers = players.get(str(len(self.names.seats)))
        return dict(answers.model_dump()) if answers else {}

    @property
    def partial(self) -> bool:
        """Whether games are missing: the run is in progress, was interrupted or killed, failed, or has lost files."""
        return self.status != "complete" or bool(self.missing)

    @property
    def lost(self) -> bool:
        """Whether games of a finished run are missing, because their files were removed."""
        ended = self.status in ("complete", "faulty")
        return ended and any(not some.explained for some in self.missing)

    @property
    def gap(self) -> str:
        """Missing games and how to get them, in words; empty if there are none."""
        if not self.partial:
            return ""
        why = _WHY.get(self.status, f"The run ended as '{self.status[:40]}'.")
        if self.lost:
            why = "The run had finished: files of it were removed since."
        games = sum(some.games for some in self.missing)
        again = f" Play the missing games: {self.command}" if self.command and self.status != "running" else ""
        if not games:
            return f"PARTIAL: {why}{again}"
        where = "; ".join(some.where for some in self.missing[:3])
        more = f"; and {len(self.missing) - 3} more cells" if len(self.missing) > 3 else ""
        return f"PARTIAL: {games:,} of {self._planned:,} games are not there ({where}{more}). {why}{again}"

    @property
    def cut_off(self) -> str:
        """The number of truncated games, in words; empty if there are none."""
        cells = {cell.key: cell for cell in self.cells if cell.cut_off}
        if not cells:
            return ""
        cut_off = sum(len(cell.cut_off) for cell in cells.values())
        games = sum({cell.key: cell.games + len(cell.cut_off) for cell in self.cells}.values())
        worst = max(cells.values(), key=lambda cell: len(cell.cut_off) / (cell.games + len(cell.cut_off)))
        share = len(worst.cut_off) / (worst.games + len(worst.cut_off))
        return (
            f"{cut_off:,} of {games:,} games were truncated because they went on for too long. All numbers are for the "
            f"other games; with the truncated ones a rate could differ by up to {100 * share:.2g} points "
            f"({worst.label[:80]}), and lengths would be greater."
        )

    @property
    def games_per_second(self) -> float:
        """Games per second of the last start that played games; 0 if no start has ended."""
        return next((run.games_per_second for run in reversed(self._runs) if run.games), 0.0)

    @property
    def command(self) -> str:
        """The shell command that made these results, if known; it calls only simlab."""
        text = self._runs[-1].command if self._runs else ""
        # An untrusted folder may hold any text here, and people paste commands that they are shown.
        return text if shell.is_one_call(text, "simlab") else ""

    @property
    def game(self) -> Game:
        """The installed game with this slug, never from a path that the folder names; InputError: not installed."""
        return self._game_at(self.names)

    def _game_at(self, names: Names) -> Game:
        from simlab.registry import find_games, load_game

        if names.slug not in find_games():
            raise InputError(
                f"the game '{names.slug}' of these results is not installed. Its names are in `.names`; "
                "simlab.registry.load_game('./folder') loads a game of your own."
            )
        return load_game(names.game_text)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The player counts of this run, ascending."""
        return tuple(sorted({len(cell.bots) for cell in self.cells}))

    def table(self, players: int) -> Results:
        """The cells of one player count, as a run with statistics and rows of those seats; InputError: not played."""
        if players not in self.sizes:
            known = ", ".join(map(str, self.sizes))
            raise InputError(f"{self.name}: no games with {players} players in this run. Player counts: {known}.")
        if self.sizes == (players,):
            return self
        part = copy.copy(self)
        for cached in ("games", "studies"):
            part.__dict__.pop(cached, None)
        part.names = self._names_at[players]
        part.whole = self.whole
        part.manifest = {**self.manifest, "names": part.names.to_dict()}
        part.experiment = _at_table(self.experiment, part.names)
        part.cells = [
            replace(cell, varied={n: v for n, v in cell.varied.items() if n != PLAYERS}, results=part)
            for cell in self.cells
            if len(cell.bots) == players
        ]
        part.missing = [some for some in self.missing if self._size_of[some.key] == players]
        return part

    @property
    def tables(self) -> list[Results]:
        """The run split by player count, the smallest first; the run itself if all cells have the same player count."""
        return [self.table(players) for players in self.sizes]

    @cached_property
    def games(self) -> pl.DataFrame:
        """One row per game, by cell and game: the columns of `simlab info GAME columns`, then varied knobs.

        Raises:
            InputError: only counts were kept, a file is damaged, or the rows do not fit into memory.
        """
        from simlab.runs.query import with_knobs

        number = sum(shard.size for _, shard in self._row_shards())
        size, free = 8 * len(row_schema(self.names)) * number, free_memory()
        if number > MOST_SHARD and size > free:
            raise InputError(
                f"{self.folder}: {number:,} rows would take {size / 1e9:.0f} GB of memory, and {free / 1e9:.0f} GB are "
                "free. `.scan()` reads only the columns and rows that you ask for."
            )
        return with_knobs(self).collect()

    def scan(self) -> pl.LazyFrame:
        """Like `games`, lazy and without varied knobs, for more rows than fit into memory; errors as of `games`."""
        import polars as pl

        schema = row_schema(self.names)
        frames = [self._store.scan_shard(key, some, self._stored).select(*schema) for key, some in self._row_shards()]
        return pl.concat(frames) if frames else pl.LazyFrame(schema=schema)

    def where(self, condition: str, cell: str | None = None) -> pl.DataFrame:
        """The games for which a condition holds, as `simlab report --format csv` writes them: `where("turns > 12")`.

        Args:
            condition: in SQL, on the columns of `games` and the knobs in which cells differ (simlab.runs.query).
            cell: key, first digits of it, or label of one cell; None: all cells.
        Raises:
            InputError: the condition cannot be parsed, or names an unknown column.
        """
        from simlab.runs.query import games_of

        return games_of(self, cell, condition).collect()

    def _row_shards(self) -> Iterator[tuple[str, Shard]]:
        if not self.has_rows:
            raise InputError(
                f"{self.folder}: has no rows of games: there were more games than row_limit. Exact counts are "
                "in `.cells`; for rows raise row_limit or play fewer games."
            )
        seen = set()
        for cell in self.cells:
            if cell.key not in seen:
                seen.add(cell.key)
                yield from ((cell.key, shard) for shard in cell.shards)

    def to_pandas(self) -> pd.DataFrame:
        """The games as a pandas table; winner and ending are categories."""
        return self.games.to_pandas()

    def win_rates(self, level: float = 0.95) -> pl.DataFrame:
        """Win rate of every seat in every cell, with its Wilson interval.

        Args:
            level: probability in (0, 1) that an interval covers the true rate.
        Returns:
            columns cell, label, the varied knobs, bot_<seat>.., games, seat, wins, estimate, low, high.
        """
        import polars as pl

        rows = [
            {
                "cell": cell.key,
                "label": cell.label,
                **cell.varied,
                **{f"bot_{taken}": bot for taken, bot in cell.bots.items()},
                "games": cell.games,
                "seat": seat,
                "wins": cell.wins[seat],
                **cell.win_rate(seat, level),
            }
            for cell in self.cells
            for seat in cell.names.seats
        ]
        return pl.DataFrame(rows, infer_schema_length=None)

    def category_win_rates(self, level: float = 0.95) -> pl.DataFrame:
        """How often the seats of each role, start place or other category win, in every cell (Game.seat_categories).

        Returns:
            columns cell, label, the varied knobs, category, value, seats (with this value), wins, estimate, low, high,
            fair (what an average seat wins); no rows for a game without such categories.
        """
        import polars as pl

        rows = [
            {"cell": cell.key, "label": cell.label, **cell.varied, "category": category, "value": value, **rate}
            for cell in self.cells
            for category, rates in cell.category_win_rates(level).items()
            for value, rate in rates.items()
        ]
        return pl.DataFrame(rows, infer_schema_length=None)

    def summary(self, level: float = 0.95) -> dict[str, Any]:
        """All cells as one JSON-able object, the form of --json.

        Returns:
            game, cells (knobs, bots, games, win_rate and win_share by seat, seat_categories, endings, turns, metrics),
            games_per_second, folder, partial, missing (cell, label, games, shards). Rates are {estimate, low, high}
            with Wilson intervals; turns and metrics {mean, p5, p50, p95, intervals}, a category {shares}, a number that
            not every game has also {share}.
        """
        return {
            "game": self.names.slug,
            "cells": [cell.summary(level) for cell in self.cells],
            "games_per_second": self.games_per_second,
            "folder": str(self.folder),
            "partial": self.partial,
            "missing": [some.to_dict() for some in self.missing],
        }

    # Charts: `plot_NAME` draws simlab.report.figures.NAME.

    def __getattr__(self, name: str) -> Callable[..., Axes]:
        """A method that draws the chart of this name and returns Matplotlib axes.

        The win rates of a run with several player counts are drawn by number of players.
        """
        figures: Any = import_module("simlab.report.figures") if name.startswith("plot_") else None
        draw = getattr(figures, name.removeprefix("plot_"), None)
        if draw is None:
            raise AttributeError(f"results have no '{name}'")
        if name == "plot_win_rates" and len(self.sizes) > 1:
            draw = import_module("simlab.questions.player_counts.words").win_rates

        @functools.wraps(draw)
        def plot(*arguments: object, ax: Axes | None = None, **named: object) -> Axes:
            axes: Axes = draw(self, *arguments, ax=ax, **named)
            if ax is None and "ipykernel" in sys.modules:  # pyplot shows the figure at the end of the notebook's cell
                import_module("matplotlib.pyplot").figure(axes.figure)
            return axes

        return plot

    def __dir__(self) -> list[str]:
        figures: Any = import_module("simlab.report.figures")
        return [*super().__dir__(), *(f"plot_{name}" for name in dir(figures))]

    def __repr__(self) -> str:
        games = sum(cell.games for cell in self.cells)
        about = (
            f"{self.names.slug}, {len(self.cells)} cells, {games:,} games, {'PARTIAL' if self.partial else self.status}"
        )
        return f"<Results {self.name}: {about}>"

    def _repr_html_(self) -> str:
        from simlab.present.blocks import Block, Column, Paragraph, Table, attributes
        from simlab.present.estimate import share_of
        from simlab.present.html import in_notebook

        def rate(seat: str) -> Column[CellResult]:
            return Column(f"{seat} wins", lambda c: share_of(c.wins[seat], c.games) if seat in c.names.seats else None)

        blocks: list[Block] = [Paragraph(f"{self.name}: {self.names.title}, 95 % intervals")]
        blocks += [Paragraph(self.gap, "warning")] if self.partial else []
        blocks.append(Table(self.cells[:50], (*attributes("cell=label", "games"), *map(rate, self.names.seats))))
        if len(self.cells) > 50:
            blocks.append(Paragraph(f"and {len(self.cells) - 50:,} more cells"))
        return in_notebook(blocks)


def _at_table(experiment: dict[str, Any], names: Names) -> dict[str, Any]:
    """The part of an experiment for one of several player counts: its bots, points and clauses."""
    part, size = dict(experiment), len(names.seats)
    if isinstance(part.get("bots"), dict):
        part["bots"] = {seat: bots for seat, bots in part["bots"].items() if seat in names.seats}
    vary = part.get("vary")
    if isinstance(vary, dict) and PLAYERS in (knobs := list(vary.get("knobs") or [])):
        at = knobs.index(PLAYERS)
        vary = {**vary, "knobs": knobs[:at] + knobs[at + 1 :]}
        for key in ("values", "space"):
            if isinstance(vary.get(key), dict):
                vary[key] = {name: given for name, given in vary[key].items() if name != PLAYERS}
        if isinstance(vary.get("rows"), list):
            vary["rows"] = [row[:at] + row[at + 1 :] for row in vary["rows"] if row[at] == size]
        part["vary"] = vary if vary["knobs"] else None
    if isinstance(part.get("contract"), dict):
        figures = figures_of(names)
        part["contract"] = {figure: goal for figure, goal in part["contract"].items() if figures.has(figure)}
    return part


def free_memory() -> float:
    """Bytes of free memory."""
    import psutil

    return float(psutil.virtual_memory().available)


def load(folder: Path | str) -> Results:
    """Opens a folder of results as data; nothing in it is run.

    Raises:
        InputError: the folder contains no results; or a file, named in the message, is damaged or has another form.
    """
    path = Path(folder)
    if not path.is_dir():
        raise InputError(f"{path}: there is no such folder of results.")
    return Results(path)
