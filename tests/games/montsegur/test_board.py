"""General rules, the map, control, paths, trebuchets and flanking (ledger 3.1 and 3.2)."""

from __future__ import annotations

import pytest

from simlab.games.montsegur import board, labels
from simlab.games.montsegur.state import CODES, MAX_TURNS, STRATEGY_CAT
from tests.games.montsegur.table import GAME, TABLES, Table, edge, match_of, play_out, records, scene


def joined(table: Table, side: int, start: str) -> set[str]:
    _, cards = records(table.stepper.match)
    mask = board.joined(table.plain_state(), cards, side, CODES.index(start))
    return {code for at, code in enumerate(CODES) if mask >> at & 1}


def bonus(table: Table, start: str, end: str) -> int:
    knobs, cards = records(table.stepper.match)
    return int(board.defence_bonus(table.plain_state(), knobs, cards, edge(start, end)))


# --- General -----------------------------------------------------------------------------


def test_MS_GEN_01_two_seats() -> None:
    assert GAME.seats == ("cathar", "crusader")


def test_MS_GEN_02_at_most_8_turns_of_5_phases() -> None:
    table = scene()
    play_out(table)
    assert table.fired["MS-GEN-02"] <= 8
    assert table.fired["MS-ACT-01"] <= 80


def test_MS_GEN_03_cubes_never_run_out() -> None:
    table = scene("crusader", hand=["S41"], crusaders={"CC": 60}).event("S41")
    assert table.crusaders["CC"] == 65


def test_MS_GEN_04_tracks_stop_at_9() -> None:
    table = scene(hand=["S23"]).event("S23")
    assert int(table.state.food) == 9
    assert table.fired["MS-GEN-04"] == 1
    assert int(scene(hand=["S23"], track_max=12).event("S23").state.food) == 10


def test_MS_GEN_05_MS_GEN_07_a_track_at_0_ends_the_game_in_the_order_of_the_text() -> None:
    table = scene(hand=["S12"], set_={"morale": (1, 1)}).event("S12")
    assert (int(table.state.surrendered), table.morale) == (0, (0, 1))
    assert table.fired["MS-GEN-05"] == table.fired["MS-GEN-07"] == 1


def test_MS_GEN_06_switches_read_three_cards_otherwise() -> None:
    assert scene("crusader", hand=["S05"], set_={"battlefield": (6, 7)}).event("S05").battlefield == (0, 0)
    four = scene("crusader", hand=["S05"], set_={"battlefield": (6, 7)}, truce_scope="four_each").event("S05")
    assert four.battlefield == (2, 3)
    assert four.fired["MS-GEN-06"] == 1
    assert int(scene(hand=["S20"]).event("S20").state.lead[0]) == 1
    escape = scene(hand=["S20"], local_sympathizers_mode="escape").event("S20")
    assert (int(escape.state.lead[0]), int(escape.state.escape_mod)) == (0, 1)
    failed = scene("crusader", hand=["S38"], disputatio_capture="on_success", set_={"markers": (0, 0)})
    assert "captured" not in failed.token("dove", "fate_crusader").event("S38").perfects


def test_MS_GEN_08_points_without_use_are_lost() -> None:
    table = scene(hand=["S01"]).spend("S01", "Consolamentum")
    assert table.perfects["aspiring"] == 1
    assert table.fired["MS-GEN-08"] == 1


# --- Control -----------------------------------------------------------------------------


def test_MS_MAP_01_eleven_locations() -> None:
    assert len(TABLES["locations"]) == 11
    both = scene().state.soldiers
    assert not ((both[0] > 0) & (both[1] > 0)).any()


def test_MS_MAP_02_capacities() -> None:
    capacity = dict(zip(CODES, scene().state.capacity.tolist(), strict=True))
    assert {capacity[code] for code in ("WP", "NP", "SP", "SE", "NE")} == {6}
    assert {capacity[code] for code in ("WW", "EW", "CRE", "RDT")} == {4}
    changed = dict(zip(CODES, scene(cap_perimeter=8, cap_inner=6).state.capacity.tolist(), strict=True))
    assert (changed["NE"], changed["EW"]) == (8, 6)


