"""The table of match-ups, analysed once: the winner of each match-up, the equilibrium, alpha-rank and best-response
cycles.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from simlab.present.answer import Part, Rate
from simlab.present.blocks import GamesLink
from simlab.present.estimate import EVEN, LEVEL, Estimate
from simlab.runs import drill_down
from simlab.runs.cell_pools import Ints
from simlab.runs.view import View
from simlab.stats import tournament
from simlab.stats.intervals import Floats, clopper_pearson, normal_quantile, student_quantile
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


@dataclass(frozen=True)
class Study:
    """Findings on a table of match-ups.

    Attributes:
        bots: bots of each seat. match_ups: those that were played.
        whole: whether every bot met every other.
        swapped: how the seats were judged, if all of them have the same bots, so that a match-up of two bots shows
            the bots and not the seats: `pairings`, each with its bots swapped between the seats, or `drawn`, over all
            drawn line-ups together; empty if the seats have different bots.
        measured: whether the correlation of match-ups on the same seeds was measured; if not, match-ups count as
            independent.
        strengths: strengths of more than two seats.
        dependence: whether who is favoured depends on the bots.
        best: the equilibrium, for two seats whose table is whole. survivors: alpha-rank, for whole tables.
        circles: best-response cycles, the shortest. on_circle: profiles on some cycle. replies: significant better
            replies.
        duels, rings: for bots that took both seats, which bot significantly beats which, and cycles of such wins. both:
            the bots of duels and rings.
    """

    bots: tuple[list[str], ...]
    match_ups: list[MatchUp]
    whole: bool
    measured: bool
    dependence: tournament.Dependence
    strengths: Strengths | None = None
    best: tournament.Equilibrium | None = None
    survivors: tournament.Survivors | None = None
    circles: list[tuple[tournament.Step, ...]] = field(default_factory=list)
    on_circle: int = 0
    replies: int = 0
    duels: list[tournament.Duel] = field(default_factory=list)
    rings: list[list[int]] = field(default_factory=list)
    both: list[str] = field(default_factory=list)
    swapped: str = ""


_STUDIED: WeakKeyDictionary[View, Study | None] = WeakKeyDictionary()


def study(view: View) -> Study | None:
    """Findings on the match-ups of two seats or more; None if fewer than two were played, or too many."""
    if view not in _STUDIED:
        _STUDIED[view] = _study(view)
    return _STUDIED[view]


def equilibrium_of(view: View, level: float = LEVEL) -> tournament.Equilibrium | None:
    """The equilibrium of two rival seats; None if not every bot met every other."""
    if len(view.seats) != 2 or view.joint_sides:
        return None
    bots = tuple(view.bots[seat] for seat in view.raw_seats)
    shape = (len(bots[0]), len(bots[1]))
    if math.prod(shape) > MOST_MATCH_UPS:
        return None
    places, games = places_of(view, bots), np.zeros(math.prod(shape))
    np.add.at(games, places, [cell.games for cell in view.cells])
    if not np.all(games > 0):
        return None
    mine, won = won_by_cell(view)[:, 0], np.zeros(games.size)
    np.add.at(won, places, mine)
    weights = view.weights(places, games.size)
    shared = view.covariance_of_groups(weights, mine / _games(view), view.by_game(view.payoff(0)))
    return tournament.equilibrium((won / games).reshape(shape), shared, level=level)


def _study(view: View) -> Study | None:
    seats = len(view.seats)
    bots = tuple(view.bots[seat] for seat in view.raw_seats)
    shape = tuple(len(named) for named in bots)
    if seats < 2 or not 1 < math.prod(shape) <= MOST_MATCH_UPS:
        return None
    places = places_of(view, bots)
    credit = won_by_cell(view)  # (cells, seats)
    won, games = np.zeros((math.prod(shape), seats)), np.zeros(math.prod(shape))
    np.add.at(won, places, credit)
    np.add.at(games, places, [cell.games for cell in view.cells])
    if np.count_nonzero(games) < 2:
        return None
    with np.errstate(invalid="ignore", divide="ignore"):
        payoffs = [np.where(games > 0, won[:, seat] / games, np.nan).reshape(shape) for seat in range(seats)]
    tables = [view.by_game(view.payoff(seat)) for seat in range(seats)]
    measured = all(table is not None for table in tables)
    weights, rates = view.weights(places, games.size), credit / _games(view)[:, None]
    covariances = [view.covariance_of_groups(weights, rates[:, seat], tables[seat]) for seat in range(seats)]
    shares, of_shares, decided = _shares_of_sides(view, credit, tables, places, games, shape)
    whole = bool(np.all(games > 0))
    best = survived = None
    rivals = seats == 2 and not view.joint_sides
    if whole and rivals and max(shape) > 1:
        best = equilibrium_of(view)
    if whole and min(shape) > 1 and math.prod(shape) <= tournament.MOST_PROFILES:
        survived = tournament.survivors(payoffs, covariances)
    steps = tournament.better_replies(payoffs, covariances)
    circles, on_circle = tournament.reply_circles(steps)
    both, duels, rings = _duels(bots, payoffs[0], covariances[0]) if rivals else ([], [], [])
    ends = [(best.low, best.high), (1 - best.high, 1 - best.low)] if best else None
    profiles = np.array(np.unravel_index(np.arange(len(games)), shape)).T
    # Cells of a match-up at different knobs may share seeds: together they count as the games of one.
    worth = games / np.maximum(np.bincount(places, minlength=len(games)), 1)
    with_winner = (worth * decided / np.maximum(games, 1)).reshape(shape)
    swapped, said, calls = _balance(view, bots, shares, with_winner, of_shares, ends)
    return Study(
        bots, _match_ups(view, shape, won, worth, games, _all_calls(calls, games, decided)), whole, measured, said,
        strengths=_strengths_of(view, won, profiles, shape, places)
        if seats > 2 and max(shape) > 1 and not view.joint_sides else None,
        best=best, survivors=survived, circles=circles, on_circle=on_circle, replies=len(steps), duels=duels,
        rings=rings, both=both, swapped=swapped,
    )  # fmt: skip


def _balance(
    view: View,
    bots: Sequence[Sequence[str]],
    shares: Sequence[Floats],
    games: Floats,
    covariances: Sequence[Floats],
    best_play: Sequence[tuple[float, float]] | None,
) -> tuple[str, tournament.Dependence, Sequence[int]]:
    """Who is favoured, and how much that depends on the bots.

    Args:
        shares: shares of each side, shape (bots of seat 1, ...). games: number of games with a winner, same shape.
            covariances: covariances of the shares.
        best_play: interval of each side's share in best play, if known.
    Returns:
        (Study.swapped; the finding; the call of each match-up that has a share, in flat order).
    """
    margin, played = EVEN / 2, np.isfinite(shares[0].ravel())
    exchangeable = not view.has_sides and len({frozenset(named) for named in bots}) == 1 and len(bots[0]) > 1
    if not exchangeable:
        said = tournament.dependence(shares, games, covariances, margin=margin, best_play=best_play)
        return "", said, said.calls
    names = [np.array([bots[0].index(bot) for bot in named]) for named in bots]
    profiles = np.array(np.unravel_index(np.arange(played.size), shares[0].shape)).T
    sits = np.column_stack([names[seat][profiles[:, seat]] for seat in range(len(bots))])  # places in the first's bots
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
    worth = np.array([_worth([(r[i], e[i, i]) for r, e in zip(rates, errors, strict=True)], flat[group])
                      for i, group in enumerate(groups)])  # fmt: skip
    without = {(0, bot): np.array([bot not in sits[group[0]] for group in groups]) for bot in range(len(bots[0]))}
    said = tournament.dependence(rates, worth, errors, margin=margin, best_play=best_play, without=without)
    call_of = {place: said.calls[i] for i, group in enumerate(groups) for place in group}
    return "pairings", said, [call_of.get(int(place), tournament.OPEN) for place in np.flatnonzero(played)]


def _swapped(sits: Ints, played: npt.NDArray[np.bool_]) -> list[list[int]]:
    """Profiles of the same bots in other seats, if each such arrangement was played; else an empty list.

    Args:
        sits: the bot of each seat, shape (profiles, seats).
    """
    by_bots: dict[tuple[int, ...], list[int]] = {}
    for place, line in enumerate(np.sort(sits, axis=1).tolist()):
        by_bots.setdefault(tuple(line), []).append(place)
    return [group if played[group].all() else [] for group in by_bots.values()]


def _worth(rates: Sequence[tuple[float, float]], games: Floats) -> float:
    """Effective number of independent games of a mean over some profiles: at least the games of one profile."""
    least = min((p * (1 - p) / v for p, v in rates if v > 0 and 0 < p < 1), default=0.0)
    return float(np.clip(least, games.min(), games.sum()))


def _over_drawn(
    shares: Sequence[Floats], covariances: Sequence[Floats], played: npt.NDArray[np.bool_], margin: float
) -> tournament.Dependence:
    """Treats all sampled line-ups as one. The sampling of a seat's bots adds variance to the seat's share; this
    variance is measured.
    """
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


def _shares_of_sides(
    view: View,
    credit: Floats,
    tables: Sequence[Floats | None],
    places: Sequence[int],
    games: Floats,
    shape: tuple[int, ...],
) -> tuple[list[Floats], list[Floats], Floats]:
    """Each side's share of the wins; each seat is its own side unless the game declares otherwise.

    Args:
        credit: share of the win of each seat, shape (cells, seats). tables: the same by game, (games, cells), or None.
        places: places of each cell among the profiles. games: games of each profile.
    Returns:
        (the shares of each side, in the given shape; their covariances; for each profile, the number of games that
            somebody won).
    """
    by_cell, known = credit, list(tables)
    if view.has_sides:
        by_cell = np.array([cell.tally.side_wins for cell in view.cells], np.float64)
        known = [view.by_game(view.side_payoff(side).alone) for side in range(len(view.sides))]
    by_side = np.zeros((games.size, by_cell.shape[1]))
    np.add.at(by_side, places, by_cell)
    decided = by_side.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = [np.where(decided > 0, wins / decided, np.nan).reshape(shape) for wins in by_side.T]
    sides, weights = range(len(shares)), view.weights(places, games.size)
    if np.allclose(decided, games):
        rates = (by_cell / _games(view)[:, None]).T
        return shares, [view.covariance_of_groups(weights, rates[i], known[i]) for i in sides], decided
    # A share of the wins is a ratio: the wins of a side relative to all wins.
    there = [table for table in known if table is not None]
    every = np.sum(there, axis=0) if len(there) == len(known) else None
    covariances = []
    for side in sides:
        share = np.nan_to_num(shares[side].ravel())[places]
        part = np.maximum(decided / np.maximum(games, 1), 1e-9)[places]
        beyond = None if every is None else (there[side] - share * every) / part
        covariances.append(view.covariance_of_groups(weights, share, beyond))
    return shares, covariances, decided


def places_of(view: View, bots: Sequence[Sequence[str]]) -> list[int]:
    """Place of each cell in the flat table of profiles, one bot per seat."""
    where = [{bot: i for i, bot in enumerate(named)} for named in bots]
    profiles = [tuple(where[i][cell.bots[seat]] for i, seat in enumerate(view.raw_seats)) for cell in view.cells]
    shape = tuple(map(len, bots))
    return [int(np.ravel_multi_index(profile, shape)) for profile in profiles]


def _games(view: View) -> Floats:
    """Games of each cell, 1 at least."""
    return np.maximum([cell.games for cell in view.cells], 1).astype(np.float64)


def won_by_cell(view: View) -> Floats:
    """Value of all games of a cell to each seat, shape (cells, seats)."""
    payoffs = [view.payoff(seat) for seat in range(len(view.seats))]
    return np.array([[payoff.total(cell.tally) for payoff in payoffs] for cell in view.cells])


def _strengths_of(
    view: View, won: Floats, profiles: Ints, shape: tuple[int, ...], places: Sequence[int]
) -> Strengths | None:
    """Luce's strengths. The correlation of match-ups is measured if the rows of the games are known."""
    there = won.sum(axis=1) > 0
    if not there.any():
        return None
    index = np.cumsum(there) - 1  # of the match-ups that have a winner
    rows = [view.rows_of(view.payoff(seat)) for seat in range(len(shape))]
    played = None
    if rows[0] is not None:
        credit = np.column_stack([row.values for row in rows if row is not None])
        match_up = np.asarray(places)[rows[0].cell]
        kept = there[match_up]
        played = SingleGames(
            index[match_up][kept], rows[0].game[kept], rows[0].cell[kept].astype(np.int64), credit[kept]
        )
    return luce(won[there], profiles[there], shape, played=played)


