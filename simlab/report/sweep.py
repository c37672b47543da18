"""What a sweep answers: where the game is fair, which small change does it, which knobs matter; with intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from simlab.engine import outcome
from simlab.errors import UserMistake
from simlab.report import describe
from simlab.report.estimate import LEVEL, Estimate, estimate_of, is_number, plain, value_text, words
from simlab.report.pool import Cell
from simlab.report.rows import Credit, Won
from simlab.report.view import View
from simlab.stats.figure import Share
from simlab.stats.intervals import Floats, difference_of_rates, wilson
from simlab.stats.many import holm
from simlab.stats.paired import paired_difference
from simlab.stats.sensitivity import FEWEST, REPLICATES, Sensitivity, sobol_indices
from simlab.stats.sweep import Crossing, Fix, cheapest, crossings, judge_fix
from simlab.stats.tournament import floored, sup_t

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

BLOCKS = 20  #: of games, by which Sobol's indices tell luck from knobs
MOST_STEPS = 30  #: changes that tables and charts list
MOST_COLUMNS = 12  #: of a map in the terminal
_FEWEST_GAMES = 100  # of each cell, for anything that rests on normal errors


@dataclass(frozen=True)
class Goal:
    """The win rate that is wanted of the first seat, or of the side of several seats that it is on.

    Attributes:
        target: None where nobody said and no equal share exists: a game of one seat, of one side, or of sides that
            win together.
        low, high: band that counts as reached.
        said: whether the experiment's contract says so.
        column: what is read of a game: the win where the contract speaks of it, else its parts, with a game that
            nobody wins split among all, so that the shares of all add up to 1.
        who: the seat or side. side: its place among the sides; None for the seat itself.
    """

    target: float | None
    low: float
    high: float
    said: bool
    column: Won | Credit
    who: str
    side: int | None

    def rate(self, cell: Cell) -> float:
        """Mean of the column over the games of a cell."""
        if isinstance(self.column, Credit):
            won = float(cell.credits[self.column.seat])
        else:
            won = float(cell.wins[self.column.seats[0]] if self.side is None else cell.tally.side_wins[self.side])
        lost = cell.nobody / self.column.split if self.column.split else 0.0
        return (won + lost) / max(cell.games, 1)


def goal(view: View) -> Goal:
    """The target of the contract for the wins of the first seat, or of its side; else an equal share."""
    side = next((i for i, (_, seats, _) in enumerate(view.sides) if 0 in seats and len(seats) > 1), None)
    figures: list[tuple[Share, tuple[int, ...], str, int | None]] = [(view.figures.wins[0], (0,), view.seats[0], None)]
    if side is not None:
        name, seats, _ = view.sides[side]
        figures += [(figure, seats, name, side) for figure in view.figures.sides if plain(figure.about, 60) == name]
    for figure, seats, who, place in figures:
        wanted = view.contract.get(figure.name, {})
        target, margin = wanted.get("target"), wanted.get("margin")
        if isinstance(target, int | float) and isinstance(margin, int | float):
            return Goal(float(target), target - margin, target + margin, True, Won(seats), who, place)
    _, seats, who, place = figures[-1]
    sides = len(view.sides)
    if sides < 2 or (view.has_sides and not _one_side_wins(view)):
        return Goal(None, -math.inf, math.inf, False, Won(seats), who, place)
    fair, half = 1 / sides, describe.EVEN / 2
    column = Won(seats, sides) if view.has_sides else Credit(0, sides)
    return Goal(fair, fair - half, fair + half, False, column, who, place)


def _one_side_wins(view: View) -> bool:
    """Whether no game is won by several sides."""
    return all(int(cell.tally.side_wins.sum()) + cell.nobody == cell.games for cell in view.cells)


def _splits(view: View, wanted: Goal) -> bool:
    """Whether some games are split: won by several, or by nobody."""
    if isinstance(wanted.column, Credit):
        return view.all.without_single > 0
    return wanted.column.split > 0 and view.all.nobody > 0


def _what(view: View, wanted: Goal) -> str:
    """The figure in words."""
    of = f"{view.the(wanted.who)}'{'' if wanted.who.endswith('s') else 's'}"
    return f"{of} {'share of the wins (draws split)' if _splits(view, wanted) else 'win rate'}"


# --- Rates of points, with their shared luck ------------------------------------------


@dataclass(frozen=True)
class Rates:
    """The first seat's win rate at some points, match-ups averaged.

    Attributes:
        value: shape (m,). covariance: shape (m, m). measured: whether shared luck is in it.
        won: what was won in the games that all cells played, shape (games, m); None without rows.
        least: games that a point is worth at least, shape (m,).
    """

    value: Floats
    covariance: Floats
    measured: bool
    won: Floats | None
    least: Floats

    def ends(self, level: float) -> Floats:
        """Wilson's interval of each rate, for as many games of separate luck as have its variance; shape (m, 2)."""
        spread = self.value * (1 - self.value)
        worth = np.where(spread > 0, spread / np.diag(self.covariance), self.least)
        return wilson(self.value * worth, worth, level)


