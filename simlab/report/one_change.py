"""Which single change does most, and which is the smallest that reaches the target."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from simlab.present.chart import Draw, chart
from simlab.present.estimate import LEVEL, Estimate, ends_of, estimate_of, is_number, plain, value_text
from simlab.report import tables
from simlab.results import drill_down
from simlab.results.goal import FEWEST_GAMES, Goal, Rates, estimates_of, figure_words, goal, rates_of
from simlab.results.pool import Cell
from simlab.results.view import View
from simlab.stats.intervals import difference_of_rates
from simlab.stats.multiple_testing import holm
from simlab.stats.paired import paired_difference
from simlab.stats.sweep import Fix, cheapest, judge_fix
from simlab.stats.two_sample import rates_p_value

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from rich.console import RenderableType

MOST_STEPS = 30  #: changes that tables and charts list


@dataclass(frozen=True)
class Step:
    """One knob changed, all else as it stands.

    Attributes:
        knob, before, value: what changed. steps: how many steps away.
        points: change of the win rate in points, on the same seeds.
        score: change of the mean score, in a game of one seat that keeps scores, where it says more; else None.
        sure: whether there is a change (Holm over all): of the score where there is one, else of the win rate.
        rate: win rate after it; its interval holds for all changes together. alone: with an interval of its own.
        fix: it as a way to the target.
        factor: how many times more games with separate luck the same interval would take; nan without rows.
        cells: before and after the change.
    """

    knob: str
    before: Any
    value: Any
    steps: int
    points: Estimate
    p_value: float
    rate: Estimate
    fix: Fix[str]
    factor: float
    alone: Estimate
    score: Estimate | None = None
    cells: tuple[Cell, ...] = ()

    @property
    def effect(self) -> Estimate:
        """What the changes are ranked by."""
        return self.points if self.score is None else self.score

    @property
    def sure(self) -> bool:
        return self.p_value <= 1 - LEVEL

    @property
    def text(self) -> str:
        return f"{plain(self.knob, 40)} {value_text(self.before)} → {value_text(self.value)}"


@dataclass(frozen=True)
class Steps:
    """A study of one change at a time.

    Attributes:
        base: win rate as it stands, with an interval that holds together with those of the steps; alone: by itself.
        steps: the greatest change first. cheapest: smallest that reaches the target.
        there: whether the base is on target already, for certain.
        paired: whether differences are of the same seeds.
    """

    base: Estimate
    alone: Estimate
    steps: list[Step]
    goal: Goal
    cheapest: Fix[str] | None
    there: bool
    paired: bool
    games: int


def one_at_a_time(view: View) -> Steps | None:
    """The changes of an experiment that changes one knob at a time; None for others."""
    base = view.base
    if view.method != "one_at_a_time" or not base or min(cell.games for cell in view.cells) < FEWEST_GAMES:
        return None
    points: dict[tuple[str, ...], list[Cell]] = {}
    for cell in view.cells:
        points.setdefault(tuple(repr(cell.varied.get(name)) for name in base), []).append(cell)
    here = tuple(map(repr, base.values()))
    if here not in points or len(points) < 2:
        return None
    others = [key for key in points if key != here]
    wanted = goal(view)
    groups = [points[here], *(points[key] for key in others)]
    measured = rates_of(view, groups, wanted)
    alone = estimates_of(view, groups, wanted, measured)
    each = 1 - (1 - LEVEL) / len(measured.value)
    ends = measured.ends(each)
    steps, p_values = [], []
    scores = view.scores() if measured.won is not None else None
    columns = [[view.cells.index(cell) for cell in points[key]] for key in (here, *others)]
    for i, key in enumerate(others, start=1):
        cell = points[key][0]
        knob = next(name for name in base if cell.varied.get(name) != base[name])
        if measured.won is not None:
            pair = paired_difference(measured.won[:, 0], measured.won[:, i])
            change, p, factor = (pair.difference, pair.low, pair.high), pair.p_value, pair.factor
            score = None
            if scores is not None:
                gain = paired_difference(scores[:, columns[0]].mean(axis=1), scores[:, columns[i]].mean(axis=1))
                score = Estimate(gain.difference, gain.low, gain.high, False)
                p, factor = gain.p_value, gain.factor
        else:
            change, p = _unpaired(measured, i)
            factor, score = math.nan, None
        rate = Estimate(float(measured.value[i]), float(ends[i, 0]), float(ends[i, 1]))
        value = cell.varied[knob]
        away = _away(base[knob], value, [c.varied[knob] for c in view.cells])
        fix = judge_fix(
            f"{plain(knob, 40)} = {value_text(value)}", away, rate.value, rate.low, rate.high, (wanted.low, wanted.high)
        )
        points_ = estimate_of(change, 100, False)
        steps.append(
            Step(
                knob, base[knob], value, away, points_, p, rate, fix, factor, alone[i], score, (*groups[0], *groups[i])
            )
        )
        p_values.append(p)
    adjusted = holm(p_values)
    steps = [replace(s, p_value=float(p)) for s, p in zip(steps, adjusted, strict=True)]
    steps.sort(key=lambda step: -abs(step.effect.value))
    at = Estimate(float(measured.value[0]), float(ends[0, 0]), float(ends[0, 1]))
    there = wanted.target is not None and wanted.low <= at.low and at.high <= wanted.high
    best = None if wanted.target is None or there else cheapest([step.fix for step in steps], wanted.target)
    games = min(cell.games for cell in view.cells)
    return Steps(at, alone[0], steps, wanted, best, there, measured.won is not None, games)


def _unpaired(rates: Rates, i: int) -> tuple[tuple[float, float, float], float]:
    """Difference and p-value from rates whose shared luck is not known: as if it were separate."""
    variance = np.maximum(np.diag(rates.covariance), 1e-12)
    n = np.maximum(rates.value * (1 - rates.value) / variance, 1.0)
    groups = rates.value[0] * n[0], n[0], rates.value[i] * n[i], n[i]
    return difference_of_rates(*groups), rates_p_value(*groups)


def _away(before: Any, value: Any, played: Sequence[Any]) -> int:
    """Steps between two values, of those that were played."""
    if not (is_number(before) and is_number(value)):
        return 1
    low, high = sorted((before, value))
    return sum(low < other <= high for other in set(played) | {before})


def steps_sentence(view: View, study: Steps) -> str:
    """Which change does most, and the smallest that reaches the target."""
    sure = [step for step in study.steps if step.sure]
    what = figure_words(view, study.goal)
    text = f"As it stands {what} is {study.base.full}."
    if sure:
        top = sure[0]
        text += (
            f" Of {len(study.steps):,} single changes {len(sure):,} move {_moved(study)} for certain; most does "
            f"{top.text}: {_signed(top.effect)} points."
        )
    else:
        text += f" Of {len(study.steps):,} single changes none moves {_moved(study)} for certain."
    if study.goal.target is None:
        return text
    target = f"{100 * study.goal.target:.4g} % (±{100 * (study.goal.high - study.goal.target):.2g})"
    if study.there:
        return f"{text} It is on target, {target}, already."
    if study.cheapest is None:
        near = min(study.steps, key=lambda step: abs(step.rate.value - (study.goal.target or 0)))
        return f"{text} No single change here reaches {target}; nearest comes {near.text}: {near.rate.full}."
    best = next(step for step in study.steps if step.fix is study.cheapest)
    word = "Cheapest fix" if study.cheapest.reach == "reaches" else "Perhaps the cheapest fix, more games would tell"
    far = f", {best.steps} steps" if best.steps > 1 else ""
    return f"{text} {word}, to {target}: {best.text}{far}, which gives {best.rate.full}. Confirm it on a fresh seed."


def _moved(study: Steps) -> str:
    return "it" if study.steps[0].score is None else "the score"


def _signed(points: Estimate) -> str:
    sign = "+" if points.value > 0 else ""
    return f"{sign}{points.full}"


@chart
def draw_steps(changes: Sequence[Any], ax: Axes | None = None) -> Axes:
    """Change of the win rate (of one seat: of the score) by each single change; filled where it is certain."""

    from simlab.present import drawing

    ax = drawing.axes(ax, 0.9 + 0.25 * len(changes))
    for row, step in enumerate(changes):
        one = step.effect
        color = drawing.seat_color(0 if one.value > 0 else 1) if step.sure else drawing.MUTED
        ax.plot([one.low, one.high], [row, row], color=color, linewidth=1.4)
        ax.plot([one.value], [row], "o", markersize=5, color=color, markerfacecolor=color if step.sure else "none")
    ax.axvline(0, color=drawing.MUTED, linewidth=1)
    ax.set_yticks(range(len(changes)), [drawing.label(step.text, 38) for step in changes])
    ax.set_ylim(len(changes) - 0.4, -0.6)
    ax.grid(visible=False, axis="y")
    ax.set_xlabel("change of the win rate, in points" if changes[0].score is None else "change of the mean score")
    return ax


def section(view: View, draw: Draw, steps: Steps) -> dict[str, Any]:
    """What the page shows: the chart of the greatest changes, and the table of all."""
    caption = (
        f"Change of {'the mean score' if steps.steps[0].score else figure_words(view, steps.goal)} by single changes, "
        f"in points, the greatest on top; whiskers are 95 % "
        f"intervals one by one, filled dots are changes for certain, all judged together (Holm)."
    )
    luck = "game by game on the same seeds" if steps.paired else "as if the luck were separate, since no rows were kept"
    note = (
        f"{steps.games:,} games a setting, compared {luck}. Win rates after the change have intervals that "
        "hold for all lines together; whether a change is certain is judged by Holm's method."
    )
    return {
        "sentence": steps_sentence(view, steps),
        "figures": [draw("steps", draw_steps(steps.steps[:MOST_STEPS]), caption)],
        "steps": [_step_row(view, step) for step in steps.steps],
        "note": note,
    }


def _step_row(view: View, step: Step) -> dict[str, Any]:
    return {
        "behind": drill_down.all_games(view, view.pool("", step.cells)),
        "change": step.text,
        "points": step.points,
        "score": step.score,
        "sure": "yes" if step.sure else "no",
        "rate": step.rate,
        "reach": step.fix.reach,
        "factor": f"{step.factor:.1f}" if math.isfinite(step.factor) else "–",
    }


def terminal(view: View, steps: Steps) -> list[RenderableType | str]:
    """What `sweep` prints: the table of the changes."""
    made = tables.table(f"{view.title}: one change at a time{view.fixed_bots}")
    made.add_column("change", overflow="fold")
    scored = ["score more"] if steps.steps[0].score else []
    tables.numbers(made, *scored, f"{steps.goal.who} wins, points more", "for certain", "wins then", "target")
    for step in steps.steps[:MOST_STEPS]:
        reach = step.fix.reach if steps.goal.target is not None else "-"
        tables.add(
            made,
            [
                step.text.replace("→", "->"),
                *([_signed(step.score).replace("–", "-")] if step.score else []),
                _signed(step.points).replace("–", "-"),
                "yes" if step.sure else "no",
                step.rate.full,
                reach,
            ],
        )
    left = len(steps.steps) - MOST_STEPS
    made.caption = f"{left} smaller changes stand in the report" if left > 0 else ""
    return [made, tables.typed(steps_sentence(view, steps)).replace("→", "->")]


def summary(view: View, steps: Steps) -> dict[str, Any]:
    """What --json adds."""
    cheap = steps.cheapest
    return {
        "sentence": steps_sentence(view, steps),
        "base": ends_of(steps.alone),
        "changes": [
            {
                "knob": step.knob, "before": step.before, "value": step.value, "points": ends_of(step.points),
                "score": ends_of(step.score) if step.score else None, "p_value": step.p_value,
                "win_rate": ends_of(step.alone), "reach": step.fix.reach,
            }
            for step in steps.steps
        ],
        "cheapest": None if cheap is None else {"change": cheap.what, "reach": cheap.reach},
    }  # fmt: skip
