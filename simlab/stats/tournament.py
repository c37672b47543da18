"""Analyses of a table of match-ups that go beyond a ranking: best play, surviving bots, best-response cycles.

A profile is one bot per seat. Payoffs are shares of the win; a draw is split evenly among the seats. Each kind of
finding is judged jointly: simultaneous bands for the payoffs (sup-t, by resampling, so common random numbers count),
Bonferroni for steps and duels, Holm for who is favoured.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from simlab.stats.intervals import Floats, Reading, clopper_pearson, level_of_each, normal_quantile, student_quantile
from simlab.stats.p_values import holm

LEVEL = 0.95  #: level of each kind of finding
_EPSILON = 1e-4  # chance that a worse strategy takes over in alpha-rank
_RANKED = 60  # resampled tables for the range of alpha-rank
MOST_PROFILES = 400  #: largest table for which alpha-rank is computed: it solves a system of that size


# --- Uncertainty of the table -------------------------------------------------


def _normal(mean: Floats, covariance: Floats, draws: int, seed: int) -> Floats:
    generator = np.random.default_rng(seed)
    drawn = generator.multivariate_normal(mean, covariance, size=draws, method="eigh", check_valid="ignore")
    return np.asarray(drawn, np.float64)


def resampled(rates: npt.ArrayLike, covariance: npt.ArrayLike, draws: int, seed: int = 0) -> Floats:
    """Tables that other seeds might have given: payoffs in [0, 1], shape (draws, m).

    Args:
        rates: payoffs in [0, 1], shape (m,). covariance: of these estimates, shape (m, m).
    """
    return np.clip(_normal(np.asarray(rates, np.float64), np.asarray(covariance, np.float64), draws, seed), 0, 1)


def floored(covariance: npt.ArrayLike, games: npt.ArrayLike) -> Floats:
    """The covariance with at least the variance of half a game: an observed rate of 0 or 1 is still uncertain."""
    shared = np.array(covariance, np.float64)
    least = 0.5 / np.maximum(np.asarray(games, np.float64), 1) ** 2
    np.fill_diagonal(shared, np.maximum(np.diag(shared), least))
    return shared


def sup_t(covariance: npt.ArrayLike, level: float = LEVEL, draws: int = 2_000, seed: int = 0) -> float:
    """Number of standard errors that a band needs to cover all estimates at once.

    Source: Montiel Olea and Plagborg-Møller (2019), J. Applied Econometrics 34(1), 1-17; checked against
        the closed form for independent estimates.
    """
    shared = np.asarray(covariance, np.float64)
    error = np.sqrt(np.diag(shared))
    kept = error > 0
    if not kept.any():
        return 0.0
    correlation = shared[np.ix_(kept, kept)] / np.outer(error[kept], error[kept])
    drawn = _normal(np.zeros(len(correlation)), correlation, draws, seed)
    return float(np.quantile(np.abs(drawn).max(axis=1), level))


# --- Best play ----------------------------------------------------------------


@dataclass(frozen=True)
class Mix:
    """The bots of a seat in best play. If several mixes are best, one of them.

    Attributes:
        share: probability with which each bot is played, shape (bots,). ends: the middle 95 % of it over resampled
            tables, shape (bots, 2). sent: share of these tables in which the bot is part of the mix, shape (bots,).
    """

    share: Floats
    ends: Floats
    sent: Floats


@dataclass(frozen=True)
class Equilibrium:
    """Best play of two seats whose shares of the wins add up to 1. value: the first seat's share, with its interval."""

    mixes: tuple[Mix, Mix]
    value: Reading


def solve(payoff: npt.ArrayLike) -> tuple[Floats, Floats, float]:
    """Solves a two-player zero-sum (or constant-sum) game: the mixes of both seats, and the value.

    Args:
        payoff: payoff of the first seat, shape (rows, columns).
    Raises:
        ArithmeticError: no solution was found, for example because numbers are not finite.
    """
    mix_a, mix_b, value = solve_all(np.asarray(payoff, np.float64)[None])
    return mix_a[0], mix_b[0], float(value[0])


