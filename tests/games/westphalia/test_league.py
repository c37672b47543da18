"""The Religious War (ledger 3.17)."""

from __future__ import annotations

import pytest

from simlab.games.westphalia import state as names
from tests.games.westphalia.table import NAMES, SEATS, Table, plain_only, scene, seat_of

plain_only()

HESSE, BADEN = NAMES.index("Hesse"), NAMES.index("Baden")


def target(table: Table, name: str, declarer: str) -> Table:
    pr = NAMES.index(name)
    table.state.marker[pr], table.state.declarer[pr] = names.UPRIGHT, seat_of(declarer)
    table.state.has_declared[seat_of(declarer)] = names.RELIGIOUS
    faith = int(table.state.faith[seat_of(declarer)])
    table.state.league[seat_of(declarer)] = names.EVANGELICAL_LEAGUE if faith else names.CATHOLIC_LEAGUE
    return table


def war(players: int = 6, turn: int = 2, **knobs: object) -> Table:
    """Red (FA) has declared on Hesse."""
    return target(scene(players, turn=turn, **knobs).faith("red"), "Hesse", "red")


def leagues(table: Table, **league: int) -> Table:
    return table.set(league=league)


def melee(table: Table, **hands: tuple[int, int, int]) -> Table:
    """The battle at its first clash, with these hands; the others are not in it."""
    table.enter("S_LEAGUE_WAR")
    for seat, hand in hands.items():
        table.cards(seat, *hand)
        table.state.shown[seat_of(seat)] = 0
    return table.until("D27", -1)


def hold_out(table: Table) -> Table:
    """To the next clash: no reinforcements."""
    while table.decision == "D30":
        table.act(3)
    return table


# --- The Leagues form -----------------------------------------------------------------------


def test_WP_REL_01_only_if_one_was_declared() -> None:
    table = scene(6).enter("S_LEAGUES")
    assert table.fired["WP-REL-01"] == 0 and table.decision == "D39"
    assert war().enter("S_LEAGUES").fired["WP-REL-01"] == 1


def test_WP_REL_02_declarers_pay_on_targets_too() -> None:
    table = war().di("Hesse", red=3).di("Bohemia", red=5).turn_pr("Bohemia").enter("S_LEAGUES")
    assert (table.di_of("Hesse", "red"), table.di_of("Bohemia", "red")) == (2, 5)


def test_WP_REL_03_who_may_join_what() -> None:
    table = war().faith("blue").set(role={"green": names.WORKS}).enter("S_LEAGUES")
    asked = {}
    while table.decision == "D36":
        asked[table.seat] = table.legal()
        table.act(0)
    assert asked == {"blue": [0, 2], "green": [0, 1], "yellow": [0, 1, 2], "black": [0, 1, 2], "white": [0, 1, 2]}


def test_WP_REL_04_WP_REL_05_WP_REL_06_what_it_costs() -> None:
    table = war().faith("blue").di("Hesse", blue=2, green=2, yellow=2).di("Bohemia", blue=2, green=2, yellow=2)
    table.set(role={"green": names.WORKS}).turn_pr("Bohemia").enter("S_LEAGUES")
    table.act(2, 1, 0)
    assert table.di_on("Hesse") == {"blue": 1, "green": 2}  # yellow declined: all of it
    assert table.di_on("Bohemia") == {"blue": 2, "green": 1, "yellow": 2}
    assert table.fired["WP-REL-04"] == 2 and table.fired["WP-REL-05"] == 1


def test_WP_REL_07_WP_REL_08_each_target_finds_an_ally_in_its_league() -> None:
    table = war().di("Hesse", blue=1, green=2, ally=None).enter("S_LEAGUES")
    table.act(1, 2, 1, 0, 0)  # blue and yellow Catholic, green Evangelical
    assert table.ally("Hesse") == "blue" and table.di_of("Hesse", "blue") == 3
    nobody = war().enter("S_LEAGUES").act(0, 0, 1, 1, 0)
    assert nobody.ally("Hesse") == "yellow" and nobody.di_of("Hesse", "yellow") == 3


def test_WP_REL_09_alone_the_declarers_win() -> None:
    table = war().enter("S_LEAGUES").act(*[0] * 5)
    assert int(table.state.beaten_leagues) == names.CATHOLIC_LEAGUE and int(table.state.fought) == 0
    assert table.state.pr_faith[HESSE] == 1 and table.ally("Hesse") == "red" and table.fired["WP-REL-09"] == 1
    assert table.decision == "D39"  # no treaties


# --- The battle ----------------------------------------------------------------------------


@pytest.mark.parametrize(("switch", "fought"), [("no", True), ("yes", False)])
def test_WP_REL_10_no_automatic_win(switch: str, fought: bool) -> None:
    table = leagues(war(rw_automatic_double_ip=switch), red=2, blue=1).di("Bohemia", red=4)
    table.enter("S_LEAGUE_WAR")
    assert (table.fired["WP-BAT-06"] > 0 or table.decision in ("D22", "D27")) is fought
    assert table.fired["WP-REL-10"] == 1


