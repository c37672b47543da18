"""`.ci/setup` and `.ci/run`: which Python they take, what they say when an install fails, what environment CI has."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.skipif(os.name != "posix", reason="shell scripts")


def checkout(folder: Path) -> Path:
    """A folder with what the scripts read."""
    (folder / ".ci").mkdir(parents=True)
    for name in (".ci/setup", ".ci/run", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, folder / name)
    return folder


def program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def start(script: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [folder / ".ci" / script],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_an_install_that_fails_names_the_package(tmp_path: Path) -> None:
    """A stand-in for the new environment; its pip finds no packages, and would install none."""
    folder = checkout(tmp_path / "lab")
    program(folder / ".venv/bin/python", f'exec {sys.executable} "$@"')
    nowhere = {"PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull, "PIP_FIND_LINKS": ""}
    done = start("setup", folder, PYTHON=sys.executable, PIP_IGNORE_INSTALLED="1", PIP_DRY_RUN="1", **nowhere)
    assert done.returncode == 1
    assert re.search(r"hatchling==\d", done.stderr)
    assert "All that it printed is in .venv/setup.log" in done.stderr and (folder / ".venv/setup.log").exists()


def test_the_oldest_python_that_is_allowed_can_be_asked_for(tmp_path: Path) -> None:
    """Stand-ins: each knows its version, and can make no environment."""
    real = (
        f"exec {sys.executable} -c \"import sys; sys.version_info = $VERSION + ('final', 0); exec(sys.stdin.read())\""
    )
    for name, version in {"a/python3": "(3, 13, 0)", "a/python": "(3, 10, 1)", "b/python3": "(3, 11, 2)"}.items():
        answers = (
            f'case "$*" in -) {real.replace("$VERSION", version)};; --version) echo {name};; "-m venv"*) exit 7;; esac'
        )
        program(tmp_path / name, answers)
    folder = checkout(tmp_path / "lab")
    path = f"{tmp_path / 'a'}:{tmp_path / 'b'}:{tmp_path / 'tools'}"
    (tmp_path / "tools").mkdir()
    for tool in ("dirname", "cat", "cksum", "tr", "sort", "head", "cut", "sed", "rm", "env", "sh"):
        (tmp_path / "tools" / tool).symlink_to(str(shutil.which(tool)))
    assert "making .venv with a/python3" in start("setup", folder, PATH=path, PYTHON="").stderr
    assert "making .venv with b/python3" in start("setup", folder, PATH=path, PYTHON="oldest").stderr


def test_ci_tests_with_the_environment_of_a_newcomer(tmp_path: Path) -> None:
    """An empty home, no variable but those of package clients, the oldest Python; `make` is a stand-in."""
    program(tmp_path / "bin" / "make", 'echo "make $*"; env')
    done = start(
        "run", checkout(tmp_path / "lab"), PATH=f"{tmp_path / 'bin'}:{os.environ['PATH']}", PYTHONUNBUFFERED="1",
        SIMLAB_TRACEBACK="1", CI="true", PIP_TIMEOUT="7", https_proxy="http://proxy", SSL_CERT_FILE="certificates",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    tests, _, speed = done.stdout.partition("make bench-against\n")
    assert tests.startswith("make test PYTHON=oldest\n")
    names = {line.partition("=")[0] for line in tests.splitlines()[1:]}
    assert {"PIP_TIMEOUT", "https_proxy", "SSL_CERT_FILE", "HOME", "PATH", "LANG"} <= names
    assert not {"PYTHONUNBUFFERED", "SIMLAB_TRACEBACK", "CI"} & names
    home = next(line for line in tests.splitlines() if line.startswith("HOME="))
    assert home != f"HOME={os.environ['HOME']}" and not Path(home.removeprefix("HOME=")).exists()
    assert "SIMLAB_TRACEBACK=1" in speed
