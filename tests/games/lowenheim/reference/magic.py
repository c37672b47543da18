"""Wizards, artefacts, events and command cards (ledger 3.4, 3.9)."""

from __future__ import annotations

from typing import Any

from tests.games.lowenheim.reference import city
from tests.games.lowenheim.reference.city import COURT, INDEX, NAMED, PASSABLE, around, near
from tests.games.lowenheim.reference.figures import (
    CA,
    CG,
    CHARACTER,
    COMMANDERS,
    EL,
    FOOT,
    MOUNTED,
    STATS,
    TYPES,
    WZ,
    Figure,
    Play,
)
from tests.games.lowenheim.reference.war import War

D1 = NAMED["D1"]
HEAL, WALL, FIREBALL, LIGHTNING, FAST_FOOD, MORALE, MIND, STEAL, BEES, ENT = range(10)
COSTS: list[tuple[dict[str, int], int]] = [
    ({"H": 1}, 0), ({"W": 2}, 1), ({"A": 2}, 0), ({"A": 3}, 1), ({"F": 2}, 0), ({"P": 2}, 0),
    ({"W": 1, "F": 1, "P": 1, "A": 1}, 0), ({}, 2), ({"A": 1, "F": 2}, 0), ({"A": 2, "F": 2}, 0),
]  # fmt: skip
BEFORE_MOVE = [HEAL, WALL, FIREBALL, LIGHTNING, FAST_FOOD, MIND, STEAL, BEES, ENT]
BEFORE_FIGHT = [HEAL, WALL, FIREBALL, LIGHTNING, MORALE, STEAL, BEES, ENT]
J, K, MINE, WELLS, WATER, HOSPITAL, FOOD, RESERVE, C1A, C1P, C2A, C2P, UPKEEP = range(13)
DEMAND_TYPES = "PPPPWHFAAPAPP"


