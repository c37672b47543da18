"""The course of games: what win chances turn by turn say of drama, of when a game is decided, and of runaway leaders.

Chances are shares of futures, so they carry noise, and a maximum or a threshold of noisy numbers is biased. Therefore
the futures of each position come in two independent halves: what is picked by one half is read from the other, and
squares are products of both. Where that is not possible a difference counts only beyond what noise shows, the further
beyond the more places it is looked for in. Each game is a cluster: figures are means over games, and their intervals
come from how games differ.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from simlab.stats.bounded import mean_bounds, mean_p_value
from simlab.stats.clusters import as_share, clustered_ratio
from simlab.stats.intervals import Floats, student_quantile, wilson
from simlab.stats.many import holm

DECIDED = 0.95  #: a game is decided when all chances are as near as this to the result, for good
FALSE = 0.05  #: chance that noise alone shows a side ahead somewhere in a game, where all chances are equal
BEHIND = 0.3  #: of two sides: a side below it lies behind; of k sides 2/k of it
BINS = 10  #: of the calibration
ENOUGH = 30  #: games of a bin for an interval: of fewer it would be too narrow
PART = 3  #: who leads after one part of so many is held against the end
_RACES, _FITTED = 60_000, 20_000
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Course:
    """The win chances of one game at the start of each turn.

    Attributes:
        turns: numbers of the turns, shape (positions,).
        first, second: shares of futures won, two independent halves, shape (positions, sides).
        futures: of each position, both halves together.
        won: 1.0 for who won in the end, else 0.0, shape (sides,).
        worth: how many futures of separate luck tell as much as those; 0 for all of them.
    """

    game: int
    turns: tuple[int, ...]
    first: Floats
    second: Floats
    futures: int
    won: Floats
    worth: float = 0.0

    @cached_property
    def chances(self) -> Floats:
        """Of all futures together, shape (positions, sides)."""
        return (self.first + self.second) / 2

    @property
    def parted(self) -> bool:
        """Whether somebody won and somebody did not."""
        return bool(self.won.any() and not self.won.all())

    @cached_property
    def _gap(self) -> tuple[Floats, Floats]:
        """How far the best of the others is above the best placed winner, also in standard errors, (positions,)."""
        won = self.won > 0
        mine, best = self.chances[:, won].max(axis=1), self.chances[:, ~won].max(axis=1)
        return best - mine, (best - mine) / _noise(best, mine, self.worth or self.futures)

    @cached_property
    def deficit(self) -> Floats:
        """By how much the later winner was behind the best of the others, shape (positions,); 0 where not for certain.

        Of several winners the best placed counts. All positions of the game are judged together.
        """
        gap, errors = self._gap
        return np.where(errors > certain(self.rivals * len(self.turns)), gap, 0.0)

    @cached_property
    def behind(self) -> Bools:
        """Where the later winner was behind for certain, each position judged by itself, shape (positions,)."""
        return self._gap[1] > certain(2 * self.rivals)

    @property
    def rivals(self) -> int:
        return max(int(self.chances.shape[1]) - 1, 1)

    @property
    def upset(self) -> tuple[float, int, float]:
        """Lowest win chance of a winner by one half of the futures, its turn, and its chance there by the other half.

        (1, 0, 1) where nobody won.
        """
        winners = np.flatnonzero(self.won)
        if winners.size == 0:
            return 1.0, 0, 1.0
        place = np.unravel_index(int(self.first[:, winners].argmin()), (len(self.turns), winners.size))
        at, who = int(place[0]), int(winners[place[1]])
        return float(self.first[at, who]), self.turns[at], float(self.second[at, who])

    @property
    def swing(self) -> tuple[float, int, float]:
        """Largest change of a win chance from one turn to the next by one half, its turn, and what the other half says.

        The end counts as a turn; against the direction that the first half saw, the other's change is below 0.
        """
        one, other = (np.diff(np.vstack([half, self.won]), axis=0) for half in (self.first, self.second))
        place = np.unravel_index(int(np.abs(one).argmax()), one.shape)
        return float(abs(one[place])), self.turns[int(place[0])], float(np.sign(one[place]) * other[place])

    @property
    def lead_changes(self) -> int:
        """How often another side than the last leader leads for certain, all positions judged together."""
        changes, leader = 0, -1
        bound = certain(self.rivals * len(self.turns))
        for row in self.chances:
            order = np.argsort(-row, kind="stable")
            best, next_best = row[order[0]], row[order[1]]
            if best - next_best > bound * _noise(best, next_best, self.worth or self.futures):
                changes += leader not in (-1, int(order[0]))
                leader = int(order[0])
        return changes

    @cached_property
    def decided_at(self) -> int:
        """Place of the first position from which on the game is decided; their number where none is."""
        open_ = (np.abs(self.chances - self.won) > 1 - DECIDED + 1e-9).any(axis=1)
        return int(np.flatnonzero(open_)[-1]) + 1 if open_.any() else 0

    def at(self, turn: int) -> int:
        """Place of the position at the start of a turn, or of the last before it; -1: none."""
        return int(np.searchsorted(self.turns, turn, "right")) - 1

    def over_before(self, turn: int) -> bool:
        return self.turns[-1] < turn


def certain(looks: int) -> float:
    """Standard errors by which a chance must lie above another to count as higher, where so many are looked at."""
    return NormalDist().inv_cdf(1 - FALSE / looks)


def worth(courses: Sequence[Course]) -> float:
    """How many futures of separate luck tell as much as those of a position, as the two halves differ.

    Futures that share a deal are alike, and tell less than as many in deals of their own.
    """
    plain = float(sum(open_variance(one).sum() for one in courses)) / courses[0].futures
    seen = float(sum(((one.first - one.second) ** 2).sum() for one in courses)) / 4
    return courses[0].futures / max(seen / plain, 1.0) if plain > 0 else float(courses[0].futures)


def _noise(one: Any, other: Any, futures: float) -> Any:
    """Standard error of the difference of two shares of the same futures, were their chances equal (McNemar 1947)."""
    return np.sqrt(np.maximum(one + other, 1 / futures) / futures)


def biggest_upset(courses: Sequence[Course]) -> Course:
    """The game won from the lowest chance, as one half of the futures has it."""
    return min(courses, key=lambda one: (one.upset[0], one.game))


def largest_swing(courses: Sequence[Course]) -> Course:
    """The game with the largest change of a chance from one turn to the next, as one half of the futures has it."""
    return max(courses, key=lambda one: (one.swing[0], -one.game))


@dataclass(frozen=True)
class Figure:
    """A figure of the course of games.

    Attributes:
        games: that it rests on. unit: "%" for a share, "points" for a difference of shares, "" for a number.
    """

    name: str
    words: str
    value: float
    low: float
    high: float
    games: int
    unit: str = "%"

    def to_dict(self) -> dict[str, Any]:
        """JSON-able; a number that is not there is null."""

        def number(value: float) -> float | None:
            return float(value) if math.isfinite(value) else None

        return {
            "name": self.name, "words": self.words, "estimate": number(self.value), "low": number(self.low),
            "high": number(self.high), "games": self.games, "unit": self.unit,
        }  # fmt: skip


def mean_figure(name: str, words: str, values: Sequence[float], unit: str = "%") -> Figure:
    """The mean over games of one number a game, with Student's interval, cut to what can be."""
    each = np.asarray(values, np.float64)
    return ratio_figure(name, words, each, np.ones(each.size), np.arange(each.size), unit)


