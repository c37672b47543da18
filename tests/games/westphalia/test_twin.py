"""The game agrees with its twin (reference/) at every decision of random games under random knobs and switches.

The twin is given the same chance and the same answers. It must ask the same seats the same questions with the same
options, and at each question every field of the record that the ledger speaks of must agree.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.errors import InputError
from simlab.games.westphalia import state as names
from simlab.games.westphalia.sets import draw
from simlab.games.westphalia.state import HEXES, PLAYERS, WORD
from tests.games.westphalia.reference import Peace
from tests.games.westphalia.reference.board import CAPITAL, PROTESTANT, TOWN
from tests.games.westphalia.table import GAME, PLACES, TABLES, match_of, plain_only

plain_only()

SWITCHES = [n for n, knob in GAME.knobs.items() if knob.options and not n.startswith("blank_")]
NUMBERS = [n for n, knob in GAME.knobs.items() if not knob.options and not n.startswith("blank_")]


class PassedBy(Exception):
    """Something came by chance and was gone again before the next question: it cannot be observed."""


class Observed:
    """The chance of a game: Faith dice from a copy of their streams, all else as it came to lie."""

    def __init__(self, stepper: Stepper) -> None:
        self.stepper = stepper
        self.shadow = stepper.copy().state
        self.twin: Peace
        self.sides = int(stepper.match.cards["faith_sides"][0])
        self.faces = int(stepper.match.knobs_resolved["faith_success_faces"])

    @property
    def state(self) -> Any:
        return self.stepper.state

    def order(self) -> list[int]:
        return [int(s) for s in self.state.setup_order[: self.twin.players]]

    def places(self) -> list[int]:
        return [int(s) for s in self.state.start_place[: self.twin.players]]

    def board(self) -> dict[int, list[int]]:
        board: dict[int, list[int]] = {}
        for at in self.twin.hexes:
            power = int(self.state.hex_owner[at])
            board.setdefault(power, []).insert(0 if at == int(self.state.home[power]) else HEXES, at)
        return board

    def upheaval(self, most: int) -> set[int]:
        drawn = {pr for pr in self.twin.on_map if int(self.state.pr_faith[pr]) != self.twin.pr_faith[pr]}
        if int(self.state.phase) != 2 or int(self.state.pr_dice.max()) or len(drawn) > most:
            raise PassedBy
        return drawn

    def ottoman(self) -> int:
        return int(self.state.last_roll) + 1

    def successes(self, seat: int, dice: int) -> int:
        stream = int(names.FAITH_STREAM) + seat
        return sum(int(draw(self.shadow, stream, self.sides)) < self.faces for _ in range(dice))

    def doctrines(self) -> list[list[int]]:
        return [[int(n) for n in self.state.doctrine[s]] for s in self.twin.seats]

    def cards(self, seat: int, number: int, deck: list[int]) -> list[int]:
        drawn = [int(n) for n in self.state.drawn[seat]]
        if sum(drawn) != number:
            raise PassedBy
        return drawn


def positions(size: int) -> dict[str, list[int]]:
    rows = (row for row in TABLES["positions"] if row["players"] == size)
    return {str(row["power"]): [PLACES[word] for word in str(row["hexes"]).split()] for row in rows}


def bits(word: int) -> list[int]:
    """The places of the bits that are set."""
    places = []
    while word:
        places.append((word & -word).bit_length() - 1)
        word &= word - 1
    return places


def hexes_in(words: list[int]) -> set[int]:
    return set(bits(words[0] | words[1] << WORD))


def record_of(stepper: Stepper) -> SimpleNamespace:
    """The fields of the record as plain numbers and lists: NumPy's own are slow to read one by one."""
    record = stepper.state.base.view(np.ndarray).view(GAME.state)[0]
    return SimpleNamespace(**{name: record[name].tolist() for name in FIELDS})


FIELDS = (
    "turn", "phase", "seat", "hex_owner", "land", "extent", "protestant", "town", "capital", "home", "on_map",
    "electors", "pr_faith", "di", "ally", "marker", "faith", "role", "gw_die", "saints", "monastery", "gold", "di_out",
    "fp_edge", "di_stored", "fa_free", "reformation", "initiative", "emperor", "gesture", "gesture_any", "dice",
    "hex_dice", "pr_dice", "doctrine", "declared_on", "wars", "war_attacker", "war_defender", "war_phase", "league",
    "eliminated", "ally_whole_war", "ally_claimed", "has_declared", "hand", "discard", "called", "barred", "slot",
    "routed", "queue", "queue_len", "elector_vote",
)  # fmt: skip