def solve_all(payoffs: npt.ArrayLike) -> tuple[Floats, Floats, Floats]:
    """As `solve`, for many tables at once, shape (tables, rows, columns).

    Returns:
        mixes of the rows (tables, rows), of the columns (tables, columns), and values (tables,).
    Source: von Neumann (1928), as a linear programme: Dantzig (1951). With all payoffs above 0 the columns' programme
        (greatest sum of y with A y <= 1) starts at y = 0, and its dual, in the last line of the tableau, is the rows'
        mix. Bland's rule (1977) prevents cycling in ties. Checked against scipy's HiGHS.
    """
    tables = np.asarray(payoffs, np.float64)
    many, rows, columns = tables.shape
    if not np.isfinite(tables).all():
        raise ArithmeticError(f"a {rows} x {columns} table holds numbers that are not finite.")
    shift = 1 - tables.min(axis=(1, 2))
    tableau = np.zeros((many, rows + 1, columns + rows + 1))
    tableau[:, :rows, :columns] = tables + shift[:, None, None]
    tableau[:, :rows, columns:-1] = np.eye(rows)
    tableau[:, :rows, -1] = 1
    tableau[:, rows, :columns] = -1
    basis = np.tile(np.arange(columns, columns + rows), (many, 1))
    going = np.arange(many)
    usual = 20 * (rows + columns)  # steps by the steepest line, far more than are ever needed; then Bland's rule
    for step in range(100 * usual):
        last = tableau[going, rows, :-1]
        going, last = going[(last < -_TINY).any(axis=1)], last[(last < -_TINY).any(axis=1)]
        if not going.size:
            break
        enter = last.argmin(axis=1) if step < usual else (last < -_TINY).argmax(axis=1)
        column = tableau[going, :rows, enter]
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(column > _TINY, tableau[going, :rows, -1] / column, np.inf)
        least = ratio <= ratio.min(axis=1, keepdims=True) + _TINY
        leave = np.where(least, basis[going], columns + rows).argmin(axis=1)
        pivot = tableau[going, leave] / tableau[going, leave, enter][:, None]
        tableau[going] -= tableau[going, :, enter][:, :, None] * pivot[:, None, :]
        tableau[going, leave] = pivot
        basis[going, leave] = enter
    else:
        raise ArithmeticError(f"the linear programme of a {rows} x {columns} table came to no end.")
    mix_a = np.maximum(tableau[:, rows, columns:-1], 0)
    mix_b = np.zeros((many, columns + rows))
    np.put_along_axis(mix_b, basis, np.maximum(tableau[:, :rows, -1], 0), axis=1)
    mix_b = mix_b[:, :columns]
    value = 1 / tableau[:, rows, -1] - shift
    return mix_a / mix_a.sum(axis=1, keepdims=True), mix_b / mix_b.sum(axis=1, keepdims=True), value


_TINY = 1e-10  # for payoffs shifted to 1 and more: smaller numbers are rounding errors


def equilibrium(
    payoff: npt.ArrayLike, covariance: npt.ArrayLike, *, level: float = LEVEL, draws: int = 200, seed: int = 0
) -> Equilibrium:
    """Best play from an estimated table.

    The value never falls when an entry rises, so it lies between the values at the two ends of a band that covers the
    whole table. The interval therefore covers at least at the nominal `level`, even if bots are equally good, where a
    percentile bootstrap does not.

    Args:
        payoff: estimated share of the wins of the row bot, shape (rows, columns).
        covariance: covariance of these estimates, row by row, shape (rows * columns, rows * columns).
        draws: resampled tables for the mixes.
    """
    table, shared = np.asarray(payoff, np.float64), np.asarray(covariance, np.float64)
    half = sup_t(shared, level, seed=seed) * np.sqrt(np.diag(shared)).reshape(table.shape)
    *best, value = solve(table)
    low, high = (solve(np.clip(table + side * half, 0, 1))[2] for side in (-1, 1))
    *many, _ = solve_all(resampled(table.ravel(), shared, draws, seed).reshape(draws, *table.shape))
    tails = [(1 - level) / 2, (1 + level) / 2]
    first, second = (
        Mix(mix, np.quantile(drawn, tails, axis=0).T, (drawn > 1e-6).mean(axis=0))
        for mix, drawn in zip(best, many, strict=True)
    )
    return Equilibrium((first, second), Reading(value, low, high))


