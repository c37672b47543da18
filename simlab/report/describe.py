"""What the results say, in sentences for a person who is no statistician."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from simlab.errors import UserMistake
from simlab.report.estimate import LEVEL, Estimate, is_number, plain, value_text, words
from simlab.report.pool import Cell, Pool
from simlab.report.rows import credit_of
from simlab.report.view import View
from simlab.stats.figure import score_name
from simlab.stats.intervals import Floats, games_for, normal_quantile, smallest_change
from simlab.stats.paired import mcnemar, score_interval
from simlab.stats.ratings import Ratings, bradley_terry
from simlab.stats.verdict import BROKEN, MET, UNDECIDED, Clause, judge, overall

Mood = Literal["even", "favoured", "unsure", "mixed"]

EVEN = 0.04  #: a gap between two win rates up to here, 48 to 52 %, counts as even
_ELO = 400 / math.log(10)


@dataclass(frozen=True)
class Verdict:
    """The report's first words.

    Attributes:
        headline: one sentence: who is favoured.
        sentences: by how much, how sure, what it rests on, how games end and how long they last.
        mood: `even`, `favoured`, `unsure` or `mixed`.
    """

    headline: str
    sentences: tuple[str, ...]
    mood: Mood


def verdict(view: View) -> Verdict:
    """Who is favoured, by how much and how sure that is."""
    if view.has_sides:
        found = _any_seats(view)
    elif len(view.seats) == 2:
        found = _one_cell(view) if len(view.cells) == 1 else _many_cells(view)
    elif len(view.seats) == 1:
        found = _solo(view)
    else:
        found = _any_seats(view)
    rest = [*found.sentences, length_sentence(view), endings_sentence(view)]
    return Verdict(found.headline, tuple(text for text in rest if text), found.mood)


# --- Two seats, one cell ------------------------------------------------------


@dataclass(frozen=True)
class Favour:
    """Which of two seats wins more in a cell.

    Attributes:
        seat: the one ahead.
        low, high: interval of the gap between its win rate and the other's.
        chance: how often luck alone would part two equal seats as far.
    """

    seat: int
    gap: float
    low: float
    high: float
    chance: float

    @property
    def even(self) -> bool:
        """Whether the gap is small for certain."""
        return max(abs(self.low), abs(self.high)) <= EVEN

    @property
    def sure(self) -> bool:
        return self.low > 0


def favour(wins: Sequence[int], games: int, level: float = LEVEL) -> Favour:
    """Which of two seats is ahead, and by how much.

    Args:
        wins: games that each won alone: one that both win or nobody does says nothing.
        level: of the interval.
    """
    seat = 0 if wins[0] >= wins[1] else 1
    more, less = float(wins[seat]), float(wins[1 - seat])
    low, high = score_interval(more, less, games, level)
    gap = (more - less) / games if games else 0.0
    return Favour(seat, gap, low, high, float(mcnemar(wins[0], wins[1])))


def _size(gap: float) -> str:
    return "slightly" if gap < 0.08 else "clearly" if gap < 0.25 else "strongly" if gap < 0.6 else "overwhelmingly"


def _one_cell(view: View) -> Verdict:
    cell, pool = view.cells[0], view.all
    found = favour([int(n) for n in cell.alone], cell.games)
    ahead, behind = view.seats[found.seat], view.seats[1 - found.seat]
    rate, other = pool.win_rate(found.seat), pool.win_rate(1 - found.seat)
    about = f"about {in_words(rate)}, " if in_words(rate) else ""
    numbers = f"wins {about}{rate.full}, {view.the(behind)} {other.full}"
    if pool.without_single:
        numbers += f"; {pool.undecided().full} of the games have no single winner"
    mood: Mood
    if found.even:
        mood, headline = "even", f"Between these bots the game is even: {view.the(ahead)} {numbers}."
    elif found.sure:
        mood = "favoured"
        headline = f"{view.The(ahead)} is {_size(found.gap)} favoured over {equal_share(view)}. It {numbers}."
    else:
        mood = "unsure"
        need = games_for(rate.value, max(found.gap / 2, 0.01))
        more = max(need - cell.games, cell.games)
        headline = (
            f"Too few games to say who is favoured over {equal_share(view)}: {view.the(ahead)} {numbers}. About "
            f"{_round(more):,} more games would show it, or show that there is little in it."
        )
    sentences = [_how_sure(found, view), _rests_on(view)]
    return Verdict(headline, tuple(sentences), mood)


def equal_share(view: View) -> str:
    """What a seat or side would win if all won equally often: what `favoured` is held against."""
    if len(view.seats) == 2 and not view.has_sides and len(view.cells) > 1 and view.all.without_single:
        return "an equal share of the wins"  # the cells have different ones
    rates = [view.all.side_rate(side).value for side in range(len(view.sides))]
    return f"an equal share ({100 * sum(rates) / len(rates):.3g} %)"


def in_words(rate: Estimate) -> str:
    """A rate as "5 games in 6", or nothing where no small fraction is near."""
    if not 0.02 < rate.value < 0.98:
        return ""
    near = Fraction(rate.value).limit_denominator(10)
    if near in (0, 1) or abs(float(near) - rate.value) > 0.012:
        return ""
    return f"{near.numerator} game{'s' if near.numerator > 1 else ''} in {near.denominator}"


def _how_sure(found: Favour, view: View) -> str:
    chance = found.chance
    if found.even:
        points = 100 * max(abs(found.low), abs(found.high))
        return (
            f"How sure: whatever advantage there is lies between the two by at most {points:.1f} points, "
            f"and less than {100 * EVEN:.0f} points count as even here."
        )
    gap = "between equals, luck alone would part the two as far as this in"
    if chance < 1e-6:
        return f"How sure: as good as certain; {gap} fewer than one run of this size in a million."
    if chance < 0.001:
        return f"How sure: very; {gap} about one run of this size in {_round(1 / chance):,}."
    if chance < 1 - LEVEL:
        return f"How sure: fairly; {gap} about one run of this size in {_round(1 / chance):,}."
    return f"How sure: not at all; {gap} {100 * chance:.0f} of 100 runs of this size."


def _round(number: float) -> int:
    """Two figures are enough."""
    if number <= 10:
        return max(round(number), 1)
    size: int = 10 ** (math.floor(math.log10(number)) - 1)
    return round(number / size) * size


def _rests_on(view: View) -> str:
    bots = "; ".join(
        f"{seat}: {', '.join(view.bots[raw][:12])}{' and others' if len(view.bots[raw]) > 12 else ''}"
        for seat, raw in zip(view.seats, view.raw_seats, strict=True)
    )
    return f"It is how these bots play ({bots}); people, and other bots, may fare otherwise."


# --- Two seats, many cells ----------------------------------------------------


@dataclass(frozen=True)
class Leanings:
    """How many cells favour whom, all cells judged together.

    Attributes:
        first, second: cells in which that seat is favoured for certain.
        even: cells that are even for certain.
        open: the others.
    """

    first: int
    second: int
    even: int
    open: int


def leanings(view: View) -> Leanings:
    """Counts the cells by whom they favour."""
    return lean([([int(n) for n in cell.alone], cell.games) for cell in view.cells])


def lean(cells: Sequence[tuple[Sequence[int], int]]) -> Leanings:
    """Counts cells by whom they favour: (games that each seat won alone, games) of each.

    Of each cell at most one call can be wrong: `favoured` where the two are equal, `even` where they are not. So it is
    enough that each call errs with its part of the level (Bonferroni), and the chance of even one wrong call is at
    most 1 - LEVEL.
    """
    each = 1 - (1 - LEVEL) / max(len(cells), 1)
    found = [favour(wins, games, each) for wins, games in cells]
    even = sum(f.even for f in found)
    first, second = (sum(f.chance <= 1 - each and f.seat == seat and not f.even for f in found) for seat in (0, 1))
    return Leanings(first, second, even, len(found) - first - second - even)


def cells_word(view: View) -> str:
    """What a cell of this run is called."""
    several = any(len(bots) > 1 for bots in view.bots.values())
    return "match-ups" if several and not view.varied else "cells" if several else "settings"


def _many_cells(view: View) -> Verdict:
    counts, total, cells = leanings(view), len(view.cells), cells_word(view)
    one, two = view.seats
    fair = equal_share(view)
    sentences = []
    mood: Mood
    if counts.first == total or counts.second == total:
        mood, headline = (
            "favoured",
            f"{view.The(one if counts.first else two)} is favoured over {fair} in all {total:,} {cells}.",
        )
    elif counts.even == total:
        mood, headline = "even", f"The game is even in all {total:,} {cells}."
    elif counts.open == total:
        mood, headline = "unsure", f"Too few games to say who is favoured over {fair} in any of the {total:,} {cells}."
    else:
        mood = "mixed"
        parts = [
            (f"{view.the(one)} is favoured in", counts.first), (f"{view.the(two)} in", counts.second),
            ("it is even in", counts.even), ("it cannot be told yet in", counts.open),
        ]  # fmt: skip
        said = [f"{text} {number:,}" for text, number in parts if number]
        headline = f"Who is favoured over {fair} depends on {_cause(view)}: of {total:,} {cells} {', '.join(said)}."
    average = view.all.win_rate(0)
    sentences.append(
        f"Taken together, each game counting alike, {view.the(one)} wins {average.full} of the games"
        f"{_drawn(view)}. Single {cells} lie between {_extremes(view)}."
    )
    if view.method not in ("one_at_a_time", "saltelli"):  # there the values of a knob do not meet all else alike
        sentences += [knob_sentence(view, knob) for knob in list(view.varied)[:3]]
    if view.is_matrix:
        sentences.append(_best_bots(view))
    sentences.append(
        f"How sure: who is favoured, and what is even, was judged for all {cells} together, so that the chance of "
        f"even one wrong call is at most {100 * (1 - LEVEL):.0f} %. {_rests_on(view)}"
    )
    return Verdict(headline, tuple(text for text in sentences if text), mood)


def _drawn(view: View) -> str:
    return f" and {view.all.undecided().full} have no single winner" if view.all.without_single else ""


def _cause(view: View) -> str:
    parts = ["the bots"] if any(len(bots) > 1 for bots in view.bots.values()) else []
    parts += [words(knob) for knob in view.varied]
    return " and ".join(parts[:3]) + (" and more" if len(parts) > 3 else "") if parts else "the cell"


def _extremes(view: View) -> str:
    rates = [(cell.wins[0] / cell.games if cell.games else math.nan, i) for i, cell in enumerate(view.cells)]
    known = [pair for pair in rates if not math.isnan(pair[0])]
    ends = []
    for _, i in (min(known), max(known)):
        cell = view.cells[i]
        ends.append(f"{view.pool('', [cell]).win_rate(0).full} in {view.cell_label(cell)}")
    return " and ".join(ends)


def knob_sentence(view: View, knob: str) -> str:
    """What a knob does to the first seat's win rate, all else pooled."""
    pools = view.by_value(knob)
    values = view.varied[knob]
    rates = [pool.win_rate(0) for pool in pools]
    name, seat = words(knob), view.seats[0]
    if len(pools) > 30:
        return ""
    if not all(is_number(v) for v in values):
        each = ", ".join(f"{rate.full} with {value_text(v)}" for v, rate in zip(values, rates, strict=True))
        return f"By {name}, {view.the(seat)} wins {each}."
    first, last = rates[0], rates[-1]
    steps = np.diff([rate.value for rate in rates])
    apart = first.high < last.low or last.high < first.low
    way = "goes from"
    if apart and np.all(steps > 0):
        way = "rises from"
    elif apart and np.all(steps < 0):
        way = "falls from"
    unsure = "" if apart else "; the intervals overlap, so these games show no trend"
    return (
        f"As {name} goes from {value_text(values[0])} to {value_text(values[-1])}, {view.the(seat)}'s win rate "
        f"{way} {first.full} to {last.full}{unsure}.{_closest_to_even(values, rates)}"
    )


