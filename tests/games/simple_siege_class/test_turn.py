"""SS-TRN: the three phases, one action each, what may be chosen, and when play stops."""

from __future__ import annotations

import pytest

from simlab.errors import InputError
from tests.games.simple_siege_class.table import fresh, scene

BUILDS = [
    "Construct Mine", "Construct Siege Tower", "Construct Ladders", "Construct Trebuchet",
    "Construct Catapult", "Construct Ample Ammunition", "Construct Camp Defences I",
]  # fmt: skip


def test_SS_TRN_01_besieger_then_besieged_then_fate_turn_after_turn() -> None:
    table = scene(fate=["black court", "red court"])
    seats = []
    for _ in range(2):
        seats.append((table.turn, table.seat, table.fired["SS-FAT-01"]))
        table.act("Besiege")
        seats.append((table.turn, table.seat, table.fired["SS-FAT-01"]))
        table.act("Besieged")
    assert seats == [(1, "besieger", 0), (1, "besieged", 0), (2, "besieger", 1), (2, "besieged", 1)]
    assert table.fired["SS-TRN-01"] == 2  # turns 2 and 3 began
    assert fresh().fired["SS-TRN-01"] == 1


def test_SS_TRN_02_every_option_is_one_whole_action() -> None:
    for side, other in (("besieger", "besieged"), ("besieged", "besieger")):
        for option in scene(to_act=side, built=["Ladders"]).options():
            table = scene(to_act=side, built=["Ladders"])
            before = table.size(side)
            table.act(option)
            while table.decision not in ("besieger action", "besieged action") and not table.over:
                table.act(table.options()[0])
            if not table.over:  # an Assault may have won
                assert table.seat == other, option
            assert table.fired["SS-TRN-02"] == 1, option
            assert table.size(side) < before, f"{option} costs no card: it would be a pass"


@pytest.mark.parametrize(
    ("cards", "options"),
    [
        (1, ["Construct Ladders", "Construct Ample Ammunition", "Construct Camp Defences I",
             "Besiege", "Plan", "Bombard (Walls)", "Bombard (Enemy)", "Resupply"]),
        (2, [*BUILDS[1:], "Besiege", "Plan", "Bombard (Walls)", "Bombard (Enemy)", "Assault", "Resupply"]),
        (3, [*BUILDS, "Besiege", "Plan", "Bombard (Walls)", "Bombard (Enemy)", "Assault", "Resupply"]),
    ],
)  # fmt: skip
def test_SS_TRN_03_the_besieger_chooses_what_the_deck_can_pay(cards: int, options: list[str]) -> None:
    table = scene(besieger="9S 8S 7S 6S"[: 3 * (cards + 1) - 1], besieged="4D 5D 6D").act("Besiege", "Besieged")
    assert table.size("besieger") == cards
    assert table.options() == options
    assert table.fired["SS-TRN-03"] == (1 if cards < 3 else 0)  # once, though an Assault and three counters are barred


def test_SS_TRN_03_a_counter_in_play_or_worth_nothing_bars_nobody() -> None:
    for scenery in ({"built": ["Mine"]}, {"mod_mine": 0}):
        table = scene("9S 8S 7S", "4D 5D 6D", **scenery).act("Besiege", "Besieged")  # two cards: all else can be paid
        assert table.fired["SS-TRN-03"] == 0


@pytest.mark.parametrize(
    ("cards", "options"),
    [
        (1, ["Besieged", "Plan", "Sally (Enemy)", "Rationing"]),
        (2, ["Besieged", "Repair and Strengthen", "Plan", "Sally (Enemy)", "Rationing"]),
    ],
)
def test_SS_TRN_03_the_besieged_chooses_what_the_deck_can_pay(cards: int, options: list[str]) -> None:
    table = scene(besieged="9S 8S"[: 3 * cards - 1]).act("Besiege")
    assert table.options() == options
    assert table.fired["SS-TRN-03"] == (1 if cards == 1 else 0)  # a Repair was barred


