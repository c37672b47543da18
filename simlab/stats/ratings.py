"""Ranking of bots where the seats are different roles: one strength a bot and seat, with intervals.

Two seats: Bradley-Terry. More: Luce's choice model, of which Bradley-Terry is the case of two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simlab.errors import UserMistake
from simlab.stats.intervals import Floats, normal_quantile

_STEPS = 60  # Newton's method settles in under 10 steps; the rest is for runaway starts


@dataclass(frozen=True)
class Ratings:
    """Strengths of row bots (first seat) and column bots (second seat).

    The model: log-odds that row bot i beats column bot j = advantage + strength_a[i] - strength_b[j],
    strengths of each seat adding up to 0, so that `advantage` is the first seat's between average bots.

    Attributes:
        strength_a, strength_b: log-odds, shapes (rows,), (columns,).
        interval_a, interval_b: their ends, shapes (rows, 2), (columns, 2).
        rate_a: win rate against an average opponent of each row bot; interval in rate_interval_a; rate_b
            likewise for the second seat.
        advantage, advantage_interval: log-odds.
        fitted: win rates of the first seat by the model, shape (rows, columns).
        residual: observed minus fitted; nan where nothing was played.
        interaction: share, 0..1, of the differences between match-ups (as log-odds) that no ranking explains:
            who beats whom, as in rock, paper, scissors. Sampling noise is part of it.
        order_a, order_b: positions from the strongest to the weakest.
    """

    strength_a: Floats
    strength_b: Floats
    interval_a: Floats
    interval_b: Floats
    rate_a: Floats
    rate_b: Floats
    rate_interval_a: Floats
    rate_interval_b: Floats
    advantage: float
    advantage_interval: tuple[float, float]
    fitted: Floats
    residual: Floats
    interaction: float

    @property
    def order_a(self) -> list[int]:
        return [int(i) for i in np.argsort(-self.strength_a, kind="stable")]

    @property
    def order_b(self) -> list[int]:
        return [int(i) for i in np.argsort(-self.strength_b, kind="stable")]


def bradley_terry(
    wins: npt.ArrayLike,
    games: npt.ArrayLike,
    *,
    level: float = 0.95,
    seed: int = 0,
    draws: int = 400,
    prior: float = 0.5,
    covariance: npt.ArrayLike | None = None,
) -> Ratings:
    """Bradley-Terry strengths of the bots of two seats with different roles.

    Args:
        wins: games won by the row bot, a draw as half a win; shape (rows, columns).
        games: games played; 0 where a pair never met.
        seed: of the bootstrap's own generator: the same input gives the same intervals.
        draws: bootstrap draws; 0 gives infinite intervals.
        prior: wins and losses added to each match-up that was played, so that a bot that always wins stays
            finite.
        covariance: of the observed win rates, row by row, shape (rows * columns,) squared, for match-ups that
            played the same seeds; without it they count as independent, and the interval of `advantage` is
            then too narrow where luck is shared.
    Returns:
        Ratings by maximum likelihood; intervals by a parametric bootstrap that draws each match-up about its
        own rate, so they hold whether or not strengths explain the rates.
    Raises:
        ValueError: shapes, or wins outside 0..games.
        UserMistake: the bots fall into groups that never met.
    Source: Bradley and Terry (1952), Biometrika 39, 324-345; checked against statsmodels' GLM.
    """
    won, played = np.asarray(wins, np.float64), np.asarray(games, np.float64)
    if won.ndim != 2 or won.shape != played.shape or won.size == 0:
        raise ValueError(f"wins and games: two tables of one shape, got {won.shape} and {played.shape}")
    if np.any(won < 0) or np.any(won > played):
        raise ValueError("wins must lie in 0..games")
    _need_one_group(played > 0)
    rows, columns = won.shape
    met = played.ravel() > 0
    design = _design(rows, columns)[met]
    n = played.ravel()[met] + 2 * prior
    y = won.ravel()[met] + prior
    best = _fit(design, y[None, :], n)[0]

    def strengths(theta: Floats) -> tuple[Floats, Floats, Floats]:
        a, b = theta[..., 1:rows], theta[..., rows:]
        last_a, last_b = -a.sum(-1, keepdims=True), -b.sum(-1, keepdims=True)
        return theta[..., 0], np.concatenate([a, last_a], -1), np.concatenate([b, last_b], -1)

    advantage, a, b = strengths(best)
    if draws > 0:
        samples = _resample(y, n, met, covariance, prior, np.random.default_rng(seed), draws)
        many, many_a, many_b = strengths(_fit(design, samples, n, start=best))
    else:
        many, many_a, many_b = (np.full((0, *np.shape(part)), 0.0) for part in (advantage, a, b))
    fitted = _expit(advantage + a[:, None] - b[None, :])
    observed = np.divide(won, played, out=np.full(won.shape, np.nan), where=played > 0)
    return Ratings(
        strength_a=a,
        strength_b=b,
        interval_a=_ends(many_a, a, level),
        interval_b=_ends(many_b, b, level),
        rate_a=_expit(advantage + a),
        rate_b=_expit(b - advantage),
        rate_interval_a=_expit(_ends(many[:, None] + many_a, advantage + a, level)),
        rate_interval_b=_expit(_ends(many_b - many[:, None], b - advantage, level)),
        advantage=float(advantage),
        advantage_interval=_pair(_ends(many[:, None], np.atleast_1d(advantage), level)[0]),
        fitted=fitted,
        residual=observed - fitted,
        interaction=_interaction(design, y, n),
    )


@dataclass(frozen=True)
class Strengths:
    """Strengths of the bots of any number of seats.

    The model: the chance that a seat wins is proportional to exp(advantage of the seat + strength of its bot),
    strengths of each seat adding up to 0, advantages too.

    Attributes:
        strength: for each seat, log-odds, shape (bots,); interval: their ends, shape (bots, 2).
        advantage: log-odds of each seat, shape (seats,); advantage_interval: shape (seats, 2).
        fitted: chance of each seat to win by the model, shape (profiles, seats).
    """

    strength: tuple[Floats, ...]
    interval: tuple[Floats, ...]
    advantage: Floats
    advantage_interval: Floats
    fitted: Floats

    def order(self, seat: int) -> list[int]:
        """Positions of the seat's bots, strongest first."""
        return [int(i) for i in np.argsort(-self.strength[seat], kind="stable")]