def _closest_to_even(values: Sequence[Any], rates: Sequence[Estimate]) -> str:
    """Which values may be the closest to even, as far as the intervals tell; nothing where nearly all may be."""
    if len(rates) < 3:
        return ""
    nearest = [0.0 if r.low <= 0.5 <= r.high else min(abs(r.low - 0.5), abs(r.high - 0.5)) for r in rates]
    furthest = [max(abs(r.low - 0.5), abs(r.high - 0.5)) for r in rates]
    may = [i for i, near in enumerate(nearest) if near <= min(furthest)]
    if len(may) == 1:
        return f" It is closest to even at {value_text(values[may[0]])} ({rates[may[0]].inner})."
    if len(may) > 3 or len(may) == len(rates):
        return ""
    return f" Closest to even is one of {', '.join(f'{value_text(values[i])} ({rates[i].inner})' for i in may)}."


def _best_bots(view: View) -> str:
    parts = []
    for seat in range(len(view.seats)):
        pools = view.by_bot(seat)
        if len(pools) < 2:
            continue
        rates = [(pool.win_rate(seat), pool.label) for pool in pools]
        best, worst = max(rates, key=lambda r: r[0].value), min(rates, key=lambda r: r[0].value)
        name = view.seats[seat]
        top = all(rate is best or rate[0].high < best[0].low for rate in rates)
        bottom = all(rate is worst or rate[0].low > worst[0].high for rate in rates)
        first = f"the strongest {name} here is" if top else f"most wins, not for certain, of a {name} here has"
        last = "the weakest" if top and bottom else "fewest has"
        parts.append(f"{first} {best[1]} ({best[0].inner}), {last} {worst[1]} ({worst[0].inner})")
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}." if text else ""


