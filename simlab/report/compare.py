"""Bots compared: what a table of match-ups says on the balance and on the bots, in words, tables and a chart."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from simlab.report import tables
from simlab.report.balance import EVEN
from simlab.report.chart import Draw, chart
from simlab.report.estimate import LEVEL, Estimate, estimate_of, share_of
from simlab.report.pool import Ints
from simlab.report.ranking import Ranking, ladders, matrix_table, ranking
from simlab.report.rows import credit_of
from simlab.report.view import View
from simlab.stats import tournament
from simlab.stats.figure import score_name
from simlab.stats.intervals import Floats, clopper_pearson
from simlab.stats.many import holm
from simlab.stats.paired import paired_difference
from simlab.stats.ratings import Played, Strengths, luce

if TYPE_CHECKING:
    from matplotlib.axes import Axes


if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from rich.console import RenderableType

MOST_MATCH_UPS = 2_500  #: of a table that is looked into
MOST_IN_FIELD = 16  #: bots of which each is set beside each other, where there are more than two seats
MOST_LISTED = 400  #: match-ups that are listed one by one
_SENT = 0.005  # a bot of the best mix with less than this is not named


# --- What was found -----------------------------------------------------------


@dataclass(frozen=True)
class MatchUp:
    """One bot a seat.

    Attributes:
        rates: win rate of each seat; the intervals hold for all match-ups together (Clopper-Pearson, Bonferroni).
        call: the seat that wins more than its share for certain, or tournament.NEAR, or tournament.OPEN.
    """

    bots: tuple[str, ...]
    games: int
    rates: tuple[Estimate, ...]
    call: int


@dataclass(frozen=True)
class Study:
    """What a table of match-ups says.

    Attributes:
        bots: of each seat. match_ups: those that were played.
        whole: whether every bot met every other.
        measured: whether the luck that match-ups share was measured; if not they count as independent.
        ranking: strengths of two seats; strengths: of more.
        dependence: whether who is favoured hangs on the bots.
        best: best play, for two seats whose table is whole; survivors: alpha-rank, for whole tables.
        circles: of better replies, the shortest; on_circle: profiles on some circle; replies: sure better replies.
        duels, rings: among bots that took both seats: who beats whom for certain, and circles of that.
        both: the bots of duels and rings.
    """

    bots: tuple[list[str], ...]
    match_ups: list[MatchUp]
    whole: bool
    measured: bool
    dependence: tournament.Dependence
    ranking: Ranking | None = None
    strengths: Strengths | None = None
    best: tournament.Equilibrium | None = None
    survivors: tournament.Survivors | None = None
    circles: list[tournament.Circle] = field(default_factory=list)
    on_circle: int = 0
    replies: int = 0
    duels: list[tournament.Duel] = field(default_factory=list)
    rings: list[list[int]] = field(default_factory=list)
    both: list[str] = field(default_factory=list)


def study(view: View) -> Study | None:
    """Looks into the match-ups of two seats or more; None where fewer than two were played, or too many."""
    seats = len(view.seats)
    bots = tuple(view.bots[seat] for seat in view.raw_seats)
    shape = tuple(len(named) for named in bots)
    if seats < 2 or not 1 < math.prod(shape) <= MOST_MATCH_UPS:
        return None
    places = _places(view, bots, shape)
    credit = _credits(view)  # (cells, seats)
    won, games = np.zeros((math.prod(shape), seats)), np.zeros(math.prod(shape))
    for cell, mine, place in zip(view.cells, credit, places, strict=True):
        won[place] += mine
        games[place] += cell.games
    if np.count_nonzero(games) < 2:
        return None
    sides = [seats_of[0] for _, seats_of, _ in view.sides]  # a seat of each: they win together
    decided = won[:, sides].sum(axis=1)  # games that somebody won: all of them in most games
    with np.errstate(invalid="ignore", divide="ignore"):
        payoffs = [np.where(games > 0, won[:, seat] / games, np.nan).reshape(shape) for seat in range(seats)]
        shares = [np.where(decided > 0, won[:, seat] / decided, np.nan).reshape(shape) for seat in sides]
    tables = [_table(view, seat) for seat in range(seats)]
    known = [table for table in tables if table is not None]
    measured = len(known) == seats
    covariances = [_covariance(view, tables[seat], credit[:, seat], places, games) for seat in range(seats)]
    if np.allclose(decided, games):
        of_shares = [covariances[seat] for seat in sides]
    else:  # a share of the wins is a ratio: what a seat won beyond its share of what there was to win
        every = np.sum([known[seat] for seat in sides], axis=0) if measured else None
        of_shares = []
        for side, seat in enumerate(sides):
            share = np.nan_to_num(shares[side].ravel())[places]
            there = np.maximum(decided / np.maximum(games, 1), 1e-9)[places]
            beyond = None if every is None else (known[seat] - share * every) / there
            of_shares.append(_covariance(view, beyond, share * [cell.games for cell in view.cells], places, games))
    if any(side.endings for side in getattr(view.results_names, "sides", ())):  # a seat may win without its side
        by_cell = np.array([view.pool("", [cell]).sum("side_won") for cell in view.cells], np.float64)
        by_side = np.zeros((len(games), by_cell.shape[1]))
        np.add.at(by_side, places, by_cell)
        decided = by_side.sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            shares = [np.where(decided > 0, wins / decided, np.nan).reshape(shape) for wins in by_side.T]
        of_shares = [_covariance(view, None, wins, places, games) for wins in by_cell.T]
    whole = bool(np.all(games > 0))
    best = survived = None
    rivals = seats == 2 and not view.joint_sides
    if whole and rivals and min(shape) > 1:
        best = tournament.equilibrium(payoffs[0], covariances[0])
    if whole and min(shape) > 1 and math.prod(shape) <= tournament.MOST_PROFILES:
        survived = tournament.survivors(payoffs, covariances)
    steps = tournament.better_replies(payoffs, covariances)
    circles, on_circle = tournament.reply_circles(steps)
    both, duels, rings = _duels(bots, payoffs[0], covariances[0]) if rivals else ([], [], [])
    ends = [(best.low, best.high), (1 - best.high, 1 - best.low)] if best else None
    profiles = np.array(np.unravel_index(np.arange(len(games)), shape)).T
    # Cells of a match-up, at other knobs, may have the same luck: they count for no more games than one.
    worth = games / np.maximum(np.bincount(places, minlength=len(games)), 1)
    with_winner = (worth * decided / np.maximum(games, 1)).reshape(shape)
    said = tournament.dependence(shares, with_winner, of_shares, margin=EVEN / 2, best_play=ends)
    return Study(
        bots,
        _match_ups(bots, shape, won, worth, games, _all_calls(said.calls, games, decided)),
        whole,
        measured,
        said,
        None if view.joint_sides else ranking(view),
        _strengths_of(view, won, profiles, shape, places)
        if seats > 2 and max(shape) > 1 and not view.joint_sides
        else None,
        best,
        survived,
        circles,
        on_circle,
        len(steps),
        duels,
        rings,
        both,
    )


def _places(view: View, bots: Sequence[Sequence[str]], shape: tuple[int, ...]) -> list[int]:
    """Where each cell stands in the flat table of profiles."""
    where = [{bot: i for i, bot in enumerate(named)} for named in bots]
    profiles = [tuple(where[i][cell.bots[seat]] for i, seat in enumerate(view.raw_seats)) for cell in view.cells]
    return [int(np.ravel_multi_index(profile, shape)) for profile in profiles]


def _table(view: View, seat: int) -> Floats | None:
    """What a seat won of each game, shape (games, cells): shared wins in parts, but a side's win is each one's."""
    return view.won(seat) if view.joint_sides else view.credits(seat)


def _credits(view: View) -> Floats:
    """Games won by cell and seat, shared ones in parts, but a side's win is each one's: shape (cells, seats)."""
    if view.joint_sides:
        return np.array([cell.wins for cell in view.cells], np.float64)
    found = np.zeros((len(view.cells), len(view.seats)))
    for seat in range(len(view.seats)):
        rows = view.rows_of(credit_of(seat, len(view.seats)))
        if rows is None:
            found[:, seat] = [cell.credit(seat) for cell in view.cells]
        else:
            found[:, seat] = np.bincount(rows.cell, rows.values, minlength=len(view.cells))
    return found


def _covariance(view: View, table: Floats | None, won: Floats, places: Sequence[int], games: Floats) -> Floats:
    """Covariance of a seat's payoffs by profile.

    Args:
        table: what it won of each game, shape (games, cells); None where that is not known, so that profiles
            count as independent. won: games won by cell.
    """
    played = np.maximum(games, 1)
    if table is None:
        errors = np.zeros(games.size)  # of the cells of a profile, as if they shared all their luck
        for cell, wins, place in zip(view.cells, won, places, strict=True):
            rate = min(wins / max(cell.games, 1), 1.0)
            errors[place] += cell.games * math.sqrt(rate * (1 - rate) / max(cell.games, 1)) / played[place]
        return tournament.floored(np.diag(errors**2), games)
    weights = np.zeros((games.size, len(view.cells)))
    for column, (cell, place) in enumerate(zip(view.cells, places, strict=True)):
        weights[place, column] = cell.games / played[place]
    return tournament.floored(weights @ view.shared(table) @ weights.T, games)


def _strengths_of(
    view: View, won: Floats, profiles: Ints, shape: tuple[int, ...], places: Sequence[int]
) -> Strengths | None:
    """Luce's strengths, the luck that match-ups share measured where the rows of the games are known."""
    there = won.sum(axis=1) > 0
    if not there.any():
        return None
    index = np.cumsum(there) - 1  # of the match-ups that have a winner
    rows = [view.rows_of(credit_of(seat, len(shape))) for seat in range(len(shape))]
    played = None
    if rows[0] is not None:
        credit = np.column_stack([row.values for row in rows if row is not None])
        match_up = np.asarray(places)[rows[0].cell]
        kept = there[match_up]
        played = Played(index[match_up][kept], rows[0].game[kept], rows[0].cell[kept].astype(np.int64), credit[kept])
    return luce(won[there], profiles[there], shape, played=played)


