"""Settings judged in best play: the match-ups of the bots under each setting, and the contract under their best mix.

A change of the rules is judged with the best answers to it. Each setting therefore has its own table: the bots of each
side (a seat, or the seats that win together) meet, best play is computed from their wins, and the contract's statistics
are those of the games in best play.

    two sides       the equilibrium mix (a linear programme, simlab.stats.tournament.solve)
    one side        the bot that wins most
    more sides      alpha-rank, strong selection: how often each line-up occurs if all copy better bots
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from simlab.questions.fixes.parameters import Setting
from simlab.stats.figure import Counts, Figure, Gap, Mean, Quantile, Share
from simlab.stats.intervals import quantile_from_histogram
from simlab.stats.tournament import alpha_rank, solve_all
from simlab.stats.verdict import band_text

Array = np.ndarray[Any, Any]
LineUp = tuple[int, ...]  #: the place of each side's bot

COUNTS = ("wins", "side_wins", "shared", "nobody", "endings")  #: by name, in the results of games
MOST_LINE_UPS = 400  #: of a table of more than two sides, for alpha-rank
_WHOLE = 1_000_000_000  # games that a mix of tables counts as, so that its shares are whole counts
_SENT = 0.01  # a bot with less of the mix than this need not be answered
_SPARE = 2  # next best answers per side that race too
_ROUNDS = 3  # of answers to best play


@dataclass(frozen=True)
class Job:
    """Games first .. first+count-1 of a line-up under a setting."""

    setting: Setting
    line_up: LineUp
    first: int
    count: int


Play = Callable[[Sequence[Job]], Sequence[Any]]  #: plays jobs: GameResults of each, or rows


def with_bot(line_up: LineUp, side: int, bot: int) -> LineUp:
    """The line-up with another bot of a side."""
    return (*line_up[:side], bot, *line_up[side + 1 :])


@dataclass(frozen=True)
class GameResults:
    """The results of games that the contract needs (simlab.stats.figure.Counts): far smaller than a Tally, because a
    search keeps tens of thousands of them.

    Attributes:
        gains: sum of the values of the games to each side. histograms: number -> (values, games).
    """

    games: int
    gains: Array
    wins: Array
    side_wins: Array
    shared: int
    nobody: int
    endings: Array
    histograms: Mapping[str, tuple[Array, Array]]

    @classmethod
    def of(cls, games: int, gains: Any, counts: Mapping[str, Any], histograms: Mapping[str, Any]) -> GameResults:
        """From arrays or lists. counts: the numbers of COUNTS."""
        whole = {name: np.asarray(np.rint(counts[name]), np.int64) for name in COUNTS}
        known = {name: (np.asarray(v), np.asarray(np.rint(n), np.int64)) for name, (v, n) in histograms.items()}
        return cls(int(games), np.asarray(gains, np.float64), histograms=known, **whole)  # type: ignore[arg-type]

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> GameResults:
        """The results that to_dict wrote."""
        return cls.of(data["games"], data["gains"], data, data["histograms"])

    def to_dict(self) -> dict[str, Any]:
        """The results as JSON-able data."""
        arrays = {name: np.asarray(getattr(self, name)).tolist() for name in ("games", "gains", *COUNTS)}
        return {**arrays, "histograms": {name: [v.tolist(), n.tolist()] for name, (v, n) in self.histograms.items()}}

    @property
    def pay(self) -> Array:
        """Mean value of a game to each side."""
        return np.asarray(self.gains / max(self.games, 1), np.float64)

    def histogram(self, name: str) -> tuple[Array, Array]:
        return self.histograms.get(name, (np.zeros(0, np.int64), np.zeros(0, np.int64)))

    def __add__(self, other: GameResults) -> GameResults:
        return _summed([(1.0, self), (1.0, other)], self.games + other.games)


def mixed(parts: Sequence[tuple[float, GameResults]]) -> GameResults:
    """Combines line-ups that occur with given probabilities into one: counts of a billion games."""
    if len(parts) == 1:
        return parts[0][1]
    return _summed([(weight * _WHOLE / max(part.games, 1), part) for weight, part in parts], _WHOLE)


def _summed(parts: Sequence[tuple[float, GameResults]], games: int) -> GameResults:
    def added(name: str) -> Any:
        return np.sum([factor * getattr(part, name) for factor, part in parts], axis=0)

    histograms = {}
    for name in parts[0][1].histograms:
        values = np.unique(np.concatenate([part.histograms[name][0] for _, part in parts]))
        counts = np.zeros(values.size)
        for factor, part in parts:
            mine, number = part.histograms[name]
            counts[np.searchsorted(values, mine)] += factor * number
        histograms[name] = values, counts
    return GameResults.of(games, added("gains"), {name: added(name) for name in COUNTS}, histograms)


def value_of(figure: Figure, counts: Counts) -> float:
    """A statistic without its interval; nan without games."""
    if isinstance(figure, Share):
        count, number = figure.count(counts)
        return float(count) / number if number else math.nan
    if isinstance(figure, Gap):
        return float(np.max(counts.wins) - np.min(counts.wins)) / counts.games if counts.games else math.nan
    assert isinstance(figure, Mean | Quantile)
    values, games = figure.histogram(counts)
    if not np.sum(games):
        return math.nan
    if isinstance(figure, Mean):
        return float(np.dot(values, games) / np.sum(games))
    return float(quantile_from_histogram(values, games, figure.q))


@dataclass(frozen=True)
class Objective:
    """A line of the contract: a statistic and the band that it has to lie in."""

    figure: Figure
    low: float
    high: float

    @property
    def unit(self) -> float:
        """The value that counts as 1: 100 % for a share, else the edge of the band."""
        if self.figure.is_rate:
            return 1.0
        return max(*(abs(edge) for edge in (self.low, self.high) if math.isfinite(edge)), 1.0)

    @property
    def wanted(self) -> str:
        """The band in words."""
        return band_text(self.figure, (self.low, self.high))

    def inside(self, value: float) -> float:
        """How far inside the band a value lies, in units; negative if it lies outside."""
        if not math.isfinite(value):
            return -1.0
        return min(value - self.low, self.high - value) / self.unit


@dataclass
class MatchUps:
    """The match-ups of the bots under a setting.

    Attributes:
        bots: positions of each side's bots that play. table: line-up -> its results: GameResults, or the rows of the
            games that ended. asked: line-up -> number of games that were requested. weights: line-up -> how often it
            occurs in best play.
        inside, miss: as `measure` returns them.
    """

    setting: Setting
    bots: list[list[int]]
    table: dict[LineUp, Any] = field(default_factory=dict)
    asked: dict[LineUp, int] = field(default_factory=dict)
    weights: dict[LineUp, float] = field(default_factory=dict)
    inside: float = 0.0
    miss: float = 0.0

    def line_ups(self) -> Iterable[LineUp]:
        return itertools.product(*self.bots)

    def set_weights(self, chances: Array) -> None:
        """chances: how often each of `line_ups` occurs in best play."""
        self.weights = {u: float(w) for u, w in zip(self.line_ups(), chances, strict=True) if w > 1e-9}


def play_to(play: Play, join: Callable[[Any, Any], Any], goals: Iterable[tuple[MatchUps, LineUp, int]]) -> int:
    """Plays line-ups up to a number of games each, in addition to those that they have: the number of games played."""
    work = []
    for one, line_up, goal in goals:
        there = one.asked.get(line_up, 0)
        if there < goal:
            one.asked[line_up] = goal
            work.append((one, Job(one.setting, line_up, there, goal - there)))
    for (one, job), played in zip(work, play([job for _, job in work]), strict=True):
        before = one.table.get(job.line_up)
        one.table[job.line_up] = played if before is None else join(before, played)
    return sum(job.count for _, job in work)


@dataclass
class Trial(MatchUps):
    """A setting in the race, and its results in best play.

    Attributes:
        values: values of each line of the contract in best play.
        by_games: games per match-up -> the values at that time, with the bots of the race. games: games per match-up.
            gains: gains of each side in best play.
    """

    values: tuple[float, ...] = ()
    by_games: dict[int, tuple[float, ...]] = field(default_factory=dict)
    games: int = 0
    gains: Array = field(default_factory=lambda: np.zeros(0))

    def gain_of(self, side: int, bot: int, mix: Mapping[LineUp, float]) -> float:
        """Mean gain of a side's bot against the others of a mix: over the line-ups that were played."""
        met = [(w, part) for u, w in mix.items() if (part := self.table.get(with_bot(u, side, bot)))]
        total = sum(w for w, _ in met)
        return sum(w * float(part.pay[side]) for w, part in met) / total if total else -math.inf