# --- One seat -----------------------------------------------------------------


def _solo(view: View) -> Verdict:
    """How often the only player beats the game, and at what score."""
    said = [_best_bots(view), _solo_score(view), *(knob_sentence(view, knob) for knob in view.varied), _rests_on(view)]
    headline = f"The {view.seats[0]} wins {view.all.win_rate(0).full} of the games."
    return Verdict(headline, tuple(text for text in said if text), "mixed")


def _solo_score(view: View) -> str:
    name = score_name(view.raw_seats[0])
    if not view.has_scores or name not in view.all.metric_names:
        return ""
    text = f"It scores {view.all.mean(name).full} on average, lost games included"
    pools = view.by_bot(0)
    if len(pools) > 1:
        means = [(pool.mean(name), pool.label) for pool in pools]
        (low, worst), (high, best) = min(means, key=lambda m: m[0].value), max(means, key=lambda m: m[0].value)
        text += f": from {low.full} by {worst} to {high.full} by {best}"
    return f"{text}."


# --- Any number of seats ------------------------------------------------------


def _any_seats(view: View) -> Verdict:
    """Who is favoured among the sides of a game; of a game with one side, how often it wins."""
    pool, sides = view.all, view.sides
    level = 1 - (1 - LEVEL) / len(sides)
    rates = [pool.side_rate(side, level) for side in range(len(sides))]
    if len(sides) == 1:
        name, _, wins = sides[0]
        return Verdict(f"The {name} {wins} in {rates[0].full} of the games.", (_rests_on(view),), "mixed")
    numbers = ", ".join(f"{name} {rate.full}" for (name, _, _), rate in zip(sides, rates, strict=True))
    numbers += f", nobody {pool.share(pool.nobody, level=level).full}" if pool.nobody else ""
    fair = sum(rate.value for rate in rates) / len(sides)
    best = max(range(len(sides)), key=lambda side: rates[side].value)
    kind, share = "side" if view.has_sides else "seat", equal_share(view)
    mood: Mood
    if rates[best].low > fair + EVEN / 2:
        is_are = "are" if view.has_sides and sides[best][2] == "win" else "is"
        mood, headline = "favoured", f"{view.The(sides[best][0])} {is_are} favoured over {share}: {numbers}."
    elif all(abs(end - fair) <= EVEN / 2 for rate in rates for end in (rate.low, rate.high)):
        mood, headline = "even", f"The {kind}s are even: {numbers}."
    elif all(rate.low <= fair <= rate.high for rate in rates):
        mood, headline = "unsure", f"No {kind} is favoured over {share} as far as these games show: {numbers}."
    else:
        mood, headline = "mixed", f"The {kind}s win unequally, but not by much: {numbers}."
    what = f"An equal share, {100 * fair:.1f} %, is what the {kind}s win on average. "
    return Verdict(headline, (f"{what}The intervals hold for all {kind}s together.", _rests_on(view)), mood)


