"""The shelf: decks, hands and other components that many games share.

A component is written once, in the same plain Python as a game. Its methods run as they are, and are compiled with the
game. Hidden information is declared (`seen_by`), and the lab redraws it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Final

from simlab.author.column_uses import ColumnUses
from simlab.author.effects import Effects, Word
from simlab.author.fields import NONE, SEATS, Cell, Field, FieldOwner, Grid
from simlab.author.positions import check_piece, pile_of, place_named, place_of_card, take_cards
from simlab.compiler.dependencies import remember
from simlab.errors import InputError, nearest, warn_once
from simlab.spec.card_tables import MOST_COPIES, QUANTITIES, check_total, is_total
from simlab.spec.csv_file import Sheet, column_name, read_csv, readings
from simlab.spec.record import Description
from simlab.words import counted

MOST_NUMBER = 1_000_000  #: in a card table
MOST_CARDS: Final = 10_000  #: of a deck: a redraw holds their numbers in 16 bits, and each is a name and a field


class Component(FieldOwner):
    """A part of a game with fields and methods of its own.

    Attributes:
        visits: name of a method that yields cards -> (size, test): `for card in self.hand.of(seat)` is compiled as a
            loop over `size` cards that skips those for which the test fails.
        item: field that `self.row[i]` reads; "" for none.
        draws: whether it uses random numbers. draws_by_seat: whether each seat has random numbers of its own.
        draws_items: whether a draw is one of its cards or pieces. draws_from: the least result of another draw.
        sets_cards: whether a position can be set up with its cards (`set_cards`).
        whose: name of a method (seat, card) that returns whose card it is, for the statistics of single cards.
    """

    visits: ClassVar[Mapping[str, tuple[str, str]]] = {}
    item: ClassVar[str] = ""
    draws: ClassVar[bool] = False
    draws_by_seat: ClassVar[bool] = False
    draws_items: ClassVar[bool] = False
    sets_cards: ClassVar[bool] = False
    draws_from: ClassVar[int] = 0
    whose: ClassVar[str] = ""

    called: str = ""
    game: Any
    labels: Sequence[str] = ()

    def __set_name__(self, owner: type, name: str) -> None:
        self.called = self.called or name

    def fields(self) -> dict[str, Field]:
        """Its fields by name, as a game declares them."""
        return {}

    @property
    def parts(self) -> dict[str, Component]:
        """Attributes that hold other components."""
        return {name: value for name, value in vars(self).items() if isinstance(value, Component)}

    @property
    def options(self) -> int:
        """Number of cards, places, regions or kinds in the component, for a choice among them."""
        return len(self.labels)

    def label_of(self, option: int) -> str:
        """Label of one of the component's cards, places or kinds."""
        return self.labels[option] if self.labels else str(option)

    def counted(self) -> list[tuple[str, int | None, str]]:
        """Pieces that the box must hold: (description, number in the box or None, method that counts the pieces in use
        now).

        `{}` in the text is the component's name. A number after the method's name is its argument.
        """
        return []

    def cards_by_place(self) -> dict[str, list[int]]:
        """The cards that the component holds of its deck, by place. No card may be in two places."""
        return {}

    def fault(self) -> str:
        """The reason why the component's state is impossible in any game; "" if the state is possible. `check-game`
        calls it after each decision.
        """
        return ""

    def prepare(self) -> None:
        """Resets it at the start of a game, before the game's own setup."""

    def set_cards(self, given: Any) -> None:
        """Sets its cards, given by names or numbers, for a position that is set up."""
        raise NotImplementedError

    def settle(self) -> None:
        """Makes its other fields agree with the one that its index reads, after that was set (author.positions)."""

    def redraw(self, seat: int) -> None:
        """Redraws everything hidden from a seat."""

    def words(self, seat: int | None) -> Description:
        """The component in words, as a seat sees it; with None, everything is shown."""
        return {}

    def __getitem__(self, place: Any) -> Any:
        return getattr(self, self.item)[place]

    def __setitem__(self, place: Any, value: Any) -> None:
        getattr(self, self.item)[place] = value

    # Functions that plain and compiled code implement differently. The translator knows these names.

    def below(self, n: int) -> int:
        """A random whole number in 0..n-1."""
        drawn: int = self.game.stream(self.called).below(n)
        return drawn

    def below_of(self, seat: int, n: int) -> int:
        """A random whole number in 0..n-1 from a seat's own stream."""
        drawn: int = self.game.stream(self.called, seat).below(n)
        return drawn

    def serve(self, seat: int | None = None) -> None:
        """Puts the card that a test or a scenario gives on top of the draw pile, if there is one. seat: whose pile."""
        given = self.game.stream(self.called, seat).given()
        if given is None:
            return
        order: Any = getattr(self, "order")  # noqa: B009 - of a deck or of OwnDecks
        cards, labels, name = pile_of(self, seat)
        cards.append(cards.pop(place_of_card(cards, labels, given, name)))
        for place, card in enumerate(cards):
            order[place if seat is None else (seat, place)] = card

    def draw_kind(self, counts: list[int], n: int) -> int:
        """A random piece, 0..n-1, or one of the kind that a test or a scenario gives. counts: pieces of each kind."""
        stream = self.game.stream(self.called)
        given = stream.given()
        if given is None:
            drawn: int = stream.below(n)
            return drawn
        return sum(counts[: check_piece(counts, self.labels, given, f"the {self.called}")])

    def shuffle_first(self, cards: Any, n: int) -> None:
        """Shuffles the first n of a list."""
        self.game.stream(self.called).shuffle(cards, n)

    def shuffle_part(self, cards: Any, seat: int, n: int) -> None:
        """Shuffles the first n of a seat's cards on a board of cards, with the random numbers of the seat."""
        row = [cards[seat, place] for place in range(n)]
        self.game.stream(self.called, seat).shuffle(row, n)
        for place, card in enumerate(row):
            cards[seat, place] = card

    @property
    def seats(self) -> range:
        """The seats' numbers."""
        numbers: range = self.game.seats
        return numbers


