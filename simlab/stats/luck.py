"""Shares of the variance of a result: luck, each kind of luck, and skill.

Kinds of luck are measured by drawing one kind again while the others stay fixed.

Skill: take a side at random, put a bot of the field into each seat at random, and play a game with new random draws.
Whether the side wins is a number, 1 or 0. Its variance splits exactly:

    all = seat + skill + luck
    seat    variance of the sides' win rates, averaged over all bots and luck
    skill   variance of a side's win rate between line-ups of bots, averaged over luck and then over the sides
    luck    the rest: the variance with side and line-up fixed, averaged over both

(law of total variance, twice). All line-ups play the same games, so the common effect of a game is not skill:
squares of means are estimated without the product of each game with itself.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simlab.stats.intervals import Floats, Reading, clopper_pearson, normal_quantile, student_quantile

GROUPS = 40  #: number of groups of games, each left out in turn for the intervals


# --- Kinds of luck ----------------------------------------------------------------


@dataclass(frozen=True)
class LuckShare:
    """The share of the variance of a result that one kind of luck explains, alone and in total. The total includes
    interactions with other kinds: it is the variance removed if this kind were fixed. With interactions, totals add up
    to more than 1.
    """

    alone: Reading
    total: Reading


def luck_shares(
    base: npt.ArrayLike,
    redrawn: Mapping[str, npt.ArrayLike],
    kept: Mapping[str, npt.ArrayLike],
) -> dict[str, LuckShare]:
    """The share of each kind of luck, first-order (alone) and total; all 0 if the result does not vary, and anything
    from 0 to 1 if it varies only where another kind is drawn again.

    Args:
        base: result of each game, shape (games,) or (games, results): several results count together.
        redrawn: kind -> the same games with that kind drawn again and the others fixed. kept: kind -> the same games
            with that kind fixed and all others drawn again.
    Source: Sobol' (1993), Mathematical Modelling and Computational Experiments 1, 407-414; Janon et al. (2014), ESAIM
        Probability and Statistics 18, 342-364 (first order); Jansen (1999), Computer Physics Communications 117, 35-43
        (total); several results: Gamboa et al. (2014), Electronic Journal of Statistics 8, 575-603. Intervals use the
        delta method and are reliable from about a thousand games. The estimates are checked on functions with known
        shares, and the coverage by simulation.
    """
    y = np.asarray(base, np.float64)
    if len(y) < 2:
        raise ValueError("shares of luck need two games or more")
    shares = {}
    varies = any(np.ptp(np.stack([y, others]), axis=(0, 1)).any() for others in (*redrawn.values(), *kept.values()))
    for kind in redrawn:
        other, _, squares = _compared(y, redrawn[kind])
        total = _ratio(((y - other) ** 2).reshape(len(y), -1).sum(axis=1) / 2, squares, varies)
        _, product, squares = _compared(y, kept[kind])
        # A kind that changes no game explains nothing; any other estimate would be noise.
        shares[kind] = LuckShare(_ratio(product, squares, varies) if total.value > 0 else total, total)
    return shares


def _compared(y: Floats, others: npt.ArrayLike) -> tuple[Floats, Floats, Floats]:
    """The other results; the product of both results of each game, about the mean of both; and the squares of each of
    the two, shape (2, games).
    """
    other = np.asarray(others, np.float64)
    if other.shape != y.shape or y.ndim not in (1, 2):
        raise ValueError("results of the same games, in the same shape")
    one, two = (table.reshape(len(y), -1) - (y + other).mean(axis=0) / 2 for table in (y, other))
    return other, (one * two).sum(axis=1), np.stack([(one**2).sum(axis=1), (two**2).sum(axis=1)])


def _ratio(over: Floats, squares: Floats, varies: bool) -> Reading:
    """Ratio of two means over games, with the delta method's interval, cut to 0..1.

    Near 0 and 1 the delta method is overconfident, as too few games vary. There the ends are those of the exact
    interval for 0 % and 100 % of the games that decide the result: for a rare win, the games in which it happens.

    Args:
        over: the numerator of each game. squares: as in `_compared`; their mean over both is the denominator.
        varies: whether the result varies at all, here or where another kind of luck is drawn again.
    Source: the number of games that weights make: Kish (1965), Survey Sampling, 11.7.
    """
    under = squares.mean(axis=0)
    n, scale = len(over), float(under.mean())
    if scale <= 0:
        return Reading(0.0, 0.0, float(varies))
    ratio = float(over.mean()) / scale
    half = normal_quantile(0.95) * float((over - ratio * under).std(ddof=1)) / scale / math.sqrt(n)
    carry = float(squares.sum() ** 2 / (squares**2).sum()) / 2  # a game that only one of the two decides is half a game
    none = float(clopper_pearson(0, carry)[1])
    ends = (ratio, min(ratio - half, 1 - none), max(ratio + half, none))
    return Reading(*(min(max(share, 0.0), 1.0) for share in ends))


# --- Luck, skill and seat ----------------------------------------------------------


@dataclass(frozen=True)
class Parts:
    """Shares of the variance of who wins; their values add up to 1."""

    luck: Reading
    skill: Reading
    seat: Reading


def parts(won: npt.ArrayLike, level: float = 0.95, of: int | None = None) -> Parts:
    """Shares of luck, skill and seat.

    Args:
        won: 1 if a side won, else 0, shape (line-ups, games, sides): line-ups play the same games by index.
        of: number of line-ups in the whole field, if `won` has only a random sample of them; None: it has all.
    Returns:
        shares of the whole variance, not clipped to 0..1; all luck if nothing varies. Intervals come from a jackknife
        over groups of games; near 0, from the distribution of a square; for a sample, also from a jackknife over
        line-ups (coverage simulated in the tests). They hold for this field of bots and do not cover other bots.
    Raises:
        ValueError: a table of another shape, or fewer than 4 games.
    Source: the law of total variance; squares without bias: Hoeffding (1948), Annals of Mathematical Statistics 19,
        293-325 (U-statistics); intervals: Shao and Wu (1989), Annals of Statistics 17, 1176-1197 (delete-d jackknife).
    """
    if np.ndim(won) != 3 or np.shape(won)[1] < 4 or 0 in np.shape(won):
        raise ValueError("skill and luck: a table of line-ups, 4 games or more, and sides")
    table = np.moveaxis(np.asarray(won, np.float64), 1, 0)  # (games, line-ups, sides)
    games, line_ups, _ = table.shape
    field = of or line_ups
    if field < line_ups or (field > line_ups < 3):
        raise ValueError(f"skill and luck: {line_ups} line-ups are too few to sample {field}; it takes 3 or more")
    groups = np.array_split(np.random.default_rng(64).permutation(games), min(GROUPS, games))
    less = np.array([_shares(np.delete(table, group, axis=0), field) for group in groups])
    k = len(groups)
    error = np.sqrt((k - 1) / k * ((less - less.mean(axis=0)) ** 2).sum(axis=0))
    half = student_quantile(level, k - 1) * error
    drawn = student_quantile(level, line_ups - 1) * np.sqrt(_sampled(table.mean(axis=0), field))
    skill, seat, middle, _ = _deviations(table)
    apart = (table - middle[:, None, None], skill, seat)  # all except luck, skill, seat
    spread = float((table**2).mean() - table.mean() ** 2)
    shares = []
    for place, (value, some) in enumerate(zip(_shares(table, field), apart, strict=True)):
        below, above = half[place], half[place]
        if spread > 1e-12:
            small, great = _around_square(some.reshape(games, -1), level)
            small, great = (great, small) if place == 0 else (small, great)  # luck is the remainder
            below, above = max(below, small / spread), max(above, great / spread)
        low, high = value - math.hypot(below, drawn[place]), value + math.hypot(above, drawn[place])
        shares.append(Reading(float(value), min(max(float(low), 0.0), 1.0), max(min(float(high), 1.0), 0.0)))
    return Parts(*shares)


def _around_square(values: Floats, level: float) -> tuple[float, float]:
    """How far the mean square of some means over games may lie below and above its estimate.

    Near 0 such a square hardly moves with the games, so a jackknife is overconfident. Both distances are 0 if the
    square is far from 0, where the jackknife is accurate.

    Args:
        values: shape (games, numbers).
    Source: the square of a normal mean is a noncentral chi-square; of several numbers, with as many degrees of freedom
        as match their trace and trace of squares: Box (1954), Annals of Mathematical Statistics 25, 290-302.
    """
    from scipy.special import chndtr, chndtrinc

    games, numbers = values.shape
    means = values.mean(axis=0)
    rest = (values - means) / math.sqrt(games * (games - 1))
    trace = float((rest**2).sum())
    if trace <= 1e-15:
        return 0.0, 0.0
    crossed = rest.T @ rest if numbers <= games else rest @ rest.T
    squares = max(float((crossed**2).sum()) - trace**2 / (games - 1), trace**2 / numbers)
    freedom = max(trace**2 / squares, 1.0)
    scale = trace / freedom
    seen = float(means @ means) / scale
    if seen > 200 + 50 * freedom:
        return 0.0, 0.0
    tail = (1 - level) / 2
    ends = [
        0.0 if chndtr(seen, freedom, 0.0) <= share else float(chndtrinc(seen, freedom, share))
        for share in (1 - tail, tail)
    ]
    estimate = seen - freedom
    below, above = (max(scale * way / numbers, 0.0) for way in (estimate - ends[0], ends[1] - estimate))
    return below, above


def _deviations(table: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """In each game: of each line-up and side from the mean line-up (games, line-ups, sides), of each side from the mean
    side (games, sides), the mean of all (games,), and of each line-up from the mean line-up, over its sides (games,
    line-ups): 0, unless wins are shared or nobody's.
    """
    middle, by_side, by_line_up = table.mean(axis=(1, 2)), table.mean(axis=1), table.mean(axis=2)
    return table - by_side[:, None], by_side - middle[:, None], middle, by_line_up - middle[:, None]


def _shares(table: Floats, field: int) -> tuple[float, float, float]:
    """(luck, skill, seat) from a table (games, line-ups, sides); `field`: number of line-ups in the field."""

    def squared(values: Floats) -> float:
        """The unbiased square of a mean over games; for several means, the mean of their squares."""
        games = len(values)
        return float(((values.sum(axis=0) ** 2 - (values**2).sum(axis=0)) / (games * (games - 1))).mean())

    return _of_variance([float((table**2).mean()), *map(squared, _deviations(table))], table.shape[1], field)


def _of_variance(terms: Sequence[float], line_ups: int, field: int) -> tuple[float, float, float]:
    """(luck, skill, seat) as shares of the variance.

    Args:
        terms: mean square of all; variance between the line-ups, mean over the sides; between the sides; square of the
            mean of all; variance between the line-ups of their mean over the sides.
    Source: for a sample, Cochran (1977), Sampling Techniques, theorems 2.2 and 2.4: the variance of a sample is too
        small for the field, and the square of its mean too large.
    """
    square, skill, seat, middle, own = terms
    if field > line_ups > 1:
        spread = line_ups / (line_ups - 1)
        strays = spread * (1 / line_ups - 1 / field)  # of a mean over the sample, in parts of the spread
        seat -= strays * (skill - own)
        middle -= strays * own
        skill *= spread * (field - 1) / field
    everything = square - middle
    if not everything > 1e-12:
        return 1.0, 0.0, 0.0
    return 1 - (skill + seat) / everything, skill / everything, seat / everything


def _sampled(rates: Floats, field: int) -> Floats:
    """Variance of the shares due to the sampling of line-ups, by a jackknife over line-ups; 0 if all were drawn. rates:
    win rates, shape (line-ups, sides).
    """
    line_ups = len(rates)
    if line_ups == field:
        return np.zeros(3)
    less = []
    for place in range(line_ups):
        some = np.delete(rates, place, axis=0)
        terms = some.mean(), some.var(axis=0).mean(), some.mean(axis=0).var(), some.mean() ** 2, some.mean(axis=1).var()
        less.append(_of_variance(list(map(float, terms)), line_ups - 1, field))
    apart = np.array(less) - np.mean(less, axis=0)
    left = 1 - line_ups / field
    return np.asarray(left * (line_ups - 1) / line_ups * (apart**2).sum(axis=0), np.float64)


def decided_by_skill(share: float, seats: int) -> float:
    """The share of games that the better bot always wins, if its win share is a mixture of these and games decided by
    an even chance. 0 is a coin toss, and 1 a game that it always wins; below 0 the bot is the weaker one.

    Args:
        share: the bot's share of the wins, with shared wins split. seats: number of seats, including its own.
    """
    return (share * seats - 1) / (seats - 1) if seats > 1 and math.isfinite(share) else math.nan
