"""The rulebook's complete sample turn, state by state, and its other examples (ledger section 9)."""

from __future__ import annotations

from simlab.engine.stepper import Stepper
from simlab.games.montsegur.state import CODES, DECK, FULL_BAG
from tests.games.montsegur.table import Table, clear_hand, give, match_of, records, scene, stack

CATHAR_HAND = ("S01", "S02", "S21", "S39", "S03", "S40")
CRUSADER_HAND = ("S04", "S19", "S38", "S37", "S05", "S20")


def sample_turn() -> Table:
    """The deal of the sample turn; F2 has been drawn for the initiative."""
    table = Table(Stepper(match_of(), seed=1))
    for side in range(2):
        clear_hand(table.state, side)
    give(table.state, 0, *CATHAR_HAND)
    give(table.state, 1, *CRUSADER_HAND)
    table.state.bag = FULL_BAG & ~0b10
    table.state.seat = 0
    assert table.decision == "D_INIT"
    return table


def test_WE_01_the_complete_sample_turn() -> None:
    table = sample_turn()
    assert table.cathars == {"MC": 4, "WW": 2, "EW": 2, "CRE": 1, "RDT": 2}
    assert table.crusaders == {"CC": 10, "WP": 3, "NP": 3, "SP": 3, "SE": 3, "NE": 3}
    assert (table.perfects, table.morale, table.markers, table.trail) == ({"montsegur": 4}, (8, 8), (1, 1), ["F2"])
    table.act(0)
    assert table.seat == "cathar"

    table.token("F3").spend("S01", "Escape")
    assert (table.perfects, table.trail) == ({"montsegur": 3, "escaped": 1}, ["F2", "F3"])
    assert table.decision == "D_TRIGGER"
    table.act(0)
    assert table.discarded == ["S01"]

    table.spend("S05", "Redeploy").redeploy(CC=4, WP=5, SP=5, SE=5)
    assert table.crusaders == {"CC": 4, "WP": 5, "NP": 3, "SP": 5, "SE": 5, "NE": 3}
    table.act(0)

    table.event("S02")
    assert (table.cathars["MC"], table.resolved) == (6, ["S02"])

    table.spend("S04", "Redeploy").redeploy(NP=1, NE=5)
    assert (table.crusaders["NP"], table.crusaders["NE"]) == (1, 5)
    table.token("cross").act(1)
    assert (table.markers, table.trail, table.morale) == ((0, 1), [], (8, 8))
    assert table.resolved == ["S02", "S04"]

    table.event("S21")
    assert int(table.state.food) == 9

    table.spend("S19", "Attack").attack("SP", "CRE", 3)
    assert (table.crusaders["CC"], table.crusaders["CRE"], table.battlefield) == (1, 1, (1, 2))
    assert "CRE" not in table.cathars
    assert "S19" in table.discarded

    table.spend("S39", "Attack").attack("EW", "CRE", 1)
    assert (table.cathars["MC"], table.cathars["CRE"], table.battlefield) == (5, 1, (1, 3))
    assert table.decision == "D_TRIGGER"
    assert table.copy().act(1).morale == (8, 8)
    table.act(0)

    table.spend("S20", "Reinforcements")
    assert table.crusaders["CC"] == 3

    table.spend("S03", "Consolamentum").act(0)
    assert table.perfects["aspiring"] == 1

    table.token("F5", "fate_crusader").event("S38")
    assert (table.decision, table.seat) == ("D_REDRAW", "crusader")
    table.act(0)  # and on through upkeep: one card is left to each, nothing is asked
    state = table.state
    assert [int(state.stack[0, 0]), int(state.stack[1, 0])] == [39, 36]
    assert table.cathars == {"MC": 6, "WW": 2, "EW": 2, "CRE": 1, "RDT": 2}
    assert table.crusaders == {"CC": 5, "WP": 5, "NP": 1, "SP": 5, "SE": 5, "NE": 5}
    assert (table.battlefield, table.markers, table.scouts) == ((0, 0), (0, 1), (0, 0))
    assert table.perfects == {"montsegur": 3, "captured": 1, "escaped": 1}
    assert (int(state.faith), int(state.food), table.morale) == (3, 8, (7, 7))
    assert table.discarded == ["S01", "S03", "S05", "S19", "S20", "S39"]
    assert table.resolved == ["S02", "S04", "S21", "S38"]
    assert (int(state.turn), len(table.cards(DECK)), state.commander.tolist()) == (2, 42 - 12, [1, 1])
    assert table.decision == "D_INIT"


def test_WE_03_an_unblocked_path_from_the_camp_to_the_north() -> None:
    from simlab.games.montsegur.board import joined

    for cathars, there in (({}, True), ({"WP": 1, "SP": 1}, False)):
        table = scene(cathars=cathars)
        _, cards = records(table.stepper.match)
        assert (joined(table.plain_state(), cards, 1, 5) >> CODES.index("NP") & 1 == 1) == there


def test_WE_12_the_eastern_walls_after_one_trebuchet() -> None:
    table = scene("crusader", hand=["S05"], crusaders={"CRE": 2, "CC": 6}, set_={"trebuchets": 1})
    table.spend("S05", "Attack").attack("CRE", "EW", 4)
    assert (table.crusaders["CC"], table.crusaders["EW"], table.crusaders["CRE"], table.battlefield) == (
        2,
        1,
        2,
        (2, 3),
    )


def test_WE_13_the_cathars_retake_the_crest() -> None:
    table = scene(hand=["S01"], cathars={"MC": 5}, crusaders={"CRE": 3}).spend("S01", "Attack")
    table.attack("EW", "CRE", 3)
    assert (table.cathars["MC"], table.cathars["CRE"], table.battlefield) == (2, 1, (2, 3))
    assert (table.cathars["RDT"], table.cathars["EW"]) == (2, 2)


def test_WE_18_the_strategy_count() -> None:
    fields = {"surrendered": 0, "aftermath": 1, "ending": 1, "end_turn": 5, "turn": 5, "markers": (0, 1), "escaped": 1}
    table = scene(set_=fields)
    stack(table.state, 0, "S40")
    stack(table.state, 1, "S37")
    from simlab.games.montsegur.state import FATE_OF_PERFECTS

    row = table.enter(FATE_OF_PERFECTS).stepper.row()
    assert (row["symbols_crusader"] + row["markers_crusader"], row["symbols_cathar"]) == (3, 0)
    assert row["vp_strategy"] == -4
