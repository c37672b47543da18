"""The contract between the lab and a game: a game is data plus a few functions.

A game's folder holds a package whose `__init__.py` defines `GAME`, an instance of `Game`. Beside the code stand
`ledger.toml` (the rules), `knobs.toml` (the numbers a designer tweaks) and the component tables as CSV. The lab finds
the folder by slug, by the entry point group `simlab.games` or by its path; nothing outside the folder names the game.

The functions, all compiled (`state`, `knobs`, `cards` are records):

    initial_state(state, knobs, cards)          sets up and advances to the first decision
    legal_actions(state, knobs, cards)          offers the legal actions: `offer(state, action)`; else changes nothing
                                                but fields of the game's own named legal_, the same list in other form
    apply_action(state, knobs, cards, action)   one decision, and all that follows up to the next one or the end
    determinize(state, knobs, cards, seat)      redraws all that `seat` cannot see, consistently with what it can; the
                                                result depends on luck and on what it sees alone (streams.redraw_order)
    outcome(state, knobs, cards, row)           fills the row of a finished game
    track_values(state, knobs, cards, values)   sets every value of `Game.tracks`; the buffer holds older values
    item_uses(state, knobs, cards, used)        where a game has `Game.items`: who used which card, and for what
    hex_values(state, knobs, cards, values)     where a game has `Game.hex_map`: what is so and what happened on it

A game with a variable number of players defines `game(players: int = 4) -> Game` instead of `GAME`.

And two in plain Python: `action_label(state, knobs, cards, action)` and `describe(state, knobs, cards, seat)`.
"""

from __future__ import annotations

import contextlib
import csv
import io
import math
import os
import re
import stat
import sys
import tomllib
from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from simlab.errors import UserMistake, first_few, nearest

State: TypeAlias = Any  #: one game: a record of Game.state
Knobs: TypeAlias = Any  #: the numbers a designer tweaks: a record of Game.knob_type
Cards: TypeAlias = Any  #: the component tables: a record of Game.cards
Row: TypeAlias = Any  #: the row of a finished game: a record of Game.row_type
Traits: TypeAlias = Any  #: a bot's named numbers, float64 (MAX_TRAITS,)
Array: TypeAlias = np.ndarray[Any, Any]
KnobValue: TypeAlias = int | float | bool | str
Kernel: TypeAlias = Callable[..., Any]
Description: TypeAlias = dict[str, str | tuple[str, ...]]
Number: TypeAlias = int | float  #: told apart where they are shown, and read back from JSON as they were
MetricKind: TypeAlias = Literal["number", "if_happened", "category"]
HexGround: TypeAlias = Literal["open", "blocked", "water"]

_DEEPEST = 60  # tables and lists in each other, of a TOML file
MAX_TRAITS = 64  #: named numbers a bot may have
MOST_SEATS = 16  #: of a game: a row holds its winners as 16 bits
MOST_ACTIONS = 1 << 15  #: of a game: the list of legal actions is of 16 bits with a sign
FORCED = 48  #: draws that a test or a scenario can force in one game
LOADED = 1 << 16  #: added to forced_n where the list holds weights of dice (simlab.engine.luck), not forced draws
LINKED = 1 << 14  #: added to the sides of a die in that list where the next die has the same weights
CARDS = 1 << 13  #: added to the number of cards in that list that weigh more or less than others of their deck


def state_type(
    fields: Sequence[tuple[Any, ...]],
    *,
    seats: int,
    streams: Sequence[str],
    max_actions: int,
    rules: int,
) -> np.dtype[np.void]:
    """The record of one game: the lab's own header, then the game's fields.

    Args:
        fields: the game's fields as for `np.dtype`; names are the rulebook's words.
        seats: number of seats.
        streams: the game's purposes of chance, one random stream each (bots and redraws have theirs besides).
        max_actions: bound of the action numbers: an action is in 0..max_actions-1.
        rules: number of rules in the ledger.
    Returns:
        An aligned structured dtype. The header: `seat` (to act), `decision` (kind pending), `turn`, `over`, `legal`
        and `n_legal` (the legal actions), `fired` (how often each rule fired in this game, below 65,536), and the
        `stream_` and `forced_` fields of simlab.engine.streams.
    """
    n_streams = seats + 1 + len(streams)
    if n_streams > 127:
        raise ValueError("a game has at most 127 random streams, the bots' among them")
    header = [
        ("stream_key", np.uint32, (2,)),
        ("stream_game", np.uint32, (2,)),
        ("stream_seats", np.int32),
        ("stream_epoch", np.uint32, (n_streams,)),
        ("stream_at", np.uint32, (n_streams,)),
        ("stream_words", np.uint32, (n_streams, 16)),
        ("forced_n", np.int32),
        ("forced_stream", np.int8, (FORCED,)),
        ("forced_value", np.int16, (FORCED,)),
        ("fired", np.uint16, (max(rules, 1),)),
        ("n_legal", np.int32),
        ("legal", np.int16, (max_actions,)),
        ("turn", np.int16),
        ("decision", np.int8),
        ("seat", np.int8),
        ("over", np.bool_),
    ]
    taken = {name for name, *_ in header} | set(dir(np.recarray))
    for name, *_ in fields:
        if name in taken:
            raise ValueError(f"a game cannot name a field of its state {name!r}: the lab or NumPy uses that name")
    return np.dtype(header + list(fields), align=True)


def stream_numbers(seats: int, streams: Sequence[str]) -> dict[str, int]:
    """Number of each stream: bots first, then the redraw of hidden information, then the game's own."""
    return {name: seats + 1 + i for i, name in enumerate(streams)}


@dataclass(frozen=True)
class Decision:
    """One kind of decision point.

    Attributes:
        id: the ledger's ID, as `SS-D-01`.
        name: what is decided, as `Besieger's action`.
        actions: names of the actions where they are few and fixed, else empty.
        secret: True where the other seats learn that it was taken, not what was chosen.
        continues: IDs of the decisions that it goes on with where the same seat takes it next, as a further part of
            one choice: the target after the action, one discard after another (then its own ID). People make such a
            choice once, so `simlab analyze time` counts it once; nothing else reads it.
    """

    id: str
    name: str
    actions: tuple[str, ...] = ()
    secret: bool = False
    continues: tuple[str, ...] = ()


