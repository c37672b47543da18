"""Input that no designer means: each ends in one sentence and a status, with neither a traceback nor "a defect"."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from simlab.cli import main, play
from simlab.cli.options import count
from simlab.errors import InputError
from simlab.game import read_toml

from .conftest import Shell

LONG = "a" * 300
HUGE = "b" * 50_000


@pytest.mark.parametrize(
    "line",
    [
        f"info {LONG} rules", f"info ./{LONG} rules", f"run {LONG}", f"run ./{LONG}/x.toml", f"verify ./{LONG}",
        f"report {LONG}",
        f"replay --scenario {LONG}", f"replay --from {LONG}", f"check simple_siege_best_play --against {LONG}",
        f"run simple_siege_best_play -n 20 -q --out {LONG}", f"run simple_siege_best_play -n 20 -q --out {LONG}/x",
        f"replay simple_siege --cards counters={LONG}", f"replay simple_siege --bot besieger=./{LONG}.py",
        f"info {HUGE} rules", f"replay simple_siege --set {HUGE}=1", f"replay simple_siege --set walls_start={HUGE}",
        f"replay simple_siege --bot besieger={HUGE}", f"replay simple_siege --bot besieger=random:{HUGE}=1",
        f"sweep simple_siege --vary {HUGE}=1..2", f"sweep simple_siege --vary walls_start={HUGE}",
        f"run simple_siege_best_play -n {HUGE}", f"run simple_siege_best_play --seed {HUGE}",
        f"{HUGE}", f"run --{HUGE}",
        f"verify simple_siege --sample {HUGE}", f"run simple_siege_best_play --backend {HUGE}", f"info {HUGE}",
        f"replay simple_siege --game {HUGE}", "analyze luck simple_siege -n 1e12", "info ./exits rules",
        "replay simple_siege --bot besieger=./exits.py:b", "run deep.toml",
    ],
    ids=lambda line: line[:40],
)  # fmt: skip
def test_odd_input_is_a_mistake_told_in_short(line: str, shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "exits").mkdir()
    for path in ("exits/__init__.py", "exits.py"):
        (tmp_path / path).write_text("import sys\nsys.exit(3)\n")
    (tmp_path / "deep.toml").write_text('[experiment]\ngame = "x"\n[knobs]\n' + ".".join("a" * 2_000) + " = 1\n")
    done = shell(f"simlab {line}")
    assert done.status == 2, done.err[:500]
    assert done.err.strip() and "defect" not in done.err and "Traceback" not in done.err
    assert len(done.err) < 2_000
    if "exits" in line:
        assert "exits" in done.err and "sys.exit(3)" in done.err


def test_a_file_nested_too_deeply_is_named(tmp_path: Path) -> None:
    (tmp_path / "deep.toml").write_text(".".join("a" * 2_000) + " = 1\n")
    with pytest.raises(InputError, match=r"deep\.toml: is nested too deeply"):
        read_toml(tmp_path / "deep.toml")


def test_a_long_message_keeps_its_beginning_and_its_end() -> None:
    assert main._cut("no game 'x'. Known: y.") == "no game 'x'. Known: y."
    path = "/".join(["folder"] * 50)
    assert main._cut(f"{path}: is missing.") == f"{path}: is missing."
    cut = main._cut(f"no game '{HUGE}'. " + "word " * 10_000 + "the end")
    assert cut.startswith("no game 'bbb") and cut.endswith("the end") and len(cut) < 10_100


def test_bytes_that_are_no_text_are_a_wrong_answer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Two:
        game = type("", (), {"turn_name": "turn", "slug": "x", "reference": "x"})
        decision = type("", (), {"name": "which", "id": "D"})
        state = type("", (), {"turn": 1})

        def legal(self) -> list[int]:
            return [4, 7]

        def label(self, action: int) -> str:
            return f"go to {'abcdefgh'[action]}"

    lines = b"\xff\xfe\n\xc3\x28\n" + b"9" * 5_000 + b"\n" + "²\n".encode() + HUGE.encode() + b"\n2\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines), encoding="utf-8"))
    play._take_any_bytes()
    assert play._ask(Two(), 0) == 7  # type: ignore[arg-type]
    assert capsys.readouterr().out.count("type a number in 1..2") == 5


def test_python_without_docstrings_plays_too() -> None:
    code = (
        "from simlab.bot_registry import find_bots; from simlab.registry import load_game; "
        "print(len(find_bots(load_game('montsegur'))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=dict(os.environ, PYTHONOPTIMIZE="2"), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 3


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("name = t", 'Write text in quotes: name = "t".'),
        ("games = 20,000", "A number has no comma"),
        ("win = { target = 0,5 }", "A number has no comma"),
        ("name = “t”", "straight quotes"),
        ('bot = "C:\\bots\\mine.py"', "Write / in paths"),
        ("bots = [stormer, rusher]", 'Write text in quotes: ["random", "waiter"].'),
        ("mercy = True", "true or false, in small letters"),
        ("walls = 5 points", "The line: walls = 5 points"),
    ],
)
def test_a_slip_in_a_file_is_shown_with_its_line_and_how_to_mend_it(line: str, hint: str, tmp_path: Path) -> None:
    (tmp_path / "slip.toml").write_text(f"a = 1\n{line}\n", encoding="utf-8")
    with pytest.raises(InputError) as mistake:
        read_toml(tmp_path / "slip.toml")
    assert "slip.toml: is not TOML" in str(mistake.value)
    assert "at line 2" in str(mistake.value)
    assert f"The line: {line}" in str(mistake.value)
    assert hint in str(mistake.value)


def test_files_as_editors_of_windows_save_them(tmp_path: Path) -> None:
    (tmp_path / "mark.toml").write_bytes("a = 1\r\n".encode("utf-8-sig"))
    assert read_toml(tmp_path / "mark.toml") == {"a": 1}
    (tmp_path / "wide.toml").write_bytes("a = 1".encode("utf-16"))
    with pytest.raises(InputError, match=r"is UTF-16 text\. Save it as UTF-8"):
        read_toml(tmp_path / "wide.toml")


@pytest.mark.parametrize("text", ["2.000", "2,5k", "0,5k", "2,00", "20.000.000", "2 000"])
def test_a_number_of_games_that_can_be_read_in_two_ways_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="write a whole number"):
        count(text)


def test_numbers_of_games() -> None:
    texts = ["2000", "2_000", "2,000", "1,200,000", "2k", "2.5k", "1.5e3", "2M"]
    assert [count(text) for text in texts] == [2000, 2000, 2000, 1_200_000, 2000, 2500, 1500, 2_000_000]


def test_commands_to_copy_hold_a_folder_with_a_space_in_quotes(shell: Shell) -> None:
    assert "simlab report 'my runs'" in shell("simlab sweep simple_siege -n 20 --out 'my runs'").out
    assert "simlab dev check-game './my games/hoard'" in shell("simlab new game hoard --into 'my games' --kernels").out
    assert "dev check-bot simple_siege './my bots/mine.py:mine'" in shell("simlab new bot mine --into 'my bots'").out


def test_names_lose_the_marks_of_their_letters_and_are_none_that_windows_keeps(shell: Shell, tmp_path: Path) -> None:
    assert shell("simlab new game 'Größe Éloi' --kernels").status == 0
    assert (tmp_path / "grosse_eloi" / "rules.py").exists()
    assert "Write 'my_con'" in shell("simlab new game Con").err


@pytest.mark.parametrize("closed", ["0<&-", ">&-", "2>&-", "0<&- >&- 2>&-"])
def test_a_stream_that_the_shell_closed_is_no_error(closed: str, tmp_path: Path) -> None:
    line = f'"{sys.executable}" -m simlab info simple_siege knobs {closed}'
    done = subprocess.run(line, shell=True, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0 and "Traceback" not in done.stderr
    assert ("walls_start" in done.stdout) == (">&-" not in closed.replace("2>&-", ""))
