"""Random knobs, seeds and bots: figures, cards and pieces stay accounted for (run by test_fuzz.py)."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.games.lowenheim.state import DECK_TYPES, FIGURES, IN_PLAY, ROSTER, SEATS, SKAVEN_SIDE
from simlab.registry import load_game

EXAMPLES = int(os.environ.get("SIMLAB_FUZZ_EXAMPLES", "6"))
GAME = load_game("lowenheim")
BOTS = ("random", "random", "marshal", "intriguer", "arcane")


def some_knobs(luck: random.Random) -> dict[str, Any]:
    knobs: dict[str, Any] = {}
    for name in luck.sample(sorted(GAME.knobs), luck.randrange(8)):
        knob = GAME.knobs[name]
        if knob.kind == "int":
            knobs[name] = luck.randint(int(knob.low), int(knob.high))
        elif knob.kind == "float":
            knobs[name] = luck.uniform(knob.low, knob.high)
        else:
            knobs[name] = luck.choice(knob.options or (True, False))
    full = {name: knob.default for name, knob in GAME.knobs.items()} | knobs
    return {} if GAME.check_knobs(full) else knobs


def holds(state: Any, cards: Any, knobs: Any) -> None:
    """Everybody is somewhere, once; sizes add up; no card is lost; pieces are in the pool or on a side."""
    hexes = state.hex.astype(int)
    ours = state.ctrl.astype(int) != SKAVEN_SIDE
    size = cards.bulk.astype(int)[state.kind]
    n = int(cards.n_hexes)
    for mine, sizes, heads in ((ours, state.ours, state.our_heads), (~ours, state.theirs, state.their_heads)):
        there = (hexes >= 0) & mine
        assert np.bincount(hexes[there], weights=size[there], minlength=n)[:n].tolist() == sizes[:n].tolist()
        assert np.bincount(hexes[there], minlength=n)[:n].tolist() == heads[:n].tolist()
    assert int(state.our_size) == int(state.ours.sum()) and int(state.their_size) == int(state.theirs.sum())
    listed = []
    for h in range(n):
        before, f = -1, int(state.head[h])
        while f >= 0:
            assert f > before and hexes[f] == h
            listed.append(f)
            before, f = f, int(state.next[f])
    assert sorted(listed) == np.flatnonzero(hexes >= 0).tolist() and len(hexes) == FIGURES
    assert ((hexes[:ROSTER] < 0) | (state.status[:ROSTER] == IN_PLAY)).all()
    assert (state.wounds[hexes >= 0] > 0).all() and (state.stun <= 2).all()
    assert (state.hand >= 0).all() and (state.hand.sum(axis=1) == state.held).all()
    assert int(state.deck.sum()) == int(state.deck_len) and (state.deck >= 0).all()
    total = state.deck + state.pile + state.hand.sum(axis=0)
    total[0] += int(state.reserve_pool)
    assert total.tolist() == [int(knobs[name]) for name in DECK_TYPES]
    sides = sum(bin(int(b)).count("1") for b in state.barricade)
    assert int(state.pieces) + int(state.returning) + sides // 2 == int(knobs.barricade_pool) and sides % 2 == 0
    assert int((state.controlled >= 0).sum()) <= 3 and (state.due >= 0).all()
    assert (state.known <= state.hand[None]).all()


def played(luck: random.Random) -> Iterator[tuple[Any, Match]]:
    knobs = some_knobs(luck)
    match = Match(GAME, knobs=knobs, bots={seat: luck.choice(BOTS) for seat in SEATS})
    stepper = Stepper(match, luck.randrange(1 << 62), luck.randrange(1 << 62))
    while not stepper.over:
        yield stepper.state, match
        stepper.apply(stepper.policy_action())
    yield stepper.state, match
    assert stepper.row()["turns"] <= int(match.knobs_resolved["turn_limit"])


def test_everything_is_accounted_for_after_each_decision() -> None:
    for example in range(EXAMPLES):
        luck = random.Random(example)
        for number, (state, match) in enumerate(played(luck)):
            if number % 7 == 0 or state.over:
                cards, knobs = match.cards.view(np.recarray)[0], match.knobs.view(np.recarray)[0]
                if state.decision != 0:
                    holds(state, cards, knobs)
