"""The kernel agrees with the separately written plain-Python rules (reference.py), decision by decision.

Random play over all knobs and switches; after every decision the legal actions and the whole state, hidden part and
all, are compared, so that the first difference names its rule's neighbourhood: seed, game, decision and field.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.registry import load_game
from tests.games.simple_siege import reference

GAME = load_game("simple_siege")
DEFAULTS = GAME.resolve_knobs()


def kernel_view(stepper: Stepper) -> dict[str, Any]:
    s = stepper.state
    seen: dict[str, Any] = {
        "walls": int(s.walls), "turn": int(s.turn), "over": bool(s.over),
        "winner": None if int(s.winner) < 0 else int(s.winner),
        "ending": None if int(s.ending) < 0 else GAME.endings[int(s.ending)],
        "built": {i for i in range(9) if s.built[i]},
        "fate_left": int(s.fate_left), "fate_red": int(s.fate_seen[0]), "fate_black": int(s.fate_seen[1]),
        "fate": [int(k) for k in s.fate[: int(s.fate_len)]],
    }  # fmt: skip
    for p in range(2):
        seen[f"deck{p}"] = [int(c) for c in s.deck[p, : int(s.deck_len[p])]]
        seen[f"pile{p}"] = [int(c) for c in s.pile[p, : int(s.pile_len[p])]]
        seen[f"aside{p}"] = [int(c) for c in s.aside[p, : int(s.aside_len[p])]]
        seen[f"ordered{p}"] = int(s.ordered[p])
        seen[f"known_top{p}"] = int(s.known_top[p])
        seen[f"batches{p}"] = [int(n) for n in s.batch_len[p, : int(s.batches[p])]]
    return seen


def reference_view(game: reference.Game) -> dict[str, Any]:
    seen: dict[str, Any] = {
        "walls": game.walls, "turn": game.turn, "over": game.over, "winner": game.winner, "ending": game.ending,
        "built": set(game.built), "fate_left": game.fate_left, "fate_red": game.fate_red,
        "fate_black": game.fate_black, "fate": list(game.fate),
    }  # fmt: skip
    for p in range(2):
        for name in ("deck", "pile", "aside"):
            seen[f"{name}{p}"] = list(getattr(game, name)[p])
        seen[f"ordered{p}"], seen[f"known_top{p}"] = game.ordered[p], game.known_top[p]
        seen[f"batches{p}"] = list(game.batches[p])
    return seen


def some_knobs(luck: random.Random) -> dict[str, Any]:
    """About half of the knobs anywhere in their range."""
    while True:
        knobs: dict[str, Any] = {}
        for name, knob in GAME.knobs.items():
            if luck.random() < 0.5:
                continue
            if knob.kind == "int":
                knobs[name] = luck.randint(int(knob.low), int(knob.high))
            else:
                knobs[name] = luck.choice(knob.options or (True, False))
        merged = {**DEFAULTS, **knobs}
        if int(merged["walls_floor"]) <= int(merged["walls_start"]) <= int(merged["walls_max"]):
            return knobs


def play_both(knobs: dict[str, Any], seed: int, index: int, luck: random.Random) -> int:
    match = Match(GAME, knobs=knobs, bots={"besieger": "random", "besieged": "random"})
    stepper = Stepper(match, seed, index)
    twin = reference.Game({**DEFAULTS, **knobs}, seed, index)
    decisions = 0
    # Random players rarely build much or recycle; a bias towards one group of actions reaches the deeper rules.
    favourite = luck.choice([None, None, 5, 4, 2, 3, 6])
    while True:
        where = f"knobs {knobs}, seed {seed}, game {index}, decision {decisions}"
        mine, other = kernel_view(stepper), reference_view(twin)
        assert mine == other, f"{where}: {[(k, mine[k], other[k]) for k in mine if mine[k] != other[k]]}"
        if stepper.over:
            return decisions
        assert (int(stepper.state.seat), int(stepper.state.decision)) == (twin.seat, twin.decision), where
        legal = stepper.legal()
        assert legal == twin.legal(), where
        action = luck.choice(legal)
        if favourite is not None and int(stepper.state.decision) in (0, 4) and luck.random() < 0.5:
            action = max(a for a in legal if a <= favourite) if favourite < 6 else legal[-1]
        stepper.apply(action)
        twin.apply(action)
        decisions += 1


@pytest.mark.parametrize("block", range(4))
def test_default_rules_agree_decision_by_decision(block: int) -> None:
    luck = random.Random(block)
    assert sum(play_both({}, block, i, luck) for i in range(100)) > 2000


@pytest.mark.parametrize("block", range(8))
def test_all_knobs_and_switches_agree_decision_by_decision(block: int) -> None:
    luck = random.Random(1000 + block)
    assert sum(play_both(some_knobs(luck), luck.getrandbits(63), i, luck) for i in range(75)) > 1000


@pytest.mark.long
def test_ten_thousand_games_agree_decision_by_decision() -> None:
    luck = random.Random(77)
    for _ in range(10_000):
        play_both(some_knobs(luck), luck.getrandbits(63), luck.getrandbits(62), luck)
