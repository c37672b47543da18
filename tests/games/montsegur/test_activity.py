"""Activity phases: plays, events, triggers, preempting, commanders (ledger 3.6)."""

from __future__ import annotations

import pytest

from simlab.games.montsegur.state import CARDS_MAX, PLAY_COMMANDER, PLAY_CP, PREEMPTED, TRIGGERED
from tests.games.montsegur.table import CARD_IDS, GAME, Table, scene


def test_MS_ACT_01_both_sides_play_in_each_phase() -> None:
    table = scene(hand=["S21"], other=["S40"]).event("S21")
    assert (table.seat, int(table.state.phase)) == ("crusader", 0)
    table.event("S40")
    assert int(table.state.phase) == 1
    longer = scene(hand=["S21", "S22"], other=["S40"], activity_phases=4, phase=3, second=True).event("S21")
    assert longer.seat == "crusader" or longer.decision != "D_PLAY"


def test_MS_ACT_02_MS_ACT_03_any_card_either_way_or_the_commander() -> None:
    table = scene(hand=["S40", "S01"])
    assert table.legal() == [0, 1, PLAY_CP, PLAY_CP + 1, PLAY_COMMANDER]
    table.event("S40")
    assert table.morale == (7, 8)
    assert table.fired["MS-ACT-03"] == 1


@pytest.mark.parametrize(
    ("side", "card", "options"),
    [
        ("cathar", "S01", {0, 1, 2, 3, 4, 5, 6}),
        ("cathar", "S17", {0, 1, 3, 4, 5}),
        ("crusader", "S01", {0, 1, 2, 3, 4}),
    ],
)
def test_MS_ACT_04_MS_ACT_06_actions_on_offer(side: str, card: str, options: set[int]) -> None:
    assert set(scene(side, hand=[card]).spend(card).legal()) == options


def test_MS_ACT_05_there_is_no_null_action() -> None:
    table = scene("crusader", hand=["S17"], crusaders={"CC": 0}).spend("S17")
    assert table.legal() == [1, 3, 4]


def test_MS_ACT_06_what_each_action_needs() -> None:
    assert 5 not in scene(hand=["S01"], set_={"montsegur": 0}).spend("S01").legal()
    assert 0 not in scene(hand=["S01"], set_={"no_attack": 1}).spend("S01").legal()
    assert 6 not in scene(hand=["S01"], aspire_cost=4).spend("S01").legal()


def test_MS_ACT_07_without_cards_and_commander_a_side_passes() -> None:
    table = scene(hand=["S21"], set_={"commander": (1, 0)}).event("S21")
    assert table.fired["MS-ACT-07"] == 1
    assert (table.decision, table.seat) == ("D_ACTION", "cathar")  # only the commander is left: not asked


def test_MS_ACT_08_announce_preempt_act_trigger() -> None:
    table = scene("crusader", hand=["S21"], set_={"markers": (1, 2)})
    seen = [table.decision]
    for action in (PLAY_CP, 0, 3, 0):
        table.act(action)
        seen.append(table.decision)
    assert seen[:4] == ["D_PLAY", "D_PREEMPT", "D_ACTION", "D_TRIGGER"]
    assert "S21" in table.discarded


def test_MS_EVT_01_MS_EVT_02_MS_EVT_03_an_event_is_resolved_once() -> None:
    table = scene(hand=["S21"], other=["S40"]).event("S21")
    assert (int(table.state.food), table.resolved) == (9, ["S21"])
    assert (table.seat, table.decision) == ("crusader", "D_PLAY")  # no window between
    assert table.fired["MS-EVT-03"] == 1


def test_MS_EVT_04_MS_ATT_06_turn_effects_add_up_and_lapse() -> None:
    table = scene(hand=["S19", "S20"]).event("S19")
    while table.seat != "cathar" or table.decision != "D_PLAY":
        table.act(table.legal()[0])
    table.event("S20")
    assert int(table.state.lead[0]) == 2
    table = table.copy().upkeep()
    assert int(table.state.turn) == 2
    assert int(table.state.lead[0]) == 0
    lasting = scene(hand=["W28"]).event("W28").upkeep()
    assert int(lasting.state.walls_mended) == 1


def test_MS_EVT_05_the_player_is_who_resolves_it() -> None:
    own = scene("crusader", hand=["S07"]).event("S07")
    assert own.scouts == (0, 2)
    triggered = scene("crusader", hand=["S07"]).spend("S07", "Reinforcements").act(1)
    assert triggered.scouts == (2, 0)
    named = scene("crusader", hand=["S33"], set_={"morale": (7, 7)}).event("S33")
    assert named.morale == (8, 7)


def test_MS_EVT_06_an_event_may_do_nothing() -> None:
    table = scene("crusader", hand=["S37"]).event("S37")
    assert int(table.state.trebuchets) == 0
    assert table.resolved == ["S37"]
    assert table.fired["MS-EVT-06"] == 1


def test_MS_EVT_07_MS_END_05_a_surrender_skips_the_rest() -> None:
    table = scene("crusader", hand=["W04"], set_={"morale": (1, 8)})
    assert table.event("W04").morale == (2, 9)
    broken = scene(hand=["S12"], set_={"morale": (1, 8)}).event("S12")
    assert broken.morale[1] == 8