class Cards(list[Any]):
    """A column of a card table in plain Python: card NONE is an error, not the last card."""

    def __getitem__(self, card: Any) -> Any:
        if not isinstance(card, slice) and card < 0:
            raise IndexError(f"card {int(card)}, such as NONE, is not in the card table")
        return super().__getitem__(card)


class Table(Component):
    """A table of a CSV file: a row is a number, and self.prices.cost[row] reads its column `cost`.

        prices = Table("prices.csv")
        pack = Table(["AS", "2S"])  # cards with names only, such as those of which each player has a pack

    The first column names the rows. A designer may replace the file.
    """

    #: Rows that a designer may add; the names of a table without such room are those of the game's own file.
    ROOM: ClassVar[int] = 0

    def __init__(self, rows: str | list[str]) -> None:
        self.file, self.labels = (rows, list[str]()) if isinstance(rows, str) else ("", list(rows))
        self.capacity = len(self.labels)
        self.rows: list[dict[str, str | int]] = []
        self.unread = frozenset[str]()  # columns that no rule reads
        self.effect_columns: dict[str, Effects] = {}  #: columns that hold effects of cards

    @property
    def may_vary(self) -> bool:
        """Whether the table in play may have other rows than the game's own."""
        return self.ROOM > 0

    def read(self, folder: Path, uses: ColumnUses, words: Mapping[str, Word] | None = None) -> None:
        """Reads the table, once the folder, the uses of its columns, and the words of its effects are known."""
        if self.file and not self.rows:
            rows = read_table(folder / self.file, uses)
            self.effect_columns = {
                column: Effects(words or {}, f"{folder / self.file}, {column}") for column in sorted(uses.effects)
            }
            self.fill_in(rows)
            if self.size > MOST_CARDS:
                raise InputError(f"{folder / self.file}: has {self.size:,} cards; a deck has at most {MOST_CARDS:,}.")
            self.rows, self.capacity = rows, len(self.labels) + self.ROOM
            self.unread = frozenset(column for column in rows[0] if not uses.reads(column))

    def fill_in(self, rows: list[dict[str, str | int]]) -> None:
        """Takes the cards of a table: labels and columns, one entry per card."""
        key, cards = next(iter(rows[0])), self.each_row(rows)
        self.labels = [str(row[key]) for row in cards]
        taken = [column for column in rows[0] if hasattr(type(self), column) or column in vars(self)]
        if taken:
            raise InputError(f"{self.file}, line 1: a column cannot be called '{taken[0]}', which a deck has already.")
        self.cards = {column: Cards(row[column] for row in cards) for column in rows[0]}
        for column, effects in self.effect_columns.items():
            for label, text in zip(self.labels, self.cards[column], strict=True):
                effects.steps_of(str(text), label)

    def each_row(self, rows: Sequence[dict[str, str | int]]) -> list[dict[str, str | int]]:
        """The rows of a table by number: in the order of the game's own; of a deck, one for each card."""
        own = [str(row[next(iter(row))]) for row in self.rows]
        return sorted(rows, key=lambda row: own.index(str(row[next(iter(row))]))) if own else list(rows)

    def __getattr__(self, name: str) -> Any:
        cards = self.__dict__.get("cards", {})
        if column_name(name) in cards and not name.startswith("_"):
            return cards[column_name(name)]
        raise AttributeError(f"{self.called or 'the table'} has no '{name}'. {nearest(name, cards)}")

    @property
    def table(self) -> str:
        """Name of the table; "" for a deck without a table."""
        return Path(self.file).stem

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of the table."""
        return tuple(self.rows[0]) if self.rows else ()

    @property
    def size(self) -> int:
        """Number of rows; of cards in the box."""
        return len(self.labels)

    def effect_count(self, column: str, card: int) -> int:
        """How many effects a card has."""
        return len(self.effect_columns[column].steps_of(self.cards[column][card]))

    def effect_number(self, column: str, card: int, step: int, place: int) -> int:
        """A number of a card's effect: that of its word at place 0, then its arguments."""
        return self.effect_columns[column].steps_of(self.cards[column][card])[step][place]

    def cell(self, row: str, column: str) -> Cell:
        """A cell as the default of a knob: `price = knob(prices.cell("silk", "cost"), 1, 6, "price of silk")`."""
        return Cell(self.file, row, column)


