"""Assault Checks and casualties (ledger 3.16), the end and the score (3.17)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.games.mighty_fortress.table import Table, scene

# --- Assault Checks -----------------------------------------------------------


def assaulted(roll: int, defense: int = 0, strength: int = 0, **rest: Any) -> Table:
    """An Assault Check by Unrest 10 in the Action Phase."""
    table = scene(dice="K1 W1 W1", unrest=9, defense=defense, strength=strength, entrenchment=3, materials=9, **rest)
    return table.roll("assault", roll).act("Deconstruction", "with Black 1")


@pytest.mark.parametrize(
    ("roll", "defense", "strength", "over", "entrenchment", "cohesion"),
    [
        (3, 0, 0, True, 3, 2), (1, 2, 5, True, 3, 2), (4, 0, 0, False, 3, 2), (8, 0, 0, False, 3, 2),
        (9, 0, 0, False, 2, 2), (11, 0, 0, False, 2, 2), (12, 0, 0, False, 3, 3), (12, 5, 0, False, 3, 3),
    ],
)  # fmt: skip
def test_MF_ASL_01_results(
    roll: int, defense: int, strength: int, over: bool, entrenchment: int, cohesion: int
) -> None:
    table = assaulted(roll, defense, strength)
    assert (table.over, table.entrenchment, table.cohesion) == (over, entrenchment, cohesion)
    assert (table.assault_total, table.fired["MF-ASL-01"]) == (roll + defense - strength, 1)


def test_MF_ASL_01_knobs_and_ability() -> None:
    assert assaulted(4, breach_max=4).over
    assert assaulted(6, repel_max=5).entrenchment == 2
    assert assaulted(12, strong_repel_max=12).cohesion == 2
    assert not assaulted(3, tableau=["Halberdiers of Cleves"]).over


def test_MF_ASL_02_triggers() -> None:
    assert assaulted(5).fired["MF-ASL-02"] == 1


def test_MF_ASL_03_bombardment_5_outside_the_siege_phase_has_no_gate(effect) -> None:  # type: ignore[no-untyped-def]
    table = effect("bombardment +1", bombardment=4, defense=5, dice="W1 W1").roll("assault", 5)
    table.act("activate Tester")
    assert (table.bombardment, int(table.state.assaults[1]), table.fired["MF-ASL-03"]) == (0, 1, 1)
    gated = effect("bombardment +1", bombardment=4, defense=5, dice="W1 W1", bombardment_gate_scope="everywhere").act(
        "activate Tester"
    )
    assert (gated.bombardment, int(gated.state.assaults[1])) == (4, 0)


def test_MF_ASL_04_W_04_bombardment_5_in_the_siege_phase() -> None:
    table = scene(dice="W1", defense=3, strength=3, bombardment=4, turn=6).roll("assault", 5).end()
    assert (table.defense, table.bombardment, table.assault_total) == (2, 0, 5 + 2 - 3)
    assert table.fired["MF-ASL-04"] == 1
    table = scene(dice="W1", defense=4, strength=3, bombardment=4, turn=6).end()
    assert (table.defense, table.bombardment, int(table.state.assaults.sum())) == (3, 4, 0)


def test_MF_ASL_05_the_gate_stands_in_the_traitor_check_too() -> None:
    position = {"dice": "W1", "exhausted": "K", "defense": 5, "strength": 3, "bombardment": 3}
    table = scene(**position).end()  # 4 in the Siege Phase, 5 by the failure
    assert (table.bombardment, int(table.state.assaults.sum()), table.fired["MF-ASL-05"]) == (4, 0, 1)
    strict = scene(**position, bombardment_gate_scope="siege_phase_only").roll("assault", 6).end()
    assert (strict.bombardment, int(strict.state.assaults[1])) == (0, 1)


def test_MF_ASL_06_one_assault_in_siege_phase_and_traitor_check() -> None:
    position = {"dice": "W1", "exhausted": "K", "defense": 2, "strength": 3, "bombardment": 4, "unrest": 9}
    table = scene(**position).roll("assault", 9).end()
    assert (int(table.state.assaults.sum()), table.unrest, table.fired["MF-ASL-06"]) == (1, 10, 2)
    assert table.bombardment == 1  # back to 0, then the failure
    both = scene(**position, one_assault_scope="siege_only").roll("assault", 9, 9, 9).end()
    assert [int(n) for n in both.state.assaults[1:]] == [1, 1, 1, 0]


def test_MF_ASL_07_elsewhere_every_trigger_counts(effect) -> None:  # type: ignore[no-untyped-def]
    text = "bombardment +1; unrest +1"
    table = effect(text, bombardment=4, unrest=9, defense=3, dice="W1 W1").roll("assault", 6, 6)
    table.act("activate Tester")
    assert (int(table.state.assaults.sum()), table.fired["MF-ASL-07"]) == (2, 2)


def test_MF_ASL_08_a_repelled_assault_changes_nothing_else() -> None:
    table = assaulted(5, defense=2)
    assert (table.unrest, table.defense, table.cohesion, table.casualties_taken) == (10, 2, 2, 0)
    assert table.fired["MF-ASL-08"] == 1


# --- Casualties ---------------------------------------------------------------


def test_MF_CAS_01_a_die_on_the_table_goes_to_the_lost_box(effect) -> None:  # type: ignore[no-untyped-def]
    table = effect("casualty 2", dice="W1 R6 R6").act("activate Tester", "with White 1")
    assert table.options() == ["lose Red 6", "lose White Exhausted"]
    table.act("lose White Exhausted")  # the Red dice are the only ones left: not asked
    assert (table.colours("lost"), table.available, table.fired["MF-CAS-01"]) == ("WR", "R6", 2)


def test_MF_CAS_02_a_black_casualty_is_dead(effect) -> None:  # type: ignore[no-untyped-def]
    table = effect("casualty 1", dice="W1 K6").act("activate Tester", "with White 1", "lose Black 6")
    assert (table.black_dead, table.black_pool, table.fired["MF-CAS-02"]) == (1, 11, 1)


def test_MF_CAS_03_without_a_die_unrest_rises(effect) -> None:  # type: ignore[no-untyped-def]
    table = effect("casualty 3", dice="W1 W1").act("activate Tester", "lose White 1")
    assert table.fired["MF-CAS-03"] == 1
    assert table.colours("lost") == "WW"


def test_MF_CAS_04_lost_dice_are_missing_until_recovered(effect) -> None:  # type: ignore[no-untyped-def]
    table = effect("casualty 1; recover 3", dice="W1 W1 W1", lost="P").act("activate Tester", "lose White 1")
    assert table.options() == ["recover a White die", "recover a Purple die"]
    bag = table.bag_count
    table.act("recover a Purple die")
    assert (table.bag_count, table.colours("lost"), table.recovered) == (bag + 2, "", 2)
    assert table.fired["MF-CAS-04"] == 1


# --- The end ------------------------------------------------------------------


def last_turn(**rest: Any) -> Table:
    """Ends turn 14; Defense falls by one on the way."""
    return scene(exhausted="W", turn=14, **({"council": ["Divara"]} | rest)).end()


def test_MF_END_01_a_breach_scores_nothing() -> None:
    table = assaulted(1, vp=7)
    row = table.stepper.row()
    assert (row["winner"], row["winners"], row["score"], row["turns"]) == (-1, 0, [0], 2)
    assert (table.ending, table.fired["MF-END-01"]) == ("breach_unrest", 1)


def test_MF_END_02_two_cities_at_4_win_at_once() -> None:
    table = scene(dice="W1 W1 W1", support={"Warendorf": 3, "Soest": 4}, turn=5).act("Dispatch, advance Warendorf")
    row = table.stepper.row()
    assert (row["winner"], row["turns"], table.fired["MF-END-02"]) == (0, 5, 1)
    one = scene(dice="W1 W1 W1 W1", support={"Warendorf": 1}, support_goal=2, cities_needed=1)
    assert one.act("Dispatch, advance Warendorf").over


def test_MF_END_03_who_stands_after_turn_14_survives() -> None:
    table = last_turn()
    assert (table.ending, table.stepper.row()["winner"], table.fired["MF-END-03"]) == (
        "pyrrhic_failure",
        0,
        1,
    )


# --- The score ----------------------------------------------------------------


def part(table: Table, name: str) -> int:
    return int(table.stepper.row()[name])


def test_MF_SCO_01_vp_of_the_game() -> None:
    table = last_turn(vp=9)
    assert (part(table, "vp_earned"), table.fired["MF-SCO-01"]) == (9, 1)


def test_MF_SCO_02_converted_outsiders() -> None:
    table = last_turn(tableau=["Captain of the Line", "Johann Nagel", "Refugee Families"])
    assert (part(table, "vp_converted"), table.fired["MF-SCO-02"]) == (11, 1)


def test_MF_SCO_03_seated_elders_and_jan() -> None:
    table = last_turn(council=["Divara", "Bernard Rothmann"])
    assert (part(table, "vp_elders"), table.fired["MF-SCO-03"]) == (3, 1)


@pytest.mark.parametrize(("luxuries", "points"), [(0, 0), (1, 0), (7, 3)])
def test_MF_SCO_04_luxuries(luxuries: int, points: int) -> None:
    table = last_turn(luxuries=luxuries)
    assert part(table, "vp_luxuries") == points
    assert table.fired["MF-SCO-04"] == (1 if points else 0)


@pytest.mark.parametrize(("defense", "points"), [(4, 0), (5, 2)])
def test_MF_SCO_05_defense(defense: int, points: int) -> None:
    assert part(last_turn(defense=defense), "vp_defense") == points
    strong = scene(dice="W1 W1 W1", support={"Warendorf": 3, "Soest": 4}, defense=5)
    strong.act("Dispatch, advance Warendorf")
    row = strong.stepper.row()
    assert (row["vp_defense"], strong.fired["MF-SCO-05"]) == (4, 1)


@pytest.mark.parametrize(("piety", "influence", "points"), [(9, 9, 0), (10, 9, 3), (10, 10, 6)])
def test_MF_SCO_06_mastery(piety: int, influence: int, points: int) -> None:
    table = last_turn(piety=piety, influence=influence)
    assert part(table, "vp_mastery") == points
    assert table.fired["MF-SCO-06"] == (1 if points else 0)


def test_MF_SCO_06_switch_mastery_latched(effect) -> None:  # type: ignore[no-untyped-def]
    for latched, points in ((False, 0), (True, 3)):
        table = effect("piety +1; piety -3", dice="W1", piety=9, turn=14, mastery_latched=latched)
        table.act("activate Tester").end()
        assert part(table, "vp_mastery") == points


@pytest.mark.parametrize(
    ("vp", "ending"),
    [
        (28, "relief_achieved"),
        (29, "new_jerusalem_triumphs"),
        (43, "new_jerusalem_triumphs"),
        (44, "reformation_shatters_europe"),
    ],
)
def test_MF_SCO_07_grades_of_a_major_victory(vp: int, ending: str) -> None:
    table = scene(dice="W1 W1 W1", support={"Warendorf": 3, "Soest": 4}, vp=vp)  # and 1 for King Jan
    table.act("Dispatch, advance Warendorf")
    row = table.stepper.row()
    assert (table.ending, row["score"], table.fired["MF-SCO-07"]) == (ending, [vp + 1], 1)


@pytest.mark.parametrize(
    ("vp", "ending"),
    [
        (17, "pyrrhic_failure"), (18, "historical_outcome"), (32, "historical_outcome"),
        (33, "defiant_legacy"), (47, "defiant_legacy"), (48, "and_are_you_a_bishop"),
    ],
)  # fmt: skip
def test_MF_SCO_08_grades_of_survival(vp: int, ending: str) -> None:
    table = last_turn(vp=vp)  # and 2 for Divara and King Jan
    assert table.ending == ending
    assert table.fired["MF-SCO-08"] == 1
