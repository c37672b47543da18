"""A draw pile and a discard pile for each seat, which remember what has been seen of them."""

from __future__ import annotations

from typing import ClassVar

from simlab.author.fields import NONE, SEATS, Field, Grid
from simlab.author.shelf import Component, Table
from simlab.spec.record import Description
from simlab.words import counted

MOST_BATCHES = 120


class DrawPiles(Component):
    """A draw pile and a face-up discard pile for each seat, from a pack of its own.

        pack = Table(["AS", "2S", "3S"])
        decks = DrawPiles(pack, aside=3)

    Cards may be laid aside, face down for all until `reveal()`. The owner of a draw pile remembers the cards on top
    that it has looked at. Cards put under the pile together form a batch: everybody knows which cards these are, and
    nobody in which order they lie. If a player looks at cards of two batches, the others take both for one.

    self.decks.left[seat] is the number of cards in a draw pile, self.decks.piled[seat] that in a discard pile, and
    self.decks.known[seat] how many cards on top of its draw pile the seat knows.
    """

    draws: ClassVar[bool] = True
    draws_by_seat: ClassVar[bool] = True
    draws_items: ClassVar[bool] = True
    order: Grid
    left: list[int]
    known: list[int]
    batch: Grid  #: of each card in the draw pile or aside: 0, or the number of the batch put under the pile
    batches: list[int]
    pile: Grid
    piled: list[int]
    laid: Grid
    aside: list[int]
    shown: bool  #: whether the cards aside are face up

    def __init__(self, deck: Table, aside: int = 1) -> None:
        self.deck, self.room = deck, aside

    def fields(self) -> dict[str, Field]:
        cards, last = self.deck.capacity, self.deck.capacity - 1
        return {
            "order": Field((SEATS, self.deck), NONE, low=NONE, high=last), "left": Field((SEATS,), low=0, high=cards),
            "known": Field((SEATS,), low=0, high=cards), "batch": Field((SEATS, self.deck), low=0, high=MOST_BATCHES),
            "batches": Field((SEATS,), low=0, high=MOST_BATCHES),
            "pile": Field((SEATS, self.deck), NONE, low=NONE, high=last), "piled": Field((SEATS,), low=0, high=cards),
            "laid": Field((SEATS, self.room), NONE, low=NONE, high=last),
            "aside": Field((SEATS,), low=0, high=self.room),
            "shown": Field((), False),
        }  # fmt: skip

    # --- The draw pile

    def add(self, seat: int, card: int) -> None:
        """Puts a card on top of a draw pile, before it is shuffled."""
        self.order[seat, self.left[seat]] = card
        self.left[seat] += 1

    def shuffle(self, seat: int) -> None:
        """Shuffles a draw pile: all its cards are one batch."""
        self.shuffle_part(self.order, seat, self.left[seat])
        self.known[seat] = 0
        if self.batches[seat] > 0:
            self.batches[seat] = 0
            for place in range(self.left[seat]):
                self.batch[seat, self.order[seat, place]] = 0

    def draw(self, seat: int) -> int:
        """Takes the top card; NONE if there is none."""
        if self.left[seat] == 0:
            return NONE
        self.serve(seat)
        self.left[seat] -= 1
        if self.known[seat] > 0:
            self.known[seat] -= 1
        return self.order[seat, self.left[seat]]

    def top(self, seat: int, place: int) -> int:
        """A card of a draw pile by its place from the top, from 0."""
        return self.order[seat, self.left[seat] - 1 - place]

    def look(self, seat: int, cards: int) -> None:
        """The owner looks at the top cards of its draw pile."""
        if cards > self.known[seat]:
            self.known[seat] = cards
        if cards > 0:
            first, last = self.batch[seat, self.top(seat, 0)], self.batch[seat, self.top(seat, cards - 1)]
            place = 0
            while first != last and place < self.left[seat]:
                card = self.top(seat, place)
                if place >= cards and self.batch[seat, card] != last:
                    return
                self.batch[seat, card] = first
                place += 1

    def raise_card(self, seat: int, place: int, to: int) -> None:
        """Moves a card of a draw pile up to another place from the top; those between move down by one."""
        at, end = self.left[seat] - 1 - place, self.left[seat] - 1 - to
        card = self.order[seat, at]
        for above in range(at, end):
            self.order[seat, above] = self.order[seat, above + 1]
        self.order[seat, end] = card

    def put_under(self, seat: int, card: int) -> None:
        """Puts a card under a draw pile."""
        for place in range(self.left[seat], 0, -1):
            self.order[seat, place] = self.order[seat, place - 1]
        self.order[seat, 0] = card
        self.left[seat] += 1

    def mix_under(self, seat: int, cards: int) -> None:
        """Shuffles the lowest cards of a draw pile, which are a batch now."""
        self.shuffle_part(self.order, seat, cards)
        self.batches[seat] += 1
        for place in range(cards):
            self.batch[seat, self.order[seat, place]] = self.batches[seat]

    # --- Cards aside, and the discard pile

    def lay_aside(self, seat: int) -> None:
        """Lays the top card aside, face down."""
        self.laid[seat, self.aside[seat]] = self.draw(seat)
        self.aside[seat] += 1
        self.shown = False

    def reveal(self) -> None:
        """Turns the cards aside face up."""
        self.shown = True

    def put_away(self, seat: int) -> None:
        """Puts the cards aside on the discard pile, in the order in which they were laid there."""
        for place in range(self.aside[seat]):
            self.discard(seat, self.laid[seat, place])
        self.aside[seat] = 0

    def discard(self, seat: int, card: int) -> None:
        """Puts a card face up on a discard pile."""
        self.pile[seat, self.piled[seat]] = card
        self.piled[seat] += 1

    def recover(self, seat: int, place: int) -> int:
        """Takes a card out of a discard pile by its place from the bottom, from 0."""
        card = self.pile[seat, place]
        for above in range(place, self.piled[seat] - 1):
            self.pile[seat, above] = self.pile[seat, above + 1]
        self.piled[seat] -= 1
        return card

    # --- What a seat cannot see

    def hidden(self, owner: int, gap: int) -> int:
        """How many cards of a seat lie face down, without the top `gap` cards of its draw pile."""
        return self.left[owner] - gap + (0 if self.shown else self.aside[owner])

    def unseen(self, owner: int, place: int, gap: int) -> int:
        """A face-down card, counted from those aside and then from the top; the top `gap` cards are left out."""
        aside = 0 if self.shown else self.aside[owner]
        if place < aside:
            return self.laid[owner, place]
        return self.order[owner, self.left[owner] - 1 - gap - place + aside]

    def put_unseen(self, owner: int, place: int, gap: int, card: int) -> None:
        """Replaces a card as `unseen` counts them."""
        aside = 0 if self.shown else self.aside[owner]
        if place < aside:
            self.laid[owner, place] = card
        else:
            self.order[owner, self.left[owner] - 1 - gap - place + aside] = card

    def swap_unseen(self, owner: int, place: int, other: int, gap: int) -> None:
        """Swaps two cards as `unseen` counts them."""
        card = self.unseen(owner, place, gap)
        self.put_unseen(owner, place, gap, self.unseen(owner, other, gap))
        self.put_unseen(owner, other, gap, card)

    def sort_batch(self, owner: int, start: int, gap: int) -> int:
        """Sorts the batch that begins at a place, so that its order tells nothing; returns how many cards it has."""
        batch, end = self.batch[owner, self.unseen(owner, start, gap)], start + 1
        while end < self.hidden(owner, gap) and self.batch[owner, self.unseen(owner, end, gap)] == batch:
            for place in range(end, start, -1):
                if self.unseen(owner, place, gap) > self.unseen(owner, place - 1, gap):
                    break
                self.swap_unseen(owner, place, place - 1, gap)
            end += 1
        return end - start

    def redraw(self, seat: int) -> None:
        for owner in self.seats:
            gap = self.known[owner] if owner == seat else 0
            start = 0
            while start < self.hidden(owner, gap):
                cards = self.sort_batch(owner, start, gap)
                for at in range(cards - 1, 0, -1):
                    self.swap_unseen(owner, start + at, start + self.below(at + 1), gap)
                start += cards

    def mix_again(self) -> None:
        """Gives the cards whose order nobody has seen a new one."""
        for owner in self.seats:
            gap, start = self.known[owner], 0
            while start < self.hidden(owner, gap):
                cards = self.sort_batch(owner, start, gap)
                for at in range(cards - 1, 0, -1):
                    self.swap_unseen(owner, start + at, start + self.below_of(owner, at + 1), gap)
                start += cards

    # --- Words and checks

    def cards_by_place(self) -> dict[str, list[int]]:
        return {}

    def fault(self) -> str:
        for owner, name in enumerate(self.game.seat_names):
            pile = [self.order[owner, place] for place in range(self.left[owner])]
            pile += [self.laid[owner, place] for place in range(self.aside[owner])]
            pile += [self.pile[owner, place] for place in range(self.piled[owner])]
            if len({*pile}) < len(pile):
                return f"{name}'s piles hold a card twice"
        return ""

    def words(self, seat: int | None) -> Description:
        seen: Description = {}
        labels = self.deck.labels
        for owner, name in enumerate(self.game.seat_names):
            seen[f"{name}'s draw pile"] = counted(int(self.left[owner]), "card")
            known = [labels[self.top(owner, place)] for place in range(self.known[owner])]
            if known:
                seen[f"{name} knows on top"] = " ".join(known) if seat in (None, owner) else counted(len(known), "card")
            aside = [self.laid[owner, place] for place in range(self.aside[owner])]
            if aside:
                face_down = seat is not None and not self.shown
                cards = f"{len(aside)} face down" if face_down else " ".join(labels[card] for card in aside)
                seen[f"{name}'s cards aside"] = cards
            pile = range(self.piled[owner])
            seen[f"{name}'s discard pile"] = tuple(labels[self.pile[owner, place]] for place in pile)
        return seen
