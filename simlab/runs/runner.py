"""Plays an experiment; finished shards are never lost, even if processes die.

The driver cuts each cell of the experiment into shards. A worker plays a shard, writes it itself (simlab.runs.worker)
and returns a small report. Workers are processes of this machine (loky), threads, or a Dask cluster. When one process
dies, loky gives up all work, so the driver then looks for finished work and starts the rest again. Games that fail are
left out (simlab.runs.crash_recovery), and the run fails only after everything else is done.
"""

from __future__ import annotations

import contextlib
import os
import queue
import secrets
import signal
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simlab import shell
from simlab.engine.deadline import LIMIT
from simlab.engine.signals import Signals
from simlab.errors import InputError, RunFailed, SimlabError, nearest
from simlab.runs.crash_recovery import Forensics, in_words
from simlab.runs.events import Compiling, Event, Note, Notify, Progress
from simlab.runs.journal import Journal
from simlab.runs.output_folder import identity_of, other_rules, place_of, read_manifest, refuse_others
from simlab.runs.schedule import FINGERPRINT, Judge, Schedule, Work
from simlab.runs.store import Folder, Shard
from simlab.runs.watchdog import Underway, Watch, progress_files
from simlab.runs.worker import STOPPED, ShardReport, ShardSpec, match_for
from simlab.runs.worker_pool import BACKENDS, Pool, is_death, processors
from simlab.words import counted

if TYPE_CHECKING:
    from simlab.engine.match import Match
    from simlab.runs.cells import Cell
    from simlab.runs.results import Results
    from simlab.spec.experiment import Experiment

__all__ = ["Compiling", "Event", "GamesFailed", "Interrupted", "Note", "Progress", "run"]

TIMEOUT = LIMIT  #: seconds without a finished decision after which a game counts as stalled

_MANY = 2_000  # cells whose preparation takes seconds, so a line says so
_TICK = 0.2  # seconds between two looks at the workers
_SEARCHED_SHARDS = 500  # most shards that a run compares with the others of their cells when it ends
_SEARCHED_CELLS, _SEARCHED_GAMES = 10, 50_000  # cells, and games of each, that a run searches for repeats
_IDLE_ROUNDS = 8  # most rounds in a row in which workers died and nothing was finished


class Interrupted(SimlabError):
    """A signal (SIGINT, SIGTERM, SIGHUP) stopped the run; finished work is kept. Exit status as in a shell."""

    exit_code = 130

    def __init__(self, message: str, signal_number: int = 0) -> None:
        super().__init__(message)
        self.exit_code = 128 + (signal_number or signal.SIGINT)


class GamesFailed(RunFailed):
    """The run is done and in `folder`, except for `faults` (games that failed or killed their worker)."""

    def __init__(self, message: str, folder: Path, faults: Sequence[Mapping[str, Any]]) -> None:
        super().__init__(message)
        self.folder, self.faults = folder, faults


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
    cells: Sequence[Cell] | None = None,
) -> Results:
    """Plays an experiment, or the rest of it, and opens the results.

    Args:
        out: folder of the results; by default results/<name of the experiment>, with a mark where options changed a
            file, or if that folder contains a different experiment (simlab.runs.output_folder).
        workers: number of workers; by default one per processor. A run of at most one shard is played in
            this process unless a number is given.
        backend: `loky` (processes of this machine), `threads` (of this process), `dask`.
        scheduler: address of a Dask scheduler, as `tcp://10.0.0.5:8786`; None starts workers on this
            machine. The workers have to see the folder under the same path.
        progress: receives the progress of the run: Compiling, Progress, Note.
        force: start again; the old folder is moved aside.
        timeout: seconds that one decision may take, for the bot and the game together, before the game counts as
            stalled.
        command: the shell command that resumes this run, for the manifest and for messages.
        judge: function that gets the counts after growing batches and returns the cells to continue, up to the
            experiment's number of games. Without it, all games are played at once. ending: end of the default folder's
            name. cells: by default those of the experiment.
    Raises:
        InputError: bad input, or the folder belongs to another experiment or another run.
        GamesFailed: the run is done except for games in faults.json, in which a bot failed or cheated, or which killed
            their worker or stalled. RunFailed: the disk failed.
        Interrupted: Ctrl-C, SIGTERM or SIGHUP.
    """
    from simlab.runs.cells import cells as cells_of
    from simlab.runs.results import load

    cells = cells_of(experiment) if cells is None else cells
    if backend not in BACKENDS:
        raise InputError(f"unknown backend '{backend}'. {nearest(backend, BACKENDS)}")
    if workers is not None and workers < 1:
        raise InputError(f"workers = {workers} is not allowed: use 1 or more.")
    if scheduler and backend != "dask":
        raise InputError("a scheduler's address goes with the dask backend: add --backend dask.")
    if not timeout > 0:
        raise InputError(f"timeout = {timeout:g} is not allowed: use more than 0 seconds.")
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
            kept = f"stopped; finished games are kept in {driver.folder.path}.\nContinue with: {driver.command}"
        raise Interrupted(kept, signals.number) from None


