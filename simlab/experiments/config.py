"""Experiment files: a designer's question as TOML, validated when it is read.

    experiment = load_experiment("experiments/simple_siege_walls.toml", overrides=["sally_penalty=2"])
    for cell in cells(experiment): ...

A file's tables: [experiment] (name, game, games a cell, seed, question), [bots] (a seat's bot, or a list:
all match-ups), [knobs], [vary], [cards], [contract], [stop]; and `extends = "base.toml"` on top. Whatever is
wrong is a UserMistake that names file, table and key, and says what is allowed.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from decimal import Decimal, DecimalException
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, WithJsonSchema

from simlab.errors import UserMistake, nearest
from simlab.experiments.design import (
    MAX_CELLS,
    METHODS,
    SAMPLED,
    Axis,
    Point,
    neighbourhood,
    points,
    read_axis,
    saltelli,
    show_point,
    show_value,
    shown,
)
from simlab.game import Game, Knob, KnobValue, Tables, read_toml
from simlab.runs.place import mark_of
from simlab.runs.store import MOST_SHARD

MOST_GAMES = 10**12  #: games of one cell
MOST_SEED = 2**63 - 1
MOST_BOTS = 1_000  #: bots named for one seat
_MOST_BASES = 20  # files that extend each other
_TEXT = 4_000  # characters of a question
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,78}[A-Za-z0-9_-])?")
_FORMAT = 1  # of Experiment.resolved


# --- What may stand in a file -------------------------------------------------


def _whole(low: int, high: int, what: str) -> Callable[[object], int]:
    """Reads 2000, 2_000, 2e3 and their text."""

    def read(value: object) -> int:
        bad = ValueError(f"{shown(value)} is not allowed: {what}")
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise bad
        if isinstance(value, int):
            number = Decimal(value)
        else:
            try:
                number = Decimal(str(value).strip().replace("_", ""))
            except DecimalException:
                raise bad from None
        # The range first: an exponent may stand for more digits than memory holds.
        if not number.is_finite() or not low <= number <= high or number != number.to_integral_value():
            raise bad
        return int(number)

    return read


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= 1e15:
        raise ValueError(f"{shown(value)} is not allowed: it takes a number")
    return float(value)


def _half_width(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 1e-6 <= value < 0.5:
        raise ValueError(
            f"{shown(value)} is not allowed: precision is half the width of the win rate's interval, "
            "0.000001 to 0.5; 0.01 stands for plus or minus 1 %"
        )
    return float(value)


def _name(value: object) -> str:
    if isinstance(value, str) and _NAME.fullmatch(value):
        return value
    hint = f" Write '{slug(value)}'." if isinstance(value, str) and slug(value) else ""
    raise ValueError(
        f"{shown(value)} is not allowed: a name is the name of a folder, 1 to 80 letters, digits, '-', '_' "
        f"and '.' that begin with a letter or digit.{hint}"
    )


def _text(what: str, longest: int = _TEXT) -> Callable[[object], str]:
    def read(value: object) -> str:
        if not isinstance(value, str) or len(value) > longest:
            raise ValueError(f"{shown(value)} is not allowed: {what}")
        return value

    return read


def _filled(what: str) -> Callable[[object], str]:
    def read(value: object) -> str:
        if not isinstance(value, str) or not value.strip() or len(value) > _TEXT or "\0" in value:
            raise ValueError(f"{shown(value)} is not allowed: {what}")
        return value.strip()

    return read


def _bot_list(value: object) -> list[str]:
    texts = value if isinstance(value, list) else [value]
    if not texts:
        raise ValueError('[] is empty: name a bot, a list of bots, or "*" for all that can take the seat')
    if len(texts) > MOST_BOTS:
        raise ValueError(f"{len(texts):,} bots are too many: name {MOST_BOTS:,} at most")
    read = _filled('it takes a bot as text, as "random" or "rusher:threshold=0.5", or a list of them, or "*"')
    return [read(text) for text in texts]


def _method(value: object) -> str:
    if value in METHODS:
        return str(value)
    hint = nearest(value, METHODS) if isinstance(value, str) else f"Known: {', '.join(METHODS)}."
    raise ValueError(f"{shown(value)} is not allowed. {hint}")


_GAMES = f"it takes a whole number in 1..{MOST_GAMES:g}, as 2_000 or 1e6"
_SCALAR = {"type": ["integer", "number", "boolean", "string"]}
_RANGE = {
    "oneOf": [
        {"type": "array", "minItems": 1, "items": _SCALAR},
        {"type": "string", "description": "3..7, 3..9:2, 0.2..0.6:0.1, 2,4,8 or *"},
        {
            "type": "object",
            "additionalProperties": False,
            "required": ["grid"],
            "properties": {"grid": {"type": "array", "minItems": 1, "items": _SCALAR}},
        },
        {
            "type": "object",
            "additionalProperties": False,
            "required": ["low", "high"],
            "properties": {"low": {"type": "number"}, "high": {"type": "number"}, "step": {"type": "number"}},
        },
    ]
}
_BOTS = {
    "oneOf": [
        {"type": "string", "minLength": 1},
        {"type": "array", "minItems": 1, "items": {"type": "string", "minLength": 1}},
    ]
}


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ExperimentTable(_Table):
    """What is asked, of which game, and how many games are played."""

    name: Annotated[str, BeforeValidator(_name), Field(description="name of the folder under results/")] = ""
    game: Annotated[
        str,
        BeforeValidator(_filled("it takes the slug of a game, or the path of its folder")),
        Field(description="slug of the game, or the path of its folder"),
    ]
    players: Annotated[
        int,
        BeforeValidator(_whole(0, 99, "it takes a number of players")),
        Field(description="size of the table, for a game with a variable number of players; 0: the usual one"),
    ] = 0
    games: Annotated[
        int,
        BeforeValidator(_whole(1, MOST_GAMES, _GAMES)),
        Field(description="games a cell"),
        WithJsonSchema({"type": ["integer", "number", "string"], "minimum": 1}),
    ] = 10_000
    seed: Annotated[
        int,
        BeforeValidator(_whole(0, MOST_SEED, "it takes a whole number in 0..2^63-1")),
        Field(description="the same seed gives the same luck in every cell"),
        WithJsonSchema({"type": "integer", "minimum": 0, "maximum": MOST_SEED}),
    ] = 1
    question: Annotated[
        str,
        BeforeValidator(_text(f"it takes a text of at most {_TEXT:,} characters")),
        Field(description="what the designer wants to know"),
    ] = ""
    row_limit: Annotated[
        int,
        BeforeValidator(_whole(0, MOST_GAMES, "it takes a whole number of games, 0 or more")),
        Field(description="with more games than this in all, exact histograms are kept and no row a game"),
    ] = 100_000_000
    shard_games: Annotated[
        int,
        BeforeValidator(_whole(1, MOST_SHARD, f"it takes a whole number in 1..{MOST_SHARD:,}")),
        Field(description="games a shard: one file, one worker"),
    ] = 50_000


class Vary(_Table):
    """The knobs that vary, and how: any other key is a knob."""

    model_config = ConfigDict(extra="allow", frozen=True)
    __pydantic_extra__: dict[str, Annotated[Any, WithJsonSchema(_RANGE)]]

    method: Annotated[
        str,
        BeforeValidator(_method),
        Field(
            description="grid: all combinations; list: row by row; lhs, sobol: drawn points; one_at_a_time: each "
            "value with all else unchanged; saltelli: the design of Sobol's indices"
        ),
        WithJsonSchema({"enum": list(METHODS)}),
    ] = "grid"
    points: Annotated[
        int | None,
        BeforeValidator(_whole(1, MAX_CELLS, f"it takes a whole number in 1..{MAX_CELLS:,}")),
        Field(
            description="points that lhs, sobol and saltelli draw; a power of two for the last two, of which saltelli "
            "takes 32 or more"
        ),
        WithJsonSchema({"type": "integer", "minimum": 1, "maximum": MAX_CELLS}),
    ] = None


_Number = Annotated[float | None, BeforeValidator(_number), WithJsonSchema({"type": "number"})]


class Goal(_Table):
    """What the designer wants of a figure: `target` and `margin`, or one or both of `min` and `max`."""

    target: _Number = None
    margin: _Number = None
    min: _Number = None
    max: _Number = None

    @property
    def low(self) -> float:
        """Least figure that meets the goal, -inf for none."""
        if self.target is not None and self.margin is not None:
            return self.target - self.margin
        return float("-inf") if self.min is None else self.min

    @property
    def high(self) -> float:
        """Greatest figure that meets the goal, inf for none."""
        if self.target is not None and self.margin is not None:
            return self.target + self.margin
        return float("inf") if self.max is None else self.max


class Stop(_Table):
    """When a cell has had enough: after `games` it goes on, shard by shard, until it is precise."""

    precision: Annotated[
        float,
        BeforeValidator(_half_width),
        Field(description="half width of the win rate's interval that is precise enough"),
        WithJsonSchema({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 0.5}),
    ]
    max_games: Annotated[
        int,
        BeforeValidator(_whole(1, MOST_GAMES, _GAMES)),
        Field(description="the most games a cell: it goes on past `games` until it is precise"),
        WithJsonSchema({"type": ["integer", "number", "string"], "minimum": 1}),
    ]


class Tournament(_Table):
    """Bots that meet, each in every seat that it can take; a seat named in [bots] has its own."""

    bots: Annotated[
        list[str],
        BeforeValidator(_bot_list),
        Field(description='bots, or "*" for all'),
        WithJsonSchema(_BOTS),
    ] = Field(default_factory=lambda: ["*"])
    match_ups: Annotated[
        int | None,
        BeforeValidator(_whole(1, MAX_CELLS, f"it takes a whole number in 1..{MAX_CELLS:,}")),
        Field(description="draw so many match-ups, each bot about equally often; without it all are played"),
        WithJsonSchema({"type": "integer", "minimum": 1, "maximum": MAX_CELLS}),
    ] = None


class ExperimentFile(_Table):
    """An experiment of simlab."""

    extends: Annotated[str | None, Field(description="a file that this one adds to, relative to it")] = None
    experiment: ExperimentTable
    bots: Annotated[
        dict[str, Annotated[list[str], BeforeValidator(_bot_list), WithJsonSchema(_BOTS)]],
        Field(
            description='seat = bot, or a list of bots, or "*": all match-ups are played; "*" = bot for all other seats'
        ),
    ] = Field(default_factory=dict)
    tournament: Tournament | None = None
    knobs: Annotated[
        dict[str, Annotated[Any, WithJsonSchema(_SCALAR)]], Field(description="knobs set for all cells")
    ] = Field(default_factory=dict)
    vary: Vary | None = None
    cards: Annotated[
        dict[str, Annotated[str, BeforeValidator(_filled("it takes the path of a CSV file"))]],
        Field(description="component table = CSV file in its place, relative to this file"),
    ] = Field(default_factory=dict)
    contract: Annotated[dict[str, Goal], Field(description="figure = what the designer wants of it")] = Field(
        default_factory=dict
    )
    stop: Stop | None = None


_TABLES = [name for name in ExperimentFile.model_fields if name != "extends"]
_MODELS: dict[str, type[_Table]] = {"experiment": ExperimentTable, "vary": Vary, "stop": Stop, "tournament": Tournament}


# --- An experiment, ready to be played ----------------------------------------


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """An experiment in which every name and value is known to be right.

    Attributes:
        game: as the user wrote it. game_ref: its slug, or the absolute path of its folder.
        games: games a cell; with a [stop] a cell may go on up to `most_games`.
        bots: seat -> bots as the user wrote them, every seat, in the game's order.
        bot_refs: the same bots as `simlab.registry.load_bot` reads them from any folder.
        knobs: those set for all cells.
        method, rows: how the points were made, and the points: one empty point where nothing varies.
        space: what stood in [vary] for each knob.
        points: how many points were asked of a method that draws.
        sequence: with saltelli, the place in `rows` of each point of the design, in SALib's order.
        tournament: whether it compares bots. match_ups: how many match-ups are drawn out of all; None for all.
        cards: table -> file as the user wrote it. card_files: the same as absolute paths.
        contract: figure -> goal; `contract_figures` lists the figures.
        source: the file it was read from.
        mark: what a shell or a notebook changed in that file, as the end of the default folder's name.
    """

    name: str
    game: str
    game_ref: str
    games: int
    seed: int
    question: str
    row_limit: int
    shard_games: int
    bots: dict[str, tuple[str, ...]]
    bot_refs: dict[str, tuple[str, ...]]
    knobs: Point
    method: str
    rows: tuple[Point, ...]
    space: dict[str, Any] = field(compare=False)
    points: int | None
    cards: dict[str, str]
    card_files: dict[str, Path]
    contract: dict[str, Goal]
    stop: Stop | None
    source: Path | None = field(default=None, compare=False)
    sequence: tuple[int, ...] = ()
    tournament: bool = False
    match_ups: int | None = None
    mark: str = field(default="", compare=False)

    @property
    def varied(self) -> tuple[str, ...]:
        """Names of the knobs that vary."""
        return tuple(self.rows[0])

    @property
    def _drawn(self) -> dict[str, int]:
        return {} if self.match_ups is None else {"match_ups": self.match_ups}

    @property
    def most_games(self) -> int:
        """Games that a cell plays at most."""
        return self.stop.max_games if self.stop else self.games

    def load_game(self) -> Game:
        """The game.

        Raises:
            UserMistake: it is not there any more.
        """
        from simlab.registry import load_game

        return load_game(self.game_ref)

    def knob_base(self) -> Point:
        """All knobs: default, swapped table's value, or the one set; varied: the first."""
        game = self.load_game()
        tables = game.read_tables(self.card_files) if self.card_files else None
        return game.resolve_knobs({**self.knobs, **self.rows[0]}, tables)

    def resolved(self) -> dict[str, Any]:
        """The experiment with all that follows from the file spelled out; JSON-able, in a fixed order.

        `Experiment.from_resolved` makes the same experiment of it, with the same points, whatever the
        versions of the libraries that drew them. `files` holds the absolute paths of what was named by a
        path; `defaults` the knobs that are neither set nor varied.
        """
        vary: dict[str, Any] | None = None
        if self.varied:
            vary = {"method": self.method, "knobs": list(self.varied)}
            if self.method == "grid":
                vary["values"] = {n: list(dict.fromkeys(row[n] for row in self.rows)) for n in self.varied}
            else:
                vary |= {"rows": [list(row.values()) for row in self.rows]}
            if self.method in SAMPLED:
                vary |= {"points": self.points, "space": self.space}
            if self.method == "one_at_a_time":
                vary |= {"space": self.space}
            if self.sequence:
                vary |= {"sequence": list(self.sequence)}
        files: dict[str, Any] = {}
        if self.game_ref != self.game or "/" in self.game_ref:  # an absolute path stands for itself
            files["game"] = self.game_ref
        pairs = {seat: dict(zip(self.bots[seat], self.bot_refs[seat], strict=True)) for seat in self.bots}
        named = {seat: {t: ref for t, ref in refs.items() if ref != t} for seat, refs in pairs.items()}
        if any(named.values()):
            files["bots"] = {seat: refs for seat, refs in named.items() if refs}
        if self.card_files:
            files["cards"] = {name: str(path) for name, path in self.card_files.items()}
        base = self.knob_base()
        return {
            "format": _FORMAT,
            "experiment": {
                "name": self.name, "game": self.game, "games": self.games, "seed": self.seed,
                "question": self.question, "row_limit": self.row_limit, "shard_games": self.shard_games,
            },
            "bots": {seat: list(texts) for seat, texts in self.bots.items()},
            "knobs": dict(self.knobs),
            "defaults": {n: v for n, v in base.items() if n not in self.knobs and n not in self.varied},
            "vary": vary,
            "cards": dict(self.cards),
            "contract": {name: goal.model_dump(exclude_none=True) for name, goal in self.contract.items()},
            "stop": self.stop.model_dump(exclude_none=True) if self.stop else None,
            "files": files,
        } | ({"tournament": self._drawn} if self.tournament else {})  # fmt: skip

    @classmethod
    def from_resolved(cls, data: Mapping[str, Any]) -> Experiment:
        """The experiment that `resolved` spelled out. Loads the game and the bots, which runs their code.

        Raises:
            UserMistake: not of that form, or the game, a bot or a table does not fit any more.
        """
        label = "resolved.json"
        if not isinstance(data, Mapping) or data.get("format") != _FORMAT:
            raise UserMistake(f"{label}: is not an experiment of this version of simlab (format {_FORMAT}).")
        try:
            draft = _Draft()
            files = data["files"]
            for table in ("experiment", "bots", "tournament", "knobs", "cards", "contract", "stop"):
                entries = data.get(table) if table == "tournament" else data[table]
                if table == "tournament" and entries == {}:
                    draft.tables[table] = {}
                for key, value in (entries or {}).items():
                    known = files.get(table, {}).get(key)
                    if table == "bots":
                        known = known or {}
                    elif table == "experiment" and key == "game":
                        known = files.get("game")
                    draft.put(table, key, value, _Origin(label, Path(), known))
            vary = data["vary"]
            if vary is not None:
                origin = _Origin(label, Path())
                draft.put("vary", "method", vary["method"], origin)
                names = vary["knobs"]  # in their order, which a JSON object need not keep
                if "rows" in vary:
                    draft.rows = [dict(zip(names, row, strict=True)) for row in vary["rows"]]
                    draft.sequence = tuple(int(place) for place in vary.get("sequence", ()))
                space = vary.get("values") or vary.get("space")
                if space is None:
                    space = {name: [row[name] for row in draft.rows or []] for name in names}
                for name in names:
                    draft.put("vary", name, space[name], origin)
                if vary.get("points") is not None:
                    draft.put("vary", "points", vary["points"], origin)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as fault:
            raise UserMistake(f"{label}: is damaged or not simlab's ({type(fault).__name__}: {fault}).") from None
        return _finish(draft)

    def to_toml(self) -> str:
        """A file without `extends` that gives the same experiment from any folder: its paths are absolute."""
        import tomli_w

        out: dict[str, Any] = {"experiment": {"name": self.name, "game": self.game_ref, "games": self.games}}
        out["experiment"] |= {"seed": self.seed, "question": self.question}
        out["experiment"] |= {"row_limit": self.row_limit, "shard_games": self.shard_games}
        out["bots"] = {s: refs[0] if len(refs) == 1 else list(refs) for s, refs in self.bot_refs.items()}
        if self.tournament:
            out["tournament"] = self._drawn
        if self.knobs:
            out["knobs"] = dict(self.knobs)
        if self.varied:
            asked = {} if self.points is None else {"points": self.points}
            space = {name: _one_line(given) for name, given in self.space.items()}
            out["vary"] = {"method": self.method, **asked, **space}
        if self.card_files:
            out["cards"] = {name: str(path) for name, path in self.card_files.items()}
        if self.contract:
            out["contract"] = {name: goal.model_dump(exclude_none=True) for name, goal in self.contract.items()}
        if self.stop:
            out["stop"] = self.stop.model_dump(exclude_none=True)
        return tomli_w.dumps(out)


