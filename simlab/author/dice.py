"""The shelf: dice that lie on the table, pools of goods, tracks and tricks."""

from __future__ import annotations

from typing import Any, ClassVar

from simlab.author.fields import NONE, SEATS, Field, Grid, Numbers
from simlab.author.shelf import Component, Hand
from simlab.errors import InputError
from simlab.spec.record import MOST_SEATS, Description


class Dice(Component):
    """Dice on the table. self.dice[n] is the face of a die.

    dice = Dice(5, sides=6)
    """

    item = "shown"
    draws = True
    draws_from = 1
    shown: Numbers

    def __init__(self, count: int, sides: int = 6) -> None:
        self.count, self.sides = count, sides

    def fields(self) -> dict[str, Field]:
        return {"shown": Field((self.count,), 1, low=1, high=self.sides)}

    @property
    def options(self) -> int:
        """Number of dice, for a choice among them."""
        return self.count

    def label_of(self, option: int) -> str:
        return f"die {option + 1} ({self.shown[option]})"

    def roll(self, die: int) -> None:
        """Rolls one of the dice."""
        self.shown[die] = self.below(self.sides) + 1

    def roll_all(self) -> None:
        """Rolls all dice."""
        for die in range(self.count):
            self.roll(die)

    def total(self) -> int:
        """The sum of the faces."""
        return sum(self.shown)

    def how_many(self, value: int) -> int:
        """How many dice show a value."""
        return sum(1 for die in range(self.count) if self.shown[die] == value)

    def words(self, seat: int | None) -> Description:
        return {self.called: " ".join(map(str, self.shown))}


class Pool(Component):
    """Goods of a few kinds: a supply on the table, and each seat's share of them.

        goods = Pool(["wood", "stone"], [20, 12])  # pieces in the box
        money = Pool(["coins"])  # unlimited

    self.goods[seat, kind] is how much a seat has, and self.goods.supply[kind] what is left on the table.
    """

    item = "held"
    #: Supply of a pool without a limit.
    PLENTY: ClassVar[int] = 1_000_000_000
    held: Grid
    supply: list[int]

    def __init__(self, kinds: list[str], pieces: list[int] | None = None) -> None:
        if pieces is not None and len(kinds) != len(pieces):
            raise InputError("Pool: name as many kinds as numbers of pieces.")
        self.labels, self.kinds, self.limited = kinds, len(kinds), pieces is not None
        self.pieces = tuple(pieces or [self.PLENTY] * len(kinds))

    def fields(self) -> dict[str, Field]:
        most = max(self.pieces) if self.limited else None
        return {
            "held": Field((SEATS, self.kinds), low=0, high=most),
            "supply": Field((self.kinds,), low=0, high=most),
        }

    def prepare(self) -> None:
        for kind in range(self.kinds):
            self.supply[kind] = self.pieces[kind]

    def gain(self, seat: int, kind: int, amount: int) -> int:
        """Gives a seat goods from the supply, at most what is left; returns the number given."""
        given: int = min(amount, self.supply[kind])
        self.supply[kind] -= given
        self.held[seat, kind] += given
        return given

    def can_pay(self, seat: int, kind: int, amount: int) -> bool:
        """Whether a seat has at least this amount of a kind."""
        return self.held[seat, kind] >= amount

    def pay(self, seat: int, kind: int, amount: int) -> None:
        """Puts goods of a seat back into the supply."""
        self.held[seat, kind] -= amount
        self.supply[kind] += amount

    def give(self, seat: int, other: int, kind: int, amount: int) -> None:
        """Moves goods from one seat to another."""
        self.held[seat, kind] -= amount
        self.held[other, kind] += amount

    def total(self, seat: int) -> int:
        """How many goods of all kinds a seat has."""
        return sum(self.held[seat, kind] for kind in range(self.kinds))

    def in_play(self, kind: int) -> int:
        """How many of a kind all seats have."""
        return sum(self.held[seat, kind] for seat in self.seats)

    def counted(self) -> list[tuple[str, int | None, str]]:
        printed = self.pieces if self.limited else [None] * self.kinds
        return [(f"{self.labels[n]} of all players", printed[n], f"in_play {n}") for n in range(self.kinds)]

    def words(self, seat: int | None) -> Description:
        def listed(amounts: Any) -> str:
            return ", ".join(f"{n} {kind}" for n, kind in zip(amounts, self.labels, strict=True) if n) or "none"

        kinds = range(self.kinds)
        seen: Description = {
            f"{name}'s {self.called}": listed([self.held[owner, kind] for kind in kinds])
            for owner, name in enumerate(self.game.seat_names)
        }
        return seen | ({f"supply of {self.called}": listed(self.supply)} if self.limited else {})


