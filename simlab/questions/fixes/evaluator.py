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
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from simlab.engine.outcome import GameRows, sides_of
from simlab.engine.payoff import Payoff
from simlab.game import Array
from simlab.questions.fixes.parameters import Setting
from simlab.stats.figure import Figure, Gap, Mean, Quantile, Share
from simlab.stats.intervals import quantile_from_histogram
from simlab.stats.tournament import alpha_rank, solve_all
from simlab.stats.verdict import band_text

LineUp = tuple[int, ...]  #: the place of each side's bot
#: Columns of games (GameRows), their values to the sides (GAIN 0, GAIN 1, ...), and `games`, how many are alike. In a
#: race these are distinct games with what the contract reads, because a search keeps tens of thousands of tables.
GameTable = dict[str, Array]

GAIN = "gain "
SENT = 0.01  #: a bot with less of the mix than this need not be answered
MOST_LINE_UPS = 400  #: of a table of more than two sides, for alpha-rank
_WHOLE = 1_000_000_000  # games that a mix of tables counts as, so that its shares are whole counts
_SPARE = 2  # next best answers per side that race too
_ROUNDS = 3  # of answers to best play


@dataclass(frozen=True)
class Job:
    """Games first .. first+count-1 of a line-up under a setting."""

    setting: Setting
    line_up: LineUp
    first: int
    count: int


Play = Callable[[Sequence[Job]], Sequence[GameTable]]


def with_bot(line_up: LineUp, side: int, bot: int) -> LineUp:
    return (*line_up[:side], bot, *line_up[side + 1 :])


def table_of(rows: Array, names: Any) -> GameTable:
    """The rows as a table with one game per row."""
    gains = {f"{GAIN}{side}": Payoff.of_side(names, side).values(rows) for side in range(len(sides_of(names)))}
    return {**{name: rows[name] for name in rows.dtype.names or ()}, **gains, "games": np.ones(rows.size)}


def distinct(columns: Mapping[str, Any]) -> GameTable:
    """A table in which identical games share one row. columns: arrays or lists, as in GameTable."""
    import polars as pl

    whole = pl.col("winners", "winner", "ending", "games").cast(pl.Int64)  # of no games, JSON tells no type
    frame = pl.DataFrame({name: np.asarray(column) for name, column in columns.items()}).with_columns(whole)
    alike = frame.group_by(pl.exclude("games")).agg(pl.col("games").sum()).sort(pl.all())
    return {name: column.to_numpy() for name, column in alike.to_dict().items()}


def added(one: GameTable, other: GameTable) -> GameTable:
    table = {name: np.concatenate([one[name], other[name]]) for name in one}
    return table if "game" in table else distinct(table)


def gains_of(table: GameTable) -> Array:
    """Value of each game to each side, shape (sides, games)."""
    return np.array([column for name, column in table.items() if name.startswith(GAIN)])


def mean_gains(table: GameTable) -> Array:
    """Mean value of a game to each side, (sides,)."""
    return np.asarray(gains_of(table) @ table["games"] / max(table["games"].sum(), 1))


def mixed(parts: Sequence[tuple[float, GameTable]]) -> GameTable:
    """Combines line-ups that occur with given probabilities into one table, scaled to a billion games."""
    table = {name: np.concatenate([part[name] for _, part in parts]) for name in parts[0][1]}
    if len(parts) > 1:
        shares = [weight * part["games"] / max(part["games"].sum(), 1) for weight, part in parts]
        table["games"] = np.rint(_WHOLE * np.concatenate(shares)).astype(np.int64)
    return table


def value_of(figure: Figure, table: GameTable, names: Any) -> float:
    """A statistic without its interval; nan without games. names: the game's names, as `figures_of` takes them."""
    rows, games = GameRows(table, names), table["games"]
    if isinstance(figure, Gap):
        wins = [int(games[rows.won(seat)].sum()) for seat in range(len(names.seats))]
        return (max(wins) - min(wins)) / int(games.sum()) if games.any() else math.nan
    assert isinstance(figure, Share | Mean | Quantile)
    values = figure.read(rows) if isinstance(figure, Share) else rows.column(figure.column)
    if not isinstance(figure, Share) and figure.measure.never is not None:
        games = np.where(values == figure.measure.never, 0, games)
    if not games.any():
        return math.nan
    if isinstance(figure, Quantile):
        numbers, places = np.unique(values, return_inverse=True)
        return float(quantile_from_histogram(numbers, np.bincount(places, games), figure.q))
    return float(np.dot(values, games) / games.sum())


