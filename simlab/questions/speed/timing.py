"""Code shared by the parts of the benchmark: the form of a line, and the compiled loop with a clock around it."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simlab.compiler.parallel import safe_environment, search_path
from simlab.errors import RunFailed
from simlab.present.answer import Part

if TYPE_CHECKING:
    from simlab.engine.match import Match
    from simlab.game import Game

Say = Callable[[str], None]


class Line(Part):
    """One measurement.

    Attributes:
        part, game: part of the benchmark and slug of the game; measure_speed sets both. bots: the bots, one per seat.
        value: median of the repetitions, in `unit`.
        compared_with: the reference measurement, in the same run. ratio: ratio of the two.
    """

    part: str = ""
    what: str
    game: str = ""
    bots: str = ""
    value: float | None = None
    unit: str = ""
    compared_with: str = ""
    ratio: float | None = None


@dataclass
class Bench:
    """The measurements, and their repetitions.

    Attributes:
        game, text: the game, and how the user named it. pairs: seat -> bot, line-ups to measure.
        games: number of games per repetition. folder: an empty folder.
    """

    game: Game
    text: str
    knobs: Mapping[str, object]
    pairs: list[dict[str, str]]
    games: int
    repetitions: int
    seed: int
    folder: Path
    say: Say

    @functools.cached_property
    def loops(self) -> list[TimedMatch]:
        """The compiled bare loop of each pair."""
        self.say(f"{self.text}: compiling")
        # In another process: code that this process compiled itself lies scattered over the memory and runs up to a
        # fifth slower than the same code loaded in one piece, as every later start has it.
        for pair in self.pairs:
            played_anew(self.text, self.knobs, pair, 200, counting=False)
        return [bare_loop(self.match(pair), self.seed) for pair in self.pairs]

    def match(self, bots: Mapping[str, str] | None = None) -> Match:
        """The game with some bots; by default the first pair."""
        from simlab.engine.match import Match

        return Match(self.game, knobs=self.knobs, bots=bots or self.pairs[0])


def against_first(measured: Iterable[tuple[str, float]], reference: str, bots: str = "") -> Iterator[Line]:
    """Lines of (what, wall seconds), each compared with the first, which is called `reference`."""
    first = None
    for what, wall in measured:
        yield Line(what=what, bots=bots, value=wall, unit="s", compared_with=reference if first else "",
                   ratio=wall / first if first else None)  # fmt: skip
        first = first or wall


def everybody(game: str, bot: str) -> dict[str, str]:
    from simlab.registry import load_game

    return dict.fromkeys(load_game(game).seats, bot)


def named(bots: Mapping[str, str] | Match) -> str:
    texts = bots.values() if isinstance(bots, Mapping) else (bot.text for bot in bots.bots)
    return " / ".join(texts)


class TimedMatch:
    """A match whose loop alone is timed, in processor time, as in the C program."""

    def __init__(self, match: Match) -> None:
        match.compile()
        self.match, self.seconds = match, 0.0
        entry = functools.cache(match.compiled.play)

        def play(counting: bool) -> tuple[Callable[..., Any], Any]:
            loop, policies = entry(counting)

            def clocked(*arguments: Any) -> Any:
                began = time.thread_time()
                try:
                    return loop(*arguments)
                finally:
                    self.seconds += time.thread_time() - began

            return clocked, policies

        match.compiled.play = play  # type: ignore[method-assign]

    def play(self, seed: int, first: int, count: int, counting: bool = False, start: Any = None) -> tuple[float, Any]:
        """Processor seconds of the loop, and the batch; the arguments are those of Match.play."""
        self.seconds = 0.0
        batch = self.match.play(seed, first, count, counting=counting, start=start)
        return self.seconds, batch


def bare_loop(match: Match, seed: int) -> TimedMatch:
    """A match with the bare loop compiled, which does not count rules, actions and tracks."""
    clocked = TimedMatch(match)
    _, batch = clocked.play(seed, 0, 200)
    if batch.tally.fired.any() or batch.tally.chosen.any():
        raise RunFailed("the bare loop counts rules or actions: the counting loop was compiled instead.")
    return clocked


_PLAY = """
import hashlib, json, sys
from simlab.engine.match import Match
from simlab.registry import load_game
game, knobs, bots, games, counting = json.loads(sys.argv[1])
match, compiled = Match(load_game(game), knobs=knobs, bots=bots), []
match.compile(lambda name, done, total: compiled.append(name))
print(len(compiled), hashlib.sha256(match.play(1, 0, games, counting=counting).rows.tobytes()).hexdigest())
"""


def played_anew(
    game: str, knobs: Mapping[str, object], bots: Mapping[str, str], games: int, counting: bool = True,
    cwd: Path | None = None, **settings: str,
) -> tuple[float, int, str]:  # fmt: skip
    """Plays games in a new process. Returns wall seconds, number of compiled functions, and digest of the rows."""
    asked = json.dumps([game, dict(knobs), dict(bots), games, counting])
    wall, text = timed_process("-c", _PLAY, asked, cwd=cwd, **settings)
    compiled, digest = text.split()
    return wall, int(compiled), digest


def python_path(first: Iterable[str] = ()) -> str:
    """PYTHONPATH with which another process finds the same modules."""
    return os.pathsep.join([*first, *(os.path.abspath(part) for part in search_path())])


def ran(*words: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Runs another program and keeps what it prints; it may fail."""
    return subprocess.run(words, capture_output=True, text=True, encoding="utf-8", check=False, **options)


def timed_process(*words: str, cwd: Path | None = None, **settings: str) -> tuple[float, str]:
    """Runs Python in another process with these environment variables. Returns wall seconds and its output.

    Raises:
        RunFailed: it failed.
    """
    began = time.perf_counter()
    done = ran(sys.executable, *words, env=safe_environment(**{"PYTHONPATH": python_path(), **settings}), cwd=cwd)
    wall = time.perf_counter() - began
    if done.returncode != 0:
        raise RunFailed(f"the lab does not start in a new process:\n{done.stderr[-2000:]}")
    return wall, done.stdout