class Magic(War):
    """What wizards, events and orders of the Graf do."""

    def open_tables(self) -> None:
        self.due = [0] * 13
        self.mine_deadline = 0
        self.mask_worn = 0
        self.public = [False] * 4  # artefacts
        self.lost = [False] * 4
        self.teleports = 0
        self.cast: set[int] = set()
        self.statue = "whole"
        self.reserve_called = False
        self.reserve_given = 0
        self.reserve_pool = 0
        self.cannon = ["none", "none"]
        self.hair, self.hair_public, self.hair_needed = "hidden", False, False
        self.event_at = self.command_at = 0
        self.plundered = False

    # --- step 0 ---

    def control_breaks(self) -> None:
        """LW-WIZ-13."""
        for f in self.figures:
            if f.breaks is None or f.hex is None:
                continue
            if self.die("magic") + f.breaks >= 6:
                f.breaks = None
                f.ctrl = EL if f.reserve else f.owner
            else:
                f.breaks += 1

    # --- events ---

    def event(self) -> None:
        deck = self.chance.events()
        if self.event_at >= len(deck):
            return
        card = deck[self.event_at]
        self.event_at += 1
        if f"EV{card + 1:02}" in str(self.knobs["blank_events"]):
            return
        fires = {0: "H1", 4: "A1", 5: "B1", 6: "D1", 7: "E1", 8: "F1", 9: "C1"}
        if card in fires:
            h = NAMED[fires[card]]
            if h not in self.fire and h not in self.burnt:
                self.fire[h] = 0
        elif card in (1, 2):
            self.break_bridge(116, J, int(self.knobs["bridge_cost_stone"]))
        elif card == 3:
            self.break_bridge(123, K, int(self.knobs["bridge_cost_foot"]))
        elif 10 <= card <= 13:
            self.mine(city.SITES[card - 10])
        elif card in (14, 15):
            self.ogres += 1
        elif self.statue == "whole":
            self.statue = "shattered"

    def break_bridge(self, h: int, demand: int, cost: int) -> None:
        """LW-EVT-04, 05."""
        if h in self.down:
            return
        self.due[demand] = cost
        there = self.in_hex(h)
        self.down.add(h)
        for side in [s for s in self.barricade if h in s]:
            del self.barricade[side]
            self.returning += 1
        self.water_walls = [
            (w, d, t) for w, d, t in self.water_walls if w != h and h not in (around(w)[d], around(w)[(d + 1) % 6])
        ]
        for f in there:
            ways = [n for n in around(h) if n is not None and self.passable(n) and self.room(f, n)]
            free = [n for n in ways if not self.in_hex(n, not f.ours)]
            if free or ways:
                self.go(f, (free or ways)[0])
            else:
                self.fall(f)

    def mine(self, h: int) -> None:
        """LW-EVT-06."""
        for f in self.in_hex(h):
            if self.die("mine") <= 3:
                self.wound(f, "mine")
        if h in self.breached:
            return
        self.breached.add(h)
        for side in [s for s in self.barricade if h in s]:
            del self.barricade[side]
            self.returning += 1

    # --- command cards ---

    def command(self) -> Play:
        deck = self.chance.commands()
        if self.command_at >= len(deck):
            return
        card = deck[self.command_at]
        self.command_at += 1
        k = self.knobs
        if f"CM{card + 1}" in str(k["blank_commands"]):
            return
        if card == 0:
            self.due[MINE] = int(k["counter_mine_cost"])
            self.mine_deadline = self.turn + int(k["counter_mine_turns"]) - 1
        elif card in (1, 2, 3, 5):
            demand, name = {1: (WELLS, "wells"), 2: (WATER, "water"), 3: (HOSPITAL, "hospital"),
                            5: (FOOD, "food")}[card]  # fmt: skip
            self.due[demand] = int(k[name + "_cost"])
        elif card == 4:
            self.reserve_called, self.reserve_given = True, 0
            self.due[RESERVE] = int(k["reserve_attack"])
            if not self.due[RESERVE]:
                self.reserve_active = True
        elif card == 6:
            yield from self.conference()
        else:
            at = 0 if self.cannon[0] == "none" else 1
            self.cannon[at] = "called"
            self.due[C1A + 2 * at] = int(k["cannon_attack"])
            self.due[C1P + 2 * at] = int(k["cannon_peasants"])

    def to_court(self, f: Figure) -> None:
        """LW-CMD-08: C2 and where it overflows to."""
        there = next((h for h in COURT if h == f.hex or self.room(f, h)), None)
        if there is not None:
            self.go(f, there)

    def nearest(self, figures: list[Figure], h: int) -> list[Figure]:
        return sorted(figures, key=lambda f: (self.path(f.hex, h), f.id))  # type: ignore[arg-type]

    def conference(self) -> Play:
        for seat in range(6):
            kinds: dict[int, list[Figure]] = {}
            for f in self.roster(seat):
                at = f.id - COMMANDERS[seat] if f.rank == CHARACTER else 3 if f.rank == MOUNTED else 4
                kinds.setdefault(at, []).append(f)
            if not kinds:
                continue
            answer = yield from self.ask("D06", seat, sorted(kinds))
            f = self.nearest(kinds[answer], NAMED["C2"])[0]
            f.free_from = self.turn + int(self.knobs["conference_turns"])
            self.to_court(f)

    def use_box(self) -> Play:
        """LW-WIZ-18."""
        self.box_used = False
        if not isinstance(self.box, int):
            return
        carrier = self.figures[self.box]
        if carrier.hex is None or carrier.busy or self.non_blank(WZ) < 2:
            return
        if (yield from self.ask("D07", WZ, [0, 1])):
            self.spend_any(WZ, 2)
            self.box_used = self.public[1] = True

    def remove_random(self, characters: bool = False) -> None:
        """LW-CMD-10."""
        pool = [f for f in self.figures[:61] if f.hex is not None and (characters or f.rank != CHARACTER)]
        if pool:
            self.remove(pool[self.pick("loss", len(pool))], "lost")

    # --- spells ---

    def wizard_able(self, f: Figure) -> bool:
        return self.able(f) and not (self.box_used and self.box == f.id)

    def payable(self, spell: int) -> bool:
        cards, free = COSTS[spell]
        return all(self.hand[WZ][t] >= n for t, n in cards.items()) and (
            self.non_blank(WZ) >= sum(cards.values()) + free
        )

    def spell_hexes(self, f: Figure, spell: int) -> list[int]:
        assert f.hex is not None
        if spell == HEAL:
            return sorted(h for h in near(f.hex) if self.patient(h))
        if spell in (FIREBALL, LIGHTNING):
            far = 3 if spell == FIREBALL else 4
            return [h for h in PASSABLE if city.flight(f.hex, h) <= far and city.sees(f.hex, h)
                    and self.in_hex(h, False)]  # fmt: skip
        return [h for h in PASSABLE if city.flight(f.hex, h) <= 2 and self.victims(h)]

    def patient(self, h: int) -> Figure | None:
        return next((g for g in self.in_hex(h, True) if g.id < 61 and g.rank == CHARACTER
                     and g.wounds < STATS[g.kind][5]), None)  # fmt: skip

    def victims(self, h: int) -> dict[int, Figure]:
        """LW-D11."""
        kinds: dict[int, Figure] = {}
        there = [g for g in self.in_hex(h) if g.breaks is None and g.owner != WZ
                 and g.kind not in ("air_spirit", "cannon")]  # fmt: skip
        for g in sorted(there, key=lambda g: (g.rank == FOOT, g.id)):
            at = (0 if g.kind == "rat_ogre" else 1) if g.id >= 81 else g.owner + (8 if g.rank == CHARACTER else 2)
            kinds.setdefault(at, g)
        return kinds

    def spare(self, first: int, last: int) -> list[Figure]:
        return [f for f in self.figures[first : last + 1] if f.hex is None]

    def directions(self, f: Figure, spell: int) -> list[int]:
        assert f.hex is not None
        beside = around(f.hex)
        if spell == WALL:
            return [d for d in range(6) if self.passable(beside[d]) or self.passable(beside[(d + 1) % 6])]
        return [d for d, n in enumerate(beside) if n is not None and self.side(f.hex, n) in ("open", "gate")
                and not self.wet(f.hex, n) and not self.in_hex(n)]  # fmt: skip

    def castable(self, f: Figure, spell: int) -> bool:
        if not self.payable(spell):
            return False
        if spell == WALL:
            return len(self.water_walls) < 9 and bool(self.directions(f, spell))
        if spell in (FAST_FOOD, MORALE):
            return True
        if spell == STEAL:
            return self.held_cards(WZ) - 2 < int(self.knobs["hand_size"]) and bool(self.rich())
        if spell in (BEES, ENT):
            room = len(self.spare(63, 74)) >= 3 if spell == BEES else bool(self.spare(75, 78))
            return room and bool(self.directions(f, spell))
        if spell == MIND and sum(g.breaks is not None for g in self.figures) >= int(self.knobs["mc_cap"]):
            return False
        return bool(self.spell_hexes(f, spell))

    def rich(self) -> list[int]:
        return [s for s in range(6) if s != WZ and self.held_cards(s)]

    def cast_spell(self, f: Figure, spell: int) -> Play:
        assert f.hex is not None
        cards, free = COSTS[spell]
        self.cast.add(f.id)
        hand = self.hand[WZ]
        if spell in (FAST_FOOD, MORALE):
            kind = "F" if spell == FAST_FOOD else "P"
            self.spend(WZ, kind)
            x = yield from self.ask("D12", WZ, list(range(1, min(6, hand[kind]) + 1)))
            self.spend(WZ, kind, x)
            for g in self.in_hex(f.hex, True):
                if spell == FAST_FOOD:
                    g.more_move += x
                else:
                    g.more_fight += x
            return
        for t, n in cards.items():
            self.spend(WZ, t, n)
        self.spend_any(WZ, free)
        target = way = victim = -1
        kind_of_victim = -1
        if spell in (HEAL, FIREBALL, LIGHTNING, MIND):
            hexes = self.spell_hexes(f, spell)
            target = PASSABLE[(yield from self.ask("D10", WZ, [INDEX[h] for h in hexes]))]
            if spell == MIND:
                kind_of_victim = yield from self.ask("D11", WZ, sorted(self.victims(target)))
        elif spell == STEAL:
            victim = yield from self.ask("D14", WZ, self.rich())
        else:
            way = yield from self.ask("D13", WZ, self.directions(f, spell))
        if spell == HEAL:
            patient = self.patient(target)
            assert patient is not None
            patient.wounds += 1
        elif spell in (FIREBALL, LIGHTNING):
            name = "fireball" if spell == FIREBALL else "lightning"
            self.ranged(target, int(self.knobs[name + "_attacks"]), 3 if spell == FIREBALL else 4, "magic", WZ)
        elif spell == WALL:
            self.water_walls.append((f.hex, way, self.turn + int(self.knobs["water_wall_turns"]) - 1))
        elif spell == MIND:
            g = self.victims(target)[kind_of_victim]
            g.breaks, g.ctrl = 0, WZ
        elif spell == STEAL:
            self.steal(victim)
        else:
            there = around(f.hex)[way]
            assert there is not None
            for g in self.spare(63, 74)[:3] if spell == BEES else self.spare(75, 78)[:1]:
                self.place(g, there)
                g.fixed = True

    def steal(self, victim: int) -> None:
        """LW-WIZ-14."""
        taken = 0
        while taken < int(self.knobs["steal_max"]) and self.held_cards(WZ) < int(self.knobs["hand_size"]):
            number = self.held_cards(victim)
            if not number:
                return
            at = int(self.chance.below("magic", number))
            for t in TYPES:
                if at < self.hand[victim][t]:
                    self.hand[victim][t] -= 1
                    self.hand[WZ][t] += 1
                    break
                at -= self.hand[victim][t]
            taken += 1

    # --- artefacts ---

    def travellers(self, h: int, operator: Figure) -> list[Figure]:
        """LW-WIZ-21."""
        there = [
            g for g in self.in_hex(h, True)
            if g is not operator and not self.conferring(g) and not (g.reserve and not self.reserve_active)
            and self.permits_teleport(g)
        ]  # fmt: skip
        if h == D1:
            return there
        left = int(self.knobs["stack_limit"]) - self.load(D1, True)
        going = []
        for g in there:
            if g.size <= left:
                going.append(g)
                left -= g.size
        return going

    def permits_teleport(self, g: Figure) -> bool:
        return self.permits(g.faction, WZ)

    def tower_options(self, f: Figure) -> list[int]:
        if f.hex != D1:
            return []
        options = []
        if not self.lost[2] and self.figures[62].hex is None and self.room(self.figures[62], D1):
            options.append(10)
        if not self.lost[3] and not self.in_hex(D1, False):
            if self.travellers(D1, f) and any(not self.in_hex(h) for h in PASSABLE if h not in self.down):
                options.append(11)
            if any(self.travellers(h, f) for h in PASSABLE if h != D1):
                options.append(12)
        return options

    def use_tower(self, f: Figure, option: int) -> Play:
        f.busy = True
        self.cast.add(f.id)
        if option == 10:
            self.place(self.figures[62], D1)
            self.figures[62].fixed = True
            self.demon_turns = 0
            self.public[2] = True
            return
        self.public[3] = True
        if option == 11:
            hexes = [h for h in PASSABLE if h not in self.down and not self.in_hex(h)]
            start = D1
            end = PASSABLE[(yield from self.ask("D10", WZ, [INDEX[h] for h in hexes]))]
        else:
            hexes = [h for h in PASSABLE if h != D1 and self.travellers(h, f)]
            start = PASSABLE[(yield from self.ask("D10", WZ, [INDEX[h] for h in hexes]))]
            end = D1
        for g in self.travellers(start, f):
            self.go(g, end)
            g.fixed = True
        self.teleports += 1
        if int(self.chance.below("magic", int(self.knobs["teleporter_die"]))) + 1 <= self.teleports:
            self.lost[3] = True

    def magic_before_movement(self) -> Play:
        """LW-WIZ-02, step 6.1."""
        for n in (36, 37, 38):
            f = self.figures[n]
            if not self.wizard_able(f):
                continue
            asked_box = False
            while True:
                options = [0] + [1 + at for at, spell in enumerate(BEFORE_MOVE) if self.castable(f, spell)]
                options += self.tower_options(f)
                if self.box == "tower" and f.hex == D1 and not asked_box:
                    options.append(13)
                answer: Any = yield from self.ask("D09", WZ, options)
                if answer != 13:
                    break
                self.box, asked_box = n, True
            if 1 <= answer <= 9:
                yield from self.cast_spell(f, BEFORE_MOVE[answer - 1])
            elif answer >= 10:
                yield from self.use_tower(f, answer)

    def magic_before_combat(self) -> Play:
        for n in (36, 37, 38):
            f = self.figures[n]
            if not self.wizard_able(f) or n in self.cast:
                continue
            options = [0] + [1 + at for at, spell in enumerate(BEFORE_FIGHT) if self.castable(f, spell)]
            answer = yield from self.ask("D20", WZ, options)
            if answer:
                yield from self.cast_spell(f, BEFORE_FIGHT[answer - 1])

    def remove(self, f: Figure, status: str) -> None:
        super().remove(f, status)
        if status in ("dead", "lost") and self.box == f.id:
            self.box = "lost"
            self.lost[1] = True
        if status == "dead":
            self.check_leader()

    def dead_or_gone(self, seat: int) -> bool:
        return self.figures[COMMANDERS[seat]].status in ("dead", "escaped", "lost")

    def check_leader(self) -> None:
        """LW-LED-01."""
        if self.dead_or_gone(self.leader):
            other = 1 - self.leader
            self.leader = CG if self.dead_or_gone(other) else other


__all__ = ["CA", "D1", "Magic"]
