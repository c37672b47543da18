"""Relics: each rule in plain Python, and random play against a twin written without the lab."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from simlab.author import NONE
from simlab.engine.match import Match
from simlab.errors import InputError
from simlab.games.relics.game import GRAIN, IRON, RELIC, WINE, Relics
from simlab.registry import load_game
from tests.author import relics_twin


def selling(way: str, players: int = 3) -> Relics:
    """A game whose first lot is sold in the given way, and whose first bailiff is the last seat."""
    sales = Relics().deck.sale
    return Relics(players, draws={"deck": [sales.index(way)], "chance": [players - 1]})


def assault(gifts: list[int], **fields: int) -> Relics:
    """The position after an assault on a town that nobody has paid for."""
    game = Relics(len(gifts), seed=1)
    game.silver.fill(20)
    for seat, kind in enumerate((GRAIN, WINE, RELIC)):
        game.goods[seat, kind] = 2
    strength, game.sold = fields.pop("strength"), game.lots_between - 1
    for name, value in fields.items():
        setattr(game, name, value)
    while game.decision.name != "give":
        game.take(0)  # nobody buys the lot on sale
    game.strength = strength
    while game.decision.name == "give" and not game.over:
        game.take(gifts[game.seat])
    return game


def test_d1_everyone_begins_with_15_silver_and_20_lots() -> None:
    game = Relics(5, seed=3)
    assert game.silver == [15] * 5
    assert game.lots_left == 19
    assert game.lot[0] != NONE
    assert len({Relics(5, seed=seed).bailiff for seed in range(40)}) == 5


def test_d2_1_each_bids_once_and_more_and_the_bailiff_bids_last() -> None:
    game = selling("round")
    kind = game.kind(game.lot[0])
    assert [game.seat, game.take(3), game.seat] == [0, None, 1]
    assert game.legal() == [0, *range(4, 16)]
    game.take(0)
    assert game.seat == game.bailiff == 2
    game.take(4)
    assert game.goods[2, kind] == 1
    assert game.silver == [15, 15, 11]


@pytest.mark.parametrize(("bids", "buyer"), [([2, 5, 5], 1), ([5, 5, 5], 0), ([0, 0, 1], 2), ([0, 0, 0], NONE)])
def test_d2_2_the_highest_sealed_bid_wins_and_of_ties_the_first_from_the_left(bids: list[int], buyer: int) -> None:
    game = selling("sealed")
    kind = game.kind(game.lot[0])
    for bid in bids:
        game.take(bid)
    assert [game.goods[seat, kind] for seat in game.seats] == [int(seat == buyer) for seat in game.seats]
    assert game.chest == max(bids)
    assert game.burnt == (buyer == NONE)


def test_d2_3_nobody_bids_more_than_their_silver_or_20() -> None:
    game = selling("sealed")
    game.silver[0], game.silver[1] = 3, 30
    assert game.legal() == [0, 1, 2, 3]
    with pytest.raises(InputError, match="4 is not legal"):
        game.take(4)
    game.take(0)
    assert max(game.legal()) == 20


def test_d2_4_an_open_lot_without_a_bid_is_burnt() -> None:
    game = selling("round")
    for _ in range(3):
        game.take(0)
    assert (game.burnt, game.chest, game.silver) == (1, 0, [15] * 3)


def test_d3_the_next_player_is_bailiff_and_every_fourth_lot_brings_an_assault() -> None:
    game = Relics(3, seed=1)
    bailiffs = []
    while game.decision.name != "give":
        bailiffs.append(game.bailiff)
        for _ in range(3):
            game.take(0)
    assert bailiffs == [(bailiffs[0] + n) % 3 for n in range(4)]
    assert 18 + 2 <= game.strength <= 18 + 12


def test_d4_3_a_wall_that_holds_brings_medals_to_all_who_gave_most() -> None:
    game = assault([7, 7, 2], strength=16)
    assert (game.medals, game.breaches) == ([1, 1, 0], 0)
    assert game.silver == [20 - 7 + 6, 20 - 7 + 6, 20 - 2 + 6]  # D-4.1, D-4.5


def test_d4_3_nobody_takes_a_medal_for_nothing() -> None:
    assert assault([0, 0, 0], strength=5, chest=5).medals == [0, 0, 0]


def test_d4_2_the_chest_counts_and_is_emptied() -> None:
    game = assault([1, 0, 0], strength=20, chest=19)
    assert (game.breaches, game.chest) == (0, 0)
    assert assault([1, 0, 0], strength=20, chest=18).breaches == 1


def test_d4_2_iron_counts() -> None:
    game = Relics(3, seed=1)
    game.goods[1, IRON], game.strength, game.chest = 3, 10, 4
    assert game.lacking() == 3


def test_d4_4_all_who_gave_least_lose_a_lot_of_their_largest_kind() -> None:
    game = assault([1, 1, 2], strength=31)
    assert game.breaches == 1
    assert [game.goods[0, GRAIN], game.goods[1, WINE], game.goods[2, RELIC]] == [1, 1, 2]


def test_d4_4_of_equal_kinds_the_relic_goes_first() -> None:
    game = Relics(3, seed=1)
    for kind in (RELIC, WINE):
        game.goods[0, kind] = 1
    game.plunder(0)
    assert [game.goods[0, RELIC], game.goods[0, WINE]] == [0, 1]


def test_d5_the_game_ends_with_the_deck_or_the_third_breach() -> None:
    game = assault([0, 0, 0], strength=31, breaches=2)
    assert (game.over, game.ending) == (True, "fall")
    game = assault([20, 20, 20], strength=31, lots_left=0)
    assert (game.over, game.ending) == (True, "deck")


@pytest.mark.parametrize(("ending", "points"), [("deck", 3 + 3 + 2 + 3 + 7 + 5), ("fall", 3 + 3 + 2)])
def test_d6_points(ending: str, points: int) -> None:
    game = Relics(3, seed=1)
    for kind, pieces in ((RELIC, 2), (GRAIN, 1), (WINE, 1), (IRON, 1)):
        game.goods[0, kind] = pieces
    game.medals[0], game.silver[0], game.ending = 1, 14, ending
    assert game.score(0) == points


def test_d6_3_who_has_no_wine_has_not_the_most() -> None:
    game = Relics(3, seed=1)
    game.ending, game.goods[2, WINE] = "deck", 0
    nobody = [game.score(seat) for seat in game.seats]
    game.goods[2, WINE] = 1
    assert [game.score(seat) - before for seat, before in zip(game.seats, nobody, strict=True)] == [0, 0, 7]


def test_d7_of_tied_players_the_richer_wins() -> None:
    game = Relics(3, seed=1)
    game.silver[:] = [13, 14, 9]
    assert game.winners() == (1,)
    game.silver[:] = [14, 14, 9]
    assert game.winners() == (0, 1)


@pytest.mark.long
@pytest.mark.parametrize("players", [3, 4, 5])
def test_random_play_has_the_chances_of_the_twin(players: int) -> None:
    """Four comparisons for each player count. Equal games fail in about 4 of 10,000 seeds; the seeds are fixed."""
    games = 3_000
    game = load_game("relics", players)
    rows = Match(game, bots=dict.fromkeys(game.seats, "random")).play(1, 0, games).rows
    twin = [relics_twin.play(players, seed) for seed in range(games)]
    pairs = [
        (rows["winners"], np.array([one.winners() for one in twin])),
        (rows["breaches"], np.array([one.breaches for one in twin])),
        (rows["burnt"], np.array([one.burnt for one in twin])),
        (rows["score"][:, 0], np.array([one.score(0) for one in twin])),
    ]
    for own, other in pairs:
        values = np.unique(np.concatenate([own, other]))
        table = np.array([[(column == value).sum() for value in values] for column in (own, other)])
        rare = table.sum(axis=0) < 20
        table = np.column_stack([table[:, ~rare], table[:, rare].sum(axis=1)])
        table = table[:, table.sum(axis=0) > 0]
        assert table.shape[1] == 1 or chi2_contingency(table).pvalue > 1e-4
