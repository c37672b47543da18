"""The attack of Montségur in plain Python, written from the rulebook (MAP, PATHS, DEFENSE BONUS, TREBUCHETS, FLANKING
BONUS, ATTACK A LOCATION) with dicts and sets. It shares no code with simlab; test_twin.py compares the two.
"""

from __future__ import annotations

from dataclasses import dataclass, field

CATHAR, CRUSADER = "cathar", "crusader"
CENTRE = {CATHAR: "MC", CRUSADER: "CC"}
ENEMY = {CATHAR: CRUSADER, CRUSADER: CATHAR}
ROOM = dict.fromkeys(("WW", "EW", "CRE", "RDT"), 4) | dict.fromkeys(("WP", "NP", "SP", "SE", "NE"), 6)
CAVES = frozenset({"MC", "NP"})
# (location attacked, attacked from) -> defence bonus; a path is there both ways
BONUS = {
    ("MC", "WW"): 3, ("WW", "MC"): 0, ("MC", "EW"): 2, ("EW", "MC"): 0, ("WW", "WP"): 3, ("WP", "WW"): 0,
    ("EW", "CRE"): 2, ("CRE", "EW"): 0, ("RDT", "CRE"): 1, ("CRE", "RDT"): 0, ("CRE", "SP"): 1, ("SP", "CRE"): 0,
    ("CRE", "SE"): 1, ("SE", "CRE"): 0, ("CRE", "NE"): 1, ("NE", "CRE"): 0, ("RDT", "NE"): 2, ("NE", "RDT"): 0,
    ("CC", "WP"): 1, ("WP", "CC"): 0, ("CC", "SP"): 1, ("SP", "CC"): 0, ("WP", "NP"): 0, ("NP", "WP"): 0,
    ("NP", "NE"): 0, ("NE", "NP"): 0, ("NE", "SE"): 0, ("SE", "NE"): 0, ("SE", "SP"): 0, ("SP", "SE"): 0,
    ("MC", "NP"): 1, ("NP", "MC"): 0,
}  # fmt: skip
SHELLED = {("WW", "WP"), ("MC", "WW"), ("EW", "CRE"), ("MC", "EW")}


@dataclass
class Board:
    """Soldiers by location; nobody stands where the other side does."""

    soldiers: dict[str, dict[str, int]]
    battlefield: dict[str, int] = field(default_factory=lambda: {CATHAR: 0, CRUSADER: 0})
    caves: set[str] = field(default_factory=set)
    trebuchets: int = 0
    switches: dict[str, object] = field(default_factory=dict)

    def controls(self, side: str, place: str) -> bool:
        if self.soldiers[side].get(place, 0) > 0:
            return True
        return place == CENTRE[side] and self.soldiers[ENEMY[side]].get(place, 0) == 0

    def neighbours(self, side: str, place: str) -> list[str]:
        near = [a for a, b in BONUS if b == place]
        return [a for a in near if {a, place} != CAVES or side in self.caves]

    def connected(self, side: str) -> set[str]:
        """Everything that an unblocked path joins to the side's command centre."""
        found, frontier = {CENTRE[side]}, [CENTRE[side]]
        while frontier:
            for place in self.neighbours(side, frontier.pop()):
                if place not in found and not self.controls(ENEMY[side], place):
                    found.add(place)
                    frontier.append(place)
        return found

    def attacks(self, side: str) -> set[tuple[str, str]]:
        """(base, target) pairs that a side may choose."""
        if self.soldiers[side].get(CENTRE[side], 0) == 0:
            return set()
        bases = {place for place in self.connected(side) if self.controls(side, place)}
        ways = {(base, near) for base in bases for near in self.neighbours(side, base)}
        return {(base, near) for base, near in ways if not self.controls(side, near)}

    def attack(self, side: str, base: str, place: str, force: int, less: int = 0, bare: bool = False) -> str | None:
        """Carries an attack out; the side that surrenders by it, if one does."""
        enemy = ENEMY[side]
        self.soldiers[side][CENTRE[side]] -= force
        was_defended = self.soldiers[enemy].get(place, 0) > 0
        if side == CATHAR and place == "CRE" and self.soldiers[CATHAR].get("RDT", 0) > 0 and was_defended:
            self.fall(enemy, place)
        defended = self.controls(enemy, place)
        if self.switches.get("flank_then_bonus") == "keep_bonus":
            defended = defended or was_defended
        left = force
        if defended:
            lost = min(left, 0 if bare else max(0, self.bonus(place, base) - less))
            left -= lost
            self.battlefield[side] += lost
        while left > 0 and self.soldiers[enemy].get(place, 0) > 0:
            self.fall(enemy, place)
            self.battlefield[side] += 1
            left -= 1
        if left == 0:
            return None
        enter = min(left, ROOM.get(place, left))
        self.soldiers[side][place] = self.soldiers[side].get(place, 0) + enter
        if self.switches.get("surplus_conquerors") != "lost":
            self.soldiers[side][CENTRE[side]] += left - enter
        return enemy if place == CENTRE[enemy] else None

    def fall(self, side: str, place: str) -> None:
        self.soldiers[side][place] -= 1
        self.battlefield[side] += 1

    def bonus(self, place: str, base: str) -> int:
        shells = self.trebuchets
        if self.switches.get("trebuchet_needs_crest") and self.soldiers[CRUSADER].get("CRE", 0) == 0:
            shells = 0
        return max(0, BONUS[place, base] - (shells if (place, base) in SHELLED else 0))