def _one_line(given: object) -> object:
    """What stands in [vary] without a table: TOML writes tables last, but the order of the knobs counts."""
    if not isinstance(given, Mapping):
        return given
    if "grid" in given:
        return given["grid"]
    step = f":{given['step']}" if "step" in given else ""
    return f"{given['low']}..{given['high']}{step}"


# --- Reading ------------------------------------------------------------------


def load_experiment(
    path: str | Path,
    overrides: Sequence[str] | Mapping[str, object] = (),
    vary: Sequence[str] | Mapping[str, object] = (),
    bots: Mapping[str, str | Sequence[str]] | None = None,
    games: int | str | None = None,
    seed: int | str | None = None,
    name: str | None = None,
    cards: Sequence[str] | Mapping[str, str | Path] = (),
) -> Experiment:
    """Reads an experiment file, and what a shell or a notebook changes in it.

    Args:
        path: the file, or the name of a ready experiment (`ready_experiments`).
        overrides: knobs, as `["walls_start=6"]` or `{"walls_start": 6}`; they replace those of [knobs].
        vary: ranges, as `["walls_start=3..7"]` or `{"walls_start": [3, 5]}`; they replace those of [vary],
            whose `method` and `points` can be given in the same way.
        bots: seat -> bot or bots, in place of that seat's in the file.
        games, seed, name: in place of the file's.
        cards: tables, as `["counters=my.csv"]`. These and bots have paths relative to the working folder.
    Raises:
        UserMistake: anything of it is wrong; the message names file, table and key, and says what is allowed.
    """
    draft = _read_file(_find_file(path), [])
    draft.source = _find_file(path)
    before = {table: dict(held) for table, held in draft.tables.items() if isinstance(held, dict)}
    _change(draft, overrides, vary, bots, games, seed, name, cards)
    return replace(_finish(draft), mark=_mark(before, draft))


