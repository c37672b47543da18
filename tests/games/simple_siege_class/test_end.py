"""SS-END: three ways to end, and never a tie."""

from __future__ import annotations

from typing import Any

import pytest

from tests.games.simple_siege_class.table import GAME, Table, scene

NO_CARD = "draw no card"


def test_SS_END_01_a_successful_assault_wins_for_the_besieger() -> None:
    table = scene("3C 9S 2D", "4C 6D", walls=5).act("Assault", "throw 1 card", NO_CARD)
    assert table.result == ("besieger", "assault")
    assert table.fired["SS-END-01"] == 1
    row = table.stepper.row()
    assert (row["winner"], row["winners"], GAME.endings[row["ending"]], row["turns"]) == (0, 1, "assault", 1)


BREAKING_THE_BESIEGED: dict[str, tuple[dict[str, Any], list[str]]] = {
    "no card to act with": ({"besieger": "7S 6S", "besieged": ""}, ["Besiege"]),
    "a bombard": ({"besieger": "9S 6S", "besieged": "4C 6D"}, ["Bombard (Enemy)", NO_CARD]),
    "a red court": ({"besieged": "4C", "to_act": "besieged", "fate": ["red court"]}, ["Besieged"]),
    "the red Joker": ({"besieged": "4C 5C", "to_act": "besieged", "fate": ["red Joker"]}, ["Besieged"]),
    "a Plan too far": ({"besieged": "4C 5C", "to_act": "besieged", "plan_short_deck": "lose"}, ["Plan"]),
}
BREAKING_THE_BESIEGER: dict[str, tuple[dict[str, Any], list[str]]] = {
    "no card to act with": ({"besieger": "", "to_act": "besieged"}, ["Besieged"]),
    "a sally": ({"besieger": "9S 6S", "to_act": "besieged", "besieged": "4C 2C"}, ["Sally (Enemy)", NO_CARD]),
    "a failed assault": ({"besieger": "9S 2S"}, ["Assault", "throw 1 card", NO_CARD]),
    "a black court": ({"besieger": "", "to_act": "besieged", "fate": ["black court"]}, ["Besieged"]),
    "the black Joker": ({"besieger": "4H 5D", "to_act": "besieged", "fate": ["black Joker"]}, ["Besieged"]),
    "a Plan too far": ({"besieger": "4C 5C", "plan_short_deck": "lose"}, ["Plan"]),
}


@pytest.mark.parametrize("how", BREAKING_THE_BESIEGED)
def test_SS_END_02_a_besieged_who_must_remove_a_card_and_cannot_surrenders(how: str) -> None:
    scenery, actions = BREAKING_THE_BESIEGED[how]
    table = scene(**scenery).act(*actions)
    assert table.result == ("besieger", "surrender")
    assert (table.fired["SS-END-02"], table.fired["SS-END-03"]) == (1, 0)
    row = table.stepper.row()
    assert (row["winner"], row["winners"], GAME.endings[row["ending"]]) == (0, 1, "surrender")


@pytest.mark.parametrize("how", BREAKING_THE_BESIEGER)
def test_SS_END_03_a_besieger_who_must_remove_a_card_and_cannot_abandons(how: str) -> None:
    scenery, actions = BREAKING_THE_BESIEGER[how]
    table = scene(**scenery).act(*actions)
    assert table.result == ("besieged", "abandon")
    assert (table.fired["SS-END-03"], table.fired["SS-END-02"]) == (1, 0)
    row = table.stepper.row()
    assert (row["winner"], row["winners"], GAME.endings[row["ending"]]) == (1, 2, "abandon")


def test_SS_END_04_the_first_to_fail_loses_though_both_decks_are_empty() -> None:
    table = scene("2S 3S", "9H", to_act="besieged").act("Sally (Enemy)", NO_CARD)
    assert (table.size("besieger"), table.size("besieged")) == (0, 0)
    assert table.result == ("besieged", "abandon")
    assert table.fired["SS-END-04"] == 1


def test_SS_END_04_holds_for_a_besieged_who_fails_first() -> None:
    table = scene("2S", "").act("Besiege")
    assert (table.size("besieger"), table.size("besieged")) == (0, 0)
    assert table.result == ("besieger", "surrender")
    assert table.fired["SS-END-04"] == 1


def test_SS_END_04_does_not_fire_while_the_besieged_has_cards() -> None:
    table = scene("2S 3S", "9H 8H", to_act="besieged").act("Sally (Enemy)", NO_CARD)
    assert table.result == ("besieged", "abandon")
    assert table.fired["SS-END-04"] == 0


@pytest.mark.parametrize(("turn_up", "ended_by"), [("black court", 1), ("black Joker", 2), (None, 0)])
def test_the_row_tells_whether_fate_took_the_last_card(turn_up: str | None, ended_by: int) -> None:
    if turn_up:
        table: Table = scene("", "9H 8H", to_act="besieged", fate=[turn_up]).act("Besieged")
    else:
        table = scene("9S", "9H 8H").act("Besiege", "Besieged")
    assert table.stepper.row()["ended_by_fate"] == ended_by


def test_the_row_counts_what_happened() -> None:
    table = scene("9C 8D 7H 10S 4S 3S 9D 2H 8C", "4C 6D 10H 9H 5C 5H 3H 2D 7D", walls=5)
    table.act("Construct Mine", "Repair and Strengthen")
    table.act("Bombard (Walls)", NO_CARD, "Sally (Siege Equipment)", NO_CARD, "destroy Mine")
    table.act("Assault", "throw 1 card", NO_CARD, "Besieged")
    table.act("Resupply", "Sally (Enemy)", NO_CARD)
    assert table.result == ("besieged", "abandon")
    row = table.stepper.row()
    names = ("constructed", "destroyed", "assaults", "bombards_won", "sallies_won", "repairs")
    assert {name: row[name] for name in names} == {
        "constructed": 1, "destroyed": 1, "assaults": 1, "bombards_won": 1, "sallies_won": 2, "repairs": 1,
    }  # fmt: skip
    assert (row["walls_end"], row["recovered"], row["turns"]) == (5, 2, 5)
    assert (row["cards_besieger"], row["cards_besieged"], row["decisions"]) == (0, 4, 14)
