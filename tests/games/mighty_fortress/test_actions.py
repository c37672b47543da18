"""The Action Phase (ledger 3.8 to 3.13)."""

from __future__ import annotations

import pytest

from tests.games.mighty_fortress.table import scene

# --- In general ---------------------------------------------------------------


def test_MF_ACT_01_any_order_until_the_player_stops() -> None:
    table = scene(dice="W1 W2 W3").act("Deconstruction", "with White 1", "Patrol", "with White 2")
    assert (table.decision, table.fired["MF-ACT-01"]) == ("MF-D-01", 2)
    table.end().act("hold White 3")
    assert table.turn == 3


def test_MF_ACT_02_an_action_exhausts_one_available_die() -> None:
    table = scene(dice="W1 Y2 R3 B4 P5 K6").act("Patrol")
    assert len(table.options()) == 6
    table.act("with Blue 4")
    assert (table.available, table.colours("exhausted"), table.fired["MF-ACT-02"]) == (
        "W1 Y2 R3 P5 K6",
        "B",
        1,
    )


def test_MF_ACT_03_four_actions_once_a_turn() -> None:
    table = scene(dice="W1 W1 W1 W1 W1", entrenchment=2, bombardment=2, materials=5)
    table.act("Ration & Scrounge", "Patrol", "Counter-Battery (Bombardment)", "Deconstruction")
    assert table.options() == ["end the Action Phase"]
    assert table.fired["MF-ACT-03"] == 4


def test_MF_ACT_04_an_emptied_slot_stays_empty() -> None:
    table = scene(dice="W6 W6", queue=["Fishwives", "Tall Albert"]).roll("raid", 9)
    table.act("Raid Fishwives (slot 1)")
    assert (table.queue[:2], table.fired["MF-ACT-04"]) == ([None, "Tall Albert"], 1)


# --- Once a turn --------------------------------------------------------------


@pytest.mark.parametrize(
    ("pip", "consumption", "tableau", "food", "materials"),
    [(4, 2, (), 2, 0), (4, 2, ("Tall Albert",), 3, 1), (2, 3, (), 0, 0), (6, 0, (), 6, 1)],
)
def test_MF_RAT_01_W_07_food_by_pip_less_consumption(
    pip: int, consumption: int, tableau: tuple[str, ...], food: int, materials: int
) -> None:
    table = scene(dice=f"W{pip} W{pip}", consumption=consumption, tableau=tableau).act("Ration & Scrounge")
    assert (table.food, table.materials, table.fired["MF-RAT-01"]) == (20 + food, materials, 1)


def test_MF_RAT_02_three_food_bring_a_material() -> None:
    table = scene(dice="W4 W4", food=40).act("Ration & Scrounge")  # 3, though the stores are full
    assert (table.food, table.materials, table.fired["MF-RAT-02"]) == (40, 1, 1)
    assert scene(dice="W4 W4", ration_material_at=4).act("Ration & Scrounge").materials == 0


@pytest.mark.parametrize(("pip", "gain"), [(1, 1), (4, 1), (5, 2), (6, 2)])
def test_MF_PAT_01_defense(pip: int, gain: int) -> None:
    table = scene(dice=f"W{pip} W{pip}", defense=1).act("Patrol")
    assert (table.defense, table.fired["MF-PAT-01"]) == (1 + gain, 1)
    assert scene(dice=f"W{pip} W{pip}", defense=1, tableau=["Johann Nagel"]).act("Patrol").defense == 2 + gain
    assert scene(dice=f"W{pip} W{pip}", defense=1, patrol_strong_pip=7).act("Patrol").defense == 2


def test_MF_CTB_01_entrenchment_for_two_materials() -> None:
    table = scene(dice="W1 W1", entrenchment=3, materials=2).act("Counter-Battery (Entrenchment)")
    assert (table.entrenchment, table.materials, table.fired["MF-CTB-01"]) == (2, 0, 1)
    dear = scene(dice="W1 W1", entrenchment=3, materials=2, counter_entrenchment_cost=3)
    assert "Counter-Battery (Entrenchment)" not in dear.options()


def test_MF_CTB_02_bombardment_for_three_materials() -> None:
    table = scene(dice="W1 W1", bombardment=3, materials=3).act("Counter-Battery (Bombardment)")
    assert (table.bombardment, table.materials, table.fired["MF-CTB-02"]) == (2, 0, 1)
    free = scene(dice="W1 W1", bombardment=3, counter_bombardment_cost=0).act("Counter-Battery (Bombardment)")
    assert free.bombardment == 2


