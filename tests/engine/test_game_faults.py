"""check-game names the rule that fails: file, line and function; and it ends when a rule does not."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from simlab.bounds import CheckedGames
from simlab.errors import BotFault, InputError
from simlab.registry import load_game
from simlab.testing import NOTE, ConformanceError, check_game, check_twin
from tests.engine import high_card

SHOWDOWN = "        state.ending = action - 1"


def line_of(folder: Path, text: str) -> int:
    return (folder / "rules.py").read_text().split(text)[0].count("\n") + 1


@pytest.mark.long  # the rules are compiled twice
def test_a_division_by_zero_names_file_line_and_function(tmp_path: Path) -> None:
    folder = high_card.write(tmp_path, ("rules.py", SHOWDOWN, "        state.ending = action - 4 // (3 - action) + 2"))
    rules = folder / "rules.py"
    rules.write_text(rules.read_text().replace("(3 - action)", "(2 - action)"))
    with pytest.raises(ConformanceError) as fault:
        check_game(load_game(str(folder)), games=3, bounds=True)
    where = f"{rules}, line {line_of(folder, '4 //')}, in apply_action"
    assert str(fault.value).startswith(where)
    assert "ZeroDivisionError" in str(fault.value) and re.search(r"in game \d+ of seed 1", str(fault.value))


def test_a_stepped_game_says_which_rule_divides_by_zero(tmp_path: Path) -> None:
    folder = high_card.write(tmp_path, ("rules.py", SHOWDOWN, "        state.ending = 4 // (2 - action)"))
    with pytest.raises(ConformanceError, match=r"high_card's apply_action raised ZeroDivisionError.*DISABLE_JIT") as it:
        check_game(load_game(str(folder)), games=3)
    assert isinstance(it.value.__cause__, BotFault)


def test_a_winner_that_is_no_seat_is_reported_with_the_line_that_sets_it(tmp_path: Path) -> None:
    folder = high_card.write(tmp_path, ("rules.py", "row.winner = state.winner", "row.winner = 5"))
    game = load_game(str(folder))
    for bounds in (False, True):
        with pytest.raises(ConformanceError) as fault:
            check_game(game, games=3, bounds=bounds)
        line = line_of(folder, "row.winner = 5")
        said = f"outcome ({folder / 'rules.py'}, line {line}) writes a row that cannot be: winner = 5, but seats are "
        assert said + "numbered 0..1" in str(fault.value)


def test_a_rule_that_never_fires_is_listed(tmp_path: Path) -> None:
    folder = high_card.write(tmp_path, ("rules.py", "        count_rule(state, rule.H_2)\n", ""))
    notes = [line for line in check_game(load_game(str(folder)), games=3) if line.startswith(NOTE)]
    assert notes and "these rules never fired: H-2." in notes[0]


def test_a_syntax_error_is_reported_at_its_own_file_and_line(tmp_path: Path) -> None:
    folder = high_card.write(tmp_path, ("rules.py", "    state.turn = 1\n", "    state.turn = = 1\n"))
    with pytest.raises(InputError) as mistake:
        load_game(str(folder))
    assert str(mistake.value).startswith(f"{folder / 'rules.py'}, line {line_of(folder, '= = 1')}: SyntaxError")


def test_a_twin_whose_attribute_has_a_methods_name_is_told_so() -> None:
    class Twin:
        def __init__(self, knobs: object, chance: object) -> None:
            self.row = [1, 2]

        def apply(self, action: int) -> None:
            """Follows."""

    with pytest.raises(Exception, match=r"the twin's `row` is \[1, 2\], but the lab calls the method row\(\)"):
        check_twin(load_game("pig"), Twin, games=1)


@pytest.fixture(scope="module")
def endless(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A game with a rule that loops for ever."""
    text = "        while state.stake > 0:\n            state.ending = action - 1"
    return high_card.write(tmp_path_factory.mktemp("endless"), ("rules.py", SHOWDOWN, text))


@pytest.mark.long  # the rules are compiled twice
def test_a_rule_that_loops_for_ever_ends_the_check_with_its_name(endless: Path) -> None:
    command = [sys.executable, "-m", "simlab", "dev", "check-game", str(endless), "-n", "3", "--timeout", "2"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1
    assert "high_card's rules did not answer within 2 seconds (game 0 of seed 1, decision 2)" in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="processes of POSIX")
def test_the_helper_process_ends_with_its_killed_parent(endless: Path) -> None:
    code = f"import time; from simlab.bounds import CheckedGames as C; c = C({str(endless)!r}, {{}}, 1, 30); "
    code += "print(c._process.pid, flush=True); time.sleep(60)"
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    helper = int(parent.stdout.readline())
    time.sleep(2)
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    until = time.monotonic() + 20
    while time.monotonic() < until and Path(f"/proc/{helper}").exists():
        time.sleep(0.1)
    if Path(f"/proc/{helper}").exists():
        os.kill(helper, signal.SIGKILL)
        pytest.fail("the helper goes on")


def test_a_helper_that_crashes_is_reported_with_its_signal() -> None:
    with CheckedGames("kuhn_poker", {}, 1, 10) as checked:
        checked._process.send_signal(signal.SIGSEGV)
        assert "SIGSEGV" in checked.fault()


def test_a_check_reports_its_stages(tmp_path: Path) -> None:
    stages: list[str] = []
    check_game(load_game(str(high_card.write(tmp_path))), games=2, stage=stages.append)
    assert [stage.split()[0] for stage in stages] == ["compiling", "stepping", "playing"]
