"""A form for bots that are lists of rules: one line per rule, saved as a TOML file that every command takes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nicegui import ui

from simlab.author.rule_bots import fields_of, options_of, read_rule_bot
from simlab.bot_registry import load_bot
from simlab.errors import InputError, SimlabError
from simlab.spec.files import read_toml
from simlab.spec.folder_names import is_portable

if TYPE_CHECKING:
    from simlab.app.session import Session
    from simlab.game import Game

EFFECTS = {
    "choose": "choose the first legal one of",
    "never": "never (for the rules below)",
    "best": "choose the highest",
    "least": "choose the lowest",
}


@dataclass
class Line:
    """One rule of the form.

    Attributes:
        condition: when it applies; "" means always. decision: the kind of decision that it covers; "" means all.
        effect: one of EFFECTS. value: option names separated by commas, or a formula.
    """

    condition: str = ""
    decision: str = ""
    effect: str = "choose"
    value: str = ""

    @classmethod
    def read(cls, rule: dict[str, Any]) -> Line:
        """The line of a rule in a file."""
        effect = next((key for key in EFFECTS if key in rule), "choose")
        value = rule.get(effect, "")
        text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        return cls(str(rule.get("if", "")), str(rule.get("decision", "")), effect, text)

    def rule(self) -> dict[str, Any]:
        value: str | list[str | int] = self.value.strip()
        if self.effect in ("choose", "never"):
            parts = [part.strip() for part in self.value.split(",") if part.strip()]
            value = [int(part) if part.isdecimal() else part for part in parts]  # an option without a name has a number
        held = {"if": self.condition.strip(), "decision": self.decision, self.effect: value}
        return {key: entry for key, entry in held.items() if entry}


def read_form(path: Path) -> tuple[list[Line], dict[str, Any]]:
    """The rules of a file as lines of the form, and the file's other entries: help, traits, otherwise.

    Raises:
        InputError: it is not TOML.
    """
    file = read_toml(path)
    about = {key: value for key, value in file.get("bot", {}).items() if key not in ("game", "name")}
    return [Line.read(rule) for rule in file.get("rule", [])], about


def save_rules(
    folder: Path, name: str, game: Game, lines: Sequence[Line], about: Mapping[str, Any] | None = None, seat: str = ""
) -> Path:
    """Writes a bot's rules into a new file and reads them back.

    A process keeps the version of a bot that it first read. A new version with the same name therefore gets a separate
    file, NAME-2.toml.

    Args:
        about: the entries of the file other than its rules. seat: the bot's seat; "" means the first seat.
    Raises:
        InputError: the name cannot be a file name, there is no rule, or a rule cannot be used; no file is left then.
    """
    import tomli_w

    stem = re.sub(r"-\d+$", "", name.strip().removesuffix(".toml"))
    if not re.fullmatch(r"\w[\w-]*", stem) or not is_portable(stem):
        raise InputError(f"'{name}' cannot be the name of a file. Use letters, digits and _.")
    rules = [rule for line in lines if (rule := line.rule()) and line.value.strip()]
    if not rules:
        raise InputError("Write at least one rule: an option to choose, or one never to choose.")
    path, number = folder / f"{stem}.toml", 1
    while path.exists():
        number += 1
        path = folder / f"{stem}-{number}.toml"
    bot = {"game": game.slug, "name": path.stem, **(about or {})}
    path.write_text(tomli_w.dumps({"bot": bot, "rule": rules}), encoding="utf-8")
    try:
        other = read_rule_bot(path, game).otherwise
        if other:
            load_bot(game, seat or game.seats[0], other)
    except SimlabError as fault:
        path.unlink()
        raise InputError(str(fault).replace(str(path.resolve()), "The bot").replace(str(path), "The bot")) from None
    return path


class RuleForm:
    """The dialog in which a bot's rules are written.

    Args:
        use: takes the seat and the text of the new bot.
    """

    def __init__(self, session: Session, use: Callable[[str, str], None]) -> None:
        self.session, self._use, self._seat = session, use, ""
        self.lines: list[Line] = []
        self._about: dict[str, Any] = {}  # of the file that is open
        with ui.dialog() as self.dialog, ui.card().style("width: 60rem; max-width: 95vw"):
            ui.label("A bot as a list of rules").classes("name")
            ui.html(
                "<p>The first rule whose condition holds and that finds a legal option decides. A condition uses "
                "fields and knobs by name, such as <code>coins[me] &gt;= 4 and turn &lt; 5</code> or "
                "<code>can(builder)</code>; leave it empty for always. A formula compares options: "
                "<code>deck.points[row[option]]</code>.</p>",
                sanitize=False,
            ).classes("small")
            self.known = ui.html("", sanitize=False).classes("small")
            self.place = ui.element("div").style("width: 100%").props("data-test=rules")
            with ui.row().classes("items-center"):
                ui.button("add a rule", icon="add", on_click=self._add).props("flat no-caps")
            self.otherwise = ui.input("where no rule decides", placeholder="at random, or a bot").props(
                "dense spellcheck=false data-test=otherwise"
            )
            self.name = ui.input("name of the bot", value="my_bot").props("dense spellcheck=false")
            self.fault = ui.label().classes("fault").props("role=alert data-test=rules-fault")
            with ui.row():
                ui.button("Save and use", icon="save", on_click=self._save).props("no-caps unelevated")
                ui.button("Cancel", on_click=self.dialog.close).props("no-caps flat")

    def open(self, seat: str, bot: str) -> None:
        """Opens the form for a seat, with the rules of its bot if the bot is a file of rules."""
        self._seat, self.fault.text = seat, ""
        path = Path(bot.partition(":")[0])
        self.lines, self._about = [Line()], {}
        if path.suffix == ".toml" and path.is_file():
            (self.lines, self._about), self.name.value = read_form(path), path.stem
        self.otherwise.value = str(self._about.get("otherwise", ""))
        game = self.session.form.loaded
        self.known.content = "".join(
            f"<p><b>{title}</b>: {escape(', '.join(names))}</p>"
            for title, names in (("Options", options_of(game)), ("Fields and knobs", fields_of(game)))
            if names
        )
        self._show()
        self.dialog.open()

    def _add(self) -> None:
        self.lines.append(Line())
        self._show()

    def _take(self, number: int, up: bool) -> None:
        """Moves a rule up, or removes it."""
        line = self.lines.pop(number)
        if up:
            self.lines.insert(max(number - 1, 0), line)
        self._show()

    def _show(self) -> None:
        decisions = {"": "any decision"} | {
            decision.name.replace(" ", "_"): decision.name for decision in self.session.form.loaded.decisions
        }
        self.place.clear()
        with self.place:
            for number, line in enumerate(self.lines):
                with ui.row().classes("items-center w-full no-wrap"):
                    ui.label(f"{number + 1}")
                    self._field(ui.input("if", value=line.condition).style("flex: 2"), line, "condition")
                    self._field(ui.select(decisions, value=line.decision, label="decision"), line, "decision")
                    self._field(ui.select(EFFECTS, value=line.effect, label="then"), line, "effect")
                    self._field(ui.input("options or formula", value=line.value).style("flex: 2"), line, "value")
                    for icon, text, up in (("arrow_upward", "up", True), ("delete", "remove", False)):
                        button = ui.button(icon=icon, on_click=lambda n=number, up=up: self._take(n, up))
                        button.props(f'flat round dense aria-label="{text} rule {number + 1}"')

    @staticmethod
    def _field(field: Any, line: Line, name: str) -> None:
        field.props("dense").on_value_change(lambda event: setattr(line, name, str(event.value or "")))

    def _save(self) -> None:
        otherwise = str(self.otherwise.value or "").strip()
        about = {key: value for key, value in self._about.items() if key != "otherwise"}
        about |= {"otherwise": otherwise} if otherwise else {}
        game, name = self.session.form.loaded, str(self.name.value or "")
        try:
            path = save_rules(self.session.folder, name, game, self.lines, about, self._seat)
        except SimlabError as fault:
            self.fault.text = str(fault)
            return
        self.dialog.close()
        self._use(self._seat, path.name if path.parent == Path.cwd() else str(path))
