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
import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from simlab.engine.outcome import GameRows, sides_of
from simlab.game import Array
from simlab.present.answer import Number, Part
from simlab.present.estimate import Estimate
from simlab.present.estimate import Quantile as QuantileEstimate
from simlab.questions.fixes.evaluator import (
    Job,
    LineUp,
    MatchUps,
    Objective,
    find_best_play,
    gains_of,
    measure,
    play_to,
    table_of,
    with_bot,
)
from simlab.questions.fixes.parameters import Setting
from simlab.stats.bounded_mean import mean_interval
from simlab.stats.figure import Figure, Gap, Mean, Quantile, Share
from simlab.stats.intervals import Floats, Reading, clopper_pearson, level_of_each, normal_quantile, wilson
from simlab.stats.tournament import floored, solve, sup_t
from simlab.stats.verdict import Word, overall, word_of

LEVEL = 0.95  #: probability that all intervals of the finalists hold together
LOOKS = 3  #: one each at the number of games of the finals, at twice and at four times that number
_LOOK = 4  # part of the games with which every bot is tried before the clearly worse ones leave
_CLEARLY = 4.0  # standard errors below best play
_NEAR = 0.15  # distance from the contract up to which slow bots meet a finalist
_DRAWS = 20_000  # of the band over a table


class ObjectiveReading(Part):
    """A line of the contract in best play.

    Attributes:
        words: the statistic in words. unit: unit of the values; "" for a rate. wanted: the band in words.
        unadapted: its value if the bots play as in best play of the printed game, so nobody adapts.
    """

    statistic: str
    words: str
    unit: str
    wanted: str
    value: Number
    unadapted: Number
    verdict: Word


@dataclass
class Finalist(MatchUps):
    """A setting on held-out seeds, and each line of the contract."""

    lines: tuple[ObjectiveReading, ...] = ()

    @property
    def word(self) -> Word:
        return overall(self.lines)


