"""SS-FAT: one Fate card a turn, what it does, and when Fate is shuffled."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.games.simple_siege_class.table import Table, fresh, scene

FATE = {"red court": 6, "black court": 6, "red Joker": 1, "black Joker": 1}


def after_fate(card: str, besieger: str = "7S 6S 5S", besieged: str = "9C 8H 7H 6H", **scenery: object) -> Table:
    """The Besieged discards a card, then `card` of Fate is turned up."""
    return scene(besieger, besieged, to_act="besieged", fate=[card], **scenery).act("Besieged")


def test_SS_FAT_01_a_fate_card_is_turned_up_after_the_besiegeds_action() -> None:
    table = scene(fate=["black court", "red court"])
    table.act("Besiege")
    assert table.fired["SS-FAT-01"] == 0
    table.act("Besieged")
    assert table.fired["SS-FAT-01"] == 1
    assert table.fate_deck == Counter(FATE) - Counter(["black court"])
    assert table.turned_up == ["black court"]
    table.act("Besiege", "Besieged")
    assert table.fate_deck == Counter(FATE) - Counter(["black court", "red court"])
    assert table.turned_up == ["black court", "red court"]
    assert table.fired["SS-FAT-01"] == 2


def test_SS_FAT_02_a_red_court_costs_the_besieged_a_card() -> None:
    table = after_fate("red court")
    assert (table.pile("besieged"), table.deck("besieged")) == ("9C 8H", "7H 6H")
    assert table.pile("besieger") == ""
    assert (table.fired["SS-FAT-02"], table.fired["SS-FAT-03"]) == (1, 0)


def test_SS_FAT_03_a_black_court_costs_the_besieger_a_card() -> None:
    table = after_fate("black court")
    assert (table.pile("besieger"), table.deck("besieger")) == ("7S", "6S 5S")
    assert table.pile("besieged") == "9C"
    assert (table.fired["SS-FAT-02"], table.fired["SS-FAT-03"]) == (0, 1)


@pytest.mark.parametrize(
    ("deck", "lost"), [("5H 2S 3S", 1), ("5D 2S 3S", 1), ("2S 3C 5D 4H", 3), ("2S 3C 4C 5H 6S", 4)]
)
def test_SS_FAT_04_the_red_joker_mills_the_besieged_until_a_red_card(deck: str, lost: int) -> None:
    table = after_fate("red Joker", besieged=f"9C {deck}")
    assert table.pile("besieged").split() == ["9C", *deck.split()[:lost]]
    assert table.pile("besieger") == ""
    assert (table.fired["SS-FAT-04"], table.fired["SS-FAT-05"]) == (1, 0)


@pytest.mark.parametrize(
    ("deck", "lost"), [("5S 2H 3H", 1), ("5C 2H 3H", 1), ("2H 3D 5C 4S", 3), ("2H 3D 4D 5S 6H", 4)]
)
def test_SS_FAT_05_the_black_joker_mills_the_besieger_until_a_black_card(deck: str, lost: int) -> None:
    table = after_fate("black Joker", besieger=deck)
    assert table.pile("besieger") == " ".join(deck.split()[:lost])
    assert table.pile("besieged") == "9C"
    assert (table.fired["SS-FAT-04"], table.fired["SS-FAT-05"]) == (0, 1)


@pytest.mark.parametrize("jokers", [True, False])
def test_SS_FAT_04_and_SS_FAT_05_can_be_left_out(jokers: bool) -> None:
    turned: Counter[str] = Counter()
    table = fresh(fate_jokers=jokers, fate_reset_count=6)
    assert table.fate_deck["red Joker"] == table.fate_deck["black Joker"] == (1 if jokers else 0)
    for game in range(40):
        table = fresh(game=game, fate_jokers=jokers)
        while not table.over:
            table.act("Besiege" if table.seat == "besieger" else "Besieged")
        turned += table.fired
    for rule in ("SS-FAT-04", "SS-FAT-05", "SS-FAT-07"):
        assert (turned[rule] > 0) is jokers


@pytest.mark.parametrize("empty", [False, True])
@pytest.mark.parametrize("exhaust", ["lose", "stop"])
@pytest.mark.parametrize(
    ("joker", "victim", "unfit", "result"),
    [
        ("red Joker", "besieged", "2S 3C", ("besieger", "surrender")),
        ("black Joker", "besieger", "2H 3D", ("besieged", "abandon")),
    ],
)
def test_SS_FAT_06_a_joker_without_a_fitting_card_loses_or_by_switch_stops(
    joker: str, victim: str, unfit: str, result: tuple[str, str], exhaust: str, empty: bool
) -> None:
    cards = "" if empty else unfit
    # The Besieged pays a card for the action; with `stop` a Besieger without cards loses as he has to act.
    decks = {"besieged": f"9C {cards}"} if victim == "besieged" else {"besieger": cards}
    table = after_fate(joker, **decks, joker_exhaust=exhaust)
    assert table.pile(victim).split() == [*(["9C"] if victim == "besieged" else []), *cards.split()]
    assert table.fired["SS-FAT-06"] == 1
    if exhaust == "lose":
        assert table.result == result
        assert table.fired["SS-TRN-04"] == 0
    else:
        assert table.result == (None if victim == "besieged" else result)
        assert table.fired["SS-TRN-04"] == (0 if victim == "besieged" else 1)


@pytest.mark.parametrize(
    ("joker", "decks"), [("red Joker", {"besieged": "9C 2S 3H"}), ("black Joker", {"besieger": "2H 3S"})]
)
def test_SS_FAT_06_a_fitting_last_card_ends_the_joker_without_loss(joker: str, decks: dict[str, str]) -> None:
    table = after_fate(joker, **decks)
    (victim,) = decks
    assert table.size(victim) == 0
    assert table.fired["SS-FAT-06"] == 0
    # The Besieged plays on; the Besieger, whose action comes first, then has no card to act with.
    assert table.fired["SS-TRN-04"] == (0 if victim == "besieged" else 1)


@pytest.mark.parametrize(("joker", "counts"), [("red Joker", (1, 0)), ("black Joker", (0, 1))])
def test_SS_FAT_07_a_joker_counts_for_its_colour(joker: str, counts: tuple[int, int]) -> None:
    table = after_fate(joker)
    assert table.fate_counts == counts
    assert table.fired["SS-FAT-07"] == 1
    colour = joker.split(maxsplit=1)[0]
    table = after_fate(joker, turned_up=[f"{colour} court"] * 2)
    assert table.fate_counts == (0, 0)  # it was the third
    assert table.fired["SS-FAT-08"] == 1
    assert after_fate("red court").fired["SS-FAT-07"] == 0


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("colour", ["red", "black"])
def test_SS_FAT_08_fate_is_shuffled_after_the_third_card_of_a_colour(colour: str, count: int) -> None:
    other = "black" if colour == "red" else "red"
    before = [f"{colour} court"] * (count - 2) + [f"{other} court"] * (count - 1)
    knobs = {} if count == 3 else {"fate_reset_count": count}
    table = scene(turned_up=before, fate=[f"{colour} court", f"{colour} court"], **knobs).act("Besiege", "Besieged")
    assert sum(table.fate_deck.values()) == 14 - len(before) - 1
    assert table.fired["SS-FAT-08"] == 0
    table.act("Besiege", "Besieged")
    assert table.fate_deck == Counter(FATE)  # all of them are back
    assert table.fate_counts == (0, 0)
    assert table.turned_up == []
    assert table.fired["SS-FAT-08"] == 1


def test_SS_FAT_08_the_effect_comes_before_the_shuffle() -> None:
    table = after_fate("red court", turned_up=["red court"] * 2)
    assert table.pile("besieged") == "9C 8H"
    assert table.fate_counts == (0, 0)
    assert table.fired["SS-FAT-08"] == 1
    table = after_fate("red court", besieged="9C", turned_up=["red court"] * 2)
    assert table.over  # the effect ended the game: nothing is shuffled any more
    assert table.fate_counts == (3, 0)
    assert table.fired["SS-FAT-08"] == 0


def test_SS_FAT_09_a_cycle_lasts_3_4_or_5_cards() -> None:
    lengths: Counter[int] = Counter()
    for game in range(40):
        table, length = fresh(game=game), 0
        while True:
            before = table.fired["SS-FAT-09"]
            table.act("Besiege")
            if not table.over:
                table.act("Besieged")
            if table.over:
                break
            length += 1
            assert sum(table.fate_deck.values()) >= 10  # 9 while the fifth card is carried out
            if table.fired["SS-FAT-09"] > before:
                lengths[length] += 1
                length = 0
        assert table.fired["SS-FAT-09"] == table.fired["SS-FAT-08"]
    assert set(lengths) == {3, 4, 5}


def test_SS_FAT_10_fate_comes_also_when_a_deck_is_empty() -> None:
    table = scene("7S", "9C 8H 7H", fate=["red court"]).act("Besiege", "Besieged")
    assert table.pile("besieged") == "9C 8H"
    assert (table.fired["SS-FAT-10"], table.fired["SS-FAT-01"]) == (1, 1)
    table = scene("7S 6S", "9C", to_act="besieged", fate=["black court"]).act("Besieged")
    assert table.pile("besieger") == "7S"
    assert table.fired["SS-FAT-10"] == 1
    assert after_fate("red court").fired["SS-FAT-10"] == 0


@pytest.mark.parametrize("card", FATE)
def test_every_turn_counts_a_single_fate_card(card: str) -> None:
    fired = after_fate(card).fired
    effects = {
        "red court": "SS-FAT-02",
        "black court": "SS-FAT-03",
        "red Joker": "SS-FAT-04",
        "black Joker": "SS-FAT-05",
    }
    assert {rule for rule in fired if rule in effects.values()} == {effects[card]}
    assert fired["SS-FAT-01"] == 1
