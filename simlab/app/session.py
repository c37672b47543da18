"""One session: the input and the games played for it, shared by all pages that show it."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simlab.app import jobs
from simlab.app.live_summary import PRINTED, TWEAK, LiveSummary, summarize
from simlab.app.simulator import Play, Player
from simlab.errors import InputError

if TYPE_CHECKING:
    from simlab.app.form import FormState
    from simlab.engine.match import Match


class Session:
    """State on the server, independent of open pages. Nothing is played until `replay` is called.

    Attributes:
        form: the input. kept: what the viewer of games remembers.
        version: grows with every change of the input.
        job: the latest report or check; None before the first.
        saved: the last saved file, and the command that gives its numbers.
        folder: folder for saved files and results.
        last_open: when a page was last open (time.monotonic).
    """

    def __init__(self, form: FormState, files: Path, folder: Path | None = None) -> None:
        self.form = form
        self.kept: dict[str, Any] = {}
        self.version = 0
        self.job: jobs.Job | None = None
        self.saved: tuple[Path, str] | None = None
        self.folder = folder or Path.cwd()
        self.last_open = time.monotonic()
        self._files = files
        self._reports: dict[str, Path] = {}
        self._lock = threading.Lock()
        self.player = Player(self._summarize)

    # --- Figures ---------------------------------------------------------------------

    def _summarize(self, play: Play, done: bool) -> LiveSummary | None:
        return summarize(play, {} if "contract" in play.form.faults else play.form.goals(), all_numbers=done)

    @property
    def play(self) -> Play:
        return self.player.play

    def change(self, make: Callable[[], object]) -> None:
        """Changes the input and plays it. make: makes the change; an error stays next to its field."""
        self.remember(make)
        self.replay()

    def remember(self, make: Callable[[], object]) -> None:
        """Changes the texts saved with the experiment; nothing is played."""
        make()
        self.version += 1

    def replay(self) -> None:
        """Plays the current input, if it has no errors."""
        form = self.form
        if form.first_fault():
            return
        tweak = form.recipe() if form.changed else None
        self.player.ask(form.recipe(printed=True), tweak, form.seed, form.games, form.frozen())

    @property
    def shown(self) -> FormState:
        """The settings behind the newest numbers; before there are numbers, the requested settings."""
        return self.form if self.play.summary is None else self.play.summary.form

    def matches(self) -> dict[str, Match]:
        """The requested sets of rules, by name.

        Raises:
            InputError: the input still has an error.
        """
        if fault := self.form.first_fault():
            raise InputError(fault)
        made = {PRINTED: self.form.recipe(printed=True)()}
        return made | ({TWEAK: self.form.recipe()()} if self.form.changed else {})

    # --- Saving, reports, the contract -------------------------------------------------

    def save(self, *, replace: bool) -> Path:
        """Saves the experiment into the app's folder.

        Raises:
            InputError: as for FormState.save.
        """
        path = self.form.save(self.folder, replace=replace)
        self.saved = path, self.form.command()
        return path

    def command(self) -> str:
        """The command line that gives the numbers on the page; edited tables need a file, which this saves.

        Raises:
            InputError: tables were edited but not saved, or a field has an error and there are no numbers yet.
        """
        shown = self.shown
        if shown is self.form and (fault := shown.first_fault()):
            raise InputError(fault)
        if self.saved is not None and self.saved[1] == shown.command():
            return shown.command(self.saved[0].name)
        if shown.table_files:
            raise InputError("Tables were edited here: save the experiment first, and the command takes its file.")
        return shown.command()

    def start(self, kind: str) -> None:
        """Begins a full report (`report`) or the check of the contract (`check`), in a process of its own.

        Raises:
            InputError: the input has an error, a job is running, or there is no contract.
        """
        with self._lock:
            if self.job is not None and self.job.running:
                raise InputError("a report or a check is already running. Stop it, or wait.")
            if kind == "check" and not self.form.goals():
                raise InputError("there is no contract to judge: write one, or take one from a ready experiment.")
            if fault := self.form.faults.get("contract"):
                raise InputError(fault)
            self.job = jobs.start(kind, self.form.save(self._files / "jobs", replace=True), self.folder)

    def report_address(self, path: Path) -> str:
        """The last part of the address of a report."""
        name = path.parent.name
        self._reports[name] = path
        return f"report/{name}"

    def routes(self, app: Any, under: str) -> None:
        """Adds the only files served besides the page: the reports made in this session."""
        from fastapi import HTTPException
        from fastapi.responses import HTMLResponse

        def report(name: str) -> HTMLResponse:
            path = self._reports.get(name)
            if path is None or not path.is_file():
                raise HTTPException(404, "There is no such report in this session.")
            return HTMLResponse(path.read_bytes())

        app.get(f"{under}/report/{{name}}", response_class=HTMLResponse)(report)

    def close(self) -> None:
        """Ends everything in the background."""
        if self.job is not None:
            self.job.stop()
        self.player.close()
        shutil.rmtree(self._files, ignore_errors=True)
