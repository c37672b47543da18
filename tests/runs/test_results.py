"""Reading results: figures, rows, and folders that a stranger or a crash has damaged."""

from __future__ import annotations

import io
import json
import math
import os
import pickle
import re
import shutil
import tracemalloc
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest

import simlab
from simlab.engine.tally import Tally
from simlab.errors import InputError
from simlab.game import Metric
from simlab.registry import load_game
from simlab.runs.names import Names
from simlab.runs.results import Results, load
from simlab.runs.runner import run
from simlab.runs.store import Folder, row_schema
from tests.runs.fake import GAME, FakeExperiment, two_cells


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("results") / "tosses"
    run(FakeExperiment(), folder, 2, "threads", cells=two_cells())
    return folder


@pytest.fixture
def results(finished) -> Results:
    return load(finished)


@pytest.fixture
def copied(finished, tmp_path) -> Path:
    """A copy that a test may damage."""
    return shutil.copytree(finished, tmp_path / "tosses")


def rows_of(bias: int) -> np.ndarray:
    return next(c for c in two_cells() if c.knobs["bias"] == bias).match().play(7, 0, 400).rows


# --- Figures ------------------------------------------------------------------


def test_cells_have_the_counts_of_their_games(results):
    assert [cell.varied for cell in results.cells] == [{"bias": 5}, {"bias": 6}]
    for cell in results.cells:
        rows = rows_of(int(cell.knobs["bias"]))
        assert cell.games == 400
        assert cell.wins == {
            "heads": int((rows["winner"] == 0).sum()), "tails": int((rows["winner"] == 1).sum()),
            "nobody": int((rows["winner"] == -1).sum()), "shared": 0,
        }  # fmt: skip
        assert cell.endings == {name: int((rows["ending"] == i).sum()) for i, name in enumerate(GAME.endings)}
        lengths, games = cell.turns
        assert dict(zip(lengths.tolist(), games.tolist(), strict=True)) == {
            n: int((rows["turns"] == n).sum()) for n in set(rows["turns"].tolist())
        }
        assert cell.faults == ()


def test_win_rates_have_wilson_intervals(results):
    table = results.win_rates(0.9)
    assert table.columns == [
        "cell", "label", "bias", "bot_heads", "bot_tails", "games", "seat", "wins", "estimate", "low", "high",
    ]  # fmt: skip
    assert table.height == 4
    row = table.row(0, named=True)
    n, p, z = row["games"], row["wins"] / row["games"], 1.6448536269514722
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    assert row["estimate"] == p
    assert row["low"] == pytest.approx(middle - half, abs=1e-12)
    assert row["high"] == pytest.approx(middle + half, abs=1e-12)
    for level in (0, 1, 95):
        with pytest.raises(InputError, match="level"):
            results.win_rates(level)


def test_the_summary_has_the_form_of_json_output(results):
    summary = results.summary()
    assert json.loads(json.dumps(summary)) == summary
    assert list(summary) == ["game", "cells", "games_per_second", "folder", "partial", "missing"]
    assert (summary["partial"], summary["missing"]) == (False, [])
    assert summary["game"] == "toss"
    cell = summary["cells"][0]
    assert list(cell) == ["knobs", "bots", "games", "cut_off", "win_rate", "win_share", "endings", "turns", "metrics"]
    assert cell["bots"] == {"heads": "still", "tails": "still"}
    assert list(cell["win_rate"]["heads"]) == ["estimate", "low", "high"]
    assert set(cell["endings"]) == set(GAME.endings)
    rows = rows_of(5)
    turns = np.sort(rows["turns"])
    assert cell["turns"]["mean"] == pytest.approx(turns.mean())
    assert [cell["turns"][q] for q in ("p5", "p50", "p95")] == [turns[19], turns[199], turns[379]]
    assert cell["metrics"]["spins"]["mean"] == pytest.approx(rows["spins"].mean())
    for figures in (cell["turns"], cell["metrics"]["spins"]):
        assert set(figures["intervals"]) == {"mean", "p5", "p50", "p95"}
        for name, (low, high) in figures["intervals"].items():
            assert low <= figures[name] <= high
    assert cell["turns"]["intervals"]["mean"][0] < cell["turns"]["mean"]


