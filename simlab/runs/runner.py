"""Plays an experiment so that nothing finished is lost, whatever dies.

The driver cuts each cell of the experiment into shards. A worker plays a shard and writes it itself
(simlab.runs.worker); back comes a small report. joblib carries the work: processes of this
machine (loky), threads, or a Dask cluster. joblib gives up on everything when one worker dies, so the
driver then looks at what is finished and starts the rest again.

Games depend on seed and index alone. So the game at which a worker died is played once more by itself: if
that kills its worker too, the game is left out. What fails is named in faults.json, and the run fails in the end
with all the rest done:

- a game that kills or stalls its worker, or in which a bot fails, is left out; after some, so is the rest of its cell;
- a bot that changes what it may only read costs its cell all figures, and so do too many games without an end.
"""

from __future__ import annotations

import contextlib
import math
import os
import queue
import secrets
import shlex
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simlab.engine.outcome import wins_of
from simlab.errors import RunFailed, SimlabError, UserMistake, nearest
from simlab.runs.life import Signals
from simlab.runs.manifest import (
    identity_of,
    new_manifest,
    now,
    processors,
    read_manifest,
    same_experiment,
    stamp,
)
from simlab.runs.place import place_of, refuse_other_cells
from simlab.runs.pool import BACKENDS, Pool, is_death
from simlab.runs.store import Folder, Shard, check_number, cut
from simlab.runs.worker import (
    MATCHES_LOCK,
    MOST_CUT_OFF,
    MOST_FAULTS,
    REFUSE,
    RETRY,
    STOPPED,
    CellLike,
    Found,
    ShardReport,
    ShardSpec,
    Watched,
    match_for,
    progress_files,
    remember,
    too_many_cut_off,
)

if TYPE_CHECKING:
    from simlab.engine.tally import Tally
    from simlab.experiments.experiment import Experiment
    from simlab.runs.results import Results

COUNTED_SHARD = 20  #: where only counts are kept, a shard has this many times the games
FINGERPRINT_GAMES = 1_000  #: most games whose outcomes make the fingerprint
FIRST_LOOK = 1_000  #: games a cell before a judge looks the first time
GROWTH = 1.5  #: from look to look a cell that is still open has so many times the games
MOST_STALLS = 3  #: games that stall or kill their worker before the rest of a cell is given up
TIMEOUT = 120.0  #: seconds without a finished decision after which a game counts as stalled

_TICK = 0.2  # seconds between two looks at the workers
_FROZEN = 5.0  # seconds after which a worker that should have ended itself is ended
_DEATHS = 3  # after so many a shard is played while nothing else is
_DEATHS_AT_A_GAME = 3  # of those alone, at one game: it is left out
_DEATHS_ALONE = 10  # the shard is given up
_FAILURES = 3  # of a shard, for want of memory and the like: it is given up
_PIECES = 8  # shards into which the games between two looks are cut, so that several workers have some
_LEAST_PIECE = 1_000  # games of such a shard
_SEARCHED_CELLS, _SEARCHED_GAMES = 10, 50_000  # cells, and games of each, that a run searches for repeats
_IDLE_ROUNDS = 8  # rounds in which workers died and nothing was finished


class Interrupted(SimlabError):
    """The run was stopped from outside; what was finished is kept.

    Args:
        signal_number: SIGINT (Ctrl-C), SIGTERM or SIGHUP; the exit status follows from it, as in a shell.
    """

    exit_code = 130

    def __init__(self, message: str, signal_number: int = 0) -> None:
        super().__init__(message)
        self.exit_code = 128 + (signal_number or signal.SIGINT)


class GamesFailed(RunFailed):
    """All is done but some games, which fail or whose worker does.

    Attributes:
        folder: the results, complete but for these games.
        faults: as in faults.json.
    """

    def __init__(self, message: str, folder: Path, faults: Sequence[Mapping[str, Any]]) -> None:
        super().__init__(message)
        self.folder, self.faults = folder, faults


# --- What a caller sees of a run in progress ----------------------------------


@dataclass(frozen=True)
class Compiling:
    """Part `i` of `n` is being compiled."""

    name: str
    i: int
    n: int


@dataclass(frozen=True)
class Progress:
    """How far the run is.

    Attributes:
        done, total: games, those of earlier starts included.
        seconds_left: estimate, or None before anything can be said.
        interval: how precise the results are by now, in words; empty at the start.
    """

    done: int
    total: int
    games_per_second: float
    seconds_left: float | None
    interval: str


@dataclass(frozen=True)
class Note:
    """Something the person should know, a sentence."""

    text: str


Event = Compiling | Progress | Note


# --- The driver ---------------------------------------------------------------


