"""Which of many knobs do anything: elementary effects on the win rate."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from simlab.present.chart import Draw, chart
from simlab.present.estimate import Estimate, ends_of, estimate_of, is_number, number, plain
from simlab.report import tables
from simlab.report.goal import Goal, figure_words, goal
from simlab.report.sensitivity import Played, games_of_blocks, played_design
from simlab.results.view import View
from simlab.stats.intervals import Floats
from simlab.stats.screening import FEWEST, Screening, elementary_effects

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from rich.console import RenderableType

_LITTLE = 2.0  # points of the win rate: knobs that do less for certain are named
_MOST_NAMED = 8


@dataclass(frozen=True)
class Effects:
    """Elementary effects on the first seat's win rate, in points for a move over a knob's whole range.

    Attributes:
        knobs: names. ordered: whether a knob has an upward way; a choice has none.
        measures: the effects. blocks: of games by which the noise was measured; settings: different ones played.
    """

    knobs: list[str]
    ordered: list[bool]
    measures: Screening
    goal: Goal
    blocks: int
    settings: int

    def size(self, knob: int) -> Estimate:
        """A size: what luck makes less than nothing stands at 0."""
        return estimate_of((max(self.measures.size[knob], 0.0), *self.measures.size_ends[knob]), 100, rate=False)

    def mean(self, knob: int) -> Estimate | None:
        """None for a choice, whose options stand in no order."""
        if not self.ordered[knob]:
            return None
        return estimate_of((self.measures.mean[knob], *self.measures.mean_ends[knob]), 100, rate=False)


def screening(view: View) -> Effects | None:
    """The effects of an experiment with Morris's design; None for others, or without the rows of the games."""
    if view.method != "morris":
        return None
    wanted = goal(view)
    played = played_design(view, wanted, 1, FEWEST)
    if played is None:
        return None
    moves = _moves(played)
    if moves is None:
        return None
    measures = elementary_effects(played.means[played.sequence], *moves)
    ordered = [isinstance(row, bool) or is_number(row) for row in played.rows[0]]
    knobs = [plain(knob, 40) for knob in played.knobs]
    return Effects(knobs, ordered, measures, wanted, played.means.shape[1], len(played.rows))


def _moves(played: Played) -> tuple[list[list[int]], list[list[float]]] | None:
    """The knob that each step moves, and by how much of its range; None where the rows are no trajectories."""
    width = len(played.knobs)
    columns = [[row[knob] for row in played.rows] for knob in range(width)]
    moved: list[list[int]] = []
    steps: list[list[float]] = []
    for first in range(0, len(played.sequence), width + 1):
        walk = [played.rows[place] for place in played.sequence[first : first + width + 1]]
        knobs, ways = [], []
        for before, after in itertools.pairwise(walk):
            changed = [knob for knob in range(width) if before[knob] != after[knob]]
            if len(changed) != 1:
                return None
            knobs.append(changed[0])
            ways.append(_way(before[changed[0]], after[changed[0]], columns[changed[0]]))
        if sorted(knobs) != list(range(width)):
            return None
        moved.append(knobs)
        steps.append(ways)
    return moved, steps


def _way(before: Any, after: Any, values: Sequence[Any]) -> float:
    """A move as a share of the range; of a choice 1, with the sign of the options' alphabet."""
    if all(is_number(value) for value in values):
        return float((after - before) / (max(values) - min(values)))
    return 1.0 if str(after) > str(before) else -1.0


def effects_sentence(view: View, one: Effects) -> str:
    """Which knobs do most, which next to nothing, and whose effect hangs on the others."""
    order, measures = one.measures.order, one.measures
    what = figure_words(view, one.goal)
    doing = [knob for knob in order if measures.size_ends[knob, 0] > 0]
    if not doing:
        return (
            f"No knob moves {what} more than luck does: at most "
            f"{100 * float(measures.size_ends[:, 1].max()):.1f} points over its whole range. More games would tell."
        )
    named = [f"{one.knobs[knob]} {one.size(knob).full}" for knob in doing[:3]]
    little = [one.knobs[knob] for knob in order if 100 * measures.size_ends[knob, 1] < _LITTLE]
    hanging = [one.knobs[knob] for knob in doing if measures.spread[knob] > measures.size[knob] / 2]
    text = f"Moved over its whole range, a knob moves {what} by so many points on average: {', '.join(named)}."
    text += f" Less than {_LITTLE:g} points for certain: {', '.join(little[:_MOST_NAMED])}." if little else ""
    if hanging:
        text += (
            f" What {_listed(hanging[:_MOST_NAMED])} {'do' if len(hanging) > 1 else 'does'} hangs on the other knobs, "
            "or on where it stands."
        )
    return (
        f"{text} {measures.trajectories} trajectories, {one.settings:,} settings; the luck of the games was measured "
        f"by {one.blocks} blocks of games and taken out; intervals hold for all knobs together."
    )


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