def _all_calls(calls: Sequence[int], games: Floats, decided: Floats) -> list[int]:
    """The calls of all match-ups that were played: open where nobody won a game."""
    told = iter(calls)
    return [next(told) if decided[place] else tournament.OPEN for place in range(len(games)) if games[place]]


def _match_ups(
    bots: Sequence[Sequence[str]],
    shape: tuple[int, ...],
    won: Floats,
    worth: Floats,
    games: Floats,
    calls: Sequence[int],
) -> list[MatchUp]:
    """Each match-up that was played, with intervals for all of them together."""
    there = [place for place in range(len(games)) if games[place]]
    seats = won.shape[1]
    level = 1 - (1 - LEVEL) / max(len(there) * (1 if seats == 2 else seats), 1)
    found = []
    for place, call in zip(there, calls, strict=True):
        rates = []
        for seat in range(seats):
            rate = won[place, seat] / games[place]
            low, high = clopper_pearson(rate * worth[place], worth[place], level)
            rates.append(Estimate(float(rate), float(low), float(high)))
        profile = np.unravel_index(place, shape)
        named = tuple(bots[seat][int(bot)] for seat, bot in enumerate(profile))
        found.append(MatchUp(named, int(games[place]), tuple(rates), call))
    return found


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


# --- One bot in a field of others -----------------------------------------------


