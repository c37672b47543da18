"""Caravan once more, from its page of rules alone and without the lab."""

from __future__ import annotations

import csv
import random
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import simlab

CSV = Path(simlab.__file__).parent / "games" / "caravan" / "cards.csv"


class Card:
    """A kind of card; all copies of a card are one object."""

    def __init__(self, row: dict[str, str]) -> None:
        self.name, self.trade, self.start = row["name"], row["trade"], row["start"] == "1"
        self.cost, self.coins, self.points, self.extra = (int(row[k]) for k in ("cost", "coins", "points", "extra"))


with CSV.open() as file:
    CARDS = [card for row in csv.DictReader(file) for card in [Card(row)] * int(row["copies"])]
MULE, PILGRIM = (next(card for card in CARDS if card.name == name) for name in ("mule", "pilgrim"))


class Player:
    """A player's caravan, purse and points."""

    def __init__(self, luck: random.Random, purse: int, hand_size: int) -> None:
        self.luck, self.purse, self.hand_size = luck, purse, hand_size
        self.points, self.traders = 0, Counter()
        self.pile, self.discard = [MULE] * 6 + [PILGRIM] * 2, []
        luck.shuffle(self.pile)
        self.draw_hand()

    def draw_hand(self) -> None:
        self.hand = []
        wanted = self.hand_size
        while wanted > 0:
            if not self.pile:
                self.pile, self.discard = self.discard, []
                self.luck.shuffle(self.pile)
            if not self.pile:
                return
            card = self.pile.pop()
            self.hand.append(card)
            wanted += card.extra - 1


@dataclass
class Caravan:
    """A game; `legal` says what the player to act may settle or buy, and `take` does it."""

    players: int
    luck: random.Random
    goal: int = 25
    hand_size: int = 5
    quarter_points: int = 4
    quarter_cards: int = 2
    purse_step: int = 1
    change: bool = True

    def __post_init__(self) -> None:
        self.deck = [card for card in CARDS if not card.start]
        self.luck.shuffle(self.deck)
        self.row = [self.deck.pop() for _ in range(5)]
        self.table = [Player(self.luck, self.purse_step * seat, self.hand_size) for seat in range(self.players)]
        self.quarters: dict[str, int] = {}
        self.turn, self.ending = 1, ""
        self.bought = self.settled = 0
        self.start_turn(0)

    def start_turn(self, seat: int) -> None:
        self.seat, self.player = seat, self.table[seat]
        self.settling, self.coins = True, 0

    def legal(self) -> list:
        if self.settling:
            return [*dict.fromkeys(self.player.hand), "none"]
        money = self.coins + self.player.purse
        return [*(place for place, card in enumerate(self.row) if card.cost <= money), "done"]

    def take(self, option) -> None:
        if self.settling:
            if option != "none":
                self.settle(option)
            self.settling = False
            self.coins = sum(card.coins for card in self.player.hand)
        elif option == "done":
            self.clean_up()
        else:
            self.buy(option)

    def settle(self, card: Card) -> None:
        player = self.player
        player.hand.remove(card)
        player.points += card.points
        self.settled += 1
        if card.trade == "none":
            return
        player.traders[card.trade] += 1
        if player.traders[card.trade] >= self.quarter_cards and card.trade not in self.quarters:
            self.quarters[card.trade] = self.seat
            player.points += self.quarter_points

    def buy(self, place: int) -> None:
        card = self.leave_row(place)
        self.player.discard.append(card)
        self.bought += 1
        from_hand = min(self.coins, card.cost)
        self.coins -= from_hand
        self.player.purse -= card.cost - from_hand

    def leave_row(self, place: int) -> Card:
        card = self.row.pop(place)
        if self.deck:
            self.row.append(self.deck.pop())
        return card

    def clean_up(self) -> None:
        self.player.discard += self.player.hand
        self.player.draw_hand()
        if self.seat < self.players - 1:
            self.start_turn(self.seat + 1)
        else:
            self.end_round()

    def end_round(self) -> None:
        if max(player.points for player in self.table) >= self.goal:
            self.ending = "goal"
        elif len(self.row) < 5:
            self.ending = "market empty"
        elif self.turn == 30:
            self.ending = "last round"
        else:
            if self.change:
                self.leave_row(0)
            self.turn += 1
            self.start_turn(0)

    def winners(self) -> int:
        best = max(player.points for player in self.table)
        return sum(1 << seat for seat, player in enumerate(self.table) if player.points == best)


def play(players: int, seed: int, **knobs: int) -> Caravan:
    """A game of random choices."""
    luck = random.Random(seed)
    game = Caravan(players, luck, **knobs)
    while not game.ending:
        game.take(luck.choice(game.legal()))
    return game