def test_the_summary_averages_no_codes(results):
    """A category has shares, a number that not every game has its share and the mean of those games."""
    cell = results.cells[0]
    spins = rows_of(5)["spins"]
    of_kind = {
        "category": Metric("spins", "", codes={n: f"kind_{n}" for n in range(7)}),
        "if_happened": Metric("spins", "", never=0, low=1),
    }
    found = {}
    for kind, metric in of_kind.items():
        other = replace(results.names, metrics=(metric,))
        stub = SimpleNamespace(_names_at={2: other}, _counts=results._counts)
        found[kind] = replace(cell, results=stub).summary()["metrics"]
    shares = found["category"]["spins"]["shares"]
    assert list(found["category"]["spins"]) == ["shares"]
    assert shares["kind_2"]["estimate"] == (spins == 2).mean()
    assert shares["kind_2"]["low"] < shares["kind_2"]["estimate"] < shares["kind_2"]["high"]
    happened = found["if_happened"]["spins"]
    assert happened["share"]["estimate"] == (spins > 0).mean()
    assert happened["mean"] == pytest.approx(spins[spins > 0].mean())
    assert happened["p5"] == 1


def test_rows_are_one_a_game_with_the_documented_columns(results):
    games = results.games
    assert games.height == 800
    assert dict(games.drop("bias").schema) == row_schema(GAME)
    assert games["bias"].to_list() == [value for cell in results.cells for value in [cell.varied["bias"]] * 400]
    assert games["game"].to_list() == [*range(400), *range(400)]
    assert games["cell"].unique(maintain_order=True).to_list() == [cell.key for cell in results.cells]
    assert results.scan().collect().equals(games.drop("bias"))
    table = results.to_pandas()
    assert table.shape == games.shape
    assert table["winner"].tolist() == games["winner"].to_list()
    assert table["winner"].dtype == "category"


def test_names_of_the_game_come_out_of_the_manifest(results):
    assert results.names.seats == GAME.seats
    assert results.names.metrics == GAME.metrics
    assert results.names.tracks == GAME.tracks
    assert [rule.id for rule in results.names.rules] == ["T-01", "T-02"]
    assert results.names.decisions == GAME.decisions
    with pytest.raises(InputError, match="not installed"):
        _ = results.game
    assert results.experiment["experiment"]["seed"] == 7


def test_the_printed_values_of_the_knobs_come_out_of_the_manifest(copied):
    manifest = json.loads((copied / "manifest.json").read_text())
    manifest["names"]["printed"] = {"walls": 5, "jokers": True, "share": 0.5, "plan": "full"}
    (copied / "manifest.json").write_text(json.dumps(manifest))
    printed = load(copied).names.printed
    assert printed == {"walls": 5, "jokers": True, "share": 0.5, "plan": "full"}
    assert [type(value) for value in printed.values()] == [int, bool, float, str]
    del manifest["names"]["printed"]
    (copied / "manifest.json").write_text(json.dumps(manifest))
    assert load(copied).names.printed == {}


def test_the_printed_values_are_the_knobs_defaults():
    game = load_game("simple_siege")
    assert Names.of(game).printed == {name: knob.default for name, knob in game.knobs.items()}


def test_an_installed_game_is_loaded_by_name_when_asked_for(copied):
    manifest = json.loads((copied / "manifest.json").read_text())
    manifest["names"]["slug"] = "simple_siege"
    (copied / "manifest.json").write_text(json.dumps(manifest))
    assert load(copied).game.slug == "simple_siege"


def test_a_notebook_shows_the_win_rates_escaped(copied):
    cells = json.loads((copied / "cells.json").read_text())
    cells["cells"][0]["label"] = "<script>alert(1)</script>"
    (copied / "cells.json").write_text(json.dumps(cells))
    shown = load(copied)._repr_html_()
    assert "&lt;script&gt;" in shown
    assert "<script>" not in shown
    assert "heads" in shown
    assert "400" in shown
    assert "tosses" in repr(load(copied))


def test_a_figure_of_an_unknown_metric_or_seat_names_the_right_one(results):
    with pytest.raises(InputError, match="spins"):
        results.plot_metric("spin")
    with pytest.raises(InputError, match="heads"):
        results.cells[0].win_rate("head")


def test_more_games_than_the_row_limit_keep_counts_only(tmp_path, results):
    counted = run(FakeExperiment(row_limit=799), tmp_path / "tosses", backend="threads", cells=two_cells())
    assert not list((tmp_path / "tosses").rglob("*.parquet"))
    assert [c.tally.to_dict() for c in counted.cells] == [c.tally.to_dict() for c in results.cells]
    assert counted.summary()["cells"] == results.summary()["cells"]
    for rows in (lambda: counted.games, counted.scan, counted.to_pandas):
        with pytest.raises(InputError, match="row_limit"):
            rows()


