"""Exact play of small games: the value that is known, mixing, best answers, and what is too large."""

from __future__ import annotations

from pathlib import Path

import pytest

from simlab.engine.conduct import check_bots
from simlab.engine.learning import solving
from simlab.engine.learning.solving import Solver
from simlab.engine.match import Match
from simlab.errors import InputError
from simlab.registry import load_game


def match_of(game: str) -> Match:
    loaded = load_game(game)
    return Match(loaded, bots=dict.fromkeys(loaded.seats, "random"))


@pytest.fixture(scope="module")
def kuhn() -> Solver:
    return Solver(match_of("kuhn_poker"), 1)


def test_kuhn_poker_is_worth_a_loss_of_an_eighteenth_and_no_answer_gains_from_it(kuhn: Solver, tmp_path: Path) -> None:
    assert len(kuhn.sets) == 12
    first = kuhn.best_answer(0) + kuhn.best_answer(1)
    assert first > 0.2  # before the first iteration all chances are even
    kuhn.solve(400)
    assert kuhn.value(0) == pytest.approx(-1 / 18, abs=0.008)  # as often as the deals came up
    assert 0 <= kuhn.best_answer(0) + kuhn.best_answer(1) < 0.002

    file = tmp_path / "exact.npz"
    file.write_bytes(kuhn.tables({}).to_bytes())
    for bots in ({"first": str(file), "second": "equilibrium"}, {"first": "equilibrium", "second": str(file)}):
        match = Match(kuhn.game, bots=bots)
        check_bots(match, 1)
        assert match.play(3, 0, 60_000).rows["score"][:, 0].mean() == pytest.approx(-1 / 18, abs=0.02)
    against = Match(kuhn.game, bots={"first": "caller", "second": str(file)}).play(3, 0, 60_000).rows["score"][:, 0]
    assert against.mean() < -1 / 18 - 0.02


def test_the_solution_bluffs_with_the_jack_one_time_in_three(kuhn: Solver) -> None:
    kuhn.solve(400)
    thirds = [place for place in kuhn.sets if place.seat == 1 and 0.3 < place.average()[1] < 0.37]
    assert len(thirds) == 2  # a bet with the jack after a pass, a call with the queen after a bet


def test_what_cannot_be_solved_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solving, "MOST_NODES", 2_000)  # growing the usual number takes a while
    with pytest.raises(InputError, match=r"connect_four is too large .* more than 2,000 positions.* optimize player"):
        Solver(match_of("connect_four"), 1)
    with pytest.raises(InputError, match=r"mighty_fortress is not a game for two"):
        Solver(match_of("mighty_fortress"), 1)