@dataclass
class _CellRun:
    """One cell of the table as the run goes on.

    Attributes:
        shards: planned so far; planned: their games.
        done: finished shards; games: played in them.
        wins: games that each seat won. cut_off: games that went on for too long, in no count.
    """

    cell: CellLike
    key: str
    match_key: str
    shards: list[Shard]
    planned: int
    done: set[Shard] = field(default_factory=set)
    games: int = 0
    wins: tuple[int, ...] = ()
    cut_off: int = 0


@dataclass
class _Trouble:
    """What happened to a shard whose worker died or failed.

    Attributes:
        failures: how often the worker lived, and could not play it.
        deaths: while it was being played.
        alone: those while nothing else was.
        games: of those alone, how many at which game.
    """

    failures: int = 0
    deaths: int = 0
    alone: int = 0
    games: dict[int, int] = field(default_factory=dict)


class _Stalled(Exception):
    """A game in this process's own thread does not end."""


Work = tuple[str, Shard]  # key of the cell, and which of its games
Judge = Callable[[Mapping[str, "Tally"]], Iterable[str]]  #: cell key -> counts so far; keys of those to go on with


def run(
    experiment: Experiment,
    out: Path | str | None = None,
    workers: int | None = None,
    backend: str = "loky",
    scheduler: str | None = None,
    progress: Callable[[Event], None] | None = None,
    force: bool = False,
    *,
    timeout: float = TIMEOUT,
    command: str = "",
    judge: Judge | None = None,
    ending: str = "",
) -> Results:
    """Plays an experiment, or the rest of it, and opens the results.

    Args:
        out: folder of the results; by default results/<name of the experiment>, with a mark where options changed a
            file, or where another question's games stand there (simlab.runs.place).
        workers: how many at a time; by default one a processor. A run of at most one shard is played in
            this process unless a number is given.
        backend: `loky` (processes of this machine), `threads` (of this process), `dask`.
        scheduler: address of a Dask scheduler, as `tcp://10.0.0.5:8786`; None starts workers on this
            machine. The workers have to see the folder under the same path.
        progress: told how the run goes: Compiling, Progress, Note.
        force: start anew; the old folder is moved aside.
        timeout: seconds one decision may take, the bot's and the game's part of it, before the game counts as stuck.
        command: the shell command that carries on with this run, for the manifest and for messages.
        judge: looks at the counts after growing batches, and says which cells to go on with; they go on up to
            the games of the experiment. Without it all games are played at once.
        ending: of the default folder's name.
    Raises:
        UserMistake: bad input, or the folder belongs to another experiment or another run.
        GamesFailed: all is done but some games, named in faults.json: a bot failed or cheated in them, they killed
            their worker, or stood still. RunFailed: the disk failed.
        Interrupted: Ctrl-C, SIGTERM or SIGHUP.
    """
    from simlab.experiments.cells import cells

    return run_cells(
        experiment, cells(experiment), out, workers, backend, scheduler, progress, force,
        timeout=timeout, command=command, judge=judge, ending=ending,
    )  # fmt: skip


def run_cells(
    experiment: Experiment,
    cells: Sequence[CellLike],
    out: Path | str | None = None,
    workers: int | None = None,
    backend: str = "loky",
    scheduler: str | None = None,
    progress: Callable[[Event], None] | None = None,
    force: bool = False,
    *,
    timeout: float = TIMEOUT,
    command: str = "",
    judge: Judge | None = None,
    ending: str = "",
) -> Results:
    """As `run`, with the cells of the experiment's table given."""
    from simlab.runs.results import load

    if backend not in BACKENDS:
        raise UserMistake(f"there is no backend '{backend}'. {nearest(backend, BACKENDS)}")
    if workers is not None and workers < 1:
        raise UserMistake(f"workers = {workers} is not allowed: use 1 or more.")
    if scheduler and backend != "dask":
        raise UserMistake("a scheduler's address goes with the dask backend: add --backend dask.")
    if not timeout > 0:
        raise UserMistake(f"timeout = {timeout:g} is not allowed: use more than 0 seconds.")
    signals, driver = Signals(), None
    try:
        with signals:
            driver = _Driver(
                experiment, cells, out, workers, backend, scheduler, progress, timeout, command, judge, ending, force
            )
            driver.run(force, signals)
            return load(driver.folder.path)
    except KeyboardInterrupt:  # before play began, or when all was done
        kept = "stopped before anything was played."
        if driver is not None:
            kept = f"stopped; what is finished is kept in {driver.folder.path}.\nGo on with: {driver.command}"
        raise Interrupted(kept, signals.number) from None


def shard_size(experiment: Experiment, most: int) -> tuple[bool, int]:
    """Whether a row a game is kept, and the games of a shard, where all cells play `most` games at most.

    Raises:
        UserMistake: they are more shards than a folder takes.
    """
    rows = most <= experiment.row_limit
    size = min(experiment.shard_games, experiment.games) if experiment.stop else experiment.shard_games
    size = size if rows else size * COUNTED_SHARD
    if not experiment.stop:
        check_number(most, size)
    return rows, size


