"""Progress on standard error: what a plain count of games says of its pace."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from simlab.cli import common


def test_a_count_says_no_pace_before_it_knows_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = iter([100.0, 100.0, 102.0, 102.0])
    with common.Progress(quiet=False) as progress:
        monkeypatch.setattr(common, "time", SimpleNamespace(monotonic=lambda: next(clock)))
        progress.every = 0.0
        progress.counting(10, 30, "watched")
        progress.counting(20, 30, "watched")
    said = capsys.readouterr().err.splitlines()
    assert said == ["10 of 30 games; watched", "20 of 30 games, 5 a second, 0:02 left; watched"]
