"""Westphalia at several sizes of the table: one run compares them, and who is ahead is who would win now."""

from __future__ import annotations

import pytest

from simlab.bot_registry import bots_for
from simlab.games.westphalia import state as names
from simlab.registry import find_games, load_game
from simlab.runs.open_experiment import load_experiment, new_experiment, single_bots
from tests.games.westphalia.table import SEATS, scene


def test_tables_of_five_to_eight_go_into_one_run() -> None:
    experiment = new_experiment("westphalia", vary={"players": "5..8"}, fill_seats=True)
    assert experiment.sizes == (5, 6, 7, 8)


@pytest.mark.parametrize("name", ["westphalia_players", "westphalia_electors"])
def test_ready_experiments_play_five_seven_and_eight(name: str) -> None:
    assert {5, 7, 8} <= set(load_experiment(name).sizes)


def test_seats_without_a_bot_get_the_game_s_default_bot() -> None:
    game = load_game("westphalia")
    assert set(single_bots(game, ["red=reformer"]).values()) == {"reformer", "drifter"}
    experiment = new_experiment("westphalia", bots={"red": ["reformer"]}, fill_seats=True)
    assert experiment.bots["white"] == ("drifter",)


@pytest.mark.parametrize("slug", sorted(find_games()))
def test_every_seat_can_take_the_default_bot(slug: str) -> None:
    game = load_game(slug)
    assert all(game.default_bot in bots_for(game, seat) for seat in game.seats)


def test_who_is_ahead_is_who_would_win_if_the_game_ended_now() -> None:
    """All provinces, Electors and the Emperor are Catholic: the saved Catholics lead, not whoever is strongest."""
    table = scene(5, emperor="red")
    table.state.role[1] = names.WORKS
    table.di("Hesse", red=3)
    ahead = {seat: table.stepper.tracks()[f"ahead_{seat}"] for seat in SEATS[:5]}
    assert ahead["blue"] == 103 and ahead["red"] < 100 and max(ahead, key=ahead.__getitem__) == "blue"
    nobody = scene(5, emperor="red")
    assert all(nobody.stepper.tracks()[f"ahead_{seat}"] < 100 for seat in SEATS[:5])
