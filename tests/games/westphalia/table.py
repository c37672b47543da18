"""Sets a table: one position of The Peace of Westphalia, in the rulebook's words, so that a test shows one rule.

    table = scene(5, turn=2)
    table.di("Hesse", blue=3).enter("S_POSTWAR")
    assert table.ally("Hesse") == "blue" and table.fired["WP-PWD-01"] == 1

A scene is the standard opening position, start places and Setup Order held: red sits on S0 and is the First Player,
blue on S1, and so on. No influence is placed, red is Emperor, the Initiative Order is that of the seats. Rules count
from 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest

from simlab import compiler
from simlab.engine.match import Match, Stepper
from simlab.game import Game
from simlab.games.westphalia import state as names
from simlab.games.westphalia.state import FIRST_PRINCIPALITY, HEXES, PLAYERS, SEATS, WORD
from simlab.registry import load_game

GAME: Game = load_game("westphalia")
RULES = tuple(rule.id for rule in GAME.rules)
TABLES = GAME.read_tables()
NAMES = [str(row["name"]) for row in TABLES["roster"]]
PLACES = {f"{row['q']}/{row['r']}": at for at, row in enumerate(TABLES["hexes"])}
PLACE_NAMES = list(PLACES)
HELD = {"start_places": "held", "setup_order": "held"}


def plain_only() -> None:
    """For modules of rule tests: they run as plain Python, in the process that test_rules.py starts."""
    if compiler.compiling():
        pytest.skip("runs as plain Python, started by test_rules.py", allow_module_level=True)


@cache
def _match(players: int, knobs: tuple[tuple[str, Any], ...], bots: tuple[str, ...]) -> Match:
    game = load_game(f"westphalia:players={players}")
    seated = {seat: bots[at % len(bots)] for at, seat in enumerate(game.seats)}
    return Match(game, knobs=dict(knobs), bots=seated)


def match_of(players: int = 6, knobs: Mapping[str, Any] | None = None, *bots: str) -> Match:
    """A match, made once for the same knobs and bots; the bots are dealt round the table."""
    return _match(players, tuple(sorted((knobs or {}).items())), bots or ("random",))


def seat_of(name: str) -> int:
    return SEATS.index(name)


def pr_of(name: str | int) -> int:
    return NAMES.index(name) if isinstance(name, str) else name


def hexes_in(words: Any) -> set[str]:
    """The hexes of two words, as q/r."""
    return {PLACE_NAMES[h] for h in range(HEXES) if int(words[h // WORD]) >> (h % WORD) & 1}


class Table:
    """A game at a position; acts in the rulebook's words, reads back what lies on the board."""

    def __init__(self, stepper: Stepper) -> None:
        self.stepper = stepper

    # --- what lies on the table ---

    @property
    def state(self) -> Any:
        return self.stepper.state

    @property
    def players(self) -> int:
        return int(self.state.players)

    @property
    def fired(self) -> Counter[str]:
        return Counter({rule: int(n) for rule, n in zip(RULES, self.state.fired, strict=True) if n})

    @property
    def decision(self) -> str:
        """The kind of decision at hand; "" once the game is over."""
        return "" if self.over else str(self.stepper.decision.id)

    @property
    def seat(self) -> str:
        return "" if self.over else self.stepper.seat

    @property
    def over(self) -> bool:
        return self.stepper.over

    @property
    def winners(self) -> list[str]:
        return [SEATS[seat] for seat in range(self.players) if int(self.state.winners) >> seat & 1]

    def legal(self) -> list[int]:
        return self.stepper.legal()

    def options(self) -> list[str]:
        """The legal actions: hexes as q/r, principalities and players by name, others by label."""
        kind = int(self.state.decision)
        if kind in (names.D_DIE, names.D_CONQUER, names.D_CLAIM, names.D_LIBERATE, names.D_PROVINCE, names.D_GIFT,
                    names.D_CAPITAL, names.D_SECOND, names.D_THIRD, names.D_ELECTOR_HEX, names.D_PLACE):  # fmt: skip
            return ["none" if a == HEXES else PLACE_NAMES[a] for a in self.legal()]
        if kind in (names.D_PRINCIPALITY, names.D_TARGET, names.D_CRUSADE, names.D_RANK, names.D_RECIPIENT,
                    names.D_FIRST_DI, names.D_ELECTOR, names.D_IMPERIAL_DI):  # fmt: skip
            return ["stop" if a == names.NO_TARGET else NAMES[a] for a in self.legal()]
        if kind == names.D_VASSAL:
            return [NAMES[a] if a < names.ROSTER else SEATS[a - names.ROSTER] for a in self.legal()]
        if kind in (names.D_VICTIM, names.D_VOTE, names.D_WINNER):
            return [SEATS[a] for a in self.legal()]
        return [self.stepper.label(a) for a in self.legal()]

    def size(self, power: str) -> int:
        return int(self.state.extent[self.power(power)])

    def power(self, name: str) -> int:
        return seat_of(name) if name in SEATS else int(FIRST_PRINCIPALITY) + pr_of(name)

    def land(self, power: str) -> set[str]:
        return hexes_in(self.state.land[self.power(power)])

    @property
    def protestant(self) -> set[str]:
        return hexes_in(self.state.protestant)

    @property
    def towns(self) -> set[str]:
        return hexes_in(self.state.town)

    def ally(self, name: str) -> str | None:
        ally = int(self.state.ally[pr_of(name)])
        return SEATS[ally] if ally >= 0 else None

    def di_of(self, name: str, seat: str) -> int:
        return int(self.state.di[pr_of(name), seat_of(seat)])

    def di_on(self, name: str) -> dict[str, int]:
        row = self.state.di[pr_of(name)]
        return {SEATS[seat]: int(row[seat]) for seat in range(self.players) if row[seat]}

    def on_map(self, name: str) -> bool:
        return bool(int(self.state.on_map) >> pr_of(name) & 1)

    def is_elector(self, name: str) -> bool:
        return bool(int(self.state.electors) >> pr_of(name) & 1)

    def get(self, field: str, seat: str) -> int:
        """A field of a player."""
        return int(self.state[field][seat_of(seat)])

    def role(self, seat: str) -> str:
        return ("sin", "hell", "FA", "FW")[self.get("role", seat)]

    def hand(self, seat: str, field: str = "hand") -> tuple[int, int, int]:
        m, p, c = (int(n) for n in self.state[field][seat_of(seat)])
        return m, p, c

    def ip(self, seat: str) -> int:
        from simlab.games.westphalia.board import imperial_power

        knobs = self.stepper.match.knobs.view(np.recarray)[0]
        before = self.state.fired.copy()
        power = int(imperial_power(self.state, knobs, seat_of(seat)))
        self.state.fired[:] = before
        return power

    # --- setting it ---

    def set(self, **fields: Any) -> Table:
        """Fields of the state; of a player's field a dict by seat."""
        for name, value in fields.items():
            if isinstance(value, dict):
                for seat, number in value.items():
                    self.state[name][seat_of(seat)] = number
            elif isinstance(value, tuple | list):
                self.state[name][: len(value)] = value
            else:
                self.state[name] = value
        return self

    def order(self, *seats: str) -> Table:
        self.state.initiative[: len(seats)] = [seat_of(seat) for seat in seats]
        return self

    def faith(self, *seats: str, role: str = "") -> Table:
        """These players are Protestant, capitals and all; FA while there are cards, else Predestined."""
        for seat in seats:
            number = seat_of(seat)
            self.state.faith[number] = 1
            self.state.monastery[number] = 0
            if self.state.home[number] >= 0:
                self.turn_hex(PLACE_NAMES[int(self.state.home[number])], 1)
            saved = role == "FA" or (not role and self.state.fa_free > 0)
            self.state.role[number] = names.ALONE if saved else names.HELL
            self.state.fa_free -= int(saved)
        return self

    def turn_hex(self, place: str, faith: int = 1) -> Table:
        at = PLACES[place]
        words = self.state.protestant
        if faith:
            words[at // WORD] |= 1 << at % WORD
        else:
            words[at // WORD] &= ~(1 << at % WORD)
        return self

    def turn_pr(self, *prs: str, faith: int = 1) -> Table:
        for name in prs:
            self.state.pr_faith[pr_of(name)] = faith
            for place in self.land(name):
                self.turn_hex(place, faith)
        return self

    def di(self, name: str, ally: str | None = "", **seats: int) -> Table:
        """Influence on a principality; the ally is who has most of it and enough, or the one named."""
        pr = pr_of(name)
        for seat, number in seats.items():
            self.state.di_out[seat_of(seat)] += number - int(self.state.di[pr, seat_of(seat)])
            self.state.di[pr, seat_of(seat)] = number
        if ally == "":
            shares = self.di_on(name)
            best = max(shares, key=lambda seat: shares[seat], default=None)
            ally = best if best is not None and shares[best] >= self.size(name) else None
        self.state.ally[pr] = seat_of(ally) if ally else -1
        return self

    def move(self, place: str, power: str, kind: str = "plain") -> Table:
        """A hex changes hands; it keeps its faith."""
        at, new = PLACES[place], self.power(power)
        word, bit = at // WORD, 1 << at % WORD
        old = int(self.state.hex_owner[at])
        if old >= 0:
            self.state.land[old, word] &= ~bit
            self.state.extent[old] -= 1
            if self.state.home[old] == at:
                self.state.home[old] = -1
        self.state.town[word] &= ~bit
        self.state.capital[word] &= ~bit
        self.state.hex_owner[at] = new
        self.state.land[new, word] |= bit
        self.state.extent[new] += 1
        if kind == "town":
            self.state.town[word] |= bit
        if kind == "capital":
            self.state.capital[word] |= bit
            self.state.home[new] = at
        if old >= PLAYERS and self.state.extent[old] == 0:
            self.state.on_map = int(self.state.on_map) & ~(1 << (old - PLAYERS))
        return self

    def cards(self, seat: str, m: int, p: int, c: int, pile: tuple[int, int, int] = (0, 0, 0)) -> Table:
        self.state.hand[seat_of(seat)] = (m, p, c)
        self.state.discard[seat_of(seat)] = pile
        return self

    # --- play ---

    def enter(self, step: str, at: int = 0, **fields: Any) -> Table:
        """Goes on from a step of play."""
        state = self.state
        state.step_at[0] = getattr(names, step)
        state.at[0] = at
        state.depth = 1
        self.set(**fields)
        state.decision = names.D_PEACE  # answered with "take nothing", it does nothing
        state.options[:] = (3, 0, 0)
        self.stepper.apply(int(names.NOTHING))
        return self

    def act(self, *actions: int) -> Table:
        for action in actions:
            self.stepper.apply(int(action))
        return self

    def do(self, *labels: str) -> Table:
        """Actions by what `options` calls them."""
        for label in labels:
            options = self.options()
            assert label in options, f"{label!r} is not among {options} ({self.seat}, {self.decision})"
            self.act(self.legal()[options.index(label)])
        return self

    def until(self, decision: str, choice: int = 0) -> Table:
        """The first option (or the last one with -1) until such a decision comes."""
        while not self.over and self.decision != decision:
            self.act(self.legal()[choice])
        return self

    def copy(self) -> Table:
        return Table(self.stepper.copy())

    def force(self, stream: str, *values: int) -> Table:
        self.stepper.force(stream, *values)
        return self

    def duel(self, one: str, other: str, **fields: Any) -> Table:
        """A battle of two at its first clash: the hands are to be set before."""
        pair = [seat_of(one), seat_of(other)]
        state = self.state
        state.wars = 1
        state.war_attacker[0], state.war_defender[0] = pair
        state.war_phase[0] = state.battle_phase = 3
        state.war_result[0] = names.AT_WAR
        state.war = 0
        state.slot[:] = -1
        state.slot[0] = pair
        state.fighter[:2] = pair
        state.fighters = 2
        state.melee = 0
        state.step_at[1] = names.S_CHOOSE
        self.set(**fields)
        state.step_at[0], state.at[:2], state.depth = names.S_BATTLE, 0, 2
        state.decision = names.D_PEACE
        state.options[:] = (3, 0, 0)
        self.stepper.apply(int(names.NOTHING))
        return self

    def clash(self, **played: str) -> Table:
        """The cards of a clash, by seat, where they are asked for."""
        kinds = {"M": 0, "P": 1, "C": 2}
        waiting = dict(played)
        while not self.over and self.decision == "D27" and self.seat in waiting:
            self.act(kinds[waiting.pop(self.seat)])
        return self


def scene(players: int = 6, *, turn: int = 2, phase: int = 4, emperor: str = "red", **knobs: Any) -> Table:
    """The standard opening position with nothing placed.

    Args:
        turn: the game round. emperor: a seat. knobs: knobs and switches that differ from the default.
    """
    stepper = Stepper(match_of(players, {**HELD, **knobs}), seed=1)
    state = stepper.state
    state.turn, state.phase = turn, phase
    state.emperor = seat_of(emperor)
    state.initiative[:players] = range(players)
    state.di[:] = 0
    state.ally[:] = -1
    state.di_out[:] = state.di_stored[:] = 0
    state.fired[:] = 0
    state.count[:] = 0
    return Table(stepper)


def row_of(table: Table) -> dict[str, Any]:
    return table.stepper.row()


def holds(table: Table) -> None:
    """The invariants of the ledger, section 6.2."""
    check(table.state)


def check(state: Any) -> None:
    """Everything is somewhere, once: provinces, Electors, influence, cards, roles."""
    players = int(state.players)
    if state.phase == 0 and state.depth == 1 and state.step_at[0] < names.S_FIRST_DI:
        return  # the map is being laid out
    owners = [int(state.hex_owner[h]) for h in range(HEXES)]
    owned = [o for o in owners if o >= 0]
    assert len(owned) == int(state.hexes) and -2 not in owners
    counted = Counter(owned)
    towns, capitals = hexes_in(state.town), hexes_in(state.capital)
    for power in range(names.POWERS):
        assert int(state.extent[power]) == counted[power]
        land = hexes_in(state.land[power])
        assert {PLACES[place] for place in land} == {h for h in range(HEXES) if owners[h] == power}
        assert len(land & capitals) <= 1
    assert not towns & capitals
    electors = [pr for pr in range(names.ROSTER) if int(state.electors) >> pr & 1]
    assert len(electors) == 7
    for pr in range(names.ROSTER):
        power = pr + PLAYERS
        on_map = bool(int(state.on_map) >> pr & 1)
        assert on_map == (counted[power] > 0), pr
        if pr in electors:
            assert on_map
        if not on_map:
            assert not state.di[pr].any() and state.ally[pr] == -1 and state.marker[pr] == 0
            continue
        land = hexes_in(state.land[power])
        assert PLACE_NAMES[int(state.home[power])] in land & capitals and not land & towns
        faiths = {place in hexes_in(state.protestant) for place in land}
        assert faiths == {bool(state.pr_faith[pr])}
        assert 1 <= len(land) <= 6
        assert -1 <= state.ally[pr] < players
    for seat in range(players):
        land = hexes_in(state.land[seat])
        if state.fp_edge[seat] < 0:
            if land:
                home = PLACE_NAMES[int(state.home[seat])]
                assert home in land & capitals and (home in hexes_in(state.protestant)) == bool(state.faith[seat])
        else:
            assert state.depth > 1 or not land & capitals
        assert int(state.di_out[seat]) == int(state.di[:, seat].sum()) + int(state.di_stored[seat]) <= 40
        assert min(int(state[field][seat]) for field in ("gold", "di_stored", "gw_die", "saints", "dice")) >= 0
        assert int(state.gw_die[seat]) <= 7
        assert min(int(n) for n in state.hand[seat]) >= 0 and min(int(n) for n in state.discard[seat]) >= 0
        for field in ("shown", "foe_shown"):
            if field == "shown" or state.peeker[seat] >= 0:
                assert all(0 <= int(state[field][seat, k]) <= int(state.hand[seat, k]) for k in range(3)), field
        if state.faith[seat]:
            assert state.saints[seat] == state.gw_die[seat] == 0 and state.role[seat] in (names.HELL, names.ALONE)
        else:
            assert state.role[seat] in (names.SIN, names.WORKS)
    assert int((state.doctrine.sum(axis=0) + state.doctrine_played).max()) <= 24
    assert 0 <= state.depth <= names.DEPTH


def seats_with(table: Table, field: str) -> Iterable[str]:
    return [SEATS[seat] for seat in range(table.players) if table.state[field][seat]]