class Roster(Table):
    """Pieces with a row in a CSV file each, and fields that change in play.

        counters = Roster("counters.csv", built=flag(), price=number(low=0, high=9))

    self.counters.group[counter] is a column, self.counters.built[counter] a field of a piece. A choice among them has
    their names as options: `choice(counters, "pass")`.
    """

    def __init__(self, file: str, **fields: Field) -> None:
        super().__init__(file)
        self.piece_fields = fields

    def fields(self) -> dict[str, Field]:
        return {name: replace(field, shape=(self, *field.shape)) for name, field in self.piece_fields.items()}

    def words(self, seat: int | None) -> Description:
        seen: Description = {}
        for name, field in self.piece_fields.items():
            values = getattr(self, name)
            if field.is_flag:
                seen[f"{self.called} {name}"] = tuple(
                    label for label, on in zip(self.labels, values, strict=True) if on
                )
        return seen


class Deck(Table):
    """A face-down deck.

        deck = Deck(52)  # cards without names, 0 to 51
        deck = Deck(["red", "green"])  # named cards
        deck = Deck("buildings.csv")  # a table of cards; a column `copies` gives the number of each
        deck = Deck("buildings.csv", packs=2)  # the cards of the table twice

    A card is a number, and self.deck.cost[card] reads the table's column `cost`. The deck is full and in order when a
    game begins; shuffle it before the first deal.
    """

    draws = draws_items = sets_cards = True
    order: list[int]
    left: int
    mixed: int  #: the cards at the bottom that were shuffled, and whose order nobody has seen
    ROOM = 32

    def __init__(self, cards: int | list[str] | str, packs: int = 1) -> None:
        super().__init__(cards if isinstance(cards, str) else "")
        self.pack_count = packs
        if isinstance(cards, int) and not 1 <= cards <= MOST_CARDS:
            raise InputError(f"Deck({cards:,}): a deck has 1 to {MOST_CARDS:,} cards.")
        self.labels = [str(card) for card in range(cards)] if isinstance(cards, int) else []
        self.labels = list(cards) * packs if isinstance(cards, list) else self.labels
        self.capacity = len(self.labels)

    def each_row(self, rows: Sequence[dict[str, str | int]]) -> list[dict[str, str | int]]:
        return each_card(rows) * self.pack_count

    def fields(self) -> dict[str, Field]:
        cards: dict[str, Any] = {"low": 0, "high": self.capacity}
        return {"order": Field((self,), NONE, names=self), "left": Field((), **cards), "mixed": Field((), **cards)}

    def prepare(self) -> None:
        for card in range(self.size):
            self.order[card] = card
        self.left = self.size
        self.mixed = 0

    def set_cards(self, given: Any) -> None:
        """Takes all cards out but these, the first of which is on top."""
        kept = take_cards(list(self.order[: self.left]), self.labels, given, f"the {self.called}")
        self.order[: self.left] = [*reversed(kept), *[NONE] * (self.left - len(kept))]
        self.left, self.mixed = len(kept), 0

    def shuffle(self) -> None:
        """Shuffles the cards that are left."""
        self.shuffle_first(self.order, self.left)
        self.mixed = self.left

    def draw(self) -> int:
        """Takes the top card; NONE if no card is left."""
        if self.left == 0:
            return NONE
        self.serve()
        self.left -= 1
        self.mixed = min(self.mixed, self.left)
        return self.order[self.left]

    def put(self, card: int) -> None:
        """Puts a card on top."""
        self.order[self.left] = card
        self.left += 1

    def put_under(self, card: int) -> None:
        """Puts a card under the deck."""
        for place in range(self.left):
            self.order[self.left - place] = self.order[self.left - place - 1]
        self.order[0] = card
        self.left += 1
        if self.mixed > 0:  # its place among the shuffled cards is not remembered
            self.mixed += 1

    def bottom(self) -> int:
        """The bottom card, which stays in the deck; NONE if no card is left."""
        if self.left == 0:
            return NONE
        return self.order[0]

    def draw_bottom(self) -> int:
        """Takes the bottom card; NONE if no card is left."""
        card = self.bottom()
        if card >= 0:
            self.take(card)
        return card

    def take(self, card: int) -> None:
        """Takes a card of your choice out of the deck, such as a card that a player starts with."""
        found = False
        for place in range(self.left):
            if self.order[place] == card and place < self.mixed:
                self.mixed -= 1
            found = found or self.order[place] == card
            if found and place + 1 < self.left:
                self.order[place] = self.order[place + 1]
        if found:
            self.left -= 1

    def cards_by_place(self) -> dict[str, list[int]]:
        return {f"the {self.called}": list(self.order[: self.left])}

    def in_play(self) -> int:
        """The number of cards out of the deck."""
        return self.size - self.left

    def counted(self) -> list[tuple[str, int | None, str]]:
        return [("cards out of the {}", self.size, "in_play")]

    def words(self, seat: int | None) -> Description:
        return {self.called: counted(self.left, "card")}


