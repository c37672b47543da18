"""The app's form: the same checks and messages as the command line's, and a file that asks the same."""

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
def form(tmp_path: Path) -> FormState:
    return FormState("simple_siege", tmp_path / "files")


def why(make: object, *words: object) -> str:
    with pytest.raises(InputError) as fault:
        make(*words)  # type: ignore[operator]
    return str(fault.value)


def test_the_usual_bots_are_those_of_a_ready_experiment(form: FormState) -> None:
    assert form.bots == {"besieger": "stormer", "besieged": "warden"}
    assert not form.changed


def test_a_knob_at_its_printed_value_is_no_change(form: FormState) -> None:
    form.put_knob("walls_start", 7)
    assert form.knobs == {"walls_start": 7}
    assert form.changes() == ["walls_start 5 → 7"]
    assert not form.is_printed("walls_start")
    form.put_knob("walls_start", 5)
    assert not form.changed


def test_a_mistake_stays_with_its_field_until_it_is_mended(form: FormState) -> None:
    form.put_knob("walls_start", 99)
    assert form.faults["knob walls_start"] == why(form.loaded.knobs["walls_start"].parse, 99)
    assert not form.changed
    form.put_knob("walls_start", 6)
    assert not form.faults


def test_what_was_typed_stays_with_its_fault(form: FormState) -> None:
    form.put_knob("walls_start", "99")
    form.put_number("games", "1m")
    assert form.typed == {"knob walls_start": "99", "games": "1m"}
    form.printed_knobs()
    form.put_number("games", "20000")  # as it was before
    assert not form.typed and not form.faults


def test_knobs_that_contradict_each_other(form: FormState) -> None:
    form.put_knob("walls_start", 8)
    form.put_knob("walls_max", 7)
    assert form.faults["rules"] == why(form.loaded.resolve_knobs, form.knobs)
    assert "walls_start" in form.first_fault()
    form.printed_knobs()
    assert not form.faults


@pytest.mark.parametrize("text", ["rushr", "rusher:threshold=7", "mix(rusher:0.8", "warden"])
def test_a_bot_is_refused_as_on_the_command_line(form: FormState, text: str) -> None:
    form.put_bot("besieger", text)
    assert form.faults["bot besieger"] == why(load_bot, form.loaded, "besieger", text)
    assert form.bots["besieger"] == text  # what was typed stays
    form.put_bot("besieger", "mix(rusher:0.8,random:0.2)")
    assert not form.faults


@pytest.mark.parametrize(("text", "number"), [("20k", 20_000), ("2e4", 20_000), ("1_500", 1_500), (7, 7)])
def test_games_as_one_types_them(form: FormState, text: object, number: int) -> None:
    form.put_number("games", text)
    assert form.games == number and not form.faults


@pytest.mark.parametrize("text", ["many", "0", "2.5", "1e9", "-3"])
def test_numbers_of_games_that_are_none(form: FormState, text: str) -> None:
    form.put_number("games", text)
    assert "whole number" in form.faults["games"] and form.games == 20_000


def test_a_cell_changed_and_changed_back(form: FormState) -> None:
    form.put_cell("fate", 0, "copies", "9")
    assert form.changes() == ["fate: your table"] and not form.faults
    assert form.rows("fate")[0]["copies"] == 9
    form.put_cell("fate", 0, "copies", str(form.loaded.own_tables["fate"][0]["copies"]))
    assert not form.changed


def test_a_table_with_a_mistake_names_line_and_column_and_is_not_played(form: FormState) -> None:
    form.put_cell("fate", 0, "copies", "nine")
    assert form.faults["table fate"].startswith("fate.csv, line 2, copies: 'nine' is not allowed")
    assert form.rows("fate")[0]["copies"] == "nine"  # stays in the grid until it is corrected
    assert not form.table_files
    form.put_table("fate", "id,name\n1,2\n")
    assert "column" in form.faults["table fate"]
    form.put_table("fate", None)
    assert not form.faults and not form.changed


