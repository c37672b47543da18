"""Foreign Powers, elections and the end (ledger 3.18 to 3.20)."""

from __future__ import annotations

import pytest

from simlab.games.westphalia import state as names
from tests.games.westphalia.table import NAMES, PLACE_NAMES, SEATS, Table, plain_only, row_of, scene, seat_of

plain_only()


def exiled(table: Table, seat: str, edge: int = 0) -> Table:
    """A Foreign Power without provinces."""
    for place in sorted(table.land(seat)):
        table.move(place, "Trier")
    table.state.home[seat_of(seat)] = -1
    return table.set(fp_edge={seat: edge})


# --- Foreign Powers -------------------------------------------------------------------


def test_WP_FP_01_in_rounds_1_to_4() -> None:
    table = scene(5, turn=4).order("green", "red", "blue", "yellow", "black").enter("S_FOREIGN")
    asked = []
    while table.decision == "D39":
        asked.append(table.seat)
        table.act(6)
    assert asked == ["green", "red", "blue", "yellow", "black"] and table.fired["WP-FP-01"] == 5
    assert scene(5, turn=5).enter("S_FOREIGN").decision != "D39"
    assert exiled(scene(5), "red").enter("S_FOREIGN").seat == "blue"


def test_WP_FP_02_the_box_must_hold_enough() -> None:
    table = scene(5, roster_size=28).move("4/0", "red", "town")
    for pr in range(20, 27):  # one is left
        table.state.on_map = int(table.state.on_map) | 1 << pr
    table.enter("S_FOREIGN")
    assert table.seat == "blue" and table.fired["WP-FP-02"] == 1


def test_WP_FP_03_WP_FP_04_a_home_next_to_its_edge() -> None:
    table = exiled(scene(5), "red", 3).set(dice={"red": 1}, reformation=1).enter("S_DICE")
    south = {PLACE_NAMES[h] for h in table.legal()}
    capital = PLACE_NAMES[int(table.state.home[table.power("Muenster")])]
    assert capital == "6/4" and "8/5" in south  # Liege lies on the edge; Muenster one beyond a chain
    far = exiled(scene(5), "red", 3).faith("blue").set(dice={"red": 1}, reformation=1, faith={"red": 1}).enter("S_DICE")
    assert "6/4" not in far.options() and "8/5" in far.options() and far.fired["WP-FTH-06"] == 1
    table = exiled(scene(5), "red", 3).set(treaty=names.WITH_PLAYER)
    table.state.wars = 1
    table.state.war_attacker[0], table.state.war_defender[0], table.state.war_phase[0] = 0, 1, 1
    table.state.war_result[0] = names.OFF
    table.enter("S_BATTLE_PHASE", battle_phase=0)
    assert table.fired["WP-FP-04"] >= 1 and table.state.adjacent[0].any()


def test_WP_FP_05_WP_FP_16_home_power_and_stored_influence() -> None:
    table = exiled(scene(5, turn=3), "red").set(di_stored={"red": 2}, di_out={"red": 2})
    assert table.ip("red") == 4
    table.enter("S_DIPLOMACY")
    assert (table.seat, names.PLACE_DI in table.legal()) == ("red", True)


def rich(faith_of_rest: int = 0) -> Table:
    """Red holds seven plain provinces; the four of Bohemia's are its own now."""
    table = scene(5, turn=2)
    for place in ("5/0", "4/0", "5/1", "4/1"):
        table.move(place, "red")
    if faith_of_rest:
        table.turn_pr(*[name for name in NAMES[:20] if table.on_map(name)])
    return table


def test_WP_FP_07_provinces_go_to_neighbours_of_their_faith() -> None:
    table = rich().enter("S_FOREIGN").act(0)
    assert table.size("red") == 7
    given = 0
    while table.decision in ("D40", "D40b"):
        given += table.decision == "D40"
        table.act(table.legal()[0])
    assert given >= 2 and table.size("red") == 0 and table.fired["WP-FP-07"] == 3
    new = next(name for name in NAMES if table.on_map(name) and table.ally(name) == "red")
    assert table.size(new) == 4 and table.fired["WP-FP-10"] == table.fired["WP-FP-11"] == 1