def _mark(before: Mapping[str, Mapping[str, object]], draft: _Draft) -> str:
    """The mark of what was changed in a file; more games are the same question, and so is a wider range."""
    changes = {}
    for table in ("bots", "knobs", "vary", "cards", "experiment"):
        for key, value in (draft.tables.get(table) or {}).items():
            if table == "experiment" and key != "seed":
                continue
            if _texts(before.get(table, {}).get(key)) != _texts(value):
                said = [Path(str(value)).name] if table == "cards" else _texts(value)
                changes[key] = "" if table == "vary" else ",".join(said)
    return mark_of(changes)


def _texts(value: object) -> list[str]:
    return [str(item) for item in (value if isinstance(value, list) else [value])]


def new_experiment(
    game: str,
    overrides: Sequence[str] | Mapping[str, object] = (),
    vary: Sequence[str] | Mapping[str, object] = (),
    bots: Mapping[str, str | Sequence[str]] | None = None,
    games: int | str | None = None,
    seed: int | str | None = None,
    name: str | None = None,
    cards: Sequence[str] | Mapping[str, str | Path] = (),
    question: str = "",
    contract: Mapping[str, Mapping[str, float]] | None = None,
    stop: Mapping[str, float] | None = None,
    default_bot: str | None = None,
    tournament: Mapping[str, object] | None = None,
) -> Experiment:
    """An experiment without a file: arguments as for `load_experiment`, and

    Args:
        game: slug of a game, or the path of its folder.
        contract, stop, tournament: as the tables of a file.
        default_bot: for seats that `bots` leaves out; without it they are an error.
    Raises:
        UserMistake: as `load_experiment`.
    """
    draft = _Draft()
    draft.put("experiment", "game", game, _Origin("", Path.cwd()))
    draft.put("experiment", "question", question, _Origin("", Path.cwd()))
    draft.default_bot = default_bot
    if tournament is not None:
        draft.tables["tournament"] = {}
    for table, entries in (("contract", contract), ("stop", stop), ("tournament", tournament)):
        for key, value in (entries or {}).items():
            draft.put(table, key, _plain(value), _Origin(table, Path.cwd()))
    _change(draft, overrides, vary, bots, games, seed, name, cards)
    return _finish(draft)


