"""Ranks bots in games whose seats are different roles: one strength per bot and seat, with intervals.

The model is Luce's choice model, which for two seats is that of Bradley and Terry.

Intervals are profile likelihoods, not estimate plus or minus: the interval of a bot that won none of its games has no
lower end, and its upper end is the largest value that the games do not exclude. They are widened, or narrowed, by the
ratio of the observed scatter to that of independent games, because match-ups play the same seeds and no ranking fits
exactly.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simlab.stats.intervals import Floats, normal_quantile

Ints = npt.NDArray[np.int64]

_STEPS = 80  # Newton's method settles in under 10 steps; bots that never win move far out, one unit per step
_FAR = 30.0  # log-odds: a strength that is not excluded here has an infinite end
_ENDLESS = 10.0  # log-odds beyond which a best estimate whose interval is open counts as infinite
_RIDGE = 1e-6  # fixes what the games do not determine; worth 0.0005 of a unit of likelihood at _FAR
_KNOWN = 0.1  # share of the best known bot's wins and losses that a bot needs to count in the zero
_FEW = 10  # with fewer wins, or losses, the scatter of the games shows little about the correlation
_LARGEST = 4_000_000  # numbers in an array of the batched fits


@dataclass(frozen=True)
class Strengths:
    """Strengths of the bots of any number of seats.

    The model: the chance that a seat wins is proportional to exp(advantage of the seat + strength of its bot). The zero
    of each seat is the average of its bots, except those that win or lose nearly always: their uncertainty
    would otherwise make all the others uncertain.

    Attributes:
        strength: for each seat, the strengths in log-odds, shape (bots,), infinite for a bot that won or lost all
            games; interval: the ends, shape (bots, 2), infinite where open.
        fitted: chance of each seat to win by the model, shape (match-ups, seats).
    """

    strength: tuple[Floats, ...]
    interval: tuple[Floats, ...]
    fitted: Floats

    def order(self, seat: int) -> list[int]:
        """Positions of the seat's bots, strongest first; bots with an infinite estimate are ordered by the finite end
        of the interval.
        """
        strength, ends = self.strength[seat], self.interval[seat]
        known = np.where(
            strength == -np.inf, ends[:, 1] - 1e6, np.where(strength == np.inf, ends[:, 0] + 1e6, strength)
        )
        return [int(i) for i in np.argsort(-known, kind="stable")]


@dataclass(frozen=True)
class SingleGames:
    """Games one by one, so that the correlation of match-ups can be measured.

    Attributes:
        match_up: place of the game's match-up, shape (rows,). game: its index; games with the same index have the same
            draws. cell: place of its cell, if a match-up was played at several settings; else the same as match_up.
        credit: share of the win of each seat, shape (rows, seats).
    """

    match_up: Ints
    game: Ints
    cell: Ints
    credit: Floats


def luce(
    wins: npt.ArrayLike,
    profiles: npt.ArrayLike,
    bots: Sequence[int],
    *,
    played: SingleGames | None = None,
    covariance: npt.ArrayLike | None = None,
) -> Strengths:
    """Strengths from the winners of games, by maximum likelihood, for two seats or more.

    Only the winner is used, because not every game ranks the other seats. A shared game counts in parts; a game that
    nobody wins does not count.

    Args:
        wins: games won by each seat, shape (match-ups, seats); shared games as parts.
        profiles: which bot took which seat, shape (match-ups, seats).
        bots: number of bots of each seat.
        played: the games one by one, if match-ups played the same seeds; without them match-ups count as independent,
            and with common random numbers the intervals are then too narrow.
        covariance: covariance of the first seat's win rates, shape (match-ups, match-ups), instead of `played`, for two
            seats.
    Raises:
        ValueError: shapes.
    Source: Luce (1959), Individual Choice Behavior; Plackett (1975), Applied Statistics 24(2), 193-202, whose first
        stage this is; for two seats Bradley and Terry (1952), Biometrika 39, 324-345. Checked against statsmodels' GLM
        for two seats and ConditionalLogit for three. Intervals: values that neither the profile likelihood ratio nor
        the score test rejects (for one rate: Wilson's interval and the likelihood's taken together, which covers 95 %
        at every rate); each divided by the scatter of the games over that of independent seeds, as Rotnitzky and Jewell
        (1990), Biometrika 77, 485-497, and Chandler and Bate (2007), Biometrika 94, 167-183. Their coverage is
        simulated in the tests.
    """
    won, who = np.asarray(wins, np.float64), np.asarray(profiles, np.int64)
    if won.ndim != 2 or won.shape != who.shape or won.shape[1] != len(bots) or won.shape[1] < 2:
        raise ValueError(f"wins and profiles: two tables of one shape with two seats or more, got {won.shape}")
    first = np.concatenate([[0], np.cumsum(bots)])
    place, size = who + first[:-1], int(first[-1])
    # With half a win more for each seat of each match-up: errors at the edge of the table are finite there.
    near = _Likelihood(won + 0.5, place, size).climb(np.zeros((1, size)))[0]
    model = _Likelihood(won, place, size)
    best = model.climb(near)[0][0]
    if covariance is not None:
        scatter = model.scatter_of_rates(np.asarray(covariance, np.float64))
    else:
        scatter = model.separate() if played is None else model.scatter(played, near)
    inverse = np.linalg.inv(model.curvature(near)[0])
    robust = inverse @ scatter @ inverse
    each = np.bincount(place.ravel(), won.ravel(), minlength=size)
    events = np.minimum(each, np.bincount(place.ravel(), np.repeat(model.counts, len(bots)), minlength=size) - each)
    found = []
    for start, end in itertools.pairwise(first):
        mine, own = np.eye(size)[start:end], events[start:end]  # own: wins or losses of each bot, whichever are fewer
        lines = mine - mine[own >= _KNOWN * own.max()].mean(axis=0)
        plain = np.maximum(np.einsum("mp,pq,mq->m", lines, inverse, lines), 1e-30)
        wider = np.maximum(np.einsum("mp,pq,mq->m", lines, robust, lines) / plain, 1e-4)
        few = own < _FEW
        usual = float(np.median(wider[~few])) if (~few).any() else 1.0
        wider = np.where(few, np.maximum(wider, max(usual, 1.0)), wider)
        found.append(model.intervals(best, lines, plain, wider))
    fitted = model.chances(best[None, :])[0]
    return Strengths(tuple(one[:, 0] for one in found), tuple(one[:, 1:] for one in found), fitted)


# --- The likelihood --------------------------------------------------------------


class _Likelihood:
    """Likelihood of the wins, for many parameter vectors at once: `theta` has the shape (tables, numbers), one number
    per bot and seat. A seat wins with a probability proportional to its number's exponential.

    Args:
        wins: shape (match-ups, seats). place: place of its number in theta, same shape. size: length of theta.
    """

    def __init__(self, wins: Floats, place: Ints, size: int) -> None:
        from scipy.sparse import csr_array

        self.wins, self.counts, self.place, self.size = wins, wins.sum(axis=1), place, size
        self.stiff = max(float(self.counts.sum()) / size, 1.0)  # fixes the sum of all strengths
        flat = place[:, :, None] * size + place[:, None, :]
        self._pairs = csr_array(
            (np.ones(flat.size), (np.arange(flat.size), flat.ravel())), shape=(flat.size, size**2)
        )  # fmt: skip
        self._places = csr_array(
            (np.ones(place.size), (np.arange(place.size), place.ravel())), shape=(place.size, size)
        )  # fmt: skip

    def chances(self, theta: Floats) -> Floats:
        """Shape (tables, match-ups, seats)."""
        odds = theta[:, self.place]
        odds = np.exp(odds - odds.max(axis=2, keepdims=True))
        return np.asarray(odds / odds.sum(axis=2, keepdims=True), np.float64)

    def likelihood(self, theta: Floats) -> Floats:
        odds = theta[:, self.place]
        most = odds.max(axis=2)
        total = most + np.log(np.exp(odds - most[:, :, None]).sum(axis=2))
        fit = np.einsum("ms,tms->t", self.wins, odds) - total @ self.counts
        loose = _RIDGE / 2 * (theta**2).sum(axis=1) + self.stiff / 2 * theta.mean(axis=1) ** 2
        return np.asarray(fit - loose, np.float64)

    def gradient(self, theta: Floats) -> Floats:
        rest = self.wins - self.counts[:, None] * self.chances(theta)
        slope = np.asarray((self._places.T @ rest.reshape(len(theta), -1).T).T)
        loose = _RIDGE * theta + self.stiff / self.size * theta.mean(axis=1, keepdims=True)
        return np.asarray(slope - loose, np.float64)

    def curvature(self, theta: Floats) -> Floats:
        """Minus the second derivatives, shape (tables, numbers, numbers)."""
        return self._of_pairs(self.chances(theta)) + _RIDGE * np.eye(self.size) + self.stiff / self.size**2

    def _of_pairs(self, chance: Floats) -> Floats:
        """Covariance of the gradient over the games if a seat wins with these chances, (tables, match-ups, seats)."""
        each = chance[:, :, :, None] * (np.eye(chance.shape[2]) - chance[:, :, None, :])
        each *= self.counts[None, :, None, None]
        summed = np.asarray((self._pairs.T @ each.reshape(len(chance), -1).T).T, np.float64)
        return summed.reshape(-1, self.size, self.size)

    def separate(self) -> Floats:
        """Covariance of the gradient if each match-up had separate random draws, about its own rates."""
        rates = (self.wins + 0.5) / (self.counts + 0.5 * self.wins.shape[1])[:, None]
        return np.asarray(self._of_pairs(rates[None])[0], np.float64)

    def scatter_of_rates(self, covariance: Floats) -> Floats:
        """Covariance of the gradient, from the covariance of the first seat's win rates; only for two seats."""
        shared = covariance + np.diag(1 / self.counts**2)  # an observed rate of 0 or 1 is still uncertain
        slope = self._places.multiply(np.column_stack([self.counts, -self.counts]).reshape(-1, 1)).toarray()
        slope = slope.reshape(len(self.counts), 2, self.size).sum(axis=1)
        return np.asarray(slope.T @ shared @ slope, np.float64)

    def scatter(self, played: SingleGames, theta: Floats) -> Floats:
        """Covariance of the gradient, estimated from the games: cells are fixed, and game indices independent."""
        from scipy.sparse import csr_array

        seats = self.wins.shape[1]
        rest = played.credit - played.credit.sum(axis=1, keepdims=True) * self.chances(theta)[0][played.match_up]
        many = np.maximum(np.bincount(played.cell), 1)
        rest -= np.column_stack([np.bincount(played.cell, own) / many for own in rest.T])[played.cell]
        last = int(played.game.max()) + 1
        places = np.repeat(played.game, seats), self.place[played.match_up].ravel()
        sums = csr_array((rest.ravel(), places), shape=(last, self.size))
        total = (sums.T @ sums).toarray()
        least = 2 * (np.eye(seats) - 1 / seats)  # an observed rate of 0 or 1 is still uncertain
        floor = (self._pairs.T @ np.tile(least.ravel(), len(self.wins))).reshape(self.size, self.size)
        return np.asarray(total * last / max(last - 1, 1) + floor, np.float64)

    def climb(self, theta: Floats, lines: Floats | None = None) -> tuple[Floats, Floats]:
        """Maximizes the likelihood by Newton's method; with lines, `lines @ theta` is held fixed.

        Returns:
            (theta; the score statistic of the fixed line, shape (tables,)).
        """
        theta = theta.copy()
        score = np.zeros(len(theta))
        for _ in range(_STEPS):
            slope, bend = self.gradient(theta), self.curvature(theta)
            if lines is None:
                step = np.linalg.solve(bend, slope[..., None])[..., 0]
            else:
                both = np.linalg.solve(bend, np.stack([slope, lines], axis=-1))
                own = np.einsum("tp,tp->t", lines, both[..., 1])
                pull = np.einsum("tp,tp->t", lines, both[..., 0]) / own
                step = both[..., 0] - pull[:, None] * both[..., 1]
                score = pull**2 * own
            longest = np.abs(step).max(axis=1, keepdims=True)
            step = step / np.maximum(longest / 2, 1.0)  # at most 2 log-odds per step: Newton can overshoot far out
            here = self.likelihood(theta)
            for _ in range(6):
                worse = self.likelihood(theta + step) < here - 1e-9 * (1 + np.abs(here))
                if not worse.any():
                    break
                step[worse] /= 2
            theta += step
            if float(longest.max(initial=0.0)) < 1e-7:
                break
        return theta, score

    def intervals(self, best: Floats, lines: Floats, variance: Floats, wider: Floats) -> Floats:
        """Estimates of `lines @ theta` with their intervals.

        Args:
            best: the most likely numbers. lines: shape (m, numbers), each adding up to 0.
            variance: variance of each line with independent seeds; wider: factor on it for these games; shape (m,).
        Returns:
            estimate, low, high: shape (m, 3).
        """
        bounds = np.zeros((len(lines), 3))
        known = np.flatnonzero(np.abs(lines).max(axis=1) > 1e-12)  # the only bot of a seat is its own average
        bounds[:, 0] = lines @ best
        block = max(_LARGEST // max(self.place.size * self.wins.shape[1], self.size**2), 1)
        for start in range(0, known.size, block):
            some = known[start : start + block]
            limit = normal_quantile(0.95) * np.sqrt(wider[some])
            for column, side in ((1, -1), (2, 1)):
                errors = np.sqrt(variance[some] * wider[some])
                bounds[some, column] = self._ends(best, lines[some], errors, limit, side)
        bounds[(bounds[:, 1] == -np.inf) & (bounds[:, 0] < -_ENDLESS), 0] = -np.inf
        bounds[(bounds[:, 2] == np.inf) & (bounds[:, 0] > _ENDLESS), 0] = np.inf
        return bounds

    def _ends(self, best: Floats, lines: Floats, errors: Floats, limit: Floats, side: int) -> Floats:
        """Value of `lines @ theta`, on one side of the estimate, at which the evidence against it reaches `limit`
        standard errors; infinite if it never does; shape (m,).

        Args:
            errors: rough standard errors, shape (m,). side: -1 or 1.
        """
        from scipy.optimize import elementwise

        top = float(self.likelihood(best[None, :])[0])
        middle = lines @ best
        way = np.linalg.solve(self.curvature(best[None, :])[0], lines.T).T
        way /= np.einsum("mp,mp->m", lines, way)[:, None]  # moves the line by 1 where the likelihood falls least
        # Along a flat direction that way is as long as it is wide; the line itself moves it too.
        plain = lines / (lines**2).sum(axis=1, keepdims=True)
        way = np.where(np.abs(way).max(axis=1, keepdims=True) > 3, plain, way)
        theta = np.repeat(best[None, :], len(lines), axis=0)

        def beyond(away: Floats, which: Ints) -> Floats:
            """Evidence minus the limit, for the requested lines."""
            start = theta[which]
            now = np.einsum("mp,mp->m", lines[which], start)
            start = start + way[which] * (middle[which] + side * away - now)[:, None]
            theta[which], score = self.climb(start, lines[which])
            fall = np.maximum(2 * (top - self.likelihood(theta[which])), 0.0)
            return np.asarray(np.sqrt(np.minimum(fall, score)) - limit[which], np.float64)

        low, high = np.zeros(len(lines)), np.clip(2 * limit / limit.max() * errors, 1e-6, _FAR)
        open_, short = np.zeros(len(lines), np.bool_), np.arange(len(lines))
        while short.size:
            short = short[beyond(high[short], short) < 0]
            open_[short[high[short] >= _FAR]] = True
            short = short[high[short] < _FAR]
            low[short], high[short] = high[short], np.minimum(2 * high[short], _FAR)
        ends, done = np.full(len(lines), side * np.inf), np.flatnonzero(~open_)
        if done.size:
            tolerances = {"xatol": 1e-8, "xrtol": 1e-5, "fatol": 1e-6}
            found = elementwise.find_root(beyond, (low[done], high[done]), args=(done,), tolerances=tolerances)
            ends[done] = middle[done] + side * found.x
        return ends


def unexplained(wins: npt.ArrayLike, games: npt.ArrayLike) -> float:
    """Share, 0..1, of the differences between match-ups (as log-odds) that no ranking explains.

    It measures cycles, as in rock, paper, scissors, and includes sampling noise.

    Args:
        wins, games: of the first of two seats, shape (its bots, the other's bots); 0 games if a pair never met.
    """
    met = np.asarray(games) > 0
    won, played = np.asarray(wins, np.float64)[met] + 0.5, np.asarray(games, np.float64)[met] + 1
    one, other = np.nonzero(met)
    design = np.column_stack([np.eye(met.shape[0])[one], np.eye(met.shape[1])[other]])
    odds = np.log(won / np.maximum(played - won, 1e-9))
    weight = won * (played - won) / played
    root = np.sqrt(weight)
    solution, *_ = np.linalg.lstsq(design * root[:, None], odds * root, rcond=None)
    left = float(np.dot(weight, (odds - design @ solution) ** 2))
    total = float(np.dot(weight, (odds - np.average(odds, weights=weight)) ** 2))
    return min(max(left / total, 0.0), 1.0) if total > 0 else 0.0


def met_in_groups(met: npt.NDArray[np.bool_]) -> bool:
    """Whether the bots of two seats fall into groups that never met, which no ranking can compare.

    Args:
        met: shape (bots of the first seat, bots of the second).
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    rows, columns = np.nonzero(met)
    size = sum(met.shape)
    graph = coo_array((np.ones(rows.size), (rows, columns + met.shape[0])), shape=(size, size))
    return bool(connected_components(graph, directed=False, return_labels=False) > 1)
