"""Where does something hold? Short rules over the knobs, judged on games that did not choose them.

    answer = discover(experiment, ["besieger_win > 0.6"])
    answer.sentences, answer.to_dict()

Settings spread over the space (a Latin hypercube) are played, rules are looked for (simlab.stats.subgroup_discovery),
and then fresh settings on fresh seeds are played: some over the whole space, which say how much of it a rule covers,
and some within each rule, which say how often it holds there. What is the best of many rules by its luck falls back
there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from simlab.errors import InputError
from simlab.experiments.design import Axis, Point, points, read_axis, show_value
from simlab.experiments.table import PLAYERS
from simlab.stats.intervals import student_quantile, wilson
from simlab.stats.subgroup_discovery import Bools, Box, find_boxes

if TYPE_CHECKING:
    from simlab.experiments.experiment import Experiment
    from simlab.game import KnobValue
    from simlab.runs.results import CellResult, Results
    from simlab.runs.runner import Event
    from simlab.stats.figure import Figure, Figures

FEWEST_SETTINGS = 40  #: of a search: fewer show no rule
WITHIN = 60  #: fresh settings within each rule
LEVEL = 0.95
_CONDITION = re.compile(r"\s*([A-Za-z_]\w*)\s*(>=|<=|>|<)\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(%?)\s*")


@dataclass(frozen=True)
class Condition:
    """What is asked of a setting: a figure above or below a bound.

    Attributes:
        text: as it was written. bound: in the figure's own unit, a share in 0..1.
    """

    text: str
    figure: Figure
    sign: str
    bound: float

    def holds(self, value: float) -> bool:
        return {">": value > self.bound, ">=": value >= self.bound, "<": value < self.bound}.get(
            self.sign, value <= self.bound
        )

    def against_luck(self, cell: CellResult) -> tuple[bool, bool]:
        """Whether it holds if luck was on its side in these games, and whether if luck was against it (95 %)."""
        reading = self.figure.interval(cell.tally)
        above = self.sign[0] == ">"
        return self.holds(reading.low if above else reading.high), self.holds(reading.high if above else reading.low)

    def chance(self, cell: CellResult) -> float:
        """How likely it is that the condition holds, as the games of a cell tell."""
        reading = self.figure.interval(cell.tally)
        if not np.isfinite(reading.value):
            return 0.5
        width = reading.high - reading.low
        if not np.isfinite(width) or width <= 0:
            return float(self.holds(reading.value))
        error = width / 2 / NormalDist().inv_cdf((1 + LEVEL) / 2)
        above = NormalDist().cdf((reading.value - self.bound) / error)
        return above if self.sign[0] == ">" else 1 - above


def read_condition(text: str, figures: Figures) -> Condition:
    """`besieger_win > 0.6`, `besieger_win > 60%` or `turns_mean <= 12`.

    Raises:
        InputError: not of this form, an unknown figure, or a share outside 0..1.
    """
    match = _CONDITION.fullmatch(text)
    if match is None:
        raise InputError(
            f"--where {text}: write a figure, a sign and a number, as 'besieger_win > 60%' or 'turns_mean <= 12'."
        )
    name, sign, number, percent = match.groups()
    figure = figures.find(name, f"--where {text}")
    bound = float(number) / (100 if percent else 1)
    if figure.is_rate and not 0 <= bound <= 1:
        raise InputError(f"--where {text}: {name} is a share: write {number}% or a number in 0..1.")
    if percent and not figure.is_rate:
        raise InputError(f"--where {text}: {name} is no share: write the number without %.")
    return Condition(" ".join(text.split()), figure, sign, bound)


@dataclass(frozen=True)
class Part:
    """A count out of a count of settings.

    The interval is Wilson's, for which settings were drawn, widened by what luck that all settings share can do.

    Attributes:
        shifted: the share where such luck was for the condition, and against it, in 95 of 100 runs; none where it is
            not known.
    """

    count: int
    of: int
    shifted: tuple[float, ...] = ()

    @property
    def share(self) -> float:
        return self.count / self.of if self.of else float("nan")

    @property
    def ends(self) -> tuple[float, float]:
        low, high = wilson(self.count, self.of, LEVEL)
        if not self.of:
            return float(low), float(high)
        below, above = min(self.shifted, default=self.share), max(self.shifted, default=self.share)
        low = self.share - np.hypot(self.share - low, max(self.share - below, 0.0))
        high = self.share + np.hypot(high - self.share, max(above - self.share, 0.0))
        return max(float(low), 0.0), min(float(high), 1.0)

    @property
    def text(self) -> str:
        """`92 % (84-96)`."""
        if not self.of:
            return "-"
        low, high = self.ends
        return f"{100 * self.share:.0f} % ({100 * low:.0f}-{100 * high:.0f})"

    def to_dict(self) -> dict[str, Any]:
        low, high = self.ends
        return {"count": self.count, "of": self.of, "share": self.share if self.of else None, "low": low, "high": high}


@dataclass(frozen=True)
class Reading:
    """A figure over the settings of a rule, with the interval of its mean."""

    name: str
    value: float
    low: float
    high: float
    rate: bool

    @property
    def text(self) -> str:
        scale, unit = (100, " %") if self.rate else (1, "")
        width = scale * (self.high - self.low)
        digits = 0 if width >= 20 else 1 if width >= 1 else 2
        return f"{scale * self.value:.{digits}f}{unit} ({scale * self.low:.{digits}f}-{scale * self.high:.{digits}f})"


@dataclass(frozen=True)
class Held:
    """In which settings all conditions hold, shape (settings,): as measured, with luck against them, and for them."""

    measured: Bools
    against: Bools
    favoured: Bools

    @classmethod
    def of(cls, conditions: Sequence[Condition], cells: Sequence[CellResult]) -> Held:
        values = [
            [(c.holds(c.figure.interval(cell.tally).value), *c.against_luck(cell)) for c in conditions]
            for cell in cells
        ]
        table: Bools = np.array(values, np.bool_).reshape(len(cells), len(conditions), 3)
        measured, against, favoured = np.all(table, axis=1).T
        return cls(measured, against, favoured)

    @property
    def part(self) -> Part:
        """The share of the settings in which they hold."""
        shifted = (float(some.mean()) for some in (self.against, self.favoured) if some.size)
        return Part(int(self.measured.sum()), int(self.measured.size), tuple(shifted))

    def within(self, inside: Bools) -> Part:
        """Of the settings in which they hold, those inside."""
        shifted = (float(inside[some].mean()) for some in (self.against, self.favoured) if some.any())
        return Part(int((self.measured & inside).sum()), int(self.measured.sum()), tuple(shifted))


@dataclass(frozen=True)
class Rule:
    """A region of the space in which the condition holds, or holds more often than elsewhere.

    Attributes:
        text: `walls_start ≤ 4 and mod_mine ≥ 2`.
        limits: knob -> [least, greatest], or the options.
        density: of fresh settings within it, those in which the condition holds.
        coverage: of fresh settings in which it holds, those within the rule.
        figures: of the conditions, over the fresh settings within it.
        p_value: how often luck alone would show so many more than over the whole space; against all rules tried.
        confirmed: whether that is at most 5 %.
        searched: density among the settings that it was picked by, for comparison.
    """

    text: str
    limits: dict[str, list[Any]]
    density: Part
    coverage: Part
    figures: tuple[Reading, ...]
    p_value: float
    confirmed: bool
    searched: float

    def to_dict(self) -> dict[str, Any]:
        return {
            "rule": self.text.replace("≤", "<=").replace("≥", ">="), "limits": self.limits,
            "density": self.density.to_dict(), "coverage": self.coverage.to_dict(),
            "figures": [asdict(figure) for figure in self.figures], "p_value": self.p_value,
            "confirmed": self.confirmed, "density_in_search": self.searched,
        }  # fmt: skip


@dataclass(frozen=True)
class Discovery:
    """What was found of where a condition holds.

    Attributes:
        conditions: as written. worth: density that was asked for.
        knobs: knob -> (least, greatest) or options, of the space.
        everywhere: of fresh settings over the whole space, those in which it holds.
        rules: those that fresh games confirm, the shortest first. refuted: the others.
        settings: that were searched; games: of each. fresh_seed: of the fresh ones; again: of those how many had
            been searched too, and are fresh in their games alone.
        sample: of all settings over the whole space, (values of the knobs, whether it holds).
    """

    game: str
    title: str
    bots: dict[str, str]
    conditions: tuple[str, ...]
    worth: float
    knobs: dict[str, list[Any]]
    everywhere: Part
    rules: tuple[Rule, ...]
    refuted: tuple[Rule, ...]
    settings: int
    games: int
    all_games: int
    seed: int
    fresh_seed: int
    again: int
    folder: Path
    sample: tuple[tuple[Point, bool], ...]

    @property
    def asked(self) -> str:
        return " and ".join(self.conditions)

    @property
    def sentences(self) -> list[str]:
        """The answer in words, the rules in their order."""
        first = (
            f"{self.asked} holds in {self.everywhere.text} of {self.everywhere.of} settings drawn anew over the space."
        )
        if not self.rules:
            share, more = self.everywhere.share, ""
            if self.refuted:
                more = (
                    f" The best of the search, {self.refuted[0].text}, looked like "
                    f"{100 * self.refuted[0].searched:.0f} % and has "
                    f"{self.refuted[0].density.text} on fresh games: not more than elsewhere for certain."
                )
            kind = "It holds nearly everywhere" if share >= self.worth else "No rule was found"
            return [first, f"{kind}: no short rule says where it holds more than elsewhere.{more}"]
        lines = []
        for rule in self.rules:
            figures = "; ".join(f"{figure.name} {figure.text}" for figure in rule.figures)
            weak = "" if rule.density.share >= self.worth else f", short of the {100 * self.worth:g} % asked for"
            covers = f"covers {rule.coverage.text} of those in which it holds at all"
            if not rule.coverage.of:
                covers = "how much it covers is not known: it holds in none of those over the space"
            lines.append(
                f"{rule.text}: holds in {rule.density.text} of the settings there{weak}, and {covers}; {figures}."
            )
        gone = f" {len(self.refuted)} more did not stand on fresh games." if self.refuted else ""
        return [first, *lines, f"All figures of rules are of {self._fresh}.{gone}"]

    @property
    def _fresh(self) -> str:
        if not self.again:
            return "fresh settings on fresh seeds"
        return f"fresh games; {self.again:,} of their settings had been searched too, on other seeds"

    def to_dict(self) -> dict[str, Any]:
        """As one JSON-able object."""
        return {
            "game": self.game, "bots": self.bots, "where": list(self.conditions), "density_wanted": self.worth,
            "knobs": self.knobs, "everywhere": self.everywhere.to_dict(),
            "rules": [rule.to_dict() for rule in self.rules], "refuted": [rule.to_dict() for rule in self.refuted],
            "settings": self.settings, "games": self.all_games, "games_a_setting": self.games, "seed": self.seed,
            "fresh_seed": self.fresh_seed, "folder": str(self.folder), "sentences": self.sentences,
        }  # fmt: skip


def discover(
    experiment: Experiment,
    where: Sequence[str],
    worth: float = 0.8,
    most_knobs: int = 3,
    fresh: int = 0,
    out: Path | str | None = None,
    workers: int | None = None,
    progress: Callable[[Event], None] | None = None,
    *,
    command: str = "",
) -> Discovery:
    """Plays the settings of an experiment, looks for rules and judges them on fresh settings and seeds.

    Args:
        experiment: one match-up at settings that `lhs` or `sobol` drew.
        where: conditions that shall all hold, as `read_condition`.
        worth: density that a rule shall have, in 0..1. most_knobs: of a rule.
        fresh: settings over the whole space that judge the rules; 0 for as many as were searched.
        out: folder of the results; the fresh games lie in it.
    Raises:
        InputError: bad input, or too few settings. RunFailed, GamesFailed: as `simlab.runs.runner.run`.
    """
    from simlab.engine.outcome import figures_of
    from simlab.runs import runner

    game = experiment.load_game()
    figures = figures_of(game)
    conditions = [read_condition(text, figures) for text in where]
    if not conditions:
        raise InputError("--where is missing: what shall hold? Write --where 'besieger_win > 60%'.")
    if experiment.method not in ("lhs", "sobol") or PLAYERS in experiment.varied:
        raise InputError('a search for rules takes settings that lhs or sobol drew: [vary] method = "lhs".')
    if any(len(bots) > 1 for bots in experiment.bots.values()):
        raise InputError("a search for rules takes one bot a seat: the rules of two match-ups differ.")
    if len(experiment.rows) < FEWEST_SETTINGS:
        raise InputError(
            f"{len(experiment.rows)} different settings are too few to find a rule in: draw {FEWEST_SETTINGS} or more "
            "(--settings), or vary more (--vary)."
        )
    axes = _axes(experiment)
    results = runner.run(experiment, out, workers, progress=progress, command=command)
    found = _search(axes, results, conditions, worth, most_knobs)
    space = _valid(experiment, points(axes, "lhs", fresh or len(experiment.rows), experiment.seed + 1, ""))
    within = [
        _valid(experiment, points(_narrowed(axes, box), "lhs", WITHIN, experiment.seed + 2 + i, ""))
        for i, box in enumerate(found)
    ]
    judged = _play_fresh(experiment, axes, [*space, *(row for rows in within for row in rows)], results.folder,
                         workers, progress, command)  # fmt: skip
    played = {_key(cell.varied): cell for cell in judged.cells}
    there = [(row, played[_key(row)]) for row in space if _key(row) in played]
    holds = Held.of(conditions, [cell for _, cell in there])
    rules = []
    for box, rows in zip(found, within, strict=True):
        cells = [played[_key(row)] for row in rows if _key(row) in played]
        if len(cells) >= 2:
            rules.append(_judge(axes, box, cells, there, holds, conditions, len(found)))
    rules.sort(key=lambda rule: (len(rule.limits), -rule.coverage.share))
    before = Held.of(conditions, results.cells).measured
    return Discovery(
        game=game.slug,
        title=game.title,
        bots={seat: texts[0] for seat, texts in experiment.bots.items()},
        conditions=tuple(condition.text for condition in conditions),
        worth=worth,
        knobs={axis.knob.name: _range_of(axis) for axis in axes},
        everywhere=holds.part,
        rules=tuple(rule for rule in rules if rule.confirmed),
        refuted=tuple(rule for rule in rules if not rule.confirmed),
        settings=len(results.cells),
        games=experiment.games,
        all_games=sum(cell.games for run in (results, judged) for cell in run.cells),
        seed=experiment.seed,
        fresh_seed=experiment.seed + 1,
        again=len(played.keys() & {_key(cell.varied) for cell in results.cells}),
        folder=results.folder,
        sample=tuple(
            [(dict(cell.varied), bool(held)) for cell, held in zip(results.cells, before, strict=True)]
            + [(row, bool(held)) for (row, _), held in zip(there, holds.measured, strict=True)]
        ),
    )


def knobs_around(
    game: str,
    set_: Sequence[str],
    cards: Sequence[str],
    names: Sequence[str],
    but: Mapping[str, object],
    steps: int,
) -> dict[str, list[KnobValue]]:
    """The values of knobs near those that stand: what a search varies where nobody names ranges.

    Args:
        set_, cards: options as a shell gives them; knobs set there stay. names: knobs; all where none is named.
        but: knobs that are varied otherwise. steps: to each side (simlab.experiments.design.neighbours).
    Raises:
        InputError: an unknown knob, or one that is set too.
    """
    from simlab.errors import nearest
    from simlab.experiments.design import neighbourhood
    from simlab.experiments.options import read_assignments
    from simlab.registry import load_game

    loaded = load_game(game)
    files = {name: Path(path) for name, path in read_assignments(cards, "--cards", "TABLE=FILE").items()}
    tables = loaded.read_tables(files)
    allowed = loaded.knobs_with(tables)
    fixed = read_assignments(set_, "--set", "KNOB=VALUE")
    for name in names:
        if name not in allowed:
            raise InputError(f"--knobs: {loaded.slug} has no knob '{name}'. {nearest(name, allowed)}")
        if name in fixed or name in but:
            raise InputError(f"--knobs: {name} is set or varied already. Name it once.")
    base = loaded.resolve_knobs(dict(fixed), tables)
    near, _ = neighbourhood(loaded, base, set(names or allowed) - set(fixed) - set(but), steps, allowed)
    around: dict[str, list[KnobValue]] = {}
    for name, values in near.items():
        every = [*values, base[name]]
        around[name] = sorted(every) if allowed[name].kind in ("int", "float") else every
    if not around and not but:
        raise InputError("none of these knobs can go a step up or down. Name ranges with --vary.")
    return around


def _axes(experiment: Experiment) -> list[Axis]:
    game = experiment.load_game()
    tables = game.read_tables(experiment.card_files) if experiment.card_files else None
    knobs = game.knobs_with(tables)
    axes = [read_axis(knobs[name], experiment.space[name], name, "lhs") for name in experiment.varied]
    return [axis for axis in axes if len(axis.values) != 1]


def _key(row: Mapping[str, KnobValue]) -> str:
    return repr(sorted(row.items()))


def _valid(experiment: Experiment, rows: Sequence[Point]) -> list[Point]:
    """The settings whose knobs do not contradict each other, each once."""
    game = experiment.load_game()
    base = {**experiment.knob_base(), **experiment.knobs}
    fixed = {name: experiment.rows[0][name] for name in experiment.varied}
    return [{**fixed, **row} for row in rows if not game.check_knobs({**base, **fixed, **row})]


def _search(
    axes: Sequence[Axis], results: Results, conditions: Sequence[Condition], worth: float, most_knobs: int
) -> list[Box]:
    labels = [float(np.prod([condition.chance(cell) for condition in conditions])) for cell in results.cells]
    columns = [[_number(axis, cell.varied[axis.knob.name]) for cell in results.cells] for axis in axes]
    fewest = max(10, len(labels) // 25)
    boxes = find_boxes(columns, [_is_ordered(axis) for axis in axes], labels, worth, most_knobs=most_knobs,
                       fewest=fewest)  # fmt: skip
    return [box for box in (_rounded(axes, box) for box in boxes) if box.limits]


def _is_ordered(axis: Axis) -> bool:
    return axis.knob.kind in ("int", "float")


def _number(axis: Axis, value: KnobValue) -> float:
    """A knob's value as a number: of a choice or a switch the place among its values."""
    return float(value) if _is_ordered(axis) else float(axis.values.index(value))


