"""The bots of the ledger's section 7: conformance, no peeking, and the table of what sound results look like."""

from __future__ import annotations

from typing import Any

import pytest

from policies.montsegur import measures
from simlab import compiler
from simlab.bot_registry import find_bots
from simlab.games.montsegur.state import BOOST, D_ACTION
from tests.games.montsegur.table import CARD_IDS, GAME, Table, match_of, scene
from tests.strangers import illegal_answers

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


def test_all_bots_are_there() -> None:
    assert set(find_bots(GAME)) == {*CATHARS, *CRUSADERS, "random"}


@pytest.mark.sample(0, 5)
@pytest.mark.parametrize("pair", TABLE)
def test_what_sound_results_look_like(pair: tuple[str, str]) -> None:
    if not compiler.compiling():
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
    assert measures.chance(scene().plain_state(), 0, 5, 3) == pytest.approx(6 / 8)


COMMANDER = 26


def choice(table: Table, *hand: str) -> str:
    """What the bot to play does with a hand: `W32` as event, `W32 points`, or `commander`."""
    cards = sorted(hand, key=CARD_IDS.index)
    action = table.stepper.policy_action()
    if action == COMMANDER:
        return "commander"
    return cards[action] if action < 13 else f"{cards[action - 13]} points"


def crusader(bot: str, *hand: str, **scenery: Any) -> str:
    return choice(scene("crusader", hand=hand, bots=("value", bot), **scenery), *hand)


def cathar(bot: str, *hand: str, **scenery: Any) -> str:
    return choice(scene("cathar", hand=hand, bots=(bot, "value"), **scenery), *hand)


@pytest.mark.long
def test_bots_are_legal_wherever_they_are_asked() -> None:
    assert illegal_answers(GAME, settings=12) == []


def test_storm_takes_the_roc_by_climbers_alone() -> None:
    """STORM 3: Assault through the Snow could take it too, but is no card for that."""
    assert crusader("storm", "W32", "S20") == "W32"
    assert crusader("storm", "W15", "S20") == "commander"  # five for the Crest
    assert crusader("storm", "W32", "S20", cathars={"NE": 1}) == "commander"  # the climb begins there


def test_storm_opens_the_caves_though_both_sides_gain() -> None:
    """STORM 8: the Crest is out of reach; The Mountain Opens is worth nothing while both are shut out."""
    scenery: dict[str, Any] = {"cathars": {"CRE": 4}, "crusaders": {"NP": 3, "CC": 8}}
    assert crusader("storm", "W14", "S20", **scenery) == "W14"
    for caves in ((0, 0), (1, 0)):  # to the Crusaders alone comes first, even where the Cathars have them already
        assert crusader("storm", "W14", "W35", **scenery, set_={"caves": caves}) == "W35"
    assert crusader("storm", "W14", "S20", **scenery, set_={"caves": (0, 1)}) != "W14"
    assert crusader("storm", "W14", "S20", cathars={"CRE": 4}, crusaders={"NP": 2, "CC": 8}) != "W14"


@pytest.mark.parametrize("bot", ["exodus", "faithful"])
def test_consolamentum_is_paid_with_what_an_aspiring_perfect_costs(bot: str) -> None:
    scenery: dict[str, Any] = {"set_": {"montsegur": 1, "faith": 4}}
    assert cathar(bot, "S39", "S21", **scenery).endswith("points")
    for cost in (2, 3, 4):
        table = scene(hand=["S39", "W02", "S05"], bots=(bot, "value"), aspire_cost=cost, **scenery)
        table.act(table.stepper.policy_action())
        assert int(table.state.cp) == cost and table.stepper.policy_action() == 6, cost


@pytest.mark.parametrize(("first", "further"), [(1, 1), (1, 2), (1, 3), (2, 2), (3, 1)])
def test_faithful_sends_two_scouts_whatever_they_cost(first: int, further: int) -> None:
    """S39 has 2 points, W02 3, S05 4."""
    knobs = {"scout_first_cost": first, "scout_next_cost": further}
    table = scene(hand=["S39", "W02", "S05"], bots=("faithful", "value"), set_={"faith": 4, "montsegur": 4}, **knobs)
    table.act(table.stepper.policy_action())
    assert int(table.state.cp) == first + further and table.stepper.policy_action() == 3


def test_faithful_keeps_a_marker_for_a_trigger() -> None:
    for redraw, trigger, markers, again in ((1, 1, 2, 1), (1, 1, 1, 0), (2, 1, 2, 0), (2, 1, 3, 1), (1, 2, 2, 0)):
        knobs = {"redraw_cost": redraw, "trigger_cost": trigger}
        table = scene(hand=["S39"], bots=("faithful", "value"), set_={"markers": (markers, 0)}, **knobs)
        table.state.decision, table.state.check, table.state.check_side = 8, 0, 0
        assert table.stepper.policy_action() == again, (redraw, trigger, markers)


@pytest.mark.parametrize(("knobs", "boosts"), [({}, False), ({"track_max": 12}, True)])
def test_value_boosts_up_to_the_top_of_the_track(knobs: dict[str, int], boosts: bool) -> None:
    """Morale 9 with five points: a Boost is worth more than anything else if it can raise Morale."""
    table = scene(
        hand=["S39"], cathars={"MC": 5}, bots=("value", "value"), **knobs,
        set_={"morale": (9, 8), "scouts": (3, 0), "montsegur": 0, "aspiring": 5, "no_attack": 1},
    )  # fmt: skip
    table.state.decision, table.state.cp = D_ACTION, 5
    assert (table.stepper.policy_action() == int(BOOST)) is boosts