def rates_of(view: View, groups: Sequence[Sequence[Cell]], wanted: Goal) -> Rates:
    """Win rates of groups of cells."""
    place = {id(cell): i for i, cell in enumerate(view.cells)}
    weights = np.zeros((len(groups), len(view.cells)))
    for i, cells in enumerate(groups):
        for cell in cells:
            weights[i, place[id(cell)]] = cell.games / max(sum(c.games for c in cells), 1)
    each = np.array([wanted.rate(cell) for cell in view.cells])
    games = np.array([sum(cell.games for cell in cells) for cells in groups], np.float64)
    measured = view.covariance(wanted.column)
    if measured is None:
        alone = np.sqrt(each * (1 - each) / np.maximum([cell.games for cell in view.cells], 1))
        covariance = np.diag((weights @ alone) ** 2)  # cells of a group as if they shared all their luck
    else:
        covariance = weights @ measured @ weights.T
    rows = view.by_game(wanted.column)
    won = None if rows is None else rows @ weights.T
    least = games / np.array([len(cells) for cells in groups])
    return Rates(np.clip(weights @ each, 0, 1), floored(covariance, games), measured is not None, won, least)


def _estimates(view: View, groups: Sequence[Sequence[Cell]], wanted: Goal, found: Rates) -> list[Estimate]:
    """The rates with intervals that hold one by one: those that every table has for these cells."""
    split = _splits(view, wanted)
    if split and (len(view.seats) > 2 or view.has_sides):
        return [
            Estimate(float(r), float(a), float(b)) for r, (a, b) in zip(found.value, found.ends(LEVEL), strict=True)
        ]
    pools = [view.pool("", list(cells)) for cells in groups]
    if wanted.side is not None:
        return [pool.side_rate(wanted.side) for pool in pools]
    return [pool.credit(0) if split else pool.win_rate(0) for pool in pools]


# --- One knob ---------------------------------------------------------------------


@dataclass(frozen=True)
class Curve:
    """Win rate over one knob.

    Attributes:
        values: of the knob, numbers. rates: with intervals that hold one by one.
        crossings: where it meets the target. printed: the printed value, if it was played.
    """

    knob: str
    values: list[float]
    rates: list[Estimate]
    goal: Goal
    crossings: list[Crossing]
    printed: float | None
    whole: bool


def curve(view: View) -> Curve | None:
    """The curve of the one knob that varies, if it is a number; None else."""
    if len(view.varied) != 1:
        return None
    knob, values = next(iter(view.varied.items()))
    if not all(is_number(value) for value in values) or min(cell.games for cell in view.cells) < _FEWEST_GAMES:
        return None
    wanted = goal(view)
    groups = [pool.cells for pool in view.by_value(knob)]
    found = rates_of(view, groups, wanted)
    rates = _estimates(view, groups, wanted, found)
    meets = [] if wanted.target is None else crossings(values, found.value, found.covariance, wanted.target)
    printed = view.printed(knob)
    whole = all(isinstance(value, int) for value in values)
    return Curve(
        knob, [float(v) for v in values], rates, wanted, meets, None if printed is None else float(printed), whole
    )


