"""Random games under random rules, every access to an array checked; test_fuzz.py runs it so:

NUMBA_BOUNDSCHECK=1 SIMLAB_FUZZ_EXAMPLES=300 python -m pytest tests/games/simple_siege/fuzz_games.py
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
from tests.games.simple_siege.table import GAME, RULES

EXAMPLES = int(os.environ.get("SIMLAB_FUZZ_EXAMPLES", "300"))
BESIEGER_BOTS = ("random", "random", "stormer", "planner", "quartermaster", "engineer")
BESIEGED_BOTS = ("random", "random", "steward", "cook", "mason")
DEFAULTS = GAME.resolve_knobs()
ACTS = ("SS-D-01", "SS-D-05")
WINNER_BY_ENDING = {"assault": 0, "surrender": 0, "abandon": 1}

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
    fitting = min(max(int(whole["walls_start"]), int(whole["walls_floor"])), int(whole["walls_max"]))
    return knobs | {"walls_start": fitting}


def numbers(name: str, side: int, state: Any) -> list[int]:
    return [int(c) for c in state[name][side, : int(state[f"{name}_len"][side])]]


def most_turns(knobs: dict[str, Any]) -> int:
    """Deck size, the values of all cards that trigger Resupply, and 1 (ledger, section 6)."""
    top = int(knobs["max_rank"])
    values = [11 if knobs["ace_value"] == "11" else 1, *range(2, top + 1)]
    return 4 * top + sum(values) * (2 if knobs["resupply_suits"] == "H+D" else 1) + 1


def check(stepper: Stepper, knobs: dict[str, Any], fate: list[int], cards: list[int]) -> None:
    """What holds between any two decisions (ledger, section 6)."""
    s = stepper.state
    turn_begins = stepper.decision.id in ACTS and not stepper.over
    for side in range(2):
        deck, pile, aside = (numbers(name, side, s) for name in ("deck", "pile", "aside"))
        assert sorted(deck + pile + aside) == cards  # every card once, none lost, none the other side's
        assert len(aside) <= int(knobs["assault_max_cards"])
        assert not (turn_begins and aside)
        batches = [int(n) for n in s.batch_len[side, : int(s.batches[side])]]
        assert all(n > 0 for n in batches)
        assert sum(batches) == int(s.main_low[side])
        assert len(batches) <= (20 if knobs["resupply_suits"] == "H+D" else 10)
        known, settled = int(s.known_top[side]), int(s.ordered[side])
        assert 0 <= known <= settled <= len(deck) - int(s.main_low[side])
        assert known <= (11 if knobs["ace_value"] == "11" else 10)
    assert int(knobs["walls_floor"]) <= int(s.walls) <= int(knobs["walls_max"])
    for counter in range(9):
        assert int(s.built[counter]) in (0, 1)
        assert int(s.price[counter]) >= 1
        assert not s.built[counter] or int(s.modifier[counter]) > 0
    assert sorted(int(k) for k in s.fate[: int(s.fate_len)]) == fate
    turned_up = [int(k) for k in s.fate[int(s.fate_left) : int(s.fate_len)]]
    assert [sum(k in (0, 2) for k in turned_up), sum(k in (1, 3) for k in turned_up)] == [int(n) for n in s.fate_seen]
    if not stepper.over:
        assert int(s.fate_left) >= 1
        assert max(int(n) for n in s.fate_seen) < int(knobs["fate_reset_count"])
    assert 1 <= int(s.turn) <= most_turns(knobs) <= GAME.max_turns
    assert int(s.fired[RULES.index("SS-TRN-01")]) == int(s.turn)


def check_end(stepper: Stepper, knobs: dict[str, Any]) -> None:
    s, row = stepper.state, stepper.row()
    ending = GAME.endings[int(s.ending)]
    winner = WINNER_BY_ENDING[ending]
    assert (int(s.winner), row["winner"], row["winners"]) == (winner, winner, 1 << winner)
    assert (row["ending"], row["turns"]) == (int(s.ending), int(s.turn))
    if ending != "assault" and knobs["plan_short_deck"] == "partial":
        assert int(s.deck_len[1 - winner]) == 0
    assert row["ended_by_fate"] == 0 or ending != "assault"
    assert row["destroyed"] <= row["constructed"]
    assert row["walls_end"] == int(s.walls)
    assert [row["besieger_cards"], row["besieged_cards"]] == [int(n) for n in s.deck_len]
    assert row["decisions"] <= 22 * int(s.turn) + 22


def test_places_are_checked() -> None:
    """Without this the rest would find only half of what it looks for."""
    with pytest.raises(IndexError):
        numba.njit(lambda values, place: values[place])(np.zeros(3), 3)


@thorough
@given(
    knobs=some_knobs(),
    besieger=st.sampled_from(BESIEGER_BOTS),
    besieged=st.sampled_from(BESIEGED_BOTS),
    seed=st.integers(0, 2**63 - 1),
    game=st.integers(0, 2**63 - 2),
)
def test_any_game_keeps_its_cards_and_its_bounds(
    knobs: dict[str, Any], besieger: str, besieged: str, seed: int, game: int
) -> None:
    match = Match(GAME, knobs=knobs, bots={"besieger": besieger, "besieged": besieged})
    whole = match.knobs_resolved
    stepper = Stepper(match, seed, game)
    fate = sorted(int(k) for k in stepper.state.fate[: int(stepper.state.fate_len)])
    cards = sorted(suit * 10 + value for suit in range(4) for value in range(int(whole["max_rank"])))
    while not stepper.over:
        check(stepper, whole, fate, cards)
        legal = stepper.legal()
        assert legal == sorted(set(legal))
        assert legal
        assert 0 <= legal[0] <= legal[-1] < 16
        action = stepper.policy_action()
        assert action in legal
        stepper.apply(action)
        assert stepper.decisions < GAME.max_decisions
    check(stepper, whole, fate, cards)
    check_end(stepper, whole)


@settings(thorough, max_examples=max(EXAMPLES // 10, 10))
@given(
    knobs=some_knobs(),
    besieger=st.sampled_from(BESIEGER_BOTS),
    besieged=st.sampled_from(BESIEGED_BOTS),
    seed=st.integers(0, 99),
)
def test_any_batch_counts_within_its_arrays(knobs: dict[str, Any], besieger: str, besieged: str, seed: int) -> None:
    match = Match(GAME, knobs=knobs, bots={"besieger": besieger, "besieged": besieged})
    batch = match.play(seed, 0, 50)
    assert int(batch.tally.outcomes.sum()) == 50
    assert int(batch.rows["turns"].max()) <= most_turns(match.knobs_resolved)
    winners = [WINNER_BY_ENDING[GAME.endings[int(e)]] for e in batch.rows["ending"]]
    assert batch.rows["winner"].tolist() == winners