# --- Length, endings, contract ------------------------------------------------


def length_sentence(view: View) -> str:
    """How long games last."""
    pool = view.all
    mean = pool.mean_length()
    half, most = (pool.quantile(pool.length, q, column="turns") for q in (0.5, 0.9))
    turns = f"{view.turn_name}s"
    return (
        f"A game lasts {mean.full} {turns} on average; half of the games are over within "
        f"{half.value:g}{span(half)} {turns}, "
        f"nine in ten within {most.value:g}{span(most)}."
    )


def span(quantile: Estimate) -> str:
    if quantile.low == quantile.high:
        return ""
    ends = [f"{end:g}" if math.isfinite(end) else "?" for end in (quantile.low, quantile.high)]
    return f" ({ends[0]}–{ends[1]})"


def ending_shares(pool: Pool) -> list[Estimate]:
    """Share of each ending; the intervals hold for all endings together (Goodman)."""
    level = 1 - (1 - LEVEL) / max(len(pool.endings), 1)
    return [pool.ending(place, level) for place in range(len(pool.endings))]


def endings_sentence(view: View) -> str:
    """How games end."""
    shares = ending_shares(view.all)
    order = sorted((i for i in range(len(shares)) if shares[i].value > 0), key=lambda i: -shares[i].value)
    if not order:
        return ""
    parts = [f"{words(view.endings[i])} ({shares[i].inner})" for i in order[:4]]
    if len(parts) == 1:
        return f"All games seen end by {parts[0]}."
    rest = ", or seldom otherwise" if len(order) > 4 else ""
    return f"Games end by {', '.join(parts[:-1])} or {parts[-1]}{rest}."