def fields_of_game(s: SimpleNamespace, t: Peace, kind: str) -> Iterator[tuple[str, Any]]:
    """What the twin knows of the position, from the record."""
    n, prs = t.players, t.on_map
    yield "round", s.turn
    yield "phase", s.phase
    yield "owner", {at: owner for at, owner in enumerate(s.hex_owner) if owner >= 0}
    yield "land", {p: hexes_in(land) for p, land in enumerate(s.land) if s.extent[p]}
    yield "number of hexes", {p: number for p, number in enumerate(s.extent) if number}
    yield "protestant", hexes_in(s.protestant)
    yield "town", hexes_in(s.town)
    yield "capital", hexes_in(s.capital)
    yield "home", {power: home for power, home in enumerate(s.home) if home >= 0}
    yield "on the map", bits(s.on_map)
    yield "electors", set(bits(s.electors))
    yield "faith of principalities", {pr: s.pr_faith[pr] for pr in prs}
    yield "influence", {pr: s.di[pr][:n] for pr in prs}
    yield "influence in the box", [pr for pr, row in enumerate(s.di) if any(row) and pr not in t.di]
    yield "ally", {pr: s.ally[pr] for pr in prs}
    yield "flames", {pr: flame for pr, flame in enumerate(s.marker) if flame}
    for name in ("faith", "role", "gw_die", "saints", "monastery", "gold", "di_out", "fp_edge", "di_stored"):
        yield name, vars(s)[name][:n]
    yield "FA left", s.fa_free
    yield "Reformation", bool(s.reformation)
    yield "order", s.initiative[:n]
    if t.round:
        yield "emperor", s.emperor
        yield "gestures", [row[:n] for row in s.gesture[:n]]
        yield "last gestures", s.gesture_any[:n]
    if kind == "D11":
        yield "dice earned", s.dice[:n]
    if kind == "D12":
        yield "dice left", s.dice[s.seat]
        yield "dice on hexes", {at: dice for at, dice in enumerate(s.hex_dice) if any(dice)}
        yield "dice on principalities", {pr: dice for pr, dice in enumerate(s.pr_dice) if any(dice)}
    if 4 <= t.phase <= 5:
        yield "doctrines", s.doctrine[:n]
        yield "declared on", s.declared_on[:n]
        yield "wars", list(zip(s.war_attacker, s.war_defender, s.war_phase, strict=True))[: s.wars]
        yield "league", s.league[:n]
        yield "eliminated", s.eliminated[:n]
    if t.phase == 4:
        yield "allies all along", {pr for pr in prs if s.ally_whole_war[pr] and s.ally[pr] >= 0}
        yield "claimed", {pr for pr in prs if s.ally_claimed[pr]}
        yield "declarations", s.has_declared[:n]
    if kind in BATTLE:
        yield "called", {seat: s.called[seat] > 0 for seat in t.fighters}
        for name in ("hand", "discard", "barred"):
            yield name, {seat: vars(s)[name][seat] for seat in t.fighters}
        yield "slots", [[-1 if x < 0 or s.routed[x] else x for x in slot] for slot in s.slot]
        if t.melee:
            yield "queue", [s.queue[x][: s.queue_len[x]] for x in range(2)]
    if kind == "D08":
        yield "votes", {pr: s.elector_vote[pr] for pr in t.vote_of}


BATTLE = ("D22", "D23", "D24", "D25", "D26", "D27", "D28", "D29", "D30")