@dataclass(frozen=True)
class Objective:
    """A line of the contract: a statistic and the band in which it must lie."""

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
        bots: positions of each side's bots that play. table: line-up -> its games that ended.
            asked: line-up -> number of requested games. weights: line-up -> how often it occurs in best play.
        gains: gains of each side in best play. inside, miss: the results of `measure`.
    """

    setting: Setting
    bots: list[list[int]]
    table: dict[LineUp, GameTable] = field(default_factory=dict)
    asked: dict[LineUp, int] = field(default_factory=dict)
    weights: dict[LineUp, float] = field(default_factory=dict)
    gains: Array = field(default_factory=lambda: np.zeros(0))
    inside: float = 0.0
    miss: float = 0.0

    def line_ups(self) -> Iterable[LineUp]:
        return itertools.product(*self.bots)

    @property
    def sent(self) -> dict[LineUp, float]:
        """The line-ups of best play whose weight is large enough to answer, with their weights."""
        return {u: w for u, w in self.weights.items() if w >= SENT}

    def gain_of(self, side: int, bot: int) -> float:
        """Mean gain of a side's bot against the other sides' best play, over the line-ups that were played."""
        met = [(w, part) for u, w in self.sent.items() if (part := self.table.get(with_bot(u, side, bot)))]
        total = sum(w for w, _ in met)
        return sum(w * float(mean_gains(part)[side]) for w, part in met) / total if total else -math.inf


def find_best_play(several: Sequence[MatchUps]) -> None:
    """Sets the weights and gains of each table; tables of the same shape are solved together."""
    shapes: dict[tuple[int, ...], list[MatchUps]] = {}
    for one in several:
        shapes.setdefault(tuple(map(len, one.bots)), []).append(one)
    for shape, group in shapes.items():
        # shape (tables, line-ups, sides)
        pays = np.array([[mean_gains(one.table[u]) for u in one.line_ups()] for one in group])
        for one, pay, chances in zip(group, pays, best_play(pays, shape), strict=True):
            one.weights = {u: float(w) for u, w in zip(one.line_ups(), chances, strict=True) if w > 1e-9}
            one.gains = chances @ pay


def play_to(play: Play, goals: Iterable[tuple[MatchUps, LineUp, int]]) -> int:
    """Plays line-ups until each has a given number of games. Returns the number of games played."""
    work = []
    for one, line_up, goal in goals:
        there = one.asked.get(line_up, 0)
        if there < goal:
            one.asked[line_up] = goal
            work.append((one, Job(one.setting, line_up, there, goal - there)))
    for (one, job), played in zip(work, play([job for _, job in work]), strict=True):
        before = one.table.get(job.line_up)
        one.table[job.line_up] = played if before is None else added(before, played)
    return sum(job.count for _, job in work)


@dataclass
class Trial(MatchUps):
    """A setting in the race, and its results in best play.

    Attributes:
        values: values of each line of the contract in best play.
        by_games: games per match-up -> the values at that stage, with the bots of the race. games: games per match-up
            now.
    """

    values: tuple[float, ...] = ()
    by_games: dict[int, tuple[float, ...]] = field(default_factory=dict)
    games: int = 0


class Evaluator:
    """Judges settings.

    Args:
        play: plays jobs, all settings with common random numbers: game i of one job is game i of every other.
        bots: number of bots of each side. objectives: the contract. names: the game's names, as `figures_of` takes
            them.
    Attributes:
        core: the bots that play against settings in the race; bots that occur in best play under some change are added.
        games: number of games played so far.
    """

    def __init__(self, play: Play, bots: Sequence[int], objectives: Sequence[Objective], names: Any) -> None:
        self._play, self.bots, self.objectives, self.names = play, tuple(bots), tuple(objectives), names
        self.core: list[list[int]] = [list(range(count)) for count in bots]
        self.games = 0

    def trial(self, setting: Setting) -> Trial:
        return Trial(setting, [list(some) for some in self.core])

    def play(self, trials: Sequence[Trial], games: int) -> None:
        """Plays each trial's match-ups up to a number of games, and judges it."""
        self._play_to((trial, line_up, games) for trial in trials for line_up in trial.line_ups())
        for trial in trials:
            trial.games = games
        find_best_play(trials)
        for trial in trials:
            table = mixed([(weight, trial.table[line_up]) for line_up, weight in trial.weights.items()])
            trial.values = tuple(value_of(one.figure, table, self.names) for one in self.objectives)
            trial.inside, trial.miss = measure(self.objectives, trial.values)

    def _play_to(self, goals: Iterable[tuple[MatchUps, LineUp, int]]) -> None:
        self.games += play_to(self._play, goals)

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
        others = [[b for b in range(n) if b not in bots] for n, bots in zip(self.bots, trial.bots, strict=True)]
        met = (with_bot(u, side, bot) for side, bots in enumerate(others) for bot in bots for u in trial.sent)
        self._play_to((trial, u, trial.games) for u in met if u not in trial.table)
        joined = False
        for side, bots in enumerate(others):
            gains = [(trial.gain_of(side, bot), bot) for bot in bots]
            if gains and max(gains)[0] > trial.gains[side] + 0.5 / math.sqrt(max(trial.games, 1)):
                trial.bots[side] = sorted([*trial.bots[side], max(gains)[1]])
                joined = True
        return joined

    def narrow(self, base: Trial) -> None:
        """Sets the core to the bots of best play in the printed game and the next best answers to it."""
        core = []
        for side, bots in enumerate(base.bots):
            answers = {bot: base.gain_of(side, bot) for bot in bots}
            inside = {u[side] for u in base.sent}
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
    """Returns (how far inside its band the worst line is, sum of the distances of the lines outside their bands)."""
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
