"""Components and table time: against games stepped through, and times worked out by hand."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from simlab import compiler
from simlab.engine import component_counts as counts
from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.errors import InputError
from simlab.present.estimate import Estimate
from simlab.questions.playing_time.analysis import Pace, PlayingTime, play, seconds, watch
from simlab.questions.playing_time.words import sentences
from simlab.registry import load_game
from tests.cli.forms import hold_to_form

SQUARES = str(Path(__file__).parent.parent / "search" / "tic_tac_toe")
STEADY = Pace((10, 10), (0, 0), (0, 0))


@pytest.fixture(scope="module")
def squares() -> Match:
    return Match(load_game(SQUARES), bots={"cross": "random", "nought": "random"})


def test_minutes_of_a_game_are_those_of_its_decisions(squares: Match) -> None:
    """Ten seconds a square; the ninth, if it comes to that, is no choice."""
    seen = watch(squares, 3, 200, STEADY)
    squares_taken = squares.play(3, 0, 200).rows["decisions"]
    choices = np.minimum(squares_taken, 8)
    assert seen.total[:, 0].tolist() == (10.0 * choices).tolist()
    assert seen.asked[:, 0, 0].tolist() == ((choices + 1) // 2).tolist()
    assert seen.asked[:, 0, 1].tolist() == [sum(range(9, 9 - n, -2)) for n in choices]
    assert (seen.times[:, :, counts.LONGEST] == 10).all()
    assert np.allclose(seen.times[:, :, counts.OWN].sum(axis=1), seen.total[:, 0])
    upkeep = watch(squares, 3, 5, Pace((0, 0), (2, 2), (7, 7)))
    assert upkeep.total[:, 1].tolist() == (7.0 * squares_taken[:5]).tolist()
    assert upkeep.total[:, 0].tolist() == (upkeep.total[:, 1] + 2.0 * seen.asked[:5, :, 1].sum(axis=1)).tolist()


def test_decisions_taken_at_the_same_time_last_as_long_as_the_slowest() -> None:
    settle = compiler.specialise(counts.settle, SEATS=3)
    group, wait, times = np.array([4.0, 10.0, 0.0]), np.array([1.0, 0.0, 5.0]), np.zeros((3, 3))
    assert settle(group, wait, times) == 10
    assert times[:, counts.OWN].tolist() == [4, 10, 0]
    assert times[:, counts.LONGEST].tolist() == [1, 0, 0], "who decides has waited till then"
    assert wait.tolist() == [6, 0, 15]
    assert group.tolist() == [0, 0, 0]


def test_the_parts_of_one_choice_count_once() -> None:
    """A Plan is put in order card by card: one choice, not five."""
    match = Match(load_game("simple_siege"), bots={"besieger": "planner", "besieged": "random"})
    seen = watch(match, 5, 6, STEADY)
    fewer = 0
    for index in range(6):
        stepper, choices, decisions = Stepper(match, 5, index), np.zeros(2, np.int64), np.zeros(2, np.int64)
        before, counted = None, False
        while not stepper.over:
            turn, seat, kind = int(stepper.state.turn), int(stepper.state.seat), stepper.decision
            if before is None or before[:2] != (turn, seat) or before[2] not in kind.continues:
                counted = False
            if len(stepper.legal()) > 1:
                decisions[seat] += 1
                choices[seat] += not counted
                counted = True
            before = (turn, seat, kind.id)
            stepper.apply(stepper.policy_action())
        assert seen.asked[index, :, 0].tolist() == choices.tolist()
        assert seen.times[index, :, counts.OWN].tolist() == (10.0 * choices).tolist()
        fewer += int((decisions - choices).sum())
    assert fewer > 20


def test_a_decision_continues_only_what_there_is() -> None:
    game = load_game(SQUARES)
    for wrong in (("no such",), "T-D-1"):
        with pytest.raises(InputError, match="Give a tuple of IDs of its decisions"):
            dataclasses.replace(game, decisions=(dataclasses.replace(game.decisions[0], continues=wrong),))


def test_peaks_are_those_of_games_stepped_through() -> None:
    game = load_game("simple_siege")
    match = Match(game, bots={"besieger": "rusher", "besieged": "mason"})
    seen = watch(match, 5, 4, STEADY)
    for index in range(4):
        stepper, most = Stepper(match, 5, index), np.zeros(3, np.int64)
        while True:
            state = stepper.state
            now = [int(state.built.sum()), int(state.walls), int(state.fate_len) - int(state.fate_left)]
            most = np.maximum(most, now)
            if stepper.over:
                break
            stepper.apply(stepper.policy_action())
        assert seen.peaks[index].tolist() == most.tolist()


def test_the_answer_states_what_the_box_lacks_and_depends_on_the_seed_only() -> None:
    match = Match(load_game("simple_siege"), bots={"besieger": "rusher", "besieged": "mason"})
    made = play(match, 1, 300)
    assert made == play(match, 1, 300) == PlayingTime.from_json(made.to_json(), "file")
    hold_to_form(made.to_json())
    walls = next(one for one in made.components if one.name == "wall_number")
    assert walls.most <= walls.printed == 10
    assert walls.short.value == 0 < walls.short.high
    assert 5 < made.minutes.value < 40
    assert made.seats[0].waiting.low < made.seats[0].waiting.high
    short = walls.model_copy(update={"printed": 4, "short": Estimate(0.2, 0.1, 0.3)})
    assert "the box holds 4, too few in 20 %" in next(sentences(made.model_copy(update={"components": [short]})))
    assert not any("the box" in text for text in sentences(made))


def test_seconds_are_a_number_or_a_range() -> None:
    assert seconds("8", "decision") == (8, 8)
    assert seconds("0.5..2", "option") == (0.5, 2)
    assert seconds(None, "turn") == (10, 30)
    for wrong in ("-1", "9..3", "1e9", "x", "2..", "1..2..3"):
        with pytest.raises(InputError, match="--seconds-per-turn"):
            seconds(wrong, "turn")
