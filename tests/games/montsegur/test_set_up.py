"""Set-up and the initiative phase (ledger 3.4 and 3.5)."""

from __future__ import annotations

import pytest

from simlab.engine.stepper import Stepper
from simlab.errors import InputError
from simlab.games.montsegur.state import ASIDE, CODES, DECK, DISCARD, FACE_DOWN, OUT, RESOLVED, TURN_START, ZONE
from tests.games.montsegur.table import CARD_IDS, GAME, TABLES, Table, clear_hand, match_of, scene, take_from_deck


def fresh(seed: int = 1, game: int = 0, **knobs: object) -> Table:
    return Table(Stepper(match_of(knobs), seed, game))


def at_turn(turn: int, table: Table, deck: int | None = None) -> Table:
    """The turn about to be dealt, with so many cards left in the deck."""
    for side in range(2):
        clear_hand(table.state, side)
    if deck is not None:
        for name in [CARD_IDS[int(c)] for c in table.state.deck[: int(table.state.deck_len)]][deck:]:
            card = CARD_IDS.index(name)
            take_from_deck(table.state, card)
            table.state.place[card] = RESOLVED
    table.state.turn = turn
    return table.enter(TURN_START)


def test_MS_SET_01_soldiers_at_the_start() -> None:
    table = fresh()
    assert table.cathars == {"MC": 4, "WW": 2, "EW": 2, "CRE": 1, "RDT": 2}
    assert table.crusaders == {"CC": 10, "WP": 3, "NP": 3, "SP": 3, "SE": 3, "NE": 3}


@pytest.mark.parametrize(
    ("knob", "code", "side"),
    [
        ("mc_soldiers", "MC", 0), ("ww_soldiers", "WW", 0), ("ew_soldiers", "EW", 0), ("cre_soldiers", "CRE", 0),
        ("rdt_soldiers", "RDT", 0), ("cc_soldiers", "CC", 1), ("perimeter_soldiers", "NE", 1),
    ],
)  # fmt: skip
def test_MS_SET_01_knobs_move_the_start(knob: str, code: str, side: int) -> None:
    value = int(GAME.knobs[knob].default) + 1
    assert int(fresh(**{knob: value}).state.soldiers[side, CODES.index(code)]) == value


def test_MS_SET_02_MS_SET_03_MS_SET_05_tracks_markers_commanders() -> None:
    table = fresh()
    assert (table.markers, table.state.commander.tolist(), table.morale) == ((1, 1), [1, 1], (8, 8))
    assert (int(table.state.faith), int(table.state.food), table.perfects) == (4, 8, {"montsegur": 4})
    assert (int(table.state.turn), int(table.state.phase), table.decision) == (1, 0, "D_INIT")
    other = fresh(
        faith_start=5, food_start=7, perfects_start=6, cat_morale_start=7, cru_morale_start=6, adv_start_cat=2,
        adv_start_cru=3,
    )  # fmt: skip
    assert (other.markers, other.morale, other.perfects) == ((2, 3), (7, 6), {"montsegur": 6})
    assert (int(other.state.faith), int(other.state.food)) == (5, 7)
    with pytest.raises(InputError, match="track_max"):
        match_of({"food_start": 9, "track_max": 8})


def test_MS_SET_04_the_summer_deck() -> None:
    table = fresh()
    assert (len(table.cards(DECK)), len(table.cards(ASIDE))) == (42, 45)
    assert all(name.startswith("W") for name in table.cards(ASIDE))
    less = fresh(altered_card="S01", alteration="removed")
    assert "S01" in less.cards(OUT)


def test_MS_SET_06_the_variant() -> None:
    table = fresh(crusader_camp_variant="on")  # WE-16
    assert (table.crusaders["CC"], sum(table.crusaders.values())) == (15, 30)


def test_MS_INI_01_MS_INI_04_six_cards_each() -> None:
    table = fresh()
    assert table.state.hand_len.tolist() == [6, 6]
    assert fresh(hand_size=7).state.hand_len.tolist() == [7, 7]
    assert table.fired["MS-INI-01"] == table.fired["MS-INI-04"] == 1


