"""The game agrees with its twin (reference/) at every decision of random games under random knobs and switches.

The twin is given the same dice and the same answers. It must ask the same seats the same questions with the same
options, and at each question every field of the record that the ledger speaks of must agree.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from simlab.engine.match import Match
from simlab.engine.setup import streams_of
from simlab.engine.stepper import Stepper
from simlab.engine.streams import below
from simlab.games.lowenheim import state as names
from simlab.games.lowenheim.state import ENDINGS, SEATS
from tests.games.lowenheim.fuzz_games import GAME, some_knobs
from tests.games.lowenheim.reference import Siege
from tests.games.lowenheim.reference.city import FLAMMABLE, INDEX, PASSABLE, around
from tests.games.lowenheim.reference.figures import TYPES

STREAMS = streams_of(GAME)
STARTED = 50  # a fire that began in this step
STATUS = ("in play", "temple", "starved", "lost", "dead", "escaped", "unused", "crew", "out")


class Chance:
    """Dice from a copy of the game's streams; the deal and the order of the decks as they came to lie."""

    def __init__(self, stepper: Stepper) -> None:
        self.stepper = stepper
        self.shadow = stepper.copy().state

    def below(self, stream: str, n: int) -> int:
        return int(below(self.shadow, np.int64(STREAMS[stream]), np.int64(n)))

    def deal(self) -> list[list[int]]:
        return self.stepper.state.hand.tolist()

    def events(self) -> list[int]:
        return self.stepper.state.event_deck[:17].tolist()

    def commands(self) -> list[int]:
        return self.stepper.state.command_deck[:9].tolist()


def at(h: int | None) -> int:
    return -1 if h is None else INDEX[h]


def fields_of_game(s: Any) -> Iterator[tuple[str, Any]]:
    """What the twin knows of the position, from the record."""
    hexes = s["hex"].tolist()
    there = [f for f, h in enumerate(hexes) if h >= 0]
    yield "turn", int(s["turn"])
    yield "hex", {f: hexes[f] for f in there}
    yield "status", {f: STATUS[n] for f, n in enumerate(s["status"][:61].tolist())}
    for name in ("wounds", "stun", "ctrl"):
        values = s[name].tolist()
        yield name, {f: values[f] for f in there}
    kinds, aims, marks = s["kind"].tolist(), s["aim"].tolist(), s["marks"].tolist()
    yield "kind", {f: names.KINDS[kinds[f]] for f in there}
    yield "aim", {f: aims[f - 81] for f in there if f >= 81}
    yield "losses", s["loss"].tolist()
    for name, bit in (("reserve", names.RESERVE), ("raging", names.RAGING), ("conferring", names.CONFERRING)):
        yield name, [f for f in there if marks[f] & int(bit)]
    yield "controlled", {int(f): int(n) for f, n in zip(s["controlled"], s["breaks"], strict=True) if f >= 0}
    sides = s["barricade"].tolist()
    walled = [(h, n) for h, n in zip(PASSABLE, sides, strict=False) if n]
    yield "barricades", [[h, way] for h, n in walled for way in range(6) if n >> way & 1]
    yield "pool", (int(s["pieces"]), int(s["returning"]))
    yield "ground", int(s["config"])
    fires = s["fire"][: len(FLAMMABLE)].tolist()
    yield "fires", {FLAMMABLE[k]: 1 if n == STARTED else n for k, n in enumerate(fires) if n}
    yield (
        "water walls",
        sorted(
            (int(h), int(d), int(t))
            for h, d, t in zip(s["wall_hex"], s["wall_dir"], s["wall_last"], strict=True)
            if t > 0
        ),
    )
    yield "hands", s["hand"].tolist()
    yield "deck", s["deck"].tolist()
    yield "pile", s["pile"].tolist()
    yield "due", s["due"].tolist()
    yield "reserve active, pool", (bool(s["reserve_active"]), int(s["reserve_pool"]))
    yield "ogres", int(s["ogres_pending"])
    yield "box", (int(s["box_at"]) % int(names.NO_BOX), bool(s["box_used"]))
    yield "artefacts public", [bool(n) for n in s["artefact_public"]]
    yield "artefacts lost", [bool(n) for n in s["artefact_lost"]]
    yield "teleports", int(s["teleports"])
    yield "wolf", (int(s["wolf_until"]), bool(s["wolf_public"]))
    yield "hair", (int(s["hair"]), bool(s["hair_public"]))
    yield "tunnel", bool(s["tunnel_public"])
    yield "queen", (int(s["queen"]), bool(s["queen_escorted"]), bool(s["queen_captured"]))
    yield "brunhilde", (int(s["brunhilde"]), bool(s["brunhilde_with"]), bool(s["brunhilde_captured"]))
    yield "statue", int(s["statue"])
    yield "plundered", bool(s["plundered"])
    yield "leader", (int(s["leader"]), s["leader_turns"].tolist())
    for name in (
        "poor_turns", "jousting_turns", "queen_turns", "tower_turns", "embassy_turns", "secret_turns", "cathay_turns",
        "defended", "gate_turns", "overrun",
    ):  # fmt: skip
        yield name, int(s[name])


