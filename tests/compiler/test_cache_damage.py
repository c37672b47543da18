"""The kernel cache when its files are damaged, half written, read only, or two processes want them at once."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from numba import int64
from numba.core import codegen

from simlab.compiler import cache, dependencies, kernels, linker
from simlab.compiler.dependencies import digest_files
from simlab.engine.match import Match
from simlab.errors import InputError
from simlab.questions.installation import analysis as doctor
from simlab.registry import load_game

pytestmark = pytest.mark.skipif(not kernels.compiling(), reason="nothing is compiled")


def added(x: int) -> int:
    return x + x


def doubled(x: int) -> int:
    return added(x)


def make(folder: Path, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Compiles or loads an entry, as a fresh process does; whether it was loaded."""
    for name in ("_PARTS", "_OWNERS"):
        monkeypatch.setattr(linker, name, {})
    monkeypatch.setattr(linker, "_LOADED", set())
    function = kernels.specialise(doubled, added=kernels.kernel(added))
    entry: Any = kernels.compile_entry(function, int64(int64), folder, "twice")
    assert entry(21) == 42
    return bool(entry.stats.cache_hits)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the cache with one entry."""
    monkeypatch.setenv("SIMLAB_CACHE", str(tmp_path))
    monkeypatch.setattr(linker, "LARGE", 1)
    folder = tmp_path / "kernels" / "some"
    assert [make(folder, monkeypatch) for _ in range(2)] == [False, True]
    return folder


def damage(path: Path, how: str) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    if how == "gone":
        path.unlink()
    else:
        path.write_bytes(data if how == "flip" else data[: len(data) // 2 if how == "cut" else 0])


@pytest.mark.parametrize("how", ["cut", "empty", "flip", "gone"])
def test_a_damaged_file_is_dropped_and_compiled_again(folder: Path, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = sorted((cache.cache_root() / "code").glob("*/*.code"))
    entry = (folder / "twice.entry").read_text()
    for path in parts:
        damage(path, how)
    assert [make(folder, monkeypatch) for _ in range(2)] == [False, True]
    own = next(path for path in parts if path.stem == entry)
    damage(own, how)
    if how != "gone":
        assert f"{len(parts) - 1} kept; 1 damaged: dropped" in doctor._cache().found
    assert doctor._cache().found.endswith(f"{len(parts) - 1} kept")
    assert [make(folder, monkeypatch) for _ in range(2)] == [False, True]
    assert doctor._cache().found.endswith(f"{len(parts)} kept")


@pytest.mark.parametrize("how", ["cut", "empty", "flip", "gone"])
def test_a_damaged_name_of_an_entry_costs_nothing(folder: Path, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    damage(folder / "twice.entry", how)
    assert make(folder, monkeypatch)  # found by its content
    assert kernels.is_compiled(folder, "twice")


LOADED = """
import sys
from pathlib import Path
from simlab.compiler import kernels
from tests.compiler import test_cache_damage as here
from numba import int64
function = kernels.specialise(here.doubled, added=kernels.kernel(here.added))
entry = kernels.compile_entry(function, int64(int64), Path(sys.argv[1]), "twice")
print(entry(21), sum(entry.stats.cache_hits.values()), "numba.np.linalg" in sys.modules)
"""


def test_kept_code_is_played_without_the_compiler(folder: Path) -> None:
    """Half of a start with everything in the cache would go into what only compiling needs."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", LOADED, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.split() == ["42", "1", "False"]


def test_a_part_that_is_whole_and_is_no_code_is_compiled_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = (folder / "twice.entry").read_text()
    assert cache.store(key, "no code")
    assert [make(folder, monkeypatch) for _ in range(2)] == [False, True]


