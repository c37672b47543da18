"""SS-RES: Resupply and Rationing, the way back from the pile to the deck."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.games.simple_siege_class.table import GAME, Table, fresh, scene

ACTIONS = {"besieger": "Resupply", "besieged": "Rationing"}
SIDES = pytest.mark.parametrize("side", GAME.seats)


def recycle(side: str, deck: str, pile: str, **scenery: object) -> Table:
    """Resupply or Rationing; the other side has its fresh deck."""
    return scene(**{side: deck, f"{side}_pile": pile}, to_act=side, **scenery).act(ACTIONS[side])


@pytest.mark.parametrize(
    ("suits", "first", "works"),
    [("H", "5H", True), ("H", "5D", False), ("H", "5S", False), ("H", "5C", False),
     ("H+D", "5H", True), ("H+D", "5D", True), ("H+D", "5S", False)],
)  # fmt: skip
@SIDES
def test_SS_RES_01_only_a_heart_brings_cards_back(side: str, suits: str, first: str, works: bool) -> None:
    table = recycle(side, f"{first} 9D", "2S 4C", resupply_suits=suits)
    assert table.size(side) == (3 if works else 1)
    assert table.pile(side) == (first if works else f"2S 4C {first}")
    assert table.seat != side
    assert table.fired["SS-RES-01"] == 1
    assert table.fired["SS-RES-02"] == (1 if works else 0)


@pytest.mark.parametrize(
    ("reading", "heart", "back", "left"),
    [
        ("count", "AH", {"6S"}, "10S 2S 3H 4C 5D 7D AH"),
        ("count", "2H", {"6S", "4C"}, "10S 2S 3H 5D 7D 2H"),
        ("count", "3H", {"6S", "4C", "2S"}, "10S 3H 5D 7D 3H"),
        ("count", "9H", {"6S", "4C", "2S", "10S"}, "3H 5D 7D 9H"),
        ("window", "AH", set(), "10S 2S 3H 4C 5D 6S 7D AH"),
        ("window", "2H", {"6S"}, "10S 2S 3H 4C 5D 7D 2H"),
        ("window", "4H", {"6S", "4C"}, "10S 2S 3H 5D 7D 4H"),
        ("window", "6H", {"6S", "4C", "2S"}, "10S 3H 5D 7D 6H"),
        ("window", "10H", {"6S", "4C", "2S", "10S"}, "3H 5D 7D 10H"),
    ],
)
@SIDES
def test_SS_RES_02_the_hearts_value_counts_black_cards_or_by_switch_a_window(
    side: str, reading: str, heart: str, back: set[str], left: str
) -> None:
    table = recycle(side, f"{heart} 9D", "10S 2S 3H 4C 5D 6S 7D", resupply_reading=reading)
    assert set(table.deck(side).split()) == {"9D"} | back
    assert table.pile(side) == left
    assert table.fired["SS-RES-02"] == 1


@SIDES
def test_SS_RES_02_an_ace_of_hearts_brings_back_eleven_by_switch(side: str) -> None:
    pile = "2S 3S 4S 5S 6S 7S 8S 9S 10S 2C 3C 4C"
    assert recycle(side, "AH 9D", pile).size(side) == 2
    table = recycle(side, "AH 9D", pile, ace_value="11")
    assert (table.size(side), table.pile(side)) == (12, "2S AH")


@SIDES
def test_SS_RES_03_the_heart_and_what_is_not_taken_stay_in_order(side: str) -> None:
    table = recycle(side, "2H 9D", "2D 3S 4H 5C 6D 7S 8H")
    assert table.pile(side) == "2D 3S 4H 6D 8H 2H"
    assert table.fired["SS-RES-03"] == 1
    assert recycle(side, "2D 9D", "2S").fired["SS-RES-03"] == 0


@SIDES
def test_SS_RES_04_the_cards_go_underneath_everything_in_random_order(side: str) -> None:
    orders = set()
    for first in range(3):
        for second in range(2):
            table = scene(**{side: "3H 9D 8D", f"{side}_pile": "4S 5C 6S"}, to_act=side)
            table.stepper.force(f"decks[{GAME.seats.index(side)}]", first, second)
            table.act(ACTIONS[side])
            assert table.fired["SS-RES-04"] == 1
            orders.add(table.deck(side))
    assert all(order.startswith("9D 8D ") for order in orders)  # what lay there before comes first, in its order
    assert len(orders) == 6  # every draw another order: all six of three cards are alike likely


@SIDES
def test_SS_RES_04_later_cards_go_under_earlier_ones(side: str) -> None:
    orders = set()
    for draw in range(2):
        table = scene(**{side: "AH 2H 9D", f"{side}_pile": "2S 3S 4S"}, to_act=side).act(ACTIONS[side])
        table.act("Besieged" if side == "besieger" else "Besiege")
        table.stepper.force(f"decks[{GAME.seats.index(side)}]", draw)
        table.act(ACTIONS[side])
        assert table.fired["SS-RES-04"] == 2
        orders.add(table.deck(side))
    assert orders == {"9D 4S 2S 3S", "9D 4S 3S 2S"}


@SIDES
def test_SS_RES_04_a_redraw_keeps_each_batch_as_a_set_in_its_place(side: str) -> None:
    table = scene(**{side: "AH 2H 9D 8D 7D", f"{side}_pile": "2S 3S 4S"}, to_act=side).act(ACTIONS[side])
    table.act("Besieged" if side == "besieger" else "Besiege").act(ACTIONS[side])
    for viewer in (0, 1):
        decks = set()
        redrawn = table.copy()
        for _ in range(200):
            redrawn.stepper.redraw(viewer)
            decks.add(redrawn.deck(side))
        places = [{deck.split()[place] for deck in decks} for place in range(6)]
        assert places == [{"9D", "8D", "7D"}] * 3 + [{"4S"}] + [{"2S", "3S"}] * 2


@pytest.mark.parametrize(("pile", "back"), [("", 0), ("3D 4H", 0), ("3D 4S 5H", 1), ("3S 4S 5H", 2)])
@SIDES
def test_SS_RES_05_too_few_black_cards_is_no_loss(side: str, pile: str, back: int) -> None:
    table = recycle(side, "3H 9D", pile)
    assert table.size(side) == 1 + back
    assert table.result is None
    assert table.fired["SS-RES-05"] == 1
    assert table.fired["SS-RES-04"] == (1 if back else 0)  # nothing to shuffle
    assert recycle(side, "2H 9D", "3S 4S 5H").fired["SS-RES-05"] == 0


@SIDES
@pytest.mark.parametrize(("heart", "fired"), [("3H", 0), ("4H", 1)])
def test_SS_RES_05_a_window_is_short_when_the_pile_is(side: str, heart: str, fired: int) -> None:
    table = recycle(side, f"{heart} 9D", "3S 4D 5H", resupply_reading="window")
    assert (table.size(side), table.fired["SS-RES-05"]) == (2, fired)


@SIDES
def test_SS_RES_05_with_the_last_card_and_no_black_one_the_deck_is_empty_and_the_game_goes_on(
    side: str,
) -> None:
    table = recycle(side, "3H", "4D")
    assert (table.size(side), table.result) == (0, None)


@pytest.mark.parametrize(("suits", "triggers"), [("H", "H"), ("H+D", "HD")])
def test_SS_RES_06_a_heart_works_at_most_once_a_game(suits: str, triggers: str) -> None:
    most = 0
    for game in range(12):
        table = fresh(game=game, resupply_suits=suits)
        worked: Counter[str] = Counter()
        while not table.over:
            side, before = table.seat, table.fired["SS-RES-06"]
            table.act(ACTIONS[side])
            worked[side] += table.fired["SS-RES-06"] - before
            for name, number in worked.items():
                red = [c for c in table.pile(name).split() if c[-1] in triggers]
                assert number <= len(red)  # each that worked is in the pile, for good
        assert max(worked.values()) <= 10 * len(triggers)
        assert table.fired["SS-RES-06"] == sum(worked.values())
        most = max(most, *worked.values())
    assert most >= 7
