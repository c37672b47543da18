"""Stored games played again, and each game held against its fingerprint."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simlab.bot_registry import forget_changes
from simlab.compiler.dependencies import files_of
from simlab.engine.match import Match
from simlab.errors import InputError
from simlab.questions.verify import fingerprint
from simlab.questions.verify.analysis import verify
from simlab.registry import find_games, load_game
from simlab.runs import runner
from simlab.runs.open_experiment import new_experiment
from simlab.runs.results import Results, load
from simlab.runs.store import Folder, Shard, rows_to_parquet
from tests.box import LARGE
from tests.cli.forms import hold_to_form

BOTS = {"besieger": "rusher", "besieged": ["mason", "warden"]}


@pytest.fixture
def results(tmp_path: Path) -> Results:
    # Shards of 100 games, so that there are several.
    experiment = new_experiment("simple_siege", bots=BOTS, games=300, seed=4).replace(shard_games=100)
    return runner.run(experiment, tmp_path / "run", workers=1, backend="threads")


def tampered(results: Results, change: Any, key: str = "") -> str:
    """Stores a shard anew with its rows changed, digests and all; returns the cell's label."""
    cell = next(c for c in results.cells if not key or c.key == key)
    match = Match(load_game("simple_siege"), bots=cell.bots)
    batch = match.play(4, 100, 100)
    change(batch.rows)
    data = rows_to_parquet(batch.rows, match.game, cell.key, cell.bots)
    Folder(results.folder).commit_shard(cell.key, Shard(100, 199), data, 100, (), batch.tally.to_dict())
    return cell.label


def test_all_games_are_as_stored(results: Results) -> None:
    found = verify(results, 1.0)
    assert (found.played, found.differ, found.same_rules, found.exit_status) == (600, 0, True, 0)
    assert str(found) == "identical: 600 of 600 stored games were played again, and none differs."
    sample = verify(results, 0.01)
    assert sample.played == 6 * 20 and verify(results, 0.01) == sample


def test_one_wrong_number_is_found_and_named(results: Results) -> None:
    def longer(rows: Any) -> None:
        rows["turns"][42] += 1

    label = tampered(results, longer)
    found = verify(load(results.folder), 1.0)
    assert (found.differ, found.exit_status) == (1, 5)
    example = found.examples[0]
    assert (example.cell, example.game, list(example.columns)) == (label, 142, ["turns"])
    before, now = example.columns["turns"]
    assert before == now + 1
    assert example.replay.startswith("simlab replay simple_siege --seed 4 --game 142 ")
    assert str(found).startswith("MISMATCH") and "turns was" in str(found)


def test_other_rules_are_noticed_by_their_games(results: Results) -> None:
    cells = json.loads((results.folder / "cells.json").read_text())
    for cell in cells["cells"]:
        cell["knobs"]["walls_start"] = 6
    (results.folder / "cells.json").write_text(json.dumps(cells))
    found = verify(load(results.folder), 0.2)
    assert not found.same_rules and found.exit_status == 5
    assert found.differ > found.played / 2
    assert "--set walls_start=6" in found.examples[0].replay


def test_counts_alone_can_be_verified_too(tmp_path: Path) -> None:
    experiment = new_experiment("simple_siege", bots=BOTS, games=60, seed=4).replace(row_limit=0)
    results = runner.run(experiment, tmp_path / "run", workers=1, backend="threads")
    assert not results.has_rows
    assert (verify(results).played, verify(results).exit_status) == (120, 0)
    cell = results.cells[0]
    done = Folder(results.folder).sidecar(cell.key, cell.shards[0])
    done.tally["counts"]["fired"]["count"][0] += 1
    Folder(results.folder).commit_shard(cell.key, cell.shards[0], None, done.games, (), done.tally)
    found = verify(load(results.folder))
    assert (found.differ, found.exit_status, list(found.examples[0].columns)) == (60, 5, ["fired"])


