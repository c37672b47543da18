"""What a game may offer is held against its bounds, compiled and step by step."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.errors import BotFault, GameTruncated, InputError
from simlab.game import state_type
from simlab.questions.replay.film import Film
from simlab.questions.replay.narrative import game_lines
from simlab.registry import load_game
from tests.engine import high_card

WRONG = {  # deck_size -> what the game then does
    9: "action 3 is offered, but actions are numbered 0..2, since max_actions = 3. Raise it in state_type",
    5: "action -1 is offered, but actions are numbered 0..2",
    4: "legal_actions offers 4 actions, but there is room for max_actions = 3. Raise it",
    6: "a decision of kind 2 is pending, but kinds are numbered 0..1",
    7: "seat 2 is to act, but seats are numbered 0..1",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """High Card, which is played well with eight cards alone."""
    return high_card.write(
        tmp_path_factory.mktemp("offer"),
        (
            "rules.py",
            "    offer(state, 1)\n    offer(state, 2)",
            (
                "    offer(state, 1)\n"
                "    if state.seat == 1 and knobs.deck_size in (5, 9):\n        offer(state, knobs.deck_size - 6)\n"
                "    elif state.seat == 1 and knobs.deck_size == 4:\n"
                "        for again in range(2):\n            offer(state, 2)\n        state.n_legal = 4\n"
                "    else:\n        offer(state, 2)"
            ),
        ),
        ("rules.py", "        state.decision = 1\n", "        state.decision = 2 if knobs.deck_size == 6 else 1\n"),
        ("rules.py", "        state.seat = 1\n", "        state.seat = 2 if knobs.deck_size == 7 else 1\n"),
    )


def table(folder: Path, deck_size: int) -> Match:
    return Match(load_game(str(folder)), knobs={"deck_size": deck_size}, bots={"first": "random", "second": "random"})


@pytest.mark.parametrize("deck_size", WRONG)
def test_bulk_play_refuses_what_is_out_of_bounds(folder: Path, deck_size: int) -> None:
    with pytest.raises(BotFault) as fault:
        table(folder, deck_size).play(1, 3, 5)
    assert "high_card, game 3 of seed 1, turn 1: " in str(fault.value)
    assert WRONG[deck_size] in str(fault.value)
    assert "Replay it: simlab replay" in str(fault.value)
    assert fault.value.index == 3


@pytest.mark.parametrize("deck_size", WRONG)
def test_a_replay_shows_the_game_up_to_what_is_out_of_bounds(folder: Path, deck_size: int) -> None:
    lines = game_lines(Film(table(folder, deck_size), 1, 3), brief=True)
    shown = []
    with pytest.raises(BotFault) as fault:
        shown += [next(lines) for _ in range(100)]
    assert "high_card, game 3 of seed 1, decision 2: " in str(fault.value)
    assert WRONG[deck_size] in str(fault.value)


def test_a_game_within_its_bounds_is_played(folder: Path) -> None:
    assert table(folder, 8).play(1, 0, 20).tally.games == 20


def test_a_game_step_by_step_ends_at_its_cap_as_in_bulk(folder: Path) -> None:
    short = replace(load_game(str(folder)), max_decisions=1)
    stepper = Stepper(Match(short, knobs={"deck_size": 8}, bots={"first": "random", "second": "random"}), 1, 0)
    with pytest.raises(GameTruncated, match=r"game 0 of seed 1.*did not end within 1 decisions"):
        stepper.apply(1)


def test_more_seats_or_actions_than_the_lab_counts_are_refused(folder: Path) -> None:
    game = load_game(str(folder))
    with pytest.raises(InputError, match=r"game high_card: has 17 seats; a game has 1 to 16\."):
        replace(game, seats=tuple(f"seat_{i}" for i in range(17)))
    with pytest.raises(InputError, match=r"game high_card: has 20 seats"):
        replace(game, players=(2, 20))
    with pytest.raises(InputError, match=r"max_actions = 32,769 is over 32,768\. Split"):
        replace(game, state=state_type([], seats=2, streams=("deal",), max_actions=32_769, rules=2))
