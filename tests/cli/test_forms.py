"""Answers and files say their form and version, and keep to the schema that is committed."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import jsonschema
import pyarrow.parquet as pq
import pytest

from simlab.errors import UserMistake
from simlab.runs.forms import ANSWERS, SCHEMAS, TABLES, check_metadata, schema_of
from tests.cli.conftest import Shell
from tests.cli.forms import hold_to_form
from tests.cli.infer_schema import WORDS, Words, inferred, without_words
from tests.cli.make_schemas import LINES

QUICK = {
    "games": "games", "knobs": "knobs simple_siege", "bots": "bots simple_siege", "rules": "rules simple_siege",
    "figures": "show figures simple_siege", "tables": "show tables simple_siege", "columns": "show schema simple_siege",
    "experiments": "show experiments", "scenarios": "show scenarios", "metrics": "show metrics",
    "schemas": "show schemas", "run": "sweep simple_siege -n 40 --quiet",
    "table": "table simple_siege --bot besieger=rusher --bot besieged=mason -n 20",
}  # fmt: skip


def test_each_form_that_a_command_prints_has_a_schema_and_lines_that_make_it() -> None:
    printed = set()
    for path in (SCHEMAS.parent / "cli").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "emit_json":
                form = node.args[1]
                assert isinstance(form, ast.Constant), f"{path.name}:{node.lineno}: name the form there"
                printed |= {form.value} - {None}
    assert printed == ANSWERS.keys() == LINES.keys()
    assert {path.stem for path in SCHEMAS.glob("*.json")} == ANSWERS.keys()


def test_each_key_of_a_schema_says_what_it_means() -> None:
    for form in ANSWERS:
        assert without_words(schema_of(form)) == [], f"{form}: write it into {WORDS.name}, and make the schema anew"


def test_the_json_of_any_command_in_a_test_is_held_to_its_form() -> None:
    hold_to_form({"games": [], "neither": "one of these"})
    with pytest.raises(jsonschema.ValidationError):
        hold_to_form({"schema": {"name": "games", "version": 1}})
    with pytest.raises(jsonschema.ValidationError):
        hold_to_form({"nothing": 1}, "games")


@pytest.mark.parametrize("form", QUICK)
def test_an_answer_says_its_form_and_keeps_to_it(form: str, shell: Shell) -> None:
    answer = json.loads(shell(f"simlab {QUICK[form]} --json").out)
    assert answer["schema"] == {"name": form, "version": ANSWERS[form][0]}
    jsonschema.validate(answer, schema_of(form))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"schema": answer["schema"]}, schema_of(form))


def test_schemas_are_schemas_and_of_their_version(shell: Shell) -> None:
    for form in ANSWERS:
        schema = schema_of(form)
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["properties"]["schema"]["properties"]["version"]["const"] == ANSWERS[form][0]
    assert shell("simlab show schema run").json["title"] == "simlab run, version 1"
    assert {one["schema"] for one in shell("simlab show schemas --json").json["schemas"]} == {*ANSWERS, *TABLES}


def test_a_schema_is_made_of_what_answers_have_and_people_say() -> None:
    words = Words("""
        null = ["a"]
        maps = ["games.by_seat"]
        records = []
        optional = ["rare"]
        [words]
        a = "A number."
        "b.c" = "A text."
    """)
    one = {"a": 1, "b": [{"c": "x", "e": 1}, {"c": "y"}], "d": None, "by_seat": {"ann": 1}, "knobs": {"x": 1}}
    one["rare"] = 1
    other = {"a": 1.5, "b": [], "d": None, "by_seat": {"ann": 2}, "knobs": {"y": 2}, "rare": 1}
    made = inferred([one, other], "games", words)
    fine = {"a": 2, "b": [{"c": "", "e": 2}], "d": 7, "by_seat": {"bob": 1}, "knobs": {"z": 3}}
    says = {"schema": {"name": "games", "version": 1}}
    for good in ({}, {"a": None}, {"d": None}, {"b": [{"c": ""}]}, {"rare": 2}):
        jsonschema.validate({**fine, **good, **says}, made)
    for bad in (
        {"a": "x"}, {"b": [3]}, {"b": [{"e": 1}]}, {"b": [{"c": "", "e": "x"}]}, {"by_seat": {"bob": "x"}},
        {"knobs": {"z": None}}, {"rare": None}, {"schema": {"name": "knobs", "version": 1}},
    ):  # fmt: skip
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**fine, **says, **bad}, made)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({key: value for key, value in fine.items() if key != "d"} | says, made)
    assert made["properties"]["a"]["description"] == "A number."
    assert sorted(without_words(made)) == ["b", "b.e", "by_seat", "d", "knobs", "rare"]


def test_parquet_files_carry_name_and_version(shell: Shell, tmp_path: Path) -> None:
    assert shell("simlab sweep simple_siege -n 40 --quiet --out run").status == 0
    shell("simlab export run --out games.parquet")
    shell("simlab events simple_siege -n 1 --out moves.parquet --quiet")
    shard = next((tmp_path / "run" / "cells").rglob("*.parquet"))
    for path, form in (
        (tmp_path / "games.parquet", b"games"),
        (tmp_path / "moves.parquet", b"moves"),
        (shard, b"rows"),
    ):
        carried = pq.read_metadata(path).metadata
        assert (carried[b"simlab.schema"], carried[b"simlab.version"]) == (form, b"1")


def test_a_newer_version_is_refused_and_an_older_file_read(tmp_path: Path) -> None:
    check_metadata(None, "rows", tmp_path)
    check_metadata({b"other": b"x"}, "rows", tmp_path)
    with pytest.raises(UserMistake, match="has version 2 of the form 'rows'; this simlab reads up to 1"):
        check_metadata({b"simlab.schema": b"rows", b"simlab.version": b"2"}, "rows", tmp_path)
    with pytest.raises(UserMistake, match="holds moves, not rows"):
        check_metadata({b"simlab.schema": b"moves"}, "rows", tmp_path)