def test_a_file_as_spreadsheets_write_it(form: FormState) -> None:
    own = csv_of(form.loaded, "fate", form.loaded.own_tables["fate"])
    form.put_table("fate", own.replace(",", ";").encode("utf-8-sig"))
    assert not form.changed and not form.faults
    form.put_table("fate", own.replace(",", ";").replace("red;6;", "red;six;").encode())
    assert "'six' is not allowed" in form.faults["table fate"]
    assert form.rows("fate")[0]["copies"] == "six"  # stays in its column until it is corrected
    form.put_table("fate", own.encode().replace(b"Joker", b"J\xf6ker"))
    assert "UTF-8" in form.faults["table fate"]
    form.put_table("fate", None)
    assert not form.faults


def test_an_open_quotation_mark_is_an_error_beside_the_table(form: FormState) -> None:
    own = csv_of(form.loaded, "fate", form.loaded.own_tables["fate"])
    open_quote = own + '"' + "x, y\n" * 50_000  # 250 kB
    form.put_table("fate", open_quote.encode())
    assert form.faults["table fate"].startswith("fate.csv: is not CSV")
    assert form.rows("fate") == form.loaded.own_tables["fate"]  # the page can still be shown
    assert len(form.faults["table fate"]) < 300
    form.put_cell("fate", 0, "copies", "9")
    assert not form.faults


def test_a_cell_that_is_too_long_is_an_error_beside_the_table(form: FormState) -> None:
    form.put_cell("fate", 0, "copies", "9" * 140_000)  # the reader of CSV takes 131,072
    assert "table fate" in form.faults
    assert form.rows("fate") == form.loaded.own_tables["fate"]


@pytest.mark.parametrize("line", ["1\n", "x,2\n"])
def test_a_table_of_very_many_rows_is_refused_at_once(form: FormState, line: str) -> None:
    head = csv_of(form.loaded, "fate", [])
    began = time.perf_counter()
    form.put_table("fate", (head + line * 240_000).encode())
    assert "has more than 1,000 rows" in form.faults["table fate"]
    assert len(form.rows("fate")) == len(form.loaded.own_tables["fate"])
    assert time.perf_counter() - began < 5  # reading all rows and sending them to the page took minutes


def test_a_file_over_the_limit_is_refused(form: FormState) -> None:
    form.put_table("fate", b"x" * 1_000_001)
    assert form.faults["table fate"].startswith("fate.csv: over 1 MB")


def test_a_row_copied_has_its_key_twice_until_it_is_changed(form: FormState) -> None:
    key = form.loaded.table("fate").key
    form.copy_row("fate", 0)
    assert "duplicate" in form.faults["table fate"]
    form.put_cell("fate", 1, key, "a_new_one")
    assert not form.faults
    form.delete_row("fate", 1)
    assert not form.changed


def test_what_is_saved_asks_the_same(form: FormState, tmp_path: Path) -> None:
    form.put_knob("walls_start", 7)
    form.put_cell("fate", 0, "copies", "5")
    form.put_bot("besieger", "noisy(rusher:0.05)")
    form.put_number("games", "300")
    form.put_number("seed", "4")
    form.put_contract("besieger_win = { target = 0.5, margin = 0.05 }\nturns_p50 = { min = 5 }")
    form.title, form.hypothesis, form.notes = "taller", 'it "helps"', "line\nline"
    assert not form.faults
    path = form.save(tmp_path, replace=False)
    saved = load_experiment(path)
    now = form.experiment()
    for part in ("bots", "knobs", "games", "seed", "contract", "name"):
        assert getattr(saved, part) == getattr(now, part), part
    assert saved.hypothesis == form.hypothesis and saved.notes == form.notes
    assert saved.card_files["fate"].read_text() == csv_of(form.loaded, "fate", form.rows("fate"))
    assert saved.card_files["fate"].parent == tmp_path
    assert "exists already" in why(lambda: form.save(tmp_path, replace=False))
    opened = FormState(str(path), tmp_path / "other")
    opened.check_all()
    assert not opened.faults
    assert (opened.knobs, opened.bots, opened.games, opened.seed) == (form.knobs, form.bots, 300, 4)
    assert opened.rows("fate") == form.rows("fate")
    assert opened.goals() == form.goals()


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
    form: FormState, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    form.put_cell("fate", 0, "copies", "5")
    (tmp_path / "my_fate.csv").write_bytes(form.tables["fate"].read_bytes())
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
    assert saved.card_files["fate"].read_text() == form.tables["fate"].read_text()
    assert "--metric ./mine.py:cards_left" in opened.command()
    assert "--set deck_besieger=0.123456789" in opened.command()
    given = FormState("simple_siege", tmp_path / "files", metrics=["./mine.py:cards_left"])
    assert [one.metric.name for one in given.loaded.own] == ["cards_left"]


