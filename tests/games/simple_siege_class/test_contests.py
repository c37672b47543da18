"""SS-CON: the procedure that Bombard, Assault and Sally share."""

from __future__ import annotations

from typing import Any

import pytest

from tests.games.simple_siege_class.table import scene

NUMBERS = ["draw no card", *(f"draw {n} card{'s' if n > 1 else ''} to defend" for n in range(1, 6))]
BUILT = ("Mine", "Siege Tower", "Trebuchet", "Ample Ammunition", "Camp Defences I", "Camp Defences II")


def throw(number: int) -> str:
    return f"throw {number} card{'s' if number > 1 else ''}"


def test_SS_CON_01_the_attacker_lays_out_one_card_and_up_to_three_in_an_assault() -> None:
    for action in ("Bombard (Walls)", "Bombard (Enemy)"):
        table = scene(besieger="7S 2H 3C").act(action)
        assert (table.aside("besieger"), table.deck("besieger")) == ("7S", "2H 3C")
        assert table.fired["SS-CON-01"] == 1
    for action in ("Sally (Enemy)", "Sally (Siege Equipment)"):
        table = scene(besieged="7S 2H 3C", built=["Mine"], to_act="besieged").act(action)
        assert (table.aside("besieged"), table.deck("besieged")) == ("7S", "2H 3C")
        assert table.fired["SS-CON-01"] == 1
    for number, thrown in ((1, "2H"), (2, "2H 3C"), (3, "2H 3C 4C")):
        table = scene(besieger="7S 2H 3C 4C 5C").act("Assault", throw(number))
        assert table.aside("besieger") == thrown  # from the top down
        assert table.fired["SS-CON-01"] == 1


@pytest.mark.parametrize("most", [1, 2, 3, 4, 5])
def test_SS_CON_01_and_SS_CON_02_assault_max_cards_bounds_both_sides(most: int) -> None:
    table = scene(assault_max_cards=most).act("Assault")
    assert table.options() == [throw(n) for n in range(1, most + 1)]
    table.act(throw(most))
    assert table.options() == NUMBERS[: most + 1]
    table.act(NUMBERS[most])
    assert table.fired["SS-CON-02"] == 1
    assert scene(assault_max_cards=most).act("Bombard (Enemy)").options() == NUMBERS[:2]


def test_SS_CON_02_the_defender_lays_out_none_or_one_and_up_to_three_against_an_assault() -> None:
    for action in ("Bombard (Walls)", "Bombard (Enemy)"):
        table = scene(besieger="2S 9H", besieged="7S 2H 3C").act(action)
        assert (table.seat, table.decision, table.options()) == ("besieged", "defence", NUMBERS[:2])
    for action in ("Sally (Enemy)", "Sally (Siege Equipment)"):
        table = scene("7S 2H 3C", "2S 9H", built=["Mine"], to_act="besieged").act(action)
        assert (table.seat, table.decision, table.options()) == ("besieger", "defence", NUMBERS[:2])
        table.act(NUMBERS[1])
        assert table.pile("besieger").startswith("7S")
        assert table.fired["SS-CON-02"] == 1
    table = scene(besieger="AS AH 2H 3H", besieged="7S 2H 3C 4C 5C", walls=9).act("Assault", "throw 1 card")
    assert (table.decision, table.options()) == ("defence", NUMBERS[:4])
    table.act(NUMBERS[2])
    assert table.pile("besieged") == "7S 2H"
    assert table.fired["SS-CON-02"] == 1


def test_SS_CON_03_the_defender_sees_all_but_the_face_down_cards_and_answers_once() -> None:
    table = scene(
        "3C 9S 8S 2H",
        "7C 6D 5S 4H",
        besieger_pile="2D",
        besieged_pile="3D",
        walls=8,
        built=["Mine"],
        known={"besieged": 2},
    )
    table.act("Assault", "throw 2 cards")
    seen = table.stepper.describe(1)
    assert seen["besieger's cards aside"] == "2 face down"
    assert seen["walls"] == "8"
    assert seen["counters built"] == ("mine",)
    assert (seen["besieger's discard pile"], seen["besieged's discard pile"]) == (("2D", "3C"), ("3D",))
    assert (seen["besieger's draw pile"], seen["besieged's draw pile"]) == ("1 card", "4 cards")
    assert seen["besieged knows on top"] == "7C 6D"  # own cards known by a Plan
    table.act("draw 2 cards to defend")  # both at once: no further question
    assert table.decision == "besieged action"
    assert table.fired["SS-CON-03"] == 1


def test_SS_CON_03_what_lies_face_down_may_be_any_card_the_defender_has_not_seen() -> None:
    table = scene("9S 8H 7C 6D 5S", "4C 3D 2S", known={"besieged": 2}).act("Bombard (Walls)")
    thrown = set()
    for _ in range(200):
        table.stepper.redraw(1)
        thrown.add(table.aside("besieger"))
        assert table.deck("besieged").split()[:2] == ["4C", "3D"]
        assert sorted([table.aside("besieger"), *table.deck("besieger").split()]) == sorted(
            ["9S", "8H", "7C", "6D", "5S"]
        )
    assert thrown == {"9S", "8H", "7C", "6D", "5S"}