# --- What survives ------------------------------------------------------------


def alpha_rank(payoffs: Sequence[npt.ArrayLike]) -> Floats:
    """How often each profile occurs if each seat's population copies better bots.

    Args:
        payoffs: for each seat its payoff, shape (bots of seat 1, bots of seat 2, ...).
    Returns:
        mass of each profile, of the payoffs' shape, adding up to 1.
    Source: Omidshafiei et al. (2019), Scientific Reports 9:9937, multi-population form (equations 6 to 9), in the limit
        of strong selection as in Rowland et al. (2019), with a chance of 1 in 10,000 for a step the wrong way. Checked
        against the paper's Battle of the Sexes and dominance by hand.
    """
    tables = [np.asarray(payoff, np.float64) for payoff in payoffs]
    shape = tables[0].shape
    size = tables[0].size
    index = np.arange(size).reshape(shape)
    eta = 1 / max(sum(bots - 1 for bots in shape), 1)
    steps = np.zeros((size, size))
    for seat, table in enumerate(tables):
        for left, taken in itertools.permutations(range(shape[seat]), 2):
            before, after = np.take(index, left, seat).ravel(), np.take(index, taken, seat).ravel()
            gain = table.ravel()[after] - table.ravel()[before]
            steps[before, after] = eta * np.where(gain > 0, 1 - _EPSILON, np.where(gain < 0, _EPSILON, 0.5))
    return _stationary(steps).reshape(shape)


def _stationary(steps: Floats) -> Floats:
    """Stationary distribution of a chain; `steps` without its diagonal.

    Source: Grassmann, Taksar and Heyman (1985), Operations Research 33(5), 1107-1116: the method subtracts nothing, so
    the tiny probabilities of strong selection keep their precision.
    """
    left = steps.copy()
    size = len(left)
    for last in range(size - 1, 0, -1):
        out = left[last, :last].sum()
        left[:last, last] /= max(out, 1e-300)
        left[:last, :last] += np.outer(left[:last, last], left[last, :last])
    mass = np.ones(size)
    for state in range(1, size):
        mass[state] = mass[:state] @ left[:state, state]
        mass[: state + 1] /= max(float(mass[: state + 1].max()), 1e-300)
    return np.asarray(mass / mass.sum(), np.float64)


def survivors(payoffs: Sequence[npt.ArrayLike], covariances: Sequence[npt.ArrayLike]) -> list[Floats]:
    """Alpha-rank of the bots: for each seat, how often each bot occurs, with the range over the table and resampled
    ones: shape (bots, 3). The middle 95 % would contain the true mass in only 9 of 10 tables, because it jumps where
    two bots change places. Shares are rounded to a tenth of a percent, the size of _EPSILON's effect.

    Args:
        payoffs: for each seat, shape (bots of seat 1, ...). covariances: for each seat, in flat order.
    """
    tables = [np.asarray(payoff, np.float64) for payoff in payoffs]
    shape = tables[0].shape
    drawn = [
        resampled(table.ravel(), covariance, _RANKED, seat).reshape(_RANKED, *shape)
        for seat, (table, covariance) in enumerate(zip(tables, covariances, strict=True))
    ]
    if len(tables) == 2:  # what one seat gains the other loses, in each resampled table too
        drawn[1] = 1 - drawn[0]
    masses = [alpha_rank(tables), *(alpha_rank(sample) for sample in zip(*drawn, strict=True))]
    found = []
    for seat in range(len(shape)):
        others = tuple(axis for axis in range(len(shape)) if axis != seat)
        drawn_masses = np.round([mass.sum(axis=others) for mass in masses], 3)
        found.append(np.stack([drawn_masses[0], drawn_masses.min(axis=0), drawn_masses.max(axis=0)], axis=-1))
    return found


# --- Cycles -------------------------------------------------------------------

Profile = tuple[int, ...]  #: a bot for each seat, by its position
Node = TypeVar("Node", bound=Any)  # a number, or a profile


@dataclass(frozen=True)
class Step:
    """A step to a better bot: one seat does better with another bot, while the other seats keep theirs.

    Attributes:
        seat: the seat that changes its bot. gain: gain of its payoff; the interval holds for all steps of the table
            together.
    """

    before: Profile
    after: Profile
    seat: int
    gain: Reading