def test_games_that_come_again_raise_an_alarm(results: Results) -> None:
    """As if the worker of the second shard had begun with the luck of the first."""
    cell = results.cells[0]
    first = Match(load_game("simple_siege"), bots=cell.bots).play(4, 0, 100).rows

    def again(rows: Any) -> None:
        for name in rows.dtype.names:
            if name != "game":
                rows[name] = first[name]

    label = tampered(results, again, cell.key)
    found = verify(load(results.folder), 0.01)
    assert list(found.repeats) == [label]
    assert found.repeats[label]["second"] - found.repeats[label]["first"] == 100
    assert "ALARM" in found.alarms[-1]
    told: list[Any] = []
    experiment = new_experiment("simple_siege", bots=BOTS, games=300, seed=4).replace(shard_games=100)
    runner.run(experiment, results.folder, workers=1, backend="threads", progress=told.append)
    assert any(isinstance(event, runner.Note) and event.text == found.alarms[-1] for event in told)


def test_an_odd_shard_is_named_by_verify_the_run_and_the_report(results: Results) -> None:
    """As if one worker had sent the besieger home in each game: the rows alone look like games."""
    from simlab.report import html

    assert verify(results).odd_shards == ()
    assert "OUTLIER SHARD" not in html.render(results)
    cell = results.cells[0]
    match = Match(load_game("simple_siege"), bots=cell.bots)
    batch = match.play(4, 100, 100)
    outcomes = batch.tally.counts["outcomes"]
    lost, won = outcomes[3].copy(), outcomes[2].copy()
    outcomes[2], outcomes[3] = lost, won  # who won changes places
    data = rows_to_parquet(batch.rows, match.game, cell.key, cell.bots)
    Folder(results.folder).commit_shard(cell.key, Shard(100, 199), data, 100, (), batch.tally.to_dict())
    found = verify(load(results.folder), 0.01)
    (one,) = found.odd_shards
    assert (one["cell"], one["shard"]) == (cell.label, [100, 199])
    assert found.exit_status == 5
    assert "OUTLIER SHARD" in found.alarms[-1]
    assert "games 100 to 199" in found.alarms[-1]
    assert found.to_json()["odd_shards"][0]["chance"] < 1e-4
    assert "OUTLIER SHARD" in html.render(load(results.folder))
    told: list[Any] = []
    experiment = new_experiment("simple_siege", bots=BOTS, games=300, seed=4).replace(shard_games=100)
    runner.run(experiment, results.folder, workers=1, backend="threads", progress=told.append)
    assert any(isinstance(event, runner.Note) and event.text.startswith("OUTLIER SHARD") for event in told)


def test_a_sample_that_is_none_is_refused(results: Results) -> None:
    with pytest.raises(InputError, match="--sample 2"):
        verify(results, 2)


# --- fingerprints -------------------------------------------------------------------


def test_every_game_of_the_box_has_a_fingerprint_of_all_its_knobs() -> None:
    for slug in find_games():
        game = load_game(slug)
        file = fingerprint.path_of(game)
        assert file.is_file(), f"simlab verify {slug} --write"
        held = fingerprint.Fingerprint.from_bytes(file.read_bytes(), slug)
        assert {*held.outcomes} == {name for name, _, _ in fingerprint._variants(game)}
        assert file not in files_of(game.folder)  # it is made from the rules: writing it changes none


SMALL = ["pig", "harbour"]
OTHERS = [pytest.param(slug, marks=pytest.mark.long) for slug in sorted({*find_games()} - {*LARGE, *SMALL})]


@pytest.mark.parametrize("slug", [*LARGE, *SMALL, *OTHERS])
def test_the_rules_play_as_their_fingerprint_says(slug: str) -> None:
    found = fingerprint.compare(load_game(slug))
    assert found.same, str(found)


