"""The game's tracks over the turns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from simlab.present.chart import Draw, chart
from simlab.present.estimate import words
from simlab.results import drill_down
from simlab.results.view import View, view_of
from simlab.stats.intervals import quantile_from_histogram

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_TRACKS = 16  #: charts of them


@chart
def tracks(source: Any, ax: Axes | None = None, name: str | None = None) -> Axes:
    """A track over the turns: median, middle half and middle nine tenths of the games still going.

    Args:
        name: of the track; by default all, a panel each (then the first panel is returned), or the first on
            `ax`.
    """

    from matplotlib.figure import Figure

    from simlab.errors import UserMistake, nearest
    from simlab.present import drawing

    view = view_of(source)
    known = [track.name for track in view.tracks]
    if not known:
        return drawing.note(drawing.axes(ax, 1.6), "this game has no tracks")
    if name is not None and name not in known:
        raise UserMistake(f"{view.slug} has no track '{name}'. {nearest(name, known)}")
    if name is None and ax is None and len(known) > 1:
        figure = Figure(figsize=(drawing.WIDTH, 2.2 * len(known)), layout="constrained")
        panels = [figure.add_subplot(len(known), 1, i + 1, axes_class=drawing.Chart) for i in range(len(known))]
        for i, panel in enumerate(panels):
            _track(view, i, panel)
        return panels[0]
    return _track(view, known.index(name) if name is not None else 0, drawing.plain_axes(ax, 2.5, 4.2))


def track_bands(view: View, index: int) -> tuple[Any, Any]:
    """Quantiles of a track over the turns.

    Returns:
        turns (n,), and the 5, 25, 50, 75 and 95 % quantiles (n, 5), for the turns that 1 % of the games and
        20 reach.
    """
    track = view.tracks[index]
    counts = view.all.sum("tracks")[:, index, :]
    going = counts.sum(axis=1)
    turns = np.flatnonzero(going >= max(20.0, 0.01 * going.max(initial=0)))
    if turns.size == 0:
        turns = np.flatnonzero(going > 0)
    values = track.low + np.arange(counts.shape[1])
    bands = [quantile_from_histogram(values, counts[t], [0.05, 0.25, 0.5, 0.75, 0.95]) for t in turns]
    return turns, np.array(bands).reshape(-1, 5)


def _track(view: View, index: int, ax: Axes) -> Axes:
    from matplotlib.ticker import MaxNLocator

    from simlab.present import drawing

    track = view.tracks[index]
    turns, bands = track_bands(view, index)
    if turns.size:
        steps: Literal["mid"] | None = "mid" if turns.size < 60 else None
        ax.fill_between(
            turns,
            bands[:, 0],
            bands[:, 4],
            color=drawing.FACE,
            alpha=0.2,
            linewidth=0,
            step=steps,
            label="90 % of games",
        )
        ax.fill_between(
            turns,
            bands[:, 1],
            bands[:, 3],
            color=drawing.FACE,
            alpha=0.4,
            linewidth=0,
            step=steps,
            label="half of games",
        )
        ax.plot(turns, bands[:, 2], color=drawing.INK, drawstyle="steps-mid" if steps else "default", label="median")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=9))
    ax.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))
    ax.set_title(drawing.label(track.help or words(track.name), 48))
    ax.set_xlabel(drawing.label(f"{view.turn_name}", 40))
    return ax


def section(view: View, draw: Draw) -> list[dict[str, Any]]:
    parts = []
    for index, track in enumerate(view.tracks[:MOST_TRACKS]):
        turns, bands = track_bands(view, index)
        if not turns.size:
            continue
        text = (
            f"{track.help or words(track.name)}: the median goes from {bands[0, 2]:g} in "
            f"{view.turn_name} {turns[0]} to "
            f"{bands[-1, 2]:g} in {view.turn_name} {turns[-1]}, where the middle nine tenths of the "
            f"games still going lie "
            f"between {bands[-1, 0]:g} and {bands[-1, 4]:g}."
        )
        drawn = tracks(view, name=track.name)
        last = int(view.all.sum("tracks")[turns[-1], index].sum())
        shown = [drill_down.all_games(view, view.all), drill_down.going(view, int(turns[-1]), last)]
        parts.append(draw(f"track_{index}", drawn, text[:1].upper() + text[1:], games=shown))
    return parts
