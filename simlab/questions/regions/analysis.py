"""Finds short rules over the knobs for where a condition holds, judged in games that were not used to choose them.

Settings spread over the space (a Latin hypercube) are played, rules are searched for (simlab.stats.subgroup_discovery),
and then held-out settings are played on held-out seeds: some over the whole space, to measure how much of it a rule
covers, and some in the region of each rule, to measure how often the condition holds there. A rule that was only by
chance the best of many does worse in them.
"""

from __future__ import annotations

import itertools
import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import ndtr

from simlab.engine.outcome import figures_of
from simlab.errors import InputError
from simlab.game import Game, KnobValue
from simlab.present.answer import Answer, Number, Part, Rate
from simlab.present.estimate import Estimate, share_of
from simlab.registry import load_game
from simlab.runs import runner
from simlab.runs.results import CellResult, Results
from simlab.spec.design import PLAYERS, Axis, Point, points, read_axis, show_value
from simlab.spec.experiment import Experiment
from simlab.stats.figure import Figure, Figures
from simlab.stats.intervals import Floats, level_of_each, normal_quantile, student_quantile
from simlab.stats.subgroup_discovery import Bools, Limit, find_boxes

FEWEST_SETTINGS = 40  #: least number of settings of a search: fewer show no rule
WITHIN = 60  #: held-out settings within each rule
Region = dict[str, Axis]  #: the part of each knob's axis that a rule allows; knobs without an entry are free
LEVEL = 0.95
_CONDITION = re.compile(r"\s*([A-Za-z_]\w*)\s*(>=|<=|>|<)\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(%?)\s*")


_SIGNS: dict[str, Callable[[Any, float], Any]] = {
    ">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le,
}  # fmt: skip


@dataclass(frozen=True)
class Condition:
    """A condition on a setting: a statistic above or below a bound.

    Attributes:
        text: the condition as written. bound: bound in the statistic's own unit; a share is in 0..1.
    """

    text: str
    figure: Figure
    sign: str
    bound: float

    def holds(self, value: Any) -> Any:
        """Whether it holds for a value, or for each of an array."""
        return _SIGNS[self.sign](value, self.bound)

    def readings(self, cells: Sequence[CellResult], level: float = LEVEL) -> Floats:
        """The statistic in each setting, shape (settings, 3): as measured, at the end of its interval that opposes the
        condition, and at the end that favours it.
        """
        read = np.array([self.figure.interval(cell.tally, level) for cell in cells], np.float64).reshape(-1, 3)
        return read if self.sign[0] == ">" else read[:, [0, 2, 1]]

    def chances(self, cells: Sequence[CellResult]) -> Floats:
        """Probability that the condition holds in each setting, estimated from its games."""
        value, *ends = self.readings(cells).T
        error = np.abs(ends[1] - ends[0]) / 2 / normal_quantile(LEVEL)
        with np.errstate(invalid="ignore", divide="ignore"):
            above = ndtr((value - self.bound) / error)
        chance = np.where(
            np.isfinite(error) & (error > 0), above if self.sign[0] == ">" else 1 - above, self.holds(value)
        )
        return np.where(np.isfinite(value), chance, 0.5)


def read_condition(text: str, figures: Figures) -> Condition:
    """`besieger_win > 0.6`, `besieger_win > 60%` or `turns_mean <= 12`.

    Raises:
        InputError: not of this form, an unknown statistic, or a share outside 0..1.
    """
    match = _CONDITION.fullmatch(text)
    if match is None:
        raise InputError(
            f"--where {text}: write a statistic, a sign and a number, as 'besieger_win > 60%' or 'turns_mean <= 12'."
        )
    name, sign, number, percent = match.groups()
    figure = figures.find(name, f"--where {text}")
    bound = float(number) / (100 if percent else 1)
    if figure.is_rate and not 0 <= bound <= 1:
        raise InputError(f"--where {text}: {name} is a share: write {number}% or a number in 0..1.")
    if percent and not figure.is_rate:
        raise InputError(f"--where {text}: {name} is not a share: write the number without %.")
    return Condition(" ".join(text.split()), figure, sign, bound)


class Share(Part):
    """A count of settings out of a total. share: the interval covers the sampling of settings and chance in games."""

    count: int
    of: int
    share: Rate


