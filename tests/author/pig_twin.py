"""Pig once more, from its rules and without the lab."""

from __future__ import annotations

import random


class Pig:
    """A game; `legal` says what the player to act may do, and `take` does it."""

    def __init__(
        self, luck: random.Random, goal: int = 100, die_sides: int = 6, bust_number: int = 1, head_start: int = 0
    ) -> None:
        self.luck, self.goal, self.sides, self.bust = luck, goal, die_sides, bust_number
        self.points = [0, head_start]
        self.seat, self.turn, self.at_stake, self.busts = 0, 1, 0, 0
        self.ending, self.winner, self.margin = "", -1, 0

    def legal(self) -> list[str]:
        return ["roll", "hold"] if self.at_stake else ["roll"]

    def take(self, option: str) -> None:
        if option == "hold":
            self.hold()
            return
        pips = self.luck.randint(1, self.sides)
        if pips == self.bust:
            self.busts += 1
            self.at_stake = 0
            self.end_turn()
            return
        self.at_stake += pips
        if self.points[self.seat] + self.at_stake >= self.goal:
            self.hold()

    def hold(self) -> None:
        self.points[self.seat] += self.at_stake
        self.at_stake = 0
        self.margin = abs(self.points[0] - self.points[1])
        if self.points[self.seat] >= self.goal:
            self.ending, self.winner = "goal", self.seat
        else:
            self.end_turn()

    def end_turn(self) -> None:
        if self.turn == 400:
            self.ending = "exhaustion"
        else:
            self.turn += 1
            self.seat = 1 - self.seat


def play(seed: int, **knobs: int) -> Pig:
    """A game of random choices."""
    luck = random.Random(seed)
    game = Pig(luck, **knobs)
    while not game.ending:
        game.take(luck.choice(game.legal()))
    return game
