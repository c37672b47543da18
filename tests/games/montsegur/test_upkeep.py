"""Upkeep (ledger 3.8)."""

from __future__ import annotations

import pytest

from simlab.games.montsegur.state import FAITH, STRATEGY_CAT, STRATEGY_REST
from tests.games.montsegur.table import scene


def test_MS_STR_01_a_hand_card_for_the_stack_in_secret() -> None:
    table = scene(hand=["S01", "S21"], other=["S40", "S41"]).enter(STRATEGY_CAT)
    assert (table.decision, table.seat, table.legal()) == ("D_STRATEGY", "cathar", [0, 1])
    table.act(1)
    assert (table.decision, table.seat) == ("D_STRATEGY", "crusader")
    assert table.stepper.describe(1)["cathar's stack"] == "1 card"
    table.act(0)
    assert table.stepper.describe(None)["cathar's stack"] == ("S21 Reservoir of Water",)
    alone = scene(hand=["S01"]).enter(STRATEGY_CAT)
    assert alone.state.stack_len.tolist() == [1, 0]


def test_MS_STR_02_MS_INF_02_the_rest_is_discarded_open() -> None:
    table = scene(hand=["S01", "S21"]).enter(STRATEGY_CAT).act(0)
    assert table.discarded == ["S21"]


@pytest.mark.parametrize(("held", "left"), [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3)])
def test_MS_STR_03_half_the_markers(held: int, left: int) -> None:  # WE-05
    assert scene(set_={"markers": (held, 0)}).enter(STRATEGY_REST).markers == (left, 0)
    assert scene(set_={"markers": (held, 0)}, marker_decay_divisor=1).enter(STRATEGY_REST).markers == (0, 0)


@pytest.mark.parametrize(
    ("scouts", "left", "gained"),
    [
        ((1, 0), (0, 0), (1, 0)),
        ((3, 1), (1, 0), (2, 1)),
        ((2, 2), (1, 1), (1, 1)),
        ((0, 0), (0, 0), (0, 0)),
    ],
)
def test_MS_STR_04_MS_STR_05_scouts_become_markers(
    scouts: tuple[int, int], left: tuple[int, int], gained: tuple[int, int]
) -> None:
    table = scene(set_={"scouts": scouts, "markers": (0, 0)}).enter(STRATEGY_REST)
    assert (table.scouts, table.markers) == (left, gained)


def test_MS_FTH_01_MS_FTH_02_one_consoled_then_faith() -> None:
    table = scene(set_={"montsegur": 2, "aspiring": 2}).enter(FAITH)
    assert (table.perfects, int(table.state.faith)) == ({"montsegur": 3, "aspiring": 1}, 3)
    assert int(scene(set_={"montsegur": 1}).enter(FAITH).state.faith) == 3
    assert int(scene(set_={"montsegur": 5}).enter(FAITH).state.faith) == 4


def test_MS_FTH_02_MS_END_02_faith_0_is_a_surrender() -> None:
    table = scene(set_={"montsegur": 0, "faith": 1}).enter(FAITH)
    assert (table.over, table.ending) == (True, "faith")


def test_MS_FTH_03_no_perfect_in_the_castle() -> None:
    table = scene(set_={"montsegur": 0, "faith": 4}).enter(FAITH)
    assert (table.over, table.ending) == (True, "no_perfects")
    assert not scene(set_={"montsegur": 0, "aspiring": 1}).enter(FAITH).over


def test_MS_ATT_01_bury_and_recover() -> None:
    table = scene(set_={"battlefield": (5, 4)}).upkeep()
    assert (table.battlefield, table.cathars["MC"], table.crusaders["CC"]) == ((0, 0), 7, 12)
    assert scene(set_={"battlefield": (0, 4)}, bury_divisor=4).upkeep().crusaders["CC"] == 13


@pytest.mark.parametrize(("food", "morale"), [(6, 7), (5, 6)])
def test_MS_ATT_02_food_and_hunger(food: int, morale: int) -> None:
    table = scene(set_={"food": food}).upkeep()
    assert (int(table.state.food), table.morale[0]) == (food - 1, morale)
    assert scene(set_={"food": food}, hunger_limit=6).upkeep().morale[0] == 6
    assert int(scene(food_per_turn=2).upkeep().state.food) == 6


def test_MS_ATT_03_morale_falls_the_cathars_first() -> None:
    table = scene(set_={"morale": (1, 1), "food": 7}).upkeep()  # WE-10
    assert (table.ending, int(table.state.food), table.morale) == ("cathar_morale", 6, (0, 1))
    assert table.fired["MS-ATT-04"] == 0
    assert scene(cat_morale_per_turn=2, cru_morale_per_turn=0).upkeep().morale == (6, 8)


def test_MS_ATT_04_MS_ATT_05_desertion() -> None:
    table = scene(set_={"morale": (5, 5), "food": 9}).upkeep()
    assert (table.decision, table.seat, table.legal()) == ("D_DESERT", "crusader", [0, 1, 2, 3, 4])
    table.act(3)
    assert "CRE" not in table.cathars
    assert (table.decision, table.seat, table.legal()) == ("D_DESERT", "cathar", [5, 6, 7, 8, 9, 10])
    table.act(5)
    assert table.crusaders["CC"] == 9
    assert scene(set_={"morale": (5, 8), "food": 9}, desertion_limit=3).upkeep().decision == "D_INIT"


def test_MS_ATT_05_desertion_spares_command_centres_under_the_switch() -> None:
    table = scene(set_={"morale": (5, 8), "food": 9}, desertion_scope="not_command_centre").upkeep()
    assert table.legal() == [1, 2, 3, 4]


def test_MS_ATT_06_the_next_turn() -> None:
    table = scene(set_={"no_attack": 1, "path_less": 2, "escape_mod": -2, "reinf_mod": (-2, -2)}).upkeep()
    state = table.state
    assert int(state.turn) == 2
    assert not any((state.no_attack, state.path_less, state.escape_mod, *state.reinf_mod))
