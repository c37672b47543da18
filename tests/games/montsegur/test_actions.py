"""The seven actions (ledger 3.7)."""

from __future__ import annotations

import pytest

from simlab.games.montsegur import actions
from tests.games.montsegur.table import edge, records, scene


def test_MS_ATK_01_the_force_comes_from_the_command_centre() -> None:
    table = scene("crusader", hand=["S01"]).spend("S01", "Attack").edge("SP", "CRE")
    assert table.legal() == [0, 1, 2]
    table.force(2)
    assert (table.crusaders["CC"], table.crusaders["SP"]) == (8, 3)
    two = scene("crusader", hand=["S05"], crusaders={"CC": 2}).spend("S05", "Attack").edge("SP", "CRE")
    assert two.legal() == [0, 1]


def test_MS_ATK_02_MS_ATK_03_bases_and_targets() -> None:
    table = scene("crusader", hand=["S01"]).spend("S01", "Attack")
    assert table.legal() == sorted(
        edge(*pair) for pair in (("WP", "WW"), ("SP", "CRE"), ("SE", "CRE"), ("NE", "CRE"), ("NE", "RDT"))
    )
    cut_off = scene("crusader", hand=["S01"], cathars={"WP": 1, "SP": 1}).spend("S01", "Attack")
    assert cut_off.legal() == sorted([edge("CC", "WP"), edge("CC", "SP")])


def test_MS_ATK_04_nobodys_location_is_taken_without_loss() -> None:
    table = scene("crusader", hand=["S01"], cathars={"CRE": 0}).spend("S01", "Attack").attack("SP", "CRE", 3)
    assert (table.crusaders["CRE"], table.battlefield) == (3, (0, 0))


def test_MS_ATK_05_bonus_then_one_for_one() -> None:
    table = scene("crusader", hand=["S05"], cathars={"CRE": 2}, crusaders={"CC": 6})  # WE-11
    table.spend("S05", "Attack").attack("SP", "CRE", 4)
    assert (table.crusaders["CC"], table.crusaders["CRE"], table.battlefield) == (2, 1, (2, 3))


def test_MS_ATK_06_an_empty_command_centre_has_its_bonus() -> None:
    table = scene("crusader", hand=["S01"], cathars={"MC": 0, "WW": 0}, crusaders={"WW": 1})
    table.spend("S01", "Attack").attack("WW", "MC", 3)
    assert (table.battlefield, "MC" in table.crusaders) == ((0, 3), False)
    assert table.fired["MS-ATK-06"] == table.fired["MS-ATK-07"] == 1


def test_MS_ATK_07_both_run_out_together() -> None:
    table = scene("crusader", hand=["S01"]).spend("S01", "Attack").attack("SP", "CRE", 2)
    assert "CRE" not in table.cathars
    assert "CRE" not in table.crusaders


@pytest.mark.parametrize(("ruling", "camp"), [("return", 6), ("lost", 5)])
def test_MS_ATK_08_conquerors_without_room(ruling: str, camp: int) -> None:
    table = scene("crusader", cathars={"CRE": 0}, surplus_conquerors=ruling).command("Attack").attack("SP", "CRE", 5)
    assert (table.crusaders["CRE"], table.crusaders["CC"]) == (4, camp)


def test_MS_ATK_08_limit_force() -> None:
    table = scene("crusader", cathars={"CRE": 0}, surplus_conquerors="limit_force").command("Attack").edge("SP", "CRE")
    assert table.legal() == [0, 1, 2, 3]


def test_MS_ATK_10_the_cathars_attack_the_perimeter() -> None:
    table = scene(hand=["S05"], crusaders={"WP": 2}).spend("S05", "Attack").attack("WW", "WP", 4)
    assert (table.cathars["WP"], table.battlefield) == (2, (2, 2))


def test_MS_REI_01_MS_REI_02_the_crusaders_get_a_soldier_a_point() -> None:
    assert scene("crusader", hand=["S05"]).spend("S05", "Reinforcements").crusaders["CC"] == 14


def test_MS_REI_03_MS_REI_06_the_cathars_sneak_through() -> None:
    ring = {"WP": 6, "SP": 6, "SE": 6, "NE": 5, "NP": 3}
    table = scene(hand=["S05"], crusaders=ring).spend("S05", "Reinforcements")  # WE-06
    assert table.cathars["MC"] == 5
    assert scene(hand=["S05"], crusaders=ring, sneak_divisor=4).spend("S05", "Reinforcements").cathars["MC"] == 6


def test_MS_REI_04_the_table_of_losses() -> None:
    knobs, _ = records(scene().stepper.match)
    losses = [20 - actions.sneak_through(knobs, 20, n) for n in range(11)]  # WE-07
    assert losses == [0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]


def test_MS_REI_05_only_crusaders_on_the_way_count() -> None:
    table = scene(hand=["S01"], cathars={"WP": 2}).spend("S01", "Reinforcements")
    assert table.cathars["MC"] == 7
    crest = scene(hand=["S05"], cathars={"EW": 0}, crusaders={"EW": 1, "CRE": 2, "WP": 6})
    assert crest.spend("S05", "Reinforcements").cathars["MC"] == 5