class _Holdings(Component):
    """Cards of a deck that each seat holds."""

    visits: ClassVar[Mapping[str, tuple[str, str]]] = {"of": ("deck", "has")}
    deck: Deck
    counts: list[int]

    def has(self, seat: int, card: int) -> Any:
        """Whether a seat holds a card in its hand."""
        raise NotImplementedError

    def count(self, seat: int) -> int:
        """Number of cards in a seat's hand."""
        return self.counts[seat]

    def of(self, seat: int) -> Iterator[int]:
        """The cards of a seat's hand, in order."""
        for card in range(self.deck.size):
            if self.has(seat, card):
                yield card


class Hand(_Holdings):
    """A hand of cards for each seat. `seen_by`: "owner", "all" or "nobody".

    hand = Hand(Deck(52))  # for card in self.hand.of(seat): ...
    """

    held: Grid
    sets_cards = True

    def __init__(self, deck: Deck, seen_by: str = "owner") -> None:
        self.deck, self.seen_by = deck, seen_by

    def fields(self) -> dict[str, Field]:
        return {"held": Field((SEATS, self.deck), False), "counts": Field((SEATS,), low=0, high=self.deck.capacity)}

    def add(self, seat: int, card: int) -> None:
        """Puts a card into a hand; ignores NONE."""
        if card >= 0:
            self.held[seat, card] = True
            self.counts[seat] += 1

    def remove(self, seat: int, card: int) -> None:
        """Takes a card out of a hand."""
        self.held[seat, card] = False
        self.counts[seat] -= 1

    def has(self, seat: int, card: int) -> Any:
        """Whether a seat holds a card."""
        return self.held[seat, card]

    def set_cards(self, given: Any) -> None:
        """Gives seats these cards out of the deck: `{seat: cards}`. Those that they held go under the deck."""
        if not isinstance(given, Mapping):
            raise InputError(f"{self.called} = {given!r}: write the cards of seats: {{0: [5, 7]}}.")
        hands = {place_named(self.called, seat, self.game.seat_names): cards for seat, cards in given.items()}
        for seat in hands:
            for card in list(self.of(seat)):
                self.remove(seat, card)
                self.deck.put_under(card)
        for seat, cards in hands.items():
            pile = list(self.deck.order[: self.deck.left])
            for card in take_cards(pile, self.deck.labels, cards, f"the {self.deck.called}"):
                self.deck.take(card)
                self.add(seat, card)

    def cards_by_place(self) -> dict[str, list[int]]:
        return {f"{name}'s {self.called}": list(self.of(owner)) for owner, name in enumerate(self.game.seat_names)}

    def fault(self) -> str:
        for (place, cards), count in zip(self.cards_by_place().items(), self.counts, strict=True):
            if len(cards) != count:
                return f"{place} counts {count} cards and holds {len(cards)}: check what is added and removed"
        return ""

    def most(self) -> int:
        """The largest number of cards that a seat holds."""
        return max(self.counts)

    def counted(self) -> list[tuple[str, int | None, str]]:
        return [("cards of one player in the {}", None, "most")]

    def deal(self, each: int) -> None:
        """Deals cards from the deck to each seat in turn, one whole hand at a time."""
        for seat in self.seats:
            for _ in range(each):
                self.add(seat, self.deck.draw())

    def pass_left(self) -> None:
        """Each seat gives its whole hand to the seat on its left, as in a draft."""
        last = len(self.counts) - 1
        for card in range(self.deck.size):
            passed = self.held[last, card]
            for step in range(last):
                self.held[last - step, card] = self.held[last - step - 1, card]
            self.held[0, card] = passed
        cards = self.counts[last]
        for step in range(last):
            self.counts[last - step] = self.counts[last - step - 1]
        self.counts[0] = cards

    def words(self, seat: int | None) -> Description:
        seen: Description = {}
        for owner, name in enumerate(self.game.seat_names):
            shown = seat is None or self.seen_by == "all" or (self.seen_by == "owner" and seat == owner)
            cards = tuple(self.deck.labels[card] for card in self.of(owner))
            seen[f"{name}'s {self.called}"] = cards if shown else counted(len(cards), "card")
        return seen