def test_WP_FP_08_without_neighbours_to_anybody() -> None:
    table = rich(1).enter("S_FOREIGN").act(0)
    while table.decision in ("D40", "D40b"):
        table.act(table.legal()[0])
    assert table.fired["WP-FP-08"] == 3 and table.size("red") == 0
    full = rich()
    for pr in range(20):
        full.state.extent[8 + pr] = 4
    full.enter("S_FOREIGN")
    assert full.seat == "blue"  # no room for what is too much


def test_WP_FP_12_a_foreign_power_may_become_emperor() -> None:
    table = exiled(scene(5), "red").di("Bohemia", red=4).enter("S_FIRST_ELECTION", phase=6).do("red")
    while table.decision == "D08":
        table.do("red")
    assert int(table.state.emperor) == 0 and table.fired["WP-FP-12"] == 1
    table = exiled(scene(5), "red").set(treaty=names.WITH_PLAYER, victor=1, enemy_players=1, enemy_prs=0)
    table.enter("S_TREATY")
    assert names.VASSALIZE not in (table.legal() if table.decision == "D31" else [])


def test_WP_FP_13_conquests_of_a_foreign_power_are_no_capitals() -> None:
    table = exiled(scene(5), "red").di("Cleves", blue=1).set(treaty=names.WITH_PLAYER, victor=0, enemy_players=2)
    table.set(enemy_prs=1 << NAMES.index("Cleves")).enter("S_TREATY").act(names.CONQUER).do("0/3")
    assert table.land("red") == {"0/3"} == table.towns and int(table.state.home[0]) == -1
    assert table.fired["WP-FP-13"] == 1


def test_WP_FP_15_the_eliminated_may_join_a_religious_war() -> None:
    table = exiled(scene(6).faith("red"), "blue").set(eliminated={"blue": 1}, has_declared={"red": names.RELIGIOUS})
    hesse = NAMES.index("Hesse")
    table.state.marker[hesse], table.state.declarer[hesse] = names.UPRIGHT, 0
    table.set(league={"red": names.EVANGELICAL_LEAGUE}).enter("S_LEAGUES")
    assert (table.seat, table.decision) == ("blue", "D36")


# --- Elections ------------------------------------------------------------------------------


def test_WP_ELE_02_votes_in_initiative_order_by_elector() -> None:
    table = scene(5).di("Trier", green=1).di("Mainz", red=1).di("Cologne", green=1)
    table.order("green", "red", "blue", "yellow", "black").enter("S_FIRST_ELECTION", phase=6)
    asked = []
    while table.decision == "D08":
        asked.append((table.seat, table.stepper.label(0).split(" votes")[0]))
        table.do("blue")
    assert asked == [("green", "Trier"), ("green", "Cologne"), ("red", "Mainz")]
    assert table.fired["WP-ELE-02"] == 3


def test_WP_ELE_03_a_block_without_a_player_of_its_faith_does_not_vote() -> None:
    table = scene(5).turn_pr("Trier", "Mainz").di("Bohemia", blue=4).enter("S_FIRST_ELECTION", phase=6).do("green")
    assert table.state.votes[:5].sum() == 5 and table.state.votes[seat_of("green")] == 5


def test_WP_ELE_05_nobody_can_refuse() -> None:
    table = scene(5).di("Bohemia", blue=4).enter("S_FIRST_ELECTION", phase=6).do("black")
    assert int(table.state.emperor) == seat_of("black") and table.fired["WP-ELE-05"] == 1


def test_WP_ELE_06_the_emperors_influence() -> None:
    table = scene(5, turn=3, emperor="blue").enter("S_IMPERIAL_DI")
    assert table.get("di_stored", "blue") == 2
    last = scene(5, turn=5, emperor="blue").enter("S_IMPERIAL_DI")
    assert (last.seat, last.decision) == ("blue", "D42") and "stop" in last.options()
    last.do("Trier").do("Trier")
    assert last.di_of("Trier", "blue") == 2 and last.get("di_stored", "blue") == 0