class Validation:
    """Plays finalists on held-out seeds.

    Args:
        play: plays jobs and returns the rows of each. names: the game's names, as `figures_of` takes them.
        bots: number of bots of each side; the last `slow` of them meet only the bots of best play.
        games: number of games per match-up. slow_games: number per match-up with a slow bot.
    """

    def __init__(
        self, play: Callable[[Sequence[Job]], Sequence[Array]], names: Any, bots: Sequence[int],
        objectives: Sequence[Objective], games: int, slow: Sequence[int] = (), slow_games: int = 0,
    ) -> None:  # fmt: skip
        self._rows, self.names, self.objectives, self.games = play, names, tuple(objectives), games
        self.bots, self.slow, self.slow_games = tuple(bots), tuple(slow) or (0,) * len(bots), slow_games
        self.played = 0
        self.level = LEVEL

    def run(self, settings: Sequence[Setting]) -> list[Finalist]:
        """Plays and judges settings: the printed game, `()`, among them; the least change first."""
        self.level = level_of_each(LEVEL, len(settings) * len(self.objectives) * LOOKS)
        every = [list(range(count - slow)) for count, slow in zip(self.bots, self.slow, strict=True)]
        finalists = [Finalist(setting, [list(some) for some in every]) for setting in settings]
        most = max(len(some) for some in every)
        first = self.games if most == 1 else max(self.games // _LOOK, min(self.games, 200))
        self._play(finalists, first)
        find_best_play(finalists)
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
        find_best_play(finalists)
        self._play_to([(f, u) for f in finalists for u in base.weights], min(games, self.games))
        for finalist in finalists:
            self._judge(finalist, base)

    def _worth_more(self, finalists: Sequence[Finalist]) -> list[Finalist]:
        """The inconclusive finalists that change less than the first finalist that keeps the contract."""
        if finalists[0].word == "met" and not finalists[0].setting:
            return []
        first = next((place for place, f in enumerate(finalists) if f.word == "met"), len(finalists))
        return [f for f in finalists[:first] if f.word == "inconclusive"]

    # --- play

    def _play(self, finalists: Sequence[Finalist], games: int) -> None:
        self._play_to([(f, u) for f in finalists for u in f.line_ups()], games)

    def _play_to(self, wanted: Sequence[tuple[Finalist, LineUp]], games: int) -> None:
        few = min(games, self.slow_games * max(games // self.games, 1))
        slow = [range(count - n, count) for count, n in zip(self.bots, self.slow, strict=True)]
        goals = [(f, u, few if any(map(operator.contains, slow, u)) else games) for f, u in wanted]
        self.played += play_to(lambda jobs: [table_of(rows, self.names) for rows in self._rows(jobs)], goals)

    def _drop(self, finalist: Finalist) -> None:
        """Drops the bots that do clearly worse against best play than best play itself; no mix includes them."""
        sent, total = finalist.sent, sum(finalist.sent.values())

        def stays(side: int, bot: int) -> bool:
            met = [(w / total, gains_of(finalist.table[with_bot(u, side, bot)])[side]) for u, w in sent.items()]
            error = sum(w * math.sqrt(max(gains.var(), 0.25 / gains.size) / gains.size) for w, gains in met)
            least = finalist.gains[side] - _CLEARLY * error
            return any(u[side] == bot for u in sent) or finalist.gain_of(side, bot) > least

        finalist.bots = [[bot for bot in bots if stays(side, bot)] for side, bots in enumerate(finalist.bots)]

    # --- the contract

    def _judge(self, finalist: Finalist, base: Finalist) -> None:
        now, former = (
            Mix(self.names, [(weight, finalist.table[u]) for u, weight in one.weights.items()])
            for one in (finalist, base)
        )
        lines = []
        for wanted in self.objectives:
            figure = wanted.figure
            reading = self._value(finalist, figure) or now.reading(figure, self.level)
            value, unadapted = (
                QuantileEstimate(*one) if isinstance(figure, Quantile) else Estimate(*one, figure.is_rate)
                for one in (reading, former.reading(figure, self.level))
            )
            lines.append(ObjectiveReading(
                statistic=figure.name, words=figure.words, unit="" if figure.is_rate else figure.unit,
                wanted=wanted.wanted, verdict=word_of((wanted.low, wanted.high), reading.low, reading.high),
                value=value, unadapted=unadapted,
            ))  # fmt: skip
        finalist.lines = tuple(lines)
        finalist.inside, finalist.miss = measure(self.objectives, [line.value.value for line in lines])

    def _value(self, finalist: Finalist, figure: Figure) -> Reading | None:
        """The win rate of one of two sides, or of the only side, as the table's value; None for other statistics."""
        shape, sides = tuple(map(len, finalist.bots)), sides_of(self.names)
        counted = [("win", self.names.seats[s[0]]) if len(s) == 1 else ("side", name) for name, s, _ in sides]
        if (figure.topic, figure.about) not in counted or len(shape) > 2:
            return None
        side = counted.index((figure.topic, figure.about))
        tables = [finalist.table[u] for u in finalist.line_ups()]
        gains = [gains_of(table)[side] for table in tables]
        if len(shape) == 2 and not all(np.isin(some, (0, 1)).all() for some in gains):
            return None  # some games are shared, or nobody wins them
        rates, games = np.array([g.mean() for g in gains]), np.array([g.size for g in gains])
        if len(gains) == 1:
            low, high = wilson(rates[0] * games[0], games[0], self.level)
            return Reading(float(rates[0]), float(low), float(high))
        covariance = floored(shared(gains, [table["game"] for table in tables]), games)
        half = sup_t(covariance, self.level, _DRAWS) * np.sqrt(np.diag(covariance))
        ends = [np.clip(rates + sign * half, 0, 1).reshape(shape) for sign in (-1, 0, 1)]
        if len(shape) == 1:
            low, value, high = (float(end.max()) for end in ends)
        else:
            low, value, high = (solve(end.T if side else end)[2] for end in ends)
        return Reading(value, low, high)


# --- Statistics of line-ups that share their luck ---------------------------------


class Mix:
    """Games of line-ups that occur with given probabilities, a statistic of them, and its interval.

    Args:
        names: the game's names, as `figures_of` takes them. parts: the weight of each line-up, which may be negative,
            and its rows; parts of no weight are left out.
    """

    def __init__(self, names: Any, parts: Iterable[tuple[float, Any]]) -> None:
        kept = [(weight, rows) for weight, rows in parts if abs(weight) >= 1e-6]
        self.names, self.weights = names, [weight for weight, _ in kept]
        self.index = [np.asarray(rows["game"]) for _, rows in kept]
        self.reads = [GameRows(rows, names) for _, rows in kept]

    def reading(self, figure: Figure, level: float) -> Reading:
        if isinstance(figure, Share):
            value, error = self.mean([figure.read(rows) for rows in self.reads])
            # exact, for its effective number of games: levels are high and counts small
            worth = value * (1 - value) / error**2 if error > 0 and 0 < value < 1 else float(min(map(len, self.index)))
            return Reading(value, *clopper_pearson(value * worth, worth, level).tolist())
        if isinstance(figure, Gap):
            return self._gap(level)
        assert isinstance(figure, Mean | Quantile)
        columns = [rows.column(figure.column).astype(np.float64) for rows in self.reads]
        never = figure.measure.never
        there = [np.ones(c.size) if never is None else (c != never).astype(np.float64) for c in columns]
        held = sum(w * t.mean() for w, t in zip(self.weights, there, strict=True))
        if held <= 0:
            return Reading(math.nan, -math.inf, math.inf)
        if isinstance(figure, Quantile):
            return self._quantile(figure.q, columns, there, level)
        total = sum(w * (c * t).mean() for w, c, t in zip(self.weights, columns, there, strict=True))
        mean = float(total / held)
        off = [t * (c - mean) / held for c, t in zip(columns, there, strict=True)]
        ends = [None if end is None else (end - mean) / held for end in (figure.measure.low, figure.measure.high)]
        low, high = self.bounds(off, (ends[0], ends[1]), level)
        return Reading(mean, mean + low, mean + high)

    def _gap(self, level: float) -> Reading:
        pairs = list(itertools.combinations(range(len(self.names.seats)), 2))
        each = level_of_each(level, len(pairs))
        low = high = gap = 0.0
        for a, b in pairs:
            apart = [rows.won(a).astype(np.float64) - rows.won(b) for rows in self.reads]
            mean, error = self.mean(apart)
            half = normal_quantile(each) * max(error, 1 / min(map(len, apart)))
            gap, low, high = max(gap, abs(mean)), max(low, abs(mean) - half), max(high, abs(mean) + half)
        return Reading(gap, low, min(high, 1.0))

    def _quantile(self, q: float, columns: Sequence[Floats], there: Sequence[Floats], level: float) -> Reading:
        """The smallest number that a share q of the games does not exceed; its ends come from that share's interval."""
        values = np.unique(np.concatenate(columns))
        found: list[float | None] = [None, None, None]
        for number in values.tolist():
            mean, error = self.mean([((c <= number) - q) * t for c, t in zip(columns, there, strict=True)])
            half = normal_quantile(level) * max(error, 1 / min(map(len, columns)))
            ats = (mean + half, mean, mean - half)
            found = [number if old is None and at >= 0 else old for old, at in zip(found, ats, strict=True)]
        low, value, high = (
            float(values[last]) if end is None else end for end, last in zip(found, (0, -1, -1), strict=True)
        )
        return Reading(value, low, high)

    def _sums(self, values: Sequence[Array]) -> list[tuple[list[float], Floats]]:
        """The line-ups with the same games: their weights, and the weighted sum of their values, shape (games,)."""
        groups: dict[bytes, tuple[list[float], Floats]] = {}
        for weight, mine, games in zip(self.weights, values, self.index, strict=True):
            among, summed = groups.get(games.tobytes(), ([], np.zeros(mine.size)))
            groups[games.tobytes()] = [*among, weight], summed + weight * mine
        return list(groups.values())

    def mean(self, values: Sequence[Array]) -> tuple[float, float]:
        """The mean and its standard error. Line-ups with the same games are added up game by game, which measures their
        correlation. The errors of groups with different games are added up as if fully correlated, so the total is
        never too small.

        Args:
            values: values of each line-up, shape (games,).
        """
        sums = [summed for _, summed in self._sums(values)]
        error = sum(float(summed.std(ddof=1)) / math.sqrt(summed.size) for summed in sums if summed.size > 1)
        return sum(float(summed.mean()) for summed in sums), error

    def bounds(
        self, values: Sequence[Array], limits: tuple[float | None, float | None], level: float
    ) -> tuple[float, float]:
        """Interval for the mean that also holds for rare numbers. Groups of line-ups with different games share the
        error probability.

        Args:
            values: as for `mean`. limits: range of the values; None if the range is not known.
        """
        groups = self._sums(values)
        low = high = 0.0
        for weights, summed in groups:
            numbers, counts = np.unique(np.round(summed, 12), return_counts=True)
            floor = -math.inf if limits[0] is None else limits[0]
            roof = math.inf if limits[1] is None else limits[1]
            ends = np.sort([[weight * floor, weight * roof] for weight in weights], axis=1).sum(axis=0)
            least, most = float(ends[0]), float(ends[1])
            one = mean_interval(numbers, counts, least, most, level_of_each(level, len(groups)))
            low, high = low + one.low, high + one.high
        return low, high


def shared(values: Sequence[Floats], index: Sequence[Array]) -> Floats:
    """Covariance of the means of line-ups whose games i share random draws. index: games of each line-up."""
    if all(np.array_equal(games, index[0]) for games in index):
        return np.atleast_2d(np.cov(np.array(values))) / max(len(index[0]), 1)
    covariance = np.zeros((len(values), len(values)))
    for i, j in itertools.combinations_with_replacement(range(len(values)), 2):
        common, left, right = np.intersect1d(index[i], index[j], assume_unique=True, return_indices=True)
        if common.size > 1:
            one = float(np.cov(values[i][left], values[j][right])[0, 1])
            covariance[i, j] = covariance[j, i] = one * common.size / (len(values[i]) * len(values[j]))
    # Estimated pair by pair, it may not quite be a covariance: its negative part is removed.
    scale = np.sqrt(np.maximum(np.diag(covariance), 1e-300))
    parts, axes = np.linalg.eigh(covariance / np.outer(scale, scale))
    return np.asarray((axes * np.maximum(parts, 0)) @ axes.T * np.outer(scale, scale))
