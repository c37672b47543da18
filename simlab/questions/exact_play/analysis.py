"""The solution of a small game for two, and how much the best answer to it gains."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from simlab.bot_registry import bots_for
from simlab.engine.conduct import check_bots
from simlab.engine.learning.solving import SEEDS, Solver
from simlab.engine.match import Match
from simlab.present.answer import Answer, Number, Part
from simlab.present.estimate import Estimate


class ExactSeat(Part):
    """A seat of a solved game.

    Attributes:
        value: its value if both seats play exactly. answer_gains: gain of the best answer to the other seat's play.
            given_away: listed bot -> how much exact play in the other seat wins from it beyond the value.
    """

    seat: str
    value: float
    answer_gains: float
    given_away: dict[str, Number]


class ExactPlay(Answer, form="exact_play", source="simlab optimize exact GAME"):
    """Exact play of a small game.

    Attributes:
        by_score: whether values are scores, not shares of the win. places: number of information sets. positions:
            number of different positions. set_ups: number of games whose set-ups were counted. games: number of games
            with each listed bot.
    """

    game: str
    file: str
    by_score: bool
    places: int
    positions: int
    iterations: int
    set_ups: int
    games: int
    seats: tuple[ExactSeat, ...]


def answer(
    solver: Solver, file: Path, iterations: int, seed: int, games: int, tables: Mapping[str, Path] | None
) -> ExactPlay:
    """Value of the solution, and its wins against the listed bots. file: its file. games: number with each bot."""
    game = solver.game
    seats: list[ExactSeat] = []
    values = [solver.value(seat) for seat in (0, 1)]
    for number, seat in enumerate(game.seats):
        given: dict[str, Number] = {}
        for bot in bots_for(game, seat):
            other = game.seats[1 - number]
            match = Match(game, knobs=solver.match.knobs_set, tables=tables, bots={seat: bot, other: str(file)})
            check_bots(match, seed)
            payoff, usual = solver.payoffs[1 - number], values[1 - number]
            won = payoff.mean(payoff.values(match.play(seed, 0, games).rows))
            given[bot] = Estimate(won.value - usual, won.low - usual, won.high - usual, payoff.rate)
        gain = solver.best_answer(number) - values[number]
        seats.append(ExactSeat(seat=seat, value=values[number], answer_gains=gain, given_away=given))
    return ExactPlay(
        game=game.slug, file=str(file), by_score=solver.by_score, places=len(solver.sets), positions=solver.positions,
        iterations=iterations, set_ups=SEEDS, games=games, seats=tuple(seats),
    )  # fmt: skip
