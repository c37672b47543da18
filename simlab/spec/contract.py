"""The contract between the lab and a game: a game is data plus a few functions.

A game's folder holds a package whose `__init__.py` defines `GAME`, an instance of `Game`. Next to the code are
`ledger.toml` (the rules), `knobs.toml` (the numbers a designer tweaks) and the component tables as CSV. The lab finds
the folder by slug, by the entry point group `simlab.games` or by its path; nothing outside the folder names the game.

The functions, all compiled (`state`, `knobs`, `cards` are records):

    initial_state(state, knobs, cards)          sets up and advances to the first decision
    legal_actions(state, knobs, cards) offers the legal actions: `offer(state, action)`; changes nothing else
                                                except the game's own fields named legal_, which hold the same list in
                                                another form
    apply_action(state, knobs, cards, action)   one decision, and everything that follows up to the next one or the end
    determinize(state, knobs, cards, seat)      redraws all that `seat` cannot see, consistently with what it sees; the
                                                result depends only on draws and on what it sees (streams.redraw_order)
    outcome(state, knobs, cards, row)           fills the row of a finished game
    track_values(state, knobs, cards, values)   sets every value of `Game.tracks`; the buffer holds older values
    reshuffle(state, knobs, cards, unseen)      if the record holds what no seat has seen, such as the order of a deck:
                                                draws again the order of decks, each from its own stream, and with
                                                `unseen` all else that no seat has seen
    item_uses(state, knobs, cards, used)        if a game has `Game.items`: who used which card, and for what
    hex_values(state, knobs, cards, values)     if a game has `Game.hex_map`: the values of its marks

A game with a variable number of players defines `game(players: int = 4) -> Game` instead of `GAME`.

Two more are plain Python: `action_label(state, knobs, cards, action)` and `describe(state, knobs, cards, seat)`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from simlab.errors import InputError, first_few, nearest
from simlab.spec import bans
from simlab.spec.card_tables import Tables, TableSchema
from simlab.spec.components import Components, Items
from simlab.spec.knobs import (
    FAIR,
    BlankKnob,
    CardsKnob,
    DecimalKnob,
    FacesKnob,
    Knob,
    KnobTable,
    KnobValue,
    read_knobs,
    read_weights,
)  # fmt: skip
from simlab.spec.ledger import Rule, read_ledger
from simlab.spec.maps import HexMap, HexMark
from simlab.spec.metrics import Metric, SeatCategory, Track, measures_of
from simlab.spec.record import MOST_ACTIONS, MOST_SEATS, Array, Cards, Description, Kernel, Knobs, State


class GivenDraw(NamedTuple):
    """The next result of a random stream, as simlab.engine.forced_draws.force takes it; name: in words."""

    name: str
    stream: int
    value: int


@dataclass(frozen=True)
class Decision:
    """One kind of decision point.

    Attributes:
        id: the ledger's ID, such as `SS-D-01`.
        name: name of the decision, such as `Besieger's action`.
        actions: names of the actions if they are few and fixed, else empty.
        secret: True if the other seats learn that it was taken, not what was chosen.
        continues: IDs of the decisions of which this one is a further part, if the same seat makes it next: the target
            after the action, or one discard after another (then its own ID). People make such a choice once, so `simlab
            analyze time` counts it once; nothing else uses it.
        options: names of the options for reports, if `actions` is empty: places of a market, cards, numbers.
        slots: field of the record that holds the card of each option, such as the cards of a market row; these options
            come first. deck: name of the deck (Die) of these cards; a card can then be banned wherever it lies.
    """

    id: str
    name: str
    actions: tuple[str, ...] = ()
    secret: bool = False
    continues: tuple[str, ...] = ()
    slots: str = ""
    deck: str = ""
    options: tuple[str, ...] = ()

    def action(self, number: int) -> str:
        """The name of an option; "action 3" if the game names none."""
        names = self.actions or self.options
        return names[number] if number < len(names) else f"action {number}"


@dataclass(frozen=True)
class Side:
    """Seats that win and lose together.

    Attributes:
        wins: the verb for its win, as in "the village holds".
        endings: the endings in which the side wins, if one of its seats may also win on its own (a traitor who gets
            away). Empty: the side wins whenever one of its seats does.
    """

    name: str
    seats: tuple[str, ...]
    wins: str = "wins"
    endings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Die:
    """A die whose faces a designer may weight, or a deck that may be shuffled badly; each gives the game luck knobs.

    A luck knob is set and varied like any other, but is not listed with the knobs of the rules. Unset luck knobs change
    nothing. `die_<name>` takes weights of faces. `deck_<name>` takes the share of draws for which a bad shuffle leaves
    the card where it lay. `cards_<name>` takes weights of cards: how likely each is to come next, relative to the
    others.

    Attributes:
        name: a word; with `die_` or `deck_` in front it is the name of the knob.
        stream: the random stream, or streams, that it draws from. If two dice share a stream, the first die whose knob
            is set applies.
        sides: faces of the die, a number or the knob that holds it; 0 for a deck. The stream's calls of `below` with
            this number of outcomes are rolls of the die; use `one_of` for a random pick that is not a roll.
        help: rolls of the die, or cards of the deck, in words.
        cards: for a deck that is drawn by `draw_card` or a similar function (simlab.engine.streams): the name of the
            table whose rows are its cards 0, 1, 2 ..., the names of these cards, or a function of the tables that
            returns the cards' numbers, from 0, by name.
    """

    name: str
    stream: str | tuple[str, ...]
    sides: int | str
    help: str
    cards: str | tuple[str, ...] | Callable[[Tables], Mapping[str, int]] | None = None

    @property
    def streams(self) -> tuple[str, ...]:
        """The random streams that the die or deck draws from."""
        return (self.stream,) if isinstance(self.stream, str) else self.stream

    @property
    def knob(self) -> Knob:
        if self.sides == 0:
            what = f"share of the draws that keep the packed order (a bad shuffle): {self.help}"
            return DecimalKnob(f"deck_{self.name}", 0.0, 0.0, 1.0, help=what, luck=True)
        what = f"weights of the faces of a die, 1 for faces that are not named: {self.help}"
        return FacesKnob(f"die_{self.name}", FAIR, help=what, luck=True)

    @property
    def card_knob(self) -> str:
        """Name of the knob for the weights of the deck's cards."""
        return f"cards_{self.name}"

    def knobs(self, game: Game, tables: Tables) -> dict[str, Knob]:
        """Its luck knobs by name."""
        knobs = {self.knob.name: self.knob}
        if self.cards is not None:
            what = f"weights of single cards, 1 for cards that are not named; heavier cards come earlier: {self.help}"
            names = tuple(self.numbers(game, tables))
            knobs[self.card_knob] = CardsKnob(self.card_knob, FAIR, options=names, help=what, luck=True)
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
        """Number -> weight in hundredths, for the cards whose weight is not 1.

        Raises:
            InputError: all cards of the deck weigh 0, or it is shuffled badly at the same time.
        """
        text = str(resolved.get(self.card_knob, FAIR))
        weights = read_weights(text)
        numbers = self.numbers(game, tables)
        if weights and not any(weights.get(name, 1) for name in numbers):
            raise InputError(f"{self.card_knob} = {text}: all cards weigh 0. Give one of them a weight.")
        if weights and self.knob.name in resolved:
            raise InputError(
                f"{self.card_knob} and {self.knob.name}: the same deck cannot be shuffled badly and by weight. Set one."
            )
        return {numbers[name]: round(100 * weight) for name, weight in weights.items() if weight != 1}

    def faces(self, resolved: Mapping[str, KnobValue]) -> int:
        """Number of faces of the die under these knobs; 0 for a deck."""
        return int(resolved[self.sides]) if isinstance(self.sides, str) else self.sides

    def chances(self, resolved: Mapping[str, KnobValue]) -> np.ndarray[Any, np.dtype[np.float64]]:
        """The chance of each face, (faces,). InputError: the die does not have a face, or all weights are 0."""
        text = str(resolved.get(self.knob.name, FAIR))
        weights = np.ones(self.faces(resolved))
        for face, weight in read_weights(text).items():
            if int(face) > weights.size:
                raise InputError(f"{self.knob.name} = {text}: the die has faces 1..{weights.size}, and no {face}.")
            weights[int(face) - 1] = weight
        if not weights.sum():
            raise InputError(f"{self.knob.name} = {text}: all faces weigh 0. Give one of them a weight.")
        chances: np.ndarray[Any, np.dtype[np.float64]] = weights / weights.sum()
        return chances