@dataclass(frozen=True)
class Metric:
    """A number that the game reports of each finished game, a column of the results: whole, unless it has decimals.

    Most are plain numbers: counts, points, levels. Two kinds are not, and the lab must know them, since a mean over
    codes says nothing:

        Metric("first_hunger", "first turn with hunger", "turn", never=0)      a number if it happened
        Metric("fell_in", "phase of the fall", codes={0: "none", 1: "fate"})   a category

    Attributes:
        never: the value that says that it did not happen; None for a number that every game has. The game then
            counts in the share of games in which it happened, and not in the mean.
        codes: value -> name, for a category; names are lower-case words joined by `_`, as those of endings.
        low, high: range that the value cannot leave whatever the knobs, without `never`; None: not stated. Intervals
            of means that hold at any number of games rest on it: without `high` there is no upper end, without `low`
            no lower one. `simlab dev check-game` refuses a value outside.
        part_of: the seat of whose score it is a part; "" for none.
        decimals: digits behind the point, 0..6; the value is rounded to them, so that values can be counted. Of a
            game's own metric `outcome` rounds.
    Raises:
        ValueError: decimals of a category or more than 6, both `never` and `codes`, a range that is empty, holds
            `never` or stands beside `codes`, or names of codes that are not words or not told apart.
    """

    name: str
    help: str
    unit: str = ""
    never: Number | None = None
    codes: Mapping[int, str] = field(default_factory=dict)
    low: Number | None = None
    high: Number | None = None
    part_of: str = ""
    decimals: int = 0

    def __post_init__(self) -> None:
        at = f"metric {self.name}"
        if isinstance(self.decimals, bool) or not isinstance(self.decimals, int) or not 0 <= self.decimals <= 6:
            raise ValueError(f"{at}: decimals = {self.decimals!r} is not allowed: use a whole number in 0..6")
        for key, end in (("never", self.never), ("low", self.low), ("high", self.high)):
            if end is None or isinstance(end, int) or (self.decimals and math.isfinite(end)):
                continue
            why = "is a whole number; a metric with decimals=2 may have others" if not self.decimals else "is a number"
            raise ValueError(f"{at}: {key} = {end!r} is not allowed: it {why}")
        if self.codes and self.decimals:
            raise ValueError(f"{at}: a category has codes, and no decimals")
        if self.codes and (self.never is not None or self.low is not None or self.high is not None):
            raise ValueError(f"{at}: a category has codes alone, no never, low or high")
        names = list(self.codes.values())
        for name in names:
            if not re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+)*", name):
                raise ValueError(f"{at}: {name!r} names a code; use lower-case words joined by _")
            if names.count(name) > 1:
                raise ValueError(f"{at}: two codes are called {name!r}")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ValueError(f"{at}: low = {self.low} is above high = {self.high}")
        if self.never is not None and (self.low, self.high) != (None, None) and self.in_range(self.never):
            raise ValueError(f"{at}: never = {self.never} lies in the range {self.range_text} of what did happen")

    @property
    def kind(self) -> MetricKind:
        """`number`, `if_happened` (a number if it happened) or `category`."""
        if self.codes:
            return "category"
        return "number" if self.never is None else "if_happened"

    @property
    def row_kind(self) -> type[np.int32 | np.float64]:
        """Type of its column in the rows of games."""
        return np.float64 if self.decimals else np.int32

    def in_range(self, value: float) -> bool:
        """Whether a value lies in the stated range; an end that is not stated is open."""
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)

    def allows(self, value: float) -> bool:
        """Whether a finished game may report the value: a code, `never`, or a number in the stated range."""
        if self.codes:
            return value in self.codes
        if not math.isfinite(value) or value != math.floor(value * 10.0**self.decimals + 0.5) / 10.0**self.decimals:
            return False
        return value == self.never or self.in_range(value)

    def value_text(self, value: float) -> str:
        """A value as a person reads it: the name of a code, or `never`."""
        if self.codes:
            return self.codes.get(int(value), str(value))
        if value == self.never:
            return "never"
        return f"{value:.{self.decimals}f}" if self.decimals else str(value)

    @property
    def range_text(self) -> str:
        """What `allows` allows, in words."""
        if self.codes:
            return ", ".join(f"{value} ({name})" for value, name in self.codes.items())
        ends = ("" if self.low is None else f"{self.low}") + ".." + ("" if self.high is None else f"{self.high}")
        every = f"any number of at most {self.decimals} decimals" if self.decimals else "any whole number"
        return every if ends == ".." else ends


def the_seat(game: Any, seat: str) -> str:
    """A seat within a sentence, as "the besieger", but "ann".

    Args:
        game: a Game, or the names that a folder of results keeps of it.
    """
    return f"{game.article} {seat}".lstrip()


def measures_of(game: Any) -> dict[str, Metric]:
    """The length, the decisions, the scores and the metrics of a Game, or of what a folder of results says of one."""
    from simlab.stats.figure import score_name

    low, high = game.score_range
    scores = [
        Metric(score_name(seat), f"score of {the_seat(game, seat)}", "", None, {}, low, high) for seat in game.seats
    ]
    turns = f"{game.turn_name}s"
    return {
        "turns": Metric("turns", f"length in {turns}", turns, low=0, high=game.max_turns),
        "decisions": Metric("decisions", "decisions of all seats", low=0, high=game.max_decisions or None),
        **{metric.name: metric for metric in (scores if game.has_scores else [])},
        **{metric.name: metric for metric in game.metrics},
    }


@dataclass(frozen=True)
class Track:
    """A number followed over the turns, shown as quantile bands; values outside low..high are counted at the end."""

    name: str
    low: int
    high: int
    help: str = ""


@dataclass(frozen=True)
class Items:
    """What a game follows one by one, as its cards: who used which for what.

    Attributes:
        count: bound of the items' numbers.
        names: (kind, name) of each item by number, as ("Outsider", "Tall Albert"), out of the tables in play. The kind
            is "" for a number that these tables have no item for; reports leave it out.
        uses: names of what an item can be used for; with the seats at most 62 pairs.
        kernel: item_uses(state, knobs, cards, used): for each item used in the finished game, sets in used[item]
            (int64, zeros before) the bit use * seats + seat.
    """

    count: int
    names: Callable[[Tables], Sequence[tuple[str, str]]]
    uses: tuple[str, ...]
    kernel: Kernel


@dataclass(frozen=True)
class Hex:
    """A hex of a game's map, as the report draws it.

    Attributes:
        q, r: axial coordinates of pointy-top hexes: q grows to the east, r to the south-east.
        name: as a person calls it, in tables. label: what is written on it, two or three letters; "" for nothing.
        number: its place in the kernel's values; -1 for a hex that is drawn and not followed.
        area: the place that it belongs to; a line is drawn around each. "" for none.
        ground: how it is drawn where it is not followed.
    """

    q: int
    r: int
    name: str
    number: int = -1
    label: str = ""
    area: str = ""
    ground: HexGround = "open"

    @property
    def sign(self) -> str:
        """What a map shows on the hex: the name that texts call it by, if that is short; else its label."""
        name = self.name.removeprefix("hex ")
        return name if self.number >= 0 and len(name) <= 4 else self.label


@dataclass(frozen=True)
class HexMark:
    """What is followed on every hex of a map: whether something is so at the end of a turn (0 or 1), or how often
    something has happened there since the game began.

    Attributes:
        name: a word, as `overrun`. help: what it is, as "figures that went down".
        happens: True for what has happened; False for what is so.
    """

    name: str
    help: str
    happens: bool = False


@dataclass(frozen=True)
class HexContent:
    """What lies on a hex in one position, as the viewer draws it.

    Attributes:
        text: at most six letters or digits. owner: name of the seat whose colour it has, `enemy` for what plays
            against all, or "".
        help: the same in full, for whoever points at it.
        area: what it belongs to now, where that changes in play; a line is drawn around each. "" for none.
        fill: CSS colour of a hex without an owner, as "#f6dfc0"; "" for that of the ground.
    """

    text: str = ""
    owner: str = ""
    help: str = ""
    area: str = ""
    fill: str = ""


@dataclass(frozen=True)
class HexMap:
    """A map of hexes and what is followed on it; the report draws it, over the whole game and by turn.

    Attributes:
        count: bound of the hexes' numbers.
        hexes: the hexes, out of the tables in play.
        kernel: hex_values(state, knobs, cards, values) writes values[mark, hex] (int32, zeros before), at the end of
            each turn: 0 or 1, or for a mark that happens, how often it has since the game began.
        contents: (state, knobs, cards, seat) -> what lies on each hex that is not empty, by its number, as the seat
            sees it (None sees all), in plain Python: with it the viewer draws the map of a position.
        legend: what the colours and the signs of `contents` mean, in a sentence or two; the viewer prints it below the
            map.
    """

    count: int
    hexes: Callable[[Tables], Sequence[Hex]]
    marks: tuple[HexMark, ...]
    kernel: Kernel
    contents: Callable[[State, Knobs, Cards, int | None], Mapping[int, HexContent]] | None = None
    legend: str = ""