class Tableau(Hand):
    """Cards that lie face up in front of each seat.

    tableau = Tableau(Deck(52))  # the methods of a Hand
    """

    whose = "has"

    def __init__(self, deck: Deck) -> None:
        super().__init__(deck, "all")


class OwnDecks(_Holdings):
    """A separate deck for each seat, as in a deck builder: draw pile, hand and discard pile.

        own = OwnDecks(Deck(52))  # for card in self.own.of(seat): ...

    A seat sees its own hand and all discard piles. Everybody knows which cards a seat owns, but not in which order
    they lie in a draw pile.
    """

    visits: ClassVar[Mapping[str, tuple[str, str]]] = {"of": ("deck", "has"), "owned": ("deck", "owns")}
    draws = draws_by_seat = draws_items = True
    whose = "owns"
    IN_PILE, IN_HAND, DISCARDED = 1, 2, 3
    where: Grid
    order: Grid
    left: list[int]
    discards: list[int]

    def __init__(self, deck: Deck) -> None:
        self.deck = deck

    def fields(self) -> dict[str, Field]:
        cards = Field((SEATS,), low=0, high=self.deck.capacity)
        return {
            "where": Field((SEATS, self.deck), low=0, high=self.DISCARDED),
            "order": Field((SEATS, self.deck), NONE, names=self.deck),
            "left": cards,
            "counts": cards,
            "discards": cards,
        }

    def gain(self, seat: int, card: int) -> None:
        """Puts a new card on a discard pile; ignores NONE."""
        if card >= 0:
            self.where[seat, card] = self.DISCARDED
            self.discards[seat] += 1

    def shuffle(self, seat: int) -> None:
        """Shuffles a discard pile and the draw pile into a new draw pile."""
        n = 0
        for card in range(self.deck.size):
            if self.where[seat, card] == self.DISCARDED or self.where[seat, card] == self.IN_PILE:
                self.where[seat, card] = self.IN_PILE
                self.order[seat, n] = card
                n += 1
        self.left[seat] = n
        self.discards[seat] = 0
        for at in range(n - 1, 0, -1):
            other = self.below_of(seat, at + 1)
            card = self.order[seat, at]
            self.order[seat, at] = self.order[seat, other]
            self.order[seat, other] = card

    def draw(self, seat: int) -> int:
        """Draws a card into the hand. An empty draw pile is replaced by the discard pile; NONE if both are empty."""
        if self.left[seat] == 0 and self.discards[seat] > 0:
            self.shuffle(seat)
        if self.left[seat] == 0:
            return NONE
        self.serve(seat)
        self.left[seat] -= 1
        card: int = self.order[seat, self.left[seat]]
        self.order[seat, self.left[seat]] = NONE
        self.where[seat, card] = self.IN_HAND
        self.counts[seat] += 1
        return card

    def discard(self, seat: int, card: int) -> None:
        """Puts a card of the hand on the discard pile."""
        self.where[seat, card] = self.DISCARDED
        self.counts[seat] -= 1
        self.discards[seat] += 1

    def topdeck(self, seat: int, card: int) -> None:
        """Puts a card of the hand on top of the draw pile: it is the next card drawn."""
        self.where[seat, card] = self.IN_PILE
        self.counts[seat] -= 1
        self.order[seat, self.left[seat]] = card
        self.left[seat] += 1

    def gain_on_top(self, seat: int, card: int) -> None:
        """Puts a new card on top of a draw pile; ignores NONE."""
        if card >= 0:
            self.where[seat, card] = self.IN_PILE
            self.order[seat, self.left[seat]] = card
            self.left[seat] += 1

    def discard_hand(self, seat: int) -> None:
        """Puts the whole hand on the discard pile."""
        for card in range(self.deck.size):
            if self.where[seat, card] == self.IN_HAND:
                self.discard(seat, card)

    def remove(self, seat: int, card: int) -> None:
        """Takes a card of the hand out of the seat's deck for good."""
        self.where[seat, card] = 0
        self.counts[seat] -= 1

    def has(self, seat: int, card: int) -> bool:
        """Whether a card is in a seat's hand."""
        return self.where[seat, card] == self.IN_HAND

    def owns(self, seat: int, card: int) -> bool:
        """Whether a card is in a seat's deck: draw pile, hand or discard pile."""
        return self.where[seat, card] > 0

    def size(self, seat: int) -> int:
        """Number of cards that a seat owns."""
        return self.left[seat] + self.counts[seat] + self.discards[seat]

    def cards_by_place(self) -> dict[str, list[int]]:
        return {f"{name}'s deck": list(self.owned(owner)) for owner, name in enumerate(self.game.seat_names)}

    def fault(self) -> str:
        for (place, cards), owner in zip(self.cards_by_place().items(), self.seats, strict=True):
            if len(cards) != self.size(owner):
                return f"{place} counts {self.size(owner)} cards and holds {len(cards)}: check gain, discard and remove"
        return ""

    def largest(self) -> int:
        """The largest number of cards that a seat owns."""
        return max(self.size(seat) for seat in self.seats)

    def counted(self) -> list[tuple[str, int | None, str]]:
        return [("cards in one player's deck", None, "largest")]

    def owned(self, seat: int) -> Iterator[int]:
        """All cards that a seat owns, in order."""
        for card in range(self.deck.size):
            if self.owns(seat, card):
                yield card

    def redraw(self, seat: int) -> None:
        for owner in self.seats:
            left, n = self.left[owner], 0
            for card in range(self.deck.size):
                where = self.where[owner, card]
                if where == self.IN_PILE or (where == self.IN_HAND and owner != seat):
                    self.order[owner, n] = card
                    n += 1
            for at in range(n - 1, 0, -1):
                other = self.below(at + 1)
                card = self.order[owner, at]
                self.order[owner, at] = self.order[owner, other]
                self.order[owner, other] = card
            for place in range(n):
                card = self.order[owner, place]
                if place < left:
                    self.where[owner, card] = self.IN_PILE
                else:
                    self.where[owner, card] = self.IN_HAND
                    self.order[owner, place] = NONE

    def words(self, seat: int | None) -> Description:
        seen: Description = {}
        for owner, name in enumerate(self.game.seat_names):
            hand = tuple(self.deck.labels[card] for card in self.of(owner))
            seen[f"{name}'s hand"] = hand if seat in (None, owner) else counted(len(hand), "card")
            seen[f"{name}'s draw pile"] = counted(int(self.left[owner]), "card")
            seen[f"{name}'s discard pile"] = tuple(
                self.deck.labels[card] for card in self.owned(owner) if self.where[owner, card] == self.DISCARDED
            )
        return seen