def test_MS_INI_02_winter_comes_in_turn_5() -> None:
    table = at_turn(5, fresh(), deck=6)  # WE-15
    for side in range(2):
        assert sorted(name[0] for name in table.hand(side)) == ["S"] * 3 + ["W"] * 3
    assert int(table.state.deck_len) == 39


@pytest.mark.parametrize(("ruling", "down", "deck"), [("discard", 1, 37), ("into_winter", 0, 38)])
def test_MS_INI_03_an_odd_summer_card(ruling: str, down: int, deck: int) -> None:
    table = at_turn(5, fresh(odd_summer_card=ruling), deck=5)
    assert len(table.cards(FACE_DOWN)) == down
    assert int(table.state.deck_len) == deck


@pytest.mark.parametrize(
    ("token", "winner"), [("F2", 0), ("F3", 0), ("F4", 1), ("F5", 1), ("F6", 1), ("dove", 0), ("cross", 1)]
)
def test_MS_INI_05_MS_END_07_the_higher_side_chooses_who_starts(token: str, winner: int) -> None:
    table = fresh()
    table.state.bag = 255
    for side in range(2):
        clear_hand(table.state, side)
    table.state.turn = 2
    table.token(token, "initiative").enter(TURN_START)
    assert (table.decision, int(table.state.seat)) == ("D_INIT", winner)
    assert int(table.copy().act(0).state.active) == winner
    assert int(table.copy().act(1).state.active) == 1 - winner


def test_MS_INI_06_the_discard_pile_is_the_new_deck_in_turn_8() -> None:
    table = fresh()
    for name in ("S50", "S51", "S52"):
        take_from_deck(table.state, CARD_IDS.index(name))
    dealt = at_turn(8, table, deck=4)
    assert dealt.fired["MS-INI-06"] == 0 or dealt.fired["MS-INI-08"] >= 1
    again = fresh()
    for side in range(2):
        clear_hand(again.state, side)
    ids = [CARD_IDS[int(c)] for c in again.state.deck[: int(again.state.deck_len)]]
    for name in ids[4:]:
        card = CARD_IDS.index(name)
        take_from_deck(again.state, card)
        again.state.place[card] = DISCARD
    again.state.turn = 8
    again.enter(TURN_START)
    assert again.state.hand_len.tolist() == [6, 6]
    assert again.fired["MS-INI-06"] == 1
    assert int(again.state.deck_batch) == 1
    assert again.cards(DISCARD) == []


@pytest.mark.parametrize(("ruling", "held"), [("draw_lost", [2, 2]), ("reshuffle", [6, 6])])
def test_MS_INI_07_an_empty_deck_before_turn_8(ruling: str, held: list[int]) -> None:
    table = fresh(deck_empty_early=ruling)
    for side in range(2):
        clear_hand(table.state, side)
    for card in [int(c) for c in table.state.deck[: int(table.state.deck_len)]][4:]:
        take_from_deck(table.state, card)
        table.state.place[card] = DISCARD
    table.state.turn = 3
    assert table.enter(TURN_START).state.hand_len.tolist() == held
    assert table.fired["MS-INI-07"] > 0


def test_MS_INI_08_nothing_to_draw_at_all() -> None:
    table = at_turn(8, fresh(), deck=3)
    assert table.state.hand_len.tolist() == [2, 1]
    assert table.fired["MS-INI-08"] > 0


def test_decks_add_up_as_the_ledger_says() -> None:
    """Ledger 2.8: totals of the two decks."""
    for letter, cards, sides, points, total, symbols in (
        ("S", 54, 18, [7, 21, 21, 5], 132, 23),
        ("W", 45, 15, [4, 15, 19, 7], 119, 19),
    ):
        rows = [row for row in TABLES["commands"] if str(row["id"]).startswith(letter)]
        assert len(rows) == cards
        assert [sum(row["cp"] == n for row in rows) for n in range(1, 5)] == points
        assert sum(int(row["cp"]) for row in rows) == total
        for side in ("neutral", "cathar", "crusader"):
            assert sum(row["side"] == side for row in rows) == sides
        assert {sum(int(r["sym"]) for r in rows if r["side"] == s) for s in ("cathar", "crusader")} == {symbols}
    assert scene().state.place.shape[0] >= 99
    assert ZONE == 15