@dataclass(frozen=True)
class Component:
    """A kind of piece in the box of which a game may need many at once.

    Attributes:
        help: what it is, as "black cubes". printed: how many the box holds; None: it does not say.
    """

    name: str
    help: str
    printed: int | None = None


@dataclass(frozen=True)
class Components:
    """What of the box is counted while it is in use (`simlab analyze time`).

    Attributes:
        kinds: the components.
        kernel: component_values(state, knobs, cards, values) writes how many of each are in use now, int32 (kinds,).
    """

    kinds: tuple[Component, ...]
    kernel: Kernel


@dataclass(frozen=True)
class Side:
    """Seats that win and lose together.

    Attributes:
        wins: what it does when it wins, as in "the village holds".
        endings: those in which it wins, where a seat of it may also win on its own (a traitor who gets away). Empty:
            it wins whenever one of its seats does.
    """

    name: str
    seats: tuple[str, ...]
    wins: str = "wins"
    endings: tuple[str, ...] = ()


@dataclass(frozen=True)
class SeatCategory:
    """What a seat is in one game and not in the next: its role, its start place, its place in the order of play.

    `outcome` writes it for each seat: `row.category[c, seat]` is the position in `values`, where c is the position in
    `Game.seat_categories`. The lab shows how often the seats of each value win, against the share of an average seat.

    Attributes:
        name: with a seat the name of a column, as `role_ann`.
        help: what it is, as "role dealt at the start".
        values: names of what a seat can be: lower-case words joined by `_`, as those of endings. "none" for a seat that
            may be nothing of the kind; it comes first where the other values depend on the number of players, because
            the values of a smaller table must be the first ones of a larger table's.
    Raises:
        ValueError: names that are not words or not told apart.
    """

    name: str
    help: str
    values: tuple[str, ...]

    def __post_init__(self) -> None:
        for name in (self.name, *self.values):
            if not re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+)*", name):
                raise ValueError(f"seat category {self.name}: {name!r} is no name; use lower-case words joined by _")
        if not self.values or len(set(self.values)) < len(self.values):
            raise ValueError(f"seat category {self.name}: name each value, and each once")


@dataclass(frozen=True)
class Knob:
    """A number, a switch or a choice that a designer tweaks.

    Attributes:
        kind: `int`, `float`, `bool` or `choice`.
        default: value; for a choice one of `options`.
        low, high: inclusive range of an int or float.
        options: allowed texts of a choice; the record holds the index.
        rules: rule IDs that read it.
        switch: True for a ruling that could go the other way.
        table: (table, row key, column) the default comes from, or None.
        blanks: table of which the knob takes one row's effect away (TableSchema.blank), or "".
        luck: True for one that weights a die or a card, or worsens a shuffle (Die); the kinds `weights`, of the faces
            of a die, and `card_weights`, of the cards named in `options`, are of these alone.
    """

    name: str
    kind: str
    default: KnobValue
    low: float
    high: float
    options: tuple[str, ...]
    unit: str
    rules: tuple[str, ...]
    help: str
    switch: bool = False
    table: tuple[str, str, str] | None = None
    blanks: str = ""
    luck: bool = False

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        if self.kind == "weights":
            return f"'{FAIR}', or faces and their weights as 6x2+1x0.5 (a 6 twice as often, a 1 half as often)"
        if self.kind == "card_weights":
            example = "+".join(f"{name}:{weight:g}" for name, weight in zip(self.options, (2, 0.5), strict=False))
            return f"'{FAIR}', or cards and their weights, 0..{MOST_WEIGHT} by hundredths, as {example}"
        if self.kind == "bool":
            return "true or false"
        if self.kind == "choice":
            return "one of " + ", ".join(self.options)
        unit = f" {self.unit}" if self.unit else ""
        return f"{self.low:g}..{self.high:g}{unit}"

    def parse(self, value: object, where: str = "") -> KnobValue:
        """The value in the knob's own type.

        Args:
            value: a number, bool or text (as typed in a shell).
            where: what to name in an error, as `experiments/walls.toml [knobs]`.
        Raises:
            UserMistake: wrong type, outside the range, or not one of the options.
        """
        at = f"{where}: " if where else ""
        about = f" ({', '.join(self.rules)})" if self.rules else ""
        bad = UserMistake(f"{at}{self.name} = {value!s} is not allowed: {self.name} takes {self.allowed}{about}.")
        if self.kind == "bool":
            if isinstance(value, bool):
                return value
            if isinstance(value, str) and value.lower() in ("true", "false", "yes", "no", "on", "off"):
                return value.lower() in ("true", "yes", "on")
            raise bad
        if self.kind == "choice":
            text = str(value).lower() if isinstance(value, bool) else str(value)
            if text not in self.options:
                raise bad
            return text
        if isinstance(value, bool):
            raise bad
        if self.kind == "weights":
            try:
                weights = read_weights(str(value))
            except ValueError:
                raise bad from None
            return "+".join(f"{face}x{weight:g}" for face, weight in sorted(weights.items()) if weight != 1) or FAIR
        if self.kind == "card_weights":
            try:
                of_cards = read_card_weights(str(value))
            except ValueError as fault:
                raise UserMistake(f"{bad} {fault}".rstrip()) from None
            for name in of_cards:
                if name not in self.options:
                    raise UserMistake(
                        f"{at}{self.name} = {value!s}: there is no card '{name}'. {nearest(name, self.options)}"
                    )
            return "+".join(f"{name}:{weight:g}" for name, weight in sorted(of_cards.items()) if weight != 1) or FAIR
        try:
            number = float(value)  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            raise bad from None
        if not self.low <= number <= self.high:  # also refuses NaN
            raise bad
        if self.kind == "int":
            if number != int(number):
                raise bad
            return int(number)
        return number

    def encode(self, value: KnobValue) -> int | float:
        """The number that the record holds."""
        if self.kind == "choice":
            return self.options.index(str(value))
        return float(value) if self.kind == "float" else int(value)


@dataclass(frozen=True)
class Column:
    """One column of a component table: its type and what is allowed."""

    name: str
    kind: str = "text"  # text, int
    low: int = 0
    high: int = 0
    options: tuple[str, ...] = ()

    def parse(self, text: str, where: str) -> str | int:
        if self.kind == "int":
            if not re.fullmatch(r"[+-]?\d{1,9}", text) or not self.low <= int(text) <= self.high:
                raise UserMistake(f"{where}: '{text}' is not allowed. Use a whole number in {self.low}..{self.high}.")
            return int(text)
        if self.options and text not in self.options:
            raise UserMistake(f"{where}: '{text}' is not allowed. {nearest(text, self.options)}")
        return text


def delimiter_of(text: str) -> str:
    """What stands between two cells: spreadsheets write a semicolon or a tab where the comma is the decimal point."""
    head = next((line for line in text.splitlines() if line.strip()), "")
    return max((",", ";", "\t"), key=head.count)


