"""Steps 8 and 9: trading, healing, food, fires, barricades, demands (ledger 3.3, 3.4, 3.8, 3.11)."""

from __future__ import annotations

from tests.games.lowenheim.reference import city
from tests.games.lowenheim.reference.city import INDEX, NAMED, PLACE_HEXES, around, near
from tests.games.lowenheim.reference.figures import (
    BR,
    CA,
    CG,
    CHARACTER,
    COMMANDERS,
    EL,
    FOOT,
    MOUNTED,
    PG,
    TYPES,
    WZ,
    Figure,
    Play,
)
from tests.games.lowenheim.reference.magic import (
    C1A,
    C1P,
    C2P,
    DEMAND_TYPES,
    FOOD,
    HOSPITAL,
    MINE,
    RESERVE,
    UPKEEP,
    WATER,
    WELLS,
    J,
    K,
    Magic,
)

GROUNDS = [NAMED[n] for n in ("H1", "H2", "H3")]
WOLF, TUNNEL, ARTEFACTS, HAIR = range(4)
MAY_PRESS = {EL: [WOLF, ARTEFACTS, HAIR], WZ: [WOLF, TUNNEL, HAIR]}
OWNERS = [BR, PG, WZ, CA]


class Upkeep(Magic):
    """What is done once the fighting is over."""

    def open_tables(self) -> None:
        super().open_tables()
        self.wolf_public = self.tunnel_public = False
        self.pressed: dict[tuple[int, int], int] = {}

    def types_held(self, seat: int) -> list[int]:
        return [at for at, t in enumerate(TYPES) if self.hand[seat][t]]

    # --- step 8 ---

    def offers(self) -> Play:
        size = int(self.knobs["hand_size"])
        for seat in range(6):
            others = [s for s in range(6) if s != seat]
            for _ in range(int(self.knobs["trade_offers"])):
                if not self.held_cards(seat):
                    break
                answer = yield from self.ask("D23", seat, list(range(6)))
                if not answer:
                    break
                partner = others[answer - 1]
                give = (yield from self.ask("D24", seat, [1 + t for t in self.types_held(seat)])) - 1
                gift = [0] if self.held_cards(partner) < size else []
                want = yield from self.ask("D25", seat, gift + [1 + t for t in range(6) if t != give])
                if want and not self.hand[partner][TYPES[want - 1]]:
                    continue
                if (yield from self.ask("D26", partner, [0, 1])):
                    self.hand[seat][TYPES[give]] -= 1
                    self.hand[partner][TYPES[give]] += 1
                    if want:
                        self.hand[partner][TYPES[want - 1]] -= 1
                        self.hand[seat][TYPES[want - 1]] += 1

    def secret(self, which: int) -> bool:
        """Neither public nor lost."""
        if which == WOLF:
            return not self.wolf_public
        if which == TUNNEL:
            return not self.tunnel_public
        if which == ARTEFACTS:
            return any(not p and not gone for p, gone in zip(self.public, self.lost, strict=True))
        return not self.hair_public and self.hair == "hidden"

    def reveal(self, which: int) -> None:
        if which == WOLF:
            self.wolf_public = True
        elif which == TUNNEL:
            self.tunnel_public = True
        elif which == HAIR:
            self.hair_public = True
        else:
            at = next(a for a in range(4) if not self.public[a] and not self.lost[a])
            self.public[at] = True

    def pressure(self) -> Play:
        if not self.knobs["blackmail"]:
            return
        rest = int(self.knobs["blackmail_cooldown"])
        for presser in (EL, WZ):
            options = [0]
            for at, which in enumerate(MAY_PRESS[presser]):
                last = self.pressed.get((presser, which))
                fresh = last is None or self.turn - last > rest
                if self.secret(which) and self.held_cards(OWNERS[which]) and fresh:
                    options.append(1 + at)
            answer = yield from self.ask("D27", presser, options)
            if not answer:
                continue
            which = MAY_PRESS[presser][answer - 1]
            owner = OWNERS[which]
            self.pressed[presser, which] = self.turn
            give = yield from self.ask("D28", owner, [0] + [1 + t for t in self.types_held(owner)])
            if give:
                t = TYPES[give - 1]
                self.hand[owner][t] -= 1
                if self.held_cards(presser) >= int(self.knobs["hand_size"]):
                    self.pile[t] += 1
                else:
                    self.hand[presser][t] += 1
            elif (yield from self.ask("D29", presser, [0, 1])):
                self.reveal(which)

    def hand_limit(self, seat: int) -> int:
        return int(self.knobs["hand_size"]) + (1 if seat == WZ and self.mask_worn else 0)

    def cut_hands(self) -> Play:
        for seat in range(6):
            while self.held_cards(seat) > self.hand_limit(seat):
                t = yield from self.ask("D30", seat, [1 + t for t in self.types_held(seat)])
                self.spend(seat, TYPES[t - 1])

    # --- 9a ---

    def temple_shut(self) -> bool:
        h1 = NAMED["H1"]
        burnt = h1 in self.burnt and bool(self.knobs["temple_burnt_blocks"])
        return self.intruder_in(GROUNDS) or h1 in self.fire or burnt or self.due[HOSPITAL] > 0

    def healing(self) -> Play:
        for seat in range(6):
            while not self.temple_shut() and self.hand[seat]["H"]:
                kinds: dict[int, Figure] = {}
                for f in self.figures[:61]:
                    if f.owner == seat and f.status == "temple" and any(self.room(f, h) for h in GROUNDS):
                        at = 1 + f.id - COMMANDERS[seat] if f.rank == CHARACTER else 4 if f.rank == MOUNTED else 5
                        kinds.setdefault(at, f)
                answer = yield from self.ask("D31", seat, [0, *sorted(kinds)])
                if not answer:
                    break
                self.spend(seat, "H")
                f = kinds[answer]
                if f.rank == CHARACTER:
                    die = self.die("temple")
                    if die == 1:
                        self.remove(f, "dead")
                        continue
                    if die < 6:
                        f.loss[die - 2] += 1
                self.place(f, next(h for h in GROUNDS if self.room(f, h)))

    # --- 9b ---

    def groups_to_starve(self, seat: int) -> list[list[Figure]]:
        there = self.roster(seat)
        plain = [f for f in there if f.rank != CHARACTER]
        groups: dict[tuple[int, int, int], list[Figure]] = {}
        for f in plain or there:
            assert f.hex is not None
            groups.setdefault((f.hex, f.rank, f.id if f.rank == CHARACTER else 0), []).append(f)
        return [groups[key] for key in sorted(groups)]

    def feeding(self) -> Play:
        due = int(self.knobs["food_due"])
        for seat in (CG, PG, EL, BR, CA):
            if self.roster(seat):
                paid = 0
                for _ in range(due):
                    if not self.roster(seat):
                        break
                    options = [0] + ([1] if self.hand[seat]["F"] else [])
                    if seat == CG and self.hand[seat]["B"] and self.well():
                        options.append(2)
                    answer = yield from self.ask("D32", seat, options)
                    if answer:
                        self.spend(seat, "F" if answer == 1 else "B")
                        paid += 1
                        continue
                    yield from self.starve(seat)
                if paid == due:
                    yield from self.regain(seat)
            if seat == BR:
                yield from self.wolf_card()

    def starve(self, seat: int) -> Play:
        groups = self.groups_to_starve(seat)
        if self.knobs["starve_pick"] == "random":
            pool = sorted((f for group in groups for f in group), key=lambda f: f.id)
            f = pool[self.pick("loss", len(pool))]
        else:
            f = groups[(yield from self.ask("D33", seat, list(range(len(groups)))))][0]
        self.remove(f, "starved")
        f.starved_on = self.turn

    def home(self, seat: int) -> list[int]:
        hexes = PLACE_HEXES[seat_place(seat)]
        main = city.MAIN[seat_place(seat)]
        return [main] + [h for h in hexes if h != main]

    def regain(self, seat: int) -> Play:
        home = self.home(seat)
        for _ in range(3):
            food = self.can_pay(seat, "F")
            if not food or self.intruder_in(home):
                return
            kinds: dict[int, Figure] = {}
            for f in self.figures[:61]:
                fits = any(self.room(f, h) for h in home)
                if f.owner == seat and f.status == "starved" and f.starved_on < self.turn and fits:
                    kinds.setdefault({MOUNTED: 1, FOOT: 2, CHARACTER: 3}[f.rank], f)
            answer = yield from self.ask("D34", seat, [0, *sorted(kinds)])
            if not answer:
                return
            self.pay_like(seat, "F", 1)
            f = kinds[answer]
            self.place(f, next(h for h in home if self.room(f, h)))

    def wolf_card(self) -> Play:
        """LW-WLF-01, 02."""
        f = self.figures[39]
        if f.hex is None or self.is_wolf():
            return
        hand = self.hand[BR]
        answer = yield from self.ask("D35", BR, [0] + [at for at, t in ((1, "F"), (2, "P")) if hand[t]])
        if answer:
            self.spend(BR, "F" if answer == 1 else "P")
            return
        f.kind = "werewolf"
        self.wolf_until = self.turn + int(self.knobs["wolf_turns"])
        self.wolf_public = True

    # --- 9c ---

    def fires(self) -> Play:
        for h in sorted(self.fire):
            there = [f for f in self.on_map(True) if f.hex in near(h)]
            if there:
                cards = 0
                for seat in range(6):
                    if any(f.faction == seat for f in there):
                        n = yield from self.ask("D36", seat, list(range(min(6, self.can_pay(seat, "W")) + 1)))
                        self.pay_like(seat, "W", n)
                        cards += n
                if self.die("fire") + cards >= int(self.knobs["fire_out_target"]):
                    del self.fire[h]
                    continue
            self.fire[h] += 1
            if self.fire[h] >= int(self.knobs["burn_turns"]):
                del self.fire[h]
                self.burnt.add(h)
                self.burn_down(h)
                continue
            beside = [n for n in around(h) if n in city.FLAMMABLE and n not in self.fire and n not in self.burnt]
            if self.knobs["fire_spread_mode"] == "each":
                for n in beside:
                    if self.die("fire") == 1:
                        self.fire[n] = 0  # type: ignore[index]
            elif self.die("fire") == 1 and beside:
                self.fire[beside[self.pick("fire", len(beside))]] = 0  # type: ignore[index]

    def burn_down(self, h: int) -> None:
        """LW-FIR-07."""
        if h == NAMED["D1"]:
            self.tower_lost()
        elif h == NAMED["F1"] and self.hair == "hidden":
            self.hair = "lost"
        elif h == NAMED["C1"]:
            if self.queen == h and not self.queen_with:
                self.queen = NAMED["C2"]
            if self.brunhilde == h and not self.brunhilde_with:
                self.brunhilde = NAMED["C2"]

    def tower_lost(self) -> None:
        for at in (0, 2, 3):
            self.lost[at] = True
        if self.box == "tower":
            self.box, self.lost[1] = "lost", True

    # --- 9d ---

    def barricades(self) -> Play:
        for side in [s for s, turn in self.barricade.items() if turn < self.turn]:
            if any(self.in_hex(h, False) for h in side) and not any(self.in_hex(h, True) for h in side):
                del self.barricade[side]
                self.returning += 1
        for seat in range(6):
            for _ in range(4):
                builds, breaks = self.build_sides(seat), self.break_sides(seat)
                options = [0] + [1 + d for d in builds] + [7 + at for at in range(min(8, len(breaks)))]
                answer = yield from self.ask("D37", seat, options)
                if not answer:
                    break
                if answer >= 7:
                    del self.barricade[breaks[answer - 7]]
                    self.returning += 1
                    continue
                here = self.figures[COMMANDERS[seat]].hex
                assert here is not None
                self.spend(seat, "P", int(self.knobs["barricade_cost"]))
                self.barricade[frozenset((here, around(here)[answer - 1]))] = self.turn  # type: ignore[arg-type]
                self.pool -= 1

    def build_sides(self, seat: int) -> list[int]:
        f = self.figures[COMMANDERS[seat]]
        if f.hex is None or self.conferring(f) or f.breaks is not None or f.raging or not self.pool:
            return []
        if self.hand[seat]["P"] < int(self.knobs["barricade_cost"]):
            return []
        return [d for d, n in enumerate(around(f.hex)) if self.side(f.hex, n) in ("open", "gate")
                and frozenset((f.hex, n)) not in self.barricade]  # fmt: skip

    def break_sides(self, seat: int) -> list[frozenset[int]]:
        mine = {f.hex for f in self.on_map(True) if f.ctrl == seat and not f.raging}
        sides = [s for s, turn in self.barricade.items() if turn < self.turn and s & mine]
        return sorted(sides, key=lambda s: (min(s), around(min(s)).index(max(s))))

    # --- 9e ---

    def ordinary(self, seat: int | None = None) -> list[Figure]:
        """Figures that may be given: not characters, in conference, controlled or in the reserve."""
        return [f for f in self.figures[:61] if f.hex is not None and f.rank != CHARACTER and not f.reserve
                and f.breaks is None and not self.conferring(f) and seat in (None, f.owner)]  # fmt: skip

    def demands(self) -> Play:
        for demand in range(13):
            if demand == RESERVE and self.reserve_called:
                yield from self.call_reserve()
            if demand == UPKEEP:
                yield from self.crews()
                if self.figures[62].hex is not None:
                    self.demon_turns += 1
                    self.due[UPKEEP] = self.demon_turns
            open_before = self.due[demand] > 0
            if open_before:
                yield from self.collect(demand)
            self.settle(demand, open_before)

    def collect(self, demand: int) -> Play:
        t = DEMAND_TYPES[demand]
        for seat in range(6):
            most = min(self.due[demand], self.can_pay(seat, t), 6)
            n = yield from self.ask("D38", seat, list(range(most + 1)))
            self.pay_like(seat, t, n, pile=demand != RESERVE)
            self.due[demand] -= n
            if demand == RESERVE:
                self.reserve_pool += n

    def settle(self, demand: int, was_open: bool) -> None:
        if not was_open:
            return
        left = self.due[demand]
        if demand in (J, K) and not left:
            self.down.discard(116 if demand == J else 123)
        elif demand == MINE and left and self.turn >= self.mine_deadline:
            self.due[MINE] = 0
            sites = [s for s in city.SITES if s not in self.breached]
            if sites:
                self.mine(sites[self.pick("mine", len(sites))])
        elif demand in (WELLS, WATER, FOOD):
            self.due[demand] = 0
            for _ in range(left):
                self.remove_random(demand == FOOD and bool(self.knobs["food_command_hits_characters"]))
        elif demand == RESERVE and not left:
            self.reserve_active = True
        elif demand == UPKEEP:
            self.due[UPKEEP] = 0
            if left:
                self.remove(self.figures[62], "out")

    def call_reserve(self) -> Play:
        """LW-CMD-11."""
        self.reserve_called = False
        need = int(self.knobs["reserve_figures"])
        for seat in range(6):
            have = self.ordinary(seat)
            n = yield from self.ask("D39", seat, list(range(min(need, len(have)) + 1)))
            ranked = [f for rank in (FOOT, MOUNTED) for f in
                      self.nearest([g for g in have if g.rank == rank], NAMED["C2"])]  # fmt: skip
            for f in ranked[:n]:
                self.enlist(f)
            need -= n
        while need and self.ordinary():
            pool = self.ordinary()
            self.enlist(pool[self.pick("loss", len(pool))])
            need -= 1

    def enlist(self, f: Figure) -> None:
        f.reserve, f.ctrl = True, EL
        self.to_court(f)

    def crews(self) -> Play:
        """LW-CMD-14."""
        for at in range(2):
            if self.cannon[at] == "called" and not self.due[C1A + 2 * at] and not self.due[C1P + 2 * at]:
                self.cannon[at] = "paid"
            if self.cannon[at] == "paid":
                chosen: list[Figure] = []
                for seat in range(6):
                    foot = [f for f in self.ordinary(seat) if f.rank == FOOT]
                    n = yield from self.ask("D40", seat, list(range(min(2 - len(chosen), len(foot)) + 1)))
                    chosen += self.nearest(foot, NAMED["A1"])[:n]
                if len(chosen) == 2:
                    for f in chosen:
                        self.remove(f, "crew")
                    self.crew[79 + at] = sorted(f.id for f in chosen)
                    self.cannon[at] = "manned"
            if self.cannon[at] == "manned":
                self.place_cannon(at)

    def place_cannon(self, at: int) -> None:
        f = self.figures[79 + at]
        barracks = self.home(CG)
        if self.intruder_in(barracks):
            return
        captain = self.figures[0].hex
        places = barracks + ([captain] if captain is not None else [])
        there = next((h for h in places if self.room(f, h)), None)
        if there is not None:
            self.place(f, there)
            self.cannon[at] = "placed"


def seat_place(seat: int) -> int:
    """Home bases of the six are the first six places."""
    return seat


__all__ = ["C2P", "INDEX", "Upkeep"]
