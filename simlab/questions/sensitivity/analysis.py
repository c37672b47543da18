"""Sobol's indices and Morris's elementary effects of the first seat's win rate, with the noise of the games removed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from simlab.errors import InputError
from simlab.game import Array
from simlab.present.answer import Answer, Number, Part, Rate
from simlab.present.blocks import GamesLink
from simlab.present.estimate import LEVEL, estimate_of, finite, is_number, plain
from simlab.runs.drill_down import all_games, games_where
from simlab.runs.goal import Goal, figure_words, goal
from simlab.runs.view import View, view_of
from simlab.stats import screening
from simlab.stats import sensitivity as sobol
from simlab.stats.intervals import Floats

BLOCKS = 20  #: number of blocks of games, which separate noise from the effect of knobs


class Index(Part):
    """Sobol's indices of a knob: shares of the variance between settings.

    Attributes:
        alone: share explained by the knob alone. total: share explained alone or together with others. raw_alone,
            raw_total: SALib's indices, noise included.
    """

    knob: str
    alone: Rate
    total: Rate
    raw_alone: float | None
    raw_total: float | None


class Effect(Part):
    """Elementary effects of a knob over its whole range, in points of the win rate.

    Attributes:
        size: mu*. mean: mu; None for a choice, whose options have no order. spread: sigma. noise: noise of one effect.
            raw_size, raw_spread: SALib's measures, noise included.
    """

    knob: str
    size: Number
    mean: Number | None
    spread: float
    noise: float
    raw_size: float
    raw_spread: float


class Sensitivity(Answer, form="sensitivity"):
    """Answer of `simlab report FOLDER --section sensitivity`; knobs with the largest effect first.

    Attributes:
        indices: indices of a Saltelli design; empty if the settings differ by no more than noise. effects: effects of a
            Morris design. statistic: the statistic in words. setup: the game, and the bots if each seat has one.
        spread: standard deviation of the win rate between settings, in points. noise_share: share of noise in the raw
            variance. base_points, trajectories: size of the design. settings: number of different settings. blocks:
            number of blocks of games.
        missing: why there is no result, in words.
    """

    setup: str
    statistic: str = ""
    indices: tuple[Index, ...] = ()
    effects: tuple[Effect, ...] = ()
    spread: float = 0.0
    noise_share: float = 0.0
    base_points: int = 0
    trajectories: int = 0
    settings: int = 0
    blocks: int = 0
    games: GamesLink | None = None
    missing: str = ""

    @property
    def varying(self) -> set[str]:
        """The knobs whose effects differ significantly from place to place, all judged together: an analysis of
        variance of their effects by trajectory and block of games.
        """
        from scipy.special import fdtrc

        free, chance, found = self.trajectories - 1, (1 - LEVEL) / max(len(self.effects), 1), set()
        for one in self.effects:
            noise = one.raw_spread**2 - one.spread**2  # variance of the effect in one trajectory, without place
            ratio = one.raw_spread**2 / noise if noise > 0 else math.inf
            if one.spread > 0 and fdtrc(free, free * (self.blocks - 1), ratio) <= chance:
                found.add(one.knob)
        return found


def of_run(results: Any) -> Sensitivity | None:
    """Sensitivity in a run with Saltelli's or Morris's design; None for other runs."""
    view = view_of(results)
    if view.method not in ("saltelli", "morris"):
        return None
    setup = f"{view.title}{view.fixed_bots}"
    wanted = goal(view)
    design = _design(view, wanted)
    if isinstance(design, str):
        return Sensitivity(setup=setup, missing=design)
    about: dict[str, Any] = {
        "setup": setup, "statistic": figure_words(view, wanted), "settings": len(design.rows),
        "blocks": design.means.shape[1], "games": _games(view),
    }  # fmt: skip
    means, knobs = design.means[design.sequence], design.knobs
    if view.method == "saltelli":
        found = sobol.sobol_indices(means, len(knobs))
        first, total = shares_within(found.first, found.total)
        indices = [
            Index(
                knob=knobs[i], alone=estimate_of(first[i]), total=estimate_of(total[i]),
                raw_alone=finite(found.plain_first[i]), raw_total=finite(found.plain_total[i]),
            )
            for i in (found.order if np.isfinite(found.total).all() else ())
        ]  # fmt: skip
        return Sensitivity(
            **about, base_points=found.points, noise_share=found.noise_share, spread=100 * math.sqrt(found.variance),
            indices=tuple(indices),
        )  # fmt: skip
    moves = _moves(design)
    if moves is None:
        return Sensitivity(setup=setup, missing="The settings are not trajectories of a Morris design.")
    of = screening.elementary_effects(means, *moves)
    ordered = [isinstance(value, bool) or is_number(value) for value in design.rows[0]]
    return Sensitivity(**about, trajectories=of.trajectories, effects=tuple(_effects(knobs, of, ordered)))


def shares_within(first: Floats, total: Floats) -> tuple[Floats, Floats]:
    """Shares alone and together with others, each with its interval, cut to 0..1.

    Noise can put a share outside; it is then shown at the edge. An interval that lies outside altogether says nothing
    but that a share alone is at most the share together.
    """
    alone, together = np.clip(first, 0, 1), np.clip(total, 0, 1)
    together[:, 1] = np.where(total[:, 1] > 1, alone[:, 1], together[:, 1])
    alone[:, 2] = np.where(first[:, 2] < 0, together[:, 2], alone[:, 2])
    return alone, together


def _effects(knobs: Sequence[str], of: screening.Screening, ordered: Sequence[bool]) -> Iterator[Effect]:
    for i in of.order:
        yield Effect(
            knob=knobs[i], size=estimate_of(np.maximum(of.size[i], 0.0), 100, rate=False),
            mean=estimate_of(of.mean[i], 100, rate=False) if ordered[i] else None,
            spread=100 * float(of.spread[i]), noise=100 * float(of.noise[i]),
            raw_size=100 * float(of.plain_size[i]), raw_spread=100 * float(of.plain_spread[i]),
        )  # fmt: skip


@dataclass(frozen=True)
class _Design:
    """A design whose order matters, with its results."""

    knobs: list[str]
    rows: list[Any]  #: the different settings
    sequence: list[int]  #: place in `rows` of each point of the design
    means: Floats  #: of the win rate by setting and block of games, line-ups averaged; shape (rows, blocks)


def _design(view: View, wanted: Goal) -> _Design | str:
    """The design of a run with blocks of its games, or the reason why there is none."""
    saltelli = view.method == "saltelli"
    fewest, multiple = (sobol.FEWEST, sobol.REPLICATES) if saltelli else (screening.FEWEST, 1)
    sequence, rows, knobs = (view.vary.get(name) for name in ("sequence", "rows", "knobs"))
    if not (isinstance(sequence, list) and isinstance(rows, list) and isinstance(knobs, list)):
        return "The run does not hold its design."
    width = len(knobs) + (2 if saltelli else 1)
    if len(sequence) < fewest * width or len(sequence) % (multiple * width):
        return f"Too few {'base points' if saltelli else 'trajectories'}: use {fewest} or more."
    if not all(isinstance(place, int) and 0 <= place < len(rows) for place in sequence):
        return "The run does not hold its design."
    means = _block_means(view, wanted)
    if means is None:
        return f"Each setting needs {2 * BLOCKS} games or more, and their rows."
    where: dict[str, list[int]] = {}
    for place, cell in enumerate(view.cells):
        where.setdefault(repr([cell.varied.get(name) for name in knobs]), []).append(place)
    places = [where.get(repr(row)) for row in rows]
    if any(place is None for place in places):
        return "Some settings of the design have not been played yet."
    each = np.array([means[place].mean(axis=0) for place in places])
    return _Design([plain(knob, 40) for knob in knobs], rows, sequence, each)


def _block_means(view: View, wanted: Goal) -> Floats | None:
    """Mean of the requested value, by cell and block of games: shape (cells, blocks); None without rows."""
    import polars as pl

    least = min(cell.games for cell in view.cells)
    if least < 2 * BLOCKS or len({cell.source.key for cell in view.cells}) < len(view.cells):
        return None
    size, won = least // BLOCKS, wanted.payoff.column(view.raw_seats, view.raw_endings)
    try:
        table = (
            view.results.scan()
            .filter(pl.col("game") < size * BLOCKS)
            .group_by("cell", (pl.col("game") // size).alias("block"))
            .agg(won.mean().alias("won"))
            .collect()
        )
    except InputError:  # only counts were kept
        return None
    held = {(key, block): value for key, block, value in table.iter_rows()}
    means = np.array([[held.get((cell.source.key, i), np.nan) for i in range(BLOCKS)] for cell in view.cells])
    return None if np.isnan(means).any() else means


def _games(view: View) -> GamesLink | None:
    """The games of the blocks: whole blocks only, and equally many for each cell."""
    each = min(cell.games for cell in view.cells) // BLOCKS * BLOCKS
    if {cell.games for cell in view.cells} == {each}:
        return all_games(view, view.all)
    if view.results.partial:
        return None  # which games are missing is not known
    return games_where(view, view.all, each * len(view.cells), f"game < {each}")


def _moves(design: _Design) -> tuple[Array, Array] | None:
    """The knob that each step moves, and by how much of its range; None if the rows are not trajectories.

    A move of a choice is 1, signed by the alphabetical order of its options.
    """
    width = len(design.knobs)
    rows, choices = np.empty((len(design.rows), width)), np.zeros(width, np.bool_)
    for knob, values in enumerate(zip(*design.rows, strict=True)):
        choices[knob] = not all(map(is_number, values))
        options = sorted(set(map(str, values)))
        rows[:, knob] = [options.index(str(value)) for value in values] if choices[knob] else values
    steps = np.diff(rows[design.sequence].reshape(-1, width + 1, width), axis=1)
    changed = steps != 0
    if (changed.sum(axis=2) != 1).any() or (changed.sum(axis=1) != 1).any():
        return None
    moved = changed.argmax(axis=2)
    ranges = np.where(choices[moved], np.abs(steps[changed].reshape(moved.shape)), np.ptp(rows, axis=0)[moved])
    return moved, steps[changed].reshape(moved.shape) / ranges
