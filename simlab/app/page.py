"""The app's page: controls on the left, their effect on the right."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nicegui import ui

from simlab.app import live_summary
from simlab.app.controls import Knobs, Seats
from simlab.app.saving import Contract, Saving
from simlab.app.tables import Tables
from simlab.errors import SimlabError
from simlab.present.estimate import words

if TYPE_CHECKING:
    from simlab.app.form import FormState
    from simlab.app.session import Session
    from simlab.app.simulator import Play

_TICK = 0.2  # seconds between two checks for changes
_REPORT_CSS = Path(__file__).parent.parent / "present" / "report.css"


def style() -> str:
    """The page's style: colours and fonts are those of the report."""
    report = _REPORT_CSS.read_text(encoding="utf-8")
    colours = report[: report.index("* { box-sizing")]
    return colours + (Path(__file__).parent / "app.css").read_text(encoding="utf-8")


class Page:
    """The app in one tab of a browser."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._version, self._number, self._summary = session.version, -1, None
        self._shown: FormState | None = None  # settings of the numbers on this page; None before the first
        self._watched: Any = None
        ui.add_css(style())
        ui.colors(primary="#0b5cad", accent="#0072b2", negative="#b3261e")
        with ui.element("main").classes("session"):
            self._head()
            with ui.element("div").classes("session-body"):
                with ui.element("section").classes("session-verdict").props('aria-label="The answer"'):
                    self._verdict()
                with ui.element("section").classes("session-controls").props('aria-label="What is played"'):
                    with ui.expansion("Who plays", value=True).classes("w-full"):
                        self.seats = Seats(session, self.put)
                    self.knobs = Knobs(session, self.put)
                with ui.element("section").classes("session-summary").props('aria-label="Results"'):
                    self._results()
        self.tick()
        ui.timer(_TICK, self.tick)

    def _head(self) -> None:
        form = self.session.form
        with ui.element("header").classes("session-head"):
            with ui.element("h1"):
                ui.label(form.loaded.title)
            ui.label("Change a number of the rules and see its effect.").classes("small")
        if form.remark:
            ui.label(form.remark).classes("small")

    def _verdict(self) -> None:
        with ui.element("div").classes("verdict") as self.box:
            self.headline = ui.label().classes("first").props("role=status data-test=headline")
            self.changes = ui.label().classes("small").props("data-test=changes")
            self.status = ui.label().classes("small").props("data-test=status")
            self.fault = ui.label().classes("fault").props("role=alert data-test=fault")

    def _results(self) -> None:
        with ui.tabs().props("dense align=left inline-label outside-arrows mobile-arrows") as tabs:
            figures = ui.tab("Figures")
            cards = ui.tab("Cards and tables")
            watch = ui.tab("Watch a game")
            contract = ui.tab("Contract")
            saving = ui.tab("Save and report")
        tabs.on_value_change(self._watch)
        self.tabs = tabs
        self._cards_tab, self._contract_tab = cards, contract
        with ui.tab_panels(tabs, value=figures, animated=False, keep_alive=True).classes("w-full"):
            with ui.tab_panel(figures):
                self.figures = ui.html("", sanitize=False).classes("w-full")
            with ui.tab_panel(cards):
                self.tables = Tables(self.session, self.put)
            with ui.tab_panel(watch):
                self.viewer = ui.element("div").style("width: 100%")
            with ui.tab_panel(contract):
                self.contract = Contract(self.session, self.put)
            with ui.tab_panel(saving):
                self.saving = Saving(self.session, self.note)

    # --- Changes -------------------------------------------------------------------------

    def put(self, make: Callable[[], object]) -> None:
        self.session.change(make)
        self.show()

    def note(self, make: Callable[[], object]) -> None:
        """Changes the texts saved with the experiment."""
        self.session.remember(make)
        self._version = self.session.version

    def show(self) -> None:
        self._version = self.session.version
        self.seats.show()
        self.knobs.show()
        self.tables.show()
        self.contract.show()
        self.saving.show()
        faults = self.session.form.faults
        for tab, start in ((self._cards_tab, "table "), (self._contract_tab, "contract")):
            wrong = any(field.startswith(start) for field in faults)
            tab.props(**{"add" if wrong else "remove": "alert=negative"})
        self._caption()
        self._watch()

    def _caption(self) -> None:
        """Names the rules behind the numbers on the page, and the errors in the current input."""
        changes = (self._shown or self.session.form).changes()
        text = f"{len(changes)} differences from the printed rules: " if len(changes) > 1 else ""
        self.changes.text = f"{text}{', '.join(changes)}" if changes else "The rules as printed."
        fault = self.session.form.first_fault()
        self.fault.text = f"Not played: {fault}" if fault else ""

    def tick(self) -> None:
        """Shows what changed since the last tick, in this tab, in another tab, or in the background."""
        self.session.last_open = time.monotonic()
        if self._version != self.session.version or self._number < 0:
            self.show()
        play = self.session.play
        if play.number != self._number:
            self._number = play.number
            self._show(play)
        self.saving.tick()

    # --- Figures -------------------------------------------------------------------------

    def _show(self, play: Play) -> None:
        self.status.text = _status(play)
        summary = play.summary
        stale = summary is not None and summary.request != play.request
        for part in (self.headline, self.figures):  # those of the previous rules, until the new ones are there
            part.classes(add="stale" if stale else "", remove="" if stale else "stale")
        if summary is None or summary is self._summary:
            return
        self._summary = summary
        self._shown = summary.form
        self.headline.text = summary.headline
        self._caption()
        self.box.classes(add="" if summary.tweak_games else "plain", remove="plain" if summary.tweak_games else "")
        self.figures.content = live_summary.figures(summary)
        self.contract.judge(summary)

    # --- Single games --------------------------------------------------------------------

    def _watch(self) -> None:
        """Builds the viewer when its tab is open, and again when rules, bots or seed change."""
        if self.tabs.value != "Watch a game":
            return
        form = self.session.form
        changeable = (form.bots, form.knobs, form.table_files)
        key = (form.loaded, form.seed, *(tuple(held.items()) for held in changeable))
        if key == self._watched:
            return
        self._watched = key
        self.viewer.clear()
        with self.viewer:
            try:
                matches = self.session.matches()
            except SimlabError as fault:
                ui.label(str(fault)).classes("fault")
                return
            from simlab.app.viewer import Viewer

            Viewer(matches, form.seed, self.session.kept)


def _status(play: Play) -> str:
    if play.phase == "compiling":
        return f"compiling… {words(play.note)}; stored for the next time" if play.note else "getting ready…"
    if play.phase == "wrong":
        return f"The games stopped: {play.note}"
    done = min(side.games for side in (play.printed, play.tweak) if side is not None) if play.printed else 0
    each = " under each set of rules, with the same seeds" if play.tweak is not None else ""
    cut = sum(side.cut_off for side in (play.printed, play.tweak) if side is not None)
    lost = f"; {cut:,} were truncated and are left out" if cut else ""
    if play.phase == "done":
        return f"{play.wanted:,} games{each}{lost}."
    return f"playing: {done:,} of {play.wanted:,} games{each}, {play.rate:,.0f} per second{lost}"