class Pile(Component):
    """A face-up pile, such as a discard pile.

    discard = Pile(Deck(52))
    """

    order: list[int]
    count: int

    def __init__(self, deck: Deck) -> None:
        self.deck = deck

    def fields(self) -> dict[str, Field]:
        return {
            "order": Field((self.deck,), NONE, names=self.deck),
            "count": Field((), low=0, high=self.deck.capacity),
        }

    def add(self, card: int) -> None:
        """Puts a card on top; ignores NONE."""
        if card >= 0:
            self.order[self.count] = card
            self.count += 1

    def take(self) -> int:
        """Takes the top card; NONE if there is none."""
        if self.count == 0:
            return NONE
        self.count -= 1
        return self.order[self.count]

    def top(self) -> int:
        """The top card; NONE if there is none."""
        if self.count == 0:
            return NONE
        return self.order[self.count - 1]

    def cards_by_place(self) -> dict[str, list[int]]:
        return {f"the {self.called}": list(self.order[: self.count])}

    def shuffle(self) -> None:
        """Shuffles the pile, with the random numbers of its deck."""
        self.deck.shuffle_first(self.order, self.count)

    def return_to_deck(self) -> None:
        """Puts all cards on top of the deck. Shuffle the deck afterwards, or the pile before."""
        while self.count > 0:
            self.deck.put(self.take())

    def words(self, seat: int | None) -> Description:
        top = self.top()
        cards = counted(self.count, "card")
        return {self.called: f"{cards}, {self.deck.labels[top]} on top" if top >= 0 else "empty"}