def test_the_question_that_the_app_wrote_follows_the_changes(form: FormState, tmp_path: Path) -> None:
    form.put_knob("walls_start", 6)
    opened = FormState(str(form.save(tmp_path)), tmp_path / "files")
    opened.put_knob("walls_start", 7)
    opened.title = "again"
    assert load_experiment(opened.save(tmp_path)).question == "What do these changes do: walls_start 5 -> 7?"


def test_a_name_that_is_none_is_told_when_saving_alone(form: FormState, tmp_path: Path) -> None:
    form.title = ""
    form.put_bot("besieger", "nobody")
    form.put_contract("turns_p50 = { min = 2 }")
    assert "contract" not in form.faults  # which is not to blame
    form.put_bot("besieger", "random")
    assert "name = ''" in why(lambda: form.save(tmp_path))
    assert not list(tmp_path.glob("*.toml"))


def test_a_contract_that_is_wrong(form: FormState) -> None:
    form.put_contract("besieger_wins = { min = 0.4 }")
    assert "besieger_win" in form.faults["contract"]
    form.put_contract("besieger_win = ")
    assert "not TOML" in form.faults["contract"]
    assert not form.first_fault()  # the games can be played all the same
    form.put_contract(next(iter(form.ready_contracts().values())))
    assert not form.faults


def test_a_file_that_varies_a_knob_says_what_is_left_out(tmp_path: Path) -> None:
    form = FormState("simple_siege_walls", tmp_path)
    assert "varies walls_start" in form.remark and "several bots" in form.remark
    assert form.bots == {"besieger": "gunner", "besieged": "raider"}


def test_a_bot_of_ones_own_is_found_from_the_file_wherever_it_stands(
    form: FormState, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = ["import simlab", '@simlab.policy("simple_siege")', "def mine(state, knobs, cards, traits):"]
    (tmp_path / "my_bot.py").write_text("\n".join([*lines, '    """First."""', "    return state.legal[0]"]))
    form.put_bot("besieger", "./my_bot.py:mine")
    assert not form.faults
    assert './my_bot.py:mine"' in form.save(tmp_path, replace=False).read_text()
    assert f'"{tmp_path}/my_bot.py:mine"' in form.save(tmp_path / "deeper", replace=False).read_text()


def test_another_size_of_the_table(tmp_path: Path) -> None:
    form = FormState(str(HARVEST), tmp_path)
    assert len(form.loaded.seats) in form.sizes
    form.put_players(max(form.sizes))
    assert len(form.loaded.seats) == max(form.sizes) and not form.faults
    usual = FormState(str(HARVEST), tmp_path, players=max(form.sizes)).bots
    assert {seat: form.bots[seat] for seat in form.loaded.seats} == usual
    form.title = "wide"
    assert len(load_experiment(form.save(tmp_path, replace=False)).bots) == max(form.sizes)
    form.put_players(99)
    assert "99" in form.faults["players"]
