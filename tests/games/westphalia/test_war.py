"""Declarations, battles and Doctrines (ledger 3.12 to 3.14)."""

from __future__ import annotations

from collections import Counter

import pytest

from simlab.games.westphalia import state as names
from tests.games.westphalia.table import NAMES, Table, plain_only, scene, seat_of

plain_only()

HESSE = NAMES.index("Hesse")
M, P, C = 0, 1, 2


def muster(table: Table, **doctrine: int) -> Table:
    """Red and blue before their first clash, with Doctrines."""
    for seat, kind in doctrine.items():
        table.state.doctrine[seat_of(seat), kind] = 1
    table.state.slot[:] = -1
    table.state.slot[0] = (0, 1)
    table.state.fighter[:2] = (0, 1)
    table.set(fighters=2, melee=0, war=0, wars=1, war_attacker=(0,), war_defender=(1,), war_phase=(3,), battle_phase=3)
    return table.enter("S_MUSTER")


# --- Declare War ------------------------------------------------------------------------


def test_WP_WAR_01_three_doctrines_each() -> None:
    table = scene(8).enter("S_DECLARE")
    assert table.state.doctrine[:8].sum(axis=1).tolist() == [3] * 8
    assert table.state.doctrine.sum(axis=0).tolist() == [3] * 8
    two = scene(5, doctrines_dealt=2).enter("S_DECLARE")
    assert two.state.doctrine[:5].sum(axis=1).tolist() == [2] * 5


def test_WP_WAR_02_one_declaration_each() -> None:
    table = scene(5).order("green", "red", "blue", "black", "yellow").enter("S_DECLARE")
    order = []
    while table.decision == "D17":
        order.append(table.seat)
        table.act(names.NO_WAR)
    assert order == ["green", "red", "blue", "black", "yellow"] and table.fired["WP-WAR-02"] == 5


@pytest.mark.parametrize(("switch", "may"), [("yes", True), ("no", False)])
def test_WP_WAR_03_own_allies_are_eligible(switch: str, may: bool) -> None:
    table = scene(5, attack_own_ally=switch).di("Trier", red=1).di("Mainz", blue=1).set(gold={"red": 2})
    table.enter("S_DECLARE").act(names.ON_UNALIGNED)
    assert ("Trier" in table.options()) is may and "Mainz" not in table.options()
    if may:
        table.do("Trier")
        assert table.fired["WP-WAR-03"] == 1 and not table.di_on("Trier")


def test_WP_WAR_04_naming_costs_all_own_influence() -> None:
    table = scene(5).di("Cologne", red=1, blue=1, ally=None).di("Bohemia", red=4).enter("S_DECLARE")
    table.act(names.ON_UNALIGNED).do("Cologne")
    assert table.di_on("Cologne") in ({"blue": 1}, {}) and table.fired["WP-WAR-04"] == 1


def named_away(**more: int) -> Table:
    """Red names its own ally Cologne, which blue then is ally of."""
    table = scene(5).di("Cologne", red=2, blue=1, ally="red", **more).di("Bohemia", red=4)
    return table.enter("S_DECLARE").act(names.ON_UNALIGNED).do("Cologne")


def test_WP_WAR_05_the_new_ally_abandons() -> None:
    table = named_away(green=1)
    assert (table.seat, table.decision) == ("blue", "D19")
    table.act(names.ABANDON)
    assert (table.seat, table.decision) == ("green", "D19")  # the next one
    table.act(names.ABANDON)
    assert table.seat == "red" and not table.di_on("Cologne") and table.fired["WP-WAR-05"] == 2


def test_WP_WAR_06_the_new_ally_defends() -> None:
    table = named_away().act(names.DEFEND)
    assert int(table.state.wars) == 1 and table.get("declared_on", "blue") == 1
    assert (table.state.war_attacker[0], table.state.war_defender[0]) == (0, 1) and int(table.state.named) == 0
    assert table.get("has_declared", "red") == names.ON_PLAYER and table.fired["WP-WAR-06"] == 1


def test_WP_WAR_06_one_declared_on_already_saves_the_target() -> None:
    table = scene(5).di("Cologne", red=2, blue=1, ally="red").di("Bohemia", red=4)
    table.order("green", "red", "blue", "yellow", "black").enter("S_DECLARE").act(names.ON_PLAYER).do("blue")
    table.act(names.ON_UNALIGNED).do("Cologne").act(names.DEFEND)
    assert int(table.state.wars) == 1 and int(table.state.named) == 0
    assert (table.seat, table.decision) == ("red", "D18") and "stop" in table.options()
    table.do("stop")
    assert table.decision == "D17"