def test_MF_CTB_03_discounts_add_up_and_an_empty_track_is_no_target() -> None:
    table = scene(dice="Y1 Y1", entrenchment=1, tableau=["Master Gunner"])
    table.act("Counter-Battery (Entrenchment)")  # 2 - 1 - 1
    assert (table.entrenchment, table.materials, table.fired["MF-CTB-03"]) == (0, 0, 1)
    assert "Counter-Battery (Entrenchment)" not in scene(dice="W1 W1", materials=9).options()


def test_MF_DCN_01_materials_by_pip() -> None:
    table = scene(dice="R4 R4").act("Deconstruction")
    assert (table.materials, table.fired["MF-DCN-01"]) == (4, 1)
    assert scene(dice="R4 R4", tableau=["Powder Makers"]).act("Deconstruction").materials == 5


# --- Execute ------------------------------------------------------------------


def test_MF_EXC_01_a_card_costs_a_coloured_die_on_the_table() -> None:
    table = scene(dice="W1 W2", exhausted="R", council=["Divara"]).act("Execute Divara")
    assert table.options() == ["pay with White 1", "pay with White 2", "pay with Red Exhausted"]
    table.act("pay with Red Exhausted")
    assert (table.council, table.colours("lost"), table.available) == ([], "R", "W1 W2")
    assert table.fired["MF-EXC-01"] == 1
    assert table.casualties_taken == 1


def test_MF_EXC_02_an_elder_brings_its_vp() -> None:
    table = scene(dice="W1 W1", council=["Bernard Rothmann"]).act("Execute Bernard Rothmann")
    assert (table.vp, table.fired["MF-EXC-02"]) == (3, 1)


def test_MF_EXC_03_executed_elders_are_scored_once() -> None:
    for twice, total in ((False, 3), (True, 6)):
        table = scene(dice="W1", council=["Bernard Rothmann"], turn=14, executed_elder_vp_twice=twice)
        table.act("Execute Bernard Rothmann")
        row = table.stepper.row()
        assert (row["vp_earned"] + row["vp_elders"] - 1, table.fired["MF-EXC-03"]) == (total, 1)


def test_MF_EXC_04_an_outsider_brings_the_reward_of_a_tag() -> None:
    table = scene(dice="W1 W1", tableau=["Johann Nagel"]).act("Execute Johann Nagel")
    assert table.options() == ["as Sword: materials +2", "as Command: influence +1"]
    table.act("as Command")
    assert (table.influence, table.tableau, table.fired["MF-EXC-04"]) == (1, [], 1)
    assert int(table.state.ability.sum()) == 0
    for name, track, value in (
        ("Wandering Prophet", "piety", 1), ("Refugee Families", "food", 23),
        ("Halberdiers of Cleves", "materials", 2), ("Sappers", "materials", 3),
        ("Camp Quartermaster", "influence", 1), ("Northon", "unrest", 1),
    ):  # fmt: skip
        one = scene(dice="W1 W1", tableau=[name], unrest=2).act(f"Execute {name}")
        assert getattr(one, track) == value
    noble = scene(dice="W1 W1", tableau=["Guelders Horse"]).act("Execute Guelders Horse", "as Noble")
    assert noble.luxuries == 2


def test_MF_EXC_05_an_executed_elder_cannot_come_back() -> None:
    table = scene(dice="B1 B1 B1", council=["Bernard Rothmann"], piety=5)
    table.act("Execute Bernard Rothmann")
    assert "seat Bernard Rothmann" not in table.options()
    assert (table.council, table.fired["MF-EXC-05"]) == ([], 1)


def test_MF_EXD_01_a_die_for_unrest_or_pressure() -> None:
    table = scene(dice="W1 K2 R3", exhausted="B", unrest=2, pressure=2).act("Execute a die for Unrest")
    assert table.options() == ["with White 1", "with Red 3", "with Black 2"]
    table.act("with Red 3")
    assert (table.unrest, table.colours("lost"), table.fired["MF-EXD-01"]) == (1, "R", 1)
    table.act("Execute a die for Pressure", "with Black 2")
    assert (table.pressure, table.black_dead) == (1, 1)
    assert not [o for o in scene(dice="W1 W2").options() if "Execute" in o]
    bonus = scene(dice="W1 W1 W1", unrest=5, tableau=["Henry Mollenheck"])
    assert bonus.act("Execute a die for Unrest").unrest == 3
    assert bonus.act("Execute a die for Unrest").unrest == 2


