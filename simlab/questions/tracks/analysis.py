"""The tracks of the game over the turns, as quantiles of the games still going."""

from __future__ import annotations

from typing import Any

import numpy as np

from simlab.engine.counts import track_step
from simlab.present.answer import Part
from simlab.present.blocks import GamesLink
from simlab.runs import drill_down
from simlab.runs.games_answer import GamesAnswer
from simlab.runs.view import View, view_of
from simlab.stats.intervals import quantile_from_histogram

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


class Track(Part):
    """A track. quantiles: per turn, the 5, 25, 50, 75 and 95 % quantiles over the games still going.

    Attributes:
        turns: turns that at least 1 % of the games, and at least 20 games, reach. last_games: the games that reach the
            last of these turns.
    """

    track: str
    help: str
    turns: tuple[int, ...]
    quantiles: tuple[tuple[float, ...], ...]
    last_games: GamesLink | None = None


class Tracks(GamesAnswer, form="tracks-counted", version=2):
    """The tracks of the game over the turns."""

    tracks: tuple[Track, ...]


def of_run(results: Any) -> Tracks:
    view = view_of(results)
    return Tracks.of(view, tracks=tuple(_track(view, index) for index in range(len(view.tracks))))


def _track(view: View, index: int) -> Track:
    about, counts = view.tracks[index], view.all.sum("tracks")[:, index, :]
    going = counts.sum(axis=1)
    turns = np.flatnonzero(going >= max(20.0, 0.01 * going.max(initial=0)))
    if turns.size == 0:
        turns = np.flatnonzero(going > 0)
    step = track_step(view.names)
    values = about.low + step * np.arange(counts.shape[1]) + (step - 1) // 2
    bands = [tuple(map(float, quantile_from_histogram(values, counts[t], QUANTILES))) for t in turns]
    last = drill_down.going(view, int(turns[-1]), int(going[turns[-1]])) if turns.size else None
    return Track(
        track=about.name, help=about.help, turns=tuple(turns.tolist()), quantiles=tuple(bands), last_games=last
    )
