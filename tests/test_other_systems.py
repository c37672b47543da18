"""What other systems do otherwise, simulated here: consoles with few letters, drives, processes, files in use."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from simlab import registry, shell
from simlab.engine import signals as life
from simlab.engine.bot_file import read_bot_file
from simlab.errors import typed
from simlab.runs import files
from simlab.spec import refs
from simlab.spec.refs import BotRef

pytestmark = pytest.mark.long
CONSOLES = {
    "cp1252": {"PYTHONIOENCODING": "cp1252"},
    "C": {"PYTHONUTF8": "0", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"},
}
_SAY = (
    "from simlab.cli.terminal import emit_json, show, suit_console; suit_console(); "
    "show('\\u2264 4 \\u2212 \\u2192 \\u00e9 \\u4e2d'); emit_json({'rule': 'walls \\u2264 4 \\u4e2d'})"
)


def run(console: str, *words: str) -> subprocess.CompletedProcess[bytes]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("LC_", "LANG", "PYTHONUTF8"))}
    return subprocess.run(
        [sys.executable, *words], capture_output=True, check=False, env={**environment, **CONSOLES[console]}
    )


@pytest.mark.parametrize("console", CONSOLES)
def test_texts_with_other_letters_are_printed_and_json_loses_none(console: str) -> None:
    done = run(console, "-c", _SAY)
    assert done.returncode == 0, done.stderr
    text, _, data = done.stdout.decode("cp1252").replace("\r\n", "\n").partition("\n")
    assert text.startswith("<= 4 - -> ")
    assert text.endswith("?")
    assert json.loads(data) == {"rule": "walls ≤ 4 中"}


@pytest.mark.parametrize("console", CONSOLES)
def test_a_command_ends_well_on_any_console(console: str) -> None:
    done = run(console, "-m", "simlab", "info", "simple_siege", "rules")
    assert done.returncode == 0, done.stderr[-500:]
    assert b"SS-SET-01" in done.stdout


def test_what_stands_for_other_signs_is_plain() -> None:
    assert typed("±1 … ≥ −2 – 3") == "+-1 ... >= -2 - 3"


@pytest.mark.parametrize("path", ["C:\\bots\\mine.py", "d:/bots/mine.py"])
def test_the_colon_of_a_drive_ends_no_name(path: str) -> None:
    assert BotRef.parse(f"{path}:patient:threshold=0.5") == BotRef(path, ("patient", "threshold=0.5"))
    assert BotRef.parse(f"mix({path}:patient:0.5,random:0.5)").files == (path,)
    moved = str(
        BotRef.parse(f"ismcts:iterations=10:playout=({path}:mine)").with_files(lambda file: file.upper().lower())
    )
    assert moved == f"ismcts:iterations=10:playout=({path.lower()}:mine)"


def test_a_bot_of_a_drive_in_a_file_of_traits(tmp_path: Path) -> None:
    file = tmp_path / "tuned.toml"
    file.write_text("bot = 'C:/bots/mine.py:patient'\n[traits]\nthreshold = 0.5\n", encoding="utf-8")
    text = read_bot_file(file, "simple_siege")
    assert text.endswith("C:/bots/mine.py:patient:threshold=0.5")  # resolved here below the folder, as no drive is


def test_a_games_folder_may_be_written_with_the_systems_own_marks(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Path] = []
    monkeypatch.setattr(refs.os, "sep", "\\")
    monkeypatch.setattr(registry, "_load_folder", lambda folder, players=None: seen.append(folder))
    registry.load_game(".\\my_game")
    assert seen == [Path(".\\my_game")]


PLAIN_ON_WINDOWS = [
    "simlab",
    "replay",
    "-n",
    "--set",
    "walls=3..7",
    r"C:\runs\mine",
    "d:/runs",
    "besieger=rusher:keep=0.5",
]
IN_QUOTES_ON_WINDOWS = [
    "my runs",
    "größe & co",
    "bot=mix(a:0.5,b:0.5)",
    "besieger=a,b",
    "turns > 12 and x = 'ann'",
    "*=random",
    "",
]


@pytest.mark.parametrize("word", PLAIN_ON_WINDOWS + IN_QUOTES_ON_WINDOWS)
def test_a_command_to_copy_is_quoted_for_both_shells_of_windows(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shell, "WINDOWS", True)
    assert shell.quote(word) == (word if word in PLAIN_ON_WINDOWS else f'"{word}"')


@pytest.mark.parametrize("word", ["C:\\my runs\\", 'say "hi" now', 'a b\\"', "C:\\a, b\\\\"])
def test_quotes_and_last_backslashes_are_read_back_as_they_were(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shell, "WINDOWS", True)
    assert shell.join(["simlab", word]) == subprocess.list2cmdline(["simlab", word])


def test_a_strangers_line_is_one_call_or_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shell, "WINDOWS", True)
    call = shell.join(["simlab", "run", "C:\\my runs\\", "--where", "turns > 12"])
    assert shell.is_one_call(call, "simlab")
    for end in (
        " & calc",
        ' "a" & calc',
        ' "a\\" & calc',
        " $(calc)",
        ' "$(calc)"',
        ' "%PATH%"',
        "; calc",
        ' "a\\" "& calc"',
    ):
        assert not shell.is_one_call(call + end, "simlab"), end
    assert not shell.is_one_call("simlab2 run", "simlab")
    monkeypatch.setattr(shell, "WINDOWS", False)
    assert shell.is_one_call("simlab run 'my runs'", "simlab")
    for line in ("simlab run; calc", "simlab run 'my", "simlab run $(calc)", "calc", ""):
        assert not shell.is_one_call(line, "simlab"), line


def test_no_module_quotes_words_by_itself() -> None:
    package = Path(shell.__file__).parent
    alone = [str(p) for p in package.rglob("*.py") if "shlex" in p.read_text(encoding="utf-8") and p.name != "shell.py"]
    assert alone == []


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Process 7 runs; others have ended."""
    monkeypatch.setattr(life, "WINDOWS", True)
    monkeypatch.setattr(files, "WINDOWS", True)
    monkeypatch.setattr(life, "is_alive", lambda process: process == 7)


@pytest.mark.usefixtures("windows")
def test_a_worker_whose_driver_ended_notices_it_though_its_parent_keeps_its_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "getppid", lambda: 8)
    assert life.is_orphan(8)
    monkeypatch.setattr(os, "getppid", lambda: 7)
    assert not life.is_orphan(7)
    assert life.is_orphan(8)


@pytest.mark.usefixtures("windows")
def test_a_file_that_somebody_reads_is_replaced_when_they_are_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, tries = os.replace, []

    def replace(source: Any, target: Any) -> None:
        tries.append(target)
        if len(tries) < 3:
            raise PermissionError(errno.EACCES, "in use", str(target))
        real(source, target)

    monkeypatch.setattr(os, "replace", replace)
    monkeypatch.setattr(files, "time", SimpleNamespace(sleep=lambda seconds: None))
    files.atomic_write(tmp_path / "cells.json", b"{}")
    assert (tmp_path / "cells.json").read_bytes() == b"{}"
    assert len(tries) == 3


def test_this_process_runs_and_one_that_ended_does_not() -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert life.is_alive(os.getpid())
    assert not life.is_alive(ended.pid)