def fields_of_twin(t: Peace, kind: str, seat: int) -> Iterator[tuple[str, Any]]:
    yield "round", t.round
    yield "phase", t.phase
    yield "owner", t.owner
    yield "land", {power: land for power, land in t.lands.items() if land}
    yield "number of hexes", {power: len(land) for power, land in t.lands.items() if land}
    yield "protestant", {at for at, creed in t.creed.items() if creed == PROTESTANT}
    yield "town", {at for at, what in t.kind.items() if what == TOWN}
    yield "capital", {at for at, what in t.kind.items() if what == CAPITAL}
    yield "home", t.capital
    yield "on the map", t.on_map
    yield "electors", t.electors
    yield "faith of principalities", t.pr_faith
    yield "influence", t.di
    yield "influence in the box", []
    yield "ally", {pr: -1 if ally is None else ally for pr, ally in t.ally.items()}
    yield "flames", t.flame
    yield "faith", t.faith
    yield "role", t.role
    yield "gw_die", t.works
    yield "saints", t.saints
    yield "monastery", [int(m) for m in t.monastery]
    yield "gold", t.gold
    yield "di_out", [t.influence(seat) for seat in t.seats]
    yield "fp_edge", [-1 if edge is None else edge for edge in t.edge]
    yield "di_stored", t.stored
    yield "FA left", t.fa_free
    yield "Reformation", t.reformation
    yield "order", t.order
    yield "emperor", t.emperor
    yield "gestures", t.gesture
    yield "last gestures", t.gesture_any
    if kind == "D11":
        yield "dice earned", t.dice
    if kind == "D12":
        yield "dice left", t.dice[seat]
        yield "dice on hexes", {at: dice for at, dice in t.hex_dice.items() if any(dice)}
        yield "dice on principalities", {pr: dice for pr, dice in t.pr_dice.items() if any(dice)}
    if t.phase >= 4:
        yield "doctrines", t.doctrine
        yield "declared on", t.declared_on
        yield "wars", [(war.attacker, war.defender, war.phase) for war in t.wars]
        yield "league", t.league
        yield "allies all along", set(t.whole)
        yield "claimed", t.claimed
        yield "declarations", t.declared
        yield "eliminated", t.gone
    if kind in BATTLE:
        yield "hand", t.hand
        yield "discard", t.pile
        yield "called", t.called
        yield "barred", t.barred
        if t.melee:
            yield "slots", [[-1 if s is None else s for s in slot] for slot in t.slots]
            yield "queue", [t.queue[1], t.queue[2]]
        else:
            yield "slots", [t.fighters] + [[-1, -1]] * 3
    if kind == "D08":
        yield "votes", t.vote_of


def differences(stepper: Stepper, twin: Peace, kind: str) -> list[str]:
    record = record_of(stepper)
    mine, other = dict(fields_of_game(record, twin, kind)), dict(fields_of_twin(twin, kind, record.seat))
    return [f"{name}: game {mine[name]}, twin {other[name]}" for name in mine if mine[name] != other[name]]


class Differ(AssertionError):
    """Game and twin differ; says where and in what."""


def random_knobs(luck: random.Random) -> dict[str, Any]:
    """A few knobs and switches off their defaults."""
    knobs: dict[str, Any] = {}
    for name in luck.sample(SWITCHES, luck.randint(0, len(SWITCHES))):
        knobs[name] = luck.choice(GAME.knobs[name].options)
    for name in luck.sample(NUMBERS, luck.choice((0, 0, 3, 8, 20))):
        knob = GAME.knobs[name]
        if knob.kind == "int":
            knobs[name] = luck.randint(int(knob.low), int(knob.high))
        else:
            knobs[name] = round(luck.uniform(knob.low, knob.high), 1)
    return knobs


def playable_match(players: int, luck: random.Random) -> Match:
    """Knobs drawn again where decks would be too small for the hands."""
    while True:
        try:
            return match_of(players, random_knobs(luck))
        except InputError:
            continue


