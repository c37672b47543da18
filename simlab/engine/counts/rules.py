"""How often each rule fired, and in how many games."""

from __future__ import annotations

from typing import Any

import numpy as np

from simlab.engine.counts import Count


def counts() -> list[Count]:
    """fired: times a rule fired; fired_games: games in which it did; fired_squares: sum over games of times squared."""
    return [Count(name, ("rules",)) for name in ("fired", "fired_games", "fired_squares")]


def at_end(counts: Any, scratch: Any, state: Any, knobs: Any, cards: Any, row: Any) -> None:
    for rule in range(counts.fired.size):
        times = np.uint64(state.fired[rule])
        counts.fired[rule] += times
        counts.fired_squares[rule] += times * times
        counts.fired_games[rule] += np.uint64(times != 0)