@dataclass(frozen=True)
class InField:
    """A bot of a game of more than two seats, over all match-ups in which it sat.

    Attributes:
        everywhere: its share of the wins, all its seats alike; by_seat: in each seat, None where it never sat there.
        beside: the same where that other bot sat in another seat; None where the two never met.
    """

    bot: str
    everywhere: Estimate
    by_seat: tuple[Estimate | None, ...]
    beside: dict[str, Estimate | None]


def in_field(view: View) -> list[InField]:
    """Each bot's share of the wins in a field of others, the best first; empty for games of one or two seats.

    A game that k seats win counts 1/k for each of them. Games are clustered by their index: a bot may sit in several
    seats of one game, and all match-ups share their luck.
    """
    seats = len(view.seats)
    names = list(dict.fromkeys(bot for seat in view.raw_seats for bot in view.bots[seat]))
    if seats < 3 or not 1 < len(names) <= MOST_IN_FIELD:
        return []
    sits = np.array([[names.index(cell.bots[seat]) for seat in view.raw_seats] for cell in view.cells])
    won = _credits(view)
    tables = [_table(view, seat) for seat in range(seats)]
    games = np.array([cell.games for cell in view.cells], np.float64)
    found = []
    for bot, name in enumerate(names):
        mine = sits == bot  # (cells, seats)
        picks = [mine, *(mine & (np.arange(seats) == seat) for seat in range(seats))]
        for other in range(len(names)):
            theirs = sits == other
            picks.append(mine & (theirs.sum(axis=1, keepdims=True) > theirs))
        shares = _shares(tables, won, games, np.array(picks))
        beside = dict(zip(names, shares[1 + seats :], strict=True))
        if shares[0] is not None:
            found.append(InField(name, shares[0], tuple(shares[1 : 1 + seats]), beside))
    return sorted(found, key=lambda line: -line.everywhere.value)


def _shares(
    tables: Sequence[Floats | None], won: Floats, games: Floats, picks: npt.NDArray[np.bool_]
) -> list[Estimate | None]:
    """Mean part of the win over some cells and seats; None where nothing is picked.

    Args:
        tables: for each seat what it won of each game, shape (games, cells), or None where that is not known.
        won: games won, shape (cells, seats). games: of each cell. picks: shape (figures, cells, seats).
    """
    worth = (picks * games[None, :, None]).sum(axis=(1, 2))
    value = (picks * won[None]).sum(axis=(1, 2)) / np.maximum(worth, 1)
    known = [table for table in tables if table is not None]
    if len(known) == len(tables):
        # Of the games that all cells played, a sum for each game index: these are independent.
        sums = sum(
            table @ (picks[:, :, seat] * games / np.maximum(worth, 1)[:, None]).T for seat, table in enumerate(known)
        )
        variance = np.var(sums, axis=0, ddof=1) / len(known[0])
    else:
        variance = value * (1 - value) / max(float(games.min()), 1)  # as if all cells shared their luck
    found: list[Estimate | None] = []
    for rate, error, count in zip(value, variance, worth, strict=True):
        least = float(games.min())
        if count == 0:
            found.append(None)
        elif error > 0 and 0 < rate < 1:
            enough = rate * (1 - rate) / error
            found.append(share_of(rate * enough, enough))
        else:
            found.append(share_of(rate * least, least))
    return found


def field_sentence(view: View) -> str:
    """What the tables of bots in a field count."""
    if view.joint_sides:
        return (
            "How often the side of the bot's seat wins, over all its seats and match-ups. Beside whom: the same where "
            "the column's bot sits in another seat."
        )
    fair = sum(float(view.all.credit(seat).value) for seat in range(len(view.seats))) / len(view.seats)
    return (
        "Share of the wins, over all seats and match-ups; a game that several win is split among them, and an average "
        f"seat has {100 * fair:.3g} %. Beside whom: the share of the line's bot where the column's sits in another "
        "seat."
    )


