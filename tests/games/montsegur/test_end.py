"""End of the game and victory points (ledger 3.9)."""

from __future__ import annotations

import pytest

from simlab.games.montsegur.ending import duration_points
from simlab.games.montsegur.state import FATE_OF_PERFECTS, FULL_BAG
from tests.games.montsegur.table import Table, records, scene, stack


def finish(surrendered: int = 0, turn: int = 5, **given: object) -> Table:
    """A surrender taken up: the fate of the perfects and the points follow. Redraws are refused."""
    fields = dict(given.pop("set_", {}))  # type: ignore[call-overload]
    fields = {"surrendered": surrendered, "aftermath": 1, "ending": 1, "end_turn": turn, "turn": turn} | fields
    table = scene(set_=fields, **given)  # type: ignore[arg-type]
    for side, cards in ((0, given.get("cathar_stack", ())), (1, given.get("crusader_stack", ()))):
        stack(table.state, side, *cards)  # type: ignore[misc]
    return table.enter(FATE_OF_PERFECTS).quiet()


def test_MS_END_01_morale_0() -> None:
    table = scene(hand=["S34"], set_={"morale": (8, 1)}).event("S34").quiet()
    assert (table.ending, table.winner) == ("crusader_morale", "cathar")


def test_MS_END_02_food_0() -> None:
    table = scene("crusader", hand=["S43"], set_={"food": 1}).event("S43").quiet()
    assert (table.ending, int(table.state.surrendered)) == ("food", 0)


def test_MS_END_03_after_turn_8_the_cathars_surrender() -> None:
    table = scene(set_={"turn": 8, "food": 9}).upkeep().quiet()
    assert (table.ending, int(table.state.end_turn), table.stepper.row()["vp_duration"]) == ("time", 9, 2)
    assert not scene(set_={"turn": 8, "food": 9}, turns_max=9).upkeep().over


def test_MS_END_04_a_surrender_in_upkeep_skips_the_rest() -> None:
    table = scene(set_={"food": 1, "morale": (5, 1)}).upkeep().quiet()
    assert (table.ending, table.morale) == ("food", (5, 1))
    assert table.fired["MS-END-04"] == 1


def test_MS_END_05_a_surrender_in_an_activity_phase() -> None:
    table = scene(hand=["S34", "S21", "S22"], other=["S40"], set_={"morale": (8, 1), "aspiring": 1, "scouts": (1, 0)})
    table.event("S34")
    assert (table.decision, table.seat) == ("D_STRATEGY", "cathar")
    table.act(0)
    assert table.over
    assert table.state.stack_len.tolist() == [1, 1]
    assert (table.markers, int(table.state.food)) == ((2, 1), 8)
    assert table.fired["MS-FTH-01"] == 1


@pytest.mark.parametrize(("ruling", "winner"), [("ignored", 1), ("counts", 0)])
def test_MS_END_06_no_second_surrender(ruling: str, winner: int) -> None:
    table = scene(hand=["S34"], set_={"morale": (8, 1), "montsegur": 0, "faith": 1}, late_second_surrender=ruling)
    table.event("S34").quiet()
    assert int(table.state.surrendered) == winner
    assert table.fired["MS-END-06"] == 1


def test_MS_FAP_01_the_crusaders_surrendered() -> None:
    table = finish(1, set_={"montsegur": 3, "aspiring": 2, "captured": 1})
    assert table.perfects == {"escaped": 6}
    assert table.stepper.row()["vp_duration"] == 0


def test_MS_FAP_02_the_cathars_surrendered() -> None:
    table = finish(0, set_={"montsegur": 3, "aspiring": 2, "captured": 1, "faith": 4, "bag": 128})
    assert table.perfects == {"burned": 4}
    assert int(table.state.bag) == FULL_BAG


@pytest.mark.parametrize(
    ("faith", "token", "kind"),
    [(4, "F5", "burned"), (3, "F5", "repenting"), (4, "cross", "repenting"), (1, "dove", "burned")],
)
def test_MS_FAP_03_MS_FAP_04_a_repentance_check(faith: int, token: str, kind: str) -> None:  # WE-17
    fields = {"surrendered": 0, "aftermath": 1, "ending": 1, "end_turn": 5, "turn": 5, "montsegur": faith + 1,
              "faith": faith, "markers": (0, 0)}  # fmt: skip
    table = scene(set_=fields).token(token, "fate_crusader").enter(FATE_OF_PERFECTS)
    assert table.over
    assert table.perfects.get(kind, 0) == 1 + (faith if kind == "burned" else 0)
    assert int(table.state.faith) == faith
    easier = scene(set_=fields, repent_base=4).token("F4", "fate_crusader").enter(FATE_OF_PERFECTS)
    assert easier.over


