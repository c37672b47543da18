"""The finalists of a search on held-out seeds, with intervals that hold for all of them together.

The search selected them from many settings, partly by luck. They are therefore played again on seeds that no selection
has used, and the intervals share the error probability (Bonferroni over finalists, lines of the contract and looks).
Whichever finalist is recommended, its intervals hold. If a line is inconclusive and the answer depends on it, the games
are doubled, at most twice.

The win rates of two sides are the value of a game: it never falls when an entry of the table rises, so it lies between
the values at the two ends of a band that covers the whole table (sup-t). This holds even where bots are equally good.
All other statistics are those of the games in best play: each game index gives one weighted game over the line-ups of
the mix, and these weighted games are independent.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from simlab.engine.outcome import GameRows, sides_of
from simlab.engine.payoff import Party, Payoff, parties_of
from simlab.questions.fixes.evaluator import Job, LineUp, Objective, Source, best_play, measure
from simlab.questions.fixes.parameters import Setting
from simlab.stats.bounded_mean import mean_interval
from simlab.stats.figure import Gap, Mean, Quantile, Share
from simlab.stats.intervals import Floats, Reading, clopper_pearson, normal_quantile, wilson
from simlab.stats.tournament import floored, solve_all, sup_t
from simlab.stats.verdict import Word, word_of

Array = np.ndarray[Any, Any]

LEVEL = 0.95  #: probability that all intervals of the finalists hold together
LOOKS = 3  #: one each at the number of games of the finals, at twice and at four times that number
_LOOK = 4  # part of the games with which every bot is tried before the clearly worse ones leave
_CLEARLY = 4.0  # standard errors below best play
_NEAR = 0.15  # distance from the contract up to which slow bots meet a finalist
_DRAWS = 20_000  # of the band over a table
_SENT = 0.01


@dataclass(frozen=True)
class Seating:
    """The sides of a game. names: of the game, as figures_of takes it."""

    names: Any

    @cached_property
    def parties(self) -> tuple[Party, ...]:
        return parties_of(self.names)

    @property
    def sides(self) -> list[tuple[int, ...]]:
        """The seats of each side."""
        return [party.seats for party in self.parties]

    def won(self, rows: Array) -> Floats:
        """Whether each side won each game: shape (games, sides)."""
        return np.stack([party.won(rows) for party in self.parties], 1).astype(np.float64)

    def gains(self, rows: Array) -> Floats:
        """The value of each game to each side: shape (games, sides)."""
        return np.stack([Payoff.of_side(self.names, side).values(rows) for side in range(len(self.parties))], 1)


@dataclass
class Finalist:
    """A setting on held-out seeds.

    Attributes:
        bots: positions of the remaining bots of each side. rows: line-up -> its games that ended. asked: requested
            number of games. weights: line-up -> probability in best play. readings: each line of the contract in best
            play.
        unadapted: the same in best play of the printed game, that is, while nobody adapts.
        words: `met`, `broken` or `inconclusive` of each line.
    """

    setting: Setting
    bots: list[list[int]]
    rows: dict[LineUp, Array] = field(default_factory=dict)
    asked: dict[LineUp, int] = field(default_factory=dict)
    weights: dict[LineUp, float] = field(default_factory=dict)
    readings: tuple[Reading, ...] = ()
    unadapted: tuple[float, ...] = ()
    words: tuple[Word, ...] = ()
    miss: float = 0.0
    inside: float = 0.0

    @property
    def word(self) -> Word:
        """The verdict on the whole contract."""
        return "broken" if "broken" in self.words else "inconclusive" if "inconclusive" in self.words else "met"


class Validation:
    """Plays finalists on held-out seeds.

    Args:
        bots: number of bots of each side; the last `slow` of them meet only the bots of best play.
        games: per match-up; slow_games: per match-up with a slow bot.
    """

    def __init__(
        self, source: Source, seating: Seating, bots: Sequence[int], objectives: Sequence[Objective], games: int,
        slow: Sequence[int] = (), slow_games: int = 0,
    ) -> None:  # fmt: skip
        self.source, self.seating, self.objectives, self.games = source, seating, tuple(objectives), games
        self.bots, self.slow, self.slow_games = tuple(bots), tuple(slow) or (0,) * len(bots), slow_games
        self.played = 0
        self.level = LEVEL

    def run(self, settings: Sequence[Setting]) -> list[Finalist]:
        """Plays and judges them.

        Args:
            settings: the printed game, `()`, among them; the least change first.
        """
        self.level = 1 - (1 - LEVEL) / (len(settings) * len(self.objectives) * LOOKS)
        every = [list(range(count - slow)) for count, slow in zip(self.bots, self.slow, strict=True)]
        finalists = [Finalist(setting, [list(some) for some in every]) for setting in settings]
        most = max(len(some) for some in every)
        first = self.games if most == 1 else max(self.games // _LOOK, min(self.games, 200))
        self._play(finalists, first)
        for finalist in finalists:
            self._drop(finalist)
        self._play(finalists, self.games)
        base = next(finalist for finalist in finalists if not finalist.setting)
        if any(self.slow):
            self._look(finalists, base, self.games)
            near = [f for f in finalists if not f.setting or f.miss <= _NEAR]
            for finalist in near:
                for side, count in enumerate(self.bots):
                    finalist.bots[side] += range(count - self.slow[side], count)
            self._play(near, self.games)
        self._look(finalists, base, self.games)
        for look in range(1, LOOKS):
            unsure = self._worth_more(finalists)
            if not unsure:
                break
            self._play(unsure, self.games << look)
            self._look(unsure, base, self.games << look)
        return finalists

    def _look(self, finalists: Sequence[Finalist], base: Finalist, games: int) -> None:
        for finalist in finalists:
            finalist.weights = self._best(finalist)
        self._play_line_ups([(f, u) for f in finalists for u in base.weights], min(games, self.games))
        for finalist in finalists:
            self._judge(finalist, base)

    def _worth_more(self, finalists: Sequence[Finalist]) -> list[Finalist]:
        """The inconclusive finalists that change less than the first finalist that keeps the contract."""
        if finalists[0].word == "met" and not finalists[0].setting:
            return []
        first = next((place for place, f in enumerate(finalists) if f.word == "met"), len(finalists))
        return [f for f in finalists[:first] if f.word == "inconclusive"]

    # --- play

    def _games_of(self, line_up: LineUp, games: int) -> int:
        slow = any(bot >= count - n for bot, count, n in zip(line_up, self.bots, self.slow, strict=True))
        return min(games, self.slow_games * max(games // self.games, 1)) if slow else games

    def _play(self, finalists: Sequence[Finalist], games: int) -> None:
        self._play_line_ups([(f, u) for f in finalists for u in itertools.product(*f.bots)], games)

    def _play_line_ups(self, wanted: Sequence[tuple[Finalist, LineUp]], games: int) -> None:
        jobs, owners = [], []
        for finalist, line_up in wanted:
            there = finalist.asked.get(line_up, 0)
            goal = self._games_of(line_up, games)
            if there < goal:
                finalist.asked[line_up] = goal
                jobs.append(Job(finalist.setting, line_up, there, goal - there))
                owners.append(finalist)
        for finalist, job, rows in zip(owners, jobs, self.source.rows(jobs), strict=True):
            before = finalist.rows.get(job.line_up)
            finalist.rows[job.line_up] = rows if before is None else np.concatenate([before, rows])
            self.played += job.count

    # --- best play

    def _mean_gains(self, finalist: Finalist) -> Floats:
        line_ups = itertools.product(*finalist.bots)
        return np.array([self.seating.gains(finalist.rows[u]).mean(axis=0) for u in line_ups])

    def _best(self, finalist: Finalist) -> dict[LineUp, float]:
        pays = self._mean_gains(finalist)
        chances = best_play(pays[None], tuple(map(len, finalist.bots)))[0]
        line_ups = itertools.product(*finalist.bots)
        return {u: float(w) for u, w in zip(line_ups, chances, strict=True) if w > 1e-9}

    def _drop(self, finalist: Finalist) -> None:
        """Drops the bots that clearly do worse against best play than best play itself; no mix changes that."""
        weights = self._best(finalist)
        sent = {u: w for u, w in weights.items() if w >= _SENT}
        usual = sum(w * self.seating.gains(finalist.rows[u]).mean(axis=0) for u, w in weights.items())
        stay = []
        for side, bots in enumerate(finalist.bots):
            mine = []
            for bot in bots:
                met = [(w, finalist.rows[(*u[:side], bot, *u[side + 1 :])]) for u, w in sent.items()]
                total = sum(w for w, _ in met)
                gains = [(w / total, self.seating.gains(rows)[:, side]) for w, rows in met]
                gain = sum(w * g.mean() for w, g in gains)
                error = sum(w * math.sqrt(max(g.var(), 0.25 / g.size) / g.size) for w, g in gains)
                if any(u[side] == bot for u in sent) or gain > np.asarray(usual)[side] - _CLEARLY * error:
                    mine.append(bot)
            stay.append(mine)
        finalist.bots = stay

    # --- the contract

    def _judge(self, finalist: Finalist, base: Finalist) -> None:
        parts = [(w, finalist.rows[u]) for u, w in finalist.weights.items() if w >= 1e-6]
        former = [(w, finalist.rows[u]) for u, w in base.weights.items() if w >= 1e-6]
        readings = []
        for objective in self.objectives:
            reading = self._value(finalist, objective) or self.mixed_reading(objective, parts, self.level)
            readings.append(reading)
        finalist.readings = tuple(readings)
        finalist.unadapted = tuple(
            self.mixed_reading(objective, former, self.level).value for objective in self.objectives
        )
        finalist.words = tuple(
            word_of((one.low, one.high), reading.low, reading.high)
            for one, reading in zip(self.objectives, readings, strict=True)
        )
        finalist.inside, finalist.miss = measure(self.objectives, [r.value for r in finalist.readings])

    def _value(self, finalist: Finalist, objective: Objective) -> Reading | None:
        """The win rate of one of two sides, or of the only one, as the table's value; None for other statistics."""
        shape = tuple(map(len, finalist.bots))
        side = self._side_of(objective)
        if side is None or len(shape) > 2:
            return None
        line_ups = list(itertools.product(*finalist.bots))
        gains = [self.seating.gains(finalist.rows[u])[:, side] for u in line_ups]
        if len(shape) == 2 and any(self._undecided(finalist.rows[u]) for u in line_ups):
            return None
        rates, games = np.array([g.mean() for g in gains]), np.array([g.size for g in gains])
        if len(line_ups) == 1:
            low, high = wilson(rates[0] * games[0], games[0], self.level)
            return Reading(float(rates[0]), float(low), float(high))
        covariance = floored(shared(gains, [finalist.rows[u]["game"] for u in line_ups]), games)
        half = sup_t(covariance, self.level, _DRAWS) * np.sqrt(np.diag(covariance))
        low, value, high = (table_value(np.clip(rates + sign * half, 0, 1).reshape(shape), side) for sign in (-1, 0, 1))
        return Reading(value, low, high)

    def _side_of(self, objective: Objective) -> int | None:
        if objective.figure.topic not in ("win", "side") or not isinstance(objective.figure, Share):
            return None
        for side, seats in enumerate(self.seating.sides if len(self.seating.sides) <= 2 else ()):
            alone = len(seats) == 1
            name = self.seating.names.seats[seats[0]] if alone else sides_of(self.seating.names)[side][0]
            if objective.figure.topic == ("win" if alone else "side") and name == objective.figure.about:
                return side
        return None

    def _undecided(self, rows: Array) -> bool:
        return bool((self.seating.won(rows).sum(axis=1) != 1).any())

    def mixed_reading(self, objective: Objective, parts: Sequence[tuple[float, Array]], level: float) -> Reading:
        """A statistic over line-ups that occur with given probabilities, and its interval."""
        figure, names = objective.figure, self.seating.names
        index = [rows["game"] for _, rows in parts]
        games = min(map(len, index))
        weights = [w for w, _ in parts]
        reads = [GameRows(rows, names) for _, rows in parts]
        if isinstance(figure, Share):
            value, error = weighted_mean(weights, [figure.read(r).astype(np.float64) for r in reads], index)
            return share_reading(value, error, games, level)
        if isinstance(figure, Gap):
            return self._gap(weights, reads, index, level)
        assert isinstance(figure, Mean | Quantile)
        columns = [r.column(figure.column).astype(np.float64) for r in reads]
        never = figure.measure.never
        there = [np.ones(c.size) if never is None else (c != never).astype(np.float64) for c in columns]
        held = sum(w * t.mean() for w, t in zip(weights, there, strict=True))
        if held <= 0:
            return Reading(math.nan, -math.inf, math.inf)
        if isinstance(figure, Mean):
            total = sum(w * (c * t).mean() for w, c, t in zip(weights, columns, there, strict=True))
            mean = float(total / held)
            off = [t * (c - mean) / held for c, t in zip(columns, there, strict=True)]
            ends = [None if end is None else (end - mean) / held for end in (figure.measure.low, figure.measure.high)]
            low, high = weighted_mean_bounds(weights, off, index, (ends[0], ends[1]), level)
            return Reading(mean, mean + low, mean + high)
        return self._quantile(figure, weights, columns, there, index, level)

    def _gap(
        self, weights: Sequence[float], reads: Sequence[GameRows], index: Sequence[Array], level: float
    ) -> Reading:
        seats = len(self.seating.names.seats)
        pairs = list(itertools.combinations(range(seats), 2))
        each = 1 - (1 - level) / max(len(pairs), 1)
        low = high = gap = 0.0
        for a, b in pairs:
            apart = [r.won(a).astype(np.float64) - r.won(b) for r in reads]
            mean, error = weighted_mean(weights, apart, index)
            error = max(error, 1 / min(map(len, apart)))
            half = normal_quantile(each) * error
            gap, low, high = max(gap, abs(mean)), max(low, abs(mean) - half), max(high, abs(mean) + half)
        return Reading(gap, low, min(high, 1.0))

    @staticmethod
    def _quantile(
        figure: Quantile, weights: Sequence[float], columns: Sequence[Floats], there: Sequence[Floats],
        index: Sequence[Array], level: float,
    ) -> Reading:  # fmt: skip
        """The least number that a share q does not exceed; the ends come from the shares at or below each number."""
        values = np.unique(np.concatenate(columns))
        games = min(map(len, columns))
        value, low, high = float(values[-1]), float(values[0]), float(values[-1])
        met = [False, False, False]
        for number in values:
            below = [((c <= number) - figure.q) * t for c, t in zip(columns, there, strict=True)]
            mean, error = weighted_mean(weights, below, index)
            half = normal_quantile(level) * max(error, 1 / games)
            for place, at in enumerate((mean + half, mean, mean - half)):
                if at >= 0 and not met[place]:
                    met[place] = True
                    low, value, high = (
                        float(number) if p == place else old for p, old in enumerate((low, value, high))
                    )
        return Reading(value, low, high)


