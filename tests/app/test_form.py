"""What is asked at an app: the same checks and messages as the command line's, and a file that asks the same."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from simlab.app.form import FormState, csv_of
from simlab.bot_registry import load_bot
from simlab.errors import InputError
from simlab.runs.open_experiment import load_experiment

HARVEST = Path(__file__).parents[1] / "games_of_many" / "harvest"


@pytest.fixture
def asked(tmp_path: Path) -> FormState:
    return FormState("simple_siege", tmp_path / "files")


def why(make: object, *words: object) -> str:
    with pytest.raises(InputError) as fault:
        make(*words)  # type: ignore[operator]
    return str(fault.value)


def test_the_usual_bots_are_those_of_a_ready_experiment(asked: FormState) -> None:
    assert asked.bots == {"besieger": "stormer", "besieged": "warden"}
    assert not asked.changed


def test_a_knob_at_its_printed_value_is_no_change(asked: FormState) -> None:
    asked.put_knob("walls_start", 7)
    assert asked.knobs == {"walls_start": 7}
    assert asked.changes() == ["walls_start 5 → 7"]
    assert not asked.is_printed("walls_start")
    asked.put_knob("walls_start", 5)
    assert not asked.changed


def test_a_mistake_stays_with_its_field_until_it_is_mended(asked: FormState) -> None:
    asked.put_knob("walls_start", 99)
    assert asked.faults["knob walls_start"] == why(asked.loaded.knobs["walls_start"].parse, 99)
    assert not asked.changed
    asked.put_knob("walls_start", 6)
    assert not asked.faults


def test_what_was_typed_stays_with_its_fault(asked: FormState) -> None:
    asked.put_knob("walls_start", "99")
    asked.put_number("games", "1m")
    assert asked.typed == {"knob walls_start": "99", "games": "1m"}
    asked.printed_knobs()
    asked.put_number("games", "20000")  # as it was before
    assert not asked.typed and not asked.faults


def test_knobs_that_contradict_each_other(asked: FormState) -> None:
    asked.put_knob("walls_start", 8)
    asked.put_knob("walls_max", 7)
    assert asked.faults["rules"] == why(asked.loaded.resolve_knobs, asked.knobs)
    assert "walls_start" in asked.first_fault()
    asked.printed_knobs()
    assert not asked.faults


@pytest.mark.parametrize("text", ["rushr", "rusher:threshold=7", "mix(rusher:0.8", "warden"])
def test_a_bot_is_refused_as_on_the_command_line(asked: FormState, text: str) -> None:
    asked.put_bot("besieger", text)
    assert asked.faults["bot besieger"] == why(load_bot, asked.loaded, "besieger", text)
    assert asked.bots["besieger"] == text  # what was typed stays
    asked.put_bot("besieger", "mix(rusher:0.8,random:0.2)")
    assert not asked.faults


@pytest.mark.parametrize(("text", "number"), [("20k", 20_000), ("2e4", 20_000), ("1_500", 1_500), (7, 7)])
def test_games_as_one_types_them(asked: FormState, text: object, number: int) -> None:
    asked.put_number("games", text)
    assert asked.games == number and not asked.faults


@pytest.mark.parametrize("text", ["many", "0", "2.5", "1e9", "-3"])
def test_numbers_of_games_that_are_none(asked: FormState, text: str) -> None:
    asked.put_number("games", text)
    assert "whole number" in asked.faults["games"] and asked.games == 20_000


def test_a_cell_changed_and_changed_back(asked: FormState) -> None:
    asked.put_cell("fate", 0, "copies", "9")
    assert asked.changes() == ["fate: your table"] and not asked.faults
    assert asked.rows("fate")[0]["copies"] == 9
    asked.put_cell("fate", 0, "copies", str(asked.loaded.own_tables["fate"][0]["copies"]))
    assert not asked.changed


def test_a_table_with_a_mistake_names_line_and_column_and_is_not_played(asked: FormState) -> None:
    asked.put_cell("fate", 0, "copies", "nine")
    assert asked.faults["table fate"].startswith("fate.csv, line 2, copies: 'nine' is not allowed")
    assert asked.rows("fate")[0]["copies"] == "nine"  # to be mended in the grid
    assert not asked.table_files
    asked.put_table("fate", "id,name\n1,2\n")
    assert "column" in asked.faults["table fate"]
    asked.put_table("fate", None)
    assert not asked.faults and not asked.changed


def test_a_file_as_spreadsheets_write_it(asked: FormState) -> None:
    own = csv_of(asked.loaded, "fate", asked.loaded.own_tables["fate"])
    asked.put_table("fate", own.replace(",", ";").encode("utf-8-sig"))
    assert not asked.changed and not asked.faults
    asked.put_table("fate", own.replace(",", ";").replace("red;6;", "red;six;").encode())
    assert "'six' is not allowed" in asked.faults["table fate"]
    assert asked.rows("fate")[0]["copies"] == "six"  # in its column, to be mended
    asked.put_table("fate", own.encode().replace(b"Joker", b"J\xf6ker"))
    assert "UTF-8" in asked.faults["table fate"]
    asked.put_table("fate", None)
    assert not asked.faults


def test_an_open_quotation_mark_is_an_error_beside_the_table(asked: FormState) -> None:
    own = csv_of(asked.loaded, "fate", asked.loaded.own_tables["fate"])
    open_quote = own + '"' + "x, y\n" * 50_000  # 250 kB
    asked.put_table("fate", open_quote.encode())
    assert asked.faults["table fate"].startswith("fate.csv: is not CSV")
    assert asked.rows("fate") == asked.loaded.own_tables["fate"]  # the page can still be shown
    assert len(asked.faults["table fate"]) < 300
    asked.put_cell("fate", 0, "copies", "9")
    assert not asked.faults


def test_a_cell_that_is_too_long_is_an_error_beside_the_table(asked: FormState) -> None:
    asked.put_cell("fate", 0, "copies", "9" * 140_000)  # the reader of CSV takes 131,072
    assert "table fate" in asked.faults
    assert asked.rows("fate") == asked.loaded.own_tables["fate"]


@pytest.mark.parametrize("line", ["1\n", "x,2\n"])
def test_a_table_of_very_many_rows_is_refused_at_once(asked: FormState, line: str) -> None:
    head = csv_of(asked.loaded, "fate", [])
    began = time.perf_counter()
    asked.put_table("fate", (head + line * 240_000).encode())
    assert "has more than 1,000 rows" in asked.faults["table fate"]
    assert len(asked.rows("fate")) == len(asked.loaded.own_tables["fate"])
    assert time.perf_counter() - began < 5  # reading all rows and sending them to the page took minutes


def test_a_file_over_the_limit_is_refused(asked: FormState) -> None:
    asked.put_table("fate", b"x" * 1_000_001)
    assert asked.faults["table fate"].startswith("fate.csv: over 1 MB")


def test_a_row_copied_has_its_key_twice_until_it_is_changed(asked: FormState) -> None:
    key = asked.loaded.table("fate").key
    asked.copy_row("fate", 0)
    assert "duplicate" in asked.faults["table fate"]
    asked.put_cell("fate", 1, key, "a_new_one")
    assert not asked.faults
    asked.delete_row("fate", 1)
    assert not asked.changed


def test_what_is_saved_asks_the_same(asked: FormState, tmp_path: Path) -> None:
    asked.put_knob("walls_start", 7)
    asked.put_cell("fate", 0, "copies", "5")
    asked.put_bot("besieger", "noisy(rusher:0.05)")
    asked.put_number("games", "300")
    asked.put_number("seed", "4")
    asked.put_contract("besieger_win = { target = 0.5, margin = 0.05 }\nturns_p50 = { min = 5 }")
    asked.title, asked.hypothesis, asked.notes = "taller", 'it "helps"', "line\nline"
    assert not asked.faults
    path = asked.save(tmp_path, replace=False)
    saved = load_experiment(path)
    now = asked.experiment()
    for part in ("bots", "knobs", "games", "seed", "contract", "name"):
        assert getattr(saved, part) == getattr(now, part), part
    assert saved.hypothesis == asked.hypothesis and saved.notes == asked.notes
    assert saved.card_files["fate"].read_text() == csv_of(asked.loaded, "fate", asked.rows("fate"))
    assert saved.card_files["fate"].parent == tmp_path
    assert "exists already" in why(lambda: asked.save(tmp_path, replace=False))
    opened = FormState(str(path), tmp_path / "other")
    opened.check_all()
    assert not opened.faults
    assert (opened.knobs, opened.bots, opened.games, opened.seed) == (asked.knobs, asked.bots, 300, 4)
    assert opened.rows("fate") == asked.rows("fate")
    assert opened.goals() == asked.goals()


PARTS = """
[experiment]
name = "parts"
game = "simple_siege"
games = 500
seed = 9
question = "Why?"
hypothesis = "it helps"
notes = "a note"
metrics = ["./mine.py:cards_left"]

