"""The value of a game to a seat: bots maximize it, and comparisons and reports of bots are based on it.

    one seat with scores            its score
    seats that win as a side        1 for each seat that wins, whether or not others win too
    other seats                     1/k for each of k winners
    two rivals, and nobody wins     1/2 for each: a draw. The values of each game add up to 1.
    more rivals, and nobody wins    0: all of them lost to the game

Questions that need another rule state it:

    Payoff.win                      a win rate, as contracts count it: every winner has a whole win, and a game that
                                    nobody wins counts 0 for all. The rates may add up to more than 1 or less.
    Payoff.share                    a share of the wins: 1/k for each of k winners, sides or not. The shares of a
                                    game add up to 1, or to 0 if nobody wins among more than two
    Payoff.of_side                  the same rule for sides that play against each other, each as one player
    Payoff.fair                     a game that nobody wins is split among all, so that the fair share is 1 over their
                                    number: for a target that the contract does not state
    by_score                        False in reports, where the score of a solo game is a statistic of its own; True
                                    where the rivals of a game play for points (exact play, a learner's reward)

Playouts and learned players use a compiled form (simlab.engine.search.playout.share). It divides the win of a side
among its seats, as `Payoff.share` does. If a side always wins as a whole, that changes no choice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from simlab.engine import outcome
from simlab.present.estimate import LEVEL, Difference, Estimate
from simlab.stats.bounded_mean import mean_bounds, mean_interval
from simlab.stats.intervals import Floats
from simlab.stats.paired import PairedDifference, most_change, paired_difference

if TYPE_CHECKING:
    import polars as pl

    from simlab.engine.tally import Tally

Array = np.ndarray[Any, Any]
Rows = Mapping[str, Array] | Array


class Party(NamedTuple):
    """Seats that win as one. endings: places of the endings, empty for all. side: its place; None for one seat."""

    seats: tuple[int, ...]
    endings: tuple[int, ...] = ()
    side: int | None = None

    def won(self, rows: Rows) -> Array:
        """Whether it wins each game: bool (games,)."""
        won: Array = np.logical_or.reduce([outcome.won(rows, seat) for seat in self.seats])
        return won & np.isin(rows["ending"], self.endings) if self.endings else won

    def wins(self, tally: Tally) -> int:
        """Number of games that it wins."""
        return int(tally.wins[self.seats[0]] if self.side is None else tally.side_wins[self.side])


@dataclass(frozen=True)
class Payoff:
    """The value of a game to a seat, or to a side."""

    place: int  #: of the seat or side among `parties`
    parties: tuple[Party, ...]  #: those that share a win in equal parts; one alone has whole wins
    drawn: float = 0.0  #: value of a game that none of them wins
    by_score: bool = False  #: whether the value is the score of the seat
    score_range: tuple[float | None, float | None] = (None, None)  #: that the game declares

    @classmethod
    def win(cls, *seats: int) -> Payoff:
        """1 if one of these seats wins, alone or with others."""
        return cls(0, (Party(seats),))

    @classmethod
    def of_seat(cls, names: Any, seat: int, by_score: bool | None = None) -> Payoff:
        """The value of a game to a seat, by the table at the head of this module (as for by_score=None)."""
        payoff = cls.win(seat) if has_joint_sides(names) else cls.share(names, seat)
        declared = getattr(names, "score_range", None) or (None, None)
        return replace(
            payoff, by_score=seeks_score(names) if by_score is None else by_score, score_range=tuple(declared)
        )

    @classmethod
    def share(cls, names: Any, seat: int) -> Payoff:
        """1/k of a win that k seats share; 1/2 if neither of two rivals wins."""
        drawn = 0.5 if len(names.seats) == 2 and not has_joint_sides(names) else 0.0
        return cls(seat, tuple(Party((other,)) for other in range(len(names.seats))), drawn)

    @classmethod
    def of_side(cls, names: Any, side: int) -> Payoff:
        """The value of a game to a side against the others; by default each seat is its own side."""
        sides = parties_of(names)
        return cls(side, sides, 0.5 if len(sides) == 2 else 0.0)

    @property
    def alone(self) -> Payoff:
        """The same with whole wins: a win rate."""
        return Payoff(0, (self.parties[self.place],))

    @property
    def fair(self) -> Payoff:
        """The same with games that nobody wins split among all."""
        return replace(self, drawn=1 / len(self.parties))

    @property
    def rate(self) -> bool:
        """Whether values are shares of a win."""
        return not self.by_score

    def values(self, rows: Rows) -> Floats:
        """The value of each game, float (games,), from `winners`, and `score` or `ending` as needed."""
        if self.by_score:
            return np.asarray(np.asarray(rows["score"])[:, self.parties[self.place].seats[0]], np.float64)
        won = np.array([party.won(rows) for party in self.parties], np.float64)
        winners = won.sum(axis=0)
        return np.asarray(np.where(winners, won[self.place] / np.maximum(winners, 1), self.drawn), np.float64)

    def total(self, tally: Tally) -> float:
        """Sum of the values of counted games; with three sides or more, exact unless several win. ValueError: score."""
        if self.by_score:
            raise ValueError("the wins are counted, not the scores")
        own = self.parties[self.place]
        if len(self.parties) == 2 and self.drawn == 0.5:
            return (tally.games + own.wins(tally) - self.parties[1 - self.place].wins(tally)) / 2
        won = own.wins(tally) if len(self.parties) == 1 or own.side is not None else tally.credits[own.seats[0]]
        return float(won + self.drawn * tally.nobody)

    def column(self, seats: Sequence[str], endings: Sequence[str]) -> pl.Expr:
        """`values` of stored rows (simlab.runs.store.row_schema), by the names of the seats and endings."""
        import polars as pl

        won = []
        for party in self.parties:
            one = pl.any_horizontal(outcome.won_column(seats, seat) for seat in party.seats)
            ended = [endings[place] for place in party.endings]
            won.append(one & pl.col("ending").cast(pl.String).is_in(ended) if ended else one)
        winners = pl.sum_horizontal(won)
        return pl.when(winners > 0).then(won[self.place] / winners.clip(1)).otherwise(self.drawn)

    def mean(self, values: Floats, level: float = LEVEL) -> Estimate:
        """Mean value of some games, nan left out: shares of a win with an exact interval, scores with that of
        `mean_interval`.
        """
        kinds, counts = np.unique(self._exact(values[~np.isnan(values)]), return_counts=True)
        mean = mean_interval(kinds, counts, *(self.score_range if self.by_score else (0.0, 1.0)), level=level)
        if self.by_score:
            return Estimate(*mean, False, constant=kinds.size == 1 and int(counts[0]) > 1)
        low, high = mean_bounds(kinds, counts, 0.0, 1.0, level)
        return Estimate(mean.value, float(low), float(high))

    def paired(self, before: Floats, after: Floats, level: float = LEVEL) -> PairedDifference:
        """Mean of `after - before`, game by game; games with nan in either are left out."""
        both = ~(np.isnan(before) | np.isnan(after))
        one, other = self._exact(before[both]), self._exact(after[both])
        most = most_change(one, other, level, *self.score_range) if self.by_score and one.size else 1.0
        return paired_difference(one, other, level, most)

    def _exact(self, values: Floats) -> Floats:
        """Values without the rounding of weighted sums: those of a mix, whose shares add up to 1.0000000000000002, lie
        within 0..1 again.
        """
        return values if self.by_score else np.asarray(np.round(values, 12), np.float64)

    def gain(self, before: Floats, after: Floats, level: float = LEVEL) -> Difference:
        """`paired` in the form that answers report."""
        return Difference(*self.paired(before, after, level).ends, self.rate)


def seeks_score(names: Any) -> bool:
    """Whether a game of one seat is played for its score."""
    return len(names.seats) == 1 and bool(names.has_scores)


def has_joint_sides(names: Any) -> bool:
    """Whether some seats win as a side."""
    return any(len(places) > 1 for _, places, _ in outcome.sides_of(names))


def parties_of(names: Any) -> tuple[Party, ...]:
    """The sides of a game; by default each seat is its own."""
    parties = []
    for place, ((_, seats, _), endings) in enumerate(
        zip(outcome.sides_of(names), outcome.side_endings(names), strict=True)
    ):
        limits = () if len(endings) == len(names.endings) else endings
        parties.append(Party(seats, limits, place if names.sides else None))
    return tuple(parties)


def verb(by_score: bool) -> str:
    """The verb for a sentence with a value: a seat scores 12.3, or wins 45 %."""
    return "scores" if by_score else "wins"


def unit(by_score: bool) -> str:
    """The unit of a value, as the title of a column or an axis."""
    return "score" if by_score else "share of the wins"
