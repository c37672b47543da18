"""How many games are needed for a precision or to detect a change, and when an interval is narrow enough to stop.

Before a run: `games_for_width` uses the interval that will be reported, at the shares of a pilot; `games_to_detect`
inverts the power of a test.

During a run: `games_wanted`. The rule depends only on the width of the interval, and so on p (1 - p), never on whether
the result is favourable. The fixed interval therefore keeps its coverage as the required width gets small. A rule that
looks at the result would need a confidence sequence and two to three times the games.

Source: Chow and Robbins (1965), Annals of Mathematical Statistics 36(2), 457-462. The tests simulate this
rule: Wilson's interval covers in 94.5 of 100 runs or more for rates from 5 to 95 %, and for rarer ones as often as
it does with a number of games fixed beforehand.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from simlab.stats.figure import Counts, Figure, Share
from simlab.stats.intervals import Histogram, games_for, level_of_each, normal_quantile, smallest_change, wilson

MOST = 10**12  #: largest number of games considered


def games_wanted(wins: npt.ArrayLike, games: int, precision: float, shard: int) -> int:
    """Number of games to reach before the next look: `games` if the interval is narrow enough; otherwise a multiple of
    `shard` above it, the number that the widest interval is expected to need.

    Args:
        wins: games won by each seat, shape (seats,). games: games played so far, in whole shards. precision: the half
            width that no seat's interval may exceed. shard: least number of games between two looks.
    """
    counts = np.asarray(wins, np.int64)
    if games <= 0:
        return shard
    ends = wilson(counts, games)
    halves = (ends[:, 1] - ends[:, 0]) / 2
    if halves.max() <= precision:
        return games
    foreseen = games_for(float(counts[halves.argmax()] / games), precision)
    return max(games // shard + 1, -(-foreseen // shard)) * shard


def fewest(enough: Callable[[int], bool]) -> int | None:
    """The smallest number of games such that it and every larger number are enough; None above MOST.

    Intervals of order statistics and of rounded counts change in jumps, so a number may be enough while a larger one is
    not. A number is therefore accepted only if 40 larger numbers, up to its double, are enough as well.
    """
    low, high = 0, 1
    while True:
        while not enough(high):
            low, high = high, 2 * high
            if high > MOST:
                return None
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if enough(middle) else (middle, high)
        beyond = dict.fromkeys(
            [*range(high + 1, high + 9), *(math.ceil(high * 2 ** (step / 32)) for step in range(33))]
        )
        short = next((games for games in reversed(beyond) if not enough(games)), None)
        if short is None:
            return high
        low, high = short, short + 1


class ScaledCounts:
    """The expected counts for a number of games, given the shares of a pilot (simlab.stats.figure.Counts)."""

    def __init__(self, pilot: Counts, games: int) -> None:
        def scaled(counts: npt.ArrayLike) -> npt.NDArray[np.int64]:
            return np.rint(np.asarray(counts, np.float64) * (games / pilot.games)).astype(np.int64)

        self.pilot, self.games = pilot, games
        self.wins, self.side_wins, self.endings = map(scaled, (pilot.wins, pilot.side_wins, pilot.endings))
        self.shared, self.nobody = int(scaled(pilot.shared)), int(scaled(pilot.nobody))

    def histogram(self, name: str) -> Histogram:
        """Games of each value, not rounded, because rounding would drop rare values and make the mean constant."""
        values, games = self.pilot.histogram(name)
        return values, np.asarray(games, np.float64) * (self.games / self.pilot.games)


def half_width(figure: Figure, counts: Counts, level: float = 0.95) -> float:
    """Half of the width of a figure's interval for a number of games fixed beforehand."""
    reading = figure.interval(counts, level)
    half = (reading.high - reading.low) / 2
    return half if math.isfinite(half) else math.inf


def games_for_width(figure: Figure, pilot: Counts, precision: float, level: float = 0.95) -> int | None:
    """Number of games at which a figure's interval has the half width `precision`, in its own unit (shares in 0..1),
    given the shares of a pilot; None if no number is enough.
    """
    if isinstance(figure, Share):  # unrounded: in whole games a rare share jumps between 0 and twice its size
        part, of = (count / pilot.games for count in figure.count(pilot))
        return fewest(lambda games: float(np.ptp(wilson(part * games, of * games, level))) <= 2 * precision)
    return fewest(lambda games: half_width(figure, ScaledCounts(pilot, games), level) <= precision)


def games_to_detect(
    change: float,
    *,
    rate: float | None = None,
    variance: float = 0.0,
    level: float = 0.95,
    power: float = 0.8,
    family: int = 1,
    factor: float | None = None,
) -> int | None:
    """Number of games for each of two runs to detect a change with probability `power`.

    Args:
        change: in the unit of the statistic (shares in 0..1).
        rate: for a share, its approximate value; inverts `smallest_change`, for independent runs or, with a `factor`,
            for the same seeds.
        variance: for a mean (instead of `rate`), the variance of the difference of two games, one of each run.
    Source: for a mean the normal approximation, n = (z + z')^2 variance / change^2; for a share see `smallest_change`.
    """
    if rate is not None:
        return fewest(lambda n: smallest_change(rate, n, level, power, family, factor) <= change)
    z = normal_quantile(level_of_each(level, family)) + NormalDist().inv_cdf(power)
    return max(2, math.ceil(z * z * variance / (change * change)))


def games_for_step(points: float, level: float = 0.95, power: float = 0.8, seats: int = 2) -> int:
    """Games to detect a bot that is this number of Elo points stronger than its equal opponents. With two seats, 100
    points are a win rate of 64 %; a bot as strong as the others wins 1 / seats.

    Source: the normal approximation of the binomial test against 1 / seats; Elo points are those of
        `simlab.questions.ladder.analysis.elo`.
    """
    fair = 1 / seats
    rate = 1 / (1 + (seats - 1) * 10 ** (-points / 400))
    z = normal_quantile(level) * math.sqrt(fair * (1 - fair))
    z += NormalDist().inv_cdf(power) * math.sqrt(rate * (1 - rate))
    return math.ceil((z / (rate - fair)) ** 2)


def spread_error(values: npt.ArrayLike) -> float:
    """Relative standard error of the standard deviation of two numbers or more, not all equal: large if a few are
    extreme.
    """
    x = np.asarray(values, np.float64)
    off = x - x.mean()
    kurtosis = float((off**4).mean() / (off**2).mean() ** 2)
    return math.sqrt(max(kurtosis - 1, 0.0) / (4 * x.size))


def pairs_to_detect(
    change: float, reach: Callable[[int], float], sd: float, power: float = 0.8, error: float = 0.0
) -> int | None:
    """Number of games for two variants on the same seeds to detect a change with probability `power`.

    Args:
        change: in the unit of the statistic, above 0.
        reach: number of games -> how far the interval of the change extends towards 0.
        sd: standard deviation of the change of one game in the pilot; error: its relative standard error.
    Returns:
        the fewest games with which the interval excludes 0 with probability `power` over all pilots and runs: a pilot
        that happens to vary little would plan too few games, so the pilot's error is included. None if no number is
        enough. The power is simulated in the tests.
    """
    z = NormalDist().inv_cdf(power)
    doubt = change * error if z > 0 else 0.0
    return fewest(lambda games: reach(games) + z * math.hypot(sd / math.sqrt(games), doubt) <= change)
