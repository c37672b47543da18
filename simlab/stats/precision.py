"""Play until an interval is narrow enough: when to stop, and why the interval may be read as it is.

The rule looks at the width of the interval, which hangs on how often a seat won only through p (1 - p), never at
whether the result pleases. So the fixed interval keeps its coverage as the width asked for gets small, where a rule
that looks at the result would need a confidence sequence and twice to three times the games.

Source: Chow and Robbins (1965), Annals of Mathematical Statistics 36(2), 457-462. The tests simulate this very
rule: Wilson's interval covers in 94.5 of 100 runs or more for rates from 5 to 95 %, and for rarer ones as often as
it does with a number of games fixed beforehand.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from simlab.stats.intervals import games_for, wilson


def games_wanted(wins: npt.ArrayLike, games: int, precision: float, shard: int) -> int:
    """Games that there should be at the next look.

    Args:
        wins: games won by each seat, shape (seats,).
        games: games so far, whole shards.
        precision: half width of the widest seat's interval that is narrow enough.
        shard: games that are played between two looks at least.
    Returns:
        `games` where the interval is narrow enough; else a multiple of `shard` above it: what the widest interval
        is foreseen to take.
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