def luce(
    wins: npt.ArrayLike,
    profiles: npt.ArrayLike,
    bots: Sequence[int],
    *,
    level: float = 0.95,
    draws: int = 200,
    seed: int = 0,
    prior: float = 0.5,
) -> Strengths:
    """Strengths out of who won, for any number of seats.

    Only the winner's place is used: the rest of the order is not a result in every game. A game that several
    or none win counts for each seat alike.

    Args:
        wins: games won by each seat, shape (match-ups, seats); shared games as parts.
        profiles: which bot sat where, shape (match-ups, seats).
        bots: number of bots of each seat.
        prior: wins added to each seat of each match-up, so that a bot that always wins stays finite.
        draws, seed: of the bootstrap, which draws each match-up about its own rates.
    Returns:
        Strengths by maximum likelihood.
    Raises:
        ValueError: shapes.
    Source: Luce (1959), Individual Choice Behavior; Plackett (1975), Applied Statistics 24(2), 193-202, whose
        first stage this is; checked against `bradley_terry` for two seats and statsmodels' ConditionalLogit
        for three.
    """
    won, who = np.asarray(wins, np.float64), np.asarray(profiles, np.int64)
    if won.ndim != 2 or won.shape != who.shape or won.shape[1] != len(bots) or won.shape[1] < 2:
        raise ValueError(f"wins and profiles: two tables of one shape with two seats or more, got {won.shape}")
    seats = won.shape[1]
    coded = _luce_design(who, bots)
    best = _fit_luce(coded, won + prior)
    generator = np.random.default_rng(seed)
    games = np.maximum(np.rint(won.sum(axis=1)), 1).astype(np.int64)
    rates = (won + prior) / (won + prior).sum(axis=1, keepdims=True)
    many = [
        _fit_luce(coded, generator.multinomial(games, rates).astype(np.float64) + prior, best) for _ in range(draws)
    ]
    drawn = np.array(many).reshape(draws, best.size)

    def parts(theta: Floats) -> list[Floats]:
        """Advantages, then each seat's strengths, the last of each so that they add up to 0."""
        cuts = np.cumsum([seats - 1, *(count - 1 for count in bots)])[:-1]
        free = np.split(theta, cuts, axis=-1)
        return [np.concatenate([part, -part.sum(-1, keepdims=True)], -1) for part in free]

    middle, spread = parts(best), parts(drawn)
    # The spread of the draws needs fewer of them than their outer quantiles, and each is a fit.
    z = normal_quantile(level)
    errors = [
        z * (many_.std(axis=0, ddof=1) if draws > 1 else np.full(one.shape, np.inf))
        for one, many_ in zip(middle, spread, strict=True)
    ]
    ends = [np.stack([one - half, one + half], -1) for one, half in zip(middle, errors, strict=True)]
    odds = coded @ best
    chance = np.exp(odds - odds.max(axis=1, keepdims=True))
    return Strengths(tuple(middle[1:]), tuple(ends[1:]), middle[0], ends[0], chance / chance.sum(axis=1, keepdims=True))


