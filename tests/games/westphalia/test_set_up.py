"""General rules, the map, principalities and the set-up (ledger 3.1, 3.2, 3.6 and 3.21)."""

from __future__ import annotations

import numpy as np
import pytest

from simlab.errors import InputError
from simlab.games.westphalia import state as names
from simlab.games.westphalia.state import SEATS
from simlab.registry import load_game
from tests.games.westphalia.table import (
    GAME,
    NAMES,
    PLACE_NAMES,
    TABLES,
    Table,
    check,
    hexes_in,
    match_of,
    plain_only,
    scene,
)

plain_only()

from simlab.engine.match import Stepper  # noqa: E402 - nothing is needed where the module is skipped


def fresh(players: int = 6, seed: int = 1, **knobs: object) -> Table:
    return Table(Stepper(match_of(players, knobs), seed=seed))


# --- General ---------------------------------------------------------------------------


def test_WP_GEN_01_five_to_eight_players() -> None:
    assert GAME.players == (5, 8)
    assert [load_game(f"westphalia:players={n}").seats for n in (5, 8)] == [SEATS[:5], SEATS]
    with pytest.raises(InputError):
        load_game("westphalia:players=4")


def test_WP_GEN_02_principalities_are_no_players() -> None:
    table = scene()
    assert table.power("red") < names.PLAYERS <= table.power("Trier")
    table.enter("S_FIRST_ELECTION", phase=6)
    assert int(table.state.emperor) < table.players


def test_WP_GEN_03_orthodox_is_the_owners_faith() -> None:
    table = scene().move("4/0", "red", "town")
    table.enter("S_CONVERT").act(*[0] * 6)
    assert table.get("gold", "red") == 4
    heretic = scene().move("4/0", "red", "town").turn_hex("4/0")
    heretic.enter("S_CONVERT").act(*[0] * 6)
    assert heretic.get("gold", "red") == 2


def test_WP_GEN_04_no_action_moves_anything_between_players() -> None:
    assert not [d.name for d in GAME.decisions if "trade" in d.name or "lend" in d.name]
    table = scene().set(gold={"red": 3}, di_stored={"red": 2}, di_out={"red": 2}).enter("S_DIPLOMACY")
    while table.seat == "red" and not table.over:
        table.act(table.legal()[-1] if table.decision != "D14" else table.legal()[0])
    assert not table.state.gold[1:6].any() and not table.state.di[:, 1:6].any()


def test_WP_GEN_05_seven_phases_in_order() -> None:
    assert names.PHASES[1:] == (
        "Religious Upheaval", "Combat Heresy", "Engage in Diplomacy", "Wage War", "Religious War", "Foreign Powers",
        "Imperial Election",
    )  # fmt: skip
    table = fresh(5, n_rounds=3, fp_last_round=0)
    seen: list[tuple[int, int]] = []
    while not table.over:
        at = (int(table.state.turn), int(table.state.phase))
        if not seen or seen[-1] != at:
            seen.append(at)
        table.act(table.legal()[0])
    assert seen == sorted(seen) and table.fired["WP-GEN-05"] == 3


def test_WP_GEN_06_initiative_order_where_no_other_is_named() -> None:
    table = scene().order("green", "white", "red", "blue", "black", "yellow")
    table.set(di_stored=(1, 1, 1, 1, 1, 1), di_out=(1, 1, 1, 1, 1, 1)).enter("S_DIPLOMACY")
    order = []
    while table.decision in ("D14", "D15"):
        if not order or order[-1] != table.seat:
            order.append(table.seat)
        table.act(table.legal()[0])
    assert order == ["green", "white", "red", "blue", "black", "yellow"] and table.fired["WP-GEN-06"] >= 6


def test_WP_GEN_07_secret_choices_are_collected_before_any_is_shown() -> None:
    table = scene(6, turn=1).enter("S_CONVERT").act(1, 1, 1)
    assert table.fired["WP-GEN-07"] == 4 and not table.state.faith.any()
    seen = table.stepper.describe(table.seat)
    assert seen == scene(6, turn=1).enter("S_CONVERT").act(0, 0, 0).stepper.describe("yellow")


