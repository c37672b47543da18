"""Which of many knobs matter: Sobol's indices of the win rate."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from simlab.engine import outcome
from simlab.errors import UserMistake
from simlab.present.blocks import GamesLink
from simlab.present.chart import Draw, chart
from simlab.present.estimate import Estimate, ends_of, estimate_of, plain
from simlab.report import tables
from simlab.report.goal import Goal, figure_words, goal
from simlab.results.drill_down import all_games, games_where
from simlab.results.rows import Credit
from simlab.results.view import View
from simlab.stats.intervals import Floats
from simlab.stats.sensitivity import FEWEST, REPLICATES, Sensitivity, sobol_indices

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from rich.console import RenderableType

BLOCKS = 20  #: of games, by which Sobol's indices tell luck from knobs


@dataclass(frozen=True)
class Sensitivities:
    """Sobol's indices of the first seat's win rate.

    Attributes:
        knobs: names. found: the indices. spread: standard deviation of the win rate between settings, noise-free.
        blocks: of games by which the noise was measured; settings: different ones played.
    """

    knobs: list[str]
    found: Sensitivity
    goal: Goal
    blocks: int
    settings: int

    @property
    def spread(self) -> float:
        return math.sqrt(max(self.found.variance, 0.0))


def sensitivities(view: View) -> Sensitivities | None:
    """The indices of an experiment with Saltelli's design; None for others, or without the rows of the games."""
    if view.method != "saltelli":
        return None
    wanted = goal(view)
    played = played_design(view, wanted, 2, FEWEST, REPLICATES)
    if played is None:
        return None
    indices = sobol_indices(played.means[played.sequence], len(played.knobs))
    knobs = [plain(knob, 40) for knob in played.knobs]
    return Sensitivities(knobs, indices, wanted, played.means.shape[1], len(played.rows))


@dataclass(frozen=True)
class Played:
    """A design whose order counts, as it was played.

    Attributes:
        knobs: names. rows: the different settings. sequence: place in `rows` of each point of the design.
        means: what is wanted, by setting and block of games, match-ups averaged; shape (rows, blocks).
    """

    knobs: list[Any]
    rows: list[Any]
    sequence: list[int]
    means: Floats


def played_design(view: View, wanted: Goal, more: int, fewest: int, multiple: int = 1) -> Played | None:
    """The design of a sweep with blocks of its games; None where it is another, too short, or not all played.

    Args:
        more: points that a walk or base point has more than there are knobs. fewest: of those, and a `multiple`.
    """
    vary = view.vary
    sequence, rows, knobs = vary.get("sequence"), vary.get("rows"), vary.get("knobs")
    if not (isinstance(sequence, list) and isinstance(rows, list) and isinstance(knobs, list)):
        return None
    width = len(knobs) + more
    if len(sequence) < fewest * width or len(sequence) % (multiple * width):
        return None  # too short to say anything
    if not all(isinstance(i, int) and 0 <= i < len(rows) for i in sequence):
        return None
    means = _block_means(view, wanted)
    if means is None:
        return None
    where: dict[str, list[int]] = {}
    for i, cell in enumerate(view.cells):
        where.setdefault(repr([cell.varied.get(name) for name in knobs]), []).append(i)
    places = [where.get(repr(row)) for row in rows]
    if any(place is None for place in places):
        return None  # not all of the design was played
    each = np.array([means[place].mean(axis=0) for place in places])
    return Played(knobs, rows, sequence, each)


