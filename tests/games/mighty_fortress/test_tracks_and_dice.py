"""Tracks (ledger 3.3) and dice (3.4)."""

from __future__ import annotations

import pytest

from tests.games.mighty_fortress.table import scene

RATED = ["Johann Nagel", "Guelders Horse", "Captain of the Line"]  # rating 2 each


# --- Tracks -------------------------------------------------------------------


def test_MF_TRK_01_siege_strength_is_the_queues_at_most_5() -> None:
    table = scene(dice="W6 W6", queue=[*RATED, "Brewers' Guild", "Soest"])
    assert table.siege_strength == 5
    table.act("Raid Guelders Horse (slot 2)")
    assert table.siege_strength == 4
    table.act("Raid Johann Nagel (slot 1)")
    assert table.fired["MF-TRK-01"] >= 2


@pytest.mark.parametrize(("entrenchment", "slots"), [(0, 6), (2, 4), (5, 1)])
def test_MF_TRK_02_W_01_slots_within_reach(entrenchment: int, slots: int) -> None:
    outsiders = [
        "Refugee Families",
        "Fishwives",
        "Miller of the Aa",
        "Tall Albert",
        "Camp Sutlers",
        "Warendorf",
    ]
    table = scene(dice="W6 W6 W6 W6 W6", queue=outsiders, entrenchment=entrenchment, materials=20, cohesion=3)
    options = table.options()
    for kind in ("Raid", "Negotiate"):
        assert [o for o in options if o.startswith(kind)] == [
            f"{kind} {name} (slot {n})" for n, name in enumerate(outsiders[:slots], start=1)
        ]
    assert len([o for o in options if o.startswith("Convert")]) == min(slots, 5)
    assert any(o.startswith("Dispatch") for o in options) == (slots == 6)
    table.act("Raid Refugee Families (slot 1)")
    assert table.fired["MF-TRK-02"] == 1


def test_MF_TRK_03_consumption_makes_rations_small_and_bills_large() -> None:
    table = scene(dice="W5 W5", consumption=3).act("Ration & Scrounge")
    assert (table.food, table.fired["MF-TRK-03"]) == (22, 1)
    table = scene(dice="", exhausted="WW", dice_black=0, tableau=(), consumption=3, food=20, council=["Divara"])
    table.end()
    assert table.food == 20 - 2 - 3


@pytest.mark.parametrize(("food", "cohesion"), [(20, 1), (5, 1)])
def test_MF_TRK_04_high_consumption_costs_cohesion_once(food: int, cohesion: int) -> None:
    table = scene(exhausted="WW", consumption=4, food=food, council=["Divara"]).end()
    assert table.cohesion == cohesion
    assert table.fired["MF-TRK-04"] == 1


def test_MF_TRK_04_is_tested_after_the_hunger() -> None:
    table = scene(exhausted="WW", consumption=3, food=4, council=["Divara"]).end()
    assert (table.consumption, table.cohesion, table.unrest) == (4, 1, 1)


@pytest.mark.parametrize(("cohesion", "base", "dice"), [(0, 5, 5), (2, 5, 7), (5, 5, 10), (2, 8, 10)])
def test_MF_TRK_05_cohesion_sets_the_draw(cohesion: int, base: int, dice: int) -> None:
    table = scene(exhausted="W", cohesion=cohesion, base_draw=base, council=["Divara"]).end()
    assert sum(int(n) for n in table.state.avail_of[:5]) == dice
    assert table.fired["MF-TRK-05"] == 1


@pytest.mark.parametrize(("unrest", "at", "grows"), [(6, 7, 0), (7, 7, 1), (10, 7, 1), (4, 4, 1)])
def test_MF_TRK_06_unrest_raises_pressure(unrest: int, at: int, grows: int) -> None:
    table = scene(dice="W1", unrest=unrest, defense=5, unrest_pressure_at=at).end()
    assert (table.decision, table.pressure) == ("MF-D-09", grows)
    assert table.fired["MF-TRK-06"] == grows


def test_MF_TRK_07_unrest_10_is_an_assault_check_when_it_is_reached() -> None:
    table = scene(dice="K3 K3 K3 W1", unrest=9, defense=5, strength=0).roll("assault", 4)
    table.act("Patrol", "with Black 3")
    assert (table.unrest, int(table.state.assaults[2]), table.fired["MF-TRK-07"]) == (10, 1, 1)
    table.act("Ration & Scrounge", "with Black 3")  # already there: nothing
    assert int(table.state.assaults[2]) == 1
    table.act("Execute a die for Unrest", "with White 1")
    table.roll("assault", 4).act("Deconstruction")
    assert int(table.state.assaults[2]) == 2


