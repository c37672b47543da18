"""One bot in a field of others, in games of more than two seats or of sides."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from simlab.present.answer import Part, Rate
from simlab.present.blocks import GamesLink
from simlab.present.estimate import LEVEL, Estimate, share_of
from simlab.questions.bots.match_ups import won_by_cell
from simlab.runs import drill_down
from simlab.runs.view import View
from simlab.stats.intervals import Floats, level_of_each
from simlab.stats.tournament import below_the_best

MOST_IN_FIELD = 16  #: most bots shown with each other bot, in games of more than two seats


class FieldBot(Part):
    """A bot over all match-ups in which it took a seat.

    Attributes:
        share: share of the wins, averaged over the seats that the bot took; if seats win together, how often its side
            wins. The intervals hold for all bots together.
        own_wins: how often the bot itself wins, if it may win without its side or lose with it.
            significantly_behind_the_first: whether it wins significantly less than the first bot, all pairs of bots
            judged together. by_seat, beside: the share in each seat, and with each other bot in another seat; null if
            they never met.
    """

    bot: str
    share: Rate
    own_wins: Rate | None
    significantly_behind_the_first: bool
    by_seat: dict[str, Rate | None]
    beside: dict[str, Rate | None]
    games_link: GamesLink | None = None


def in_field(view: View) -> list[FieldBot]:
    """Each bot's share of the wins in a field of others, the best first; empty for games of one seat or two rivals.

    A game that k seats win counts 1/k for each of them. Games are clustered by their index: a bot may sit in several
    seats of one game, and all match-ups share their random draws.
    """
    seats = len(view.seats)
    names = list(dict.fromkeys(bot for seat in view.raw_seats for bot in view.bots[seat]))
    if (seats < 3 and not view.joint_sides) or not 1 < len(names) <= MOST_IN_FIELD:
        return []
    sits = np.array([[names.index(cell.bots[seat]) for seat in view.raw_seats] for cell in view.cells])
    games = np.array([cell.games for cell in view.cells], np.float64)
    own = wins = Wins([view.by_game(view.payoff(seat)) for seat in range(seats)], won_by_cell(view), games)
    if view.joint_sides:
        sides = [view.side_of(seat) for seat in range(seats)]
        won = np.array([[cell.tally.side_wins[side] for side in sides] for cell in view.cells], np.float64)
        wins = Wins([view.by_game(view.side_payoff(side).alone) for side in sides], won, games)
    apart = not np.array_equal(own.won, wins.won)
    everywhere = np.array([_each_seat_alike(sits == bot, games) for bot in range(len(names))])
    strict = level_of_each(LEVEL, len(names))
    shares = wins.shares(everywhere, strict)
    theirs = own.shares(everywhere, strict) if apart else [None] * len(names)
    every = math.prod(len(view.bots[seat]) for seat in view.raw_seats)
    behind = wins.behind(everywhere, whole=len(np.unique(sits, axis=0)) == every)
    lines = []
    for bot, (name, share) in enumerate(zip(names, shares, strict=True)):
        if share is None:
            continue
        mine = sits == bot  # (cells, seats)
        others = [sits == other for other in range(len(names))]
        picks = np.array([
            *(mine & (np.arange(seats) == seat) for seat in range(seats)),
            *(mine & (there.sum(axis=1, keepdims=True) > there) for there in others),
        ]) * games[:, None]  # fmt: skip
        parts = wins.shares(picks / np.maximum(picks.sum(axis=(1, 2), keepdims=True), 1))
        lines.append(FieldBot(
            bot=name, share=share, own_wins=theirs[bot], significantly_behind_the_first=bool(behind[bot]),
            by_seat=dict(zip(view.seats, parts, strict=False)), beside=dict(zip(names, parts[seats:], strict=True)),
            games_link=drill_down.with_bot(view, name),
        ))  # fmt: skip
    return sorted(lines, key=lambda line: -line.share.value)


def _each_seat_alike(mine: npt.NDArray[np.bool_], games: Floats) -> Floats:
    """Weights, shape (cells, seats), that add up to 1: equal for each seat that a bot took, and proportional to games
    within a seat. A bot therefore has no advantage if it is drawn into the better seats more often.
    """
    each = mine * games[:, None]
    taken = each.sum(axis=0)
    return np.asarray(each / np.where(taken > 0, taken, 1) / max(int(np.count_nonzero(taken)), 1), np.float64)


class Wins:
    """Wins of the seats, and statistics that weigh cells and seats. Weights have the shape (statistics, cells, seats)
    and add up to 1 for each statistic, or to 0.

    Args:
        tables: wins of each seat by game, shape (games, cells), or None if unknown.
        won: games won, shape (cells, seats). games: games of each cell.
    """

    def __init__(self, tables: Sequence[Floats | None], won: Floats, games: Floats) -> None:
        known = [table for table in tables if table is not None]
        self.tables = np.array(known) if len(known) == len(tables) else None  # (seats, games, cells)
        self.won, self.rates = won, won / np.maximum(games, 1)[:, None]
        self.least = float(games.min())

    def _weighed(self, weights: Floats) -> tuple[Floats, Floats | None]:
        """The statistics over all games; and, if known, their values by game index, shape (games, statistics)."""
        by_game = None if self.tables is None else np.tensordot(self.tables, weights, ((0, 2), (2, 1)))
        return (weights * self.rates).sum(axis=(1, 2)), by_game

    def shares(self, weights: Floats, level: float = LEVEL) -> list[Estimate | None]:
        """Weighted mean share of the win over some cells and seats; None if there are no weights."""
        value, sums = self._weighed(weights)
        alone = value * (1 - value) / max(self.least, 1)  # as if all cells were fully correlated
        variance = alone if sums is None else np.var(sums, axis=0, ddof=1) / len(sums)
        shares: list[Estimate | None] = []
        for rate, error, weight in zip(value, variance, weights.sum(axis=(1, 2)), strict=True):
            enough = rate * (1 - rate) / error if error > 0 and 0 < rate < 1 else self.least
            shares.append(None if weight == 0 else share_of(rate * enough, enough, level))
        return shares

    def behind(self, weights: Floats, whole: bool) -> npt.NDArray[np.bool_]:
        """The bots with a significantly smaller share of the wins than the first bot, all pairs judged together.

        Sampling line-ups adds variance, because a bot may have met weaker bots by chance. Line-ups are therefore
        clusters in addition to the games (Cameron, Gelbach and Miller 2011, J. Business & Economic Statistics 29(2),
        238-249).
        """
        value, sums = self._weighed(weights)
        degrees, within = math.inf, np.zeros((len(value), len(value)))
        if self.tables is None or sums is None:  # as if all cells were fully correlated
            error = np.sqrt(value * (1 - value) / max(self.least, 1))
            variance = (error[:, None] + error[None, :]) ** 2
        else:
            degrees = len(sums) - 1
            variance = _of_differences(np.cov(sums, rowvar=False) / len(sums))
            by_cell = zip(self.tables.T, weights.transpose(1, 0, 2), strict=True)
            within = sum(w @ np.atleast_2d(np.cov(table, rowvar=False)) @ w.T / len(sums) for table, w in by_cell)
        if not whole:
            seats, cells = weights.sum(axis=1), len(self.rates)  # (bots, seats)
            means = (weights * self.rates).sum(axis=1, keepdims=True) / np.where(seats > 0, seats, 1)[:, None]
            parts = (weights * (self.rates - means)).sum(axis=2)  # (bots, cells)
            between = _of_differences(parts @ parts.T) * cells / max(cells - 1, 1)
            # Chance within the cells is in both; the rest, from the line-ups, is at least 0.
            variance = np.maximum(variance, variance + between - _of_differences(within))
            degrees = min(degrees, cells - 1)
        return below_the_best(value, variance, degrees=degrees)


def _of_differences(covariance: Floats) -> Floats:
    """Variance of the difference between each pair of estimates."""
    spread = np.diag(np.atleast_2d(covariance))
    return np.asarray(spread[:, None] + spread[None, :] - 2 * covariance, np.float64)
