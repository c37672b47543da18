"""The game's metadata in a results folder. The game need not be installed to read the results.

The folder may be untrusted: `read` checks form and size, and `shown` shortens texts and removes characters that are not
printable.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, Self, TypeVar

from pydantic import ValidationError

from simlab.engine.counts import layout
from simlab.errors import InputError
from simlab.game import Game, Hex, HexMark, KnobValue, Tables
from simlab.present.estimate import plain
from simlab.spec.contract import GameSpec
from simlab.spec.files import adapter
from simlab.spec.ledger import Rule
from simlab.spec.record import MOST_TURNS

MOST_RULES = 10_000  #: most rules of a game
MOST_HEXES = 4_000  #: most hexes of a map, and of a row
MOST_MARKS = 16  #: most marks on a map
MOST_COUNTS = 20_000_000  #: most numbers in the counts of a cell
T = TypeVar("T")
_LONGEST = {"text": 2_000, "help": 300, "where": 200}  # most characters of a field; 120 for others
_SHOWN = ("rules", "decisions", "tracks", "metrics", "hex_marks", "hexes", "uses", "items")


@dataclass(frozen=True, kw_only=True)
class Names(GameSpec):
    """The game of a results folder.

    Attributes:
        uses: names of the uses of an item. items: (kind, name) of each item that the tables in play define.
        printed: the printed value of each knob; empty in folders of an older simlab.
        hexes: hexes of the map in play.
    """

    rules: tuple[Rule, ...]
    max_actions: int
    uses: tuple[str, ...] = ()
    n_items: int = 0
    items: tuple[tuple[str, str], ...] = ()
    printed: dict[str, KnobValue] = field(default_factory=dict)
    n_hexes: int = 0
    hex_marks: tuple[HexMark, ...] = ()
    hexes: tuple[Hex, ...] = ()

    @property
    def game_text(self) -> str:
        """The game's reference for load_game, with its number of players."""
        return f"{self.slug}:players={len(self.seats)}" if self.players[1] else self.slug

    @property
    def n_uses(self) -> int:
        """Number of uses that an item can have."""
        return len(self.uses)

    @classmethod
    def of(cls, game: Game, tables: Tables | None = None) -> Self:
        """Args: tables: the tables in play, by default the game's own."""
        tables = game.own_tables if tables is None else tables
        return cls(
            **{one.name: getattr(game, one.name) for one in fields(GameSpec)}
            | {"decisions": game.decisions_in(tables)},
            rules=game.rules,
            max_actions=game.max_actions,
            uses=game.items.uses if game.items else (),
            n_items=game.n_items,
            items=tuple((kind, name) for kind, name in game.items.names(tables)) if game.items else (),
            printed={name: knob.default for name, knob in game.knobs.items()},
            n_hexes=game.n_hexes,
            hex_marks=game.hex_marks,
            hexes=tuple(game.hex_map.hexes(tables)) if game.hex_map else (),
        )

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def read(stated: Mapping[str, Any], at: Path) -> Names:
        """The names in a manifest; InputError if the form or size cannot be that of a game."""
        names = read_form(Names, stated, at)
        if not names.seats or not names.endings:
            raise InputError(f"{at}: names no seats or no endings.")
        try:
            _ = names.measures
        except ValueError as fault:  # ranges whose ends are the wrong way round
            raise InputError(f"{at}: names is damaged or not simlab's ({str(fault)[:200]}).") from None
        limits = {
            "a length": 0 < names.max_turns <= MOST_TURNS and 0 <= names.max_actions <= 32_767,
            "a track": all(0 <= track.high - track.low <= 1 << 32 for track in names.tracks),
            "items": len(names.items) <= names.n_items <= 10_000 and len(names.uses) <= 62,
            "a map": max(names.n_hexes, len(names.hexes)) <= MOST_HEXES and len(names.hex_marks) <= MOST_MARKS,
            "a hex": all(max(abs(h.q), abs(h.r)) <= MOST_HEXES and -1 <= h.number < names.n_hexes for h in names.hexes),
        }
        if over := [what for what, fits in limits.items() if not fits]:
            raise InputError(f"{at}: names {over[0]} that no game of simlab's has.")
        numbers = sum(map(math.prod, layout(names).shapes.values()))
        if len(names.rules) > MOST_RULES or numbers > MOST_COUNTS:
            raise InputError(f"{at}: names more seats, actions, lengths or rules than a game of simlab's has.")
        return names

    def shown(self) -> Self:
        """A copy with printable texts, except seats, endings and names of metrics, after which columns are named."""
        changes: dict[str, Any] = {name: _printable(getattr(self, name), 120) for name in _SHOWN}
        metrics = tuple(
            replace(new, name=old.name, part_of=old.part_of)
            for old, new in zip(self.metrics, changes.pop("metrics"), strict=True)
        )
        title, turn = plain(self.title, 120), plain(self.turn_name or "turn", 40)
        return replace(self, slug=plain(self.slug, 120), title=title, turn_name=turn, article=plain(self.article, 20),
                       metrics=metrics, **changes)  # fmt: skip


def _printable(value: Any, longest: int) -> Any:
    """A copy of the value in which every text is shortened and has only printable characters."""
    if isinstance(value, str):
        return plain(value, longest)
    if isinstance(value, tuple):
        return tuple(_printable(one, longest) for one in value)
    if is_dataclass(value) and not isinstance(value, type):
        inner = {one.name: getattr(value, one.name) for one in fields(value)}
        return replace(value, **{name: _printable(one, _LONGEST.get(name, 120)) for name, one in inner.items()})
    return value


def read_form(form: type[T], data: object, where: Path | str) -> T:
    """Untrusted data as an object of this form; InputError, with the place in the file `where`, if they do not fit."""
    try:
        read: T = adapter(form).validate_python(data)
        return read
    except ValidationError as fault:
        first = fault.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"][:6]) or "its content"
        why = first["msg"].removeprefix("Value error, ")
        raise InputError(f"{where}: {place} is damaged or not simlab's ({why}).") from None


def list_of(value: object) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []


def dict_of(value: object) -> dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {}
