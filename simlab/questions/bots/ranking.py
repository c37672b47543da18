"""One strength per bot of two seats (Bradley-Terry)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simlab.errors import InputError
from simlab.present.estimate import LEVEL, Estimate
from simlab.runs.cell_pools import Cell
from simlab.runs.rows import credit_of
from simlab.runs.view import View
from simlab.stats.intervals import Floats, normal_quantile
from simlab.stats.ratings import Ratings, bradley_terry

ELO = 400 / math.log(10)


@dataclass(frozen=True)
class Ranking:
    """Ratings of the bots of two seats.

    Attributes:
        bots: names by seat.
        ratings: their strengths.
        measured: whether the correlation of match-ups on the same seeds was measured; else they are independent.
        surprising: whether some match-up departs significantly from the ranking, all judged together.
    """

    bots: tuple[list[str], list[str]]
    ratings: Ratings
    measured: bool
    surprising: bool

    def elo(self, seat: int, index: int) -> Estimate:
        """Strength in Elo points, 0 for the average bot of the seat."""
        strength = (self.ratings.strength_a, self.ratings.strength_b)[seat][index]
        low, high = (self.ratings.interval_a, self.ratings.interval_b)[seat][index]
        return Estimate(ELO * float(strength), ELO * float(low), ELO * float(high), False)

    def order(self, seat: int) -> list[int]:
        """Positions of the seat's bots, strongest first."""
        return self.ratings.order_a if seat == 0 else self.ratings.order_b


def ranking(view: View) -> Ranking | None:
    """Bradley-Terry strengths if both of two seats have several bots; None otherwise."""
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
    except InputError:  # bots that never met, as in a run that was stopped early
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
