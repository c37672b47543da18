"""Actions on the result: save it, open the full report, check the contract, copy the command."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from nicegui import ui

from simlab.app import live_summary
from simlab.app.controls import Put, TextField
from simlab.engine.outcome import figures_of
from simlab.errors import SimlabError

if TYPE_CHECKING:
    from simlab.app.session import Session


class Contract:
    """The contract, judged while games come in."""

    def __init__(self, session: Session, put: Put) -> None:
        self.session = session
        win = figures_of(session.form.loaded).wins[0].name
        ui.html(
            "What should the game be like? One line per statistic, such as <code>turns_p50 = { min = 5, max = 9 "
            f"}}</code> (the median length is 5 to 9 turns) or <code>{escape(win)} = {{ target = 0.5, margin = 0.05 }}"
            "</code>. "
            f"All names: <code>simlab info {escape(session.form.loaded.reference)} statistics</code>",
            sanitize=False,
        ).classes("small")
        ready = session.form.ready_contracts()
        if ready:
            choice = ui.select(list(ready), label="take the contract of a ready experiment").classes("w-full")
            choice.props("dense").on_value_change(
                lambda event: put(lambda: session.form.put_contract(ready.get(event.value, session.form.contract)))
            )
        text = ui.textarea("contract", value=session.form.contract).classes("w-full")
        text.props("debounce=600 autogrow spellcheck=false input-style='font-family: monospace'")
        self.field = TextField(session, "contract", text, put)
        self.show = self.field.show
        self.verdict = ui.html("", sanitize=False).props("aria-live=polite").classes("w-full")
        self.show()

    def judge(self, summary: Any) -> None:
        """Shows the verdicts on the contract from the games so far."""
        html = live_summary.fault(summary.contract_fault) if summary.contract_fault else ""
        if summary.clauses and not html:
            html = live_summary.contract((clause.verdict, clause.sentence) for clause in summary.clauses)
        heading = f"<h2>After {summary.tweak_games or summary.games:,} games</h2>"
        self.verdict.content = f"{heading}{html}" if html and self.session.form.contract else ""


class Saving:
    """Name and notes, and the buttons."""

    def __init__(self, session: Session, note: Put) -> None:
        self.session, self._note = session, note
        form = session.form
        ui.html(
            "<p>Keep what you found: a file with the differences from the printed rules, the bots, the seed and the "
            f"contract, in the folder the app was started in (<code>{escape(str(session.folder))}</code>).</p>",
            sanitize=False,
        )
        self.fields = {
            "title": ui.input("name", value=form.title).props("dense debounce=400 spellcheck=false"),
            "hypothesis": ui.textarea("what you expect (hypothesis)", value=form.hypothesis).props("autogrow"),
            "notes": ui.textarea("notes", value=form.notes).props("autogrow debounce=400"),
        }
        for key, field in self.fields.items():
            field.classes("w-full")
            field.on_value_change(lambda event, key=key: self._typed(key, event.value))
        with ui.row().classes("items-center"):
            ui.button("Save as experiment", icon="save", on_click=self._save).props("no-caps unelevated")
            self.replace = ui.checkbox("replace a file of this name")
        self.saved = ui.html("", sanitize=False).props("role=status").classes("w-full")
        ui.separator()
        with ui.row().classes("items-center"):
            ui.button("Full report", icon="summarize", on_click=lambda: self._start("report")).props("no-caps outline")
            ui.button("Check the contract", icon="fact_check", on_click=lambda: self._start("check")).props(
                "no-caps outline"
            )
            ui.button("Copy command", icon="content_copy", on_click=self._copy).props("no-caps outline")
            self.stop = ui.button("Stop", icon="stop", on_click=self._stop).props("no-caps flat")
        self.summary = ui.html("", sanitize=False).props("aria-live=polite").classes("w-full")
        self.tick()

    def _typed(self, key: str, value: object) -> None:
        if str(value or "") != getattr(self.session.form, key):
            self._note(lambda: setattr(self.session.form, key, str(value or "")))

    def _save(self) -> None:
        try:
            path = self.session.save(replace=bool(self.replace.value))
        except SimlabError as fault:
            self.saved.content = live_summary.fault(str(fault))
            return
        self.saved.content = (
            f"<p>Saved: <code>{escape(path.name)}</code>. Play it with</p>"
            f"<pre>{escape(self.session.form.command(path.name))}</pre>"
        )

    def _start(self, kind: str) -> None:
        try:
            self.session.start(kind)
        except SimlabError as fault:
            self.summary.content = live_summary.fault(str(fault))
            self._last = None
            return
        self.tick()

    def _stop(self) -> None:
        if self.session.job is not None:
            self.session.job.stop()

    def _copy(self) -> None:
        try:
            command = self.session.command()
        except SimlabError as fault:
            self.saved.content = live_summary.fault(str(fault))
            return
        ui.clipboard.write(command)
        self.saved.content = f"<p>Copied. It gives the same numbers:</p><pre>{escape(command)}</pre>"

    _last: Any = None

    def show(self) -> None:
        for key, field in self.fields.items():
            if str(field.value or "") != getattr(self.session.form, key):
                field.value = getattr(self.session.form, key)

    def tick(self) -> None:
        """Shows the progress of the report or the check."""
        job = self.session.job
        running = job is not None and job.running
        self.stop.set_visibility(running)
        state = None if job is None else (id(job), job.line, running)
        if job is None or state == self._last:
            return
        self._last = state
        what = "The full report" if job.kind == "report" else "The contract"
        if running:
            self.summary.content = f"<p>{what}: {escape(job.line)}</p><pre>{escape(job.command)}</pre>"
        elif job.fault:
            self.summary.content = live_summary.fault(f"{what}: {job.fault}")
        elif job.kind == "report" and job.report is not None:
            address = self.session.report_address(job.report)
            where = escape(str(job.report))
            self.summary.content = (
                f'<p>{what} is ready: <a href="{address}" target="_blank" rel="noopener">open it</a> '
                f"<small>({where})</small></p>"
            )
        else:
            verdict = job.verdict
            lines = ((line["verdict"], line["sentence"]) for line in verdict.get("lines", []))
            word = str(verdict.get("verdict", ""))
            self.summary.content = (
                f"<p>The contract: <b>{escape(word)}</b>, after {int(verdict.get('games', 0)):,} games.</p>"
                f"{live_summary.contract(lines)}"
            )
