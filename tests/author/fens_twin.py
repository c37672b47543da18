"""Fens in plain Python without the lab, written from simlab/games/fens/RULES.md alone: random play."""

from __future__ import annotations

import random

ISLANDS = ["alder", "bittern", "curlew", "drake", "eel", "fox", "goose", "heron", "ivy", "jay"]
WORTH = {
    "alder": 3, "bittern": 4, "curlew": 3, "drake": 5, "eel": 6, "fox": 6, "goose": 5, "heron": 3, "ivy": 4, "jay": 3,
}  # fmt: skip
LINES = """alder-bittern bittern-curlew drake-eel eel-fox fox-goose heron-ivy ivy-jay alder-drake alder-eel bittern-eel
bittern-fox curlew-fox curlew-goose drake-heron eel-heron eel-ivy fox-ivy fox-jay goose-jay"""
NEAR: dict[str, list[str]] = {island: [] for island in ISLANDS}
for line in LINES.split():
    one, other = line.split("-")
    NEAR[one].append(other)
    NEAR[other].append(one)
CARDS = [(0, 4, 0)] * 2 + [(0, 3, 2)] * 3 + [(0, 2, 3)] * 3 + [(0, 1, 5)] * 2 + [(1, 1, 2)] * 2  # wave, herds, steps


def play(players: int, luck: random.Random) -> tuple[list[int], list[int]]:
    """A game of random choices; returns the winners and the points."""
    on = {island: [0] * players for island in ISLANDS}
    supply, points = [12] * players, [0] * players
    tide = "bittern"

    def flood(island: str) -> str:
        for player in range(players):
            if on[island][player]:
                on[island][player] -= 1
                supply[player] += 1
        return island

    def free(island: str) -> bool:
        return island != tide and sum(on[island]) < 6

    for player in range(players):
        island = luck.choice([i for i in ISLANDS if i != tide and not any(on[i])])
        on[island][player] = 2 if player < 2 else 4
        supply[player] -= on[island][player]
    starter = 0
    for turn in range(1, 10):
        row = luck.sample(CARDS, players + 1)
        for place in range(players):
            player = (starter + place) % players
            wave, herds, steps = row.pop(luck.randrange(len(row)))
            if wave:
                to = luck.choice([*NEAR[tide], "stay"])
                tide = tide if to == "stay" else flood(to)
            for _ in range(herds):
                own = [i for i in ISLANDS if on[i][player]] or ISLANDS
                options = [i for i in own if free(i)]
                island = luck.choice([*options, "stop"]) if options and supply[player] else "stop"
                if island == "stop":
                    break
                on[island][player] += 1
                supply[player] -= 1
            for _ in range(steps):
                moves = [(a, b) for a in ISLANDS if on[a][player] for b in NEAR[a] if free(b)]
                move = luck.choice([*moves, ("stop", "")]) if moves else ("stop", "")
                if move[0] == "stop":
                    break
                on[move[0]][player] -= 1
                on[move[1]][player] += 1
        if turn % 3 == 0:
            for island in ISLANDS:
                if island != tide:
                    count(on[island], WORTH[island], points)
        tide = flood(luck.choice(NEAR[tide]))
        starter = next((starter + n) % players for n in range(1, players + 1)
                       if points[(starter + n) % players] == max(points))  # fmt: skip
    results = [(points[player], sum(on[island][player] for island in ISLANDS)) for player in range(players)]
    return [player for player in range(players) if results[player] == max(results)], points


def count(herds: list[int], worth: int, points: list[int]) -> None:
    """Counts one island."""
    levels = sorted({n for n in herds if n}, reverse=True)
    if not levels:
        return
    first = [player for player, n in enumerate(herds) if n == levels[0]]
    for player in first:
        points[player] += worth // len(first)
    if len(first) == 1 and len(herds) > 2 and len(levels) > 1:
        second = [player for player, n in enumerate(herds) if n == levels[1]]
        for player in second:
            points[player] += worth // 2 // len(second)
