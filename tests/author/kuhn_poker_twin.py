"""Kuhn poker once more, from its rules and without the lab."""

from __future__ import annotations

import random


class KuhnPoker:
    """A game; `legal` says what the player to act may do, and `take` does it."""

    def __init__(self, luck: random.Random, ante: int = 1, bet: int = 1, ranks: int = 3) -> None:
        self.bet = bet
        self.cards = luck.sample(range(ranks), 2)
        self.paid = [ante, ante]
        self.seat, self.turn, self.passes, self.winner = 0, 1, 0, -1
        self.ending, self.bluffed = "", False

    def legal(self) -> list[str]:
        return ["pass", "bet"]

    def take(self, option: str) -> None:
        other = 1 - self.seat
        if option == "bet":
            self.paid[self.seat] += self.bet
            called = self.paid[0] == self.paid[1]
        else:
            self.passes += 1
            if self.paid[other] > self.paid[self.seat]:
                self.finish("fold", other)
                return
            called = self.passes == 2
        if called:
            self.finish("showdown", 0 if self.cards[0] > self.cards[1] else 1)
        else:
            self.turn += 1
            self.seat = other

    def finish(self, ending: str, winner: int) -> None:
        self.ending, self.winner = ending, winner
        self.bluffed = self.cards[winner] < self.cards[1 - winner]

    def scores(self) -> list[int]:
        return [self.paid[1 - seat] if seat == self.winner else -self.paid[seat] for seat in (0, 1)]


def play(seed: int, **knobs: int) -> KuhnPoker:
    """A game of random choices."""
    luck = random.Random(seed)
    game = KuhnPoker(luck, **knobs)
    while not game.ending:
        game.take(luck.choice(game.legal()))
    return game
