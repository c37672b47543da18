"""Four games as classes, held against the same games written as kernels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from simlab.engine.match import Match
from simlab.registry import load_game

GAMES = Path(__file__).parent / "games"


def rows(name: str, games: int, players: int | None = None, bots: str = "random", **knobs: object) -> np.ndarray:
    game = load_game(name, players)
    return Match(game, knobs=knobs, bots=dict.fromkeys(game.seats, bots)).play(1, 0, games).rows


@pytest.mark.parametrize("knobs", [{}, {"goal": 40, "die_sides": 8, "bust_number": 3, "head_start": 7}])
def test_pig_is_game_for_game_that_of_the_kernels(knobs: dict[str, object]) -> None:
    kernels, own = rows("pig", 2_000, **knobs), rows(str(GAMES / "pig.py"), 2_000, **knobs)
    for column in ("winner", "ending", "turns", "decisions", "score", "busts"):
        assert np.array_equal(kernels[column], own[column]), column


@pytest.mark.parametrize("line", [4, 3])
def test_connect_four_is_game_for_game_that_of_the_kernels(line: int) -> None:
    kernels, own = rows("connect_four", 2_000, line=line), rows(str(GAMES / "connect_four.py"), 2_000, line=line)
    assert np.array_equal(np.maximum(kernels["winner"], -1), own["winner"])  # a full board: all win there, nobody here
    assert np.array_equal(kernels["turns"], own["turns"])


@pytest.mark.parametrize(
    ("name", "players", "column", "knobs"),
    [
        ("kuhn_poker", None, "score", {}),
        ("kuhn_poker", None, "score", {"ante": 2, "bet": 3}),
        ("tricks", 4, "bids_met", {}),
        ("tricks", 3, "bids_met", {"hook": False, "trumps": False, "shrinking": False, "deals": 3}),
    ],
)
def test_the_same_chances_as_with_kernels(
    name: str, players: int | None, column: str, knobs: dict[str, object]
) -> None:
    """Their cards are drawn in another way. Equal games fail this test once in 10,000 seeds."""
    kernels, own = rows(name, 20_000, players, **knobs), rows(str(GAMES / f"{name}.py"), 20_000, players, **knobs)
    values = [np.asarray(r[column]).reshape(len(r), -1)[:, 0] for r in (kernels, own)]
    known = np.unique(np.concatenate(values))
    table = np.array([[(v == value).sum() for value in known] for v in values])
    table = table[:, table.sum(axis=0) >= 20]
    assert chi2_contingency(table).pvalue > 1e-4
    assert np.array_equal(*(np.unique(r["turns"]) for r in (kernels, own)))


@pytest.mark.parametrize("name", ["pig", "kuhn_poker", "connect_four", "tricks"])
def test_a_class_passes_the_checks_of_a_game(name: str) -> None:
    from simlab.testing import check_game

    done = check_game(load_game(str(GAMES / f"{name}.py")), games=12)
    assert any("the same in plain Python" in line for line in done)