[bots]
besieger = "mix(stormer:0.5,random:0.5)"
besieged = "warden"

[knobs]
walls_start = 6
deck_besieger = 0.123456789

[cards]
fate = "my_fate.csv"

[contract]
besieger_win = { target = 0.5, margin = 0.0123456789 }
cards_left_mean = { max = 30 }
"""
MINE = """
import simlab

@simlab.metric("cards that the besieged has left", unit="cards", low=0, high=40)
def cards_left(state, knobs, cards, row):
    return state.deck_len[1]
"""


def test_every_part_of_a_file_arrives_and_is_saved_again(
    asked: FormState, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    asked.put_cell("fate", 0, "copies", "5")
    (tmp_path / "my_fate.csv").write_bytes(asked.tables["fate"].read_bytes())
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "parts.toml").write_text(PARTS.replace("cards_left_mean", "cards_left_p50"))
    opened = FormState("parts.toml", tmp_path / "files")
    opened.check_all()
    assert not opened.faults
    first = load_experiment("parts.toml")
    saved = load_experiment(opened.save(tmp_path))
    for part in ("bots", "knobs", "games", "seed", "contract", "question", "hypothesis", "notes", "metric_refs"):
        assert getattr(saved, part) == getattr(first, part), part
    assert saved.metrics == ["./mine.py:cards_left"]
    assert saved.card_files["fate"].read_text() == asked.tables["fate"].read_text()
    assert "--metric ./mine.py:cards_left" in opened.command()
    assert "--set deck_besieger=0.123456789" in opened.command()
    given = FormState("simple_siege", tmp_path / "files", metrics=["./mine.py:cards_left"])
    assert [one.metric.name for one in given.loaded.own] == ["cards_left"]


def test_the_question_that_the_desk_wrote_follows_the_changes(asked: FormState, tmp_path: Path) -> None:
    asked.put_knob("walls_start", 6)
    opened = FormState(str(asked.save(tmp_path)), tmp_path / "files")
    opened.put_knob("walls_start", 7)
    opened.title = "again"
    assert load_experiment(opened.save(tmp_path)).question == "What do these changes do: walls_start 5 -> 7?"


def test_a_name_that_is_none_is_told_when_saving_alone(asked: FormState, tmp_path: Path) -> None:
    asked.title = ""
    asked.put_bot("besieger", "nobody")
    asked.put_contract("turns_p50 = { min = 2 }")
    assert "contract" not in asked.faults  # which is not to blame
    asked.put_bot("besieger", "random")
    assert "name = ''" in why(lambda: asked.save(tmp_path))
    assert not list(tmp_path.glob("*.toml"))


def test_a_contract_that_is_wrong(asked: FormState) -> None:
    asked.put_contract("besieger_wins = { min = 0.4 }")
    assert "besieger_win" in asked.faults["contract"]
    asked.put_contract("besieger_win = ")
    assert "not TOML" in asked.faults["contract"]
    assert not asked.first_fault()  # the games can be played all the same
    asked.put_contract(next(iter(asked.ready_contracts().values())))
    assert not asked.faults


def test_a_file_that_varies_a_knob_says_what_is_left_out(tmp_path: Path) -> None:
    asked = FormState("simple_siege_walls", tmp_path)
    assert "varies walls_start" in asked.remark and "several bots" in asked.remark
    assert asked.bots == {"besieger": "gunner", "besieged": "raider"}


def test_a_bot_of_ones_own_is_found_from_the_file_wherever_it_stands(
    asked: FormState, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = ["import simlab", '@simlab.policy("simple_siege")', "def mine(state, knobs, cards, traits):"]
    (tmp_path / "my_bot.py").write_text("\n".join([*lines, '    """First."""', "    return state.legal[0]"]))
    asked.put_bot("besieger", "./my_bot.py:mine")
    assert not asked.faults
    assert './my_bot.py:mine"' in asked.save(tmp_path, replace=False).read_text()
    assert f'"{tmp_path}/my_bot.py:mine"' in asked.save(tmp_path / "deeper", replace=False).read_text()


def test_another_size_of_the_table(tmp_path: Path) -> None:
    asked = FormState(str(HARVEST), tmp_path)
    assert len(asked.loaded.seats) in asked.sizes
    asked.put_players(max(asked.sizes))
    assert len(asked.loaded.seats) == max(asked.sizes) and not asked.faults
    usual = FormState(str(HARVEST), tmp_path, players=max(asked.sizes)).bots
    assert {seat: asked.bots[seat] for seat in asked.loaded.seats} == usual
    asked.title = "wide"
    assert len(load_experiment(asked.save(tmp_path, replace=False)).bots) == max(asked.sizes)
    asked.put_players(99)
    assert "99" in asked.faults["players"]
