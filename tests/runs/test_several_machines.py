"""A worker on another machine plays what the driver has, or says on which machine what is missing."""

from __future__ import annotations

import platform
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from simlab.errors import InputError, RunFailed
from simlab.runs import worker
from simlab.runs.store import Shard
from simlab.runs.worker import ShardSpec, match_for


class There:
    """A cell as a worker finds it: with a match, or without a file."""

    def __init__(self, key: str = "", fault: InputError | None = None) -> None:
        self.key, self.fault = key, fault

    def match(self) -> Any:
        if self.fault:
            raise self.fault
        return self


def spec(cell: Any, tmp_path: Path) -> ShardSpec:
    return ShardSpec("shard", str(tmp_path), cell, "0" * 16, "the driver's", 1, Shard(0, 9))


def test_a_file_that_a_machine_lacks_is_named_with_the_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "node", lambda: "far-away")
    there = spec(There(fault=InputError("bot './mine.py': there is no file ./mine.py.")), tmp_path)
    with pytest.raises(InputError, match=r"the worker on far-away cannot play this: .* no file .*under the same paths"):
        match_for(there)
    with pytest.raises(InputError) as told:
        match_for(replace(there, driver=4711))  # a process of this machine
    assert "far-away" not in str(told.value)


def test_other_rules_on_a_machine_play_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "node", lambda: "far-away")
    there = spec(There(key="its own"), tmp_path)
    with pytest.raises(RunFailed, match="the worker on far-away has other rules, another bot or table"):
        match_for(there)
    assert "the driver's" not in worker._MATCHES
    with pytest.raises(RunFailed, match="changed while it was being played"):
        match_for(replace(there, driver=4711))


def test_the_same_rules_are_played(tmp_path: Path) -> None:
    there = There(key="the driver's")
    try:
        assert match_for(spec(there, tmp_path)) is there
    finally:
        worker._MATCHES.pop("the driver's", None)