class Row(Component):
    """A market row of face-up cards, filled from a deck. self.row[place] is a card, or NONE.

    market = Row(Deck(52), 5)
    """

    item = "slots"
    slots: list[int]

    def __init__(self, deck: Deck, size: int) -> None:
        self.deck, self.size = deck, size

    def fields(self) -> dict[str, Field]:
        return {"slots": Field((self.size,), NONE, names=self.deck)}

    @property
    def options(self) -> int:
        """Number of places, for a choice among them."""
        return self.size

    def label_of(self, option: int) -> str:
        return self.deck.labels[self.slots[option]] if self.slots[option] >= 0 else f"place {option + 1}"

    def cards_by_place(self) -> dict[str, list[int]]:
        return {f"the {self.called}": [card for card in self.slots if card >= 0]}

    def refill(self) -> None:
        """Fills the empty places from the deck."""
        for place in range(self.size):
            if self.slots[place] < 0:
                self.slots[place] = self.deck.draw()

    def slide(self) -> None:
        """Moves the cards to the front, without gaps."""
        to = 0
        for place in range(self.size):
            card = self.slots[place]
            if card >= 0:
                self.slots[place] = NONE
                self.slots[to] = card
                to += 1

    def take(self, place: int) -> int:
        """Takes the card at a place."""
        card = self.slots[place]
        self.slots[place] = NONE
        return card

    def words(self, seat: int | None) -> Description:
        cards = tuple(self.deck.labels[card] if card >= 0 else "-" for card in self.slots)
        return {self.called: cards if self.size > 1 else cards[0]}


class Bag(Component):
    """A bag of pieces of a few kinds.

        bag = Bag(["red", "blue"], [10, 10])

    All pieces are in the bag when a game begins. self.bag[kind] is how many of a kind are in it now.
    """

    item = "counts"
    draws = draws_items = True
    counts: list[int]
    left: int

    def __init__(self, kinds: list[str], pieces: list[int]) -> None:
        if len(kinds) != len(pieces):
            raise InputError("Bag: name as many kinds as numbers of pieces.")
        self.labels, self.kinds, self.pieces = kinds, len(kinds), tuple(pieces)

    def fields(self) -> dict[str, Field]:
        return {"counts": Field((self.kinds,), low=0), "left": Field((), low=0)}

    def prepare(self) -> None:
        self.left = 0
        for kind in range(self.kinds):
            self.counts[kind] = self.pieces[kind]
            self.left += self.pieces[kind]

    def settle(self) -> None:
        self.left = sum(self.counts)

    def add(self, kind: int, pieces: int) -> None:
        """Puts pieces into the bag."""
        self.counts[kind] += pieces
        self.left += pieces

    def draw(self) -> int:
        """Draws a piece and returns its kind; NONE if the bag is empty."""
        if self.left == 0:
            return NONE
        n = self.draw_kind(self.counts, self.left)
        for kind in range(self.kinds):
            if n < self.counts[kind]:
                self.counts[kind] -= 1
                self.left -= 1
                return kind
            n -= self.counts[kind]
        return NONE

    def drawn(self, kind: int) -> int:
        """How many pieces of a kind are out of the bag."""
        return max(0, self.pieces[kind] - self.counts[kind])

    def counted(self) -> list[tuple[str, int | None, str]]:
        kinds = enumerate(zip(self.labels, self.pieces, strict=True))
        return [(f"{label} pieces out of the {{}}", pieces, f"drawn {kind}") for kind, (label, pieces) in kinds]

    def words(self, seat: int | None) -> Description:
        return {self.called: tuple(f"{n} {kind}" for n, kind in zip(self.counts, self.labels, strict=True))}


class Places(Component):
    """Places that workers are sent to, each with limited room. self.places[place] counts the workers there.

    places = Places(["harbour", "market"], room=1)
    """

    item = "workers"
    workers: list[int]
    sent: Grid

    def __init__(self, places: list[str], room: int = 1) -> None:
        self.labels, self.size, self.room = places, len(places), room

    def fields(self) -> dict[str, Field]:
        return {"workers": Field((self.size,)), "sent": Field((SEATS, self.size))}

    def free(self, place: int) -> bool:
        """Whether a place has room."""
        return self.workers[place] < self.room

    def send(self, seat: int, place: int) -> None:
        """Sends a worker."""
        self.workers[place] += 1
        self.sent[seat, place] += 1

    def most_sent(self) -> int:
        """The largest number of workers that a seat has on the places."""
        return max(sum(self.sent[seat, place] for place in range(self.size)) for seat in self.seats)

    def counted(self) -> list[tuple[str, int | None, str]]:
        return [("workers of one player on the {}", None, "most_sent")]

    def clear(self) -> None:
        """Takes all workers back."""
        for place in range(self.size):
            self.workers[place] = 0
            for seat in self.seats:
                self.sent[seat, place] = 0

    def words(self, seat: int | None) -> Description:
        names = self.game.seat_names
        return {
            label: ", ".join(name for s, name in enumerate(names) for _ in range(self.sent[s, place])) or "free"
            for place, label in enumerate(self.labels)
        }


