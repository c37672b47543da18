"""The game's tracks at the start of each turn."""

from __future__ import annotations

from typing import Any

import numpy as np

from simlab.engine.counts import Count


def counts() -> list[Count]:
    """tracks: number of games in which the track had a value of step i, from low + i * step on, at the start of a turn
    (step: simlab.engine.counts.track_step, usually 1).
    """
    return [Count("tracks", ("turns", "tracks", "values"), narrow=True)]


TRACK_LOW = np.zeros(1, np.int32)  #: least value of each track; replaced by the game's own
TRACK_STEP = 1  #: values counted together; likewise


def at_turn(counts: Any, scratch: Any, state: Any, knobs: Any, cards: Any) -> None:
    turn = min(np.uint64(state.turn), np.uint64(counts.tracks.shape[0] - 1))  # unsigned, like the other indices
    values = scratch.track_now[:]
    for t in range(np.uint64(counts.tracks.shape[1])):
        place = np.uint64(min(max(values[t] - TRACK_LOW[t], 0) // TRACK_STEP, counts.tracks.shape[2] - 1))
        counts.tracks[turn, t, place] += np.uint64(1)