def ratio_figure(
    name: str, words: str, top: npt.ArrayLike, bottom: npt.ArrayLike, game: npt.ArrayLike, unit: str = "%"
) -> Figure:
    """sum(top) / sum(bottom) over entries whose games are clusters.

    The interval of a share is that of `as_share`. Where all games are alike, a number's allows that a game differs by 1
    as often as none of so many may show.
    """
    above, below = np.asarray(top, np.float64), np.asarray(bottom, np.float64)
    ratio = clustered_ratio(above, below, game, np.zeros(above.size, np.int64))
    if unit == "%":
        ratio = as_share(ratio)
    ends = (ratio.low, ratio.high)
    if unit != "%" and ratio.clusters > 1 and ratio.se <= 1e-12:
        step = float(wilson(0, ratio.clusters)[1])
        ends = (ratio.value - step, ratio.value + step)
    low, high = -1.0 if unit == "points" else 0.0, math.inf if unit == "" else 1.0
    return Figure(name, words, ratio.value, max(ends[0], low), min(ends[1], high), ratio.clusters, unit)


def figures(courses: Sequence[Course], sides: Sequence[str], turn: str = "turn") -> list[Figure]:
    """The figures of a sample of games; those that nothing was there for are left out.

    Args:
        sides: their names, as in the courses. turn: what the game calls its turns.
    Source: drama is the eventual winner's disadvantage, its average the mean root of it over the positions where the
        winner was behind: Browne (2008), Automatic Generation and Evaluation of Recombination Games, and Browne and
        Maire (2010), IEEE TCIAIG 2(1), 1-16; win chances stand in place of their estimate of a position. Uncertainty
        and decisiveness follow their ideas, with a formula of our own.
    """
    parted = [one for one in courses if one.parted]
    made: list[Figure] = []
    if parted:
        behind = [one.deficit for one in parted]
        made += [
            mean_figure(
                "behind", f"share of the {turn}s at whose start the later winner was surely behind",
                [float(one.behind.mean()) for one in parted],
            ),
            mean_figure(
                "came_from_behind", "share of the games whose winner was surely behind at some time",
                [float((gap > 0).any()) for gap in behind],
            ),
            mean_figure(
                "drama", "drama: root of the winner's disadvantage, mean over where it was surely behind (0 to 1)",
                [float(np.sqrt(gap[gap > 0]).mean()) if (gap > 0).any() else 0.0 for gap in behind], unit="",
            ),
            mean_figure("lowest", "lowest win chance of the later winner", [_lowest(one) for one in parted]),
        ]  # fmt: skip
    made += [
        mean_figure(
            "lead_changes", "sure changes of the lead in a game, by win chance",
            [float(one.lead_changes) for one in courses], unit="",
        ),
        mean_figure(
            "decided_turn", f"{turn} at whose start a game is decided for good (95 %)",
            [float([*one.turns, one.turns[-1] + 1][one.decided_at]) for one in courses], unit="",
        ),
        mean_figure(
            "after_decided", f"share of the {turn}s that are played after the game is decided",
            [1 - one.decided_at / len(one.turns) for one in courses],
        ),
        mean_figure(
            "open_to_the_end", f"share of the games still open at the start of their last {turn}",
            [float(one.decided_at == len(one.turns)) for one in courses],
        ),
    ]  # fmt: skip
    rest = [open_variance(one) for one in courses]
    start = np.array([own[0] for own in rest])
    if start.sum() > 0:
        words = "uncertainty: what is still open, mean over the game, in parts of the start's"
        means = [float(own.mean()) for own in rest]
        made.append(ratio_figure("uncertainty", words, means, np.maximum(start, 1e-12), np.arange(len(rest)), ""))
    return made + _comebacks(courses, sides) + _runaway(courses, sides, turn)


