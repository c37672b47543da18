"""Every card says what its row says; the effect vocabulary; swapped tables (ledger 2.7 and 2.8)."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from simlab.engine.stepper import Stepper
from simlab.errors import InputError
from simlab.game import read_text
from simlab.games.montsegur.effects import parse_effect, vocabulary
from simlab.games.montsegur.state import CODES, USES
from tests.games.montsegur.table import CARD_IDS, GAME, TABLES, Table, match_of, play_out, scene

ZONES = {"RING": 1984, "FIELD": 2014, "CREST": 8, "CAMP": 32, "ASSAULT": 78}


def settled(table: Table) -> Table:
    """Takes the first real option of whatever the event asks."""
    while table.decision not in ("D_PLAY", "D_STRATEGY", "D_INIT") and not table.over:
        table.act(table.legal()[0])
    return table


@pytest.mark.parametrize("card", CARD_IDS)
def test_every_card_resolves_for_either_side(card: str) -> None:
    for side in ("cathar", "crusader"):
        rest = ["S01", "S02"] if card not in ("S01", "S02") else ["S03", "S04"]
        table = scene(side, hand=[card, *rest], crusaders={"CRE": 2}, set_={"captured": 1, "scouts": (2, 2)})
        settled(table.event(card))
        assert card in table.resolved


@pytest.mark.parametrize(
    ("card", "side", "given", "expected"),
    [
        ("S01", "cathar", {"battlefield": (2, 6)}, {"battlefield": [2, 2]}),
        ("S03", "cathar", {"scouts": (1, 2)}, {"scouts": [1, 1]}),
        ("S13", "cathar", {"battlefield": (5, 5)}, {"battlefield": [2, 5]}),
        ("S18", "crusader", {}, {"markers": [1, 3]}),
        ("S23", "cathar", {"food": 5}, {"food": 7}),
        ("S24", "cathar", {}, {"faith": 5}),
        ("S30", "cathar", {}, {"aspiring": 2}),
        ("S34", "cathar", {}, {"morale": [8, 7]}),
        ("S43", "crusader", {}, {"food": 7}),
        ("S45", "crusader", {}, {"reinf_mod": [-2, 0]}),
        ("S46", "crusader", {"markers": (2, 0)}, {"markers": [1, 1]}),
        ("S47", "crusader", {}, {"montsegur": 3, "captured": 1}),
        ("S49", "crusader", {}, {"escape_mod": -2}),
        ("S50", "crusader", {"morale": (8, 5)}, {"morale": [8, 6]}),
        ("W02", "cathar", {}, {"no_attack": 1}),
        ("W03", "cathar", {}, {"reinf_mod": [0, -2]}),
        ("W06", "cathar", {"scouts": (0, 1)}, {"scouts": [1, 0]}),
        ("W14", "cathar", {}, {"caves": [1, 1]}),
        ("W16", "cathar", {}, {"grail": 1}),
        ("W24", "cathar", {}, {"aspiring": 1, "scouts": [1, 0]}),
        ("W29", "cathar", {"captured": 2}, {"captured": 1, "montsegur": 5}),
        ("W31", "crusader", {}, {"broken_line": 1}),
        ("W35", "crusader", {}, {"caves": [0, 1]}),
        ("W37", "crusader", {"trebuchets": 3}, {"morale": [6, 8]}),
        ("S29", "cathar", {}, {"path_less": 2}),
    ],
)
def test_what_a_card_does(card: str, side: str, given: dict[str, object], expected: dict[str, object]) -> None:
    # another card in the hand, so that the enemy's reply is waited for
    table = scene(side, hand=[card], other=["S08"], set_=given).event(card)
    assert {name: table.state[name].tolist() for name in expected} == expected


def test_cards_with_a_condition_or_a_choice() -> None:
    crest = scene("crusader", hand=["S37"], other=["S08"], crusaders={"CRE": 1}).event("S37")
    assert int(crest.state.trebuchets) == 1
    engineer = scene(hand=["S32"], other=["S08"], set_={"trebuchets": 1}).event("S32")
    assert int(engineer.state.trebuchets) == 0
    struck = scene(hand=["S32"], other=["S08"]).event("S32")
    assert struck.crusaders["WP"] == 2
    ring = scene("crusader", hand=["S54"], other=["S08"]).event("S54")
    assert (ring.decision, ring.legal()) == ("D_RING", [6, 7, 8, 9, 10])
    ring.act(6, 6, 6)
    assert 6 not in ring.legal()
    ring.act(7)
    assert (ring.crusaders["WP"], ring.crusaders["NP"]) == (6, 4)
    rout = scene(hand=["S31"], other=["S08"]).event("S31")
    assert (rout.crusaders["CC"], rout.battlefield) == (7, (0, 3))
    strike = scene(hand=["S26"], other=["S08"], crusaders={"CRE": 3}).event("S26")
    assert (strike.decision, strike.legal()) == ("D_STRIKE", [3, 6])
    assert strike.act(3).crusaders["CRE"] == 1
    walls = scene(hand=["W28"], other=["S08"]).event("W28")
    assert int(walls.state.bonus[7]) == 3
    climbers = scene("crusader", hand=["W32"], other=["S08"]).event("W32")
    assert climbers.legal() == [17, 32]
    climbers.act(17).force(3)
    assert climbers.crusaders["RDT"] == 1
    friars = scene("crusader", hand=["S48"], other=["S08"]).token("F6", "fate_crusader").event("S48")
    assert int(friars.state.faith) == 3
    drawn = scene(hand=["S06"], other=["S08"]).event("S06")
    assert int(drawn.state.hand_len[0]) == 2
    lost = scene(hand=["S16"], other=["S08"]).event("S16")
    assert lost.discarded == ["S08"]
    levies = scene("crusader", hand=["S41"], other=["S08"]).event("S41")
    assert levies.crusaders["CC"] == 15


@pytest.mark.parametrize("text", vocabulary())
def test_the_vocabulary_reads_its_own_examples(text: str) -> None:
    for part in text.split(" or "):
        assert parse_effect(part, "here", ZONES)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("bf_kil(O,4)", "bf_kill"), ("bf_kill(O)", "Write"), ("bf_kill(X,4)", "A side"), ("bf_kill(O,99)", "1..20"),
        ("strike(O,1,MOON)", "Zones"), ("if moon: food -1", "condition"), ("attack(P,4,bonus+1)", "Write"),
        ("turn lead(CAT,1)", "number"), ("food *1", "nearest|Known|mean"),
    ],
)  # fmt: skip
def test_errors_name_the_place_and_what_is_allowed(text: str, hint: str) -> None:
    with pytest.raises(InputError, match=r"table commands, S99, effect") as fault:
        parse_effect(text, "table commands, S99, effect", ZONES)
    assert any(word in str(fault.value) for word in hint.split("|"))


def swapped(tmp_path: Path, **changes: str) -> Path:
    """commands.csv with the effect of some cards replaced."""
    path = tmp_path / "commands.csv"
    rows = [{k: str(v) for k, v in row.items()} for row in TABLES["commands"]]
    for row in rows:
        row["effect"] = changes.get(row["id"], row["effect"])
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_a_swapped_table_changes_a_card_without_code(tmp_path: Path) -> None:
    path = swapped(tmp_path, S21="if trebuchets>=1: food -1 else: food +1")
    table = scene(hand=["S21"], other=["S08"], tables={"commands": path}, set_={"food": 5}).event("S21")
    assert int(table.state.food) == 6
    wrong = swapped(tmp_path, S21="fod +1")
    with pytest.raises(InputError, match="S21"):
        GAME.pack_cards(GAME.read_tables({"commands": wrong}))


@pytest.mark.parametrize(
    ("change", "food", "cp"),
    [("blank", 5, 2), ("effect_plus", 7, 2), ("effect_minus", 5, 2), ("cp_plus", 6, 3), ("cp_minus", 6, 1)],
)
def test_altered_card_is_one_card_and_no_other(change: str, food: int, cp: int) -> None:
    given = {"altered_card": "S21", "alteration": change}
    table = scene(hand=["S21", "S22"], other=["S08"], set_={"food": 5}, **given)  # type: ignore[arg-type]
    assert int(table.copy().event("S21").state.food) == food
    assert int(table.copy().event("S22").state.food) == 6
    assert int(table.spend("S21").state.cp) == cp


def test_swapped_map_and_tokens_are_checked() -> None:
    tables = {name: [dict(row) for row in rows] for name, rows in TABLES.items()}
    for row in tables["paths"]:
        if "MC" in (row["a"], row["b"]):
            row["open"] = "never"
    with pytest.raises(InputError, match="no way"):
        GAME.pack_cards(tables)
    tables = {name: [dict(row) for row in rows] for name, rows in TABLES.items()}
    tables["fate"][0]["crusader"] = tables["fate"][0]["cathar"]
    with pytest.raises(InputError, match="nobody would win"):
        GAME.pack_cards(tables)


def test_card_use_is_kept_for_the_report() -> None:
    table = play_out(Table(Stepper(match_of(), 3)))
    use = table.state.card_use
    assert int((use > 0).sum()) > 30
    assert CODES[0] == "MC"


def test_the_tally_counts_cards_by_side_and_use_as_the_games_did() -> None:
    match = match_of()
    batch = match.play(0, 0, 40)
    counted = np.zeros_like(batch.tally.item_games)
    won = np.zeros_like(counted)
    score = np.zeros_like(batch.tally.item_score)
    for game in range(40):
        stepper = Stepper(match, 0, game)
        while not stepper.over:
            stepper.apply(stepper.policy_action())
        row = stepper.row()
        for use in range(len(USES)):
            for side in (0, 1):
                used = (np.asarray(stepper.state.card_use) >> (2 * use + side)) & 1
                counted[2 * use + side] += used.astype(np.uint64)
                won[2 * use + side] += (used * (row["winner"] == side)).astype(np.uint64)
                score[2 * use + side] += used * row["score"][side]
    assert (batch.tally.item_games == counted).all()
    assert (batch.tally.item_wins == won).all()
    assert (batch.tally.item_score == score).all()
    assert GAME.items is not None
    assert GAME.items.names(TABLES)[0] == ("summer", "Ambush")


@pytest.mark.parametrize(
    ("card", "words"),
    [
        ("S38", "Repentance Check (on success: Faith -1); 1 Montségur Perfect captured"),
        (
            "S32",
            "if 1 or more trebuchets: trebuchets -1, else one of the Crusaders' soldiers in WW, EW, CRE or WP dies",
        ),
        ("W34", "if Crusaders control CRE: Crusaders may attack with 4 CP on EW without defence bonus"),
        ("W37", "Cathar Morale -1 for each trebuchet, 2 at most"),
    ],
)
def test_a_person_reads_what_a_card_does(card: str, words: str) -> None:
    record = match_of().cards["card_text"][0]
    assert read_text(record[CARD_IDS.index(card)]) == words