def test_MS_EVT_08_offers_may_be_declined() -> None:
    attack = scene(hand=["S08"]).event("S08")
    assert (attack.decision, attack.legal()[-1]) == ("D_EDGE", 32)
    before = attack.cathars
    assert attack.act(32).cathars == before
    move = scene(hand=["S09"]).event("S09")
    assert (move.decision, move.legal()[-1]) == ("D_REDEP_PICK", 11)
    move.act(11)
    assert move.fired["MS-EVT-08"] == 1
    escape = scene(hand=["S27"]).event("S27")
    assert (escape.decision, escape.act(0).perfects) == ("D_ESCAPE_OPT", {"montsegur": 4})


def test_MS_TRG_01_MS_TRG_02_a_trigger_costs_a_marker_and_resolves_the_card() -> None:
    table = scene("crusader", hand=["S21"]).spend("S21", "Reinforcements")
    assert (table.decision, table.seat) == ("D_TRIGGER", "cathar")
    no, yes = table.copy().act(0), table.copy().act(1)
    assert (no.discarded, no.resolved, no.markers) == (["S21"], [], (1, 1))
    assert (yes.discarded, yes.resolved, yes.markers, int(yes.state.food)) == ([], ["S21"], (0, 1), 9)
    assert scene("crusader", hand=["S21"], trigger_cost=2).spend("S21", "Reinforcements").decision != "D_TRIGGER"
    assert int(yes.state.card_use[CARD_IDS.index("S21")]) >> TRIGGERED & 1


def test_MS_TRG_03_conditions_look_at_the_new_position() -> None:
    table = scene(hand=["S39"], crusaders={"CRE": 1}).spend("S39", "Attack").attack("EW", "CRE", 1)
    assert table.decision == "D_TRIGGER"
    assert table.act(1).morale == (8, 8)


def test_MS_TRG_04_when_there_is_a_window() -> None:
    broke = scene("crusader", hand=["S21"], set_={"markers": (0, 1)}).spend("S21", "Reinforcements")
    assert broke.discarded == ["S21"]
    preempted = scene("crusader", hand=["S21"], set_={"markers": (1, 2)})
    preempted.act(PLAY_CP, 1, 1)
    assert (preempted.discarded, preempted.markers) == (["S21"], (1, 0))


def test_MS_PRE_01_MS_PRE_02_preempting_costs_two_before_the_action() -> None:
    table = scene("crusader", hand=["S21"], set_={"markers": (1, 2)}).act(PLAY_CP)
    assert (table.decision, table.seat) == ("D_PREEMPT", "crusader")
    table.act(1)
    assert (table.decision, table.markers[1], int(table.state.preempted)) == ("D_ACTION", 0, 1)
    assert int(table.state.card_use[CARD_IDS.index("S21")]) >> (PREEMPTED + 1) & 1


@pytest.mark.parametrize(
    ("markers", "knobs", "asked"),
    [((1, 2), {}, True), ((0, 2), {}, False), ((1, 1), {}, False), ((1, 1), {"preempt_cost": 1}, True)],
)
def test_MS_PRE_03_preempting_is_offered_where_it_can_matter(
    markers: tuple[int, int], knobs: dict[str, int], asked: bool
) -> None:
    table = scene("crusader", hand=["S21"], set_={"markers": markers}, **knobs).act(PLAY_CP)
    assert (table.decision == "D_PREEMPT") is asked


def test_MS_CMD_01_MS_CMD_02_MS_CMD_03_the_commander() -> None:
    table = scene("crusader", hand=["S21"], other=["S40"]).command("Reinforcements")
    assert table.crusaders["CC"] == 15
    assert (table.seat, table.state.commander.tolist()) == ("cathar", [1, 0])
    assert not table.discarded
    assert scene("crusader", hand=["S21"], commander_cp=3).command("Reinforcements").crusaders["CC"] == 13
    ready = scene("crusader", hand=["S10"], other=["S40"], set_={"commander": (1, 0)}).event("S10")
    assert (ready.state.commander.tolist(), ready.markers) == ([1, 1], (1, 2))


def test_MS_INF_01_MS_INF_02_MS_INF_03_what_a_seat_sees() -> None:
    table = scene(hand=["S01", "S21"], other=["S40", "S41"])
    mine, theirs, every = (table.stepper.describe(viewer) for viewer in (0, 1, None))
    assert mine["cathar's hand"] == every["cathar's hand"]
    assert theirs["cathar's hand"] == "2 cards"
    assert mine["crusader's hand"] == "2 cards"
    assert mine["map"] == theirs["map"]
    table.spend("S01", "Reinforcements").quiet()
    assert any("Ambush" in name for name in table.stepper.describe(1)["discarded"])


def test_redraw_keeps_what_is_seen() -> None:
    table = scene(hand=["S01", "S21"], other=["S40", "S41"], set_={"turn": 2})
    table.stepper.redraw(0)
    assert table.hand(0) == ["S01", "S21"]
    assert len(table.hand(1)) == 2
    everything = sorted(table.hand(1) + [CARD_IDS[int(c)] for c in table.state.deck[: int(table.state.deck_len)]])
    assert everything == sorted(set(CARD_IDS[:54]) - {"S01", "S21"})
    assert len(CARD_IDS) <= CARDS_MAX
    assert isinstance(table, Table)
    assert GAME.max_actions == 33