def fields_of_twin(t: Siege) -> Iterator[tuple[str, Any]]:
    there = t.on_map()
    yield "turn", t.turn
    yield "hex", {f.id: at(f.hex) for f in there}
    yield "status", {f.id: f.status for f in t.figures[:61]}
    for name in ("wounds", "stun", "ctrl", "kind"):
        yield name, {f.id: getattr(f, name) for f in there}
    yield "aim", {f.id: f.aim for f in there if f.id >= 81}
    yield "losses", [t.figures[n].loss for n in (0, 16, 27, 36, 37, 38, 39, 45)]
    yield "reserve", [f.id for f in there if f.reserve]
    yield "raging", [f.id for f in there if f.raging]
    yield "conferring", [f.id for f in there if t.conferring(f)]
    yield "controlled", {f.id: f.breaks for f in there if f.breaks is not None}
    yield "barricades", sorted([h, around(h).index(n)] for s in t.barricade for h in s for n in s - {h})
    yield "pool", (t.pool, t.returning)
    up = (116 not in t.down) | (123 not in t.down) << 1
    yield "ground", up | sum((site in t.breached) << (2 + n) for n, site in enumerate((146, 19, 40, 44)))
    yield "fires", dict(sorted(({h: n + 1 for h, n in t.fire.items()} | dict.fromkeys(t.burnt, 99)).items()))
    yield "water walls", sorted((INDEX[h], d, last) for h, d, last in t.water_walls)
    yield "hands", [[hand[c] for c in TYPES] for hand in t.hand]
    yield "deck", [t.deck[c] for c in TYPES]
    yield "pile", [t.pile[c] for c in TYPES]
    yield "due", t.due
    yield "reserve active, pool", (t.reserve_active, t.reserve_pool)
    yield "ogres", t.ogres
    yield "box", (0 if isinstance(t.box, str) else t.box - 35, t.box_used)
    yield "artefacts public", t.public
    yield "artefacts lost", t.lost
    yield "teleports", t.teleports
    yield "wolf", (t.wolf_until, t.wolf_public)
    yield "hair", (("hidden", "used", "lost").index(t.hair), t.hair_public)
    yield "tunnel", t.tunnel_public
    yield "queen", (at(t.queen), t.queen_with, t.queen_captured)
    yield "brunhilde", (at(t.brunhilde), t.brunhilde_with, t.brunhilde_captured)
    yield "statue", ("whole", "shattered", "broken").index(t.statue)
    yield "plundered", t.plundered
    yield "leader", (t.leader, t.leader_turns)
    yield "poor_turns", t.poor
    yield "jousting_turns", t.jousting
    yield "queen_turns", t.queen_turns
    yield "tower_turns", t.tower
    yield "embassy_turns", t.embassy
    yield "secret_turns", t.quiet
    yield "cathay_turns", t.cathay
    yield "defended", t.defended
    yield "gate_turns", t.gate_turns
    yield "overrun", t.overrun


def apart(mine: Any, other: Any) -> str:
    """Two values that differ; of two dictionaries only what differs."""
    if isinstance(mine, dict) and isinstance(other, dict):
        keys = [k for k in mine.keys() | other.keys() if mine.get(k) != other.get(k)]
        return f"game { {k: mine.get(k) for k in keys} }, twin { {k: other.get(k) for k in keys} }"
    return f"game {mine}, twin {other}"


EAGER = ("D09", "D15", "D16", "D20", "D21", "D22", "D27", "D37", "D38", "D39", "D40")


class Differ(AssertionError):
    """Game and twin differ; says where and in what."""