def test_WP_WAR_07_a_fraction_as_ratio_is_met_exactly() -> None:
    assert 1.12 * 25 > 28  # in floating point
    table = scene(5, unaligned_ratio=1.12).set(extent={"red": 28}).enter("S_DECLARE").act(names.ON_UNALIGNED)
    table.set(named_size=22).do("Luxembourg")  # which makes 24 provinces
    assert "Cologne" in table.options() and "Brabant" not in table.options()


def test_WP_WAR_08_WP_WAR_09_the_treaty_comes_at_once() -> None:
    table = scene(5).di("Luxembourg", blue=1, ally=None).di("Bohemia", red=4).enter("S_DECLARE")
    table.act(names.ON_UNALIGNED).do("Luxembourg")
    if table.decision == "D18":
        table.do("stop")
    assert (table.seat, table.decision) == ("red", "D31")
    table.act(names.CONQUER)
    assert table.di_of("Luxembourg", "blue") == 1 and table.size("Luxembourg") == 1
    assert table.fired["WP-WAR-08"] == table.fired["WP-WAR-09"] == 1


def test_WP_WAR_12_WP_WAR_13_a_religious_war_is_declared() -> None:
    table = scene(6).faith("red", "blue").di("Hesse", red=2)
    for name in ("Hesse", "Baden"):
        table.state.marker[NAMES.index(name)] = names.LYING
    table.turn_pr("Baden").enter("S_DECLARE").act(names.RELIGIOUS)
    assert table.state.marker[HESSE] == names.UPRIGHT and table.state.declarer[HESSE] == 0
    assert table.get("league", "red") == names.EVANGELICAL_LEAGUE and table.di_of("Hesse", "red") == 2
    assert table.seat == "blue" and names.RELIGIOUS not in table.legal()  # a Target cannot be targeted again
    assert table.fired["WP-WAR-12"] == table.fired["WP-WAR-13"] == 1


def test_WP_WAR_14_declarers_of_both_faiths() -> None:
    table = scene(6).faith("red").set(role={"blue": names.WORKS}).turn_pr("Baden")
    for name in ("Hesse", "Baden"):
        table.state.marker[NAMES.index(name)] = names.LYING
    table.enter("S_DECLARE").act(names.RELIGIOUS).act(names.RELIGIOUS)
    assert table.state.league[:2].tolist() == [2, 1] and table.fired["WP-WAR-14"] == 1


def test_WP_WAR_15_flames_that_lie_go() -> None:
    table = scene(5)
    table.state.marker[HESSE], table.state.marker[3] = names.LYING, names.UPRIGHT
    table.enter("S_DECLARE").act(*[names.NO_WAR] * 5)
    assert table.state.marker[HESSE] == names.NO_FLAME and table.fired["WP-WAR-15"] == 1


def test_WP_WAR_16_a_target_principality_may_be_attacked() -> None:
    table = scene(5).di("Bohemia", red=4).set(gold={"red": 1})
    cleves = NAMES.index("Cleves")
    table.state.marker[cleves] = names.UPRIGHT
    table.enter("S_DECLARE").act(names.ON_UNALIGNED).do("Cleves")
    if table.decision == "D18":
        table.do("stop")
    assert table.legal() == [names.NOTHING, names.VASSALIZE] and table.fired["WP-WAR-16"] == 1


# --- Battle --------------------------------------------------------------------------------


def at_war(table: Table, ours: int, theirs: int) -> Table:
    table.state.wars = 1
    table.state.war_attacker[0], table.state.war_defender[0] = 0, 1
    table.state.war_phase[0], table.state.war_result[0] = 1, names.AT_WAR
    table.state.extent[0], table.state.extent[1] = ours, theirs  # the number alone counts here
    return table.enter("S_BATTLE_PHASE", battle_phase=0)


def test_WP_BAT_01_a_war_of_the_eliminated_is_off() -> None:
    table = at_war(scene(6).set(eliminated={"blue": 1}), 5, 4)
    assert int(table.state.war_result[0]) == names.OFF and table.fired["WP-BAT-01"] == 1


def test_WP_BAT_02_no_power_at_all_is_white_peace() -> None:
    table = at_war(scene(6), 0, 0)
    assert int(table.state.war_result[0]) == names.WHITE_PEACE
    one_sided = at_war(scene(6), 1, 0)
    assert int(one_sided.state.war_result[0]) == names.ATTACKER_WON