def _field_tables(view: View) -> list[RenderableType | str]:
    lines = in_field(view)
    if not lines:
        return []
    parts: list[RenderableType | str] = []
    versions = []
    for dense in (False, True):
        what = "how often the bot's side wins" if view.joint_sides else "share of the wins by bot"
        made = tables.table(f"{view.title}: {what}", dense)
        made.add_column("bot", overflow="fold")
        tables.numbers(made, "all seats", *(f"as {seat}" for seat in view.seats))
        for line in lines:
            each = [("" if rate is None else rate.text if dense else rate.full) for rate in line.by_seat]
            tables.add(made, [line.bot, line.everywhere.full, *each])
        versions.append(made)
    parts.append(tables.Fitting(*versions))
    made = tables.table("Beside whom")
    made.add_column("bot", overflow="fold")
    tables.numbers(made, *(line.bot for line in lines))
    widest = 0.0
    for line in lines:
        rates = [line.beside[other.bot] for other in lines]
        widest = max([widest, *((rate.high - rate.low) / 2 for rate in rates if rate is not None)])
        tables.add(made, [line.bot, *("" if rate is None else f"{100 * rate.value:.0f}" for rate in rates)])
    made.caption = f"in %, each good to +-{100 * widest:.1f} points or better"
    return [*parts, made, tables.typed(field_sentence(view))]


# --- In words -----------------------------------------------------------------


STAMPS = {
    "holds": "holds",
    "leans": "leans",
    "fragile": "fragile",
    "even": "even",
    "open": "cannot tell yet",
    "few": "cannot tell yet",
}


def twins_sentence(view: View) -> str:
    """Which names stand for one and the same bot, as `rusher` and `rusher:speed=3` where 3 is its usual speed."""
    same = dict.fromkeys(
        (cell.bots[seat], kept.bots[seat])
        for cell, kept in view.twins
        for seat in view.raw_seats
        if cell.bots[seat] != kept.bots[seat]
    )
    told = [f"{one} is {other} under another name" for one, other in same]
    return f"Counted once: {'; '.join(told[:6])}{' and more' if len(told) > 6 else ''}." if told else ""


def balance_sentence(view: View, found: Study) -> str:
    """Whether who is favoured hangs on the bots."""
    if len(view.sides) == 1:
        return _together_sentence(view, found)
    said = found.dependence
    total = f"{said.total:,} match-ups{' (all settings of the knobs taken together)' if view.varied else ''}"
    kind, share_meant = "side" if view.joint_sides else "seat", f"an equal share ({100 / len(view.sides):.3g} %)"
    if said.leader is None:
        if said.stamp == "even":
            return (
                f"No {kind} is favoured over {share_meant}: in {said.even:,} of {total} the game is even for certain."
            )
        sure = f"In none of {total} is a {kind} favoured over {share_meant} for certain"
        return f"{sure}; in {said.even:,} the game is even."
    names = [f"the {side}" if view.joint_sides else view.the(side) for side, _, _ in view.sides]
    leader = names[said.leader]
    are, win = ("are", "win") if view.joint_sides and view.sides[said.leader][2] == "win" else ("is", "wins")
    parts = [
        f"{leader[:1].upper()}{leader[1:]} {are} favoured for certain in {said.favoured[said.leader]:,} of {total}"
    ]
    parts += [
        f"{names[side]} in {count:,}" for side, count in enumerate(said.favoured) if side != said.leader and count
    ]
    parts += [f"it is even in {said.even:,}"] if said.even else []
    parts += [f"it is open in {said.open:,}"] if said.open else []
    share = Estimate(said.mean, said.low, said.high)
    fair = 100 / len(view.sides)
    text = f"{', '.join(parts)}; averaged over them {leader} {win} {share.full}, where an equal share is {fair:.3g} %."
    why = []
    if "against" in said.reasons:
        why.append("other bots turn it round in more than one match-up of ten")
    if "left out" in said.reasons and said.left_out:
        seat, bot, rest = said.left_out
        why.append(f"without {found.bots[seat][bot]} as {view.seats[seat]} the average is {100 * rest:.1f} %")
    if "best play" in said.reasons:
        why.append(f"in best play {leader} wins less than its share")
    if why:
        return f"{text} Fragile: {'; '.join(why)}."
    if said.stamp == "few":
        return f"{text} Too few match-ups to say whether that hangs on the bots."
    if said.stamp == "leans":
        return f"{text} It leans that way, but not in nine match-ups of ten."
    return f"{text} It holds: no bot here turns it round." if said.stamp == "holds" else text


def _together_sentence(view: View, found: Study) -> str:
    """With which bots those win least and most who all win or all lose."""
    name, _, wins = view.sides[0]
    level = 1 - (1 - LEVEL) / len(found.match_ups)
    rates = []
    for match in found.match_ups:
        cells = [cell for cell in view.cells if tuple(cell.bots[seat] for seat in view.raw_seats) == match.bots]
        rates.append((view.pool("", cells).side_rate(0, level), match))
    (low, least), (high, most) = (pick(rates, key=lambda line: line[0].value) for pick in (min, max))
    if low.high >= high.low:
        return f"The {name} {wins} about as often with all bots, as far as these games show: {low.full} to {high.full}."
    return (
        f"It hangs on the bots how often the {name} {wins}: {low.full} with {' v '.join(least.bots)}, "
        f"{high.full} with {' v '.join(most.bots)}."
    )