def curve_sentence(view: View, found: Curve) -> str:
    """Where the curve meets the target: "fair at walls_start = 6.4 (6.2–6.6)"."""
    what, knob = _what(view, found.goal), plain(found.knob, 40)
    if found.goal.target is None:
        return f"{what[:1].upper()}{what[1:]} goes from {found.rates[0].full} to {found.rates[-1].full}."
    target = f"{100 * found.goal.target:.4g} %"
    word = "On target" if found.goal.said else "Fair"
    if all(rate.low <= found.goal.target <= rate.high for rate in found.rates):
        low, high = min(found.rates, key=_value), max(found.rates, key=_value)
        return (
            f"At no value played can {what} be told from {target}: it goes from {low.full} to {high.full}. "
            f"More games, or values further apart, would tell."
        )
    if not found.crossings:
        side = "above" if found.rates[0].value > found.goal.target else "below"
        near = min(range(len(found.rates)), key=lambda i: abs(found.rates[i].value - (found.goal.target or 0)))
        sure = all(not rate.low <= found.goal.target <= rate.high for rate in found.rates)
        return (
            f"{what[:1].upper()}{what[1:]} stays {side} {target} at each value played"
            f"{', for certain at each' if sure else ''}; "
            f"it comes nearest at {knob} = {found.values[near]:g}: {found.rates[near].full}."
        )
    step = min(b - a for a, b in zip(found.values, found.values[1:], strict=False))
    places: dict[tuple[float, float], list[Crossing]] = {}
    for one in found.crossings:
        places.setdefault((one.low, one.high), []).append(one)
    told = [
        _place(several[0], step, found.values)
        if len(several) == 1
        else f"somewhere from {_end(low, found.values[0], 'less')} to {_end(high, found.values[-1], 'more')}"
        for (low, high), several in places.items()
    ]
    text = f"{word} ({target}) at {knob} = {' and '.join(told)}."
    if found.whole:
        around = {v for one in found.crossings for v in _neighbours(found.values, one.at)}
        lines = [f"{found.values[i]:g} gives {found.rates[i].full}" for i in sorted(around)]
        text += f" Of the whole values, {', '.join(lines)}."
    return text


def _value(rate: Estimate) -> float:
    return rate.value


def _end(place: float, last: float, further: str) -> str:
    """An end of an interval of places; the last value played, or beyond, where it is open."""
    return f"{place:.3g}" if math.isfinite(place) else f"{last:g} or {further}"


def _neighbours(values: Sequence[float], at: float) -> list[int]:
    below = [i for i, value in enumerate(values) if value <= at + 1e-9]
    above = [i for i, value in enumerate(values) if value >= at - 1e-9]
    return [*below[-1:], *above[:1]]


def _place(one: Crossing, step: float, values: Sequence[float]) -> str:
    width = one.high - one.low
    unit = width if math.isfinite(width) and width > 0 else step
    digits = min(max(1 - math.floor(math.log10(max(unit, step / 1_000))), 0), 4)
    ends = [
        f"{one.low:.{digits}f}" if math.isfinite(one.low) else f"{values[0]:g} or less",
        f"{one.high:.{digits}f}" if math.isfinite(one.high) else f"{values[-1]:g} or more",
    ]
    finite = math.isfinite(one.low) and math.isfinite(one.high)
    return f"{one.at:.{digits}f} ({('–' if finite else ' to ').join(ends)})"


# --- Two knobs --------------------------------------------------------------------


@dataclass(frozen=True)
class FairMap:
    """Win rate over two knobs.

    Attributes:
        down, across: the knobs; rows, columns: their values.
        rate: shape (rows, columns). rates: with intervals that hold one by one, row by row.
        low, high: a band that covers the whole map, shape (rows, columns). wide: its width in standard errors.
        numeric: whether both knobs are numbers, so that there is a line of fairness.
        printed: (row, column) of the printed values, if they were played.
    """

    down: str
    across: str
    rows: list[Any]
    columns: list[Any]
    rate: Floats
    rates: list[Estimate]
    low: Floats
    high: Floats
    wide: float
    goal: Goal
    numeric: bool
    printed: tuple[int, int] | None

    @property
    def by_row(self) -> list[list[Estimate]]:
        """`rates` as a table."""
        width = len(self.columns)
        return [self.rates[at : at + width] for at in range(0, len(self.rates), width)]

    @property
    def favoured(self) -> tuple[int, int, int]:
        """Settings at which the first seat wins more than wanted for certain, less, and the rest."""
        if self.goal.target is None:
            return 0, 0, self.rate.size
        above, below = self.low > self.goal.target, self.high < self.goal.target
        return int(above.sum()), int(below.sum()), int((~above & ~below).sum())