def share_of_settings(count: int, of: int, shifted: Sequence[float] = ()) -> Share:
    """A share of settings, with Wilson's interval for the sampling of settings, widened for their correlation.

    Args:
        shifted: the share if the shared draws favoured the condition, and opposed it (95 %); empty if unknown.
    """
    drawn = share_of(count, of, LEVEL)
    if not of:
        return Share(count=count, of=of, share=drawn)
    share = drawn.value
    below, above = min(shifted, default=share), max(shifted, default=share)
    low = share - np.hypot(share - drawn.low, max(share - below, 0.0))
    high = share + np.hypot(drawn.high - share, max(above - share, 0.0))
    return Share(count=count, of=of, share=Estimate(share, max(float(low), 0.0), min(float(high), 1.0)))


def held_in(conditions: Sequence[Condition], cells: Sequence[CellResult], level: float = LEVEL) -> Bools:
    """Whether all conditions hold in each setting, shape (3, settings): in the order of `Condition.readings`."""
    return np.asarray(np.all([one.holds(one.readings(cells, level)) for one in conditions], axis=0).T)


def share_held(held: Bools) -> Share:
    """The share of the settings in which the conditions hold. held: as `held_in`."""
    shifted = [float(some.mean()) for some in held[1:] if some.size]
    return share_of_settings(int(held[0].sum()), int(held[0].size), shifted)


class RegionStatistic(Part):
    """A statistic over the settings of a rule, with the interval of its mean."""

    name: str
    value: Number


class Rule(Part):
    """A region of the space in which the condition holds, or holds more often than elsewhere.

    Attributes:
        rule: `walls_start ≤ 4 and mod_mine ≥ 2`. limits: knob -> [least, greatest], or the options.
        density: share of the held-out settings in the region in which the condition holds. coverage: share of the
            held-out settings with the condition that lie in the region.
        statistics: statistics of the conditions, over the held-out settings in the region.
        p_value: probability of at least this surplus over the whole space by chance, adjusted for all rules tried.
        confirmed: whether p_value is at most 5 %, and the interval of the density, which allows for shared draws, lies
            above the share over the whole space.
        density_in_search: density among the settings that selected the rule, for comparison.
    """

    rule: str
    limits: dict[str, list[KnobValue]]
    density: Share
    coverage: Share
    statistics: tuple[RegionStatistic, ...]
    p_value: float
    confirmed: bool
    density_in_search: float


class SampledSetting(Part):
    """A setting that was played, and whether the condition holds there."""

    knobs: dict[str, KnobValue]
    holds: bool


class Regions(Answer, form="discover", version=2, source="simlab analyze regions GAME"):
    """Where a condition holds.

    Attributes:
        where: the conditions as written. density_wanted: density that a rule must have.
        knobs: knob -> (least, greatest) or options, of the space.
        everywhere: share of the held-out settings over the whole space in which the condition holds.
        rules: the rules that held-out games confirm, the shortest first. refuted: the other rules.
        settings: number of settings searched. games_per_setting: number of games of each. repeated: number of held-out
            settings that had also been searched, so only their games are held out.
        sample: all settings over the whole space. report: the page, if one was written.
    """

    game: str
    title: str
    bots: dict[str, str]
    where: tuple[str, ...]
    density_wanted: float
    knobs: dict[str, list[KnobValue]]
    everywhere: Share
    rules: tuple[Rule, ...]
    refuted: tuple[Rule, ...]
    settings: int
    games_per_setting: int
    games: int
    seed: int
    fresh_seed: int
    repeated: int
    folder: str
    sample: tuple[SampledSetting, ...]
    report: str | None = None

    @property
    def condition(self) -> str:
        return " and ".join(self.where)