@pytest.mark.parametrize(("ours", "theirs", "result"), [(55, 25, names.ATTACKER_WON), (25, 55, names.DEFENDER_WON)])
def test_WP_BAT_02_a_fraction_as_ratio_is_met_exactly(ours: int, theirs: int, result: int) -> None:
    assert 2.2 * 25 > 55  # in floating point
    assert int(at_war(scene(6, auto_win_ratio=2.2), ours, theirs).state.war_result[0]) == result
    short = at_war(scene(6, auto_win_ratio=2.3), ours, theirs)
    assert int(short.state.war_result[0]) == names.AT_WAR


@pytest.mark.parametrize("mode", ["shared", "own"])
def test_WP_BAT_04_both_draw_from_a_deck(mode: str) -> None:
    table = at_war(scene(6, deck_mode=mode, cards_per_kind=8), 12, 12)
    drawn = [sum(table.hand(seat, "drawn")[kind] for seat in ("red", "blue")) for kind in range(3)]
    assert sum(drawn) == 24 and (mode == "own" or drawn == [8, 8, 8])


def test_WP_BAT_05_WP_BAT_06_cards_are_hidden() -> None:
    table = scene(6).cards("red", 2, 2, 2).cards("blue", 3, 2, 1).duel("red", "blue")
    other = scene(6).cards("red", 2, 2, 2).cards("blue", 1, 2, 3).duel("red", "blue")
    assert (table.seat, table.decision) == ("red", "D27")
    assert table.stepper.describe("red") == other.stepper.describe("red")
    table.act(M)
    assert table.hand("red") == (2, 2, 2) and table.seat == "blue"  # not shown yet
    table.act(P)
    assert table.fired["WP-BAT-06"] == 1 and table.hand("blue") == (3, 1, 1)


def test_WP_BAT_09_rifles_from_round_4_on() -> None:
    for turn, left in ((3, (1, 1, 1)), (4, (0, 1, 1))):
        table = scene(6, turn=turn).cards("red", 2, 2, 2).cards("blue", 1, 2, 1).duel("red", "blue")
        table.clash(red="M", blue="P")
        if table.decision == "D29":
            table.act(M)
        assert table.hand("blue") == left
    none_left = scene(6, turn=4).cards("red", 2, 2, 2).cards("blue", 0, 2, 1).duel("red", "blue")
    none_left.clash(red="M", blue="P").act(M)
    assert (none_left.seat, none_left.legal()) == ("red", [P, C])  # he says so, and another is named


def test_WP_BAT_11_twice_the_cards_after_a_charge() -> None:
    table = scene(6).cards("red", 1, 1, 4).cards("blue", 3, 2, 0).duel("red", "blue").clash(red="C", blue="M")
    while table.decision == "D28":
        table.act(table.legal()[0])
    assert int(table.state.war_result[0]) == names.ATTACKER_WON and table.fired["WP-BAT-11"] == 1


def test_WP_BAT_11_a_fraction_as_ratio_is_met_exactly() -> None:
    table = scene(6, charge_rout_ratio=2.2).cards("red", 25, 20, 10).cards("blue", 28, 0, 0)
    table.duel("red", "blue").clash(red="C", blue="M")
    while table.decision == "D28":
        table.act(table.legal()[0])
    assert table.fired["WP-BAT-11"] == 1  # 55 cards against 25


def test_WP_BAT_14_rout_before_reinforcements() -> None:
    for switch, ends in (("no", True), ("yes", False)):
        table = scene(6, reinforce_before_rout=switch).cards("red", 2, 0, 0).cards("blue", 0, 1, 0, pile=(1, 0, 0))
        table.set(reserve={"blue": 2}).duel("red", "blue")
        table.clash(red="M", blue="P")
        assert (int(table.state.war_result[0]) == int(names.ATTACKER_WON)) is ends
        assert table.fired["WP-BAT-14"] == int(ends)


def test_WP_BAT_16_where_cards_go() -> None:
    table = scene(6, turn=2).cards("red", 1, 1, 1).cards("blue", 3, 2, 2).duel("red", "blue").clash(red="C", blue="M")
    table.act(M, P)
    assert table.hand("blue", "discard") == (2, 1, 0) and table.fired["WP-BAT-16"] == 2
    table = muster(scene(6).cards("red", 1, 2, 3).cards("blue", 2, 2, 2).set(gold={"red": 1}), red=4).act(4, 1)
    assert table.hand("red", "discard") == (0, 0, 0)


def test_WP_BAT_17_battles_end() -> None:
    for seed in range(6):
        table = scene(6).cards("red", 4, 4, 4).cards("blue", 4, 4, 4).set(reserve={"red": 9, "blue": 9})
        table.duel("red", "blue")
        decisions = 0
        while table.decision in ("D27", "D28", "D29", "D30"):
            table.act(table.legal()[(seed + decisions * (1 + seed)) % len(table.legal())])
            decisions += 1
        assert table.fired["WP-BAT-17"] == 1 and decisions < 200


