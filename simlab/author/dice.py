"""The shelf: dice that lie on the table, and tricks."""

from __future__ import annotations

from typing import Any, ClassVar

from simlab.author.fields import NONE, SEATS, Field
from simlab.author.shelf import Component, Hand


class Dice(Component):
    """Dice on the table. self.dice[n] is the face of a die.

    dice = Dice(5, sides=6)
    """

    item: ClassVar[str] = "shown"
    draws: ClassVar[bool] = True
    shown: Any

    def __init__(self, count: int, sides: int = 6) -> None:
        self.count, self.sides = count, sides

    def constants(self) -> dict[str, int]:
        return {"count": self.count, "sides": self.sides}

    def fields(self) -> dict[str, Field]:
        return {"shown": Field((self.count,), 1)}

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

    def words(self, seat: int | None) -> dict[str, str | tuple[str, ...]]:
        return {self.called: " ".join(map(str, self.shown))}


class Trick(Component):
    """A trick, to which each seat plays a card of its hand. self.trick[seat] is a seat's card, or NONE.

        hand = Hand(Deck(52))
        trick = Trick(hand, ranks=13)

    Cards are numbered suit by suit, the lowest of a suit first. `self.trick.leader` is the seat that leads.
    """

    item: ClassVar[str] = "played"
    played: Any
    leader: int

    def __init__(self, hand: Hand, ranks: int) -> None:
        self.hand, self.ranks = hand, ranks

    def constants(self) -> dict[str, int]:
        return {"ranks": self.ranks}

    def fields(self) -> dict[str, Field]:
        return {"played": Field((SEATS,), NONE), "leader": Field(())}

    def start(self, leader: int) -> None:
        """Clears the table; a seat leads."""
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
        """Whether a card that is played later takes the trick from another. `trump` is a suit, or NONE."""
        if self.suit(card) == self.suit(other):
            return card > other
        return self.suit(card) == trump

    def taker(self, trump: int) -> int:
        """The seat that takes the trick as it lies; NONE before the lead."""
        best = NONE
        for place in range(len(self.played)):
            seat = (self.leader + place) % len(self.played)
            card = self.played[seat]
            if card != NONE and (best == NONE or self.beats(card, self.played[best], trump)):
                best = seat
        return best

    def words(self, seat: int | None) -> dict[str, str | tuple[str, ...]]:
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