def contract(view: View) -> list[Clause]:
    """The experiment's contract against all its cells; nothing where it has none.

    Raises:
        UserMistake: the contract names what the game does not have, as in a damaged folder.
    """
    if not view.contract:
        return []
    cells = [(view.cell_label(cell), cell.tally) for cell in view.cells]
    return judge(view.contract, cells, view.figures, LEVEL)


def contract_sentence(clauses: Sequence[Clause]) -> str:
    """The contract as a whole."""
    word = overall(clauses)
    if word == MET:
        return "The contract is met."
    if word == BROKEN:
        broken = sum(clause.verdict == BROKEN for clause in clauses)
        return f"The contract is broken in {broken} of {len(clauses)} lines."
    return "Whether the contract is met cannot be told yet."


def verdict_word(clause: Clause) -> str:
    """A word that a stylesheet can colour."""
    return {MET: "met", BROKEN: "broken", UNDECIDED: "undecided"}[clause.verdict]


def reach_sentence(view: View) -> str:
    """The smallest change that this run can show."""
    games = int(np.median([cell.games for cell in view.cells]))
    change = 100 * smallest_change(0.5, games)
    digits = 1 if change >= 0.1 else 2
    return (
        f"With {games:,} games{' a cell' if len(view.cells) > 1 else ''}, two runs of separate luck show a "
        f"change of a win "
        f"rate near 50 % from about {change:.{digits}f} points on (four times in five). On the same seed the "
        f"comparison is "
        "made game by game and shows smaller ones: simlab diff says how small."
    )


# --- Bots ---------------------------------------------------------------------


@dataclass(frozen=True)
class Ranking:
    """Ratings of the bots of two seats.

    Attributes:
        bots: names by seat.
        ratings: their strengths.
        measured: whether the luck that match-ups share was measured; if not, they count as independent.
        surprising: whether some match-up departs from the ranking by more than luck makes, all judged together.
    """

    bots: tuple[list[str], list[str]]
    ratings: Ratings
    measured: bool
    surprising: bool

    def elo(self, seat: int, index: int) -> Estimate:
        """Strength in Elo points, 0 for the average bot of the seat."""
        strength = (self.ratings.strength_a, self.ratings.strength_b)[seat][index]
        low, high = (self.ratings.interval_a, self.ratings.interval_b)[seat][index]
        return Estimate(_ELO * float(strength), _ELO * float(low), _ELO * float(high), False)

    def order(self, seat: int) -> list[int]:
        """Positions of the seat's bots, strongest first."""
        return self.ratings.order_a if seat == 0 else self.ratings.order_b

    @property
    def sentence(self) -> str:
        """How far one ranking explains who beats whom."""
        left = 100 * self.ratings.interaction
        text = f"One strength a bot explains all but {left:.0f} % of the differences between match-ups"
        residual = np.nan_to_num(np.abs(self.ratings.residual))
        i, j = np.unravel_index(int(np.argmax(residual)), residual.shape)
        gap = 100 * float(self.ratings.residual[i, j])
        if left < 2 or abs(gap) < 2:
            return f"{text}: who is strong is strong against everybody."
        if not self.surprising:
            return f"{text}; the rest is no more than the luck of so many games makes."
        more = "more" if gap > 0 else "fewer"
        return (
            f"{text}; the rest is who meets whom. The greatest surprise: {self.bots[0][i]} against "
            f"{self.bots[1][j]} wins "
            f"{abs(gap):.0f} points {more} than the ranking says."
        )


