"""The four games keep to the contract, with more than one number of players."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from simlab.engine.match import Match
from simlab.engine.setup import game_text
from simlab.errors import InputError
from simlab.registry import load_game
from simlab.testing import check_game

HERE = Path(__file__).parent
GAMES = ("harvest", "dyke", "keep", "last_lamp")


@pytest.mark.parametrize("name", GAMES)
def test_it_keeps_the_contract(name: str) -> None:
    assert check_game(load_game(str(HERE / name)), games=20)


@pytest.mark.long
@pytest.mark.parametrize("players", [3, 5])
def test_a_table_of_another_size_keeps_the_contract(players: int) -> None:
    game = load_game(f"{HERE}/harvest:players={players}")
    assert len(game.seats) == players and game_text(game).endswith(f"harvest:players={players}")
    assert check_game(game, games=10)


def test_equal_seats_win_equally_often_and_the_win_is_shared() -> None:
    game = load_game(str(HERE / "harvest"))
    rows = Match(game, bots=dict.fromkeys(game.seats, "random")).play(3, 0, 40_000).rows
    won = (rows["winners"][:, None] >> np.arange(4)) & 1
    rates, error = won.mean(axis=0), np.sqrt(0.25 * 0.75 / 40_000)
    assert abs(rates - rates.mean()).max() < 4.5 * error
    assert (won.sum(axis=1) > 1).mean() > 0.02
    ahead = Match(game, bots=dict.fromkeys(game.seats, "random"), knobs={"head_start": 6}).play(3, 0, 4_000).rows
    assert ((ahead["winners"] & 1) == 1).mean() > rates[0] + 0.1


def test_the_size_of_a_table_is_checked() -> None:
    with pytest.raises(InputError, match="harvest is played by 3 to 6, not by 7"):
        load_game(f"{HERE}/harvest:players=7")
    with pytest.raises(InputError, match="simple_siege has 2 seats"):
        load_game("simple_siege:players=3")
    assert load_game("simple_siege:players=2") is load_game("simple_siege")
    assert load_game(f"{HERE}/keep:players=4") is load_game(str(HERE / "keep"))


def test_results_of_a_game_named_by_an_absolute_path_can_be_verified(tmp_path: Path) -> None:
    from simlab.questions.verify.analysis import verify
    from simlab.runs.open_experiment import new_experiment
    from simlab.runs.runner import run

    folder = HERE / "keep"
    experiment = new_experiment(
        f"{folder}:players=3", bots={"*": "random"}, games=50, contract={"seat_gap": {"max": 1}}
    )
    results = run(experiment, tmp_path / "run", workers=1, backend="threads")
    assert results.names.game_text == "keep:players=3"
    assert verify(results, allowed=[folder]).exit_status == 0
