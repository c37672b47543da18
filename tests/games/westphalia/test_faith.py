"""Roles, the round, upheaval, conversion, the Council and the Faith dice (ledger 3.5, 3.7 to 3.10)."""

from __future__ import annotations

import pytest

from simlab.games.westphalia import state as names
from tests.games.westphalia.table import NAMES, PLACE_NAMES, Table, plain_only, scene, seat_of

plain_only()

ALL = ("red", "blue", "green", "yellow", "black", "white")


def dice_on(table: Table, **dice: int) -> Table:
    """So many successes each, nobody has placed any."""
    table.set(dice=dict.fromkeys(ALL[: table.players], 0))
    return table.set(dice=dice, targets=(0, 0), reformation=1)


# --- Roles ------------------------------------------------------------------------------


def test_WP_ROL_02_sources_of_good_works() -> None:
    table = scene(6, turn=1).force("ottoman", 0).set(gold=(1,) * 6).enter("S_TOKENS").act(1, 1, 1, 1, 1, 0)
    assert table.state.gw_die[:6].tolist() == [3, 3, 3, 3, 3, 2] and table.fired["WP-ROL-02"] == 11


def test_WP_ROL_03_saints_count_five() -> None:
    for switch, first in (("yes", "red"), ("no", "blue")):
        table = scene(6, turn=3, saved_places=1, gw_rank_counts_saints=switch)
        table.set(saints={"red": 1}, gw_die={"red": 1, "blue": 4}).enter("S_CONVERT").act(1, *[0] * 5)
        table = scene(6, turn=3, saved_places=1, gw_rank_counts_saints=switch)
        table.set(saints={"red": 1}, gw_die={"red": 1, "blue": 4}).enter("S_CONVERT").act(0, 0, 0, 0, 0, 1)
        assert [seat for seat in ALL if table.role(seat) == "FW"] == [first]
        assert table.fired["WP-ROL-03"] == 1


def test_WP_ROL_04_WP_ROL_05_the_ranking_is_made_afresh() -> None:
    table = scene(6, turn=3).order("white", "black", "yellow", "green", "blue", "red")
    table.set(gw_die={"red": 2, "blue": 2, "green": 3}, role={"red": 3, "green": 3}).enter("S_CONVERT")
    table.act(0, 0, 0, 1, 0, 0)
    assert [table.role(seat) for seat in ("red", "blue", "green")] == ["sin", "FW", "FW"]
    assert table.fired["WP-ROL-04"] == table.fired["WP-ROL-05"] == 1


def test_WP_ROL_04_nobody_without_good_works_is_saved() -> None:
    table = scene(6, turn=3).enter("S_CONVERT").act(1, 0, 0, 0, 0, 0)
    assert {table.role(seat) for seat in ALL[1:]} == {"sin"}


def test_WP_ROL_06_WP_ROL_07_a_card_handed_back_waits_for_the_next() -> None:
    table = scene(6, turn=3).faith("red", "blue").order("red", "green", "blue", "yellow", "black", "white")
    table.enter("S_CONVERT").act(1, 0, 1, 0, 0, 0)
    assert table.role("green") == "FA" and table.role("red") in ("sin", "FW")
    assert int(table.state.fa_free) == 0 and table.fired["WP-ROL-07"] == table.fired["WP-ROL-06"] == 1


def test_WP_ROL_08_the_saved_may_declare() -> None:
    hesse = NAMES.index("Hesse")
    for role, may in ((names.HELL, False), (names.ALONE, True)):
        table = scene().faith("red")
        table.state.role[0] = role
        table.state.marker[hesse] = names.LYING
        table.enter("S_DECLARE")
        assert (names.RELIGIOUS in table.legal()) is may


def test_WP_ROL_09_foreign_powers_rank_on() -> None:
    table = scene(6, turn=3).set(fp_edge={"red": 2}, gw_die={"red": 3, "blue": 4}).enter("S_CONVERT").act(*[1] * 5)
    assert table.role("red") == "FW" and table.fired["WP-ROL-09"] >= 1


def test_WP_ROL_10_in_the_set_up_all_are_in_mortal_sin() -> None:
    table = scene(turn=0)
    assert {table.role(seat) for seat in ALL} == {"sin"} and not table.state.faith.any()


# --- The round and the upheaval --------------------------------------------------------------


def test_WP_RND_01_five_rounds() -> None:
    table = scene(5, turn=5, emperor="yellow").enter("S_ROUND_END", reformation=1)
    assert table.over or table.decision == "D43"
    assert not scene(5, turn=4).enter("S_ROUND_END", reformation=1).over


def test_WP_RND_03_foreign_powers_take_part_with_their_power() -> None:
    table = scene(5, turn=3, emperor="green").set(fp_edge={"red": 0}).enter("S_ROUND")
    assert table.state.initiative[:5].tolist() == [2, 3, 4, 1, 0]  # red has 3 and its home's 6