def ranking(view: View) -> Ranking | None:
    """Bradley-Terry strengths where both of two seats have several bots; None elsewhere."""
    if len(view.seats) != 2 or min(len(bots) for bots in view.bots.values()) < 2:
        return None
    first, second = (view.bots[seat] for seat in view.raw_seats)
    if len(first) * len(second) > 2_500:
        return None
    wins, games = np.zeros((len(first), len(second))), np.zeros((len(first), len(second)))
    places = []
    for cell in view.cells:
        i, j = first.index(cell.bots[view.raw_seats[0]]), second.index(cell.bots[view.raw_seats[1]])
        wins[i, j] += cell.credit(0)
        games[i, j] += cell.games
        places.append(i * len(second) + j)
    covariance = _pooled(view.covariance(credit_of(0, 2)), view.cells, places, games)
    try:
        ratings = bradley_terry(wins, games, covariance=covariance)
    except UserMistake:  # bots that never met, as in a run that was stopped early
        return None
    fitted = np.clip(np.nan_to_num(ratings.fitted, nan=0.5), 1e-9, 1 - 1e-9)
    error = np.sqrt(fitted * (1 - fitted) / np.maximum(games, 1))
    off = np.nan_to_num(np.abs(ratings.residual)) / np.maximum(error, 0.5 / np.maximum(games, 1))
    surprising = bool((off > normal_quantile(1 - (1 - LEVEL) / max(off.size, 1))).any())
    return Ranking((first, second), ratings, covariance is not None, surprising)


def _pooled(shared: Floats | None, cells: Sequence[Cell], places: Sequence[int], games: Floats) -> Floats | None:
    """Covariance of the match-ups' rates out of that of the cells', where knobs vary too."""
    if shared is None:
        return None
    weights = np.zeros((games.size, len(cells)))
    for column, (cell, place) in enumerate(zip(cells, places, strict=True)):
        weights[place, column] = cell.games / max(games.ravel()[place], 1)
    return np.asarray(weights @ shared @ weights.T, np.float64)


# --- Actions and rules --------------------------------------------------------


@dataclass(frozen=True)
class ActionUse:
    """An action that stands out: where, what, and how often it was offered and taken."""

    seat: str
    decision: str
    action: str
    offered: int
    chosen: int


def dead_actions(view: View) -> list[ActionUse]:
    """Named actions that were offered and never taken by any bot."""
    return [use for use in _uses(view) if use.offered > 0 and use.chosen == 0]


def sure_actions(view: View) -> list[ActionUse]:
    """Named actions that were offered 100 times or more and taken in 95 % or more."""
    return [use for use in _uses(view) if use.offered >= 100 and use.chosen >= 0.95 * use.offered]


def by_decision(uses: Sequence[ActionUse]) -> list[str]:
    """One text for each decision: "besieger, Besieger's action: Besiege (allowed 1,200 times), Plan
    (800)"."""
    found: dict[tuple[str, str], list[str]] = {}
    for use in uses:
        line = found.setdefault((use.seat, use.decision), [])
        line.append(f"{use.action} ({'' if line else 'allowed '}{use.offered:,}{'' if line else ' times'})")
    return [f"{seat}, {words(decision)}: {', '.join(line)}" for (seat, decision), line in found.items()]


def _uses(view: View) -> list[ActionUse]:
    offered, chosen = view.all.sum("offered"), view.all.sum("chosen")
    found: list[ActionUse] = []
    for seat, kind in zip(*np.nonzero(offered.any(axis=2)), strict=True):
        decision = view.decisions[kind] if kind < len(view.decisions) else None
        if decision is None or np.count_nonzero(offered[seat, kind]) < 2:
            continue  # a choice with one answer says nothing
        named = [int(a) for a in np.flatnonzero(offered[seat, kind]) if a < len(decision.actions)]
        counts = [(int(offered[seat, kind, a]), int(chosen[seat, kind, a])) for a in named]
        found += [
            ActionUse(view.seats[seat], decision.name, decision.actions[a], *both)
            for a, both in zip(named, counts, strict=True)
        ]
    return found


def silent_rules(view: View) -> list[int]:
    """Rules that fired in no game, by index."""
    fired = view.all.sum("fired_games")
    return [i for i in range(len(view.rules)) if i >= fired.size or fired[i] == 0]


def ruling_value(view: View, index: int) -> str:
    """How the knobs that belong to a rule stood: `ace_value = 1`."""
    parts = []
    for knob in view.rules[index].knobs[:6]:
        values = list(dict.fromkeys(value_text(cell.knobs[knob]) for cell in view.cells if knob in cell.knobs))
        if values:
            parts.append(f"{plain(knob, 40)} = {', '.join(values[:8])}")
    return "; ".join(parts)