def test_MS_MAP_03_every_way_from_outside_ends_in_the_perimeter() -> None:
    _, cards = records(match_of())
    ends = {CODES[int(way[int(n) - 1])] for way, n in zip(cards["route"], cards["route_len"], strict=True) if n}
    assert ends == {"WP", "SP", "SE", "NE", "NP"}


def test_MS_LOC_01_MS_LOC_02_MS_LOC_03_who_controls_what() -> None:
    table = scene(cathars={"MC": 0, "WW": 0})
    own = board.controlled(table.plain_state(), 0)
    assert {code for at, code in enumerate(CODES) if own >> at & 1} == {"MC", "EW", "CRE", "RDT"}
    assert not board.controlled(table.plain_state(), 1) >> CODES.index("WW") & 1


def test_MS_LOC_04_an_empty_command_centre_is_no_surrender() -> None:
    table = scene(hand=["S01"], cathars={"MC": 3, "CRE": 1}).spend("S01", "Attack").attack("CRE", "SE", 3)
    assert "MC" not in table.cathars
    assert not table.over
    assert int(table.state.surrendered) == -1
    emptied = scene("crusader", hand=["S05"], crusaders={"CC": 1, "WP": 3}).spend("S05", "Redeploy")
    emptied.redeploy(CC=0, WP=4)
    assert emptied.fired["MS-LOC-04"] == 1


def test_MS_LOC_05_MS_ATK_09_MS_END_01_an_enemy_in_a_command_centre_ends_the_game() -> None:
    table = scene("crusader", hand=["S05"], cathars={"MC": 0, "EW": 0}, crusaders={"CRE": 2, "EW": 3})
    table.spend("S05", "Attack").attack("EW", "MC", 4)
    assert int(table.state.surrendered) == 0
    table.quiet()
    assert (table.over, table.ending) == (True, "castle")
    assert table.fired["MS-LOC-05"] == table.fired["MS-ATK-09"] == table.fired["MS-END-01"] == 1
    camp = scene(hand=["S05"], cathars={"MC": 4, "WP": 2}, crusaders={"CC": 0}).spend("S05", "Attack")
    assert camp.attack("WP", "CC", 4).quiet().ending == "camp"


# --- Paths -------------------------------------------------------------------------------


def test_MS_PTH_01_paths_lead_both_ways() -> None:
    assert edge("SP", "CRE") == edge("CRE", "SP") ^ 1


def test_MS_PTH_02_an_unblocked_path_passes_no_enemy() -> None:
    assert "NP" in joined(scene(), 1, "CC")  # WE-03
    assert "NP" not in joined(scene(cathars={"WP": 1, "SP": 1}), 1, "CC")
    empty = scene(cathars={"CRE": 0})
    assert "RDT" in joined(empty, 0, "MC")
    assert "RDT" not in joined(scene(crusaders={"CRE": 1}), 0, "MC")


def test_MS_PTH_02_an_empty_enemy_command_centre_blocks() -> None:
    table = scene(
        cathars={"WP": 1, "SP": 1, "CRE": 0, "EW": 0, "WW": 0}, crusaders={"CC": 0, "NP": 0, "SE": 0, "NE": 0}
    )
    assert "SP" not in joined(scene(cathars={"WP": 1, "CRE": 0}, crusaders={"CC": 0, "CRE": 1, "NP": 1}), 0, "WP")
    assert "SP" in joined(table, 0, "WP")  # round the ring, not through the camp


def test_MS_PTH_03_the_caves_are_open_to_whom_an_event_opened_them() -> None:
    closed, opened = scene(cathars={"NP": 2}), scene(cathars={"NP": 2}, set_={"caves": (1, 0)})
    only = {"cathars": {"NP": 2, "WW": 0, "EW": 0}, "crusaders": {"WW": 1, "EW": 1}}
    assert "NP" not in joined(scene(**only), 0, "MC")
    assert "NP" in joined(scene(**only, set_={"caves": (1, 0)}), 0, "MC")
    assert "NP" not in joined(scene(**only, set_={"caves": (0, 1)}), 0, "MC")
    assert closed.decision == opened.decision
    table = scene(hand=["S36"]).event("S36")
    assert table.state.caves.tolist() == [1, 0]


# --- Defence -----------------------------------------------------------------------------