def ready_experiments() -> dict[str, Path]:
    """The experiments that come with the lab, by name."""
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "ready", package.parent / "experiments"):
        if folder.is_dir():
            return {path.stem: path for path in sorted(folder.glob("*.toml"))}
    return {}


def read_assignments(items: Sequence[str], flag: str, example: str) -> dict[str, str]:
    """`NAME=VALUE` texts of a shell as a dict.

    Args:
        flag: the option they came by, as `--set`. example: one that is right, for the message.
    Raises:
        UserMistake: no '=', no name, or a name that comes twice.
    """
    found: dict[str, str] = {}
    for item in items:
        name, equals, value = item.partition("=")
        name = name.strip()
        if not equals or not name:
            raise UserMistake(f"{flag} {item}: write {example}.")
        if name in found:
            raise UserMistake(f"{flag} {item}: {name} was given already, as {name}={found[name]}. Give it once.")
        found[name] = value.strip()
    return found


def read_bot_options(items: Sequence[str]) -> dict[str, list[str]]:
    """`--bot` options as seat -> bots: `besieger=rusher:threshold=0.5`.

    Several bots of a seat are parted by commas, or come by naming the seat again.

    Raises:
        UserMistake: no '=', or no bot.
    """
    found: dict[str, list[str]] = {}
    for item in items:
        seat, equals, texts = item.partition("=")
        named = [text.strip() for text in texts.split(",")]
        if not equals or not seat.strip() or not all(named):
            raise UserMistake(f"--bot {item}: write SEAT=BOT, as --bot besieger=random or besieger=random,waiter.")
        found.setdefault(seat.strip(), []).extend(named)
    return found


def contract_figures(game: Game) -> dict[str, str]:
    """What a [contract] can name: figure -> what it is. Rates are in 0..1.

    Of quantiles the usual ones are listed; a contract may ask for p1 to p99.
    """
    from simlab.stats.verdict import contract_names, figure_name, figures_of

    words = {f"{seat}_win": f"share of the games that {seat} wins" for seat in game.seats}
    words |= {f"ending_{ending}": f"share of the games that end by {ending}" for ending in game.endings}
    words |= {"draw_rate": "share of the games without a single winner"}
    words |= {"seat_gap": "greatest win rate of a seat less the least"}
    for name, measure in game.measures.items():
        about = f": {measure.help}" if measure.help else ""
        words |= {figure: f"{what}{about}" for figure, what in figures_of(name, measure).items()}
    return {
        name: words.get(name, figure_name(name)) for name in contract_names(game.seats, game.endings, game.measures)
    }


def json_schema(game: Game | None = None) -> dict[str, Any]:
    """JSON Schema of an experiment file, for editors.

    Args:
        game: with it, the seats, bots, knobs, tables and figures of that game are known too.
    """
    schema = ExperimentFile.model_json_schema()
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "title": "simlab experiment",
    }
    # A file that extends another may leave out what the other says.
    schema.pop("required", None)
    schema["$defs"]["ExperimentTable"].pop("required", None)
    schema["anyOf"] = [{"required": ["experiment"]}, {"required": ["extends"]}]
    if game is None:
        return schema
    from simlab.registry import bots_for

    def closed(named: Mapping[str, Any], text: str) -> dict[str, Any]:
        return {
            "type": "object",
            "description": text,
            "additionalProperties": False,
            "properties": dict(named),
        }

    top = schema["properties"]
    seats: dict[str, Any] = {"*": _BOTS}
    seats |= {seat: {**_BOTS, "examples": ["*", *bots_for(game, seat)]} for seat in game.seats}
    top["bots"] = closed(seats, top["bots"]["description"])
    top["knobs"] = closed({n: _knob_schema(k) for n, k in game.knobs.items()}, top["knobs"]["description"])
    top["cards"] = closed({t.name: {"type": "string"} for t in game.tables}, top["cards"]["description"])
    goals = {n: {"$ref": "#/$defs/Goal", "description": text} for n, text in contract_figures(game).items()}
    percents = "^(" + "|".join(name for name, measure in game.measures.items() if not measure.codes) + ")_p[1-9][0-9]?$"
    top["contract"] = closed(goals, top["contract"]["description"])
    top["contract"]["patternProperties"] = {percents: {"$ref": "#/$defs/Goal"}}
    vary = schema["$defs"]["Vary"]
    vary["additionalProperties"] = False
    vary["properties"] |= {n: {**_RANGE, "description": f"{k.help}: {k.allowed}"} for n, k in game.knobs.items()}
    return schema