def fair_map(view: View) -> FairMap | None:
    """The map of the two knobs that vary, where each value of one was played with each of the other."""
    if len(view.varied) != 2 or not view.is_grid or view.method in ("one_at_a_time", "saltelli"):
        return None
    if min(cell.games for cell in view.cells) < _FEWEST_GAMES or len(view.cells) > 4_000:
        return None
    (down, rows), (across, columns) = view.varied.items()
    groups = [
        [c for c in view.cells if c.varied.get(down) == r and c.varied.get(across) == k] for r in rows for k in columns
    ]
    wanted = goal(view)
    found = rates_of(view, groups, wanted)
    shape = (len(rows), len(columns))
    printed = view.printed(down), view.printed(across)
    place = None if None in printed else (rows.index(printed[0]), columns.index(printed[1]))
    numeric = all(is_number(v) for v in [*rows, *columns])
    wide = sup_t(found.covariance)
    band = found.ends(2 * NormalDist().cdf(wide) - 1).reshape(*shape, 2)
    return FairMap(
        down, across, rows, columns, found.value.reshape(shape), _estimates(view, groups, wanted, found),
        band[..., 0], band[..., 1], wide, wanted, numeric, place,
    )  # fmt: skip


def map_sentence(view: View, found: FairMap) -> str:
    """What the map shows and how sure it is."""
    what = _what(view, found.goal)
    a, b = words(found.down), words(found.across)
    half = 50 * float((found.high - found.low).max())
    text = f"Per cent: {what} by {a} and {b}, each good to ±{half:.1f} points or better, all together."
    if found.goal.target is None:
        return text
    more, less, level = found.favoured
    target = f"{100 * found.goal.target:.4g} %"
    line = (
        f" Dark line: where it is {target}; the hatched band is where {target} cannot be ruled out."
        if found.numeric and min(found.rate.shape) > 1 and more + level and less + level
        else ""
    )
    text += (
        f"{line} Of {found.rate.size:,} settings {more:,} lie above {target} for certain, {less:,} below, "
        f"{level:,} are open."
    )
    if found.printed is None:
        return text
    at = found.printed
    here = found.rate[at]
    text += f" The ring marks the printed values: {100 * here:.1f} %."
    near = _nearest_fair(found)
    if near is not None and near != at:
        i, j = near
        text += (
            f" Fewest steps from there to {target}: {a} = {value_text(found.rows[i])}, {b} = "
            f"{value_text(found.columns[j])} ({100 * found.rate[i, j]:.1f} %)."
        )
    return text


def _nearest_fair(found: FairMap) -> tuple[int, int] | None:
    """The setting in the band of the goal with the fewest steps from the printed one."""
    if found.printed is None or found.goal.target is None:
        return None
    there = np.argwhere((found.rate >= found.goal.low) & (found.rate <= found.goal.high))
    if not len(there):
        return None
    i, j = min(
        ((int(i), int(j)) for i, j in there),
        key=lambda at: (
            abs(at[0] - found.printed[0]) + abs(at[1] - found.printed[1]),  # type: ignore[index]
            abs(found.rate[at] - (found.goal.target or 0)),
        ),
    )
    return i, j