def test_WP_GEN_08_WP_BND_03_cubes_limit_influence() -> None:
    table = scene(5).set(di_out={"red": 40}).di("Trier", red=39).set(di_out={"red": 39}).enter("S_GAME_OF_TWO")
    table.act(0, 0)
    assert table.get("di_stored", "red") == 1 and table.get("di_out", "red") == 40
    assert table.fired["WP-GEN-08"] == table.fired["WP-BND-03"] == 1
    assert table.get("di_stored", "blue") == 2


def test_WP_GEN_08_hexes_limit_conquest() -> None:
    def conquests(*extra: str) -> list[str]:
        """What blue may conquer of red, whose plain provinces are 6/1 and 7/0, with more of its own."""
        table = scene(5, player_plain_hexes=8).set(treaty=names.WITH_PLAYER, victor=1, enemy_players=1, enemy_prs=0)
        table.move("5/0", "red", "town").move("4/0", "red", "town")
        for place in extra:
            table.move(place, "blue")
        return table.enter("S_TREATY").act(names.CONQUER).options()

    assert set(conquests()) == {"6/1", "7/0", "5/0", "4/0"}
    assert set(conquests("3/1", "2/1", "3/0", "4/1", "3/2", "5/1")) == {"5/0", "4/0"}


def test_WP_GEN_09_losses_take_what_is_there() -> None:
    table = scene(5).di("Hesse", red=1, ally="red").di("Baden", red=3)
    table.state.ally_whole_war[:] = 1
    table.set(treaty=names.WITH_PLAYER, victor=0, took_far=1, took_town=1).enter("S_LOSSES")
    assert (table.di_of("Hesse", "red"), table.di_of("Baden", "red")) == (0, 1)
    assert table.fired["WP-GEN-09"] >= 1


def test_WP_GEN_10_WP_GEN_14_upheaval_sets_no_flames_and_gives_no_saints() -> None:
    table = scene(5, turn=0).enter("S_ROUND")
    assert not table.state.marker.any() and not table.state.saints.any()
    assert table.fired["WP-GEN-10"] == table.fired["WP-GEN-14"] == 1


def test_WP_GEN_11_WP_BND_01_hexes_of_eight_players() -> None:
    knobs = GAME.knobs
    assert 8 * (1 + int(knobs["player_town_hexes"].default) + int(knobs["player_plain_hexes"].default)) == 128


def test_WP_GEN_12_a_common_decision_is_a_vote() -> None:
    assert "assent" in {d.name for d in GAME.decisions}


def test_WP_GEN_13_a_full_die_is_a_saint() -> None:
    table = scene(6, turn=3, ora_gw=2, indulgence_gold=0).set(gw_die={"red": 4}).enter("S_EARN")
    assert (table.get("saints", "red"), table.get("gw_die", "red")) >= (1, 1)
    assert table.fired["WP-GEN-13"] >= 1


# --- Map and principalities ---------------------------------------------------------------


@pytest.mark.parametrize("players", [5, 6, 7, 8])
def test_WP_MAP_01_twelve_hexes_each(players: int) -> None:
    table = fresh(players)
    assert int(table.state.hexes) == 12 * players
    expected = {
        f"{q}/{r}" for q in range(12) for r in range(players + 1) if 3 <= q + r <= players + 8
    }  # fmt: skip
    assert {PLACE_NAMES[h] for h in range(96) if table.state.hex_owner[h] >= 0} == expected


def test_WP_MAP_02_five_on_the_larger_map() -> None:
    table = fresh(5, five_player_map="72")
    assert int(table.state.hexes) == 72 and table.on_map(NAMES[23])
    assert table.fired["WP-MAP-02"] == 1 and int(fresh(5).state.hexes) == 60