def _lowest(course: Course) -> float:
    """Win chance of the best placed winner where it stood lowest: found in one half, read in the other."""
    won = course.won > 0
    one, other = course.first[:, won].max(axis=1), course.second[:, won].max(axis=1)
    return float(other[one.argmin()] + one[other.argmin()]) / 2


def open_variance(course: Course) -> Floats:
    """What is still open at each position: the variance of who wins, sum of p (1 - p); unbiased, shape (positions,)."""
    return np.asarray((course.chances - course.first * course.second).sum(axis=1), np.float64)


# --- Comebacks ------------------------------------------------------------------


def below(sides: int) -> float:
    """The chance below which a side lies behind: 30 % of two sides, 2/k of it of k sides."""
    return BEHIND * 2 / sides


def _comebacks(courses: Sequence[Course], sides: Sequence[str]) -> list[Figure]:
    """How often who fell below the bound wins all the same, and what their chances then said."""
    bound = below(len(sides))
    start = np.mean([one.chances[0] for one in courses], axis=0)
    entries: list[tuple[int, float, float]] = []
    for number, one in enumerate(courses):
        for side in np.flatnonzero(start >= bound):
            fallen = np.flatnonzero(one.first[:, side] < bound)
            if fallen.size:
                entries.append((number, float(one.won[side]), float(one.second[fallen[0], side])))
    if not entries:
        return []
    game, won, said = (np.array(column) for column in zip(*entries, strict=True))
    ones = np.ones(game.size)
    text = f"{100 * bound:.0f} %"
    return [
        ratio_figure(
            "comebacks", f"of the sides that seemed to fall below {text}, share that won after all", won, ones, game
        ),
        ratio_figure("comebacks_said", "their chance at that moment, by other futures", said, ones, game),
    ]


# --- Runaway leaders ------------------------------------------------------------


def third(courses: Sequence[Course]) -> int:
    """The turn that one third of the turns of a game of middle length lie before."""
    length = float(np.median([one.turns[-1] - one.turns[0] + 1 for one in courses]))
    first = min(one.turns[0] for one in courses)
    return first + max(round(length / PART), 1)


