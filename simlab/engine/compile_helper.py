"""A second process that compiles a game, and ends with the process that it works for (simlab.compiler.parallel)."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
from collections.abc import Callable

from simlab.compiler.parallel import start
from simlab.engine.entry_points import compile_from_the_end
from simlab.engine.match import Match
from simlab.engine.setup import game_text
from simlab.engine.signals import follow
from simlab.registry import load_game


def main(game: str, line_ups: str, *options: str) -> None:
    """Compiles from the end while the other process starts at the beginning. With `all`, it compiles everything and
    reports its progress.

    Args:
        line_ups: JSON, a list of seat -> bot.
        options: `all`, or nothing; then the id of the other process.
    """
    follow(int(options[-1]))
    matches = []
    for bots in json.loads(line_ups):
        with contextlib.suppress(Exception):  # the other process reports it
            matches.append(Match(load_game(game), bots=bots))
    if "all" in options:
        for match in matches:
            match.compile(lambda *part: print(json.dumps(part), flush=True))
    elif matches:
        compile_from_the_end([match.compiled for match in matches], lambda *part: None)
    os._exit(0)


def compile_apart(
    match: Match, progress: Callable[[str, int, int], None], began: Callable[[subprocess.Popen[str]], None]
) -> None:
    """Compiles what a match needs in a second process and waits. This keeps the process responsive, because the
    compiler holds Python's lock for seconds. This process then loads the result from the cache; if the second process
    fails, this process compiles the code.

    Args:
        progress: called with (what, done, total) before each part.
        began: called with the process, so that it can be ended.
    """
    line_ups = json.dumps([{bot.seat: bot.text for bot in match.bots}])
    process = start(__name__, game_text(match.game), line_ups, "all", listen=True)
    if process is None:
        return
    began(process)
    assert process.stdout is not None
    with contextlib.suppress(ValueError):
        for line in process.stdout:
            what, done, total = json.loads(line)
            progress(what, done, total)
    process.wait()
