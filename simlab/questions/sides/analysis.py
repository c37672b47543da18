"""Sides that win in named endings: their seats compared in the games that the side wins, and the endings in which it
loses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from simlab.engine.payoff import Payoff
from simlab.present.answer import Answer, Number, Part, Rate
from simlab.present.blocks import GamesLink
from simlab.present.estimate import LEVEL, Estimate, words
from simlab.runs.drill_down import games_where, won_by
from simlab.runs.rows import Games
from simlab.runs.view import View, view_of
from simlab.stats.bounded_mean import few_decide, mean_interval
from simlab.stats.figure import score_name
from simlab.stats.intervals import level_of_each

MOST_MARKS = 4  #: metrics listed per ending
FEWEST = 10  #: games that a side wins, below which its seats are not compared: fewer may all be one seat's by chance
_ENDS = (0.05, 0.5, 0.95)


class Member(Part):
    """A seat in the games that its side wins.

    Attributes:
        wins: how often it is among the winners. gap: `wins` minus the mean of the side's seats, in percentage points.
        score: mean score. score_gap: `score` minus the mean of the side's seats. Both are None for games without
            scores. The intervals of these differences hold for all seats of the side together.
        parts: metrics that are parts of its score (Metric.part_of) -> their means.
        games: link to the games behind `wins`.
    """

    seat: str
    wins: Rate
    gap: Number
    score: Number | None
    score_gap: Number | None
    parts: dict[str, Number]
    games: GamesLink | None


class Loss(Part):
    """An ending in which the side loses.

    Attributes:
        share: share of the games that the side loses.
        turns: turns by which 5, 50 and 95 % of these games have ended.
        marks: metrics of 0 and 1 -> share of these games in which they are 1, the most frequent first.
    """

    ending: str
    games: int
    share: Rate
    turns: tuple[int, ...]
    marks: dict[str, Rate]


class SideReport(Part):
    """One side.

    Attributes:
        who: its name in a sentence, `the town`. wins: the verb for its win, `holds`.
        games: number of games that it wins. lost: number that it loses.
    """

    name: str
    who: str
    wins: str
    games: int
    lost: int
    members: tuple[Member, ...]
    losses: tuple[Loss, ...]


class Sides(Answer, form="sides", version=2):
    """Answer of `simlab report FOLDER --section sides`.

    Attributes:
        turn_name: the game's word for a turn. pooled: whether several cells are taken together.
    """

    sides: tuple[SideReport, ...]
    turn_name: str = "turn"
    pooled: bool = False


def of_run(results: Any) -> Sides:
    """The sides of two seats or more for which the game names endings; empty without rows of the games."""
    view = view_of(results)
    return Sides(sides=tuple(_reports(view)), turn_name=view.turn_name, pooled=len(view.cells) > 1)


def _reports(view: View) -> Iterator[SideReport]:
    if view.rows is None:
        return
    for place, (name, seats, wins) in enumerate(view.sides):
        endings = view.side_endings[place]
        if len(seats) > 1 and len(endings) < len(view.raw_endings):
            side = _Side(view, view.rows, seats, endings)
            yield SideReport(
                name=name, who=view.the_side(name), wins=wins, games=int(side.won.sum()), lost=int((~side.won).sum()),
                members=tuple(side.members()), losses=tuple(sorted(side.losses(), key=lambda loss: -loss.games)),
            )  # fmt: skip


class _Side:
    """The rows of a run, seen from one side."""

    def __init__(self, view: View, games: Games, seats: tuple[int, ...], endings: tuple[int, ...]) -> None:
        every = games.rows("ending")
        assert every is not None
        self.view, self.games, self.seats, self.endings, self.every = view, games, seats, endings, every
        self.won = np.isin(every.values, endings)

    def members(self) -> Iterator[Member]:
        if self.won.sum() < FEWEST:
            return
        view, seats = self.view, self.seats
        won = [self.games.values(Payoff.win(seat)) for seat in seats]
        names = [score_name(view.raw_seats[seat]) for seat in seats]
        scores: list[Any] = [self.games.values(name) if view.has_scores else None for name in names]
        scored = all(values is not None for values in scores)
        mean_won = sum(won) / len(seats)
        mean_score = sum(np.asarray(values, np.float64) for values in scores) / len(seats) if scored else 0
        level = level_of_each(LEVEL, len(seats))
        for seat, wins, score in zip(seats, won, scores, strict=True):
            parts = {}
            for metric in view.metrics:
                values = self.games.values(metric.name) if metric.part_of == view.raw_seats[seat] else None
                if values is not None:
                    counted = self.won if metric.never is None else self.won & (values != metric.never)
                    parts[words(metric.name)] = self.every.among(values, counted)
            count = int(((wins > 0) & self.won).sum())
            yield Member(
                seat=view.seats[seat], parts=parts, wins=self.every.among(wins > 0, self.won, rate=True),
                gap=self._gap(100 * (wins - mean_won), level, 100),
                score=self.every.among(score, self.won) if scored else None,
                score_gap=self._gap(score - mean_score, level) if scored else None,
                games=games_where(view, view.all, count, won_by(view, [seat], sorted(self.endings))),
            )  # fmt: skip

    def _gap(self, values: Any, level: float, most: float | None = None) -> Estimate:
        """Mean of a difference in the games that the side wins; valid even if it is the same in nearly all of them.

        Args:
            most: the largest possible difference, if known.
        """
        mean = self.every.among(values, self.won, level=level)
        numbers, games = np.unique(values[self.won], return_counts=True)
        each = games / len(self.view.cells)  # cells share random draws: k of them count as one
        if not few_decide(each, level):
            return mean
        _, low, high = mean_interval(numbers, each, None if most is None else -most, most, level)
        return Estimate(mean.value, min(mean.low, low), max(mean.high, high), False)

    def losses(self) -> Iterator[Loss]:
        turns = self.games.values("turns")
        flags = [m for m in self.view.metrics if m.kind == "number" and not m.decimals and (m.low, m.high) == (0, 1)]
        for ending, name in enumerate(self.view.endings):
            here = (self.every.values == ending) & ~self.won
            if not here.any():
                continue
            marks = {}
            for metric in flags:
                values = self.games.values(metric.name)
                if values is not None and values[here].any():
                    help_ = (metric.help or words(metric.name)).removeprefix("whether ")
                    marks[help_] = self.every.among(values > 0, here, rate=True)
            most = sorted(marks.items(), key=lambda mark: -mark[1].value)[:MOST_MARKS]
            ends = tuple(int(x) for x in np.quantile(turns[here], _ENDS, method="nearest")) if turns is not None else ()
            yield Loss(
                ending=name, games=int(here.sum()), share=self.every.among(here, ~self.won, rate=True), turns=ends,
                marks=dict(most),
            )  # fmt: skip