@dataclass(frozen=True)
class TableSchema:
    """A component table: `<name>.csv` in the game's folder, or a file of the user's in its place.

    Every table has a column `source` besides: `rulebook` or `reconstructed`.

    Attributes:
        key: the column that names a row, unique in the table.
        rows: (least, most) number of rows.
        blank: column -> what stands there in a row without effect. Such a table gives the game a knob `blank_<table>`
            that takes one row's effect away and leaves the rest of the deck, and its shuffle, as they are: what a
            card does, seen on the same luck.
    """

    name: str
    columns: tuple[Column, ...]
    key: str
    rows: tuple[int, int]
    blank: Mapping[str, str | int] = field(default_factory=dict)

    def read(self, path: Path) -> list[dict[str, str | int]]:
        """The rows of a CSV file.

        Raises:
            UserMistake: unreadable, wrong columns, a bad cell, a key twice, too few or too many rows;
                the message names file, row and column.
        """
        columns = (*self.columns, Column("source", options=("rulebook", "reconstructed")))
        try:
            text = read_plain_file(path, 1_000_000, "a component table").decode("utf-8-sig")
        except UnicodeDecodeError:
            raise UserMistake(f"{path}: is not UTF-8 text. Save it as CSV (UTF-8).") from None
        try:
            lines = list(_numbered(text))
        except csv.Error as fault:
            raise UserMistake(f"{path}: is not CSV ({fault}).") from None
        filled = [(number, line) for number, line in lines if any(cell.strip() for cell in line)]
        if not filled:
            raise UserMistake(f"{path}: is empty. Its first line names the columns.")
        head = [cell.strip() for cell in filled[0][1]]
        known = [column.name for column in columns]
        for name in head:
            if name not in known:
                raise UserMistake(f"{path}, line 1: unknown column '{name[:60]}'. {nearest(name, known)}")
        for name in known:
            if head.count(name) != 1:
                raise UserMistake(f"{path}, line 1: column '{name}' must be there once. Columns: {', '.join(known)}.")
        rows: list[dict[str, str | int]] = []
        for number, line in filled[1:]:
            if len(line) != len(head):
                raise UserMistake(f"{path}, line {number}: {len(line)} cells, but line 1 names {len(head)} columns.")
            cells = dict(zip(head, (cell.strip() for cell in line), strict=True))
            rows.append({c.name: c.parse(cells[c.name], f"{path}, line {number}, {c.name}") for c in columns})
        if not self.rows[0] <= len(rows) <= self.rows[1]:
            least, most = self.rows
            right = f"{least}" if least == most else f"{least} to {most}"
            raise UserMistake(f"{path}: has {len(rows)} row{'s' * (len(rows) != 1)}. A {self.name} table has {right}.")
        keys = [str(row[self.key]) for row in rows]
        for key in keys:
            if keys.count(key) > 1:
                raise UserMistake(f"{path}: {self.key} '{key}' stands there twice.")
        return rows

    def line_of(self, path: Path, key: str) -> int | None:
        """The line of a CSV file in which the row with this key begins."""
        with contextlib.suppress(OSError, ValueError, csv.Error):
            (_, head), *lines = (one for one in _numbered(path.read_text(encoding="utf-8-sig")) if any(one[1]))
            place = [cell.strip() for cell in head].index(self.key)
            return next((n for n, line in lines if line[place : place + 1] and line[place].strip() == key), None)
        return None


def _numbered(text: str) -> Iterator[tuple[int, list[str]]]:
    """The rows of a CSV text, each with the line in which it begins."""
    reader = csv.reader(io.StringIO(text, newline=None), strict=True, delimiter=delimiter_of(text))
    number = 1
    for line in reader:
        yield number, line
        number = reader.line_num + 1


Tables: TypeAlias = Mapping[str, list[dict[str, str | int]]]


@dataclass(frozen=True)
class Die:
    """A die whose faces a designer may weight, or a deck that may be shuffled badly; each gives the game luck knobs.

    A luck knob is set and varied as any other, and not listed among the rules' own: with none set, everything is as if
    there were none. `die_<name>` takes weights of faces, `deck_<name>` the share of draws that a bad shuffle leaves
    where the card lay, `cards_<name>` weights of cards: how much likelier than another each is to come next.

    Attributes:
        name: a word; with `die_` or `deck_` the name of the knob.
        stream: the purpose of chance that it draws from, or several. Of two dice on one stream the first that is set
            counts.
        sides: faces of the die, a number or the knob that holds it; 0 for a deck. Of the stream's draws by `below`
            those with as many outcomes are the die's; a pick that is no roll is drawn by `one_of`.
        help: what is rolled with it, or what is drawn from it.
        cards: of a deck that is drawn by `draw_card` or its like (simlab.engine.streams): the name of the table whose
            rows are its cards 0, 1, 2 ..., or the names of these cards, or a function of the tables that gives the
            cards' numbers, 0..255, by name.
    """

    name: str
    stream: str | tuple[str, ...]
    sides: int | str
    help: str
    cards: str | tuple[str, ...] | Callable[[Tables], Mapping[str, int]] | None = None

    @property
    def streams(self) -> tuple[str, ...]:
        """The purposes of chance that it draws from."""
        return (self.stream,) if isinstance(self.stream, str) else self.stream

    @property
    def knob(self) -> Knob:
        """The luck knob."""
        if self.sides == 0:
            what = f"share of the draws that a bad shuffle leaves as the cards lay: {self.help}"
            return Knob(f"deck_{self.name}", "float", 0.0, 0.0, 1.0, (), "", (), what, luck=True)
        what = f"weights of the faces of a die, 1 for those not named: {self.help}"
        return Knob(f"die_{self.name}", "weights", FAIR, 0, 0, (), "", (), what, luck=True)

    @property
    def card_knob(self) -> str:
        """Name of the knob of its cards' weights."""
        return f"cards_{self.name}"

    def knobs(self, game: Game, tables: Tables) -> dict[str, Knob]:
        """Its luck knobs by name."""
        knobs = {self.knob.name: self.knob}
        if self.cards is not None:
            what = f"weights of single cards, 1 for those not named; the heavier, the earlier: {self.help}"
            names = tuple(self.numbers(game, tables))
            knobs[self.card_knob] = Knob(self.card_knob, "card_weights", FAIR, 0, 0, names, "", (), what, luck=True)
        return knobs

    def numbers(self, game: Game, tables: Tables) -> dict[str, int]:
        """The numbers of a deck's cards by name."""
        if isinstance(self.cards, str):
            key = game.table(self.cards).key
            return {str(row[key]): number for number, row in enumerate(tables[self.cards])}
        if isinstance(self.cards, tuple):
            return {name: number for number, name in enumerate(self.cards)}
        return dict(self.cards(tables)) if self.cards else {}

    def weights(self, game: Game, resolved: Mapping[str, KnobValue], tables: Tables) -> dict[int, int]:
        """Number -> weight in hundredths, of the cards that do not weigh 1.

        Raises:
            UserMistake: all cards of the deck weigh 0, or it is shuffled badly at the same time.
        """
        text = str(resolved.get(self.card_knob, FAIR))
        weights = read_card_weights(text)
        numbers = self.numbers(game, tables)
        if weights and not any(weights.get(name, 1) for name in numbers):
            raise UserMistake(f"{self.card_knob} = {text}: all cards weigh 0. Give one of them a weight.")
        if weights and self.knob.name in resolved:
            raise UserMistake(
                f"{self.card_knob} and {self.knob.name}: the same deck cannot be shuffled badly and by weight. Set one."
            )
        return {numbers[name]: round(100 * weight) for name, weight in weights.items() if weight != 1}

    def faces(self, resolved: Mapping[str, KnobValue]) -> int:
        """Its faces under these knobs; 0 for a deck."""
        return int(resolved[self.sides]) if isinstance(self.sides, str) else self.sides

    def chances(self, resolved: Mapping[str, KnobValue]) -> np.ndarray[Any, np.dtype[np.float64]]:
        """The chance of each face under these knobs, shape (faces,).

        Raises:
            UserMistake: a face that it does not have, or weights that are all 0.
        """
        text = str(resolved.get(self.knob.name, FAIR))
        weights = np.ones(self.faces(resolved))
        for face, weight in read_weights(text).items():
            if face > weights.size:
                raise UserMistake(f"{self.knob.name} = {text}: the die has faces 1..{weights.size}, and no {face}.")
            weights[face - 1] = weight
        if not weights.sum():
            raise UserMistake(f"{self.knob.name} = {text}: all faces weigh 0. Give one of them a weight.")
        chances: np.ndarray[Any, np.dtype[np.float64]] = weights / weights.sum()
        return chances


