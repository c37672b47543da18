"""A bot that loops for ever in compiled code: Ctrl-C, SIGTERM and the time limit end the command."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from simlab.engine.match import Match
from simlab.registry import load_game

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")

BOT = '''
import os
import numpy as np
import simlab

open(f"{os.path.dirname(__file__)}/loaded.{os.getpid()}", "w").close()

@simlab.policy("pig", traits={"pace": simlab.Trait(2, 1, 9, "none")})
def endless(state, knobs, cards, traits):
    """Loops for ever once it has points."""
    spins = np.zeros(1)
    while state.points[state.seat] > 0 and spins[0] >= 0.0:
        spins[0] += 1.0
    return state.legal[state.n_legal - 1]
'''
LOADING, COMPILING = 2.5, 12.0  # seconds from loading the bot to its first decisions, on a busy machine
ANSWER = 10.0  # seconds in which a command ends, on a busy machine
BOTH = "--bot *=./loops.py"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the endless bot, which is compiled."""
    folder = tmp_path_factory.mktemp("endless")
    bot = folder / "loops.py"
    bot.write_text(BOT)
    game = load_game("pig")
    Match(game, bots=dict.fromkeys(game.seats, str(bot))).compile()
    return folder


def started(command: str, folder: Path) -> subprocess.Popen[str]:
    out = subprocess.PIPE
    words = [sys.executable, "-m", "simlab", *command.split()]
    return subprocess.Popen(words, cwd=folder, stdin=subprocess.PIPE, stdout=out, stderr=out, text=True)


def hangs(process: subprocess.Popen[str], folder: Path) -> None:
    """Waits until the process has loaded the bot, which is compiled and then hangs within its first games."""
    until = time.monotonic() + 60
    while not (folder / f"loaded.{process.pid}").exists():
        assert process.poll() is None and time.monotonic() < until, process.communicate()
        time.sleep(0.1)


def end(process: subprocess.Popen[str], number: int) -> tuple[int, str, float]:
    """Sends the signal; returns exit status, what stands on standard error, and the seconds it took."""
    began = time.monotonic()
    process.send_signal(number)
    try:
        _, error = process.communicate(timeout=ANSWER)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        pytest.fail(f"{process.args} goes on after signal {number}")
    return process.returncode, error, time.monotonic() - began


def end_all(commands: list[str], folder: Path, wait: float) -> None:
    processes = [started(command, folder) for command in commands]
    for process in processes:
        hangs(process, folder)
    time.sleep(wait)
    for place, process in enumerate(processes):
        number = (signal.SIGINT, signal.SIGTERM)[place % 2]
        status, error, _ = end(process, number)
        assert status == 128 + number, (commands[place], error)
        if error:  # else the signal came while it was still compiling
            assert "interrupted while bot './loops.py' (" in error, (commands[place], error)


@pytest.mark.long
def test_a_signal_ends_check_policy_and_replay_in_an_endless_bot(folder: Path) -> None:
    end_all(["dev check-bot pig ./loops.py", f"replay pig {BOTH}"], folder, LOADING)


@pytest.mark.long
@pytest.mark.parametrize(
    "commands",
    [
        [f"analyze luck pig {BOTH}", f"analyze course pig {BOTH}"],
        [f"analyze time pig {BOTH}", f"replay pig {BOTH} --table"],
        ["optimize bot pig --bot first=./loops.py", "optimize answer pig --seat first --against ./loops.py"],
    ],
)
def test_a_signal_ends_every_command_that_plays_in_an_endless_bot(folder: Path, commands: list[str]) -> None:
    end_all(commands, folder, COMPILING)


@pytest.mark.parametrize("command", ["dev check-bot pig ./loops.py", f"replay pig {BOTH}"])
def test_the_time_limit_ends_a_command_and_names_the_bot(folder: Path, command: str) -> None:
    process = started(f"{command} --timeout 2", folder)
    try:
        _, error = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 4
    assert re.search(r"bot './loops.py' \(first\) did not answer within 2 seconds \(game 0 of seed 1, decision", error)
    assert "--timeout SECONDS" in error


def test_a_time_limit_of_nothing_is_refused(folder: Path) -> None:
    process = started("replay pig --timeout 0", folder)
    _, error = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "timeout = 0 is not allowed" in error


AT_THE_APP = """
import os, sys, time
from simlab.app import simulator
from simlab.engine.match import Match
from simlab.registry import load_game

simulator._LIMIT = 1.0
game = load_game("pig")
player = simulator.Player()
player.ask(lambda: Match(game, bots=dict.fromkeys(game.seats, "./loops.py")), None, 1, 50)
until = time.monotonic() + 60
while player.play.phase != "wrong" and time.monotonic() < until:
    time.sleep(0.1)
print(player.play.phase, player.play.note, flush=True)
os._exit(0)  # the bot's thread does not end
"""


@pytest.mark.long
def test_the_app_reports_a_bot_that_hangs_and_stays_open(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", AT_THE_APP], cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout.startswith("wrong bot './loops.py' (first) did not answer within 1 seconds (game ")
