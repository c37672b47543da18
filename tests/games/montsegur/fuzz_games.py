"""Random rules, seeds and bots: cards, soldiers, perfects and tokens stay accounted for (run by test_fuzz.py)."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simlab.engine.stepper import Stepper
from simlab.games.montsegur.state import CC, DECK, HAND, MC, OUT, STACK, ZONE
from tests.games.montsegur.table import GAME, match_of

EXAMPLES = int(os.environ.get("SIMLAB_FUZZ_EXAMPLES", "30"))
VARIED = [name for name in GAME.knobs if name not in ("altered_card",)]


@st.composite
def some_knobs(draw: st.DrawFn) -> dict[str, Any]:
    knobs: dict[str, Any] = {}
    for name in draw(st.lists(st.sampled_from(VARIED), max_size=6, unique=True)):
        knob = GAME.knobs[name]
        if knob.kind == "int":
            knobs[name] = draw(st.integers(int(knob.low), int(knob.high)))
        else:
            knobs[name] = draw(st.sampled_from(knob.options or (True, False)))
    full = {name: knob.default for name, knob in GAME.knobs.items()} | knobs
    for name in list(knobs):
        if GAME.check_knobs(full):
            full[name] = GAME.knobs[name].default
            del knobs[name]
    return knobs


def holds(state: Any, knobs: dict[str, Any]) -> None:
    """Everything is somewhere, once; nothing overflows; control is never shared."""
    zones = state.place[:99].astype(int) & ZONE
    assert sorted(int(c) for c in state.deck[: int(state.deck_len)]) == np.flatnonzero(zones == DECK).tolist()
    for side in range(2):
        hand = [int(c) for c in state.hand[side, : int(state.hand_len[side])]]
        assert hand == np.flatnonzero(zones == HAND + side).tolist()
        held = sorted(int(c) for c in state.stack[side, : int(state.stack_len[side])])
        assert held == np.flatnonzero(zones == STACK + side).tolist()
    assert (zones <= 10).all()
    assert not ((state.soldiers[0] > 0) & (state.soldiers[1] > 0)).any()
    assert (state.soldiers >= 0).all()
    for place in range(11):
        if place not in (MC, CC):
            assert state.soldiers[:, place].max() <= state.capacity[place]
    assert min(int(n) for n in (*state.battlefield, *state.scouts, *state.markers)) >= 0
    assert int(state.bag) & 0b11000000 == 0b11000000
    perfects = sum(int(state[n]) for n in ("montsegur", "captured", "escaped", "burned", "repenting", "aspiring"))
    assert 0 <= perfects <= 127
    top = max(int(knobs.get("track_max", 9)), 9)
    for track in (state.faith, state.food, *state.morale):
        assert 0 <= int(track) <= top
    assert OUT == 9


MOVES = ("D_EDGE", "D_FORCE", "D_REDEP_PICK", "D_REDEP_SET")


def seen(state: Any) -> dict[str, int]:
    """What stays the same while soldiers only move, and the parts of the turn in which it must."""
    perfects = sum(int(state[name]) for name in ("montsegur", "captured", "escaped", "burned", "repenting"))
    soldiers = int(state.soldiers.sum()) + int(state.battlefield.sum())
    return {"turn": int(state.turn), "activity": int(state.activity), "perfects": perfects, "soldiers": soldiers}


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(
    knobs=some_knobs(), seed=st.integers(0, 2**62), game=st.integers(0, 2**62),
    cathar=st.sampled_from(["random", "random", "value"]), crusader=st.sampled_from(["random", "random", "value"]),
)  # fmt: skip
def test_everything_is_accounted_for_after_each_decision(
    knobs: dict[str, Any], seed: int, game: int, cathar: str, crusader: str
) -> None:
    stepper = Stepper(match_of(knobs, cathar, crusader), seed, game)
    turns = int(knobs.get("turns_max", 8))
    while not stepper.over:
        holds(stepper.state, knobs)
        before, kind = seen(stepper.state), stepper.decision.id
        stepper.apply(stepper.policy_action())
        after = seen(stepper.state)
        assert after["turn"] <= turns
        if before["turn"] == after["turn"] and before["activity"] and after["activity"]:
            assert after["perfects"] == before["perfects"], "perfects come and go in upkeep alone"
            if kind in MOVES and stepper.decision.id == "D_TRIGGER":
                fewer = knobs.get("surplus_conquerors") == "lost" and after["soldiers"] <= before["soldiers"]
                assert after["soldiers"] == before["soldiers"] or fewer
    holds(stepper.state, knobs)
    assert stepper.row()["turns"] <= turns
