"""A bot that writes to what it may only read is noticed in play, and named with game and field."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from simlab.engine.match import Match, whereabouts
from simlab.engine.stepper import Stepper
from simlab.errors import StateMutationError
from simlab.game import Game
from simlab.registry import load_game

BOTS = '''
from simlab.engine.streams import bot_below
from simlab.game import Trait, policy

@policy("simple_siege", seats=["besieger"])
def sapper(state, knobs, cards, traits):
    """Takes the walls down whenever it is asked."""
    state.walls = 0
    return state.legal[bot_below(state, state.n_legal)]

@policy("simple_siege", seats=["besieger"])
def seldom(state, knobs, cards, traits):
    """Adds a wall at one decision in a thousand."""
    if bot_below(state, 1000) == 0:
        state.walls += 1
    return state.legal[bot_below(state, state.n_legal)]

@policy("simple_siege", seats=["besieger"])
def borrower(state, knobs, cards, traits):
    """Writes, and puts it back before it answers."""
    walls = state.walls
    state.walls = 0
    action = state.legal[bot_below(state, state.n_legal)]
    state.walls = walls
    return action

@policy("simple_siege", seats=["besieger"])
def forger(state, knobs, cards, traits):
    """Writes an action of its own into the list of the legal ones."""
    state.legal[0] = 15
    return 15

@policy("simple_siege", seats=["besieger"], traits={"mood": Trait(0, 0, 9, "how often it was asked")})
def grudge(state, knobs, cards, traits):
    """Carries something from game to game in its traits, and changes a knob."""
    if traits[0] == 9:
        knobs.walls_start = 3
    else:
        traits[0] += 1
    return state.legal[bot_below(state, state.n_legal)]
'''


@pytest.fixture(scope="module")
def game() -> Game:
    return load_game("simple_siege")


@pytest.fixture(scope="module")
def file(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("tampering") / "tampering.py"
    path.write_text(BOTS)
    return path


def against_random(game: Game, besieger: object, **more) -> Match:
    return Match(game, bots={"besieger": str(besieger), "besieged": "random"}, **more)


def test_a_bot_that_takes_the_walls_down_is_named_with_game_and_field(game, file) -> None:
    with pytest.raises(
        StateMutationError, match=r"sapper' changed the state, .*: walls from \d+ to 0 \(game 7 of"
    ) as caught:
        against_random(game, f"{file}:sapper").play(3, 7, 100)
    fault = caught.value
    assert (fault.index, fault.seed, fault.seat, fault.bot) == (7, 3, "besieger", f"{file}:sapper")
    assert "simlab replay simple_siege --seed 3 --game 7" in str(fault)
    assert "None of its statistics is valid" in str(fault)
    again = pickle.loads(pickle.dumps(fault))
    assert isinstance(again, StateMutationError)
    assert again.index == 7


@pytest.mark.parametrize("first", [0, 5_000], ids=["first games", "later games"])
def test_one_write_in_a_thousand_decisions_is_noticed(game, file, first) -> None:
    with pytest.raises(StateMutationError, match=r"seldom' changed the state.*walls from (\d+) to \d+"):
        against_random(game, f"{file}:seldom").play(1, first, 10_000)


def test_what_is_put_back_before_the_answer_changes_no_game(game, file) -> None:
    borrowed = against_random(game, f"{file}:borrower").play(1, 0, 300).rows
    honest = against_random(game, "random").play(1, 0, 300).rows
    assert (borrowed == honest).all()


def test_a_forged_list_of_legal_actions_is_noticed(game, file) -> None:
    with pytest.raises(StateMutationError, match=r"forger' changed the state.*legal\[0\] from \d+ to 15"):
        against_random(game, f"{file}:forger").play(1, 0, 100)


def test_traits_and_knobs_are_for_reading_only_and_are_put_right_again(game, file) -> None:
    for bot, what in (("grudge", "its traits"), ("grudge:mood=9", "the knobs")):
        match = against_random(game, f"{file}:{bot}", knobs={"walls_start": 6})
        before = match.knobs.copy(), match.traits.copy()
        with pytest.raises(
            StateMutationError, match=rf"grudge.*' changed {what}, .*game 2000 of seed 1, turn \d, besieger"
        ):
            match.play(1, 2_000, 50)
        assert (match.knobs == before[0]).all()
        assert np.array_equal(match.traits, before[1])


def test_a_bot_may_use_up_draws_that_are_forced(game) -> None:
    match = against_random(game, "random")
    start = Stepper(match, 1, 0, forced={"bot_besieger": [0, 0]}).state
    assert len(match.play(1, 0, 5, start=start).rows) == 5


def test_progress_says_which_seat_is_at_which_decision(game) -> None:
    marks = np.zeros(4, np.int64)
    rows = against_random(game, "random").play(1, 0, 3, progress=marks).rows
    decisions, seat, asked = whereabouts(int(marks[2])) or (0, 0, True)
    assert marks[0] == 2
    assert decisions == rows["decisions"][-1] - 1
    assert seat in (0, 1)
    assert not asked
    assert whereabouts(0) is None
