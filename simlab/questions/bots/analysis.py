"""Bots compared: match-ups, ranking, equilibrium, alpha-rank, cycles, and whether the balance depends on the bots."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from simlab.engine.payoff import Payoff
from simlab.present.answer import Answer, Number, Part, Rate
from simlab.present.blocks import GamesLink
from simlab.present.estimate import LEVEL, Estimate, estimate_of
from simlab.questions.bots.bot_field import FieldBot, in_field
from simlab.questions.bots.match_ups import Balance, MatchUp, Profiles, balance, strengths_of
from simlab.runs import drill_down
from simlab.runs.cell_pools import Pool
from simlab.runs.view import View, view_of
from simlab.stats import tournament
from simlab.stats.figure import score_name
from simlab.stats.intervals import level_of_each
from simlab.stats.ratings import Strengths, luce, met_in_groups, unexplained

ELO = 400 / math.log(10)
SENT = 0.005  #: a bot with less than this share of a mix is not named
SURE_CHOICE = 0.9  #: a bot is named alone if the whole interval of its share is above this
MAY_BE_SENT = 0.1  #: if no bot is named alone, every bot whose share may be this large is named
MOST_IN_MATRIX = 40  #: bots of a seat


class SoloBot(Part):
    """A bot in a game for one player.

    Attributes:
        win_rate, score: the intervals hold for all bots together.
        points_behind: win rate of the best bot minus that of this one, on the same seeds; the intervals hold for all
            pairs of bots together. sure: whether this difference is significant: its interval is above 0.
    """

    bot: str
    games: int
    win_rate: Rate
    score: Number | None
    points_behind: Number | None
    sure: bool
    games_link: GamesLink | None = None


class RankedBot(Part):
    """A bot of a seat.

    Attributes:
        win_rate: win rate over all its opponents. side_win_rate: win rate of its side, if seats win together.
        elo: strength in Elo points (Bradley-Terry), 0 for the average bot of the seat.
    """

    bot: str
    win_rate: Rate
    side_win_rate: Rate | None = None
    elo: Number | None = None
    games_link: GamesLink | None = None


class Strength(Part):
    """Strength of a bot in Elo points, in a game of several seats (Luce)."""

    bot: str
    elo: Number
    games_link: GamesLink | None = None


class Matrix(Part):
    """Win rates of the first seat's bots against each bot of the second seat, both in order of strength.

    Attributes:
        rates: row -> column -> win rate, for the pairs that met; the name "" means all rows or all columns. half: half
            the width of the widest interval, in percentage points.
    """

    first: str
    second: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    rates: dict[str, dict[str, Rate]]
    half: float


class SideName(Part):
    """A side, or a seat that is its own side. who: its name in a sentence, `the besieger`. wins: its verb, `wins`,
    `win` or `holds`.
    """

    name: str
    who: str
    wins: str


class MixShare(Part):
    """A bot in equilibrium.

    Attributes:
        share: share of its seat's games in which it plays; the interval is the middle 95 % of resampled tables.
        sent: share of the resampled tables in which the bot is part of the mix.
    """

    bot: str
    share: Rate
    sent: float


class BestPlay(Part):
    """The equilibrium of two seats: the mix of bots of each seat against which no bot of the other does better.

    Attributes:
        value: win rate of the first seat; the interval holds for the whole table of match-ups together.
        mix: seat -> its bots.
    """

    value: Rate
    mix: dict[str, tuple[MixShare, ...]]


class Mass(Part):
    """A bot in alpha-rank. mass: how often it occurs in the long run, with its range over resampled tables."""

    bot: str
    mass: Rate


class CycleStep(Part):
    """A significant step of a cycle.

    Attributes:
        better, worse: bots. against: the bots of the other seats; empty for bots that meet each other in both seats.
            who: the seat that changes its bot. gain: gain of its win rate in percentage points, or `better`'s share of
            the wins against `worse`.
    """

    better: str
    worse: str
    against: tuple[str, ...] = ()
    who: str = ""
    gain: Rate | Number


class Surprise(Part):
    """The match-up that departs most from the ranking.

    Attributes:
        points: win rate of `bot` minus the win rate expected from the ranking, in percentage points. significant:
            whether it departs significantly from the ranking, all match-ups judged together.
    """

    bot: str
    against: str
    points: float
    significant: bool


class BotsAnswer(Answer, form="bots-compared"):
    """Answer of `simlab report FOLDER --section bots`.

    Attributes:
        solo: the bots of a game of one seat, the best first.
        ranking: seat -> its bots, the strongest first.
        unexplained: share of the differences between match-ups that the strengths do not explain.
        field: bots of a game of several seats or of sides, the best first. fair_share: fair share of an average seat in
            such a game.
        strengths: seat -> its bots by strength, in games of more than two seats.
        best_play: mixes of two rival seats; None unless every bot met every other. alpha_rank: seat -> its bots.
        circles: bots that beat each other in turn, and best-response cycles; each step is significant.
        on_circle: match-ups on some best-response cycle. replies: significantly better replies; None if only one seat
            has a choice.
        shared_luck_measured: whether intervals account for the correlation of match-ups on the same seeds.
        whole: whether every bot met every other.
        twins: names of bots that duplicate another bot.
        joint: whether seats win together as sides. varied: whether knobs vary too.
    """

    title: str = ""
    seats: tuple[str, ...] = ()
    sides: tuple[SideName, ...] = ()
    joint: bool = False
    varied: bool = False
    whole: bool = True
    solo: tuple[SoloBot, ...] = ()
    matrix: Matrix | None = None
    ranking: dict[str, tuple[RankedBot, ...]] | None = None
    unexplained: float | None = None
    surprise: Surprise | None = None
    field: tuple[FieldBot, ...] = ()
    fair_share: float = 0.0
    strengths: dict[str, tuple[Strength, ...]] | None = None
    match_ups: tuple[MatchUp, ...] = ()
    balance: Balance | None = None
    best_play: BestPlay | None = None
    alpha_rank: dict[str, tuple[Mass, ...]] | None = None
    circles: tuple[tuple[CycleStep, ...], ...] = ()
    on_circle: int = 0
    replies: int | None = None
    shared_luck_measured: bool = True
    twins: tuple[tuple[str, str], ...] = ()


def of_run(results: Any) -> BotsAnswer:
    """The bots of a run; empty if no seat had a choice of bots."""
    view = view_of(results)
    if "bots" not in view.answers:
        several = max(len(bots) for bots in view.bots.values()) > 1
        view.answers["bots"] = BotsAnswer(**_compared(view)) if several else BotsAnswer()
    answer: BotsAnswer = view.answers["bots"]
    return answer


def _compared(view: View) -> dict[str, Any]:
    table, seats = Profiles.of(view), tuple(view.raw_seats)
    found: dict[str, Any] = {
        "title": view.title, "seats": seats, "joint": bool(view.joint_sides), "varied": bool(view.varied),
        "sides": tuple(SideName(name=n, who=view.the_side(n), wins=wins) for n, _, wins in view.sides),
        "solo": tuple(_solo(view)) if len(seats) == 1 else (), "matrix": matrix_of(view),
    }  # fmt: skip
    strengths = None
    if table is not None and len(seats) == 2 and not view.joint_sides and min(table.shape) > 1:
        strengths = _two_strengths(view, table)
    if table is not None and strengths is not None:
        shape = table.shape
        found["unexplained"] = unexplained(table.won[:, 0].reshape(shape), table.games.reshape(shape))
        found["surprise"] = _surprise(table, strengths)
    found["ranking"] = {seat: tuple(_ranked(view, place, strengths)) for place, seat in enumerate(seats)}
    if table is not None and len(seats) > 1 and np.count_nonzero(table.games) > 1:
        found |= _contest(view, table)
    return found


def _solo(view: View) -> list[SoloBot]:
    """The bots of a game of one seat, the best first, compared on the same seeds."""
    pools = sorted(view.by_bot(0), key=lambda pool: -pool.win_rate(0).value)
    pairs = list(itertools.combinations(range(len(pools)), 2))
    all_pairs = level_of_each(LEVEL, len(pairs))
    gaps = {(a, b): view.change(view.payoff(0), pools[b].cells, pools[a].cells, all_pairs) for a, b in pairs}
    score = score_name(view.raw_seats[0])
    strict = level_of_each(LEVEL, len(pools))
    lines = []
    for place, pool in enumerate(pools):
        mean = pool.mean(score, strict) if score in pool.metric_names else None
        behind = estimate_of(gaps[0, place].ends, 100, False) if place else None
        sure = behind is not None and behind.low > 0
        lines.append(
            SoloBot(
                bot=pool.label, games=pool.games, win_rate=pool.win_rate(0, strict), score=mean, points_behind=behind,
                sure=sure, games_link=drill_down.with_bot(view, pool.label),
            )
        )  # fmt: skip
    return lines


def _two_strengths(view: View, table: Profiles) -> Strengths | None:
    """Bradley-Terry strengths of the bots of two seats; None if some of them never met, as in a run stopped early."""
    met = table.games > 0
    if met_in_groups(met.reshape(table.shape)):
        return None
    shared = view.covariance(view.payoff(0))
    covariance = None if shared is None else (table.weights @ shared @ table.weights.T)[np.ix_(met, met)]
    won, played = table.won[met, 0], table.games[met]
    return luce(np.column_stack([won, played - won]), table.bots_of[met], table.shape, covariance=covariance)


def _surprise(table: Profiles, strengths: Strengths) -> Surprise:
    """The match-up that departs most from the ranking, of those that do so significantly (exact binomial tests, all
    judged together) if there are any.
    """
    from scipy.special import bdtr, bdtrc

    met = table.games > 0
    expected, played, won = strengths.fitted[:, 0], table.games[met], table.won[met, 0]
    off = won / played - expected
    games, inside = np.round(played).astype(np.int64), np.clip(expected, 1e-9, 1 - 1e-9)
    least = np.where(off > 0, np.floor(won), np.ceil(won))  # a shared win counts 1/2: towards the expected
    chance = np.where(off > 0, bdtrc(least - 1, games, inside), bdtr(least, games, inside))
    sure = 2 * chance <= (1 - LEVEL) / off.size
    most = int(np.where(sure, np.abs(off), -1.0).argmax() if sure.any() else np.abs(off).argmax())
    first, second = (bots[int(bot)] for bots, bot in zip(table.bots, table.bots_of[met][most], strict=True))
    return Surprise(bot=first, against=second, points=100 * float(off[most]), significant=bool(sure.any()))


def _in_elo(strengths: Strengths, seat: int, bot: int) -> Estimate:
    """Strength of a bot of a seat in Elo points, 0 for the average bot of the seat."""
    return estimate_of((strengths.strength[seat][bot], *strengths.interval[seat][bot]), ELO, False)


def _contest(view: View, table: Profiles) -> dict[str, Any]:
    seats, shape = view.raw_seats, table.shape
    rivals = len(seats) == 2 and not view.joint_sides
    best = table.equilibrium() if max(shape) > 1 else None
    ends = [best.value[1:], (1 - best.value.high, 1 - best.value.low)] if best else None
    found_balance, matches = balance(view, table, ends)
    steps = tournament.better_replies(table.payoffs, table.covariances)
    circles, on_circle = tournament.reply_circles(steps)
    found: dict[str, Any] = {
        "whole": table.whole, "match_ups": tuple(matches), "balance": found_balance,
        "circles": (*(_duel_circles(table) if rivals else ()), *(_circle(view, table, one) for one in circles)),
        "on_circle": on_circle, "replies": len(steps) if sum(bots > 1 for bots in shape) > 1 else None,
        "shared_luck_measured": all(rows is not None for rows in table.by_game),
        "twins": tuple(dict.fromkeys(
            (cell.bots[seat], kept.bots[seat])
            for cell, kept in view.twins for seat in seats if cell.bots[seat] != kept.bots[seat]
        )),
        "fair_share": sum(view.all.value(Payoff.share(view.names, i)).value for i in range(len(seats))) / len(seats),
        "field": tuple(in_field(view)),
    }  # fmt: skip
    strengths = strengths_of(view, table) if len(seats) > 2 and max(shape) > 1 and not view.joint_sides else None
    if strengths is not None:
        found["strengths"] = {
            seat: tuple(
                Strength(bot=bots[i], elo=_in_elo(strengths, place, i), games_link=drill_down.with_bot(view, bots[i]))
                for i in strengths.order(place)
            )
            for place, (seat, bots) in enumerate(zip(seats, table.bots, strict=True))
        }
    if best is not None:
        mixes = {
            seat: tuple(
                MixShare(bot=bot, share=Estimate(share, min(low, share), max(high, share)), sent=sent)
                for bot, share, (low, high), sent in
                zip(bots, mix.share.tolist(), mix.ends.tolist(), mix.sent.tolist(), strict=True)
            )
            for seat, bots, mix in zip(seats, table.bots, best.mixes, strict=True)
        }  # fmt: skip
        found["best_play"] = BestPlay(value=Estimate(*best.value), mix=mixes)
    if table.is_ranked:
        masses = tournament.survivors(table.payoffs, table.covariances)
        found["alpha_rank"] = {
            seat: tuple(Mass(bot=bot, mass=Estimate(*mass)) for bot, mass in zip(bots, of.tolist(), strict=True))
            for seat, bots, of in zip(seats, table.bots, masses, strict=True)
        }
    return found


def possible(mix: Sequence[MixShare]) -> list[MixShare]:
    """The bots that are in the mix, or in the mix of a resampled table; the most frequent first."""
    named = [one for one in mix if one.share.value >= SENT or one.share.high >= MAY_BE_SENT]
    return sorted(named, key=lambda one: (-one.share.value, -one.share.high))


def only_bot(mix: Sequence[MixShare]) -> str:
    """The only bot that the seat plays, by the whole interval of its share; "" if several are possible."""
    first = possible(mix)[0]
    return first.bot if first.share.low >= SURE_CHOICE else ""


def _ranked(view: View, seat: int, strengths: Strengths | None) -> list[RankedBot]:
    """The bots of a seat, the strongest first; if seats win together, ordered by the wins of the side."""
    names = view.bots[view.raw_seats[seat]]
    elos = {names[i]: _in_elo(strengths, seat, i) for i in strengths.order(seat)} if strengths else {}
    lines = [
        RankedBot(
            bot=pool.label, win_rate=pool.win_rate(seat), elo=elos.get(pool.label),
            side_win_rate=pool.side_rate(view.side_of(seat)) if view.joint_sides else None,
            games_link=drill_down.seat_won(view, pool, seat),
        )
        for pool in view.by_bot(seat)
    ]  # fmt: skip
    best = list(elos)
    return sorted(lines, key=lambda one: best.index(one.bot) if best else -(one.side_win_rate or one.win_rate).value)


def matrix_of(results: Any) -> Matrix | None:
    """The matrix of match-ups of two seats; None for other games, if each seat has one bot, or with too many bots."""
    view = view_of(results)
    if not view.is_matrix or max(len(bots) for bots in view.bots.values()) > MOST_IN_MATRIX:
        return None
    rows, columns = (sorted(view.by_bot(seat), key=lambda pool: -pool.win_rate(seat).value) for seat in (0, 1))
    rates: dict[str, dict[str, Estimate]] = {"": {"": view.all.win_rate(0)}}
    rates[""] |= {column.label: column.win_rate(0) for column in columns}
    for row in rows:
        rates[row.label] = {"": row.win_rate(0)}
        for column in columns:
            met = [cell for cell in row.cells if cell in column.cells]
            if met:
                rates[row.label][column.label] = view.pool("", met).win_rate(0)
    half = max(100 * Pool("", [cell]).win_rate(0).half for cell in view.cells)
    return Matrix(
        first=view.seats[0], second=view.seats[1], rows=tuple(row.label for row in rows),
        columns=tuple(column.label for column in columns), rates=rates, half=half,
    )  # fmt: skip


def _duel_circles(table: Profiles) -> Iterator[tuple[CycleStep, ...]]:
    """Cycles of bots that beat each other over both seats."""
    both = [bot for bot in table.bots[0] if bot in table.bots[1]]
    one, two = ([bots.index(bot) for bot in both] for bots in table.bots)
    place = np.array([i * table.shape[1] + j for i, j in itertools.product(one, two)], np.int64)
    shares, rings = tournament.duels(table.payoffs[0][np.ix_(one, two)], table.covariances[0][np.ix_(place, place)])
    for ring in rings:
        yield tuple(CycleStep(better=both[a], worse=both[b], gain=Estimate(*shares[a, b])) for a, b in ring)


def _circle(view: View, table: Profiles, steps: Sequence[tournament.Step]) -> tuple[CycleStep, ...]:
    """A best-response cycle."""
    return tuple(
        CycleStep(
            better=table.bots[step.seat][step.after[step.seat]], worse=table.bots[step.seat][step.before[step.seat]],
            against=tuple(table.bots[seat][bot] for seat, bot in enumerate(step.after) if seat != step.seat),
            who=view.the(view.seats[step.seat]), gain=estimate_of(step.gain, 100, False),
        )
        for step in steps
    )  # fmt: skip