def _luce_design(who: npt.NDArray[np.int64], bots: Sequence[int]) -> Floats:
    """Shape (match-ups, seats, parameters): what the parameters add to the log-odds of each seat."""

    def coded(index: npt.NDArray[np.int64], count: int) -> Floats:
        lines = np.vstack([np.eye(count - 1), -np.ones((1, count - 1))])
        return np.asarray(lines[index], np.float64)

    match_ups, seats = who.shape
    blocks = [np.broadcast_to(coded(np.arange(seats), seats), (match_ups, seats, seats - 1))]
    for seat, count in enumerate(bots):
        block = np.zeros((match_ups, seats, count - 1))
        block[:, seat] = coded(who[:, seat], count)
        blocks.append(block)
    return np.concatenate(blocks, axis=2)


def _fit_luce(coded: Floats, wins: Floats, start: Floats | None = None) -> Floats:
    """Maximum likelihood by Newton's method."""
    theta = np.zeros(coded.shape[2]) if start is None else start.copy()
    games = wins.sum(axis=1)
    for _ in range(_STEPS):
        odds = coded @ theta
        chance = np.exp(odds - odds.max(axis=1, keepdims=True))
        chance /= chance.sum(axis=1, keepdims=True)
        gradient = np.einsum("ms,msp->p", wins - games[:, None] * chance, coded)
        mean = np.einsum("ms,msp->mp", chance, coded)
        hessian = np.einsum("m,ms,msp,msq->pq", games, chance, coded, coded, optimize=True)
        hessian -= np.einsum("m,mp,mq->pq", games, mean, mean, optimize=True)
        # Bots that never met leave a direction flat: the least step keeps them where they are.
        step = np.linalg.lstsq(hessian, gradient, rcond=None)[0]
        longest = float(np.abs(step).max(initial=0.0))
        theta = theta + step / max(longest / 2, 1.0)
        if longest < 1e-9:
            break
    return np.asarray(theta, np.float64)


def _pair(ends: Floats) -> tuple[float, float]:
    return float(ends[0]), float(ends[1])


def _expit(x: Floats) -> Floats:
    with np.errstate(over="ignore"):
        return np.asarray(1 / (1 + np.exp(-x)), np.float64)


def _design(rows: int, columns: int) -> Floats:
    """A line a match-up: 1, then the row's and the column's strength, coded so that strengths add up to 0."""
    a = np.vstack([np.eye(rows)[:, : rows - 1], np.zeros((0, rows - 1))])
    a[-1] = -1.0
    b = np.eye(columns)[:, : columns - 1]
    b[-1] = -1.0
    line = [np.concatenate([[1.0], a[i], -b[j]]) for i in range(rows) for j in range(columns)]
    return np.array(line)


