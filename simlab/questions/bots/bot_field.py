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
from simlab.stats.intervals import Floats
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
    won, rows = _wins(view)
    own, own_rows = won_by_cell(view), [view.by_game(view.payoff(seat)) for seat in range(seats)]
    apart = bool(view.joint_sides) and not np.array_equal(own, won)
    everywhere = np.array([_each_seat_alike(sits == bot, games) for bot in range(len(names))])
    strict = 1 - (1 - LEVEL) / len(names)
    shares = _shares(rows, won, games, everywhere, strict)
    theirs = _shares(own_rows, own, games, everywhere, strict) if apart else [None] * len(names)
    every = math.prod(len(view.bots[seat]) for seat in view.raw_seats)
    behind = _behind(rows, won, games, everywhere, whole=len(np.unique(sits, axis=0)) == every)
    lines = []
    for bot, name in enumerate(names):
        mine = sits == bot  # (cells, seats)
        picks = [mine & (np.arange(seats) == seat) for seat in range(seats)]
        others = [sits == other for other in range(len(names))]
        picks += [mine & (there.sum(axis=1, keepdims=True) > there) for there in others]
        weights = [pick * games[:, None] / max(float((pick * games[:, None]).sum()), 1) for pick in picks]
        parts = _shares(rows, won, games, np.array(weights))
        share = shares[bot]
        if share is not None:
            lines.append(
                FieldBot(
                    bot=name, share=share, own_wins=theirs[bot], significantly_behind_the_first=bool(behind[bot]),
                    by_seat=dict(zip(view.seats, parts, strict=False)),
                    beside=dict(zip(names, parts[seats:], strict=True)), games_link=drill_down.with_bot(view, name),
                )
            )  # fmt: skip
    return sorted(lines, key=lambda line: -line.share.value)


def _wins(view: View) -> tuple[Floats, list[Floats | None]]:
    """Wins of each seat, or of its side, by cell, shape (cells, seats), and by game, (games, cells)."""
    seats = range(len(view.seats))
    if not view.joint_sides:
        return won_by_cell(view), [view.by_game(view.payoff(seat)) for seat in seats]
    sides = [view.side_of(seat) for seat in seats]
    won = np.array([[cell.tally.side_wins[side] for side in sides] for cell in view.cells], np.float64)
    return won, [view.by_game(view.side_payoff(side).alone) for side in sides]


def _each_seat_alike(mine: npt.NDArray[np.bool_], games: Floats) -> Floats:
    """Weights, shape (cells, seats), that add up to 1: equal for each seat that a bot took, and proportional to games
    within a seat. A bot therefore has no advantage if it is drawn into the better seats more often.
    """
    each = mine * games[:, None]
    taken = each.sum(axis=0)
    return np.asarray(each / np.where(taken > 0, taken, 1) / max(int(np.count_nonzero(taken)), 1), np.float64)


def _shares(
    tables: Sequence[Floats | None], won: Floats, games: Floats, weights: Floats, level: float = LEVEL
) -> list[Estimate | None]:
    """Weighted mean share of the win over some cells and seats; None if there are no weights.

    Args:
        tables: wins of each seat by game, shape (games, cells), or None if unknown.
        won: games won, shape (cells, seats). games: games of each cell. weights: shape (statistics, cells, seats),
            adding up to 1 for each statistic, or to 0.
    """
    value = (weights * (won / np.maximum(games, 1)[:, None])[None]).sum(axis=(1, 2))
    sums = _by_game(tables, weights)
    least = float(games.min())
    alone = value * (1 - value) / max(least, 1)  # as if all cells were fully correlated
    variance = alone if sums is None else np.var(sums, axis=0, ddof=1) / len(sums)
    shares: list[Estimate | None] = []
    for rate, error, weight in zip(value, variance, weights.sum(axis=(1, 2)), strict=True):
        if weight == 0:
            shares.append(None)
        elif error > 0 and 0 < rate < 1:
            enough = rate * (1 - rate) / error
            shares.append(share_of(rate * enough, enough, level))
        else:
            shares.append(share_of(rate * least, least, level))
    return shares


def _by_game(tables: Sequence[Floats | None], weights: Floats) -> Floats | None:
    """Each statistic by game index, for the games that all cells played: shape (games, statistics)."""
    known = [table for table in tables if table is not None]
    if len(known) < len(tables):
        return None
    return np.asarray(sum(table @ weights[:, :, seat].T for seat, table in enumerate(known)), np.float64)


def _behind(
    tables: Sequence[Floats | None], won: Floats, games: Floats, weights: Floats, whole: bool
) -> npt.NDArray[np.bool_]:
    """The bots with a significantly smaller share of the wins than the first bot, all pairs judged together.

    Sampling line-ups adds variance, because a bot may have met weaker bots by chance. Line-ups are therefore clusters
    in addition to the games (Cameron, Gelbach and Miller 2011, J. Business & Economic Statistics 29(2), 238-249).
    """
    rates = won / np.maximum(games, 1)[:, None]
    value = (weights * rates[None]).sum(axis=(1, 2))
    sums = _by_game(tables, weights)
    degrees = math.inf
    if sums is None:  # as if all cells were fully correlated
        error = np.sqrt(value * (1 - value) / max(float(games.min()), 1))
        variance = (error[:, None] + error[None, :]) ** 2
    else:
        variance = _of_differences(np.cov(sums, rowvar=False) / len(sums))
        degrees = len(sums) - 1
    if not whole:
        seats = weights.sum(axis=1)  # (bots, seats)
        cells = len(games)
        off = rates[None] - (weights * rates[None]).sum(axis=1, keepdims=True) / np.where(seats > 0, seats, 1)[:, None]
        parts = (weights * off).sum(axis=2)  # (bots, cells)
        between = _of_differences(parts @ parts.T) * cells / max(cells - 1, 1)
        # Chance within the cells is in both; the rest, from the line-ups, is at least 0.
        variance = np.maximum(variance, variance + between - _within(tables, weights, len(value)))
        degrees = min(degrees, cells - 1)
    return below_the_best(value, variance, degrees=degrees)


def _within(tables: Sequence[Floats | None], weights: Floats, figures: int) -> Floats:
    """Variance of the differences due to chance within each cell; 0 if the rows are not known."""
    known = [table for table in tables if table is not None]
    total = np.zeros((figures, figures))
    if len(known) == len(tables):
        for cell in range(weights.shape[1]):
            each = sum(np.outer(table[:, cell], weights[:, cell, seat]) for seat, table in enumerate(known))
            total += np.atleast_2d(np.cov(each, rowvar=False)) / len(known[0])
    return _of_differences(total)


def _of_differences(covariance: Floats) -> Floats:
    """Variance of the difference between each pair of estimates."""
    spread = np.diag(np.atleast_2d(covariance))
    return np.asarray(spread[:, None] + spread[None, :] - 2 * covariance, np.float64)
