"""Fens once more, from its page of rules alone and without the lab."""

from __future__ import annotations

import csv
import random
from dataclasses import dataclass
from pathlib import Path

import simlab

CSV = Path(simlab.__file__).parent / "games" / "fens" / "weather.csv"
with CSV.open() as file:
    WEATHER = [
        (int(row["wave"]), int(row["herds"]), int(row["steps"]))
        for row in csv.DictReader(file)
        for _ in range(int(row["copies"]))
    ]
WORTH = {
    "alder": 3, "bittern": 4, "curlew": 3, "drake": 5, "eel": 6, "fox": 6, "goose": 5, "heron": 3, "ivy": 4, "jay": 3,
}  # fmt: skip
LINES = """alder-bittern bittern-curlew drake-eel eel-fox fox-goose heron-ivy ivy-jay alder-drake alder-eel bittern-eel
bittern-fox curlew-fox curlew-goose drake-heron eel-heron eel-ivy fox-ivy fox-jay goose-jay"""
NEAR: dict[str, list[str]] = {island: [] for island in WORTH}
for line in LINES.split():
    one, other = line.split("-")
    NEAR[one].append(other)
    NEAR[other].append(one)


@dataclass
class Fens:
    """A game; `legal` says what the player to act may do, and `take` does it."""

    players: int
    luck: random.Random
    supply_size: int = 12
    room: int = 6
    first_herds: int = 2
    later_herds: int = 2
    countings: int = 3
    rounds_between: int = 3
    ties: str = "share"
    first_turn: str = "leader"
    second_scores: bool = True
    tide_drifts: bool = True

    def __post_init__(self) -> None:
        self.herds = {island: [0] * self.players for island in WORTH}
        self.supply = [self.supply_size] * self.players
        self.points = [0] * self.players
        self.tide = "bittern"
        self.seat = self.starter = self.taken = self.left = 0
        self.turn, self.ending, self.decision = 1, "", "settle"
        self.tied = self.bare = self.drowned = 0

    def next_seat(self, seat: int) -> int:
        return (seat + 1) % self.players

    def on_map(self, seat: int) -> int:
        return sum(herds[seat] for herds in self.herds.values())

    def is_open(self, island: str) -> bool:
        return island != self.tide and sum(self.herds[island]) < self.room

    def place(self, island: str, number: int = 1) -> None:
        self.herds[island][self.seat] += number
        self.supply[self.seat] -= number

    def legal(self) -> list:
        if self.decision == "settle":
            return [island for island, herds in self.herds.items() if island != self.tide and not any(herds)]
        if self.decision == "pick":
            return list(range(len(self.row)))
        if self.decision == "wave":
            return [*NEAR[self.tide], "stay"]
        if self.decision == "breed":
            return [*self.pastures(), "stop"]
        return [*self.drives(), "stop"]

    def pastures(self) -> list[str]:
        anywhere = self.on_map(self.seat) == 0
        return [i for i, herds in self.herds.items() if self.is_open(i) and (anywhere or herds[self.seat])]

    def drives(self) -> list[tuple[str, str]]:
        own = [island for island, herds in self.herds.items() if herds[self.seat]]
        return [(start, end) for start in own for end in NEAR[start] if self.is_open(end)]

    def take(self, option) -> None:
        getattr(self, self.decision)(option)

    def settle(self, island: str) -> None:
        later = self.later_herds if self.seat > 1 else 0
        self.place(island, min(self.room, self.first_herds + later))
        self.seat = self.next_seat(self.seat)
        if self.seat == 0:
            self.new_round()

    def new_round(self) -> None:
        self.row = self.luck.sample(WEATHER, self.players + 1)
        self.taken = 0
        self.seat, self.decision = self.starter, "pick"

    def pick(self, place: int) -> None:
        wave, self.left, self.steps = self.row.pop(place)
        if wave:
            self.decision = "wave"
        else:
            self.next_herd()

    def wave(self, option: str) -> None:
        if option != "stay":
            self.move_tide(option)
        self.next_herd()

    def move_tide(self, island: str) -> None:
        self.tide = island
        for seat in range(self.players):
            if self.herds[island][seat]:
                self.herds[island][seat] -= 1
                self.supply[seat] += 1
                self.drowned += 1

    def next_herd(self) -> None:
        if self.left and self.supply[self.seat] and self.pastures():
            self.decision = "breed"
        else:
            self.left = self.steps
            self.next_step()

    def breed(self, option: str) -> None:
        if option == "stop":
            self.left = 0
        else:
            self.place(option)
            self.left -= 1
        self.next_herd()

    def next_step(self) -> None:
        if self.left and self.drives():
            self.decision = "drive"
        else:
            self.end_turn()

    def drive(self, option) -> None:
        if option == "stop":
            self.left = 0
        else:
            start, end = option
            self.herds[start][self.seat] -= 1
            self.herds[end][self.seat] += 1
            self.left -= 1
        self.next_step()

    def end_turn(self) -> None:
        self.taken += 1
        if self.taken < self.players:
            self.seat, self.decision = self.next_seat(self.seat), "pick"
            return
        if self.turn % self.rounds_between == 0:
            self.count()
        if self.tide_drifts:
            self.move_tide(self.luck.choice(NEAR[self.tide]))
        if self.turn == self.rounds_between * self.countings:
            self.ending = "counted"
        else:
            self.turn += 1
            self.starter = self.next_starter()
            self.new_round()

    def next_starter(self) -> int:
        starter = self.next_seat(self.starter)
        if self.first_turn == "leader":
            while self.points[starter] < max(self.points):
                starter = self.next_seat(starter)
        return starter

    def count(self) -> None:
        for island, herds in self.herds.items():
            if island == self.tide:
                continue
            if not any(herds):
                self.bare += 1
                continue
            first = self.with_most(herds, max(herds))
            self.share(first, WORTH[island])
            if len(first) > 1:
                self.tied += 1
            elif self.second_scores and self.players > 2:
                most = max(number for number in herds if number < max(herds))
                if most:
                    self.share(self.with_most(herds, most), WORTH[island] // 2)

    def with_most(self, herds: list[int], most: int) -> list[int]:
        return [seat for seat, number in enumerate(herds) if number == most]

    def share(self, seats: list[int], prize: int) -> None:
        if len(seats) == 1 or self.ties == "share":
            for seat in seats:
                self.points[seat] += prize // len(seats)

    def winners(self) -> int:
        results = [(self.points[seat], self.on_map(seat)) for seat in range(self.players)]
        return sum(1 << seat for seat, result in enumerate(results) if result == max(results))


def play(players: int, seed: int, **knobs: object) -> Fens:
    """A game of random choices."""
    luck = random.Random(seed)
    game = Fens(players, luck, **knobs)
    while not game.ending:
        game.take(luck.choice(game.legal()))
    return game
