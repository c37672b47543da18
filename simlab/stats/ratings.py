"""Ranking of bots in games whose seats are different roles: one strength per bot and seat, with intervals.

The model is Luce's choice model, which for two seats is that of Bradley and Terry.

Intervals are profile likelihoods, not estimate plus or minus: the interval of a bot that won none of its games has no
lower end, and its upper end is the largest value that the games do not exclude. They are widened, or narrowed, by the
ratio of the observed scatter to that of independent games, because match-ups play the same seeds and no ranking fits
exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simlab.stats.intervals import Floats, normal_quantile

Ints = npt.NDArray[np.int64]

_STEPS = 80  # Newton's method settles in under 10 steps; bots that never win move far out, one unit per step
_FAR = 30.0  # log-odds: a strength that is not excluded here has an infinite end
_ENDLESS = 10.0  # log-odds beyond which a best estimate with an open end means infinity
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
        strength: for each seat, log-odds, shape (bots,), infinite for a bot that won or lost all games; interval: the
            ends, shape (bots, 2), infinite where open.
        fitted: chance of each seat to win by the model, shape (match-ups, seats).
    """

    strength: tuple[Floats, ...]
    interval: tuple[Floats, ...]
    fitted: Floats

    def order(self, seat: int) -> list[int]:
        """Positions of the seat's bots, strongest first; bots with an infinite estimate are ordered by their finite
        end.
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
        match_up: place of the game's match-up, shape (rows,). game: index of the game; games with the same index have
            the same draws. cell: place of the game's cell, if a match-up was played at several settings; otherwise the
            same as match_up.
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
    level: float = 0.95,
    played: SingleGames | None = None,
    covariance: npt.ArrayLike | None = None,
) -> Strengths:
    """Strengths from the winners of games, for any number of seats.

    Only the winner's place is used: the rest of the order is not a result in every game. A shared game counts
    in parts; a game that nobody wins does not count.

    Args:
        wins: games won by each seat, shape (match-ups, seats); shared games as parts.
        profiles: which bot took which seat, shape (match-ups, seats).
        bots: number of bots of each seat.
        played: the games themselves, for match-ups that played the same seeds; without them match-ups count as
            independent, and intervals are too narrow with common random numbers.
        covariance: covariance of the first seat's win rates, shape (match-ups, match-ups), instead of `played`, for two
            seats.
    Returns:
        Strengths by maximum likelihood.
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
    model = _Choice(won, who, bots)
    if covariance is not None:
        scatter = model.scatter_of_rates(np.asarray(covariance, np.float64))
    else:
        scatter = model.separate() if played is None else model.scatter(played)
    fit = model.study(scatter, level)
    found = [fit(model.bots(seat) - model.known(seat), seat) for seat in range(len(bots))]
    fitted = model.chances(model.best[None, :])[0]
    return Strengths(tuple(one[:, 0] for one in found), tuple(one[:, 1:] for one in found), fitted)


# --- The likelihood --------------------------------------------------------------


