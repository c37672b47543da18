"""Random games under random rules, every access to an array checked; test_fuzz.py runs it so:

NUMBA_BOUNDSCHECK=1 SIMLAB_FUZZ_EXAMPLES=300 python -m pytest tests/games/simple_siege_class/fuzz_games.py
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
from tests.games.simple_siege_class.table import GAME, RULES

EXAMPLES = int(os.environ.get("SIMLAB_FUZZ_EXAMPLES", "300"))
BESIEGER_BOTS = ("random", "random", "stormer", "planner", "quartermaster", "engineer")
BESIEGED_BOTS = ("random", "random", "steward", "cook", "mason")
DEFAULTS = GAME.resolve_knobs()
ACTS = ("besieger action", "besieged action")
COLOURS = [*[0] * 6, *[1] * 6, 0, 1]  #: of the Fate cards of a pack: 0 red, 1 black
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


def numbers(cards: str, number: str, side: int, state: Any) -> list[int]:
    return [int(card) for card in state[f"decks_{cards}"][side, : int(state[f"decks_{number}"][side])]]


def most_turns(knobs: dict[str, Any]) -> int:
    """Deck size, the values of all cards that trigger Resupply, and 1."""
    top = int(knobs["max_rank"])
    values = [11 if knobs["ace_value"] == "11" else 1, *range(2, top + 1)]
    return 4 * top + sum(values) * (2 if knobs["resupply_suits"] == "H+D" else 1) + 1


def check(stepper: Stepper, knobs: dict[str, Any], fate: list[int], cards: list[int]) -> None:
    """What holds between any two decisions."""
    s = stepper.state
    turn_begins = not stepper.over and stepper.decision.name in ACTS
    for side in range(2):
        deck, pile = numbers("order", "left", side, s), numbers("pile", "piled", side, s)
        aside = numbers("laid", "aside", side, s)
        assert sorted(deck + pile + aside) == cards  # every card once, none lost, none the other side's
        assert len(aside) <= int(knobs["assault_max_cards"])
        assert not (turn_begins and aside)
        batches = [int(s.decks_batch[side, card]) for card in reversed(deck)]
        assert batches == sorted(batches)  # what came later lies below
        assert batches[-1:] <= [int(s.decks_batches[side])] <= [20 if knobs["resupply_suits"] == "H+D" else 10]
        assert 0 <= int(s.decks_known[side]) <= min(len(deck), 11 if knobs["ace_value"] == "11" else 10)
        assert len({*batches[: int(s.decks_known[side])]}) <= 1  # a Plan makes one batch of what it looks at
    assert int(knobs["walls_floor"]) <= int(s.walls) <= int(knobs["walls_max"])
    for counter in range(9):
        assert int(s.counters_built[counter]) in (0, 1)
        assert int(s.counters_price[counter]) >= 1
        assert not s.counters_built[counter] or int(s.counters_bonus[counter]) > 0
    face_down = [int(card) for card in s.fate_order[: int(s.fate_left)]]
    turned_up = [int(card) for card in s.turned_up_order[: int(s.turned_up_count)]]
    assert sorted(face_down + turned_up) == fate
    colours = [COLOURS[card % 14] for card in turned_up]
    assert [colours.count(0), colours.count(1)] == [int(s.red_seen), int(s.black_seen)]
    if not stepper.over:
        assert face_down
        assert max(int(s.red_seen), int(s.black_seen)) < int(knobs["fate_reset_count"])
    assert 1 <= int(s.turn) <= most_turns(knobs) <= GAME.max_turns
    assert int(s.fired[RULES.index("SS-TRN-01")]) == int(s.turn)


def check_end(stepper: Stepper, knobs: dict[str, Any]) -> None:
    s, row = stepper.state, stepper.row()
    ending = GAME.endings[int(s.ending)]
    winner = WINNER_BY_ENDING[ending]
    assert (int(s.won) - 1, row["winner"], row["winners"]) == (winner, winner, 1 << winner)
    assert (row["ending"], row["turns"]) == (int(s.ending), int(s.turn))
    if ending != "assault" and knobs["plan_short_deck"] == "partial":
        assert int(s.decks_left[1 - winner]) == 0
    assert row["ended_by_fate"] == 0 or ending != "assault"
    assert row["destroyed"] <= row["constructed"]
    assert row["walls_end"] == int(s.walls)
    assert [row["cards_besieger"], row["cards_besieged"]] == [int(n) for n in s.decks_left]
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
    fate = sorted(int(card) for card in stepper.state.fate_order[: int(stepper.state.fate_left)])
    cards = sorted(suit * 10 + value for suit in range(4) for value in range(int(whole["max_rank"])))
    while not stepper.over:
        check(stepper, whole, fate, cards)
        legal = stepper.legal()
        assert legal == sorted(set(legal))
        assert legal
        assert 0 <= legal[0] <= legal[-1] < 15
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
