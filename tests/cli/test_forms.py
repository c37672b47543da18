"""Answers and files say their form and version, and keep to the schema that is committed."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pyarrow.parquet as pq
import pytest
import typer

from simlab.cli.main import main
from simlab.errors import InputError
from simlab.questions import answer_types
from simlab.questions.check.baseline import read_baseline
from simlab.questions.conformance.command import carry_out
from simlab.questions.speed import earlier_build
from simlab.runs.table_file import TABLES, check_metadata
from simlab.testing import ConformanceError
from tests.cli.conftest import Shell, all_commands
from tests.cli.forms import hold_to_form

QUICK = {
    "games": "games", "knobs": "info simple_siege knobs", "bots": "info simple_siege bots",
    "rules": "info simple_siege rules", "figures": "info simple_siege statistics", "game": "info simple_siege",
    "tables": "info simple_siege tables", "columns": "info simple_siege columns", "experiments": "info experiments",
    "scenarios": "info scenarios", "metrics": "info metrics", "schemas": "info schemas",
    "distances": "info simple_siege bots --distance rusher,random -n 2",
    "fingerprints": "info simple_siege bots --fingerprint rusher -n 2",
    "replay": "replay simple_siege --game 3 --quiet",
    "replay-beside": "replay simple_siege --game 3 --beside walls_start=6 --quiet",
    "run": "sweep simple_siege -n 40 --quiet",
    "playing-time": "analyze time simple_siege --bot besieger=rusher --bot besieged=mason -n 20",
}  # fmt: skip


#: Commands without --json, and why.
WITHOUT_JSON = {
    "app": "opens a page",
    "new game": "writes files to be edited",
    "new bot": "writes files to be edited",
    "new metric": "writes files to be edited",
    "new twin": "writes files to be edited",
    "play": "a person plays",
}


def test_every_command_with_an_answer_prints_it_as_json() -> None:
    with_json = {
        name for name, command in all_commands().items() if any("--json" in option.opts for option in command.params)
    }
    assert all_commands().keys() - with_json == WITHOUT_JSON.keys()


def test_a_breach_is_part_of_the_json_answer(capsys: pytest.CaptureFixture[str]) -> None:
    def breaks() -> list[str]:
        raise ConformanceError("seed 1, game 3: it peeks")

    about = {"game": "pig", "checked": "bot", "name": "mine"}
    with pytest.raises(typer.Exit) as left:
        carry_out(about, {"first": lambda: ["legal"], "second": breaks}, json=True)
    answer = json.loads(capsys.readouterr().out)
    hold_to_form(answer)
    assert left.value.exit_code == 1
    assert not answer["fine"] and answer["breach"] == "seed 1, game 3: it peeks"
    assert answer["checks"] == [{"seat": "first", "check": "legal"}]
    with pytest.raises(ConformanceError):
        carry_out(about, {None: breaks}, json=False)


def test_nothing_to_compare_with_is_json_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def nothing(*_: object, **__: object) -> None:
        raise earlier_build.NothingToCompare("there is no tag")

    monkeypatch.setattr(earlier_build, "_commit", nothing)
    with pytest.raises(SystemExit) as left:
        main(["dev", "bench", "kuhn_poker", "--against", "last", "--json", "--quiet"])
    answer = json.loads(capsys.readouterr().out)
    hold_to_form(answer)
    assert left.value.code == 0 and answer["commit"] is None and "there is no tag" in answer["left_out"]["all"]


def test_the_json_of_any_command_in_a_test_is_held_to_its_form() -> None:
    hold_to_form({"games": [], "neither": "one of these"})
    with pytest.raises(jsonschema.ValidationError):
        hold_to_form({"schema": {"name": "games", "version": 1}})
    with pytest.raises(jsonschema.ValidationError):
        hold_to_form({"schema": {"name": "doctor", "version": 1}})


@pytest.mark.parametrize("form", QUICK)
def test_an_answer_says_its_form_and_keeps_to_it(form: str, shell: Shell) -> None:
    answer = json.loads(shell(f"simlab {QUICK[form]} --json").out)
    typed = answer_types()[form]
    schema = typed.json_schema()
    assert answer["schema"] == {"name": form, "version": typed.version}
    jsonschema.validate(answer, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"schema": answer["schema"]}, schema)


def test_schemas_are_schemas_and_of_their_version(shell: Shell) -> None:
    for form, typed in answer_types().items():
        schema = typed.json_schema()
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["properties"]["schema"]["properties"]["name"]["const"] == form
    assert shell("simlab info schema doctor").json["properties"]["checks"]
    assert {one["schema_name"] for one in shell("simlab info schemas --json").json["schemas"]} == {
        *answer_types(), *TABLES
    }  # fmt: skip


def test_parquet_files_carry_name_and_version(shell: Shell, tmp_path: Path) -> None:
    assert shell("simlab sweep simple_siege -n 40 --quiet --out run").status == 0
    shell("simlab report run --format parquet --out games.parquet")
    shell("simlab replay simple_siege --table -n 1 --out moves.parquet --quiet")
    shard = next((tmp_path / "run" / "cells").rglob("*.parquet"))
    for path, form in (
        (tmp_path / "games.parquet", b"games"),
        (tmp_path / "moves.parquet", b"moves"),
        (shard, b"rows"),
    ):
        carried = pq.read_metadata(path).metadata
        assert (carried[b"simlab.schema"], carried[b"simlab.version"]) == (form, b"1")
    for path in (tmp_path / "games.parquet", tmp_path / "moves.parquet"):
        words = json.loads(pq.read_metadata(path).metadata[b"simlab.columns"])
        assert list(words) == pq.read_schema(path).names and all(words.values())
    columns = shell("simlab info simple_siege columns --json").json["columns"]
    assert [one["column"] for one in columns if one["help"]] == pq.read_schema(shard).names
    listed = shell("simlab info moves --json").json["columns"]
    assert [one["column"] for one in listed] == pq.read_schema(tmp_path / "moves.parquet").names
    page = (Path(__file__).parents[2] / "docs" / "files.md").read_text(encoding="utf-8")
    moves = page.partition("## One row per move")[2].partition("##")[0]
    assert all(f"`{one['column']}`" in moves for one in listed)
    assert {path.stem for path in tmp_path.glob("*.parquet")} | {"rows"} == TABLES.keys()


def test_the_columns_of_rows_follow_from_a_game(shell: Shell) -> None:
    done = shell("simlab info schema rows")
    assert done.status == 2 and "simlab info simple_siege columns" in done.err


def test_a_newer_version_is_refused_and_an_older_file_read(tmp_path: Path) -> None:
    check_metadata(None, "rows", tmp_path)
    check_metadata({b"other": b"x"}, "rows", tmp_path)
    with pytest.raises(InputError, match="has version 2 of the form 'rows'; this simlab reads up to 1"):
        check_metadata({b"simlab.schema": b"rows", b"simlab.version": b"2"}, "rows", tmp_path)
    with pytest.raises(InputError, match="holds moves, not rows"):
        check_metadata({b"simlab.schema": b"moves"}, "rows", tmp_path)


def test_baselines_of_another_form_are_refused_with_what_to_do(tmp_path: Path) -> None:
    older = "An older simlab wrote it. Write it again, with the rules of that time: simlab check"
    for form, says in ((1, older), (2, older), (4, "A newer simlab wrote it")):
        (tmp_path / "baseline.json").write_text(json.dumps({"format": form}))
        with pytest.raises(InputError, match=f"form {form} of a baseline, and this simlab reads form 3. {says}"):
            read_baseline(tmp_path)
