"""Plays the games of a search and stores their results, so an interrupted search resumes where it stopped.

Counts of the race are stored in one journal, one line per batch; if a line is incomplete, its batch is played again.
The rows of the finals are stored in separate files. Every entry is named by a digest of everything that determines its
games, so stale results are never read. Workers are threads: compiled play lets the others run. Games depend only on
seed and index.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from simlab.compiler.parallel import processors
from simlab.engine.match import Match
from simlab.engine.outcome import GameRows
from simlab.errors import GameTruncated
from simlab.game import Array, KnobValue
from simlab.questions.fixes.evaluator import GAIN, GameTable, Job, LineUp, distinct, table_of
from simlab.questions.fixes.parameters import Setting, with_cells
from simlab.questions.fixes.problem import Problem
from simlab.runs.events import Event, Progress
from simlab.runs.store import Folder
from simlab.runs.truncation import MOST_CUT_OFF, play_parting, too_many_cut_off
from simlab.spec.experiment import Experiment

JOURNAL = "fixes.jsonl"


class Games:
    """Plays settings of a game.

    Attributes:
        fresh: held-out seed of the finals, which no choice has used.
        total: most games of the search, for the progress that `notify` receives.
    """

    def __init__(self, problem: Problem, notify: Callable[[Event], None]) -> None:
        self.problem, self.game, self.experiment = problem, problem.game, (experiment := problem.experiment)
        self.fresh = int(np.random.SeedSequence([experiment.seed, 14]).generate_state(1)[0])
        self.folder = Folder(Path(problem.out or Path("results") / f"{experiment.name}{experiment.mark}-fixes"))
        self.workers, self.notify = problem.workers or processors(), notify
        self.total = 0
        self.done, self._began, self._fresh_games = 0, time.monotonic(), 0
        self._kept = self._read_journal()
        self._stems: dict[LineUp, tuple[Match, str]] = {}

    # --- settings as matches

    def match(self, setting: Setting, line_up: LineUp) -> Match:
        knobs, files = self.changes(setting)
        stem = self._stem(line_up)
        if files == self.experiment.card_files:
            return stem.with_knobs(knobs)
        match = Match(self.game, knobs=knobs, tables=files, bots={bot.seat: bot.text for bot in stem.bots})
        match.compiled = stem.compiled  # the code depends on the bots, not on knobs and cards
        return match

    def _stem(self, line_up: LineUp) -> Match:
        """The line-up under the printed rules."""
        if line_up not in self._stems:
            bots = self.problem.seats_of(line_up, labels=False)
            match = Match(self.game, knobs=self.experiment.knobs, tables=self.experiment.card_files, bots=bots)
            self._stems[line_up] = match, match.key
        return self._stems[line_up][0]

    def changes(self, setting: Setting) -> tuple[dict[str, KnobValue], dict[str, Path]]:
        """Returns (changed knobs, table -> its replacement file) for a setting, and writes these files."""
        knobs, cells = self.problem.space.parts(setting)
        files = dict(self.experiment.card_files)
        if cells:
            swapped = with_cells(self.problem.tables, cells, self.game)
            files |= {name: self._table_file(name, swapped[name]) for name in {table for table, _, _ in cells}}
        return {**self.experiment.knobs, **knobs}, files

    def rules(self, setting: Setting, bots: Mapping[str, str], **more: Any) -> Experiment:
        """The experiment with the rules of a setting, and one bot per seat."""
        knobs, files = self.changes(setting)
        chosen = {seat: (bot,) for seat, bot in bots.items()}
        return self.experiment.replace(
            knobs=knobs, card_files=files, cards={name: str(path) for name, path in files.items()}, bots=chosen,
            bot_refs=chosen, tournament=None, **more,
        )  # fmt: skip

    def _table_file(self, name: str, rows: Sequence[Mapping[str, object]]) -> Path:
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([rows[0].keys(), *(row.values() for row in rows)])
        data = text.getvalue().encode()
        path = f"tables/{name}-{hashlib.sha256(data).hexdigest()[:10]}.csv"
        full = (self.folder.path / path).resolve()
        if not full.exists():
            self.folder.write(path, data)
        return full

    # --- the race

    def play(self, jobs: Sequence[Job]) -> list[GameTable]:
        """The results of each job; jobs in the journal are not played again."""
        return self._all(jobs, self._count)

    def _count(self, job: Job) -> GameTable:
        match = self.match(job.setting, job.line_up)
        name = self._name(match, self.experiment.seed, job)
        if name not in self._kept:
            table = table_of(self._play(match, self.experiment.seed, job), self.game)
            read, own = GameRows(table, self.game), ("winners", "winner", "ending", *self.problem.numbers)
            gains = {column: values for column, values in table.items() if column.startswith(GAIN)}
            self._kept[name] = distinct({**{n: read.column(n) for n in own}, **gains, "games": table["games"]})
            columns = {column: values.tolist() for column, values in self._kept[name].items()}
            line = json.dumps({"batch": name, "columns": columns}, separators=(",", ":"))
            with (self.folder.path / JOURNAL).open("a", encoding="utf-8") as file:
                file.write(line + "\n")  # one write: lines of several threads do not mix
        return self._kept[name]

    def _read_journal(self) -> dict[str, GameTable]:
        path = self.folder.path / JOURNAL
        kept = {}
        if path.exists():
            data = path.read_bytes()
            for line in data.splitlines():
                try:
                    entry = json.loads(line)
                    kept[str(entry["batch"])] = distinct(entry["columns"])
                except (ValueError, KeyError, TypeError, AttributeError):
                    continue  # cut short when the search was stopped
            if data and not data.endswith(b"\n"):
                with path.open("ab") as file:
                    file.write(b"\n")
        return kept

    # --- the finals

    def rows(self, jobs: Sequence[Job]) -> list[Array]:
        """The rows of each job on the held-out seed."""
        return self._all(jobs, self._rows)

    def _rows(self, job: Job) -> Array:
        match = self.match(job.setting, job.line_up)
        name = f"rows/{self._name(match, self.fresh, job)}.npz"
        path = self.folder.path / name
        if path.exists():
            try:
                with np.load(path, allow_pickle=False) as stored:
                    rows = np.asarray(stored["rows"])
                if rows.dtype == self.game.row_type:
                    return rows
            except (ValueError, OSError, KeyError, EOFError):
                pass  # damaged: played again
        rows = self._play(match, self.fresh, job)
        data = io.BytesIO()
        np.savez_compressed(data, rows=rows)
        self.folder.write(name, data.getvalue())
        return rows

    # --- games

    def _name(self, match: Match, seed: int, job: Job) -> str:
        """Digest of everything that determines a job's games."""
        key = self._stems[job.line_up][1]
        same_cards = match.table_files == self.experiment.card_files
        rules = json.dumps(match.knobs_resolved, sort_keys=True) if same_cards else match.key
        text = f"{key} {rules} {seed} {job.first} {job.count}"
        return hashlib.sha256(text.encode()).hexdigest()[:24]

    def _play(self, match: Match, seed: int, job: Job) -> Array:
        def each(cut_off: int, fault: GameTruncated) -> None:
            if cut_off > max(MOST_CUT_OFF * job.count, 2):
                setting = self.problem.space.text(job.setting)
                raise fault.reworded(f"{too_many_cut_off(cut_off, job.count)} ({setting}).\n{fault}") from fault

        rows = play_parting(match, seed, job.first, job.count, each)[0]
        self._fresh_games += job.count
        return np.asarray(rows)

    def _all(self, jobs: Sequence[Job], do: Callable[[Job], Any]) -> list[Any]:
        """The answers of the jobs, in their order, from several threads."""
        for line_up in dict.fromkeys(job.line_up for job in jobs):
            self._stem(line_up).compile()  # one at a time: the next finds the compiled code on the disk
        answers = []
        pool = ThreadPoolExecutor(self.workers)
        try:
            for job, answer in zip(jobs, pool.map(do, jobs), strict=True):
                answers.append(answer)
                self.done += job.count
                rate = self._fresh_games / max(time.monotonic() - self._began, 1e-6)
                left = max(self.total - self.done, 0)
                total = max(self.total, self.done)
                self.notify(Progress(self.done, total, rate, left / rate if rate else None, ""))
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
        return answers
