"""Where Python lets a question stand, a game that is cut into blocks plays as the methods run."""

from typing import Any

import pytest

from simlab.author.build import build
from simlab.author.same import compare
from simlab.engine.match import Match
from tests.author.flow.corners import Corners
from tests.author.flow.lowered import run_lowered


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("seed", range(40))
def test_cut_into_blocks_a_game_plays_as_its_methods_run(players: int, seed: int) -> None:
    plain, cut = Corners(players, seed=seed), run_lowered(Corners)(players, seed=seed)
    while not plain.over:
        assert [int(option) for option in cut.legal()] == [int(option) for option in plain.legal()]
        assert (cut.seat, cut.decision.name) == (plain.seat, plain.decision.name)
        legal: Any = plain.legal()
        chosen = legal[(seed * 7 + plain.written * 5 + len(legal)) % len(legal)]
        plain.take(int(chosen))
        cut.take(int(chosen))
        assert list(cut.notes) == list(plain.notes)
    assert cut.over
    assert cut.ending == plain.ending


def match(players: int) -> Match:
    game = build(Corners, players)
    return Match(game, bots=dict.fromkeys(game.seats, "random"))


@pytest.mark.parametrize("players", [2, 3])
def test_compiled_a_game_plays_as_its_methods_run(players: int) -> None:
    assert compare(match(players), seed=5, games=30) > 1_000