class _Choice:
    """One number per bot and seat; a seat wins with a probability proportional to its exponential.

    Args:
        wins: shape (match-ups, seats). who: which bot took which seat, same shape. bots: number of bots of each seat.
    """

    def __init__(self, wins: Floats, who: Ints, bots: Sequence[int]) -> None:
        from scipy.sparse import csr_array

        self.wins, self.counts = wins, wins.sum(axis=1)
        self.match_ups, self.seats = wins.shape
        self.first = np.concatenate([[0], np.cumsum(bots)]).astype(np.int64)
        self.size = int(self.first[-1])
        self.place = who + self.first[:-1][None, :]  # of each seat's number, (match-ups, seats)
        lines = np.arange(self.match_ups)
        ones = np.ones(self.match_ups)
        shape = (self.match_ups, self.size)
        self.one_hot = [csr_array((ones, (lines, self.place[:, seat])), shape=shape) for seat in range(self.seats)]
        flat = self.place[:, :, None] * self.size + self.place[:, None, :]
        every = np.arange(flat.size)
        self._pairs = csr_array((np.ones(flat.size), (every, flat.ravel())), shape=(flat.size, self.size**2))
        self._places = csr_array(
            (np.ones(self.place.size), (np.arange(self.place.size), self.place.ravel())),
            shape=(self.place.size, self.size),
        )
        mine = np.asarray(self._places.T @ wins.ravel())
        rest = np.asarray(self._places.T @ np.repeat(self.counts, self.seats)) - mine
        self.events = np.minimum(mine, rest)  # for each bot, its wins or its losses, whichever are fewer
        # With half a win more for each seat of each match-up: errors at the edge of the table are finite there.
        smooth = _Fit(self, wins + 0.5)
        self.near = smooth.climb(np.zeros((1, self.size)))[0][0]
        self._fit = _Fit(self, wins)
        self.best: Floats = self._fit.climb(self.near[None, :])[0][0]

    def bots(self, seat: int) -> Floats:
        """A matrix with one row per bot of the seat, which selects the bot's number: shape (bots, numbers)."""
        return np.eye(self.size)[self.first[seat] : self.first[seat + 1]]

    def known(self, seat: int) -> Floats:
        """A row that averages the bots of a seat that both won and lost often enough: shape (1, numbers)."""
        events = self.events[self.first[seat] : self.first[seat + 1]]
        kept = events >= _KNOWN * events.max()
        return np.asarray(self.bots(seat)[kept].mean(axis=0, keepdims=True), np.float64)

    def chances(self, theta: Floats) -> Floats:
        """Shape (tables, match-ups, seats)."""
        odds = theta[:, self.place]
        odds = np.exp(odds - odds.max(axis=2, keepdims=True))
        return np.asarray(odds / odds.sum(axis=2, keepdims=True), np.float64)

    def separate(self) -> Floats:
        """Covariance of the gradient if each match-up had separate random draws, about its own rates."""
        rates = (self.wins + 0.5) / (self.counts + 0.5 * self.seats)[:, None]
        each = rates[:, :, None] * (np.eye(self.seats)[None] - rates[:, None, :]) * self.counts[:, None, None]
        return np.asarray(self._pairs.T @ each.ravel(), np.float64).reshape(self.size, self.size)

    def scatter_of_rates(self, covariance: Floats) -> Floats:
        """Covariance of the gradient, from the covariance of the first seat's win rates; only for two seats."""
        shared = covariance + np.diag(1 / self.counts**2)  # a rate of 0 or 1 is not known for certain
        slope = (self.one_hot[0] - self.one_hot[1]).T.multiply(self.counts[None, :]).toarray()
        return np.asarray(slope @ shared @ slope.T, np.float64)

    def scatter(self, played: SingleGames) -> Floats:
        """Covariance of the gradient, estimated from the games: cells are fixed, and game indices independent."""
        chance = self.chances(self.near[None, :])[0]
        rest = played.credit - played.credit.sum(axis=1, keepdims=True) * chance[played.match_up]
        many = np.maximum(np.bincount(played.cell), 1)
        for seat in range(self.seats):
            rest[:, seat] -= (np.bincount(played.cell, rest[:, seat]) / many)[played.cell]
        last = int(played.game.max()) + 1
        total = np.zeros((self.size, self.size))
        block = max(_LARGEST // self.size, 1)
        for begin in range(0, last, block):
            some = (played.game >= begin) & (played.game < begin + block)
            size = min(block, last - begin)
            sums = np.zeros(size * self.size)
            for seat in range(self.seats):
                at = (played.game[some] - begin) * self.size + self.place[played.match_up[some], seat]
                sums += np.bincount(at, rest[some, seat], minlength=sums.size)
            table = sums.reshape(size, self.size)
            total += table.T @ table
        least = 2 * (np.eye(self.seats) - 1 / self.seats)  # an observed rate of 0 or 1 is still uncertain
        each = np.broadcast_to(least, (self.match_ups, self.seats, self.seats))
        floor = np.asarray(self._pairs.T @ each.ravel(), np.float64).reshape(self.size, self.size)
        return total * last / max(last - 1, 1) + floor

    def study(self, scatter: Floats, level: float) -> Callable[..., Floats]:
        """Returns a function that estimates sums of numbers.

        Args:
            scatter: covariance of the gradient, shape (numbers, numbers).
        Returns:
            a function of lines (shape (m, numbers), each adding up to 0) that gives estimate, low and high, shape
            (m, 3); a second argument names the seat whose bots the lines are.
        """
        z = normal_quantile(level)
        inverse = np.linalg.inv(self._fit.curvature(self.near[None, :])[0])
        robust = inverse @ scatter @ inverse

        def estimate(lines: Floats, seat: int | None = None) -> Floats:
            plain = np.maximum(np.einsum("mp,pq,mq->m", lines, inverse, lines), 1e-30)
            seen = np.einsum("mp,pq,mq->m", lines, robust, lines)
            wider = np.maximum(seen / plain, 1e-4)
            if seat is not None:
                few = self.events[self.first[seat] : self.first[seat + 1]] < _FEW
                usual = float(np.median(wider[~few])) if (~few).any() else 1.0
                wider = np.where(few, np.maximum(wider, max(usual, 1.0)), wider)
            bounds = np.zeros((len(lines), 3))
            known = np.abs(lines).max(axis=1) > 1e-12  # the only bot of a seat is its own average
            bounds[known, 0] = lines[known] @ self.best
            for side in (-1, 1):
                bounds[known, 1 if side < 0 else 2] = self._fit.ends(
                    self.best, lines[known], np.sqrt(plain * wider)[known], z * np.sqrt(wider[known]), side
                )
            open_low, open_high = bounds[:, 1] == -np.inf, bounds[:, 2] == np.inf
            bounds[open_low & (bounds[:, 0] < -_ENDLESS), 0] = -np.inf
            bounds[open_high & (bounds[:, 0] > _ENDLESS), 0] = np.inf
            return bounds

        return estimate


class _Fit:
    """Likelihood of the wins, for many parameter vectors at once: `theta` has the shape (tables, numbers)."""

    def __init__(self, model: _Choice, wins: Floats) -> None:
        self.model, self.wins, self.counts = model, wins, wins.sum(axis=1)
        self.stiff = max(float(self.counts.sum()) / model.size, 1.0)  # fixes the sum of all strengths

    def likelihood(self, theta: Floats) -> Floats:
        odds = theta[:, self.model.place]
        most = odds.max(axis=2)
        total = most + np.log(np.exp(odds - most[:, :, None]).sum(axis=2))
        fit = np.einsum("ms,tms->t", self.wins, odds) - total @ self.counts
        loose = _RIDGE / 2 * (theta**2).sum(axis=1) + self.stiff / 2 * theta.mean(axis=1) ** 2
        return np.asarray(fit - loose, np.float64)

    def gradient(self, theta: Floats) -> Floats:
        rest = self.wins - self.counts[:, None] * self.model.chances(theta)
        slope = np.asarray((self.model._places.T @ rest.reshape(len(theta), -1).T).T)
        return np.asarray(
            slope - _RIDGE * theta - self.stiff / self.model.size * theta.mean(axis=1, keepdims=True), np.float64
        )

    def curvature(self, theta: Floats) -> Floats:
        """Minus the second derivatives, shape (tables, numbers, numbers)."""
        chance = self.model.chances(theta)
        each = chance[:, :, :, None] * (np.eye(self.model.seats) - chance[:, :, None, :])
        each *= self.counts[None, :, None, None]
        size = self.model.size
        curve = np.asarray((self.model._pairs.T @ each.reshape(len(theta), -1).T).T).reshape(-1, size, size)
        return np.asarray(curve + _RIDGE * np.eye(size) + self.stiff / size**2, np.float64)

    def climb(self, theta: Floats, lines: Floats | None = None) -> tuple[Floats, Floats]:
        """Maximizes the likelihood by Newton's method; with lines, `lines @ theta` is held fixed.

        Returns:
            (theta, score statistic of the line that is held fixed, shape (tables,)).
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

    def ends(self, best: Floats, lines: Floats, errors: Floats, limit: Floats, side: int) -> Floats:
        """Value of `lines @ theta`, on one side of the estimate, at which the evidence against it reaches `limit`
        standard errors.

        Args:
            lines: shape (m, numbers). errors: rough standard errors, shape (m,). limit: shape (m,).
            side: -1 or 1.
        Returns:
            shape (m,); infinite if it never does.
        """
        block = max(_LARGEST // max(self.model.match_ups * self.model.seats**2, self.model.size**2), 1)
        if len(lines) > block:
            parts = range(0, len(lines), block)
            return np.concatenate(
                [
                    self.ends(best, lines[i : i + block], errors[i : i + block], limit[i : i + block], side)
                    for i in parts
                ]
            )
        if not len(lines):
            return np.zeros(0)
        top = float(self.likelihood(best[None, :])[0])
        middle = lines @ best
        bend = self.curvature(best[None, :])[0]
        way = np.linalg.solve(bend, lines.T).T
        way /= np.einsum("mp,mp->m", lines, way)[:, None]  # moves the line by 1 where the likelihood falls least
        # Along a flat direction that way is as long as it is wide; the line itself moves it too.
        plain = lines / (lines**2).sum(axis=1, keepdims=True)
        way = np.where(np.abs(way).max(axis=1, keepdims=True) > 3, plain, way)
        theta = np.repeat(best[None, :], len(lines), axis=0)

        def beyond(away: Floats, which: npt.NDArray[np.bool_]) -> Floats:
            """Evidence minus the limit, for the requested lines."""
            start = theta[which]
            now = np.einsum("mp,mp->m", lines[which], start)
            start = start + way[which] * (middle[which] + side * away[which] - now)[:, None]
            there, score = self.climb(start, lines[which])
            theta[which] = there
            fall = np.maximum(2 * (top - self.likelihood(there)), 0.0)
            return np.asarray(np.sqrt(np.minimum(fall, score)) - limit[which], np.float64)

        low, high = np.zeros(len(lines)), np.minimum(np.maximum(limit / limit.max() * errors * 2, 1e-6), _FAR)
        f_low = -limit.copy()
        f_high = np.full(len(lines), -1.0)
        open_ = np.zeros(len(lines), bool)
        unsettled = np.ones(len(lines), bool)
        while unsettled.any():
            f_high[unsettled] = beyond(high, unsettled)
            short = unsettled & (f_high < 0)
            open_ |= short & (high >= _FAR)
            unsettled = short & ~open_
            low[unsettled], f_low[unsettled] = high[unsettled], f_high[unsettled]
            high[unsettled] = np.minimum(2 * high[unsettled], _FAR)
        # Regula falsi, Illinois variant: halves the value of an end that stays.
        last = np.zeros(len(lines))
        unsettled = ~open_
        for _ in range(40):
            unsettled = unsettled & (high - low > 1e-5 * np.maximum(high, 1e-3))
            if not unsettled.any():
                break
            middle_ = np.where(unsettled, high - f_high * (high - low) / np.where(unsettled, f_high - f_low, 1.0), high)
            value = np.zeros(len(lines))
            value[unsettled] = beyond(middle_, unsettled)
            right = unsettled & (value >= 0)
            left = unsettled & (value < 0)
            f_low[right & (last > 0)] /= 2
            f_high[left & (last < 0)] /= 2
            high[right], f_high[right] = middle_[right], value[right]
            low[left], f_low[left] = middle_[left], value[left]
            last = np.where(right, 1.0, np.where(left, -1.0, last))
            unsettled = unsettled & (np.abs(value) > 1e-6)
            done = (np.abs(value) <= 1e-6) & (right | left)
            high[done] = middle_[done]
        return np.where(open_, side * np.inf, middle + side * high)


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