def _rounded(axes: Sequence[Axis], box: Box) -> Box:
    """The box with ends of three digits, inwards, for knobs that take any number: what is said is what is played."""
    limits = dict(box.limits)
    for place, limit in box.limits.items():
        if axes[place].values or isinstance(limit, frozenset):
            continue
        low, high = limit
        step = 10.0 ** (np.floor(np.log10(max(axes[place].high - axes[place].low, 1e-300))) - 2)
        ends = (float(f"{np.ceil(low / step) * step:.12g}"), float(f"{np.floor(high / step) * step:.12g}"))
        near = axes[place].low + 2 * step, axes[place].high - 2 * step
        ends = (axes[place].low if low < near[0] else ends[0], axes[place].high if high > near[1] else ends[1])
        if ends[0] < ends[1]:
            limits[place] = ends
    return replace(box, limits=limits)


def _narrowed(axes: Sequence[Axis], box: Box) -> list[Axis]:
    """The axes within a box."""
    inside = []
    for place, axis in enumerate(axes):
        limit = box.limits.get(place)
        if limit is None:
            inside.append(axis)
        elif isinstance(limit, frozenset):
            inside.append(replace(axis, values=tuple(axis.values[i] for i in sorted(limit))))
        elif axis.values:
            inside.append(replace(axis, values=tuple(v for v in axis.values if limit[0] <= float(v) <= limit[1])))
        else:
            inside.append(replace(axis, low=max(limit[0], axis.low), high=min(limit[1], axis.high)))
    return inside


