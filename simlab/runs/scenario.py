"""Scenarios: one game as a TOML file, with its random draws, its decisions and the expected results.

    scenario = load_scenario("montsegur_sample_turn")
    for move in scenario.moves(stepper := scenario.stepper()):
        stepper.apply(move.action)

A file's tables: [scenario] (game, title, source, seed, index), [knobs], [cards], [start] and a [[step]] for each
decision. A step has `do` (an action's label, the unique beginning of a label, or the action's number), and may have
`seat` (the seat that must be asked), `draws` (loaded dice: stream -> outcomes of its next draws, from 0), `comment` and
`expect`; [start] takes the last three. `expect` is the expected result: a text or list of texts is compared with the
game's `describe` of the whole position, `{ has = [..] }` names some items of a list, and numbers are tracks or fields
of the state record; after the end also `winner`, `ending` and the row's numbers. Loaded draws that are never made are
an error.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from simlab.engine.outcome import winner_words, won
from simlab.errors import BotFault, InputError, SimlabError, check_keys, nearest
from simlab.game import LOADED, read_toml
from simlab.spec.draft import ready_experiments

if TYPE_CHECKING:
    from simlab.engine.stepper import Stepper

_KEYS = {
    "scenario": ("game", "title", "source", "seed", "index"),
    "start": ("draws", "comment", "expect"),
    "step": ("do", "seat", "draws", "comment", "expect"),
}
_TABLES = ("scenario", "knobs", "cards", "start", "step")
_MISSING = object()


class ScenarioBroken(SimlabError):
    """Play differs from the results that a scenario's file expects."""

    exit_code = 1


@dataclass(frozen=True)
class Step:
    """One entry of a scenario: a decision, or the set-up."""

    where: str  #: the place to name in an error, such as `my.toml, step 3`
    do: str | int | None = None  #: label, unique beginning of a label, or number of the action; None: set-up
    seat: str = ""  #: the seat that must be asked, or ""
    draws: Mapping[str, list[int]] = field(default_factory=dict)  #: stream -> outcomes of its next draws
    comment: str = ""
    expect: Mapping[str, Any] = field(default_factory=dict)  #: name -> text(s), {"has": texts}, or number(s)


@dataclass(frozen=True)
class Move:
    """The next action, with its entry in the file."""

    action: int
    comment: str


@dataclass(frozen=True)
class Scenario:
    """A scenario as read from its file; nothing has been played yet."""

    path: Path
    game: str
    title: str
    source: str
    seed: int
    index: int
    knobs: Mapping[str, object]
    cards: Mapping[str, Path]
    start: Step
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
            return Stepper(match, self.seed, self.index, self.start.draws)
        except (InputError, BotFault) as fault:
            raise InputError(f"{self.start.where}, draws: {_why(fault)}") from None

    def moves(self, stepper: Stepper) -> Iterator[Move]:
        """The steps in turn. The expected result of a step is checked when the next step is requested.

        Raises:
            InputError: an impossible step; the message names file and entry, and the possible ones.
            ScenarioBroken: a result differs; the message names file, entry and all differences.
        """
        _check(self.start, stepper)
        for step in self.steps:
            if stepper.over:
                raise InputError(f"{step.where}: the game is over. Take this step and those after it out.")
            if step.seat and step.seat != stepper.seat:
                raise InputError(f"{step.where}: seat = {step.seat}, but {_asked(stepper)}.")
            action = _action(step, stepper)
            try:
                for stream, values in step.draws.items():
                    stepper.force(stream, *values)
                stepper.copy().apply(action)  # a draw out of range leaves the game in the middle of a step
            except (InputError, BotFault) as fault:
                raise InputError(f"{step.where}, draws: {_why(fault)}") from None
            yield Move(action, step.comment)
            _check(step, stepper)
        left = _left_draws(stepper)
        if left:
            raise InputError(f"{self.path}: loaded, but never drawn: {left}. Take these draws out, or play on.")


def _why(fault: Exception) -> str:
    """The kernel's message if it refused a forced draw outside its range."""
    return str(fault.__cause__ if isinstance(fault.__cause__, ValueError) else fault)


def _asked(stepper: Stepper) -> str:
    return f"{stepper.seat} is asked for: {stepper.decision.name}"


def _action(step: Step, stepper: Stepper) -> int:
    legal = stepper.legal()
    labels = {stepper.label(action): action for action in legal}
    if isinstance(step.do, int) and step.do in legal:
        return step.do
    if isinstance(step.do, str):
        if step.do in labels:
            return labels[step.do]
        fitting = [action for label, action in labels.items() if label.startswith(step.do)]
        if len(fitting) == 1:
            return fitting[0]
    known = "\n".join(f"  {action:>3}  {label}" for label, action in labels.items())
    raise InputError(
        f"{step.where}: do = {step.do!r} is none of the legal actions, or the beginning of several "
        f"({_asked(stepper)}). Write a number, a label or its unique beginning:\n{known}"
    )


def _left_draws(stepper: Stepper) -> str:
    state = stepper.state
    if state.forced_n >= LOADED:  # weighted dice, which stay
        return ""
    streams = [*(f"bot_{seat}" for seat in stepper.game.seats), "redraw", *stepper.game.streams]
    pairs = zip(state.forced_stream[: state.forced_n], state.forced_value[: state.forced_n], strict=True)
    return ", ".join(f"{streams[int(stream)]} {int(value)}" for stream, value in pairs)


# --- Expected results -------------------------------------------------------------