# --- The driver ---------------------------------------------------------------


class _StalledGame(Exception):
    """Raised if a game that is played in this process does not end."""


class _Driver:
    def __init__(
        self,
        experiment: Experiment,
        cells: Sequence[Cell],
        out: Path | str | None,
        workers: int | None,
        backend: str,
        scheduler: str | None,
        progress: Notify | None,
        timeout: float,
        command: str,
        judge: Judge | None,
        ending: str,
        force: bool,
    ) -> None:
        self.experiment, self.timeout = experiment, timeout
        notify = progress or (lambda event: None)
        if len(cells) > _MANY:
            notify(Note(f"preparing {counted(len(cells), 'cell')}"))
        self.schedule = schedule = Schedule(experiment, cells, judge)
        self.identity = identity_of(experiment.name, experiment.seed, schedule.match)
        path, why = (Path(out), "") if out is not None else place_of(
            experiment, schedule.by_key, self.identity, ending, force
        )  # fmt: skip
        if why:
            notify(Note(why))
        self.folder = Folder(path)
        # A game's author runs it after each change of a rule: without --out, its old results are moved aside.
        self.makes_room = out is None and Path(experiment.game_ref).is_absolute()
        self.command = command or shell.join(["simlab", "run", str(path / "experiment.toml"), "--out", str(path)])
        # A small run needs no processes. One that a game has ended before is not small: see _look_at_leftovers.
        small = backend != "dask" and workers is None and schedule.small
        self.backend = backend
        self.workers = workers or (1 if small else processors())
        self.pool = Pool("inline" if small else backend, self.workers, scheduler)
        self.name = secrets.token_hex(8)
        self.journal = Journal(schedule, self.folder, notify, self.command)
        self.forensics = Forensics(schedule, self.folder, self.journal.note, timeout)
        self.watch = Watch(self.folder, timeout, patient=bool(scheduler))
        self.leftovers: list[Underway] = []

    # --- from the start to the end

    def run(self, force: bool, signals: Signals) -> None:
        folder, self.signals = self.folder, signals
        if folder.is_foreign():
            raise InputError(f"{folder.path}: is not empty and holds no results. Choose another folder with --out.")
        changed = self.makes_room and other_rules(folder, self.identity)
        if changed or (force and folder.has("manifest.json")):
            with folder.locked():
                old = folder.move_aside()
            why = "The rules have changed since the last run. " if changed else ""
            self.journal.notify(Note(f"{why}The old results are kept as {old}."))
        with folder.locked():
            try:
                self._open()
                self._play_all()
                signals.check()
                faults = self._finish()
            except KeyboardInterrupt:
                self._give_up("interrupted")
                raise Interrupted(
                    f"stopped; {self.schedule.done:,} of {counted(self.schedule.planned, 'game')} kept in "
                    f"{folder.path}.\n"
                    f"Continue with: {self.command}",
                    signals.number,
                ) from None
            except BaseException:
                self._give_up("failed")
                raise
            finally:
                self.pool.close()
        if faults:
            raise GamesFailed(in_words(folder.path, faults), folder.path, faults)

    def _open(self) -> None:
        """Opens the folder. A folder of another experiment is refused."""
        folder = self.folder
        old = read_manifest(folder) if folder.has("manifest.json") else None
        if old is not None:
            refuse_others(folder, old["identity"], self.schedule.by_key, self.identity)
            self.schedule.continue_as_stored(folder)
        self.leftovers = [file for file in progress_files(folder) if file.inline and file.playing]
        folder.sweep()
        self.forensics.fingerprint = self.journal.open(self.experiment, self.identity, old)

    def _play_all(self) -> None:
        plan = self.schedule.first_plan()
        while plan:
            todo = self.schedule.unfinished(self.folder, plan)
            self.schedule.wait_for(todo, self.forensics.closed, self.forensics.fingerprint is None)
            if self.schedule.waiting:
                self._compile(todo)
                self._look_at_leftovers()
                self._play()
            plan = self.schedule.next_look(self.folder, self.forensics.closed)

    def _compile(self, todo: Sequence[Work]) -> None:
        """Compiles the code that will be played, so the workers find it on the disk."""
        from simlab.engine.conduct import prepare
        from simlab.engine.setup import compiled_together, game_text

        seen = set()
        games: dict[str, list[Match]] = {}  # by player count
        for key in dict.fromkeys([self.schedule.cells[0].key, *(key for key, _ in todo)]):
            bots = tuple(self.schedule.by_key[key].cell.bot_labels.items())
            if bots not in seen:
                seen.add(bots)
                match = match_for(self._spec("shard", key, Shard(0, 0)))
                games.setdefault(game_text(match.game), []).append(match)
        for matches in games.values():
            with compiled_together(matches):
                for match in matches:
                    match.compile(self.journal.compiling)
                    match.prepare_comparison()
                    prepare(match)
        self.journal.play_begins()

    def _look_at_leftovers(self) -> None:
        """Checks games that the last start was playing in its own process when it ended: they may be the cause."""
        leftovers, self.leftovers = self.leftovers, []
        for file in leftovers:
            if file.purpose == FINGERPRINT:
                self.pool = Pool("loky", self.workers, None) if self.pool.in_process else self.pool
            elif (file.key, file.shard) in self.schedule.waiting:
                self.forensics.try_again(file, self._probe)

    def _finish(self) -> list[dict[str, Any]]:
        from simlab.runs.alarms import alarm, odd_shards, repeats_in
        from simlab.runs.results import load

        self.forensics.refuse_over_long()
        faults = self.forensics.faults()
        refused = self.forensics.refused
        moved = self.folder.set_aside(
            {run.key: run.shards for run in self.schedule.by_key.values() if run.key not in refused}
        )
        if moved:
            self.journal.note(
                f"{counted(moved, 'finished shard')} not needed by this run: moved to {self.folder.path / 'spare'}. "
                "A run that needs them takes them back."
            )
        self.journal.write_cells()
        self.folder.write_json("faults.json", {"faults": faults})
        results = load(self.folder.path)
        gone = [some for some in results.missing if not some.explained]
        if gone:
            raise RunFailed(
                f"{self.folder.path}: files vanished during the run ({gone[0].where}). The remaining files are kept; "
                f"the same command plays the rest: {self.command}"
            )
        for label, repeat in repeats_in(results, _SEARCHED_CELLS, _SEARCHED_GAMES).items():
            self.journal.note(alarm(label, repeat))
        for odd in odd_shards(results, _SEARCHED_SHARDS):
            self.journal.note(odd.sentence)
        summary = results.summary()
        self.folder.write_json("summary.json", {name: summary[name] for name in ("game", "cells")})
        self._close("faulty" if faults else "complete")
        self.folder.sweep()
        return faults

    def _close(self, status: str) -> None:
        self.journal.close(status, self.forensics.fingerprint, self.pool.kind, self.workers)

    def _give_up(self, status: str) -> None:
        """Ends the workers; finished work stays. The manifest is updated first, if it can still be written."""
        STOPPED.add(self.name)
        with contextlib.suppress(SimlabError):
            if self.journal.manifest:  # else the folder is still as it was
                self.journal.write_cells()
                self._close(status)
        self.pool.stop()
        self.folder.sweep()

    # --- playing

    def _play(self) -> None:
        """Plays until all waiting work is done or given up, even if processes die."""
        waiting, forensics = self.schedule.waiting, self.forensics
        idle = 0
        while waiting:
            before, calm = forensics.remaining, forensics.calm()
            specs = (self._spec("shard", *work) for work in calm or [*waiting] if work[0] not in forensics.closed)
            fault = self._round(self.pool, specs, None if calm else 1)
            if fault is None:
                continue
            self._after_death(fault, alone=not calm)
            idle = 0 if forensics.remaining != before else idle + 1
            if idle >= _IDLE_ROUNDS:
                raise RunFailed(
                    f"the workers died {idle} times in a row and finished nothing ({str(fault)[:300]}). Is "
                    "there memory enough for so many? Try --workers 1. What is finished is kept."
                ) from fault

    def _spec(self, purpose: str, key: str, shard: Shard) -> ShardSpec:
        purpose = FINGERPRINT if key == FINGERPRINT else purpose
        run = self.schedule.cells[0] if key == FINGERPRINT else self.schedule.by_key[key]
        return ShardSpec(
            purpose=purpose,
            folder=str(self.folder.path.resolve()),
            cell=run.cell,
            key=key,
            match_key=run.match_key,
            seed=0 if purpose == FINGERPRINT else self.schedule.seed,
            shard=shard,
            skip=tuple(self.forensics.left_out.get(key, ())) if purpose == "shard" else (),
            rows=self.schedule.rows,
            timeout=self.timeout,
            driver=0 if self.backend == "dask" else os.getpid(),
            inline=self.pool.in_process and purpose != "probe",
            run=self.name,
        )

    def _round(self, pool: Pool, specs: Iterable[ShardSpec], at_a_time: int | None) -> BaseException | None:
        """Hands out work until all of it is done (None) or a worker dies (the error)."""
        self.watch.moved()
        pool.start(specs, at_a_time)
        while True:
            self.signals.check()
            try:
                got = pool.next(_TICK)
            except queue.Empty:
                stalled = self._look()
                if stalled and pool.in_process:
                    return _StalledGame(f"game {stalled[0].game} does not end")
                continue
            if got is None:
                return None
            if isinstance(got, BaseException):
                if is_death(got):
                    return got
                raise pool.lost_scheduler(got, self.command) or got
            self.watch.moved()
            self._take(got)

    def _look(self) -> list[Underway]:
        """Reports the progress; returns the stalled games of this process."""
        by_key = self.schedule.by_key
        underway, stalled = self.watch.look()
        games = {(f.key, f.shard): f.done for f in underway if f.purpose == "shard" and f.key in by_key}
        self.journal.progress(sum(n for (key, shard), n in games.items() if shard not in by_key[key].done))
        return stalled

    def _take(self, report: ShardReport) -> None:
        if report.purpose == FINGERPRINT:
            self.schedule.waiting.pop((FINGERPRINT, report.shard), None)
            self.forensics.fingerprint, self.forensics.fingerprint_fault = report.digest, report.failed
        if report.purpose == "shard" and report.failed:
            self.forensics.failed(report)
        if report.purpose != "shard" or report.failed:
            return
        name = f"cells/{report.key}/{report.shard.name}.json"
        if not self.folder.has(name):
            raise RunFailed(
                f"{self.folder.path / name}: a worker wrote it, but it is not here. Workers on other machines have to "
                "see the folder under the same path: share it (NFS or the like; docs/several-machines.md)."
            )
        self.schedule.add(report.key, report.shard, report.games, report.wins, report.cut_off)
        self.forensics.stored(report)
        self.journal.count(report.key, report.games + report.cut_off)

    def _after_death(self, fault: BaseException, alone: bool) -> None:
        """Finds the work that was finished, and the game that caused the failure."""
        files = progress_files(self.folder)
        for file in files:
            file.remove()
        self.watch.forget()
        if isinstance(fault, _StalledGame):  # the thread cannot be ended: leave it, and continue in processes
            STOPPED.add(self.name)
            self.pool = Pool("loky", self.workers, None)
        self.schedule.strike_stored(self.folder)
        suspects = {(file.key, file.shard): file for file in files if file.purpose != "probe"}
        self.forensics.blame(suspects.values(), alone, self._probe)

    def _probe(self, suspect: Underway) -> Underway | None:
        """Plays a suspected game alone: its worker's state when it died, or None if it survived."""
        pool = Pool("loky", 1, None) if self.pool.in_process else self.pool
        game = Shard(suspect.game, suspect.game)
        fault = self._round(pool, [self._spec("probe", suspect.key, game)], 1)
        died = [file for file in progress_files(self.folder) if file.purpose == "probe"]
        for file in died:
            file.remove()
        if pool is not self.pool:
            pool.close()
        playing = [file for file in died if file.playing]
        return playing[-1] if fault is not None and playing else None
