"""Harbour: its rules in plain Python, and random play against a twin written without the lab."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from simlab.author import NONE
from simlab.engine.match import Match
from simlab.games.harbour.game import BUILDER, FIELD, MARKET, QUAY, Harbour
from simlab.registry import load_game
from tests.author.harbour_twin import play


def names(game: Harbour) -> set[str]:
    return {option.name for option in game.legal()}


def test_h_1_five_buildings_lie_in_the_row_and_later_players_have_more_coins() -> None:
    game = Harbour(4)
    assert len({*game.row.slots} - {NONE}) == 5
    assert [coins - 1 for coins in game.coins] == [2, 4, 6, 8]  # each has a coin of H-2.1


def test_h_2_all_workers_come_home_and_the_next_player_starts() -> None:
    game = Harbour(2)
    game.take("quay", "field", "idle", "idle")
    assert (game.turn, game.seat, list(game.left), list(game.places.workers)) == (2, 1, [2, 2], [0] * 4)


def test_h_2_1_whoever_has_fewest_points_gets_a_coin() -> None:
    game = Harbour(3)
    game.points[0], before = 5, list(game.coins)
    for seat in game.seats:
        game.give_income(seat)
    assert [after - coins for after, coins in zip(game.coins, before, strict=True)] == [0, 1, 1]


@pytest.mark.parametrize(
    ("option", "coins", "grain"), [("quay", 3, 4), ("field", 0, 6), ("market", 8, 0), ("idle", 0, 4)]
)
def test_h_3_places_bring_coins_and_grain(option: str, coins: int, grain: int) -> None:
    game = Harbour(2)
    game.grain[0], before = 4, game.coins[0]
    game.take(option)
    assert (game.coins[0] - before, game.grain[0], game.left[0]) == (coins, grain, 1)


def test_h_3_1_a_place_holds_one_worker_and_the_builder_is_for_those_who_can_pay() -> None:
    game = Harbour(2)
    game.coins[0] = game.coins[1] = 0
    assert names(game) == {"quay", "field", "idle"}
    game.take(QUAY)
    game.grain[1], game.coins[1] = 1, 9
    assert names(game) == {"field", "market", "builder", "idle"}
    assert [int(option) for option in game.legal() if option != "idle"] == [FIELD, MARKET, BUILDER]


def test_h_4_a_building_is_paid_and_gives_its_points_and_goods() -> None:
    game = Harbour(2, coins={0: 9}, draws={"deck": ["chapel", "guild", "mill"]})
    game.take("builder", 2)
    assert (game.coins[0], game.points[0], game.grain[0], game.bought, game.row[2]) == (4, 3, 2, 1, NONE)
    assert (game.seat, game.decision.name) == (1, "send")


@pytest.mark.parametrize(("points", "turn", "ending"), [(20, 5, "goal"), (19, 50, "nothing left"), (19, 49, "")])
def test_h_5_the_game_ends_after_a_round(points: int, turn: int, ending: str) -> None:
    game = Harbour(2, points={1: points}, turn=turn)
    for _ in range(4):
        assert not game.over
        game.take("idle")
    assert (game.over, game.ending if game.over else "") == (bool(ending), ending)


@pytest.mark.sample(0)
@pytest.mark.parametrize(
    ("players", "knobs"),
    [(2, {}), (4, {}), (3, {"workers": 3, "goal": 30, "later_coins": 0, "grain_price": 4, "row_size": 3})],
)
def test_random_play_has_the_chances_of_the_twin(players: int, knobs: dict[str, int]) -> None:
    """Who wins, rounds, buildings, and the first seat's points. Equal games fail one of these once in 800 seeds."""
    called = {"later_coins": "later", "grain_price": "price", "row_size": "row"}
    game = load_game("harbour", players)
    rows = Match(game, knobs=knobs, bots=dict.fromkeys(game.seats, "random")).play(1, 0, 4_000).rows
    twin = [play(players, seed, **{called.get(name, name): n for name, n in knobs.items()}) for seed in range(3_000)]
    pairs = [
        (rows["winners"], [one.winners() for one in twin]),
        (rows["turns"], [one.round for one in twin]),
        (rows["bought"], [one.bought for one in twin]),
        (rows["idle"], [one.idle for one in twin]),
        (rows["score"][:, 0], [one.table[0].points for one in twin]),
    ]
    for own, other in pairs:
        values = np.unique(np.concatenate([own, other]))
        table = np.array([[(np.asarray(column) == value).sum() for value in values] for column in (own, other)])
        kept = table.sum(axis=0) >= 30
        assert chi2_contingency(np.column_stack([table[:, kept], table[:, ~kept].sum(axis=1) + 1])).pvalue > 1e-4