def test_WP_RND_04_a_new_order_may_save_another() -> None:
    table = scene(6, turn=2, emperor="white", upheaval_late=0).set(gw_die=(1, 1, 1), role={"red": 3, "blue": 3})
    table.di("Trier", red=1).enter("S_ROUND")
    assert [table.role(seat) for seat in ("red", "blue", "green")] == ["sin", "FW", "FW"]


def test_WP_UPH_01_cards_drawn_come_back_next_round() -> None:
    table = scene(5, turn=2).force("upheaval", 0, 0).enter("S_ROUND")
    assert [bool(n) for n in table.state.pr_faith[:3]] == [True, True, False]
    table.state.turn = 3
    table.force("upheaval", 0, 0).enter("S_ROUND")
    assert not table.state.pr_faith[:3].any() and table.fired["WP-UPH-01"] == 2


def test_WP_UPH_02_protestant_ones_are_set_aside() -> None:
    table = scene(5, turn=0).turn_pr("Trier", "Mainz").force("upheaval", 0, 0, 0, 0, 0, 0, 0).enter("S_ROUND")
    assert sum(int(n) for n in table.state.pr_faith) == 7
    few = scene(5, turn=0).turn_pr(*NAMES[3:20]).enter("S_ROUND")
    assert sum(int(n) for n in few.state.pr_faith) == 20


@pytest.mark.parametrize(("switch", "turned"), [("flip", [1, 0]), ("to_protestant", [1, 1])])
def test_WP_UPH_04_late_cards_turn_either_way(switch: str, turned: list[int]) -> None:
    table = scene(5, turn=2, late_upheaval=switch).turn_pr("Mainz").force("upheaval", 0, 0).enter("S_ROUND")
    assert table.state.pr_faith[:2].tolist() == turned
    eight = scene(8, turn=2).enter("S_ROUND")
    assert sum(int(n) for n in eight.state.pr_faith) == 3


def test_WP_UPH_05_late_cards_leave_players_alone() -> None:
    table = scene(5, turn=3).force("upheaval", 13, 0).enter("S_ROUND")  # Savoy, next to 2/5
    assert table.state.pr_faith[13] == 1
    assert not any(table.land(seat) & table.protestant for seat in ALL[:5]) and table.fired["WP-UPH-03"] == 0


# --- Conversion and income ---------------------------------------------------------------------


def test_WP_CNV_09_the_first_to_return_when_no_catholic_is_left() -> None:
    table = scene(5, turn=4).faith("red", "blue", "green", "yellow", "black").enter("S_CONVERT").act(1, 1, 0, 0, 0)
    assert (table.get("saints", "red"), table.get("saints", "blue")) == (4, 3)  # blue: 20 - 2 works
    assert table.get("gw_die", "blue") == 3 and table.fired["WP-CNV-09"] == 1


def test_WP_CNV_11_foreign_powers_may_not_convert() -> None:
    table = scene(5).set(fp_edge={"red": 1}).enter("S_CONVERT")
    assert table.seat == "blue" and table.fired["WP-CNV-11"] == 1


def test_WP_CNV_12_the_monastery_is_sold_once() -> None:
    table = scene(5, turn=2).faith("red").enter("S_CONVERT").act(1, 0, 0, 0, 0)
    assert table.get("faith", "red") == 0 and table.get("gold", "red") == 2 and table.fired["WP-CNV-12"] == 1
    table.state.gold[0] = 0
    table.enter("S_CONVERT").act(1, 0, 0, 0, 0)
    assert table.get("faith", "red") == 1 and table.get("gold", "red") == 2


def test_WP_INC_02_heretical_towns_pay_nothing() -> None:
    table = scene(5).move("4/0", "red", "town").turn_hex("4/0").di("Bohemia", red=4).enter("S_CONVERT").act(*[0] * 5)
    assert table.get("gold", "red") == 2 and table.fired["WP-INC-02"] == 1


# --- The Council -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tokens", "meets"),
    [((1, 1, 1, 0, 0, 0), True), ((1, 1, 0, 0, 0, 0), False), ((0, 1, 1, 1, 1, 1), False)],
)
def test_WP_TRE_03_WP_TRE_08_half_of_the_tokens_and_the_emperors(tokens: tuple[int, ...], meets: bool) -> None:
    table = scene(6, turn=1, emperor="red").force("ottoman", 5).enter("S_TOKENS").act(*tokens)
    assert bool(table.state.reformation) is meets
    assert table.fired["WP-TRE-03"] == table.fired["WP-TRE-04"] == table.fired["WP-TRE-08"] == int(meets)


def test_WP_TRE_07_no_tokens_after_the_reformation() -> None:
    table = scene(6, turn=2).set(reformation=1, gold={"red": 1}).enter("S_TOKENS")
    assert table.decision == "D11" and table.fired["WP-TRE-07"] == 0


# --- Faith dice -----------------------------------------------------------------------------