def _play_fresh(
    experiment: Experiment,
    axes: Sequence[Axis],
    rows: Sequence[Point],
    folder: Path,
    workers: int | None,
    progress: Callable[[Event], None] | None,
    command: str,
) -> Results:
    """Plays settings on seeds of their own, into a folder within that of the search."""
    from simlab.runs import runner

    different = list({_key(row): row for row in rows}.values())
    fresh = replace(
        experiment, name=f"{experiment.name}-fresh", method="list", rows=tuple(different), points=None,
        seed=experiment.seed + 1, space={name: [row[name] for row in different] for name in experiment.varied},
        contract={}, stop=None, mark="", source=None,
    )  # fmt: skip
    return runner.run(fresh, folder / "fresh", workers, progress=progress, command=command)


def _judge(
    axes: Sequence[Axis],
    box: Box,
    cells: Sequence[CellResult],
    space: Sequence[tuple[Point, CellResult]],
    holds: Held,
    conditions: Sequence[Condition],
    tried: int,
) -> Rule:
    """A rule held against the fresh settings within it, and over the whole space."""
    from scipy.stats import fisher_exact

    columns = [np.array([_number(axis, row[axis.knob.name]) for row, _ in space]) for axis in axes]
    inside = box.inside(columns)
    held = holds.measured
    readings = [[condition.figure.interval(cell.tally) for cell in cells] for condition in conditions]
    density = Held.of(conditions, cells).part
    table = [[density.count, density.of - density.count], [int(held.sum()), int((~held).sum())]]
    p_value = min(1.0, tried * float(fisher_exact(table, alternative="greater")[1]))
    figures = tuple(_mean_of(c.figure, r) for c, r in zip(conditions, readings, strict=True))
    names = {axes[place].knob.name: _limit_list(axes[place], limit) for place, limit in box.limits.items()}
    text = " and ".join(_words(axes[place], limit) for place, limit in box.limits.items())
    return Rule(
        text=text,
        limits=names,
        density=density,
        coverage=holds.within(inside),
        figures=figures,
        p_value=p_value,
        confirmed=p_value <= 1 - LEVEL,
        searched=float(box.density),
    )