def _knob_schema(knob: Knob) -> dict[str, Any]:
    about = {"description": knob.help, "default": knob.default}
    if knob.kind == "bool":
        return {"type": "boolean", **about}
    if knob.kind == "choice":
        return {"enum": list(knob.options), **about}
    kind = "integer" if knob.kind == "int" else "number"
    return {"type": kind, "minimum": knob.low, "maximum": knob.high, **about}


def slug(text: str) -> str:
    """The text as a name for a folder; empty where nothing of it can stay."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "_", text).strip("._-")[:80].rstrip("._-")


# --- From files and options to one draft --------------------------------------


@dataclass(frozen=True)
class _Origin:
    """Where a key was said: file or option, the folder that paths are relative to, paths known already."""

    label: str
    folder: Path
    known: Any = None

    def at(self, table: str) -> str:
        """What to name in an error."""
        return f"{self.label} [{table}]" if self.label.endswith((".toml", ".json")) else self.label


class _Draft:
    """Tables as they were said, and where each key was."""

    def __init__(self) -> None:
        self.tables: dict[str, Any] = {}
        self.origins: dict[tuple[str, str], _Origin] = {}
        self.main = _Origin("", Path.cwd())  # what to blame for what is missing
        self.rows: list[dict[str, Any]] | None = None  # points drawn earlier
        self.sequence: tuple[int, ...] = ()
        self.default_bot: str | None = None
        self.source: Path | None = None

    def put(self, table: str, key: str, value: object, origin: _Origin) -> None:
        held = self.tables.get(table)
        if not isinstance(held, dict):
            held = self.tables[table] = {}
        held[key] = value
        self.origins[table, key] = origin

    def origin(self, table: str, key: str = "") -> _Origin:
        return self.origins.get((table, key)) or self.origins.get((table, "")) or self.main

    def at(self, table: str, key: str = "") -> str:
        return self.origin(table, key).at(table)


def _find_file(path: str | Path) -> Path:
    """The file, or the ready experiment of that name."""
    asked, ready = Path(path), ready_experiments()
    if str(path) in ready:  # a name: a file that merely has it, without a suffix, does not stand in for it
        return ready[str(path)]
    _probe(asked, str(path))
    if asked.is_file():
        return asked
    if asked.exists() and not (asked / "__init__.py").exists():
        raise UserMistake(f"{path}: is not a file. Give an experiment file (TOML).")
    from simlab.registry import find_games

    if str(path) in find_games() or (asked / "__init__.py").exists():
        raise UserMistake(f"{path}: is a game, not an experiment file. Play it with `simlab sweep {path}`.")
    near = asked.parent if asked.parent.is_dir() else Path()
    known = [str(p) for p in sorted(near.glob("*.toml"))] + list(ready)
    raise UserMistake(f"{path}: there is no such file. {nearest(str(path), known)}")


def _read_file(path: Path, chain: list[Path]) -> _Draft:
    """A file laid over those that it extends."""
    real = path.resolve()
    if real in chain:
        loop = " -> ".join(p.name for p in [*chain[chain.index(real) :], real])
        raise UserMistake(f"{path}: extends goes round in a circle: {loop}. Take one `extends` out.")
    if len(chain) >= _MOST_BASES:
        raise UserMistake(f"{path}: more than {_MOST_BASES} files extend each other. Join some of them.")
    try:
        raw = read_toml(path)
    except ValueError as fault:  # a number of more digits than Python reads
        raise UserMistake(f"{path}: is not TOML: {fault}.") from None
    origin = _Origin(str(path), path.parent)
    base = raw.pop("extends", None)
    draft = _Draft()
    if base is not None:
        if not isinstance(base, str) or not base.strip() or "\0" in base:
            raise UserMistake(f"{path}: extends = {shown(base)} is not allowed: it takes the path of a TOML file.")
        below = path.parent / base
        _probe(below, base)
        if not below.is_file():
            known = [p.name for p in sorted(path.parent.glob("*.toml")) if p.name != path.name]
            raise UserMistake(f"{path}: extends = '{base}': there is no such file. {nearest(base, known)}")
        draft = _read_file(below, [*chain, real])
    draft.main = origin
    for table, entries in raw.items():
        if not isinstance(entries, dict):
            draft.tables[table] = entries
            draft.origins[table, ""] = origin
            continue
        if not isinstance(draft.tables.get(table), dict):
            draft.tables[table] = {}
        if table == "bots" and "*" in entries:
            draft.tables[table] = {}  # for all seats, those that the file below names too
        draft.origins.setdefault((table, ""), origin)
        for key, value in entries.items():
            draft.put(table, key, value, origin)
    return draft


def _change(
    draft: _Draft,
    overrides: Sequence[str] | Mapping[str, object],
    vary: Sequence[str] | Mapping[str, object],
    bots: Mapping[str, str | Sequence[str]] | None,
    games: int | str | None,
    seed: int | str | None,
    name: str | None,
    cards: Sequence[str] | Mapping[str, str | Path],
) -> None:
    """Lays over a draft what a shell or a notebook said."""
    here = Path.cwd()
    for table, given, flag, example in (
        ("knobs", overrides, "--set", "KNOB=VALUE, as --set walls=6"),
        ("vary", vary, "--vary", "KNOB=RANGE, as --vary walls=3..7"),
        ("cards", cards, "--cards", "TABLE=FILE, as --cards counters=my.csv"),
    ):
        if isinstance(given, str):
            raise UserMistake(f"{table} = '{given}': give a list of texts, or a dict.")
        if isinstance(given, Mapping):
            label, entries = table, dict(given)
        else:
            label, entries = flag, dict(read_assignments(given, flag, example))
        for key, value in entries.items():
            draft.put(table, str(key), _plain(value), _Origin(label, here))
    if bots and "*" in bots:
        draft.tables.pop("bots", None)  # for all seats, those that the file names too
    for seat, texts in (bots or {}).items():
        draft.put("bots", str(seat), _plain(texts), _Origin("bots", here))
    for key, value in (("games", games), ("seed", seed), ("name", name)):
        if value is not None:
            draft.put("experiment", key, _plain(value), _Origin(key, here))


def _plain(value: object) -> object:
    """A notebook's value as TOML would give it: ranges, tuples, arrays as lists, numbers as Python's."""
    if isinstance(value, Path):
        return str(value)
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, range) and len(value) > MAX_CELLS:
        raise UserMistake(f"{value}: has {len(value):,} values; an experiment has {MAX_CELLS:,} cells at most.")
    if isinstance(value, list | tuple | range):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    return value


# --- From a draft to an experiment --------------------------------------------


def _finish(draft: _Draft) -> Experiment:
    from simlab.registry import load_game, with_table

    file = _validate(draft)
    table = file.experiment
    game_ref = _game_ref(table.game, draft.origin("experiment", "game"))
    game_name = table.game
    if table.players:
        game_ref, game_name = (with_table(text, table.players) for text in (game_ref, game_name))
    with _named(_blame(draft, "experiment", "players" if table.players else "game")):
        game = load_game(game_ref)
    file = _spread_bots(draft, file, game)
    cards, tables = _read_cards(draft, file, game)
    knobs = _read_knobs(draft, file, game, tables)
    axes = _read_axes(draft, file, game, tables, knobs)
    rows, sequence = _read_rows(draft, file, game, axes, tables)
    _check_points(draft, game, tables, knobs, rows)
    bots, refs = _read_bots(draft, file, game)
    _check_contract(draft, file, game)
    _check_stop(draft, file)
    name = table.name or slug(draft.source.stem if draft.source else game.slug) or "experiment"
    return Experiment(
        name=name,
        game=game_name,
        game_ref=game_ref,
        games=table.games,
        seed=table.seed,
        question=table.question,
        row_limit=table.row_limit,
        shard_games=table.shard_games,
        bots=bots,
        bot_refs=refs,
        knobs=knobs,
        method=file.vary.method if file.vary else "grid",
        rows=rows,
        space=dict(file.vary.__pydantic_extra__ or {axis.knob.name: list(axis.values) for axis in axes})
        if file.vary
        else {},
        points=file.vary.points if file.vary else None,
        cards=dict(file.cards),
        card_files=cards,
        contract=dict(file.contract),
        stop=file.stop,
        source=draft.source,
        sequence=sequence,
        tournament=file.tournament is not None,
        match_ups=file.tournament.match_ups if file.tournament else None,
    )


def _blame(draft: _Draft, table: str, key: str) -> str:
    """Where to look: `walls.toml [bots] besieger`."""
    at = draft.at(table, key)
    return f"{at} {key}" if at and at != key else key


@contextmanager
def _named(where: str) -> Iterator[None]:
    """Says where the value stood that something below refused."""
    try:
        yield
    except UserMistake as fault:
        raise UserMistake(f"{where}: {fault}") from fault


def _validate(draft: _Draft) -> ExperimentFile:
    """The tables in their own types."""
    if "experiment" not in draft.tables:
        misplaced = next((key for key in draft.tables if key not in ExperimentFile.model_fields), None)
        if misplaced:
            raise _unknown_table(draft, misplaced)
        at = f"{draft.main.label}: " if draft.main.label else ""
        raise UserMistake(f'{at}the table [experiment] is missing. It names the game: game = "simple_siege".')
    for table, entries in draft.tables.items():
        for key, value in entries.items() if isinstance(entries, dict) else [("", entries)]:
            huge = _huge_number(value)
            if huge is not None:
                named = f"{draft.at(table, key)}: {key or table}"
                raise UserMistake(f"{named} = {shown(huge)} is not allowed: no key takes a number of over 64 bits.")
    try:
        return ExperimentFile.model_validate(draft.tables)
    except ValidationError as fault:
        told = [_explain(draft, error) for error in fault.errors(include_url=False)]
        raise UserMistake("\n".join(str(one) for one in told[:10])) from None


def _huge_number(value: object) -> int | None:
    """A whole number in it that no key takes, before anything makes a float of it or writes its digits."""
    if isinstance(value, int):
        return value if value.bit_length() > 64 else None
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return next((huge for huge in map(_huge_number, inside) if huge is not None), None)


def _unknown_table(draft: _Draft, key: str) -> UserMistake:
    at = draft.origin(key).label
    hint = nearest(key, _TABLES)
    for table in ("experiment", "vary", "stop"):
        if key in _MODELS[table].model_fields:
            hint = f"It belongs under [{table}]."
    return UserMistake(f"{at}: unknown table or key '{key}'. {hint}")


def _explain(draft: _Draft, error: Mapping[str, Any]) -> UserMistake:
    """One of pydantic's errors, with file, table, key and what is allowed."""
    place = [str(part) for part in error["loc"]]
    table, key = place[0], place[1] if len(place) > 1 else ""
    at, kind = draft.at(table, key), error["type"]
    if kind == "extra_forbidden" and len(place) == 1:
        return _unknown_table(draft, table)
    if kind == "extra_forbidden":
        model: type[_Table] = Goal if table == "contract" else _MODELS[table]
        named = f"{key}: " if table == "contract" else ""
        return UserMistake(f"{at}: {named}unknown key '{place[-1]}'. {nearest(place[-1], model.model_fields)}")
    if kind == "missing":
        allowed = _MODELS[table].model_fields[place[-1]].description
        return UserMistake(f"{at or table}: '{place[-1]}' is missing: {allowed}.")
    if kind == "value_error":
        about = f"{at}: " if at and at != key else ""
        return UserMistake(f"{about}{' '.join(place[1:])} = {error['ctx']['error']}".rstrip(".") + ".")
    if len(place) == 1:
        return UserMistake(
            f"{draft.origin(table).label}: {table} = {shown(error['input'])} is not allowed: it is a table, [{table}]."
        )
    if table == "contract" and len(place) == 2:
        return UserMistake(
            f"{at}: {key} = {shown(error['input'])} is not allowed: "
            "a figure takes {target = .., margin = ..} or {min = .., max = ..}."
        )
    return UserMistake(f"{at}: {' '.join(place[1:])} = {shown(error['input'])} is not allowed: {error['msg']}.")


