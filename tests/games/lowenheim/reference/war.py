"""Movement, combat and the intruders (ledger 3.5 to 3.7)."""

from __future__ import annotations

from collections.abc import Callable

from tests.games.lowenheim.reference import city
from tests.games.lowenheim.reference.city import FAR, MAIN, around
from tests.games.lowenheim.reference.figures import EL, SKAVEN, STATS, WZ, Figure, Table


class War(Table):
    """How figures move and fight."""

    # --- movement ---

    def weight(self, f: Figure) -> int:
        return 1 if self.knobs["outnumber_by"] == "heads" else f.size

    def outnumbers(self, f: Figure, h: int) -> bool:
        """LW-MOV-05: its side, itself included, against the enemies in a hex."""
        mine = sum(self.weight(g) for g in self.in_hex(h, f.ours) if g is not f) + self.weight(f)
        return mine >= 2 * sum(self.weight(g) for g in self.in_hex(h, not f.ours))

    def march_stream(self, f: Figure) -> str:
        return "march" if f.ours else "intruder_march"

    def leaves(self, f: Figure) -> bool:
        """LW-MOV-06."""
        assert f.hex is not None
        if not self.in_hex(f.hex, not f.ours) or self.outnumbers(f, f.hex):
            return True
        return self.die(self.march_stream(f)) <= int(self.knobs["break_free_max"])

    def permits(self, owner: int, mover: int) -> bool:
        mode = self.knobs["permission_mode"]
        return owner == mover or mode == "always" or (mode == "mask" and mover in self.masks[owner])

    def passes(self, f: Figure) -> bool:
        """LW-MOV-07."""
        if not f.ours:
            return True
        assert f.hex is not None
        block = sum(g.size for g in self.in_hex(f.hex, True) if not self.permits(g.faction, f.faction))
        return block == 0 or self.die("march") >= block

    def barrier(self, f: Figure, a: int, b: int) -> bool:
        if frozenset((a, b)) in self.barricade:
            return True
        return not f.ours and self.knobs["gate_mode"] == "barrier" and self.side(a, b) == "gate"

    def go(self, f: Figure, h: int) -> None:
        f.hex = h
        if f.id == 27 and self.queen_with:
            self.queen = h
        if f.id == 16 and self.brunhilde_with:
            self.brunhilde = h

    def nearer(self, f: Figure, here: int, target: int) -> list[int]:
        """LW-MOV-03 (a)."""
        now = self.path(here, target)
        return [
            n for n in around(here)
            if n is not None and self.side(here, n) in ("open", "gate") and self.path(n, target) == now - 1
            and not self.wet(here, n)
        ]  # fmt: skip

    def march(self, f: Figure, target: int, left: int) -> int:
        """LW-MOV-03; what is left of the allowance."""
        whole, before = left, -1
        assert f.hex is not None
        if self.mover(f):
            self.fly(f, target, left)
            return 0
        through = False  # stands in a full hex on its way
        while left > 0 and f.hex != target:
            here = f.hex
            assert here is not None
            if self.path(here, target) >= FAR:
                break
            ways = self.nearer(f, here, target)
            plain = [n for n in ways if not self.barrier(f, here, n)]
            barred = [n for n in ways if self.barrier(f, here, n)] if left == whole and f.kind != "cannon" else []
            choice = None
            for n in plain + barred:
                if self.room(f, n):
                    choice = n
                    break
                if through or n not in plain or left < 2 or n == target or self.in_hex(n, not f.ours):
                    continue
                after = [m for m in self.nearer(f, n, target) if not self.barrier(f, n, m)]
                if any(self.room(f, m) for m in after):
                    choice = n
                    break
            if choice is None:
                break
            if left < whole and not self.passes(f):
                break
            if not self.leaves(f):
                left = 0
                break
            if choice in barred:
                if f.size == 2 and self.die(self.march_stream(f)) > 3:
                    left = 0
                    break
                self.go(f, choice)
                left = 0
                break
            full = not self.room(f, choice)
            before, through = here, full
            self.go(f, choice)
            left -= 1
            if self.in_hex(choice, not f.ours) and not self.outnumbers(f, choice):
                left = 0
        if through:
            self.go(f, before)
        return left

    def fly(self, f: Figure, target: int, left: int) -> None:
        """LW-MOV-10."""
        assert f.hex is not None
        here = f.hex
        best = min(
            (h for h in city.PASSABLE if h not in self.down and city.flight(here, h) <= left
             and (h == here or self.room(f, h))),
            key=lambda h: (city.flight(h, target), h != here, h),
        )  # fmt: skip
        if best != here and self.leaves(f):
            self.go(f, best)

    # --- combat ---

    def begin_step(self, side: int) -> None:
        self.attackers = {}
        self.own_step = side

    def end_step(self, ours: bool) -> None:
        for f in self.on_map(ours):
            f.stun = max(0, f.stun - 1)
        self.own_step = -1

    def reach(self, f: Figure) -> list[int]:
        """LW-CMB-04: own hex, then the neighbours in order."""
        assert f.hex is not None
        here = f.hex
        return [here] + [n for n in around(here) if n is not None and self.side(here, n) in ("open", "gate")
                         and not self.wet(here, n)]  # fmt: skip

    def attackable(self, f: Figure, g: Figure) -> bool:
        by = self.attackers.get(g.id, set())
        return f.id in by or len(by) < int(self.knobs["attackers_per_target"])

    def targets(self, f: Figure, h: int, foe: Callable[[Figure], bool]) -> list[Figure]:
        there = [g for g in self.in_hex(h) if g is not f and foe(g) and self.attackable(f, g)]
        return sorted(there, key=lambda g: (self.value(g, 3), g.wounds, self.value(g, 1), g.id))

    def supported(self, f: Figure) -> bool:
        assert f.hex is not None
        friends = [g for g in self.in_hex(f.hex, f.ours) if g is not f]
        if self.knobs["support_same_faction"]:
            friends = [g for g in friends if g.faction == f.faction]
        return len(friends) >= 2

    def behind(self, f: Figure, g: Figure) -> bool:
        """LW-CMB-07: the defender stands behind a barricade or inside a gate."""
        assert f.hex is not None and g.hex is not None
        if f.hex == g.hex:
            return False
        if frozenset((f.hex, g.hex)) in self.barricade:
            return True
        gate = self.side(f.hex, g.hex) == "gate" and self.knobs["gate_mode"] == "barrier"
        return gate and g.hex in city.WALLED

    def attack(self, f: Figure, g: Figure, stream: str) -> None:
        """LW-CMB-06 to 10."""
        support = int(self.knobs["support_bonus"])
        one, other = self.die(stream), self.die(stream)
        mine = self.value(f, 1) + one + (support if self.supported(f) else 0)
        its = self.value(g, 1) + other + (support if self.supported(g) else 0)
        its += int(self.knobs["barricade_bonus"]) if self.behind(f, g) else 0
        hit = mine > its or (one == 6 and other != 6)
        self.attackers.setdefault(g.id, set()).add(f.id)
        if hit:
            self.strike(g, self.value(f, 2), stream, f)

    def strike(self, g: Figure, strength: int, stream: str, by: Figure | int | None) -> None:
        die = self.die(stream)
        if die != 6 and strength + die <= self.value(g, 3):
            return
        effect = self.die(stream)
        if effect >= int(self.knobs["wound_min"]):
            self.wound(g, stream, by)
        elif effect >= int(self.knobs["stun_min"]):
            self.stun(g)

    def stun(self, g: Figure) -> None:
        """LW-CMB-13."""
        stun = 2 if self.own_step == (0 if g.ours else 1) else 1
        if g.ours and self.own_step == 1 and self.knobs["stun_defender_next_turn"]:
            stun = 2
        g.stun = max(g.stun, stun)

    def attacks(self, f: Figure, foes: list[Callable[[Figure], bool]], stream: str, focus: int | None = None) -> None:
        """All attacks of a figure; `foes` in order of preference."""
        for _ in range(STATS[f.kind][2]):
            if f.hex is None:
                return
            hexes = self.reach(f)
            if focus is not None and focus in hexes:
                hexes = [focus] + [h for h in hexes if h != focus]
            victims = (g for foe in foes for h in hexes for g in self.targets(f, h, foe))
            victim = next(victims, None)
            if victim is None:
                return
            self.attack(f, victim, stream)

    def ranged(self, h: int, number: int, strength: int, stream: str, by: int) -> None:
        """LW-CMB-14."""
        for _ in range(number):
            there = self.in_hex(h, None if self.knobs["area_hits_friends"] else False)
            if not there:
                return
            self.strike(there[self.pick(stream, len(there))], strength, stream, by)

    @staticmethod
    def enemy(f: Figure) -> Callable[[Figure], bool]:
        return lambda g: g.ours != f.ours

    # --- intruders ---

    def arrive(self) -> None:
        """LW-ENM-01 to 04."""
        first, every = int(self.knobs["first_troop_turn"]), int(self.knobs["troop_interval"])
        if self.turn < first or (self.turn - first) % every or self.turn > int(self.knobs["turn_limit"]):
            return
        number = sum(self.die("arrival") for _ in range(int(self.knobs["troop_dice"])))
        tens, units = self.die("arrival"), self.die("arrival")
        aim = self.die("arrival")
        second = self.die("arrival") if aim >= 5 else 0
        ogres, self.ogres = self.ogres, 0
        numbers = list(city.HOUSES)
        at = numbers.index(10 * tens + units)
        open_ones = [n for n in numbers[at:] + numbers[:at] if city.HOUSES[n] not in self.burnt]
        if not open_ones:
            return
        start = city.mouths(city.HOUSES[open_ones[0]])
        away = {h: 1 + min(self.path(m, h) for m in start) for h in city.PASSABLE}
        order = sorted((min(away[h], FAR) if away[h] <= FAR else FAR, at) for at, h in enumerate(MAIN))
        goal = order[0][1] if aim <= 2 else order[1][1] if aim == 3 else 7
        if aim >= 5:
            goal = second
        hexes = [h for h in city.PASSABLE if h not in city.WALLED and h not in self.down and away[h] <= 6
                 and not self.in_hex(h, True)]  # fmt: skip
        hexes.sort(key=lambda h: (away[h], h))
        for n in range(ogres + number):
            kind = "rat_ogre" if n < ogres else "skaven"
            free = next((f for f in self.figures[81:] if f.hex is None), None)
            if free is None or sum(f.hex is not None for f in self.figures[81:]) >= int(self.knobs["intruder_cap"]):
                return
            free.kind, free.ctrl = kind, SKAVEN
            there = next((h for h in hexes if self.room(free, h)), None)
            if there is None:
                return
            self.place(free, there)
            free.aim = goal

    ogres = 0

    def activate(self) -> None:
        """LW-ENM-05 to 08."""
        for f in self.figures[81:]:
            if f.hex is None or f.ours or f.stun or self.in_hex(f.hex, True):
                continue
            here = f.hex
            main = MAIN[f.aim]
            held = self.held(main) and len(self.in_hex(main, False)) >= int(self.knobs["garrison"])
            if here != main and (held or self.path(here, main) >= FAR):
                free = [(self.path(here, h), at) for at, h in enumerate(MAIN)
                        if self.path(here, h) < FAR and not self.held(h)]  # fmt: skip
                if free:
                    f.aim = min(free)[1]
            lured = [(self.path(here, h), h) for h in city.PASSABLE
                     if self.path(here, h) <= int(self.knobs["lure"]) and self.in_hex(h, True)]  # fmt: skip
            goal = min(lured)[1] if lured else MAIN[f.aim]
            self.march(f, goal, self.value(f, 0))

    def enemy_combat(self) -> None:
        """LW-ENM-09."""
        self.begin_step(1)
        for f in self.figures[81:]:
            if f.hex is not None and not f.ours and not f.stun:
                self.attacks(f, [self.enemy(f)], "intruder_combat")
        self.end_step(False)

    # --- outbursts ---

    def outburst(self, seat: int, other: int, most: int) -> None:
        """LW-HOS-01, 02."""
        mine = [f for f in self.roster(seat) if self.able(f) and f.ctrl == seat]

        def foe(g: Figure) -> bool:
            return g.id < 61 and g.owner == other

        def near(f: Figure) -> bool:
            return any(foe(g) for h in self.reach(f) for g in self.in_hex(h))

        if not any(map(near, mine)) or self.die("temper") > most:
            return
        self.attackers = {}
        for f in sorted(mine, key=lambda f: (-self.value(f, 1), f.id)):
            if near(f):
                self.attacks(f, [foe], "combat")
                f.done = True
        self.attackers = {}


__all__ = ["EL", "WZ", "War"]
