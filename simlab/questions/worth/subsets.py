"""Measures many options and cards ("things") at once: random subsets are removed, and a regression gives the worth of
each thing and each pair. Games are played in blocks. In each block every thing is put into one of four groups at
random, and the same games are played four times, each time without one group. A thing is therefore missing in a quarter
of the games, and its worth is measured while a quarter of the other things are missing. Blocks are independent of each
other and give the intervals.

Source: Liang and Zeger (1986) for errors that are correlated within blocks, in the form of the jackknife (CR3 in Bell
and McCaffrey 2002); random balance designs after Satterthwaite (1959). Coverage is simulated in the tests.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from simlab.engine.match import Batch
from simlab.game import Array
from simlab.questions.best_answers import Field, Lab, together

GROUPS = 4  #: groups of a block: a thing is missing in one of this number of games
BLOCKS = 250  #: most blocks: more of them hardly narrow the intervals, and take longer
PER_REGRESSOR = 3  #: least number of blocks per regressor


@dataclass(frozen=True)
class Blocks:
    """Games without random subsets of a seat's things.

    Attributes:
        missing: things removed, bool (blocks, GROUPS, things). values: mean value, score, turns, (blocks, GROUPS, 3).
        chosen: how often the seat took each option, (blocks, GROUPS, kinds, actions); a missing option was offered if
            nothing else was legal. overruled: number of decisions made at random because of a ban, (blocks, GROUPS).
    """

    missing: Array
    values: Array
    chosen: Array
    overruled: Array


def play_blocks(lab: Lab, field: Field, seat: str, bot: str, removals: Sequence[Mapping[str, str]]) -> Blocks:
    """Plays the games. removals: knobs that take each thing away."""
    count = max(min(BLOCKS, lab.games // GROUPS), 2)
    ends = np.linspace(0, max(lab.games // GROUPS, count), count + 1).astype(int)
    number = lab.game.seats.index(seat)
    draw = np.random.default_rng([lab.seed, number])
    groups = draw.integers(0, GROUPS, (count, len(removals)))
    missing = groups[:, None, :] == np.arange(GROUPS)[None, :, None]

    def play(block: int, group: int) -> Batch:
        knobs = together(*(removals[i] for i in np.flatnonzero(missing[block, group]).tolist()))
        return lab.play(field, seat, bot, knobs, True, (int(ends[block]), int(ends[block + 1])))

    with ThreadPoolExecutor(lab.workers) as pool:
        places = list(itertools.product(range(count), range(GROUPS)))
        made = list(pool.map(lambda place: play(*place), places))
    shape = (count, GROUPS)
    means = [[lab.value(p, seat).mean(), lab.score(p, seat).mean(), p.rows["turns"].mean()] for p in made]
    chosen, overruled = (np.array([p.tally.counts[name][number] for p in made]) for name in ("chosen", "overruled"))
    return Blocks(
        missing, np.array(means, np.float64).reshape(*shape, 3), chosen.reshape(*shape, *chosen.shape[1:]),
        overruled.reshape(shape),
    )  # fmt: skip


def effects(missing: Array, values: Array, pairs: Sequence[tuple[int, int]] = ()) -> tuple[Array, Array]:
    """The worth of each thing, and the joint effect of each pair beyond that.

    Args:
        missing: bool (blocks, GROUPS, things). values: (blocks, GROUPS, n). pairs: pairs of things.
    Returns:
        estimates (things + pairs, n) and their standard errors, by the jackknife over blocks. The worth of a thing is
            the value with it minus the value without it. For two things it is the value with both plus that with
            neither, minus the values with only one.
    """
    present = 1.0 - missing - (1 - 1 / GROUPS)
    products = [present[..., i] * present[..., j] for i, j in pairs]
    x = np.concatenate([present, *(product[..., None] for product in products)], axis=-1)
    x = x - x.mean(axis=1, keepdims=True)  # the games of a block are the same ones
    y = values - values.mean(axis=1, keepdims=True)
    squares, sums = np.einsum("bgi,bgj->bij", x, x), np.einsum("bgi,bgn->bin", x, y)
    whole, total = squares.sum(axis=0), sums.sum(axis=0)
    estimate = np.linalg.solve(whole, total)
    # If only one block shows how two things go together, their effect is 0 without it, and the interval wide.
    without = np.linalg.pinv(whole - squares, hermitian=True) @ (total - sums)
    blocks = len(missing)
    spread = ((without - estimate) ** 2).sum(axis=0) * (blocks - 1) / blocks
    return estimate, np.sqrt(spread)
