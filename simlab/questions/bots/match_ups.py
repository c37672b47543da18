"""The table of match-ups: the winner of each match-up, the equilibrium, alpha-rank and best-response cycles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from simlab.present.answer import Part, Rate
from simlab.present.blocks import GamesLink
from simlab.present.estimate import EVEN, LEVEL, Estimate
from simlab.runs import drill_down
from simlab.runs.cell_pools import Ints
from simlab.runs.view import View
from simlab.stats import tournament
from simlab.stats.intervals import Floats, clopper_pearson, level_of_each, normal_quantile, student_quantile
from simlab.stats.ratings import SingleGames, Strengths, luce

MOST_MATCH_UPS = 2_500  #: of a table that is analysed


class MatchUp(Part):
    """One bot per seat.

    Attributes:
        win_rate: win rate of each seat; the intervals hold for all match-ups together (Clopper-Pearson, Bonferroni).
        favoured: the side that wins significantly more than its share; `even`; `open` if inconclusive.
    """

    bots: dict[str, str]
    games: int
    win_rate: dict[str, Rate]
    favoured: str
    games_link: GamesLink | None = None


class LineUp(Part):
    """One bot per seat, and how often all win together; the intervals hold for all line-ups together."""

    bots: tuple[str, ...]
    rate: Rate


class LeftOut(Part):
    """The lowest mean win rate of the leader when one bot is left out."""

    seat: str
    bot: str
    rate: float


class Balance(Part):
    """Whether who is favoured depends on the bots.

    Attributes:
        stamp: `holds`, `leans`, `fragile`, `even`, `open` (inconclusive) or `few` match-ups; null for a game in which
            all win or lose together.
        favoured: side -> match-ups in which it wins significantly more than its share.
        mean: the leader's share of the wins over all match-ups.
        reasons: reasons of `fragile`: `against`, `left out`, `best play`.
        swapped: how seats with the same bots are judged. `pairings`: each pairing over all orders of the seats.
            `drawn`: all drawn line-ups together. "": each match-up on its own.
        weakest, strongest: line-ups with which all win least and most often, in a game with one side.
    """

    stamp: str | None
    equal_share: float
    favoured: dict[str, int]
    even: int
    open: int
    total: int
    leader: str | None
    mean: Rate
    reasons: tuple[str, ...]
    left_out: LeftOut | None = None
    swapped: str = ""
    weakest: LineUp | None = None
    strongest: LineUp | None = None


class Profiles:
    """The match-ups of a view as a flat table: profiles, one bot per seat.

    Attributes:
        whole: whether every bot met every other.
        bots: bots of each seat. shape: number of bots of each seat. places: place of each cell among the profiles.
        credit: value of all games of a cell to each seat, shape (cells, seats). won: the same by profile. games: number
            of games of each profile. weights: share of each cell in the games of each profile, shape (profiles, cells).
        rates: `credit` per game. bots_of: places of each profile's bots, shape (profiles, seats).
    """

    def __init__(self, view: View) -> None:
        self._view = view
        self.bots = tuple(view.bots[seat] for seat in view.raw_seats)
        self.shape = tuple(map(len, self.bots))
        where = [{bot: i for i, bot in enumerate(named)} for named in self.bots]
        profiles = [tuple(where[i][cell.bots[seat]] for i, seat in enumerate(view.raw_seats)) for cell in view.cells]
        self.places = [int(np.ravel_multi_index(profile, self.shape)) for profile in profiles]
        self.credit, self.games = won_by_cell(view), np.zeros(math.prod(self.shape))
        self.won = np.zeros((self.games.size, len(self.shape)))
        np.add.at(self.won, self.places, self.credit)
        np.add.at(self.games, self.places, [cell.games for cell in view.cells])
        self.weights = view.weights(self.places, self.games.size)
        self.rates = self.credit / _games(view)[:, None]
        self.bots_of = np.array(np.unravel_index(np.arange(self.games.size), self.shape)).T
        self.whole = bool(np.all(self.games > 0))

    @classmethod
    def of(cls, view: View) -> Profiles | None:
        """None if there are too many to analyse."""
        return cls(view) if math.prod(map(len, view.bots.values())) <= MOST_MATCH_UPS else None

    @cached_property
    def payoffs(self) -> list[Floats]:
        """Each seat's share of the win, shape (bots of seat 1, ...); nan if not played."""
        with np.errstate(invalid="ignore", divide="ignore"):
            rates = np.where(self.games > 0, self.won.T / self.games, np.nan)
        return [rate.reshape(self.shape) for rate in rates]

    @cached_property
    def by_game(self) -> list[Floats | None]:
        """Each seat's share of the win by game, (games, cells); None if unknown: match-ups count as independent."""
        return [self._view.by_game(self._view.payoff(seat)) for seat in range(len(self.shape))]

    @cached_property
    def covariances(self) -> list[Floats]:
        """Covariance of each seat's payoffs, in flat order."""
        rates = zip(self.rates.T, self.by_game, strict=True)
        return [self._view.covariance_of_groups(self.weights, rate, rows) for rate, rows in rates]

    @property
    def is_ranked(self) -> bool:
        """Whether alpha-rank is computed: each seat has a choice, and the table is whole and not too large."""
        return self.whole and min(self.shape) > 1 and self.games.size <= tournament.MOST_PROFILES

    def equilibrium(self, level: float = LEVEL) -> tournament.Equilibrium | None:
        """Best play of two rival seats; None if not every bot met every other."""
        if len(self.shape) != 2 or self._view.joint_sides or not self.whole:
            return None
        return tournament.equilibrium(self.payoffs[0], self.covariances[0], level=level)