def test_MF_EXD_02_executed_traitors_count_in_the_check() -> None:
    table = scene(dice="K1 W1", pressure=1).act("Execute a die for Pressure", "with Black 1").end()
    assert (table.fired["MF-EXD-02"], table.fired["MF-TRA-02"]) == (1, 1)


def test_MF_EXD_03_less_pressure_changes_nothing_of_this_turn() -> None:
    table = scene(dice="K1 K1 K1 W1", pressure=3).act("Execute a die for Pressure", "with White 1")
    assert (table.requirement, table.available, table.fired["MF-EXD-03"]) == (2, "K1 K1 K1", 1)


# --- Elders -------------------------------------------------------------------


def test_MF_ELD_01_any_die_activates_a_black_one_raises_unrest() -> None:
    table = scene(dice="K1 W1", council=["Henry Krechting"]).act("activate Henry Krechting", "with Black 1")
    assert (table.influence, table.unrest, table.fired["MF-ELD-01"]) == (1, 1, 1)
    paid = scene(dice="W1 W1", council=["Bernard Rothmann"], piety=1).act("activate Bernard Rothmann")
    assert (paid.piety, paid.cohesion) == (0, 3)
    assert "activate Bernard Rothmann" not in scene(dice="W1 W1", council=["Bernard Rothmann"]).options()


def test_MF_ELD_02_once_a_turn() -> None:
    table = scene(dice="W1 W1 W1", council=["Henry Krechting"]).act("activate Henry Krechting")
    assert "activate Henry Krechting" not in table.options()
    assert table.fired["MF-ELD-02"] == 1
    free = scene(dice="W1 W1 W1", council=["Henry Krechting"], elder_activation_limit="0")
    assert free.act("activate Henry Krechting", "activate Henry Krechting").influence == 2


def test_MF_ELD_03_in_the_turn_of_its_seating() -> None:
    table = scene(dice="P1 P1 P1", influence=2).act("seat Henry Krechting", "activate Henry Krechting")
    assert (table.influence, table.fired["MF-ELD-03"]) == (1, 1)


def test_MF_SEA_01_die_and_price() -> None:
    table = scene(dice="W1 R1", luxuries=1, piety=1)
    assert [o for o in table.options() if "seat" in o] == [
        "seat Divara: unrest -1, 2 VP if executed (for a White die, luxuries 1, piety 1)"
    ]
    table.act("seat Divara")
    assert (table.council, table.luxuries, table.piety, table.available) == (["Divara"], 0, 0, "R1")
    assert table.fired["MF-SEA-01"] == 1
    assert not [o for o in scene(dice="R1 R1", luxuries=1, piety=1).options() if "Divara" in o]


def test_MF_SEA_02_a_full_council_replaces() -> None:
    council = ["Bernard Rothmann", "Henry Krechting", "Herman Tilbeck"]
    table = scene(dice="W1 B1", council=council, luxuries=1, piety=5).act("seat Divara")
    assert table.options() == [f"replace {name}" for name in council]
    table.act("replace Henry Krechting")
    assert sorted(table.council) == ["Bernard Rothmann", "Divara", "Herman Tilbeck"]
    assert table.fired["MF-SEA-02"] == 1
    assert table.state.elder_state[4] == 0


def test_MF_SEA_03_three_spaces_or_four() -> None:
    council = ["Bernard Rothmann", "Henry Krechting", "Herman Tilbeck"]
    table = scene(dice="W1 W1 W1", council=council, luxuries=1, piety=5, council_free_spaces="4")
    table.act("seat Divara")
    assert table.council == [*council, "Divara"]
    assert table.fired["MF-SEA-03"] == 1
    assert {"activate Divara", "Execute Divara"} <= set(table.options())
    table.state.unrest = 3
    table.act("activate Divara")
    assert table.unrest == 2
    table.act("Execute Divara", "pay with White Exhausted")
    assert (table.vp, table.council) == (2, council)


# --- Convert, Negotiate, Raid -------------------------------------------------


def test_MF_CNV_01_power_to_the_resistance_with_a_die_for_the_slot() -> None:
    queue = [None, None, None, None, "Fishwives"]
    table = scene(dice="W4 W4 W4 W4 W4", queue=queue)
    assert not [o for o in table.options() if "Convert" in o]
    table = scene(dice="W5 W1 R1 Y1 P1", queue=queue).act("Convert Fishwives (slot 5)")
    assert table.available.count(" ") == 3  # the lead die was not asked for: only one fits
    table.act("commit Red 1", "commit Yellow 1", "commit Purple 1")
    assert (table.tableau, table.available, table.queue[4]) == (["Fishwives"], "W1", None)
    assert table.fired["MF-CNV-01"] == 1
    assert "Convert Fishwives (slot 1)" in scene(dice="W5 W5", queue=["Fishwives"], resistance_shift=-2).options()
    assert not [o for o in scene(dice="W5 W5 W5 W5", queue=["Soest"]).options() if "Convert" in o]


