"""Map, powers, influence, Imperial Power: the ledger's 3.1 to 3.4, and the questions."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Mapping
from typing import Any, Protocol

Question = tuple[str, dict[int, list[list[int]]]]
Play = Generator[Question, dict[int, list[int]], Any]

CATHOLIC, PROTESTANT = 0, 1
SIN, HELL, ALONE, WORKS = range(4)
LYING, UPRIGHT = 1, 2
NO_WAR, ON_UNALIGNED, ON_PLAYER, RELIGIOUS = range(4)
PLAIN, TOWN, CAPITAL = "plain", "town", "capital"
FIRST = 8  #: the power of principality 0
STOP_PR, STOP_HEX = 40, 96
STEPS = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))
ROWS = (0, 9, 19, 30, 42, 54, 66, 77, 87)
ELECTOR_SIZES = {0: 1, 1: 1, 2: 1, 3: 2, 4: 2, 5: 3, 6: 4}


class Luck(Protocol):
    """What chance brings, in the order in which the rules ask."""

    def order(self) -> list[int]: ...
    def places(self) -> list[int]: ...
    def board(self) -> dict[int, list[int]]: ...
    def upheaval(self, most: int) -> set[int]: ...
    def ottoman(self) -> int: ...
    def successes(self, seat: int, dice: int) -> int: ...
    def doctrines(self) -> list[list[int]]: ...
    def cards(self, seat: int, number: int, deck: list[int]) -> list[int]: ...


def hexes_of(size: int) -> dict[tuple[int, int], int]:
    """WP-MAP-01: the hexes of the map for so many players, with their numbers."""
    return {
        (q, r): ROWS[r] + q - max(0, 3 - r)
        for r in range(size + 1)
        for q in range(12)
        if 3 <= q + r <= size + 8
    }  # fmt: skip


class Board:
    """The map and those who own it.

    Args:
        players: 5 to 8. knobs: all of them. luck: what chance brings. positions: power or start place (`S0`) -> hexes
        of the standard opening position, the capital first.
    """

    def __init__(self, players: int, knobs: Mapping[str, Any], luck: Luck, positions: Mapping[str, list[int]]) -> None:
        self.players, self.knobs, self.luck, self.positions = players, knobs, luck, positions
        self.seats = list(range(players))
        size = 6 if players == 5 and knobs["five_player_map"] == "72" else players
        places = hexes_of(size)
        self.hexes = sorted(places.values())
        self.beside = {
            at: {places[q + dq, r + dr] for dq, dr in STEPS if (q + dq, r + dr) in places}
            for (q, r), at in places.items()
        }
        ends: tuple[Callable[[int, int], bool], ...] = (
            lambda q, r: r == 0, lambda q, r: q == 11, lambda q, r: q + r == size + 8, lambda q, r: r == size,
            lambda q, r: q == 0, lambda q, r: q + r == 3,
        )  # fmt: skip
        self.edges = [{at for (q, r), at in places.items() if end(q, r)} for end in ends]
        self.shapes = set()
        for q, r in places:
            for way in range(6):
                for turn in (1, 2):
                    arms = [STEPS[way], STEPS[(way + turn) % 6]]
                    trio = [(q, r), *((q + dq, r + dr) for dq, dr in arms)]
                    if all(place in places for place in trio):
                        self.shapes.add(frozenset(places[place] for place in trio))
        self.owner: dict[int, int] = {}
        self.kind: dict[int, str] = {}
        self.creed = dict.fromkeys(self.hexes, CATHOLIC)
        self.lands: dict[int, set[int]] = {}
        self.capital: dict[int, int] = {}
        # principalities on the map
        self.pr_faith: dict[int, int] = {}
        self.di: dict[int, list[int]] = {}
        self.ally: dict[int, int | None] = {}
        self.flame: dict[int, int] = {}
        self.declarer: dict[int, int] = {}
        self.electors: set[int] = set()
        self.whole: dict[int, int] = {}  # allies since the Doctrines were dealt
        self.claimed: set[int] = set()
        # players
        self.faith = [CATHOLIC] * players
        self.role = [SIN] * players
        self.works = [0] * players
        self.saints = [0] * players
        self.monastery = [True] * players
        self.gold = [0] * players
        self.stored = [0] * players
        self.edge: list[int | None] = [None] * players  # of a Foreign Power
        self.gone = [False] * players  # eliminated in this round
        self.emperor = -1
        self.order: list[int] = []
        self.round = 0
        self.phase = 0
        self.reformation = False
        self.gesture = [[-1] * players for _ in self.seats]  # the last of one towards another
        self.gesture_any = [-1] * players
        self.saved = int(knobs["saved_places"]) or (2 if players <= 6 else 3)
        self.fa_free = self.saved

    # --- Questions ---

    def ask(self, kind: str, seat: int, options: list[int]) -> Play:
        """One player chooses."""
        assert options, (kind, seat)
        if len(options) == 1:
            return options[0]
        answers = yield kind, {seat: [sorted(options)]}
        return answers[seat][0]

    def ask_all(self, kind: str, options: Mapping[int, list[int]]) -> Play:
        """Several choose in secret; all is revealed together (WP-GEN-07)."""
        open_choice = {seat: [sorted(some)] for seat, some in options.items() if len(some) > 1}
        answers = (yield kind, open_choice) if open_choice else {}
        return {seat: answers[seat][0] if seat in answers else some[0] for seat, some in options.items()}

    # --- Powers ---

    def settle(self, at: int, power: int, kind: str) -> None:
        """A hex comes to a power; its faith is dealt with by the caller."""
        old = self.owner.get(at)
        if old is not None:
            self.lands[old].discard(at)
            if self.capital.get(old) == at:
                del self.capital[old]
        self.owner[at], self.kind[at] = power, kind
        self.lands.setdefault(power, set()).add(at)
        if kind == CAPITAL:
            self.capital[power] = at

    def land(self, power: int) -> list[int]:
        return sorted(self.lands.get(power, ()))

    def size(self, pr: int) -> int:
        return len(self.lands[FIRST + pr])

    def of_kind(self, power: int, kind: str) -> list[int]:
        return [at for at in self.land(power) if self.kind[at] == kind]

    def near(self, power: int) -> set[int]:
        """The hexes next to a power, on an edge too (WP-MAP-03, WP-FP-04)."""
        hexes = {b for at in self.lands.get(power, ()) for b in self.beside[at]}
        if power < FIRST:
            edge = self.edge[power]
            if edge is not None:
                hexes |= self.edges[edge]
        return hexes

    @property
    def on_map(self) -> list[int]:
        return sorted(self.di)

    @property
    def box(self) -> list[int]:
        """WP-PRI-03: unused IDs."""
        return [pr for pr in range(int(self.knobs["roster_size"])) if pr not in self.di]

    def found(self, hexes: list[int], faith: int) -> int:
        """WP-PRI-03: a new principality, capital first; all hexes take its faith."""
        pr = self.box[0]
        self.create(pr, hexes, faith)
        return pr

    def create(self, pr: int, hexes: list[int], faith: int) -> None:
        for n, at in enumerate(hexes):
            self.settle(at, FIRST + pr, PLAIN if n else CAPITAL)
            self.creed[at] = faith
        self.pr_faith[pr] = faith
        self.di[pr] = [0] * self.players
        self.ally[pr] = None

    def vanish(self, pr: int) -> None:
        """WP-PRI-04: without hexes, back to the box."""
        assert not self.size(pr)
        for table in (self.di, self.ally, self.pr_faith, self.flame, self.declarer, self.whole):
            table.pop(pr, None)
        self.claimed.discard(pr)
        assert pr not in self.electors

    def hand_over(self, at: int, pr: int) -> None:
        """WP-PRI-05: a principality takes a hex, which takes its faith."""
        self.settle(at, FIRST + pr, PLAIN)
        self.creed[at] = self.pr_faith[pr]

    def convert(self, pr: int) -> None:
        self.pr_faith[pr] = 1 - self.pr_faith[pr]
        for at in self.lands[FIRST + pr]:
            self.creed[at] = self.pr_faith[pr]

    # --- Influence ---

    def influence(self, seat: int) -> int:
        return self.stored[seat] + sum(row[seat] for row in self.di.values())

    def room(self, seat: int, gain: int) -> int:
        """WP-GEN-08: what of a gain is not lost."""
        return max(0, min(gain, int(self.knobs["di_limit"]) - self.influence(seat)))

    def store(self, seat: int, gain: int) -> None:
        self.stored[seat] += self.room(seat, gain)

    def gain(self, pr: int, seat: int, gain: int) -> None:
        self.di[pr][seat] += self.room(seat, gain)

    def lose(self, pr: int, seat: int, loss: int) -> None:
        self.di[pr][seat] = max(0, self.di[pr][seat] - loss)

    def evaluate(self, pr: int) -> None:
        """WP-ALY-02 to 05."""
        row, ally = self.di[pr], self.ally[pr]
        most = max(row)
        first = next(seat for seat in self.order if row[seat] == most)
        enough = most > 0 and most >= self.size(pr)
        if self.knobs["alliance_requirement"] == "standing":
            new = None if not enough else ally if ally is not None and row[ally] == most else first
        elif ally is not None and row[ally] > 0:
            new = first if enough and most > row[ally] else ally
        else:
            new = first if enough else None
        self.allied(pr, new)

    def allied(self, pr: int, new: int | None) -> None:
        self.ally[pr] = new
        if self.whole.get(pr) != new:
            self.whole.pop(pr, None)

    def evaluate_all(self) -> None:
        for pr in self.on_map:
            self.evaluate(pr)

    def make_ally(self, pr: int, seat: int) -> None:
        """WP-ALY-08: influence enough to be the ally."""
        if self.ally[pr] != seat:
            others = max((n for s, n in enumerate(self.di[pr]) if s != seat), default=0)
            goal = max(self.size(pr), others + 1)
            self.gain(pr, seat, max(0, goal - self.di[pr][seat]))
        self.evaluate(pr)

    def allies_of(self, seat: int) -> list[int]:
        return [pr for pr in self.on_map if self.ally[pr] == seat]

    # --- Imperial Power ---

    def home_power(self) -> int:
        """WP-IP-04."""
        at = self.round + (self.knobs["home_ip_schedule"] == "r1234")
        return int(self.knobs[f"home_ip_{max(1, min(at, 5))}"])

    def orthodox_towns(self, seat: int) -> int:
        return sum(self.creed[at] == self.faith[seat] for at in self.of_kind(seat, TOWN))

    def power(self, seat: int, without: tuple[int, ...] = (), home: bool = True) -> int:
        """WP-IP-01, WP-IP-03; `without` leaves out alliances."""
        k = self.knobs
        total = int(k["ip_per_province"]) * len(self.lands.get(seat, ()))
        total += int(k["ip_town_bonus"]) * self.orthodox_towns(seat)
        for pr in self.allies_of(seat):
            if pr not in without:
                total += int(k["ip_per_allied_province"]) * self.size(pr)
                total += int(k["ip_elector_ally_bonus"]) * (pr in self.electors)
        total += int(k["ip_emperor_bonus"]) * (seat == self.emperor)
        if home and self.edge[seat] is not None:
            total += self.home_power()
        return total

    def needed(self, ratio: float, of: int) -> int:
        """The least whole number that is `ratio` times `of`."""
        return math.ceil(float(ratio) * of - 1e-9)
