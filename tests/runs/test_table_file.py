"""Tables for other programs: a spreadsheet that opens one must not run what a card is called."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from simlab.runs.table_file import write_table

FORMULAS = ["=HYPERLINK(1)", "@SUM(1)", "-1+cmd|' /C calc'!A0", "+1+(2)", "\t=1", "\r=1"]
TEXTS = ["pass", "-", "-3", "+2 wood", "a = b", "", None]


def test_a_text_that_a_spreadsheet_would_run_is_written_as_text(tmp_path: Path) -> None:
    frame = pl.DataFrame({"option": [*FORMULAS, *TEXTS], "points": range(-6, 7)})
    write_table([frame, frame], tmp_path / "moves.csv", "moves")
    read = pl.read_csv(tmp_path / "moves.csv")
    assert read["option"].to_list()[: len(FORMULAS)] == [f"'{text}" for text in FORMULAS]
    assert read["option"].to_list()[len(FORMULAS) : 11] == TEXTS[:5] and read["points"].to_list() == [*range(-6, 7)] * 2


def test_other_formats_keep_texts_as_they_are(tmp_path: Path) -> None:
    write_table([pl.DataFrame({"option": FORMULAS})], tmp_path / "moves.parquet", "moves")
    assert pl.read_parquet(tmp_path / "moves.parquet")["option"].to_list() == FORMULAS
