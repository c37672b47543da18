"""Auctions on the shelf: open bids, in one round or until all but one drop out, and sealed bids."""

from __future__ import annotations

from simlab.author.fields import NONE, SEATS, Field, Numbers
from simlab.author.shelf import Component
from simlab.spec.record import MOST_SEATS, Description


class _Bids(Component):
    """Bids up to a limit, one per seat."""

    item = "bids"
    bids: Numbers

    def __init__(self, limit: int) -> None:
        self.limit = limit

    @property
    def options(self) -> int:
        """Number of bids, for a choice among them."""
        return self.limit + 1


class Auction(_Bids):
    """Open bids from 1 to a limit; 0 passes.

        sale = Auction(20)

        call = choice(sale)

        def sell(self):
            self.sale.start()
            for self.seat in self.seats:
                self.sale.bid(self.seat, self.ask(self.call))

    `next_open` is the seat to ask next if all may bid until they drop out.

    self.sale[seat] is a seat's last bid, `self.sale.best` the highest bid, and `self.sale.leader` the seat that bid it.
    """

    dropped: Numbers
    best: int
    leader: int
    asked: int

    def fields(self) -> dict[str, Field]:
        return {
            "bids": Field((SEATS,), low=0, high=self.limit),
            "dropped": Field((SEATS,), False),
            "best": Field((), low=0, high=self.limit),
            "leader": Field((), NONE, low=0, high=MOST_SEATS - 1),
            "asked": Field(()),
        }

    def label_of(self, option: int) -> str:
        return str(option) if option else "pass"

    def start(self) -> None:
        """Begins an auction, without a bid."""
        self.bids.fill(0)
        self.dropped.fill(False)
        self.best, self.leader, self.asked = 0, NONE, 0

    def allows(self, amount: int) -> bool:
        """Whether an amount is a pass, or more than the highest bid."""
        return amount == 0 or amount > self.best

    def bid(self, seat: int, amount: int) -> None:
        """Takes a seat's bid; a seat that passes drops out."""
        self.asked += 1
        self.bids[seat] = amount
        if amount > self.best:
            self.best, self.leader = amount, seat
        if amount == 0:
            self.dropped[seat] = True

    def next_once(self, seat: int) -> int:
        """The seat to ask next if each seat bids once; NONE when all have been asked."""
        if self.asked >= len(self.bids):
            return NONE
        return (seat + 1) % len(self.bids)

    def next_open(self, seat: int) -> int:
        """The seat to ask next if all may bid until they drop out; NONE when nobody is left to bid more."""
        for step in range(1, len(self.bids)):
            other = (seat + step) % len(self.bids)
            if other != self.leader and not self.dropped[other]:
                return other
        return NONE

    def words(self, seat: int | None) -> Description:
        names = self.game.seat_names
        return {self.called: f"{self.best} by {names[self.leader]}" if self.leader >= 0 else "no bid"}


class SealedBids(_Bids):
    """Bids from 0 to a limit that stay hidden until the rules reveal them.

        sealed = SealedBids(20)

        write = choice(sealed, secret=True)

        def sell(self):
            self.sealed.start()
            for self.seat in self.seats:
                self.sealed.put(self.seat, self.ask(self.write), self.silver[self.seat])

    self.sealed[seat] is a seat's bid, or NONE. For bots that look ahead, the lab redraws the bids of the others, from 0
    to the most that each could bid.
    """

    most: Numbers

    def fields(self) -> dict[str, Field]:
        return {
            "bids": Field((SEATS,), NONE, low=0, high=self.limit),
            "most": Field((SEATS,), low=0, high=self.limit),
        }

    def start(self) -> None:
        """Removes all bids."""
        self.bids.fill(NONE)
        self.most.fill(0)

    def put(self, seat: int, amount: int, most: int) -> None:
        """Takes a seat's bid. `most` is the highest bid that the other seats know to be possible, such as its
        silver.
        """
        self.bids[seat] = amount
        self.most[seat] = min(most, self.limit)

    def next(self, seat: int) -> int:
        """The next seat without a bid; NONE when all have bid."""
        for step in range(1, len(self.bids)):
            other = (seat + step) % len(self.bids)
            if self.bids[other] == NONE:
                return other
        return NONE

    def winner(self, first: int) -> int:
        """The seat with the highest bid; in a tie, the first from a given seat on; NONE if nobody bids more than 0."""
        best, leader = 0, NONE
        for step in range(len(self.bids)):
            seat = (first + step) % len(self.bids)
            if self.bids[seat] > best:
                best, leader = self.bids[seat], seat
        return leader

    def highest(self) -> int:
        """The highest bid."""
        return max(self.bids)

    def lowest(self) -> int:
        """The lowest bid."""
        return min(self.bids)

    def total(self) -> int:
        """The sum of the bids, once all have bid."""
        return sum(self.bids)

    def redraw(self, seat: int) -> None:
        for other in range(len(self.bids)):
            if other != seat and self.bids[other] != NONE:
                self.bids[other] = self.below(self.most[other] + 1)

    def words(self, seat: int | None) -> Description:
        seen: Description = {}
        for owner, name in enumerate(self.game.seat_names):
            bid = self.bids[owner]
            seen[f"{name}'s {self.called}"] = (
                "none" if bid == NONE else str(bid) if seat is None or owner == seat else "hidden"
            )
        return seen
