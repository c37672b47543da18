"""SS-SET: what stands on the table before the first action."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from simlab.errors import InputError
from tests.games.simple_siege_class.table import COUNTER_NAMES, GAME, RULES, fresh, match_of, scene


def whole_deck(top_value: int) -> set[str]:
    values = ["A", *map(str, range(2, top_value + 1))]
    return {value + suit for value in values for suit in "SHDC"}


def test_SS_SET_01_the_besieger_is_seat_0_and_acts_first() -> None:
    table = fresh()
    assert GAME.seats == ("besieger", "besieged")
    assert (table.seat, int(table.state.seat)) == ("besieger", 0)
    assert table.fired["SS-SET-01"] == 1


@pytest.mark.parametrize("top_value", [6, 7, 8, 9, 10])
def test_SS_SET_02_each_side_has_the_number_cards_of_a_pack(top_value: int) -> None:
    table = fresh(max_rank=top_value)
    for side in GAME.seats:
        cards = table.deck(side).split()
        assert len(cards) == 4 * top_value
        assert set(cards) == whole_deck(top_value)
        assert table.pile(side) == ""
    assert table.fired["SS-SET-02"] == 2  # once a side


def test_SS_SET_02_the_decks_are_shuffled_each_for_itself() -> None:
    first_cards = set()
    for game in range(200):
        table = fresh(game=game).act("Besiege", "Besieged")
        first_cards.add((table.pile("besieger").split()[0], table.pile("besieged").split()[0]))
    assert len({mine for mine, _ in first_cards}) > 35  # of 40
    assert len({theirs for _, theirs in first_cards}) > 35
    assert len(first_cards) > 160  # of 1600 pairs: neither deck follows from the other


@pytest.mark.parametrize(("ace_value", "looked_at"), [("1", 1), ("11", 11)])
def test_SS_SET_03_an_ace_is_worth_1_or_by_switch_11(ace_value: str, looked_at: int) -> None:
    deck = "AS 2S 3S 4S 5S 6S 7S 8S 9S 10S 2H 3H 4H"
    table = scene(besieger=deck, ace_value=ace_value).act("Plan")
    assert table.known("besieger") == looked_at
    assert table.fired["SS-SET-03"] == 1


@pytest.mark.parametrize(("ace_value", "walls_after"), [("1", 10), ("11", 9)])
def test_SS_SET_03_an_ace_counts_as_much_in_a_contest(ace_value: str, walls_after: int) -> None:
    table = scene(besieger="AS", besieged="AH 2H", walls=10, ace_value=ace_value)
    assert table.act("Bombard (Walls)", "draw no card").walls == walls_after
    assert table.fired["SS-SET-03"] == 1


def test_SS_SET_03_other_cards_are_worth_their_number() -> None:
    for value in range(2, 11):
        table = scene(besieger=f"{value}S 2H", walls=value).act("Bombard (Walls)", "draw no card")
        assert table.walls == value
        table = scene(besieger=f"{value}S 2H", walls=value - 1).act("Bombard (Walls)", "draw no card")
        assert table.walls == value - 2
        assert table.fired["SS-SET-03"] == 0


@pytest.mark.parametrize(
    ("knobs", "fate"),
    [
        ({}, {"red court": 6, "black court": 6, "red Joker": 1, "black Joker": 1}),
        ({"fate_sets": "2"}, {"red court": 12, "black court": 12, "red Joker": 2, "black Joker": 2}),
        ({"fate_jokers": False}, {"red court": 6, "black court": 6}),
        ({"fate_jokers": False, "fate_sets": "2"}, {"red court": 12, "black court": 12}),
    ],
)
def test_SS_SET_04_fate_is_the_courts_and_jokers_of_one_pack(knobs: dict[str, object], fate: dict[str, int]) -> None:
    table = fresh(**knobs)
    assert table.fate_deck == Counter(fate)
    assert table.fate_counts == (0, 0)
    assert table.fired["SS-SET-04"] == 1


@pytest.mark.parametrize(("fate_sets", "left_out"), [("1", 14), ("2", 0)])
def test_SS_SET_05_the_other_packs_courts_and_jokers_stay_out(fate_sets: str, left_out: int) -> None:
    table = fresh(fate_sets=fate_sets)
    assert 28 - sum(table.fate_deck.values()) == left_out
    assert table.fired["SS-SET-05"] == (1 if left_out else 0)


def test_SS_SET_06_all_nine_counters_are_in_the_stack() -> None:
    table = fresh(equipment_cost_model="table", cost_camp2=2, cost_camp3=3)  # unlike camps: each is offered
    assert table.built == []
    assert [name for name in table.options() if name.startswith("Construct")] == [
        f"Construct {n}" for n in COUNTER_NAMES
    ]
    assert table.fired["SS-SET-06"] == 1


@pytest.mark.parametrize("start", [None, *range(1, 11)])
def test_SS_SET_07_walls_start_at_5_or_where_the_knob_says(start: int | None) -> None:
    table = fresh() if start is None else fresh(walls_start=start)
    assert table.walls == (start or 5)
    assert table.fired["SS-SET-07"] == 1


def test_SS_SET_07_walls_start_between_floor_and_top() -> None:
    with pytest.raises(InputError, match=r"walls_start = 8 .* walls_max = 7 \(SS-WAL-02\)"):
        match_of({"walls_start": 8, "walls_max": 7})


def test_SS_SET_08_each_side_has_its_own_pile_that_both_may_look_through() -> None:
    table = scene(besieger="7S 2H", besieged="4D 9C").act("Besiege", "Besieged")
    assert (table.pile("besieger"), table.pile("besieged")) == ("7S", "4D")
    for viewer in (0, 1, None):
        seen = table.stepper.describe(viewer)
        assert seen["besieger's discard pile"] == ("7S",)
        assert seen["besieged's discard pile"] == ("4D",)
    assert fresh().fired["SS-SET-08"] == 1


def test_SS_SET_09_nobody_holds_cards_between_actions() -> None:
    table, luck = fresh(), random.Random(9)
    assert table.fired["SS-SET-09"] == 1
    while not table.over:
        if table.decision in ("besieger action", "besieged action"):
            assert table.aside("besieger") == table.aside("besieged") == ""
            for side in GAME.seats:
                assert table.size(side) + len(table.pile(side).split()) == 40
        table.act(luck.choice(table.options()))


def test_set_up_fires_its_rules_and_no_others() -> None:
    once = {rule: 1 for rule in RULES if rule.startswith("SS-SET")} | {"SS-TRN-01": 1}
    assert fresh().fired == Counter(once | {"SS-SET-02": 2, "SS-SET-03": 0})
