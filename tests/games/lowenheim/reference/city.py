"""The map of the twin: hexes by the ledger's ids, sides, ways, sight (ledger 2.1)."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

ROWS = """
# # # # # # # # # # # # # # # #
# B B B . h C C C h . h G D G #
# B B B . h C C C C . h G G G #
# . . . . . . . . . . . . . . #
# E E . h h . h h . H H . F F #
# E h . h h I h h . H T . h F #
# h . . . . . . h . . . . . h #
# ~ ~ ~ J ~ ~ ~ ~ ~ ~ K ~ ~ ~ #
# . . . . . . . . . . . . . . #
# A A . h h . h h . h h . h h #
# A A . h h . . h . h h . L L #
# A A . h h M M h . h h . L L #
# # # # # # # M # # # # # # # #
"""
TERRAIN = "".join(ROWS.split())
NAMED = {
    "A1": 161, "A2": 162, "A3": 145, "A4": 146, "A5": 177, "A6": 178, "B1": 18, "B2": 34, "B3": 19, "B4": 17,
    "B5": 33, "B6": 35, "C1": 23, "C2": 39, "C3": 40, "C4": 22, "C5": 24, "C6": 38, "C7": 41, "D1": 29, "G1": 44,
    "G2": 28, "G3": 30, "G4": 45, "G5": 46, "E1": 65, "E2": 66, "E3": 81, "F1": 78, "F2": 77, "F3": 94, "H1": 75,
    "H2": 74, "H3": 90, "T": 91, "I": 86, "J": 116, "K": 123, "L1": 173, "L2": 174, "L3": 189, "L4": 190, "M1": 199,
    "M2": 183, "M3": 182,
}  # fmt: skip
PASSABLE = [h for h, t in enumerate(TERRAIN) if t not in "#h~"]
INDEX = {h: at for at, h in enumerate(PASSABLE)}
BUILDINGS = "A1 A3 A5 A6 B1 B3 B4 C1 C4 C5 C6 C7 D1 E1 E3 F1 F3 H1 L1 L2 L3 L4"
FLAMMABLE = sorted([h for h, t in enumerate(TERRAIN) if t == "h"] + [NAMED[n] for n in BUILDINGS.split()])
HOUSES = {
    11: 148, 12: 149, 13: 151, 14: 152, 15: 154, 16: 155, 21: 157, 22: 158, 23: 164, 24: 165, 25: 168, 26: 170,
    31: 171, 32: 180, 33: 181, 34: 184, 35: 186, 36: 187, 41: 21, 42: 25, 43: 27, 44: 37, 45: 43, 46: 68, 51: 69,
    52: 71, 53: 72, 54: 82, 55: 84, 56: 85, 61: 87, 62: 88, 63: 93, 64: 97, 65: 104, 66: 110,
}  # fmt: skip
GATES = {frozenset(pair) for pair in ((162, 163), (34, 50), (40, 56), (44, 59), (66, 67), (77, 76))}
SITES = [NAMED[n] for n in ("A4", "B3", "C3", "G1")]
BRIDGES = [116, 123]
PLACES = "ABCDEFHM"
MAIN = [NAMED[p + "1"] for p in PLACES]
OF_PLACE = {"G": "D", "T": "H"}
PLACE_HEXES = [[h for h in PASSABLE if OF_PLACE.get(TERRAIN[h], TERRAIN[h]) == p] for p in PLACES]
POOR = {h for h in PASSABLE if h // 16 >= 8}
WALLED = {h: OF_PLACE.get(TERRAIN[h], TERRAIN[h]) for h in PASSABLE if TERRAIN[h] in "ABCDGEF"}
STEPS = [(1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1)]
COURT = [NAMED[n] for n in ("C2", "C1", "C6", "C3", "C4", "C5", "C7")]
FAR = 99


def axial(h: int) -> tuple[int, int]:
    return h % 16 - h // 16 // 2, h // 16


def at_axial(q: int, r: int) -> int | None:
    column = q + r // 2
    return 16 * r + column if 0 <= r < 13 and 0 <= column < 16 else None


@cache
def around(h: int) -> tuple[int | None, ...]:
    """The six neighbours in the order of directions, houses and canal too."""
    q, r = axial(h)
    return tuple(at_axial(q + dq, r + dr) for dq, dr in STEPS)


@cache
def near(h: int) -> tuple[int, ...]:
    """A hex and its neighbours."""
    return (h, *(n for n in around(h) if n is not None))


def flight(a: int, b: int) -> int:
    (q1, r1), (q2, r2) = axial(a), axial(b)
    dq, dr = q1 - q2, r1 - r2
    return (abs(dq) + abs(dr) + abs(dq + dr)) // 2


Ground = tuple[frozenset[int], frozenset[int]]  # bridges down, sites breached (hex ids)


@cache
def side(ground: Ground, a: int, b: int | None) -> str:
    """'open', 'gate', 'wall' or '' between two neighbours."""
    down, breached = ground
    if b is None or a not in INDEX or b not in INDEX or a in down or b in down:
        return ""
    if WALLED.get(a) == WALLED.get(b) or a in breached or b in breached:
        return "open"
    return "gate" if frozenset((a, b)) in GATES else "wall"


@cache
def ways(ground: Ground, start: int) -> dict[int, int]:
    """Steps over open and gate sides from a hex to all others."""
    found = {start: 0}
    ring = [start]
    while ring:
        new = []
        for a in ring:
            for b in around(a):
                if b not in found and side(ground, a, b) in ("open", "gate"):
                    assert b is not None
                    found[b] = found[a] + 1
                    new.append(b)
        ring = new
    return found


def path(ground: Ground, a: int, b: int) -> int:
    if a in ground[0] or b in ground[0]:
        return FAR if a != b else 0
    return ways(ground, a).get(b, FAR)


def mouths(house: int) -> list[int]:
    return sorted(n for n in around(house) if n in INDEX and n not in WALLED)  # type: ignore[type-var]


@cache
def sees(a: int, b: int) -> bool:
    """LW-CMB-16."""
    steps = flight(a, b)
    (q1, r1), (q2, r2) = axial(a), axial(b)
    line: list[int | None] = []
    for step in range(steps + 1):
        t = step / steps if steps else 0.0
        q, r = q1 + 1e-6 + (q2 - q1) * t, r1 + 2e-6 + (r2 - r1) * t
        s = -q - r
        x, y, z = round(q), round(r), round(s)
        if abs(x - q) > abs(y - r) and abs(x - q) > abs(z - s):
            x = -y - z
        elif abs(y - r) > abs(z - s):
            y = -x - z
        line.append(at_axial(x, y))
    if any(h is None or TERRAIN[h] in "#h" for h in line[1:-1]):
        return False
    whole: Ground = (frozenset(), frozenset())
    return all(side(whole, x, y) != "wall" for x, y in pairwise(line))  # type: ignore[arg-type]
