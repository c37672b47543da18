"""The bots of the ledger's section 7: they do what their lists say, and get the results given."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from simlab.engine import jit
from simlab.registry import find_bots
from tests.games.mighty_fortress.table import GAME, match_of, scene

GAMES = 3000

#: Shares of Survival and Major Victory, and 10 %, median, 90 % of the survivors' score, of a rough prototype.
LEDGER = {
    "warden": (0.94, 0.00, (13, 15, 18)),
    "builder": (0.76, 0.00, (20, 30, 40)),
    "zealot": (0.66, 0.00, (22, 33, 43)),
    "apostle": (0.34, 0.22, (8, 11, 15)),
    "purger": (0.54, 0.00, (21, 32, 42)),
}


@cache
def rows(bot: str) -> Any:
    if not jit.compiling():
        pytest.skip("thousands of games: compiled only")
    return match_of({}, bot).play(1, 0, GAMES).rows


def shares(bot: str) -> tuple[float, float, list[float]]:
    played = rows(bot)
    endings = np.array(GAME.endings)[played["ending"]]
    survived = np.isin(endings, ["pyrrhic_failure", "historical_outcome", "defiant_legacy", "and_are_you_a_bishop"])
    relief = played["ending"] >= 9
    scores = played["score"][:, 0][survived]
    return float(survived.mean()), float(relief.mean()), list(np.quantile(scores, [0.1, 0.5, 0.9]))


def test_the_bots_are_the_ledgers() -> None:
    assert {*LEDGER, "random"} <= set(find_bots(GAME))


@pytest.mark.parametrize("bot", LEDGER)
def test_results_are_those_of_the_ledger(bot: str) -> None:
    """A ballpark of 0.05 and 2 points, says the ledger."""
    survival, relief, scores = LEDGER[bot]
    got = shares(bot)
    assert abs(got[0] - survival) <= 0.05
    assert abs(got[1] - relief) <= 0.05
    assert all(abs(a - b) <= 2 for a, b in zip(got[2], scores, strict=True))


def test_the_designers_frontier() -> None:
    """Care survives and scores low; daring scores high and falls more often; relief is a gamble."""
    warden, builder, zealot, apostle = (shares(bot) for bot in ("warden", "builder", "zealot", "apostle"))
    assert warden[0] > 0.9
    assert warden[2][1] < 20
    assert warden[0] > builder[0] > zealot[0]
    assert warden[2][1] + 10 < builder[2][1] < zealot[2][1]
    assert 0.1 < apostle[1] < 0.4
    assert float(np.mean(rows("random")["winner"] == 0)) < 0.15


def test_shared_value_and_manners() -> None:
    table = scene(dice="W3 W5 W6 Y1 K6", defense=1, bot="warden", materials=20, food=40)
    assert table.choice() == "Patrol"
    assert table.act("Patrol").choice() == "with White 5"  # the lowest that is strong, and no traitor
    table = scene(dice="W3 Y3 P3 B3", bot="warden", food=40, defense=5)
    assert table.act("Deconstruction").choice() == "with Yellow 3"
    table = scene(dice="W1 W2 R1", queue=[None, "Fishwives"], bot="warden", food=30, defense=5, materials=9)
    table.state.ration_used = True
    assert table.choice() == "Raid Fishwives (slot 2)"
    assert table.roll("raid", 12).act("Raid Fishwives (slot 2)").choice() == "with Red 1"


def test_purge_comes_first() -> None:
    for bot in ("warden", "builder", "zealot", "apostle"):
        assert scene(dice="K1 W6", pressure=1, unrest=5, bot=bot).choice() == "Execute a die for Pressure"
        assert scene(dice="K1 W6", pressure=1, unrest=6, bot=bot).choice() == "Execute a die for Unrest"
    council = ["Bernard Knipperdolling"]
    table = scene(dice="K1 W6", pressure=1, council=council, bot="purger")
    assert table.choice() == "activate Bernard Knipperdolling"
    assert scene(dice="K1 W6", pressure=1, council=council, bot="apostle").choice() != "Execute a die for Pressure"


def test_the_zealot_goes_for_the_great_ones() -> None:
    queue = ["Refugee Families", "Captain of the Line"]
    position: dict[str, Any] = {"queue": queue, "food": 40, "defense": 4}
    table = scene(dice="B2 W2 W2 W2 W2 W2 W2 R2", bot="zealot", **position)
    assert table.choice() == "Convert Captain of the Line (slot 2)"
    assert table.act("Convert Captain of the Line (slot 2)").choice() == "commit Blue 2"
    dear = scene(dice="B2 W2 W2 W2 W2 W2 W2 R2", bot="builder:convert=9", **position)
    assert not dear.choice().startswith("Convert")


def test_the_apostle_moves_and_advances() -> None:
    table = scene(dice="W2 W2 W2 W2", queue=["Warendorf"], materials=2, food=36, bot="apostle")
    assert table.choice() == "Dispatch, move to the Support Track: Warendorf (slot 1)"
    position: dict[str, Any] = {"support": {"Warendorf": 1, "Soest": 2}, "food": 36, "cohesion": 3}
    table = scene(dice="W2 W2 W2 P2", bot="apostle", **position)
    assert table.choice() == "Dispatch, advance Soest"
    assert table.act("Dispatch, advance Soest").choice() == "commit Purple 2"


def test_choices_of_cards_follow_their_worth(effect) -> None:  # type: ignore[no-untyped-def]
    for text, choice in (
        ("choose {vp +1 / vp +3}", "choose half 2: vp +3"),
        ("choose {unrest -1 / luxuries +1}", "choose half 1: unrest -1"),
    ):
        table = effect(text, dice="W1 W1 W1", unrest=5, bot="warden").act("activate Tester")
        assert table.choice() == choice
    dear = effect("pay food 4 {vp +1} else {piety +1}", dice="W1 W1 W1", food=8, bot="warden")
    assert dear.act("activate Tester").choice() == "do not pay"


def test_a_bot_plays_decks_it_does_not_know(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "elders.csv"
    path.write_text("id,name,die,cost,ability,vp,source\nT1,Only One,White,nothing,vp +1,3,reconstructed\n")
    for bot in ("warden", "apostle", "purger"):
        played = match_of({}, bot, {"elders": path}).play(1, 0, 50).rows
        assert int(played["elders_seated"].max()) <= 1
