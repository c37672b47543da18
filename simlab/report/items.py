"""The cards one by one (or whatever a game follows as its items): who used which for what, and won how much more."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from simlab.present.chart import Draw, chart
from simlab.present.estimate import LEVEL, Estimate, plain, share_of, words
from simlab.results.pool import Pool
from simlab.results.view import MOST_ROWS, View
from simlab.stats.figure import score_name
from simlab.stats.intervals import Floats, clopper_pearson, difference_of_rates, student_quantile
from simlab.stats.many import holm
from simlab.stats.two_sample import drawn_mean_p_value, rates_p_value

if TYPE_CHECKING:
    from matplotlib.axes import Axes


FEW = 0.02  #: an item had, and used so in fewer of these games, counts as dead in that use
MOST = 0.75  #: and in more of them, as one that plays itself


@dataclass(frozen=True)
class ItemUse:
    """One use of an item by a seat.

    Attributes:
        rate: share of the games in which the seat had the item (its first use); of all games for the first use itself.
        gap: win rate in the games with this use minus that in all others, in points of per cent.
        score: mean score with this use minus that without, where the game keeps scores.
        p_value: of `gap`, or where there is one seat of `score`, judged with all others of the seat (Holm).
    """

    item: int
    use: int
    games: int
    rate: Estimate
    gap: Estimate
    score: Estimate | None
    p_value: float


class ItemReport:
    """What the tally says of a seat's items.

    Which card a bot plays depends on how the game stands, so a difference here is what goes with a use, not what the
    card does: for that, take it out or blank it, and compare on the same luck.
    """

    def __init__(self, view: View, seat: int) -> None:
        self.view, self.seat = view, seat
        self.pool: Pool = view.all
        self.uses = view.uses
        self.names = view.items

    @cached_property
    def table(self) -> dict[int, list[ItemUse]]:
        """Item -> its uses, in the order of the game; items that the seat never had are left out."""
        lines: dict[int, list[ItemUse]] = {}
        had = self._row("item_games", 0)
        for item in range(len(self.names)):
            if had[item]:
                lines[item] = [self._use(item, use, float(had[item])) for use in range(len(self.uses))]
        flat = [one for uses in lines.values() for one in uses if one.games and math.isfinite(one.p_value)]
        adjusted = dict(zip(map(id, flat), holm([one.p_value for one in flat]), strict=True)) if flat else {}
        return {
            item: [
                ItemUse(o.item, o.use, o.games, o.rate, o.gap, o.score, float(adjusted.get(id(o), math.nan)))
                for o in uses
            ]
            for item, uses in lines.items()
        }

    @cached_property
    def never_had(self) -> list[str]:
        """Items that no game brought to this seat, without the numbers that no item of the box has."""
        return [name for item, (kind, name) in enumerate(self.names) if kind and item not in self.table]

    @cached_property
    def open_uses(self) -> set[tuple[str, int]]:
        """(kind, use) of the uses that any seat put any item of the kind to."""
        games = np.asarray(self.pool.sum("item_games"))
        by_use = games.reshape(len(self.uses), -1, games.shape[-1]).sum(axis=1)[:, : len(self.names)]
        return {(self.names[item][0], int(use)) for use, item in np.argwhere(by_use > 0)}

    def shown(self, one: ItemUse) -> ItemUse | None:
        """What the table shows: nothing where the use is not one of that kind of item."""
        return one if (self.names[one.item][0], one.use) in self.open_uses else None

    def name(self, item: int) -> str:
        return self.names[item][1]

    @property
    def strongest(self) -> list[ItemUse]:
        """The uses that go with the largest differences, of those that are certain (Holm, 5 %); the largest first."""
        sure = [one for uses in self.table.values() for one in uses if one.p_value <= 1 - LEVEL]
        return sorted(sure, key=lambda one: -abs(self.effect(one).value))

    def effect(self, one: ItemUse) -> Estimate:
        """What `strongest` ranks by: the score in a game of one seat, else the win rate."""
        return one.score if len(self.view.seats) == 1 and one.score else one.gap

    def dead(self, use: int) -> list[str]:
        """Items hardly ever put to this use though the seat has them: for certain in under 2 % of these games."""
        return [
            self.name(item) for item, uses in self.table.items() if uses[use].rate.high < FEW and self.shown(uses[use])
        ]

    def certain(self, use: int) -> list[str]:
        """Items that are nearly always put to this use: for certain in over 75 % of the games."""
        return [self.name(item) for item, uses in self.table.items() if uses[use].rate.low > MOST]

    def sentences(self) -> list[str]:
        """Which items are dead, and which play themselves."""
        texts = []
        for use in range(1, len(self.uses)):
            for names, how in ((self.dead(use), "hardly ever"), (self.certain(use), "nearly always")):
                if names and len(names) < 0.5 * len(self.table):
                    shown = ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
                    texts.append(f"{how} used as “{self.uses[use]}”: {shown}.")
        return texts

    def _row(self, name: str, use: int) -> Floats:
        whole = self.pool.sum(name)
        return np.asarray(whole[use * len(self.view.seats) + self.seat], np.float64)

    def _use(self, item: int, use: int, had: float) -> ItemUse:
        pool, k = self.pool, self.pool.size
        games = float(self._row("item_games", use)[item])
        won = float(self._row("item_wins", use)[item])
        all_won = float(pool.wins[self.seat])
        rate = share_of(games / k, (pool.games if use == 0 else had) / k)
        rest = pool.games - games
        if not games or not rest:
            nothing = Estimate(math.nan, -math.inf, math.inf, False)
            return ItemUse(item, use, int(games), rate, nothing, nothing if self.view.has_scores else None, math.nan)
        # Cells share their luck: k of them count as one of so many games, as in Pool.share.
        gap, low, high = difference_of_rates((all_won - won) / k, rest / k, won / k, games / k, ends=clopper_pearson)
        points = Estimate(100 * gap, 100 * low, 100 * high, False)
        score = self._score(item, use, games) if self.view.has_scores else None
        if len(self.view.seats) == 1 and score:
            values, counts = pool.metric(score_name(self.view.raw_seats[self.seat]))
            mine = float(self._row("item_score", use)[item]) / games
            p_value = drawn_mean_p_value(values, np.asarray(counts) / k, mine, games / k)
        else:
            p_value = rates_p_value((all_won - won) / k, rest / k, won / k, games / k)
        return ItemUse(item, use, int(games), rate, points, score, p_value)

    def _score(self, item: int, use: int, games: float) -> Estimate:
        """Difference of the mean scores with Welch's interval; without ends where a group has fewer than two games."""
        values, counts = self.pool.metric(score_name(self.view.raw_seats[self.seat]))
        total, squares = float(np.dot(values, counts)), float(np.dot(values.astype(np.float64) ** 2, counts))
        mine, my_squares = float(self._row("item_score", use)[item]), float(self._row("item_squares", use)[item])
        rest, k = self.pool.games - games, self.pool.size
        gap = mine / games - (total - mine) / rest
        if min(games, rest) / k < 2:
            return Estimate(gap, -math.inf, math.inf, False)
        parts = []  # squared standard error and degrees of freedom of each group
        for sum_, square, n in ((mine, my_squares, games), (total - mine, squares - my_squares, rest)):
            degrees = n / k - 1
            parts.append((max(square / n - (sum_ / n) ** 2, 0.0) / degrees, degrees))
        spread = sum(variance for variance, _ in parts)
        degrees = spread**2 / sum(v * v / d for v, d in parts) if spread > 0 else min(d for _, d in parts)
        half = student_quantile(LEVEL, degrees) * math.sqrt(spread)
        return Estimate(gap, gap - half, gap + half, False)


