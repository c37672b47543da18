"""Tricks once more, from its rules and without the lab."""

from __future__ import annotations

import random
from dataclasses import dataclass

PACK = [(suit, rank) for suit in "CDHS" for rank in range(2, 15)]


@dataclass
class Tricks:
    """A game; `legal` says what the player to act may bid or play, and `take` does it."""

    players: int
    luck: random.Random
    hand_size: int = 7
    deals: int = 7
    shrinking: bool = True
    trumps: bool = True
    hook: bool = True
    exact_bonus: int = 10
    trick_points: int = 1
    miss_penalty: int = 0

    def __post_init__(self) -> None:
        if self.shrinking and self.deals > self.hand_size:
            raise ValueError(f"{self.deals} deals, each with a card fewer, need more than {self.hand_size} cards")
        self.points = [0] * self.players
        self.dealer = self.deal_number = 0
        self.turn, self.ending = 1, ""
        self.bids_met = self.tricks_bid = self.sharing = 0
        self.deal()

    def next_seat(self, seat: int) -> int:
        return (seat + 1) % self.players

    def deal(self) -> None:
        self.dealt = self.hand_size
        if self.shrinking:
            self.dealt -= self.deal_number
        pack = self.luck.sample(PACK, len(PACK))
        self.hands = [[pack.pop() for _ in range(self.dealt)] for _ in range(self.players)]
        self.trump = pack.pop()[0] if self.trumps else "none"
        self.bids: dict[int, int] = {}
        self.taken = [0] * self.players
        self.bidding = True
        self.start_trick(self.next_seat(self.dealer))

    def start_trick(self, leader: int) -> None:
        self.trick: dict[int, tuple[str, int]] = {}
        self.led = "none"
        self.seat = leader

    def legal(self) -> list:
        if self.bidding:
            bids = list(range(self.dealt + 1))
            last = self.dealt - sum(self.bids.values())
            if self.hook and self.seat == self.dealer and last in bids:
                bids.remove(last)
            return bids
        hand = self.hands[self.seat]
        return [card for card in hand if card[0] == self.led] or hand

    def take(self, option) -> None:
        if self.bidding:
            self.bid(option)
        else:
            self.play(option)

    def bid(self, tricks: int) -> None:
        self.bids[self.seat] = tricks
        self.tricks_bid += tricks
        self.bidding = self.seat != self.dealer
        self.seat = self.next_seat(self.seat)

    def play(self, card: tuple[str, int]) -> None:
        self.hands[self.seat].remove(card)
        if not self.trick:
            self.led = card[0]
        self.trick[self.seat] = card
        self.seat = self.next_seat(self.seat)
        if len(self.trick) == self.players:
            self.end_trick()

    def strength(self, seat: int) -> tuple[bool, bool, int]:
        suit, rank = self.trick[seat]
        return suit == self.trump, suit == self.led, rank

    def end_trick(self) -> None:
        taker = max(self.trick, key=self.strength)
        self.taken[taker] += 1
        if self.hands[taker]:
            self.turn += 1
            self.start_trick(taker)
        else:
            self.count_points()

    def count_points(self) -> None:
        for seat, bid in self.bids.items():
            if bid == self.taken[seat]:
                self.bids_met += 1
                self.points[seat] += self.exact_bonus + self.trick_points * bid
            else:
                self.points[seat] -= self.miss_penalty * abs(bid - self.taken[seat])
        self.deal_number += 1
        if self.deal_number == self.deals:
            self.sharing = self.points.count(max(self.points))
            self.ending = "alone" if self.sharing == 1 else "shared"
        else:
            self.turn += 1
            self.dealer = self.next_seat(self.dealer)
            self.deal()

    def winners(self) -> int:
        return sum(1 << seat for seat, points in enumerate(self.points) if points == max(self.points))


def play(players: int, seed: int, **knobs: int) -> Tricks:
    """A game of random choices."""
    luck = random.Random(seed)
    game = Tricks(players, luck, **knobs)
    while not game.ending:
        game.take(luck.choice(game.legal()))
    return game
