"""Caravan once more, from its page of rules alone and without the lab: random play."""

from __future__ import annotations

import csv
import random
from collections import Counter
from pathlib import Path

import simlab

CSV = Path(simlab.__file__).parent / "games" / "caravan" / "cards.csv"
KINDS = {
    row["name"]: {k: int(row[k]) for k in ("copies", "cost", "coins", "points", "extra")} | {"trade": row["trade"]}
    for row in csv.DictReader(CSV.open())
}


class Player:
    """A caravan: cards are names, and the last card of the pile is the top one."""

    def __init__(self, luck: random.Random, purse: int) -> None:
        self.luck, self.purse, self.points = luck, purse, 0
        self.pile, self.hand = [], []
        self.discard = ["mule"] * 6 + ["pilgrim"] * 2
        self.settled = Counter()
        self.draw_hand()

    def draw_hand(self) -> None:
        wanted = 5
        while wanted:
            if not self.pile:
                self.pile, self.discard = self.discard, []
                self.luck.shuffle(self.pile)
            if not self.pile:
                return
            self.hand.append(self.pile.pop())
            wanted += KINDS[self.hand[-1]]["extra"] - 1


def play(seed: int, players: int) -> tuple[tuple[int, ...], int, str]:
    """A game of random choices: the winners, the rounds and the ending."""
    luck = random.Random(seed)
    market = [name for name, kind in KINDS.items() if kind["cost"] for _ in range(kind["copies"])]
    luck.shuffle(market)
    row = [market.pop() for _ in range(5)]
    table = [Player(luck, seat) for seat in range(players)]
    quarters: set[str] = set()
    for turn in range(1, 31):
        for player in table:
            chosen = luck.choice([*sorted(set(player.hand)), ""])
            if chosen:
                player.hand.remove(chosen)
                player.points += KINDS[chosen]["points"]
                trade = KINDS[chosen]["trade"]
                player.settled[trade] += 1
                if trade != "none" and trade not in quarters and player.settled[trade] == 2:
                    quarters.add(trade)
                    player.points += 4
            coins = sum(KINDS[name]["coins"] for name in player.hand)
            while True:
                options = [n for n, name in enumerate(row) if KINDS[name]["cost"] <= coins + player.purse]
                bought = luck.choice([*options, -1])
                if bought < 0:
                    break
                player.discard.append(row[bought])
                coins -= KINDS[row.pop(bought)]["cost"]
                if coins < 0:
                    player.purse, coins = player.purse + coins, 0
                row += [market.pop()] if market else []
            player.discard += player.hand
            player.hand = []
            player.draw_hand()
        best = max(player.points for player in table)
        ending = "goal" if best >= 25 else "market empty" if len(row) < 5 else "last round" if turn == 30 else ""
        if ending:
            return tuple(n for n, player in enumerate(table) if player.points == best), turn, ending
        row.pop(0)
        row += [market.pop()] if market else []
    raise AssertionError("the last round ends the game")
