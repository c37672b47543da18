"""The kernel cache when its files are damaged, half written, read only, or two processes want them at once."""

from __future__ import annotations

import errno
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from numba import int64
from numba.core import caching

from simlab.cli import doctor
from simlab.engine import jit
from simlab.errors import UserMistake

pytestmark = pytest.mark.skipif(not jit.compiling(), reason="nothing is compiled")


def doubled(x: int) -> int:
    return x + x


def make(folder: Path) -> bool:
    """Compiles or loads an entry; whether it was loaded."""
    entry: Any = jit.compile_entry(doubled, int64(int64), folder, "twice")
    assert entry(21) == 42
    return bool(entry.stats.cache_hits)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the cache with one entry."""
    monkeypatch.setenv("SIMLAB_CACHE", str(tmp_path))
    folder = tmp_path / "kernels" / "some"
    assert [make(folder), make(folder)] == [False, True]
    return folder


@pytest.mark.parametrize("ending", [".nbi", ".nbc", ".compiled"])
@pytest.mark.parametrize("how", ["cut", "empty", "flip", "gone"])
def test_a_damaged_file_is_dropped_and_compiled_again(folder: Path, ending: str, how: str) -> None:
    def damage() -> None:
        (path,) = folder.rglob(f"*{ending}")
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        if how == "gone":
            path.unlink()
        else:
            path.write_bytes(data if how == "flip" else data[: len(data) // 2 if how == "cut" else 0])

    damage()
    assert [make(folder), make(folder)] == [False, True]
    damage()
    if (folder / "twice.compiled").exists():
        assert "0 kept; 1 damaged: dropped" in doctor._cache()[1]
        assert doctor._cache()[1].endswith("0 kept")
    assert [make(folder), make(folder)] == [False, True]
    assert doctor._cache()[1].endswith("1 kept")


def test_a_file_that_is_whole_and_cannot_be_loaded_is_dropped_too(folder: Path) -> None:
    (path,) = folder.rglob("*.nbi")
    path.write_bytes(b"no index")
    jit._seal(folder, "twice")
    assert [make(folder), make(folder)] == [False, True]


@pytest.mark.parametrize("part", ["_save_index", "_save_data", "_load_index"])
def test_a_cache_that_cannot_be_read_or_written_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    refusals = []

    def refused(*arguments: object) -> None:
        refusals.append(part)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(caching.IndexDataCacheFile, part, refused)
    assert not make(tmp_path)
    assert not jit.is_compiled(tmp_path, "twice")
    assert len(refusals) == 1  # it compiled once for the cache and once without, no more


def test_two_processes_take_turns_at_an_entry(tmp_path: Path) -> None:
    """So the second finds it made; and one that dies lets go."""
    with jit._alone(tmp_path / "lock"):
        code = "import fcntl, os, sys; fcntl.flock(os.open(sys.argv[1], os.O_RDWR), fcntl.LOCK_EX | fcntl.LOCK_NB)"
        other = [sys.executable, "-c", code, str(tmp_path / "lock")]
        assert subprocess.run(other, check=False, capture_output=True).returncode != 0
    assert subprocess.run(other, check=False, capture_output=True).returncode == 0


def test_a_clock_that_was_set_back_does_not_block_the_lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file is then younger than the process; one that was changed while it ran still is told."""
    path = tmp_path / "rules.py"
    path.write_text("")
    now = path.stat().st_ctime
    monkeypatch.setattr(jit.reads, "STARTED", now - 10)
    monkeypatch.setattr(jit.time, "time", lambda: now)
    with pytest.raises(UserMistake, match="was changed after this process had started"):
        jit.digest_files([path])
    monkeypatch.setattr(jit.reads, "STARTED", now - 1000)
    monkeypatch.setattr(jit.time, "time", lambda: now - 990)
    assert len(jit.digest_files([path])) == 64
