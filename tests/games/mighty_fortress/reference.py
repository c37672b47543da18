"""The bookkeeping between two Action Phases in plain Python, written from the rulebook and the ledger alone.

It shares no code with the game: dice are texts (`B4` Available, `B` Exhausted, K for Black), cards are names,
effects are read in the words of their tables. Chance is handed in. A question to the player is yielded as
(kind, options), and one of the options comes back; a question with one option is not asked.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

Question = tuple[str, list[Any]]
Play = Generator[Question, Any, None]
CEILING = {
    "defense": 5, "entrenchment": 5, "bombardment": 5, "consumption": 5, "cohesion": 5, "unrest": 10, "pressure": 5,
    "piety": 10, "influence": 10, "vp": 99,
}  # fmt: skip


class Over(Exception):
    """The game has ended; says how."""


class Chance(Protocol):
    """What dice and decks bring, in the order in which the rules ask."""

    def assault(self) -> int: ...
    def decree(self) -> int: ...
    def fate(self) -> str: ...
    def card(self, slot: int, deck: set[str]) -> str: ...
    def dice(self, held: list[str], bag: dict[str, int], coloured: int, black: int) -> list[str]: ...


@dataclass
class City:
    """Münster between two Action Phases.

    `tracks` holds tracks and resources by name; `effects` the words of Fate cards by name and of decrees by roll;
    `ability` the sum of the tableau's abilities; `rating` the siege rating of every card of the Outsider deck.
    """

    tracks: dict[str, int]
    knobs: Mapping[str, Any]
    effects: Mapping[Any, str]
    rating: Mapping[str, int]
    ability: Mapping[str, int]
    turn: int
    requirement: int
    available: list[str]
    exhausted: list[str]
    bag: dict[str, int]
    lost: dict[str, int]
    black_pool: int
    black_dead: int
    black_drawn: int
    black_executed: int
    queue: list[str | None]
    deck: set[str]
    discard: list[str]
    support: dict[str, int]
    cities: list[str]
    reached: set[str]
    held: list[str] = field(default_factory=list)
    black_fed: int = 0
    requirement_mod: int = 0
    phase: str = "Siege"
    assaults_in_window: int = 0
    bill: int = 0
    unfed: int = 0
    last_total: int | None = None
    chance: Chance | None = None

    # --- Tracks and their triggers ---

    def most(self, name: str) -> int:
        return int(self.knobs[f"{name}_max"]) if name in ("food", "materials", "luxuries") else CEILING[name]

    @property
    def siege_strength(self) -> int:
        return min(5, sum(self.rating[card] for card in self.queue if card))

    def move(self, name: str, n: int) -> None:
        """A track by n, and what its reaching the end sets off."""
        old = self.tracks[name]
        new = self.tracks[name] = max(0, min(self.most(name), old + n))
        if name in ("piety", "influence") and new == 10:
            self.reached.add(name)
        if name == "unrest" and n > 0 and new == 10 and (old < 10 or self.knobs["unrest_ten_mode"] == "each_gain"):
            self.assault("unrest")
        if name == "bombardment" and n > 0 and new == 5:
            self.full_bombardment()

    def full_bombardment(self) -> None:
        scope = self.knobs["bombardment_gate_scope"]
        gated = {
            "siege_and_traitor": self.phase in ("Siege", "Traitor"),
            "siege_phase_only": self.phase == "Siege",
            "everywhere": True,
        }[scope]
        if gated and not self.siege_strength > self.tracks["defense"]:
            self.tracks["bombardment"] = 4
            return
        self.tracks["bombardment"] = 0
        self.assault("bombardment")

    def assault(self, cause: str, modifier: int = 0) -> None:
        one = ("Siege", "Traitor") if self.knobs["one_assault_scope"] == "siege_and_traitor" else ("Siege",)
        if self.phase in one:
            if self.assaults_in_window:
                return
            self.assaults_in_window += 1
        assert self.chance is not None
        total = self.chance.assault() + self.tracks["defense"] - self.siege_strength + modifier
        total += self.ability.get("assault", 0)
        self.last_total = total
        if total <= self.knobs["breach_max"]:
            raise Over(f"breach_{cause}")
        if total <= self.knobs["repel_max"]:
            return
        if total <= self.knobs["strong_repel_max"]:
            self.move("entrenchment", -1)
        else:
            self.move("cohesion", 1)

    # --- Dice ---

    def in_play(self, black: bool = True) -> list[str]:
        """One of each kind of die on the table."""
        return sorted({d for d in self.available + self.exhausted if black or d[0] != "K"})

    def take(self, die: str) -> None:
        """A die off the table; of two alike the one that is not held."""
        (self.available if len(die) == 2 else self.exhausted).remove(die)
        while self.held.count(die) > self.available.count(die):
            self.held.remove(die)

    def casualty(self) -> Play:
        options = self.in_play()
        if not options:
            self.move("unrest", 1)
            return
        die = options[0] if len(options) == 1 else (yield "casualty", options)
        self.take(die)
        if die[0] == "K":
            self.black_dead += 1
        else:
            self.lost[die[0]] += 1

    # --- Effects, in the words of the tables ---

    def carry_out(self, text: str) -> Play:
        for part in split(text, ";"):
            yield from self.one_effect(part)

    def one_effect(self, text: str) -> Play:
        word = text.split(maxsplit=1)[0]
        if word == "nothing":
            return
        if word == "choose":
            half = yield "choice", [0, 1]
            yield from self.carry_out(split(inside(text), "/")[half])
        elif word in ("pay", "if"):
            yield from self.branch(word, text)
        elif word == "casualty":
            for _ in range(int(text.split()[1])):
                yield from self.casualty()
        elif word == "recover":
            for _ in range(int(text.split()[1])):
                options = [c for c, n in self.lost.items() if n]
                if options:
                    colour = options[0] if len(options) == 1 else (yield "recover", options)
                    self.lost[colour] -= 1
                    self.bag[colour] += 1
        elif word == "assault_check":
            self.assault("card", int(text.split()[1]))
        elif word == "requirement_mod":
            self.requirement_mod += int(text.split()[1])
        elif word == "support":
            yield from self.change_support(int(text.split()[1]))
        elif word != "this_turn":
            self.move(word, int(text.split()[1]))

    def branch(self, word: str, text: str) -> Play:
        head, then, other = re.fullmatch(r"\w+ ([^{]*)\{(.*?)\}(?: else \{(.*)\})?", text).groups()  # type: ignore[union-attr]
        if word == "if":
            left, relation, right = head.split()
            a, b = self.number(left), self.number(right)
            yield from self.carry_out(then if (a > b if relation == ">" else a >= b) else other)
            return
        resource, price = head.split()
        if self.tracks[resource] >= int(price) and (yield "choice", [0, 1]) == 0:
            self.tracks[resource] -= int(price)
            yield from self.carry_out(then)
        elif other:
            yield from self.carry_out(other)

    def number(self, word: str) -> int:
        if word == "siege_strength":
            return self.siege_strength
        return self.tracks[word] if word in self.tracks else int(word)

    def change_support(self, n: int) -> Play:
        goal = int(self.knobs["support_goal"])
        if n < 0:
            if self.support:
                highest = max(self.support.values())
                city = next(c for c in self.cities if self.support.get(c) == highest)
                self.support[city] = max(0, highest - 1)
            return
        options = [c for c in self.cities if self.support.get(c, goal) < goal]
        if options:
            city = options[0] if len(options) == 1 else (yield "city", options)
            self.support[city] += 1
            if sum(v >= goal for v in self.support.values()) >= int(self.knobs["cities_needed"]):
                raise Over("major victory")

    # --- The phases ---

    def to_next_action_phase(self) -> Play:
        """From the end of an Action Phase to the begin of the next one. Raises Over when the game ends on the way."""
        self.siege_phase()
        self.traitor_check()
        yield from self.cleanup()
        if self.turn == self.knobs["turn_limit"]:
            raise Over("survival")
        self.turn += 1
        self.phase, self.requirement_mod = "Fate", 0
        assert self.chance is not None
        yield from self.carry_out(self.effects[self.chance.fate()])
        self.phase = "Upkeep"
        yield from self.food_upkeep()
        self.phase = "Decree"
        self.draw_dice()
        yield from self.carry_out(self.effects[self.chance.decree()])

    def siege_phase(self) -> None:
        self.phase, self.assaults_in_window = "Siege", 0
        self.move("defense", -self.knobs["defense_decay"])
        self.move("entrenchment", self.knobs["entrenchment_rise"])
        self.move("bombardment", self.knobs["bombardment_rise"])
        if self.knobs["winter_first"] <= self.turn <= self.knobs["winter_last"]:
            self.move("consumption", self.knobs["winter_consumption"])
        if self.tracks["unrest"] >= self.knobs["unrest_pressure_at"]:
            self.move("pressure", 1)
        if self.tracks["unrest"] == 10 and self.knobs["unrest_ten_mode"] == "each_siege":
            self.assault("unrest")

    def traitor_check(self) -> None:
        self.phase = "Traitor"
        unused = sum(d[0] == "K" for d in self.available)
        if not self.black_drawn or unused + self.black_executed >= self.requirement:
            return
        self.move("bombardment", 1)
        self.move("unrest", 1)
        if self.siege_strength > self.tracks["defense"]:
            self.assault("traitor")

    def cleanup(self) -> Play:
        blacks = [d for d in self.available + self.exhausted if d[0] == "K"]
        for die in blacks:
            self.take(die)
        self.black_pool += len(blacks)
        self.black_fed = len(blacks) if self.knobs["black_dice_eat"] else 0
        limit = (2 if self.tracks["cohesion"] >= 4 else 1) + self.ability.get("hold", 0)
        self.held = []
        while len(self.held) < limit:
            free = sorted({d for d in self.available if self.available.count(d) > self.held.count(d)})
            die = (yield "hold", [*free, "stop"]) if free else "stop"
            if die == "stop":
                break
            self.held.append(die)
        assert self.chance is not None
        self.queue = [c for c in self.queue if c]
        while len(self.queue) < 6:
            if not self.deck:
                self.deck, self.discard = set(self.discard), []
            if not self.deck:
                break
            card = self.chance.card(len(self.queue), self.deck)
            self.deck.remove(card)
            self.queue.append(card)
        self.queue += [None] * (6 - len(self.queue))

    def food_upkeep(self) -> Play:
        dice = len(self.available) + len(self.exhausted)
        self.bill = max(0, dice + self.black_fed + self.tracks["consumption"] + self.ability.get("upkeep", 0))
        food = self.tracks["food"]
        if self.knobs["hunger_levy_first"]:
            must = min(dice, max(0, self.bill - food))
        else:
            # Silent: Black dice, which are gone, are paid for with the levy; a lower bill feeds a die.
            must = min(dice, max(0, self.bill - self.tracks["consumption"] - self.black_fed - food))
        unfed: list[str] = []
        left = self.available + self.exhausted
        while left:
            options: list[str] = sorted(set(left))
            if len(unfed) >= must:
                if not self.knobs["voluntary_starvation"]:
                    break
                options.append("feed")
            die = options[0] if len(options) == 1 else (yield "unfed", options)
            if die == "feed":
                break
            left.remove(die)
            unfed.append(die[0])
            self.take(die)
            self.exhausted.append(die[0])
        self.unfed = len(unfed)
        self.move("food", -max(0, self.bill - len(unfed)))
        for die in self.exhausted + self.available:
            self.bag[die[0]] += 1
        for die in self.held + unfed:
            self.bag[die[0]] -= 1
        self.available, self.exhausted = list(self.held), unfed
        if unfed:
            self.move("consumption", len(unfed))
            self.move("unrest", len(unfed))
        if self.tracks["consumption"] >= 4:
            self.move("cohesion", -1)

    def draw_dice(self) -> None:
        wanted = int(self.knobs["base_draw"]) + self.tracks["cohesion"] + self.ability.get("draw", 0)
        self.black_drawn = min(self.tracks["pressure"], self.black_pool)
        assert self.chance is not None
        coloured = min(wanted, sum(self.bag.values()))
        self.available = self.chance.dice(self.held, self.bag, coloured, self.black_drawn)
        for die in self.available:
            if die[0] != "K":
                self.bag[die[0]] -= 1
        for die in self.held:
            self.bag[die[0]] += 1
        self.held = []
        self.black_pool -= self.black_drawn
        self.black_executed = 0
        needed = max(1, self.tracks["pressure"] - int(self.knobs["requirement_gap"]))
        needed += self.requirement_mod + self.ability.get("requirement", 0)
        self.requirement = max(1, min(needed, self.black_drawn, 5))


def score(
    tracks: Mapping[str, int], converted: int, seated: int, executed: int, reached: set[str], knobs: Mapping[str, Any]
) -> dict[str, int]:
    """Victory Points in their parts. converted, executed: printed VP; seated: Elders besides King Jan."""
    masters = reached if knobs["mastery_latched"] else {n for n in ("piety", "influence") if tracks[n] == 10}
    return {
        "earned": tracks["vp"],
        "converted": converted,
        "elders": 1 + seated + (executed if knobs["executed_elder_vp_twice"] else 0),
        "luxuries": tracks["luxuries"] // 2,
        "defense": {4: 2, 5: 4}.get(tracks["defense"], 0),
        "mastery": 3 * len(masters),
    }


def band(relief: bool, points: int) -> str:
    """The historical outcome that the points stand for."""
    if relief:
        names = (
            (45, "reformation_shatters_europe"), (30, "new_jerusalem_triumphs"), (-999, "relief_achieved"),
        )  # fmt: skip
    else:
        names = (
            (50, "and_are_you_a_bishop"), (35, "defiant_legacy"), (20, "historical_outcome"),
            (-999, "pyrrhic_failure"),
        )  # fmt: skip
    return next(name for least, name in names if points >= least)


def split(text: str, mark: str) -> list[str]:
    """The parts between marks that stand outside braces."""
    parts, depth = [""], 0
    for letter in text:
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if letter == mark and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [p.strip() for p in parts]


def inside(text: str) -> str:
    return text[text.index("{") + 1 : text.rindex("}")]