# --- One change at a time ---------------------------------------------------------------


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
    if view.method != "one_at_a_time" or not base or min(cell.games for cell in view.cells) < _FEWEST_GAMES:
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
    found = rates_of(view, groups, wanted)
    alone = _estimates(view, groups, wanted, found)
    each = 1 - (1 - LEVEL) / len(found.value)
    ends = found.ends(each)
    steps, p_values = [], []
    scores = view.scores() if found.won is not None else None
    columns = [[view.cells.index(cell) for cell in points[key]] for key in (here, *others)]
    for i, key in enumerate(others, start=1):
        cell = points[key][0]
        knob = next(name for name in base if cell.varied.get(name) != base[name])
        if found.won is not None:
            pair = paired_difference(found.won[:, 0], found.won[:, i])
            change, p, factor = (pair.difference, pair.low, pair.high), pair.p_value, pair.factor
            score = None
            if scores is not None:
                gain = paired_difference(scores[:, columns[0]].mean(axis=1), scores[:, columns[i]].mean(axis=1))
                score = Estimate(gain.difference, gain.low, gain.high, False)
                p, factor = gain.p_value, gain.factor
        else:
            change, p = _unpaired(found, i)
            factor, score = math.nan, None
        rate = Estimate(float(found.value[i]), float(ends[i, 0]), float(ends[i, 1]))
        value = cell.varied[knob]
        away = _away(base[knob], value, [c.varied[knob] for c in view.cells])
        fix = judge_fix(
            f"{plain(knob, 40)} = {value_text(value)}", away, rate.value, rate.low, rate.high, (wanted.low, wanted.high)
        )
        points_ = estimate_of(change, 100, False)
        steps.append(Step(knob, base[knob], value, away, points_, p, rate, fix, factor, alone[i], score))
        p_values.append(p)
    adjusted = holm(p_values)
    steps = [replace(s, p_value=float(p)) for s, p in zip(steps, adjusted, strict=True)]
    steps.sort(key=lambda step: -abs(step.effect.value))
    at = Estimate(float(found.value[0]), float(ends[0, 0]), float(ends[0, 1]))
    there = wanted.target is not None and wanted.low <= at.low and at.high <= wanted.high
    best = None if wanted.target is None or there else cheapest([step.fix for step in steps], wanted.target)
    games = min(cell.games for cell in view.cells)
    return Steps(at, alone[0], steps, wanted, best, there, found.won is not None, games)


def _unpaired(found: Rates, i: int) -> tuple[tuple[float, float, float], float]:
    """Difference and p-value from rates whose shared luck is not known: as if it were separate."""
    from scipy.special import ndtr

    variance = np.maximum(np.diag(found.covariance), 1e-12)
    n = np.maximum(found.value * (1 - found.value) / variance, 1.0)
    gap = difference_of_rates(found.value[0] * n[0], n[0], found.value[i] * n[i], n[i])
    error = math.sqrt(float(found.covariance[0, 0] + found.covariance[i, i]))
    return gap, float(2 * ndtr(-abs(gap[0]) / error))


def _away(before: Any, value: Any, played: Sequence[Any]) -> int:
    """Steps between two values, of those that were played."""
    if not (is_number(before) and is_number(value)):
        return 1
    low, high = sorted((before, value))
    return sum(low < other <= high for other in set(played) | {before})


def steps_sentence(view: View, found: Steps) -> str:
    """Which change does most, and the smallest that reaches the target."""
    sure = [step for step in found.steps if step.sure]
    what = _what(view, found.goal)
    text = f"As it stands {what} is {found.base.full}."
    if sure:
        top = sure[0]
        text += (
            f" Of {len(found.steps):,} single changes {len(sure):,} move {_moved(found)} for certain; most does "
            f"{top.text}: {_signed(top.effect)} points."
        )
    else:
        text += f" Of {len(found.steps):,} single changes none moves {_moved(found)} for certain."
    if found.goal.target is None:
        return text
    target = f"{100 * found.goal.target:.4g} % (±{100 * (found.goal.high - found.goal.target):.2g})"
    if found.there:
        return f"{text} It is on target, {target}, already."
    if found.cheapest is None:
        near = min(found.steps, key=lambda step: abs(step.rate.value - (found.goal.target or 0)))
        return f"{text} No single change here reaches {target}; nearest comes {near.text}: {near.rate.full}."
    best = next(step for step in found.steps if step.fix is found.cheapest)
    word = "Cheapest fix" if found.cheapest.reach == "reaches" else "Perhaps the cheapest fix, more games would tell"
    far = f", {best.steps} steps" if best.steps > 1 else ""
    return f"{text} {word}, to {target}: {best.text}{far}, which gives {best.rate.full}. Confirm it on a fresh seed."