def lasting_line_up(view: View) -> tuple[tuple[str, ...], float] | None:
    """The line-up that occurs most often if all seats imitate successful bots (alpha-rank), by the estimated win rates,
    and its share of the games; None if alpha-rank is not computed.
    """
    table = Profiles.of(view)
    if table is None or not table.is_ranked:
        return None
    mass = tournament.alpha_rank(table.payoffs).ravel()
    most = int(mass.argmax())
    bots = (bots[int(bot)] for bots, bot in zip(table.bots, table.bots_of[most], strict=True))
    return tuple(bots), float(mass[most])


def balance(
    view: View, table: Profiles, best_play: Sequence[tuple[float, float]] | None
) -> tuple[Balance, list[MatchUp]]:
    """Who is favoured, overall and in each match-up that was played, and how much that depends on the bots.

    Args:
        best_play: interval of each side's share in best play, if known.
    """
    shares, covariances, decided = _shares_of_sides(view, table)
    # Cells of a match-up at different knobs may share seeds: together they count as the games of one.
    worth = table.games / np.maximum(np.bincount(table.places, minlength=table.games.size), 1)
    with_winner = (worth * decided / np.maximum(table.games, 1)).reshape(table.shape)
    swapped, found, calls = _balance(view, table, shares, with_winner, covariances, best_play)
    matches, names = _match_ups(view, table, worth, decided, calls), [name for name, _, _ in view.sides]
    out: dict[str, Any] = {}
    if len(names) == 1:
        level = level_of_each(LEVEL, len(matches))
        line_ups = []
        for match in matches:
            pool = view.pool("", [cell for cell in view.cells if cell.bots == match.bots])
            line_ups.append(LineUp(bots=tuple(match.bots.values()), rate=pool.side_rate(0, level)))
        out["weakest"], out["strongest"] = (pick(line_ups, key=lambda one: one.rate.value) for pick in (min, max))
    elif found.left_out:
        seat, bot, rate = found.left_out
        out["left_out"] = LeftOut(seat=view.seats[seat], bot=table.bots[seat][bot], rate=rate)
    return Balance(
        stamp=found.stamp if len(names) > 1 else None, equal_share=1 / len(names),
        favoured=dict(zip(names, found.favoured, strict=False)), even=found.even, open=found.open, total=found.total,
        leader=None if found.leader is None or len(names) == 1 else names[found.leader],
        mean=Estimate(*found.mean), reasons=found.reasons, swapped=swapped, **out,
    ), matches  # fmt: skip


