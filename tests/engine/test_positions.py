"""The positions of a game, as the play loop keeps them and as a game played step by step has them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simlab.engine import rollouts
from simlab.engine.match import Match
from simlab.engine.rollouts import Rollouts
from simlab.engine.stepper import Stepper
from simlab.errors import BotFault
from simlab.game import Game
from simlab.registry import load_game

HERE = Path(__file__).parent


def fields(position: Any) -> list[bytes]:
    plain = position.view(np.ndarray)
    return [plain[name].tobytes() for name in plain.dtype.names]


def both(plays: Rollouts, index: int) -> tuple[list[Any], list[Any]]:
    """The positions of a game by both ways, the last of them as it is at the end of the game."""
    game = plays.game(index)
    assert game["over"].tolist() == [False] * (len(game) - 1) + [True]
    stepper, stepped = Stepper(plays.match, plays.seed, index), []
    while not stepper.over:
        stepper.legal()
        stepped.append(fields(stepper.record))
        stepper.carry_out(stepper.policy_action())
    return [fields(game[place : place + 1]) for place in range(len(game))], [*stepped, fields(stepper.record)]


BOTS = {
    "pig": {"first": "racer", "second": "noisy(racer:0.2)"},
    "harbour": {"ann": "saver", "bob": "noisy(builder:0.3)"},
    "simple_siege": {"besieger": "lookahead:iterations=20", "besieged": "warden"},
}


@pytest.mark.parametrize("slug", BOTS)
def test_they_are_the_same(slug: str) -> None:
    plays = Rollouts(Match(load_game(slug), bots=BOTS[slug]), 3, 1)
    for index in (0, 999, 1_001, 1 << 41):  # the loop itself compares the record only in some of these
        kept, stepped = both(plays, index)
        assert kept == stepped and len(kept) > 3


def test_games_of_more_positions_than_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rollouts, "_ROOM", 2)
    match = Match(load_game("pig"), bots=BOTS["pig"])
    plays = Rollouts(match, 3, 1)
    kept, stepped = both(plays, 4)
    assert kept == stepped and len(plays._recorded) > len(kept) > 2


def truncated(game: Game) -> Game:
    return replace(game, max_decisions=7)


def test_a_truncated_game_has_positions_up_to_there() -> None:
    plays = Rollouts(Match(truncated(load_game("pig")), bots=BOTS["pig"]), 3, 1)
    for index in range(3):
        assert len(plays.positions(index)) == 7 and not plays.game(index)["over"][-1]


def test_a_bot_that_fails_is_named(tmp_path: Path) -> None:
    (tmp_path / "clumsy.py").write_text(
        """\
import simlab

@simlab.policy('pig')
def clumsy(state, knobs, cards, traits):
    'Rolls, then fails.'
    if state.turn == 3:
        raise ValueError('lost')
    return 0
"""
    )
    bots = {"first": f"{tmp_path / 'clumsy.py'}", "second": "racer"}
    plays = Rollouts(Match(load_game("pig"), bots=bots), 3, 1)
    with pytest.raises(BotFault, match=r"clumsy.*lost"):
        _ = [list(plays.positions(index)) for index in range(20)]