def _check(step: Step, stepper: Stepper) -> None:
    if not step.expect:
        return
    texts: dict[str, Any] = dict(stepper.describe())
    numbers: dict[str, Any] = {name: _plain(stepper.state[name]) for name in stepper.game.state.names or ()}
    numbers |= stepper.tracks()
    if stepper.over:
        _add_row(texts, numbers, stepper)
    faults = []
    for name, wanted in step.expect.items():
        some = wanted["has"] if isinstance(wanted, dict) else None
        among = texts if some is not None or _is_text(wanted) else numbers
        there = among.get(name, _MISSING)
        if there is _MISSING:
            kind = "text" if among is texts else "number"
            raise InputError(f"{step.where}, expect: there is no {kind} '{name}'. {nearest(name, among)}")
        if some is None:
            right = list(there) == wanted if isinstance(there, tuple) else there == wanted
        else:
            right = all(thing in there for thing in some)
        if not right:
            faults.append(f"  {name} is\n    {_shown(there)}\n  not\n    {_shown(some or wanted)}")
    if faults:
        raise ScenarioBroken(f"{step.where} comes out otherwise than expected:\n" + "\n".join(faults))


def _is_text(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(v, str) for v in value))


def _plain(value: Any) -> Any:
    return np.asarray(value).tolist()


def _shown(value: object) -> str:
    return "\n    ".join(value) if isinstance(value, tuple | list) and _is_text([*value]) else str(value)


def _add_row(texts: dict[str, Any], numbers: dict[str, Any], stepper: Stepper) -> None:
    row, game = stepper.row(), stepper.game
    texts |= {"winner": winner_words(game)[row["winner"]], "ending": game.endings[row["ending"]]}
    texts["winners"] = tuple(seat for place, seat in enumerate(game.seats) if won(row, place))
    numbers |= row


# --- Reading ----------------------------------------------------------------------


def ready_scenarios() -> dict[str, Path]:
    """The scenarios that come with the lab, by name."""
    return ready_experiments("scenarios")


def load_scenario(path: str | Path) -> Scenario:
    """Reads a scenario file, or a ready one by its name; InputError, with file and entry, if its form is wrong."""
    file = _find(path)
    data = read_toml(file)
    for name in data:
        if name not in _TABLES:
            raise InputError(f"{file}: unknown table '{name}'. {nearest(name, _TABLES)}")
    head = _table(data.get("scenario", {}), "scenario", f"{file} [scenario]")
    if "game" not in head:
        raise InputError(f"{file} [scenario]: 'game' is missing: the slug of a game, or the path of its folder.")
    steps = data.get("step", [])
    if not isinstance(steps, list):
        raise InputError(f"{file}: write [[step]], with two brackets, for each step.")
    game = _text(head, "game", f"{file} [scenario]")
    if "/" in game or os.sep in game or game.startswith("."):
        game = str(file.parent / game)
    cards = _of_tables(data, "cards", file)
    return Scenario(
        path=file,
        game=game,
        title=_text(head, "title", f"{file} [scenario]") or file.stem,
        source=_text(head, "source", f"{file} [scenario]"),
        seed=_whole(head, "seed", f"{file} [scenario]", 1),
        index=_whole(head, "index", f"{file} [scenario]", 0),
        knobs=_of_tables(data, "knobs", file),
        cards={name: file.parent / _text(cards, name, f"{file} [cards]") for name in cards},
        start=_step(data.get("start", {}), "start", f"{file} [start]"),
        steps=tuple(_step(entry, "step", f"{file}, step {n}") for n, entry in enumerate(steps, start=1)),
    )


def _find(path: str | Path) -> Path:
    asked, ready = Path(path), ready_scenarios()
    if str(path) in ready:
        return ready[str(path)]
    if asked.is_file():
        return asked
    raise InputError(f"{path}: there is no such scenario file, and no ready one. {nearest(str(path), ready)}")


def _of_tables(data: Mapping[str, Any], name: str, file: Path) -> dict[str, Any]:
    table = data.get(name, {})
    if not isinstance(table, dict):
        raise InputError(f"{file}: [{name}] is a table.")
    return table


def _table(value: object, kind: str, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"{where}: is a table with {', '.join(_KEYS[kind])}.")
    check_keys(value, _KEYS[kind], where)
    return value


def _text(table: Mapping[str, Any], key: str, where: str) -> str:
    value = table.get(key, "")
    if not isinstance(value, str):
        raise InputError(f"{where}, {key} = {value}: write a text in quotation marks.")
    return value


def _whole(table: Mapping[str, Any], key: str, where: str, default: int) -> int:
    value = table.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 63:
        raise InputError(f"{where}, {key} = {value}: write a whole number in 0..2^63-1.")
    return value


def _step(value: object, kind: str, where: str) -> Step:
    entry = _table(value, kind, where)
    do = entry.get("do")
    if kind == "step" and (isinstance(do, bool) or not isinstance(do, str | int)):
        raise InputError(f"{where}: 'do' is missing: the label or the number of an action.")
    if isinstance(do, str):
        where += f" ({do})"
    draws = entry.get("draws", {})
    if not isinstance(draws, dict) or not all(_is_numbers(values) for values in draws.values()):
        raise InputError(f"{where}, draws: write stream = [outcomes, from 0], as fate = [2, 0].")
    expect = entry.get("expect", {})
    if not isinstance(expect, dict):
        raise InputError(f"{where}, expect: write name = value.")
    for name, wanted in expect.items():
        if isinstance(wanted, dict) and (list(wanted) != ["has"] or not _is_texts(wanted["has"])):
            raise InputError(f"{where}, expect, {name}: write a value, or {{ has = [texts] }}.")
    return Step(where, do, _text(entry, "seat", where), draws, _text(entry, "comment", where), expect)


def _is_numbers(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(v, int) and not isinstance(v, bool) for v in value)


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and bool(value) and _is_text(value)