@dataclass(frozen=True, kw_only=True)
class GameSpec:
    """A game's declarations (names, numbers, bounds), which results folders store. A `Game` adds its code."""

    slug: str
    title: str
    seats: tuple[str, ...]  #: names; a seat's number is its position
    endings: tuple[str, ...]  #: names of the ways a game ends
    decisions: tuple[Decision, ...]
    metrics: tuple[Metric, ...]
    tracks: tuple[Track, ...]
    max_turns: int  #: bound of its length
    max_decisions: int = 0  #: a game that reaches it is an error, not a result; 0: not stated
    has_scores: bool = False  #: whether `score` in the row means something (victory points)
    score_range: tuple[int | None, int | None] = (None, None)  #: of every seat, for all knobs, as of a Metric
    turn_name: str = "turn"  #: the game's unit of length
    lead: tuple[str, ...] = ()  #: a track for each seat: the highest leads; empty: the game does not say who is ahead
    article: str = "the"  #: the word before a seat in a sentence; "" if seats have names, such as ann and bob
    players: tuple[int, int] = (0, 0)  #: least and most seats, for a game defined by `def game(players: int = 4)`
    sides: tuple[Side, ...] = ()  #: who wins and loses together; empty: each seat is its own side
    seat_categories: tuple[SeatCategory, ...] = ()  #: that change from game to game: role, start place

    @cached_property
    def measures(self) -> dict[str, Metric]:
        """All numbers recorded for a finished game, by name: length, decisions, scores, the game's metrics."""
        return measures_of(self)

    @cached_property
    def derived(self) -> dict[Any, Any]:
        """Values that other modules computed for this game, by their own keys; kept as long as the game object."""
        return {}

    @property
    def winners(self) -> tuple[str, ...]:
        """The names of the values in the column `winner`."""
        return (*self.seats, "nobody", "shared")


