"""Marks on the hexes of the game's map, over the whole game and by turn (Game.hex_map)."""

from __future__ import annotations

from typing import Any

import numpy as np

from simlab.game import Hex
from simlab.present.answer import Number, Part
from simlab.present.estimate import LEVEL, Estimate
from simlab.runs.games_answer import GamesAnswer
from simlab.runs.view import View, view_of
from simlab.stats.bounded_mean import count_interval

PANELS = 6  #: turns that are drawn


class Peak(Part):
    """The turn with the highest total over the map, and the hex with the highest value in that turn."""

    turn: int
    total: float
    hex: str
    value: float


class Mark(Part):
    """A mark that is counted on the hexes.

    Attributes:
        happens: whether it counts events; if not, it is a state that may hold at the end of a turn.
        set_up: whether the state held on some hex at the end of the set-up, which counts as one turn.
        per_game: hex number -> mean number per game of events, or of turns at whose end the state holds. by_turn: turn
            -> hex number -> the same for this turn, per game that reaches the turn's end; at most 6 turns. areas: area
            -> mean per game over its hexes, the largest first.
    """

    mark: str
    help: str
    happens: bool
    set_up: bool
    per_game: dict[int, Number]
    by_turn: dict[int, dict[int, float]]
    areas: dict[str, float]
    peak: Peak | None = None

    @property
    def most(self) -> list[int]:
        """Hexes by their mean per game, the largest first, without hexes with a mean of 0."""
        order = sorted(self.per_game, key=lambda number: -self.per_game[number].value)
        return [number for number in order if self.per_game[number].value > 0]


class Maps(GamesAnswer, form="maps-counted"):
    """Marks on the map. hexes: all hexes with their places; those with statistics have a number of 0 or more."""

    hexes: tuple[Hex, ...]
    marks: tuple[Mark, ...]


def of_run(results: Any) -> Maps:
    view = view_of(results)
    known = bool(view.hexes) and "hex_sums" in view.all.counted
    marks = tuple(_mark(view, index) for index in range(len(view.hex_marks))) if known else ()
    return Maps.of(view, hexes=tuple(view.hexes), marks=marks)


def hex_name(hex_: Hex) -> str:
    """A hex with its area."""
    return f"{hex_.name} ({hex_.area})" if hex_.area else hex_.name


def _mark(view: View, index: int) -> Mark:
    about, hexes = view.hex_marks[index], [hex_ for hex_ in view.hexes if hex_.number >= 0]
    numbers = [hex_.number for hex_ in hexes]
    games = np.asarray(view.all.sum("hex_games"), np.float64)
    sums = np.asarray(view.all.sum("hex_sums"), np.float64)[:, index, numbers]
    squares = np.asarray(view.all.sum("hex_squares"), np.float64)[index, numbers]
    cells = view.all.size  # with the same seeds: the variance of a mean over k of them is at most k times as large
    each = [
        Estimate(
            *count_interval(total, square, view.games, LEVEL, cells=cells),
            rate=False,
            constant=total * total == square * view.games,
        )
        for total, square in zip(sums.sum(axis=0).tolist(), squares.tolist(), strict=True)
    ]
    areas: dict[str, float] = {}
    for hex_, one in zip(hexes, each, strict=True):
        if hex_.area:
            areas[hex_.area] = areas.get(hex_.area, 0.0) + one.value
    by_turn = sums / np.maximum(games, 1)[:, None]
    # turns that at least 1 % of the games, and at least 20 games, reach
    reached = np.flatnonzero(games[1:] >= max(20.0, 0.01 * games.max(initial=0))) + 1
    turns = (reached if reached.size else np.flatnonzero(games[1:]) + 1).tolist()
    shown = np.linspace(0, len(turns) - 1, min(PANELS, len(turns))).round().astype(int)  # with the first and the last
    peak = None
    if turns and sums.any():
        turn = max(turns, key=lambda turn: float(by_turn[turn].sum()))
        at = int(np.argmax(by_turn[turn]))
        total, value = float(by_turn[turn].sum()), float(by_turn[turn, at])
        peak = Peak(turn=turn, total=total, hex=hex_name(hexes[at]), value=value)
    return Mark(
        mark=about.name, help=about.help, happens=about.happens, set_up=not about.happens and bool(sums[0].any()),
        per_game=dict(zip(numbers, each, strict=True)), peak=peak,
        by_turn={turns[i]: dict(zip(numbers, by_turn[turns[i]].tolist(), strict=True)) for i in shown},
        areas=dict(sorted(areas.items(), key=lambda pair: -pair[1])),
    )  # fmt: skip
