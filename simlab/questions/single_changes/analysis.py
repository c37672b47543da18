"""Changes of one knob at a time, compared with the base setting on the same seeds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from simlab.engine.payoff import seeks_score
from simlab.game import KnobValue
from simlab.present.answer import Answer, Number, Part, Rate
from simlab.present.blocks import GamesLink
from simlab.present.estimate import LEVEL, Difference, Estimate, estimate_of, finite, is_number, plain, value_text
from simlab.questions.fair_settings.analysis import Target, target_of
from simlab.runs import drill_down
from simlab.runs.goal import FEWEST_GAMES, estimates_of, goal, rates_of
from simlab.runs.view import view_of
from simlab.stats.figure import score_name
from simlab.stats.intervals import level_of_each
from simlab.stats.p_values import holm
from simlab.stats.paired import Verdict, verdict_of_test
from simlab.stats.verdict import BROKEN, MET, UNDECIDED, Word, word_of

Reach = Literal["reaches", "may reach", "falls short"]
_REACH: dict[Word, Reach] = {MET: "reaches", BROKEN: "falls short", UNDECIDED: "may reach"}


class KnobChange(Part):
    """One knob changed."""

    knob: str
    before: KnobValue
    value: KnobValue

    @property
    def text(self) -> str:
        return f"{plain(self.knob, 40)} {value_text(self.before)} → {value_text(self.value)}"


class Change(KnobChange):
    """One knob changed, all others as in the base setting.

    Attributes:
        steps: number of steps, in played values, to the new value. points: change of the win rate in points. score:
            change of the mean score, in a game of one seat with scores. Their intervals hold for all changes together,
            because the largest is selected by the same games.
        p_value: p-value of the change of the score if there are scores, else of the win rate; adjusted for all changes
            (Holm).
        win_rate: win rate after the change. joint: the same with an interval that holds for all changes together.
        reach: whether the target is reached, judged by `joint`.
        variance_reduction: effect of the same seeds on the variance; None without rows, or if no pair differs.
    """

    steps: int
    points: Number
    score: Number | None
    p_value: float
    verdict: Verdict
    win_rate: Rate
    joint: Rate
    reach: Reach
    variance_reduction: float | None
    games: GamesLink | None

    @property
    def of_rate(self) -> Difference:
        """The change of the win rate, a share."""
        return Difference(self.points.value / 100, self.points.low / 100, self.points.high / 100)

    @property
    def effect(self) -> Difference:
        """The statistic by which changes are ranked and judged."""
        score = self.score
        return Difference(score.value, score.low, score.high, False) if score else self.of_rate

    @property
    def significant(self) -> bool:
        return self.verdict == "changed"


class SingleChanges(Answer, form="single-changes"):
    """Answer of `simlab report FOLDER --section single_changes`.

    Attributes:
        setup: the game and its bots. seat: the seat whose win rate counts. games: number of games per setting.
        base: win rate of the base setting. joint_base: the same with an interval that holds for all settings together.
        paired: whether games are compared one by one, on the same seeds.
        changes: the largest effect first; empty if there are too few games or not all settings were played.
        cheapest: the smallest change that reaches the target, or may reach it.
    """

    setup: str
    seat: str
    target: Target
    games: int
    paired: bool = False
    base: Rate | None = None
    joint_base: Rate | None = None
    changes: tuple[Change, ...] = ()
    cheapest: Change | None = None

    @property
    def on_target(self) -> bool:
        """Whether the base setting is already on target."""
        low, high, base = self.target.low, self.target.high, self.joint_base
        return base is not None and None not in (low, high) and low <= base.low and base.high <= high  # type: ignore[operator]


def of_run(results: Any) -> SingleChanges | None:
    """The answer of a run that changes one knob at a time; None for others."""
    view = view_of(results)
    if view.method != "one_at_a_time":
        return None
    wanted, base = goal(view), view.base
    games = min(cell.games for cell in view.cells)
    about: dict[str, Any] = {"setup": f"{view.title}{view.fixed_bots}", "seat": wanted.who, "games": games}
    about["target"] = target_of(view, wanted)
    points = view.cells_by(lambda cell: tuple(repr(cell.varied.get(name)) for name in base))
    here = tuple(map(repr, base.values()))
    if not base or games < FEWEST_GAMES or here not in points or len(points) < 2:
        return SingleChanges(**about)
    groups = [points.pop(here), *points.values()]
    rates = rates_of(view, groups, wanted)
    alone = estimates_of(view, groups, wanted)
    ends = rates.ends(level_of_each(LEVEL, len(groups)))
    joint = [estimate_of((value, *both)) for value, both in zip(rates.value, ends, strict=True)]
    strict = level_of_each(LEVEL, len(groups) - 1)
    wins = [view.change(wanted.payoff, groups[0], group, strict) for group in groups[1:]]
    name = score_name(view.raw_seats[0])
    scores = [view.paired(name, groups[0], group, strict) if seeks_score(view.names) else None for group in groups[1:]]
    adjusted = holm([(score or win).p_value for win, score in zip(wins, scores, strict=True)])
    changes = []
    for place, (win, score, p_value) in enumerate(zip(wins, scores, adjusted, strict=True), 1):
        varied, rate, judged = groups[place][0].varied, joint[place], score or win
        knob = next(name for name in base if varied.get(name) != base[name])
        steps = _steps(base[knob], varied[knob], [cell.varied[knob] for cell in view.cells])
        changes.append(Change(
            knob=knob, before=base[knob], value=varied[knob], steps=steps, points=estimate_of(win.ends, 100, False),
            score=Estimate(*score.ends, False) if score else None, p_value=float(p_value),
            verdict=verdict_of_test(float(p_value), judged.changed), win_rate=alone[place], joint=rate,
            reach=_REACH[word_of((wanted.low, wanted.high), rate.low, rate.high)],
            variance_reduction=finite(judged.factor),
            games=drill_down.all_games(view, view.pool("", (*groups[0], *groups[place]))),
        ))  # fmt: skip
    ranked = sorted(changes, key=lambda change: -abs(change.effect.value))
    answer = SingleChanges(**about, paired=rates.measured, base=alone[0], joint_base=joint[0], changes=tuple(ranked))
    best = cheapest(changes, wanted.target) if wanted.target is not None and not answer.on_target else None
    return answer.model_copy(update={"cheapest": best}) if best else answer


def cheapest(changes: Sequence[Change], target: float) -> Change | None:
    """The smallest change that significantly reaches the target, or else the smallest that may reach it; None if there
    is neither. Of changes with equally many steps, the nearest to the target is chosen.
    """
    able = [change for reach in ("reaches", "may reach") for change in changes if change.reach == reach]
    best = [change for change in able if change.reach == able[0].reach]
    return min(best, key=lambda change: (change.steps, abs(change.joint.value - target)), default=None)


def _steps(before: KnobValue, value: KnobValue, played: list[KnobValue]) -> int:
    """Number of steps between two of the values that were played."""
    if not (is_number(before) and is_number(value)):
        return 1
    low, high = sorted((before, value))
    return sum(low < other <= high for other in {*played, before})  # type: ignore[operator]