def best_sentence(view: View, found: Study) -> str:
    """Best play of both seats."""
    if found.best is None:
        return ""
    best = found.best
    mixes = []
    for seat, (mix, ends) in enumerate(((best.mix_a, best.range_a), (best.mix_b, best.range_b))):
        sent = sorted((i for i in range(len(mix)) if mix[i] >= _SENT), key=lambda i: -mix[i])
        shares = [(i, 100 * mix[i], 100 * ends[i][0], 100 * ends[i][1]) for i in sent[:6]]
        named = [f"{found.bots[seat][i]} {share:.0f} % ({low:.0f}–{high:.0f})" for i, share, low, high in shares]
        mixes.append(f"{view.the(view.seats[seat])} sends {', '.join(named)}")
    value = Estimate(best.value, best.low, best.high)
    return (
        f"In best play with these bots {' and '.join(mixes)}; {view.the(view.seats[0])} then wins {value.full}. "
        "The interval of that figure holds for the whole table together; where bots are about as good as each "
        "other the mix may be another, as its ranges show."
    )


def circle_sentences(view: View, found: Study) -> list[str]:
    """Rock, paper, scissors: only circles whose every step is sure."""
    said = []
    for ring in found.rings:
        names = [found.both[bot] for bot in ring]
        shares = {(duel.a, duel.b): duel for duel in found.duels}
        told = []
        for a, b in zip(ring, [*ring[1:], ring[0]], strict=True):
            duel = shares[a, b]
            told.append(f"{found.both[a]} beats {found.both[b]} ({Estimate(duel.share, duel.low, duel.high).inner})")
        said.append(f"Rock, paper, scissors over both seats, {len(names)} bots: {', '.join(told)}.")
    for circle in found.circles:
        told = []
        for step in circle.steps:
            gain = Estimate(100 * step.gain, 100 * step.low, 100 * step.high, False)
            others = [found.bots[seat][bot] for seat, bot in enumerate(step.after) if seat != step.seat]
            left, taken = (found.bots[step.seat][profile[step.seat]] for profile in (step.before, step.after))
            who = f"against {' and '.join(others)} {view.the(view.seats[step.seat])} does better with {taken}"
            told.append(f"{who} than with {left}, by {gain.full} points")
        said.append(f"A circle of better replies: {'; '.join(told)}; and round again.")
    return said


def circles_sentence(found: Study) -> str:
    """How much goes in circles; empty where only one seat has a choice."""
    if sum(len(bots) > 1 for bots in found.bots) < 2:
        return ""
    if found.circles or found.rings:
        many = (
            f"{found.on_circle:,} of {len(found.match_ups):,} match-ups lie on a circle of better replies: whatever is "
        )
        return f"{many}played there, one side does better with another bot." if found.on_circle else ""
    return (
        f"No circle: of {found.replies:,} sure better replies none lead back to where they began."
        if found.replies
        else "No circle can be shown: no bot is for certain a better reply than another."
    )


def survivors_sentence(view: View, found: Study) -> str:
    """Which bots are left where all copy what does well."""
    if found.survivors is None:
        return ""
    parts = []
    for seat, (mass, ends) in enumerate(zip(found.survivors.mass, found.survivors.ends, strict=True)):
        top = [i for i in np.argsort(-mass, kind="stable") if mass[i] >= 0.1][:4]
        shares = [(i, 100 * mass[i], 100 * ends[i][0], 100 * ends[i][1]) for i in top]
        told = ", ".join(f"{found.bots[seat][i]} {now:.0f} % ({low:.0f}–{high:.0f})" for i, now, low, high in shares)
        parts.append(f"{view.seats[seat]}: {told}")
    return f"Where all copy what does well (alpha-rank), one meets, as {'; as '.join(parts)}."


# --- Solo games -----------------------------------------------------------------


@dataclass(frozen=True)
class SoloLine:
    """A bot of a game of one seat.

    Attributes:
        wins: win rate. score: mean score; None where the game has none.
        behind: the best bot's win rate less this one's, in points, on the same seeds; None for the best.
        sure: whether it wins less than the best for certain, all pairs of bots judged together (Holm).
    """

    bot: str
    games: int
    wins: Estimate
    score: Estimate | None
    behind: Estimate | None
    sure: bool