def test_MF_TRK_07_switch_each_gain_and_each_siege() -> None:
    table = scene(dice="K3 K3 W1", unrest=10, defense=5, strength=0, unrest_ten_mode="each_gain")
    table.roll("assault", 4).act("Patrol", "with Black 3")
    assert int(table.state.assaults[2]) == 1
    table = scene(dice="W1", unrest=10, defense=5, strength=0, unrest_ten_mode="each_siege")
    table.roll("assault", 4).end()
    assert (table.decision, int(table.state.assaults[2])) == ("MF-D-09", 1)


def test_MF_TRK_08_bombardment_5_triggers_and_goes_back(effect) -> None:  # type: ignore[no-untyped-def]
    table = effect("bombardment +1", bombardment=4, defense=5, dice="W1 W1").roll("assault", 5)
    table.act("activate Tester")
    assert (table.bombardment, int(table.state.assaults[1]), table.fired["MF-TRK-08"]) == (0, 1, 1)


def test_MF_TRK_09_requirement_is_set_each_turn() -> None:
    table = scene(exhausted="W", pressure=4, requirement=1, council=["Divara"], defense=5).end()
    assert (table.requirement, table.black_drawn) == (3, 4)
    assert table.fired["MF-TRK-09"] == 1
    eased = scene(exhausted="W", pressure=4, council=["Divara"], requirement_gap=5).end()
    assert eased.requirement == 1


# --- Dice ---------------------------------------------------------------------


def test_MF_DIE_01_the_life_of_a_die() -> None:
    table = scene(dice="W3 W3 R2", bag="WWWWWWWWWWWWWWWWWWWW", dice_white=15)
    before = table.bag_count
    table.act("Patrol", "with White 3")
    assert (table.colours("exhausted"), table.bag_count) == ("W", before)
    table.end().act("hold no more")
    assert table.fired["MF-DIE-01"] == 1
    assert table.colours("exhausted") == ""
    assert table.bag_count == before + 3 - 7


def test_MF_DIE_02_black_dice_are_never_committed() -> None:
    table = scene(dice="W6 W5 K6 K6 K5 K4", queue=["Refugee Families"])
    assert "Convert Refugee Families (slot 1)" not in table.options()
    table = scene(dice="W6 W5 W4 R1 K6 K5", queue=["Refugee Families"])
    table.act("Convert Refugee Families (slot 1)")
    while table.decision == "MF-D-03":
        assert not [o for o in table.options() if "Black" in o]
        table.stepper.apply(table.stepper.legal()[0])
    assert table.tableau == ["Refugee Families"]
    assert table.fired["MF-DIE-02"] == 1


def test_MF_DIE_03_white_dice_have_no_gift() -> None:
    table = scene(dice="W4 W4 W4 W4 W4", queue=["Refugee Families"]).act("Convert Refugee Families (slot 1)")
    assert table.colours("exhausted") == "WWWW"
    assert table.fired["MF-DIE-03"] == 4


def test_MF_DIE_04_red_raids_one_slot_farther_and_adds_1() -> None:
    queue = [None, None, None, None, None, "Grain Smugglers"]
    assert [o for o in scene(dice="W5 W5", queue=queue).options() if o.startswith("Raid")] == []
    table = scene(dice="R5 R5", queue=queue).roll("raid", 4).act("Raid Grain Smugglers (slot 6)")
    assert (table.raid_total, table.decision, table.casualties_taken) == (5, "MF-D-01", 0)
    assert table.fired["MF-DIE-04"] == 1
    assert not [o for o in scene(dice="R5 R5", queue=queue, materials=9).options() if "Negotiate" in o]
    assert not [o for o in scene(dice="R5 R5", queue=queue, entrenchment=1).options() if "Raid" in o]


def test_MF_DIE_05_one_blue_bonus_a_turn_shared_by_convert_and_dispatch() -> None:
    table = scene(dice="B4 B4 W1 W1 W1 W1", queue=["Refugee Families"], support={"Warendorf": 0})
    table.act("Convert Refugee Families (slot 1)", "commit Blue 4", "commit White 1", "commit White 1")
    assert table.tableau == ["Refugee Families"]
    assert (table.blue_used, table.fired["MF-DIE-05"]) == (1, 1)
    assert len(table.available.split()) == 3
    table.act("Dispatch, advance Warendorf", "commit Blue 4")  # resistance 3: all three dice, no bonus left
    assert table.fired["MF-DIE-05"] == 1
    assert table.support("Warendorf") == 1