@pytest.mark.parametrize(("switch", "left"), [("convert_all", (0, 3)), ("keep", (3, 0))])
def test_WP_ELE_07_gold_left_over(switch: str, left: tuple[int, int]) -> None:
    table = scene(5, turn=3, emperor="blue", gold_leftover=switch, upheaval_late=0).set(gold={"red": 3})
    table.enter("S_IMPERIAL_DI")
    assert (table.get("gold", "red"), table.get("di_stored", "red")) == left


def test_WP_ELE_08_the_next_round_begins() -> None:
    table = scene(5, turn=3).enter("S_ROUND_END")
    assert int(table.state.turn) == 4 and table.fired["WP-ELE-08"] == 1


# --- The end --------------------------------------------------------------------------------


def won(turn: int = 5, **more: object) -> Table:
    """All is Catholic, red is Emperor; whoever is saved wins."""
    return scene(6, turn=turn).set(reformation=1, **more).enter("S_ROUND_END")


def test_WP_END_03_WP_END_04_WP_END_09_the_saved_share_the_victory() -> None:
    table = won(4, role={"red": names.WORKS, "white": names.WORKS}, fp_edge={"white": 0})
    assert table.over and table.winners == ["red", "white"] and int(table.state.ending) == names.CATHOLIC_VICTORY
    row = row_of(table)
    assert row["winners"] == 0b100001 and row["winner"] == -2 and row["winners_number"] == 2
    assert table.fired["WP-END-04"] == table.fired["WP-END-09"] == 1


def test_what_each_seat_was_stands_in_the_row() -> None:
    table = won(4, role={"red": names.WORKS}, fp_edge={"white": 0}, emperor_of=(2,))
    place, order, role, first, foreign = row_of(table)["category"]
    assert list(place) == [1, 2, 3, 4, 5, 6] and list(order) == [0, 1, 2, 3, 4, 5] and list(role) == [3, 0, 0, 0, 0, 0]
    assert list(first) == [0, 0, 1, 0, 0, 0] and list(foreign) == [0, 0, 0, 0, 0, 1]


def test_WP_END_05_nobody_saved_no_victory() -> None:
    table = won(4)
    assert not table.over and table.fired["WP-END-05"] == 1
    last = won(5)
    assert int(last.state.ending) == names.PEACE_OF_WESTPHALIA and last.decision == "D43"


@pytest.mark.parametrize(("switch", "first"), [("decision", None), ("initiative", "blue")])
def test_WP_END_08_ties(switch: str, first: str | None) -> None:
    table = scene(5, turn=5, emperor="black", emperor_tiebreak=switch).order("blue", "red", "green", "yellow", "black")
    table.enter("S_ROUND_END", reformation=1)
    if first:
        assert table.winners == [first]
        return
    assert (table.seat, table.decision, table.options()) == ("black", "D43", list(SEATS[:5]))
    assert table.do("black").winners == ["black"]
    assert row_of(table)["tied"] == 5


def test_WP_END_07_orthodox_towns_count_two_more_and_homes_nothing() -> None:
    table = scene(5, turn=5).move("4/0", "red", "town").move("5/0", "red", "town").turn_hex("5/0")
    exiled(table, "blue").enter("S_ROUND_END", reformation=1)
    assert table.winners == ["red"] and table.state.final_ip[:3].tolist() == [7, 0, 3]
    capital = scene(5, turn=5, capital_counts_as_town="yes").di("Trier", red=1).enter("S_ROUND_END", reformation=1)
    assert capital.state.final_ip[:2].tolist() == [6, 5]


@pytest.mark.parametrize(("switch", "over"), [("no", False), ("yes", True)])
def test_WP_END_02_homes_outside_are_no_provinces(switch: str, over: bool) -> None:
    """One province short of a Catholic victory, and a Catholic Foreign Power."""
    table = scene(6, turn=4, home_counts_for_majority=switch, need_provinces=50)
    table.set(fp_edge={"white": 0}, role={"red": names.WORKS}, reformation=1)
    for place in PLACE_NAMES:
        at = PLACE_NAMES.index(place)
        if int(table.state.hex_owner[at]) >= 0 and len(table.protestant) < 37:
            table.turn_hex(place)
    assert table.enter("S_ROUND_END").over is over
