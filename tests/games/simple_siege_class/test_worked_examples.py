"""The ledger's worked examples, W-01 to W-13, played at the table (decks top first, piles bottom first)."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.games.simple_siege_class.table import scene

NO_CARD, ONE_CARD = "draw no card", "draw 1 card to defend"


def test_W_01_bombard_the_walls_and_nobody_defends() -> None:
    table = scene("7S 2H 3C", "4D 4H", walls=5).act("Bombard (Walls)", NO_CARD)
    assert table.walls == 4
    assert (table.deck("besieger"), table.pile("besieger")) == ("2H 3C", "7S")
    assert (table.deck("besieged"), table.pile("besieged")) == ("4D 4H", "")
    assert table.fired["SS-BGR-04"] == table.fired["SS-CON-05"] == 1


def test_W_02_a_tie_fails() -> None:
    table = scene("5H 2H", walls=5).act("Bombard (Walls)", NO_CARD)
    assert (table.walls, table.pile("besieger")) == (5, "5H")
    assert table.fired["SS-CON-06"] == 1


def test_W_03_bombard_the_enemy_and_the_order_of_discards() -> None:
    table = scene("4D 6S", "2C 9H AS 10D 3S 8C", built=["Trebuchet", "Catapult"], walls=5)
    table.act("Bombard (Enemy)", ONE_CARD)
    assert (table.pile("besieged"), table.deck("besieged")) == ("9H AS 10D 2C", "3S 8C")
    assert (table.pile("besieger"), table.deck("besieger")) == ("4D", "6S")
    assert table.fired["SS-BGR-05"] == table.fired["SS-DCK-07"] == 1


def test_W_04_the_city_falls() -> None:
    table = scene("3C 10S 9D 8H 2S", "7C 6D 5S 4H", built=["Ladders"], walls=6)
    table.act("Assault", "throw 3 cards", "draw 3 cards to defend")
    assert table.result == ("besieger", "assault")
    assert [table.fired[f"SS-BGR-{n:02}"] for n in (6, 7, 8, 9)] == [1, 1, 1, 1]


def test_W_05_a_failed_assault() -> None:
    table = scene("3C 9S 2D 8H 7C", "4C 6D 5S", walls=5).act("Assault", "throw 2 cards", "draw 2 cards to defend")
    assert (table.deck("besieger"), table.pile("besieger")) == ("7C", "3C 8H 9S 2D")
    assert (table.deck("besieged"), table.pile("besieged")) == ("5S", "4C 6D")
    assert table.walls == 5
    assert table.fired["SS-BGR-10"] == 1


def test_W_06_building_the_mine() -> None:
    table = scene("9C 8D 7H 6S").act("Construct Mine")
    assert (table.deck("besieger"), table.pile("besieger"), table.built) == ("6S", "9C 8D 7H", ["Mine"])
    assert table.fired["SS-EQP-01"] == table.fired["SS-EQP-02"] == 1


def test_W_07_sally_against_the_engines() -> None:
    built = ["Mine", "Camp Defences I", "Camp Defences II"]
    table = scene("2S 3S 4D", "4H 6C", built=built, to_act="besieged").act("Sally (Siege Equipment)")
    other = table.copy()

    table.act(NO_CARD, "destroy Mine")  # 4 > 0 + 2
    assert table.built == built[1:]
    assert (table.pile("besieged"), table.deck("besieger"), table.pile("besieger")) == ("4H", "2S 3S 4D", "")
    assert table.act("Besiege").fired["SS-BGD-05"] == 1

    other.act(ONE_CARD)  # 4 > 2 + 2 is false
    assert other.built == built
    assert (other.pile("besieger"), other.pile("besieged")) == ("2S", "4H")
    assert (other.fired["SS-BGD-05"], other.fired["SS-BGD-08"]) == (0, 1)


def test_W_08_plan() -> None:
    table = scene("4S 9C 2D 7H 5S 8C").act("Plan")
    for pick in (1, 2, 0):
        table.stepper.apply(pick)
    assert (table.deck("besieger"), table.pile("besieger")) == ("2D 5S 9C 7H 8C", "4S")
    assert table.known("besieger") == 4


def test_W_09_resupply() -> None:
    table = scene("2H 10S", besieger_pile="2S 3H 4C 5D 6S 7D").act("Resupply")
    deck = table.deck("besieger").split()
    assert (deck[0], set(deck[1:])) == ("10S", {"6S", "4C"})
    assert table.pile("besieger") == "2S 3H 5D 7D 2H"


def test_W_10_the_third_card_of_a_colour() -> None:
    before = ["red court", "red court", "black court"]
    table = scene(besieged="10H 9D 8D", turned_up=before, fate=["red court"], to_act="besieged").act("Besieged")
    assert (table.pile("besieged"), table.deck("besieged")) == ("10H 9D", "8D")
    assert table.fate_deck == Counter({"red court": 6, "black court": 6, "red Joker": 1, "black Joker": 1})
    assert table.fate_counts == (0, 0)
    assert table.fired["SS-FAT-02"] == table.fired["SS-FAT-08"] == 1


def test_W_11_bombard_stopped_by_a_card() -> None:
    table = scene("9S 8S", "6C 7C", built=["Trebuchet"], walls=5).act("Bombard (Enemy)", ONE_CARD)
    assert (table.pile("besieger"), table.pile("besieged"), table.deck("besieged")) == ("9S", "6C", "7C")


def test_W_12_the_red_joker() -> None:
    table = scene(besieged="10C 5C 2S 9D 3H 7D", fate=["red Joker"], to_act="besieged").act("Besieged")
    assert (table.pile("besieged"), table.deck("besieged")) == ("10C 5C 2S 9D", "3H 7D")
    assert table.fired["SS-FAT-04"] == 1


@pytest.mark.parametrize("built", [(), ("Catapult",)])
def test_W_13_the_last_card(built: tuple[str, ...]) -> None:
    table = scene("9S 7S 6S 5S", "8S", built=built, fate=["black court"]).act("Besiege")
    sally = ["Sally (Siege Equipment)"] if built else []
    assert table.options() == ["Besieged", "Plan", *sally, "Sally (Enemy)", "Rationing"]
    table.act("Besieged")
    assert (table.size("besieged"), table.result) == (0, None)
    assert (table.pile("besieger"), table.turn) == ("9S 7S", 2)
    table.act("Besiege")
    assert table.result == ("besieger", "surrender")
    # SS-TRN-03 bars a Repair in turn 1, and in turn 2 the counters that cost more than the Besieger's two cards.
    assert (table.fired["SS-TRN-03"], table.fired["SS-TRN-04"], table.fired["SS-DCK-04"]) == (2, 1, 1)
