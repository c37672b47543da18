"""SS-DCK: taking cards, running out of them, and where they come to lie."""

from __future__ import annotations

import pytest

from tests.games.simple_siege_class.table import Table, scene

LAPSE = {"forced_discard_shortfall": "discard_what_is_left"}


def test_SS_DCK_01_cards_leave_from_the_top_whatever_takes_them() -> None:
    table = scene(besieger="7S 2H 3C 4C", besieged="9C 8C 7C")
    table.act("Besiege")  # a discard
    assert (table.deck("besieger"), table.pile("besieger")) == ("2H 3C 4C", "7S")
    table.act("Sally (Enemy)", "draw 1 card to defend")  # a draw: 9 > 2, three more go
    assert table.pile("besieger") == "7S 3C 4C"
    assert table.fired["SS-DCK-01"] == 1 + 1 + 1 + 2  # every card that left the top of a deck, and no other


def test_SS_DCK_01_a_plan_puts_back_on_top_and_a_resupply_underneath() -> None:
    table = scene(besieger="2S 3C 4C 5C 9H", besieged="9C 8C").act("Plan").order("4C")
    assert table.deck("besieger") == "4C 3C 5C 9H"
    table = scene(besieger="AH 9D 8D", besieger_pile="7C", besieged="9C 8C").act("Resupply")
    assert table.deck("besieger") == "9D 8D 7C"
    assert table.fired["SS-DCK-01"] == 1  # the Heart; to put a card back is not to take one


@pytest.mark.parametrize("knobs", [{}, LAPSE])
def test_SS_DCK_02_a_penalty_from_an_empty_deck_loses_or_by_switch_lapses(knobs: dict[str, str]) -> None:
    table = scene(besieger="10S 2H", besieged="3C 4C", walls=2, **knobs).act("Bombard (Enemy)", "draw no card")
    assert table.pile("besieged") == "3C 4C"
    assert table.result == ("besieger", "surrender")
    assert table.fired["SS-DCK-02"] == 1
    # Where the penalty lapses the contest ends in order; to have no card to act with then loses all the same.
    assert table.pile("besieger") == ("10S" if knobs else "")
    assert table.fired["SS-TRN-04"] == (1 if knobs else 0)


def test_SS_DCK_02_by_switch_the_victim_of_a_sally_plays_on() -> None:
    table = scene(besieger="2S", besieged="9H 8H", to_act="besieged", **LAPSE)
    table.act("Sally (Enemy)")
    table.act("draw no card")
    # The Besieger's turn comes with an empty deck, which the switch does not forgive.
    assert table.fired["SS-FAT-01"] == 1
    assert table.result == ("besieged", "abandon")
    assert (table.fired["SS-TRN-04"], table.fired["SS-DCK-02"]) == (1, 1)


@pytest.mark.parametrize("knobs", [{}, LAPSE])
def test_SS_DCK_02_a_court_card_from_an_empty_deck_loses_or_by_switch_lapses(knobs: dict[str, str]) -> None:
    table = scene(besieger="2S 3S", besieged="9H", to_act="besieged", fate=["red court"], **knobs).act("Besieged")
    assert table.fired["SS-FAT-02"] == 1
    if knobs:
        assert table.result is None
        assert (table.seat, table.turn) == ("besieger", 2)
        assert table.fired["SS-DCK-02"] == 0
    else:
        assert table.result == ("besieger", "surrender")
        assert table.fired["SS-DCK-02"] == 1


@pytest.mark.parametrize("knobs", [{}, LAPSE])
def test_SS_DCK_02_the_loss_of_a_failed_assault_from_an_empty_deck(knobs: dict[str, str]) -> None:
    table = scene(besieger="3C 2S", besieged="9H 8H", **knobs).act("Assault", "throw 1 card", "draw no card")
    if knobs:
        assert table.result is None
        assert table.pile("besieger") == "3C 2S"
        assert table.fired["SS-DCK-02"] == 0
    else:
        assert table.result == ("besieged", "abandon")
        assert table.fired["SS-DCK-02"] == 1


@pytest.mark.parametrize(("exhaust", "lost"), [("lose", True), ("stop", False)])
@pytest.mark.parametrize("knobs", [{}, LAPSE])
def test_SS_DCK_02_jokers_obey_their_own_switch_alone(knobs: dict[str, str], exhaust: str, lost: bool) -> None:
    table = scene(besieged="9H 8C", to_act="besieged", fate=["red Joker"], joker_exhaust=exhaust, **knobs).act(
        "Besieged"
    )
    assert table.over is lost
    assert table.fired["SS-DCK-02"] == (1 if lost else 0)


def test_SS_DCK_03_a_penalty_is_taken_card_by_card() -> None:
    table = scene(besieger="10S 2H", besieged="3C 4C", walls=2).act("Bombard (Enemy)", "draw no card")
    assert table.result == ("besieger", "surrender")
    assert table.pile("besieged") == "3C 4C"  # what was discarded before stays discarded
    assert table.fired["SS-DCK-03"] == 1