# --- Partial, damaged, hostile ------------------------------------------------


def test_a_run_that_was_killed_shows_what_it_has(copied):
    for path in sorted((copied / "cells").rglob("*.json"))[2:5]:
        path.unlink()
    manifest = json.loads((copied / "manifest.json").read_text())
    (copied / "manifest.json").write_text(json.dumps(manifest | {"status": "running"}))
    results = load(copied)
    assert results.partial
    assert sum(cell.games for cell in results.cells) == 500
    assert results.games.height == 500


@pytest.mark.parametrize("gone", ["cell", "counts", "rows"])
def test_files_that_a_finished_run_had_are_missed_everywhere(copied, gone):
    """Whatever is removed, no reader takes the rest for the whole."""
    import warnings

    import simlab
    from simlab.questions.check.baseline import read_baseline

    whole = load(copied)
    assert (whole.partial, whole.lost, whole.gap) == (False, False, "")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        simlab.load(copied)
    cell = copied / "cells" / whole.cells[0].key
    if gone == "cell":
        shutil.rmtree(cell)
    else:
        sorted(cell.glob("*.json" if gone == "counts" else "*.parquet"))[1].unlink()
    games = 400 if gone == "cell" else 100
    left = load(copied)
    assert left.partial and left.lost
    assert f"PARTIAL: {games} of 800 games are not there (bias=5: games {0 if gone == 'cell' else 100} to" in left.gap
    assert sum(c.games for c in left.cells) == left.games.height == 800 - games
    found = left.summary()
    assert found["partial"] and found["missing"][0]["games"] == games
    every = [[0, 99], [100, 199], [200, 299], [300, 399]]
    assert found["missing"][0]["shards"] == (every if gone == "cell" else every[1:2])
    assert "PARTIAL" in repr(left) and "PARTIAL" in left._repr_html_()
    with pytest.warns(UserWarning, match="PARTIAL"):
        simlab.load(copied)
    with pytest.raises(InputError, match="PARTIAL"):
        read_baseline(copied)


def test_games_that_were_given_up_are_missing_but_not_lost(copied):
    whole = load(copied)
    cell = copied / "cells" / whole.cells[1].key
    for path in cell.glob("000000000100-*"):
        path.unlink()
    fault = {"cell": cell.name, "label": "bias=6", "seed": 7, "first": 100, "last": 199, "why": "", "replay": ""}
    (copied / "faults.json").write_text(json.dumps({"faults": [fault]}))
    manifest = json.loads((copied / "manifest.json").read_text())
    (copied / "manifest.json").write_text(json.dumps(manifest | {"status": "faulty"}))
    left = load(copied)
    assert (left.partial, left.lost) == (True, False)
    assert "100 of 800" in left.gap and "faults.json" in left.gap


@pytest.mark.parametrize("text", ["rm -rf ~", "simlab run x; rm -rf ~", "simlab run $(id)", "simlab 'a", "simlab a\nb"])
def test_a_command_that_a_stranger_wrote_is_not_passed_on(copied, text):
    manifest = json.loads((copied / "manifest.json").read_text())
    manifest["runs"][-1]["command"] = text
    (copied / "manifest.json").write_text(json.dumps(manifest))
    assert load(copied).command == ""


def test_no_folder_and_no_results_are_told_apart(tmp_path):
    with pytest.raises(InputError, match="no such folder"):
        load(tmp_path / "nowhere")
    with pytest.raises(InputError, match=r"no manifest\.json"):
        load(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="no such folder"):
        load(tmp_path / "file")


@pytest.mark.parametrize("name", ["manifest.json", "cells.json", "resolved.json", "faults.json"])
@pytest.mark.parametrize("text", ["", "{", "[]", "3", "null", '{"format": 1}', "[" * 50_000], ids=str)
def test_a_damaged_file_is_named(copied, name, text):
    (copied / name).write_text(text[:60_000])
    if (name, text) == ("resolved.json", '{"format": 1}'):
        return
    with pytest.raises(InputError, match=name):
        load(copied)


