"""Scenarios: one game as a TOML file, with its random draws, its decisions and the expected results.

    scenario = load_scenario("montsegur_sample_turn")
    for move in scenario.moves(stepper := scenario.stepper()):
        stepper.apply(move.action)

A file's tables: [scenario] (game, title, source, seed, index), [knobs], [cards], [start] and a [[step]] for each
decision. A step has `do` (an action's label, the unique beginning of a label, or the action's number), and may have
`seat` (the seat that must be asked), `draws` (loaded dice: stream -> its next results, as Stepper.give takes them),
`comment` and `expect`; [start] takes the last three, and `fields`, the position in which play starts. `expect` is the
expected result: a text or list of texts is compared with the game's `describe` of the whole position, `{ has = [..] }`
names some items of a list, and numbers are tracks or fields of the state record; after the end also `winner`, `ending`
and the row's numbers. Loaded draws that are never made are an error.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from simlab.engine.outcome import winner_words, won
from simlab.errors import BotFault, InputError, SimlabError, nearest
from simlab.game import read_toml
from simlab.spec.draft import ready_experiments

if TYPE_CHECKING:
    from simlab.engine.stepper import Stepper

_MISSING = object()


class ScenarioBroken(SimlabError):
    """Play differs from the results that a scenario's file expects."""

    exit_code = 1


# --- The tables of a file. The description of a field ends the message if its value is wrong. ---


def _is_text(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(v, str) for v in value))


def _expected(wanted: Any) -> Any:
    if isinstance(wanted, dict) and (list(wanted) != ["has"] or not wanted["has"] or not _is_text(wanted["has"])):
        raise ValueError("write a value, or { has = [texts] }.")
    return wanted


def _draws(draws: Mapping[str, Any]) -> Mapping[str, list[int | str]]:
    if not all(
        isinstance(values, list) and all(type(one) in (int, str) for one in values) for values in draws.values()
    ):
        raise ValueError('write stream = [results], as fate = [2, 0] or bag = ["ruby"].')
    return draws


_Text = Annotated[str, Field(description="write a text in quotation marks.")]
_Whole = Annotated[int, Field(ge=0, lt=1 << 63, description="write a whole number in 0..2^63-1.")]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _Part(_Table):
    """Results of draws by stream, and expected results by name."""

    draws: Annotated[dict[str, Any], AfterValidator(_draws)] = {}
    comment: _Text = ""
    expect: dict[str, Annotated[Any, AfterValidator(_expected)]] = {}


class Start(_Part):
    """The set-up. fields: values of fields by name, set when the first question is asked."""

    fields: dict[str, Any] = {}


class Step(_Part):
    """A decision: label, unique beginning of a label, or number of the action. seat: the seat to act, or "" for any."""

    do: str | int = Field(description="the label or the number of an action.")
    seat: _Text = ""


class _About(_Table):
    game: _Text = Field(description="the slug of a game, or the path of its folder.")
    title: _Text = ""
    source: _Text = ""
    seed: _Whole = 1
    index: _Whole = 0


class _File(_Table):
    scenario: _About
    knobs: dict[str, Any] = {}
    cards: dict[str, _Text] = {}
    start: Start = Start()
    step: list[Step] = []


_MODELS: dict[str, type[BaseModel]] = {"scenario": _About, "start": Start, "step": Step}

# --- Play ---


@dataclass(frozen=True)
class Move:
    """The next action, with its entry in the file."""

    action: int
    comment: str


class Scenario(_About):
    """A scenario as read from its file; nothing has been played yet."""

    path: Path
    knobs: dict[str, Any]
    cards: dict[str, Path]
    start: Start
    steps: tuple[Step, ...]

    @property
    def expectations(self) -> int:
        """Number of expected results in the file."""
        return sum(len(step.expect) for step in (self.start, *self.steps))

    def stepper(self) -> Stepper:
        """The game, set up with the first draws loaded; InputError: no such game, knob, table, stream or draw."""
        from simlab.engine.match import Match
        from simlab.engine.stepper import Stepper
        from simlab.registry import load_game

        try:
            game = load_game(self.game)
            match = Match(game, knobs=self.knobs, tables=self.cards, bots=dict.fromkeys(game.seats, "random"))
        except InputError as fault:
            raise InputError(f"{self.path}: {fault}") from None
        try:
            return Stepper(match, self.seed, self.index, draws=self.start.draws, fields=self.start.fields)
        except (InputError, BotFault) as fault:
            raise InputError(f"{self.path} [start]: {_why(fault)}") from None

    def moves(self, stepper: Stepper) -> Iterator[Move]:
        """The steps in turn. The expected result of a step is checked when the next step is requested.

        Raises:
            InputError: an impossible step; the message names file and entry, and lists the possible actions.
            ScenarioBroken: a result differs; the message names file, entry and all differences.
        """
        _check(f"{self.path} [start]", self.start, stepper)
        for number, step in enumerate(self.steps, start=1):
            where = f"{self.path}, step {number}" + (f" ({step.do})" if isinstance(step.do, str) else "")
            if stepper.over:
                raise InputError(f"{where}: the game is over. Take this step and those after it out.")
            if step.seat and step.seat != stepper.seat:
                raise InputError(f"{where}: seat = {step.seat}, but {_asked(stepper)}.")
            try:
                action = stepper.action_named(step.do)
            except InputError as fault:
                raise InputError(f"{where}: do = {fault}") from None
            try:
                stepper.give(step.draws)
                stepper.copy().apply(action)  # a draw out of range leaves the game in the middle of a step
            except (InputError, BotFault) as fault:
                raise InputError(f"{where}, draws: {_why(fault)}") from None
            yield Move(action, step.comment)
            _check(where, step, stepper)
        left = stepper.undrawn()
        if left:
            listed = ", ".join(left)
            raise InputError(f"{self.path}: loaded, but never drawn: {listed}. Take these draws out, or play on.")