def test_a_change_of_behaviour_names_the_share_and_the_knobs(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the code let the Besieged repair two points in place of one, whatever the knob says."""
    variants = fingerprint._variants

    def changed(game: Any) -> Any:
        for name, knobs, games in variants(game):
            yield name, {**knobs, "repair_gain": 2}, games

    monkeypatch.setattr(fingerprint, "_variants", changed)
    found = fingerprint.compare(load_game("simple_siege"))
    assert 0.1 < found.differ / found.games < 1
    assert found.variants["as printed"][1] == fingerprint.PRINTED
    assert "repair_gain=2" not in found.variants
    assert f"({100 * found.differ / found.games:.1f} %)" in str(found)
    assert "as printed" in str(found)


def test_variants_and_metrics_that_moved_are_named() -> None:
    codes = np.arange(4, dtype="<u2")
    then = fingerprint.Fingerprint({"as printed": codes, "walls=6": codes}, {"assaults": "1", "score": "2"})
    assert fingerprint.compared("siege", then, then).same
    now = fingerprint.Fingerprint({"as printed": codes, "walls=6": codes}, {"assaults": "1", "score": "3", "new": "4"})
    found = fingerprint.compared("siege", then, now)
    assert (found.differ, found.columns, found.same) == (0, ("score",), False)
    hold_to_form(found.to_json())
    now = fingerprint.Fingerprint({"as printed": codes, "walls=7": codes}, then.columns)
    found = fingerprint.compared("siege", then, now)
    assert (found.new, found.gone, found.same) == (("walls=7",), ("walls=6",), False)
    assert fingerprint.Fingerprint.from_bytes(then.to_bytes(), "here").columns == then.columns


COIN = """
from simlab.author import Game, choice, knob

class Coin(Game):
    '''A toss.'''
    players = (2, 3)
    sides = knob(2, 2, 4, "sides of the coin")
    toss = choice("toss")
    def play(self):
        '''C-1: somebody wins.'''
        self.ask(self.toss)
        self.turn += self.below(self.sides)
        self.end("tossed", self.below(len(self.seats)))
"""


def test_a_game_of_ones_own_keeps_its_fingerprint_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "coin.py"
    file.write_text(COIN)
    game = load_game(str(file))
    with pytest.raises(InputError, match=rf"simlab verify {file} --write"):
        fingerprint.compare(game)
    written = fingerprint.write(game)
    assert Path(written.fingerprint) == tmp_path / "coin-2.fingerprint.json"
    assert fingerprint.compare(game).same
    file.write_text(COIN.replace("self.below(len(self.seats))", "0"))
    forget_changes()
    found = fingerprint.compare(load_game(str(file)))
    assert not found.same and 0.3 < found.differ / found.games < 0.7
    # A package that is installed stays as it is, and says for which number of players it has one.
    package = tmp_path / "site-packages"
    package.mkdir()
    for path in (file, Path(written.fingerprint)):
        shutil.copy(path, package)
    three = load_game(str(package / file.name), 3)
    with pytest.raises(InputError, match=r"no fingerprint of .*It has one for 2 players: --players 2"):
        fingerprint.compare(three)
    with pytest.raises(InputError, match=r"part of an installed package.*--write is for games of your own"):
        fingerprint.write(three)
    assert {path.name for path in package.iterdir()} == {"coin.py", "coin-2.fingerprint.json"}


def test_a_damaged_or_missing_fingerprint_is_told(tmp_path: Path) -> None:
    game = replace(load_game("simple_siege"), folder=tmp_path)
    with pytest.raises(InputError, match="does not exist"):
        fingerprint.compare(game)
    (tmp_path / fingerprint.NAME).write_text('{"format": 1, "seed": 7, "outcomes": {}, "columns": {}}')
    with pytest.raises(InputError, match="seed is damaged or not simlab's"):
        fingerprint.compare(game)
    for form, says in ((0, "An older simlab wrote it. Write it again: --write"), (2, "A newer simlab wrote it")):
        with pytest.raises(InputError, match=f"form {form} of a fingerprint, and this simlab reads form 1. {says}"):
            fingerprint.Fingerprint.from_bytes(b'{"format": %d}' % form, "here")
    (tmp_path / fingerprint.NAME).write_text('{"format": 1, "seed": 1244, "outcomes": {"a": "?"}, "columns": {}}')
    with pytest.raises(InputError, match=r"outcomes\.a is damaged or not simlab's"):
        fingerprint.compare(game)