def test_WP_FTH_01_a_saint_of_the_monastery_gives_no_die_this_round() -> None:
    table = scene(6, turn=3, emperor="blue").faith("blue").set(reformation=1, gw_die={"red": 4})
    table.set(monastery=dict.fromkeys(ALL[2:], 0)).enter("S_EARN")
    assert table.get("saints", "red") == 1 and table.role("red") == "FW"
    rolled = int(table.state.count[names.N_DICE])
    assert rolled == 2 + (5 + 2 + 2)  # zeal alone; blue's five, zeal and sanction


def test_WP_FTH_03_half_of_the_faces_are_successes() -> None:
    table = scene(6, turn=3, emperor="blue", zeal_dice=0, sanction_dice=0, ora_gw=0).set(reformation=1)
    table.set(saints={"red": 4}).force("faith_red", 2, 3, 0, 5).enter("S_EARN")
    assert int(table.state.count[names.N_SUCCESSES]) == 2
    sure = scene(6, turn=3, emperor="blue", faith_success_faces=5, zeal_dice=0, sanction_dice=0, ora_gw=0)
    sure.set(reformation=1, saints={"red": 4}).force("faith_red", 4, 4, 4, 5).enter("S_EARN")
    assert int(sure.state.count[names.N_SUCCESSES]) == 3


def test_WP_FTH_05_one_player_after_the_other_places_all() -> None:
    table = dice_on(scene(5), red=2, blue=1).order("blue", "red").enter("S_DICE")
    order = []
    while table.decision == "D12":
        order.append(table.seat)
        table.act(table.legal()[0])
    assert order == ["blue", "red", "red"] and table.fired["WP-FTH-05"] == 3


def test_WP_FTH_05_dice_without_a_target_are_lost() -> None:
    table = dice_on(scene(5).set(fp_edge={"red": 0}), red=3)
    for place in sorted(table.land("red")):
        table.move(place, "Trier")
    for row in range(3, 12):
        table.turn_hex(f"{row}/0")
    table.set(reformation=0).enter("S_DICE")
    assert table.decision != "D12" and int(table.state.count[names.N_DICE_LOST]) == 3


def test_WP_FTH_08_homes_of_foreign_powers_are_no_targets() -> None:
    table = dice_on(scene(5).set(fp_edge={"red": 3}), red=1)
    for place in sorted(table.land("red")):
        table.move(place, "Trier")
    table.state.home[0] = -1
    table.enter("S_DICE")
    owners = {int(table.state.hex_owner[hex_]) for hex_ in table.legal()}
    assert 0 not in owners and table.fired["WP-FTH-08"] == 1
    capitals = {PLACE_NAMES[int(table.state.home[seat])] for seat in range(1, 5)}
    assert capitals & set(table.options())


def test_WP_FTH_09_church_abuses() -> None:
    for reformation, may in ((0, False), (1, True)):
        table = dice_on(scene(5).turn_pr("Austria", "Saxony").turn_hex("6/1"), red=1).set(reformation=reformation)
        table.enter("S_DICE")
        saxony = PLACE_NAMES[int(table.state.home[table.power("Saxony")])]
        assert (saxony in table.options()) is may
        assert ("6/1" in table.options()) is may
        assert bool(table.fired["WP-FTH-09"]) is not may


def test_WP_FTH_10_the_chain_stays_as_it_was() -> None:
    table = dice_on(scene(5).faith("yellow"), yellow=4).order("yellow", "red").enter("S_DICE")
    before = table.options()
    table.do(PLACE_NAMES[int(table.state.home[table.power("Savoy")])])
    assert table.options() == before and table.fired["WP-FTH-10"] == 1


def test_WP_FTH_14_no_flames_on_players() -> None:
    table = dice_on(scene(5).faith("yellow"), yellow=1, red=0).order("yellow", "red")
    at = PLACE_NAMES.index("3/5")
    table.state.hex_dice[at] = (1, 0)
    table.enter("S_DICE").do("3/5")
    assert not table.state.marker.any() and table.fired["WP-FTH-14"] == 1


def test_WP_FTH_13_the_other_reading_spends_the_dice() -> None:
    for switch, turned in (("no", True), ("yes", False)):
        table = scene(5, own_die_spent=switch).faith("red")
        table.state.hex_dice[PLACE_NAMES.index("6/1")] = (2, 1)
        dice_on(table).enter("S_DICE")
        assert ("6/1" in table.protestant) is turned


def test_WP_FTH_16_dice_go_flames_stay() -> None:
    table = scene(5)
    hesse = NAMES.index("Hesse")
    table.state.marker[hesse] = names.LYING
    table.state.pr_dice[hesse] = (0, 2)
    table.state.hex_dice[PLACE_NAMES.index("6/1")] = (1, 1)
    dice_on(table).enter("S_DICE")
    assert not table.state.pr_dice.any() and not table.state.hex_dice.any()
    assert table.state.marker[hesse] == names.LYING and table.fired["WP-FTH-16"] == 1


def test_seat_names_are_those_of_the_table() -> None:
    assert [seat_of(seat) for seat in ALL] == list(range(6))