def solo(view: View) -> list[SoloLine]:
    """The bots of a game of one seat, the best first; empty for other games or a single bot."""
    if len(view.seats) != 1 or len(view.bots[view.raw_seats[0]]) < 2:
        return []
    pools = sorted(view.by_bot(0), key=lambda pool: -pool.win_rate(0).value)
    won = view.won(0)
    columns = [[view.cells.index(cell) for cell in pool.cells] for pool in pools]
    pairs = list(itertools.combinations(range(len(pools)), 2))
    gaps: dict[tuple[int, int], tuple[Estimate, float]] = {}
    for a, b in pairs:
        if won is not None:
            found = paired_difference(won[:, columns[b]].mean(axis=1), won[:, columns[a]].mean(axis=1))
            ends, p = (found.difference, found.low, found.high), found.p_value
        else:
            from simlab.stats.intervals import difference_of_rates

            one, two = ((float(pool.wins[0]), float(pool.games)) for pool in (pools[a], pools[b]))
            ends, p = difference_of_rates(*two, *one), _two_rates(*one, *two)
        gaps[a, b] = estimate_of(ends, 100, False), p
    adjusted = dict(zip(pairs, holm([p for _, p in gaps.values()]), strict=True))
    score = score_name(view.raw_seats[0])
    lines = []
    for place, pool in enumerate(pools):
        mean = pool.mean(score) if score in pool.metric_names else None
        behind = gaps[0, place][0] if place else None
        sure = bool(place and adjusted[0, place] <= 1 - LEVEL)
        lines.append(SoloLine(pool.label, pool.games, pool.win_rate(0), mean, behind, sure))
    return lines


def _two_rates(wins_a: float, games_a: float, wins_b: float, games_b: float) -> float:
    """How often luck alone parts two rates of separate games so far (pooled score test)."""
    from scipy.special import ndtr

    pooled = (wins_a + wins_b) / (games_a + games_b)
    error = math.sqrt(pooled * (1 - pooled) * (1 / games_a + 1 / games_b))
    return float(2 * ndtr(-abs(wins_a / games_a - wins_b / games_b) / error)) if error > 0 else 1.0


def solo_sentence(lines: Sequence[SoloLine]) -> str:
    """Which bot is best, and whether that is sure."""
    best, rest = lines[0], lines[1:]
    beaten = sum(line.sure for line in rest)
    if beaten == len(rest):
        return f"{best.bot} wins most: {best.wins.full}, for certain more than each of the other {len(rest)}."
    level = [line.bot for line in rest if not line.sure]
    others = f"{', '.join(level[:6])}{' and more' if len(level) > 6 else ''}"
    return f"{best.bot} wins most: {best.wins.full}, but {others} may be as good: luck alone can part them as far."


# --- For the report, the terminal and JSON ------------------------------------------


def _call(view: View, call: int) -> str:
    """Who is favoured in a match-up; nobody in a game in which all win or all lose."""
    if len(view.sides) == 1:
        return ""
    return {tournament.NEAR: "even", tournament.OPEN: "open"}.get(call) or view.sides[call][0]


def mix_chart(view: View, found: Study, ax: Axes | None = None) -> Axes:
    """A line a bot: its share in best play and in alpha-rank, with what resampled tables give."""
    seats = []
    for seat, name in enumerate(view.seats):
        best = left = None
        if found.best is not None:
            best = (found.best.mix_a, found.best.mix_b)[seat], (found.best.range_a, found.best.range_b)[seat]
        if found.survivors is not None:
            left = found.survivors.mass[seat], found.survivors.ends[seat]
        seats.append((name, found.bots[seat], best, left))
    return bot_shares(seats, ax)


def section(view: View, draw: Draw) -> dict[str, Any] | None:
    """What the report's section on bots shows beyond matrix and ranking; None where bots are not compared."""
    lines = solo(view)
    if lines:
        return {"solo": lines, "sentence": solo_sentence(lines), "stamp": "", "kind": "", "figure": None}
    found = study(view)
    if found is None:
        return None
    rows = [
        {
            "bots": " v ".join(match.bots),
            "games": f"{match.games:,}",
            "rates": list(match.rates),
            "favoured": _call(view, match.call),
        }
        for match in sorted(found.match_ups, key=lambda match: -match.rates[0].value)[:MOST_LISTED]
    ]
    drawable = (found.best is not None or found.survivors is not None) and max(map(len, found.bots)) <= 40
    caption = " ".join(text for text in (best_sentence(view, found), survivors_sentence(view, found)) if text)
    strengths = []
    if found.strengths is not None:
        strengths = [{"name": view.seats[seat], "rows": rows_} for seat, rows_ in enumerate(_strengths(found))]
    return {
        "solo": [],
        "sentence": balance_sentence(view, found),
        "stamp": STAMPS[found.dependence.stamp] if len(view.sides) > 1 else "",
        "kind": {"holds": "met", "even": "met", "fragile": "broken"}.get(found.dependence.stamp, "cannot"),
        "best": best_sentence(view, found),
        "survivors": survivors_sentence(view, found),
        "circles": circle_sentences(view, found),
        "no_circle": circles_sentence(found),
        "figure": draw("bot_shares", mix_chart(view, found), caption) if drawable else None,
        "rows": rows,
        "left_out": len(found.match_ups) - len(rows),
        "strengths": strengths,
        "field": in_field(view),
        "field_sentence": field_sentence(view) if len(view.seats) > 2 else "",
        "measured": found.measured,
        "whole": found.whole,
    }