@dataclass(frozen=True, kw_only=True)
class Game(GameSpec):
    """One game that follows the lab's contract. See the module's docstring for the functions.

    Raises InputError if it has more seats or actions than the lab can count.

    Attributes:
        folder: the folder with the code, ledger.toml, knobs.toml and the tables.
        streams: names of its random streams, one for each purpose.
        state, cards: dtypes of the records.
        pack_cards: builds the record of cards from the tables (array of shape (1,)).
        check_knobs: returns the contradictions in a full set of knobs, one sentence each.
        items: items that are tracked individually, or None.
        hex_map: a map of hexes and its marks, or None.
        components: pieces of the box that are counted while they are in use, or None.
        reshuffle: see the module's docstring; None for a game that draws each card when it is taken, so that its record
            holds nothing that no seat has seen.
        play_part: apply_action in parts, for replay: with an action, it carries out the decision alone; with -1, one
            step of the consequences. It sets `n_legal` to 1 as long as another step follows before the next decision.
        part_name: the phase of the part just played; a replay joins parts of the same name.
        asides: lines that a replay prints below a decision, from the states before and after a part (or a decision), in
            the order of events: dice and their results, cards that were revealed, choices that were made without asking
            because there was only one option. They must not contain anything that is hidden from a seat.
        under_way: the rules under way in a position where a decision is pending, for the headings of a replay.
        rolls: each roll of the dice in words, for the full replay and the viewer: a function of the states before and
            after a part, and of the action that the part carried out, -1 for none.
        bots: module that holds its bots; by default `policies.<slug>`, else `bots` in the folder.
        default_bot: bot of every seat for which a command, a call or the app names no bot. It must be able to take
            every seat. Choose a bot other than "random" if random choices give games that nobody would play.
        dice: dice that can be weighted and decks that can be shuffled badly.
        option_names: names of all options of a kind of decision, by number, with the tables in play; "" for an option
            whose name depends on the position; None: the names are known only from games (simlab.engine.option_names).
            Options of the same name are one to a ban: copies of a card.
        small: True for a small, well-known game for learning and checks; lists name them last.
        own: metrics that a designer added to `metrics` (simlab.engine.custom_metrics); plain: the game without them.
    """

    summary: str
    folder: Path
    streams: tuple[str, ...]
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
    check_knobs: Callable[[Mapping[str, KnobValue]], list[str]] = lambda knobs: []
    items: Items | None = None
    hex_map: HexMap | None = None
    components: Components | None = None
    reshuffle: Kernel | None = None
    prepare: Callable[[State, Knobs, Cards], None] | None = None
    play_part: Kernel | None = None
    part_name: Callable[[State, Knobs, Cards], str] = lambda state, knobs, cards: ""
    asides: Callable[[State, State, Knobs, Cards], list[str]] = lambda before, after, knobs, cards: []
    under_way: Callable[[State], str] = lambda state: ""
    rolls: Callable[[State, State, int, Knobs, Cards], list[str]] = lambda before, after, action, knobs, cards: []
    bots: str = ""
    default_bot: str = "random"
    dice: tuple[Die, ...] = ()
    option_names: Callable[[int, Tables], Sequence[str] | None] = lambda kind, tables: None
    small: bool = False
    own: tuple[Any, ...] = ()
    plain: Game | None = None

    def __post_init__(self) -> None:
        most = max(len(self.seats), self.players[1])
        if not self.seats or most > MOST_SEATS:
            raise InputError(f"game {self.slug}: has {most} seats; a game has 1 to {MOST_SEATS}.")
        if self.max_actions > MOST_ACTIONS:
            raise InputError(
                f"game {self.slug}: max_actions = {self.max_actions:,} is over {MOST_ACTIONS:,}. Split a decision into "
                "several smaller ones."
            )
        known = {decision.id for decision in self.decisions}
        for decision in self.decisions:
            if isinstance(decision.continues, str) or not known.issuperset(decision.continues):
                raise InputError(
                    f"game {self.slug}: decision {decision.id} continues {decision.continues!r}. Give a tuple of "
                    f"IDs of its decisions: {', '.join(sorted(known))}."
                )

    @property
    def path(self) -> Path:
        """Location of the game's code: a folder, or the file of a game that is one class."""
        return self.folder

    @property
    def reference(self) -> str:
        """The game as a command names it: its slug, or the path of a game of the user's own."""
        return str(self.path) if str(self.action_label.__module__).startswith("simlab_game_") else self.slug

    @property
    def sources(self) -> tuple[Path, ...]:
        """Folders and files that contain its code and tables."""
        return (self.folder,)

    @property
    def is_class(self) -> bool:
        """Whether the game was written as a class (simlab.author); a class can also be played in plain Python."""
        return False

    def decisions_in(self, tables: Tables) -> tuple[Decision, ...]:
        """The kinds of decisions, whose options have the names that they have with these card tables."""
        return self.decisions

    def narration(self, before: State, after: State, action: int, knobs: Knobs, cards: Cards) -> list[str]:
        """The lines of `asides`. action: that the part carried out, -1 for none."""
        return self.asides(before, after, knobs, cards)

    def move_text(self, seat: str, decision: Decision, label: str) -> str:
        """A move in one line: who, and the label of the action, with the decision if the label needs it."""
        return f"{seat}: {label}"

    def seat_number(self, seat: str, at: str = "") -> int:
        """The number of a seat; InputError, which begins with `at`, if there is no such seat."""
        if seat not in self.seats:
            raise InputError(f"{at}{self.slug} has no seat '{seat}'. {nearest(seat, self.seats)}")
        return self.seats.index(seat)

    def read_draws(self, draws: Mapping[str, Sequence[int | str]], tables: Tables) -> list[GivenDraw]:
        """The next results of decks, bags and dice of a game that is written as a class."""
        raise NotImplementedError

    def why_not_drawn(self, state: State, knobs: Knobs, cards: Cards, stream: int, value: int) -> str:
        """Why a given result of `read_draws` could not be drawn; "" if it could."""
        raise NotImplementedError

    def set_fields(self, state: State, knobs: Knobs, cards: Cards, fields: Mapping[str, Any]) -> None:
        """Sets fields of a record.

        Raises:
            InputError: an unknown field or a value that it cannot hold; a game that is not written as a class.
        """
        raise InputError(f"{self.slug}: fields can be set only in games that are written as classes.")

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """The rule ledger, in its order: a rule's index is its position."""
        return read_ledger(self.folder / "ledger.toml")

    @cached_property
    def knobs(self) -> KnobTable:
        """The knobs by name, with the printed defaults."""
        return self._all_knobs(self.own_tables)

    def knobs_with(self, tables: Tables | None) -> KnobTable:
        """The knobs under these component tables (None: the game's own), with defaults and blankable rows from them."""
        swapped = tables is not None and any(rows is not self.own_tables.get(name) for name, rows in tables.items())
        return self._all_knobs(tables) if tables is not None and swapped else self.knobs

    def _all_knobs(self, tables: Tables) -> KnobTable:
        knobs = read_knobs(self.folder / "knobs.toml", tables)
        for schema in self.tables:
            if schema.blank:
                options = ("none", *(str(row[schema.key]) for row in tables[schema.name]))
                knobs[f"blank_{schema.name}"] = BlankKnob(
                    f"blank_{schema.name}", "none", 0, len(options) - 1, options, blanks=schema.name,
                    help=f"rows of the table {schema.name} whose effect is taken away, joined by '+'",
                )  # fmt: skip
        return KnobTable(knobs, self._luck_knobs(tables))

    def _luck_knobs(self, tables: Tables) -> dict[str, Knob]:
        """The luck knobs of the game's dice and decks by name, and its knob for bans."""
        loaded = {name: knob for die in self.dice for name, knob in die.knobs(self, tables).items()}
        return loaded | {bans.NAME: bans.ban_knob(self, tables)}

    def blanked(self, tables: Tables, resolved: Mapping[str, KnobValue]) -> dict[str, list[dict[str, str | int]]]:
        """The tables after the knobs have blanked rows (TableSchema.blank)."""
        found = dict(tables)
        knobs = self.knobs_with(tables)
        for schema in self.tables:
            knob = knobs.get(f"blank_{schema.name}")
            rows = knob.rows(resolved.get(knob.name, "none")) if isinstance(knob, BlankKnob) else []
            if rows:
                found[schema.name] = [
                    {**row, **schema.blank} if str(row[schema.key]) in rows else row for row in tables[schema.name]
                ]
        return found

    @cached_property
    def knob_type(self) -> np.dtype[np.void]:
        """Record of the knobs: int64, or float64 for a float knob; a choice as its index."""
        kinds = [(k.name, k.storage) for k in self.knobs.values()]
        taken = [name for name in (bans.NAME, *bans.FIELDS) if dict.__contains__(self.knobs, name)]
        if taken:
            raise InputError(f"game {self.slug}: the lab uses the name '{taken[0]}'. Call this knob something else.")
        return np.dtype([*kinds, *bans.record_fields(self)], align=True)

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

    @property
    def max_actions(self) -> int:
        """Bound of the action numbers."""
        return int(self.state["legal"].shape[0])

    @property
    def n_items(self) -> int:
        """Bound of the numbers of items; 0 for a game that tracks none."""
        return self.items.count if self.items else 0

    @property
    def n_uses(self) -> int:
        """Number of uses that an item can have."""
        return len(self.items.uses) if self.items else 0

    @property
    def n_hexes(self) -> int:
        """Bound of the numbers of hexes with statistics; 0 for a game without a map of hexes."""
        return self.hex_map.count if self.hex_map else 0

    @property
    def hex_marks(self) -> tuple[HexMark, ...]:
        """A mark on each hex."""
        return self.hex_map.marks if self.hex_map else ()

    def table(self, name: str) -> TableSchema:
        """The schema of a table by name."""
        for schema in self.tables:
            if schema.name == name:
                return schema
        raise InputError(f"{self.slug} has no table '{name}'. {nearest(name, [t.name for t in self.tables])}")

    @cached_property
    def own_tables(self) -> dict[str, list[dict[str, str | int]]]:
        """The game's own tables, as this process first read them."""
        return {t.name: t.read(self.folder / f"{t.name}.csv") for t in self.tables}

    def read_tables(self, files: Mapping[str, Path] | None = None) -> dict[str, list[dict[str, str | int]]]:
        """All tables, each read from the game's own CSV or from the file that replaces it."""
        swapped = {name: self.table(name).read(Path(path)) for name, path in (files or {}).items()}
        return {**self.own_tables, **swapped}

    @cached_property
    def _packed(self) -> list[tuple[Tables, Array]]:
        """The tables that were packed last, and their record, because the line-ups of a run share them."""
        return []

    def pack(self, tables: Tables, files: Mapping[str, Path] | None = None) -> Array:
        """The record of cards, built from the tables (`pack_cards`), some of which come from files.

        Raises:
            InputError: the game cannot use a table; the message names file and line if `pack_cards` names table and
                row.
        """
        for known, cards in self._packed:
            if known == tables:
                return cards.copy()
        try:
            cards = self.pack_cards(tables)
            self._packed[:] = [({name: [dict(row) for row in rows] for name, rows in tables.items()}, cards)]
            return cards.copy()
        except InputError as mistake:
            named = re.match(r"table (\w+)(?:, ([^,:]+))?(?=[,:])", str(mistake))
            path = (files or {}).get(named[1]) if named else None
            if named is None or path is None:
                raise
            line = self.table(named[1]).line_of(Path(path), named[2]) if named[2] else None
            at = f"{path}, line {line} ({named[2]})" if line else f"{path}, {named[2]}" if named[2] else f"{path}"
            raise InputError(f"{at}{str(mistake)[named.end() :]}") from None

    def resolve_knobs(
        self,
        values: Mapping[str, object] | None = None,
        tables: Tables | None = None,
        where: str = "",
    ) -> dict[str, KnobValue]:
        """All knobs with their values: the given value, or else the table's value, or else the printed default.

        Raises:
            InputError: unknown knob, value not allowed, or values that contradict each other.
        """
        knobs = self.knobs_with(tables)
        at = f"{where}: " if where else ""
        resolved = {name: knob.default for name, knob in knobs.items()}
        for name, value in (values or {}).items():
            if name not in knobs:
                raise InputError(f"{at}{self.slug} has no knob '{name}'. {nearest(name, knobs)}")
            parsed = knobs[name].parse(value, where)
            if not knobs[name].luck or parsed != knobs[name].default:
                resolved[name] = parsed
        faults = self.faults_of(resolved, tables)
        if faults:
            raise InputError(at + first_few(faults))
        return resolved

    def faults_of(self, resolved: Mapping[str, KnobValue], tables: Tables | None = None) -> list[str]:
        """Contradictions in a full set of knobs, including luck knobs, one sentence each."""
        faults = list(self.check_knobs(resolved))
        for die in self.dice:
            try:
                if die.sides and die.knob.name in resolved:
                    die.chances(resolved)
                if die.card_knob in resolved:
                    die.weights(self, resolved, tables if tables is not None else self.own_tables)
            except InputError as mistake:
                faults.append(str(mistake))
        return faults

    def pack_knobs(self, resolved: Mapping[str, KnobValue], tables: Tables | None = None) -> np.ndarray[Any, Any]:
        """The record of knobs for games with these card tables: an array of `knob_type`, shape (1,)."""
        packed = np.zeros(1, self.knob_type)
        for name, knob in self.knobs.items():
            if not knob.blanks:  # its effect is applied to the tables
                packed[name] = knob.encode(resolved[name])
        bans.pack_bans(self, str(resolved.get(bans.NAME, bans.NOTHING)), packed, tables)
        return packed