class Abreast:
    """One game, twin and record abreast."""

    def __init__(self, match: Match, seed: int, index: int) -> None:
        players, knobs = len(match.game.seats), match.knobs_resolved
        self.what = f"players {players}, knobs {match.knobs_set}, seed {seed}, game {index}"
        self.stepper = Stepper(match, seed, index)
        chance = Observed(self.stepper)
        size = 6 if players == 5 and knobs["five_player_map"] == "72" else players
        self.twin = chance.twin = Peace(players, knobs, chance, positions(size))
        self.seen: Counter[str] = Counter()

    def fail(self, why: str) -> None:
        s = self.stepper.state
        raise Differ(f"{self.what}, decision {self.stepper.decisions}, round {int(s.turn)} phase {int(s.phase)}: {why}")

    def play(self, luck: random.Random) -> Counter[str]:
        """Plays to the end; counts decisions by kind."""
        play = self.twin.play()
        answers: dict[int, list[int]] | None = None
        try:
            while True:
                kind, options = next(play) if answers is None else play.send(answers)
                answers = self.answer(kind, options, luck)
        except StopIteration:
            self.finish()
        except PassedBy:
            self.seen["passed by"] += 1
        except Differ:
            raise
        except Exception as fault:
            raise Differ(f"{self.what}, decision {self.stepper.decisions}: the twin fails: {fault!r}") from fault
        return self.seen

    def answer(self, kind: str, options: dict[int, list[list[int]]], luck: random.Random) -> dict[int, list[int]]:
        """Puts the twin's questions to the game; the seats may be asked in any order."""
        stepper = self.stepper
        if stepper.over:
            self.fail(f"the game is over, the twin asks {kind} {options}")
        asked = str(stepper.decision.id)
        if asked != kind:
            self.fail(f"game asks {asked} of {int(stepper.state.seat)}, twin {kind} {options}")
        wrong = differences(stepper, self.twin, kind)
        if wrong:
            self.fail(f"at {kind}: " + "; ".join(wrong))
        answers: dict[int, list[int]] = {seat: [] for seat in options}
        for _ in range(sum(map(len, options.values()))):
            seat = int(stepper.state.seat)
            asked = "" if stepper.over else str(stepper.decision.id)
            if asked != kind or seat not in options or len(answers[seat]) == len(options[seat]):
                self.fail(f"game asks {asked} of {seat}, twin {kind} {options}, answered {answers}")
            wanted = options[seat][len(answers[seat])]
            legal = sorted(stepper.legal())
            if legal != wanted:
                self.fail(f"{kind} of {seat}: game allows {legal}, twin {wanted}")
            action = self.choose(kind, legal, luck)
            answers[seat].append(action)
            self.seen[kind] += 1
            stepper.apply(action)
        return answers

    def choose(self, kind: str, legal: list[int], luck: random.Random) -> int:
        """At random, but that few leave the Empire, treaties are used, and turns of diplomacy come to an end."""
        if kind == "D14" and 1 in legal and luck.random() < 0.5:
            return 1
        if kind == "D39" and luck.random() < 0.8:
            return 6
        if kind == "D31" and luck.random() < 0.7:
            return luck.choice(legal[1:])
        if kind == "D32" and 96 in legal and luck.random() < 0.7:
            return luck.choice(legal[:-1])
        return luck.choice(legal)

    def finish(self) -> None:
        stepper, twin = self.stepper, self.twin
        if not stepper.over:
            self.fail(f"the twin has ended, the game asks {stepper.decision.id}")
        s = stepper.state
        mine = [seat for seat in range(PLAYERS) if int(s.winners) >> seat & 1], GAME.endings[int(s.ending)]
        if mine != (twin.winners, twin.ending):
            self.fail(f"game ends {mine}, twin {twin.winners, twin.ending}")
        wrong = differences(stepper, twin, "")
        final = s.final_ip[: twin.players].tolist()
        if twin.ending == "peace_of_westphalia" and final != [twin.final_power(seat) for seat in twin.seats]:
            wrong.append(f"final IP: game {final}, twin {[twin.final_power(seat) for seat in twin.seats]}")
        if wrong:
            self.fail("at the end: " + "; ".join(wrong))
        self.seen[twin.ending] += 1
        self.seen["games"] += 1


def play(seed: int, tables: int, printed: bool) -> Counter[str]:
    """So many games, abreast; counts decisions by kind, games and endings."""
    luck = random.Random(seed)
    seen: Counter[str] = Counter()
    for table in range(tables):
        players = 5 + (table + seed) % 4
        match = match_of(players) if printed else playable_match(players, luck)
        seen += Abreast(match, seed, table).play(luck)
    return seen


def decisions(seen: Counter[str]) -> int:
    return sum(number for kind, number in seen.items() if kind.startswith("D"))


def test_game_and_twin_agree_under_the_printed_rules() -> None:
    seen = play(1, 2, printed=True)
    assert seen["games"] == 2
    assert decisions(seen) > 1_200


def test_game_and_twin_agree_under_any_ruling() -> None:
    seen = play(2, 2, printed=False)
    assert seen["games"] + seen["passed by"] == 2
    assert decisions(seen) > 800


@pytest.mark.long
def test_game_and_twin_agree_at_length() -> None:
    seen = play(3, 40, printed=True) + play(4, 100, printed=False)
    assert seen["passed by"] < 10
    everything = [decision.id for decision in GAME.decisions]
    assert [kind for kind in everything if not seen[kind]] == []