class Evaluator:
    """Judges settings.

    Args:
        play: plays jobs, all settings with common random numbers: game i of one job is game i of every other.
        bots: how many each side has.
        objectives: the contract.
    Attributes:
        core: the bots that play against settings in the race; bots that occur in best play under some change are added.
        games: played so far.
    """

    def __init__(self, play: Play, bots: Sequence[int], objectives: Sequence[Objective]) -> None:
        self._play, self.bots, self.objectives = play, tuple(bots), tuple(objectives)
        self.core: list[list[int]] = [list(range(count)) for count in bots]
        self.games = 0

    def trial(self, setting: Setting) -> Trial:
        return Trial(setting, [list(some) for some in self.core])

    def play(self, trials: Sequence[Trial], games: int) -> None:
        """Plays each trial's match-ups up to a number of games, and judges it."""
        self._play_to((trial, line_up, games) for trial in trials for line_up in trial.line_ups())
        for trial in trials:
            trial.games = games
        shapes: dict[tuple[int, ...], list[Trial]] = {}
        for trial in trials:
            shapes.setdefault(tuple(map(len, trial.bots)), []).append(trial)
        for shape, group in shapes.items():
            pays = np.array([[t.table[u].pay for u in t.line_ups()] for t in group])  # (trials, line-ups, sides)
            for trial, pay, chance in zip(group, pays, best_play(pays, shape), strict=True):
                trial.set_weights(chance)
                trial.gains = chance @ pay
                counts = mixed([(weight, trial.table[line_up]) for line_up, weight in trial.weights.items()])
                trial.values = tuple(value_of(objective.figure, counts) for objective in self.objectives)
                trial.inside, trial.miss = measure(self.objectives, trial.values)

    def _play_to(self, goals: Iterable[tuple[MatchUps, LineUp, int]]) -> None:
        self.games += play_to(self._play, operator.add, goals)

    def answer(self, trials: Sequence[Trial]) -> None:
        """Lets every other bot play against best play and join if it does better, until no bot does."""
        for _ in range(_ROUNDS):
            grown = [trial for trial in trials if self._let_join(trial)]
            if not grown:
                return
            for games in sorted({trial.games for trial in grown}):
                self.play([trial for trial in grown if trial.games == games], games)

    def _let_join(self, trial: Trial) -> bool:
        """Whether a bot joined because it does better against best play than best play itself."""
        sent = {u: w for u, w in trial.weights.items() if w >= _SENT}
        others = [[b for b in range(n) if b not in bots] for n, bots in zip(self.bots, trial.bots, strict=True)]
        met = (with_bot(u, side, bot) for side, bots in enumerate(others) for bot in bots for u in sent)
        self._play_to((trial, u, trial.games) for u in met if u not in trial.table)
        joined = False
        for side, bots in enumerate(others):
            gains = [(trial.gain_of(side, bot, sent), bot) for bot in bots]
            if gains and max(gains)[0] > trial.gains[side] + 0.5 / math.sqrt(max(trial.games, 1)):
                trial.bots[side] = sorted([*trial.bots[side], max(gains)[1]])
                joined = True
        return joined

    def narrow(self, base: Trial) -> None:
        """Sets the core to the bots of best play in the printed game and the next best answers to it."""
        sent = {u: w for u, w in base.weights.items() if w >= _SENT}
        core = []
        for side, bots in enumerate(base.bots):
            answers = {bot: base.gain_of(side, bot, sent) for bot in bots}
            inside = {u[side] for u in sent}
            ranked = sorted((b for b in bots if b not in inside), key=lambda b: (-answers[b], b))
            core.append(sorted([*inside, *ranked[:_SPARE]]))
        self.core = core

    def widen(self, trials: Sequence[Trial]) -> None:
        """Adds the bots of best play under some setting to the core."""
        for trial in trials:
            for line_up, weight in trial.weights.items():
                for side, bot in enumerate(line_up):
                    if weight >= 0.05 and bot not in self.core[side]:
                        self.core[side] = sorted([*self.core[side], bot])


def measure(objectives: Sequence[Objective], values: Sequence[float]) -> tuple[float, float]:
    """(how far inside its band the worst line lies, sum of the distances of the lines that lie outside)."""
    inside = [objective.inside(value) for objective, value in zip(objectives, values, strict=True)]
    return min(inside), sum(max(-one, 0.0) for one in inside)


def best_play(pays: Array, shape: tuple[int, ...]) -> Array:
    """How often each line-up occurs in best play.

    Args:
        pays: gain of each side, shape (tables, line-ups, sides); with two sides the gains add up to 1.
        shape: bots of each side; line-ups in the order of itertools.product.
    Returns:
        shape (tables, line-ups).
    """
    tables, line_ups, sides = pays.shape
    if line_ups == 1:
        return np.ones((tables, 1))
    if sides == 1:
        return np.asarray(np.eye(line_ups)[pays[:, :, 0].argmax(axis=1)])
    if sides == 2:
        rows, columns, _ = solve_all(pays[:, :, 0].reshape(tables, *shape))
        return np.asarray((rows[:, :, None] * columns[:, None, :]).reshape(tables, line_ups))
    ranked = [alpha_rank([pay[:, side].reshape(shape) for side in range(sides)]).ravel() for pay in pays]
    return np.array(ranked)
