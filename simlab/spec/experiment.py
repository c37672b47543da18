"""An experiment: the tables of its file as types, and the values derived from them once games and bots are loaded.

A new key of [experiment] is one field of ExperimentTable.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal, DecimalException
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from simlab.errors import nearest
from simlab.spec.design import MAX_CELLS, METHODS, SAMPLED, Point, shown
from simlab.spec.folder_names import is_portable, slug
from simlab.spec.refs import GameRef

MOST_GAMES = 10**12  #: games of one cell
MOST_SEED = 2**63 - 1
MOST_BOTS = 1_000  #: bots named for one seat
MOST_SHARD = 10_000_000  #: games of one shard, which a worker holds in memory

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,78}[A-Za-z0-9_-])?")
_TEXT = 4_000  # characters of a question


def _whole(low: int, high: int, what: str) -> Callable[[object], int]:
    """Reads 2000, 2_000, 2e3 and their text."""

    def read(value: object) -> int:
        bad = ValueError(f"{shown(value)} is not allowed: {what}")
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise bad
        if isinstance(value, float) and 0 < value < 1000 and value == int(value):  # to many 20.000 is twenty thousand
            raise ValueError(f"{shown(value)} is not allowed: write {value:.0f} without a point, or {value:.0f}_000")
        try:
            number = Decimal(value if isinstance(value, int) else str(value).strip().replace("_", ""))
        except DecimalException:
            raise bad from None
        # Check the range first: an exponent may give more digits than memory holds.
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
            "0.000001 to 0.5; 0.01 means plus or minus 1 %"
        )
    return float(value)


def _name(value: object) -> str:
    if isinstance(value, str) and _NAME.fullmatch(value):
        if not is_portable(value):
            raise ValueError(f"{shown(value)} is not allowed: Windows keeps this name for itself. Write 'my_{value}'.")
        return value
    hint = f" Write '{slug(value)}'." if isinstance(value, str) and slug(value) else ""
    raise ValueError(
        f"{shown(value)} is not allowed: a name is the name of a folder, 1 to 80 letters, digits, '-', '_' "
        f"and '.' that begin with a letter or digit.{hint}"
    )


def _text(value: object) -> str:
    if not isinstance(value, str) or len(value) > _TEXT:
        raise ValueError(f"{shown(value)} is not allowed: it takes a text of at most {_TEXT:,} characters")
    return value


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


def _metric_list(value: object) -> list[str]:
    texts = value if isinstance(value, list) else [value]
    read = _filled('it takes a metric of your own as text, as "./mine.py:longest_lull", or a list of them')
    named = [read(text) for text in texts]
    for text in named:
        if named.count(text) > 1:
            raise ValueError(f"{shown(text)} is given twice")
    return named


def _method(value: object) -> str:
    if value in METHODS:
        return str(value)
    hint = nearest(value, METHODS) if isinstance(value, str) else f"Known: {', '.join(METHODS)}."
    raise ValueError(f"{shown(value)} is not allowed. {hint}")


_SCALAR = {"type": ["integer", "number", "boolean", "string"]}
RANGE = {
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
BOTS = {
    "oneOf": [
        {"type": "string", "minLength": 1},
        {"type": "array", "minItems": 1, "items": {"type": "string", "minLength": 1}},
    ]
}


_Text = Annotated[str, BeforeValidator(_text)]
_Games = Annotated[
    int,
    BeforeValidator(_whole(1, MOST_GAMES, f"it takes a whole number in 1..{MOST_GAMES:g}, as 2_000 or 1e6")),
    WithJsonSchema({"type": ["integer", "number", "string"], "minimum": 1}),
]
_Drawn = Annotated[
    int | None,
    BeforeValidator(_whole(1, MAX_CELLS, f"it takes a whole number in 1..{MAX_CELLS:,}")),
    WithJsonSchema({"type": "integer", "minimum": 1, "maximum": MAX_CELLS}),
]
_Number = Annotated[float | None, BeforeValidator(_number), WithJsonSchema({"type": "number"})]
_Bots = Annotated[list[str], BeforeValidator(_bot_list), WithJsonSchema(BOTS)]


class Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ExperimentTable(Table):
    """The game, the condition, and the number of games."""

    name: Annotated[str, BeforeValidator(_name)] = Field("", description="name of the folder under results/")
    game: Annotated[str, BeforeValidator(_filled("it takes the slug of a game, or the path of its folder"))] = Field(
        description="slug of the game, or the path of its folder"
    )
    players: Annotated[int, BeforeValidator(_whole(0, 99, "it takes a number of players"))] = Field(
        0, description="number of players, for a game with several player counts; 0: the usual one"
    )
    games: _Games = Field(10_000, description="games per cell")
    seed: Annotated[
        int,
        BeforeValidator(_whole(0, MOST_SEED, "it takes a whole number in 0..2^63-1")),
        WithJsonSchema({"type": "integer", "minimum": 0, "maximum": MOST_SEED}),
    ] = Field(1, description="the same seed gives the same random draws in every cell")
    metrics: Annotated[list[str], BeforeValidator(_metric_list), WithJsonSchema(BOTS)] = Field(
        default_factory=list,
        description="metrics of your own, each FILE:NAME relative to this file, or the name of an installed metric",
    )
    question: _Text = Field("", description="what the designer wants to know")
    hypothesis: _Text = Field("", description="what the designer expects, written before the games are played")
    notes: _Text = Field("", description="anything worth keeping with the results")
    row_limit: Annotated[int, BeforeValidator(_whole(0, MOST_GAMES, "it takes a whole number of games, 0 or more"))] = (
        Field(
            100_000_000, description="above this total number of games, exact histograms are kept but no rows of games"
        )
    )
    shard_games: Annotated[
        int, BeforeValidator(_whole(1, MOST_SHARD, f"it takes a whole number in 1..{MOST_SHARD:,}"))
    ] = Field(50_000, description="games per shard: one file, one worker")


class Vary(Table):
    """The knobs that vary, and how they vary: any other key is a knob."""

    model_config = ConfigDict(extra="allow", frozen=True)
    __pydantic_extra__: dict[str, Annotated[Any, WithJsonSchema(RANGE)]]

    method: Annotated[str, BeforeValidator(_method), WithJsonSchema({"enum": list(METHODS)})] = Field(
        "grid",
        description="grid: all combinations; list: row by row; lhs, sobol: drawn points; one_at_a_time: each "
        "value with all else unchanged; saltelli: the design of Sobol's indices; morris: trajectories for "
        "elementary effects",
    )
    points: _Drawn = Field(
        None,
        description="points that lhs, sobol and saltelli draw: a power of two for sobol and saltelli, 64 or more for "
        "saltelli; trajectories of morris: 4 or more",
    )


class Goal(Table):
    """The wanted range of a statistic: `target` and `margin`, or one or both of `min` and `max`."""

    target: _Number = None
    margin: _Number = None
    min: _Number = None
    max: _Number = None


class Stop(Table):
    """When a cell may stop: after `games` games it continues, shard by shard, until it is precise enough."""

    precision: Annotated[
        float,
        BeforeValidator(_half_width),
        WithJsonSchema({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 0.5}),
    ] = Field(description="half width of the win rate's interval at which a cell stops")
    max_games: _Games = Field(description="most games per cell, if it is not precise enough before")


class Tournament(Table):
    """Bots that play each other, each in every seat that it can take. A seat that [bots] names keeps its bots."""

    bots: _Bots = Field(default_factory=lambda: ["*"], description='bots, or "*" for all')
    match_ups: _Drawn = Field(
        None, description="number of match-ups to draw, each bot about equally often; without it all are played"
    )
    ladder: bool = Field(
        False,
        description="the bots of each seat are steps of a ladder, weakest first: each is played by all seats, "
        "and by one seat against the step below in the others",
    )


class Remedies(Table):
    """Single rule changes that are tried in best play after the run. Any other key is a knob with its values."""

    model_config = ConfigDict(extra="allow", frozen=True)
    __pydantic_extra__: dict[str, Annotated[Any, WithJsonSchema(RANGE)]]

    games: Annotated[
        int,
        BeforeValidator(_whole(100, 10_000_000, "it takes a whole number of games, 100 or more")),
        WithJsonSchema({"type": ["integer", "number", "string"], "minimum": 100}),
    ] = Field(1_000, description="games per match-up and change")


class ExperimentFile(Table):
    """An experiment of simlab."""

    extends: str | None = Field(None, description="a file that this one adds to, relative to it")
    experiment: ExperimentTable
    bots: dict[str, _Bots] = Field(
        default_factory=dict,
        description='seat = bot, or a list of bots, or "*": all match-ups are played; "*" = bot for all other seats',
    )
    tournament: Tournament | None = None
    knobs: dict[str, Annotated[Any, WithJsonSchema(_SCALAR)]] = Field(
        default_factory=dict, description="knobs set for all cells"
    )
    vary: Vary | None = None
    cards: dict[str, Annotated[str, BeforeValidator(_filled("it takes the path of a CSV file"))]] = Field(
        default_factory=dict, description="component table = CSV file that replaces it, relative to this file"
    )
    contract: dict[str, Goal] = Field(default_factory=dict, description="statistic = its wanted range")
    stop: Stop | None = None
    remedies: Remedies | None = None


TABLES = [name for name in ExperimentFile.model_fields if name != "extends"]
MODELS: dict[str, type[Table]] = {
    "experiment": ExperimentTable,
    "vary": Vary,
    "stop": Stop,
    "tournament": Tournament,
    "remedies": Remedies,
}


FORMAT = 1  # of Experiment.resolved
_DECIDES_NOTHING = (
    "space",
    "source",
    "mark",
    "hypothesis",
    "notes",
    "remedies",
    "remedy_games",
    "base",
    "players",
)  # of the games that are played


class Experiment(ExperimentTable):
    """An experiment in which every name and value has been checked: the keys of [experiment], and the derived values.

    `game` is as the user wrote it, with the number of players; with a [stop] a cell may continue up to `most_games`.
    """

    game_ref: str  #: slug of the game, or the absolute path of its folder
    bots: dict[str, tuple[str, ...]]  #: seat -> bots as the user wrote them, every seat, in the game's order
    bot_refs: dict[str, tuple[str, ...]]  #: the same as `load_bot` reads them from any folder
    knobs: Point  #: those set for all cells
    method: str  #: how the points were made
    rows: tuple[Point, ...]  #: the points; one empty point if nothing varies
    space: dict[str, Any]  #: the entry of each knob in [vary]
    points: int | None  #: number requested from a method that draws them
    sequence: tuple[int, ...]  #: of saltelli and morris, the place in `rows` of each point of the design, in its order
    tournament: Tournament | None  #: how bots are compared, if they are
    cards: dict[str, str]  #: table -> file as the user wrote it
    card_files: dict[str, Path]  #: the same as absolute paths
    contract: dict[str, Goal]  #: figure -> goal; `simlab info GAME statistics` lists the figures
    stop: Stop | None
    remedies: tuple[Point, ...]  #: single changes of a knob that are tried in best play after the run
    remedy_games: int  #: for each match-up and change
    sizes: tuple[int, ...]  #: numbers of players, ascending, if varied: seats, knobs and bots are those of the largest
    metric_refs: tuple[str, ...]  #: `metrics` as they load from any folder
    base: Point  #: all knobs: as set, as a replaced table has it, or the default; if varied, the first value
    source: Path | None = None  #: the file it was read from
    mark: str = ""  #: changes to that file by options, as the end of the default folder's name

    def replace(self, **changes: Any) -> Experiment:
        """A copy with other values, which must be valid."""
        return self.model_copy(update=changes)

    def __eq__(self, other: object) -> bool:
        """Whether both request the same games."""
        mine, its = (vars(one) if isinstance(one, Experiment) else {} for one in (self, other))
        return bool(its) and all(mine[name] == its[name] for name in mine if name not in _DECIDES_NOTHING)

    __hash__ = None  # type: ignore[assignment]

    @property
    def match_ups(self) -> int | None:
        """How many match-ups are drawn at random; None for all."""
        return self.tournament.match_ups if self.tournament else None

    @property
    def ladder(self) -> bool:
        """Whether the bots of a seat are rungs of a ladder, on which only neighbours meet."""
        return self.tournament is not None and self.tournament.ladder

    @property
    def varied(self) -> tuple[str, ...]:
        """Names of the knobs that vary."""
        return tuple(self.rows[0])

    @property
    def _remedies(self) -> dict[str, Any]:
        values: dict[str, list[Any]] = {}
        for point in self.remedies:
            for name, value in point.items():
                values.setdefault(name, []).append(value)
        return {"games": self.remedy_games, **values}

    @property
    def most_games(self) -> int:
        """Games that a cell plays at most."""
        return self.stop.max_games if self.stop else self.games

    def table_ref(self, players: int | None = None) -> str:
        """The game as `load_game` takes it, with the user's metrics, for `players`; None: the largest number played."""
        players = players or (self.sizes[-1] if self.sizes else None)
        return str(GameRef.parse(self.game_ref).with_players(players).measured(self.metric_refs))

    def resolved(self) -> dict[str, Any]:
        """The experiment with everything derived from the file spelled out; JSON-able, in a fixed order.

        `files` holds the absolute path of every file that the experiment names; `defaults` the knobs that are neither
        set nor varied.
        """
        vary: dict[str, Any] | None = None
        if self.varied:
            vary = {"method": self.method, "knobs": list(self.varied)}
            if self.method == "grid":
                vary["values"] = {n: list(dict.fromkeys(row[n] for row in self.rows)) for n in self.varied}
            else:
                vary["rows"] = [list(row.values()) for row in self.rows]
            if self.method in SAMPLED:
                vary["points"] = self.points
            if self.method in (*SAMPLED, "one_at_a_time"):
                vary["space"] = self.space
            if self.sequence:
                vary["sequence"] = list(self.sequence)
        files: dict[str, Any] = {}
        # An absolute path stays as it is.
        if self.game_ref != self.game or "/" in self.game_ref or os.sep in self.game_ref:
            files["game"] = self.game_ref
        pairs = {seat: dict(zip(self.bots[seat], self.bot_refs[seat], strict=True)) for seat in self.bots}
        named = {seat: {t: ref for t, ref in refs.items() if ref != t} for seat, refs in pairs.items()}
        if any(named.values()):
            files["bots"] = {seat: refs for seat, refs in named.items() if refs}
        if self.card_files:
            files["cards"] = {name: str(path) for name, path in self.card_files.items()}
        own = {text: ref for text, ref in zip(self.metrics, self.metric_refs, strict=True) if ref != text}
        if own:
            files["metrics"] = own
        return {
            "format": FORMAT,
            "experiment": self._about(),
            "bots": {seat: list(texts) for seat, texts in self.bots.items()},
            "knobs": dict(self.knobs),
            "defaults": {n: v for n, v in self.base.items() if n not in self.knobs and n not in self.varied},
            "vary": vary,
            "cards": dict(self.cards),
            "contract": {name: goal.model_dump(exclude_none=True) for name, goal in self.contract.items()},
            "stop": self.stop.model_dump(exclude_none=True) if self.stop else None,
            "files": files,
            **({"tournament": self._drawn} if self.tournament else {}),
            **({"remedies": self._remedies} if self.remedies else {}),
        }

    def _about(self, **instead: Any) -> dict[str, Any]:
        """[experiment] as in a file, without empty entries; the game's text includes the number of players."""
        table = {key: instead.get(key, getattr(self, key)) for key in ExperimentTable.model_fields if key != "players"}
        return {key: value for key, value in table.items() if value not in ("", []) or key == "question"}

    @property
    def _drawn(self) -> dict[str, Any]:
        return self.tournament.model_dump(exclude={"bots"}, exclude_defaults=True) if self.tournament else {}

    def to_toml(self) -> str:
        """The text of a file without `extends`, with absolute paths: the same experiment from any folder."""
        import tomli_w

        out: dict[str, Any] = {"experiment": self._about(game=self.game_ref, metrics=list(self.metric_refs))}
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
        if self.remedies:
            out["remedies"] = self._remedies
        return tomli_w.dumps(out)


def _one_line(given: object) -> object:
    """A table in [vary] as text on one line, because TOML would write it last and the order of the knobs matters."""
    if not isinstance(given, Mapping):
        return given
    if "grid" in given:
        return given["grid"]
    step = f":{given['step']}" if "step" in given else ""
    return f"{given['low']}..{given['high']}{step}"


def belongs(figure: str, asked: Iterable[str]) -> bool:
    """Whether a figure was requested by its own name or by one that begins with it, such as `turns` by `turns_p90`."""
    return any(name == figure or name.startswith(f"{figure}_") for name in asked)


def asked_words(contract: Iterable[str], precise: str = "") -> str:
    """The pre-specified statistics, of the contract and of the stop rule, in words; empty if there are none."""
    return ", ".join([*(f"{name} (contract)" for name in contract), *([f"{precise} (stop rule)"] if precise else [])])
