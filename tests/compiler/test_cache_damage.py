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
from simlab.errors import InputError
from simlab.questions.installation import analysis as doctor

pytestmark = pytest.mark.skipif(not kernels.compiling(), reason="nothing is compiled")


def added(x: int) -> int:
    return x + x


def doubled(x: int) -> int:
    return added(x)


def make(monkeypatch: pytest.MonkeyPatch) -> bool:
    """Compiles or loads an entry, as a fresh process does; whether it was loaded."""
    for name in ("_PARTS", "_OWNERS"):
        monkeypatch.setattr(linker, name, {})
    monkeypatch.setattr(linker, "_LOADED", set())
    function = kernels.specialise(doubled, added=kernels.kernel(added))
    entry: Any = kernels.compile_entry(function, int64(int64))
    assert entry(21) == 42
    return bool(entry.stats.cache_hits)


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The files of a cache with one entry, the files of entries first."""
    monkeypatch.setenv("SIMLAB_CACHE", str(tmp_path))
    monkeypatch.setattr(linker, "LARGE", 1)
    assert [make(monkeypatch) for _ in range(2)] == [False, True]
    own = {path: cache.load(path.stem).entry for path in (tmp_path / "code").glob("*/*.code")}
    return sorted(own, key=lambda path: not own[path])


def damage(path: Path, how: str) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    if how == "gone":
        path.unlink()
    else:
        path.write_bytes(data if how == "flip" else data[: len(data) // 2 if how == "cut" else 0])


@pytest.mark.parametrize("how", ["cut", "empty", "flip", "gone"])
def test_a_damaged_file_is_dropped_and_compiled_again(
    parts: list[Path], how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in parts:
        damage(path, how)
    assert [make(monkeypatch) for _ in range(2)] == [False, True]
    damage(parts[0], how)
    if how != "gone":
        assert f"{len(parts) - 1} kept; 1 damaged: dropped" in doctor._cache().found
    assert doctor._cache().found.endswith(f"{len(parts) - 1} kept")
    assert [make(monkeypatch) for _ in range(2)] == [False, True]
    assert doctor._cache().found.endswith(f"{len(parts)} kept")


LOADED = """
from simlab.compiler import kernels
import sys
from tests.compiler import test_cache_damage as here
from numba import int64
function = kernels.specialise(here.doubled, added=kernels.kernel(here.added))
entry = kernels.compile_entry(function, int64(int64))
print(entry(21), sum(entry.stats.cache_hits.values()), "numba.np.linalg" in sys.modules)
"""


@pytest.mark.usefixtures("parts")
def test_kept_code_is_played_without_the_compiler() -> None:
    """Half of a start with everything in the cache would go into what only compiling needs."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.split() == ["42", "1", "False"]


def test_a_part_that_is_whole_and_is_no_code_is_compiled_again(
    parts: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cache.store(parts[0].stem, "no code")
    assert [make(monkeypatch) for _ in range(2)] == [False, True]


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
    assert not make(monkeypatch)
    assert not make(monkeypatch)


AT_ONCE = """
import sys, time
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
print(kernels.compile_entry(function, int64(int64))(21), flush=True)
"""


def test_two_processes_that_want_the_same_code_compile_it_once(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "SIMLAB_CACHE": str(tmp_path)}
    command = [sys.executable, "-c", AT_ONCE]
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
@pytest.mark.usefixtures("parts")
def test_code_of_another_compiler_or_processor_is_not_taken(other: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.MonkeyPatch.context() as patch:
        OTHERS[other](patch)
        kernels._compiler_digest.cache_clear()
        assert not make(monkeypatch)
    kernels._compiler_digest.cache_clear()
    assert make(monkeypatch)


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