@pytest.mark.parametrize("entry", [0, 1, 2, 3])
def test_SS_TRN_03_an_assault_needs_its_entry_cost_and_a_card(entry: int) -> None:
    for cards in (entry, entry + 1):
        if cards:
            table = scene(besieger=" ".join(["9S", "8S", "7S", "6S"][:cards]), assault_entry_cost=entry)
            assert ("Assault" in table.options()) is (cards == entry + 1)


def test_SS_TRN_03_the_loss_of_a_failed_assault_is_not_reckoned() -> None:
    assert "Assault" in scene(besieger="9S 8S", assault_fail_cost=4).options()


@pytest.mark.parametrize("cost", [1, 2, 3, 4])
def test_SS_TRN_03_a_repair_needs_its_cost(cost: int) -> None:
    for cards in (cost - 1, cost):
        if cards:
            table = scene(besieged=" ".join(["9S", "8S", "7S", "6S"][:cards]), to_act="besieged", repair_cost=cost)
            assert ("Repair and Strengthen" in table.options()) is (cards == cost)


@pytest.mark.parametrize(("model", "price"), [("modifier", 3), ("modifier_plus_1", 4), ("double", 6), ("table", 5)])
def test_SS_TRN_03_a_counter_needs_its_price(model: str, price: int) -> None:
    deck = ["10S", "9S", "8S", "7S", "6S", "5S"]
    for cards in (price - 1, price):
        table = scene(besieger=" ".join(deck[:cards]), equipment_cost_model=model, cost_mine=5)
        assert ("Construct Mine" in table.options()) is (cards == price)


def test_SS_TRN_04_a_besieger_without_cards_loses_as_his_action_comes() -> None:
    table = scene(besieger="", besieged="4D 5D", to_act="besieged").act("Besieged")
    assert table.result == ("besieged", "abandon")
    assert table.turn == 2
    assert table.fired["SS-TRN-04"] == 1


def test_SS_TRN_04_a_besieged_without_cards_loses_as_their_action_comes() -> None:
    table = scene(besieger="7S 6S", besieged="").act("Besiege")
    assert table.result == ("besieger", "surrender")
    assert table.turn == 1
    assert table.fired["SS-TRN-04"] == 1
    assert table.fired["SS-FAT-01"] == 0


def test_SS_TRN_05_nothing_happens_after_the_end() -> None:
    table = scene(besieger="3C 10S 9D 8H 2S", besieged="7C 6D 5S 4H", walls=1)
    table.act("Assault", "throw 3 cards", "draw 1 card to defend")
    assert table.over
    assert table.fired["SS-TRN-05"] == 1
    assert table.aside("besieger") == "10S 9D 8H"  # not even laid on the pile
    assert (table.fired["SS-DCK-07"], table.fired["SS-FAT-01"], table.fired["SS-TRN-06"]) == (0, 0, 0)
    assert table.turn == 1
    with pytest.raises(InputError, match="over"):
        table.stepper.apply(0)


def test_SS_TRN_05_a_sally_that_breaks_the_besieger_ends_the_turn_without_fate() -> None:
    table = scene(besieger="2S", besieged="9H 8H", to_act="besieged").act("Sally (Enemy)", "draw no card")
    assert table.result == ("besieged", "abandon")
    assert table.fired["SS-TRN-05"] == 1
    assert table.fired["SS-FAT-01"] == 0


def test_SS_TRN_06_the_turn_number_rises_after_fate_and_is_the_games_length() -> None:
    table = scene(besieger="7S 6S", besieged="4D 5D 6D")
    for turn in (1, 2):
        assert table.turn == turn
        table.act("Besiege")
        assert table.turn == turn
        table.act("Besieged")
    assert table.over
    assert table.stepper.row()["turns"] == 3
    assert table.fired["SS-TRN-06"] == 2