def succeeds(action: str, own: str, theirs: str, answer: str, **scenery: Any) -> bool:
    """Whether the attack by the Besieger succeeds."""
    number = len(own.split())
    entry = "AS " if action == "Assault" else ""
    table = scene(f"{entry}{own} 2D 3D", f"{theirs} 2C 3C 4C 5C", **scenery).act(action)
    if action == "Assault":
        table.act(throw(number))
    before = (table.walls, table.size("besieged"))
    table.act(answer)
    if action == "Assault":
        return table.over
    drawn = 0 if answer == NUMBERS[0] else 1
    return before != (table.walls, table.size("besieged") + drawn)


@pytest.mark.parametrize(
    ("action", "own", "total"),
    [
        ("Bombard (Walls)", "6S", 9),  # Trebuchet and Ammunition
        ("Bombard (Enemy)", "6S", 9),
        ("Assault", "2S", 7),  # Mine and Siege Tower
        ("Assault", "2S AH", 8),
        ("Assault", "2S AH AD", 9),
    ],
)
def test_SS_CON_04_the_besieger_scores_cards_and_the_counters_that_fit(action: str, own: str, total: int) -> None:
    assert succeeds(action, own, "9H", NUMBERS[0], walls=total - 1, built=BUILT)
    assert not succeeds(action, own, "9H", NUMBERS[0], walls=total, built=BUILT)


def test_SS_CON_04_the_besieged_scores_the_cards_alone() -> None:
    for value, won in ((7, False), (8, True)):
        table = scene("5H 2H 3H 4H 6H", f"{value}S 2C", walls=9, built=BUILT, to_act="besieged")
        table.act("Sally (Enemy)", NUMBERS[1])  # 5 and the two camps
        assert (table.size("besieger") == 1) is won
        assert table.fired["SS-CON-04"] == 1


@pytest.mark.parametrize(("stands", "walls_after"), [(True, 7), (False, 6)])
def test_SS_CON_05_walls_count_without_a_card_unless_the_switch_says_no(stands: bool, walls_after: int) -> None:
    table = scene(besieger="2S 9H", besieged="9C 8C", walls=7, static_defence_when_declining=stands)
    assert table.act("Bombard (Walls)", NUMBERS[0]).walls == walls_after
    assert table.fired["SS-CON-05"] == (1 if stands else 0)
    assert table.fired["SS-WAL-01"] == (1 if stands else 0)


@pytest.mark.parametrize(("stands", "cards_left"), [(True, 5), (False, 2)])
def test_SS_CON_05_camps_count_without_a_card_unless_the_switch_says_no(stands: bool, cards_left: int) -> None:
    built = ["Camp Defences I", "Camp Defences III"]
    scenery: dict[str, Any] = {"built": built, "static_defence_when_declining": stands, "to_act": "besieged"}
    table = scene("9S 8S 7S 6S 5S", "2H 3H", **scenery).act("Sally (Enemy)", NUMBERS[0])
    assert table.size("besieger") == cards_left
    assert table.fired["SS-CON-05"] == (1 if stands else 0)


@pytest.mark.parametrize(("to_act", "action"), [("besieger", "Bombard (Enemy)"), ("besieged", "Sally (Enemy)")])
def test_SS_CON_05_is_silent_where_there_is_no_static_strength(to_act: str, action: str) -> None:
    table = scene("9S 8S 7S 6S 5S", "2H 3H 4H 5H 6H", walls=0, to_act=to_act).act(action, NUMBERS[0])
    assert (table.fired["SS-CON-05"], table.fired["SS-WAL-01"]) == (0, 0)


@pytest.mark.parametrize("stands", [True, False])
def test_SS_CON_05_with_a_card_the_static_strength_always_counts(stands: bool) -> None:
    table = scene("9S 9H", "2C 8C", walls=7, static_defence_when_declining=stands)
    assert table.act("Bombard (Walls)", NUMBERS[1]).walls == 7
    assert table.fired["SS-CON-05"] == 0


@pytest.mark.parametrize(
    ("action", "own", "walls"),
    [("Bombard (Walls)", "5H", 3), ("Bombard (Enemy)", "5H", 3), ("Assault", "2H 3H", 3)],
)
def test_SS_CON_06_a_tie_fails(action: str, own: str, walls: int) -> None:
    for theirs, won in (("2C", False), ("AC", True)):
        assert succeeds(action, own, theirs, NUMBERS[1], walls=walls) is won


def test_SS_CON_06_counts_ties() -> None:
    for value, ties in ((4, 0), (5, 1), (6, 0)):
        table = scene(besieger=f"{value}H 2H", walls=5).act("Bombard (Walls)", NUMBERS[0])
        assert table.walls == (4 if value == 6 else 5)
        assert table.fired["SS-CON-06"] == ties


@pytest.mark.parametrize(("value", "won"), [(9, True), (3, False)])
def test_SS_CON_07_all_cards_drawn_are_discarded_to_their_owners(value: int, won: bool) -> None:
    table = scene(f"{value}S 2H", "4C 8C 7C 6C 5C", walls=2).act("Bombard (Walls)", NUMBERS[1])
    assert (table.walls == 1) is won
    assert (table.pile("besieger"), table.pile("besieged")) == (f"{value}S", "4C")
    assert table.fired["SS-CON-07"] == 1
