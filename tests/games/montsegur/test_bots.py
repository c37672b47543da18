"""The bots of the ledger's section 7: conformance, no peeking, and the table of what sound results look like."""

from __future__ import annotations

import pytest

from policies import montsegur as bots
from simlab.engine import jit
from simlab.registry import find_bots
from simlab.testing import check_game, check_policy
from tests.games.montsegur.table import GAME, match_of, scene

CATHARS = ("value", "peace", "exodus", "faithful", "crest")
CRUSADERS = ("value", "peace", "ring", "storm", "inquisition")
#: (Cathars, Crusaders) -> range of the Cathars' win rate (ledger 7.3)
TABLE = {
    ("random", "random"): (0.40, 0.45), ("value", "random"): (0.98, 1.0), ("exodus", "random"): (0.93, 1.0),
    ("random", "value"): (0.0, 0.03), ("random", "storm"): (0.0, 0.03), ("value", "value"): (0.58, 0.74),
    ("value", "ring"): (0.55, 0.80), ("value", "storm"): (0.55, 0.80), ("value", "inquisition"): (0.55, 0.80),
    ("exodus", "value"): (0.28, 0.45), ("faithful", "value"): (0.36, 0.53), ("crest", "value"): (0.32, 0.50),
    ("exodus", "ring"): (0.30, 0.60), ("faithful", "storm"): (0.30, 0.60), ("crest", "inquisition"): (0.30, 0.60),
}  # fmt: skip


def test_conformance() -> None:
    done = check_game(GAME, games=4)
    assert any("rules fired" in line for line in done)


@pytest.mark.parametrize(("seat", "bot"), [*(("cathar", b) for b in CATHARS), *(("crusader", b) for b in CRUSADERS)])
def test_no_bot_peeks(seat: str, bot: str) -> None:
    assert any("does not peek" in line for line in check_policy(GAME, seat, bot, games=3))


def test_all_bots_are_there() -> None:
    assert set(find_bots(GAME)) == {*CATHARS, *CRUSADERS, "random"}


@pytest.mark.parametrize("pair", TABLE)
def test_what_sound_results_look_like(pair: tuple[str, str]) -> None:
    if not jit.compiling():
        pytest.skip("thousands of games: compiled only")
    low, high = TABLE[pair]
    rows = match_of({}, *pair).play(7, 0, 1500).rows
    rate = float((rows["winner"] == 0).mean())
    slack = 3 * (0.25 / 1500) ** 0.5
    assert low - slack <= rate <= high + slack


def test_value_takes_what_is_worth_most() -> None:
    table = scene(hand=["S23", "S07"], bots=("value", "value"), set_={"food": 3, "morale": (3, 8)})
    assert table.stepper.policy_action() == 1  # two Food are worth more than any four points
    storm = scene("crusader", hand=["S05"], cathars={"MC": 1, "EW": 0}, crusaders={"EW": 3}, bots=("value", "storm"))
    assert storm.stepper.policy_action() in (13, 26)
    table = scene(hand=["S01"], bots=("exodus", "value"))
    assert table.stepper.policy_action() == 26  # nobody has escaped: the commander's five points


def test_ring_leaves_the_walls_alone() -> None:
    rows = match_of({}, "value", "ring").play(3, 0, 300).rows
    assert (rows["ending"] == GAME.endings.index("castle")).mean() < 0.01


def test_chance_counts_the_bag() -> None:
    assert bots.chance(scene().plain_state(), 0, 5, 3) == pytest.approx(6 / 8)