def _moved(found: Steps) -> str:
    return "it" if found.steps[0].score is None else "the score"


def _signed(points: Estimate) -> str:
    sign = "+" if points.value > 0 else ""
    return f"{sign}{points.full}"


# --- Many knobs -------------------------------------------------------------------------


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
    vary = view.vary
    sequence, rows, knobs = vary.get("sequence"), vary.get("rows"), vary.get("knobs")
    if view.method != "saltelli" or not (
        isinstance(sequence, list) and isinstance(rows, list) and isinstance(knobs, list)
    ):
        return None
    width = len(knobs) + 2
    if len(sequence) < FEWEST * width or len(sequence) % (REPLICATES * width):
        return None  # too short to say anything
    if not all(isinstance(i, int) and 0 <= i < len(rows) for i in sequence):
        return None
    wanted = goal(view)
    means = _block_means(view, wanted)
    if means is None:
        return None
    where: dict[str, list[int]] = {}
    for i, cell in enumerate(view.cells):
        where.setdefault(repr([cell.varied.get(name) for name in knobs]), []).append(i)
    places = [where.get(repr(row)) for row in rows]
    if any(place is None for place in places):
        return None  # not all of the design was played
    each = np.array([means[place].mean(axis=0) for place in places])  # match-ups averaged
    found = sobol_indices(each[sequence], len(knobs))
    return Sensitivities([plain(knob, 40) for knob in knobs], found, wanted, means.shape[1], len(rows))


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


def sensitivities_sentence(view: View, one: Sensitivities) -> str:
    """Which knobs matter most, and how much of the differences was luck."""
    found, what = one.found, _what(view, one.goal)
    if not math.isfinite(float(found.total[0])):
        return f"Between {one.settings:,} settings {what} differs by no more than luck does: no knob can be ranked."
    order = found.order
    named = [f"{one.knobs[i]} {_share(found.total[i], found.total_ends[i]).full}" for i in order[:3]]
    apart = [one.knobs[i] for i in order if found.total_ends[i][1] < 0.05]
    text = (
        f"{what[:1].upper()}{what[1:]} differs between settings by ±{100 * one.spread:.1f} points (standard "
        f"deviation). Part in it, alone or with other knobs: {', '.join(named)}."
    )
    text += f" Hardly any (under 5 % for certain): {', '.join(apart[:8])}." if apart else ""
    return (
        f"{text} Luck of the games made {100 * found.noise_share:.1f} % of the plain variance between settings and was "
        f"taken out, measured by {one.blocks} blocks of games; {found.points:,} base points."
    )


# --- For the report, the terminal and JSON ------------------------------------------------


def replaces_headline(view: View) -> bool:
    """Whether the answer says more than the table of all cells would."""
    return view.method in ("one_at_a_time", "saltelli")


def answered(view: View) -> set[str]:
    """Names of the report's usual figures of knobs that the answers stand in for."""
    if replaces_headline(view):
        return {"all"}
    return {"knob_map"} if fair_map(view) else {"knob_0"} if curve(view) else set()


