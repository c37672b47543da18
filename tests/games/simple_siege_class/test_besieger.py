"""SS-BGR: what the Besieger can do in phase 1."""

from __future__ import annotations

import pytest

from tests.games.simple_siege_class.table import scene


def test_SS_BGR_01_besiege_mills_one_card() -> None:
    table = scene("7S 2H 3C", "4D 4H", walls=5).act("Besiege")
    assert (table.deck("besieger"), table.pile("besieger")) == ("2H 3C", "7S")
    assert (table.deck("besieged"), table.walls, table.built) == ("4D 4H", 5, [])
    assert table.seat == "besieged"
    assert table.fired["SS-BGR-01"] == 1


def test_SS_BGR_02_construct_buys_a_counter() -> None:
    table = scene("7S 2H 3C", "4D 4H").act("Construct Trebuchet")
    assert (table.deck("besieger"), table.pile("besieger"), table.built) == ("3C", "7S 2H", ["Trebuchet"])
    assert table.fired["SS-BGR-02"] == 1


def test_SS_BGR_03_plan_looks_ahead_in_the_besiegers_deck() -> None:
    table = scene("2S 9C 4D", "4C 4H").act("Plan")
    assert (table.seat, table.decision) == ("besieger", "plan pick")
    table.order("4D")
    assert (table.deck("besieger"), table.pile("besieger"), table.seat) == ("4D 9C", "2S", "besieged")
    assert table.deck("besieged") == "4C 4H"
    assert table.fired["SS-BGR-03"] == 1


@pytest.mark.parametrize(("value", "walls_after"), [(6, 6), (7, 5), (10, 5)])
def test_SS_BGR_04_bombard_walls_takes_one_off_when_it_exceeds_them(value: int, walls_after: int) -> None:
    table = scene(f"{value}S 2H", "AD 5D", walls=6, built=["Ample Ammunition", "Mine"])
    table.act("Bombard (Walls)", "draw 1 card to defend")
    assert table.walls == walls_after
    assert table.size("besieged") == 1  # but for the drawn card the deck stays whole
    assert table.fired["SS-BGR-04"] == 1


@pytest.mark.parametrize("damage", [1, 2, 3])
def test_SS_BGR_04_wall_damage_says_how_much(damage: int) -> None:
    table = scene("10S 2H", walls=8, wall_damage=damage).act("Bombard (Walls)", "draw no card")
    assert table.walls == 8 - damage


def test_SS_BGR_04_bombard_walls_is_barred_at_the_floor() -> None:
    assert "Bombard (Walls)" not in scene(walls=0).options()
    assert "Bombard (Walls)" in scene(walls=1).options()


@pytest.mark.parametrize("penalty", [1, 2, 3, 4, 5, 6])
def test_SS_BGR_05_bombard_enemy_costs_the_besieged_three_cards(penalty: int) -> None:
    knobs = {} if penalty == 3 else {"bombard_penalty": penalty}
    table = scene("6S 2H", "4C 3C 2C AD 5D 6D 7D", walls=5, **knobs).act("Bombard (Enemy)", "draw no card")
    assert table.pile("besieged") == " ".join(["4C", "3C", "2C", "AD", "5D", "6D"][:penalty])
    assert (table.walls, table.pile("besieger")) == (5, "6S")
    assert table.fired["SS-BGR-05"] == 1


def test_SS_BGR_05_bombard_enemy_fails_without_effect() -> None:
    table = scene("6S 2H", "AC 3C 2C", walls=5).act("Bombard (Enemy)", "draw 1 card to defend")
    assert (table.pile("besieged"), table.deck("besieged"), table.walls) == ("AC", "3C 2C", 5)
    assert table.pile("besieger") == "6S"
    assert table.fired["SS-BGR-05"] == 1


@pytest.mark.parametrize("cost", [0, 1, 2, 3])
def test_SS_BGR_06_an_assault_begins_with_its_entry_cost(cost: int) -> None:
    knobs = {} if cost == 1 else {"assault_entry_cost": cost}
    table = scene("3C 2S 2D 8H 7C", "4C 6D 5S", **knobs).act("Assault")
    assert table.pile("besieger") == " ".join(["3C", "2S", "2D"][:cost])  # face up on the pile
    assert table.size("besieger") == 5 - cost
    assert table.fired["SS-BGR-06"] == 1


