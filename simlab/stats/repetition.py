"""Do games repeat more often than chance allows? That would be a sign that replications shared their random draws.

The games of a cell should be independent draws. If two workers start their streams at the same point, whole stretches
of games repeat; if every game is played twice, neighbours agree. Identical games alone prove nothing, because a short
game has few possible outcomes. Both signs are therefore compared with independent games that have the same
frequencies.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from simlab.stats.intervals import Floats

Ints = npt.NDArray[np.int64]

CHANCE = 1e-6  #: probability of a false alarm for one list of games
NEAREST = 64  #: largest distance at which games are compared


@dataclass(frozen=True)
class Repeat:
    """Games that repeat.

    Attributes:
        first, second: places in the list at which the same games begin. length: number of repeated games in a row. It
            is 1 if games at that distance agree too often: in `seen` pairs, where chance gives `expected`.
    """

    first: int
    second: int
    length: int
    expected: float = 0.0
    seen: int = 0

    @property
    def sentence(self) -> str:
        if self.length > 1:
            return (
                f"{self.length} games in a row come out the same from place {self.first} and from place {self.second} "
                f"on: by chance that happens less than once in {1 / CHANCE:,.0f} runs"
            )
        return (
            f"games {self.second - self.first} apart come out the same {self.seen:,} times, where chance gives "
            f"{self.expected:,.0f}"
        )


def find_repeats(codes: npt.ArrayLike) -> list[Repeat]:
    """Signs that games repeat more than chance allows: at most one repeated stretch, and the distance at which games
    agree most beyond chance; none if the games are too few or too similar for a test.

    Args:
        codes: a whole number for the result of each game, in the order of the games, shape (games,).
    Source: for stretches the union bound over all pairs of places (a birthday bound) on the chance that games with
        these frequencies agree; for distances the normal approximation, Bonferroni over the distances.
    """
    _, code, counts = np.unique(np.asarray(codes), return_inverse=True, return_counts=True)
    n = int(code.size)
    if n < 50 or counts.size < 2:
        return []
    agree = float((counts * (counts - 1.0)).sum()) / (n * (n - 1))
    length = _informative_length(n, agree)
    stretches = _stretch(code, length) if length and 2 * length < n else []
    return stretches + _distance(code, agree, counts / n)


def _informative_length(n: int, agree: float) -> int:
    """Length of the shortest stretch whose repetition by chance is too unlikely; 0 if games are too similar.

    Two stretches that do not overlap agree with probability agree^L. Two that overlap are a pattern that repeats
    itself; its probability is at most agree^((L+1)/2), because no outcome is more frequent than the root of `agree`.
    """
    if agree <= 0:
        return 2
    if agree > 0.98:
        return 0
    fall = -math.log(agree)
    length = 2
    while length * fall < math.log(n * n / CHANCE) or (length + 1) / 2 * fall < math.log(2 * n * length / CHANCE):
        length += 1
    return length


def _stretch(code: Ints, length: int) -> list[Repeat]:
    """A stretch of that length that repeats, extended as far as it goes; empty if there is none."""
    kind, known = code, 1  # kind: equal numbers for equal stretches of the known length
    while known < length:
        step = min(known, length - known)
        kind = np.unique(kind[:-step] * np.int64(code.size) + kind[step:], return_inverse=True)[1]
        known += step
    order = np.argsort(kind, kind="stable")
    same = np.flatnonzero(np.diff(kind[order]) == 0)
    if not same.size:
        return []
    at = same[order[same].argmin()]
    first, second = map(int, order[at : at + 2])
    differ = np.flatnonzero(code[first : code.size - second + first] != code[second:])
    return [Repeat(first, second, int(differ[0]) if differ.size else code.size - second)]


def _distance(code: Ints, agree: float, shares: Floats) -> list[Repeat]:
    n = int(code.size)
    limit = NormalDist().inv_cdf(1 - CHANCE / NEAREST)
    cubes = float((shares**3).sum())
    worst: Repeat | None = None
    for apart in range(1, min(NEAREST, n // 4) + 1):
        pairs = n - apart
        seen = int(np.count_nonzero(code[apart:] == code[:-apart]))
        # Pairs that share a game are correlated.
        variance = pairs * (agree * (1 - agree) + 2 * max(cubes - agree * agree, 0.0))
        # A few agreements are not evidence: below ten the normal approximation is too optimistic.
        beyond = seen - pairs * agree > limit * math.sqrt(variance) and seen >= pairs * agree + 10
        if beyond and (worst is None or seen > worst.seen):
            worst = Repeat(0, apart, 1, pairs * agree, seen)
    return [worst] if worst else []
