"""Items one by one: how often each was used, and how games with that use differ from games without it.

The card that a bot plays depends on the state of the game. A difference between games is therefore not the effect of
the card. To measure the effect, remove or blank the card and compare with the same random seeds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from simlab.engine.payoff import seeks_score
from simlab.present.answer import Number, Part, Rate
from simlab.present.estimate import LEVEL, Estimate, finite, share_of, words
from simlab.runs.games_answer import GamesAnswer
from simlab.runs.view import View, view_of
from simlab.stats.figure import score_name
from simlab.stats.intervals import Floats, clopper_pearson, difference_of_rates, level_of_each, student_quantile
from simlab.stats.p_values import drawn_mean_p_value, holm, rates_p_value

FEW = 0.02  #: an item used in fewer of the games in which a seat had it counts as dead in that use
MOST = 0.75  #: an item used in more of these games counts as nearly always used


class ItemUse(Part):
    """A use of an item by a seat.

    Attributes:
        games: games with this use.
        rate: share of the games in which the seat had the item; for the first use, which is having it, of all games.
            All intervals hold for all uses of the seat together, because the most extreme are selected by the same
            games.
        gap_points: win rate in games with this use minus win rate in the other games, in percentage points. gap_score:
            mean score with this use minus mean score without it; None if the game has no scores.
        p_value: p-value of `gap_score` in a game of one seat, else of `gap_points`; adjusted for all uses of the seat
            (Holm).
    """

    seat: str
    item: str
    kind: str
    use: str
    games: int
    rate: Rate
    gap_points: Number
    gap_score: Number | None = None
    p_value: float | None = None


class Items(GamesAnswer, form="items-counted", version=2):
    """Cards, or other items that the game follows, one by one.

    Attributes:
        uses: the uses of items; the first is having an item. items: uses of the items that a seat had, except uses that
            never occur for items of that kind.
        never_had: seat -> items that the seat had in no game.
        solo: whether one seat plays for a score.
    """

    uses: tuple[str, ...]
    items: tuple[ItemUse, ...]
    never_had: dict[str, tuple[str, ...]]
    solo: bool

    def of_seat(self, seat: str) -> list[ItemUse]:
        return [one for one in self.items if one.seat == seat]

    def effect(self, one: ItemUse) -> Estimate:
        """The score in a game of one seat, else the win rate."""
        return one.gap_score if self.solo and one.gap_score else one.gap_points

    def strongest(self, seat: str) -> list[ItemUse]:
        """Uses with a significant difference (Holm, 5 %), the largest first."""
        sure = [one for one in self.of_seat(seat) if one.p_value is not None and one.p_value <= 1 - LEVEL]
        return sorted(sure, key=lambda one: -abs(self.effect(one).value))

    def dead(self, seat: str, use: str) -> list[str]:
        """Items put to a use in significantly fewer than 2 % of the games in which the seat had them."""
        return [one.item for one in self.of_seat(seat) if one.use == use and one.rate.high < FEW]

    def frequent(self, seat: str, use: str) -> list[str]:
        """Items put to a use in significantly more than 75 % of these games."""
        return [one.item for one in self.of_seat(seat) if one.use == use and one.rate.low > MOST]


def of_run(results: Any) -> Items:
    view = view_of(results)
    uses = tuple(words(use) for use in view.uses)
    solo = seeks_score(view.names)
    if not uses or not view.items:
        return Items.of(view, uses=uses, items=(), never_had={}, solo=solo)
    had = {seat: _row(view, seat, "item_games", 0) for seat in range(len(view.seats))}
    seats = [seat for seat, games in had.items() if games[: len(view.items)].any()]
    return Items.of(
        view, uses=uses, solo=solo,
        items=tuple(one for seat in seats for one in _uses(view, seat, uses)),
        never_had={
            view.seats[seat]: tuple(
                name for item, (kind, name) in enumerate(view.items) if kind and not had[seat][item]
            )  # numbers without an item have no kind
            for seat in seats
        },
    )  # fmt: skip


def _row(view: View, seat: int, name: str, use: int) -> Floats:
    return np.asarray(view.all.sum(name)[use * len(view.seats) + seat], np.float64)


def _uses(view: View, seat: int, names: tuple[str, ...]) -> Iterator[ItemUse]:
    games = view.all.sum("item_games")
    by_use = games.reshape(len(names), -1, games.shape[-1]).sum(axis=1)[:, : len(view.items)]
    known = {(view.items[item][0], int(use)) for use, item in np.argwhere(by_use > 0)}
    had = _row(view, seat, "item_games", 0)
    places = [
        (item, use)
        for item, (kind, _) in enumerate(view.items)
        for use in range(len(names))
        if had[item] and (kind, use) in known
    ]
    strict = level_of_each(LEVEL, len(places))
    measured = [_measured(view, seat, item, use, float(had[item]), strict) for item, use in places]
    adjusted = iter(holm([one["p_value"] for one in measured if one["p_value"] is not None]))
    for (item, use), one in zip(places, measured, strict=True):
        kind, name = view.items[item]
        about = one if one["p_value"] is None else {**one, "p_value": float(next(adjusted))}
        yield ItemUse(seat=view.seats[seat], item=name, kind=kind, use=names[use], **about)


def _measured(view: View, seat: int, item: int, use: int, had: float, level: float) -> dict[str, Any]:
    """Measures one use. level: level of the intervals."""
    pool, k = view.all, view.all.size
    games, won = (float(_row(view, seat, name, use)[item]) for name in ("item_games", "item_wins"))
    all_won, rest = float(pool.wins[seat]), pool.games - games
    rate = share_of(games / k, (pool.games if use == 0 else had) / k, level)
    if not games or not rest:
        nothing = Estimate(math.nan, -math.inf, math.inf, False)
        score = nothing if view.has_scores else None
        return {"games": int(games), "rate": rate, "gap_points": nothing, "gap_score": score, "p_value": None}
    # Cells use the same seeds: k of them count as one with that number of games, as in Pool.share.
    gap, low, high = difference_of_rates((all_won - won) / k, rest / k, won / k, games / k, level, clopper_pearson)
    points = Estimate(100 * gap, 100 * low, 100 * high, False)
    score = _score(view, seat, item, use, games, level) if view.has_scores else None
    if len(view.seats) == 1 and score:
        values, counts = pool.metric(score_name(view.raw_seats[seat]))
        mine = float(_row(view, seat, "item_score", use)[item]) / games
        p_value = drawn_mean_p_value(values, np.asarray(counts) / k, mine, games / k)
    else:
        p_value = rates_p_value((all_won - won) / k, rest / k, won / k, games / k)
    tested = finite(float(p_value))
    return {"games": int(games), "rate": rate, "gap_points": points, "gap_score": score, "p_value": tested}


def _score(view: View, seat: int, item: int, use: int, games: float, level: float) -> Estimate:
    """Difference of the mean scores with Welch's interval; without ends if a group has fewer than two games."""
    values, counts = view.all.metric(score_name(view.raw_seats[seat]))
    total, squares = float(np.dot(values, counts)), float(np.dot(values.astype(np.float64) ** 2, counts))
    mine, my_squares = (float(_row(view, seat, name, use)[item]) for name in ("item_score", "item_squares"))
    rest, k = view.all.games - games, view.all.size
    gap = mine / games - (total - mine) / rest
    if min(games, rest) / k < 2:
        return Estimate(gap, -math.inf, math.inf, False)
    parts = []  # squared standard error and degrees of freedom of each group
    for sum_, square, n in ((mine, my_squares, games), (total - mine, squares - my_squares, rest)):
        degrees = n / k - 1
        parts.append((max(square / n - (sum_ / n) ** 2, 0.0) / degrees, degrees))
    spread = sum(variance for variance, _ in parts)
    degrees = spread**2 / sum(v * v / d for v, d in parts) if spread > 0 else min(d for _, d in parts)
    half = student_quantile(level, degrees) * math.sqrt(spread)
    return Estimate(gap, gap - half, gap + half, False)