FAIR = "fair"  #: value of a die's luck knob: all faces weigh the same
_WEIGHT = re.compile(r"([1-9]\d?)\s*[x:=]\s*(\d+(?:\.\d*)?|\.\d+)")


def read_weights(text: str) -> dict[int, float]:
    """Weights of faces out of their text, `6x2+1x0.5`, also `6:2,1:0.5`; {} for `fair`.

    Raises:
        ValueError: not of that form, a face twice, or a weight above a million.
    """
    if text.strip().lower() == FAIR:
        return {}
    weights: dict[int, float] = {}
    for part in re.split(r"[+,;]", text):
        match = _WEIGHT.fullmatch(part.strip())
        if not match or int(match[1]) in weights or float(match[2]) > 1e6:
            raise ValueError(part)
        weights[int(match[1])] = float(match[2])
    return weights


MOST_WEIGHT = 600  #: of a card
_CARD = re.compile(r"(.+?)\s*[x:=]\s*(-?(?:\d+(?:\.\d*)?|\.\d+))")


def read_card_weights(text: str) -> dict[str, float]:
    """Weights of cards out of their text, `red_joker:2+F3:0.5`, also `red_jokerx2,F3=0.5`; {} for `fair`.

    Raises:
        ValueError: not of that form, a card twice, or a weight below 0, above MOST_WEIGHT or finer than hundredths; the
            message says which, if it is not the form.
    """
    if text.strip().lower() == FAIR:
        return {}
    weights: dict[str, float] = {}
    for part in re.split(r"[+,;]", text):
        match = _CARD.fullmatch(part.strip())
        if not match:
            raise ValueError
        name, weight = match[1], float(match[2])
        if name in weights:
            raise ValueError(f"'{name}' stands there twice.")
        if not 0 <= weight <= MOST_WEIGHT:
            raise ValueError(f"A weight is 0 or more and at most {MOST_WEIGHT}; {name} has {match[2]}.")
        if abs(100 * weight - round(100 * weight)) > 1e-6:
            raise ValueError(f"{name} weighs {match[2]}: hundredths are the finest.")
        weights[name] = weight
    return weights


class KnobTable(dict[str, Knob]):
    """Knobs by name. Luck knobs (Die) are in it for who asks by name, and left out of what it lists."""

    def __init__(self, knobs: Mapping[str, Knob], luck: Mapping[str, Knob]) -> None:
        super().__init__(knobs)
        self.luck = dict(luck)

    def __missing__(self, name: str) -> Knob:
        return self.luck[name]

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or name in self.luck

    def get(self, name: str, default: Any = None) -> Any:
        return super().get(name, self.luck.get(name, default))


@dataclass(frozen=True)
class Rule:
    """One rule of the ledger, in the project's own words."""

    id: str
    text: str
    where: str
    status: str  # exact, ruling, abstracted
    knobs: tuple[str, ...]


@dataclass(frozen=True)
class Trait:
    """A named number of a bot that a user can set.

    Write default and range of a number of cards, soldiers or turns as whole numbers, `Trait(3, 1, 6, ...)`, and those
    of a share or a weight with a point, `Trait(3.0, 1.0, 6.0, ...)`: `simlab optimize bot` tries only whole numbers
    for the former.
    """

    default: float
    low: float
    high: float
    help: str

    @property
    def whole(self) -> bool:
        """Whether its values are whole numbers."""
        return all(isinstance(number, int) for number in (self.default, self.low, self.high))


def trait_names(**declared: Trait) -> Any:
    """A bot's traits, declared once: for `@policy(traits=T)`, and for the code that reads them by name.

        T = trait_names(patience=Trait(25, 0, 40, "storms once the Besieged has no more cards than this"))
        ...
        if state.deck_len[BESIEGED] <= traits[T.patience]:

    Returns:
        A named tuple of the traits' places in the array that the bot gets. Compiled code takes them for numbers written
        out, so a name costs nothing.
    """
    names: Any = namedtuple("names", declared)  # type: ignore[misc]  # noqa: PYI024 - its fields come at run time
    return type("TraitNames", (names,), {"_declared": dict(declared)})(*range(len(declared)))


@dataclass(frozen=True)
class Policy:
    """A bot: a function of (state, knobs, cards, traits) that returns one of the legal actions.

    Attributes:
        game: slug it plays, or "" for any game.
        seats: names of the seats it can take; empty for all.
        traits: by name, in the order in which they stand in the array that the function gets.
    """

    name: str
    function: Kernel
    game: str
    seats: tuple[str, ...]
    traits: dict[str, Trait]
    help: str
    module: str


def policy(
    game: str = "",
    *,
    seats: Sequence[str] = (),
    traits: Any = None,
    name: str = "",
) -> Callable[[Kernel], Policy]:
    """Declare a bot.

    Args:
        game: slug of the game, or nothing for a bot that plays any.
        seats: seats it can take; none given: all.
        traits: its named numbers, from `trait_names`; a mapping of Traits by name will do, in the order of the array.
        name: its name, by default the function's.
    Raises:
        ValueError: more than MAX_TRAITS traits, a default outside its range, or no docstring.
    """
    declared: dict[str, Trait] = dict(getattr(traits, "_declared", traits) or {})
    if len(declared) > MAX_TRAITS:
        raise ValueError(f"a bot has at most {MAX_TRAITS} traits")
    for key, trait in declared.items():
        if not trait.low <= trait.default <= trait.high:
            raise ValueError(f"trait {key}: default {trait.default} is outside {trait.low}..{trait.high}")

    def declare(function: Kernel) -> Policy:
        doc = (function.__doc__ or "").strip()
        if not doc and sys.flags.optimize < 2:  # PYTHONOPTIMIZE=2 takes all docstrings away
            raise ValueError(f"bot {function.__name__} needs a docstring: one line on how it plays")
        return Policy(name or function.__name__, function, game, tuple(seats), declared, doc, function.__module__)

    return declare


