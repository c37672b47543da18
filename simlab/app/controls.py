"""The controls of the page: who plays, and a slider, switch or choice for every knob."""

from __future__ import annotations

import math
from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING, Any

from nicegui import ui

from simlab.app.rule_form import RuleForm
from simlab.bot_registry import bots_for
from simlab.game import Knob, the_seat
from simlab.present.estimate import value_text, words
from simlab.spec.knobs import ChoiceKnob, SwitchKnob, WholeKnob

if TYPE_CHECKING:
    from simlab.app.session import Session

Put = Callable[[Callable[[], object]], None]


class Field:
    """The error message below a field; read aloud by screen readers."""

    def __init__(self, session: Session, name: str) -> None:
        self.session, self.name = session, name
        self.label = ui.label().classes("fault").props(f'role=alert data-field="{name}"')

    def show(self) -> None:
        self.label.text = self.session.form.faults.get(self.name, "")


class TextField:
    """A field that shows one text of the input (FormState.text_of), with the error below it.

    Args:
        needed: whether a value is required: an empty field changes nothing, and its text returns when you leave it.
    """

    def __init__(self, session: Session, name: str, element: Any, put: Put, needed: bool = False) -> None:
        self.form, self.name, self.element = session.form, name, element

        def typed(event: Any) -> None:
            text = str(event.value or "")
            if not self.form.means(name, text) and not (needed and not text.strip()):
                put(lambda: self.form.put(name, text))

        element.on_value_change(typed)
        if needed:
            element.on("blur", self.show)
        self.fault = Field(session, name)

    def show(self) -> None:
        """Puts the input into the field."""
        if not self.form.means(self.name, str(self.element.value or "")):
            self.element.value = self.form.text_of(self.name)
        self.fault.show()


class KnobControl:
    """One knob: its name and rules, its value, its meaning, and a button to restore the printed value."""

    def __init__(self, session: Session, knob: Knob, put: Put) -> None:
        self.form, self.knob, self._put = session.form, knob, put
        name, value = knob.name, session.form.value(knob.name)
        self.slider: Any = None
        about = f"{name}, {knob.allowed}"
        rules = f" ({', '.join(knob.rules)})" if knob.rules else ""
        unit = f" {knob.unit}" if knob.unit and knob.is_number else ""
        default = session.form.loaded.knobs[name].default  # as printed, even if a table was edited
        printed = value_text(default) if not isinstance(knob, SwitchKnob) else "yes" if default else "no"
        with ui.element("div").classes("knob").props(f'data-knob="{name}"') as self.box:
            with ui.element("div").classes("top"):
                ui.label(name).classes("name")
                self.input: Any
                if isinstance(knob, SwitchKnob):
                    self.input = ui.switch(value=bool(value), on_change=self._chosen)
                elif isinstance(knob, ChoiceKnob):
                    self.input = ui.select(list(knob.options), value=str(value), on_change=self._chosen)
                    self.input.props("dense options-dense").classes("choice")
                else:  # a text field, because a number field would silently turn 99 into the highest allowed value
                    self.input = ui.input(value=self.form.text_of(f"knob {name}")).classes("number")
                    self.input.props(f'dense debounce=300 spellcheck=false suffix="{_quoted(knob.unit)}"')
                    if knob.is_number:
                        of = f"type=number step={_step(knob):g} min={knob.low:g} max={knob.high:g}"
                        self.input.props(of)
            if knob.is_number:
                self.slider = ui.slider(
                    min=knob.low, max=knob.high, step=_step(knob), value=float(value), on_change=self._chosen
                )
                self.slider.props(f'aria-label="{_quoted(about)}" dense')
            self.input.props(f'aria-label="{_quoted(about)}"')
            ui.label(f"{knob.help}{rules}\nprinted: {printed}{unit}").classes("help")
            self.back = (
                ui.element("button").classes("back").props(f'type=button aria-label="{_quoted(name)}: back to printed"')
            )
            with self.back:
                ui.label("back to printed")
            self.back.on("click", lambda: self._put(lambda: session.form.put_knob(name, default)))
            self.field: Field | TextField = (
                Field(session, f"knob {name}")
                if knob.choices
                else TextField(session, f"knob {name}", self.input, put, needed=True)
            )
        self.show()

    def _chosen(self, event: Any) -> None:
        """Handles a change of the switch, the choice or the slider, which `show` may have caused."""
        value, name = event.value, self.knob.name
        if value is not None and value != self.form.value(name):
            value = int(value) if isinstance(value, float) and value.is_integer() else value  # of a slider
            self._put(lambda: self.form.put_knob(name, value))

    def show(self) -> None:
        value = self.form.value(self.knob.name)
        if self.knob.choices:
            self.input.value = value
        if self.slider is not None and self.slider.value != value:
            self.slider.value = value
        self.field.show()
        differs = not self.form.is_printed(self.knob.name)
        self.box.classes(add="differs" if differs else "", remove="" if differs else "differs")
        self.back.set_visibility(differs or f"knob {self.knob.name}" in self.form.faults)

    def fits(self, wanted: str, changed_only: bool) -> bool:
        """Whether the filter shows this knob."""
        text = f"{self.knob.name} {words(self.knob.name)} {self.knob.help} {' '.join(self.knob.rules)}".lower()
        there = all(word in text for word in wanted.lower().split())
        return there and not (changed_only and self.form.is_printed(self.knob.name))