def test_MF_DIE_06_yellow_saves_one_material_a_turn() -> None:
    table = scene(dice="Y6 Y6 Y6", queue=["Refugee Families", "Fishwives", "Tall Albert"], materials=3)
    table.act("Negotiate Refugee Families (slot 1)")  # free: the discount is kept
    assert (table.materials, table.yellow_used) == (3, 0)
    table.act("Negotiate Tall Albert (slot 3)")
    assert (table.materials, table.yellow_used, table.fired["MF-DIE-06"]) == (2, 1, 1)
    table.act("Deconstruction")
    assert "Negotiate Fishwives (slot 2)" not in table.options()  # it was the last die, a turn has passed


def test_MF_DIE_06_a_yellow_die_alone_may_pay_what_is_short() -> None:
    table = scene(dice="Y3 W3", queue=[None, None, "Tall Albert"], materials=1)
    assert "Negotiate Tall Albert (slot 3)" in table.options()
    table.act("Negotiate Tall Albert (slot 3)")  # only the Yellow die can: not asked
    assert (table.available, table.materials) == ("W3", 0)


def test_MF_DIE_06_yellow_deconstructs_one_more() -> None:
    table = scene(dice="Y4 Y4").act("Deconstruction")
    assert (table.materials, table.fired["MF-DIE-06"]) == (5, 1)


def test_MF_DIE_07_purple_gifts() -> None:
    table = scene(dice="P4 P4 P4", queue=["Refugee Families"]).act("Negotiate Refugee Families (slot 1)")
    assert (table.influence, table.fired["MF-DIE-07"]) == (1, 1)
    table.act("Deconstruction")
    assert (table.materials, table.luxuries, table.fired["MF-DIE-07"]) == (4, 1, 2)
    table = scene(dice="P4 W1 W1", support={"Warendorf": 0})  # resistance 3
    table.act("Dispatch, advance Warendorf", "commit Purple 4")  # and a White one: there is no other
    assert (table.support("Warendorf"), table.available) == (1, "W1")


def test_MF_DIE_08_colour_adds_at_most_1_to_a_dispatch() -> None:
    table = scene(dice="P4 P4 W1 W1", support={"Coesfeld": 0})  # resistance 4
    table.act("Dispatch, advance Coesfeld", "commit Purple 4", "commit Purple 4")
    assert table.available == "W1" or table.decision != "MF-D-03"
    assert (table.support("Coesfeld"), table.fired["MF-DIE-08"]) == (1, 1)
    stacked = scene(dice="P4 P4 W1 W1", support={"Coesfeld": 0}, purple_dispatch_stack=True)
    stacked.act("Dispatch, advance Coesfeld", "commit Purple 4", "commit Purple 4")
    assert (stacked.support("Coesfeld"), stacked.available) == (1, "W1 W1")


def test_MF_DIE_09_black_work_raises_unrest_before_its_effect() -> None:
    for action, dice in (
        ("Patrol", "with Black 5"),
        ("Ration & Scrounge", "with Black 5"),
        ("Deconstruction", "with Black 5"),
        ("Raid Refugee Families (slot 1)", "with Black 5"),
        ("Negotiate Refugee Families (slot 1)", "with Black 5"),
        ("activate Divara", "with Black 5"),
        ("Counter-Battery (Entrenchment)", "with Black 5"),
    ):
        table = scene(
            dice="K5 W1 W1",
            queue=["Refugee Families"],
            council=["Divara"],
            unrest=2,
            entrenchment=1,
            materials=2,
        )
        table.roll("raid", 12).act(action, dice)
        assert table.unrest == (2 if "Divara" in action else 3)
        assert table.fired["MF-DIE-09"] == 1
    table = scene(dice="K6 W1", unrest=9, defense=0, strength=3).roll("assault", 6).act("Patrol", "with Black 6")
    assert table.ending == "breach_unrest"  # before Defense rose


def test_MF_DIE_10_executing_with_black_raises_no_unrest() -> None:
    table = scene(dice="K5 W1 W1", unrest=2, pressure=1).act("Execute a die for Pressure", "with Black 5")
    assert (table.unrest, table.pressure, table.fired["MF-DIE-10"]) == (2, 0, 1)


def test_MF_DIE_11_black_dice_do_not_pay_for_the_execution_of_a_card() -> None:
    table = scene(dice="K5 W1 W2", council=["Divara"]).act("Execute Divara")
    assert table.options() == ["pay with White 1", "pay with White 2"]
    table.act("pay with White 2")
    assert table.fired["MF-DIE-11"] == 1
    assert "Execute Divara" not in scene(dice="K5 K4", council=["Divara"]).options()