@pytest.mark.parametrize(
    ("deck", "options"), [("3C 2S", 1), ("3C 2S 4S", 2), ("3C 2S 4S 5S", 3), ("3C 2S 4S 5S 6S", 3)]
)
def test_SS_BGR_07_then_the_besieger_chooses_how_many_to_throw(deck: str, options: int) -> None:
    table = scene(deck, "4C 6D 5S", walls=10).act("Assault")
    assert (table.seat, table.decision) == ("besieger", "assault size")
    assert table.pile("besieger") == "3C"  # the entry card is seen before the choice
    assert table.options() == ["throw 1 card", "throw 2 cards", "throw 3 cards"][:options]
    assert table.fired["SS-BGR-07"] == 0
    table.act("throw 1 card")
    assert table.fired["SS-BGR-07"] == 1


@pytest.mark.parametrize("thrown", [1, 2, 3])
@pytest.mark.parametrize("drawn", [0, 1, 2, 3])
def test_SS_BGR_08_an_assault_pits_cards_and_assault_counters_against_walls_and_cards(thrown: int, drawn: int) -> None:
    names = ("draw no card", "draw 1 card to defend", "draw 2 cards to defend", "draw 3 cards to defend")
    attack = sum((5, 6, 7)[:thrown]) + 2
    for walls in range(11):
        defence = sum((2, 3, 4)[:drawn]) + walls
        table = scene(
            "AC 5S 6S 7S 2H",
            "2C 3D 4S 9H",
            walls=walls,
            built=["Siege Tower", "Trebuchet", "Camp Defences I"],
        )
        table.act("Assault", f"throw {thrown} card{'s' if thrown > 1 else ''}", names[drawn])
        assert (table.result == ("besieger", "assault")) is (attack > defence)
        assert table.fired["SS-BGR-08"] == 1


def test_SS_BGR_09_a_successful_assault_takes_the_city() -> None:
    table = scene("3C 6S 2D", "4C 6D", walls=5).act("Assault", "throw 1 card", "draw no card")
    assert table.result == ("besieger", "assault")
    assert table.fired["SS-BGR-09"] == 1
    assert table.fired["SS-BGR-10"] == 0


@pytest.mark.parametrize("cost", [0, 1, 2, 4])
def test_SS_BGR_10_a_failed_assault_costs_the_besieger_one_card_more(cost: int) -> None:
    knobs = {} if cost == 1 else {"assault_fail_cost": cost}
    table = scene("3C 5S 2D 8H 7C 6C", "4C 6D", walls=5, **knobs).act("Assault", "throw 1 card", "draw no card")
    lost = ["2D", "8H", "7C", "6C"][:cost]
    assert table.pile("besieger").split() == ["3C", *lost, "5S"]  # the loss first, then the drawn card
    assert (table.deck("besieged"), table.walls, table.result) == ("4C 6D", 5, None)
    assert table.fired["SS-BGR-10"] == 1
    assert table.fired["SS-BGR-09"] == 0


def test_SS_BGR_10_the_besieger_loses_if_there_is_no_card_for_it() -> None:
    table = scene("3C 5S", "4C 6D", walls=5).act("Assault", "throw 1 card", "draw no card")
    assert table.result == ("besieged", "abandon")
    assert table.pile("besieger") == "3C"
    assert table.fired["SS-BGR-10"] == 1


def test_SS_BGR_11_resupply_puts_the_besiegers_black_cards_back() -> None:
    table = scene("2H 10S", "4C 6D", besieger_pile="2S 4C 5D", besieged_pile="9S 9C").act("Resupply")
    assert table.size("besieger") == 3
    assert table.pile("besieger") == "5D 2H"
    assert table.pile("besieged") == "9S 9C"
    assert table.seat == "besieged"
    assert table.fired["SS-BGR-11"] == 1