@pytest.mark.parametrize("part", ["write", "read", "mkdir"])
def test_a_cache_that_cannot_be_read_or_written_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    monkeypatch.setenv("SIMLAB_CACHE", str(tmp_path))

    def refused(*arguments: object, **names: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    if part == "read":
        monkeypatch.setattr(cache, "read_private", lambda path: None)
    else:
        monkeypatch.setattr({"mkdir": Path, "write": os}[part], {"mkdir": "mkdir", "write": "replace"}[part], refused)
    assert not make(tmp_path / "kernels" / "some", monkeypatch)
    assert not make(tmp_path / "kernels" / "some", monkeypatch)


AT_ONCE = """
import sys, time
from pathlib import Path
from simlab import compiler
from simlab.compiler import kernels, linker
from tests.compiler import test_cache_damage as here
from numba import int64
linker.LARGE = 1
make = linker.Kernel._make
def slowly(*arguments):
    print("compiles", flush=True)
    time.sleep(0.2)  # so that the other one comes to wait
    return make(*arguments)
linker.Kernel._make = slowly
print("ready", flush=True)
sys.stdin.readline()
function = kernels.specialise(here.doubled, added=kernels.kernel(here.added))
print(kernels.compile_entry(function, int64(int64), Path(sys.argv[1]), "twice")(21), flush=True)
"""


def test_two_processes_that_want_the_same_code_compile_it_once(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "SIMLAB_CACHE": str(tmp_path)}
    command = [sys.executable, "-c", AT_ONCE, str(tmp_path / "kernels")]
    pipe = subprocess.PIPE
    both = [subprocess.Popen(command, stdin=pipe, stdout=pipe, env=environment, text=True) for _ in range(2)]
    try:
        assert [process.stdout.readline() for process in both if process.stdout] == ["ready\n"] * 2
        for process in both:
            assert process.stdin
            process.stdin.write("\n" * 10)
            process.stdin.flush()
        printed = [process.communicate(timeout=300)[0].split() for process in both]
    finally:
        for process in both:
            process.kill()
    assert [words[-1] for words in printed] == ["42", "42"]
    assert sum(words.count("compiles") for words in printed) == 2  # `doubled` and `added`, each once


def test_two_processes_take_turns_at_a_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So the second finds it made; and one that dies lets go."""
    monkeypatch.setenv("SIMLAB_CACHE", str(tmp_path))
    code = (
        "import os, sys, portalocker; file = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT);"
        "portalocker.lock(file, portalocker.LOCK_EX | portalocker.LOCK_NB); os._exit(0)"
    )
    key, free = "a" * 32, "b" * 32
    locked = tmp_path / "code" / "locked"

    def other(name: str) -> int:
        return subprocess.run(
            [sys.executable, "-c", code, str(locked / name)], check=False, capture_output=True
        ).returncode

    with cache.lock(key), cache.lock(key):  # a process does not wait for itself
        assert other(key) != 0
        assert other(free) == 0
    assert other(key) == 0
    monkeypatch.setattr(cache, "_PATIENCE", 5.0)
    with cache.lock(key):
        assert os.listdir(locked) == [key, free] or os.listdir(locked) == [free, key]
    assert os.listdir(locked) == [free]


OTHERS = {
    "numba": lambda patch: patch.setattr(kernels.numba, "__version__", "99.0"),
    "llvm": lambda patch: patch.setattr(kernels.llvmlite, "__version__", "99.0"),
    "numpy": lambda patch: patch.setattr(kernels.np, "__version__", "99.0"),
    "python": lambda patch: patch.setattr(kernels.platform, "python_version", lambda: "4.0"),
    "bounds": lambda patch: patch.setattr(kernels.config, "BOUNDSCHECK", not kernels.config.BOUNDSCHECK),
    "setting": lambda patch: patch.setenv("NUMBA_LOOP_VECTORIZE", "0"),
    "processor": lambda patch: patch.setattr(codegen.JITCPUCodegen, "magic_tuple", lambda self: ("x", "other", "+f")),
}


@pytest.mark.parametrize("other", OTHERS)
def test_code_of_another_compiler_or_processor_is_not_taken(
    folder: Path, other: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = load_game("simple_siege")
    bots = dict.fromkeys(game.seats, "random")
    here = Match(game, bots=bots).compiled._game_folder()
    new = folder.with_name("new")
    with pytest.MonkeyPatch.context() as patch:
        OTHERS[other](patch)
        kernels._compiler_digest.cache_clear()
        assert Match(game, bots=bots).compiled._game_folder() != here
        assert not make(new / other, monkeypatch)
    kernels._compiler_digest.cache_clear()
    assert Match(game, bots=bots).compiled._game_folder() == here
    assert make(new / "same", monkeypatch)


def test_settings_that_come_to_the_same_share_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """So the kit that checks indices and whoever else asks Numba to check them compile a game once."""
    kernels._compiler_digest.cache_clear()
    here = kernels.toolchain()
    monkeypatch.setattr(kernels.config, "BOUNDSCHECK", int(bool(kernels.config.BOUNDSCHECK)))
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", str(kernels.config.BOUNDSCHECK))
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "0")
    kernels._compiler_digest.cache_clear()
    assert kernels.toolchain() == here
    kernels._compiler_digest.cache_clear()


def test_a_clock_that_was_set_back_does_not_block_the_lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file is then younger than the process; one that was changed while it ran still is told."""
    path = tmp_path / "rules.py"
    path.write_text("")
    now = path.stat().st_ctime
    monkeypatch.setattr(dependencies, "STARTED", now - 10)
    monkeypatch.setattr(dependencies.time, "time", lambda: now)
    with pytest.raises(InputError, match="was changed after this process had started"):
        digest_files([path])
    monkeypatch.setattr(dependencies, "STARTED", now - 1000)
    monkeypatch.setattr(dependencies.time, "time", lambda: now - 990)
    assert len(digest_files([path])) == 64