def _why(fault: Exception) -> str:
    """The kernel's message if it refused a forced draw outside its range."""
    return str(fault.__cause__ if isinstance(fault.__cause__, ValueError) else fault)


def _asked(stepper: Stepper) -> str:
    return f"{stepper.seat} is asked for: {stepper.decision.name}"


# --- Expected results -------------------------------------------------------------


def _check(where: str, step: _Part, stepper: Stepper) -> None:
    if not step.expect:
        return
    texts: dict[str, Any] = dict(stepper.describe())
    state, game = stepper.state, stepper.game
    numbers: dict[str, Any] = {name: np.asarray(state[name]).tolist() for name in game.state.names or ()}
    numbers |= stepper.tracks()
    if stepper.over:
        row = stepper.row()
        numbers |= row
        texts |= {"winner": winner_words(game)[row["winner"]], "ending": game.endings[row["ending"]]}
        texts["winners"] = tuple(seat for place, seat in enumerate(game.seats) if won(row, place))
    faults = []
    for name, wanted in step.expect.items():
        some = wanted["has"] if isinstance(wanted, dict) else None
        among = texts if some is not None or _is_text(wanted) else numbers
        there = among.get(name, _MISSING)
        if there is _MISSING:
            kind = "text" if among is texts else "number"
            raise InputError(f"{where}, expect: there is no {kind} '{name}'. {nearest(name, among)}")
        if some is None:
            right = list(there) == wanted if isinstance(there, tuple) else there == wanted
        else:
            right = all(thing in there for thing in some)
        if not right:
            faults.append(f"  {name} is\n    {_shown(there)}\n  not\n    {_shown(some or wanted)}")
    if faults:
        raise ScenarioBroken(f"{where} comes out otherwise than expected:\n" + "\n".join(faults))


def _shown(value: object) -> str:
    return "\n    ".join(value) if isinstance(value, tuple | list) and _is_text([*value]) else str(value)


# --- Reading ----------------------------------------------------------------------


def ready_scenarios() -> dict[str, Path]:
    """The scenarios that come with the lab, by name."""
    return ready_experiments("scenarios")


def load_scenario(path: str | Path) -> Scenario:
    """Reads a scenario file, or a ready one by its name; InputError, with file and entry, if its form is wrong."""
    ready = ready_scenarios()
    file = ready.get(str(path), Path(path))
    if not file.is_file():
        raise InputError(f"{path}: there is no such scenario file, and no ready one. {nearest(str(path), ready)}")
    data = read_toml(file)
    try:
        tables = _File.model_validate({"scenario": {}, **data})
    except ValidationError as fault:
        raise _mistake(file, fault) from None
    about, game = tables.scenario, tables.scenario.game
    if "/" in game or os.sep in game or game.startswith("."):
        game = str(file.parent / game)
    named = dict(about) | {"game": game, "title": about.title or file.stem}
    cards = {name: file.parent / text for name, text in tables.cards.items()}
    return Scenario(path=file, knobs=tables.knobs, cards=cards, start=tables.start, steps=tuple(tables.step), **named)


def _mistake(file: Path, fault: ValidationError) -> InputError:
    """The first of pydantic's errors as a message with file, entry, key and what to write."""
    error = fault.errors(include_url=False)[0]
    table, *place = error["loc"]
    if not place and error["type"] == "extra_forbidden":
        return InputError(f"{file}: unknown table '{table}'. {nearest(str(table), _File.model_fields)}")
    if table == "step" and not place:
        return InputError(f"{file}: write [[step]], with two brackets, for each step.")
    at = f"{file}, step {int(place.pop(0)) + 1}" if table == "step" else f"{file} [{table}]"
    fields = _MODELS[str(table)].model_fields if table in _MODELS else {}
    if not place:
        return InputError(f"{at}: is a table{' with ' if fields else ''}{', '.join(fields)}.")
    key = str(place[0])
    if error["type"] == "extra_forbidden":
        return InputError(f"{at}: unknown key '{key}'. {nearest(key, fields)}")
    hint = fields[key].description if key in fields else "write a text in quotation marks."
    if error["type"] == "missing" or key == "do":
        return InputError(f"{at}: '{key}' is missing: {hint}")
    if error["type"] == "value_error":
        return InputError(f"{at}, {', '.join(map(str, place))}: {error['ctx']['error']}")
    return InputError(f"{at}, {key} = {error['input']}: {hint or 'write name = value.'}")
