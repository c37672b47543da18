"""Random rules, seeds, tables and bots: everything stays accounted for (run by test_fuzz.py)."""

from __future__ import annotations

import os
import random
from typing import Any

from simlab.engine.match import Stepper
from simlab.registry import load_game
from tests.games.westphalia.table import check, match_of

EXAMPLES = int(os.environ.get("SIMLAB_FUZZ_EXAMPLES", "3"))
EVERY = int(os.environ.get("SIMLAB_FUZZ_EVERY", "16"))
BOTS = ("random", "drifter", "reformer", "counter_reformer", "politique", "kaiser", "condottiere", "exile")


def some_knobs(luck: random.Random, players: int) -> dict[str, Any]:
    """Up to eight knobs at random values that do not contradict each other."""
    game = load_game(f"westphalia:players={players}")
    knobs: dict[str, Any] = {}
    for name in luck.sample(sorted(game.knobs), 8):
        knob = game.knobs[name]
        if knob.kind == "int":
            value: Any = luck.randint(int(knob.low), int(knob.high))
        elif knob.kind == "choice":
            value = luck.choice(knob.options)
        else:
            value = luck.choice((True, False)) if knob.kind == "bool" else luck.choice((knob.low, knob.high))
        full = {key: each.default for key, each in game.knobs.items()} | knobs | {name: value}
        if not game.check_knobs(full):
            knobs[name] = value
    return knobs


def test_everything_is_accounted_for() -> None:
    for number in range(EXAMPLES):
        luck = random.Random(number)
        players = 5 + number % 4
        knobs = some_knobs(luck, players)
        bots = [luck.choice(BOTS) for _ in range(players)]
        stepper = Stepper(match_of(players, knobs, *bots), number, number)
        decisions = 0
        while not stepper.over:
            if decisions % EVERY == 0:
                check(stepper.state)
            stepper.apply(stepper.policy_action())
            decisions += 1
        row = stepper.row()
        assert row["turns"] <= int(knobs.get("n_rounds", 5)), (knobs, bots)
        assert row["winners_number"] >= 1
