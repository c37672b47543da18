"""Skill beside luck on one scale: the variance of who wins, parted into who plays, which seat, and luck.

Take a side at random, put a bot of the field into each seat at random, and play a game with luck of its own. Whether
the side wins is a number, 1 or 0. Its variance parts exactly:

    all = seat + skill + luck
    seat    variance between the sides, of their win rates over all bots and luck
    skill   variance between the line-ups of bots, of a side's win rate over luck, mean over the sides
    luck    what is left: the variance with side and line-up fixed, mean over both

(law of total variance, twice). All line-ups play the same games, so what one game does to all of them is no skill:
squares of means are estimated without the products of a game with itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simlab.stats.intervals import Floats, student_quantile
from simlab.stats.luck import Share

GROUPS = 40  #: of games, left out in turn for the intervals


@dataclass(frozen=True)
class Parts:
    """Shares of the variance of who wins; their values add up to 1."""

    luck: Share
    skill: Share
    seat: Share


def parts(won: npt.ArrayLike, level: float = 0.95) -> Parts:
    """Shares of luck, skill and seat.

    Args:
        won: 1 where a side won, else 0, shape (line-ups, games, sides): line-ups play the same games by index.
    Returns:
        shares of the whole variance, none of them cut; all luck where nothing varies. Intervals by the jackknife over
        groups of games (coverage simulated in the tests); they are those of this field of bots, and say nothing of
        bots that are not in it.
    Raises:
        ValueError: not such a table, or fewer than 4 games.
    Source: the law of total variance; squares without bias: Hoeffding (1948), Annals of Mathematical Statistics 19,
        293-325 (U-statistics); intervals: Shao and Wu (1989), Annals of Statistics 17, 1176-1197 (delete-d jackknife).
    """
    table = np.asarray(won, np.float64)
    if table.ndim != 3 or table.shape[1] < 4 or 0 in table.shape:
        raise ValueError("skill and luck: a table of line-ups, 4 games or more, and sides")
    groups = np.array_split(np.random.default_rng(64).permutation(table.shape[1]), min(GROUPS, table.shape[1]))
    sums = [_sums(table[:, group]) for group in groups]
    whole = tuple(sum(part) for part in zip(*sums, strict=True))
    best = _shares(whole, table.shape)
    less = np.array([
        _shares(
            tuple(one - own for one, own in zip(whole, group_sums, strict=True)),
            (table.shape[0], table.shape[1] - group.size, table.shape[2]),
        )
        for group, group_sums in zip(groups, sums, strict=True)
    ])  # fmt: skip
    k = len(groups)
    error = np.sqrt((k - 1) / k * ((less - less.mean(axis=0)) ** 2).sum(axis=0))
    half = student_quantile(level, k - 1) * error
    luck, skill, seat = (
        Share(float(value), max(float(value - wide), 0.0), min(float(value + wide), 1.0))
        for value, wide in zip(best, half, strict=True)
    )
    return Parts(luck, skill, seat)


def _sums(table: Floats) -> tuple[Floats, ...]:
    """What the shares are made of, added up over games: sums, and sums of each game's own squares."""
    line_up = table - table.mean(axis=0, keepdims=True)
    side = table.mean(axis=0) - table.mean(axis=(0, 2))[:, None]
    middle = table.mean(axis=(0, 2))
    add: Callable[[Floats], Floats] = lambda values: np.asarray(values, np.float64)  # noqa: E731
    return (
        add(line_up.sum(axis=1)), add((line_up**2).sum(axis=1)), add(side.sum(axis=0)), add((side**2).sum(axis=0)),
        add(middle.sum()), add((middle**2).sum()), add((table**2).sum()),
    )  # fmt: skip


def _shares(sums: tuple[Floats, ...], shape: tuple[int, ...]) -> tuple[float, float, float]:
    """(luck, skill, seat) out of the sums of so many line-ups, games and sides."""
    line_ups, games, sides = shape

    def squared(total: Floats, own: Floats) -> Floats:
        """The square of a mean over games, without bias."""
        return (total**2 - own) / (games * (games - 1))

    skill = float(squared(sums[0], sums[1]).mean())
    seat = float(squared(sums[2], sums[3]).mean())
    everything = float(sums[6]) / (line_ups * games * sides) - float(squared(sums[4], sums[5]))
    if not everything > 1e-12:
        return 1.0, 0.0, 0.0
    return 1 - (skill + seat) / everything, skill / everything, seat / everything


def decided_by_skill(share: float, seats: int) -> float:
    """A win share of the better bot as a mixture: the part of the games that would have to go to it for certain,
    if even luck decided the others. 0 is a coin, 1 is a game in which it always wins; below 0 it is the worse one.

    Args:
        share: of the wins, shared ones in parts. seats: of which one is its own.
    """
    return (share * seats - 1) / (seats - 1) if seats > 1 and math.isfinite(share) else math.nan