def test_WP_REL_10_who_is_beaten_by_force_plays_no_doctrine() -> None:
    table = leagues(war(rw_automatic_double_ip="yes"), red=2, blue=1, green=1).di("Bohemia", red=4)
    table.set(gold={"blue": 2}).enter("S_LEAGUE_WAR")
    assert table.get("routed", "blue") == 1 and table.decision in ("D22", "D27") and table.seat != "blue"


def test_WP_REL_10_no_power_beats_no_power() -> None:
    table = leagues(war(rw_automatic_double_ip="yes", ip_per_province=0), red=2, blue=1)
    assert table.ip("red") == table.ip("blue") == 0
    table.enter("S_LEAGUE_WAR").until("D39", -1)
    assert int(table.state.beaten_leagues) == 0  # nobody wins by force; both leave, having no cards


def test_WP_REL_10_a_fraction_as_ratio_is_met_exactly() -> None:
    table = leagues(war(8, rw_automatic_double_ip="yes", auto_win_ratio=2.2), red=2, blue=1, green=1)
    table.set(extent={"red": 55, "blue": 25}).enter("S_LEAGUE_WAR")
    assert table.get("routed", "blue") == 1


def test_WP_REL_11_cards_by_power_and_decks_by_place() -> None:
    table = leagues(war(8), **dict(zip(SEATS, (2, 1, 2, 1, 2, 1, 2, 1), strict=True))).di("Bohemia", red=4)
    table.enter("S_LEAGUE_WAR")
    assert table.state.deck_of[:8].tolist() == [0, 1, 2, 3, 0, 1, 2, 3]
    assert sum(table.hand("red")) == 7 and sum(table.hand("blue")) == 3 and table.fired["WP-REL-11"] == 1


def test_WP_REL_12_a_waiting_player_has_no_opponent_to_ambush() -> None:
    table = leagues(war(6), red=2, blue=1, green=1).set(gold={"green": 1})
    table.state.doctrine[seat_of("green"), 7] = 1
    table.enter("S_LEAGUE_WAR")
    assert table.state.slot[0].tolist() == [1, 0] and table.state.queue[0, 0] == 2
    table.cards("green", 3, 3, 3)
    assert (table.seat, table.decision) == ("green", "D22")
    table.act(7)
    assert table.decision == "D26"  # not asked whether it is executed


def test_WP_REL_13_all_choices_before_any_is_shown() -> None:
    table = leagues(war(), red=2, blue=1, green=2, yellow=1)
    melee(table, red=(2, 2, 2), blue=(2, 2, 2), green=(2, 2, 2), yellow=(2, 2, 2))
    order = []
    for _ in range(4):
        order.append(table.seat)
        assert table.fired["WP-BAT-06"] == 0
        table.act(0)
    assert order == ["red", "blue", "green", "yellow"] and table.fired["WP-BAT-06"] == 2
    assert table.fired["WP-REL-13"] == 2


def test_WP_REL_14_WP_REL_20_WP_REL_21_rout_defeat_and_the_target() -> None:
    table = leagues(war(), red=2, blue=1).di("Hesse", blue=4)
    melee(table, red=(1, 1, 2), blue=(2, 0, 1)).clash(red="C", blue="M")
    assert table.fired["WP-REL-14"] == 1 and int(table.state.beaten_leagues) == names.CATHOLIC_LEAGUE
    assert table.state.pr_faith[HESSE] == 1 and table.di_on("Hesse") == {"red": 3} and table.ally("Hesse") == "red"
    assert table.fired["WP-REL-20"] == table.fired["WP-REL-21"] == 1


def test_WP_REL_15_twice_the_cards_routs_the_last_one_only() -> None:
    for others, routs in ({}, True), ({"green": (1, 1, 1)}, False):
        members = {"red": 2, "blue": 1, **dict.fromkeys(others, 1)}
        table = leagues(war(), **members)
        melee(table, red=(1, 1, 4), blue=(3, 2, 0), **others).clash(red="C", blue="M")
        while table.decision == "D28":
            table.act(table.legal()[0])
        assert bool(table.fired["WP-REL-15"]) is routs
        assert (int(table.state.beaten_leagues) == int(names.CATHOLIC_LEAGUE)) is routs


@pytest.mark.parametrize(("switch", "leaves"), [("no", True), ("yes", False)])
def test_WP_REL_16_without_cards_one_leaves(switch: str, leaves: bool) -> None:
    table = leagues(war(rw_empty_may_call=switch), red=2, blue=1, green=1)
    melee(table, red=(3, 1, 1), blue=(0, 1, 0), green=(1, 1, 1)).set(reserve={"blue": 2})
    table.clash(red="M", blue="P")
    assert bool(table.fired["WP-REL-16"]) is leaves
    if not leaves:
        assert (table.seat, table.decision) == ("blue", "D30")


