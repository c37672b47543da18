"""Finds where the win rate of the first seat meets its target, over one knob or two."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np

from simlab.game import KnobValue
from simlab.present.answer import Answer, Part, Rate
from simlab.present.blocks import GamesLink
from simlab.present.estimate import Estimate, finite, is_number
from simlab.runs.drill_down import all_games
from simlab.runs.goal import FEWEST_GAMES, Goal, estimates_of, figure_words, goal, rates_of
from simlab.runs.view import View, view_of
from simlab.stats.intervals import Floats
from simlab.stats.sweep import crossings
from simlab.stats.tournament import sup_t

MOST_SETTINGS = 4_000  #: of a map with a simultaneous band


class Target(Part):
    """The reference for the win rate.

    Attributes:
        statistic: the statistic in words. label: label of its axis. value: the target, or None. low, high: the band in
            which the target counts as reached.
        stated: whether the contract of the experiment states it. several: whether the game has several sides.
    """

    statistic: str
    label: str
    value: float | None
    low: float | None
    high: float | None
    stated: bool
    several: bool

    @property
    def text(self) -> str:
        return f"{100 * (self.value or 0):.4g} %"


class CrossingPoint(Part):
    """The value at which the curve meets the target. low, high: None for an end beyond the values played."""

    at: float
    low: float | None
    high: float | None
    rising: bool


class Curve(Part):
    """The win rate over one knob.

    Attributes:
        rates: win rates, each with its own interval. line_ups: the rates of each line-up, if several play.
        printed: the printed value, if it was played. whole: whether the values are whole numbers.
    """

    knob: str
    values: tuple[float, ...]
    rates: tuple[Rate, ...]
    line_ups: tuple[tuple[float | None, ...], ...]
    meetings: tuple[CrossingPoint, ...]
    printed: float | None
    whole: bool


class FairMap(Part):
    """The win rate over two knobs, row by row.

    Attributes:
        rates: win rates, each with its own interval. low, high: a band that covers the whole map; empty with too few
            games, or too many settings. printed: row and column of the printed values, if they were played.
    """

    down: str
    across: str
    rows: tuple[KnobValue, ...]
    columns: tuple[KnobValue, ...]
    rates: tuple[tuple[Rate, ...], ...]
    low: tuple[tuple[float, ...], ...]
    high: tuple[tuple[float, ...], ...]
    printed: tuple[int, int] | None

    @property
    def table(self) -> Floats:
        return np.array([[rate.value for rate in row] for row in self.rates])

    @property
    def band(self) -> tuple[Floats, Floats] | None:
        """`low` and `high`, each of the shape of `table`; None if they are empty."""
        return (np.array(self.low), np.array(self.high)) if self.low else None


class FairSettings(Answer, form="fair-settings"):
    """Answer of `simlab report FOLDER --section fair_settings`.

    Attributes:
        setup: the game, and the bots if each seat has one. games: number of games of the run.
    """

    setup: str
    target: Target
    curve: Curve | None = None
    map: FairMap | None = None
    games: GamesLink | None = None


def of_run(results: Any) -> FairSettings | None:
    """For a run in which one knob varies, the curve; for two knobs, the map; None for other runs."""
    view = view_of(results)
    wanted = goal(view, even_odds=True)
    curve, plane = curve_of(view, wanted), map_of(view, wanted)
    if curve is None and plane is None:
        return None
    setup, target = f"{view.title}{view.fixed_bots}", target_of(view, wanted)
    return FairSettings(setup=setup, target=target, curve=curve, map=plane, games=all_games(view, view.all))


def target_of(view: View, wanted: Goal) -> Target:
    """A goal in words and numbers."""
    return Target(
        statistic=figure_words(view, wanted), label=f"win rate of {view.the_side(wanted.who)}", value=wanted.target,
        low=finite(wanted.low), high=finite(wanted.high), stated=wanted.said, several=len(view.sides) > 1,
    )  # fmt: skip


def curve_of(view: View, wanted: Goal) -> Curve | None:
    """The curve of the one knob that varies, if it is a number and its cells have enough games."""
    if view.designed or len(view.varied) != 1:
        return None
    knob, values = next(iter(view.varied.items()))
    if not all(is_number(value) for value in values) or min(cell.games for cell in view.cells) < FEWEST_GAMES:
        return None
    groups = [pool.cells for pool in view.by_value(knob)]
    measured = rates_of(view, groups, wanted)
    rates = estimates_of(view, groups, wanted)
    met = [] if wanted.target is None else crossings(values, measured.value, measured.covariance, wanted.target)
    by_bots = view.cells_by(lambda cell: tuple(cell.bots.values()))
    line_ups = [{cell.varied[knob]: wanted.rate(cell) for cell in cells} for cells in by_bots.values()]
    printed = view.printed(knob)
    return Curve(
        knob=knob, values=tuple(map(float, values)), rates=tuple(rates),
        line_ups=tuple(tuple(line.get(v) for v in values) for line in line_ups) if len(line_ups) > 1 else (),
        meetings=tuple(
            CrossingPoint(at=one.at, low=finite(one.low), high=finite(one.high), rising=one.rising) for one in met
        ),
        printed=None if printed is None else float(printed), whole=all(isinstance(value, int) for value in values),
    )  # fmt: skip


def map_of(view: View, wanted: Goal) -> FairMap | None:
    """The map of the two knobs that vary, if each value of one knob was played with each value of the other."""
    if view.designed or len(view.varied) != 2 or not view.is_grid:
        return None
    (down, rows), (across, columns) = view.varied.items()
    groups = [
        [c for c in view.cells if c.varied.get(down) == r and c.varied.get(across) == k] for r in rows for k in columns
    ]
    shape = (len(rows), len(columns))
    band = np.zeros((0, 0, 2))
    if min(cell.games for cell in view.cells) < FEWEST_GAMES or len(view.cells) > MOST_SETTINGS:
        rates = [view.pool("", cells).win_rate(0) for cells in groups]
    else:
        measured = rates_of(view, groups, wanted)
        rates = estimates_of(view, groups, wanted)
        rates = [Estimate(float(v), r.low, r.high) for v, r in zip(measured.value, rates, strict=True)]
        band = measured.ends(2 * NormalDist().cdf(sup_t(measured.covariance)) - 1).reshape(*shape, 2)
    printed = view.printed(down), view.printed(across)
    return FairMap(
        down=down, across=across, rows=tuple(rows), columns=tuple(columns),
        rates=tuple(tuple(rates[at : at + shape[1]]) for at in range(0, len(rates), shape[1])),
        low=tuple(map(tuple, band[..., 0].tolist())), high=tuple(map(tuple, band[..., 1].tolist())),
        printed=None if None in printed else (rows.index(printed[0]), columns.index(printed[1])),
    )  # fmt: skip