def _strengths(found: Study) -> list[list[dict[str, Any]]]:
    assert found.strengths is not None
    scale = 400 / math.log(10)
    tables = []
    for seat, bots in enumerate(found.bots):
        values, ends = found.strengths.strength[seat], found.strengths.interval[seat]
        order = found.strengths.order(seat)
        tables.append(
            [
                {
                    "place": n + 1,
                    "bot": bots[i],
                    "elo": estimate_of((values[i], *ends[i]), scale, False),
                }
                for n, i in enumerate(order)
            ]
        )
    return tables


def terminal(view: View) -> list[RenderableType | str]:
    """What `compare` prints."""
    lines = solo(view)
    if lines:
        made = tables.table(f"{view.title}: bots, best first")
        made.add_column("bot", overflow="fold")
        scored = ["mean score"] if lines[0].score else []
        tables.numbers(made, "games", "wins", *scored, "points behind the best", "for certain")
        for line in lines:
            score = [line.score.full] if line.score else []
            behind = [line.behind.full, "yes" if line.sure else "no"] if line.behind else ["", ""]
            tables.add(made, [line.bot, f"{line.games:,}", line.wins.full, *score, *behind])
        return [made, tables.typed(solo_sentence(lines))]
    found = study(view)
    parts: list[RenderableType | str] = []
    if view.is_matrix:
        parts.append(matrix_table(view))
    ranked = None if view.joint_sides else ranking(view)
    if ranked:
        parts += [*ladders(view), ranked.sentence]
    field_tables = _field_tables(view)
    parts += field_tables
    if found is not None and found.strengths is not None:
        for seat, ladder in enumerate(_strengths(found)):
            made = tables.table(f"{view.seats[seat]}, strongest first")
            tables.numbers(made, "#")
            made.add_column("bot", overflow="fold")
            tables.numbers(made, "strength")
            for rung in ladder:
                tables.add(made, [str(rung["place"]), rung["bot"], rung["elo"].full])
            parts.append(made)
    elif not ranked and not field_tables:
        for seat, name in enumerate(view.seats):
            made = tables.table("")
            made.add_column(name, overflow="fold")
            tables.numbers(made, "wins, over all opponents")
            for pool in sorted(view.by_bot(seat), key=lambda pool: -pool.win_rate(seat).value):
                tables.add(made, [pool.label, pool.win_rate(seat).full])
            parts.append(made)
    if found is None:
        return parts
    stamp, circles = STAMPS[found.dependence.stamp], circle_sentences(view, found)
    said = [
        f"Balance ({stamp}): {balance_sentence(view, found)}" if len(view.sides) > 1 else balance_sentence(view, found),
        *circles[:2],
        *([f"{len(circles) - 2} more circles stand in the report."] if len(circles) > 2 else []),
        circles_sentence(found),
        best_sentence(view, found),
        survivors_sentence(view, found),
        twins_sentence(view),
    ]
    if not found.measured:
        said.append("Without the rows of the games, match-ups count as independent here, although they share luck.")
    return [*parts, *(tables.typed(text) for text in said if text)]


def _ends(estimate: Estimate) -> dict[str, float | None]:
    """Ends that are open, and an estimate that does not exist, as null."""
    ends = (("estimate", estimate.value), ("low", estimate.low), ("high", estimate.high))
    return {name: value if math.isfinite(value) else None for name, value in ends}


def summary(view: View) -> dict[str, Any]:
    """What --json adds: ranking, match-ups, dependence on the bots, best play, alpha-rank, circles."""
    out: dict[str, Any] = {"ranking": {seat: _ranked(view, i) for i, seat in enumerate(view.raw_seats)}}
    ranked = None if view.joint_sides else ranking(view)
    if ranked:
        out["unexplained"] = ranked.ratings.interaction
    lines = solo(view)
    if lines:
        out["solo"] = [
            {
                "bot": line.bot,
                "win_rate": _ends(line.wins),
                "score": _ends(line.score) if line.score else None,
                "points_behind": _ends(line.behind) if line.behind else None,
                "sure": line.sure,
            }
            for line in lines
        ]
    found = study(view)
    if found is None:
        return out
    seats = view.raw_seats
    out["match_ups"] = [
        {
            "bots": dict(zip(seats, match.bots, strict=True)),
            "win_rate": {seat: _ends(rate) for seat, rate in zip(seats, match.rates, strict=True)},
            "favoured": _call(view, match.call),
        }
        for match in found.match_ups
    ]
    lines_ = in_field(view)
    if lines_:
        out["in_field"] = [
            {
                "bot": line.bot,
                "share": _ends(line.everywhere),
                "by_seat": {seat: rate and _ends(rate) for seat, rate in zip(seats, line.by_seat, strict=True)},
                "beside": {other: rate and _ends(rate) for other, rate in line.beside.items()},
            }
            for line in lines_
        ]
    if found.strengths is not None:
        out["strengths"] = {
            seats[place]: [{"bot": rung["bot"], "elo": _ends(rung["elo"])} for rung in ladder]
            for place, ladder in enumerate(_strengths(found))
        }
    sides = [side for side, _, _ in view.sides] if view.joint_sides else list(seats)
    if len(sides) == 1:
        out["balance"] = {"stamp": None, "sentence": balance_sentence(view, found)}
    else:
        out["balance"] = _balance(view, found, sides)
    if found.best is not None:
        best = found.best
        both = ((best.mix_a, best.range_a, best.sent_a), (best.mix_b, best.range_b, best.sent_b))
        mixes = {}
        for place, (mix, ends, sent) in enumerate(both):
            shares = zip(found.bots[place], mix.tolist(), ends.tolist(), sent.tolist(), strict=True)
            mixes[seats[place]] = [
                {"bot": bot, "share": share, "low": low, "high": high, "sent": often}
                for bot, share, (low, high), often in shares
            ]
        out["best_play"] = {"value": {"estimate": best.value, "low": best.low, "high": best.high}, "mix": mixes}
    if found.survivors is not None:
        out["alpha_rank"] = {
            seat: [
                {
                    "bot": bot,
                    "mass": float(found.survivors.mass[place][i]),
                    "low": float(found.survivors.ends[place][i][0]),
                    "high": float(found.survivors.ends[place][i][1]),
                }
                for i, bot in enumerate(found.bots[place])
            ]
            for place, seat in enumerate(seats)
        }
    out["circles"] = circle_sentences(view, found)
    out["shared_luck_measured"] = found.measured
    return out


