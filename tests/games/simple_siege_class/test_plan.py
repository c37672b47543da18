"""SS-PLN: looking at one's own next cards and putting them in order."""

from __future__ import annotations

import pytest

from tests.games.simple_siege_class.table import GAME, scene

SIDES = pytest.mark.parametrize("side", GAME.seats)
DECK = "4S 9C 2D 7H 5S 8C"


@SIDES
def test_SS_PLN_01_the_first_card_is_discarded_and_says_how_many_are_seen(side: str) -> None:
    table = scene(**{side: DECK}, to_act=side).act("Plan")
    assert table.pile(side) == "4S"
    assert len(table.options()) == 4
    assert table.fired["SS-PLN-01"] == 1


@SIDES
def test_SS_PLN_02_they_go_back_in_any_order(side: str) -> None:
    for first, second, third in (
        ("2D", "5S", "9C"),
        ("9C", "2D", "7H"),
        ("5S", "7H", "2D"),
        ("7H", "9C", "5S"),
    ):
        table = scene(**{side: DECK}, to_act=side).act("Plan")
        assert table.options() == [f"next from the top: {name}" for name in ("9C", "2D", "7H", "5S")]
        table.order(first)
        left = [name for name in ("9C", "2D", "7H", "5S") if name != first]
        assert table.options() == [f"next from the top: {name}" for name in left]  # in their present order
        table.order(f"{second} {third}")
        (last,) = {"9C", "2D", "7H", "5S"} - {first, second, third}
        assert table.deck(side) == f"{first} {second} {third} {last} 8C"
        assert table.fired["SS-PLN-02"] == 1


@pytest.mark.parametrize(("short", "looked"), [("partial", 2), ("lose", None)])
@SIDES
def test_SS_PLN_02_a_short_deck_shows_what_there_is_or_by_switch_loses(
    side: str, short: str, looked: int | None
) -> None:
    table = scene(**{side: "9S 2D 7H"}, to_act=side, plan_short_deck=short).act("Plan")
    if looked:
        assert table.known(side) == len(table.options()) == looked
        assert table.result is None
        assert table.fired["SS-DCK-02"] == 0
        return
    winner, ending = ("besieged", "abandon") if side == "besieger" else ("besieger", "surrender")
    assert table.result == (winner, ending)
    assert table.pile(side) == "9S"
    assert table.fired["SS-DCK-02"] == 1


def test_SS_PLN_02_by_switch_a_deck_that_just_covers_the_plan_does_not_lose() -> None:
    table = scene(besieger="2S 9C 4D", plan_short_deck="lose").act("Plan").order("4D")
    assert table.result is None
    assert table.deck("besieger") == "4D 9C"


@SIDES
def test_SS_PLN_03_the_cards_are_the_planners_secret(side: str) -> None:
    table = scene(**{side: DECK}, to_act=side).act("Plan").order("7H 5S 2D")
    own, other = GAME.seats.index(side), 1 - GAME.seats.index(side)
    assert table.stepper.describe(own)[f"{side} knows on top"] == "7H 5S 2D 9C"
    assert table.stepper.describe(other)[f"{side} knows on top"] == "4 cards"
    assert table.stepper.describe(other)[f"{side}'s discard pile"] == ("4S",)  # V is open to both
    assert table.fired["SS-PLN-03"] == 1
    assert scene(**{side: "9S"}, to_act=side).act("Plan").fired["SS-PLN-03"] == 0  # nothing was seen


@SIDES
def test_SS_PLN_03_to_the_other_side_the_deck_is_in_any_order(side: str) -> None:
    table = scene(**{side: DECK}, to_act=side).act("Plan").order("7H 5S 2D")
    own, other = GAME.seats.index(side), 1 - GAME.seats.index(side)
    seen: dict[int, set[str]] = {own: set(), other: set()}
    for viewer in (own, other):
        redrawn = table.copy()
        for _ in range(200):
            redrawn.stepper.redraw(viewer)
            seen[viewer].add(redrawn.deck(side)[: len("7H 5S 2D 9C")])
    assert seen[own] == {"7H 5S 2D 9C"}
    assert len(seen[other]) > 50  # of 120