@chart
def morris(effects: Any, ax: Axes | None = None) -> Axes:
    """Size of each knob's effects (to the right) and their spread (upwards), with intervals of the size."""
    from simlab.present import drawing

    ax = drawing.axes(ax, 4.2)
    sizes, spreads = 100 * effects.measures.size, 100 * effects.measures.spread
    ends: Floats = 100 * effects.measures.size_ends
    for knob, (size, spread) in enumerate(zip(np.maximum(sizes, 0), spreads, strict=True)):
        ax.plot(ends[knob], [spread, spread], color=drawing.FACE, linewidth=1.2, alpha=0.7)
        ax.plot([size], [spread], "o", markersize=5.5, color=drawing.FACE)
        if knob in effects.measures.order[:12]:
            ax.annotate(drawing.label(effects.knobs[knob], 24), (size, spread), (4, 4), textcoords="offset points",
                        fontsize=8)  # fmt: skip
    widest = float(max(ends.max(), spreads.max(), 1e-9))
    ax.plot([0, widest], [0, widest / 2], color=drawing.MUTED, linewidth=0.8, linestyle="dotted")
    ax.set_xlim(-0.02 * widest, 1.15 * widest)
    ax.set_ylim(bottom=-0.03 * float(max(spreads.max(), widest / 4)))
    ax.set_xlabel("mean size of the effect (mu*), points of the win rate")
    ax.set_ylabel("spread from place to place (sigma)")
    return ax


def section(view: View, draw: Draw, effects: Effects) -> dict[str, Any]:
    """What the page shows: the chart and the table of the effects."""
    caption = (
        "To the right: how much a knob does over its whole range; upwards: how much that differs from place to place. "
        "Above the dotted line the spread is more than half of the size: the knob acts together with others, or not in "
        "a straight line. Whiskers: 95 % intervals of all knobs together."
    )
    note = (
        "Elementary effects on Morris's trajectories: a number moves half of its levels, a switch to its other side, a "
        "choice to another option; effects count for the whole range. The sign of each effect is judged by other games "
        "than its size, so that luck by itself adds nothing. Plain: with the luck of the games in, as SALib gives it."
    )
    return {
        "sentence": effects_sentence(view, effects),
        "figures": [draw("morris", morris(effects), caption, games=[games_of_blocks(view)])],
        "effects": _rows(effects),
        "note": note,
        "games": games_of_blocks(view),
    }


def _rows(one: Effects) -> list[dict[str, Any]]:
    measures = one.measures
    return [
        {
            "knob": one.knobs[knob],
            "size": one.size(knob),
            "mean": one.mean(knob),
            "spread": _points(measures.spread[knob]),
            "plain_size": _points(measures.plain_size[knob]),
            "plain_spread": _points(measures.plain_spread[knob]),
        }
        for knob in measures.order
    ]


def _points(share: float) -> str:
    return number(100 * share, 0.2) if math.isfinite(share) else "–"


def terminal(view: View, effects: Effects) -> list[RenderableType | str]:
    """What `sweep` prints: the table of the effects."""
    made = tables.table(f"{view.title}: what each knob does over its range, points of the win rate{view.fixed_bots}")
    made.add_column("knob", overflow="fold")
    tables.numbers(made, "mu*", "mu", "sigma", "plain mu*")
    for row in _rows(effects):
        mean = row["mean"].full if row["mean"] else "-"
        tables.add(made, [row["knob"], row["size"].full, mean, row["spread"], row["plain_size"]])
    return [made, tables.typed(effects_sentence(view, effects))]


def summary(view: View, effects: Effects) -> dict[str, Any]:
    """What --json adds; shares of the win rate."""
    measures = effects.measures
    return {
        "sentence": effects_sentence(view, effects),
        "effects": [
            {
                "knob": effects.knobs[knob],
                "mu_star": _ends(measures.size[knob], measures.size_ends[knob]),
                "mu": _ends(measures.mean[knob], measures.mean_ends[knob]) if effects.ordered[knob] else None,
                "sigma": float(measures.spread[knob]),
                "noise": float(measures.noise[knob]),
                "plain_mu_star": float(measures.plain_size[knob]),
                "plain_sigma": float(measures.plain_spread[knob]),
            }
            for knob in measures.order
        ],
        "trajectories": measures.trajectories,
    }


def _ends(value: float, ends: Floats) -> dict[str, float | None]:
    return ends_of(Estimate(float(value), float(ends[0]), float(ends[1])))