def test_MS_DEF_01_MS_DEF_02_bonuses_by_location_and_path() -> None:
    table = scene()
    printed = {("WW", "MC"): 3, ("SP", "CRE"): 1, ("EW", "CRE"): 0, ("WP", "WW"): 3, ("CRE", "RDT"): 1}
    assert {pair: bonus(table, *pair) for pair in printed} == printed
    assert bonus(scene(crusaders={"MC": 1}, cathars={"MC": 0}), "WW", "MC") == 3


@pytest.mark.parametrize(
    ("knob", "start", "end"),
    [
        ("bonus_mc_ww", "WW", "MC"), ("bonus_mc_ew", "EW", "MC"), ("bonus_ww_wp", "WP", "WW"),
        ("bonus_ew_cre", "CRE", "EW"), ("bonus_cre_perimeter", "NE", "CRE"), ("bonus_rdt_ne", "NE", "RDT"),
        ("bonus_rdt_cre", "CRE", "RDT"), ("bonus_mc_caves", "NP", "MC"), ("bonus_cc", "SP", "CC"),
    ],
)  # fmt: skip
def test_MS_DEF_02_knobs(knob: str, start: str, end: str) -> None:
    assert bonus(scene(**{knob: 3}), start, end) == 3


def test_MS_TRB_01_MS_TRB_02_MS_TRB_03_what_trebuchets_reach() -> None:
    plain, two = scene(), scene(set_={"trebuchets": 2})
    reached = [("WP", "WW"), ("WW", "MC"), ("CRE", "EW"), ("EW", "MC")]
    for row in TABLES["paths"]:
        for pair in ((str(row["a"]), str(row["b"])), (str(row["b"]), str(row["a"]))):
            loss = 2 if pair in reached else 0
            assert bonus(two, *pair) == max(0, bonus(plain, *pair) - loss)
    assert bonus(scene(set_={"trebuchets": 4}), "WP", "WW") == 0
    assert bonus(scene(set_={"trebuchets": 1}, trebuchet_power=2), "WP", "WW") == 1


def test_MS_TRB_04_a_trebuchet_stays_and_the_switch_wants_the_crest() -> None:
    assert bonus(scene(set_={"trebuchets": 1}), "WP", "WW") == 2
    assert bonus(scene(set_={"trebuchets": 1}, trebuchet_needs_crest=True), "WP", "WW") == 3
    held = scene(crusaders={"CRE": 1}, set_={"trebuchets": 1}, trebuchet_needs_crest=True)
    assert bonus(held, "WP", "WW") == 2


def test_MS_FLK_01_flanking_from_roc_de_la_tour() -> None:
    table = scene(hand=["S01"], cathars={"MC": 5}, crusaders={"CRE": 3}).spend("S01", "Attack").attack("EW", "CRE", 3)
    assert table.fired["MS-FLK-01"] == 1
    assert table.cathars["CRE"] == 1
    none = scene(hand=["S01"], cathars={"MC": 5}, crusaders={"CRE": 3, "RDT": 1})
    none.spend("S01", "Attack").attack("EW", "CRE", 3)
    assert "CRE" not in none.cathars
    two = scene(hand=["S01"], crusaders={"CRE": 3}, flank_soldiers=2).spend("S01", "Attack").attack("EW", "CRE", 3)
    assert two.cathars["CRE"] == 2


@pytest.mark.parametrize(("ruling", "left"), [("recheck", 2), ("keep_bonus", 1)])
def test_MS_FLK_02_a_crest_emptied_by_flanking(ruling: str, left: int) -> None:
    table = scene(
        hand=["S08"],
        cathars={"MC": 4, "SP": 1, "EW": 0, "WW": 1, "WP": 1},
        crusaders={"CRE": 1, "CC": 1, "SE": 0},
        flank_then_bonus=ruling,
    )
    table.state.caves[0] = 1
    table.state.soldiers[0, CODES.index("NP")], table.state.soldiers[1, CODES.index("NP")] = 1, 0
    table.state.soldiers[0, CODES.index("NE")], table.state.soldiers[1, CODES.index("NE")] = 1, 0
    table.event("S08").attack("NE", "CRE", 2)
    assert table.cathars["CRE"] == left
    assert table.fired["MS-FLK-02"] == 1


def test_turns_and_labels_are_bounded() -> None:
    assert GAME.knobs["turns_max"].high == MAX_TURNS
    assert len(labels.ACTIONS) == 7
    assert STRATEGY_CAT > 0
