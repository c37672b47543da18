"""Moves as a table say what bulk play counts; games as a table name the command that shows each."""

from __future__ import annotations

import errno
import io
from pathlib import Path

import polars as pl
import pytest

from simlab.engine.match import Match
from simlab.errors import InputError, RunFailed
from simlab.registry import load_game
from simlab.runs import files
from simlab.runs import moves as events
from simlab.runs.table_file import write_table
from tests.cli.conftest import Shell, shell  # noqa: F401 - a fixture

BOTS = {"besieger": "rusher", "besieged": "mason"}


def test_moves_add_up_to_what_bulk_play_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Decisions of each game, and how often each rule fired in all of them."""
    match = Match(load_game("simple_siege"), bots=BOTS)
    bulk = match.play(3, 2, 4)
    monkeypatch.setattr(events, "FRAME", 50)  # more than one table
    frames = list(events.events(match, 3, range(2, 6)))
    assert len(frames) > 1
    moves = pl.concat(frames)
    assert moves.columns == list(events.COLUMNS)
    last = moves.group_by("game", maintain_order=True).agg(pl.col("move").max())
    assert last["game"].to_list() == [2, 3, 4, 5]
    assert last["move"].to_list() == bulk.rows["decisions"].tolist()
    fired: dict[str, int] = {}
    for text in moves["rules"]:
        for word in text.split():
            rule, _, times = word.partition("*")
            fired[rule] = fired.get(rule, 0) + int(times or 1)
    counted = dict(zip((rule.id for rule in match.game.rules), bulk.tally.fired.tolist(), strict=True))
    assert fired == {rule: n for rule, n in counted.items() if n}
    asked = moves.filter(pl.col("move") > 0)
    assert set(asked["seat"]) == set(BOTS) and (asked["options"] >= 1).all()


def test_tables_are_written_whole_as_their_name_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    frames = [pl.DataFrame({"a": [1, 2], "b": ["x", 'y,"z"']}), pl.DataFrame({"a": [3], "b": ["é"]})]
    whole = pl.concat(frames)
    for name in ("t.csv", "sub/t.parquet"):
        assert write_table(frames, tmp_path / name, "moves") == 3
    assert pl.read_csv(tmp_path / "t.csv").equals(whole)
    assert pl.read_parquet(tmp_path / "sub" / "t.parquet").equals(whole)
    assert write_table(frames, None, "moves") == 3
    assert pl.read_csv(io.StringIO(capsys.readouterr().out)).equals(whole)
    with pytest.raises(InputError, match=r"\.csv or \.parquet"):
        write_table(frames, tmp_path / "t.xlsx", "moves")

    def broken():
        yield frames[0]
        raise InputError("stops here")

    with pytest.raises(InputError, match="stops here"):
        write_table(broken(), tmp_path / "t.csv", "moves")

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(files, "_fsync", full)  # a table that was not flushed replaces nothing
    for name in ("t.csv", "sub/t.parquet"):
        with pytest.raises(RunFailed, match="disk is full"):
            write_table(frames[:1], tmp_path / name, "moves")
    assert pl.read_csv(tmp_path / "t.csv").equals(whole)
    assert pl.read_parquet(tmp_path / "sub" / "t.parquet").equals(whole)
    assert {path.name for path in tmp_path.rglob("*")} == {"t.csv", "sub", "t.parquet"}


def test_a_game_found_by_a_condition_is_shown_by_its_command(shell: Shell) -> None:  # noqa: F811
    options = "--bot besieger=rusher --bot besieged=mason"
    assert shell(f"simlab sweep simple_siege {options} --vary walls_start=3,5 -n 40 --out walls").status == 0
    assert shell("simlab report walls --format parquet --out all.parquet").status == 0
    every = pl.read_parquet("all.parquet")
    assert every.height == 80 and set(every["walls_start"]) == {3, 5}
    wanted = "turns > 8 and walls_start = 5 and winner = 'besieged'"
    some = pl.read_csv(io.StringIO(shell(f'simlab report walls --format csv --where "{wanted}"').out))
    mask = (pl.col("turns") > 8) & (pl.col("walls_start") == 5) & (pl.col("winner").cast(pl.String) == "besieged")
    assert 0 < some.height == every.filter(mask).height < 80
    assert "The stored row is the same." in shell(some["replay"][0] + " --brief").out
    words = some["replay"][0].split()
    moves = shell(f"simlab replay --from walls --table --cell {words[5]} --game {words[7]} -n 1").out
    assert pl.read_csv(io.StringIO(moves))["move"].max() == some["decisions"][0]

    wrong = shell('simlab report walls --format csv --where "turn > 8"')
    assert wrong.status == 2 and "unknown column 'turn'" in wrong.err and "turns, decisions" in wrong.err
    assert shell("simlab replay --out --table moves.txt").status == 2
