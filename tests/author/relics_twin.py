"""Relics in plain Python without the lab, from its rules: random play for the comparison with the class."""

from __future__ import annotations

import random

KINDS = 4  # relic, grain, wine, iron
RELIC, GRAIN, WINE, IRON = range(KINDS)


def play(seats: int, luck: random.Random) -> tuple[list[int], list[int], int, int]:
    """Plays a game at random; returns the points, the winners, the breaches and the lots burnt."""
    deck = [(kind, sealed) for kind in range(KINDS) for _ in range(3) for sealed in (False, True)]
    luck.shuffle(deck)
    silver, medals = [15] * seats, [0] * seats
    goods = [[0] * KINDS for _ in range(seats)]
    chest = breaches = burnt = 0
    bailiff = luck.randrange(seats)
    for sold, (kind, sealed) in enumerate(deck[:20], 1):
        order = [(bailiff + step) % seats for step in range(1, seats + 1)]
        price, buyer = 0, -1
        for seat in order:
            most = min(20, silver[seat])
            bid = luck.randint(0, most) if sealed else luck.choice([0, *range(price + 1, most + 1)])
            if bid > price:
                price, buyer = bid, seat
        if buyer < 0:
            burnt += 1
        else:
            silver[buyer] -= price
            chest += price
            goods[buyer][kind] += 1
        if sold % 4 == 0:
            strength = luck.randint(1, 6) + luck.randint(1, 6) + 6 * seats
            gifts = [luck.randint(0, min(20, own)) for own in silver]
            silver = [own - gift for own, gift in zip(silver, gifts, strict=True)]
            held = sum(gifts) + chest + sum(own[IRON] for own in goods) >= strength
            chest = 0
            for seat, gift in enumerate(gifts):
                if held and gift == max(gifts) > 0:
                    medals[seat] += 1
                if not held and gift == min(gifts) and any(goods[seat]):
                    goods[seat][goods[seat].index(max(goods[seat]))] -= 1
            breaches += not held
            if breaches == 3:
                break
            silver = [own + 6 for own in silver]
        bailiff = (bailiff + 1) % seats
    points = []
    for own, money, honours in zip(goods, silver, medals, strict=True):
        total = own[RELIC] * (own[RELIC] + 1) // 2 + 3 * honours + money // 5
        if breaches < 3:
            total += 3 * own[GRAIN] + 5 * min(own)
            total += 7 * (own[WINE] == max(other[WINE] for other in goods) and own[WINE] > 0)
        points.append(total)
    best = max(zip(points, silver, strict=True))
    return points, [s for s in range(seats) if (points[s], silver[s]) == best], breaches, burnt