def _fit(design: Floats, wins: Floats, games: Floats, start: Floats | None = None) -> Floats:
    """Maximum likelihood by Newton's method, for many tables of wins at once: shape (tables, parameters)."""
    tables, parameters = wins.shape[0], design.shape[1]
    theta = np.zeros((tables, parameters)) if start is None else np.repeat(start[None, :], tables, axis=0)
    for _ in range(_STEPS):
        p = _expit(theta @ design.T)
        gradient = (wins - games * p) @ design
        weight = games * p * (1 - p)
        hessian = np.einsum("tm,mi,mj->tij", weight, design, design, optimize=True)
        hessian += 1e-10 * np.eye(parameters)
        step = np.linalg.solve(hessian, gradient[..., None])[..., 0]
        longest = np.abs(step).max(axis=1, keepdims=True)
        theta += step / np.maximum(longest / 2, 1.0)  # at most 2 log-odds a step: Newton can overshoot far out
        if float(longest.max()) < 1e-9:
            break
    return theta


def _resample(
    wins: Floats,
    games: Floats,
    met: npt.NDArray[np.bool_],
    covariance: npt.ArrayLike | None,
    prior: float,
    generator: np.random.Generator,
    draws: int,
) -> Floats:
    rate = wins / games
    if covariance is None:
        whole = np.maximum(np.rint(games - 2 * prior), 1).astype(np.int64)
        drawn = generator.binomial(whole, rate, size=(draws, rate.size)) / whole
    else:
        shared = np.asarray(covariance, np.float64)
        if shared.shape != (met.size, met.size):
            raise ValueError(f"covariance: shape {shared.shape}, but there are {met.size} match-ups")
        drawn = generator.multivariate_normal(rate, shared[np.ix_(met, met)], size=draws, method="eigh")
    played = games - 2 * prior
    return np.asarray(np.clip(drawn, 0, 1) * played + prior, np.float64)


def _ends(many: Floats, best: Floats, level: float) -> Floats:
    """Basic percentile ends along the draws, never leaving the estimate outside."""
    normal_quantile(level)
    if many.shape[0] == 0:
        return np.stack([np.full(best.shape, -np.inf), np.full(best.shape, np.inf)], -1)
    tail = (1 - level) / 2
    low, high = np.quantile(many, [tail, 1 - tail], axis=0)
    return np.stack([np.minimum(low, best), np.maximum(high, best)], -1)


def _interaction(design: Floats, wins: Floats, games: Floats) -> float:
    """Share of the weighted spread of log-odds that rows plus columns leave over."""
    odds = np.log(wins / np.maximum(games - wins, 1e-9))
    weight = wins * (games - wins) / games
    root = np.sqrt(weight)
    solution, *_ = np.linalg.lstsq(design * root[:, None], odds * root, rcond=None)
    left = float(np.dot(weight, (odds - design @ solution) ** 2))
    mean = float(np.dot(weight, odds) / weight.sum())
    total = float(np.dot(weight, (odds - mean) ** 2))
    return min(max(left / total, 0.0), 1.0) if total > 0 else 0.0


def _need_one_group(met: npt.NDArray[np.bool_]) -> None:
    reached_rows, reached_columns = np.zeros(met.shape[0], bool), np.zeros(met.shape[1], bool)
    reached_rows[0] = True
    spread: Callable[[], int] = lambda: int(reached_rows.sum() + reached_columns.sum())  # noqa: E731
    size = 0
    while size != spread():
        size = spread()
        reached_columns |= met[reached_rows].any(axis=0)
        reached_rows |= met[:, reached_columns].any(axis=1)
    if not (reached_rows.all() and reached_columns.all()):
        raise UserMistake(
            "these bots cannot be ranked together: they fall into groups that never met. Play a pair across the groups."
        )
