"""The class, compiled, agrees with the separately written plain-Python rules (reference.py), decision by decision.

Random play over all knobs and switches; after every decision the legal actions and the whole state, hidden part and
all, are compared, so that the first difference names its rule's neighbourhood: seed, game, decision and field.
"""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

from simlab.author.build import build
from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from tests.games.simple_siege_class import reference
from tests.games.simple_siege_class.game import Siege

GAME = build(Siege, 2)
DEFAULTS = GAME.resolve_knobs()
KIND_OF = [reference.RED_COURT] * 6 + [reference.BLACK_COURT] * 6 + [reference.RED_JOKER, reference.BLACK_JOKER]


#: Kinds of decision of the class as those of the twin, by seat where a kind is two; and their options as its numbers.
KINDS = {
    "besieger action": (0, 0), "besieged action": (4, 4), "assault size": (1, 1), "defence": (5, 2), "destroy": (6, 6),
    "plan pick": (3, 3), "plan order": (7, 7),
}  # fmt: skip


def twins_number(decision: str, option: int) -> int:
    if decision == "besieger action":
        return option - 9 if option >= 9 else option + 6
    return option - 1 if decision == "assault size" else option


def class_view(stepper: Stepper) -> dict[str, Any]:
    s = stepper.state
    left = int(s.fate_left)
    seen: dict[str, Any] = {
        "walls": int(s.walls), "turn": int(s.turn), "over": bool(s.over),
        "winner": int(s.won) - 1 if s.over else None, "ending": GAME.endings[int(s.ending)] if s.over else None,
        "built": {i for i in range(9) if s.counters_built[i]},
        "fate_red": int(s.red_seen), "fate_black": int(s.black_seen),
        "fate": [KIND_OF[int(card) % 14] for card in s.fate_order[:left]],
        "turned_up": [KIND_OF[int(card) % 14] for card in s.turned_up_order[: int(s.turned_up_count)]],
    }  # fmt: skip
    for p in range(2):
        seen[f"deck{p}"] = [int(c) for c in s.decks_order[p, : int(s.decks_left[p])]]
        seen[f"pile{p}"] = [int(c) for c in s.decks_pile[p, : int(s.decks_piled[p])]]
        seen[f"aside{p}"] = [int(c) for c in s.decks_laid[p, : int(s.decks_aside[p])]]
        seen[f"known_top{p}"] = int(s.decks_known[p])
        batches = [int(s.decks_batch[p, card]) for card in reversed(seen[f"deck{p}"])]
        seen[f"batches{p}"] = [len(list(run)) for _, run in itertools.groupby(batches)]
    return seen


def reference_view(game: reference.Game) -> dict[str, Any]:
    seen: dict[str, Any] = {
        "walls": game.walls, "turn": game.turn, "over": game.over, "winner": game.winner, "ending": game.ending,
        "built": set(game.built), "fate_red": game.fate_red, "fate_black": game.fate_black, "fate": list(game.fate),
        "turned_up": list(game.turned_up),
    }  # fmt: skip
    for p in range(2):
        for name in ("deck", "pile", "aside"):
            seen[f"{name}{p}"] = list(getattr(game, name)[p])
        seen[f"known_top{p}"] = game.known_top[p]
        parts = [len(game.deck[p]) - sum(game.batches[p]), *game.batches[p]]
        seen[f"batches{p}"] = [size for size in parts if size]
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
        mine, other = class_view(stepper), reference_view(twin)
        assert mine == other, f"{where}: {[(k, mine[k], other[k]) for k in mine if mine[k] != other[k]]}"
        if stepper.over:
            return decisions
        decision = stepper.decision.name
        seat = int(stepper.state.seat)
        assert (seat, KINDS[decision][seat]) == (twin.seat, twin.decision), where
        options = {twins_number(decision, option): option for option in stepper.legal()}
        legal = sorted(options)
        assert legal == twin.legal(), where
        action = luck.choice(legal)
        if favourite is not None and decision.endswith("action") and luck.random() < 0.5:
            action = max(a for a in legal if a <= favourite) if favourite < 6 else legal[-1]
        stepper.apply(options[action])
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
