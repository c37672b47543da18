"""Lengths of the games of a run, in turns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from simlab.present.answer import Number, Part
from simlab.present.blocks import GamesLink
from simlab.runs import drill_down
from simlab.runs.cell_pools import Pool
from simlab.runs.games_answer import GamesAnswer
from simlab.runs.view import view_of

MOST_CURVES = 5  #: cells or values of a knob that have a curve each
MOST_FAINT = 40  #: cells drawn behind the curve of all together


class Lengths(Part):
    """How many games (`counts`) took how many turns (`turns`)."""

    label: str
    turns: tuple[int, ...]
    counts: tuple[int, ...]


class Length(GamesAnswer, form="length-counted"):
    """Lengths of games.

    Attributes:
        quantiles: quantiles of the length: `p5`, `p50`, `p90` and `p95`.
        whole: all games. parts: cells, or groups of cells, if there are few. single: single cells, if there are many.
        longest_games: the games of the greatest length.
    """

    mean: Number
    quantiles: dict[str, Number]
    whole: Lengths
    parts: tuple[Lengths, ...] = ()
    single: tuple[Lengths, ...] = ()
    longest_games: GamesLink | None = None


def of_run(results: Any) -> Length:
    view = view_of(results)
    pool, groups = view.all, view.groups(MOST_CURVES)
    few = 1 < len(groups) <= MOST_CURVES
    faint = [] if few or len(view.cells) == 1 else view.cells[:: -(-len(view.cells) // MOST_FAINT)]
    return Length.of(
        view,
        mean=pool.mean_length(),
        quantiles={f"p{round(100 * q)}": pool.quantile(pool.length, q, column="turns") for q in (0.05, 0.5, 0.9, 0.95)},
        whole=_lengths([pool])[0],
        parts=_lengths(groups) if few else (),
        single=_lengths([Pool("", [cell]) for cell in faint]),
        longest_games=drill_down.highest(view, pool, "turns", pool.length, "the longest"),
    )


def _lengths(pools: Sequence[Pool]) -> tuple[Lengths, ...]:
    return tuple(Lengths(label=p.label, turns=p.length[0].tolist(), counts=p.length[1].tolist()) for p in pools)