def _runaway(courses: Sequence[Course], sides: Sequence[str], turn: str) -> list[Figure]:
    """How often who leads after a third of the game wins, beside an even race."""
    when = third(courses)
    start = np.mean([one.chances[0] for one in courses], axis=0)
    leaders: list[tuple[float, int, float]] = []
    for one in courses:
        if one.over_before(when):
            continue
        row = one.chances[one.at(when)]  # both halves: the result itself is no future
        leader = int(row.argmax())
        if (row == row[leader]).sum() == 1:
            leaders.append((float(one.won[leader]), leader, float(start[leader])))
    if len(leaders) < 2:
        return []
    wins = [won for won, _, _ in leaders]
    sides_of = [side for _, side, _ in leaders]
    spread = np.std([one.chances[0] for one in courses], axis=0, ddof=1) / math.sqrt(len(courses))
    half = student_quantile(0.95, len(courses) - 1) * float(spread[sides_of].mean())

    def about(name: str, words: str, values: Sequence[float]) -> Figure:
        """A mean of what the start is known to be: as sure as the chances at the start are."""
        mean = float(np.mean(values))
        return Figure(name, words, mean, max(mean - half, 0.0), min(mean + half, 1.0), len(values))

    made = [
        mean_figure("leader_wins", f"who leads at the start of {turn} {when}, a third of a game, wins", wins),
        about("leader_start", "chance that these leaders had at the start", [p for _, _, p in leaders]),
    ]
    if float(start.sum()) < 1.02 and start.min() > 0:  # where wins are shared there is no race for one
        race = even_race(start)
        said = about("leader_race", "share they would win in an even race", [float(race[side]) for side in sides_of])
        words = "runaway: how much more often than in an even race"
        more = mean_figure("runaway", words, [won - float(race[side]) for won, side, _ in leaders], "points")
        if len(set(wins)) == 1:  # no spread was seen, which says little of few games
            more = replace(more, low=made[0].low - said.value, high=made[0].high - said.value)
        made += [said, more]
    return made


def even_race(start: npt.ArrayLike, part: float = 1 / PART) -> Floats:
    """How often who leads after a part of a race wins it, where nothing but even, independent luck moves the sides.

    Each side is a Brownian motion with a head start that gives it its chance; the highest at the end wins. A lead gives
    nothing but itself: what a game has above it, it gives to leaders.

    Args:
        start: win chances at the start, shape (sides,); what they lack to 1 is that nobody wins, which runs along.
    Returns:
        chance to win of each side, given that its chance is the highest then; nan for one that never leads. By
        simulation, standard error about 0.003. Of two equal sides it is 1/2 + arcsin(sqrt(part)) / pi (arcsine law of
        the correlation of two normal numbers; Sheppard 1899).
    """
    chances = np.asarray(start, np.float64)
    sides = chances.size
    if chances.sum() < 0.995:
        chances = np.append(chances, 1 - chances.sum())
    chances = np.clip(chances / chances.sum(), 1e-6, 1 - 1e-6)
    draw = np.random.default_rng(63)
    early = draw.normal(size=(_RACES, chances.size)) * math.sqrt(part)
    late = early + draw.normal(size=early.shape) * math.sqrt(1 - part)
    wanted = np.array([NormalDist().inv_cdf(p) for p in chances])
    ahead = np.zeros(chances.size)
    for _ in range(15):
        share = np.bincount((late[:_FITTED] + ahead).argmax(axis=1), minlength=chances.size) / _FITTED
        reached = np.array([NormalDist().inv_cdf(min(max(p, 1e-6), 1 - 1e-6)) for p in share])
        ahead += (wanted - reached) * 1.2
        ahead -= ahead.mean()
    leader, winner = (early + ahead)[:, :sides].argmax(axis=1), (late + ahead).argmax(axis=1)
    led = np.bincount(leader, minlength=sides)
    kept = np.bincount(leader, leader == winner, minlength=sides)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(led > 0, kept / led, np.nan), np.float64)


# --- Calibration ----------------------------------------------------------------


