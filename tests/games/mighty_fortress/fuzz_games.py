"""Random games under random rules, every access to an array checked; test_fuzz.py runs it so:

NUMBA_BOUNDSCHECK=1 SIMLAB_FUZZ_EXAMPLES=300 python -m pytest tests/games/mighty_fortress/fuzz_games.py
"""

from __future__ import annotations

import os
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.games.mighty_fortress.state import CITY, EMPTY, IN_DECK
from tests.games.mighty_fortress.table import GAME

EXAMPLES = int(os.environ.get("SIMLAB_FUZZ_EXAMPLES", "150"))
BOTS = ("random", "random", "warden", "builder", "zealot", "apostle", "purger")
DEFAULTS = GAME.resolve_knobs()
COLOURS = ("white", "yellow", "red", "blue", "purple")
TRACKS = {
    "siege_strength": 5, "defense": 5, "entrenchment": 5, "bombardment": 4, "consumption": 5, "cohesion": 5,
    "unrest": 10, "pressure": 5, "piety": 10, "influence": 10, "vp": 99,
}  # fmt: skip

thorough = settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    derandomize=EXAMPLES <= 1000,  # short: the same games every time; long: others every time
    print_blob=True,
    suppress_health_check=list(HealthCheck),
)


def _values(name: str) -> st.SearchStrategy[Any]:
    knob = GAME.knobs[name]
    if knob.kind == "int":
        return st.integers(int(knob.low), int(knob.high))
    return st.sampled_from(knob.options or (True, False))


@st.composite
def some_knobs(draw: st.DrawFn) -> dict[str, Any]:
    """Any knobs anywhere in their ranges, the others at their default."""
    knobs = draw(st.fixed_dictionaries({}, optional={name: _values(name) for name in GAME.knobs}))
    whole = DEFAULTS | knobs
    breach, repel = int(whole["breach_max"]), int(whole["repel_max"])
    repel = max(repel, breach + 1)
    strong = max(int(whole["strong_repel_max"]), repel + 1)
    food = min(int(whole["food_start"]), int(whole["food_max"]))
    return knobs | {"repel_max": repel, "strong_repel_max": strong, "food_start": food}


def check(stepper: Stepper, knobs: dict[str, Any]) -> None:
    """What holds between any two decisions (ledger, section 6)."""
    s = stepper.state
    for name, most in TRACKS.items():
        assert 0 <= int(s[name]) <= most, name
    assert 1 <= int(s.requirement) <= 5
    for name in ("food", "materials", "luxuries"):
        assert 0 <= int(s[name]) <= int(knobs[f"{name}_max"])
    for colour, name in enumerate(COLOURS):
        on_table = int(s.avail_of[colour]) + int(s.exhausted[colour])
        assert int(s.bag[colour]) + on_table + int(s.lost[colour]) == int(knobs[f"dice_{name}"])
    in_play = int(s.avail_of[5]) + int(s.exhausted[5])
    assert int(s.black_pool) + in_play + int(s.black_dead) == int(knobs["dice_black"])
    assert int(s.bag.sum()) == int(s.bag_count)
    for place in range(36):
        assert int(s.avail[place]) >= int(s.held[place]) >= 0
        assert bool(int(s.avail_mask) >> place & 1) == (int(s.avail[place]) > 0)
    assert [int(s.avail[6 * c : 6 * c + 6].sum()) for c in range(6)] == [int(n) for n in s.avail_of]
    assert int(s.held.sum()) == int(s.held_count)
    check_cards(s, knobs)


def check_cards(s: Any, knobs: dict[str, Any]) -> None:
    """Every card in one place, and its place is where it lies."""
    deck = [int(c) for c in s.deck[: int(s.deck_left)]]
    queue = [int(c) for c in s.queue if int(c) != EMPTY]
    discard = [int(c) for c in s.discard[: int(s.discard_len)]]
    tableau = [c for c in range(CITY) if int(s.tableau) >> c & 1]
    on_track = [CITY + c for c in range(8) if int(s.support[c]) >= 0]
    lying = deck + queue + discard + tableau + on_track
    assert len(lying) == len(set(lying))
    for place, cards in enumerate((deck, queue, discard, None, tableau, on_track)):
        if cards is not None:
            assert sorted(cards) == [c for c in range(s.card_place.size) if int(s.card_place[c]) == place + IN_DECK]
    assert all(int(v) <= int(knobs["support_goal"]) for v in s.support)
    seated = sorted(int(e) for e in s.space if int(e) != EMPTY)
    assert seated == [e for e in range(12) if int(s.elder_state[e]) == 1]
    assert len(seated) <= int(knobs["council_free_spaces"])
    fate = [int(c) for c in s.fate[:24]]
    assert sorted(fate) == list(range(1, 25))


def test_places_are_checked() -> None:
    """Without this the rest would find only half of what it looks for."""
    with pytest.raises(IndexError):
        numba.njit(lambda values, place: values[place])(np.zeros(3), 3)


@thorough
@given(
    knobs=some_knobs(),
    bot=st.sampled_from(BOTS),
    seed=st.integers(0, 2**63 - 1),
    game=st.integers(0, 2**63 - 2),
)
def test_any_game_keeps_its_dice_its_cards_and_its_bounds(
    knobs: dict[str, Any], bot: str, seed: int, game: int
) -> None:
    match = Match(GAME, knobs=knobs, bots={"player": bot})
    whole = match.knobs_resolved
    stepper = Stepper(match, seed, game)
    while not stepper.over:
        check(stepper, whole)
        legal = stepper.legal()
        assert legal == sorted(set(legal))
        assert legal
        assert len(legal) > 1 or stepper.decision.id == "MF-D-01"
        stepper.apply(stepper.policy_action())
        assert stepper.decisions < GAME.max_decisions
    check(stepper, whole)
    row = stepper.row()
    assert int(row["turns"]) <= int(whole["turn_limit"])
    assert (row["winner"] == 0) == (row["ending"] >= 5) == (row["winners"] == 1)
    parts = [row[f"vp_{name}"] for name in ("earned", "converted", "elders", "luxuries", "defense", "mastery")]
    assert row["score"] == [sum(parts)]


@settings(thorough, max_examples=max(EXAMPLES // 10, 10))
@given(knobs=some_knobs(), bot=st.sampled_from(BOTS), seed=st.integers(0, 99))
def test_any_batch_counts_within_its_arrays(knobs: dict[str, Any], bot: str, seed: int) -> None:
    batch = Match(GAME, knobs=knobs, bots={"player": bot}).play(seed, 0, 50)
    assert int(batch.tally.outcomes.sum()) == 50
    assert int(batch.rows["turns"].max()) <= GAME.max_turns