def test_MS_REI_07_points_of_events_sneak_soldiers_of_events_do_not() -> None:
    assert scene(hand=["S02"]).event("S02").cathars["MC"] == 6
    assert scene(hand=["S25"]).event("S25").cathars["MC"] == 6
    less = scene(hand=["W26"], crusaders={"WP": 6, "SP": 6, "SE": 6, "NE": 6}).event("W26")
    assert less.cathars["MC"] == 7


def test_MS_RED_01_MS_RED_02_picks_and_strengths() -> None:
    table = scene("crusader", hand=["S04"]).spend("S04", "Redeploy")  # WE-02
    assert table.decision == "D_REDEP_PICK"
    table.act(5, 6)
    assert (table.decision, table.legal()) == ("D_REDEP_SET", list(range(7)))
    table.act(6)
    assert (table.crusaders["CC"], table.crusaders["WP"]) == (7, 6)
    rest = scene("crusader", hand=["S04"], crusaders={"NP": 6, "NE": 5}).spend("S04", "Redeploy").act(7, 10)
    assert rest.legal() == [5, 6]


def test_MS_RED_03_a_location_left_empty_is_lost() -> None:
    table = scene("crusader", hand=["S04"]).spend("S04", "Redeploy").redeploy(NP=0, NE=6)
    assert "NP" not in table.crusaders
    assert table.fired["MS-RED-03"] == 1


def test_MS_RED_04_empty_locations_cannot_be_chosen_but_the_own_centre() -> None:
    table = scene("crusader", hand=["S04"], crusaders={"CC": 0, "NP": 0}).spend("S04", "Redeploy")
    assert 5 in table.legal()
    assert 7 not in table.legal()


def test_MS_RED_05_passed_locations_need_not_be_chosen() -> None:
    table = scene("crusader", hand=["S04"]).spend("S04", "Redeploy").act(5)
    assert set(table.legal()) == {6, 7, 8, 9, 10}


def test_MS_RED_01_the_region_ends_at_the_enemy() -> None:
    table = scene("crusader", hand=["S01"], cathars={"WP": 1, "SP": 1}).spend("S01", "Redeploy").act(7)
    assert set(table.legal()) == {9, 10}


@pytest.mark.parametrize(("points", "scouts"), [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3)])
def test_MS_INT_01_MS_INT_02_scouts(points: int, scouts: int) -> None:  # WE-08
    if points == 5:
        assert scene().command("Intelligence").scouts == (scouts, 0)
        return
    card = {1: "S07", 2: "S03", 3: "S01", 4: "S05"}[points]
    assert scene(hand=[card]).spend(card, "Intelligence").scouts == (scouts, 0)


def test_MS_INT_01_knobs() -> None:
    assert scene(hand=["S05"], scout_next_cost=1).spend("S05", "Intelligence").scouts == (4, 0)
    assert scene(hand=["S05"], scout_first_cost=3).spend("S05", "Intelligence").scouts == (1, 0)


@pytest.mark.parametrize(("lead", "made"), [(0, False), (1, True)])
def test_MS_BOO_01_points_token_and_modifiers(lead: int, made: bool) -> None:
    table = scene(hand=["S03"], set_={"lead": (lead, 0), "markers": (0, 0)}).token("F3").spend("S03", "Boost Morale")
    assert (table.morale[0] == 9) is made


def test_MS_BOO_02_success_raises_morale() -> None:
    assert scene("crusader", hand=["S05"]).token("F4", "fate_crusader").spend("S05", "Boost Morale").morale == (8, 9)


def test_MS_ESC_01_MS_ESC_05_one_perfect_the_last_may_try() -> None:
    table = scene(hand=["S01"], set_={"montsegur": 1}).token("dove").spend("S01", "Escape")
    assert table.perfects == {"escaped": 1}
    assert not table.over
    assert table.fired["MS-ESC-05"] == 1


def test_MS_ESC_02_nobody_on_the_way() -> None:
    table = scene(hand=["S07"], cathars={"WP": 1}).spend("S07", "Escape")
    assert table.perfects == {"montsegur": 3, "escaped": 1}
    assert len(table.trail) == 0
    less = scene(hand=["S07"], set_={"path_less": 3}).spend("S07", "Escape")
    assert less.perfects["escaped"] == 1


@pytest.mark.parametrize(("token", "kind"), [("F3", "escaped"), ("F4", "captured")])
def test_MS_ESC_03_MS_ESC_04_the_check(token: str, kind: str) -> None:
    table = scene(hand=["S01"], set_={"markers": (0, 0)}).token(token).spend("S01", "Escape")
    assert table.perfects == {"montsegur": 3, kind: 1}
    worse = scene(hand=["S01"], set_={"markers": (0, 0), "escape_mod": -1}).token("F3").spend("S01", "Escape")
    assert "captured" in worse.perfects


@pytest.mark.parametrize(("card", "cubes"), [("S03", 1), ("S01", 1), ("S05", 2), (None, 2)])
def test_MS_CON_01_consolamentum(card: str | None, cubes: int) -> None:  # WE-09
    table = scene(hand=[card]).spend(card, "Consolamentum") if card else scene().command("Consolamentum")
    assert table.perfects["aspiring"] == cubes
    assert scene(hand=["S05"], aspire_cost=1).spend("S05", "Consolamentum").perfects["aspiring"] == 4
