"""A whole game: set-up, the nine steps of a turn, the end and the scores (ledger 3.1, 3.2, 3.10 to 3.13)."""

from __future__ import annotations

import math

from tests.games.lowenheim.reference import city
from tests.games.lowenheim.reference.city import INDEX, MAIN, NAMED, PASSABLE, PLACE_HEXES, around, near
from tests.games.lowenheim.reference.figures import (
    BR,
    CA,
    CG,
    CHARACTER,
    COMMANDERS,
    EL,
    MOUNTED,
    PG,
    PLANS,
    SPECIAL,
    STATS,
    TYPES,
    WZ,
    Figure,
    Play,
)
from tests.games.lowenheim.reference.upkeep import Upkeep

ROOMS = [NAMED[n] for n in ("F1", "F3", "F2")]
LEFT_OUT = [("n_cg_foot", 1, 9), ("n_cg_mounted", 10, 15), ("n_pg_foot", 17, 21), ("n_pg_mounted", 22, 26),
            ("n_el_foot", 28, 35), ("n_br_foot", 40, 44), ("n_ca_foot", 46, 60)]  # fmt: skip


class Siege(Upkeep):
    """One game from set-up to end."""

    def play(self) -> Play:
        self.ending = ""
        self.escaped_with = False
        self.gate_turns = self.overrun = 0
        self.rite = self.spirit_due = False
        self.leader_turns = [0, 0]
        self.poor = self.jousting = self.queen_turns = self.tower = self.embassy = self.quiet = self.cathay = 0
        self.open_tables()
        yield from self.set_up()
        while not self.ending:
            self.turn += 1
            yield from self.take_turn()

    # --- set-up ---

    def set_up(self) -> Play:
        for seat, hand in enumerate(self.chance.deal()):
            for t, n in zip(TYPES, hand, strict=True):
                self.hand[seat][t] = n
                self.deck[t] -= n
        plans = []
        for seat in range(6):
            mode = self.knobs["deploy_mode"]
            options = [0, 1] if mode == "choice" else [0] if mode == "all_0" else [1]
            plan = yield from self.ask("D01", seat, options)
            plans += [plan]
        for plan in (0, 1):
            for name, first, last in PLANS[plan]:
                for f in self.figures[first : last + 1]:
                    if plans[f.owner] == plan:
                        self.place(f, NAMED[name] if name in NAMED else int(name))
        for knob, first, last in LEFT_OUT:
            for f in self.figures[first + int(self.knobs[knob]) : last + 1]:
                f.hex, f.status = None, "unused"
        for seat in range(6):
            others = [s for s in range(6) if s != seat]
            mask = yield from self.ask("D02", seat, list(range(32)))
            self.masks[seat] = {s for at, s in enumerate(others) if mask >> at & 1}
        yield from self.vote()

    def vote(self) -> Play:
        votes = []
        for seat in range(6):
            vote = yield from self.ask("D03", seat, [0, 1])
            votes += [vote]
        if sum(votes) != 3:
            self.leader = PG if sum(votes) > 3 else CG
        self.check_leader()

    # --- a turn ---

    def take_turn(self) -> Play:
        for f in self.figures:
            f.busy = f.done = f.fixed = False
            f.more_move = f.more_fight = 0
        self.cast, self.mask_worn, self.rite, self.box_used = set(), 0, False, False
        self.control_breaks()
        yield from self.cards_step()
        self.event()
        if self.turn % 2 == (0 if self.knobs["command_parity"] == "even" else 1):
            yield from self.command()
        yield from self.use_box()
        self.arrive()
        self.activate()
        self.enemy_combat()
        self.leader_turns[self.leader] += 1
        first = yield from self.ask("D08", self.leader, list(range(6)))
        order = [(first + n) % 6 for n in range(6)]
        yield from self.magic_before_movement()
        for seat in order:
            yield from self.movement(seat)
        self.begin_step(0)
        yield from self.magic_before_combat()
        for seat in order:
            yield from self.fights(seat)
        self.finish_rite()
        self.end_step(True)
        yield from self.offers()
        yield from self.pressure()
        yield from self.cut_hands()
        yield from self.healing()
        yield from self.feeding()
        yield from self.fires()
        yield from self.barricades()
        yield from self.demands()
        yield from self.end_of_turn()

    def cards_step(self) -> Play:
        wearers = [n for n in (36, 37, 38) if self.able(self.figures[n]) and self.figures[n].hex == NAMED["D1"]]
        if not self.lost[0] and wearers:
            answer = yield from self.ask("D04", WZ, [0] + [n - 35 for n in wearers])
            if answer:
                self.mask_worn = 35 + answer
                self.figures[35 + answer].busy = True
                self.public[0] = True
        for seat in range(6):
            for _ in range(int(self.knobs["discards_per_turn"])):
                answer = yield from self.ask("D05", seat, [0] + [1 + t for t in self.types_held(seat)])
                if not answer:
                    break
                self.spend(seat, TYPES[answer - 1])
            while self.held_cards(seat) < self.hand_limit(seat) and self.draw(seat):
                pass

    # --- step 6 ---

    def movement(self, seat: int) -> Play:
        k = self.knobs
        if seat == EL:
            self.outburst(EL, CA, int(k["elf_hostility_max"]))
            f = self.figures[27]
            hers = f.hex == self.queen or self.queen_with
            if hers and self.able(f) and f.ctrl == EL and not self.queen_captured:
                self.queen_with = bool((yield from self.ask("D15", EL, [0, 1])))
        if seat == CA:
            self.outburst(CA, EL, int(k["cathay_hostility_max"]))
            f = self.figures[45]
            may = f.hex == NAMED["F1"] and self.hair == "hidden" and self.able(f) and f.ctrl == CA
            if may and (yield from self.ask("D16", CA, [0, 1])):
                self.rite = f.busy = True
                self.hair_needed = self.overrun >= 2
        if seat == BR:
            self.rage()
        yield from self.orders(seat)
        if seat == PG:
            f = self.figures[16]
            hers = f.hex == self.brunhilde or self.brunhilde_with
            if hers and f.hex is not None and f.ctrl == PG and not self.brunhilde_captured:
                self.brunhilde_with = bool((yield from self.ask("D19", PG, [0, 1])))

    def rage(self) -> None:
        f = self.figures[39]
        if f.hex is None or not self.is_wolf():
            return
        if not f.raging and self.die("temper") <= int(self.knobs["rage_max"]):
            f.raging = True
        if not self.rages() or not self.able(f) or f.fixed:
            return
        here = f.hex
        groups = [
            [g for g in self.figures[:61] if g.owner == BR and g is not f],
            [g for g in self.figures if g.ours and g is not f],
            [g for g in self.figures if not g.ours],
        ]
        for group in groups:
            ranked = sorted((self.path(here, g.hex), g.hex) for g in group if g.hex is not None)
            if ranked and ranked[0][0] < city.FAR:
                self.march(f, ranked[0][1], self.value(f, 0))
                return

    def rages(self) -> bool:
        f = self.figures[39]
        return f.raging and f.breaks is None

    def rank(self, f: Figure) -> tuple[int, int]:
        if f.breaks is not None or f.id >= 61:
            return SPECIAL, 0
        return f.rank, f.id if f.rank == CHARACTER else 0

    def commanded(self, f: Figure, seat: int) -> bool:
        return f.ctrl == seat and not (f.id == 39 and self.rages())

    def orders(self, seat: int) -> Play:
        groups: dict[tuple[int, tuple[int, int]], list[Figure]] = {}
        for f in self.on_map(True):
            if self.able(f) and not f.fixed and self.commanded(f, seat):
                assert f.hex is not None
                groups.setdefault((f.hex, self.rank(f)), []).append(f)
        for key in sorted(groups):
            group = groups[key]
            for _ in range(2):
                options = list(range(len(PASSABLE) + 1))
                if group[0].id == 16 and seat == PG:
                    options.append(108)
                target = yield from self.ask("D17", seat, options)
                if target == 107:
                    break
                if target == 108:
                    self.escape(group[0])
                    break
                count = len(group)
                if count > 1:
                    count = yield from self.ask("D18", seat, list(range(1, count + 1)))
                for f in group[:count]:
                    self.march(f, PASSABLE[target], self.value(f, 0))
                group = group[count:]
                if not group:
                    break

    def escape(self, f: Figure) -> None:
        """LW-ESC-01, 02."""
        tomb = NAMED["T"]
        left = self.march(f, tomb, self.value(f, 0))
        if f.hex != tomb or left < 1 or self.in_hex(tomb, False):
            return
        if self.tunnel_public and any(g.hex in near(tomb) and g.faction != PG for g in self.on_map(True)):
            return
        self.tunnel_public = True
        self.escaped_with = self.brunhilde_with
        if self.brunhilde_with:
            self.brunhilde, self.brunhilde_with = None, False
        self.remove(f, "escaped")
        self.check_leader()

    # --- step 7 ---

    def free_hex(self, seat: int) -> int | None:
        """LW-CMB-02."""
        f = self.figures[COMMANDERS[seat]]
        if f.breaks is not None or (seat == BR and self.rages()):
            return None
        return f.hex

    def fights(self, seat: int) -> Play:
        paid: set[int] = set()
        if seat == CG:
            for f in self.figures[79:81]:
                yield from self.shoot(f, paid)
        if seat == BR and self.rages() and self.able(self.figures[39]):
            f = self.figures[39]
            foes = [
                lambda g: g.id < 61 and g.owner == BR, lambda g: g.ours and not (g.id < 61 and g.owner == BR),
                lambda g: not g.ours,
            ]  # fmt: skip
            self.attacks(f, foes, "combat")
        for h in sorted({f.hex for f in self.fighters(seat)}):  # type: ignore[type-var]
            mine = [f for f in self.fighters(seat) if f.hex == h]
            if not mine:
                continue
            assert h is not None
            hexes = [n for n in self.reach(mine[0]) if self.in_hex(n, False) and self.any_target(n)]
            if not hexes:
                continue
            pool = seat == EL and self.reserve_pool > 0 and any(f.reserve for f in mine)
            free = h == self.free_hex(seat) or h in paid
            if not free and not pool and not self.hand[seat]["A"]:
                continue
            beside = around(h)
            options = [0, 1, *sorted(2 if n == h else 3 + beside.index(n) for n in hexes)]
            answer = yield from self.ask("D22", seat, options)
            if not answer:
                continue
            if not free:
                self.pay_fight(seat, pool)
            focus = None if answer == 1 else h if answer == 2 else beside[answer - 3]
            for f in sorted(mine, key=lambda f: (-self.value(f, 1), f.id)):
                self.attacks(f, [self.enemy(f)], "combat", focus)

    def pay_fight(self, seat: int, pool: bool) -> None:
        if pool:
            self.reserve_pool -= 1
            self.pile["A"] += 1
        else:
            self.spend(seat, "A")

    def fighters(self, seat: int) -> list[Figure]:
        return [f for f in self.on_map(True) if self.able(f) and self.commanded(f, seat) and STATS[f.kind][2]]

    def any_target(self, h: int) -> bool:
        most = int(self.knobs["attackers_per_target"])
        return any(len(self.attackers.get(g.id, set())) < most for g in self.in_hex(h, False))

    def shoot(self, f: Figure, paid: set[int]) -> Play:
        """LW-CMD-15."""
        if f.hex is None or not self.able(f) or f.ctrl != CG or self.in_hex(f.hex, False):
            return
        free = f.hex == self.free_hex(CG) or f.hex in paid
        if not free and not self.hand[CG]["A"]:
            return
        far = int(self.knobs["cannon_range"])
        targets = [h for h in PASSABLE if 1 <= city.flight(f.hex, h) <= far and city.sees(f.hex, h)
                   and self.in_hex(h, False)]  # fmt: skip
        answer = yield from self.ask("D21", CG, [0] + [1 + INDEX[h] for h in targets])
        if not answer:
            return
        if not free:
            self.spend(CG, "A")
            paid.add(f.hex)
        self.ranged(PASSABLE[answer - 1], int(self.knobs["cannon_shots"]), int(self.knobs["cannon_strength"]),
                    "combat", CG)  # fmt: skip

    def finish_rite(self) -> None:
        """LW-AIR-01."""
        wen, spirit = self.figures[45], self.figures[61]
        if self.rite and wen.hex == NAMED["F1"]:
            self.hair, self.hair_public, self.spirit_due = "used", True, True
        if self.spirit_due:
            there = next((h for h in ROOMS if self.room(spirit, h)), None)
            if there is not None:
                self.place(spirit, there)
                self.spirit_due = False

    # --- 9f ---

    def free_of_intruders(self, place: int) -> bool:
        return not self.intruder_in({n for h in PLACE_HEXES[place] for n in near(h)})

    def end_of_turn(self) -> Play:
        k = self.knobs
        if self.held(NAMED["D1"]):
            self.plundered = True
            self.tower_lost()
        if self.statue == "whole" and self.held(NAMED["M2"]):
            self.statue = "broken"
        if not self.queen_captured and self.held(self.queen):
            self.queen_captured, self.queen_with = True, False
        if self.brunhilde is not None and not self.brunhilde_captured and self.held(self.brunhilde):
            self.brunhilde_captured, self.brunhilde_with = True, False
        poor = [sum(self.load(h, ours) for h in city.POOR) for ours in (True, False)]
        self.poor += poor[0] >= poor[1] and poor[0] > 0
        self.jousting += self.free_of_intruders(1)
        castle = PLACE_HEXES[2]
        self.queen_turns += not self.queen_captured and self.queen in castle and not self.intruder_in(castle)
        self.tower += not self.in_hex(NAMED["D1"], False)
        self.embassy += self.free_of_intruders(4)
        self.cathay += self.free_of_intruders(5)
        self.quiet += not self.wolf_public
        self.water_walls = [wall for wall in self.water_walls if wall[2] > self.turn]
        for f in self.figures:
            if f.free_from == self.turn + 1:
                f.free_from = 0
        wolf = self.figures[39]
        if self.is_wolf() and self.turn >= self.wolf_until:
            wolf.kind, wolf.raging, self.wolf_until = "jean_jacques", False, 0
        self.pool += self.returning
        self.returning = 0
        sizes = [(sum(self.load(h, False) for h in hexes), sum(self.load(h, True) for h in hexes))
                 for hexes in PLACE_HEXES]  # fmt: skip
        self.overrun = sum(theirs > ours for theirs, ours in sizes)
        self.gate_turns = self.gate_turns + 1 if self.held(MAIN[7]) else 0
        theirs, ours = (sum(f.size for f in self.on_map(side)) for side in (False, True))
        legend = bool(k["knight_eternal_legend"]) and self.figures[16].hex is not None
        if self.gate_turns >= int(k["gate_hold_turns"]):
            self.ending = "gate"
        elif self.overrun >= int(k["overrun_places"]) and not legend:
            self.ending = "places"
        elif theirs and theirs >= float(k["overwhelm_ratio"]) * ours and not legend:
            self.ending = "outnumbered"
        elif self.turn == int(k["turn_limit"]):
            self.ending = "hold"
        if self.ending:
            return
        if self.turn % int(k["leader_vote_every"]) == 0:
            yield from self.vote()

    # --- scores ---

    def points(self) -> list[int]:
        """Objective points of the six (LW-SCO-02 to 07)."""
        turns = self.turn

        def share(most: int, x: int) -> int:
            return math.floor(most * x / turns + 1e-9)

        def away(seat: int) -> int:
            return sum(f.hex is None and f.status != "crew" for f in self.figures[:61] if f.owner == seat)

        statue = {"whole": 2, "shattered": 1, "broken": -2}[self.statue]
        knight = 2 if self.figures[16].status not in ("dead", "escaped") else 0
        elves = share(5, self.queen_turns) - (5 if self.queen_captured else 0) + min(3, self.defended)
        d1 = NAMED["D1"]
        wizards = 0 if self.plundered else share(3, self.tower)
        wizards += 2 if d1 not in self.burnt and not self.plundered else 0
        wizards += sum(not p and not gone for p, gone in zip(self.public, self.lost, strict=True))
        hair = 0
        if self.hair == "hidden":
            hair = 1 if self.hair_public else 2
        elif self.hair == "used" and self.hair_needed:
            hair = 1
        points = [
            share(4, self.leader_turns[0]) + share(6, self.poor),
            share(6, self.jousting) + statue + knight,
            elves + min(2, away(CA) // 4),
            wizards,
            share(6, self.embassy) + (3 if NAMED["E1"] not in self.burnt else 0) + share(5, self.quiet),
            share(5, self.cathay) + (NAMED["F1"] not in self.burnt) + min(3, away(EL) // 3) + hair,
        ]
        return [min(10, p) for p in points]

    def scores(self) -> list[int]:
        """LW-SCO-01, 03, 08."""
        k = self.knobs
        gone = self.figures[16].status == "escaped"
        if self.ending == "hold":
            scores = [int(k["hold_points"]) + p for p in self.points()]
            if gone:
                scores[PG] = int(k["lynch_points"])
            return scores
        scores = [0] * 6
        if gone:
            scores[PG] = int(k["escape_with"] if self.escaped_with else k["escape_alone"])
        return scores

    def winners(self) -> list[int]:
        """LW-SCO-09."""
        if self.ending == "hold":
            scores = self.scores()
            return [s for s in range(6) if scores[s] == max(scores)]
        return [PG] if self.escaped_with else []


__all__ = ["MOUNTED", "Siege"]
