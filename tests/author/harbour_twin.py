"""Harbour once more, from its page of rules alone and without the lab."""

from __future__ import annotations

import csv
import random
from pathlib import Path

import simlab

CSV = Path(simlab.__file__).parent / "games" / "harbour" / "buildings.csv"
with CSV.open() as file:
    BUILDINGS = [(int(row["cost"]), int(row["points"]), row["gives"]) for row in csv.DictReader(file)]


class Player:
    """A player's goods."""

    def __init__(self, coins: int) -> None:
        self.coins, self.grain, self.points, self.workers = coins, 0, 0, 0


class Harbour:
    """A game; `legal` says what the player to act may do, and `take` does it."""

    def __init__(
        self, players: int, luck: random.Random, goal: int = 20, workers: int = 2, quay: int = 3, field: int = 2,
        price: int = 2, later: int = 2, row: int = 5,
    ) -> None:  # fmt: skip
        self.goal, self.workers, self.quay, self.field, self.price, self.size = goal, workers, quay, field, price, row
        self.deck = list(BUILDINGS)
        luck.shuffle(self.deck)
        self.row = [self.deck.pop() for _ in range(row)]
        self.table = [Player(2 + later * seat) for seat in range(players)]
        self.round, self.starter, self.ending = 1, 0, ""
        self.bought = self.idle = 0
        self.begin_round()

    def begin_round(self) -> None:
        self.taken: set[str] = set()
        self.buying = False
        fewest = min(player.points for player in self.table)
        for player in self.table:
            player.workers = self.workers
            player.coins += player.points == fewest
        self.seat = self.starter

    def affordable(self) -> list[int]:
        return [n for n, (cost, *_) in enumerate(self.row) if cost <= self.table[self.seat].coins]

    def legal(self) -> list[object]:
        if self.buying:
            return list(self.affordable())
        places = {"quay", "field"} - self.taken
        if self.table[self.seat].grain and "market" not in self.taken:
            places.add("market")
        if self.affordable() and "builder" not in self.taken:
            places.add("builder")
        return [*sorted(places), "idle"]

    def take(self, option: object) -> None:
        player = self.table[self.seat]
        if self.buying:
            cost, points, gives = self.row.pop(int(str(option)))
            player.coins += 2 * (gives == "coin") - cost
            player.grain += 2 * (gives == "grain")
            player.points += points
            self.bought += 1
            self.buying = False
            self.next_worker()
            return
        player.workers -= 1
        self.taken.add(str(option))
        if option == "builder":
            self.buying = True
            return
        if option == "idle":
            self.idle += 1
        elif option == "quay":
            player.coins += self.quay
        elif option == "field":
            player.grain += self.field
        else:
            player.coins, player.grain = player.coins + self.price * player.grain, 0
        self.next_worker()

    def next_worker(self) -> None:
        for step in range(1, len(self.table) + 1):
            seat = (self.seat + step) % len(self.table)
            if self.table[seat].workers:
                self.seat = seat
                return
        while self.deck and len(self.row) < self.size:
            self.row.append(self.deck.pop())
        if max(player.points for player in self.table) >= self.goal:
            self.ending = "goal"
        elif self.round == 50 or not self.row:
            self.ending = "nothing left"
        else:
            self.round += 1
            self.starter = (self.starter + 1) % len(self.table)
            self.begin_round()

    def winners(self) -> int:
        best = max(player.points for player in self.table)
        return sum(1 << seat for seat, player in enumerate(self.table) if player.points == best)


def play(players: int, seed: int, **knobs: int) -> Harbour:
    """A game of random choices."""
    luck = random.Random(seed)
    game = Harbour(players, luck, **knobs)
    while not game.ending:
        game.take(luck.choice(game.legal()))
    return game
