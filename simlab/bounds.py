"""Games played with every array index checked, in a process of their own.

Compiled code does not check indices: one that is out of range reads or writes other memory, in silence. Numba can
check them (NUMBA_BOUNDSCHECK), which makes kernels slower and has to be said before Numba is loaded; but it does not
say where the index stood. So the game that went wrong is played once more as plain Python, which does.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self


class CheckedGames:
    """Games of random bots with every index checked; they begin at once, beside what the caller does. A context.

    Args:
        game: slug, or path of the folder.
        seed, games: games 0 .. games-1 of this seed are played.
    """

    def __init__(self, game: str, knobs: Mapping[str, object], seed: int, games: int) -> None:
        self.job: dict[str, Any] = {"game": game, "knobs": dict(knobs), "seed": seed, "first": 0, "games": games}
        self._process = self._start(self.job, NUMBA_BOUNDSCHECK="1", NUMBA_DISABLE_JIT="0")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.communicate()

    def fault(self) -> str:
        """Waits for the games; what went wrong, with game, file and line, or "" where nothing did."""
        answer = self._answer(self._process)
        if not answer["fault"]:
            return ""
        index = answer["game"]
        if index is None:
            return str(answer["fault"])
        with_line = self._start(self.job | {"first": index, "games": 1}, NUMBA_DISABLE_JIT="1", NUMBA_BOUNDSCHECK="0")
        plain = self._answer(with_line)
        what = plain if plain["fault"] else answer
        at = f"{what['at']}: " if what["at"] else ""
        return (
            f"{at}{what['fault']}, in game {index} of seed {self.job['seed']}. Compiled code does not check indices "
            "and would go on with other memory."
        )

    def _start(self, job: Mapping[str, Any], **settings: str) -> subprocess.Popen[str]:
        paths = os.pathsep.join(path for path in sys.path if path)
        return subprocess.Popen(
            [sys.executable, "-m", "simlab.bounds", json.dumps(job)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": paths, **settings},
        )

    def _answer(self, process: subprocess.Popen[str]) -> dict[str, Any]:
        out, error = process.communicate()
        try:
            return dict(json.loads(out.splitlines()[-1]))
        except (IndexError, ValueError):
            last = error.strip().splitlines()[-1:] or [f"it ended with status {process.returncode}"]
            return {"fault": f"the process that checks indices came to no end: {last[0]}", "game": None, "at": ""}


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
        if isinstance(cause, IndexError):
            return {"fault": str(cause), "game": fault.index, "at": _where(cause)}
        # Any other fault shows without checked indices too, where more can be said of it.
    except SimlabError as fault:
        return {"fault": str(fault), "game": None, "at": ""}
    return {"fault": "", "game": None, "at": ""}


def _where(fault: BaseException) -> str:
    """File and line of the game's that led to a fault; "" in compiled code, which keeps neither."""
    engine = Path(__file__).parent / "engine"
    frames = traceback.extract_tb(fault.__traceback__)
    if frames and Path(frames[-1].filename).parent == engine / "counts":
        return (
            "outcome() wrote a row that cannot be counted (`winner` is a seat's number, -1 or -2, `ending` a number of "
            "the endings, `turns` at most max_turns)"
        )
    own = [frame for frame in frames if engine not in Path(frame.filename).parents]
    return f"{own[-1].filename}, line {own[-1].lineno} ({own[-1].line})" if own else ""


if __name__ == "__main__":
    print(json.dumps(_play(json.loads(sys.argv[1]))))