class Abreast:
    """One game and its twin abreast."""

    def __init__(self, knobs: dict[str, Any], seed: int, index: int, luck: random.Random) -> None:
        bots = {seat: luck.choice(("random", "random", "marshal", "intriguer", "arcane")) for seat in SEATS}
        self.match = Match(GAME, knobs=knobs, bots=bots)
        self.what = f"knobs {knobs}, bots {tuple(bots.values())}, seed {seed}, game {index}"
        self.stepper = Stepper(self.match, seed, index)
        self.twin = Siege(self.match.knobs_resolved, Chance(self.stepper))
        self.seen: Counter[str] = Counter()
        self.trace: list[str] = []

    def fail(self, why: str) -> None:
        s = self.stepper.state
        last = " | ".join(self.trace[-6:])
        raise Differ(f"{self.what}, decision {self.stepper.decisions}, turn {int(s.turn)}: {why}\nlast: {last}")

    def play(self, luck: random.Random) -> Counter[str]:
        """Plays to the end; counts decisions by kind."""
        play = self.twin.play()
        answer: int | None = None
        try:
            while True:
                kind, seat, options = next(play) if answer is None else play.send(answer)
                answer = self.answer(kind, seat, options, luck)
        except StopIteration:
            self.finish()
        self.seen["games"] += 1
        return self.seen

    def compare(self, kind: str) -> None:
        record = self.stepper.state.base.view(np.ndarray).view(GAME.state)[0]
        other = dict(fields_of_twin(self.twin))
        wrong = [f"{n}: {apart(v, other[n])}" for n, v in fields_of_game(record) if v != other[n]]
        if wrong:
            self.fail(f"at {kind}: " + "; ".join(wrong))

    def answer(self, kind: str, seat: int, options: list[int], luck: random.Random) -> int:
        """Puts the twin's question to the game."""
        stepper = self.stepper
        if stepper.over:
            self.fail(f"the game is over, the twin asks {kind} of {seat}: {options}")
        asked = str(stepper.decision.id).removeprefix("LW-")
        if kind not in ("D01", "D02", "D03") or self.twin.turn:
            self.compare(f"game {asked} of {SEATS[int(stepper.state.seat)]}, twin {kind} of {SEATS[seat]}")
        if (asked, int(stepper.state.seat)) != (kind, seat):
            self.fail(f"game asks {asked} of {stepper.seat} {sorted(stepper.legal())}, twin {kind} of {SEATS[seat]} "
                      f"{options}")  # fmt: skip
        legal = sorted(stepper.legal())
        if legal != options:
            self.fail(f"{kind} of {SEATS[seat]}: game allows {legal}, twin {options}")
        action = self.choose(kind, legal, luck)
        self.trace.append(f"{kind} {SEATS[seat]} {action}")
        self.seen[kind] += 1
        stepper.apply(action)
        return action

    def choose(self, kind: str, legal: list[int], luck: random.Random) -> int:
        """As the bot of the seat does, but that magic, guns, barricades and cards for demands are used more often."""
        action = self.stepper.policy_action()
        if kind in EAGER and luck.random() < 0.4:
            return luck.choice(legal[1:])
        return action

    def finish(self) -> None:
        stepper, twin = self.stepper, self.twin
        if not stepper.over:
            self.fail(f"the twin has ended ({twin.ending}), the game asks {stepper.decision.id}")
        ending = ENDINGS[int(stepper.state.ending) - 1]
        if ending != twin.ending:
            self.fail(f"the game ends by {ending}, the twin by {twin.ending}")
        self.compare("the end")
        row = stepper.row()
        points = [int(row[f"objective_{seat.lower()}"]) for seat in SEATS]
        winners = [seat for seat in range(6) if int(row["winners"]) >> seat & 1]
        mine, other = (row["score"], points, winners), (twin.scores(), twin.points(), twin.winners())
        if mine != other:
            self.fail(f"scores, points, winners: game {mine}, twin {other}")


def play(seed: int, games: int, printed: bool) -> Counter[str]:
    seen: Counter[str] = Counter()
    for index in range(games):
        luck = random.Random(1000 * seed + index)
        knobs = {} if printed else some_knobs(luck)
        seen += Abreast(knobs, seed, index, luck).play(luck)
    return seen


def test_game_and_twin_agree_under_the_printed_rules() -> None:
    seen = play(1, 1, printed=True)
    assert seen["games"] == 1
    assert sum(seen.values()) > 500


def test_game_and_twin_agree_under_any_ruling() -> None:
    assert play(2, 3, printed=False)["games"] == 3


@pytest.mark.long
def test_game_and_twin_agree_in_many_games() -> None:
    seen = play(3, 20, printed=True) + play(4, 40, printed=False)
    assert seen["games"] == 60
    kinds = {decision.id.removeprefix("LW-") for decision in GAME.decisions}
    assert kinds - set(seen) <= {"D30"}  # a hand above its limit is rare
