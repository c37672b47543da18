"""Plays games with every array index checked, in a separate process.

Compiled code does not check indices: with an index out of range, it silently reads or writes other memory. Numba can
check them (NUMBA_BOUNDSCHECK), but this makes kernels slower and has to be set before Numba is loaded. Numba reports no
line for such an index or for a division by zero, so a game that failed is played again as plain Python.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from simlab import compiler
from simlab.compiler.parallel import safe_environment, search_path
from simlab.engine import deadline
from simlab.engine.signals import follow

if TYPE_CHECKING:
    from simlab.engine.match import Match


_WAIT = 10.0  # seconds between two lines of progress


class CheckedGames:
    """Plays games of random bots with every index checked, in parallel with the caller. Use it as a context.

    Args:
        game: slug, or path of the folder.
        seed, games: games 0 .. games-1 of this seed are played.
    """

    def __init__(self, game: str, knobs: Mapping[str, object], seed: int, games: int) -> None:
        self.job: dict[str, Any] = {
            "game": game, "knobs": dict(knobs), "seed": seed, "first": 0, "games": games,
            "limit": deadline.WATCH.limit, "parent": os.getpid(),
        }  # fmt: skip
        self._process = self._start(self.job, NUMBA_BOUNDSCHECK="1", NUMBA_DISABLE_JIT="0")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.communicate()

    def fault(self, waiting: Callable[[], None] = lambda: None) -> str:
        """Waits for the games; returns the error, with game, file and line, or "" if there is none.

        Args:
            waiting: called every few seconds.
        """
        answer = self._answer(self._process, waiting)
        if not answer["fault"]:
            return ""
        index = answer["game"]
        if index is None:
            return str(answer["fault"])
        with_line = self._start(self.job | {"first": index, "games": 1}, NUMBA_DISABLE_JIT="1", NUMBA_BOUNDSCHECK="0")
        plain = self._answer(with_line)
        if plain["fault"] and not plain["at"]:  # of the row
            return f"{plain['fault']} It happens in game {index} of seed {self.job['seed']}."
        what = plain if plain["fault"] and answer["index"] else answer
        at = f"{plain['at']}: " if plain["at"] else ""
        silent = " Compiled code does not check indices and would read other memory." if answer["index"] else ""
        return f"{at}{what['fault']}, in game {index} of seed {self.job['seed']}.{silent}"

    def _start(self, job: Mapping[str, Any], **settings: str) -> subprocess.Popen[str]:
        paths = os.pathsep.join(search_path())
        return subprocess.Popen(
            [sys.executable, "-m", "simlab.bounds", json.dumps(job)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=safe_environment(PYTHONPATH=paths, **settings),
        )

    def _answer(self, process: subprocess.Popen[str], waiting: Callable[[], None] = lambda: None) -> dict[str, Any]:
        out, error = "", ""
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                out, error = process.communicate(timeout=_WAIT)
                break
            waiting()
        try:
            return dict(json.loads(out.splitlines()[-1]))
        except (IndexError, ValueError):
            lines = error.strip().splitlines()
            if process.returncode == deadline.TIMED_OUT and lines:
                return _found(lines[0].removeprefix("simlab: "))
            status = process.returncode
            died = f"signal {signal.Signals(-status).name}" if status < 0 else f"status {status}"
            return _found(f"the process that checks indices ended with {died}{f': {lines[-1]}' if lines else ''}")


def _play(job: Mapping[str, Any]) -> dict[str, Any]:
    from simlab.engine.match import Match
    from simlab.errors import BotFault, SimlabError
    from simlab.registry import load_game

    try:
        game = load_game(job["game"])
        match = Match(game, knobs=job["knobs"], bots=dict.fromkeys(game.seats, "random"))
        match.play(job["seed"], job["first"], job["games"])
    except BotFault as fault:
        cause = fault.__cause__
        if isinstance(cause, IndexError) and not compiler.compiling() and not _where(cause):  # raised in counting
            _, why = match.fault_of_rows(_row(match, job["seed"], fault.index))
            if why:
                return _found(why, fault.index)
        if cause is not None:  # otherwise it also appears without checked indices, with a better message
            index = isinstance(cause, IndexError)
            why = str(cause) if index else f"{type(cause).__name__}: {cause}"
            return _found(why, fault.index, _where(cause), index)
    except SimlabError as fault:
        return _found(str(fault))
    return _found("")


def _found(fault: str, game: int | None = None, at: str = "", index: bool = False) -> dict[str, Any]:
    """The answer of the separate process. at: file and line. index: whether an index was out of range."""
    return {"fault": fault, "game": game, "at": at, "index": index}


def _row(match: Match, seed: int, index: int) -> Any:
    """The row, shape (1,), of a game whose row cannot be tallied, so the game is stepped instead."""
    from simlab.engine.stepper import Stepper

    stepper = Stepper(match, seed, index)
    stepper.finish()
    return stepper.rows


def _where(fault: BaseException) -> str:
    """File and line in the game's code at which a fault occurred; "" for compiled code, which records neither."""
    engine = Path(__file__).parent / "engine"
    frames = traceback.extract_tb(fault.__traceback__)
    own = [frame for frame in frames if engine not in Path(frame.filename).parents]
    return f"{own[-1].filename}, line {own[-1].lineno}, in {own[-1].name} ({own[-1].line})" if own else ""


def main(job: Mapping[str, Any]) -> None:
    """Entry point of the separate process, which ends when its parent ends or when a rule does not return."""
    follow(job["parent"])
    deadline.WATCH.limit = job["limit"]
    deadline.WATCH.start()
    print(json.dumps(_play(job)))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