def _anchor(text: str, origin: _Origin, kind: str) -> Path:
    """A path of the user's as an absolute one."""
    try:
        path = Path(text).expanduser()
    except RuntimeError:
        raise UserMistake(f"{text}: there is no such home folder. Write the path in full.") from None
    full = Path(os.path.abspath(origin.folder / path))
    _probe(full, text)
    if kind == "bot" and ":" in str(full):
        raise UserMistake(f"{full}: a bot's file cannot lie under a folder with ':' in its name. Move or rename it.")
    return full


def _probe(full: Path, text: str) -> None:
    """Refuses a path that the system will not look at: too long, going round, or in a closed folder."""
    try:
        os.stat(full)
    except (FileNotFoundError, NotADirectoryError):
        pass  # whoever reads it says so, with a hint
    except (OSError, ValueError) as fault:  # ValueError: a zero byte in the name
        raise UserMistake(f"{shown(text)}: cannot be read ({getattr(fault, 'strerror', fault)}).") from None


def _game_ref(text: str, origin: _Origin) -> str:
    """The slug, or the folder's absolute path."""
    from simlab.registry import split_table, with_table

    if origin.known:
        return str(origin.known)
    name, players = split_table(text)
    if "/" in name or os.sep in name or name in (".", ".."):
        return with_table(str(_anchor(name, origin, "game")), players)
    _probe(Path(text), text)  # a slug may also be the name of a folder here
    return text


