"""The worked examples of the ledger's section 9 and of the rulebook.

W-01 is test_MF_TRK_02, W-03 test_MF_TRA_01, W-04 test_MF_ASL_04, W-05 test_MF_SET_02, W-07 test_MF_RAT_01.
"""

from __future__ import annotations

from simlab.engine.stepper import Stepper
from tests.games.mighty_fortress.table import Table, match_of, scene


def test_W_02_the_food_bill_of_the_rulebook() -> None:
    """8 Exhausted dice, 1 Available, Consumption 2: the player pays 11 (MF-UPK-02)."""
    table = scene(dice="R2", exhausted="WWWWYYRB", consumption=2, food=20).end()
    before = {name: getattr(table, name) for name in ("consumption", "unrest", "cohesion")}
    table.act("hold no more")
    assert (table.bill, table.food, table.unfed) == (11, 9, 0)
    assert table.colours("exhausted") == ""
    assert {name: getattr(table, name) for name in before} == before


def test_W_02_a_held_die_is_paid_for_and_stays() -> None:
    table = scene(dice="R2", exhausted="WWWWYYRB", consumption=2, food=20, bag="", dice_white=10).end()
    table.act("hold Red 2")
    assert (table.bill, table.food) == (11, 9)
    assert "R2" in table.available


def test_W_06_the_first_turn() -> None:
    stepper = Stepper(match_of(), 1, 0, forced={"decree": [3]})
    table = Table(stepper)
    assert (table.unrest, table.pressure, table.piety) == (1, 1, 1)
    assert sum(int(n) for n in table.state.avail_of[:5]) == 7
    assert (table.black_drawn, table.requirement, table.defense) == (1, 1, 3)
    assert table.stepper.describe()["decree"] == "4 on turn 1, Ten Companies at Ten Gates: defense +1"
    black = next(die for die in table.available.split() if die.startswith("K"))
    table.act("Execute a die for Pressure", f"with Black {black[1]}")
    assert (table.pressure, table.black_dead, table.black_pool) == (0, 1, 11)
    table.end()
    assert table.decision == "MF-D-09"
    assert (table.fired["MF-TRA-02"], table.fired["MF-TRA-03"]) == (1, 0)
    assert (table.defense, table.entrenchment, table.bombardment) == (2, 1, 1)


def test_W_08_negotiate_with_a_yellow_die() -> None:
    queue = [None, None, "Blockhouse Carpenters"]
    table = scene(dice="Y3 W1", queue=queue, entrenchment=2, materials=5)
    table.act("Negotiate Blockhouse Carpenters (slot 3)")
    assert (table.materials, table.discard_len, table.queue[2]) == (8, 1, None)


def test_W_09_a_raid_with_a_red_die() -> None:
    queue = [None, None, None, None, None, "Grain Smugglers"]
    table = scene(dice="R5 W1", queue=queue).roll("raid", 3)
    table.act("Raid Grain Smugglers (slot 6)")
    assert (table.raid_total, table.food, table.decision) == (4, 24, "MF-D-04")
    table.act("lose Red Exhausted")
    assert table.colours("lost") == "R"
    lucky = scene(dice="R5 W1", queue=queue).roll("raid", 4).act("Raid Grain Smugglers (slot 6)")
    assert (lucky.raid_total, lucky.decision) == (5, "MF-D-01")


def test_W_10_convert_with_the_blue_bonus() -> None:
    table = scene(dice="B4 W6 W1 B5 W2 W3", queue=["Refugee Families", "Fishwives"])
    table.act("Convert Refugee Families (slot 1)", "commit Blue 4", "commit White 6", "commit White 1")
    assert table.tableau == ["Refugee Families"]
    assert not [o for o in table.options() if o.startswith("Convert")]  # B5 W2 W3: Power 3 only
    table.end().act("hold no more")
    assert table.bill == 6 + 1 - 1


def test_W_11_a_dispatch_with_purple_and_blue() -> None:
    table = scene(dice="P1 B1 W1 W2", support={"Soest": 1}, cohesion=2)
    table.act("Dispatch, advance Soest", "commit Purple 1", "commit Blue 1", "commit White 1")
    assert (table.support("Soest"), table.cohesion, table.blue_used) == (2, 1, 0)


def test_W_12_knipperdolling() -> None:
    table = scene(dice="W2 K5 W1", drawn=2, council=["Bernard Knipperdolling"], pressure=2, unrest=3, cohesion=2)
    table.act("activate Bernard Knipperdolling")
    assert "with Black 5" not in table.options()  # the die of the activation is not the one executed
    table.act("with White 2", "lower Pressure")
    assert (table.pressure, table.unrest, table.cohesion, table.vp, table.black_dead) == (1, 3, 3, 1, 1)


def test_W_13_the_final_score() -> None:
    table = scene(
        exhausted="W", turn=14, vp=3, tableau=["Captain of the Line", "Refugee Families", "Johann Nagel"],
        council=["Divara", "Gerard Kibbenbrock"], luxuries=7, piety=10, influence=9, defense=5,
    ).end()  # fmt: skip
    row = table.stepper.row()
    parts = [row[f"vp_{name}"] for name in ("earned", "converted", "elders", "luxuries", "mastery", "defense")]
    assert parts == [3, 11, 3, 3, 3, 2]
    assert (row["score"], table.ending) == ([25], "historical_outcome")