def better_replies(payoffs: Sequence[npt.ArrayLike], covariances: Sequence[npt.ArrayLike]) -> list[Step]:
    """The significant steps to a better bot: those whose interval, valid for all steps together, excludes 0.

    Args:
        payoffs: for each seat, shape (bots of seat 1, ...), nan if a profile was not played.
        covariances: for each seat, of its payoffs in their flat order, shape (profiles, profiles).
    """
    shape = np.asarray(payoffs[0]).shape
    index = np.arange(math.prod(shape)).reshape(shape)
    found = []
    for seat, (payoff, covariance) in enumerate(zip(payoffs, covariances, strict=True)):
        flat, shared = np.ravel(payoff), np.asarray(covariance, np.float64)
        for pair in itertools.combinations(range(shape[seat]), 2):
            a, b = (np.take(index, bot, seat).ravel() for bot in pair)
            variance = shared[a, a] + shared[b, b] - 2 * shared[a, b]
            found.append((np.full(a.size, seat), a, b, flat[b] - flat[a], variance))
    if not found:
        return []
    seats, left, right, gains, variances = (np.concatenate(column) for column in zip(*found, strict=True))
    steps = []
    for place, gain in _significant(gains, variances).items():
        ends = (left[place], right[place]) if gain.value > 0 else (right[place], left[place])
        before, after = (tuple(map(int, np.unravel_index(end, shape))) for end in ends)
        steps.append(Step(before, after, int(seats[place]), _size(gain)))
    return steps


def _significant(gain: Floats, variance: Floats) -> dict[int, Reading]:
    """Place -> gain, for known gains whose interval, valid for all of them together (Bonferroni), excludes 0."""
    from scipy.special import ndtri

    known = np.isfinite(gain) & np.isfinite(variance)
    errors = -float(ndtri((1 - LEVEL) / 2 / max(int(known.sum()), 1)))
    half = errors * np.sqrt(np.maximum(variance, 1e-18))
    places = np.flatnonzero(known & (np.abs(gain) > half))
    return {int(i): Reading(*(float(end) for end in (gain[i], gain[i] - half[i], gain[i] + half[i]))) for i in places}


def _size(gain: Reading) -> Reading:
    """The gain of the better of the two bots: a negative gain with its sign reversed."""
    return gain if gain.value > 0 else Reading(-gain.value, -gain.high, -gain.low)