@pytest.mark.parametrize(("mode", "repenting"), [("plus2", 1), ("plus1", 0)])
def test_MS_FAP_05_a_broken_line(mode: str, repenting: int) -> None:
    fields = {"surrendered": 0, "aftermath": 1, "ending": 1, "end_turn": 5, "turn": 5, "montsegur": 5, "faith": 4,
              "markers": (0, 0), "broken_line": 1}  # fmt: skip
    table = scene(set_=fields, broken_line_mode=mode).token("F4", "fate_crusader").enter(FATE_OF_PERFECTS)
    assert table.perfects.get("repenting", 0) == repenting
    table = scene(set_=fields, broken_line_mode="domino").token("cross", "fate_crusader").enter(FATE_OF_PERFECTS)
    assert table.perfects == {"repenting": 2, "burned": 3}
    plain = scene(set_=fields, broken_line_bonus=3).token("F3", "fate_crusader").enter(FATE_OF_PERFECTS)
    assert plain.perfects.get("repenting", 0) == 1


@pytest.mark.parametrize(("ruling", "asked"), [("allowed", True), ("forbidden", False)])
def test_MS_FAP_06_redraws_in_the_last_checks(ruling: str, asked: bool) -> None:
    fields = {"surrendered": 0, "aftermath": 1, "ending": 1, "end_turn": 5, "turn": 5, "montsegur": 5}
    table = scene(set_=fields, final_redraws=ruling).token("dove", "fate_crusader").enter(FATE_OF_PERFECTS)
    assert (not table.over and table.decision == "D_REDRAW") is asked
    if asked:
        assert table.act(1).markers[1] == 0


def test_MS_VP_01_MS_VP_02_MS_VP_03_points_for_perfects() -> None:
    row = finish(0, set_={"montsegur": 4, "escaped": 2, "repenting": 1}).stepper.row()
    assert (row["vp_repenting"], row["vp_burned"], row["vp_escaped"], row["vp_none_escaped"]) == (2, 4, 4, 0)
    other = finish(0, set_={"montsegur": 4, "escaped": 2, "repenting": 1}, vp_repent=3, vp_burn=2, vp_escape=4)
    assert [other.stepper.row()[f"vp_{name}"] for name in ("repenting", "burned", "escaped")] == [3, 8, 8]


def test_MS_VP_04_nobody_escaped() -> None:
    assert finish(0).stepper.row()["vp_none_escaped"] == 4
    assert finish(0, vp_none_escaped=6).stepper.row()["vp_none_escaped"] == 6


def test_MS_VP_05_the_length_of_the_siege() -> None:
    knobs, _ = records(scene().stepper.match)
    assert [duration_points(knobs, turn) for turn in range(1, 10)] == [18, 16, 14, 12, 10, 8, 6, 4, 2]  # WE-14
    assert finish(0, turn=5).stepper.row()["vp_duration"] == 10
    assert finish(0, turn=5, vp_duration_last=3, vp_duration_slope=1).stepper.row()["vp_duration"] == 7


def test_MS_VP_06_MS_VP_07_grail_and_castle() -> None:
    row = finish(0, set_={"grail": 1}, cathars={"MC": 0}, crusaders={"MC": 2}).stepper.row()
    assert (row["vp_grail"], row["vp_castle"]) == (2, 2)
    row = finish(0, set_={"grail": 1}, cathars={"MC": 0}, crusaders={"MC": 2}, vp_grail=5, vp_castle=6).stepper.row()
    assert (row["vp_grail"], row["vp_castle"]) == (5, 6)


@pytest.mark.parametrize(
    ("mode", "cathar", "crusader", "points"),
    [
        ("printed", ["S40"], ["S37"], -4), ("printed", ["S24"], ["S40"], 4), ("printed", ["S24"], ["S37"], 0),
        ("one_each", ["S24"], ["S37", "S40"], -4), ("equals_cp", ["S28"], ["S37", "S53"], 4),
    ],
)  # fmt: skip
def test_MS_VP_08_the_strategy_majority(mode: str, cathar: list[str], crusader: list[str], points: int) -> None:
    given = {"set_": {"markers": (0, 0)}, "symbols_mode": mode}
    fields = {"surrendered": 0, "aftermath": 1, "ending": 1, "end_turn": 5, "turn": 5, "markers": (0, 0)}
    table = scene(set_=fields, symbols_mode=given["symbols_mode"])
    stack(table.state, 0, *cathar)
    stack(table.state, 1, *crusader)
    table.enter(FATE_OF_PERFECTS)
    assert table.stepper.row()["vp_strategy"] == points
    assert finish(0, set_={"markers": (3, 1)}, vp_strategy=6).stepper.row()["vp_strategy"] == 6


@pytest.mark.parametrize(("cathars", "crusaders", "winner"), [({}, {}, "cathar"), ({"MC": 0}, {"MC": 1}, "crusader")])
def test_MS_VP_09_a_tie_goes_to_who_holds_the_castle(
    cathars: dict[str, int], crusaders: dict[str, int], winner: str
) -> None:
    fields = {"surrendered": 0, "aftermath": 1, "ending": 1, "end_turn": 9, "turn": 8, "escaped": 1, "montsegur": 0,
              "markers": (0, 0)}  # fmt: skip
    table = scene(set_=fields, cathars=cathars, crusaders=crusaders, vp_castle=0).enter(FATE_OF_PERFECTS)
    assert table.points == (2, 2)
    assert table.winner == winner
