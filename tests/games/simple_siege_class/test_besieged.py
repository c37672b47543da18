"""SS-BGD: what the Besieged can do in phase 2."""

from __future__ import annotations

import pytest

from tests.games.simple_siege_class.table import scene


def test_SS_BGD_01_besieged_mills_one_card() -> None:
    table = scene("7S 2H", "4D 4H 4C", walls=5, to_act="besieged").act("Besieged")
    assert (table.deck("besieged"), table.pile("besieged")) == ("4H 4C", "4D")
    assert (table.deck("besieger"), table.walls, table.turn) == ("7S 2H", 5, 2)
    assert table.fired["SS-BGD-01"] == 1


def test_SS_BGD_02_repair_mills_two_cards_for_a_point_of_walls() -> None:
    table = scene("7S 2H", "4D 4H 4C", walls=5, to_act="besieged").act("Repair and Strengthen")
    assert table.walls == 6  # above where they started, too
    assert (table.deck("besieged"), table.pile("besieged")) == ("4C", "4D 4H")
    assert table.fired["SS-BGD-02"] == 1


@pytest.mark.parametrize("cost", [1, 2, 3, 4])
@pytest.mark.parametrize("gain", [1, 2])
def test_SS_BGD_02_repair_cost_and_repair_gain(cost: int, gain: int) -> None:
    table = scene(besieged="4D 4H 4C 5D 5H", walls=5, to_act="besieged", repair_cost=cost, repair_gain=gain)
    table.act("Repair and Strengthen")
    assert (table.walls, table.size("besieged")) == (5 + gain, 5 - cost)


def test_SS_BGD_02_repair_needs_walls_below_the_top_and_two_cards() -> None:
    for walls, deck, legal in ((9, "4D 4H", True), (10, "4D 4H", False), (9, "4D", False)):
        table = scene(besieged=deck, walls=walls, to_act="besieged")
        assert ("Repair and Strengthen" in table.options()) is legal


def test_SS_BGD_03_plan_looks_ahead_in_the_besiegeds_deck() -> None:
    table = scene("7S 2H", "2S 9C 4D", to_act="besieged").act("Plan")
    assert (table.seat, table.decision) == ("besieged", "plan pick")
    table.order("4D")
    assert (table.deck("besieged"), table.pile("besieged"), table.seat) == ("4D 9C", "2S", "besieger")
    assert table.deck("besieger") == "7S 2H"
    assert table.fired["SS-BGD-03"] == 1


@pytest.mark.parametrize(("value", "destroyed"), [(3, False), (4, True)])
def test_SS_BGD_04_a_sally_against_the_equipment_sends_a_counter_back(value: int, destroyed: bool) -> None:
    built = ["Mine", "Trebuchet", "Camp Defences I"]
    table = scene("2S 9H 8H", f"{value}D 4H", built=built, to_act="besieged")
    table.act("Sally (Siege Equipment)", "draw 1 card to defend")  # 2 and a camp
    if destroyed:
        assert (table.seat, table.decision) == ("besieged", "destroy")
        table.act("destroy Mine")
    assert table.built == (["Trebuchet", "Camp Defences I"] if destroyed else built)
    assert (table.deck("besieger"), table.turn) == ("9H 8H", 2)
    assert table.fired["SS-BGD-04"] == 1


def test_SS_BGD_04_a_sally_against_the_equipment_needs_a_counter_to_aim_at() -> None:
    assert "Sally (Siege Equipment)" not in scene(to_act="besieged").options()
    for name in ("Mine", "Catapult", "Camp Defences III"):
        assert "Sally (Siege Equipment)" in scene(built=[name], to_act="besieged").options()


def test_SS_BGD_05_any_built_counter_may_be_chosen_once_the_cards_are_open() -> None:
    built = ["Siege Tower", "Ample Ammunition", "Camp Defences II"]
    for name in built:
        table = scene("2S 9H", "9D 4H", built=built, to_act="besieged")
        table.act("Sally (Siege Equipment)", "draw 1 card to defend")
        assert table.options() == [f"destroy {name}" for name in built]
        assert table.stepper.describe(1)["besieger's cards aside"] == "2S"  # revealed before the choice
        assert table.fired["SS-BGD-05"] == 0
        table.act(f"destroy {name}")
        assert table.built == [other for other in built if other != name]
        assert table.fired["SS-BGD-05"] == 1


def test_SS_BGD_05_a_single_counter_is_put_to_the_player_like_any_choice() -> None:
    table = scene("2S 9H", "9D 4H", built=["Ladders"], to_act="besieged").act("Sally (Siege Equipment)", "draw no card")
    assert (table.decision, table.options()) == ("destroy", ["destroy Ladders"])


@pytest.mark.parametrize("penalty", [1, 2, 3, 4, 5, 6])
def test_SS_BGD_06_a_sally_against_the_enemy_costs_the_besieger_three_cards(penalty: int) -> None:
    knobs = {} if penalty == 3 else {"sally_penalty": penalty}
    table = scene("2S 4C 3C 2C AD 5D 6D 7D", "3H 4H", built=["Mine"], to_act="besieged", **knobs)
    table.act("Sally (Enemy)", "draw 1 card to defend")
    assert table.pile("besieger").split() == [*["4C", "3C", "2C", "AD", "5D", "6D"][:penalty], "2S"]
    assert (table.built, table.pile("besieged")) == (["Mine"], "3H")
    assert table.fired["SS-BGD-06"] == 1


def test_SS_BGD_06_a_failed_sally_has_no_effect() -> None:
    table = scene("4S 4C 3C", "3H 4H", to_act="besieged").act("Sally (Enemy)", "draw 1 card to defend")
    assert (table.pile("besieger"), table.pile("besieged")) == ("4S", "3H")
    assert table.fired["SS-BGD-06"] == 1


def test_SS_BGD_07_rationing_puts_the_besiegeds_black_cards_back() -> None:
    table = scene("7S 6S", "2H 10S", besieger_pile="9S 9C", besieged_pile="2S 4C 5D", to_act="besieged").act(
        "Rationing"
    )
    assert table.size("besieged") == 3
    assert table.pile("besieged") == "5D 2H"
    assert table.pile("besieger") == "9S 9C"
    assert table.fired["SS-BGD-07"] == 1


@pytest.mark.parametrize("action", ["Sally (Enemy)", "Sally (Siege Equipment)"])
def test_SS_BGD_08_in_a_sally_the_besieger_defends_and_wins_ties_and_walls_do_not_count(action: str) -> None:
    for value, answer, wins in (
        (3, "draw 1 card to defend", False),  # 3 against 2 + 1
        (4, "draw 1 card to defend", True),
        (1, "draw no card", False),  # 1 against 0 + 1: declining leaves the camp
        (2, "draw no card", True),
    ):
        own = "A" if value == 1 else value
        table = scene("2S 9H 8H 7H 6H", f"{own}D 4H", walls=10, built=["Camp Defences I"], to_act="besieged").act(
            action
        )
        assert (table.seat, table.decision) == ("besieger", "defence")
        table.act(answer)
        drawn = 1 if answer.startswith("draw 1") else 0
        won = table.decision == "destroy" if "Equipment" in action else table.size("besieger") + drawn == 2
        assert won is wins
        assert table.fired["SS-BGD-08"] == 1
        assert table.fired["SS-WAL-01"] == 0