def _balance(
    view: View,
    table: Profiles,
    shares: Sequence[Floats],
    games: Floats,
    covariances: Sequence[Floats],
    best_play: Sequence[tuple[float, float]] | None,
) -> tuple[str, tournament.Dependence, Sequence[int]]:
    """Who is favoured, and how much that depends on the bots.

    Args:
        shares: shares of each side, shape (bots of seat 1, ...), and their covariances. games: number of games with a
            winner, same shape.
        best_play: interval of each side's share in best play, if known.
    Returns:
        (Balance.swapped; the finding; the call of each match-up that has a share, in flat order).
    """
    margin, played, bots = EVEN / 2, np.isfinite(shares[0].ravel()), table.bots
    exchangeable = not view.has_sides and len({frozenset(named) for named in bots}) == 1 and len(bots[0]) > 1
    if not exchangeable:
        said = tournament.dependence(shares, games, covariances, margin=margin, best_play=best_play)
        return "", said, said.calls
    names = [np.array([bots[0].index(bot) for bot in named]) for named in bots]
    sits = np.column_stack([mine[table.bots_of[:, i]] for i, mine in enumerate(names)])  # places in the first's bots
    groups = [group for group in _swapped(sits, played) if group]
    members = [place for group in groups for place in group]
    if 2 * len(members) < played.sum():
        said = _over_drawn(shares, covariances, played, margin)
        return "drawn", said, [tournament.OPEN] * int(played.sum())
    mixed = np.zeros((len(groups), played.size))
    for row, group in enumerate(groups):
        mixed[row, group] = 1 / len(group)
    rates = [mixed @ np.nan_to_num(share.ravel()) for share in shares]
    errors = [mixed @ covariance @ mixed.T for covariance in covariances]
    flat = games.ravel()
    # Independent games that a mean over some profiles is worth: at least the games of one profile.
    means, variances = np.array(rates), np.array([np.diag(error) for error in errors])
    spread = (variances > 0) & (means > 0) & (means < 1)
    each = np.where(spread, means * (1 - means) / np.where(spread, variances, 1), np.inf).min(axis=0)
    limits = np.array([(flat[group].min(), flat[group].sum()) for group in groups]).T
    worth = np.clip(np.where(np.isfinite(each), each, 0.0), *limits)
    without = {(0, bot): np.array([bot not in sits[group[0]] for group in groups]) for bot in range(len(bots[0]))}
    said = tournament.dependence(rates, worth, errors, margin=margin, best_play=best_play, without=without)
    call_of = {place: said.calls[i] for i, group in enumerate(groups) for place in group}
    return "pairings", said, [call_of.get(int(place), tournament.OPEN) for place in np.flatnonzero(played)]


def _swapped(sits: Ints, played: npt.NDArray[np.bool_]) -> list[list[int]]:
    """Profiles of the same bots in other seats, if each such arrangement was played; else an empty list. sits: the bot
    of each seat, shape (profiles, seats).
    """
    by_bots: dict[tuple[int, ...], list[int]] = {}
    for place, line in enumerate(np.sort(sits, axis=1).tolist()):
        by_bots.setdefault(tuple(line), []).append(place)
    return [group if played[group].all() else [] for group in by_bots.values()]


def _over_drawn(
    shares: Sequence[Floats], covariances: Sequence[Floats], played: npt.NDArray[np.bool_], margin: float
) -> tournament.Dependence:
    """Treats all sampled line-ups as one, and measures the variance that sampling them adds to a seat's share."""
    flat = np.array([share.ravel()[played] for share in shares])  # (seats, line-ups)
    count = flat.shape[1]
    rates, errors, worth = flat.mean(axis=1), [], math.inf
    for seat, rate in enumerate(rates):
        shared = covariances[seat][np.ix_(played, played)]
        luck, within = float(shared.sum()) / count**2, float(np.trace(shared)) / count**2
        between = float(flat[seat].var(ddof=1)) / count
        wider = student_quantile(LEVEL, count - 1) / normal_quantile(LEVEL)
        variance = max(luck, luck + between - within) * wider**2
        errors.append(np.array([[variance]]))
        if variance > 0:
            worth = min(worth, rate * (1 - rate) / variance)
    worth = worth if math.isfinite(worth) else float(count)
    return tournament.dependence([np.array([r]) for r in rates], np.array([worth]), errors, margin=margin)