def _all_calls(calls: Sequence[int], games: Floats, decided: Floats) -> list[int]:
    """The calls of all match-ups that were played; a match-up is open if nobody won a game."""
    made = iter(calls)
    return [next(made) if decided[place] else tournament.OPEN for place in range(len(games)) if games[place]]


def _match_ups(
    view: View, shape: tuple[int, ...], won: Floats, worth: Floats, games: Floats, calls: Sequence[int]
) -> list[MatchUp]:
    """Each match-up that was played."""
    there = np.flatnonzero(games)
    matches = []
    for place, call, rates in zip(there, calls, rates_together(won[there], worth[there], games[there]), strict=True):
        profile = zip(view.raw_seats, np.unravel_index(place, shape), strict=True)
        bots = {seat: view.bots[seat][int(bot)] for seat, bot in profile}
        favoured = {tournament.NEAR: "even", tournament.OPEN: "open"}.get(call) or view.sides[call][0]
        count = int(games[place])
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
        won: games, shape (match-ups, seats). worth: number of games that each match-up counts as.
    """
    seats = won.shape[1]
    level = 1 - (1 - LEVEL) / max(len(games) * (1 if seats == 2 else seats), 1)
    rates = won / games[:, None]
    intervals = clopper_pearson(rates * worth[:, None], worth[:, None], level)
    ends = np.concatenate([rates[:, :, None], intervals], axis=2)
    return [[Estimate(*seat) for seat in match] for match in ends.tolist()]


def _duels(
    bots: Sequence[Sequence[str]], payoff: Floats, covariance: Floats
) -> tuple[list[str], list[tournament.Duel], list[list[int]]]:
    both = [bot for bot in bots[0] if bot in bots[1]]
    if len(both) < 2:
        return [], [], []
    one = [bots[0].index(bot) for bot in both]
    two = [bots[1].index(bot) for bot in both]
    place = np.array([i * len(bots[1]) + j for i in one for j in two])
    return both, *tournament.duels(payoff[np.ix_(one, two)], covariance[np.ix_(place, place)])