def circles(edges: Collection[tuple[Node, Node]], most: int = 5) -> tuple[list[list[tuple[Node, Node]]], int]:
    """Shortest cycles of a directed graph, each starting at its least node, the shortest first.

    Args:
        edges: (node, node that it leads to). most: number of cycles to return, but at least one for each strongly
            connected component.
    Returns:
        (the cycles as edges, number of nodes that lie on any cycle).
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order, connected_components

    if not edges:
        return [], 0
    nodes = sorted({node for edge in edges for node in edge})
    place = {node: i for i, node in enumerate(nodes)}
    tails, heads = np.array([(place[a], place[b]) for a, b in edges]).T
    graph = csr_array((np.ones(tails.size), (tails, heads)), shape=(len(nodes), len(nodes)))
    _, tangle = connected_components(graph, connection="strong")
    tangles = [mine for label in np.unique(tangle) if (mine := np.flatnonzero(tangle == label)).size > 1]
    found: list[tuple[int, ...]] = []
    for mine in tangles:
        rings: set[tuple[int, ...]] = set()
        for start in mine[:60].tolist():
            order, before = breadth_first_order(graph, start)
            ends = set(tails[heads == start].tolist())
            path = [next(node for node in order.tolist() if node in ends)]
            while path[-1] != start:
                path.append(int(before[path[-1]]))
            least = path.index(min(path))
            rings.add((*path[least::-1], *path[:least:-1]))
        found += sorted(rings, key=lambda ring: (len(ring), ring))[: max(most // len(tangles), 1)]
    found.sort(key=lambda ring: (len(ring), ring))
    cycles = [[(nodes[a], nodes[b]) for a, b in itertools.pairwise((*ring, ring[0]))] for ring in found]
    return cycles, sum(mine.size for mine in tangles)


def reply_circles(steps: Sequence[Step]) -> tuple[list[tuple[Step, ...]], int]:
    """Cycles of significant better replies. Play does not settle at any of their profiles.

    Returns:
        (the shortest cycles, number of profiles that lie on a cycle).
    """
    by_ends = {(step.before, step.after): step for step in steps}
    rings, profiles = circles(by_ends)
    return [tuple(by_ends[edge] for edge in ring) for ring in rings], profiles


def duels(
    payoff: npt.ArrayLike, covariance: npt.ArrayLike
) -> tuple[dict[tuple[int, int], Reading], list[list[tuple[int, int]]]]:
    """Who beats whom among bots that can take both seats, and the cycles among them (rock, paper, scissors).

    Args:
        payoff: share of the wins of the row bot in the first seat, the same bots in rows and columns.
        covariance: covariance of its entries, row by row.
    Returns:
        (winner, loser) -> the winner's share of the wins over both seats, for shares significantly above an even one,
        all duels judged together; and the cycles of such duels.
    """
    table, shared = np.asarray(payoff, np.float64), np.asarray(covariance, np.float64)
    bots = len(table)
    a, b = np.triu_indices(bots, 1)
    one, two = a * bots + b, b * bots + a
    variance = shared[one, one] + shared[two, two] - 2 * shared[one, two]
    won = {}
    for place, gain in _significant((table[a, b] - table[b, a]) / 2, variance / 4).items():
        share = [0.5 + end for end in _size(gain)]
        pair = (int(a[place]), int(b[place]))
        won[pair if gain.value > 0 else pair[::-1]] = Reading(share[0], share[1], min(share[2], 1.0))
    return won, circles(won)[0]


# --- Dominated bots ---------------------------------------------------------------


@dataclass(frozen=True)
class DominatedBot:
    """A bot of a seat and the rival, another bot of that seat, that dominates it, as positions.

    Attributes:
        everywhere: whether the rival is significantly better against every opponent; if not, it is significantly better
            against at least one opponent, and worse by the tolerance or more against none.
    """

    bot: int
    rival: int
    everywhere: bool


def dominated(
    payoff: npt.ArrayLike, least: Callable[[int, int, int, float], float], *, tolerance: float = 0.01,
    risk: float = 1 - LEVEL,
) -> list[DominatedBot]:  # fmt: skip
    """The bots of a seat that another bot of the seat dominates. Of several rivals, one that is better everywhere is
    preferred, then the one with the greatest mean gain.

    Args:
        payoff: estimated share of the wins, shape (bots, opponents).
        least: (bot, rival, opponent, chance) -> lower bound of the rival's gain over the bot against that opponent; the
            bound exceeds the true gain with at most that probability.
        tolerance: largest loss of the rival that does not count, if it is not better everywhere.
        risk: chance of even one false claim, over all bots and rivals.
    Source: a claim about all opponents needs no correction for their number (intersection-union test, Berger 1982,
    Technometrics 24(4), 295-300). "Better against some" needs a correction, and so does the number of pairs
    (Bonferroni). The rate of false claims is simulated in the tests.
    """
    table = np.asarray(payoff, np.float64)
    bots, opponents = table.shape
    each = risk / max(bots * (bots - 1), 1)
    found = []
    for bot in range(bots):
        claims = []
        for rival in range(bots):
            gain = table[rival] - table[bot]
            if rival == bot or gain.min() <= -tolerance or gain.max() <= 0:
                continue
            ends: list[float] = []
            for other in np.argsort(gain).tolist():  # from the opponent that is likeliest to refute the claim
                ends.append(least(bot, rival, other, each))
                if ends[-1] <= -tolerance:
                    break
            everywhere = min(ends) > 0
            if everywhere or (
                min(ends) > -tolerance
                and any(least(bot, rival, other, each / opponents) > 0 for other in range(opponents))
            ):
                claims.append((everywhere, float(gain.mean()), rival))
        if claims:
            everywhere, _, rival = max(claims)
            found.append(DominatedBot(bot, rival, everywhere))
    return found


# --- The best of many --------------------------------------------------------------


def below_the_best(
    values: npt.ArrayLike, variance: npt.ArrayLike, *, degrees: float = math.inf
) -> npt.NDArray[np.bool_]:
    """Which estimates lie significantly below the highest one, bool (m,). The highest was selected in the same games,
    so all pairs are tested, not only those with the highest.

    Args:
        values: shape (m,). variance: variance of each pair's difference, shape (m, m). degrees: its degrees of freedom.
    """
    x, spread = np.asarray(values, np.float64), np.asarray(variance, np.float64)
    strict = level_of_each(LEVEL, math.comb(x.size, 2))
    z = normal_quantile(strict) if math.isinf(degrees) else student_quantile(strict, degrees)
    best = int(x.argmax())
    rounding = 1e-9  # bots that play alike have differences of 0 without spread
    return np.asarray(x[best] - x > z * np.sqrt(np.maximum(spread[best], 0.0)) + rounding)


# --- How far the balance depends on the bots --------------------------------------


@dataclass(frozen=True)
class Dependence:
    """Whether a finding about the balance depends on the bots.

    Attributes:
        calls: for each match-up that was played, the seat favoured, or NEAR, or OPEN.
        favoured: for each seat, the number of match-ups in which it wins significantly more than its share.
        even: match-ups in which every seat's share is significantly within the margin. open: match-ups that are neither
            significantly favourable to a seat nor significantly even.
        leader: the seat favoured most often; None if no seat is favoured anywhere.
        mean: the leader's share of the wins over all match-ups (the first seat's without a leader).
        left_out: (seat, bot, share): the lowest mean share of the leader when one bot is left out.
        stamp: `holds`, `leans` (the leader wins significantly more than its share on average, but is favoured in fewer
            match-ups), `fragile`, `even`, `open`, or `few` match-ups.
        reasons: reasons of `fragile`: `against`, `left out`, `best play`.
    """

    calls: tuple[int, ...]
    favoured: tuple[int, ...]
    even: int
    open: int
    leader: int | None
    mean: Reading
    left_out: tuple[int, int, float] | None
    stamp: str
    reasons: tuple[str, ...]

    @property
    def total(self) -> int:
        return sum(self.favoured) + self.even + self.open


FEW = 5  #: with fewer match-ups, no statement is made about how a finding depends on the bots
NEAR, OPEN = -1, -2  #: calls of a match-up: significantly even; inconclusive
STEADY = 0.9  #: share of the match-ups that must agree for a finding to hold


def dependence(
    payoffs: Sequence[npt.ArrayLike],
    games: npt.ArrayLike,
    covariances: Sequence[npt.ArrayLike],
    *,
    margin: float = 0.02,
    best_play: Sequence[tuple[float, float]] | None = None,
    without: Mapping[tuple[int, int], npt.ArrayLike] | None = None,
) -> Dependence:
    """How much the favoured seat depends on the bots.

    A finding holds if the same seat is significantly favoured in nine of ten match-ups, at most one in ten is
    significantly against it, and neither best play nor leaving out any one bot significantly reverses it. Reversed
    means that the mean share is above an even share with all bots and below it without the bot, by intervals that hold
    for all bots together. Favoured: exact binomial tests of all match-ups and seats together (Holm); even: intervals
    that hold for all of them (Clopper-Pearson, Bonferroni).

    Args:
        payoffs: for each seat its share of the wins, shape (bots of seat 1, ...); nan if not played.
        games: effective number of games of each match-up, same shape.
        covariances: for each seat, of its payoffs in their flat order.
        margin: shares within this distance of an even share count as even.
        best_play: for each seat the interval of its share in best play, if known.
        without: (seat, bot) -> the match-ups without that bot, bool in flat order; by default each bot of each axis.
    """
    tables = [np.asarray(payoff, np.float64) for payoff in payoffs]
    seats, fair = len(tables), 1 / len(tables)
    played = np.isfinite(tables[0].ravel())
    flat = np.array([table.ravel()[played] for table in tables])  # (seats, match-ups)
    worth = np.asarray(games, np.float64).ravel()[played]
    rates = flat[: 1 if seats == 2 else seats]  # with two seats, one contains everything
    chances = [[_chance(rate, n, fair) for rate, n in zip(line, worth, strict=True)] for line in rates]
    sure = (holm(np.ravel(chances)) <= 1 - LEVEL).reshape(rates.shape)
    ends = clopper_pearson(rates * worth, np.broadcast_to(worth, rates.shape), level_of_each(LEVEL, rates.size))
    up = sure & (rates > fair)
    if seats == 2:
        up = np.vstack([up, sure & (rates < fair)])
    near = (np.abs(ends - fair).max(axis=-1) <= margin).all(axis=0)
    ahead = np.where(up.any(axis=0), np.where(up, flat, -np.inf).argmax(axis=0), OPEN)
    ahead = np.where(near, NEAR, ahead)  # perhaps significant, but too small to matter
    favoured = tuple(int((ahead == seat).sum()) for seat in range(seats))
    total, even, still = ahead.size, int(near.sum()), int((ahead == OPEN).sum())
    leader = int(np.argmax(favoured)) if max(favoured) else None
    seat = leader or 0
    shared = np.asarray(covariances[seat], np.float64)[np.ix_(played, played)]
    mean = float(flat[seat].mean())
    half = normal_quantile(LEVEL) * math.sqrt(max(float(shared.sum()), 0.0)) / max(total, 1)
    left, turned = _left_out(tables[seat], covariances[seat], fair, without)
    reasons = []
    if leader is not None:
        against = sum(favoured) - favoured[leader]
        if against > (1 - STEADY) * total:
            reasons.append("against")
        if turned:
            reasons.append("left out")
        if best_play is not None and best_play[leader][1] < fair:
            reasons.append("best play")
        steady = favoured[leader] >= STEADY * total
        usual = "holds" if steady else "leans" if mean - half > fair else "open"
        stamp = "fragile" if reasons else "few" if total < FEW else usual
    elif total < FEW:
        stamp = "few"
    else:
        stamp = "even" if even >= STEADY * total else "open"
    calls, interval = tuple(int(seat) for seat in ahead), Reading(mean, mean - half, mean + half)
    return Dependence(calls, favoured, even, still, leader, interval, left, stamp, tuple(reasons))


def _chance(rate: float, games: float, fair: float) -> float:
    """Probability that chance alone gives a share at least this far from the fair share, two-sided (exact binomial)."""
    from scipy.special import bdtr, bdtrc

    n = math.floor(games)
    wins = min(round(rate * games), n)
    low, high = float(bdtr(wins, n, fair)), float(bdtrc(wins - 1, n, fair)) if wins > 0 else 1.0
    return min(1.0, 2 * min(low, high))


def _left_out(
    table: Floats, covariance: npt.ArrayLike, fair: float, without: Mapping[tuple[int, int], npt.ArrayLike] | None
) -> tuple[tuple[int, int, float] | None, bool]:
    """The bot without which the mean is lowest, and whether leaving out any bot significantly reverses the finding.

    Returns:
        ((seat, bot, mean), turned): `turned` if the mean of all is above `fair` and a mean without one bot is below it,
        by intervals that hold together (Bonferroni).
    """
    shared, played = np.asarray(covariance, np.float64), np.isfinite(table)
    if without is None:
        places = np.indices(table.shape)
        seats = [seat for seat, bots in enumerate(table.shape) if bots > 1]
        without = {(seat, bot): places[seat] != bot for seat in seats for bot in range(table.shape[seat])}
    rest = {place: played & np.reshape(others, table.shape) for place, others in without.items()}
    rest = {place: kept for place, kept in rest.items() if kept.any()}
    z = normal_quantile(level_of_each(LEVEL, len(rest) + 1))

    def half(kept: npt.NDArray[np.bool_]) -> float:
        flat = kept.ravel()
        return z * math.sqrt(max(float(shared[np.ix_(flat, flat)].sum()), 0.0)) / int(kept.sum())

    means = {place: float(table[kept].mean()) for place, kept in rest.items()}
    above = float(table[played].mean()) - half(played) > fair
    turned = above and any(mean + half(rest[place]) < fair for place, mean in means.items())
    least = min(means, key=means.__getitem__, default=None)
    return None if least is None else (*least, means[least]), turned