def test_WP_MAP_03_neighbours_share_a_side() -> None:
    cards = match_of(6).cards.view(np.recarray)[0]
    at = PLACE_NAMES.index("5/2")
    assert hexes_in(cards.beside[at]) == {"6/2", "6/1", "5/1", "4/2", "4/3", "5/3"}
    numbers = [sum(len(hexes_in(cards.beside[h]) & {PLACE_NAMES[n] for n in range(96) if
               int(cards.on_map[size, n // 48]) >> n % 48 & 1}) for h in range(96)
               if int(cards.on_map[size, h // 48]) >> h % 48 & 1) // 2 for size in range(4)]  # fmt: skip
    assert numbers == [151, 185, 219, 253]


@pytest.mark.parametrize("players", [5, 8])
def test_WP_MAP_04_every_hex_has_one_owner_and_one_faith(players: int) -> None:
    table = fresh(players)
    check(table.state)
    assert sum(int(n) for n in table.state.extent) == 12 * players


def test_WP_MAP_05_a_capital_is_no_town() -> None:
    table = scene().move("4/0", "red", "town")
    assert PLACE_NAMES[int(table.state.home[0])] not in table.towns and table.towns == {"4/0"}
    table.enter("S_CONVERT").act(*[0] * 6)
    assert table.get("gold", "red") == 2 + 2


def test_WP_PRI_01_all_provinces_of_a_principality_turn_together() -> None:
    table = scene(5, turn=0, upheaval_early=12).enter("S_ROUND")
    turned = [name for name in NAMES if table.on_map(name) and table.land(name) & table.protestant]
    assert len(turned) == 12 and all(table.land(name) <= table.protestant for name in turned)
    assert table.fired["WP-PRI-01"] == 12


def test_WP_PRI_02_thirty_five_principalities() -> None:
    assert GAME.knobs["roster_size"].default == 35
    assert len(TABLES["roster"]) >= 35


def test_WP_PRI_03_the_lowest_unused_one_comes_out_of_the_box() -> None:
    table = scene(5).move("4/0", "red", "town").set(gold={"red": 0})
    assert not table.on_map(NAMES[20])
    table.enter("S_DIPLOMACY").act(names.RELEASE)
    assert table.on_map(NAMES[20]) and table.di_on(NAMES[20]) == {"red": 2} and table.ally(NAMES[20]) == "red"
    assert not table.is_elector(NAMES[20]) and table.fired["WP-PRI-03"] == 1


def test_WP_PRI_03_an_empty_box_bars_what_needs_it() -> None:
    table = scene(5, roster_size=28).move("4/0", "red", "town")
    table.state.on_map = (1 << 28) - 1
    for pr in range(20, 28):
        table.state.extent[8 + pr] = 1
        table.state.home[8 + pr] = 0
    table.set(gold={"red": 1}).enter("S_DIPLOMACY")
    assert names.RELEASE not in table.legal()


def test_WP_PRI_04_WP_PCE_18_the_last_province_sends_it_back_to_the_box() -> None:
    table = scene(5).di("Cleves", blue=1, yellow=2, ally="blue").set(victor=0, treaty=names.WITH_PLAYER)
    table.set(enemy_players=2, enemy_prs=1 << NAMES.index("Cleves")).enter("S_TREATY").act(names.CONQUER).do("0/3")
    assert not table.on_map("Cleves") and not table.di_on("Cleves") and "0/3" in table.towns
    assert table.get("di_out", "blue") == table.get("di_out", "yellow") == 0
    assert table.fired["WP-PRI-04"] == table.fired["WP-PCE-18"] == 1


def test_WP_PRI_05_players_keep_a_provinces_faith_principalities_change_it() -> None:
    table = scene(5).turn_pr("Bavaria").set(victor=0, treaty=names.WITH_PLAYER, enemy_players=2)
    table.di("Bavaria", blue=3).set(enemy_prs=1 << NAMES.index("Bavaria")).enter("S_TREATY").act(names.CONQUER)
    taken = table.options()[0]
    table.do(taken)
    assert taken in table.land("red") & table.protestant
    table = scene(5).turn_pr("Saxony").di("Saxony", red=3, ally="red").set(victor=0, treaty=names.WITH_PLAYER)
    table.set(enemy_players=0, enemy_prs=1 << NAMES.index("Bavaria")).enter("S_TREATY").act(names.NOTHING)
    taken = next(place for place in table.options() if place != "none")
    table.do(taken)
    assert taken in table.land("Saxony") & table.protestant and table.fired["WP-PRI-05"] == 1


# --- Set-up -------------------------------------------------------------------------------


def test_WP_SET_01_WP_SET_02_what_everybody_begins_with() -> None:
    table = fresh(6)
    state = table.state
    assert not table.protestant and not state.gold.any() and not state.gw_die.any() and not state.saints.any()
    assert state.monastery[:6].tolist() == [1] * 6 and state.role[:6].tolist() == [0] * 6
    assert [table.ip(seat) for seat in SEATS[:6]] == [3] * 6
    assert table.fired["WP-SET-01"] == table.fired["WP-SET-02"] == 1


def test_WP_SET_03_the_setup_order_is_drawn() -> None:
    orders = {tuple(fresh(5, seed).state.setup_order[:5].tolist()) for seed in range(12)}
    assert len(orders) > 4 and all(sorted(order) == [0, 1, 2, 3, 4] for order in orders)
    assert fresh(5, setup_order="held", order_shift=2).state.setup_order[:5].tolist() == [2, 3, 4, 0, 1]


def test_WP_SET_04_WP_SET_05_WP_SET_06_the_map_is_laid_out_by_the_players() -> None:
    table = fresh(5, setup_mode="placed", setup_order="held")
    seats = []
    while table.decision in ("D01", "D02", "D03"):
        seats.append((table.seat, table.decision))
        table.act(table.legal()[0])
    assert [seat for seat, kind in seats if kind == "D01"] == list(SEATS[:5])
    placers = []
    while table.decision in ("D04", "D05"):
        if table.decision == "D04":
            placers.append(table.seat)
        table.act(table.legal()[0])
    assert placers[:5] == list(SEATS[:5]) and table.fired["WP-SET-06"] >= 7
    assert table.fired["WP-SET-04"] == 5 and table.fired["WP-SET-05"] >= 1


@pytest.mark.parametrize("players", [5, 8])
def test_WP_SET_07_WP_SET_08_WP_SET_10_trios_then_pairs_then_single_hexes(players: int) -> None:
    table = fresh(players, setup_mode="random_legal")
    on_map = [pr for pr in range(40) if table.on_map(pr)]  # type: ignore[arg-type]
    sizes = [table.size(NAMES[pr]) for pr in on_map if pr >= 7]
    assert on_map == list(range(len(on_map)))
    whole = [size for size in sizes if size <= 3]
    assert whole == sorted(whole, reverse=True) or len(whole) < len(sizes)
    assert {"WP-SET-07", "WP-SET-08", "WP-SET-10"} <= set(table.fired)
    check(table.state)


def test_WP_SET_09_hexes_left_over_join_a_neighbour() -> None:
    fired = 0
    for seed in range(4):
        table = fresh(8, seed, setup_mode="random_legal", roster_size=28)
        check(table.state)
        fired += table.fired["WP-SET-09"]
    assert fired > 0


def test_WP_SET_11_four_points_each_in_setup_order() -> None:
    table = fresh(5, setup_order="held", order_shift=1)
    seats = []
    while table.decision == "D07":
        seats.append(table.seat)
        table.act(6)
    assert seats == [seat for seat in ("blue", "green", "yellow", "black", "red") for _ in range(4)]
    assert table.ally("Bohemia") == "blue" and table.fired["WP-SET-11"] == 5


def test_WP_SET_12_the_first_emperor_stores_influence() -> None:
    table = fresh(5, upheaval_early=0)
    while table.decision in ("D07", "D08"):
        table.act(table.legal()[0])
    emperor = int(table.state.emperor)
    assert table.state.di_stored[:5].tolist() == [2 if seat == emperor else 0 for seat in range(5)]
    assert (int(table.state.turn), table.fired["WP-SET-12"]) == (1, 1)


def test_WP_SET_13_start_places_are_dealt_or_held() -> None:
    places = {tuple(fresh(6, seed).state.start_place[:6].tolist()) for seed in range(10)}
    assert len(places) > 5
    held = fresh(6, start_places="held", start_shift=2)
    assert held.state.start_place[:6].tolist() == [2, 3, 4, 5, 0, 1]
    assert held.land("red") == {"11/0", "10/1", "11/1"}


# --- Bounds -----------------------------------------------------------------------------


def test_WP_BND_02_gold_is_bounded() -> None:
    table = scene(gold_leftover="keep").set(gold={"red": 39}).enter("S_CONVERT").act(*[0] * 6)
    assert table.get("gold", "red") == 40


def test_WP_BND_04_saints_are_bounded() -> None:
    table = scene(6, turn=2).set(saints={"red": 49}).enter("S_ROUND_END")
    assert table.get("saints", "red") == 50


def test_WP_BND_05_WP_BND_06_cards_and_wars_are_bounded() -> None:
    table = scene(8).enter("S_DECLARE")
    for _ in range(8):
        table.act(names.ON_PLAYER)
        if table.decision == "D20":
            table.act(table.legal()[0])
    assert int(table.state.wars) == 8 and table.state.war_phase[:8].max() <= 3
    assert int(table.state.reserve.max()) + int(table.state.hand.sum(axis=1).max()) <= 12 * 8 + 10 + 30