def each_card(rows: Iterable[dict[str, str | int]]) -> list[dict[str, str | int]]:
    """The row of each card of a table; a row with `copies` is repeated that often."""
    return [row for row in rows for _ in range(int(row.get("copies", 1)))]


def read_table(path: Path, uses: ColumnUses) -> list[dict[str, str | int]]:
    """The rows of a game's own CSV file. The columns' names are in small letters, joined by `_`.

    A column holds numbers if a rule uses it as a number, or if all its cells are numbers and no rule compares it with
    texts; `copies` always does.

    Raises:
        InputError: unreadable, empty, a line of the wrong length, or a cell that is not a number in a column that a
            rule uses as one; the message names file, line and column.
    """
    if path.is_file():  # outside its game's import, nothing else records which version was read
        remember([path])
    sheet = read_csv(path, "a card table")
    columns = {column_name(name): name for name in sheet.head}
    for name in sheet.head:
        if not column_name(name).isidentifier():
            raise InputError(
                f"{path}, line {sheet.line}: '{name}' cannot be a column: use letters, digits and '_', each once."
            )
        if columns[column_name(name)] != name or sheet.head.count(name) > 1:
            raise InputError(
                f"{path}, line {sheet.line}: '{name}' cannot be a column: it is there twice, as {column_name(name)}."
            )
    if not sheet.rows:
        raise InputError(f"{path}: is empty. Its first line names the columns, each further line is a card.")
    values = {name: _column(sheet, name, written, uses) for name, written in columns.items()}
    key = next(iter(columns))
    if not uses.reads(key):  # only a label, which stays as it is written: 007
        values[key] = [row[columns[key]] for _, row in sheet.rows]
    table: list[dict[str, str | int]] = [
        {name: values[name][place] for name in columns} for place in range(len(sheet.rows))
    ]
    _check_rows(path, sheet, table, uses)
    return table


def _check_rows(path: Path, sheet: Sheet, table: list[dict[str, str | int]], uses: ColumnUses) -> None:
    """Refuses a row of totals, and warns of a column that may count copies."""
    lines, key = [line for line, _ in sheet.rows], next(iter(table[0]))
    check_total(path, key, table, lines)
    counts = next((name for name in table[0] if name in QUANTITIES and isinstance(table[0][name], int)), "")
    if counts and "copies" not in table[0] and not uses.reads(counts):
        warn_once(f"{path}: each row is one card. If the column '{counts}' counts the copies, call it 'copies'.")


def _column(sheet: Sheet, name: str, written: str, uses: ColumnUses) -> list[str | int]:
    """The values of a column, all texts or all numbers."""
    cells = [row[written] for _, row in sheet.rows]
    why = _need_of_numbers(name, cells, uses)
    if why is None:
        return list(cells)
    low, high = (0, MOST_COPIES) if name == "copies" else (-MOST_NUMBER, MOST_NUMBER)
    values: list[str | int] = []
    for (line, row), cell in zip(sheet.rows, cells, strict=True):
        try:
            number = sheet.number(line, written, cell)
            if not re.fullmatch(r"-?[0-9]{1,10}", number) or not low <= int(number) <= high:
                wrong = f"'{cell}' is not a whole number in {low:,}..{high:,}" if cell else "is blank"
                remedy = " Write 0 for none." if not cell else ""
                remedy = " Is this row a total? Then delete it." if is_total(row[sheet.head[0]]) else remedy
                raise InputError(f"{sheet.where(line, name)}: {wrong}, but {why}.{remedy}")
        except InputError:
            if why:
                raise
            return list(cells)
        values.append(int(number))
    return values


def _need_of_numbers(name: str, cells: list[str], uses: ColumnUses) -> str | None:
    """Why the cells of a column must be numbers; "" if they are read as numbers where all are; None for texts."""
    likely = sum(bool(readings(cell)) for cell in cells)
    if name == "copies":
        return "copies are counted"
    if name in uses.numbers:
        return f"{uses.numbers[name]} uses {name} as a number"
    if name in uses.texts or not likely:
        return None
    if name in uses.others and 2 * likely >= len(cells):
        return f"other cells of {name} are numbers (a column of texts is compared with texts in quotes)"
    return "" if likely == len(cells) else None