def section(view: View) -> dict[str, Any] | None:
    """What the report shows: charts as (name, axes, caption, wide), and the table of single changes."""
    from simlab.report import charts

    drawn: list[tuple[str, Any, str, bool]] = []
    rows: list[dict[str, Any]] = []
    indices: list[dict[str, Any]] = []
    sentence = note = ""
    line, plane = curve(view), fair_map(view)
    steps, shares = one_at_a_time(view), sensitivities(view)
    if line is not None:
        sentence = curve_sentence(view, line)
        faint = " The faint lines are the single match-ups." if _several(view) else ""
        band = "the grey bar where the target cannot be ruled out" if line.crossings else ""
        caption = f"{sentence} Band: 95 % interval{'; ' + band if band else ''}.{faint}"
        drawn.append(("fair_curve", charts.fair_curve(view, line), caption, False))
    elif plane is not None:
        sentence = map_sentence(view, plane)
        drawn.append(("fair_map", charts.fair_map(plane), sentence, False))
    elif steps is not None:
        sentence = steps_sentence(view, steps)
        caption = (
            f"Change of {'the mean score' if steps.steps[0].score else _what(view, steps.goal)} by single changes, in "
            f"points, the greatest on top; whiskers are 95 % "
            f"intervals one by one, filled dots are changes for certain, all judged together (Holm)."
        )
        drawn.append(("steps", charts.steps(steps.steps[:MOST_STEPS]), caption, False))
        rows = [_step_row(step) for step in steps.steps]
        luck = (
            "game by game on the same seeds"
            if steps.paired
            else "as if the luck were separate, since no rows were kept"
        )
        note = (
            f"{steps.games:,} games a setting, compared {luck}. Win rates after the change have intervals that "
            "hold for all lines together; whether a change is certain is judged by Holm's method."
        )
    elif shares is not None:
        sentence = sensitivities_sentence(view, shares)
        caption = (
            "Share of the variance between settings that each knob makes: filled by itself, open with all it does "
            "together with others; whiskers are 95 % intervals, the luck of the games taken out."
        )
        if np.isfinite(shares.found.total).all():
            drawn.append(("sobol", charts.sobol(shares), caption, False))
        indices = _index_rows(shares)
        note = (
            "Sobol's indices by Saltelli's design (SALib), whole numbers, switches and choices drawn from their own "
            "values, each as likely as the next. Plain: as SALib gives them with the luck of the games in."
        )
    else:
        return None
    return {"sentence": sentence, "figures": drawn, "steps": rows, "indices": indices, "note": note}


def _several(view: View) -> bool:
    return any(len(bots) > 1 for bots in view.bots.values())


def _step_row(step: Step) -> dict[str, Any]:
    return {
        "change": step.text,
        "points": step.points,
        "score": step.score,
        "sure": "yes" if step.sure else "no",
        "rate": step.rate,
        "reach": step.fix.reach,
        "factor": f"{step.factor:.1f}" if math.isfinite(step.factor) else "–",
    }


def _share(value: float, ends: Floats) -> Estimate:
    """An index for people: what noise puts outside 0 to 100 % stands at the edge."""
    return estimate_of(np.clip((value, *ends), 0, 1))


def _index_rows(one: Sensitivities) -> list[dict[str, Any]]:
    found = one.found
    return [
        {
            "knob": one.knobs[i],
            "first": _share(found.first[i], found.first_ends[i]),
            "total": _share(found.total[i], found.total_ends[i]),
            "plain_first": f"{100 * found.plain_first[i]:.0f}" if math.isfinite(found.plain_first[i]) else "–",
            "plain_total": f"{100 * found.plain_total[i]:.0f}" if math.isfinite(found.plain_total[i]) else "–",
        }
        for i in found.order
    ]