def test_MF_CNV_02_blue_and_abilities_add_power() -> None:
    table = scene(dice="B1 W1 W1", queue=["Fishwives", "Tall Albert"], tableau=["Beguine Sisters"])
    table.act("Convert Fishwives (slot 1)", "commit Blue 1")  # 1 + 1 + 1, and a White die
    assert (table.tableau, table.available) == (["Fishwives", "Beguine Sisters"], "W1")
    assert table.fired["MF-CNV-02"] == 1


def test_MF_CNV_03_the_ability_is_in_force_at_once() -> None:
    table = scene(dice="W4 W4 W4 W4 W4 W4", queue=["Miller of the Aa"])
    table.act("Convert Miller of the Aa (slot 1)", "Ration & Scrounge")
    assert (table.food, table.fired["MF-CNV-03"]) == (24, 1)
    once = scene(dice="W4 W4 W4 W4 W4 W4", queue=["Moat Drainers"], defense=1)
    assert once.act("Convert Moat Drainers (slot 1)").defense == 3
    first = scene(dice="W1 W1 W1 W1 W1 W1 W1 W1", queue=["Beguine Sisters", None, "Fishwives"])
    first.act("Convert Beguine Sisters (slot 1)")
    assert len(first.available.split()) == 4
    assert first.state.converts == 1  # its own ability helps from the next turn on


def test_MF_NEG_01_materials_by_slot_the_reward_the_discard_pile() -> None:
    table = scene(dice="W3 W3", queue=[None, None, "Camp Quartermaster"], materials=2)
    table.act("Negotiate Camp Quartermaster (slot 3)")
    assert (table.food, table.materials, table.discard_len) == (23, 1, 1)
    assert (table.queue[2], table.fired["MF-NEG-01"]) == (None, 1)
    better = scene(dice="W3 W3", queue=["Fishwives"], food_reward_shift=2).act("Negotiate Fishwives (slot 1)")
    assert better.food == 25
    cheap = scene(dice="W3 W3 W3", queue=[None, "Fishwives", "Soest"], tableau=["Hessian Envoy"], materials=1)
    assert "Negotiate Soest (slot 3)" in cheap.options()
    cheap.act("Negotiate Fishwives (slot 2)")
    assert cheap.materials == 1
    assert "Negotiate Soest (slot 3)" not in cheap.options()  # the second one has no discount


def test_MF_RAI_01_reward_first_then_the_roll() -> None:
    table = scene(dice="W1 W1 W1", queue=["Fishwives"]).roll("raid", 5).act("Raid Fishwives (slot 1)")
    assert (table.food, table.queue[0], table.discard_len, table.decision) == (23, None, 0, "MF-D-01")
    assert table.fired["MF-RAI-01"] == 1
    unlucky = scene(dice="W1 W1", queue=["Fishwives"]).roll("raid", 4).act("Raid Fishwives (slot 1)")
    assert (unlucky.food, unlucky.decision) == (23, "MF-D-04")
    safe = scene(dice="W1 W1", queue=["Fishwives"], raid_casualty_max=0).roll("raid", 1)
    assert safe.act("Raid Fishwives (slot 1)").decision == "MF-D-01"
    helped = scene(dice="W1 W1", queue=["Fishwives"], tableau=["Camp Sutlers", "Unpaid Mercenaries"])
    helped.roll("raid", 4).act("Raid Fishwives (slot 1)")
    assert (helped.food, helped.decision) == (24, "MF-D-01")


def test_MF_RAI_02_the_raiding_die_may_be_the_casualty() -> None:
    table = scene(dice="R1 W1 W1", queue=["Fishwives"]).roll("raid", 1)
    table.act("Raid Fishwives (slot 1)", "with Red 1")
    assert table.options() == ["lose White 1", "lose Red Exhausted"]
    table.act("lose Red Exhausted")
    assert (table.colours("lost"), table.available, table.fired["MF-RAI-02"]) == ("R", "W1 W1", 1)


def test_MF_QUE_01_cities_can_be_negotiated_with_and_raided() -> None:
    table = scene(dice="W1 W1 W1", queue=["Soest"])
    assert {"Negotiate Soest (slot 1)", "Raid Soest (slot 1)"} <= set(table.options())
    table.act("Negotiate Soest (slot 1)")
    assert (table.materials, table.fired["MF-QUE-01"]) == (3, 1)
    closed = scene(dice="W1 W1 W1", queue=["Soest"], city_negotiable=False).options()
    assert not [o for o in closed if "Soest" in o]