@dataclass(frozen=True, kw_only=True)
class Game:
    """One game on the lab's contract. See the module's docstring for the functions.

    Raises UserMistake where it has more seats or actions than the lab can count.

    Attributes:
        folder: where the code, ledger.toml, knobs.toml and the tables stand.
        seats: names of the seats; a seat's number is its position.
        endings: names of the ways a game ends.
        streams: purposes of chance, one random stream each.
        state, cards: dtypes of the records.
        pack_cards: builds the record of cards from the tables (array of shape (1,)).
        check_knobs: says what is contradictory in a full set of knobs, a sentence each.
        max_decisions, max_turns: bounds; a game that meets the first is a fault, not a result.
        has_scores: whether `score` in the row means something (victory points).
        score_range: (low, high) that no seat's score leaves whatever the knobs, as of a Metric; None: not stated.
        turn_name: what the game calls the unit of its length.
        setup_streams: those of `streams` that are luck of the set-up: deals and shuffles, also where the code draws
            a shuffled deck's order card by card.
        items: what is followed one by one, or None.
        hex_map: a map of hexes and what is followed on it, or None.
        components: pieces of the box that are counted while they are in use, or None.
        article: before a seat in a sentence; "" where seats have names, as ann and bob.
        players: least and most seats of a game that is a function of them, `def game(players: int = 4) -> Game`.
        sides: who wins and loses together; empty: each seat is its own side.
        seat_categories: what a seat is in one game and not in the next, as its role or start place.
        lead: a track for each seat: who stands highest leads; empty for a game that cannot say who is ahead.
        play_part: apply_action in parts, for replay: with an action it carries out the decision alone, with -1 one
            step of what follows; it sets `n_legal` to 1 as long as more is to come before the next decision.
        part_name: what the part just played belongs to, a phase; parts of one name are told together.
        asides: what a replay prints below a decision, from the state before a part (or a whole decision) and the one
            after, in the order in which it happened: dice and their results, cards that were revealed, choices that
            were not asked because there was one option. Nothing that some seat does not see.
        rolls: each roll of the dice in words, for the full replay and the viewer: from the states before and after a
            part, and the action that it carried out, -1 for none.
        bots: module that holds its bots; by default `policies.<slug>`, else `bots` in the folder.
        default_bot: bot of every seat that a command, a call or the app is given none for. Every seat must be able to
            take it. Name another than "random" where uniform choices play a game that nobody would.
        dice: dice that can be weighted and decks that can be shuffled badly.
        small: True for a small known game of the box, for learning and for checks; lists name them last.
        own: measures that a designer added to `metrics` (simlab.engine.own_metric); plain: the game without them.
    """

    slug: str
    title: str
    summary: str
    folder: Path
    seats: tuple[str, ...]
    endings: tuple[str, ...]
    streams: tuple[str, ...]
    decisions: tuple[Decision, ...]
    metrics: tuple[Metric, ...]
    tracks: tuple[Track, ...]
    state: np.dtype[np.void]
    cards: np.dtype[np.void]
    tables: tuple[TableSchema, ...]
    pack_cards: Callable[[Tables], np.ndarray[Any, Any]]
    initial_state: Kernel
    legal_actions: Kernel
    apply_action: Kernel
    determinize: Kernel
    outcome: Kernel
    track_values: Kernel
    action_label: Callable[[State, Knobs, Cards, int], str]
    describe: Callable[[State, Knobs, Cards, int | None], Description]
    max_decisions: int
    max_turns: int
    check_knobs: Callable[[Mapping[str, KnobValue]], list[str]] = lambda knobs: []
    has_scores: bool = False
    score_range: tuple[int | None, int | None] = (None, None)
    turn_name: str = "turn"
    setup_streams: tuple[str, ...] = ()
    items: Items | None = None
    hex_map: HexMap | None = None
    components: Components | None = None
    lead: tuple[str, ...] = ()
    article: str = "the"
    players: tuple[int, int] = (0, 0)
    sides: tuple[Side, ...] = ()
    seat_categories: tuple[SeatCategory, ...] = ()
    play_part: Kernel | None = None
    part_name: Callable[[State, Knobs, Cards], str] = lambda state, knobs, cards: ""
    asides: Callable[[State, State, Knobs, Cards], list[str]] = lambda before, after, knobs, cards: []
    rolls: Callable[[State, State, int, Knobs, Cards], list[str]] = lambda before, after, action, knobs, cards: []
    bots: str = ""
    default_bot: str = "random"
    dice: tuple[Die, ...] = ()
    small: bool = False
    own: tuple[Any, ...] = ()
    plain: Game | None = None

    def __post_init__(self) -> None:
        most = max(len(self.seats), self.players[1])
        if not self.seats or most > MOST_SEATS:
            raise UserMistake(f"game {self.slug}: has {most} seats; a game has 1 to {MOST_SEATS}.")
        if self.max_actions > MOST_ACTIONS:
            raise UserMistake(
                f"game {self.slug}: max_actions = {self.max_actions:,} is over {MOST_ACTIONS:,}. Split a decision into "
                "several smaller ones."
            )
        known = {decision.id for decision in self.decisions}
        for decision in self.decisions:
            if isinstance(decision.continues, str) or not known.issuperset(decision.continues):
                raise UserMistake(
                    f"game {self.slug}: decision {decision.id} continues {decision.continues!r}. Give a tuple of "
                    f"IDs of its decisions: {', '.join(sorted(known))}."
                )

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """The rule ledger, in its order: a rule's index is its position."""
        return read_ledger(self.folder / "ledger.toml")

    @cached_property
    def knobs(self) -> dict[str, Knob]:
        """The knobs by name, with the printed defaults."""
        return self._all_knobs(self.own_tables)

    def knobs_with(self, tables: Tables | None) -> dict[str, Knob]:
        """The knobs under component tables, None for the game's own: defaults and rows to blank come out of tables."""
        swapped = tables is not None and any(rows is not self.own_tables.get(name) for name, rows in tables.items())
        return self._all_knobs(tables) if tables is not None and swapped else self.knobs

    def _all_knobs(self, tables: Tables) -> dict[str, Knob]:
        knobs = read_knobs(self.folder / "knobs.toml", tables)
        for schema in self.tables:
            if schema.blank:
                options = ("none", *(str(row[schema.key]) for row in tables[schema.name]))
                knobs[f"blank_{schema.name}"] = Knob(
                    f"blank_{schema.name}", "choice", "none", 0, len(options) - 1, options, "", (),
                    f"row of the table {schema.name} whose effect is taken away", blanks=schema.name,
                )  # fmt: skip
        return KnobTable(knobs, self._luck_knobs(tables))

    @cached_property
    def luck_knobs(self) -> dict[str, Knob]:
        """The luck knobs of its dice and decks, by name."""
        return self._luck_knobs(self.own_tables)

    def _luck_knobs(self, tables: Tables) -> dict[str, Knob]:
        return {name: knob for die in self.dice for name, knob in die.knobs(self, tables).items()}

    def blanked(self, tables: Tables, resolved: Mapping[str, KnobValue]) -> dict[str, list[dict[str, str | int]]]:
        """The tables with the rows blanked that knobs name (TableSchema.blank)."""
        found = dict(tables)
        for schema in self.tables:
            name = resolved.get(f"blank_{schema.name}", "none") if schema.blank else "none"
            if name != "none":
                found[schema.name] = [
                    {**row, **schema.blank} if str(row[schema.key]) == name else row for row in tables[schema.name]
                ]
        return found

    @cached_property
    def knob_type(self) -> np.dtype[np.void]:
        """Record of the knobs: int64, or float64 for a float knob; a choice as its index."""
        kinds = [(k.name, np.float64 if k.kind == "float" else np.int64) for k in self.knobs.values()]
        return np.dtype(kinds or [("none", np.int64)], align=True)

    @cached_property
    def row_type(self) -> np.dtype[np.void]:
        """Record of a finished game: the columns that all games have, then the game's metrics."""
        fields: list[tuple[Any, ...]] = [
            ("game", np.int64),
            ("winner", np.int8),
            ("winners", np.uint16),
            ("ending", np.int8),
            ("turns", np.int16),
            ("decisions", np.int32),
            ("score", np.int32, (len(self.seats),)),
        ]
        if self.seat_categories:
            fields.append(("category", np.int16, (len(self.seat_categories), len(self.seats))))
        return np.dtype(fields + [(m.name, m.row_kind) for m in self.metrics], align=True)

    @cached_property
    def measures(self) -> dict[str, Metric]:
        """All numbers that are kept of a finished game, by name: length, decisions, scores, the game's metrics."""
        return measures_of(self)

    @property
    def max_actions(self) -> int:
        """Bound of the action numbers."""
        return int(self.state["legal"].shape[0])

    @property
    def n_items(self) -> int:
        """Bound of the numbers of items; 0 for a game that follows none."""
        return self.items.count if self.items else 0

    @property
    def n_uses(self) -> int:
        """Number of things that an item can be used for."""
        return len(self.items.uses) if self.items else 0

    @property
    def n_hexes(self) -> int:
        """Bound of the number of hexes that are followed; 0 for a game without a map of hexes."""
        return self.hex_map.count if self.hex_map else 0

    @property
    def hex_marks(self) -> tuple[HexMark, ...]:
        """What is followed on each hex."""
        return self.hex_map.marks if self.hex_map else ()

    def table(self, name: str) -> TableSchema:
        """The schema of a table by name."""
        for schema in self.tables:
            if schema.name == name:
                return schema
        raise UserMistake(f"{self.slug} has no table '{name}'. {nearest(name, [t.name for t in self.tables])}")

    @cached_property
    def own_tables(self) -> dict[str, list[dict[str, str | int]]]:
        """The game's own tables, as this process first read them."""
        return {t.name: t.read(self.folder / f"{t.name}.csv") for t in self.tables}

    def read_tables(self, files: Mapping[str, Path] | None = None) -> dict[str, list[dict[str, str | int]]]:
        """All tables, each from the game's own CSV or from the file given in its place."""
        swapped = {name: self.table(name).read(Path(path)) for name, path in (files or {}).items()}
        return {**self.own_tables, **swapped}

    def pack(self, tables: Tables, files: Mapping[str, Path] | None = None) -> Array:
        """The cards record of tables (`pack_cards`).

        Args:
            files: of the tables that were swapped for a file.
        Raises:
            UserMistake: a table that the game cannot use; names file and line where `pack_cards` names table and row.
        """
        try:
            return self.pack_cards(tables)
        except UserMistake as mistake:
            named = re.match(r"table (\w+)(?:, ([^,:]+))?(?=[,:])", str(mistake))
            path = (files or {}).get(named[1]) if named else None
            if named is None or path is None:
                raise
            line = self.table(named[1]).line_of(Path(path), named[2]) if named[2] else None
            at = f"{path}, line {line} ({named[2]})" if line else f"{path}, {named[2]}" if named[2] else f"{path}"
            raise UserMistake(f"{at}{str(mistake)[named.end() :]}") from None

    def resolve_knobs(
        self,
        values: Mapping[str, object] | None = None,
        tables: Tables | None = None,
        where: str = "",
    ) -> dict[str, KnobValue]:
        """All knobs with their values: the printed default, the table's, or the one given.

        Raises:
            UserMistake: unknown knob, value not allowed, or values that contradict each other.
        """
        knobs = self.knobs_with(tables)
        at = f"{where}: " if where else ""
        resolved = {name: knob.default for name, knob in knobs.items()}
        for name, value in (values or {}).items():
            if name not in knobs:
                raise UserMistake(f"{at}{self.slug} has no knob '{name}'. {nearest(name, knobs)}")
            parsed = knobs[name].parse(value, where)
            if not knobs[name].luck or parsed != knobs[name].default:
                resolved[name] = parsed
        faults = self.faults_of(resolved, tables)
        if faults:
            raise UserMistake(at + first_few(faults))
        return resolved

    def faults_of(self, resolved: Mapping[str, KnobValue], tables: Tables | None = None) -> list[str]:
        """What is contradictory in a full set of knobs, luck knobs among them, a sentence each.

        Args:
            tables: None for the game's own.
        """
        faults = list(self.check_knobs(resolved))
        for die in self.dice:
            try:
                if die.sides and die.knob.name in resolved:
                    die.chances(resolved)
                if die.card_knob in resolved:
                    die.weights(self, resolved, tables if tables is not None else self.own_tables)
            except UserMistake as mistake:
                faults.append(str(mistake))
        return faults

    def pack_knobs(self, resolved: Mapping[str, KnobValue]) -> np.ndarray[Any, Any]:
        """The record of knobs, an array of shape (1,) of `knob_type`."""
        packed = np.zeros(1, self.knob_type)
        for name, knob in self.knobs.items():
            if not knob.blanks:  # what it does is done to the tables
                packed[name] = knob.encode(resolved[name])
        return packed


