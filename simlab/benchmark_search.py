"""What bots that look ahead cost: `simlab dev bench GAME --part search`.

An iteration against a playout: at positions spread over a game, a search of so many iterations against as many futures
of the same position, played by the same playout bots in the bare loop. Games a second with such bots in all seats. And,
for a game that OpenSpiel has too, its Monte Carlo tree search in C++ beside the lab's, with the same budget and random
playouts: the package `open_spiel` is no part of the lab and is asked only here.

All rates count processor time of one thread.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import statistics
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from simlab.engine.match import Match
    from simlab.game import Game

Say = Callable[[str], None]

ITERATIONS = 100  #: of a decision
POSITIONS = 6  #: of a game at which a search is timed against playouts
SECONDS = 0.3  #: that a timing takes at least
OTHERS_SIMULATIONS, OTHERS_UCT = 100, 2.0  #: of OpenSpiel's search; the second is what its own examples take
_GAMES = 400  # at most, of a rate
_THEIRS = ("breakthrough", "connect_four", "othello", "tic_tac_toe")  # games by the name that OpenSpiel gives them
_INSTALL = "OpenSpiel is not installed here: pip install open_spiel, then the bench runs its search beside the lab's"


def measure(
    game: Game, knobs: Mapping[str, object] | None, playouts: Mapping[str, str], seed: int, repetitions: int,
    clocked: Callable[[Match], Any], tell: Say,
) -> dict[str, Any]:  # fmt: skip
    """Figures by search.

    Args:
        clocked: the bare loop of a match with a clock around it (simlab.benchmark).
        playouts: seat -> bot that plays on, and that is in the seats of the games from which positions come.
    Returns:
        kind -> figures; `open_spiel` where the game is one of OpenSpiel's, or why not.
    """
    from simlab.engine.search import KINDS

    inside = "+".join(f"{seat}=({bot})" for seat, bot in playouts.items())
    figures: dict[str, Any] = {}
    for kind in KINDS:
        text = f"{kind}:iterations={ITERATIONS}:playout=({inside})"
        figures[kind] = _search(game, knobs, playouts, text, seed, repetitions, clocked, tell)
    other = _open_spiel(game, seed, repetitions, tell)
    if other:
        figures["open_spiel"] = other
    return figures


def _search(
    game: Game, knobs: Mapping[str, object] | None, playouts: Mapping[str, str], text: str, seed: int,
    repetitions: int, clocked: Callable[[Match], Any], tell: Say,
) -> dict[str, Any]:  # fmt: skip
    from simlab.engine.match import Match

    kind = text.partition(":")[0]
    tell(f"{kind}: compiling")
    thinking = Match(game, knobs=knobs, bots=dict.fromkeys(game.seats, text))
    plain = clocked(Match(game, knobs=knobs, bots=playouts))
    plain.play(seed, 0, 1)
    games = clocked(thinking)
    games.play(seed, 0, 1)
    tell(f"{kind}: an iteration against a playout")
    searched, played = 0.0, 0.0
    for number in range(repetitions):
        one, other = _iteration(thinking, plain, seed, number)
        searched, played = searched + one, played + other
    tell(f"{kind}: games")
    count, spent = 1, 0.0
    while spent < SECONDS * repetitions and count < _GAMES:
        count *= 2
        spent, batch = games.play(seed, 0, count)
    return {
        "iterations": ITERATIONS, "us_an_iteration": 1e6 * searched / repetitions,
        "us_a_playout": 1e6 * played / repetitions, "iteration_over_playout": searched / played,
        "games_a_second": count / spent, "decisions_a_game": float(batch.rows["decisions"].mean()),
    }  # fmt: skip


def _iteration(thinking: Match, plain: Any, seed: int, index: int) -> tuple[float, float]:
    """Seconds of an iteration and of a playout, means over positions of one game with several legal actions."""
    from simlab.engine.entry_points import view
    from simlab.engine.stepper import Stepper

    stepper = Stepper(plain.match, seed, index)
    positions = []
    while not stepper.over:
        if len(stepper.legal()) > 1:
            positions.append(stepper.copy())
        stepper.apply(stepper.policy_action())
    if not positions:
        return 0.0, 0.0
    bots, seats = thinking.compiled.players(), range(len(thinking.game.seats))
    knobs, cards = view(thinking.knobs)[0], view(thinking.cards)[0]
    searched, played = [], []
    for place in np.unique(np.linspace(0, len(positions) - 1, min(POSITIONS, len(positions))).astype(int)):
        position = positions[int(place)]
        position.legal()
        work = view(np.asarray(position.state).reshape(1).view(np.ndarray))
        seat = next(seat for seat in seats if seat == int(position.state.seat))
        state, traits = work[0], thinking.traits[seat]

        def think(bot: Any = bots[seat], state: Any = state, traits: Any = traits) -> float:
            began = time.thread_time()
            bot(state, knobs, cards, traits)
            return time.thread_time() - began

        def play(futures: int, start: Any = work[0]) -> float:
            plain.seconds = 0.0
            plain.match.play(seed, 0, futures, counting=False, start=start)
            return float(plain.seconds)

        searched.append(_usual(think) / ITERATIONS)
        # A call of the loop takes long to begin: many futures in one, so that it does not count.
        many = ITERATIONS * max(1, round(SECONDS / POSITIONS / max(play(ITERATIONS), 1e-6)))
        played.append(_usual(functools.partial(play, many)) / many)
    return statistics.mean(searched), statistics.mean(played)


def _usual(once: Callable[[], float]) -> float:
    """The median of some runs."""
    runs, began = [once()], time.thread_time()
    while len(runs) < 3 or (time.thread_time() - began < SECONDS / POSITIONS and len(runs) < 200):
        runs.append(once())
    return statistics.median(runs)


# --- OpenSpiel ------------------------------------------------------------------


def _open_spiel(game: Game, seed: int, repetitions: int, tell: Say) -> dict[str, Any]:
    """Games a second of OpenSpiel's search in the same game; empty if it has no such game."""
    if game.slug not in _THEIRS:
        return {}
    if importlib.util.find_spec("pyspiel") is None:
        return {"left_out": _INSTALL}
    pyspiel: Any = importlib.import_module("pyspiel")
    tell("OpenSpiel's search")
    loaded = pyspiel.load_game(game.slug)

    def bot(number: int) -> Any:
        evaluator = pyspiel.RandomRolloutEvaluator(1, number)
        return pyspiel.MCTSBot(loaded, evaluator, OTHERS_UCT, OTHERS_SIMULATIONS, 100, False, number, False)

    spent, games, moves = 0.0, 0, 0
    while spent < SECONDS * repetitions and games < _GAMES:
        state = loaded.new_initial_state()
        bots = [bot(seed + 2 * games + player) for player in range(loaded.num_players())]
        began = time.thread_time()
        pyspiel.evaluate_bots(state, bots, seed + games)
        spent += time.thread_time() - began
        moves += state.move_number()
        games += 1
    return {
        "iterations": OTHERS_SIMULATIONS, "games_a_second": games / spent, "decisions_a_game": moves / games,
    }  # fmt: skip
