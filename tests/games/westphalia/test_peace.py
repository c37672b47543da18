"""Peace treaties and Post-War Diplomacy (ledger 3.15 and 3.16)."""

from __future__ import annotations

from simlab.games.westphalia import state as names
from tests.games.westphalia.table import NAMES, PLACES, Table, plain_only, scene, seat_of

plain_only()


def treaty(table: Table, *enemies: str, victor: str = "red", loser: str = "blue") -> Table:
    """A treaty with a beaten player and these principalities, his allies."""
    prs = sum(1 << NAMES.index(name) for name in enemies)
    table.set(treaty=names.WITH_PLAYER, victor=seat_of(victor), enemy_players=1 << seat_of(loser), enemy_prs=prs)
    return table.enter("S_TREATY")


def near(table: Table, seat: str, *places: str) -> Table:
    """What lay next to a player as the battle began."""
    for place in places:
        at = PLACES[place]
        table.state.adjacent[seat_of(seat), at // 48] = (
            int(table.state.adjacent[seat_of(seat), at // 48]) | 1 << at % 48
        )
    return table


def test_WP_PCE_01_the_winner_may_take_nothing() -> None:
    table = treaty(scene(5))
    assert (table.seat, table.legal()) == ("red", [names.NOTHING, names.CONQUER])
    table.act(names.NOTHING)
    assert table.size("blue") == 3 and table.fired["WP-PCE-01"] == 1


def test_WP_PCE_04_a_town_stays_one_and_a_capital_becomes_one() -> None:
    table = scene(5).move("9/1", "Brabant").move("10/1", "Wuerttemberg")
    treaty(table).act(names.CONQUER)
    assert "10/0" in table.towns & table.land("red") and table.fired["WP-PCE-04"] == 1
    plain = treaty(scene(5)).act(names.CONQUER).do("9/1")
    assert "9/1" in plain.land("red") and "9/1" not in plain.towns


def test_WP_PCE_05_adjacency_is_not_needed() -> None:
    table = treaty(scene(5), victor="yellow").act(names.CONQUER)
    assert "9/1" in table.options()
    table.do("9/1")
    assert table.fired["WP-PCE-05"] == 1


def test_WP_PCE_02_two_provinces_of_two_powers_or_one_town() -> None:
    table = treaty(scene(5).di("Hesse", blue=3), "Hesse").act(names.CONQUER).do("9/1")
    hesse = sorted(table.land("Hesse") & set(table.options()))
    table.do(hesse[0])
    assert table.size("Hesse") == 2 and table.size("blue") == 2 and table.decision != "D32"
    town = scene(5).move("4/0", "blue", "town")
    treaty(town).act(names.CONQUER).do("4/0")
    assert town.decision != "D32"


def test_WP_PCE_06_electors_and_targets_keep_their_last_province() -> None:
    table = scene(5).di("Trier", blue=1).di("Cleves", blue=1).di("Muenster", blue=1)
    table.state.marker[NAMES.index("Muenster")] = names.UPRIGHT
    treaty(table, "Trier", "Cleves", "Muenster").act(names.CONQUER)
    options = set(table.options())
    assert "0/3" in options and not options & {"4/5", "6/4"} and table.fired["WP-PCE-06"] >= 2


def test_WP_PCE_07_WP_PCE_08_WP_PCE_12_WP_PCE_15_a_vassal() -> None:
    table = scene(5).di("The Palatinate", blue=3, green=1, red=1).di("Hesse", blue=3, red=2)
    treaty(table, "The Palatinate", "Hesse").act(names.VASSALIZE)
    if table.decision == "D33":
        table.do("The Palatinate")  # Hesse is too large
    assert table.di_on("The Palatinate") == {"red": 3} and table.ally("The Palatinate") == "red"
    assert table.is_elector("The Palatinate") and table.di_of("Hesse", "red") == 2
    assert not int(table.state.enemy_prs) >> NAMES.index("The Palatinate") & 1
    assert {"WP-PCE-07", "WP-PCE-08", "WP-PCE-12", "WP-PCE-15"} <= set(table.fired)


def test_WP_PCE_08_a_large_vassal_under_the_other_reading() -> None:
    """A principality of three with two points: its ally where the requirement holds only as an alliance is formed."""
    for reading, ally in (("standing", None), ("formation_only", "red")):
        table = scene(5, vassalize_max_size=4, alliance_requirement=reading).di("Hesse", blue=3)
        treaty(table, "Hesse").act(names.VASSALIZE)
        if table.decision == "D33":
            table.do("Hesse")
        assert table.di_on("Hesse") == {"red": 2} and table.ally("Hesse") == ally


def test_WP_PCE_09_WP_PCE_21_a_vassalized_player() -> None:
    table = scene(5).faith("blue").move("9/1", "Brabant").move("10/1", "blue", "town").set(gold={"blue": 2})
    table.di("Hesse", blue=3)
    treaty(table, "Hesse").act(names.VASSALIZE)
    new = NAMES[20]
    assert table.land(new) == {"10/0", "10/1"} <= table.protestant and not table.towns
    assert table.di_on(new) == {"red": 2} and table.ally(new) == "red"
    while table.seat == "red":
        table.act(table.legal()[-1])
    assert (table.seat, table.decision) == ("blue", "D41")
    assert table.act(0).get("gold", "blue") == 0
    assert table.fired["WP-PCE-09"] == table.fired["WP-PCE-21"] == 1


def test_WP_PCE_10_WP_PCE_11_far_and_town_cost_influence() -> None:
    for place, kind, lost in (("9/1", "near", 0), ("9/1", "far", 1), ("4/0", "near", 1), ("4/0", "far", 2)):
        table = scene(5).di("Hesse", red=6).di("Baden", red=5).move("4/0", "blue", "town").move("10/1", "Wuerttemberg")
        if kind == "near":
            near(table, "red", place)
        treaty(table).act(names.CONQUER).do(place)
        while table.decision == "D35":
            table.do("none")
        assert (table.di_of("Hesse", "red"), table.di_of("Baden", "red")) == (6 - lost, 5 - lost), (place, kind)
        assert table.fired["WP-PCE-11"] == int(lost > 0)


def test_WP_PCE_13_liberation() -> None:
    table = scene(5).move("4/0", "blue", "town").turn_hex("4/0")
    treaty(table).act(names.LIBERATE)
    new = NAMES[20]
    assert table.land(new) == {"4/0"} <= table.protestant and table.ally(new) == "red"
    assert table.di_on(new) == {"red": 2} and table.fired["WP-PCE-13"] == table.fired["WP-PCE-12"] == 1
    last = scene(5).move("9/1", "Brabant").move("10/1", "Brabant")
    assert names.LIBERATE in treaty(last).legal()


def test_WP_PCE_14_WP_PCE_16_claims_of_allies() -> None:
    table = scene(5).turn_pr("Brabant").di("Brabant", red=2, ally="red").di("Bohemia", red=4)
    treaty(table).act(names.NOTHING)
    assert (table.seat, table.decision) == ("red", "D35")
    assert set(table.options()) == {"9/1", "none"}  # the plain province next to it, no capital; Bohemia is full
    table.do("9/1")
    assert "9/1" in table.land("Brabant") & table.protestant
    assert table.di_of("Brabant", "red") == 2 and table.ally("Brabant") is None  # it grew beyond the influence
    assert table.fired["WP-PCE-14"] == table.fired["WP-PCE-16"] == 1


def test_WP_PCE_17_conquest_from_a_principality_costs_own_influence_there() -> None:
    table = scene(5).di("Hesse", blue=4, red=3)
    treaty(table, "Hesse").act(names.CONQUER)
    table.do(sorted(table.land("Hesse") & set(table.options()))[0])
    assert table.di_of("Hesse", "red") == 0 and table.fired["WP-PCE-17"] == 1


def test_WP_PCE_19_WP_PCE_20_the_losers_allies_lose_faith_in_him() -> None:
    table = scene(5).di("Hesse", blue=3).di("Baden", blue=3)
    treaty(table, "Hesse", "Baden").act(names.CONQUER)
    hexes = sorted(table.land("Hesse") & set(table.options()))
    table.do(hexes[0]).do(hexes[1])
    assert table.di_of("Hesse", "blue") == 1 and table.ally("Hesse") == "blue"  # one province is left, one point
    assert table.di_of("Baden", "blue") == 3
    assert table.fired["WP-PCE-19"] == table.fired["WP-PCE-20"] == 1


def test_WP_PCE_22_a_bare_foreign_power_yields_nothing() -> None:
    table = scene(5).set(fp_edge={"blue": 0})
    for place in sorted(table.land("blue")):
        table.move(place, "Brabant")
    table.state.wars = 1
    table.state.war_attacker[0], table.state.war_defender[0] = 0, 1
    table.state.war_phase[0], table.state.war_result[0] = 1, names.ATTACKER_WON
    table.enter("S_TREATIES", battle_phase=1, war=-1)
    assert table.fired["WP-PCE-22"] == 1 and table.decision != "D31"


def test_WP_PCE_23_the_enemies_are_the_losers_allies_now() -> None:
    table = scene(5).di("Hesse", blue=3).di("Baden", green=3)
    table.state.wars = 1
    table.state.war_attacker[0], table.state.war_defender[0] = 0, 1
    table.state.war_phase[0], table.state.war_result[0] = 1, names.ATTACKER_WON
    table.enter("S_TREATIES", battle_phase=1, war=-1)
    assert int(table.state.enemy_prs) == 1 << NAMES.index("Hesse") and table.fired["WP-PCE-23"] == 1


# --- Post-War Diplomacy ------------------------------------------------------------------


def after_war(table: Table, *allies: str) -> Table:
    for name in allies:
        table.state.ally_whole_war[NAMES.index(name)] = 1
    return table.enter("S_POSTWAR")


def test_WP_PWD_02_it_hits_all_alike() -> None:
    table = after_war(scene(5).di("Bohemia", red=5).di("Hesse", blue=4), "Bohemia", "Hesse")
    assert (table.di_of("Bohemia", "red"), table.di_of("Hesse", "blue")) == (4, 3)
    assert table.fired["WP-PWD-02"] >= 1


def test_WP_PWD_01_declarers_of_a_religious_war_are_spared() -> None:
    table = after_war(scene(5).di("Bohemia", red=5).set(has_declared={"red": names.RELIGIOUS}), "Bohemia")
    assert table.di_of("Bohemia", "red") == 5


def test_WP_PWD_03_an_alliance_lost_and_regained_is_exempt() -> None:
    table = scene(5).di("Bohemia", red=5)
    assert table.state.ally_whole_war[6] == 0
    table.enter("S_POSTWAR")
    assert table.di_of("Bohemia", "red") == 5


def test_WP_PWD_04_all_losses_before_alliances_are_looked_at() -> None:
    table = after_war(scene(5).di("Hesse", red=3, blue=3, ally="red"), "Hesse")
    assert table.di_on("Hesse") == {"red": 2, "blue": 3} and table.ally("Hesse") == "blue"
    assert table.fired["WP-PWD-04"] == 1


def test_WP_PWD_05_without_a_religious_war_the_phase_is_skipped() -> None:
    table = scene(5)
    table.state.doctrine[0, 0] = 1
    table.enter("S_POSTWAR")
    assert table.fired["WP-REL-01"] == 0 and not table.state.doctrine.any() and table.fired["WP-PWD-05"] == 1
    assert table.decision == "D39"
