"""One strength per bot of two seats (Bradley-Terry)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from simlab.present.answer import Part
from simlab.present.estimate import LEVEL, Estimate, estimate_of
from simlab.questions.bots.match_ups import Profiles
from simlab.runs.view import View
from simlab.stats.intervals import level_of_each, normal_quantile
from simlab.stats.ratings import Strengths, luce, met_in_groups, unexplained

ELO = 400 / math.log(10)


class Surprise(Part):
    """The match-up that departs most from the ranking.

    Attributes:
        points: win rate of `bot` minus the win rate expected from the ranking, in percentage points. significant:
            whether any match-up departs significantly from the ranking, all judged together.
    """

    bot: str
    against: str
    points: float
    significant: bool


@dataclass(frozen=True)
class Ranking:
    """Strengths of the bots of two seats.

    Attributes:
        bots: names by seat.
        unexplained: see simlab.stats.ratings.unexplained.
    """

    bots: tuple[list[str], list[str]]
    strengths: Strengths
    unexplained: float
    surprise: Surprise


def in_elo(strengths: Strengths, seat: int, index: int) -> Estimate:
    """Strength of a bot of a seat in Elo points, 0 for the average bot of the seat."""
    return estimate_of((strengths.strength[seat][index], *strengths.interval[seat][index]), ELO, False)


def ranking(view: View) -> Ranking | None:
    """Bradley-Terry strengths if both of two seats have several bots; None otherwise."""
    if len(view.seats) != 2 or min(len(bots) for bots in view.bots.values()) < 2:
        return None
    table = Profiles.of(view)
    if table is None:
        return None
    first, second = table.bots
    wins, games = table.won[:, 0].reshape(table.shape), table.games.reshape(table.shape)
    shared, met = view.covariance(view.payoff(0)), games > 0
    if met_in_groups(met):  # as in a run that was stopped early
        return None
    won, played, flat = wins[met], games[met], met.ravel()
    covariance = None if shared is None else (table.weights @ shared @ table.weights.T)[np.ix_(flat, flat)]
    found = luce(np.column_stack([won, played - won]), np.argwhere(met), met.shape, covariance=covariance)
    fitted = np.clip(found.fitted[:, 0], 1e-9, 1 - 1e-9)
    off = won / played - found.fitted[:, 0]
    errors = np.maximum(np.sqrt(fitted * (1 - fitted) / played), 0.5 / played)
    most = int(np.abs(off).argmax())
    i, j = np.argwhere(met)[most]
    surprise = Surprise(
        bot=first[i], against=second[j], points=100 * float(off[most]),
        significant=bool((np.abs(off) / errors > normal_quantile(level_of_each(LEVEL, met.size))).any()),
    )  # fmt: skip
    return Ranking((first, second), found, unexplained(wins, games), surprise)