def test_SS_PLN_04_the_known_length_is_the_larger_of_old_and_new_and_shrinks_from_the_top() -> None:
    table = scene("4S 2C AS 7H 5S 8C 9H 3D", "10H 9D 8D 7D 6D 5D").act("Plan")
    assert table.known("besieger") == 4
    assert table.fired["SS-PLN-04"] == 1
    table.order("2C AS 7H").act("Besieged")  # on top: 2C AS 7H 5S
    table.act("Plan")  # 2C: looks at two; of the four known three are left
    assert table.known("besieger") == 3
    table.order("AS").act("Besieged")
    assert table.deck("besieger") == "AS 7H 5S 8C 9H 3D"
    table.act("Plan")  # the Ace: looks at one, and still knows two
    assert table.known("besieger") == 2
    assert table.fired["SS-PLN-04"] == 3
    for known in (1, 0, 0):
        table.act("Besieged", "Besiege")
        assert table.known("besieger") == known


@pytest.mark.parametrize("drawn", [0, 1, 2, 3])
def test_SS_PLN_04_every_way_off_the_top_shrinks_it(drawn: int) -> None:
    names = ("draw no card", "draw 1 card to defend", "draw 2 cards to defend", "draw 3 cards to defend")
    table = scene("3C 9S 8H 7H", "4C 6D 5S 9C", known={"besieger": 4, "besieged": 2}, walls=10)
    table.act("Assault", "throw 1 card", names[drawn])
    assert table.known("besieged") == max(2 - drawn, 0)
    assert table.known("besieger") == 4 - 3  # entry, thrown card, loss


@SIDES
def test_SS_PLN_05_an_ace_shows_one_card_and_orders_nothing(side: str) -> None:
    table = scene(**{side: "AS 9C 2D"}, to_act=side).act("Plan")
    assert table.seat != side
    assert (table.deck(side), table.known(side)) == ("9C 2D", 1)
    assert table.fired["SS-PLN-05"] == 1


@pytest.mark.parametrize(("deck", "known"), [("9S", 0), ("9S 2D", 1), ("2S 3D", 1)])
@SIDES
def test_SS_PLN_05_with_none_or_one_card_left_there_is_nothing_to_order(side: str, deck: str, known: int) -> None:
    other = {"besieger": "besieged", "besieged": "besieger"}[side]
    table = scene(**{side: deck, other: "9H 8H"}, to_act=side).act("Plan")  # the last card may be spent so
    assert (table.result, table.seat) == (None, other)
    assert table.known(side) == known
    assert table.fired["SS-PLN-05"] == 1


def test_SS_PLN_05_does_not_fire_where_there_is_an_order_to_choose() -> None:
    assert scene(besieger="2S 3D 4D").act("Plan").fired["SS-PLN-05"] == 0


# --- plan_mode = menu ---------------------------------------------------------

ORDERS = {
    "keep the order": "5C 9H 2S 5D 10C 3H",
    "ascending": "2S 3H 5C 5D 9H 10C",
    "descending": "10C 9H 5C 5D 3H 2S",
    "storm stack": "2S 10C 9H 5C 3H 5D",
    "Hearts first": "9H 3H 2S 5C 5D 10C",
}


@pytest.mark.parametrize("order", ORDERS)
@SIDES
def test_the_plan_menu_offers_five_orders(side: str, order: str) -> None:
    table = scene(**{side: "6S 5C 9H 2S 5D 10C 3H 8C"}, to_act=side, plan_mode="menu").act("Plan")
    assert (table.decision, table.options()) == ("plan order", list(ORDERS))
    table.act(order)
    assert table.deck(side) == f"{ORDERS[order]} 8C"  # equal values keep their order
    assert (table.known(side), table.seat != side) == (6, True)


def test_the_plan_menu_offers_all_five_orders_for_two_cards_and_none_for_one() -> None:
    table = scene(besieger="2S 9C 4D 5D", plan_mode="menu").act("Plan")
    assert table.options() == list(ORDERS)
    assert scene(besieger="AS 9C 4D", plan_mode="menu").act("Plan").seat == "besieged"


def test_the_plan_menu_reads_the_ace_as_the_switch_says() -> None:
    for ace_value, deck in (("1", "AC 3D 4S"), ("11", "3D 4S AC")):
        table = scene(besieger="3S AC 4S 3D", plan_mode="menu", ace_value=ace_value).act("Plan", "ascending")
        assert table.deck("besieger") == deck
