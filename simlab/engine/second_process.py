"""What the process does that simlab.engine.beside starts: it compiles, and ends with the process it helps."""

from __future__ import annotations

import json
import os
import sys

from simlab.engine.match import Match
from simlab.registry import load_game


def main() -> None:
    game, bots, parent = sys.argv[2:]

    def still_wanted(*progress: object) -> None:
        if os.getppid() != int(parent):
            os._exit(0)

    Match(load_game(game), bots=json.loads(bots)).compile_from_the_end(still_wanted)
    os._exit(0)
