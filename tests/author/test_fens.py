"""Fens, rule by rule, and against a second implementation of its rules."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from simlab.engine.match import Match
from simlab.games.fens.game import Fens
from simlab.registry import load_game
from tests.author import fens_twin

ISLANDS = Fens.islands.labels
NUMBER = {name: number for number, name in enumerate(ISLANDS)}
EEL, FOX, DRAKE, IVY, ALDER, BITTERN = (NUMBER[n] for n in ("eel", "fox", "drake", "ivy", "alder", "bittern"))


def settled(players: int = 2, **knobs: Any) -> Fens:
    game = Fens(players, seed=1, knobs=knobs)
    for island in ("eel", "fox", "drake", "ivy")[:players]:
        game.take(island)
    return game


def emptied(players: int = 2, **knobs: Any) -> Fens:
    """A game after the settling, without herds on the map."""
    game = settled(players, **knobs)
    game.herds.counts.fill(0)
    game.herds.supply.fill(12)
    return game


def with_card(name: str, **knobs: Any) -> Fens:
    """A game in which the first player takes a card."""
    game = settled(**knobs)
    game.row[0] = game.weather.labels.index(name)
    game.take(0)
    return game


def test_f_1_players_settle_on_empty_islands_that_are_not_under_the_tide() -> None:
    game = Fens(4, seed=1)
    assert BITTERN not in game.legal()
    assert list(game.herds.supply) == [12] * 4
    game.take("eel")
    assert EEL not in game.legal()
    for island in ("fox", "drake", "ivy"):
        game.take(island)
    assert [game.herds[seat, island] for seat, island in enumerate((EEL, FOX, DRAKE, IVY))] == [2, 2, 4, 4]
    assert list(game.herds.supply) == [10, 10, 8, 8]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_f_2_1_one_card_more_than_players_is_laid_out(players: int) -> None:
    game = settled(players)
    assert len(game.legal()) == players + 1
    assert game.weather.left == 12 - players - 1


def test_f_2_2_the_leader_starts_and_ties_go_to_the_left() -> None:
    game = settled(3)
    assert game.next_starter() == 1
    game.points[2] = 4
    assert game.next_starter() == 2
    game.points[0] = 4
    assert game.next_starter() == 2
    game.starter = 2
    assert game.next_starter() == 0
    game.first_turn = "left"
    game.starter = 0
    assert game.next_starter() == 1


def test_f_3_a_card_is_carried_out_in_order() -> None:
    game = with_card("storm")
    assert game.decision.name == "wave"
    game.take("stay")
    assert (game.decision.name, game.left) == ("breed", 1)
    game.take("eel")
    assert (game.decision.name, game.left) == ("drive", 2)
    game.take("stop")
    assert (game.decision.name, game.seat) == ("pick", 1)


def test_f_4_the_tide_moves_to_a_neighbour_and_takes_a_herd_of_each_player() -> None:
    game = with_card("storm")
    game.herds.place(1, EEL)
    assert [ISLANDS[n] for n in game.legal() if n < 10] == ["alder", "curlew", "eel", "fox"]
    game.take("eel")
    assert (game.tide, game.herds[0, EEL], game.herds[1, EEL], game.drowned) == (EEL, 1, 0, 2)
    assert list(game.herds.supply) == [11, 10]


def test_f_5_herds_are_put_where_the_player_has_herds() -> None:
    game = with_card("calm")
    assert [option for option in game.legal() if option != "stop"] == [EEL]
    for _ in range(4):
        game.take("eel")
    assert (game.herds[0, EEL], game.seat) == (6, 1)


def test_f_5_a_player_without_herds_may_use_any_island_but_the_tide_s() -> None:
    game = with_card("calm")
    game.herds.remove(0, EEL)
    game.herds.remove(0, EEL)
    assert [option for option in game.legal() if option != "stop"] == [n for n in range(10) if n != BITTERN]


def test_f_5_the_supply_bounds_the_herds() -> None:
    game = settled()
    game.herds.supply[0] = 1
    game.row[0] = game.weather.labels.index("mild")
    game.take(0)
    game.take("eel")
    assert (game.decision.name, game.left) == ("drive", 2)


def test_f_6_and_f_7_herds_move_to_neighbours_with_room() -> None:
    game = with_card("wind")
    game.take("stop")
    assert {str(o.name) for o in game.legal()} == {
        "stop", "eel to alder", "eel to drake", "eel to fox", "eel to heron", "eel to ivy",
    }  # fmt: skip
    for _ in range(4):
        game.herds.place(1, FOX)
    assert "eel to fox" not in [o.name for o in game.legal()]
    game.take("eel to ivy")
    game.take("ivy to jay")
    assert game.herds[0, NUMBER["jay"]] == 1
    assert game.left == 3


COUNTED = [
    ((3, 1), {}, [6, 0]),
    ((2, 2), {}, [3, 3]),
    ((0, 0), {}, [0, 0]),
    ((2, 2), {"ties": "none"}, [0, 0]),
    ((3, 2, 1), {}, [6, 3, 0]),
    ((3, 1, 1), {}, [6, 1, 1]),
    ((3, 3, 1), {}, [3, 3, 0]),
    ((2, 2, 2), {}, [2, 2, 2]),
    ((3, 1, 1), {"ties": "none"}, [6, 0, 0]),
    ((3, 2, 1), {"second_scores": False}, [6, 0, 0]),
    ((3, 1, 1, 1), {}, [6, 1, 1, 1]),
    ((2, 2, 2, 2), {}, [1, 1, 1, 1]),
]


@pytest.mark.parametrize(("herds", "knobs", "points"), COUNTED)
def test_f_8_an_island_is_counted(herds: tuple[int, ...], knobs: dict[str, Any], points: list[int]) -> None:
    game = emptied(len(herds), **knobs)
    for seat, number in enumerate(herds):
        game.herds[seat, EEL] = number
    game.count()
    assert list(game.points) == points
    assert game.bare == (9 if not any(herds) else 8)
    game.tide = EEL
    game.count()
    assert list(game.points) == points


def test_f_8_herds_are_counted_after_rounds_3_6_and_9() -> None:
    game = Fens(2, seed=3)
    scored = set()
    while not game.over:
        before, turn = list(game.points), game.turn
        game.take(game.legal()[0])
        if list(game.points) != before:
            scored.add(turn)
    assert scored == {3, 6, 9}
    assert (game.turn, game.ending) == (9, "counted")


def test_f_9_the_tide_drifts_to_each_neighbour() -> None:
    game = emptied()
    seen = Counter()
    for _ in range(400):
        game.tide = BITTERN
        game.drift()
        seen[game.tide] += 1
    assert set(seen) == set(fens_numbers("alder", "curlew", "eel", "fox"))
    assert min(seen.values()) > 60


def fens_numbers(*names: str) -> list[int]:
    return [NUMBER[name] for name in names]


def test_f_10_points_then_herds_decide_and_a_tie_is_shared() -> None:
    game = emptied(3)
    game.points[0] = game.points[2] = 5
    assert game.winners() == (0, 2)
    game.herds.place(2, EEL)
    assert game.winners() == (2,)
    game.points[1] = 6
    assert game.winners() == (1,)


@pytest.mark.long
@pytest.mark.parametrize("players", [2, 3])
def test_random_play_wins_as_often_as_in_a_second_implementation(players: int) -> None:
    """Chi-square on who wins and on the points of the first seat; false alarm 1 in 10,000 for each; fixed seeds."""
    games = 2000
    rows = (
        Match(load_game("fens", players), bots=dict.fromkeys(["ann", "bob", "cat"][:players], "random"))
        .play(1, 0, games)
        .rows
    )
    twin = [fens_twin.play(players, seed) for seed in range(games)]
    own = Counter(int(row) for row in rows["winners"])
    other = Counter(one.winners() for one in twin)
    kinds = [1 << seat for seat in range(players)]
    table = [[count[k] for k in kinds] + [games - sum(count[k] for k in kinds)] for count in (own, other)]
    assert chi2_contingency(table).pvalue > 1e-4
    bins = [0, 5, 10, 15, 20, 25, 30, 40, 200]
    points = [np.histogram(p, bins)[0] for p in (rows["score"][:, 0], [one.points[0] for one in twin])]
    kept = [column for column in zip(*points, strict=True) if sum(column) > 0]
    assert chi2_contingency(np.array(kept).T).pvalue > 1e-4