def every_change(data, path=()):
    """Each value of a JSON file, with what might stand in its place."""
    items = data.items() if isinstance(data, dict) else enumerate(data[:2])
    for key, value in items:
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from every_change(value, (*path, key))


@pytest.mark.parametrize("name", ["manifest.json", "cells.json"])
def test_no_value_in_its_files_makes_it_stumble(finished, tmp_path, name):
    """Whatever a value is changed to, load and the figures work or say what is wrong."""
    good = json.loads((finished / name).read_text())
    good["runs"] = good.get("runs", [])[:1]
    folder = tmp_path / "run"
    folder.mkdir()
    for path in finished.iterdir():
        if path.name != name:
            (shutil.copytree if path.is_dir() else shutil.copy)(path, folder / path.name)
    for place in every_change(good):
        for value in (None, -1, 10**400, "../../etc/passwd", [], {}):
            changed = json.loads(json.dumps(good))
            inner = changed
            for key in place[:-1]:
                inner = inner[key]
            inner[place[-1]] = value
            (folder / name).write_text(json.dumps(changed))
            said = what_is_said_of(folder)
            assert said is None or str(folder) in said


def what_is_said_of(folder: Path) -> str | None:
    """The mistake that a folder is found to have when it is read, if any."""
    try:
        results = load(folder)
        results.summary()
        results._repr_html_()
        repr(results)
    except InputError as fault:
        return str(fault)
    return None