def _bot_ref(text: str, origin: _Origin) -> str:
    """The bot's text, with the path of a user's file made absolute."""
    if origin.known is not None:
        return str(origin.known.get(text, text))
    head, colon, rest = text.partition(":")
    if not head.strip().endswith(".py"):
        return text
    return f"{_anchor(head.strip(), origin, 'bot')}{colon}{rest}"


def _read_cards(draft: _Draft, file: ExperimentFile, game: Game) -> tuple[dict[str, Path], Tables | None]:
    """The swapped tables' files, and all tables; None where none is swapped."""
    found: dict[str, Path] = {}
    for name, text in file.cards.items():
        origin = draft.origin("cards", name)
        with _named(_blame(draft, "cards", name)):
            schema = game.table(name)
            path = Path(origin.known) if origin.known else _anchor(text, origin, "table")
            if path.exists() and not path.is_file():
                raise UserMistake(f"{path}: is not a file. A table is a CSV file.")
            schema.read(path)
        found[name] = path
    if not found:
        return found, None
    tables = game.read_tables(found)
    with _named(_blame(draft, "cards", next(iter(found)))):
        game.pack_cards(tables)
    return found, tables


def _read_knobs(draft: _Draft, file: ExperimentFile, game: Game, tables: Tables | None) -> Point:
    """The knobs that are set, in their own types."""
    knobs: Point = {}
    for name, value in file.knobs.items():
        where = draft.at("knobs", name)
        knob = _knob(game, name, where, tables)
        if isinstance(value, list | dict):
            raise UserMistake(
                f"{where}: {name} = {shown(value)} is not allowed: {name} takes {knob.allowed}. "
                "Several values belong in [vary]."
            )
        knobs[name] = knob.parse(value, where)
    if tables is not None:  # a default out of a swapped table has a range too
        with _named(_blame(draft, "cards", next(iter(file.cards)))):
            _defaults(game, tables)
    return knobs


def _defaults(game: Game, tables: Tables | None) -> Point:
    return {name: knob.default for name, knob in game.knobs_with(tables).items()}


def _knob(game: Game, name: str, where: str, tables: Tables | None) -> Knob:
    knobs = game.knobs_with(tables)
    if name not in knobs:
        raise UserMistake(f"{where}: {game.slug} has no knob '{name}'. {nearest(name, knobs)}")
    return knobs[name]


def _read_axes(
    draft: _Draft, file: ExperimentFile, game: Game, tables: Tables | None, set_: Mapping[str, KnobValue]
) -> list[Axis]:
    """The knobs that vary."""
    if file.vary is None:
        return []
    vary, space = file.vary, file.vary.__pydantic_extra__
    if not space and vary.method == "one_at_a_time":
        knobs = game.knobs_with(tables)
        steps, _ = neighbourhood(game, {**_defaults(game, tables), **set_}, set(knobs) - set(set_), knobs=knobs)
        return [Axis(knobs[name], tuple(values)) for name, values in steps.items()]
    if not space:
        raise UserMistake(
            f"{draft.at('vary', 'method')}: names no knob. Write one with what it takes, as "
            f"{_sweep_example(game)}, or leave [vary] out."
        )
    for name in space:
        if name in file.knobs:
            set_at, varied_at = draft.at("knobs", name), draft.at("vary", name)
            raise UserMistake(
                f"{name} is set ({set_at}) and varied ({varied_at}): it cannot be both. Take it out of "
                f"one of them; one value in place of a range: --vary {name}={show_value(file.knobs[name])}."
            )
    at = draft.at("vary", "points" if vary.points is not None else "method")
    if vary.method in SAMPLED and vary.points is None:
        raise UserMistake(f'{at}: method = "{vary.method}" needs points, the number of points to draw: points = 64.')
    if vary.method not in SAMPLED and vary.points is not None:
        raise UserMistake(f'{at}: points is for method = "lhs" and "sobol"; this is "{vary.method}". Take points out.')
    from simlab.stats.sensitivity import FEWEST

    if vary.method == "saltelli" and vary.points is not None and vary.points < FEWEST:
        raise UserMistake(
            f"{at}: points = {vary.points} is not allowed: Sobol's indices of so few base points say nothing. "
            f"Write {FEWEST} or {2 * FEWEST}."
        )
    if vary.method in ("sobol", "saltelli") and vary.points is not None and vary.points & (vary.points - 1):
        below = 1 << (vary.points.bit_length() - 1)
        raise UserMistake(
            f"{at}: points = {vary.points} is not allowed: a Sobol sequence is balanced at powers of two. "
            f"Write {below} or {2 * below}."
        )
    axes = []
    for name, given in space.items():
        where = draft.at("vary", name)
        axes.append(read_axis(_knob(game, name, where, tables), given, where, vary.method))
    return axes


def _sweep_example(game: Game) -> str:
    for knob in game.knobs.values():
        if knob.kind == "int" and knob.low < knob.high:
            return f'{knob.name} = "{knob.low:g}..{knob.high:g}"'
    return 'knob = "*"'


def _read_rows(
    draft: _Draft, file: ExperimentFile, game: Game, axes: list[Axis], tables: Tables | None
) -> tuple[tuple[Point, ...], tuple[int, ...]]:
    """The points, one empty one where nothing varies; and with saltelli the place of each of its points."""
    if file.vary is None:
        return ({},), ()
    names = [axis.knob.name for axis in axes]
    if draft.rows is None:
        method, number, seed = file.vary.method, file.vary.points or 0, file.experiment.seed
        rows = points(axes, method, number, seed, draft.at("vary"), _defaults(game, tables))
        if method != "saltelli":
            return rows, ()
        place = {tuple(row.values()): i for i, row in enumerate(rows)}
        return rows, tuple(place[row] for row in saltelli(axes, number, seed))
    if not 1 <= len(draft.rows) <= MAX_CELLS:
        raise UserMistake(f"{draft.at('vary')}: {len(draft.rows):,} points; there are 1 to {MAX_CELLS:,}.")
    if any(not 0 <= place < len(draft.rows) for place in draft.sequence):
        raise UserMistake(f"{draft.at('vary')}: its sequence names a point that is not there.")
    knobs = game.knobs_with(tables)
    drawn = ({name: knobs[name].parse(row[name], draft.at("vary")) for name in names} for row in draft.rows)
    return tuple(drawn), draft.sequence