def _step(knob: Knob) -> float:
    """The step of the slider: 1, or a hundredth of the range as a round number."""
    if isinstance(knob, WholeKnob):
        return 1
    return float(10 ** math.floor(math.log10(max(knob.high - knob.low, 1e-9) / 50)))


def _quoted(text: str) -> str:
    """A text within the quotes of a property."""
    return text.replace('"', "'").replace("\\", "/")


class Knobs:
    """All knobs in their groups, with a filter."""

    def __init__(self, session: Session, put: Put) -> None:
        self.session, self._put = session, put
        self._groups: list[_Group] = []
        with ui.row().classes("items-center w-full no-wrap"):
            self.filter = ui.input(placeholder="filter: a name, a word, a rule", on_change=self.sift)
            self.filter.props('dense clearable aria-label="filter the knobs"').style("flex: 1 1 auto")
            self.only = ui.checkbox("changed", on_change=self.sift).props('dense aria-label="only changed"')
        with ui.row().classes("items-center"):
            self.all_back = ui.button("all back to printed", on_click=lambda: put(session.form.printed_knobs))
            self.all_back.props("flat dense no-caps")
        self.fault = Field(session, "rules")
        self.place = ui.element("div").style("width: 100%")
        self._game: Any = None
        self._options: dict[str, Any] = {}
        self.show()

    def _build(self) -> None:
        """Builds the controls of the game; again if the player count or the rows of a card table change."""
        knobs = self.session.form.all_knobs()
        self.place.clear()
        self._groups = []
        with self.place:
            luck = list(self.session.form.loaded.knobs.luck.values())
            for title, chosen in (
                ("Numbers", [knob for knob in knobs.values() if not knob.switch]),
                ("Rulings that could go the other way", [knob for knob in knobs.values() if knob.switch]),
                ("Weighted dice, bad shuffles, bans", luck),
            ):
                if not chosen:
                    continue
                group = _Group(self.session, f"{title} ({len(chosen)})", chosen, self._put)
                self._groups.append(group)
                if title == "Numbers" or len(knobs) == len(chosen) > len(luck):
                    group.heading.open()

    def show(self) -> None:
        form = self.session.form
        options = {name: knob.options for name, knob in form.all_knobs().items()}
        if self._game is not form.loaded or options != self._options:
            self._game, self._options = form.loaded, options
            self._build()
            self.sift()
        for group in self._groups:
            group.show()
        self.all_back.set_visibility(bool(form.knobs) or any(field.startswith("knob ") for field in form.faults))
        self.fault.show()

    def sift(self) -> None:
        """Shows the knobs that match the filter; hides groups without such knobs, and opens the others."""
        for group in self._groups:
            group.sift(self.filter.value or "", bool(self.only.value))