def test_counts_of_another_game_are_refused(copied):
    manifest = json.loads((copied / "manifest.json").read_text())
    manifest["names"]["endings"].append("third")
    (copied / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(InputError, match="not of the game"):
        load(copied).summary()


@pytest.mark.parametrize("name", ["tracks", "outcomes", "chosen", "won_with", "fired", "fired_squares"])
def test_counts_of_another_size_are_refused_before_memory_is_taken(copied, name):
    from simlab.runs.store import Folder

    results = load(copied)
    cell = results.cells[0]
    done = Folder(copied).sidecar(cell.key, cell.shards[0])
    for shape in ([50_000_000], [5, 10_000_000], [], "x", None):
        tally = done.tally | {"counts": done.tally["counts"] | {name: {"shape": shape, "at": [], "count": []}}}
        Folder(copied).commit_shard(cell.key, cell.shards[0], None, done.games, (), tally)
        tracemalloc.start()
        try:
            with pytest.raises(InputError, match=cell.shards[0].name):
                Results(copied)._merge(cell.key, cell.shards)
            assert tracemalloc.get_traced_memory()[1] < 100_000_000  # 400 MB were asked for
        finally:
            tracemalloc.stop()


@pytest.mark.parametrize(
    "names", [{"max_actions": 32_000, "seats": [f"seat {i}" for i in range(1000)]}, {"max_actions": 10**9}], ids=str
)
def test_a_game_of_impossible_size_is_refused(copied, names):
    manifest = json.loads((copied / "manifest.json").read_text())
    manifest["names"] |= names
    (copied / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(InputError, match=r"manifest\.json"):
        load(copied)


def test_more_rows_than_memory_holds_are_not_read_in_one_piece(results, monkeypatch):
    from simlab.runs import results as module

    monkeypatch.setattr(module, "MOST_SHARD", 799)
    monkeypatch.setattr(module, "free_memory", lambda: 1e4)
    with pytest.raises(InputError, match=r"800 rows .* `\.scan\(\)`"):
        _ = results.games
    monkeypatch.setattr(module, "free_memory", lambda: 1e9)
    assert results.games.height == 800
    monkeypatch.undo()
    assert module.free_memory() > 0


def test_counts_that_do_not_add_up_are_refused(copied):
    from simlab.runs.store import Folder

    results = load(copied)
    cell = results.cells[0]
    tally = Tally.from_dict(cell.tally.to_dict(), results.names)
    tally.outcomes[2, 0, 3] += np.uint64(1)
    done = Folder(copied).sidecar(cell.key, cell.shards[0])
    Folder(copied).commit_shard(cell.key, cell.shards[0], None, done.games, (), tally.to_dict() | {"games": done.games})
    with pytest.raises(InputError, match="do not add up"):
        load(copied).summary()


def test_a_damaged_shard_is_named_when_it_is_read(copied):
    path = sorted((copied / "cells").rglob("*.parquet"))[3]
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    results = load(copied)
    assert results.summary()
    with pytest.raises(InputError, match=path.name):
        _ = results.games
    with pytest.raises(InputError, match=path.name):
        results.scan()


# --- Other forms: an older one is read, or refused with what to do --------------


@pytest.mark.parametrize(
    ("form", "says"),
    [
        (2, "form 2 of results, and this simlab reads form 3. An older simlab wrote it. Play it again: simlab run "),
        (4, "A newer simlab wrote it: read it with that version"),
        ("3", "damaged or not simlab's"),
    ],
)
def test_a_folder_of_another_form_is_refused_with_what_to_do(copied, form, says):
    manifest = json.loads((copied / "manifest.json").read_text())
    (copied / "manifest.json").write_text(json.dumps(manifest | {"format": form}))
    with pytest.raises(InputError, match=re.escape(says)) as fault:
        load(copied)
    assert str(copied / "manifest.json") in str(fault.value)


def rewritten(folder: Path, change=lambda rows: rows, metadata=None) -> Results:
    """The results with another Parquet file in place of their first, whose counts vouch for it."""
    cell = load(folder).cells[0]
    shard = cell.shards[0]
    done = Folder(folder).sidecar(cell.key, shard)
    content = io.BytesIO()
    change(pl.read_parquet(Folder(folder).shard_path(cell.key, shard))).write_parquet(content, metadata=metadata)
    Folder(folder).commit_shard(cell.key, shard, content.getvalue(), done.games, done.faults, done.tally)
    return load(folder)


def test_rows_of_before_versions_are_read(copied, results):
    older = rewritten(copied)
    versions = [
        (pq.read_metadata(path).metadata or {}).get(b"simlab.version") for path in (copied / "cells").rglob("*.parquet")
    ]
    assert versions.count(None) == 1 < len(versions)
    assert older.games.equals(results.games)


def test_rows_of_a_newer_version_are_refused(copied):
    newer = rewritten(copied, metadata={"simlab.schema": "rows", "simlab.version": "2"})
    with pytest.raises(InputError, match="has version 2 of the form 'rows'; this simlab reads up to 1"):
        _ = newer.games


def test_rows_with_other_columns_are_refused_by_their_names(copied):
    other = rewritten(copied, lambda rows: rows.drop("decisions").with_columns(omens=1))
    with pytest.raises(InputError, match=r"without decisions; with omens\. Another simlab may have written it"):
        _ = other.games


class Bomb:
    def __reduce__(self):
        return os.system, ("touch /tmp/simlab-bomb",)


def test_nothing_in_a_folder_is_run(copied, monkeypatch):
    """Pickles, Python files and links lie there, under the names of results too."""
    monkeypatch.chdir(copied)
    bomb = pickle.dumps(Bomb())
    for name in ("resolved.json", "summary.json", "report.html", "run.log", "cells.pkl", "lock"):
        (copied / name).write_bytes(bomb)
    for name in ("polars.py", "sitecustomize.py", "toss.py", "__init__.py", "simple_siege.py", "conftest.py"):
        (copied / name).write_text("raise SystemExit('ran')")
    manifest = json.loads((copied / "manifest.json").read_text())
    manifest["names"]["slug"] = "./toss"
    (copied / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(InputError, match="resolved"):
        load(copied)
    (copied / "resolved.json").write_text("{}")
    results = load(copied)
    assert results.games.height == 800
    with pytest.raises(InputError, match="not installed"):
        _ = results.game
    assert not Path("/tmp/simlab-bomb").exists()


def test_the_most_typical_game_is_found_without_codes():
    """A category has no median, nor has a number with a code for never."""
    from simlab.questions.notable_games.analysis import with_median

    names = Names.of(GAME)
    assert with_median(names) == ["turns", "decisions", "spins"]
    assert with_median(replace(names, metrics=(Metric("spins", "", codes={0: "none"}),))) == ["turns", "decisions"]
    assert with_median(replace(names, metrics=(Metric("spins", "", never=0),))) == ["turns", "decisions"]


def test_games_have_a_column_for_each_varied_knob(tmp_path):
    run = simlab.sweep("kuhn_poker", vary={"ante": [1, 2]}, games=20, out=tmp_path / "run")
    assert run.games.columns[-1] == "ante"
    by_ante = dict(run.games.group_by("ante").len().iter_rows())
    assert by_ante == {1: 20, 2: 20}
    one = simlab.run("kuhn_poker", games=20, out=tmp_path / "one")
    assert "ante" not in one.games.columns