def _check_points(draft: _Draft, game: Game, tables: Tables | None, knobs: Point, rows: tuple[Point, ...]) -> None:
    """Refuses points whose knobs contradict each other."""
    defaults = _defaults(game, tables)
    first: tuple[Point, list[str]] | None = None
    bad = 0
    for row in rows:
        faults = game.check_knobs({**defaults, **knobs, **row})
        if faults:
            bad += 1
            first = first or (row, faults)
    if first is None:
        return
    row, faults = first
    why = " ".join(faults)
    if not row:
        at = " and ".join(dict.fromkeys(draft.at("knobs", name) for name in knobs)) or draft.main.label
        raise UserMistake(f"{at}: {why}" if at else why)
    where = " and ".join(dict.fromkeys(draft.at("vary", name) for name in row))
    raise UserMistake(
        f"{where}: {bad:,} of {len(rows):,} points contradict themselves, the first at "
        f"{', '.join(show_point(row))}: {why} Narrow a range, set another knob so that all fit, or name "
        'only the points that fit, with method = "list".'
    )


def _read_bots(
    draft: _Draft, file: ExperimentFile, game: Game
) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """The bots of every seat: as they were written, and as they load from any folder."""
    for seat in file.bots:
        if seat not in game.seats:
            at = draft.at("bots", seat)
            raise UserMistake(f"{at}: {game.slug} has no seat '{seat}'. {nearest(seat, game.seats)}")
    named = _tournament_bots(draft, file, game)
    missing = [seat for seat in game.seats if seat not in named]
    if missing and draft.default_bot is None:
        at = f"{draft.at('bots')}: " if draft.at("bots") else ""
        raise UserMistake(
            f'{at}no bot for {" and ".join(missing)}. Name one, as {missing[0]} = "random" under [bots] or '
            f"--bot {missing[0]}=random."
        )
    bots, refs = {}, {}
    for seat in game.seats:
        table, key = ("bots", seat) if seat in file.bots or file.tournament is None else ("tournament", "bots")
        origin = draft.origin(table, key)
        with _named(_blame(draft, table, key)):
            pairs = _bots_of(game, seat, named.get(seat, [draft.default_bot or ""]), origin)
        bots[seat], refs[seat] = tuple(text for text, _ in pairs), tuple(ref for _, ref in pairs)
    return bots, refs


def _spread_bots(draft: _Draft, file: ExperimentFile, game: Game) -> ExperimentFile:
    """The file with the bots of "*" named for each seat that has none of its own."""
    if "*" not in file.bots:
        return file
    named = dict(file.bots)
    texts = named.pop("*")
    for seat in game.seats:
        if seat not in named:
            named[seat] = texts
            draft.origins["bots", seat] = draft.origin("bots", "*")
    return file.model_copy(update={"bots": named})


def _tournament_bots(draft: _Draft, file: ExperimentFile, game: Game) -> dict[str, list[str]]:
    """The bots named for each seat; those of a tournament in each seat that they can take."""
    if file.tournament is None or set(file.bots) == set(game.seats):
        return file.bots
    from simlab.experiments.tournament import round_robin

    origin = draft.origin("tournament", "bots")
    with _named(_blame(draft, "tournament", "bots")):
        able = round_robin(game, file.tournament.bots, file.bots, lambda text: _bot_ref(text, origin))
    return {**able, **file.bots}


def _bots_of(game: Game, seat: str, texts: list[str], origin: _Origin) -> list[tuple[str, str]]:
    """Pairs of (as written, as it loads), `*` spelled out, each bot once."""
    from simlab.registry import bots_for, load_bot

    named = itertools.chain.from_iterable(bots_for(game, seat) if text == "*" else [text] for text in texts)
    pairs: list[tuple[str, str]] = []
    seen: dict[Any, str] = {}
    for text in named:
        ref = _bot_ref(text, origin)
        bot = load_bot(game, seat, ref)
        same = (bot.policy.module, bot.policy.name, bot.traits.tobytes())
        if same in seen:
            first = seen[same]
            told = f"'{text}' stands there twice" if first == text else f"'{first}' and '{text}' are the same bot"
            raise UserMistake(f"{told}. Name each bot once.")
        if text in (other for other, _ in pairs):
            raise UserMistake(f"'{text}' stands there twice. Name each bot once.")
        seen[same] = text
        pairs.append((text, ref))
    return pairs


def _check_contract(draft: _Draft, file: ExperimentFile, game: Game) -> None:
    from simlab.stats.verdict import is_share, quantile_of, why_not

    known = contract_figures(game)
    for figure, goal in file.contract.items():
        at = draft.at("contract", figure)
        asked = quantile_of(figure)
        if reason := why_not(figure, game.measures):
            raise UserMistake(f"{at}: {reason}")
        if figure not in known and not (asked and asked[0] in game.measures):
            raise UserMistake(f"{at}: {game.slug} has no figure '{figure}'. {nearest(figure, known)}")
        said = goal.model_dump(exclude_none=True)
        if set(said) != {"target", "margin"} and not (said and set(said) <= {"min", "max"}):
            told = ", ".join(said) or "nothing"
            raise UserMistake(
                f"{at}: {figure} has {told}. A figure takes {{target = .., margin = ..}} or "
                "{min = .., max = ..}, of the latter one or both."
            )
        if goal.margin is not None and goal.margin <= 0:
            raise UserMistake(f"{at}: {figure}: margin = {goal.margin:g} is not allowed: a margin is above 0.")
        if goal.min is not None and goal.max is not None and goal.min > goal.max:
            raise UserMistake(f"{at}: {figure}: min = {goal.min:g} is above max = {goal.max:g}: nothing can meet that.")
        if is_share(figure):
            for key in ("target", "min", "max"):
                value = said.get(key)
                if value is not None and not 0 <= value <= 1:
                    raise UserMistake(
                        f"{at}: {figure}: {key} = {value:g} is not allowed: a share is in 0..1; 50 % is 0.5."
                    )


def _check_stop(draft: _Draft, file: ExperimentFile) -> None:
    stop, games = file.stop, file.experiment.games
    if stop is not None and stop.max_games < games:
        at, games_at = draft.at("stop", "max_games"), draft.at("experiment", "games")
        raise UserMistake(
            f"{at}: max_games = {stop.max_games:,} is below games = {games:,} ({games_at}). A cell plays "
            "`games` and goes on to `max_games` until it is precise: raise the one or lower the other."
        )