def calibration(courses: Sequence[Course]) -> list[dict[str, Any]]:
    """Whether chances hold: of the positions of a bin, the chance said beside the share won.

    Bins go by one half of the futures, what is said by the other, so that both are means of the same true chances and
    their difference is 0 but for luck.

    Returns:
        a dict a bin with positions in it: `low`, `high` (ends of the bin), `positions`, `games`, `said`, `won`, and
        `gap` (won less said) with `gap_low`, `gap_high` (95 %, games as clusters), and `gap_p_value` of no gap; None of
        fewer than ENOUGH games.
    """
    first = np.concatenate([one.first.ravel() for one in courses])
    second = np.concatenate([one.second.ravel() for one in courses])
    won = np.concatenate([np.broadcast_to(one.won, one.first.shape).ravel() for one in courses])
    game = np.concatenate([np.full(one.first.size, number) for number, one in enumerate(courses)])
    place = np.minimum((first * BINS).astype(np.int64), BINS - 1)
    made = []
    for bin_ in np.unique(place):
        here = (place == bin_).astype(np.float64)
        gap = clustered_ratio(here * (won - second), here, game, np.zeros(game.size, np.int64))
        known = gap.clusters >= ENOUGH
        ends, p_value = _gap_interval(here * (won - second), here, game) if known else ((None, None), None)
        made.append(
            {
                "low": float(bin_) / BINS, "high": (float(bin_) + 1) / BINS, "positions": int(here.sum()),
                "games": gap.clusters, "said": float((here * second).sum() / here.sum()),
                "won": float((here * won).sum() / here.sum()), "gap": gap.value,
                "gap_low": ends[0], "gap_high": ends[1], "gap_p_value": p_value,
            }
        )  # fmt: skip
    return made


def _gap_interval(gaps: Floats, here: Floats, game: npt.NDArray[Any]) -> tuple[tuple[float, float], float]:
    """Interval and p-value of the mean gap of a bin: games are clusters, and their sums are bounded but skewed.

    In the outer bins one lost or won game in many makes the whole gap, so Student's t is not good enough. Where chances
    hold, the sum of each game has a mean of 0.
    """
    positions = np.bincount(game, here)
    sums, positions = np.bincount(game, gaps)[positions > 0], positions[positions > 0]
    most = float(positions.max())
    gap = float(sums.sum() / positions.sum())
    values, counts = np.unique(sums, return_counts=True)
    p_value = mean_p_value(values, counts, -most, most)
    values, counts = np.unique(sums - gap * positions, return_counts=True)
    reach = most * (1 + abs(gap))
    low, high = gap + mean_bounds(values, counts, -reach, reach) / positions.mean()
    return (max(float(low), -1.0), min(float(high), 1.0)), p_value


def off_bins(bins: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The bins of `calibration` in which the chances do not hold for certain, all bins judged together (Holm)."""
    judged = [one for one in bins if one.get("gap_p_value") is not None]
    adjusted = holm([one["gap_p_value"] for one in judged])
    return [one for one, p in zip(judged, adjusted, strict=True) if p < 0.05] if judged else []


# --- By turn --------------------------------------------------------------------

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
_MOST_TURNS = 60  #: that are kept, evenly spread


def by_turn(courses: Sequence[Course]) -> dict[str, Any]:
    """The chances at the start of each turn over all games; of a game that is over its result.

    Returns:
        JSON-able: `turns`; `mean`, a list a side; `quantiles`, side x QUANTILES x turn; `open`, what is still open at
        each turn in parts of the start; up to the turn that 19 games of 20 do not outlast.
    """
    first = min(one.turns[0] for one in courses)
    last = int(np.quantile([one.turns[-1] for one in courses], 0.95)) + 1
    turns = np.unique(np.linspace(first, last, min(last - first + 1, _MOST_TURNS)).astype(int))
    table = np.array([along(one, turns) for one in courses])  # games, turns, sides
    rest = [open_variance(one) for one in courses]
    still = np.mean(
        [
            [0.0 if one.over_before(turn) else own[max(one.at(turn), 0)] for turn in turns]
            for one, own in zip(courses, rest, strict=True)
        ],
        axis=0,
    )
    return {
        "turns": turns.tolist(),
        "mean": table.mean(axis=0).T.tolist(),
        "quantiles": np.moveaxis(np.quantile(table, QUANTILES, axis=0), 2, 0).tolist(),
        "open": (np.maximum(still, 0.0) / still[0]).tolist() if still[0] > 0 else [0.0] * turns.size,
    }


def along(course: Course, turns: npt.ArrayLike) -> Floats:
    """The chances of one game at some turns, and its result after its end, shape (turns, sides)."""
    read: Callable[[int], Floats] = lambda t: (  # noqa: E731
        course.won if course.over_before(t) else course.chances[max(course.at(t), 0)]
    )
    return np.array([read(int(t)) for t in np.asarray(turns)])