class Track(Component):
    """A track with a marker for each seat. self.fame[seat] is the space where a marker is.

    fame = Track(10)  # spaces 0 to 10; all markers start on 0
    """

    item = "spaces"
    spaces: Numbers

    def __init__(self, last: int, start: int = 0) -> None:
        self.last, self.start = last, start

    def fields(self) -> dict[str, Field]:
        return {"spaces": Field((SEATS,), self.start, low=0, high=self.last)}

    def move(self, seat: int, steps: int) -> int:
        """Moves a marker, back if `steps` is below 0; it stops at the ends. Returns by how many spaces it moved."""
        space: int = self.spaces[seat]
        self.spaces[seat] = max(0, min(self.last, space + steps))
        return self.spaces[seat] - space

    def at_end(self, seat: int) -> bool:
        """Whether a marker is on the last space."""
        return self.spaces[seat] == self.last

    def rank(self, seat: int) -> int:
        """A seat's rank on the track: 1 if no other seat is ahead; tied seats have the same rank."""
        return 1 + sum(1 for other in self.seats if self.spaces[other] > self.spaces[seat])

    def furthest(self) -> int:
        """The highest space with a marker."""
        return max(self.spaces)

    def counted(self) -> list[tuple[str, int | None, str]]:
        return [("highest space used on the {} track", self.last, "furthest")]

    def words(self, seat: int | None) -> Description:
        names = enumerate(self.game.seat_names)
        return {f"{self.called} track": ", ".join(f"{name} {self.spaces[owner]}" for owner, name in names)}


class Trick(Component):
    """A trick, to which each seat plays a card of its hand. self.trick[seat] is a seat's card, or NONE.

        hand = Hand(Deck(52))
        trick = Trick(hand, ranks=13)

    Cards are numbered suit by suit, the lowest of a suit first. `self.trick.leader` is the seat that leads.
    """

    item = "played"
    played: Numbers
    leader: int

    def __init__(self, hand: Hand, ranks: int) -> None:
        self.hand, self.ranks = hand, ranks

    def fields(self) -> dict[str, Field]:
        return {
            "played": Field((SEATS,), NONE, names=self.hand.deck),
            "leader": Field((), low=0, high=MOST_SEATS - 1),
        }

    def start(self, leader: int) -> None:
        """Clears the table, and sets the seat that leads."""
        self.played.fill(NONE)
        self.leader = leader

    def suit(self, card: int) -> int:
        """The suit of a card, from 0."""
        return card // self.ranks

    def led(self) -> int:
        """The suit that was led; NONE before the lead."""
        return self.suit(self.played[self.leader]) if self.played[self.leader] != NONE else NONE

    def can_follow(self, seat: int) -> bool:
        """Whether a seat holds a card of the suit that was led."""
        first = self.led() * self.ranks
        return any(self.hand.has(seat, first + rank) for rank in range(self.ranks))

    def allows(self, seat: int, card: int) -> bool:
        """Whether a seat holds a card and may play it: a seat that can follow suit has to."""
        if not self.hand.has(seat, card):
            return False
        return self.led() == NONE or self.suit(card) == self.led() or not self.can_follow(seat)

    def play(self, seat: int, card: int) -> None:
        """Plays a card from a hand to the trick."""
        self.hand.remove(seat, card)
        self.played[seat] = card

    def next(self, seat: int) -> int:
        """The next seat to play; NONE when all have played."""
        following = (seat + 1) % len(self.played)
        return NONE if following == self.leader else following

    def beats(self, card: int, other: int, trump: int) -> bool:
        """Whether a card takes the trick from another that was played before it. `trump` is a suit, or NONE."""
        if self.suit(card) == self.suit(other):
            return card > other
        return self.suit(card) == trump

    def taker(self, trump: int) -> int:
        """The seat that currently takes the trick; NONE before the lead."""
        best = NONE
        for place in range(len(self.played)):
            seat = (self.leader + place) % len(self.played)
            card = self.played[seat]
            if card != NONE and (best == NONE or self.beats(card, self.played[best], trump)):
                best = seat
        return best

    def words(self, seat: int | None) -> Description:
        names, cards = self.game.seat_names, self.hand.deck.labels
        on_table = [f"{names[s]} {cards[card]}" for s, card in enumerate(self.played) if card != NONE]
        return {self.called: ", ".join(on_table) or "-", "leader": names[self.leader]}


def squares(rows: int, columns: int, diagonal: bool = False) -> dict[str, list[str]]:
    """A board of squares as regions for `Map`: a1, b1, ... with their neighbours.

    board = Map(squares(3, 3))
    """
    names = {(row, column): f"{chr(97 + column)}{row + 1}" for row in range(rows) for column in range(columns)}
    ways = [(0, 1), (1, 0), *([(1, 1), (1, -1)] if diagonal else [])]
    return {
        name: [names[row + down, column + right] for down, right in ways if (row + down, column + right) in names]
        for (row, column), name in names.items()
    }