# --- Statistics of line-ups that share their luck ---------------------------------


def weighted_mean(weights: Sequence[float], values: Sequence[Floats], index: Sequence[Array]) -> tuple[float, float]:
    """Mean over line-ups that occur with given probabilities, and its standard error. Line-ups with the same games are
    added up game by game, which measures their correlation. The errors of groups with different games are added up as
    if fully correlated, so the total is never too small.

    Args:
        values: values of each line-up, shape (games,). index: which games these are.
    """
    total, error = 0.0, 0.0
    groups: dict[bytes, Floats] = {}
    for weight, mine, games in zip(weights, values, index, strict=True):
        total += weight * float(mine.mean())
        key = games.tobytes()
        groups[key] = groups.get(key, np.zeros(mine.size)) + weight * mine
    for summed in groups.values():
        if summed.size > 1:
            error += float(summed.std(ddof=1)) / math.sqrt(summed.size)
    return total, error


def weighted_mean_bounds(
    weights: Sequence[float],
    values: Sequence[Floats],
    index: Sequence[Array],
    limits: tuple[float | None, float | None],
    level: float,
) -> tuple[float, float]:
    """Interval for the mean of `weighted_mean` that also holds for rare numbers. Groups of line-ups with different
    games share the error probability.

    Args:
        weights, values, index: as for `weighted_mean`; a weight may be negative. limits: range of the values; None if
            it has no known end.
    """
    groups: dict[bytes, list[tuple[float, Floats]]] = {}
    for weight, mine, games in zip(weights, values, index, strict=True):
        groups.setdefault(games.tobytes(), []).append((weight, mine))
    low = high = 0.0
    each = 1 - (1 - level) / len(groups)
    for parts in groups.values():
        summed = np.sum([weight * mine for weight, mine in parts], axis=0)
        numbers, counts = np.unique(np.round(summed, 12), return_counts=True)
        least = most = None
        if limits[0] is not None and limits[1] is not None:
            ends = np.sort([[weight * limits[0], weight * limits[1]] for weight, _ in parts], axis=1).sum(axis=0)
            least, most = float(ends[0]), float(ends[1])
        one = mean_interval(numbers, counts, least, most, each)
        low, high = low + one.low, high + one.high
    return low, high