def write_text(cell: Array, text: str) -> None:
    """Puts a text into a record of cards, so that labels can show what a swapped table calls things.

    Args:
        cell: uint8 (bytes,), all 0: a field of the record; longer texts are cut to what fits, in UTF-8.
    """
    data = text.encode()[: cell.size].decode(errors="ignore").encode()
    cell[: len(data)] = list(data)


def read_text(cell: Array) -> str:
    """The text that write_text put there."""
    return bytes(cell).rstrip(b"\0").decode()


def read_plain_file(path: Path, limit: int, what: str) -> bytes:
    """The bytes of a file, of a plain one alone: a device never ends, and a pipe may never begin.

    Args:
        limit: most bytes. what: what such a file is, for the message.
    Raises:
        UserMistake: missing, unreadable, too large or no plain file.
    """
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            raise UserMistake(f"{path}: is no plain file, and {what} is one.")
        with open(handle, "rb") as file:
            data = file.read(limit + 1)
    except OSError as fault:
        raise UserMistake(f"{path}: cannot be read ({fault.strerror}).") from None
    except ValueError:  # a zero byte in the name
        raise UserMistake(f"{str(path)[:80]!r}: cannot be read (no name of a file).") from None
    if len(data) > limit:
        raise UserMistake(f"{path}: over {limit // 1_000_000} MB, which is not {what}.")
    return data


def _depth(data: object) -> int:
    """How many tables and lists stand in each other."""
    deep, level = 0, [data]
    while level and deep <= _DEEPEST:
        deep += 1
        inner = [one.values() if isinstance(one, dict) else one for one in level if isinstance(one, dict | list)]
        level = [thing for some in inner for thing in some]
    return deep


def read_toml(path: Path) -> dict[str, Any]:
    """A TOML file as a dict.

    Raises:
        UserMistake: unreadable, not UTF-8, or not TOML; names the file and the line.
    """
    try:
        text = _decoded(path)
        data = tomllib.loads(text)
        if _depth(data) > _DEEPEST:  # a dotted key nests too, without tomllib minding
            raise RecursionError
        return data
    except ValueError as fault:  # TOMLDecodeError, and Python's own for a number of thousands of digits
        raise UserMistake(f"{path}: is not TOML: {fault}.{_slip(text, str(fault))}") from None
    except RecursionError:
        raise UserMistake(f"{path}: is nested too deeply.") from None


def _decoded(path: Path) -> str:
    data = read_plain_file(path, 5_000_000, "a configuration")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise UserMistake(f"{path}: is UTF-16 text. Save it as UTF-8.")
    try:
        return data.decode("utf-8-sig")  # some editors put a mark before the first letter
    except UnicodeDecodeError:
        raise UserMistake(f"{path}: is not UTF-8 text. Save it as UTF-8.") from None