def discover(
    experiment: Experiment,
    where: Sequence[str],
    worth: float = 0.8,
    most_knobs: int = 3,
    out: Path | str | None = None,
    **how: Any,
) -> Regions:
    """Plays the settings of an experiment, searches for rules and judges them on held-out settings and seeds.

    Args:
        experiment: one match-up at settings that `lhs` or `sobol` drew.
        where: conditions that must all hold, as `read_condition`.
        worth: density that a rule must have, in 0..1. most_knobs: most knobs of a rule.
        out: folder of the results, including the held-out games. how: options of `simlab.runs.runner.run`.
    Raises:
        InputError: bad input, or too few settings. RunFailed, GamesFailed: as `simlab.runs.runner.run`.
    """
    game = load_game(experiment.table_ref())
    figures = figures_of(game)
    conditions = [read_condition(text, figures) for text in where]
    if not conditions:
        raise InputError("--where is missing: the condition. Write --where 'besieger_win > 60%'.")
    if experiment.method not in ("lhs", "sobol") or PLAYERS in experiment.varied:
        raise InputError('a search for rules takes settings that lhs or sobol drew: [vary] method = "lhs".')
    if any(len(bots) > 1 for bots in experiment.bots.values()):
        raise InputError("a search for rules takes one bot per seat: the rules of two match-ups differ.")
    if len(experiment.rows) < FEWEST_SETTINGS:
        raise InputError(
            f"{len(experiment.rows)} different settings are too few to find a rule in: draw {FEWEST_SETTINGS} or more "
            "(--settings), or vary more (--vary)."
        )
    knobs = game.knobs_with(game.read_tables(experiment.card_files) if experiment.card_files else None)
    every = (read_axis(knobs[name], experiment.space[name], name, "lhs") for name in experiment.varied)
    axes = [axis for axis in every if len(axis.values) != 1]
    results = runner.run(experiment, out, **how)
    found = _search(axes, results, conditions, worth, most_knobs)
    space = _valid(game, experiment, points(axes, "lhs", len(experiment.rows), experiment.seed + 1, ""))
    within = [
        _valid(game, experiment, points([region.get(axis.knob.name, axis) for axis in axes], "lhs", WITHIN,
                                        experiment.seed + 2 + i, ""))
        for i, (region, _) in enumerate(found)
    ]  # fmt: skip
    judged = runner.run(_fresh(experiment, itertools.chain(space, *within)), results.folder / "fresh", **how)
    played = {_key(cell.varied): cell for cell in judged.cells}
    there = [(row, played[_key(row)]) for row in space if _key(row) in played]
    held = held_in(conditions, [cell for _, cell in there])
    rules = []
    for (region, density), rows in zip(found, within, strict=True):
        cells = [played[_key(row)] for row in rows if _key(row) in played]
        if len(cells) >= 2:
            inside = np.array([_lies_in(region, row) for row, _ in there], np.bool_)
            rules.append(_judge(axes, region, density, cells, inside, held, conditions, len(found)))
    rules.sort(key=lambda rule: (len(rule.limits), -rule.coverage.share.value))
    searched = zip((cell.varied for cell in results.cells), held_in(conditions, results.cells)[0], strict=True)
    held_out = zip((row for row, _ in there), held[0], strict=True)
    return Regions(
        game=game.slug, title=game.title, bots={seat: texts[0] for seat, texts in experiment.bots.items()},
        where=tuple(condition.text for condition in conditions), density_wanted=worth,
        knobs={axis.knob.name: _range_of(axis) for axis in axes}, everywhere=share_held(held),
        rules=tuple(rule for rule in rules if rule.confirmed),
        refuted=tuple(rule for rule in rules if not rule.confirmed), settings=len(results.cells),
        games_per_setting=experiment.games,
        games=sum(cell.games for run in (results, judged) for cell in run.cells), seed=experiment.seed,
        fresh_seed=experiment.seed + 1, repeated=len(played.keys() & {_key(cell.varied) for cell in results.cells}),
        folder=str(results.folder),
        sample=tuple(SampledSetting(knobs=dict(row), holds=bool(one)) for row, one in [*searched, *held_out]),
    )  # fmt: skip


def _key(row: Mapping[str, KnobValue]) -> str:
    return repr(sorted(row.items()))


def _valid(game: Game, experiment: Experiment, rows: Sequence[Point]) -> list[Point]:
    """The settings whose knobs do not contradict each other, each once."""
    base = {**experiment.base, **experiment.knobs}
    fixed = {name: experiment.rows[0][name] for name in experiment.varied}
    return [{**fixed, **row} for row in rows if not game.check_knobs({**base, **fixed, **row})]