def terminal(view: View) -> list[RenderableType | str]:
    """What `sweep` prints below the table of cells."""
    from simlab.report import tables

    line, plane, steps = curve(view), fair_map(view), one_at_a_time(view)
    if line is not None:
        return [tables._typed(curve_sentence(view, line))]
    if plane is not None:
        text = map_sentence(view, plane).replace(_legend(plane), "").replace("The ring marks", "Brackets mark")
        return [tables._typed(_map_head(view, plane)), _map_table(plane), tables._typed(text)]
    if steps is not None:
        made = tables._table(f"{view.title}: one change at a time")
        made.add_column("change", overflow="fold")
        scored = ["score more"] if steps.steps[0].score else []
        tables._numbers(made, *scored, f"{steps.goal.who} wins, points more", "for certain", "wins then", "target")
        for step in steps.steps[:MOST_STEPS]:
            reach = step.fix.reach if steps.goal.target is not None else "-"
            tables._add(
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
        return [made, tables._typed(steps_sentence(view, steps)).replace("→", "->")]
    shares = sensitivities(view)
    if shares is not None:
        made = tables._table(f"{view.title}: which knobs matter")
        made.add_column("knob", overflow="fold")
        tables._numbers(made, "by itself", "with others too")
        for row in _index_rows(shares):
            tables._add(made, [row["knob"], row["first"].full, row["total"].full])
        return [made, tables._typed(sensitivities_sentence(view, shares))]
    if replaces_headline(view):
        return [
            "Too few games or base points, no rows, or not all settings played yet: nothing can be said of the knobs."
        ]
    return []


def _map_head(view: View, plane: FairMap) -> str:
    target = plane.goal.target
    marks = "" if target is None else f"; + above {100 * target:.4g} %, - below it, for certain"
    left = len(plane.columns) - MOST_COLUMNS
    rest = f"; {left} more columns stand in the report" if left > 0 else ""
    return f"{view.title}: {words(plane.down)} (down) by {words(plane.across)} (across), per cent{marks}{rest}"


def _map_table(plane: FairMap) -> Table:
    """The map as a terminal shows it."""
    from simlab.report import tables

    target, shown = plane.goal.target, plane.columns[:MOST_COLUMNS]
    made = tables._table("", dense=True)
    made.add_column(words(plane.down), overflow="fold")
    tables._numbers(made, *(value_text(value) for value in shown))
    for i, value in enumerate(plane.rows):
        cells = []
        for j in range(len(shown)):
            mark = ""
            if target is not None:
                mark = "+" if plane.low[i, j] > target else "-" if plane.high[i, j] < target else " "
            rate = f"{100 * plane.rate[i, j]:.1f}"
            cells.append((f"[{rate}]" if (i, j) == plane.printed else rate) + mark)
        tables._add(made, [value_text(value), *cells])
    return made


def _legend(plane: FairMap) -> str:
    """The part of the map's sentence that speaks of its drawing."""
    target = f"{100 * (plane.goal.target or 0):.4g} %"
    return f" Dark line: where it is {target}; the hatched band is where {target} cannot be ruled out."


def _side(low: float, high: float, target: float | None) -> str:
    """On which side of the target a setting lies, all settings judged together."""
    return "open" if target is None or low <= target <= high else "above" if low > target else "below"


def _ends(estimate: Estimate) -> dict[str, float]:
    return {"estimate": estimate.value, "low": estimate.low, "high": estimate.high}


def _open(x: float) -> float | None:
    return x if math.isfinite(x) else None


def summary(view: View) -> dict[str, Any]:
    """What --json adds, as one object; empty where the sweep has no answer of this kind."""
    line, plane, steps, shares = curve(view), fair_map(view), one_at_a_time(view), sensitivities(view)
    out: dict[str, Any] = {"target": goal(view).target}
    if line is not None:
        out["sentence"] = curve_sentence(view, line)
        out["curve"] = [{"value": v, **_ends(rate)} for v, rate in zip(line.values, line.rates, strict=True)]
        out["crossings"] = [
            {"at": one.at, "low": _open(one.low), "high": _open(one.high), "rising": one.rising}
            for one in line.crossings
        ]
    elif plane is not None:
        out["sentence"] = map_sentence(view, plane)
        out["map"] = {
            "down": plane.down, "rows": plane.rows, "across": plane.across, "columns": plane.columns,
            "rate": plane.rate.tolist(),
            "low": [[rate.low for rate in line] for line in plane.by_row],
            "high": [[rate.high for rate in line] for line in plane.by_row],
            "certain": [[_side(a, b, plane.goal.target) for a, b in zip(*ends, strict=True)]
                        for ends in zip(plane.low, plane.high, strict=True)],
        }  # fmt: skip
    elif steps is not None:
        out["sentence"] = steps_sentence(view, steps)
        out["base"] = _ends(steps.alone)
        out["changes"] = [
            {
                "knob": step.knob, "before": step.before, "value": step.value, "points": _ends(step.points),
                "score": _ends(step.score) if step.score else None, "p_value": step.p_value,
                "win_rate": _ends(step.alone), "reach": step.fix.reach,
            }
            for step in steps.steps
        ]  # fmt: skip
        out["cheapest"] = (
            None if steps.cheapest is None else {"change": steps.cheapest.what, "reach": steps.cheapest.reach}
        )
    elif shares is not None and np.isfinite(shares.found.total).all():
        out["sentence"] = sensitivities_sentence(view, shares)
        out["indices"] = [
            {"knob": row["knob"], "first": _ends(row["first"]), "total": _ends(row["total"])}
            for row in _index_rows(shares)
        ]
        out["noise_share"] = shares.found.noise_share
    return out
