"""Whole games as a person reads them, kept as text: labels of actions, descriptions of positions, sentences.

After a change that is meant, and then read the diff:

    SIMLAB_NEW_GOLDEN=1 python -m pytest tests/games/simple_siege_class/test_replay.py
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from simlab.questions.replay.film import Film
from simlab.questions.replay.narrative import game_lines
from tests.games.simple_siege_class.table import GAME, Table, match_of, scene

GOLDEN = Path(__file__).parent / "golden"
GAMES = {"stormer_warden": ("stormer", "warden", 1, 3), "random_random": ("random", "random", 2, 117)}


@pytest.mark.parametrize("name", GAMES)
def test_a_whole_game_reads_as_it_did(name: str) -> None:
    besieger, besieged, seed, game = GAMES[name]
    text = "\n".join(game_lines(Film(match_of({}, besieger, besieged), seed, game))) + "\n"
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("SIMLAB_NEW_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    assert text == path.read_text("utf-8"), "the game reads otherwise: if that was meant, see the top of this file"


def test_actions_are_called_by_the_rulebooks_words() -> None:
    table = scene(built=["Ladders"])
    assert [table.stepper.label(action) for action in table.stepper.legal()] == [
        "Construct Mine (+3, costs 3)", "Construct Siege Tower (+2, costs 2)",
        "Construct Trebuchet (+2, costs 2)", "Construct Catapult (+2, costs 2)",
        "Construct Ample Ammunition (+1, costs 1)", "Construct Camp Defences I (+1, costs 1)",
        "Besiege", "Plan", "Bombard (Walls)", "Bombard (Enemy)", "Assault", "Resupply",
    ]  # fmt: skip
    table.act("Besiege")
    assert table.options() == [
        "Besieged", "Repair and Strengthen", "Plan", "Sally (Siege Equipment)", "Sally (Enemy)", "Rationing",
    ]  # fmt: skip


def test_a_counters_label_tells_its_modifier_and_price_in_force() -> None:
    table = scene(mod_mine=4, equipment_cost_model="double")
    assert "Construct Mine (+4, costs 8)" in [table.stepper.label(action) for action in table.stepper.legal()]


def test_a_seat_sees_its_own_cards_and_not_the_other_sides() -> None:
    table = scene("3C 9S 8H 7D", "4C 6D", known={"besieger": 2, "besieged": 1}).act("Bombard (Enemy)")
    mine, theirs, all_seen = (table.stepper.describe(viewer) for viewer in (0, 1, None))
    assert (mine["besieger knows on top"], theirs["besieger knows on top"]) == ("9S", "1 card")
    assert (mine["besieged knows on top"], theirs["besieged knows on top"]) == ("1 card", "4C")
    assert theirs["besieger's cards aside"] == "1 face down"
    assert all_seen["besieger's cards aside"] == "3C"
    assert all_seen["besieged knows on top"] == "4C"


def narration(table: Table, action: str) -> list[str]:
    """The sentences of a replay while an action is carried out."""
    before, match = table.stepper.array[0], table.stepper.match
    number = table.numbered(action)
    table.act(action)
    return GAME.narration(before, table.state, number, match.knobs[0], match.cards[0])


def test_a_replay_narrates_contests_and_fate() -> None:
    table = scene("3C 9S 8H 7D 2D", "4C 6D 5S", walls=5, fate=["red court"])
    actions = ("Bombard (Walls)", "draw 1 card to defend", "Sally (Enemy)", "draw no card")
    assert [narration(table, action) for action in actions] == [
        [], ["Bombard (Walls), 3 against 9: no effect"],
        [], ["Sally (Enemy), 6 against 0: success", "Fate: Red court card"],
    ]  # fmt: skip