def _block_means(view: View, wanted: Goal) -> Floats | None:
    """What is wanted of each game, by cell and block of games: shape (cells, blocks); None without rows."""
    import polars as pl

    scan = getattr(view.results, "scan", None)
    least = min(cell.games for cell in view.cells)
    if scan is None or least < 2 * BLOCKS or len({cell.source.key for cell in view.cells}) < len(view.cells):
        return None
    size = least // BLOCKS
    column = wanted.column
    if isinstance(column, Credit):
        won = outcome.credit_column(view.raw_seats, column.seat)
    else:
        won = pl.any_horizontal(outcome.won_column(view.raw_seats, seat) for seat in column.seats).cast(pl.Float64)
    if column.split:
        won = pl.when(outcome.nobody_column()).then(1 / column.split).otherwise(won)
    try:
        table = (
            scan()
            .filter(pl.col("game") < size * BLOCKS)
            .group_by("cell", (pl.col("game") // size).alias("block"))
            .agg(won.mean().alias("won"))
            .collect()
        )
    except UserMistake:  # only counts were kept
        return None
    place = {cell.source.key: i for i, cell in enumerate(view.cells)}
    means = np.full((len(view.cells), BLOCKS), np.nan)
    for key, block, value in table.iter_rows():
        if key in place:
            means[place[key], int(block)] = value
    return None if np.isnan(means).any() else means


def games_of_blocks(view: View) -> GamesLink | None:
    """The games of the blocks: of each cell as many as all have, in whole blocks."""
    each = min(cell.games for cell in view.cells) // BLOCKS * BLOCKS
    if {cell.games for cell in view.cells} == {each}:
        return all_games(view, view.all)
    if getattr(view.results, "partial", False):
        return None  # a game that is missing is not known by its number
    return games_where(view, view.all, each * len(view.cells), f"game < {each}")


def sensitivities_sentence(view: View, one: Sensitivities) -> str:
    """Which knobs matter most, and how much of the differences was luck."""
    indices, what = one.found, figure_words(view, one.goal)
    if not math.isfinite(float(indices.total[0])):
        return f"Between {one.settings:,} settings {what} differs by no more than luck does: no knob can be ranked."
    order = indices.order
    named = [f"{one.knobs[i]} {_share(indices.total[i], indices.total_ends[i]).full}" for i in order[:3]]
    apart = [one.knobs[i] for i in order if indices.total_ends[i][1] < 0.05]
    text = (
        f"{what[:1].upper()}{what[1:]} differs between settings by ±{100 * one.spread:.1f} points (standard "
        f"deviation). Part in it, alone or with other knobs: {', '.join(named)}."
    )
    text += f" Hardly any (under 5 % for certain): {', '.join(apart[:8])}." if apart else ""
    return (
        f"{text} Luck of the games made {100 * indices.noise_share:.1f} % of the plain variance between settings and "
        f"was taken out, measured by {one.blocks} blocks of games; {indices.points:,} base points."
    )


@chart
def sobol(indices: Any, ax: Axes | None = None) -> Axes:
    """First-order (filled) and total (open) index of each knob, with intervals, the greatest on top."""

    from matplotlib.lines import Line2D

    from simlab.present import drawing

    order = indices.found.order[:30]
    ax = drawing.axes(ax, 1.0 + 0.32 * len(order))
    sides = (
        (indices.found.first, indices.found.first_ends, drawing.FACE),
        (indices.found.total, indices.found.total_ends, "none"),
    )
    for row, knob in enumerate(order):
        for side, (values, ends, face) in enumerate(sides):
            at = row + (side - 0.5) * 0.3
            ax.plot(np.clip(ends[knob], 0, 1), [at, at], color=drawing.FACE, linewidth=1.4)
            ax.plot(
                [min(max(float(values[knob]), 0), 1)],
                [at],
                "o",
                markersize=5.5,
                color=drawing.FACE,
                markerfacecolor=face,
            )
    ax.axvline(0, color=drawing.MUTED, linewidth=1)
    ax.set_yticks(range(len(order)), [drawing.label(indices.knobs[knob], 30) for knob in order])
    ax.set_ylim(len(order) - 0.4, -0.6)
    ax.grid(visible=False, axis="y")
    drawing.percent(ax, "x")
    ax.set_xlim(-0.03, 1.03)
    ax.set_xlabel("share of the variance between settings")
    shown = [
        Line2D([], [], color=drawing.FACE, marker="o", label="by itself"),
        Line2D([], [], color=drawing.FACE, marker="o", markerfacecolor="none", label="with others too"),
    ]
    ax.legend(handles=shown, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
    return ax


def section(view: View, draw: Draw, shares: Sensitivities) -> dict[str, Any]:
    """What the page shows: the chart and the table of the indices."""
    caption = (
        "Share of the variance between settings that each knob makes: filled by itself, open with all it does "
        "together with others; whiskers are 95 % intervals, the luck of the games taken out."
    )
    note = (
        "Sobol's indices by Saltelli's design (SALib), whole numbers, switches and choices drawn from their own "
        "values, each as likely as the next. Plain: as SALib gives them with the luck of the games in."
    )
    known = np.isfinite(shares.found.total).all()
    return {
        "sentence": sensitivities_sentence(view, shares),
        "figures": [draw("sobol", sobol(shares), caption, games=[games_of_blocks(view)])] if known else [],
        "indices": _index_rows(shares),
        "note": note,
        "games": games_of_blocks(view),
    }


def _share(value: float, ends: Floats) -> Estimate:
    """An index for people: what noise puts outside 0 to 100 % stands at the edge."""
    return estimate_of(np.clip((value, *ends), 0, 1))


def _index_rows(one: Sensitivities) -> list[dict[str, Any]]:
    indices = one.found
    return [
        {
            "knob": one.knobs[i],
            "first": _share(indices.first[i], indices.first_ends[i]),
            "total": _share(indices.total[i], indices.total_ends[i]),
            "plain_first": f"{100 * indices.plain_first[i]:.0f}" if math.isfinite(indices.plain_first[i]) else "–",
            "plain_total": f"{100 * indices.plain_total[i]:.0f}" if math.isfinite(indices.plain_total[i]) else "–",
        }
        for i in indices.order
    ]


def terminal(view: View, shares: Sensitivities) -> list[RenderableType | str]:
    """What `sweep` prints: the table of the indices."""
    made = tables.table(f"{view.title}: which knobs matter{view.fixed_bots}")
    made.add_column("knob", overflow="fold")
    tables.numbers(made, "by itself", "with others too")
    for row in _index_rows(shares):
        tables.add(made, [row["knob"], row["first"].full, row["total"].full])
    return [made, tables.typed(sensitivities_sentence(view, shares))]


def summary(view: View, shares: Sensitivities) -> dict[str, Any]:
    """What --json adds; empty where the settings differ by no more than luck."""
    if not np.isfinite(shares.found.total).all():
        return {}
    return {
        "sentence": sensitivities_sentence(view, shares),
        "indices": [
            {"knob": row["knob"], "first": ends_of(row["first"]), "total": ends_of(row["total"])}
            for row in _index_rows(shares)
        ],
        "noise_share": shares.found.noise_share,
    }