def test_WP_REL_16_one_who_waits_without_a_card_never_fights() -> None:
    table = leagues(war(), red=2, blue=1, green=1)
    melee(table, red=(3, 1, 1), blue=(1, 0, 2), green=(0, 0, 0)).clash(red="C", blue="M")
    hold_out(table)
    assert int(table.state.beaten_leagues) == names.CATHOLIC_LEAGUE and table.fired["WP-REL-16"] == 1


def test_WP_REL_17_fighters_may_call_those_who_wait_may_not() -> None:
    table = leagues(war(), red=2, blue=1, green=1)
    melee(table, red=(3, 1, 1), blue=(2, 1, 1), green=(1, 1, 1)).set(reserve={"red": 1, "green": 1})
    table.state.discard[seat_of("green")] = (1, 1, 1)
    table.clash(red="M", blue="M")
    assert (table.seat, table.decision) == ("red", "D30")
    table.act(0)
    assert table.fired["WP-REL-17"] == 1 and table.decision == "D27"


def test_WP_REL_18_the_next_in_line_meets_the_victor_as_he_is() -> None:
    table = leagues(war(), red=2, blue=1, green=1)
    melee(table, red=(1, 1, 2), blue=(1, 0, 2), green=(2, 2, 2)).clash(red="C", blue="M")
    hold_out(table)
    assert table.state.slot[0].tolist() == [2, 0] and table.hand("red") == (1, 1, 2)
    assert table.fired["WP-REL-18"] == 1


def test_WP_REL_19_both_at_once_is_no_defeat() -> None:
    table = leagues(war(), red=2, blue=1)
    melee(table, red=(1, 0, 0), blue=(1, 0, 0))
    table.clash(red="M", blue="M")
    assert table.fired["WP-REL-19"] == 1 and int(table.state.beaten_leagues) == 0
    assert table.state.pr_faith[HESSE] == 0 and table.decision == "D39"


# --- Afterwards ----------------------------------------------------------------------------


def aftermath(table: Table, beaten: int, **fought: int) -> Table:
    for name, league in fought.items():
        table.state.elector_fought[NAMES.index(name)] = league
    return table.enter("S_LEAGUE_WAR", at=1, beaten_leagues=beaten, fought=1)


def test_WP_REL_22_WP_REL_23_WP_REL_25_the_emperor_replaces_beaten_electors() -> None:
    table = leagues(war(), red=2, blue=1).di("Trier", blue=1).di("Saxony", red=2)
    table.enter("S_LEAGUE_WAR")
    assert table.state.elector_fought[0] == 1 and table.state.elector_fought[4] == 2  # Trier and Saxony
    table = aftermath(leagues(war(), red=2, blue=1), 1, Trier=1, Saxony=2)
    assert (table.seat, table.decision) == ("red", "D37") and "Mainz" not in table.options()
    table.do("Hesse")
    assert not table.is_elector("Trier") and table.is_elector("Hesse") and table.is_elector("Saxony")
    assert int(table.state.electors).bit_count() == 7
    assert table.fired["WP-REL-23"] == table.fired["WP-REL-25"] == 1 and table.decision == "D31"


@pytest.mark.parametrize(("votes", "passes"), [((1, 0), True), ((0, 0), False)])
def test_WP_REL_24_a_majority_of_the_victors(votes: tuple[int, int], passes: bool) -> None:
    table = leagues(war().order("green", "blue", "red", "yellow", "black", "white"), red=2, blue=1, green=1, yellow=1)
    aftermath(table, 2, Trier=2)
    assert (table.seat, table.decision) == ("green", "D37")
    table.do("Baden")
    assert [table.seat, table.decision] == ["blue", "D38"]
    table.act(*votes)
    assert table.is_elector("Baden") is passes and table.fired["WP-REL-24"] == 1


def test_WP_REL_26_treaties_of_the_victors() -> None:
    table = leagues(war().order("blue", "green", "red"), red=2, blue=1, green=1, yellow=2).di("Baden", yellow=3)
    target(table, "Austria", "red").di("Austria", red=3).di("Saxony", blue=2)
    aftermath(table.set(emperor=5), 2)
    assert table.seat == "blue" and table.decision == "D31"
    assert int(table.state.enemy_prs) == 1 << BADEN and int(table.state.enemy_players) == 0b1001
    table.act(names.CONQUER)
    table.do("3/0" if "3/0" in table.options() else table.options()[0])
    while table.seat == "blue":
        table.act(table.legal()[-1])
    assert table.di_of("Saxony", "blue") == 2  # no loss for provinces far off
    assert table.seat == "green" and table.fired["WP-REL-26"] == 2


def test_WP_REL_27_WP_REL_28_the_end() -> None:
    table = leagues(war(), red=2).di("Bohemia", red=5)
    table.state.doctrine[0, 0] = 1
    table.enter("S_LEAGUE_END")
    assert not table.state.marker.any() and not table.state.league.any() and not table.state.doctrine.any()
    assert table.di_of("Bohemia", "red") == 5 and table.fired["WP-PWD-01"] == 0
    assert table.fired["WP-REL-27"] == table.fired["WP-REL-28"] == 1
