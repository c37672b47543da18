"""Effects: the words of the vocabulary, what they do, and what a table of one's own may and may not say."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from simlab.engine.match import Match
from simlab.errors import InputError
from simlab.games.mighty_fortress.effects import Program
from simlab.games.mighty_fortress.labels import effect_words
from tests.games.mighty_fortress.table import GAME, PRINTED, scene


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("food +3; materials -1", {"food": 23, "materials": 4}),
        ("cohesion +2; vp +4", {"cohesion": 4, "vp": 4}),
        ("choose {food +1 / luxuries +2}", {"food": 21}),
        ("if materials >= 5 {piety +1} else {piety +2}", {"piety": 1}),
        ("if materials > 5 {piety +1} else {piety +2}", {"piety": 2}),
        ("if defense = cohesion {vp +1}; vp +2", {"vp": 3}),
        ("if food < turn {vp +1} else {if unrest <= 0 {vp +5} else {nothing}}", {"vp": 5}),
        ("pay luxuries 1 {vp +9} else {vp +1}; piety +1", {"vp": 1, "piety": 1}),
        ("nothing; influence +1", {"influence": 1}),
        ("this_turn raid_roll +2", {"raid_roll_turn": 2}),
        ("this_turn counter_battery_cost -1", {"counter_cost_turn": -1}),
        ("herald", {"herald": 1}),
        ("consumption +9; consumption -1", {"consumption": 4}),
    ],
)
def test_what_the_words_do(effect: Any, text: str, changes: dict[str, int]) -> None:
    table = effect(text, dice="W1 W1 W1", materials=5).act("activate Tester")
    if table.decision == "MF-D-06":
        table.act("choose half 1")
    assert {name: getattr(table, name) for name in changes} == changes


def test_pay_is_a_choice_of_who_can(effect: Any) -> None:
    text = "pay materials 2 {defense +1; recover 1} else {pressure +1}; vp +1"
    table = effect(text, dice="W1 W1 W1", materials=5, lost="B").act("activate Tester", "pay materials 2")
    assert (table.materials, table.defense, table.colours("lost"), table.pressure, table.vp) == (
        3,
        3,
        "",
        0,
        1,
    )
    table = effect(text, dice="W1 W1 W1", materials=5, lost="B").act("activate Tester", "do not pay")
    assert (table.materials, table.defense, table.pressure, table.vp) == (5, 2, 1, 1)


def test_support_is_the_players_pick_and_can_win(effect: Any) -> None:
    support = {"Soest": 3, "Wesel": 4, "Warendorf": 0}
    table = effect("support +1; vp +9", dice="W1 W1", support=support).act("activate Tester")
    assert table.options() == ["Support for Warendorf", "Support for Soest"]
    table.act("Support for Soest")
    assert (table.over, table.ending, table.vp) == (True, "relief_achieved", 0)
    nobody = effect("support +1; vp +9", dice="W1 W1").act("activate Tester")
    assert nobody.vp == 9


def test_a_card_can_call_an_assault(effect: Any) -> None:
    table = effect("assault_check +3", dice="W1 W1", defense=0, strength=0).roll("assault", 1)
    table.act("activate Tester")
    assert (table.assault_total, int(table.state.assaults[4])) == (4, 1)


def test_a_requirement_mod_after_the_reset_counts_at_once(effect: Any) -> None:
    table = effect("requirement_mod +1", dice="W1 W1 K1 K1 K1", pressure=2).act("activate Tester", "with White 1")
    assert table.requirement == 2


def test_a_purge_without_a_traitor_is_skipped(effect: Any) -> None:
    table = effect("purge; vp +1", dice="W1 W1 K1", unrest=2)
    assert "activate Tester" in table.options()
    assert "activate Tester" not in effect("purge; vp +1", dice="W1 W1", unrest=2).options()


def test_printed_effects_read_back_as_they_were_written() -> None:
    program = Program()
    import numpy as np

    for row in PRINTED["outsiders"]:
        text = str(row["reward"])
        start = program.add(text, "x", reward=True)
        record = np.zeros(1, [("code", np.int16, (1024, 4))]).view(np.recarray)
        record.code[0, : len(program.code)] = program.code
        assert effect_words(record[0], start) == text


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("foood +1", "Did you mean|food"),
        ("food 1", r"signed number in -40\.\.40"),
        ("food +1 materials +1", "join effects by ';'"),
        ("food +1;", "an effect is missing"),
        ("pay cohesion 1 {vp +1}", "a price is in food"),
        ("pay food 1 vp +1", "'{' is missing"),
        ("choose {vp +1}", "'/' is missing"),
        ("if fod > 1 {vp +1}", "a condition begins with a track"),
        ("if food ~ 1 {vp +1}", "not known"),
        ("if food 1 {vp +1}", "a comparison is one of"),
        ("this_turn patrol +1", "raid_roll after this_turn"),
        ("support +2", r"-1\.\.1"),
        ("casualty 0", r"1\.\.9"),
        ("food +1}", "cannot follow"),
    ],
)
def test_a_wrong_effect_is_refused_by_place_and_word(text: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint) as fault:
        Program().add(text, "table fate, F02, effect")
    assert "table fate, F02, effect" in str(fault.value)


# --- Tables of one's own ------------------------------------------------------


def swapped(tmp_path: Path, name: str, rows: list[dict[str, Any]]) -> Path:
    path = tmp_path / f"{name}.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def play(tables: dict[str, Path]) -> Any:
    return Match(GAME, tables=tables, bots={"player": "builder"}).play(1, 0, 50).rows


def test_a_deck_of_another_size_with_new_cards_plays(tmp_path: Path) -> None:
    rows = [dict(row) for row in PRINTED["outsiders"]][:10]
    rows.append(
        {
            "id": "X1",
            "name": "A Comet",
            "tags": "",
            "rating": 0,
            "resistance": 2,
            "vp": 9,
            "reward": "choose {vp +1 / food +2}",
            "ability": "once casualty 1; vp +2",
            "source": "reconstructed",
        }
    )
    tables = {
        "outsiders": swapped(tmp_path, "outsiders", rows),
        "cities": swapped(tmp_path, "cities", [dict(r) for r in PRINTED["cities"]][:2]),
        "elders": swapped(tmp_path, "elders", [dict(r) for r in PRINTED["elders"]][:3]),
        "fate": swapped(tmp_path, "fate", [dict(r) for r in PRINTED["fate"]][:6]),
    }
    assert play(tables).size == 50
    large = [dict(r, id=f"{r['id']}{n}") for n in "ab" for r in PRINTED["outsiders"]][:48]
    assert play({"outsiders": swapped(tmp_path, "more", large)}).size == 50


@pytest.mark.parametrize(
    ("table", "column", "value", "complaint"),
    [
        (
            "outsiders",
            "tags",
            "Sword; Nobel",
            "outsiders.csv, line 2 \\(O01\\), tags: 'Nobel' is not in the table tags.*Noble",
        ),
        ("outsiders", "tags", "Sword; Noble; Command", "up to two tags"),
        ("outsiders", "ability", "upkep -1", "outsiders.csv, line 2 \\(O01\\), ability.*upkeep"),
        ("outsiders", "ability", "upkeep 1", "signed number"),
        ("outsiders", "resistance", "99", r"1\.\.20"),
        ("outsiders", "reward", "gold +1", "outsiders.csv, line 2 \\(O01\\), reward"),
        ("elders", "cost", "gold 1", "elders.csv, line 2 \\(E01\\), cost"),
        ("elders", "die", "Black", "die"),
        ("fate", "first", "no", "0 rows say yes"),
        ("decrees", "effect", "vp 1", "decrees.csv, roll 1, effect"),
    ],
)
def test_a_wrong_cell_is_refused_by_table_row_and_column(
    tmp_path: Path, table: str, column: str, value: str, complaint: str
) -> None:
    rows = [dict(row) for row in PRINTED[table]]
    rows[0][column] = value
    with pytest.raises(InputError, match=complaint):
        play({table: swapped(tmp_path, table, rows)})


def test_every_row_says_where_it_comes_from() -> None:
    for name, rows in PRINTED.items():
        assert {row["source"] for row in rows} == {"rulebook" if name == "tags" else "reconstructed"}


def test_the_printed_set_keeps_the_ledgers_sums() -> None:
    outsiders = PRINTED["outsiders"]
    assert [len(PRINTED[n]) for n in ("outsiders", "cities", "elders", "fate", "decrees")] == [
        36,
        8,
        12,
        25,
        12,
    ]
    assert sum(int(r["rating"]) for r in outsiders) == 27
    assert sum(int(r["vp"]) for r in outsiders) == 61
    assert round(sum(int(r["resistance"]) for r in outsiders) / 36, 2) == 5.31
    tags = [tag.strip() for r in outsiders for tag in str(r["tags"]).split(";")]
    counts = {tag: tags.count(tag) for tag in set(tags)}
    assert counts == {
        "Communal": 10, "Sword": 8, "Religious": 7, "Siegeworks": 7, "Command": 7, "Notable": 6, "Noble": 5,
    }  # fmt: skip
    assert scene().stepper.match.table_rows["elders"] == PRINTED["elders"]