# --- Dispatch -----------------------------------------------------------------


def test_MF_DSP_01_a_city_moves_to_the_track() -> None:
    table = scene(dice="W2 W2", queue=[None, "Soest"], materials=3)
    table.act("Dispatch, move to the Support Track: Soest (slot 2)")
    assert (table.support("Soest"), table.food, table.materials, table.cohesion) == (0, 17, 0, 1)
    assert (table.queue[1], table.fired["MF-DSP-01"]) == (None, 1)
    assert not [o for o in scene(dice="W1 W1", queue=[None, "Soest"], materials=3).options() if "Dispatch" in o]
    ahead = scene(dice="W2 W2", queue=[None, "Soest"], materials=3, support_start="1")
    ahead.act("Dispatch, move to the Support Track: Soest (slot 2)")
    assert ahead.support("Soest") == 1


def test_MF_DSP_02_one_support_for_the_resistance() -> None:
    table = scene(dice="W1 W1 W1 W1", support={"Warendorf": 2}, entrenchment=5).act("Dispatch, advance Warendorf")
    assert (table.support("Warendorf"), table.available, table.fired["MF-DSP-02"]) == (3, "W1", 1)
    assert not [o for o in scene(dice="W1 W1", support={"Warendorf": 2}).options() if "Dispatch" in o]
    assert not [o for o in scene(dice="W1 W1 W1", support={"Warendorf": 4}).options() if "Dispatch" in o]
    assert [o for o in scene(dice="W1 W1 W1", support={"Warendorf": 4}, support_goal=5).options() if "Disp" in o]


def test_MF_DSP_03_bonuses_of_an_advance() -> None:
    table = scene(dice="W1 W1 W1", support={"Warendorf": 0}, tableau=["Herald of the Estates"])
    table.act("Dispatch, advance Warendorf")
    assert (table.available, table.fired["MF-DSP-03"]) == ("W1", 1)
    sent = scene(dice="W1 W1 W1 W1", support={"Warendorf": 0}, council=["Johann Klopriss"], cohesion=0)
    assert "Dispatch, advance Warendorf" not in sent.options()
    sent.act("activate Johann Klopriss", "Dispatch, advance Warendorf")
    assert (sent.support("Warendorf"), sent.cohesion, sent.available, sent.herald) == (1, 0, "W1", 0)


def test_MF_DSP_04_one_dispatch_a_city_a_turn() -> None:
    table = scene(dice="W1 W1 W1 W1 W1 W1 W1", support={"Warendorf": 0}).act("Dispatch, advance Warendorf")
    assert "Dispatch, advance Warendorf" not in table.options()
    assert table.fired["MF-DSP-04"] == 1
    moved = scene(dice="W1 W1 W1 W1 W1 W1", queue=["Warendorf"], materials=2)
    moved.act("Dispatch, move to the Support Track: Warendorf (slot 1)")
    assert "Dispatch, advance Warendorf" not in moved.options()


def test_MF_DSP_05_a_dispatch_costs_cohesion() -> None:
    table = scene(dice="W1 W1 W1 W1", support={"Warendorf": 0}, cohesion=1).act("Dispatch, advance Warendorf")
    assert (table.cohesion, table.fired["MF-DSP-05"]) == (0, 1)
    assert not [o for o in scene(dice="W1 W1 W1", support={"Warendorf": 0}, cohesion=0).options() if "Disp" in o]
    free = scene(dice="W1 W1 W1 W1", support={"Warendorf": 0}, cohesion=0, dispatch_at_zero_cohesion="allow")
    assert free.act("Dispatch, advance Warendorf").support("Warendorf") == 1


def test_MF_DSP_06_the_second_city_wins() -> None:
    table = scene(dice="W1 W1 W1 W1", support={"Warendorf": 3, "Soest": 4}).act("Dispatch, advance Warendorf")
    assert (table.over, table.ending, table.fired["MF-DSP-06"]) == (True, "relief_achieved", 1)


def test_MF_DSP_06_support_can_fall_from_the_top(effect) -> None:  # type: ignore[no-untyped-def]
    table = effect("support -1", dice="W1 W1", support={"Soest": 4, "Wesel": 4, "Warendorf": 2}, cities_needed=3)
    table.act("activate Tester")
    assert (table.support("Soest"), table.support("Wesel")) == (3, 4)
