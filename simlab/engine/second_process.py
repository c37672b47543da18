"""The helper process that simlab.engine.beside starts: it compiles, and ends with the process it helps."""

from __future__ import annotations

import json
import os
import sys

from simlab.engine.match import Match
from simlab.engine.signals import follow
from simlab.registry import load_game


def main() -> None:
    game, bots, parent = sys.argv[2:]

    follow(int(parent))
    Match(load_game(game), bots=json.loads(bots)).compile_from_the_end(lambda *progress: None)
    os._exit(0)