def _search(
    axes: Sequence[Axis], results: Results, conditions: Sequence[Condition], worth: float, most_knobs: int
) -> list[tuple[Region, float]]:
    """Regions, and the share of the searched settings inside in which the conditions hold."""
    labels = np.prod([condition.chances(results.cells) for condition in conditions], axis=0)
    # a number of each setting: for a choice or a switch, its place among the values
    columns = [
        [
            float(value) if axis.knob.is_number else float(axis.values.index(value))
            for value in (cell.varied[axis.knob.name] for cell in results.cells)
        ]
        for axis in axes
    ]
    fewest, ordered = max(10, len(labels) // 25), [axis.knob.is_number for axis in axes]
    boxes = find_boxes(columns, ordered, labels, worth, most_knobs=most_knobs, fewest=fewest)
    return [
        ({axes[place].knob.name: _limited(axes[place], limit) for place, limit in box.limits.items()}, box.density)
        for box in boxes
        if box.limits
    ]


def _limited(axis: Axis, limit: Limit) -> Axis:
    """The part of an axis within a limit. The ends of a knob that takes any number are rounded inwards to three digits,
    so the text matches the search.
    """
    if isinstance(limit, frozenset):
        return replace(axis, values=tuple(axis.values[i] for i in sorted(limit)))
    low, high = limit
    if axis.values:
        return replace(axis, values=tuple(v for v in axis.values if low <= float(v) <= high))
    step = 10.0 ** (np.floor(np.log10(max(axis.high - axis.low, 1e-300))) - 2)
    first = axis.low if low < axis.low + 2 * step else float(f"{np.ceil(low / step) * step:.12g}")
    last = axis.high if high > axis.high - 2 * step else float(f"{np.floor(high / step) * step:.12g}")
    return replace(axis, low=first, high=last) if first < last else replace(axis, low=low, high=high)


def _lies_in(region: Region, row: Point) -> bool:
    return all(
        row[name] in axis.values if axis.values else axis.low <= float(row[name]) <= axis.high
        for name, axis in region.items()
    )


def _fresh(experiment: Experiment, rows: Iterable[Point]) -> Experiment:
    """The experiment at other settings, on separate seeds."""
    different = list({_key(row): row for row in rows}.values())
    return experiment.replace(
        name=f"{experiment.name}-fresh", method="list", rows=tuple(different), points=None,
        seed=experiment.seed + 1, space={name: [row[name] for row in different] for name in experiment.varied},
        contract={}, stop=None, mark="", source=None,
    )  # fmt: skip


def _judge(
    axes: Sequence[Axis], region: Region, searched: float, cells: Sequence[CellResult], inside: Bools, held: Bools,
    conditions: Sequence[Condition], tried: int,
) -> Rule:  # fmt: skip
    """A rule compared with the held-out settings within it, and over the whole space.

    Args:
        cells: the settings within the rule's region. held: `held_in` of the settings over the whole space. inside:
            which of these lie in the region.
    """
    from scipy.stats import fisher_exact

    whole, density = {axis.knob.name: axis for axis in axes}, share_held(held_in(conditions, cells))
    table = [[density.count, density.of - density.count], [int(held[0].sum()), int((~held[0]).sum())]]
    p_value = min(1.0, tried * float(fisher_exact(table, alternative="greater")[1]))
    shifted = [float(inside[some].mean()) for some in held[1:] if some.any()]
    # Settings on the same seeds are not independent: a knob that only redraws moves all settings with a value.
    least = share_held(held_in(conditions, cells, level_of_each(LEVEL, tried))).share.low
    return Rule(
        rule=" and ".join(_words(whole[name], within) for name, within in region.items()),
        limits={name: _range_of(within) for name, within in region.items()}, density=density,
        coverage=share_of_settings(int((held[0] & inside).sum()), int(held[0].sum()), shifted),
        statistics=tuple(_mean_of(condition, cells) for condition in conditions),
        p_value=p_value, density_in_search=float(searched),
        confirmed=p_value <= 1 - LEVEL and least > float(held[0].mean()),
    )  # fmt: skip


def _mean_of(condition: Condition, cells: Sequence[CellResult]) -> RegionStatistic:
    """The mean of a statistic over settings; its interval allows for their differences and for shared draws."""
    values, *ends = condition.readings(cells).T
    there = np.isfinite(values)
    values, widths = values[there], np.abs(ends[1] - ends[0])[there]
    mean, half = math.nan, math.inf
    if len(values) > 1:
        luck = (widths / 2 / normal_quantile(LEVEL)) ** 2
        error = np.sqrt(values.var(ddof=1) / len(values) + luck.mean())
        mean, half = float(values.mean()), student_quantile(LEVEL, len(values) - 1) * float(error)
    estimate, rate = Estimate(mean, mean - half, mean + half, condition.figure.is_rate), condition.figure.is_rate
    return RegionStatistic(name=condition.figure.name, value=estimate.within(0, 1) if rate else estimate)


def _range_of(axis: Axis) -> list[Any]:
    """The least and the greatest number of an axis, or its options."""
    if not axis.values:
        return [axis.low, axis.high]
    return [min(axis.values), max(axis.values)] if axis.knob.is_number else list(axis.values)


def _words(axis: Axis, within: Axis) -> str:
    """`walls_start ≤ 4`, `3 ≤ walls_start ≤ 5`, `jokers = true`, `reading is lose or stop`."""
    name, values = axis.knob.name, _range_of(within)
    if not axis.knob.is_number:
        options = [show_value(value) for value in values]
        return f"{name} = {options[0]}" if len(options) == 1 else f"{name} is {' or '.join(options)}"
    (low, high), (least, most) = values, _range_of(axis)
    if low == high:
        return f"{name} = {low:g}"
    if low <= least:
        return f"{name} ≤ {high:g}"
    return f"{name} ≥ {low:g}" if high >= most else f"{low:g} ≤ {name} ≤ {high:g}"
