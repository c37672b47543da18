"""The twin's table: figures, hands, chance; wounds and what follows from them (ledger 2.2, 2.3, LW-CMB-10)."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from tests.games.lowenheim.reference import city
from tests.games.lowenheim.reference.city import NAMED

Play = Generator[tuple[str, int, list[int]], int, Any]
CG, PG, EL, WZ, BR, CA, SKAVEN = range(7)
TYPES = "APFWHB"
CHARACTER, MOUNTED, FOOT, SPECIAL = range(4)
# kind: move, fight, shots, strength, toughness, wounds, size
STATS = {
    "captain": (2, 5, 1, 5, 7, 3, 1), "cg_foot": (2, 4, 1, 4, 7, 1, 1), "cg_mounted": (3, 4, 1, 4, 8, 1, 2),
    "sigis": (2, 3, 1, 4, 6, 3, 1), "pg_foot": (2, 5, 1, 4, 7, 1, 1), "pg_mounted": (3, 5, 1, 4, 8, 1, 2),
    "alavandrel": (1, 5, 1, 5, 7, 3, 1), "el_foot": (2, 5, 1, 4, 7, 1, 1), "severus": (2, 2, 1, 3, 6, 4, 1),
    "minerva": (2, 2, 1, 3, 6, 3, 1), "amon": (2, 2, 1, 3, 6, 3, 1), "jean_jacques": (2, 4, 1, 3, 7, 3, 1),
    "werewolf": (3, 6, 3, 5, 8, 3, 1), "br_foot": (2, 6, 2, 4, 7, 1, 1), "wen": (2, 5, 1, 4, 7, 3, 1),
    "ca_foot": (2, 4, 1, 4, 7, 1, 1), "air_spirit": (4, 6, 3, 5, 8, 4, 1), "demon": (4, 5, 3, 5, 7, 3, 1),
    "bee": (3, 4, 1, 4, 5, 1, 2), "ent": (1, 4, 2, 5, 8, 3, 2), "cannon": (1, 4, 0, 5, 7, 2, 2),
    "skaven": (2, 4, 1, 3, 7, 1, 1), "rat_ogre": (2, 5, 2, 5, 8, 3, 1),
}  # fmt: skip
RANKS = [
    ("captain", 0, 0, CG, CHARACTER), ("cg_foot", 1, 9, CG, FOOT), ("cg_mounted", 10, 15, CG, MOUNTED),
    ("sigis", 16, 16, PG, CHARACTER), ("pg_foot", 17, 21, PG, FOOT), ("pg_mounted", 22, 26, PG, MOUNTED),
    ("alavandrel", 27, 27, EL, CHARACTER), ("el_foot", 28, 35, EL, FOOT), ("severus", 36, 36, WZ, CHARACTER),
    ("minerva", 37, 37, WZ, CHARACTER), ("amon", 38, 38, WZ, CHARACTER), ("jean_jacques", 39, 39, BR, CHARACTER),
    ("br_foot", 40, 44, BR, FOOT), ("wen", 45, 45, CA, CHARACTER), ("ca_foot", 46, 60, CA, FOOT),
    ("air_spirit", 61, 61, CA, SPECIAL), ("demon", 62, 62, WZ, SPECIAL), ("bee", 63, 74, WZ, SPECIAL),
    ("ent", 75, 78, WZ, SPECIAL), ("cannon", 79, 80, CG, SPECIAL), ("skaven", 81, 180, SKAVEN, SPECIAL),
]  # fmt: skip
COMMANDERS = [0, 16, 27, 36, 39, 45]
ROSTER = range(61)
PLANS = {
    0: [("A1", 0, 5), ("A2", 6, 9), ("A4", 10, 12), ("A5", 13, 15), ("B1", 16, 21), ("B2", 22, 24), ("B5", 25, 26),
        ("C1", 27, 31), ("C3", 32, 35), ("D1", 36, 38), ("E1", 39, 44), ("F1", 45, 50), ("F2", 51, 55),
        ("F3", 56, 60)],
    1: [("A1", 0, 5), ("M1", 6, 9), ("136", 10, 12), ("A5", 13, 15), ("B1", 16, 19), ("M2", 20, 21), ("B2", 22, 24),
        ("52", 25, 26), ("C1", 27, 31), ("H2", 32, 35), ("D1", 36, 36), ("G1", 37, 38), ("E1", 39, 41),
        ("J", 42, 44), ("F1", 45, 50), ("F2", 51, 55), ("H3", 56, 60)],
}  # fmt: skip


class Figure:
    """One miniature."""

    def __init__(self, number: int, kind: str, owner: int, rank: int) -> None:
        self.id, self.kind, self.owner, self.rank = number, kind, owner, rank
        self.hex: int | None = None
        self.status = "unused"
        self.wounds = self.stun = self.more_move = self.more_fight = 0
        self.ctrl = owner
        self.busy = self.done = self.reserve = self.raging = self.fixed = False
        self.free_from = 0  # first turn after a conference
        self.loss = [0, 0, 0, 0]
        self.aim = -1
        self.starved_on = 0
        self.breaks: int | None = None  # rolls made while under Mind Control

    @property
    def size(self) -> int:
        return STATS[self.kind][6]

    @property
    def ours(self) -> bool:
        return self.ctrl != SKAVEN

    @property
    def faction(self) -> int:
        """LW-MOV-07: whose figure it is."""
        if self.id >= 81:
            return WZ if self.ours else SKAVEN
        return self.owner


class Table:
    """Figures, hexes, hands and dice."""

    def __init__(self, knobs: dict[str, Any], chance: Any) -> None:
        self.knobs, self.chance = knobs, chance
        self.turn = 0
        self.figures = [
            Figure(n, kind, owner, rank) for kind, first, last, owner, rank in RANKS for n in range(first, last + 1)
        ]
        self.down: set[int] = set()
        self.breached: set[int] = set()
        self.hand = [dict.fromkeys(TYPES, 0) for _ in range(6)]
        self.deck = {t: int(knobs["n_" + n]) for t, n in zip(
            TYPES, ("attack", "peasants", "food", "water", "healing", "blank"), strict=True)}  # fmt: skip
        self.pile = dict.fromkeys(TYPES, 0)
        self.fire: dict[int, int] = {}
        self.burnt: set[int] = set()
        self.barricade: dict[frozenset[int], int] = {}  # side: turn of building
        self.pool, self.returning = int(knobs["barricade_pool"]), 0
        self.water_walls: list[tuple[int, int, int]] = []  # hex, direction, last turn
        self.masks = [set(range(6)) - {s} for s in range(6)]
        self.attackers: dict[int, set[int]] = {}
        self.own_step = -1  # side whose combat step it is: 0 defenders, 1 intruders
        self.box: int | str = "tower"
        self.box_used = False
        self.wolf_until = 0
        self.queen, self.queen_with, self.queen_captured = NAMED["C1"], False, False
        self.brunhilde: int | None = NAMED["C1"]
        self.brunhilde_with = self.brunhilde_captured = False
        self.defended = 0
        self.crew: dict[int, list[int]] = {}
        self.demon_turns = 0
        self.leader = CG

    # --- questions and chance ---

    def ask(self, kind: str, seat: int, options: list[int]) -> Play:
        if len(options) == 1:
            return options[0]
        answer = yield kind, seat, options
        return answer

    def die(self, stream: str) -> int:
        return int(self.chance.below(stream, 6)) + 1

    def pick(self, stream: str, n: int) -> int:
        return int(self.chance.below(stream, n)) if n > 1 else 0

    # --- map ---

    @property
    def ground(self) -> city.Ground:
        return frozenset(self.down), frozenset(self.breached)

    def side(self, a: int, b: int | None) -> str:
        return city.side(self.ground, a, b)

    def path(self, a: int, b: int) -> int:
        return city.path(self.ground, a, b)

    def passable(self, h: int | None) -> bool:
        return h in city.INDEX and h not in self.down

    def wet(self, a: int, b: int) -> bool:
        """LW-WIZ-05."""
        for h, way, _ in self.water_walls:
            for d in (way, (way + 1) % 6):
                if {h, city.around(h)[d]} == {a, b}:
                    return True
        return False

    def in_hex(self, h: int, ours: bool | None = None) -> list[Figure]:
        return [f for f in self.figures if f.hex == h and (ours is None or f.ours == ours)]

    def on_map(self, ours: bool | None = None) -> list[Figure]:
        return [f for f in self.figures if f.hex is not None and (ours is None or f.ours == ours)]

    def load(self, h: int, ours: bool) -> int:
        return sum(f.size for f in self.in_hex(h, ours))

    def room(self, f: Figure, h: int) -> bool:
        return self.load(h, f.ours) + f.size <= int(self.knobs["stack_limit"])

    def intruder_in(self, hexes: Any) -> bool:
        return any(f.hex in hexes for f in self.on_map(False))

    def held(self, h: int) -> bool:
        """An intruder there and no defender."""
        return bool(self.in_hex(h, False)) and not self.in_hex(h, True)

    def conferring(self, f: Figure) -> bool:
        return f.free_from > self.turn

    def able(self, f: Figure) -> bool:
        return (
            f.hex is not None and not f.stun and not f.busy and not f.done and not self.conferring(f)
            and not (f.reserve and not self.reserve_active)
        )  # fmt: skip

    reserve_active = False

    def roster(self, seat: int) -> list[Figure]:
        return [f for f in self.figures[:61] if f.owner == seat and f.hex is not None]

    # --- stat lines ---

    def is_wolf(self) -> bool:
        return self.figures[39].kind == "werewolf"

    def value(self, f: Figure, which: int) -> int:
        """0 Move, 1 Fight, 2 Strength, 3 Toughness, losses and tuning counted."""
        base = STATS[f.kind][(0, 1, 3, 4)[which]]
        if which == 0 and f.kind == "alavandrel":
            base = int(self.knobs["alavandrel_move"])
        if any(f.loss):
            base = max(1, base - f.loss[which])
        if f.id >= 81:
            base += int(self.knobs["skaven_fight_mod"]) if which == 1 else 0
            base += int(self.knobs["skaven_str_mod"]) if which == 2 else 0
        return base + (f.more_move if which == 0 else f.more_fight if which == 1 else 0)

    def mover(self, f: Figure) -> bool:
        """Flyers (LW-MOV-10)."""
        return f.kind in ("bee", "demon") or (f.kind == "air_spirit" and bool(self.knobs["air_spirit_flies"]))

    # --- cards ---

    def held_cards(self, seat: int) -> int:
        return sum(self.hand[seat].values())

    def spend(self, seat: int, kind: str, n: int = 1, pile: bool = True) -> None:
        assert self.hand[seat][kind] >= n
        self.hand[seat][kind] -= n
        if pile:
            self.pile[kind] += n

    def draw(self, seat: int) -> bool:
        """LW-CRD-02, 03."""
        if not sum(self.deck.values()):
            self.deck, self.pile = self.pile, dict.fromkeys(TYPES, 0)
        left = sum(self.deck.values())
        if not left:
            return False
        at = int(self.chance.below("draw", left))
        for t in TYPES:
            if at < self.deck[t]:
                self.deck[t] -= 1
                self.hand[seat][t] += 1
                return True
            at -= self.deck[t]
        raise AssertionError

    def well(self) -> bool:
        """LW-CRD-06."""
        return not self.intruder_in(city.PLACE_HEXES[0])

    def can_pay(self, seat: int, kind: str) -> int:
        """Cards that count as food or water, Blanks by the well too."""
        n = self.hand[seat][kind]
        if seat == CG and kind in "FW" and self.well():
            n += self.hand[seat]["B"]
        return n

    def pay_like(self, seat: int, kind: str, n: int, pile: bool = True) -> None:
        real = min(n, self.hand[seat][kind])
        self.spend(seat, kind, real, pile)
        if n > real:
            self.spend(seat, "B", n - real)

    def non_blank(self, seat: int) -> int:
        return self.held_cards(seat) - self.hand[seat]["B"]

    def spend_any(self, seat: int, n: int) -> None:
        """LW-WIZ-03."""
        for _ in range(n):
            most = max(self.hand[seat][t] for t in "PFWHA")
            self.spend(seat, next(t for t in "PFWHA" if self.hand[seat][t] == most))

    # --- leaving the map ---

    def remove(self, f: Figure, status: str) -> None:
        if f.id == 27:
            self.queen_with = False
        if f.id == 16 and status != "escaped":
            self.brunhilde_with = False
        f.hex, f.status = None, status
        f.stun = f.more_move = f.more_fight = 0
        f.busy = f.done = f.reserve = f.raging = f.fixed = False
        f.free_from = 0
        f.breaks = None
        f.ctrl = f.owner
        if f.id == 39:
            f.kind, self.wolf_until = "jean_jacques", 0
        if f.id == 62:
            self.demon_turns = 0

    def fall(self, f: Figure) -> None:
        """At 0 wounds."""
        if f.kind == "cannon":
            self.remove(f, "out")
            return
        self.remove(f, "temple" if f.id < 61 else "out")

    def saved(self, f: Figure, stream: str) -> bool:
        """LW-WIZ-18."""
        if not self.box_used or not f.ours or not isinstance(self.box, int):
            return False
        carrier = self.figures[self.box].hex
        if carrier is None or f.hex is None or city.flight(carrier, f.hex) > 1:
            return False
        return self.die(stream) >= 5

    def wound(self, f: Figure, stream: str, by: Figure | int | None = None) -> None:
        if self.saved(f, stream):
            return
        f.wounds -= 1
        if f.kind == "cannon":
            first = self.crew[f.id].pop(0)
            self.figures[first].status = "temple"
        if f.wounds > 0:
            return
        by_elves = by == EL if isinstance(by, int) else by is not None and by.ctrl == EL
        if not f.ours and by_elves:
            around = city.near(f.hex)  # type: ignore[arg-type]
            if any(g.hex in around and g.owner == CG for g in self.figures[:61]):
                self.defended += 1
        self.fall(f)

    def place(self, f: Figure, h: int) -> None:
        """A figure comes onto the map, fresh."""
        f.hex, f.status = h, "in play"
        f.wounds = STATS[f.kind][5]
        f.stun = 0
