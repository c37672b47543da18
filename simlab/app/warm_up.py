"""Compiling in a process of its own, so that the page stays alive: the compiler keeps Python's lock for seconds.

Compiled code is stored on disk, and this process loads it from there. It is only an optimization: if it fails or is
ended, this process compiles the rest and reports errors.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from simlab.engine.signals import follow

if TYPE_CHECKING:
    from simlab.engine.match import Match

_RUN = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from simlab.app.warm_up import main; main()"


def compile_beside(
    match: Match, progress: Callable[[str, int, int], None], began: Callable[[subprocess.Popen[str]], None]
) -> None:
    """Compiles the code of a match in another process, and waits for it.

    Args:
        progress: called with (what, done, total) before each part. began: given the process, so that it can be ended.
    """
    from simlab.engine.setup import game_text

    bots = {bot.seat: bot.text for bot in match.bots}
    order = [sys.executable or "", "-c", _RUN, json.dumps(sys.path), game_text(match.game), json.dumps(bots)]
    quiet = subprocess.DEVNULL
    with contextlib.suppress(OSError, ValueError):
        process = subprocess.Popen(
            [*order, str(os.getpid())], stdin=quiet, stdout=subprocess.PIPE, stderr=quiet, text=True
        )
        began(process)
        assert process.stdout is not None
        for line in process.stdout:
            what, done, total = json.loads(line)
            progress(what, done, total)
        process.wait()


def main() -> None:
    """The work of the other process; it ends with its parent."""
    game, bots, parent = sys.argv[2:]
    follow(int(parent))
    from simlab.engine.match import Match
    from simlab.registry import load_game

    def tell(what: str, done: int, total: int) -> None:
        print(json.dumps([what, done, total]), flush=True)

    Match(load_game(game), bots=json.loads(bots)).compile(tell)
    os._exit(0)