class _Driver:
    """One start of a run."""

    def __init__(
        self,
        experiment: Experiment,
        cells: Sequence[CellLike],
        out: Path | str | None,
        workers: int | None,
        backend: str,
        scheduler: str | None,
        progress: Callable[[Event], None] | None,
        timeout: float,
        command: str,
        judge: Judge | None,
        ending: str,
        force: bool,
    ) -> None:
        if not cells:
            raise UserMistake(f"{experiment.name}: there is nothing to play.")
        self.experiment, self.timeout = experiment, timeout
        self.tell = progress or (lambda event: None)
        self.seed = experiment.seed
        self.judge, self.counted = judge, dict[str, tuple[set[Shard], "Tally"]]()
        self.precision = experiment.stop.precision if experiment.stop and judge is None else 0.0
        most = sum(cell.games for cell in cells)
        self.rows, self.size = shard_size(experiment, most)
        self.planned = self.done = self.played = 0  # games: of the plan so far, finished, played by this start
        self.cells = [self._cell_run(cell) for cell in cells]
        self.by_key: dict[str, _CellRun] = {}
        for run in self.cells:  # of cells that are the same games, the first plays them
            self.by_key.setdefault(run.key, run)
        self.planned = sum(cell.planned for cell in self.by_key.values())
        self.match = cells[0].match()
        self.identity = identity_of(experiment.name, self.seed, self.match)
        path = Path(out) if out is not None else self._default_folder(ending, force)
        self.folder = Folder(path)
        self.command = command or shlex.join(["simlab", "run", str(path / "experiment.toml"), "--out", str(path)])
        # A small run needs no processes. One that a game has ended before is not small: see _leftovers.
        small = backend != "dask" and workers is None and most <= experiment.shard_games
        self.backend, self.scheduler = backend, scheduler
        self.workers = workers or (1 if small else processors())
        self.pool = Pool("inline" if small else backend, self.workers, scheduler)
        self.name = secrets.token_hex(8)
        self.poisoned: dict[str, dict[int, str]] = {}  # key -> game -> why; it is left out
        self.stalls: dict[str, int] = {}  # key -> games of those that killed or stalled their worker
        self.given_up: dict[Work, str] = {}
        self.closed: dict[str, str] = {}  # key -> why no more of the cell is played
        self.refused: set[str] = set()  # keys of those whose figures are refused as well
        self.shown_by: dict[str, int] = {}  # key -> a game that shows what is wrong with the cell
        self.fingerprint_fault = ""
        self.trouble: dict[Work, _Trouble] = {}
        self.fingerprint: str | None = None  # None: still to be made
        self.fingerprint_deaths = 0
        self.manifest: dict[str, Any] = {}
        self.began = self.clock = self.moved = time.time()
        self.interval = ""
        self.last_told = 0.0
        self.watching: dict[str, Watched] = {}

    def _default_folder(self, ending: str, force: bool) -> Path:
        path, why = place_of(self.experiment, self.by_key, self.identity, ending, force)
        if why:
            self.tell(Note(why))
        return path

    def _cell_run(self, cell: CellLike) -> _CellRun:
        from simlab.experiments.cells import cell_key

        match = cell.match()
        key = match.key
        with MATCHES_LOCK:
            remember(match, key)
        games = cell.games
        if self.judge is not None:
            games = min(games, FIRST_LOOK)
            return _CellRun(cell, cell_key(key, self.seed), key, self._pieces(0, games), games)
        if self.precision:  # the first look comes after whole shards
            games = min(games, -(-self.experiment.games // self.size) * self.size)
        return _CellRun(cell, cell_key(key, self.seed), key, cut(games, self.size), games)

    # --- the order of things

    def run(self, force: bool, signals: Signals) -> None:
        folder, self.signals = self.folder, signals
        if folder.is_foreign():
            raise UserMistake(f"{folder.path}: is not empty and holds no results. Choose another folder with --out.")
        if force and folder.has("manifest.json"):
            with folder.locked():
                old = folder.move_aside()
            self.tell(Note(f"The old results are kept as {old}."))
        with folder.locked():
            try:
                self._open()
                self._play_all()
                signals.check()
                faults = self._finish()
            except KeyboardInterrupt:
                self._give_up("interrupted")
                raise Interrupted(
                    f"stopped; {self.done:,} of {self.planned:,} games are kept in {folder.path}.\n"
                    f"Go on with: {self.command}",
                    signals.number,
                ) from None
            except BaseException:
                self._give_up("failed")
                raise
            finally:
                self.pool.close()
        if faults:
            raise GamesFailed(_told(folder.path, faults), folder.path, faults)

    def _open(self) -> None:
        """Takes the folder: refuses another experiment's, keeps an older form of this one's questions."""
        folder = self.folder
        identity = self.identity
        old = read_manifest(folder) if folder.has("manifest.json") else None
        if old is not None:
            same_experiment(folder.path, old["identity"], identity)
            refuse_other_cells(folder, self.by_key, identity)
        self.leftovers = [found for found in progress_files(folder) if found.inline and found.playing]
        folder.sweep()
        config = self.experiment.to_toml().encode()
        if folder.has("experiment.toml"):
            before = folder.read("experiment.toml")
            if before != config:
                self._keep_old_config(before)
        folder.write("experiment.toml", config)
        folder.write_json("resolved.json", self.experiment.resolved())
        self.manifest = new_manifest(identity, self.match, old)
        self.manifest |= {"rows": self.rows, "shard_games": self.size}
        self.fingerprint = self.manifest["fingerprint"] or None
        folder.write_json("manifest.json", self.manifest)
        self._write_cells()

    def _keep_old_config(self, before: bytes) -> None:
        number = 1
        while self.folder.has(f"experiment.{number}.toml"):
            if self.folder.read(f"experiment.{number}.toml") == before:
                return
            number += 1
        self.folder.write(f"experiment.{number}.toml", before)

    def _play_all(self) -> None:
        plan = [(cell.key, shard) for cell in self.by_key.values() for shard in cell.shards]
        while plan:
            todo = self._unfinished(plan)
            if todo or self.fingerprint is None:
                self._compile(todo)
                self._look_at_leftovers(todo)
                self._play(todo)
            plan = list(self._next_look())

    def _look_at_leftovers(self, todo: Sequence[Work]) -> None:
        """The last start ended while it played these games in its own process: were they the reason?"""
        leftovers, self.leftovers = self.leftovers, []
        for found in leftovers:
            if found.purpose == "fingerprint" and self.pool.in_process:
                self.pool = Pool("loky", self.workers, None)
            elif (found.key, found.shard) in todo:
                self._try_again(found, dict.fromkeys(todo))

    def _unfinished(self, work: Iterable[Work]) -> list[Work]:
        """What of some work is still to be done; the rest is counted as done."""
        from simlab.engine.tally import Tally

        left = []
        for key, shard in work:
            found = self.folder.finished(key, shard, self.rows)
            found = found or self.folder.take_back(key, shard, self.rows)
            if found is None or found.faults:  # games that failed get another chance in another start
                left.append((key, shard))
            else:
                wins = wins_of(Tally.from_dict(found.tally, self.match.game))
                self._add(key, shard, found.games, [int(n) for n in wins], len(found.cut_off))
        return left

    def _add(self, key: str, shard: Shard, games: int, wins: Sequence[int], cut_off: int) -> None:
        cell = self.by_key[key]
        if shard not in cell.done:
            cell.done.add(shard)
            cell.games += games
            cell.cut_off += cut_off
            cell.wins = tuple(a + b for a, b in zip(cell.wins or [0] * len(wins), wins, strict=True))
            self.done += games + cut_off

    def _compile(self, todo: Sequence[Work]) -> None:
        """Compiles what will be played, so that the workers find it on the disk."""
        seen = set()
        for key in dict.fromkeys([self.cells[0].key, *(key for key, _ in todo)]):
            bots = tuple(self.by_key[key].cell.bot_labels.items())
            if bots not in seen:
                seen.add(bots)
                match = match_for(self._spec("shard", key, Shard(0, 0)))
                match.compile(lambda name, i, n: self.tell(Compiling(name, i, n)))
        self.clock = time.time()

    def _next_look(self) -> Iterator[Work]:
        """The further shards of the cells that are still open: to the judge, or not as precise as [stop] says.

        Looks come after whole shards in order and depend on the counts alone: the same whoever plays.
        """
        open_cells = self._open_cells()
        for cell in self.by_key.values():
            if cell.key in self.closed:
                continue
            games = self._games_wanted(cell) if self.precision else cell.planned
            if cell.key in open_cells:
                games = min(math.ceil(cell.planned * GROWTH), cell.cell.games)
            if games > cell.planned:
                by_judge = self._pieces(cell.planned, games)
                more = by_judge if self.judge else cut(games, self.size)[len(cell.shards) :]
                self.planned += games - cell.planned
                cell.planned = games
                cell.shards += more
                yield from ((cell.key, shard) for shard in more)

    def _open_cells(self) -> set[str]:
        """Keys of the cells that the judge wants more games of."""
        from simlab.engine.tally import Tally

        if self.judge is None:
            return set()
        for key, cell in self.by_key.items():
            if key in self.closed:
                continue
            seen, total = self.counted.get(key) or (set(), Tally.empty(self.match.game))
            for shard in sorted(cell.done - seen):
                total = total + Tally.from_dict(self.folder.sidecar(key, shard).tally, self.match.game)
            self.counted[key] = (set(cell.done), total)
        return set(self.judge({key: total for key, (_, total) in self.counted.items()}))

    def _pieces(self, first: int, end: int) -> list[Shard]:
        """Games first .. end-1 in shards: as many as keep several workers busy."""
        size = min(max(math.ceil((end - first) / _PIECES), _LEAST_PIECE), self.size)
        return [Shard(at, min(at + size, end) - 1) for at in range(first, end, size)]

    def _games_wanted(self, cell: _CellRun) -> int:
        """Games that the cell should have by the next look; no more than it has when it is precise enough."""
        from simlab.stats.precision import games_wanted

        if cell.games == 0 or cell.planned >= cell.cell.games:
            return cell.planned
        wanted = games_wanted(cell.wins, cell.games, self.precision, self.size)
        return cell.planned if wanted <= cell.games else min(max(wanted, cell.planned + self.size), cell.cell.games)

    def _finish(self) -> list[dict[str, Any]]:
        """Writes what is told of the whole; returns the faults."""
        from simlab.runs.repeats import alarm, repeats_in
        from simlab.runs.results import load

        for cell in self.by_key.values():
            if cell.cut_off > MOST_CUT_OFF * (cell.games + cell.cut_off):
                self._refuse_for_length(cell, {})
        faults = self._faults()
        kept = {cell.key: cell.shards for cell in self.by_key.values() if cell.key not in self.refused}
        moved = self.folder.set_aside(kept)
        if moved:
            self._note(
                f"{moved} pieces of cells that this run does not ask for, as it is, are kept in "
                f"{self.folder.path / 'spare'}; a run that asks for them takes them back."
            )
        self._write_cells()
        self.folder.write_json("faults.json", {"faults": faults})
        results = load(self.folder.path)
        gone = [some for some in results.missing if not some.explained]
        if gone:
            raise RunFailed(
                f"{self.folder.path}: files vanished while the run went on ({gone[0].where}). What is there is kept; "
                f"the same command plays the rest: {self.command}"
            )
        for label, repeat in repeats_in(results, _SEARCHED_CELLS, _SEARCHED_GAMES).items():
            self._note(alarm(label, repeat))
        summary = results.summary()
        self.folder.write_json("summary.json", {name: summary[name] for name in ("game", "cells")})
        self._write_manifest("faulty" if faults else "complete")
        self.folder.sweep()
        return faults

    def _give_up(self, status: str) -> None:
        """Ends the workers; what they finished stays. The manifest says so first, if it can still be written."""
        STOPPED.add(self.name)
        with contextlib.suppress(SimlabError):
            if self.manifest:  # else the folder is still as it was
                self._write_cells()
                self._write_manifest(status)
        self.pool.stop()
        self.folder.sweep()

    # --- playing

    def _play(self, todo: Sequence[Work]) -> None:
        """Plays until each shard of `todo` is stored or given up, whatever dies."""
        waiting = dict.fromkeys(work for work in todo if work[0] not in self.closed)
        idle = 0
        while waiting or self.fingerprint is None:
            before = (len(waiting), self._n_poisoned(), self.fingerprint)
            calm = [work for work in waiting if work not in self.trouble or self.trouble[work].deaths < _DEATHS]
            fingerprint = self.fingerprint is None and (not calm or self.fingerprint_deaths == 0)
            alone = not calm and (bool(waiting) or self.fingerprint_deaths > 0)
            specs = self._specs(calm or list(waiting), fingerprint)
            fault = self._round(self.pool, specs, waiting, 1 if alone else None)
            if fault is None:
                continue
            self._after_death(fault, waiting, alone)
            idle = 0 if (len(waiting), self._n_poisoned(), self.fingerprint) != before else idle + 1
            if idle >= _IDLE_ROUNDS:
                raise RunFailed(
                    f"the workers died {idle} times in a row and finished nothing ({str(fault)[:300]}). Is "
                    "there memory enough for so many? Try --workers 1. What is finished is kept."
                ) from fault

    def _specs(self, work: Iterable[Work], fingerprint: bool) -> Iterator[ShardSpec]:
        for key, shard in work:
            if key not in self.closed:
                yield self._spec("shard", key, shard)
        if fingerprint:  # last: a bot's fault then comes to light in a game of the user's own seed
            games = min(FINGERPRINT_GAMES, self.cells[0].cell.games)
            yield self._spec("fingerprint", self.cells[0].key, Shard(0, games - 1))

    def _spec(self, purpose: str, key: str, shard: Shard) -> ShardSpec:
        cell = self.by_key[key]
        return ShardSpec(
            purpose=purpose,
            folder=str(self.folder.path.resolve()),
            cell=cell.cell,
            key=key,
            match_key=cell.match_key,
            seed=0 if purpose == "fingerprint" else self.seed,
            shard=shard,
            skip=tuple(self.poisoned.get(key, ())) if purpose == "shard" else (),
            rows=self.rows,
            timeout=self.timeout,
            driver=0 if self.backend == "dask" else os.getpid(),
            inline=self.pool.in_process and purpose != "probe",
            run=self.name,
        )

    def _round(
        self, pool: Pool, specs: Iterable[ShardSpec], waiting: dict[Work, None], at_a_time: int | None
    ) -> BaseException | None:
        """Hands work out until all is back (None) or a worker dies (what was raised)."""
        self.moved = time.time()
        pool.start(specs, at_a_time)
        while True:
            self.signals.check()
            try:
                got = pool.next(_TICK)
            except queue.Empty:
                stalled = self._watch()
                if stalled and pool.in_process:
                    return _Stalled(f"game {stalled[0].game} does not end")
                continue
            if got is None:
                return None
            if isinstance(got, BaseException):
                if is_death(got):
                    return got
                raise got
            self.moved = time.time()
            self._take(got, waiting)

    def _take(self, report: ShardReport, waiting: MutableMapping[Work, None]) -> None:
        if report.purpose == "fingerprint":
            self.fingerprint, self.fingerprint_fault = report.digest, report.failed
        if report.purpose != "shard":
            return
        if report.failed:
            self._failed(report, waiting)
            return
        name = f"cells/{report.key}/{report.shard.name}.json"
        if not self.folder.has(name):
            raise RunFailed(
                f"{self.folder.path / name}: a worker wrote it, but it is not here. Workers on other "
                "machines have to see the folder under the same path."
            )
        waiting.pop((report.key, report.shard), None)
        if report.key not in self.refused:  # it was under way when its cell was closed
            self.given_up.pop((report.key, report.shard), None)
        self._add(report.key, report.shard, report.games, report.wins, report.cut_off)
        self.played += report.games + report.cut_off
        for game, why in report.faults:
            self._leave_out(report.key, game, why)
        cell = self.by_key[report.key]
        if len(self.poisoned.get(report.key, ())) > MOST_FAULTS:
            self._close(report.key, f"over {MOST_FAULTS} games fail", waiting)
        if cell.cut_off > MOST_CUT_OFF * cell.planned:
            self._refuse_for_length(cell, waiting)
        self.interval = self._interval(cell)
        self._tell_progress(0)

    def _failed(self, report: ShardReport, waiting: MutableMapping[Work, None]) -> None:
        """A worker lived, but could not play its shard."""
        work = (report.key, report.shard)
        if report.verdict == RETRY:
            trouble = self.trouble.setdefault(work, _Trouble())
            trouble.failures += 1
            trouble.deaths = _DEATHS  # from now on it is played while nothing else is
            if trouble.failures < _FAILURES:
                return
            waiting.pop(work, None)
            self.given_up[work] = f"{report.failed}, {_FAILURES} times"
            self._note(f"{self._named(work)}: {self.given_up[work]}; the rest goes on.")
            return
        waiting.pop(work, None)
        self.given_up[work] = report.failed
        self.shown_by.setdefault(report.key, report.game)
        if report.verdict == REFUSE:
            self._refuse(report.key, report.failed, waiting)
        else:
            self._close(report.key, report.failed, waiting)

    def _named(self, work: Work) -> str:
        key, shard = work
        return f"{self.by_key[key].cell.label}, games {shard.first} to {shard.last}"

    def _close(self, key: str, why: str, waiting: MutableMapping[Work, None]) -> None:
        """Plays no more of a cell; the other cells go on."""
        if key in self.closed:
            return
        self.closed[key] = why
        for work in [work for work in waiting if work[0] == key]:
            del waiting[work]
            self.given_up.setdefault(work, why)
        self._note(f"{self.by_key[key].cell.label}: {why}. No more of it is played; the other cells go on.")

    def _refuse(self, key: str, why: str, waiting: MutableMapping[Work, None]) -> None:
        """Gives a cell up with all its games: its figures would mislead."""
        self._close(key, why, waiting)
        self.refused.add(key)
        self.given_up |= {(key, shard): why for shard in self.by_key[key].shards}

    def _refuse_for_length(self, cell: _CellRun, waiting: MutableMapping[Work, None]) -> None:
        games = cell.games + cell.cut_off
        endless = next(game for shard in sorted(cell.done) for game in self.folder.sidecar(cell.key, shard).cut_off)
        self.shown_by.setdefault(cell.key, endless)
        self._refuse(cell.key, too_many_cut_off(cell.cut_off, games), waiting)

    def _leave_out(self, key: str, game: int, why: str) -> None:
        known = self.poisoned.setdefault(key, {})
        if game not in known:
            self._note(f"Game {game} of {self.by_key[key].cell.label} is left out: {why}.")
        known[game] = why

    def _after_death(self, fault: BaseException, waiting: dict[Work, None], alone: bool) -> None:
        """Finds out what was finished, and which game it was."""
        suspects = {(f.purpose, f.key, f.shard): f for f in progress_files(self.folder)}
        for found in progress_files(self.folder):
            found.remove()
        self.watching.clear()
        if isinstance(fault, _Stalled):  # the thread cannot be ended: leave it, and go on in processes
            STOPPED.add(self.name)
            self.pool = Pool("loky", self.workers, None)
        for work in self._stored(waiting):
            del waiting[work]
        for found in suspects.values():
            if found.purpose == "fingerprint" and self.fingerprint is None:
                self.fingerprint_deaths += 1
                if self.fingerprint_deaths >= _DEATHS:
                    self.fingerprint = ""
                    self._note("The fingerprint could not be made: its games kill their worker.")
            elif found.purpose == "shard" and (found.key, found.shard) in waiting:
                self._suspect(found, alone, waiting)

    def _stored(self, waiting: Iterable[Work]) -> list[Work]:
        """Work that was finished, though its report was lost."""
        there = [work for work in waiting if self.folder.has(f"cells/{work[0]}/{work[1].name}.json")]
        left = set(self._unfinished(there))
        return [work for work in there if work not in left]

    def _suspect(self, found: Found, alone: bool, waiting: dict[Work, None]) -> None:
        """A worker died at this game, or, when several worked, perhaps one that worked beside it."""
        work = (found.key, found.shard)
        trouble = self.trouble.setdefault(work, _Trouble())
        trouble.deaths += 1
        if found.playing and self._try_again(found, waiting):
            trouble.deaths = 0
            return
        if not alone:
            return
        place = found.game if found.playing else -1
        trouble.alone += 1
        trouble.games[place] = trouble.games.get(place, 0) + 1
        if place >= 0 and trouble.games[place] >= _DEATHS_AT_A_GAME:
            self._poison(found, waiting)
        elif trouble.games[place] >= _DEATHS_AT_A_GAME or trouble.alone >= _DEATHS_ALONE:
            where = "before its first game" if place < 0 else "at several games"
            self.given_up[work] = f"its worker died {trouble.alone} times, {where}"
            del waiting[work]

    def _try_again(self, found: Found, waiting: MutableMapping[Work, None]) -> bool:
        """Plays the suspected game by itself; leaves it out and says True when that kills its worker too."""
        if found.game in self.poisoned.get(found.key, {}) or not found.shard.first <= found.game <= found.shard.last:
            return False
        pool = Pool("loky", 1, None) if self.pool.in_process else self.pool
        fault = self._round(pool, [self._spec("probe", found.key, Shard(found.game, found.game))], {}, 1)
        died = [probe for probe in progress_files(self.folder) if probe.purpose == "probe"]
        for probe in died:
            probe.remove()
        if pool is not self.pool:
            pool.close()
        died = [probe for probe in died if probe.playing]
        if fault is None or not died:
            return False
        self._poison(died[-1], waiting)
        return True

    def _poison(self, found: Found, waiting: MutableMapping[Work, None]) -> None:
        """Leaves a game out that killed or stalled its worker twice; after some, the rest of its cell."""
        key = found.key
        self._leave_out(key, found.game, f"{self._standstill(found)}, twice")
        self.stalls[key] = self.stalls.get(key, 0) + 1
        if self.stalls[key] >= MOST_STALLS:
            kind = "stand still" if found.stalled else "kill their worker"
            self._close(key, f"{self.stalls[key]} games {kind}, the last so: {self.poisoned[key][found.game]}", waiting)

    def _standstill(self, found: Found) -> str:
        """What a worker was at when it died or stood still."""
        from simlab.engine.match import whereabouts

        if not found.stalled:
            return f"it killed its worker {self._place(whereabouts(found.where), found.key)}".rstrip()
        place = whereabouts(found.where)
        if place is not None and place[2]:
            seat = self.match.game.seats[place[1]]
            bot = self.by_key[found.key].cell.bot_labels[seat]
            return f"bot '{bot}' ({seat}) did not answer within {self.timeout:g} seconds, at decision {place[0] + 1}"
        at = "its set-up" if place is None else f"decision {place[0] + 1}"
        return f"the game did not come through {at} within {self.timeout:g} seconds"

    def _place(self, place: tuple[int, int, bool] | None, key: str) -> str:
        if place is None:
            return ""
        seat = self.match.game.seats[place[1]]
        who = f"bot '{self.by_key[key].cell.bot_labels[seat]}' ({seat})" if place[2] else "the game"
        return f"while {who} was at decision {place[0] + 1}"

    def _n_poisoned(self) -> int:
        return sum(len(games) for games in self.poisoned.values())

    # --- watching

    def _watch(self) -> list[Found]:
        """Tells the progress; ends workers that stand still. Returns games in this process that do."""
        files = [found for found in progress_files(self.folder) if found.key in self.by_key]
        before, self.watching = self.watching, {}
        stalled = []
        for found in files:
            watched = before.get(found.path.name) or Watched(found.marks, 0)
            # A worker ends itself when it can; this is for one that is frozen.
            moved = watched.update(found.marks, self.timeout + (0 if found.inline else _FROZEN))
            self.watching[found.path.name] = watched
            if moved:
                self.moved = time.time()
            elif watched.stalled():
                if found.inline:
                    stalled.append(found)
                elif found.pid:
                    with contextlib.suppress(OSError):
                        os.kill(found.pid, signal.SIGKILL)
        if time.time() - self.moved > max(10 * self.timeout, 600) and not self.scheduler:
            raise RunFailed("no worker has done anything for ten minutes. What is finished is kept: start again.")
        done = {(f.key, f.shard): f.done for f in files if f.purpose == "shard"}
        self._tell_progress(sum(n for (key, shard), n in done.items() if shard not in self.by_key[key].done))
        return stalled

    def _tell_progress(self, underway: int) -> None:
        """Args: underway: games played of shards that are not finished."""
        time_now = time.time()
        done = self.done + underway
        if time_now - self.last_told < _TICK and done < self.planned:
            return
        self.last_told = time_now
        rate = (self.played + underway) / max(time_now - self.clock, 1e-6)
        left = (self.planned - done) / rate if rate > 0 else None
        self.tell(Progress(done, self.planned, rate, left, self.interval))

    def _interval(self, cell: _CellRun) -> str:
        """How precise the results are, by the cell that was added to last."""
        from simlab.stats.intervals import wilson

        if cell.games == 0:
            return ""
        low, high = wilson(cell.wins[0], cell.games)
        text = f"{self.match.game.seats[0]} wins {low:.1%} to {high:.1%}"
        return text if len(self.by_key) == 1 else f"{text} ({cell.cell.label})"

    def _note(self, text: str) -> None:
        self.folder.log(f"{now()} {text}")
        self.tell(Note(text))

    # --- what is written of the whole

    def _write_cells(self) -> None:
        cells = [
            {
                "key": run.key,
                "match": run.match_key,
                "label": run.cell.label,
                "knobs": dict(run.cell.knobs),
                "varied": dict(run.cell.varied),
                "bots": dict(run.cell.bot_labels),
                "tables": {name: Path(path).name for name, path in run.cell.tables.items()},
                "shards": [list(shard) for shard in self.by_key[run.key].shards],
            }
            for run in self.cells
        ]
        self.folder.write_json("cells.json", {"cells": cells})

    def _faults(self) -> list[dict[str, Any]]:
        faults = [
            self._fault(key, game, game, why) for key, games in self.poisoned.items() for game, why in games.items()
        ]
        faults += [self._fault(key, shard.first, shard.last, why) for (key, shard), why in self.given_up.items()]
        if self.fingerprint_fault and not faults:
            key = self.cells[0].key
            faults = [self._fault(key, 0, 0, self.fingerprint_fault) | {"seed": 0}]
        return sorted(faults, key=lambda fault: (fault["cell"], fault["first"]))

    def _fault(self, key: str, first: int, last: int, why: str) -> dict[str, Any]:
        shown_by = first if first == last else max(self.shown_by.get(key, first), 0)
        label, replay = self.by_key[key].cell.label, self._replay(key, shown_by)
        numbers = {"cell": key, "label": label, "seed": self.seed, "first": first, "last": last}
        return numbers | {"why": why, "replay": replay}

    def _replay(self, key: str, game: int) -> str:
        return self.by_key[key].cell.match().replay_command(self.seed, game)

    def _write_manifest(self, status: str) -> None:
        ended = time.time()
        entry = {
            "command": self.command,
            "started": stamp(self.began),
            "seconds": round(ended - self.began, 3),
            "games": self.played,
            "games_per_second": round(self.played / max(ended - self.clock, 1e-6), 1),
            "backend": self.pool.kind,
            "workers": self.workers,
            "status": status,
        }
        self.manifest["status"] = status
        self.manifest["fingerprint"] = self.fingerprint or ""
        if self.played or status != "complete" or not self.manifest["runs"]:
            self.manifest["runs"] = [*self.manifest["runs"], entry]
        self.folder.write_json("manifest.json", self.manifest)
        self.folder.log(f"{now()} {status}: {self.done} of {self.planned} games, {self.played} of them now")


def _told(folder: Path, faults: Sequence[Mapping[str, Any]]) -> str:
    """The faults for a person: pieces of a cell that failed for one reason stand together."""
    reasons: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for fault in faults:
        reasons.setdefault((fault["label"], fault["why"]), []).append(fault)
    lines = [f"{folder}: all is done but for what could not be played (faults.json):"]
    for (label, why), pieces in list(reasons.items())[:5]:
        first = pieces[0]
        one = first["first"] == first["last"]
        which = f"game {first['first']}" if one else f"games {first['first']}..{first['last']}"
        more = f" and {len(pieces) - 1} more pieces" if len(pieces) > 1 else ""
        lines.append(f"{which}{more} of seed {first['seed']} ({label}): {why}.\nReplay it: {first['replay']}")
    if len(reasons) > 5:
        lines.append(f"and {len(reasons) - 5} more.")
    return "\n".join([*lines, "The same command tries these again."])