def _shares_of_sides(view: View, table: Profiles) -> tuple[list[Floats], list[Floats], Floats]:
    """Each side's share of the wins; each seat is its own side unless the game declares otherwise.

    Returns:
        (the shares of each side, in the shape of the table; their covariances; for each profile, the number of games
            that somebody won).
    """
    by_cell, known, places, games = table.credit, table.by_game, table.places, table.games
    if view.has_sides:
        by_cell = np.array([cell.tally.side_wins for cell in view.cells], np.float64)
        known = [view.by_game(view.side_payoff(side).alone) for side in range(len(view.sides))]
    by_side = np.zeros((games.size, by_cell.shape[1]))
    np.add.at(by_side, places, by_cell)
    decided = by_side.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = [np.where(decided > 0, wins / decided, np.nan).reshape(table.shape) for wins in by_side.T]
    there = [rows for rows in known if rows is not None]
    if len(there) < len(known):  # match-ups share their seeds, so they may be fully correlated
        worth = np.maximum(decided / np.maximum(np.bincount(places, minlength=games.size), 1), 1)
        flat = (np.nan_to_num(share.ravel()) for share in shares)
        errors = [np.sqrt(np.maximum(share * (1 - share) / worth, 0.5 / worth**2)) for share in flat]
        return shares, [np.outer(error, error) for error in errors], decided
    sides = range(len(shares))
    if np.allclose(decided, games):
        rates = (by_cell / _games(view)[:, None]).T
        return shares, [view.covariance_of_groups(table.weights, rates[i], there[i]) for i in sides], decided
    # A share of the wins is a ratio: the wins of a side relative to all wins.
    every = np.sum(there, axis=0)
    covariances = []
    for side in sides:
        share = np.nan_to_num(shares[side].ravel())[places]
        part = np.maximum(decided / np.maximum(games, 1), 1e-9)[places]
        beyond = (there[side] - share * every) / part
        covariances.append(view.covariance_of_groups(table.weights, share, beyond))
    return shares, covariances, decided


def _games(view: View) -> Floats:
    """Games of each cell, 1 at least."""
    return np.maximum([cell.games for cell in view.cells], 1).astype(np.float64)


def won_by_cell(view: View) -> Floats:
    """Value of all games of a cell to each seat, shape (cells, seats)."""
    payoffs = [view.payoff(seat) for seat in range(len(view.seats))]
    return np.array([[payoff.total(cell.tally) for payoff in payoffs] for cell in view.cells])


def strengths_of(view: View, table: Profiles) -> Strengths | None:
    """Luce's strengths. The correlation of match-ups is measured if the rows of the games are known."""
    there = table.won.sum(axis=1) > 0
    if not there.any():
        return None
    index = np.cumsum(there) - 1  # of the match-ups that have a winner
    rows = [view.rows_of(view.payoff(seat)) for seat in range(len(table.shape))]
    played = None
    if rows[0] is not None:
        credit = np.column_stack([row.values for row in rows if row is not None])
        match_up, cell = np.asarray(table.places)[rows[0].cell], rows[0].cell.astype(np.int64)
        kept = there[match_up]
        played = SingleGames(index[match_up][kept], rows[0].game[kept], cell[kept], credit[kept])
    return luce(table.won[there], table.bots_of[there], table.shape, played=played)


def _match_ups(view: View, table: Profiles, worth: Floats, decided: Floats, calls: Sequence[int]) -> list[MatchUp]:
    """Each match-up that was played; it is open if nobody won a game. calls: the calls of the other match-ups."""
    there, made, matches = np.flatnonzero(table.games), iter(calls), []
    for place, rates in zip(there, rates_together(table.won[there], worth[there], table.games[there]), strict=True):
        profile = zip(view.raw_seats, np.unravel_index(place, table.shape), strict=True)
        bots = {seat: view.bots[seat][int(bot)] for seat, bot in profile}
        call = next(made) if decided[place] else tournament.OPEN
        favoured = {tournament.NEAR: "even", tournament.OPEN: "open"}.get(call) or view.sides[call][0]
        count = int(table.games[place])
        matches.append(
            MatchUp(
                bots=bots, games=count, win_rate=dict(zip(view.raw_seats, rates, strict=True)),
                favoured=favoured if len(view.sides) > 1 else "",  # nobody is favoured if all win together
                games_link=drill_down.of_bots(view, tuple(bots.values()), count),
            )
        )  # fmt: skip
    return matches


def rates_together(won: Floats, worth: Floats, games: Floats) -> list[list[Estimate]]:
    """Win rates of match-ups by seat, with intervals that hold for all of them together.

    Args:
        won: games won, shape (match-ups, seats). worth: number of games that each match-up counts as.
    """
    seats = won.shape[1]
    level = level_of_each(LEVEL, len(games) * (1 if seats == 2 else seats))
    rates = won / games[:, None]
    intervals = clopper_pearson(rates * worth[:, None], worth[:, None], level)
    ends = np.concatenate([rates[:, :, None], intervals], axis=2)
    return [[Estimate(*seat) for seat in match] for match in ends.tolist()]
