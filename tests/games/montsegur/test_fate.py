"""Fate tokens and checks (ledger 3.3), with the odds counted exactly."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from policies.montsegur import measures
from simlab.games.montsegur.state import FULL_BAG
from tests.games.montsegur.table import TOKENS, match_of, scene

VALUES = {"F1": (3, -2), "F2": (2, -1), "F3": (1, 0), "F4": (0, 1), "F5": (-1, 2), "F6": (-2, 3)}


def wins(side: int, token: str, base: int, limit: int) -> bool:
    if token in ("dove", "cross"):
        return (token == "dove") == (side == 0)
    return base + VALUES[token][side] > limit


def odds(side: int, bag: list[str], base: int, limit: int) -> Fraction:
    return Fraction(sum(wins(side, token, base, limit) for token in bag), len(bag))


def mask(bag: list[str]) -> int:
    return sum(1 << TOKENS.index(token) for token in bag)


def test_MS_FAT_01_MS_FAT_02_the_tokens_and_their_sides() -> None:
    table = scene()
    assert {t: (int(table.state.token_value[0, i]), int(table.state.token_value[1, i])) for i, t in
            enumerate(TOKENS[:6])} == VALUES  # fmt: skip
    assert int(table.state.bag) == FULL_BAG
    assert scene(fate_1=5).state.token_value[:, 0].tolist() == [5, -4]
    assert scene(fate_set="outer_double").state.token_value[0, :6].tolist() == [2, 2, 1, 0, -1, -1]
    assert scene(fate_set="inner_double").state.token_value[0, :6].tolist() == [2, 1, 1, 0, 0, -1]


def test_MS_FAT_01_odds_by_enumeration_and_by_the_bots_count() -> None:
    """Ledger 2.5: 50 % at the sample turn's trigger, 43 % at its escape, and every bag that can come up."""
    state = scene().plain_state()
    state["bag"] = mask(["F1", "F4", "F5", "F6", "dove", "cross"])
    assert odds(0, ["F1", "F4", "F5", "F6", "dove", "cross"], 4, 3) == Fraction(1, 2)
    assert measures.chance(state, 0, 4, 3) == 0.5
    assert odds(0, [t for t in TOKENS if t != "F2"], 3, 3) == Fraction(3, 7)
    for bits in range(1, 256):
        bag = [token for at, token in enumerate(TOKENS) if bits >> at & 1]
        state["bag"] = bits
        for side in range(2):
            for base in range(1, 6):
                assert measures.chance(state, side, base, 3) == pytest.approx(
                    float(odds(side, bag, base, 3)), abs=1e-12
                )


def test_MS_FAT_01_MS_FAT_04_odds_of_whole_orders_and_by_simulation() -> None:
    """A boost of 1 CP after the initiative's token: by all orders of two tokens, and by 20,000 games."""
    good = total = Fraction(0)
    for first, second in permutations(TOKENS, 2):
        weight = Fraction(1, 56)
        if first in ("dove", "cross"):  # all tokens came back: the second draw is from the full bag
            continue
        total += weight
        good += weight * wins(0, second, 1, 3)
    for _reset in ("dove", "cross"):
        for second in TOKENS:
            total += Fraction(1, 64)
            good += Fraction(1, 64) * wins(0, second, 1, 3)
    assert total == 1
    stepper = scene(hand=["S07"], set_={"markers": (0, 0)})
    hits = 0
    rng = np.random.default_rng(1)
    for _ in range(4_000):
        table = stepper.copy()
        table.state.stream_game[0] = rng.integers(1 << 31)
        first = int(rng.integers(8))
        table.state.bag = FULL_BAG if first >= 6 else FULL_BAG & ~(1 << first)
        hits += table.spend("S07", "Boost Morale").morale[0] == 9
    assert abs(hits / 4_000 - float(good)) < 4 * (0.25 / 4_000) ** 0.5


def test_MS_FAT_03_MS_FAT_04_trail_and_return() -> None:
    table = scene(hand=["S04"]).token("F2").spend("S04", "Boost Morale")
    assert table.trail == ["F2"]
    back = scene(hand=["S04"], set_={"bag": 0b11000011, "markers": (0, 0)}).token("cross")
    assert back.spend("S04", "Boost Morale").trail == []
    assert back.fired["MS-FAT-04"] == 1


@pytest.mark.parametrize(("token", "morale"), [("dove", 9), ("cross", 8)])
def test_MS_FAT_05_dove_and_cross_decide_alone(token: str, morale: int) -> None:
    table = scene(hand=["S05"], set_={"markers": (0, 0)}).token(token).spend("S05", "Boost Morale")
    assert table.morale[0] == morale
    theirs = scene("crusader", hand=["S05"], set_={"markers": (0, 0)}).token(token, "fate_crusader")
    assert theirs.spend("S05", "Boost Morale").morale[1] == 17 - morale


def test_MS_FAT_06_the_bag_is_never_empty() -> None:
    table = scene(hand=["S04"], set_={"bag": 0b10000000, "markers": (0, 0)}).spend("S04", "Boost Morale")
    assert int(table.state.bag) == FULL_BAG


def test_MS_FAT_07_a_failed_check_may_be_drawn_again_for_a_marker() -> None:
    table = scene(hand=["S07"], set_={"markers": (1, 0)}).token("F6").spend("S07", "Boost Morale")
    assert (table.decision, table.seat) == ("D_REDRAW", "cathar")
    assert table.copy().act(0).morale[0] == 8
    table.token("F1").act(1)
    assert (table.morale[0], table.markers[0], table.trail) == (9, 0, ["F1", "F6"])
    assert scene(hand=["S07"], redraw_cost=2).token("F6").spend("S07", "Boost Morale").decision != "D_REDRAW"


@pytest.mark.parametrize(("limit", "asked"), [("once", False), ("unlimited", True)])
def test_MS_FAT_08_redraws_of_one_check(limit: str, asked: bool) -> None:
    table = scene(hand=["S07"], redraw_limit=limit, set_={"markers": (3, 0)}).token("F6").spend("S07", "Boost Morale")
    table.token("F5").act(1)
    assert (table.decision == "D_REDRAW") is asked


def test_MS_FAT_09_which_checks_may_be_drawn_again() -> None:
    escape = scene(hand=["S07"], set_={"markers": (1, 0)}).token("F6").spend("S07", "Escape")
    repent = scene("crusader", hand=["S48"]).token("dove", "fate_crusader").event("S48")
    assert escape.decision == repent.decision == "D_REDRAW"
    assert escape.fired["MS-FAT-09"] == repent.fired["MS-FAT-09"] == 1


@pytest.mark.parametrize(("token", "made"), [("F4", False), ("F3", True)])
def test_MS_FAT_10_equal_fails(token: str, made: bool) -> None:
    table = scene(hand=["S01"], set_={"markers": (0, 0)}).token(token).spend("S01", "Boost Morale")
    assert (table.morale[0] == 9) is made
    assert match_of().game.knobs["leadership_threshold"].default == 3
    easy = scene(hand=["S01"], set_={"markers": (0, 0)}, leadership_threshold=2).token("F4")
    assert easy.spend("S01", "Boost Morale").morale[0] == 9