def reports(view: View) -> Sequence[ItemReport]:
    """One for each seat that had any item; none for a game that follows no items."""
    if not view.uses or not view.items:
        return []
    return [report for report in (ItemReport(view, seat) for seat in range(len(view.seats))) if report.table]


def use_words(view: View, use: int) -> str:
    """A use as people write it."""
    return words(plain(view.uses[use], 40))


@chart
def items(report: Any, ax: Axes | None = None, most: int = 16) -> Axes:
    """The uses of items that go with the largest differences: simlab.report.items.ItemReport.strongest."""

    from simlab.present import drawing

    shown = report.strongest[:most]
    ax = drawing.axes(ax, 0.9 + 0.24 * len(shown), drawing.WIDTH * 1.25)
    for place, one in enumerate(shown):
        effect = report.effect(one)
        color = drawing.seat_color(report.seat)
        ax.plot([effect.low, effect.high], [place, place], color=color, lw=1.6)
        ax.plot([effect.value], [place], "o", color=color, ms=5)
    ax.axvline(0, color=drawing.MUTED, lw=1)
    ax.set_yticks(range(len(shown)), [drawing.label(f"{report.name(o.item)}: {report.uses[o.use]}", 44) for o in shown])
    ax.set_ylim(len(shown) - 0.4, -0.6)
    ax.set_xlabel("score more" if len(report.view.seats) == 1 else "points of win rate more")
    return ax


def section(view: View, draw: Draw) -> list[dict[str, Any]]:
    parts = []
    for report in reports(view):
        strongest = report.strongest
        entry: dict[str, Any] = {
            "seat": view.seats[report.seat],
            "uses": [use_words(view, use) for use in range(len(view.uses))],
            "sentences": report.sentences(),
            "rows": [
                {"kind": report.names[item][0], "name": report.name(item), "uses": [report.shown(one) for one in uses]}
                for item, uses in list(report.table.items())[:MOST_ROWS]
            ],
            "solo": len(view.seats) == 1 and view.has_scores,
            "never": report.never_had,
            "figure": None,
        }
        if strongest:
            what = "the score" if entry["solo"] else f"the win rate of {entry['seat']}"
            text = (
                f"{entry['seat']}: the uses that go with the largest differences of {what}, against all games "
                f"without that use, with 95 % intervals; {len(strongest)} are certain, all judged together. "
                "What goes with a card need not come from it: bots play some cards when they are ahead."
            )
            entry["figure"] = draw(f"items_{report.seat}", items(report), text, wide=True)
        parts.append(entry)
    return parts
