"""Relics once more, from its page of rules alone and without the lab."""

from __future__ import annotations

import csv
import random
from dataclasses import dataclass
from pathlib import Path

import simlab

CSV = Path(simlab.__file__).parent / "games" / "relics" / "lots.csv"
with CSV.open() as file:
    LOTS = [(row["kind"], row["sale"]) for row in csv.DictReader(file)]
KINDS = ("relic", "grain", "wine", "iron")


class Player:
    """A player's silver, lots and medals."""

    def __init__(self, silver: int) -> None:
        self.silver, self.medals = silver, 0
        self.goods = dict.fromkeys(KINDS, 0)

    def lose_a_lot(self) -> None:
        largest = max(self.goods, key=self.goods.__getitem__)
        if self.goods[largest]:
            self.goods[largest] -= 1


@dataclass
class Relics:
    """A game; `legal` says what the player to act may bid or give, and `take` does it."""

    players: int
    luck: random.Random
    start_silver: int = 15
    lots: int = 20
    lots_between: int = 4
    strength_each: int = 6
    pay: int = 6
    breaches_to_fall: int = 3
    medal_points: int = 3
    grain_points: int = 3
    wine_points: int = 7
    set_points: int = 5
    silver_per_point: int = 5

    def __post_init__(self) -> None:
        self.table = [Player(self.start_silver) for _ in range(self.players)]
        self.deck = self.luck.sample(LOTS, self.lots)
        self.bailiff = self.luck.randrange(self.players)
        self.turn, self.ending = 1, ""
        self.chest = self.strength = 0
        self.burnt = self.breaches = self.spent = self.given = 0
        self.turn_up()

    def turn_up(self) -> None:
        self.kind, sale = self.deck.pop()
        self.ask(sale)

    def ask(self, decision: str) -> None:
        self.decision = decision
        self.bids: dict[int, int] = {}
        self.seat = self.left_of(self.bailiff)

    def left_of(self, seat: int) -> int:
        return (seat + 1) % self.players

    def legal(self) -> list[int]:
        bids = range(min(20, self.table[self.seat].silver) + 1)
        if self.decision == "round":
            highest = max(self.bids.values(), default=0)
            return [bid for bid in bids if bid == 0 or bid > highest]
        return list(bids)

    def take(self, bid: int) -> None:
        self.bids[self.seat] = bid
        if self.seat != self.bailiff:
            self.seat = self.left_of(self.seat)
        elif self.decision == "give":
            self.defend()
        else:
            self.sell()

    def sell(self) -> None:
        # The bids are in order from the left of the bailiff, and max takes the first of tied ones.
        buyer = max(self.bids, key=self.bids.__getitem__)
        price = self.bids[buyer]
        if price:
            self.table[buyer].silver -= price
            self.table[buyer].goods[self.kind] += 1
            self.chest += price
            self.spent += price
        else:
            self.burnt += 1
        if self.turn % self.lots_between == 0:
            self.strength = self.luck.randint(1, 6) + self.luck.randint(1, 6) + self.strength_each * self.players
            self.ask("give")
        else:
            self.next_lot()

    def defend(self) -> None:
        gifts = sum(self.bids.values())
        iron = sum(player.goods["iron"] for player in self.table)
        held = gifts + self.chest + iron >= self.strength
        self.given += gifts
        self.chest = 0
        most, least = max(self.bids.values()), min(self.bids.values())
        for seat, gift in self.bids.items():
            player = self.table[seat]
            player.silver -= gift
            if held and gift == most > 0:
                player.medals += 1
            if not held and gift == least:
                player.lose_a_lot()
        if not held:
            self.breaches += 1
        if self.breaches == self.breaches_to_fall:
            self.ending = "fall"
            return
        for player in self.table:
            player.silver += self.pay
        self.next_lot()

    def next_lot(self) -> None:
        if not self.deck:
            self.ending = "deck"
            return
        self.turn += 1
        self.bailiff = self.left_of(self.bailiff)
        self.turn_up()

    def score(self, seat: int) -> int:
        player, goods = self.table[seat], self.table[seat].goods
        points = goods["relic"] * (goods["relic"] + 1) // 2
        points += self.medal_points * player.medals
        points += player.silver // self.silver_per_point
        if self.ending != "fall":
            points += self.grain_points * goods["grain"]
            points += self.set_points * min(goods.values())
            if goods["wine"] == max(other.goods["wine"] for other in self.table) > 0:
                points += self.wine_points
        return points

    def winners(self) -> int:
        results = [(self.score(seat), player.silver) for seat, player in enumerate(self.table)]
        return sum(1 << seat for seat, result in enumerate(results) if result == max(results))


def play(players: int, seed: int, **knobs: int) -> Relics:
    """A game of random choices."""
    luck = random.Random(seed)
    game = Relics(players, luck, **knobs)
    while not game.ending:
        game.take(luck.choice(game.legal()))
    return game