def test_WP_BAT_18_the_defender_may_win_the_treaty() -> None:
    table = scene(6).cards("red", 0, 1, 0).cards("blue", 2, 0, 0).duel("red", "blue")
    assert int(table.state.war_result[0]) == names.DEFENDER_WON and table.fired["WP-BAT-18"] == 1
    for switch, left in (("no", 3), ("yes", 4)):
        peace = scene(6, white_peace_spares_postwar=switch).di("Hesse", red=4)
        peace.state.ally_whole_war[HESSE] = 1
        peace.set(white_peace={"red": 1}).enter("S_POSTWAR")
        assert peace.di_of("Hesse", "red") == left


# --- Doctrines --------------------------------------------------------------------------------


def test_WP_DOC_01_WP_DOC_02_a_card_is_used_up_executed_or_not() -> None:
    for choice, hand in ((0, (1, 2, 3)), (1, (3, 4, 1))):
        table = muster(scene(6).cards("red", 1, 2, 3).cards("blue", 2, 2, 2).set(gold={"red": 1}), red=4)
        assert table.legal() == [4, names.NO_DOCTRINE]
        table.act(4, choice)
        assert table.state.doctrine[0].sum() == 0 and table.hand("red") == hand
        assert table.fired["WP-DOC-01"] == table.fired["WP-DOC-02"] == 1
    none = muster(scene(6).cards("red", 1, 2, 3).cards("blue", 2, 2, 2).set(gold={"red": 1}), red=4)
    none.act(names.NO_DOCTRINE)
    assert none.state.doctrine[0, 4] == 1 and none.decision == "D26"


def test_WP_DOC_04_two_of_any_kind() -> None:
    table = muster(scene(6).cards("red", 3, 0, 1).cards("blue", 2, 2, 2), red=0).act(0, 1)
    table.act(M, M, P, C)
    assert table.hand("red") == (1, 1, 2) and table.fired["WP-DOC-04"] == 2


@pytest.mark.parametrize(("own", "paid"), [((3, 3, 2), 2), ((3, 3, 3), 3)])
@pytest.mark.parametrize(("enemy", "removed"), [((3, 3, 2), 1), ((3, 3, 3), 2)])
def test_WP_DOC_05_guerilla(own: tuple[int, ...], paid: int, enemy: tuple[int, ...], removed: int) -> None:
    table = muster(scene(6).cards("red", *own).cards("blue", *enemy), red=7).act(7, 1)
    while table.decision == "D25":
        table.act(table.legal()[0])
    assert (sum(table.hand("red")), sum(table.hand("blue"))) == (sum(own) - paid, sum(enemy) - removed)
    assert table.hand("blue", "discard") == (0, 0, 0) and table.fired["WP-DOC-05"] == 1
    assert table.get("peeker", "blue") == 0


def test_WP_DOC_06_WP_DOC_08_bought_cards() -> None:
    table = muster(scene(6).cards("red", 1, 1, 1).cards("blue", 1, 1, 1).set(gold={"red": 2}))
    table.act(C)
    other = muster(scene(6).cards("red", 1, 1, 1).cards("blue", 1, 1, 1).set(gold={"red": 2})).act(M)
    assert table.stepper.describe("blue") == other.stepper.describe("blue")  # the number alone is open
    table.act(C)
    assert table.hand("red") == (1, 1, 3) and table.get("gold", "red") == 0 and table.fired["WP-DOC-06"] == 2


def test_WP_DOC_07_cards_of_a_kind_are_always_there() -> None:
    table = muster(scene(6).cards("red", 1, 1, 12).cards("blue", 0, 1, 11), red=3).act(3, 1)
    assert table.hand("red") == (0, 0, 16) and table.fired["WP-DOC-07"] == 1


def test_WP_DOC_09_the_later_fighter_sees_the_earlier_doctrine() -> None:
    table = muster(scene(6).cards("red", 1, 2, 3).cards("blue", 2, 2, 2), red=4, blue=5).act(4, 1)
    assert (table.seat, table.decision) == ("blue", "D22") and table.fired["WP-DOC-09"] == 2
    assert int(table.state.played[0]) == 4


def test_WP_DOC_10_the_cards_are_reshuffled() -> None:
    table = scene(5).enter("S_DECLARE").act(*[names.NO_WAR] * 5)
    assert not table.state.doctrine.any() and table.fired["WP-DOC-10"] == 1
    held = Counter(int(n) for n in scene(5).enter("S_DECLARE").state.doctrine.sum(axis=1))
    assert held[3] == 5