def _balance(view: View, found: Study, sides: Sequence[str]) -> dict[str, Any]:
    """Who is favoured in how many match-ups, and whether that hangs on the bots."""
    said = found.dependence
    return {
        "stamp": said.stamp,
        "equal_share": 1 / len(view.sides),
        "favoured": dict(zip(sides, said.favoured, strict=True)),
        "even": said.even,
        "open": said.open,
        "leader": None if said.leader is None else sides[said.leader],
        "mean": {"estimate": said.mean, "low": said.low, "high": said.high},
        "reasons": list(said.reasons),
        "sentence": balance_sentence(view, found),
    }


def _ranked(view: View, seat: int) -> list[dict[str, Any]]:
    """The bots of a seat, strongest first, with their figures."""
    rates = {pool.label: pool.win_rate(seat) for pool in view.by_bot(seat)}
    ranked = None if view.joint_sides else ranking(view)
    if ranked is None:
        order = sorted(rates, key=lambda bot: -rates[bot].value)
        return [{"bot": bot, "win_rate": _ends(rates[bot])} for bot in order]
    places = [(ranked.bots[seat][i], ranked.elo(seat, i)) for i in ranked.order(seat)]
    return [{"bot": bot, "win_rate": _ends(rates[bot]), "elo": _ends(elo)} for bot, elo in places]


Shares = tuple[Floats, Floats]  # values, shape (n,), and ends, shape (n, 2)


def sent(best: Shares | None, left: Shares | None) -> list[int]:
    """The bots of a seat that may have a share of a hundredth or more, those with the greatest first."""
    there = [found for found in (best, left) if found is not None]
    if not there:
        return []
    greatest = np.max([found[1][:, 1] for found in there], axis=0)
    order = sorted(range(greatest.size), key=lambda bot: [-float(found[0][bot]) for found in there])
    return [bot for bot in order if greatest[bot] >= 0.01]


@chart
def bot_shares(
    seats: Sequence[tuple[str, Sequence[str], Shares | None, Shares | None]], ax: Axes | None = None
) -> Axes:
    """Share of each bot in best play (square) and in alpha-rank (ring), with what resampled tables give.

    Args:
        seats: name, bots, best play, alpha-rank of each seat; bots without a share are left out.
    """

    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    from simlab.report import drawing

    lines = [(i, bot) for i, (_, _, best, left) in enumerate(seats) for bot in sent(best, left)]
    gap = 0.7
    ax = drawing.axes(ax, 1.1 + 0.3 * (len(lines) + gap * (len(seats) - 1)))
    ticks: list[float] = []
    for i, bot in lines:
        y = len(ticks) + gap * i
        ticks.append(y)
        color = drawing.seat_color(i)
        for side, (found, mark, face) in enumerate(((seats[i][2], "s", color), (seats[i][3], "o", "none"))):
            if found is not None:
                at = y + (side - 0.5) * 0.34
                ax.plot([float(x) for x in found[1][bot]], [at, at], color=color, linewidth=1.2, alpha=0.7)
                ax.plot([float(found[0][bot])], [at], mark, markersize=5, color=color, markerfacecolor=face)
    ax.set_yticks(ticks, [drawing.label(seats[i][1][bot], 24) for i, bot in lines])
    ax.set_ylim((ticks[-1] if ticks else 0) + 0.7, -0.7)
    ax.set_xlim(-0.02, 1.02)
    ax.grid(visible=False, axis="y")
    ax.set_xlabel("share of a seat's games in which the bot is sent")
    drawing.percent(ax, "x")
    shown = [Patch(color=drawing.seat_color(i), label=drawing.label(seat[0])) for i, seat in enumerate(seats)]
    marks = [
        Line2D([], [], color=drawing.MUTED, marker="s", linestyle="", label="best play"),
        Line2D([], [], color=drawing.MUTED, marker="o", markerfacecolor="none", linestyle="", label="alpha-rank"),
    ]
    ax.legend(handles=[*shown, *marks], loc="lower center", bbox_to_anchor=(0.45, 1.0), ncols=4, handlelength=1.2)
    return ax