def _slip(text: str, fault: str) -> str:
    """The line that is no TOML, and how to mend the slips that people make; empty where no line is named."""
    place = re.search(r"at line (\d+)", fault)
    lines = text.splitlines()
    if not place or int(place[1]) > len(lines):
        return ""
    line = lines[int(place[1]) - 1].strip()
    value = line.partition("=")[2].strip()
    hint = ""
    if re.search("[“”„‟«»‘’‚]", line):
        hint = ' Write straight quotes: name = "my_question".'
    elif "\\" in line:
        hint = " In a path write /, or put it in single quotes, in which \\ stands for itself."
    elif re.search(r"(?<![\d\[])\b\d+,\d+\b", re.sub(r"([\"']).*?\1|\[.*?\]", "", value)):
        hint = " A number has no comma: write 0.5, and 20_000 for twenty thousand."
    elif re.match(r"(True|False|TRUE|FALSE|yes|no|on|off)\b", value):
        hint = " Write true or false, in small letters."
    elif re.match(r"\[\s*[A-Za-z./]", value):
        hint = ' Text stands in quotes: ["random", "waiter"].'
    elif re.match(r"[A-Za-z./]", value):
        hint = f' Text stands in quotes: {line.partition("=")[0].strip()} = "{value}".'
    return f"\nThe line: {line[:100]}{hint and chr(10)}{hint.strip()}"


def read_knobs(path: Path, tables: Tables | None = None) -> dict[str, Knob]:
    """The knobs of a game out of its knobs.toml.

    A knob's table has `default`, `range = [low, high]` or `options = [..]` (both missing: true or false), `unit`,
    `rules`, `help`, `switch`. `default = {table = "counters", row = "mine", column = "modifier"}` takes the
    printed value from a component table, so that it is said once.

    Raises:
        UserMistake: anything of it is of another form; names file and knob.
    """
    return {name: _read_knob(name, entry, f"{path} [{name}]", tables or {}) for name, entry in read_toml(path).items()}


_KNOB_KEYS = ("default", "range", "options", "unit", "rules", "help", "switch")


def _read_knob(name: str, entry: object, at: str, tables: Tables) -> Knob:
    if not isinstance(entry, dict):
        raise UserMistake(f"{at}: is not a table. Write [{name}], and below it default, rules and help.")
    if not name.isidentifier() or name in dir(np.recarray):
        raise UserMistake(f"{at}: a knob needs a name that kernels can use: letters, digits and '_', none of NumPy's.")
    for key in entry:
        if key not in _KNOB_KEYS:
            raise UserMistake(f"{at}: unknown key '{key}'. {nearest(key, _KNOB_KEYS)}")
    for key in ("default", "rules", "help"):
        if key not in entry:
            raise UserMistake(f"{at}: '{key}' is missing.")
    for key, form, example in (
        ("unit", str, '"cards"'),
        ("help", str, '"cards in the deck"'),
        ("switch", bool, "true"),
    ):
        if not isinstance(entry.get(key, form()), form):
            raise UserMistake(f"{at}: {key} = {entry[key]} is not allowed. Write {key} = {example}.")
    if not isinstance(entry["rules"], list) or not all(isinstance(rule, str) for rule in entry["rules"]):
        raise UserMistake(f'{at}: rules = {entry["rules"]} is not allowed: list the rules that read it, as ["R-1.1"].')
    if "range" in entry and "options" in entry:
        raise UserMistake(f"{at}: has range and options. A number has a range, a choice has options.")
    default, source = entry["default"], None
    if isinstance(default, dict):
        if set(default) != {"table", "row", "column"}:
            raise UserMistake(f'{at}: default takes a value, or {{table = "..", row = "..", column = ".."}}.')
        source = (default["table"], default["row"], default["column"])
        default = _cell(tables, *source, at)
    options, low, high, kind = _kind_of(entry, default, at)
    rules = tuple(entry["rules"])
    blank = Knob(name, kind, 0, low, high, options, entry.get("unit", ""), rules, entry["help"])
    return replace(blank, default=blank.parse(default, at), switch=entry.get("switch", False), table=source)


def _kind_of(entry: Mapping[str, Any], default: object, at: str) -> tuple[tuple[str, ...], float, float, str]:
    """Options, ends of the range, and kind of a knob."""
    if "options" in entry:
        given = entry["options"]
        if not isinstance(given, list) or not given or not all(isinstance(o, str | bool | int | float) for o in given):
            raise UserMistake(f'{at}: options = {given} is not allowed: list what it can be, as ["lose", "stop"].')
        options = tuple(str(o).lower() if isinstance(o, bool) else str(o) for o in given)
        twice = next((option for option in options if options.count(option) > 1), None)
        if twice is not None:
            raise UserMistake(f"{at}: options name '{twice}' twice. Name each once.")
        return options, 0.0, float(len(options) - 1), "choice"
    if "range" not in entry:
        return (), 0.0, 1.0, "bool"
    given = entry["range"]
    numbers = (
        [v for v in given if isinstance(v, int | float) and not isinstance(v, bool)] if isinstance(given, list) else []
    )
    if len(numbers) != 2 or len(given) != 2 or not numbers[0] <= numbers[1] or max(map(abs, numbers)) > 1e15:
        raise UserMistake(
            f"{at}: range = {given} is not allowed: a range is two numbers, as [1, 6], the lower one first."
        )
    low, high = (float(v) for v in numbers)
    return (), low, high, "float" if any(isinstance(v, float) for v in (*numbers, default)) else "int"


def _cell(tables: Tables, table: str, row: str, column: str, at: str) -> str | int:
    if table not in tables:
        raise UserMistake(f"{at}: default: there is no table '{table}'. {nearest(str(table), tables)}")
    for entry in tables[table]:
        if row in (entry.get("id"), entry.get("name")):
            if column not in entry:
                raise UserMistake(f"{at}: default: {table} has no column '{column}'. {nearest(str(column), entry)}")
            return entry[column]
    raise UserMistake(f"{at}: default: the table {table} has no row '{row}'.")


_STATUS = ("exact", "ruling", "abstracted")


def read_ledger(path: Path) -> tuple[Rule, ...]:
    """The rules of a ledger.toml: `[[rule]]` with id, text, where, status and, where it reads any, knobs.

    Raises:
        UserMistake: anything of it is of another form, or an ID stands there twice; names file and rule.
    """
    entries = read_toml(path).get("rule", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise UserMistake(f"{path}: rules are a list of tables. Begin each with [[rule]].")
    rules = []
    names: dict[str, str] = {}  # as kernels call them -> ID
    for number, entry in enumerate(entries, start=1):
        at = f"{path}, rule {entry.get('id', f'number {number}')}"
        for key in ("id", "text", "where", "status"):
            if key not in entry:
                raise UserMistake(f"{at}: '{key}' is missing.")
            if not isinstance(entry[key], str):
                raise UserMistake(f'{at}: {key} = {entry[key]} is not allowed: it is a text. Write {key} = "..".')
        if entry["status"] not in _STATUS:
            raise UserMistake(f"{at}: status is exact, ruling or abstracted, not '{entry['status']}'.")
        knobs = entry.get("knobs", [])
        if not isinstance(knobs, list) or not all(isinstance(knob, str) for knob in knobs):
            raise UserMistake(f'{at}: knobs = {knobs} is not allowed: list the knobs that it reads, as ["goal"].')
        name = _kernel_name(entry["id"])
        if name in names:
            other = (
                "it stands there already" if names[name] == entry["id"] else f"{names[name]} has the same name in code"
            )
            raise UserMistake(f"{at}: {other}. Give each rule an ID of its own.")
        names[name] = entry["id"]
        rules.append(Rule(entry["id"], entry["text"], entry["where"], entry["status"], tuple(knobs)))
    return tuple(rules)


def _kernel_name(rule: str) -> str:
    return rule.replace("-", "_")


def rule_index(path: Path) -> dict[str, np.int64]:
    """Names and indices of a ledger's rules for kernels: `SS-CON-06` becomes SS_CON_06.

    NumPy's whole numbers, for a kernel's sake: Numba compiles a function anew for every literal that it is given.
    """
    return {_kernel_name(rule.id): np.int64(i) for i, rule in enumerate(read_ledger(path))}