def _mean_of(figure: Figure, readings: Sequence[Any]) -> Reading:
    """The mean of a figure over settings, with an interval: settings scatter, and may share all of their luck."""
    values = np.array([reading.value for reading in readings])
    widths = np.array([reading.high - reading.low for reading in readings])
    there = np.isfinite(values)
    values, widths = values[there], widths[there]
    if len(values) < 2:
        return Reading(figure.name, float("nan"), float("-inf"), float("inf"), figure.is_rate)
    luck = (widths / 2 / NormalDist().inv_cdf((1 + LEVEL) / 2)) ** 2
    error = np.sqrt(values.var(ddof=1) / len(values) + luck.mean())
    half = student_quantile(LEVEL, len(values) - 1) * float(error)
    mean = float(values.mean())
    low, high = (max(mean - half, 0.0), min(mean + half, 1.0)) if figure.is_rate else (mean - half, mean + half)
    return Reading(figure.name, mean, low, high, figure.is_rate)


def _range_of(axis: Axis) -> list[Any]:
    if not axis.values:
        return [axis.low, axis.high]
    return [min(axis.values), max(axis.values)] if _is_ordered(axis) else list(axis.values)


def _limit_list(axis: Axis, limit: Any) -> list[Any]:
    if isinstance(limit, frozenset):
        return [axis.values[i] for i in sorted(limit)]
    return [int(end) if axis.knob.kind == "int" else end for end in limit]


def _words(axis: Axis, limit: Any) -> str:
    """`walls_start ≤ 4`, `3 ≤ walls_start ≤ 5`, `jokers = true`, `reading is lose or stop`."""
    name, values = axis.knob.name, _limit_list(axis, limit)
    if isinstance(limit, frozenset):
        options = [show_value(value) for value in values]
        return f"{name} = {options[0]}" if len(options) == 1 else f"{name} is {' or '.join(options)}"
    (low, high), (least, most) = values, _range_of(axis)
    if low == high:
        return f"{name} = {low:g}"
    if low <= least:
        return f"{name} ≤ {high:g}"
    return f"{name} ≥ {low:g}" if high >= most else f"{low:g} ≤ {name} ≤ {high:g}"