class _Group:
    """Knobs under one heading. Their controls are made a few at a time when the heading is first opened, because a
    hundred take a second, or several seconds while a game is compiled.
    """

    def __init__(self, session: Session, title: str, knobs: list[Knob], put: Put) -> None:
        self.session, self.knobs, self._put = session, knobs, put
        self.controls: list[KnobControl] = []
        self._making: Any = None
        self.heading = ui.expansion(title, on_value_change=self._opened).classes("w-full")

    def _opened(self, event: Any) -> None:
        if event.value and not self.controls:
            self._make()
            with self.heading:
                self._making = ui.timer(0.05, self._make, active=not self._complete)

    @property
    def _complete(self) -> bool:
        return len(self.controls) == len(self.knobs)

    def _make(self, most: int = 10) -> None:
        with self.heading:
            for knob in self.knobs[len(self.controls) :][:most]:
                self.controls.append(KnobControl(self.session, knob, self._put))
        if self._complete and self._making is not None:
            self._making.deactivate()

    def show(self) -> None:
        """Puts the input into the controls; a group with a difference or an error opens."""
        form = self.session.form
        if not self.controls and any(
            not form.is_printed(knob.name) or f"knob {knob.name}" in form.faults for knob in self.knobs
        ):
            self.heading.open()
        for control in self.controls:
            control.show()

    def sift(self, wanted: str, only: bool) -> None:
        if wanted or only:
            if not self.controls:
                self.heading.open()
            self._make(len(self.knobs))
        fits = [control.fits(wanted, only) for control in self.controls]
        for control, fit in zip(self.controls, fits, strict=True):
            control.box.set_visibility(fit)
        self.heading.set_visibility(any(fits) or not self._complete)
        if (wanted or only) and any(fits):
            self.heading.open()


class Seats:
    """The players: player count, one bot per seat, seed and games."""

    def __init__(self, session: Session, put: Put) -> None:
        self.session, self._put = session, put
        form = session.form
        self.players: Any = None
        if form.sizes:
            self.players = ui.select(list(form.sizes), label="players", value=len(form.loaded.seats))
            self.players.on_value_change(lambda event: self._sized(int(event.value))).props("dense").classes("w-full")
        self.place = ui.element("div").style("width: 100%")
        self._seats: list[TextField] = []
        self._rules: RuleForm | None = None
        self._game: Any = None
        with ui.element("div").style("display: grid; grid-template-columns: 1fr 1fr; gap: .8rem; width: 100%"):
            self._numbers = [self._number("games", "games of each"), self._number("seed", "random seed")]
        self.show()

    def _number(self, name: str, label: str) -> TextField:
        with ui.element("div"):
            element = ui.input(label, value=self.session.form.text_of(name)).props("dense debounce=500")
            return TextField(self.session, name, element, self._put, needed=True)

    def _sized(self, players: int) -> None:
        if players != len(self.session.form.loaded.seats):
            self._put(lambda: self.session.form.put_players(players))

    def _build(self) -> None:
        self.place.clear()
        self._rules = None
        with self.place:
            self._seats = [self._seat(seat) for seat in self.session.form.loaded.seats]

    def _seat(self, seat: str) -> TextField:
        game = self.session.form.loaded
        listed = {name: policy.help.splitlines()[0] for name, policy in bots_for(game, seat).items()}
        field = ui.input(f"bot of {the_seat(game, seat)}", value=self.session.form.bots[seat]).classes("bot")
        field.props(f'dense debounce=600 data-seat="{seat}" spellcheck=false autocapitalize=off')
        with field.add_slot("append"):
            button = ui.button(icon="expand_more").props(
                f'flat round dense size=sm aria-label="bots for {_quoted(seat)}"'
            )
            with button, ui.menu().props("auto-close max-height=60vh"):
                for name, about in listed.items():
                    with ui.menu_item(on_click=lambda name=name: self._bot(seat, name)).props("dense"):
                        ui.html(f"<b>{escape(name)}</b> <small>{escape(about)}</small>", sanitize=False)
                ui.separator()
                ui.menu_item("write rules ...", on_click=lambda: self._write_rules(seat)).props("dense")
                with ui.menu_item().props("dense disable"):
                    ui.html(
                        "<small>Also: name:trait=0.5, mix(a:0.8,b:0.2), noisy(a:0.05), opening(a:4,b), ismcts, "
                        "lookahead, ./my_bot.py:name</small>",
                        sanitize=False,
                    )
        return TextField(self.session, f"bot {seat}", field, self._put)

    def _write_rules(self, seat: str) -> None:
        if self._rules is None:
            with self.place:
                self._rules = RuleForm(self.session, self._bot)
        self._rules.open(seat, self.session.form.bots[seat])

    def _bot(self, seat: str, text: str) -> None:
        if text.strip() != self.session.form.bots[seat]:
            self._put(lambda: self.session.form.put_bot(seat, text))

    def show(self) -> None:
        form = self.session.form
        if self._game is not form.loaded:
            self._game = form.loaded
            self._build()
        if self.players is not None:
            self.players.value = len(form.loaded.seats)
        for field in (*self._seats, *self._numbers):
            field.show()