def share_reading(value: float, error: float, games: int, level: float) -> Reading:
    """A share with the exact interval for its effective number of games; it is exact because levels are high and counts
    small.
    """
    worth = float(games)
    if error > 0 and 0 < value < 1:
        worth = value * (1 - value) / error**2
    low, high = clopper_pearson(value * worth, worth, level)
    return Reading(value, float(low), float(high))


def shared(values: Sequence[Floats], index: Sequence[Array]) -> Floats:
    """Covariance of the means of line-ups, in which game i has the same random draws.

    Args:
        values: values of each line-up, shape (games,). index: which games these are.
    """
    many = len(values)
    covariance = np.zeros((many, many))
    whole = all(len(games) == len(index[0]) and np.array_equal(games, index[0]) for games in index)
    if whole:
        return np.atleast_2d(np.cov(np.array(values))) / max(len(index[0]), 1)
    for i, j in itertools.combinations_with_replacement(range(many), 2):
        common, left, right = np.intersect1d(index[i], index[j], assume_unique=True, return_indices=True)
        if common.size > 1:
            one = float(np.cov(values[i][left], values[j][right])[0, 1])
            covariance[i, j] = covariance[j, i] = one * common.size / (len(values[i]) * len(values[j]))
    # Estimated pair by pair, it may not quite be a covariance: its negative part is removed.
    scale = np.sqrt(np.maximum(np.diag(covariance), 1e-300))
    parts, axes = np.linalg.eigh(covariance / np.outer(scale, scale))
    return np.asarray((axes * np.maximum(parts, 0)) @ axes.T * np.outer(scale, scale))


def table_value(rates: Floats, side: int) -> float:
    """What a side wins in best play: with one side, its best bot's wins; with two, the value of the game.

    Args:
        rates: win rate of the side with each line-up, shape (bots,) or (bots of the first side, of the second).
    """
    if rates.ndim == 1:
        return float(rates.max())
    if min(rates.shape) == 1:
        line = rates.ravel()
        chooses = rates.shape[side] > 1  # whether it is this side that has the choice
        return float(line.max() if chooses else line.min())
    mine = rates if side == 0 else rates.T
    return float(solve_all(mine[None])[2][0])
