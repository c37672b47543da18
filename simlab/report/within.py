"""A side that names the endings in which it wins: what each of its seats is worth then, and what breaks it else.

Its seats share its fate, and yet one of them may do better than another: so they are compared in the games that the
side wins, and these alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from simlab.present.blocks import GamesLink
from simlab.present.estimate import LEVEL, Estimate, share_of, words
from simlab.results.drill_down import games_where, won_by
from simlab.results.rows import Games, Rows, Won
from simlab.results.view import View
from simlab.stats.figure import score_name

MOST_MARKS = 4  #: things that go with a loss, in a sentence
_ENDS = (0.05, 0.5, 0.95)


@dataclass(frozen=True)
class Member:
    """A seat in the games that its side wins.

    Attributes:
        wins: how often it is among the winners. gap: that less the mean of the side's seats, in points of per cent.
        score: mean. score_gap: that less the mean of the side's seats. None where the game keeps no scores.
        parts: metrics that are parts of its score (Metric.part_of), with their means.
    """

    seat: int
    wins: Estimate
    gap: Estimate
    score: Estimate | None
    score_gap: Estimate | None
    parts: tuple[tuple[str, Estimate], ...]


@dataclass(frozen=True)
class Loss:
    """An ending in which the side loses.

    Attributes:
        share: of the games that the side loses.
        turns: 5, 50 and 95 % of these games end no later.
        marks: metrics of 0 and 1 that are 1 in these games most often: help and share.
    """

    ending: int
    games: int
    share: Estimate
    turns: tuple[int, ...]
    marks: tuple[tuple[str, Estimate], ...]


class SideReport:
    """One side: its members where it wins, and the endings in which it loses.

    Attributes:
        games: that it wins; lost: that it loses.
    """

    def __init__(self, view: View, name: str, seats: tuple[int, ...], wins: str, endings: tuple[int, ...]) -> None:
        assert view.rows is not None
        self.view, self.name, self.seats, self.wins, self.endings = view, name, seats, wins, endings
        self._games: Games = view.rows
        every = self._games.rows("ending")
        assert every is not None
        self._every: Rows = every
        self._won = np.isin(every.values, endings)
        self.games, self.lost = int(self._won.sum()), int((~self._won).sum())
        self.members = self._members() if self.games >= 2 else []
        self.losses = self._losses()

    def _mean(self, numbers: Any, among: Any, level: float = LEVEL) -> Estimate:
        mean = self._every.ratio(np.where(among, numbers, 0), among, level)
        return Estimate(mean.value, mean.low, mean.high, False)

    def _share(self, happened: Any, among: Any) -> Estimate:
        count, games = float((happened & among).sum()), float(among.sum())
        if 0 < count < games:
            mean = self._mean(happened, among)
            return Estimate(mean.value, max(mean.low, 0.0), min(mean.high, 1.0))
        return share_of(count / len(self.view.cells), games / len(self.view.cells))  # no spread to go by

    def _members(self) -> list[Member]:
        won = {seat: np.asarray(self._games.values(Won((seat,))), np.float64) for seat in self.seats}
        names = {seat: score_name(self.view.raw_seats[seat]) for seat in self.seats}
        scores = {seat: self._games.values(name) for seat, name in names.items() if self.view.has_scores}
        scored = bool(scores) and all(values is not None for values in scores.values())
        mean_won = sum(won.values()) / len(self.seats)
        mean_score = (
            sum(np.asarray(values, np.float64) for values in scores.values()) / len(self.seats) if scored else 0
        )
        level = 1 - (1 - LEVEL) / len(self.seats)  # all seats are judged together
        members = []
        for seat in self.seats:
            parts = []
            for metric in self.view.metrics:
                values = self._games.values(metric.name) if metric.part_of == self.view.raw_seats[seat] else None
                if values is not None:
                    counted = self._won if metric.never is None else self._won & (values != metric.never)
                    parts.append((words(metric.name), self._mean(values, counted)))
            gap = self._mean(100 * (won[seat] - mean_won), self._won, level)
            members.append(
                Member(
                    seat,
                    self._share(won[seat] > 0, self._won),
                    gap,
                    self._mean(scores[seat], self._won) if scored else None,
                    self._mean(scores[seat] - mean_score, self._won, level) if scored else None,
                    tuple(parts),
                )
            )
        return members

    def games_where(self, seat: int) -> GamesLink | None:
        """The games that the side wins and one of its seats wins."""
        view, endings = self.view, [place for place in range(len(self.view.raw_endings)) if place in self.endings]
        count = int((np.asarray(self._games.values(Won((seat,))) > 0) & self._won).sum())
        return games_where(view, view.all, count, won_by(view, [seat], endings))

    def _losses(self) -> list[Loss]:
        turns = self._games.values("turns")
        whether = [m for m in self.view.metrics if m.kind == "number" and not m.decimals and (m.low, m.high) == (0, 1)]
        losses = []
        for ending in range(len(self.view.raw_endings)):
            here = (self._every.values == ending) & ~self._won
            count = int(here.sum())
            if not count:
                continue
            marks = []
            for metric in whether:
                values = self._games.values(metric.name)
                if values is not None and values[here].any():
                    help_ = (metric.help or words(metric.name)).removeprefix("whether ")
                    marks.append((help_, self._share(values > 0, here)))
            marks.sort(key=lambda mark: -mark[1].value)
            ends = tuple(int(x) for x in np.quantile(turns[here], _ENDS, method="nearest")) if turns is not None else ()
            losses.append(Loss(ending, count, self._share(here, ~self._won), ends, tuple(marks[:MOST_MARKS])))
        return sorted(losses, key=lambda loss: -loss.games)

    def sentences(self) -> list[str]:
        """What breaks the side, then whether its seats are worth the same where it wins."""
        told = [self._about(loss) for loss in self.losses]
        side = f"{self.view.the_side(self.name)} {self.wins}"
        if not self.members:
            return [*told, f"It is in too few games that {side}: nothing can be said of its seats."]
        fair = 100 * sum(member.wins.value for member in self.members) / len(self.members)
        told.append(f"Where {side} ({self.games:,} games), an average seat wins in {fair:.1f} %, alone or with others.")
        for what, gaps, unit, digits in (
            ("wins", [member.gap for member in self.members], " points", 1),
            ("score", [member.score_gap for member in self.members if member.score_gap], "", 2),
        ):
            off = [
                (self.view.seats[member.seat], gap)
                for member, gap in zip(self.members, gaps, strict=False)
                if gap.low > 0 or gap.high < 0
            ]
            if gaps and not off:
                told.append(f"By {what} none of its seats is off that average for certain.")
            elif gaps:
                listed = "; ".join(
                    f"{seat} {_signed(gap, digits)}{unit}" for seat, gap in sorted(off, key=lambda o: -o[1].value)
                )
                told.append(f"By {what} these are off the average of its seats for certain: {listed}.")
        return told

    def _about(self, loss: Loss) -> str:
        name = self.view.endings[loss.ending]
        when = ""
        if loss.turns:
            low, middle, high = loss.turns
            when = f", in {self.view.turn_name} {low} to {high} (nine in ten), half of them by {middle}"
        marks = "; ".join(f"{help_} in {share.full}" for help_, share in loss.marks)
        return f"Lost by {name}: {loss.share.full} of the {self.lost:,} lost games{when}. {_sentence(marks)}".rstrip()


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def _signed(gap: Estimate, digits: int) -> str:
    value, low, high = (f"{end:+.{digits}f}".replace("-", "−") for end in (gap.value, gap.low, gap.high))
    return f"{value} ({low} to {high})"


def reports(view: View) -> list[SideReport]:
    """One for each side of several seats that names its endings; none where the rows were not kept."""
    names = view.results_names
    if names is None or view.rows is None:
        return []
    limits = view.side_endings
    return [
        SideReport(view, name, seats, wins, limits[place])
        for place, (name, seats, wins) in enumerate(view.sides)
        if len(seats) > 1 and len(limits[place]) < len(view.raw_endings)
    ]


def section(view: View) -> list[dict[str, Any]]:
    """For each such side: sentences, and a table of its seats."""
    return [
        {
            "title": f"{view.the_side(report.name)} {report.wins}",
            "sentences": report.sentences(),
            "rows": [
                {
                    "seat": view.seats[member.seat],
                    "wins": member.wins,
                    "behind": report.games_where(member.seat),
                    "score": member.score,
                    "parts": [{"name": name, "mean": mean} for name, mean in member.parts],
                }
                for member in report.members
            ],
            "scores": bool(report.members) and report.members[0].score is not None,
            "parts": any(member.parts for member in report.members),
        }
        for report in reports(view)
    ]
