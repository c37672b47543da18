"""Processor time per decision of each bot of a run, and decisions per game.

It is measured after the run, so the play loop needs no clock. A small compiled loop asks each bot repeatedly for its
decisions in a few hundred positions of its own games, and the time of the same loop without the bot is subtracted. The
times depend on the machine. They are stored in manifest.json, do not count as results, and are never compared.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from pydantic import NonNegativeFloat, NonNegativeInt

from simlab.engine import deadline
from simlab.engine.entry_points import records, view
from simlab.engine.match import Match
from simlab.engine.rollouts import Rollouts
from simlab.present.answer import Answer, Part
from simlab.runs.cells import cells
from simlab.runs.results import Results
from simlab.runs.store import Folder
from simlab.spec.experiment import Experiment

POSITIONS, GAMES = 256, 12  #: per bot, at most
TIMED = 5  #: number of measurements, of which the median is reported
ENOUGH, LONG = 0.002, 1.0  #: seconds of one measurement, and after which no more positions are collected
MOST_BOTS = 64  #: bots by seat that are timed


class BotCost(Part):
    """Processor time of one bot in one seat.

    Attributes:
        microseconds: time per decision with a choice, median of five measurements; None if the bot had no choice. low,
            high: lowest and highest measurement. decisions: number of decisions with a choice per game. games,
                positions: number of games and positions measured.
    """

    seat: str
    bot: str
    microseconds: NonNegativeFloat | None
    low: NonNegativeFloat | None
    high: NonNegativeFloat | None
    decisions: NonNegativeFloat
    games: NonNegativeInt
    positions: NonNegativeInt


class DecisionCost(Answer, form="decision-cost"):
    bots: list[BotCost]


def of_run(results: Any) -> DecisionCost:
    """The times in the manifest of a run."""
    return DecisionCost.from_json({"bots": getattr(results, "decision_cost", [])}, "manifest.json: decision_cost")


def cost_of(match: Match, seat: int, seed: int) -> BotCost:
    """The processor time of the bot of a seat, in positions of its own games 0, 1, ..."""
    plays = Rollouts(match, seed, 1)
    match = plays.match  # compiled, without custom metrics
    choices: list[Any] = []  # positions of each game
    began = time.perf_counter()
    while len(choices) < GAMES and time.perf_counter() - began <= LONG:
        played = plays.game(len(choices))[:-1]
        choices.append(played[(played["seat"] == seat) & (played["n_legal"] > 1)])
    kept, games, bot = np.concatenate(choices), len(choices), match.bots[seat]
    about: dict[str, Any] = {"seat": bot.seat, "bot": bot.text, "decisions": len(kept) / games, "games": games}
    if not len(kept):
        return BotCost(**about, microseconds=None, low=None, high=None, positions=0)
    ask = match.compiled.asking()
    policy = match.compiled.play(True)[1][seat]
    traits = view(match.traits.view(match.compiled.traits_type).reshape(-1)[seat : seat + 1])
    work = records(1, match.game.state)

    def taken(positions: Any, rounds: int, asking: int) -> float:
        began = time.thread_time()
        with deadline.Call(lambda: (f"bot '{bot.text}' ({bot.seat})", "while its decisions were timed")):
            ask(policy, positions, work, view(match.knobs), view(match.cards), traits, rounds, asking)
        return time.thread_time() - began

    one = max(taken(view(kept[:2]), 1, 1) / 2, 1e-8)
    positions = view(kept[: max(min(POSITIONS, int(LONG / TIMED / one)), 2)])
    rounds = 1
    while (spent := taken(positions, rounds, 1)) < ENOUGH:
        rounds = min(8 * rounds, math.ceil(1.2 * rounds * ENOUGH / max(spent, 1e-9)))
    asked = rounds * positions.size
    times = sorted(
        max(taken(positions, rounds, 1) - taken(positions, rounds, 0), 0.0) / asked * 1e6 for _ in range(TIMED)
    )
    return BotCost(**about, microseconds=times[TIMED // 2], low=times[0], high=times[-1], positions=int(positions.size))


def measure(results: Results, experiment: Experiment, notify: Callable[[str], None] | None = None) -> bool:
    """Adds `decision_cost` to the manifest of a complete run, unless it is there; returns whether it was added."""
    if results.partial or results.failed or "decision_cost" in results.manifest or len(results.sizes) > 1:
        return False
    folder = Folder(results.folder)
    timed: dict[tuple[str, str], BotCost] = {}
    for cell in cells(experiment):
        wanted = [(seat, bot) for seat, bot in cell.bot_labels.items() if (seat, bot) not in timed]
        if not wanted or len(timed) >= MOST_BOTS:
            continue
        if notify and not timed:
            notify("timing the bots' decisions")
        match = cell.match()
        for seat, bot in wanted:
            timed[seat, bot] = cost_of(match, match.game.seats.index(seat), results.seed)
    costs = [{**cost.model_dump(), "bot": bot} for (_, bot), cost in timed.items()]
    folder.write_json("manifest.json", {**results.manifest, "decision_cost": costs})
    return True
