"""The tracks of the game over the turns, in tables and charts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from simlab.errors import InputError, nearest
from simlab.present.blocks import Block, Chart, Paragraph, Section, Table, places
from simlab.present.chart import Axes, chart, drawing
from simlab.present.estimate import words
from simlab.questions.tracks.analysis import Track, Tracks
from simlab.words import capital

CHAPTER, RANK = "How games go", 50
MOST_CHARTS = 16


def section(answer: Tracks) -> Section | None:
    shown = [track for track in answer.tracks if track.turns]
    return Section("tracks", f"Over the {answer.turn_name}s", tuple(_blocks(answer, shown))) if shown else None


def _blocks(answer: Tracks, shown: list[Track]) -> Iterator[Block]:
    reach = f"Dark line: median of the games that reach the {answer.turn_name}"
    yield Paragraph(f"{reach}; dark band: the middle half; light band: the middle 90 %.{answer.together}", "note")
    for index, track in enumerate(shown[:MOST_CHARTS]):
        draw = partial(tracks, answer, name=track.track)
        links = [answer.all_games, track.last_games]
        yield Chart(f"track_{index}", draw, _caption(track, answer.turn_name), links)
    rows = [
        (words(track.track), turn, *quantiles)
        for track in shown
        for turn, quantiles in zip(track.turns, track.quantiles, strict=True)
    ]
    columns = places("track", answer.turn_name, "5 %", "25 %", "median", "75 %", "95 %")
    yield Section("tracks-table", "Quantiles of all tracks", (Table(rows, columns, most=200),), folded=True)


def _caption(track: Track, turn_name: str) -> str:
    first, last = track.quantiles[0], track.quantiles[-1]
    text = track.help or words(track.track)
    start, end = f"{turn_name} {track.turns[0]}", f"{turn_name} {track.turns[-1]}"
    same = f"{first[2]:g}" == f"{last[2]:g}"
    median = f"is {first[2]:g} in {start} and in" if same else f"goes from {first[2]:g} in {start} to {last[2]:g} in"
    spread = f"Of the games that reach {end}, 90 % have a value from {last[0]:g} to {last[4]:g} then."
    return f"{capital(text)}: the median {median} {end}. {spread}"


@chart
def tracks(answer: Tracks, name: str | None = None, ax: Axes | None = None) -> Axes:
    """A track over the turns: median, middle half and middle 90 % of the games still going.

    Args:
        name: name of the track; by default all, one panel each (then the first is returned), or the first on `ax`.
    """
    from matplotlib.figure import Figure

    known = {track.track: track for track in answer.tracks}
    if not known:
        return drawing.note(drawing.axes(ax, 1.6), "this game has no tracks")
    if name is not None and name not in known:
        raise InputError(f"{answer.game} has no track '{name}'. {nearest(name, known)}")
    if name is None and ax is None and len(known) > 1:
        figure = Figure(figsize=(drawing.WIDTH, 2.2 * len(known)), layout="constrained")
        panels = [figure.add_subplot(len(known), 1, i + 1, axes_class=drawing.Chart) for i in range(len(known))]
        for track, panel in zip(known.values(), panels, strict=True):
            _track(track, answer, panel)
        return panels[0]
    one = known[name] if name is not None else answer.tracks[0]
    return _track(one, answer, drawing.plain_axes(ax, 2.5, 4.2))


def _track(track: Track, answer: Tracks, ax: Axes) -> Axes:
    import seaborn
    from matplotlib.ticker import MaxNLocator

    if track.turns:
        bands = np.array(track.quantiles)
        steps = len(track.turns) < 60
        for low, high, alpha in ((0, 4, 0.2), (1, 3, 0.4)):
            ax.fill_between(
                track.turns, bands[:, low], bands[:, high], color=drawing.FACE, alpha=alpha, linewidth=0,
                step="mid" if steps else None,
            )  # fmt: skip
        seaborn.lineplot(
            x=track.turns, y=bands[:, 2], ax=ax, estimator=None, color=drawing.INK,
            drawstyle="steps-mid" if steps else "default",
        )  # fmt: skip
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=9))
    ax.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))
    ax.set_title(drawing.label(track.help or words(track.track), 48))
    ax.set_xlabel(drawing.label(answer.turn_name, 40))
    ax.set_ylabel("")
    return ax