def test_SS_DCK_03_counts_only_where_several_cards_are_due() -> None:
    table = scene(besieger="10S 2H", besieged="3C 4C 5C", walls=2, bombard_penalty=1).act(
        "Bombard (Enemy)", "draw no card"
    )
    assert table.pile("besieged") == "3C"
    assert table.fired["SS-DCK-03"] == 0


@pytest.mark.parametrize(("side", "action"), [("besieger", "Besiege"), ("besieged", "Besieged")])
def test_SS_DCK_04_an_empty_deck_alone_loses_nothing(side: str, action: str) -> None:
    decks = {"besieger": "7S 6S", "besieged": "4D 3D"} | {side: "9C"}
    table = scene(**decks, to_act=side).act(action)
    assert table.size(side) == 0
    assert table.result is None
    assert table.fired["SS-DCK-04"] == 1


def test_SS_DCK_04_the_loss_comes_with_the_next_card_that_must_leave() -> None:
    table = scene(besieger="9C", besieged="4D 3D").act("Besiege")
    assert table.result is None
    assert table.act("Besieged").result == ("besieged", "abandon")
    assert table.fired["SS-DCK-04"] == 1


@pytest.mark.parametrize(
    ("besieged", "offers"), [("", 0), ("2D", 1), ("2D 3D", 2), ("2D 3D 4D", 3), ("2D 3D 4D 5D", 3)]
)
def test_SS_DCK_05_a_defender_draws_at_most_the_deck_and_never_loses_by_it(besieged: str, offers: int) -> None:
    table = scene(besieger="3C AS 9D 8D 7D", besieged=besieged, walls=9).act("Assault", "throw 1 card")
    names = ["draw no card", "draw 1 card to defend", "draw 2 cards to defend", "draw 3 cards to defend"]
    assert table.options() == names[: offers + 1]
    assert table.fired["SS-DCK-05"] == (1 if offers < 3 else 0)
    table.act(names[offers])  # 1 > 9 + anything is false: the Besieged stands
    assert table.fired["SS-BGR-10"] == 1
    # Drawing the whole deck lost nothing: where the game is over, it ended as the next action came due.
    assert table.fired["SS-TRN-04"] == (0 if besieged == "2D 3D 4D 5D" else 1)


def test_SS_DCK_05_a_besieger_without_cards_cannot_draw_against_a_sally() -> None:
    table = scene(besieger="", besieged="2S 3S", built=["Camp Defences I", "Camp Defences II"], to_act="besieged")
    table.act("Sally (Siege Equipment)")
    assert table.options() == ["draw no card"]
    assert table.fired["SS-DCK-05"] == 1


def test_SS_DCK_06_a_pile_is_never_made_a_deck() -> None:
    table = scene(besieger="2C", besieged="9H 8H", besieger_pile="10S 9S 8S").act("Besiege", "Besieged")
    assert table.result == ("besieged", "abandon")
    assert table.pile("besieger") == "10S 9S 8S 2C"
    assert table.size("besieger") == 0
    assert table.fired["SS-DCK-06"] == 1
    assert scene(besieger="", besieged="9H 8H", to_act="besieged").act("Besieged").fired["SS-DCK-06"] == 0  # no pile


def test_SS_DCK_07_contest_cards_lie_aside_until_the_effect_is_carried_out() -> None:
    table = scene(besieger="9S 8S", besieged="2C 7H 6H 5H 4H", walls=2).act("Bombard (Enemy)")
    assert (table.aside("besieger"), table.pile("besieger")) == ("9S", "")
    table.act("draw 1 card to defend")  # 9 > 2 + 2
    assert table.pile("besieged") == "7H 6H 5H 2C"  # the penalty first, then the drawn card
    assert table.pile("besieger") == "9S"
    assert table.aside("besieger") == table.aside("besieged") == ""
    assert table.fired["SS-DCK-07"] == 1


def test_SS_DCK_07_the_last_drawn_ends_on_top() -> None:
    table = scene(besieger="3C 2S 3S 4S 8H 7C", besieged="4C 6D 5S 9C", walls=9)
    table.act("Assault", "throw 3 cards", "draw 3 cards to defend")  # 9 > 15 + 9 is false
    assert table.pile("besieger") == "3C 8H 2S 3S 4S"
    assert table.pile("besieged") == "4C 6D 5S"
    assert table.fired["SS-DCK-07"] == 1


def test_SS_DCK_07_during_a_sally_the_cards_wait_for_the_counter_to_be_chosen() -> None:
    table: Table = scene(besieger="2S 3S", besieged="9H 8H", built=["Mine", "Ladders"], to_act="besieged")
    table.act("Sally (Siege Equipment)", "draw 1 card to defend")
    assert table.decision == "destroy"
    assert (table.aside("besieger"), table.aside("besieged")) == ("2S", "9H")
    assert table.fired["SS-DCK-07"] == 0
    table.act("destroy Mine")
    assert (table.pile("besieger"), table.pile("besieged")) == ("2S", "9H")
    assert table.fired["SS-DCK-07"] == 1
